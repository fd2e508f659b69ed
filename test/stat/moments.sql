-- moments.sql
--	The noise of variances, covariances, regression and vectors: as large as
--	dpsens.explain says, for a sensitivity that no neighbouring table passes.
--
-- Two parts.  The first draws 2000 answers of each aggregate, over rows that are spread
-- evenly and correlated by 1/2, and counts those that are off by more than the noise
-- is said to be: sums by more than error_95; means, too, for which that is a bound, and so
-- only the upper end counts; of statistics of second moments those whose interval of 95 %
-- misses the value.  A count out of [20, 175] is a failure: for a right
-- implementation, where the probability is between 0.036 and 0.055 (that of one
-- draw is 0.05, that of a sum of several is below it under Laplace noise, and intervals of
-- second moments miss with 0.85 times 0.05), that has
-- a probability below 1e-10, below 1e-8 for all counts together.  With half or twice the
-- noise, 4 or 500 are expected.
--
-- The second is without chance.  From answers without noise it computes what is
-- noised (src/moment/moment.c), for generated tables and their neighbours by one row
-- added, removed or replaced, and compares the distance with the sensitivity that
-- explain states, up to the rounding of weights to multiples of 1/256.  Another seed: psql -v seed=0.25 -v trials=2000.

\set QUIET on
\set ON_ERROR_STOP 1
SET client_min_messages = error;
\if :{?seed}
\else
\set seed 0.5
\endif
\if :{?trials}
\else
\set trials 256
\endif
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_moments CASCADE;
CREATE SCHEMA dps_moments;
SET search_path = dps_moments, public;

-- ---- how large the noise is ----

-- 500 groups of the same 200 rows.
CREATE TABLE t (id serial PRIMARY KEY, g int NOT NULL, x float8 NOT NULL, y float8 NOT NULL);
INSERT INTO t (g, x, y) SELECT g, (i + 0.5), (CASE WHEN k < 10 THEN i ELSE j END + 0.5) * 0.3
    FROM generate_series(1, 500) g, generate_series(0, 9) i, generate_series(0, 9) j, generate_series(9, 10) k;
SELECT dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 10), dpsens.set_range('t', 'y', 0, 3),
    dpsens.set_values('t', 'g', VARIADIC ARRAY(SELECT i::text FROM generate_series(1, 500) i));

-- the private aggregate and the exact one
CREATE TABLE forms (private text PRIMARY KEY, plain text);
INSERT INTO forms VALUES ('dp_var_pop(x)', 'var_pop(x)'), ('dp_stddev_pop(x)', 'stddev_pop(x)'), ('dp_covar_pop(y, x)', 'covar_pop(y, x)'),
    ('dp_corr(y, x)', 'corr(y, x)'), ('dp_regr_slope(y, x)', 'regr_slope(y, x)'), ('dp_regr_sxy(y, x)', 'regr_sxy(y, x)'),
    ('(dp_sum(ARRAY[x, y]))[1]', 'sum(x)'), ('(dp_avg(ARRAY[x, y]))[2]', 'avg(y)');

-- How many of 2000 intervals miss.
CREATE FUNCTION count_missed(private text, exact float8) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    missed bigint := 0;
    more bigint;
BEGIN
    FOR i IN 1..4 LOOP
        EXECUTE format('SELECT count(*) FILTER (WHERE NOT $1 BETWEEN (v).lower AND (v).upper) FROM (SELECT %s AS v FROM t GROUP BY g) q',
            replace(private, '(', '_ci(')) INTO more USING exact;
        missed := missed + more;
    END LOOP;
    RETURN missed;
END $$;

-- How many of 2000 answers are off by more than they are said to be.
CREATE FUNCTION count_off(private text, plain text, mechanism text, adjacency text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    bound float8;
    exact float8;
    off bigint := 0;
    more bigint;
BEGIN
    PERFORM dpsens.protect('t', unit => 'id', adjacency => adjacency), set_config('dpsens.epsilon', '60', false),
        set_config('dpsens.mechanism', mechanism, false);
    EXECUTE format('SELECT %s FROM t WHERE g = 1', plain) INTO exact;
    IF private ~ '^dp_' THEN
        RETURN count_missed(private, exact);
    END IF;
    SELECT error_95 INTO bound FROM dpsens.explain(format('SELECT %s FROM t GROUP BY g', private), 200);
    FOR i IN 1..4 LOOP
        EXECUTE format('SELECT count(*) FILTER (WHERE abs(v - $1) > $2) FROM (SELECT %s AS v FROM t GROUP BY g) q', private)
            INTO more USING exact, bound;
        off := off + more;
    END LOOP;
    RETURN off;
END $$;

-- ---- how far a row moves what is noised ----

CREATE TABLE before (id int PRIMARY KEY, x float8, y float8);
CREATE TABLE after (LIKE before INCLUDING ALL);
CREATE TABLE problem (trial int, adjacency text, mechanism text, query text, distance float8, sensitivity float8);

-- Inside the range, at its ends, out of it, or no number at all.
CREATE FUNCTION some_number(lo float8, hi float8) RETURNS float8 LANGUAGE sql VOLATILE
RETURN (ARRAY[lo, hi, (lo + hi) / 2, lo + (hi - lo) * random(), lo + (hi - lo) * random(), lo - 1, 'Infinity', NULL, 'NaN'])[1 + floor(random() * 9)::int];

CREATE FUNCTION declare_both(adjacency text, lo float8, hi float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name regclass;
BEGIN
    FOREACH name IN ARRAY '{before,after}'::regclass[] LOOP
        PERFORM dpsens.protect(name, unit => 'id', adjacency => adjacency), dpsens.set_range(name, 'x', lo, hi), dpsens.set_range(name, 'y', 0, 3);
    END LOOP;
END $$;

-- Sums over the rows of 1, a, b, a^2, b^2, a b, with a and b in [-1, 1].
CREATE FUNCTION moments(source regclass, lo float8, hi float8) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    m record;
    r float8 := (hi - lo) / 2;
    a float8;
    b float8;
BEGIN
    EXECUTE format('SELECT dp_regr_count(y, x)::float8 AS n, dp_regr_avgx(y, x) AS mx, dp_regr_avgy(y, x) AS my, dp_regr_sxx(y, x) AS sxx, '
        'dp_regr_syy(y, x) AS syy, dp_regr_sxy(y, x) AS sxy FROM %s', source) INTO m;
    IF m.n = 0 THEN
        RETURN '{0,0,0,0,0,0}';
    END IF;
    a := (m.mx - (lo + hi) / 2) / r;
    b := (m.my - 1.5) / 1.5;
    RETURN ARRAY[m.n, m.n * a, m.n * b, m.sxx / r ^ 2 + m.n * a ^ 2, m.syy / 2.25 + m.n * b ^ 2, m.sxy / (1.5 * r) + m.n * a * b];
END $$;

-- What is noised, in the norm, of a difference of moments.
CREATE FUNCTION noised_norm(d float8[], mechanism text, n_is_public boolean) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN mechanism = 'gaussian' THEN sqrt((CASE WHEN n_is_public THEN 0 ELSE (1.6 * sqrt(2) * 0.75 * d[1]) ^ 2 END) + d[2] ^ 2 + d[3] ^ 2 +
        4 * (d[4] - 0.75 * d[1]) ^ 2 + 4 * (d[5] - 0.75 * d[1]) ^ 2 + 2 * d[6] ^ 2)
    WHEN n_is_public THEN abs(2 * d[4] + d[2]) + abs(2 * d[4] - d[2]) + abs(2 * d[5] + d[3]) + abs(2 * d[5] - d[3]) + abs(d[6])
    ELSE (SELECT sum(abs(d[1] + 3 * (s * d[2] + t * d[3]) + 2.25 * (d[4] + d[5]) + 4.5 * s * t * d[6])) FROM (VALUES (1), (-1)) a (s), (VALUES (1), (-1)) b (t)) / 4
        + 2.25 * (abs(d[1] - d[4]) + abs(d[1] - d[5])) END;

CREATE FUNCTION norm_of(d float8[], mechanism text) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE mechanism WHEN 'gaussian' THEN (SELECT sqrt(sum(e ^ 2)) FROM unnest(d) e) ELSE (SELECT sum(abs(e)) FROM unnest(d) e) END;

CREATE FUNCTION difference(a float8[], b float8[]) RETURNS float8[] LANGUAGE sql IMMUTABLE
RETURN (SELECT array_agg(p - q ORDER BY o) FROM unnest(a, b) WITH ORDINALITY u (p, q, o));

CREATE FUNCTION vector_of(source regclass, entries text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[];
BEGIN
    EXECUTE format('SELECT dp_sum(%s) FROM %s', entries, source) INTO result;
    RETURN result;
END $$;

CREATE FUNCTION check_distance(trial int, adjacency text, mechanism text, query text, distance float8) RETURNS void LANGUAGE sql AS $$
    INSERT INTO problem SELECT trial, adjacency, mechanism, query, distance, sensitivity FROM dpsens.explain(query) WHERE NOT distance <= sensitivity * (CASE WHEN query ~ 'corr' THEN 1.004 ELSE 1 + 1e-7 END) + 1e-6;
$$;

-- One table, one neighbour, all that is asked of both.
CREATE FUNCTION try_neighbours(trial int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    adjacency text := (ARRAY['add_remove', 'replace'])[1 + trial % 2];
    mechanism text := (ARRAY['laplace', 'gaussian'])[1 + trial / 2 % 2];
    lo float8 := (ARRAY[0, -5, 1000, -1e-3])[1 + trial / 4 % 4];
    hi float8 := lo + (ARRAY[10, 1, 1e6, 3e-4])[1 + trial / 16 % 4];
    entries text := (ARRAY['ARRAY[x, y]', 'ARRAY[x - y, x + y, y]', 'ARRAY[abs(y - 1), y ^ 2]', 'ARRAY[y, 3 - y]'])[1 + trial / 64 % 4];
    -- whether a row counts depends on private columns, so n is not public
    n_is_public boolean := false;
BEGIN
    TRUNCATE before, after;
    INSERT INTO before SELECT i, some_number(lo, hi), some_number(0, 3) FROM generate_series(1, trial % 4) i;
    INSERT INTO after SELECT * FROM before;
    IF adjacency = 'add_remove' THEN
        INSERT INTO after VALUES (0, some_number(lo, hi), some_number(0, 3));
    ELSE
        INSERT INTO before VALUES (0, some_number(lo, hi), some_number(0, 3));
        INSERT INTO after VALUES (0, some_number(lo, hi), some_number(0, 3));
    END IF;
    IF trial % 3 = 0 THEN
        n_is_public := adjacency = 'replace';
        UPDATE before SET x = coalesce(nullif(x, 'NaN'), hi), y = coalesce(nullif(y, 'NaN'), 0);
        UPDATE after SET x = coalesce(nullif(x, 'NaN'), hi), y = coalesce(nullif(y, 'NaN'), 0);
        ALTER TABLE before ALTER x SET NOT NULL, ALTER y SET NOT NULL;
        ALTER TABLE after ALTER x SET NOT NULL, ALTER y SET NOT NULL;
    END IF;
    PERFORM declare_both(adjacency, lo, hi), set_config('dpsens.mechanism', mechanism, false);
    PERFORM check_distance(trial, adjacency, mechanism, 'SELECT dp_corr(y, x) FROM before',
        noised_norm(difference(moments('before', lo, hi), moments('after', lo, hi)), mechanism, n_is_public));
    PERFORM check_distance(trial, adjacency, mechanism, format('SELECT dp_sum(%s) FROM before', entries),
        norm_of(difference(vector_of('before', entries), vector_of('after', entries)), mechanism));
    IF trial % 3 = 0 THEN
        ALTER TABLE before ALTER x DROP NOT NULL, ALTER y DROP NOT NULL;
        ALTER TABLE after ALTER x DROP NOT NULL, ALTER y DROP NOT NULL;
    END IF;
END $$;

\o
SELECT no_plan();
SELECT ok(off <= 175 AND (off >= 20 OR private ~ 'dp_avg'), format('%s, %s, %s: %s of 2000 answers are off by more than they are said to be', private, mechanism, adjacency, off))
FROM forms, (VALUES ('laplace'), ('gaussian')) m (mechanism), (VALUES ('add_remove'), ('replace')) a (adjacency),
    LATERAL count_off(private, plain, mechanism, adjacency) off;

SET dpsens.noise = off;
SET dpsens.epsilon = 1;
SELECT setseed(:seed) AS ignored \gset
\o /dev/null
DO $$ BEGIN TRUNCATE problem; END $$;
CREATE PROCEDURE try_all(trials int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 0..trials - 1 LOOP
        PERFORM try_neighbours(i);
        -- an answer is refused about rows that are not committed
        COMMIT;
    END LOOP;
END $$;
\o
CALL try_all(:trials);
SELECT is((SELECT count(*) FROM problem), 0::bigint, format('no neighbour among %s is further away than the sensitivity', :trials));
SELECT diag(p::text) FROM problem p LIMIT 10;
SELECT * FROM finish();
DROP SCHEMA dps_moments CASCADE;
