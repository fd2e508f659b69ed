#!/usr/bin/perl
# scale.pl ROWS [JSON]
#	A model of what an answer costs, fitted to bench/scale.sql, checked at two
#	sizes that it was not fitted to, and what it says of sizes that are not here.
#	The status is 1 if a check is off by more than $tolerance.
#
# Milliseconds of one server, p processes of which scan n rows of a table:
#
#	start + launch * (p - 1) + share * rows * (row + value * (columns > 0) + column * columns
#	    + operation * operations [+ group_row * log2(groups)])
#	    [+ group * groups + merge * groups * (p - 1)]
#	share = 1 / (1 + efficiency * (p - 1))
#
# with brackets for GROUP BY, which has coefficients of its own.  They are not
# negative, and make the relative errors' squares least.
use strict;
use warnings;
use List::Util qw(max min sum);

my ($rows, $json) = @ARGV;
my $tolerance = 1.5;
chomp(my $cores = $ENV{SCALE_CORES} || `nproc 2>/dev/null` || 1);
my $shard_ms = 1;	# a round trip to a shard
my $link_ms = 0.02;	# the coordinator's work for each shard's answer

sub measure
{
	open my $in, '-|', 'psql', '-X', '-v', "rows=$rows", '-f', 'bench/scale.sql' or die "psql: $!\n";
	my @cells = map { my %cell; @cell{qw(rows columns operations groups workers ms)} = split; \%cell } grep { /\S/ } <$in>;
	close $in or die "bench/scale.sql failed\n";
	return @cells;
}

# How many of them can run at a time.
sub processes { return min($_[0]{workers} + 1, $_[1]); }

sub log2 { return log($_[0]) / log(2); }

# What the coefficients are multiplied with.
my @names = (
	[qw(start launch row value column operation)],
	[qw(start launch row value column operation group_row group merge)]
);

sub terms
{
	my ($cell, $efficiency, $at_a_time) = @_;
	my $p = processes($cell, $at_a_time);
	my $share = $cell->{rows} / (1 + $efficiency * ($p - 1));
	my @terms = (1, $p - 1, $share, $share * ($cell->{columns} > 0), $share * $cell->{columns}, $share * $cell->{operations});

	push @terms, $share * log2($cell->{groups}), $cell->{groups}, $cell->{groups} * ($p - 1) if $cell->{groups} > 1;
	return @terms;
}

# Least squares without negative coefficients, one coordinate after the other.
sub solve
{
	my ($matrix, $target) = @_;
	my $n = @{ $matrix->[0] };
	my @x = (0) x $n;
	my @left = @$target;

	foreach my $round (1 .. 20000)
	{
		my $moved = 0;

		foreach my $j (0 .. $n - 1)
		{
			my ($up, $down) = (0, 0);
			foreach my $i (0 .. $#$matrix)
			{
				$up += $matrix->[$i][$j] * $left[$i];
				$down += $matrix->[$i][$j] ** 2;
			}
			next if $down == 0;
			my $new = max(0, $x[$j] + $up / $down);
			my $step = $new - $x[$j];
			next if $step == 0;
			$left[$_] -= $step * $matrix->[$_][$j] foreach 0 .. $#$matrix;
			$moved = max($moved, abs($step) * sqrt($down));
			$x[$j] = $new;
		}
		last if $moved < 1e-9;
	}
	return (\@x, sum(map { $_ ** 2 } @left));
}

sub fit
{
	my (@cells) = @_;
	my ($best, $least);

	foreach my $percent (map { 5 * $_ } 0 .. 20)
	{
		my @matrix = map { my $cell = $_; [ map { $_ / $cell->{ms} } terms($cell, $percent / 100, $cores) ] } @cells;
		# columns of one size make the descent quick
		my @size = map { my $j = $_; sqrt(sum(map { $_->[$j] ** 2 } @matrix)) || 1 } 0 .. $#{ $matrix[0] };
		my ($x, $error) = solve([ map { my $line = $_; [ map { $line->[$_] / $size[$_] } 0 .. $#size ] } @matrix ], [ (1) x @cells ]);

		next if defined $least && $error >= $least;
		$least = $error;
		$best = { efficiency => $percent / 100, x => [ map { $x->[$_] / $size[$_] } 0 .. $#size ], spread => sqrt($error / @cells) };
	}
	return $best;
}

sub predict
{
	my ($models, $cell, $at_a_time) = @_;
	my $model = $models->[ $cell->{groups} > 1 ];
	my @terms = terms($cell, $model->{efficiency}, $at_a_time);

	return sum(map { $model->{x}[$_] * $terms[$_] } 0 .. $#terms);
}

# Shards at the same time, then a coordinator who merges their states and
# releases.
sub predict_shards
{
	my ($models, $shards, %cell) = @_;
	my $per_shard = predict($models, { %cell, rows => $cell{rows} / $shards }, $cell{workers} + 1);
	my $grouped = $models->[1];

	return $per_shard if $shards == 1;
	return $per_shard + $shard_ms + $link_ms * $shards + $shards * $cell{groups} * $grouped->{x}[8] + ($cell{groups} > 1 ? $cell{groups} * $grouped->{x}[7] : 0);
}

sub duration
{
	my ($ms) = @_;

	return sprintf('%.3g ms', $ms) if $ms < 1000;
	return sprintf('%.3g s', $ms / 1e3) if $ms < 60_000;
	return sprintf('%.3g min', $ms / 6e4) if $ms < 3_600_000;
	return sprintf('%.3g h', $ms / 3.6e6) if $ms < 86_400_000;
	return sprintf('%.3g days', $ms / 8.64e7);
}

my @cells = measure();
die "nothing was measured\n" if !@cells;
my @models = map { my $grouped = $_; fit(grep { ($_->{groups} > 1) == $grouped && $_->{rows} <= $rows } @cells) } 0, 1;

print "fitted to $rows rows and fewer, on $cores processors; nanoseconds, of start and launch milliseconds\n";
foreach my $grouped (0, 1)
{
	my $model = $models[$grouped];
	print $grouped ? 'GROUP BY:' : 'one group:', (map { sprintf ' %s %.3g,', $names[$grouped][$_], $model->{x}[$_] * ($_ > 1 ? 1e6 : 1) } 0 .. $#{ $model->{x} }),
		sprintf(" efficiency %.2f; relative error %.1f %%\n", $model->{efficiency}, 100 * $model->{spread});
}

my $failed = 0;
printf "\n%12s %8s %11s %8s %8s %12s %12s %8s\n", qw(rows columns operations groups workers predicted measured ratio);
foreach my $cell (grep { $_->{rows} > $rows } @cells)
{
	my $predicted = predict(\@models, $cell, $cores);
	my $ratio = $predicted / $cell->{ms};

	$failed ||= $ratio > $tolerance || $ratio < 1 / $tolerance;
	printf "%12d %8d %11d %8d %8d %12s %12s %8.2f\n", @$cell{qw(rows columns operations groups workers)}, duration($predicted), duration($cell->{ms}), $ratio;
}

my @predictions;
printf "\nprediction: 2 columns, 9 operations; a round trip of %g ms, %g ms for each shard\n%12s %8s %8s %8s %12s\n", $shard_ms, $link_ms, qw(rows shards workers groups time);
foreach my $case ([ 1e9, 1, 0 ], [ 1e9, 1, 15 ], [ 1e10, 10, 15 ], [ 1e11, 100, 15 ], [ 1e12, 100, 15 ], [ 1e12, 1000, 0 ], [ 1e12, 1000, 15 ])
{
	foreach my $groups (1, 1000, 100_000)
	{
		my ($n, $shards, $workers) = @$case;
		my $ms = predict_shards(\@models, $shards, rows => $n, columns => 2, operations => 9, groups => $groups, workers => $workers);

		push @predictions, sprintf '{"rows": %g, "shards": %d, "workers": %d, "groups": %d, "ms": %.6g}', $n, $shards, $workers, $groups, $ms;
		printf "%12g %8d %8d %8d %12s\n", $n, $shards, $workers, $groups, duration($ms);
	}
}

if (defined $json)
{
	open my $out, '>', $json or die "$json: $!\n";
	print $out "{\"rows\": $rows, \"processors\": $cores, \"models\": [\n", join(",\n", map {
		my $grouped = $_;
		my $model = $models[$grouped];
		'  {' . join(', ', map({ sprintf '"%s": %.6g', $names[$grouped][$_], $model->{x}[$_] } 0 .. $#{ $model->{x} }), sprintf('"efficiency": %g', $model->{efficiency}), sprintf('"relative_error": %.4f', $model->{spread})) . '}'
	} 0, 1), "],\n\"cells\": [\n", join(",\n", map { my $cell = $_; '  {' . join(', ', map { "\"$_\": $cell->{$_}" } sort keys %$cell) . '}' } @cells), "],\n\"predictions\": [\n  ", join(",\n  ", @predictions), "]}\n";
	close $out or die "$json: $!\n";
}
print "\na check is off by more than a factor of $tolerance\n" if $failed;
exit $failed;
