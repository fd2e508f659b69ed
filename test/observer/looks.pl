# looks.pl
#	What a role can see: in the session that has asked, while its transaction lasts and
#	after it; from its other sessions, in this database and in another one; and what
#	counts statements from outside.
#
#	What only the session has, caches, settings, counters that it has not sent yet, is
#	looked at by the session.  What all sessions of the role see alike, pages of its
#	tables among it, others look at, which need not begin anew for it.
#
#	Several looks are one statement where the server says of each part what it has taken:
#	a plan of UNION ALL counts the pages of each of its nodes.
use strict;
use warnings;
our ($folder, $outside, %world, $watches_statements, $shows_plans);

# ---- of the session itself ----

# Tables and functions of the worlds, so that no look begins with a search in catalogs.
our (%oid, $newest, $toast, $relations, $functions);

# What other sessions ask, by place, moment and world.
my %looks;

sub know_worlds
{
	%looks = ();
	my $ours = "relnamespace IN ('lab'::regnamespace, 'clinic'::regnamespace, 'pg_toast'::regnamespace) AND oid > 16383 AND relkind IN ('r', 't', 'i')";

	$watches_statements = super($outside, "SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements';");
	$shows_plans = super($outside, "SELECT count(*) FROM pg_settings WHERE name = 'auto_explain.log_level' AND current_setting('server_version_num')::int >= 150000;");
	$oid{$_} = super('postgres', "SELECT oid FROM pg_database WHERE datname = '$_';") foreach values %world;
	# what questions make is given numbers beyond
	$newest = (sort { $a <=> $b } values %oid)[-1];
	$toast = super($world{with}, "SELECT 'clinic.people'::regclass::oid;");
	$relations = super($world{with}, "SELECT array_agg(oid ORDER BY oid) FROM pg_class WHERE $ours;");
	$functions = super($world{with}, "SELECT array_agg(oid ORDER BY oid) FROM pg_proc WHERE oid > 16383 AND prolang <> 12 AND proname ~ 'exact|ask|touch|pages';");
}

# What is expected is that of when it was planned.
sub explained { return 'EXPLAIN (ANALYZE, BUFFERS, WAL, COSTS OFF, TIMING OFF, SUMMARY OFF) ' . join ' UNION ALL ', @_; }

# What is touched is neither read nor found there, if it is a table of one's own.
my @touched = ((map { "SELECT '$_'::lab.mood::text" } qw(sad calm happy)), 'SELECT FROM pg_toast.pg_toast_@', 'SELECT FROM clinic.people', 'SELECT FROM clinic.visits',
	(map { "SELECT FROM lab.$_ WHERE false" } qw(wards words moods stay)), "SELECT lower('A' COLLATE \"C\")", "SELECT 'a' ~ 'b'", "SELECT to_char(now(), 'TMMonth')", "SELECT 1::money", "SELECT '{1}'::int[] @> '{1}'");

sub looks_within
{
	return ([ locks => "SELECT locktype, relation::regclass, mode, granted, fastpath FROM pg_lock_status() WHERE pid = pg_backend_pid() AND locktype <> 'virtualxid' ORDER BY 1, 2, 3" ],
		[ 'counters of the transaction' => "SELECT t::regclass, pg_stat_get_xact_numscans(t), pg_stat_get_xact_tuples_returned(t), pg_stat_get_xact_tuples_fetched(t), pg_stat_get_xact_tuples_inserted(t), pg_stat_get_xact_blocks_fetched(t) "
			. "FROM unnest('$relations'::oid[]) t WHERE pg_stat_get_xact_numscans(t) + pg_stat_get_xact_tuples_returned(t) + pg_stat_get_xact_tuples_fetched(t) + pg_stat_get_xact_tuples_inserted(t) + pg_stat_get_xact_blocks_fetched(t) IS DISTINCT FROM 0" ]);
}

# The cheapest first: each leaves traces of its own, the same in both worlds.
sub looks_after
{
	return ([ flush => 'SELECT pg_stat_force_next_flush()' ],
		[ 'calls of functions' => "SELECT f::regproc, pg_stat_get_xact_function_calls(f), pg_stat_get_function_calls(f) FROM unnest('$functions'::oid[]) f WHERE pg_stat_get_xact_function_calls(f) > 0 OR pg_stat_get_function_calls(f) > 0" ],
		# which say themselves what they take
		[ unseen => $shows_plans ? 'SET auto_explain.log_min_duration = -1' : 'SELECT' ],
		[ catalogues => explained(map { "SELECT lab.touch(\$\$$_\$\$)" } @touched) ],
		[ plans => 'EXPLAIN (BUFFERS) SELECT 1 FROM lab.wards JOIN lab.words ON rank = id UNION ALL SELECT 2 FROM lab.moods JOIN lab.stay ON true WHERE city = $$city 1$$ UNION ALL SELECT 3 FROM lab.wards WHERE id IN (SELECT rank FROM lab.words)' ],
		[ 'state of the session' => "SELECT 'setting' AS what, ROW(name, setting, source)::text AS it FROM pg_show_all_settings() WHERE name <> 'application_name' AND (source <> 'default' OR setting IS DISTINCT FROM boot_val) "
			. "UNION ALL SELECT 'prepared', ROW(name, generic_plans, custom_plans)::text FROM pg_prepared_statement() UNION ALL SELECT 'cursor', ROW(name, is_holdable)::text FROM pg_cursor() "
			. "UNION ALL SELECT 'activity', ROW(state, wait_event, backend_xmin IS NULL, query_id)::text FROM pg_stat_get_activity(pg_backend_pid()) "
			. "UNION ALL SELECT 'listens', pg_listening_channels() UNION ALL SELECT 'temporary', (pg_my_temp_schema() = 0)::text ORDER BY 1, 2" ]);
}

# Lines for psql, which says before each what it is.
sub asked_by
{
	return map { ("\\echo @@@ $_->[0]", ($_->[1] =~ s/pg_toast_\@/pg_toast_$toast/gr) . ';') } @_;
}

# Lets the parts of what psql said have their names; a name that comes again goes on.
sub parts_of
{
	my ($said, $seen, $prefix) = @_;
	my (undef, @parts) = split /^@@@ (.*)\n/m, $said, -1;

	while (my ($name, $text) = splice @parts, 0, 2)
	{
		$seen->{ ($prefix // '') . $name } .= $text;
	}
}

# ---- pages of one's own tables ----

# A page that was read is tidied up; then by what is read of it, and of its index.
sub look_at_pages
{
	my ($case, $database, $seen) = @_;
	my $session = "beside $database";
	my $reading = join ' UNION ALL ', ((map { "SELECT $_->[1] FROM lab.$_->[0]" } [ wards => 'city' ], [ words => 'pad' ], [ moods => 'pad' ], [ stay => 'city' ]),
		(map { "SELECT $_->[1] FROM lab.$_->[0] WHERE $_->[2]" } [ wards => 'city', 'id = 7' ], [ words => 'pad', "word = 'Zebedee'" ], [ moods => 'pad', "mood = 'calm'" ], [ wards => 'city', 'id = 3' ], [ words => 'pad', "word = '5'" ], [ stay => 'city', 'id = 7' ]));
	my @looks = [ 'reading own tables' => explained(prepared($session, $database, $reading)) ];

	# which finds them by reading them
	unshift @looks, [ 'pages of own tables' => prepared($session, $database, "SELECT lab.pages('wards'), lab.pages('words')") ] unless $case->{order};
	my ($said) = run($session, $database, join "\n", asked_by(@looks));
	# now and then, when definitions have changed
	parts_of($said =~ s/^Planning:\n(?:  .*\n)*//mr, $seen);
}

# Before a batch, and between its statements.
sub fill_pages
{
	my ($database, $how) = @_;

	run("beside $database", $database, "CALL lab.$how();");
}

# ---- the role's other sessions ----

# Of each view the columns that are compared, by where the session looks.
our %views;

# Those that tell of a transaction that lasts.
my $of_now = qr/^pg_(locks|stat_activity|stat_progress_|prepared_xacts|stat_ssl|stat_gssapi|stat_replication|replication_)/;

# Those of the harness's other sessions are left out, by the database that they are in,
# and the session that looks; what ANALYZE keeps of catalogs has the names of databases.
my %rows = (
	datname => "(datname IS NULL OR datname = '%s')",
	'database by number' => "(database IS NULL OR database IN (0, %o))",
	database => "(database IS NULL OR database = '%s')",
	pid => 'pid IS DISTINCT FROM pg_backend_pid()',
	tablename => "schemaname <> 'pg_catalog'",
);

# What is no view: sizes, what transactions there are, and what is left of the budget.
my %sizes = (
	'transactions that run' => "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint - pg_snapshot_xmin(pg_current_snapshot())::text::bigint",
	'age of the database' => "SELECT datfrozenxid, datminmxid FROM pg_database WHERE datname = '%s'",
	'sizes of relations' => "SELECT oid::regclass, pg_total_relation_size(oid), relpages, reltuples, relallvisible FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('clinic', 'lab')) AND relkind IN ('r', 'i') ORDER BY oid",
	notifications => 'SELECT pg_notification_queue_usage()',
	'memory contexts' => 'SELECT name, level, total_bytes, used_bytes FROM pg_backend_memory_contexts',
	'the database' => 'SELECT tup_returned, tup_fetched, blks_read, blks_hit, temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()',
	wal => 'SELECT wal_records, wal_fpi, wal_bytes FROM pg_stat_wal',
	'wal position' => 'SELECT pg_current_wal_insert_lsn()',
	budget => "SELECT * FROM dpsens.my_budget ORDER BY relation, budget_of, column_name"
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
	my $said = super($outside, "SELECT c.oid::regclass, relname, attname, atttypid = 'oid'::regtype FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid WHERE relkind = 'v' AND attnum > 0 AND relname ~ '^pg_' "
		. "AND has_table_privilege('dpsens_observer_ana', c.oid, 'SELECT') ORDER BY relname, attnum;");

	foreach my $line (split /\n/, $said)
	{
		my ($view, $name, $column, $is_number) = split /\|/, $line;

		$views{$view}{all}{ $column eq 'database' && $is_number eq 't' ? 'database by number' : $column } = 1;
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
	my $all = $views{$view}{all};
	my @conditions = map { $rows{$_} =~ s/%s/$database/r =~ s/%o/$oid{$database}/r } grep { $all->{$_} } sort keys %rows;

	# sessions by their numbers alone
	push @conditions, "pid IN (SELECT pid FROM pg_stat_get_activity(NULL) WHERE datid = $oid{$database})" if $all->{pid} && !$all->{datname} && !$all->{'database by number'};
	return 'SELECT row_to_json(v) FROM (SELECT ' . join(', ', @{ $views{$view}{$place} }) . " FROM $view" . (@conditions ? ' WHERE ' . join(' AND ', @conditions) : '') . ') v ORDER BY row_to_json(v)::text';
}

sub looks_from
{
	my ($database, $place, $when) = @_;
	my @looks = map { [ $_, query_of_view($_, $database, $place) ] } grep { $views{$_}{$place} && ($when eq 'afterwards' || $_ =~ $of_now) } sort keys %views;

	push @looks, map { [ $_, $sizes{$_} =~ s/%s/$database/r ] } sort keys %sizes if $when eq 'afterwards';
	return @looks;
}

sub look_from_others
{
	my ($database, $when, $seen) = @_;

	foreach my $from ([ "beside $database", $database, 'beside' ], [ 'elsewhere', $outside, 'elsewhere' ])
	{
		my ($name, $where, $place) = @$from;
		my $looks = $looks{"$place, $when: $database"} //= [ looks_from($database, $place, $when) ];
		my ($said) = run($name, $where, join "\n", asked_by(map { [ $_->[0], prepared($name, $where, $_->[1]) ] } @$looks));

		parts_of($said, $seen, "$place, $when: ");
	}
}

# ---- from a database without the extension ----

my $counters = "SELECT 'database', temp_files, temp_bytes, conflicts, pg_database_size(datid) FROM pg_stat_database WHERE datname = '%s'";
my $statements = "SELECT left(query, 300), calls, rows, shared_blks_hit + shared_blks_read, shared_blks_dirtied, local_blks_hit, temp_blks_read, temp_blks_written, wal_records, wal_fpi, wal_bytes"
	. " FROM pg_stat_statements s JOIN pg_database d ON d.oid = dbid WHERE datname = '%s' AND query ~ 'dp_|EXECUTE|ask' ORDER BY 1, 2";

sub counted
{
	my ($database) = @_;
	my @queries = (sprintf($counters, $database) . ';');
	my %sum;

	push @queries, sprintf($statements, $database) . ';' if $watches_statements;
	my ($said) = run('outside', $outside, join("\n", @queries));
	# one statement a line, whatever it looks like
	foreach my $line (grep { /\|/ } split /\n/, $said)
	{
		my ($what, $numbers) = $line =~ /^(.*?)((?:\|[0-9]*)+)$/ or next;
		my @numbers = split /\|/, substr($numbers, 1), -1;
		my $sum = $sum{$what} //= [ (0) x @numbers ];

		$sum->[$_] += $numbers[$_] || 0 foreach 0 .. $#numbers;
	}
	return \%sum;
}

# What has been added.
sub look_from_outside
{
	my ($before, $database, $seen) = @_;
	my $after = counted($database);

	foreach my $what (keys %$after)
	{
		my ($new, $old) = ($after->{$what}, $before->{$what} // []);
		my @added = map { $new->[$_] - ($old->[$_] // 0) } 0 .. $#$new;

		$seen->{"from outside: $what"} = join '|', @added if grep { $_ } @added;
	}
}

1;
