#!/usr/bin/env bash
# other_databases.sh
#	Roles with a budget are known in all databases of a server: when they get one,
#	and after it was revoked, dumped and restored, or the role renamed or dropped.
. "$(dirname "$0")/cluster.sh"

# shown ROLE [DATABASE]: are counters of the server, and of its databases?
shown()
{
	sql "${2:-plain}" "SET SESSION AUTHORIZATION $1; SELECT count(buffers_alloc) + (SELECT count(DISTINCT blks_hit IS NULL) FROM pg_stat_database WHERE blks_hit IS NOT NULL) > 0 FROM pg_stat_bgwriter"
}

labels="SELECT string_agg(objname, ' ' ORDER BY objname) FROM pg_seclabels WHERE objtype = 'role' AND label = 'ANALYST'"

make_cluster main "shared_preload_libraries = 'dpsens,pg_stat_statements'" || bail "no cluster"
sql "$fixture
CREATE ROLE ana; CREATE ROLE bob; CREATE ROLE team; CREATE ROLE mia IN ROLE team; CREATE ROLE maker CREATEROLE;
CREATE ROLE curator; ALTER TABLE people OWNER TO curator"
sql "CREATE DATABASE plain"
sql "CREATE DATABASE second"
sql second "$fixture"
grant_to()
{
	sql "${2:-postgres}" "SELECT dpsens.grant_budget('people', '$1', 1)"
}

# ---- who is marked, and when ----

is "$(sql "$labels")" "" "nobody is marked"
is "$(shown ana)$(shown mia)$(shown bob)" ttt "everybody sees counters"
sql "BEGIN; SELECT dpsens.grant_budget('people', 'ana', 1); ROLLBACK" >/dev/null
is "$(shown ana)" t "a grant that was rolled back hides nothing"
sql "SET ROLE curator; SELECT dpsens.grant_budget('people', 'ana', 1)" >/dev/null
is "$(shown ana)$(shown ana second)$(shown ana postgres)$(shown bob)" ffft "one that was committed hides counters in all databases, from this role"
grant_to team >/dev/null
is "$(shown team)$(shown mia)" ff "and from members"
sql "GRANT SELECT ON people TO ana"
is "$(shown ana)" f "who may read the table here is not known there"
sql "REVOKE SELECT ON people FROM ana"
is "$(sql "$labels")" "ana team" "they have labels"
grant_to ana second >/dev/null
is "$(sql "$labels")" "ana team" "of two databases there is one label"

# ---- statements ----

sql plain "CREATE EXTENSION pg_stat_statements"
is "$(sql plain "SET SESSION AUTHORIZATION ana; SELECT count(*) > 0 FROM pg_stat_statements")" \
	"ERROR: permission denied for function pg_stat_statements(boolean)" "pg_stat_statements from another database"
is "$(sql plain "SET SESSION AUTHORIZATION bob; SELECT count(*) > 0 FROM pg_stat_statements")" t "is open to others"
is "$(sql "SET ROLE ana; $ask")" t "a question"
is "$(sql plain "SET SESSION AUTHORIZATION ana; SELECT string_agg(DISTINCT query, ',') FROM pg_stat_activity WHERE pid <> pg_backend_pid()")" \
	"<insufficient privilege>" "what rooms do is not told"
is "$(sql "SELECT string_agg(DISTINCT query, ',') FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'")" \
	"private answers" "and is one text for those who may see it"

# ---- later servers ----

# Their functions are known by their names.  Those that this server has are called, and
# one of its own is called like each of the others.
sql plain "CREATE TABLE named AS SELECT oid, proname FROM pg_proc WHERE proname = 'pg_postmaster_start_time'; ALTER DATABASE plain SET allow_system_table_mods = on"
called()
{
	sql plain "SET SESSION AUTHORIZATION $2; SELECT $1"
}

# named_later NAME: on a server that lacks it
named_later()
{
	sql plain "UPDATE pg_proc p SET proname = '$1' FROM named n WHERE p.oid = n.oid"
	is "$(called "$1() IS NOT NULL" ana)$(called "$1() IS NOT NULL" bob)" ft "$1 from another database is NULL, and open to others"
}

# had NAME CALL: from 16, 17 or 18 on.  What the server lets nobody call is opened to all, as
# an administrator may.  Whole rows are not NULL but refused; in FROM there are none.
had()
{
	sql plain "GRANT EXECUTE ON FUNCTION $1 TO PUBLIC"
	like "$(called "$2 IS NOT NULL" ana)" "@(f|ERROR: permission denied for function $1(*))" "$1, which this server has, from another database is NULL or refused"
	like "$(called "count(*) FROM $2 AS r WHERE r::text ~ '[[:alnum:]]'" ana)" "@(0|ERROR: permission denied for function $1(*))" "and is no row"
	ok "$([[ $(called "$2 IS NOT NULL" bob) != *"permission denied"* ]]; echo $?)" "and open to others"
}

later="pg_stat_get_io() pg_stat_get_backend_io(pg_backend_pid()) pg_stat_get_backend_wal(pg_backend_pid()) pg_stat_reset_backend_stats(pg_backend_pid())
	pg_get_aios() pg_stat_get_lock() pg_wal_summary_contents(1,'0/0','0/1')"
for call in $later; do
	name=${call%%(*}
	if says_yes plain "SELECT count(*) > 0 FROM pg_proc WHERE proname = '$name'"; then
		had "$name" "$call"
	else
		named_later "$name"
	fi
done
sql plain "UPDATE pg_proc p SET proname = n.proname FROM named n WHERE p.oid = n.oid; ALTER DATABASE plain RESET allow_system_table_mods"
is "$(called "pg_postmaster_start_time() IS NOT NULL" ana)" t "as it is under its own name"

# ---- how long ----

sql "SELECT dpsens.revoke_budget('people', 'ana')" >/dev/null
is "$(shown ana)" f "the mark stays when a budget is revoked, since there may be others"
sql "ALTER ROLE ana RENAME TO anna"
is "$(shown anna)" f "and when the role is renamed"
# from 16 on the server refuses others by itself, before dpsens is asked
sql "GRANT anna, bob TO maker WITH ADMIN OPTION"
is "$(sql "SET ROLE maker; SECURITY LABEL FOR dpsens ON ROLE anna IS NULL")" \
	"ERROR: must be superuser to change the dpsens label of a role" "who may create roles takes it off nobody"
is "$(sql "SET ROLE maker; SECURITY LABEL FOR dpsens ON ROLE bob IS 'ANALYST'")" \
	"ERROR: must be superuser to change the dpsens label of a role" "and gives it to nobody"
is "$(sql "SECURITY LABEL FOR dpsens ON ROLE bob IS 'PUBLIC'")" "ERROR: invalid dpsens label of a role" "there is one label"
sql "SECURITY LABEL FOR dpsens ON ROLE anna IS NULL"
is "$(shown anna)" t "a superuser takes it off"
is "$(shown anna second)" f "not where there is a budget"
is "$(sql second "SELECT dpsens.acknowledge_restore()")$(shown anna)" f "and acknowledging marks whoever has one"
sql second "SELECT dpsens.revoke_budget('people', 'anna')" >/dev/null
is "$(sql "DROP ROLE anna")" "" "a role can be dropped as ever"
sql "CREATE ROLE anna"
is "$(sql "$labels") $(shown anna)" "team t" "and another one of its name is not marked"

# ---- copies ----

if ! can_copy; then
	skip "this server comes without its own pg_dump"
	finish
fi
grant_to anna >/dev/null
pg_dumpall --globals-only >"$base/globals.sql"
pg_dump -d postgres >"$base/dump.sql"
stop_cluster main
make_cluster other || bail "no second cluster"
sql "CREATE DATABASE plain"
psql -Xq -d postgres -f "$base/globals.sql" >/dev/null 2>&1
is "$(sql "$labels") $(shown anna)$(shown mia)$(shown bob)" "anna team fft" "a dump of the roles has the marks"
stop_cluster other
make_cluster third || bail "no third cluster"
sql "CREATE ROLE curator; CREATE ROLE anna; CREATE ROLE team; CREATE ROLE mia IN ROLE team"
sql "CREATE DATABASE plain"
sql "CREATE DATABASE restored"
psql -Xq -v ON_ERROR_STOP=1 -d restored -f "$base/dump.sql" >/dev/null 2>&1
is "$(sql "$labels")" "" "that of a database has none"
like "$(sql restored "SET ROLE anna; $ask")" "ERROR: *" "and answers nobody before it is acknowledged"
sql restored "SELECT dpsens.acknowledge_restore()"
is "$(sql "$labels") $(shown anna)$(shown mia)" "anna team ff" "which marks the roles that have budgets"
finish
