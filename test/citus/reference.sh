#!/usr/bin/env bash
# reference.sh
#	Answers about protected reference tables of Citus, of which each node has all rows, and about distributed tables that are
#	stored by columns: the same exact sums as of one server, one charge, whichever copy is read; one copy, though a node
#	fails while it sends.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/counted_states.c, guard/distributed/distributed_run.c, guard/distributed/connections.c, guard/restrict/blind.c, guard/restrict/hidden.c, glue/citus.c
MORE_NODE_SETTINGS=("dpsens.clean_rooms = 2" "dpsens.max_failures = 0")
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN" >/dev/null
on c "CREATE ROLE reader LOGIN" >/dev/null

columns="(id int PRIMARY KEY, age float8 NOT NULL, weight float8, sex text NOT NULL, smoker boolean, visits int NOT NULL)"
rows="SELECT i, i % 100, CASE WHEN i % 7 = 0 THEN NULL ELSE 40 + i % 60 END, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END, i % 2 = 0, i % 5 FROM generate_series(1, 1000) i"
declare_table()
{
	as c owner "SELECT dpsens.protect('$1'), dpsens.set_range('$1', 'age', 0, 99), dpsens.set_range('$1', 'weight', 40, 99), dpsens.set_values('$1', 'sex', 'F', 'M', 'X'), dpsens.set_values('$1', 'visits', '0', '1', '2', '3', '4'), dpsens.set_public('$1', 'smoker')"
}
as c owner "CREATE TABLE local $columns; INSERT INTO local $rows" >/dev/null
declare_table local >/dev/null

# ask_all: questions of one relation, as whoever exact_as says
ask_all()
{
	same "SELECT dp_count(true, 1) FROM @"
	same "SELECT dp_sum(age, 1), dp_avg(weight, 1), dp_count(weight, 1), dp_count(true, 1) FROM @ WHERE age > 20 AND sex <> 'X'"
	same "SELECT dp_var_pop(age, 1), dp_corr(age, weight, 1) FROM @"
	same "SELECT sex, dp_sum(age, 1), dp_count(true, 1) FROM @ GROUP BY sex"
	same "SELECT sex, visits, dp_avg(age, 1) FROM @ GROUP BY ROLLUP (sex, visits)"
	same "SELECT dp_sum(age, 1) FILTER (WHERE smoker), dp_count(true, 1) FROM @ WHERE id = 7"
	same "SELECT sex FROM @ GROUP BY sex HAVING dp_count(true, 1) > 400 ORDER BY dp_sum(age, 1) LIMIT 2"
	same "SELECT dp_median(age, 1), dp_min(age, 1), dp_mode(sex, 1) FROM @"
	same "SELECT smoker, dp_count(true, 1), dp_sum(age, 1) FROM @ GROUP BY smoker"
	same "SELECT dp_histogram(age, 5, 1) FROM @"
	same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @ WHERE id < 0"
	same "PREPARE q (float8, text) AS SELECT dp_sum(age, 1) FROM @ WHERE age < \$1 AND sex = \$2; EXECUTE q (50, 'F'); EXECUTE q (NULL, 'M')"
}

# ---- by columns ----

as c owner "CREATE TABLE spread $columns USING columnar; INSERT INTO spread $rows; SELECT create_distributed_table('spread', 'id'); SELECT truncate_local_data_after_distributing_table('spread')" >/dev/null
on c "VACUUM spread" >/dev/null
declare_table spread >/dev/null
is "$(on c "SELECT amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE c.oid = 'spread'::regclass")" columnar "a distributed table is stored by columns"
ask_all
exact_as="SET dpsens.debug_restricted = on; "
ask_all
exact_as=
# read_where CONDITION: pages of shards that are read for the analyst where it holds
as c owner "SELECT dpsens.grant_budget('spread', 'analyst', epsilon => 10)" >/dev/null
pages() { for node in c w1 w2; do on $node "SELECT pg_stat_force_next_flush(); SET citus.override_table_visibility = off; SELECT coalesce(sum(heap_blks_read + heap_blks_hit), 0) FROM pg_statio_user_tables WHERE relname ~ '^spread_[0-9]'" | tail -1; done | awk '{ n += $1 } END { print n }'; }
no_room_reads() { for node in w1 w2; do PGPORT=${port[$node]} wait_for "SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'owner'"; done; }
read_where() { no_room_reads; local before; before=$(pages); as c analyst "SELECT dp_count(true, 1) FROM spread WHERE $1" >/dev/null; no_room_reads; echo $(($(pages) - before)); }
all_pages=$(read_where "id > 0")
like "$all_pages" "[1-9]*" "a room reads pages"
is "$(read_where "id < 0") $(read_where "visits > 3 AND age < 0")" "$all_pages $all_pages" "as many where a condition keeps none of its rows, which stripes are known to have"
as c owner "DROP TABLE spread" >/dev/null

# ---- by columns, without Citus ----

# local_columns SETTING: of a server that preloads these libraries, what the analyst is told, whether that is charged, and what the owner is
local_columns()
{
	local PGPORT=${port[w3]}
	make_cluster alone "shared_preload_libraries = '$1'" "listen_addresses = '127.0.0.1'" "port = $PGPORT" "dpsens.clean_rooms = 1"
	sql "CREATE EXTENSION dpsens; CREATE EXTENSION citus_columnar; CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
	PGUSER=owner sql "CREATE TABLE here (id int PRIMARY KEY, age float8 NOT NULL) USING columnar; INSERT INTO here SELECT i, i FROM generate_series(1, 1000) i; SELECT dpsens.protect('here', unit => 'id'), dpsens.grant_budget('here', 'analyst', epsilon => 100)" >/dev/null
	PGUSER=analyst sql "SELECT dp_count(true, 8) BETWEEN 980 AND 1020 FROM here"
	PGUSER=analyst sql "SELECT age FROM here"
	sql "SELECT count(*) FROM dpsens.release"
	PGUSER=owner sql "SELECT dp_count(true, 8) BETWEEN 980 AND 1020 FROM here"
	stop_cluster alone immediate
	rm -rf "${base:?}/alone"
}
is "$(local_columns 'citus_columnar,dpsens')" $'t\nERROR: permission denied for table here\n1\nt' "a table of one server that is stored by columns is asked about"
behind="ERROR: relation \"here\" cannot be read by a role without SELECT privilege, since a library that was loaded behind dpsens chooses its plans"
for libraries in "dpsens,citus_columnar" "dpsens"; do
	is "$(local_columns "$libraries")" "$behind"$'\n'"$behind"$'\n0\nt' "not by an analyst, and for nothing, where the library that stores it comes after dpsens: $libraries"
done

# ---- reference tables ----

as c owner "CREATE TABLE spread $columns; INSERT INTO spread $rows; SELECT create_reference_table('spread'); SELECT truncate_local_data_after_distributing_table('spread')" >/dev/null
on c "VACUUM spread" >/dev/null
declare_table spread >/dev/null
is "$(on c "SELECT count(*) FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid) WHERE s.logicalrelid = 'spread'::regclass")" 3 "a reference table has three copies"
ask_all
exact_as="SET dpsens.debug_restricted = on; "
ask_all
exact_as="SET citus.enable_local_execution = off; SET citus.task_assignment_policy = 'round-robin'; "
ask_all
exact_as=

# ---- one charge, and who may ----

as c owner "CREATE TABLE asked AS TABLE local; SELECT create_reference_table('asked'); SELECT truncate_local_data_after_distributing_table('asked')" >/dev/null
on c "VACUUM ANALYZE asked" >/dev/null
declare_table asked >/dev/null
as c owner "SELECT dpsens.set_budget('asked', epsilon => 2), dpsens.grant_budget('asked', 'analyst', epsilon => 1)" >/dev/null
paid() { on c "SELECT count(*), sum(epsilon) FROM dpsens.release WHERE relation = 'asked'::regclass AND release > $before"; }
before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
is "$(as c analyst "SELECT dp_count(true, 0.5) IS NOT NULL, dp_sum(age, 0.25) IS NOT NULL FROM asked")" "t|t" "a role with a budget alone is answered"
is "$(paid)" "2|0.75" "and charged once"
is "$(as c analyst "SELECT dp_count(true, 0.5) FROM asked")" "ERROR: the privacy budget of role \"analyst\" on relation \"public.asked\" does not allow this statement" "within its budget"
shard=$(on c "SELECT 'asked_' || shardid FROM pg_dist_shard WHERE logicalrelid = 'asked'::regclass")
for node in c w1; do
	is "$(as $node analyst "SELECT count(*) FROM $shard")" "ERROR: permission denied for table $shard" "it reads no copy, on $node"
	is "$(as $node analyst "SELECT count(*) FROM pg_class WHERE relname = '$shard' AND reltuples > 0")" 0 "nor how many rows that has, on $node"
	is "$(as $node analyst "SELECT pg_relation_size('$shard')")" "" "nor its size, on $node"
	is "$(as $node analyst "SELECT coalesce(sum(seq_tup_read + n_live_tup), 0) FROM pg_stat_all_tables WHERE relname = '$shard'")" 0 "nor what was read of it, on $node"
done
like "$(as c analyst "SELECT count(*) FROM asked")" "ERROR: permission denied*" "nor the table"

# ---- what the plan cache shows ----

# kept NODE TABLE: for how many of 260 prices of an operation the plan cache keeps a plan for all values, which follows from the
# cost of reading the whole table; statements that are refused when they run are planned before
kept()
{
	PGPORT=${port[$1]} PGUSER=${whoever:-analyst} psql -XAtq 2>&1 <<SQL | tail -1
SET citus.override_table_visibility = off;
SELECT format('SET cpu_operator_cost = %s', 1e-6 * power(1.08, i)), format('PREPARE q%s (int) AS SELECT * FROM %I LIMIT \$1', i, '$2'),
	format('EXECUTE q%s (1)', i), format('EXECUTE q%s (1)', i), format('EXECUTE q%s (1)', i), format('EXECUTE q%s (1)', i), format('EXECUTE q%s (1)', i), format('EXECUTE q%s (1)', i)
FROM generate_series(1, 260) i \gexec
SELECT sum(generic_plans) FROM pg_prepared_statements
SQL
}
# Stored by columns: on this server, and in a shard
as c owner "CREATE TABLE here (id int, age float8 NOT NULL) USING columnar; INSERT INTO here SELECT i, i % 100 FROM generate_series(1, 1000) i; CREATE TABLE there (id int, age float8 NOT NULL) USING columnar; SELECT create_distributed_table('there', 'id', shard_count => 1); INSERT INTO there SELECT i, i % 100 FROM generate_series(1, 1000) i" >/dev/null
for table in here there; do
	as c owner "SELECT dpsens.protect('$table', unit => 'id'), dpsens.grant_budget('$table', 'analyst', epsilon => 1)" >/dev/null
done
in_shard=$(on c "SELECT 'there_' || shardid FROM pg_dist_shard WHERE logicalrelid = 'there'::regclass")
its_node=$(on c "SELECT CASE nodeport WHEN ${port[c]} THEN 'c' WHEN ${port[w1]} THEN 'w1' ELSE 'w2' END FROM pg_dist_placement p JOIN pg_dist_shard USING (shardid) JOIN pg_dist_node n USING (groupid) WHERE logicalrelid = 'there'::regclass")
places=("c asked" "c $shard" "w1 $shard" "c here" "$its_node $in_shard")
# words of a place are a node and a table
# shellcheck disable=SC2086
all_kept() { for place in "${places[@]}"; do kept $place; done | paste -sd' '; }
before=$(all_kept)
like "$before" "[1-9]* [1-9]* [1-9]* [1-9]* [1-9]*" "which plans the cache keeps is known"
whoever=postgres
seen=$(all_kept)
for table in here there; do
	as c owner "INSERT INTO $table SELECT i, (i * 7919) % 99991 FROM generate_series(1001, 40000) i" >/dev/null
done
as c owner "INSERT INTO asked SELECT i, 1, 1, 'F', true, 1 FROM generate_series(1001, 40000) i" >/dev/null
for node in c w1; do on $node "ANALYZE $shard" >/dev/null; done
is "$(paste -d' ' <(tr ' ' '\n' <<<"$seen") <(all_kept | tr ' ' '\n') | awk '$1 > $2' | wc -l), $(cut -d' ' -f1 <<<"$seen")" "4, $(all_kept | cut -d' ' -f1)" "which shows a superuser that a copy, a shard and a table stored by columns have become larger"
whoever=
is "$(all_kept)" "$before" "and the analyst nothing of it, on any node"
as c owner "DELETE FROM asked WHERE id > 1000" >/dev/null

# ---- functions of who may read, which Citus calls on a worker ----

as c owner "CREATE TABLE keys (id int PRIMARY KEY); SELECT create_distributed_table('keys', 'id')" >/dev/null
for name in door sent; do
	as c owner "CREATE FUNCTION $name(at int) RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM asked WHERE age < 50'" >/dev/null
done
as c owner "CREATE FUNCTION plain(at int) RETURNS int LANGUAGE sql AS 'SELECT 2 * at'" >/dev/null
on c "SELECT create_distributed_function('sent(int)', '\$1', colocate_with => 'keys'), create_distributed_function('plain(int)', '\$1', colocate_with => 'keys')" >/dev/null
on c "CREATE FUNCTION of_her_own(at int) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT at'; ALTER FUNCTION of_her_own OWNER TO analyst" >/dev/null
each() { for at in 1 2 3 4 5 6 7 8; do as c "$1" "SELECT $2($at)"; done | sort -u; }
is "$(each owner sent)" 500 "a function of the owner's that Citus sends to workers is called for the owner"
is "$(each analyst sent)" "ERROR: permission denied for function sent(integer)" "and nowhere for the analyst, whom it would tell what it reads"
for node in c w1; do
	is "$(as $node analyst "SELECT door(1)")" "ERROR: permission denied for function door(integer)" "which she cannot call herself, on $node"
	is "$(as $node analyst "SELECT plain(1) + of_her_own(1)")" 3 "others she can, on $node"
done

# ---- units, joins ----

as c owner "CREATE TABLE local_stays (id int, patient int NOT NULL, cost float8, ward text); INSERT INTO local_stays SELECT i, i % 97, i % 50, CASE WHEN i % 4 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 2000) i; CREATE TABLE spread_stays AS TABLE local_stays; ALTER TABLE spread_stays ALTER patient SET NOT NULL; SELECT create_reference_table('spread_stays'); SELECT truncate_local_data_after_distributing_table('spread_stays')" >/dev/null
for table in local_stays spread_stays; do
	as c owner "SELECT dpsens.protect('$table', unit => 'patient', max_rows => 5), dpsens.set_range('$table', 'cost', 0, 50), dpsens.set_values('$table', 'ward', 'a', 'b')" >/dev/null
done
same "SELECT dp_count(true, 1), dp_sum(cost, 1) FROM @_stays"
same "SELECT ward, dp_count(true, 1), dp_sum(cost, 1), dp_avg(cost, 1) FROM @_stays GROUP BY ward"
unsupported="ERROR: private answers about distributed table \"spread_stays\" are not supported"
is "$(as c owner "SELECT cost, dp_count(true, 1) FROM spread_stays GROUP BY cost")" "$unsupported with undeclared keys, medians and other choices where a unit has several rows" "choices among rows of a unit are refused"
as c owner "CREATE TABLE persons (id int PRIMARY KEY, age float8 NOT NULL); CREATE TABLE visits (id int PRIMARY KEY, cost float8 NOT NULL); CREATE TABLE costs (id int PRIMARY KEY, cost float8 NOT NULL); SELECT create_reference_table('persons'), create_distributed_table('visits', 'id'), create_reference_table('costs')" >/dev/null
for table in persons visits costs; do
	as c owner "SELECT dpsens.protect('$table', unit => 'id'), dpsens.set_range('$table', '$([ $table = persons ] && echo age || echo cost)', 0, 9)" >/dev/null
done
for join in "visits JOIN persons USING (id)" "persons JOIN visits USING (id)" "costs JOIN persons USING (id)" "visits WHERE EXISTS (SELECT FROM persons WHERE persons.id = visits.id)" "visits WHERE id IN (SELECT id FROM persons)"; do
	like "$(as c owner "SELECT dp_count(true, 1) FROM $join")" "ERROR: private answers about distributed table * are not supported in a join with \"*\", a reference table that is protected" "protected reference tables are not joined: $join"
done
like "$(as c owner "SELECT dp_sum(cost, 1), (SELECT count(*) FROM spread) FROM visits")" "ERROR: dp aggregates are not answered in a statement with table \"spread\"*" "it is not read beside an answer"

# ---- one copy, though a node fails while it sends ----

as c owner "CREATE TABLE many (id int PRIMARY KEY, place int NOT NULL); SELECT create_reference_table('many'); INSERT INTO many SELECT i, i FROM generate_series(1, 40000) i; SELECT dpsens.protect('many')" >/dev/null
# the coordinator keeps no copy, since its processes end together
on c "SELECT citus_remove_node('127.0.0.1', ${port[c]})" >/dev/null
many="SET client_min_messages = error; SET dpsens.noise = off; SET dpsens.delta = 0.5; SET dpsens.epsilon = 64; SELECT count(*), count(DISTINCT place) FROM (SELECT place, dp_count(true, 64) FROM many GROUP BY place) g"
is "$(on c "$many" | grep -v WARNING)" "40000|40000" "many groups come from a node"

# sender CONDITION: the process of a worker that sends sums
sender()
{
	local node pid
	for node in w1 w2; do
		pid=$(on $node "SELECT pid FROM pg_stat_activity WHERE query LIKE '%dpsens1:%' AND state = 'active' AND backend_type = 'client backend' AND $1")
		[[ $pid =~ ^[0-9]+$ ]] && echo "$pid" && return
	done
}

# Both nodes wait for a lock until whoever asks has been stopped, and then until more is taken.
shard=$(on c "SELECT 'many_' || shardid FROM pg_dist_shard WHERE logicalrelid = 'many'::regclass")
for node in w1 w2; do
	PGPORT=${port[$node]} psql -XAtq -c "SET application_name = 'keeper'" -c "SET citus.enable_manual_changes_to_shards = on" -c "BEGIN" -c "LOCK TABLE $shard" -c "SELECT pg_sleep(600)" >/dev/null 2>&1 & # clock: until the process is ended
	PGPORT=${port[$node]} wait_for "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = to_regclass('$shard') AND mode = 'AccessExclusiveLock' AND granted)"
done
PGPORT=${port[c]} psql -XAtq -c "SET application_name = 'asker'; $many" >"$base/told" 2>&1 &
client=$!
is_waiting() { [ -n "$(sender "wait_event_type = 'Lock'")" ]; }
is_full() { killed=$(sender "wait_event = 'ClientWrite'") && [ -n "$killed" ]; }
wait_until is_waiting
asker=$(on c "SELECT pid FROM pg_stat_activity WHERE application_name = 'asker' AND backend_type = 'client backend'")
kill -STOP "$asker"
for node in w1 w2; do
	on $node "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'keeper'" >/dev/null
done
wait_until is_full
kill -KILL "$killed"
kill -CONT "$asker"
wait $client
told=$(cat "$base/told")
for node in w1 w2; do
	PGPORT=${port[$node]} wait_for "SELECT true"
done
like "$told" "*ERROR:  a node failed while it sent exact sums*" "rows of two copies are never added up"
is "$(on c "$many" | grep -v WARNING)" "40000|40000" "after which they come again"

finish
