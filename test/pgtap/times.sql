-- Dates, timestamps and intervals in row expressions, conditions and keys.
-- Files: glue/import/iso_time.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA times_tap;
SET search_path = times_tap, public;
SET timezone = 'America/New_York';
SELECT plan(148);

CREATE TABLE t (id int PRIMARY KEY, born date NOT NULL, died date, seen timestamp NOT NULL, at timestamptz NOT NULL, stay interval NOT NULL, x float8 NOT NULL);
-- ends of months and years, leap days, both sides of 1970, midnights and the moments before them
INSERT INTO t
SELECT i, d, CASE WHEN i % 4 > 0 THEN d + i * 7 END, s, s AT TIME ZONE 'UTC', make_interval(months => i % 30, days => i % 17, secs => i % 1000 / 8.0), i % 10
FROM (SELECT row_number() OVER ()::int AS i, d, d::timestamp + CASE n WHEN 0 THEN interval '0' WHEN 1 THEN interval '23:59:59.5' ELSE interval '13:45:07.25' END AS s
    FROM (SELECT make_date(y, m, 1) + o AS d FROM unnest(ARRAY[1900, 1904, 1969, 1970, 1971, 1999, 2000, 2001, 2024]) y, generate_series(1, 12) m, generate_series(-1, 1) o) a, generate_series(0, 2) n) b;
DO $$ BEGIN
    PERFORM dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'born', '1899-01-01', '2024-12-31'), dpsens.set_range('t', 'died', '1899-01-01', '2045-01-01'),
        dpsens.set_range('t', 'seen', '1899-01-01', '2025-01-01'), dpsens.set_range('t', 'at', '1899-01-01', '2025-01-01'), dpsens.set_range('t', 'stay', 0, 100000000), dpsens.set_range('t', 'x', 0, 10), dpsens.set_range('t', 'id', 0, 1000);
END $$;
SET dpsens.epsilon = 1;
SET dpsens.noise = off;
SET client_min_messages = error;

-- the exact sum, beside PostgreSQL's, within the certified bounds
CREATE FUNCTION same(expression text, condition text DEFAULT 'true') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
    plain float8;
    lo float8;
    hi float8;
    bounds record;
BEGIN
    EXECUTE format('SELECT dp_sum((%s)::float8) FROM t WHERE %s', expression, condition) INTO answer;
    EXECUTE format('SELECT sum((%1$s)::float8), min((%1$s)::float8), max((%1$s)::float8) FROM t WHERE %2$s', expression, condition) INTO plain, lo, hi;
    SELECT lower, upper INTO bounds FROM dpsens.explain(format('SELECT dp_sum((%s)::float8) FROM t WHERE %s', expression, condition));
    RETURN NEXT ok(abs(answer - plain) <= 1e-9 * abs(plain) + 1e-4 AND lo >= bounds.lower - 1e-6 AND hi <= bounds.upper + 1e-6, expression || ' WHERE ' || condition);
    IF NOT (abs(answer - plain) <= 1e-9 * abs(plain) + 1e-4 AND lo >= bounds.lower - 1e-6 AND hi <= bounds.upper + 1e-6) THEN
        RETURN NEXT diag(format('%s, expected %s; from %s to %s, bounds %s', answer, plain, lo, hi, bounds));
    END IF;
END $$;
SELECT same(expression) FROM unnest(ARRAY[
    'died - born', '(died - born) / 7', '(died - born) % 7', '(born - died) / 365', 'born - date ''1970-01-01''', 'x * (died - born)', 'abs(born - date ''1950-06-15'')',
    'extract(year FROM born)', 'extract(quarter FROM born)', 'extract(month FROM born)', 'extract(day FROM born)', 'extract(doy FROM born)', 'extract(dow FROM born)', 'extract(isodow FROM born)', 'extract(epoch FROM born)',
    'extract(year FROM seen)', 'extract(quarter FROM seen)', 'extract(month FROM seen)', 'extract(day FROM seen)', 'extract(doy FROM seen)', 'extract(dow FROM seen)', 'extract(isodow FROM seen)', 'extract(hour FROM seen)',
    'extract(minute FROM seen)', 'extract(second FROM seen)', 'date_part(''year'', seen)', 'date_part(''dow'', born)', 'date_part(''EPOCH'', seen)', 'extract(year FROM died)', 'extract(day FROM died)', 'extract(dow FROM died)',
    '2024 - extract(year FROM born)', 'extract(epoch FROM at)', 'extract(epoch FROM at - timestamptz ''1970-01-01 00:00:00+00'') / 3600', 'extract(epoch FROM seen - timestamp ''2000-01-01'') / 86400', 'extract(epoch FROM seen - born) / 86400',
    'seen::date - born', 'extract(epoch FROM seen::date)', 'extract(epoch FROM born::timestamp)', 'extract(epoch FROM (born + 30))', 'extract(epoch FROM (born - id))', 'extract(epoch FROM born + interval ''3 days 04:00'')',
    'extract(epoch FROM seen - interval ''1 day 00:00:01'')', 'extract(epoch FROM at + interval ''5 hours'')', 'extract(epoch FROM date_trunc(''day'', seen))', 'extract(epoch FROM date_trunc(''week'', seen))',
    'extract(epoch FROM date_trunc(''hour'', seen))', 'extract(epoch FROM date_trunc(''minute'', seen))', 'extract(epoch FROM date_trunc(''second'', seen))', 'extract(epoch FROM stay)', 'date_part(''epoch'', stay) / 86400',
    'extract(epoch FROM (seen - timestamp ''2000-01-01'') - (seen - timestamp ''1990-01-01''))', 'extract(epoch FROM -(seen - timestamp ''2000-01-01''))', 'COALESCE(died, ''2000-01-01'') - born', 'GREATEST(born, ''1970-01-01'') - date ''1960-01-01''',
    'extract(epoch FROM LEAST(seen, timestamp ''1999-12-31 12:00''))', 'CASE WHEN born < ''1970-01-01'' THEN 1 ELSE x END', 'CASE WHEN died IS NULL THEN 0 ELSE died - born END', 'CASE WHEN died >= born + 1000 THEN 1 ELSE 0 END',
    'CASE WHEN born = ''1970-01-01'' THEN 1 WHEN born <> ''2000-02-29'' THEN 2 END', 'CASE WHEN born IN (''1970-01-01'', ''2000-02-29'') THEN x ELSE 0 END', 'CASE WHEN seen BETWEEN ''1970-01-01'' AND ''1999-12-31'' THEN x ELSE -x END',
    'CASE WHEN born < seen THEN 1 ELSE 0 END', 'CASE WHEN died < born THEN 1 ELSE 2 END', 'CASE WHEN at < ''1970-01-01 00:00:00+00'' THEN 1 ELSE 0 END', 'CASE WHEN seen - born > interval ''12 hours'' THEN 1 ELSE 0 END',
    '(CASE WHEN x > 5 THEN died ELSE born END) - date ''1900-01-01''', 'CASE WHEN stay > interval ''10 days'' THEN 1 ELSE 0 END', 'CASE extract(month FROM born) WHEN 2 THEN 1 ELSE 0 END',
    'extract(year FROM at AT TIME ZONE ''UTC'')', 'extract(month FROM at AT TIME ZONE ''Etc/UTC'')', 'extract(day FROM at AT TIME ZONE ''utc'')', 'extract(hour FROM at AT TIME ZONE ''UTC'')', 'extract(second FROM timezone(''GMT'', at))',
    'extract(isodow FROM at AT TIME ZONE ''UTC'')', '(at AT TIME ZONE ''UTC'')::date - born', 'extract(epoch FROM (at AT TIME ZONE ''UTC'') - seen) / 3600', 'extract(epoch FROM seen AT TIME ZONE ''UTC'')', 'extract(epoch FROM date_trunc(''day'', at AT TIME ZONE ''UTC''))',
    'CASE WHEN at AT TIME ZONE ''UTC'' < ''1970-01-01'' THEN 1 ELSE 0 END',
    'extract(day FROM seen - timestamp ''1980-06-01 13:45:07.25'')', 'date_part(''day'', timestamp ''1980-06-01'' - seen)', 'extract(day FROM at - timestamptz ''1980-06-01 06:00:00+00'')', 'extract(day FROM seen - born::timestamp)',
    'ln(1 + (died - born)) ']) expression WHERE expression NOT LIKE 'ln%';
SELECT same('extract(year FROM born)', condition) FROM unnest(ARRAY['born < ''1970-01-01''', 'born BETWEEN ''1969-12-31'' AND ''2000-01-01''', 'extract(month FROM born) = 2', 'seen < ''1970-01-01'' AND died IS NOT NULL', 'born - died < -3000']) condition;

-- conditions narrow
CREATE FUNCTION bounds(query text) RETURNS float8[] LANGUAGE sql AS $$ SELECT ARRAY[round(lower::numeric, 6), round(upper::numeric, 6)]::float8[] FROM dpsens.explain(query) $$;
SELECT is(bounds('SELECT dp_sum(born - date ''1970-01-01'') FROM t WHERE born >= ''1970-01-01'' AND born <= ''1970-01-31'''), ARRAY[0, 30]::float8[], 'WHERE narrows dates');
SELECT is(bounds('SELECT dp_sum(born - date ''1970-01-01'') FROM t WHERE born BETWEEN ''1971-01-01'' AND ''1971-01-31'''), ARRAY[365, 395]::float8[], 'BETWEEN');
SELECT is(bounds('SELECT dp_sum(extract(year FROM seen)::float8) FILTER (WHERE seen > ''2000-06-01'') FROM t'), ARRAY[2000, 2025]::float8[], 'FILTER narrows timestamps');
SELECT is(bounds('SELECT dp_sum(CASE WHEN born > ''2000-01-01'' THEN born - date ''2000-01-01'' ELSE 0 END) FROM t'), ARRAY[0, 9131]::float8[], 'so does CASE');
SELECT is(bounds('SELECT dp_sum(born - date ''1970-01-01'') FROM t WHERE born < timestamp ''1970-02-01'' AND born >= ''1970-01-01'''), ARRAY[0, 31]::float8[], 'dates and timestamps');
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_sum(ln(1 + (born - date ''1970-01-01''))) FROM t WHERE born >= ''1970-01-01''')) < 10, true, 'so a logarithm is answered');

-- no date makes anything fail: they become ends of their ranges
INSERT INTO t SELECT 100000 + row_number() OVER (), d, d, s, s, i, 1 FROM (VALUES ('infinity'::date, 'infinity'::timestamp, interval '0'), ('-infinity', '-infinity', '-100 years'), ('4713-02-01 BC', '4713-02-01 BC', '178000000 years'),
    ('5874897-12-31', '294276-11-30', interval '2147483647 days')) v (d, s, i);
SELECT is((SELECT dp_sum(born - date '1899-01-01') FROM t WHERE id > 100000), 2 * 46020::float8, 'infinite dates are clamped');
SELECT is((SELECT dp_sum(extract(year FROM seen)) FROM t WHERE id > 100000), (2 * 1899 + 2 * 2025)::float8, 'and timestamps');
SELECT is((SELECT dp_sum(extract(epoch FROM stay)) FROM t WHERE id > 100000), 2e8::float8, 'and intervals');
SELECT lives_ok(format('SELECT dp_sum((%s)::float8) FROM t', e), 'odd dates: ' || e) FROM unnest(ARRAY['born + 2147483647 - born', 'died - born', 'extract(epoch FROM seen - interval ''1000000 days'')', 'extract(epoch FROM (born + id * 100000))',
    'extract(dow FROM seen)', 'extract(day FROM born)', 'CASE WHEN born < died THEN 1 ELSE 0 END', 'extract(second FROM seen)']) e;
SELECT lives_ok(format('SELECT %s AS k, dp_count(*) FROM t GROUP BY 1', k), 'odd dates as keys: ' || k) FROM unnest(ARRAY['born', 'born + 2147483647', 'date_trunc(''month'', seen)', 'extract(year FROM born)', 'seen + interval ''200000 years''', 'born - died', 'age(seen)::text',
    'extract(epoch FROM stay)', 'date_trunc(''year'', at)', 'seen::date', 'at::date - born', 'born::timestamp', 'extract(decade FROM born)', 'extract(isoyear FROM seen)']) k;
DELETE FROM t WHERE id > 100000;

-- refused by name
SELECT throws_ok(format('SELECT dp_sum((%s)::float8) FROM t', e), '0A000', NULL, 'refused: ' || e) FROM unnest(ARRAY['extract(epoch FROM age(seen, born))',
    'extract(hour FROM at)', 'extract(year FROM at)', 'extract(hour FROM at AT TIME ZONE ''Europe/Berlin'')',
    'extract(year FROM at AT TIME ZONE CASE WHEN x > 3 THEN ''UTC'' ELSE ''GMT'' END)', 'extract(year FROM at AT TIME ZONE interval ''1 hour'')',
    'extract(year FROM (at AT TIME ZONE ''UTC'') + interval ''1 day'')', 'extract(epoch FROM born + interval ''1 month'')',
    'extract(epoch FROM seen + stay)', 'extract(epoch FROM stay * 2)', 'extract(month FROM stay)', 'at::date - born', 'extract(epoch FROM now() - at)', 'extract(year FROM born + 1)', 'extract(hour FROM born)', 'extract(epoch FROM date_trunc(''year'', seen))',
    'extract(epoch FROM date ''infinity'')', 'date ''infinity'' - born', 'extract(epoch FROM at + interval ''1 day'')', 'extract(julian FROM born)']) e;
SELECT throws_ok('SELECT dp_sum(born) FROM t', '42883', NULL, 'a date is no number');
CREATE TABLE wide (d date NOT NULL);
DO $$ BEGIN PERFORM dpsens.protect('wide'), dpsens.set_range('wide', 'd', '0001-01-01', '9999-12-31'); END $$;
SELECT throws_ok('SELECT dp_sum(extract(month FROM d)::float8) FROM wide', '0A000', NULL, 'too many months');
SELECT throws_ok($$SELECT dpsens.set_range('t', 'stay', '0', '1 day')$$, NULL, NULL, 'a range of intervals is in seconds');

-- registered, audited, under every adjacency, and accounted for
DO $$ BEGIN PERFORM dpsens.register('lived', 't', '(died - born) / 365.25'), dpsens.register('year_born', 't', 'extract(year FROM born)'); END $$;
SELECT is(dpsens.value_of('lived(t)', t), ((died - born) / 365.25)::float8, 'value_of') FROM t WHERE id = 7;
SELECT is(dpsens.value_of('year_born(t)', t), extract(year FROM born)::float8, 'of steps') FROM t WHERE id = 7;
DO $$ BEGIN PERFORM dpsens.protect('t', unit => 'id', adjacency => 'metric'); END $$;
SELECT ok((SELECT abs(sensitivity * 86400 - 1) < 1e-6 FROM dpsens.explain('SELECT dp_sum(born - date ''1970-01-01'') FROM t')), 'metric: a day is 86400 of the distance');
SELECT throws_ok('SELECT dp_sum(extract(year FROM born)::float8) FROM t', '22003', NULL, 'metric: years jump');
DO $$ BEGIN PERFORM dpsens.protect('t', unit => 'id', adjacency => 'attribute'); END $$;
SELECT ok((SELECT abs(sensitivity - 125) < 1e-6 FROM dpsens.explain('SELECT dp_sum(extract(year FROM born)::float8) FROM t')), 'attribute');
DO $$ BEGIN PERFORM dpsens.protect('t', unit => 'id', adjacency => 'add_remove'); END $$;
RESET dpsens.noise;
DO $$ BEGIN PERFORM dp_sum(died - born), dp_avg(extract(month FROM born)::float8), dp_sum(CASE WHEN born < '1970-01-01' THEN 1 ELSE 0 END), dp_count(died - born) FROM t WHERE born > '1930-01-01'; END $$;
SELECT * FROM finish();
DROP SCHEMA times_tap CASCADE;
