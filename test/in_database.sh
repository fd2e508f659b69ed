#!/usr/bin/env bash
# in_database.sh NAME COMMAND...
#	Runs the command in its folder with a database of its own of the server that psql's
#	environment variables name; the database has dpsens, and goes afterwards.
set -euo pipefail

database=$1
shift

psql_quietly()
{
	PGOPTIONS='-c client_min_messages=error' psql -XAtq -v ON_ERROR_STOP=1 "$@"
}

status=0
psql_quietly -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" -c "CREATE DATABASE $database"
psql_quietly -d "$database" -c 'CREATE EXTENSION dpsens'
PGDATABASE=$database "$@" || status=1
psql_quietly -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)"
exit $status
