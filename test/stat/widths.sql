-- widths.sql
--	Intervals of noise are as wide as the noise asks for, at several levels and under
--	both mechanisms, and hold as often as they say: of vectors, regressions, groups, truths,
--	modes and all that noise alone decides, about copies of people of the survey and of two
--	skewed tables.  promises.sql and choices.sql ask about the whole of these at one level.
--
-- A query answers for 1,000 groups that are copies of one of about 60 rows, each with noise of its own,
-- at an epsilon that makes noise as large beside the rows as a small one does beside thousands.
-- What is looked at of an answer is the part of its interval, from the estimate to the end
-- on the side of the truth, that would have held the truth; of several entries the largest part.
--
-- An interval of level p holds if a part of 1 or less was needed in a share of p of the answers.  It
-- is within 1.5 times of the true quantile if 1 / 1.5 of it hold the truth in a share of p at
-- most.  A share of n answers that is on the wrong side of p with n KL(share, p) > 21 is as rare as
-- exp(-21) (Chernoff) where that is so.
--
-- The law of a truth and of a mode is seen by rows that decide it.  With so many of them, or so
-- many less than of the mode, as are 1.5 times what noise of one side passes with 1 - p, there
-- should be no doubt in half of the answers, if not more.
--
-- What dpsens.explain promises is kept with 0.95 or more, and the noise is not less than 1 / 1.5
-- of that in more than 0.95 where it does not say that it is a bound.  It is null where explain says why.
--
-- Fewer than 1,000 figures: the false-alarm rate of the file is below 1,000 exp(-21) = 7.6e-7.
--
-- What this sees: with 1,000 answers an interval that is twice as wide at the levels 0.5 and 0.8, or
-- 2.1 times at 0.95 (noise of Laplace), and one that holds in 0.4, 0.71 and 0.89 of the answers.
--
-- Noise cannot be seeded: a failure prints the query, the level and the shares.
\set QUIET on
SET client_min_messages = error;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_widths CASCADE;
CREATE SCHEMA dps_widths;
SET search_path = dps_widths, public;
SET plan_cache_mode = force_generic_plan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET synchronous_commit = off;
SET dpsens.delta = 1e-6;
SET dpsens.selection_epsilon = 8;

-- What is asked: the aggregate without its closing parenthesis, since epsilon and level come last; FILTER; of which tables, by which keys.
-- levels: those of one query, for the same noise.  known: explain promises an error, "bound" one that need not be reached.
CREATE TABLE experiment (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, aggregate text, epsilon float8, tab text, mechanism text, levels float8[], known text, filter text, keys text);
CREATE PROCEDURE ask(aggregate text, epsilon float8, known text, tabs text[] DEFAULT '{nhanes,bills,debts}', mechanisms text[] DEFAULT '{laplace,gaussian}',
                     levels float8[] DEFAULT '{0.5,0.8,0.95,0.99}', filter text DEFAULT '', keys text DEFAULT 'k')
LANGUAGE sql AS $$
    INSERT INTO experiment (aggregate, epsilon, tab, mechanism, levels, known, filter, keys)
    SELECT aggregate, epsilon, t, m, levels, known, filter, keys FROM unnest(tabs) AS t, unnest(mechanisms) AS m
    -- the second mechanism of one table of several
    WHERE m = mechanisms[1] OR t = tabs[cardinality(tabs)]
$$;
CALL ask('dp_sum_ci(y', 16, 'near');
CALL ask('dp_avg_ci(y', 32, 'bound');
-- so few that a first stage finds none, and both integers decide
CALL ask('dp_avg_ci(x', 0.5, 'bound', '{nhanes,debts}', '{laplace}');
CALL ask('dp_sum_ci(ARRAY[y, x]', 16, 'near');
CALL ask('dp_sum_ci(ARRAY[y, x, w, y + x]', 16, 'near', '{bills}');
CALL ask('dp_avg_ci(ARRAY[y, x]', 32, 'bound');
CALL ask('dp_avg_ci(ARRAY[y, x, w, y + x]', 32, 'bound', '{bills}');
-- one stage of a pair, and quotients under replace
CALL ask('dp_avg_ci(y', 16, 'bound', '{replaced}', filter => 'FILTER (WHERE x > 5)');
CALL ask('dp_avg_ci(ARRAY[y, x]', 32, 'bound', '{replaced}', filter => 'FILTER (WHERE x > 5)');
CALL ask('dp_avg_ci(ARRAY[y, x]', 32, 'near', '{replaced}');
CALL ask('dp_count_ci(true', 0.05, 'near', '{bills}');
CALL ask('dp_count_ci(DISTINCT s', 0.05, 'near', '{bills}');
CALL ask('dp_histogram_ci(y, 8', 0.05, 'near', '{nhanes,debts}');
CALL ask('dp_histogram_ci(y, ARRAY[0, 100, 1000.5]', 0.05, 'near');
-- groups by several keys; by keys that nobody declared, of units that are in two of them; by sets of keys
CALL ask('dp_sum_ci(y', 16, 'near', '{nhanes}', keys => 'k, s');
CALL ask('dp_count_ci(true', 0.1, 'near', '{found}');
CALL ask('dp_avg_ci(y', 64, 'bound', '{found}');
CALL ask('dp_sum_ci(ARRAY[y, x]', 32, 'near', '{found}');
CALL ask('dp_sum_ci(y', 16, 'near', '{bills}', '{laplace}', keys => 'GROUPING SETS ((k), (k, s))');
-- those that take a function of all moments at many points
CALL ask('dp_linregr_ci(y, ARRAY[x]', 48, 'none', levels => '{0.5}');
CALL ask('dp_linregr_ci(y, ARRAY[x]', 64, 'none', '{bills}', '{laplace}', '{0.95}');
CALL ask('dp_linregr_ci(y, ARRAY[x, w]', 64, 'none', '{nhanes}', '{gaussian}', '{0.8}');
CALL ask('dp_regr_slope_ci(y, x', 64, 'none', '{bills}', '{gaussian}', '{0.8}');
CALL ask('dp_variance_ci(y', 48, 'bound', '{debts}', '{laplace}', '{0.5}');
CALL ask('dp_corr_ci(y, w', 64, 'none', '{nhanes}', '{laplace}', '{0.8}');
CALL ask('dp_regr_r2_ci(y, w', 64, 'none', '{nhanes}', '{gaussian}', '{0.5}');

-- Truths and modes, by how many rows decide them.
CREATE TABLE doubt (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, aggregate text, compared boolean);
INSERT INTO doubt (aggregate, compared) VALUES ('dp_bool_and_ci(g', false), ('dp_bool_or_ci(NOT g', false), ('dp_mode_ci(h', true);

-- what is measured here, for interval_cases.sh
\if :{?list}
\ir epsilon/form.psql
\o
\pset tuples_only on
\pset format unaligned
SELECT DISTINCT 'have', w, form(aggregate || ')'), tab FROM experiment, unnest(ARRAY['coverage', 'width']) AS w
UNION SELECT DISTINCT 'have', 'error', form(replace(aggregate, '_ci(', '(') || ')'), tab FROM experiment
UNION SELECT 'have', 'width', form(aggregate || ')'), 'any' FROM doubt ORDER BY 1, 2, 3, 4;
\q
\endif

-- ---- tables ----

\i demo/schema.sql
\i demo/load.sql
\set copies 1000
CREATE TABLE drawn (k int NOT NULL, y float8 NOT NULL, x float8 NOT NULL, w float8 NOT NULL, s text NOT NULL, person int NOT NULL);
CREATE PROCEDURE copy(name text, rows_of text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE dps_widths.%I (LIKE drawn INCLUDING ALL)', name);
    EXECUTE format('INSERT INTO dps_widths.%I SELECT k, r.y, r.x, r.w, CASE WHEN r.i %% 3 > 0 THEN ''u'' ELSE ''v'' END, (k / 2) * 100 + r.i FROM generate_series(1, 1000) AS k, (%s) AS r', name, rows_of);
    EXECUTE format('ANALYZE dps_widths.%I', name);
END $$;
-- each eightieth person of the survey, by weight
CALL copy('people', $$SELECT (i / 80)::int AS i, weight_kg AS y, age AS x, height_cm AS w FROM (SELECT row_number() OVER (ORDER BY weight_kg, age, height_cm) AS i, * FROM nhanes WHERE weight_kg + age + height_cm IS NOT NULL) AS n WHERE i % 80 = 0$$);
-- bills of a hospital, which grow with the days; what people owe: nothing, for most of them (promises.sql)
CALL copy('bills', $$SELECT i, least(100000, 500 * exp(1.1 * z + 0.25 * sqrt(days))) AS y, least(days, 60) AS x, i % 7 AS w
    FROM (SELECT i, -ln(1 - (i::bigint * 7919 % 10007 + 0.5) / 10007) * 6 AS days, sqrt(-2 * ln((i::bigint * 104729 % 10009 + 0.5) / 10009)) * cos(2 * pi() * (i::bigint * 1299709 % 10037) / 10037.0) AS z
          FROM generate_series(1, 60) AS i) AS s$$);
CALL copy('debts', $$SELECT i, CASE WHEN i % 5 = 0 THEN least(50000, 300 / power((i::bigint * 7919 % 10007 + 0.5) / 10007, 0.6)) ELSE 0 END + 4 * (age - 18) AS y, age AS x, i % 11 AS w
    FROM (SELECT i, 18 + (i::bigint * 104729 % 10009) / 10009.0 * 20 + CASE WHEN i % 7 = 0 THEN 35 ELSE 0 END AS age FROM generate_series(1, 60) AS i) AS s$$);
CREATE TABLE replaced (LIKE drawn INCLUDING ALL);
CREATE TABLE found (LIKE drawn INCLUDING ALL);
INSERT INTO replaced SELECT * FROM bills;
INSERT INTO found SELECT * FROM bills;
ANALYZE replaced, found;

SELECT dpsens.protect('people'), dpsens.protect('bills'), dpsens.protect('debts'), dpsens.protect('replaced', adjacency => 'replace'),
    dpsens.protect('found', unit => 'person', max_rows => 2, max_groups => 2);
SELECT dpsens.set_values(t::regclass, 's', 'u', 'v', 'w'), dpsens.set_range(t::regclass, 'w', 0, CASE t WHEN 'people' THEN 230 ELSE 12 END),
    dpsens.set_range(t::regclass, 'y', 0, CASE t WHEN 'people' THEN 250 WHEN 'debts' THEN 60000 ELSE 100000 END),
    dpsens.set_range(t::regclass, 'x', CASE WHEN t IN ('people', 'debts') THEN 18 ELSE 0 END, CASE t WHEN 'people' THEN 80 WHEN 'debts' THEN 118 ELSE 60 END)
FROM unnest('{people,bills,debts,replaced,found}'::text[]) AS t;
SELECT dpsens.set_values(t::regclass, 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(1, :copies) AS i)), dpsens.set_public(t::regclass, 'k')
FROM unnest('{people,bills,debts,replaced}'::text[]) AS t;

-- ---- numbers ----

CREATE TABLE measured (experiment int, level float8, needed float8, error float8);
CREATE TABLE promised (experiment int, error_95 float8, note text);

CREATE FUNCTION of_table(e experiment) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE e.tab WHEN 'nhanes' THEN 'people' ELSE e.tab END;
-- r1, r2, ... by the levels
CREATE FUNCTION asked(e experiment) RETURNS text LANGUAGE sql STABLE
RETURN (SELECT format('SELECT %s, %s FROM %s GROUP BY %s', columns, string_agg(format('%s, %s, %s) %s AS r%s', e.aggregate, e.epsilon, level, e.filter, n), ', ' ORDER BY n), of_table(e), e.keys)
        FROM unnest(e.levels) WITH ORDINALITY AS u (level, n), (VALUES (CASE WHEN e.keys ~ 's' THEN 'k, s' ELSE 'k, ''-'' AS s' END)) AS c (columns) GROUP BY columns);

-- The part of the interval from the estimate to the end on the side of the truth that holds the truth.
CREATE FUNCTION needed(estimate float8, lower_end float8, upper_end float8, truth float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN truth = estimate THEN 0 WHEN truth > upper_end OR truth < lower_end THEN 'Infinity' WHEN truth > estimate THEN (truth - estimate) / (upper_end - estimate) ELSE (estimate - truth) / (estimate - lower_end) END;
CREATE FUNCTION needed(r dpsens.noise_interval, truth dpsens.noise_interval) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN needed(r.estimate, r.lower, r.upper, truth.estimate);
CREATE FUNCTION needed(r dpsens.noise_intervals, truth dpsens.noise_intervals) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN (SELECT max(needed(e, l, u, t)) FROM unnest(r.estimate, r.lower, r.upper, truth.estimate) AS v (e, l, u, t));
-- of several the first
CREATE FUNCTION error(r dpsens.noise_interval, truth dpsens.noise_interval) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN abs(r.estimate - truth.estimate);
CREATE FUNCTION error(r dpsens.noise_intervals, truth dpsens.noise_intervals) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN abs(r.estimate[1] - truth.estimate[1]);

CREATE PROCEDURE measure(e experiment) LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
BEGIN
    PERFORM set_config('dpsens.mechanism', e.mechanism, false), set_config('dpsens.noise', 'off', false);
    EXECUTE format('CREATE TEMP TABLE truth AS SELECT k, s, r1 AS truth FROM (%s) AS q', asked(e));
    PERFORM set_config('dpsens.noise', 'on', false);
    EXECUTE format('INSERT INTO measured SELECT %s, v.level, needed(v.r, truth), error(v.r, truth) FROM (%s) AS q JOIN truth ON (truth.k, truth.s) IS NOT DISTINCT FROM (q.k, q.s),
        LATERAL (VALUES %s) AS v (level, r) WHERE truth IS NOT NULL', e.id, asked(e), (SELECT string_agg(format('(%s::float8, r%s)', level, n), ', ') FROM unnest(e.levels) WITH ORDINALITY AS u (level, n)));
    DROP TABLE truth;
    EXECUTE format('SELECT count(*) %s FROM %I WHERE k = 1', e.filter, of_table(e)) INTO number;
    INSERT INTO promised SELECT e.id, p.error_95, p.note FROM dpsens.explain(asked(e), rows => number) AS p WHERE p.aggregate LIKE 'dp\_%' LIMIT 1;
END $$;
DO $$
DECLARE
    e experiment;
BEGIN
    FOR e IN SELECT * FROM experiment ORDER BY id LOOP
        CALL measure(e);
    END LOOP;
END $$;

-- ---- truths and modes ----

-- d of the rows with an h are false in g, and of the others d less have no h than have it.
CREATE TABLE rare (k int NOT NULL, d int NOT NULL, g boolean NOT NULL, h boolean NOT NULL);
INSERT INTO rare SELECT k, d, i > d, i <= 60 FROM generate_series(1, :copies) AS k, LATERAL (SELECT (ARRAY[0, 1, 2, 4, 5, 7, 10, 15, 17, 23])[1 + k % 10] AS d) AS c, LATERAL generate_series(1, 120 - d) AS i;
ANALYZE rare;
SELECT dpsens.protect('rare'), dpsens.set_values('rare', 'k', VARIADIC ARRAY(SELECT i::text FROM generate_series(1, :copies) AS i)), dpsens.set_public('rare', 'k');
CREATE TABLE doubted (doubt int, mechanism text, scale float8, level float8, d int, held boolean, sure boolean);

-- What the law of one side passes with this probability, for noise of scale 1, or for the difference of two draws of it.
CREATE FUNCTION tail(mechanism text, compared boolean, probability float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    lo float8 := 0;
    hi float8 := 50;
    x float8;
BEGIN
    FOR i IN 1..50 LOOP
        x := (lo + hi) / 2;
        -- Abramowitz and Stegun 1964, 26.2.17: to 7.5e-8
        IF (SELECT CASE WHEN mechanism = 'laplace' THEN exp(-x) / 2 * CASE WHEN compared THEN 1 + x / 2 ELSE 1 END
                ELSE exp(-z * z / 2) / sqrt(2 * pi()) * (0.319381530 * t - 0.356563782 * t ^ 2 + 1.781477937 * t ^ 3 - 1.821255978 * t ^ 4 + 1.330274429 * t ^ 5) END
            FROM (SELECT z, 1 / (1 + 0.2316419 * z) AS t FROM (SELECT x / CASE WHEN compared THEN sqrt(2) ELSE 1 END AS z) AS a) AS b) > probability THEN
            lo := x;
        ELSE
            hi := x;
        END IF;
    END LOOP;
    RETURN hi;
END $$;

-- Is a deciding row held, and is there no doubt; is the more frequent value held, and alone?
CREATE FUNCTION verdict(r dpsens.noise_truth, is_and boolean, d int) RETURNS boolean[] LANGUAGE sql IMMUTABLE
RETURN ARRAY[((d > 0) <> is_and) BETWEEN r.lower AND r.upper, r.lower = r.upper];
CREATE FUNCTION verdict(r boolean[], ignored boolean, d int) RETURNS boolean[] LANGUAGE sql IMMUTABLE
RETURN ARRAY[r[3], r[2]];
CREATE PROCEDURE measure(o doubt, law text, epsilon float8, runs int) LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT format('SELECT k, %s FROM rare GROUP BY k', string_agg(format('%s, %s, %s) AS r%s', o.aggregate, epsilon, level, n), ', ')) FROM unnest('{0.6,0.8,0.95,0.99}'::float8[]) WITH ORDINALITY AS u (level, n));
    scale float8;
BEGIN
    PERFORM set_config('dpsens.mechanism', law, false);
    SELECT noise_scale INTO scale FROM dpsens.explain(query) WHERE aggregate LIKE 'dp\_%' LIMIT 1;
    EXECUTE format('PREPARE doubts AS INSERT INTO doubted SELECT %s, %L, %s, level, d, v[1], v[2] FROM (%s) AS q JOIN (SELECT DISTINCT k, d FROM rare) AS c USING (k),
        LATERAL (VALUES (0.6, r1), (0.8, r2), (0.95, r3), (0.99, r4)) AS l (level, r), verdict(r, %L, d) AS v', o.id, law, scale, query, o.aggregate ~ 'and');
    FOR i IN 1..runs LOOP
        EXECUTE 'EXECUTE doubts';
    END LOOP;
    DEALLOCATE doubts;
END $$;
DO $$
DECLARE
    o doubt;
BEGIN
    FOR o IN SELECT * FROM doubt LOOP
        CALL measure(o, 'laplace', 0.35, 6);
        CALL measure(o, 'gaussian', 1.8, 6);
    END LOOP;
END $$;

-- ---- verdicts ----

-- Is the share of n below p, or above it, by more than chance makes of it?
CREATE FUNCTION entropy(share float8, p float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN share > 0 THEN share * ln(share / p) ELSE 0 END + CASE WHEN share < 1 THEN (1 - share) * ln((1 - share) / (1 - p)) ELSE 0 END;
CREATE FUNCTION below(n bigint, runs bigint, p float8) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN n < p * runs AND runs * entropy(n::float8 / runs, p) > 21;
CREATE FUNCTION above(n bigint, runs bigint, p float8) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN n > p * runs AND runs * entropy(n::float8 / runs, p) > 21;

CREATE TABLE figure AS
SELECT e.*, m.level, count(*) AS runs, count(*) FILTER (WHERE needed <= 1) AS held, count(*) FILTER (WHERE needed <= 1 / 1.5) AS thin,
    count(*) FILTER (WHERE error <= p.error_95) AS kept, count(*) FILTER (WHERE error <= p.error_95 / 1.5) AS lax, p.error_95, p.note
FROM experiment AS e JOIN promised AS p ON p.experiment = e.id LEFT JOIN measured AS m ON m.experiment = e.id GROUP BY e.id, m.level, p.error_95, p.note;
CREATE FUNCTION title(f figure) RETURNS text LANGUAGE sql STABLE
RETURN format('%s, %s) %s of %s by %s at %s, %s', f.aggregate, f.epsilon, f.filter, f.tab, f.keys, f.level, f.mechanism);
CREATE TABLE settled AS
SELECT o.aggregate, o.compared, w.mechanism, w.scale, w.level, d, 1.5 * tail(w.mechanism, o.compared, 1 - w.level) * w.scale <= d AS enough,
    count(*) AS runs, count(*) FILTER (WHERE held) AS held, count(*) FILTER (WHERE sure) AS sure
FROM doubted AS w JOIN doubt AS o ON o.id = w.doubt GROUP BY o.aggregate, o.compared, w.mechanism, w.scale, w.level, d;
\o

SELECT no_plan();
SELECT ok(runs >= 990 AND NOT below(held, runs, level), format('%s: held in %s of %s', title(f), held, runs)) FROM figure AS f ORDER BY id, level;
SELECT ok(NOT above(thin, runs, level), format('%s: not too wide, 1 / 1.5 of it hold in %s of %s', title(f), thin, runs)) FROM figure AS f ORDER BY id, level;
-- the noise of a group of so many rows
SELECT ok(error_95 > 0 AND NOT below(kept, runs, 0.95) AND (known = 'bound' OR NOT above(lax, runs, 0.95)), format('%s: within %s in %s of %s, within 1 / 1.5 of that in %s', title(f), error_95, kept, runs, lax))
FROM figure AS f WHERE known <> 'none' AND level = (SELECT max(l) FROM unnest(levels) AS l) AND keys = 'k' ORDER BY id;
SELECT ok(error_95 IS NULL AND note LIKE '%depends on how far the values spread%', format('%s: nothing is promised, and why', title(f))) FROM figure AS f WHERE known = 'none' ORDER BY id;
SELECT diag(format(E'%s\n%s', asked(e), f)) FROM figure AS f JOIN experiment AS e USING (id)
WHERE below(held, runs, f.level) OR above(thin, runs, f.level) OR f.known <> 'none' AND below(kept, runs, 0.95) OR f.known = 'near' AND above(lax, runs, 0.95);

SELECT ok(runs >= 600 AND NOT below(held, runs, level), format('%s of %s rows that decide at %s, %s: held in %s of %s', aggregate, d, level, mechanism, held, runs)) FROM settled ORDER BY aggregate, mechanism DESC, level, d;
SELECT ok(NOT below(sure, runs, 0.5), format('%s of %s rows that decide at %s, %s: no doubt in %s of %s', aggregate, d, level, mechanism, sure, runs)) FROM settled WHERE enough ORDER BY aggregate, mechanism DESC, level, d;
SELECT is((SELECT count(*) FROM (SELECT aggregate, mechanism, level FROM settled WHERE enough AND d < 2.4 * tail(mechanism, compared, 1 - level) * scale GROUP BY 1, 2, 3) AS q), 24::bigint,
    'for each there are as many rows as should leave no doubt, and not many more');
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_widths CASCADE;
