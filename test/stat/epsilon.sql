-- epsilon.sql
--	The promise itself, measured: what every aggregate answers under every mechanism
--	about two neighbouring tables is told apart no better than epsilon and delta
--	allow.
--
--	psql -v runs=1000000 -f test/stat/epsilon.sql		("make epsiloncheck")
--
-- For each case there are two tables whose groups, 5,000 of them, are copies of one group
-- and of its neighbour; a query answers for all groups, each with noise of its own, so
-- that one query is 5,000 runs of the whole path from SQL to answer.  Answers are
-- counted in the bins between fixed edges.  Events are the bins, and what lies
-- below or above an edge.  For each event E and either order of the tables
--
--		P(E) <= exp(epsilon) P'(E) + delta
--
-- must hold; it is refuted if a lower bound of P(E) exceeds what an upper bound of P'(E)
-- allows for.  Order one is a row added, the other a row removed; a row replaced is
-- both.
--
-- The bounds are those of Chernoff (relative entropy): p is outside of one with a
-- probability of at most exp(-26), for any number of runs.  There are fewer than
-- 20,000 bounds: the false-alarm rate is below 20,000 exp(-26) = 1.1e-7.
--
-- Noise cannot be seeded.  A failure prints the query, the event and how often it
-- happened in either table; running the file again draws anew.
--
-- The test of the test: each case is asked again at `factor` times epsilon, which is
-- judged as if it were epsilon, and must be refuted, here by 10,000 runs.  The factor is 2,
-- half of the noise, where one integer gets discrete Laplace noise.  It is larger where these two
-- tables, or what is looked at, are not the worst that there could be: a mean of two
-- rows hides much of what was released, a quantile's draws are further from their
-- bound than its proof needs, and Gaussian noise for few integers reaches its
-- delta in a tail.  With these factors what is proven exceeds epsilon by more than five of
-- its standard deviations.  A million runs see smaller faults.
\set QUIET on
SET client_min_messages = error;
\if :{?runs}
\else
\set runs 10000
\endif
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_epsilon CASCADE;
CREATE SCHEMA dps_epsilon;
SET search_path = dps_epsilon, public;
SET plan_cache_mode = force_generic_plan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET synchronous_commit = off;
SET dpsens.epsilon = 1;
SET dpsens.delta = 0.05;

-- ---- tables ----

-- k numbers the copies and is public; the others are private.
CREATE TABLE person (k int NOT NULL, x float8 NOT NULL, y float8 NOT NULL, a int NOT NULL, s text NOT NULL, f boolean NOT NULL);

CREATE PROCEDURE make_table(name text, adjacency text, body text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE person INCLUDING ALL)', name);
    EXECUTE format('INSERT INTO %I SELECT k, r.* FROM generate_series(1, 5000) AS k, (%s) AS r', name, body);
    EXECUTE format('ANALYZE %I', name);
    PERFORM dpsens.protect(name::regclass, adjacency => adjacency);
    PERFORM dpsens.set_range(name::regclass, 'x', 0, 10), dpsens.set_range(name::regclass, 'y', 0, 10), dpsens.set_range(name::regclass, 'a', 0, 3),
            dpsens.set_values(name::regclass, 's', 'u', 'v', 'w');
    EXECUTE format('SELECT dpsens.set_values(%L::regclass, ''k'', VARIADIC %L::text[])', name, (SELECT array_agg(i::text) FROM generate_series(1, 5000) AS i));
    PERFORM dpsens.set_public(name::regclass, 'k');
END $$;

-- One row and another one beside it; nothing and one row; many and one more; a row
-- that becomes another.
CALL make_table('few_0', 'add_remove', 'SELECT 5, 5, 1, ''u'', true');
CALL make_table('few_1', 'add_remove', 'VALUES (5, 5, 1, ''u'', true), (10, 10, 3, ''v'', false)');
CALL make_table('none_0', 'add_remove', 'SELECT 0, 0, 0, ''u'', true WHERE false');
CALL make_table('none_1', 'add_remove', 'SELECT 10, 10, 3, ''v'', false');
CALL make_table('many_0', 'add_remove', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, 1 + i % 2, ''u'', true FROM generate_series(1, 40) AS i');
CALL make_table('many_1', 'add_remove', 'SELECT 4 + i % 3, 4 + i % 3 + i % 2, 1 + i % 2, ''u'', true FROM generate_series(1, 40) AS i UNION ALL SELECT 10, 0, 3, ''v'', false');
CALL make_table('swap_0', 'replace', 'VALUES (5, 5, 1, ''u'', true), (0, 0, 0, ''u'', true)');
CALL make_table('swap_1', 'replace', 'VALUES (5, 5, 1, ''u'', true), (10, 10, 3, ''v'', false)');

-- ---- cases ----

-- The answer is r, and what is looked at is a number; the edges are `bins` equal
-- steps from lo to hi, three times as far apart under Gaussian noise where the answer has no
-- bounds.  base: what epsilon is, for many rows are needed at a small one.
CREATE TABLE experiment (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pair text, aggregate text, seen text, lo float8, hi float8, bounded boolean,
    mechanism text, factor float8, base float8 DEFAULT 1);
CREATE PROCEDURE add(pair text, aggregate text, seen text, lo float8, hi float8, bounded boolean, factor_laplace float8, factor_gaussian float8,
                     base float8 DEFAULT 1) LANGUAGE sql AS $$
    INSERT INTO experiment (pair, aggregate, seen, lo, hi, bounded, mechanism, factor, base)
    SELECT pair, aggregate, seen, lo, hi, bounded, m.name, m.factor, base
    FROM (VALUES ('laplace', factor_laplace), ('gaussian', factor_gaussian)) AS m (name, factor) WHERE m.factor IS NOT NULL
$$;
CALL add('few', 'dp_count(*)', 'r', -4.5, 7.5, false, 2, 6);
CALL add('few', 'dp_count(*) FILTER (WHERE x > 7)', 'r', -5.5, 6.5, false, 2, 6);
CALL add('few', 'dp_sum(x)', 'r', -45, 65, false, 2, 6);
CALL add('few', 'dp_avg(x)', 'r', 0.01, 9.99, true, 4, 4);
CALL add('many', 'dp_avg(x)', 'r', 4.6, 5.6, true, 4, 6, 4);
CALL add('few', 'dp_var_pop(x)', 'r', 0.01, 24.99, true, 6, 16);
CALL add('many', 'dp_var_pop(x)', 'r', 0.01, 3, true, 4, 4, 4);
CALL add('many', 'dp_regr_slope(y, x)', 'r', -1, 3, true, 6, 8, 4);
CALL add('few', 'dp_covar_pop(x, y)', 'r', -25, 25, true, 8, 16);
CALL add('few', 'dp_regr_avgx(y, x)', 'r', 0.01, 9.99, true, 6, 6);
CALL add('few', 'dp_sum(ARRAY[x, y])', 'r[1] + r[2]', -90, 130, false, 3, 8);
CALL add('few', 'dp_avg(ARRAY[x, y])', 'r[1] + r[2]', 0.01, 19.99, true, 6, 6);
CALL add('few', 'dp_histogram(x, 2)', 'r[2]', -5.5, 6.5, false, 2, 6);
CALL add('few', 'dp_count(DISTINCT s)', 'r', -4.5, 7.5, false, 2, 6);
CALL add('none', 'dp_bool_or(NOT f)', 'r::int', 0.5, 1.5, true, 2, 6);
CALL add('none', 'dp_bool_and(f)', 'r::int', 0.5, 1.5, true, 2, 6);
CALL add('none', 'dp_mode(s)', 'CASE r WHEN ''u'' THEN 0 WHEN ''v'' THEN 1 ELSE 2 END', 0.5, 1.5, true, 4, NULL);
CALL add('few', 'dp_median(a)', 'r', 0.5, 2.5, true, 4, NULL);
CALL add('none', 'dp_quantile(3 - a, 0.25)', 'r', 0.5, 2.5, true, 6, NULL);
CALL add('few', 'dp_quantile(a, ARRAY[0.25, 0.75])', 'r[1] + r[2]', 0.5, 5.5, true, 6, NULL);
CALL add('few', 'dp_quantile(a, ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])', '(SELECT sum(v) FROM unnest(r) AS v)', 0.5, 26.5, true, 10, 16);
CALL add('none', 'dp_median_ci(a)', '(r).lower + (r).estimate + (r).upper', 0.5, 8.5, true, 24, NULL);
CALL add('none', 'dp_min_ci(a)', '(r).estimate + (r).upper', 0.5, 5.5, true, 12, NULL);
CALL add('few', 'dp_histogram_ci(x, 2)', '(r).estimate[2]', -5.5, 6.5, false, 2, 6);
CALL add('none', 'dp_min(a)', 'r', 0.5, 2.5, true, 6, NULL);
CALL add('none', 'dp_max(a)', 'r', 0.5, 2.5, true, 6, NULL);
CALL add('swap', 'dp_count(*) FILTER (WHERE x > 7)', 'r', -5.5, 6.5, false, 2, 6);
CALL add('swap', 'dp_sum(x)', 'r', -45, 65, false, 2, 6);
CALL add('swap', 'dp_avg(x)', 'r', -20, 30, true, 2, 6);
CALL add('swap', 'dp_avg(x) FILTER (WHERE a <> 1)', 'r', 0.01, 9.99, true, 4, 6);
CALL add('swap', 'dp_var_pop(x * y / 10)', 'r', 0.01, 24.99, true, 8, 20);
CALL add('swap', 'dp_sum(ARRAY[x, y])', 'r[1] + r[2]', -90, 130, false, 3, 8);
CALL add('swap', 'dp_histogram(x, 2)', 'r[2] - r[1]', -12, 12, false, 3, 6);
CALL add('swap', 'dp_count(DISTINCT s)', 'r', -4.5, 7.5, false, 2, 6);
CALL add('swap', 'dp_bool_or(NOT f)', 'r::int', 0.5, 1.5, true, 2, 6);
CALL add('swap', 'dp_bool_and(f)', 'r::int', 0.5, 1.5, true, 2, 6);
CALL add('swap', 'dp_mode(s)', 'CASE r WHEN ''u'' THEN 0 WHEN ''v'' THEN 1 ELSE 2 END', 0.5, 1.5, true, 4, NULL);
CALL add('swap', 'dp_median(a)', 'r', 0.5, 2.5, true, 4, NULL);
CALL add('swap', 'dp_quantile(a, ARRAY[0.25, 0.75])', 'r[1] + r[2]', 0.5, 5.5, true, 6, NULL);
CALL add('swap', 'dp_min(a)', 'r', 0.5, 2.5, true, 4, NULL);
CALL add('swap', 'dp_max(a)', 'r', 0.5, 2.5, true, 4, NULL);
CALL add('none', 'dp_mode_ci(s)', 'CASE r[1] WHEN ''u'' THEN 0 WHEN ''v'' THEN 1 ELSE 2 END', 0.5, 1.5, true, 6, 16);
CALL add('swap', 'dp_mode_ci(s)', 'CASE r[1] WHEN ''u'' THEN 0 WHEN ''v'' THEN 1 ELSE 2 END', 0.5, 1.5, true, 6, 16);

-- ---- runs ----

CREATE TABLE outcome (experiment int, factor float8, side int, bin int, n bigint);

CREATE FUNCTION edges(e experiment) RETURNS float8[] LANGUAGE sql STABLE
RETURN (SELECT array_agg((e.lo + e.hi) / 2 + (i - 6) * (e.hi - e.lo) / 12 * CASE WHEN e.mechanism = 'gaussian' AND NOT e.bounded THEN 3 ELSE 1 END ORDER BY i)
        FROM generate_series(0, 12) AS i);

CREATE FUNCTION asked(e experiment, side int) RETURNS text LANGUAGE sql STABLE
RETURN format('SELECT k, %s AS r FROM %I GROUP BY k', e.aggregate, e.pair || '_' || side);

CREATE PROCEDURE run(e experiment, factor float8, times bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('dpsens.mechanism', e.mechanism, false), set_config('dpsens.epsilon', (e.base * factor)::text, false);
    FOR side IN 0..1 LOOP
        EXECUTE format('PREPARE counted AS INSERT INTO outcome SELECT %s, %s, %s, coalesce(width_bucket((%s)::float8, %L::float8[]), -1), count(*) FROM (%s) AS q GROUP BY 4',
                       e.id, factor, side, e.seen, edges(e), asked(e, side));
        FOR i IN 1..greatest(times / 5000, 1) LOOP
            EXECUTE 'EXECUTE counted';
        END LOOP;
        DEALLOCATE counted;
    END LOOP;
END $$;

CREATE PROCEDURE run_all(times bigint) LANGUAGE plpgsql AS $$
DECLARE
    e experiment;
BEGIN
    FOR e IN SELECT * FROM experiment ORDER BY id LOOP
        CALL run(e, 1, times);
        CALL run(e, e.factor, least(times, 10000));
        COMMIT;
    END LOOP;
END $$;
CALL run_all(:runs);
RESET dpsens.mechanism;

-- ---- verdicts ----

-- The probabilities p on either side of share = n / total with total * KL(share, p) <= 26.
CREATE FUNCTION bound(n float8, total float8, upper_bound boolean) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    share float8 := n / total;
    inner_end float8 := share;
    outer_end float8 := CASE WHEN upper_bound THEN 1 ELSE 0 END;
    p float8;
    entropy float8;
BEGIN
    IF share = outer_end THEN
        RETURN outer_end;
    END IF;
    FOR i IN 1..24 LOOP
        p := (inner_end + outer_end) / 2;
        -- as near as doubles come
        EXIT WHEN p IN (0, 1);
        entropy := CASE WHEN share > 0 THEN share * ln(share / p) ELSE 0 END + CASE WHEN share < 1 THEN (1 - share) * ln((1 - share) / (1 - p)) ELSE 0 END;
        IF total * entropy > 26 THEN
            outer_end := p;
        ELSE
            inner_end := p;
        END IF;
    END LOOP;
    RETURN outer_end;
END $$;

CREATE TABLE counted AS
SELECT experiment, factor, b.bin, s.side, coalesce(sum(o.n), 0)::float8 AS n, sum(sum(o.n)) OVER (PARTITION BY experiment, factor, s.side)::float8 AS total
FROM (SELECT DISTINCT experiment, factor FROM outcome) AS e CROSS JOIN generate_series(-1, 13) AS b (bin) CROSS JOIN generate_series(0, 1) AS s (side)
     LEFT JOIN outcome AS o USING (experiment, factor, bin, side)
GROUP BY experiment, factor, b.bin, s.side;

CREATE TABLE event AS
SELECT experiment, factor, side, what, bin, n, total, bound(n, total, false) AS at_least, bound(n, total, true) AS at_most
FROM (SELECT experiment, factor, side, 'in bin' AS what, bin, n, total FROM counted
      UNION ALL SELECT experiment, factor, side, 'up to bin', bin, sum(n) OVER (PARTITION BY experiment, factor, side ORDER BY bin), total FROM counted WHERE bin < 13
      UNION ALL SELECT experiment, factor, side, 'above bin', bin, total - sum(n) OVER (PARTITION BY experiment, factor, side ORDER BY bin), total FROM counted WHERE bin < 13) AS e;

-- The largest epsilon that an event proves, for either order.
CREATE TABLE verdict AS
SELECT DISTINCT ON (a.experiment, a.factor) x.id, x.mechanism, x.aggregate, x.pair, x.base, a.factor, a.what, a.bin, a.n, b.n AS n_other, a.total, a.side,
       CASE WHEN a.at_least > d.delta THEN ln((a.at_least - d.delta) / b.at_most) ELSE '-infinity' END AS proven
FROM event AS a JOIN event AS b USING (experiment, factor, what, bin) JOIN experiment AS x ON x.id = a.experiment
     CROSS JOIN LATERAL (SELECT CASE WHEN x.mechanism = 'gaussian' THEN 0.05::float8 ELSE 0 END AS delta) AS d
WHERE a.side <> b.side
ORDER BY a.experiment, a.factor, proven DESC;
\o

SELECT no_plan();
SELECT ok(proven <= base, format('%s, %s, %s: epsilon is %s and at least %s', aggregate, mechanism, pair, base, round(greatest(proven, 0)::numeric, 3)))
FROM verdict WHERE factor = 1 ORDER BY id;
SELECT diag(format('%s of %s in table %s, %s in the other, %s %s: %s', n, total, side, n_other, what, bin, asked(e, side)))
FROM verdict JOIN experiment AS e USING (id) WHERE verdict.factor = 1 AND proven > verdict.base;
SELECT ok(bool_and(proven > base), format('asked at %s times epsilon, %s of %s cases would be refuted', factor, count(*) FILTER (WHERE proven > base), count(*)))
FROM verdict WHERE factor > 1 GROUP BY factor ORDER BY factor;
SELECT diag(format('%s, %s, %s at %s epsilon: only %s is proven', aggregate, mechanism, pair, factor, round(proven::numeric, 3)))
FROM verdict WHERE factor > 1 AND proven <= base ORDER BY id;
SELECT ok((SELECT count(*) FROM event WHERE factor = 1) * 2 < 20000, 'there are as few bounds as the false-alarm rate says');
SELECT ok((SELECT min(total) FROM counted WHERE factor = 1) >= :runs, format('each case was run %s times in either table', :runs));
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_epsilon CASCADE;
