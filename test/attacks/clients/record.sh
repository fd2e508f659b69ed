#!/usr/bin/env bash
# record.sh log
#	Records anew what psql asks to complete words, and what JDBC's driver asks:
#	psql.txt and jdbc.txt.  In the database of ../setup.sql, on a server whose log
#	is this file, as a superuser.  The oids in what is written are of that
#	database: put names in their places.
#
# Recorded last: psql 15.20; PgJDBC 42.5.5 (BSD-2-Clause licence).
set -euo pipefail
cd "$(dirname "$0")"
log=$1
user=dpsens_attack_ana

ask()
{
	psql -XAtqc "$1"
}

prefix=$(ask 'SHOW log_line_prefix')
trap 'ask "ALTER SYSTEM SET log_line_prefix = '"'$prefix'"'"; ask "ALTER ROLE $user RESET log_statement; ALTER ROLE $user NOLOGIN"; ask "SELECT pg_reload_conf()"' EXIT
ask "ALTER SYSTEM SET log_line_prefix = '@@%a@@'"
ask "ALTER ROLE $user LOGIN; ALTER ROLE $user SET log_statement = 'all'; ALTER ROLE $user SET search_path = clinic, lab, public"
ask 'SELECT pg_reload_conf()'
PGUSER=$user PGAPPNAME=complete ./complete.py
./jdbc.sh
./kept.py complete <"$log" >psql.txt
./kept.py jdbc <"$log" >jdbc.txt
