#!/usr/bin/perl
# pictures.pl
#	Pictures of a report (dpsens.report) in headless Chromium, light, dark and as on paper, each at three widths, beside those
#	that are kept in "pictures": means of blocks of 16 x 16 pixels, as small PNGs, and colours, as a list.  TAP; skipped
#	without Chromium.
#
#	pictures.pl --write writes them anew (make page-write): look at the pictures before, which PAGE_KEEP=FOLDER keeps.
#	Pictures that differ are kept anyway, in PAGE_KEEP or build/page, with the blocks marked.
#
# What the machine decides is taken away first: all text is in a font of blocks (Blocks.pm), so that lines break alike
# everywhere, and what the time, the database and the role are called is replaced by as many letters each time.
#
# The tolerance.  What versions of a browser may do differently is to smooth an edge otherwise, or to put it a pixel
# further, by how they round: in a block of 16 x 16 an edge from top to bottom that moves by one pixel moves the mean by a
# sixteenth of the contrast, 16 of 255, and letters have two edges.  So a block is another one if its mean is off by more than 20
# in any of red, green and blue, and none may be.  That lets thin and pale things through, lines of tables and of figures,
# for whose sake colours are compared too: of those that fill 64 pixels or more in rows of at least 6, or columns of 16,
# which edges of letters do not, there have to be at least half as many on both sides, up to 3 in each of red, green and
# blue, which is rounding.
# The test tries itself: style sheets that are wrong are to be found, each where it is wrong, and other ways to draw
# letters are not.
#
# Files: plot/html_style.c, plot/html.c.
#
# In this folder, in a database of its own, with psql's environment variables for a server that has the extension and
# preloads it; needs the superuser.
use strict;
use warnings;
use File::Copy qw(copy);
use File::Path qw(make_path);
use FindBin;
use JSON::PP;
use MIME::Base64 qw(encode_base64 decode_base64);
use lib $FindBin::Bin;
use Blocks;
use Page qw(ok slurp spew psql drop_roles browse attribute finish skip_without_browser $folder);

my $block = 16;
my $far = 20;
my $rounding = 3;
my $least = 64;
my $screen = [ 360, 768, 1280 ];
my $paper = [ 484, 718, 1047 ];		# A5, A4, and A4 across, but for margins of a centimetre, at 96 dots an inch
my %widths = (light => $screen, dark => $screen, print => $paper);
my $kept = $ENV{PAGE_KEEP} // '../../build/page';

skip_without_browser();

# ---- the page ----

my @roles = qw(picture_owner picture_alice picture_bob picture_auditor);

sub today { return join '-', (gmtime)[ 5, 7 ]; }

# Days are counted back from today: one that ends between declarations and report would be one more in the figure.
sub make_page
{
	my $day;
	do
	{
		$day = today();
		drop_roles('picture', @roles);
		psql('-f', 'pictures.sql');
		psql('-c', 'SET dpsens.epsilon = 0.5', '-o', "$folder/picture.html", '-c', q{SELECT dpsens.report('picture.patients')});
		drop_roles('picture', @roles);
	} while $day ne today();
	return slurp("$folder/picture.html");
}

sub masked
{
	my ($html) = @_;

	$html =~ s{Made on [^<]*}{Made on some day in some database by somebody, with some version.} or die "it is not said when the page was made\n";
	$html =~ s{\d{4}-\d\d-\d\d}{2026-01-01}g;
	$html =~ s{style-src 'unsafe-inline'}{style-src 'unsafe-inline'; font-src data:} or die "the page has no policy of its contents\n";
	return $html;
}

# The page in blocks, with a style that is wrong at will.
sub styled
{
	my ($html, $wrong) = @_;
	my $style = Blocks::style() . "<style>$wrong</style>";

	$html =~ s{</head>}{$style</head>} or die "the page has no head\n";
	return $html;
}

# ---- pictures ----

# A picture is a name, the kept one that it is to be like, its scheme and width, the page, and flags of the browser.
sub picture_of
{
	my ($name, $of, $html, @flags) = @_;
	my ($scheme, $width) = split /_/, $of;
	return { name => $name, of => $of, scheme => $scheme, width => $width, html => $html, flags => "@flags" };
}

my @same = ('--virtual-time-budget=20000', '--force-color-profile=srgb', '--force-device-scale-factor=1');

# On paper, what holds in print holds.
my $measure = <<'END';
function measured(frame)
{
	const doc = frame.contentDocument;
	for (const sheet of frame.dataset.scheme === 'print' ? doc.styleSheets : []) {
		for (const rule of sheet.cssRules) {
			if (rule.media && rule.media.mediaText === 'print')
				rule.media.mediaText = 'all';
		}
	}
	frame.style.height = doc.documentElement.scrollHeight + 'px';
	return { name: frame.dataset.name, height: doc.documentElement.scrollHeight, inBlocks: [...doc.fonts].length > 0 && [...doc.fonts].every(f => f.status === 'loaded'),
		sections: [...doc.querySelectorAll('section')].map(s => [s.getAttribute('aria-labelledby'), s.getBoundingClientRect().top]) };
}
window.addEventListener('load', async () => {
	const made = [];
	for (const frame of document.querySelectorAll('iframe')) {
		await frame.contentDocument.fonts.ready;
		made.push(measured(frame));
	}
	document.getElementById('result').textContent = JSON.stringify(made);
});
END

# Pages in frames side by side: browsers have no narrow windows, and one start of a browser is dear.
sub framed
{
	my $frames = join '', map {
		"<iframe data-name=\"$_->{name}\" data-scheme=\"$_->{scheme}\" style=\"width:$_->{width}px;height:800px\" srcdoc=\"" . attribute($_->{html}) . "\"></iframe>\n";
	} @_;

	spew("$folder/frames.html", "<!DOCTYPE html><html><head><title>frames</title><style>body { margin: 0 } div { display: flex; align-items: flex-start } iframe { flex: none; border: 0 } pre { display: none }</style></head>"
		. "<body><div>$frames</div><pre id=\"result\"></pre><script>\n$measure</script></body></html>\n");
	return "file://$folder/frames.html";
}

sub result_of
{
	my ($output) = @_;
	my ($json) = $output =~ m{<pre id="result">(.*?)</pre>}s;

	die "the browser did not come to an end: " . substr(slurp("$folder/messages"), 0, 2000) . "\n" if !defined $json || $json eq '';
	$json =~ s/&lt;/</g;
	$json =~ s/&gt;/>/g;
	$json =~ s/&amp;/&/g;
	return map { ($_->{name} => $_) } @{ decode_json($json) };
}

# How high they are, and where their sections are.
sub measure
{
	for my $dark (0, 1)
	{
		my @pictures = grep { ($_->{scheme} eq 'dark') == $dark } @_ or next;
		my ($output) = browse($dark ? 'dark' : 'light', @same, '--dump-dom', framed(@pictures));
		my %of = result_of($output);
		$_->{page} = $of{ $_->{name} } // die "$_->{name} was not measured\n" for @pictures;
	}
}

# Pictures that can be taken at once, in lists of some 2,500 pixels width.
sub rows_of
{
	my (%open, @rows);

	for my $picture (@_)
	{
		my $alike = ($picture->{scheme} eq 'dark') . " $picture->{flags}";
		my $row = $open{$alike};
		if (!defined $row || $row->{width} + $picture->{width} > 2500)
		{
			$row = $open{$alike} = { file => "$folder/row_" . @rows . '.png', width => 0, height => 0, pictures => [] };
			push @rows, $row;
		}
		@$picture{qw(file x)} = ($row->{file}, $row->{width});
		push @{ $row->{pictures} }, $picture;
		$row->{width} += $picture->{width};
		$row->{height} = $picture->{page}{height} if $picture->{page}{height} > $row->{height};
	}
	return @rows;
}

sub take
{
	my ($row) = @_;
	my $one = $row->{pictures}[0];
	my (undef, @messages) = browse($one->{scheme}, @same, split(/ /, $one->{flags}), "--window-size=$row->{width},$row->{height}", "--screenshot=$row->{file}", framed(@{ $row->{pictures} }));

	push @messages, 'there is no picture: ' . substr(slurp("$folder/messages"), 0, 500) if !-e $row->{file};
	$_->{messages} = [ @messages, $_->{page}{inBlocks} ? () : 'letters are not in blocks' ] for @{ $row->{pictures} };
}

sub inline { return 'data:image/png;base64,' . encode_base64(slurp($_[0]), ''); }

# What pictures.js says of them.
sub compare
{
	my (@pictures) = @_;
	my $html = "<!DOCTYPE html><html><head><title>pictures</title></head><body data-block=\"$block\" data-far=\"$far\">\n";

	for my $picture (@pictures)
	{
		my $want = "pictures/$picture->{of}.png";
		$html .= "<data data-name=\"$picture->{name}\" data-file=\"$picture->{file}\" data-want=\"$want\" data-x=\"$picture->{x}\" data-width=\"$picture->{width}\" data-height=\"$picture->{page}{height}\" data-mark=\"" . ($picture->{name} eq $picture->{of} ? 1 : 0) . "\"></data>\n";
	}
	my %files = map { ($_ => 1) } grep { -e $_ } map { ($_->{file}, "pictures/$_->{of}.png") } @pictures;
	$html .= "<img id=\"$_\" src=\"" . inline($_) . "\">\n" for sort keys %files;
	# The images would be in what comes back, else.
	$html .= "<pre id=\"result\"></pre><script>\n" . slurp('pictures.js') . "window.addEventListener('load', () => document.querySelectorAll('img').forEach(i => i.remove()));\n</script></body></html>\n";
	spew("$folder/compare.html", $html);
	my ($output) = browse('light', @same, '--dump-dom', "file://$folder/compare.html");
	my %of = result_of($output);
	$_->{found} = $of{ $_->{name} } // die "$_->{name} was not compared\n" for @pictures;
}

# ---- colours ----

sub kept_colours
{
	my ($name) = @_;
	return map { [ split / / ] } map { /^\Q$name\E ([\d ]+)$/ ? $1 : () } split /\n/, -e 'pictures/colours' ? slurp('pictures/colours') : '';
}

sub near
{
	my ($one, $other) = @_;
	return !grep { abs($one->[$_] - $other->[$_]) > $rounding } 0 .. 2;
}

sub pixels_near
{
	my ($colour, @colours) = @_;
	my $pixels = 0;
	$pixels += $_->[3] for grep { near($colour, $_) } @colours;
	return $pixels;
}

sub lacking
{
	my ($said, $some, $others) = @_;
	return map {
		my $pixels = pixels_near($_, @$others);
		$_->[3] >= $least && $pixels < $_->[3] / 2 ? sprintf('%s colour (%s) on %d pixels, %d %s', $said, join(', ', @$_[ 0 .. 2 ]), $_->[3], $pixels, $said eq 'a new' ? 'before' : 'now') : ();
	} @$some;
}

# ---- what is wrong ----

sub section_at
{
	my ($picture, $y) = @_;
	my $name = 'the head';
	$name = "section $_->[0]" for grep { $_->[1] <= $y } @{ $picture->{page}{sections} };
	return $name;
}

sub wrong_blocks
{
	my ($picture) = @_;
	my (%count, %first, @names);

	for my $wrong (@{ $picture->{found}{wrong} })
	{
		my ($x, $y, undef, $have, $want) = @$wrong;
		my $where = section_at($picture, $y * $block + $block / 2);
		push @names, $where if !$count{$where}++;
		$first{$where} //= sprintf 'the first at x = %d, y = %d, whose mean is (%s) where it was (%s)', $x * $block, $y * $block, join(', ', @$have), join(', ', @$want);
	}
	return map { "$count{$_} blocks differ in $_: $first{$_}" } @names;
}

sub problems
{
	my ($picture) = @_;
	my $found = $picture->{found};
	my @colours = kept_colours($picture->{of});

	return "there is no pictures/$picture->{of}.png (make page-write)" if !$found->{kept};
	return (wrong_blocks($picture), ("@{ $found->{size} }" eq "@{ $found->{kept} }" ? () : sprintf('%d x %d blocks, where it was %d x %d', @{ $found->{size} }, @{ $found->{kept} })),
		lacking('a new', $found->{colours}, \@colours), lacking('no more', \@colours, $found->{colours}));
}

sub keep
{
	my ($picture) = @_;
	my $plain = "$kept/$picture->{name}.png";
	my $marked = "$kept/$picture->{name}_marked.png";

	make_path($kept);
	copy($picture->{file}, $plain) or die "$plain: $!\n";
	return "see $plain, from x = $picture->{x} on" if !defined $picture->{found}{marked};
	spew($marked, decode_base64($picture->{found}{marked} =~ s/^.*?,//r));
	return "see $plain, from x = $picture->{x} on, and, with the blocks marked that differ, $marked";
}

sub write_anew
{
	my (@pictures) = @_;
	my $colours = "# picture; red, green, blue of what is flat; pixels (pictures.pl --write)\n";

	for my $picture (@pictures)
	{
		spew("pictures/$picture->{name}.png", decode_base64($picture->{found}{small} =~ s/^.*?,//r));
		my @colours = sort { $b->[3] <=> $a->[3] || "@$a" cmp "@$b" } grep { $_->[3] >= $least / 2 } @{ $picture->{found}{colours} };
		$colours .= join '', map { "$picture->{name} @$_\n" } @colours;
	}
	spew('pictures/colours', $colours);
}

# ---- what it should notice, and what it should not ----

# Name, picture, where it is wrong, style.
my @wrong = (
	[ 'a figure that is hidden', 'light_768', qr/section budgets/, 'section[aria-labelledby="budgets"] figure:first-of-type svg { visibility: hidden }' ],
	[ 'a figure that is missing', 'light_360', qr/section expressions/, 'section[aria-labelledby="expressions"] figure { display: none }' ],
	[ 'a table that is cut off below', 'light_1280', qr/section answers/, 'section[aria-labelledby="answers"] .wide { max-height: 5em; overflow: hidden }' ],
	[ 'a table that is cut off at the right', 'print_718', qr/section/, '@media print { table { width: 115% } }' ],
	[ 'a column that is missing', 'light_768', qr/section limits/, 'section[aria-labelledby="limits"] :is(th, td):nth-child(2) { display: none }' ],
	[ 'a section that is further right', 'light_1280', qr/section findings/, 'section[aria-labelledby="findings"] { margin-left: 6px }' ],
	[ 'a section that is further down', 'dark_768', qr/section limits/, 'section[aria-labelledby="limits"] { padding-top: 24px }' ],
	[ 'text of another size', 'light_360', qr/section/, 'table { font-size: 0.85em }' ],
	[ 'another colour of a warning', 'light_360', qr/a new colour \(170, 80, 30\)/, ':root { --mark: #aa501e }' ],
	[ 'another colour of heads of tables', 'light_768', qr/a new colour \(232, 236, 240\)/, ':root { --head: #e8ecf0 }' ],
	[ 'another colour of lines of tables', 'dark_360', qr/a new colour \(50, 53, 58\)/, ':root { --line: #32353a }' ],
	[ 'another colour of a line of a figure', 'light_1280', qr/a new colour \(46, 125, 79\)/, ':root { --bar: #2e7d4f }' ],
	[ 'a page that stays light', 'dark_1280', qr/the head/, ':root { --page: #ffffff }' ],
	[ 'contents that are printed', 'print_484', qr/the head/, 'nav { display: block !important }' ]);

# Name, picture, flags of the browser.
my @harmless = (
	[ 'letters drawn with hints', 'light_768', '--font-render-hinting=full', '--disable-font-subpixel-positioning' ],
	[ 'letters drawn without hints and smoothed in grey alone', 'dark_360', '--font-render-hinting=none', '--disable-lcd-text' ]);

my $html = masked(make_page());
my @plain = map { my $scheme = $_; map { picture_of("${scheme}_$_", "${scheme}_$_", styled($html, '')) } @{ $widths{$scheme} } } qw(light dark print);
my @of_wrong = map { picture_of("wrong_$_", $wrong[$_][1], styled($html, $wrong[$_][3])) } 0 .. $#wrong;
my @of_harmless = map { my ($name, $of, @flags) = @{ $harmless[$_] }; picture_of("harmless_$_", $of, styled($html, ''), @flags) } 0 .. $#harmless;
my @pictures = (@plain, @of_wrong, @of_harmless);

measure(@pictures);
take($_) for rows_of(@pictures);
if (@ARGV && $ARGV[0] eq '--write')
{
	compare(@plain);
	write_anew(@plain);
}
compare(@pictures);
for my $picture (@plain)
{
	my @problems = problems($picture);
	ok(!@{ $picture->{messages} }, "$picture->{name}: it was taken without a message", @{ $picture->{messages} });
	ok(!@problems, "$picture->{name}: it is as it was", @problems ? (keep($picture), @problems) : ());
}
for my $i (0 .. $#wrong)
{
	my @problems = problems($of_wrong[$i]);
	ok(scalar(grep { $_ =~ $wrong[$i][2] } @problems), "it would notice $wrong[$i][0] ($wrong[$i][1]), and say where", @problems);
}
for my $i (0 .. $#harmless)
{
	my @problems = problems($of_harmless[$i]);
	ok(!@problems, "it would let through $harmless[$i][0] ($harmless[$i][1])", @problems);
	print "# $of_harmless[$i]{found}{touched} blocks differ, by at most $of_harmless[$i]{found}{greatest}\n";
}
finish();
