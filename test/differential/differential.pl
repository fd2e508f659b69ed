#!/usr/bin/perl
# differential.pl
#	Without noise an answer is plain SQL, the same bits in whatever way it is
#	computed, and no neighbouring database moves it by more than dpsens.explain
#	says.  Random databases and queries, judged by what is computed here from the
#	rows that the same FROM and WHERE select.
#
# A world is a database of a few tables: persons (c, e), their orders (o), lines that
# refer to orders (l), details that refer to lines (d), visits in partitions (p),
# public regions (r) and offers of kinds in these (q), of odd and even sizes, with no row, with one, with units and
# references that are NULL, with limits that bind and that do not.  Each query is
#
#	asked as it is, and by other plans, workers and memory: the same bits;
#	compared with its rows: where no limit binds it is what SQL says of them, and
#	otherwise it lies between what the rows that may count could add up to;
#	asked again of neighbours, each of which differs from the one before by one
#	person's rows, in every eighth world by those of two or three who are protected
#	together: no further from the answer before than its sensitivity, in L1
#	for Laplace and L2 for Gaussian noise;
#	asked with noise, where keys are not declared: no group of a single person is
#	shown, by a delta of 1e-15, and all are that have enough persons;
#	in every third world, asked of two databases that differ in one column of one row: no
#	further apart than the history says of columns with a budget of their own, and the same
#	where it says that the column changes nothing.
#
# In every other world, and in all where the server has clean rooms, the superuser who
# asks is answered in the way of a role that may not read the tables (the setting
# dpsens.debug_restricted), so by a room if there are any: that each answer comes from
# one is seen by its being refused where a room would have to wait for the asker's locks.
# What is answered so is answered the same, bit for bit, as for who may look.
#
# DIFFERENTIAL_QUERIES and DIFFERENTIAL_SEED say how many answered queries and
# which, DIFFERENTIAL_WORLD one world alone; psql's environment variables say where.
# KEEP=folder keeps scripts and outputs there: what failed is repeated by
# "psql -f world_N.sql".  Everything but what groups are shown is derived from the seed,
# so a right implementation passes always; of ten million groups of single persons one
# is shown with a probability below 1e-8.
use strict;
use warnings;
use File::Temp qw(tempdir);
use List::Util qw(max min shuffle sum0 uniq);

my $wanted = $ENV{DIFFERENTIAL_QUERIES} || 1000;
my $seed = $ENV{DIFFERENTIAL_SEED} || time % 1_000_000_000;
my $folder = $ENV{KEEP} || tempdir(CLEANUP => 1);
my $workers = $ENV{DIFFERENTIAL_JOBS} || 2;
my $queries_per_world = 24;
my $database = 'dpsens_differential';
my $rooms = `psql -XAtq -d $database -c 'SHOW dpsens.clean_rooms'` || die "no server\n";
# its name until 15, and since
chomp(my $always_parallel = `psql -XAtq -d $database -c "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"`);

sub pick { return $_[ int rand @_ ]; }
sub chance { return rand() < $_[0]; }

# ---- worlds ----

my %world;	# of the moment

# Types of units, with values of which some are equal but look different.
my %units = (
	int => [ 1 .. 6 ],
	numeric => [ '1', '1.0', '1.00', '2', '2.50', '2.5', 'NaN' ],
	float8 => [ '0', '-0', '1.5', 'NaN', '7' ],
	'char(4)' => [ 'a', 'a  ', 'b', '' ],
	'text COLLATE caseless' => [ 'a', 'A', 'b', 'C', 'c' ],
	bool => [ 't', 'f' ],
	timestamptz => [ '2020-01-01 00:00+00', '2020-01-01 01:00+01', 'infinity' ],
	bytea => [ '\\x61', '\\x6162', '' ],
);

# One text for all that are equal.
sub canonical
{
	my ($unit) = @_;

	return $unit if $unit eq '(null)';
	$unit =~ s/(\.\d*?)0+$/$1/ if $unit =~ /^-?\d+\.\d+$/;
	return lc($unit =~ s/\.$//r =~ s/^-0$/0/r =~ s/ +$//r);
}

# The same of what is written there.
sub canonical_value
{
	my ($unit) = @_;
	return $world{unit_type} eq 'timestamptz' && $unit =~ /^2020/ ? '2020' : canonical($unit);
}

# The unit of a row, told by SQL from an alias of its table.  What refers to a row
# without a unit belongs to that row.
my %unit_of = (
	c => sub { "$_[0].id" },
	e => sub { "$_[0].id" },
	p => sub { has_pairs() ? ($world{unit_type} eq 'numeric' ? "trim_scale($_[0].unit)" : "$_[0].unit") . "::text || '/' || $_[0].part" : "$_[0].unit" },
	o => sub { "$_[0].customer" },
	l => sub { "(SELECT coalesce(uo.customer::text, 'order ' || uo.id) FROM o uo WHERE uo.id = $_[0].ord)" },
	d => sub { "(SELECT coalesce(uo.customer::text, 'order ' || uo.id, 'line ' || ul.id) FROM l ul LEFT JOIN o uo ON uo.id = ul.ord WHERE ul.id = $_[0].line)" },
);

sub some_x
{
	my ($nullable) = @_;
	my ($lo, $hi) = @{ $world{x} };

	return undef if $nullable && chance(0.15);
	return pick('NaN', 'Infinity', '-Infinity', $lo - 7, $hi + 100, $hi + 0.25) if $world{wild} && chance(0.2);
	return $lo if chance(0.1);
	return $hi if chance(0.1);
	return $lo + int(rand(4 * ($hi - $lo) + 1)) / 4;
}

sub some_y
{
	my ($lo, $hi) = @{ $world{y} };

	return pick($lo - 5, $hi + 9, 2147483647) if $world{wild} && chance(0.1);
	return pick($lo, $hi) if chance(0.2);
	return $lo + int rand($hi - $lo + 1);
}

sub some_row
{
	my ($table, %given) = @_;
	my $row = { id => ++$world{last_id}, kind => pick('a', 'a', 'b', 'c', $world{kinds_declared} ? 'z' : 'b'), x => some_x($world{x_nullable}), y => some_y(), flag => pick('t', 'f'), %given };

	$row->{kind} = undef if chance(0.05);
	$row->{region} = chance($world{region_nullable} ? 0.2 : 0) ? undef : 1 + int rand 4 if $table =~ /^[ceop]$/;
	$row->{part} = (undef, 1, 2)[$row->{id} % 3] if $table eq 'p' && !exists $given{part};
	return $row;
}

sub reference
{
	my ($to, $nullable, $heavy) = @_;
	my @rows = @{ $world{rows}{$to} };

	return undef if !@rows || $nullable && chance(0.15);
	return $rows[0]{id} if $heavy && chance(0.4);
	return pick(@rows)->{id};
}

sub limits
{
	my $kind = rand;
	my %limits;

	# where rows take turns, the fewer count the further each of them is
	return { m => pick(1, 1, 2) } if $world{adjacency} eq 'replace' && chance(0.4);
	return { m => 1000 } if $kind < 0.25;
	$limits{m} = pick(1, 2, 3, 5, 20, 200) if $kind < 0.9;
	$limits{mg} = pick(1, 2, 4, 60) if $kind > 0.5;
	$limits{g} = pick(1, 2, 3, 4) if $kind > 0.6;
	return \%limits;
}

sub make_world
{
	my ($number) = @_;
	my $adjacency = pick(('add_remove') x 12, ('replace') x 6, 'attribute', 'attribute', 'metric');
	my $few = $adjacency =~ /attribute|metric/;

	%world = (number => $number, adjacency => $adjacency, mechanism => pick('laplace', 'laplace', 'gaussian'), last_id => 0, few => $few,
		x => pick([ 0, 20 ], [ -4, 4 ], [ 0, 10.5 ], [ 5, 9 ], [ -8, -2 ]), y => pick([ 0, 20 ], [ -3, 7 ], [ 1, 4 ], [ 0, 1 ]),
		wild => $adjacency ne 'metric' && chance(0.2), x_nullable => chance($adjacency eq 'metric' ? 0.1 : 0.5), moved => [], kinds_declared => chance(0.7), region_nullable => chance(0.5), region_public => chance($few ? 0.9 : $adjacency eq 'replace' ? 0.7 : 0.4),
		customer_nullable => chance(0.35), customer_references => chance(0.4), ord_nullable => chance(0.4), heavy => chance(0.5), key_type => pick('int', 'int', 'bigint', 'smallint', 'text', 'numeric', 'numeric'), unit_type => pick(sort keys %units), bulk => chance(0.06));
	$world{limits} = { map { $_ => limits() } qw(o l d p) };
	my @tables = $few ? qw(c e) : qw(c e o l d p);
	my %size;
	$size{$_} = pick(0, 1, 2, 3, 4, 5, 8, 17, 33) foreach qw(c e);
	$size{$_} = pick(0, 1, 2, 3, 5, 7, 16, 31, 64, 101) foreach qw(o p);
	$size{$_} = pick(0, 1, 5, 33, 64, 121) foreach qw(l d);
	# more than fits into a batch of rows, or into little memory
	if ($world{bulk}) { $size{ $_->[0] } = $_->[1] + pick(0, 1) foreach [ 'o', 1400 ], [ 'l', 2600 ], [ 'p', 2050 ]; }
	$world{tables} = \@tables;
	$world{rows}{$_} = [] foreach @tables;
	foreach my $table (@tables)
	{
		foreach (1 .. $size{$table})
		{
			my %given;
			$given{customer} = reference('c', $world{customer_nullable}, $world{heavy}) if $table eq 'o';
			$given{unit} = pick(undef, @{ $units{ $world{unit_type} } }) if $table eq 'p';
			$given{ord} = reference('o', $world{ord_nullable}, $world{heavy}) if $table eq 'l';
			$given{line} = reference('l', 0, $world{heavy}) if $table eq 'd';
			next if $table eq 'o' && !defined $given{customer} && !$world{customer_nullable};
			next if $table eq 'l' && !defined $given{ord} && !$world{ord_nullable};
			next if $table eq 'd' && !defined $given{line};
			push @{ $world{rows}{$table} }, some_row($table, %given);
		}
	}
}

my %own_columns = (c => [], e => [], o => ['customer'], l => ['ord'], d => ['line'], p => ['unit', 'part']);

sub columns_of
{
	my ($table) = @_;
	return ('id', @{ $own_columns{$table} }, ($table =~ /^[ceop]$/ ? 'region' : ()), qw(kind x y flag));
}

sub quoted { return defined $_[0] ? "'$_[0]'" : 'NULL'; }

# A reference may look unlike what it refers to.
sub written
{
	my ($row, $column) = @_;
	return quoted($row->{$column} . pick('', '.0', '.000')) if $world{key_type} eq 'numeric' && $column =~ /^(customer|ord|line)$/ && defined $row->{$column};
	return quoted($row->{$column});
}

sub insertion
{
	my ($table, @rows) = @_;
	my @columns = columns_of($table);

	return @rows ? "INSERT INTO $table (" . join(', ', @columns) . ') VALUES ' . join(', ', map { my $row = $_; '(' . join(', ', map { written($row, $_) } @columns) . ')' } @rows) . ";\n" : '';
}

# What follows goes by the number of the world, so that the rest of it stays as it was.

# How many persons are protected together.
sub group_size { return $world{few} || $world{number} % 8 != 5 ? 1 : 2 + $world{number} / 8 % 2; }

# Is the unit of p two columns together?  Their types must be ones whose equal values have a form of equal bytes.
sub has_pairs { return $world{number} % 3 == 0 && $world{unit_type} =~ /^(?:int|numeric|char\(4\)|bool|timestamptz)$/; }

# In parts, or with columns elsewhere and long cells.
sub public_definition
{
	my $parts = join '; ', 'CREATE TABLE r (id int PRIMARY KEY, name text NOT NULL, factor int NOT NULL) PARTITION BY HASH (id)',
		map { "CREATE TABLE r$_ PARTITION OF r FOR VALUES WITH (MODULUS 2, REMAINDER $_)" } 0, 1;

	return $parts if $world{number} % 4 == 2;
	return 'CREATE TABLE r (gone text, factor int NOT NULL, id int PRIMARY KEY, name text NOT NULL); ALTER TABLE r DROP gone; ALTER TABLE r ALTER name SET STORAGE EXTERNAL' if $world{number} % 4 == 1;
	return 'CREATE TABLE r (id int PRIMARY KEY, name text NOT NULL, factor int NOT NULL)';
}

sub public_length { return $world{number} % 4 == 1 ? 2500 : 1; }

# Which rows are brought to a clean room goes by conditions on them alone.
sub of_public_rows { return $world{number} % 3 == 0 ? " AND r.factor > 0" : ''; }

# The asker's own.
sub of_session { return $world{number} % 5 == 1 ? " WHERE now() > '2000-01-01' AND current_user = session_user" : ''; }

# Where an outer join makes up for public rows, a condition must not be asked before it.
sub on_public_rows { return $world{number} % 3 == 2 ? ' WHERE (r.factor IS NULL OR r.factor = 2)' : of_session(); }

# Public rows by a key of two columns, of which each has duplicates and NULLs: which rows of a
# private table they meet is only said by both, and the server may look at one before.
sub offers_rows { return join ', ', map { my $region = $_; map { "($region, $_)" } qw('c' NULL 'a' 'b' NULL) } 1, 3, 'NULL', 2, 4; }

sub with_public
{
	my ($t) = @_;
	my $join = pick(' JOIN', ' LEFT JOIN');
	# private cells may decide whether the public row is met
	my $more = chance(0.3) ? ' AND ' . condition($t, 1) : '';

	return "$t$join r ON r.id = $t.region" . of_public_rows() . $more if $world{number} % 3 != 1;
	return "$t$join (r JOIN q ON q.region = r.id) ON r.id = $t.region AND q.kind = $t.kind$more" if $world{number} % 2;
	return "$t$join (q JOIN r ON r.id = q.region) ON q.region = $t.region AND q.kind = $t.kind$more";
}

sub creation
{
	my $schema = "differential_$world{number}";
	my $cells = 'kind text, x float8' . ($world{x_nullable} ? '' : ' NOT NULL') . ', y int NOT NULL, flag boolean NOT NULL';
	my $region = 'region int' . ($world{region_nullable} ? '' : ' NOT NULL');
	# it moves along with y
	my $band = "band text GENERATED ALWAYS AS (CASE WHEN y > 2 THEN 'high' ELSE 'low' END) STORED";
	my $key = $world{key_type};
	my $customer = "$key" . ($world{customer_nullable} ? '' : ' NOT NULL') . ($world{customer_references} ? ' REFERENCES c' : '');
	my $ord = "$key" . ($world{ord_nullable} ? '' : ' NOT NULL') . ' REFERENCES o';
	my %definition = (
		c => "CREATE TABLE c (id $key PRIMARY KEY, $region, $cells, $band);",
		e => "CREATE TABLE e (id $key PRIMARY KEY, $region, $cells, $band);",
		o => "CREATE TABLE o (id $key PRIMARY KEY, customer $customer, $region, $cells);",
		l => "CREATE TABLE l (id $key PRIMARY KEY, ord $ord, $cells);",
		d => "CREATE TABLE d (id $key PRIMARY KEY, line $key NOT NULL REFERENCES l, $cells);",
		p => "CREATE TABLE p (id $key NOT NULL, unit $world{unit_type}, part smallint, $region, $cells) PARTITION BY RANGE (y); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (MINVALUE) TO (1);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (1) TO (6) PARTITION BY HASH (id); CREATE TABLE p2a PARTITION OF p2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE p2b PARTITION OF p2 FOR VALUES WITH (MODULUS 2, REMAINDER 1); CREATE TABLE p3 PARTITION OF p FOR VALUES FROM (6) TO (MAXVALUE);");
	# tables in parts, some of which have their columns elsewhere
	foreach my $table (qw(c o l))
	{
		next unless chance(0.15);
		$definition{$table} =~ s/;$/ PARTITION BY HASH (id); /;
		$definition{$table} .= "CREATE TABLE $table$_ PARTITION OF $table FOR VALUES WITH (MODULUS 3, REMAINDER $_);" foreach 0 .. 2;
	}
	$definition{p} =~ s/CREATE TABLE p3 PARTITION OF p FOR VALUES/CREATE TABLE p3 (gone int, flag boolean NOT NULL, y int NOT NULL, x float8, more text, kind text, region int, part smallint, unit $world{unit_type}, id $key NOT NULL);
ALTER TABLE p3 DROP gone, DROP more; ALTER TABLE p3 ALTER x SET NOT NULL, ALTER region SET NOT NULL; ALTER TABLE p ATTACH PARTITION p3 FOR VALUES/ if chance(0.5);
	$definition{p} =~ s/ALTER x SET NOT NULL/ALTER x DROP NOT NULL/ if $world{x_nullable};
	$definition{p} =~ s/ALTER region SET NOT NULL/ALTER region DROP NOT NULL/ if $world{region_nullable};
	if (chance(0.3)) { $definition{e} =~ s/\(id/(gone text, id/; $definition{e} =~ s/;$/; ALTER TABLE e DROP gone;/; }
	my %unit = (c => 'id', e => 'id', o => 'customer', l => 'o.customer', d => 'l.ord', p => has_pairs() ? 'unit, part' : 'unit');
	my @sql = ("DROP SCHEMA IF EXISTS $schema CASCADE", "CREATE SCHEMA $schema", "SET search_path = $schema, public",
		"CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
		public_definition(), 'INSERT INTO r (id, name, factor) VALUES ' . join(', ', map { "($_->[0], '$_->[1]', $_->[2])" } [ 1, 'n' x public_length(), 1 ], [ 2, 's', 2 ], [ 3, 'n' x public_length(), 0 ]),
		"SELECT dpsens.set_range('r', 'factor', 0, 2)",
		'CREATE TABLE q (region bigint, kind varchar, UNIQUE (region, kind))', 'INSERT INTO q VALUES ' . offers_rows());

	foreach my $table (@{ $world{tables} })
	{
		my $limits = $world{limits}{$table};
		my @declared = ("unit => '$unit{$table}'", "adjacency => '$world{adjacency}'", $limits && defined $limits->{m} ? "max_rows => $limits->{m}" : (),
			$limits && defined $limits->{mg} ? "max_rows_per_group => $limits->{mg}" : (), $limits && defined $limits->{g} ? "max_groups => $limits->{g}" : (),
			group_size() > 1 ? 'group_size => ' . group_size() : ());
		push @sql, $definition{$table} =~ s/;$//r, insertion($table, @{ $world{rows}{$table} }) =~ s/;\n$//r, "SELECT dpsens.protect('$table', " . join(', ', @declared) . ')',
			"SELECT dpsens.set_range('$table', 'x', $world{x}[0], $world{x}[1])", "SELECT dpsens.set_range('$table', 'y', $world{y}[0], $world{y}[1])";
		push @sql, "SELECT dpsens.set_range_when('$table', 'x', " . join(', ', @{ keyed_range()->{x} }) . ', "when" => ' . "'y = " . keyed_range()->{key} . "')" if defined keyed_range();
		push @sql, "SELECT dpsens.set_values('$table', 'kind', 'a', 'b', 'c')" if $world{kinds_declared};
		push @sql, "SELECT dpsens.set_public('$table', 'region'), dpsens.set_range('$table', 'region', 1, 4)" if $world{region_public} && $table =~ /^[ceop]$/;
		push @sql, "CREATE INDEX ON $table ($unit{$table})" if chance(0.3) && $table =~ /^[op]$/;
		push @sql, 'CREATE INDEX ON l (ord)' if chance(0.3) && $table eq 'l';
		push @sql, "SELECT dpsens.register('twice', '$table', 'y * 2 + x')", "CREATE VIEW v_$table AS SELECT *, y + 1 AS z FROM $table WHERE flag OR y > 2";
		push @sql, "ANALYZE $table" if chance(0.7);
	}
	return join('', map { length $_ ? "$_;\n" : '' } @sql);
}

# ---- queries ----

# A condition on the columns of one alias.
sub condition
{
	my ($a, $depth) = @_;
	my ($lo, $hi) = @{ $world{x} };
	my $x = pick($lo, $lo + 1.5, ($lo + $hi) / 2, $hi, $hi - 1);
	my $y = pick(@{ $world{y} }, 1, 3, 5);
	my $kind = rand;

	return '(' . condition($a, $depth - 1) . pick(' AND ', ' OR ') . condition($a, $depth - 1) . ')' if $depth > 0 && $kind < 0.25;
	return 'NOT ' . condition($a, $depth - 1) if $depth > 0 && $kind < 0.3;
	return pick("$a.x > $x", "$a.x <= $x", "$a.y >= $y", "$a.y <> $y", "$a.y = $y", "$a.flag", "NOT $a.flag", "$a.kind = 'a'", "$a.kind IN ('b', 'c')", "$a.kind <> 'a'", "$a.x IS NULL",
		"$a.x IS NOT NULL", "$a.x BETWEEN $lo AND $x", "$a.y % 2 = 0", "$a.kind IS NOT NULL", "coalesce($a.x, 0) >= $x", "CASE WHEN $a.flag THEN $a.y > $y ELSE $a.x > $x END");
}

# Numbers are written with {a.x} where a column stands that is clamped to its range,
# and <a> for a registered expression of the row.
my $whole_rows;	# has FROM rows of the table itself, rather than of a subquery?

sub number
{
	my ($a, $b) = @_;
	my $x = "{$a.x}";
	my $y = "{$a.y}";
	my $other = defined $b ? pick("{$b.x}", "{$b.y}") : $y;

	return pick("$y + CASE WHEN $a.band = 'high' THEN 5 ELSE 0 END", "CASE WHEN $a.band LIKE 'h%' THEN $x ELSE $y END") if $a =~ /^[ce]$/ && chance(0.08);
	# under metric an integer that jumps moves by whole steps
	return pick("CASE WHEN $y > 2 THEN $x ELSE 2 * $y END", "$y / 2 + $x", "CASE WHEN $y = 3 THEN 5 ELSE 0 END * $x", "sqrt(abs($y))", "$y % 3")
		if $world{adjacency} eq 'metric' && chance(0.4);
	return pick($x, $x, $y, "$x * $y", "$x + 2", "abs($x)", "$y * $y - $y", "$x * $other", "$x - $other", "CASE WHEN $a.flag THEN $x ELSE $y END", "coalesce($x, 3)", "greatest($x, $y)", "$x * 0", '1.5::float8', $whole_rows ? "<$a>" : $y);
}

sub for_dp
{
	my ($text) = @_;
	return $text =~ s/<(\w+)>/twice($1)/gr =~ s/\{(\w+\.\w+)\}/$1/gr;
}

# In some worlds the range of x is narrower in rows whose y has a value that no other condition compares it with:
# the value, and the ends.  NULL in others.
sub keyed_range
{
	my ($lo, $hi) = @{ $world{x} };
	my @ends = @{ $world{y} };
	my ($key) = grep { my $y = $_; !grep { $y == $_ } @ends, 1, 3, 5 } 2, 4, 6;

	return $world{number} % 7 == 3 ? { key => $key, x => [ $lo + ($hi - $lo) / 4, $hi - ($hi - $lo) / 4 ] } : undef;
}

# keyed: the alias whose rows have the narrower range
sub for_sql
{
	my ($text, $keyed) = @_;
	my ($xlo, $xhi) = @{ $world{x} };
	my ($ylo, $yhi) = @{ $world{y} };

	if (defined $keyed)
	{
		my ($lo, $hi) = @{ keyed_range()->{x} };

		$text =~ s/<\Q$keyed\E>/({$keyed.y} * 2 + {$keyed.x})/g;
		$text =~ s/\{(\Q$keyed\E\.x)\}/'(CASE ' . ($world{x_nullable} ? "WHEN $1 = 'NaN' THEN NULL " : '') . "WHEN $1 < $lo THEN $lo WHEN $1 > $hi THEN $hi ELSE $1 END::float8)"/ge;
	}
	$text =~ s/<(\w+)>/({$1.y} * 2 + {$1.x})/g;
	$text =~ s/\{(\w+\.x)\}/'(CASE ' . ($world{x_nullable} ? "WHEN $1 = 'NaN' THEN NULL " : '') . "WHEN $1 < $xlo THEN $xlo WHEN $1 > $xhi THEN $xhi ELSE $1 END::float8)"/ge;
	$text =~ s/\{(\w+\.y)\}/(CASE WHEN $1 < $ylo THEN $ylo WHEN $1 > $yhi THEN $yhi ELSE $1 END)/g;
	$text =~ s/\{(\w+\.\w+)\}/$1/g;
	return $text;
}

# dp: as it is asked; value: what a row adds, NULL where it does not count;
# what: how answers are compared
sub aggregates
{
	my ($a, $b, $tame, @numbers) = @_;
	my @made;
	my %seen;

	foreach (1 .. pick(1, 2, 2, 3))
	{
		my $number = @numbers ? pick(@numbers) : number($a, $b);
		my $filter = chance(0.2) && !@numbers ? condition($a, 1) : undef;
		my $keyed = defined keyed_range() && $whole_rows && !@numbers && $a =~ /^[ceopld]$/ && chance(0.3) ? $a : undef;
		my $kind = rand;
		my ($dp, $value, $what, $repeated);

		$filter = join ' AND ', "$a.y = " . keyed_range()->{key}, defined $filter ? $filter : () if defined $keyed;
		if ($kind < 0.25) { ($dp, $value, $what) = ('dp_count(*)', '1', 'sum'); }
		elsif ($kind < 0.35) { ($dp, $value, $what) = ("dp_count($number)", "CASE WHEN ($number)::float8 <> 'NaN' THEN 1 END", 'sum'); }
		elsif ($kind < 0.7) { ($dp, $value, $what) = ("dp_sum($number)", "($number)::float8", 'sum'); }
		elsif ($kind < 0.78) { ($dp, $value, $what) = ("dp_avg($number)", "($number)::float8", 'avg'); }
		elsif ($kind < 0.84 && $number =~ /\{/ && !@numbers)
		{
			my $second = number($a, $b);
			$repeated = $number eq $second;
			($dp, $value, $what) = ("dp_sum(ARRAY[($number)::float8, ($second)::float8])", "CASE WHEN ($number) + ($second) IS NOT NULL THEN ARRAY[($number)::float8, ($second)::float8] END", 'array');
		}
		elsif ($kind < 0.9) { ($dp, $value, $what) = ("dp_histogram({$a.y}, ARRAY[0, 2, 5, 20]::float8[])", "{$a.y}::float8", 'histogram'); }
		elsif ($kind < 0.95 && !@numbers)
		{
			# an argument sees clamped cells, unlike a condition
			my $truth = condition($a, 0) =~ s/\b(\Q$a\E\.[xy])\b/{$1}/gr;
			($dp, $value, $what) = ("dp_bool_or($truth)", "($truth)::int", 'or');
		}
		elsif ($kind < 0.96) { ($dp, $value, $what) = ("dp_median($number)", "($number)::float8", 'median'); }
		elsif ($kind < 0.97) { ($dp, $value, $what) = ("dp_variance($number)", "($number)::float8", 'variance'); }
		elsif ($kind < 0.98 && !@numbers) { ($dp, $value, $what) = ("dp_count(DISTINCT $a.flag)", "$a.flag", 'distinct'); }
		elsif ($kind < 0.985 && !@numbers) { ($dp, $value, $what) = (chance(0.5) ? "dp_mode($a.flag)" : "dp_top($a.flag, 2)", "$a.flag", 'mode'); }
		else { ($dp, $value, $what) = (pick("dp_min($number)", "dp_max($number)", "dp_quantile($number, ARRAY[0.25, 0.5])", "dp_corr($number, " . (@numbers ? 'g.n' : "{$a.y}") . ')', "dp_stddev_pop($number)"), '1', 'other'); }
		($dp, $value, $what) = ('dp_count(*)', '1', 'sum') if $what eq 'histogram' && @numbers;
		if (defined $filter)
		{
			$dp .= " FILTER (WHERE $filter)";
			$value = "CASE WHEN $filter THEN $value END";
		}
		# the first is what a mode is
		$dp = "($dp)[1]" if $dp =~ /^dp_top/;
		next if $seen{$dp}++;
		push @made, { dp => for_dp($dp), value => for_sql($value, $keyed), what => $what, repeated => $repeated };
		next unless $what eq 'avg';
		# so that the two sums that a mean is released from can be told
		foreach ([ $dp =~ s/dp_avg/dp_sum/r, $value ], [ $dp =~ s/dp_avg\((.*?)\)( FILTER|$)/dp_count($1)$2/r, $value =~ s/THEN \((.*)\)::float8 END$/THEN CASE WHEN ($1)::float8 <> 'NaN' THEN 1 END END/r =~ s/^\((.*)\)::float8$/CASE WHEN ($1)::float8 <> 'NaN' THEN 1 END/r ])
		{
			my ($more, $its) = @$_;
			next if $seen{$more}++;
			push @made, { dp => for_dp($more), value => for_sql($its, $keyed), what => 'sum' };
		}
		$made[-3]{parts} = [ @made - 2, @made - 1 ] if @made >= 3 && $made[-3]{what} eq 'avg';
	}
	return @made;
}

# Keys of GROUP BY, and whether they are listed whether met or not.
sub keys_of
{
	my ($a, $more) = @_;
	my $kind = rand;

	# groups of single persons, of many rows
	return ([ "$a." . ($a eq 'l' ? 'ord' : 'customer') . '::text' ], 0) if $a =~ /^[lo]$/ && $kind < 0.08;
	return ([], 1) if $kind < 0.5;
	# combinations that its rows have
	return ([ $more, 'r.factor' ], 1) if defined $more && $more eq 'r.name' && $kind < 0.57;
	return ([ $more ], 1) if defined $more && $kind < 0.65;
	return ([ "$a.kind" ], $world{kinds_declared}) if $kind < 0.75;
	return ([ "$a.flag" ], 1) if $kind < 0.85;
	return ([ "$a.flag", "$a.kind" ], $world{kinds_declared}) if $kind < 0.9;
	return ([ "$a.region" ], 0) if $a =~ /^[ceop]$/ && $kind < 0.925;
	return ([ "$a.y % 3" ], 0) if $kind < 0.95;
	return ([ "upper($a.kind)" ], 0) if $kind < 0.975;
	return ([ "grouping($a.flag, $a.kind)", "$a.flag", "$a.kind" ], $world{kinds_declared}, pick('ROLLUP', 'CUBE', 'GROUPING SETS') . " ($a.flag, $a.kind)");
}

sub some_where
{
	my @conditions = @_;
	return @conditions ? ' WHERE ' . join(' AND ', @conditions) : '';
}

# A subquery in a condition on a row of a table, that reads its unit's rows in another.
sub semijoin
{
	my ($table) = @_;
	my $more = chance(0.6) ? ' AND ' . condition('s', 1) : '';
	my %forms = (
		c => [ "EXISTS (SELECT FROM o s WHERE s.customer = c.id$more)", "c.id IN (SELECT s.customer FROM o s WHERE true$more)", "EXISTS (SELECT FROM o q JOIN l s ON s.ord = q.id WHERE q.customer = c.id$more)",
			"EXISTS (SELECT FROM e s WHERE s.id = c.id$more)" ],
		o => [ "EXISTS (SELECT FROM l s WHERE s.ord = o.id$more)", "o.id IN (SELECT s.ord FROM l s WHERE true$more)", "EXISTS (SELECT FROM c s WHERE s.id = o.customer$more)", "EXISTS (SELECT FROM o s WHERE s.customer = o.customer$more)",
			'EXISTS (SELECT FROM r WHERE r.id = o.region AND r.factor > 0)' ],
		l => [ "EXISTS (SELECT FROM o s WHERE s.id = l.ord$more)", "l.ord IN (SELECT s.id FROM o s WHERE true$more)", "EXISTS (SELECT FROM d s WHERE s.line = l.id$more)" ],
		d => [ "EXISTS (SELECT FROM l s WHERE s.id = d.line$more)" ],
		p => [ has_pairs() ? "EXISTS (SELECT FROM p s WHERE s.part = p.part AND s.unit = p.unit$more)" : "EXISTS (SELECT FROM p s WHERE s.unit = p.unit$more)", 'p.region IN (SELECT id FROM r WHERE factor > 0)' ],
		e => [ "EXISTS (SELECT FROM e s WHERE s.id = e.id$more)", "EXISTS (SELECT FROM c s WHERE s.id = e.id$more)", 'e.region IN (SELECT id FROM r)' ],
	);
	my $form = pick(@{ $forms{$table} });

	return $form if chance(0.5);
	return "NOT $form" if chance(0.4);
	return "($form OR " . condition($table, 0) . ')' if chance(0.5);
	return $form . ' AND ' . condition($table, 0);
}

# FROM and WHERE, what can be aggregated and grouped by, the unit of a row, the
# tables whose limits hold.
sub source
{
	my $kind = rand;
	my @tables = @{ $world{tables} };
	my ($t, %made);

	if ($kind < 0.3 || $world{few} && $kind < 0.6)
	{
		$t = pick(@tables);
		my $from = chance(0.7) ? $t : chance(0.5) ? "(SELECT * FROM $t WHERE " . condition($t, 1) . ") $t" : chance(0.5) ? "v_$t $t" : "$t, LATERAL (SELECT $t.y + 1 AS z) z";
		%made = (from => $from, where => chance(0.6) ? some_where(condition($t, 2)) : of_session(), a => $t, unit => $unit_of{$t}("$t"), limited => [$t]);
	}
	elsif ($kind < 0.42 || $world{few})
	{
		$t = pick(grep { /^[ceop]$/ } @tables);
		my ($list, $key) = @{ pick([ "(VALUES (-3, 2, 'low'), (2, 5, 'middle'), (5, 30, 'high')) b (lo, hi, name) ON $t.y >= b.lo AND $t.y < b.hi", 'b.name' ],
			[ "generate_series(-3, 20) s (n) ON s.n = $t.y", 's.n' ], [ "(VALUES ('a', 1), ('b', 2)) v (kind, n) ON v.kind = $t.kind", 'v.n' ]) };
		return { from => "$t JOIN $list", where => '', a => $t, key => $key, unit => $unit_of{$t}("$t"), limited => [$t] } if chance(0.25);
		%made = (from => with_public($t), where => chance(0.4) ? some_where(condition($t, 1)) : on_public_rows(), a => $t, key => 'r.name', unit => $unit_of{$t}("$t"), limited => [$t], public => 1);
	}
	elsif ($kind < 0.6)
	{
		my ($from, $a, $b, $limited) = @{ pick([ 'o JOIN c ON c.id = o.customer', 'o', 'c', ['o'] ], [ 'l JOIN o ON o.id = l.ord', 'l', 'o', [ 'l', 'o' ] ], [ 'l JOIN o ON l.ord = o.id JOIN c ON c.id = o.customer', 'l', 'c', [ 'l', 'o' ] ],
			[ 'd JOIN l ON l.id = d.line', 'd', 'l', [ 'd', 'l' ] ], [ 'd JOIN l ON l.id = d.line JOIN o ON o.id = l.ord', 'd', 'o', [ 'd', 'l', 'o' ] ], [ 'o LEFT JOIN c ON c.id = o.customer', 'o', 'c', ['o'] ],
			[ 'c JOIN e ON e.id = c.id', 'c', 'e', [] ], [ 'o JOIN r ON r.id = o.region JOIN c ON c.id = o.customer', 'o', 'c', ['o'] ], [ 'l LEFT JOIN o ON o.id = l.ord', 'l', 'o', [ 'l', 'o' ] ],
			[ 'o LEFT JOIN l s ON s.ord = o.id AND ' . condition('s', 0) . ' WHERE s.id IS NULL', 'o', undef, ['o'] ], [ 'c LEFT JOIN o s ON s.customer = c.id WHERE s.id IS NULL', 'c', undef, [] ]) };
		%made = (from => $from, where => $from =~ /WHERE/ ? '' : chance(0.5) ? some_where(condition(pick($a, $b), 1)) : '', a => $a, b => $b, unit => $unit_of{$a}("$a"), limited => $limited, joined => 1);
	}
	elsif ($kind < 0.8)
	{
		$t = pick(@tables);
		%made = (from => $t, where => some_where(semijoin($t), chance(0.3) ? condition($t, 1) : ()), a => $t, unit => $unit_of{$t}("$t"), limited => [$t]);
	}
	elsif ($kind < 0.85)
	{
		my ($one, $two) = map { chance(0.5) ? " WHERE " . condition($_, 1) : '' } qw(c e);
		%made = (from => "(SELECT c.id, c.kind, c.x, c.y, c.flag, 'one' AS side FROM c$one UNION ALL SELECT e.id, e.kind, e.x, e.y, e.flag, 'two' FROM e$two) u", where => chance(0.3) ? some_where(condition('u', 1)) : '', a => 'u', key => 'u.side', unit => 'u.id', limited => []);
	}
	else
	{
		my ($from, $id, $b, $limited) = @{ pick([ 'o', 'o.customer', 'o', ['o'] ], [ 'c LEFT JOIN o ON o.customer = c.id', 'c.id', 'o', ['o'] ], [ 'c JOIN o ON o.customer = c.id', 'c.id', 'o', ['o'] ], [ 'o JOIN l ON l.ord = o.id', 'o.customer', 'l', [ 'o', 'l' ] ],
			[ 'c LEFT JOIN o ON o.customer = c.id LEFT JOIN l ON l.ord = o.id', 'c.id', 'l', [ 'o', 'l' ] ], [ 'p', 'p.unit', 'p', ['p'] ], [ 'e', 'e.id', 'e', [] ], [ 'o JOIN c ON c.id = o.customer', 'o.customer', 'o', ['o'] ]) };
		my $where = chance(0.4) ? ' WHERE ' . condition($from =~ /LEFT/ ? 'c' : $b, 1) : '';
		my $having = chance(0.2) ? pick(' HAVING count(*) > 1', " HAVING bool_or($b.flag)", " HAVING min($b.y) > 1") : '';
		my $n = pick(("count($b.id)") x 3, "count(DISTINCT $b.kind)", "count($b.id) FILTER (WHERE $b.flag)");
		my $m = pick(("max($b.x)") x 2, "min($b.x)");
		%made = (from => "(SELECT $id AS u, count($b.id) AS below, $n AS n, sum($b.y) AS s, $m AS m, bool_or($b.flag) AS any FROM $from$where GROUP BY $id$having) g", where => chance(0.2) ? ' WHERE g.n > 1' : '', grouped => 1, unit => 'g.u', limited => $limited);
		$made{a} = 'g';
		# several groups of a unit
		%made = (%made, from => pick("(SELECT o.customer AS u, count(*) AS below, o.kind AS k, count(*) AS n, sum(o.y) AS s, max(o.x) AS m, bool_or(o.flag) AS any FROM o$where GROUP BY o.customer, o.kind$having) g",
			"(SELECT DISTINCT o.customer AS u, 1 AS below, o.flag AS any, 1 AS n, 1 AS s, o.x AS m FROM o) g"), where => '', limited => ['o']) if $b eq 'o' && $from eq 'o' && chance(0.4);
	}
	return \%made;
}

sub question
{
	my $source = source();
	my ($keys, $listed, $sets);
	my @aggregates;

	if ($source->{grouped})
	{
		($keys, $listed) = @{ pick([ [], 1 ], [ [], 1 ], [ ['g.n'], 0 ], [ ['g.any'], 0 ], $source->{from} =~ / AS k/ ? [ ['g.k'], $world{kinds_declared} ] : [ ['g.n'], 0 ]) };
		@aggregates = aggregates('g', undef, 1, 'g.n', 'least(g.n, 3)', 'g.s', 'g.m', '1.5::float8');
	}
	else
	{
		($keys, $listed, $sets) = keys_of($source->{a}, $source->{key});
		# who may look is refused subqueries beside keys of public columns
		($keys, $listed, $sets) = ([], 1) if "@$keys" =~ /\.region$/ && $source->{where} =~ /SELECT/;
		# then every row is in a declared group, and what is released with noise would be made to add up
		$source->{where} .= ($source->{where} eq '' ? ' WHERE ' : ' AND ') . "$source->{a}.kind IN ('a', 'b', 'c')" if $sets && chance(0.6);
		$whole_rows = $source->{from} =~ /(?:^|JOIN )$source->{a}(?:,| |$)/;
		@aggregates = aggregates($source->{a}, $source->{b});
		my $factor = pick('r.factor', 'coalesce(r.factor, 1)');
		push @aggregates, { dp => "dp_sum($factor)", value => $factor, what => 'sum' } if $source->{public} && chance(0.4);
		# what is public of a row is not that of one that takes its place
		push @aggregates, pick(({ dp => "dp_histogram(2 * $source->{a}.region, ARRAY[0, 2, 5, 20]::float8[])", value => "(2 * $source->{a}.region)::float8", what => 'histogram' }) x 3,
			{ dp => "dp_count(DISTINCT $source->{a}.region)", value => "$source->{a}.region", what => 'distinct' }, { dp => "dp_sum($source->{a}.region - 3)", value => "($source->{a}.region - 3)::float8", what => 'sum' })
			if $world{region_public} && $source->{a} =~ /^[ceop]$/ && chance($world{adjacency} eq 'replace' ? 0.6 : 0.2);
	}
	my $list = join ', ', @$keys, map { $_->{dp} } @aggregates;
	my $group = $sets ? " GROUP BY $sets" : @$keys ? ' GROUP BY ' . join(', ', @$keys) : '';
	my $body = " FROM $source->{from}$source->{where}";

	return { %$source, text => "SELECT $list$body$group", nkeys => scalar @$keys, listed => $listed, aggregates => \@aggregates,
		sets => $sets, rows => 'SELECT ' . join(', ', ($source->{unit}) . '::text', $source->{grouped} ? 'g.below' : '0', map({ /^grouping/ ? '0' : $_ } @$keys), map { "($_->{value})::text" } @aggregates) . $body };
}

# ---- ways of the same ----

sub some_way
{
	my @set = map { "SET $_ = off" } grep { chance(0.2) } qw(enable_seqscan enable_hashagg enable_indexscan enable_bitmapscan enable_sort enable_material enable_hashjoin enable_mergejoin enable_nestloop enable_memoize
		dpsens.enable_table_sums dpsens.enable_row_sums dpsens.enable_group_states);

	push @set, "SET work_mem = '64kB'", 'SET hash_mem_multiplier = 1' if chance(0.4);
	push @set, 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0', 'SET min_parallel_table_scan_size = 0', 'SET min_parallel_index_scan_size = 0', 'SET max_parallel_workers_per_gather = ' . pick(1, 2) if chance(0.35);
	push @set, 'SET parallel_leader_participation = off' if chance(0.2);
	push @set, "SET $always_parallel = on" if chance(0.1);
	push @set, 'SET enable_partitionwise_join = on', 'SET enable_partitionwise_aggregate = on' if chance(0.2);
	push @set, 'SET join_collapse_limit = 1', 'SET from_collapse_limit = 1' if chance(0.1);
	push @set, 'SET geqo_threshold = 2' if chance(0.1);
	push @set, 'SET plan_cache_mode = force_generic_plan' if chance(0.2);
	push @set, 'SET cursor_tuple_fraction = 0.001' if chance(0.2);
	return @set;
}

# The same question in another form.
sub written_otherwise
{
	my ($question) = @_;
	my $text = $question->{text};
	my $kind = rand;

	return "$text;\n" if $kind < 0.4;
	return "PREPARE q AS $text;\nEXECUTE q;\nDEALLOCATE q;\n" if $kind < 0.5;
	return "BEGIN;\nDECLARE q CURSOR FOR $text;\nFETCH ALL FROM q;\nCOMMIT;\n" if $kind < 0.55;
	return "BEGIN;\nDECLARE q SCROLL CURSOR FOR $text;\nMOVE ALL IN q;\nMOVE ABSOLUTE 0 IN q;\nFETCH ALL FROM q;\nCOMMIT;\n" if $kind < 0.6;
	return "WITH q AS ($text) SELECT * FROM q;\n" if $kind < 0.65;
	return "SELECT q.* FROM ($text) q, (VALUES (1), (2)) twice (once) WHERE once = 2;\n" if $kind < 0.7;
	return "$text ORDER BY 1 DESC;\n" if $kind < 0.75;
	# a number of a condition becomes a parameter; nothing is narrowed by it, so that
	# what depends on the bounds may be rounded otherwise
	if (!(grep { $_->{what} ne 'sum' } @{ $question->{aggregates} }) && $text =~ /^(.* WHERE .*?\w+\.([xy]) (?:>|<|>=|<=|=|<>) )(-?[\d.]+)(.*)$/s)
	{
		my ($head, $column, $number, $tail) = ($1, $2, $3, $4);

		$question->{parameter} = 1;
		return "PREPARE q (" . ($column eq 'x' ? 'float8' : 'int') . ") AS $head\$1$tail;\nEXECUTE q ($number);\nDEALLOCATE q;\n";
	}
	return "$text;\n";
}

# ---- neighbours ----

sub changed
{
	my ($table, $row, %new) = @_;
	my $condition = 'id = ' . quoted($row->{id});

	@$row{ keys %new } = values %new;
	return "UPDATE $table SET " . join(', ', map { "$_ = " . quoted($new{$_}) } sort keys %new) . " WHERE $condition;\n";
}

sub deletion
{
	my ($table, $which) = @_;
	my @gone = grep { $which->($_) } @{ $world{rows}{$table} };

	return '' unless @gone;
	$world{rows}{$table} = [ grep { !$which->($_) } @{ $world{rows}{$table} } ];
	return "DELETE FROM $table WHERE id IN (" . join(', ', map { quoted($_->{id}) } @gone) . ");\n";
}

sub by_id
{
	my ($table) = @_;
	my $rows = $world{rows}{$table};
	my $kept = $world{by_id}{$table};

	# rows come by way of new numbers, and go by way of a new list
	return $kept->{map} if $kept && $kept->{rows} == $rows && $kept->{n} == @$rows;
	$world{by_id}{$table} = { rows => $rows, n => scalar @$rows, map => { map { $_->{id} => $_ } @$rows } };
	return $world{by_id}{$table}{map};
}

sub unit_of_row
{
	my ($table, $row) = @_;
	my $up;

	return "$row->{id}" if $table =~ /^[ce]$/;
	return undef if $table eq 'p' && (!defined $row->{unit} || (has_pairs() && !defined $row->{part}));
	return 'p ' . canonical_value($row->{unit}) . (has_pairs() ? "/$row->{part}" : '') if $table eq 'p';
	return $row->{customer} if $table eq 'o';
	if ($table eq 'l')
	{
		$up = by_id('o')->{ $row->{ord} // '' };
		return $up ? $up->{customer} : undef;
	}
	$up = by_id('l')->{ $row->{line} };
	return $up ? unit_of_row('l', $up) : undef;
}

sub rows_of_unit
{
	my ($unit, @tables) = @_;
	my @found;

	foreach my $table (@tables)
	{
		push @found, map { [ $table, $_ ] } grep { my $own = unit_of_row($table, $_); defined $own && $own eq $unit } @{ $world{rows}{$table} };
	}
	return @found;
}

sub remove_rows
{
	my (@rows) = @_;
	my $sql = '';

	foreach my $table (uniq(map { $_->[0] } @rows))
	{
		my %gone = map { $_->[1]{id} => 1 } grep { $_->[0] eq $table } @rows;
		$sql .= deletion($table, sub { $gone{ $_[0]{id} } });
	}
	return $sql;
}

# A new person, with rows as many as there can be trouble with, at the ends of the ranges.
sub new_person
{
	my $id = $world{last_id} += 10;
	my $alike = chance(0.7);
	my %extreme = (x => pick($world{x}[0], $world{x}[1]), y => pick(@{ $world{y} }), flag => pick('t', 'f'), kind => pick('a', 'b'));
	my %new;
	my $add = sub { my ($table, %given) = @_; my $row = some_row($table, ($alike || chance(0.3) ? %extreme : ()), %given); push @{ $world{rows}{$table} }, $row; push @{ $new{$table} }, $row; return $row; };
	my $insertions = sub { return join '', map { insertion($_, @{ $new{$_} }) } sort keys %new; };
	my $alone = $world{customer_nullable} && chance(0.5);

	$add->('c', id => $id) if !$alone && chance(0.7);
	$add->('e', id => $id) if !$alone && chance(0.5);
	return $insertions->() if $world{few};
	if ($alone)
	{
		# a row without a unit is a person of its own, and what refers to it is its
		my $order = $add->('o', customer => undef);
		$add->('l', ord => $order->{id}) foreach 1 .. pick(0, 1, 2, 30);
		return $insertions->();
	}
	my @orders = map { $add->('o', customer => $id) } 1 .. pick(0, 1, 2, 5, 12);
	my @lines = @orders ? map { $add->('l', ord => pick(@orders)->{id}) } 1 .. pick(0, 1, 3, 30) : ();
	if (@lines) { $add->('d', line => pick(@lines)->{id}) foreach 1 .. pick(0, 1, 9); }
	if ($world{unit_type} =~ /int|numeric|float8/) { $add->('p', unit => $id, part => 1) foreach 1 .. pick(0, 0, 1, 2, 25); }
	# one who is in no other table
	elsif (!(grep { (unit_of_row('p', $_) // '') =~ m{^p zz(?:/2)?$} } @{ $world{rows}{p} }) && $world{unit_type} =~ /char|text/) { $add->('p', unit => 'zz', part => 2) foreach 1 .. pick(0, 0, 1, 25); }
	return $insertions->();
}

sub some_unit
{
	my ($table) = grep { @{ $world{rows}{$_} } } shuffle(@{ $world{tables} });

	return () unless defined $table;
	my $row = pick(@{ $world{rows}{$table} });
	return (unit_of_row($table, $row), $table, $row);
}

# A unit with more rows in a table than may count, so that which of them do is a matter of
# its cells: it can take turns.
sub crowded_unit
{
	my @crowded;

	foreach my $table (grep { $world{limits}{$_} } @{ $world{tables} })
	{
		my %rows;
		foreach my $row (@{ $world{rows}{$table} }) { my $unit = unit_of_row($table, $row); push @{ $rows{$unit} }, $row if defined $unit; }
		push @crowded, map { [ $_, $table, $rows{$_}[0] ] } grep { @{ $rows{$_} } > ($world{limits}{$table}{m} // 1) } sort keys %rows;
	}
	return @crowded ? @{ pick(@crowded) } : some_unit();
}

# The row without a unit to which a row belongs that refers to it.
sub owner
{
	my ($table, $row) = @_;
	my $up;

	return ($table, $row) unless $table =~ /^[ld]$/;
	$up = $table eq 'l' ? by_id('o')->{ $row->{ord} // '' } : by_id('l')->{ $row->{line} };
	return $up ? owner($table eq 'l' ? 'o' : 'l', $up) : ($table, $row);
}

# What is removed with a row that others refer to.
sub with_dependents
{
	my ($table, $row) = @_;
	my @rows = ([ $table, $row ]);

	if ($table eq 'o') { push @rows, with_dependents('l', $_) foreach grep { defined $_->{ord} && $_->{ord} eq $row->{id} } @{ $world{rows}{l} }; }
	if ($table eq 'l') { push @rows, [ 'd', $_ ] foreach grep { $_->{line} eq $row->{id} } @{ $world{rows}{d} }; }
	return @rows;
}

# The next database: SQL that changes one person's rows, in some or in all tables.
sub neighbour
{
	my ($unit, $table, $row) = $world{adjacency} eq 'replace' && chance(0.7) ? crowded_unit() : some_unit();

	if ($world{adjacency} eq 'add_remove')
	{
		return new_person() if chance(0.45) || !defined $table;
		return remove_rows(with_dependents(owner($table, $row))) if !defined $unit;
		# so that nothing is left that refers to what is gone; customers may go alone
		# where nothing has to refer to them
		my $customers = !$world{customer_references} && chance(0.3) ? [qw(c)] : undef;
		my $some = $customers // pick(['d'], [qw(d l)], [qw(d l o)], [qw(d l o c e p)], [qw(d l o c e p)], ['e'], ['p']);
		my %known = map { $_ => 1 } @{ $world{tables} };
		return remove_rows(rows_of_unit($unit, grep { $known{$_} } @$some));
	}
	return '' unless defined $table;
	if ($world{adjacency} eq 'replace')
	{
		my $public = $world{region_public};
		my @rows = defined $unit ? rows_of_unit($unit, @{ $world{tables} }) : ([ $table, $row ]);
		my $sql = '';

		foreach (@rows)
		{
			my ($of, $old) = @$_;
			my $new = some_row($of);
			my %new = map { $_ => $new->{$_} } qw(kind x y flag), $of =~ /^[ceop]$/ && !$public ? 'region' : ();
			$sql .= changed($of, $old, %new) if chance(0.8);
		}
		return $sql;
	}
	my $new = some_row($table);
	if ($world{adjacency} eq 'metric')
	{
		# which values are NULL is public
		my $x = defined $row->{x} ? $new->{x} // $row->{x} : undef;
		push @{ $world{moved} }, sqrt((($x // 0) - ($row->{x} // 0)) ** 2 + ($new->{y} - $row->{y}) ** 2);
		return changed($table, $row, x => $x, y => $new->{y});
	}
	my $column = pick(qw(kind x y flag), $world{region_public} ? () : 'region');
	return changed($table, $row, $column => $new->{$column});
}

# ---- running ----

sub write_world
{
	my ($number, $file) = @_;
	open my $script, '>', "$folder/$file.sql" or die "$folder/$file.sql: $!\n";
	my @questions;
	my $mark = sub { print $script "\\echo \@\@\@\@ $_[0]\n\\warn \@\@\@\@ $_[0]\n"; };
	my $path = "SET search_path = differential_$number, public;\n";

	make_world($number);
	my $creation = creation();
	my %first = map { my $table = $_; $table => [ map { {%$_} } @{ $world{rows}{$table} } ] } @{ $world{tables} };
	my $restricted = $rooms > 0 || $number % 2 == 0 ? 'on' : 'off';
	my $base = "SET client_min_messages = error;\nSET dpsens.debug_restricted = $restricted;\nSET log_min_messages = panic;\nSET dpsens.noise = off;\nSET dpsens.epsilon = 1;\nSET dpsens.mechanism = $world{mechanism};\nSET dpsens.max_boxes = 2000;\nSET jit = off;\nSET max_parallel_workers_per_gather = 0;\nSET timezone = 'UTC';\n$path";
	print $script "\\set VERBOSITY verbose\n\\pset null '(null)'\nSET client_min_messages = error;\nSET dpsens.noise = off;\n";
	$mark->('made');
	print $script $creation, $base;
	foreach my $n (0 .. $queries_per_world - 1)
	{
		my $question = question();
		my @way = some_way();
		my $kept = chance(0.2);

		# a weight for each answer, of which those of one release are one
		push @way, "SET dpsens.weights = '3'" if @{ $question->{aggregates} } == 1 && !$question->{sets} && chance(0.2);

		push @questions, $question;
		$question->{way} = [@way];
		$question->{kept} = $kept;
		$mark->("$n 0");
		print $script "$question->{text};\n";
		if ($rooms > 0)
		{
			$mark->("$n room");
			print $script 'BEGIN; LOCK TABLE ', join(', ', @{ $world{tables} }), " IN SHARE UPDATE EXCLUSIVE MODE;\n$question->{text};\nROLLBACK;\n";
		}
		if ($restricted eq 'on')
		{
			$mark->("$n open");
			print $script "SET dpsens.debug_restricted = off;\n$question->{text};\nSET dpsens.debug_restricted = on;\n";
		}
		$mark->("$n rows");
		print $script "$question->{rows};\n";
		$mark->("$n prepare");
		print $script "PREPARE kept_$n AS $question->{text};\n" if $kept;
		$mark->("$n explain");
		print $script "SELECT sensitivity, \"grid\", lower, upper, mechanism FROM dpsens.explain(\$q\$$question->{text}\$q\$) WHERE mechanism IS DISTINCT FROM 'partition';\n";
		if (@{ $question->{aggregates} } && $question->{nkeys} && !$question->{listed} && !$question->{sets})
		{
			$mark->("$n selection");
			print $script "SET dpsens.selection_epsilon = 64;\nSET dpsens.delta = 1e-15;\nSELECT sensitivity, substring(note FROM 'of (\\d+) always') FROM dpsens.explain(\$q\$$question->{text}\$q\$) WHERE mechanism = 'partition';\n";
			$mark->("$n shown");
			print $script "SET dpsens.noise = on;\n$question->{text};\nRESET dpsens.selection_epsilon;\nRESET dpsens.delta;\nSET dpsens.noise = off;\n";
		}
		if (@way)
		{
			$mark->("$n settings");
			print $script join('', map { "$_;\n" } @way);
			$mark->("$n way");
			print $script written_otherwise($question);
			$mark->("$n reset");
			print $script "RESET ALL;\n$base";
		}
	}
	my @steps;
	foreach my $step (1, 2, 3)
	{
		my $change = join '', map { neighbour() } 1 .. group_size();

		push @steps, $change;
		$mark->("step $step");
		print $script "SET session_replication_role = replica;\n${change}RESET session_replication_role;\n";
		foreach my $n (0 .. $#questions)
		{
			$mark->("$n $step");
			print $script "$questions[$n]{text};\n";
			next unless $questions[$n]{kept};
			$mark->("$n kept $step");
			print $script "EXECUTE kept_$n;\n";
		}
	}
	my $column = $number % 3 == 0 ? write_columns($number, $script, $mark, \@questions, $creation, $base, \%first) : undef;
	$mark->('end');
	print $script "DROP SCHEMA differential_$number CASCADE;\n";
	close $script or die "$folder/$file.sql: $!\n";
	return (\@questions, \@steps, $column);
}

# The questions once more in a schema of their own, with the rows as they were made.  First with noise, while
# columns have budgets: then the history says what is known of them.  Then without, before and after
# one of them has changed in one row.
sub write_columns
{
	my ($number, $script, $mark, $questions, $creation, $base, $rows) = @_;
	my ($table) = grep { @{ $rows->{$_} } } shuffle(grep { $_ ne 'p' } @{ $world{tables} });
	my ($schema, $budgets) = ("columns_$number", '');

	return undef unless defined $table;
	foreach my $of (grep { $_ ne 'p' } @{ $world{tables} })
	{
		foreach my $column (grep { /^(kind|x|y|flag|region)$/ } columns_of($of))
		{
			$budgets .= "DO \$\$ BEGIN PERFORM dpsens.set_column_budget('$of', '$column', %s); EXCEPTION WHEN OTHERS THEN NULL; END \$\$;\n";
		}
	}
	$mark->('columns');
	print $script ($creation . $base) =~ s/differential_$number/$schema/gr;
	print $script $budgets =~ s/%s/1048576, 0.5/gr, "SET dpsens.noise = on;\nSET dpsens.delta = 1e-15;\n";
	foreach my $n (0 .. $#$questions)
	{
		print $script "SELECT coalesce(max(release), 0) AS last FROM dpsens.release \\gset\n$questions->[$n]{text} \\g /dev/null\n";
		$mark->("$n columns");
		print $script "SELECT relation_name, mechanism, grid, sensitivities[1], replacement, coalesce(column_names::text, '{}'), coalesce(column_moves::text, '{}'), cardinality(scales) FROM dpsens.release WHERE release > :last AND relation_schema = '$schema' ORDER BY release;\n";
	}
	$mark->('columns again');
	print $script $budgets =~ s/%s/'Infinity'/gr, "SET dpsens.noise = off;\nRESET dpsens.delta;\n";
	my $row = pick(@{ $rows->{$table} });
	my $column = pick(grep { /^(kind|x|y|flag|region)$/ } columns_of($table));
	my $new = some_row($table);
	my $change = changed($table, {%$row}, $column => $new->{$column});
	foreach my $when ('before', 'after')
	{
		$mark->("$_ $when"), print $script "$questions->[$_]{text};\n" foreach 0 .. $#$questions;
		$mark->('columns changed');
		print $script "SET session_replication_role = replica;\n${change}RESET session_replication_role;\n" if $when eq 'before';
	}
	$mark->('columns end');
	print $script "DROP SCHEMA $schema CASCADE;\n";
	return { table => $table, column => $column, change => $change };
}

sub read_output
{
	my ($file) = @_;
	my %said;

	foreach my $stream (0, 1)
	{
		my $mark = 'start';
		open my $in, '<', "$folder/$file." . ('out', 'err')[$stream] or die "$file: $!\n";
		while (my $line = <$in>)
		{
			chomp $line;
			if ($line =~ /^@@@@ (.*)$/) { $mark = $1; $said{$mark} //= [ [], [] ]; next; }
			push @{ $said{$mark}[$stream] }, $line if $stream == 0 || $line =~ /(ERROR|FATAL|PANIC|WARNING):|server closed|connection/;
		}
		close $in;
	}
	return \%said;
}

# What failed says so again for each command that follows from it.
sub message { my ($said) = @_; return join '; ', map { s/^psql:\S+ //r } grep { !/ (25P02|26000): / } @{ $said->[1] }; }

# ---- judging ----

# By key: the cells of an answer.
sub answer
{
	my ($question, $said) = @_;
	my %answer;

	foreach my $line (@{ $said->[0] })
	{
		my @cells = split /\|/, $line, -1;
		$answer{ join '|', @cells[ 0 .. $question->{nkeys} - 1 ] } = [ @cells[ $question->{nkeys} .. $#cells ] ];
	}
	return \%answer;
}

sub vector
{
	my ($cell) = @_;
	return () if !defined $cell || $cell eq '(null)';
	return $cell =~ /^\{(.*)\}$/ ? split(/,/, $1) : ($cell);
}

# How far two answers are apart, in L1 or L2, over all groups.
# Of a vector that is computed from the release of another one, an entry that is there
# twice has the same noise twice: it moves the release once.
sub distance
{
	my ($place, $before, $after, $norm, $repeated) = @_;
	my $sum = 0;

	foreach my $key (uniq(keys %$before, keys %$after))
	{
		my @one = vector(($before->{$key} // [])->[$place]);
		my @two = vector(($after->{$key} // [])->[$place]);
		my $n = max(scalar @one, scalar @two);
		foreach my $i ($repeated ? 0 : 0 .. $n - 1)
		{
			my $apart = abs(($one[$i] // 0) - ($two[$i] // 0));
			$sum += $norm == 1 ? $apart : $apart * $apart;
		}
	}
	return $norm == 1 ? $sum : sqrt $sum;
}

# The same of a mean: of the sums of the distances to either end of the range.
sub mean_distance
{
	my ($parts, $explained, $before, $after) = @_;
	my $moved = 0;

	foreach my $key (uniq(keys %$before, keys %$after))
	{
		my ($sum, $count) = map { ($after->{$key} // [])->[$_] // 0 } @$parts;
		my ($sum_before, $count_before) = map { ($before->{$key} // [])->[$_] // 0 } @$parts;
		my ($by, $more) = ($sum - $sum_before, $count - $count_before);

		$moved += abs($by - $explained->{lower} * $more) + abs($explained->{upper} * $more - $by);
	}
	return $moved;
}

sub near
{
	my ($a, $b, $slack) = @_;
	return abs($a - $b) <= $slack + 1e-9 * (1 + abs $b);
}

# Could a limit leave out a row?  By units, of the rows that WHERE selects.
sub limits_bind
{
	my ($question, $rows) = @_;
	my (%of, %in, %groups);

	foreach my $row (@$rows)
	{
		next if $row->{unit} eq '(null)';
		$of{ $row->{unit} }++;
		$in{ $row->{unit} }{ $row->{key} }++;
	}
	foreach my $table (@{ $question->{limited} })
	{
		my $limits = $world{limits}{$table} or next;
		# what is counted or summed below the aggregates is clamped to that of as many
		my $most = min($limits->{m} // 9e9, ($limits->{mg} // 9e9) * ($limits->{g} // 9e9));
		return 1 if grep { $_->{below} > $most } @$rows;
		foreach my $unit (keys %of)
		{
			return 1 if $question->{sets} && $of{$unit} > min($limits->{g} // 9e9, $limits->{mg} // 9e9);
			return 1 if $of{$unit} > ($limits->{m} // 9e9) || keys %{ $in{$unit} } > ($limits->{g} // 9e9) || max(values %{ $in{$unit} }) > ($limits->{mg} // 9e9);
		}
	}
	return 0;
}

sub read_rows
{
	my ($question, $said) = @_;
	my @rows;

	foreach my $line (@{ $said->[0] })
	{
		my ($unit, $below, @cells) = split /\|/, $line, -1;
		push @rows, { unit => canonical($unit), below => $below, key => join('|', @cells[ 0 .. $question->{nkeys} - 1 ]), cells => [ @cells[ $question->{nkeys} .. $#cells ] ] };
	}
	return \@rows;
}

my (%tally, @problems);

# What is wrong with one cell of an answer, given what the rows of its group say.
sub wrong_cell
{
	my ($what, $cell, $values, $bind, $slack, $nrows) = @_;
	my @values = grep { $_ ne '(null)' } @$values;

	return if $what eq 'other';
	if ($what eq 'sum')
	{
		my $all = sum0(@values);
		return if !$bind && near($cell, $all, $slack);
		return if $bind && $cell >= sum0(grep { $_ < 0 } @values) - $slack - 1e-6 && $cell <= sum0(grep { $_ > 0 } @values) + $slack + 1e-6;
		return "$cell, by SQL " . ($bind ? "some of" : '') . " $all";
	}
	if ($what eq 'avg')
	{
		return unless @values;
		return if !$bind && near($cell, sum0(@values) / @values, $slack + 1e-6);
		return if $bind && $cell >= min(@values) - 1e-6 && $cell <= max(@values) + 1e-6;
		# an average of none that count
		return if $bind;
		return "$cell, by SQL " . sum0(@values) / @values;
	}
	if ($what eq 'array')
	{
		my @sums;
		foreach my $value (@values) { my @v = vector($value); $sums[$_] += $v[$_] foreach 0 .. $#v; }
		my @cells = vector($cell);
		return if $bind;
		foreach my $i (0 .. $#cells) { return "$cell, by SQL " . join(',', map { $_ // 0 } @sums) unless near($cells[$i], $sums[$i] // 0, $slack); }
		return;
	}
	if ($what eq 'histogram')
	{
		my @edges = (0, 2, 5, 20);
		my @counts = (0, 0, 0);
		foreach my $value (@values) { foreach my $i (0 .. 2) { $counts[$i]++ if $value >= $edges[$i] && ($value < $edges[ $i + 1 ] || $i == 2 && $value == 20); } }
		my @cells = vector($cell);
		return "$cell, by SQL @counts" if grep { $bind ? $cells[$_] > $counts[$_] : $cells[$_] != $counts[$_] } 0 .. 2;
		return;
	}
	if ($what eq 'variance')
	{
		return if $bind || @values < 2 || $cell eq '(null)';
		my $mean = sum0(@values) / @values;
		my $variance = sum0(map { ($_ - $mean) ** 2 } @values) / (@values - 1);
		my $scale = max(map { $_ * $_ } @values) + 1000;
		return near($cell, $variance, 1e-4 * $scale) ? () : "$cell, by SQL $variance";
	}
	if ($what eq 'median')
	{
		return if $bind || !@values;
		# of the points of a lattice, one of those that are least far from it
		my $step = max(map { abs } @values, 1) / 100;
		my $below = grep { $_ < $cell - $step } @values;
		my $above = grep { $_ > $cell + $step } @values;
		return $below <= @values / 2 && $above <= @values / 2 ? () : "$cell, above $below and below $above of " . @values;
	}
	if ($what eq 'distinct')
	{
		my $n = uniq(@values);
		return $bind ? ($cell <= $n ? () : "$cell, by SQL $n") : $cell == $n ? () : "$cell, by SQL $n";
	}
	if ($what eq 'mode')
	{
		return if $bind || !@values || $cell eq '(null)';
		my $n = grep { substr($_, 0, 1) eq $cell } @values;
		return 2 * $n >= @values ? () : "$cell, which has $n of " . @values;
	}
	if ($what eq 'or')
	{
		my $any = !@values ? '(null)' : (grep { $_ } @values) ? 't' : 'f';
		return if $cell eq $any || $cell eq '(null)' && !@values || $bind && $cell ne 't';
		return "$cell, by SQL $any";
	}
	return;
}

# What rows add, where cells beyond their ranges pass a condition that bounds what it lets
# through: no more than what was bounded, which dpsens.explain says.
sub clamped
{
	my ($explained, @values) = @_;
	my ($lower, $upper) = @{ $explained // {} }{qw(lower upper)};

	return @values if grep { !defined $_ || $_ !~ /\d/ } $lower, $upper;
	return map { $_ eq '(null)' ? $_ : max($lower, min($upper, $_)) } @values;
}

# The key of a row's group, of two columns, where some of them are added up.
sub in_set
{
	my ($added, $key) = @_;
	my (undef, $one, $two) = split /\|/, $key, -1;

	return join '|', $added, $added & 2 ? '(null)' : $one, $added & 1 ? '(null)' : $two;
}

sub judge_rows
{
	my ($question, $answer, $rows, $explained) = @_;
	my $bind = $question->{bind};
	my (%in, @wrong);

	foreach my $row (@$rows)
	{
		# in one group of each set
		push @{ $in{ $question->{sets} ? in_set($_, $row->{key}) : $row->{key} } }, $row foreach $question->{sets} ? 0 .. 3 : 0;
	}
	# groups of keys that are not declared are all shown without noise
	if (!$question->{listed} && !$bind && !$question->{sets})
	{
		push @wrong, "no group $_" foreach grep { !$answer->{$_} } keys %in;
	}
	# and so are combinations of a public table, which has all that are met
	if ("$question->{text} " =~ /GROUP BY r\.name, r\.factor /)
	{
		push @wrong, "no group $_" foreach grep { !/\(null\)/ && !$answer->{$_} } keys %in;
	}
	foreach my $key (keys %$answer)
	{
		my @rows = @{ $in{$key} // [] };
		foreach my $place (0 .. $#{ $question->{aggregates} })
		{
			my $aggregate = $question->{aggregates}[$place];
			my $grid = $explained->[$place] ? $explained->[$place]{grid} : 0;
			my @values = map { $_->{cells}[$place] } @rows;
			@values = clamped($explained->[$place], @values) if $world{wild} && $aggregate->{what} eq 'sum';
			my $wrong = wrong_cell($aggregate->{what}, $answer->{$key}[$place], \@values, $bind, @rows * $grid, scalar @rows);
			push @wrong, "$aggregate->{dp} of group ($key) is $wrong" if defined $wrong;
		}
	}
	return @wrong;
}

# How many persons have rows in each group.  Those who stand in several arms of UNION ALL
# are counted for each, as rows are that have no person.
sub persons
{
	my ($question, $rows) = @_;
	my (%seen, %persons);
	my $number = 0;

	foreach my $row (@$rows)
	{
		my $person = $row->{unit} eq '(null)' || $question->{from} =~ /UNION/ ? 'row ' . ++$number : $row->{unit};
		$persons{ $row->{key} }++ unless $seen{"$row->{key}|$person"}++;
	}
	return \%persons;
}

# What is wrong with the groups that are shown with noise.
sub judge_selection
{
	my ($question, $selection, $shown, $rows) = @_;
	my ($sensitivity, $always) = split /\|/, $selection->[0][0] // '', -1;
	my $persons = persons($question, $rows);
	my $groups = answer($question, $shown);
	my @wrong;

	return message($shown) if message($shown);
	return unless $sensitivity && $always;
	push @wrong, map { "group ($_) of " . ($persons->{$_} // 0) . ' persons is shown' } grep { ($persons->{$_} // 0) < 2 } keys %$groups;
	push @wrong, map { "group ($_) of $persons->{$_} persons is not shown" } grep { $persons->{$_} >= $always && !$groups->{$_} } keys %$persons unless $question->{bind};
	$tally{'groups shown with noise'} += keys %$groups;
	$tally{'groups of single persons'} += grep { $_ == 1 } values %$persons;
	return @wrong;
}

sub problem
{
	my ($kind, $file, $question, @details) = @_;

	print STDERR "# $kind in world $world{number}\n";	# a long run need not be awaited
	push @problems, join "\n", "$kind in world $world{number} ($world{adjacency}, $world{mechanism}): DIFFERENTIAL_SEED=$seed DIFFERENTIAL_WORLD=$world{number} KEEP=folder",
		$question->{text}, @details, $question->{bind} ? 'limits bind' : ();
	$tally{"problems: $kind"}++;
}

sub judge_world
{
	my ($file, $questions, $steps) = @_;
	my $said = read_output($file);

	if (!$said->{end} || message($said->{made} // [ [], ['nothing'] ]))
	{
		problem('broken', $file, { text => '(the world)' }, message($said->{made} // [ [], ['no world'] ]), map { message($_) } grep { message($_) =~ /server closed|connection|FATAL|PANIC/ } values %$said);
	}
	foreach my $n (0 .. $#$questions)
	{
		my $question = $questions->[$n];
		my $first = $said->{"$n 0"} // next;
		my $error = message($first);

		if ($error)
		{
			$tally{refused}++;
			$tally{ 'refused: ' . $error =~ s/.*?(ERROR):\s+//r =~ s/"[^"]*"/.../gr }++;
			problem('internal error', $file, $question, $error) if $error =~ /XX000|server closed|connection/ ;
		}
		else { $tally{answered}++; }
		if ($rooms > 0 && !$error)
		{
			my $outside = message($said->{"$n room"});
			problem('no room', $file, $question, $outside || 'answered') unless $outside =~ /55000: .* was changed or locked in the same transaction/;
			$tally{'answered by a room'}++;
		}
		my $explained = [ map { my @cells = split /\|/; { sensitivity => $cells[0], grid => $cells[1] eq '(null)' ? 0 : $cells[1], lower => $cells[2], upper => $cells[3], mechanism => $cells[4] } } @{ $said->{"$n explain"}[0] } ];
		my $before = answer($question, $first);

		if (!$error)
		{
			my $rows_error = message($said->{"$n rows"});
			if ($rows_error) { problem('SQL fails', $file, $question, $question->{rows}, $rows_error); }
			else
			{
				my $rows = read_rows($question, $said->{"$n rows"});
				$question->{bind} = limits_bind($question, $rows);
				my @wrong = $question->{grouped} && $world{wild} ? () : judge_rows($question, $before, $rows, $explained);
				problem("not plain SQL", $file, $question, @wrong[ 0 .. min($#wrong, 4) ]) if @wrong;
				$tally{ $question->{bind} ? 'compared with what can count' : 'compared with SQL' }++;
				my $shown = $said->{"$n shown"};
				my @selected = $shown ? judge_selection($question, $said->{"$n selection"}, $shown, $rows) : ();
				problem('selection', $file, $question, @selected) if @selected;
			}
			$tally{'as many explained as asked'}++ if @$explained == @{ $question->{aggregates} };
		}
		if (my $open = $said->{"$n open"})
		{
			my $refusal = message($open);

			my $same = $refusal eq '' && join("\n", sort @{ $first->[0] }) eq join("\n", sort @{ $open->[0] });
			problem('another way', $file, $question, 'as who may look', "was: @{ $first->[0] } $error", "is: @{ $open->[0] } $refusal") unless $error ne '' || $same;
			$tally{'refused without SELECT only'}++ if $error ne '' && $refusal eq '';
			$tally{'compared with who may look'}++ if $error eq '';
		}
		if (my $way = $said->{"$n way"})
		{
			# a parameter narrows no range, so another reason may come first
			my $refused_alike = message($way) eq $error || ($question->{parameter} && $error ne '' && message($way) ne '');
			my $same = join("\n", sort @{ $first->[0] }) eq join("\n", sort @{ $way->[0] }) && $refused_alike;

			# which rows count goes by what is read of them, and nothing is read for an aggregate
			# that bounds show to be constant, as those of a number may and those of a parameter not
			$same = 1 if $question->{bind} && $question->{parameter} && $refused_alike && grep { ($_->{lower} // '') =~ /\d/ && $_->{lower} eq $_->{upper} } @$explained;
			problem('another way', $file, $question, join('; ', @{ $question->{way} }), "was: @{ $first->[0] } $error", "is: @{ $way->[0] } " . message($way)) unless $same;
			$tally{'compared with another plan'}++;
		}
		foreach my $step (1 .. @$steps)
		{
			my $now = $said->{"$n $step"} // last;
			my $now_error = message($now);
			my $after = answer($question, $now);

			if (($now_error ne '') != ($error ne ''))
			{
				problem('outcome depends on rows', $file, $question, $steps->[ $step - 1 ], "was: $error", "is: $now_error");
				last;
			}
			last if $error;
			if (my $kept = $said->{"$n kept $step"})
			{
				problem('another way', $file, $question, $steps->[ $step - 1 ], 'prepared before', "should be: @{ $now->[0] }", "is: @{ $kept->[0] } " . message($kept)) if join("\n", sort @{ $now->[0] }) ne join("\n", sort @{ $kept->[0] });
				$tally{'executed again'}++;
			}
			if (@$explained == @{ $question->{aggregates} })
			{
				foreach my $place (0 .. $#$explained)
				{
					my $aggregate = $question->{aggregates}[$place];
					my $mechanism = $explained->[$place]{mechanism};
					next unless $aggregate->{what} =~ /^(sum|array|histogram|distinct)$/ || $aggregate->{parts} && $mechanism eq 'laplace' && $world{adjacency} eq 'add_remove';
					# a person in several arms of UNION ALL loses for each of them
					my $arms = $question->{from} =~ /UNION/ ? max(1, scalar grep { $steps->[ $step - 1 ] =~ /^(INSERT INTO|DELETE FROM|UPDATE) $_ /m } qw(c e)) : 1;
					my $sensitivity = $arms * $explained->[$place]{sensitivity} * ($world{adjacency} eq 'metric' ? $world{moved}[ $step - 1 ] // 0 : 1);
					my $moved = $aggregate->{parts} ? mean_distance($aggregate->{parts}, $explained->[$place], $before, $after) : distance($place, $before, $after, $mechanism eq 'gaussian' ? 2 : 1, $aggregate->{repeated} && (grep { $_->{what} eq 'array' } @{ $question->{aggregates} }) > 1);
					problem('moved too far', $file, $question, $steps->[ $step - 1 ], "$aggregate->{dp} moved by $moved, sensitivity $sensitivity", "step $step") if $moved > $sensitivity * (1 + 1e-9) + 1e-9;
					$tally{'moved by all that it may'}++ if $sensitivity > 0 && $moved >= $sensitivity * 0.999;
				}
				$tally{'compared with a neighbour'}++ if length $steps->[ $step - 1 ];
				$tally{'compared with a neighbour in several persons'}++ if length $steps->[ $step - 1 ] && group_size() > 1;
			}
			$before = $after;
		}
	}
}

# The furthest that a release may move, in the unit of the value, by what the history says of the column; undef
# if it says nothing.
sub column_bound
{
	my ($release, $column) = @_;
	my @names = vector($release->{names});
	my @moves = vector($release->{moves});
	my ($place) = grep { $names[$_] eq $column } 0 .. $#names;
	my @of_it = defined $place ? @moves[ $place * $release->{n} .. ($place + 1) * $release->{n} - 1 ] : ();

	return 0 if defined $place && !grep { $_ > 0 } @of_it;
	return undef if $release->{mechanism} !~ /^(laplace|geometric|gaussian)$/ || $release->{n} != 1;
	return $of_it[0] * 2 ** $release->{grid} if defined $place;
	return $release->{replacement} > 0 ? $release->{replacement} * $release->{sensitivity} * 2 ** $release->{grid} : undef;
}

sub judge_column
{
	my ($file, $questions, $said, $column) = @_;

	foreach my $n (0 .. $#$questions)
	{
		my $question = $questions->[$n];
		my ($before, $after, $told) = map { $said->{"$n $_"} } 'before', 'after', 'columns';

		next if !$told || !$after || message($before) || message($after);
		my @all = map { my @cells = split /\|/; { relation => $cells[0], mechanism => $cells[1], grid => $cells[2], sensitivity => $cells[3], replacement => $cells[4], names => $cells[5], moves => $cells[6], n => $cells[7] } } @{ $told->[0] };
		next unless @all;
		my @bounds = map { column_bound($_, $column->{column}) } grep { $_->{relation} eq $column->{table} } @all;
		if (!grep { !defined || $_ > 0 } @bounds)
		{
			problem('column moved', $file, $question, $column->{change}, 'what should not depend on the column', "was: @{ $before->[0] }", "is: @{ $after->[0] }")
				if join("\n", sort @{ $before->[0] }) ne join("\n", sort @{ $after->[0] });
			$tally{'the same whatever a column is'}++;
			next;
		}
		next if $question->{from} =~ /UNION/ || @bounds != @{ $question->{aggregates} } || grep { !defined } @bounds;
		foreach my $place (grep { $question->{aggregates}[$_]{what} eq 'sum' } 0 .. $#{ $question->{aggregates} })
		{
			my $moved = distance($place, answer($question, $before), answer($question, $after), $world{mechanism} eq 'gaussian' ? 2 : 1);
			my $bound = max(@bounds);

			problem('column moved', $file, $question, $column->{change}, "$question->{aggregates}[$place]{dp} moved by $moved, at most $bound") if $moved > $bound * (1 + 1e-9) + 1e-9;
			$tally{'compared with a change of a column'}++;
			$tally{'moved by a column'}++ if $moved > 0;
			$tally{'moved by a column by all that it may'}++ if $moved > 0 && @bounds == 1 && $moved >= $bound * 0.999;
		}
	}
}

sub run_world
{
	my ($number) = @_;
	my $file = "world_$number";

	srand($seed * 1000003 + $number);
	my ($questions, $steps, $column) = write_world($number, $file);
	system("psql -XAtq -d $database -f '$folder/$file.sql' >'$folder/$file.out' 2>'$folder/$file.err'");
	judge_world($file, $questions, $steps);
	judge_column($file, $questions, read_output($file), $column) if $column;
	unlink map { "$folder/$file.$_" } qw(sql out err) unless $ENV{KEEP};
}

# ---- all worlds, by some processes ----

sub work
{
	my ($worker) = @_;
	my $number = $worker;

	if (defined $ENV{DIFFERENTIAL_WORLD}) { run_world($ENV{DIFFERENTIAL_WORLD}) if $worker == 0; }
	else
	{
		while (($tally{answered} // 0) < $wanted / $workers)
		{
			run_world($number);
			$number += $workers;
			print STDERR "# world $number of seed $seed: $tally{answered} answered, ", scalar @problems, " problems\n" if $number / $workers % 500 == 0;
			last if @problems > 100 || $number > 20 + $wanted;
		}
	}
	open my $out, '>', "$folder/result_$worker" or die "$folder: $!\n";
	print $out map { "$tally{$_}\t$_\n" } keys %tally;
	print $out map { "problem\t" . s/\n/\t/gr . "\n" } @problems;
	close $out or die "$folder: $!\n";
}

print "# seed $seed, $wanted queries: DIFFERENTIAL_SEED=$seed DIFFERENTIAL_QUERIES=$wanted make differentialcheck\n";
$| = 1;
my %pids;
foreach my $worker (0 .. $workers - 1)
{
	my $pid = fork // die "fork: $!\n";
	if (!$pid) { work($worker); exit 0; }
	$pids{$worker} = $pid;
}
foreach my $worker (sort keys %pids)
{
	waitpid $pids{$worker}, 0;
	die "a worker failed\n" if $?;
	open my $in, '<', "$folder/result_$worker" or die "$folder: $!\n";
	while (my $line = <$in>)
	{
		chomp $line;
		my ($n, @what) = split /\t/, $line, -1;
		if ($n eq 'problem') { push @problems, join "\n", @what; }
		else { $tally{ $what[0] } += $n; }
	}
}

my $tests = 0;
my $failed = 0;
sub verdict
{
	my ($what, @bad) = @_;
	$tests++;
	$failed++ if @bad;
	print @bad ? 'not ' : '', "ok $tests - $what\n";
	print map { "# $_\n" } map { (split(/\n/), '') } @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ];
	print '# ', scalar(@bad), " in all\n" if @bad > 10;
}

sub of_kind { my ($kind) = @_; return grep { /^\Q$kind\E in world/ } @problems; }

print map { "# $tally{$_} $_\n" } sort { $tally{$b} <=> $tally{$a} } grep { !/^problems/ } keys %tally;
verdict('worlds are made, and nothing breaks', of_kind('broken'), of_kind('internal error'), of_kind('SQL fails'));
verdict('without noise an answer is plain SQL', of_kind('not plain SQL'));
verdict('another plan, workers and little memory give the same bits', of_kind('another way'));
verdict('groups are shown by their persons', of_kind('selection'));
verdict('whether a query is answered does not depend on rows', of_kind('outcome depends on rows'));
verdict('no neighbour moves an answer by more than its sensitivity', of_kind('moved too far'));
verdict('no column of a row moves an answer by more than the history says', of_kind('column moved'));
verdict('all answers are those of clean rooms', of_kind('no room'), ($tally{'answered by a room'} // 0) > 0 ? () : 'none') if $rooms > 0;
if (!defined $ENV{DIFFERENTIAL_WORLD})
{
	verdict("$wanted queries are answered", ($tally{answered} // 0) >= $wanted ? () : $tally{answered} // 0);
	verdict('most are compared with SQL, with other plans and with neighbours', ($tally{'compared with SQL'} // 0) > $wanted / 3 && ($tally{'compared with another plan'} // 0) > $wanted / 2 && ($tally{'compared with a neighbour'} // 0) > $wanted ? () : 'see above');
	verdict('some move as far as they may', ($tally{'moved by all that it may'} // 0) > $wanted / 100 ? () : 'see above');
}
print "1..$tests\n";
exit($failed > 0);
