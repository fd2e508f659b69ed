#!/usr/bin/env bash
# run.sh
#	Certified bounds beside an evaluator of their own (reference.py), in a database of
#	its own of the server that psql's environment variables name.
set -euo pipefail
cd "$(dirname "$0")"

database=dpsens_reference
read -ra flags <<<"${PROVE_FLAGS:-}"
status=0

psql_quietly()
{
	PGOPTIONS='-c client_min_messages=error' psql -XAtq -v ON_ERROR_STOP=1 "$@"
}

psql_quietly -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" -c "CREATE DATABASE $database"
psql_quietly -d $database -c 'CREATE EXTENSION dpsens'
PGDATABASE=$database prove ${flags[@]+"${flags[@]}"} --exec "${PYTHON:-/usr/bin/python3} -B" reference.py || status=1
psql_quietly -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)"
exit $status
