#!/usr/bin/perl
# smith.pl
#	Random SQL as an analyst without SELECT privilege, over two neighbouring
#	worlds (smith.sql).  Whatever is asked: no crash, no internal error, no cell
#	of the person by whom the worlds differ in a result or message, no rows where
#	private rows are used beside the aggregates, no answer that is not in the
#	history, and the same outcome in both worlds.
#
# SMITH_STATEMENTS and SMITH_SEED say how many and which; psql's environment
# variables say where.  KEEP=folder keeps scripts and outputs there.
use strict;
use warnings;
use File::Temp qw(tempdir);

my $count = $ENV{SMITH_STATEMENTS} || 2000;
my $seed = $ENV{SMITH_SEED} || time % 1_000_000_000;
my $folder = $ENV{KEEP} || tempdir(CLEANUP => 1);
my $twins = $count < 500 ? $count : 500;
srand $seed;

# ---- what statements are made of ----

my %columns = (
	people => {
		id => 'int4', age => 'float8', pay => 'numeric', name => 'text', note => 'varchar', feels => 'mood', born => 'date',
		seen => 'timestamptz', met => 'timestamp', member => 'bool', small => 'int2', big => 'int8', ratio => 'float4', pad => 'bpchar',
		uid => 'uuid', addr => 'inet', raw => 'bytea', span => 'interval', clock => 'time', label => 'name', bits => 'bit', tags => '_text',
		nums => '_int4', doc => 'jsonb', secret => 'bool'
	},
	parts => { id => 'int4', age => 'float8', name => 'text', member => 'bool' },
	walled => { id => 'int4', age => 'float8', name => 'text', member => 'bool' },
	visits => { id => 'int4', age => 'float8', name => 'text', member => 'bool', label => 'name', seen => 'timestamptz' },
	capped => { id => 'int4', age => 'float8', name => 'text', member => 'bool' },
	rows_of_people => {
		id => 'int4', age => 'float8', name => 'text', feels => 'mood', born => 'date', pay => 'numeric', member => 'bool',
		secret => 'bool', small => 'int2'
	},
);

# Constants of each type: usual, odd, and the person's own cells, but for the
# word that is looked for.
my %constants = (
	int4 => [ 0, 1, -1, 7, 42, 2147483647, -2147483648 ],
	int2 => [ "'0'::int2", "'1'::int2", "'-32768'::int2", "'9'::int2" ],
	int8 => [ "'0'::int8", "'1'::int8", "'-9223372036854775808'::int8", "'1040'::int8" ],
	float8 => [ "'0'::float8", "'1.5'::float8", "'-1e300'::float8", "'NaN'::float8", "'Infinity'::float8", "'40'::float8" ],
	float4 => [ "'0'::float4", "'1.5'::float4", "'NaN'::float4" ],
	numeric => [ '0.0', '1.5', "'NaN'::numeric", "'1e100'::numeric", '10.25' ],
	bool => [ 'true', 'false', 'NULL::bool' ],
	text => [ "''::text", "'1'::text", "'Kana%'::text", "'%a%n%'::text", "'x\\'::text", "'{1}'::text", "'['::text", "'1 day'::text" ],
	varchar => [ "'7'::varchar", "'Kana'::varchar" ],
	bpchar => [ "'12'::bpchar", "'Kanar'::bpchar" ],
	name => [ "'n7'::name", "'Kana'::name" ],
	mood => [ "'sad'::mood", "'calm'::mood" ],
	date => [ "'1980-02-01'::date", "'infinity'::date", "'4713-01-01 BC'::date" ],
	timestamp => [ "'2020-01-01'::timestamp", "'infinity'::timestamp" ],
	timestamptz => [ "'2020-01-01 00:00+00'::timestamptz", "'-infinity'::timestamptz", "'294276-01-01 00:00+00'::timestamptz" ],
	interval => [ "'1 day'::interval", "'178000000 years'::interval", "'00:00'::interval" ],
	time => [ "'12:00'::time", "'24:00'::time" ],
	uuid => [ "'0ab1e700-cafe-4bad-8bad-0000deadbee0'::uuid" ],
	inet => [ "'10.0.0.7'::inet", "'::1'::inet" ],
	bytea => [ "'\\x3132'::bytea", "''::bytea" ],
	bit => [ "B'00000001'", "B'111'" ],
	_text => [ "'{1,2}'::text[]", "'{}'::text[]" ],
	_int4 => [ "'{1,2}'::int4[]", "'{NULL}'::int4[]" ],
	jsonb => [ "'1'::jsonb", "'{\"a\": 2}'::jsonb" ],
);
my @types = sort keys %constants;
my @numbers = qw(int4 float8 numeric int2 int8 float4);

# By result type: [text with %s for each argument, types of the arguments]
my %calls;

sub pick { return $_[ int rand @_ ]; }
sub chance { return rand() < $_[0]; }

sub ask_server
{
	my ($query) = @_;
	open my $out, '-|', 'psql', '-XAtq', '-F', "\t", '-v', 'ON_ERROR_STOP=1', '-c', $query or die "psql: $!\n";
	my @rows = map { chomp; [ split /\t/ ] } <$out>;
	close $out or die "psql failed\n";
	return @rows;
}

sub run_script
{
	my ($script) = @_;
	system('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $script, '-o', '/dev/null') == 0 or die "$script failed\n";
}

# The server's own functions and operators over these types, without those that
# wait, that other sessions feel, whose result is as large as their argument
# says, or that take a typmod and believe it.
sub read_catalog
{
	my $list = join ',', map { "'$_'" } @types;
	my $skip = 'sleep|advisory|set_config|terminate|cancel|reload|rotate|stat_reset|stat_force|stat_clear|backup|wal|promote|repeat|pad$|fill|'
		. 'lo_|loread|lowrite|notify|import|export|create_|drop|replication|logical|snapshot|table_size|relation_size|database_size|total_|'
		. 'txid|xact|currtid|nextval|currval|setval|random|clock_time|timeofday|pg_log|xml|concurrent|extension|gen_ran|recv|send$|has_|seed|queue_usage|file|ls_|safe_';

	foreach my $row (ask_server(
		"SELECT f.proname, r.typname, string_agg(a.typname, ' ' ORDER BY n) FROM pg_proc f JOIN pg_type r ON r.oid = prorettype, "
		. "unnest(proargtypes) WITH ORDINALITY u (t, n), pg_type a WHERE a.oid = t AND pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' "
		. "AND NOT proretset AND pronargs BETWEEN 1 AND 3 AND r.typname IN ($list) AND proname !~ '$skip' "
		. "AND NOT EXISTS (SELECT FROM pg_cast WHERE castfunc = f.oid AND castsource = casttarget) GROUP BY f.oid, 1, 2 HAVING bool_and(a.typname IN ($list)) ORDER BY 2, 1, 3"))
	{
		my @arguments = split / /, $row->[2];
		push @{ $calls{ $row->[1] } }, [ "\"$row->[0]\"(" . join(', ', ('%s') x @arguments) . ')', @arguments ];
	}
	# what the catalog says to take "any" takes anything
	foreach my $type (@types)
	{
		push @{ $calls{text} }, [ 'concat(%s, %s)', 'text', $type ], [ "concat_ws('|', %s, %s)", $type, 'text' ], [ '(%s || %s)', 'text', $type ];
	}
	foreach my $row (ask_server(
		"SELECT oprname, r.typname, coalesce(a.typname, ''), b.typname FROM pg_operator o JOIN pg_type r ON r.oid = oprresult "
		. "LEFT JOIN pg_type a ON a.oid = oprleft JOIN pg_type b ON b.oid = oprright WHERE r.typname IN ($list) "
		. "AND coalesce(a.typname, 'int4') IN ($list) AND b.typname IN ($list) ORDER BY 2, 1, 3, 4"))
	{
		my ($operator, $result, $left, $right) = @$row;

		$operator =~ s/%/%%/g;
		# so that operators are as likely as the far more numerous functions
		push @{ $calls{$result} }, ($left eq '' ? [ "($operator %s)", $right ] : [ "(%s $operator %s)", $left, $right ]) for 1 .. 3;
	}
}

# ---- expressions ----

my $scope;	# columns that may be used, name => type

sub column
{
	my ($type) = @_;
	my @fitting = grep { $scope->{$_} eq $type } sort keys %$scope;

	return @fitting ? pick(@fitting) : undef;
}

sub expression
{
	my ($type, $depth) = @_;
	my $kind = rand;
	my $column = column($type);

	return $column if defined $column && ($depth <= 0 || $kind < 0.4);
	return pick(@{ $constants{$type} }) if $depth <= 0 || $kind < 0.45;
	return 'CASE WHEN ' . condition($depth - 1) . ' THEN ' . expression($type, $depth - 1) . ' ELSE ' . expression($type, $depth - 1) . ' END'
		if $kind < 0.5;
	return 'coalesce(' . expression($type, $depth - 1) . ', ' . expression($type, $depth - 1) . ')' if $kind < 0.53;
	return '(' . expression(pick(@types), $depth - 1) . ")::$type" if $kind < 0.58;
	return '(' . expression('text', $depth - 1) . ")::loud::text" if $kind < 0.585 && $type eq 'text';
	return 'quiet(' . expression('text', $depth - 1) . ')' if $kind < 0.59 && $type eq 'text';
	my $call = $calls{$type} ? pick(@{ $calls{$type} }) : undef;
	return pick(@{ $constants{$type} }) unless $call;
	my ($text, @arguments) = @$call;
	return sprintf $text, map { expression($_, $depth - 1) } @arguments;
}

my @likes = ("'Kana%'", "'%1%'", "'_'", "'%a%r%v%'", "'x\\'", "'1#%' ESCAPE '#'", "name || '%'");
# The last ones are refused.
my @regexes = ("'^Kana'", "'[0-9]+\$'", "'(a|r)*v'", "'a{1,20}.*g'", "'\\mkana'", "'^(?:[A-Z][a-z]*)+\\\\?\$'", "'[[:alpha:]]{2,}?'", "'.*.*.*\\d{40}'", "''",
	"'('", "'(a)\\1'", "'(?=a)'", "'(?i)kana'", "'(.{200}){200}'", 'name');

# What is made of a string, or made a string.
sub made_text
{
	my $column = column('text') // "''::text";
	my $any = pick(sort keys %$scope);
	my $date = column(pick(qw(date timestamp timestamptz interval))) // "'2020-02-02'::date";
	my $number = column(pick(qw(int4 int8 float8 float4 numeric))) // '7';

	return pick("$column || $column", "$column || '-' || $any", "concat($any, $column, NULL)", "concat_ws('-', $column, $any, 1)", "upper($column)", "initcap(lower($column))",
		"substr($column, -1, 3)", "substring($column FROM 2)", "left($column, -2)", "trim($column)", "ltrim($column, 'K')", "replace($column, 'a', 'bcd')", "replace($column, 'a', $column)",
		"translate($column, 'Kan', 'xyz')", "lpad($column, 20)", "rpad($column, 3, '*')", "lpad($column, 2000000000)", "md5($column)", "overlay($column PLACING 'x' FROM 1)",
		"to_char($date, " . pick("'YYYY-MM-DD'", "'IYYY-IW J Q'", "'TMMonth CC'", "'HH12:MI:SS.US AM'", $column) . ')',
		"to_char($number, " . pick("'999.00'", "'FM000000000000'", "'9.9EEEE'", "'RN'", "'99V99'", "'L9G999D99PR'", $column) . ')',
		"to_date($column, 'YYYYMMDD')::text", "to_timestamp($column, 'J')::text", "to_number($column, '99G999D9S')::text", "split_part($column, 'a', -1)", "reverse($column)", "repeat($column, 9)", "string_to_array($column, 'a')::text");
}

# Comparisons of rows, of lists, and with patterns.
sub shaped_condition
{
	my $text = chance(0.5) ? column('text') // "''::text" : made_text();
	my @pair = map { pick(sort keys %$scope) } 1 .. 2;
	my @types = map { $scope->{$_} } @pair;
	my ($left, $right, $more, $still) = map { pick(@{ $constants{$_} }) } @types, @types;
	my $kind = rand;

	return "$text " . pick('~', '~*', '!~', '!~*') . ' ' . pick(@regexes) if $kind < 0.2;
	return "regexp_like($text, " . pick(@regexes) . pick('', ", 'i'", ", 'x'") . ')' if $kind < 0.25;
	return "$text SIMILAR TO " . pick("'Kan(a|o)%'", "'[0-9]+'", "'(a)\\1'") if $kind < 0.3;
	return "$text " . pick('LIKE', 'ILIKE', 'NOT LIKE') . ' ' . pick(@likes) if $kind < 0.4;
	return "$text " . pick('LIKE', 'ILIKE', '~', '!~*') . ' ' . pick('ANY', 'ALL') . ' (' . pick("'{Kana%,1}'", "ARRAY['^Ka', '1+']", "'{(}'", "ARRAY[name, '1']", "'{NULL}'") . ')' if $kind < 0.48;
	return "$text " . pick('=', '<', '>=') . " '" . pick('Kana', '1', '7-7', '') . "'" if $kind < 0.6;
	return "length($text) " . pick('=', '<') . ' ' . pick(2, 9) if $kind < 0.65;
	return "($pair[0], $pair[1]) " . pick('<', '<=', '>', '>=', '=', '<>', 'IS DISTINCT FROM') . " ($left, $right)" if $kind < 0.75;
	return "($pair[0], $pair[1]) " . pick('', 'NOT ') . "IN (($left, $right), ($more, $still))" if $kind < 0.8;
	return "($pair[0], $pair[1]) IS " . pick('', 'NOT ') . 'NULL' if $kind < 0.83;
	return "$pair[0] BETWEEN SYMMETRIC $left AND $more" if $kind < 0.87;
	return "$pair[0] " . pick('=', '<>', '<') . ' ' . pick('ANY', 'ALL') . " (ARRAY[$left, $pair[0], $more])" if $kind < 0.92;
	return "'1' " . pick('= ANY', '<> ALL') . ' (' . (column('_text') // "'{1}'::text[]") . ')' if $kind < 0.95;
	return "extract(" . pick('year', 'dow', 'epoch', 'julian') . ' FROM ' . (column(pick(qw(date timestamp timestamptz interval))) // 'now()') . ') > ' . pick(3, 2000);
}

# Such as are answered, mostly.
sub tame_condition
{
	my ($depth) = @_;
	my $column = pick(sort keys %$scope);
	my $type = $scope->{$column};
	my $kind = rand;

	return shaped_condition() if chance(0.2);
	if ($depth > 0 && $kind < 0.3)
	{
		return '(' . tame_condition($depth - 1) . pick(' AND ', ' OR ') . tame_condition($depth - 1) . ')';
	}
	return 'NOT ' . tame_condition($depth - 1) if $depth > 0 && $kind < 0.35;
	return "$column IS " . pick('', 'NOT ') . 'NULL' if $kind < 0.45;
	return "$column LIKE " . pick("'Kana%'", "'%1%'", "'_'", "'%a%r%v%'") if $type =~ /text|varchar|name/ && $kind < 0.6;
	return "$column IS DISTINCT FROM " . pick(@{ $constants{$type} }) if $kind < 0.55;
	return "$column IN (" . join(', ', map { pick(@{ $constants{$type} }) } 1 .. 2) . ')' if $kind < 0.62;
	return "$column BETWEEN " . pick(@{ $constants{$type} }) . ' AND ' . pick(@{ $constants{$type} }) if $kind < 0.7;
	return "$column" if $type eq 'bool';
	return "$column " . pick('=', '<', '>=', '<>') . ' ' . pick(@{ $constants{$type} });
}

sub condition
{
	my ($depth) = @_;
	my $kind = rand;

	return tame_condition(1) if $depth <= 0 || $kind < 0.3;
	return '(' . condition($depth - 1) . pick(' AND ', ' OR ') . condition($depth - 1) . ')' if $kind < 0.5;
	return pick('leak', 'shout') . '(' . expression('text', $depth - 1) . ')' if $kind < 0.53;
	return '(' . expression('int4', 1) . ') IN (SELECT id FROM shops)' if $kind < 0.55;
	return 'EXISTS (SELECT FROM ' . pick('shops', 'people', 'parts_low') . ' s WHERE s.id = 1)' if $kind < 0.57;
	return '(' . expression('bool', $depth - 1) . ') IS ' . pick('TRUE', 'NOT FALSE', 'UNKNOWN') if $kind < 0.62;
	return expression('bool', $depth);
}

sub some_condition { return chance(0.6) ? tame_condition(2) : condition(3); }

# ---- questions ----

# What may feed aggregates: FROM, and into the scope what it has.
sub source
{
	my $table = chance(0.01) ? 'capped' : pick('people', 'people', 'people', 'people', 'parts', 'walled', 'visits', 'rows_of_people');
	my %all = %{ $columns{$table} };
	my $kind = rand;

	$scope = \%all;
	return joined($table) if $kind < 0.15;
	return union() if $kind < 0.2;
	return $table if $kind < 0.6;
	return "$table" . pick(' TABLESAMPLE SYSTEM (50)', ' FOR UPDATE') if $kind < 0.62;
	my @kept = grep { chance(0.5) } sort keys %all;
	push @kept, grep { !grep { $_ eq 'age' } @kept } 'age';
	my @list = @kept;
	my $where = chance(0.5) ? ' WHERE ' . some_condition() : '';
	if (chance(0.3))
	{
		my $type = pick(@types);
		push @list, expression($type, 2) . ' AS made';
		$all{made} = $type;
		push @kept, 'made';
	}
	push @list, 'leak(name) AS unused' if chance(0.1) && $all{name};
	my $order = chance(0.1) ? ' ORDER BY ' . expression(pick(@types), 2) : chance(0.03) ? ' LIMIT 5' : '';
	$scope = { map { $_ => $all{$_} } @kept };
	return '(SELECT ' . join(', ', @list) . " FROM $table$where$order) AS s";
}

# A public table of the analyst's own, on its key, or now and then on something else.
sub joined
{
	my ($table) = @_;
	my $key = chance(0.5) ? expression('int4', 2) : "$table.id";
	my $on = 'o.' . (chance(0.05) ? 'worth' : 'shop') . pick('', '', '', '', '', '', '', ' + 0') . pick('=', '=', '=', '=', '=', '=', '=', '<=') . " $key";

	%$scope = (%$scope, shop => 'int4', city => 'text', worth => 'float8');
	$on .= pick(' AND ', ' AND ', ' AND ', ' OR ') . some_condition() if chance(0.4);
	return "$table " . pick('JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN') . " shops AS o (shop, city, worth) ON $on" if chance(0.9);
	return "$table JOIN " . pick('people', 'walled', 'parts', 'parts_low', 'rows_of_people') . " AS o (shop) ON o.shop = $table.id";
}

sub union
{
	my @arms = map { "SELECT id, age, name, member FROM $_" . (chance(0.5) ? ' WHERE ' . tame_condition(1) : '') }
		map { $scope = { %{ $columns{parts} } }; $_ } (pick('parts', 'people', 'rows_of_people'), pick('walled', 'walled', 'visits', 'people', 'shops'));

	return '(' . join(chance(0.95) ? ' UNION ALL ' : ' UNION ', @arms) . ') AS s';
}

my @counted;	# the aggregates of the question, as written

sub aggregate
{
	my $kind = rand;
	my $filter = chance(0.15) ? ' FILTER (WHERE ' . some_condition() . ')' : '';
	my $number = column(pick(@numbers));
	my $text;

	$number = 'age' unless defined $number;
	if ($scope->{born} && chance(0.15))
	{
		my $other = pick('born', "date '1980-06-01'", "born + " . pick('1', '2147483647', 'small', 'id'), $scope->{met} ? 'met::date' : 'born');

		$text = 'dp_sum((' . pick("born - $other", "($other) - born", "extract(" . pick(qw(year month day doy dow epoch)) . " FROM born)", "CASE WHEN born < $other THEN 1 ELSE 2 END",
			"GREATEST(born, $other) - born", $scope->{met} ? "extract(" . pick(qw(hour second isodow epoch)) . " FROM met)" : 'born - born', $scope->{span} ? 'extract(epoch FROM span)' : 'born - born',
			$scope->{met} ? "extract(epoch FROM met - born)" : 'born - born') . ')::float8)';
	}
	elsif ($kind < 0.2)
	{
		my $other = column(pick(@numbers)) // 'age';

		$text = pick("dp_variance($number)", "dp_var_pop($number)", "dp_stddev($number)", "dp_covar_samp($number, $other)", "dp_corr($number, $other)", "dp_regr_slope($number, $other)",
			"dp_regr_intercept(age, $number)", "dp_regr_r2($number, age)", "dp_regr_count($number, $other)", "dp_linregr(age, ARRAY[$number, $other])", "dp_sum(ARRAY[age, $number])", "dp_avg(ARRAY[age, age * age])",
			"dp_quantile($number, 0.25)", "dp_quantile(age, '{0.1, 0.9}'::float8[])", "dp_median($number)", "dp_min($number)", "dp_max($number)", "dp_histogram(age, 4)", "dp_histogram($number, '{0, 10, 50}'::float8[])",
			'dp_bool_and(' . some_condition() . ')', 'dp_bool_or(' . some_condition() . ')', 'dp_mode(' . pick(sort keys %$scope) . ')', 'dp_count(DISTINCT ' . pick(sort keys %$scope) . ')', 'dp_count(DISTINCT feels)',
			'dp_count_ci(*)', "dp_sum_ci($number)", "dp_avg_ci($number)", "dp_variance_ci(age)", "dp_median(" . expression('float8', 2) . ')', 'dp_bool_or(leak(name))', 'dp_mode(' . expression('mood', 2) . ')');
	}
	elsif ($kind < 0.3) { $text = 'dp_count(*)'; }
	elsif ($kind < 0.4) { $text = 'dp_count(' . pick(sort keys %$scope) . ')'; }
	elsif ($kind < 0.6) { $text = "dp_sum($number)"; }
	elsif ($kind < 0.7) { $text = "dp_sum($number * " . pick('2', '0.5', $number) . ')'; }
	elsif ($kind < 0.8) { $text = 'dp_sum(CASE WHEN ' . some_condition() . ' THEN 1 ELSE 0 END)'; }
	elsif ($kind < 0.85) { $text = 'dp_avg(age)'; }
	elsif ($kind < 0.9) { $text = 'dp_sum(' . pick('DISTINCT ', '') . expression('float8', 3) . pick('', ' ORDER BY leak(name)') . ')'; }
	else { $text = 'dp_sum(' . expression('float8', 2) . ')'; }
	$text = "$text$filter";
	push @counted, $text;
	return $text;
}

# [text, number of leading key columns, which columns must differ by noise]
sub question
{
	my ($name) = @_;
	my $from = source();
	my @keys = grep { chance(0.3) } grep { $scope->{$_} && ($_ eq 'member' || ($_ eq 'feels' && $from !~ /parts|walled|visits|capped/)) } qw(member feels);
	push @keys, 'city' if chance(0.3) && $scope->{city};
	push @keys, 'made' if chance(0.3) && $scope->{made};
	push @keys, expression(pick(@types), 2) if chance(0.05);
	@keys = ('name') if chance(0.03) && $scope->{name};
	my @aggregates = map { aggregate() } 1 .. pick(1, 1, 2, 3);
	push @aggregates, 'dp_suppressed()' if chance(0.1);
	my @noisy = map { @keys + $_ } grep { $aggregates[$_] =~ /^dp_(count|sum)\((?!ARRAY|DISTINCT)/ } 0 .. $#aggregates;
	my $n = 0;
	my $text = 'SELECT ' . join(', ', @keys, map { $n++ ? "$_ AS a$n" : "$_ AS $name" } @aggregates) . " FROM $from";

	$text .= ' WHERE ' . some_condition() if chance(0.6);
	$text .= ' GROUP BY ' . join(', ', @keys) if @keys;
	$text .= ' HAVING ' . $aggregates[0] . ' > 0' if chance(0.1);
	$text .= " ORDER BY $name" if chance(0.1);
	$text .= ' LIMIT 1' if chance(0.05);
	@noisy = () if $text =~ /HAVING|ORDER BY|LIMIT/;
	return ($text, \@noisy);
}

# Where rows would be seen, if they could be.
sub raw
{
	my $table = pick('people', 'parts', 'parts_low', 'walled', 'visits', 'capped', 'rows_of_people');
	$scope = { %{ $columns{ $table eq 'parts_low' ? 'parts' : $table } } };
	my $what = pick('*', 'name', 'max(name)', 'count(*)', 'sum(age)', 'array_agg(id)', 'string_agg(name, $$,$$)', "$table.*::text", 'to_jsonb(' . $table . ')',
		expression(pick(@types), 2), 'row_number() OVER (ORDER BY name), name', 'DISTINCT ON (name) name');

	return "SELECT $what FROM $table" . (chance(0.4) ? ' WHERE ' . some_condition() : '');
}

# A statement: its text, perhaps several commands; whether it must fail, must be
# charged, and which cells must differ.
sub statement
{
	my ($number) = @_;
	my $name = "s$number";
	my $kind = rand;
	my %made = (text => '', must_fail => 0, dp => 1, noisy => []);

	@counted = ();
	if ($kind < 0.12)
	{
		my $raw = raw();
		$made{dp} = 0;
		$made{must_fail} = 1;
		$made{text} = pick(
			"$raw;", "$raw;", "COPY ($raw) TO STDOUT;", "EXPLAIN $raw;", "CREATE TEMP TABLE $name AS $raw;", "SELECT ask(\$q\$$raw\$q\$);",
			"DO \$q\$ BEGIN PERFORM ask(\$x\$$raw\$x\$); END \$q\$;", "INSERT INTO loot SELECT s::text FROM ($raw) s;", "PREPARE $name AS $raw; EXECUTE $name;",
			"WITH r AS MATERIALIZED ($raw) SELECT 1 FROM shops, r;", "SELECT x FROM shops WHERE EXISTS ($raw);", "BEGIN; DECLARE $name CURSOR FOR $raw; FETCH ALL FROM $name; COMMIT;",
			"TABLE people;", "UPDATE people SET name = name WHERE " . tame_condition(1) . ' RETURNING *;', 'DELETE FROM people WHERE ' . tame_condition(1) . ' RETURNING name;',
			'MERGE INTO people p USING shops s ON p.id = s.id WHEN MATCHED THEN UPDATE SET note = s.city;', 'LOCK TABLE people;', 'ANALYZE VERBOSE people;',
			"UPDATE shops SET city = p.name FROM people p WHERE p.id = shops.id RETURNING *;", 'SELECT * FROM pg_statistic;', "SELECT table_to_xml('people', true, false, '');",
			'SELECT shops.city, p.name FROM shops LEFT JOIN people p USING (id);', 'COPY people TO STDOUT;');
		# ANALYZE warns and passes over what is not one's own
		$made{must_fail} = 0 if $made{text} =~ /^ANALYZE/;
		return \%made;
	}
	my ($text, $noisy) = question($name);
	if ($kind < 0.6)
	{
		@made{qw(text noisy)} = ("$text;", $noisy);
	}
	elsif ($kind < 0.7)
	{
		my $raw = raw();
		$made{must_fail} = 1;
		$made{text} = pick(
			"SELECT *, (SELECT r::text FROM ($raw) r LIMIT 1) FROM ($text) q;", "SELECT * FROM ($text) q, ($raw) r;", "WITH q AS ($text) SELECT * FROM q, ($raw) r;",
			"SELECT 1 FROM ($text) q UNION ALL SELECT 1 FROM ($raw) r;", "EXPLAIN $text;", "EXPLAIN (ANALYZE, FORMAT JSON) $text;", "EXPLAIN CREATE TABLE x AS $text;",
			"PREPARE $name AS $text; EXPLAIN EXECUTE $name;", "SELECT p.name FROM people p WHERE EXISTS ($text);", "WITH r AS MATERIALIZED ($raw) $text, (SELECT count(*) FROM r);");
		# the last is not always a query
		$made{must_fail} = 0 if $made{text} =~ /^(PREPARE|WITH r)/;
		$made{dp} = 0;
	}
	elsif ($kind < 0.74)
	{
		@made{qw(text dp public)} = (pick("SELECT * FROM dpsens.explain(\$q\$$text\$q\$);", "SELECT cost FROM dpsens_internal.statement_cost(\$q\$$text\$q\$);"), 0, 1);
	}
	else
	{
		$made{text} = pick(
			"SELECT s.*, x FROM ($text) s, shops WHERE shops.id < 3;", "WITH q AS ($text) SELECT * FROM q UNION ALL SELECT * FROM q;", "SELECT count(*) FROM ($text) s;",
			"SELECT s.$name FROM ($text) s LEFT JOIN answer ON true;", "SELECT x, (SELECT s.$name FROM ($text) s LIMIT 1) FROM shops;",
			"BEGIN; DECLARE $name SCROLL CURSOR FOR $text; FETCH 1 FROM $name; FETCH ALL FROM $name; FETCH BACKWARD 1 FROM $name; COMMIT;",
			"BEGIN; DECLARE $name CURSOR WITH HOLD FOR $text; COMMIT; FETCH ALL FROM $name; CLOSE $name;",
			"PREPARE $name AS $text; EXECUTE $name; EXECUTE $name;",
			"PREPARE $name(text, float8) AS SELECT dp_count(true, \$2) AS $name FROM people WHERE name LIKE \$1 || '%' AND note ~ \$1 AND (name, age) < (\$1, 60); EXECUTE $name(" . pick("'1'", "'('", "'x\\'", "repeat('a', 300)", 'NULL') . ", 9.5367431640625e-07);", "COPY ($text) TO STDOUT;", "CREATE TEMP TABLE $name AS $text; SELECT count(*) FROM $name;",
			"SELECT ask(\$q\$$text\$q\$) IS NOT NULL;", "DO \$q\$ BEGIN PERFORM ask(\$x\$$text\$x\$); END \$q\$;", "INSERT INTO loot SELECT s::text FROM ($text) s;",
			"SELECT rank() OVER (ORDER BY $name) FROM ($text) s;", "SELECT $name, g FROM ($text) s, LATERAL generate_series(1, 3) g;",
			"SELECT g, (SELECT s.$name FROM ($text) s WHERE s.$name > g LIMIT 1) FROM generate_series(1, 3) g;", "BEGIN ISOLATION LEVEL SERIALIZABLE; $text; COMMIT;",
			"SELECT (SELECT max(s.$name) FROM ($text) s) > g FROM generate_series(1, 2) g;", "SELECT * FROM shops, LATERAL ($text) s;",
			"SELECT s.* FROM ($text) s FOR UPDATE;", "UPDATE shops SET x = (SELECT s.$name FROM ($text) s LIMIT 1);", "BEGIN; SAVEPOINT a; $text; ROLLBACK TO a; $text; ROLLBACK;");
	}
	return \%made;
}

# What a session may set to have another plan, or another way to the same.
# its name until 15, and since
chomp(my $always_parallel = `psql -XAtqc "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"`);
my @settings = (
	map({ ["SET $_ = off", "RESET $_"] } qw(enable_seqscan enable_hashagg enable_indexscan enable_bitmapscan enable_sort enable_material enable_hashjoin dpsens.enable_table_sums dpsens.enable_row_sums dpsens.enable_group_states)),
	[ 'SET plan_cache_mode = force_generic_plan', 'RESET plan_cache_mode' ], [ "SET work_mem = '64kB'", 'RESET work_mem' ], [ "SET $always_parallel = on", "RESET $always_parallel" ],
	[ 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0', 'RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size' ],
	[ 'SET client_min_messages = debug5', 'RESET client_min_messages' ], [ 'SET dpsens.mechanism = gaussian; SET dpsens.epsilon = 1', 'RESET dpsens.mechanism; SET dpsens.epsilon = 9.5367431640625e-07' ],
	[ 'SET jit = on; SET jit_above_cost = 0', 'SET jit = off; RESET jit_above_cost' ], [ 'SET constraint_exclusion = on', 'RESET constraint_exclusion' ], [ 'SET row_security = off', 'RESET row_security' ],
	[ "SET DateStyle = 'SQL, DMY'", 'RESET DateStyle' ], [ "SET TimeZone = 'Pacific/Chatham'", 'RESET TimeZone' ], [ 'SET transform_null_equals = on', 'RESET transform_null_equals' ], [ 'SET extra_float_digits = 3', 'RESET extra_float_digits' ]
);

# ---- running ----

my @made;

sub write_script
{
	my ($file, $world, $role, @numbers) = @_;
	open my $script, '>', "$folder/$file.sql" or die "$folder/$file.sql: $!\n";
	print $script "\\set VERBOSITY verbose\n\\set SHOW_CONTEXT always\nSET search_path = $world, smithy, public;\n",
		"SET jit = off;\nSET dpsens.epsilon = 9.5367431640625e-07;\nSET dpsens.delta = 1e-13;\nSET dpsens.max_boxes = 50;\nSET statement_timeout = '60s';\nSET SESSION AUTHORIZATION $role;\n";
	foreach my $number (@numbers)
	{
		my ($set, $reset) = @{ $made[$number]{setting} || [ '', '' ] };
		my $text = $made[$number]{text};

		# whoever may read needs no private answers to be told
		$text =~ s/\bdp_(count|sum|avg|variance|var_pop|stddev|covar_samp|corr|regr_\w+|bool_and|bool_or|min|max)\b(?!_)/$1/g if $role =~ /reader/;

		print $script "$set;\n" if $set;
		print $script "\\echo @@@@ $number\n\\warn @@@@ $number\n$text\n";
		print $script "ROLLBACK;\n" if $text =~ /^BEGIN/;
		print $script "\\warn @@@@ other\n$reset;\n" if $reset;
	}
	print $script "\\echo @@@@ end\n\\warn @@@@ end\n";
	close $script or die "$folder/$file.sql: $!\n";
}

# What was said of each statement: {number}[0] rows, [1] messages
sub read_output
{
	my ($file) = @_;
	my %said;

	foreach my $stream (0, 1)
	{
		my $number = 'start';
		open my $in, '<', "$folder/$file." . ('out', 'err')[$stream] or die "$file: $!\n";
		while (my $line = <$in>)
		{
			if ($line =~ /^@@@@ (\w+)$/) { $number = $1; $said{$number}[$stream] //= ''; next; }
			next if $line =~ /^LOCATION: |there is no transaction in progress/;
			# what the server's own functions say of constants
			$line =~ s/XX000(?=: invalid memory alloc request size)/54000/;
			$line =~ s/^psql:\S+ //;
			$line =~ s/\bnear_[ab]\b/near/g;
			$said{$number}[$stream] .= $line;
		}
		close $in;
	}
	return \%said;
}

sub start_script
{
	my ($file) = @_;
	my $pid = fork // die "fork: $!\n";

	return $pid if $pid;
	open STDOUT, '>', "$folder/$file.out" or die "$file: $!\n";
	open STDERR, '>', "$folder/$file.err" or die "$file: $!\n";
	exec 'psql', '-XAtq', '-f', "$folder/$file.sql" or die "psql: $!\n";
}

sub run_scripts
{
	my %pids = map { $_ => start_script($_) } @_;
	foreach my $file (@_)
	{
		waitpid $pids{$file}, 0;
	}
	return map { read_output($_) } @_;
}

# ---- judging ----

my $tests = 0;
my $failed = 0;

sub verdict
{
	my ($what, @bad) = @_;
	$tests++;
	$failed++ if @bad;
	print @bad ? 'not ' : '', "ok $tests - $what\n";
	print map { "# $_\n" } map { split /\n/ } @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ];
	print '# ', scalar(@bad), " in all\n" if @bad > 10;
}

sub show
{
	my ($number, @said) = @_;
	return "$number: $made[$number]{text}\n" . join "\n", map { defined $_ ? substr $_, 0, 600 : '(nothing)' } @said;
}

my $canary = qr/Kanarienvogel|4b616e617269656e766f67656c|0ab1e700-cafe-4bad-8bad-0000deadbeef/i;

# What a statement's failure says; nothing, if it is answered.  psql shows the
# statement itself, and what it warned of is part of the outcome.
sub outcome
{
	my ($said) = @_;
	return 'no outcome' unless defined $said && defined $said->[1];
	# what the server says of itself, with numbers of processes and transactions
	return join '', grep { !/^(DEBUG|LOG): / } $said->[1] =~ /.*\n/g;
}

sub has_failed { return outcome(@_) =~ /^ERROR: |^FATAL: |^PANIC: |no outcome/m; }

sub same_cells
{
	my ($number, $a, $b) = @_;
	my @a = map { [ split /\|/, $_, -1 ] } split /\n/, $a->{$number}[0];
	my @b = map { [ split /\|/, $_, -1 ] } split /\n/, $b->{$number}[0];

	return 0 unless @a && @a == @b;
	foreach my $row (0 .. $#a)
	{
		foreach my $column (@{ $made[$number]{noisy} })
		{
			my ($x, $y) = ($a[$row][$column], $b[$row][$column]);
			# what no row can change is answered as it is, and beyond all numbers
			# only the sign is left
			return 1 if defined $x && defined $y && $x !~ /^(0|-?Infinity)?$/ && $x eq $y;
		}
	}
	return 0;
}

sub judge
{
	my ($a, $b, $releases, @loot) = @_;
	my @all = 0 .. $#made;
	my (@internal, @seen, @raw, @free, @differ, @still, @public);
	my $answered = 0;
	my $refused = 0;

	foreach my $number (@all)
	{
		my $made = $made[$number];
		my @said = ($a->{$number}, $b->{$number});
		my $failed = has_failed($said[0]);

		$failed ? $refused++ : $answered++;
		foreach my $said (@said)
		{
			my $text = join "\n", map { $_ // '' } @$said;

			push @internal, show($number, $text) if $text =~ /(ERROR|FATAL|PANIC):  (XX|57P|57014|58|53)|no outcome|server closed|connection to server/;
			push @seen, show($number, $text) if $text =~ $canary;
			push @raw, show($number, $text) if $made->{must_fail} && !has_failed($said);
		}
		push @differ, show($number, map { outcome($_) } @said) if outcome($said[0]) ne outcome($said[1]);
		push @free, show($number, $said[0][0]) if $made->{dp} && !$failed && !$releases->{$number};
		push @still, $number if !$failed && @{ $made->{noisy} } && same_cells($number, $a, $b);
		push @public, show($number, map { $_->[0] } @said) if $made->{public} && $said[0][0] ne $said[1][0];
	}
	# noise of scale 2^20 and more repeats itself once in a million cells
	if (@still)
	{
		write_script('again', 'near_a', 'dpsens_smith_ana', @still);
		my ($again) = run_scripts('again');
		@still = map { show($_, $a->{$_}[0], $again->{$_}[0]) } grep { same_cells($_, $a, $again) } @still;
	}
	push @seen, map { "a function took: $_" } @loot;
	print "# $answered answered, $refused refused\n";
	verdict('no crash, no internal error, nothing that takes a minute', @internal);
	verdict('nothing of the person is shown', @seen);
	verdict('no rows beside the aggregates', @raw);
	verdict('every answer is in the history', @free);
	verdict('the same outcome over neighbours', @differ);
	verdict('answers have noise', @still);
	verdict('what is known beforehand is the same over neighbours', @public);
	verdict('a fifth is answered, and a fifth refused', $answered > $count / 5 && $refused > $count / 5 ? () : "$answered and $refused");
}

# Who may read sees the person, and neighbours differ for them: these checks can
# fail.
sub judge_twins
{
	my ($a, $b) = @_;
	my @shown = grep { join("\n", map { $_ // '' } @{ $a->{$_} }) =~ $canary } 0 .. $twins - 1;
	my @differ = grep { outcome($a->{$_}) ne outcome($b->{$_}) } 0 .. $twins - 1;

	verdict('a role with SELECT privilege sees the person', @shown ? () : 'never');
	verdict('and tells neighbours by errors', @differ ? () : 'never');
	printf "# of %d statements, %d show the person and %d tell neighbours apart\n", $twins, scalar @shown, scalar @differ;
}

(my $setup = $0) =~ s/smith\.pl$/smith.sql/;
print "# seed $seed, $count statements: SMITH_SEED=$seed SMITH_STATEMENTS=$count $0\n";
run_script($setup);
read_catalog();
foreach my $number (0 .. $count - 1)
{
	push @made, statement($number);
	# at no other scale can noise be told from none
	$made[-1]{setting} = pick(@settings) if chance(0.15);
	$made[-1]{noisy} = [] if $made[-1]{setting} && $made[-1]{setting}[0] =~ /gaussian/;
}
write_script('a', 'near_a', 'dpsens_smith_ana', 0 .. $count - 1);
write_script('b', 'near_b', 'dpsens_smith_ana', 0 .. $count - 1);
write_script('twin_a', 'near_a', 'dpsens_smith_reader', 0 .. $twins - 1);
write_script('twin_b', 'near_b', 'dpsens_smith_reader', 0 .. $twins - 1);
my ($a, $b) = run_scripts('a', 'b');
my %releases = map { $_->[0] => $_->[1] } ask_server(
	"SELECT m[1], count(*) FROM dpsens.releases, regexp_matches(query, ' AS s(\\d+)\\y') m WHERE role = 'dpsens_smith_ana' AND relation LIKE 'near_a.%' GROUP BY 1");
# what functions of the analyst's own have seen
my @loot = grep { $_ =~ $canary } map { $_->[0] } ask_server('SELECT what FROM near_a.loot');
judge($a, $b, \%releases, @loot);
judge_twins(run_scripts('twin_a', 'twin_b'));
print "1..$tests\n";
exit($failed > 0);
