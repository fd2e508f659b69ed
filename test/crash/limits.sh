#!/usr/bin/env bash
# limits.sh
#	Settings, signals and shortages: what cannot be charged is refused with an
#	error that says why, no slot is ever lost, and answers go on afterwards.
# Files: glue/background.c.
. "$(dirname "$0")/cluster.sh"

charges="SELECT COALESCE(sum(charges), 0) FROM dpsens.purse WHERE role = 0"

# in_background QUERY: runs it in another session.
in_background()
{
	sql "$@" >>"$base/background" &
}

# Holds a lock on the purses in a session of its own, until it is let go.
hold()
{
	coproc HOLDER { exec psql -XAtq; }
	# bash forgets a coprocess that has ended, and its descriptors
	holder=$HOLDER_PID
	exec 8<&"${HOLDER[0]}" 9>&"${HOLDER[1]}"
	echo "BEGIN; LOCK TABLE dpsens.purse; SELECT 'locked';" >&9
	read -r _ <&8
}

let_go()
{
	printf 'COMMIT;\n\\q\n' >&9
	wait "$holder"
	exec 8<&- 9>&-
}

# Only a test that hangs waits so long.
patiently="SET dpsens.ledger_timeout = '$HUNG s'"

# Two that ask and are not answered, until somebody lets them be: they have the slots.
fill_slots()
{
	in_background "$patiently; $ask"
	in_background "$patiently; $ask"
	wait_for "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'dpsens_ledger'"
}

make_cluster main "dpsens.ledger_slots = 2" "max_prepared_transactions = 2" || bail "no cluster"
sql "$fixture"

# ---- fsync ----

sql "ALTER SYSTEM SET fsync = off" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('fsync') = 'off'"
is "$(sql "$ask")" 'ERROR: private answers are not given while "fsync" is off' "fsync = off"
is "$(sql "SET dpsens.require_fsync = off; $ask")" 'ERROR: parameter "dpsens.require_fsync" cannot be changed now' "is not for clients to decide"
sql "ALTER SYSTEM SET dpsens.require_fsync = off" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('dpsens.require_fsync') = 'off'"
is "$(sql "$ask")" t "dpsens.require_fsync = off"
sql "ALTER SYSTEM RESET ALL" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('fsync') = 'on' AND current_setting('dpsens.require_fsync') = 'on'"
is "$(sql "$ask")" t "back to normal"

# ---- what databases and roles have set ----

before=$(sql "$charges")
sql "ALTER DATABASE postgres SET synchronous_commit = off; ALTER DATABASE postgres SET default_transaction_isolation = serializable;
	ALTER DATABASE postgres SET statement_timeout = '1ms'; ALTER DATABASE postgres SET default_transaction_read_only = on; -- clock: deaf to it
	ALTER ROLE postgres SET search_path = nowhere; ALTER ROLE postgres SET session_replication_role = replica"
export PGOPTIONS="-c default_transaction_read_only=off -c statement_timeout=0 -c search_path=public"
sql "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'" >/dev/null
is "$(sql "$ask")" t "settings of the database and of the superuser do not reach the worker"
is "$(sql "$charges")" $((before + 1)) "and it has charged"
sql "ALTER DATABASE postgres RESET ALL; ALTER ROLE postgres RESET ALL"
unset PGOPTIONS

# ---- locks, cancelled waits and slots ----

# Timeouts of statements below end waits that nothing else ends: however long one takes to
# begin, it is cancelled.
sql "$ask" >/dev/null
hold
is "$(sql "$ask")" "ERROR: the privacy ledger is locked" "a lock on the ledger"
is "$(sql "SET dpsens.ledger_timeout = '200ms'; $ask")" "ERROR: the privacy ledger did not answer within 200 ms" "dpsens.ledger_timeout" # clock: it is held
for i in 1 2 3 4 5 6 7 8 9 10; do
	is "$(sql "SET statement_timeout = '100ms'; $ask")" "ERROR: canceling statement due to statement timeout" "cancelled while it waits, $i" # clock: it is held
done
let_go
wait
is "$(sql "$ask")$(sql "$ask")$(sql "$ask")" ttt "no slot is lost"
is "$(sql "SELECT min(charges) = count(DISTINCT statement) FROM dpsens.purse, dpsens.release WHERE purse.role = 0")" t "the purse agrees with the history"

worker="SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'"
updates_of_purses="SELECT n_tup_upd FROM pg_stat_user_tables WHERE relid = 'dpsens.purse'::regclass"
pid=$(sql "$worker")
kill -STOP "$pid"
for i in 1 2 3 4 5 6 7 8 9 10; do
	sql "SET statement_timeout = '50ms'; $ask" >>"$base/background" # clock: the worker is stopped
done
fill_slots
is "$(psql -XAtqc "SET dpsens.ledger_timeout = '300ms'" -c "$ask" 2>&1 | grep DETAIL)" "DETAIL:  All of its slots are in use." "all slots in use" # clock: the worker is stopped
is "$(sql "SELECT DISTINCT wait_event FROM pg_stat_activity WHERE query LIKE '%dp_count%' AND pid <> pg_backend_pid()")" "dpsens_ledger" "the wait has a name"
updates=$(sql "$updates_of_purses")
kill -CONT "$pid"
wait
is "$(tail -2 "$base/background" | tr '\n' ' ')" "t t " "those that had one are answered"
is "$(sql "SELECT count(*), count(DISTINCT statement), count(DISTINCT xmin::text) FROM (SELECT *, xmin FROM dpsens.release ORDER BY release DESC LIMIT 2) r")" "2|2|1" "in one transaction"
wait_for "SELECT ($updates_of_purses) > $updates"
is "$(sql "$updates_of_purses")" $((updates + 1)) "with one UPDATE of the purse"
is "$(sql "$ask")" t "and others"

# a thousand waits that end otherwise: before the worker has seen the request,
# while it records it, and with their session
pid=$(sql "$worker")
for i in $(seq 110); do
	printf "SET statement_timeout = '5ms';\n%s;\n%s;\n%s;\n%s;\nRESET statement_timeout;\n" "$ask" "$ask" "$ask" "$ask" # clock: stopped, or held
done >"$base/hasty.sql"
kill -STOP "$pid"
for i in 1 2; do
	psql -Xq -f "$base/hasty.sql" >"$base/hasty.$i" 2>&1 &
done
# shellcheck disable=SC2046
wait $(jobs -p)
kill -CONT "$pid"
hold
psql -Xq -f "$base/hasty.sql" >"$base/hasty.3" 2>&1
let_go
# and where nobody holds it, when it comes to that
psql -Xq -f "$base/hasty.sql" >/dev/null 2>&1
wait
cancelled=$(cat "$base"/hasty.? | grep -c "canceling statement due to statement timeout")
ok "$((cancelled < 1000))" "$cancelled waits were cancelled"
pid=$(sql "$ask" >/dev/null; sql "$worker")
kill -STOP "$pid"
for i in $(seq 20); do
	PGAPPNAME=doomed sql "$patiently; $ask" >/dev/null &
done
doomed="SELECT count(*) FROM pg_stat_activity WHERE application_name = 'doomed' AND wait_event = 'dpsens_ledger'"
wait_for "SELECT ($doomed) = 20"
is "$(sql "$doomed")" 20 "twenty more wait, two in slots"
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed'" >/dev/null
wait
fill_slots
is "$(psql -XAtqc "SET dpsens.ledger_timeout = '300ms'" -c "$ask" 2>&1 | grep DETAIL)" "DETAIL:  All of its slots are in use." "two have slots: none was lost" # clock: the worker is stopped
kill -CONT "$pid"
wait
is "$(tail -2 "$base/background" | tr '\n' ' ')" "t t " "both are answered"
is "$(sql "SELECT min(charges) = count(DISTINCT statement) FROM dpsens.purse, dpsens.release WHERE purse.role = 0")" t "the purse agrees with the history"

# ---- a standby that does not come ----

sql "CREATE DATABASE elsewhere"
sql elsewhere "$fixture"
sql elsewhere "$ask" >/dev/null
before=$(sql "$charges")
sql "ALTER SYSTEM SET synchronous_standby_names = 'nobody'" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('synchronous_standby_names') = 'nobody'"
is "$(sql "SET statement_timeout = '500ms'; $ask")" "ERROR: canceling statement due to statement timeout" "no answer before the standby has the charge; the client may give up" # clock: none comes
is "$(sql "SET dpsens.ledger_timeout = '300ms'; SET synchronous_commit = local; $ask")" "ERROR: the privacy ledger did not answer within 300 ms" "whatever the client has set" # clock: none comes
wait_for "SELECT wait_event = 'SyncRep' FROM pg_stat_activity WHERE backend_type = 'dpsens ledger' AND datname = 'postgres'"
is "$(sql "SELECT wait_event FROM pg_stat_activity WHERE backend_type = 'dpsens ledger' AND datname = 'postgres'")" SyncRep "that is what the worker waits for"
is "$(sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger' AND datname = 'elsewhere' AND wait_event = 'SyncRep'")" 0 "another database's does not yet"
sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'" >/dev/null
is "$(sql "SET statement_timeout = '500ms'; $ask")" "ERROR: canceling statement due to statement timeout" "cancelling the worker does not end its wait" # clock: none comes
in_background "$patiently; $ask"
asks="SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'dpsens_ledger'"
wait_for "$asks"
pid=$(sql "$worker AND datname = 'postgres'")
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'" >/dev/null
waits="SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid IN ($worker AND datname = 'postgres') AND pid <> $pid"
wait_for "SELECT ($waits) = 1"
is "$(sql "$waits")" 1 "terminating it does: its successor waits for the next"
sql "ALTER SYSTEM RESET synchronous_standby_names" && sql "SELECT pg_reload_conf()" >/dev/null
wait
is "$(sql "$ask")$(sql elsewhere "$ask")" tt "when the standby is not needed any more, answers go on"
charged=$(($(sql "$charges") - before))
ok "$((charged < 2 || charged > 6))" "what was withheld may have been charged ($charged)"
is "$(sql "SELECT min(charges) = count(DISTINCT statement) FROM dpsens.purse, dpsens.release WHERE purse.role = 0")" t "the purse agrees with the history"
sql "ALTER SYSTEM SET synchronous_standby_names = 'nobody'" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('synchronous_standby_names') = 'nobody'"
in_background "$patiently; $ask"
wait_for "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'dpsens ledger'"
stop_cluster main
is "$?" 0 "a server whose worker waits for a standby stops"
wait
like "$(tail -1 "$base/background")" "*connection*lost*" "and nobody has seen an answer"
as_server sed -i '/synchronous_standby_names/d' "$base/main/postgresql.auto.conf"
start_cluster main
is "$(sql "$ask")" t "it starts again"

# ---- strangers ----

sql "CREATE ROLE stranger CREATEDB; CREATE ROLE nobody_special"
pid=$(sql "$worker AND datname = 'postgres'")
is "$(PGOPTIONS="-c role=nobody_special" sql elsewhere "DROP DATABASE postgres")" "ERROR: must be owner of database postgres" "a stranger cannot drop the database"
is "$(PGOPTIONS="-c role=nobody_special" sql elsewhere "CREATE DATABASE copy TEMPLATE postgres")" "ERROR: permission denied to create database" "nor copy it"
is "$(PGOPTIONS="-c role=stranger" sql elsewhere "CREATE DATABASE copy TEMPLATE postgres")" 'ERROR: permission denied to copy database "postgres"' "even if they may create others"
is "$(PGOPTIONS="-c role=stranger" sql elsewhere "ALTER DATABASE postgres RENAME TO mine")" "ERROR: must be owner of database postgres" "nor rename it"
is "$(sql "$worker AND datname = 'postgres'")" "$pid" "and the worker does not notice"

sql "CREATE TABLE many (n int)"
before=$(sql "$charges")
for i in $(seq 30); do
	sql "$patiently; INSERT INTO many SELECT dp_count(true, 0.25) * 0 + 1 FROM people; INSERT INTO many SELECT dp_count(true, 0.25) * 0 + 1 FROM people" &
done
wait
is "$(sql "SELECT sum(n) FROM many")|$(sql "$charges")" "60|$((before + 60))" "thirty clients take turns at two slots"

# ---- signals ----

before=$(sql "$charges")
for i in $(seq 8); do
	sql "DO \$\$ DECLARE n int := 0; BEGIN
		WHILE n < 150 LOOP
			BEGIN
				PERFORM dp_count(true, 0.25) FROM people;
				n := n + 1;
			EXCEPTION WHEN object_not_in_prerequisite_state THEN
				IF sqlerrm NOT LIKE 'the privacy ledger%' THEN RAISE; END IF;
				PERFORM pg_sleep(0.1); -- clock: before it asks again
			END;
		END LOOP;
		RAISE WARNING '%', n;
	END \$\$" >"$base/load.$i" &
done
clients=$(jobs -p)
for i in $(seq 15); do
	sql "SELECT pg_terminate_backend(pid), pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'" >/dev/null
	[ "$((i % 5))" != 0 ] || sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger launcher'" >/dev/null
	# the last may have had all they asked for
	wait_for "SELECT ($charges) >= $(($(sql "$charges") + 40)) OR NOT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%WHILE n < 150%' AND pid <> pg_backend_pid())"
done
# shellcheck disable=SC2086
wait $clients
answered=$(cat "$base"/load.* | awk '/^WARNING:/ { n += $2 } END { print n + 0 }')
is "$(grep -vc WARNING <(cat "$base"/load.*))" 0 "terminating worker and launcher under load: no error but the ledger's"
charged=$(($(sql "$charges") - before))
ok "$((charged < answered))" "every answer is charged ($answered answers, $charged charges)"
is "$answered" 1200 "all are, who ask again"
is "$(sql "$ask")" t "and answers go on"
is "$(sql "SELECT min(charges) = count(DISTINCT statement) FROM dpsens.purse, dpsens.release WHERE purse.role = 0")" t "the purse agrees with the history"
launcher="SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger launcher'"
wait_for "SELECT EXISTS ($launcher)"
pid=$(sql "$launcher")
kill -KILL "$(sql "$worker AND datname = 'postgres'")"
wait_for "SELECT EXISTS ($launcher AND pid <> $pid)"
is "$(sql "$ask")" t "a worker that is killed takes the server with it, as any backend does, and answers go on"

# ---- prepared transactions ----

before=$(sql "$charges")
sql "BEGIN; $ask; PREPARE TRANSACTION 'asked'" >/dev/null
sql "ROLLBACK PREPARED 'asked'"
is "$(sql "$charges")" $((before + 1)) "ROLLBACK PREPARED keeps the charge"
sql "BEGIN; ALTER TABLE people RENAME TO persons; PREPARE TRANSACTION 'names'"
sql "COMMIT PREPARED 'names'"
is "$(sql "SELECT relation_name FROM dpsens.purse WHERE role = 0")" persons "a prepared renaming"
sql "ALTER TABLE persons RENAME TO people"
sql "BEGIN; SELECT dpsens.set_budget('people', epsilon => 0.001); PREPARE TRANSACTION 'budget'" >/dev/null
is "$(sql "$ask")" t "a prepared budget does not count yet"
sql "COMMIT PREPARED 'budget'"
is "$(sql "$ask")" 'ERROR: the privacy budget of relation "public.people" does not allow this statement' "a committed one does"
sql "SELECT dpsens.revoke_budget('people')" >/dev/null

# ---- the worker leaves ----

sql "$ask" >/dev/null
wait_for "SELECT NOT EXISTS ($worker)"
is "$(sql "$worker")" "" "an idle worker leaves"
is "$(sql "$ask")" t "and comes back"
stop_cluster main
is $? 0 "the server stops in time"

# ---- no slot for a worker ----

start_cluster main -c max_worker_processes=1 -c max_logical_replication_workers=0
wait_for "SELECT EXISTS ($launcher)"
is "$(psql -XAtqc "$ask" 2>&1)" "ERROR:  the privacy ledger could not be started
DETAIL:  No slot for a background worker is free.
HINT:  Raise max_worker_processes, which needs a restart." "max_worker_processes used up"
is "$(sql "$ask")" "ERROR: the privacy ledger could not be started" "and again, without waiting"
stop_cluster main
start_cluster main -c max_worker_processes=0
is "$(sql "$ask")" "ERROR: the privacy ledger is not running" "no slot for the launcher either"
stop_cluster main
start_cluster main
wait_for "SELECT EXISTS ($launcher)"
is "$(sql "$ask")" t "back to normal"
finish
