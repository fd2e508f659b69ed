#!/usr/bin/env bash
# replicas.sh
#	Two kinds of copies of a database, on servers of their own.  A standby whose way to its primary is cut while a statement is charged:
#	an answer that was charged, or none, and no word of where the primary is.  A logical replica, which is another database: what
#	is declared and granted on the publisher is neither there nor counted there, and a ledger that is published closes that of the replica.
# Files: ledger/primary/link.c, ledger/primary/primary_charge.c, ledger/keep.c, ledger/origin.c.
. "$(dirname "$0")/cluster.sh"
here=$(cd "$(dirname "$0")" && pwd)

can_copy || { echo "1..0 # SKIP pg_basebackup of the server's major is not here"; exit 0; }

first_port=$((10000 + RANDOM % 20000))
declare -A port=([main]=$first_port [standby]=$((first_port + 1)) [replica]=$((first_port + 2)) [way]=$((first_port + 3)))

# on NODE QUERY, as NODE ROLE QUERY
on()
{
	PGPORT=${port[$1]} sql "$2"
}
as()
{
	PGPORT=${port[$1]} sql "SET ROLE $2; $3"
}
node_says()
{
	[ "$(on "$1" "$2")" = t ]
}
catch_up()
{
	local there
	there=$(on main "SELECT pg_current_wal_insert_lsn()")
	wait_until node_says standby "SELECT pg_last_wal_replay_lsn() >= '$there'"
}

PGPORT=${port[main]}
make_cluster main "listen_addresses = '127.0.0.1'" "max_wal_senders = 8" "wal_level = logical" "dpsens.ledger_idle_timeout = '1h'" "dpsens.ledger_timeout = '${HUNG}s'" "dpsens.max_failures = 0" || bail "no primary"
made=$(sql "$fixture
CREATE ROLE ana; CREATE ROLE ben; CREATE ROLE answers LOGIN;
GRANT EXECUTE ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) TO answers;
DO \$\$ BEGIN PERFORM dpsens.grant_budget('people', 'ana', 1000000), dpsens.grant_budget('people', 'ben', 2); END \$\$;")
[ -z "$made" ] || bail "no tables: $made"
as_server env PGPORT="${port[main]}" pg_basebackup -h "$base" -U postgres -c fast -R -D "$base/standby" >/dev/null 2>&1 || bail "no copy"
PGPORT=${port[standby]} start_cluster standby || bail "no standby: $(tail -3 "$base/standby.log")"
catch_up

# ---- the way to the primary ----

exec {way}> >(perl "$here/cut.pl" "${port[way]}" "${port[main]}" "$base/way" 2>"$base/way.log")
network()
{
	echo "$1" >&"$way"
	wait_until grep -qsx "$1" "$base/way"
}
network passes
on standby "ALTER SYSTEM SET dpsens.primary_conninfo = 'host=127.0.0.1 port=${port[way]} user=answers'" >/dev/null
on standby "SELECT pg_reload_conf()" >/dev/null
wait_until node_says standby "SELECT current_setting('dpsens.primary_conninfo') ~ 'answers'"

count="SELECT dp_count(true, 60.0) FROM people"
asked="ERROR: the primary could not be asked to charge the statement"
charges() { on main "SELECT coalesce(sum(charges), 0) FROM dpsens.purse WHERE role = 'ana'::regrole"; }
begins()
{
	PGPORT=${port[standby]} PGAPPNAME=asks psql -XAtq -c "SET ROLE ana; ${1:-}$count" >"$base/said" 2>&1 &
	asks=$!
}
first_line() { sed -n 's/^.*ERROR: */ERROR: /p' "$base/said" | head -1; }
detail() { sed -n 's/^DETAIL: *//p' "$base/said"; }
quiet() { grep -ci "127\.0\|${port[main]}\|${port[way]}\|answers\|socket\|reset\|closed" "$base/said"; }
# one after the other and at once: a room that is left with half a question would answer another, or nobody
goes_on()
{
	local n before
	before=$(charges)
	for n in 1 2 3; do
		as standby ana "$count" >"$base/next$n" &
	done
	# shellcheck disable=SC2046
	wait $(jobs -p | tail -3)
	is "$(cat "$base/next1" "$base/next2" "$base/next3" | tr '\n' ' ')$(charges)" "100 100 100 $((before + 3))" "then three are answered and charged"
}
hold_ledger()
{
	wait_until node_says main "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'"
	ledger=$(on main "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'")
	kill -STOP "$ledger"
}
# sent: a request that has reached the primary, whose ledger stands still
sent()
{
	hold_ledger
	begins
	wait_until node_says main "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'answers' AND wait_event = 'dpsens_ledger')"
}

is "$(as standby ana "$count")" 100 "a standby is answered for by way of the network"
before=$(charges)
network breaks
begins
wait "$asks"
is "$(first_line)|$(detail)|$(quiet)" "$asked|Nothing was charged.|0" "where that is broken nothing is asked"
is "$(charges)" "$before" "nor charged"
network passes
goes_on

before=$(charges)
sent
network breaks
wait "$asks"
is "$(first_line)|$(detail)|$(quiet)" "$asked|The request may have been charged nevertheless.|0" "a network that breaks while the primary charges is no answer"
kill -CONT "$ledger"
wait_until node_says main "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'answers')"
is "$(charges)" "$((before + 1))" "which the primary does, once"
network passes
goes_on

# the charge is there, and the reply on its way
before=$(charges)
sent
network holds
kill -CONT "$ledger"
wait_until node_says main "SELECT coalesce(sum(charges), 0) = $before + 1 FROM dpsens.purse WHERE role = 'ana'::regrole"
is "$(cat "$base/said")" "" "a reply that does not come is waited for"
network breaks
wait "$asks"
is "$(first_line)|$(detail)|$(quiet)" "$asked|The request may have been charged nevertheless.|0" "and is no answer when it cannot come"
is "$(charges)" "$((before + 1))" "it was charged once"
network passes
goes_on

# late is as good as soon
before=$(charges)
sent
network holds
kill -CONT "$ledger"
wait_until node_says main "SELECT coalesce(sum(charges), 0) = $before + 1 FROM dpsens.purse WHERE role = 'ana'::regrole"
network passes
wait "$asks"
is "$(cat "$base/said")" 100 "one that comes late is an answer"
is "$(charges)" "$((before + 1))" "of one charge"

# the request itself does not arrive
before=$(charges)
network holds
begins
wait_until node_says standby "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'active')"
on standby "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'asks'" >/dev/null
wait "$asks"
is "$(first_line)" "ERROR: canceling statement due to user request" "a statement whose request is on its way is cancelled"
network breaks
network passes
like "$(($(charges) - before))" "[01]" "and charged at most once"
goes_on
before=$(charges)
network holds
begins "SET dpsens.ledger_timeout = 100; " # clock: what is held does not come
wait "$asks"
like "$(first_line)|$(quiet)" "ERROR: the primary did not charge the statement within 100 ms|0" "or gives up"
network breaks
network passes
like "$(($(charges) - before))" "[01]" "charged at most once"
goes_on
PGPORT=${port[standby]} stop_cluster standby

# ---- a logical replica ----

PGPORT=${port[replica]} make_cluster replica "wal_level = logical" "dpsens.max_failures = 0" || bail "no replica"
on main "CREATE PUBLICATION shown FOR TABLE people" >/dev/null
on main "ALTER TABLE people REPLICA IDENTITY FULL" >/dev/null
on replica "CREATE EXTENSION dpsens; CREATE ROLE ana; CREATE ROLE ben; CREATE TABLE people (age float8 NOT NULL, sex text)" >/dev/null
follow="CONNECTION 'host=$base port=${port[main]} dbname=postgres user=postgres'"
PGPORT=${port[replica]} psql -Xq -c "CREATE SUBSCRIPTION shown $follow PUBLICATION shown" >/dev/null 2>&1
# replicated ROWS
replicated() { wait_until node_says replica "SELECT count(*) = $1 FROM people"; }
replicated 100
is "$(on replica "SELECT count(*) FROM pg_seclabels WHERE provider = 'dpsens' AND label ~ 'PROTECTED'"), $(on replica "SELECT count(*) FROM dpsens.budgets")" "0, 0" "a logical replica has the rows, and neither what is declared nor what is granted"
before=$(charges)
is "$(as replica ana "$count")" "ERROR: relation \"people\" is not protected" "who has a budget on the publisher has none there"
on replica "GRANT SELECT ON people TO ben" >/dev/null
is "$(as replica ben "SELECT count(*) FROM people")" 100 "rights are the replica's own"
on replica "REVOKE SELECT ON people FROM ben; SELECT dpsens.protect('people'), dpsens.set_range('people', 'age', 0, 99), dpsens.grant_budget('people', 'ana', 1000), dpsens.grant_budget('people', 'ben', 2)" >/dev/null
is "$(as replica ana "$count")" 100 "what is declared and granted there is in force there"
is "$(charges), $(on replica "SELECT sum(charges) FROM dpsens.purse WHERE role = 'ana'::regrole")" "$before, 1" "from a purse that is the replica's own"
spend="SELECT dp_count(true, 1.5) IS NOT NULL FROM people"
is "$(as main ben "$spend"), $(as replica ben "$spend")" "t, t" "so a person who is in both pays in both"
like "$(as main ben "$spend")" "ERROR: the privacy budget of role \"ben\"*" "and each knows of its own"
like "$(as replica ben "$spend")" "ERROR: the privacy budget of role \"ben\"*" "alone"
on main "INSERT INTO people SELECT 50, 'F' FROM generate_series(1, 10); DELETE FROM people WHERE age < 5" >/dev/null
replicated 105
is "$(as replica ana "$count")" 105 "rows that come and go are counted"
on main "INSERT INTO people VALUES (1e9, 'F')" >/dev/null
replicated 106
is "$(on replica "SET dpsens.noise = off; SET dpsens.debug_restricted = on; SELECT dp_sum(age, 1) <= (SELECT sum(age) FROM people WHERE age < 100) + 99 FROM people" | grep -v WARNING)" t "and clamped to what is declared there, whatever the publisher let in"

# A ledger that comes with all tables is another database's.
on main "CREATE PUBLICATION everything FOR ALL TABLES" >/dev/null
is "$(on main "SELECT dp_count(true, 60.0) >= 0 FROM people")" t "a database whose tables are all published answers"
is "$(on main "SELECT dpsens.grant_budget('people', 'ana', 1000001); SELECT dpsens.set_range('people', 'age', 0, 120); SELECT dpsens.revoke_budget('people', 'ben'); SELECT dpsens.grant_budget('people', 'ben', 2); SELECT 'done'" | tr -d '\n')" "done" "and changes what it has granted"
before=$(on replica "SELECT sum(spent_epsilon) FROM dpsens.purse")
PGPORT=${port[replica]} psql -Xq -c "ALTER SUBSCRIPTION shown SET PUBLICATION everything" >/dev/null 2>&1
wait_until node_says replica "SELECT NOT EXISTS (SELECT FROM dpsens.ledger_origin)"
is "$(as replica ana "$count")" "ERROR: the privacy ledger was charged in another database" "what is copied into a ledger closes it"
is "$(on replica "SELECT sum(spent_epsilon) >= $before FROM dpsens.purse")" t "and gives nothing back"

finish
