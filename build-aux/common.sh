# common.sh
#	Read by the other scripts here: where we are, which server, who is root.
# shellcheck shell=bash

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PG_MAJOR=${PG_MAJOR:-$(build-aux/major)}
export PG_MAJOR
# of Debian's packages, or the one of SERVER_CONFIG
export PG_CONFIG=${SERVER_CONFIG:-/usr/lib/postgresql/$PG_MAJOR/bin/pg_config}

# A bare machine may ask for a locale that it does not have; golden output needs
# the same one everywhere.
unset LANG LANGUAGE
export LC_ALL=C.UTF-8

# seconds
SUITE_LIMIT=${SUITE_LIMIT:-3600}

# The jobserver and flags of the calling make are not for the ones we start.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

run_make()
{
	make --no-print-directory "$@"
}

# Runs a command as root: directly, by sudo, or not at all.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "this must be run as root, and sudo is not installed: $*" >&2
		return 1
	fi
}

# copy_tree FOLDER: what is there of the tree, without what was built; a copy that was there keeps its objects.
copy_tree()
{
	local list
	mkdir -p "$1/build"
	list=$(mktemp)
	(find . -path ./.git -prune -o -path ./build -prune -o -type f ! -name '*.o' ! -name '*.d' ! -name '*.so' -print) >"$list"
	(cd "$1" && find . -path ./build -prune -o -type f ! -name '*.o' ! -name '*.d' ! -name '*.so' -print) |
		sort | comm -23 - <(sort "$list") | (cd "$1" && xargs -r -d '\n' rm -f)
	tar cf - --no-recursion -T "$list" | tar xf - -C "$1"
	rm -f "$list"
}

# ending COMMAND...: a command that is ended after an hour, since no other test would be come to.
ending()
{
	timeout --kill-after=60 "$SUITE_LIMIT" "$@"
}

# in_chroot MAJOR FOLDER COMMAND...: with nothing of our environment, and with ccache; ended likewise.
in_chroot()
{
	ending build-aux/in-chroot "$2" env -i PG_MAJOR="$1" PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin \
		CCACHE_DIR=/var/cache/ccache CCACHE_NOHASHDIR=1 "${@:3}"
}
