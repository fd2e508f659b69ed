-- Row accounting: what changed rows have lost is kept, and units that have lost
-- too much are left out, silently.
--
-- A count with epsilon 64 is off with a probability below 1e-13: it tells who
-- takes part, and costs those who do 64.  About 60 of them are made here, so the
-- false-alarm rate is below 1e-11.
-- Files: ledger/rows/unit.c, guard/trace/expand.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(113);

SELECT format('row_budget_tap_%s_%s', pg_backend_pid(), floor(random() * 1e9)) AS schema \gset
CREATE SCHEMA :schema;
SET search_path = :schema, public;
CREATE ROLE row_budget_tap_analyst;
CREATE ROLE row_budget_tap_curator;
GRANT USAGE ON SCHEMA :schema TO row_budget_tap_analyst, row_budget_tap_curator;
GRANT CREATE ON SCHEMA :schema TO row_budget_tap_curator;
CREATE FUNCTION make(name text, adjacency text DEFAULT 'add_remove') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id int PRIMARY KEY, x float8 NOT NULL, k text)', name);
    EXECUTE format('INSERT INTO %I SELECT i, 2 * i, CASE WHEN i < 4 THEN ''u'' ELSE ''v'' END FROM generate_series(1, 5) i', name);
    PERFORM dpsens.protect(name::regclass, adjacency => adjacency), dpsens.set_range(name::regclass, 'x', 0, 10), dpsens.set_values(name::regclass, 'k', 'u', 'v');
    EXECUTE format('GRANT SELECT ON %I TO row_budget_tap_analyst', name);
END $$;
-- units 1 to 7 that take part in a count of their own
CREATE FUNCTION present(name text) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
    n int[];
BEGIN
    EXECUTE format('SELECT ARRAY[%s] FROM %I', (SELECT string_agg(format('dp_count(true, 64) FILTER (WHERE id = %s)', i), ', ') FROM generate_series(1, 7) i), name) INTO n;
    RETURN n;
END $$;
CREATE FUNCTION losses(name text, digits int DEFAULT 6) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s:%s%s', unit, round(epsilon::numeric, digits)::float8, CASE WHEN present THEN '' ELSE ' gone' END), ', ' ORDER BY unit)
    FROM dpsens.row_loss(name::regclass)
$$;

-- ---- who is left out ----

SELECT make('t');
SELECT make('other');
SET dpsens.epsilon = 1;
PREPARE earlier AS SELECT dp_sum(x) FROM t;
EXECUTE earlier \gset ignored_
SELECT lives_ok($$SELECT dpsens.set_budget('t', row_epsilon => 65.9)$$, 'row accounting alone');
SELECT results_eq($$SELECT relation::text, unit, row_epsilon, row_rho FROM dpsens.row_budgets WHERE relation = 't'::regclass$$,
    $$VALUES ('t', 'id integer', 65.9::float8, NULL::float8)$$, 'it can be looked up');
SELECT is_empty($$SELECT FROM dpsens.budgets WHERE relation = 't'::regclass$$, 'and is no budget of the relation');
EXECUTE earlier \gset ignored_
SELECT is(losses('t'), '1:0.4, 2:0.8, 3:1.2, 4:1.6, 5:2', 'what was before it counts');
SELECT is(present('t'), '{1,1,1,1,0,0,0}', 'a unit that would pass the cap is left out');
SELECT is(losses('t'), '1:64.4, 2:64.8, 3:65.2, 4:65.6, 5:66', 'and is charged all the same');
SELECT make('noiseless');
DO $$ BEGIN PERFORM dpsens.set_budget('noiseless', row_epsilon => 100); END $$;
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT results_eq('SELECT dp_count(*), dp_count(*) FILTER (WHERE id > 5), dp_sum(x) FROM noiseless', 'VALUES (0::bigint, 0::bigint, 0::float8)', 'without noise nobody can take part');
SET client_min_messages = warning;
RESET dpsens.noise;

-- exactly at the cap; sums of different queries; groups; views, subqueries and WITH
SELECT make('shapes');
DO $$ BEGIN PERFORM dpsens.set_budget('shapes', epsilon => 1e6, row_epsilon => 130.5); END $$;
CREATE VIEW seen AS SELECT x * 2 AS twice, k AS kind, id FROM shapes WHERE x > 0;
SELECT is((SELECT array_agg(n ORDER BY kind) FROM (SELECT kind, dp_count(true, 64) AS n FROM seen GROUP BY kind) s), '{3,2}', 'all of them, by a view');
SELECT is(losses('shapes'), '1:64, 2:64, 3:64, 4:64, 5:64', 'once each');
SELECT is((WITH w AS (SELECT id AS i FROM (SELECT * FROM seen) s WHERE kind = 'u') SELECT dp_count(true, 64) FROM w), 3::bigint, 'the first three, by WITH');
SELECT is((SELECT dp_sum(x, 2) > -1e9 FROM shapes), true, 'and a sum');
SELECT is(losses('shapes', 3), '1:128.4, 2:128.8, 3:129.2, 4:65.6, 5:66', 'all of it adds up');
SELECT is((SELECT array_agg(n ORDER BY k) FROM (SELECT k, dp_count(true, 64) AS n FROM shapes GROUP BY k) s), '{0,2}', 'a group whose units are out is empty');
SELECT is((SELECT dp_count(true, 64) FROM shapes), 0::bigint, 'now nobody is left');
SELECT is((SELECT dp_count(true, 64) FROM other), 5::bigint, 'of this table');

-- parallel plans read in the leader; the answer is the same
SELECT make('big');
INSERT INTO big SELECT i, 2, 'u' FROM generate_series(10, 5009) i;
ALTER TABLE big SET (parallel_workers = 4);
DO $$ BEGIN PERFORM dpsens.set_budget('big', row_epsilon => 65); END $$;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET jit = off;
SELECT is((SELECT dp_count(true, 0.5) > 0 FROM big), true, 'something');
SELECT is((SELECT dp_count(true, 0.75) > 0 FROM big WHERE id < 1000), true, 'and more for some');
SELECT is((SELECT dp_count(true, 64) FROM big), (5009 - 1000 + 1)::bigint, 'who has lost 1.25 is out');
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- rho
SELECT make('concentrated');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
DO $$ BEGIN PERFORM dpsens.set_budget('concentrated', row_rho => 0.02); END $$;
SELECT dp_sum(x) IS NOT NULL AS gaussian FROM concentrated;
SELECT is((SELECT array_agg(rho < 0.02 ORDER BY unit) FROM dpsens.row_loss('concentrated')), '{t,t,t,t,f}', 'only the largest has lost that much');
SELECT is((SELECT bool_and(epsilon = 'Infinity') FROM dpsens.row_loss('concentrated')), true, 'pure epsilon has no bound') ;
RESET dpsens.mechanism;
RESET dpsens.delta;

-- ---- changed rows ----

SELECT make('f');
DO $$ BEGIN PERFORM dpsens.set_budget('f', row_epsilon => 200); END $$;
SELECT dp_sum(x) IS NOT NULL AS first FROM f;
SELECT is(losses('f'), '1:0.2, 2:0.4, 3:0.6, 4:0.8, 5:1', 'before');
UPDATE f SET x = 0 WHERE id >= 4;
SELECT is(losses('f'), '1:0.2, 2:0.4, 3:0.6, 4:0.8, 5:1', 'an update forgets nothing');
SELECT dp_sum(x) IS NOT NULL AS second FROM f;
SELECT is(losses('f'), '1:0.4, 2:0.8, 3:1.2, 4:0.8, 5:1', 'the new row counts from then on');
DELETE FROM f WHERE id IN (1, 5);
SELECT is(losses('f'), '1:0.4 gone, 2:0.8, 3:1.2, 4:0.8, 5:1 gone', 'nor does a delete');
SELECT dp_sum(x) IS NOT NULL AS third FROM f;
SELECT is(losses('f'), '1:0.4 gone, 2:1.2, 3:1.8, 4:0.8, 5:1 gone', 'who is gone loses no more');
INSERT INTO f VALUES (1, 10, 'u'), (6, 10, 'v');
SELECT is((SELECT epsilon >= 0.4 FROM dpsens.row_loss('f') WHERE unit = '1'), true, 'who comes back brings it along');
SELECT is((SELECT epsilon FROM dpsens.row_loss('f') WHERE unit = '6'), 0::float8, 'a new unit begins at 0');
INSERT INTO f VALUES (6, 1, 'v') ON CONFLICT (id) DO UPDATE SET x = excluded.x;
SELECT dp_sum(x) IS NOT NULL AS fourth FROM f;
SELECT is((SELECT round(epsilon::numeric, 6) FROM dpsens.row_loss('f') WHERE unit = '6'), 0.1::numeric(20,6), 'ON CONFLICT DO UPDATE');
UPDATE f SET id = 7 WHERE id = 3;
SELECT is((SELECT round(epsilon::numeric, 6)::float8 || ' ' || present FROM dpsens.row_loss('f') WHERE unit = '3'), '2.4 false', 'a unit that gets another name');
BEGIN;
DELETE FROM f;
SELECT throws_ok('SELECT dp_count(*) FROM f', '55000', 'a private answer needs rows that are committed', 'nothing is answered from changes that may not come to be');
SAVEPOINT s;
ROLLBACK;
SELECT lives_ok('SELECT dp_count(*) FROM f', 'but after they are undone');
CREATE FUNCTION ask_within() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dp_count(true, 1) FROM f); END $$;
SELECT throws_ok('INSERT INTO f VALUES (70, 1), (71, 1) RETURNING ask_within()', '55000', 'a private answer needs rows that are committed', 'nor of rows that the statement has only begun to insert');
SELECT throws_ok('TRUNCATE f', '55000', 'cannot truncate relation "f": its rows have accounts of their own', 'TRUNCATE would forget');
SET session_replication_role = replica;
DELETE FROM f WHERE id = 2;
RESET session_replication_role;
SELECT is((SELECT present FROM dpsens.row_loss('f') WHERE unit = '2'), false, 'replication does not go round it');
SELECT throws_ok(statement, '42501', 'the privacy ledger cannot be changed', statement)
FROM unnest(ARRAY['DELETE FROM dpsens.frozen_loss', 'UPDATE dpsens.frozen_loss SET spent_rho = 0', 'TRUNCATE dpsens.frozen_loss']) AS statement;

-- an owner and a writer who are nobody else
SELECT make('owned');
ALTER TABLE owned OWNER TO row_budget_tap_curator;
GRANT SELECT, INSERT, UPDATE, DELETE ON owned TO row_budget_tap_analyst;
SET ROLE row_budget_tap_curator;
SELECT lives_ok($$SELECT dpsens.set_budget('owned', row_epsilon => 10)$$, 'an owner switches it on');
SELECT is((SELECT row_epsilon FROM dpsens.row_budgets), 10::float8, 'and sees it');
SELECT dp_sum(x) IS NOT NULL AS owned FROM owned;
SET ROLE row_budget_tap_analyst;
SELECT lives_ok('UPDATE owned SET x = 0 WHERE id = 5', 'whoever may write');
SELECT lives_ok('DELETE FROM owned WHERE id = 4', 'writes as ever');
SELECT lives_ok('INSERT INTO owned VALUES (9, 9)', 'and adds');
SET ROLE row_budget_tap_curator;
SELECT is(losses('owned'), '1:0.2, 2:0.4, 3:0.6, 4:0.8 gone, 5:1, 9:0', 'what they changed is kept');
SELECT throws_ok('SELECT * FROM dpsens.frozen_loss', '42501', NULL, 'the ledger itself is nobody''s to read');
RESET ROLE;

-- many rows of different loss are each kept, once
SELECT make('bulk');
INSERT INTO bulk SELECT i, i % 11, 'u' FROM generate_series(10, 1009) i;
DO $$ BEGIN PERFORM dpsens.set_budget('bulk', row_rho => 10); END $$;
SELECT dp_sum(x) IS NOT NULL AS bulk FROM bulk;
CREATE TEMP TABLE before AS SELECT * FROM dpsens.row_loss('bulk');
UPDATE bulk SET x = 10 - x;
DELETE FROM bulk WHERE id % 2 = 0;
SELECT is((SELECT count(*) FROM before b JOIN dpsens.row_loss('bulk') a USING (unit, epsilon, rho)), 1005::bigint, 'each as it was');

-- ---- what analysts see ----

SELECT make('blind');
SET ROLE row_budget_tap_analyst;
CREATE TEMP TABLE analyst_before AS SELECT * FROM dpsens.explain('SELECT dp_sum(x) FROM blind');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.set_budget('blind', row_epsilon => 1); END $$;
SET ROLE row_budget_tap_analyst;
SELECT results_eq('SELECT * FROM dpsens.explain(''SELECT dp_sum(x) FROM blind'')', 'TABLE analyst_before', 'noise and sensitivity are the same under add_remove');
SELECT lives_ok('SELECT dp_sum(x, 8) FROM blind', 'everybody has passed the cap');
SELECT is((SELECT dp_count(true, 64) FROM blind), 0::bigint, 'an answer without a row is an answer like any other');
SELECT is_empty('SELECT FROM dpsens.row_budgets', 'caps are the owner''s to read');
SELECT throws_ok(statement, '42501', NULL, statement)
FROM unnest(ARRAY['SELECT * FROM dpsens.row_loss(''blind'')', 'SELECT * FROM dpsens.frozen_loss', 'SELECT * FROM dpsens.row_account',
    'SELECT dpsens.set_budget(''blind'', row_epsilon => 9)', 'SELECT dpsens_internal.exact_includes(NULL, blind) FROM blind',
    'SELECT dp_count(*) FROM blind WHERE dpsens_internal.exact_includes(NULL, blind)', 'SELECT dp_count(*) FILTER (WHERE NOT dpsens_internal.exact_includes(NULL, blind)) FROM blind']) AS statement;
RESET ROLE;

-- ---- adjacencies that replace ----

SELECT make('r', 'replace');
SELECT is((SELECT dp_count(*) FROM r), 5::bigint, 'a number of rows that no value can change');
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_count(*) FROM r')), 0::float8, 'is exact');
DO $$ BEGIN PERFORM dpsens.set_budget('r', row_epsilon => 65); END $$;
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_count(*) FROM r')), 1::float8, 'but who is left out is private');
SELECT is((SELECT dp_sum(x, 2) IS NOT NULL FROM r), true, 'a sum: each loses by its distance from the farther end');
SELECT is(losses('r'), '1:1.6, 2:1.2, 3:1.2, 4:1.6, 5:2', 'of the range with 0');
SELECT is((SELECT dp_count(true, 64) FROM r), 0::bigint, 'a count is a loss for every unit');
SELECT is((SELECT dp_count(true, 0.5) IS NOT NULL FROM r), true, 'however little comes after that');
DO $$ BEGIN PERFORM dpsens.set_budget('r', row_epsilon => 129.8); END $$;
SELECT is((SELECT dp_count(true, 64) FROM r), 2::bigint, 'a cap that is raised lets in who is below it');
DO $$ BEGIN PERFORM dpsens.set_budget('r', row_epsilon => 'Infinity'); END $$;
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_count(*) FROM r')), 0::float8, 'without row accounting it is as before');
SELECT is((SELECT dp_count(*) FROM r), 5::bigint, 'and everybody takes part');
SELECT make('a', 'attribute');
DO $$ BEGIN PERFORM dpsens.set_budget('a', row_epsilon => 65); END $$;
SELECT is((SELECT dp_sum(x, 2) IS NOT NULL FROM a), true, 'attribute');
SELECT is(losses('a'), '1:1.6, 2:1.2, 3:1.2, 4:1.6, 5:2', 'the same with one column');

-- ---- switching on and off ----

SELECT make('s');
SELECT throws_ok(format('SELECT dpsens.set_budget(''s'', %s)', arguments), '22023', NULL, arguments)
FROM unnest(ARRAY['row_epsilon => 0', 'row_epsilon => -1', 'row_rho => ''NaN''', 'row_rho => ''-Infinity''', 'row_epsilon => 1, row_rho => 1', 'delta => 0.1, row_rho => 1']) AS arguments;
SELECT lives_ok($$SELECT dpsens.set_budget('s', row_rho => 1)$$, 'on');
SELECT lives_ok($$SELECT dpsens.set_budget('s', epsilon => 5, row_epsilon => 1)$$, 'otherwise');
SELECT is((SELECT count(*) FROM pg_trigger WHERE tgrelid = 's'::regclass AND tgenabled = 'A'), 3::bigint, 'triggers');
ALTER TABLE s DISABLE TRIGGER dpsens_freeze_loss;
SELECT throws_ok('SELECT dp_count(*) FROM s', '55000', 'the accounts of the rows of relation "s" are out of order', 'a trigger that is disabled');
SELECT lives_ok($$SELECT dpsens.set_budget('s', row_epsilon => 1)$$, 'is set right');
DROP TRIGGER dpsens_begin_loss ON s;
SELECT throws_ok('SELECT dp_count(*) FROM s', '55000', NULL, 'or missing');
SELECT lives_ok($$SELECT dpsens.revoke_budget('s')$$, 'off');
SELECT is((SELECT count(*) FROM pg_trigger WHERE tgrelid = 's'::regclass), 0::bigint, 'no triggers');
SELECT throws_ok($$SELECT dpsens.revoke_budget('s')$$, '42704', 'relation "s" has no budget', 'there is nothing left to revoke');
BEGIN;
SELECT lives_ok($$SELECT dpsens.set_budget('s', row_epsilon => 1)$$, 'on, but not committed');
SELECT throws_ok('SELECT dp_count(*) FROM s', '55000', 'a private answer needs budgets that are committed', 'no answers until it is');
ROLLBACK;
SELECT lives_ok('SELECT dp_count(*) FROM s', 'and as before when it is not');

-- who cannot have it
CREATE UNLOGGED TABLE forgetful (id int PRIMARY KEY, x float8 NOT NULL);
SELECT dpsens.protect('forgetful') \g /dev/null
SELECT throws_ok($$SELECT dpsens.set_budget('forgetful', row_rho => 1)$$, '55000', 'the rows of relation "forgetful" cannot have accounts of their own', 'rows that a crash forgets');
SELECT make('kept');
SELECT lives_ok($$SELECT dpsens.set_budget('kept', row_rho => 1)$$, 'others can');
SELECT throws_ok('ALTER TABLE kept ADD note text, SET UNLOGGED', '55000', 'the rows of relation "kept" cannot have accounts of their own', 'until they are such, which is refused');
SELECT make('m', 'metric');
SELECT throws_ok($$SELECT dpsens.set_budget('m', row_rho => 1)$$, '55000', 'the rows of relation "m" cannot have accounts of their own', 'metric');
CREATE TABLE keyless (x float8 NOT NULL);
CREATE TABLE timed (at timestamptz PRIMARY KEY, x float8);
CREATE TABLE blank (id bpchar PRIMARY KEY, x float8);
CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE either (id text COLLATE folded PRIMARY KEY, x float8);
CREATE TABLE parted (id int PRIMARY KEY, x float8) PARTITION BY RANGE (id);
CREATE TABLE loose (id int NOT NULL, x float8);
CREATE TABLE parent (id int PRIMARY KEY, x float8);
CREATE TABLE child () INHERITS (parent);
DO $$ BEGIN PERFORM dpsens.protect(t::regclass) FROM unnest('{keyless,timed,blank,either,parted,parent}'::text[]) t; PERFORM dpsens.protect('loose', unit => 'id'); END $$;
SELECT throws_ok(format('SELECT dpsens.set_budget(%L, row_epsilon => 1)', t), '55000', format('the rows of relation "%s" cannot have accounts of their own', t), t)
FROM unnest('{keyless,timed,blank,either,parted,loose,parent}'::text[]) AS t;
DO $$ BEGIN PERFORM dpsens.set_budget('s', row_epsilon => 1), dpsens.protect('s', adjacency => 'metric'); END $$;
SELECT throws_ok('SELECT dp_sum(x) FROM s', '55000', 'the rows of relation "s" cannot have accounts of their own', 'an adjacency that is changed later');
SELECT make('renamed_key');
DO $$ BEGIN PERFORM dpsens.set_budget('renamed_key', row_epsilon => 1); END $$;
ALTER TABLE renamed_key RENAME id TO number;
SELECT throws_ok('SELECT dp_sum(x) FROM renamed_key', '55000', 'the accounts of the rows of relation "renamed_key" are out of order', 'units by another name');
SELECT lives_ok($$SELECT dpsens.set_budget('renamed_key', row_epsilon => 1)$$, 'as long as nothing was frozen');
DELETE FROM renamed_key WHERE number = 1;
ALTER TABLE renamed_key RENAME number TO id;
SELECT throws_ok($$SELECT dpsens.set_budget('renamed_key', row_epsilon => 1)$$, '55000', NULL, 'then units keep their names');

-- a table that is dropped and made again
SELECT make('again');
DO $$ BEGIN PERFORM dpsens.set_budget('again', row_epsilon => 65); END $$;
SELECT dp_sum(x, 2) IS NOT NULL AS again FROM again;
DELETE FROM again WHERE id = 5;
DROP TABLE again;
SELECT make('again');
SELECT throws_ok('SELECT dp_count(*) FROM again', '55000', 'the accounts of the rows of relation "again" are out of order', 'has no triggers yet');
SELECT lives_ok($$SELECT dpsens.set_budget('again', row_epsilon => 65)$$, 'until they are made');
SELECT results_eq($$SELECT unit, round(epsilon::numeric, 6)::float8 FROM dpsens.row_loss('again') ORDER BY 1$$,
    $$VALUES ('1', 2::float8), ('2', 2), ('3', 2), ('4', 2), ('5', 2)$$, 'units whose rows went with the table pay in full');
INSERT INTO again VALUES (6, 0, 'u');
SELECT dp_sum(x, 2) IS NOT NULL AS again FROM again;
SELECT is(losses('again'), '1:2.4, 2:2.8, 3:3.2, 4:3.6, 5:4, 6:2', 'so does one that may have been among them; then each for itself');
UPDATE again SET x = 10 WHERE id = 1;
SELECT is(losses('again'), '1:2.4, 2:2.8, 3:3.2, 4:3.6, 5:4, 6:2', 'as ever');
SELECT is(present('again'), '{0,0,0,0,0,0,0}', 'who has lost more than 1 cannot take part in 64 of 65');

-- a row that is longer than one value can be is in no answer, rather than to make an error where a condition lets it through
SELECT make('long');
ALTER TABLE long ADD COLUMN a text, ADD COLUMN b text, ADD COLUMN gone text;
ALTER TABLE long ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, DROP gone;
UPDATE long SET a = repeat('a', 80000000), b = CASE id WHEN 1 THEN repeat('b', 80000000) END WHERE id < 3;
DO $$ BEGIN PERFORM dpsens.set_budget('long', row_epsilon => 1000); END $$;
CREATE VIEW of_long WITH (security_barrier) AS SELECT id, x FROM long WHERE x > 0;
SELECT is(present('long'), '{0,1,1,1,1,0,0}', 'what is longer than a value is left out');
SELECT is(present('of_long'), '{0,1,1,1,1,0,0}', 'below a view, too');

-- selections of groups cost delta, which no account of a row has
SELECT make('selected');
ALTER TABLE selected ADD COLUMN city text;
UPDATE selected SET city = 'Bern';
DO $$ BEGIN PERFORM dpsens.set_budget('selected', row_epsilon => 1000); END $$;
SET dpsens.delta = 1e-6;
SET dpsens.selection_epsilon = 1;
SELECT throws_ok('SELECT city, dp_count(*) FROM selected GROUP BY city', '0A000',
    'groups of undeclared keys cannot be selected while rows of relation "selected" have accounts of their own', 'no selection while rows have accounts');
SELECT lives_ok('SELECT k, dp_count(*) FROM selected GROUP BY k', 'groups of declared keys need none');
SELECT make('sorted');
ALTER TABLE sorted ADD COLUMN city text;
SELECT lives_ok('SELECT city, dp_count(*) FROM sorted GROUP BY city', 'a selection without accounts');
SELECT throws_ok($$SELECT dpsens.set_budget('sorted', row_epsilon => 1000)$$, '55000', 'the rows of relation "sorted" cannot have accounts of their own',
    'and none afterwards');
RESET dpsens.selection_epsilon;
RESET dpsens.delta;

SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA :schema CASCADE;
DROP OWNED BY row_budget_tap_analyst, row_budget_tap_curator;
DROP ROLE row_budget_tap_analyst, row_budget_tap_curator;
