-- Closed forms that name what is used more than once: they are short enough for
-- the networks of section 5.2 of Müller et al. 2021, and say what the functions say.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(46);

CREATE FUNCTION pg_temp.near(a float8[], b float8[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT cardinality(a) = cardinality(b) AND bool_and(abs(x - y) <= 1e-9 * (SELECT max(abs(z)) FROM unnest(b) z) + 1e-300) FROM unnest(a, b) AS u (x, y)';
CREATE FUNCTION pg_temp.uniform(i bigint, k bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN ((hashint8extended(i, k) & 9007199254740991)::float8 + 0.5) / 9007199254740992;

SELECT dpsens.create_model('parts_tap text', '{"input": [5, 5], "loss": "binary_cross_entropy", "seed": 1, "layers": [{"type": "dense", "units": 8, "activation": "sigmoid"},
    {"type": "dense", "units": 8, "activation": "sigmoid"}, {"type": "dense", "units": 1, "activation": "sigmoid"}]}');
SELECT dpsens.create_model('parts_tap code', '{"input": [5, 5], "loss": "binary_cross_entropy", "seed": 1, "layers": [
    {"type": "dense", "units": 8, "activation": "sigmoid", "bias": "after"}, {"type": "dense", "units": 1, "activation": "sigmoid", "bias": false}]}');
SELECT dpsens.create_model('parts_tap choices', '{"input": 3, "loss": "huber", "seed": 5, "layers": [{"type": "dense", "units": 4, "activation": "relu"},
    {"type": "dense", "units": 3, "activation": "tanh"}, {"type": "dense", "units": 1}]}');
SELECT dpsens.create_model('parts_tap line', '{"input": 1, "loss": "binary_cross_entropy", "layers": [{"type": "dense", "units": 1, "activation": "sigmoid", "bias": false}]}');
SELECT dpsens.set_model_parameters('parts_tap line', '{2}');
SELECT dpsens.create_model('parts_tap wide', '{"input": 400, "loss": "squared", "seed": 1, "layers": [{"type": "dense", "units": 50, "activation": "tanh"}, {"type": "dense", "units": 1}]}');
CREATE TEMP TABLE examples AS
SELECT model, i AS example, array_agg(pg_temp.uniform(i, k) ORDER BY k) AS x, (i % 2)::float8 AS y
FROM (VALUES ('parts_tap text', 25), ('parts_tap code', 25), ('parts_tap choices', 3)) m (model, n), generate_series(1, 5) i, LATERAL generate_series(1, n) k GROUP BY model, i;

-- One statement over a table of the examples, with columns by the form's names.
CREATE FUNCTION pg_temp.written(model name, quantity text, format text, fixed boolean) RETURNS TABLE (example int, entries float8[]) LANGUAGE plpgsql AS $$
DECLARE
    columns text := (SELECT string_agg(format('x[%s] AS x%s', i, i), ', ' ORDER BY i) FROM examples e, generate_subscripts(e.x, 1) i WHERE e.model = written.model AND e.example = 1);
BEGIN
    IF NOT fixed THEN
        SELECT columns || ', ' || string_agg(format('%L::float8 AS %s', p, name), ', ') INTO columns
        FROM (SELECT p, CASE WHEN i < s.first_parameter + s.weight_count THEN format('w%s_%s_%s', s.layer, (i - s.first_parameter) / s.weights[2] + 1, (i - s.first_parameter) % s.weights[2] + 1)
                ELSE format('b%s_%s', s.layer, i - s.first_parameter - s.weight_count + 1) END AS name
              FROM unnest(dpsens.model_parameters(model)) WITH ORDINALITY u (p, i),
                  LATERAL (SELECT *, weights[1] * weights[2] AS weight_count FROM dpsens.model_summary(model) WHERE first_parameter <= i AND weights IS NOT NULL ORDER BY first_parameter DESC LIMIT 1) s) names;
    END IF;
    RETURN QUERY EXECUTE format('SELECT example, ARRAY[%s]::float8[] FROM (SELECT example, y, %s FROM examples WHERE model = %L) e', dpsens.closed_form(model, quantity, format, fixed), columns, model);
END$$;
CREATE FUNCTION pg_temp.computed(model name, quantity text, x float8[], y float8) RETURNS float8[] LANGUAGE sql AS $$
SELECT CASE quantity WHEN 'prediction' THEN dpsens.predict(model, x) WHEN 'loss' THEN ARRAY[dpsens.loss(model, x, y)]
    WHEN 'gradient' THEN dpsens.gradient(model, x, y) WHEN 'gradient_norm' THEN ARRAY[dpsens.gradient_norm(model, x, y)]
    WHEN 'partial_sensitivity' THEN dpsens.partial_sensitivity(model, x, y) WHEN 'plis' THEN dpsens.plis(model, x, y) END $$;
CREATE FUNCTION pg_temp.by_pixel(x float8[], y float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    result float8;
BEGIN
    EXECUTE format('SELECT %s FROM (SELECT %L::float8 AS x13) e', dpsens.closed_form('parts_tap text', 'partial_sensitivity', 'sql_parts', true,
        jsonb_build_object('y', y, 'features', (SELECT jsonb_agg(CASE WHEN i <> 13 THEN v END ORDER BY i) FROM unnest(x) WITH ORDINALITY u (v, i)))), x[13]) INTO result;
    RETURN result;
END$$;

SELECT ok(count(*) = 5 AND bool_and(pg_temp.near(ARRAY(SELECT unnest(w.entries)), pg_temp.computed(m.model, quantity, x, y))),
    m.model || ': ' || quantity || CASE WHEN fixed THEN ', parameters fixed' ELSE ', parameters named' END)
FROM (SELECT DISTINCT model FROM examples) m, unnest('{prediction,loss,gradient,gradient_norm,partial_sensitivity,plis}'::text[]) quantity, unnest('{t,f}'::boolean[]) fixed,
    LATERAL pg_temp.written(m.model, quantity, 'sql_parts', fixed) w, examples e
WHERE e.example = w.example AND e.model = m.model GROUP BY m.model, quantity, fixed ORDER BY m.model, quantity, fixed;
-- Without shared parts there is nothing to name.
SELECT is(dpsens.closed_form('parts_tap line', 'prediction', 'sql_parts'), dpsens.closed_form('parts_tap line', 'prediction', 'sql'), 'nothing is used twice');
SELECT is(dpsens.closed_form('parts_tap line', 'loss', 'sql_parts', true), '(WITH part1 AS MATERIALIZED (SELECT 2 * x1 AS s1) SELECT ln(1 + exp(s1)) - s1 * y FROM part1)', 'a name');
SELECT is(dpsens.closed_form('parts_tap line', 'loss', 'latex_parts', true), '\begin{aligned} & \ln\left(1 + e^{s_{1}}\right) - s_{1} \cdot y \\ \text{where } & s_{1} = 2 \cdot \mathit{x1} \end{aligned}', 'as LaTeX');
SELECT ok(bool_and(length(dpsens.closed_form(model, 'partial_sensitivity', format)) < 50000), 'the networks of the paper as ' || format)
FROM unnest('{sql_parts,latex_parts}'::text[]) format, unnest('{"parts_tap text","parts_tap code"}'::name[]) model GROUP BY format ORDER BY format;
-- Some inputs known.
SELECT ok(pg_temp.near(ARRAY[value], (dpsens.partial_sensitivity(model, x, y))[13:13]), 'by one pixel') FROM examples, LATERAL pg_temp.by_pixel(x, y) value WHERE model = 'parts_tap text' AND example = 1;
SELECT throws_ok($$SELECT dpsens.closed_form('parts_tap code', 'loss', 'parts')$$, '22023', 'unrecognized format "parts"', 'no such format');
SELECT throws_ok($$SELECT dpsens.closed_form('parts_tap wide', 'gradient', 'sql_parts', true)$$, '54000', 'gradient of this model is too large to be written out', 'too large with names, too');
-- The formulas of dpsens.gradient that are too long otherwise, beside their values, also
-- with columns that have such names.
CREATE FUNCTION pg_temp.formula(product text, wanted text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    formula text := (SELECT sql FROM dpsens.gradient(product, '{"s1": [0, 1], "b": [0, 1]}') WHERE name = wanted);
    result float8;
BEGIN
    EXECUTE format('SELECT %s FROM (SELECT 0.3::float8 AS s1, 0.6::float8 AS b) e', formula) INTO result;
    RETURN result;
END$$;
CREATE TEMP TABLE long AS SELECT string_agg(format('(1 + sin(s1 * %s) * b / %s)', k, k), ' * ') AS product FROM generate_series(1, 40) k;
SELECT ok(bool_or(sql ~ 'AS ss1') AND bool_and(sql IS NOT NULL AND latex IS NOT NULL), 'long formulas') FROM long, dpsens.gradient(product, '{"s1": [0, 1], "b": [0, 1]}');
SELECT ok(pg_temp.near(ARRAY[pg_temp.formula(product, 'partial:b'), pg_temp.formula(product, 'partial:s1')], e.partial_sensitivity), 'and what they are')
FROM long, dpsens.evaluate(product, '{"s1": 0.3, "b": 0.6}') e;
SELECT * FROM finish();
ROLLBACK;
