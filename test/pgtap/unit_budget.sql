-- Accounts of persons with several rows: who has lost too much is left out with all rows, silently, and
-- what was lost by rows that have changed, or are gone, is kept.
--
-- A count with epsilon 64 of at most three rows a person is off with a probability below 2e-9: it tells who takes
-- part. About 40 of them are made here, so the false-alarm rate is below 1e-7.
-- Files: ledger/rows/spent_units.c, ledger/rows/rows_of_unit.c, ledger/rows/sql_freeze.c, ledger/rows/frozen.c, ledger/rows/row_accounts.c, guard/release/individual.c, glue/constraint/unit_index.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(66);

SELECT format('unit_budget_tap_%s_%s', pg_backend_pid(), floor(random() * 1e9)) AS schema \gset
CREATE SCHEMA :schema;
SET search_path = :schema, public;
CREATE ROLE unit_budget_tap_analyst;
CREATE ROLE unit_budget_tap_clerk;
GRANT USAGE ON SCHEMA :schema TO unit_budget_tap_analyst, unit_budget_tap_clerk;
CREATE FUNCTION make(name text, m int DEFAULT 3) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id int PRIMARY KEY, person text NOT NULL, x float8 NOT NULL, k text)', name);
    EXECUTE format('CREATE INDEX ON %I (person, id)', name);
    -- person i has i rows of value 2, of both kinds
    EXECUTE format('INSERT INTO %I SELECT 10 * i + j, ''p'' || i, 2, CASE WHEN j %% 2 = 1 THEN ''u'' ELSE ''v'' END FROM generate_series(1, 4) i, generate_series(1, i) j', name);
    PERFORM dpsens.protect(name::regclass, 'person', 'add_remove', m), dpsens.set_range(name::regclass, 'x', 0, 10), dpsens.set_values(name::regclass, 'k', 'u', 'v'),
        dpsens.set_values(name::regclass, 'person', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6');
    EXECUTE format('GRANT SELECT ON %I TO unit_budget_tap_analyst', name);
    EXECUTE format('GRANT SELECT (id), INSERT, DELETE, UPDATE ON %I TO unit_budget_tap_clerk', name);
END $$;
-- how many rows of each person count; a person loses 64 by three of them
CREATE FUNCTION present(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    n text;
BEGIN
    EXECUTE format('SELECT string_agg(n::text, '' '' ORDER BY person) FROM (SELECT person, dp_count(true, 64) AS n FROM %I GROUP BY person) s', name) INTO n;
    RETURN n;
END $$;
CREATE FUNCTION losses(name text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s:%s%s', unit, round(epsilon::numeric, 4)::float8, CASE WHEN present THEN '' ELSE ' gone' END), ', ' ORDER BY unit) FROM dpsens.row_loss(name::regclass)
$$;
SET dpsens.epsilon = 1;

-- ---- who is left out ----

SELECT make('t');
SELECT lives_ok($$SELECT dpsens.set_budget('t', row_epsilon => 65)$$, 'accounts of units of several rows');
SELECT results_eq($$SELECT relation::text, unit, row_epsilon FROM dpsens.row_budgets WHERE relation = 't'::regclass$$, $$VALUES ('t', 'person pg_catalog.text', 65::float8)$$, 'are shown');
SELECT dp_sum(x) IS NULL AS answered FROM t;
SELECT is(losses('t'), 'p1:0.0667, p2:0.1333, p3:0.2, p4:0.2', 'three rows of 10 would lose 1');
SELECT is(present('t'), '1 2 3 3 0 0', 'all take part');
SELECT is(losses('t'), 'p1:21.4, p2:42.8, p3:64.2, p4:64.2', 'and each loses by his rows');
SELECT is(present('t'), '1 0 0 0 0 0', 'who would pass the cap is left out, with all rows');
SELECT is((SELECT dp_count(true, 64) FROM t WHERE id = 31), 0::bigint, 'also where one row alone is asked about');
SELECT is(losses('t'), 'p1:42.7333, p2:85.4667, p3:149.5333, p4:128.2', 'what one is left out of counts all the same');
SELECT is((SELECT dp_count(true, 64) FROM t), 1::bigint, 'who fits takes part');
SELECT is((SELECT dp_count(true, 64) FROM t), 0::bigint, 'until nobody is left');
SELECT make('grouped');
DO $$ BEGIN PERFORM dpsens.set_budget('grouped', row_epsilon => 45); END $$;
SELECT is((SELECT array_agg(n ORDER BY k) FROM (SELECT k, dp_count(true, 64) AS n FROM grouped GROUP BY k) s), '{2,1}', 'groups: those of one row and of two');
SELECT is((WITH w AS (SELECT id AS i FROM (SELECT * FROM grouped) s WHERE k = 'u') SELECT dp_count(true, 0.003) IS NULL FROM w), false, 'views, subqueries, WITH');
SELECT throws_ok('SELECT id, dp_count(*) FROM grouped GROUP BY id', '0A000', NULL, 'no selection of groups');
-- rows are sorted where limits are large, and persons left out alike
SELECT make('wide', 1025);
INSERT INTO wide SELECT 1000 * p + i, 'p' || p, 1, 'u' FROM (VALUES (2, 500), (3, 1000)) n (p, n), generate_series(100, 99 + n) i;
DO $$ BEGIN PERFORM dpsens.set_budget('wide', row_epsilon => 65); END $$;
SELECT is((SELECT dp_count(true, 64) BETWEEN 1160 AND 1860 FROM wide), true, 'all');
SELECT is((SELECT dp_count(true, 64) BETWEEN 150 AND 860 FROM wide), true, 'who has 500 rows, which have lost 62.5 with this');
SELECT is((SELECT dp_count(true, 64) < 355 FROM wide), true, 'none of them');

-- rho
SELECT make('concentrated');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
DO $$ BEGIN PERFORM dpsens.set_budget('concentrated', row_rho => 0.02); END $$;
SELECT dp_count(*) IS NULL AS gaussian FROM concentrated;
SELECT is((SELECT array_agg(rho < 0.02 ORDER BY unit) FROM dpsens.row_loss('concentrated')), '{t,t,f,f}', 'only those of most rows have lost that much');
RESET dpsens.mechanism;
RESET dpsens.delta;

-- ---- changed rows ----

SELECT make('f');
DO $$ BEGIN PERFORM dpsens.set_budget('f', row_epsilon => 1000); END $$;
SELECT dp_sum(x) IS NULL AS first FROM f;
SELECT is(losses('f'), 'p1:0.0667, p2:0.1333, p3:0.2, p4:0.2', 'before');
UPDATE f SET x = 0 WHERE id = 21;
SELECT is(losses('f'), 'p1:0.0667, p2:0.1333, p3:0.2, p4:0.2', 'an update forgets nothing');
SELECT dp_sum(x) IS NULL AS second FROM f;
SELECT is(losses('f'), 'p1:0.1333, p2:0.2, p3:0.4, p4:0.4', 'the new row counts from then on');
DELETE FROM f WHERE person IN ('p3', 'p4') AND id <> 41;
SELECT is(losses('f'), 'p1:0.1333, p2:0.2, p3:0.4 gone, p4:0.4', 'nor does a delete, of several rows of a person at once');
SELECT dp_sum(x) IS NULL AS third FROM f;
SELECT is(losses('f'), 'p1:0.2, p2:0.2667, p3:0.4 gone, p4:0.4667', 'what is left counts');
INSERT INTO f VALUES (31, 'p3', 10, 'u'), (32, 'p3', 10, 'u'), (51, 'p5', 10, 'u'), (52, 'p5', 4, 'u'), (12, 'p1', 10, 'u');
SELECT is(losses('f'), 'p1:0.2, p2:0.2667, p3:0.4, p4:0.4667, p5:0', 'rows that come later have lost nothing before');
SELECT dp_sum(x) IS NULL AS fourth FROM f;
SELECT is(losses('f'), 'p1:0.6, p2:0.3333, p3:1.0667, p4:0.5333, p5:0.4667', 'and count then');
INSERT INTO f VALUES (53, 'p5', 10, 'v') ON CONFLICT (id) DO UPDATE SET x = 10;
INSERT INTO f VALUES (53, 'p5', 10, 'v') ON CONFLICT (id) DO UPDATE SET x = 0;
SELECT dp_sum(x) IS NULL AS fifth FROM f;
SELECT is(losses('f'), 'p1:1, p2:0.4, p3:1.7333, p4:0.6, p5:0.9333', 'ON CONFLICT DO UPDATE');
-- another person's row: the one who had it keeps what was lost; who has it now has lost no less than with it
UPDATE f SET person = 'p2' WHERE id = 12;
SELECT is((SELECT epsilon FROM dpsens.row_loss('f') WHERE unit = 'p1') >= 1, true, 'who gave a row away');
SELECT is((SELECT epsilon FROM dpsens.row_loss('f') WHERE unit = 'p2') >= 0.4, true, 'who got it');
CREATE TEMP TABLE at AS SELECT unit, epsilon FROM dpsens.row_loss('f');
BEGIN;
UPDATE f SET x = 3;
UPDATE f SET x = 4;
DELETE FROM f WHERE person = 'p4';
INSERT INTO f VALUES (44, 'p4', 1, 'u');
SAVEPOINT s;
DELETE FROM f WHERE person = 'p5';
ROLLBACK TO s;
SELECT throws_ok('SELECT dp_count(*) FROM f', '55000', 'a private answer needs rows that are committed', 'nothing is answered from changes that may not come to be');
ROLLBACK TO s;
COMMIT;
SELECT results_eq('SELECT unit, round(epsilon::numeric, 6) FROM dpsens.row_loss(''f'') ORDER BY unit', 'SELECT unit, round(epsilon::numeric, 6) FROM at ORDER BY unit', 'several changes in one transaction, one of them undone');
SELECT dp_sum(x) IS NULL AS sixth FROM f;
SELECT results_eq('SELECT l.unit, round((l.epsilon - at.epsilon)::numeric, 4) FROM dpsens.row_loss(''f'') l JOIN at USING (unit) ORDER BY unit',
    $$VALUES ('p1', 0.1333), ('p2', 0.4), ('p3', 0.2667), ('p4', 0.0333), ('p5', 0.4)$$, 'rows as they are');
-- functions that ask amid a statement, whose rows nobody has counted yet
CREATE FUNCTION ask_within() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dp_count(true, 1) FROM f); END $$;
CREATE FUNCTION ask_before() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM ask_within(); RETURN NEW; END $$;
SELECT throws_ok('INSERT INTO f VALUES (71, ''p1'', 10, ''u''), (72, ''p7'', 10, ''u'') RETURNING ask_within()', '55000', 'a private answer needs rows that are committed', 'RETURNING');
CREATE TRIGGER a BEFORE INSERT ON f FOR EACH ROW EXECUTE FUNCTION ask_before();
SELECT throws_ok('INSERT INTO f VALUES (71, ''p1'', 10, ''u''), (72, ''p7'', 10, ''u'')', '55000', 'a private answer needs rows that are committed', 'triggers');
DROP TRIGGER a ON f;
ALTER TABLE f ALTER x SET DEFAULT ask_within();
SELECT throws_ok('INSERT INTO f (id, person) VALUES (71, ''p1''), (72, ''p7'')', '55000', 'a private answer needs rows that are committed', 'defaults');
ALTER TABLE f ALTER x DROP DEFAULT;
SELECT throws_ok('UPDATE f SET x = ask_within()', '55000', 'a private answer needs rows that are committed', 'UPDATE');
SELECT throws_ok('WITH w AS (DELETE FROM f RETURNING id) SELECT ask_within() FROM w', '55000', 'a private answer needs rows that are committed', 'WITH');
BEGIN;
SAVEPOINT s;
INSERT INTO f VALUES (71, 'p1', 10, 'u');
ROLLBACK TO s;
SELECT lives_ok('SELECT ask_within()', 'what is undone is not in the way');
COMMIT;
-- who may change rows and read none of them; policies hide rows from who changes others
ALTER TABLE f ENABLE ROW LEVEL SECURITY;
CREATE POLICY one ON f TO unit_budget_tap_clerk USING (id = 51);
CREATE TEMP TABLE hidden AS SELECT unit, epsilon FROM dpsens.row_loss('f');
SET ROLE unit_budget_tap_clerk;
DELETE FROM f WHERE id IN (51, 52);
RESET ROLE;
SELECT is((SELECT count(*) FROM f WHERE person = 'p5'), 2::bigint, 'one row was removed, and two are hidden from the remover');
SELECT results_eq('SELECT unit, round(epsilon::numeric, 6) FROM dpsens.row_loss(''f'') ORDER BY unit', 'SELECT unit, round(epsilon::numeric, 6) FROM hidden ORDER BY unit', 'the loss of all of them is kept');
-- without an index nothing is answered, and nothing is lost
DO $$ BEGIN EXECUTE format('DROP INDEX %s', (SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'f'::regclass AND NOT indisprimary)); END $$;
DELETE FROM f WHERE person = 'p3';
SELECT is((SELECT round(l.epsilon::numeric, 6) = round(h.epsilon::numeric, 6) AND NOT present FROM dpsens.row_loss('f') l JOIN hidden h USING (unit) WHERE unit = 'p3'), true, 'changes without an index');
SELECT throws_ok('SELECT dp_count(*) FROM f', '55000', 'the rows of relation "f" cannot have accounts of their own', 'nor answers');
SELECT throws_ok('TRUNCATE f', '55000', 'cannot truncate relation "f": its rows have accounts of their own', 'nor TRUNCATE');

-- a row comes to another person: what that one had lost is kept before the row counts, whoever names the person
SELECT make('moved');
DO $$ BEGIN PERFORM dpsens.set_budget('moved', row_epsilon => 1000); END $$;
SELECT dp_sum(x) IS NULL AS answered FROM moved;
UPDATE moved SET person = 'p5' WHERE id = 31;
SELECT is(losses('moved'), 'p1:0.0667, p2:0.1333, p3:0.2, p4:0.2, p5:0', 'not what another one lost by the row');
CREATE FUNCTION name_person() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.person := 'p6'; RETURN NEW; END $$;
CREATE TRIGGER z BEFORE UPDATE ON moved FOR EACH ROW EXECUTE FUNCTION name_person();
UPDATE moved SET x = 2 WHERE id = 41;
DROP TRIGGER z ON moved;
SELECT is(losses('moved'), 'p1:0.0667, p2:0.1333, p3:0.2, p4:0.2, p5:0, p6:0', 'named by a trigger');
SELECT dp_sum(x) IS NULL AS answered FROM moved;
SELECT is(losses('moved'), 'p1:0.1333, p2:0.2667, p3:0.3333, p4:0.4, p5:0.0667, p6:0.0667', 'and lose by it from then on');
SET client_min_messages = error;
CREATE OR REPLACE TRIGGER dpsens_begin_loss AFTER INSERT ON moved FOR EACH ROW EXECUTE FUNCTION dpsens_internal.freeze_loss();
ALTER TABLE moved ENABLE ALWAYS TRIGGER dpsens_begin_loss;
SET client_min_messages = warning;
SELECT throws_ok('SELECT dp_sum(x) FROM moved', '55000', 'the accounts of the rows of relation "moved" are out of order', 'triggers of an older version do not see it');
DO $$ BEGIN PERFORM dpsens.set_budget('moved', row_epsilon => 1000); END $$;
SELECT lives_ok('SELECT dp_sum(x) FROM moved', 'until the budget is set again');

-- who is left out by what rows had lost that are gone
SELECT make('kept');
DO $$ BEGIN PERFORM dpsens.set_budget('kept', row_epsilon => 65); END $$;
SELECT is(present('kept'), '1 2 3 3 0 0', 'all take part');
UPDATE kept SET x = 1 WHERE person = 'p3';
DELETE FROM kept WHERE person = 'p4';
INSERT INTO kept VALUES (60, 'p4', 1, 'u'), (61, 'p6', 1, 'u'), (62, 'p6', 1, 'u');
SELECT is(present('kept'), '1 0 0 0 0 2', 'who has other rows now has lost no less');

-- random changes: what a person has lost is never less than by the rows that each answer read
SELECT make('r', 2);
DO $$ BEGIN PERFORM dpsens.set_budget('r', row_epsilon => 1000000); END $$;
CREATE TABLE truth (person text, epsilon float8);
SELECT setseed(0.5) \g /dev/null
CREATE FUNCTION change() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text := 'p' || 1 + floor(random() * 6); i int := 1000 + floor(random() * 1e6);
BEGIN
    CASE floor(random() * 5)
        WHEN 0 THEN INSERT INTO r VALUES (i, p, floor(random() * 11), 'u') ON CONFLICT DO NOTHING;
        WHEN 1 THEN DELETE FROM r WHERE id = (SELECT id FROM r ORDER BY random() LIMIT 1);
        WHEN 2 THEN UPDATE r SET x = floor(random() * 11) WHERE person = p;
        WHEN 3 THEN UPDATE r SET person = p WHERE id = (SELECT id FROM r ORDER BY random() LIMIT 1);
        ELSE DELETE FROM r WHERE person = p; INSERT INTO r VALUES (i, p, 10, 'v') ON CONFLICT DO NOTHING;
    END CASE;
END $$;
-- a sum at epsilon 1 costs the two largest values of a person over 20
CREATE FUNCTION ask() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dp_sum(x) FROM r;
    INSERT INTO truth SELECT person, sum(x) / 20 FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY x DESC) AS n FROM r) s WHERE n <= 2 GROUP BY person;
END $$;
SELECT format('SELECT change() FROM generate_series(1, %s)', 1 + floor(random() * 3)), 'SELECT ask()' FROM generate_series(1, 40) \gexec
SELECT is_empty('SELECT t.person, t.lost, l.epsilon FROM (SELECT person, sum(epsilon) AS lost FROM truth GROUP BY person) t LEFT JOIN dpsens.row_loss(''r'') l ON l.unit = t.person WHERE l.epsilon IS NULL OR l.epsilon < t.lost - 1e-9',
    'losses cover what was read');
SELECT cmp_ok((SELECT sum(epsilon) FROM dpsens.row_loss('r')), '<', 2 * (SELECT sum(epsilon) FROM truth), 'and are not twice as much');

-- ---- what is refused ----

CREATE FUNCTION bare(name text, unit text, adjacency text DEFAULT 'add_remove') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (a int NOT NULL, b text NOT NULL, c int, d date NOT NULL, x float8 NOT NULL)', name);
    PERFORM dpsens.protect(name::regclass, unit, adjacency, 2);
END $$;
SELECT bare('unfound', 'a'), bare('nullable', 'c'), bare('replaced', 'a', 'replace'), bare('unstable', 'd'), bare('halfway', 'a, b'), bare('paired', 'a, b');
CREATE INDEX ON nullable (c);
CREATE INDEX ON replaced (a);
CREATE INDEX ON unstable (d);
CREATE INDEX ON halfway (a, x, b);
CREATE INDEX ON halfway (a, a);
CREATE INDEX ON halfway (b, a) WHERE x > 0;
CREATE INDEX ON halfway USING hash (a);
CREATE INDEX ON paired (b, a, x);
SELECT throws_ok(format('SELECT dpsens.set_budget(%L, row_epsilon => 1)', t), '55000', format('the rows of relation "%s" cannot have accounts of their own', t), t)
FROM unnest('{unfound,nullable,replaced,unstable,halfway}'::text[]) t;
SELECT lives_ok($$SELECT dpsens.set_budget('paired', row_epsilon => 1)$$, 'units of several columns, in another order in the index');
INSERT INTO paired VALUES (1, '2', 0, 'today', 1), (1, '2', 0, 'today', 1), (1, '3', 0, 'today', 1);
DO $$ BEGIN PERFORM dpsens.set_range('paired', 'x', 0, 1); END $$;
SELECT dp_sum(x) IS NULL AS answered FROM paired;
DELETE FROM paired WHERE b = '2';
SELECT is(losses('paired'), '1,2:1 gone, 1,3:0.5', 'both rows of the pair');
ALTER TABLE paired ALTER a DROP NOT NULL;
INSERT INTO paired VALUES (NULL, '2', 0, 'today', 1);
SELECT throws_ok('SELECT dp_count(*) FROM paired', '55000', 'the rows of relation "paired" cannot have accounts of their own', 'units that may be missing');
SELECT throws_ok('SELECT dpsens.set_plis_cap(''t'', 1)', '0A000', 'of units of several rows neither susceptibilities nor losses by training are known', 'no cap on susceptibility');
CREATE TABLE capped (a int CONSTRAINT single PRIMARY KEY, x float8 NOT NULL);
CREATE INDEX ON capped (a);
DO $$ BEGIN PERFORM dpsens.protect('capped', 'a', 'add_remove', 2), dpsens.set_range('capped', 'x', 0, 1), dpsens.set_budget('capped', row_epsilon => 9), dpsens.set_plis_cap('capped', 5); END $$;
SELECT dp_sum(x) IS NULL AS answered FROM capped;
ALTER TABLE capped DROP CONSTRAINT single, ALTER a SET NOT NULL;
SELECT throws_ok('SELECT dp_sum(x) FROM capped', '0A000', 'the susceptibility of units of several rows is not known', 'nor one from when units had one row');
SELECT make('open_keys');
DO $$ BEGIN PERFORM dpsens.set_public('open_keys', 'id'), dpsens.set_budget('open_keys', row_epsilon => 65); END $$;
SELECT throws_ok('SELECT id, dp_count(*) FROM open_keys GROUP BY id', '0A000', 'groups of undeclared keys cannot be selected while rows of relation "open_keys" have accounts of their own', 'groups of public keys');
SELECT is((SELECT dp_count(true, 64) FROM open_keys WHERE id < 30), 3::bigint, 'conditions on them');
-- parallel plans read in the leader; each person counts with three of so many rows, or not at all
SELECT make('big');
INSERT INTO big SELECT i, 'p' || i / 4, 2, 'u' FROM generate_series(400, 4399) i;
ALTER TABLE big SET (parallel_workers = 4);
DO $$ BEGIN PERFORM dpsens.set_budget('big', row_epsilon => 64.9); END $$;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET jit = off;
SELECT is((SELECT dp_count(true, 1) > 0 FROM big WHERE id BETWEEN 400 AND 2399), true, 'a half of them has lost 1');
SELECT is((SELECT dp_count(true, 64) FROM big), (3 * 500 + 9)::bigint, 'who would lose 65 is out');
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SELECT throws_ok('SELECT dp_count(*) FROM t JOIN grouped USING (id)', '0A000', NULL, 'joins');
SELECT throws_ok('SELECT dp_count(*) FROM (SELECT person, sum(x) FROM t GROUP BY person) s', '0A000', NULL, 'groups by unit');

SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA :schema CASCADE;
DROP OWNED BY unit_budget_tap_analyst, unit_budget_tap_clerk;
DROP ROLE unit_budget_tap_analyst, unit_budget_tap_clerk;
