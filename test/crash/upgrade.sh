#!/usr/bin/env bash
# upgrade.sh
#	Databases with the objects of releases before this one: with today's library they
#	answer nothing and say what helps; ALTER EXTENSION ... UPDATE makes of them what a new
#	installation has, and keeps what they hold.  "make install install-released" first.
. "$(dirname "$0")/cluster.sh"

. "$(dirname "$0")/../released/load.sh"

said="ERROR: extension \"dpsens\" is not of the version that this library expects"
update="ALTER EXTENSION dpsens UPDATE"
asks="SELECT dp_count(true, 0.25) IS NOT NULL FROM patients"

spent="SELECT string_agg(concat_ws(' ', relation_name, role_name, round(spent_epsilon / 2.0 ^ 40, 4)), ', ' ORDER BY relation_name, role_name) FROM dpsens.purse"

# refused DATABASE STATEMENT NAME
refused()
{
	is "$(sql "$1" "$2")" "$said" "$3"
}

# While objects and library differ.
check_refusals()
{
	local before
	before=$(sql "$1" "$spent; SELECT count(*) FROM dpsens.release")
	refused "$1" "SET ROLE analyst; $asks" "$2: no answer for an analyst"
	refused "$1" "SET ROLE curator; $asks" "$2: nor for the owner"
	refused "$1" "SET ROLE curator; SELECT (SELECT dp_count(true, 1) FROM patients), dp_avg(minutes) FROM visits" "$2: by no query"
	refused "$1" "SET ROLE curator; EXPLAIN $asks" "$2: nor a plan"
	refused "$1" "SET ROLE analyst; SELECT sensitivity FROM dpsens.explain('$asks')" "$2: what is a function of the library is refused"
	refused "$1" "SET ROLE curator; SELECT dpsens.grant_budget('patients', 'analyst', epsilon => 100)" "$2: budgets are not changed"
	refused "$1" "SELECT dpsens.acknowledge_restore()" "$2: nor acknowledged"
	refused "$1" "SELECT dpsens.forgive_failures('analyst')" "$2: nor are failures forgiven"
	refused "$1" "UPDATE visits SET minutes = 1 WHERE visit_id = 3" "$2: a row with an account is not changed, since what it lost could not be frozen"
	refused "$1" "ALTER TABLE patients RENAME TO persons" "$2: no table is renamed, since its budgets would not learn of it"
	refused "$1" "INSERT INTO dpsens.purse SELECT * FROM dpsens.purse" "$2: nor is the ledger"
	refused "$1" "CALL dpsens.train('risk', 'patients', '{age}', 'age', 1, 1, 1e-6)" "$2: nothing is trained"
	is "$(sql "$1" "SELECT count(*) FROM patients; SELECT relation FROM dpsens.public_relations")" $'200\nwards' "$2: the tables are there for whoever may read them"
	is "$(sql "$1" "$spent; SELECT count(*) FROM dpsens.release")" "$before" "$2: and nothing was spent"
	like "$(psql -Xq -d "$1" -c '\set VERBOSITY sqlstate' -c "$asks" 2>&1)" "ERROR:  55000" "$2: by a state that programs know"
}

make_cluster main || bail "no cluster"
sql "CREATE ROLE curator; CREATE ROLE analyst; SECURITY LABEL FOR dpsens ON ROLE analyst IS 'ANALYST'" >/dev/null
sql "CREATE DATABASE fresh" >/dev/null
sql fresh "CREATE EXTENSION dpsens" >/dev/null
objects_of fresh fresh.objects
like "$(wc -l <"$base/fresh.objects")" "@([5-9]???|?????)" "objects are described"
like "$(grep -c '^pg_proc\|^comment\|^privileges\|^rule\|^pg_trigger\|^pg_extension' "$base/fresh.objects")" "[0-9]???" "of many kinds"
is "$(sql fresh "SELECT dpsens.version() = extversion FROM pg_extension WHERE extname = 'dpsens'")" t "the version is that of the objects"
version=$(sql fresh "SELECT dpsens.version()")

# ---- each release before ----

stop_cluster main
start_cluster main "-c shared_preload_libraries=''" || bail "the server does not start without the library"
# a unit with a long key, as it was called then
more_to_load="INSERT INTO dpsens.frozen_loss SELECT account, repeat('k', 2001), 1, 1, 0, 0 FROM dpsens.row_account;"
for old in $releases; do
	load "$(name_of "$old")" "$old"
	refused "$(name_of "$old")" "SELECT sensitivity FROM dpsens.sensitivity('x', '{\"x\": [0, 1]}')" "$old: refused where the library is not preloaded, too"
	refused "$(name_of "$old")" "$asks" "$old: and never answered"
done
stop_cluster main
start_cluster main || bail "the server does not start again"

for old in $releases; do
	database=$(name_of "$old")
	check_refusals "$database" "$old"
	is "$(sql "$database" "CREATE AGGREGATE public.largest(float8) (SFUNC = float8larger, STYPE = float8); SELECT public.largest(i) FROM generate_series(1, 9) i; DROP AGGREGATE public.largest(float8)")" 9 "$old: who asks nothing of it is not disturbed"
	like "$(psql -Xq -d "$database" -c "$asks" 2>&1)" "*of version $old, the library is of version $version.*HINT:  Use $update.*" "$old: both versions are named, and what helps"

	# what a difference looks like, so that the comparison can fail
	objects_of "$database" old.objects
	like "$(diff "$base/old.objects" "$base/fresh.objects" | grep -c 'dpsens\.version()')" "[1-9]*" "$old: its objects differ from those of $version"

	what=$(what "$database")
	sql "$database" "$what" >"$base/before"
	like "$(cut -d'|' -f1 "$base/before" | sort | uniq -c | awk '{ printf "%s ", $2 }')" \
		"dpsens.brackets dpsens.budget dpsens.failure dpsens.frozen_loss dpsens.ledger_origin dpsens.purse dpsens.release dpsens.row_account dpsens.row_account_account_seq dpsens.stored_models label " \
		"$old: there is something to keep in every table"
	is "$(sql "$database" "BEGIN; $update; ROLLBACK; $asks")" "$said" "$old: an update that is rolled back is none"
	# a session that was refused before another updates
	cat >"$base/session.sql" <<-END
		SET client_min_messages = warning;
		SET ROLE analyst;
		$asks;
		\! psql -Xq -d $database -c '$update'
		SELECT dpsens.version();
		$asks;
	END
	is "$(psql -XAtq -d "$database" -f "$base/session.sql" 2>&1 | sed -n 's/^.*ERROR: */ERROR: /; /^[^DH]/p' | tr '\n' '|')" "$said|$version|t|" "$old: updated, it answers, in sessions that were open, too"
	sql "$database" "$what" | diff - "$base/before" >"$base/changed"
	is "$(grep '^[<>]' "$base/changed" | cut -d'|' -f1 | LC_ALL=C sort | uniq -c | awk '{ printf "%s%s %s, ", $2, $1, $3 }')" \
		"<1 dpsens.frozen_loss, <2 dpsens.purse, <1 dpsens.release, >1 dpsens.frozen_loss, >2 dpsens.purse, " "$old: all is as it was but for that charge, and the name of one unit"
	is "$(sql "$database" "SELECT unit = repeat('k', 64) || ':sha256:' || encode(sha256(convert_to(repeat('k', 2001), 'UTF8')), 'hex') FROM dpsens.frozen_loss ORDER BY length(unit) DESC LIMIT 1")" t "$old: which is found by its new name"
	objects_of "$database" new.objects
	is "$(diff "$base/new.objects" "$base/fresh.objects" | head -20)" "" "$old: updated, its objects are those of a new installation"
	is "$(sql "$database" "SELECT count(*), count(*) FILTER (WHERE valid) FROM dpsens.verify_ledger()")" "5|5" "$old: the ledger is what its history says"
	is "$(sql "$database" "SELECT string_agg(relation_name || ' ' || round(renyi_order::numeric, 1), ', ') FROM dpsens.budget WHERE renyi_order IS NOT NULL")" "patients 13.0" "$old: a budget of (epsilon, delta) has its order"
	is "$(sql "$database" "SET ROLE curator; UPDATE visits SET minutes = 1 WHERE visit_id = 3; SELECT string_agg(left(unit, 2), ' ' ORDER BY unit) FROM dpsens.row_loss('visits') WHERE NOT present OR unit = '1'")" "1 2 kk" "$old: row accounts go on"
	is "$(sql "$database" "SET ROLE curator; SELECT round((dpsens.predict('risk', '{0}'))[1]::numeric, 4)")" 0.1824 "$old: so do models"
	is "$(sql "$database" "SET ROLE curator; SELECT dp_sum(decades(p), 1) IS NOT NULL FROM patients p")" t "$old: and registered expressions"
	is "$(sql "$database" "SET ROLE analyst; SELECT dp_count(true, 1) IS NOT NULL, dp_count(true, 0.0001) IS NOT NULL FROM patients")" \
		"ERROR: the privacy budget of role \"analyst\" on relation \"public.patients\" does not allow this statement" "$old: what was spent before counts"
	is "$(sql "$database" "SET ROLE analyst; SELECT dp_count(true, 1.0001) IS NOT NULL FROM patients")" \
		"ERROR: epsilon 1.0001 is more than one answer may be asked with from the budget of role \"analyst\" on relation \"public.patients\"" "$old: one answer of a budget of before has epsilon 1 at most"
	is "$(sql "$database" "SET ROLE analyst; SELECT dp_count(true, 1) IS NOT NULL FROM patients")" t "$old: to the last of it"
done

# ---- a server that still runs the library of before ----

sql "CREATE DATABASE newer"
sql newer "$fixture"
newer="SET allow_system_table_mods = on; UPDATE pg_extension SET extversion = '99.0.0' WHERE extname = 'dpsens'"
script=$("${PG_CONFIG:-$BINDIR/pg_config}" --sharedir)/extension/dpsens--$version--99.0.0.sql
if (: >"$script") 2>/dev/null; then
	sed -n '/^CREATE FUNCTION dpsens.version/,/;$/{ s/CREATE/CREATE OR REPLACE/; p }' "$released/../../sql/05_version.sql" >"$script"
	# newer servers quote the script, too
	is "$(sql newer "ALTER EXTENSION dpsens UPDATE TO '99.0.0'" | head -1)" "$said" "objects that the library does not know are not installed"
	rm "$script"
else
	skip "scripts cannot be written to the server's folder"
fi
is "$(sql newer "$ask")" t "so it answers"
cat >"$base/session.sql" <<-END
	$ask;
	\! psql -Xq -d newer -c "$newer" -c "ALTER FUNCTION dpsens.version() COST 2"
	$ask;
	SELECT dpsens.version();
END
is "$(psql -XAtq -d newer -f "$base/session.sql" 2>&1 | sed -n 's/^.*ERROR: */ERROR: /; /^[^DH]/p' | tr '\n' '|')" "t|$said|$said|" "where they are installed nevertheless, it does not, in sessions that were open"
refused newer "$ask" "nor in others"
like "$(psql -Xq -d newer -c "SELECT dpsens.version()" 2>&1)" "*of version 99.0.0, the library is of version $version.*HINT:  Restart the server*" "and what helps is said"
finish
