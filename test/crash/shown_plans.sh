#!/usr/bin/env bash
# shown_plans.sh
#	auto_explain that was preloaded after dpsens, for a role that may set its level while
#	a statement runs: it shows the plan of an answer, and nothing that was counted.
. "$(dirname "$0")/cluster.sh"

make_cluster main "shared_preload_libraries = 'dpsens,auto_explain'
dpsens.clean_rooms = 0
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_timing = off
auto_explain.log_nested_statements = on" || bail "no cluster"
sql "$fixture
CREATE ROLE ana; GRANT SET ON PARAMETER auto_explain.log_level TO ana;
SELECT dpsens.grant_budget('people', 'ana', 10)" >/dev/null

# what a statement of ana shows her
shown()
{
	psql -XAtq -c "SET SESSION AUTHORIZATION ana" -c "$1" 2>&1
}

answer=$(shown "SELECT dp_count(true, 0.25) IS NOT NULL, set_config('auto_explain.log_level', 'notice', false) FROM people WHERE age < 10")
is "$(grep -c 'NOTICE:.*plan:' <<<"$answer")" 1 "the plan of an answer is shown"
is "$(grep -cE 'Rows Removed|actual|loops=' <<<"$answer")" 0 "without what was counted"
is "$(grep -c '^t|notice$' <<<"$answer")" 1 "with the answer"
other=$(shown "SELECT count(*), set_config('auto_explain.log_level', 'notice', false) FROM generate_series(1, 7)")
is "$(grep -cE 'actual rows=7' <<<"$other")" 1 "of other statements all is shown"
finish
