#!/usr/bin/env bash
# run.sh
#	Random databases and queries (differential.pl) in a database of their own of
#	the server that psql's environment variables name, and that preloads dpsens.
set -euo pipefail
cd "$(dirname "$0")"

database=dpsens_differential
read -ra flags <<<"${PROVE_FLAGS:-}"
status=0

psql_quietly()
{
	PGOPTIONS='-c client_min_messages=error' psql -XAtq -v ON_ERROR_STOP=1 "$@"
}

psql_quietly -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" -c "CREATE DATABASE $database"
psql_quietly -d $database -c 'CREATE EXTENSION dpsens'
prove ${flags[@]+"${flags[@]}"} --exec perl differential.pl || status=1
psql_quietly -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)"
exit $status
