-- Units of as many rows as may be declared: every aggregate is noised and charged, at
-- limits from one row to a million, in either norm.
--
-- Nothing here is about what noise is drawn, but that counts and sums differ: their scales are a
-- thousand rows or more, so that four draws are equal with probability below 1e-9.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
\pset format unaligned
\pset tuples_only on
SELECT plan(209);

DROP SCHEMA IF EXISTS limits_tap CASCADE;
CREATE SCHEMA limits_tap;
SET search_path = limits_tap, public;
CREATE TABLE v (id int PRIMARY KEY, pid int NOT NULL, y float8 NOT NULL, x1 float8 NOT NULL, x2 float8 NOT NULL,
    x3 float8 NOT NULL, x4 float8 NOT NULL, k int NOT NULL);
INSERT INTO v SELECT i, i % 50, i % 7, i % 11, i % 13, i % 5, i % 17, i % 3 FROM generate_series(1, 1000) i;

CREATE PROCEDURE declare_limit(most_rows int, neighbours text) LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    PERFORM dpsens.protect('v', unit => 'pid', max_rows => most_rows, adjacency => neighbours);
    FOREACH name IN ARRAY ARRAY['y', 'x1', 'x2', 'x3', 'x4'] LOOP
        PERFORM dpsens.set_range('v', name, 0, 20);
    END LOOP;
    PERFORM dpsens.set_values('v', 'k', '0', '1', '2');
END $$;

CREATE TABLE asked (call text PRIMARY KEY);
INSERT INTO asked VALUES ('dp_count(*)'), ('dp_count(y)'), ('dp_sum(y)'), ('dp_avg(y)'), ('dp_variance(y)'), ('dp_stddev(y)'), ('dp_covar_pop(y, x1)'),
    ('dp_corr(y, x1)'), ('dp_regr_slope(y, x1)'), ('dp_regr_sxy(y, x1)'), ('dp_linregr(y, ARRAY[x1, x2, x3, x4])'), ('dp_sum(ARRAY[x1, x2, x3])'),
    ('dp_avg(ARRAY[x1, x2, x3])'), ('dp_histogram(y, 4)'), ('dp_bool_or(y > 5)'), ('dp_count(DISTINCT k)');

-- What explain says of a call, and an answer to it.
CREATE FUNCTION scale_of(call text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT noise_scale FROM dpsens.explain(format('SELECT %s FROM v', call)) LIMIT 1);
END $$;

CREATE FUNCTION cost_of(call text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT greatest(cost_epsilon, cost_rho) FROM dpsens.explain(format('SELECT %s FROM v', call)) LIMIT 1);
END $$;

CREATE FUNCTION answer_to(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE format('SELECT (%s)::text FROM v', call) INTO answer;
    RETURN answer;
END $$;

CREATE FUNCTION charged() RETURNS float8 LANGUAGE sql RETURN (SELECT coalesce(sum(charge_rho), 0) FROM dpsens.releases WHERE relation = 'limits_tap.v');

-- NULL if it is; the other statistics are clamped, so that they may well be equal
CREATE FUNCTION is_answered(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before float8 := charged();
    answers text[] := ARRAY[answer_to(call), answer_to(call), answer_to(call), answer_to(call)];
BEGIN
    IF NOT scale_of(call) > 0 THEN RETURN 'no noise'; END IF;
    IF NOT cost_of(call) > 0 THEN RETURN 'costs nothing'; END IF;
    IF NOT charged() > before THEN RETURN 'not charged'; END IF;
    IF answers[1] = ALL (answers) AND call ~ '^dp_(count|sum|histogram)' THEN
        RETURN format('the same answer four times: %s', answers[1]);
    END IF;
    RETURN NULL;
END $$;

SET dpsens.delta = 1e-6;
SET dpsens.epsilon = 0.001;
SELECT format('CALL declare_limit(%s, %L)', n, a), format('SET dpsens.mechanism = %s', m),
    format('SELECT is(is_answered(call), NULL, format(%L, call)) FROM asked ORDER BY call', format('%s: %%s, %s rows of a unit, %s', m, n, a))
FROM (VALUES ('laplace'), ('gaussian')) AS mechanism (m), (VALUES ('add_remove'), ('replace')) AS adjacency (a), (VALUES (1), (1000), (1000000)) AS l (n) \gexec

-- a budget of less than one answer, and no way around it
SET dpsens.mechanism = laplace;
CREATE TABLE purse AS TABLE v;
DO $$BEGIN
    PERFORM dpsens.protect('purse', unit => 'pid', max_rows => 1000000), dpsens.set_budget('purse', epsilon => 0.001);
    PERFORM dpsens.set_range('purse', name, 0, 20) FROM unnest(ARRAY['y', 'x1', 'x2', 'x3', 'x4']) AS u (name);
END$$;
SELECT lives_ok('SELECT dp_linregr(y, ARRAY[x1, x2, x3, x4], 0.0009) FROM purse', 'the first answer is within the budget');
SELECT throws_ok('SELECT dp_linregr(y, ARRAY[x1, x2, x3, x4], 0.0009) FROM purse', '53400', NULL, 'the second is not');

-- the scale grows with the limit, and with nothing but rounding beside it
CREATE FUNCTION scale_at(call text, most_rows int) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    CALL declare_limit(most_rows, 'add_remove');
    RETURN scale_of(call);
END $$;
-- a row of so coarse a grid is rounded up to 2^-20 of itself
SELECT ok(scale_at(call, 1000000) / scale_at(call, 1) BETWEEN 0.99e6 AND 1.02e6, format('the noise of %s is that of one row, a million times', call))
FROM asked WHERE call NOT LIKE '%linregr%' ORDER BY call;

SELECT * FROM finish();
DROP SCHEMA limits_tap CASCADE;
