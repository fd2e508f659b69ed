#!/usr/bin/env bash
# epsilon_cases.sh
#	That the audit of epsilon (test/stat/epsilon) has a case for each aggregate that
#	the extension has, under add_remove and under replace, by each mechanism that
#	noises it there.  psql's environment variables say which server.
set -u
db=dpsens_epsilon_cases_$$
cd "$(dirname "$0")/epsilon" || exit 1
trap 'dropdb --if-exists "$db" 2>/dev/null' EXIT

echo 1..2
createdb -T template0 "$db" || exit 1
listed=$(for file in *.sql; do psql -X -q -v ON_ERROR_STOP=1 -v list=1 -d "$db" -f "$file" || echo "failed|$file"; done)
missing=$(comm -13 <(sed -n 's/^have|//p' <<<"$listed" | sort -u) <(sed -n 's/^want|//p' <<<"$listed" | sort -u))
if grep -q '^want' <<<"$listed" && ! grep '^failed' <<<"$listed"; then
	echo "ok 1 - all cases were read"
else
	echo "not ok 1 - all cases were read"
fi
if [ -z "$missing" ]; then
	echo "ok 2 - each aggregate has a case under either adjacency by each of its mechanisms"
else
	echo "not ok 2 - each aggregate has a case under either adjacency by each of its mechanisms"
	sed 's/^/# no case: /' <<<"$missing"
fi
