# statements.pl
#	The random statements of observe.pl and the settings they are asked under, and how
#	one is made smaller.
use strict;
use warnings;
our (%world, @tint, $shows_plans);

# ---- statements ----

my %cells = (
	id => 'int4', age => 'float8', pay => 'numeric', name => 'text', note => 'text', feels => 'mood', born => 'date', seen => 'timestamptz', met => 'timestamp',
	ward => 'int4', member => 'bool', small => 'int2', code => 'varchar', story => 'text'
);

sub text_of
{
	my ($depth) = @_;
	my $column = pick(qw(name note code story name story feels::text born::text pay::text));

	return $column if $depth <= 0 || chance(0.3);
	my $inner = text_of($depth - 1);
	return grown($inner, pick(1 .. 4)) if chance(0.03);
	return pick("upper($inner)", "lower($inner)", "initcap($inner)", "replace($inner, 'e', 'eeeeeeee')", "replace($inner, 'Z', 'ZZ')", "replace($inner, ' ', '')", "substr($inner, 2, 3)", "$inner || 'x'", "left($inner, 5)",
		"reverse($inner)", "trim($inner)", "lpad($inner, 30)", "md5($inner)", "split_part($inner, 'e', 2)", "translate($inner, 'Zb', 'aa')", "concat($inner, small)", "rpad($inner, 3, '*')", "overlay($inner PLACING 'x' FROM 1)");
}

# What a few letters grow to is more than some functions take.
sub condition_of_length
{
	my $text = grown(pick('name', 'name', 'note', 'code'), pick(8, 9));

	return pick("upper($text) = 'x'", "lower($text) <> 'x'", "$text ILIKE 'x%'", "length($text || $text) > 5", "reverse($text) LIKE 'x%'", "initcap($text) IS NULL");
}

# By a type that the transaction has changed.
sub condition_of_type
{
	return pick(qw(name note code)) . '::lab.tint IS ' . pick('', 'NOT ') . 'NULL' if chance(0.5);
	return pick("name = 'Zebedee'", 'ward = 7', 'small = 0') . " AND CASE WHEN id > 0 THEN 'green'::lab.tint ELSE 'red' END " . pick('<', '>=', '=') . " 'red'";
}

sub condition
{
	my ($depth) = @_;
	my $kind = rand;

	return condition_of_length() if $kind > 0.985;
	return '(' . condition($depth - 1) . pick(' AND ', ' OR ') . condition($depth - 1) . ')' if $depth > 0 && $kind < 0.25;
	return 'NOT ' . condition($depth - 1) if $depth > 0 && $kind < 0.3;
	return text_of(3) . pick(' LIKE ', ' ILIKE ', ' NOT LIKE ') . pick("'Zeb%'", "'%e%d%'", "'%walrus%'", "'_'", "'%x'") if $kind < 0.42;
	return text_of(3) . pick(' ~ ', ' ~* ', ' !~ ') . pick("'^Z'", "'[0-9]+\$'", "'e{2,}'", "'b.*d'") if $kind < 0.5;
	return text_of(2) . pick('::lab.mood', '::int', '::numeric', '::date', '::float8', '::interval', '::bool', '::timestamptz', '::uuid') . ' IS ' . pick('', 'NOT ') . 'NULL' if $kind < 0.58;
	return 'feels ' . pick('=', '<', '>=', '<>') . " '" . pick(qw(sad calm happy)) . "'" if $kind < 0.64;
	return 'feels::text ' . pick('=', '<', 'LIKE') . " '" . pick('calm', 'sad', 'c%') . "'" if $kind < 0.68;
	return pick('1 / small', '1 / pay', '100 / (id - 42)', 'ln(pay)', 'sqrt(age)', 'age * 1e308', 'big_of(1)', 'small * 32767::int2', "pay ^ 3", 'exp(age * 9)', 'pay::int') =~ s/big_of\(1\)/ward * 2147483647/r . pick(' > 0', ' IS NULL', ' < 10') if $kind < 0.76;
	return pick('born', 'born + 1', "born + interval '1 year'", 'seen', "date_trunc('month', seen)", "seen AT TIME ZONE 'Europe/Berlin'", 'met', 'met::timestamptz', "met + interval '1 month'") . pick(' < ', ' >= ') . "'2020-03-29'" if $kind < 0.83;
	return 'extract(' . pick('year', 'dow', 'epoch', 'hour', 'julian') . ' FROM ' . pick('born', 'seen', 'met') . ') > ' . pick(3, 2000) if $kind < 0.86;
	return 'to_char(' . pick("seen, 'TMMonth YYYY'", "pay, '999.00'", "born, 'YYYY-MM-DD'", "met, 'HH12'") . ') ' . pick("= 'x'", "LIKE '%2%'", 'IS NULL') if $kind < 0.89;
	return 'length(' . text_of(2) . ') > ' . pick(3, 40, 1000) if $kind < 0.93;
	return pick('member', 'ward = 7', 'ward IN (1, 7)', 'id = 42', "name = 'Zebedee'", 'id BETWEEN 40 AND 50', "name IN ('Zebedee', '7')", 'code IS NULL', 'small = 0', "note = 'walrus'", 'pay > 20');
}

# A relation of the analyst's own, that each row of the protected one meets once at most.
sub joined
{
	my $kind = rand;
	my $way = pick('JOIN', 'JOIN', 'LEFT JOIN');

	return "$way lab.wards w ON w.id = p.ward" if $kind < 0.3;
	return "$way lab.words o ON o.word = " . pick('p.name', 'p.name', 'p.note', 'upper(p.name)', 'p.code', "replace(p.name, '%', '')") if $kind < 0.6;
	return "$way lab.moods m ON m.mood = p.feels" if $kind < 0.7;
	return "$way lab.stay s ON s.id = " . pick('p.ward', 'p.small') if $kind < 0.8;
	return "$way (VALUES (7, 'seven'), (1, 'one')) v (n, label) ON v.n = p.ward" if $kind < 0.87;
	return "$way (SELECT id, city FROM lab.wards WHERE factor > 2) w ON w.id = p.ward" if $kind < 0.94;
	return "$way lab.wards w ON w.id = p.ward $way lab.words o ON o.word = p.name";
}

sub asked_below
{
	my $kind = rand;
	my $not = pick('', 'NOT ');

	return "p.ward ${not}IN (SELECT id FROM lab.wards" . pick('', " WHERE city = 'city 1'", ' WHERE factor > 3') . ')' if $kind < 0.25;
	return "p.name ${not}IN (SELECT word FROM lab.words" . pick('', ' WHERE rank > 2') . ')' if $kind < 0.45;
	return "${not}EXISTS (SELECT FROM lab.wards w WHERE w.id = p.ward" . pick('', ' AND w.factor > p.small', " AND p.name LIKE '%e%'") . ')' if $kind < 0.65;
	return "${not}EXISTS (SELECT FROM lab.words o WHERE o.word = " . pick('p.name', 'lower(p.name)', 'p.note') . pick('', ' AND o.rank > 1') . ')' if $kind < 0.85;
	return "${not}EXISTS (SELECT FROM lab.wards w, lab.words o WHERE w.id = o.rank AND o.word = p.name)" if $kind < 0.93;
	return "${not}EXISTS (SELECT FROM clinic.visits v WHERE v.person = p.id AND v.cost > 5)";
}

my $serial = 0;

# Relations that are asked alone, with what is asked of them.
my %alone = (
	'lab.of_people p' => [ 'p.age', "loud LIKE 'ZEB%'", "feels = 'calm'", 'ward IN (SELECT id FROM lab.wards)', 'upper(loud) ILIKE $$%z%$$' ],
	'clinic.rare p' => [ 'p.age', "name = 'Zebedee'", 'name IN (SELECT word FROM lab.words)', 'id IN (SELECT rank FROM lab.words)', 'age > 3' ],
	'clinic.visits p' => [ 'cost', "item LIKE 'Z%'", 'item IN (SELECT word FROM lab.words)', 'cost > 8', 'EXISTS (SELECT FROM clinic.people q WHERE q.id = p.person AND q.age > 3)' ],
	'clinic.nights p' => [ 'cost', "town LIKE 'Z%'", 'number = 42', 'town IN (SELECT word FROM lab.words)', 'EXISTS (SELECT FROM clinic.nights q WHERE q.town = p.town AND q.number = p.number AND q.cost > 3)' ],
	'clinic.trail p' => [ '1', "note LIKE '%walrus%'", "note LIKE '%walrus%'", "note ILIKE '%wal%us'", "note ~ 'wal(rus|ly)'", 'id = 42' ],
	'clinic.shades p' => [ '1', "shade::text <> 'x'", "shade::text LIKE '%12%'", "shade > 'shade 7'", "shade = 'shade 42'" ],
);

# Parts, so that some can be left out again.
sub parts_alone
{
	my $from = pick(sort keys %alone);
	my ($number, @conditions) = @{ $alone{$from} };

	return { from => $from, number => $number, joins => [], keys => [], conditions => chance(0.75) ? [ pick(@conditions) ] : [] };
}

sub parts_of_people
{
	my %parts = (joins => [], conditions => [], keys => []);

	$parts{from} = chance(0.9) ? 'clinic.people p' : '(SELECT * FROM clinic.people' . (chance(0.5) ? ' WHERE ' . condition(1) : '') . ') p';
	push @{ $parts{joins} }, joined() if chance(0.45);
	push @{ $parts{conditions} }, condition(2) if chance(0.6);
	push @{ $parts{conditions} }, asked_below() if chance(0.3);
	push @{ $parts{keys} }, pick('p.member', 'p.feels', 'p.note') if chance(0.2);
	push @{ $parts{keys} }, pick([ 'w.city' ], [ 'w.city' ], [ 'w.city', 'w.factor' ])->@* if "@{ $parts{joins} }" =~ /lab\.wards w/ && chance(0.3);
	push @{ $parts{keys} }, 'p.ward' if chance(0.03);
	# with totals, which are made to add up: declared keys that are never NULL
	@parts{qw(keys rollup)} = ([ pick([ 'p.member' ], [ 'p.feels' ], [ 'p.feels', 'p.member' ]) ]->[0], pick('ROLLUP', 'CUBE')) if chance(0.06);
	$parts{number} = pick('p.age', 'p.age', 'p.pay', 'p.small', "@{ $parts{joins} }" =~ /lab\.wards w/ ? 'w.factor * p.age' : 'p.age');
	return \%parts;
}

sub aggregate
{
	my ($parts) = @_;
	my $number = $parts->{number};
	my $condition = $parts->{from} =~ /clinic\.people/ ? condition(1) : 'true';

	return 'dp_count(*)' if chance(0.5) || $number eq '1';
	return pick("dp_sum($number)", "dp_sum($number)", "dp_avg($number)", "dp_median($number)", 'dp_count(DISTINCT p.feels)', "dp_sum(CASE WHEN $condition THEN 1 ELSE 0 END)",
		"dp_count(*) FILTER (WHERE $condition)", "dp_max($number)", "dp_variance($number)", 'dp_bool_or(member)', 'dp_mode(p.feels)', 'dp_top(p.feels, 2)', "dp_histogram($number, 4)");
}

# Questions that few others are like: while a type changes, with keys that nobody has
# declared, while somebody changes a table that is joined.
sub make_special
{
	my ($parts) = @_;
	my $kind = rand;

	return if $kind > 0.14 || $parts->{from} !~ /^clinic\.people/;
	delete $parts->{rollup};
	if ($kind < 0.04)
	{
		push @{ $parts->{conditions} }, condition_of_type();
		$parts->{wrap} = pick(qw(label gone));
	}
	elsif ($kind < 0.09)
	{
		$parts->{keys} = chance(0.6) ? [ text_of(2) ] : [ map { grown(pick(qw(name name code)), 9) . " || '$_'" } 1, 2 ];
		$parts->{wrap} = 'counted';
	}
	else
	{
		@$parts{qw(wrap aggregate keys joins)} = ('raced', pick('dp_count(*)', 'dp_count(*)', 'dp_sum(p.small)'), [], [ pick('JOIN', 'JOIN', 'LEFT JOIN') . ' lab.stay s ON s.id = p.ward' ]);
	}
}

sub question
{
	my $parts = chance(0.75) ? parts_of_people() : parts_alone();

	$parts->{aggregate} = aggregate($parts);
	$parts->{wrap} = chance(0.7) ? 'plain' : pick(qw(ask prepared cursor into with view copy do twice error explained quietly look));
	$parts->{tag} = 's' . ++$serial;
	$parts->{look} = pick('SELECT * FROM lab.words', 'SELECT * FROM lab.wards', "SELECT lab.touch(\$\$SELECT 'calm'::lab.mood::text\$\$)", 'SELECT lab.touch($$SELECT FROM pg_toast.pg_toast_@$$)');
	make_special($parts);
	return $parts;
}

sub text_of_question
{
	my ($parts) = @_;
	my $text = 'SELECT ' . join(', ', @{ $parts->{keys} }, "$parts->{aggregate} AS $parts->{tag}") . " FROM $parts->{from}" . join('', map { " $_" } @{ $parts->{joins} })
		. (@{ $parts->{conditions} } ? ' WHERE ' . join(' AND ', @{ $parts->{conditions} }) : '') . (@{ $parts->{keys} } ? ' GROUP BY ' . ($parts->{rollup} ? "$parts->{rollup} (" : '') . join(', ', @{ $parts->{keys} }) . ($parts->{rollup} ? ')' : '') : '');
	my $wrap = $parts->{wrap};

	return $text if $wrap eq 'plain' || $wrap eq 'raced';
	return "SELECT ask(\$ask\$$text\$ask\$)" if $wrap eq 'ask';
	return "PREPARE $parts->{tag} AS $text; EXECUTE $parts->{tag}; EXECUTE $parts->{tag}" if $wrap eq 'prepared';
	return "DECLARE $parts->{tag} CURSOR WITH HOLD FOR $text; FETCH ALL FROM $parts->{tag}" if $wrap eq 'cursor';
	return "CREATE TEMP TABLE $parts->{tag} AS $text; SELECT count(*) FROM $parts->{tag}" if $wrap eq 'into';
	return "WITH q AS ($text) SELECT q.*, w.city FROM q JOIN lab.wards w ON w.id = 3" if $wrap eq 'with';
	return "SELECT * FROM ($text) q, lab.moods" if $wrap eq 'view';
	return "COPY ($text) TO STDOUT" if $wrap eq 'copy';
	return "DO \$do\$ BEGIN PERFORM ask(\$ask\$$text\$ask\$); END \$do\$" if $wrap eq 'do';
	return "$text; $text" if $wrap eq 'twice';
	return "SELECT q.*, 1 / (id - 3) FROM ($text) q, lab.wards" if $wrap eq 'error';
	return "ALTER TYPE lab.tint ADD VALUE 'Zebedee'; $text" if $wrap eq 'label';
	return "DECLARE $parts->{tag} CURSOR FOR $text; DROP TYPE lab.tint; FETCH ALL FROM $parts->{tag}" if $wrap eq 'gone';
	# which of them are shown is drawn
	return "SELECT count(*) FROM ($text) q" if $wrap eq 'counted';
	return "SELECT lab.quietly(\$ask\$$text\$ask\$)" if $wrap eq 'quietly';
	return "SELECT q.*, lab.look(\$look\$$parts->{look}\$look\$) FROM ($text) q" if $wrap eq 'look';
	return "EXPLAIN (ANALYZE, BUFFERS) SELECT ask(\$ask\$$text\$ask\$)";
}

# ---- settings ----

our @settings;

# Settings with values that they may have, where that is not just any text.
sub values_of
{
	my ($which) = @_;
	my $said = super($world{with}, "SELECT name, vartype, min_val, max_val, boot_val, array_to_string(enumvals, ',') FROM pg_settings WHERE $which ORDER BY 1;");
	my @found;

	foreach my $line (split /\n/, $said)
	{
		my ($name, $type, $least, $most, $boot, $values) = split /\|/, $line, -1;

		# a quote that nothing closes would swallow the mark that is waited for
		die "no setting: $line\n" unless $name =~ /^[A-Za-z_.]+$/ && defined $values;
		push @found, [ $name, $type eq 'bool' ? qw(on off) : $type eq 'enum' ? split(/,/, $values) : $type eq 'string' ? () : ($least, $boot, $most > 1e6 ? 1000 : $most, 1, 7, 10) ];
	}
	return grep { @$_ > 1 } @found;
}

# Those that anybody may set, without those that end a session by the clock, or make
# it somebody else's.
sub read_settings
{
	my $skip = join '|', qw(timeout ^role$ session_authorization ^is_superuser libraries search_path client_encoding default_tablespace temp_tablespaces default_table_access_method application_name
		^tcp_ client_connection ^jit lc_ ^dpsens default_transaction_read_only ^seed$ synchronous_commit password_encryption backend_flush_after default_text_search local_preload createrole_self log_parser_stats
		stats_fetch ^debug_discard temp_buffers logical_decoding vacuum maintenance hash_mem ^default_transaction_ ^transaction_ row_security check_function_bodies ssl_renegotiation array_nulls xml);

	push @settings, values_of("context = 'user' AND name !~ '$skip'");
	push @settings, [ 'timezone', "'Europe/Berlin'", "'Pacific/Apia'", "'UTC'" ], [ 'datestyle', "'SQL, DMY'", "'German'" ], [ 'intervalstyle', 'iso_8601' ], [ 'default_transaction_isolation', "'repeatable read'" ];
	push @settings, [ 'gin_fuzzy_search_limit', 1 .. 12 ], [ 'exit_on_error', 'on' ], [ 'client_min_messages', 'debug1', 'debug5', 'log' ];
	# the administrator's that the role was given: without those that go by the clock, or by chance
	push @settings, values_of("name ~ '^(track_|auto_explain\\.)' AND name !~ 'duration|sample' AND has_parameter_privilege('dpsens_observer_ana', name, 'SET')"),
		[ 'auto_explain.log_min_duration', 0, -1 ], [ 'auto_explain.sample_rate', 0, 1 ], [ 'auto_explain.log_level', 'notice', 'warning' ] if $shows_plans;
}

sub setting
{
	my ($name, @values) = @{ pick(@settings) };

	my $value = pick(@values);

	return "SET $name = " . ($value =~ /^'/ ? $value : "'$value'");
}

my $asked = 0;

# Types that a transaction changes are made anew for it.
@tint = ('DROP TYPE IF EXISTS lab.tint', "CREATE TYPE lab.tint AS ENUM ('red', 'blue')", "ALTER TYPE lab.tint ADD VALUE 'green' BEFORE 'red'");

# What this question asks for.
sub own_settings
{
	my ($parts) = @_;

	return @tint if $parts->{wrap} =~ /^(label|gone)$/;
	return "SET auto_explain.log_level = 'notice'" if $parts->{wrap} eq 'quietly' && $shows_plans;
	return 'SET dpsens.delta = 0.001' if $parts->{wrap} eq 'counted';
	return 'SET dpsens.share_sets = on' if $parts->{rollup} && chance(0.5);
	return "SET dpsens.weights = '" . pick('3', '3, 1', '1, 1, 2') . "'" if chance(0.1);
	return ('SET gin_fuzzy_search_limit = ' . pick(5 .. 12), 'SET enable_seqscan = off') if $parts->{from} =~ /trail/ && chance(0.5);
	return 'SET client_min_messages = debug1' if $parts->{from} =~ /shades/ && chance(0.5);
	return ();
}

sub random_case
{
	my $parts = question();
	my %case = (parts => $parts, transaction => chance(0.3), order => chance(0.5), settings => [ own_settings($parts) ]);

	push @{ $case{settings} }, setting() while chance(0.5);
	# those that matter most
	push @{ $case{settings} }, pick('SET exit_on_error = on', 'SET client_min_messages = debug1', "SET track_functions = 'all'", 'SET gin_fuzzy_search_limit = ' . pick(1 .. 12), 'SET enable_hashjoin = off', 'SET enable_seqscan = off', 'SET enable_mergejoin = off; SET enable_hashjoin = off') if chance(0.35);
	$case{name} = 'random ' . ++$asked;
	refresh(\%case);
	return \%case;
}

sub refresh
{
	my ($case) = @_;

	# a label that was drawn is in the catalog caches, and has to be shown
	$case->{parts}{wrap} = 'ask' if $case->{parts}{wrap} eq 'do' && $case->{parts}{aggregate} =~ /mode/;
	$case->{text} = text_of_question($case->{parts});
	$case->{single} = $case->{parts}{wrap} =~ /^(plain|raced)$/ && $case->{parts}{aggregate} =~ /^dp_(count\(\*\)|sum)/ && !@{ $case->{parts}{keys} };
	$case->{transaction} = 0 if $case->{parts}{wrap} eq 'cursor';
	$case->{transaction} = 1 if $case->{parts}{wrap} =~ /^(label|gone)$/;
	$case->{directed} = $case->{parts}{wrap} eq 'raced' ? \&race : undef;
	$case->{guesses} = $case->{parts}{aggregate} =~ /bool|mode/;
	delete $case->{tolerance};
}

# ---- smaller ----

sub copy_of
{
	my ($case) = @_;

	return { %$case, settings => [ @{ $case->{settings} } ], parts => { %{ $case->{parts} }, map { $_ => [ @{ $case->{parts}{$_} } ] } qw(joins conditions keys) } };
}

# Each with one thing less.
sub smaller
{
	my ($case) = @_;
	my @list;

	foreach my $i (0 .. $#{ $case->{settings} })
	{
		my $less = copy_of($case);
		splice @{ $less->{settings} }, $i, 1;
		push @list, $less;
	}
	return @list unless $case->{parts};
	foreach my $what (qw(conditions keys joins))
	{
		foreach my $i (0 .. $#{ $case->{parts}{$what} })
		{
			my $less = copy_of($case);
			splice @{ $less->{parts}{$what} }, $i, 1;
			push @list, $less;
		}
	}
	foreach my $change ([ wrap => 'plain' ], [ aggregate => 'dp_count(*)' ])
	{
		next if $case->{parts}{ $change->[0] } eq $change->[1];
		my $less = copy_of($case);
		$less->{parts}{ $change->[0] } = $change->[1];
		push @list, $less;
	}
	foreach my $i (0 .. $#{ $case->{parts}{conditions} })
	{
		# one side of AND or OR
		foreach my $side ($case->{parts}{conditions}[$i] =~ /^\(((?:[^()]|\([^()]*\))*?) (?:AND|OR) (.*)\)$/)
		{
			my $less = copy_of($case);
			$less->{parts}{conditions}[$i] = $side;
			push @list, $less;
		}
	}
	return @list;
}

1;
