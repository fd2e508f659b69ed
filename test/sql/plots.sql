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

SELECT dpsens.heatmap('{0,0.5,-1,NULL,Infinity}', 3, 'signs');

SELECT dpsens.scatter('{0,1,NULL,2}', '{-1,1,5,NaN}', '{1,3,2,4}', 'a < b', 'across & "x"', 'up');
SELECT dpsens.scatter('{}', '{}') ~ '<circle' AS no_points, dpsens.scatter('{3}', '{4}') ~ '<circle[^>]*fill="#3b6ea5"' AS one;
SELECT dpsens.scatter('{-1.7e308,1.7e308}', '{1.7e308,-1.7e308}', '{-1.7e308,1.7e308}') !~ 'nan|inf';

-- As text.
SELECT dpsens.bar_chart('{age,"a < b & c",a very long column name indeed,none,tiny}', '{0.5,-0.25,0.125,NULL,1e-9}', 'shares', format => 'ascii');
SELECT dpsens.histogram('{1,1,2,3,3,3,10,NULL,NaN,Infinity}', 'gradient norm', 12, 3, 'ascii');
SELECT dpsens.histogram('{5,5}', mark => 1, format => 'ascii');
SELECT dpsens.heatmap('{{0,0.5,-1},{NULL,Infinity,0.1}}', title => 'signs', format => 'ascii');
SELECT dpsens.heatmap((SELECT array_agg(sin(i / 10.0)) FROM generate_series(-39, 38) AS i), 78, 'one by one', 'ascii');
SELECT dpsens.scatter('{0,1,2,3,4,NULL}', '{0,1,2,3,4,5}', '{0,25,50,75,100,1000}', 'a diagonal', 'x', 'y', 'ascii');
SELECT dpsens.scatter('{0,0,0,1}', '{0,0,0,1}', format => 'ascii') ~ 'from \[\.\] 1 \[:\] 1.5 \[\*\] 2 \[#\] 2.5 points' AS how_many;
SELECT dpsens.contour('(x^2 + exp(2*y - x)) / 5', '{"x": [1, 2], "y": [0.5, 3]}', 'x', 'y', 'ascii');
SELECT dpsens.contour('sqrt(x) * y', '{"x": [-1, 1], "y": [0, 1]}', 'x', 'y', 'ascii') ~ '[?]';

-- Never wider than 80 columns, whatever the numbers.
SELECT max(length(line)) <= 80 AS fits, count(*) > 50 AS lines
FROM (VALUES ('{-1.23456e-300,-1.23456e300,1.23456e300}'::float8[]), ('{-1.23456e100,-1.23456e99}'), ('{-1e-5}'), ('{}')) AS n (numbers),
    unnest('{text,ascii}'::text[]) AS format,
    LATERAL (VALUES (dpsens.histogram(numbers, repeat('title ', 20), -1.2345e-100, 7, format)),
        (dpsens.bar_chart(array_fill(repeat('label ', 10), ARRAY[cardinality(numbers)]), numbers, repeat('title ', 20), format)),
        (dpsens.heatmap(numbers, 26, repeat('title ', 20), format)),
        (dpsens.heatmap(numbers, 2, repeat('title ', 20), format)),
        (dpsens.scatter(numbers, numbers, numbers, repeat('title ', 20), repeat('across ', 20), repeat('up ', 20), format)),
        (dpsens.contour('1.23456e99 * long_name_of_a_column ^ 3 + another ^ 2', '{"long_name_of_a_column": [-1.23456e-100, 1.23456e-9], "another": [-1.23456e30, 2]}',
                        'long_name_of_a_column', 'another', format))) AS f (figure),
    regexp_split_to_table(figure, '\n') AS line;

-- Every figure is well-formed XML.
SELECT bool_and(dpsens.bar_chart(labels, numbers)::xml IS DOCUMENT AND dpsens.histogram(numbers)::xml IS DOCUMENT
                AND dpsens.heatmap(numbers)::xml IS DOCUMENT AND dpsens.scatter(numbers, numbers, numbers, labels[1])::xml IS DOCUMENT)
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
SELECT dpsens.histogram('{1}', format => 'png');
SELECT dpsens.heatmap('{1}', 0);
SELECT dpsens.heatmap('{1}', 79, format => 'text');
SELECT dpsens.heatmap(array_fill(0.0, ARRAY[10001])::float8[], 100);
SELECT dpsens.scatter('{1,2}', '{1}');
SELECT dpsens.scatter('{1,2}', '{1,2}', '{1}');
SELECT dpsens.scatter(array_fill(0.0, ARRAY[10001])::float8[], array_fill(0.0, ARRAY[10001])::float8[]);
SELECT dpsens.scatter('{1}', '{1}', format => 'png');
SELECT dpsens.scatter(NULL, '{1}') IS NULL AS no_x, dpsens.scatter('{1}', NULL) IS NULL AS no_y, dpsens.scatter('{1}', '{1}', NULL) IS NULL AS no_numbers;
SELECT dpsens.bar_chart(NULL, '{1}') IS NULL AS nothing, dpsens.histogram(NULL) IS NULL AS either, dpsens.heatmap(NULL) IS NULL AS three;
