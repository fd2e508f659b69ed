#!/usr/bin/env bash
# analyst_joins.sh
#	Joins of tables that Citus has distributed, EXISTS and IN, for roles with budgets and without SELECT: by clean rooms, which ask
#	nodes as the one owner of all of them.  The same exact sums as of one server, a charge to each protected table, and what is
#	refused before it.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/lent_rights.c, guard/distributed/distributed_run.c, guard/run/room_answers.c, guard/run/room_work.c, glue/label/sql_annotation.c
NODE_MESSAGES=log
MORE_NODE_SETTINGS=("log_connections = on" "log_statement = all" "log_line_prefix = '%p %u %a| '" "dpsens.clean_rooms = 2" "dpsens.max_failures = 0" "dpsens.ledger_idle_timeout = 1h") # clock: the ledger's process stays
# answers are those for a role without SELECT
exact_as="SET dpsens.debug_restricted = on; "
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN; CREATE ROLE another LOGIN; GRANT CREATE ON SCHEMA public TO another" >/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/joined.sh"
for t in local spread; do
	as c owner "SELECT dpsens.set_public('${t}_sexes'), dpsens.set_public('${t}_habits')" >/dev/null
done

# ---- the same exact sums ----

is "$(on c "SELECT count(*) FROM pg_seclabels WHERE provider = 'dpsens' AND label = 'PUBLIC' AND objoid IN ('spread_sexes'::regclass, 'spread_habits'::regclass)")" 2 "a reference table can be declared public"
like "$(on c "SET dpsens.debug_restricted = on; EXPLAIN VERBOSE SELECT name, dp_count(true, 1) FROM spread_people JOIN spread_sexes USING (sex) GROUP BY name")" "*EXPLAIN of a private answer*" "the run is one for an analyst"
all_joins
all_groups

# ---- an answer, and its charges ----

for table in people patients stays; do
	as c owner "SELECT dpsens.grant_budget('spread_$table', 'analyst', epsilon => 80, delta => 0.005)" >/dev/null
done
asked_before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
paid() { on c "SELECT string_agg(format('%s %s', relation::regclass, trim_scale(sum::numeric)), ', ' ORDER BY relation::regclass::text) FROM (SELECT relation, sum(epsilon) FROM dpsens.release WHERE release > $asked_before AND relation IN ('spread_people'::regclass, 'spread_patients'::regclass, 'spread_stays'::regclass) GROUP BY relation) t"; }
spent() { on c "SELECT count(*) FROM dpsens.release"; }
by_sex="SELECT name, dp_count(true, 0.5) FROM spread_people JOIN spread_sexes USING (sex) GROUP BY name"
before=$(spent)
like "$(as c analyst "$by_sex")" "ERROR: permission denied for table spread_sexes" "who may not read a public table does not join it"
on c "GRANT SELECT ON spread_sexes, spread_habits TO analyst" >/dev/null
is "$(spent)" "$before" "for nothing"
is "$(as c analyst "SELECT count(*) FROM ($by_sex) t")" 3 "who may is answered about a join with a reference table"
is "$(as c analyst "SELECT dp_count(true, 8) BETWEEN 990 AND 1010 FROM spread_people JOIN spread_habits USING (id)")" t "with a public table that is distributed alike"
is "$(as c analyst "SELECT dp_count(true, 8) BETWEEN 320 AND 350 FROM spread_people p WHERE EXISTS (SELECT FROM spread_sexes s WHERE s.sex = p.sex AND name = 'male')")" t "and a condition about one"
is "$(paid)" "spread_people 16.5" "each is charged once"
is "$(as c analyst "SELECT dp_sum(cost, 2) IS NOT NULL, dp_count(true, 2) IS NOT NULL FROM spread_stays v JOIN spread_patients p ON v.patient = p.id WHERE age > 30")" "t|t" "about a join of two protected tables, too"
is "$(paid)" "spread_patients 4, spread_people 16.5, spread_stays 4" "which is charged to both"
is "$(as c analyst "SELECT dp_count(true, 2) IS NOT NULL FROM spread_patients p WHERE NOT EXISTS (SELECT FROM spread_stays v WHERE v.patient = p.id AND cost > 30)")" t "so is a condition that reads another"
is "$(paid)" "spread_patients 6, spread_people 16.5, spread_stays 6" "to both"
is "$(as c analyst "SELECT epsilon FROM dpsens.explain('SELECT dp_sum(cost, 2) FROM spread_stays v JOIN spread_patients p ON v.patient = p.id')" | sort -u)" 2 "what it costs is known before"

# ---- nothing of it is hers ----

connections() { for node in w1 w2; do grep -c "authorized: user=$1 " "$base/$node.log"; done | paste -sd' '; }
wait_for_no_room() { for node in w1 w2; do PGPORT=${port[$node]} wait_for "SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'owner'"; done; }
is "$(connections analyst)" "0 0" "no node was ever asked as the analyst"
wait_for_no_room
for node in w1 w2; do wc -l <"$base/$node.log" >"$base/$node.lines"; done
as c analyst "$by_sex" >/dev/null
as c analyst "SELECT dp_count(true, 2) FROM spread_patients p WHERE NOT EXISTS (SELECT FROM spread_stays v WHERE v.patient = p.id AND cost > 30)" >/dev/null
is "$(for node in w1 w2; do tail -n +"$(($(cat "$base/$node.lines") + 1))" "$base/$node.log" | grep " owner .*\(statement: \|execute \)" | grep -v "statement: \(BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;SET LOCAL search_path = pg_catalog, pg_temp;.*SET TRANSACTION READ ONLY;SELECT assign_distributed_transaction_id\|COMMIT$\)" | grep -vc "dpsens_internal.sum("; done | tr '\n' ' ')" "0 0 " "sessions of the owner are sent exact sums, and nothing else, in transactions that are read only"
# counted TABLE COLUMN: of its shards
counted() { for node in w1 w2; do on $node "SELECT pg_stat_force_next_flush(); SET citus.override_table_visibility = off; SELECT sum($2) FROM pg_stat_user_tables WHERE relname ~ '^spread_$1_[0-9]'" | tail -1; done | awk '{ n += $1 } END { print n }'; }
for question in "$by_sex" "SELECT dp_sum(age, 0.5) FROM spread_people p LEFT JOIN spread_sexes s ON s.sex = p.sex AND NOT is_rare WHERE name < 'n'" "SELECT dp_count(true, 0.5) FROM spread_people p WHERE sex NOT IN (SELECT sex FROM spread_sexes WHERE is_rare)"; do
	wait_for_no_room
	before="$(counted people seq_tup_read) $(counted people idx_scan) $(counted sexes idx_scan)"
	as c analyst "$question" >/dev/null
	wait_for_no_room
	is "$(echo "$(counted people seq_tup_read) $(counted people idx_scan) $(counted sexes idx_scan) $before" | awk '{ print $1 - $4, $2 - $5, $3 - $6 }')" "1000 0 0" "shards are read once, whole, and through no index: $question"
done
before=$(counted people seq_scan)
like "$(as c analyst "SELECT dp_count(true, 64) FROM spread_people p JOIN spread_sexes s USING (sex) WHERE name < 'n'")" "ERROR: the privacy budget of *" "beyond the budget nothing is answered"
wait_for_no_room
is "$(($(counted people seq_scan) - before))" 0 "and nothing is read"
for node in w1 w2; do
	is "$(as $node analyst "SET citus.override_table_visibility = off; SELECT count(*) FROM pg_stat_all_tables WHERE relname ~ '^spread_(sexes|habits|people)' AND (seq_scan, seq_tup_read, n_live_tup) IS DISTINCT FROM (NULL, NULL, NULL)")" 0 "she sees no counters of what is joined, on $node"
done
for setting in "citus.log_remote_commands = on" "citus.multi_task_query_log_level = 'notice'" "citus.log_multi_join_order = on" "citus.log_intermediate_results = on" "citus.enable_repartition_joins = on" "citus.prefer_range_partition = on"; do
	said=$(PGPORT=${port[c]} PGUSER=analyst psql -XAtq -c "SET client_min_messages = debug5" -c "SET $setting" -c "SELECT dp_count(true, 4) BETWEEN 980 AND 1020 FROM spread_people JOIN spread_sexes USING (sex) JOIN spread_habits USING (id)" 2>&1)
	is "$(grep -c '^t$' <<<"$said"), $(grep -ci "sum(\|spread_[a-z]*_[0-9]\|on server\|issuing\|citus_internal\|shard\|join order" <<<"$said")" "1, 0" "nothing is shown under $setting"
done

# ---- what is refused, before the charge ----

before=$(spent)
lent="ERROR: private answers about distributed table \"@\" are not supported for a role without SELECT privilege"
refused() { is "$(as c analyst "$1")" "$2" "refused: $3"; }
as c owner "CREATE TABLE spread_quiet (sex text PRIMARY KEY, name text NOT NULL); INSERT INTO spread_quiet VALUES ('F', 'female'); SELECT create_reference_table('spread_quiet'); GRANT SELECT ON spread_quiet TO analyst" >/dev/null
refused "SELECT dp_count(true, 0.5) FROM spread_people JOIN spread_quiet USING (sex)" "ERROR: relation \"spread_quiet\" cannot be used beside relation \"spread_people\" by a role without SELECT privilege on it" "a reference table that is not declared public"
as c owner "SELECT dpsens.grant_budget('spread_people', 'analyst', epsilon => 80, delta => 0.005, own_tables => true)" >/dev/null
is "$(as c analyst "SELECT dp_count(true, 0.5) IS NOT NULL FROM spread_people JOIN spread_quiet USING (sex)")" t "but to who may use any of its own"
before=$((before + 1))
as c another "CREATE TABLE spread_hers (sex text PRIMARY KEY, name text NOT NULL); SELECT create_reference_table('spread_hers'); INSERT INTO spread_hers VALUES ('F', 'female'); GRANT SELECT ON spread_hers TO analyst, owner; SELECT dpsens.set_public('spread_hers')" >/dev/null
refused "SELECT dp_count(true, 0.5) FROM spread_people JOIN spread_hers USING (sex)" "${lent/@/spread_people}, together with \"spread_hers\", which has another owner" "a table of somebody else's, who could put functions in its indexes"
refused "SELECT dp_count(true, 0.5) FROM spread_people p WHERE EXISTS (SELECT FROM spread_hers h WHERE h.sex = p.sex)" "${lent/@/spread_hers}, together with \"spread_people\", which has another owner" "in a condition, too"
as c owner "SELECT dpsens.grant_budget('spread_people', 'analyst', epsilon => 80, delta => 0.005, own_tables => false)" >/dev/null
on c "CREATE FUNCTION hers(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT \$1'; ALTER FUNCTION hers OWNER TO analyst" >/dev/null
as c owner "CREATE INDEX by_hers ON spread_sexes ((hers(name)))" >/dev/null
refused "$by_sex" "${lent/@/spread_sexes}, where its indexes, constraints or statistics compute with functions that are not the server's" "her function in an index of the public table"
as c owner "DROP INDEX by_hers" >/dev/null
as c owner "CREATE POLICY all_rows ON spread_sexes USING (true)" >/dev/null
as c owner "ALTER TABLE spread_sexes ENABLE ROW LEVEL SECURITY" >/dev/null
refused "SELECT dp_count(true, 0.5) FROM spread_people JOIN spread_sexes USING (sex)" "${lent/@/spread_people}, where it has row-level security" "policies of the public table"
as c owner "ALTER TABLE spread_sexes DISABLE ROW LEVEL SECURITY" >/dev/null
as c owner "DROP POLICY all_rows ON spread_sexes" >/dev/null
on c "GRANT INSERT ON spread_sexes TO analyst" >/dev/null
refused "BEGIN; INSERT INTO spread_sexes VALUES ('Q', 'q', true); SELECT dp_count(true, 0.5) FROM spread_people JOIN spread_sexes USING (sex); COMMIT" "ERROR: relation spread_sexes was changed or locked in the same transaction" "what the transaction has changed, which nodes do not see"
on c "REVOKE INSERT ON spread_sexes FROM analyst" >/dev/null
refused "SELECT dp_count(true, 0.5) FROM spread_people JOIN local_sexes USING (sex)" "ERROR: private answers about distributed table \"spread_people\" are not supported together with \"local_sexes\", which is not distributed" "tables of the coordinator"
otherwise="that is distributed otherwise, or not joined by the distribution columns"
refused "SELECT dp_count(true, 0.5) FROM spread_people p WHERE age IN (SELECT id FROM spread_habits h WHERE drinks)" "ERROR: private answers about distributed table \"spread_people\" are not supported together with \"spread_habits\" $otherwise" "rows that are on other nodes"
refused "SELECT dp_count(true, 0.5) FROM spread_people JOIN spread_sexes USING (sex) WHERE to_char(id, '9') = '3'" "ERROR: private answers about distributed table \"spread_people\" are not supported with conditions or keys that this server alone can evaluate" "what depends on a locale"
is "$(as c analyst "SELECT dp_count(true, 0.5) FROM spread_bills b JOIN spread_patients p ON p.id = b.patient" | grep -c "^ERROR")" 1 "refused: a protected table of which she has no budget"
as c owner "SELECT dpsens.revoke_budget('spread_stays', 'analyst')" >/dev/null
is "$(as c analyst "SELECT dp_count(true, 0.5) FROM spread_patients p WHERE EXISTS (SELECT FROM spread_stays v WHERE v.patient = p.id)" | grep -c "^ERROR")" 1 "nor is it asked about in a condition"
as c owner "SELECT dpsens.grant_budget('spread_stays', 'analyst', epsilon => 80, delta => 0.005)" >/dev/null
on c "ALTER TABLE spread_stays OWNER TO another" >/dev/null
refused "SELECT dp_count(true, 0.5) FROM spread_stays v JOIN spread_patients p ON v.patient = p.id" "${lent/@/spread_stays}, together with \"spread_patients\", which has another owner" "protected tables of two owners"
on c "ALTER TABLE spread_stays OWNER TO owner" >/dev/null
as c owner "CREATE VIEW lent AS SELECT age, name FROM spread_people JOIN spread_sexes USING (sex); GRANT SELECT ON lent TO analyst" >/dev/null
is "$(as c analyst "SELECT dp_count(true, 0.5) FROM lent" | grep -c "^ERROR")" 1 "refused: a view whose owner may read what it joins"
is "$(spent)" "$before" "nothing of what was refused was charged"
is "$(as c analyst "SELECT count(*) FROM ($by_sex) t")" 3 "and she is answered as before"

# ---- what changes after it was planned ----

# again QUERY OWNERS-CHANGE UNDO: a plan that is kept, before a change of the owner's, behind it, and when that is undone
again()
{
	local change="\\! PGPORT=${port[c]} PGUSER=owner psql -Xq -c \"$2\" >/dev/null 2>&1" undo="\\! PGPORT=${port[c]} PGUSER=owner psql -Xq -c \"$3\" >/dev/null 2>&1"
	printf '%s\n' "SET plan_cache_mode = force_generic_plan;" "PREPARE q AS $1;" "EXECUTE q;" "$change" "EXECUTE q;" "$undo" "EXECUTE q;" | PGPORT=${port[c]} PGUSER=analyst psql -XAtq 2>&1 | sed -n 's/^.*ERROR: */ERROR: /; /^HINT\|^DETAIL/!p' | tr '\n' ' '
}
before=$(spent)
is "$(again "SELECT dp_count(true, 0.5) IS NOT NULL FROM spread_people JOIN spread_habits USING (id)" "SELECT update_distributed_table_colocation('spread_habits', colocate_with => 'none')" "SELECT update_distributed_table_colocation('spread_habits', colocate_with => 'spread_people')")" \
	"t ERROR: private answers about distributed table \"spread_people\" are not supported together with \"spread_habits\" $otherwise t " "tables that are no longer together are not joined"
like "$(again "SELECT dp_count(true, 0.5) IS NOT NULL FROM spread_people JOIN spread_sexes USING (sex)" "ALTER TABLE spread_sexes DROP CONSTRAINT spread_sexes_pkey" "ALTER TABLE spread_sexes ADD PRIMARY KEY (sex)")" "t ERROR: * t " "nor one of which a row may meet several"
like "$(again "SELECT dp_count(true, 0.5) IS NOT NULL FROM spread_people JOIN spread_sexes USING (sex)" "SECURITY LABEL FOR dpsens ON TABLE spread_sexes IS NULL" "SELECT dpsens.set_public('spread_sexes')")" \
	"t ERROR: relation \"spread_sexes\" cannot be used beside relation \"spread_people\" by a role without SELECT privilege on it * t " "nor one that is public no longer"
is "$(again "SELECT dp_count(true, 0.5) IS NOT NULL FROM spread_people JOIN spread_sexes USING (sex)" "REVOKE SELECT ON spread_sexes FROM analyst" "GRANT SELECT ON spread_sexes TO analyst")" "t ERROR: permission denied for table spread_sexes t " "nor one that she may read no longer"
is "$(spent)" $((before + 8)) "and nothing of these is charged"

# ---- nodes that fail ----

hold_ledger
PGPORT=${port[c]} PGUSER=analyst psql -XAtq -c "SELECT dp_sum(cost, 2) FROM spread_stays v JOIN spread_patients p ON v.patient = p.id JOIN spread_sexes USING (sex)" >"$base/asked" 2>&1 &
asks=$!
wait_for_charge
before=$(spent)
still=$(on w1 "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE usename = 'owner'")
# shellcheck disable=SC2086
kill -STOP $still
free_ledger
PGPORT=${port[c]} wait_for "SELECT count(*) = $before + 2 FROM dpsens.release"
PGPORT=${port[w1]} stop_cluster w1 immediate
# shellcheck disable=SC2086
kill -CONT $still 2>/dev/null
wait "$asks"
like "$(cat "$base/asked")" "*ERROR:  the private answers of the statement could not be computed*" "a node that dies on the way is an error, which does not say why"
is "$(grep -ci "w1\|127.0.0.1\|connection\|spread_" "$base/asked"), $(spent)" "0, $((before + 2))" "nor where, charged once to each"
PGPORT=${port[w1]} start_cluster w1
is "$(as c analyst "SELECT count(*) FROM ($by_sex) t")" 3 "and the next one is answered"

echo "1..$tests"
exit $((failures > 0))
