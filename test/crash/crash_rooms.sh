#!/usr/bin/env bash
# crash_rooms.sh
#	The same as crash.sh where clean rooms answer: they begin before the charge is
#	flushed, so what a crash forgets must not have been seen.
ROOMS=2 exec bash "$(dirname "$0")/crash.sh"
