-- Every function, operator and cast of the server over the usual types, on the
-- ends of these types, in a condition: it is refused before a row is read, or no
-- row makes it fail.  Written without dp aggregates, hundreds of them fail.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(8);

CREATE ROLE every_tap_ana;
CREATE ROLE every_tap_reader;
CREATE SCHEMA every_tap;
GRANT ALL ON SCHEMA every_tap TO PUBLIC;
SET search_path = every_tap, public;
SET dpsens.epsilon = 1;

CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE kinds (type regtype, vals text[]);
INSERT INTO kinds VALUES
    ('bool', '{t,f}'), ('"char"', '{a,"\\377",""}'), ('name', '{"",a,Zebedee}'), ('int2', '{0,1,-1,32767,-32768}'), ('int4', '{0,1,-1,2147483647,-2147483648,42}'),
    ('int8', '{0,1,-1,9223372036854775807,-9223372036854775808}'), ('oid', '{0,1,4294967295}'), ('float4', '{0,-0,1,NaN,Infinity,-Infinity,3e38,1e-45}'),
    ('float8', '{0,-0,1,-1,NaN,Infinity,-Infinity,1e308,5e-324,-1e308,1000}'), ('numeric', '{0,1,-1,NaN,Infinity,-Infinity,1e1000,-1e1000,1e-1000,0.5,1000000}'),
    ('money', '{0,1,-92233720368547758.08,92233720368547758.07}'), ('text', '{"",a,"%","\\\\","üß",42,NaN,"2020-01-01","[","(",UTC,year,epoch,MM,hex}'), ('varchar', '{"",a,"\\\\","ü"}'),
    ('bpchar', '{"",a,ab}'), ('bytea', '{"","\\x00","\\xff41"}'), ('bit', '{0,1}'), ('varbit', '{"",101,1}'),
    ('uuid', '{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff}'), ('inet', '{0.0.0.0,255.255.255.255/32,::1,ffff::/16}'), ('cidr', '{0.0.0.0/0,10.0.0.0/8,::/0}'),
    ('macaddr', '{00:00:00:00:00:00,ff:ff:ff:ff:ff:ff}'), ('macaddr8', '{00:00:00:00:00:00:00:00,ff:ff:ff:ff:ff:ff:ff:ff}'), ('date', '{infinity,-infinity,4713-01-01 BC,5874897-12-31,2020-02-29}'),
    ('time', '{00:00,24:00,12:34:56.789}'), ('timetz', '{00:00+15:59,24:00-15:59}'), ('timestamp', '{infinity,-infinity,4713-01-01 BC,294276-12-31,2020-02-29}'),
    ('timestamptz', '{infinity,-infinity,4713-01-02 BC,294276-12-30,2020-02-29}'), ('interval', '{0,178956970 years,-178956970 years,1 day,-2562047788 hours,2562047788 hours}'), ('mood', '{sad,happy}');
-- two columns of each, so that pairs of values differ
SELECT 'CREATE TABLE t (' || string_agg(format('x%s_%s %s', k, type::oid, type), ', ' ORDER BY type, k) || ')' FROM kinds, generate_series(1, 2) k \gexec
SELECT 'INSERT INTO t SELECT ' || string_agg(format('CASE WHEN i %% 19 = %s THEN NULL ELSE (%L::text[])[1 + (i * %s + i / %s) %% %s]::%s END',
    7 * k, vals, CASE k WHEN 1 THEN 1 ELSE 7 END, CASE k WHEN 1 THEN 1000 ELSE 11 END, cardinality(vals), type), ', ' ORDER BY type, k) || ' FROM generate_series(1, 240) i'
FROM kinds, generate_series(1, 2) k \gexec
GRANT SELECT ON t TO every_tap_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('t');
    PERFORM dpsens.grant_budget('t', g, epsilon => 1000000) FROM unnest('{every_tap_ana, every_tap_reader}'::regrole[]) g;
END $$;

CREATE FUNCTION outcome(who name, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL ROLE %I', who);
    BEGIN
        EXECUTE statement;
    EXCEPTION WHEN OTHERS THEN
        RESET ROLE;
        RETURN SQLSTATE || ' ' || SQLERRM;
    END;
    RESET ROLE;
    RETURN 'ok';
END $$;

-- Two thousand million empty strings take repeat() a minute.  Operators in C are
-- functions that are there already.
CREATE TABLE conditions AS
SELECT format('%I(%s)', p.proname, (SELECT string_agg(format('x%s_%s', least(o, 2), t::oid), ', ' ORDER BY o) FROM unnest(p.proargtypes) WITH ORDINALITY a (t, o))) AS expression
FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND NOT p.proretset AND p.provolatile <> 'v' AND p.pronargs BETWEEN 1 AND 3
    AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) t WHERE t NOT IN (SELECT type FROM kinds)) AND p.prorettype NOT IN ('internal'::regtype, 'trigger'::regtype, 'record'::regtype)
    AND p.proname <> 'repeat'
UNION
SELECT format('%s OPERATOR(pg_catalog.%s) x2_%s', CASE WHEN o.oprleft = 0 THEN '' ELSE 'x1_' || o.oprleft::oid END, o.oprname, o.oprright::oid)
FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode AND p.prolang = (SELECT l.oid FROM pg_language l WHERE l.lanname = 'sql')
WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND (o.oprleft = 0 OR o.oprleft IN (SELECT type FROM kinds)) AND o.oprright IN (SELECT type FROM kinds)
UNION
SELECT format('x1_%s::%s', a.type::oid, b.type) FROM kinds a, kinds b WHERE a.type <> b.type;
DELETE FROM conditions WHERE outcome(CURRENT_USER, format('SELECT %s FROM t WHERE false', expression)) <> 'ok';
ALTER TABLE conditions ADD plain text, ADD ana text, ADD reader text;
UPDATE conditions SET plain = outcome(CURRENT_USER, format('SELECT count(*) FROM t WHERE (%s) IS NOT NULL', expression)),
    ana = outcome('every_tap_ana', format('SELECT dpsens.explain(%L)', format('SELECT dp_count(*) FROM t WHERE (%s) IS NOT NULL', expression))),
    reader = outcome('every_tap_reader', format('SELECT dpsens.explain(%L)', format('SELECT dp_count(*) FROM t WHERE (%s) IS NOT NULL', expression)));

SELECT cmp_ok(count(*), '>', 1500::bigint, 'many expressions') FROM conditions;
SELECT cmp_ok(count(*) FILTER (WHERE ana = 'ok'), '>', 700::bigint, 'an analyst may use most of them') FROM conditions;
SELECT cmp_ok(count(*) FILTER (WHERE ana = 'ok' AND plain <> 'ok'), '>', 200::bigint, 'many of these fail in plain SQL') FROM conditions;
SELECT cmp_ok(count(*) FILTER (WHERE reader = 'ok' AND plain <> 'ok'), '>', 400::bigint, 'and of a reader''s') FROM conditions;
SELECT is_empty('SELECT expression, ana FROM conditions WHERE ana <> ''ok'' AND ana !~ ''^0A000 .* is not supported (for a role without SELECT privilege|below dp aggregates)$''', 'the rest is refused as such');
SELECT is_empty('SELECT expression FROM conditions WHERE ana = ''ok'' AND reader <> ''ok''', 'a reader may use them all');

-- a few dozen at a time, since each statement is charged by itself
CREATE FUNCTION failures(who name) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    batch text[];
    said text;
BEGIN
    FOR batch IN SELECT array_agg(expression ORDER BY expression) FROM
        (SELECT expression, row_number() OVER (ORDER BY expression) / 40 AS n FROM conditions WHERE CASE who WHEN 'every_tap_ana' THEN ana ELSE reader END = 'ok') s GROUP BY n
    LOOP
        said = outcome(who, format('SELECT %s FROM t', (SELECT string_agg(format('dp_count(*) FILTER (WHERE (%s) IS NOT NULL)', e), ', ') FROM unnest(batch) e)));
        CONTINUE WHEN said = 'ok';
        RETURN QUERY SELECT e || ': ' || outcome(who, format('SELECT dp_count(*) FROM t WHERE (%s) IS NOT NULL', e)) FROM unnest(batch) e;
    END LOOP;
END $$;
SELECT is_empty('SELECT f FROM failures(''every_tap_ana'') f WHERE f !~ '': ok$''', 'none of them fails for an analyst');
SELECT is_empty('SELECT f FROM failures(''every_tap_reader'') f WHERE f !~ '': ok$''', 'nor for a reader');

SELECT * FROM finish();
DROP SCHEMA every_tap CASCADE;
DROP OWNED BY every_tap_ana, every_tap_reader;
DROP ROLE every_tap_ana, every_tap_reader;
