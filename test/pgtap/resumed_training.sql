-- Runs with checkpoints: what is stored, what ends them, who may go on with them.
-- Crashes are in test/crash/training.sh.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(27);

DROP SCHEMA IF EXISTS resumed_tap CASCADE;
CREATE SCHEMA resumed_tap;
SET search_path = resumed_tap, public;
\ir new_model.psql
SELECT new_model(m, '{"input": 2, "layers": [{"type": "dense", "units": 5, "activation": "tanh"}, {"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 2}')
FROM unnest('{resumed_tap_a,resumed_tap_b}'::name[]) m \g /dev/null
CREATE TABLE dots AS SELECT i, i % 7 - 3.0::float8 AS a, i % 5 - 2.0::float8 AS b, (i % 7 > i % 5)::int AS y FROM generate_series(1, 300) i;
CREATE TABLE people (LIKE dots);
INSERT INTO people SELECT * FROM dots;
ALTER TABLE people ADD PRIMARY KEY (i);
SELECT dpsens.protect('people', unit => 'i'), dpsens.set_range('people', 'a', -3, 3), dpsens.set_range('people', 'b', -2, 2), dpsens.set_range('people', 'y', 0, 1) \g /dev/null
CREATE TABLE begin_at AS SELECT dpsens.model_parameters('resumed_tap_a') AS p;

-- Parts make the same whole, with every optimizer.
SELECT dpsens.set_model_parameters(m, p) FROM begin_at, unnest('{resumed_tap_a,resumed_tap_b}'::name[]) m \g /dev/null
CALL dpsens.train('resumed_tap_a', 'dots', '{a,b}', 'y', 50, 0.1, optimizer => 'sgd');
CALL dpsens.train('resumed_tap_b', 'dots', '{a,b}', 'y', 50, 0.1, optimizer => 'sgd', checkpoint => 7, test_relation => 'dots');
SELECT is(dpsens.model_parameters('resumed_tap_a'), dpsens.model_parameters('resumed_tap_b'), 'checkpoints change nothing for sgd');
SELECT dpsens.set_model_parameters(m, p) FROM begin_at, unnest('{resumed_tap_a,resumed_tap_b}'::name[]) m \g /dev/null
CALL dpsens.train('resumed_tap_a', 'dots', '{a,b}', 'y', 50, 0.1, optimizer => 'momentum');
CALL dpsens.train('resumed_tap_b', 'dots', '{a,b}', 'y', 50, 0.1, optimizer => 'momentum', checkpoint => 7, test_relation => 'dots');
SELECT is(dpsens.model_parameters('resumed_tap_a'), dpsens.model_parameters('resumed_tap_b'), 'checkpoints change nothing for momentum');
SELECT dpsens.set_model_parameters(m, p) FROM begin_at, unnest('{resumed_tap_a,resumed_tap_b}'::name[]) m \g /dev/null
CALL dpsens.train('resumed_tap_a', 'dots', '{a,b}', 'y', 50, 0.1, optimizer => 'adam');
CALL dpsens.train('resumed_tap_b', 'dots', '{a,b}', 'y', 50, 0.1, optimizer => 'adam', checkpoint => 7, test_relation => 'dots');
SELECT is(dpsens.model_parameters('resumed_tap_a'), dpsens.model_parameters('resumed_tap_b'), 'checkpoints change nothing for adam');
SELECT is(count(*), 0::bigint, 'nothing is left of a run that is over') FROM dpsens.training_runs;

-- A run is cancelled when it has come to a step, not after a time: the checkpoint that
-- says so is the one that is lost.
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped' USING ERRCODE = 'query_canceled'; END $$;
CREATE TRIGGER stop BEFORE UPDATE ON dpsens.training_run FOR EACH ROW WHEN (NEW.model LIKE 'resumed_tap%' AND NEW.step::text = current_setting('tap.stop', true)) EXECUTE FUNCTION stop();

-- A run that is cancelled goes on where it was; it is charged once.
\set ON_ERROR_STOP 0
SELECT dpsens.set_model_parameters(m, p) FROM begin_at, unnest('{resumed_tap_a,resumed_tap_b}'::name[]) m \g /dev/null
CALL dpsens.train('resumed_tap_a', 'dots', '{a,b}', 'y', 5000, 0.01, optimizer => 'momentum');
SET tap.stop = 200;
CALL dpsens.train('resumed_tap_b', 'dots', '{a,b}', 'y', 5000, 0.01, optimizer => 'momentum', checkpoint => 10);
RESET tap.stop;
SELECT ok(step > 0 AND step % 10 = 0 AND step < 5000 AND release IS NULL, 'a cancelled run is stored: step ' || step) FROM dpsens.training_runs WHERE model = 'resumed_tap_b';
SELECT is(dpsens.model_parameters('resumed_tap_b'), p, 'and the model as it was') FROM begin_at;
SET tap.stop = 400;
CALL dpsens.resume_training('resumed_tap_b');
RESET tap.stop;
CALL dpsens.resume_training('resumed_tap_b');
SELECT is(dpsens.model_parameters('resumed_tap_a'), dpsens.model_parameters('resumed_tap_b'), 'resumed twice it ends where one that was not cancelled does');

SET tap.stop = 6;
CALL dpsens.train('resumed_tap_b', 'people', '{a,b}', 'y', 5000, 0.1, expected_rows => 300, noise_multiplier => 30, delta => 1e-6, bound => 'iteration', bound_boxes => 20, sampling_rate => 0.5, checkpoint => 2);
RESET tap.stop;
CREATE TABLE stored AS SELECT * FROM dpsens.training_runs;
SELECT ok(step > 0 AND epsilon > 0 AND delta = 1e-6 AND release = (SELECT max(release) FROM dpsens.releases WHERE relation = 'resumed_tap.people'), 'a private run too: step ' || step) FROM stored;
SET tap.stop = 10;
CALL dpsens.resume_training('resumed_tap_b');
RESET tap.stop;
SELECT ok(r.step > s.step, 'it goes on: step ' || r.step) FROM dpsens.training_runs r, stored s;
SELECT is(count(*), 1::bigint, 'for one charge') FROM dpsens.releases WHERE relation = 'resumed_tap.people';

-- What protects the table may not change on the way.
SELECT dpsens.protect('people', unit => 'i', adjacency => 'replace') \g /dev/null
\set ON_ERROR_STOP 1
CREATE FUNCTION try(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE command;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
\set ON_ERROR_STOP 0
\set VERBOSITY terse
CALL dpsens.resume_training('resumed_tap_b');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'what protects relation "people" has changed since its training began', 'another adjacency');
SELECT dpsens.unprotect('people') \g /dev/null
CALL dpsens.resume_training('resumed_tap_b');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'what protects relation "people" has changed since its training began', 'no protection');
SELECT dpsens.protect('people', unit => 'i') \g /dev/null
SELECT is((SELECT step FROM dpsens.training_runs), (SELECT max(step) FROM dpsens.training_runs), 'the run is still there');

-- Others see nothing of it.
DROP ROLE IF EXISTS resumed_tap_ana;
CREATE ROLE resumed_tap_ana;
SET ROLE resumed_tap_ana;
SELECT count(*) AS n FROM dpsens.training_runs \gset
SELECT count(*) AS m FROM dpsens.training \gset
CALL dpsens.resume_training('resumed_tap_b');
\set denied :LAST_ERROR_MESSAGE
SELECT * FROM dpsens.training_run;
\set table_denied :LAST_ERROR_MESSAGE
RESET ROLE;
SELECT is(:n + :m, 0, 'another role sees no run');
SELECT is(:'denied'::text, 'permission denied for model "resumed_tap_b"', 'nor may it go on with one');
SELECT is(:'table_denied'::text, 'permission denied for table training_run', 'or read what it has learnt');

-- Nobody sets it back.
UPDATE dpsens.training_run SET step = 0;
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'the privacy ledger cannot be changed', 'not even a superuser');
DELETE FROM dpsens.training_run;
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'the privacy ledger cannot be changed', 'or takes it away');

-- Another training of the model replaces it, and pays anew.
CALL dpsens.train('resumed_tap_b', 'people', '{a,b}', 'y', 4, 0.1, clip => 1, expected_rows => 300, noise_multiplier => 30, delta => 1e-6, checkpoint => 3);
SELECT is(count(*), 0::bigint, 'another run replaces it') FROM dpsens.training_runs;
SELECT is(count(*), 2::bigint, 'and is charged') FROM dpsens.releases WHERE relation = 'resumed_tap.people';

-- What the noise ends is not taken again.
CALL dpsens.train('resumed_tap_b', 'people', '{a,b}', 'y', 400, 1e307, clip => 1e5, expected_rows => 1, noise_multiplier => 30, delta => 1e-6, checkpoint => 3, optimizer => 'momentum');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'training has diverged', 'a run diverges');
SELECT is(count(*), 0::bigint, 'and cannot be resumed: its error told of steps') FROM dpsens.training_runs;

-- Refusals.
BEGIN;
CALL dpsens.train('resumed_tap_b', 'dots', '{a,b}', 'y', 4, 0.1, checkpoint => 2);
\set in_block :LAST_ERROR_MESSAGE
ROLLBACK;
SELECT is(:'in_block'::text, 'training with checkpoints cannot be part of a transaction', 'not in a transaction block');
CALL dpsens.resume_training('resumed_tap_b');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'model "resumed_tap_b" has no unfinished training', 'no run');
CALL dpsens.train('resumed_tap_b', 'dots', '{a,b}', 'y', 4, 0.1, checkpoint => 0);
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'checkpoint must be a number of steps greater than 0', 'no steps');
CALL dpsens.train('resumed_tap_b', 'dots', '{a,b}', 'y', 4, 0.1, test_relation => 'people');
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'losses on relation "people" are not shown, since it is protected', 'losses on private rows');
\set ON_ERROR_STOP 1
SELECT is(try('CALL dpsens.resume_training(''resumed_tap_b'')'), 'training with checkpoints cannot be part of a transaction', 'nor in a function');

SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name LIKE 'resumed_tap%' \g /dev/null
SELECT * FROM finish();
DROP SCHEMA resumed_tap CASCADE;
DROP ROLE resumed_tap_ana;
