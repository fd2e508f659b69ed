#!/usr/bin/env bash
# room_ends.sh
#	What ends clean rooms, or needs them to end: shutdowns, what is done with whole
#	databases, and the extension that goes and comes.
. "$(dirname "$0")/cluster.sh"

ana="SET ROLE ana; SET dpsens.epsilon = 60"
spent="SELECT COALESCE(sum(charges), 0) FROM dpsens.purse WHERE role = 'ana'::regrole"
rooms="SELECT string_agg(datname || ' ' || state, ', ' ORDER BY datname) FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'"
busy="SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'active'"
asker="(SELECT min(pid) FROM pg_stat_activity WHERE query LIKE '%/* slow */%' AND pid <> pg_backend_pid())"
count="$ana; SELECT dp_count(*) FROM people"

# It goes on for minutes if nobody ends it.
slow="$ana; SELECT dp_count(*) /* slow */ FROM slow WHERE upper(note) ~ '(a|b|c)+(d|e|f)+x' OR lower(note) ~ '(1|2|3)+(4|5|6)+x' OR initcap(note) ~ '(7|8|9)+(0|1|2)+x'"
fixture_of_rooms="$fixture
CREATE TABLE slow AS SELECT i, repeat(md5(i::text), 30000) AS note FROM generate_series(1, 400) i;
DO \$\$ BEGIN PERFORM dpsens.protect('slow'), dpsens.grant_budget('slow', 'ana', 1000000), dpsens.grant_budget('people', 'ana', 1000000); END \$\$;"

in_background()
{
	sql "$@" >"$base/background" 2>&1 &
	background=$!
}

# What the one in the background was told is in $said.
end_background()
{
	wait "$background"
	said=$(tail -1 "$base/background")
}

# The rooms, once none has yet to say that it has nothing more to do: it tells who asks first.
rested()
{
	wait_for "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dpsens clean room' AND state = 'active')"
	sql "$rooms"
}

make_cluster main "dpsens.clean_rooms = 1" || bail "no cluster"
sql "CREATE ROLE ana" && sql "CREATE DATABASE aside"
sql "$fixture_of_rooms"

# ---- shutdowns ----

is "$(sql "$count")" 100 "an answer"
is "$(stop_cluster main smart; echo $?)" 0 "a smart shutdown does not wait for a room that has nothing to do"
start_cluster main
in_background "$slow"
wait_for "$busy"
sql "$count" >"$base/lined" 2>&1 &
lined=$!
wait_for "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event = 'dpsens_rooms'"
is "$(stop_cluster main fast; echo $?)" 0 "a fast one ends a room that is busy, and who waits for it"
end_background
like "$said" "@(ERROR: the private answers of the statement could not be computed|*connection*lost*)" "who asked is told no answer"
wait "$lined"
like "$(tail -1 "$base/lined")" "*connection*lost*" "nor who waited"
start_cluster main
is "$(sql "$spent")" 2 "what was begun is charged, what waited is not"
is "$(sql "SELECT count(*) FROM dpsens.failure")" 0 "and is no failure"
in_background "$slow"
wait_for "SELECT ($spent) = 3"
# which flushes what was committed before
sql "CREATE TABLE later ()"
is "$(stop_cluster main immediate; echo $?)" 0 "an immediate one"
end_background
start_cluster main
is "$(sql "$spent")" 3 "forgets no charge"
is "$(sql "$count")" 100 "and there are answers again"

# ---- databases ----

is "$(rested)" "postgres idle" "a room that has nothing to do"
is "$(sql aside "CREATE DATABASE copy TEMPLATE postgres")" "" "is not in the way of who copies its database"
is "$(rested)" "" "and has left"
is "$(sql copy "$count")" "ERROR: the privacy ledger was charged in another database" "the copy has to be acknowledged"
sql copy "SELECT dpsens.acknowledge_restore()"
is "$(sql copy "$count")$(rested)" "100copy idle" "then it has a room of its own"
is "$(sql "ALTER DATABASE copy RENAME TO renamed")" "" "nor of who renames it"
is "$(sql renamed "$count")$(rested)" "100renamed idle" "which goes on under its new name"
is "$(sql "ALTER DATABASE renamed SET TABLESPACE pg_default")" "" "nor of who moves it"
is "$(sql renamed "$count")" 100 "which goes on"
in_background renamed "$slow"
wait_for "$busy"
like "$(sql "DROP DATABASE renamed")" "ERROR: database \"renamed\" is being accessed by other users" "a room that is busy is, as who asks"
is "$(sql "DROP DATABASE renamed WITH (FORCE)")" "" "unless all are ended"
end_background
like "$said" "*connection*lost*" "who asked among them"
wait_for "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'dpsens clean room')"
is "$(sql "$count")" 100 "the slot is free"

# ---- the extension ----

# By the same process, which knew the functions of the one before by other OIDs.
room_pid="SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE backend_type = 'dpsens clean room'"
pid=$(sql "$room_pid")
is "$(sql "ALTER EXTENSION dpsens UPDATE")" "" "the extension is updated"
is "$(sql "$count")" 100 "a room goes on"
is "$(sql "BEGIN; ALTER EXTENSION dpsens ADD TABLE people; ROLLBACK; $count")" 100 "or changed"
like "$(sql "DROP EXTENSION dpsens CASCADE")" "WARNING:  what was spent*" "dropped beside a room that has nothing to do"
like "$(sql "$count")" "ERROR: function dp_count() does not exist*" "no question is left"
sql "SET client_min_messages = error; CREATE EXTENSION dpsens; DO \$\$ BEGIN PERFORM dpsens.protect('people'), dpsens.protect('slow'), dpsens.grant_budget('people', 'ana', 1000000), dpsens.grant_budget('slow', 'ana', 1000000); END \$\$"
is "$(sql "$count")$(sql "$room_pid")" "100$pid" "made again: by the same process"
in_background "$slow"
wait_for "$busy"
sql "DROP EXTENSION dpsens CASCADE" >"$base/dropped" 2>&1 &
dropping=$!
wait_for "SELECT count(*) = 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND query LIKE 'DROP EXTENSION%'"
is "$(sql "$busy")" t "who drops it while a room works waits for the statement"
is "$(sql "SELECT pg_cancel_backend($asker)")" t "which is cancelled"
end_background
is "$said" "ERROR: canceling statement due to user request" "as ever"
wait "$dropping"
like "$(cat "$base/dropped")" "WARNING:  what was spent*" "then it is dropped"
sql "SET client_min_messages = error; CREATE EXTENSION dpsens; DO \$\$ BEGIN PERFORM dpsens.protect('people'), dpsens.grant_budget('people', 'ana', 1000000); END \$\$"
is "$(sql "$count")" 100 "and answers when it is back"
is "$(sql "$spent")" 1 "which are charged to the new ledger"

finish
