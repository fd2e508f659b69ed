#!/usr/bin/env bash
# rooms.sh
#	Clean rooms: cancels, deaths, locks, transactions and databases.  Whatever befalls
#	a room or who asks it, what was charged stays charged, nobody waits for ever,
#	and the next one is answered.
# Files: room/message.c, room/sent_rows.c.
. "$(dirname "$0")/cluster.sh"

# The role that may ask and not look.
ana="SET ROLE ana; SET dpsens.epsilon = 60"
spent="SELECT COALESCE(sum(charges), 0) FROM dpsens.purse WHERE role = 'ana'::regrole"
busy="SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'active'"
idle="SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'idle'"
room="(SELECT min(pid) FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'active')"
asker="(SELECT min(pid) FROM pg_stat_activity WHERE query LIKE '%/* slow */%' AND pid <> pg_backend_pid())"

fixture_of_rooms="$fixture
ALTER TABLE people ADD note text;
CREATE ROLE ana;
GRANT INSERT ON people TO ana;
DO \$\$ BEGIN PERFORM dpsens.grant_budget('people', 'ana', 1000000, own_tables => true); END \$\$;
CREATE TABLE slow AS SELECT i, repeat(md5(i::text), 30000) AS note FROM generate_series(1, 400) i;
DO \$\$ BEGIN PERFORM dpsens.protect('slow'), dpsens.grant_budget('slow', 'ana', 1000000); END \$\$;"

# It goes on for minutes if nobody ends it.
slow="SELECT dp_count(*) /* slow */ FROM slow WHERE upper(note) ~ '(a|b|c)+(d|e|f)+x' OR lower(note) ~ '(1|2|3)+(4|5|6)+x' OR initcap(note) ~ '(7|8|9)+(0|1|2)+x'"

in_background()
{
	rm -f "$base/ended"
	{
		sql "$@" >"$base/background"
		touch "$base/ended"
	} &
}

# Sessions that wait for a room in the order in which they are started.
in_line="SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event = 'dpsens_rooms'"
line_up()
{
	local before
	before=$(sql "$in_line")
	sql "$1" >"$base/lined.${#lined[@]}" &
	lined+=($!)
	wait_for "SELECT ($in_line) = $before + 1"
}

# What they were told is in $answers, a line each.
end_line()
{
	wait "${lined[@]}"
	answers=$(cat "$base"/lined.*)
	rm "$base"/lined.*
}

# In which order roles were charged, the last so many times.
last_charged()
{
	sql "SELECT string_agg(role_name, ' ' ORDER BY release) FROM (SELECT role_name, release FROM dpsens.release ORDER BY release DESC LIMIT $1) r"
}

# What the one in the background was told.
told()
{
	wait_until test -e "$base/ended"
	cat "$base/background"
}

# What a session that waits is waiting for.
lock_is_awaited="SELECT count(*) = 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND backend_type = 'client backend' AND query LIKE '%dp_count%'"
rooms_that_wait="SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND backend_type = 'dpsens clean room'"

# A session that is spoken to line by line; its answers are read by hear.
line=
begin_session()
{
	coproc SESSION { exec psql -XAtq 2>&1; }
	session=$SESSION_PID
	exec 8<&"${SESSION[0]}" 9>&"${SESSION[1]}"
}

say()
{
	echo "$1" >&9
}

hear()
{
	read -r line <&8
	echo "$line"
}

end_session()
{
	echo '\q' >&9
	wait "$session"
	exec 8<&- 9>&-
}

make_cluster main "dpsens.clean_rooms = 1" || bail "no cluster"
sql "$fixture_of_rooms"

# ---- answers ----

is "$(sql "$ana; SELECT dp_count(*) FROM people")" 100 "an answer"
wait_for "$idle"
is "$(sql "$idle")" t "of another process, which stays"
is "$(sql "SELECT DISTINCT query FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'")" "private answers" "and says the same of all"
is "$(sql "$ana; SELECT dp_count(*), (SELECT dp_count(*) FROM people WHERE age < 10) FROM people")" "100|10" "two of one statement"
is "$(sql "$ana; SELECT dp_count(*) FROM people WHERE age < 1 / (SELECT 0)")" "ERROR: a subquery in a condition other than EXISTS and IN under AND, OR and NOT is not supported below dp aggregates" "what is refused"
is "$(sql "$spent")" 2 "is not charged"

# ---- privileges ----

sql "CREATE VIEW hidden AS SELECT age FROM people; CREATE VIEW shown AS SELECT age FROM people; GRANT SELECT ON shown TO ana"
is "$(sql "$ana; SELECT dp_count(*) FROM hidden")" "ERROR: permission denied for view hidden" "a view that is written out"
is "$(sql "$ana; SELECT dp_count(*) FROM shown WHERE age < 10")" 10 "one that may be read, over rows that may not"
sql "CREATE ROLE carl; CREATE TABLE carls (age float8 PRIMARY KEY); INSERT INTO carls VALUES (1), (2); ALTER TABLE carls OWNER TO carl"
sql "SELECT dpsens.protect('carls'), dpsens.set_range('carls', 'age', 0, 99), dpsens.grant_budget('carls', 'ana', 1000)" >/dev/null
is "$(sql "$ana; SELECT dp_count(*) FROM carls")" 2 "of another owner"
is "$(sql "$ana; SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM carls)")" "100|2" "of two in one statement"
is "$(sql "$ana; SELECT dp_count(*) FROM (SELECT age FROM people UNION ALL SELECT age FROM carls) u")" 102 "of two in one query"

# An index of an owner computes as who asks, where it has to be looked at, in a room as
# elsewhere; names in it are looked up by a path that nobody has chosen.
sql "GRANT CREATE ON SCHEMA public TO carl; SET ROLE carl; CREATE FUNCTION who(float8) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS \$\$ BEGIN RAISE LOG 'computed by %', current_user; RETURN true; END \$\$; CREATE INDEX ON carls (age) WHERE who(1)"
: >"$base/main.log"
is "$(sql "$ana; SELECT dp_count(*) FROM carls WHERE age > 1")" 1 "an index with a condition"
is "$(grep -o 'clean room LOG:  computed by .*' "$base/main.log" | sort -u | grep -v 'by ana$')" "" "is computed by who asks"

begin_session
say "$ana; CREATE TEMP TABLE mine AS SELECT 5.0::float8 AS age; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM people WHERE age IN (SELECT age FROM mine); DROP TABLE mine; FETCH c;"
is "$(hear)" "ERROR:  a relation of the statement was dropped" "what is dropped under a cursor"
end_session

spent_before=$(sql "$spent")

# ---- cancels and deaths ----

in_background "$ana; $slow"
wait_for "$busy"
is "$(sql "SELECT pg_cancel_backend($asker)")" t "who asks is cancelled"
is "$(told)" "ERROR: canceling statement due to user request" "and told so"
wait_for "$idle"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 100 "the room ends what it did, and goes on"
is "$(sql "$ana; SELECT dp_count(*) FILTER (WHERE age < 50), dp_count(*), round(dp_sum(age) / 500) FROM people")" "50|100|10" "several answers in one statement"

in_background "$ana; $slow"
wait_for "$busy"
is "$(sql "SELECT pg_terminate_backend($asker)")" t "who asks is ended"
wait_for "$idle"
told >/dev/null
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 100 "the room goes on"

in_background "$ana; $slow"
wait_for "$busy"
is "$(sql "SELECT pg_cancel_backend($room)")" t "a cancel that comes from elsewhere"
is "$(sql "$busy")" t "is not for the room"
is "$(sql "SELECT pg_terminate_backend($room)")" t "the room is ended"
is "$(told)" "ERROR: the private answers of the statement could not be computed" "who asks is told that, and no more"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 100 "another room is there"
is "$(sql "$spent")" "$((spent_before + 7))" "all of them are charged"

in_background "$ana; $slow"
wait_for "$busy"
kill -KILL "$(sql "SELECT $room")"
told >/dev/null
wait_for "SELECT NOT pg_is_in_recovery()"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 100 "after a room was killed, and all others with it"
is "$(sql "$spent")" "$((spent_before + 9))" "nothing is forgotten"

# ---- transactions ----

begin_session
say "$ana; BEGIN; INSERT INTO people VALUES (1, 'F'); SAVEPOINT s; INSERT INTO people VALUES (2, 'F'); RELEASE s; SELECT 'begun';"
is "$(hear)" begun "a transaction"
# a later one has ended: so this one is not as new as none that has
sql "SELECT pg_current_xact_id()" >/dev/null
say "SELECT dp_count(*) FROM people;"
is "$(hear)" 100 "what one has not committed is not seen"
say "COMMIT; SELECT dp_count(*) FROM people;"
is "$(hear)" 102 "and is there when it is"
end_session
is "$(sql "SELECT count(*) FROM people")" 102 "for all others, too"
is "$(sql "BEGIN; LOCK TABLE people; $ana; SELECT dp_count(*) FROM people; COMMIT")" "ERROR: relation people was changed or locked in the same transaction" "what one has locked oneself is not waited for"

begin_session
say "$ana; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT dp_count(*) FROM people;"
is "$(hear)" 102 "a snapshot"
sql "INSERT INTO people VALUES (3, 'F')"
say "SELECT dp_count(*) FROM people;"
is "$(hear)" 102 "is that of who asks"

# The third waits for the session, and the room behind the third.
in_background "ALTER TABLE people ALTER note SET STORAGE plain"
wait_for "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
say "SELECT dp_count(*) FROM people;"
is "$(hear)" 102 "who waits for the session does not hold up its room"
say "COMMIT; SELECT dp_count(*) FROM people;"
is "$(hear)" 103 "and gets its lock after it"
end_session
is "$(told)" "" "without an error"

# ---- who waits for a lock holds no room ----

# Of an index, which who asks has not locked when it plans.
sql "CREATE INDEX people_age ON people (age)"
spent_before=$(sql "$spent")
begin_session
say "BEGIN; REINDEX INDEX people_age; SELECT 'locked';"
is "$(hear)" locked "an index that is made anew"
in_background "$ana; SELECT dp_count(*) FROM people"
wait_for "$lock_is_awaited"
is "$(sql "$rooms_that_wait")" 0 "who asks waits itself"
is "$(sql "$spent")" "$spent_before" "before anything is charged"
is "$(sql "$ana; SELECT dp_count(*) FROM carls")" 2 "and the room answers others"
say "COMMIT;"
is "$(told)" 103 "when the lock is gone it is answered"

# A cycle of locks, one of which is wanted for an answer: one of the two is ended.
say "BEGIN; REINDEX INDEX people_age; SELECT 'locked';"
is "$(hear)" locked "again"
in_background "BEGIN; LOCK TABLE carls; $ana; SELECT dp_count(*) FROM people; COMMIT"
wait_for "$lock_is_awaited"
say "LOCK TABLE carls; ROLLBACK; SELECT 'end';"
heard=$(until [ "$(hear)" = end ]; do :; done; echo end)
is "$heard" end "a cycle of locks through who asks is ended"
like "$(told | head -1)" "@(103|ERROR: deadlock detected)" "on either side"
end_session
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "and the room is free"

# A plan from the cache locks no partitions.  Who asks has waited for one and keeps it:
# then who waits for who asks is not waited for.
sql "CREATE TABLE parts (age float8) PARTITION BY RANGE (age); CREATE TABLE young PARTITION OF parts FOR VALUES FROM (0) TO (50); CREATE TABLE old PARTITION OF parts FOR VALUES FROM (50) TO (100); INSERT INTO parts SELECT i FROM generate_series(0, 99) i"
sql "SELECT dpsens.protect('parts'), dpsens.set_range('parts', 'age', 0, 99), dpsens.grant_budget('parts', 'ana', 1000)" >/dev/null
sql "CREATE PROCEDURE await(what text) LANGUAGE plpgsql AS \$\$ DECLARE is_so boolean := false; BEGIN WHILE NOT is_so LOOP EXECUTE what INTO is_so; END LOOP; END \$\$"
await_lock="RESET ROLE; CALL await('SELECT count(*) > 0 FROM pg_locks WHERE mode = ''AccessExclusiveLock'' AND relation = ''young''::regclass AND"
in_background "$ana; SET plan_cache_mode = force_generic_plan; BEGIN; PREPARE p AS SELECT dp_count(*) FROM parts; EXECUTE p; COMMIT; BEGIN; $await_lock granted'); $ana; EXECUTE p; $await_lock NOT granted'); $ana; EXECUTE p; COMMIT"
# the first is charged, so the plan is made
wait_for "SELECT charges > 0 FROM dpsens.purse WHERE role = 'ana'::regrole AND relation = 'parts'::regclass"
begin_session
say "BEGIN; LOCK TABLE young; SELECT 'locked';"
is "$(hear)" locked "a partition"
wait_for "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'young'::regclass"
is "$(sql "$rooms_that_wait")" 0 "is waited for by who asks"
say "COMMIT; BEGIN; LOCK TABLE young; COMMIT; SELECT 'again';"
is "$(hear)" again "who waits for who asks"
is "$(told | tr '\n' ' ')" "100 100 100 " "is let wait"
end_session

# A room that was ready is let go at once where the charge is refused, also by a cursor
# that stays as long as the transaction.
sql "CREATE ROLE bob" && sql "SELECT dpsens.grant_budget('people', 'bob', 0.001)" >/dev/null
begin_session
say "SET dpsens.epsilon = 60; SET ROLE bob; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM people; SAVEPOINT s; FETCH c;"
like "$(hear)" "ERROR:*budget*" "a budget that does not suffice"
say "ROLLBACK TO s; SELECT 'on';"
until [ "$line" = on ]; do
	read -r line <&8
done
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "leaves the room to others"
end_session

# ---- many at once ----

sql "CREATE FUNCTION again(n bigint) RETURNS bigint LANGUAGE plpgsql AS \$\$ BEGIN RETURN n + dp_count(*) FROM people; END \$\$"
many()
{
	local i
	for ((i = 0; i < ${1:-10}; i++)); do
		echo "SELECT again(dp_count(*)) = 206 FROM people;"
	done | PGOPTIONS="-c dpsens.epsilon=60" psql -XAtq -c "SET ROLE ana" -f - 2>&1
}
start_sixteen()
{
	local i
	pids=()
	for i in {1..16}; do
		many >"$base/many.$i" &
		pids+=($!)
	done
}
start_sixteen
wait "${pids[@]}"
is "$(cat "$base"/many.* | sort | uniq -c | sed 's/^ *//')" "160 t" "16 sessions on one room, with functions that ask inside answers"

# The same, while others are cancelled wherever they are: lined up, in the room, between.
start_sixteen
for i in {1..200}; do
	sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND query LIKE '%again%' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"
done >/dev/null
wait "${pids[@]}"
is "$(cat "$base"/many.* | grep -cE '^t$|ERROR: .*(user request|could not be computed)')" 160 "all of 16 sessions that are cancelled at random are answered or told so"
wait_for "SELECT ($busy) = false"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "and the room goes on"

# ---- a process that has served enough ----

pid_of_room="SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'"
sql "ALTER SYSTEM SET dpsens.clean_room_visits = 3" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('dpsens.clean_room_visits') = '3'"
# the room that there is has served more
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "the last statement of a room is answered"
wait_for "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dpsens clean room')"
served=
for i in 1 2 3 4 5 6 7; do
	answer=$(sql "$ana; SELECT dp_count(*) FROM people")
	[ "$((i % 3))" = 0 ] || served+="$answer@$(sql "$pid_of_room") "
done
is "$(tr ' ' '\n' <<<"$served" | cut -d@ -f1 | sort -u | tr -d '\n')" 103 "so are all of the next"
is "$(tr ' ' '\n' <<<"$served" | uniq -c | awk 'NF > 1 { printf "%s ", $1 }')" "2 2 1 " "by a process for each three of them"
is "$(sql "SET ROLE ana; SET dpsens.clean_room_visits = 1000")" "ERROR: parameter \"dpsens.clean_room_visits\" cannot be changed now" "nobody else has a say in it"
charged="SELECT count(*) FILTER (WHERE query LIKE '%again%') || ' ' || count(*) FILTER (WHERE query NOT LIKE '%again%') FROM dpsens.release WHERE release > "
last=$(sql "SELECT max(release) FROM dpsens.release")
: >"$base/main.log"
start_sixteen
wait "${pids[@]}"
is "$(cat "$base"/many.* | sort | uniq -c | sed 's/^ *//')" "160 t" "16 sessions while rooms end all the time"
is "$(sql "$charged$last")" "160 160" "each statement, and each that a function asks, is charged once"
is "$(grep -E 'ERROR|FATAL|PANIC' "$base/main.log")" "" "and the log is silent"
sql "ALTER SYSTEM RESET dpsens.clean_room_visits" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('dpsens.clean_room_visits') = '10000'"

# ---- turns ----

sql "CREATE ROLE eve; DO \$\$ BEGIN PERFORM dpsens.grant_budget('people', 'eve', 1000000), dpsens.grant_budget('slow', 'eve', 1000000); END \$\$"
eve=${ana/ana/eve}
in_background "$ana; $slow"
wait_for "$busy"
lined=()
for i in 1 2 3 4; do
	line_up "$ana; SELECT dp_count(*) FROM people"
done
line_up "$eve; SELECT dp_count(*) FROM people"
line_up "$eve; SELECT dp_count(*) FROM people"
next="(SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event = 'dpsens_rooms' AND query LIKE '%ana%' ORDER BY backend_start LIMIT 1)"
is "$(sql "SELECT pg_terminate_backend($next)")" t "who is next is ended"
wait_for "SELECT ($in_line) = 5"
is "$(sql "SELECT pg_cancel_backend($next)")" t "who is next then is cancelled"
wait_for "SELECT ($in_line) = 4"
is "$(sql "SELECT pg_cancel_backend($asker)")" t "the room becomes free"
told >/dev/null
end_line
is "$(grep -c 103 <<<"$answers")" 4 "all others are answered"
is "$(last_charged 4)" "eve ana eve ana" "in turns, whoever came first"

# ---- databases ----

sql "CREATE DATABASE other"
sql other "CREATE EXTENSION dpsens; CREATE TABLE things (x float8); INSERT INTO things VALUES (1), (2); GRANT ALL ON SCHEMA public TO ana"
sql other "SELECT dpsens.protect('things')" >/dev/null
sql other "SELECT dpsens.grant_budget('things', 'ana', 1000)" >/dev/null
is "$(sql other "$ana; SELECT dp_count(*) FROM things")" 2 "the room of another database, which has nothing to do, leaves"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "and the other way round"
is "$(sql other "$ana; SELECT dp_count(*) FROM things")" 2 "and again"

# ---- two rooms ----

stop_cluster main
start_cluster main -c dpsens.clean_rooms=2 || bail "no cluster"
rooms_of="SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'"
last=$(sql "SELECT max(release) FROM dpsens.release")
pids=()
for i in {1..64}; do
	many 3 >"$base/many.$i" &
	pids+=($!)
done
wait "${pids[@]}"
is "$(cat "$base"/many.* | sort | uniq -c | sed 's/^ *//')" "192 t" "64 sessions on two rooms, with functions that ask inside answers"
is "$(sql "$charged$last")" "192 192" "each statement is charged once"
is "$(sql "$rooms_of")" "postgres postgres" "by two"
rm "$base"/many.*

# Each holds what the other wants: one is ended, and no room waits.
begin_session
say "BEGIN; LOCK TABLE parts; SELECT 'locked';"
is "$(hear)" locked "one who has locked a relation"
in_background "BEGIN; LOCK TABLE people; $ana; SELECT dp_count(*) FROM parts; COMMIT"
wait_for "$lock_is_awaited"
say "$ana; SELECT dp_count(*) FROM people; ROLLBACK; SELECT 'end';"
heard=
until [ "$line" = end ]; do
	read -r line <&8
	heard+=$line$'\n'
done
end_session
is "$( (echo -n "$heard"; told) | grep -cE '^(ERROR: *deadlock detected|10[03])$')" 2 "of two who ask for what the other has locked one is answered, and one told of the deadlock"
is "$(sql "$rooms_that_wait")" 0 "no room waits"
line=

in_background "$ana; $slow"
wait_for "$busy"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "a short count beside a long one"
slower=${slow/slow/slower}
sql "$eve; $slower" >"$base/slower" &
slower_pid=$!
wait_for "SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'active'"
lined=()
line_up "$ana; SELECT dp_count(*) FROM people"
line_up "$eve; SELECT dp_count(*) FROM people"
is "$(sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%/* slower */%' AND pid <> pg_backend_pid()")" t "one of two long ones ends"
wait "$slower_pid"
end_line
is "$answers" $'103\n103' "those who wait are answered"
is "$(last_charged 2)" "eve ana" "first who has no other room"
is "$(sql "SELECT pg_cancel_backend($asker)")" t "the other ends"
told >/dev/null
wait_for "SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'idle'"
is "$(sql other "$ana; SELECT dp_count(*) FROM things")" 2 "another database"
is "$(sql "$rooms_of")" "other postgres" "takes one room and leaves the other"
is "$(sql "DROP DATABASE other")" "" "a room is not in the way of who drops its database"

# ---- no slot for a second room ----

stop_cluster main
start_cluster main -c dpsens.clean_rooms=2 -c max_worker_processes=4 || bail "no cluster"
like "$(grep 'max_worker_processes is too small' "$base/main.log" | tail -1)" "*WARNING*" "too few processes are warned of"
in_background "$ana; $slow"
wait_for "$busy"
# which has the last slot
wait_for "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dpsens ledger')"
lined=()
line_up "$ana; SELECT dp_count(*) FROM people"
is "$(sql "SELECT pg_cancel_backend($asker)")" t "who cannot start a room waits for the one that there is"
told >/dev/null
end_line
is "$answers" 103 "and is answered"

# A room of another database leaves its slot, which is free only some time after.
sql "CREATE DATABASE third"
sql third "CREATE EXTENSION dpsens; CREATE TABLE things (x float8); INSERT INTO things VALUES (1), (2)"
sql third "SELECT dpsens.protect('things')" >/dev/null
sql third "SELECT dpsens.grant_budget('things', 'ana', 1000)" >/dev/null
stop_cluster main
start_cluster main -c dpsens.clean_rooms=1 -c max_worker_processes=5 || bail "no cluster"
for i in 1 2 3; do
	sql "$ana; SELECT dp_count(*) FROM people"
	sql third "$ana; SELECT dp_count(*) FROM things"
done >"$base/turns" 2>&1
is "$(tr '\n' ' ' <"$base/turns")" "103 2 103 2 103 2 " "two databases with a slot for one room"

# ---- a standby that does not come ----

sql "ALTER SYSTEM SET synchronous_standby_names = 'nobody'" && sql "SELECT pg_reload_conf()" >/dev/null
wait_for "SELECT current_setting('synchronous_standby_names') = 'nobody'"
in_background "SET dpsens.ledger_timeout = '$HUNG s'; $ana; SELECT dp_count(*) FROM people"
# that of the other database may wait, too, with a seal
wait_for "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'dpsens ledger' AND datname = current_database()"
is "$(test -e "$base/ended"; echo $?)" 1 "a room, too, waits until the standby has the charge"
sql "ALTER SYSTEM RESET synchronous_standby_names" && sql "SELECT pg_reload_conf()" >/dev/null
is "$(told)" 103 "and goes on when it is not needed any more"

# ---- a limit of all transactions, of servers from 17 on ----

# Who asks is connected by then: connecting is a transaction, too.
if [ "$(sql "SELECT count(*) FROM pg_settings WHERE name = 'transaction_timeout'")" = 1 ]; then
	begin_session
	say "SET transaction_timeout = 0; $ana; SELECT dp_count(*) FROM people;"
	is "$(hear)" 103 "a room, and a session of which transactions have no limit"
	say "RESET ROLE; ALTER SYSTEM SET transaction_timeout = 1; SELECT pg_reload_conf();" # clock: the test is that it ends nothing
	is "$(hear)" t "all others have one"
	say "$ana; SELECT dp_count(*) FROM slow WHERE i <= 20 AND upper(note) LIKE '%!';"
	is "$(hear)" 0 "neither the room nor the ledger is ended by it"
	say "RESET ROLE; ALTER SYSTEM RESET transaction_timeout; SELECT pg_reload_conf();"
	is "$(hear)" t "the limit goes"
	end_session
	wait_for "SELECT current_setting('transaction_timeout') = '0'"
fi

# ---- failures that may depend on a row ----

sql "CREATE TABLE broken AS SELECT 1::float8 AS x FROM generate_series(1, 10); CHECKPOINT"
sql "CREATE TABLE broken_later AS SELECT i, note FROM slow WHERE i <= 100; INSERT INTO broken_later SELECT i, repeat('x', 1000) FROM generate_series(1, 20) i; CHECKPOINT"
sql "SELECT dpsens.protect(t), dpsens.grant_budget(t, 'ana', 1000) FROM unnest(ARRAY['broken', 'broken_later']::regclass[]) t" >/dev/null
paths=$(sql "SELECT pg_relation_filepath('broken') || ' 0 ' || pg_relation_filepath('broken_later') || ' 8192'")
stop_cluster main
while read -r path place; do
	head -c 24 /dev/zero | tr '\0' 'x' | as_server dd of="$base/main/$path" bs=1 seek="$place" conv=notrunc status=none
done < <(xargs -n 2 <<<"$paths")
start_cluster main -c dpsens.clean_rooms=1 -c dpsens.max_failures=2 || bail "no cluster"
# The ledger stands still when there is a failure to be counted.
ledger="SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'"
charges=$(sql "$spent")
in_background "SET dpsens.ledger_timeout = '8 s'; $ana; ${slow/FROM slow/FROM broken_later}" # clock: that it is not waited for so long
wait_for "SELECT ($spent) > $charges"
pid=$(sql "$ledger")
kill -STOP "$pid"
wait_for "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND wait_event = 'dpsens_ledger'"
told >/dev/null
kill -CONT "$pid"
is "$(grep -o 'did not answer within .*' "$base/main.log" | tail -1)" "did not answer within 10000 ms" "who asks has no say in how long it waits to be counted"
sql "SELECT dpsens.forgive_failures('ana')"
spent_before=$(sql "$spent")
failed="ERROR: the private answers of the statement could not be computed"
is "$(sql "$ana; SELECT dp_count(*) FROM broken")" "$failed" "a page that cannot be read is a failure after the charge"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "one is forgiven"
in_background "$ana; $slow"
wait_for "$busy"
is "$(sql "SELECT pg_cancel_backend($asker)")" t "a cancel"
told >/dev/null
is "$(sql "SELECT role_name, failures FROM dpsens.failure")" "ana|1" "is not counted as one"
is "$(sql "$ana; SELECT dp_count(*) FROM broken")" "$failed" "a second"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" "ERROR: private answers to role \"ana\" are suspended" "is the last at dpsens.max_failures = 2"
is "$(sql "$spent")" "$((spent_before + 4))" "what is refused for it is not charged"
is "$(sql "SELECT dp_count(true, 60) FROM people")" 103 "others are answered"
is "$(sql "$ana; SELECT dpsens.forgive_failures('ana')")" "ERROR: permission denied for function forgive_failures" "nobody forgives themselves"
is "$(sql "$ana; SELECT failures FROM dpsens.failure")" "ERROR: permission denied for table failure" "or reads the counts"
is "$(sql "DELETE FROM dpsens.failure")" "ERROR: the privacy ledger cannot be changed" "which nobody changes by hand"
kill_server
restart
is "$(sql "SELECT role_name, failures FROM dpsens.failure")" "ana|2" "they outlast a crash"
stop_cluster main
start_cluster main -c dpsens.clean_rooms=1 -c dpsens.max_failures=2 || bail "no cluster"
like "$(sql "$ana; SELECT dp_count(*) FROM people")" "*are suspended*" "and a restart"
# They are of the role, whatever it is called, and of who comes after it.
anna=${ana/ana/anna}
suspended()
{
	like "$(sql "${ana/ana/$1}; SELECT dp_count(*) FROM people")" "ERROR: private answers to role \"$1\" are suspended" "$2"
}
sql "ALTER ROLE ana RENAME TO anna; CREATE ROLE ana" && sql "SELECT dpsens.grant_budget('people', 'ana', 1000)" >/dev/null
suspended anna "a role that was renamed"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "who has its name now begins at 0"
is "$(sql "SELECT role_name, failures FROM dpsens.failure WHERE role = 'anna'::regrole")" "anna|2" "the name follows"
sql template1 "ALTER ROLE anna RENAME TO annie"
suspended annie "one that was renamed in another database"
is "$(sql "SELECT string_agg(role_name || failures, ' ') FROM dpsens.failure")" annie2 "whose name follows, too"
sql "SELECT dpsens.revoke_budget('people', 'annie')" >/dev/null
pg_dump --exclude-table-data=slow --exclude-table-data=broken -f "$base/dump.sql"
make_again()
{
	sql "${1:-postgres}" "DROP OWNED BY annie"
	sql "DROP ROLE annie; CREATE ROLE annie"
	sql "${1:-postgres}" "SELECT dpsens.grant_budget('people', 'annie', 1000000)" >/dev/null
}
make_again
suspended annie "one that was dropped and made again"
sql "ALTER ROLE eve RENAME TO evelyn; DROP OWNED BY annie; DROP ROLE annie; ALTER ROLE evelyn RENAME TO annie"
suspended annie "another one that has its name"
is "$(sql "SELECT dpsens.forgive_failures('annie')")" "" "is forgiven"
is "$(sql "${ana/ana/annie}; SELECT dp_count(*) FROM people")" 103 "that, too"
sql "CREATE DATABASE restored" && psql -Xq -d restored -f "$base/dump.sql" >/dev/null 2>&1
is "$(sql restored "SELECT count(*) FROM dpsens.failure JOIN pg_roles ON oid = role")" 0 "a dump knows a role that is gone"
is "$(sql restored "SELECT dpsens.acknowledge_restore()" | grep -v WARNING)" "" "but it was restored and acknowledged"
is "$(sql restored "SELECT role_name, failures FROM dpsens.failure WHERE role = 'annie'::regrole")" "annie|2" "and its failures are of who is called so"
sql "DROP DATABASE restored"
for i in 1 2; do
	sql "SELECT dpsens.grant_budget('broken', 'ana', 1000)" >/dev/null
	is "$(sql "$ana; SELECT dp_count(*) FROM broken")" "$failed" "failures of another, $i"
done
suspended ana "are counted beside"

is "$(sql "SELECT dpsens.forgive_failures('ana')")" "" "an administrator forgives"
is "$(sql "$ana; SELECT dp_count(*) FROM people")" 103 "and there are answers again"
is "$(sql "SELECT count(*) FROM dpsens.failure")" 0 "nothing is left of it"
like "$(grep 'invalid page' "$base/main.log" | tail -1)" "*ERROR*invalid page*" "the log has the reason"

finish
