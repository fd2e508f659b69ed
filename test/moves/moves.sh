#!/usr/bin/env bash
# moves.sh
#	Protected databases that move from 15 to 17 to 18, by dump and restore and by
#	pg_upgrade: they answer nothing until that is acknowledged, and then what was spent is
#	spent.  Debian's servers side by side, each with dpsens: "make movecheck".
BINDIR=/usr/lib/postgresql/15/bin
. "$(dirname "$0")/../crash/cluster.sh"
. "$(dirname "$0")/../released/load.sh"

path=${PATH#"$BINDIR:"}

# use MAJOR: its programs
use()
{
	PATH=/usr/lib/postgresql/$1/bin:$path
}

elsewhere="ERROR: the privacy ledger was charged in another database"
acknowledge="SELECT dpsens.acknowledge_restore()"
asks="SELECT dp_count(true, 0.125) IS NOT NULL FROM patients"

# held DATABASE: what moves, by names
held()
{
	sql "$1" "SELECT 'purse', relation_name, role_name, spent_epsilon, spent_rho, spent_delta, charges FROM dpsens.purse ORDER BY 2, 3;
		SELECT 'budget', relation_name, role_name, cap_epsilon, cap_rho, cap_delta, refresh, own_tables FROM dpsens.budget ORDER BY 2, 3;
		SELECT 'release', release, role_name, purse_role_name, relation_name, expression, charge_epsilon FROM dpsens.release ORDER BY 2;
		SELECT 'account', account, relation_name, unit, cap_epsilon, cap_rho, cap_plis FROM dpsens.row_account ORDER BY 2;
		SELECT 'frozen', account, unit, spent_epsilon, spent_rho, release FROM dpsens.frozen_loss ORDER BY 2, 3;
		SELECT 'run', release, unit, finished FROM dpsens.training_account ORDER BY 2;
		SELECT 'training', release, unit, spent_rho, left_out FROM dpsens.training_loss ORDER BY 2, 3;
		SELECT 'model', name, definition, parameters FROM dpsens.stored_models ORDER BY 2;
		SELECT 'label', identity, label FROM pg_seclabel, pg_identify_object(classoid, objoid, objsubid) ORDER BY 2;
		SELECT 'role', rolname, label FROM pg_shseclabel JOIN pg_roles r ON r.oid = objoid ORDER BY 2"
}

# what each unit of a table with row accounts has lost
lost="SET ROLE curator; SELECT unit, round(epsilon::numeric, 6), releases, present FROM dpsens.row_loss('visits') WHERE unit::int < 5 ORDER BY unit"

# arrived DATABASE HELD LOST NAME: closed, then as it was
arrived()
{
	# who analyst is, a dump does not know
	like "$(sql "$1" "SET ROLE analyst; $asks")" "ERROR: *" "$4: it answers nobody"
	is "$(sql "$1" "SET ROLE curator; $asks")" "$elsewhere" "$4: nor its owner"
	is "$(sql "$1" "$acknowledge")" "" "$4: acknowledged, all are found again"
	is "$(held "$1")" "$2" "$4: everything is as it was"
	is "$(sql "$1" "$lost")" "$3" "$4: and so is what units have lost"
	is "$(sql "$1" "SET ROLE analyst; $asks")$(sql "$1" "SET ROLE curator; SELECT dp_sum(decades(p), 1) IS NOT NULL FROM patients p")" tt "$4: it answers"
	is "$(sql "$1" "SET ROLE curator; UPDATE visits SET minutes = 7 WHERE visit_id = 4; SELECT count(*) FROM dpsens.row_loss('visits') WHERE unit = '4' AND present")" 1 "$4: rows with accounts change"
	is "$(sql "$1" "SELECT count(*) FILTER (WHERE valid), count(*) FROM dpsens.verify_ledger()")" "5|5" "$4: the ledger is what its history says"
}

# ---- a database of 15, and one that 0.1.0 left there ----

settings=("max_worker_processes = 16")
make_cluster old "${settings[@]}" || bail "no cluster of 15"
sql "CREATE ROLE curator; CREATE ROLE analyst" >/dev/null
sql "CREATE DATABASE filled" >/dev/null
psql -Xq -d filled -f "$released/fill.sql" >"$base/fill.log" 2>&1 || bail "the database cannot be filled: $(tail -3 "$base/fill.log")"
for release in $releases; do
	stop_cluster old
	start_cluster old "-c shared_preload_libraries=''" || bail "15 does not start without the library"
	load "$(name_of "$release")" "$release"
done
stop_cluster old
start_cluster old || bail "15 does not start again"
like "$(sql "SHOW server_version_num")" "15*" "a server of 15"
before=$(held filled)
like "$(cut -d'|' -f1 <<<"$before" | uniq -c | awk '{ printf "%s ", $2 }')" "purse budget release account frozen model label role " "with something to move of every kind"
loss=$(sql filled "$lost")
like "$loss" "*2|0.0*|*|f*" "and a unit that is gone"

# ---- by dump and restore, to 17 and from there to 18 ----

# knows_options FROM TO: servers from 15.20 and 17.12 on keep a number of their own among options
# of columns, which programs of an 18 from before take for one of the user's.
knows_options()
{
	! grep -q pg_attver "/usr/lib/postgresql/$1/bin/postgres" || grep -q pg_attver "/usr/lib/postgresql/$2/bin/pg_dump"
}

# dumped FROM TO: by the programs of the new server, if they are as new
dumped()
{
	if knows_options "$1" "$2"; then
		use "$2"
	fi
	pg_dumpall --roles-only >"$base/roles.sql" && pg_dump -Fc -d filled >"$base/filled.dump"
	ok $? "$1 is dumped for $2"
}

# restored MAJOR
restored()
{
	use "$1"
	make_cluster "dump$1" "${settings[@]}" || bail "no cluster of $1"
	like "$(sql "SHOW server_version_num")" "$1*" "a server of $1"
	psql -Xq -f "$base/roles.sql" >"$base/roles.log" 2>&1
	sql "CREATE DATABASE filled" >/dev/null
	pg_restore --exit-on-error -d filled "$base/filled.dump" >"$base/restore.log" 2>&1
	ok $? "the dump is restored into $1" || tail -5 "$base/restore.log"
	arrived filled "$2" "$3" "dump to $1"
}

dumped 15 17
stop_cluster old
restored 17 "$before" "$loss"
between=$(held filled)
loss_between=$(sql filled "$lost")
dumped 17 18
stop_cluster dump17
restored 18 "$between" "$loss_between"
stop_cluster dump18

# ---- by pg_upgrade ----

# upgraded FROM-CLUSTER FROM TO-CLUSTER TO [OPTION OF INITDB...]
upgraded()
{
	use "$4"
	as_server initdb -A trust -U postgres "${@:5}" -D "$base/$3" >/dev/null || bail "no cluster of $4"
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$base'" "shared_preload_libraries = 'dpsens'" "${settings[@]}" |
		as_server tee -a "$base/$3/postgresql.conf" >/dev/null
	as_server pg_upgrade -b "/usr/lib/postgresql/$2/bin" -B "/usr/lib/postgresql/$4/bin" -d "$base/$1" -D "$base/$3" -U postgres -s "$base" >"$base/upgrade.log" 2>&1
	ok $? "pg_upgrade from $2 to $4" || tail -20 "$base/upgrade.log"
	start_cluster "$3" || bail "the upgraded server does not start"
	like "$(sql "SHOW server_version_num")" "$4*" "a server of $4"
}

upgraded old 15 up17 17
arrived filled "$before" "$loss" "pg_upgrade to 17"
for release in $releases; do
	database=$(name_of "$release")
	is "$(sql "$database" "$asks")" "ERROR: extension \"dpsens\" is not of the version that this library expects" "$release, upgraded with its server, refuses"
	is "$(sql "$database" "ALTER EXTENSION dpsens UPDATE")$(sql "$database" "$asks")" "$elsewhere" "updated, it is still another server"
	was=$(held "$database")
	is "$(sql "$database" "$acknowledge")$(held "$database")" "$was" "acknowledged, it has what it had"
	is "$(sql "$database" "SET ROLE analyst; $asks")" t "and answers"
done
between=$(held filled)
loss_between=$(sql filled "$lost")
stop_cluster up17
if knows_options 17 18; then
	upgraded up17 17 up18 18 --no-data-checksums
	arrived filled "$between" "$loss_between" "pg_upgrade to 18"
	stop_cluster up18
else
	tests=$((tests + 1))
	echo "ok $tests # SKIP pg_upgrade to 18: this 18 is from before the 17, and cannot read what it says of columns"
fi
finish
