#!/usr/bin/env bash
# clang.sh
#	That the module is built by clang, too, with as many warnings and each of them an
#	error: in a copy of the tree, whose objects are those of the other compiler.
#	CLANG says by which.
. "$(dirname "$0")/../build-aux/common.sh"

echo 1..2
tree=$PWD/build/clang
# without files that are no more
copy_tree "$tree"
if make -s -C "$tree" -j"$(nproc)" CC="${CLANG:-clang}" all >"$tree/log" 2>&1; then
	echo "ok 1 - clang builds the module"
else
	echo "not ok 1 - clang builds the module"
	grep -E 'error|warning' "$tree/log" | head -40 | sed 's/^/# /'
fi
# what the compiler leaves in the module says which it was
if readelf -p .comment "$tree/dpsens.so" 2>/dev/null | grep -q clang; then
	echo "ok 2 - and no other compiler did"
else
	echo "not ok 2 - and no other compiler did"
fi
