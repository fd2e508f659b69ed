#!/usr/bin/env bash
# travel.sh
#	What the coordinator takes from a node, and what it does not send: sums of another statement, names that
#	nodes would look up, tables whose shards are in several places.  BINDIR is where a server's programs are
#	that has both extensions.
#
#	Files: agg/state/travel.c, glue/citus.c, guard/distributed/distributed_states.c, guard/query/session_values.c
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
for table in local spread; do
	as c owner "CREATE TABLE $table (id int PRIMARY KEY, age float8 NOT NULL, sex text NOT NULL); INSERT INTO $table SELECT i, i % 100, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END FROM generate_series(1, 500) i" >/dev/null
done
as c owner "SELECT create_distributed_table('spread', 'id'); SELECT truncate_local_data_after_distributing_table('spread')" >/dev/null
for table in local spread; do
	as c owner "SELECT dpsens.protect('$table'), dpsens.set_range('$table', 'age', 0, 99), dpsens.set_values('$table', 'sex', 'F', 'M')" >/dev/null
done

# ---- sums are of one statement ----

question="SELECT sex, dp_sum(age, 1) FROM spread GROUP BY sex"
same "${question/spread/@}"
sent=$(PGPORT=${port[c]} PGUSER=owner psql -XAtq -c "SET citus.log_remote_commands = on; $question" 2>&1 | grep -o "SELECT dpsens_internal.*" | head -1)
shard=$(on w1 "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^spread_[0-9]+\$'")
replayed=$(sed -E "s/spread_[0-9]+/$shard/g" <<<"$sent")
like "$(as w1 owner "$replayed")" "dpsens1:*" "a node yields sums of a plan that it gets twice"
# From now on the node sends the sums of that statement, whatever it is asked: an aggregate of just these types is preferred to ours.
on w1 "SET citus.enable_ddl_propagation = off; CREATE TABLE kept (states text); GRANT SELECT ON kept TO PUBLIC; INSERT INTO kept VALUES ('$(as w1 owner "$replayed")')" >/dev/null
on w1 "SET citus.enable_ddl_propagation = off; CREATE FUNCTION keep(text, dpsens_internal.shard_plan, text, float8) RETURNS text LANGUAGE sql AS 'SELECT states FROM public.kept'; CREATE AGGREGATE dpsens_internal.sum(dpsens_internal.shard_plan, text, float8) (SFUNC = public.keep, STYPE = text); GRANT EXECUTE ON FUNCTION dpsens_internal.sum(dpsens_internal.shard_plan, text, float8) TO PUBLIC" >/dev/null
is "$(as w1 owner "$replayed")" "$(on w1 "TABLE kept")" "a node sends again what it has sent"
is "$(as c owner "$question")" "ERROR: exact sums that were received are of another statement" "which the coordinator does not take for sums of another statement"
is "$(as c owner "SELECT dp_sum(age, 1) IS NOT NULL FROM spread")" t "one that is asked otherwise is answered"
on w1 "SET citus.enable_ddl_propagation = off; DROP FUNCTION keep CASCADE" >/dev/null
same "${question/spread/@}"

# ---- what nodes would look up by name ----

named="ERROR: private answers about distributed table \"spread\" are not supported with IS DISTINCT FROM, NULLIF, CASE of a value, or operators that are not the server's"
before=$(on c "SELECT count(*) FROM dpsens.release")
is "$(as c owner "SELECT dp_count(true, 1) FROM spread WHERE sex IS DISTINCT FROM 'F'")" "$named" "IS DISTINCT FROM names no operator"
is "$(as c owner "SELECT dp_sum(NULLIF(age, 3), 1) FROM spread WHERE NULLIF(sex, 'M') = 'F'")" "$named" "nor does NULLIF"
is "$(as c owner "SELECT dp_count(true, 1) FROM spread WHERE CASE sex WHEN 'F' THEN age > 3 ELSE false END")" "$named" "nor CASE of a value"
is "$(on c "SELECT count(*) FROM dpsens.release")" "$before" "of which nothing is charged"
same "SELECT dp_count(true, 1) FROM @ WHERE CASE WHEN sex = 'F' THEN age > 3 ELSE false END"

# ---- what settings decide ----

for table in local_times spread_times; do
	as c owner "CREATE TABLE $table (id int PRIMARY KEY, seen timestamptz NOT NULL, seen_here timestamp NOT NULL, day date NOT NULL); INSERT INTO $table SELECT i, '2020-03-29 00:30+00'::timestamptz + i * interval '1 hour', '2020-03-29 00:30'::timestamp + i * interval '1 hour', '2020-03-29'::date + i / 24 FROM generate_series(1, 100) i" >/dev/null # clock: the name of a type
done
as c owner "SELECT create_distributed_table('spread_times', 'id'); SELECT truncate_local_data_after_distributing_table('spread_times')" >/dev/null
for table in local_times spread_times; do as c owner "SELECT dpsens.protect('$table'), dpsens.set_range('$table', 'seen', '2020-01-01+00', '2030-01-01+00')" >/dev/null; done
elsewhere="SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'SQL, DMY'"
settings="ERROR: private answers about distributed table \"spread_times\" are not supported with expressions of columns that depend on settings of the session"
before=$(on c "SELECT count(*) FROM dpsens.release")
for query in "WHERE seen < '2020-03-30 10:00'::timestamp" "WHERE seen_here > '2020-03-30 10:00+02'::timestamptz" "WHERE seen < day" "WHERE seen_here < now()"; do # clock: what is compared is long past
	is "$(as c owner "$elsewhere; SELECT dp_count(true, 1) FROM spread_times $query")" "$settings" "nodes do not compute by their settings: $query"
done
is "$(on c "SELECT count(*) FROM dpsens.release")" "$before" "of which nothing is charged"
same "$elsewhere; SELECT dp_count(true, 1) FROM @_times WHERE seen < '30/03/2020 10:00'"
same "$elsewhere; SELECT dp_count(true, 1) FROM @_times WHERE seen_here < '30/03/2020 10:00' AND day >= '29/03/2020'"
same "$elsewhere; PREPARE q (timestamptz) AS SELECT dp_count(true, 1) FROM @_times WHERE seen < \$1; EXECUTE q ('30/03/2020 10:00')" # clock: the name of a type
same "$elsewhere; SELECT dp_count(true, 1) FROM @_times WHERE seen < now()" # clock: long past
# now() is one value, which nodes do not compute
same "BEGIN; SELECT now() IS NOT NULL; INSERT INTO @_times SELECT 2000 + i, now(), '2020-01-01', '2020-01-01' FROM generate_series(1, 30) i; SELECT dp_count(true, 1) FROM @_times WHERE seen = now(); ROLLBACK" # clock: one value in a transaction

# ---- accounts of rows ----

# set_budget() refuses them of distributed tables (rows.sh); accounts from before a table was distributed are there all the same
as c owner "CREATE TABLE kept_account (id int PRIMARY KEY, age float8 NOT NULL); SELECT dpsens.protect('kept_account', unit => 'id'), dpsens.set_budget('kept_account', row_epsilon => 60), dpsens.unprotect('kept_account')" >/dev/null
like "$(as c owner "SELECT create_distributed_table('kept_account', 'id')")" "ERROR: cannot distribute relation \"kept_account\" because it has triggers" "a table whose rows have accounts is not distributed"
on c "SET citus.enable_unsafe_triggers = on; SELECT create_distributed_table('kept_account', 'id')" >/dev/null
as c owner "SELECT dpsens.protect('kept_account', unit => 'id')" >/dev/null
before=$(on c "SELECT count(*) FROM dpsens.release")
is "$(as c owner "SELECT dp_count(true, 1) FROM kept_account")" "ERROR: accounts of the rows of table \"kept_account\", which Citus has distributed, are not supported" "nor answered about where Citus was told to"
is "$(on c "SELECT count(*) FROM dpsens.release")" "$before" "and nothing is charged"

# ---- policies, of which a query that they do not bind says nothing ----

as c owner "CREATE TABLE walled (id int PRIMARY KEY, age float8 NOT NULL); CREATE POLICY all_rows ON walled USING (true); ALTER TABLE walled ENABLE ROW LEVEL SECURITY" >/dev/null
as c owner "SELECT create_distributed_table('walled', 'id'); SELECT dpsens.protect('walled')" >/dev/null
is "$(on c "SET dpsens.debug_restricted = on; SELECT dp_count(true, 1) FROM walled")" "ERROR: private answers about distributed table \"walled\" are not supported for a role without SELECT privilege, where it has row-level security" "who is bound by no policy is refused what nodes would read as the owner"

# ---- shards in several places ----

as c owner "CREATE TABLE twice (id int PRIMARY KEY, age float8 NOT NULL); INSERT INTO twice SELECT i, i FROM generate_series(1, 50) i" >/dev/null
as c owner "SET citus.shard_replication_factor = 2; SELECT create_distributed_table('twice', 'id'); SELECT truncate_local_data_after_distributing_table('twice')" >/dev/null
is "$(on c "SELECT count(*) > count(DISTINCT shardid) FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'twice'::regclass")" t "a table whose shards are in two places"
like "$(as c owner "SELECT dpsens.protect('twice')")" "ERROR: table \"twice\" cannot be protected*" "cannot be protected"

finish
