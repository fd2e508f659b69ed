#!/usr/bin/env bash
# standby.sh
#	A hot standby answers what its primary charges: once, from the same budgets, and only by what is in
#	force on the primary; and nothing where the primary cannot be asked, or is another one.
# Files: ledger/primary/catalogs.c, ledger/primary/link.c, ledger/primary/primary_charge.c,
#	ledger/budget/sql_charge_for_standby.c, ledger/charge/charge_request.c, ledger/charge_answer.c.
. "$(dirname "$0")/cluster.sh"

can_copy || { echo "1..0 # SKIP pg_basebackup of the server's major is not here"; exit 0; }

# ---- servers ----

declare -A port=([main]=54321 [standby]=54322 [cascade]=54323 [other]=54324)

# on NODE QUERY, as NODE ROLE QUERY
on()
{
	PGPORT=${port[$1]} sql "$2"
}

as()
{
	PGPORT=${port[$1]} sql "SET ROLE $2; $3"
}

node_says()
{
	[ "$(on "$1" "$2")" = t ]
}

# The whole error, as the client is shown it.
whole()
{
	PGPORT=${port[$1]} PGOPTIONS="-c client_min_messages=warning" psql -XAtq -d postgres -c "SET ROLE $2; $3" 2>&1
}

set_on()
{
	on "$1" "ALTER SYSTEM SET $2" >/dev/null
	on "$1" "SELECT pg_reload_conf()" >/dev/null
	wait_until node_says "$1" "SELECT current_setting('${2%% *}') = ${2#*= }"
}

# copy NAME OF: a standby of a running server.
copy()
{
	as_server env PGPORT="${port[$2]}" pg_basebackup -h "$base" -U postgres -c fast -R -D "$base/$1" >/dev/null 2>&1 || return
	PGPORT=${port[$1]} start_cluster "$1"
}

# Until the standby has replayed what the primary has written by now.
catch_up()
{
	local there
	there=$(on "${2:-main}" "SELECT pg_current_wal_insert_lsn()")
	wait_until node_says "$1" "SELECT pg_last_wal_replay_lsn() >= '$there'"
}

link="host=$base port=${port[main]} user=answers password=sesame"

make_cluster main "max_wal_senders = 8" "wal_level = replica" || bail "no primary"
made=$(sql "$fixture
CREATE ROLE ana; CREATE ROLE ben; CREATE ROLE eve; CREATE ROLE answers LOGIN PASSWORD 'sesame';
GRANT EXECUTE ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) TO answers;
CREATE TABLE facts (sex text PRIMARY KEY, weight float8); INSERT INTO facts VALUES ('F', 1);
CREATE TABLE spare (n int);
GRANT SELECT ON facts TO ana, ben;
DO \$\$ BEGIN PERFORM dpsens.set_public('facts'), dpsens.grant_budget('people', 'ana', 1000000), dpsens.grant_budget('people', 'ben', 4); END \$\$;
CREATE TABLE counted (id int PRIMARY KEY, v float8 NOT NULL); INSERT INTO counted SELECT i, i FROM generate_series(1, 10) i;
DO \$\$ BEGIN PERFORM dpsens.protect('counted', unit => 'id'), dpsens.set_range('counted', 'v', 0, 10), dpsens.set_budget('counted', row_epsilon => 5),
	dpsens.grant_budget('counted', 'ana', 100); END \$\$;")
[ -z "$made" ] || bail "no tables: $made"
copy standby main || bail "no standby: $(tail -3 "$base/standby.log")"
catch_up standby

spent="SELECT COALESCE(sum(charges), 0) FROM dpsens.purse WHERE role = 'ana'::regrole"
count="SELECT dp_count(true, 60.0) FROM people"
stale="ERROR: the standby is not up to date with its primary" # clock: none

# ---- the way there ----

is "$(as standby ana "SELECT pg_is_in_recovery(); $count" | tr '\n' ' ')" "t 100 " "a standby asks the server whose log it replays"
set_on standby "dpsens.primary_conninfo = '${link/answers/eve}'"
like "$(whole standby ana "$count")" "*the primary could not be asked to charge the statement*Nothing was charged.*Try again*" "who may not log in there cannot have it charged"
is "$(grep -c 'role "eve" is not permitted to log in' "$base/standby.log")" 1 "the reason is in the log"
is "$(whole standby ana "$count" | grep -c 'eve\|socket')" 0 "and nowhere else"
sql "ALTER ROLE eve LOGIN" >/dev/null
catch_up standby
like "$(whole standby ana "$count")" "*the primary could not be asked to charge the statement*Nothing was charged.*" "nor who may not charge"
like "$(whole standby ana "SELECT dpsens.seal_ledger()")" "*cannot execute dpsens.seal_ledger() during recovery*" "what is no charge asks nobody"
is "$(on main "$spent")" 1 "nothing was charged for these"
set_on standby "dpsens.primary_conninfo = '$link'"

figures="SELECT round(dp_count(*)), abs(dp_sum(age) - 4950) < 200 FROM people"
is "$(as standby ana "SET dpsens.epsilon = 60; $figures")" "100|t" "a role of its own, with a password, may"
is "$(as main ana "SET dpsens.epsilon = 60; $figures")" "100|t" "the primary answers the same"
is "$(on main "SELECT count(DISTINCT ROW(role_name, purse_role_name, query, expression, adjacency, mechanism, epsilon, delta, sensitivity, grid, sensitivities, scales, joined,
	charge_epsilon, charge_rho, charge_delta, steps, rate, replacement, column_names, column_moves, arms, entities)), count(*) FROM dpsens.release
	WHERE query LIKE '%dp_sum%'")" "2|4" "both are recorded in the same words and numbers, in the name of the same role"
is "$(on main "$spent")" 3 "and charged once each"
catch_up standby
is "$(as standby ana "SELECT count(*) FROM dpsens.releases WHERE role = 'ana'")" 5 "what was spent comes back by the log"
silent="SET dpsens.noise = off; SET dpsens.debug_restricted = on; SET dpsens.epsilon = 1; SELECT dp_count(*), dp_sum(age), dp_avg(age) FROM people"
is "$(on standby "$silent" | tail -1)" "100|4950|49.5" "without noise the standby says what is there"
is "$(on main "$silent" | tail -1)" "100|4950|49.5" "as the primary does"

# A process keeps the connection that it has made: sessions of the owner, which ask themselves, and as many rooms as there are.
links="SELECT string_agg(pid::text, ',' ORDER BY pid) FROM pg_stat_activity WHERE usename = 'answers' AND application_name = 'dpsens standby'"
before=$(on main "$links")
new="SELECT 'linked', count(*), min(pid) FROM pg_stat_activity WHERE usename = 'answers' AND pid <> ALL ('{$before}')"
look="\\! PGPORT=${port[main]} psql -XAtq -c \"$new\""
asked=$(PGPORT=${port[standby]} psql -XAtq 2>&1 <<<"SET dpsens.epsilon = 60;
SELECT round(dp_count(*)) FROM people;
$look
SELECT round(dp_count(*)) FROM people;
SELECT round(dp_count(*)) FROM people;
$look
SELECT round(dp_count(*)) FROM people;
$look")
is "$(grep -c '^100$' <<<"$asked")" 4 "sessions ask the primary again and again"
is "$(grep '^linked' <<<"$asked" | cut -d'|' -f1,2 | sort | uniq -c | tr -s ' ')" " 3 linked|1" "by one connection for each"
is "$(grep '^linked' <<<"$asked" | sort -u | grep -c .)" 1 "which is the same one"
for ((i = 0; i < 6; i++)); do as standby ana "$count" >/dev/null; done
is "$(on main "SELECT count(*) <= $(on standby "SHOW dpsens.clean_rooms") FROM pg_stat_activity WHERE usename = 'answers'")" t "and rooms by no more than there are rooms"

# A charge is durable where the primary waits for that, and so for who asks it.
set_on main "synchronous_standby_names = '*'"
is "$(as standby ana "$count")" 100 "a standby that its own primary waits for answers"
on main "ALTER SYSTEM RESET synchronous_standby_names" >/dev/null
on main "SELECT pg_reload_conf()" >/dev/null

# ---- what may be known of it ----

# 16 and later word it otherwise
like "$(as standby ana "SHOW dpsens.primary_conninfo")" 'ERROR: * to examine "dpsens.primary_conninfo"' "an analyst is not shown how the primary is asked"
is "$(as standby ana "SELECT count(*) FROM pg_settings WHERE name = 'dpsens.primary_conninfo'")" 0 "nor in a view"
is "$(as standby ana "SET dpsens.primary_conninfo = 'host=elsewhere'")" 'ERROR: parameter "dpsens.primary_conninfo" cannot be changed now' "and cannot change it"
is "$(as main ana "SELECT dpsens.charge_for_standby('', 0, 0, 0, '0/0', '')")" "ERROR: permission denied for function charge_for_standby" "nor charge by himself"
is "$(PGUSER=answers sql "SELECT * FROM people")" "ERROR: permission denied for table people" "the role that charges reads nothing"

# ---- shapes ----

is "$(as standby ana "SET dpsens.epsilon = 60; PREPARE p AS SELECT round(dp_count(*)) FROM people; EXECUTE p; EXECUTE p" | tr '\n' ' ')" "100 100 " "prepared statements"
is "$(as standby ana "SET dpsens.epsilon = 60; SET plan_cache_mode = force_generic_plan; PREPARE p AS SELECT round(dp_count(*)) FROM people; EXECUTE p; EXECUTE p" | tr '\n' ' ')" "100 100 " "plans that are kept"
is "$(as standby ana "SET dpsens.epsilon = 60; BEGIN; DECLARE c CURSOR FOR SELECT round(dp_count(*)) FROM people; FETCH c; COMMIT")" 100 "cursors"
is "$(as standby ana "SET dpsens.epsilon = 60; SELECT round(dp_count(*)) FROM people JOIN facts USING (sex)")" 100 "joins with public relations"
is "$(on standby "SET dpsens.epsilon = 60; SELECT round(dp_count(*)) FROM people")" 100 "the owner, whose session reads the rows itself"
like "$(whole standby ana "SELECT dp_count(true, 1.0) FROM counted")" "*a standby does not answer about relation \"counted\", whose rows have accounts of their own*Ask the primary.*" \
	"where rows have accounts the primary is to be asked"
like "$(on standby "SELECT dpsens.set_range('people', 'age', 0, 50)")" "ERROR: cannot execute*read-only transaction" "declarations are made on the primary"
like "$(on standby "CALL dpsens.train('m', 'people', ARRAY['age'], 'age', 1, 0.1, 1.0, 100, 1.0)")" "ERROR: *" "and so are models"
is "$(as standby eve "$count")" "ERROR: permission denied for table people" "who has no budget is not answered"

# ---- budgets ----

for node in main standby standby main; do
	as $node ben "SELECT dp_count(true, 0.8) FROM people" >/dev/null
done
# what four clients get at a time
ask_both()
{
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		as standby ben "SELECT 'answered' FROM (SELECT dp_count(true, 0.2) FROM people) a" &
		as main ben "SELECT 'answered' FROM (SELECT dp_count(true, 0.2) FROM people) a" &
	done
	wait
}
answers=$(ask_both)
is "$(grep -c answered <<<"$answers")" 4 "twenty clients of both share what is left"
is "$(on main "SELECT abs(spent_epsilon - 4) < 1e-6 FROM dpsens.budgets WHERE role = 'ben'")" t "to the last"
like "$(as standby ben "SELECT dp_count(true, 0.2) FROM people")" "ERROR: the privacy budget of role \"ben\"*does not allow this statement" "then the standby refuses as the primary does"

# ---- what is no longer in force ----

paused()
{
	on standby "SELECT pg_wal_replay_pause()" >/dev/null
	wait_until node_says standby "SELECT pg_get_wal_replay_pause_state() = 'paused'"
}
resumed()
{
	on standby "SELECT pg_wal_replay_resume()" >/dev/null
	catch_up standby
}

# changed WHAT STATEMENT [UNDO]
changed()
{
	local before
	catch_up standby
	paused
	before=$(on main "$spent")
	on main "$2" >/dev/null
	is "$(as standby ana "$count")" "$stale" "$1 counts at once, though it has not arrived"
	is "$(on main "$spent")" "$before" "and nothing is charged"
	resumed
	[ -z "${3:-}" ] || on main "$3" >/dev/null
	catch_up standby
}

catch_up standby
paused
is "$(as standby ana "$count")" 100 "a standby that lags answers while nothing has changed"
on main "SELECT dp_count(true, 60.0) FROM people" >/dev/null
# such a table's policy is gone when its session ends: the primary's is asked while it is there
PGPORT=${port[main]} psql -Xq -d postgres -c "CREATE TEMP TABLE mine (n int PRIMARY KEY, t text); CREATE POLICY p ON mine USING (n > 0); CREATE RULE r AS ON DELETE TO mine DO INSTEAD NOTHING" \
	-c "SELECT pg_sleep(1000)" >/dev/null 2>&1 & # clock: it is there until it is terminated
mine=$!
wait_until node_says main "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')"
on main "INSERT INTO people SELECT 5, 'F'; DELETE FROM people WHERE ctid IN (SELECT ctid FROM people WHERE age = 5 LIMIT 1); ANALYZE people" >/dev/null
is "$(as standby ana "$count")" 100 "charges, rows, statistics and temporary tables are no such change"
on main "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'" >/dev/null
wait "$mine"
resumed
changed "a range" "SELECT dpsens.set_range('people', 'age', 0, 200)" "SELECT dpsens.set_range('people', 'age', 0, 99)"
changed "a unit" "ALTER TABLE people ADD id int GENERATED ALWAYS AS IDENTITY; SELECT dpsens.protect('people', unit => 'id', max_rows => 1)" "SELECT dpsens.protect('people')"
changed "a budget that is taken away" "SELECT dpsens.revoke_budget('people', 'ana')" "SELECT dpsens.grant_budget('people', 'ana', 1000000)"
changed "a right" "REVOKE SELECT ON facts FROM ana" "GRANT SELECT ON facts TO ana"
changed "membership in a role" "GRANT ben TO ana" "REVOKE ben FROM ana"
changed "a policy of rows" "ALTER TABLE people ENABLE ROW LEVEL SECURITY" "ALTER TABLE people DISABLE ROW LEVEL SECURITY"
changed "a function" "CREATE OR REPLACE FUNCTION public.f(x float8) RETURNS float8 LANGUAGE sql AS 'SELECT x'"
changed "a dropped table" "DROP TABLE spare"
changed "accounts of rows" "SELECT dpsens.set_budget('counted', row_epsilon => 6)"
is "$(as standby ana "$count")" 100 "once it has arrived the standby answers again"
catch_up standby
is "$(as standby ana "SET dpsens.epsilon = 60; PREPARE p AS SELECT round(dp_count(*)) FROM people; EXECUTE p" | tr '\n' ' ')" "100 " "and plans are made again"

# ---- what is asked for while it fails ----

# The bytes of a request, as the primary was sent them, and what becomes of others: read whole or refused.
on main "ALTER SYSTEM SET log_statement = 'all'; " >/dev/null
on main "ALTER SYSTEM SET log_parameter_max_length = -1" >/dev/null
on main "SELECT pg_reload_conf()" >/dev/null
wait_until node_says main "SELECT current_setting('log_statement') = 'all'"
is "$(as standby ana "SET dpsens.epsilon = 60; SELECT round(dp_count(*)), dp_sum(age) IS NULL FROM people")" "100|f" "a request is written down"
on main "ALTER SYSTEM RESET log_statement" >/dev/null
on main "SELECT pg_reload_conf()" >/dev/null
wait_until node_says main "SELECT current_setting('log_statement') = 'none'"
parameters=$(grep -ai 'parameters: \$1 = .*\$6 = ' "$base/main.log" | tail -1)
part()
{
	sed "s/.*\\\$$1 = '\([^']*\)'.*/\1/" <<<"$parameters"
}
is "$(part 6 | grep -c '^.x')" 1 "its bytes"
mangle="SELECT (dpsens.charge_for_standby('$(part 1)', $(part 2), $(part 3), $(part 4), '0/0', request)).sqlstate FROM"
bytes="'$(part 6)'::bytea"
is "$(on main "SELECT count(*), count(*) FILTER (WHERE sqlstate <> '55000') FROM ($mangle (SELECT substr($bytes, 1, n) AS request FROM generate_series(0, length($bytes) - 1) n) a) b")" \
	"$(($(on main "SELECT length($bytes)")))|0" "a request that is cut anywhere is refused"
is "$(on main "SELECT count(*) FROM ($mangle (SELECT set_bit($bytes, n, 1 - get_bit($bytes, n)) AS request FROM generate_series(0, 8 * length($bytes) - 1, 11) n) a) b WHERE sqlstate IS NULL")" \
	0 "any bit of it may be another one, and is answered"
is "$(on main "SELECT count(*), count(*) FILTER (WHERE sqlstate <> '55000') FROM ($mangle (SELECT decode(string_agg(md5(n * 40 + k || ''), ''), 'hex') AS request
	FROM generate_series(1, 500) n, generate_series(1, 40) k GROUP BY n) a) b")" "500|0" "bytes that mean nothing are refused"
is "$(on main "SELECT sqlstate, detail FROM dpsens.charge_for_standby('0', $(part 2), $(part 3), $(part 4), '0/0', $bytes)")" "55000|Nothing was charged." "so is another version"
is "$(on main "SELECT sqlstate FROM dpsens.charge_for_standby('$(part 1)', $(part 2), $(part 3), 2, '0/0', $bytes)")" "55000" "another timeline"
is "$(on main "SELECT sqlstate FROM dpsens.charge_for_standby('$(part 1)', $(part 2), $(part 3), $(part 4), 'FFFFFFFF/0', $bytes)")" "55000" "a standby that is ahead"
is "$(as standby ana "$count")" 100 "and the ledger works as before"

# ---- a primary that is not there ----

# The ledger's worker stands still.
worker="SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'"
is "$(as standby ana "$count")" 100 "the ledger works"
kill -STOP "$(sql "$worker")"
like "$(whole standby ana "SET dpsens.ledger_timeout = 100; $count")" "*the primary did not charge the statement within 100 ms*" "who waits for the ledger gives up" # clock: it is held
as standby ana "SET dpsens.ledger_timeout = '${HUNG}s'; $count /* waits */" >"$base/cancelled" &
waits="SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%/* waits */%' AND pid <> pg_backend_pid()"
wait_until node_says standby "$waits"
wait_until node_says standby "SELECT bool_or(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%/* waits */%' AND pid <> pg_backend_pid()"
wait_until test -s "$base/cancelled"
is "$(cat "$base/cancelled")" "ERROR: canceling statement due to user request" "a wait is cancelled"
as standby ana "SET dpsens.ledger_timeout = '${HUNG}s'; $count /* waits */" >"$base/killed" &
wait_until node_says standby "$waits"
wait_until node_says main "SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = 'answers' AND state = 'active' AND application_name = 'dpsens standby'"
kill_server
wait_until test -s "$base/killed"
is "$(cat "$base/killed")" "ERROR: the primary could not be asked to charge the statement" "a primary that is killed during a charge is no answer"
wait
like "$(whole standby ana "$count")" "*the primary could not be asked to charge the statement*Nothing was charged.*" "nor is one that is gone"
restart
catch_up standby
before=$(on main "$spent")
is "$(as standby ana "$count")" 100 "once it is back the standby answers"
is "$(on main "$spent")" "$((before + 1))" "and is charged"
# One session through a restart.
mkfifo "$base/in"
PGPORT=${port[standby]} psql -XAtq -d postgres <"$base/in" >"$base/session" 2>&1 &
exec 9>"$base/in"
lines()
{
	[ "$(wc -l <"$base/session")" -ge "$1" ]
}
echo "SET dpsens.debug_restricted = off; $count;" >&9
wait_until lines 1
stop_cluster main && start_cluster main || bail "no restart"
catch_up standby
echo "$count;" >&9
wait_until lines 2
# A plan that is kept does not know of a change that is none for it, and is refused once.
echo "PREPARE kept AS $count; EXECUTE kept;" >&9
wait_until lines 3
sql "CREATE TABLE another (n int)" >/dev/null
catch_up standby
echo "EXECUTE kept; EXECUTE kept;" >&9
wait_until lines 7
echo "\\q" >&9
exec 9>&-
wait
# (the servers have the pipe open, too)
is "$(sed -n 's/ERROR: *//; /^DETAIL\|^HINT/!p' <"$base/session" | tr '\n' ' ')" "100 100 100 ${stale#ERROR: } 100 " "a session goes on after its primary was restarted, and after its catalogs have changed"

# ---- failures that may depend on a row ----

sql "CREATE TABLE broken AS SELECT 1::float8 AS x FROM generate_series(1, 10); SELECT dpsens.protect('broken'), dpsens.grant_budget('broken', 'ana', 1000); CHECKPOINT" >/dev/null
catch_up standby
on standby CHECKPOINT
path=$(sql "SELECT pg_relation_filepath('broken')")
PGPORT=${port[standby]} stop_cluster standby
head -c 24 /dev/zero | tr '\0' 'x' | as_server dd of="$base/standby/$path" bs=1 conv=notrunc status=none
PGPORT=${port[standby]} start_cluster standby
is "$(as standby ana "SELECT dp_count(true, 1.0) FROM broken")" "ERROR: the private answers of the statement could not be computed" "a failure after the charge"
is "$(on main "SELECT role_name, failures FROM dpsens.failure")" "ana|1" "is counted on the primary"
set_on main "dpsens.max_failures = '1'"
like "$(as standby ana "$count")" "ERROR: private answers to role \"ana\" are suspended" "which suspends the role for all"
is "$(on standby "SELECT dpsens.forgive_failures('ana')")" "ERROR: cannot execute dpsens.forgive_failures() in a read-only transaction" "the primary forgives"
on main "SELECT dpsens.forgive_failures('ana')" >/dev/null
is "$(as standby ana "$count")" 100 "then the standby answers"

# ---- other primaries ----

copy cascade standby || bail "no standby of a standby"
catch_up standby
wait_until node_says cascade "SELECT pg_last_wal_replay_lsn() >= '$(on main "SELECT pg_current_wal_insert_lsn()")'"
on cascade "ALTER SYSTEM RESET dpsens.primary_conninfo" >/dev/null
on cascade "SELECT pg_reload_conf()" >/dev/null
wait_until node_says cascade "SELECT current_setting('dpsens.primary_conninfo') = ''"
like "$(whole cascade ana "$count")" "*the server that was asked to charge the statement is a standby itself*Nothing was charged.*dpsens.primary_conninfo*" "a standby of a standby does not know its primary"
set_on cascade "dpsens.primary_conninfo = '$link'"
is "$(as cascade ana "$count")" 100 "until it is told"
PGPORT=${port[other]} make_cluster other || bail "no other cluster"
on other "CREATE EXTENSION dpsens; CREATE ROLE answers LOGIN; GRANT EXECUTE ON FUNCTION dpsens.charge_for_standby(text, bigint, oid, integer, pg_lsn, bytea) TO answers" >/dev/null
set_on cascade "dpsens.primary_conninfo = '${link/54321/54324}'"
like "$(whole cascade ana "$count")" "*is not the primary of this standby*another database cluster*" "another cluster charges nothing"
set_on cascade "dpsens.primary_conninfo = '$link'"
stop_cluster other
before=$(on main "$spent")
PGPORT=${port[standby]} as_server pg_ctl -D "$base/standby" -w promote >/dev/null
is "$(as standby ana "$count")" "ERROR: the privacy ledger was charged in another database" "a standby that was promoted asks nobody, and has no ledger yet"
wait_until node_says cascade "SELECT (SELECT received_tli FROM pg_stat_wal_receiver) = 2"
on standby "CREATE TABLE later (n int)" >/dev/null
wait_until node_says cascade "SELECT to_regclass('later') IS NOT NULL"
like "$(whole cascade ana "$count")" "*is not the primary of this standby*different histories*" "nor has the one that follows it the old primary charge"
set_on cascade "dpsens.primary_conninfo = '${link/54321/54322}'"
is "$(as cascade ana "$count")" "ERROR: the privacy ledger was charged in another database" "the new one refuses until it is acknowledged"
on standby "SELECT dpsens.acknowledge_restore()" >/dev/null
wait_until node_says cascade "SELECT pg_last_wal_replay_lsn() >= '$(on standby "SELECT pg_current_wal_insert_lsn()")'"
is "$(as cascade ana "$count")" 100 "then it charges for its own standby"
is "$(on main "$spent")" "$before" "the old one was charged nothing"
# Without clean rooms.
PGPORT=${port[cascade]} stop_cluster cascade
PGPORT=${port[cascade]} start_cluster cascade -c dpsens.clean_rooms=0
is "$(as cascade ana "$count")" 100 "a standby without clean rooms"
is "$(on cascade "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'dpsens%'")" 0 "where no process of the ledger runs"

echo "1..$tests"
[ "$failures" = 0 ]
