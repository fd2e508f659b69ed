#!/usr/bin/env bash
# copies.sh [FILE...]
#	What the pgTAP files ask about protected tables, of distributed copies of these tables (copies.pl).  Every
#	file is taken that copies.left_out does not name with a reason; of FILE..., these alone.  BINDIR is where a
#	server's programs are that has both extensions; a compiler and the server's headers are needed.
#
#	Files: guard/distributed/distributed_states.c, guard/distributed/distributed_sql.c, guard/distributed/distributed_places.c
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# that of BINDIR, where it is a copy of a server, may not know where headers are
headers=$("${PG_CONFIG:-pg_config}" --includedir-server)
all=("$here"/../pgtap/*.sql)
[ "$#" -eq 0 ] || all=("$@")
MORE_NODE_SETTINGS=("dpsens.max_failures = 0" "lock_timeout = 10000") # clock: a session that holds a lock of a step waits for nothing else
. "$here/answers.sh"

# ---- which files ----

declare -A left_out=()
while read -r name reason; do
	[[ -z $name || $name == "#"* ]] && continue
	left_out[$name]=$reason
	[ -n "$reason" ] || ok 1 "$name is left out without a reason"
	[ -f "$here/../pgtap/$name.sql" ] || ok 1 "$name is left out, and is no file"
done <"$here/copies.left_out"
files=()
for file in "${all[@]}"; do
	name=$(basename "$file" .sql)
	[ -n "${left_out[$name]:-}" ] || files+=("$file")
done
ok $((${#files[@]} == 0)) "${#files[@]} files are asked, ${#left_out[@]} left out"

# ---- the recorder ----

"${CC:-cc}" -O1 -fPIC -shared -I"$headers" -o "$base/record.so" "$here/record.c" || bail "the recorder does not compile"
on c "CREATE EXTENSION pgtap" >/dev/null
mkdir "$base/records"
chmod 777 "$base/records"
chmod 755 "$base/record.so"
[ "$failures" -eq 0 ] || { echo "1..$tests"; exit 1; }
PGPORT=${port[c]} RECORDER=$base/record.so RECORDS=$base/records/all DATABASE=postgres FIRST_TESTS=$tests perl "$here/copies.pl" "${files[@]}"
exit $?
