-- Training where rows have accounts: what each loses, by hand, and who takes part.
--
-- The loss is half_squared of a linear model of one feature that hardly moves: at parameters 0 the gradient of
-- (x, y) is (-x y, -y).  With clip 1 the grid is 2^-39 and the bound 2^39 + 3 (descent.c), so that with a
-- noise multiplier of m a step costs s^2 / 2 N^2, N = m (2^39 + 3), where s is the norm in units of the grid.
-- Three figures are told from noise by ten standard deviations: they fail by chance with a probability below 1e-20.
-- A count with epsilon 64 is off with one below 1e-13.
-- Files: model/train/row_losses.c, model/train/run_losses.c, ledger/rows/training_loss.c, audit/accounted.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(85);

SELECT format('row_training_tap_%s_%s', pg_backend_pid(), floor(random() * 1e9)) AS schema \gset
CREATE SCHEMA :schema;
SET search_path = :schema, public;
\ir new_model.psql
CREATE FUNCTION fresh_model() RETURNS void LANGUAGE sql AS $$
    SELECT new_model('row_training_tap', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared"}');
    SELECT dpsens.set_model_parameters('row_training_tap', '{0,0}');
$$;
CREATE FUNCTION make(name text, adjacency text DEFAULT 'add_remove') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id int PRIMARY KEY, x float8, y float8)', name);
    -- at the clip, a half, an eighth, no example, beyond the clip, nothing to learn
    EXECUTE format('INSERT INTO %I VALUES (1, 0, -1), (2, 0, -0.5), (3, 0, -0.125), (4, NULL, -1), (5, 3, -4), (6, 1, 0)', name);
    PERFORM dpsens.protect(name::regclass, adjacency => adjacency), dpsens.set_range(name::regclass, 'x', 0, 3), dpsens.set_range(name::regclass, 'y', -4, 0);
END $$;
SELECT fresh_model() \g /dev/null
CREATE FUNCTION run(name text, steps int, multiplier float8, more text DEFAULT '', rate float8 DEFAULT 1e-40) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.set_model_parameters('row_training_tap', '{0,0}');
    EXECUTE format('CALL dpsens.train(''row_training_tap'', %L, ''{x}'', ''y'', %s, %s, clip => 1, expected_rows => 1, noise_multiplier => %s, delta => 1e-6 %s)', name, steps, rate, multiplier, more);
    RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
-- a step with noise of this multiplier, for a norm in units of the clip; as it is rounded up
CREATE FUNCTION step_rho(norm numeric, multiplier numeric) RETURNS numeric LANGUAGE sql AS $$
    SELECT ceil((norm * 2 ^ 39::numeric) ^ 2 * 2 ^ 40::numeric / (2 * ceil(multiplier * (2 ^ 39::numeric + 3)) ^ 2)) / 2 ^ 40::numeric
$$;
CREATE FUNCTION losses(name text) RETURNS float8[] LANGUAGE sql AS $$ SELECT array_agg(rho ORDER BY unit::int) FROM dpsens.row_loss(name::regclass) $$;
CREATE FUNCTION about(have float8[], want numeric[], description text) RETURNS text LANGUAGE sql AS $$
    SELECT ok((SELECT bool_and(h IS NOT NULL AND abs(h - w) <= 1e-9 * w) AND count(*) = cardinality(want) FROM unnest(have, want) AS t (h, w)), description)
        || CASE WHEN (SELECT bool_and(abs(h - w) <= 1e-9 * w) FROM unnest(have, want) AS t (h, w)) THEN '' ELSE E'\n' || diag(format('have %s, want %s', have, want)) END
$$;
CREATE FUNCTION charged(name text) RETURNS numeric LANGUAGE sql AS $$
    SELECT charge_rho / 2 ^ 40::numeric FROM dpsens.release WHERE relation = name::regclass ORDER BY release DESC LIMIT 1
$$;
-- the units of 1 to 8 that take part in a count of their own
CREATE FUNCTION present(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    n int[];
BEGIN
    EXECUTE format('SELECT ARRAY[%s] FROM %I', (SELECT string_agg(format('dp_count(true, 64) FILTER (WHERE id = %s)', i), ', ') FROM generate_series(1, 8) i), name) INTO n;
    RETURN (SELECT string_agg(i::text, ',' ORDER BY i) FROM unnest(n) WITH ORDINALITY t (k, i) WHERE k = 1);
END $$;

-- ---- what each row loses, and until when ----

SELECT make('t');
DO $$ BEGIN PERFORM dpsens.set_budget('t', row_rho => 0.05); END $$;
SELECT is(run('t', 10, 8), 'trained', 'ten steps, of which each costs a gradient at the clip 1/128');
SELECT about(losses('t'), ARRAY[6 * step_rho(1, 8), 10 * step_rho(0.5, 8), 10 * step_rho(0.125, 8), 0, 6 * step_rho(1, 8), 0],
    'rows at the clip stop after six steps, short ones go on');
SELECT results_eq($$SELECT unit, round(epsilon::numeric, 6)::float8, releases, present FROM dpsens.row_loss('t') ORDER BY unit::int$$,
    $$VALUES ('1', 'Infinity'::float8, 1::bigint, true), ('2', 'Infinity', 1, true), ('3', 'Infinity', 1, true), ('4', 0, 0, true), ('5', 'Infinity', 1, true), ('6', 0, 0, true)$$,
    'without pure epsilon, and no release of a row that added nothing');
SELECT results_eq($$SELECT unit, left_out, finished FROM dpsens.row_training_loss('t') ORDER BY unit::int$$,
    $$VALUES ('1', true, true), ('2', false, true), ('3', false, true), ('4', false, true), ('5', true, true), ('6', false, true)$$, 'who was left out on the way');
SELECT about((SELECT array_agg(rho ORDER BY unit::int) FROM dpsens.row_training_loss('t')), (SELECT array_agg(l::numeric ORDER BY i) FROM unnest(losses('t')) WITH ORDINALITY u (l, i)), 'the same figures');
SELECT is((SELECT array_agg(DISTINCT l.release) FROM dpsens.row_training_loss('t') l), (SELECT array_agg(release) FROM dpsens.releases WHERE relation = (current_schema || '.t')), 'of one release');
SELECT ok(charged('t') BETWEEN 10 * step_rho(1, 8) AND 10.0000001 * step_rho(1, 8), 'which is charged in full');
SELECT is(run('t', 10, 8), 'trained', 'another run');
SELECT about(losses('t'), ARRAY[6 * step_rho(1, 8), 20 * step_rho(0.5, 8), 20 * step_rho(0.125, 8), 0, 6 * step_rho(1, 8), 0], 'begins with what the first one has left: nobody passes the cap');
SELECT is(run('t', 10, 8), 'trained', 'and a third');
SELECT about(losses('t'), ARRAY[6 * step_rho(1, 8), 25 * step_rho(0.5, 8), 30 * step_rho(0.125, 8), 0, 6 * step_rho(1, 8), 0], 'in which the second row stops');
SELECT cmp_ok((SELECT max(l) FROM unnest(losses('t')) l), '<=', 0.05::float8, 'no account is above the cap');

-- exactly at the cap, and one unit less
SELECT make('edge');
SELECT dpsens.set_budget('edge', row_rho => (7 * step_rho(1, 8))::float8) \g /dev/null
SELECT is(run('edge', 10, 8), 'trained', 'a cap of seven steps');
SELECT about((losses('edge'))[1:1], ARRAY[7 * step_rho(1, 8)], 'allows seven');
SELECT make('below');
SELECT dpsens.set_budget('below', row_rho => (7 * step_rho(1, 8) - 2 ^ -40::numeric)::float8) \g /dev/null
SELECT is(run('below', 10, 8), 'trained', 'a cap that is 2^-40 less');
SELECT about((losses('below'))[1:1], ARRAY[6 * step_rho(1, 8)], 'allows six');

-- Who is left out is out of the sums.  The bias is -rate times the sums over all steps: 1000 rows at the clip
-- until they stop, 1000 of an eighth all the time; the noise of ten steps has a deviation of 8 sqrt(10).
CREATE TABLE many (id int PRIMARY KEY, x float8 NOT NULL, y float8 NOT NULL);
INSERT INTO many SELECT i, 0, CASE WHEN i <= 1000 THEN -1 ELSE -0.125 END FROM generate_series(1, 2000) i;
SELECT dpsens.protect('many'), dpsens.set_range('many', 'x', 0, 1), dpsens.set_range('many', 'y', -1, 0), dpsens.set_budget('many', row_rho => 0.05) \g /dev/null
SELECT is(run('many', 10, 8, '', 1e-20), 'trained', 'many rows');
SELECT cmp_ok(abs((dpsens.model_parameters('row_training_tap'))[2] * 1e20 + 6 * 1000 + 10 * 125), '<', 10 * 8 * sqrt(10::float8), 'six steps of the ones, ten of the others');
SELECT is(run('many', 10, 8, '', 1e-20), 'trained', 'again');
SELECT cmp_ok(abs((dpsens.model_parameters('row_training_tap'))[2] * 1e20 + 10 * 125), '<', 10 * 8 * sqrt(10::float8), 'the ones are not there any more');

-- with a bound that is proved, of every step or in advance; and with noise off
SELECT make('proved');
DO $$ BEGIN PERFORM dpsens.set_budget('proved', row_rho => 1); END $$;
SELECT fresh_model() \g /dev/null
CALL dpsens.train('row_training_tap', 'proved', '{x}', 'y', 3, 1e-40, expected_rows => 1, noise_multiplier => 8, delta => 1e-6, bound => 'iteration', parameter_bound => 1);
SELECT ok((losses('proved'))[6] = 0 AND (losses('proved'))[3] > 0 AND (losses('proved'))[5] > (losses('proved'))[1], 'the loss is by the gradient itself, and in proportion to its square: ' || losses('proved')::text);
SELECT cmp_ok(abs((losses('proved'))[1] / (losses('proved'))[2] - 4), '<', 1e-6::float8, 'a half costs a quarter');
SELECT cmp_ok((losses('proved'))[5], '<=', charged('proved')::float8, 'and nobody more than was charged');
SELECT make('noiseless');
DO $$ BEGIN PERFORM dpsens.set_budget('noiseless', row_rho => 1000); END $$;
SET dpsens.noise = off;
SELECT is(run('noiseless', 3, 8, '', 1), 'trained', 'without noise');
RESET dpsens.noise;
SELECT is(dpsens.model_parameters('row_training_tap'), '{0,0}', 'nobody can take part');
SELECT is(losses('noiseless'), '{0,0,0,0,0,0}', 'or loses anything');

CREATE TABLE nobody (id int PRIMARY KEY, x float8, y float8);
SELECT dpsens.protect('nobody'), dpsens.set_range('nobody', 'x', 0, 1), dpsens.set_range('nobody', 'y', 0, 1), dpsens.set_budget('nobody', row_rho => 1) \g /dev/null
SELECT is(run('nobody', 3, 8), 'trained', 'on no rows');
SELECT is_empty($$SELECT * FROM dpsens.row_training_loss('nobody')$$, 'there are no losses');
INSERT INTO nobody VALUES (1, 0, 1);
SELECT is(losses('nobody'), '{0}', 'nor for who comes later');

-- ---- answers and training share an account ----

SELECT make('both');
DO $$ BEGIN PERFORM dpsens.set_budget('both', row_rho => 66); END $$;
SELECT is(run('both', 2, 0.1), 'trained', 'two steps of 50');
SELECT about(losses('both'), ARRAY[step_rho(1, 0.1), 2 * step_rho(0.5, 0.1), 2 * step_rho(0.125, 0.1), 0, step_rho(1, 0.1), 0], 'the first took part in one');
SELECT is(present('both'), '3,4,6', 'a count of 64 has who lost little by training');
SELECT is(run('both', 2, 0.1), 'trained', 'and training');
SELECT results_eq($$SELECT unit, rho > 0, left_out FROM dpsens.row_training_loss('both') WHERE release = (SELECT max(release) FROM dpsens.release) ORDER BY unit::int$$,
    $$VALUES ('1', false, true), ('2', false, true), ('3', false, true), ('4', false, false), ('5', false, true), ('6', false, false)$$, 'has nobody who would lose more than is left');

-- ---- rows that change ----

SELECT make('moves');
DO $$ BEGIN PERFORM dpsens.set_budget('moves', row_rho => 1); END $$;
SELECT is(run('moves', 10, 8), 'trained', 'a run');
UPDATE moves SET y = -1 WHERE id = 3;
DELETE FROM moves WHERE id = 2;
UPDATE moves SET id = 7 WHERE id = 1;
INSERT INTO moves VALUES (2, 0, 0), (8, 0, -1);
SELECT results_eq($$SELECT unit, round(rho::numeric, 9), present FROM dpsens.row_loss('moves') ORDER BY unit::int$$,
    $$SELECT * FROM (VALUES ('1', round(10 * step_rho(1, 8), 9), false), ('2', round(10 * step_rho(0.5, 8), 9), true), ('3', round(10 * step_rho(0.125, 8), 9), true), ('4', 0, true),
        ('5', round(10 * step_rho(1, 8), 9), true), ('6', 0, true), ('7', round(10 * step_rho(1, 8), 9), true), ('8', 0, true)) v (unit, rho, present)$$,
    'what was lost stays with the unit, and whom nothing is known of pays all');
SELECT is(run('moves', 10, 8), 'trained', 'another one');
SELECT about(losses('moves'), ARRAY[10 * step_rho(1, 8), 10 * step_rho(0.5, 8), 10 * step_rho(0.125, 8) + 10 * step_rho(1, 8), 0, 20 * step_rho(1, 8), 0, 20 * step_rho(1, 8), 10 * step_rho(1, 8)],
    'adds to it');

-- ---- runs that end early ----

SELECT make('broken');
DO $$ BEGIN PERFORM dpsens.set_budget('broken', row_rho => 1); END $$;
SELECT is(run('broken', 10, 8, ', optimizer => ''momentum''', 1e308), 'training has diverged', 'a run that fails');
SELECT about(losses('broken'), array_fill(charged('broken'), ARRAY[6]), 'is paid in full by all');
BEGIN;
SELECT fresh_model() \g /dev/null
CALL dpsens.train('row_training_tap', 'broken', '{x}', 'y', 10, 1e-40, clip => 1, expected_rows => 1, noise_multiplier => 8, delta => 1e-6);
SELECT (losses('broken'))[3] - charged('broken') AS inside \gset
ROLLBACK;
SELECT about(ARRAY[:inside], ARRAY[10 * step_rho(0.125, 8)], 'its own transaction sees what was lost');
SELECT about(losses('broken'), array_fill(2 * charged('broken'), ARRAY[6]), 'and if it is rolled back, everybody pays in full');

CREATE FUNCTION train_within() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    CALL dpsens.train('row_training_tap', 'broken', '{x}', 'y', 10, 1e-40, clip => 1, expected_rows => 1, noise_multiplier => 8, delta => 1e-6);
    RETURN 'trained';
END $$;
BEGIN;
SELECT fresh_model() \g /dev/null
SELECT throws_ok('INSERT INTO broken VALUES (70, 0, -1), (71, 0, -1) RETURNING train_within()', '55000', 'a private answer needs rows that are committed', 'none amid a statement that inserts rows');
ROLLBACK;
DROP FUNCTION train_within();

-- A run is stopped when it comes to a step.
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped' USING ERRCODE = 'query_canceled'; END $$;
CREATE TRIGGER stop BEFORE UPDATE ON dpsens.training_run FOR EACH ROW WHEN (NEW.model LIKE 'row_training_tap%' AND NEW.step::text = current_setting('tap.stop', true)) EXECUTE FUNCTION stop();
SELECT make('parts');
INSERT INTO parts VALUES (7, 0, -1);
DO $$ BEGIN PERFORM dpsens.set_budget('parts', row_rho => 0.05); END $$;
SELECT fresh_model() \g /dev/null
\set ON_ERROR_STOP 0
\set VERBOSITY terse
SET tap.stop = 6;
CALL dpsens.train('row_training_tap', 'parts', '{x}', 'y', 10, 1e-40, clip => 1, expected_rows => 1, noise_multiplier => 8, delta => 1e-6, checkpoint => 2);
SELECT about((SELECT array_agg(rho ORDER BY unit::int) FROM dpsens.row_training_loss('parts')), ARRAY[4 * step_rho(1, 8), 4 * step_rho(0.5, 8), 4 * step_rho(0.125, 8), 0, 4 * step_rho(1, 8), 0, 4 * step_rho(1, 8)],
    'four steps are stored');
SELECT is((SELECT bool_or(finished) FROM dpsens.row_training_loss('parts')), false, 'of a run that is not over');
SELECT about(losses('parts'), array_fill(charged('parts'), ARRAY[7]), 'while it is not, all count as having paid in full');
DO $$ BEGIN PERFORM dpsens.set_budget('parts', row_epsilon => 'Infinity'); END $$;
CALL dpsens.resume_training('row_training_tap');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'row accounting of relation "parts" was switched on or off since the training began', 'without the accounts it does not go on');
DO $$ BEGIN PERFORM dpsens.set_budget('parts', row_rho => 0.05); END $$;
SET tap.stop = 8;
UPDATE parts SET y = -0.125 WHERE id = 7;
INSERT INTO parts SELECT i, 0, -1 FROM generate_series(8, 1007) i;
CALL dpsens.resume_training('row_training_tap');
SELECT about((SELECT array_agg(rho ORDER BY unit::int) FROM dpsens.row_training_loss('parts')), ARRAY[6 * step_rho(1, 8), 6 * step_rho(0.5, 8), 6 * step_rho(0.125, 8), 0, 6 * step_rho(1, 8), 0, 4 * step_rho(1, 8)],
    'it goes on with what was stored; a row that has changed has paid all, and takes no further part');
SELECT is((SELECT count(*) FROM dpsens.row_training_loss('parts') WHERE unit::int > 7), 0::bigint, 'those that came later are not entered');
RESET tap.stop;
CALL dpsens.resume_training('row_training_tap');
SELECT cmp_ok(abs((dpsens.model_parameters('row_training_tap'))[2] * 1e40), '<', 20 + 10 * 8 * sqrt(10::float8), 'and take no part: a thousand of them would have added 4000');
SELECT about((losses('parts'))[1:8], ARRAY[6 * step_rho(1, 8), 10 * step_rho(0.5, 8), 10 * step_rho(0.125, 8), 0, 6 * step_rho(1, 8), 0, charged('parts'), 0], 'at its end all have lost what a run in one part costs');
SELECT is((SELECT bool_and(finished) FROM dpsens.row_training_loss('parts')), true, 'it is over');
SELECT is((SELECT count(*) FROM dpsens.release WHERE relation = 'parts'::regclass), 1::bigint, 'for one charge');

SET tap.stop = 4;
SELECT make('begun');
CALL dpsens.train('row_training_tap', 'begun', '{x}', 'y', 10, 1e-40, clip => 1, expected_rows => 1, noise_multiplier => 8, delta => 1e-6, checkpoint => 2);
RESET tap.stop;
DO $$ BEGIN PERFORM dpsens.set_budget('begun', row_rho => 1); END $$;
CALL dpsens.resume_training('row_training_tap');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'row accounting of relation "begun" was switched on or off since the training began', 'a run that began without accounts does not go on with them');
SELECT about(losses('begun'), array_fill(charged('begun'), ARRAY[6]), 'and is paid in full');
SET tap.stop = 4;
SELECT make('moved_key');
ALTER TABLE moved_key ADD code int;
UPDATE moved_key SET code = 7 - id;
ALTER TABLE moved_key ALTER code SET NOT NULL;
DO $$ BEGIN PERFORM dpsens.set_budget('moved_key', row_rho => 1); END $$;
CALL dpsens.train('row_training_tap', 'moved_key', '{x}', 'y', 10, 1e-40, clip => 1, expected_rows => 1, noise_multiplier => 8, delta => 1e-6, checkpoint => 2);
RESET tap.stop;
ALTER TABLE moved_key DROP CONSTRAINT moved_key_pkey;
ALTER TABLE moved_key RENAME id TO former;
ALTER TABLE moved_key RENAME code TO id;
ALTER TABLE moved_key ADD PRIMARY KEY (id);
CALL dpsens.resume_training('row_training_tap');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'the columns that name a unit of relation "moved_key" have changed since the training began', 'another key of the same name: what was stored is others'' now');
-- The first step ends it: both parameters stay finite by chance, each with a noise of 8e6 below 1.8, with a
-- probability below 1e-13.  A second step would take those in whose gradients at 0 are nothing.
SET tap.stop = 4;
SELECT make('ended');
DO $$ BEGIN PERFORM dpsens.set_budget('ended', row_rho => 1); END $$;
CALL dpsens.train('row_training_tap', 'ended', '{x}', 'y', 400, 1e308, clip => 1e6, expected_rows => 1, noise_multiplier => 8, delta => 1e-6, checkpoint => 2, optimizer => 'momentum');
RESET tap.stop;
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'training has diverged', 'what the noise ends');
SELECT ok((SELECT bool_and(finished AND (rho > 0) = (unit IN ('1', '2', '3', '5'))) FROM dpsens.row_training_loss('ended')), 'is over, and what was lost is known');
\set ON_ERROR_STOP 1

-- ---- what is refused ----

SELECT make('replaced', 'replace');
DO $$ BEGIN PERFORM dpsens.set_budget('replaced', row_rho => 1); END $$;
SELECT is(run('replaced', 2, 8), 'models cannot be trained so on relation "replaced", whose rows have accounts of their own', 'replace');
SELECT make('pure');
DO $$ BEGIN PERFORM dpsens.set_budget('pure', row_epsilon => 1); END $$;
SELECT is(run('pure', 2, 8), 'models cannot be trained so on relation "pure", whose rows have accounts of their own', 'pure epsilon');
SELECT is(run('t', 2, 8, ', sampling_rate => 0.5'), 'models cannot be trained so on relation "t", whose rows have accounts of their own', 'samples');
SELECT is(run('t', 2, 8, ', query => ''SELECT x, y FROM t'''), 'models cannot be trained so on relation "t", whose rows have accounts of their own', 'a query');
SELECT is(losses('pure'), '{0,0,0,0,0,0}', 'before anything is charged');

BEGIN READ ONLY;
SELECT throws_ok($$CALL dpsens.train('row_training_tap', 't', '{x}', 'y', 2, 1e-40, clip => 1, expected_rows => 1, noise_multiplier => 8, delta => 1e-6)$$, '25006', 'cannot execute dpsens.train() in a read-only transaction', 'where the model could not be stored');
ROLLBACK;
SELECT is((SELECT count(*) FROM dpsens.release WHERE relation = 't'::regclass), 3::bigint, 'this, too, before anything is charged');

-- ---- stored losses belong to units as they were named, under add_remove ----

SELECT make('named');
ALTER TABLE named ADD COLUMN code int;
UPDATE named SET code = 7 - id;
ALTER TABLE named ALTER code SET NOT NULL, ADD UNIQUE (code);
DO $$ BEGIN PERFORM dpsens.set_budget('named', row_rho => 1); END $$;
SELECT is(run('named', 10, 8), 'trained', 'by the key');
SELECT dpsens.protect('named', unit => 'code'), dpsens.set_budget('named', row_rho => 1) \g /dev/null
SELECT about(losses('named'), array_fill(charged('named'), ARRAY[6]), 'other columns name the units: in full');
SELECT dpsens.protect('named', unit => 'id'), dpsens.set_budget('named', row_rho => 1) \g /dev/null
SELECT about((losses('named'))[2:2], ARRAY[10 * step_rho(0.5, 8)], 'the same ones: what was lost');
SELECT dpsens.protect('named', unit => 'id', adjacency => 'replace') \g /dev/null
SELECT about(losses('named'), array_fill(charged('named'), ARRAY[6]), 'another adjacency: in full');

-- another column has taken the name of the key, and its type
SELECT make('swapped');
ALTER TABLE swapped ADD COLUMN code int;
UPDATE swapped SET code = 7 - id;
ALTER TABLE swapped ALTER code SET NOT NULL;
DO $$ BEGIN PERFORM dpsens.set_budget('swapped', row_rho => 1); END $$;
SELECT is(run('swapped', 10, 8), 'trained', 'by one column');
ALTER TABLE swapped DROP CONSTRAINT swapped_pkey;
ALTER TABLE swapped RENAME id TO former;
ALTER TABLE swapped RENAME code TO id;
ALTER TABLE swapped ADD PRIMARY KEY (id);
SELECT about(losses('swapped'), array_fill(charged('swapped'), ARRAY[6]), 'another one of the same name: in full, not what the rows have lost whose keys these were');

-- Keys of nearly 2700 bytes are as long as those of a table can be, and those of the ledger are longer; one is
-- what another is called by there.
CREATE FUNCTION long_key(k int) RETURNS text LANGUAGE sql AS $$ SELECT left(string_agg(md5(k || '-' || i), '' ORDER BY i), 2690) FROM generate_series(1, 100) i $$;
CREATE FUNCTION called(key text) RETURNS text LANGUAGE sql AS $$ SELECT left(key, 64) || ':sha256:' || encode(sha256(key::bytea), 'hex') $$;
CREATE TABLE long (id text PRIMARY KEY, x float8 NOT NULL, y float8 NOT NULL);
ALTER TABLE long ALTER id SET STORAGE PLAIN;
INSERT INTO long VALUES (long_key(1), 0, -1), (long_key(2), 0, -0.5), (called(long_key(1)), 0, 0), ('short', 0, -0.125);
SELECT dpsens.protect('long'), dpsens.set_range('long', 'x', 0, 1), dpsens.set_range('long', 'y', -1, 0), dpsens.set_budget('long', row_rho => 1) \g /dev/null
SELECT is(run('long', 10, 8), 'trained', 'a row with a long key does not end the training');
SELECT results_eq($$SELECT rho FROM dpsens.row_loss('long') l JOIN long ON unit = CASE y WHEN -0.125 THEN id ELSE called(id) END ORDER BY y$$,
    $$SELECT rho FROM dpsens.row_training_loss('long') ORDER BY rho DESC$$, 'each has an account of its own');
SELECT about((SELECT array_agg(rho ORDER BY rho DESC) FROM dpsens.row_loss('long')), ARRAY[10 * step_rho(1, 8), 10 * step_rho(0.5, 8), 10 * step_rho(0.125, 8), 0], 'with what it has lost');
SELECT lives_ok('UPDATE long SET x = 1 WHERE y = -1', 'such a row can be changed');
SELECT lives_ok('DELETE FROM long WHERE y = -0.5', 'and deleted');
SELECT results_eq($$SELECT unit, round((rho / (10 * step_rho(1, 8)))::numeric, 6), present FROM dpsens.row_loss('long') WHERE unit IN (called(long_key(1)), called(long_key(2))) ORDER BY rho DESC$$,
    $$VALUES (called(long_key(1)), 1.000000, true), (called(long_key(2)), 0.250000, false)$$, 'what they have lost stays');

-- ---- whose it is to see ----

CREATE ROLE row_training_tap_ana;
GRANT USAGE ON SCHEMA :schema TO row_training_tap_ana;
GRANT SELECT ON t TO row_training_tap_ana;
SET ROLE row_training_tap_ana;
SELECT throws_ok(statement, '42501', NULL, statement)
FROM unnest(ARRAY['SELECT * FROM dpsens.row_training_loss(''t'')', 'SELECT * FROM dpsens.training_loss', 'SELECT * FROM dpsens.training_account', 'DELETE FROM dpsens.training_loss']) statement;
RESET ROLE;
SELECT throws_ok(statement, '42501', 'the privacy ledger cannot be changed', statement)
FROM unnest(ARRAY['DELETE FROM dpsens.training_loss', 'UPDATE dpsens.training_loss SET spent_rho = 0', 'UPDATE dpsens.training_account SET finished = true', 'TRUNCATE dpsens.training_loss']) statement;

SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'row_training_tap%' \g /dev/null
SELECT * FROM finish();
DROP TRIGGER stop ON dpsens.training_run;
DROP SCHEMA :schema CASCADE;
DROP ROLE row_training_tap_ana;
