#!/usr/bin/env bash
# journal.sh
#	The records of changes and refusals, and the chain of seals, on a server that is killed, restored, and
#	whose log of refusals is limited.
# Files: ledger/journal/seal.c, ledger/charge/refusals.c.
. "$(dirname "$0")/cluster.sh"

findings="SELECT string_agg(DISTINCT kind || ' ' || finding, ', ') FROM dpsens.verify_seals()"
head="SELECT seal, hash FROM dpsens.ledger_head()"
wrong="SELECT dp_count(true) FROM people"

make_cluster main "dpsens.refusal_log_limit = 12" || bail "no cluster"
sql "$fixture"
sql "CREATE ROLE analyst; CREATE ROLE idle; GRANT SELECT ON people TO PUBLIC"
sql "DO \$\$ BEGIN PERFORM dpsens.grant_budget('people', 'analyst', epsilon => 100000), dpsens.set_budget('people', epsilon => 200000); END \$\$"

sql "CREATE TABLE capped (age float8 NOT NULL); DO \$\$ BEGIN PERFORM dpsens.protect('capped'), dpsens.grant_budget('capped', 'analyst', epsilon => 1); END \$\$" >/dev/null

# ---- the limit of refusals ----

for i in $(seq 20); do echo "$wrong;"; done >"$base/wrong.sql"
PGOPTIONS="-c role=analyst" psql -Xq -d postgres -f "$base/wrong.sql" >"$base/wrong.out" 2>&1
is "$(grep -c 'no epsilon is given' "$base/wrong.out")" 20 "all are refused"
is "$(sql "SELECT count(*), (SELECT string_agg(role_name || ' ' || refusals, ', ') FROM dpsens.refusals_beyond) FROM dpsens.refusals")" "12|analyst 8" "as many are logged as may be, the others counted"
is "$(sql "SET ROLE analyst; $ask")" t "answers do not end"
is "$(sql "SET ROLE analyst; SELECT dp_count(true, 64) IS NOT NULL FROM capped" | cut -c1-5)$(sql "SELECT count(*) FROM dpsens.refusals")" "ERROR12" "what the ledger refuses counts, too"
sql "SELECT dpsens.seal_ledger()" >/dev/null
is "$(sql "$findings")" "" "all is sealed"
stop_cluster main
start_cluster main || bail "the server does not start again"
is "$(sql "SET ROLE analyst; $wrong")|$(sql "SELECT count(*) FROM dpsens.refusals")" "ERROR: no epsilon is given|12" "a worker that has just begun knows how many there are"
stop_cluster main
start_cluster main -c dpsens.refusal_log_limit=0 || bail "the server does not start without a log"
is "$(sql "SET ROLE analyst; $wrong")|$(sql "SELECT sum(refusals) FROM dpsens.refusals_beyond")" "ERROR: no epsilon is given|10" "with limit 0 nothing is logged or counted"
stop_cluster main
start_cluster main -c dpsens.refusal_log_limit=1000000 || bail "the server does not start with another limit"

# ---- a name of another encoding ----

sql "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
PGCLIENTENCODING=UTF8 sql latin 'CREATE ROLE "é" LOGIN IN ROLE analyst; CREATE ROLE "ñ"'
PGCLIENTENCODING=UTF8 sql latin 'GRANT "ñ" TO "é"'
is "$(psql -XAtq -U $'\xe9' -d postgres -c "$wrong" 2>&1 | grep -c 'no epsilon is given')$(sql "SELECT count(*) FROM dpsens.refusals WHERE role = '?'")" 11 "who is called by a byte that means nothing here is refused, and logged"
is "$(psql -XAtq -U $'\xe9' -d postgres -c "$ask")" t "and answered"
is "$(sql "SELECT dpsens.seal_ledger()")$(sql "$findings")" "" "that is sealed, too"

# ---- a worker that does not answer ----

sql "SET ROLE analyst; $ask" >/dev/null
worker=$(sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger' AND datname = current_database()")
kill -STOP "$worker"
PGOPTIONS="-c role=analyst" psql -Xqt -d postgres -c "$wrong" -c "SET ROLE none" -c "SELECT pg_terminate_backend(pg_backend_pid())" -c "SELECT 'still here'" >"$base/silent.out" 2>&1
kill -CONT "$worker"
is "$(grep -c 'no epsilon is given\|terminating connection' "$base/silent.out")$(grep -c 'still here' "$base/silent.out")" 20 "a refusal that is not logged is one all the same, and its session can be ended"

# ---- without the library ----

stop_cluster main
start_cluster main -c shared_preload_libraries= || bail "the server does not start without the library"
is "$(sql "SELECT dpsens.seal_ledger()")" "ERROR: there is no privacy ledger in this server" "there is no ledger to ask"
stop_cluster main
start_cluster main -c dpsens.refusal_log_limit=1000000 || bail "the server does not start again"

# ---- killed ----

kept=$(sql "$head")
# clients that ask, that are refused, and that alter budgets; they end with the server
for i in $(seq 1000); do echo "$ask; $wrong;"; done >"$base/asking.sql"
for i in $(seq 1000); do echo "DO \$\$ BEGIN PERFORM dpsens.set_budget('people', epsilon => 200000 + $((i % 7))); END \$\$;"; done >"$base/altering.sql"
# go_on FILE: as often as there is a server
go_on()
{
	while psql -Xq -d postgres -f "$1" >/dev/null 2>&1; do
		:
	done
}
for round in 1 2 3; do
	before=$(sql "SELECT count(*) FROM dpsens.seal")
	PGOPTIONS="-c role=analyst" go_on "$base/asking.sql" &
	clients=$!
	go_on "$base/altering.sql" &
	clients="$clients $!"
	# crashes after so many more seals, wherever the worker is then
	wait_for "SELECT count(*) >= $((before + 2 * round)) FROM dpsens.seal" || bail "nothing is sealed"
	kill_server
	# shellcheck disable=SC2086
	wait $clients
	restart
	is "$(sql "SELECT string_agg(DISTINCT kind || ' ' || finding, ', ') FROM dpsens.verify_seals(${kept%%|*}, '${kept##*|}') WHERE finding <> 'it is not sealed yet'")" "" \
		"killed after $((2 * round)) seals: what is there is sealed, and goes on from the head that was kept"
	sql "SELECT dpsens.seal_ledger()" >/dev/null
	is "$(sql "$findings")" "" "killed after $((2 * round)) seals: all is sealed then"
	is "$(sql "SELECT bool_and(valid) FROM dpsens.verify_ledger()")" t "killed after $((2 * round)) seals: and charged"
done

# ---- an existing history, as after an update ----

sql "ALTER TABLE dpsens.seal DISABLE TRIGGER ALL; DELETE FROM dpsens.seal; ALTER TABLE dpsens.seal ENABLE ALWAYS TRIGGER keep_ledger" >/dev/null
is "$(sql "SELECT count(*) > 0 FROM dpsens.verify_seals() WHERE finding <> 'it is not sealed yet'")" f "without seals nothing is sealed"
is "$(sql "SET ROLE analyst; $ask")" t "it is charged"
wait_for "SELECT min(seal) = 1 FROM dpsens.seal" || bail "nothing is sealed"
sql "SELECT dpsens.seal_ledger()" >/dev/null
is "$(sql "$findings")" "" "the next charge leads to a new chain, of all that is there"

# ---- a backlog beyond one seal ----

sql "SET session_replication_role = replica; ALTER TABLE dpsens.release DISABLE TRIGGER ALL; INSERT INTO dpsens.release SELECT (r).* FROM (SELECT jsonb_populate_record(r, jsonb_build_object('release', r.release + i)) AS r
	FROM dpsens.release r, generate_series(1, 5000) i WHERE r.release = (SELECT max(release) FROM dpsens.release)) r; ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger" >/dev/null
stop_cluster main
start_cluster main || bail "the server does not start again"
sql "SELECT dpsens.seal_ledger()" >/dev/null
is "$(sql "$findings")$(sql "SELECT max(cardinality(releases)), count(*) > 3 FROM dpsens.seal")" "2000|t" "is sealed piece by piece"

# ---- restored ----

if can_copy; then
	kept=$(sql "$head")
	pg_dump -d postgres >"$base/dump.sql"
	sql "CREATE DATABASE restored"
	psql -Xq -v ON_ERROR_STOP=1 -d restored -f "$base/dump.sql" >"$base/restore.log" 2>&1
	ok $? "a dump can be restored"
	sql restored "SELECT dpsens.acknowledge_restore()" >/dev/null
	is "$(sql restored "SELECT string_agg(DISTINCT kind || ' ' || finding, ', ') FROM dpsens.verify_seals(${kept%%|*}, '${kept##*|}')")" "change it is not sealed yet" "what was sealed is sealed there, with other OIDs"
	is "$(sql restored "SET ROLE analyst; $ask")$(sql restored "SELECT dpsens.seal_ledger()")" t "the chain goes on"
	is "$(sql restored "SELECT string_agg(DISTINCT kind || ' ' || finding, ', ') FROM dpsens.verify_seals(${kept%%|*}, '${kept##*|}')")" "" "from the head of the original"
	is "$(sql restored "SELECT count(*) > 12 FROM dpsens.refusals WHERE relations = '{public.people}'")$(sql restored "SELECT count(*) FROM dpsens.refusal r, unnest(r.relations) o WHERE o NOT IN (SELECT oid FROM pg_class WHERE relname = 'people')")" \
		t0 "refusals are about the relation of that name"
	is "$(sql restored "SELECT string_agg(act, ' ') FROM dpsens.changes WHERE act = 'acknowledge_restore'")" acknowledge_restore "that it was acknowledged is recorded"
else
	skip "this server comes without its own pg_dump"
fi
finish
