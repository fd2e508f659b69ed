-- training.sql
--	Steps of training, on all rows and on secret samples (mechanism subsampled): see
--	frame.psql.
--
-- A model of 1,000 features, and 1,000 rows that have a feature of their own each: every
-- parameter is moved by one row, if that is there and taken, and by noise of its own, so
-- that one CALL is 1,000 runs.  The target is so far off that each gradient is
-- clipped.  The neighbour has no rows, or rows of the opposite target.
\set schema dps_epsilon_training
\ir frame.psql

CREATE PROCEDURE make_examples(name text, adjacency text, target float8) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (k int NOT NULL, x float8[] NOT NULL, y float8 NOT NULL)', name);
    IF target IS NOT NULL THEN
        EXECUTE format('INSERT INTO %I SELECT k, (SELECT array_agg((i = k)::int ORDER BY i) FROM generate_series(1, 1000) AS i), %s FROM generate_series(1, 1000) AS k', name, target);
    END IF;
    EXECUTE format('ANALYZE %I', name);
    PERFORM dpsens.protect(name::regclass, adjacency => adjacency);
END $$;
CALL make_examples('train_0', 'add_remove', NULL);
CALL make_examples('train_1', 'add_remove', 1000);
CALL make_examples('retrain_0', 'replace', -1000);
CALL make_examples('retrain_1', 'replace', 1000);
CALL make_examples('retarget_0', 'attribute', -1000);
CALL make_examples('retarget_1', 'attribute', 1000);

DO $$
BEGIN
    IF EXISTS (SELECT FROM dpsens.models WHERE name = 'dps_epsilon_model') THEN
        PERFORM dpsens.drop_model('dps_epsilon_model');
    END IF;
    PERFORM dpsens.create_model('dps_epsilon_model', '{"input": 1000, "layers": [{"type": "dense", "units": 1, "bias": false}], "loss": "half_squared"}');
END $$;

-- What every parameter is after so many steps from 0, of noise for that epsilon or of that
-- many times the clip.
CREATE FUNCTION trained(name text, epsilon float8, multiplier float8, steps int, rate float8, optimizer text) RETURNS TABLE (k bigint, v float8[]) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM dpsens.set_model_parameters('dps_epsilon_model', array_fill(0::float8, ARRAY[1000]));
    CALL dpsens.train('dps_epsilon_model', name::regclass, features => '{x}', target => 'y', steps => steps, learning_rate => 1, clip => 1, expected_rows => 1000,
                      epsilon => epsilon, noise_multiplier => multiplier, delta => 0.05, sampling_rate => rate, optimizer => optimizer);
    RETURN QUERY SELECT i, ARRAY[p] FROM unnest(dpsens.model_parameters('dps_epsilon_model')) WITH ORDINALITY AS u (p, i);
END $$;

-- At epsilon = 1 where all rows take part; else with a multiplier, whose epsilon is known beforehand.
CREATE PROCEDURE train(pair text, steps int, optimizer text, factor float8) LANGUAGE sql AS $$
    CALL ask(pair, format('%s steps of %s', steps, optimizer), format('SELECT k, v FROM trained(''%%I'', EPSILON, NULL, %s, NULL, %L)', steps, optimizer), factor, NULL);
    UPDATE experiment SET epsilon = 1 WHERE epsilon IS NULL
$$;
CREATE PROCEDURE train_on_samples(steps int, optimizer text, rate float8, multiplier float8, factor float8) LANGUAGE sql AS $$
    CALL ask('train', format('%s steps of %s on samples of %s', steps, optimizer, rate),
             format('SELECT k, v FROM trained(''%%I'', NULL, %s::float8 / EPSILON, %s, %s, %L)', multiplier, steps, rate, optimizer), factor, NULL);
    UPDATE experiment SET epsilon = dpsens.training_epsilon(multiplier, steps, 0.05, rate) WHERE epsilon IS NULL
$$;
CALL train_on_samples(1, 'sgd', 0.5, 1.2, 4);
CALL train('train', 1, 'sgd', 4);
CALL those_in_check();
CALL train('retrain', 1, 'sgd', 4);
CALL train_on_samples(1, 'sgd', 0.1, 0.6, 6);
CALL train_on_samples(1, 'sgd', 0.1, 2, 12);
CALL train_on_samples(4, 'sgd', 0.25, 1.2, 6);
CALL train('train', 4, 'momentum', 4);
CALL train('retarget', 4, 'sgd', 4);
UPDATE experiment SET copies = 1000;

\ir verdict.psql
SELECT dpsens.drop_model('dps_epsilon_model');
