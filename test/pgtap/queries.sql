-- What each kind of query can reveal: sensitivities under every adjacency, the
-- queries that have none, and noise of the scale that follows.
-- Files: guard/rewrite/level_release.c, guard/rewrite/level_states.c, guard/query/dp_aggregates.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(262);

CREATE SCHEMA queries_tap;
SET search_path = queries_tap, public;
-- a and b as in Müller et al.; n may be NULL; s is a private key, ps a public
-- one, p and pn are public numbers
CREATE TABLE five (a float8 NOT NULL, b float8 NOT NULL, n float8, s text, ps text, p float8 NOT NULL, pn float8);
INSERT INTO five VALUES (1, 0.5, 1, 'u', 'x', 1, 1), (1.5, 1, NULL, 'v', 'x', 2, 1), (2, 3, 3, 'u', 'y', 3, NULL),
                        (1, 3, 2, 'v', 'y', 1, 1), (1.25, 2, 0, 'u', 'x', 1, 1);
DO $$
BEGIN
    PERFORM dpsens.protect('five');
    PERFORM dpsens.set_range('five', 'a', 1, 2), dpsens.set_range('five', 'b', 0.5, 3), dpsens.set_range('five', 'n', -1, 3),
            dpsens.set_range('five', 'p', 1, 3), dpsens.set_range('five', 'pn', 1, 3),
            dpsens.set_values('five', 's', 'u', 'v'), dpsens.set_values('five', 'ps', 'x', 'y'),
            dpsens.set_public('five', 'ps'), dpsens.set_public('five', 'p'), dpsens.set_public('five', 'pn');
END $$;
SET dpsens.epsilon = 1;

-- explain's sensitivity of the query's only aggregate; NULL if refused
CREATE FUNCTION sensitivity(query text, adjacency text, rows float8 DEFAULT NULL) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('five', adjacency => adjacency);
    RETURN (SELECT e.sensitivity FROM dpsens.explain(query, rows) e);
EXCEPTION WHEN feature_not_supported OR numeric_value_out_of_range THEN
    RETURN NULL;
END $$;
-- a bound may be loose by the tolerance, and never below
CREATE FUNCTION close(have float8, want float8, description text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    fine bool := have IS NOT DISTINCT FROM want;
BEGIN
    IF have IS NOT NULL AND want IS NOT NULL THEN
        fine := have BETWEEN want - abs(want) * 1e-15 AND want + abs(want) * 1.1e-6;
    END IF;
    RETURN ok(fine, description) || CASE WHEN fine THEN '' ELSE E'\n' || diag(format('have %s, want %s', have, want)) END;
END $$;

SELECT close(sensitivity(query, adjacency, rows), want, adjacency || ': ' || query || coalesce(' of ' || rows || ' rows', ''))
FROM (VALUES
    -- the figures of Müller et al.
    ('SELECT dp_avg(a ^ 2 + exp(2 * b - a)) FROM five', 5, NULL::float8, 29.48263182051532::float8, 29.48263182051532::float8, 66.19446391885752::float8),
    ('SELECT dp_sum(a ^ 2 + exp(2 * b - a)) FROM five', NULL, 149.4131591025766, 147.4131591025766, 147.4131591025766, 330.9723195942876),
    -- counts: of rows, of values, by selection, by key
    ('SELECT dp_count(*) FROM five', NULL, 1, 0, 0, 0),
    ('SELECT dp_count(a) FROM five', NULL, 1, 0, 0, 0),
    ('SELECT dp_count(n) FROM five', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(pn) FROM five', NULL, 1, 0, 0, 0),
    ('SELECT dp_count(*) FROM five WHERE b > 1', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(*) FROM five WHERE p > 1', NULL, 1, 0, 0, 0),
    ('SELECT dp_count(*) FILTER (WHERE b > 1) FROM five', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(*) FILTER (WHERE p > 1) FROM five', NULL, 1, 0, 0, 0),
    ('SELECT dp_count(CASE WHEN b > 1 THEN 1 END) FROM five', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(NULLIF(a, 1)) FROM five', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(*) FROM five GROUP BY s', NULL, 1, 2, 2, NULL),
    ('SELECT dp_count(*) FROM five WHERE b > 1 GROUP BY s', NULL, 1, 2, 2, NULL),
    ('SELECT dp_count(*) FROM five GROUP BY ps', NULL, 1, 0, 0, 0),
    ('SELECT dp_count(*) FROM five WHERE b > 1 GROUP BY ps', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(*) FROM five GROUP BY ps, s', NULL, 1, 2, 2, NULL),
    ('SELECT dp_count(*) FROM (SELECT a FROM five WHERE b > 1) q WHERE a > 0', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(*) FROM (SELECT b > 1 AS c FROM five) q WHERE c', NULL, 1, 1, 1, NULL),
    ('SELECT dp_count(*) FROM (SELECT p AS b FROM five) q WHERE b > 1', NULL, 1, 0, 0, 0),
    -- sums: 0 joins the range where a row can cease to count
    ('SELECT dp_sum(a) FROM five', NULL, 2, 1, 1, 1),
    ('SELECT dp_sum(a) FROM five WHERE b > 1', NULL, 2, 2, 2, NULL),
    ('SELECT dp_sum(a) FILTER (WHERE b > 1) FROM five', NULL, 2, 2, 2, NULL),
    ('SELECT dp_sum(a) FROM five WHERE p > 1', NULL, 2, 1, 1, 1),
    ('SELECT dp_sum(a) FROM five WHERE a > 0', NULL, 2, 2, 2, NULL),
    ('SELECT dp_sum(n) FROM five', NULL, 3, 4, 4, 1),
    ('SELECT dp_sum(n + 2) FROM five', NULL, 5, 5, 5, 1),
    ('SELECT dp_sum(coalesce(n, 3) + 2) FROM five', NULL, 5, 4, 4, 1),
    ('SELECT dp_sum(a + 0 * pn) FROM five', NULL, 2, 1, 1, 1),
    ('SELECT dp_sum(-a) FROM five', NULL, 2, 1, 1, 1),
    ('SELECT dp_sum(-a) FROM five WHERE b > 1', NULL, 2, 2, 2, NULL),
    ('SELECT dp_sum(a - 1.5) FROM five', NULL, 0.5, 1, 1, 1),
    ('SELECT dp_sum(a - 1.5) FROM five WHERE b > 1', NULL, 0.5, 1, 1, NULL),
    ('SELECT dp_sum(a) FROM five GROUP BY s', NULL, 2, 4, 4, NULL),
    ('SELECT dp_sum(n) FROM five GROUP BY s', NULL, 3, 6, 6, NULL),
    ('SELECT dp_sum(a - 1.5) FROM five GROUP BY s', NULL, 0.5, 1, 1, NULL),
    ('SELECT dp_sum(a) FROM five GROUP BY ps', NULL, 2, 1, 1, 1),
    ('SELECT dp_sum(n) FROM five GROUP BY ps', NULL, 3, 4, 4, 1),
    -- several columns: one at a time under attribute, a norm under metric
    ('SELECT dp_sum(10 * a + b) FROM five', NULL, 23, 12.5, 10, sqrt(101::float8)),
    ('SELECT dp_sum(a * p) FROM five', NULL, 6, 5, 3, 3),
    ('SELECT dp_sum(a * b) FROM five', NULL, 6, 5.5, 5, sqrt(13::float8)),
    ('SELECT dp_sum(10 * a + n) FROM five', NULL, 23, 23, 23, sqrt(101::float8)),
    -- public values, constants
    ('SELECT dp_sum(p) FROM five', NULL, 3, 0, 0, 0),
    ('SELECT dp_sum(p) FROM five WHERE b > 1', NULL, 3, 3, 3, NULL),
    ('SELECT dp_sum(2) FROM five', NULL, 2, 0, 0, 0),
    ('SELECT dp_sum(0) FROM five', NULL, 0, 0, 0, 0),
    -- jumps have no slope
    ('SELECT dp_sum(floor(a)) FROM five', NULL, 2, 1, 1, NULL),
    ('SELECT dp_sum(CASE WHEN b > 1 THEN a ELSE 0 END) FROM five', NULL, 2, 2, 2, NULL),
    ('SELECT dp_sum(CASE WHEN b > 1 THEN a END) FROM five', NULL, 2, 2, 2, NULL),
    ('SELECT dp_sum(a::int) FROM five', NULL, 2, 1, 1, NULL),
    ('SELECT dp_sum(a + abs(b - 1)) FROM five', NULL, 4, 3, 2, sqrt(2::float8)),
    -- a mean by a noised number of rows: the pair's joint sensitivity
    ('SELECT dp_avg(a) FROM five WHERE b > 1', NULL, 1, 2, 2, NULL),
    ('SELECT dp_avg(n) FROM five', NULL, 4, 8, 8, 1),
    ('SELECT dp_avg(a) FROM five GROUP BY s', NULL, 1, 2, 2, NULL),
    ('SELECT dp_avg(n) FROM five WHERE b > 1 GROUP BY s', NULL, 4, 8, 8, NULL),
    -- and by a public one
    ('SELECT dp_avg(a) FROM five', 4, NULL, 0.25, 0.25, 0.25),
    ('SELECT dp_avg(a) FROM five WHERE p > 1', 4, NULL, 0.25, 0.25, 0.25),
    ('SELECT dp_avg(10 * a + b) FROM five GROUP BY ps', 2, NULL, 6.25, 5, sqrt(101::float8) / 2)
) AS queries (query, rows, add_remove, replace, attribute, metric),
LATERAL (VALUES ('add_remove', add_remove), ('replace', replace), ('attribute', attribute), ('metric', metric))
    AS adjacencies (adjacency, want)
WHERE NOT (rows IS NOT NULL AND adjacency = 'add_remove');

-- weights and ranges of the metric
SELECT close(sensitivity('SELECT dp_sum(10 * a + b) FROM five', 'metric'), sqrt(101::float8), 'weights are 1 by default');
DO $$ BEGIN PERFORM dpsens.set_range('five', 'a', 1, 2, 5); END $$;
SELECT close(sensitivity('SELECT dp_sum(10 * a + b) FROM five', 'metric'), sqrt(5::float8), 'a heavier column moves the sum less');
SELECT close(sensitivity('SELECT dp_sum(10 * a + b) FROM five', 'replace'), 12.5, 'weights are for metric alone');
DO $$ BEGIN PERFORM dpsens.set_range('five', 'a', 1, 2, 1); END $$;
ALTER TABLE five ALTER a DROP NOT NULL;
SELECT close(sensitivity('SELECT dp_sum(a) FROM five', 'metric'), 1, 'the pattern of NULLs is public under metric');
SELECT close(sensitivity('SELECT dp_sum(a) FROM five', 'replace'), 2, '0 joins the range of a column that may be NULL');
SELECT close(sensitivity('SELECT dp_sum(coalesce(a, 1)) FROM five', 'replace'), 1, 'unless it has a default');
ALTER TABLE five ALTER a SET NOT NULL;
SELECT close(sensitivity('SELECT dp_sum(a) FROM five', 'metric'), 1, 'NOT NULL again');

-- row-level security selects
CREATE POLICY chosen ON five USING (b > 1);
ALTER TABLE five ENABLE ROW LEVEL SECURITY;
ALTER TABLE five FORCE ROW LEVEL SECURITY;
CREATE ROLE queries_tap_owner;
GRANT ALL ON SCHEMA queries_tap TO queries_tap_owner;
GRANT EXECUTE ON FUNCTION dpsens.explain(text, float8) TO queries_tap_owner;
ALTER TABLE five OWNER TO queries_tap_owner;
SET ROLE queries_tap_owner;
SELECT close(sensitivity('SELECT dp_sum(a) FROM five', 'replace'), 2, 'a policy on a private column');
SELECT close(sensitivity('SELECT dp_count(*) FROM five', 'replace'), 1, 'and its count');
SELECT close(sensitivity('SELECT dp_sum(a) FROM five', 'metric'), NULL, 'which metric refuses');
RESET ROLE;
DROP POLICY chosen ON five;
CREATE POLICY chosen ON five USING (p > 1);
SET ROLE queries_tap_owner;
SELECT close(sensitivity('SELECT dp_sum(a) FROM five', 'replace'), 1, 'a policy on a public column');
RESET ROLE;
ALTER TABLE five DISABLE ROW LEVEL SECURITY;

-- the norm of the mechanism: a row that moves between groups
SET dpsens.mechanism = gaussian;
SELECT close(sensitivity('SELECT dp_count(*) FROM five GROUP BY s', 'replace'), sqrt(2::float8), 'two counts by 1, in the 2-norm');
SELECT close(sensitivity('SELECT dp_sum(a) FROM five GROUP BY s', 'replace'), 2 * sqrt(2::float8), 'two sums by 2, in the 2-norm');
SELECT close(sensitivity('SELECT dp_sum(n) FROM five GROUP BY s', 'replace'), 3 * sqrt(2::float8), 'with 0 inside the range');
SELECT close(sensitivity('SELECT dp_sum(a) FROM five GROUP BY s', 'add_remove'), 2, 'a row added is in one group');
RESET dpsens.mechanism;

-- noise has that scale.  The mean of 300 magnitudes of Laplace noise is
-- within 40 % of the scale but for a probability below 1e-8 (Chernoff: e^-(300 (0.4 - ln 1.4))).
CREATE FUNCTION magnitude(query text, exact float8, adjacency text, epsilon float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    v float8;
    total float8 := 0;
    statement text := format(query, epsilon);
BEGIN
    PERFORM dpsens.protect('five', adjacency => adjacency);
    FOR i IN 1..300 LOOP
        EXECUTE statement INTO v;
        total := total + abs(v - exact);
    END LOOP;
    RETURN total / 300;
END $$;
SELECT ok(magnitude(format('SELECT dp_avg(%s, %%s) FROM five', f), mean, adjacency, 64) BETWEEN 0.6 * scale / 64 AND 1.4 * scale / 64,
          'noise of dp_avg under ' || adjacency)
FROM (SELECT 'a ^ 2 + exp(2 * b - a)' AS f, avg(a ^ 2 + exp(2 * b - a)) AS mean FROM five) q,
     (VALUES ('metric', 66.19446391885752::float8), ('replace', 29.48263182051532), ('attribute', 29.48263182051532)) v (adjacency, scale);
SELECT ok(magnitude(format('SELECT dp_sum(%s, %%s) FROM five', f), total, adjacency, 2) BETWEEN 0.6 * scale / 2 AND 1.4 * scale / 2,
          'noise of dp_sum under ' || adjacency)
FROM (SELECT '10 * a + b' AS f, sum(10 * a + b) AS total FROM five) q,
     (VALUES ('add_remove', 23::float8), ('replace', 12.5), ('attribute', 10), ('metric', 10.05)) v (adjacency, scale);
SELECT ok(magnitude('SELECT dp_sum(a, %s) FROM five GROUP BY s HAVING s = ''u''', 4.25, adjacency, 1) BETWEEN 0.6 * scale AND 1.4 * scale,
          'noise of a group under ' || adjacency)
FROM (VALUES ('add_remove', 2::float8), ('replace', 4), ('attribute', 4)) v (adjacency, scale);

-- no noise where nothing can change, and NULL for the mean of no rows
CREATE FUNCTION answer(query text, adjacency text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v text;
BEGIN
    PERFORM dpsens.protect('five', adjacency => adjacency);
    EXECUTE query INTO v;
    RETURN v;
END $$;
SELECT is(answer('SELECT dp_count(*) FROM five', 'replace'), '5', 'the number of rows is public under replace');
SELECT is(answer('SELECT dp_count(*) FROM five WHERE p > 1', 'metric'), '2', 'and under metric, with a public condition');
SELECT is(answer('SELECT dp_sum(p) FROM five', 'attribute'), '8', 'a sum of public values');
SELECT is(answer('SELECT dp_avg(a) FROM five WHERE p > 9', 'replace'), NULL, 'the mean of a public number of rows that is 0');
SELECT is(answer('SELECT dp_avg(a) FROM five WHERE false', 'metric'), NULL, 'under metric too');
SELECT isnt(answer('SELECT dp_avg(a) FROM five WHERE false', 'add_remove'), NULL, 'not where the number is private');
SELECT isnt(answer('SELECT dp_avg(a) FROM five WHERE b > 100', 'replace'), NULL, 'nor where the selection is');

-- why
DO $$ BEGIN PERFORM dpsens.protect('five', adjacency => 'metric'); END $$;
SELECT throws_ok(query, '0A000', message, query)
FROM (VALUES
    ('SELECT dp_count(*) FROM five WHERE b > 1',
     'dp_count cannot be answered under adjacency metric: a condition on a private column is not possible under metric adjacency'),
    ('SELECT dp_sum(a) FROM five GROUP BY s',
     'dp_sum cannot be answered under adjacency metric: grouping by a private column is not possible under metric adjacency')
) v (query, message);
SELECT * FROM finish();
DROP SCHEMA queries_tap CASCADE;
DROP OWNED BY queries_tap_owner;
DROP ROLE queries_tap_owner;
