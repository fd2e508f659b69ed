#!/usr/bin/perl
# observe.pl
#	Two neighbouring worlds (world.sql), and in each a role that may ask but not
#	look.  It asks the same in both; then everything that it can see (looks.pl) is
#	compared: the shape of results, messages and SQLSTATEs, locks, what EXPLAIN says of
#	its own tables and functions (buffers, WAL), which pages of its own were read,
#	plans of following statements, counters, the session's state, what its other
#	sessions see in this database and in another one, while the statement's transaction
#	lasts and after it, and how far answers are apart.
#
#	Not compared: what normalised() replaces (numbers of processes, places in a
#	catalog, time and the log's writer), the values of answers beyond what shape() and
#	far_apart() say, and what the file "excluded" lists with reasons.
#
#	Statements are made at random (statements.pl), under random settings, and asked in
#	batches.  What one hides from the next is looked at after each, and is fresh for
#	each: it has a session of its own, hence caches, settings, locks and counters that
#	are not sent yet; pages are filled again before a statement that may read them, and
#	those that may not come first and are seen to have read none.  What is looked at once
#	for a batch only adds up: counters, sizes, budgets, the log, sessions and locks that
#	stay.  There a difference would be missed only if another statement of the batch
#	differed by as much the other way, in each of these numbers; which statements are
#	together is drawn, and what the person adds, it adds in one world alone.
#
#	What differs in a batch is asked again, alone if it is a statement's own, else by
#	halves, from fresh counters and sessions, until chance is ruled out
#	(OBSERVER_CONFIRM times, and in worlds that are made anew); made smaller, and printed.
#	What no half shows is printed as a batch.
#
# OBSERVER_STATEMENTS and OBSERVER_SEED say how many and which, OBSERVER_BATCH how many
# at a time; OBSERVER_CASE runs directed ones alone, by their names (regular expression),
# "random" none of them; OBSERVER_VERBOSE prints what was asked, answered, and differed by
# chance; psql's environment variables say where.  The file "known" lists what is known
# to differ.
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::SHA qw(hmac_sha256 sha256);
use File::Basename qw(dirname);
use IPC::Open2;
use List::Util qw(min);
use MIME::Base64 qw(encode_base64);

# A difference is one if it shows each time.  What comes by chance, four times in five at
# the most, is taken for one with probability 0.8^66 < 1e-6: a noised answer that is one
# of five labels leaves the one that was shown in the catalog caches.
my $confirm = $ENV{OBSERVER_CONFIRM} // 66;

my $count = $ENV{OBSERVER_STATEMENTS} // 150;
my $seed = $ENV{OBSERVER_SEED} || time % 1_000_000_000;
my $only = $ENV{OBSERVER_CASE};
my $talks = $ENV{OBSERVER_VERBOSE};
my $size = $ENV{OBSERVER_BATCH} // 25;
our $folder = dirname(abs_path($0));
our %world = (with => 'dpsens_observer_a', without => 'dpsens_observer_b');
our $outside = 'dpsens_observer_c';
# a case may reset it, to be asked with what policies say
our $usual_epsilon = 'SET dpsens.epsilon = 16';
# what looks.pl knows of the worlds, and what the server preloads
our (%oid, $newest, $toast, %views, @settings, $watches_statements, $shows_plans);
# The role logs in, so that its other sessions see what only its own may.
my $password = $ENV{PGPASSWORD} // 'observer';
# Statements that were asked in both worlds, each time anew that something differed.
my $asked_again = 0;
# What has been asked of a world until it is made anew.
my $worn = 2000;
my $tests = 0;
my $failed = 0;
srand $seed;
$| = 1;

sub pick { return $_[ int rand @_ ]; }
sub chance { return rand() < $_[0]; }

# ---- psql, held open ----

our %sessions;

sub start
{
	my ($name, $database) = @_;
	my ($from, $to);
	my $administers = $name =~ /^super/;
	my $asks = $name eq 'main';
	local $ENV{PGAPPNAME} = $name;
	local @ENV{qw(PGUSER PGPASSWORD)} = ('dpsens_observer_ana', $password) unless $administers;
	# what modules print to an administrator is taken for none of the values that are asked for
	local $ENV{PGOPTIONS} = join ' ', $ENV{PGOPTIONS} // (), map { "-c $_" } qw(synchronous_commit=off jit=off), $asks ? qw(dpsens.max_boxes=2000) : (),
		$administers ? qw(client_min_messages=error auto_explain.log_min_duration=-1) : ();
	my $pid = open2($from, $to, "psql -XAtq -v VERBOSITY=verbose -v SHOW_CONTEXT=always -d $database 2>&1");

	$to->autoflush(1);
	$sessions{$name} = { from => $from, to => $to, pid => $pid };
	# what looks from elsewhere need not be shown
	print $to "SET auto_explain.log_min_duration = -1;\n" if !$asks && !$administers && $shows_plans;
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

# What to run for a query that the session is asked again and again: planning some takes
# longer than running them.
sub prepared
{
	my ($name, $database, $query) = @_;
	my $session = $sessions{$name} || start($name, $database);
	my $number = $session->{prepared}{$query};

	if (!$number)
	{
		$number = $session->{prepared}{$query} = 1 + keys %{ $session->{prepared} };
		run($name, $database, "PREPARE look_$number AS $query;");
	}
	return "EXECUTE look_$number";
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

# Of which one round is as good as four thousand where nobody is kept out: each statement
# has a session of its own.
sub secret_of
{
	my ($word) = @_;
	my $salt = 'two worlds, salt';
	my $salted = hmac_sha256($salt . pack('N', 1), $word);

	return 'SCRAM-SHA-256$1:' . encode_base64($salt, '') . '$' . encode_base64(sha256(hmac_sha256('Client Key', $salted)), '') . ':' . encode_base64(hmac_sha256('Server Key', $salted), '');
}

sub make_worlds
{
	stop($_) foreach keys %sessions;
	drop_worlds();
	super('postgres', 'CREATE ROLE dpsens_observer_ana LOGIN PASSWORD $$' . secret_of($password) . '$$;', "CREATE DATABASE $world{with};", "CREATE DATABASE $outside;");
	system("psql -XAtq -d $world{with} -f $folder/world.sql >/dev/null") == 0 or die "world.sql failed\n";
	# track_functions and its like, and plans by auto_explain, are the administrator's to give
	super('postgres', "SELECT format('GRANT SET ON PARAMETER %s TO dpsens_observer_ana', name) FROM pg_settings, current_setting('server_version_num') v "
		. "WHERE v::int >= 150000 AND (name IN ('track_functions', 'track_io_timing') OR name LIKE 'auto\\_explain.%') \\gexec");
	super($outside, "SELECT 'CREATE EXTENSION pg_stat_statements' FROM pg_settings WHERE name = 'shared_preload_libraries' AND setting ~ 'pg_stat_statements' \\gexec");
	super('postgres', "CREATE DATABASE $world{without} TEMPLATE $world{with};");
	super($world{without}, 'DELETE FROM clinic.people WHERE id = 42;', 'DELETE FROM clinic.rare;', 'DELETE FROM clinic.trail WHERE id = 42;', 'DELETE FROM clinic.shades WHERE id = 42;', "DELETE FROM clinic.nights WHERE town = 'Zebedee' AND number = 42;", "DELETE FROM clinic.guests WHERE town = 'Zebedee' AND number = 42;");
	foreach my $database (sort values %world)
	{
		super($database, "ALTER DATABASE $database SET search_path = lab, clinic, public;",
			"SELECT dpsens.grant_budget(r, 'dpsens_observer_ana', epsilon => 1048576, delta => 0.5, own_tables => true) FROM unnest('{clinic.people, clinic.visits, clinic.rare, clinic.trail, clinic.shades, clinic.nights, clinic.guests, clinic.meals}'::regclass[]) r;",
			# what may be asked, and with which epsilon if none is said
			"SELECT dpsens.set_policy('clinic.nights', epsilon => 'Infinity', default_epsilon => 8, min_units => 3), dpsens.set_policy('clinic.meals', epsilon => 'Infinity', default_epsilon => 4, min_units => 9), dpsens.set_policy('clinic.trail', epsilon => 'Infinity', min_units => 2) \\g /dev/null",
			# of columns, as far as they can have budgets: what is known of each is charged, and must be the same
			"DO \$\$ DECLARE c record; BEGIN FOR c IN SELECT attrelid::regclass AS r, attname AS name FROM pg_attribute WHERE attrelid IN ('clinic.people'::regclass, 'clinic.visits'::regclass) "
			. "AND attnum > 0 AND NOT attisdropped LOOP BEGIN PERFORM dpsens.set_column_budget(c.r, c.name, 1048576, 0.5); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END \$\$;",
			# of the persons, if others refer to them
			"DO \$\$ BEGIN PERFORM dpsens.set_entity_budget('clinic.people', 1048576, 0.5); EXCEPTION WHEN OTHERS THEN NULL; END \$\$;",
			# and of the role, for every other seed in place of its budgets on what that opens
			"DO \$\$ BEGIN PERFORM dpsens.grant_entity_budget('clinic.people', 'dpsens_observer_ana', 1048576, 0.5, own_tables => true); EXCEPTION WHEN OTHERS THEN NULL; END \$\$;",
			$seed % 2 == 0 ? () : "DO \$\$ BEGIN PERFORM dpsens.revoke_budget(r, 'dpsens_observer_ana') FROM dpsens.budget b, unnest('{clinic.people, clinic.visits}'::regclass[]) r "
			. "WHERE b.role <> 0 AND b.column_name = '(entity)' AND dpsens_internal.entity_opens(b.relation, b.agreed_owner, r); END \$\$;",
			# a table like any other that is read often: nothing of it is to be tidied up
			'VACUUM (FREEZE, ANALYZE) clinic.people, clinic.visits, clinic.rare, clinic.trail, clinic.shades, clinic.nights, clinic.guests, clinic.meals;',
			# dead entries of catalogs are not the same in a copy
			'VACUUM;');
	}
	know_worlds();
}

# ---- what is said ----

# Where it is asked, numbers that are given anew each time, and time.
sub normalised
{
	my ($name, $text) = @_;

	$text =~ s/\b(?:$world{with}|$world{without}|$oid{$world{with}}|$oid{$world{without}})\b/WORLD/g;
	$text =~ s/\bDEBUG:  .*?(xid\/subid\/cid|StartTransaction|CommitTransaction|starting|oldest|snapshot of|forked|reaping|server process|shmem_exit|proc_exit|exit\().*\n(LOCATION.*\n)?//g if index($text, 'DEBUG') >= 0;
	$text =~ s/(pid|PID|process) [0-9]+/$1 N/g;
	# where it stands in a catalog, and what identifies it, are not the same twice
	$text =~ s/(tuple [0-9]+\/|for enum: )[0-9]+/$1N/g;
	$text =~ s/("(?:objid|relation)":"?)([0-9]+)/$1 . ($2 > $newest ? 'new' : $2)/ge;
	$text =~ s/(dpsens ledger|worker process).*//g if $name =~ /^\d+: messages/;
	# whether a session that has answered waits for its client already
	$text =~ s/"wait_event_type":(?:null,"wait_event":null|"Client","wait_event":"ClientRead")/"wait_event":"none"/g;
	# how long, how much memory of the machine
	$text =~ s/\b[0-9.]+ ms\b/N ms/g;
	$text =~ s/([tT]ime["=:>]+ ?)[0-9.]+/$1N/g;
	$text =~ s/(I\/O Timings:).*/$1 N/g;
	return $text;
}

# Messages go on until they say where they come from; plans are printed line by line.
my $message = qr/^(?:psql:\S* )?(?:ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|LOG|DEBUG):  [0-9A-Z]{5}: /;
my $plan = qr/\(cost=|\(actual |^\s*(?:->|Buffers:|WAL:|I\/O Timings:|Planning|Execution|Sort Method|Memory Usage|Heap Fetches|Workers|Rows Removed|JIT)/;
my $of_psql = qr/^(?:psql:|DETAIL|HINT|CONTEXT|LINE|QUERY|STATEMENT|SQL function|PL\/pgSQL|connection|server closed|\tThis|\tbefore|The connection|\s*\^)/;

# What is noise in answers: their shape remains, and their values are kept apart.
sub shape
{
	my ($said, $case) = @_;
	my $in_message = 0;
	my (@values, @guesses, @lines);

	foreach my $line (grep { $_ ne '' } split /\n/, $said)
	{
		$in_message = 1 if $line =~ $message;
		if (!$in_message && $line !~ $plan && $line !~ $of_psql)
		{
			$line =~ s/(?<![A-Za-z0-9_.])-?(?:[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?|Infinity|NaN)(?![A-Za-z0-9_])/push @values, $&; '#'/ge;
			$line =~ s/\b(?:[tf]|sad|calm|happy)\b/push @guesses, $&; '?'/ge if $case->{guesses};
		}
		$in_message = 0 if $line =~ /^LOCATION: /;
		push @lines, $line;
	}
	# the client's two streams are one
	return (join("\n", sort @lines), \@values, "@guesses");
}

# ---- one case in one world ----

sub question_of
{
	my ($case, $database) = @_;
	my @lines = ("\\connect $database", map { "$_;" } $usual_epsilon, @{ $case->{settings} });

	push @lines, 'BEGIN;' if $case->{transaction};
	return join "\n", @lines, '\echo @@@ messages', ($case->{text} =~ s/pg_toast_\@/pg_toast_$toast/gr) . ';', '\echo @@@ outcome', '\echo :SQLSTATE :ROW_COUNT', asked_by(looks_within());
}

sub looks_of
{
	my ($case) = @_;

	# settings as they were, for what follows
	return join "\n", $case->{transaction} ? 'COMMIT;' : (), 'SET client_min_messages = notice\; SET exit_on_error = off;', $shows_plans ? 'SET auto_explain.log_level = notice;' : (), asked_by(looks_after());
}

# A session of its own.  Its other sessions look while the transaction lasts.
sub ask
{
	my ($case, $database, $seen) = @_;
	my @scripts = (question_of($case, $database), looks_of($case));

	@scripts = join "\n", @scripts unless $case->{transaction};
	my ($said, $alive) = run('main', $outside, shift @scripts);
	if (@scripts)
	{
		wait_for_others($database, 1);
		look_from_others($database, 'meanwhile', $seen);
		if ($alive)
		{
			my ($more, $lives) = run('main', $outside, shift @scripts);

			$alive = $lives;
			$said .= $more;
		}
	}
	parts_of($said, $seen);
	$seen->{session} = $alive ? 'lives' : 'is gone';
}

sub observe_one
{
	my ($case, $database) = @_;
	my %seen;

	if ($case->{directed})
	{
		$case->{directed}->($case, $database, \%seen);
	}
	else
	{
		ask($case, $database, \%seen);
	}
	@seen{qw(messages values guesses)} = shape($seen{messages} // '', $case);
	return \%seen;
}

# ---- a batch in one world ----

# Whether the tables are named of which it is seen what was read.
sub names_pages { return "$_[0]{text} @{ $_[0]{settings} }" =~ /\b(?:wards|words)\b/; }

# What each case shows by itself, by its number, and what they show together.  Those that
# read none of one's own pages come first, and then it is looked whether they have.
sub observe
{
	my ($batch, $side) = @_;
	my $database = $world{$side};
	my %seen;

	$asked_again += @$batch / 2;
	super($database, 'SELECT pg_stat_reset() \g /dev/null');
	my $before = counted($database);
	my @named = grep { names_pages($batch->[$_]) } 0 .. $#$batch;
	my @others = grep { !names_pages($batch->[$_]) } 0 .. $#$batch;

	fill_pages($database, 'fill');
	$seen{"$_: "} = observe_one($batch->[$_], $database) foreach @others;
	look_at_pages($batch->[0], $database, \%seen) if @others;
	foreach my $number (@named)
	{
		fill_pages($database, 'refill') if @others || $number != $named[0];
		$seen{"$number: "} = observe_one($batch->[$number], $database);
		look_at_pages($batch->[$number], $database, $seen{"$number: "});
	}
	look_from_others($database, 'at last', \%seen);
	run('main', $outside, "\\connect $outside");
	wait_for_others($database, 0);
	look_from_others($database, 'afterwards', \%seen);
	look_from_outside($before, $database, \%seen);
	foreach my $number (0 .. $#$batch)
	{
		my $own = delete $seen{"$number: "};

		$seen{"$number: $_"} = $own->{$_} foreach keys %$own;
	}
	return \%seen;
}

# Until only so many sessions are left that ask: one counts, and unlocks, when it ends.
sub wait_for_others
{
	my ($database, $number) = @_;

	foreach my $try (1 .. 200)
	{
		return if super('postgres', "SELECT count(*) <= $number FROM pg_stat_get_activity(NULL) WHERE datid = $oid{$database} AND backend_type IN ('client backend', 'parallel worker') AND application_name !~ '^(super|beside)';") eq 't';
		select undef, undef, undef, 0.003;
	}
}

# ---- comparing ----

# How far the answers may be apart: by the sensitivity, and what the noise adds.
sub tolerances
{
	my ($case) = @_;
	my ($said) = run('super ' . $world{with}, $world{with},
		"SET SESSION AUTHORIZATION dpsens_observer_ana; SET dpsens.max_boxes = 2000; " . join('', map { "$_; " } $usual_epsilon, grep { /dpsens\.epsilon/ } @{ $case->{settings} }) . "\nSELECT sensitivity, noise_scale, aggregate FROM dpsens.explain(\$explained\$$case->{text}\$explained\$);\nRESET SESSION AUTHORIZATION;");

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

sub is_same
{
	my ($name, $one, $other) = @_;

	$_ //= 'not there' foreach $one, $other;
	return $one eq $other || normalised($name, $one) eq normalised($name, $other);
}

# What is seen in one and not in the other, by name.
sub differences
{
	my ($batch, $one, $other) = @_;
	my %all = (%$one, %$other);
	my %differs = map { $_ => 1 } grep { !/^\d+: (?:values|guesses)$/ && !is_same($_, $one->{$_}, $other->{$_}) } keys %all;

	foreach my $number (0 .. $#$batch)
	{
		my $far = far_apart($batch->[$number], $one->{"$number: values"}, $other->{"$number: values"});

		$differs{"$number: answer"} = $far if defined $far;
		# a label that is shown is in the catalog caches
		delete $differs{"$number: catalogues"} if $one->{"$number: guesses"} ne $other->{"$number: guesses"};
	}
	return \%differs;
}

sub observe_both { return map { observe($_[0], $_) } qw(with without); }

# Which of the names differ each time, and are the same each time in one world.
sub confirmed
{
	my ($batch, $names, $first, $times) = @_;
	my %left = %$names;

	foreach my $time (1 .. $times)
	{
		my @both = observe_both($batch);
		my $differs = differences($batch, @both);

		foreach my $name (keys %left)
		{
			my $same = $name =~ /^\d+: answer$/ || !grep { !is_same($name, $both[$_]{$name}, $first->[$_]{$name}) } 0, 1;

			delete $left{$name} unless $same && $differs->{$name};
		}
		last unless %left;
	}
	return \%left;
}

sub first_difference
{
	my ($name, $one, $other) = @_;
	my @one = split /\n/, normalised($name, $one // 'not there');
	my @other = split /\n/, normalised($name, $other // 'not there');

	foreach my $line (0 .. ($#one > $#other ? $#one : $#other))
	{
		my ($a, $b) = ($one[$line] // '(nothing)', $other[$line] // '(nothing)');

		return ("with:    " . substr($a, 0, 300), "without: " . substr($b, 0, 300)) if $a ne $b;
	}
	return ();
}

# ---- from a batch to a statement ----

my $by_chance = 0;
my %chance;

# What came by chance: all that is not left.
sub dismiss
{
	my ($found, $left) = @_;

	foreach my $name (grep { !$left->{$_} } sort keys %{ $found->{differs} })
	{
		print map { substr("# by chance, $found->{batch}[0]{name}: $_", 0, 300) . "\n" } $name, first_difference($name, map { $_->{$name} } @{ $found->{both} }) if $talks;
		$by_chance++;
		$chance{ $name =~ s/^\d+: //r }++;
	}
}

# A batch, what differed in it, and what was seen.
sub finding
{
	my ($batch) = @_;
	my @both = observe_both($batch);
	my $differs = differences($batch, @both);

	return { batch => $batch, both => \@both, differs => $differs };
}

# Those that have shown something by themselves, and do so alone.
sub alone
{
	my ($found) = @_;
	my %numbers = map { /^(\d+): / ? ($1 => 1) : () } keys %{ $found->{differs} };
	my @alone;

	return () if @{ $found->{batch} } == 1;
	foreach my $number (sort { $a <=> $b } keys %numbers)
	{
		# noise shows now and then, and a batch takes as long as many tries
		foreach my $try (1 .. 3)
		{
			my $less = finding([ $found->{batch}[$number] ]);

			next unless grep { $found->{differs}{s/^0: /$number: /r} } keys %{ $less->{differs} };
			push @alone, $less;
			last;
		}
	}
	return @alone;
}

# What is seen of all together is looked for in halves.
sub narrowed
{
	my ($found) = @_;
	my $batch = $found->{batch};

	return () unless %{ $found->{differs} };
	return ($found) if @$batch == 1;
	my @alone = alone($found);
	my %alone = map { $_->{batch}[0]{name} => 1 } @alone;
	my @rest = grep { !$alone{ $_->{name} } } @$batch;
	my $is_explained = !grep { !/^(\d+): / || !$alone{ $batch->[$1]{name} } } keys %{ $found->{differs} };

	return @alone if $is_explained || !@rest;
	return (@alone, narrowed(finding(\@rest))) if @alone;
	# chance does not come back
	my $left = confirmed($batch, $found->{differs}, $found->{both}, 1);
	dismiss($found, $left);
	return () unless %{ $found->{differs} = $left };
	my $middle = int(@$batch / 2);
	my @halves = map { narrowed(finding($_)) } [ @$batch[ 0 .. $middle - 1 ] ], [ @$batch[ $middle .. $#$batch ] ];

	return @halves ? @halves : $found;
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
			my $found = finding([$less]);
			next unless $found->{differs}{$name};
			next unless confirmed([$less], { $name => 1 }, $found->{both}, 2)->{$name};
			$case = $less;
			redo AGAIN;
		}
	}
	return $case;
}

# ---- directed cases ----

my @directed;
require "$folder/directed.pl";
require "$folder/looks.pl";
require "$folder/statements.pl";

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
	my ($batch, $name) = @_;
	my $case = $batch->[0];
	my $text = join '; ', @{ $case->{settings} }, $case->{text};

	return undef if @$batch > 1;
	$name =~ s/^0: //;
	foreach my $known (@known)
	{
		return $known if $name =~ $known->{what} && ($case->{name} eq $known->{case} || ($case->{name} =~ /^random/ && $text =~ $known->{statement}));
	}
	return undef;
}

sub known_as
{
	my ($batch, $name) = @_;
	my $known = is_known($batch, $name) or return undef;

	$known->{met}++ if $batch->[0]{name} eq $known->{case};
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

my ($answered, $refused, $compared) = (0, 0, 0);

sub count_what_came
{
	my ($found) = @_;
	my $one = $found->{both}[0];

	$compared += keys %$one;
	foreach my $number (0 .. $#{ $found->{batch} })
	{
		my $case = $found->{batch}[$number];
		my ($outcome, $said) = map { $one->{"$number: $_"} // "?\n" } qw(outcome messages);

		if ($outcome =~ /^00000/) { $answered++; } else { $refused++; }
		print "# $case->{name}: ", join('; ', @{ $case->{settings} }, $case->{text}), " -> $outcome$said\n" if $talks;
	}
}

# What noise shows of the person by its law is no more than that: with epsilon = 16 it can be
# seen of an answer to a few rows that it is NULL.  With a 256th of that it shows each time no more
# than four times in five, and what is there without noise shows still.
sub shown_anyhow
{
	my ($batch, $left) = @_;

	return $left unless @$batch == 1;
	local $batch->[0]{settings} = [ @{ $batch->[0]{settings} }, 'SET dpsens.epsilon = 0.0625' ];
	my $again = finding($batch);
	my %both = map { $_ => 1 } grep { $again->{differs}{$_} } keys %$left;

	return %both ? confirmed($batch, \%both, $again->{both}, $confirm) : {};
}

# What neither chance does, nor what a world has become by and by.
sub certain
{
	my ($found) = @_;
	my $batch = $found->{batch};
	# what is known is not to be found again
	my $is_new = $batch->[0]{parts} && grep { !is_known($batch, $_) } keys %{ $found->{differs} };
	my $left = confirmed($batch, $found->{differs}, $found->{both}, $is_new ? $confirm : 2);

	return $left unless $is_new && %$left;
	$left = shown_anyhow($batch, $left);
	return $left unless %$left;
	make_worlds();
	my $again = finding($batch);
	my %both = map { $_ => $again->{differs}{$_} } grep { $left->{$_} } keys %{ $again->{differs} };

	$found->{both} = $again->{both};
	return confirmed($batch, \%both, $again->{both}, 2);
}

sub examine
{
	my ($batch) = @_;
	my $first = finding($batch);
	my @found;

	count_what_came($first);
	foreach my $found (narrowed($first))
	{
		my $left = certain($found);
		my @left = sort keys %$left;

		dismiss($found, $left);
		# a session that is gone shows nothing more
		@left = grep { /: session$/ } @left if grep { /: session$/ } @left;
		push @found, { batch => $found->{batch}, names => \@left,
			map { my $name = $_; ($name => [ $name =~ /: answer$/ ? $left->{$name} : first_difference($name, map { $_->{$name} } @{ $found->{both} }) ]) } @left } if @left;
	}
	return @found;
}

# Whether all that was found is known, and what to say of it.
sub report
{
	my ($found) = @_;
	my @batch = @{ $found->{batch} };
	my $only = @batch == 1 ? $batch[0] : undef;
	my (@lines, @new);

	foreach my $name (@{ $found->{names} })
	{
		my $known = known_as(\@batch, $name);

		push @new, $name unless $known;
		push @lines, $known ? "known, not closed: $name ($known->{reason})" : ("$name differs", map { "    $_" } @{ $found->{$name} });
	}
	return (1, @lines) unless @new;
	push @lines, "OBSERVER_SEED=$seed OBSERVER_STATEMENTS=$count", map { ("$_->{name}:", map({ "    $_;" } @{ $_->{settings} }), "    $_->{text};") } @batch;
	if ($only && $only->{parts})
	{
		my $least = minimised($only, $new[0]);

		push @lines, 'made smaller:', map({ "    $_;" } @{ $least->{settings} }), "    $least->{text};" if $least != $only;
	}
	return (0, @lines);
}

sub ask_directed
{
	foreach my $case (@directed)
	{
		next if defined $only && $case->{name} !~ /$only/;
		$case->{settings} ||= [];
		my @reports = map { [ report($_) ] } examine([$case]);

		verdict("directed: $case->{name}", !grep({ !$_->[0] } @reports), map { my (undef, @lines) = @$_; @lines } @reports);
	}
}

sub ask_at_random
{
	my (@bad, $known);
	my $asked = 0;

	$asked_again = 0;
	while ($asked < $count)
	{
		my @batch = map { random_case() } 1 .. min($size, $count - $asked);

		# a ledger, and catalogs from which types were dropped, grow
		make_worlds() if int($asked / $worn) != int(($asked + @batch) / $worn);
		$asked += @batch;
		foreach my $found (examine(\@batch))
		{
			my ($ok, @lines) = report($found);

			print map { "# $_\n" } @lines;
			push @bad, map { $_->{name} } @{ $found->{batch} } unless $ok;
			$known++ if $ok;
		}
		print "# $asked asked, ", time - $^T, " s\n" if $asked % 1000 < @batch && $asked < $count;
	}
	verdict("random statements: nothing new is seen", !@bad, "@bad");
	print "# $answered answered, $refused refused, $compared observations compared, $by_chance that differed by chance (", $asked_again - $count, " asked again), ", $known // 0, " statements with what is known\n";
	# which takes time: each is tried again
	print "# by chance: $chance{$_} $_\n" foreach $talks ? sort { $chance{$b} <=> $chance{$a} } keys %chance : ();
	verdict('a half is answered', $answered > $refused);
	verdict("still known: $_->{case}, $_->{what}", $_->{met}, $_->{met} ? () : 'It does not differ any more: take it from the list.') foreach @known;
}

print "# seed $seed, $count statements: OBSERVER_SEED=$seed OBSERVER_STATEMENTS=$count $0\n";
make_worlds();
read_settings();
read_views();
print '# ', scalar(@settings), ' settings, ', scalar(keys %views), ' views from other sessions', $shows_plans ? ', auto_explain' : '', $watches_statements ? '' : ', without pg_stat_statements', "\n";
make_directed();
ask_directed();
ask_at_random() if !defined $only || $only eq 'random';
stop($_) foreach keys %sessions;
drop_worlds() unless $ENV{OBSERVER_KEEP};
print "1..$tests\n";
exit($failed > 0);
