#!/usr/bin/env bash
# citus.sh
#	dpsens beside Citus: a coordinator and two workers, on ports of the loopback interface.
#	BINDIR is where a server's programs are that has both extensions.
#
#	Each node is a ledger and a set of counters of its own, so nothing that is protected may be
#	distributed, nothing is answered on a worker, and roles with a budget see nothing that Citus
#	counts.  What an earlier version let happen is made here by writing into pg_seclabel.
#
#	Files: glue/citus.c, glue/label/undistributed.c, guard/restrict/distributed.c
NODE_SETTINGS=()
. "$(dirname "${BASH_SOURCE[0]}")/nodes.sh"

is "$(on w2 "SELECT string_agg(extname, ' ' ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql'")" "citus citus_columnar dpsens" "there is a cluster"

# ---- what there is ----

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
on c "CREATE ROLE analyst LOGIN" >/dev/null
on c "CREATE ROLE clerk LOGIN" >/dev/null
on c "GRANT CREATE ON DATABASE postgres TO analyst, owner" >/dev/null
people="(id int PRIMARY KEY, age float8 NOT NULL, sex text)"
rows="SELECT i, i % 100, 'F' FROM generate_series(1, 1000) i"
protect="SELECT dpsens.protect('%s'), dpsens.set_range('%s', 'age', 0, 99), dpsens.set_budget('%s', epsilon => 10), dpsens.grant_budget('%s', 'analyst', epsilon => 2)"

# protected TABLE: local, with a budget
protected()
{
	as c owner "CREATE TABLE $1 $people; INSERT INTO $1 $rows" >/dev/null
	# shellcheck disable=SC2059
	as c owner "${protect//%s/$1}" >/dev/null
}

protected people
protected old
as c owner "CREATE TABLE visits $people; INSERT INTO visits $rows; GRANT SELECT ON visits TO analyst" >/dev/null
as c owner "SELECT create_distributed_table('visits', 'id')" >/dev/null
as c owner "CREATE TABLE wards (id int PRIMARY KEY, name text); INSERT INTO wards VALUES (1, 'a'), (2, 'b'); GRANT SELECT ON wards TO analyst" >/dev/null
as c owner "SELECT create_reference_table('wards')" >/dev/null

# As an earlier version left it: distributed, with rows left behind, and labelled here, on a worker and on shards.
label="SET allow_system_table_mods = on; INSERT INTO pg_seclabel"
on c "SET allow_system_table_mods = on; DELETE FROM pg_seclabel WHERE objoid = 'old'::regclass" >/dev/null
as c owner "SELECT create_distributed_table('old', 'id')" >/dev/null
on c "$label SELECT 'old'::regclass, 'pg_class'::regclass, 0, 'dpsens', 'PROTECTED'" >/dev/null
on c "$label SELECT 'old'::regclass, 'pg_class'::regclass, 2, 'dpsens', 'RANGE [0, 99]'" >/dev/null
shard=$(on w1 "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^old_[0-9]+\$'")
for name in "$shard" old; do
	on w1 "$label SELECT '$name'::regclass, 'pg_class'::regclass, 0, 'dpsens', 'PROTECTED'" >/dev/null
	on w1 "$label SELECT '$name'::regclass, 'pg_class'::regclass, 2, 'dpsens', 'RANGE [0, 99]'" >/dev/null
done
on w1 "ANALYZE $shard" >/dev/null

# ---- tables of this server ----

is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM people")" t "a table that is not distributed is answered about"
is "$(as c owner "SELECT dp_sum(age, 0.25) IS NOT NULL FROM people")" t "and its owner, too"
as c owner "CREATE TABLE columns $people USING columnar; INSERT INTO columns $rows" >/dev/null
# shellcheck disable=SC2059
as c owner "${protect//%s/columns}" >/dev/null
is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM columns")" t "and one that is stored by columns"
releases=$(on c "SELECT count(*) FROM dpsens.release")
is "$releases" 3 "which is in the ledger"

# ---- labels are no purse of their own ----

coordinator_says="ERROR: dpsens does not work on a worker node of Citus"
is "$(as w1 owner "SELECT dp_count(true, 0.25) FROM $shard")" "$coordinator_says" "a worker does not answer about a shard"
is "$(as w1 owner "SELECT dp_count(true, 0.25) FROM old")" "$coordinator_says" "nor about the table"
is "$(as w1 owner "SELECT dpsens.set_budget('$shard', epsilon => 9)")" "$coordinator_says" "a worker sets no budget"
is "$(as w1 owner "SELECT dpsens.grant_budget('$shard', 'analyst', epsilon => 9)")" "$coordinator_says" "grants none"
is "$(as w1 owner "SELECT dpsens.set_column_budget('$shard', 'age', 9)")" "$coordinator_says" "none of a column"
is "$(as w1 owner "SELECT dpsens.protect('$shard')")" "$coordinator_says" "protects nothing"
is "$(as w1 owner "SELECT dpsens.set_range('$shard', 'age', 0, 99)")" "$coordinator_says" "declares nothing"
is "$(as w1 owner "SECURITY LABEL FOR dpsens ON TABLE $shard IS 'PROTECTED'")" "$coordinator_says" "and takes no label, from wherever it comes"
like "$(in_full w1 owner "SELECT dp_count(true, 0.25) FROM $shard")" "*HINT:*Ask the coordinator*" "the hint says whom to ask"
is "$(on w1 "SELECT count(*) FROM dpsens.release")" 0 "the ledger of the worker is empty"
is "$(as w1 owner "SELECT dpsens.unprotect('$shard')" >/dev/null; on w1 "SELECT count(*) FROM pg_seclabel WHERE objoid = '$shard'::regclass AND objsubid = 0")" 0 "a label can be taken away there"

distributed="ERROR: dp aggregates are not answered in a statement with table \"old\", which Citus has distributed"
is "$(as c analyst "SELECT dp_count(true, 0.25) FROM old")" "$distributed" "a protected table that was distributed is not answered about"
is "$(as c owner "SELECT dp_count(true, 0.25) FROM old")" "$distributed" "to its owner neither"
is "$(as c owner "SELECT sex, dp_sum(age, 0.25) FROM old GROUP BY sex")" "$distributed" "by groups neither"
is "$(as c owner "SELECT dp_count(true, 0.25) FROM old WHERE id = 7")" "$distributed" "of one shard neither"
is "$(as c owner "SELECT count(*) FROM dpsens.explain('SELECT dp_count(true, 0.25) FROM old')")" "$distributed" "and not explained"
like "$(in_full c owner "SELECT dp_count(true, 0.25) FROM old")" "*DETAIL:*HINT:*undistribute_table*" "with what helps"
visited=${distributed/old/visits}
is "$(as c owner "SELECT dp_count(true, 0.25) FROM visits")" "$visited" "nor a distributed table without label"
is "$(as c owner "SELECT dp_count(true, 0.25) FROM people JOIN visits USING (id)")" "$visited" "nor a join with one"
is "$(as c owner "SELECT dp_count(true, 0.25) FROM people WHERE EXISTS (SELECT FROM visits v WHERE v.id = people.id)")" "$visited" "nor a condition on one"
is "$(as c analyst "SELECT (SELECT dp_count(true, 0.25) FROM people), (SELECT count(*) FROM visits)")" "$visited" "nor beside a plain query of one"
is "$(as c owner "SELECT dp_count(true, 0.25) FROM people p JOIN wards w ON p.id = w.id")" "${distributed/old/wards}" "nor with a reference table"
is "$(as c owner "INSERT INTO wards SELECT dp_count(true, 0.25)::int, 'x' FROM people")" "${distributed/old/wards}" "nor into one"
is "$(as c owner "PREPARE q (int) AS SELECT dp_count(true, 0.25) FROM people WHERE id < (SELECT max(id) FROM visits WHERE id < \$1); EXECUTE q (7)")" "$visited" "nor prepared"
is "$(on c "SELECT count(*) FROM dpsens.release")" "$releases" "and nothing of that is charged"

# ---- protect() and distribution, in each order ----

cannot="ERROR: table \"visits\" cannot be protected, since Citus has distributed it"
is "$(as c owner "SELECT dpsens.protect('visits')")" "$cannot" "a distributed table is not protected"
is "$(as c owner "SECURITY LABEL FOR dpsens ON TABLE visits IS 'PROTECTED'")" "$cannot" "nor by a label"
is "$(as c owner "SELECT dpsens.protect('wards')")" "${cannot/visits/wards}" "nor is a reference table"
is "$(as c owner "SELECT dpsens.set_budget('old', epsilon => 100)")" "${cannot/visits/old}" "no budget is set for one that was"
is "$(as c owner "SELECT dpsens.grant_budget('old', 'analyst', epsilon => 100)")" "${cannot/visits/old}" "none is granted"
like "$(in_full c owner "SELECT dpsens.protect('visits')")" "*DETAIL:*still on this server*HINT:*undistribute_table*" "protect() says that rows were left behind"
is "$(as c owner "BEGIN; CREATE TABLE pair $people; SELECT create_distributed_table('pair', 'id'); SELECT dpsens.protect('pair')" | tail -1)" "${cannot/visits/pair}" "nor in the transaction that distributes it"

refused="ERROR: protected table \"people\" cannot be distributed by Citus"
is "$(as c owner "SELECT create_distributed_table('people', 'id')")" "$refused" "a protected table is not distributed"
is "$(on c "SELECT create_distributed_table('people', 'id')")" "$refused" "by a superuser neither"
is "$(as c owner "SELECT create_reference_table('people')")" "$refused" "made no reference table"
is "$(as c owner "SELECT citus_add_local_table_to_metadata('people')")" "$refused" "nor one that Citus manages"
is "$(as c owner "SELECT create_distributed_table('people', NULL, colocate_with => 'none')")" "$refused" "nor one of a single shard"
like "$(as c owner "SELECT create_distributed_table_concurrently('people', 'id')")" "$refused*" "nor without blocking"
is "$(as c owner "ALTER TABLE people ADD FOREIGN KEY (id) REFERENCES wards NOT VALID")" "$refused" "nor by a foreign key to a reference table"
is "$(as c owner "BEGIN; CREATE TABLE pair $people; SELECT dpsens.protect('pair'); SELECT create_distributed_table('pair', 'id')" | tail -1)" "${refused/people/pair}" "nor in the transaction that protects it"
as c owner "CREATE SCHEMA tenant; CREATE TABLE tenant.people $people; SELECT dpsens.protect('tenant.people')" >/dev/null
is "$(as c owner "SELECT citus_schema_distribute('tenant')")" "$refused" "nor with its schema"
as c owner "CREATE TABLE parts (id int, age float8) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (9); SELECT dpsens.protect('part')" >/dev/null
is "$(as c owner "SELECT create_distributed_table('parts', 'id')")" "${refused/people/part}" "nor with its partitions"
as c owner "CREATE TABLE series (id int, age float8) PARTITION BY RANGE (id); SELECT create_distributed_table('series', 'id'); CREATE TABLE stray (id int, age float8); SELECT dpsens.protect('stray')" >/dev/null
is "$(as c owner "ALTER TABLE series ATTACH PARTITION stray FOR VALUES FROM (0) TO (9)")" "${refused/people/stray}" "nor as a partition that is attached"
is "$(on c "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid::text IN ('people', 'pair', 'tenant.people', 'parts', 'part', 'stray')")" 0 "none of them is Citus's"
is "$(as c owner "SELECT count(*) FROM people")" 1000 "and the rows are where they were"
is "$(for node in w1 w2; do on "$node" "SELECT count(*) FROM pg_seclabel WHERE objoid <> 'old'::regclass AND label ~ 'PROTECTED'"; done | tr '\n' ' ')" "0 0 " "no worker has the label of a protected table"
is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM people")" t "which is answered about as before"
# race FIRST SECOND: the second's answer, which waits for the first's transaction
race()
{
	as c owner "DROP TABLE IF EXISTS race; CREATE TABLE race $people" >/dev/null
	{
		echo "BEGIN; $1;"
		PGPORT=${port[c]} wait_for "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'race'::regclass AND NOT granted)"
		echo "COMMIT;"
	} | PGPORT=${port[c]} PGUSER=owner psql -XAtq >/dev/null 2>&1 &
	PGPORT=${port[c]} wait_for "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'race'::regclass AND granted AND mode IN ('ShareUpdateExclusiveLock', 'ExclusiveLock'))"
	as c owner "$2"
	wait
}
is "$(race "SELECT dpsens.protect('race')" "SELECT create_distributed_table('race', 'id')")" "${refused/people/race}" "who distributes what another session is protecting waits, and is refused"
is "$(race "SELECT create_distributed_table('race', 'id')" "SELECT dpsens.protect('race')")" "${cannot/visits/race}" "and the other way round"
as c owner "CREATE TABLE open $people; SELECT dpsens.set_public('open')" >/dev/null
is "$(as c owner "SELECT create_distributed_table('open', 'id')")" "" "a public table can be distributed"

# ---- counters: everything of Citus, from its catalogue ----

# What is shown nevertheless: test/citus/shown.
shown=$(sed '/^#/d' "$(dirname "${BASH_SOURCE[0]}")/shown")
callable="SELECT format('SELECT %s FROM (SELECT %s OFFSET 0) a (%s)', format('%s(%s)', p.oid::regproc, (SELECT string_agg(CASE WHEN p.provariadic <> 0 AND n = p.pronargs THEN 'VARIADIC ' ELSE '' END || 'x' || n, ', ' ORDER BY n) FROM generate_series(1, p.pronargs) n)),
		coalesce((SELECT string_agg(format('NULL::%s', CASE WHEN t.oid::text::regtype::text ~ '^any' OR t.typname ~ '^any' THEN 'int' || CASE WHEN t.typname ~ 'array' THEN '[]' ELSE '' END ELSE format_type(t.oid, NULL) END), ', ' ORDER BY o) FROM unnest(p.proargtypes) WITH ORDINALITY u (t, o) JOIN pg_type t ON t.oid = u.t), 'NULL'),
		coalesce((SELECT string_agg('x' || n, ', ' ORDER BY n) FROM generate_series(1, p.pronargs) n), 'x')) AS call, p.oid, p.proname
	FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension x ON x.oid = d.refobjid AND x.extname ~ '^citus'
	WHERE p.prokind IN ('f', 'a') AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
		AND NOT 'internal'::regtype = ANY (p.proargtypes) AND NOT 'cstring'::regtype = ANY (p.proargtypes)"
on c "CREATE TABLE calls AS $callable" >/dev/null
is "$(on c "SELECT count(*) > 200 FROM calls")" t "functions are found in the catalogue"

# not_refused NODE: functions that the analyst is not refused by dpsens; what fails otherwise was let in.
not_refused()
{
	on c "SELECT format('\\echo %s
%s \\g /dev/null', proname, call) FROM calls ORDER BY proname" |
		PGPORT=${port[$1]} PGUSER=analyst PGOPTIONS="-c client_min_messages=error" psql -XAtq 2>&1 |
		awk '/is not unique$/ { seen[name] = 1; next }
			/^ERROR/ { if ($0 ~ /permission denied for (function|schema|aggregate)/) refused[name] = 1; else let[name] = 1; seen[name] = 1 }
			/^[a-z_0-9]+$/ { name = $0; names[name] = 1 }
			END { for (name in names) if (let[name] || !seen[name]) print name }' | sort -u
}
is "$(not_refused c)" "$(grep -v relation: <<<"$shown" | sort -u)" "an analyst may call no function of Citus but those that were read"
is "$(not_refused w1)" "$(grep -v relation: <<<"$shown" | sort -u)" "nor on a worker"

# readable NODE: relations of Citus that the analyst may read
readable()
{
	on c "SELECT format('\\echo %s
SELECT * FROM %s LIMIT 0;', c.oid::regclass, c.oid::regclass) FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
			JOIN pg_extension x ON x.oid = d.refobjid AND x.extname ~ '^citus' WHERE c.relkind IN ('r', 'v', 'm', 'S', 'p') ORDER BY c.relname" |
		PGPORT=${port[$1]} PGUSER=analyst psql -XAtq 2>&1 | awk '/^ERROR/ { delete names[name] } /^[a-z_0-9.]+$/ { name = $0; names[name] = 1; asked++ }
			END { for (name in names) print name; if (asked < 40) print asked + 0 " relations were asked" }' | sort
}
is "$(readable c)" "$(sed -n 's/^relation: //p' <<<"$shown")" "an analyst may read no relation of Citus but those that were read"
is "$(readable w1)" "$(sed -n 's/^relation: //p' <<<"$shown")" "nor on a worker"
is "$(as c analyst "COPY pg_dist_placement TO STDOUT")" "ERROR: permission denied for a relation of Citus" "nor by COPY"

denied="ERROR: permission denied for *"
for call in "run_command_on_workers('SELECT sum(n_live_tup) FROM pg_stat_user_tables')" "run_command_on_all_nodes('SELECT 1')" "run_command_on_coordinator('SELECT 1')" \
	"run_command_on_shards('visits', 'SELECT count(*) FROM %s')" "run_command_on_placements('visits', 'SELECT pg_relation_size(''%s'')')" \
	"master_run_on_worker(ARRAY['127.0.0.1'], ARRAY[${port[w1]}], ARRAY['SELECT 1'], false)" "citus_relation_size('visits')" "citus_total_relation_size('visits')" \
	"citus_table_size('visits')" "citus_shard_sizes()" "get_rebalance_table_shards_plan('visits')" "citus_local_disk_space_stats()" \
	"read_intermediate_result('x', 'text')" "worker_partitioned_relation_size('visits')"; do
	like "$(as c analyst "SELECT $call")" "$denied" "an analyst may not call ${call%%(*}"
done
like "$(as c analyst "SELECT citus_total_relation_size(logicalrelid) FROM pg_dist_partition")" "$denied" "nor over what she may read"
like "$(as c analyst "SELECT * FROM citus_shards")" "$denied" "nor read citus_shards"
like "$(as c analyst "SELECT * FROM citus_tables")" "$denied" "nor citus_tables"
like "$(as c analyst "DO \$\$ BEGIN PERFORM * FROM citus_shards; END \$\$")" "$denied" "nor in a block"
like "$(as c analyst "CREATE TEMP VIEW mine AS SELECT * FROM citus_shards; SELECT * FROM mine" | tail -1)" "$denied" "nor through a view"

on c "CREATE ROLE late LOGIN" >/dev/null
is "$(as c owner "SET citus.enable_ddl_propagation = off; SELECT dpsens.grant_budget('people', 'late', epsilon => 1)" >/dev/null; on w1 "SELECT count(*) FROM pg_shseclabel WHERE objoid = 'late'::regrole AND label = 'ANALYST'")" 1 "granting a budget marks the role on workers"
is "$(as w2 late "SELECT pg_relation_size('visits') IS NULL")" t "where counters are then hidden from it"
is "$(as w2 analyst "SELECT pg_relation_size(oid) IS NULL FROM (SELECT 'old'::regclass AS oid) o")" t "a worker hides sizes of tables from her"
is "$(as w2 analyst "SET citus.override_table_visibility = off; SELECT count(*) FROM pg_class WHERE relname ~ '^old_' AND reltuples <> -1")" 0 "and estimates of shards"
is "$(as w2 analyst "SELECT count(*) FROM pg_stat_user_tables WHERE n_live_tup IS NOT NULL")" 0 "and counters"
is "$(as w2 analyst "SELECT pg_database_size('postgres') IS NULL")" t "and sizes of databases"
is "$(as_in w2 analyst template1 "SELECT pg_database_size('postgres') IS NULL")" t "in other databases, too"
is "$(as w1 clerk "SELECT pg_relation_size('visits') IS NULL")" t "a worker with labels hides them from whoever may not read what they are on"
is "$(as w2 clerk "SELECT pg_relation_size('visits') IS NULL")" f "and shows them where there is nothing labelled"
like "$(as c clerk "SELECT min(result) FROM run_command_on_workers('SELECT 1')")" 1 "a role without budget may still ask Citus"

# What such a role still does, with tables that she may read.
is "$(as c analyst "SELECT count(*), sum(age) FROM visits")" "1000|49500" "an analyst reads a distributed table that she may read"
is "$(as c analyst "BEGIN; SELECT count(*) FROM visits WHERE id < 500; SELECT name FROM wards WHERE id = 1; COMMIT" | tr '\n' ' ')" "499 a " "in a transaction, too"
is "$(as c analyst "SELECT w.name, count(*) FROM visits v JOIN wards w ON v.id = w.id GROUP BY w.name ORDER BY 1" | tr '\n' ' ')" "a|1 b|1 " "and joins"
is "$(as c analyst "CREATE TEMP TABLE mine AS SELECT dp_count(true, 0.25) AS n FROM people; SELECT count(*) FROM mine; DROP TABLE mine")" 1 "keeps answers, and drops what she has made"
is "$(as c analyst "SELECT DISTINCT relname FROM pg_class WHERE relname = 'people'")" people "looks at the catalogue"
as c owner "CREATE TABLE plain $people USING columnar; INSERT INTO plain $rows; GRANT SELECT ON plain TO analyst" >/dev/null
is "$(as c analyst "SELECT count(*) FROM plain")" 1000 "reads a table that is stored by columns"
like "$(as c analyst "SELECT * FROM old")" "$denied" "and reads no table that she may not read"

# ---- rows that stay ----

is "$(on c "SELECT pg_relation_size('old') > 0")" t "there are rows of before on the coordinator"
like "$(as c analyst "SELECT * FROM ONLY old")" "$denied" "which an analyst does not read"
like "$(as c analyst "COPY old TO STDOUT")" "$denied" "does not copy"
is "$(as c analyst "SELECT pg_relation_size('old') IS NULL")" t "and does not measure"
found="SELECT severity FROM dpsens.check_security('analyst')"
is "$(on c "$found WHERE finding ~ 'installed beside'")" notice "check_security says that there is Citus"
is "$(on c "$found WHERE finding ~ 'protected table is distributed' AND object = 'public.old'")" critical "and what is open"
is "$(on c "$found WHERE finding ~ 'still on this server' AND object = 'public.old' AND hint ~ 'truncate_local_data'")" warning "and which rows stay"
is "$(as c analyst "$found WHERE finding ~ 'still on this server'")" "" "but not to the analyst"
is "$(on w1 "$found WHERE finding ~ 'worker node'")" warning "and on a worker what it is"
on c "SELECT truncate_local_data_after_distributing_table('old')" >/dev/null
is "$(on c "$found WHERE finding ~ 'still on this server' AND object = 'public.old'")" "" "until they are gone"

# ---- a shard on the coordinator, and the way back ----

on c "SELECT citus_set_node_property('127.0.0.1', ${port[c]}, 'shouldhaveshards', true)" >/dev/null
as c owner "CREATE TABLE here $people; INSERT INTO here $rows; SELECT create_distributed_table('here', 'id', colocate_with => 'none')" >/dev/null
here=$(on c "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^here_[0-9]+\$'")
on c "$label SELECT '$here'::regclass, 'pg_class'::regclass, 0, 'dpsens', 'PROTECTED'" >/dev/null
is "$(as c owner "SELECT dp_count(true, 0.25) FROM $here")" "ERROR: dp aggregates are not answered in a statement with \"$here\", a shard of Citus" "a shard on the coordinator is not answered about"
is "$(as c owner "SELECT dpsens.protect('$here')")" "ERROR: \"$here\" is a shard of Citus, and cannot be protected" "nor protected"
is "$(on c "$found WHERE finding ~ 'shard of Citus'")" critical "and is found"
before=$(on c "SELECT count(*) FROM dpsens.release")
like "$(as c owner "SELECT alter_distributed_table('old', shard_count := 2)")" "ERROR: *" "a table that was protected is not distributed in another way"
as c owner "SELECT undistribute_table('old')" >/dev/null
is "$(as c owner "SELECT count(*) FROM old")" 1000 "it can be brought back"
is "$(as c analyst "SELECT dp_count(true, 0.25) IS NOT NULL FROM old")" t "and is then answered about, with the budget that there was"
is "$(on c "SELECT count(*) FROM dpsens.release")" $((before + 1)) "in one ledger"
is "$(as c analyst "SELECT dp_count(true, 3) FROM old")" "ERROR: the privacy budget of role \"analyst\" on relation \"public.old\" does not allow this statement" "of which nothing was given back"

# ---- nobody pretends to be Citus, or not to have it ----

as c analyst "CREATE SCHEMA citus AUTHORIZATION analyst; CREATE TABLE citus.pg_dist_local_group (groupid int); INSERT INTO citus.pg_dist_local_group VALUES (1); CREATE TABLE citus.pg_dist_partition AS SELECT 'people'::regclass AS logicalrelid" >/dev/null
is "$(as c analyst "SET search_path = citus, pg_catalog, public; SELECT dp_count(true, 0.25) IS NOT NULL FROM people")" t "tables of the same names change nothing"
like "$(as c analyst "DROP EXTENSION citus")" "ERROR: must be owner*" "and drops none"
on c "CREATE DATABASE other" >/dev/null 2>&1
on c "GRANT CREATE ON DATABASE other TO analyst" >/dev/null 2>&1
like "$(as_in c analyst other "CREATE EXTENSION citus")" "ERROR: permission denied*" "an analyst makes no extension of that name"
session="CREATE EXTENSION dpsens;
CREATE TABLE people AS SELECT 1 AS id;
CREATE SCHEMA mine; CREATE TABLE mine.pg_dist_local_group AS SELECT 1 AS groupid;
DO \$\$ BEGIN PERFORM dpsens.protect('people'); END \$\$;
SELECT dp_count(true, 0.25) IS NOT NULL FROM people;
CREATE EXTENSION citus;
SELECT dp_count(true, 0.25) IS NOT NULL FROM people;
UPDATE pg_dist_local_group SET groupid = 1;
SELECT dp_count(true, 0.25) IS NOT NULL FROM people;
DROP EXTENSION citus;
SELECT dp_count(true, 0.25) IS NOT NULL FROM people;"
is "$(PGPORT=${port[c]} PGOPTIONS="-c client_min_messages=error" psql -XAtq -d other <<<"$session" 2>&1 | sed -n 's/^ERROR: */ERROR: /; /^DETAIL\|^HINT/!p' | tr '\n' ';')" "t;t;$coordinator_says;t;" \
	"a session sees at once that Citus comes, that its node becomes a worker, and that it goes"

echo "1..$tests"
exit $((failures > 0))
