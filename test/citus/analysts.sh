#!/usr/bin/env bash
# analysts.sh
#	Answers about tables that Citus has distributed, to roles with a budget and without SELECT: through clean
#	rooms, which ask nodes as the owner of the table.  The same exact sums as of one server, one charge, no
#	right, connection, message or counter for who asks; what is refused; and what becomes of nodes and
#	statements that are stopped.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/lent_rights.c, guard/distributed/room_states.c, guard/distributed/connections.c
# nodes say who connects, and what they are asked
NODE_MESSAGES=log
MORE_NODE_SETTINGS=("log_connections = on" "log_statement = all" "dpsens.ledger_idle_timeout = 1h" "log_line_prefix = '%p %u %a| '" "citus.log_remote_commands = on" "dpsens.clean_rooms = 2" "dpsens.max_failures = 0") # clock: the ledger's process stays
# answers are those for a role without SELECT
exact_as="SET dpsens.debug_restricted = on; "
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO analyst" >/dev/null
on c "CREATE ROLE clerk LOGIN" >/dev/null

columns="(id int PRIMARY KEY, age float8 NOT NULL, weight float8, sex text NOT NULL, birthday date NOT NULL, smoker boolean, visits int NOT NULL, seen timestamptz NOT NULL)" # clock: the name of a type
rows="SELECT i, i % 100, CASE WHEN i % 7 = 0 THEN NULL ELSE 40 + i % 60 END, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END, DATE '1940-01-01' + i, i % 2 = 0, i % 5, '2020-01-01 12:00+00'::timestamptz + i * interval '1 hour' FROM generate_series(1, 1000) i"
# spread TABLE COLUMN: distributed by it
spread()
{
	as c owner "SELECT create_distributed_table('$1', '$2'); SELECT truncate_local_data_after_distributing_table('$1')" >/dev/null
	on c "VACUUM $1" >/dev/null
}
declare_table()
{
	as c owner "SELECT dpsens.protect('$1'), dpsens.set_range('$1', 'age', 0, 99), dpsens.set_range('$1', 'weight', 40, 99), dpsens.set_values('$1', 'sex', 'F', 'M', 'X'), dpsens.set_values('$1', 'visits', '0', '1', '2', '3', '4'), dpsens.set_public('$1', 'smoker')" >/dev/null
}
grant_budget()
{
	as c owner "SELECT dpsens.set_budget('$1', epsilon => 1000, delta => 0.01), dpsens.grant_budget('$1', 'analyst', epsilon => ${2:-500}, delta => 0.005)" >/dev/null
}
for table in local spread asked; do
	as c owner "CREATE TABLE $table $columns; INSERT INTO $table $rows" >/dev/null
done
spread spread id
spread asked id
for table in local spread asked; do
	declare_table $table
done
grant_budget asked 40

# ---- the same exact sums ----

like "$(on c "SET dpsens.debug_restricted = on; EXPLAIN VERBOSE SELECT dp_count(true, 1) FROM spread")" "*EXPLAIN of a private answer*" "the run is one for an analyst"
same "SELECT dp_count(true, 1) FROM @"
same "SELECT dp_sum(age, 1), dp_avg(weight, 1), dp_count(weight, 1), dp_count(true, 1) FROM @"
same "SELECT dp_sum(age * weight / 50, 1) FROM @ WHERE age > 20 AND sex <> 'X'"
same "SELECT dp_var_pop(age, 1), dp_stddev_samp(weight, 1), dp_corr(age, weight, 1), dp_regr_slope(age, weight, 1) FROM @"
same "SELECT sex, dp_sum(age, 1), dp_count(true, 1) FROM @ GROUP BY sex"
same "SELECT sex, visits, dp_avg(age, 1) FROM @ GROUP BY sex, visits ORDER BY 1 DESC, 2"
same "SELECT sex, dp_sum(age, 1) FROM @ GROUP BY ROLLUP (sex)"
same "SELECT dp_sum(age, 1) FILTER (WHERE smoker), dp_count(true, 1) FILTER (WHERE weight > 60) FROM @"
same "SELECT sex FROM @ GROUP BY sex HAVING dp_count(true, 1) > 400 ORDER BY dp_sum(age, 1) LIMIT 2"
same "SELECT dp_count(true, 1) FROM @ WHERE id = 7"
same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @ WHERE id < 0"
same "SELECT dp_count(true, 1) FROM @ WHERE birthday BETWEEN '1940-06-01' AND '1941-01-01'"
same "SELECT dp_count(true, 1) FROM @ WHERE seen < '2020-01-10 00:00+00'"
same "SELECT dp_sum(a, 1) FROM (SELECT age + 1 AS a, sex FROM @ WHERE visits < 3) t WHERE sex = 'F'"
same "SELECT (SELECT dp_count(true, 1) FROM @) + (SELECT dp_sum(age, 1) FROM @)"
same "WITH n AS (SELECT sex, dp_count(true, 1) AS n FROM @ GROUP BY sex) SELECT a.sex, b.n FROM n a, n b WHERE a.sex = b.sex"
same "CREATE TABLE kept AS SELECT sex, dp_count(true, 1) AS n FROM @ GROUP BY sex; SELECT * FROM kept ORDER BY 1; DROP TABLE kept"
same "PREPARE q (float8, text) AS SELECT dp_sum(age, 1) FROM @ WHERE age < \$1 AND sex = \$2; EXECUTE q (50, 'F'); EXECUTE q (80, 'M'); EXECUTE q (NULL, 'M')"
same "SET plan_cache_mode = force_generic_plan; PREPARE q (float8) AS SELECT dp_sum(age, 1) FROM @ WHERE age < \$1; EXECUTE q (50); EXECUTE q (20)"
same "BEGIN; DECLARE d CURSOR FOR SELECT sex, dp_count(true, 1) FROM @ GROUP BY sex; FETCH 1 FROM d; FETCH ALL FROM d; COMMIT"
same "CREATE TEMP TABLE told (n bigint); DO \$\$ DECLARE n bigint; BEGIN SELECT dp_count(true, 1) INTO n FROM @ WHERE age > 3; INSERT INTO told VALUES (n); END \$\$; TABLE told"
same "SELECT dp_count(true, 1) FROM @ WHERE sex >= 'F' AND weight IS NOT NULL AND CASE WHEN age > 10 THEN smoker ELSE true END"
same "SELECT dp_median(age, 1), dp_min(age, 1), dp_quantile(weight, 0.25, 1) FROM @"
same "SELECT sex, dp_median(age, 1) FROM @ GROUP BY sex"
same "SELECT smoker, dp_count(true, 1), dp_sum(age, 1) FROM @ GROUP BY smoker"
same "SELECT visits, smoker, dp_avg(age, 1) FROM @ GROUP BY visits, smoker"
same "SELECT dp_mode(sex, 1) FROM @"
same "SELECT dp_histogram(age, 5, 1) FROM @"
# what is written into queries is read alike by all nodes
same "SET DateStyle = 'SQL, DMY'; SELECT dp_count(true, 1) FROM @ WHERE birthday < '01/06/1940'"
same "SET extra_float_digits = -15; SELECT dp_count(true, 1) FROM @ WHERE age < 12.9"
same "SET TimeZone = 'Asia/Tokyo'; SELECT dp_count(true, 1) FROM @ WHERE seen < '2020-01-10 00:00'"
is "$(on c "SET dpsens.noise = off; SET DateStyle = 'SQL, DMY'; SELECT dp_count(true, 1) FROM spread WHERE birthday < '01/06/1940'" | grep -v WARNING)" 151 "for who may read the table, too: a constant has the session's form here, not on nodes"
is "$(on c "SET dpsens.noise = off; SET extra_float_digits = -15; SELECT dp_count(true, 1) FROM spread WHERE age < 12.9" | grep -v WARNING)" 130 "and all of its digits"
as c owner "CREATE TABLE local_stays (id int, patient int NOT NULL, cost float8, ward text); INSERT INTO local_stays SELECT i, i % 97, i % 50, CASE WHEN i % 4 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 2000) i; CREATE TABLE spread_stays AS TABLE local_stays; ALTER TABLE spread_stays ALTER patient SET NOT NULL; CREATE TABLE other_stays AS TABLE spread_stays; ALTER TABLE other_stays ALTER patient SET NOT NULL" >/dev/null
spread spread_stays patient
spread other_stays id
for table in local_stays spread_stays other_stays; do
	as c owner "SELECT dpsens.protect('$table', unit => 'patient', max_rows => 5), dpsens.set_range('$table', 'cost', 0, 50), dpsens.set_values('$table', 'ward', 'a', 'b')" >/dev/null
done
same "SELECT dp_count(true, 1), dp_sum(cost, 1) FROM @_stays"
same "SELECT ward, dp_count(true, 1), dp_sum(cost, 1), dp_avg(cost, 1) FROM @_stays GROUP BY ward"

# ---- an answer, and its charge ----

paid() { on c "SELECT count(*), coalesce(sum(epsilon), 0) FROM dpsens.release WHERE relation = 'asked'::regclass"; }
like "$(as c analyst "SELECT count(*) FROM asked")" "ERROR: permission denied*" "she may not read the table"
is "$(as c analyst "SELECT dp_count(true, 0.5) BETWEEN 900 AND 1100 FROM asked")" t "and is answered about it"
is "$(paid)" "1|0.5" "which is charged once"
is "$(as c analyst "SELECT count(n) = 2, count(DISTINCT n) = 1 FROM (SELECT dp_count(true, 0.5) AS n FROM asked OFFSET 0) a, generate_series(1, 2)")" "t|t" "an answer that is read twice"
is "$(paid)" "2|1" "is drawn and charged once"
is "$(as c analyst "SELECT count(*) FROM (SELECT sex, dp_sum(age, 0.25), dp_sum(age, 0.25) FROM asked WHERE id < 900 GROUP BY sex) t")" 3 "groups"
is "$(paid)" "3|1.25" "too"
is "$(as c analyst "SELECT dp_count(true, 64) FROM asked")" "ERROR: the privacy budget of role \"analyst\" on relation \"public.asked\" does not allow this statement" "beyond the budget nothing is answered"
is "$(paid)" "3|1.25" "and nothing charged"
is "$(as c analyst "SELECT epsilon FROM dpsens.explain('SELECT dp_count(true, 0.5) FROM asked')")" 0.5 "what it costs is known before"
is "$(as c analyst "BEGIN; SELECT dp_count(true, 0.25) IS NOT NULL FROM asked; SELECT dp_sum(age, 0.25) IS NOT NULL FROM asked WHERE sex = 'F'; COMMIT" | tr '\n' ' ')" "t t " "several in a transaction"
is "$(paid)" "5|1.75" "are charged each"

# ---- nothing of it is hers ----

wait_for_no_room() { for node in w1 w2; do PGPORT=${port[$node]} wait_for "SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'owner'"; done; }
connections() { for node in w1 w2; do grep -c "authorized: user=$1 " "$base/$node.log"; done | paste -sd' '; }
is "$(connections analyst)" "0 0" "no node was ever asked as the analyst"
unlike_owner=$(connections owner)
as c analyst "SELECT dp_count(true, 0.25) FROM asked" >/dev/null
is "$([ "$(connections owner)" != "$unlike_owner" ] && echo more)" more "but as the owner"
is "$(for node in w1 w2; do on $node "SELECT count(*) FROM pg_stat_activity WHERE usename = 'owner'"; done | tr '\n' ' ')" "0 0 " "by connections that end with the visit"
is "$(for node in w1 w2; do grep "owner citus_internal" "$base/$node.log" | grep -c "SELECT dpsens_internal.sum(" | sed 's/^0$/none/;s/^[0-9]*$/some/'; done | tr '\n' ' ')" "some some " "which are sent exact sums"
for node in w1 w2; do wc -l <"$base/$node.log" >"$base/$node.lines"; done
as c analyst "SELECT dp_count(true, 0.25) FROM asked" >/dev/null
# what sessions of the owner were sent since
is "$(for node in w1 w2; do tail -n +"$(($(cat "$base/$node.lines") + 1))" "$base/$node.log" | grep " owner .*\(statement: \|execute \)" | grep -v "statement: \(BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;SET LOCAL search_path = pg_catalog, pg_temp;.*SET TRANSACTION READ ONLY;SELECT assign_distributed_transaction_id\|COMMIT$\)" | grep -vc "dpsens_internal.sum("; done | tr '\n' ' ')" "0 0 " "and nothing else, in transactions that are read only"
# rows that shards have counted as read
read_rows()
{
	for node in w1 w2; do
		on $node "SELECT pg_stat_force_next_flush(); SET citus.override_table_visibility = off; SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname ~ '^asked_'"
	done | awk '{ n += $1 } END { print n }'
}
before=$(read_rows)
as c analyst "SELECT dp_sum(age, 0.25) FROM asked WHERE age > 3" >/dev/null
wait_for_no_room
is "$(($(read_rows) - before))" 1000 "rows are read once: nodes that are tried before the charge read none"

# What is set on a node for its owner has no say.
for node in w1 w2; do
	on $node "SET citus.enable_ddl_propagation = off; CREATE SCHEMA evil; CREATE FUNCTION evil.float8ge(float8, float8) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT false'; GRANT USAGE ON SCHEMA evil TO PUBLIC" >/dev/null
	on $node "SET citus.enable_alter_role_set_propagation = off; ALTER ROLE owner SET search_path = evil, pg_catalog; ALTER ROLE owner SET idle_in_transaction_session_timeout = 1; ALTER ROLE owner SET statement_timeout = '5s'" >/dev/null # clock: settings that must have no say, of which the second holds until it is taken away
done
is "$(on c "SET dpsens.noise = off; SET dpsens.debug_restricted = on; SELECT dp_count(true, 1) FROM spread WHERE float8ge(age, 0)" | grep -v WARNING)" 1000 "names that nodes look up are the server's, whatever search_path the owner has there"
for node in w1 w2; do
	on $node "SET citus.enable_alter_role_set_propagation = off; ALTER ROLE owner RESET statement_timeout; ALTER ROLE owner RESET idle_in_transaction_session_timeout" >/dev/null
done
is "$(for node in w1 w2; do grep -c " owner .*SET LOCAL search_path.*SET LOCAL statement_timeout.*SET TRANSACTION READ ONLY" "$base/$node.log"; done | grep -vc '^0$')" 2 "its timeouts are taken away where its transactions begin"
is "$(PGPORT=${port[c]} PGUSER=owner PGOPTIONS="-c citus.log_remote_commands=off" psql -XAtqc "SELECT count(*) FROM spread WHERE float8ge(age, 0)")" 0 "which has a say for the owner's own queries"
for node in w1 w2; do
	on $node "SET citus.enable_alter_role_set_propagation = off; ALTER ROLE owner RESET ALL" >/dev/null
done

# What somebody has made in a temporary schema does not hide what is the server's, not even in the owner's own session there.
begun=$(grep -o "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;SET LOCAL search_path.*SET TRANSACTION READ ONLY" "$base/w1.log" | tail -1)
temporary="SET citus.enable_ddl_propagation = off; CREATE DOMAIN pg_temp.text AS varchar; CREATE TEMP TABLE pg_class (n int)"
looked="SELECT pg_typeof('x'::text)::oid = 25, (SELECT count(*) > 300 FROM pg_class)"
in_turn() { PGPORT=${port[w1]} PGUSER=owner psql -XAtq 2>&1 <<<"$1" | tail -1; }
is "$(in_turn "$temporary; SET search_path = pg_catalog; $looked;")" "f|f" "a temporary schema that no search_path names is searched first"
is "$(in_turn "$temporary; $begun; $looked;")" "t|t" "but in what nodes do for a room"

# Of functions that nodes call for a room Citus's own are counted, by connection, and none by row.
for node in w1 w2; do
	on $node "ALTER SYSTEM SET track_functions = 'all'" >/dev/null
	on $node "SELECT pg_reload_conf()" >/dev/null
	PGPORT=${port[$node]} wait_for "SELECT current_setting('track_functions') = 'all'"
	on $node "SELECT pg_stat_reset()" >/dev/null
done
for query in "SELECT dp_count(true, 0.125) FROM asked" "SELECT sex, dp_sum(age, 0.125) FROM asked WHERE weight > 50 GROUP BY sex" "SELECT dp_median(age, 0.125) FROM asked" "SELECT smoker, dp_count(true, 0.125) FROM asked GROUP BY smoker"; do
	is "$(as c analyst "SELECT count(*) > 0 FROM ($query) t")" t "answered where calls are counted: $query"
done
wait_for_no_room
for node in w1 w2; do
	is "$(on $node "SELECT string_agg(DISTINCT funcname, ' ') FROM pg_stat_user_functions WHERE funcname <> 'dump_local_wait_edges'")" "assign_distributed_transaction_id" "$node has counted what begins its transactions"
	on $node "ALTER SYSTEM RESET track_functions" >/dev/null
	on $node "SELECT pg_reload_conf()" >/dev/null
done

# Settings of hers have no say for the room's connections; she is told nothing of what is sent.
for setting in "citus.log_remote_commands = on" "citus.log_local_commands = on" "citus.multi_task_query_log_level = 'notice'" "citus.worker_min_messages = 'debug5'" "citus.log_multi_join_order = on" "citus.log_intermediate_results = on" "citus.grep_remote_commands = '%'" \
	"citus.explain_all_tasks = on" "citus.propagate_set_commands = 'local'" "citus.max_cached_conns_per_worker = 9" "citus.executor_slow_start_interval = 1000" "citus.task_executor_type = 'adaptive'" "citus.enable_router_execution = off" "citus.coordinator_aggregation_strategy = 'row-gather'"; do
	said=$(PGPORT=${port[c]} PGUSER=analyst psql -XAtq -c "SET client_min_messages = debug5" -c "SET $setting" -c "SELECT dp_count(true, 0.125) BETWEEN 800 AND 1200 FROM asked WHERE id > 0" 2>&1)
	is "$(grep -c '^t$' <<<"$said"), $(grep -ci "sum(\|asked_[0-9]\|on server\|issuing\|citus_internal\|shard" <<<"$said")" "1, 0" "nothing is shown under $setting"
done
is "$(for node in w1 w2; do on $node "SELECT count(*) FROM pg_stat_activity WHERE usename = 'owner'"; done | tr '\n' ' ')" "0 0 " "and no connection stays"
is "$(grep -c "analyst.*issuing\|clean room.*issuing" "$base/c.log")" 0 "nor does the coordinator log what rooms send"

# The functions and views of Citus that tell of statements, connections and sizes, by name; citus.sh has all of them.
denied="ERROR: permission denied for *"
for node in c w1; do
	for relation in citus_stat_statements citus_stat_activity citus_dist_stat_activity citus_lock_waits citus_locks citus_stat_tenants citus_stat_tenants_local citus_stat_counters citus_shards citus_tables citus_shards_on_worker citus_shard_indexes_on_worker \
		pg_dist_shard pg_dist_placement pg_dist_shard_placement pg_dist_node pg_dist_colocation pg_dist_transaction pg_dist_object; do
		like "$(as $node analyst "SELECT * FROM $relation")" "$denied" "on $node she does not read $relation"
	done
	for call in "citus_remote_connection_stats()" "get_all_active_transactions()" "get_global_active_transactions()" "citus_stat_statements_reset()" "citus_stat_tenants_local_reset()" "citus_stat_counters(0)" "citus_table_size('asked')" "citus_relation_size('asked')" \
		"citus_total_relation_size('asked')" "citus_shard_sizes()" "run_command_on_workers('SELECT 1')" "run_command_on_all_nodes('SELECT 1')" "run_command_on_coordinator('SELECT 1')" "run_command_on_shards('asked', 'SELECT count(*) FROM %s')" \
		"run_command_on_placements('asked', 'SELECT count(*) FROM %s')" "run_command_on_colocated_placements('asked', 'asked', 'SELECT 1')" "master_run_on_worker(ARRAY['x'], ARRAY[1], ARRAY['SELECT 1'], false)" "master_get_table_ddl_events('asked')" \
		"citus_backend_gpid()" "citus_locks()" "citus_query_stats()" "dump_local_wait_edges()" "dump_global_wait_edges()" "citus_nodename_for_nodeid(1)" "get_rebalance_table_shards_plan('asked')" "citus_move_shard_placement(1, 'x', 1, 'y', 1)" "worker_hash(1)"; do
		like "$(as $node analyst "SELECT $call")" "$denied" "on $node she does not call ${call%%(*}"
	done
done
shard=$(on w1 "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^asked_[0-9]+\$'")
like "$(as w1 analyst "SELECT count(*) FROM $shard")" "ERROR: permission denied for table $shard" "she may read no shard"
like "$(as w1 analyst "SELECT count(*) FROM asked")" "ERROR: permission denied for table asked" "nor the table from a node"
is "$(as w1 analyst "SELECT pg_relation_size('$shard') IS NULL")" t "nor its size"
is "$(as w1 analyst "SET citus.override_table_visibility = off; SELECT count(*) FROM pg_stat_all_tables WHERE relname ~ '^asked_' AND (seq_scan, seq_tup_read, n_live_tup) IS DISTINCT FROM (NULL, NULL, NULL)")" 0 "nor what is counted of it"
like "$(as w1 analyst "SELECT dp_count(true, 0.25) FROM asked")" "ERROR: dpsens does not work on a worker node of Citus" "a node answers her nothing"

# ---- what is refused, before the charge ----

before=$(paid)
lent="ERROR: private answers about distributed table \"@\" are not supported for a role without SELECT privilege"
is "$(as c analyst "SELECT dp_count(true, 0.25) FROM asked WHERE seen < '2020-01-02'::timestamp")" "${lent/@/asked}, with expressions that depend on settings of the session" "what depends on settings that nodes have of their own"
like "$(in_full c analyst "SELECT dp_count(true, 0.25) FROM asked WHERE seen < '2020-01-02'::timestamp")" "*HINT:*Nodes have settings of their own*" "with why"
unsupported="ERROR: private answers about distributed table \"asked\" are not supported"
is "$(as c analyst "SELECT dp_count(true, 0.25) FROM asked WHERE to_char(age, '9') = '3'")" "$unsupported with conditions or keys that this server alone can evaluate" "what depends on a locale"
is "$(as c analyst "SELECT dp_count(true, 0.25) FROM asked a JOIN local l ON a.id = l.id" | grep -c "^ERROR")" 1 "joins"
is "$(as c analyst "SELECT dp_count(true, 0.25) FROM asked WHERE EXISTS (SELECT FROM generate_series(1, 3) g WHERE g = id)" | grep -c "^ERROR")" 1 "EXISTS"
as c owner "SELECT dpsens.set_budget('other_stays', epsilon => 9), dpsens.grant_budget('other_stays', 'analyst', epsilon => 9)" >/dev/null
like "$(as c analyst "SELECT dp_count(true, 0.25) FROM other_stays")" "ERROR: *not distributed by the unit" "units that are spread"
on c "CREATE TYPE mood AS ENUM ('fine', 'ill'); GRANT USAGE ON TYPE mood TO owner" >/dev/null
as c owner "CREATE TABLE moods (id int PRIMARY KEY, felt mood NOT NULL, age float8 NOT NULL)" >/dev/null
spread moods id
as c owner "SELECT dpsens.protect('moods'), dpsens.set_range('moods', 'age', 0, 99)" >/dev/null
grant_budget moods
is "$(as c analyst "SELECT dp_count(true, 0.25) FROM moods WHERE felt = 'ill'")" "${lent/@/moods}, with functions, types or collations that are not the server's" "types of the database"
is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM moods WHERE age > 3")" t "but what does not compute with them"
# code of others in a definition: nodes would run it with the owner's rights
on c "CREATE FUNCTION hers(float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT \$1'; ALTER FUNCTION hers OWNER TO analyst" >/dev/null
is "$(on c "SELECT proowner::regrole FROM pg_proc WHERE proname = 'hers'")" analyst "she has a function"
code="where its indexes, constraints or statistics compute with functions that are not the server's"
lends() # TABLE DEFINITION: with this in its definition it is refused
{
	as c owner "CREATE TABLE $1 (id int PRIMARY KEY, age float8 NOT NULL)" >/dev/null
	as c owner "$2" >/dev/null
	spread "$1" id
	as c owner "SELECT dpsens.protect('$1'), dpsens.set_range('$1', 'age', 0, 99)" >/dev/null
	grant_budget "$1"
	is "$(as c analyst "SELECT dp_count(true, 0.25) FROM $1")" "${lent/@/$1}, $3" "$4"
	is "$(as c owner "SELECT dp_count(true, 0.25) IS NOT NULL FROM $1")" t "whom its owner may ask"
}
lends indexed "CREATE INDEX ON indexed ((hers(age)))" "$code" "a table with her function in an index"
lends folded "CREATE INDEX ON folded ((age + hers(1)))" "$code" "of a constant, which planners compute"
lends partial "CREATE INDEX ON partial (age) WHERE hers(age) > 3" "$code" "in an index's predicate"
lends checked "ALTER TABLE checked ADD CHECK (hers(age) >= 0)" "$code" "in a constraint"
lends counted "CREATE STATISTICS of_age ON (hers(age)), id FROM counted" "$code" "in statistics"
lends walled "CREATE POLICY all_rows ON walled USING (true); ALTER TABLE walled ENABLE ROW LEVEL SECURITY" "where it has row-level security" "one with policies"
as c owner "CREATE VIEW lent AS TABLE asked; GRANT SELECT ON lent TO analyst" >/dev/null
like "$(as c analyst "SELECT dp_count(true, 0.25) FROM lent")" "ERROR: *" "a view whose owner may read it lends nothing"
on c "CREATE VIEW hers_of AS SELECT id, age FROM asked WHERE age > 10; ALTER VIEW hers_of OWNER TO analyst" >/dev/null
is "$(as c analyst "SELECT dp_count(true, 0.125) BETWEEN 700 AND 1100 FROM hers_of")" t "a view of her own is answered about"
on c "DROP VIEW hers_of" >/dev/null
before_view=$(paid)
as c owner "CREATE VIEW closed AS SELECT id, age FROM asked WHERE age > 10; ALTER VIEW closed SET (security_invoker = on)" >/dev/null
like "$(as c analyst "SELECT dp_count(true, 0.125) FROM closed")" "ERROR: permission denied for view closed" "one that she may not read is not"
is "$(paid)" "$before_view" "and nothing is charged"
like "$(as c analyst "BEGIN; LOCK TABLE asked IN ACCESS SHARE MODE" | tail -1)" "ERROR: permission denied*" "she may not lock the table"
on c "GRANT TRUNCATE ON asked TO analyst" >/dev/null
like "$(as c analyst "BEGIN; LOCK TABLE asked IN SHARE ROW EXCLUSIVE MODE; SELECT dp_count(true, 0.125) FROM asked" | tail -1)" "ERROR: relation asked was changed or locked in the same transaction" "nor ask about it while she has locked it otherwise"
on c "REVOKE TRUNCATE ON asked FROM analyst" >/dev/null
is "$(paid)" "$((${before%|*} + 1))|$(on c "SELECT ${before#*|} + 0.125")" "nothing of what was refused was charged"

# ---- nodes that fail ----

stops_at() { PGPORT=${port[$1]} stop_cluster "$1" immediate; }
before=$(paid)
stops_at w2
like "$(in_full c analyst "SELECT dp_count(true, 0.25) FROM asked")" "*ERROR:*a node that has shards of distributed table \"asked\" could not be asked*DETAIL:*Nothing was charged.*" "without a node there is an error"
is "$(paid)" "$before" "before anything is charged"
PGPORT=${port[w2]} start_cluster w2
is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM asked")" t "and an answer once it is back"
on c "ALTER ROLE owner NOLOGIN" >/dev/null
on w1 "ALTER ROLE owner NOLOGIN" >/dev/null
like "$(as c analyst "SELECT dp_count(true, 0.25) FROM asked")" "ERROR: a node that has shards of distributed table \"asked\" could not be asked" "an owner who cannot connect is one, too"
on c "ALTER ROLE owner LOGIN" >/dev/null
on w1 "ALTER ROLE owner LOGIN" >/dev/null

# a lock on a shard keeps no room from others
exec {shards}> >(PGPORT=${port[w1]} psql -XAtq >/dev/null 2>&1)
echo "SET citus.enable_manual_changes_to_shards = on; SET citus.override_table_visibility = off; BEGIN; LOCK TABLE $shard IN ACCESS EXCLUSIVE MODE;" >&"$shards"
PGPORT=${port[w1]} wait_for "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = '$shard'::regclass AND granted AND mode = 'AccessExclusiveLock')"
before=$(paid)
is "$(as c analyst "SET lock_timeout = 50; SELECT dp_count(true, 0.25) FROM asked")" "ERROR: a node that has shards of distributed table \"asked\" could not be asked" "a shard that is locked is waited for no longer than a room waits" # clock: the lock stays until the statement has ended
is "$(paid)" "$before" "and nothing is charged"
exec {shards}>&-
PGPORT=${port[w1]} wait_for "SELECT NOT EXISTS (SELECT FROM pg_locks WHERE relation = '$shard'::regclass)"

# asks_beyond_the_charge: a statement of the analyst that has been charged, and waits for w1, whose processes stand still
asks_beyond_the_charge()
{
	local releases
	releases=$(on c "SELECT count(*) FROM dpsens.release")
	hold_ledger
	PGPORT=${port[c]} PGUSER=analyst PGAPPNAME=asks psql -XAtq -c "SELECT dp_count(true, 0.25) FROM asked" >"$base/asked" 2>&1 &
	asks=$!
	wait_for_charge
	still=$(on w1 "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE usename = 'owner'")
	# shellcheck disable=SC2086
	kill -STOP $still
	free_ledger
	PGPORT=${port[c]} wait_for "SELECT count(*) > $releases FROM dpsens.release"
}
ends()
{
	# shellcheck disable=SC2086
	kill -CONT $still 2>/dev/null
	wait "$asks"
}
epsilon() { paid | cut -d'|' -f2; }
more() { on c "SELECT trim_scale($(epsilon) - $1)"; }

before=$(epsilon)
asks_beyond_the_charge
ends
is "$(grep -c '^[0-9]*$' "$base/asked")" 1 "a statement that waits for a node is answered"
is "$(more "$before")" 0.25 "and charged once"

before=$(epsilon)
asks_beyond_the_charge
stops_at w1
ends
like "$(cat "$base/asked")" "*ERROR:  the private answers of the statement could not be computed*" "a node that dies on the way is an error, which does not say why"
is "$(grep -ci "w1\|127.0.0.1\|connection\|asked_" "$base/asked")" 0 "nor where"
is "$(more "$before")" 0.25 "charged once"
PGPORT=${port[w1]} start_cluster w1
is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM asked")" t "and the next one is answered"

for how in pg_cancel_backend pg_terminate_backend; do
	before=$(epsilon)
	asks_beyond_the_charge
	on c "SELECT $how(pid) FROM pg_stat_activity WHERE application_name = 'asks'" >/dev/null
	wait "$asks"
	like "$(cat "$base/asked")" "*due to *" "$how ends a statement"
	ends
	wait_for_no_room
	is "$(for node in w1 w2; do on $node "SELECT count(*) FROM pg_stat_activity WHERE usename = 'owner'"; done | tr '\n' ' ')" "0 0 " "and with it the room's connections"
	is "$(more "$before")" 0.25 "it was charged once"
	is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM asked")" t "and the room is free"
done

# ---- shards on the coordinator ----

on c "SELECT citus_set_node_property('127.0.0.1', ${port[c]}, 'shouldhaveshards', true)" >/dev/null
as c owner "CREATE TABLE spread_here AS SELECT * FROM local; ALTER TABLE spread_here ALTER age SET NOT NULL; CREATE TABLE local_here AS SELECT * FROM local; ALTER TABLE local_here ALTER age SET NOT NULL; SELECT create_distributed_table('spread_here', 'id', colocate_with => 'none'); SELECT truncate_local_data_after_distributing_table('spread_here')" >/dev/null
on c "VACUUM spread_here" >/dev/null
is "$(on c "SELECT count(*) > 0 FROM pg_dist_shard_placement WHERE nodeport = ${port[c]} AND shardid IN (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'spread_here'::regclass)")" t "the coordinator has shards"
for table in local_here spread_here; do
	as c owner "SELECT dpsens.protect('$table'), dpsens.set_range('$table', 'age', 0, 99), dpsens.set_values('$table', 'sex', 'F', 'M', 'X')" >/dev/null
done
same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @_here"
same "SELECT sex, dp_median(age, 1), dp_count(true, 1) FROM @_here GROUP BY sex"
here=$(on c "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^spread_here_[0-9]+\$'")
like "$(as c analyst "SELECT count(*) FROM $here")" "ERROR: permission denied for table $here" "which she may not read"
is "$(as c analyst "SELECT pg_relation_size('$here') IS NULL")" t "nor measure"

# ---- without clean rooms ----

PGPORT=${port[c]} stop_cluster c
PGPORT=${port[c]} start_cluster c "-c dpsens.clean_rooms=0"
before=$(epsilon)
like "$(in_full c analyst "SELECT dp_count(true, 0.25) FROM asked")" "*ERROR:*are not supported for a role without SELECT privilege where there are no clean rooms*" "without clean rooms there is no answer"
is "$(more "$before")" 0 "and no charge"
is "$(as c owner "SELECT dp_count(true, 0.25) IS NOT NULL FROM asked")" t "but for who may read the table"

echo "1..$tests"
exit $((failures > 0))
