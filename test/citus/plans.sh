#!/usr/bin/env bash
# plans.sh
#	What nodes of Citus plan for the sums that are sent to them: scan nodes of ours over the shard, with parallel workers,
#	for roles with SELECT; one process, and no index, in the transactions that rooms begin.  The text that was sent is explained
#	on the node that it was sent to.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: agg/scan/table_sums_plan.c, agg/scan/row_sums.c, guard/distributed/connections.c
NODE_MESSAGES=log
MORE_NODE_SETTINGS=("log_statement = all" "log_line_prefix = '%p %u %a| '" "citus.log_remote_commands = on" "max_parallel_workers = 4" "max_worker_processes = 24" "jit = off" "dpsens.max_failures = 0")
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN" >/dev/null
as c owner "CREATE TABLE people (id int PRIMARY KEY, age float8 NOT NULL, sex text NOT NULL); CREATE TABLE stays (patient int NOT NULL, cost float8 NOT NULL, ward text NOT NULL)" >/dev/null
as c owner "SELECT create_distributed_table('people', 'id'), create_distributed_table('stays', 'patient')" >/dev/null
as c owner "INSERT INTO people SELECT i, i % 100, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 40000) i" >/dev/null
as c owner "INSERT INTO stays SELECT 1 + i / 5, i % 500, 'w' || i % 3 FROM generate_series(0, 99999) i" >/dev/null
as c owner "CREATE INDEX ON people (age)" >/dev/null
as c owner "SELECT dpsens.protect('people'), dpsens.set_range('people', 'age', 0, 99), dpsens.set_values('people', 'sex', 'F', 'M'), dpsens.grant_budget('people', 'analyst', epsilon => 100)" >/dev/null
as c owner "SELECT dpsens.protect('stays', unit => 'patient', max_rows => 3), dpsens.set_range('stays', 'cost', 0, 500), dpsens.set_values('stays', 'ward', 'w0', 'w1', 'w2'), dpsens.grant_budget('stays', 'analyst', epsilon => 100)" >/dev/null
for node in w1 w2; do on "$node" "VACUUM ANALYZE" >/dev/null; done
is "$(as c owner "SELECT (SELECT count(*) FROM people), (SELECT count(*) FROM stays)")" "40000|100000" "there are rows"

# sent: the last sums that w1 was asked for
sent() { grep -o "statement: SELECT.*dpsens_internal\.sum(.*" "$base/w1.log" | tail -1 | sed 's/^statement: //'; }

# planned BEFORE: the plan of what was sent to w1, with workers wherever the planner may use them, after BEFORE
cheap="SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2"
planned() { as w1 owner "$cheap; $1; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $(sent)"; }

scanned="*Custom Scan (dpsens added sums)*Workers Launched: [1-9]*Parallel Custom Scan (dpsens exact sums)*"
begun=
# in_nodes QUERY PLAN
in_nodes()
{
	local plan
	: >"$base/w1.log"
	is "$(as c owner "SELECT count(*) > 0 FROM ($1) t")" t "answered: $1"
	plan=$(planned "SELECT 1")
	like "$plan" "$2" "of which nodes scan shards in parallel"
	is "$(grep -c "Rows Removed\|Index" <<<"$plan")" 0 "whole ones"
	: >"$base/w1.log"
	is "$(as c analyst "SELECT count(*) > 0 FROM ($1) t")" t "and to a role without SELECT: $1"
	begun=$(grep -o "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;SET LOCAL search_path.*SET TRANSACTION READ ONLY" "$base/w1.log" | tail -1)
	like "$begun" "BEGIN*" "there is what a room begins with"
	plan=$(planned "$begun")
	like "$plan" "*dpsens exact sums*" "for whom they scan them, too"
	is "$(grep -c "Gather\|Parallel\|Index\|ERROR" <<<"$plan")" 0 "by one process and through no index"
}
in_nodes "SELECT dp_sum(age, 0.125) FROM people" "$scanned"
in_nodes "SELECT sex, dp_sum(age, 0.125), dp_count(true, 0.125) FROM people GROUP BY sex" "$scanned"
in_nodes "SELECT dp_count(true, 0.125) FROM people WHERE sex = 'F'" "$scanned"
in_nodes "SELECT ward, dp_sum(cost, 0.125) FROM stays GROUP BY ward" "$scanned"

# An index that would be cheaper than the whole shard is used for none of them.
: >"$base/w1.log"
as c analyst "SELECT dp_count(true, 0.125) FROM people WHERE age < 1" >/dev/null
like "$(as w1 owner "SET enable_seqscan = off; EXPLAIN (COSTS OFF) $(sent)")" "*Index*" "others may have a plan that reads an index"
is "$(as w1 owner "SET enable_seqscan = off; $begun; EXPLAIN (COSTS OFF) $(sent)" | grep -c "Index\|ERROR")" 0 "but a room's has none"

# The plan that is cheapest of all: a median's distinct values.
: >"$base/w1.log"
as c owner "SELECT dp_median(age, 0.125) FROM people" >/dev/null
like "$(planned "SELECT 1")" "*Finalize Aggregate*Workers Launched: [1-9]*Partial Aggregate*Parallel Seq Scan*" "values are counted in parallel, too"

echo "1..$tests"
exit $((failures > 0))
