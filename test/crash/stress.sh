#!/usr/bin/env bash
# stress.sh
#	Workers that leave as soon as they have nothing to do, in many databases,
#	while requests keep coming: each finds a worker.
#
# SECONDS_OF_LOAD (6) may be set.
. "$(dirname "$0")/cluster.sh"

seconds=${SECONDS_OF_LOAD:-6}
databases="one two three four five six"
workers="SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'"

# charges: of all databases.
charges()
{
	local database total=0
	for database in $databases; do
		total=$((total + $(sql "$database" "SELECT COALESCE(sum(charges), 0) FROM dpsens.purse WHERE role = 0")))
	done
	echo "$total"
}

has_charged()
{
	[ "$(charges)" -ge "$1" ]
}

make_cluster main "dpsens.ledger_idle_timeout = '1ms'" "max_worker_processes = 24" || bail "no cluster" # clock: they leave early
for database in $databases; do
	sql "CREATE DATABASE $database"
	sql "$database" "$fixture"
done

# ---- nobody disturbs ----

# waits of 0 to 4 ms between the questions are about as long as a worker stays
printf '%s\n' '\set pause random(0, 4000)' '\sleep :pause us' 'SELECT dp_count(true, 0.000001) FROM people;' >"$base/ask.sql" # clock: load
chmod 644 "$base/ask.sql"
for database in $databases; do
	pgbench -n -c 2 -T "$seconds" -l --log-prefix="$base/log.$database" -f "$base/ask.sql" "$database" >"$base/bench.$database" 2>&1 &
done
wait
is "$(cat "$base"/bench.* | grep -i error)" "" "no request fails because a worker is just leaving"
answered=$(cat "$base"/log.* | wc -l)
is "$(charges)" "$answered" "each of $answered answers is charged once"
is "$(grep -E 'ERROR|FATAL|WARNING|PANIC' "$base/main.log")" "" "and the log is silent"
wait_for "SELECT ($workers) = 0"
is "$(sql "$workers")" 0 "then all workers leave"

# ---- the launcher is stopped again and again ----

for database in $databases; do
	sql "$database" "DO \$\$ DECLARE n int := 0; BEGIN
		FOR i IN 1 .. 200 LOOP
			BEGIN
				PERFORM dp_count(true, 0.000001) FROM people;
				n := n + 1;
			EXCEPTION WHEN object_not_in_prerequisite_state THEN
				IF sqlerrm NOT LIKE 'the privacy ledger was stopped' AND sqlerrm NOT LIKE 'the privacy ledger could not be started' THEN RAISE; END IF;
			END;
			PERFORM pg_sleep(random() * 0.02); -- clock: load
		END LOOP;
		RAISE WARNING '%', n;
	END \$\$" >"$base/load.$database" &
done
clients=$(jobs -p)
before=$answered
for i in $(seq 4); do
	wait_until has_charged $((before + i * 200))
	sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpsens ledger launcher'" >/dev/null
done
# shellcheck disable=SC2086
wait $clients
is "$(cat "$base"/load.* | grep -v '^WARNING')" "" "a launcher that is stopped is waited for"
answered=$(cat "$base"/load.* | awk '/^WARNING:/ { n += $2 } END { print n + 0 }')
charged=$(($(charges) - before))
ok "$((charged < answered))" "every answer is charged ($answered answers, $charged charges)"
ok "$((answered < 1080))" "nearly all of 1200 are answered ($answered)"

# ---- a server that has just started ----

for i in 1 2 3 4 5; do
	stop_cluster main
	start_cluster main
	is "$(sql one "$ask")" t "the first question after a start, $i"
done

# ---- more databases than slots for workers ----

stop_cluster main
start_cluster main -c max_worker_processes=4 -c dpsens.ledger_idle_timeout="${HUNG}s"
answers=
for i in 1 2 3; do
	for database in $databases; do
		answers+=$(sql "$database" "$ask")
	done
done
is "$answers" tttttttttttttttttt "workers that have nothing to do make room for others"
for i in 1 2 3; do
	for database in $databases; do
		sql "$database" "$ask" >>"$base/crowd" &
	done
done
wait
is "$(sort "$base/crowd" | uniq -c | tr -d ' \n')" 18t "also if all want one at once"
finish
