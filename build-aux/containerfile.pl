#!/usr/bin/perl
# containerfile.pl CONTAINERFILE CONTEXT DEBIAN SUITE FOLDER
#	Does what the Containerfile says without a program for images: each of its stages in a
#	copy of the chroot DEBIAN, which stands for the image debian:SUITE, as FOLDER/NAME or
#	FOLDER/NUMBER.  How a container of the last one starts is its /start.  Root.
# containerfile.pl --check CONTAINERFILE
#	Prints what there is of a Containerfile that this does not know, and fails then.
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP qw(decode_json);

my $in_chroot = dirname(__FILE__) . '/in-chroot';
my $path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

# Instructions, each with its arguments and its line.
sub instructions
{
	my ($name) = @_;
	my (@all, $line);

	open my $file, '<', $name or die "$name: $!\n";
	while (<$file>) {
		next if /^\s*(?:#|$)/;
		$line //= $.;
		if (s/\\\n\z//) {
			$_ .= <$file> // '';
			redo;
		}
		/^\s*([A-Z]+)\s+(.*?)\s*\z/s or die "$name:$line: no instruction\n";
		push @all, [ $1, $2, $line ];
		undef $line;
	}
	return @all;
}

# ---- stages ----

my ($context, $debian, $suite, $folder, %arguments, %stages, $stage);

sub run
{
	system(@_) == 0 or die "failed: @_\n";
}

sub expand
{
	my ($text, %known) = @_;
	return $text =~ s/\$\{(\w+)\}/$known{$1} \/\/ die "no value of $1\n"/ger;
}

sub inside
{
	my ($place) = @_;
	return $stage->{root} . ($place =~ m{^/} ? $place : "$stage->{folder}/$place");
}

sub from
{
	my ($image, undef, $name) = $_[0] =~ /^(\S+)(\s+AS\s+(\S+))?\z/ or die "FROM $_[0]?\n";
	expand($image, %arguments) eq "debian:$suite" or die "the chroot is debian:$suite, not $image\n";
	$name //= keys %stages;
	$stage = $stages{$name} = { root => "$folder/$name", folder => '/', user => 'root', environment => { PATH => $path } };
	run('cp', '-a', '--reflink=auto', $debian, $stage->{root});
}

sub copy
{
	my ($from, $rest) = $_[0] =~ /^(?:--from=(\S+)\s+)?(.*)\z/s;
	my @sources = split ' ', $rest;
	my $to = inside(pop @sources);
	my $source = defined $from ? ($stages{$from} // die "no stage $from\n")->{root} : $context;

	for my $pattern (@sources) {
		my @found = glob "$source/$pattern" or die "COPY: there is no $pattern\n";
		# of a folder, what is in it
		run('cp', '-a', '--no-preserve=ownership', -d $_ ? "$_/." : $_, $to) for @found;
	}
}

# A command within the stage, as its user.
sub command
{
	my ($stage, @words) = @_;
	my @user = $stage->{user} eq 'root' ? () : ('runuser', '-u', $stage->{user}, '--');
	return ('env', '-i', "--chdir=$stage->{folder}", (map { "$_=$stage->{environment}{$_}" } sort keys %{ $stage->{environment} }), @user, @words);
}

my %known = (
	ARG => sub { my ($name, $value) = $_[0] =~ /^(\w+)=(.*)\z/ or die "ARG $_[0]?\n"; $arguments{$name} //= $value },
	FROM => \&from,
	WORKDIR => sub { run('mkdir', '-p', inside($_[0])); $stage->{folder} = $_[0] },
	ENV => sub { my ($name, $value) = $_[0] =~ /^(\w+)=(\S*)\z/ or die "ENV $_[0]?\n"; $stage->{environment}{$name} = $value },
	COPY => \&copy,
	RUN => sub { run($in_chroot, $stage->{root}, command($stage, 'sh', '-c', $_[0])) },
	USER => sub { $stage->{user} = $_[0] },
	ENTRYPOINT => sub { $stage->{start} = decode_json($_[0]) },
	# of no account here: a stage is thrown away, and is on the network of its machine
	VOLUME => sub { },
	EXPOSE => sub { },
	STOPSIGNAL => sub { },
);

# What the caller's environment has is kept, as what is given to a container.
sub write_start
{
	my @words = command($stage, @{ $stage->{start} });
	splice @words, 1, 1;
	open my $file, '>', "$stage->{root}/start" or die "$stage->{root}/start: $!\n";
	print $file 'exec ', join(' ', map { "'" . s/'/'\\''/gr . "'" } @words), ' "$@"', "\n";
	close $file;
}

if (@ARGV == 2 && $ARGV[0] eq '--check') {
	my @unknown = grep { !$known{ $_->[0] } } instructions($ARGV[1]);
	print "$ARGV[1]:$_->[2]: $_->[0]\n" for @unknown;
	exit(@unknown > 0);
}
@ARGV == 5 or die "usage: containerfile.pl CONTAINERFILE CONTEXT DEBIAN SUITE FOLDER\n";
(my $containerfile, $context, $debian, $suite, $folder) = @ARGV;
$arguments{DEBIAN} = $suite;
for my $instruction (instructions($containerfile)) {
	my ($name, $text, $line) = @$instruction;
	print "$containerfile:$line: $name $text\n";
	($known{$name} // die "unknown instruction\n")->($text);
}
write_start() if $stage->{start};
