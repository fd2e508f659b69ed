#!/usr/bin/env bash
# rows.sh
#	What is done with single rows of tables that Citus has distributed: training, accounts of rows and audit views are
#	refused, each with its own message and hint and before anything is charged; audits that read the whole table yield what
#	they do on one server; and hints that say what helps.  BINDIR is where a server's programs are that has both extensions.
#
#	Files: glue/citus.c, ledger/rows/row_accounts.c, audit/evaluator.c, audit/sql_audit_view.c, model/train/sql_train.c
. "$(dirname "${BASH_SOURCE[0]}")/answers.sh"

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner; GRANT CREATE ON DATABASE postgres TO owner" >/dev/null
for t in local trained spread copied; do
	as c owner "CREATE TABLE $t (id int PRIMARY KEY, age float8 NOT NULL, ill int NOT NULL)" >/dev/null
done
as c owner "SELECT create_distributed_table('spread', 'id'), create_reference_table('copied')" >/dev/null
for t in local trained spread copied; do
	as c owner "INSERT INTO $t SELECT i, i % 100, i % 2 FROM generate_series(1, 500) i" >/dev/null
	as c owner "SELECT dpsens.protect('$t'), dpsens.set_range('$t', 'age', 0, 99), dpsens.set_range('$t', 'ill', 0, 1), dpsens.register('doubled', '$t', '2 * age + ill')" >/dev/null
done
as c owner "SELECT dpsens.create_model('net', '{\"input\": 1, \"layers\": [{\"type\": \"dense\", \"units\": 1}], \"loss\": \"half_squared\"}')" >/dev/null

# ---- what is refused ----

before=$(on c "SELECT coalesce(max(release), 0) FROM dpsens.release")
# refused QUERY MESSAGE HINT
refused()
{
	local said
	said=$(in_full c owner "$1")
	like "$said" "ERROR: *$2*DETAIL: *HINT: *$3*" "refused: $1"
}
train="'{age}', 'ill', 2, 0.1, clip => 1, expected_rows => 500, noise_multiplier => 20"
for t in spread copied; do
	distributed="table \"$t\", which Citus has distributed, are not supported"
	refused "CALL dpsens.train('net', '$t', $train)" "models that are trained on $distributed" "undistribute_table()"
	refused "CALL dpsens.train('net', '$t', $train, checkpoint => 1)" "models that are trained on $distributed" "protected table of the coordinator"
	refused "CALL dpsens.train('net', '$t', $train, query => 'SELECT age, ill FROM $t')" "models that are trained on $distributed" "undistribute_table()"
	refused "SELECT dpsens.set_budget('$t', epsilon => 9, row_epsilon => 1)" "accounts of the rows of $distributed" "dpsens.row_loss()"
	refused "SELECT dpsens.set_budget('$t', row_rho => 1)" "accounts of the rows of $distributed" "a budget without row_epsilon and row_rho"
	refused "SELECT dpsens.set_plis_cap('$t', 3)" "accounts of the rows of $distributed" "undistribute_table()"
	refused "SELECT dpsens.create_audit_view('doubled($t)')" "audit views of $distributed" "dpsens.row_sensitivity()"
	like "$(as c owner "SELECT dpsens.set_budget('$t', epsilon => 9)")" "" "a budget without accounts is not refused, of $t"
done
for call in "value_of('doubled(spread)', t)" "gradient_of('doubled(spread)', t)" "audit_row('doubled(spread)', t)" "plis_of('doubled(spread)', t)" "individual_loss('doubled(spread)', t)"; do
	refused "SELECT dpsens.$call FROM spread t" "registered expressions are not computed on a worker node of Citus" "dpsens.row_sensitivity()"
done
is "$(on c "SELECT count(*) FROM dpsens.release WHERE release > $before")|$(on c "SELECT count(*) FROM dpsens.training_run")" "0|0" "nothing of that is charged, and no run begins"
as c owner "CALL dpsens.train('net', 'trained', $train)" >/dev/null
is "$(on c "SELECT count(*) FROM dpsens.release WHERE release > $before")" 1 "which training on a table of the coordinator is"

# ---- what is hinted at ----

refused "SELECT (SELECT dp_count(true, 1) FROM spread), (SELECT count(*) FROM spread)" "\"spread\", which Citus has distributed" "Use two statements: keep the answers in a temporary table"
is "$(as c owner "CREATE TEMPORARY TABLE kept AS SELECT dp_count(true, 1) AS n FROM spread; SELECT count(n) = 1, (SELECT count(*) FROM spread) FROM kept")" "t|500" "which helps"
as c owner "SELECT dp_count(true, 1) FROM local" >/dev/null
as c owner "CREATE TABLE single (id int, age float8); SELECT create_distributed_table('single', NULL, colocate_with => 'none')" >/dev/null
refused "SELECT dp_count(true, 1) FROM single" "\"single\", which Citus has distributed" "create_distributed_table() with a column"
refused "SELECT dp_count(true, 1) FROM local JOIN single USING (id)" "\"single\", which Citus has distributed" "Ask without that table"
shard=$(on w1 "SET citus.override_table_visibility = off; SELECT min(relname) FROM pg_class WHERE relname ~ '^spread_[0-9]+\$' AND relkind = 'r'")
like "$(in_full w1 owner "SELECT dp_count(true, 1) FROM $shard")" "*HINT: *Ask the coordinator, which has the budgets of the whole cluster*" "a worker says who has the budgets"

# ---- audits that read the whole table ----

for question in "SELECT dp_count(true, 0.125), dp_sum(age, 0.25) FROM @ WHERE age < 50" "SELECT dp_sum(age * ill, 0.5) FROM @ WHERE id % 3 = 1"; do
	for t in local spread; do as c owner "${question//@/$t}" >/dev/null; done
done
# alike QUERY: with @ as local and as spread, whose rows come in any order
alike()
{
	local there
	there=$(as c owner "${1//@/spread}")
	is "$there" "$(as c owner "${1//@/local}")" "as on one server: ${1//@/t}"
	[[ $there != *ERROR* && -n $there ]] && return
	echo "# $there"
	failures=$((failures + 1))
}
alike "SELECT * FROM dpsens.row_loss('@') ORDER BY 1"
alike "SELECT * FROM dpsens.row_plis('@') ORDER BY 1"
alike "SELECT count(*) FROM dpsens.row_training_loss('@')"
alike "SELECT * FROM dpsens.row_sensitivity('doubled(@)') ORDER BY 1"
alike "SELECT * FROM dpsens.sensitivity_summary('doubled(@)') ORDER BY 1"
alike "SELECT dpsens.local_sensitivity('doubled(@)', 'sum', 1)"
is "$(as c owner "SELECT epsilon > 0 FROM dpsens.row_loss('spread') ORDER BY epsilon DESC LIMIT 1")" t "rows have lost something"

echo "1..$tests"
exit $((failures > 0))
