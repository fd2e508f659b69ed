#!/usr/bin/env bash
# reference.sh
#	Answers about protected reference tables of Citus, of which each node has all rows, and about distributed tables that are
#	stored by columns: the same exact sums as of one server, one charge, whichever copy is read; one copy, though a node
#	fails while it sends.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/counted_states.c, guard/distributed/distributed_run.c, glue/citus.c
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
as c owner "DROP TABLE spread" >/dev/null

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
