-- groups.sql
--	Which groups of undeclared keys are shown, as SQL sees it: with the probability
--	that the definition of the noise gives them, and never so that neighbouring
--	tables could be told apart by more than (epsilon, delta).
--
-- Groups of each size from 1 to 12, very many of each, are asked for at once; each
-- has a draw of its own.  An observed frequency f of N draws is compared with p by
-- Bernstein's inequality: P(|f - p| > sqrt(2 p (1 - p) L / N) + 2 L / 3N) < 2 exp(-L).
-- With L = 20 and less than 100 comparisons a right implementation fails with a
-- probability below 100 * 2 * exp(-20) = 4.2e-7.  A failure prints the size, the
-- frequency and the probability.  More draws: psql -v copies=20000.
\set QUIET on
SET client_min_messages = warning;
\if :{?copies}
\else
\set copies 3000
\endif
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_groups CASCADE;
CREATE SCHEMA dps_groups;
SET search_path = dps_groups, public;

-- size and number of the group, and a person in it; g: another key of several
CREATE TABLE t (size int NOT NULL, copy int NOT NULL, person int NOT NULL);
INSERT INTO t SELECT size, copy, (size * 100 + row) * 100000 + copy FROM generate_series(1, 12) size, generate_series(1, :copies) copy, generate_series(1, size) row;
CREATE TABLE seen (what text, e float8, delta float8, size int, n float8, f float8, p float8);

CREATE FUNCTION threshold(e float8, delta float8) RETURNS int LANGUAGE sql IMMUTABLE
RETURN greatest(ceil(ln(1 + (1 - exp(-e)) * (1 - delta) / (delta * (1 + exp(-e)))) / e), 1);
-- P(size + Z > K), Z = z with a probability proportional to exp(-e|z|) on -K ... K
CREATE FUNCTION shown(size int, e float8, delta float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT COALESCE(sum(exp(-e * abs(z))) FILTER (WHERE size + z > k), 0) / sum(exp(-e * abs(z))) FROM (SELECT threshold(e, delta) AS k) t, LATERAL generate_series(-k, k) z
$$;

-- e and delta: those of one group
CREATE FUNCTION look(what text, share int, epsilon float8, delta float8, condition text DEFAULT 'true') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('dpsens.selection_epsilon', epsilon::text, false), set_config('dpsens.delta', delta::text, false), set_config('dpsens.epsilon', '1', false);
    EXECUTE format($q$
        INSERT INTO seen SELECT %L, %s, %s, a.size, a.n, COALESCE(s.n, 0) / a.n, shown(a.size, %s, %s)
        FROM (SELECT size, count(DISTINCT copy)::float8 AS n FROM t GROUP BY size) a
        LEFT JOIN (SELECT size, count(*) AS n FROM (SELECT size, copy, dp_count(*) FROM t WHERE %s GROUP BY size, copy) q GROUP BY size) s USING (size)
    $q$, what, epsilon / share, delta / share, epsilon / share, delta / share, condition);
END $$;

SELECT dpsens.protect('t');
SELECT look('add_remove', 1, 1, 0.02), look('add_remove', 1, 0.5, 0.1), look('add_remove', 1, 4, 1e-3);
SELECT dpsens.protect('t', adjacency => 'replace');
SELECT look('replace', 2, 1, 0.1);
SELECT dpsens.protect('t', unit => 'person', adjacency => 'add_remove', max_rows => 4, max_groups => 3);
SELECT look('three groups', 3, 3, 0.06);
SELECT dpsens.unprotect('t'), dpsens.protect('t');
SELECT look('a condition', 1, 1, 0.02, 'person % 100000 > 0');
\o
SELECT plan(5);

CREATE FUNCTION slack(p float8, n float8) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN sqrt(2 * p * (1 - p) * 20 / n) + 2 * 20 / (3 * n);
SELECT is((SELECT string_agg(format('%s e %s delta %s size %s: %s, expected %s', what, e, delta, size, f, p), '; ') FROM seen WHERE abs(f - p) > slack(p, n)), NULL, 'groups are shown as often as they should');
SELECT cmp_ok((SELECT count(*) FROM seen WHERE f BETWEEN 0.05 AND 0.95), '>=', 12::bigint, 'many of them sometimes');
SELECT is((SELECT string_agg(format('%s e %s size %s: %s', what, e, size, f), '; ') FROM seen WHERE size > 2 * threshold(e, delta) AND f < 1), NULL, 'from 2K + 1 on always');

-- An audit, which knows nothing of K: sizes n and n + 1 are neighbours, and so are 0 and 1.
CREATE TABLE pairs AS
SELECT a.what, a.e, a.delta, a.size, greatest(COALESCE(b.f, 0) - COALESCE(slack(greatest(b.f, 1 / b.n), b.n), 0), 0) AS low_p, least(COALESCE(b.f, 0) + COALESCE(slack(greatest(b.f, 1 / b.n), b.n), 0), 1) AS high_p,
    greatest(a.f - slack(greatest(a.f, 1 / a.n), a.n), 0) AS low_q, least(a.f + slack(greatest(a.f, 1 / a.n), a.n), 1) AS high_q
FROM seen a LEFT JOIN seen b ON (a.what, a.e, a.delta, a.size) = (b.what, b.e, b.delta, b.size + 1);
-- what surely cannot be: P(S) > exp(e) Q(S) + delta, for S = shown and S = not shown, either way round
SELECT is((SELECT string_agg(p::text, '; ') FROM pairs p WHERE low_q > exp(e) * high_p + delta OR low_p > exp(e) * high_q + delta
    OR 1 - high_q > exp(e) * (1 - low_p) + delta OR 1 - high_p > exp(e) * (1 - low_q) + delta), NULL, 'no neighbours are told apart by more than (epsilon, delta)');
-- and the audit would notice if it were much more: two thirds of epsilon are in plain sight
SELECT cmp_ok((SELECT max(ln((low_q - delta) / high_p) / e) FROM pairs WHERE low_q > delta AND high_p > 0 AND e <= 1), '>', 0.66::float8, 'the loss that it can see');
SELECT * FROM finish();
DROP SCHEMA dps_groups CASCADE;
