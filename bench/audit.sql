-- audit.sql
--	What each column of an audit view costs beside the same closed form written
--	by hand, and all of them together, on the same rows in the same session: the
--	two take turns, after a turn of each that is not counted.  One table; the same
--	as JSON in a file.
--
--	psql -v rows=1000000 -v result=build/bench/audit.json -f bench/audit.sql
--
-- Needs a database of its own and a server that preloads dpsens.
\set ON_ERROR_STOP 1
\set QUIET on
\if :{?rows}
\else
\set rows 1000000
\endif
\if :{?turns}
\else
\set turns 5
\endif
\if :{?result}
\else
\set result audit.json
\endif
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dpsens_bench CASCADE;
CREATE SCHEMA dpsens_bench;
SET search_path = dpsens_bench, public;
CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, weight_kg float8 NOT NULL, height_cm float8 NOT NULL)
    WITH (autovacuum_enabled = off);
INSERT INTO people SELECT i, 18 + i * 37 % 82, 40 + i * 31 % 100, 140 + i * 29 % 70 FROM generate_series(1, :rows) AS i;
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

CREATE FUNCTION milliseconds(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 ->> 'Execution Time';
END$$;
CREATE TABLE turns (turn int, place int, by_hand float8, view float8);
CREATE PROCEDURE run(turns int) LANGUAGE plpgsql AS $$
DECLARE
    c columns;
BEGIN
    FOR turn IN 0 .. turns LOOP
        FOR c IN SELECT * FROM columns ORDER BY place LOOP
            PERFORM set_config('dpsens.mechanism', coalesce(c.mechanism, 'gaussian'), false);
            INSERT INTO turns SELECT turn, c.place, milliseconds(format('SELECT %s FROM people', c.by_hand)),
                milliseconds(format('SELECT %s FROM %I', c.name, c.expression || '_audit'));
            COMMIT;
        END LOOP;
    END LOOP;
END$$;
CALL run(:turns);
CREATE VIEW medians AS
SELECT place, c.expression, mechanism, name, percentile_cont(0.5) WITHIN GROUP (ORDER BY t.by_hand) AS by_hand,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY view) AS view, min(view / t.by_hand) AS least, max(view / t.by_hand) AS most
FROM turns AS t JOIN columns AS c USING (place) WHERE turn > 0 GROUP BY place, c.expression, mechanism, name;

\o
\pset footer off
\echo :rows rows; milliseconds, medians of :turns turns; ratios of the medians and, in parentheses, the least and greatest of single turns
SELECT CASE lag(expression) OVER (ORDER BY place) WHEN expression THEN '' ELSE (SELECT e.expression FROM expressions AS e WHERE e.name = m.expression) END AS expression,
       CASE name WHEN '*' THEN 'all of them' ELSE concat_ws(', ', name, mechanism) END AS "column",
       round(by_hand::numeric, 1) AS "by hand", round(view::numeric, 1) AS view,
       format('%s (%s-%s)', round((view / by_hand)::numeric, 2), round(least::numeric, 2), round(most::numeric, 2)) AS ratio
FROM medians AS m ORDER BY place;

\t on
\pset format unaligned
\o :result
SELECT jsonb_pretty(jsonb_build_object('rows', :rows, 'version', version(), 'results',
       jsonb_agg(jsonb_build_object('expression', expression, 'column', name, 'mechanism', mechanism, 'by_hand_ms', by_hand, 'view_ms', view,
                                    'ratio', view / by_hand, 'ratio_least', least, 'ratio_most', most) ORDER BY place)))
FROM medians;
\o
DROP SCHEMA dpsens_bench CASCADE;
