-- Conditions that could fail on a row: no row makes the statement fail, and every
-- row that plain SQL selects without an error is selected, no other one.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(652);

CREATE ROLE conditions_tap_ana;
CREATE SCHEMA conditions_tap;
GRANT ALL ON SCHEMA conditions_tap TO PUBLIC;
SET search_path = conditions_tap, public;
-- noise of scale 1/60: another number than the exact one in one answer of 10^26
SET dpsens.epsilon = 60;

CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE t (id int PRIMARY KEY, x float8, n numeric, r real, s smallint NOT NULL, big bigint NOT NULL, flag boolean,
    name text NOT NULL, born date NOT NULL, seen timestamptz, feels mood NOT NULL, tags text[]);
INSERT INTO t SELECT i,
    CASE WHEN i % 17 = 0 THEN float8 'NaN' WHEN i % 13 = 0 THEN 'Infinity' WHEN i % 19 = 0 THEN '-Infinity' WHEN i % 23 = 0 THEN NULL ELSE i % 50 END,
    CASE WHEN i % 29 = 0 THEN numeric 'NaN' WHEN i % 31 = 0 THEN 'Infinity' WHEN i % 37 = 0 THEN NULL ELSE i / 10.0 END,
    CASE WHEN i % 11 = 0 THEN real '3e38' ELSE i / 3.0 END, i % 200, 9007199254740993 + i, nullif(i % 3, 2)::boolean,
    CASE WHEN i % 7 = 0 THEN 'Ünï' || i ELSE i::text END, '1980-01-01'::date + i, '2020-01-01'::timestamptz + i * interval '1 day',
    CASE WHEN i % 5 = 0 THEN 'sad' ELSE 'happy' END::mood
FROM generate_series(1, 300) i;
INSERT INTO t (id, s, big, name, born, seen, feels) VALUES (0, 0, 9223372036854775807, '', 'infinity', '-infinity', 'sad');
UPDATE t SET tags = CASE WHEN id % 3 > 0 THEN ARRAY[name, left(name, 1), nullif('odd', CASE WHEN id % 2 = 0 THEN 'odd' END)] END;
DO $$ BEGIN
    PERFORM dpsens.protect('t'), dpsens.set_range('t', 'x', 0, 50), dpsens.set_range('t', 'id', 0, 1000);
    PERFORM dpsens.grant_budget('t', 'conditions_tap_ana', epsilon => 1000000);
END $$;

-- Rows, one by one, for which the condition is true; rows for which it fails.
CREATE FUNCTION plain(condition text, OUT selected bigint, OUT failed bigint) LANGUAGE plpgsql AS $$
DECLARE
    i int;
    yes boolean;
BEGIN
    selected = 0;
    failed = 0;
    FOR i IN SELECT id FROM t LOOP
        BEGIN
            EXECUTE format('SELECT %s FROM t WHERE id = %s', condition, i) INTO yes;
            IF yes THEN selected = selected + 1; END IF;
        EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
            failed = failed + 1;
        END;
    END LOOP;
END $$;
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
CREATE FUNCTION same(condition text, fails boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    exact record = plain(condition);
BEGIN
    RETURN NEXT is(exact.failed > 0, fails, 'SQL: ' || condition);
    RETURN NEXT is(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE ' || condition), exact.selected::text, condition);
    RETURN NEXT is(ask(CURRENT_USER, 'SELECT dp_count(*) FROM t WHERE ' || condition), exact.selected::text, condition || ', of whoever may read');
END $$;

SELECT same(condition, true) FROM unnest(ARRAY[
    '1 / (id - 42) >= -1000', 'x / (id - 42) > 0.1', 'id % (s - 7) = 1', 'ln(x) > 1', 'ln(n - 4.1) > 1', 'log(n - 4.1) > 1', 'sqrt(x - 40) >= 0', 'exp(x * 100) > 0',
    'power(x - 20, 0.5) > 2', 'id * 30000000 > 0', 's * s > 100', '-big < 0 AND big + 1 > 0', 'big * 1024 > 0', 'abs(r) * r > 10', 'x::int > 5', 'n::int > 5',
    '(s * s::int)::int2 > 10', 'n::numeric(3, 1) > 3', 'name::int > 100', 'substr(name, 2, 3 - id) IS NOT NULL', 'split_part(name, ''1'', id) = ''''',
    '(born + id * 30000000) > ''1980-01-01''', 'born - date ''1980-01-01'' > 100', 'name::date > ''1980-01-01''', 'seen + id * id * 10 * interval ''1 year'' > now()',
    'chr(s - 50) = ''A''', 'asin(x / 10) > 0.5', 'NOT (1 / (id - 42) > 0)', 'id < 10 OR 1 / (id - 42) > 0', '1 / (id - 42) > 0 AND id < 100',
    'CASE WHEN id > 100 THEN 1 / (id - 150) > -1 ELSE ln(50 - id) > 0 END', 'id IN (1, 1 / (id - 42), 5)', 'greatest(id, 1 / (id - 42)) > 100', 'width_bucket(x, 0, 50, id - 5) = 3'
]) condition;
SELECT same(condition, false) FROM unnest(ARRAY[
    'x > 3', 'x < 3', 'x = ''NaN''', 'x + x > 3', 'x - x < 1', 'x - x > 1', '-x > -5', 'x * 0 > 1', 'n + 0.1 = 0.3', 'n / 3 > 0.1', 'n * 0 > 1', 'round(n) = 3', 'trunc(n) > 5', 'round(n, 1) > 3.2',
    'r / 3 = 1', 'big % 7 = 3', 'big - 9007199254740993 = 5', 'x BETWEEN 3 AND n * 2', 'extract(year FROM seen) = 2020', 'date_part(''dow'', seen) = 2', 'date_trunc(''month'', seen) = ''2020-02-01''',
    'seen > now() - interval ''1 year''', 'born::text LIKE ''%-02-%''', 'feels::text = ''sad''', 'upper(name) = ''ÜNÏ7''', 'length(name) > 2', 'left(name, 2) = ''11''', 'name ILIKE ''üNÏ%''',
    'position(''7'' in name) > 0', 'id::text = name', 'flag::text = ''true''', '(x > 3) IS NOT TRUE', 'coalesce(x, -1) = -1', 'n ^ -1.5 > 0.01', 'nullif(x + 0, 5) IS NULL', 'id + s > big'
]) condition;
-- Rows and lists, which are written out.
SELECT same(condition, false) FROM unnest(ARRAY[
    '(s, id) < (50, 120)', '(s, id) <= (50, 50)', '(x, n) > (10, 5)', '(x, n, name) >= (10, 6.0, ''1'')', '(n, x) <= (id / 10.0, x)', '(flag, x) < (true, 7)', '(x, flag) >= (7, NULL)', '(NULL, id) < (1, 2)', '(feels, born, id) > (''sad'', ''1980-02-01'', 7)',
    '(s, flag) = (7, true)', '(x, flag) <> (7, true)', '(s, flag) IN ((7, true), (8, NULL), (9, false))', '(x, flag) NOT IN ((7, true), (8, NULL))', '(x, flag) IS DISTINCT FROM (7, true)', '(flag, x) IS NULL', '(flag, x) IS NOT NULL', 'NOT (flag, x) IS NULL', 'ROW(x) IS NOT NULL',
    'x = ANY (ARRAY[1, 2, id])', 'x <> ALL (ARRAY[1, n::float8, 3])', 'id = ANY (ARRAY[s::int])', 'name = ANY (tags)', '''odd'' = ANY (tags)', '''1'' <> ALL (tags)', '''odd'' > ANY (tags)', 'name > ALL (ARRAY[left(name, 1), NULL])', 'id < SOME (''{3, 9, NULL}'')',
    'name LIKE ANY (ARRAY[''1%'', ''2_''])', 'name NOT ILIKE ALL (ARRAY[''üN%'', ''2_''])', 'name ~ ANY (''{^1,0$,NULL}'')', 'name LIKE ALL (''{}'')',
    'x BETWEEN SYMMETRIC 20 AND 10', 'x NOT BETWEEN SYMMETRIC 20 AND n', 'n IS NOT DISTINCT FROM ''NaN''', 'flag IS DISTINCT FROM true', 'feels IN (''sad'')',
    'feels > ''sad''', 'n > x'
]) condition;
SELECT same(condition, true) FROM unnest(ARRAY['(s, 1 / (id - 42)) > (42, 0)', '(flag, 1 / (id - 42)) IS NOT NULL', '(s, 1 / (id - 42)) IN ((42, 1), (43, 1))', 'id = ANY (ARRAY[1 / (id - 42), 50])', 'id <> ALL (ARRAY[1 / (id - 42)])', '5 BETWEEN SYMMETRIC 1 / (id - 42) AND id']) condition;
-- Strings, and what is written as one.
SELECT same(condition, false) FROM unnest(ARRAY[
    'name || ''!'' = ''7!''', 'name || id || s = ''333''', 'x || name LIKE ''3%''', 'concat(name, NULL, id) = ''33''',
    'concat_ws(''-'', name, flag, feels, n) LIKE ''%-t-%''', 'concat(born, seen, x, n, r, big) LIKE ''%NaN%''', 'trim(both ''1'' from name) = ''''',
    'lower(name) = ''ünï7''', 'initcap(name) = ''Ünï7''',
    'substring(name from 2 for 1) = ''1''', 'overlay(name placing ''x'' from 1) = ''x1''', 'replace(name, ''1'', '''') = ''''',
    'translate(name, ''12'', ''ab'') = ''ab''', 'lpad(name, 4, ''0'') = ''0012''', 'rpad(name, 2) = ''7 ''', 'md5(name) < ''8''', 'to_hex(id) = ''ff''',
    'reverse(name) = ''21''',
    'to_char(born, ''YYYY-MM'') = ''1980-02''', 'to_char(seen, ''TMDay'') = ''Monday''', 'to_char(n, ''FM990.0'') = ''12.3''', 'to_char(id, ''RN'') LIKE ''%VII''',
    'to_char(x, ''9.9EEEE'') LIKE ''%e+01''', 'to_char(r, ''999'') LIKE ''%#%''', 'to_char(big, ''S999G999'') IS NULL',
    'to_char(id * interval ''1 hour'', ''DD HH24'') = ''02 02''',
    'name ~ ''^[0-9]+$''', 'name !~ ''1''', 'name ~* ''ÜNÏ''', 'name !~* ''^ün''', 'name ~ ''\d{2,}''', 'name ~ ''(?:1|2)+3''', 'name ~ ''\m7''',
    'name ~ ''^(1(2|3)*)+?$''', 'name ~ ''''', 'name SIMILAR TO ''[1-3]_''', 'name NOT SIMILAR TO ''%(7|8)''', 'regexp_like(name, ''1.1'')',
    'regexp_like(name, ''ü'', ''i'')', 'name::name ~ ''^1''',
    'name LIKE ''1%'' ESCAPE ''#''', 'name LIKE ''#1%'' ESCAPE ''#''', 'name LIKE ''1'' || ''%''', 'name ILIKE lower(''Ü'') || ''%''', 'name ~ (''^'' || ''1'')'
]) condition;
SELECT same(condition, true) FROM unnest(ARRAY['name || 1 / (id - 42) LIKE ''1%''', 'concat(1 / (id - 42), name) LIKE ''01%''', 'left(name, 2)::int > 20',
    'to_number(name, ''999'') > 20', 'to_date(name, ''YYYY'') > ''0100-01-01''', 'to_timestamp(name, ''DDD'') < ''0001-02-01 BC''',
    'to_char(seen + id * interval ''1000 years'', ''YYYY'') < ''3''',
    'chr(id)::text ~ ''[A-F]''', 'replace(name, ''1'', ''2'')::int > 100', 'lpad(name, 4, ''0'')::int > 100']) condition;
-- and what could take more than its share
SELECT matches(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE ' || condition), '^(0A000|2201B|22025)', condition) FROM unnest(ARRAY[
    'name ~ name', 'name ~ ''(1)\1''', 'name ~ ''1(?=2)''', 'name ~ ''1(?!2)''', 'name ~ ''(?<=1)2''', 'name ~ ''(?i)a''', 'name ~ ''***=1''',
    'name ~ ''(((1{99}){99}))''', 'name ~ ''((12){30}){90}''', 'name ~ repeat(''1'', 201)', 'name ~ ''(''', 'name ~ ''\''', 'regexp_like(name, ''1'', ''q'')',
    'regexp_like(name, ''1'', name)', 'name SIMILAR TO ''(1)\1''',
    'name ~ ANY (ARRAY[''1'', name])', 'regexp_replace(name, ''1'', ''2'') = ''2''', 'regexp_count(name, ''1'') = 1', 'name LIKE name', 'name LIKE ''1\''',
    'name LIKE repeat(''%'', 201)', 'name LIKE ''1%'' ESCAPE ''##''', 'name LIKE ANY (tags)', 'repeat(name, 9) = ''1''', 'lpad(name, id) = ''1''',
    'lpad(name, 2000000000) = ''1''', 'replace(name, ''1'', repeat(''2'', 9)) = ''2''',
    'replace(name, ''1'', name) = ''2''', 'to_char(id, name) = ''1''', 'concat(name, t) = ''''', 'concat(VARIADIC tags) = ''1''', 'format(''%s'', name) = ''1''',
    'name = repeat(''x'', 5) || ' || (SELECT string_agg('name', '||') FROM generate_series(1, 33)), '(t.*) IS NULL', 'tags = ''{1}''',
    'regexp_like(name, ''1'', ''x'')', 'regexp_like(name, ''1'', ''n'')'
]) condition;
-- as a column of a subquery, the pattern is looked at at each row
SELECT is(ask('conditions_tap_ana', format('SELECT string_agg(concat(feels, n), '' '' ORDER BY feels) FROM (SELECT feels, dp_count(*) AS n FROM (SELECT feels, name, %s AS p FROM t) s WHERE name %s p GROUP BY feels) q', pattern, operator)),
    (SELECT string_agg(concat(feels, coalesce(n, 0)), ' ' ORDER BY feels) FROM unnest(enum_range(NULL::mood)) feels LEFT JOIN (SELECT feels,
    count(*) AS n FROM t WHERE CASE operator WHEN 'LIKE' THEN name LIKE plain WHEN 'ILIKE' THEN name ILIKE plain ELSE name ~ plain END GROUP BY feels) q USING (feels)),
    'a column: ' || operator || ' ' || pattern)
FROM (VALUES ($$'1%'$$, 'LIKE', '1%'), ($$concat('1', '%')$$, 'LIKE', '1%'), ($$concat('1', '%')$$, 'ILIKE', '1%'), ($$'^1'$$, '~', '^1'), ($$concat('^', 1)$$, '~', '^1')) v (pattern, operator, plain);
-- Patterns that are parameters are looked at before the first row is.
PREPARE liked(text) AS SELECT dp_count(*) FROM t WHERE name LIKE $1;
PREPARE begun(text) AS SELECT dp_count(*) FROM t WHERE name ILIKE $1 || '%' AND name ~* ('^' || $1);
PREPARE similar_to(text) AS SELECT dp_count(*) FROM t WHERE name SIMILAR TO $1 OR regexp_like(name, $1);
CREATE FUNCTION liked_by(pattern text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dp_count(*) FROM t WHERE name LIKE pattern); END $$;
DO $$ BEGIN FOR i IN 1..9 LOOP PERFORM liked_by('1%'); END LOOP; END $$;
CREATE FUNCTION patterns(plans text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('plan_cache_mode', plans, true);
    RETURN NEXT is(ask('conditions_tap_ana', 'EXECUTE liked(''1%'')'), (SELECT count(*)::text FROM t WHERE name LIKE '1%'), plans || ': LIKE');
    RETURN NEXT is(ask('conditions_tap_ana', 'EXECUTE liked(NULL)'), '0', plans || ': LIKE NULL');
    RETURN NEXT is(ask('conditions_tap_ana', 'EXECUTE begun(''ünï1'')'), (SELECT count(*)::text FROM t WHERE name ILIKE 'ünï1%'), plans || ': with something around it');
    RETURN NEXT is(ask('conditions_tap_ana', 'EXECUTE similar_to(''1(1|2)'')'), (SELECT count(*)::text FROM t WHERE name SIMILAR TO '1(1|2)' OR name ~ '1(1|2)'), plans || ': regular expressions');
    RETURN NEXT is(ask('conditions_tap_ana', 'EXECUTE grouped(''1%'', 60)'), (SELECT string_agg(concat(feels, n), ' ' ORDER BY feels) FROM (SELECT feels, count(*) AS n FROM t WHERE name LIKE '1%' AND id > 60 GROUP BY feels) q), plans || ': groups');
    RETURN NEXT is(ask('conditions_tap_ana', 'EXECUTE grouped_key(''1%'', 60)'), 'sad', plans || ': sorted groups');
    RETURN NEXT is(ask('conditions_tap_ana', 'SELECT liked_by(''1%'')'), (SELECT count(*)::text FROM t WHERE name LIKE '1%'), plans || ': PL/pgSQL');
    RETURN QUERY SELECT matches(ask('conditions_tap_ana', statement), '^(0A000|2201B)', plans || ': ' || statement)
        FROM unnest(ARRAY['EXECUTE liked(''1\'')', 'EXECUTE liked(repeat(''%'', 201))', 'EXECUTE begun(''('')', 'EXECUTE begun(repeat(''1'', 200))', 'EXECUTE similar_to(''('')', 'EXECUTE similar_to(''(1)\1'')', 'SELECT liked_by(''1\'')']) statement;
    RETURN NEXT is(ask(CURRENT_USER, 'EXECUTE liked(repeat(''%'', 300) || ''1'')'), (SELECT count(*)::text FROM t WHERE name LIKE '%1'), plans || ': whoever may read may have longer ones');
END $$;
-- of groups, which are sorted; one that is an epsilon, too
PREPARE grouped(text, float8) AS SELECT string_agg(concat(feels, n), ' ' ORDER BY feels) FROM (SELECT feels, dp_count(true, $2) AS n FROM t WHERE name LIKE $1 AND id > $2 GROUP BY feels) q;
PREPARE grouped_key(text, float8) AS SELECT feels, dp_count(true, $2) AS n FROM t WHERE name LIKE $1 AND id > $2 GROUP BY feels ORDER BY dp_count(true, $2) + $2 LIMIT 1;
SELECT patterns(plans) FROM unnest('{auto,force_generic_plan,force_custom_plan}'::text[]) plans;
SELECT matches(ask('conditions_tap_ana', 'SELECT dpsens_internal.exact_pattern(''('', 3)'), '^42501', 'exact_pattern by hand');
-- The same decide what is added up.
SELECT is(ask('conditions_tap_ana', format('SELECT round(dp_sum(CASE WHEN %s THEN 1 ELSE 0 END))::int FROM t', condition)), (plain(condition)).selected::text, 'CASE: ' || condition) FROM unnest(ARRAY[
    'name LIKE ''1%''', 'name ~ ''^1''', 'name LIKE ANY (ARRAY[''1%'', ''2%''])', 'upper(name) = ''ÜNÏ7''', 'feels < ''happy''', 'name IS DISTINCT FROM ''7''', 'name IN (''7'', ''8'')', 'name || name = ''77''', 'name > ''2'' AND name !~ ''3''',
    'length(name) > 2', 'name::int > 100', 'name || id = ''77''', 'name = lpad(id::text, 1)', '(feels, id) < (''happy'', 100)', '(name, flag) IS NOT NULL', 'name = ANY (tags)', '''odd'' = ANY (tags)', '(x, n) > (10, 5)', '(id, x) IN ((7, 7), (8, 9))', 'feels = ''sad'' OR length(name) = id'
]) condition;
SELECT matches(ask('conditions_tap_ana', format('SELECT dp_sum(CASE WHEN %s THEN 1 ELSE 0 END) FROM t', condition)), '^0A000', 'not: ' || condition)
FROM unnest(ARRAY['name LIKE id || ''%''', 'name ~ name', 'name = (SELECT ''1'')', 't IS NULL', 'random()::text < name', 'name = repeat(''1'', id)']) condition;
-- where it matters which column moves, each by itself
CREATE TABLE apart (id int NOT NULL, x float8 NOT NULL, name text NOT NULL);
INSERT INTO apart SELECT id, 1, name FROM t;
DO $$ BEGIN
    PERFORM dpsens.protect('apart', adjacency => 'attribute'), dpsens.set_range('apart', 'x', 0, 50), dpsens.set_range('apart', 'id', 0, 1000);
    PERFORM dpsens.grant_budget('apart', 'conditions_tap_ana', epsilon => 1000000);
END $$;
SELECT is(ask('conditions_tap_ana', 'SELECT abs(dp_sum(CASE WHEN name LIKE ''1%'' AND length(name) > 1 THEN x ELSE 0 END) - 95) < 40 FROM apart'), (SELECT (count(*) = 95)::text FROM apart WHERE name LIKE '1%' AND length(name) > 1), 'attribute: one column');
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_sum(CASE WHEN name LIKE ''1%'' AND length(name) > 1 THEN x ELSE 0 END) FROM apart')), 50::float8, 'which may decide');
SELECT matches(ask('conditions_tap_ana', 'SELECT dp_sum(CASE WHEN name LIKE ''1%'' OR length(name) = id THEN x ELSE 0 END) FROM apart'), '^0A000', 'attribute: two columns');

-- What is undefined is NULL.
SELECT is(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE 1 / (id - 42) IS NULL'), '1', 'IS NULL');
SELECT is(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE coalesce(1 / (id - 42), 1000) = 1000'), '1', 'coalesce');
SELECT is(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE (1 / (id - 42) > 0) IS UNKNOWN'), '1', 'IS UNKNOWN');
SELECT is(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE 1 / (id - 42) IS DISTINCT FROM 5'), '301', 'IS DISTINCT FROM');

-- Where conditions stand.
SELECT is(ask(who, 'SELECT dp_count(*) FILTER (WHERE 1 / (id - 42) = 0) FROM t'), '298', 'FILTER: ' || who) FROM unnest(ARRAY['conditions_tap_ana', CURRENT_USER]) who;
SELECT is(ask(who, 'SELECT dp_count(*) FROM (SELECT 1 / (id - 42) AS y FROM t) s WHERE y = 0'), '298', 'a subquery''s column: ' || who) FROM unnest(ARRAY['conditions_tap_ana', CURRENT_USER]) who;
SELECT is(ask(who, 'SELECT dp_count(*) FROM (SELECT id FROM t WHERE 1 / (id - 42) = 0) s WHERE 1 / (id - 50) = 0'), '295', 'a subquery''s WHERE: ' || who)
FROM unnest(ARRAY['conditions_tap_ana', CURRENT_USER]) who;
SELECT is(ask(who, 'WITH w AS (SELECT id, ln(id - 42) AS l FROM t) SELECT dp_count(*) FROM w WHERE l > 2'), '251', 'WITH: ' || who) FROM unnest(ARRAY['conditions_tap_ana', CURRENT_USER]) who;
SELECT is(ask(CURRENT_USER, 'SELECT dp_count(*) FROM (SELECT id, 1 / (id - 42) AS y FROM t) s WHERE EXISTS (SELECT WHERE s.y = 0)'), '298', 'a column in a subquery');
SELECT is(ask(CURRENT_USER, 'SELECT dp_count(*) FROM (SELECT id, 1 / (id - 42) AS y FROM t) s WHERE EXISTS (SELECT WHERE (s).y = 0 AND s IS NOT NULL)'), '298', 'a whole row in a subquery');
PREPARE one(int) AS SELECT dp_count(*) FROM t WHERE 1 / (id - $1) = 0;
SELECT is(ask(CURRENT_USER, 'EXECUTE one(42)'), '298', 'a parameter');
SET plan_cache_mode = force_generic_plan;
SELECT is(ask(CURRENT_USER, 'EXECUTE one(42)'), '298', 'a parameter in a generic plan');
RESET plan_cache_mode;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT matches((SELECT string_agg(line, '') FROM (SELECT dpsens_plan AS line FROM (SELECT ask(CURRENT_USER, 'EXPLAIN (FORMAT JSON) SELECT dp_count(*) FROM t WHERE 1 / (id - 42) = 0') AS dpsens_plan) p) q),
    'Gather', 'a parallel plan');
SELECT is(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE 1 / (id - 42) = 0'), '298', 'in parallel workers');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- They narrow the bounds as before.
SELECT is(ask('conditions_tap_ana', 'SELECT upper FROM dpsens.explain(''SELECT dp_sum(x) FROM t WHERE x * 2 < 20'')')::float8 < 10.001, true, 'narrowing');
SELECT is(ask('conditions_tap_ana', 'SELECT sensitivity FROM dpsens.explain(''SELECT dp_sum(x) FROM t'')'), '50', 'and without');

-- An index is used for what it is good for.
SELECT matches(ask(CURRENT_USER, 'EXPLAIN (FORMAT JSON) SELECT dp_count(*) FROM t WHERE id = 7 AND 1 / (id - 42) < 1'), 'Index', 'an index');

-- A cancel is not swallowed, and neither are constants that have no value.
SELECT matches(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE id / 0 > 1 OR 1 / 0 > 1'), '^22012', 'a constant');

-- the server marks comparisons of areas and lengths as leakproof, which overflow
CREATE TABLE shapes (id int PRIMARY KEY, x float8 NOT NULL, area circle NOT NULL, line lseg NOT NULL);
INSERT INTO shapes SELECT i, 1, CASE WHEN i = 42 THEN '<(0,0),1e300>' ELSE '<(0,0),1>' END::circle, CASE WHEN i = 42 THEN '[(-1e308,0),(1e308,0)]' ELSE '[(0,0),(1,1)]' END::lseg
FROM generate_series(1, 50) i;
SELECT dpsens.protect('shapes'), dpsens.set_range('shapes', 'x', 0, 1) \g /dev/null
SELECT is(ask(CURRENT_USER, format('SELECT round(dp_sum(CASE WHEN %s THEN x ELSE 0 END)) FROM shapes', condition)), '49', 'a shape: ' || condition)
FROM unnest(ARRAY['area < ''<(0,0),2>''', 'line < ''[(0,0),(2,2)]''']) condition;

-- By hand the function does nothing.
SELECT matches(ask('conditions_tap_ana', 'SELECT dpsens_internal.exact_attempt(NULL::dpsens_internal.plan, 1, 2)'), '^42501', 'exact_attempt by hand');
SELECT matches(ask('conditions_tap_ana', 'SELECT dp_count(*) FROM t WHERE dpsens_internal.exact_attempt(NULL::dpsens_internal.plan, true, name)'), '^42501', 'and in a condition');
SET ROLE conditions_tap_ana;
CREATE TABLE mine (a int);
SELECT throws_ok('CREATE INDEX ON mine ((dpsens_internal.exact_attempt(NULL::dpsens_internal.plan, 1, a)))', '42P17', NULL, 'nor in an index');
SELECT throws_ok('ALTER TABLE mine ADD CHECK (dpsens_internal.exact_attempt(NULL::dpsens_internal.plan, true, a)); INSERT INTO mine VALUES (1)', '42501', NULL, 'nor in a constraint');
RESET ROLE;

SELECT * FROM finish();
DROP SCHEMA conditions_tap CASCADE;
DROP OWNED BY conditions_tap_ana;
DROP ROLE conditions_tap_ana;
