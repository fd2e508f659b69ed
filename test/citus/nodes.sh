#!/usr/bin/env bash
# nodes.sh
#	A coordinator c and two workers w1 and w2 of Citus, with both extensions, on ports of the loopback
#	interface.  BINDIR is where a server's programs are that has both; for other scripts.
#	NODE_SETTINGS, an array, is added to the configuration of each.
. "$(dirname "${BASH_SOURCE[0]}")/../crash/cluster.sh"

# below those that connections are given
first_port=$((10000 + RANDOM % 20000))
declare -A port=([c]=$first_port [w1]=$((first_port + 1)) [w2]=$((first_port + 2)) [w3]=$((first_port + 3)))

make_node()
{
	PGPORT=${port[$1]}
	make_cluster "$1" "shared_preload_libraries = 'citus,dpsens'" "listen_addresses = '127.0.0.1'" "port = $PGPORT" "max_connections = 60" \
		"citus.shard_count = 4" "citus.node_conninfo = 'sslmode=prefer'" "max_prepared_transactions = 20" "wal_level = logical" "autovacuum = off" "log_min_messages = ${NODE_MESSAGES:-fatal}" "${NODE_SETTINGS[@]}"
}

# on NODE QUERY, as NODE ROLE QUERY
on()
{
	PGPORT=${port[$1]} sql "$2"
}

as()
{
	PGPORT=${port[$1]} PGUSER=$2 sql "$3"
}

# as_in NODE ROLE DATABASE QUERY
as_in()
{
	PGPORT=${port[$1]} PGUSER=$2 sql "$3" "$4"
}

# The same with detail and hint.
in_full()
{
	PGPORT=${port[$1]} PGUSER=$2 psql -XAtq -c "$3" 2>&1
}

for node in c w1 w2; do
	make_node "$node" || bail "node $node does not start: $(tail -3 "$base/$node.log")"
	on "$node" "CREATE EXTENSION citus" >/dev/null
done
on c "SELECT citus_set_coordinator_host('127.0.0.1', ${port[c]}), citus_add_node('127.0.0.1', ${port[w1]}), citus_add_node('127.0.0.1', ${port[w2]})" >/dev/null
on c "CREATE EXTENSION dpsens" >/dev/null
on c "CREATE EXTENSION citus_columnar" >/dev/null
