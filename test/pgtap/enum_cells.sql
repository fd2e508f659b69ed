-- Cells of enum types are compared as plain SQL does, by labels that were read before
-- rows; their types are locked.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(393);

CREATE ROLE enum_cells_tap_ana;
CREATE SCHEMA enum_cells_tap;
GRANT USAGE ON SCHEMA enum_cells_tap TO PUBLIC;
SET search_path = enum_cells_tap, public;
-- noise of scale 1/60: another number than the exact one in one answer of 10^26
SET dpsens.epsilon = 60;
SET dpsens.selection_epsilon = 60;

-- whose OIDs are not in the order of labels
CREATE TYPE mood AS ENUM ('sad', 'happy');
ALTER TYPE mood ADD VALUE 'angry' BEFORE 'sad';
ALTER TYPE mood ADD VALUE 'calm' BEFORE 'happy';
ALTER TYPE mood ADD VALUE 'bored' BEFORE 'angry';
CREATE DOMAIN temper AS mood;
-- names that are no label, almost are one, or are longer than a label can be
CREATE TABLE t (id int PRIMARY KEY, feels mood NOT NULL, felt mood, shows temper, name text NOT NULL, x float8 NOT NULL);
INSERT INTO t SELECT i, (enum_range(NULL::mood))[CASE WHEN i % 4 = 0 THEN 4 ELSE 1 + i % 5 END], (enum_range(NULL::mood))[i % 7], (enum_range(NULL::mood))[1 + i % 5],
    (ARRAY['calm', 'Calm', 'calm ', '', 'happy', repeat('calm', 20), 'sa', 'sadd'])[1 + i % 8], i % 10
FROM generate_series(1, 210) i;
CREATE TABLE moods (feels mood, factor int NOT NULL);
INSERT INTO moods VALUES ('angry', 1), ('calm', 2), ('happy', 3), (NULL, 4);
CREATE TABLE named (feels mood PRIMARY KEY, factor int NOT NULL);
INSERT INTO named SELECT feels, factor FROM moods WHERE feels IS NOT NULL;
GRANT SELECT ON moods, named TO PUBLIC;
-- whose are people of a mood
CREATE TABLE crowd (feels mood NOT NULL, x float8 NOT NULL);
INSERT INTO crowd SELECT feels, x FROM t WHERE feels <> 'angry';
DO $$ BEGIN
    PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 10), dpsens.set_range('moods', 'factor', 0, 10), dpsens.set_range('named', 'factor', 0, 10);
    PERFORM dpsens.grant_budget('t', 'enum_cells_tap_ana', epsilon => 1000000, delta => 0.01, own_tables => true);
    PERFORM dpsens.protect('crowd', unit => 'feels', max_rows => 1000), dpsens.set_range('crowd', 'x', 0, 10);
    PERFORM dpsens.grant_budget('crowd', 'enum_cells_tap_ana', epsilon => 1000000, delta => 0.01, own_tables => true);
END $$;

-- an answer of one row, or how it failed
CREATE FUNCTION ask(who name, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', who);
    BEGIN
        EXECUTE statement INTO answer;
    EXCEPTION WHEN OTHERS THEN
        answer = SQLSTATE || ' ' || SQLERRM;
    END;
    RESET ROLE;
    RETURN answer;
END $$;
-- the question in plain SQL says what the answer should be
-- the sums, of cells up to 10, are divided by 17.3: noise rounds another way from 4.4 on, with a probability
-- below e^-26
CREATE FUNCTION same(question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    plain text = regexp_replace(question, 'dp_(count|sum)', '\1', 'g');
    kind text;
    exact text = ask(CURRENT_USER, plain);
BEGIN
    RETURN NEXT unalike(exact, '_____ %', plain);
    FOREACH kind IN ARRAY '{on, off}'::text[] LOOP
        PERFORM set_config('enable_hashjoin', kind, true), set_config('enable_hashagg', kind, true), set_config('enable_nestloop', kind, true);
        RETURN NEXT is(ask('enum_cells_tap_ana', question), exact, format('%s (%s)', question, kind));
    END LOOP;
    RETURN NEXT is(ask(CURRENT_USER, question), exact, question || ', of whoever may read');
END $$;
-- conditions that fail on no row
CREATE TEMP TABLE asked AS SELECT 'SELECT dp_count(*) FROM t WHERE ' || condition AS question FROM unnest(ARRAY[
    'feels < ''calm''', 'feels <= ''calm''', 'feels > ''calm''', 'feels >= ''calm''', '''sad'' < feels', 'feels = ''sad''', 'feels <> ''sad''', 'feels < felt', 'felt >= feels', 'feels = felt', 'feels <> felt',
    'feels BETWEEN ''angry'' AND ''calm''', 'felt NOT BETWEEN ''angry'' AND ''calm''', 'feels IN (''sad'', ''bored'')', 'feels <> ALL (''{sad, bored}'')', 'felt IS DISTINCT FROM feels', 'felt IS NULL', 'nullif(feels, ''sad'') IS NULL',
    '(feels, id) < (''calm'', 100)', '(felt, feels) >= (''calm'', ''sad'')', 'felt > NULL', 'coalesce(felt, ''happy'') > ''sad''', 'CASE feels WHEN ''sad'' THEN felt ELSE feels END < ''happy''',
    'feels::text = ''sad''', 'feels::text < ''c''', 'upper(feels::text) LIKE ''%A%''', 'felt::text IS NULL', 'feels::varchar(2) = ''ca''', 'feels::text || felt::text ~ ''y.*b''', 'length(shows::text) > 4', 'feels::text::mood = feels', 'feels::name = ''sad''',
    'shows::mood < ''calm''', 'shows::mood = feels', 'shows::mood <> ''calm''', 'shows::text = feels::text', 'shows::mood BETWEEN ''sad'' AND ''happy''',
    'width_bucket(feels, ''{bored, sad, happy}''::mood[]) = 2', 'width_bucket(felt, ''{angry, calm}''::mood[]) < 2', 'CASE WHEN name IN (''calm'', ''happy'') THEN name::mood > ''sad'' END'
]) AS condition;
SELECT same(question) FROM asked;
-- and those where plain SQL does
SELECT is(ask(who, 'SELECT dp_count(*) FROM t WHERE ' || condition), selected::text, format('%s (%s)', condition, who))
FROM unnest(ARRAY['enum_cells_tap_ana', CURRENT_USER]) who, (VALUES
    ('name::mood = ''calm''', (SELECT count(*) FROM t WHERE name = 'calm')),
    ('name::mood IS NOT NULL', (SELECT count(*) FROM t WHERE name IN ('calm', 'happy'))),
    ('name::mood >= ''calm''', (SELECT count(*) FROM t WHERE name IN ('calm', 'happy'))),
    ('name::mood IS NULL AND x > 4', (SELECT count(*) FROM t WHERE name NOT IN ('calm', 'happy') AND x > 4)),
    ('name::mood::text = name', (SELECT count(*) FROM t WHERE name IN ('calm', 'happy')))
) v (condition, selected);
-- joins, subqueries, keys
CREATE TEMP TABLE more AS SELECT question FROM unnest(ARRAY[
    'SELECT (dp_sum(factor) / 17.3)::int FROM t JOIN named USING (feels)', 'SELECT dp_count(*) FROM t JOIN named n ON n.feels = shows::mood WHERE factor > 1', 'SELECT dp_count(*) FROM t LEFT JOIN named n ON n.feels = felt WHERE factor IS NULL',
    'SELECT dp_count(*) FROM t JOIN (VALUES (''sad''::mood, 1), (''calm'', 2), (''bored'', 3)) v (m, k) ON m = felt WHERE k > 1',
    'SELECT dp_count(*) FROM t WHERE feels IN (SELECT feels FROM moods)', 'SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM moods m WHERE m.feels = felt AND factor > 1)', 'SELECT dp_count(*) FROM t WHERE NOT EXISTS (SELECT FROM moods m WHERE m.feels = t.feels)',
    'SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM moods m WHERE m.feels > t.feels)',
    'SELECT string_agg(concat(feels, n), '' '' ORDER BY feels) FROM (SELECT feels, dp_count(*) AS n FROM t GROUP BY feels) q', 'SELECT string_agg(concat(feels, n), '' '') FROM (SELECT feels, dp_count(*) AS n FROM t GROUP BY feels ORDER BY feels) q',
    'SELECT string_agg(concat(shows, n), '' '' ORDER BY shows DESC) FROM (SELECT shows, dp_count(*) AS n FROM t GROUP BY shows) q',
    'SELECT string_agg(concat(k, n), '' '') FROM (SELECT CASE WHEN x > 3 THEN feels ELSE ''angry'' END AS k, dp_count(*) AS n FROM t GROUP BY 1 ORDER BY 1) q',
    'SELECT string_agg(concat(k, n), '' '' ORDER BY k) FROM (SELECT CASE WHEN x > 3 THEN feels ELSE ''angry'' END AS k, dp_count(*) AS n FROM t GROUP BY 1) q',
    'SELECT string_agg(concat(k, n), '' '' ORDER BY k) FROM (SELECT upper(feels::text) AS k, dp_count(*) AS n FROM t GROUP BY 1) q',
    'SELECT dp_sum(n)::int FROM (SELECT id, feels, least(count(*), 2) AS n FROM t GROUP BY id, feels) q', 'SELECT dp_sum(n)::int FROM (SELECT id, least(count(DISTINCT feels), 2) AS n FROM t GROUP BY id) q',
    'SELECT dp_count(*) FROM (SELECT DISTINCT id, felt FROM t) q WHERE felt > ''angry''', 'SELECT (dp_sum(CASE WHEN feels = ''sad'' THEN x ELSE 1 END) / 17.3)::int FROM t', 'SELECT (dp_sum(x) FILTER (WHERE feels >= ''calm'') / 17.3)::int FROM t',
    'SELECT dp_count(*) FROM (SELECT feels FROM crowd GROUP BY feels) q', 'SELECT dp_count(*) FROM (SELECT DISTINCT feels FROM crowd) q WHERE feels < ''happy''', 'SELECT dp_count(*) FROM (SELECT feels, count(*) AS n FROM crowd WHERE x > 3 GROUP BY feels) q WHERE n > 20'
]) AS question;
SELECT same(question) FROM more;
SELECT is(ask(who, 'SELECT concat(dp_mode(feels), '' '', dp_count(DISTINCT feels), '' '', dp_count(DISTINCT felt)) FROM t'), (SELECT concat((SELECT mode() WITHIN GROUP (ORDER BY feels) FROM t), ' ', count(DISTINCT feels), ' ', count(DISTINCT felt)) FROM t), 'mode and distinct ' || who)
FROM unnest(ARRAY['enum_cells_tap_ana', CURRENT_USER]) who;

-- None of it asks the catalogs for a label when rows are read: all are gone by then.  A
-- clean room is not asked where they have changed.
CREATE FUNCTION unless_changed(answer text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN current_setting('dpsens.clean_rooms') = '0' THEN answer ELSE '55000 the labels of type mood have changed since the query was planned' END;
$$;
CREATE FUNCTION without_labels(question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    SET LOCAL ROLE enum_cells_tap_ana;
    EXECUTE 'DECLARE c CURSOR FOR ' || question;
    RESET ROLE;
    DELETE FROM pg_enum WHERE enumtypid = 'mood'::regtype;
    SET LOCAL ROLE enum_cells_tap_ana;
    EXECUTE 'FETCH c' INTO answer;
    RAISE EXCEPTION USING ERRCODE = 'P0001', MESSAGE = answer;
EXCEPTION WHEN raise_exception THEN
    RESET ROLE;
    RETURN SQLERRM;
WHEN OTHERS THEN
    RESET ROLE;
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION as_without_labels(asked text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    kind text;
BEGIN
    FOREACH kind IN ARRAY '{on, off}'::text[] LOOP
        PERFORM set_config('enable_hashjoin', kind, true), set_config('enable_hashagg', kind, true), set_config('enable_nestloop', kind, true);
        RETURN NEXT is(without_labels(asked), unless_changed(ask(CURRENT_USER, regexp_replace(asked, 'dp_(count|sum)', '\1', 'g'))), format('without labels: %s (%s)', asked, kind));
    END LOOP;
END $$;
SELECT as_without_labels(question) FROM (TABLE asked UNION ALL SELECT question FROM more WHERE question !~ 'string_agg') q;
SELECT is(without_labels('SELECT dp_count(*) FROM t WHERE name::mood >= ''calm'''), unless_changed((SELECT count(*) FROM t WHERE name IN ('calm', 'happy'))::text), 'without labels: casts');
SELECT is(without_labels('SELECT sum(n) FROM (SELECT CASE WHEN x > 3 THEN feels END AS k, dp_count(*) AS n FROM t GROUP BY 1) q'), unless_changed('210'), 'without labels: keys');
SELECT is(without_labels('SELECT sum(n) FROM (SELECT feels, dp_count(*) AS n FROM t GROUP BY 1) q'), unless_changed('210'), 'without labels: declared keys');
SELECT is(ask('enum_cells_tap_ana', 'SELECT string_agg(concat(k, n), '' '') FROM (SELECT CASE WHEN x > 3 THEN feels END AS k, dp_count(*) AS n FROM t GROUP BY 1) q'),
    (SELECT string_agg(concat(k, n), ' ' ORDER BY k) FROM (SELECT CASE WHEN x > 3 THEN feels END AS k, count(*) AS n FROM t GROUP BY 1) q),
    'groups are in the order of labels');
SELECT is(without_labels('SELECT dp_count(DISTINCT feels) FROM t'), unless_changed('5'), 'without labels: distinct cells');

-- a plan that was kept
SET plan_cache_mode = force_generic_plan;
PREPARE grouped AS SELECT string_agg(concat(feels, n), ' ' ORDER BY feels) AS said FROM (SELECT feels, dp_count(*) AS n FROM t WHERE id <= 10 GROUP BY feels) q;
PREPARE ordered AS SELECT dp_count(*) AS said FROM t WHERE feels < 'angry' AND feels::text <> 'bored' AND id <= 10;
CREATE TEMP TABLE said (who text, what text, said text);
GRANT ALL ON said TO PUBLIC;
SET ROLE enum_cells_tap_ana;
EXECUTE grouped \gset before_
EXECUTE ordered \gset least_
RESET ROLE;
ALTER TYPE mood ADD VALUE 'amused' BEFORE 'bored';
ALTER TYPE mood RENAME VALUE 'sad' TO 'low';
UPDATE t SET feels = 'amused' WHERE id IN (3, 4);
SELECT is(:'least_said'::text, '0', 'no row has less');
SET ROLE enum_cells_tap_ana;
EXECUTE grouped \gset after_
EXECUTE ordered \gset now_
RESET ROLE;
SELECT is(:'after_said'::text, (SELECT string_agg(concat(feels, n), ' ' ORDER BY feels) FROM (SELECT l.feels, count(t.id) AS n FROM unnest(enum_range(NULL::mood)) l (feels) LEFT JOIN t ON t.feels = l.feels AND id <= 10 GROUP BY 1) q), 'a plan that is kept has a new label''s group');
SELECT isnt(:'before_said'::text, :'after_said'::text, 'which it had not');
SELECT is(:'now_said'::text, '2', 'and compares by it');
RESET plan_cache_mode;

-- locks
CREATE FUNCTION locked(type regtype) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT mode, ' ') FROM pg_locks WHERE locktype = 'object' AND classid = 'pg_type'::regclass AND objid = type AND pid = pg_backend_pid();
$$;
CREATE FUNCTION locked_by(question text, type regtype) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    mode text;
BEGIN
    PERFORM ask('enum_cells_tap_ana', question);
    mode = locked(type);
    RAISE EXCEPTION USING ERRCODE = 'P0001', MESSAGE = coalesce(mode, 'none');
EXCEPTION WHEN raise_exception THEN
    RETURN SQLERRM;
END $$;
CREATE TYPE unused AS ENUM ('a');
SELECT is(locked_by('SELECT dp_count(*) FROM t WHERE ' || condition, 'mood'), 'RowShareLock', 'is locked: ' || condition)
FROM unnest(ARRAY['feels < ''low''', 'feels = ''low''', 'shows::mood = ''low''', 'name::mood IS NULL', 'feels = ANY (ARRAY[felt, ''low''])', 'feels IS NOT NULL', 'CASE WHEN x > 3 THEN feels END::text = ''low''']) AS condition;
SELECT is(locked_by('SELECT string_agg(feels::text, '' '') FROM (SELECT feels, dp_count(*) FROM t GROUP BY 1) q', 'mood'), 'RowShareLock', 'is locked: a key');
SELECT is(locked_by('SELECT dp_sum(x) FROM crowd', 'mood'), 'RowShareLock', 'is locked: a unit');
SELECT is(locked_by('SELECT dp_count(*) FROM t WHERE shows IS NOT NULL', 'temper'), 'RowShareLock', 'is locked: a domain');
SELECT is(locked_by('SELECT dp_count(*) FROM t WHERE feels < ''low''', 'unused'), 'none', 'and no other');

-- too many
SELECT format('CREATE TYPE many AS ENUM (%s)', string_agg(quote_literal(lpad(i::text, 63, 'x')), ', ')) FROM generate_series(1, 15000) i \gexec
SELECT matches(ask('enum_cells_tap_ana', 'SELECT dp_count(*) FROM t WHERE name::many IS NULL'), '^54000 type many has too many labels', 'a table of labels that is too large');

SELECT * FROM finish();
DROP SCHEMA enum_cells_tap CASCADE;
DROP OWNED BY enum_cells_tap_ana;
DROP ROLE enum_cells_tap_ana;
