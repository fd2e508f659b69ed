#!/usr/bin/env bash
# distributed.sh
#	Answers about tables that Citus has distributed: on a cluster whose nodes have a key, the same exact
#	sums as of one server, one charge and one draw, whatever its planner makes of them; and what a node
#	takes from whom.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: glue/cluster_key.c, agg/state/travel.c, guard/distributed/distributed_states.c, guard/distributed/distributed_run.c
key=$(mktemp)
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$key"
chmod 600 "$key"
[ "$(id -u)" -ne 0 ] || chown postgres "$key"
NODE_SETTINGS=("dpsens.cluster_key_file = '$key'")
. "$(dirname "${BASH_SOURCE[0]}")/nodes.sh"
trap 'clean_up; rm -f "$key"' EXIT

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN" >/dev/null
on c "CREATE ROLE reader LOGIN" >/dev/null

columns="(id int PRIMARY KEY, age float8 NOT NULL, weight float8, sex text NOT NULL, born date NOT NULL, smoker boolean, visits int NOT NULL)"
rows="SELECT i, i % 100, CASE WHEN i % 7 = 0 THEN NULL ELSE 40 + i % 60 END, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END, DATE '1940-01-01' + i, i % 2 = 0, i % 5 FROM generate_series(1, 1000) i"
# declare TABLE: what is said of it
declare_table()
{
	as c owner "SELECT dpsens.protect('$1'), dpsens.set_range('$1', 'age', 0, 99), dpsens.set_range('$1', 'weight', 40, 99), dpsens.set_values('$1', 'sex', 'F', 'M', 'X'), dpsens.set_range('$1', 'visits', 0, 4), dpsens.set_public('$1', 'smoker'), dpsens.set_budget('$1', epsilon => 1000)"
}
for table in local spread; do
	as c owner "CREATE TABLE $table $columns; INSERT INTO $table $rows" >/dev/null
done
as c owner "SELECT create_distributed_table('spread', 'id'); SELECT truncate_local_data_after_distributing_table('spread')" >/dev/null
on c "VACUUM spread" >/dev/null
declare_table local
declare_table spread

as c owner "SELECT dp_count(true, 1) FROM spread"
as c owner "SELECT dp_sum(age, 1), dp_avg(weight, 1), dp_count(true, 1) FROM spread WHERE age > 20"
on c "SET dpsens.noise = off; SELECT dp_sum(age, 1), dp_avg(weight, 1), dp_count(true, 1) FROM spread WHERE age > 20"
on c "SET dpsens.noise = off; SELECT dp_sum(age, 1), dp_avg(weight, 1), dp_count(true, 1) FROM local WHERE age > 20"
on c "SET dpsens.noise = off; SELECT sex, dp_sum(age, 1), dp_avg(weight, 1), dp_count(true, 1) FROM spread WHERE age > 20 GROUP BY sex"
on c "SET dpsens.noise = off; SELECT sex, dp_sum(age, 1), dp_avg(weight, 1), dp_count(true, 1) FROM local WHERE age > 20 GROUP BY sex"
in_full c owner "EXPLAIN VERBOSE SELECT sex, dp_sum(age, 1) FROM spread WHERE age > 20 GROUP BY sex"
on c "SELECT count(*), sum(epsilon) FROM dpsens.release"
tail -5 $base/c.log
