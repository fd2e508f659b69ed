#!/usr/bin/perl
# mutate.pl [--list | NAME...]
#	Does the suite notice wrong code?  Makes each change of test/mutations/list to a
#	copy of the tree, one at a time, and runs the tests that should fail for it.
#	One that all of them pass has survived, which is a test that is missing, unless
#	the list argues that it changes nothing.  TAP; names choose among the changes.
#	--list only prints what the list has that does not apply to the sources.
#	Those that tests of Citus should notice need CITUS_ROOT=, as make citus does, whose
#	server they are installed into, and are skipped without.
#
#	Root, in a mount namespace of its own: the copy is installed into the server's
#	folders, and nobody else should see that.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);

my $top  = abs_path(dirname(__FILE__) . '/../..');
my $work = "$top/build/mutations";
my $tree = "$work/tree";
my $log  = "$work/log";

# A mutant may never end; one that only took long on a busy machine should be seen.
my $seconds = $ENV{MUTATION_SECONDS} // 600;
my $was_stopped;

chdir $top or die "$top: $!\n";
if ("@ARGV" eq '--list')
{
	for my $mutation (read_list("$top/test/mutations/list"))
	{
		my $places = places($mutation, slurp($mutation->{file}));
		print "$mutation->{name}: $places places of $mutation->{file}\n" if $places != 1;
	}
	exit 0;
}
exec "$top/build-aux/private", $^X, abs_path(__FILE__), @ARGV unless $ENV{DPS_COPIES};

my @mutations = read_list("$top/test/mutations/list");
if (@ARGV)
{
	my %wanted = map { $_ => 1 } @ARGV;
	@mutations = grep { delete $wanted{$_->{name}} } @mutations;
	die "no such mutation: " . join(', ', sort keys %wanted) . "\n" if %wanted;
}
my $citus_root = $ENV{CITUS_ROOT} // '';
die "CITUS_ROOT= must name a folder with the pg_config of a server that has Citus\n" if $citus_root ne '' && !-x "$citus_root/pg_config";
my @skipped = $citus_root ne '' ? () : grep { grep { is_of_citus($_) } @{$_->{tests}} } @mutations;
@mutations = grep { my $one = $_; !grep { $_ == $one } @skipped } @mutations;
$| = 1;
copy_tree();
my $number = 0;
my %failures;

# What fails without a mutation kills nothing.
my %tests = map { $_ => 1 } map { @{$_->{tests}} } @mutations;
build();
install();
for my $test (sort keys %tests)
{
	report(run_test($test), "$test passes without mutations");
}
try($_) for @mutations;
printf "ok %d # SKIP %s: no CITUS_ROOT\n", ++$number, $_->{name} for @skipped;
print "1..$number\n";
printf "# %d mutations, %d survived or failed\n", scalar @mutations, scalar keys %failures;
exit(%failures ? 1 : 0);

sub report
{
	my ($ok, $name, $detail) = @_;
	$number++;
	print $ok ? '' : 'not ', "ok $number - $name\n";
	print "# $detail\n" if defined $detail;
	$failures{$name} = 1 if !$ok;
}

sub read_list
{
	my ($file) = @_;
	my @list;
	my $field;
	open my $in, '<', $file or die "$file: $!\n";
	while (my $line = <$in>)
	{
		next if $line =~ /^#/;
		if ($line =~ /^\s*$/) { undef $field; next }
		if ($line =~ /^name: (\S+)$/) { push @list, {name => $1}; undef $field }
		elsif ($line =~ /^(file|from|to|tests|equivalent):\s?(.*)$/) { $field = $1; $list[-1]{$field} = $2 }
		elsif ($line =~ /^\|(.*)$/ && $field) { $list[-1]{$field} .= "\n$1" }
		else { die "$file:$.: not understood\n" }
	}
	close $in;
	for my $one (@list)
	{
		$_ = defined $_ ? s/^\n//r : '' for @{$one}{qw(from to)};
		$one->{tests} = [split ' ', $one->{tests} // ''];
		die "$file: $one->{name} is incomplete\n" if !$one->{file} || $one->{from} eq '' || !@{$one->{tests}};
	}
	return @list;
}

# With what was compiled, so that little has to be compiled again.
sub copy_tree
{
	my $left_out = join ' ', map { "--exclude=./$_" } qw(.git build/mutations build/fuzz build/bench);
	system("rm -rf '$tree' && mkdir -p '$tree' && tar cf - $left_out . | tar xf - -C '$tree'") == 0
	  or die "the tree cannot be copied\n";
}

sub run
{
	my ($command) = @_;
	my $status = system("cd '$tree' && timeout $seconds bash -c " . quote($command) . " >>'$log' 2>&1 </dev/null");
	$was_stopped = ($status >> 8) == 124;
	return $status == 0;
}

sub quote
{
	my ($text) = @_;
	$text =~ s/'/'\\''/g;
	return "'$text'";
}

# What a mutant does not change was compiled before, where ccache remembers it.
sub make
{
	my ($goals) = @_;
	my $compiler = 'CC="$(command -v ccache) $(${PG_CONFIG:-pg_config} --cc)"';
	return run("make -s -j2 $compiler $goals");
}

sub build { return make('all') }
sub install { return make('install') && ($citus_root eq '' || make("install PG_CONFIG='$citus_root/pg_config'")) }

# Sessions read the rows themselves where the test's kind says so.
my $settings = '';

sub in_cluster { return run("build-aux/cluster $settings bash -c " . quote($_[0])) }

sub is_of_citus { return $_[0] =~ m{^citus/} }

# C tests need no server.
sub is_program { return $_[0] =~ m{^(unit|stat)/test_} }

sub run_test
{
	my ($test) = @_;
	my ($kind, $name) = $test =~ m{^(\w+)/(.+)$} or die "$test: of which kind?\n";
	$settings = $kind =~ s/_in_process$// ? '--set dpsens.clean_rooms=0' : '';
	return make("build/$test") && run("build/$test") if is_program($test);
	my $server = "createdb t && psql -qX -d t -c 'create extension pgtap' && PGDATABASE=t pg_prove";
	return in_cluster("$server test/stat/$name") if $kind eq 'stat';
	return in_cluster("$server test/pgtap/$name.sql") if $kind eq 'pgtap';
	return in_cluster("make -s installcheck REGRESS=$name ISOLATION=") if $kind eq 'regress';
	return in_cluster("make -s installcheck REGRESS= ISOLATION=$name") if $kind eq 'specs';
	return in_cluster("ATTACKS='$name*.sql' test/attacks/run.sh attacks") if $kind eq 'attacks';
	return run("BINDIR=\$(\${PG_CONFIG:-pg_config} --bindir) bash test/crash/$name.sh") if $kind eq 'crash';
	return run("BINDIR=\$('$citus_root/pg_config' --bindir) build-aux/in-memory bash test/citus/$name.sh") if $kind eq 'citus';
	die "$test: of which kind?\n";
}

sub slurp
{
	my ($file) = @_;
	local $/;
	open my $in, '<', $file or die "$file: $!\n";
	return scalar <$in>;
}

sub spit
{
	my ($file, $text) = @_;
	open my $out, '>', $file or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
}

sub places
{
	my ($mutation, $text) = @_;
	return scalar(() = $text =~ /\Q$mutation->{from}\E/g);
}

sub try
{
	my ($mutation) = @_;
	my $file = "$tree/$mutation->{file}";
	my $text = slurp($file);
	my $places = places($mutation, $text);

	if ($places != 1)
	{
		report(0, $mutation->{name}, "it applies at $places places of $mutation->{file}");
		return;
	}
	spit($file, $text =~ s/\Q$mutation->{from}\E/$mutation->{to}/r);
	my ($compiles, $killer) = killer($mutation);
	spit($file, $text);
	if (!$compiles)
	{
		# which tells nothing of the tests
		report(0, $mutation->{name}, 'the compiler refuses it');
		return;
	}
	if (defined $mutation->{equivalent})
	{
		report(!defined $killer, "$mutation->{name} changes nothing: $mutation->{equivalent}", $killer);
		return;
	}
	report(defined $killer, $mutation->{name}, $killer // 'survived ' . join(' ', @{$mutation->{tests}}));
}

# Whether it compiles, and what fails, if anything does.
sub killer
{
	my ($mutation) = @_;
	my $is_installed = 0;

	for my $test (@{$mutation->{tests}})
	{
		if (is_program($test))
		{
			return (0) if !make("build/$test");
		}
		elsif (!$is_installed)
		{
			return (0) if !build();
			install() or die "the mutant cannot be installed: see $log\n";
			$is_installed = 1;
		}
		return (1, "killed by $test" . ($was_stopped ? ", stopped after $seconds s" : '')) if !run_test($test);
	}
	return (1);
}
