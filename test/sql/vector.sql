-- Vectors: joint sensitivities of ARRAY[...], without a table.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
SET extra_float_digits = -4;
\set SHOW_CONTEXT never

-- On the unit circle no two points are further apart than 2, while each entry
-- alone moves by 2: parts do not add up.
SELECT quantity, round(lower::numeric, 5) AS lower, round(upper::numeric, 5) AS upper
FROM dpsens.sensitivity('ARRAY[cos(t), sin(t)]', '{"t": [0, 6.283185307179586]}');

-- A linear map: the norms of [[1, 2], [3, 4]] as an operator.
SELECT * FROM dpsens.sensitivity('ARRAY[a + 2*b, 3*a + 4*b]', '{"a": [0, 1], "b": [0, 1]}');

-- A share and the rest: always 1 in all.
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('ARRAY[x, 1 - x]', '{"x": [0, 1]}');

-- Weights, public columns, integers.
SELECT quantity, lower, upper FROM dpsens.sensitivity('ARRAY[p*a, p*b]', '{"p": {"range": [1, 3], "public": true}, "a": {"range": [0, 1], "weight": 0.5}, "b": [0, 1]}');
SELECT quantity, lower, upper, witness, note FROM dpsens.sensitivity('ARRAY[k, k*(7 - k)]', '{"k": {"range": [0, 7], "type": "integer"}}') WHERE quantity !~ 'metric';

-- Rows without a value in some entry add nothing at all.
SELECT quantity, lower, upper, note FROM dpsens.sensitivity('ARRAY[x, y]', '{"x": {"range": [5, 7], "nullable": true}, "y": [0, 1]}') WHERE quantity !~ 'l1|linf';
SELECT DISTINCT lower, upper, note FROM dpsens.sensitivity('ARRAY[x, NULL]', '{"x": [5, 7]}');

-- One entry is a number with all norms alike; constants do not move.
SELECT quantity, lower, upper FROM dpsens.sensitivity('ARRAY[x * y]', '{"x": [-1, 2], "y": [0, 3]}') WHERE quantity ~ 'l1|l2';
SELECT quantity, lower, upper FROM dpsens.sensitivity('ARRAY[3, 4]', '{}');

-- What has no bound says why, and which entry is to blame.
SELECT DISTINCT quantity ~ 'metric' AS metric, lower, upper, note FROM dpsens.sensitivity('ARRAY[y, 1/x]', '{"x": [-1, 1], "y": [0, 1]}') ORDER BY 1;
SELECT quantity, upper, note FROM dpsens.sensitivity('ARRAY[y, sqrt(x)]', '{"x": [0, 1], "y": [0, 1]}') WHERE quantity ~ 'l2';
SELECT quantity, upper, note FROM dpsens.sensitivity('ARRAY[y, floor(3*y)]', '{"y": [0, 1]}') WHERE quantity ~ 'l2';
SELECT quantity, upper, note FROM dpsens.sensitivity('ARRAY[1.7e308*x, 1.7e308*y]', '{"x": [-1, 1], "y": [0, 1]}') WHERE quantity ~ 'add_remove_l';
-- A search that ends early is valid but wide.
SELECT array_agg(lower ORDER BY quantity) AS reached FROM dpsens.sensitivity('ARRAY[sin(5*x*y) * cos(7*y), x*y]', '{"x": [0, 3], "y": [0, 3]}') WHERE quantity ~ 'l2$' \gset
SET dpsens.max_boxes = 3;
SELECT quantity, upper >= (:'reached'::float8[])[row_number() OVER (ORDER BY quantity)] AS valid, upper > 1.001 * lower AS wide, regexp_replace(note, '\d+', 'N') AS note
FROM dpsens.sensitivity('ARRAY[sin(5*x*y) * cos(7*y), x*y]', '{"x": [0, 3], "y": [0, 3]}') WHERE quantity ~ 'l2$' ORDER BY quantity;
RESET dpsens.max_boxes;

-- The Jacobian.
SELECT * FROM dpsens.gradient('ARRAY[a * w, a + w^2]', '{"a": {"range": [18, 100], "weight": 2}, "w": [30, 250]}');
SELECT name, sql FROM dpsens.gradient('ARRAY[p * w, "A b"]', '{"p": {"range": [0, 1], "public": true}, "w": [0, 1], "A b": [0, 1]}');

-- What is no vector.
SELECT * FROM dpsens.sensitivity('ARRAY[]', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[]::float8[]', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[ARRAY[x, y], ARRAY[y, x]]', '{"x": [0, 1], "y": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[[x], [x]]', '{"x": [0, 1]}');
SELECT * FROM dpsens.gradient('ARRAY[ARRAY[x, y]]', '{"x": [0, 1], "y": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[''a'', ''b'']', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[x, ''b'']', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[x > 0, true]', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[x, y]', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('''{1, 2}''::float8[]', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[x] || x', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[x, x] + 1', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('(ARRAY[x, x])[1]', '{"x": [0, 1]}');
SELECT * FROM dpsens.sensitivity('ARRAY[' || (SELECT string_agg('x', ', ') FROM generate_series(1, 17)) || ']', '{"x": [0, 1]}');
SELECT quantity, lower, upper FROM dpsens.sensitivity('ARRAY[' || (SELECT string_agg('x', ', ') FROM generate_series(1, 16)) || ']', '{"x": [0, 1]}') WHERE quantity ~ 'l2';
SELECT * FROM dpsens.evaluate('ARRAY[x, x]', '{"x": 1}');
SELECT dpsens.contour('ARRAY[x, y]', '{"x": [0, 1], "y": [0, 1]}', 'x', 'y');
