# Page.pm
#	What tests of pages share: TAP, files, psql, and headless Chromium (build-aux/setup page).
package Page;
use strict;
use warnings;
use Exporter qw(import);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

our @EXPORT_OK = qw(ok slurp spew psql drop_roles browse attribute finish skip_without_browser $folder);

# PAGE_KEEP=FOLDER keeps pages and pictures there.
our $folder = $ENV{PAGE_KEEP} // tempdir(CLEANUP => 1);
make_path($folder);

my $browser = (grep { -x } map { ("/usr/bin/$_", "/usr/local/bin/$_") } qw(chromium chromium-browser google-chrome))[0];
my $tests = 0;

sub skip_without_browser
{
	return if defined $browser;
	print "1..0 # SKIP there is no Chromium\n";
	exit 0;
}

sub ok
{
	my ($passed, $name, @why) = @_;
	$tests++;
	print $passed ? "ok $tests - $name\n" : "not ok $tests - $name\n";
	print map { "# $_\n" } @why[ 0 .. ($#why > 9 ? 9 : $#why) ] if !$passed;
	return $passed;
}

sub finish { print "1..$tests\n"; }

sub slurp
{
	my ($name) = @_;
	open my $file, '<:raw', $name or die "$name: $!\n";
	local $/;
	return scalar <$file>;
}

sub spew
{
	my ($name, $text) = @_;
	open my $file, '>:raw', $name or die "$name: $!\n";
	print $file $text;
	close $file or die "$name: $!\n";
}

sub psql { system('psql', '-qXAt', @_) == 0 or die "psql failed\n"; }

# The schema of a test, and roles as they are quoted.
sub drop_roles
{
	my ($schema, @roles) = @_;

	psql((map { ('-c', $_) } 'SET client_min_messages = error', "DROP SCHEMA IF EXISTS $schema CASCADE"),
		(map { ('-c', "DO \$\$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE quote_ident(rolname) = '$_') THEN DROP OWNED BY $_; END IF; END \$\$") } @roles),
		map { ('-c', "DROP ROLE IF EXISTS $_") } @roles);
}

# browse(SCHEME, ARGUMENTS): what it writes to the standard output, and its messages.
sub browse
{
	my ($scheme, @arguments) = @_;
	my $preferred = $scheme eq 'dark' ? 0 : 1;
	my @command = ('timeout', '300', $browser, '--headless', '--disable-gpu', '--hide-scrollbars', '--enable-logging=stderr', "--user-data-dir=$folder/profile",
		"--blink-settings=preferredColorScheme=$preferred", ($> == 0 ? '--no-sandbox' : ()), @arguments);

	open my $saved, '>&', \*STDERR or die "$!\n";
	open STDERR, '>', "$folder/messages" or die "$!\n";
	open my $pipe, '-|', @command or die "$browser: $!\n";
	my $output = do { local $/; <$pipe> };
	my $good = close $pipe;
	open STDERR, '>&', $saved or die "$!\n";
	return ($good ? $output // '' : '', grep { /:CONSOLE/ } split /\n/, slurp("$folder/messages"));
}

sub attribute
{
	my ($text) = @_;
	$text =~ s/&/&amp;/g;
	$text =~ s/"/&quot;/g;
	return $text;
}

1;
