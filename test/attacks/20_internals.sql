-- Row 20: our own functions and types, called by hand, by operators, casts,
-- domains, constraints, indexes, triggers, the protocol.
\ir start.sql
CREATE TABLE clinic.capped (id int PRIMARY KEY, x float8 NOT NULL, name text NOT NULL);
INSERT INTO clinic.capped SELECT i, 1, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END FROM generate_series(1, 100) i;
ALTER TABLE clinic.capped OWNER TO dpsens_attack_owner;
GRANT SELECT ON clinic.capped TO dpsens_attack_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('capped'), dpsens.set_range('capped', 'x', 0, 1), dpsens.grant_budget('capped', 'dpsens_attack_ana', epsilon => 1000), dpsens.set_budget('capped', row_epsilon => 2);
END $$;
-- of everything that is called release_* or exact_*, nothing can be called
SELECT attempt('by hand: ' || p.oid::regprocedure, format('SELECT dpsens_internal.%I(%s)' || CASE prokind WHEN 'w' THEN ' OVER ()' ELSE '' END, proname,
    (SELECT string_agg('NULL::' || CASE t.typname WHEN 'any' THEN 'int' WHEN 'anyelement' THEN 'int' WHEN 'anyarray' THEN 'int[]' WHEN 'record' THEN 'clinic.capped' ELSE format_type(t.oid,
    NULL) END, ', ' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY u (a, n) JOIN pg_type t ON t.oid = a)),
    '(42501|42804|0A000|42P)', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM pg_proc p WHERE pronamespace = 'dpsens_internal'::regnamespace AND proname ~ '^(exact|release|finish)_' AND NOT 2281 = ANY (proargtypes);
-- merged by the planner with a statement that asks, after the hook has looked
CREATE FUNCTION lab.call20(function regproc, args oid[]) RETURNS text LANGUAGE sql AS $$
    SELECT format(CASE WHEN p.proretset AND p.prorettype = 'record'::regtype THEN 'SELECT a FROM dpsens_internal.%I(%s) AS t (a text)' WHEN p.prokind = 'w' THEN 'SELECT dpsens_internal.%I(%s) OVER ()::text' ELSE 'SELECT dpsens_internal.%I(%s)::text' END, p.proname,
        (SELECT string_agg('NULL::' || CASE t.typname WHEN 'any' THEN 'int' WHEN 'anyelement' THEN 'int' WHEN 'anyarray' THEN 'int[]' WHEN 'record' THEN 'people' ELSE format_type(t.oid, NULL) END, ', ' ORDER BY n)
         FROM unnest(args) WITH ORDINALITY a (type, n) JOIN pg_type t ON t.oid = a.type))
    FROM pg_proc p WHERE p.oid = function
$$;
SELECT attempt('merged with an answer: ' || p.oid::regprocedure, ARRAY['CREATE FUNCTION lab.merged20() RETURNS TABLE (a text) LANGUAGE sql STABLE AS ' || quote_literal(lab.call20(p.oid, p.proargtypes)),
    'SELECT f.a, (SELECT dp_count(*) FROM people) FROM lab.merged20() f', 'DROP FUNCTION IF EXISTS lab.merged20()'], '(.*\n)*(42|0A000|55000|00000)', ARRAY['SELECT name FROM people WHERE secret'], 'Zebedee')
FROM pg_proc p WHERE pronamespace = 'dpsens_internal'::regnamespace AND proname ~ '^(exact|release|finish)_' AND NOT 2281 = ANY (proargtypes) ORDER BY p.oid;
-- a number that is added to where a value is, in a function that is merged and in a constraint
CREATE TABLE lab.values20 (type text, value text);
INSERT INTO lab.values20 VALUES ('uuid', '00000000-0000-0000-0000-000000000000'), ('text', 'a'), ('bytea', '\x0101ffffffffffffffff'), ('interval', '1 day'), ('name', 'a'), ('numeric', '1'), ('point', '(1,2)'), ('int[]', '{1}');
SELECT attempt('an address: ' || type, ARRAY[format('CREATE FUNCTION lab.at20(a %s, i int) RETURNS %1$s LANGUAGE sql IMMUTABLE AS ''SELECT dpsens_internal.exact_key($1, $2, 1, -1)''', type),
    format('SELECT lab.at20(%L::%s, 16 * i) FROM generate_series(1, 3) i', value, type), 'DROP FUNCTION lab.at20'], '(.*\n)*42501.*cannot be called directly', ARRAY['SELECT name FROM people WHERE secret'], 'Zebedee') FROM lab.values20 WHERE type <> 'int[]';
SELECT attempt('an address of a constraint: ' || type, ARRAY[format('CREATE TEMP TABLE at20 (a %s CHECK (dpsens_internal.exact_key(a, 16, 1, -1)::text <> ''''))', type), format('INSERT INTO at20 VALUES (%L)', value), 'DROP TABLE IF EXISTS at20'],
    '(.*\n)*42', ARRAY['SELECT name FROM people WHERE secret'], 'Zebedee') FROM lab.values20 WHERE type <> 'int[]';
SELECT attempt('an array that is gone: ' || type, ARRAY[format('CREATE FUNCTION lab.of20(a %s[], i int) RETURNS %1$s LANGUAGE sql IMMUTABLE AS ''SELECT dpsens_internal.exact_key($1, $2, 1)''', type),
    format('SELECT lab.of20(array_fill(%L::%s, ARRAY[i]), 0) FROM generate_series(1, 3) i', value, type), 'DROP FUNCTION lab.of20'], '(.*\n)*42501.*cannot be called directly', ARRAY['SELECT name FROM people WHERE secret'], 'Zebedee') FROM lab.values20 WHERE type <> 'int[]';
SELECT attempt('an aggregate over ' || p.oid::regprocedure, format('CREATE AGGREGATE lab.own(dpsens_internal.plan) (SFUNC = dpsens_internal.%I, STYPE = internal)', proname), '42', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM pg_proc p WHERE pronamespace = 'dpsens_internal'::regnamespace AND proname ~ '^exact_' AND prokind = 'f';
SELECT attempt('an aggregate with our final function', 'CREATE AGGREGATE lab.own(float8) (SFUNC = float8_accum, STYPE = float8[], FINALFUNC = dpsens_internal.exact_final)', '42', 'SELECT sum(age) FROM people', '00000.\(');
SELECT attempt('types: ' || statement, statement, '(0A000|42|22)', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['SELECT ''\x00''::dpsens_internal.plan', 'SELECT ''\x00''::dpsens_internal.state', 'SELECT ''\x00''::bytea::dpsens_internal.state',
    'SELECT NULL::dpsens_internal.state::bytea::text || ''x'' FROM people', 'SELECT dpsens_internal.state_in(''x'')', 'SELECT dpsens_internal.plan_in(''x'')',
    'SELECT dpsens_internal.plan_out(''x'')', 'CREATE CAST (bytea AS dpsens_internal.state) WITHOUT FUNCTION',
    'CREATE CAST (dpsens_internal.state AS bytea) WITHOUT FUNCTION', 'CREATE CAST (dpsens_internal.plan AS bytea) WITH INOUT',
    'CREATE DOMAIN lab.stated AS dpsens_internal.state', 'CREATE OPERATOR CLASS lab.ops DEFAULT FOR TYPE dpsens_internal.state USING btree AS STORAGE bytea',
    'CREATE FUNCTION lab.fake(dpsens_internal.state) RETURNS text LANGUAGE internal AS ''byteaout''',
    'CREATE FUNCTION lab.fake(internal) RETURNS int LANGUAGE c AS ''$libdir/dpsens'', ''dps_exact_final''',
    'ALTER FUNCTION dpsens_internal.release_value(dpsens_internal.plan, dpsens_internal.state) IMMUTABLE',
    'CREATE OR REPLACE FUNCTION dpsens_internal.stub_count(bigint) RETURNS bigint LANGUAGE sql AS ''SELECT $1''',
    'ALTER EXTENSION dpsens DROP FUNCTION dpsens_internal.stub_count(bigint)', 'DROP EXTENSION dpsens', 'GRANT ALL ON dpsens.release TO PUBLIC',
    'SELECT * FROM dpsens.release', 'SELECT * FROM dpsens.purse', 'SELECT * FROM dpsens.brackets', 'SELECT * FROM dpsens.row_account',
    'SELECT * FROM dpsens.frozen_loss', 'SELECT * FROM dpsens.training_loss', 'SELECT * FROM dpsens.training_account', 'SELECT dpsens.row_training_loss(''people'')', 'SELECT dpsens.row_plis(''people'')', 'SELECT dpsens.set_plis_cap(''people'', 1)', 'UPDATE dpsens.purse SET spent_epsilon = 0', 'SET session_replication_role = replica',
    'SELECT dpsens_internal.stub_count(1)', 'SELECT count(*) FROM (SELECT dpsens_internal.stub_value(1.0)) s', 'SECURITY LABEL FOR dpsens ON TABLE clinic.people IS NULL',
    'SECURITY LABEL FOR dpsens ON COLUMN clinic.people.age IS ''RANGE [0, 1e300]''', 'SELECT dpsens.unprotect(''people'')',
    'SELECT dpsens.set_public(''people'', ''name'')', 'SELECT dpsens.set_range(''people'', ''age'', 0, 1e-9)',
    'SELECT dpsens.register(''own'', ''people'', ''age'')', 'SELECT dpsens.grant_budget(''people'', ''dpsens_attack_ana'', epsilon => 1e6)',
    'SELECT dpsens.revoke_budget(''people'', ''dpsens_attack_ana'')', 'SELECT dpsens.set_budget(''people'', epsilon => 1e6)', 'SELECT dpsens.row_loss(''people'')',
    'SELECT dpsens.report(''people'')', 'SELECT dpsens.report(''people'', rows => false)', 'SELECT dpsens.row_sensitivity(''double_age(people)'')',
    'SELECT dpsens.local_sensitivity(''double_age(people)'', ''sum'', 1)', 'SELECT dpsens.sensitivity_summary(''double_age(people)'', ''{0.5}'')', 'SELECT dpsens.create_audit_view(''double_age(people)'')', 'SELECT dpsens.privacy_spent(''people'')', 'SELECT dpsens.odometer(''people'')', 'SELECT dpsens.bracket_cache()']) statement
WHERE statement !~ 'lab.stated|bytea::text';

-- the filter of rows that have lost too much, asked about rows of one's own
-- making while an answer runs
SET ROLE dpsens_attack_ana;
CREATE FUNCTION lab.asks(clinic.capped) RETURNS boolean VOLATILE LANGUAGE sql AS $$ SELECT dpsens_internal.exact_includes(NULL, $1) $$;
CREATE FUNCTION lab.asks_block(r clinic.capped) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN RETURN dpsens_internal.exact_includes(NULL, r); END $$;
RESET ROLE;
SELECT attempt('beside an answer: ' || statement,
    ARRAY['CREATE OPERATOR lab.!!! (LEFTARG = dpsens_internal.plan, RIGHTARG = record, FUNCTION = dpsens_internal.exact_includes)', statement,
    'DROP OPERATOR IF EXISTS lab.!!! (dpsens_internal.plan, record)'], '(42501|42883|0A000|00000.\(-?[0-9]+,\))', ARRAY['SELECT name FROM people WHERE secret'],
    'Zebedee')
FROM unnest(ARRAY['SELECT dp_count(*), NULL::dpsens_internal.plan OPERATOR(lab.!!!) ROW(42, 1.0, ''a'')::capped FROM capped',
    'SELECT dp_count(*) FROM capped HAVING NULL::dpsens_internal.plan OPERATOR(lab.!!!) ROW(42, 1.0, ''a'')::capped',
    'SELECT dp_count(*) FROM capped c WHERE NULL::dpsens_internal.plan OPERATOR(lab.!!!) c',
    'SELECT dp_count(*), lab.asks(ROW(42, 1.0, ''a'')::capped) FROM capped', 'SELECT dp_count(*), lab.asks_block(ROW(42, 1.0, ''a'')::capped) FROM capped', 'SELECT dp_count(*) FROM capped c WHERE lab.asks(c)']) statement;
-- where no planner hook looks
SELECT attempt('without a plan: ' || statement, ARRAY[statement, 'INSERT INTO lab.own20 VALUES (1, 1)', 'DROP TABLE IF EXISTS lab.own20'], '(42501|42P|0A000|42883|00000)', ARRAY['SELECT name FROM people WHERE secret'], 'Zebedee')
FROM unnest(ARRAY['CREATE TABLE lab.own20 (a int, x float8, CHECK (dpsens_internal.release_value(NULL, NULL) > x))',
    'CREATE TABLE lab.own20 (a int, x float8 DEFAULT dpsens_internal.release_value(NULL, NULL))',
    'CREATE TABLE lab.own20 (a int, x float8, n bigint GENERATED ALWAYS AS (dpsens_internal.release_count(NULL, NULL) + x) STORED)',
    'CREATE TABLE lab.own20 (a int, x float8, CHECK (dpsens_internal.exact_includes(NULL, ROW(a, x))))', 'CREATE DOMAIN lab.asked AS float8 CHECK (dpsens_internal.release_value(NULL, NULL) > VALUE)']) statement;
DROP TABLE clinic.capped CASCADE;
SELECT * FROM finish();
