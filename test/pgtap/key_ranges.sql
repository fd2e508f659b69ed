-- key_ranges.sql
--	Ranges of a column that hold where another column of the row has a declared value, and which queries get them.
--
--	The range that counts is read in two ways: as the bounds of dpsens.explain, and from answers without noise, where
--	values outside of it count as its ends.  A table of results of three tests, each with values far outside.
-- Files: glue/label/keyed_range.c, glue/label/sql_keyed_range.c, guard/source/range_by_key.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA key_ranges;
SET search_path = key_ranges, public;
SET dpsens.noise = off;
SET dpsens.epsilon = 1;
SET client_min_messages = error;
SELECT plan(69);

CREATE TYPE kind AS ENUM ('blood', 'urine');
CREATE TABLE labs (id int PRIMARY KEY, patient int NOT NULL, test text NOT NULL, code int NOT NULL, of kind NOT NULL, padded char(12) NOT NULL,
    small varchar(12), taken timestamp, value float8, amount int);
INSERT INTO labs SELECT i, i / 3, t, n, CASE WHEN i % 2 = 0 THEN 'blood' ELSE 'urine' END::kind, t, t, timestamp '2025-01-01' + i * interval '1 day', v, v
FROM (SELECT row_number() OVER () AS i, t, n, v
      FROM (VALUES ('hba1c', 1), ('glucose', 2), ('it''s "odd"', 3)) k (t, n), unnest(ARRAY[-1000, 5, 10, 100, 100000]) v) r;
SELECT dpsens.protect('labs') \g /dev/null

CREATE FUNCTION bounds_of(query text) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(format('[%s, %s]', lower, upper), ' ') FROM dpsens.explain(query) $$;
CREATE FUNCTION answer(query text) RETURNS numeric LANGUAGE plpgsql AS $$ DECLARE result numeric; BEGIN EXECUTE query INTO result; RETURN result; END $$;

-- declared, shown and taken away
SELECT throws_like($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' $$, '%column "value" of relation "labs" has no declared range', 'no range yet');
SELECT lives_ok($$ SELECT dpsens.set_range_when('labs', 'value', 3, 20, "when" => 'test = ''hba1c''') $$, 'a range is declared for one value of a key');
SELECT lives_ok($$ SELECT dpsens.set_range_when('labs', 'value', 40, 400, "when" => '''glucose'' = test') $$, 'and for another, the constant first');
SELECT lives_ok($$ SELECT dpsens.set_range_when('labs', 'value', 0, 1, "when" => $w$ test = 'it''s "odd"' $w$) $$, 'and for one with quotes');
SELECT is((SELECT string_agg(format('%s.%s %s=%s [%s, %s] %s', relation, column_name, key_column, key, lo, hi, counts), '; ') FROM dpsens.key_ranges WHERE relation = 'labs'::regclass),
    'labs.value test=hba1c [3, 20] t; labs.value test=glucose [40, 400] t; labs.value test=it''s "odd" [0, 1] t', 'dpsens.key_ranges shows them');
SELECT is((SELECT role || coalesce(missing, '') FROM dpsens.columns WHERE relation = 'labs'::regclass AND column_name = 'value'), 'private', 'dpsens.columns misses nothing');
SELECT is(label, 'RANGE [3, 20] WHEN "test" = ''hba1c'' RANGE [40, 400] WHEN "test" = ''glucose'' RANGE [0, 1] WHEN "test" = ''it''''s "odd"''', 'the label')
FROM pg_seclabel WHERE objoid = 'labs'::regclass AND objsubid = 9 AND provider = 'dpsens';
SELECT lives_ok(format('SECURITY LABEL FOR dpsens ON COLUMN labs.value IS %L', label), 'the label is one, as a dump writes it')
FROM pg_seclabel WHERE objoid = 'labs'::regclass AND objsubid = 9 AND provider = 'dpsens';

-- without a range for all rows
SELECT throws_like($$ SELECT dp_sum(value) FROM labs $$, 'nothing says which range of column "value" of relation "labs" counts', 'a query that says nothing is refused');
SELECT throws_like($$ SELECT dp_sum(value) FROM labs WHERE test = 'other' $$, 'nothing says which range%', 'so is one of another value');
SELECT throws_like($$ SELECT dpsens.register('just_value', 'labs', 'value') $$, 'nothing says which range%', 'and what is said of a row');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' $$), '[3, 20]', 'WHERE chooses the range');
SELECT is(answer($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' $$), 3.0 + 5 + 10 + 20 + 20, 'values count as its ends');
SELECT is(answer($$ SELECT dp_sum(value) FROM labs WHERE 'glucose' = test $$), 40.0 * 3 + 100 + 400, 'of another value');
SELECT is(answer($$ SELECT dp_sum(value) FROM labs WHERE test = 'it''s "odd"' $$), 4.0, 'of one with quotes');
SELECT is(answer($$ SELECT dp_sum(value) FILTER (WHERE test = 'hba1c') FROM labs $$), 58.0, 'FILTER chooses, too');
SELECT is(bounds_of($$ SELECT dp_sum(value) FILTER (WHERE test = 'hba1c'), dp_sum(value) FILTER (WHERE test = 'glucose') FROM labs $$), '[3, 20] [40, 400]', 'for each aggregate its own');
SELECT is(answer($$ SELECT a - b FROM (SELECT dp_sum(value) FILTER (WHERE test = 'hba1c') a, dp_sum(value) FILTER (WHERE test = 'glucose') b FROM labs) s $$), 58.0 - 620, 'and they are not taken for one release');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE test IN ('hba1c', 'glucose') $$), '[3, 400]', 'of several values the range that holds all');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' OR test = 'glucose' $$), '[3, 400]', 'also by OR');
SELECT throws_like($$ SELECT dp_sum(value) FROM labs WHERE test IN ('hba1c', 'other') $$, 'nothing says which range%', 'one value without a range: none counts');
SELECT throws_like($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' OR amount > 3 $$, 'nothing says which range%', 'an alternative that says nothing: none counts');
SELECT throws_like($$ SELECT dp_sum(value) FROM labs WHERE NOT test = 'hba1c' $$, 'nothing says which range%', 'NOT says nothing');
SELECT throws_like($$ SELECT dp_sum(value) FROM labs WHERE test >= 'hba1c' AND test <= 'hba1c' $$, 'nothing says which range%', 'nor does a comparison that is not by equality');
SELECT throws_like($$ SELECT dp_sum(value) FROM labs WHERE test NOT IN ('hba1c') $$, 'nothing says which range%', 'nor NOT IN');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE patient > 2 AND (test = 'hba1c' AND id > 1) $$), '[3, 20]', 'a conjunct, however deep');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' AND value <= 7 $$), '[3, 7]', 'other conditions narrow the range further');
SELECT is(bounds_of($$ SELECT dp_sum(v) FROM (SELECT value * 2 AS v, test AS t FROM labs) s WHERE t = 'hba1c' $$), '[6, 40]', 'through subqueries');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM (SELECT * FROM labs WHERE test = 'hba1c') s $$), '[3, 20]', 'by their conditions');
SELECT is(bounds_of($$ SELECT dp_sum(total) FROM (SELECT patient, max(value) AS total FROM labs WHERE test = 'hba1c' GROUP BY patient) s $$), '[3, 20]', 'and through groups')
FROM (SELECT dpsens.protect('labs', unit => 'patient', max_rows => 15)) p;
SELECT dpsens.clear('labs', 'patient'), dpsens.protect('labs', max_rows => 0) \g /dev/null
PREPARE by_test (text) AS SELECT dp_sum(value) FROM labs WHERE test = $1;
SELECT throws_like($$ EXECUTE by_test('hba1c') $$, 'nothing says which range%', 'a parameter is no constant');

-- with a range for all rows
SELECT dpsens.set_range('labs', 'value', 0, 1000) \g /dev/null
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs $$), '[0, 1000]', 'the range for all rows counts where nothing is said');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE test = 'other' $$), '[0, 1000]', 'and for other values');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' $$), '[3, 20]', 'that of the value where it is');
SELECT is(answer($$ EXECUTE by_test('hba1c') $$), 0.0 + 5 + 10 + 100 + 1000, 'a parameter is no constant, and chooses nothing');
SELECT is((SELECT count(*) FROM dpsens.key_ranges WHERE relation = 'labs'::regclass), 3::bigint, 'both are kept');

-- two relations, and who is meant
CREATE TABLE others (id int PRIMARY KEY, test text);
SELECT dpsens.set_public('others') \g /dev/null
SELECT is(bounds_of($$ SELECT dp_sum(l.value) FROM labs l JOIN others o ON o.id = l.id WHERE o.test = 'hba1c' $$), '[0, 1000]', 'a column of another relation is another column');
SELECT is(bounds_of($$ SELECT dp_sum(l.value) FROM labs l JOIN others o ON o.id = l.id WHERE l.test = 'hba1c' $$), '[3, 20]', 'a join keeps the column');

-- keys of other types, dates, integers
SELECT lives_ok($$ SELECT dpsens.set_range_when('labs', 'amount', 1.5, 9.5, "when" => 'code = 2'), dpsens.set_range_when('labs', 'taken', '2025-01-03', '2025-01-05', "when" => 'padded = ''hba1c''') $$,
    'keys are integers and padded strings; ends are dates');
SELECT is(bounds_of($$ SELECT dp_sum(amount) FROM labs WHERE code = bigint '2' $$), '[2, 9]', 'integers of the range; a constant of another integer type');
SELECT is(bounds_of($$ SELECT dp_sum(extract(epoch FROM taken)) FROM labs WHERE padded = 'hba1c' $$),
    format('[%s, %s]', extract(epoch FROM timestamp '2025-01-03')::float8, extract(epoch FROM timestamp '2025-01-05')::float8), 'dates');
SELECT dpsens.clear('labs', 'amount'), dpsens.set_range_when('labs', 'amount', 0, 7, "when" => 'of = ''urine''') \g /dev/null
SELECT is(bounds_of($$ SELECT dp_sum(amount) FROM labs WHERE of = 'urine' $$), '[0, 7]', 'labels of an enum');
SELECT dpsens.clear('labs', 'amount'), dpsens.set_range_when('labs', 'amount', 0, 8, "when" => 'small = ''hba1c''') \g /dev/null
SELECT is(bounds_of($$ SELECT dp_sum(amount) FROM labs WHERE small = 'hba1c' $$), '[0, 8]', 'varchar');

-- what is refused
SELECT throws_ok(format($$ SELECT dpsens.set_range_when('labs', 'value', 0, 1, "when" => %L) $$, w), s, NULL, 'refused: ' || w)
FROM (VALUES ('test = small', '0A000'), ('value = 3', '0A000'), ('length(test) = 3', '0A000'), ('nothing = 3', '42703')) r (w, s);
SELECT throws_like($$ SELECT dpsens.set_range_when('labs', 'value', 0, 1, "when" => 'code = 1') $$, 'ranges of column "value" depend on several columns', 'two keys of a column');

-- what a row has lost is by the same range
CREATE TABLE accounted AS SELECT id, test, value FROM labs;
ALTER TABLE accounted ADD PRIMARY KEY (id);
SELECT dpsens.protect('accounted'), dpsens.set_range_when('accounted', 'value', 3, 20, "when" => $w$ test = 'hba1c' $w$), dpsens.set_budget('accounted', row_epsilon => 3) \g /dev/null
SET dpsens.noise = on;
SELECT dp_sum(value) FROM accounted WHERE test = 'hba1c' \g /dev/null
SET dpsens.noise = off;
SELECT is((SELECT array_agg(round(epsilon::numeric, 6) ORDER BY unit::int) FROM dpsens.row_loss('accounted') WHERE present AND epsilon > 0), ARRAY[0.15, 0.25, 0.5, 1, 1]::numeric[], 'row accounts by the same range');

-- who is no column of the row chooses nothing
SELECT dpsens.protect('labs', unit => 'patient', max_rows => 15), dpsens.clear('labs', 'amount'), dpsens.set_range('labs', 'amount', 0, 1000), dpsens.set_range_when('labs', 'amount', 0, 9, "when" => 'code = 1') \g /dev/null
SELECT is(bounds_of($$ SELECT dp_sum(v) FROM (SELECT patient, count(*) AS n, count(*) AS n2, count(*) AS c, amount AS v FROM labs GROUP BY patient, amount) s WHERE c = 1 $$), '[0, 1000]', 'a count below is no column');
SELECT is(bounds_of($$ SELECT dp_sum(v) FROM (SELECT a.patient, a.amount AS v, b.code AS c FROM labs a JOIN labs b ON a.patient = b.patient GROUP BY a.patient, a.amount, b.code) s WHERE c = 1 $$), '[0, 1000]', 'nor is that of another row');
SELECT is(bounds_of($$ SELECT dp_sum(v) FROM (SELECT patient, amount AS v, code AS c FROM labs GROUP BY patient, amount, code) s WHERE c = 1 $$), '[0, 9]', 'keys of one row are');
SELECT is(bounds_of($$ SELECT dp_sum(v) FROM (SELECT patient, amount AS v FROM labs WHERE code = 1 GROUP BY patient, amount) s $$), '[0, 9]', 'so is what is said below');
SELECT is(bounds_of($$ SELECT dp_sum(amount) FROM labs WHERE code IN (1, 2) AND code = 1 $$), bounds_of($$ SELECT dp_sum(amount) FROM labs WHERE code = 1 AND code IN (1, 2) $$), 'the order of conditions does not matter');
SELECT dpsens.clear('labs', 'patient'), dpsens.protect('labs', max_rows => 0) \g /dev/null
CREATE TABLE bare (LIKE labs);
SELECT dpsens.protect('bare'), dpsens.set_range('bare', 'amount', 0, 500) \g /dev/null
SELECT is(bounds_of($$ SELECT dp_sum(amount) FROM (SELECT amount, code FROM labs UNION ALL SELECT amount, code FROM bare) s WHERE code = 1 $$), '[0, 1000]', 'arms of UNION ALL have the range for all rows');

-- labels by hand
SELECT throws_ok(format('SECURITY LABEL FOR dpsens ON COLUMN labs.amount IS %L', l), s, NULL, left(l, 60))
FROM (VALUES ('RANGE [0, 1] WHEN "' || repeat('ä', 32) || '" = ''x''', '42601'), ('RANGE [0, 1] WHEN "amount" = ''5''', '22023'), ('RANGE [0, 1] WHEN "code" = ''5'' RANGE [0, 2] WHEN "code" = ''5''', '42601'),
    ('RANGE [0, 1] WHEN "" = ''5''', '42601'), ('RANGE [0, 1] WHEN "code" = 5', '42601')) v (l, s);
SELECT throws_ok(format('SECURITY LABEL FOR dpsens ON COLUMN labs.amount IS %L', (SELECT string_agg(format('RANGE [0, 1] WHEN "code" = ''%s''', i), ' ') FROM generate_series(1, 10001) i)), '54000', NULL, 'more than 10,000');
SELECT lives_ok(format('SECURITY LABEL FOR dpsens ON COLUMN labs.amount IS %L', (SELECT string_agg(format('RANGE [0, %s] WHEN "code" = ''%s''', i, i), ' ') FROM generate_series(1, 10000) i)), '10,000');
SELECT is(bounds_of($$ SELECT dp_sum(amount) FROM labs WHERE code = 7777 $$), '[0, 7777]', 'one of so many');
SELECT dpsens.clear('labs', 'amount'), dpsens.set_range_when('labs', 'amount', 0, 5, "when" => 'code = 1', weight => 2), dpsens.set_range_when('labs', 'amount', NULL, NULL, "when" => 'code = 1'),
    dpsens.set_range_when('labs', 'amount', NULL, NULL, "when" => 'code = 1') \g /dev/null
SELECT is((SELECT count(*) FROM pg_seclabel WHERE objoid = 'labs'::regclass AND objsubid = 10 AND provider = 'dpsens'), 0::bigint, 'with the last range goes the weight');

-- labels of an enum that are renamed
SELECT dpsens.set_range_when('labs', 'amount', 0, 7, "when" => 'of = ''urine''') \g /dev/null
ALTER TYPE kind RENAME VALUE 'urine' TO 'water';
SELECT is((SELECT bool_or(counts) FROM dpsens.key_ranges WHERE column_name = 'amount' AND relation = 'labs'::regclass), false, 'a label that is gone does not count');
ALTER TYPE kind RENAME VALUE 'water' TO 'urine';

-- taken away, and a key that is gone
SELECT dpsens.set_range_when('labs', 'value', NULL, NULL, "when" => 'test = ''glucose''') \g /dev/null
SELECT is((SELECT string_agg(key, ' ' ORDER BY key) FROM dpsens.key_ranges WHERE relation = 'labs'::regclass AND column_name = 'value'), 'hba1c it''s "odd"', 'one is taken away');
ALTER TABLE labs RENAME test TO measured;
SELECT is((SELECT bool_or(counts) FROM dpsens.key_ranges WHERE relation = 'labs'::regclass AND column_name = 'value'), false, 'ranges of a key that was renamed do not count');
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE measured = 'hba1c' $$), '[0, 1000]', 'and the range for all rows does');
ALTER TABLE labs RENAME measured TO test;
SELECT is(bounds_of($$ SELECT dp_sum(value) FROM labs WHERE test = 'hba1c' $$), '[3, 20]', 'until it has its name again');

SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA key_ranges CASCADE;
