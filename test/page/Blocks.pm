# Blocks.pm
#	A font whose every letter is the same block, and whose spaces are as wide: with it lines break, and pictures are, alike
#	wherever they are made, whatever fonts there are.  (As Ahem, of the tests of the web's standards, but for all of Unicode.)
#	Made here, so that no file of it has to be kept or fetched.
package Blocks;
use strict;
use warnings;
use MIME::Base64 qw(encode_base64);

use constant { EM => 1000, ADVANCE => 500, ASCENT => 800, DESCENT => 200 };

# Glyphs: 0 what is unknown, 1 a letter, 2 a space, 3 what has no width.
my @advances = (ADVANCE, ADVANCE, ADVANCE, 0);

# First, last, glyph: all characters.
my @characters = (
	[ 0, 0x20, 2 ], [ 0x21, 0x9f, 1 ], [ 0xa0, 0xa0, 2 ], [ 0xa1, 0x1fff, 1 ], [ 0x2000, 0x200a, 2 ], [ 0x200b, 0x200f, 3 ],
	[ 0x2010, 0x205f, 1 ], [ 0x2060, 0x206f, 3 ], [ 0x2070, 0xffff, 1 ], [ 0x10000, 0x10ffff, 1 ]);

# A rectangle, from its lower left corner on; four points, all on the curve.
sub rectangle
{
	my ($left, $bottom, $right, $top) = @_;
	return pack 's> s>4 n n C4 s>4 s>4', 1, $left, $bottom, $right, $top, 3, 0, (1) x 4,
		$left, 0, $right - $left, 0, $bottom, $top - $bottom, 0, $bottom - $top;
}

sub glyphs
{
	my $box = rectangle(40, 0, 460, 600);
	$box .= "\0" x (-length($box) % 4);
	my @glyphs = ($box, $box, '', '');
	my ($glyf, @places) = ('', 0);

	for my $glyph (@glyphs)
	{
		$glyf .= $glyph;
		push @places, length $glyf;
	}
	return ($glyf, pack 'N*', @places);
}

# Format 13: many characters have one glyph.
sub cmap
{
	my $groups = join '', map { pack 'N3', @$_ } @characters;
	return pack('n n n n N', 0, 1, 3, 10, 12) . pack('n n N N N', 13, 0, 16 + length $groups, 0, scalar @characters) . $groups;
}

sub names
{
	my @texts = ([ 1, 'blocks' ], [ 2, 'Regular' ], [ 3, 'blocks 1' ], [ 4, 'blocks' ], [ 5, 'Version 1.0' ], [ 6, 'blocks' ]);
	my ($records, $strings) = ('', '');

	for my $text (@texts)
	{
		my $wide = join '', map { "\0$_" } split //, $text->[1];
		$records .= pack 'n6', 3, 1, 0x409, $text->[0], length $wide, length $strings;
		$strings .= $wide;
	}
	return pack('n3', 0, scalar @texts, 6 + length $records) . $records . $strings;
}

sub tables
{
	my ($glyf, $loca) = glyphs();
	my %tables = (
		'OS/2' => pack('n s> n n n s>11 C10 N4 a4 n n n s>3 n n N2 s>2 n3', 4, ADVANCE, 400, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 250, 0,
			(0) x 10, 1, 0, 0, 0, 'none', 0x40, 0x20, 0xffff, ASCENT, -DESCENT, 0, ASCENT, DESCENT, 1, 0, 600, 600, 0, 0x20, 1),
		cmap => cmap(),
		glyf => $glyf,
		head => pack('N N N N n n q> q> s>4 n n s> s> s>', 0x10000, 0x10000, 0, 0x5f0f3cf5, 3, EM, 0, 0, 0, 0, 500, 600, 0, 8, 2, 1, 0),
		hhea => pack('N s>3 n s>3 s>3 s>4 s> n', 0x10000, ASCENT, -DESCENT, 0, ADVANCE, 0, 0, 500, 1, 0, 0, (0) x 4, 0, scalar @advances),
		hmtx => join('', map { pack 'n s>', $advances[$_], $_ < 2 ? 40 : 0 } 0 .. $#advances),
		loca => $loca,
		maxp => pack('N n14', 0x10000, scalar @advances, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
		name => names(),
		post => pack('N N s> s> N5', 0x30000, 0, -100, 50, 1, 0, 0, 0, 0));
	return \%tables;
}

sub checksum
{
	my ($data) = @_;
	my $sum = 0;
	$sum = ($sum + $_) & 0xffffffff for unpack 'N*', $data . "\0" x (-length($data) % 4);
	return $sum;
}

sub font
{
	my $tables = tables();
	my @tags = sort keys %$tables;
	my $place = 12 + 16 * @tags;
	my ($head, $body) = (pack('N n4', 0x10000, scalar @tags, 128, 3, 16 * @tags - 128), '');

	for my $tag (@tags)
	{
		my $data = $tables->{$tag};
		$head .= pack 'a4 N3', $tag, checksum($data), $place + length $body, length $data;
		$body .= $data . "\0" x (-length($data) % 4);
	}
	my $font = $head . $body;
	my $adjustment = (0xb1b0afba - checksum($font)) & 0xffffffff;
	my ($offset) = map { $place + $_ } index($body, $tables->{head});
	substr $font, $offset + 8, 4, pack 'N', $adjustment;
	return $font;
}

# A style sheet that has all text in blocks.
sub style
{
	return '<style>@font-face { font-family: blocks; src: url(data:font/ttf;base64,' . encode_base64(font(), '') . ') }'
		. ' * { font-family: blocks !important; font-synthesis: none !important; text-rendering: geometricPrecision !important }</style>';
}

1;
