#!/usr/bin/perl
# instructions.pl [--record REASON]
#	Counts the instructions of each piece of work of build/bench/instructions and
#	compares them with those in bench/instructions.txt: a test for each, which
#	fails above 5 % more.  Or records them, and why they are what they are.
#
# Only what the program's own objects execute is counted: libm, libc and GSL have
# other instructions on other processors.  libm has other last digits, too, by
# which a search may take another way, so it is told to do without what not every
# processor has.  Another compiler makes other instructions of the same source,
# so the recorded counts say which made them.
use strict;
use warnings;
use File::Temp qw(tempdir);

my $program = 'build/bench/instructions';
my $recorded = 'bench/instructions.txt';
my $limit = 1.05;

sub skip_all
{
	print "1..0 # SKIP $_[0]\n";
	exit 0;
}

sub one_line
{
	my $line = `$_[0]`;
	return defined $line ? (split /\n/, $line)[0] // '' : '';
}

sub maker
{
	my $compiler = $ENV{CC} || 'cc';
	return join ' ', one_line("$compiler --version 2>/dev/null"), 'for', one_line("$compiler -dumpmachine 2>/dev/null");
}

# The names of all work.
sub works
{
	open my $list, '-|', $program or die "$program: $!\n";
	my @names = map { chomp; $_ } <$list>;
	close $list or die "$program failed\n";
	return @names;
}

# A line of costs belongs to the object that the last "ob=" named; the one after
# "calls=" to what is called.
sub own_instructions
{
	my ($file) = @_;
	my ($own, $called, $count) = (0, 0, 0);

	open my $in, '<', $file or die "$file: $!\n";
	while (my $line = <$in>)
	{
		if ($line =~ /^ob=(.*)/) { $own = $1 =~ m{/instructions$}; }
		elsif ($line =~ /^calls=/) { $called = 1; }
		elsif ($line =~ /^(?:0x[0-9a-f]+|\d+|[+-]\d+|\*)(?: (?:\d+|[+-]\d+|\*))* (\d+)$/)
		{
			$count += $1 if $own && !$called;
			$called = 0;
		}
	}
	close $in;
	return $count;
}

# Of one piece of work; undef if it cannot be run.
sub count_instructions
{
	my ($name, $folder) = @_;
	my $file = "$folder/callgrind.out";

	unlink $file;
	open my $errors, '>', "$folder/errors" or die "$folder/errors: $!\n";
	my $pid = fork // die "fork: $!\n";
	if ($pid == 0)
	{
		$ENV{GLIBC_TUNABLES} = 'glibc.cpu.hwcaps=' . join ',', map { ("-$_", "-${_}_Usable") } qw(FMA FMA4 AVX2 AVX512F);
		open STDERR, '>&', $errors;
		open STDOUT, '>&', $errors;
		exec 'valgrind', '--tool=callgrind', '--toggle-collect=counted_work', '--compress-strings=no', '--compress-pos=no',
			"--callgrind-out-file=$file", $program, $name or exit 127;
	}
	waitpid $pid, 0;
	return $? == 0 && -s $file ? own_instructions($file) : undef;
}

sub read_recorded
{
	my %counts;
	my $made_by = '';

	open my $in, '<', $recorded or return ('', {});
	while (<$in>)
	{
		$made_by = $1 if /^# made by (.*)/;
		$counts{$2} = $1 if /^\s*(\d+)\s+(\w.*)$/;
	}
	close $in;
	return ($made_by, \%counts);
}

sub record
{
	my ($reason, %counts) = @_;
	my @history;

	die "a reason is missing: make instruction-record REASON='...'\n" if $reason !~ /\w/;
	if (open my $in, '<', $recorded)
	{
		@history = grep { /^# 20\d\d-/ } <$in>;
		close $in;
	}
	my (undef, undef, undef, $day, $month, $year) = localtime;
	push @history, sprintf "# %d-%02d-%02d %s\n", $year + 1900, $month + 1, $day, $reason;
	open my $out, '>', $recorded or die "$recorded: $!\n";
	print $out "# Instructions of each piece of work in bench/instructions.c: make instructioncheck.\n# made by ", maker(), "\n", @history;
	printf $out "%12d  %s\n", $counts{$_}, $_ foreach works();
	close $out or die "$recorded: $!\n";
}

chomp(my $valgrind = `command -v valgrind 2>/dev/null`);
skip_all('valgrind is not installed') if $valgrind eq '';
my $folder = tempdir(CLEANUP => 1);
my ($made_by, $before) = read_recorded();
my $is_recording = @ARGV && $ARGV[0] eq '--record';
skip_all("counts were recorded with another compiler, $made_by; here it is " . maker()) if !$is_recording && $made_by ne maker();

my %counts;
my $number = 0;
my $failed = 0;
foreach my $name (works())
{
	my $count = $counts{$name} = count_instructions($name, $folder);
	my $known = $before->{$name};
	my $is_good = defined $count && defined $known && $count <= $limit * $known;

	die "$name cannot be counted\n", `cat $folder/errors` if $is_recording && !defined $count;
	printf "%sok %d - %s: %s\n", $is_good || $is_recording ? '' : 'not ', ++$number, $name,
		!defined $count ? 'cannot be run' : !defined $known ? "$count, not recorded" : sprintf('%d, %+.2f %% of %d', $count, 100 * ($count / $known - 1), $known);
	print map { "# $_" } `tail -5 $folder/errors` if !defined $count;
	print "# if this is meant: make instruction-record REASON='...'\n" if !$is_good && !$is_recording;
	print "# much less than recorded, worth recording\n" if $is_good && $count * $limit < $known;
	$failed++ unless $is_good || $is_recording;
}
record($ARGV[1] // '', %counts) if $is_recording;
print "1..$number\n";
exit($failed > 0);
