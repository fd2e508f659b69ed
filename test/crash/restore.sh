#!/usr/bin/env bash
# restore.sh
#	Copies of a database refuse to answer until somebody acknowledges them, and
#	then what was spent is spent by the same relations and roles.
# Files: ledger/origin.c, ledger/journal/change.c.
. "$(dirname "$0")/cluster.sh"

refused="ERROR: the privacy ledger was charged in another database"
acknowledge="SELECT dpsens.acknowledge_restore()"

# purses [DATABASE]: what each name has spent, and whether OIDs mean these names.
purses()
{
	sql "${1:-postgres}" "SELECT relation_name, role_name, spent_epsilon / 2.0 ^ 40,
			EXISTS (SELECT FROM pg_class c WHERE c.oid = p.relation AND c.relname = p.relation_name),
			p.role = 0 OR EXISTS (SELECT FROM pg_roles r WHERE r.oid = p.role AND r.rolname = p.role_name)
		FROM dpsens.purse p WHERE p.column_name = '' ORDER BY 1, 2" | sed 's/\(\.[0-9]*[1-9]\)0*|/\1|/; s/\.0*|/|/' | tr '\n' ' '
}

# columns [DATABASE]: what a change of a column has cost, and whether its releases say so.
columns()
{
	sql "${1:-postgres}" "SELECT b.relation, b.column_name, b.epsilon, b.spent_epsilon, b.charges, (SELECT bool_and(v.valid) FROM dpsens.verify_ledger() v)
		FROM dpsens.budgets b WHERE b.column_name IS NOT NULL ORDER BY 1, 2" | tr '\n' ' '
}

make_cluster main "wal_level = replica" "max_wal_senders = 4" || bail "no cluster"
sql "$fixture"
sql "CREATE ROLE analyst; CREATE ROLE short_lived; CREATE ROLE curator; GRANT SELECT ON people TO PUBLIC; ALTER TABLE people OWNER TO curator"
sql "DO \$\$ BEGIN PERFORM dpsens.grant_budget('people', 'analyst', epsilon => 1, own_tables => true), dpsens.grant_budget('people', 'short_lived', epsilon => 1),
	dpsens.set_budget('people', epsilon => 10); END \$\$"
declared="SELECT relation, (SELECT string_agg(role || ' ' || own_tables, ', ' ORDER BY role) FROM dpsens.budgets WHERE role IS NOT NULL) FROM dpsens.public_relations"
sql "CREATE TABLE wards (id int); SELECT dpsens.set_public('wards')" >/dev/null
is "$(sql "SET ROLE analyst; $ask")$(sql "SET ROLE analyst; $ask")$(sql "SET ROLE short_lived; $ask")" ttt "answers before the copies"
before="people||0.75|t|t people|analyst|0.5|t|t people|short_lived|0.25|t|t "
is "$(purses)" "$before" "what was spent"
sql "SELECT dpsens.set_column_budget('people', 'age', epsilon => 5)" >/dev/null
is "$(columns)" "people|age|5|1.5|0|t " "a column has lost what replaced rows cost, before it had a budget"

sql "SELECT dpsens.set_policy('people', 'analyst', epsilon => 0.75, mechanisms => '{laplace}', default_epsilon => 0.5, min_units => 7), dpsens.set_policy('people', 'short_lived', epsilon => 9)" >/dev/null
sql "CREATE ROLE auditor; SELECT dpsens.grant_audit('people', 'auditor'), dpsens.grant_audit('people', 'short_lived', rows => false)" >/dev/null
audited="SELECT string_agg(role || ' ' || rows, ', ' ORDER BY role), (SELECT count(*) > 0 FROM dpsens.budgets) FROM dpsens.auditors"
is "$(sql "SET ROLE auditor; $audited")" "auditor true|t" "an auditor"
limits="SELECT epsilon, mechanisms, default_epsilon, min_units FROM dpsens.policies WHERE role = 'analyst'"
sql "SELECT dpsens.set_policy('people', epsilon => 3, statement_epsilon => 4, default_epsilon => 0.25), dpsens.set_entity_policy('people', epsilon => 2, min_units => 5)" >/dev/null
policy="SELECT string_agg(concat_ws(' ', relation, entity, epsilon, statement_epsilon, default_epsilon, min_units), ', ' ORDER BY relation::text, entity) FROM dpsens.policies WHERE role IS NULL"
policies="people f 3 4 0.25, people t 2 Infinity 5"
is "$(sql "$policy")" "$policies" "policies of a relation and of an entity"

changes="SELECT count(*), count(DISTINCT act), min(before #>> '{policy,epsilon}') IS NULL, string_agg(DISTINCT changed_by, ' ') FROM dpsens.changes WHERE relation = 'public.people' AND act <> 'label'"
is "$(sql "$changes")" "10|6|t|postgres" "what was altered is recorded"

# ---- a clone in the same cluster, right after a charge ----

is "$(sql "CREATE DATABASE clone TEMPLATE postgres")" "" "a database can be cloned right after a charge"
is "$(sql clone "SET ROLE analyst; $ask")" "$refused" "a clone refuses"
is "$(sql clone "SET ROLE analyst; $acknowledge")" "ERROR: must be superuser to acknowledge a restore" "nobody but a superuser may acknowledge it"
is "$(sql clone "BEGIN; $acknowledge; ROLLBACK")$(sql clone "SET ROLE analyst; $ask")" "$refused" "not if that is rolled back"
is "$(sql clone "$acknowledge")" "" "acknowledged"
is "$(sql clone "SET ROLE analyst; $ask")" t "it answers"
is "$(purses clone)" "people||1|t|t people|analyst|0.75|t|t people|short_lived|0.25|t|t " "and goes on where the original was"
is "$(columns clone)" "people|age|5|1.5|1|t " "a column, too, which a count of rows costs nothing"
is "$(purses)" "$before" "the original does not notice"
is "$(sql clone "SET ROLE analyst; $ask")$(sql clone "SET ROLE analyst; $ask")" \
	"tERROR: the privacy budget of role \"analyst\" on relation \"public.people\" does not allow this statement" "until the budget is used up"
is "$(sql "DROP DATABASE clone")" "" "a database can be dropped right after a charge"
is "$(sql "CREATE DATABASE named TEMPLATE postgres")$(sql named "$acknowledge")$(sql named "$ask")$(sql "ALTER DATABASE named RENAME TO renamed")$(sql renamed "$ask")" \
	tt "a database that is renamed right after a charge stays what it is"
is "$(sql "DROP DATABASE renamed")" "" "dropped"
is "$(sql "$acknowledge")$(purses)" "$before" "acknowledging what was not restored changes nothing"
sql "CREATE DATABASE longer TEMPLATE postgres" >/dev/null
sql longer "ALTER TABLE dpsens.frozen_loss DISABLE TRIGGER keep_ledger; INSERT INTO dpsens.frozen_loss VALUES (-1, repeat('é', 1001), 1, 1, 0, 0), (-1, repeat('é', 1000), 1, 1, 0, 0); ALTER TABLE dpsens.frozen_loss ENABLE ALWAYS TRIGGER keep_ledger" >/dev/null
sql longer "$acknowledge" >/dev/null
is "$(sql longer "SELECT string_agg(left(unit, 72) || length(unit), ' ' ORDER BY length(unit)) FROM dpsens.frozen_loss WHERE account = -1")" \
	"$(sql "SELECT repeat('é', 64) || ':sha256:136 ' || repeat('é', 72) || 1000")" "acknowledged, units with long keys are called as they are by now"

# budgets that count rho at one order
sql "CREATE DATABASE counted" >/dev/null
sql counted "CREATE EXTENSION dpsens; CREATE TABLE t AS SELECT i::float8 AS x FROM generate_series(1, 10) i" >/dev/null
sql counted "SELECT dpsens.protect('t'), dpsens.set_range('t', 'x', 0, 10), dpsens.set_budget('t', 3, 1e-6)" >/dev/null
for _ in 1 2 3; do sql counted "SELECT dp_sum(x, 0.1) FROM t" >/dev/null; done
orders="SELECT p.renyi_order = b.renyi_order, spent_renyi > 0.85 * spent_rho AND spent_renyi < 0.95 * spent_rho, (SELECT bool_and(valid) FROM dpsens.verify_ledger()) FROM dpsens.purse p, dpsens.budget b"
left="SELECT dpsens.answers_left('SELECT dp_sum(x, 0.1) FROM t')"
is "$(sql counted "$orders; $left")" $'t|t|t\n37' "a budget of (epsilon, delta) counts rho at its order"
sql "CREATE DATABASE recounted TEMPLATE counted" >/dev/null
sql recounted "UPDATE dpsens.budget SET renyi_order = NULL; $acknowledge" >/dev/null
is "$(sql recounted "$orders; $left")" $'t|t|t\n37' "in a copy, too, and one whose order is not known gets it"
is "$(sql recounted "SELECT dp_sum(x, 0.1) IS NOT NULL FROM t; $left")" $'t\n36' "and answers"

# budgets that count by a rule
sql "CREATE DATABASE ruled" >/dev/null
sql ruled "CREATE EXTENSION dpsens; CREATE TABLE t AS SELECT i::float8 AS x FROM generate_series(1, 10) i" >/dev/null
sql ruled "SELECT dpsens.protect('t'), dpsens.set_range('t', 'x', 0, 10), dpsens.set_budget('t', 3, 1e-6, largest_answer => 0.1, selections => false)" >/dev/null
for _ in 1 2 3; do sql ruled "SELECT dp_sum(x, 0.1) FROM t" >/dev/null; done
ruled="SELECT p.renyi_order, b.renyi_order, (SELECT bool_and(valid) FROM dpsens.verify_ledger()) FROM dpsens.purse p, dpsens.budget b; $left"
is "$(sql ruled "$ruled")" $'-0.1|-0.1|t\n42' "a budget of answers of at most an epsilon counts them"
kill_server
restart
is "$(sql ruled "$ruled")" $'-0.1|-0.1|t\n42' "after every process of the server was killed, too"
sql "CREATE DATABASE ruled_again TEMPLATE ruled" >/dev/null
sql ruled_again "$acknowledge" >/dev/null
is "$(sql ruled_again "$ruled; SELECT dp_sum(x, 0.1) IS NOT NULL FROM t; $left")" $'-0.1|-0.1|t\n42\nt\n41' "in a copy it goes on where the original was"
like "$(sql ruled_again "SELECT dp_sum(x, 0.2) FROM t")" "ERROR: the privacy budget of relation \"public.t\"*" "and refuses larger answers"
# another rule counts what was spent from the history, and only from a whole one
sql "CREATE DATABASE ruled_short TEMPLATE ruled" >/dev/null
gaussian="SELECT dpsens.set_budget('t', gaussian => true)"
asked="SET dpsens.mechanism = 'gaussian'; SET dpsens.delta = 1e-7; SET client_min_messages = error; SELECT dp_sum(x, 0.1) IS NOT NULL FROM t"
sql ruled_again "$gaussian" >/dev/null
is "$(sql ruled_again "$asked")" t "a budget that gets another rule counts its releases by it"
sql ruled_short "$acknowledge; ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger; DELETE FROM dpsens.release WHERE release = 2; ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger" >/dev/null
sql ruled_short "$gaussian" >/dev/null
like "$(sql ruled_short "$asked")" "ERROR: the privacy budget of relation \"public.t\"*" "where one is missing nothing is left to the rule"
is "$(sql ruled_short "SELECT renyi_order FROM dpsens.purse")" -0.1 "and the purse stays as it was"
is "$(sql ruled_short "SELECT dp_sum(x, 0.1) IS NOT NULL FROM t")" t "but for its epsilon"

# ---- pg_dump into another cluster ----

if ! can_copy; then
	skip "this server comes without its own pg_dump and pg_basebackup"
	finish
fi
# groups of units: a label and a history that say different sizes, of which the smaller one is declared now
sql "CREATE DATABASE homes" >/dev/null
sql "CREATE DATABASE homes_again" >/dev/null
sql homes "CREATE EXTENSION dpsens; CREATE TABLE t AS SELECT i AS id, i::float8 AS x FROM generate_series(1, 10) i; ALTER TABLE t ADD PRIMARY KEY (id)" >/dev/null
sql homes "SELECT dpsens.protect('t', unit => 'id', group_size => 4), dpsens.set_range('t', 'x', 0, 10); SELECT dp_sum(x, 0.5) FROM t" >/dev/null
sql homes "SELECT dpsens.protect('t', group_size => 3)" >/dev/null
pg_dump -d homes >"$base/homes.sql"
psql -Xq -v ON_ERROR_STOP=1 -d homes_again -f "$base/homes.sql" >"$base/restore.log" 2>&1
ok $? "a dump of groups of units can be restored"
sql homes_again "$acknowledge" >/dev/null
is "$(sql homes_again "SELECT dp_sum(x, 0.5) IS NOT NULL FROM t; SELECT group_size FROM dpsens.releases ORDER BY release; SELECT bool_and(valid) FROM dpsens.verify_ledger()")" \
	$'t\n4\n3\nt' "it has its group size, and the history that of before"
is "$(sql homes_again "SELECT dpsens.protect('t', group_size => 4)")" "ERROR: relation \"t\" cannot protect groups of 4 units" "which binds there, too"
sql "CREATE DATABASE ruled_dumped" >/dev/null
pg_dump -d ruled >"$base/ruled.sql"
psql -Xq -v ON_ERROR_STOP=1 -d ruled_dumped -f "$base/ruled.sql" >"$base/restore.log" 2>&1
ok $? "a dump of a budget with a rule can be restored"
sql ruled_dumped "$acknowledge" >/dev/null
is "$(sql ruled_dumped "$ruled")" $'-0.1|-0.1|t\n42' "it has its rule and what was spent by it"
pg_dump -d postgres >"$base/dump.sql"
pg_dump -Fc -d postgres >"$base/dump.custom"
stop_cluster main
make_cluster other "max_worker_processes = 16" || bail "no second cluster"
# OIDs that mean somebody else here: roles in another order, one is missing
sql "CREATE ROLE x1; CREATE ROLE x2; CREATE ROLE curator; CREATE ROLE x3; CREATE ROLE analyst; CREATE ROLE auditor; CREATE TABLE pad (i int)"
sql "CREATE DATABASE restored"
psql -Xq -v ON_ERROR_STOP=1 -d restored -f "$base/dump.sql" >"$base/restore.log" 2>&1
ok $? "a dump can be restored"
is "$(sql restored "SET ROLE analyst; $ask")" "$refused" "in another cluster it refuses"
like "$(psql -XAtq -d restored -c "$acknowledge" 2>&1)" "*WARNING*belong to nobody*public.people of curator for role short_lived*" "a role that is missing is named"
is "$(purses restored)" "people||0.75|t|t people|analyst|0.5|t|t people|short_lived|0.25|t|f " "relations and roles are found by name"
is "$(sql restored "SELECT count(*) FROM dpsens.purse p JOIN pg_roles r ON r.oid = p.role WHERE r.rolname <> p.role_name")" 0 "nobody else has their purse"
is "$(sql restored "SELECT count(*) FROM dpsens.budget b JOIN pg_roles r ON r.oid = b.role WHERE r.rolname <> b.role_name")" 0 "nor their budget"
is "$(columns restored)" "people|age|5|1.5|0|t " "columns go by their names"
is "$(sql restored "SET ROLE analyst; $ask")$(sql restored "SET ROLE analyst; $ask")" tt "budgets go on"
is "$(columns restored)" "people|age|5|1.5|2|t " "those of columns, too"
is "$(sql restored "$declared")" "wards|analyst true" "what is declared to be public, and who may use other tables"
like "$(sql restored "SET ROLE analyst; $ask")" "ERROR: the privacy budget of role \"analyst\"*" "to where they end"
is "$(sql restored "SELECT min(release), max(release), count(*), max(statement) FROM dpsens.release")" "1|5|5|5" "and so does the history"

is "$(sql restored "$limits")" "0.75|{laplace}|0.5|7" "limits of answers are those of the dump"
is "$(sql restored "$policy")" "$policies" "and the policies"
like "$(sql restored "SELECT dp_count(true, 2.5) FROM people")" "ERROR: epsilon 2.5 is more than one answer may be asked with about persons of entity*" "which hold"
is "$(sql restored "$audited")|$(sql restored "SET ROLE auditor; $audited")|$(sql restored "SET ROLE x3; $audited")" "|t||f||f" "a dump has no auditors, whose OIDs mean others here"
is "$(sql restored "$changes")" "10|6|t|postgres" "the record of changes is that of the dump"
is "$(sql restored "SET ROLE curator; $changes")" "10|6|t|postgres" "which the owner sees by the relation's name, whatever its OID is"
is "$(sql restored "SELECT string_agg(act, ' ' ORDER BY change) FROM dpsens.changes WHERE relation IS NULL AND act <> 'label'")" acknowledge_restore "and that it was acknowledged"
sql "CREATE DATABASE hasty" >/dev/null
psql -Xq -d hasty -f "$base/dump.sql" >>"$base/restore.log" 2>&1
is "$(sql hasty "SELECT dpsens.set_policy('people', 'analyst', epsilon => 30)")" "$refused" "they are not set before it is known whose they are"
sql hasty "SELECT dpsens.grant_budget('people', 'analyst', epsilon => 40)" >/dev/null
is "$(sql hasty "SELECT dpsens.set_policy('people', epsilon => 30)")" "$refused" "nor those of a relation"
sql hasty "$acknowledge" >/dev/null
is "$(sql hasty "$policy")" "$policies" "which stay"
is "$(sql hasty "$limits")" "0.75|{laplace}|0.5|7" "and a budget that was granted before that loosens none"
is "$(sql "DROP DATABASE hasty")" "" "dropped again"
# the analyst's budget twice more, of relations that had its name before
sql "CREATE DATABASE thrice" >/dev/null
awk -F '\t' -v OFS='\t' '/^COPY dpsens.budget / { split($0, head, /[(), ]+/); for (i in head) place[head[i]] = i - 2; reading = 1; print; next }
	/^\\\.$/ { reading = 0 }
	{ print }
	reading && $place["role_name"] == "analyst" && $place["column_name"] == "" {
		$place["relation"]++; $place["granted_at"] = "2020-01-01 00:00:00+00"; $place["answer_epsilon"] = 0.5; $place["min_units"] = 9; print
		$place["relation"]++; $place["granted_at"] = "2020-01-02 00:00:00+00"; $place["answer_epsilon"] = 0.625; $place["min_units"] = 8; $place["default_epsilon"] = 0.375; print
	}' "$base/dump.sql" | psql -Xq -d thrice >>"$base/restore.log" 2>&1
is "$(sql thrice "SELECT string_agg(answer_epsilon::text, ' ' ORDER BY granted_at) FROM dpsens.budget WHERE role_name = 'analyst' AND column_name = ''")" "0.5 0.625 0.75" "three budgets of one role and relation"
sql thrice "$acknowledge" >/dev/null
is "$(sql thrice "$limits")" "0.5|{laplace}|0.375|9" "become one that is as strict as each of them"
is "$(sql "DROP DATABASE thrice")" "" "dropped, too"

# ---- over itself ----

is "$(sql "CREATE DATABASE again")" "" "a database for restoring over"
psql -Xq -d again -f "$base/dump.sql" >>"$base/restore.log" 2>&1
sql again "$acknowledge" >/dev/null
is "$(sql again "SET ROLE analyst; $ask")" t "charged here"
pg_dump -d again >"$base/again.sql"
pg_dump --clean --if-exists -d again >"$base/clean.sql"
pg_dump -Fc -d again >"$base/again.custom"
sql again "DROP EXTENSION dpsens CASCADE; DROP TABLE people"
psql -Xq -d again -f "$base/again.sql" >>"$base/restore.log" 2>&1
is "$(sql again "SET ROLE analyst; $ask")" "$refused" "restored into the same database after DROP EXTENSION"
sql again "$acknowledge" >/dev/null
is "$(sql again "SET ROLE analyst; $ask")" t "acknowledged, it answers"
psql -Xq -d again -f "$base/clean.sql" >>"$base/restore.log" 2>&1
is "$(sql again "SET ROLE analyst; $ask")" "$refused" "restored with --clean"
is "$(sql again "SELECT count(*), count(DISTINCT relation) FROM dpsens.policy")" "2|1" "policies, too, once"
is "$(purses again)" "people||1|f|t people|analyst|0.75|f|t people|short_lived|0.25|f|f " "as it was when it was dumped"
sql again "$acknowledge" >/dev/null
is "$(sql again "SET ROLE analyst; $ask")" t "acknowledged again"
like "$(sql again "SET ROLE analyst; $ask")" "ERROR: the privacy budget of role \"analyst\"*" "the budget is that of the dump"
pg_restore -d again --data-only --table=people "$base/again.custom" >>"$base/restore.log" 2>&1
like "$(sql again "SET ROLE x1; $ask")" t "data alone may be loaded"

# ---- renamed, moved, given away ----

sql "CREATE DATABASE moved"
psql -Xq -d moved -f "$base/dump.sql" >>"$base/restore.log" 2>&1
sql moved "$acknowledge" >/dev/null
sql moved "SET ROLE analyst; $ask" >/dev/null
sql moved "ALTER TABLE people RENAME TO persons; ALTER ROLE analyst RENAME TO guest"
pg_dump -d moved >"$base/moved.sql"
sql "CREATE DATABASE arrived"
psql -Xq -d arrived -f "$base/moved.sql" >>"$base/restore.log" 2>&1
sql arrived "$acknowledge" >/dev/null
is "$(purses arrived)" "persons||1|t|t persons|guest|0.75|t|t persons|short_lived|0.25|t|f " "a table and a role that were renamed since the last charge are found"
asks="SELECT dp_count(true, 0.25) IS NOT NULL FROM persons"
is "$(sql arrived "SET ROLE guest; $asks")$(sql arrived "SET ROLE guest; $asks")" \
	"tERROR: the privacy budget of role \"guest\" on relation \"public.persons\" does not allow this statement" "the budget goes on"
is "$(sql arrived "SELECT count(*), count(DISTINCT r.relation) FROM dpsens.release r JOIN pg_class c ON c.oid = r.relation AND c.relname = 'persons'")" "5|1" "so does its history"
# another table has taken its name
sql moved "CREATE TABLE people (age float8 NOT NULL)"
sql moved "DO \$\$ BEGIN PERFORM dpsens.protect('people'); END \$\$; ALTER TABLE people OWNER TO curator; GRANT SELECT ON people TO PUBLIC"
is "$(sql moved "SET ROLE guest; $ask")" t "a new table of the old name"
pg_dump -d moved >"$base/moved.sql"
sql "CREATE DATABASE arrived_twice"
psql -Xq -d arrived_twice -f "$base/moved.sql" >>"$base/restore.log" 2>&1
like "$(sql arrived_twice "$acknowledge")" "WARNING: *belong to nobody*" "can be acknowledged"
is "$(purses arrived_twice)" "people||0.25|t|t persons||1|t|t persons|guest|0.75|t|t persons|short_lived|0.25|t|f " "and each pays for itself"
is "$(sql arrived_twice "SELECT count(*) FROM dpsens.verify_ledger() v WHERE NOT v.valid")" 0 "as the history says"
# restored under another owner, two relations that were called the same: one is gone
sql moved "ALTER TABLE people RENAME TO old; ALTER TABLE old OWNER TO x1; DROP TABLE old; ALTER TABLE persons RENAME TO old"
pg_dump --no-owner -d moved >"$base/given.sql"
sql "CREATE DATABASE given"
psql -Xq -d given -f "$base/given.sql" >>"$base/restore.log" 2>&1
sql given "$acknowledge" >/dev/null
is "$(purses given)" "old||1.25|t|t old|guest|0.75|t|t old|short_lived|0.25|t|f " "without owners the name counts, and what both have spent"
is "$(sql given "SELECT count(*) FROM dpsens.verify_ledger() v WHERE NOT v.valid")" 0 "as the history says"
is "$(sql given "SET ROLE guest; $(echo "$ask" | sed 's/people/old/')")" t "and it answers"
sql "ALTER ROLE guest RENAME TO analyst"
# names change before anybody has acknowledged it
sql "CREATE DATABASE renaming"
psql -Xq -d renaming -f "$base/dump.sql" >>"$base/restore.log" 2>&1
sql renaming "ALTER TABLE people RENAME TO persons; CREATE SCHEMA clinic; ALTER TABLE persons SET SCHEMA clinic"
sql renaming "BEGIN; SAVEPOINT s; CREATE TABLE people (i int); ALTER TABLE wards RENAME TO houses; ROLLBACK TO s; ALTER ROLE analyst RENAME TO guest; COMMIT; BEGIN; ALTER TABLE clinic.persons RENAME TO forgotten; ROLLBACK"
sql renaming "BEGIN; ALTER SCHEMA clinic RENAME TO ward; CREATE TABLE persons (i int); ALTER TABLE ward.persons RENAME TO they; ALTER TABLE persons SET SCHEMA ward; COMMIT"
is "$(psql -XAtq -d renaming -c "$acknowledge" 2>&1 | grep -c 'public.people of')" 0 "a table that was renamed and moved is no lost one"
is "$(purses renaming)" "they||0.75|t|t they|guest|0.5|t|t they|short_lived|0.25|t|f " "its budgets went with it, and so did those of a role, but not with what was rolled back"
is "$(sql renaming "SELECT count(*) FROM dpsens.verify_ledger() v WHERE NOT v.valid")" 0 "as the history says"
is "$(sql renaming "SELECT string_agg(DISTINCT relation, ' ') FROM dpsens.releases")" "ward.they" "which is the table's, too"
is "$(sql renaming "$policy" | sed 's/ward.they/people/g')" "$policies" "and the policies"
sql "ALTER ROLE guest RENAME TO analyst"
sql "CREATE DATABASE swapping"
psql -Xq -d swapping -f "$base/dump.sql" >>"$base/restore.log" 2>&1
sql swapping "CREATE TABLE other (age float8 NOT NULL); INSERT INTO dpsens.purse (relation, relation_schema, relation_name, relation_owner, role, role_name, period_start, spent_epsilon, spent_rho, spent_delta, charges, column_name)
	SELECT 1, 'public', 'other', p.relation_owner, p.role, p.role_name, p.period_start, 1, 1, 0, 1, '' FROM dpsens.purse p WHERE p.role = 0 AND p.column_name = '' AND p.relation_name = 'people'"
sql swapping "BEGIN; ALTER TABLE other RENAME TO third; ALTER TABLE people RENAME TO other; ALTER TABLE third RENAME TO people; COMMIT"
is "$(sql swapping "SELECT relation_name, spent_epsilon > 1 FROM dpsens.purse WHERE role = 0 AND column_name = '' AND relation_name IN ('people', 'other') ORDER BY 1" | tr '\n' ' ')" "other|t people|f " "two that take each other's names take their budgets with them"
sql "DROP DATABASE renaming" >/dev/null
sql "DROP DATABASE swapping" >/dev/null

# ---- budgets of which nothing was spent ----

sql "CREATE DATABASE fresh"
sql fresh "CREATE EXTENSION dpsens; CREATE TABLE people (age float8 NOT NULL)"
sql fresh "DO \$\$ BEGIN PERFORM dpsens.protect('people'), dpsens.grant_budget('people', 'analyst', epsilon => 1); END \$\$"
is "$(sql fresh "SELECT count(*) FROM dpsens.ledger_origin")" 1 "the first budget makes the ledger this database's"
pg_dump -d fresh >"$base/fresh.sql"
sql "CREATE DATABASE thawed"
psql -Xq -d thawed -f "$base/fresh.sql" >>"$base/restore.log" 2>&1
is "$(sql thawed "SET ROLE analyst; $ask")" "$refused" "OIDs of another database are no budgets"
is "$(sql thawed "$acknowledge")$(sql thawed "SET ROLE analyst; $ask")" t "until they are acknowledged"
is "$(purses thawed)" "people||0.25|t|t people|analyst|0.25|t|t " "they are then"

# ---- two ledgers in one ----

sql "CREATE DATABASE mixed"
psql -Xq -d mixed -f "$base/dump.sql" >>"$base/restore.log" 2>&1
sql mixed "SET session_replication_role = replica; INSERT INTO dpsens.purse SELECT relation, role, 'public', 'other', 'curator', role_name,
	period_start, spent_epsilon, spent_rho, spent_delta, charges FROM dpsens.purse; ALTER TABLE dpsens.release DISABLE TRIGGER ALL;
	UPDATE dpsens.release SET relation_name = 'nobody'; ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger"
is "$(sql mixed "$acknowledge")" "ERROR: the privacy ledgers of two databases have been mixed" "cannot be told apart"
is "$(sql mixed "SET ROLE analyst; $ask")" "$refused" "and stay closed"
stop_cluster other

# ---- standby, promotion ----

start_cluster main || bail "the first cluster does not start again"
is "$(sql "SET ROLE analyst; $ask")" t "the original goes on"
as_server pg_basebackup -D "$base/standby" -R -X stream -d "host=$base port=$PGPORT user=postgres" || bail "no standby"
mkdir "$base/s"
chmod 777 "$base/s"
as_server pg_ctl -D "$base/standby" -l "$base/standby.log" -w -o "-p $PGPORT -c unix_socket_directories='$base/s' -c dpsens.primary_conninfo=port=1" start >/dev/null || bail "the standby does not start"
is "$(PGHOST=$base/s sql "SET ROLE analyst; $ask")" "ERROR: the primary could not be asked to charge the statement" "a standby that reaches no primary refuses"
like "$(PGHOST=$base/s sql "SELECT sensitivity FROM dpsens.explain('$ask')")" 1 "it explains"
as_server pg_ctl -D "$base/standby" -w promote >/dev/null
is "$(PGHOST=$base/s sql "SET ROLE analyst; $ask")" "$refused" "promoted, it refuses until that is acknowledged"
is "$(PGHOST=$base/s sql "$acknowledge")" "" "acknowledged"
is "$(PGHOST=$base/s purses)" "$(purses)" "what was spent before is spent"
is "$(PGHOST=$base/s sql "SET ROLE analyst; $ask")" t "it answers"
is "$(sql "SET ROLE analyst; $ask")" t "the original was never in doubt"
finish
