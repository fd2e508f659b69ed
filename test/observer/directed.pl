# directed.pl
#	Cases that observe.pl asks in each run: each was, or is, a way to see the
#	person.
use strict;
use warnings;
our (%world, %sessions, $outside, $usual_epsilon, $shows_plans, @tint);

# Made longer eight times at each level: from a few bytes to 512 MB at nine, which is
# more than upper() takes.  By blocks of letters, which takes a fifth of the time.
sub grown
{
	my ($text, $levels) = @_;

	foreach my $level (1 .. $levels)
	{
		my $block = 'e' x ($level < 3 ? 8**($level - 1) : 64);

		$text = "replace($text, '$block', '" . $block x 8 . "')";
	}
	return $text;
}

# Until the racer's question waits for a lock, or has come to an end before.
sub wait_for_lock
{
	my ($database, $asked) = @_;
	my $racer = "FROM pg_stat_activity WHERE datname = '$database' AND backend_type = 'client backend' AND application_name = 'racer'";
	# one from before may not be gone yet
	my $newest = 'ORDER BY backend_start DESC LIMIT 1';
	my $state = '';

	until ($state =~ /^(idle|Lock|gone)/)
	{
		$state = super('postgres', "SELECT coalesce((SELECT CASE WHEN wait_event_type = 'Lock' THEN 'Lock' ELSE state END $racer AND query ~ '$asked' $newest), (SELECT 'runs' $racer $newest), 'gone');");
		select undef, undef, undef, 0.005 if $state eq 'runs' || $state eq 'active';
	}
}

# Between the proof that rows of a public table are met once and the plan, somebody
# gives it a child with many that meet the person's.  The planner wants to know all
# indexes of the protected table, and has to wait for one of them.
sub race
{
	my ($case, $database, $seen) = @_;
	my ($said, $alive);
	my ($tag) = $case->{text} =~ /(AS \w+) FROM/;
	my @settings = map { "$_;" } $usual_epsilon, @{ $case->{settings} };

	run('main', $outside, "\\connect $database\nSET application_name = racer;");
	my $racer = $sessions{main};
	super($database, 'BEGIN;', 'REINDEX INDEX clinic.people_ward_idx;');
	send_script($racer, join "\n", @settings, '\echo @@@ messages', "$case->{text};", '\echo @@@ outcome', '\echo :SQLSTATE :ROW_COUNT');
	wait_for_lock($database, "$tag ");
	super($database, 'SET SESSION AUTHORIZATION dpsens_observer_ana;', 'CREATE TABLE lab.stay_child () INHERITS (lab.stay);',
		"INSERT INTO lab.stay_child SELECT 7, 'city 1' FROM generate_series(1, 1000);", 'COMMIT;', 'RESET SESSION AUTHORIZATION;');
	($said, $alive) = read_answer($racer);
	stop('main') unless $alive;
	super($database, 'DROP TABLE lab.stay_child;');
	# which counts what it has done when it ends
	run("super $database", $database, "\\connect $database");
	(undef, @$seen{qw(messages outcome)}) = split /^@@@ .*\n/m, $said, -1;
	$seen->{session} = $alive ? 'lives' : 'is gone';
}

sub make_directed
{
	my $count = 'SELECT dp_count(*) AS n FROM clinic.people p';

	# settings
	directed(name => 'errors that end the session', settings => ['SET exit_on_error = on'], text => "$count WHERE name::int > 0");
	directed(name => 'caches that grow', settings => ['SET client_min_messages = debug1'], text => "SELECT dp_count(*) FROM clinic.shades WHERE shade::text <> 'x'");
	directed(name => 'a limit of an index', settings => ['SET gin_fuzzy_search_limit = 10', 'SET enable_seqscan = off'], text => "SELECT dp_count(*) AS n FROM clinic.trail WHERE note LIKE '%walrus%'", single => 1)
		if super($world{with}, "SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm';") ne '0';
	directed(name => 'calls that are counted', settings => ["SET track_functions = 'all'"], transaction => 1, text => "$count WHERE 1 / small > 0");
	directed(name => 'labels that are not committed', settings => [@tint], transaction => 1, text => "ALTER TYPE lab.tint ADD VALUE 'Zebedee'; $count WHERE name::lab.tint IS NOT NULL");
	directed(name => 'a type that is dropped under a cursor', settings => [@tint], transaction => 1,
		text => "DECLARE c CURSOR FOR $count WHERE name = 'Zebedee' AND CASE WHEN id > 0 THEN 'green'::lab.tint ELSE 'red' END < 'red' OR id < 11; DROP TYPE lab.tint; FETCH ALL FROM c");
	directed(name => 'a type that is dropped under a bucket', transaction => 1,
		text => "CREATE TYPE lab.hue AS ENUM ('red', 'green'); DECLARE c CURSOR FOR $count WHERE p.name = 'Zebedee' AND width_bucket(CASE WHEN p.ward = 7 THEN 'green'::lab.hue ELSE 'red' END, '{red,green}'::lab.hue[]) = 2; DROP TYPE lab.hue; FETCH ALL FROM c");
	# what is read of one's own
	foreach my $set ('', 'SET enable_hashjoin = off; SET enable_mergejoin = off')
	{
		my @plan = $set eq '' ? () : $set;
		my $plan = $set eq '' ? 'default plans' : 'nested loops';
		directed(name => "pages of a joined table ($plan)", settings => \@plan, text => "$count JOIN lab.words o ON o.word = p.name");
		directed(name => "pages of a part of a joined table ($plan)", settings => \@plan, text => "$count JOIN lab.words o ON o.word = p.name AND o.word >= 'W'");
		directed(name => "pages that a condition reads ($plan)", settings => \@plan, text => "$count WHERE p.name = 'Zebedee' AND EXISTS (SELECT FROM lab.wards w WHERE w.id = p.ward)");
	}
	directed(name => 'pages of NOT EXISTS', text => "$count WHERE NOT EXISTS (SELECT FROM lab.words o WHERE o.word = p.name)");
	directed(name => 'pages of IN', text => "$count WHERE p.name = 'Zebedee' AND p.ward IN (SELECT id FROM lab.wards)");
	directed(name => 'buffers of a joined table', order => 1, settings => ['SET enable_hashjoin = off; SET enable_mergejoin = off'], text => "$count JOIN lab.words o ON o.word = p.name");
	directed(name => 'a side that is not read when the other is empty', text => 'SELECT dp_count(*) AS n FROM clinic.rare r JOIN lab.wards w ON w.id = r.id');
	directed(name => 'labels of an enum', text => "$count WHERE feels::text LIKE 'c%'");
	directed(name => 'labels that are read', text => "$count WHERE name = 'Zebedee' AND code::lab.mood IS NULL");
	directed(name => 'statistics that a join looks at', text => "SELECT dp_count(*) AS n FROM clinic.visits WHERE item LIKE 'Z%'");
	directed(name => 'a long cell', text => "$count WHERE length(story || '') > 1000");
	# by what the statement itself calls when it has the answer
	directed(name => 'labels, seen from inside', text => "SELECT n, lab.look('SELECT lab.touch(\$\$SELECT ''calm''::lab.mood::text\$\$)') FROM ($count WHERE feels::text LIKE 'c%') q");
	directed(name => 'pages, seen from inside', settings => ['SET enable_hashjoin = off; SET enable_mergejoin = off'], text => "SELECT n, lab.look('SELECT * FROM lab.words') FROM ($count JOIN lab.words o ON o.word = p.name) q");
	directed(name => 'a long cell, seen from inside', text => "SELECT n, lab.look('SELECT lab.touch(\$\$SELECT FROM pg_toast.pg_toast_\@\$\$)') FROM ($count WHERE length(story || '') > 1000) q");
	# by a plan around the function that asks
	directed(name => 'a long cell, seen from around', settings => ["SET auto_explain.log_level = 'notice'"], text => "SELECT lab.quietly(\$ask\$$count WHERE length(story || '') > 1000\$ask\$)") if $shows_plans;
	# a statement that a function sends
	directed(name => 'limits that are suggested', text => 'SELECT max_rows, noise FROM dpsens.suggest_limits($$clinic.visits$$, 0.5)');
	directed(name => 'ranges that are suggested', text => 'SELECT count(*) > 0, max(noise) > 0 FROM dpsens.suggest_range($$clinic.people$$, $$pay$$, 0.5)');
	# which of the ranges of a column: the person's pay is in one, and the person is not in that ward
	directed(name => 'a range by its key', text => 'SELECT dp_sum(pay) FROM clinic.people WHERE ward = 2');
	directed(name => 'ranges by keys', text => 'SELECT dp_sum(pay) FILTER (WHERE ward IN (2, 7)), dp_avg(pay) FILTER (WHERE ward = 7) FROM clinic.people');
	# persons of two columns who are protected together, by a policy's epsilon, and groups that a policy has shown from some persons on
	directed(name => 'an epsilon that a policy names', settings => ['RESET dpsens.epsilon'], text => 'SELECT dp_count(*) AS n, dp_sum(price) FROM clinic.meals');
	directed(name => 'pairs that meet pairs', settings => ['RESET dpsens.epsilon'], text => "SELECT dp_sum(p.price) AS n FROM clinic.meals p JOIN clinic.guests q ON (q.town, q.number) = (p.town, p.number) WHERE q.job = 'Zebedee' OR p.dish = 'dish 1'");
	directed(name => 'groups of few', settings => ['SET dpsens.delta = 1e-9'], text => 'SELECT count(*) FROM (SELECT dish, dp_count(*) FROM clinic.meals GROUP BY dish) q');
	directed(name => 'groups of too few', settings => ['SET dpsens.delta = 0.001'], text => 'SELECT count(*) FROM (SELECT item, dp_count(*) FROM clinic.nights GROUP BY item) q');
	# lengths
	directed(name => 'how a key is stored', settings => ['SET dpsens.delta = 0.001'], text => 'SELECT CASE WHEN pg_column_size(k) > 60 THEN $$plain$$ ELSE $$compressed$$ END FROM (SELECT kind AS k, dp_count(*) AS n FROM clinic.trail GROUP BY kind) q');
	directed(name => 'the bits of a key', settings => ['SET dpsens.delta = 0.001'], text => 'SELECT CASE WHEN float8send(k) = float8send(float8 $$NaN$$) THEN $$the usual$$ ELSE $$another$$ END FROM (SELECT share AS k, dp_count(*) AS n FROM clinic.trail GROUP BY share) q');
	directed(name => 'a string of half a gigabyte', text => "$count WHERE upper(" . grown('name', 9) . ") = 'x'");
	directed(name => 'another way to it', text => "$count WHERE " . grown('name', 9) . " ILIKE 'x%'");
	directed(name => 'keys that make a long tuple', settings => ['SET dpsens.delta = 0.001'], text => "SELECT count(*) FROM (SELECT dp_count(*) AS n, " . join(', ', map { grown('name', 9) . " || '$_'" } 1, 2) . ' FROM clinic.people GROUP BY 2, 3) q');
	# races
	directed(name => 'a child that comes between proof and plan', directed => \&race, single => 1, text => 'SELECT dp_count(*) AS raced FROM clinic.people p JOIN lab.stay s ON s.id = p.ward');
}

1;
