-- plain_audit.sql
--	The rows of plain.sql, which reads this, about audits: each column of two audit
--	views, and all of them together, beside the same closed form written by hand;
--	functions of a row; and what is asked about an expression before there are rows.
\o /dev/null
CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, weight_kg float8 NOT NULL, height_cm float8 NOT NULL)
    WITH (autovacuum_enabled = off);
INSERT INTO people SELECT i, 18 + i * 37 % 82, 40 + i * 31 % 100, 140 + i * 29 % 70 FROM generate_series(1, :audit_rows) AS i;
VACUUM ANALYZE people;
CREATE TABLE ranges AS SELECT '{"age": [18, 100], "weight_kg": [20, 300], "height_cm": [100, 230]}'::jsonb AS ranges;
SELECT dpsens.protect('people', 'id');
SELECT dpsens.set_range('people', key, (value ->> 0)::float8, (value ->> 1)::float8) FROM ranges, jsonb_each(ranges);
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-5;

-- The second is as cheap by hand as an expression of two columns can be.
CREATE TABLE expressions AS
SELECT dpsens.register(name, 'people', expression) AS f, * FROM (VALUES
    (1, 'bmi_age', 'age * weight_kg / (height_cm / 100) ^ 2'),
    (2, 'product', 'age * weight_kg')) AS e (place, name, expression);
SELECT dpsens.create_audit_view(f) FROM expressions;

-- The closed forms are those of dpsens.gradient; noise is what explain says.
CREATE TABLE forms AS
SELECT e.name AS expression, e.expression AS value, g.name, g.sql, position
FROM expressions AS e, unnest(dpsens.expression_columns(f)) WITH ORDINALITY AS c (name, position), ranges,
    LATERAL dpsens.gradient(expression, (SELECT jsonb_object_agg(key, value) FROM jsonb_each(ranges) WHERE key = ANY (dpsens.expression_columns(f)))) AS g
WHERE g.name IN ('norm', c.name, 'normalized:' || c.name, 'partial:' || c.name);
CREATE TABLE columns (place serial, expression text, mechanism text, name text, by_hand text);
CREATE FUNCTION add_columns(expression_name text, f regprocedure) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    whole text := (SELECT format('(%s)', min(forms.value)) FROM forms WHERE expression = expression_name);
    norm_form text := (SELECT min(sql) FROM forms WHERE expression = expression_name AND name = 'norm');
    query text := format('SELECT dp_sum(%s) FROM people', f);
    sigma float8;
    scale float8;
BEGIN
    SET LOCAL dpsens.mechanism = laplace;
    scale := (SELECT noise_scale FROM dpsens.explain(query));
    SET LOCAL dpsens.mechanism = gaussian;
    sigma := (SELECT noise_scale FROM dpsens.explain(query));
    INSERT INTO columns (expression, name, by_hand) SELECT expression_name, 'value', whole;
    INSERT INTO columns (expression, name, by_hand)
    SELECT expression_name, 'gradient', format('ARRAY[%s]', string_agg(sql, ', ' ORDER BY position)) FROM forms WHERE expression = expression_name AND name !~ ':|norm';
    INSERT INTO columns (expression, name, by_hand) SELECT expression_name, 'gradient_norm', norm_form;
    INSERT INTO columns (expression, name, by_hand)
    SELECT expression_name, CASE WHEN name ~ ':' THEN replace(replace(name, 'normalized:', 'contribution_'), 'partial:', 'partial_') ELSE 'slope_' || name END, sql
    FROM forms WHERE expression = expression_name AND name <> 'norm'
    ORDER BY name ~ 'partial', name ~ 'normalized', position;
    INSERT INTO columns (expression, name, by_hand) SELECT expression_name, 'plis_' || name, format('2 * %s * (%s)', whole, sql)
    FROM forms WHERE expression = expression_name AND name !~ ':|norm' ORDER BY position;
    INSERT INTO columns (expression, mechanism, name, by_hand) VALUES
        (expression_name, 'gaussian', 'individual_loss', format('2 * %s ^ 2 / (2 * %s::float8 ^ 2)', whole, sigma)),
        (expression_name, 'gaussian', 'individual_epsilon', format('%1$s ^ 2 / (2 * %2$s::float8 ^ 2) + 2 * sqrt(%1$s ^ 2 / (2 * %2$s::float8 ^ 2) * %3$s::float8)', whole, sigma, -ln(1e-6))),
        (expression_name, 'gaussian', 'first_order_loss', format('2 * (%s) ^ 2 / (2 * %s::float8 ^ 2)', norm_form, sigma));
    INSERT INTO columns (expression, mechanism, name, by_hand) SELECT expression_name, 'gaussian', '*', string_agg(by_hand, ', ' ORDER BY place)
    FROM columns WHERE expression = expression_name;
    INSERT INTO columns (expression, mechanism, name, by_hand) VALUES
        (expression_name, 'laplace', 'individual_loss', format('ln(2::float8 / 3 * exp(abs(%1$s) / %2$s::float8) + 1::float8 / 3 * exp(-2 * abs(%1$s) / %2$s::float8))', whole, scale)),
        (expression_name, 'laplace', 'individual_epsilon', format('abs(%s) / %s::float8', whole, scale));
END$$;
SELECT add_columns(name, f) FROM expressions ORDER BY place;

INSERT INTO pairs (name, query, other, kind, settings)
SELECT format('audit of %s: %s', e.expression, CASE c.name WHEN '*' THEN 'all columns' ELSE concat_ws(', ', c.name, mechanism) END),
       format('SELECT %s FROM %I', c.name, c.expression || '_audit'), format('SELECT %s FROM people', by_hand), 'rows',
       jsonb_build_object('dpsens.mechanism', coalesce(mechanism, 'gaussian'))
FROM columns AS c JOIN expressions AS e ON e.name = c.expression ORDER BY c.place;
-- functions that are called with rows of the table
INSERT INTO pairs (name, query, other, kind)
SELECT format('%s(%s)', fn, expression), format('SELECT dpsens.%s(%L, p) FROM people AS p', fn, f),
       format('SELECT %s FROM people', (SELECT c.by_hand FROM columns AS c WHERE c.expression = e.name AND c.name = hand)), 'rows'
FROM expressions AS e, (VALUES (1, 'gradient_of', 'gradient'), (2, 'gradient_norm_of', 'gradient_norm')) AS fns (number, fn, hand) ORDER BY e.place, number;
INSERT INTO pairs (name, query, other, kind)
SELECT format('partial_sensitivity_of(%s)', expression), format('SELECT dpsens.partial_sensitivity_of(%L, p) FROM people AS p', f),
       format('SELECT ARRAY[%s] FROM people', (SELECT string_agg(sql, ', ' ORDER BY position) FROM forms WHERE forms.expression = e.name AND forms.name ~ 'partial')), 'rows'
FROM expressions AS e ORDER BY e.place;
-- certified bounds and closed forms of an expression, beside one evaluation of what is typed out
INSERT INTO pairs (name, query, other, kind, times, more, settings)
SELECT format('%s(%s), no memory', fn, expression), format('SELECT * FROM dpsens.%s(%L, %L)', fn, expression, used), 'SELECT 100 * 300 / (100::float8 / 100) ^ 2', 'serial', 20, 5,
       '{"dpsens.bracket_cache_size": "0"}'
FROM expressions AS e, ranges, unnest(ARRAY['sensitivity', 'gradient']) WITH ORDINALITY AS fns (fn, number),
    LATERAL (SELECT jsonb_object_agg(key, value) FROM jsonb_each(ranges) WHERE key = ANY (dpsens.expression_columns(f))) AS r (used)
ORDER BY e.place, number;
