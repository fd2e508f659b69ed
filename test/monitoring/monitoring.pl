#!/usr/bin/perl
# monitoring.pl
#	What tools/monitoring holds: every query of the exporter's files is run by a role that audits a relation and
#	has nothing else, and has the columns that its metrics name; the dashboard and the rules ask for metrics that the
#	exporter's files make, by labels that they have, and each metric is asked for.  TAP.
#
# In the root of the tree, with psql's environment variables for a server that has the extension and preloads it;
# needs the superuser.
use strict;
use warnings;
use JSON::PP;

my $folder = 'tools/monitoring';
my @collectors = sort glob "$folder/*.collector.yml";
my $database = 'dpsens_monitoring';
my $tests = 0;

sub ok
{
	my ($passed, $name, $why) = @_;
	$tests++;
	print $passed ? "ok $tests - $name\n" : "not ok $tests - $name\n";
	print '# ', join("\n# ", split /\n/, $why), "\n" if !$passed && defined $why;
	return $passed;
}

sub is { my ($have, $want, $name) = @_; return ok($have eq $want, $name, "have: $have\nwant: $want"); }

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$file>;
}

# ---- the exporter's files, of which these words are known ----

sub list { return [ ($_[0] // '') =~ /([A-Za-z_]\w*)/g ]; }

sub read_collector
{
	my (%metrics, %queries, $metric, $query);

	for my $line (map { split /\n/, slurp($_) } @collectors)
	{
		$query = undef if $line =~ /^\S/;
		next if $line =~ /^\s*(#|$)/ && !defined $query;
		if ($line =~ /^  - metric_name: (\w+)$/) { $metric = $metrics{$1} = { key_labels => [] }; $query = undef; }
		elsif ($line =~ /^  - query_name: (\w+)$/) { $query = $1; $queries{$query} = ''; $metric = undef; }
		elsif ($line =~ /^    query: \|$/ && defined $query) { }
		elsif (defined $query && $line =~ /^      (.*)$/) { $queries{$query} .= "$1\n"; }
		elsif (defined $query && $line eq '') { }
		elsif (defined $metric && $line =~ /^    (key_labels|values): \[([\w, ]*)\]$/) { $metric->{$1} = list($2); }
		elsif (defined $metric && $line =~ /^    (type|query_ref): (\w+)$/) { $metric->{$1} = $2; }
		elsif (defined $metric && $line =~ /^    help: '((?:[^']|'')+)'$/) { $metric->{help} = $1; }
		elsif ($line =~ /^(?:collector_name: dpsens\w*|min_interval: \d+[sh]|metrics:|queries:)$/) { $query = undef; }
		else { die "what is this? $line\n"; }
	}
	return (\%metrics, \%queries);
}

my ($metrics, $queries) = read_collector();

for my $name (sort keys %$metrics)
{
	my $metric = $metrics->{$name};
	ok($name =~ /^dpsens_[a-z_]+$/ && ($metric->{type} // '') =~ /^(?:counter|gauge)$/ && ($name =~ /_total$/) == ($metric->{type} eq 'counter')
		&& defined $metric->{help} && @{ $metric->{values} // [] } == 1 && defined $queries->{ $metric->{query_ref} // '' }, "$name is a metric");
}
my %used = map { ($_->{query_ref} => 1) } values %$metrics;
is(join(' ', sort keys %used), join(' ', sort keys %$queries), 'each query has metrics');

# ---- the queries, as an auditor ----

sub psql
{
	my ($sql, @options) = @_;
	open my $psql, '-|', qw(psql -XAtq -v ON_ERROR_STOP=1 -d), $database, @options, '-c', $sql or die "psql: $!\n";
	local $/;
	my $said = <$psql>;
	return close($psql) ? $said // '' : undef;
}

sub clean
{
	system(qw(dropdb --if-exists), $database);
	system(qw(psql -Xq -d postgres -c), "DROP ROLE IF EXISTS monitoring_owner, monitoring_ana, monitoring_watcher");
}

$ENV{PGOPTIONS} = '-c client_min_messages=error';
clean();
system('createdb', $database) == 0 or die "createdb failed\n";
open my $setup, '|-', qw(psql -Xq -v ON_ERROR_STOP=1 -o /dev/null -d), $database or die "psql: $!\n";
print $setup <<'SQL';
CREATE EXTENSION dpsens;
CREATE ROLE monitoring_owner;
CREATE ROLE monitoring_ana;
CREATE ROLE monitoring_watcher LOGIN;
CREATE SCHEMA "Ward 1" AUTHORIZATION monitoring_owner;
GRANT USAGE ON SCHEMA "Ward 1" TO monitoring_ana;
CREATE TABLE "Ward 1".t (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO "Ward 1".t SELECT i, i % 10 FROM generate_series(1, 100) i;
CREATE TABLE public.other (id int PRIMARY KEY);
ALTER TABLE "Ward 1".t OWNER TO monitoring_owner;
DO $$ BEGIN
    PERFORM dpsens.protect('other', unit => 'id'), dpsens.set_budget('other', epsilon => 1);
    PERFORM dpsens.protect('"Ward 1".t', unit => 'id'), dpsens.set_range('"Ward 1".t', 'x', 0, 9);
    PERFORM dpsens.set_budget('"Ward 1".t', rho => 4), dpsens.grant_budget('"Ward 1".t', 'monitoring_ana', epsilon => 4);
    PERFORM dpsens.set_column_budget('"Ward 1".t', 'x', epsilon => 9, delta => 1e-6), dpsens.set_entity_budget('"Ward 1".t', epsilon => 9);
    PERFORM dpsens.grant_entity_budget('"Ward 1".t', 'monitoring_ana', epsilon => 8);
    PERFORM dpsens.grant_audit('"Ward 1".t', 'monitoring_watcher', rows => false);
END $$;
SET ROLE monitoring_ana;
DO $$ BEGIN PERFORM dp_sum(x, 1), dp_count(true, 1) FROM "Ward 1".t; END $$;
DO $$ BEGIN PERFORM dp_count(true, 5) FROM "Ward 1".t; EXCEPTION WHEN configuration_limit_exceeded THEN END $$;
SQL
ok(close($setup), 'there are answers, a refusal and budgets of all kinds') or exit 1;

# Of rows that are objects of JSON.
sub rows_of
{
	my ($name) = @_;
	my $said = psql("SET ROLE monitoring_watcher; SELECT COALESCE(json_agg(q), '[]') FROM ($queries->{$name}) q");
	return defined $said ? decode_json($said) : undef;
}

my %rows = map { ($_ => rows_of($_)) } sort keys %$queries;
for my $name (sort keys %$queries)
{
	next unless ok(defined $rows{$name}, "query $name is answered to an auditor");
	ok(@{ $rows{$name} } > 0, 'and finds something');
	# sql_exporter prepares them
	ok(defined psql("SET ROLE monitoring_watcher; PREPARE p AS $queries->{$name}; EXECUTE p"), 'prepared as well');
}
for my $name (sort keys %$metrics)
{
	my $metric = $metrics->{$name};
	my @rows = @{ $rows{ $metric->{query_ref} } // [] };
	my %seen;

	ok(!(grep { my $row = $_; grep { !exists $row->{$_} } @{ $metric->{key_labels} }, @{ $metric->{values} } } @rows), "$name has its columns");
	ok((grep { defined $_->{ $metric->{values}[0] } } @rows) > 0, 'and a sample');
	ok(!(grep { my $row = $_; $seen{ join "\0", map { $row->{$_} // '' } @{ $metric->{key_labels} } }++ } @rows), 'no two of the same labels');
	ok(!(grep { my $row = $_; grep { !defined $row->{$_} || ref $row->{$_} } @{ $metric->{key_labels} } } @rows), 'and no label that is null');
}
my %by_kind = map { ("$_->{budget} $_->{role}$_->{column}" => $_->{left_ratio}) } @{ $rows{dpsens_budgets} };
is(join(', ', sort keys %by_kind), 'column x, entity , relation , role monitoring_ana, role_on_entity monitoring_ana', 'budgets of all kinds, and of no other relation');
is($by_kind{'role monitoring_ana'}, 0.5, 'half of it is spent');
is($by_kind{'role_on_entity monitoring_ana'}, 0.75, 'and a quarter of what the role may be told of a person');
my ($told) = grep { $_->{role} eq 'monitoring_ana' } @{ $rows{dpsens_stat} };
is(join(' ', @$told{qw(relation statements answers refusals)}), '"Ward 1".t 1 2 1', 'and what was asked is told, by one name of the relation');
is(join(' ', grep { $_ ne '"Ward 1".t' } map { $_->{relation} } map { @$_ } grep { exists $_->[0]{relation} } values %rows), '', 'by all queries alike');
is($rows{dpsens_seals}[0]{findings}, 0, 'nothing was altered');
clean();

# ---- what asks for metrics ----

# Names of metrics in an expression, and whether labels that it names are those of all of them.
sub check_expression
{
	my ($where, $expression, $asked) = @_;
	my @names = $expression =~ /\b(dpsens_\w+)/g;
	my @labels = ((map { /(\w+)\s*(?:=~|!~|!=|=)/g } $expression =~ /\{([^}]*)\}/g), (map { @{ list($_) } } $expression =~ /\bby \(([^)]*)\)/g),
		$expression =~ /^label_values\(\w+, (\w+)\)$/);
	my @unknown = grep { !$metrics->{$_} } @names;
	for my $name (grep { $metrics->{$_} } @names)
	{
		my %has = map { ($_ => 1) } @{ $metrics->{$name}{key_labels} };
		push @unknown, grep { !$has{$_} } @labels;
		push @unknown, "increase($name)" if $expression =~ /\b(?:increase|rate)\($name\b/ && $metrics->{$name}{type} ne 'counter';
	}
	$asked->{$_} = 1 for @names;
	return ok(@names > 0 && !@unknown, "$where: $expression", "unknown: @unknown");
}

my %asked;
my $dashboard = decode_json(slurp("$folder/dpsens-dashboard.json"));
for my $panel (@{ $dashboard->{panels} })
{
	check_expression($panel->{title}, $_->{expr}, \%asked) for @{ $panel->{targets} };
	my %labels = map { ($_ => 1) } map { /\{\{(\w+)\}\}/g } map { $_->{legendFormat} } @{ $panel->{targets} };
	my @wrong = grep { my $label = $_; grep { my ($name) = $_->{expr} =~ /(dpsens_\w+)/; !grep { $_ eq $label } @{ $metrics->{$name}{key_labels} } } @{ $panel->{targets} } } keys %labels;
	ok(!@wrong, "$panel->{title}: its legend has labels that there are", "@wrong");
}
check_expression('variable', $_->{query}{query}, \%asked) for grep { $_->{type} eq 'query' } @{ $dashboard->{templating}{list} };
is(join(' ', grep { !$asked{$_} } sort keys %$metrics), '', 'each metric is on the dashboard');
my %ids;
ok(!(grep { $ids{ $_->{id} }++ } @{ $dashboard->{panels} }), 'panels have numbers of their own');

my $rules = slurp("$folder/dpsens.rules.yml");
my @expressions = $rules =~ /^        expr: (.*)$/mg;
my @alerts = $rules =~ /^      - alert: (Dpsens\w+)$/mg;
ok(@alerts > 0 && @expressions == @alerts, 'each rule has an expression');
check_expression('rules', $_, \%asked) for @expressions;
my $example = slurp("$folder/sql_exporter.yml");
for my $file (@collectors)
{
	my ($name) = slurp($file) =~ /^collector_name: (\w+)$/m;
	my ($here) = $file =~ m{([^/]+)$};
	ok($example =~ /^  collectors: \[[^\]]*\b$name\b[^\]]*\]$/m && $example =~ /^  - \Q$here\E$/m, "the example names $name");
}
print "1..$tests\n";
