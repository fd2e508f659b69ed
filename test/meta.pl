#!/usr/bin/perl
# meta.pl META.json
#	Prints what PGXN's specification of META.json, version 1.0.0, forbids, and what the
#	tree does not have of it.
use strict;
use warnings;
use JSON::PP ();

my @wrong;

# ---- values: each says whether it is one ----

my $number = qr/(?:0|[1-9][0-9]*)/;
my $version = qr/$number\.$number\.$number(?:-[a-zA-Z][-0-9a-zA-Z]*)?/;
my %licence = map { $_ => 1 } qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3
	lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib open_source restricted unrestricted unknown);

sub matching
{
	my ($pattern) = @_;
	return sub { defined $_[0] && !ref $_[0] && $_[0] =~ /\A$pattern\z/ };
}

my $string = matching(qr/.+/s);
my $term = matching(qr{[^\s/\\[:cntrl:]]{2,}});
my $tag = matching(qr{[^/\\[:cntrl:]]{1,256}});
my $url = matching(qr{[a-zA-Z][-+.a-zA-Z0-9]*://[^\s/?#]+\S*});
my $range = matching(qr/(?:0|(?:(?:[<>]=?|[!=]=)\s*)?$version(?:\s*,\s*(?:(?:[<>]=?|[!=]=)\s*)?$version)*)/);
my $licence = sub { $string->($_[0]) && $licence{ $_[0] } };
my $file = sub { $string->($_[0]) && -f $_[0] };

# ---- structures: a hash of [must it be there, what it is], and what other keys mean ----

my %own = (qr/\A[xX]_/ => sub { 1 });

sub one_or_more
{
	my ($kind) = @_;
	return sub {
		my ($value, $name) = @_;
		my @all = ref $value eq 'ARRAY' ? @$value : ($value);
		@all or push @wrong, "$name is empty";
		check($kind, $all[$_], @all > 1 ? "$name\[$_]" : $name) for 0 .. $#all;
		return 1;
	};
}

sub map_of
{
	my ($fields, %others) = @_;
	return sub {
		my ($value, $name) = @_;
		return 0 if ref $value ne 'HASH';
		$fields->{$_}[0] && !exists $value->{$_} and push @wrong, "$name has no $_" for sort keys %$fields;
		for my $key (sort keys %$value) {
			my $kind = $fields->{$key} ? $fields->{$key}[1] : (map { $others{$_} } grep { $key =~ $_ } sort keys %others)[0];
			$kind ? check($kind, $value->{$key}, "$name\{$key}") : push @wrong, "$name must not have $key";
		}
		return 1;
	};
}

sub check
{
	my ($kind, $value, $name) = @_;
	$kind->($value, $name) or push @wrong, "$name is not what it has to be";
}

my $any_term = qr{\A[^\s/\\[:cntrl:]]{2,}\z};
my $relations = map_of({}, qr/\A(?:requires|recommends|suggests|conflicts)\z/ => map_of({}, $any_term => $range));
my $licences = sub { ref $_[0] eq 'HASH' ? map_of({}, qr/./ => $url)->(@_) : one_or_more($licence)->(@_) };

my $meta = map_of({
		name => [ 1, $term ],
		version => [ 1, matching($version) ],
		abstract => [ 1, $string ],
		maintainer => [ 1, one_or_more($string) ],
		license => [ 1, $licences ],
		provides => [ 1, map_of({}, $any_term => map_of({
				file => [ 1, $file ],
				version => [ 1, matching($version) ],
				abstract => [ 0, $string ],
				docfile => [ 0, $file ],
			}, %own)) ],
		'meta-spec' => [ 1, map_of({ version => [ 1, matching(qr/1\.0\.0/) ], url => [ 0, $url ] }, %own) ],
		description => [ 0, $string ],
		generated_by => [ 0, $string ],
		tags => [ 0, one_or_more($tag) ],
		release_status => [ 0, matching(qr/stable|testing|unstable/) ],
		no_index => [ 0, map_of({ file => [ 0, one_or_more($string) ], directory => [ 0, one_or_more($string) ] }, %own) ],
		prereqs => [ 0, map_of({}, qr/\A(?:configure|build|test|runtime|develop)\z/ => $relations, %own) ],
		resources => [ 0, map_of({
				homepage => [ 0, $url ],
				license => [ 0, one_or_more($url) ],
				bugtracker => [ 0, map_of({ web => [ 0, $url ], mailto => [ 0, matching(qr/\S+@\S+/) ] }, %own) ],
				repository => [ 0, map_of({ url => [ 0, $url ], web => [ 0, $url ], type => [ 0, matching(qr/[^A-Z]+/) ] }, %own) ],
			}, %own) ],
	}, %own);

my $text = do { local (@ARGV, $/) = @ARGV; <> };
my $value = eval { JSON::PP->new->utf8->decode($text) };
$value ? check($meta, $value, 'META.json') : push @wrong, "META.json is no JSON: $@";
print map { "$_\n" } @wrong;
exit(@wrong > 0);
