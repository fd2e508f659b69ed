#!/usr/bin/perl
# page.pl
#	Reports (dpsens.report) in headless Chromium: at three widths and on paper, light and dark; what measure.js finds wrong,
#	messages of the console, and where sections are, beside the kept file "layout".  TAP; skipped without Chromium.
#
#	page.pl --write writes "layout" anew: read the pages before.  PAGE_KEEP=FOLDER keeps pages and pictures there.
#
# Here pages have the fonts that there are, so that pictures are compared by what all versions and fonts have in common:
# they are light or dark, and neither empty nor full; sections keep their order, place and width everywhere, and their
# height as far as lines break alike: 35 % is let through, which a column of single letters, or a figure that is missing,
# is not.  Pixels are compared by pictures.pl, which brings a font of its own.
#
# In this folder, in a database of its own, with psql's environment variables for a server that has the extension and
# preloads it; needs the superuser.
use strict;
use warnings;
use Compress::Zlib qw(uncompress);
use FindBin;
use JSON::PP;
use lib $FindBin::Bin;
use Page qw(ok slurp spew psql drop_roles browse attribute finish skip_without_browser $folder);

my @widths = (360, 768, 1280);
my $paper = 718;				# A4 but for margins of a centimetre, at 96 dots an inch

skip_without_browser();

# ---- pages ----

my @roles = ('page_owner', '"page_<b onmouseover=x>"', 'page_an_analyst_whose_name_takes_all_of_the_sixty_three_bytes_x', 'page_auditor');

my $long = 'page.a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name';
my %pages_of = (full => "'$long'", blind => "'$long', rows => false", bare => "'page.bare'");

sub make_pages
{
	drop_roles('page', @roles);
	psql('-f', 'fill.sql');
	psql('-c', 'SET dpsens.epsilon = 0.5', '-o', "$folder/$_.html", '-c', "SELECT dpsens.report($pages_of{$_})") for sort keys %pages_of;
	drop_roles('page', @roles);
}

# ---- the browser ----

# All pages at all widths, each in a frame.
sub frames
{
	my ($scheme) = @_;
	my $html = "<!DOCTYPE html><html><head><title>frames</title></head><body data-scheme=\"$scheme\">\n";

	for my $page (sort keys %pages_of)
	{
		my $source = attribute(slurp("$folder/$page.html"));
		for my $width (@widths, $paper)
		{
			my $on_paper = $width == $paper ? 1 : 0;
			$html .= "<iframe data-page=\"$page\" data-paper=\"$on_paper\" style=\"border:0;width:${width}px;height:800px\" srcdoc=\"$source\"></iframe>\n";
		}
	}
	return $html . "<pre id=\"result\"></pre><script>\n" . slurp('measure.js') . "</script></body></html>\n";
}

sub measured
{
	my ($scheme) = @_;

	spew("$folder/frames_$scheme.html", frames($scheme));
	my ($output, @messages) = browse($scheme, '--dump-dom', "file://$folder/frames_$scheme.html");
	ok(!@messages, "$scheme: no message on the console", @messages);
	my ($json) = $output =~ m{<pre id="result">(\[.*?\])</pre>}s;
	return [] if !ok(defined $json, "$scheme: the pages were measured", 'see what the browser says: ' . substr(slurp("$folder/messages"), 0, 2000));
	$json =~ s/&lt;/</g;
	$json =~ s/&gt;/>/g;
	$json =~ s/&amp;/&/g;
	return decode_json($json);
}

# ---- pictures ----

sub paeth
{
	my ($a, $b, $c) = @_;
	my ($x, $y, $z) = (abs($b - $c), abs($a - $c), abs($a + $b - 2 * $c));
	return $x <= $y && $x <= $z ? $a : $y <= $z ? $b : $c;
}

# The brightness of the pixels of a PNG of 8 bits, from 0 to 1.
sub brightness
{
	my ($png) = @_;
	my ($width, $height, $depth, $type) = unpack 'x16 N N C C', $png;
	my $bytes = $type == 6 ? 4 : 3;
	my ($place, $packed) = (8, '');

	die "a picture of another kind: depth $depth, type $type\n" if $depth != 8 || ($type != 2 && $type != 6);
	while ($place < length $png)
	{
		my ($length, $name) = unpack "x$place N a4", $png;
		$packed .= substr $png, $place + 8, $length if $name eq 'IDAT';
		$place += $length + 12;
	}
	my $raw = uncompress($packed) // die "a picture that cannot be read\n";
	my @before = (0) x ($width * $bytes);
	my @bright;
	for my $y (0 .. $height - 1)
	{
		my ($filter, @row) = unpack 'C*', substr $raw, $y * ($width * $bytes + 1), $width * $bytes + 1;
		for my $i (0 .. $#row)
		{
			my $a = $i >= $bytes ? $row[ $i - $bytes ] : 0;
			my $c = $i >= $bytes ? $before[ $i - $bytes ] : 0;
			$row[$i] = ($row[$i] + ($filter == 1 ? $a : $filter == 2 ? $before[$i] : $filter == 3 ? int(($a + $before[$i]) / 2) : $filter == 4 ? paeth($a, $before[$i], $c) : 0)) & 255;
		}
		push @bright, map { ($row[ $_ * $bytes ] + $row[ $_ * $bytes + 1 ] + $row[ $_ * $bytes + 2 ]) / 765 } 0 .. $width - 1;
		@before = @row;
	}
	return @bright;
}

# The share of pixels that are not of the page's colour is that of its text.
sub look_at
{
	my ($scheme) = @_;
	my ($output, @messages) = browse($scheme, '--window-size=600,500', "--screenshot=$folder/$scheme.png", "file://$folder/full.html");

	ok(!@messages, "$scheme: no message on the console of the page alone", @messages);
	my @bright = brightness(slurp("$folder/$scheme.png"));
	my $ink = grep { $scheme eq 'dark' ? $_ > 0.4 : $_ < 0.6 } @bright;
	my $share = $ink / @bright;
	ok($share > 0.01 && $share < 0.3, "$scheme: the picture has text on a page of the right colour", "share of ink: $share");
}

# ---- what was found ----

sub check_problems
{
	my ($scheme, $page) = @_;
	my $where = "$scheme, $page->{page}, " . ($page->{paper} ? 'paper' : $page->{width});

	ok(!@{ $page->{problems}{$_} }, "$where: $_", @{ $page->{problems}{$_} }) for sort keys %{ $page->{problems} };
	ok($page->{formulas} >= 9 && $page->{figures} >= 7, "$where: there are formulas and figures", "$page->{formulas} and $page->{figures}") if $page->{page} eq 'full';
}

# Lines: page, width, section, left, width, height.
sub layout_of
{
	my ($pages) = @_;
	my @lines;

	for my $page (grep { !$_->{paper} } @$pages)
	{
		push @lines, "$page->{page} $page->{width} @$_" for @{ $page->{sections} };
	}
	return @lines;
}

sub near
{
	my ($have, $want) = @_;
	my @have = split / /, $have;
	my @want = split / /, $want;

	return "@have[0 .. 2]" eq "@want[0 .. 2]" && abs($have[3] - $want[3]) <= 2 && abs($have[4] - $want[4]) <= 4
		&& abs($have[5] - $want[5]) <= 20 + 0.35 * $want[5];
}

sub check_layout
{
	my (@lines) = @_;
	my @kept = grep { !/^#/ } split /\n/, slurp('layout');

	ok(@lines == @kept, 'sections are those that were kept', @lines);
	ok(near($lines[$_] // '- - - 0 0 0', $kept[$_]), "the place of $kept[$_]", 'it is at ' . ($lines[$_] // 'no place')) for 0 .. $#kept;
}

make_pages();
my %pages = map { ($_ => measured($_)) } qw(light dark);
if (@ARGV && $ARGV[0] eq '--write')
{
	spew('layout', join '', "# page, width of the window, section; left, width, height in pixels (page.pl --write)\n", map { "$_\n" } layout_of($pages{light}));
}
for my $scheme (sort keys %pages)
{
	ok(@{ $pages{$scheme} } == keys(%pages_of) * (@widths + 1), "$scheme: all pages at all widths");
	check_problems($scheme, $_) for @{ $pages{$scheme} };
	look_at($scheme);
}
check_layout(layout_of($pages{light}));
finish();
