#!/usr/bin/env bash
# room_rights.sh
#	Clean rooms: as whom they compute, by which settings, and what they know of what
#	whoever asks has proved.
# Files: guard/query/expression_types.c.
. "$(dirname "$0")/cluster.sh"

ana="SET ROLE ana; SET dpsens.epsilon = 60"
spent="SELECT COALESCE(sum(charges), 0) FROM dpsens.purse WHERE role = 'ana'::regrole"

make_cluster main "dpsens.clean_rooms = 1" || bail "no cluster"
sql "$fixture
CREATE ROLE ana;
GRANT CREATE ON DATABASE postgres TO ana;
DO \$\$ BEGIN PERFORM dpsens.grant_budget('people', 'ana', 1000000, own_tables => true); END \$\$;
GRANT CREATE ON SCHEMA public TO ana;"

# ---- code of relations ----

# What an index computes is computed as who asks, by names that nobody else can give
# another meaning.
sql "CREATE FUNCTION adult() RETURNS int LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RETURN 16 + 2; END \$\$; CREATE INDEX ON people (age) WHERE age >= adult()"
sql "SET ROLE ana; CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC;
CREATE FUNCTION evil.plus(int, int) RETURNS int LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'rows: %', (SELECT string_agg(p::text, ' ') FROM public.people p); END \$\$;
CREATE OPERATOR evil.+ (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.plus)"
is "$(sql "$ana; SET search_path = evil, pg_catalog, public; SELECT public.dp_count(*) FROM public.people" 2>&1)" 100 "names of an index's code are not looked up by the asker's path"

sql "CREATE FUNCTION who() RETURNS int LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RAISE LOG 'computed by %', current_user; RETURN 18; END \$\$; CREATE INDEX ON people (age) WHERE age >= who()"
: >"$base/main.log"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 100 "code that says who runs it"
is "$(grep -o 'LOG:  computed by .*' "$base/main.log" | sort -u)" "LOG:  computed by ana" "is not run as the owner"

# What such code takes and sets goes with the visit.
sql "CREATE FUNCTION stays() RETURNS int LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RAISE LOG 'application %', current_setting('application_name'); PERFORM pg_advisory_lock(42), set_config('application_name', 'left', false); RETURN 18; END \$\$; CREATE INDEX ON people (age) WHERE age >= stays()"
: >"$base/main.log"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 100 "code that takes a lock"
is "$(grep -c 'LOG:  application ' "$base/main.log")" 1 "and is run"
is "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42")" 0 "leaves none behind"
is "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'left'")" 0 "nor a setting"

# Nor does it turn an error, which is told or counted, into the end of the room.
sql "CREATE ROLE poor; CREATE FUNCTION ends() RETURNS int LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN PERFORM set_config('exit_on_error', 'on', false); RETURN 18; END \$\$; CREATE INDEX ON people (age) WHERE age >= ends()"
sql "SELECT dpsens.grant_budget('people', 'poor', 0.1)" >/dev/null
is "$(sql "SET ROLE poor; SET dpsens.epsilon = 60; SELECT dp_count(*) FROM people")" 'ERROR: the privacy budget of role "poor" on relation "public.people" does not allow this statement' "code that lets errors end a session"

# Settings that only superusers may read are not read for cells, either.
is "$(sql "$ana; SELECT dp_count(*) FROM people WHERE current_setting(CASE WHEN age >= 0 THEN 'data_directory' END) LIKE '/%'")" 0 "a setting that the asker may not read"
is "$(sql "SET dpsens.noise = off; SELECT dp_count(true, 1) FROM people WHERE current_setting(CASE WHEN age >= 0 THEN 'data_directory' END) LIKE '/%'" 2>/dev/null | tail -1)" 100 "is one that the owner may"

# Such code may ask itself.
sql "CREATE TABLE asking (x float8); INSERT INTO asking VALUES (1);
CREATE FUNCTION asks() RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RETURN public.dp_count(true, 60) FROM public.people; END \$\$;
CREATE INDEX ON asking (x) WHERE x < 1e9"
sql "SELECT dpsens.protect('asking')" >/dev/null
sql "SELECT dpsens.grant_budget('asking', 'ana', 1000)" >/dev/null
sql "ALTER TABLE asking ADD CHECK (x < asks() + 1e9) NOT VALID; CREATE STATISTICS of_asking ON (x + asks()), x FROM asking"
before=$(sql "$spent")
is "$(sql "$ana; SELECT dp_count(*) FROM asking" | head -1)" "ERROR: a clean room cannot ask another one" "a room does not wait for rooms"
is "$(sql "$spent")" "$before" "and nothing is charged"

# ---- cursors of others ----

sql "CREATE ROLE dora; CREATE TABLE wards (k float8 PRIMARY KEY); INSERT INTO wards VALUES (1), (2), (3); GRANT SELECT ON wards TO dora;
CREATE FUNCTION three(float8) RETURNS int LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RETURN 1 + 2; END \$\$;
CREATE STATISTICS of_wards ON (k + three(1)), k FROM wards;
CREATE FUNCTION asked_by_dora(c refcursor) RETURNS refcursor LANGUAGE plpgsql SECURITY DEFINER SET search_path = public SET dpsens.epsilon = 60 AS \$\$
BEGIN OPEN c FOR SELECT dp_count(*) FROM people WHERE age IN (SELECT k FROM wards); RETURN c; END \$\$;
ALTER FUNCTION asked_by_dora OWNER TO dora"
sql "SELECT dpsens.grant_budget('people', 'dora', 1000), dpsens.set_public('wards')" >/dev/null
is "$(psql -XAtq 2>&1 <<<"SET ROLE ana; BEGIN; SELECT asked_by_dora('c') \\g /dev/null
SET search_path = evil, pg_catalog; FETCH c; COMMIT")" 3 "whose names are not looked up by the path of who fetches"

# ---- what was proved ----

sql "CREATE TABLE units (id int PRIMARY KEY); INSERT INTO units VALUES (1), (2)"
sql "SELECT dpsens.protect('units', unit => 'id')" >/dev/null
sql "SELECT dpsens.grant_budget('units', 'ana', 1000)" >/dev/null
is "$(psql -XAtq 2>&1 <<<"$ana; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM units;
\\! psql -XAtqc 'CREATE TABLE more () INHERITS (units)'
FETCH c" | head -1)" "ERROR:  column \"id\" of relation \"units\" may have been NULL for this snapshot" "a child that came after the proof"
sql "CREATE TABLE each (id int); INSERT INTO each VALUES (1), (2)"
sql "SELECT dpsens.protect('each')" >/dev/null
sql "SELECT dpsens.grant_budget('each', 'ana', 1000)" >/dev/null
is "$(psql -XAtq 2>&1 <<<"$ana; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM each;
\\! psql -XAtqc 'CREATE TABLE more_of_each () INHERITS (each)'
FETCH c" | head -1)" "ERROR:  relation \"each\" got other children while the query was planned" "a child that came after the proof, where no unit has to be proved"
is "$(sql "$ana; SELECT dp_count(*) FROM units" 2>&1 | head -1 | grep -c '^ERROR: column "id" of relation "units" is the privacy unit')" 1 "the next statement is told of it by its own proof"

# A kept plan follows a child that leaves, or goes.
sql "CREATE TABLE cared (age float8); INSERT INTO cared VALUES (1), (2); CREATE TABLE once () INHERITS (cared); INSERT INTO once VALUES (3); CREATE TABLE then_gone () INHERITS (cared); INSERT INTO then_gone VALUES (4)"
sql "SELECT dpsens.protect('cared')" >/dev/null
sql "SELECT dpsens.grant_budget('cared', 'ana', 1000)" >/dev/null
is "$(psql -XAtq 2>&1 <<<"$ana; PREPARE q AS SELECT dp_count(*) FROM cared; EXECUTE q;
\\! psql -XAtqc 'ALTER TABLE once NO INHERIT cared'
EXECUTE q;
\\! psql -XAtqc 'DROP TABLE then_gone'
EXECUTE q" | tr '\n' ' ')" "4 3 2 " "a kept plan of which children leave"

# ---- what the transaction has done ----

is "$(sql "$ana; BEGIN; CREATE TEMP TABLE mine AS SELECT 5.0::float8 AS age; ANALYZE mine; SELECT dp_count(*) FROM people WHERE age IN (SELECT age FROM mine); COMMIT")" 1 "a public table that the same transaction has made"

is "$(psql -XAtq 2>&1 <<<"$ana; CREATE TEMP TABLE mine (age int); INSERT INTO mine VALUES (5); BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM people WHERE age IN (SELECT age FROM mine);
ALTER TABLE mine ALTER age TYPE bigint; FETCH c" | head -1)" 'ERROR:  column "age" of relation "mine" was changed after the query was started' "or changed under a cursor"

# ---- temporary relations ----

# Their rows are of one session: no room could read them, nor leave out what is counted there.
temporary="CREATE TEMP TABLE brief (age float8); INSERT INTO brief VALUES (1), (2), (3); SELECT dpsens.protect('brief'), dpsens.grant_budget('brief', 'ana', 1000) \\g /dev/null
CREATE TABLE parent (age float8); INSERT INTO parent VALUES (1); CREATE TEMP TABLE child () INHERITS (parent); INSERT INTO child VALUES (2), (3); SELECT dpsens.protect('parent'), dpsens.grant_budget('parent', 'ana', 1000) \\g /dev/null
SET dpsens.epsilon = 60;"
in_session()
{
	psql -XAtq 2>&1 <<<"SET client_min_messages = warning; $temporary
$1"
}
refusal='ERROR:  temporary relation "%s" cannot be read below dp aggregates for a role without SELECT privilege
DETAIL:  Private answers are computed by another process, for which its rows are not there.
HINT:  Use a permanent table, or ask as a role that may read it.'
# shellcheck disable=SC2059
is "$(in_session "SET ROLE ana; SELECT dp_count(*) FROM brief; RESET ROLE; SELECT COALESCE(sum(charges), 0) FROM dpsens.purse WHERE relation = 'brief'::regclass; DROP TABLE parent CASCADE")" \
	"$(printf "$refusal\n0" brief)" "a temporary protected relation is refused, and not charged"
is "$(in_session "SELECT dp_count(*) FROM brief; DROP TABLE parent CASCADE")" 3 "whoever may read it is answered by the session"
# shellcheck disable=SC2059
is "$(in_session "SET ROLE ana; SELECT dp_count(*) FROM parent; RESET ROLE; SELECT dp_count(*) FROM parent; DROP TABLE parent CASCADE")" \
	"$(printf "$refusal\n3" child)" "so is one that has a temporary child"
is "$(in_session "\! psql -XAtqc 'SET ROLE ana; SET dpsens.epsilon = 60; SELECT dp_count(*) FROM parent'
DROP TABLE parent CASCADE")" 1 "of which another session knows nothing"

# ---- settings of the room's own role ----

sql "ALTER ROLE postgres SET dpsens.epsilon = 1; ALTER ROLE postgres SET dpsens.delta = 0.001"
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'" >/dev/null
wait_for "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'"
is "$(sql "SET SESSION AUTHORIZATION ana; RESET dpsens.epsilon; SET dpsens.epsilon TO DEFAULT; SELECT dp_count(true, 60) FROM people")" 100 "have no say in what others ask"

# ---- what units have lost ----

# A unit counts until it has lost 100, for each answer 60.
sql "CREATE TABLE capped (id int PRIMARY KEY); INSERT INTO capped SELECT generate_series(1, 5); CREATE TABLE read_here (LIKE capped INCLUDING ALL); INSERT INTO read_here TABLE capped; GRANT SELECT ON read_here TO ana"
sql "SELECT dpsens.protect(t, unit => 'id'), dpsens.set_budget(t, row_epsilon => 100) FROM unnest(ARRAY['capped', 'read_here']::regclass[]) t" >/dev/null
sql "SELECT dpsens.grant_budget('capped', 'ana', 1000)" >/dev/null
is "$(sql "$ana; BEGIN; SELECT dp_count(*) FROM capped; SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'dpsens.frozen_loss'::regclass; COMMIT")" $'5\n0' "what units have lost is not read by who asks"
is "$(sql "$ana; SELECT dp_count(*) FROM capped")" 0 "but by the room, which leaves out who has lost too much"
is "$(sql "$ana; SELECT dp_count(*) FROM read_here; SELECT dp_count(*) FROM read_here")" $'5\n0' "and by whoever may read the rows"

finish
