-- Sums and counts of grouping sets add up: which are fitted, what is charged, drawn and shown, and how much is gained.
-- Files: guard/rewrite/fitted_sets.c, guard/source/covered.c, agg/families/fitted.c.
--
-- Eight figures are statistical: of 29,000 answers each and more, which are within 12 % of what theory says and more. The relative deviation of
-- such a mean of squares is below 2 % (the squares of Laplace noise deviate by 2.24 times their mean, and 24,000 of the
-- combinations that the fits are made of are independent), so the false-alarm rate is below 1e-7. Noise cannot be seeded.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA fitted_tap;
SET search_path = fitted_tap, public;
SELECT plan(140);

CREATE TYPE four AS ENUM ('a', 'b', 'c', 'd');
CREATE TYPE five AS ENUM ('1', '2', '3', '4', '5');
CREATE TYPE six AS ENUM ('u', 'v', 'w', 'x', 'y', 'z');
CREATE TABLE t (id int PRIMARY KEY, a four NOT NULL, b five NOT NULL, c six NOT NULL, flag boolean NOT NULL, maybe boolean, x float8 NOT NULL, n int NOT NULL,
    checked text NOT NULL CHECK (checked IN ('F', 'M')), loose text CHECK (loose IN ('F', 'M')), free varchar(10), number int8 NOT NULL, year int2 NOT NULL CHECK (year BETWEEN 2001 AND 2003));
INSERT INTO t SELECT i, (enum_range(NULL::four))[1 + i % 4], (enum_range(NULL::five))[1 + i % 5], (enum_range(NULL::six))[1 + i / 7 % 6], i % 2 = 0, i % 3 = 0, i % 100 / 10.0, i % 10,
    (ARRAY['F', 'M'])[1 + i % 2], (ARRAY['F', 'M', NULL])[1 + i % 3], (ARRAY['F', 'M', 'X'])[1 + i % 3], i % 3, 2001 + i % 3 FROM generate_series(1, 1200) i;
DO $$ BEGIN
    PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 10), dpsens.set_range('t', 'n', 0, 10);
    PERFORM dpsens.set_values('t', k, 'F', 'M') FROM unnest('{checked,loose,free}'::name[]) k;
    PERFORM dpsens.set_values('t', 'number', '0', '1', '2'), dpsens.set_values('t', 'year', '2001', '2002', '2003');
END $$;
SET dpsens.epsilon = 1;
CREATE TABLE kinds (kind int PRIMARY KEY);
INSERT INTO kinds SELECT generate_series(0, 9);
DO $$ BEGIN PERFORM dpsens.set_public('kinds'); END $$;

-- ---- which ----

CREATE FUNCTION fits(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT bool_and(COALESCE(note, '') LIKE '%made to add up%') FROM dpsens.explain(query) WHERE mechanism <> 'partition');
END $$;
SELECT is(fits('SELECT ' || aggregate || ' FROM t ' || rest), expected, aggregate || ' ' || rest) FROM (VALUES
    ('dp_count(*)', 'GROUP BY ROLLUP (a, b, c)', true),
    ('dp_count(*), dp_sum(x), dp_sum(n), dp_sum_ci(x), dp_count_ci(*), dp_count(x)', 'GROUP BY ROLLUP (a)', true),
    ('dp_sum(x, 0.5)', 'GROUP BY ROLLUP (flag)', true),
    ('dp_sum(x) FILTER (WHERE n > 3)', 'GROUP BY GROUPING SETS ((a), (a, b))', true),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((), (), (a))', true),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((b), (a, b))', true),
    ('dp_count(*)', 'GROUP BY b, ROLLUP (a, c)', true),
    ('dp_count(*)', 'GROUP BY ROLLUP (checked)', true),
    ('dp_count(*)', 'WHERE loose IN (''F'', ''M'') GROUP BY ROLLUP (loose)', true),
    ('dp_count(*)', 'WHERE free IN (''F'', ''M'') AND n > 2 GROUP BY ROLLUP (free)', true),
    ('dp_count(*)', 'WHERE free = ''F'' OR free = ''M'' GROUP BY ROLLUP (free)', true),
    ('dp_count(*)', 'WHERE number IN (1, 2) GROUP BY ROLLUP (number)', true),
    ('dp_count(*)', 'WHERE number BETWEEN 0 AND 2 GROUP BY ROLLUP (number)', true),
    ('dp_count(*)', 'WHERE number >= 1 AND number <= 2 GROUP BY ROLLUP (number)', true),
    ('dp_count(*)', 'GROUP BY ROLLUP (year)', true),
    ('dp_count(*)', 'WHERE number BETWEEN -1 AND 2 GROUP BY ROLLUP (number)', false),
    ('dp_count(*)', 'WHERE number > 0 GROUP BY ROLLUP (number)', false),
    ('dp_count(*)', 'WHERE maybe IS NOT NULL GROUP BY ROLLUP (maybe)', true),
    ('dp_count(*)', 'WHERE loose IS NOT NULL GROUP BY ROLLUP (loose)', true),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((loose), (loose, a))', true),
    ('dp_count(*)', 'GROUP BY ROLLUP (a) HAVING dp_count(*) > 0', true),
    ('dp_count(*)', 'GROUP BY ROLLUP (a) HAVING dp_count(*) > (SELECT 1)', true),
    -- sets that are not nested
    ('dp_count(*)', 'GROUP BY CUBE (a, b)', true),
    ('dp_count(*), dp_sum(x), dp_sum_ci(n)', 'GROUP BY CUBE (a, b, flag)', true),
    ('dp_count(*)', 'GROUP BY CUBE (flag, checked, year, a, b)', true),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((a), (b))', true),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((a, b), (b, c), (a, c))', true),
    ('dp_sum(x) FILTER (WHERE n > 3)', 'GROUP BY GROUPING SETS ((c), (), (a, b))', true),
    ('dp_count(*)', 'WHERE loose IS NOT NULL GROUP BY CUBE (a, loose)', true),
    ('dp_count(*)', 'GROUP BY loose, CUBE (a, b)', true),
    ('dp_count(*)', 'GROUP BY CUBE (a, b) HAVING dp_count(*) > 0', true),
    -- rows that are in no group
    ('dp_count(*)', 'GROUP BY ROLLUP (maybe)', false),
    ('dp_count(*)', 'GROUP BY ROLLUP (loose)', false),
    ('dp_count(*)', 'GROUP BY ROLLUP (free)', false),
    ('dp_count(*)', 'GROUP BY ROLLUP (number)', false),
    ('dp_count(*)', 'WHERE free IN (''F'', ''M'', ''X'') GROUP BY ROLLUP (free)', false),
    ('dp_count(*)', 'WHERE free IS NOT NULL GROUP BY ROLLUP (free)', false),
    ('dp_count(*)', 'WHERE free IN (''F'', ''M'') OR n > 2 GROUP BY ROLLUP (free)', false),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((a), (loose, a))', false),
    ('dp_count(*)', 'GROUP BY CUBE (a, loose)', false),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((a), (loose))', false),
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((loose, a), (loose, b), (c))', false),
    -- one set, and more than are fitted
    ('dp_count(*)', 'GROUP BY GROUPING SETS ((a))', false),
    ('dp_count(*)', 'GROUP BY CUBE (flag, checked, year, a, b, c)', false),
    -- groups that are selected, other aggregates
    ('dp_avg(x)', 'GROUP BY ROLLUP (a)', false),
    ('dp_median(x)', 'GROUP BY ROLLUP (a)', false),
    ('dp_sum(ARRAY[x, n])', 'GROUP BY ROLLUP (a)', false),
    ('dp_count(DISTINCT n)', 'GROUP BY ROLLUP (a)', false),
    -- sets that HAVING leaves out are not charged
    ('dp_count(*)', 'GROUP BY ROLLUP (a) HAVING grouping(a) = 0', false),
    ('dp_count(*)', 'GROUP BY ROLLUP (a) HAVING a IS NOT NULL', false),
    ('dp_count(*)', 'GROUP BY CUBE (a, b) HAVING grouping(a) = 0', false),
    ('dp_count(*)', 'GROUP BY ROLLUP (a) HAVING grouping(a) IN (SELECT 0)', false),
    -- subqueries in conditions, of which each set has its own
    ('dp_count(*)', 'WHERE n IN (SELECT kind FROM kinds) GROUP BY ROLLUP (a)', false),
    ('dp_count(*)', 'WHERE n IN (SELECT kind FROM kinds TABLESAMPLE BERNOULLI (50)) GROUP BY ROLLUP (a)', false),
    ('dp_count(*)', 'WHERE n < (SELECT max(kind) FROM kinds LIMIT 1) GROUP BY ROLLUP (a)', false)) q (aggregate, rest, expected);
SELECT is(fits('SELECT upper(checked), dp_count(*) FROM t GROUP BY ROLLUP (upper(checked))'), false, 'a key that is an expression');
SELECT is(fits('SELECT a, dp_count(*) FROM (SELECT * FROM t WHERE n < (SELECT max(kind) FROM kinds)) s GROUP BY ROLLUP (a)'), false, 'a subquery in the condition of a subquery');
SELECT is(fits('SELECT a, dp_count(*) FROM t JOIN kinds ON n = kind GROUP BY ROLLUP (a)'), false, 'a join');
CREATE TABLE visits (person int REFERENCES t, kind four NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('visits', unit => 'person', max_rows => 3); END $$;
SELECT is(fits('SELECT kind, dp_count(*) FROM visits GROUP BY ROLLUP (kind)'), false, 'units of several rows, not all of which count');
-- a constraint that is not valid, or not there for children, says nothing
CREATE TABLE later (id int PRIMARY KEY, k text NOT NULL);
ALTER TABLE later ADD CHECK (k IN ('F', 'M')) NOT VALID;
CREATE TABLE above (id int PRIMARY KEY, k text NOT NULL, CHECK (k IN ('F', 'M')) NO INHERIT);
CREATE TABLE either (id int PRIMARY KEY, k text NOT NULL, CHECK (k IN ('F', 'M') OR id > 7));
DO $$ BEGIN PERFORM dpsens.protect(r, unit => 'id'), dpsens.set_values(r, 'k', 'F', 'M') FROM unnest('{later,above,either}'::regclass[]) r; END $$;
SELECT is(fits(format('SELECT k, dp_count(*) FROM %I GROUP BY ROLLUP (k)', r)), false, r || ': a CHECK that does not say it') FROM unnest('{later,above,either}'::text[]) r;
-- an enum whose labels are not all declared, and one that gets another
CREATE TABLE labels (id int PRIMARY KEY, k four NOT NULL, d five NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('labels', unit => 'id'), dpsens.set_values('labels', 'k', 'a', 'b', 'c'); END $$;
SELECT is(fits('SELECT k, dp_count(*) FROM labels GROUP BY ROLLUP (k)'), false, 'an enum of which some labels are declared');
SELECT is(fits('SELECT d, dp_count(*) FROM labels GROUP BY ROLLUP (d)'), true, 'and one of which all are');
DO $$ BEGIN PERFORM dpsens.set_values('labels', 'd', '1', '2', '3', '4', '5'); END $$;
ALTER TYPE five ADD VALUE '6';
SELECT is(fits('SELECT d, dp_count(*) FROM labels GROUP BY ROLLUP (d)'), false, 'until there is another');
DROP TABLE labels;

-- ---- they add up ----

CREATE TABLE r AS SELECT grouping(a, checked) AS g, a, checked, dp_count(*) AS c, dp_sum(x) AS s, dp_sum(n) AS m, dp_count_ci(*) AS ci, dp_sum_ci(x) AS si, dp_avg(x) FROM t GROUP BY ROLLUP (a, checked);
CREATE FUNCTION adds_up(what text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE result boolean;
BEGIN
    EXECUTE format('SELECT bool_and(abs(w - p) <= 1e-9 * abs(w)) AND count(*) = 5 FROM (SELECT g, %1$s AS w, (SELECT sum(%1$s) FROM r q WHERE CASE r.g WHEN 3 THEN q.g = 1 ELSE q.g = 0 AND q.a = r.a END) AS p FROM r WHERE g > 0) s', what) INTO result;
    RETURN result;
END $$;
SELECT ok(adds_up(w), w || ' adds up') FROM unnest('{c,s,m,(ci).estimate,(si).estimate}'::text[]) w;
SELECT is((SELECT array_agg(DISTINCT pg_typeof(c)::text || ',' || pg_typeof(s)) FROM r), '{"bigint,double precision"}', 'of the same types');
SELECT is((SELECT count(*) FROM r WHERE m <> floor(m)), 0::bigint, 'sums of whole numbers are whole');
SELECT is((SELECT count(*) FROM r WHERE (ci).estimate <> c OR (si).estimate <> s OR NOT c BETWEEN (ci).lower AND (ci).upper OR NOT s BETWEEN (si).lower AND (si).upper), 0::bigint, 'intervals hold the fits');
SELECT is((SELECT count(DISTINCT n) FROM (SELECT dp_count(*) AS n FROM t GROUP BY GROUPING SETS ((), (), (), ())) q), 1::bigint, 'equal sets have equal answers');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
TRUNCATE r;
INSERT INTO r SELECT grouping(a, checked) AS g, a, checked, dp_count(*) AS c, dp_sum(x) AS s, dp_sum(n) AS m, dp_count_ci(*) AS ci, dp_sum_ci(x) AS si, dp_avg(x) FROM t GROUP BY ROLLUP (a, checked);
SELECT ok(adds_up(w), w || ' adds up, of Gaussian noise') FROM unnest('{c,s,m}'::text[]) w;
RESET dpsens.mechanism;
-- sets that are not nested: each set has the sums of one table; keys in any order
CREATE FUNCTION disagreements(sets text, aggregate text, OUT wrong bigint, OUT pairs bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMP TABLE crossed AS SELECT a, checked, flag, grouping(a, checked, flag) AS g, %s AS v FROM t GROUP BY %s', aggregate, sets);
    -- the sums over what two sets share: of a set with keys g, those of the keys that both have
    SELECT count(*) FILTER (WHERE abs(p.v - q.v) > 1e-9 * greatest(1, abs(q.v))), count(*) INTO wrong, pairs FROM
        (SELECT s.g, o.g AS other, CASE WHEN (s.g | o.g) & 4 = 0 THEN a END AS a, CASE WHEN (s.g | o.g) & 2 = 0 THEN checked END AS checked, CASE WHEN (s.g | o.g) & 1 = 0 THEN flag END AS flag, sum(v) AS v
         FROM crossed s, (SELECT DISTINCT g FROM crossed) o GROUP BY 1, 2, 3, 4, 5) p
        JOIN (SELECT s.g, o.g AS other, CASE WHEN (s.g | o.g) & 4 = 0 THEN a END AS a, CASE WHEN (s.g | o.g) & 2 = 0 THEN checked END AS checked, CASE WHEN (s.g | o.g) & 1 = 0 THEN flag END AS flag, sum(v) AS v
              FROM crossed s, (SELECT DISTINCT g FROM crossed) o GROUP BY 1, 2, 3, 4, 5) q
        ON p.g = q.other AND p.other = q.g AND (p.a, p.checked, p.flag) IS NOT DISTINCT FROM (q.a, q.checked, q.flag);
    DROP TABLE crossed;
END $$;
SELECT is(wrong || ' of ' || (pairs > 3), '0 of true', format('%s: %s agrees', sets, aggregate)) FROM unnest('{dp_count(*),dp_sum(x),dp_sum(n),(dp_sum_ci(x)).estimate,dp_sum(x) FILTER (WHERE n > 3)}'::text[]) aggregate,
    unnest(ARRAY['CUBE (a, checked, flag)', 'GROUPING SETS ((flag, checked), (a, flag), ())', 'flag, CUBE (checked, a)', 'GROUPING SETS ((a, checked), (checked), (flag))']) sets, disagreements(sets, aggregate);
SET dpsens.mechanism = gaussian;
SELECT is(wrong || ' of ' || (pairs > 3), '0 of true', format('%s of Gaussian noise agrees', aggregate)) FROM unnest('{dp_count(*),dp_sum(x),dp_sum(n)}'::text[]) aggregate, disagreements('CUBE (a, checked, flag)', aggregate);
RESET dpsens.mechanism;
SELECT is((SELECT count(*) FROM (SELECT dp_count_ci(*) AS ci, dp_count(*) AS c, dp_sum(n) AS m FROM t GROUP BY CUBE (a, flag)) q WHERE (ci).estimate <> c OR NOT c BETWEEN (ci).lower AND (ci).upper OR m <> floor(m)), 0::bigint, 'intervals hold the fits, and sums of whole numbers are whole');
-- keys in another order than the sets; groups that are joined and not folded
SET dpsens.enable_group_states = off;
TRUNCATE r;
INSERT INTO r SELECT grouping(a, checked) AS g, a, checked, dp_count(*) AS c, dp_sum(x) AS s, dp_sum(n) AS m, dp_count_ci(*) AS ci, dp_sum_ci(x) AS si, dp_avg(x) FROM t GROUP BY GROUPING SETS ((checked, a), (a), ());
SELECT ok(adds_up(w), w || ' adds up, of joined groups') FROM unnest('{c,s,m}'::text[]) w;
RESET dpsens.enable_group_states;

-- ---- what is charged and shown ----

CREATE TEMP TABLE before AS SELECT max(release) AS release FROM dpsens.releases;
DO $$ BEGIN PERFORM a, dp_count(*), dp_sum(x, 0.5) FROM t GROUP BY ROLLUP (a); END $$;
SELECT results_eq('SELECT epsilon, count(*) FROM dpsens.releases, before b WHERE releases.release > b.release GROUP BY 1 ORDER BY 1', 'VALUES (0.5::float8, 2::bigint), (1, 2)', 'each set pays what was written');
SELECT is((SELECT array_agg(DISTINCT n ORDER BY n) FROM (SELECT count(*) AS n FROM (SELECT a, dp_count(*) AS c, dp_sum(x) AS s FROM t GROUP BY ROLLUP (a)) q, generate_series(1, 2) GROUP BY a, c, s) d), '{2}'::bigint[], 'read twice, each answer is the same');
CREATE ROLE fitted_tap_ana;
GRANT USAGE ON SCHEMA fitted_tap TO fitted_tap_ana;
SET dpsens.answer_epsilon = 1;
DO $$ BEGIN PERFORM dpsens.grant_budget('t', 'fitted_tap_ana', epsilon => 100, delta => 1e-4); END $$;
SET ROLE fitted_tap_ana;
SET dpsens.epsilon = 1;
SELECT is((SELECT sum(n) FILTER (WHERE g = 1) - sum(n) FILTER (WHERE g = 0) FROM (SELECT grouping(a) AS g, dp_count(*) AS n FROM t GROUP BY ROLLUP (a)) s), 0::numeric, 'an analyst''s add up');
SELECT throws_like('SELECT dpsens_internal.finish_fit(NULL, 0, 0, NULL) OVER ()', '%cannot be called directly', 'nobody else calls the fit');
RESET ROLE;
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges are recomputed');

-- without noise nothing is changed
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT bag_eq('SELECT a, flag, dp_count(*), round(dp_sum(x)::numeric, 6) AS s, dp_sum(n) FROM t GROUP BY ROLLUP (flag, a)',
    'SELECT k.a, f.flag, count(t.id), round(COALESCE(sum(x), 0)::numeric, 6) AS s, COALESCE(sum(n), 0)::float8 FROM unnest(enum_range(NULL::four)) k (a) CROSS JOIN (VALUES (false), (true)) f (flag) LEFT JOIN t USING (a, flag) GROUP BY ROLLUP (f.flag, k.a)', 'without noise');
SELECT bag_eq('SELECT a, flag, dp_count(*), round(dp_sum(x)::numeric, 6) AS s, dp_sum(n) FROM t GROUP BY CUBE (flag, a)',
    'SELECT k.a, f.flag, count(t.id), round(COALESCE(sum(x), 0)::numeric, 6) AS s, COALESCE(sum(n), 0)::float8 FROM unnest(enum_range(NULL::four)) k (a) CROSS JOIN (VALUES (false), (true)) f (flag) LEFT JOIN t USING (a, flag) GROUP BY CUBE (f.flag, k.a)', 'without noise, of sets that are not nested');
RESET dpsens.noise;
SET client_min_messages = warning;

-- ---- what is gained ----

-- the squared errors of all 145 groups of ROLLUP (a, checked, ...), as a part of what separate noise has on average
CREATE TYPE parts AS ENUM ('1', '2', '3', '4', '5');
CREATE TABLE g (id int PRIMARY KEY, a four NOT NULL, b parts NOT NULL, c six NOT NULL, x float8 NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('g', unit => 'id'), dpsens.set_range('g', 'x', 0, 10); END $$;
CREATE TABLE errors (c float8, s float8);
DO $$ BEGIN FOR i IN 1 .. 200 LOOP
    INSERT INTO errors SELECT sum(n::float8 ^ 2), sum(s ^ 2) FROM (SELECT dp_count(true, 0.25) AS n, dp_sum(x) AS s FROM g GROUP BY ROLLUP (a, b, c)) q;
END LOOP; END $$;
-- a geometric draw at 1/4 has variance 2 q / (1 - q)^2, q = exp(-1/4); a Laplace one of scale 10 has 200
SELECT ok(ratio BETWEEN 0.728 AND 0.928, format('the total error of sums is 120/145 = 0.828 of that of separate noise: %s', round(ratio::numeric, 3))) FROM (SELECT avg(s) / (145 * 200) AS ratio FROM errors) q;
SELECT ok(ratio BETWEEN 0.728 AND 0.928, format('and of counts, rounded: %s', round(ratio::numeric, 3))) FROM (SELECT avg(c) / (145 * 2 * exp(-0.25) / (1 - exp(-0.25)) ^ 2) AS ratio FROM errors) q;

TRUNCATE errors;
DO $$ BEGIN FOR i IN 1 .. 150 LOOP
    INSERT INTO errors SELECT sum(n::float8 ^ 2), sum(s ^ 2) FROM (SELECT dp_count(true, 0.25) AS n, dp_sum(x) AS s FROM g GROUP BY CUBE (a, b, c)) q;
END LOOP; END $$;
SELECT ok(ratio BETWEEN 0.50 AND 0.64, format('CUBE: the total error of sums is 120/210 = 0.571 of that of separate noise: %s', round(ratio::numeric, 3))) FROM (SELECT avg(s) / (210 * 200) AS ratio FROM errors) q;
SELECT ok(ratio BETWEEN 0.50 AND 0.65, format('and of counts, rounded: %s', round(ratio::numeric, 3))) FROM (SELECT avg(c) / (210 * 2 * exp(-0.25) / (1 - exp(-0.25)) ^ 2) AS ratio FROM errors) q;

-- ---- sets that share epsilon ----

-- no more epsilon and no more rho for all sets together, by either mechanism; what is charged is what is explained
CREATE TABLE costs (mechanism text, shared boolean, epsilon float8, rho float8);
CREATE PROCEDURE note_costs() LANGUAGE plpgsql AS $$
DECLARE
    m text;
    s boolean;
    e float8;
BEGIN
    FOREACH m IN ARRAY '{laplace,gaussian}'::text[] LOOP FOREACH s IN ARRAY '{f,t}'::boolean[] LOOP FOREACH e IN ARRAY '{0.1,1,8}'::float8[] LOOP
        PERFORM set_config('dpsens.mechanism', m, true), set_config('dpsens.share_sets', s::text, true), set_config('dpsens.epsilon', e::text, true);
        INSERT INTO costs SELECT format('%s %s %s %s', m, e, q, k), s, sum(cost_epsilon), sum(cost_rho) FROM unnest('{dp_count(*),dp_sum(x),dp_sum(id)}'::text[]) q, unnest('{ROLLUP,CUBE}'::text[]) k, dpsens.explain(format('SELECT %s FROM g GROUP BY %s (a, b, c)', q, k)) GROUP BY q, k;
    END LOOP; END LOOP; END LOOP;
END $$;
DO $$ BEGIN PERFORM dpsens.set_range('g', 'id', 0, 1000); CALL note_costs(); END $$;
SELECT is((SELECT array_agg(a.mechanism) FROM costs a JOIN costs b USING (mechanism) WHERE a.shared AND NOT b.shared AND (a.epsilon > b.epsilon OR a.rho > b.rho)), NULL, 'no more is paid');
SELECT is((SELECT count(*) FROM costs a JOIN costs b USING (mechanism) WHERE a.shared AND NOT b.shared AND a.rho > 0.9 * b.rho), 36::bigint, 'and hardly less');
SET dpsens.epsilon = 1;
PREPARE before_it_is_set AS SELECT a, dp_count(*) FROM t GROUP BY ROLLUP (a);
PREPARE by_parameter(float8) AS SELECT a, dp_sum(x, $1) FROM t GROUP BY ROLLUP (a);
CREATE FUNCTION charged(query text) RETURNS TABLE (epsilon numeric) LANGUAGE plpgsql AS $$
DECLARE
    last bigint := (SELECT max(release) FROM dpsens.releases);
BEGIN
    EXECUTE query;
    RETURN QUERY SELECT round(r.epsilon::numeric, 4) FROM dpsens.releases r WHERE r.release > last ORDER BY release;
END $$;
SELECT results_eq('SELECT charged(''EXECUTE before_it_is_set'')', 'VALUES (1.0000), (1)', 'each at what is written');
SET dpsens.share_sets = on;
CREATE TEMP TABLE factors AS SELECT row_number() OVER () AS n, cost_epsilon AS factor FROM dpsens.explain('SELECT dp_sum(x) FROM t GROUP BY ROLLUP (a)');
SELECT ok(min(factor) < 0.95 AND max(factor) > 1.05 AND sum(factor) <= 2 AND sum(factor ^ 2) <= 2, format('sets are asked at %s and %s times epsilon', round(min(factor)::numeric, 2), round(max(factor)::numeric, 2))) FROM factors;
SELECT results_eq('SELECT charged(''EXECUTE before_it_is_set'')', 'SELECT round(factor::numeric, 4) FROM factors ORDER BY n', 'the setting counts when a statement begins');
SELECT results_eq('SELECT charged(''EXECUTE by_parameter(0.5)'')', 'SELECT round(factor::numeric / 2, 4) FROM factors ORDER BY n', 'of an epsilon that is a parameter, too');
SELECT results_eq('SELECT charged(''SELECT a, loose, dp_count(*) FROM t GROUP BY CUBE (a, loose)'')', 'VALUES (1.0000), (1), (1), (1)', 'what is not fitted shares nothing');
SELECT ok(n = 4 AND least > 0.3 AND least < 0.6 AND sum <= 4, format('sets that are not nested do: the least at %s', least)) FROM (SELECT count(*) AS n, min(epsilon) AS least, sum(epsilon) AS sum FROM charged('SELECT a, flag, dp_count(*) FROM t GROUP BY CUBE (a, flag)') c (epsilon)) q;
SELECT is((SELECT sum(cost[1]) / 2::float8 ^ 40 <= 2 FROM dpsens_internal.statement_cost('SELECT dp_sum(x) FROM t GROUP BY ROLLUP (a)')), true, 'the cost of a statement');
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges are recomputed');
-- a fitted column that is not read is drawn all the same, at its factors, as all say
CREATE TEMP TABLE unread AS SELECT 'SELECT a, c FROM (SELECT a, dp_count(*) c, dp_sum(x) s FROM t GROUP BY ROLLUP (a)) q'::text AS query;
SELECT bag_eq('SELECT charged(query) FROM unread', 'SELECT round(cost_epsilon::numeric, 4) FROM unread, dpsens.explain(query)', 'of a column that is not read the charge is that of explain');
SELECT ok(cost = explained, format('and so is what statement_cost says: %s, %s', cost, explained)) FROM (SELECT (SELECT round((sum(cost[1]) / 2::float8 ^ 40)::numeric, 4) FROM dpsens_internal.statement_cost(query)) AS cost, (SELECT round(sum(cost_epsilon)::numeric, 4) FROM dpsens.explain(query)) AS explained FROM unread) q;
-- sets whose noise or cost differs at the same epsilon are fitted, and share nothing; other counts beside them are not fitted
CREATE TABLE replaced (id int PRIMARY KEY, a four NOT NULL, n int NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('replaced', unit => 'id', adjacency => 'replace'), dpsens.set_range('replaced', 'n', 0, 10); END $$;
SELECT results_eq('SELECT set, cost_epsilon, sensitivity, note FROM (SELECT substring(note, $$grouping set (\(.*?\))$$) AS set, *  FROM dpsens.explain($$SELECT dp_count(*) FILTER (WHERE n > 3) FROM replaced GROUP BY ROLLUP (a)$$)) q',
    $$VALUES ('()', 1::float8, 1::float8, 'of grouping set (), made to add up with the others'), ('(a)', 1, 2, 'of grouping set (a), made to add up with the others')$$, 'sets whose sensitivities differ');
SELECT results_eq('SELECT note LIKE $$%made to add up%$$, count(*) FROM dpsens.explain($$SELECT dp_count(*), dp_count(*) FILTER (WHERE n > 3), dp_sum(n) FROM replaced GROUP BY ROLLUP (a)$$) GROUP BY 1 ORDER BY 1', 'VALUES (false, 4::bigint), (true, 2)', 'explain tells fitted counts from others');
-- a limit of one answer is one of each set
CREATE FUNCTION pg_temp.why(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN configuration_limit_exceeded THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN detail;
END $$;
SET ROLE fitted_tap_ana;
SELECT matches(pg_temp.why('SELECT a, dp_count(true, 1) FROM t GROUP BY ROLLUP (a)'), '^The limit is 1\. Answers of the statement share epsilon \(dpsens\.share_sets, dpsens\.weights\), and this one is asked with 1\.[0-9]+ times what is written\.$', 'which says that more is asked for than was written');
SELECT is(pg_temp.why('SELECT dp_count(true, 1.1) FROM t'), 'The limit is 1.', 'and not where nothing is shared');
SELECT throws_like('SELECT a, dp_count(*) FROM t GROUP BY ROLLUP (a)', '%epsilon%', 'a set that is beyond the limit of an answer');
SELECT is((SELECT sum(n) FILTER (WHERE g = 1) - sum(n) FILTER (WHERE g = 0) FROM (SELECT grouping(a) AS g, dp_count(true, 0.8) AS n FROM t GROUP BY ROLLUP (a)) q), 0::numeric, 'and within it');
SELECT is((SELECT array_agg(a ORDER BY a) FROM (SELECT a, dp_count(true, 0.5) AS n, dp_sum(x, 0.5) AS s FROM t WHERE n > 2 GROUP BY ROLLUP (a)) q), '{a,b,c,d,NULL}'::four[], 'of an analyst who reads no answer');
RESET ROLE;
SELECT results_eq('SELECT epsilon < 0.5, count(*) FROM (SELECT epsilon FROM dpsens.releases ORDER BY release DESC LIMIT 4) r GROUP BY 1', 'VALUES (false, 2::bigint), (true, 2)', 'all are charged, at their factors');
-- the exception: of a column that is a key of the finest set alone
DO $$ BEGIN PERFORM dpsens.set_column_budget('t', 'a', epsilon => 1000); END $$;
SELECT ok(paid > 2.1, format('a column that is a key of the finest set alone is charged there, at its factor: %s in place of 2', paid)) FROM (SELECT max(substring(note, 'costs column a epsilon ([0-9.]+)')::float8) AS paid FROM dpsens.explain('SELECT dp_count(*) FROM t GROUP BY ROLLUP (a)')) q;
TRUNCATE errors;
DO $$ BEGIN FOR i IN 1 .. 200 LOOP
    INSERT INTO errors SELECT sum(n::float8 ^ 2), sum(s ^ 2) FROM (SELECT dp_count(true, 0.25) AS n, dp_sum(x) AS s FROM g GROUP BY ROLLUP (a, b, c)) q;
END LOOP; END $$;
SELECT ok(ratio BETWEEN 0.45 AND 0.6, format('the total error of sums is 0.53 of that of separate noise: %s', round(ratio::numeric, 3))) FROM (SELECT avg(s) / (145 * 200) AS ratio FROM errors) q;
SELECT ok(ratio BETWEEN 0.45 AND 0.61, format('and of counts, rounded: %s', round(ratio::numeric, 3))) FROM (SELECT avg(c) / (145 * 2 * exp(-0.25) / (1 - exp(-0.25)) ^ 2) AS ratio FROM errors) q;

TRUNCATE errors;
DO $$ BEGIN FOR i IN 1 .. 150 LOOP
    INSERT INTO errors SELECT sum(n::float8 ^ 2), sum(s ^ 2) FROM (SELECT dp_count(true, 0.25) AS n, dp_sum(x) AS s FROM g GROUP BY CUBE (a, b, c)) q;
END LOOP; END $$;
SELECT ok(ratio BETWEEN 0.28 AND 0.41, format('CUBE: the total error of sums is 0.345 of that of separate noise: %s', round(ratio::numeric, 3))) FROM (SELECT avg(s) / (210 * 200) AS ratio FROM errors) q;
SELECT ok(ratio BETWEEN 0.28 AND 0.42, format('and of counts, rounded: %s', round(ratio::numeric, 3))) FROM (SELECT avg(c) / (210 * 2 * exp(-0.25) / (1 - exp(-0.25)) ^ 2) AS ratio FROM errors) q;

SELECT * FROM finish();
DROP SCHEMA fitted_tap CASCADE;
DROP OWNED BY fitted_tap_ana;
DROP ROLE fitted_tap_ana;
