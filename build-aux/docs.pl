#!/usr/bin/perl
# docs.pl FOLDER			rewrites the links of copied pages, which have moved
# docs.pl --check FOLDER	looks for links of the site's pages that lead nowhere
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find qw(find);

# Where pages of the tree are in the site.
my %moved = ('README.md' => 'index.md', 'CONTRIBUTING.md' => 'contributing.md', 'CHANGELOG.md' => 'changelog.md',
	'bench/README.md' => 'benchmarks.md', 'demo/README.md' => 'survey.md');
my %from = map { $moved{$_} => $_ } keys %moved;
my $check = @ARGV && $ARGV[0] eq '--check' && shift @ARGV;
my ($folder) = @ARGV;
my $failed = 0;

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$file>;
}

# Without "." and "..".
sub plain_path
{
	my @parts;
	for my $part (split m{/}, $_[0]) {
		next if $part eq '.' || $part eq '';
		if ($part eq '..') { pop @parts; } else { push @parts, $part; }
	}
	return join '/', @parts;
}

sub files
{
	my ($ending) = @_;
	my @found;
	find({ no_chdir => 1, wanted => sub { push @found, substr $_, length($folder) + 1 if /\Q$ending\E$/ } }, $folder);
	return sort @found;
}

# From one page of the site to another; undef for what is none.
sub link_to
{
	my ($page, $target) = @_;
	my $in_tree = $from{$page} // "docs/$page";
	my $path = plain_path(dirname($in_tree) . "/$target");
	my $there = $moved{$path} // ($path =~ m{^docs/(.*)} ? $1 : return undef);
	return '../' x ($page =~ tr{/}{}) . $there;
}

sub rewrite_link
{
	my ($page, $mark, $text, $target, $anchor) = @_;
	return "$mark\[$text]($target$anchor)" if $target =~ /^https?:/ || $target eq '';
	my $there = link_to($page, $target);
	return defined $there ? "$mark\[$text]($there$anchor)" : $text;
}

for my $page ($check ? () : files('.md')) {
	my $text = slurp("$folder/$page");
	# code stays as it is, and comments are for test/documents/run.pl
	$text =~ s{(^```.*?^```\s*?$)|(^<!--.*?-->\n)|(?:(!?)\[([^\]\n]*)\]\(([^()\s#]*)(#[^()\s]*)?\))}
		{ defined $1 ? $1 : defined $2 ? '' : rewrite_link($page, $3, $4, $5, $6 // '') }gmse;
	open my $file, '>', "$folder/$page" or die "$folder/$page: $!\n";
	print $file $text;
}

for my $page ($check ? files('.html') : ()) {
	next if $page eq '404.html';
	my $text = slurp("$folder/$page");
	while ($text =~ /\b(?:href|src)="([^"#]*)(?:#([^"]*))?"/g) {
		my ($target, $anchor) = ($1, $2);
		next if $target =~ /^(?:https?|mailto|data):/;
		my $path = $target eq '' ? $page : plain_path(dirname($page) . "/$target");
		$path .= ($path eq '' ? '' : '/') . 'index.html' if -d "$folder/$path";
		if (!-e "$folder/$path") {
			print "$page: no file $target\n";
			$failed = 1;
		} elsif (defined $anchor && $anchor ne '' && $path =~ /\.html$/ && slurp("$folder/$path") !~ /\b(?:id|name)="\Q$anchor\E"/) {
			print "$page: no heading #$anchor in $path\n";
			$failed = 1;
		}
	}
}
exit $failed;
