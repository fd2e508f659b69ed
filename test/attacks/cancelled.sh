#!/usr/bin/env bash
# cancelled.sh ROLE TABLE
#	Asks a question as the role, cancels it while rows are read, and prints a tab
#	and what the server then reads for a label that a row may have asked for.
set -euo pipefail
. "$(dirname "$0")/../poll.sh"

slow='b.v || p.name'
for _ in {1..14}; do
	slow="($slow || rpad(p.name, 250000, 'é'))"
done

exec 3< <(psql -XAtq 2>&1 <<SQL
SET search_path = clinic, lab, public;
SET application_name = 'cancelled43_$2';
SET SESSION AUTHORIZATION $1;
SET dpsens.epsilon = 0.000001;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT lab.cast43('x') \g /dev/null
SELECT dp_count(*) FROM $2 p JOIN lab.cancelled43 b ON b.k = p.id
WHERE (CASE WHEN secret THEN name::mood = 'sad' END) IS NULL AND $slow > 'a' \g /dev/null
\echo looked
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT lab.cast43('Zebedee');
SQL
)

# Its backend, or the clean room, while it reads rows: they have worked for a second of their
# processor's time since it was seen, or it is too late.
asks="FROM pg_stat_activity WHERE application_name = 'cancelled43_$2' AND state = 'active' AND query LIKE '%dp_count%'"
worked()
{
	local pid sum=0
	for pid in "$@"; do
		sum=$((sum + $(awk '{ print $14 + $15 }' "/proc/$pid/stat" 2>/dev/null || echo 0)))
	done
	echo $sum
}
has_worked_or_is_done()
{
	local pid rooms
	pid=$(psql -XAtq -c "SELECT pid $asks")
	[ -n "$pid" ] || { [ -n "$began" ]; return; }
	rooms=$(psql -XAtq -c "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'")
	# shellcheck disable=SC2086 # a list of numbers
	sum=$(worked $pid $rooms)
	began=${began:-$sum}
	[ $((sum - began)) -ge "$(getconf CLK_TCK)" ]
}
began=
wait_until has_worked_or_is_done
psql -XAtq -c "SELECT pg_cancel_backend(pid) $asks" >/dev/null
said=$(cat <&3)
case $said in
	*'canceling statement'*) printf 'cancelled\t%s\n' "$(sed -n '1,/^looked/d; s/^ *Buffers/Buffers/p' <<<"$said" | head -1)" ;;
	*) printf 'cancelled\ttoo late: %s\n' "$(head -1 <<<"$said")" ;;
esac
