#!/usr/bin/env bash
# room_seen.sh
#	Clean rooms as others see them while they work, the pages that they leave in the
#	server's buffers, and what they remember of the catalogs: these do not depend on
#	what a join finds, or a cell holds.
. "$(dirname "$0")/cluster.sh"

ana="SET ROLE ana; SET dpsens.epsilon = 60"
workers="SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0"

make_cluster main "dpsens.clean_rooms = 1" "shared_buffers = 64MB" "autovacuum = off" || bail "no cluster"
sql "$fixture
CREATE EXTENSION pg_buffercache;
CREATE TABLE slow WITH (fillfactor = 10) AS SELECT i, repeat(md5(i::text), 30000) AS note FROM generate_series(1, 400) i;
ALTER TABLE slow SET (parallel_workers = 2);
CREATE TABLE wide (id int PRIMARY KEY, note text); INSERT INTO wide SELECT i, repeat('x', 500) FROM generate_series(1, 10000) i;
CREATE TABLE few (id int PRIMARY KEY); CREATE TABLE none (id int PRIMARY KEY); CREATE TABLE all_of_them (id int PRIMARY KEY);
INSERT INTO few VALUES (1), (2); INSERT INTO all_of_them SELECT generate_series(1, 10000);
CREATE TABLE nobody (id int PRIMARY KEY);
CREATE ROLE ana; GRANT SELECT ON few, none, all_of_them TO ana"
sql "SELECT dpsens.protect('slow'), dpsens.protect('wide', unit => 'id'), dpsens.protect('nobody', unit => 'id'), dpsens.set_public('few'), dpsens.set_public('none'), dpsens.set_public('all_of_them')" >/dev/null
sql "SELECT dpsens.grant_budget(t, 'ana', 1000000) FROM unnest(ARRAY['slow', 'wide', 'nobody', 'people']::regclass[]) t" >/dev/null

# ---- activity ----

# slow has many pages, of which workers get some, too.

sql "$ana; SELECT dp_count(*) /* slow */ FROM slow WHERE upper(note) ~ '(a|b|c)+(d|e|f)+x' OR lower(note) ~ '(1|2|3)+(4|5|6)+x' OR initcap(note) ~ '(7|8|9)+(0|1|2)+x'" >"$base/background" 2>&1 &
processes="FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND leader_pid IN (SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens clean room')"
wait_for "SELECT count(*) = 2 $processes"
is "$(sql "SELECT DISTINCT query, application_name $processes")" "|dpsens clean room" "workers of a room have no text"
is "$(sql "SELECT DISTINCT query, application_name FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'")" "private answers|dpsens clean room" "and the room has one"
is "$(sql "SET SESSION AUTHORIZATION ana; SELECT DISTINCT backend_type, state, wait_event, query FROM pg_stat_activity WHERE query NOT LIKE '%dp_count%' AND usename <> CURRENT_USER AND application_name = 'dpsens clean room'")" \
	"|||<insufficient privilege>" "of either who asks sees the name alone"
is "$(sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%/* slow */%' AND pid <> pg_backend_pid()")" t "it is cancelled"
wait
wait_for "SELECT count(*) = 0 $processes"

# ---- pages ----

pages="SELECT count(*) FROM pg_buffercache WHERE reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relforknumber = 0 AND relfilenode = pg_relation_filenode"
all=$(sql "SELECT pg_relation_size('wide') / 8192")

# reads ANSWER QUESTION [SETTINGS]: whatever is found, all pages of the table were read.
reads()
{
	stop_cluster main
	start_cluster main
	is "$(sql "${3:-SELECT 1 WHERE false}; $ana; $2")" "$1" "$2 (${3:-no workers})"
	is "$(sql "$pages('wide')")" "$all" "... reads the table to its end"
}

for settings in "" "$workers"; do
	reads 2 "SELECT dp_count(*) FROM wide w JOIN few f ON f.id = w.id" "$settings"
	reads 0 "SELECT dp_count(*) FROM wide w JOIN none n ON n.id = w.id" "$settings"
	reads 10000 "SELECT dp_count(*) FROM wide w JOIN all_of_them a ON a.id = w.id" "$settings"
	reads 0 "SELECT dp_count(*) FROM wide w WHERE EXISTS (SELECT FROM none n WHERE n.id = w.id)" "$settings"
	reads 0 "SELECT dp_count(*) FROM wide w JOIN nobody n ON n.id = w.id" "$settings"
done

# ---- memory ----

sql "DO \$\$ BEGIN EXECUTE 'CREATE TYPE shade AS ENUM (' || (SELECT string_agg(quote_literal('c' || i), ', ') FROM generate_series(1, 100) i) || ')'; END \$\$;
CREATE TABLE dyes (id int PRIMARY KEY, amount float8, name text, since timestamp);
CREATE TABLE baths (bath int PRIMARY KEY, id int NOT NULL REFERENCES dyes, grams numeric);
CREATE TABLE dips (dip int PRIMARY KEY, bath int NOT NULL REFERENCES baths, minutes float8);
CREATE ROLE dyer; ALTER TABLE dyes OWNER TO dyer; ALTER TABLE baths OWNER TO dyer; ALTER TABLE dips OWNER TO dyer"
sql "SELECT dpsens.protect('dyes', unit => 'id'), dpsens.set_range('dyes', 'amount', 0, 100), dpsens.set_range('dyes', 'id', 1, 100), dpsens.protect('baths', unit => 'dyes.id', max_rows => 5),
	dpsens.protect('dips', unit => 'baths.id', max_rows => 20)" >/dev/null
sql "SELECT dpsens.grant_budget(t, 'ana', 1000000, 0.5) FROM unnest(ARRAY['dyes', 'baths', 'dips']::regclass[]) t" >/dev/null

# What the server's caches take in a new room after a question, in bytes.
remembers()
{
	local said room line
	sql "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'" >/dev/null
	said=$(sql "$ana; $1")
	room=$(sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'")
	[ -n "$room" ] || { echo "$said"; return; }
	line="\\[$room\\].* CacheMemoryContext: .*; \\([0-9]*\\) used"
	sql "SELECT pg_log_backend_memory_contexts($room)" >/dev/null
	wait_until grep -q "$line" "$base/main.log" || bail "the room does not say what it has"
	sed -n "s/.*$line.*/\1/p" "$base/main.log"
}

# Of cells that are all alike the first condition decides; of others none does, so that each
# is asked for.
conditions="name = 'c1' OR length(name) > 4 OR upper(name) ~ 'A+' OR replace(name, 'a', 'b') ILIKE '%C'
	OR name || id = ANY (ARRAY['x', 'y', 'z', 'a', 'b', 'c', 'd', 'e', 'f', 'g']) OR name IN (SELECT id::text FROM few)
	OR name::float8 > 3 OR name::timestamp > '2020-01-01' OR date_trunc('month', since) > '2020-01-01' OR extract(dow FROM since) = 9
	OR to_char(since, 'YYYY') = '2020' OR to_date(name, 'YYYY') = '2020-01-01' OR amount::numeric % 7 = 8
	OR since + interval '1 day' > now() OR since::timestamptz > '2020-01-01' OR COALESCE(name, 'x') || 'y' < 'a' COLLATE \"C\"
	OR CASE WHEN amount > 4 THEN substr(name, 2) ELSE lpad(name, 12, 'x') END = 'a' OR (name, id) > ('y', 3)
	OR md5(name) = 'c' OR current_setting(name, true) = 'c' OR greatest(amount, id) > 500 OR nullif(amount, 5) = 700"

for question in "SELECT dp_count(*) FROM dyes WHERE $conditions" \
	"SELECT dp_sum(CASE WHEN name = 'c1' THEN 1 ELSE ln(1 + amount) * sqrt(id) / (1 + amount ^ 2) END) FROM dyes" \
	"SELECT name, dp_sum(amount) FROM dyes GROUP BY name" \
	"SELECT dp_quantile(amount, 0.5) FROM dyes WHERE name::shade < 'c7'" \
	"SELECT dp_count(DISTINCT id) FROM dyes WHERE id BETWEEN 3 AND 60" \
	"SELECT dp_linregr(amount, ARRAY[amount * amount]) FROM dyes d JOIN few f ON f.id = d.id" \
	"SELECT dp_count(*) FROM (SELECT d.id, count(DISTINCT b.grams) AS n FROM dyes d LEFT JOIN baths b ON b.id = d.id GROUP BY d.id) q WHERE n > 1" \
	"SELECT dp_count(*) FROM dyes d WHERE EXISTS (SELECT FROM baths b JOIN dips i ON i.bath = b.bath WHERE b.id = d.id AND i.minutes > 3)"; do
	sql "INSERT INTO dyes SELECT i, 1, 'c1', '2019-01-01' FROM generate_series(1, 100) i"
	few=$(remembers "$question")
	sql "UPDATE dyes SET name = 'x' || id, amount = id, since = '2019-01-01'::timestamp + id * interval '1 day'; UPDATE dyes SET name = 'data_directory' WHERE id = 7;
		INSERT INTO baths SELECT i, i % 30 + 1, i % 7 FROM generate_series(1, 90) i; INSERT INTO dips SELECT i, i % 70 + 1, i FROM generate_series(1, 300) i"
	many=$(remembers "$question")
	sql "DELETE FROM dips; DELETE FROM baths; DELETE FROM dyes"
	none=$(remembers "$question")
	like "$few" "[1-9]*[0-9]" "a room says how much it remembers of the catalogs: ${question%% OR *}"
	is "$many" "$few" "... the same, whatever cells hold"
	is "$none" "$few" "... or if there are none"
done

finish
