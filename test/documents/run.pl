#!/usr/bin/perl
# run.pl
#	Runs the SQL of the documents, one test a block.  A page is a session of psql in a
#	database of its own, of the server that psql's environment variables name.
#
#	run.pl [PAGE...]			README.md and docs/*.md unless told otherwise, in the root of the tree
#	run.pl --write PAGE...		puts what came out in the place of what is shown, to be read before it is kept
#
# Fenced blocks of "sql" are run in order; a block of "text" after one is what psql must say then,
# errors and notices among it.  Comments of the page, which no reader sees:
#
#	<!-- run: SQL -->			run at its place, without an error
#	<!-- noise -->				answers are noisy on this page; they have no noise otherwise
#	<!-- within 40 -->			numbers of the next block may be so far from those shown, and spaces
#								do not count
#	<!-- wrong -->				the next block must fail the test (test/documents/wrong.md)
#
# A tolerance is at least 40 times the scale of the noise, or as wide as the range that answers are
# clamped into: a Laplace draw is farther away with a probability below e^-40.  What noise can make
# NULL, such as a correlation, is not shown.
use strict;
use warnings;
use File::Temp;

use constant MARK => '@@block';
my $statement = qr/(?:SELECT|WITH|CALL|SET|INSERT|CREATE|ALTER|GRANT|EXPLAIN|PREPARE|DECLARE) /;
my $number = qr/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/;
my $database = 'dpsens_documents';
my $writes = @ARGV && $ARGV[0] eq '--write' && shift @ARGV;
my @pages = @ARGV ? @ARGV : ('test/documents/wrong.md', 'README.md', sort glob 'docs/*.md');
my $tests = 0;
my $failed = 0;
$| = 1;

# ---- pages ----

# A directive may stand between what it speaks of and the block before.
sub read_page
{
	my ($name) = @_;
	my %page = (name => $name, blocks => []);
	my %next;
	open my $file, '<', $name or die "$name: $!\n";
	my @lines = <$file>;

	for (my $i = 0; $i < @lines; $i++) {
		if ($lines[$i] =~ /^<!--\s*(.*)/s) {
			my ($first, $text) = ($i, $1);
			$text .= $lines[++$i] while $text !~ /-->/ && $i < $#lines;
			$text =~ s/\s*-->.*//s;
			add_directive(\%page, \%next, $text, $first + 1);
		} elsif ($lines[$i] =~ /^```(\w*)/) {
			my ($kind, $first) = ($1, $i + 1);
			$i++ until $i == $#lines || $lines[$i + 1] =~ /^```\s*$/;
			add_fence(\%page, \%next, $kind, $first, join('', @lines[$first .. $i]));
			$i++;
		} elsif ($lines[$i] =~ /\S/) {
			add_unrun(\%page, \%next, $lines[$i], $i + 1) if $lines[$i] =~ /^(?: {4}|\t)\s*$statement/;
			$page{last} = undef;
		}
	}
	$page{lines} = \@lines;
	return \%page;
}

sub add_directive
{
	my ($page, $next, $text, $line) = @_;

	if ($text =~ /^run:\s*(.*)/s) {
		push @{ $page->{blocks} }, { line => $line, sql => $1, %$next };
		%$next = ();
	} elsif ($text eq 'noise') {
		$page->{noise} = 1;
	} elsif ($text =~ /^within ($number)$/) {
		$next->{within} = $1;
	} elsif ($text eq 'wrong') {
		$next->{wrong} = 1;
	} else {
		die "$page->{name}:$line: unknown comment: $text\n";
	}
}

# SQL that no block of SQL holds.
sub add_unrun
{
	my ($page, $next, $text, $line) = @_;
	push @{ $page->{blocks} }, { line => $line, sql => '', unrun => $text, %$next };
	%$next = ();
}

sub add_fence
{
	my ($page, $next, $kind, $first, $text) = @_;

	if ($kind !~ /^(?:sql|text)$/) {
		add_unrun($page, $next, $text, $first + 1) if $text =~ /^\s*$statement/m;
		return;
	}
	if ($kind eq 'sql') {
		my $block = { line => $first + 1, sql => $text, %$next };
		%$next = ();
		$page->{last} = $block;
		push @{ $page->{blocks} }, $block;
	} elsif ($kind eq 'text') {
		my $block = $page->{last} or die "$page->{name}:$first: text that follows no SQL\n";
		@$block{qw(shown shown_at)} = ($text, $first);
		$page->{last} = undef;
	}
}

# ---- psql ----

# All blocks in one session, with marks between what each of them says.
sub run_page
{
	my ($page) = @_;
	my $script = File::Temp->new(SUFFIX => '.sql');
	local $ENV{PGOPTIONS} = $page->{noise} ? '' : '-c dpsens.noise=off';

	print $script "\\pset footer off\n\\pset pager off\n";
	for my $i (0 .. $#{ $page->{blocks} }) {
		print $script "\\echo ", MARK, " $i\n", $page->{blocks}[$i]{sql}, "\n";
	}
	print $script "\\echo ", MARK, " end\n";
	close $script;
	my $said = `psql -X -q -d $database <$script 2>&1`;
	my (undef, @parts) = split /^@{[MARK]} (\w+)\n/m, $said, -1;
	my %said = @parts;
	$page->{blocks}[$_]{said} = $said{$_} for 0 .. $#{ $page->{blocks} };
}

sub psql_quietly
{
	my ($sql) = @_;
	open my $psql, '|-', qw(psql -XAtq -d postgres -v ON_ERROR_STOP=1) or die "psql: $!\n";
	print $psql $sql;
	close $psql or die "psql failed: $sql\n";
}

# Roles belong to the server, what they own to the database.
sub drop_roles
{
	my ($page) = @_;
	my @roles = map { $_->{sql} =~ /^CREATE ROLE (\w+)/gm } @{ $page->{blocks} };
	psql_quietly(join '', "SET client_min_messages = warning;\n", map { "DROP ROLE IF EXISTS $_;\n" } @roles);
}

sub fresh_database
{
	my ($page) = @_;
	psql_quietly("SET client_min_messages = warning;\nDROP DATABASE IF EXISTS $database WITH (FORCE);\n");
	drop_roles($page);
	# as it is where nobody has set it
	psql_quietly("CREATE DATABASE $database;\nALTER DATABASE $database SET dpsens.answer_epsilon = 1;\n");
}

sub remove_database
{
	my ($page) = @_;
	psql_quietly("DROP DATABASE $database WITH (FORCE);\n");
	drop_roles($page);
}

# ---- comparing ----

sub tidy
{
	my ($text) = @_;
	$text =~ s/^WARNING:  an exact value is released: dpsens.noise is off\n//gm;
	return join "\n", map { s/\s+$//r } split /\n/, $text =~ s/\A\s*\n|\s+\z//gr;
}

sub is_near
{
	my ($shown, $said, $within) = @_;
	my @shown = split ' ', $shown =~ s/^[-+]*--[-+]*$//gmr;
	my @said = split ' ', $said =~ s/^[-+]*--[-+]*$//gmr;

	return 0 if @shown != @said;
	for my $i (0 .. $#shown) {
		next if $shown[$i] eq $said[$i];
		return 0 if $shown[$i] !~ /^$number$/ || $said[$i] !~ /^$number$/ || abs($shown[$i] - $said[$i]) > $within;
	}
	return 1;
}

# What is wrong with a block, or nothing.
sub complaint
{
	my ($block) = @_;
	return "this SQL is not run:\n$block->{unrun}" if defined $block->{unrun};
	return 'psql came to no end' if !defined $block->{said};
	my $said = tidy($block->{said});

	if (!defined $block->{shown}) {
		return $said =~ /^(?:ERROR|FATAL|PANIC|\\?\w+: error):/m ? "an error that is not shown:\n$said" : undef;
	}
	my $shown = tidy($block->{shown});
	return undef if defined $block->{within} ? is_near($shown, $said, $block->{within}) : $shown eq $said;
	return "shown:\n$shown\nsaid:\n$said";
}

sub report
{
	my ($page, $block) = @_;
	my $wrong = complaint($block);
	$wrong = defined $wrong ? undef : 'this must not pass' if $block->{wrong};
	my ($what) = ($block->{unrun} // $block->{sql}) =~ /^\s*(?:--.*\n\s*)*(.{0,60})/;
	$tests++;
	$failed++ if defined $wrong;
	print defined $wrong ? 'not ' : '', "ok $tests - $page->{name}:$block->{line}: ", $what =~ s/[#\\]/ /gr, "\n";
	print map { "# $_\n" } split /\n/, $wrong if defined $wrong;
}

# From the last to the first, so that lines keep their numbers.
sub write_page
{
	my ($page) = @_;
	my $lines = $page->{lines};

	for my $block (reverse @{ $page->{blocks} }) {
		next if !defined $block->{shown} || !defined complaint($block);
		my $length = () = $block->{shown} =~ /\n/g;
		splice @$lines, $block->{shown_at}, $length, tidy($block->{said}) . "\n";
	}
	open my $file, '>', $page->{name} or die "$page->{name}: $!\n";
	print $file @$lines;
}

for my $name (@pages) {
	my $page = read_page($name);

	next if !@{ $page->{blocks} };
	fresh_database($page);
	run_page($page);
	report($page, $_) for @{ $page->{blocks} };
	write_page($page) if $writes;
	remove_database($page);
}
print "1..$tests\n";
exit($failed > 0);
