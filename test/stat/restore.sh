#!/usr/bin/env bash
# restore.sh
#	What pg_dump carries of an audit view: after a restore it still goes with
#	its expression.  psql's environment variables say which server.
set -u
db=dpsens_restore_$$
copy=${db}_copy
query() { psql -XAtq -v ON_ERROR_STOP=1 -d "$@" 2>&1; }
failed=0
number=0

# is GOT WANTED NAME
is()
{
	number=$((number + 1))
	if [ "$1" = "$2" ]; then
		echo "ok $number - $3"
	else
		failed=1
		echo "not ok $number - $3"
		printf '# got:    %s\n# wanted: %s\n' "${1//$'\n'/$'\n'# }" "$2"
	fi
}

finish()
{
	dropdb --if-exists "$db" 2>/dev/null
	dropdb --if-exists "$copy" 2>/dev/null
}
trap finish EXIT

echo 1..11
createdb -T template0 "$db" && createdb -T template0 "$copy" || exit 1
is "$(query "$db" <<'SQL'
SET client_min_messages = warning;
CREATE EXTENSION dpsens;
CREATE TABLE "odd staff" (id int PRIMARY KEY, gone int, pay float8 NOT NULL);
ALTER TABLE "odd staff" DROP COLUMN gone;
INSERT INTO "odd staff" VALUES (1, 3), (2, 5);
\o /dev/null
SELECT dpsens.protect('"odd staff"', unit => 'id'), dpsens.set_range('"odd staff"', 'pay', 0, 10);
SELECT dpsens.register('square', '"odd staff"', 'pay ^ 2'), dpsens.register('cube', '"odd staff"', 'pay ^ 3');
SELECT dpsens.create_audit_view('square("odd staff")'), dpsens.create_audit_view('cube("odd staff")');
SQL
)" '' 'two audit views are made'
pg_dump "$db" | query "$copy" >/dev/null
is "$(query "$copy" -c 'SELECT id, value, slope_pay FROM square_audit ORDER BY id')" $'1|9|6\n2|25|10' 'a restored view shows the same'
is "$(query "$copy" -c "SELECT value, individual_loss > 0, individual_epsilon > 0 FROM cube_audit WHERE id = 1" -c "SET dpsens.epsilon = 1" -c "SELECT value, individual_loss > 0, individual_epsilon > 0 FROM cube_audit WHERE id = 1")" \
	$'27||\n27|t|t' 'losses at the settings of the reader'
is "$(query "$copy" -c "SELECT relacl IS NULL OR NOT EXISTS (SELECT FROM aclexplode(relacl) WHERE grantee <> relowner) FROM pg_class WHERE relname = 'cube_audit'")" t 'nobody else may read it'
is "$(query "$copy" -c "SELECT col_description('cube_audit'::regclass, attnum) FROM pg_attribute WHERE attrelid = 'cube_audit'::regclass AND attname = 'partial_pay'")" \
	'partial sensitivity: derivative of gradient_norm' 'with its comments'
report="SELECT regexp_replace(dpsens.report('\"odd staff\"'), 'Made on [^<]*', '')"
is "$(query "$copy" -c "$report")" "$(query "$db" -c "$report")" 'the report of the copy is that of the original'
is "$(query "$copy" -c "SELECT dpsens.unregister('square', '\"odd staff\"')")" '' 'its expression is dropped'
is "$(query "$copy" -c "SELECT to_regclass('square_audit') IS NULL, to_regclass('cube_audit') IS NULL")" 't|f' 'and it goes with it, not the other'
is "$(query "$copy" -c 'DROP FUNCTION cube("odd staff")')" '' 'as with DROP FUNCTION'
is "$(query "$copy" -c "SELECT to_regclass('cube_audit') IS NULL")" t 'it is gone too'
is "$(query "$copy" -c "SELECT count(*) FROM pg_seclabel WHERE label = 'AUDIT'")" 0 'and so are their labels'
exit $failed
