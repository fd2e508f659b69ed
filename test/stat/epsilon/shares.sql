-- shares.sql
--	Answers that share epsilon: grouping sets by dpsens.share_sets, which then are made to add
--	up, and the answers of a statement by dpsens.weights: see frame.psql.  What
--	is held against the runs is the sum of what each is asked at, of which some are more than dpsens.epsilon.
-- Files: guard/run/answer_weights.c account/shares.c moment/nested_shares.c moment/crossed/crossed_shares.c
\set schema dps_epsilon_shares
\ir frame.psql
-- that every row is in some group of each set
ALTER TABLE person ADD CHECK (s IN ('u', 'v', 'w'));
\ir tables.psql

-- Titles say what is shared by.
CREATE OR REPLACE PROCEDURE ready(e experiment) LANGUAGE sql AS $$
    SELECT set_config('dpsens.mechanism', (e).mechanism, false), set_config('dpsens.epsilon', (e).base::text, false), set_config('dpsens.delta', (e).delta::text, false),
           set_config('dpsens.share_sets', ((e).title ~ ', shared$')::text, false), set_config('dpsens.weights', coalesce(substring((e).title, ', weights (.*)$'), ''), false)
$$;

-- ---- grouping sets ----

-- Rows that are replaced where they are: s and f are public too.
CALL make_table('stay_0', 'replace', 'VALUES (5, 5, 5, 1, 20, ''u'', ''m1'', true), (0, 0, 0, 0, 0, ''v'', ''m1'', true)');
CALL make_table('stay_1', 'replace', 'VALUES (5, 5, 5, 1, 20, ''u'', ''m1'', true), (10, 10, 10, 3, 99, ''v'', ''m1'', true)');
SELECT dpsens.set_public(t::regclass, 's') FROM unnest('{stay_0,stay_1}'::text[]) t;

-- What is seen of c, which has a set by k alone: of the sets by k and s (of which there are u, v and w) or by all
-- three keys, of the set by k and f, and of k.
CREATE PROCEDURE share(pair text, answer text, grouped text, seen text, factor_laplace float8, factor_gaussian float8) LANGUAGE sql AS $$
    CALL ask(pair, format('%s by %s, shared', answer, grouped),
             format('SELECT k, ARRAY[%s]::float8[] AS v
                     FROM (SELECT k, max(c) FILTER (WHERE s = ''u'') AS u, max(c) FILTER (WHERE s = ''v'') AS v, max(c) FILTER (WHERE s IS NULL AND NOT f) AS f,
                                  max(c) FILTER (WHERE s IS NULL AND f IS NULL) AS every
                           FROM (SELECT k, s, f, %s AS c FROM (SELECT k, s, x, a, f FROM %%I) AS p GROUP BY %s) AS q GROUP BY k) AS q', seen, answer, grouped),
             factor_laplace, factor_gaussian)
$$;
CALL share('few', 'dp_count(*)', 'GROUPING SETS ((k, s, f), (k, s), (k))', 'u, v, every', 3, 6);
CALL share('none', 'dp_sum(x)', 'GROUPING SETS ((k, s, f), (k, s), (k))', 'u, v, every', 3, 4);
-- not nested
CALL share('few', 'dp_sum(x)', 'GROUPING SETS ((k, s), (k, f), (k))', 'v, f, every', 3, 4);
CALL share('stay', 'dp_sum(x)', 'GROUPING SETS ((k, s, f), (k, s), (k))', 'u, v, every', 3, 6);

-- ---- answers of a statement ----

CREATE PROCEDURE weigh(pair text, weights text, answers text, factor_laplace float8, factor_gaussian float8) LANGUAGE sql AS $$
    CALL ask(pair, format('%s, weights %s', answers, weights), format('SELECT k, ARRAY[%s]::float8[] AS v FROM %%I GROUP BY k', answers), factor_laplace, factor_gaussian)
$$;
CALL weigh('few', '3, 1', 'dp_sum(x), dp_count(*)', 3, 4);
CALL weigh('swap', '1, 4', 'dp_sum(y), dp_sum(x)', 3, 4);
CALL those_in_check();

CALL share('few', 'dp_count(*)', 'GROUPING SETS ((k, s), (k, f), (k))', 'v, f, every', 3, 4);
CALL share('many', 'dp_count(*)', 'GROUPING SETS ((k, s, f), (k, s), (k))', 'u, v, every', 3, 6);
CALL share('stay', 'dp_sum(a)', 'GROUPING SETS ((k, s, f), (k, s), (k))', 'u, v, every', 3, 6);
CALL weigh('few', '1, 3', 'dp_avg(x), dp_sum(y)', 6, 6);
CALL weigh('none', '2, 1, 1', 'dp_count(*), dp_sum(x), dp_sum(y)', 4, 6);
CALL weigh('swap', '3, 1', 'dp_count(*) FILTER (WHERE x > 7), dp_avg(x)', 6, 8);
CALL weigh('few', '3, 1', 'dp_median(b), dp_sum(x)', 8, 8);

\ir verdict.psql
