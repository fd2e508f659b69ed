#!/usr/bin/env bash
# joins.sh
#	Answers about joins of tables that Citus has distributed: with reference tables, and with tables that are distributed
#	alike, in FROM, EXISTS and IN, the same exact sums as of one server; what is refused, before it is charged; and nodes that
#	fail.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/distributed_places.c, guard/distributed/distributed_sql.c
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN" >/dev/null
on c "CREATE ROLE reader LOGIN" >/dev/null

. "$(dirname "${BASH_SOURCE[0]}")/joined.sh"
for t in local spread; do
	on c "ALTER TABLE ${t}_bills OWNER TO postgres" >/dev/null
	on c "ALTER TABLE ${t}_patients OWNER TO postgres" >/dev/null
	on c "GRANT SELECT ON ${t}_patients TO owner" >/dev/null
done

# ---- the same exact sums ----

like "$(in_full c owner "EXPLAIN VERBOSE SELECT name, dp_count(true, 1) FROM spread_people JOIN spread_sexes USING (sex) GROUP BY name")" "*Function Scan on dpsens_internal.exact_distributed*" "Citus plans exact sums alone"
is "$(in_full c owner "EXPLAIN VERBOSE SELECT name, dp_count(true, 1) FROM spread_people JOIN spread_sexes USING (sex) GROUP BY name" | grep -c "spread_sexes_\|Citus")" 0 "and no join stands beside them"
all_joins
all_groups

# ---- what it will cost, and views ----

is "$(as c owner "SELECT sensitivity, epsilon FROM dpsens.explain('SELECT dp_sum(age, 0.5) FROM spread_people JOIN spread_sexes USING (sex)')")" "$(as c owner "SELECT sensitivity, epsilon FROM dpsens.explain('SELECT dp_sum(age, 0.5) FROM local_people JOIN local_sexes USING (sex)')")" "a join costs what it costs on one server"
like "$(as c owner "SELECT epsilon FROM dpsens.explain('SELECT dp_sum(age, 0.5) FROM spread_people JOIN local_sexes USING (sex)')")" "ERROR: private answers about distributed table*" "or is refused there, too"
as c owner "CREATE VIEW named AS SELECT age, name FROM spread_people JOIN spread_sexes USING (sex)" >/dev/null
as c owner "GRANT SELECT ON named TO reader" >/dev/null
is "$(as c owner "SELECT dp_count(true, 1) IS NOT NULL FROM named WHERE name = 'female'")" t "a view of a join is answered about"
like "$(as c reader "SELECT dp_count(true, 1) IS NOT NULL FROM named WHERE name = 'female'")" "ERROR: private answers*by the rights of somebody else*" "but lends no rights on nodes"

# ---- what is refused ----

as c owner "CREATE TABLE spread_alone (id int PRIMARY KEY, town text); SELECT create_distributed_table('spread_alone', 'id', colocate_with => 'none')" >/dev/null
as c owner "CREATE TABLE spread_towns (id int, town text, PRIMARY KEY (id, town)); SELECT create_distributed_table('spread_towns', 'town')" >/dev/null
as c owner "CREATE TABLE spread_visits (id int, patient int NOT NULL, cost float8); SELECT create_distributed_table('spread_visits', 'id', colocate_with => 'spread_people'); SELECT dpsens.protect('spread_visits', unit => 'patient', max_rows => 3), dpsens.set_range('spread_visits', 'cost', 0, 50)" >/dev/null
as c owner "CREATE TABLE spread_numerics (patient numeric NOT NULL, cost float8); SELECT create_distributed_table('spread_numerics', 'patient'); SELECT dpsens.protect('spread_numerics', unit => 'patient', max_rows => 3), dpsens.set_range('spread_numerics', 'cost', 0, 50)" >/dev/null
as c owner "CREATE TABLE spread_lone (id int PRIMARY KEY, age float8 NOT NULL); SELECT create_distributed_table('spread_lone', 'id', colocate_with => 'none'); SELECT dpsens.protect('spread_lone'), dpsens.set_range('spread_lone', 'age', 0, 99)" >/dev/null
as c owner "SELECT dpsens.grant_budget('spread_people', 'analyst', epsilon => 100)" >/dev/null
before=$(on c "SELECT count(*) FROM dpsens.release")
# refused TABLE WHAT QUERY
refused()
{
	is "$(as c owner "SET citus.enable_repartition_joins = on; SET dpsens.selection_epsilon = 1; $3")" "ERROR: private answers about distributed table \"$1\" are not supported $2" "refused: $3"
}
otherwise="that is distributed otherwise, or not joined by the distribution columns"
refused spread_people "together with \"spread_alone\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people JOIN spread_alone USING (id)"
refused spread_people "together with \"spread_towns\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p JOIN spread_towns t ON t.id = p.id AND t.town = p.sex"
refused spread_people "together with \"spread_towns\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p WHERE EXISTS (SELECT FROM spread_towns t WHERE t.id = p.id)"
refused spread_people "together with \"spread_habits\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p WHERE age IN (SELECT id FROM spread_habits h WHERE drinks)"
refused spread_people "together with \"spread_habits\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p WHERE NOT EXISTS (SELECT FROM spread_habits h WHERE drinks AND h.id > p.id)"
refused spread_people "together with \"spread_habits\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p JOIN spread_habits h ON h.id = p.age::int"
refused spread_people "together with \"spread_habits\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p JOIN spread_habits h ON h.id = p.id + 1"
refused spread_people "together with \"spread_habits\" $otherwise" "SELECT dp_count(h.town, 1) FROM spread_people p LEFT JOIN spread_habits h ON h.id = p.age::int"
refused spread_people "together with \"spread_habits\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p LEFT JOIN spread_habits h ON h.id = 7 WHERE h.id = p.id OR h.id IS NULL"
refused spread_people "together with \"spread_alone\" $otherwise" "SELECT dp_count(true, 1) FROM spread_people p LEFT JOIN spread_alone a ON a.id = p.id"
refused spread_people "together with \"local_sexes\", which is not distributed" "SELECT dp_count(true, 1) FROM spread_people JOIN local_sexes USING (sex)"
refused spread_people "together with \"local_sexes\", which is not distributed" "SELECT dp_count(true, 1) FROM spread_people p WHERE EXISTS (SELECT FROM local_sexes s WHERE s.sex = p.sex)"
refused spread_sexes "together with \"local_people\", which is not distributed" "SELECT dp_count(true, 1) FROM local_people JOIN spread_sexes USING (sex)"
refused spread_sexes "together with \"local_people\", which is not distributed" "SELECT dp_count(true, 1) FROM local_people p WHERE EXISTS (SELECT FROM spread_sexes s WHERE s.sex = p.sex)"
refused spread_visits "where a unit has several rows and the table is not distributed by the unit" "SELECT dp_count(true, 1) FROM spread_visits JOIN spread_sexes ON spread_sexes.sex = 'F'"
choice="in a join with undeclared keys, medians and other choices, or a unit that may be NULL"
refused spread_people "$choice" "SELECT dp_median(age, 1) FROM spread_people JOIN spread_sexes USING (sex)"
refused spread_people "$choice" "SELECT age, dp_count(true, 1) FROM spread_people JOIN spread_sexes USING (sex) GROUP BY age"
refused spread_visits "where a unit has several rows and the table is not distributed by the unit" "SELECT dp_sum(least(n, 3), 1) FROM (SELECT patient, count(*) AS n FROM spread_visits GROUP BY patient) t"
refused spread_numerics "with groups in FROM whose unit is not the distribution column, or is of a type whose values have several forms" "SELECT dp_count(true, 1) FROM (SELECT patient FROM spread_numerics GROUP BY patient) t"
refused spread_stays "together with \"spread_habits\" $otherwise" "SELECT dp_sum(n, 1) FROM (SELECT v.patient, count(*) AS n FROM spread_stays v LEFT JOIN spread_habits h ON h.id = v.id GROUP BY v.patient) t"
refused spread_stays "together with \"spread_habits\" $otherwise" "SELECT dp_sum(n, 1) FROM (SELECT patient, count(*) AS n FROM spread_stays GROUP BY patient) t JOIN spread_habits h ON h.id = t.n"
refused spread_people "in a union with \"spread_lone\", which is not distributed alike" "SELECT dp_count(true, 1) FROM (SELECT age FROM spread_people UNION ALL SELECT age FROM spread_lone) u"
refused spread_people "in a union with \"local_people\", which is not distributed alike" "SELECT dp_count(true, 1) FROM (SELECT age FROM spread_people UNION ALL SELECT age FROM local_people) u"
refused spread_people "with joins, views or subqueries in a union" "SELECT dp_count(true, 1) FROM (SELECT age FROM spread_people UNION ALL SELECT age FROM (SELECT age FROM spread_more WHERE age > 3) m) u"
refused spread_people "with joins, views or subqueries in a union" "SELECT dp_count(true, 1) FROM (SELECT age FROM spread_people JOIN spread_sexes USING (sex) UNION ALL SELECT age FROM spread_more) u"
refused spread_people "with a union in a join" "SELECT dp_count(true, 1) FROM (SELECT age, sex FROM spread_people UNION ALL SELECT age, sex FROM spread_more) u JOIN spread_sexes USING (sex)"
for arms in "n" "number"; do
	as c owner "CREATE TABLE spread_$arms (number int PRIMARY KEY, n int NOT NULL); SELECT create_distributed_table('spread_$arms', 'number', colocate_with => 'spread_people'); INSERT INTO spread_$arms SELECT i, i + 1 FROM generate_series(1, 99) i; SELECT dpsens.protect('spread_$arms')" >/dev/null
done
refused spread_n "with a union in a join" "SELECT dp_count(true, 1) FROM (SELECT n FROM spread_n UNION ALL SELECT n FROM spread_number) u WHERE EXISTS (SELECT FROM spread_habits h WHERE h.id = u.n AND drinks)"
refused spread_n "with a union in a join" "SELECT dp_count(true, 1) FROM (SELECT number FROM spread_n UNION ALL SELECT n FROM spread_number) u WHERE number NOT IN (SELECT id FROM spread_habits WHERE drinks)"
refused spread_people "with conditions or keys that this server alone can evaluate" "SELECT dp_count(true, 1) FROM spread_people WHERE length(age::text) > 3"
refused spread_people "with conditions or keys that this server alone can evaluate" "SELECT dp_count(true, 1) FROM spread_people WHERE decode(sex, 'escape')::text LIKE '%x%'"
refused spread_people "with conditions or keys that this server alone can evaluate" "SELECT dp_count(true, 1) FROM spread_people WHERE quote_ident(sex) LIKE '_F%'"
refused spread_people "with conditions or keys that this server alone can evaluate" "SELECT dp_count(true, 1) FROM spread_people WHERE to_char(id, '9') = '3'"
refused spread_people "with conditions or keys that this server alone can evaluate" "SELECT dp_count(true, 1) FROM spread_people WHERE id = ANY (ARRAY[1, 2] || id % 5)"
like "$(in_full c owner "SELECT dp_count(true, 1) FROM spread_people JOIN spread_alone USING (id)")" "*HINT:*alter_distributed_table('spread_alone', colocate_with*create_reference_table*" "with what helps"
like "$(in_full c owner "SELECT dp_count(true, 1) FROM spread_people JOIN local_sexes USING (sex)")" "*HINT:*create_reference_table*" "in each case"
like "$(as c owner "SELECT dp_count(true, 1) FROM spread_people WHERE age > (SELECT count(*) FROM spread_sexes)")" "ERROR: a subquery in a condition other than EXISTS and IN*" "other subqueries are refused as anywhere"
like "$(as c owner "SELECT dp_count(true, 1) FROM spread_people p, spread_habits h WHERE p.id < h.id")" "ERROR: this join with relation \"spread_habits\" is not supported*" "and joins that multiply rows"
like "$(as c owner "SELECT dp_count(true, 1) FROM spread_stays v JOIN spread_people p ON p.age = v.patient")" "ERROR: this join*" "or join units of others"
is "$(as c owner "SELECT (SELECT dp_count(true, 1) FROM spread_people), (SELECT count(*) FROM spread_sexes)")" "ERROR: dp aggregates are not answered in a statement with table \"spread_sexes\", which Citus has distributed" "a plain read of a reference table beside an answer is refused"
is "$(as c owner "SELECT name, n FROM (SELECT sex, dp_count(true, 1) AS n FROM spread_people GROUP BY sex) t JOIN spread_sexes USING (sex)")" "ERROR: dp aggregates are not answered in a statement with table \"spread_sexes\", which Citus has distributed" "so is one that is joined with answers"
like "$(as c analyst "SELECT dp_count(true, 1) FROM spread_people JOIN spread_habits USING (id)")" "ERROR: *" "an analyst is refused"
on c "GRANT SELECT ON spread_sexes TO analyst" >/dev/null
like "$(as c analyst "SELECT dp_count(true, 1) FROM spread_people JOIN spread_sexes USING (sex)")" "ERROR: relation \"spread_sexes\" cannot be used beside*" "in joins, too"
as c owner "GRANT SELECT ON spread_people TO reader" >/dev/null
is "$(as c reader "SELECT dp_count(true, 1) FROM spread_people JOIN spread_habits USING (id)")" "ERROR: private answers about distributed table \"spread_people\" are not supported by the rights of somebody else, or of some columns" "all tables must be readable to who asks"
is "$(on c "SELECT count(*) FROM dpsens.release")" "$before" "and nothing of that is charged"
as c owner "GRANT SELECT ON spread_habits TO reader" >/dev/null
is "$(as c reader "SELECT dp_count(true, 1) IS NOT NULL FROM spread_people JOIN spread_habits USING (id)")" t "until they are"

# ---- what changes after it was planned ----

again="SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT dp_count(true, 0.25) IS NOT NULL FROM spread_people JOIN spread_habits USING (id);
EXECUTE q;
SELECT update_distributed_table_colocation('spread_habits', colocate_with => 'none');
EXECUTE q;"
before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
like "$(PGPORT=${port[c]} PGUSER=owner psql -XAtq 2>&1 <<<"$again" | grep -v '^$' | tr '\n' ' ')" "t ERROR:  private answers about distributed table \"spread_people\" are not supported together with \"spread_habits\" $otherwise HINT*" "tables that are no longer together are not joined"
is "$(on c "SELECT count(*) FROM dpsens.release WHERE release > $before")" 1 "which is seen before the charge"
as c owner "SELECT update_distributed_table_colocation('spread_habits', colocate_with => 'spread_people')" >/dev/null
same "SELECT town, dp_sum(age, 1) FROM @_people JOIN @_habits USING (id) GROUP BY town"
as c owner "INSERT INTO spread_sexes VALUES ('Y', 'unknown', true); INSERT INTO local_sexes VALUES ('Y', 'unknown', true)" >/dev/null
same "SELECT name, dp_count(true, 1) FROM @_people JOIN @_sexes USING (sex) GROUP BY name"
same "SET plan_cache_mode = force_generic_plan; PREPARE q AS SELECT name, dp_count(true, 1) FROM @_people JOIN @_sexes USING (sex) GROUP BY name; EXECUTE q; INSERT INTO @_sexes VALUES ('Z', 'zero', true); EXECUTE q; DELETE FROM @_sexes WHERE sex IN ('Y', 'Z'); EXECUTE q"
on c "CREATE FUNCTION add_any(bigint, anyelement) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'; CREATE AGGREGATE sum(anyelement) (SFUNC = add_any, STYPE = bigint, INITCOND = 0)" >/dev/null
joins
on c "DROP FUNCTION add_any CASCADE" >/dev/null

# ---- nodes that fail ----

question="SELECT dp_sum(cost, 0.25), dp_count(true, 0.25) FROM spread_stays v JOIN spread_patients p ON v.patient = p.id JOIN spread_sexes USING (sex)"
paid() { on c "SELECT count(*), sum(epsilon), count(DISTINCT relation) FROM dpsens.release WHERE release > $before AND relation = 'spread_stays'::regclass"; }
before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
shard=$(on w2 "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^spread_patients_[0-9]+\$' AND relkind = 'r'")
# holds the shard until let_go
hold()
{
	local held
	coproc HOLD { PGPORT=${port[w2]} psql -XAtq 2>&1; }
	holder=$HOLD_PID
	exec {to_holder}>&"${HOLD[1]}" {from_holder}<&"${HOLD[0]}"
	eval "exec ${HOLD[1]}>&- ${HOLD[0]}<&-"
	echo "SET citus.enable_manual_changes_to_shards = on; BEGIN; LOCK TABLE $shard IN ACCESS EXCLUSIVE MODE; SELECT 'held';" >&"$to_holder"
	read -r held <&"$from_holder"
	[ "$held" = held ] || bail "the shard is not held: $held"
}
let_go()
{
	# what was asked meanwhile has the pipe open, too
	echo "COMMIT;" >&"$to_holder"
	exec {to_holder}>&- {from_holder}<&-
	wait "$holder" 2>/dev/null
}
waits() { PGPORT=${port[w2]} wait_for "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = '$shard'::regclass"; }
hold
as c owner "$question" >"$base/answer" &
asked=$!
waits
is "$(paid)" "2|0.5|1" "a join is charged before nodes are waited for"
PGPORT=${port[w2]} stop_cluster w2 immediate
wait "$asked"
like "$(<"$base/answer")" "*ERROR: *" "a node that fails in the middle of it is an error"
is "$(paid)" "2|0.5|1" "and charged once"
let_go
like "$(as c owner "$question")" "ERROR: *" "without the node there is an error"
is "$(paid | cut -d'|' -f1)" 4 "after another charge"
PGPORT=${port[w2]} start_cluster w2
hold
as c owner "$question" >"$base/answer" &
asked=$!
waits
let_go
wait "$asked"
like "$(<"$base/answer")" "*[0-9]|[0-9-]*" "a node that only takes long is waited for"
is "$(paid | cut -d'|' -f1)" 6 "and charged once, too"
joins

# ---- rows that move ----

moved=$(on c "SELECT string_agg(format('citus_move_shard_placement(%s, ''127.0.0.1'', ${port[w1]}, ''127.0.0.1'', ${port[w2]}, ''block_writes'')', shardid), ', ') FROM pg_dist_shard_placement WHERE nodeport = ${port[w1]} AND shardid IN (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'spread_people'::regclass)")
on c "SELECT $moved" >/dev/null
is "$(on c "SELECT string_agg(DISTINCT nodeport::text, ' ') FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'spread_stays'::regclass")" "${port[w2]}" "shards move together"
joins
on c "SELECT citus_set_node_property('127.0.0.1', ${port[c]}, 'shouldhaveshards', true)" >/dev/null
moved=$(on c "SELECT format('citus_move_shard_placement(%s, ''127.0.0.1'', ${port[w2]}, ''127.0.0.1'', ${port[c]}, ''block_writes'')', min(shardid)) FROM pg_dist_shard WHERE logicalrelid = 'spread_people'::regclass")
like "$(on c "SELECT $moved")" "ERROR: \"spread_people_*\" is a shard of Citus, and cannot be protected" "those of protected tables do not move to the coordinator"
joins
for t in local spread; do
	as c owner "CREATE TABLE ${t}_guests (id int PRIMARY KEY, age float8 NOT NULL, sex text NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_nights (guest int NOT NULL, price float8 NOT NULL)" >/dev/null
done
as c owner "SELECT create_distributed_table('spread_guests', 'id', colocate_with => 'none'); SELECT create_distributed_table('spread_nights', 'guest', colocate_with => 'spread_guests')" >/dev/null
for t in local spread; do
	as c owner "INSERT INTO ${t}_guests SELECT i, i % 90, CASE WHEN i % 5 = 0 THEN 'X' ELSE 'F' END FROM generate_series(1, 300) i" >/dev/null
	as c owner "INSERT INTO ${t}_nights SELECT 1 + i % 310, i % 80 FROM generate_series(1, 2000) i" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_guests', unit => 'id'), dpsens.set_range('${t}_guests', 'age', 0, 99), dpsens.protect('${t}_nights', unit => 'guest', max_rows => 3), dpsens.set_range('${t}_nights', 'price', 0, 100)" >/dev/null
done
is "$(on c "SELECT count(*) > 0 FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'spread_nights'::regclass AND nodeport = ${port[c]}")" t "but it can have some from the beginning"
same "SELECT name, dp_sum(price, 1), dp_count(true, 1) FROM @_nights JOIN @_guests ON guest = id JOIN @_sexes USING (sex) GROUP BY name"
same "SELECT dp_sum(n, 1), dp_count(true, 1) FROM (SELECT g.id, count(price) AS n FROM @_guests g LEFT JOIN @_nights ON guest = g.id AND price::int % 3 = 1 GROUP BY g.id) t"
same "BEGIN; SELECT dp_count(true, 1) FROM @_guests; SELECT dp_sum(price, 1) FROM @_nights n WHERE EXISTS (SELECT FROM @_guests g JOIN @_sexes USING (sex) WHERE g.id = n.guest AND is_rare); COMMIT"

echo "1..$tests"
exit $((failures > 0))
