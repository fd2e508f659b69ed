#!/usr/bin/env bash
# crash.sh
#	SIGKILL of every process of the server under load: no answer is ever seen
#	whose charge is not there afterwards, and no more is charged than was seen
#	or being asked.
#
# ROUNDS (20) and CLIENTS (16) may be set.  Each client tags its queries, asks
# one after the other, and writes the tag of each answer that it saw to a file
# that it syncs before it asks again.  With ROOMS that many clean rooms answer, and are
# killed, too.
. "$(dirname "$0")/cluster.sh"

rounds=${ROUNDS:-20}
clients=${CLIENTS:-16}

# Asks until the server is gone.  The tag is a constant of the statement, so it
# is in the history.
client()
{
	local round=$1 number=$2 i=0 answer
	coproc PSQL { exec psql -XAtq -v ON_ERROR_STOP=1 2>/dev/null; }
	local to=${PSQL[1]} from=${PSQL[0]} pid=$PSQL_PID
	while :; do
		i=$((i + 1))
		echo "$round.$number.$i" >>"$base/asked.$number"
		printf "SELECT dp_count(true, 0.25), 'tag %d.%d.%d' FROM people;\n" "$round" "$number" "$i" >&"$to" 2>/dev/null || break
		read -r answer <&"$from" || break
		[[ $answer == *"|tag $round.$number.$i" ]] || break
		echo "$round.$number.$i" >&3
		sync -d "$base/seen.$number"
	done 3>>"$base/seen.$number"
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}

# has_seen ANSWERS ROUND
has_seen()
{
	[ "$(cat "$base"/seen.* 2>/dev/null | grep -c "^$2\\.")" -ge "$1" ]
}

if [ -n "${ROOMS:-}" ]; then
	rooms=("dpsens.clean_rooms = $ROOMS" "dpsens.debug_restricted = on")
fi
make_cluster main "max_wal_size = 64MB" ${rooms[@]+"${rooms[@]}"} || bail "no cluster"
sql "$fixture"
is "$(sql "$ask")" t "a first answer"
is "$(sql "SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'")" \
	"$([ -n "${ROOMS:-}" ] && echo t || echo f)" "of ${ROOMS:-no} clean rooms"

for round in $(seq "$rounds"); do
	for number in $(seq "$clients"); do
		client "$round" "$number" &
	done
	# at any moment after one of the first answers, so that crashes meet every stage
	wait_until has_seen $((RANDOM % 100 + 1)) "$round"
	kill_server
	wait
	restart
	sort "$base"/seen.* >"$base/seen"
	sort "$base"/asked.* >"$base/asked"
	sql "SELECT substring(query FROM 'tag ([0-9.]+)') FROM dpsens.release WHERE query LIKE '%tag %'" | sort >"$base/charged"
	is "$(comm -23 "$base/seen" "$base/charged" | wc -l)" 0 "round $round: every answer that was seen is charged ($(grep -c "^$round\\." "$base/seen") of this round)"
	is "$(comm -13 "$base/asked" "$base/charged" | wc -l)" 0 "round $round: nothing is charged that was not asked"
	is "$(uniq -d "$base/charged" | wc -l)" 0 "round $round: nothing is charged twice"
	over=$(comm -13 "$base/seen" "$base/charged" | grep -c "^$round\\.")
	ok "$((over > clients))" "round $round: charged without an answer: $over, at most one for each of $clients clients"
	is "$(sql "SELECT p.charges = count(*) AND p.spent_epsilon = sum(r.charge_epsilon) FROM dpsens.purse p JOIN dpsens.release r USING (relation) WHERE p.role = 0 GROUP BY p.charges, p.spent_epsilon")" \
		t "round $round: the purse is the sum of the history"
	is "$(sql "$ask")" t "round $round: and answers go on"
done
ok "$(($(wc -l <"$base/seen") < rounds))" "$(wc -l <"$base/seen") answers were seen, $(comm -13 "$base/seen" "$base/charged" | wc -l) charged in vain"
finish
