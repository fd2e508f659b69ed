#!/usr/bin/env bash
# clang.sh
#	That the module is built by clang, too, with as many warnings and each of them an
#	error: in a copy of the tree, whose objects are those of the other compiler.
#	CLANG says by which.  And that doubles become integers in num/whole.h alone.
. "$(dirname "$0")/../build-aux/common.sh"

clang=${CLANG:-clang}
tests=0

# check WHAT FOUND: a test, which nothing should be found for.
check()
{
	tests=$((tests + 1))
	if [ -z "$2" ]; then
		echo "ok $tests - $1"
	else
		echo "not ok $tests - $1"
		head -n 40 <<<"$2" | sed 's/^/# /'
	fi
}

# What a compiler checks at run time, if it is told to, is what it converts: a call of the
# check is a conversion that does not go through num/whole.h, whose functions are exempt.
# Nothing is optimised, so that no conversion is left out, and since no warning needs it.
sanitize='-O0 -g1 -fsanitize=float-cast-overflow'

# conversions OBJECT...: where they are
conversions()
{
	local object
	for object; do
		objdump --disassemble --reloc --line-numbers --no-show-raw-insn "$object" |
			awk '/^[^ ]*:[0-9]+( |$)/ { line = $1 }
				/__ubsan_handle_float_cast_overflow/ { print line }'
	done | sed 's|.*/src/|src/|' | sort -u
}

echo 1..4
tree=$PWD/build/clang
# without files that are no more, and without objects that were built otherwise
[ "$(cat "$tree/flags" 2>/dev/null)" = "$sanitize" ] || rm -rf "$tree"
copy_tree "$tree"
echo "$sanitize" >"$tree/flags"
make -s -C "$tree" -j"$(nproc)" CC="$clang" COPT="$sanitize" all >"$tree/log" 2>&1 || echo "make: error" >>"$tree/log"
check "clang builds the module" "$(grep -E 'error|warning' "$tree/log")"
# what the compiler leaves in the module says which it was
check "and no other compiler did" "$(readelf -p .comment "$tree/dpsens.so" 2>&1 | grep -q clang || echo "it is not in dpsens.so")"

# a conversion that is one
probe=$(mktemp -d)
echo 'int f(double x) { return x; }' >"$probe/probe.c"
# shellcheck disable=SC2086
"$clang" $sanitize -c -o "$probe/probe.o" "$probe/probe.c"
check "a conversion is found" "$([ "$(conversions "$probe/probe.o" | sed 's/.*://')" = 1 ] || echo "it is not: $(conversions "$probe/probe.o")")"
rm -rf "$probe"
mapfile -t objects < <(find "$tree/src" -name '*.o')
check "doubles become integers in num/whole.h alone" "$(conversions "${objects[@]}")"
