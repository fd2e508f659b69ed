-- What persons with several rows lose by a release: by hand, and by answers without noise of
-- tables that have one person less.
--
-- Charges are made by another process, so one transaction sees what it caused. The schema's name differs
-- from run to run: a table that is made again under its old name keeps its history.
-- Files: ledger/rows/unit_tally.c, ledger/rows/unit_sort.c, ledger/rows/meter.c, ledger/rows/row_history.c, audit/sql_row_loss.c, audit/accounted.c, audit/report/report_losses.c, guard/release/describe.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(96);

SELECT format('unit_loss_tap_%s_%s', pg_backend_pid(), floor(random() * 1e9)) AS schema \gset
CREATE SCHEMA :schema;
SET search_path = :schema, public;
CREATE FUNCTION declare(name text, adjacency text, m int, mg int, g int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(name::regclass, 'person', adjacency, coalesce(m, 0), coalesce(mg, 0), coalesce(g, 0)), dpsens.set_range(name::regclass, 'x', -5, 10),
        dpsens.set_range(name::regclass, 'y', 0, 10), dpsens.set_values(name::regclass, 'kind', 'u', 'v', 'w');
END $$;
CREATE FUNCTION make(name text, adjacency text, m int, mg int DEFAULT NULL, g int DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (person text, x float8 NOT NULL, y float8, kind text)', name);
    -- beyond the range, NULL, NaN, and keys that are not declared
    EXECUTE format($q$INSERT INTO %I VALUES ('a', 1, 1, 'u'), ('a', 2, NULL, 'v'), ('b', 10, 10, 'u'), ('b', 12, 10, 'u'), ('b', 10, 10, 'v'), ('b', 10, 10, 'w'), ('b', 10, 10, NULL),
        ('c', 10, 1, 'u'), ('c', -5, 'NaN', 'v'), ('c', -4, 2, 'z'), ('d', 0, NULL, 'w')$q$, name);
    PERFORM declare(name, adjacency, m, mg, g);
END $$;
-- what the units lose by a query on the table
CREATE FUNCTION lost(name text, query text, OUT epsilon float8[], OUT rho float8[]) LANGUAGE plpgsql AS $$
DECLARE
    epsilon_before float8[]; rho_before float8[]; answer record;
BEGIN
    SELECT array_agg(l.epsilon ORDER BY unit), array_agg(l.rho ORDER BY unit) INTO epsilon_before, rho_before FROM dpsens.row_loss(name::regclass) l WHERE unit IS NOT NULL;
    FOR answer IN EXECUTE format(query, name) LOOP NULL; END LOOP;
    SELECT array_agg(l.epsilon - epsilon_before[n] ORDER BY n), array_agg(l.rho - rho_before[n] ORDER BY n) INTO epsilon, rho
    FROM (SELECT *, row_number() OVER (ORDER BY unit) AS n FROM dpsens.row_loss(name::regclass) WHERE unit IS NOT NULL) l;
END $$;
CREATE FUNCTION about(have float8[], want float8[], description text) RETURNS text LANGUAGE sql AS $$
    SELECT ok(COALESCE((SELECT bool_and(h IS NOT NULL AND h BETWEEN w - 1e-9 AND w + 1e-9) AND count(*) > 0 FROM unnest(have, want) AS t (h, w)), false), description)
        || CASE WHEN COALESCE((SELECT bool_and(h BETWEEN w - 1e-9 AND w + 1e-9) FROM unnest(have, want) AS t (h, w)), false) THEN ''
            ELSE E'\n' || diag(format('have %s, want %s', have, want)) END
$$;
SET dpsens.epsilon = 1;

-- ---- by hand ----

-- three rows of 10 move a sum by 30
SELECT make('three', 'add_remove', 3);
SELECT about((lost('three', query)).epsilon, (SELECT array_agg(w / whole ORDER BY i) FROM unnest(want) WITH ORDINALITY t (w, i)), query) FROM (VALUES
    ('SELECT dp_sum(x) FROM %I', 30, '{3,30,10,0}'::float8[]),
    ('SELECT dp_sum(y) FROM %I', 30, '{1,30,3,0}'),
    ('SELECT dp_sum(x) FROM %I WHERE x < 0', 15, '{0,0,9,0}'),
    ('SELECT dp_sum(x) FROM %I WHERE kind = ''u''', 30, '{1,20,10,0}'),
    ('SELECT dp_sum(x) FILTER (WHERE kind = ''u'') FROM %I', 30, '{1,20,10,0}'),
    ('SELECT dp_count(*) FROM %I', 3, '{2,3,3,1}'),
    ('SELECT dp_count(y) FROM %I', 3, '{1,3,2,0}'),
    ('SELECT dp_count(*) FROM %I WHERE kind = ''v''', 3, '{1,1,1,0}'),
    -- the keys are not in the history: rows of all groups are added up
    ('SELECT kind, dp_sum(x) FROM %I GROUP BY kind', 30, '{3,30,19,0}'),
    ('SELECT kind, dp_count(*) FROM %I GROUP BY kind', 3, '{2,3,3,1}'),
    -- a pair of sums, and a second stage
    ('SELECT dp_avg(y) FROM %I', 3, '{1,3,2,0}'),
    -- conditions that cannot be kept may have selected any row
    ('SELECT dp_count(*) FROM %I WHERE length(kind) > 4', 3, '{2,3,3,1}'),
    ('SELECT dp_sum(x) FROM (SELECT x, kind AS k FROM %I WHERE person <> ''a'') s WHERE k = ''v''', 30, '{0,10,5,0}'),
    -- what an answer cost, where more is not known
    ('SELECT dp_sum(ARRAY[x, y]) FROM %I', 1, '{1,1,1,1}'),
    ('SELECT dp_median(y) FROM %I', 1, '{1,1,1,1}'),
    ('SELECT dp_count(*) FROM %I t JOIN (VALUES (''u''), (''v'')) v (k) ON t.kind = v.k', 1, '{1,1,1,1}')
) c (query, whole, want);

-- limits of a group, in the 2-norm: blocks of two of the largest
SELECT make('grouped', 'add_remove', 4, 2);
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
CREATE FUNCTION loses_rho(name text, query text, whole float8, want float8[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    have float8[] := (lost(name, query)).rho;
    r dpsens.release := (SELECT r FROM dpsens.release r WHERE r.relation = name::regclass ORDER BY release DESC LIMIT 1);
    -- the unit of what was released, by its sensitivity
    unit float8 := whole / r.sensitivities[1];
BEGIN
    RETURN about((SELECT array_agg(h * 2 ^ 40 / r.charge_rho ORDER BY i) FROM unnest(have) WITH ORDINALITY t (h, i)),
        (SELECT array_agg(((w / (r.scales[1] * unit)) ^ 2 / 2) / (r.charge_rho / 2 ^ 40) ORDER BY i) FROM unnest(want) WITH ORDINALITY t (w, i)), query);
END $$;
SELECT loses_rho('grouped', query, whole, want) FROM (VALUES
    ('SELECT kind, dp_sum(x) FROM %I GROUP BY kind', sqrt(800), ARRAY[3, sqrt(800), sqrt(15 ^ 2 + 4 ^ 2), 0]),
    ('SELECT kind, dp_count(*) FROM %I GROUP BY kind', sqrt(8), ARRAY[2, sqrt(8), sqrt(5), 1]),
    -- not more than two in the one group that there is
    ('SELECT dp_sum(x) FROM %I', 20, ARRAY[3, 20, 10, 0]),
    ('SELECT dp_count(*) FROM %I', 2, ARRAY[2, 2, 2, 1])
) c (query, whole, want);
SELECT is((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('grouped')), '{Infinity,Infinity,Infinity,Infinity}', 'no pure epsilon');
RESET dpsens.mechanism;
RESET dpsens.delta;

-- replace: three rows of another person, of values from -5 to 10, take their place
SELECT make('replaced', 'replace', 3);
SELECT about((lost('replaced', query)).epsilon, want, query || ', replace') FROM (VALUES
    ('SELECT dp_sum(x) FROM %I', ARRAY[30/45.0, 1, 39/45.0, 30/45.0]),
    ('SELECT dp_sum(y) FROM %I', '{1,1,1,1}'),
    ('SELECT dp_count(*) FROM %I', '{1,1,1,1}'),
    ('SELECT kind, dp_sum(x) FROM %I GROUP BY kind', '{1,1,1,1}'),
    ('SELECT dp_avg(x) FROM %I', '{1,1,1,1}')
) c (query, want);

-- a group of units is protected together; a unit's own loss is that of one
SELECT make('household', 'add_remove', 3);
DO $$ BEGIN PERFORM dpsens.protect('household', 'person', 'add_remove', 3, group_size => 2); END $$;
SELECT about((lost('household', query)).epsilon, want, query || ', of two') FROM (VALUES
    ('SELECT dp_sum(x) FROM %I', ARRAY[3/60.0, 30/60.0, 10/60.0, 0]),
    ('SELECT kind, dp_count(*) FROM %I GROUP BY kind', ARRAY[2/6.0, 3/6.0, 3/6.0, 1/6.0])
) c (query, want);

-- ---- what units are, and who is told ----

-- who has no unit is one by himself, and has no name
INSERT INTO three VALUES (NULL, 3, 3, 'u'), (NULL, 10, 3, 'u'), ('', 10, 3, 'u');
CREATE TEMP TABLE earlier AS SELECT unit, epsilon FROM dpsens.row_loss('three') WHERE unit IS NOT NULL;
SELECT is((SELECT count(*) FROM dpsens.row_loss('three') WHERE unit IS NULL), 2::bigint, 'rows without a unit');
SELECT is((SELECT count(*) FROM dpsens.row_loss('three') WHERE unit = ''), 1::bigint, 'an empty name is one');
SELECT is((SELECT count(DISTINCT epsilon) FROM dpsens.row_loss('three') WHERE unit IS NULL), 2::bigint, 'each lost what it lost');
SELECT is((SELECT bool_and(present AND releases > 0) FROM dpsens.row_loss('three')), true, 'all are there, and took part in something');
-- another limit is for later answers
DO $$ BEGIN PERFORM declare('three', 'add_remove', 30, NULL, NULL); END $$;
SELECT is_empty('SELECT unit, epsilon FROM dpsens.row_loss(''three'') WHERE unit IS NOT NULL EXCEPT SELECT * FROM earlier', 'another limit changes nothing of what was lost');
SELECT about((lost('three', 'SELECT dp_sum(x) FROM %I')).epsilon, (SELECT array_agg(w / 300 ORDER BY i) FROM unnest('{10,3,50,10,0}'::float8[]) WITH ORDINALITY t (w, i)), 'and is that of the next answer');
-- more rows never make it less
INSERT INTO three VALUES ('a', -1, 1, 'u'), ('b', -3, 1, 'w'), ('c', 0, NULL, NULL), ('d', -5, 0, 'u');
SELECT is_empty('SELECT FROM earlier e JOIN dpsens.row_loss(''three'') l USING (unit) WHERE l.epsilon < e.epsilon', 'rows that are added lose nothing back');
-- another column as the unit, no unit, and one row for each: what was lost then is paid in full
CREATE TEMP TABLE charged AS SELECT sum(charge_epsilon) / 2::float8 ^ 40 AS epsilon FROM dpsens.release WHERE relation = 'three'::regclass;
ALTER TABLE three ADD other text NOT NULL DEFAULT 'all';
DO $$ BEGIN PERFORM dpsens.protect('three', 'other', 'add_remove', 3); END $$;
SELECT about((SELECT array_agg(epsilon) FROM dpsens.row_loss('three')), (SELECT array_agg(epsilon) FROM charged), 'the unit is another column');
DO $$ BEGIN PERFORM dpsens.unprotect('three'), dpsens.protect('three'); END $$;
SELECT about((SELECT array_agg(epsilon) FROM dpsens.row_loss('three')), (SELECT array_agg(charged.epsilon) FROM three, charged), 'each row is a unit');
CREATE TABLE single (person int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO single VALUES (1, 5), (2, 10);
DO $$ BEGIN PERFORM dpsens.protect('single', 'person', 'add_remove', 2), dpsens.set_range('single', 'x', 0, 10); END $$;
SELECT dp_sum(x) IS NULL AS answered FROM single;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('single')), '{0.5,1}', 'one row each');
ALTER TABLE single DROP CONSTRAINT single_pkey;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('single')), '{1,1}', 'it is not known any more that units had one row');
SELECT dp_sum(x) IS NULL AS answered FROM single;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('single')), '{1.25,1.5}', 'of limited rows it is known what they were');
ALTER TABLE single ADD PRIMARY KEY (person);
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('single')), '{0.75,1.5}', 'one of a limited number is one');
ALTER TABLE single RENAME person TO somebody;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('single')), '{1.5,2}', 'units by another name');

SELECT throws_ok('SELECT * FROM dpsens.row_plis(''grouped'')', '0A000', 'of units of several rows neither susceptibilities nor losses by training are known', 'row_plis');
SELECT throws_ok('SELECT * FROM dpsens.row_training_loss(''grouped'')', '0A000', 'of units of several rows neither susceptibilities nor losses by training are known', 'row_training_loss');
CREATE TABLE numbered (person numeric NOT NULL, x float8 NOT NULL);
CREATE TABLE referring (person int REFERENCES single, x float8 NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('numbered', 'person', 'add_remove', 3), dpsens.protect('referring', 'person', 'add_remove', 3); END $$;
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''numbered'')', '0A000', 'losses of units of relation "numbered" are not accounted for', '1.0 and 1.00 are one person');
SELECT lives_ok('SELECT * FROM dpsens.row_loss(''referring'')', 'a foreign key that names the unit');
-- units of several columns: pairs whose texts would be alike if they were only strung together
CREATE TABLE pairs (a text, b text, n int, x float8 NOT NULL);
INSERT INTO pairs VALUES ('1,2', '3', 1, 10), ('1', '2,3', 1, 4), ('1', '2,3', 1, 4), ('1', '2,3', 2, 4), ('1', NULL, 1, 7), ('1', NULL, 1, 6), (NULL, '', 1, 5), ('', '', 1, 1), ('1\,2', '3', 1, 2);
DO $$ BEGIN PERFORM dpsens.protect('pairs', 'a, b, n', 'add_remove', 2), dpsens.set_range('pairs', 'x', 0, 10); END $$;
SELECT dp_sum(x) IS NULL AS answered FROM pairs;
SELECT results_eq('SELECT unit, round(epsilon::numeric, 6) FROM dpsens.row_loss(''pairs'') ORDER BY epsilon',
    $$VALUES (',,1', 0.05), ('1\\\,2,3,1', 0.1), ('1,2\,3,2', 0.2), (NULL, 0.25), (NULL, 0.3), (NULL, 0.35), ('1,2\,3,1', 0.4), ('1\,2,3,1', 0.5)$$, 'units of several columns, and rows that lack one of them');
DO $$ BEGIN PERFORM dpsens.protect('pairs', 'a, b', 'add_remove', 2); END $$;
SELECT about((SELECT array_agg(epsilon) FROM dpsens.row_loss('pairs')), (SELECT array_agg(1::float8) FROM generate_series(1, 7)), 'units of fewer columns are others');
CREATE TABLE dated (a int NOT NULL, b date NOT NULL, x float8 NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('dated', 'a, b', 'add_remove', 2); END $$;
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''dated'')', '0A000', 'losses of units of relation "dated" are not accounted for', 'the text of a date is not always the same');
ALTER TABLE pairs DROP COLUMN b;
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''pairs'')', '0A000', 'losses of units of relation "pairs" are not accounted for', 'a column of the unit is gone');
-- a unit by reference is another table's
CREATE TABLE stays (stay int PRIMARY KEY, person text);
CREATE TABLE meals (stay int REFERENCES stays, x float8 NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('stays', 'person', 'add_remove', 2), dpsens.protect('meals', 'stays.person', 'add_remove', 2); END $$;
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''meals'')', '0A000', 'losses of units of relation "meals" are not accounted for', 'a unit by reference');
SELECT matches(dpsens.report('grouped'), 'Quantiles of what persons have lost.*<th scope="row">epsilon</th><td class="number">4</td><td class="number">Infinity</td>.*<th scope="row">rho</th><td class="number">4</td>', 'quantiles in the report');
SELECT ok(html !~ 'Quantiles of what persons' AND html ~ 'follows from their rows, of which this page shows nothing', 'not in one without rows') FROM dpsens.report('grouped', false) AS html;
SELECT matches(dpsens.report('meals'), 'losses of units of relation &quot;meals&quot; are not accounted for', 'nor where they are not known');
CREATE ROLE unit_loss_tap_analyst;
GRANT USAGE ON SCHEMA :schema TO unit_loss_tap_analyst;
GRANT SELECT ON grouped TO unit_loss_tap_analyst;
SET ROLE unit_loss_tap_analyst;
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''grouped'')', '42501', NULL, 'who reads the table is not told');
RESET ROLE;

-- ---- by neighbouring tables ----

-- what may be lost by each unit's going, by answers without noise of tables with and without it
CREATE FUNCTION answers(query text, OUT k text, OUT v float8) RETURNS SETOF record LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE format(query, 'lesser'); END $$;
CREATE FUNCTION moved(query text, norm int) RETURNS TABLE (unit text, move float8) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('dpsens.noise', 'off', false);
    DELETE FROM lesser; INSERT INTO lesser SELECT * FROM many;
    CREATE TEMP TABLE everybody AS SELECT * FROM answers(query);
    FOR unit IN SELECT DISTINCT person FROM many LOOP
        DELETE FROM lesser; INSERT INTO lesser SELECT * FROM many WHERE person <> unit;
        SELECT CASE norm WHEN 1 THEN sum(abs(e.v - a.v)) ELSE sqrt(sum((e.v - a.v) ^ 2)) END INTO move FROM everybody e JOIN answers(query) a ON a.k IS NOT DISTINCT FROM e.k;
        RETURN NEXT;
    END LOOP;
    DROP TABLE everybody;
    PERFORM set_config('dpsens.noise', 'on', false);
END $$;
CREATE TABLE many (person text NOT NULL, x float8 NOT NULL, y float8, kind text);
SELECT setseed(0.25) \g /dev/null
INSERT INTO many SELECT 'p' || p, round((random() * 18 - 6)::numeric, 2), nullif(floor(random() * 12), 11), (ARRAY['u', 'v', 'w', NULL])[1 + floor(random() * 4)]
    FROM generate_series(1, 12) p, generate_series(1, 1 + (p * 7) % 9) i;
CREATE TABLE lesser (LIKE many INCLUDING ALL);
CREATE FUNCTION bounds(mechanism text, m int, mg int, g int, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    norm int := CASE mechanism WHEN 'laplace' THEN 1 ELSE 2 END;
    have record; least float8; wide bigint; answered dpsens.release;
BEGIN
    PERFORM declare('many', 'add_remove', m, mg, g), declare('lesser', 'add_remove', m, mg, g), set_config('dpsens.mechanism', mechanism, false);
    have := lost('many', query);
    answered := (SELECT r FROM dpsens.release r WHERE r.relation = 'many'::regclass ORDER BY release DESC LIMIT 1);
    -- how far a unit moves the answer, by its loss, over how far it does; explain() says the sensitivity in the answer's own unit
    SELECT min(moves - move), count(*) FILTER (WHERE moves > move * 1.5 + 1e-3) INTO least, wide
    FROM (SELECT move, CASE norm WHEN 1 THEN have.epsilon[n] * answered.scales[1] ELSE sqrt(2 * have.rho[n]) * answered.scales[1] END
            * (SELECT sensitivity FROM dpsens.explain(format(query, 'many'))) / answered.sensitivities[1] AS moves
          FROM (SELECT move, row_number() OVER (ORDER BY unit) AS n FROM moved(query, norm)) c) d;
    RETURN NEXT ok(least > -1e-5, format('%s %s: losses cover what persons move (%s) %s', mechanism, (m, mg, g), least, query));
    -- with limits that leave nothing out of sums of one sign they are what was moved
    IF m = 40 AND query !~ 'x|GROUP' THEN
        RETURN NEXT is(wide, 0::bigint, 'and say no more');
    END IF;
END $$;
DO $$ BEGIN PERFORM declare('many', 'add_remove', 3, NULL, NULL); END $$;
SELECT is((SELECT count(*) FROM unnest((lost('many', 'SELECT dp_count(*) FROM (SELECT person, sum(x) FROM %I GROUP BY person) s')).epsilon) e WHERE e BETWEEN 1 - 1e-9 AND 1 + 1e-9), 12::bigint,
    'a subquery that groups by the unit');
SET dpsens.delta = 1e-6;
-- that noise is off is warned of
SET client_min_messages = error;
SELECT bounds(mechanism, m, mg, g, query)
FROM unnest('{laplace,gaussian}'::text[]) mechanism, (VALUES (40, NULL, NULL), (3, NULL, NULL), (5, 2, NULL), (NULL, 2, 2)) l (m, mg, g),
    unnest(ARRAY['SELECT ''all''::text, dp_sum(x)::float8 FROM %I', 'SELECT ''all''::text, dp_sum(y)::float8 FROM %I WHERE x > 0', 'SELECT ''all''::text, dp_count(y)::float8 FROM %I',
        'SELECT kind, dp_sum(x)::float8 FROM %I GROUP BY kind', 'SELECT kind, dp_count(*)::float8 FROM %I GROUP BY kind']) query;

SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA :schema CASCADE;
DROP OWNED BY unit_loss_tap_analyst;
DROP ROLE unit_loss_tap_analyst;
