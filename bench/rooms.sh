#!/usr/bin/env bash
# rooms.sh [ROWS RESULT]
#	What clean rooms cost: two clusters side by side, one that reads in the session of
#	whoever asks and one with two rooms, take turns. Prints a table, and writes the
#	same as JSON.
#
# It starts the clusters itself: "dpsens.clean_rooms" is laid out when a server starts.
set -euo pipefail

# Both at once have to fit.
buffers=shared_buffers=$(awk '/^MemTotal:/ { size = int($2 / 8 / 1024); print (size > 2048 ? 2048 : size) "MB" }' /proc/meminfo)

: "${TURNS:=5}" "${VISITS:=1000}" "${STARTS:=20}" "${CLIENTS:=64}" "${PER_CLIENT:=100}"

# ---- the two servers ----

here()
{
	echo "host=$PGHOST port=$PGPORT user=$PGUSER password=${PGPASSWORD:-} dbname=bench"
}

case ${1:-} in
	in-process)
		export IN_PROCESS
		IN_PROCESS=$(here)
		exec build-aux/cluster --set dpsens.clean_rooms=2 --set max_connections=200 --set "$buffers" bash bench/rooms.sh measure "$2" "$3"
		;;
	measure)
		ROOMS=$(here)
		unset PGHOST PGPORT PGUSER PGPASSWORD
		;;
	*)
		exec build-aux/cluster --set dpsens.clean_rooms=0 --set max_connections=200 --set "$buffers" bash bench/rooms.sh in-process "$1" "$2"
		;;
esac

rows=$2
result=$3
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

make_tables()
{
	psql -Xq "${1/dbname=bench/dbname=postgres}" -c "CREATE DATABASE bench"
	psql -Xq -v ON_ERROR_STOP=1 "$1" >/dev/null <<-END
		CREATE EXTENSION dpsens;
		CREATE TABLE few AS SELECT (i % 100)::float8 AS age FROM generate_series(1, 100) i;
		CREATE TABLE many AS SELECT (i % 100)::float8 AS age, i AS id, md5(i::text) AS note FROM generate_series(1, $rows) i;
		VACUUM ANALYZE few;
		VACUUM ANALYZE many;
		CREATE ROLE ana;
		SELECT dpsens.protect('few'), dpsens.protect('many'), dpsens.set_range('few', 'age', 0, 100), dpsens.set_range('many', 'age', 0, 100);
		SELECT dpsens.grant_budget('few', 'ana', 1e6), dpsens.grant_budget('many', 'ana', 1e6);
	END
}

as_ana="-c role=ana -c dpsens.epsilon=0.001 -c max_parallel_workers_per_gather=0 -c jit=off"

# ---- figures ----

# The middle one of the numbers, one a line.
median()
{
	sort -g | awk '{ n[NR] = $1 } END { print NR % 2 ? n[(NR + 1) / 2] : (n[NR / 2] + n[NR / 2 + 1]) / 2 }'
}

# Milliseconds of each of one client's statements, in sessions that are warm.
visit()
{
	echo "SELECT dp_count(*) FROM few;" >"$files/visit.sql"
	(cd "$files" && PGOPTIONS=$as_ana pgbench -n -f visit.sql -t "$VISITS" -l "$1" >/dev/null)
	awk -v skip=$((VISITS / 10)) 'FNR > skip { print $3 / 1000 }' "$files"/pgbench_log.* | median
	rm -f "$files"/pgbench_log.*
}

# ... of the first statement of a session.
first_statement()
{
	PGOPTIONS=$as_ana psql -XAtq "$ROOMS" -c '\timing on' -c "SELECT dp_count(*) FROM few" | sed -n '$s/^Time: \([0-9.]*\) ms.*/\1/p'
}

# ... with a room, and after all were sent away.
starts()
{
	local i
	for ((i = 0; i < STARTS; i++)); do
		first_statement >>"$files/in_process"
		psql -XAtq "$ROOMS" -c "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'" >/dev/null
		first_statement >>"$files/in_room"
	done
}

# ... of a count of many rows.
scan()
{
	PGOPTIONS=$as_ana psql -XAtq "$1" <<-'END' | sed -n '$s/^Time: \([0-9.]*\) ms.*/\1/p'
		SELECT dp_count(*) FROM few;
		\timing on
		SELECT dp_count(*) FROM many WHERE age < 50;
	END
}

# Statements per second of many clients.
crowd()
{
	(cd "$files" && PGOPTIONS=$as_ana pgbench -n -f visit.sql -c "$CLIENTS" -j 2 -t "$PER_CLIENT" "$1") |
		sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}

# take_turns NAME: the medians of both, in $in_process and $in_room.
take_turns()
{
	local i
	for ((i = 0; i < TURNS; i++)); do
		"$1" "$IN_PROCESS" >>"$files/in_process"
		"$1" "$ROOMS" >>"$files/in_room"
	done
	take_medians
}

take_medians()
{
	in_process=$(median <"$files/in_process")
	in_room=$(median <"$files/in_room")
	rm "$files/in_process" "$files/in_room"
}

first=true

# line NAME IN-PROCESS IN-ROOM FIGURE GOAL IS-MET, as text and as JSON
line()
{
	printf '%-34s %10.2f %10.2f %10.2f   %-8s %s\n' "$1" "$2" "$3" "$4" "$5" "$([ "$6" = true ] || echo '!')"
	$first || echo ',' >>"$result"
	printf '{"name": "%s", "in_process": %s, "in_room": %s, "figure": %s, "goal": "%s", "met": %s}' "$@" >>"$result"
	first=false
}

# judge NAME FIGURE GOAL CONDITION: awk's, of a (in process) and b (in a room)
judge()
{
	local figure met
	figure=$(awk -v a="$in_process" -v b="$in_room" "BEGIN { print $2 }")
	met=$(awk -v f="$figure" "BEGIN { print (f $3) ? \"true\" : \"false\" }")
	line "$1" "$in_process" "$in_room" "$figure" "$3" "$met"
}

# ---- measuring ----

make_tables "$IN_PROCESS"
make_tables "$ROOMS"
mkdir -p "$(dirname "$result")"
echo '[' >"$result"
printf '%-34s %10s %10s %10s   %s\n' "" "in process" "in a room" "" goal
take_turns visit
judge "a visit, ms: more" "b - a" "<= 1"
starts
take_medians
judge "... warm and cold room, ms: more" "b - a" "<= 100"
take_turns scan
judge "$rows rows, ms: ratio" "b / a" "<= 1.1"
take_turns crowd
judge "$CLIENTS clients, 1/s: ratio" "b / a" ">= 0.6"
echo ']' >>"$result"
