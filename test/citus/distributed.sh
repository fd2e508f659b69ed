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
	as c owner "SELECT dpsens.protect('$1'), dpsens.set_range('$1', 'age', 0, 99), dpsens.set_range('$1', 'weight', 40, 99), dpsens.set_values('$1', 'sex', 'F', 'M', 'X'), dpsens.set_values('$1', 'visits', '0', '1', '2', '3', '4'), dpsens.set_public('$1', 'smoker')"
}
for table in local spread; do
	as c owner "CREATE TABLE $table $columns; INSERT INTO $table $rows" >/dev/null
done
as c owner "SELECT create_distributed_table('spread', 'id'); SELECT truncate_local_data_after_distributing_table('spread')" >/dev/null
on c "VACUUM spread" >/dev/null
declare_table local
declare_table spread


# ---- the same exact sums ----

# exact ROLE QUERY: the answers without noise, of which tables T are asked
exact()
{
	on c "SET dpsens.noise = off; $1" | grep -v '^WARNING'
}
# same QUERY: with T as local and as spread
same()
{
	local there
	there=$(exact "${1//@/spread}")
	is "$there" "$(exact "${1//@/local}")" "as of one server: ${1//@/t}"
	[[ $there == *ERROR* || -z $there ]] || return
	echo "# $there"
	failures=$((failures + 1))
}
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
same "SELECT dp_count(true, 1) FROM @ WHERE born BETWEEN '1940-06-01' AND '1941-01-01'"
same "SELECT dp_sum(a, 1) FROM (SELECT age + 1 AS a, sex FROM @ WHERE visits < 3) t WHERE sex = 'F'"
same "SELECT (SELECT dp_count(true, 1) FROM @) + (SELECT dp_sum(age, 1) FROM @)"
same "WITH n AS (SELECT sex, dp_count(true, 1) AS n FROM @ GROUP BY sex) SELECT a.sex, b.n FROM n a, n b WHERE a.sex = b.sex"
same "CREATE TABLE kept AS SELECT sex, dp_count(true, 1) AS n FROM @ GROUP BY sex; SELECT * FROM kept ORDER BY 1; DROP TABLE kept"
same "PREPARE q (float8, text) AS SELECT dp_sum(age, 1) FROM @ WHERE age < \$1 AND sex = \$2; EXECUTE q (50, 'F'); EXECUTE q (80, 'M'); EXECUTE q (NULL, 'M')"
same "SET plan_cache_mode = force_generic_plan; PREPARE q (float8) AS SELECT dp_sum(age, 1) FROM @ WHERE age < \$1; EXECUTE q (50); EXECUTE q (20)"
same "BEGIN; DECLARE d CURSOR FOR SELECT sex, dp_count(true, 1) FROM @ GROUP BY sex; FETCH 1 FROM d; FETCH ALL FROM d; COMMIT"
same "CREATE TEMP TABLE told (n bigint); DO \$\$ DECLARE n bigint; BEGIN SELECT dp_count(true, 1) INTO n FROM @ WHERE age > 3; INSERT INTO told VALUES (n); END \$\$; TABLE told"
same "SELECT dp_sum(2 * visits + 1, 1) FROM @ a WHERE a.smoker IS NOT TRUE"
same "SELECT dp_count(true, 1) FROM @ WHERE sex LIKE 'F%' AND weight IS NOT NULL AND CASE WHEN age > 10 THEN smoker ELSE true END"
as c owner "CREATE TABLE local_stays (id int, patient int NOT NULL, cost float8, ward text); INSERT INTO local_stays SELECT i, i % 97, i % 50, CASE WHEN i % 4 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 2000) i; CREATE TABLE spread_stays AS TABLE local_stays; ALTER TABLE spread_stays ALTER patient SET NOT NULL" >/dev/null
as c owner "CREATE TABLE other_stays AS TABLE local_stays; ALTER TABLE other_stays ALTER patient SET NOT NULL; SELECT create_distributed_table('spread_stays', 'patient'), create_distributed_table('other_stays', 'id'); SELECT truncate_local_data_after_distributing_table('spread_stays'), truncate_local_data_after_distributing_table('other_stays')" >/dev/null
on c "VACUUM spread_stays, other_stays" >/dev/null
for table in local_stays spread_stays other_stays; do
	as c owner "SELECT dpsens.protect('$table', unit => 'patient', max_rows => 5), dpsens.set_range('$table', 'cost', 0, 50), dpsens.set_values('$table', 'ward', 'a', 'b')"
done
same "SELECT dp_count(true, 1), dp_sum(cost, 1) FROM @_stays"
same "SELECT ward, dp_count(true, 1), dp_sum(cost, 1), dp_avg(cost, 1) FROM @_stays GROUP BY ward"
is "$(exact "SELECT dp_count(true, 1) FROM other_stays")" "x" "refused"
same "SELECT dp_median(age, 1), dp_min(age, 1), dp_quantile(weight, 0.25, 1) FROM @"
same "SELECT sex, dp_median(age, 1) FROM @ GROUP BY sex"
same "SELECT smoker, dp_count(true, 1), dp_sum(age, 1) FROM @ GROUP BY smoker"
same "SELECT visits, smoker, dp_avg(age, 1) FROM @ GROUP BY visits, smoker"
same "SELECT dp_mode(sex, 1) FROM @"
same "SELECT dp_count_distinct(sex, 1) FROM @"
same "SELECT dp_histogram(age, 5, 1) FROM @"

echo "1..$tests"
exit $((failures > 0))
