#!/usr/bin/perl
# citus_model.pl PAGE
#	How long a private answer takes on many servers, and whether docs/scale.md says what follows from its own
#	constants: the section "How many servers" has a table of constants, and one of times.  It prints what differs.
# citus_model.pl --measured FILE
#	The constants of a run of bench/citus.sh, whose FILE has lines "name|milliseconds", and the model's times
#	beside those that the run took for other numbers of rows and shards.
#
#	time = start + shards * shard + (shards / cores) * task + rows / (cores * rate) + groups * (group + shards * state)
#
#	shard, group and state are what the coordinator's session computes.  task is what a node does for a shard
#	beside reading it, as its connection and plan, at most: all that both cores do in the time that a shard takes
#	and the coordinator's session does not.
use strict;
use warnings;

sub time_of
{
	my ($of, %q) = @_;
	my $cores = $q{cores} < $q{shards} ? $q{cores} : $q{shards};
	return $of->{start} + $q{shards} * $of->{shard} + $q{shards} / $cores * $of->{task} + $q{rows} / ($cores * $of->{$q{rate}}) + ($q{groups} // 0) * ($of->{group} + $q{shards} * $of->{state});
}

# Two digits, and the unit that suits them; in seconds.
sub shown
{
	my ($seconds) = @_;
	my ($in, $unit) = $seconds < 1 ? ($seconds * 1000, 'ms') : $seconds < 120 ? ($seconds, 's') : ($seconds / 60, 'min');
	my $digits = 1 - int(log($in < 1 ? 1 : $in) / log(10));
	return sprintf('%.*f %s', $digits < 0 ? 0 : $digits, $in >= 100 ? 10 * int($in / 10 + 0.5) : $in, $unit);
}

sub slurp
{
	my ($file) = @_;
	local $/;
	open my $in, '<', $file or die "$file: $!\n";
	return scalar <$in>;
}

my %names = ('a statement' => 'start', 'a shard, on the coordinator' => 'shard', 'a shard, on its node' => 'task', 'a declared group, on the coordinator' => 'group', 'its state from each shard, on the coordinator' => 'state',
	'a sum, rows a second and core' => 'sum', 'a count' => 'count', 'units of five rows' => 'units');

# Cells of the lines that begin with "|", but heads and rulers.
sub rows_of
{
	my ($table) = @_;
	my @rows = map { s/^\|\s*|\s*\|\s*$//g; [split /\s*\|\s*/] } grep { /^\|/ && !/^\|[-| ]+$/ } split /\n/, $table;
	return @rows;
}

sub seconds
{
	my ($text) = @_;
	my %unit = (us => 1e-6, 'µs' => 1e-6, ms => 1e-3, s => 1);
	my ($number, $unit) = $text =~ /^([\d.]+) (\S+)/ or die "no time: $text\n";
	return $unit eq 'million' ? $number * 1e6 : $number * ($unit{$unit} // die "no unit: $text\n");
}

sub check_page
{
	my ($page) = @_;
	my ($section) = slurp($page) =~ /^## How many servers\n(.*?)(?=^## |\z)/ms or return print "$page has no section \"How many servers\"\n";
	my ($constants, $times) = map { join '', @$_ } tables($section);
	my %of;
	for my $row (rows_of($constants))
	{
		$of{$names{$row->[0]}} = seconds($row->[1]) if defined $names{$row->[0]};
	}
	print "the constant \"$_\" is missing\n" for grep { !defined $of{$names{$_}} } sort keys %names;
	my ($head, @rows) = rows_of($times);
	print "there are no times\n" if !@rows;
	for my $row (@rows)
	{
		my ($rows, $workers, @cells) = @$row;
		my $n = 10 ** ($rows =~ /10<sup>(\d+)<\/sup>/ ? $1 : die "how many rows: $rows\n");
		my $cores = 16 * ($workers =~ s/,//gr);
		my %q = (rows => $n, cores => $cores, shards => $cores);
		my @want = map { shown(time_of(\%of, %q, %$_)) } {rate => 'sum'}, {rate => 'sum', groups => 1000}, {rate => 'units'};
		print "$rows rows on $workers workers: have @cells, want ", join(' | ', @want), "\n" if join('|', @cells) ne join('|', @want);
	}
}

sub tables
{
	my ($text) = @_;
	my @tables;
	my $in_table = 0;
	for my $line (split /^/, $text)
	{
		my $is = $line =~ /^\|/;
		push @tables, [] if $is && !$in_table;
		push @{$tables[-1]}, $line if $is;
		$in_table = $is;
	}
	return @tables;
}

sub measured
{
	my ($file) = @_;
	my (%ms, %spent, %of);
	for (split /\n/, slurp($file))
	{
		my ($name, $wall, $spent) = split /\|/;
		($ms{$name}, $spent{$name}) = ($wall, $spent);
	}
	my ($rows, $cores, $few, $many, $groups) = @ms{qw(rows cores few many groups)};
	my $more = $many - $few;
	$of{shard} = ($spent{count_many} - $spent{count_few}) / 1000 / $more;
	$of{task} = $cores * ($ms{count_many} - $ms{count_few}) / 1000 / $more - $of{shard};
	$of{start} = $ms{count_few} / 1000 - $few * $of{shard} - $few / $cores * $of{task};
	$of{state} = (($spent{groups_many} - $spent{count_many}) - ($spent{groups_few} - $spent{count_few})) / 1000 / $more / $groups;
	$of{group} = ($spent{groups_few} - $spent{count_few}) / 1000 / $groups - $few * $of{state};
	for my $rate (qw(sum count units))
	{
		$of{$rate} = $rows / $cores / ($ms{$rate} / 1000 - time_of({%of, none => 1}, rows => 0, rate => 'none', cores => $cores, shards => 4));
	}
	printf "%-14s %8.3f ms\n", $_, $of{$_} * 1000 for qw(start shard task);
	printf "%-14s %8.3f us\n", $_, $of{$_} * 1e6 for qw(group state);
	printf "%-14s %8.2f million rows a second and core\n", $_, $of{$_} / 1e6 for qw(sum count units);
	for my $other (['fifth_sum', rate => 'sum'], ['fifth_count', rate => 'count'], ['fifth_groups', rate => 'sum', groups => 8])
	{
		my ($name, %q) = @$other;
		my $model = 1000 * time_of(\%of, rows => $rows / 5, cores => $cores, shards => 16, %q);
		printf "%-14s %8.1f ms, by the model %.1f: %.2f\n", $name, $ms{$name}, $model, $ms{$name} / $model;
	}
}

if (@ARGV == 2 && $ARGV[0] eq '--measured') { measured($ARGV[1]) }
elsif (@ARGV == 1) { check_page($ARGV[0]) }
else { die "which page?\n" }
