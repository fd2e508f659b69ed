#!/usr/bin/env bash
# run.sh [attacks] [smith]
#	Attacks on private answers, in a database of their own of the server that
#	psql's environment variables name, and that preloads dpsens.  Both parts
#	unless told otherwise.  ATTACKS chooses files.
set -euo pipefail
cd "$(dirname "$0")"

export PGDATABASE=dpsens_attacks PGOPTIONS='-c client_min_messages=warning'
read -ra flags <<<"${PROVE_FLAGS:-}"
parts=("${@:-attacks smith}")
status=0

psql_quietly()
{
	psql -XAtq -v ON_ERROR_STOP=1 "$@"
}

# Roles belong to the server, what they own to the database.
clean_up()
{
	psql_quietly -d postgres -c "DROP DATABASE IF EXISTS $PGDATABASE WITH (FORCE)"
	psql_quietly -d postgres -c "SELECT format('DROP ROLE %I;', rolname) FROM pg_roles WHERE rolname ~ '^dpsens_(attack|smith)_'" |
		psql_quietly -d postgres
}

clean_up
psql_quietly -d postgres -c "CREATE DATABASE $PGDATABASE"
psql_quietly -f setup.sql >/dev/null
case " ${parts[*]} " in
	*" attacks "*) pg_prove ${flags[@]+"${flags[@]}"} ${ATTACKS:-[0-9][0-9]_*.sql} || status=1 ;;
esac
case " ${parts[*]} " in
	*" smith "*) prove ${flags[@]+"${flags[@]}"} --exec perl smith.pl || status=1 ;;
esac
clean_up
exit $status
