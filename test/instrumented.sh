#!/usr/bin/env bash
# instrumented.sh valgrind|sanitizers [regress] [pgtap] [attacks]
#	The suites that need a server, with a module or a server that watches memory
#	and arithmetic; all three unless told otherwise.  TAP: a test for each suite
#	that ran, and one that nothing was reported.  What a suite itself finds wrong
#	is shown and does not count: here everything is many times slower.
#
#	valgrind	PG_CONFIG is of a server built with --enable-cassert and
#				-DUSE_VALGRIND; SUPPRESSIONS is its src/tools/valgrind.supp
#	sanitizers	the module alone is compiled with -fsanitize=address,undefined
#				(a server that speaks other languages hangs before main with the
#				runtime library of gcc 12: PG_CONFIG of one without NLS then)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
if [ -z "${DPS_COPIES:-}" ]; then
	exec build-aux/private "$0" "$@"
fi

kind=$1
shift
suites=("${@:-regress pgtap attacks}")
read -ra suites <<<"${suites[*]}"
PG_CONFIG=${PG_CONFIG:-pg_config}
BINDIR=$("$PG_CONFIG" --bindir)
tree=$PWD/build/instrumented/$kind
export PG_CONFIG BINDIR

# Built in a copy, so that the objects here stay what is shipped.
rm -rf "$tree"
mkdir -p "$tree"
tar cf - --exclude=./.git --exclude=./build --exclude='*.o' --exclude='*.so' . | tar xf - -C "$tree"
cd "$tree" || exit 1
case $kind in
	valgrind) flags='-O1 -g -DUSE_VALGRIND' ;;
	sanitizers) flags='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -Wno-error' ;;
	*) echo "instrumented.sh: $kind?" >&2; exit 1 ;;
esac
make -s -j"$(nproc)" COPT="$flags" all && make -s COPT="$flags" install || exit 1

. test/crash/cluster.sh
logs=$base/reports
mkdir "$logs"
chmod 777 "$logs"
POSTGRES=$base/postgres
if [ "$kind" = valgrind ]; then
	command="valgrind --quiet --trace-children=yes --leak-check=no --num-callers=25 --error-markers=REPORT,END \
		${SUPPRESSIONS:+--suppressions='$SUPPRESSIONS'} --log-file='$logs/%p' '$BINDIR/postgres'"
else
	command="env LD_PRELOAD='$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)' \
		ASAN_OPTIONS='detect_leaks=0:abort_on_error=1' UBSAN_OPTIONS='print_stacktrace=1' '$BINDIR/postgres'"
fi
printf '#!/bin/sh\nexec %s "$@"\n' "$command" >"$POSTGRES"
chmod 755 "$POSTGRES"
export POSTGRES
# A check of what the server may hold in memory at once does not hold here.  Segments of
# memory are made anew each time: of one that is used again a process remembers what it
# had left undefined there, and knows nothing of what another has written since.  And the ledger is slow here.
make_cluster main "max_stack_depth = 2MB
dpsens.ledger_timeout = 10min
min_dynamic_shared_memory = 0" || exit 1

run_suite()
{
	case $1 in
		regress) make -s installcheck ISOLATION= ;;
		pgtap)
			createdb dpsens_pgtap
			psql -qX -d dpsens_pgtap -c 'CREATE EXTENSION IF NOT EXISTS pgtap' &&
				PGDATABASE=dpsens_pgtap make -s tapcheck PROVE_FLAGS=-q
			;;
		attacks) make -s attackcheck PROVE_FLAGS=-q ;;
	esac
}

tests=0
failures=0
check()
{
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests - $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $2"
	fi
}

for suite in "${suites[@]}"; do
	run_suite "$suite" 2>&1 | sed 's/^/# /'
	psql -qXAt -c 'SELECT true' >/dev/null
	check $? "the server is there after $suite"
done
stop_cluster main
# sanitizers write where the server does
{
	cat "$logs"/*
	grep -nE -A 30 'runtime error|Sanitizer' "$base/main.log"
} >"$tree/reports" 2>/dev/null
! grep -qE 'REPORT|runtime error|Sanitizer' "$tree/reports"
check $? "nothing was reported"
sed 's/^/# /' "$tree/reports" | head -400
echo "1..$tests"
exit $((failures > 0))
