-- A comparison of timestamptz with timestamp or date goes by the session's time zone,
-- where two times can be one, and one can be two: it proves nothing, and no plan may
-- build on it.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA time_zone_joins_tap;
SET search_path = time_zone_joins_tap, public;
SET timezone = 'Europe/Berlin';
SELECT plan(48);

-- the hour that is left out: 02:30 and 03:30 are the same time
CREATE TABLE local_times (at timestamp PRIMARY KEY, k int NOT NULL);
INSERT INTO local_times SELECT '2020-03-29 00:30'::timestamp + i * interval '1 hour', i FROM generate_series(0, 9) i;
CREATE TABLE times (at timestamptz PRIMARY KEY, k int NOT NULL UNIQUE);
INSERT INTO times SELECT '2020-03-28 23:30+00'::timestamptz + i * interval '1 hour', i FROM generate_series(0, 9) i;
CREATE TABLE people (id int PRIMARY KEY, born timestamptz NOT NULL, local_born timestamp NOT NULL, day date NOT NULL);
INSERT INTO people SELECT i, '2020-03-28 23:30+00'::timestamptz + i % 10 * interval '1 hour', '2020-03-29 00:30'::timestamp + i % 10 * interval '1 hour', '2020-03-29'::date + i % 3 FROM generate_series(0, 99) i;
SELECT dpsens.protect('people', unit => 'id');
SET dpsens.epsilon = 1;

SET enable_mergejoin = off;
SELECT cmp_ok(count(*), '>', count(DISTINCT id), 'a row is met twice') FROM people JOIN (SELECT at FROM local_times OFFSET 0) l ON l.at = born;
RESET enable_mergejoin;

\ir same.psql
\ir refused.psql
CREATE FUNCTION hint(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
    EXECUTE query;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN hint;
END $$;

-- ---- nothing is proved by it ----

CREATE TABLE unproved AS SELECT query FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM people JOIN local_times l ON l.at = born',
    'SELECT dp_count(*) FROM people JOIN times t ON t.at = local_born',
    'SELECT dp_count(*) FROM people LEFT JOIN times t ON local_born = t.at',
    'SELECT dp_count(*) FROM people JOIN times t ON t.at = day',
    'SELECT dp_count(*) FROM people JOIN local_times a ON a.at = born JOIN local_times b ON b.at = born',
    'SELECT dp_count(*) FROM people JOIN (VALUES (''2020-03-29 02:30''::timestamp), (''2020-03-29 03:30'')) v(at) ON v.at = born',
    'SELECT dp_count(*) FROM people JOIN (VALUES (''2020-03-29 01:30''::timestamp, ''2020-03-29 02:30''::timestamp), (''2020-03-29 02:30'', ''2020-03-29 03:15''), (''2020-03-29 03:15'', ''2020-03-29 03:45'')) v(lo, hi) ON lo <= born AND born < hi',
    'SELECT dp_count(*) FROM people JOIN (VALUES (''2020-03-29''::date, ''2020-03-30''::date), (''2020-03-30'', ''2020-03-31'')) v(lo, hi) ON lo <= born AND born < hi',
    'SELECT dp_count(*) FROM people JOIN generate_series(''2020-03-29''::timestamp, ''2020-03-30'', ''30 min'') g ON g = born'
]) query;
SELECT refused(query, '%could multiply%') FROM unproved;
SELECT matches(hint(query), 'AT TIME ZONE ''UTC''', 'the hint of ' || query) FROM unproved;

-- ---- of one type it is ----

SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM people JOIN local_times l ON l.at = born AT TIME ZONE ''UTC''',
    'SELECT dp_count(*) FROM people JOIN local_times l ON l.at = local_born',
    'SELECT dp_count(*) FROM people JOIN times t ON t.at = born',
    'SELECT dp_count(*) FROM people JOIN times t ON t.at = local_born AT TIME ZONE ''UTC''',
    'SELECT dp_count(*) FROM people JOIN local_times l ON l.at = day',
    'SELECT dp_count(*) FROM people JOIN (VALUES (''2020-03-29''::timestamp, ''2020-03-30''::timestamp), (''2020-03-30'', ''2020-03-31'')) v(lo, hi) ON lo <= born AT TIME ZONE ''UTC'' AND born AT TIME ZONE ''UTC'' < hi',
    'SELECT dp_count(*) FROM people JOIN (VALUES (''2020-03-29''::date, ''2020-03-30''::date), (''2020-03-30'', ''2020-03-31'')) v(lo, hi) ON lo <= local_born AND local_born < hi'
]) query;

-- ---- units ----

CREATE TABLE owners (at timestamptz PRIMARY KEY, x int NOT NULL);
CREATE TABLE owned (at timestamp NOT NULL, x int NOT NULL);
SELECT dpsens.protect('owners', unit => 'at'), dpsens.protect('owned', unit => 'at', max_rows => 3);
SELECT refused('SELECT dp_count(*) FROM owned JOIN owners o ON o.at = owned.at', '%') UNION ALL SELECT refused('SELECT dp_count(*) FROM owners o WHERE EXISTS (SELECT FROM owned WHERE o.at = owned.at)', '%same unit%')
UNION ALL SELECT matches(hint('SELECT dp_count(*) FROM owners o WHERE o.at IN (SELECT at FROM owned)'), 'AT TIME ZONE ''UTC''', 'the hint of a subquery');
ALTER TABLE owned ADD "owner" timestamp REFERENCES owners (at);
SELECT throws_like('SELECT dpsens.protect(''owned'', unit => ''owners.at'', max_rows => 3)', 'nothing says which row%', 'a reference by the time zone says not whose a row is');

-- ---- what is no proof may stand beside one, and no plan goes by it ----

CREATE TABLE plans (query text, settings text, answer text);
CREATE PROCEDURE try_plan(query text, VARIADIC settings text[]) LANGUAGE plpgsql AS $$
DECLARE setting text; answer text;
BEGIN
    FOREACH setting IN ARRAY settings LOOP
        PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true);
    END LOOP;
    PERFORM set_config('dpsens.noise', 'off', true);
    BEGIN
        EXECUTE query INTO answer;
    EXCEPTION WHEN OTHERS THEN
        answer = SQLERRM;
    END;
    INSERT INTO plans VALUES (query, settings::text, answer);
    COMMIT;
END $$;
-- more rows, some of which are in another order by the time zone
INSERT INTO local_times SELECT start + i * interval '10 min', row_number() OVER () + 1000 FROM (VALUES ('2020-03-29 01:05'::timestamp), ('2020-10-25 00:00')) v(start), generate_series(0, 40) i;
INSERT INTO times SELECT start + i * interval '10 min', row_number() OVER () + 1000 FROM (VALUES ('2020-03-29 00:05+00'::timestamptz), ('2020-10-24 22:00+00')) v(start), generate_series(0, 40) i;
INSERT INTO people SELECT k, t.at, l.at, l.at::date FROM times t JOIN local_times l USING (k) WHERE k > 1000;
CREATE INDEX ON people (born);
CREATE INDEX ON people (local_born);
ANALYZE people, times, local_times;
-- each as a nested loop finds it, over the tables
CREATE TABLE asked (query text);
INSERT INTO asked VALUES
    ('SELECT dp_count(*) FROM people p JOIN times t ON t.k = p.id AND t.at = p.local_born'),
    ('SELECT dp_count(*) FROM people p JOIN times t ON t.k = p.id JOIN local_times l ON l.at = p.local_born AND l.at = t.at AND p.born = l.at'),
    ('SELECT dp_count(*) FROM people p JOIN times t ON t.k = p.id AND p.local_born = t.at AND p.born = t.at'),
    ('SELECT dp_count(*) FROM people WHERE EXISTS (SELECT FROM local_times l WHERE l.at = born)'),
    ('SELECT dp_count(*) FROM people WHERE NOT EXISTS (SELECT FROM times t WHERE t.at = local_born)'),
    ('SELECT dp_count(*) FROM people WHERE local_born >= ''2020-03-29 01:30+00''::timestamptz'),
    ('SELECT dp_count(*) FROM people WHERE local_born > ''2020-10-25 00:30+00''::timestamptz'),
    ('SELECT dp_count(*) FROM people WHERE local_born = ANY (ARRAY[''2020-03-29 01:30+00'', ''2020-10-25 00:30+00'']::timestamptz[])'),
    ('SELECT dp_count(*) FROM people WHERE (local_born, id) >= (''2020-03-29 01:30+00''::timestamptz, 3)');
SELECT format('CALL try_plan(%L, %s)', query, settings) FROM asked, unnest(ARRAY[
    '''enable_hashjoin=off'', ''enable_mergejoin=off'', ''enable_indexscan=off'', ''enable_bitmapscan=off'', ''enable_indexonlyscan=off''',
    '''enable_hashjoin=off'', ''enable_nestloop=off''', '''enable_nestloop=off'', ''enable_mergejoin=off''', '''enable_seqscan=off'', ''enable_bitmapscan=off''',
    '''enable_seqscan=off'', ''enable_indexscan=off'', ''enable_indexonlyscan=off''']) settings \gexec
SELECT is(array_agg(DISTINCT answer), ARRAY[(SELECT answer FROM plans p WHERE p.query = q.query AND settings LIKE '%enable_hashjoin%mergejoin%indexscan%')], 'any plan: ' || query) FROM plans q GROUP BY query;
CREATE FUNCTION plain(query text) RETURNS text LANGUAGE plpgsql SET enable_hashjoin = off SET enable_mergejoin = off SET enable_indexscan = off SET enable_bitmapscan = off SET enable_indexonlyscan = off AS $$
DECLARE answer text;
BEGIN
    EXECUTE replace(query, 'dp_count', 'count') INTO answer;
    RETURN answer;
END $$;
SELECT is(min(answer), plain(query), 'and rightly: ' || query) FROM plans GROUP BY query;

SELECT * FROM finish();
DROP SCHEMA time_zone_joins_tap CASCADE;
