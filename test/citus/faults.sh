#!/usr/bin/env bash
# faults.sh
#	What becomes of a statement, and of its charge, when servers die, the network is cut or a shard moves, for a role without SELECT and
#	for one with: a right answer or an error, charged at most once and never less than drawn, and no word of where or why to the former.
#	Afterwards neither a connection nor a room is kept, and the next statement is answered.  Nodes are asked through
#	cut.pl, which is the network.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/room_states.c, guard/distributed/distributed_run.c, room/room.c
NODE_MESSAGES=log
MORE_NODE_SETTINGS=("log_line_prefix = '%p %u %a| '" "dpsens.clean_rooms = 2" "dpsens.max_failures = 0" "dpsens.ledger_idle_timeout = 1h" "dpsens.ledger_timeout = '${HUNG:-300}s'" "citus.defer_shard_delete_interval = -1")
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner; CREATE ROLE analyst LOGIN" >/dev/null
as c owner "CREATE TABLE asked (id int PRIMARY KEY, age float8 NOT NULL); INSERT INTO asked SELECT i, i % 100 FROM generate_series(1, 1000) i; SELECT create_distributed_table('asked', 'id'); SELECT truncate_local_data_after_distributing_table('asked')" >/dev/null
on c "VACUUM asked" >/dev/null
as c owner "SELECT dpsens.protect('asked'), dpsens.set_range('asked', 'age', 0, 99), dpsens.set_budget('asked', epsilon => 100000, delta => 0.01), dpsens.grant_budget('asked', 'analyst', epsilon => 50000)" >/dev/null

# ---- the network ----

declare -A way
for node in w1 w2; do
	exec {order}> >(perl "$here/../crash/cut.pl" $((port[$node] + 10)) "${port[$node]}" "$base/$node.way" 2>"$base/$node.way.log")
	way[$node]=$order
done
# network NODE WHAT
network()
{
	echo "$2" >&"${way[$1]}"
	wait_until grep -qsx "$2" "$base/$1.way"
}
for node in w1 w2; do
	network $node passes
	on c "SELECT citus_update_node(nodeid, '127.0.0.1', ${port[$node]} + 10) FROM pg_dist_node WHERE nodeport = ${port[$node]}" >/dev/null
done
PGPORT=${port[c]} wait_for "SELECT count(*) = 2 FROM pg_dist_node WHERE nodeport IN (${port[w1]} + 10, ${port[w2]} + 10) AND metadatasynced"
is "$(on c "SELECT string_agg(DISTINCT (nodeport - 10)::text, ' ') FROM pg_dist_shard_placement")" "${port[w1]} ${port[w2]}" "nodes are asked by the network that can be cut"

# ---- servers ----

# All processes of a node at once; the machine that it is on has failed.
kill_node()
{
	local postmaster pids
	postmaster=$(head -1 "$base/$1/postmaster.pid")
	kill -STOP "$postmaster"
	pids="$postmaster $(children "$postmaster")"
	# shellcheck disable=SC2086
	kill -STOP $pids 2>/dev/null
	# shellcheck disable=SC2086
	kill -KILL $pids 2>/dev/null
	wait_until is_gone "$postmaster"
	rm -f "$base/$1/postmaster.pid"
}
starts() { PGPORT=${port[$1]} start_cluster "$1" 2>/dev/null; }
back() { wait_until starts "$1" || bail "node $1 does not start again: $(tail -3 "$base/$1.log")"; }

# ---- what is looked at ----

# of noise of some 1 / 40
question="SELECT dp_count(true, 40)::float8 FROM asked"
answer="1000"
# answered FILE: an answer, which is right
answered() { [[ $(grep -v '^SET$' "$1") =~ ^[0-9.]+$ ]] && awk '{ exit !($1 > 998 && $1 < 1002) }' "$1"; }
says() { answered "$1" && echo "$answer" || cat "$1"; }
epsilon() { on c "SELECT coalesce(sum(epsilon), 0) FROM dpsens.release WHERE relation = 'asked'::regclass"; }
# more BEFORE: how often it was charged since
more() { on c "SELECT trim_scale(($(epsilon) - $1) / 40)"; }
# quiet FILE: what the role is told has no place, address, port, shard or row in it
quiet() { grep -ci "w[12]\b\|127\.0\|localhost\|${port[w1]}\|${port[w2]}\|$((port[w1] + 10))\|$((port[w2] + 10))\|asked_[0-9]\|remote\|snapshot\|socket\|key (" "$1"; }
connections() { for node in w1 w2; do on $node "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('owner', 'analyst')"; done | tr '\n' ' '; }
no_connection() { [ "$(connections)" = "0 0 " ]; }
# Both rooms are free, and hold nothing.
nothing_is_left()
{
	local n
	wait_until no_connection
	is "$(connections)" "0 0 " "no connection is left $1"
	for n in 1 2; do
		as c analyst "$question" >"$base/next$n" &
	done
	# shellcheck disable=SC2046
	wait $(jobs -p | tail -2)
	is "$(says "$base/next1") $(says "$base/next2")" "$answer $answer" "and two rooms answer the next ones"
	wait_until no_connection
}

# charged ROLE [STATEMENT]: a statement of this role that has been charged, and has not been answered by w1; `asks` is its client's process
begins()
{
	PGPORT=${port[c]} PGUSER=$1 PGAPPNAME=asks PGOPTIONS="-c client_min_messages=warning" psql -XAtq -c "${2:-$question}" >"$base/said" 2>&1 &
	asks=$!
}
# asks_for_charge ROLE: it waits for the ledger, and its room has asked nodes for no row
asks_for_charge()
{
	releases=$(on c "SELECT count(*) FROM dpsens.release")
	hold_ledger
	begins "$@"
	wait_for_charge
}
charged()
{
	asks_for_charge "$@"
	network w1 holds
	free_ledger
	PGPORT=${port[c]} wait_for "SELECT count(*) > $releases FROM dpsens.release"
}
failed="ERROR: the private answers of the statement could not be computed"
not_asked="ERROR: a node that has shards of distributed table \"asked\" could not be asked"
first_line() { sed -n 's/^.*\(ERROR\|FATAL\): */\1: /p' "$base/said" | head -1; }

as c analyst "$question" >"$base/said"
is "$(says "$base/said")" "$answer" "a statement is answered"
nothing_is_left "behind it"

# ---- a node that is killed ----

before=$(epsilon)
kill_node w1
as c analyst "$question" >"$base/said"
is "$(first_line)" "$not_asked" "a node that was killed before is an error"
is "$(quiet "$base/said"), $(more "$before")" "0, 0" "which says no more, before the charge"
back w1
nothing_is_left "when it is back"

for how in killed "shut down" "killed in one process" "ended in its processes" "cancelled in one process"; do
	before=$(epsilon)
	charged analyst
	case $how in
		killed) kill_node w1 ;;
		"shut down") PGPORT=${port[w1]} stop_cluster w1 fast ;;
		"killed in one process") kill -KILL "$(on w1 "SELECT min(pid) FROM pg_stat_activity WHERE usename = 'owner'")" ;;
		# all: of several connections, one may have been left without a question
		"ended in its processes") on w1 "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'owner'" >/dev/null ;;
		"cancelled in one process") on w1 "SELECT pg_cancel_backend(min(pid)) FROM pg_stat_activity WHERE usename = 'owner'" >/dev/null ;;
	esac
	network w1 passes
	wait "$asks"
	if [ "$how" = "cancelled in one process" ]; then
		# it waits for the room, and is cancelled by nothing
		is "$(says "$base/said")" "$answer" "a node's process that is $how while it waits is none that fails"
	else
		is "$(first_line)" "$failed" "a node that is $how during the answer is an error"
	fi
	is "$(quiet "$base/said"), $(more "$before")" "0, 1" "which says no more, charged once"
	[ -f "$base/w1/postmaster.pid" ] || back w1
	PGPORT=${port[w1]} wait_for "SELECT true"
	nothing_is_left "when it was $how"
done

# before the charge, while it waits for a lock there
shard=$(on w1 "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^asked_[0-9]+\$'")
for how in pg_terminate_backend pg_cancel_backend; do
	exec {shards}> >(PGPORT=${port[w1]} psql -XAtq >/dev/null 2>&1)
	echo "SET citus.enable_manual_changes_to_shards = on; SET citus.override_table_visibility = off; BEGIN; LOCK TABLE $shard IN ACCESS EXCLUSIVE MODE;" >&"$shards"
	PGPORT=${port[w1]} wait_for "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = '$shard'::regclass AND granted AND mode = 'AccessExclusiveLock')"
	before=$(epsilon)
	begins analyst
	PGPORT=${port[w1]} wait_for "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = '$shard'::regclass AND NOT granted)"
	on w1 "SELECT $how(pid) FROM pg_locks WHERE relation = '$shard'::regclass AND NOT granted" >/dev/null
	wait "$asks"
	is "$(first_line)" "$not_asked" "$how of a node's process before the charge is an error of the node, and not of the session"
	is "$(quiet "$base/said"), $(more "$before")" "0, 0" "which says no more, and costs nothing"
	exec {shards}>&-
	PGPORT=${port[w1]} wait_for "SELECT NOT EXISTS (SELECT FROM pg_locks WHERE relation = '$shard'::regclass)"
	nothing_is_left "behind it"
done

before=$(epsilon)
exec {session}> >(PGPORT=${port[c]} PGUSER=analyst PGOPTIONS="-c client_min_messages=warning" psql -XAtq >"$base/session" 2>&1)
echo "BEGIN; $question;" >&"$session"
wait_until test -s "$base/session"
kill_node w1
echo "$question; ROLLBACK; SELECT 'over';" >&"$session"
wait_until grep -q over "$base/session"
exec {session}>&-
head -1 "$base/session" >"$base/said"
is "$(says "$base/said")" "$answer" "an answer is given before a node is killed"
tail -n +2 "$base/session" >"$base/said"
is "$(first_line)" "$not_asked" "after which there is none"
is "$(quiet "$base/said"), $(more "$before")" "0, 1" "the one was charged, the other not, though their transaction has ended with nothing"
back w1
nothing_is_left "of either"

# ---- the coordinator is killed ----

before=$(epsilon)
asks_for_charge analyst
kill_node c
wait "$asks"
is "$(grep -c '^[0-9.]*$' "$base/said"), $(quiet "$base/said")" "0, 0" "a coordinator that is killed during a charge answers nothing"
back c
like "$(more "$before")" "[01]" "and has charged it once or not"
nothing_is_left "on nodes"

before=$(epsilon)
charged analyst
kill_node c
wait "$asks"
is "$(grep -c '^[0-9.]*$' "$base/said"), $(quiet "$base/said")" "0, 0" "one that is killed behind the charge answers nothing"
network w1 passes
back c
is "$(more "$before")" 1 "and the charge is still there"
nothing_is_left "on nodes"

# its postmaster alone: the others find out by themselves
before=$(epsilon)
charged analyst
postmaster=$(head -1 "$base/c/postmaster.pid")
kill -KILL "$postmaster"
network w1 breaks
wait "$asks"
network w1 passes
rm -f "$base/c/postmaster.pid"
back c
is "$(grep -c '^[0-9.]*$' "$base/said")" 0 "a room whose postmaster is killed answers nothing"
is "$(more "$before")" 1 "and the charge is still there"
nothing_is_left "on nodes"

# ---- the network is cut ----

before=$(epsilon)
network w1 breaks
as c analyst "$question" >"$base/said"
is "$(first_line)" "$not_asked" "a node that cannot be reached is an error"
is "$(quiet "$base/said"), $(more "$before")" "0, 0" "which says no more, before the charge"
network w1 passes
nothing_is_left "when it can be"

before=$(epsilon)
charged analyst
network w1 breaks
wait "$asks"
is "$(first_line)" "$failed" "a network that breaks during the answer is an error"
is "$(quiet "$base/said"), $(more "$before")" "0, 1" "which says no more, charged once"
network w1 passes
nothing_is_left "behind it"

# Nothing comes, and nothing ends: the session is let go, and the room when the network is there again, or is known not to be.
for then in breaks passes; do
	before=$(epsilon)
	network w1 holds
	begins analyst
	PGPORT=${port[c]} wait_for "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'active')"
	on c "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'asks'" >/dev/null
	wait "$asks"
	is "$(first_line)" "ERROR: canceling statement due to user request" "a statement that waits for a network is cancelled"
	is "$(more "$before")" 0 "before the charge for nothing"
	network w1 "$then"
	network w1 passes
	nothing_is_left "when it $then"

	before=$(epsilon)
	charged analyst
	on c "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'asks'" >/dev/null
	wait "$asks"
	is "$(first_line)" "ERROR: canceling statement due to user request" "and behind the charge"
	is "$(more "$before")" 1 "for its price"
	network w1 "$then"
	network w1 passes
	nothing_is_left "when it $then"
done

# ---- a shard moves ----

# moves: a shard of w1 to the other node and what stays of it away, of a statement between what was asked for no row and what it was charged for
place() { on c "SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = ${shard#asked_}"; }
moves()
{
	local from to
	from=$(place)
	to=$((from == port[w1] + 10 ? port[w2] + 10 : port[w1] + 10))
	on c "SELECT citus_move_shard_placement(${shard#asked_}, '127.0.0.1', $from, '127.0.0.1', $to, '$1')" >"$base/moved"
}
for mode in block_writes force_logical; do
	for role in analyst owner; do
		from=$(place)
		before=$(epsilon)
		asks_for_charge $role
		moves $mode
		isnt_there=$(place)
		free_ledger
		wait "$asks"
		is "$([ "$isnt_there" != "$from" ] && echo moved)" moved "a shard moves ($mode) while the charge of the $role is waited for"
		# the room's transactions on nodes are older than the shard
		if [ $role = owner ]; then
			is "$(says "$base/said")" "$answer" "which is followed by a right answer"
		else
			is "$(first_line)" "$failed" "which is followed by an error"
		fi
		is "$(more "$before")" 1 "charged once"
		[ $role = owner ] || is "$(quiet "$base/said")" 0 "without a word of where"
		on c "CALL citus_cleanup_orphaned_resources()" >/dev/null
		nothing_is_left "behind it"
	done
done

# in a transaction that reads as of its beginning
for role in owner analyst; do
	before=$(epsilon)
	exec {session}> >(PGPORT=${port[c]} PGUSER=$role PGOPTIONS="-c client_min_messages=warning" psql -XAtq >"$base/session" 2>&1)
	echo "BEGIN ISOLATION LEVEL REPEATABLE READ; $question;" >&"$session"
	wait_until test -s "$base/session"
	moves block_writes
	echo "$question; ROLLBACK; $question; SELECT 'over';" >&"$session"
	wait_until grep -q over "$base/session"
	exec {session}>&-
	grep -v "HINT\|over" "$base/session" >"$base/said"
	is "$(first_line)" "ERROR: shards of distributed table \"asked\" have moved since the transaction began" "a transaction that is older than a shard is told ($role)"
	is "$(quiet "$base/said"), $(more "$before")" "0, 2" "before the charge, and its answers before and after are charged"
	for n in 1 3; do
		sed -n ${n}p "$base/said" >"$base/next1"
		is "$(says "$base/next1")" "$answer" "and right"
	done
	on c "CALL citus_cleanup_orphaned_resources()" >/dev/null
	nothing_is_left "behind it"
done

# while nodes compute
from=$(place)
other=$([ "$from" = $((port[w1] + 10)) ] && echo w1 || echo w2)
before=$(epsilon)
asks_for_charge analyst
network $other holds
free_ledger
PGPORT=${port[c]} wait_for "SELECT count(*) > $releases FROM dpsens.release"
network $other passes
moves block_writes
wait "$asks"
if answered "$base/said"; then ok 0 "a shard that moves meanwhile is counted once"; else is "$(first_line)" "$failed" "a shard that moves meanwhile is an error"; fi
is "$(quiet "$base/said"), $(more "$before")" "0, 1" "charged once"
on c "CALL citus_cleanup_orphaned_resources()" >/dev/null
nothing_is_left "behind it"

# ---- roles with SELECT ----

# who may read the table is told more, and is charged alike
for how in killed "cut off"; do
	before=$(epsilon)
	charged owner
	if [ "$how" = killed ]; then kill_node w1; else network w1 breaks; fi
	network w1 passes
	wait "$asks"
	if answered "$base/said"; then ok 0 "a node that is $how has answered the owner before"; else like "$(first_line)" "ERROR: *" "a node that is $how is an error for the owner"; fi
	is "$(more "$before")" 1 "who is charged once"
	[ -f "$base/w1/postmaster.pid" ] || back w1
	wait_until no_connection
	is "$(as c owner "SELECT dp_count(true, 40) BETWEEN 998 AND 1002 FROM asked")" t "and answered afterwards"
done

before=$(epsilon)
charged owner
kill_node c
wait "$asks"
network w1 passes
back c
is "$(grep -c '^[0-9.]*$' "$base/said"), $(more "$before")" "0, 1" "a coordinator that is killed behind the owner's charge has charged it"
nothing_is_left "on nodes"

# ---- the same table ----

is "$(on c "SELECT count(*), sum(age) FROM asked")" "1000|49500" "all rows are there"
is "$(on c "SELECT count(*) FROM pg_dist_transaction"), $(for node in c w1 w2; do on $node "SELECT count(*) FROM pg_prepared_xacts"; done | tr '\n' ' ')" "0, 0 0 0 " "no transaction is left between nodes"

echo "1..$tests"
exit $((failures > 0))
