-- The attack surface (docs/attack-surface.md) as an allow-list: every function,
-- operator, type, cast, set-returning function, relation and setting of the running
-- server is asked for beside protected rows as a role that may not look.  What is
-- answered is compared with the lists in test/surface, which are read before they are
-- changed: what a new server adds, or a change of the code admits, shows as a
-- difference.  What is not on a list must be refused.
--
-- A line of functions.txt or operators.txt ends with "columns" if all arguments may be
-- cells, and with "constants" if those after the first must be constants.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(18);

CREATE ROLE surface_tap_ana;
CREATE SCHEMA surface_tap;
GRANT ALL ON SCHEMA surface_tap TO PUBLIC;
SET search_path = surface_tap, public;
SET dpsens.epsilon = 1;
CREATE TYPE mood AS ENUM ('sad', 'happy');

-- a column of each type, twice
CREATE TABLE types AS
SELECT oid AS type, 'c' || oid AS name FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm') AND typname !~ '^_?pg_|^_?gtsvector$|^_cstring$'
UNION ALL SELECT 'mood'::regtype, 'c' || 'mood'::regtype::oid;
SELECT 'CREATE TABLE t (id int PRIMARY KEY, ' || string_agg(format('%s_%s %s', name, k, type::regtype), ', ' ORDER BY type, k) || ')' FROM types, generate_series(1, 2) k \gexec
DO $$ BEGIN PERFORM dpsens.protect('t', unit => 'id'), dpsens.grant_budget('t', 'surface_tap_ana', epsilon => 1000000, own_tables => true); END $$;
-- what the analyst may read
CREATE TABLE open (k int PRIMARY KEY);
ALTER TABLE open OWNER TO surface_tap_ana;

-- What polymorphic arguments are tried with.
CREATE TABLE stands_for AS SELECT type::regtype::oid AS type, tried::regtype::oid FROM (VALUES
    ('anyelement', 'int4'), ('anyarray', '_int4'), ('anynonarray', 'int4'), ('anyenum', 'mood'), ('anyrange', 'int4range'), ('anymultirange', 'int4multirange'), ('"any"', 'text'),
    ('anycompatible', 'int4'), ('anycompatiblearray', '_int4'), ('anycompatiblenonarray', 'int4'), ('anycompatiblerange', 'int4range'), ('anycompatiblemultirange', 'int4multirange')) v (type, tried);
CREATE FUNCTION tried(oid) RETURNS oid STABLE LANGUAGE sql AS 'SELECT COALESCE((SELECT s.tried FROM stands_for s WHERE s.type = $1), $1)';
CREATE FUNCTION a_column(oid, int) RETURNS text STABLE LANGUAGE sql AS 'SELECT COALESCE((SELECT format(''%s_%s'', name, 1 + $2 % 2) FROM types WHERE type = tried($1)), format(''NULL::%s'', tried($1)::regtype))';
CREATE FUNCTION a_constant(oid) RETURNS text STABLE LANGUAGE sql AS $$ SELECT format('%L::%s', CASE
    WHEN tried($1) IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'name'::regtype, 'cstring'::regtype, '"char"'::regtype) THEN 'a'
    WHEN tried($1) IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'oid'::regtype, 'float4'::regtype, 'float8'::regtype, 'numeric'::regtype, 'money'::regtype) THEN '1'
    WHEN tried($1) = 'bool'::regtype THEN 't' WHEN tried($1) IN ('_int4'::regtype, '_text'::regtype, '_float8'::regtype) THEN '{1}' WHEN tried($1) = 'mood'::regtype THEN 'sad' END, tried($1)::regtype) $$;

-- Is a statement about the rows of t answered?
CREATE FUNCTION is_answered(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL ROLE surface_tap_ana;
    PERFORM dpsens.explain(statement);
    RESET ROLE;
    RETURN true;
EXCEPTION WHEN OTHERS THEN
    RESET ROLE;
    RETURN false;
END $$;
CREATE FUNCTION is_admitted(expression text) RETURNS boolean LANGUAGE sql AS $$ SELECT is_answered(format('SELECT dp_count(*) FROM t WHERE (%s) IS NOT NULL', expression)) $$;

CREATE TABLE admitted (kind text, what text);
INSERT INTO admitted
SELECT 'functions', p.oid::regprocedure || ' ' || way
FROM pg_proc p, (VALUES ('columns'), ('constants')) w (way),
    LATERAL (SELECT COALESCE(string_agg(CASE WHEN way = 'constants' AND n > 1 THEN a_constant(type) ELSE a_column(type, n::int) END, ', ' ORDER BY n), '') AS list FROM unnest(proargtypes) WITH ORDINALITY u (type, n)) a
WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset AND prorettype NOT IN ('internal'::regtype, 'trigger'::regtype, 'event_trigger'::regtype, 'language_handler'::regtype, 'fdw_handler'::regtype, 'void'::regtype)
    AND NOT 'internal'::regtype::oid = ANY (proargtypes) AND (pronargs > 1 OR way = 'columns') AND is_admitted(format('pg_catalog.%I(%s)', proname, list));
INSERT INTO admitted
SELECT 'operators', o.oid::regoperator || ' ' || way
FROM pg_operator o, (VALUES ('columns'), ('constants')) w (way)
WHERE oprnamespace = 'pg_catalog'::regnamespace AND (oprleft <> 0 OR way = 'columns')
    AND is_admitted(format('%s OPERATOR(pg_catalog.%s) %s', CASE WHEN oprleft <> 0 THEN a_column(oprleft, 1) END, oprname, CASE way WHEN 'columns' THEN a_column(oprright, 2) ELSE a_constant(oprright) END));
INSERT INTO admitted
SELECT 'types', type::regtype::text || CASE way WHEN 1 THEN ' is tested for NULL' WHEN 2 THEN ' becomes text' WHEN 3 THEN ' is made of text' ELSE ' becomes itself, of another length' END FROM types, generate_series(1, 3) way
WHERE is_admitted(CASE way WHEN 1 THEN name || '_1' WHEN 2 THEN name || '_1::text' ELSE format('c%s_1::%s', 'text'::regtype::oid, type::regtype) END);
-- in FROM, by constants
INSERT INTO admitted
SELECT DISTINCT 'rows', p.oid::regprocedure || ' ' || way
FROM pg_proc p, (VALUES ('joined', 'SELECT dp_count(*) FROM t JOIN %s AS s (k) ON s.k = t.id'), ('below', 'SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM %s AS s (k) WHERE s.k = t.id)'),
    ('listed', 'SELECT dp_count(*) FROM t WHERE id IN (SELECT k FROM %s AS s (k))'), ('alone', 'SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM %s)'), ('scalar', 'SELECT dp_count(*) FROM t WHERE (SELECT count(*) FROM %s) > 0')) w (way, statement),
    LATERAL (SELECT COALESCE(string_agg(a_constant(type), ', ' ORDER BY n), '') AS list FROM unnest(proargtypes) WITH ORDINALITY u (type, n)) a
WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND proretset AND NOT 'internal'::regtype::oid = ANY (proargtypes) AND is_answered(format(statement, format('pg_catalog.%I(%s)', proname, list)));
-- every relation that there is, but for the analyst's own
INSERT INTO admitted
SELECT DISTINCT 'relations', c.oid::regclass || ' ' || way
FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum = 1,
    (VALUES ('joined', 'SELECT dp_count(*) FROM t JOIN %s AS s ON s.%I::text::int = t.id'), ('from', 'SELECT dp_count(*) FROM %s AS s'), ('below', 'SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM %s AS s)'),
        ('beside', 'SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM %s AS s, open)'), ('scalar', 'SELECT dp_count(*) FROM t WHERE (SELECT count(*) FROM %s AS s) > 0'), ('crossed', 'SELECT dp_count(*) FROM t, %s AS s')) w (way, statement)
WHERE relkind IN ('r', 'v', 'm', 'p', 'f', 't', 'S') AND relpersistence <> 't' AND relnamespace <> 'surface_tap'::regnamespace AND is_answered(format(statement, c.oid::regclass, attname));
INSERT INTO admitted SELECT 'settings', name FROM pg_settings WHERE context = 'user' AND name !~ '\.';

CREATE TABLE listed (kind text, what text);
-- "(from 17)" and "(before 17)" say which servers have what a line names
CREATE FUNCTION of_this_server(list text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT regexp_replace(line, ' \((from|before) \d+\)$', '')
    FROM regexp_split_to_table(list, '\n') line, (SELECT current_setting('server_version_num')::int / 10000) s (major)
    WHERE line !~ '^(# |$)' AND COALESCE(major >= substring(line FROM ' \(from (\d+)\)$')::int, true) AND COALESCE(major < substring(line FROM ' \(before (\d+)\)$')::int, true)
$$;
\set list `cat test/surface/functions.txt`
INSERT INTO listed SELECT 'functions', what FROM of_this_server(:'list') what;
\set list `cat test/surface/operators.txt`
INSERT INTO listed SELECT 'operators', what FROM of_this_server(:'list') what;
\set list `cat test/surface/types.txt`
INSERT INTO listed SELECT 'types', what FROM of_this_server(:'list') what;
\set list `cat test/surface/rows.txt`
INSERT INTO listed SELECT 'rows', what FROM of_this_server(:'list') what;
\set list `cat test/surface/relations.txt`
INSERT INTO listed SELECT 'relations', what FROM of_this_server(:'list') what;
\set list `cat test/surface/settings.txt`
INSERT INTO listed SELECT 'settings', what FROM of_this_server(:'list') what;

SELECT cmp_ok((SELECT count(*) FROM admitted WHERE kind = k), CASE WHEN k IN ('relations', 'rows') THEN '>=' ELSE '>' END, 0::bigint, format('there are %s', k)) FROM unnest('{functions,operators,types,rows,relations,settings}'::text[]) k;
SELECT is((SELECT string_agg(what, E'\n' ORDER BY what) FROM (SELECT what FROM admitted WHERE kind = k EXCEPT SELECT what FROM listed WHERE kind = k) s), NULL, format('%s: what is admitted is on the list', k))
FROM unnest('{functions,operators,types,rows,relations,settings}'::text[]) k;
SELECT is((SELECT string_agg(what, E'\n' ORDER BY what) FROM (SELECT what FROM listed WHERE kind = k EXCEPT SELECT what FROM admitted WHERE kind = k) s), NULL, format('%s: what is on the list is admitted', k))
FROM unnest('{functions,operators,types,rows,relations,settings}'::text[]) k;

SELECT * FROM finish();
\if :{?SURFACE}
\o :SURFACE
\a \t
SELECT kind || ': ' || what FROM admitted ORDER BY 1;
\o
\endif
DROP SCHEMA surface_tap CASCADE;
DROP OWNED BY surface_tap_ana;
DROP ROLE surface_tap_ana;
