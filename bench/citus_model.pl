#!/usr/bin/perl
# citus_model.pl PAGE
#	How long a private answer takes on many servers, and whether docs/scale.md says what follows from its own
#	constants: the section "How many servers" ends with a table of constants, and one of times.  It prints what differs.
# citus_model.pl --measured FILE
#	The constants of a run of bench/citus.sh, whose FILE has lines "name|time|time of the coordinator's
#	session|time of all nodes", in milliseconds, and what nodes computed for a fifth of the rows in four times the
#	shards, beside what the model says.
#
#	time = start + shards * shard + (shards / cores) * task + rows / (cores * rate) + groups * (group + shards * state)
#
#	shard, group and state are what the coordinator's session computes, task is what a node computes for a shard
#	beside reading it, above all for its connection, and rate is by what nodes compute for the rows.  In runs of
#	bench/citus.sh each shard has a connection of its own, but for one to each worker, which Citus keeps.
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
	'a sum, rows a second and core' => 'sum', 'a sum in eight groups, rows a second and core' => 'groups', 'a count, rows a second and core' => 'count',
	'units of five rows, rows a second and core' => 'units');

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
	my ($constants, $times) = map { join '', @$_ } (tables($section))[-2, -1];
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
		my @want = map { shown(time_of(\%of, %q, %$_)) } {rate => 'sum'}, {rate => 'groups', groups => 1000}, {rate => 'units'};
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

# Of so many shards of the bench those that are given a new connection.
my $workers_of_bench = 2;
sub connections { return $_[0] - $workers_of_bench }

sub measured
{
	my ($file) = @_;
	my (%ms, %spent, %nodes, %of);
	for (split /\n/, slurp($file))
	{
		my ($name, @numbers) = split /\|/;
		($ms{$name}, $spent{$name}, $nodes{$name}) = map { $_ / 1000 } @numbers, 0, 0;
	}
	my ($rows, $few, $many, $groups) = map { 1000 * $ms{$_} } qw(rows few many declared);
	my $more = $many - $few;
	$of{shard} = ($spent{count_many} - $spent{count_few}) / $more;
	$of{task} = ($nodes{count_many} - $nodes{count_few}) / $more;
	$of{start} = $ms{start_few} - $few * $of{shard};
	$of{state} = (($spent{groups_many} - $spent{count_many}) - ($spent{groups_few} - $spent{count_few})) / $more / $groups;
	$of{group} = ($spent{groups_few} - $spent{count_few}) / $groups - $few * $of{state};
	$of{$_} = $rows / ($nodes{$_} - connections(4) * $of{task}) for qw(sum groups count units);
	printf "%-14s %8.3f ms\n", $_, $of{$_} * 1000 for qw(start shard task);
	printf "%-14s %8.3f us\n", $_, $of{$_} * 1e6 for qw(group state);
	printf "%-14s %8.2f million rows a second and core\n", $_, $of{$_} / 1e6 for qw(sum groups count units);
	for my $rate (qw(sum count groups))
	{
		my ($have, $model) = ($nodes{"fifth_$rate"}, $rows / 5 / $of{$rate} + connections(16) * $of{task});
		printf "%-14s %8.1f ms, by the model %.1f: %.2f\n", "fifth_$rate", 1000 * $have, 1000 * $model, $have / $model;
	}
}

if (@ARGV == 2 && $ARGV[0] eq '--measured') { measured($ARGV[1]) }
elsif (@ARGV == 1) { check_page($ARGV[0]) }
else { die "which page?\n" }
