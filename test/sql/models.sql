-- Models as users meet them, mistakes included.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;

SELECT dpsens.create_model('regress_bars', '{"input": [5, 5], "seed": 1, "loss": "binary_cross_entropy", "layers": [
    {"type": "dense", "units": 8, "activation": "sigmoid", "bias": "after"},
    {"type": "dense", "units": 1, "activation": "sigmoid", "bias": false}]}');
SELECT dpsens.create_model('regress_digits', '{"input": [1, 28, 28], "loss": "categorical_cross_entropy", "layers": [
    {"type": "conv2d", "filters": 16, "kernel": 8, "stride": 2, "padding": 3, "activation": "tanh"}, {"type": "max_pool", "kernel": 2, "stride": 1},
    {"type": "conv2d", "filters": 32, "kernel": 4, "stride": 2, "activation": {"type": "tempered_sigmoid", "scale": 1.58, "temperature": 3, "offset": 0.71}},
    {"type": "average_pool", "kernel": [2, 2], "stride": 1}, {"type": "dense", "units": 32, "activation": "relu"},
    {"type": "dense", "units": 10, "activation": "softmax"}]}');
SELECT name, parameters FROM dpsens.models WHERE name LIKE 'regress%' ORDER BY name;
SELECT * FROM dpsens.model_summary('regress_bars');
SELECT * FROM dpsens.model_summary('regress_digits');

\pset format unaligned
\pset tuples_only on
SELECT dpsens.closed_form('regress_bars', 'prediction');
SELECT dpsens.closed_form('regress_bars', 'gradient');
SELECT dpsens.closed_form('regress_bars', 'gradient_norm');
-- Of a larger one the lines are more, not longer.
SELECT quantity, count(*) BETWEEN 20 AND 400 AS lines, max(length(line)) < 90 AS short
FROM unnest(ARRAY['loss', 'gradient', 'gradient_norm', 'partial_sensitivity', 'plis', 'feature_gradient']) quantity,
    regexp_split_to_table(dpsens.closed_form('regress_digits', quantity), '\n') line GROUP BY quantity ORDER BY quantity;
\pset tuples_only off
\pset format aligned

-- An image's partial sensitivities as a figure.
SELECT count(*) AS lines FROM regexp_split_to_table(dpsens.heatmap(dpsens.partial_sensitivity('regress_bars',
    (SELECT array_agg(i / 25.0) FROM generate_series(1, 25) i), 1), 5, format => 'ascii'), '\n');

-- Mistakes in a definition.
CREATE FUNCTION pg_temp.try(definition jsonb) RETURNS void LANGUAGE sql AS $$ SELECT dpsens.create_model('regress_wrong', definition) $$;
SELECT pg_temp.try('[]');
SELECT pg_temp.try('{"inputs": 5}');
SELECT pg_temp.try('{"layers": [], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [], "loss": "squared"}');
SELECT pg_temp.try('{"input": [1, 2, 3, 4], "layers": [{"type": "dense", "units": 1}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 0, "layers": [{"type": "dense", "units": 1}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [5], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "lstm"}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense"}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1.5}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1, "kernel": 3}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1, "bias": "before"}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1, "activation": "swish"}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1, "activation": {"type": "tanh", "scale": 2}}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1, "activation": {"type": "tempered_sigmoid", "temperature": 0}}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1}]}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1}], "loss": "hinge"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1}], "loss": {"delta": 2}}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1}], "loss": "squared", "seed": -1}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1}, {"type": "max_pool", "kernel": 2}], "loss": "squared"}');
SELECT pg_temp.try('{"input": [5, 5], "layers": [{"type": "dense", "units": 1}, {"type": "conv2d", "filters": 1, "kernel": 2}], "loss": "squared"}');
SELECT pg_temp.try('{"input": [5, 5], "layers": [{"type": "conv2d", "filters": 1, "kernel": 6}], "loss": "squared"}');
SELECT pg_temp.try('{"input": [5, 5], "layers": [{"type": "conv2d", "filters": 1, "kernel": [2, 3], "padding": 2}], "loss": "squared"}');
SELECT pg_temp.try('{"input": 5, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "categorical_cross_entropy"}');
SELECT pg_temp.try('{"input": 100000, "layers": [{"type": "dense", "units": 100000}], "loss": "squared"}');

-- And in the use of a model.
SELECT dpsens.predict('regress_none', '{1}');
SELECT dpsens.predict('regress_bars', '{1}');
SELECT dpsens.loss('regress_bars', array_fill(0.5::float8, ARRAY[5, 5]), '{1,0}'::float8[]);
SELECT dpsens.plis('regress_bars', array_fill(0.5::float8, ARRAY[5, 5]), 1, 0);
SELECT dpsens.plis('regress_bars', array_fill(0.5::float8, ARRAY[5, 5]), 1, clip => -1);
SELECT dpsens.closed_form('regress_bars', 'entropy');
SELECT dpsens.create_model('regress_wide', '{"input": 1025, "layers": [{"type": "dense", "units": 2}], "loss": "squared"}');
SELECT dpsens.fil('regress_wide', array_fill(0::float8, ARRAY[1025]), '{0,0}'::float8[]);
SELECT dpsens.loss('regress_wide', array_fill(0::float8, ARRAY[1025]), 0);

SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'regress%';
SELECT dpsens.drop_model('regress_bars');
