#!/usr/bin/perl
# observe.pl
#	Two neighbouring worlds (world.sql), and in each a role that may ask but not
#	look.  It asks the same in both; then everything that it can see is compared:
#	the shape of results, messages and SQLSTATEs, locks, what EXPLAIN says of its
#	own tables and functions (buffers, WAL), which pages of its own were read,
#	plans of following statements, counters, the session's state, what its other
#	sessions see in this database and in another one, while the statement's transaction
#	lasts and after it, and how far answers are apart.
#
#	Not compared: what normalised() replaces (numbers of processes, places in a
#	catalog, time and the log's writer), the values of answers beyond what shape() and
#	far_apart() say, and what the file "excluded" lists with reasons.
#
#	Statements are made at random, under random settings.  What differs is tried
#	again until chance is ruled out (CONFIRM), made smaller, and printed.
#
# OBSERVER_STATEMENTS and OBSERVER_SEED say how many and which; OBSERVER_CASE runs
# directed ones alone, by their names (regular expression), "random" none of them;
# psql's environment variables say where.  The file "known"
# lists what is known to differ.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IPC::Open2;

# A difference is one if it shows each time.  What comes by chance, four times in five at
# the most, is taken for one with probability 0.8^66 < 1e-6: a noised answer that is one
# of five labels leaves the one that was shown in the catalog caches.
use constant CONFIRM => 66;

my $count = $ENV{OBSERVER_STATEMENTS} // 150;
my $seed = $ENV{OBSERVER_SEED} || time % 1_000_000_000;
my $only = $ENV{OBSERVER_CASE};
my $talks = $ENV{OBSERVER_VERBOSE};
my $folder = dirname(abs_path($0));
our %world = (with => 'dpsens_observer_a', without => 'dpsens_observer_b');
my $outside = 'dpsens_observer_c';
# The role logs in, so that its other sessions see what only its own may.
my $password = $ENV{PGPASSWORD} // 'observer';
my $tests = 0;
my $failed = 0;
srand $seed;
$| = 1;

sub pick { return $_[ int rand @_ ]; }
sub chance { return rand() < $_[0]; }

# ---- psql, held open ----

my %sessions;

sub start
{
	my ($name, $database) = @_;
	my ($from, $to);
	local $ENV{PGAPPNAME} = $name;
	# what modules print to an administrator is taken for none of the values that are asked for
	local @ENV{qw(PGUSER PGPASSWORD)} = ('dpsens_observer_ana', $password) unless $name =~ /^super/;
	local $ENV{PGOPTIONS} = join ' ', $ENV{PGOPTIONS} // (), $name =~ /^super/ ? '-c client_min_messages=error' : ();
	my $pid = open2($from, $to, "psql -XAtq -d $database 2>&1");

	$to->autoflush(1);
	$sessions{$name} = { from => $from, to => $to, pid => $pid, database => $database };
	return $sessions{$name};
}

sub stop
{
	my ($name) = @_;
	my $session = delete $sessions{$name} or return;

	close $session->{to};
	close $session->{from};
	waitpid $session->{pid}, 0;
}

# What psql says until it has read the script, and whether it lived to do so.
sub send_script
{
	my ($session, $script) = @_;

	local $SIG{PIPE} = 'IGNORE';
	print { $session->{to} } "$script\n\\echo @@@ end of script\n";
}

sub read_answer
{
	my ($session) = @_;
	my $said = '';
	my $from = $session->{from};

	while (my $line = <$from>)
	{
		return ($said, 1) if $line eq "@@@ end of script\n";
		$said .= $line;
	}
	return ($said, 0);
}

sub run
{
	my ($name, $database, $script) = @_;
	my $session = $sessions{$name} || start($name, $database);
	my ($said, $alive);

	send_script($session, $script);
	($said, $alive) = read_answer($session);
	stop($name) unless $alive;
	return ($said, $alive);
}

sub super
{
	my ($database, @statements) = @_;
	my ($said, $alive) = run("super $database", $database, join("\n", '\set ON_ERROR_STOP 1', @statements));

	die "$database: $said\n" if !$alive || $said =~ /ERROR|FATAL/;
	chomp $said;
	return $said;
}

# ---- the worlds ----

sub drop_worlds
{
	my $drop = join "\n", map { "DROP DATABASE IF EXISTS $_ WITH (FORCE);" } values %world, $outside;

	super('postgres', $drop, "SELECT 'DROP OWNED BY ' || rolname FROM pg_roles WHERE rolname LIKE 'dpsens\\_observer\\_%' \\gexec", "SELECT 'DROP ROLE ' || rolname FROM pg_roles WHERE rolname LIKE 'dpsens\\_observer\\_%' \\gexec");
}

sub make_worlds
{
	drop_worlds();
	super('postgres', "CREATE ROLE dpsens_observer_ana LOGIN PASSWORD '$password';", "CREATE DATABASE $world{with};", "CREATE DATABASE $outside;");
	system("psql -XAtq -d $world{with} -f $folder/world.sql >/dev/null") == 0 or die "world.sql failed\n";
	# track_functions and its like, and plans by auto_explain, are the administrator's to give
	super('postgres', "SELECT format('GRANT SET ON PARAMETER %s TO dpsens_observer_ana', name) FROM pg_settings, current_setting('server_version_num') v "
		. "WHERE v::int >= 150000 AND (name IN ('track_functions', 'track_io_timing') OR name LIKE 'auto\\_explain.%') \\gexec");
	super($outside, "SELECT 'CREATE EXTENSION pg_stat_statements' FROM pg_settings WHERE name = 'shared_preload_libraries' AND setting ~ 'pg_stat_statements' \\gexec");
	super('postgres', "CREATE DATABASE $world{without} TEMPLATE $world{with};");
	super($world{without}, 'DELETE FROM clinic.people WHERE id = 42;', 'DELETE FROM clinic.rare;', 'DELETE FROM clinic.trail WHERE id = 42;', 'DELETE FROM clinic.shades WHERE id = 42;');
	foreach my $database (sort values %world)
	{
		super($database, "ALTER DATABASE $database SET search_path = lab, clinic, public;",
			"SELECT dpsens.grant_budget(r, 'dpsens_observer_ana', epsilon => 1048576, delta => 0.5, own_tables => true) FROM unnest('{clinic.people, clinic.visits, clinic.rare, clinic.trail, clinic.shades}'::regclass[]) r;",
			# a table like any other that is read often: nothing of it is to be tidied up
			'VACUUM (FREEZE, ANALYZE) clinic.people, clinic.visits, clinic.rare, clinic.trail, clinic.shades;',
			# dead entries of catalogs are not the same in a copy
			'VACUUM;');
	}
}

# ---- what can be seen ----

# A number of its own for each observation, so that what fails in the middle takes
# none with it.
my @probes;

sub probe { push @probes, [@_]; }

# Inside of the transaction, where there is one
probe(locks => "SELECT locktype, relation::regclass, mode, granted, fastpath FROM pg_locks WHERE pid = pg_backend_pid() AND locktype <> 'virtualxid' ORDER BY 1, 2, 3");
probe('counters of the transaction' => "SELECT relid::regclass, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch, n_tup_ins FROM pg_stat_xact_all_tables WHERE schemaname IN ('lab', 'clinic', 'pg_toast') AND relid > 16383 ORDER BY 1");
probe(end => undef);
# what is counted is sent now and then
probe(flush => 'SELECT pg_stat_force_next_flush()');
probe('calls of functions' => "SELECT funcid::regprocedure, pg_stat_get_xact_function_calls(funcid) AS now, calls FROM (SELECT oid AS funcid FROM pg_proc WHERE oid > 16383 AND prolang <> 12 AND proname ~ 'exact|ask|touch|pages') p LEFT JOIN pg_stat_user_functions u USING (funcid) WHERE pg_stat_get_xact_function_calls(funcid) > 0 OR calls > 0 ORDER BY 1");
# the cheapest first: each leaves traces of its own, the same in both worlds
probe("pages of $_" => "SELECT pages('$_')") foreach qw(wards words);
probe("catalogues: $_" => "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT touch(\$\$$_\$\$)")
	foreach (map { "SELECT '$_'::lab.mood::text" } qw(sad calm happy)), 'SELECT FROM pg_toast.pg_toast_@', 'SELECT FROM clinic.people', 'SELECT FROM clinic.visits', 'SELECT FROM lab.wards', "SELECT lower('A' COLLATE \"C\")",
	"SELECT 'a' ~ 'b'", "SELECT to_char(now(), 'TMMonth')", "SELECT 1::money", "SELECT '{1}'::int[] @> '{1}'";
probe("reading $_" => "EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT * FROM $_") foreach qw(wards words moods stay);
probe("looking up $_->[0]" => "EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT * FROM $_->[0] WHERE $_->[1]")
	foreach [ wards => 'id = 7' ], [ words => "word = 'Zebedee'" ], [ moods => "mood = 'calm'" ], [ wards => 'id = 3' ], [ words => "word = '5'" ], [ stay => 'id = 7' ];
probe("plan: $_" => "EXPLAIN (BUFFERS) $_")
	foreach 'SELECT * FROM wards JOIN words ON rank = id', 'SELECT * FROM moods JOIN stay ON true WHERE city = $$city 1$$', 'SELECT * FROM wards WHERE id IN (SELECT rank FROM words)';
probe(settings => "SELECT name, setting, source FROM pg_settings WHERE name NOT IN ('application_name') ORDER BY 1");
probe('prepared statements' => 'SELECT name, generic_plans, custom_plans FROM pg_prepared_statements ORDER BY 1');
probe(cursors => 'SELECT name, is_holdable FROM pg_cursors ORDER BY 1');
probe('memory contexts' => "SELECT name, level, total_bytes, used_bytes FROM pg_backend_memory_contexts");
probe(activity => "SELECT state, wait_event, backend_xmin IS NULL, query_id FROM pg_stat_activity WHERE pid = pg_backend_pid()");
probe('counters of tables' => 'SELECT relname, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch, n_tup_ins, n_tup_upd, n_live_tup, n_dead_tup FROM pg_stat_user_tables ORDER BY 1');
probe('blocks of tables' => 'SELECT * FROM pg_statio_user_tables ORDER BY 1');
probe('log, and the database' => 'SELECT tup_returned, tup_fetched, blks_read, blks_hit, temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()');
probe(wal => 'SELECT wal_records, wal_fpi, wal_bytes FROM pg_stat_wal');
probe('wal position' => 'SELECT pg_current_wal_insert_lsn()');
probe('sizes of tables' => "SELECT relname, relpages, reltuples, relallvisible, pg_relation_size(oid) FROM pg_class WHERE relnamespace IN ('lab'::regnamespace, 'clinic'::regnamespace) ORDER BY oid");
probe('budget' => 'SELECT * FROM dpsens.my_budget');
probe('snapshot' => 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint - pg_snapshot_xmin(pg_current_snapshot())::text::bigint');
probe('temporary files, locale, notices' => 'SELECT pg_notification_queue_usage(), pg_listening_channels(), pg_my_temp_schema() = 0');

# From a database without the extension: what the statement has added.
my $counters = "SELECT 'database', temp_files, temp_bytes, conflicts, pg_database_size(datid) FROM pg_stat_database WHERE datname = '%s'";
my $statements = "SELECT left(query, 300), calls, rows, shared_blks_hit + shared_blks_read, shared_blks_dirtied, local_blks_hit, temp_blks_read, temp_blks_written, wal_records, wal_fpi, wal_bytes"
	. " FROM pg_stat_statements s JOIN pg_database d ON d.oid = dbid WHERE datname = '%s' AND query ~ 'dp_|EXECUTE|ask' ORDER BY 1, 2";

# ---- one case in one world ----

my $watches_statements;
my $shows_plans;
my %oid;
my $toast;

sub question_of
{
	my ($case, $database) = @_;
	my $in = $case->{transaction};
	my @lines = ("\\connect $database", '\set VERBOSITY verbose', '\set SHOW_CONTEXT always', 'SET synchronous_commit = off;',
		'CALL lab.fill();', "SET dpsens.epsilon = 16; SET dpsens.max_boxes = 2000;", 'SET track_functions = none; SET jit = off;');

	push @lines, map { "$_;" } @{ $case->{settings} };
	push @lines, 'BEGIN;' if $in;
	(my $text = $case->{text}) =~ s/pg_toast_\@/pg_toast_$toast/g;
	push @lines, '\echo @@@ messages', "$text;", '\echo @@@ outcome', '\echo :SQLSTATE :ROW_COUNT', '\echo @@@ ready';
	return join "\n", @lines;
}

# What is asked then, in the same transaction, where there is one, and after it.
sub looks_of
{
	my ($case) = @_;
	my @lines;

	foreach my $probe (@probes)
	{
		my ($name, $query) = @$probe;

		if ($name eq 'end')
		{
			push @lines, 'COMMIT;' if $case->{transaction};
			# as they were, for what follows
			push @lines, 'SET client_min_messages = notice; SET exit_on_error = off;';
			push @lines, 'SET auto_explain.log_level = notice;' if $shows_plans;
			next;
		}
		next if $case->{order} && $name =~ /^pages/;
		$query =~ s/pg_toast_\@/pg_toast_$toast/;
		push @lines, "\\echo @@@ $name", "$query;";
	}
	push @lines, "\\connect $outside";
	return join "\n", @lines;
}

sub normalised
{
	my ($name, $text, $database) = @_;

	$text =~ s/\b$database\b/WORLD/g;
	$text =~ s/\b$oid{$database}\b/WORLD/g;
	$text =~ s/\bDEBUG:  .*?(xid\/subid\/cid|StartTransaction|CommitTransaction|starting|oldest|snapshot of|forked|reaping|server process|shmem_exit|proc_exit|exit\().*\n(LOCATION.*\n)?//g;
	$text =~ s/(pid|PID|process) [0-9]+/$1 N/g;
	# where it stands in a catalog, and what identifies it, are not the same twice
	$text =~ s/(tuple [0-9]+\/|for enum: )[0-9]+/$1N/g;
	$text =~ s/(dpsens ledger|worker process).*//g if $name eq 'messages';
	# whether a session that has answered waits for its client already
	$text =~ s/"wait_event_type":(?:null,"wait_event":null|"Client","wait_event":"ClientRead")/"wait_event":"none"/g;
	# how long, how much memory of the machine
	$text =~ s/\b[0-9.]+ ms\b/N ms/g;
	$text =~ s/\bactual time=[0-9.]+/actual time=N/g;
	return $text;
}

# What is noise in answers: their shape remains, and their values are kept apart.
sub shape
{
	my ($seen, $case) = @_;
	my $rows = $seen->{messages} // '';
	my @values;

	my @lines = grep { $_ ne '' } split /\n/, $rows;
	my @said;
	foreach my $line (@lines)
	{
		if ($line =~ /^(psql:|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|LOG|DEBUG|DETAIL|HINT|LOCATION|CONTEXT|LINE|QUERY|STATEMENT|SQL function|PL\/pgSQL|connection|server closed|\tThis|\tbefore|The connection|\s*\^)/)
		{
			push @said, $line;
			next;
		}
		$line =~ s/(?<![A-Za-z0-9_.])-?(?:[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?|Infinity|NaN)(?![A-Za-z0-9_])/push @values, $&; '#'/ge;
		$line =~ s/\b[tf]\b/?/g if $case->{guesses};
		push @said, $line;
	}
	$seen->{messages} = join "\n", sort @said;
	return \@values;
}

sub observe
{
	my ($case, $side) = @_;
	my $database = $world{$side};
	my (%seen, %others, @before, $values);

	super($database, 'SELECT pg_stat_reset() \g /dev/null');
	@before = split /\n/, super_outside($database);
	if ($case->{directed})
	{
		$case->{directed}->($case, $database, \%seen);
		$seen{$_} = normalised($_, $seen{$_} // '', $database) foreach keys %seen;
		$values = shape(\%seen, $case);
	}
	else
	{
		my ($said, $alive) = run('main', $outside, question_of($case, $database));
		my $more = '';

		look_from_others($database, 'meanwhile', \%others);
		($more, $alive) = run('main', $outside, looks_of($case)) if $alive;
		$said .= $more;
		my @parts = split /^@@@ (.*)\n/m, $said, -1;

		shift @parts;
		%seen = @parts;
		$seen{$_} = normalised($_, $seen{$_}, $database) foreach keys %seen;
		$values = shape(\%seen, $case);
		$seen{session} = $alive ? 'lives' : 'is gone';
	}
	wait_for_end($database);
	look_from_others($database, 'afterwards', \%others);
	$seen{$_} = normalised($_, $others{$_}, $database) foreach keys %others;
	my @after = split /\n/, super_outside($database);
	my %before = map { (split /\|/, $_, 2) } @before;

	foreach my $line (@after)
	{
		my ($what, $numbers) = split /\|/, $line, 2;
		my @old = defined $before{$what} ? split(/\|/, $before{$what}) : ();
		my @new = split /\|/, $numbers;

		$seen{"from outside: $what"} = join '|', map { no warnings; $new[$_] - $old[$_] } 0 .. $#new if $line ne ($what . '|' . ($before{$what} // ''));
	}
	$seen{values} = $values;
	return \%seen;
}

# ---- the role's other sessions ----

# Of each view the columns that are compared, by where the session looks.
my %views;

# Those that tell of a transaction that lasts.
my $of_now = qr/^pg_(locks|stat_activity|stat_progress_|prepared_xacts|stat_ssl|stat_gssapi|stat_replication|replication_)/;

# Those of the harness's other sessions are left out, by the database that they are in,
# and the session that looks; what ANALYZE keeps of catalogs has the names of databases.
my %rows = (
	datname => "(datname IS NULL OR datname = '%s')",
	database => "(database IS NULL OR database IN (0, (SELECT oid FROM pg_database WHERE datname = '%s')))",
	pid => 'pid IS DISTINCT FROM pg_backend_pid()',
	tablename => "schemaname <> 'pg_catalog'",
);

# What is no view: sizes, what transactions there are, and what is left of the budget.
my %sizes = (
	'transactions that run' => "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint - pg_snapshot_xmin(pg_current_snapshot())::text::bigint",
	'age of the database' => "SELECT datfrozenxid, datminmxid FROM pg_database WHERE datname = '%s'",
	'sizes of relations' => "SELECT oid::regclass, pg_total_relation_size(oid), relpages, reltuples, relallvisible FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('clinic', 'lab')) AND relkind IN ('r', 'i') ORDER BY oid",
	notifications => 'SELECT pg_notification_queue_usage()',
	budget => "SELECT * FROM dpsens.my_budget ORDER BY 1"
);

sub read_excluded
{
	my @excluded;

	open my $file, '<', "$folder/excluded" or die "excluded: $!\n";
	while (my $line = <$file>)
	{
		next if $line =~ /^\s*(#|$)/;
		my ($what) = split / \| /, $line, 2;
		push @excluded, qr/^(?:$what)$/;
	}
	return @excluded;
}

sub read_views
{
	my @excluded = read_excluded();
	my $said = super($outside, "SELECT c.oid::regclass, relname, attname FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid WHERE relkind = 'v' AND attnum > 0 AND relname ~ '^pg_' "
		. "AND has_table_privilege('dpsens_observer_ana', c.oid, 'SELECT') ORDER BY relname, attnum;");

	foreach my $line (split /\n/, $said)
	{
		my ($view, $name, $column) = split /\|/, $line;

		$views{$view}{all}{$column} = 1;
		foreach my $place (qw(beside elsewhere))
		{
			push @{ $views{$view}{$place} }, $column unless grep { "$name.$column" =~ $_ || "$place: $name.$column" =~ $_ } @excluded;
		}
	}
	delete @views{ grep { !$views{$_}{beside} && !$views{$_}{elsewhere} } keys %views };
}

sub query_of_view
{
	my ($view, $database, $place) = @_;
	my @conditions = map { $rows{$_} =~ s/%s/$database/r } grep { $views{$view}{all}{$_} } sort keys %rows;

	return 'SELECT row_to_json(v) FROM (SELECT ' . join(', ', @{ $views{$view}{$place} }) . " FROM $view" . (@conditions ? ' WHERE ' . join(' AND ', @conditions) : '') . ') v ORDER BY row_to_json(v)::text;';
}

sub look_from_others
{
	my ($database, $when, $seen) = @_;
	my @views = grep { $when eq 'afterwards' || $_ =~ $of_now } sort keys %views;
	my @sizes = map { ("\\echo @@@ $_", $sizes{$_} =~ s/%s/$database/r . ';') } $when eq 'afterwards' ? sort keys %sizes : ();

	foreach my $from ([ "beside $database", $database, 'beside' ], [ 'elsewhere', $outside, 'elsewhere' ])
	{
		my @lines = map { ("\\echo @@@ $_", query_of_view($_, $database, $from->[2])) } grep { $views{$_}{ $from->[2] } } @views;
		my ($said) = run(@$from[0, 1], join "\n", @lines, @sizes);
		my (undef, %said) = split /^@@@ (.*)\n/m, $said, -1;

		$seen->{"$from->[2], $when: $_"} = $said{$_} foreach keys %said;
	}
}

sub super_outside
{
	my ($database) = @_;
	my @queries = (sprintf($counters, $database) . ';');

	push @queries, sprintf($statements, $database) . ';' if $watches_statements;
	my ($said) = run('outside', $outside, join("\n", @queries));
	# one statement a line, whatever it looks like
	my @lines;
	foreach my $line (split /\n/, $said)
	{
		if ($line =~ /\|/) { push @lines, $line; }
	}
	my %sum;
	foreach my $line (@lines)
	{
		my ($what, @numbers) = $line =~ /^(.*?)((?:\|[0-9]*)+)$/ ? ($1, split /\|/, substr($2, 1), -1) : next;
		my $sum = $sum{$what} //= [ (0) x @numbers ];

		$sum->[$_] += $numbers[$_] || 0 foreach 0 .. $#numbers;
	}
	return join "\n", map { join '|', $_, @{ $sum{$_} } } sort keys %sum;
}

# A session counts when it ends.
sub wait_for_end
{
	my ($database) = @_;

	foreach my $try (1 .. 200)
	{
		return if super('postgres', "SELECT count(*) FROM pg_stat_activity WHERE datname = '$database' AND backend_type IN ('client backend', 'parallel worker') AND application_name !~ '^(super|beside)';") eq '0';
		select undef, undef, undef, 0.003;
	}
}

# ---- comparing ----

# How far the answers may be apart: by the sensitivity, and what the noise adds.
sub tolerances
{
	my ($case) = @_;
	my ($said) = run('super ' . $world{with}, $world{with},
		"SET SESSION AUTHORIZATION dpsens_observer_ana; SET dpsens.epsilon = 16; SET dpsens.max_boxes = 2000;\nSELECT sensitivity, noise_scale, aggregate FROM dpsens.explain(\$explained\$$case->{text}\$explained\$);\nRESET SESSION AUTHORIZATION;");

	return [ map { /^([0-9.e+-]+)\|([0-9.e+-]+)\|(.*)$/ ? [ $1 + 0, $2 + 0, $3 ] : () } split /\n/, $said ];
}

sub far_apart
{
	my ($case, $one, $other) = @_;

	return undef unless $case->{single} && @$one && @$one == @$other;
	my $tolerances = $case->{tolerance} //= tolerances($case);

	# one for all rows, or one for each column
	return undef if grep { $_->[2] !~ /^dp_(count|sum)\(/ } @$tolerances;
	return undef unless @$tolerances && (@$tolerances == 1 || @$tolerances == @$one);
	foreach my $i (0 .. $#$one)
	{
		my ($sensitivity, $scale) = @{ $tolerances->[ $i % @$tolerances ] };
		my $apart = abs($one->[$i] - $other->[$i]);

		return sprintf('%g apart, %g allowed (%s and %s)', $apart, $sensitivity, "@$one", "@$other") if $apart > $sensitivity + 60 * $scale + 1e-6;
	}
	return undef;
}

# What is seen in one and not in the other, by name.
sub differences
{
	my ($case, $one, $other) = @_;
	my %differs;
	my %all = (%$one, %$other);

	delete $all{values};
	foreach my $name (keys %all)
	{
		$differs{$name} = 1 if ($one->{$name} // 'not there') ne ($other->{$name} // 'not there');
	}
	my $far = far_apart($case, $one->{values}, $other->{values});
	$differs{answer} = $far if defined $far;
	return \%differs;
}

# Which of the names differ each time, and are the same each time in one world.
sub confirmed
{
	my ($case, $names, $first, $times) = @_;
	my %left = %$names;

	foreach my $time (1 .. $times)
	{
		my ($one, $other) = (observe($case, 'with'), observe($case, 'without'));
		my $differs = differences($case, $one, $other);

		foreach my $name (keys %left)
		{
			my $same = $name eq 'answer' || (($one->{$name} // '') eq ($first->[0]{$name} // '') && ($other->{$name} // '') eq ($first->[1]{$name} // ''));

			delete $left{$name} unless $same && $differs->{$name};
		}
		last unless %left;
	}
	return \%left;
}

sub first_difference
{
	my ($one, $other) = @_;
	my @one = split /\n/, $one // 'not there';
	my @other = split /\n/, $other // 'not there';

	foreach my $line (0 .. ($#one > $#other ? $#one : $#other))
	{
		my ($a, $b) = ($one[$line] // '(nothing)', $other[$line] // '(nothing)');

		return ("with:    " . substr($a, 0, 300), "without: " . substr($b, 0, 300)) if $a ne $b;
	}
	return ();
}

# ---- statements ----

my %cells = (
	id => 'int4', age => 'float8', pay => 'numeric', name => 'text', note => 'text', feels => 'mood', born => 'date', seen => 'timestamptz', met => 'timestamp',
	ward => 'int4', member => 'bool', small => 'int2', code => 'varchar', story => 'text'
);

sub text_of
{
	my ($depth) = @_;
	my $column = pick(qw(name note code story name story feels::text born::text pay::text));

	return $column if $depth <= 0 || chance(0.3);
	my $inner = text_of($depth - 1);
	return grown($inner, pick(1 .. 4)) if chance(0.03);
	return pick("upper($inner)", "lower($inner)", "initcap($inner)", "replace($inner, 'e', 'eeeeeeee')", "replace($inner, 'Z', 'ZZ')", "replace($inner, ' ', '')", "substr($inner, 2, 3)", "$inner || 'x'", "left($inner, 5)",
		"reverse($inner)", "trim($inner)", "lpad($inner, 30)", "md5($inner)", "split_part($inner, 'e', 2)", "translate($inner, 'Zb', 'aa')", "concat($inner, small)", "rpad($inner, 3, '*')", "overlay($inner PLACING 'x' FROM 1)");
}

# What a few letters grow to is more than some functions take.
sub condition_of_length
{
	my $text = grown(pick('name', 'name', 'note', 'code'), pick(8, 9));

	return pick("upper($text) = 'x'", "lower($text) <> 'x'", "$text ILIKE 'x%'", "length($text || $text) > 5", "reverse($text) LIKE 'x%'", "initcap($text) IS NULL");
}

# By a type that the transaction has changed.
sub condition_of_type
{
	return pick(qw(name note code)) . '::lab.tint IS ' . pick('', 'NOT ') . 'NULL' if chance(0.5);
	return pick("name = 'Zebedee'", 'ward = 7', 'small = 0') . " AND CASE WHEN id > 0 THEN 'green'::lab.tint ELSE 'red' END " . pick('<', '>=', '=') . " 'red'";
}

sub condition
{
	my ($depth) = @_;
	my $kind = rand;

	return condition_of_length() if $kind > 0.985;
	return '(' . condition($depth - 1) . pick(' AND ', ' OR ') . condition($depth - 1) . ')' if $depth > 0 && $kind < 0.25;
	return 'NOT ' . condition($depth - 1) if $depth > 0 && $kind < 0.3;
	return text_of(3) . pick(' LIKE ', ' ILIKE ', ' NOT LIKE ') . pick("'Zeb%'", "'%e%d%'", "'%walrus%'", "'_'", "'%x'") if $kind < 0.42;
	return text_of(3) . pick(' ~ ', ' ~* ', ' !~ ') . pick("'^Z'", "'[0-9]+\$'", "'e{2,}'", "'b.*d'") if $kind < 0.5;
	return text_of(2) . pick('::lab.mood', '::int', '::numeric', '::date', '::float8', '::interval', '::bool', '::timestamptz', '::uuid') . ' IS ' . pick('', 'NOT ') . 'NULL' if $kind < 0.58;
	return 'feels ' . pick('=', '<', '>=', '<>') . " '" . pick(qw(sad calm happy)) . "'" if $kind < 0.64;
	return 'feels::text ' . pick('=', '<', 'LIKE') . " '" . pick('calm', 'sad', 'c%') . "'" if $kind < 0.68;
	return pick('1 / small', '1 / pay', '100 / (id - 42)', 'ln(pay)', 'sqrt(age)', 'age * 1e308', 'big_of(1)', 'small * 32767::int2', "pay ^ 3", 'exp(age * 9)', 'pay::int') =~ s/big_of\(1\)/ward * 2147483647/r . pick(' > 0', ' IS NULL', ' < 10') if $kind < 0.76;
	return pick('born', 'born + 1', "born + interval '1 year'", 'seen', "date_trunc('month', seen)", "seen AT TIME ZONE 'Europe/Berlin'", 'met', 'met::timestamptz', "met + interval '1 month'") . pick(' < ', ' >= ') . "'2020-03-29'" if $kind < 0.83;
	return 'extract(' . pick('year', 'dow', 'epoch', 'hour', 'julian') . ' FROM ' . pick('born', 'seen', 'met') . ') > ' . pick(3, 2000) if $kind < 0.86;
	return 'to_char(' . pick("seen, 'TMMonth YYYY'", "pay, '999.00'", "born, 'YYYY-MM-DD'", "met, 'HH12'") . ') ' . pick("= 'x'", "LIKE '%2%'", 'IS NULL') if $kind < 0.89;
	return 'length(' . text_of(2) . ') > ' . pick(3, 40, 1000) if $kind < 0.93;
	return pick('member', 'ward = 7', 'ward IN (1, 7)', 'id = 42', "name = 'Zebedee'", 'id BETWEEN 40 AND 50', "name IN ('Zebedee', '7')", 'code IS NULL', 'small = 0', "note = 'walrus'", 'pay > 20');
}

# A relation of the analyst's own, that each row of the protected one meets once at most.
sub joined
{
	my $kind = rand;
	my $way = pick('JOIN', 'JOIN', 'LEFT JOIN');

	return "$way lab.wards w ON w.id = p.ward" if $kind < 0.3;
	return "$way lab.words o ON o.word = " . pick('p.name', 'p.name', 'p.note', 'upper(p.name)', 'p.code', "replace(p.name, '%', '')") if $kind < 0.6;
	return "$way lab.moods m ON m.mood = p.feels" if $kind < 0.7;
	return "$way lab.stay s ON s.id = " . pick('p.ward', 'p.small') if $kind < 0.8;
	return "$way (VALUES (7, 'seven'), (1, 'one')) v (n, label) ON v.n = p.ward" if $kind < 0.87;
	return "$way (SELECT id, city FROM lab.wards WHERE factor > 2) w ON w.id = p.ward" if $kind < 0.94;
	return "$way lab.wards w ON w.id = p.ward $way lab.words o ON o.word = p.name";
}

sub asked_below
{
	my $kind = rand;
	my $not = pick('', 'NOT ');

	return "p.ward ${not}IN (SELECT id FROM lab.wards" . pick('', " WHERE city = 'city 1'", ' WHERE factor > 3') . ')' if $kind < 0.25;
	return "p.name ${not}IN (SELECT word FROM lab.words" . pick('', ' WHERE rank > 2') . ')' if $kind < 0.45;
	return "${not}EXISTS (SELECT FROM lab.wards w WHERE w.id = p.ward" . pick('', ' AND w.factor > p.small', " AND p.name LIKE '%e%'") . ')' if $kind < 0.65;
	return "${not}EXISTS (SELECT FROM lab.words o WHERE o.word = " . pick('p.name', 'lower(p.name)', 'p.note') . pick('', ' AND o.rank > 1') . ')' if $kind < 0.85;
	return "${not}EXISTS (SELECT FROM lab.wards w, lab.words o WHERE w.id = o.rank AND o.word = p.name)" if $kind < 0.93;
	return "${not}EXISTS (SELECT FROM clinic.visits v WHERE v.person = p.id AND v.cost > 5)";
}

my $serial = 0;

# Relations that are asked alone, with what is asked of them.
my %alone = (
	'lab.of_people p' => [ 'p.age', "loud LIKE 'ZEB%'", "feels = 'calm'", 'ward IN (SELECT id FROM lab.wards)', 'upper(loud) ILIKE $$%z%$$' ],
	'clinic.rare p' => [ 'p.age', "name = 'Zebedee'", 'name IN (SELECT word FROM lab.words)', 'id IN (SELECT rank FROM lab.words)', 'age > 3' ],
	'clinic.visits p' => [ 'cost', "item LIKE 'Z%'", 'item IN (SELECT word FROM lab.words)', 'cost > 8', 'EXISTS (SELECT FROM clinic.people q WHERE q.id = p.person AND q.age > 3)' ],
	'clinic.trail p' => [ '1', "note LIKE '%walrus%'", "note LIKE '%walrus%'", "note ILIKE '%wal%us'", "note ~ 'wal(rus|ly)'", 'id = 42' ],
	'clinic.shades p' => [ '1', "shade::text <> 'x'", "shade::text LIKE '%12%'", "shade > 'shade 7'", "shade = 'shade 42'" ],
);

# Parts, so that some can be left out again.
sub parts_alone
{
	my $from = pick(sort keys %alone);
	my ($number, @conditions) = @{ $alone{$from} };

	return { from => $from, number => $number, joins => [], keys => [], conditions => chance(0.75) ? [ pick(@conditions) ] : [] };
}

sub parts_of_people
{
	my %parts = (joins => [], conditions => [], keys => []);

	$parts{from} = chance(0.9) ? 'clinic.people p' : '(SELECT * FROM clinic.people' . (chance(0.5) ? ' WHERE ' . condition(1) : '') . ') p';
	push @{ $parts{joins} }, joined() if chance(0.45);
	push @{ $parts{conditions} }, condition(2) if chance(0.6);
	push @{ $parts{conditions} }, asked_below() if chance(0.3);
	push @{ $parts{keys} }, pick('p.member', 'p.feels', 'p.note') if chance(0.2);
	push @{ $parts{keys} }, 'w.city' if "@{ $parts{joins} }" =~ /lab\.wards w/ && chance(0.3);
	push @{ $parts{keys} }, 'p.ward' if chance(0.03);
	$parts{number} = pick('p.age', 'p.age', 'p.pay', 'p.small', "@{ $parts{joins} }" =~ /lab\.wards w/ ? 'w.factor * p.age' : 'p.age');
	return \%parts;
}

sub aggregate
{
	my ($parts) = @_;
	my $number = $parts->{number};
	my $condition = $parts->{from} =~ /clinic\.people/ ? condition(1) : 'true';

	return 'dp_count(*)' if chance(0.5) || $number eq '1';
	return pick("dp_sum($number)", "dp_sum($number)", "dp_avg($number)", "dp_median($number)", 'dp_count(DISTINCT p.feels)', "dp_sum(CASE WHEN $condition THEN 1 ELSE 0 END)",
		"dp_count(*) FILTER (WHERE $condition)", "dp_max($number)", "dp_variance($number)", 'dp_bool_or(member)', 'dp_mode(p.feels)', "dp_histogram($number, 4)");
}

# Questions that few others are like: while a type changes, with keys that nobody has
# declared, while somebody changes a table that is joined.
sub make_special
{
	my ($parts) = @_;
	my $kind = rand;

	return if $kind > 0.14 || $parts->{from} !~ /^clinic\.people/;
	if ($kind < 0.04)
	{
		push @{ $parts->{conditions} }, condition_of_type();
		$parts->{wrap} = pick(qw(label gone));
	}
	elsif ($kind < 0.09)
	{
		$parts->{keys} = chance(0.6) ? [ text_of(2) ] : [ map { grown(pick(qw(name name code)), 9) . " || '$_'" } 1, 2 ];
		$parts->{wrap} = 'counted';
	}
	else
	{
		@$parts{qw(wrap aggregate keys joins)} = ('raced', pick('dp_count(*)', 'dp_count(*)', 'dp_sum(p.small)'), [], [ pick('JOIN', 'JOIN', 'LEFT JOIN') . ' lab.stay s ON s.id = p.ward' ]);
	}
}

sub question
{
	my $parts = chance(0.75) ? parts_of_people() : parts_alone();

	$parts->{aggregate} = aggregate($parts);
	$parts->{wrap} = chance(0.7) ? 'plain' : pick(qw(ask prepared cursor into with view copy do twice error explained look));
	$parts->{tag} = 's' . ++$serial;
	$parts->{look} = pick('SELECT * FROM lab.words', 'SELECT * FROM lab.wards', "SELECT lab.touch(\$\$SELECT 'calm'::lab.mood::text\$\$)", 'SELECT lab.touch($$SELECT FROM pg_toast.pg_toast_@$$)');
	make_special($parts);
	return $parts;
}

sub text_of_question
{
	my ($parts) = @_;
	my $text = 'SELECT ' . join(', ', @{ $parts->{keys} }, "$parts->{aggregate} AS $parts->{tag}") . " FROM $parts->{from}" . join('', map { " $_" } @{ $parts->{joins} })
		. (@{ $parts->{conditions} } ? ' WHERE ' . join(' AND ', @{ $parts->{conditions} }) : '') . (@{ $parts->{keys} } ? ' GROUP BY ' . join(', ', @{ $parts->{keys} }) : '');
	my $wrap = $parts->{wrap};

	return $text if $wrap eq 'plain' || $wrap eq 'raced';
	return "SELECT ask(\$ask\$$text\$ask\$)" if $wrap eq 'ask';
	return "PREPARE $parts->{tag} AS $text; EXECUTE $parts->{tag}; EXECUTE $parts->{tag}" if $wrap eq 'prepared';
	return "DECLARE $parts->{tag} CURSOR WITH HOLD FOR $text; FETCH ALL FROM $parts->{tag}" if $wrap eq 'cursor';
	return "CREATE TEMP TABLE $parts->{tag} AS $text; SELECT count(*) FROM $parts->{tag}" if $wrap eq 'into';
	return "WITH q AS ($text) SELECT q.*, w.city FROM q JOIN lab.wards w ON w.id = 3" if $wrap eq 'with';
	return "SELECT * FROM ($text) q, lab.moods" if $wrap eq 'view';
	return "COPY ($text) TO STDOUT" if $wrap eq 'copy';
	return "DO \$do\$ BEGIN PERFORM ask(\$ask\$$text\$ask\$); END \$do\$" if $wrap eq 'do';
	return "$text; $text" if $wrap eq 'twice';
	return "SELECT q.*, 1 / (id - 3) FROM ($text) q, lab.wards" if $wrap eq 'error';
	return "ALTER TYPE lab.tint ADD VALUE 'Zebedee'; $text" if $wrap eq 'label';
	return "DECLARE $parts->{tag} CURSOR FOR $text; DROP TYPE lab.tint; FETCH ALL FROM $parts->{tag}" if $wrap eq 'gone';
	# which of them are shown is drawn
	return "SELECT count(*) FROM ($text) q" if $wrap eq 'counted';
	return "SELECT q.*, lab.look(\$look\$$parts->{look}\$look\$) FROM ($text) q" if $wrap eq 'look';
	return "EXPLAIN (ANALYZE, BUFFERS) SELECT ask(\$ask\$$text\$ask\$)";
}

# ---- settings ----

my @settings;

# Those that anybody may set, without those that end a session by the clock, or make
# it somebody else's.
sub read_settings
{
	my $skip = join '|', qw(timeout ^role$ session_authorization ^is_superuser libraries search_path client_encoding default_tablespace temp_tablespaces default_table_access_method application_name
		^tcp_ client_connection ^jit lc_ ^dpsens default_transaction_read_only ^seed$ synchronous_commit password_encryption backend_flush_after default_text_search local_preload createrole_self log_parser_stats
		stats_fetch ^debug_discard temp_buffers logical_decoding vacuum maintenance hash_mem ^default_transaction_ ^transaction_ row_security check_function_bodies ssl_renegotiation array_nulls xml);
	my $said = super($world{with}, "SELECT name, vartype, min_val, max_val, boot_val, array_to_string(enumvals, ',') FROM pg_settings WHERE context = 'user' AND name !~ '$skip' ORDER BY 1;");

	foreach my $line (split /\n/, $said)
	{
		my ($name, $type, $least, $most, $boot, $values) = split /\|/, $line, -1;

		# a quote that nothing closes would swallow the mark that is waited for
		die "no setting: $line\n" unless $name =~ /^[A-Za-z_.]+$/ && defined $values;
		push @settings, [ $name, $type eq 'bool' ? qw(on off) : $type eq 'enum' ? split(/,/, $values) : $type eq 'string' ? () : ($least, $boot, $most > 1e6 ? 1000 : $most, 1, 7, 10) ];
	}
	@settings = grep { @$_ > 1 } @settings;
	push @settings, [ 'timezone', "'Europe/Berlin'", "'Pacific/Apia'", "'UTC'" ], [ 'datestyle', "'SQL, DMY'", "'German'" ], [ 'intervalstyle', 'iso_8601' ], [ 'default_transaction_isolation', "'repeatable read'" ];
	push @settings, [ 'gin_fuzzy_search_limit', 1 .. 12 ], [ 'exit_on_error', 'on' ], [ 'client_min_messages', 'debug1', 'debug5', 'log' ];
	push @settings, map { [ $_, 'all' ] } grep { super($world{with}, "SELECT has_parameter_privilege('dpsens_observer_ana', '$_', 'SET');") eq 't' } 'track_functions';
}

sub setting
{
	my ($name, @values) = @{ pick(@settings) };

	my $value = pick(@values);

	return "SET $name = " . ($value =~ /^'/ ? $value : "'$value'");
}

my $asked = 0;

# Types that a transaction changes are made anew for it.
our @tint = ('DROP TYPE IF EXISTS lab.tint', "CREATE TYPE lab.tint AS ENUM ('red', 'blue')", "ALTER TYPE lab.tint ADD VALUE 'green' BEFORE 'red'");

# What this question asks for.
sub own_settings
{
	my ($parts) = @_;

	return @tint if $parts->{wrap} =~ /^(label|gone)$/;
	return 'SET dpsens.delta = 0.001' if $parts->{wrap} eq 'counted';
	return ('SET gin_fuzzy_search_limit = ' . pick(5 .. 12), 'SET enable_seqscan = off') if $parts->{from} =~ /trail/ && chance(0.5);
	return 'SET client_min_messages = debug1' if $parts->{from} =~ /shades/ && chance(0.5);
	return ();
}

sub random_case
{
	my $parts = question();
	my %case = (parts => $parts, transaction => chance(0.3), order => chance(0.5), settings => [ own_settings($parts) ]);

	push @{ $case{settings} }, setting() while chance(0.5);
	# those that matter most
	push @{ $case{settings} }, pick('SET exit_on_error = on', 'SET client_min_messages = debug1', "SET track_functions = 'all'", 'SET gin_fuzzy_search_limit = ' . pick(1 .. 12), 'SET enable_hashjoin = off', 'SET enable_seqscan = off', 'SET enable_mergejoin = off; SET enable_hashjoin = off') if chance(0.35);
	$case{name} = 'random ' . ++$asked;
	refresh(\%case);
	return \%case;
}

sub refresh
{
	my ($case) = @_;

	$case->{text} = text_of_question($case->{parts});
	$case->{single} = $case->{parts}{wrap} =~ /^(plain|raced)$/ && $case->{parts}{aggregate} =~ /^dp_(count\(\*\)|sum)/ && !@{ $case->{parts}{keys} };
	$case->{transaction} = 0 if $case->{parts}{wrap} eq 'cursor';
	$case->{transaction} = 1 if $case->{parts}{wrap} =~ /^(label|gone)$/;
	$case->{directed} = $case->{parts}{wrap} eq 'raced' ? \&race : undef;
	$case->{guesses} = $case->{parts}{aggregate} =~ /bool|mode/;
	delete $case->{tolerance};
}

# ---- smaller ----

sub copy_of
{
	my ($case) = @_;

	return { %$case, settings => [ @{ $case->{settings} } ], parts => { %{ $case->{parts} }, map { $_ => [ @{ $case->{parts}{$_} } ] } qw(joins conditions keys) } };
}

# Each with one thing less.
sub smaller
{
	my ($case) = @_;
	my @list;

	foreach my $i (0 .. $#{ $case->{settings} })
	{
		my $less = copy_of($case);
		splice @{ $less->{settings} }, $i, 1;
		push @list, $less;
	}
	return @list unless $case->{parts};
	foreach my $what (qw(conditions keys joins))
	{
		foreach my $i (0 .. $#{ $case->{parts}{$what} })
		{
			my $less = copy_of($case);
			splice @{ $less->{parts}{$what} }, $i, 1;
			push @list, $less;
		}
	}
	foreach my $change ([ wrap => 'plain' ], [ aggregate => 'dp_count(*)' ])
	{
		next if $case->{parts}{ $change->[0] } eq $change->[1];
		my $less = copy_of($case);
		$less->{parts}{ $change->[0] } = $change->[1];
		push @list, $less;
	}
	foreach my $i (0 .. $#{ $case->{parts}{conditions} })
	{
		# one side of AND or OR
		foreach my $side ($case->{parts}{conditions}[$i] =~ /^\(((?:[^()]|\([^()]*\))*?) (?:AND|OR) (.*)\)$/)
		{
			my $less = copy_of($case);
			$less->{parts}{conditions}[$i] = $side;
			push @list, $less;
		}
	}
	return @list;
}

sub minimised
{
	my ($case, $name) = @_;
	my $tries = 0;

	AGAIN:
	{
		foreach my $less (smaller($case))
		{
			last if ++$tries > 25;
			refresh($less) if $less->{parts};
			my ($one, $other) = (observe($less, 'with'), observe($less, 'without'));
			next unless differences($less, $one, $other)->{$name};
			next unless confirmed($less, { $name => 1 }, [ $one, $other ], 2)->{$name};
			$case = $less;
			redo AGAIN;
		}
	}
	return $case;
}

# ---- directed cases ----

my @directed;
require "$folder/directed.pl";

sub directed { push @directed, {@_}; }

# ---- what is known ----

# name of the directed case | what differs (regex) | statement (regex) | reason
sub read_known
{
	my @known;

	open my $file, '<', "$folder/known" or return ();
	while (my $line = <$file>)
	{
		next if $line =~ /^\s*(#|$)/;
		chomp $line;
		my ($case, $what, $statement, $reason) = split /\s+\|\s+/, $line, 4;
		push @known, { case => $case, what => qr/^(?:$what)$/, statement => qr/$statement/, reason => $reason, met => 0 };
	}
	return @known;
}

my @known = read_known();

sub is_known
{
	my ($case, $name) = @_;
	my $text = join '; ', @{ $case->{settings} }, $case->{text};

	foreach my $known (@known)
	{
		return $known if $name =~ $known->{what} && ($case->{name} eq $known->{case} || ($case->{name} =~ /^random/ && $text =~ $known->{statement}));
	}
	return undef;
}

sub known_as
{
	my ($case, $name) = @_;
	my $known = is_known($case, $name) or return undef;

	$known->{met}++ if $case->{name} eq $known->{case};
	return $known;
}

# ---- all of it ----

sub verdict
{
	my ($what, $ok, @details) = @_;

	$tests++;
	$failed += !$ok;
	print $ok ? 'ok' : 'not ok', " $tests - $what\n";
	print map { "# $_\n" } map { split /\n/ } @details;
}

my ($answered, $refused, $compared, $by_chance) = (0, 0, 0, 0);
my %chance;

sub examine
{
	my ($case) = @_;
	my ($one, $other) = (observe($case, 'with'), observe($case, 'without'));
	my $differs = differences($case, $one, $other);
	my @found;

	if (($one->{outcome} // '') =~ /^00000/) { $answered++; } else { $refused++; }
	$compared += scalar keys %$one;
	print "# $case->{name}: ", join('; ', @{ $case->{settings} }, $case->{text}), ' -> ', $one->{outcome} // "?\n", $one->{messages} // '', "\n" if $talks;
	return @found unless %$differs;
	# what is known is not to be found again
	my $times = $case->{parts} && (grep { !is_known($case, $_) } keys %$differs) ? CONFIRM : 2;
	my $left = confirmed($case, $differs, [ $one, $other ], $times);
	$by_chance += keys(%$differs) - keys(%$left);
	$chance{$_}++ foreach grep { !$left->{$_} } keys %$differs;
	# a session that is gone shows nothing more
	$left = { session => 1 } if $left->{session};
	foreach my $name (sort keys %$left)
	{
		my $known = known_as($case, $name);

		push @found, { name => $name, known => $known, lines => [ $name eq 'answer' ? $differs->{answer} : first_difference($one->{$name}, $other->{$name}) ] };
	}
	return @found;
}

sub report
{
	my ($case, @found) = @_;
	my @new = grep { !$_->{known} } @found;
	my @lines = map { ("known, not closed: $_->{name} ($_->{known}{reason})") } grep { $_->{known} } @found;

	foreach my $found (@new)
	{
		push @lines, "$found->{name} differs", map { "    $_" } @{ $found->{lines} };
	}
	if (@new)
	{
		my $least = $case->{parts} ? minimised($case, $new[0]{name}) : $case;
		push @lines, "OBSERVER_SEED=$seed OBSERVER_STATEMENTS=$count, $case->{name}:", map({ "    $_;" } @{ $case->{settings} }), "    $case->{text};";
		push @lines, 'made smaller:', map({ "    $_;" } @{ $least->{settings} }), "    $least->{text};" if $least != $case;
	}
	return (!@new, @lines);
}

print "# seed $seed, $count statements: OBSERVER_SEED=$seed OBSERVER_STATEMENTS=$count $0\n";
make_worlds();
$watches_statements = super($outside, "SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements';");
$toast = super($world{with}, "SELECT 'clinic.people'::regclass::oid;");
$shows_plans = super($outside, "SELECT count(*) FROM pg_settings WHERE name = 'auto_explain.log_level' AND current_setting('server_version_num')::int >= 150000;");
$oid{$_} = super('postgres', "SELECT oid FROM pg_database WHERE datname = '$_';") foreach values %world;
read_settings();
read_views();
print '# ', scalar(@settings), ' settings, ', scalar(@probes), ' observations, ', scalar(keys %views), ' views from other sessions', $shows_plans ? ', auto_explain' : '', $watches_statements ? '' : ', without pg_stat_statements', "\n";
make_directed();
foreach my $case (@directed)
{
	next if defined $only && $case->{name} !~ /$only/;
	$case->{settings} ||= [];
	my ($ok, @lines) = report($case, examine($case));
	verdict("directed: $case->{name}", $ok, @lines);
}
my (@bad, $known_random);
if (!defined $only || $only eq 'random')
{
	foreach my $number (1 .. $count)
	{
		my $case = random_case();
		my @found = examine($case) or next;
		my ($ok, @lines) = report($case, @found);

		print map { "# $_\n" } @lines;
		push @bad, $case->{name} unless $ok;
		$known_random++ if $ok;
	}
	verdict("random statements: nothing new is seen", !@bad, "@bad");
	print "# $answered answered, $refused refused, $compared observations compared, $by_chance that differed by chance, ", $known_random // 0, " statements with what is known\n";
	# which takes time: each is tried again
	print "# by chance: $chance{$_} $_\n" foreach $talks ? sort { $chance{$b} <=> $chance{$a} } keys %chance : ();
	verdict('a half is answered', $answered > $refused);
	verdict("still known: $_->{case}, $_->{what}", $_->{met}, $_->{met} ? () : 'It does not differ any more: take it from the list.') foreach @known;
}
stop($_) foreach keys %sessions;
drop_worlds() unless $ENV{OBSERVER_KEEP};
print "1..$tests\n";
exit($failed > 0);
