# cluster.sh
#	Read by the tests here: a private cluster that may be killed, and TAP.
#
# BINDIR is where the server's programs are.  The server runs as postgres when
# the caller is root.  Clusters are in a folder of their own, below SERVERS_FOLDER if that is
# set, that is removed at the end; KEEP=1 keeps it.
# shellcheck shell=bash

set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../poll.sh"
unset PGHOST PGHOSTADDR PGPORT PGDATABASE PGSERVICE PGSERVICEFILE PGPASSFILE PGOPTIONS PSQLRC
export LC_ALL=C.UTF-8 PGUSER=postgres PGDATABASE=postgres
: "${BINDIR:=$("${PG_CONFIG:-pg_config}" --bindir)}"
PATH=$BINDIR:$PATH

# postgres may not enter root's own temporary folder
[ "$(id -u)" -ne 0 ] || unset TMPDIR
base=$(mktemp -d "${SERVERS_FOLDER:-${TMPDIR:-/tmp}}/dpsens_crash.XXXXXX")
chmod 755 "$base"
[ "$(id -u)" -ne 0 ] || chown postgres "$base"
export PGHOST=$base

as_server()
{
	if [ "$(id -u)" -eq 0 ]; then
		(cd "$base" && runuser -u postgres -- env PATH="$PATH" "$@")
	else
		(cd "$base" && "$@")
	fi
}

# Sockets are in a folder of their own, so the number need not be free elsewhere.
export PGPORT=54321

# make_cluster NAME [SETTING...]: creates and starts one that preloads dpsens.
make_cluster()
{
	local name=$1
	shift
	as_server initdb -A trust -U postgres -D "$base/$name" >/dev/null || return
	{
		printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$base'" "shared_preload_libraries = 'dpsens'" \
			"dpsens.answer_epsilon = 0" "fsync = on" "max_connections = 120" "log_min_messages = warning" "log_line_prefix = '%m [%p] %b '" "$@"
	} | as_server tee -a "$base/$name/postgresql.conf" >/dev/null
	start_cluster "$name"
}

# start_cluster NAME [OPTION...]; POSTGRES is another program than BINDIR's.
start_cluster()
{
	local name=$1
	shift
	as_server pg_ctl -D "$base/$name" -l "$base/$name.log" -w -t 120 ${POSTGRES:+-p "$POSTGRES"} -o "-p $PGPORT $*" start >/dev/null
}

# stop_cluster NAME [MODE]
stop_cluster()
{
	as_server pg_ctl -D "$base/$1" -m "${2:-fast}" -w stop >/dev/null
}

clean_up()
{
	local pid
	for pid in "$base"/*/postmaster.pid; do
		[ ! -f "$pid" ] || as_server pg_ctl -D "$(dirname "$pid")" -m immediate stop >/dev/null 2>&1
	done
	if [ "${KEEP:-0}" = 1 ]; then
		echo "# kept: $base"
	else
		rm -rf "$base"
	fi
}
trap clean_up EXIT

# ---- crashes, of the cluster main ----

# The processes of a parent; there may be no ps here.
children()
{
	cat /proc/[0-9]*/stat 2>/dev/null | sed 's/([^)]*)/-/' | awk -v parent="$1" '$4 == parent { printf "%s ", $1 }'
}

is_gone()
{
	! kill -0 "$1" 2>/dev/null
}

# All of them at once: stopped first, so that none notices that another is gone, the postmaster before its
# children are looked for, so that it starts no other.
kill_server()
{
	local postmaster pids
	postmaster=$(head -1 "$base/main/postmaster.pid")
	kill -STOP "$postmaster" 2>/dev/null
	pids="$postmaster $(children "$postmaster")"
	# shellcheck disable=SC2086
	kill -STOP $pids 2>/dev/null
	# shellcheck disable=SC2086
	kill -KILL $pids 2>/dev/null
	wait_until is_gone "$postmaster"
	rm -f "$base/main/postmaster.pid"
}

# Segments of shared memory that the dead left behind go when the next one
# starts; until no process is attached any more, it does not start.
restart()
{
	wait_until start_cluster main || bail "the server does not start again: $(tail -3 "$base/main.log")"
}

# ---- SQL ----

# sql [DATABASE] QUERY: the answer without ornament, or the error's first line.
sql()
{
	local database=postgres
	if [ $# -gt 1 ]; then
		database=$1
		shift
	fi
	PGOPTIONS="${PGOPTIONS:-} -c client_min_messages=warning" psql -XAtq -d "$database" -c "$1" 2>&1 | sed -n 's/^.*ERROR: */ERROR: /; /^DETAIL\|^HINT\|^CONTEXT\|^LINE\|^ *^/!p'
}

# Is the answer to a query "t"?
says_yes()
{
	[ "$(sql "$@")" = t ]
}

# wait_for [DATABASE] QUERY: until its answer is "t".
wait_for()
{
	wait_until says_yes "$@"
}

# Are pg_dump and its like there, and the server's own?  Those of an older major refuse.
can_copy()
{
	local program major
	major=$(postgres --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
	for program in pg_dump pg_dumpall pg_restore pg_basebackup; do
		[[ $("$program" --version 2>/dev/null) == "$program (PostgreSQL) $major"[!0-9]* ]] || return
	done
}

# A protected table "people" of a hundred rows.
fixture="CREATE EXTENSION dpsens;
CREATE TABLE people (age float8 NOT NULL, sex text);
INSERT INTO people SELECT i, 'F' FROM generate_series(0, 99) i;
DO \$\$ BEGIN PERFORM dpsens.protect('people'), dpsens.set_range('people', 'age', 0, 99); END \$\$;"

ask="SELECT dp_count(true, 0.25) IS NOT NULL FROM people"

# ---- TAP ----

tests=0
failures=0

ok()
{
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests - $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $2"
	fi
	return "$1"
}

# is HAVE WANT NAME
is()
{
	local status=0
	[ "$1" = "$2" ] || status=1
	ok "$status" "$3"
	[ "$status" = 0 ] || printf '#   have: %s\n#   want: %s\n' "$1" "$2"
}

# like HAVE PATTERN NAME, with a pattern of the shell
like()
{
	local status=0
	# shellcheck disable=SC2053
	[[ $1 == $2 ]] || status=1
	ok "$status" "$3"
	[ "$status" = 0 ] || printf '#   have: %s\n#   like: %s\n' "$1" "$2"
}

# A test that cannot be run here, and why.
skip()
{
	tests=$((tests + 1))
	echo "ok $tests # SKIP $*"
}

bail()
{
	echo "Bail out!  $*"
	exit 1
}

finish()
{
	echo "1..$tests"
	exit $((failures > 0))
}
