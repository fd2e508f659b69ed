
-- Figures as self-contained SVG text: psql -At -c 'SELECT dpsens....' -o figure.svg

CREATE FUNCTION dpsens.contour(expression text, ranges jsonb, x text, y text)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_contour'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.contour(text, jsonb, text, text) IS
'The weighted gradient norm of an expression over the ranges of two columns, as SVG: colours and contour lines (by logarithm where the norm spans orders of magnitude), with the certified supremum K marked where it is attained. Other columns stay where K is attained, or in the middle of their ranges where there is no K. Reads no data.
ranges: as for dpsens.sensitivity.
Errors: as dpsens.sensitivity; x or y is not among the ranges.';

CREATE FUNCTION dpsens.histogram(numbers float8[], title text DEFAULT NULL, mark float8 DEFAULT NULL, bins int4 DEFAULT NULL)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_histogram'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.histogram(float8[], text, float8, int4) IS
'A histogram as SVG, of a column of an audit view for instance: SELECT dpsens.histogram(array_agg(gradient_norm)) FROM bmi_audit. mark: where to draw a line, such as a bound. bins: between 1 and 200, by the square-root rule if not given. NULL and infinite numbers are left out.
A histogram of private data is private data.';

CREATE FUNCTION dpsens.bar_chart(labels text[], numbers float8[], title text DEFAULT NULL)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_bar_chart'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.bar_chart(text[], float8[], text) IS
'Horizontal bars as SVG, of the contributions of columns for instance.
Errors: not as many labels as numbers; more than 100 of them.';
