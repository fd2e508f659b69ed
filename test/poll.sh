# poll.sh
#	Read by shell tests: waits for what happens, never for time to pass.
#
# A test that passes only where the machine is fast enough, or slow enough, is none.  So
# this is the only place where a test sleeps; what must never end on its own is held until
# it is let go.
# shellcheck shell=bash

# What has not happened after so many seconds never will.
: "${HUNG:=300}"

# wait_until COMMAND...: until it succeeds; false if it never does.  Asks often at first, and then
# less: what is waited for wants the processor, too.
wait_until()
{
	local waited=0 ms=20 pause
	while [ "$waited" -lt $((HUNG * 1000)) ]; do
		! "$@" || return 0
		printf -v pause '%d.%03d' $((ms / 1000)) $((ms % 1000))
		sleep "$pause"
		waited=$((waited + ms))
		ms=$((ms < 250 ? ms * 3 / 2 : 250))
	done
	echo "# never happened: $*" >&2
	return 1
}
