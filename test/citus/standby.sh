#!/usr/bin/env bash
# standby.sh
#	A hot standby of a coordinator of Citus answers about distributed tables what its primary charges: the same exact sums, once, from the
#	same budgets, and only by the declarations, places of shards and nodes that the primary has; nodes are the primary ones, or, as Citus
#	is told, standbys of them.  What becomes of charges when a node, the primary or its promotion comes between.  BINDIR is
#	where a server's programs are that has both extensions.
#
#	Files: ledger/primary/catalogs.c, ledger/primary/primary_charge.c, ledger/budget/sql_charge_for_standby.c, glue/citus.c
. "$(dirname "${BASH_SOURCE[0]}")/../crash/cluster.sh"
can_copy || { echo "1..0 # SKIP pg_basebackup of the server's major is not here"; exit 0; }
clean_up
MORE_NODE_SETTINGS=("dpsens.clean_rooms = 2" "dpsens.max_failures = 0" "dpsens.ledger_idle_timeout = 1h" "dpsens.ledger_timeout = '${HUNG:-300}s'" "citus.defer_shard_delete_interval = -1" "hot_standby_feedback = on") # clock: the ledger's process stays, and is waited for
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"
port[s]=$((first_port + 3)) port[w1s]=$((first_port + 4)) port[w2s]=$((first_port + 5))

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner; CREATE ROLE analyst LOGIN; CREATE ROLE answers LOGIN" >/dev/null
on c "GRANT EXECUTE ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) TO answers" >/dev/null
as c owner "CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, sex text NOT NULL); CREATE TABLE stays (id int, patient int NOT NULL, cost float8); CREATE TABLE habits (id int PRIMARY KEY, town text NOT NULL); CREATE TABLE sexes (sex text PRIMARY KEY, name text NOT NULL)" >/dev/null
as c owner "SELECT create_distributed_table('people', 'id'), create_distributed_table('stays', 'patient', colocate_with => 'people'), create_distributed_table('habits', 'id', colocate_with => 'people'), create_reference_table('sexes')" >/dev/null
as c owner "INSERT INTO people SELECT i, i % 100, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END FROM generate_series(1, 1000) i; INSERT INTO stays SELECT i, 1 + i % 997, i % 50 FROM generate_series(1, 4000) i; INSERT INTO habits SELECT i, CASE WHEN i % 3 = 1 THEN 'here' ELSE 'there' END FROM generate_series(1, 1100) i; INSERT INTO sexes VALUES ('F', 'female'), ('M', 'male')" >/dev/null
as c owner "SELECT dpsens.protect('people', unit => 'id'), dpsens.set_range('people', 'age', 0, 99), dpsens.set_values('people', 'sex', 'F', 'M'), dpsens.protect('stays', unit => 'patient', max_rows => 3), dpsens.set_range('stays', 'cost', 0, 50), dpsens.set_public('habits'), dpsens.set_public('sexes')" >/dev/null
as c owner "SELECT dpsens.grant_budget('people', 'analyst', epsilon => 50000, delta => 0.005), dpsens.grant_budget('stays', 'analyst', epsilon => 50000); GRANT SELECT ON habits, sexes TO analyst" >/dev/null

# standby NAME OF: of a running node
standby()
{
	as_server env PGPORT="${port[$2]}" pg_basebackup -h "$base" -U postgres -c fast -R -D "$base/$1" >/dev/null 2>&1 || return
	PGPORT=${port[$1]} start_cluster "$1"
}
# catch_up STANDBY OF: until it has replayed what the other has written by now.
catch_up() { PGPORT=${port[$1]} wait_for "SELECT pg_last_wal_replay_lsn() >= '$(on "$2" "SELECT pg_current_wal_insert_lsn()")'"; }
pause() { on "$1" "SELECT pg_wal_replay_pause()" >/dev/null; PGPORT=${port[$1]} wait_for "SELECT pg_get_wal_replay_pause_state() = 'paused'"; }
resume() { on "$1" "SELECT pg_wal_replay_resume()" >/dev/null; catch_up "$@"; }
set_on()
{
	on "$1" "ALTER SYSTEM SET $2" >/dev/null
	on "$1" "SELECT pg_reload_conf()" >/dev/null
	PGPORT=${port[$1]} wait_for "SELECT current_setting('${2%% *}') = ${2#*= }"
}
standby s c || bail "no standby of the coordinator: $(tail -3 "$base/s.log")"
set_on s "dpsens.primary_conninfo = 'host=$base port=${port[c]} user=answers'"
catch_up s c

# of noise of some 1 / 40
question="SELECT abs(dp_count(true, 40) - 1000) < 5 FROM people"
stale="ERROR: the standby is not up to date with its primary" # clock: none
not_asked="ERROR: a node that has shards of distributed table \"people\" could not be asked"
failed="ERROR: the private answers of the statement could not be computed"
paid() { on c "SELECT count(*), coalesce(sum(epsilon), 0) FROM dpsens.release WHERE relation = 'people'::regclass"; }

# ---- answers ----

is "$(as s analyst "SELECT pg_is_in_recovery(); $question" | tr '\n' ' ')" "t t " "a standby of a coordinator answers an analyst about a distributed table"
is "$(on c "SELECT count(*), max(role_name::text), max(epsilon) FROM dpsens.release")" "1|analyst|40" "whom its primary charges, once"
is "$(as s owner "$question")" t "and the owner"
is "$(paid)" "2|80" "too"
like "$(as s analyst "SELECT count(*) FROM people")" "ERROR: permission denied*" "rows are the owner's"
is "$(as s owner "SELECT count(*) FROM people")" 1000 "who reads them there as Citus lets him"
# alike QUERY [ROLE]: the standby without noise says what its primary says
alike()
{
	local here
	here=$(on s "SET dpsens.noise = off; ${2:-}$1" | grep -v '^WARNING')
	is "$here" "$(on c "SET dpsens.noise = off; ${2:-}$1" | grep -v '^WARNING')" "as of the primary: $1"
	[[ $here == *ERROR* || -z $here ]] || return
	echo "# $here"
	failures=$((failures + 1))
}
for who in "" "SET dpsens.debug_restricted = on; "; do
	alike "SELECT dp_count(true, 1), dp_sum(age, 1), dp_avg(age, 1) FROM people WHERE age > 20" "$who"
	alike "SELECT sex, dp_sum(age, 1), dp_median(age, 1) FROM people GROUP BY sex" "$who"
	alike "SELECT name, dp_sum(age, 1) FROM people JOIN sexes USING (sex) GROUP BY name" "$who"
	alike "SELECT dp_sum(age, 1), dp_sum(cost, 1) FROM stays v JOIN people p ON v.patient = p.id" "$who"
	alike "SELECT dp_count(true, 1) FROM people p WHERE EXISTS (SELECT FROM habits h WHERE h.id = p.id AND h.town = 'here') AND 10 / (id % 7) > 2" "$who"
	alike "SELECT dp_avg(s, 1) FROM (SELECT patient, sum(cost) AS s FROM stays GROUP BY patient) t" "$who"
	alike "PREPARE q (float8) AS SELECT dp_sum(age, 1) FROM people WHERE age < \$1; EXECUTE q (50); EXECUTE q (20)" "$who"
	alike "BEGIN; DECLARE d CURSOR FOR SELECT sex, dp_count(true, 1) FROM people GROUP BY sex; FETCH 1 FROM d; FETCH ALL FROM d; COMMIT" "$who"
done
releases=$(paid)
refused="ERROR: private answers about distributed table \"stays\" are not supported*"
like "$(as s analyst "SELECT dp_median(cost, 1) FROM stays")" "$refused" "what is refused of distributed tables is refused there"
is "$(paid)" "$releases" "and not charged"
like "$(as s analyst "SELECT * FROM citus_shards")" "ERROR: *" "what Citus counts is as hidden as on the primary"
like "$(as s analyst "SELECT * FROM run_command_on_workers('SELECT 1')")" "ERROR: *" "and what it would run on nodes"
like "$(as s owner "SELECT dpsens.set_range('people', 'age', 0, 50)")" "ERROR: cannot execute*read-only transaction" "declarations are made on the primary"

# Who makes Citus write through the standby, and asks behind it.
writes="SET citus.writable_standby_coordinator = on; BEGIN; INSERT INTO habits VALUES (5000, 'there'); "
on c "GRANT INSERT ON habits TO analyst" >/dev/null
catch_up s c
like "$(as s analyst "${writes}SELECT dp_count(true, 40) FROM people JOIN habits USING (id)")" "ERROR: relation habits was changed or locked in the same transaction" \
	"what Citus has written through the standby is no part of an analyst's answer"
is "$(as c owner "SELECT count(*) FROM habits")" 1100 "and is undone with its transaction"

# Shards on the coordinator itself: a room asks the primary for them, an owner's session reads what has been replayed.
on c "SELECT citus_set_node_property('127.0.0.1', ${port[c]}, 'shouldhaveshards', true)" >/dev/null
as c owner "CREATE TABLE here (id int PRIMARY KEY, age float8 NOT NULL); SELECT create_distributed_table('here', 'id', colocate_with => 'none'); INSERT INTO here SELECT i, i % 100 FROM generate_series(1, 1000) i" >/dev/null
on c "SELECT citus_set_node_property('127.0.0.1', ${port[c]}, 'shouldhaveshards', false)" >/dev/null
is "$(on c "SELECT count(*) > 0 FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE nodeport = ${port[c]} AND logicalrelid = 'here'::regclass")" t "a table has shards on the coordinator"
as c owner "SELECT dpsens.protect('here'), dpsens.set_range('here', 'age', 0, 99), dpsens.grant_budget('here', 'analyst', epsilon => 50000)" >/dev/null
catch_up s c
pause s
as c owner "INSERT INTO here SELECT i, i % 100 FROM generate_series(1001, 3000) i" >/dev/null
is "$(as s analyst "SELECT abs(dp_count(true, 40) - 3000) < 5 FROM here")" t "an analyst is answered of the primary's rows"
is "$(as s owner "SELECT dp_count(true, 40) BETWEEN 1200 AND 2995 FROM here")" t "the owner of what the standby has of them"
resume s c
is "$(as s owner "SELECT abs(dp_count(true, 40) - 3000) < 5 FROM here")" t "until it has all"

# Values of a reference table that are groups are those that have been replayed: nodes join with its rows of now.
by_name="SELECT name, round(dp_count(true, 40)::numeric, -2) FROM people JOIN sexes USING (sex) GROUP BY name ORDER BY name"
pause s
as c owner "UPDATE sexes SET name = 'women' WHERE sex = 'F'" >/dev/null
for who in analyst owner; do
	is "$(as s $who "$by_name" | tr '\n' ' ')" "female|0 male|300 " "a group whose name has changed meanwhile has noise alone, for the $who"
done
is "$(as c owner "$by_name" | tr '\n' ' ')" "male|300 women|700 " "which on the primary has its rows"
resume s c
is "$(as s analyst "$by_name" | tr '\n' ' ')" "male|300 women|700 " "and on the standby once it knows"

# ---- what is no longer in force ----

catch_up s c
pause s
releases=$(paid)
is "$(as s analyst "$question")" t "a standby that lags answers while nothing has changed"
is "$(as s owner "$question")" t "owners, too"
releases=$(paid)
shard=$(on c "SELECT min(shardid) FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE nodeport = ${port[w1]} AND logicalrelid = 'people'::regclass")
# moves FROM TO
moves() { on c "SELECT citus_move_shard_placement($shard, '127.0.0.1', ${port[$1]}, '127.0.0.1', ${port[$2]}, shard_transfer_mode => 'block_writes')" >/dev/null; }
# the places that a node has for the shard
places() { on "$1" "SELECT string_agg(nodeport::text, ' ') FROM pg_dist_shard_placement WHERE shardid = $shard"; }
moves w1 w2
is "$(places c) $(places s)" "${port[w2]} ${port[w1]}" "a shard has moved, of which the standby does not know"
is "$(as s owner "SELECT count(*) FROM people")" 1000 "and reads what has stayed where it was"
is "$(as s analyst "$question")" "$stale" "then it answers nobody"
is "$(as s owner "$question")" "$stale" "not the owner either"
moves w2 w1
is "$(places c) $(places s)" "${port[w1]} ${port[w1]}" "a shard that is back where it was"
is "$(as s analyst "$question")" "$stale" "has moved all the same"
is "$(paid)" "$releases" "nothing of that is charged"
resume s c
is "$(as s analyst "$question")" t "once it knows, the standby answers again"
moves w1 w2
catch_up s c
is "$(as s analyst "$question") $(as s owner "$question")" "t t" "also of a shard where it has moved"
pause s
on c "SELECT citus_set_node_property('127.0.0.1', ${port[w1]}, 'shouldhaveshards', false)" >/dev/null
is "$(as s analyst "$question")" "$stale" "so it is with nodes"
resume s c
pause s
on c "INSERT INTO pg_dist_poolinfo SELECT nodeid, 'host=127.0.0.1 port=${port[w1]}' FROM pg_dist_node WHERE nodeport = ${port[w1]}" >/dev/null
is "$(as s analyst "$question") $(as s owner "$question")" "$stale $stale" "and with another address of a node"
on c "DELETE FROM pg_dist_poolinfo" >/dev/null
on c "SELECT citus_set_node_property('127.0.0.1', ${port[w1]}, 'shouldhaveshards', true)" >/dev/null
as c owner "SELECT dpsens.set_range('people', 'age', 0, 98)" >/dev/null
resume s c
pause s
as c owner "SELECT dpsens.set_range('people', 'age', 0, 99)" >/dev/null
is "$(as s analyst "$question")" "$stale" "and with a range of a distributed table"
resume s c
# A transaction that reads by one snapshot, on the standby, is told of a move that comes to it.
mkfifo "$base/in"
PGPORT=${port[s]} PGUSER=owner psql -XAtq <"$base/in" >"$base/session" 2>&1 &
exec 9>"$base/in"
lines() { [ "$(wc -l <"$base/session")" -ge "$1" ]; }
echo "BEGIN ISOLATION LEVEL REPEATABLE READ; $question;" >&9
wait_until lines 1
moves w2 w1
catch_up s c
echo "$question; \\q" >&9
exec 9>&-
wait $!
like "$(cat "$base/session")" "t*ERROR:  *have moved since the transaction began*" "a snapshot of before a move is no snapshot of the shard"

# ---- nodes, and the primary, that fail ----

starts() { PGPORT=${port[$1]} start_cluster "$1" 2>/dev/null; }
catch_up s c
releases=$(paid)
stop_cluster w1 immediate
is "$(as s analyst "$question")" "$not_asked" "a node that is down is an error before the charge"
is "$(paid)" "$releases" "of which nothing is charged"
wait_until starts w1
is "$(as s analyst "$question")" t "once it is back the standby answers"
releases=$(on c "SELECT count(*) FROM dpsens.release")
hold_ledger
as s analyst "$question" >"$base/said" &
asks=$!
wait_for_charge
stop_cluster w1 immediate
free_ledger
wait $asks
is "$(cat "$base/said")" "$failed" "one that fails after the charge is an error of which nothing is said"
is "$(on c "SELECT count(*) - $releases FROM dpsens.release")" 1 "and the charge, which is one, stays"
is "$(on c "SELECT role_name, failures FROM dpsens.failure")" "analyst|1" "and counts as a failure, on the primary"
wait_until starts w1
is "$(as s analyst "$question")" t "the next statement is answered"
stop_cluster c immediate
like "$(in_full s analyst "$question")" "*the primary could not be asked to charge the statement*Nothing was charged*" "without its primary the standby answers nothing, though nodes could"
wait_until starts c || bail "the coordinator does not start again"
catch_up s c
is "$(as s analyst "$question")" t "until it is back"

# ---- standbys of nodes ----

for node in w1 w2; do
	standby ${node}s $node || bail "no standby of a node: $(tail -3 "$base/${node}s.log")"
	on c "SELECT citus_add_secondary_node('127.0.0.1', ${port[${node}s]}, '127.0.0.1', ${port[$node]})" >/dev/null
done
catch_up s c
# asked NODE: how many statements with exact sums it was sent
for node in w1 w1s w2s; do
	set_on $node "log_min_messages = 'log'"
	set_on $node "log_statement = 'all'"
done
asked() { grep -c "dpsens_internal.sum(" "$base/$1.log"; }
is "$(as s analyst "$question")" t "a standby asks the primary ones of nodes that have standbys"
is "$(asked w1s) $(asked w2s)" "0 0" "and none of the standbys"
# backends take it when they start, and rooms are some
ask_standbys()
{
	on s "ALTER SYSTEM SET citus.use_secondary_nodes = '$1'" >/dev/null
	PGPORT=${port[s]} stop_cluster s
	PGPORT=${port[s]} start_cluster s || bail "the standby does not start again"
	catch_up s c
}
ask_standbys always
before=$(asked w1)
is "$(as s analyst "$question") $(as s owner "$question")" "t t" "unless Citus is told to"
is "$(asked w1) $([ "$(asked w1s)" -gt 0 ] && [ "$(asked w2s)" -gt 0 ] && echo both)" "$before both" "then it asks standbys alone"
for who in "" "SET dpsens.debug_restricted = on; "; do
	alike "SELECT sex, dp_sum(age, 1), dp_median(age, 1) FROM people GROUP BY sex" "$who"
	alike "SELECT dp_sum(age, 1), dp_sum(cost, 1) FROM stays v JOIN people p ON v.patient = p.id" "$who"
done
# A shard that has come to a node whose standby does not have it; behind its remains of before, which a standby of the node would read.
on c "CALL citus_cleanup_orphaned_resources()" >/dev/null
catch_up w2s w2
pause w2s
moves w1 w2
catch_up s c
releases=$(paid)
is "$(as s analyst "$question")" "$not_asked" "a standby of a node that lacks a shard is an error before the charge"
like "$(as s owner "$question")" "ERROR: relation \"public.people_$shard\" does not exist" "and one for the owner"
resume w2s w2
is "$(as s analyst "$question") $(as s owner "$question")" "t t" "until it has come"
is "$(as_in w1s owner postgres "SELECT dp_count(true, 1) FROM people")" "ERROR: dpsens does not work on a worker node of Citus" "a standby of a node answers nobody by itself"
ask_standbys never

# ---- promotion ----

stop_cluster c
PGPORT=${port[s]} as_server pg_ctl -D "$base/s" -w promote >/dev/null
is "$(as s analyst "$question")" "ERROR: the privacy ledger was charged in another database" "a standby that was promoted has no ledger yet"
is "$(as s owner "$question")" "ERROR: the privacy ledger was charged in another database" "for nobody"
on s "SELECT dpsens.acknowledge_restore()" >/dev/null
is "$(as s analyst "$question") $(as s owner "$question")" "t t" "until it is acknowledged: then it is the coordinator"

finish
