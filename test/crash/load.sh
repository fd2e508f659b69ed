#!/usr/bin/env bash
# load.sh
#	64 clients that ask for a count of a small table as fast as they are
#	answered: answers per second, and how long they take.
#
# A measurement, and no part of "make check".  CLIENTS (64), THREADS (2), SECONDS_OF_LOAD (20) and LIMIT_MS (20, for the 99th
# percentile) may be set.  Each answer waits for one durable commit, which up to
# all clients share; the rate of single commits is what pg_test_fsync says.
. "$(dirname "$0")/cluster.sh"

clients=${CLIENTS:-64}
threads=${THREADS:-2}
seconds=${SECONDS_OF_LOAD:-20}
limit=${LIMIT_MS:-20}

# measure NAME SCRIPT: runs it and prints tps, mean and percentiles.
measure()
{
	rm -f "$base"/log.*
	(cd "$base" && pgbench -n -M prepared -c "$clients" -j "$threads" -T "$seconds" -l --log-prefix="$base/log" -f "$base/$2" postgres) >"$base/bench" 2>&1
	failed=$?
	sort -n -k3,3 <(cut -d' ' -f1-3 "$base"/log.*) | awk -v name="$1" -v seconds="$seconds" '
		{ t[NR] = $3 / 1000; sum += $3 / 1000 }
		END {
			if (NR)
				printf "%s: %.0f per second, mean %.2f ms, p50 %.2f, p95 %.2f, p99 %.2f, most %.2f ms\n", name, NR / seconds,
					sum / NR, t[int(NR * 0.5) + 1], t[int(NR * 0.95) + 1], t[int(NR * 0.99) + 1], t[NR]
		}' | tee "$base/figures" | sed 's/^/# /'
}

make_cluster main || bail "no cluster"
sql "$fixture"
sql "CREATE TABLE plain (i int); INSERT INTO plain VALUES (1)"
echo "SELECT dp_count(true, 0.000001) FROM people;" >"$base/ask.sql"
echo "SELECT count(*) FROM people;" >"$base/exact.sql"
echo "INSERT INTO plain VALUES (1);" >"$base/commit.sql"
chmod 644 "$base"/*.sql
echo "# $clients clients on $(nproc) processors, load before: $(cut -d' ' -f1-3 /proc/loadavg)"
as_server timeout 20 pg_test_fsync -s 1 -f "$base/main/fsync" 2>/dev/null | sed -n '/using one 8kB/,/^$/{s/^ *fdatasync */fdatasync of 8 kB: /p}' | head -1 | sed 's/^/# /' # clock: measured
sql "$ask" >/dev/null
measure "exact counts, nothing charged" exact.sql
measure "a commit of one's own for each" commit.sql
before=$(sql "SELECT charges FROM dpsens.purse WHERE role = 0")
measure "private counts" ask.sql
ok "$failed" "no client failed"
[ "$failed" = 0 ] || sed 's/^/# /' "$base/bench" | tail -5
p99=$(sed 's/.*p99 \([0-9.]*\),.*/\1/' "$base/figures")
ok "$(awk -v p="$p99" -v l="$limit" 'BEGIN { print !(p < l) }')" "99 in 100 answers take less than $limit ms ($p99)"
is "$(sql "SELECT charges FROM dpsens.purse WHERE role = 0")" "$((before + $(cat "$base"/log.* | wc -l)))" "each is charged once"
finish
