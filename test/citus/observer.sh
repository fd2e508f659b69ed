#!/usr/bin/env bash
# observer.sh
#	Two worlds of a cluster, which differ in one person, a row of a shard: databases of the same servers. An
#	analyst asks both the same (two_worlds.pl), and sees the same, on the coordinator and on nodes where the
#	role may connect and has no right.  OBSERVER_STATEMENTS and OBSERVER_SEED say how many and which.
#	BINDIR is where a server's programs are that has both extensions.
#
#	Files: guard/distributed/lent_rights.c, guard/distributed/connections.c, guard/restrict/hidden.c, glue/label/role_nodes.c
key=$(mktemp)
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$key"
chmod 600 "$key"
[ "$(id -u)" -ne 0 ] || chown postgres "$key"
NODE_MESSAGES=log
NODE_SETTINGS=("dpsens.cluster_key_file = '$key'" "log_connections = on" "log_statement = all" "log_line_prefix = '%d %u| '" "dpsens.max_failures = 0" "max_worker_processes = 30")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/nodes.sh"
trap 'clean_up; rm -f "$key"' EXIT

on c "CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE clerk LOGIN" >/dev/null 2>&1

# in_world NODE DATABASE ROLE QUERY
in_world()
{
	PGPORT=${port[$1]} PGUSER=$3 PGOPTIONS="-c client_min_messages=error" psql -XAtq -v ON_ERROR_STOP=1 -d "$2" -c "$4" 2>&1
}
columns="(id int PRIMARY KEY, age float8 NOT NULL, pay float8, name text NOT NULL, story text, sex text NOT NULL, ward int NOT NULL, member boolean NOT NULL, born date NOT NULL, seen timestamptz NOT NULL, small int2 NOT NULL)" # clock: the name of a type
rows="SELECT i, 20 + i % 60, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 90 END, i::text, repeat('s', i % 30), CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END, i % 4, i % 2 = 0, '1970-01-01'::date + i, '2020-01-01 12:00+00'::timestamptz + i * interval '1 hour', 1 + i % 9 FROM generate_series(1, 2000) i" # clock: the name of a type
for world in with_one without_one; do
	for node in c w1 w2; do
		in_world $node postgres postgres "CREATE DATABASE $world" >/dev/null
		in_world $node $world postgres "CREATE EXTENSION citus" >/dev/null
	done
	in_world c $world postgres "SELECT citus_set_coordinator_host('127.0.0.1', ${port[c]}), citus_add_node('127.0.0.1', ${port[w1]}), citus_add_node('127.0.0.1', ${port[w2]})" >/dev/null
	in_world c $world postgres "CREATE EXTENSION dpsens" >/dev/null
	in_world c $world postgres "GRANT CREATE ON SCHEMA public TO owner" >/dev/null
	in_world c $world owner "CREATE TABLE people $columns; INSERT INTO people $rows;
		UPDATE people SET age = 99, pay = 0, name = 'Zebedee', story = (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 900) n), ward = 77, small = 0 WHERE id = 42" >/dev/null
	in_world c $world owner "CREATE TABLE visits (id int, patient int NOT NULL, cost float8, kind text NOT NULL);
		INSERT INTO visits SELECT i, i % 300, i % 50, CASE WHEN i % 4 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 3000) i" >/dev/null
	# patients and habits are distributed as visits are; wards are known to everybody, and so are habits
	in_world c $world owner "CREATE TABLE patients (id int PRIMARY KEY, years float8 NOT NULL, town text NOT NULL);
		INSERT INTO patients SELECT i, i % 90, CASE WHEN i % 5 = 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 400) i;
		CREATE TABLE habits (id int PRIMARY KEY, drinks boolean NOT NULL); INSERT INTO habits SELECT i, i % 5 < 3 FROM generate_series(1, 2100) i;
		CREATE TABLE wards (ward int PRIMARY KEY, called text NOT NULL, is_far boolean NOT NULL); INSERT INTO wards VALUES (0, 'a', false), (1, 'b', false), (2, 'c', true), (77, 'd', true)" >/dev/null
	[ $world = with_one ] || in_world c $world owner "DELETE FROM patients WHERE id = 42" >/dev/null
	[ $world = with_one ] || in_world c $world owner "DELETE FROM people WHERE id = 42" >/dev/null
	[ $world = with_one ] || in_world c $world owner "DELETE FROM visits WHERE patient = 42" >/dev/null
	for table in "people', 'id" "visits', 'patient" "patients', 'id" "habits', 'id"; do
		in_world c $world owner "SELECT create_distributed_table('$table')" >/dev/null
		in_world c $world owner "SELECT truncate_local_data_after_distributing_table('${table%%\'*}')" >/dev/null
	done
	in_world c $world owner "SELECT create_reference_table('wards')" >/dev/null
	in_world c $world owner "SELECT truncate_local_data_after_distributing_table('wards')" >/dev/null
	in_world c $world postgres "VACUUM (FREEZE, ANALYZE) people, visits, patients, habits, wards" >/dev/null
	in_world c $world owner "SELECT dpsens.protect('people'), dpsens.set_range('people', 'age', 0, 120), dpsens.set_range('people', 'pay', 0, 100), dpsens.set_range('people', 'small', 0, 10), dpsens.set_values('people', 'sex', 'F', 'M', 'X');
		SELECT dpsens.protect('visits', unit => 'patient', max_rows => 5), dpsens.set_range('visits', 'cost', 0, 50), dpsens.set_values('visits', 'kind', 'a', 'b');
		SELECT dpsens.protect('patients', unit => 'id'), dpsens.set_range('patients', 'years', 0, 100), dpsens.set_values('patients', 'town', 'x', 'y');
		SELECT dpsens.set_public('habits'), dpsens.set_public('wards');
		SELECT dpsens.grant_budget(r, 'analyst', epsilon => 100000, delta => 0.5) FROM unnest('{people, visits, patients}'::regclass[]) r;
		GRANT SELECT ON habits, wards TO analyst" >/dev/null
done
is "$(in_world c with_one postgres "SELECT count(*) FROM people"), $(in_world c without_one postgres "SELECT count(*) FROM people")" "2000, 1999" "the worlds differ in a person"
is "$(for node in c w1 w2; do in_world $node with_one postgres "SELECT count(*) FROM pg_shseclabel WHERE label = 'ANALYST'"; done | tr '\n' ' ')" "1 1 1 " "all nodes know who has a budget, though Citus of this database does not know the role"
[ "$failures" -eq 0 ] || { echo "1..$tests"; exit 1; }
FIRST_TESTS=$tests NODES="c:${port[c]}:$base/c.log w1:${port[w1]}:$base/w1.log w2:${port[w2]}:$base/w2.log" perl "$here/two_worlds.pl"
exit $?
