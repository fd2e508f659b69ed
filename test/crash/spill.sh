#!/usr/bin/env bash
# spill.sh
#	Sessions that end while rows of units wait in files: the files go, the charge
#	stays, and who asks beside them is answered.
#
# Of two sessions that spill, one is terminated, alone or with parallel workers;
# then, of two more, one is killed, and the server with it.
. "$(dirname "$0")/cluster.sh"

# The files of rows, of both sessions; those of parallel plans are in folders.
spilled()
{
	find "$base/main/base/pgsql_tmp" -type f -name '*tmp*' 2>/dev/null | wc -l
}

# Those of one session: "pgsql_tmpPID.n", or a set of the leader's.
files_of()
{
	find "$base/main/base/pgsql_tmp" \( -name "pgsql_tmp$1.*" -o -path "*/pgsql_tmp$1.*/*" -o -name "i*of*.p*.$1*" \) 2>/dev/null | wc -l
}

has_files_or_is_gone()
{
	[ "$(files_of "$1")" -gt 0 ] || is_gone "$1"
}

# Stops the session while it has some; false if it never had.
stop_with_files()
{
	wait_until has_files_or_is_gone "$1"
	kill -STOP "$1" && [ "$(files_of "$1")" -gt 0 ]
}

# ask NUMBER WORKERS: asks in the background; its process is in $base/pid.NUMBER,
# its answer in $base/answer.NUMBER.
ask_rows()
{
	rm -f "$base/pid.$1"
	PGOPTIONS="-c work_mem=64kB -c hash_mem_multiplier=1 -c min_parallel_table_scan_size=0 -c parallel_setup_cost=0 -c parallel_tuple_cost=0 -c max_parallel_workers_per_gather=$2 -c client_min_messages=warning" \
		psql -XAtq -v ON_ERROR_STOP=1 >"$base/answer.$1" 2>&1 <<-END &
			SELECT pg_backend_pid() \\g $base/pid.$1
			SELECT abs(dp_count(true, 1.0) - 848618) < 1000, 'tag $1' FROM visits;
		END
}

pid_of()
{
	wait_until test -s "$base/pid.$1"
	cat "$base/pid.$1"
}

charged()
{
	sql "SELECT count(*) FROM dpsens.release WHERE query LIKE '%tag $1''%'"
}

make_cluster main "max_wal_size = 256MB" "max_parallel_workers = 8" || bail "no cluster"
sql "CREATE EXTENSION dpsens;
CREATE TABLE visits (person text NOT NULL, a float8 NOT NULL);
INSERT INTO visits SELECT 'person number ' || (hashint4(i) & 2147483647) % 300000, i % 100 FROM generate_series(1, 1500000) i;
ANALYZE visits;
DO \$\$ BEGIN PERFORM dpsens.protect('visits', 'person', max_rows => 3), dpsens.set_range('visits', 'a', 0, 100); END \$\$;"

for workers in 0 2; do
	one=one$workers
	other=other$workers
	ask_rows "$one" "$workers"
	ask_rows "$other" "$workers"
	pid=$(pid_of "$one")
	stop_with_files "$pid"
	ok $? "$workers workers: rows wait in files"
	sql "SELECT pg_terminate_backend($pid)" >/dev/null
	kill -CONT "$pid"
	wait
	is "$(files_of "$pid")" 0 "$workers workers: the files of who was terminated are gone"
	is "$(spilled)" 0 "$workers workers: and those of who was not"
	is "$(charged "$one"), $(charged "$other")" "1, 1" "$workers workers: both are charged"
	is "$(grep -c 'terminating connection' "$base/answer.$one")" 1 "$workers workers: the one has no answer"
	is "$(cat "$base/answer.$other")" "t|tag $other" "$workers workers: the other has"
done

for workers in 0 2; do
	one=killed$workers
	other=beside$workers
	ask_rows "$one" "$workers"
	ask_rows "$other" "$workers"
	pid=$(pid_of "$one")
	stop_with_files "$pid"
	ok $? "$workers workers: rows wait in files again"
	kill -KILL "$pid"
	wait
	wait_for "SELECT true"
	is "$(spilled)" 0 "$workers workers: no file outlives the crash"
	is "$(charged "$one")" 1 "$workers workers: who was killed is charged"
	ok "$(($(charged "$other") > 1))" "$workers workers: who was beside, at most once"
	is "$(sql "SELECT abs(dp_count(true, 1.0) - 848618) < 1000 FROM visits")" t "$workers workers: answers go on"
	is "$(sql "SELECT count(*) FROM dpsens.verify_ledger() WHERE NOT valid")" 0 "$workers workers: charges are recomputed"
done
finish
