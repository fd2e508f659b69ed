#!/usr/bin/perl
# links.pl PAGE...
#	Prints links of pages that lead nowhere: to no file, or to no heading of one.
use strict;
use warnings;
use File::Basename qw(dirname);

my %anchors;

# What is shown as code holds no links and no headings.
sub prose
{
	my ($name) = @_;
	open my $file, '<', $name or die "$name: $!\n";
	local $/;
	my $text = <$file>;
	$text =~ s/^```.*?^```\s*$/ $& =~ s{[^\n]}{}gr /gmse;
	$text =~ s/<!--.*?-->/ $& =~ s{[^\n]}{}gr /gse;
	return $text;
}

# As forges and mkdocs make them of headings: lower case, no punctuation, spaces as hyphens.
sub anchors
{
	my ($name) = @_;
	$anchors{$name} //= do {
		my %seen;
		my @found = map { s/^\s+|\s+$//gr } prose($name) =~ /^#+ (.*)$/gm;
		+{ map { ($_ => 1) } map { my $n = $seen{$_}++; $n ? "$_-$n" : $_ }
			map { s/[^\w\- ]//gr =~ s/ /-/gr } map { lc } @found };
	};
	return $anchors{$name};
}

for my $name (@ARGV) {
	my $text = prose($name);
	my $line = 1;
	for my $part (split /\n/, $text) {
		$part =~ s/`[^`]*`//g;
		while ($part =~ /\]\(([^()\s]*)\)/g) {
			my ($target, $anchor) = $1 =~ /^([^#]*)(?:#(.*))?$/;
			next if $target =~ /^https?:/;
			my $file = $target eq '' ? $name : dirname($name) . "/$target";
			if (!-e $file) {
				print "$name:$line: no file $target\n";
			} elsif (defined $anchor && !anchors($file)->{$anchor}) {
				print "$name:$line: no heading #$anchor in ", $target || 'this page', "\n";
			}
		}
		$line++;
	}
}
