-- What is charged, and that nothing a client does afterwards takes it back.
--
-- Everything is committed as it goes: another process records the charges.
-- Files: guard/query/normalise.c, ledger/statement.c, ledger/cost.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(173);

DROP SCHEMA IF EXISTS ledger_tap CASCADE;
CREATE SCHEMA ledger_tap;
SET search_path = ledger_tap, public;
CREATE TABLE people (age float8 NOT NULL, sex text, note text);
INSERT INTO people SELECT i, 'F' FROM generate_series(1, 20) i;
CREATE TABLE nobody (age float8 NOT NULL);
CREATE TABLE numbers (x int);
INSERT INTO numbers VALUES (1), (2), (3);
CREATE TABLE answers (tag text, answer float8);
DO $$ BEGIN
    PERFORM dpsens.protect('people'), dpsens.set_range('people', 'age', 0, 100), dpsens.set_values('people', 'sex', 'F', 'M');
    PERFORM dpsens.protect('nobody'), dpsens.set_range('nobody', 'age', 0, 100);
END $$;
SET dpsens.epsilon = 0.25;

-- Releases of a relation since the last call.
CREATE TABLE seen (relation regclass PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
INSERT INTO seen VALUES ('people'), ('nobody');
CREATE FUNCTION new_releases(of regclass DEFAULT 'people') RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    total bigint;
    before bigint;
BEGIN
    SELECT count(*) INTO total FROM dpsens.release r WHERE r.relation = of;
    SELECT s.n INTO before FROM seen s WHERE s.relation = of;
    UPDATE seen s SET n = total WHERE s.relation = of;
    RETURN total - before;
END $$;
SELECT new_releases(), new_releases('nobody') \g /dev/null


-- ---- one statement ----

SELECT dp_count(*) FROM people \g /dev/null
SELECT is(new_releases(), 1, 'one answer, one charge');
SELECT dp_count(*) FROM nobody \g /dev/null
SELECT is(new_releases('nobody'), 1, 'an empty table is charged');
SELECT dp_count(*), dp_sum(age), dp_avg(age) FROM people \g /dev/null
SELECT is(new_releases(), 3, 'three aggregates, three charges');
SELECT dp_count(*), dp_count(*) + 1, dp_count(*) > 5 FROM people HAVING dp_count(*) > -1e9 ORDER BY dp_count(*) \g /dev/null
SELECT is(new_releases(), 1, 'the same aggregate is drawn and charged once');
SELECT dp_count(true, 0.25), dp_count(true, 0.125) FROM people \g /dev/null
SELECT is(new_releases(), 2, 'another epsilon is another release');
SELECT dp_count(*) FROM people UNION ALL SELECT dp_count(*) FROM people \g /dev/null
SELECT is(new_releases(), 2, 'two queries in one statement are drawn and charged twice');
SELECT sex, dp_count(*) FROM people GROUP BY sex \g /dev/null
SELECT is(new_releases(), 1, 'the groups of a GROUP BY share one charge');
SELECT dp_count(*) FROM people LIMIT 0 \g /dev/null
SELECT is(new_releases(), 1, 'LIMIT 0 is charged');
SELECT dp_count(*) FROM people WHERE age > 1000 \g /dev/null
SELECT is(new_releases(), 1, 'no row selected, charged');
SELECT a.c, b.c FROM (SELECT dp_count(*) c FROM people) a, (SELECT dp_count(*) c FROM nobody) b \g /dev/null
SELECT is(array[new_releases(), new_releases('nobody')], array[1, 1], 'each relation for itself');
SELECT is((SELECT count(DISTINCT statement)::int FROM (SELECT statement FROM dpsens.release ORDER BY release DESC LIMIT 2) r), 1,
    'one statement');
INSERT INTO answers SELECT 'insert', dp_count(*) FROM people;
SELECT is(new_releases(), 1, 'INSERT ... SELECT');
CREATE TABLE kept AS SELECT dp_count(*) FROM people;
SELECT is(new_releases(), 1, 'CREATE TABLE AS');
CREATE TABLE unkept AS SELECT dp_count(*) FROM people WITH NO DATA;
SELECT is(new_releases(), 0, 'CREATE TABLE AS WITH NO DATA costs nothing');
CREATE VIEW counted AS SELECT dp_count(*) AS n FROM people;
SELECT is(new_releases(), 0, 'nor does CREATE VIEW');
SELECT * FROM counted \g /dev/null
SELECT is(new_releases(), 1, 'a view is charged when it is read');
CREATE MATERIALIZED VIEW stored AS SELECT dp_count(*) AS n FROM people;
SELECT is(new_releases(), 1, 'a materialized view when it is filled');
REFRESH MATERIALIZED VIEW stored;
SELECT is(new_releases(), 1, 'and when it is filled again');
SELECT n FROM stored UNION ALL SELECT n FROM stored \g /dev/null
SELECT is(new_releases(), 0, 'and not when it is read');

-- ---- as many charges as draws ----
CREATE FUNCTION draws_and_charges(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    numbers float8[];
BEGIN
    PERFORM new_releases();
    EXECUTE query INTO numbers;
    RETURN format('%s of %s, %s charged', (SELECT count(DISTINCT n) FROM unnest(numbers) n), cardinality(numbers), new_releases());
END $$;
-- two draws of this much noise on this grid are equal with a probability below 2^-40
SELECT is(draws_and_charges(query), want, query)
FROM (VALUES ('SELECT ARRAY[dp_sum(age, 1.0), dp_sum(age, 1.0)] FROM people', '1 of 2, 1 charged'),
    ('SELECT ARRAY[dp_sum(age, 1.0), dp_sum(age, 0.5)] FROM people', '2 of 2, 2 charged'),
    ('SELECT ARRAY[dp_sum(age), dp_sum(age, 0.25)] FROM people', '2 of 2, 2 charged'),
    ('SELECT ARRAY[dp_sum(age), dp_sum(age) FILTER (WHERE sex = ''F'')] FROM people', '2 of 2, 2 charged'),
    ('SELECT ARRAY[(SELECT dp_sum(age) FROM people), (SELECT dp_sum(age) FROM people)]', '2 of 2, 2 charged'),
    ('SELECT array_agg(s) FROM (SELECT dp_sum(age) AS s FROM people UNION ALL SELECT dp_sum(age) FROM people) u', '2 of 2, 2 charged'),
    ('WITH a AS (SELECT dp_sum(age) AS s FROM people) SELECT ARRAY[a.s, b.s] FROM a, a b', '1 of 2, 1 charged'),
    ('SELECT ARRAY[dp_sum(age), dp_sum(age)] FROM people GROUP BY sex HAVING dp_sum(age) > -1e9 ORDER BY dp_sum(age) LIMIT 1', '1 of 2, 1 charged'),
    ('SELECT ARRAY[dp_stddev(age, 60), dp_stddev(age, 60)] FROM people WHERE age >= 0', '1 of 2, 1 charged')) AS v (query, want);

-- ---- one draw for one charge ----

SELECT is((SELECT count(DISTINCT c)::int FROM numbers, LATERAL (SELECT c, x FROM (SELECT dp_count(*) c FROM people) a) b), 1,
    'LATERAL does not draw again');
SELECT is((SELECT count(DISTINCT (SELECT c FROM (SELECT dp_count(*) c FROM people) a WHERE numbers.x > 0))::int FROM numbers), 1,
    'nor does a correlated subquery around the answer');
SELECT is(new_releases(), 2, 'charged once each');
CREATE FUNCTION refused(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'accepted';
EXCEPTION WHEN feature_not_supported THEN
    RETURN sqlerrm;
END $$;
SELECT is(refused($$SELECT x, c FROM numbers, LATERAL (WITH w AS (SELECT numbers.x AS v)
    SELECT (SELECT dp_count(*) FROM people WHERE age > (SELECT v FROM w)) AS c) q$$),
    'references to an outer query are not supported together with dp aggregates', 'a WITH query that depends on outer rows');
SELECT is(refused($$SELECT x, c FROM numbers, LATERAL (WITH w AS (SELECT numbers.x AS v), u AS (SELECT v FROM w)
    SELECT (SELECT dp_count(*) FROM people WHERE age > (SELECT v FROM u)) AS c) q$$),
    'references to an outer query are not supported together with dp aggregates', 'and by way of another');
SELECT is(refused($$SELECT x, c FROM numbers, LATERAL (WITH w AS (SELECT numbers.x AS v)
    SELECT (SELECT c FROM (SELECT dp_count(*) c FROM people WHERE EXISTS (SELECT FROM w WHERE v > 1)) a) AS c) q$$),
    'references to an outer query are not supported together with dp aggregates', 'and from a subquery of a condition');
SELECT is(refused($$SELECT x, c FROM numbers, LATERAL (WITH w AS MATERIALIZED (SELECT numbers.x AS v)
    SELECT (WITH u AS (SELECT v FROM w) SELECT dp_count(*) FROM people WHERE age > (SELECT v FROM u)) AS c) q$$),
    'references to an outer query are not supported together with dp aggregates', 'and from a WITH query of its own');
SELECT is(new_releases(), 0, 'refused before anything was charged');
SELECT is(refused($$WITH w AS (SELECT 7 AS v), u AS (SELECT v FROM w)
    SELECT x, (SELECT dp_count(*) FROM people WHERE age > (SELECT v FROM u)) FROM numbers$$), 'accepted',
    'a WITH query that depends on nothing');
SELECT is(new_releases(), 1, 'is charged once');

-- ---- again and again ----

PREPARE often(float8) AS SELECT dp_count(true, $1) FROM people;
EXECUTE often(0.25) \g /dev/null
EXECUTE often(0.5) \g /dev/null
SELECT is(new_releases(), 2, 'two EXECUTEs are charged twice');
SELECT results_eq('SELECT epsilon FROM dpsens.release ORDER BY release DESC LIMIT 2', 'VALUES (0.5::float8), (0.25)', 'each at its own epsilon');
SET plan_cache_mode = force_generic_plan;
EXECUTE often(0.25) \g /dev/null
EXECUTE often(0.5) \g /dev/null
SELECT throws_ok('EXECUTE often(NULL)', '22004', NULL, 'NULL is no epsilon');
SELECT throws_ok('EXECUTE often(''NaN'')', '22023', NULL, 'nor is NaN');
SELECT throws_ok('EXECUTE often(0)', '22023', NULL, 'nor 0');
SELECT throws_ok('EXECUTE often(-1)', '22023', NULL, 'nor a credit');
SELECT throws_ok('EXECUTE often(''Infinity'')', '22023', NULL, 'nor Infinity');
SELECT results_eq('SELECT epsilon FROM dpsens.release ORDER BY release DESC LIMIT 2', 'VALUES (0.5::float8), (0.25)', 'and of a generic plan');
RESET plan_cache_mode;
SELECT is(new_releases(), 2, 'what was refused is not charged');
PREPARE several(float8, float8) AS SELECT dp_count(true, $2), dp_count(true, $1 * 2), dp_count(true, 0.125) FROM people;
SET plan_cache_mode = force_generic_plan;
EXECUTE several(0.25, 0.0625) \g /dev/null
SELECT throws_ok('EXECUTE several(0.25, NULL)', '22004', NULL, 'NULL is no epsilon of one of several');
RESET plan_cache_mode;
SELECT is(new_releases(), 3, 'several epsilons of one generic plan');
SELECT results_eq('SELECT epsilon FROM (SELECT epsilon FROM dpsens.release ORDER BY release DESC LIMIT 3) r ORDER BY epsilon',
    'VALUES (0.0625::float8), (0.125), (0.5)', 'are charged as they are asked for');
SELECT is(n, 3::bigint, 'and noised so') FROM (SELECT count(*) AS n FROM (SELECT epsilon, scales[1] AS scale, sensitivities[1] AS sensitivity
    FROM dpsens.release ORDER BY release DESC LIMIT 3) r WHERE scale = ceil(sensitivity / epsilon)) q;
DO $$
DECLARE
    n bigint;
BEGIN
    FOR i IN 1 .. 5 LOOP
        SELECT dp_count(*) INTO n FROM people;
    END LOOP;
END $$;
SELECT is(new_releases(), 5, 'a loop is charged for each turn');
CREATE FUNCTION ask() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT dp_count(*) FROM people';
SELECT ask() FROM numbers \g /dev/null
SELECT is(new_releases(), 3, 'a function for each call');
CREATE FUNCTION ask_stable() RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT dp_count(*) FROM people); END $$;
SELECT ask_stable() FROM numbers \g /dev/null
SELECT is(new_releases() >= 1, true, 'a function that says it is stable, at least once');

-- ---- what costs nothing ----

EXPLAIN SELECT dp_count(*) FROM people \g /dev/null
EXPLAIN (VERBOSE) EXECUTE often(0.25) \g /dev/null
SELECT * FROM dpsens.explain('SELECT dp_count(*) FROM people') \g /dev/null
SELECT is(new_releases(), 0, 'EXPLAIN costs nothing');
SELECT throws_ok('EXPLAIN ANALYZE SELECT dp_count(*) FROM people', '0A000', NULL, 'EXPLAIN ANALYZE is refused');
SELECT throws_ok('EXPLAIN (ANALYZE) EXECUTE often(0.25)', '0A000', NULL, 'of a prepared statement, too');
SELECT throws_ok('SELECT dp_count(*), dp_sum(age, -1) FROM people', '22023', NULL, 'an epsilon that is none');
SELECT throws_ok('SELECT dp_count(*), count(*) FROM people', '0A000', NULL, 'an exact aggregate beside it');
SELECT throws_ok('SELECT dp_sum(note::float8) FROM people', NULL, NULL, 'an expression without bounds');
SELECT throws_ok('SELECT dp_count(*) OVER () FROM people', '0A000', NULL, 'a window');
CREATE ROLE ledger_tap_stranger;
GRANT USAGE ON SCHEMA ledger_tap TO ledger_tap_stranger;
SET ROLE ledger_tap_stranger;
SELECT throws_ok('SELECT dp_count(*) FROM people', '42501', NULL, 'no privilege');
RESET ROLE;
SELECT is(new_releases(), 0, 'what is refused costs nothing');

-- ---- transactions ----

BEGIN;
SELECT dp_count(*) FROM people \g /dev/null
ROLLBACK;
SELECT is(new_releases(), 1, 'ROLLBACK keeps the charge');
BEGIN;
SAVEPOINT s;
SELECT dp_count(*) FROM people \g /dev/null
ROLLBACK TO s;
COMMIT;
SELECT is(new_releases(), 1, 'ROLLBACK TO keeps it');
DO $$
DECLARE
    n bigint;
BEGIN
    BEGIN
        SELECT dp_count(*) INTO n FROM people;
        RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN
        NULL;
    END;
END $$;
SELECT is(new_releases(), 1, 'an exception block keeps it');
SELECT throws_ok('SELECT 1 / (dp_count(*) * 0) FROM people', '22012', NULL, 'an error after the draw');
SELECT is(new_releases(), 1, 'keeps it');
\set ON_ERROR_STOP 0
\o /dev/null
SELECT dp_count(*) FROM people \; SELECT 1 / 0;
\o
\set ON_ERROR_STOP 1
SELECT is(:'SQLSTATE'::text, '22012', 'a message of several statements');
SELECT is(new_releases(), 1, 'of which a later one fails keeps it');
BEGIN READ ONLY;
SELECT dp_count(*) FROM people \g /dev/null
COMMIT;
SELECT is(new_releases(), 1, 'a read-only transaction is charged');
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT dp_count(*) FROM people \g /dev/null
COMMIT;
SELECT is(new_releases(), 1, 'a serializable one');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM dpsens.release \g /dev/null
SELECT dp_count(*) FROM people \g /dev/null
COMMIT;
SELECT is(new_releases(), 1, 'and one whose snapshot is older');
SET synchronous_commit = off;
SELECT dp_count(*) FROM people \g /dev/null
SELECT is(new_releases(), 1, 'settings of the client do not matter');
RESET synchronous_commit;

-- ---- cursors ----

BEGIN;
DECLARE c CURSOR FOR SELECT sex, dp_count(*) FROM people GROUP BY sex;
SELECT is(new_releases(), 0, 'a cursor that was not read costs nothing');
FETCH 1 FROM c \g /dev/null
SELECT is(new_releases(), 1, 'it is charged at the first FETCH');
FETCH ALL FROM c \g /dev/null
CLOSE c;
SELECT is(new_releases(), 0, 'and never again');
DECLARE s SCROLL CURSOR FOR SELECT dp_count(*) AS n FROM people;
FETCH FIRST FROM s \gset first_
MOVE ABSOLUTE 0 FROM s;
FETCH NEXT FROM s \gset again_
SELECT is(:again_n, :first_n, 'a cursor that is rewound shows the same draw');
SELECT is(new_releases(), 1, 'charged once');
ROLLBACK;
SELECT is(new_releases(), 2, 'the transaction is gone, its charges are not');
BEGIN;
DECLARE h SCROLL CURSOR WITH HOLD FOR SELECT dp_count(*) AS n FROM people;
COMMIT;
FETCH FIRST FROM h \gset first_
FETCH FIRST FROM h \gset again_
CLOSE h;
SELECT is(:again_n, :first_n, 'a cursor WITH HOLD holds one draw');
SELECT is(new_releases(), 1, 'which COMMIT charged');
BEGIN;
DECLARE c CURSOR FOR SELECT sex, dp_count(*) FROM people GROUP BY sex;
SAVEPOINT s;
FETCH 1 FROM c \g /dev/null
ROLLBACK TO s;
FETCH 1 FROM c \g /dev/null
COMMIT;
SELECT is(new_releases() BETWEEN 1 AND 2, true, 'a cursor read in a subtransaction that is rolled back is charged');
DO $$
DECLARE
    c CURSOR (e float8) FOR SELECT dp_count(true, e) AS n FROM people;
    e float8 := 0.125;
    n bigint;
BEGIN
    OPEN c(e);
    e := 0.5;
    FETCH c INTO n;
    CLOSE c;
END $$;
SELECT is(new_releases(), 1, 'a cursor of PL/pgSQL');
SELECT is((SELECT epsilon FROM dpsens.release ORDER BY release DESC LIMIT 1), 0.125::float8, 'keeps the epsilon that it was opened with');
-- and so it does with settings, whatever they are where its rows are fetched
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM people;
SET LOCAL dpsens.epsilon = 2;
SET LOCAL dpsens.mechanism = gaussian;
FETCH c \g /dev/null
COMMIT;
SELECT is((SELECT epsilon || ' ' || mechanism FROM dpsens.release ORDER BY release DESC LIMIT 1), '0.25 geometric', 'and the settings of then');
SELECT is(new_releases(), 1, 'once');
BEGIN;
RESET dpsens.epsilon;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM people;
SET LOCAL dpsens.epsilon = 2;
SELECT throws_ok('FETCH c', '55000', 'no epsilon is given', 'none then, none later');
ROLLBACK;

-- ---- COPY, clients that go ----

\copy (SELECT dp_count(*) FROM people) TO '/dev/null'
SELECT is(new_releases(), 1, 'COPY ... TO STDOUT');
\set ON_ERROR_STOP 0
SELECT n, pg_cancel_backend(pg_backend_pid()), pg_sleep(3600) FROM (SELECT dp_count(*) AS n FROM people OFFSET 0) a;
\set ON_ERROR_STOP 1
SELECT is(:'SQLSTATE'::text, '57014', 'a statement that is cancelled');
SELECT is(new_releases(), 1, 'is charged');
\! psql -XAtq -c "SET dpsens.epsilon = 0.25" -c "SELECT n, pg_terminate_backend(pg_backend_pid()) FROM (SELECT dp_count(*) AS n FROM ledger_tap.people OFFSET 0) a" >/dev/null 2>&1
SELECT is(new_releases(), 1, 'a session that is terminated is charged');
-- it is killed when it has its answer and sleeps
\! PGAPPNAME=ledger_tap_killed PGOPTIONS="-c dpsens.epsilon=0.25" psql -XAtq -c "SELECT n, pg_sleep(3600) FROM (SELECT dp_count(*) AS n FROM ledger_tap.people OFFSET 0) a" >/dev/null 2>&1 & until [ "$(psql -XAtqc "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ledger_tap_killed' AND wait_event = 'PgSleep'")" = 1 ]; do :; done; kill -KILL $!; psql -XAtqc "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ledger_tap_killed'" >/dev/null
SELECT is(new_releases(), 1, 'a client that is killed is charged');

-- ---- what it costs ----

CREATE FUNCTION last_cost(OUT epsilon numeric, OUT rho numeric) LANGUAGE sql AS
    'SELECT r.charge_epsilon, r.charge_rho FROM dpsens.release r ORDER BY r.release DESC LIMIT 1';
SELECT dp_count(true, 0.25) FROM people \g /dev/null
SELECT is((SELECT epsilon FROM last_cost()), 0.25 * 2.0 ^ 40, 'a Laplace release costs exactly the epsilon asked for');
SELECT dp_count(true, 0.01) FROM people \g /dev/null
SELECT is((SELECT epsilon FROM last_cost()), floor(0.01 * 2.0 ^ 40), 'and never more: the noise is calibrated to whole units below');
SELECT dp_count(true, 0.00000095367431640625) FROM people \g /dev/null
SELECT is((SELECT epsilon FROM last_cost()), 2.0::numeric ^ 20, 'the smallest epsilon counts: 2^-20');
SELECT is((SELECT rho > 0 FROM last_cost()), true, 'and its rho, too');
SELECT throws_ok('SELECT dp_count(true, 0.00000095) FROM people', '22023', NULL, 'a smaller one is refused');
SELECT throws_ok('SELECT dp_count(true, 64.5) FROM people', '22023', NULL, 'and one above 2^6');
SELECT dp_avg(age, 0.5) FROM people \g /dev/null
SELECT is((SELECT epsilon FROM last_cost()), 0.5 * 2.0 ^ 40, 'both parts of an average share its epsilon');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
SELECT dp_count(true, 0.5) FROM people \g /dev/null
SELECT is((SELECT epsilon FROM last_cost()), 9223372036854775807::numeric, 'Gaussian noise has no pure epsilon');
SELECT is((SELECT rho = ceil(r.sensitivities[1]::numeric ^ 2 / (2 * r.scales[1]::numeric ^ 2) * 2.0 ^ 40)
           FROM last_cost(), dpsens.release r WHERE r.release = (SELECT max(release) FROM dpsens.release)), true,
    'and costs rho = sensitivity^2 / 2 scale^2, rounded up');
RESET dpsens.mechanism;
RESET dpsens.delta;
SELECT is((SELECT spent_epsilon FROM dpsens.purse WHERE relation = 'people'::regclass AND role = 0), 9223372036854775807,
    'one Gaussian release leaves the relation without a pure epsilon');
SELECT is((SELECT spent_rho FROM dpsens.purse WHERE relation = 'people'::regclass AND role = 0),
    (SELECT sum(charge_rho)::bigint FROM dpsens.release WHERE relation = 'people'::regclass), 'and rho is the sum over the history');
SELECT is((SELECT charges FROM dpsens.purse WHERE relation = 'people'::regclass AND role = 0),
    (SELECT count(DISTINCT statement) FROM dpsens.release WHERE relation = 'people'::regclass), 'one charge for each statement');
SELECT is((SELECT bool_and(statement IS NOT NULL AND query <> '' AND role = (SELECT oid FROM pg_roles WHERE rolname = current_user))
           FROM dpsens.release WHERE relation = 'people'::regclass), true, 'the history says who and what');

-- ---- too much at once, long texts ----

SELECT throws_ok((SELECT 'SELECT ' || string_agg(format('dp_count(true, 0.001 + %s)', i), ',') || ' FROM people' FROM generate_series(1, 200) i),
    NULL, NULL, 'more than 64 cannot be an epsilon');
SELECT throws_ok((SELECT 'SELECT ' || string_agg(format('dp_count(true, %s)', 0.001 * i), ',') || ' FROM people' FROM generate_series(1, 200) i),
    '54000', '200 dp aggregates in one statement are too many to be charged together', 'too many aggregates for one request');
SELECT new_releases() \g /dev/null
DO $$ BEGIN EXECUTE 'SELECT dp_count(*) AS n, ''' || repeat('ä', 6000) || ''' FROM people'; END $$;
SELECT is(new_releases(), 1, 'a text that is too long to be recorded whole');
SELECT is((SELECT octet_length(query) BETWEEN 4090 AND 4096 AND query LIKE '%ä...' FROM dpsens.release ORDER BY release DESC LIMIT 1), true,
    'is shortened between characters');
SELECT lives_ok((SELECT 'SELECT ' || string_agg(format('dp_sum(age + %s * age, 0.001)', i), ',') || ' FROM people -- ' || repeat('x', 9000)
    FROM generate_series(1, 60) i), 'many aggregates and a long text');
SELECT is(new_releases(), 60, 'fit by shortening the texts');

-- ---- what is not committed ----

BEGIN;
CREATE TABLE fresh (x int);
DO $$ BEGIN PERFORM dpsens.protect('fresh'); END $$;
SELECT throws_like('SELECT dp_count(*) FROM fresh', '%relation that is committed', 'a relation that is not committed');
COMMIT;
SELECT lives_ok('SELECT dp_count(*) FROM fresh', 'and when it is');
BEGIN;
DO $$ BEGIN PERFORM dpsens.set_budget('people', epsilon => 1000, delta => 1e-6); END $$;
SELECT throws_like('SELECT dp_count(*) FROM people', '%budgets that are committed', 'a budget that is not committed');
ROLLBACK;
SELECT lives_ok('SELECT dp_count(*) FROM people', 'or is not to be');
BEGIN;
SAVEPOINT s;
DO $$ BEGIN PERFORM dpsens.set_budget('people', epsilon => 1000, delta => 1e-6); END $$;
ROLLBACK TO s;
SELECT lives_ok('SELECT dp_count(*) FROM people', 'a change that was rolled back is none');
SAVEPOINT s;
DO $$ BEGIN PERFORM dpsens.set_budget('people', epsilon => 1000, delta => 1e-6); END $$;
RELEASE s;
SAVEPOINT s;
SELECT throws_like('SELECT dp_count(*) FROM people', '%budgets that are committed', 'one of a subtransaction that is over counts');
ROLLBACK TO s;
SELECT throws_like('SELECT dp_count(*) FROM people', '%budgets that are committed', 'also after another was rolled back');
ROLLBACK;
SELECT is(new_releases(), 2, 'the two answers were charged');

-- ---- nobody else writes ----

GRANT USAGE ON SCHEMA ledger_tap TO ledger_tap_stranger;
SET ROLE ledger_tap_stranger;
SELECT throws_ok(format(query, t), '42501', NULL, format(query, t))
FROM unnest(ARRAY['budget', 'purse', 'release', 'ledger_origin']) t,
    unnest(ARRAY['INSERT INTO dpsens.%1$s SELECT * FROM dpsens.%1$s', 'DELETE FROM dpsens.%1$s', 'TRUNCATE dpsens.%1$s',
                 'LOCK TABLE dpsens.%1$s IN ACCESS SHARE MODE', 'SELECT FROM dpsens.%1$s']) query;
SELECT throws_ok('SELECT dpsens.acknowledge_restore()', '42501', NULL, 'acknowledge_restore');
CREATE TEMP TABLE mine (x int);
SELECT throws_ok('CREATE TRIGGER k BEFORE INSERT ON mine EXECUTE FUNCTION dpsens_internal.keep_ledger()', '42501', NULL, 'keep_ledger as a trigger of one''s own');
DROP TABLE mine;
RESET ROLE;
SELECT throws_ok('UPDATE dpsens.purse SET spent_epsilon = 0', '42501', 'the privacy ledger cannot be changed', 'not even a superuser, by accident');
SELECT throws_ok('DELETE FROM dpsens.release WHERE false', '42501', 'the privacy ledger cannot be changed', 'not even in vain');
SELECT throws_ok('TRUNCATE dpsens.release', '42501', 'the privacy ledger cannot be changed', 'nor by TRUNCATE');
GRANT pg_write_all_data, pg_read_all_data TO ledger_tap_stranger;
SET ROLE ledger_tap_stranger;
SELECT throws_ok(format(query, t), '42501', NULL, 'pg_write_all_data: ' || format(query, t))
FROM unnest(ARRAY['budget', 'purse', 'release', 'ledger_origin', 'row_account', 'frozen_loss', 'training_account', 'training_loss']) t,
    unnest(ARRAY['INSERT INTO dpsens.%1$s OVERRIDING SYSTEM VALUE SELECT * FROM dpsens.%1$s WHERE false', 'DELETE FROM dpsens.%1$s', 'UPDATE dpsens.%1$s SET ' ||
        CASE t WHEN 'budget' THEN 'cap_epsilon' WHEN 'purse' THEN 'spent_epsilon' WHEN 'release' THEN 'charge_epsilon'
            WHEN 'ledger_origin' THEN 'timeline' WHEN 'row_account' THEN 'cap_epsilon' WHEN 'training_account' THEN 'release' WHEN 'training_loss' THEN 'spent_rho' ELSE 'spent_epsilon' END || ' = 1']) query;
SELECT lives_ok($$SELECT setval('dpsens.row_account_account_seq', 1)$$, 'a sequence may be set');
SELECT setval('dpsens.row_account_account_seq', (SELECT COALESCE(max(account), 0) + 1 FROM dpsens.row_account)) \g /dev/null
RESET ROLE;
SELECT is((SELECT array_agg(relname::text) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'dpsens'::regnamespace), '{row_account_account_seq}',
    'which names accounts and orders nothing; releases are numbered by the worker');
SELECT is((SELECT array_agg(release ORDER BY release) FROM dpsens.release), (SELECT array_agg(g) FROM generate_series(1, (SELECT count(*) FROM dpsens.release)) g), 'without gaps');
REVOKE pg_write_all_data, pg_read_all_data FROM ledger_tap_stranger;
SET session_replication_role = replica;
SELECT throws_ok('DELETE FROM dpsens.purse', '42501', 'the privacy ledger cannot be changed', 'nor as a replica');
RESET session_replication_role;

SELECT finish();
DROP SCHEMA ledger_tap CASCADE;
DROP ROLE ledger_tap_stranger;
