-- Row 17: errors that a row decides.  One table has the person, the other does
-- not: what is asked of both must end alike, in every place where a row's cells
-- are computed with.
\ir start.sql
CREATE DOMAIN lab.positive AS numeric CHECK (VALUE > 0);
CREATE DOMAIN lab.not_her AS text CHECK (VALUE <> 'Zebedee');
SET ROLE dpsens_attack_ana;
CREATE VIEW lab.all_of_them AS SELECT * FROM clinic.people;
CREATE VIEW lab.all_of_others AS SELECT * FROM clinic.others;
RESET ROLE;
SELECT oracle('WHERE ' || condition, 'SELECT dp_count(*) FROM %s WHERE ' || condition)
FROM unnest(ARRAY[
    '1 / pay > 0', '1 / nullif(pay, 3) > 0', '100 / (id - 42) > -1000', '100 % (id - 42) < 99', 'mod(7, id - 42) < 9', 'NOT secret OR 1 / (age - age) > 0', 'CASE WHEN secret THEN 1 / (id - 42) > 0 ELSE true END',
    'name::int > 0', 'name::numeric + 1 > 0', 'name::float8 > 0', 'NOT secret OR name::date IS NULL', 'NOT secret OR name::json IS NULL', 'NOT secret OR name::uuid IS NULL', 'NOT secret OR name::inet IS NULL', 'NOT secret OR name::bit IS NULL',
    'NOT secret OR name::boolean', 'NOT secret OR name::lab.mood = ''sad''', 'NOT secret OR name::regclass IS NULL', 'NOT secret OR name::regrole IS NULL', 'NOT secret OR name::int[] IS NULL', 'NOT secret OR name::interval IS NULL', 'NOT secret OR name::money IS NULL',
    'NOT secret OR name::jsonpath IS NULL', 'to_number(replace(name, ''Z'', ''''), ''999'') IS NULL OR name::int > 0',
    'ln(pay) IS NOT NULL', 'log(pay) < 99', 'pay ^ -1 > 0', 'sqrt(pay - 0.1) >= 0', 'asin(CASE WHEN secret THEN 2 ELSE 0 END::float8) >= 0', 'acosh(CASE WHEN secret THEN 0 ELSE 2 END::float8) >= 0', 'factorial(CASE WHEN secret THEN -1 ELSE 1 END) > 0',
    'NOT secret OR id * 2000000000 > 0', 'NOT secret OR id::int2 * 2000::int2 > 0', 'NOT secret OR (id * 1000000)::int2 > 0', 'NOT secret OR exp(id * 100.0::float8) > 0', 'NOT secret OR 10.0::float8 ^ (id * 100) > 0', 
    'NOT secret OR seen + id * interval ''100000 years'' IS NULL', 'NOT secret OR make_date(id, 13, 1) IS NULL', 'NOT secret OR make_time(id, 0, 0) IS NULL',
    'NOT secret OR to_timestamp(''Infinity''::float8) - seen IS NULL OR to_timestamp(id * 1e15) IS NULL', 'NOT secret OR date_trunc(name, seen) IS NULL', 
    'NOT secret OR seen AT TIME ZONE name IS NULL', 'NOT secret OR date_part(name, born) > 0', 'NOT secret OR to_char(seen, name) IS NULL OR name::int = 1', 'NOT secret OR to_date(name, ''YYYY'') IS NULL',
    'substr(name, 1, 3 - CASE WHEN secret THEN 9 ELSE 0 END) IS NOT NULL', 'substring(name FROM 1 FOR CASE WHEN secret THEN -1 ELSE 1 END) IS NOT NULL', 'NOT secret OR ''a'' ~ (name || ''('')', 'NOT secret OR regexp_replace(name, ''('', '''') IS NULL',
    'NOT secret OR chr(id - 42) IS NULL', 'NOT secret OR repeat(name, id * 40000000) IS NULL', 'NOT secret OR lpad(name, 2000000000) IS NULL',
    'NOT secret OR decode(name, ''hex'') IS NULL', 'NOT secret OR decode(name, ''base64'') IS NULL', 'NOT secret OR convert_from(name::bytea, ''utf9'') IS NULL',
    'NOT secret OR encode(name::bytea, name) IS NULL',
    'NOT secret OR get_byte(name::bytea, 99) = 1', 'NOT secret OR set_bit(name::bytea, 999, 1) IS NULL', 'NOT secret OR overlay(name placing ''x'' from -1) IS NULL',
    'NOT secret OR split_part(name, ''e'', id - 42) IS NULL', 'NOT secret OR translate(name, name, name)::int = 1', 'NOT secret OR format(''%z'', name) IS NULL',
    'NOT secret OR array_fill(1, ARRAY[id, 2147483647]) IS NULL', 'NOT secret OR width_bucket(age, 3, 3, id) = 1', 'NOT secret OR width_bucket(age, 0, 1, id - 42) = 1', 'NOT secret OR array_dims(tags::int[]) = ''''',
    'NOT secret OR jsonb_set(to_jsonb(name), ''{a}'', ''1'') IS NULL', 'NOT secret OR to_jsonb(name) - ''a'' IS NULL', 'NOT secret OR to_jsonb(name)::int = 1', 'NOT secret OR jsonb_path_match(to_jsonb(name), ''$'')', 'NOT secret OR row_to_json(ROW(name))::text::int = 1',
    'NOT secret OR int4range(id, 1) IS NULL', 'NOT secret OR numrange(pay, -1) IS NULL', 'NOT secret OR circle(point(0, 0), 1e200 * id) @> point(1e200, 1e308) OR area(circle(point(0, 0), 1e200 * id)) > 0',
    'pay::lab.positive IS NOT NULL', 'name::lab.not_her IS NOT NULL', 'NOT secret OR current_setting(name) IS NULL', 'NOT secret OR has_table_privilege(name, ''select'')', 'NOT secret OR nextval(name) = 1', 'NOT secret OR (SELECT a FROM (VALUES (1), (2)) v (a)) = 1',
    'NOT secret OR (SELECT 1 / (id - 42)) = 1', 'secret = (ARRAY[true, 1 / (id - 42) > 0])[2]', 'NOT secret OR xmlparse(CONTENT ''<'' || name) IS NULL', 'NOT secret OR txid_status(id + 1000000000000::bigint) IS NULL', 'NOT secret OR inet(''10.0.0.1'') - 1000000000000 * id IS NULL',
    'NOT secret OR to_regclass(name || ''.'' || name || ''.a.b'') IS NULL', 'NOT secret OR B''101'' & name::bit(2) = B''1''', 'NOT secret OR bit_length(name) / (id - 42) = 1', 'NOT secret OR cash_div_int4(''1''::money, id - 42) IS NULL', 'NOT secret OR numeric_inc(name::numeric) = 1',
    'NOT secret OR ts_rank(''{1}'', to_tsvector(name), ''a'') > 0', 'NOT secret OR setweight(to_tsvector(name), ''q'') IS NULL',
    'NOT secret OR parse_ident(name || ''..'') IS NULL', 'NOT secret OR unistr(''\00'' || name) IS NULL',
    'NOT secret OR normalize(name, NFC) IS NULL OR name::int = 1', 'NOT secret OR timezone(interval ''1 month'', seen) IS NULL',
    'NOT secret OR justify_days(interval ''1 day'' * 2000000000 * id) IS NULL', 'NOT secret OR interval ''1 day'' / (id - 42) IS NULL',
    'NOT secret OR age(born + 2000000000) IS NULL', 'NOT secret OR gcd(-2147483648 + (id - 42), 0) = 1', 'NOT secret OR lcm(2147483647, id) = 1',
    'NOT secret OR trim_scale(1 / (pay * 0)) = 1', 'NOT secret OR random() < -pg_sleep(0)::text::int',
    -- rows, lists, patterns and strings
    '(member, 1 / pay) >= (member, 0)', '(1 / pay, id) IS NOT NULL', '(id, 1 / pay) IN ((42, 4), (5, 6))', '(id, 1 / pay) IS DISTINCT FROM (id, 5)', '1 BETWEEN SYMMETRIC 1 / pay AND 9', '1 / pay IS DISTINCT FROM 5', '1 = ANY (ARRAY[id, 100 / (id - 42)])', '1 <> ALL (ARRAY[id, 100 / (id - 42)])',
    'NOT secret OR ''x'' = ANY (ARRAY[name, (100 / (id - 42))::text])', 'NOT secret OR name LIKE left(name, 3) || ''\''',
    'NOT secret OR name ILIKE left(name, 3) || ''\''', 'NOT secret OR name LIKE ANY (ARRAY[''x'', left(name, 3) || ''\''])',
    'NOT secret OR name LIKE ''x'' ESCAPE name', 'NOT secret OR name ~ ANY (ARRAY[name || ''('', ''a''])',
    'NOT secret OR name !~* (name || ''['')', 'NOT secret OR regexp_like(name, name || ''('')', 'NOT secret OR regexp_like(name, ''a'', name)',
    'NOT secret OR name SIMILAR TO name || ''(''', 'NOT secret OR name ~ (''a{'' || id || ''0}{9}'')', 'name || (1 / pay) <> ''''', 'concat(name, 1 / pay) <> ''''',
    'concat_ws(''-'', 1 / pay, name) LIKE ''%''',
    'upper(name)::int > 0', 'length(name) / (id - 42) > -99', 'substring(name, 1, CASE WHEN secret THEN -1 ELSE 1 END) IS NOT NULL', 'left(name, 3)::int > 0',
    'trim(name)::int > 0', 'NOT secret OR replace(name, ''e'', ''1'')::int > 0', 'lpad(name, 4, ''0'')::int >= 0',
    'NOT secret OR to_timestamp(name, ''YYYY'') IS NULL', 'NOT secret OR to_number(name, ''999'') IS NULL',
    'to_char(1 / pay, ''9.9'') <> ''''', 'NOT secret OR to_char(seen + id * interval ''100000 years'', ''YYYY'') IS NULL',
    'NOT secret OR to_char(born + id * 20000000, ''YYYY'') IS NULL', 'extract(year FROM make_date(1970, 1, 1 + CASE WHEN secret THEN 99 ELSE 1 END)) > 0',
    'date_trunc(''day'', seen + id * CASE WHEN secret THEN interval ''100000 years'' ELSE ''1 day'' END) > ''2000-01-01'''
]) AS condition;
SELECT attempt('a pattern that is a parameter, of ' || world, ARRAY['PREPARE p17(text) AS SELECT dp_count(*) FROM ' || world || ' WHERE secret AND ' || condition, 'EXECUTE p17(''Zeb('')', 'EXECUTE p17(''Zeb\'')', 'DEALLOCATE p17'], '(0A000|2201B)',
    ARRAY['PREPARE p17(text) AS SELECT count(*) FROM people WHERE secret AND ' || condition, 'EXECUTE p17(''Zeb('')', 'EXECUTE p17(''Zeb\'')', 'DEALLOCATE p17'], '(^|\n)2')
FROM unnest(ARRAY['name ~ $1', 'name LIKE $1', 'name ILIKE $1', 'regexp_like(name, $1)', 'name SIMILAR TO $1', 'name ~* ($1 || ''x('')']) condition, unnest(ARRAY['people', 'others']) world;
SELECT oracle(what, question)
FROM (VALUES
    ('FILTER', 'SELECT dp_count(*) FILTER (WHERE 1 / pay > 0) FROM %s'),
    ('FILTER beside a private WHERE', 'SELECT dp_count(*) FILTER (WHERE 1 / pay > 0) FROM %s WHERE age >= 0'),
    ('FILTER in one of two', 'SELECT dp_count(*), dp_sum(age) FILTER (WHERE name::int > 0) FROM %s WHERE secret OR NOT secret'),
    ('a subquery''s column', 'SELECT dp_count(*) FROM (SELECT id, 1 / pay AS y FROM %s) s WHERE y > 0'),
    ('a subquery''s condition', 'SELECT dp_sum(age) FROM (SELECT * FROM %s WHERE 1 / pay > 0) s'),
    ('a subquery''s ORDER BY', 'SELECT dp_sum(age) FROM (SELECT * FROM %s ORDER BY 1 / pay LIMIT ALL OFFSET 0) s'),
    ('a condition of WITH', 'WITH w AS (SELECT * FROM %s WHERE name::int > 0) SELECT dp_sum(age) FROM w'),
    ('a column of WITH that nobody reads', 'WITH w AS MATERIALIZED (SELECT age, 1 / pay AS y FROM %s) SELECT dp_sum(age) FROM w'),
    ('the value', 'SELECT dp_sum(1 / pay) FROM %s'),
    ('a value in CASE', 'SELECT dp_sum(CASE WHEN secret THEN 1 / (age - age) ELSE 1 END) FROM %s'),
    ('the cast of a value', 'SELECT dp_sum(name::float8) FROM %s'),
    ('the cast of a counted cell', 'SELECT dp_count(name::int) FROM %s'),
    ('a counted division', 'SELECT dp_count(1 / (id - 42)) FROM %s'),
    ('a group''s key', 'SELECT 1 / pay > 0, dp_count(*) FROM %s GROUP BY 1'),
    ('ORDER BY in the aggregate', 'SELECT dp_sum(age ORDER BY 1 / pay) FROM %s'),
    ('an integer sum that overflows', 'SELECT dp_sum(id * 60000000) FROM %s WHERE id >= 40 AND secret OR id < 10')
) AS list (what, question);
-- strings that grow: a limit of memory is an error that says which row met it.  No twin:
-- it takes gigabytes.
CREATE FUNCTION lab.growing(calls int) RETURNS text LANGUAGE sql AS $$
    SELECT repeat('replace(', calls) || 'name' || repeat(', ''e'', ''eeeeeeee'')', calls);
$$;
SELECT is(outcome('dpsens_attack_ana', question, 'people'), outcome('dpsens_attack_ana', question, 'others'), 'strings that grow: ' || left(question, 60))
FROM (SELECT format('SELECT dp_count(*) FROM %%s WHERE %s', condition) FROM unnest(ARRAY[
        'upper(' || lab.growing(9) || ') = ''A''', lab.growing(10) || ' ILIKE ''%x%''', 'initcap(' || lab.growing(9) || ') <> ''''', 'length(' || lab.growing(20) || ' || name) > 7',
        'length(translate(' || lab.growing(9) || ', ''eZ'', ''\U+01F600x'')) > 0', lab.growing(9) || '::bytea::text <> ''x''']) condition
    UNION ALL
    SELECT format('SELECT count(*) FROM (SELECT dp_count(*) FROM %%s GROUP BY %s) s', string_agg(format('CASE WHEN secret THEN %s || ''%s'' END', lab.growing(8), i), ', ')) FROM generate_series(1, 17) i) q (question);
SELECT is(lab.try('dpsens_attack_ana', 'SELECT dp_count(true, 60) FROM people WHERE length(' || lab.growing(5) || ') < 30000 OR length(' || lab.growing(5) || ') > 131000'), '00000|(400)', 'what is not that long is what it is');
SELECT matches(lab.try('dpsens_attack_ana', 'SELECT dp_count(*) FROM people WHERE length(lpad(name, 3000000)) > 0'), '^0A000', 'lengths that are too great by themselves');
SELECT is(lab.try('dpsens_attack_ana', format('SELECT length(k) FROM (SELECT CASE WHEN id > 0 THEN lpad(''x'', %s) END AS k, dp_count(*) AS n FROM people GROUP BY 1) s', length)), expected, 'a key of ' || length)
FROM (VALUES (8192, '00000|(8192)'), (8193, '00000|()')) v (length, expected);
SELECT is(lab.try('dpsens_attack_ana', format('SELECT length(k::text) FROM (SELECT CASE WHEN id > 0 THEN repeat(''9'', %s)::numeric%s END AS k, dp_count(*) AS n FROM people GROUP BY 1) s', digits, modifier)), expected, format('a key of %s digits%s', digits, modifier))
FROM (VALUES (16368, '', '00000|(16368)'), (16369, '', '00000|()'), (1000, '(1000, 0)', '00000|(1000)')) v (digits, modifier, expected);
RESET ROLE;
-- a type of its own whose labels are gone when rows are compared by them
\setenv CURSOR 'SET SESSION AUTHORIZATION dpsens_attack_ana; DROP TYPE IF EXISTS lab.brief; CREATE TYPE lab.brief AS ENUM ($$b$$, $$c$$); ALTER TYPE lab.brief ADD VALUE $$a$$ BEFORE $$b$$'
\setenv FETCH 'DROP TYPE lab.brief; FETCH c; COMMIT'
\set with_her `psql -XAtq -c "$CURSOR" -c "SET dpsens.epsilon = 60; SET SESSION AUTHORIZATION dpsens_attack_ana; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM people WHERE secret AND CASE WHEN id > 0 THEN 'a'::lab.brief ELSE 'c' END < 'b' OR id < 11; $FETCH" 2>&1`
\set without_her `psql -XAtq -c "$CURSOR" -c "SET dpsens.epsilon = 60; SET SESSION AUTHORIZATION dpsens_attack_ana; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM others WHERE secret AND CASE WHEN id > 0 THEN 'a'::lab.brief ELSE 'c' END < 'b' OR id < 11; $FETCH" 2>&1`
SELECT is(:'with_her'::text, 'ERROR:  a type that the query uses was dropped after the query was started
HINT:  Read what the query answers first.', 'labels that are gone are missed before the first row');
SELECT is(:'without_her'::text, :'with_her'::text, 'with and without the person');
-- and one with a label that is not committed, of which the server would warn
\setenv TYPE 'SET SESSION AUTHORIZATION dpsens_attack_ana; CREATE TYPE lab.fresh AS ENUM ($$b$$)'
\set fresh_with_her `psql -XAtq -c "$TYPE" -c "SET dpsens.epsilon = 60; SET SESSION AUTHORIZATION dpsens_attack_ana; BEGIN; ALTER TYPE lab.fresh ADD VALUE 'a'; SELECT dp_count(*) FROM people WHERE secret AND CASE WHEN id > 0 THEN 'a' END::lab.fresh IS NOT NULL OR id < 11" 2>&1`
SELECT matches(:'fresh_with_her'::text, CASE WHEN :'rooms' THEN '^ERROR:  type fresh was changed or locked in the same transaction\nDETAIL:[^\n]*\nHINT:[^\n]*$' ELSE '^10$' END, 'a label that is not committed makes no warning');
-- limits that only many rows meet
CREATE TABLE clinic.many (who int NOT NULL, x float8 NOT NULL);
INSERT INTO clinic.many SELECT i % 3000, i % 50 FROM generate_series(1, 60000) AS i;
ALTER TABLE clinic.many OWNER TO dpsens_attack_owner;
GRANT SELECT ON clinic.many TO dpsens_attack_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('many', unit => 'who', max_rows => 3), dpsens.set_range('many', 'x', 0, 50), dpsens.grant_budget('many', 'dpsens_attack_ana', epsilon => 1000, own_tables => true);
END $$;
SET temp_file_limit = '100kB';
SET work_mem = '64kB';
SELECT attempt('the limit of temporary files', ARRAY['SELECT dp_sum(x) > -100000 FROM many WHERE x > 60', 'SELECT dp_sum(x) > -100000 FROM many WHERE x >= 0'], '00000.\(t\)
00000.\(t\)', ARRAY['SELECT count(*) FROM (SELECT x FROM many WHERE x >= 0 ORDER BY x OFFSET 0) s'], '53400');
DROP TABLE clinic.many;
-- what one row holds in memory is bounded
SELECT attempt('a string from many calls', 'SELECT dp_count(*) FROM people WHERE ' || repeat('reverse(', 200) || 'name' || repeat(')', 200) || ' <> ''''', '0A000',
    'SELECT count(*) FROM people WHERE ' || repeat('reverse(', 200) || 'name' || repeat(')', 200) || ' <> ''''', '\([0-9]+\)');
SELECT * FROM finish();
