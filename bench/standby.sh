#!/usr/bin/env bash
# standby.sh
#	What it costs that a primary charges for its standby: the same statements on a primary and on
#	a hot standby beside it, in turns. Prints a table, and writes the same as JSON to
#	build/bench/standby.json.  It ends with status 1 if a charge on the standby takes over MOST (3) ms more.
#
# BINDIR is where the server's programs are; the extension is installed.
. "$(dirname "$0")/../test/crash/cluster.sh"

: "${TURNS:=5}" "${VISITS:=400}" "${MOST:=3}"

declare -A port=([main]=54321 [standby]=54322)
result=${1:-build/bench/standby.json}

make_cluster main "max_wal_senders = 4" || bail "no primary"
sql "$fixture
CREATE ROLE ana LOGIN; CREATE ROLE answers LOGIN;
GRANT EXECUTE ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) TO answers;
DO \$\$ BEGIN PERFORM dpsens.grant_budget('people', 'ana', 1000000); END \$\$;"
as_server pg_basebackup -h "$base" -U postgres -c fast -R -D "$base/standby" >/dev/null 2>&1 || bail "no copy"
echo "dpsens.primary_conninfo = 'host=$base port=${port[main]} user=answers'" | as_server tee -a "$base/standby/postgresql.conf" >/dev/null
PGPORT=${port[standby]} start_cluster standby || bail "no standby"

echo "SELECT dp_count(true, 0.01) FROM people;" >"$base/charged"
chmod 644 "$base/charged"

# milliseconds NODE USER: of a statement, on average
milliseconds()
{
	PGPORT=${port[$1]} PGUSER=$2 pgbench -n -c 1 -t "$VISITS" -f "$base/charged" postgres 2>/dev/null | awk '/^latency average/ { print $4 }'
}

middle()
{
	sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row NAME USER
row()
{
	local turn
	milliseconds main "$2" >/dev/null
	milliseconds standby "$2" >/dev/null
	for ((turn = 0; turn < TURNS; turn++)); do
		milliseconds main "$2" >>"$base/$1.main"
		milliseconds standby "$2" >>"$base/$1.standby"
	done
	here=$(middle <"$base/$1.main")
	there=$(middle <"$base/$1.standby")
	printf '%-24s %8.2f %8.2f %8.2f\n' "$1" "$here" "$there" "$(awk "BEGIN { print $there - $here }")"
	rows+=("{\"name\": \"$1\", \"primary_ms\": $here, \"standby_ms\": $there}")
	awk "BEGIN { exit !($there - $here <= $MOST) }" || missed+=("$1")
}

rows=()
missed=()
printf '%-24s %8s %8s %8s\n' "ms for each statement" primary standby more
row clean-room ana
row session postgres

# The first statement of a session has a connection to make, and catalogs to look at.
first()
{
	PGPORT=${port[$1]} PGUSER=$2 pgbench -n -C -c 1 -t 50 -f "$base/charged" postgres 2>/dev/null | awk '/^latency average/ { print $4 }'
}
here=$(first main postgres)
there=$(first standby postgres)
printf '%-24s %8.2f %8.2f %8.2f\n' first "$here" "$there" "$(awk "BEGIN { print $there - $here }")"
rows+=("{\"name\": \"first\", \"primary_ms\": $here, \"standby_ms\": $there}")

# after NODE: in a session, when a table was made on the primary
after()
{
	local i
	for ((i = 0; i < 20; i++)); do
		echo "\\! PGPORT=${port[main]} psql -Xqc 'CREATE TABLE made_$1_$i ()'; sleep 0.2"
		echo '\timing on'
		echo "SELECT dp_count(true, 0.01) FROM people;"
		echo '\timing off'
	done | PGPORT=${port[$1]} psql -XAtq -d postgres | awk '/^Time/ { print $2 }' | middle
}
here=$(after main)
there=$(after standby)
printf '%-24s %8.2f %8.2f %8.2f\n' after-a-change "$here" "$there" "$(awk "BEGIN { print $there - $here }")"
rows+=("{\"name\": \"after-a-change\", \"primary_ms\": $here, \"standby_ms\": $there}")

mkdir -p "$(dirname "$result")"
(
	IFS=,
	echo "{\"turns\": $TURNS, \"visits\": $VISITS, \"rows\": [${rows[*]}]}"
) >"$result"

[ ${#missed[@]} -eq 0 ] || echo "missed: over $MOST ms more: ${missed[*]}"
[ ${#missed[@]} -eq 0 ] || exit 1
echo "all goals are met"
