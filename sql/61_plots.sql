
-- Figures as self-contained SVG text: psql -At -c 'SELECT dpsens....' -o figure.svg
-- and as lines of text.  What the client can show decides the characters, so
-- they are not immutable.

CREATE FUNCTION dpsens.contour(expression text, ranges jsonb, x text, y text, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_contour'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.contour(text, jsonb, text, text, text) IS
'The weighted gradient norm of an expression over the ranges of two columns, as SVG (format ''svg'') or as at most 80 columns of text (''text'', ''ascii''): colours and contour lines (by logarithm where the norm spans orders of magnitude), with the certified supremum K marked where it is attained. Other columns stay where K is attained, or in the middle of their ranges where there is no K. Reads no data.
ranges: as for dpsens.sensitivity.
Errors: as dpsens.sensitivity; x or y is not among the ranges, or they are the same; another format.';

CREATE FUNCTION dpsens.histogram(numbers float8[], title text DEFAULT NULL, mark float8 DEFAULT NULL, bins int4 DEFAULT NULL,
    format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_histogram'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.histogram(float8[], text, float8, int4, text) IS
'A histogram as SVG (format ''svg''), or as text of at most 80 columns: ''text'' in block characters if the client''s encoding is UTF-8 and the database''s too, else as ''ascii''. Of a column of an audit view for instance: SELECT dpsens.histogram(array_agg(gradient_norm)) FROM bmi_audit. mark: where to draw a line, such as a bound. bins: between 1 and 200, by the square-root rule if not given. NULL and infinite numbers are left out.
Errors: another number of bins; another format.
A histogram of private data is private data.';

CREATE FUNCTION dpsens.bar_chart(labels text[], numbers float8[], title text DEFAULT NULL, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_bar_chart'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.bar_chart(text[], float8[], text, text) IS
'Horizontal bars as SVG or text (format as for dpsens.histogram), of the contributions of columns for instance.
Errors: not as many labels as numbers; more than 100 of them; another format.';

CREATE FUNCTION dpsens.heatmap(numbers float8[], columns int4 DEFAULT NULL, title text DEFAULT NULL, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_heatmap'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.heatmap(float8[], int4, text, text) IS
'The numbers row by row as coloured cells, SVG or text (format as for dpsens.histogram): partial sensitivities of the pixels of an image for instance. Red above 0, blue below, white at 0. columns: how many cells a row has; if not given, that of a two-dimensional array, else as in a square. Numbers that are NULL or not finite are struck out.
Errors: fewer than 1 or more than 200 columns (78 as text); more than 10000 numbers; another format.';

CREATE FUNCTION dpsens.scatter(x float8[], y float8[], numbers float8[] DEFAULT NULL, title text DEFAULT NULL,
    x_title text DEFAULT NULL, y_title text DEFAULT NULL, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_scatter'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.scatter(float8[], float8[], float8[], text, text, text, text) IS
'Points at x and y, SVG or text (format as for dpsens.histogram), with lines where x or y is 0: the partial sensitivities of two columns against each other for instance. numbers: of each point, its colour or shade, from dark for the least to bright for the greatest; in text of the greatest in a character''s place. Without them a character''s shade says how many points are in its place. x_title, y_title: what the axes are. Points of which x, y or the number is NULL or not finite are left out.
Errors: arrays of unlike lengths; more than 10000 points; another format.
A figure of private data is private data.';
