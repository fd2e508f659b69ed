#!/usr/bin/env bash
# until.sh QUERY
#	Waits until the answer to a query is "t".
set -euo pipefail
. "$(dirname "$0")/../poll.sh"

says_yes()
{
	[ "$(psql -XAtq -c "$1" 2>&1)" = t ]
}
wait_until says_yes "$1"
