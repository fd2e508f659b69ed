#!/usr/bin/perl
# copies.pl FILE...
#	What pgTAP files ask about protected tables, asked once more of two copies of these tables, of which one is
#	distributed (copies.sql): without noise both answer the same, and what only the distributed one is refused is
#	refused in words that docs/scale.md has.  Run by copies.sh.
#
#	psql goes through a file in single steps, in a session that records its questions (record.c), and whenever
#	it waits for the next step those of the last one are asked.  What the file finds out itself is not looked at:
#	its questions are.  So a new file needs nothing here.
#
#	Of a file with very many questions the first COPIES_FIRST (40) are asked, and of the others one in sixteen,
#	the same each time; COPIES_ALL=1 asks all.
#
#	RECORDER is the recorder's library, RECORDS the file for its records, DATABASE which one.  COPIES_SHOW=1 shows
#	each question, and what came of it.
use strict;
use warnings;
use Digest::MD5 qw(md5);
use File::Basename qw(dirname basename);
use IPC::Open2;

my ($recorder, $records, $database) = @ENV{qw(RECORDER RECORDS DATABASE)};
my $show = $ENV{COPIES_SHOW};
my $first = $ENV{COPIES_FIRST} // 40;
my $here = dirname(__FILE__);
my $step = '***(press return to proceed or enter x and return to cancel)';
my ($tests, $failures) = ($ENV{FIRST_TESTS} // 0, 0);
$| = 1;
$SIG{PIPE} = 'IGNORE';

# ---- what docs/scale.md says is refused ----

# What messages say of it, and what the page says (test/structure.sh compares).
my @refusals = (
	[qr/not supported by the rights of somebody else/ => 'views whose owner may read the table'],
	[qr/not supported with conditions or keys that this server alone can evaluate/ => 'conditions and keys that are attempted'],
	[qr/not supported for a role without SELECT privilege, with expressions that depend on settings/ => 'expressions of columns whose value depends on settings'],
	[qr/not supported for a role without SELECT privilege/ => 'to roles without SELECT'],
	[qr/together with ".*", which is not distributed/ => 'tables of the coordinator in a join'],
	[qr/together with ".*" that is distributed otherwise/ => 'tables that are distributed otherwise'],
	[qr/in a join with undeclared keys, medians and other choices/ => 'undeclared keys, medians and other choices in joins'],
	[qr/with groups in FROM whose unit is not the distribution column/ => 'groups in FROM whose unit is not the distribution column'],
	[qr/with a union in a join|with joins, views or subqueries in a union|in a union with ".*", which is not distributed alike/ => 'unions in joins, or met by EXISTS and IN of distributed tables, and of views, subqueries, joins or tables that are distributed otherwise'],
	[qr/with WITH queries, functions or groups in FROM/ => 'limits in FROM, and groups and unions of other tables'],
	[qr/a subquery without FROM in a condition/ => 'other subqueries in conditions'],
	[qr/a subquery in a condition other than EXISTS and IN/ => 'other subqueries in conditions'],
	[qr/not supported with expressions of columns that depend on settings/ => 'expressions of columns whose value depends on settings'],
	[qr/not supported for this statement/ => 'other subqueries in conditions'],
	[qr/where a unit has several rows and the table is not distributed by the unit/ => 'units of several rows whose table is distributed by another column'],
	[qr/with undeclared keys, medians and other choices where a unit has several rows/ => 'such units with undeclared keys, medians and other choices'],
	[qr/with types that are not the server's own/ => 'columns of enumerated and other types of the database'],
	[qr/with IS DISTINCT FROM, NULLIF, CASE of a value/ => 'IS DISTINCT FROM, NULLIF, CASE of a value'],
	[qr/dp aggregates are not answered in a statement with table/ => 'a plain read of a table of Citus beside an answer'],
	[qr/where rows have accounts of their own/ => 'row accounting'],
);
sub report
{
	my ($ok, $name, @details) = @_;
	$tests++;
	print $ok ? '' : 'not ', "ok $tests - $name\n";
	print map { s/^/# /gmr . "\n" } @details;
	$failures++ if !$ok;
}

# ---- the session that asks ----

my $marker = 'copies: this was all';
my $asker = open2(my $said, my $tell, 'psql -XAtq -d ' . $database . ' 2>&1');

sub ask
{
	my ($sql) = @_;
	print $tell "$sql\n\\echo $marker\n";
	$tell->flush;
	my $answer = '';
	while (my $line = <$said>)
	{
		return $answer if $line eq "$marker\n";
		$answer .= $line;
	}
	die "Bail out!  the session that asks has ended: $answer\n";
}

# Without noise, of copies of this kind.  Rows have no order.
sub answer_of
{
	my ($kind, $question) = @_;
	my $restricted = $question->{restricted} ? 'on' : 'off';
	ask($question->{settings} . "SET dpsens.noise = off; SET dpsens.debug_restricted = $restricted; SET search_path = " . path($kind, $question->{path}) . ";");
	my $answer = ask("$question->{sql};");
	ask("RESET ALL; SET client_min_messages = error;");
	my ($error) = $answer =~ /^(?:psql:\S+ )?ERROR:\s+(.*)/m;
	return {error => $error, all => $answer} if defined $error;
	return {rows => join "\n", sort split /\n/, $answer};
}

# Copies come before what they are copies of.
sub path
{
	my ($kind, $path) = @_;
	my @schemas = $path =~ /("(?:[^"]|"")*"|[^",\s]+)/g;
	return join ', ', map { my $name = s/^"(.*)"$/$1/sr; ("\"$kind $name\"", $_) } @schemas;
}

# ---- questions ----

my $read_to = 0;

sub new_questions
{
	open my $in, '<', $records or return;
	seek $in, $read_to, 0;
	local $/;
	my $text = <$in> // '';
	$read_to += length $text;
	return map { parse($_) } split /\x1e/, $text;
}

sub parse
{
	my ($record) = @_;
	return {unbound => 1} if $record eq 'UNBOUND';
	my ($path, $settings, $restricted, $relations, $sql) = split /\x1f/, $record, -1;
	return {path => $path, settings => $settings, restricted => $restricted ne '', relations => [split ' ', $relations], sql => $sql};
}

sub refusal_on_the_page
{
	my ($message) = @_;
	for my $refusal (@refusals)
	{
		return $refusal->[1] if $message =~ $refusal->[0];
	}
	return undef;
}

# What came of copying tables that a node refused: the same again, and again, is not waited for.
my %refused_by_node;

my %asked;

# What came of a question: a word, and what is wrong if something is.
sub compare
{
	my ($question) = @_;
	return ('unbound') if $question->{unbound};
	my $relations = join ',', @{$question->{relations}};
	return ('not copied') if ($refused_by_node{$relations} // 0) > 2;
	my $told = ask("SELECT copies.refresh('{$relations}') || '|', '|' || copies.states('{$relations}');");
	print "# {$relations} $told" if $show;
	my ($why, $states) = $told =~ /^(.*?)\|*([0-9a-f]{32})?\s*$/s;
	# of the same tables as they were
	return () if $asked{join '|', @{$question}{qw(sql settings restricted path)}, $states // ''}++;
	return ('gone', undef, $why) if $why =~ /does not exist/ || $why =~ /could not open relation/;
	# a node refuses what this server does not: a domain's new check, whose function it does not have
	return ('not copied', undef, $why) if $why =~ /failure on connection marked as essential/ && ++$refused_by_node{$relations};
	return ('not copied', "copies cannot be made: $why") if $why =~ /ERROR/;
	return ('not copied', undef, $why) if $why ne '';
	my $there = answer_of('spread', $question);
	my $here = answer_of('local', $question);
	return ('gone', undef, $here->{error}) if defined $here->{error} && $here->{error} =~ /^relation \S+ does not exist/;
	return ('refused by both', undef, $here->{error}) if defined $here->{error} && defined $there->{error};
	return ('wrong', "one server refuses it: $here->{all}the cluster answers $there->{rows}") if defined $here->{error};
	return $here->{rows} eq $there->{rows} ? ('same') : ('wrong', "one server: $here->{rows}\nthe cluster: $there->{rows}") if !defined $there->{error};
	my $line = refusal_on_the_page($there->{error});
	return defined $line ? ('refused', undef, $line) : ('wrong', "refused without words of docs/scale.md: $there->{all}");
}

# ---- files ----

sub run_file
{
	my ($file) = @_;
	my %counts;
	my $questions = 0;
	my @wrong;
	my $environment = "PGOPTIONS='-c session_preload_libraries=$recorder -c record.file=$records -c citus.enable_ddl_propagation=off'";
	my $pid = open2(my $out, my $in, "$environment psql -sXq -d $database -f $file 2>&1");
	my $last = '';
	my $ask_new = sub {
		for my $question (new_questions())
		{
			if (++$questions > $first && !$ENV{COPIES_ALL} && unpack('N', md5($question->{sql} // '')) % 16 != 0)
			{
				$counts{unasked}++;
				next;
			}
			my ($what, $wrong, $detail) = compare($question);
			next if !defined $what;
			$counts{$what}++;
			print '# ', $what, ': ', ($question->{sql} // '') =~ s/\s+/ /gr, defined $detail ? " ($detail)" : '', "\n" if $show;
			push @wrong, "$question->{sql}\n  $question->{settings}$wrong" if defined $wrong;
		}
	};
	while (my $line = <$out>)
	{
		if (index($line, $step) == 0)
		{
			$ask_new->();
			print $in "\n";
			$in->flush;
			next;
		}
		print "# | $line" if $show;
		$last = $line if $line =~ /ERROR|FATAL/;
	}
	$ask_new->();
	waitpid $pid, 0;
	my $status = $? >> 8;
	my $name = basename($file);
	my $answers = ($counts{same} // 0) + ($counts{refused} // 0);
	# where fewer are asked than otherwise, none of them may be one that can be
	$answers ||= $counts{unasked} // 0 if exists $ENV{COPIES_FIRST};
	report($status == 0 && !@wrong && $answers > 0,
		"$name: " . join(', ', map { "$counts{$_} $_" } sort keys %counts),
		@wrong, $status != 0 ? "the file does not run to its end: $last" : (), $answers > 0 ? () : 'no copy is asked about: say so in copies.left_out');
}

print ask('SET client_min_messages = error;'), ask('\i ' . "$here/copies.sql");
for my $file (@ARGV)
{
	run_file($file);
}
print "1..$tests\n";
exit($failures ? 1 : 0);
