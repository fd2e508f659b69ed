#!/usr/bin/env bash
# ledger_told.sh
#	What the ledger's worker remembers, while others change what it is about: whatever it
#	is told, and whenever, nothing is answered that should not be.
# Files: ledger/charge/accounts.c ledger/charge/failures.c ledger/keep.c.
. "$(dirname "$0")/cluster.sh"

make_cluster main 'wal_level = logical' || bail "no cluster"
sql "$fixture"
sql "CREATE ROLE asker LOGIN"
sql "SELECT dpsens.grant_budget('people', 'asker', 1000000)" >/dev/null

# ---- failures, told of between reading and looking ----

# So many that they take a while to be read; of roles that are gone.
sql "INSERT INTO dpsens.failure SELECT 4000000000 - i, 'gone_' || i, 1, now(), now() FROM generate_series(1, 20000) i"
sql "INSERT INTO dpsens.failure VALUES ('asker'::regrole, 'asker', 1000, now(), now()); SELECT dpsens.acknowledge_restore()" >/dev/null
# what the role itself may do: the worker looks it up anew, and is told of relations
yes "ALTER ROLE asker PASSWORD 'other'; CREATE TEMP TABLE told (x int); DROP TABLE told;" | PGUSER=asker psql -Xq >/dev/null 2>&1 &
for i in $(seq 100); do
	echo "$ask;"
done >"$base/hundred.sql"
is "$(PGUSER=asker psql -XAtq -f "$base/hundred.sql" 2>&1 | grep -c 'private answers to role "asker" are suspended')" 100 "a role that is suspended stays so while everything changes"
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'asker'" >/dev/null
wait
sql "SELECT dpsens.forgive_failures('asker')" >/dev/null
is "$(PGUSER=asker sql "$ask")" t "until it is forgiven"

# ---- failures, counted when whoever asks is in a hurry ----

# Its last page cannot be read, and it takes a while until that is noticed.
sql "CREATE TABLE torn AS SELECT i, CASE WHEN i <= 8 THEN repeat(md5(i::text), 30000) ELSE '' END AS note FROM generate_series(1, 2000) i; CHECKPOINT"
sql "SELECT dpsens.protect('torn'), dpsens.grant_budget('torn', 'asker', 1000000)" >/dev/null
torn="$base/main/$(sql "SELECT pg_relation_filepath('torn')")"
stop_cluster main
head -c 24 /dev/zero | tr '\0' 'x' | as_server dd of="$torn" bs=8192 seek=$(($(stat -c %s "$torn") / 8192 - 1)) conv=notrunc status=none
start_cluster main -c dpsens.clean_rooms=1 || bail "no cluster"
charges="SELECT count(*) FROM dpsens.release WHERE relation = 'torn'::regclass"
asks_hastily()
{
	rm -f "$base/ended"
	{
		PGUSER=asker sql "SET dpsens.ledger_timeout = '1s'; SELECT dp_count(true, 1) FROM torn WHERE upper(note) ~ '(a|b|c)+(d|e|f)+x' OR lower(note) ~ '(1|2|3)+(4|5|6)+x'" >"$base/hasty" # clock: asked again
		touch "$base/ended"
	} &
}
ended_or()
{
	[ -e "$base/ended" ] || says_yes "$1"
}
# Stops the worker while the room of a statement that was charged reads, until the room has given up.
meets_stopped_worker()
{
	local before pid
	before=$(sql "$charges")
	asks_hastily
	wait_until ended_or "SELECT ($charges) > $before"
	pid=$(sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'")
	kill -STOP "$pid"
	wait
	kill -CONT "$pid"
	grep -q 'did not answer within' "$base/main.log"
}
# once more where the failure was told of before the worker stopped
for i in 1 2 3 4 5 6 7; do
	! meets_stopped_worker || break
done
is "$(cat "$base/hasty")" "ERROR: the private answers of the statement could not be computed" "a failure after the charge"
is "$(grep -o 'did not answer within [0-9]* ms' "$base/main.log" | tail -1)" "did not answer within 10000 ms" "is to be counted, however short whoever asks would wait"

# ---- what a subscription applies ----

sql "CREATE DATABASE elsewhere"
sql elsewhere "CREATE SCHEMA dpsens"
for table in purse release; do
	sql elsewhere "CREATE TABLE dpsens.$table ($(sql "SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'dpsens.$table'::regclass AND attnum > 0"),
		$(sql "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'dpsens.$table'::regclass AND contype = 'p'"))"
	psql -XAtqc "COPY dpsens.$table TO STDOUT" | psql -Xq -d elsewhere -c "COPY dpsens.$table FROM STDIN"
done
sql elsewhere "CREATE PUBLICATION told FOR TABLE dpsens.purse, dpsens.release"
sql elsewhere "SELECT pg_create_logical_replication_slot('told', 'pgoutput')" >/dev/null
sql "CREATE SUBSCRIPTION told CONNECTION 'dbname=elsewhere host=$base port=$PGPORT' PUBLICATION told WITH (create_slot = false, slot_name = 'told', copy_data = false)"
is "$(sql "$ask")" t "a charge beside a subscription"
sql elsewhere "INSERT INTO dpsens.release SELECT (jsonb_populate_record(r, '{\"release\": 1000}')).* FROM dpsens.release r LIMIT 1"
wait_for "SELECT EXISTS (SELECT FROM dpsens.release WHERE release = 1000)"
is "$(sql "$ask")" "ERROR: the privacy ledger was charged in another database" "a release that is applied closes the ledger"
sql "SELECT dpsens.acknowledge_restore()" >/dev/null
is "$(sql "$ask; SELECT max(release) FROM dpsens.release" | tail -1)" 1001 "numbers go on from there"
spent=$(sql "SELECT sum(spent_epsilon) FROM dpsens.purse")
sql elsewhere "UPDATE dpsens.purse SET spent_epsilon = 0, spent_rho = 0"
wait_until grep -q "the privacy ledger cannot be changed" "$base/main.log"
is "$(sql "SELECT sum(spent_epsilon) FROM dpsens.purse")" "$spent" "nothing is refunded"
sql "ALTER SUBSCRIPTION told DISABLE; ALTER SUBSCRIPTION told SET (slot_name = NONE); DROP SUBSCRIPTION told"

# ---- what is written while a charge is on its way ----

# By a superuser, to a purse that the worker knows: 100 more were spent.
sql "$ask" >/dev/null
spent="SELECT spent_epsilon FROM dpsens.purse WHERE role = 0 AND relation = 'people'::regclass"
before=$(sql "$spent")
until
	coproc WRITER { exec psql -XAtq; }
	writer=$WRITER_PID
	exec 8<&"${WRITER[0]}" 9>&"${WRITER[1]}"
	echo "BEGIN; ALTER TABLE dpsens.purse DISABLE TRIGGER keep_ledger; UPDATE dpsens.purse SET spent_epsilon = $before + 100 * 2::bigint ^ 40;
		ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger; SELECT 'written';" >&9
	read -r _ <&8
	rm -f "$base/ended"
	{
		sql "$ask" >"$base/asked"
		touch "$base/ended"
	} &
	wait_until ended_or "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.backend_type = 'dpsens ledger' AND NOT l.granted)"
	printf 'COMMIT;\n\\q\n' >&9
	wait "$writer"
	exec 8<&- 9>&-
	wait
	# a worker waits for no lock for long
	[ "$(cat "$base/asked")" != "ERROR: the privacy ledger is locked" ]
do
	:
done
is "$(cat "$base/asked")" t "a charge meets a purse that is being written"
is "$(sql "SELECT ($spent) > $before + 100 * 2::bigint ^ 40")" t "what was written is not lost, and it is charged"

finish
