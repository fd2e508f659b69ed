#!/usr/bin/env bash
# citus.sh ROWS RESULT.json
#	Private answers about a table that Citus has distributed over two workers, beside plain queries of the
#	same, on this machine: medians of five turns, one after the other, and their ratios.  BINDIR is where a
#	server's programs are that has both extensions.  Then the constants of a model of many servers
#	(citus_model.pl), and what it says of other numbers of rows and shards beside what they take.  It ends with
#	status 1 if a ratio is above its goal, and says which.
rows=$1
result=$2
turns=${TURNS:-5}
key=$(mktemp)
od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$key"
chmod 600 "$key"
[ "$(id -u)" -ne 0 ] || chown postgres "$key"
NODE_SETTINGS=("dpsens.cluster_key_file = '$key'" "shared_buffers = 1GB" "jit = off" "work_mem = 256MB")
. "$(dirname "${BASH_SOURCE[0]}")/../test/citus/nodes.sh"
trap 'clean_up; rm -f "$key"' EXIT

on c "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner" >/dev/null
as c owner "CREATE TABLE persons (id int PRIMARY KEY, age float8 NOT NULL, weight float8 NOT NULL, height float8 NOT NULL, region text NOT NULL)" >/dev/null
as c owner "CREATE TABLE stays (patient int NOT NULL, cost float8 NOT NULL, ward text NOT NULL)" >/dev/null
as c owner "SELECT create_distributed_table('persons', 'id'), create_distributed_table('stays', 'patient')" >/dev/null
as c owner "INSERT INTO persons SELECT i, 20 + i % 60, 50 + i % 50, 1.5 + i % 50 / 100.0, 'r' || i % 8 FROM generate_series(1, $rows) i" >/dev/null
as c owner "INSERT INTO stays SELECT i / 5, i % 500, 'w' || i % 3 FROM generate_series(1, $rows) i" >/dev/null
for node in w1 w2; do on "$node" "VACUUM ANALYZE" >/dev/null; done
as c owner "SELECT dpsens.protect('persons'), dpsens.set_range('persons', 'age', 20, 80), dpsens.set_range('persons', 'weight', 50, 100), dpsens.set_range('persons', 'height', 1.5, 2),
	dpsens.set_values('persons', 'region', 'r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7')" >/dev/null
as c owner "SELECT dpsens.protect('stays', unit => 'patient', max_rows => 5), dpsens.set_range('stays', 'cost', 0, 500)" >/dev/null

# name|plain|private|at most
questions="sum of five operations|SELECT sum(age * weight / (height * height)) FROM persons|SELECT dp_sum(age * weight / (height * height), 0.001) FROM persons|0.8
count|SELECT count(*) FROM persons|SELECT dp_count(true, 0.001) FROM persons|0.8
groups|SELECT region, sum(age * weight / (height * height)) FROM persons GROUP BY region|SELECT region, dp_sum(age * weight / (height * height), 0.001) FROM persons GROUP BY region|0.8
mean, deviation|SELECT avg(age), stddev(weight) FROM persons|SELECT dp_avg(age, 0.001), dp_stddev(weight, 0.001) FROM persons|0.8
units of five rows|SELECT sum(cost) FROM stays|SELECT dp_sum(cost, 0.001) FROM stays|3
median|SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY age) FROM persons|SELECT dp_median(age, 0.1) FROM persons|0.8"

# One session for all turns, which alternate; a first turn does not count.
while IFS='|' read -r name plain private most; do
	{
		echo '\timing on'
		for ((i = 0; i <= turns; i++)); do printf '\\echo plain\n%s;\n\\echo private\n%s;\n' "$plain" "$private"; done
	} | PGPORT=${port[c]} PGUSER=owner psql -XAtq 2>&1 | awk -v name="$name" -v most="$most" '/^ERROR/ { print > "/dev/stderr" } /^(plain|private)$/ { side = $1 } /^Time:/ { print name "|" most "|" side "|" $2 }'
done <<<"$questions" | perl -we 'use strict; my ($turns, $file) = @ARGV; my (%t, @names, %most);
	while (<STDIN>) { chomp; my ($n, $m, $s, $ms) = split /\|/; push @names, $n unless exists $most{$n}; $most{$n} = $m; push @{$t{$n}{$s}}, $ms }
	sub median { my @s = sort { $a <=> $b } @_; $s[@s / 2] }
	my @rows;
	printf "%-24s %10s %10s %7s %8s\n", "", "plain ms", "private ms", "ratio", "at most";
	for my $n (@names) { my ($p, $d) = map { my @a = @{$t{$n}{$_}}; median(@a[1 .. $#a]) } qw(plain private); my $r = $d / $p;
		printf "%-24s %10.1f %10.1f %7.2f %8s%s\n", $n, $p, $d, $r, $most{$n}, $r > $most{$n} ? "!" : "";
		push @rows, sprintf(q({"name": "%s", "plain_ms": %.1f, "private_ms": %.1f, "ratio": %.3f, "at_most": %s, "met": %s}), $n, $p, $d, $r, $most{$n}, $r > $most{$n} ? "false" : "true") }
	open my $out, ">", $file or die "$file: $!"; print $out "[\n", join(",\n", @rows), "\n]\n";' "$turns" "$result"
missed=$(sed -n 's/^{"name": "\([^"]*\)".*"met": false.*/\1/p' "$result" | paste -sd';')
[ "$(grep -c '"met": true' "$result")" -gt 0 ] || [ -n "$missed" ] || missed="nothing was measured"

# ---- how long it takes on more servers ----

few=4
many=36
groups=20000
as c owner "CREATE TABLE fifth (id int PRIMARY KEY, age float8 NOT NULL, weight float8 NOT NULL, height float8 NOT NULL, region text NOT NULL)" >/dev/null
as c owner "SELECT create_distributed_table('fifth', 'id', colocate_with => 'none', shard_count => 16)" >/dev/null
as c owner "INSERT INTO fifth SELECT * FROM persons WHERE id <= $((rows / 5))" >/dev/null
as c owner "SELECT dpsens.protect('fifth'), dpsens.set_range('fifth', 'age', 20, 80), dpsens.set_range('fifth', 'weight', 50, 100), dpsens.set_range('fifth', 'height', 1.5, 2), dpsens.set_values('fifth', 'region', 'r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7')" >/dev/null
for shards in $few $many; do
	as c owner "CREATE TABLE in_$shards (id int PRIMARY KEY, kind int NOT NULL)" >/dev/null
	as c owner "SELECT create_distributed_table('in_$shards', 'id', colocate_with => 'none', shard_count => $shards)" >/dev/null
	as c owner "INSERT INTO in_$shards SELECT i, i FROM generate_series(1, 2000) i" >/dev/null
	as c owner "SELECT dpsens.protect('in_$shards'), dpsens.set_values('in_$shards', 'kind', VARIADIC (SELECT array_agg(i::text) FROM generate_series(1, $groups) i))" >/dev/null
done
for node in w1 w2; do on "$node" "VACUUM ANALYZE" >/dev/null; done

# name|query, each answered with its groups counted, since thousands of them are no matter of psql
sized="start_few|SELECT dp_count(true, 0.001) FROM in_$few
count_few|SELECT dp_count(true, 0.001) FROM in_$few
count_many|SELECT dp_count(true, 0.001) FROM in_$many
groups_few|SELECT count(*) FROM (SELECT kind, dp_count(true, 0.001) FROM in_$few GROUP BY kind) t
groups_many|SELECT count(*) FROM (SELECT kind, dp_count(true, 0.001) FROM in_$many GROUP BY kind) t
sum|SELECT dp_sum(age * weight / (height * height), 0.001) FROM persons
groups|SELECT region, dp_sum(age * weight / (height * height), 0.001) FROM persons GROUP BY region
count|SELECT dp_count(true, 0.001) FROM persons
units|SELECT dp_sum(cost, 0.001) FROM stays
fifth_sum|SELECT dp_sum(age * weight / (height * height), 0.001) FROM fifth
fifth_count|SELECT dp_count(true, 0.001) FROM fifth
fifth_groups|SELECT region, dp_sum(age * weight / (height * height), 0.001) FROM fifth GROUP BY region"
# What the servers of both workers have computed, processes that have ended included, in ticks.
spent_on_nodes()
{
	local postmaster pid
	for node in w1 w2; do
		postmaster=$(head -1 "$base/$node/postmaster.pid")
		sed 's/([^)]*)/-/' "/proc/$postmaster/stat" 2>/dev/null | awk '{ print $14 + $15 + $16 + $17 }'
		for pid in $(children "$postmaster"); do
			sed 's/([^)]*)/-/' "/proc/$pid/stat" 2>/dev/null | awk '{ print $14 + $15 }'
		done
	done | awk '{ n += $1 } END { print n }'
}

# Each shard is given a connection of its own, but for one to each worker that Citus keeps, as where shards are large: otherwise it
# opens another when those that there are have not been enough for 10 ms, so that small shards cost less than they will.  What a
# statement takes before all that, start, is measured with the kept ones alone.
# The shortest wall time of the turns, and the least time that the coordinator's session has computed in one, and what the
# nodes have in each: these, since others may use the machine, too.
on c "GRANT pg_read_server_files TO owner; GRANT EXECUTE ON FUNCTION pg_read_file(text) TO owner" >/dev/null
{
	printf '%s\n' "rows|$rows" "cores|$(nproc)" "few|$few" "many|$many" "declared|$groups"
	while IFS='|' read -r name query; do
		before=$(spent_on_nodes)
		told=$({
			case $name in
			start_few) echo "SET citus.max_adaptive_executor_pool_size = 1;" ;;
			*) echo "SET citus.force_max_query_parallelization = on;" ;;
			esac
			for ((i = 0; i < 2 * turns; i++)); do
				printf '%s\n' "SELECT 'spent ' || pg_read_file('/proc/self/schedstat');" '\timing on' "$query;" '\timing off' "SELECT 'spent ' || pg_read_file('/proc/self/schedstat');"
			done
		} | PGPORT=${port[c]} PGUSER=owner psql -XAtq 2>&1 | awk '/ERROR/ { print > "/dev/stderr" } /^Time:/ { if (wall == "" || $2 < wall) wall = $2 }
			/^spent/ { n++; if (n % 2) from = $2; else if (spent == "" || $2 - from < spent) spent = $2 - from } END { print wall "|" spent / 1000000 }')
		echo "$name|$told|$((($(spent_on_nodes) - before) * 1000 / $(getconf CLK_TCK) / (2 * turns)))"
	done <<<"$sized"
} >"$base/sized"
perl "$(dirname "${BASH_SOURCE[0]}")/citus_model.pl" --measured "$base/sized"

[ -z "$missed" ] || echo "missed: $missed"
[ -z "$missed" ] || exit 1
echo "all goals are met"
