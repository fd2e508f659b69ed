#!/usr/bin/env bash
# interval_cases.sh
#	That what is said of errors is measured for each aggregate that the extension has: how often
#	its intervals hold, and the error that dpsens.explain promises or does not, about the survey
#	and about two skewed tables; and how wide its intervals are.  psql's environment variables say which
#	server.
set -u
db=dpsens_interval_cases_$$
cd "$(dirname "$0")/../.." || exit 1
trap 'dropdb --if-exists "$db" 2>/dev/null' EXIT

echo 1..2
createdb -T template0 "$db" && psql -X -q -d "$db" -c 'CREATE EXTENSION dpsens' || exit 1
listed=$(for file in test/stat/{promises,choices,widths}.sql; do psql -X -q -v ON_ERROR_STOP=1 -v list=1 -d "$db" -f "$file" || echo "failed|$file"; done)
wanted=$(psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$db" <<'SQL' || echo "failed|what there is"
\i test/stat/epsilon/form.psql
WITH a AS (
    SELECT form(v.called) AS form, p.proname LIKE '%\_ci' AS has_interval
    FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
         JOIN pg_extension AS x ON x.oid = d.refobjid AND x.extname = 'dpsens',
         LATERAL (VALUES (p.oid::regprocedure::text), (CASE WHEN p.proname IN ('dp_count', 'dp_count_ci') THEN p.proname || '(DISTINCT x)' END)) AS v (called)
    WHERE p.prokind = 'a' AND p.proname LIKE 'dp\_%' AND v.called IS NOT NULL)
SELECT DISTINCT 'want', w, form, tab
FROM a, (VALUES ('coverage', true, '{nhanes,bills,debts}'::text[]), ('width', true, '{any}'), ('error', false, '{nhanes,bills,debts}')) AS v (w, of_intervals, tabs), unnest(tabs) AS tab
WHERE of_intervals = has_interval
SQL
)
missing=$(comm -13 <(awk -F'|' '$1 == "have" { print $2 "|" $3 "|" $4; print $2 "|" $3 "|any" }' <<<"$listed" | sort -u) <(sed -n 's/^want|//p' <<<"$wanted" | sort -u))
if [ "$(grep -c '^want' <<<"$wanted")" -gt 100 ] && ! grep '^failed' <<<"$listed$wanted"; then
	echo "ok 1 - all cases were read"
else
	echo "not ok 1 - all cases were read"
fi
if [ -z "$missing" ]; then
	echo "ok 2 - each aggregate's intervals and errors are measured"
else
	echo "not ok 2 - each aggregate's intervals and errors are measured"
	sed 's/^/# not measured: /' <<<"$missing"
fi
