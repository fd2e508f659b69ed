#!/usr/bin/env bash
# distributed.sh
#	Answers about tables that Citus has distributed: on a cluster whose nodes have a key, the same exact
#	sums as of one server, one charge and one draw, whatever its planner makes of them; and what a node
#	takes from whom.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: glue/cluster_key.c, agg/state/travel.c, guard/distributed/distributed_states.c, guard/distributed/distributed_plan.c, guard/distributed/distributed_run.c, guard/condition/sent_attempt.c
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN" >/dev/null
on c "CREATE ROLE reader LOGIN" >/dev/null

columns="(id int PRIMARY KEY, age float8 NOT NULL, weight float8, sex text NOT NULL, birthday date NOT NULL, smoker boolean, visits int NOT NULL)" # clock: the name of a type
rows="SELECT i, i % 100, CASE WHEN i % 7 = 0 THEN NULL ELSE 40 + i % 60 END, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END, DATE '1940-01-01' + i, i % 2 = 0, i % 5 FROM generate_series(1, 1000) i"
# declare TABLE: what is said of it
declare_table()
{
	as c owner "SELECT dpsens.protect('$1'), dpsens.set_range('$1', 'age', 0, 99), dpsens.set_range('$1', 'weight', 40, 99), dpsens.set_values('$1', 'sex', 'F', 'M', 'X'), dpsens.set_values('$1', 'visits', '0', '1', '2', '3', '4'), dpsens.set_public('$1', 'smoker')"
}
for table in local spread; do
	as c owner "CREATE TABLE $table $columns; INSERT INTO $table $rows" >/dev/null
done
as c owner "SELECT create_distributed_table('spread', 'id'); SELECT truncate_local_data_after_distributing_table('spread')" >/dev/null
on c "VACUUM spread" >/dev/null
declare_table local >/dev/null
declare_table spread >/dev/null


# ---- the same exact sums ----

like "$(in_full c owner "EXPLAIN VERBOSE SELECT dp_count(true, 1) FROM spread")" "*Function Scan on dpsens_internal.exact_distributed*" "Citus plans exact sums alone"
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
same "SELECT dp_sum(a, 1) FROM (SELECT age + 1 AS a, sex FROM @ WHERE visits < 3) t WHERE sex = 'F'"
same "SELECT (SELECT dp_count(true, 1) FROM @) + (SELECT dp_sum(age, 1) FROM @)"
same "WITH n AS (SELECT sex, dp_count(true, 1) AS n FROM @ GROUP BY sex) SELECT a.sex, b.n FROM n a, n b WHERE a.sex = b.sex"
same "CREATE TABLE kept AS SELECT sex, dp_count(true, 1) AS n FROM @ GROUP BY sex; SELECT * FROM kept ORDER BY 1; DROP TABLE kept"
same "PREPARE q (float8, text) AS SELECT dp_sum(age, 1) FROM @ WHERE age < \$1 AND sex = \$2; EXECUTE q (50, 'F'); EXECUTE q (80, 'M'); EXECUTE q (NULL, 'M')"
same "SET plan_cache_mode = force_generic_plan; PREPARE q (float8) AS SELECT dp_sum(age, 1) FROM @ WHERE age < \$1; EXECUTE q (50); EXECUTE q (20)"
same "BEGIN; DECLARE d CURSOR FOR SELECT sex, dp_count(true, 1) FROM @ GROUP BY sex; FETCH 1 FROM d; FETCH ALL FROM d; COMMIT"
same "CREATE TEMP TABLE told (n bigint); DO \$\$ DECLARE n bigint; BEGIN SELECT dp_count(true, 1) INTO n FROM @ WHERE age > 3; INSERT INTO told VALUES (n); END \$\$; TABLE told"
same "SELECT dp_sum(2 * age + 1, 1) FROM @ a WHERE a.smoker IS NOT TRUE"
same "SELECT dp_count(true, 1) FROM @ WHERE sex LIKE 'F%' AND weight IS NOT NULL AND CASE WHEN age > 10 THEN smoker ELSE true END"
as c owner "CREATE TABLE local_stays (id int, patient int NOT NULL, cost float8, ward text); INSERT INTO local_stays SELECT i, i % 97, i % 50, CASE WHEN i % 4 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 2000) i; CREATE TABLE spread_stays AS TABLE local_stays; ALTER TABLE spread_stays ALTER patient SET NOT NULL" >/dev/null
as c owner "CREATE TABLE other_stays AS TABLE local_stays; ALTER TABLE other_stays ALTER patient SET NOT NULL; SELECT create_distributed_table('spread_stays', 'patient'), create_distributed_table('other_stays', 'id'); SELECT truncate_local_data_after_distributing_table('spread_stays'), truncate_local_data_after_distributing_table('other_stays')" >/dev/null
on c "VACUUM spread_stays, other_stays" >/dev/null
for table in local_stays spread_stays other_stays; do
	as c owner "SELECT dpsens.protect('$table', unit => 'patient', max_rows => 5), dpsens.set_range('$table', 'cost', 0, 50), dpsens.set_values('$table', 'ward', 'a', 'b')" >/dev/null
done
same "SELECT dp_count(true, 1), dp_sum(cost, 1) FROM @_stays"
same "SELECT ward, dp_count(true, 1), dp_sum(cost, 1), dp_avg(cost, 1) FROM @_stays GROUP BY ward"
same "SELECT dp_median(age, 1), dp_min(age, 1), dp_quantile(weight, 0.25, 1) FROM @"
same "SELECT sex, dp_median(age, 1) FROM @ GROUP BY sex"
same "SELECT smoker, dp_count(true, 1), dp_sum(age, 1) FROM @ GROUP BY smoker"
same "SELECT visits, smoker, dp_avg(age, 1) FROM @ GROUP BY visits, smoker"
same "SELECT dp_mode(sex, 1) FROM @"
same "SELECT dp_histogram(age, 5, 1) FROM @"

# ---- what is refused ----

unsupported="ERROR: private answers about distributed table \"@\" are not supported"
is "$(as c owner "SELECT dp_count(true, 1) FROM other_stays")" "${unsupported/@/other_stays} where a unit has several rows and the table is not distributed by the unit" "a unit that is spread over shards is refused"
like "$(in_full c owner "SELECT dp_count(true, 1) FROM other_stays")" "*HINT:*alter_distributed_table('other_stays'*while it is not protected*" "with what helps"
as c owner "CREATE TABLE helped (id int NOT NULL, patient int NOT NULL); SELECT create_distributed_table('helped', 'id'); INSERT INTO helped SELECT i, i % 97 FROM generate_series(1, 2000) i; SELECT dpsens.protect('helped', unit => 'patient', max_rows => 5), dpsens.unprotect('helped'), alter_distributed_table('helped', distribution_column := 'patient')" >/dev/null
is "$(as c owner "SELECT dpsens.protect('helped', unit => 'patient', max_rows => 5); SELECT dp_count(true, 40) BETWEEN 400 AND 600 FROM helped" | tail -1)" t "which does"
like "$(as c owner "SELECT dp_count(true, 1) FROM spread WHERE EXISTS (SELECT FROM local l WHERE l.id = spread.id)")" "ERROR: *not supported*" "so are subqueries in conditions"
as c owner "CREATE TABLE sexes (sex text PRIMARY KEY, name text); INSERT INTO sexes VALUES ('F', 'f'), ('M', 'm'); SELECT dpsens.set_public('sexes')" >/dev/null
is "$(as c owner "SELECT name, dp_count(true, 1) FROM spread JOIN sexes USING (sex) GROUP BY name")" "${unsupported/@/spread} together with \"sexes\", which is not distributed" "joins with tables of the coordinator"
like "$(as c owner "SELECT id, (SELECT dp_count(true, 1) FROM spread s WHERE s.id < l.id) FROM local l LIMIT 1")" "ERROR: *not supported*" "and queries that depend on another"
distributed="ERROR: dp aggregates are not answered in a statement with table \"spread\", which Citus has distributed"
is "$(as c owner "SELECT (SELECT dp_count(true, 1) FROM spread), (SELECT count(*) FROM spread)")" "$distributed" "no answer stands beside a plain query of a distributed table"
is "$(as c owner "SELECT (SELECT dp_count(true, 1) FROM local), (SELECT count(*) FROM spread)")" "$distributed" "nor one about another table"
is "$(as c owner "INSERT INTO spread (id, age, sex, birthday, visits) SELECT dp_count(true, 1), 0, 'X', '2000-01-01', 0 FROM local")" "$distributed" "nor goes into one"
as c owner "CREATE TABLE charged AS SELECT * FROM local; SELECT create_distributed_table('charged', 'id'); SELECT truncate_local_data_after_distributing_table('charged')" >/dev/null
on c "VACUUM charged" >/dev/null
declare_table charged >/dev/null
as c owner "SELECT dpsens.set_budget('charged', epsilon => 10), dpsens.grant_budget('charged', 'analyst', epsilon => 2)" >/dev/null
is "$(as c analyst "SELECT dp_count(true, 0.5) IS NOT NULL FROM charged")" t "a role with a budget that may not read the table is answered, by a clean room (analysts.sh)"
before=$(on c "SELECT count(*) FROM dpsens.release")
like "$(as c analyst "SELECT count(*) FROM charged")" "ERROR: permission denied*" "and about nothing else"
is "$(on c "SELECT count(*) FROM dpsens.release")" "$before" "of which nothing is charged"
as c owner "CREATE TABLE plain (id int PRIMARY KEY, age float8 NOT NULL); INSERT INTO plain SELECT i, i FROM generate_series(1, 99) i; SELECT create_reference_table('plain')" >/dev/null
like "$(as c owner "SELECT dpsens.protect('plain')")" "ERROR: table \"plain\" cannot be protected*" "a reference table cannot be protected"
as c owner "CREATE TABLE parts (id int, age float8) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (9); SELECT create_distributed_table('parts', 'id')" >/dev/null
like "$(as c owner "SELECT dpsens.protect('parts')")" "ERROR: table \"part*\" cannot be protected*" "nor one with partitions"
as c owner "CREATE TABLE stale (id int, age float8); INSERT INTO stale VALUES (1, 1); SELECT create_distributed_table('stale', 'id')" >/dev/null
like "$(in_full c owner "SELECT dpsens.protect('stale')")" "*truncate_local_data*" "nor one with rows left here"
as c owner "CREATE TABLE first (id int, age float8); SELECT dpsens.protect('first')" >/dev/null
like "$(as c owner "SELECT create_distributed_table('first', 'id')")" "ERROR: protected table \"first\" cannot be distributed*" "a table is distributed first, and then protected"

on c "CREATE TYPE mood AS ENUM ('fine', 'ill'); GRANT USAGE ON TYPE mood TO owner" >/dev/null
as c owner "CREATE TABLE moods (id int PRIMARY KEY, felt mood NOT NULL, age float8 NOT NULL); SELECT create_distributed_table('moods', 'id'); SELECT dpsens.protect('moods'), dpsens.set_range('moods', 'age', 0, 99), dpsens.set_values('moods', 'felt', 'fine', 'ill')" >/dev/null
is "$(as c owner "SELECT felt, dp_count(true, 1) FROM moods GROUP BY felt")" "${unsupported/@/moods} with types that are not the server's own, or with that many groups" "keys whose numbers differ from node to node are refused"
is "$(as c owner "SELECT dp_count(true, 1) IS NOT NULL FROM moods WHERE felt = 'ill'")" t "conditions on them are not"

before=$(on c "SELECT count(*) FROM dpsens.release")
as c owner "CREATE VIEW lent AS TABLE charged; GRANT SELECT ON lent TO reader" >/dev/null
is "$(as c reader "SELECT dp_count(true, 0.25) FROM lent")" "${unsupported/@/charged} by the rights of somebody else, or of some columns" "nodes lend no rights to who reads a view"
is "$(on c "SELECT count(*) FROM dpsens.release")" "$before" "which is seen before the charge"
as c owner "GRANT SELECT ON charged TO reader" >/dev/null
is "$(as c reader "SELECT dp_count(true, 0.25) IS NOT NULL FROM charged")" t "who may read the table is answered"
as c owner "REVOKE SELECT ON charged FROM reader" >/dev/null
is "$(as c owner "SET dpsens.enable_group_states = off; SELECT dp_count(true, 1) FROM other_stays")" "${unsupported/@/other_stays} where a unit has several rows and the table is not distributed by the unit" "rows of units are chosen where all of them are"
is "$(as c owner "SET dpsens.enable_group_states = off; SELECT dp_count(true, 1) FROM spread_stays")" "${unsupported/@/spread_stays} where a unit has several rows and the table is not distributed by the unit" "and in no other way"
is "$(as c owner "SELECT cost, dp_count(true, 1) FROM spread_stays GROUP BY cost")" "${unsupported/@/spread_stays} where a unit has several rows and the table is not distributed by the unit" "nor by undeclared keys"

is "$(as c owner "SELECT dp_sum(least(n, 3), 1) FROM (SELECT patient, count(*) AS n FROM other_stays GROUP BY patient) t")" "${unsupported/@/other_stays} where a unit has several rows and the table is not distributed by the unit" "so are groups below of such units"
is "$(as c owner "SELECT dp_sum(least(n, 3), 1) IS NOT NULL FROM (SELECT patient, count(*) AS n FROM spread_stays GROUP BY patient) t")" t "but not those that are within a shard"
as c owner "CREATE TABLE by_other (id int NOT NULL, person int NOT NULL, age float8 NOT NULL); SELECT create_distributed_table('by_other', 'id'); SET citus.enable_ddl_propagation = off; CREATE UNIQUE INDEX ON by_other (person); SELECT dpsens.protect('by_other', unit => 'person'), dpsens.set_range('by_other', 'age', 0, 99)" >/dev/null
is "$(as c owner "SELECT dp_count(true, 1) FROM by_other")" "${unsupported/@/by_other} where a unit has several rows and the table is not distributed by the unit" "an index that nodes do not have proves nothing"

# ---- one charge, one draw ----

paid() { on c "SELECT count(*), sum(epsilon) FROM dpsens.release WHERE relation = 'charged'::regclass AND release > $before"; }
before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
is "$(as c owner "SELECT count(n) = 2, count(DISTINCT n) = 1 FROM (SELECT dp_count(true, 0.5) AS n FROM charged OFFSET 0) a, generate_series(1, 2)")" "t|t" "an answer that is read twice"
is "$(paid)" "1|0.5" "is charged once"
as c owner "SELECT sex, dp_sum(age, 0.25), dp_sum(age, 0.25) FROM charged WHERE id < 900 GROUP BY sex" >/dev/null
is "$(paid)" "2|0.75" "by groups too"
as c owner "SELECT dp_count(true, 0.25) FROM charged WHERE id = 7" >/dev/null
is "$(paid)" "3|1" "and from one shard"
is "$(as c owner "SELECT dp_count(true, 10) FROM charged")" "ERROR: the privacy budget of relation \"public.charged\" does not allow this statement" "beyond the budget nothing is answered"
stops_at() { PGPORT=${port[$1]} stop_cluster "$1" immediate; }
stops_at w2
like "$(as c owner "SELECT dp_count(true, 0.25) FROM charged")" "ERROR: *" "without a node there is an error"
is "$(paid)" "4|1.25" "after the charge"
PGPORT=${port[w2]} start_cluster w2
is "$(as c owner "SELECT dp_count(true, 0.25) IS NOT NULL FROM charged")" t "and an answer once it is back"
is "$(paid)" "5|1.5" "which is charged by itself"

# ---- what travels, and what is made of it ----

sent=$(PGPORT=${port[c]} PGUSER=owner psql -XAtq -c "SET citus.log_remote_commands = on; SELECT sex, dp_sum(age, 0.125) FROM charged WHERE age < 50 GROUP BY sex" 2>&1 | grep -o "SELECT dpsens_internal.*" | head -1)
like "$sent" "SELECT dpsens_internal.sum('dpsens1:*'::dpsens_internal.shard_plan, *" "a plan travels as cipher text"
shard=$(on w1 "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^charged_[0-9]+\$'")
replayed=$(sed -E "s/charged_[0-9]+/$shard/g" <<<"$sent")
like "$(as w1 reader "$replayed")" "ERROR: permission denied for table $shard" "a node answers no role that may not read the shard"
like "$(as w1 owner "$replayed")" "dpsens1:*" "and others in cipher text"
states=$(as w1 owner "$replayed")
is "$(as w1 owner "${replayed/dpsens1:?/dpsens1:X}")" "ERROR: a value that was sent is none of this cluster" "a plan that was changed is no plan"
is "$(as w1 owner "SELECT '$states'::dpsens_internal.states IS NULL")" "ERROR: cannot accept a value of type dpsens_internal.states" "states cannot be typed in, on a node"
is "$(as c owner "SELECT '$states'::dpsens_internal.states IS NULL")" "ERROR: cannot accept a value of type dpsens_internal.states" "nor on the coordinator"
is "$(as c owner "SELECT '${states/dpsens1/dpsens2}'::dpsens_internal.states IS NULL")" "ERROR: cannot accept a value of type dpsens_internal.states" "whatever they say"
is "$(as w1 owner "SELECT 'x'::dpsens_internal.plan IS NULL")" "ERROR: cannot accept a value of type dpsens_internal.plan" "nor plans"
plan=$(grep -o "dpsens1:[^']*" <<<"$sent" | head -1)
for node in w1 c; do
	for call in "exact_number('$plan'::dpsens_internal.plan, 'F')" "exact_groups('$plan'::dpsens_internal.plan, sex, age)" "exact_distributed('$plan'::dpsens_internal.plan)" "sum('$plan'::dpsens_internal.plan)" "release_count('$plan'::dpsens_internal.plan, NULL)"; do
		is "$(as $node owner "SELECT dpsens_internal.$call FROM (SELECT 'F'::text AS sex, 1.0::float8 AS age) l")" "ERROR: cannot accept a value of type dpsens_internal.plan" "what was sent is no plan of another kind, on $node: ${call%%(*}"
	done
	is "$(as $node owner "SELECT dpsens_internal.sum('$plan'::dpsens_internal.summand)")" "ERROR: a value that was sent is none of this cluster" "and none of a single state, on $node"
	for call in "" ", 1, 2.0::float8" ", 'F'::text" ", 'F'::text, 2.0::float8, 1" ", 140234::bigint, 2.0::float8" ", VARIADIC ARRAY['F', 'M']" ", 'F'::text, 2"; do
		is "$(as $node owner "SELECT dpsens_internal.sum('$plan'::dpsens_internal.shard_plan$call)")" "ERROR: groups expect other arguments" "it is evaluated with its own arguments alone, on $node: plan$call"
		[ $node = c ] || continue
		is "$(as $node owner "CREATE FUNCTION pg_temp.peek() RETURNS TABLE (s dpsens_internal.states) STABLE LANGUAGE sql AS \$\$ SELECT dpsens_internal.sum('$plan'::dpsens_internal.shard_plan$call) \$\$; SELECT s IS NULL FROM pg_temp.peek()" | tail -1)" "ERROR: groups expect other arguments" "in a function, too"
	done
	for shown in "'$plan'::dpsens_internal.shard_plan" "1, ARRAY['$plan'::dpsens_internal.shard_plan]" "ROW('$plan'::dpsens_internal.shard_plan)"; do
		is "$(as $node owner "SELECT dpsens_internal.unit_order($shown)")" "ERROR: function dpsens_internal.unit_order cannot be called directly" "nothing shows it, on $node: ${shown%%\'*}"
	done
	is "$(as $node owner "SELECT dpsens_internal.exact_group(dpsens_internal.sum('$plan'::dpsens_internal.shard_plan, sex, age), 0, 0) FROM (SELECT 'F'::text AS sex, 1.0::float8 AS age) l")" "ERROR: function dpsens_internal.exact_group cannot be called directly" "and nothing is made of what it yields, on $node"
done
is "$(as w1 owner "SELECT dpsens_internal.sum(NULL::dpsens_internal.shard_plan)")" "ERROR: function dpsens_internal.sum cannot be called directly" "nor without a plan"
is "$(as w1 owner "SELECT dpsens_internal.sum(p) FROM (SELECT '$plan'::dpsens_internal.shard_plan AS p OFFSET 0) t")" "ERROR: function dpsens_internal.sum cannot be called directly" "or one that is no constant"

# what is attempted: id % 3
sent=$(PGPORT=${port[c]} PGUSER=owner psql -XAtq -c "SET citus.log_remote_commands = on; SELECT dp_count(true, 0.125) FROM charged WHERE id % 3 = 1" 2>&1 | grep -o "SELECT dpsens_internal.*" | head -1)
like "$sent" "*dpsens_internal.attempt('dpsens1:*'::dpsens_internal.shard_attempt, NULL::integer, *" "so does what is attempted"
attempted=$(grep -o "dpsens1:[^']*'::dpsens_internal.shard_attempt" <<<"$sent" | head -1)
attempted="'${attempted%%\'*}'"
only="ERROR: function dpsens_internal.attempt can only be called by dpsens"
for node in w1 c; do
	is "$(as $node owner "SELECT dpsens_internal.attempt($attempted::dpsens_internal.shard_attempt, NULL::int, 7, 3)")" 1 "it computes what anybody could, on $node"
	is "$(as $node owner "SELECT dpsens_internal.attempt($attempted::dpsens_internal.shard_attempt, NULL::int, 7, 0) IS NULL")" t "without an error"
	for call in "NULL::int, 7, 'x'::text" "NULL::int, 7" "NULL::int, 7, 3, 3" "NULL::text, 7, 3" "NULL::int, 7::bigint, 3" "NULL::int, VARIADIC ARRAY[7, 3]" "NULL::int, $attempted::dpsens_internal.shard_attempt, 3" "NULL::int8, 7, 3"; do
		is "$(as $node owner "SELECT dpsens_internal.attempt($attempted::dpsens_internal.shard_attempt, $call)")" "$only" "of the arguments that it was made for alone, on $node: $call"
	done
	is "$(as $node owner "SELECT dpsens_internal.attempt(NULL::dpsens_internal.shard_attempt, NULL::int, 7, 3)")" "ERROR: function dpsens_internal.exact_attempt can only be called by dpsens" "nor without it, on $node"
	is "$(as $node owner "SELECT dpsens_internal.attempt('1'::dpsens_internal.shard_attempt, NULL::int, 7, 3)")" "ERROR: cannot accept a value of type dpsens_internal.shard_attempt" "which nobody types in, on $node"
	is "$(as $node owner "SELECT dpsens_internal.attempt('$plan'::dpsens_internal.shard_attempt, NULL::int, 7, 3)")" "ERROR: a value that was sent is none of this cluster" "and which is no plan of sums, on $node"
	is "$(as $node owner "CREATE AGGREGATE pg_temp.peek(int, int, int) (SFUNC = dpsens_internal.attempt, STYPE = dpsens_internal.shard_attempt, INITCOND = $attempted); SELECT pg_temp.peek(1, 2, 3)" | grep -c "^ERROR")" 1 "nor is it an aggregate's, on $node"
done

# ---- aggregates of others that are named sum ----

# foreign: with one that Citus takes for ours, states are added up by ours
foreign()
{
	same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @"
	same "SELECT sex, dp_median(age, 1), dp_count(true, 1) FROM @ GROUP BY sex"
	same "SELECT visits, smoker, dp_avg(age, 1) FROM @ GROUP BY visits, smoker"
	same "SELECT dp_count(true, 1) FROM @ WHERE id = 7"
	as c owner "DROP AGGREGATE sum(anyelement)" >/dev/null
}
as c owner "CREATE TABLE seen (what text); CREATE FUNCTION see(text) RETURNS text LANGUAGE sql AS 'INSERT INTO seen VALUES (\$1) RETURNING what'; CREATE FUNCTION add_any(bigint, anyelement) RETURNS bigint LANGUAGE sql AS 'SELECT length(see(\$2::text))::bigint'; CREATE AGGREGATE sum(anyelement) (SFUNC = add_any, STYPE = bigint, INITCOND = 0)" >/dev/null
is "$(as c owner "SELECT sum(x), (SELECT count(*) FROM seen) FROM (VALUES (true)) v (x)")|$(as c owner "TABLE seen")" "4|0|true" "an aggregate of values of any type sees what it adds up"
foreign
as c owner "CREATE FUNCTION same_any(anyelement, anyelement) RETURNS anyelement LANGUAGE plpgsql AS 'BEGIN PERFORM see(\$2::text); RETURN \$1; END'; CREATE AGGREGATE sum(anyelement) (SFUNC = same_any, STYPE = anyelement)" >/dev/null
foreign
as c owner "CREATE FUNCTION text_any(text, anyelement) RETURNS text LANGUAGE sql AS 'SELECT see(\$2::text)'; CREATE AGGREGATE sum(anyelement) (SFUNC = text_any, STYPE = text)" >/dev/null
foreign
is "$(as c owner "TABLE seen")" "true" "but no state"
before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
again="SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT dp_count(true, 0.25) IS NOT NULL FROM charged;
EXECUTE q;
CREATE AGGREGATE pg_temp.sum(anyelement) (SFUNC = add_any, STYPE = bigint, INITCOND = 0);
EXECUTE q;
SELECT dp_count(true, 0.25) IS NOT NULL FROM charged;
CREATE FUNCTION pg_temp.sum(a anyarray) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
EXECUTE q;
DROP AGGREGATE pg_temp.sum(anyelement);
CREATE FUNCTION pg_temp.sum(a anyelement) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
EXECUTE q;
SELECT dp_count(true, 0.25) IS NOT NULL FROM charged;"
like "$(PGPORT=${port[c]} PGUSER=owner psql -XAtq 2>&1 <<<"$again" | grep -v 'WARNING\|DETAIL' | tr '\n' ' ')" "t t t t ERROR:  Citus would add up exact sums by function pg_temp_*.sum(anyelement), which is no aggregate HINT:*ERROR:  Citus would*" "one in a temporary schema stops nothing, and a function that is none is an error"
is "$(paid)" "4|1" "before the charge"
as c owner "DROP FUNCTION add_any CASCADE" >/dev/null

# ---- the key ----

other=$(mktemp)
sed 's/./1/g' "$key" >"$other"
chmod 600 "$other"
[ "$(id -u)" -ne 0 ] || chown postgres "$other"
# key_of NODE FILE
key_of()
{
	on "$1" "ALTER SYSTEM SET dpsens.cluster_key_file = '$2'" >/dev/null
	on "$1" "SELECT pg_reload_conf()" >/dev/null
	PGPORT=${port[$1]} wait_for "SELECT current_setting('dpsens.cluster_key_file') = '$2'"
}
key_of w2 "$other"
is "$(as c owner "SELECT dp_count(true, 0.25) FROM spread")" "ERROR: a value that was sent is none of this cluster" "a node with another key answers nothing"
key_of w2 "$base/none"
like "$(in_full c owner "SELECT dp_count(true, 0.25) FROM spread")" "*the key of the cluster cannot be used*cannot be read*" "nor one without"
chmod 640 "$other"
key_of w2 "$other"
like "$(in_full c owner "SELECT dp_count(true, 0.25) FROM spread")" "*the key of the cluster cannot be used*account alone*" "nor one whose key others may read"
key_of w2 "$key"
key_of c ""
is "$(as c owner "SELECT dp_count(true, 0.25) FROM spread")" "$distributed" "without a key on the coordinator nothing is answered"
is "$(as c owner "SELECT dp_count(true, 0.25) IS NOT NULL FROM local")" t "but about tables of this server"
key_of c "$key"
is "$(as c owner "SELECT dp_count(true, 0.25) IS NOT NULL FROM spread")" t "until there is one again"
is "$(as c owner "SHOW dpsens.cluster_key_file")" "ERROR: must be superuser or have privileges of pg_read_all_settings to examine \"dpsens.cluster_key_file\"" "where the key is is not shown"
rm -f "$other"

# ---- shards on the coordinator ----

on c "SELECT citus_set_node_property('127.0.0.1', ${port[c]}, 'shouldhaveshards', true)" >/dev/null
as c owner "CREATE TABLE spread_here AS SELECT * FROM local; ALTER TABLE spread_here ALTER age SET NOT NULL; CREATE TABLE local_here AS SELECT * FROM local; ALTER TABLE local_here ALTER age SET NOT NULL" >/dev/null
as c owner "SELECT create_distributed_table('spread_here', 'id', colocate_with => 'none'); SELECT truncate_local_data_after_distributing_table('spread_here')" >/dev/null
on c "VACUUM spread_here" >/dev/null
on c "SELECT citus_set_node_property('127.0.0.1', ${port[c]}, 'shouldhaveshards', false)" >/dev/null
is "$(on c "SELECT count(*) > 0 FROM pg_dist_shard_placement WHERE nodeport = ${port[c]} AND shardid IN (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'spread_here'::regclass)")" t "the coordinator has shards"
for table in local_here spread_here; do
	as c owner "SELECT dpsens.protect('$table'), dpsens.set_range('$table', 'age', 0, 99), dpsens.set_values('$table', 'sex', 'F', 'M', 'X')" >/dev/null
done
same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @_here"
same "SELECT sex, dp_median(age, 1), dp_count(true, 1) FROM @_here GROUP BY sex"
same "BEGIN; SELECT dp_count(true, 1) FROM @_here; SELECT smoker, dp_count(true, 1) FROM @_here GROUP BY smoker; COMMIT"
same "SET citus.enable_local_execution = off; SELECT dp_sum(age, 1) FROM @_here"
here=$(on c "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^spread_here_[0-9]+\$'")
is "$(as c owner "SELECT dp_count(true, 1) FROM $here")" "ERROR: dp aggregates are not answered in a statement with \"$here\", a shard of Citus" "a shard is not answered about"
is "$(as c owner "SELECT dpsens.protect('$here')")" "ERROR: \"$here\" is a shard of Citus, and cannot be protected" "nor protected"

# ---- changes of the cluster ----

is "$(for node in w1 w2; do on "$node" "SELECT count(*) FROM pg_seclabel WHERE provider = 'dpsens'"; done | tr '\n' ' ')" "0 0 " "no node has a label"
shards="SELECT string_agg(DISTINCT nodeport::text, ' ') FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'spread'::regclass"
moved=$(on c "SELECT string_agg(format('citus_move_shard_placement(%s, ''127.0.0.1'', ${port[w1]}, ''127.0.0.1'', ${port[w2]}, ''block_writes'')', shardid), ', ') FROM pg_dist_shard_placement WHERE nodeport = ${port[w1]} AND shardid IN (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'spread'::regclass)")
on c "SELECT $moved" >/dev/null
is "$(on c "$shards")" "${port[w2]}" "all shards are on one node"
same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @"
same "SELECT sex, dp_count(true, 1) FROM @ WHERE age < 50 GROUP BY sex"
labelled=$(on w2 "SET citus.override_table_visibility = off; SELECT min(objoid::regclass::text) FROM pg_seclabel WHERE provider = 'dpsens' AND label ~ 'PROTECTED' AND objoid::regclass::text ~ '^spread_'")
like "$labelled" "spread_*" "labels go with the shards"
worker="ERROR: dpsens does not work on a worker node of Citus"
is "$(as w2 owner "SELECT dp_count(true, 1) FROM $labelled")" "$worker" "of which a node makes nothing"
is "$(as w2 owner "SELECT dpsens.set_budget('$labelled', epsilon => 9)")" "$worker" "no budget"
is "$(as w2 owner "SELECT dpsens.protect('$labelled')")" "$worker" "and no protection"
is "$(as w2 reader "SELECT pg_relation_size('$labelled') > 0")" t "and takes nothing from roles without a budget"
like "$(as w2 reader "SELECT count(*) FROM citus_shards")" "[1-9]*" "nor what is Citus's"
is "$(as w2 analyst "SELECT pg_relation_size('$labelled') IS NULL")" t "but from those with one"
make_node w3 || bail "node w3 does not start"
on w3 "CREATE EXTENSION citus" >/dev/null
on c "SELECT citus_add_node('127.0.0.1', ${port[w3]})" >/dev/null
is "$(on c "SELECT count(*) FROM pg_dist_node WHERE isactive AND nodeport = ${port[w3]}")" 1 "a node is added"
is "$(on w3 "SELECT count(*) > 0 FROM pg_seclabel WHERE provider = 'dpsens' AND objoid = 'spread'::regclass")" t "with labels"
is "$(as w3 owner "SELECT dp_count(true, 1) FROM spread")" "$worker" "of which it makes nothing"
moved=$(on c "SELECT format('citus_move_shard_placement(%s, ''127.0.0.1'', ${port[w2]}, ''127.0.0.1'', ${port[w3]}, ''block_writes'')', min(shardid)) FROM pg_dist_shard WHERE logicalrelid = 'spread'::regclass")
on c "SELECT $moved" >/dev/null
same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @"
like "$(as c owner "SELECT alter_distributed_table('spread', shard_count := 2, cascade_to_colocated := false)")" "ERROR: protected table \"spread_*\" cannot be distributed by Citus" "a protected table is not distributed in another way"
before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
spent=$(on c "SELECT spent_epsilon FROM dpsens.budgets WHERE relation = 'charged'::regclass AND role IS NULL")
as c owner "SELECT undistribute_table('charged')" >/dev/null
is "$(as c owner "SELECT dp_count(true, 0.25) IS NOT NULL FROM charged")" t "a table that is brought back is answered about"
is "$(on c "SELECT spent_epsilon - $spent FROM dpsens.budgets WHERE relation = 'charged'::regclass AND role IS NULL")" 0.25 "and goes on with its budget"

echo "1..$tests"
exit $((failures > 0))
