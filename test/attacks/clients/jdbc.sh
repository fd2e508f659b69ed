#!/usr/bin/env bash
# jdbc.sh
#	Reads everything that DatabaseMetaData shows as dpsens_attack_ana, by the
#	driver in JDBC_DRIVER (that of libpostgresql-jdbc-java).  Says "skipped" where
#	there is none, no compiler, or no way in by TCP without a password.
set -euo pipefail
cd "$(dirname "$0")"
driver=${JDBC_DRIVER:-/usr/share/java/postgresql.jar}
user=dpsens_attack_ana
url="jdbc:postgresql://localhost:${PGPORT:-5432}/${PGDATABASE:-dpsens_attacks}?user=$user&ApplicationName=jdbc"

skip()
{
	echo "skipped: $1"
	exit 0
}

[ -r "$driver" ] || skip 'no JDBC driver'
command -v javac >/dev/null || skip 'no Java compiler'
folder=$(mktemp -d)
trap 'rm -rf "$folder"; PGOPTIONS= psql -XAtqc "ALTER ROLE $user NOLOGIN"' EXIT
PGOPTIONS= psql -XAtqc "ALTER ROLE $user LOGIN; ALTER ROLE $user SET search_path = clinic, lab, public"
PGOPTIONS= psql -XAtqwc 'SELECT 1' -h localhost -U "$user" >/dev/null 2>&1 || skip 'no way in by TCP'
javac -d "$folder" Metadata.java
java -cp "$driver:$folder" Metadata "$url"
