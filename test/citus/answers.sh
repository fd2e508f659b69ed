#!/usr/bin/env bash
# answers.sh
#	A cluster as of nodes.sh whose nodes have a key, and exact answers of it beside those of one server; for other scripts.
#	MORE_NODE_SETTINGS are settings of its nodes, and exact_as a statement before each question.
key=$(mktemp)
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$key"
chmod 600 "$key"
[ "$(id -u)" -ne 0 ] || chown postgres "$key"
NODE_SETTINGS=("dpsens.cluster_key_file = '$key'" "${MORE_NODE_SETTINGS[@]}")
. "$(dirname "${BASH_SOURCE[0]}")/nodes.sh"
trap 'clean_up; rm -f "$key"' EXIT

# exact QUERY: the answers without noise
exact()
{
	on c "SET dpsens.noise = off; ${exact_as:-}$1" | grep -v '^WARNING'
}

# same QUERY: with T as local and as spread
same()
{
	local there
	there=$(exact "${1//@/spread}")
	is "$there" "$(exact "${1//@/local}")" "as of one server: ${1//@/t}"
	[[ $there == *ERROR* || -z $there ]] || return
	echo "# $there"
	failures=$((failures + 1))
}

# hold_ledger: from now on the ledger of c stands still, and whoever is to be charged waits; free_ledger: it goes on.  Behind
# an answer, so that it is there.
hold_ledger()
{
	PGPORT=${port[c]} wait_for "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'"
	ledger=$(on c "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsens ledger'")
	kill -STOP "$ledger"
}
free_ledger() { kill -CONT "$ledger"; }
# wait_for_charge: until somebody waits to be charged
wait_for_charge() { PGPORT=${port[c]} wait_for "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'dpsens_ledger')"; }
