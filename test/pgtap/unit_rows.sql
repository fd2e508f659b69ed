-- Units of several rows: limits on what counts, and the noise that follows.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA units_tap;
SET search_path = units_tap, public;
SELECT plan(132);

CREATE TYPE ward AS ENUM ('north', 'south', 'east', 'west');
CREATE TABLE visits (patient int, ward ward NOT NULL, kind text NOT NULL, cost float8 NOT NULL, rating numeric, note text);
-- patient 1: 40 rows; patient 2: 3; patient 3: 30 in one ward; 4 to 60: some; and rows without a patient
INSERT INTO visits SELECT 1, (ARRAY['north', 'south', 'east', 'west'])[1 + i % 4]::ward, 'k' || i % 2, i, i / 7.0, repeat('x', i * 100) FROM generate_series(1, 40) i;
INSERT INTO visits SELECT 2, 'east', 'k0', 10 * i, NULL, NULL FROM generate_series(1, 3) i;
INSERT INTO visits SELECT 3, 'west', 'k1', 50, 1.0 * i, 'same' FROM generate_series(1, 30) i;
INSERT INTO visits SELECT p, (ARRAY['north', 'south', 'east', 'west'])[1 + (p * i) % 4]::ward, 'k' || p % 2, (p * i * 13) % 101, (p * i) % 9, 'n'
    FROM generate_series(4, 60) p, generate_series(1, p % 9) i;
INSERT INTO visits SELECT NULL, 'south', 'k0', 5, 2, NULL FROM generate_series(1, 25);
CREATE TABLE strict_visits (patient int NOT NULL, ward ward NOT NULL, kind text NOT NULL, cost float8 NOT NULL, rating numeric, note text);
INSERT INTO strict_visits SELECT * FROM visits WHERE patient IS NOT NULL;
CREATE TABLE odd (patient json, cost float8 NOT NULL);
INSERT INTO odd VALUES ('{}', 1);

CREATE FUNCTION declare(adjacency text, m int DEFAULT NULL, mg int DEFAULT NULL, g int DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(r::regclass, 'patient', adjacency, coalesce(m, 0), coalesce(mg, 0), coalesce(g, 0)), dpsens.set_range(r::regclass, 'cost', 0, 100),
        dpsens.set_range(r::regclass, 'rating', 0, 10), dpsens.set_values(r::regclass, 'kind', 'k0', 'k1')
    FROM unnest(ARRAY['visits', 'strict_visits']) r;
END $$;
CREATE FUNCTION sensitivities(query text) RETURNS float8[] LANGUAGE sql AS $$ SELECT array_agg(sensitivity) FROM dpsens.explain(query) $$;
-- the scale of the noise in the value's unit
CREATE FUNCTION scales(query text) RETURNS numeric[] LANGUAGE sql AS $$ SELECT array_agg(round(noise_scale::numeric, 3)) FROM dpsens.explain(query) $$;
SET dpsens.epsilon = 1;

-- ---- what is declared ----

DO $$ BEGIN PERFORM declare('add_remove'); END $$;
SELECT throws_like('SELECT dp_count(*) FROM visits', '%nothing says how many rows of a unit%', 'nothing declared');
DO $$ BEGIN PERFORM declare('add_remove', mg => 2); END $$;
SELECT lives_ok('SELECT dp_count(*) FROM visits', 'one group has a limit');
SELECT throws_like('SELECT ward, dp_count(*) FROM visits GROUP BY ward', '%nothing says how many rows of a unit%', 'many have none');
DO $$ BEGIN PERFORM declare('add_remove', g => 2); END $$;
SELECT throws_like('SELECT dp_count(*) FROM visits', '%nothing says how many rows of a unit%', 'groups alone limit no rows');
SELECT throws_ok($$SELECT dpsens.protect('visits', 'patient', 'add_remove', -1)$$, '22023', 'max_rows must be between 1 and 1000000, or 0 for no limit', 'no rows');
SELECT throws_ok($$SELECT dpsens.protect('visits', 'patient', 'add_remove', NULL, 1000001)$$, '22023', 'max_rows_per_group must be between 1 and 1000000, or 0 for no limit', 'too many rows');
SELECT throws_ok($$SELECT dpsens.protect('visits', 'patient', 'add_remove', NULL, NULL, -1)$$, '22023', 'max_groups must be between 1 and 1000000, or 0 for no limit', 'too few groups');
SECURITY LABEL FOR dpsens ON TABLE visits IS 'protected max groups 3 max rows 7 max rows per group 2';
SELECT is(sensitivities('SELECT dp_count(*) FROM visits'), ARRAY[2::float8], 'a label says it, too');
SELECT is(sensitivities('SELECT ward, dp_count(*) FROM visits GROUP BY ward'), ARRAY[6::float8], 'a label says it, too, by group');
SELECT throws_like(format('SECURITY LABEL FOR dpsens ON TABLE units_tap.visits IS %L', label), 'syntax error % dpsens label%', label)
FROM unnest(ARRAY['PROTECTED MAX', 'PROTECTED MAX ROWS', 'PROTECTED MAX ROWS 0', 'PROTECTED MAX ROWS 1.5', 'PROTECTED MAX ROWS 2 MAX ROWS 3', 'PROTECTED MAX ROWS PER 3',
    'PROTECTED MAX ROWS 10000001', 'PROTECTED ROWS 5', 'MAX ROWS 5', 'PROTECTED MAX ROWS -4', 'PROTECTED MAX ROWS 99999999999999999999']) label;
DO $$ BEGIN PERFORM declare('metric', 3); END $$;
SELECT throws_ok('SELECT dp_count(*) FROM visits', '0A000', 'units of several rows are not supported under adjacency metric', 'metric');
DO $$ BEGIN PERFORM declare('attribute', 3); END $$;
SELECT throws_ok('SELECT dp_count(*) FROM visits', '0A000', 'units of several rows are not supported under adjacency attribute', 'attribute');
DO $$ BEGIN PERFORM dpsens.protect('odd', 'patient', 'add_remove', 3); END $$;
SELECT throws_like('SELECT dp_count(*) FROM odd', '%ordering operator%', 'units without an order');
DO $$ BEGIN PERFORM declare('add_remove', 3); END $$;
SELECT throws_ok('SELECT * FROM dpsens.row_plis(''visits'')', '0A000', 'of units of several rows neither susceptibilities nor losses by training are known', 'row_plis');

-- ---- the noise ----

CREATE TEMP TABLE factors (adjacency text, m int, mg int, g int, grouped boolean, l1 float8, l2 float8);
INSERT INTO factors VALUES
    ('add_remove', 5, NULL, NULL, false, 5, 5), ('add_remove', 5, NULL, NULL, true, 5, 5),
    ('add_remove', 100, 2, 9, true, 18, 6), ('add_remove', 100, 2, 9, false, 2, 2),
    ('add_remove', 8, 2, NULL, true, 8, 4), ('add_remove', NULL, 3, 4, true, 12, 6), ('add_remove', 10, 9, 2, true, 10, sqrt(90)),
    ('add_remove', 1, NULL, NULL, true, 1, 1), ('add_remove', 10000, NULL, NULL, true, 10000, 10000),
    ('replace', 5, NULL, NULL, false, 5, 5), ('replace', 5, NULL, NULL, true, 5, 5), ('replace', 100, 2, 9, true, 18, 6), ('replace', 20, 1, NULL, true, 20, sqrt(20));
CREATE FUNCTION noise(f factors) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
    query text := CASE WHEN f.grouped THEN 'SELECT kind, dp_sum(cost), dp_count(*) FROM visits GROUP BY kind' ELSE 'SELECT dp_sum(cost), dp_count(*) FROM visits' END;
    result numeric[];
BEGIN
    PERFORM declare(f.adjacency, f.m, f.mg, f.g);
    PERFORM set_config('dpsens.mechanism', 'laplace', true);
    result := scales(query);
    PERFORM set_config('dpsens.mechanism', 'gaussian', true), set_config('dpsens.delta', '1e-6', true);
    result := result || scales(query);
    PERFORM set_config('dpsens.mechanism', 'laplace', true);
    RETURN result;
END $$;
CREATE TEMP TABLE single AS SELECT adjacency, grouped, noise(ROW(adjacency, 1, 1, 1, grouped, 1, 1)::factors) FROM (SELECT DISTINCT adjacency, grouped FROM factors) a;
SELECT unnest(ARRAY[ok(abs(n[1] / s.noise[1] - l1) < 1e-3 * l1 AND abs(n[2] / s.noise[2] - l1) < 1e-3 * l1, format('Laplace: %s', f)),
    -- where a unit moves several answers, noise is that of one answer, but for what discreteness adds
    ok(least(n[3] / s.noise[3], n[4] / s.noise[4]) > l2 * (1 - 1e-3) AND
       greatest(n[3] / s.noise[3], n[4] / s.noise[4]) < l2 * (1 + 1e-3), format('Gaussian: %s', f))])
FROM factors f JOIN single s USING (adjacency, grouped), LATERAL (SELECT noise(f) AS n) x;

-- the integers that a unit moves at once, of which the accountants of Gaussian noise must know: those of each of its
-- groups, and of those that it leaves
CREATE FUNCTION integers(adjacency text, m int, mg int, g int) RETURNS bigint[] LANGUAGE plpgsql AS $$
BEGIN
    PERFORM declare(adjacency, m, mg, g), set_config('dpsens.mechanism', 'gaussian', true), set_config('dpsens.delta', '1e-6', true);
    PERFORM dp_variance(cost), dp_sum(ARRAY[cost, 100 - cost]) FROM visits GROUP BY kind;
    PERFORM set_config('dpsens.mechanism', 'laplace', true);
    RETURN (SELECT array_agg(n ORDER BY release) FROM (SELECT release, joined[1] AS n FROM dpsens.releases ORDER BY release DESC LIMIT 2) r);
END $$;
SELECT is(integers('add_remove', 6, 2, 3), '{9,6}', 'integers of three groups');
SELECT is(integers('add_remove', 5, NULL, 1), '{3,2}', 'integers of one group');
SELECT is(integers('replace', 6, 2, 3), '{18,12}', 'integers of three groups that give way to three others');

-- a value that changes can change which row counts, and so the group, though that is public
DO $$ BEGIN PERFORM declare('replace', 3); END $$;
SELECT is(sensitivities('SELECT kind, dp_count(*), dp_sum(cost) FROM visits GROUP BY kind'), '{6,600}', 'replace: from group to group');
SELECT dpsens.set_public('visits', 'kind');
SELECT is(sensitivities('SELECT kind, dp_count(*), dp_sum(cost) FROM visits GROUP BY kind'), '{6,600}', 'replace: of public groups, too');
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(cost) FROM visits'), '{3,300}', 'replace: but not without groups');
SELECT dpsens.clear('visits', 'kind');

-- and so the value, though that is public: of the two rows that take turns the one gives up
-- its value and the other one brings its own
CREATE TABLE fees (patient int NOT NULL, fee float8 NOT NULL, cost float8 NOT NULL, mood float8 NOT NULL, public_kind text NOT NULL, kind text NOT NULL);
CREATE TABLE absent (patient int NOT NULL);
INSERT INTO fees VALUES (1, 0, 0, 10, 'k0', 'k0'), (1, 100, 0, 90, 'k1', 'k0');
DO $$ BEGIN
    PERFORM dpsens.set_range('fees', c, 0, 100) FROM unnest('{fee,cost,mood}'::name[]) c;
    PERFORM dpsens.set_values('fees', c, 'k0', 'k1') FROM unnest('{kind,public_kind}'::name[]) c;
    PERFORM dpsens.set_public('fees', c) FROM unnest('{fee,public_kind}'::name[]) c;
END $$;
CREATE FUNCTION of_fees(adjacency text, condition text) RETURNS TABLE (answer text, of_public float8[], of_private float8[]) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('fees', unit => 'patient', adjacency => adjacency, max_rows => 1), dpsens.protect('absent', unit => 'patient', adjacency => adjacency, max_rows => 1);
    RETURN QUERY SELECT a, sensitivities(format('SELECT %s FROM fees f WHERE %s', format(a, 'fee', 'public_kind'), condition)),
        sensitivities(format('SELECT %s FROM fees f WHERE %s', format(a, 'cost', 'kind'), condition))
    FROM unnest('{dp_avg(%1$s),dp_median(%1$s),"dp_quantile(%1$s, ARRAY[0.2, 0.3, 0.4])",dp_variance(%1$s),dp_mode(%2$s),"dp_histogram(%1$s, 4)",dp_sum(%1$s - 50),dp_count(*)}'::text[]) a;
END $$;
SELECT is(of_public, of_private, format('the values of rows that take turns under replace, %s: %s', m, answer))
FROM unnest('{laplace,gaussian}'::text[]) m, set_config('dpsens.mechanism', m, true), of_fees('replace', 'mood > 50');
SELECT is(of_public, of_private, format('the values of rows that take turns under add_remove: %s', answer))
FROM of_fees('add_remove', 'mood > 50 OR NOT EXISTS (SELECT FROM absent a WHERE a.patient = f.patient)');
SELECT is(scales('SELECT dp_avg(fee), dp_histogram(fee, 4) FROM fees WHERE mood > 50'), '{111.111,1}', 'whoever is added brings one row');
DO $$ BEGIN PERFORM dpsens.protect('fees', unit => 'patient', adjacency => 'replace', max_rows => 1); END $$;
SELECT is(scales('SELECT dp_avg(fee), dp_histogram(fee, 4) FROM fees WHERE mood > 50'), '{200,2}', 'whoever is replaced gives up one and brings one');

-- ---- what counts ----

SET client_min_messages = error;
SET dpsens.noise = off;
CREATE TABLE limits (m int, mg int, g int);
INSERT INTO limits VALUES (1, NULL, NULL), (3, NULL, NULL), (1000, NULL, NULL), (NULL, 2, 2), (5, 2, 3), (7, 1, NULL), (100, 4, 1);
CREATE FUNCTION counted(m int, mg int, g int, relation text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    PERFORM declare('add_remove', m, mg, g);
    EXECUTE format('SELECT sum(n) FROM (SELECT dp_count(*) AS n FROM %s GROUP BY ward) q', relation) INTO n;
    RETURN n;
END $$;
-- with a limit of rows only, each unit has as many as it may
SELECT is(counted(m, mg, g, 'visits'),
    (SELECT sum(least(n, m))::bigint + 25 FROM (SELECT count(*) AS n FROM visits WHERE patient IS NOT NULL GROUP BY patient) q), format('rows that count: %s', m))
FROM limits WHERE mg IS NULL AND g IS NULL;
SELECT is(counted(m, mg, g, 'strict_visits') + 25, counted(m, mg, g, 'visits'), format('the same without NULLs: %s', limits)) FROM limits;

-- no unit passes its limits: asked for one unit at a time
CREATE FUNCTION of_unit(p int, m int, mg int, g int) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE n bigint[];
BEGIN
    PERFORM declare('add_remove', m, mg, g);
    EXECUTE format('SELECT array_agg(n) FROM (SELECT dp_count(*) AS n FROM visits WHERE patient = %s GROUP BY ward) q', p) INTO n;
    RETURN n;
END $$;
CREATE TEMP TABLE kept AS
SELECT p, m, mg, g, of_unit(p, m, mg, g) AS n, (SELECT array_agg(c) FROM (SELECT count(*) AS c FROM visits WHERE patient = p GROUP BY ward) q) AS there
FROM limits, generate_series(1, 30) p WHERE EXISTS (SELECT FROM visits WHERE patient = p);
SELECT is((SELECT count(*) FROM kept WHERE (SELECT sum(c) > m OR max(c) > mg OR count(*) FILTER (WHERE c > 0) > g FROM unnest(n) c)), 0::bigint, 'no unit passes its limits');
SELECT cmp_ok((SELECT count(*) FROM kept), '>', 150::bigint, 'many were asked');
SELECT is((SELECT count(*) FROM kept WHERE (SELECT sum(c) FROM unnest(n) c) = 0), 0::bigint, 'none is left out');
SELECT is((SELECT count(*) FROM kept WHERE m >= 1000 AND (SELECT sum(c) FROM unnest(n) c) <> (SELECT sum(c) FROM unnest(there) c)), 0::bigint, 'nor are rows within the limits');

-- which rows count does not depend on where they lie, nor on other units
CREATE FUNCTION answers(m int, mg int, g int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    PERFORM declare('add_remove', m, mg, g);
    SELECT string_agg(q::text, ';') INTO result FROM (
        SELECT kind, dp_sum(cost * 1.5), dp_avg(rating), dp_count(rating) FILTER (WHERE cost > 20), dp_count(*) FILTER (WHERE note LIKE 'x%') FROM visits GROUP BY kind
        UNION ALL SELECT 'all', dp_sum(cost), dp_avg(cost), 0, dp_count(*) FROM visits WHERE ward <> 'north') q;
    RETURN result;
END $$;
CREATE TEMP TABLE before AS SELECT *, answers(m, mg, g) AS answer FROM limits;
CREATE TABLE shuffled AS SELECT * FROM visits ORDER BY hashtext(ctid::text);
TRUNCATE visits;
INSERT INTO visits SELECT * FROM shuffled;
SELECT is(answers(m, mg, g), answer, format('rows in another order: %s %s %s', m, mg, g)) FROM before;
SET enable_hashagg = off;
SET enable_sort = off;
SELECT is(answers(m, mg, g), answer, format('another plan: %s %s %s', m, mg, g)) FROM before;
RESET enable_hashagg;
RESET enable_sort;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT is(answers(m, mg, g), answer, format('in parallel: %s %s %s', m, mg, g)) FROM before;
RESET max_parallel_workers_per_gather;

-- one unit more or less moves the exact sums by what the noise is for
CREATE FUNCTION moved(m int, mg int, g int, p int) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    here float8[];
    there float8[];
    query text := 'SELECT array_agg(s ORDER BY ward, kind) FROM (SELECT ward, kind, dp_sum(cost) AS s FROM visits GROUP BY ward, kind) q';
BEGIN
    PERFORM declare('add_remove', m, mg, g);
    EXECUTE query INTO here;
    CREATE TEMP TABLE away ON COMMIT DROP AS SELECT * FROM visits WHERE patient = p;
    DELETE FROM visits WHERE patient = p;
    EXECUTE query INTO there;
    INSERT INTO visits SELECT * FROM away;
    DROP TABLE away;
    RETURN (SELECT ARRAY[sum(abs(a - b)), sqrt(sum((a - b) ^ 2)), max(abs(a - b))] FROM unnest(here, there) u (a, b));
END $$;
CREATE TEMP TABLE moves AS SELECT m, mg, g, p, moved(m, mg, g, p) AS d FROM limits, unnest(ARRAY[1, 2, 3, 9, 35, 44, 53]) p;
SELECT is((SELECT count(*) FROM moves WHERE d[1] > 100 * least(m, g::float8 * mg) + 1e-6 OR d[3] > 100 * least(m, mg) + 1e-6
    OR d[2] > 100 * least(m, sqrt(least(m, g * mg)::float8 * mg), sqrt(g) * mg) + 1e-6), 0::bigint, 'no unit moves more than the noise is for');
SELECT cmp_ok((SELECT max(d[1]) FROM moves), '>', 500::float8, 'some do move');

-- views, subqueries, prepared statements
DO $$ BEGIN PERFORM declare('add_remove', 2); END $$;
CREATE VIEW dear AS SELECT cost / 2 AS half, ward FROM visits WHERE cost >= 50;
SELECT is((SELECT dp_count(*) FROM dear), (SELECT sum(least(n, 2))::bigint FROM (SELECT count(*) AS n FROM visits WHERE cost >= 50 GROUP BY patient) q), 'through a view');
SELECT is((SELECT dp_count(*) FROM (SELECT half FROM dear WHERE ward = 'east') s WHERE half > 30),
    (SELECT sum(least(n, 2))::bigint FROM (SELECT count(*) AS n FROM visits WHERE cost > 60 AND ward = 'east' GROUP BY patient) q), 'through two');
PREPARE cheaper AS SELECT dp_count(*) FROM visits WHERE cost < $1;
SET plan_cache_mode = force_generic_plan;
SELECT results_eq('EXECUTE cheaper(60)', 'SELECT sum(CASE WHEN patient IS NULL THEN n ELSE least(n, 2) END)::bigint FROM (SELECT patient, count(*) AS n FROM visits WHERE cost < 60 GROUP BY patient) q', 'prepared');
SELECT is((SELECT dp_count(*) FROM visits WHERE false), 0::bigint, 'no rows');
SELECT lives_ok('SELECT dp_median(cost) FROM visits WHERE regexp_like('''', ''a'')', 'no rows, where they are chosen one by one');

-- the same key, computed and stored: an OID is passed with other bits than it is read with
CREATE TABLE seen (patient int NOT NULL, is_new boolean NOT NULL, place oid);
INSERT INTO seen VALUES (1, true, 5), (1, false, 3000000000), (1, false, 3000000000), (2, false, 3000000000);
DO $$ BEGIN PERFORM dpsens.protect('seen', 'patient', max_rows_per_group => 1, max_groups => 3); END $$;
CREATE FUNCTION of_places(states text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    PERFORM set_config('dpsens.enable_group_states', states, true);
    EXECUTE 'SELECT string_agg(q::text, '';'') FROM (SELECT CASE WHEN is_new THEN 3000000000::oid ELSE place END, dp_count(*) FROM seen GROUP BY 1) q' INTO result;
    RETURN result;
END $$;
SELECT is(of_places(states), '(3000000000,2)', 'a computed key is the stored one: ' || states) FROM unnest('{on,off}'::text[]) states;
SELECT is((SELECT count(DISTINCT dpsens_internal.unit_order(CASE WHEN is_new THEN 3000000000::oid ELSE place END)) FROM seen), 1::bigint, 'in an order as well');

-- a unit that has one row by proof needs none of it
CREATE TABLE people (patient int PRIMARY KEY, cost float8 NOT NULL);
INSERT INTO people SELECT i, i % 100 FROM generate_series(1, 100) i;
DO $$ BEGIN PERFORM dpsens.protect('people', 'patient', 'add_remove', 5), dpsens.set_range('people', 'cost', 0, 100); END $$;
SELECT is(sensitivities('SELECT dp_sum(cost) FROM people'), ARRAY[100::float8], 'one row by proof');

-- an analyst without SELECT
CREATE ROLE units_tap_ana;
GRANT USAGE ON SCHEMA units_tap TO units_tap_ana;
DO $$ BEGIN PERFORM dpsens.grant_budget('visits', 'units_tap_ana', epsilon => 100000); END $$;
SET dpsens.noise = on;
SET dpsens.epsilon = 64;
SET ROLE units_tap_ana;
SELECT is((SELECT dp_count(*) FROM visits WHERE cost < 60), (SELECT 0) + (SELECT dp_count(*) FROM visits WHERE cost < 60 AND cost > -1), 'an analyst is answered');
SELECT is((SELECT sum(n)::bigint FROM (SELECT kind, dp_count(*) AS n, dp_sum(cost) FROM (SELECT * FROM visits WHERE cost >= 0) s GROUP BY kind) q),
    (SELECT dp_count(*) FROM visits), 'by group, too');
SELECT throws_ok('SELECT count(*) FROM visits', '42501', NULL, 'and nothing else');
RESET ROLE;

SELECT is(DISTINCT_charges, 0::bigint, 'charges are recomputed') FROM (SELECT count(*) FILTER (WHERE NOT valid) FROM dpsens.verify_ledger()) v (DISTINCT_charges);
SELECT * FROM finish();
DROP SCHEMA units_tap CASCADE;
DROP OWNED BY units_tap_ana;
DROP ROLE units_tap_ana;
