#!/usr/bin/env bash
# prove.sh
#	Proofs by a bounded model checker: every function prove_* of test/prove/*.c, for all
#	arguments.  TAP.
#
#	CBMC=cbmc PROVE_SECONDS=600 test/prove.sh
#
# CBMC is a command, of version 6 or later, which finds GSL's headers; without one nothing is
# proved, and it is said that all is skipped.  A proof that takes longer than PROVE_SECONDS has
# failed; each takes some ten seconds of a processor at the most.
#
# What is out of reach is said in the first lines of each file: products, squares and
# quotients of two numbers of 64 bits of which nothing is known, doubles, and loops that
# end with probability 1 only, which end here with the random bits.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

CBMC=${CBMC:-cbmc}
PROVE_SECONDS=${PROVE_SECONDS:-600}
tests=0
failures=0

if ! $CBMC --version >/dev/null 2>&1; then
	echo "1..0 # SKIP there is no bounded model checker: set CBMC to the command of one (https://www.cprover.org/cbmc/)"
	exit 0
fi

in_time()
{
	timeout "$PROVE_SECONDS" "$@" # clock: what takes longer hangs
}

# prove FILE FUNCTION
prove()
{
	local unwind out
	unwind=$(sed -n 's/^ \* unwind: //p' "$1")
	# shellcheck disable=SC2086
	out=$(in_time $CBMC --function "$2" -Isrc -Itest/prove --unwind "$unwind" --unwinding-assertions \
		--no-standard-checks --bounds-check --pointer-check --div-by-zero-check --signed-overflow-check \
		--undefined-shift-check "$1" 2>&1)
	tests=$((tests + 1))
	if grep -q '^VERIFICATION SUCCESSFUL$' <<<"$out"; then
		echo "ok $tests - $(basename "$1" .c): $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $(basename "$1" .c): $2"
		grep -E 'FAILURE|error' <<<"$out" | head -5 | sed 's/^/# /'
	fi
}

for file in test/prove/*.c; do
	for function in $(sed -n 's/^\(prove_[a-z_]*\)(void)$/\1/p' "$file"); do
		prove "$file" "$function"
	done
done
echo "1..$tests"
[ $failures -eq 0 ]
