#!/usr/bin/perl
# reference.pl [--write]
#	The pages of docs/reference, made from what a server with the extension says of itself:
#	functions, aggregates and views from their comments, settings from pg_settings, operations
#	from dpsens.operations(); which release an aggregate is computed from is in
#	src/agg/statistics.def and src/moment/moment_statistics.def.  Without --write a test a page: is it up to date?
#
# In the root of the tree, with psql's environment variables for a server that has the
# extension's files; needs the superuser.
use strict;
use warnings;
use JSON::PP;

$ENV{PGOPTIONS} = '-c client_min_messages=warning';

my $database = 'dpsens_reference';
my $folder = 'docs/reference';
my $writes = @ARGV && $ARGV[0] eq '--write';

# What each part of the install script is about; '' holds none that people call.
my %topics = (
	'05' => 'Versions', 10 => 'Declarations', 12 => 'Declarations', 20 => 'Analysis without data', 22 => 'Analysis without data',
	23 => 'Analysis without data', 25 => 'Analysis without data', 30 => 'Registered expressions',
	40 => '', 42 => '', 44 => '', 45 => '', 48 => 'Answers', 49 => '', 50 => 'Answers',
	60 => 'Audit', 61 => 'Figures', 62 => 'Audit', 70 => 'Budgets and the ledger', 71 => 'Budgets and the ledger',
	72 => 'Budgets and the ledger', 73 => 'Security', 80 => 'Models', 81 => 'Training', 82 => 'Tensors', 83 => 'Images', 84 => 'Budgets and the ledger', 85 => 'Budgets and the ledger',
	86 => 'Budgets and the ledger',
);

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or return '';
	local $/;
	return scalar <$file>;
}

sub psql
{
	my ($in, $sql) = @_;
	open my $psql, '-|', qw(psql -XAtq -v ON_ERROR_STOP=1 -d), $in, '-c', $sql or die "psql: $!\n";
	local $/;
	my $said = <$psql>;
	close $psql or die "psql failed: $sql\n";
	return $said // '';
}

# Rows as hashes, in the order of the query.
sub rows
{
	my ($sql) = @_;
	return @{ decode_json(psql($database, "SELECT COALESCE(json_agg(r), '[]') FROM ($sql) r")) };
}

# ---- text ----

# Characters that would mean something; comments are plain text.
sub plain
{
	my ($text) = @_;
	$text =~ s/([*<>\[\]\\`|]|(?<!\w)_|_(?!\w))/\\$1/g;
	return $text;
}

sub cell
{
	my ($text) = @_;
	return defined $text ? plain($text) =~ s/\s*\n\s*/ /gr : '';
}

# A comment: its lines are paragraphs.
sub paragraphs
{
	my ($comment) = @_;
	return join "\n\n", map { sentence($_) . (/[.:]$/ ? '' : '.') } grep { /\S/ } split /\n/, $comment;
}

# Names of arguments and columns, before a colon, stay as they are.
sub sentence
{
	my ($line) = @_;
	return "`$1`" . plain($2) if $line =~ /^((?!Errors)\w+(?:, \w+)*)(:.*)/;
	return plain($line =~ /^[a-z]+[._]/ ? $line : ucfirst $line);
}

sub head
{
	my ($title, $what) = @_;
	return "# $title\n\n$what This page is made by `make reference`; what it says is changed where it is defined.\n";
}

# ---- pages ----

# In which parts functions are made; of several the first.
sub parts
{
	my %part;
	for my $file (sort glob 'sql/[0-9]*.sql') {
		my ($number) = $file =~ m{/(\d+)_};
		die "$file: reference.pl has no topic for it\n" if $number > 0 && $number < 90 && !defined $topics{$number};
		$part{$_} //= $number for slurp($file) =~ /^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE|VIEW) (?:dpsens\.|\@extschema\@\.)?(\w+)/gm;
	}
	return \%part;
}

sub functions_page
{
	my $part = parts();
	my (%by_topic, %seen);
	my @all = rows(q{
		SELECT proname AS name, n.nspname AS schema, prokind AS kind, pg_get_function_identity_arguments(p.oid) AS identity,
			pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result, obj_description(p.oid, 'pg_proc') AS comment
		FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
			JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
			JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'dpsens'
		WHERE prokind IN ('f', 'p') AND n.nspname <> 'dpsens_internal'
		ORDER BY proname, p.oid});

	for my $row (@all) {
		my $topic = $topics{ $part->{ $row->{name} } // die "$row->{name}: made in no part\n" };
		die "$row->{name}: no topic\n" if $topic eq '';
		push @{ $by_topic{$topic} }, $row;
	}
	my $page = head('Functions', 'Functions that people call, in schema `dpsens` unless another is named; aggregates are in [aggregates.md](aggregates.md), views in [views.md](views.md).');
	for my $topic (topics_in_order()) {
		next if !$by_topic{$topic};
		$page .= "\n## $topic\n";
		$page .= function_entry($_, $seen{ $_->{name} }++) for @{ $by_topic{$topic} };
	}
	return $page;
}

sub topics_in_order
{
	my %met;
	return grep { $_ ne '' && !$met{$_}++ } map { $topics{$_} } sort { $a <=> $b } keys %topics;
}

sub function_entry
{
	my ($row, $again) = @_;
	my $name = $row->{schema} eq 'dpsens' ? "dpsens.$row->{name}" : $row->{name};
	my @inputs = map { s/^IN //r } split_arguments($row->{arguments});
	my @outputs = map { s/^OUT //r } grep { /^OUT / } @inputs;
	@inputs = grep { !/^OUT / } @inputs;
	my $result = $row->{kind} eq 'p' ? '' : @outputs
		? ($row->{result} =~ /^SETOF/ ? ' RETURNS SETOF ' : ' RETURNS ') . '(' . join(', ', @outputs) . ')' : " RETURNS $row->{result}";
	my $call = ($row->{kind} eq 'p' ? 'CALL ' : '') . "$name(" . join(', ', @inputs) . ')' . $result;
	return ($again ? "\n" : "\n### $name\n\n") . "```\n" . folded($call) . "\n```\n\n" . paragraphs($row->{comment}) . "\n";
}

# At commas that are in no parentheses.
sub split_arguments
{
	my ($text) = @_;
	my @parts = ('');
	my $depth = 0;
	for my $token ($text =~ /('(?:[^']|'')*'|[(),]|[^'(),]+)/g) {
		$depth += $token eq '(' ? 1 : $token eq ')' ? -1 : 0;
		if ($token eq ',' && $depth == 0) { push @parts, ''; } else { $parts[-1] .= $token; }
	}
	return grep { $_ ne '' } map { s/^\s+|\s+$//gr =~ s/'::[\w ]+$/'/r =~ s/NULL::[\w ]+(?:\[\])?$/NULL/r } @parts;
}

# At commas only.
sub folded
{
	my ($text) = @_;
	my @lines = ('');
	for my $part (split /(?<=,) /, $text) {
		if (length($lines[-1]) + length($part) > 110) { push @lines, "    $part"; } else { $lines[-1] .= ($lines[-1] eq '' ? '' : ' ') . $part; }
	}
	return join "\n", @lines;
}

sub families
{
	my %family;
	my $table = slurp('src/agg/statistics.def');
	push @{ $family{$1} }, $2 while $table =~ /^DPS_STATISTIC\("(\w+)", (\w+),/gm;
	$table = slurp('src/moment/moment_statistics.def');
	push @{ $family{$1} }, 'moments' while $table =~ /^DPS_MOMENT_STATISTIC\("(\w+)",/gm;
	return \%family;
}

sub aggregates_page
{
	my $family = families();
	my (%rows, @names);
	for my $row (rows(q{
		SELECT proname AS name, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result, obj_description(p.oid, 'pg_proc') AS comment
		FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
			JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'dpsens'
		WHERE prokind = 'a' AND proname LIKE 'dp\_%' ORDER BY proname, pronargs, 2})) {
		push @names, $row->{name} if !$rows{ $row->{name} };
		push @{ $rows{ $row->{name} } }, $row;
	}
	my $page = head('Aggregates', 'All take FILTER. The arguments after the values are ε and, of `_ci`, the level. Aggregates that are computed from one release of the same values are charged once.');
	for my $name (@names) {
		my %met;
		my @families = grep { !$met{$_}++ } @{ $family->{$name} // [] };
		$page .= "\n## $name\n\n```\n" . join("\n", map { "$name($_->{arguments}) → $_->{result}" } @{ $rows{$name} }) . "\n```\n";
		$page .= "\nComputed from a release of family " . join(' or ', map { "`$_`" } @families) . ".\n" if @families;
		$page .= "\n" . paragraphs($_) . "\n" for distinct(map { $_->{comment} } @{ $rows{$name} });
	}
	return $page;
}

# Those that differ in how epsilon is given are said once.
sub distinct
{
	my %met;
	return grep { !$met{ s/,? at the (?:given epsilon|epsilon of setting dpsens\.epsilon)//r =~ s/the 95 % interval of its noise|the interval of its noise that has at least the given probability, in \(0, 1\)/the interval/r =~ s/; the level is a constant or a parameter//r }++ }
		grep { !/; see \w+\([^()]*\)$/ } @_;
}

sub views_page
{
	my $page = head('Views', 'Views in schema `dpsens`. What each shows, and of what, its text says.');
	for my $row (rows(q{
		SELECT relname AS name, obj_description(c.oid, 'pg_class') AS comment,
			(SELECT json_agg(json_build_array(attname, format_type(atttypid, atttypmod), col_description(c.oid, attnum)) ORDER BY attnum)
			 FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS columns
		FROM pg_class c WHERE relnamespace = 'dpsens'::regnamespace AND relkind = 'v'
		ORDER BY relname})) {
		$page .= "\n## dpsens.$row->{name}\n\n" . paragraphs($row->{comment}) . "\n\n| column | type |\n|---|---|\n";
		$page .= "| `$_->[0]` | $_->[1] |\n" for @{ $row->{columns} };
	}
	return $page;
}

my %contexts = (user => 'anyone', superuser => 'superusers', sighup => 'configuration file', postmaster => 'configuration file, with a restart');

sub setting_value
{
	my ($row) = @_;
	return 'unset' if $row->{name} =~ /epsilon$/;
	return 'empty' if $row->{boot_val} eq '';
	return $row->{boot_val} . ($row->{unit} ? " $row->{unit}" : '');
}

sub settings_page
{
	my $page = head('Settings', 'Settings of the configuration file, of roles and databases (`ALTER ROLE ... SET`) and of sessions (`SET`). Ranges are the server\'s; what a text adds is checked, too.')
		. "\n| setting | default | range | set by | meaning |\n|---|---|---|---|---|\n";
	for my $row (rows(q{SELECT name, boot_val, unit, context, vartype, min_val, max_val, enumvals, short_desc, extra_desc
			FROM pg_settings WHERE name LIKE 'dpsens.%' ORDER BY name})) {
		my $range = $row->{vartype} eq 'bool' ? 'on, off' : $row->{vartype} eq 'enum' ? join(', ', @{ $row->{enumvals} })
			: $row->{vartype} eq 'string' ? 'a text'
			: $row->{min_val} =~ /Inf/ ? '' : "$row->{min_val} to $row->{max_val}";
		$page .= "| `$row->{name}` | " . setting_value($row) . " | $range | $contexts{$row->{context}} | "
			. cell(join(' ', grep { defined } @$row{qw(short_desc extra_desc)})) . " |\n";
	}
	return $page;
}

sub operations_page
{
	my $page = head('Operations', 'What row expressions are made of, beside columns, constants, CASE, casts and tests of columns of any type ([queries.md](../queries.md#row-expressions)).'
			. ' The last column holds the names of the server\'s internal functions (`pg_proc.prosrc`) that mean the operation.')
		. "\n| operation | arguments | SQL | LaTeX | functions of the server |\n|---|---|---|---|---|\n";
	$page .= "| $_->{name} | $_->{arity} | " . code($_->{sql}) . ' | ' . code($_->{latex}) . ' | ' . cell(join ' ', @{ $_->{builtins} // [] }) . " |\n"
		for rows('SELECT * FROM dpsens.operations()');
	return $page =~ s/\| ([a-z]+_[a-z_0-9]+) \|/'| ' . plain($1) . ' |'/gemr;
}

sub code
{
	my ($text) = @_;
	return defined $text && $text ne '' ? '`' . ($text =~ s/\|/\\|/gr) . '`' : '';
}

my %pages = (functions => \&functions_page, aggregates => \&aggregates_page, views => \&views_page,
	settings => \&settings_page, operations => \&operations_page);

psql('postgres', $_) for "DROP DATABASE IF EXISTS $database WITH (FORCE)", "CREATE DATABASE $database";
psql($database, 'CREATE EXTENSION dpsens');
my $tests = 0;
my $failed = 0;
for my $name (sort keys %pages) {
	my $page = join "\n", map { s/\s+$//r } split /\n/, $pages{$name}->();
	utf8::encode($page) if utf8::is_utf8($page);
	$page .= "\n";
	my $same = slurp("$folder/$name.md") eq $page;
	if ($writes) {
		open my $file, '>', "$folder/$name.md" or die "$folder/$name.md: $!\n";
		print $file $page;
		next;
	}
	$tests++;
	$failed++ if !$same;
	print $same ? '' : 'not ', "ok $tests - $folder/$name.md is up to date\n", $same ? '' : "# make reference\n";
}
psql('postgres', "DROP DATABASE $database WITH (FORCE)");
print "1..$tests\n" if !$writes;
exit($failed > 0);
