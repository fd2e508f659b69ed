#!/usr/bin/env bash
# planted.sh
#	A role that may create in the schema into which dpsens is installed, or updated, has made operators there whose types fit
#	better than the server's.  No view, function or index of dpsens calls them, with the rights of who looks.
#	Files: sql/00_prologue.sql, sql/dpsens--0.1.0--0.2.0.sql.
. "$(dirname "$0")/cluster.sh"

# Of all pairs of types that views compare and compute with.
plant="
CREATE SCHEMA IF NOT EXISTS place;
GRANT ALL ON SCHEMA place TO planter;
SET ROLE planter;
DO \$\$ DECLARE
    a regtype;
    b regtype;
    o text;
    types regtype[] = '{oid,regclass,regrole,regproc,regprocedure,regnamespace,name,text,varchar,int2,int4,int8,float8,bool,interval,timestamptz,numeric,oid[],name[],text[],int2[],int8[],aclitem[],jsonb,bytea}';
BEGIN
    FOREACH a IN ARRAY types LOOP FOREACH b IN ARRAY types LOOP
        EXECUTE format('CREATE FUNCTION place.planted(%s, %s) RETURNS boolean LANGUAGE sql IMMUTABLE AS ''SELECT true''', a, b);
        EXECUTE format('CREATE FUNCTION place.planted_text(%s, %s) RETURNS text LANGUAGE sql IMMUTABLE AS ''SELECT ''''planted''''''', a, b);
        EXECUTE format('CREATE FUNCTION place.planted_number(%s, %s) RETURNS float8 LANGUAGE sql IMMUTABLE AS ''SELECT 7.0::float8''', a, b);
        FOREACH o IN ARRAY ARRAY['=', '<>', '<', '>', '<=', '>=', '~', '!~', '~*', '@>', '<@', '&&', '~~', '!~~'] LOOP
            EXECUTE format('CREATE OPERATOR place.%s (LEFTARG = %s, RIGHTARG = %s, PROCEDURE = place.planted)', o, a, b);
        END LOOP;
        EXECUTE format('CREATE OPERATOR place.|| (LEFTARG = %s, RIGHTARG = %s, PROCEDURE = place.planted_text)', a, b);
        FOREACH o IN ARRAY ARRAY['+', '-', '*', '/', '%', '^'] LOOP
            EXECUTE format('CREATE OPERATOR place.%s (LEFTARG = %s, RIGHTARG = %s, PROCEDURE = place.planted_number)', o, a, b);
        END LOOP;
    END LOOP; END LOOP;
END \$\$"

# What of dpsens calls them, as the catalogs have it.
captured="SET search_path = pg_catalog;
SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0) || ': ' || pg_describe_object(d.refclassid, d.refobjid, 0)
FROM pg_depend d LEFT JOIN pg_operator o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid LEFT JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
WHERE (o.oprnamespace = 'place'::regnamespace OR p.proname ~ '^planted') AND d.classid <> 'pg_operator'::regclass ORDER BY 1"

make_cluster main || bail "no cluster"
sql "CREATE ROLE planter" >/dev/null
for database in fresh update; do
	sql "CREATE DATABASE $database" >/dev/null
done

sql fresh "$plant" >/dev/null
is "$(sql fresh "SET search_path = place; CREATE VIEW place.caught AS SELECT oid = 'pg_class'::regclass AS one FROM pg_class WHERE relpages * 1.5 > reltuples; SELECT count(*) > 0 FROM pg_depend WHERE refobjid = (SELECT o.oid FROM pg_operator o WHERE o.oprcode::text = 'place.planted' AND o.oprname OPERATOR(pg_catalog.=) '=' AND o.oprleft OPERATOR(pg_catalog.=) 26::oid AND o.oprright OPERATOR(pg_catalog.=) 2205::oid)")" t "an operator that was planted is taken by a view of who has the schema in the search path"
sql fresh "DROP VIEW place.caught; CREATE EXTENSION dpsens SCHEMA place" >/dev/null
is "$(sql fresh "SELECT count(*) > 0 FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'dpsens'")" t "dpsens is installed there"
is "$(sql fresh "$captured")" "" "and has taken none"
is "$(sql fresh "SELECT current_setting('search_path')")" '"$user", public' "the search path is as it was"
is "$(sql fresh "SELECT n.nspname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.proname = 'dp_suppressed'")" place "its aggregates are where they were asked to be"

for old in $(cd test/released && echo dpsens--*.sql | sed 's/dpsens--//g; s/\.sql//g'); do
	sql update "DROP EXTENSION IF EXISTS dpsens; CREATE SCHEMA IF NOT EXISTS place; SET client_min_messages = error; LOAD 'dpsens'; CREATE EXTENSION dpsens SCHEMA place VERSION '$old'" >/dev/null
	sql update "DROP OWNED BY planter; $plant" >/dev/null
	sql update "ALTER EXTENSION dpsens UPDATE" >/dev/null
	is "$(sql update "SELECT extversion = dpsens.version() FROM pg_extension WHERE extname = 'dpsens'")" t "$old: it is updated where somebody has planted operators since"
	is "$(sql update "$captured")" "" "$old: and has taken none"
	sql update "DROP EXTENSION dpsens; SET client_min_messages = error; CREATE EXTENSION dpsens SCHEMA place VERSION '$old'" >/dev/null
	sql update "$captured" >"$base/before"
	sql update "ALTER EXTENSION dpsens UPDATE" >/dev/null
	is "$(sql update "$captured")" "" "$old: what an installation of that version has taken, the update leaves"
	echo "# it had taken $(wc -l <"$base/before")"
done
finish
