#!/usr/bin/perl
# two_worlds.pl
#	What an analyst sees of two worlds of a cluster (observer.sh) that differ in one person: random statements
#	about tables that Citus has distributed, under random settings, each in a session of its own in both; then
#	all views of pg_catalog that the role may read, sizes and locks, from other sessions of the role on
#	the coordinator and on both workers; and what rooms have asked of workers, by their logs: how many
#	connections, and which statements.  Of answers the shape is compared; that they are close is test/differential's
#	and analysts.sh's.  Columns that are not compared are those of test/observer/excluded.
#
#	A clerk, who has neither a right nor a budget, looks with the same eyes and has to see the person, so that
#	they are eyes.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempfile);

my $count = $ENV{OBSERVER_STATEMENTS} // 60;
my $seed = $ENV{OBSERVER_SEED} || time % 1_000_000_000;
my $batch = 15;
my @worlds = qw(with_one without_one);
my (%port, %log, @nodes);
my ($tests, $failed) = ($ENV{FIRST_TESTS} // 0, 0);
my $folder = dirname(abs_path($0));

foreach my $node (split ' ', $ENV{NODES})
{
	my ($name, $port, $log) = split /:/, $node, 3;

	push @nodes, $name;
	$port{$name} = $port;
	$log{$name} = $log;
}
srand $seed;
$| = 1;

sub pick { return $_[ int rand @_ ]; }
sub chance { return rand() < $_[0]; }

sub verdict
{
	my ($what, $ok, @details) = @_;

	$tests++;
	$failed += !$ok;
	print $ok ? 'ok' : 'not ok', " $tests - $what\n";
	print map { "# $_\n" } map { split /\n/ } @details unless $ok;
}

# ---- asking ----

sub run
{
	my ($node, $world, $role, @lines) = @_;
	my ($file, $name) = tempfile(UNLINK => 1);

	print $file map { "$_\n" } @lines;
	close $file;
	local @ENV{qw(PGPORT PGUSER PGAPPNAME)} = ($port{$node}, $role, 'looks');
	local $ENV{PGOPTIONS} = '-c dpsens.epsilon=16 -c dpsens.delta=1e-12 -c dpsens.max_boxes=2000';
	my $said = `psql -XAtq -v VERBOSITY=verbose -v SHOW_CONTEXT=always -d $world -f $name 2>&1`;

	unlink $name;
	return $said =~ s/\Q$name\E/script/gr;
}

# ---- statements ----

sub condition
{
	my ($depth) = @_;

	return '(' . condition($depth - 1) . pick(' AND ', ' OR ') . condition($depth - 1) . ')' if $depth > 0 && chance(0.3);
	return 'NOT ' . condition($depth - 1) if $depth > 0 && chance(0.1);
	# what is not answered is refused alike
	return pick("name LIKE 'Zeb%'", '1 / small > 0', "name::int > 3", "seen::date = '2020-01-03'", "length(story) > 1000", "story ~ 'a{3}'", 'ln(pay) > 0', 'small * 32767::int2 > 0') if chance(0.15);
	return pick('id = 42', 'id = 7', 'id IN (1, 42, 99)', 'id BETWEEN 40 AND 50', "name = 'Zebedee'", "name > 'Z'", 'ward = 77', 'ward <> 77', 'age > 90', 'age < 21.5', 'pay = 0', 'pay IS NULL', 'story IS NOT NULL', 'member',
		'small = 0', "born < '1970-02-20'", "seen >= '2020-01-02 00:00+00'", "sex = 'F'", 'float8lt(age, 50)', 'CASE WHEN small = 0 THEN age > 3 ELSE member END', 'coalesce(pay, 0) > 50', 'id < 0', "story > 'z'");
}

sub aggregate { return pick('dp_count(true)', 'dp_count(*)', 'dp_sum(age)', 'dp_avg(pay)', 'dp_count(pay)', 'dp_sum(age * pay / 50)', 'dp_median(age)', 'dp_min(age)', 'dp_max(pay)', 'dp_var_pop(age)', 'dp_corr(age, pay)', 'dp_sum(small)', 'dp_mode(sex)', 'dp_sum(ln(pay))'); }

# Joins, EXISTS and IN, with reference tables and with tables that are distributed alike.
sub joined
{
	my $where = chance(0.6) ? ' AND ' . condition(1) : '';
	my $what = aggregate();
	my $of_visits = pick('dp_sum(cost)', 'dp_count(true)', 'dp_sum(cost), dp_sum(years)', 'dp_avg(cost)');
	my $far = pick('is_far', 'NOT is_far', "called < 'c'", 'w.ward = 77');
	my $join = pick('JOIN', 'LEFT JOIN');

	return pick("SELECT $what FROM people JOIN wards w USING (ward) WHERE $far", "SELECT called, dp_count(true) FROM people $join wards w USING (ward) WHERE true$where GROUP BY called", "SELECT dp_count(called), dp_sum(age) FROM people LEFT JOIN wards w ON w.ward = people.ward AND $far WHERE true$where",
		"SELECT $what FROM people WHERE EXISTS (SELECT FROM wards w WHERE w.ward = people.ward AND $far)$where", "SELECT sex, dp_count(true) FROM people WHERE ward " . pick('IN', 'NOT IN') . " (SELECT w.ward FROM wards w WHERE $far) GROUP BY sex", "SELECT $what FROM people JOIN habits USING (id) WHERE drinks",
		"SELECT dp_sum(age) FROM people WHERE NOT EXISTS (SELECT FROM habits h WHERE h.id = people.id AND drinks)$where", "SELECT drinks, dp_count(true) FROM people JOIN habits USING (id) WHERE ward = 77 GROUP BY drinks",
		"SELECT $of_visits FROM visits v JOIN patients p ON v.patient = p.id WHERE " . pick('years > 30', "town = 'x'", 'cost > 45', 'p.id = 42', 'v.patient < 50'), "SELECT town, dp_sum(cost) FROM visits v JOIN patients p ON v.patient = p.id GROUP BY town",
		# groups, optional tables and unions
		"SELECT " . pick('dp_sum(s)', 'dp_avg(n)', 'dp_median(s)', 'dp_count(true), dp_sum(n)') . " FROM (SELECT patient, sum(cost) AS s, count(*) AS n FROM visits" . pick('', ' WHERE cost > 45', ' WHERE patient = 42', ' WHERE cost / (patient - 42) > 0') . " GROUP BY patient" . pick('', ' HAVING count(*) > 2') . ") t",
		"SELECT kind, dp_sum(s) FROM (SELECT patient, kind, max(cost) AS s FROM visits GROUP BY 1, 2) t GROUP BY kind", "SELECT town, dp_sum(n) FROM (SELECT p.id, town, count(v.id) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.id, town) t GROUP BY town",
		"SELECT $what FROM people LEFT JOIN habits h ON h.id = people.id AND drinks WHERE " . pick('h.id IS NULL', 'drinks', 'age > 30'), "SELECT dp_sum(a), dp_count(true) FROM (SELECT age AS a FROM people WHERE age > 30 UNION ALL SELECT years FROM patients) u",
		"SELECT town, dp_count(true) FROM patients p WHERE " . pick('', 'NOT ') . 'EXISTS (SELECT FROM visits v WHERE v.patient = p.id AND ' . pick('cost > 45', "kind = 'a'", 'v.patient = 42') . ') GROUP BY town', "SELECT dp_count(true) FROM visits WHERE patient " . pick('IN', 'NOT IN') . ' (SELECT id FROM patients WHERE years < 50)',
		# what is not answered
		"SELECT $what FROM people JOIN wards w USING (ward) WHERE called LIKE '%d'", "SELECT dp_count(true) FROM people p, visits v WHERE p.id = v.id", "SELECT dp_count(true) FROM people LEFT JOIN habits h ON h.id = small", "SELECT dp_count(true) FROM visits v JOIN patients p ON p.id = v.id");
}

sub question
{
	return joined() if chance($ENV{OBSERVER_JOINS} // 0.25);
	my $where = chance(0.7) ? ' WHERE ' . condition(2) : '';
	my $filter = chance(0.2) ? ' FILTER (WHERE ' . condition(1) . ')' : '';
	my $what = aggregate() . $filter . (chance(0.3) ? ', ' . aggregate() : '');
	my $kind = rand;

	return 'SELECT ' . pick('dp_count(true)', 'dp_sum(cost)', 'dp_avg(cost), dp_count(*)') . ' FROM visits' . pick('', ' WHERE patient = 42', ' WHERE cost > 45', " WHERE kind = 'a'") . pick('', ' ') if $kind < 0.1;
	return "SELECT kind, dp_sum(cost) FROM visits GROUP BY kind" if $kind < 0.14;
	return "SELECT sex, $what FROM people$where GROUP BY sex" if $kind < 0.26;
	return "SELECT " . pick('member', 'ward', 'member, ward', 'name') . ", $what FROM people$where GROUP BY " . pick('member', 'ward', '1', '1, 2') if $kind < 0.38;
	return "SELECT sex, $what FROM people$where GROUP BY ROLLUP (sex)" if $kind < 0.42;
	return "SELECT sex FROM people$where GROUP BY sex HAVING dp_count(true) > 100 ORDER BY " . pick('1', 'dp_sum(age)') if $kind < 0.46;
	return "SELECT $what FROM (SELECT * FROM people$where) s WHERE " . condition(1) if $kind < 0.54;
	return "PREPARE q (float8) AS SELECT $what FROM people WHERE age < \$1; EXECUTE q (50); EXECUTE q (NULL)" if $kind < 0.58;
	return "DO \$\$ DECLARE n float8; BEGIN SELECT dp_count(true) INTO n FROM people$where; END \$\$" if $kind < 0.61;
	return pick("SELECT count(*) FROM people$where", "EXPLAIN SELECT $what FROM people$where", "EXPLAIN SELECT 1 FROM people$where", "SELECT sensitivity, epsilon, mechanism FROM dpsens.explain(\$q\$SELECT $what FROM people$where\$q\$)", "SELECT dp_count(true) FROM people, visits WHERE people.id = patient",
		"SELECT dp_count(true) FROM people WHERE EXISTS (SELECT FROM visits WHERE patient = id)", "SELECT dp_count(true, 200000) FROM people$where", 'TABLE citus_shards', "SELECT citus_table_size('people')", "COPY (SELECT $what FROM people$where) TO STDOUT") if $kind < 0.74;
	return "SELECT $what FROM people$where";
}

my @settings = ("DateStyle = 'SQL, DMY'", 'extra_float_digits = -10', "TimeZone = 'Asia/Tokyo'", "IntervalStyle = 'sql_standard'", "work_mem = '64kB'", 'enable_seqscan = off', 'max_parallel_workers_per_gather = 4', 'parallel_setup_cost = 0', 'min_parallel_table_scan_size = 0', 'force_parallel_mode = on', 'jit = on',
	'jit_above_cost = 0', 'track_activities = off', 'exit_on_error = off', 'client_min_messages = debug1', 'client_min_messages = log', 'plan_cache_mode = force_generic_plan', 'dpsens.enable_group_states = off', "dpsens.mechanism = 'gaussian'", 'dpsens.delta = 1e-9', "dpsens.weights = '3'", "dpsens.weights = '3, 1'",
	'citus.log_remote_commands = on', 'citus.log_local_commands = on', 'citus.explain_all_tasks = on', "citus.multi_task_query_log_level = 'notice'", 'citus.enable_local_execution = off', 'citus.max_adaptive_executor_pool_size = 1', 'citus.executor_slow_start_interval = 1000', 'citus.max_cached_conns_per_worker = 5',
	"citus.propagate_set_commands = 'local'", "citus.worker_min_messages = 'debug1'", "citus.task_assignment_policy = 'round-robin'", 'citus.enable_router_execution = off', "search_path = public, pg_temp", 'row_security = off', 'default_transaction_read_only = on', "default_transaction_isolation = 'repeatable read'");

sub random_case
{
	return { settings => [ map { pick(@settings) } 1 .. int rand 4 ], text => question(), transaction => chance(0.3), name => "statement $_[0]" };
}

# ---- what is seen ----

# Numbers of answers, places in the code and what is new each time are not compared.
sub normalised
{
	my ($text) = @_;

	foreach my $world (@worlds) { $text =~ s/\b$world\b/WORLD/g; }
	$text =~ s/\b(?:pid|PID|process) [0-9]+/process N/g;
	# tables of long cells have numbers for names, and sessions of Citus
	$text =~ s/\b(pg_toast_|gpid=)[0-9]+/$1N/g;
	$text =~ s/\bDEBUG:  .*(?:xid\/subid\/cid|StartTransaction|CommitTransaction).*\n(?:LOCATION.*\n)?//g;
	return $text;
}

# Rows remain, their numbers do not, nor values that were chosen by chance.
sub shape
{
	my ($said, $chooses, $may_be_null, $is_ordered) = @_;
	my @lines;

	$said =~ s/(^|\|)[FMX](?=\||$)/$1?/gm if $chooses;
	# which statistics of few rows are NULL is the noise's to say
	$said =~ s/(?:^|(?<=\|))(?=\||$)/0/gm if $may_be_null;
	@lines = map { /^(?:psql:|ERROR|FATAL|WARNING|NOTICE|INFO|LOG|DEBUG|DETAIL|HINT|CONTEXT|LOCATION|LINE|\s)/ ? $_ : s/-?(?:\b[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?\b|Infinity|NaN)/#/gr } split /\n/, normalised($said);
	# and in which order they come, where that goes by an answer
	return join "\n", $is_ordered ? sort @lines : @lines;
}

my $locks = "SELECT locktype, relation::regclass, mode, granted FROM pg_locks WHERE pid IN (SELECT a.pid FROM pg_stat_get_activity(NULL) a WHERE a.usesysid::regrole::text IN ('analyst', 'owner')) AND pid <> pg_backend_pid() AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND locktype NOT IN ('virtualxid', 'transactionid') ORDER BY 1, 2, 3, 4";

sub ask
{
	my ($case, $world) = @_;
	my @lines = map { "SET $_;" } @{ $case->{settings} };
	push @lines, 'BEGIN;' if $case->{transaction};
	push @lines, "$case->{text};", '\echo :SQLSTATE :ROW_COUNT';
	# within the transaction, seen by sessions of the role on each node
	push @lines, (map { "\\! env PGPORT=$port{$_} PGUSER=analyst psql -XAtq -d $world -c \"$locks\"" } @nodes), 'COMMIT;' if $case->{transaction};
	push @lines, "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name !~ '^(application_name|client_encoding)' ORDER BY 1;";
	return run('c', $world, 'analyst', @lines);
}

sub excluded
{
	my @excluded;

	open my $file, '<', "$folder/../observer/excluded" or die "excluded: $!\n";
	while (my $line = <$file>)
	{
		next if $line =~ /^\s*(#|$)/ || $line =~ /^elsewhere: /;
		my ($what) = split / \| /, $line =~ s/^beside: //r, 2;
		push @excluded, qr/^(?:$what)$/;
	}
	return @excluded;
}

# Of each view that the role may read, and of sizes, a query.
my %looks;

sub know_looks
{
	# how many connections of Citus and rooms have not ended yet is told by time
	my @excluded = (excluded(), qr/^pg_stat_database\.numbackends$/);
	my (%columns, %has);
	my $said = run('c', 'with_one', 'postgres', "SELECT relname, attname, atttypid = ANY ('{oid, xid, xid8, pg_lsn}'::regtype[]) FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid "
		. "WHERE relkind = 'v' AND attnum > 0 AND relnamespace = 'pg_catalog'::regnamespace AND relname ~ '^pg_' AND has_table_privilege('analyst', c.oid, 'SELECT') ORDER BY 1, attnum;");

	foreach my $line (split /\n/, $said)
	{
		my ($view, $column, $is_number) = split /\|/, $line;

		$has{$view}{$column} = 1;
		push @{ $columns{$view} }, $column unless $is_number eq 't' || grep { "$view.$column" =~ $_ } @excluded;
	}
	foreach my $view (keys %columns)
	{
		my @conditions = map { $has{$view}{$_} ? "($_ IS NULL OR $_ = current_database())" : () } 'datname';

		# not those of Citus's and the harness's own processes
		push @conditions, "usename IN ('analyst', 'owner')" if $has{$view}{usename};
		push @conditions, "database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid IN (SELECT a.pid FROM pg_stat_get_activity(NULL) a WHERE a.usesysid::regrole::text IN ('analyst', 'owner'))" if $view eq 'pg_locks';
		push @conditions, 'pid IS DISTINCT FROM pg_backend_pid()' if $has{$view}{pid};
		push @conditions, "schemaname <> 'pg_catalog'" if $has{$view}{schemaname};
		$looks{$view} = 'SELECT row_to_json(v) FROM (SELECT ' . join(', ', @{ $columns{$view} }) . " FROM $view" . (@conditions ? ' WHERE ' . join(' AND ', @conditions) : '') . ') v ORDER BY row_to_json(v)::text;';
	}
	$looks{'sizes of relations'} = "SELECT oid::regclass, pg_relation_size(oid), pg_total_relation_size(oid), relpages, reltuples, relallvisible FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i', 't') ORDER BY oid::regclass::text;";
	$looks{'size of the database'} = "SELECT pg_database_size(current_database()), age(datfrozenxid), mxid_age(datminmxid) FROM pg_database WHERE datname = current_database();";
	$looks{'statistics'} = "SELECT s.starelid::regclass FROM pg_statistic s ORDER BY 1;";
	$looks{"shards' files"} = "SELECT count(*) FROM pg_ls_dir('base');";
	$looks{budget} = 'SELECT * FROM dpsens.my_budget ORDER BY relation;';
}

# All of it, of a node.
sub look
{
	my ($node, $world, $role) = @_;
	my @names = sort keys %looks;
	my $said = run($node, $world, $role, 'SET citus.override_table_visibility = off;', 'SET client_min_messages = warning;', map { ("\\echo @@@ $_", $looks{$_}) } @names);
	my (undef, @parts) = split /^@@@ (.*)\n/m, $said, -1;
	my %seen;

	while (my ($name, $text) = splice @parts, 0, 2)
	{
		$seen{"$node: $name"} = join '', sort map { "$_\n" } split /\n/, normalised($text);
	}
	return \%seen;
}

# The owner's sessions of the world on nodes have ended.
sub wait_for_rooms
{
	my ($world) = @_;

	foreach my $node (@nodes)
	{
		foreach my $try (1 .. 400)
		{
			last if run($node, 'postgres', 'postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'owner' AND datname = '$world';") =~ /^t/;
			select undef, undef, undef, 0.02;
		}
	}
}

sub unique { my %all = map { $_ => 1 } @_; return sort keys %all; }

# What nodes were asked by rooms of the world, since this place of their logs.
my %at;

sub asked_of_nodes
{
	my ($world) = @_;
	my $asked = '';

	foreach my $node (grep { $_ ne 'c' } @nodes)
	{
		open my $file, '<', $log{$node} or die "$log{$node}: $!\n";
		seek $file, $at{$node} // 0, 0;
		my @lines = grep { /^$world owner\| / && !/disconnection/ } <$file>;
		$at{$node} = tell $file;
		close $file;
		# how many of them there are; which of them takes which shard, and so begins a transaction, is told by time
		$asked .= join '', "$node: ", scalar(grep { /connection authorized/ } @lines), ' connections, ', scalar(grep { /sum\(/ } @lines), " sums\n", unique(map { s/'dpsens1:[^']*'/'SUMS'/gr =~ s/gpid=[0-9]+|assign_distributed_transaction_id\(.*?\)|port=[0-9]+//gr =~ s/'20[0-9-]+ [0-9:.+-]+'::timestamp/'NOW'::timestamp/gr } @lines);
	}
	return normalised($asked);
}

# ---- comparing ----

sub differences
{
	my ($one, $other) = @_;
	my %all = (%$one, %$other);

	return map { "$_:\n" . first_difference($one->{$_} // 'not there', $other->{$_} // 'not there') } grep { ($one->{$_} // '') ne ($other->{$_} // '') } sort keys %all;
}

sub first_difference
{
	my ($one, $other) = @_;
	my @one = split /\n/, $one;
	my @other = split /\n/, $other;

	foreach my $line (0 .. ($#one > $#other ? $#one : $#other))
	{
		my ($a, $b) = ($one[$line] // '(nothing)', $other[$line] // '(nothing)');

		return '  with:    ' . substr($a, 0, 300) . "\n  without: " . substr($b, 0, 300) if $a ne $b;
	}
	return '';
}

my ($answered, $refused) = (0, 0);

# One case in one world; connections are compared statement by statement.
sub observe
{
	my ($case, $world) = @_;

	asked_of_nodes($world);
	my $said = ask($case, $world);

	wait_for_rooms($world);
	print map { "# $_\n" } "$case->{name}: " . join('; ', @{ $case->{settings} }, $case->{text}), split /\n/, $said if $ENV{OBSERVER_VERBOSE} && $world eq 'with_one';
	if ($world eq 'with_one')
	{
		if ($said =~ /^00000 /m && $said !~ /^psql:.*ERROR/m) { $answered++; } else { $refused++; }
	}
	return { messages => shape($said, map { scalar($case->{text} =~ $_) } qr/dp_mode/, qr/dp_(?:avg|corr|covar|var|stddev|regr)/, qr/ORDER BY dp_/), 'what nodes are asked' => asked_of_nodes($world) };
}

# Chance is ruled out by asking again.
sub differs
{
	my ($case) = @_;
	my @differences;

	foreach my $try (1 .. 5)
	{
		@differences = differences(map { observe($case, $_) } @worlds);
		return () unless @differences;
	}
	return @differences;
}

sub look_from_all
{
	my ($world, $role) = @_;

	return { map { %{ look($_, $world, $role) } } @nodes };
}

print "# seed $seed, $count statements\n";
know_looks();
verdict('there are views to look at', keys(%looks) > 40, scalar keys %looks);

# what the worlds' making has counted
foreach my $world (@worlds) { run($_, $world, 'postgres', 'SELECT pg_stat_reset();') foreach @nodes; }

my (@bad, @seen);
foreach my $number (1 .. $count)
{
	my $case = random_case($number);
	my @differences = differs($case);

	push @bad, join "\n", map({ "SET $_;" } @{ $case->{settings} }), $case->{text}, @differences if @differences;
	next if $number % $batch && $number != $count;
	foreach my $try (1 .. 3)
	{
		@differences = differences(map { look_from_all($_, 'analyst') } @worlds);
		last unless @differences;
		select undef, undef, undef, 1;
	}
	push @seen, "after statement $number", @differences if @differences;
}
verdict('an analyst is told the same in both worlds, and nodes are asked the same', !@bad, @bad, "OBSERVER_SEED=$seed OBSERVER_STATEMENTS=$count");
verdict('she sees the same, on the coordinator and on nodes', !@seen, @seen, "OBSERVER_SEED=$seed");
verdict("statements are answered ($answered) and refused ($refused)", $answered > $count / 4 && $refused > 0);
my @open = differences(map { look_from_all($_, 'clerk') } @worlds);
verdict('the same looks show the person to a role without a budget', grep({ /^w[12]: (?:pg_stat|sizes)/ } @open) > 1, @open);
print "1..$tests\n";
exit($failed > 0);
