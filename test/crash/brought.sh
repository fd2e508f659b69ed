#!/usr/bin/env bash
# brought.sh
#	Rows that are brought into a clean room: joins by keys of theirs are not counted,
#	and others are; and parallel workers of the room scan them.
#
# What counts rows keeps as many places as there are rows, for which there is no room
# in so little memory: the log names its temporary files, and the file in which workers
# find the rows.
. "$(dirname "$0")/cluster.sh"

make_cluster main "dpsens.clean_rooms = 1" "log_temp_files = 0" || bail "no cluster"
sql "CREATE EXTENSION dpsens;
CREATE TABLE people (id int NOT NULL, ward int NOT NULL, kind text NOT NULL);
INSERT INTO people SELECT i, i % 100, 'k' || i % 2 FROM generate_series(1, 30000) i;
CREATE TABLE wards (id int PRIMARY KEY, number bigint UNIQUE, beds int);
INSERT INTO wards SELECT i, i, i % 7 FROM generate_series(0, 99) i;
CREATE TABLE kinds (ward int, kind varchar, PRIMARY KEY (ward, kind));
INSERT INTO kinds SELECT i, 'k0' FROM generate_series(0, 99) i;
CREATE ROLE ana;
GRANT SELECT ON wards, kinds TO ana;"
sql "SELECT dpsens.protect('people'), dpsens.set_public('wards'), dpsens.set_public('kinds')" >/dev/null
sql "SELECT dpsens.grant_budget('people', 'ana', 100000)" >/dev/null

# answered ANSWER FILES QUESTION: whether there were temporary files of a room.
answered()
{
	: >"$base/main.log"
	is "$(sql "SET ROLE ana; SET dpsens.epsilon = 60; SET work_mem = '64kB'; $3")" "$1" "$3"
	if [ "$2" = counted ]; then
		ok "$(grep -q 'clean room LOG:  temporary file' "$base/main.log"; echo $?)" "is counted"
	else
		is "$(grep -o 'clean room LOG:  temporary file' "$base/main.log" | sort -u)" "" "is not counted"
	fi
}

answered 30000 uncounted "SELECT dp_count(*) FROM people p JOIN wards w ON w.id = p.ward"
answered 30000 uncounted "SELECT dp_count(*) FROM people p JOIN wards w ON w.number = p.ward"
answered "30000|300" uncounted "SELECT dp_count(*), dp_count(w.id) FROM people p LEFT JOIN wards w ON w.id = p.ward AND w.beds = 6 AND w.id < 7"
answered 15000 uncounted "SELECT dp_count(*) FROM people p JOIN wards w ON w.id = p.ward JOIN kinds k ON k.ward = p.ward AND k.kind = p.kind"
answered 15000 uncounted "SELECT dp_count(*) FROM people p JOIN kinds k ON k.ward = p.ward AND k.kind = p.kind"
answered 30000 uncounted "SELECT dp_count(*) FROM people p JOIN kinds k ON k.ward = p.ward AND k.kind = 'k0'"
answered 30000 counted "SELECT dp_count(*) FROM people p JOIN (VALUES (0, 49), (50, 99)) b (lo, hi) ON p.ward BETWEEN b.lo AND b.hi"

# ---- keys in part ----

# What is a key of several columns is none where some of them are compared: whatever
# order the joins are computed in, all rows that match are met.
sql "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE offers (ward bigint, kind varchar, beds int, UNIQUE (ward, kind));
INSERT INTO offers SELECT i, k, i % 7 FROM generate_series(0, 99) i, unnest(ARRAY[NULL, NULL, 'k2', 'k1', 'K0', 'k0']) k;
INSERT INTO offers SELECT NULL, k, 1 FROM unnest(ARRAY[NULL, 'k0', 'k0', 'k1']) k;
CREATE TABLE words (id int PRIMARY KEY, word text COLLATE \"C\" NOT NULL UNIQUE, number numeric UNIQUE);
INSERT INTO words VALUES (1, 'K0', NULL), (0, 'k0', NULL), (3, 'K1', 2.00), (2, 'k1', 1.0), (4, 'KX', NULL);
CREATE TABLE homes (id int PRIMARY KEY, ward int); INSERT INTO homes SELECT i, i % 101 FROM generate_series(1, 5000) i;
GRANT SELECT ON offers, words, homes TO ana" 2>&1
sql "SELECT dpsens.set_public('offers'), dpsens.set_public('words'), dpsens.set_public('homes')" >/dev/null

# An equality by which others are equal than in the index is none of these joins.
like "$(sql "SET ROLE ana; SET dpsens.epsilon = 60; SELECT dp_count(*) FROM people p JOIN (words x JOIN words y ON y.word COLLATE caseless = x.word COLLATE caseless) ON x.word = p.kind AND y.id = p.id % 2")" \
	"ERROR: operator =(text,text) in a condition is not supported*" "a key by another collation"

# same QUESTION: in each order of its joins it is what SQL says.
same()
{
	local collapse answer
	answer=$(sql "${1//dp_/}")
	like "$answer" "[1-9]*" "$1"
	for collapse in 8 1; do
		is "$(sql "SET ROLE ana; SET dpsens.epsilon = 60; SET join_collapse_limit = $collapse; $1")" "$answer" "... with join_collapse_limit = $collapse"
	done
}

same "SELECT dp_count(*) FROM people p JOIN (homes h JOIN offers o ON o.ward = h.ward) ON h.id = p.id AND o.kind = p.kind"
same "SELECT dp_count(*), dp_count(o.ward) FROM people p LEFT JOIN (homes h JOIN offers o ON o.ward = h.ward) ON h.id = p.id AND o.kind = p.kind"
same "SELECT dp_count(*) FROM people p JOIN (wards w JOIN offers o ON o.ward = w.id) ON w.id = p.ward AND o.kind = p.kind"
same "SELECT dp_count(*) FROM people p JOIN (offers o JOIN wards w ON o.ward = w.number) ON w.id = p.ward AND o.kind = p.kind WHERE w.beds < 3"
same "SELECT dp_count(*), dp_count(o.ward) FROM people p LEFT JOIN (wards w JOIN offers o ON o.ward = w.id) ON w.id = p.ward AND o.kind = p.kind"
same "SELECT dp_count(*) FROM people p JOIN (offers o JOIN offers other ON other.ward = o.ward) ON o.ward = p.ward AND o.kind = p.kind AND other.kind = 'k2'"
same "SELECT dp_count(*) FROM people p JOIN (offers o JOIN words x ON x.word = o.kind) ON o.ward = p.ward AND o.kind = p.kind"
same "SELECT dp_count(*) FROM people p JOIN (words x JOIN offers o ON o.beds = x.number::int) ON x.word = p.kind AND o.ward = p.ward AND o.kind = p.kind"

# ---- workers ----

# A small relation, one of several files' blocks and stretches, and none at all.
sql "CREATE TABLE places (id int PRIMARY KEY, ward int, note text); INSERT INTO places SELECT i, i % 130, repeat('x', i % 50) FROM generate_series(1, 20000) i;
CREATE TABLE nothing (id int PRIMARY KEY); GRANT SELECT ON places, nothing TO ana; ALTER TABLE people ADD weight float8; UPDATE people SET weight = id / 7.0"
sql "SELECT dpsens.set_range('people', 'weight', 0, 5000), dpsens.set_public('places'), dpsens.set_public('nothing')" >/dev/null

# As a role that may not look, without noise.
plainly="SET client_min_messages = error; SET dpsens.debug_restricted = on; SET dpsens.noise = off; SET dpsens.epsilon = 1"
workers="SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0"

# shared QUESTION [WAY...]: by workers it has the same bits, however they share the work.
shared()
{
	local answer way question=$1
	shift
	: >"$base/main.log"
	answer=$(sql "$plainly; SET max_parallel_workers_per_gather = 0; $question")
	like "$answer" "[1-9]*" "$question"
	ok "$(grep -q 'fileset/brought' "$base/main.log"; echo $(($? == 0)))" "is asked of one process"
	for way in "SET enable_parallel_hash = off" "SET parallel_leader_participation = off" "SET work_mem = '64kB'" "SET max_parallel_workers = 0" \
		"SET enable_hashjoin = off" "$@"; do
		: >"$base/main.log"
		is "$(sql "$plainly; $workers; $way; $question")" "$answer" "... by workers: $way"
		like "$(cat "$base/main.log")" "*LOG:  temporary file: *.fileset/brought.*" "... which scan what was brought"
	done
}

shared "SELECT dp_count(*), dp_sum(p.weight) FROM people p JOIN wards w ON w.id = p.ward WHERE w.beds < 3" \
	"SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off"
shared "SELECT dp_count(*), dp_sum(p.weight) FROM people p JOIN places v ON v.id = p.id WHERE v.ward < 70"
shared "SELECT dp_count(*), dp_sum(p.weight) FROM people p JOIN places v ON v.id = p.id WHERE p.kind = 'k0'"
shared "SELECT dp_count(*), dp_count(v.id), dp_sum(p.weight) FROM people p LEFT JOIN places v ON v.id = p.id AND v.ward < 100"
shared "SELECT dp_count(*), dp_sum(p.weight) FROM people p WHERE EXISTS (SELECT FROM places v WHERE v.id = p.id AND v.ward < 9)"
shared "SELECT dp_count(*), dp_sum(p.weight) FROM people p WHERE NOT EXISTS (SELECT FROM places v WHERE v.id = p.id)"
shared "SELECT dp_count(*), dp_sum(p.weight) FROM people p JOIN wards w ON w.id = p.ward JOIN places v ON v.id = p.id WHERE w.beds = 2"
shared "SELECT dp_count(*), dp_sum(p.weight) FROM people p LEFT JOIN nothing n ON n.id = p.id"

finish
