# poll.sh
#	Read by shell tests: waits for what happens, never for time to pass.
#
# A test that passes only where the machine is fast enough, or slow enough, is none.  So
# this is the only place where a test sleeps; what must never end on its own is held until
# it is let go.
# shellcheck shell=bash

# What has not happened after so many seconds never will.
: "${HUNG:=300}"

# wait_until COMMAND...: until it succeeds; false if it never does.
wait_until()
{
	local i
	for ((i = 0; i < HUNG * 20; i++)); do
		! "$@" || return 0
		sleep 0.05
	done
	echo "# never happened: $*" >&2
	return 1
}
