#!/usr/bin/env bash
# brought.sh
#	Rows that are brought into a clean room: joins by keys of theirs are not counted,
#	and others are.
#
# What counts rows keeps as many places as there are rows, for which there is no room
# in so little memory: the log names its temporary files.
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

finish
