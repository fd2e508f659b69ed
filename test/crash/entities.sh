#!/usr/bin/env bash
# entities.sh
#	One promise to a person: 64 clients who ask of three relations at once share it to the last answer, the server's
#	death refunds nothing, and it goes through a dump, a clone and a rename.  So does the promise of one role, whose
#	members have no other budget.
#
# CLIENTS (64) may be set.
. "$(dirname "$0")/cluster.sh"

clients=${CLIENTS:-64}
relations=(patients visits labs)
hospital="CREATE EXTENSION dpsens;
CREATE TABLE patients (patient_id int PRIMARY KEY, age float8 NOT NULL);
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients);
CREATE TABLE labs (lab_id int PRIMARY KEY, visit_id int NOT NULL REFERENCES visits);
INSERT INTO patients SELECT i, 1 FROM generate_series(1, 50) i;
INSERT INTO visits SELECT i, i % 50 + 1 FROM generate_series(1, 100) i;
INSERT INTO labs SELECT i, i % 100 + 1 FROM generate_series(1, 200) i;
DO \$\$ BEGIN PERFORM dpsens.protect('patients', 'patient_id'), dpsens.protect('visits', 'patient_id', max_rows => 2),
	dpsens.protect('labs', 'visits.patient_id', max_rows => 4), dpsens.set_entity_budget('patients', epsilon => 16); END \$\$"
spent="SELECT (spent_epsilon / 2.0 ^ 40)::float8 FROM dpsens.purse WHERE column_name = '(entity)'"
valid="SELECT bool_and(valid) FROM dpsens.verify_ledger()"
acknowledge="DO \$\$ BEGIN PERFORM dpsens.acknowledge_restore(); END \$\$"
refused="ERROR: the privacy budget of entity \"public.patients\" does not allow this statement"

# asks NUMBER: four answers about the one or the other relation, or a refusal of each
asks()
{
	local relation=${relations[$1 % 3]}
	for _ in 1 2 3 4; do
		psql -XAtqc "${2:-}" -c "SELECT 'answered' FROM (SELECT dp_count(true, 0.125) AS n FROM $relation) s WHERE n IS NOT NULL" 2>&1 | head -1
	done
}

make_cluster main "max_connections = 200" "max_worker_processes = 16" || bail "no cluster"
sql "$hospital" >/dev/null

# ---- all at once ----

for i in $(seq "$clients"); do
	asks "$i" >"$base/said.$i" &
done
wait
answered=$(cat "$base"/said.* | grep -c answered)
is "$answered" 128 "$clients clients who want $((clients * 4)) answers of three relations get the 128 that a person's budget has"
is "$(cat "$base"/said.* | grep -v answered | sed 's/  */ /g' | sort -u)" "$refused" "and are refused the others by it"
is "$(sql "$spent")" 16 "all of it is spent"
is "$(sql "SELECT (sum(spent_epsilon) / 2.0 ^ 40)::float8 FROM dpsens.purse WHERE column_name = ''")" 16 "what was refused was charged to no relation"
is "$(sql "$valid")" t "and every purse is what its releases cost"

# ---- the server dies ----

sql "DO \$\$ BEGIN PERFORM dpsens.set_entity_budget('patients', epsilon => 1000); END \$\$" >/dev/null
client()
{
	while psql -XAtqc "SELECT 'answered' FROM (SELECT dp_count(true, 0.125) AS n FROM ${relations[$1 % 3]}) s WHERE n IS NOT NULL" 2>/dev/null; do :; done >>"$base/seen.$1"
}
has_seen()
{
	[ "$(cat "$base"/seen.* 2>/dev/null | grep -c answered)" -ge "$1" ]
}
for round in 1 2 3; do
	for i in $(seq 8); do
		client "$i" &
	done
	wait_until has_seen $((round * 20))
	kill_server
	wait
	restart
	seen=$(cat "$base"/seen.* | grep -c answered)
	charged=$(sql "SELECT round(spent_epsilon / 2.0 ^ 40 * 8)::int - 128 FROM dpsens.purse WHERE column_name = '(entity)'")
	ok "$((charged < seen || charged > seen + 8 * round))" "round $round: every answer that was seen is charged to the person, and none that was not asked ($seen seen, $charged charged)"
	is "$(sql "$valid")" t "round $round: every purse is what its releases cost"
done

# ---- a role's ----

role_spent="SELECT (spent_epsilon / 2.0 ^ 40)::float8 FROM dpsens.purse WHERE column_name = '(entity)' AND role = 'team'::regrole"
spent="SELECT (spent_epsilon / 2.0 ^ 40)::float8 FROM dpsens.purse WHERE column_name = '(entity)' AND role = 0"
sql "CREATE ROLE team; CREATE ROLE mia IN ROLE team; DO \$\$ BEGIN PERFORM dpsens.grant_entity_budget('patients', 'team', epsilon => 16); END \$\$" >/dev/null 2>&1
rm -f "$base"/said.* "$base"/seen.*
for i in $(seq "$clients"); do
	asks "$i" "SET ROLE mia" >"$base/said.$i" &
done
wait
answered=$(cat "$base"/said.* | grep -c answered)
is "$answered" 128 "$clients clients of a role who want $((clients * 4)) answers of three relations get the 128 that its budget of a person has"
is "$(cat "$base"/said.* | grep -v answered | sed 's/  */ /g' | sort -u)" "ERROR: the privacy budget of role \"team\" on persons of entity \"public.patients\" does not allow this statement" "and are refused the others by it"
is "$(sql "$role_spent")" 16 "all of it is spent"
is "$(sql "$valid")" t "and every purse is what its releases cost"
sql "DO \$\$ BEGIN PERFORM dpsens.grant_entity_budget('patients', 'team', epsilon => 1000, refresh => '1 month'); END \$\$" >/dev/null 2>&1
role_client()
{
	while psql -XAtqc "SET ROLE mia" -c "SELECT 'answered' FROM (SELECT dp_count(true, 0.125) AS n FROM ${relations[$1 % 3]}) s WHERE n IS NOT NULL" 2>/dev/null; do :; done >>"$base/seen.$1"
}
for i in $(seq 8); do
	role_client "$i" &
done
wait_until has_seen 20
kill_server
wait
restart
seen=$(cat "$base"/seen.* | grep -c answered)
charged=$(sql "SELECT round(spent_epsilon / 2.0 ^ 40 * 8)::int - 128 FROM dpsens.purse WHERE column_name = '(entity)' AND role <> 0")
ok "$((charged < seen || charged > seen + 8))" "every answer that the role has seen is charged to its budget of a person, and none that was not asked ($seen seen, $charged charged)"
is "$(sql "$valid")" t "and every purse is what its releases cost"

# ---- clones, names, dumps ----

before=$(sql "$spent")
role_before=$(sql "$role_spent")
asks_of_role="SET ROLE mia; SELECT dp_count(true, 0.125) IS NOT NULL FROM"
sql "CREATE DATABASE clone TEMPLATE postgres" >/dev/null
like "$(sql clone "SELECT dp_count(true, 0.125) FROM labs")" "ERROR: the privacy ledger was charged in another database*" "a clone refuses"
sql clone "$acknowledge" >/dev/null
is "$(sql clone "SELECT dp_count(true, 0.125) IS NOT NULL FROM labs; $spent")" $'t\n'"$(sql "SELECT $before::float8 + 0.125")" "acknowledged it goes on where the original was"
is "$(sql clone "$valid")" t "by its history"
is "$(sql clone "$asks_of_role labs; RESET ROLE; $role_spent")" $'t\n'"$(sql "SELECT $role_before::float8 + 0.125")" "so does the budget of a role, which still opens the relations"
sql clone "ALTER TABLE patients RENAME TO persons" >/dev/null
if ! can_copy; then
	skip "this server comes without its own pg_dump"
	finish
fi
pg_dump -d clone >"$base/dump.sql"
# OIDs that mean something else here
sql "CREATE DATABASE restored" >/dev/null
sql restored "CREATE TABLE pad (i int); DROP TABLE pad; CREATE TABLE pad (i int)" >/dev/null
psql -Xq -v ON_ERROR_STOP=1 -d restored -f "$base/dump.sql" >"$base/restore.log" 2>&1
ok $? "a dump can be restored"
like "$(sql restored "SELECT dp_count(true, 0.125) FROM visits")" "ERROR: the privacy ledger was charged in another database*" "it refuses"
# a role of the name, with another OID
sql "ALTER ROLE team RENAME TO former_team; CREATE ROLE team; GRANT team TO mia; REVOKE former_team FROM mia" >/dev/null
sql restored "$acknowledge" >/dev/null
is "$(sql restored "SELECT dp_count(true, 0.125) IS NOT NULL FROM visits; $spent")" $'t\n'"$(sql "SELECT $before::float8 + 0.375")" "and goes on when it is acknowledged"
is "$(sql restored "SELECT string_agg(relation::text, ' ' ORDER BY relation::text) FROM dpsens.entities WHERE entity = 'persons'::regclass")" \
	"labs persons visits" "its relations are those of the entity, by the name that it got"
is "$(sql restored "$valid")" t "and releases of before are its own"
is "$(sql restored "$asks_of_role visits; RESET ROLE; $role_spent")" $'t\n'"$(sql "SELECT $role_before::float8 + 0.25")" "the budget of a role goes on there, and opens the relations of who agreed"
is "$(sql restored "$valid")" t "by its history"
# another owner, of another OID and the name of who agreed, is found by it; one of another name is not
sql restored "CREATE ROLE heir; ALTER TABLE persons OWNER TO heir; ALTER TABLE visits OWNER TO heir; ALTER TABLE labs OWNER TO heir" >/dev/null
like "$(sql restored "$asks_of_role visits")" "ERROR: permission denied for table visits*" "which it does not once they are somebody else's"
finish
