#!/usr/bin/env bash
# attacks.sh
#	The attacks of test/attacks on a cluster, whose protected tables Citus has distributed: those that all files have, people and others,
#	with and without one person, and those that a file makes, wherever Citus takes them, by their unit.  Each attempt must show nothing of the
#	person, fail in no way that is the server's fault, and be answered only if it would be on one server, too; a question must end alike of both tables; and
#	each other test of a file holds.  What does not, or cannot be prepared there, is in attacks.left_out with its reason.
#	That attempts succeed where nothing is protected is looked at by test/attacks.  ATTACKS chooses files by number; ATTACKS_ALL=1
#	asks the slow one, too; SMITH_STATEMENTS and SMITH_SEED are those of random SQL.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/lent_rights.c, guard/distributed/room_states.c, guard/restrict/hidden.c
key=$(mktemp)
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$key"
chmod 600 "$key"
[ "$(id -u)" -ne 0 ] || chown postgres "$key"
NODE_SETTINGS=("dpsens.cluster_key_file = '$key'" "dpsens.max_failures = 0")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/nodes.sh"
folder=$(mktemp -d)
trap 'clean_up; rm -rf "$key" "${folder%/attacks}"' EXIT

# The files, with another beginning: no statement that fails ends one, what one protects is distributed first, and roles that it
# makes can log in, as whom nodes are asked.
mkdir "$folder/attacks"
cp "$here/../poll.sh" "$folder"
folder=$folder/attacks
cp -r "$here"/../attacks/* "$folder"
perl -pi -e "s/^(CREATE ROLE dpsens_attack_\\w+)/\$1 LOGIN/; s/(?<!'SELECT )dpsens\.protect\(/lab.protect(/g" "$folder"/[0-9]*.sql
# What the analyst makes stays on the coordinator: Citus has a function for it that is refused to the role, which may set that none is called.
perl -pi -e 's/^(SET (ROLE|SESSION AUTHORIZATION) dpsens_attack_ana;)/$1 SET citus.enable_ddl_propagation = off;/; s/^RESET (ROLE|SESSION AUTHORIZATION);/RESET citus.enable_ddl_propagation; $&/' "$folder"/[0-9]*.sql
sed -i '/ON_ERROR_STOP/d; s/PGOPTIONS .-c/& citus.enable_ddl_propagation=off -c/' "$folder/start.sql"
# No key without the column by which a table is distributed, and of conditions what nodes evaluate: no polymorphic functions, no labels.
perl -pi -e 's/(CREATE TABLE clinic\.(visits|stays42) \(id \w+) PRIMARY KEY/$1/' "$folder"/16_*.sql "$folder"/42_*.sql
perl -pi -e 's/\(id \|\| name/(id::text || name/g; s/upper\(feels::text\)::int > 0 OR //; s/ALTER TABLE %1\$s ALTER long SET STORAGE EXTERNAL;//' "$folder"/44_*.sql
# So is random SQL, whose tables have no accounts of rows then; Citus refuses some forms of MERGE by an internal code, and more is refused.
perl -pi -e 's/(PERFORM|,) dpsens\.protect\(r\)/$1 lab.protect(r)/; s/, dpsens\.set_budget\(.capped., row_epsilon => [0-9.]+\)//; s/^CREATE ROLE \w+/$& LOGIN/; s/^SET ROLE dpsens_smith_ana;/$& SET citus.enable_ddl_propagation = off;/; s/^RESET ROLE;/RESET citus.enable_ddl_propagation; $&/; s/(GRANT EXECUTE ON FUNCTION double_age)/SET LOCAL citus.enable_ddl_propagation = off; $1/' "$folder/smith.sql"
perl -pi -e 's{^(\s*)(\$line =~ s/XX000)}{$1\$line =~ s/XX000(?=: MERGE )/0A000/;\n$1$2}; s{\$count / 5}{\$count / 20}g' "$folder/smith.pl"
# Distributed before they are protected, and given away before that.
awk '/^SELECT format\(.ALTER TABLE clinic/ { owned = 1 }
	{ print }
	owned && /gexec/ { print "\\ir distribute.sql"; owned = 0 }' "$here/../attacks/setup.sql" | sed "/ON_ERROR_STOP/d; s/^CREATE ROLE dpsens_attack_[a-z]*/& LOGIN/
	s/EXECUTE format('SET ROLE %I', who);/& PERFORM set_config('citus.enable_ddl_propagation', CASE who WHEN 'dpsens_attack_ana' THEN 'off' ELSE 'on' END, false);/
	s/^GRANT EXECUTE ON FUNCTION double_age.*/SET citus.enable_ddl_propagation = off; & RESET citus.enable_ddl_propagation;/" >"$folder/setup.sql"
# What they join is a reference table, and a public one that is distributed alike, of the same owner.
cat >"$folder/distribute.sql" <<'SQL'
ALTER TABLE lab.shops OWNER TO dpsens_attack_owner;
ALTER TABLE lab.open_people OWNER TO dpsens_attack_owner;
GRANT CREATE ON SCHEMA lab TO dpsens_attack_owner;
GRANT CREATE ON SCHEMA clinic TO dpsens_attack_owner;
SET ROLE dpsens_attack_owner;
SELECT create_distributed_table('clinic.people', 'id'), create_distributed_table('clinic.others', 'id');
SELECT create_reference_table('lab.shops'), create_distributed_table('lab.open_people', 'id', colocate_with => 'clinic.people');
SELECT truncate_local_data_after_distributing_table('lab.shops'), truncate_local_data_after_distributing_table('lab.open_people');
VACUUM lab.shops, lab.open_people;
SELECT dpsens.set_public('lab.shops'), dpsens.set_public('lab.open_people');
SELECT truncate_local_data_after_distributing_table('clinic.people'), truncate_local_data_after_distributing_table('clinic.others');
RESET ROLE;
VACUUM clinic.people, clinic.others;
SQL
# What a file protects is distributed by its unit, or else by a key, before that; if Citus does not take it, it stays.
cat >>"$folder/setup.sql" <<'SQL'
CREATE TABLE lab.stays (relation name, why text);
GRANT INSERT ON lab.stays TO PUBLIC;
CREATE FUNCTION lab.spread_columns(relation regclass, unit text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT attname::text FROM pg_attribute a
    WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND (unit IS NULL OR unit ~ '\.' OR attname = unit)
      AND EXISTS (SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod AND m.amname = 'hash' WHERE c.opcintype = atttypid AND c.opcdefault)
    ORDER BY unit ~ '\.' AND EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation AND contype = 'f' AND attnum = ANY (conkey)) DESC,
        EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisprimary AND attnum = ANY (indkey)) DESC, attnotnull DESC, attnum
$$;
-- By the column, and, behind it, the tables that refer to it, by theirs.
CREATE FUNCTION lab.spread(relation regclass, spread_column text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tables regclass[];
    names text[];
    definitions text[];
    columns text[];
BEGIN
    IF EXISTS (SELECT FROM pg_class WHERE oid = relation AND relkind <> 'r') OR EXISTS (SELECT FROM pg_inherits WHERE relation IN (inhrelid, inhparent)) THEN
        RAISE 'it has partitions or children';
    END IF;
    SELECT array_agg(conrelid::regclass), array_agg(conname::text), array_agg(pg_get_constraintdef(oid)),
        array_agg((SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]))
        INTO tables, names, definitions, columns FROM pg_constraint WHERE confrelid = relation AND contype = 'f';
    FOR i IN 1..COALESCE(cardinality(names), 0) LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', tables[i], names[i]);
    END LOOP;
    PERFORM create_distributed_table(relation, spread_column);
    PERFORM truncate_local_data_after_distributing_table(relation);
    FOR i IN 1..COALESCE(cardinality(names), 0) LOOP
        PERFORM lab.spread(tables[i], columns[i]);
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', tables[i], names[i], definitions[i]);
    END LOOP;
END $$;
CREATE FUNCTION lab.protect(relation regclass, unit text DEFAULT NULL, adjacency text DEFAULT NULL, max_rows int DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET citus.enable_ddl_propagation = on AS $$
DECLARE
    spread_column text;
    why text := 'it has no column by which it could be distributed';
BEGIN
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = relation) THEN
        FOR spread_column IN SELECT lab.spread_columns(relation, unit) LOOP
            BEGIN
                PERFORM lab.spread(relation, spread_column);
                why := NULL;
                EXIT;
            EXCEPTION WHEN OTHERS THEN
                why := SQLERRM;
            END;
        END LOOP;
        IF why IS NOT NULL THEN
            INSERT INTO lab.stays VALUES (relation::text, why);
        END IF;
    END IF;
    PERFORM dpsens.protect(relation, unit => unit, adjacency => adjacency, max_rows => max_rows);
END $$;

-- An attempt and an oracle say here what came of them.
CREATE TABLE lab.came (number serial, file text DEFAULT current_setting('attacks.file', true), what text, said text, is_safe boolean, is_answered boolean);
CREATE FUNCTION lab.came(what text, said text, is_safe boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('role', 'none', false), set_config('citus.enable_ddl_propagation', 'on', false);
    INSERT INTO lab.came (what, said, is_safe, is_answered) VALUES (what, said, is_safe, said ~ '(^|\n)00000');
END $$;
CREATE OR REPLACE FUNCTION lab.attempt(what text, attack text[], expected text, twin_role name, twin text[], loot text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    said text = lab.try('dpsens_attack_ana', VARIADIC attack);
BEGIN
    -- Citus refuses some forms of MERGE by this code
    PERFORM lab.came(what, said, said !~* 'zebedee' AND regexp_replace(said, '(^|\n)XX000\|MERGE ', '\1', 'g') !~ '(^|\n)(XX|57|58)'
        AND (said ~ ('(^|\n)' || expected) OR said ~ '(^|\n)(?!00000)[0-9A-Z]{5}\|'));
END $$;
CREATE OR REPLACE FUNCTION lab.oracle(what text, question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    present text = lab.outcome('dpsens_attack_ana', question, 'people');
    absent text = lab.outcome('dpsens_attack_ana', question, 'others');
BEGIN
    PERFORM lab.came(what, present || E'\n' || absent, present = absent AND present !~* 'zebedee' AND present !~ '^(XX|57|58)');
END $$;
SQL

export PGDATABASE=dpsens_attacks PGPORT=${port[c]} PGOPTIONS='-c client_min_messages=error'
for node in c w1 w2; do
	PGPORT=${port[$node]} psql -XAtq -d postgres -c "CREATE DATABASE dpsens_attacks" >/dev/null
	PGPORT=${port[$node]} psql -XAtq -c "CREATE EXTENSION citus" >/dev/null
done
psql -XAtq -c "SELECT citus_set_coordinator_host('127.0.0.1', ${port[c]}), citus_add_node('127.0.0.1', ${port[w1]}), citus_add_node('127.0.0.1', ${port[w2]})" >/dev/null
psql -XAtq -f "$folder/setup.sql" >"$folder/setup.log" 2>&1
is "$(grep ERROR "$folder/setup.log")" "" "there is what the files need"
is "$(psql -XAtqc "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid::text IN ('clinic.people', 'clinic.others')")" 2 "the tables are distributed"
is "$(psql -XAtqc "SELECT count(*) FROM clinic.people"), $(psql -XAtqc "SELECT count(*) FROM clinic.others")" "400, 399" "and differ in a person"
PGUSER=dpsens_attack_ana
is "$(psql -XAtqc "SET search_path = clinic, public; SET dpsens.epsilon = 4; SELECT dp_count(*) BETWEEN 380 AND 420 FROM people" 2>&1)" t "of which an analyst is answered"
joined="SET search_path = clinic, lab, public; SET dpsens.epsilon = 4; SELECT dp_count(*) BETWEEN"
is "$(psql -XAtqc "$joined 10 AND 30 FROM people JOIN shops USING (id)" 2>&1)" t "also of a join with a reference table"
is "$(psql -XAtqc "$joined 380 AND 420 FROM people p WHERE EXISTS (SELECT FROM open_people o WHERE o.id = p.id)" 2>&1)" t "and of rows for which there is one beside them"
is "$(psql -XAtqc "$joined 380 AND 420 FROM people p WHERE EXISTS (SELECT FROM open_people o WHERE o.id = p.id AND o.id % 1000 >= 0) AND 10 / (p.id + 1) >= 0" 2>&1)" t "and by conditions that nodes attempt"
is "$(psql -XAtqc "$joined 770 AND 830 FROM (SELECT age FROM people UNION ALL SELECT age FROM others) u" 2>&1)" t "and of a union"
PGUSER=postgres

# ---- what does not hold, or cannot be prepared, and why ----

# A line names a file by its number, a test or an error's message by a pattern of the shell, * for the whole file, and the reason.
declare -A reason=() used=()
while IFS=$'\t' read -r number pattern why; do
	[[ -z $number || $number == "#"* ]] && continue
	reason[$number $pattern]=$why
	[ -n "$why" ] || ok 1 "$number $pattern is left out without a reason"
done <"$here/attacks.left_out"
# unlisted NUMBER: what of standard input no line says
unlisted()
{
	local line key found
	while IFS= read -r line; do
		found=
		for key in "${!reason[@]}"; do
			# shellcheck disable=SC2053
			if [ "${key%% *}" = "$1" ] && [[ $line == ${key#* } ]]; then
				found=$key
				used[$key]=1
			fi
		done
		[ -n "$found" ] || echo "$line"
	done
}

attack()
{
	(cd "$folder" && PGOPTIONS="$PGOPTIONS -c attacks.file=$1" timeout 900 psql -XAtq -f "$1" >"$1.log" 2>&1 </dev/null) # clock: ends what hangs
}

for number in ${ATTACKS:-$(cd "$folder" && printf '%s\n' [0-9]*.sql | sed 's/_.*//')}; do
	file=$(basename "$folder/$number"_*.sql)
	if [ -n "${reason["$number *"]:-}" ]; then
		used["$number *"]=1
		skip "$file: ${reason["$number *"]}"
		continue
	fi
	if [ "$number" = 44 ] && [ -z "${ATTACKS_ALL:-}${ATTACKS:-}" ]; then
		skip "$file: sets all settings, one after the other, in sessions of their own: make citusattackcheck"
		continue
	fi
	attack "$file"
	ended=$?
	counts=$(psql -XAtqc "SELECT count(*) || ' attempts, ' || count(*) FILTER (WHERE is_answered) || ' of them let through' FROM lab.came WHERE file = '$file'")
	# (here, so that what is used is noted)
	unlisted "$number" < <(psql -XAtqc "SELECT regexp_replace(what || ': ' || left(said, 300), '\n', ' ', 'g') FROM lab.came WHERE file = '$file' AND NOT is_safe") >"$folder/wrong"
	unlisted "$number" < <(sed -n 's/^not ok [0-9]* - //p; s/^not ok [0-9]*$/a test without a name/p' "$folder/$file.log") >>"$folder/wrong"
	# (that a file with nothing but attempts has no test of pgTAP is no error)
	unlisted "$number" < <(grep -v '^#\|# No tests run!$' "$folder/$file.log" | sed -n 's/^.*\(ERROR\|FATAL\|PANIC\): *//p; /^psql: \|server closed the connection/p') >>"$folder/wrong"
	[ $ended -lt 100 ] || echo "ended with $ended" >>"$folder/wrong"
	is "$(cat "$folder/wrong")" "" "$file: $counts, $(grep -c '^ok ' "$folder/$file.log") other tests"
	[ -z "${ATTACKS_LOGS:-}" ] || cp "$folder/$file.log" "$ATTACKS_LOGS"
done
# Random SQL over two worlds.
if [ -z "${ATTACKS:-}" ]; then
	(cd "$folder" && PGOPTIONS="$PGOPTIONS -c citus.enable_ddl_propagation=off" SMITH_SEED=${SMITH_SEED:-1} SMITH_STATEMENTS=${SMITH_STATEMENTS:-600} timeout 1200 perl smith.pl >smith.log 2>&1) # clock: ends what hangs
	ended=$?
	unlisted smith < <(sed -n 's/^not ok [0-9]* - //p; /died\|failed at\|ERROR/p' "$folder/smith.log") >"$folder/wrong"
	[ $ended -lt 100 ] && grep -q '^1\.\.' "$folder/smith.log" || echo "ended with $ended: $(tail -5 "$folder/smith.log")" >>"$folder/wrong"
	is "$(cat "$folder/wrong")" "" "random SQL: $(grep -c '^ok ' "$folder/smith.log") tests, $(sed -n 's/^# \(.*answered\)/\1/p' "$folder/smith.log")"
	[ ! -s "$folder/wrong" ] || sed -n 's/^# */# /p' "$folder/smith.log"
	is "$(psql -XAtqc "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid::text ~ '^near_[ab]\.'")" 8 "of tables that are distributed"
	for key in "${!reason[@]}"; do
		[ -n "${used[$key]:-}" ] || [[ $key == 44\ * && -z ${ATTACKS_ALL:-} ]] || ok 1 "left out, and holds: $key"
	done
	is "$(psql -XAtqc "SELECT count(*) > 1000 AND count(*) FILTER (WHERE is_answered) > 200 FROM lab.came")" t "there are attempts, $(psql -XAtqc "SELECT count(*) || ', of which ' || count(*) FILTER (WHERE is_answered) || ' are let through' FROM lab.came")"
fi
psql -XAtqc "SELECT DISTINCT '# stays on the coordinator: ' || relation || ': ' || why FROM lab.stays"
finish
