#!/usr/bin/perl
# map.pl [--missing] [FILE...]
#	Which tests are about a source file, with what says so.  With --missing: the files that no
#	test names, and names in tests that no file has.  A FILE is a part of a path.
#
# Nobody keeps a list: it follows from what is there.
#	calls	a test in C includes the file's header, or calls a function that it defines
#	sql	a test calls a function or an aggregate in SQL that the file defines
#	says	a test or its expected output has a message, a setting or a note of the file
#	breaks	a mutation of the file names the test that notices it (test/mutations/list)
#	keeps	a row of docs/attack-surface.md has both
#	names	a test has the file's path in a comment ("Files:" in its head, where nothing else
#		would say so), or the file's name is its own
use strict;
use warnings;

my $missing = @ARGV && $ARGV[0] eq '--missing' ? shift : '';
my %map;

sub slurp
{
	my ($name) = @_;
	local $/;
	open my $file, '<', $name or die "$name: $!\n";
	return scalar <$file>;
}

sub files
{
	my (@found) = map { glob } @_;
	return grep { -f } @found;
}

sub note
{
	my ($file, $test, $why) = @_;
	$map{$file}{$test}{$why} = 1;
}

# ---- the sources ----

my @sources = map { s{^src/}{}r } files('src/*/*.c src/*/*/*.c src/*/*.def src/*/*/*.def');
my %text = map { $_ => slurp("src/$_") } @sources;
my %is_source = map { $_ => 1 } @sources;
my (%defines, %base);

for my $file (@sources)
{
	$map{$file} = {};
	push @{ $defines{$1} }, $file while $text{$file} =~ /^(\w+)\(/gm;
	push @{ $defines{$1} }, $file while $text{$file} =~ /^(?:const )?\w+ (dps_\w+)(?:\[\])? = \{/gm;
	$base{ $file =~ s{.*/}{}r =~ s/\.\w+$//r } = $file;
}

# ---- the tests ----

# Regression tests with what they print.
my %test = map { $_ => slurp($_) } files('test/*/*.c test/*/*.h test/*/*.sql test/*/*.psql test/*/*.spec test/*/*.sh test/*/*.pl test/stat/epsilon/*.sql');
for my $name (keys %test)
{
	my ($base) = $name =~ m{^test/(?:sql|sql_unpreloaded|specs)/(\w+)\.};
	$test{$name} .= slurp($_) for files($base ? "expected/$base.out expected/${base}_?.out" : ());
}

# ---- what is defined in SQL ----

my (%symbol, %aggregate);
my $parts = join '', map { slurp($_) } files('sql/[0-9]*.sql');
while ($parts =~ /FUNCTION\s+(?:\@extschema\@\.|dpsens\.|dpsens_internal\.)?(\w+)\s*\((?:(?!;\n).)*?'MODULE_PATHNAME'(?:,\s*'(\w+)')?/gs)
{
	$symbol{ $2 // $1 }{$1} = 1;
}
my %words;    # of what is written in SQL: the file
for my $file (@sources)
{
	while ($text{$file} =~ /^(\w+)\((?:PG_FUNCTION_ARGS)\)/gm)
	{
		$words{$_}{$file} = 1 for keys %{ $symbol{$1} || {} };
	}
	$words{$1}{$file} = 1 while $text{$file} =~ /^\t\.name = "(dp_\w+)",$/gm;
	$words{$1}{$file} = 1 while $text{$file} =~ /^DPS_(?:MOMENT_)?STATISTIC\("(\w+)"/gm;
}

# ---- what is said ----

# Parts of literals between what is filled in, long enough to be nobody else's.
sub said
{
	my ($text) = @_;
	my %said;
	$text =~ s{/\*.*?\*/}{}gs;
	while ($text =~ /"((?:[^"\\\n]|\\.)*)"/g)
	{
		my $literal = $1;
		next if $literal =~ m{\.h$|pg_catalog|OPERATOR};
		for my $part (split /%[-+ #0]*[\d.*]*(?:[lhz]*[a-zA-Z])|\\./, $literal)
		{
			$part =~ s/^\s+|\s+$//g;
			$said{$part} = 1 if length $part >= 18 && $part =~ / / || $part =~ /^dpsens\.\w+$/;
		}
	}
	return keys %said;
}

my %by_part;
for my $file (@sources)
{
	$by_part{$_}{$file} = 1 for said($text{$file});
}
delete $by_part{$_} for grep { keys %{ $by_part{$_} } > 2 } keys %by_part;

# ---- the map ----

my %stale;

for my $name (keys %test)
{
	my $text = $test{$name};
	my %word;
	$word{$_} = 1 for $text =~ /\b(\w+)\b/g;
	if ($name =~ /\.[ch]$/)
	{
		while ($text =~ /^#include "(\w+\/[\w\/]+)\.h"/gm)
		{
			note("$1.c", $name, 'calls') if $is_source{"$1.c"};
		}
		note("$1.def", $name, 'calls') while $text =~ /^#include "(\w+\/[\w\/]+)\.def"/gm;
		for my $word (grep { /^dps_/ } keys %word)
		{
			note($_, $name, 'calls') for @{ $defines{$word} || [] };
		}
	}
	else
	{
		for my $word (keys %word)
		{
			note($_, $name, 'sql') for keys %{ $words{$word} || {} };
		}
		for my $part (keys %by_part)
		{
			next if index($text, $part) < 0;
			note($_, $name, 'says') for keys %{ $by_part{$part} };
		}
	}
	while ($text =~ m{(?<![\w/])(?:src/)?((\w+)/(?:\w+/)*\w+\.(?:c|def))\b}g)
	{
		note($1, $name, 'names') if $is_source{$1};
		$stale{"$name: $1"} = 1 if !$is_source{$1} && -d "src/$2";
	}
	my $own = $name =~ s{.*/}{}r =~ s/\.\w+$//r =~ s/^test_//r =~ s/^\d+_//r;
	note($base{$own}, $name, 'names') if $base{$own};
}

# The file of a test that is written as its suite and its name or number.
sub test_of
{
	my ($suite, $name) = @_;
	$suite = '{sql,sql_unpreloaded,specs}' if $suite eq 'regress' || $suite eq 'isolation';
	my ($found) = files("test/$suite/$name.* test/$suite/test_$name.* test/$suite/${name}_*.sql");
	return $found;
}

my $file;
for (split /\n/, slurp('test/mutations/list'))
{
	$file = $1 if m{^file: src/(\S+)};
	next unless m{^tests: (.*)} && defined $file && $is_source{$file};
	note($file, test_of(split m{/}) // "test/$_", 'breaks') for split ' ', $1;
}

# Each row ends with files and with suites and their tests: "pgtap joins, unions; attacks 15".
for my $row (grep { /^\|/ } split /\n/, slurp('docs/attack-surface.md'))
{
	my @cell = split /\s*\|\s*/, $row;
	next if @cell < 6;
	for my $suite (split /\s*;\s*/, $cell[-1])
	{
		next unless $suite =~ m{^(\w+)[ /](.*)};
		my ($folder, $names) = ($1, $2);
		for my $file (grep { $is_source{$_} } $cell[-2] =~ m{\b((?:\w+/)+\w+\.c)\b}g)
		{
			note($file, $_, 'keeps') for map { test_of($folder, $_) // () } $names =~ /\w+/g;
		}
	}
}

print map { "$_\n" } sort keys %stale if $missing;
my @wanted = @ARGV ? grep { my $file = $_; grep { index("src/$file", $_) >= 0 } @ARGV } @sources : @sources;
for my $file (sort @wanted)
{
	my $tests = $map{$file};
	if ($missing)
	{
		print "src/$file\n" unless %$tests;
		next;
	}
	print "src/$file\n";
	print "\t$_ (", join(', ', sort keys %{ $tests->{$_} }), ")\n" for sort keys %$tests;
	print "\tnone\n" unless %$tests;
}
