-- Figures: small ones whole, larger ones by what must be in them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;

\pset format unaligned
\pset tuples_only on
SELECT dpsens.bar_chart('{age,"a < b & c",a very long column name,none}', '{0.5,-0.25,0.125,NULL}', 'shares <i>');
SELECT dpsens.histogram('{1,1,2,3,3,3,10,NULL,NaN,Infinity}', 'gradient norm', 12, 3);
SELECT dpsens.histogram('{}') ~ '0 rows';
SELECT dpsens.histogram('{5,5}') ~ '2 rows';
SELECT dpsens.histogram('{-1.7e308,1.7e308}') !~ 'nan|inf';

-- Every figure is well-formed XML.
SELECT bool_and(dpsens.bar_chart(labels, numbers)::xml IS DOCUMENT AND dpsens.histogram(numbers)::xml IS DOCUMENT)
FROM (VALUES ('{}'::text[], '{}'::float8[]), ('{a}', '{0}'), (ARRAY[E'<>&"\'\b'], '{-1e-300}')) AS chart (labels, numbers);

\pset tuples_only off
CREATE TEMP TABLE figures AS
SELECT title, dpsens.contour(expression, ranges, 'x', 'y') AS svg
FROM (VALUES
    ('section 5.1', '(x^2 + exp(2*y - x)) / 5', '{"x": [1, 2], "y": [0.5, 3]}'::jsonb),
    ('flat', '3*x + 4*y', '{"x": [0, 1], "y": [0, 1]}'),
    ('constant', '42', '{"x": [0, 1], "y": [0, 1]}'),
    ('a third column', 'x*y*z', '{"x": [0, 1], "y": [0, 1], "z": [0, 9]}'),
    ('no K', 'CASE WHEN x < 0.5 THEN x ELSE 2*y END', '{"x": [0, 1], "y": [0, 1]}'),
    ('holes', 'sqrt(x) * y', '{"x": [-1, 1], "y": [0, 1]}')) AS f (title, expression, ranges);
SELECT title, svg::xml IS DOCUMENT AS well_formed, (regexp_match(svg, '>(K = [^<]*)<'))[1] AS k,
       svg ~ '<path' AS lines, svg ~ 'nan|inf' AS broken
FROM figures;

SELECT dpsens.contour('x + y', '{"x": [0, 1], "y": [0, 1]}', 'x', 'z');
SELECT dpsens.contour('x + y', '{"x": [0, 1], "y": [0, 1]}', 'x', 'x');
SELECT dpsens.contour('1/x + y', '{"x": [0, 0], "y": [0, 1]}', 'x', 'y');
SELECT dpsens.bar_chart('{a}', '{1,2}');
SELECT dpsens.histogram('{1}', bins => 0);
SELECT dpsens.bar_chart(NULL, '{1}') IS NULL AS nothing, dpsens.histogram(NULL) IS NULL AS either;
