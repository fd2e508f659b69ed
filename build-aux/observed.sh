# shellcheck shell=bash
# observed.sh
#	Sourced.  OBSERVED: settings of a cluster for test/observer, which preloads what
#	else shows statements: pg_stat_statements, and auto_explain of all of them.  Plans
#	are written at level LOG, since nothing is answered at another; the role may raise
#	it for what it asks afterwards.
OBSERVED="--set shared_preload_libraries=auto_explain,pg_stat_statements,plpgsql,dpsens"
# what wakes up, or writes whole pages into the log again, now and then is in the way
OBSERVED="$OBSERVED --set bgwriter_delay=10s --set wal_writer_delay=10s --set checkpoint_timeout=1h"
for setting in min_duration=0 analyze=on buffers=on wal=on nested_statements=on; do
	OBSERVED="$OBSERVED --set auto_explain.log_$setting"
done
export OBSERVED
