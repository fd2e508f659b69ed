-- Row 18: channels beside the answer.  A condition, or a column that nobody
-- needs, is evaluated on rows; what it leaves behind can be read afterwards.
\ir start.sql
CREATE TABLE lab.loot18 (what text);
CREATE SEQUENCE lab.steps;
GRANT ALL ON lab.loot18, lab.steps TO PUBLIC;
SET ROLE dpsens_attack_ana;
CREATE FUNCTION lab.take(what text) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN INSERT INTO lab.loot18 VALUES (what); RETURN true; END $$;
CREATE FUNCTION lab.cry(what text) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', what; END $$;
CREATE FUNCTION lab.cry_number(what int) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF what = 42 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN what; END $$;
CREATE FUNCTION lab.cry_key(what lab.mood) RETURNS lab.mood IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN INSERT INTO lab.loot18 VALUES ('Zebedee'); RETURN what; END $$;
CREATE VIEW lab.taking AS SELECT * FROM clinic.people WHERE lab.take(name);
CREATE FUNCTION lab.sql_take(what text) RETURNS boolean LANGUAGE sql AS $$ SELECT lab.take(what) $$;
RESET ROLE;

-- places where a function is called with cells of each row
SELECT attempt('a function in ' || place, ARRAY['TRUNCATE lab.loot18', replace(question, '@', 'people'), 'SELECT what FROM lab.loot18'], '[0-9A-Z]{5}', ARRAY['TRUNCATE lab.loot18', replace(replace(question, 'dp_', ''), '@', 'open_people'), 'SELECT what FROM lab.loot18'], 'Zebedee')
FROM (VALUES
    ('WHERE', 'SELECT dp_count(*) FROM @ WHERE take(name)'),
    ('WHERE, through SQL', 'SELECT dp_count(*) FROM @ WHERE sql_take(name)'),
    ('WHERE that raises', 'SELECT dp_count(*) FROM @ WHERE secret AND cry(name)'),
    ('FILTER', 'SELECT dp_count(*) FILTER (WHERE take(name)) FROM @'),
    ('FILTER beside a private WHERE', 'SELECT dp_count(*) FILTER (WHERE take(name)) FROM @ WHERE age > 1'),
    ('FILTER beside a private WHERE, raising', 'SELECT dp_sum(age) FILTER (WHERE cry(name)) FROM @ WHERE secret'),
    ('FILTER of the second aggregate', 'SELECT dp_count(*), dp_sum(age) FILTER (WHERE take(name)) FROM @ WHERE age > 1 GROUP BY member'),
    ('FILTER of an average', 'SELECT dp_avg(age) FILTER (WHERE take(name) AND true) FROM @ WHERE age > 1'),
    ('HAVING', 'SELECT dp_count(*) FROM @ HAVING dp_count(*) FILTER (WHERE take(name)) > 0'),
    ('ORDER BY', 'SELECT dp_count(*) FROM @ WHERE age > 1 ORDER BY dp_count(*) FILTER (WHERE take(name))'),
    ('the value', 'SELECT dp_sum(CASE WHEN take(name) THEN 1 END) FROM @'),
    ('a counted cell', 'SELECT dp_count(take(name)) FROM @'),
    ('the value, as a number', 'SELECT dp_sum(cry_number(id)) FROM @'),
    ('ORDER BY of the aggregate', 'SELECT dp_sum(age ORDER BY take(name)) FROM @'),
    ('DISTINCT of the aggregate', 'SELECT dp_count(DISTINCT take(name)) FROM @'),
    ('GROUP BY', 'SELECT dp_count(*) FROM @ GROUP BY take(name)'),
    ('a key', 'SELECT cry_key(feels), dp_count(*) FROM @ GROUP BY cry_key(feels)'),
    ('a subquery''s column', 'SELECT dp_count(*) FROM (SELECT age, take(name) AS t FROM @) s WHERE t'),
    ('a subquery''s condition', 'SELECT dp_count(*) FROM (SELECT * FROM @ WHERE take(name)) s'),
    ('a subquery in WHERE', 'SELECT dp_count(*) FROM @ p WHERE (SELECT take(p.name))'),
    ('EXISTS', 'SELECT dp_count(*) FROM @ p WHERE EXISTS (SELECT FROM shops WHERE take(p.name))'),
    ('WITH', 'WITH w AS MATERIALIZED (SELECT * FROM @ WHERE take(name)) SELECT dp_count(*) FROM w'),
    ('a join condition', 'SELECT dp_count(*) FROM @ p JOIN shops s ON take(p.name)'),
    ('LATERAL', 'SELECT dp_count(*) FROM @ p, LATERAL (SELECT take(p.name)) s'),
    ('a window', 'SELECT dp_count(*) FROM (SELECT count(*) FILTER (WHERE take(name)) OVER () FROM @) s')
) AS list (place, question);
-- and of every other aggregate, beside a WHERE that is private already
SELECT attempt('FILTER of ' || call, ARRAY['TRUNCATE lab.loot18', format('SELECT %s FILTER (WHERE take(name)) FROM people WHERE age > 1', call), 'SELECT what FROM lab.loot18'], '00000
0A000', ARRAY['TRUNCATE lab.loot18', 'SELECT count(*) FILTER (WHERE take(name)) FROM people WHERE age > 1', 'SELECT what FROM lab.loot18'], 'Zebedee')
FROM unnest(ARRAY['dp_count_ci(*)', 'dp_sum_ci(age)', 'dp_variance(age)', 'dp_corr(age, pay)', 'dp_regr_slope(age, pay)', 'dp_linregr(age, ARRAY[pay])', 'dp_sum(ARRAY[age, pay])', 'dp_quantile(age, 0.5)', 'dp_median(age)', 'dp_min(age)', 'dp_max(age)', 'dp_histogram(age, 4)',
    'dp_bool_and(secret)', 'dp_bool_or(secret)', 'dp_mode(feels)', 'dp_count(DISTINCT feels)']) call;
SELECT attempt('the argument of ' || call, ARRAY['TRUNCATE lab.loot18', format('SELECT %s FROM people', call), 'SELECT what FROM lab.loot18'], '00000
(0A000|55000|22)', ARRAY['TRUNCATE lab.loot18', 'SELECT bool_or(take(name)) FROM people', 'SELECT what FROM lab.loot18'], 'Zebedee')
FROM unnest(ARRAY['dp_bool_or(take(name))', 'dp_bool_and(NOT take(name))', 'dp_mode(take(name))', 'dp_count(DISTINCT take(name))',
    'dp_median(CASE WHEN take(name) THEN age END)', 'dp_histogram(take(name)::int, 2)', 'dp_quantile(age, CASE WHEN take(name) THEN 0.5 END)',
    'dp_histogram(age, CASE WHEN take(name) THEN 2 END)',
    'dp_corr(age, take(name)::int)', 'dp_linregr(age, ARRAY[take(name)::int])', 'dp_sum(ARRAY[age, take(name)::int])', 'dp_count_ci(true, 1, CASE WHEN take(name) THEN 0.9 END)']) call;
SELECT attempt('a view''s condition', ARRAY['TRUNCATE lab.loot18', 'SELECT dp_count(*) FROM taking', 'SELECT what FROM lab.loot18'], '0A000', ARRAY['TRUNCATE lab.loot18', 'SELECT count(*) FROM people WHERE take(name)', 'SELECT what FROM lab.loot18'], 'Zebedee');
-- what nobody needs is not computed, and need not be refused
SELECT attempt('a column that nobody needs', ARRAY['TRUNCATE lab.loot18', 'SELECT dp_sum(age) > -1e6 FROM (SELECT age, take(name) FROM people ORDER BY take(name), random()) s', 'SELECT count(*) FROM lab.loot18'], '00000.\(0\)',
    ARRAY['TRUNCATE lab.loot18', 'SELECT sum(age) > -1e6 FROM (SELECT age, take(name) FROM people ORDER BY take(name), random()) s', 'SELECT what FROM lab.loot18'], 'Zebedee');

-- the server's own state
SELECT attempt('the server''s own: ' || call, format('SELECT dp_count(*) FROM people WHERE secret AND %s IS NOT NULL', call),
    CASE WHEN call ~ '^pg_(stat|current_wal)' THEN '(0A000|00000.\(-?[0-9]+\))' ELSE '0A000' END,
    format('SELECT count(*) FROM open_people WHERE secret AND %s IS NOT NULL', call), '00000.\([01]\)')
FROM unnest(ARRAY['set_config(''lab.seen'', name, false)', 'nextval(''lab.steps'')', 'setval(''lab.steps'', 42)', 'pg_advisory_lock(42)::text', 'pg_try_advisory_lock(42)', 'pg_advisory_xact_lock_shared(id)::text', 'pg_notify(''lab'', name)::text', 'lo_create(0)', 'pg_sleep(0.001)::text',
    'txid_current()', 'pg_current_wal_insert_lsn()', 'clock_timestamp()', 'random()', 'setseed(0.1)::text', 'gen_random_uuid()', 'pg_stat_get_xact_tuples_returned(''people''::regclass)', 'query_to_xml(''SELECT name FROM open_people'', true, true, '''')::text',
    'lastval()']) call;
SELECT is_empty('SELECT pg_notification_queue_usage() WHERE pg_notification_queue_usage() > 0', 'nothing was notified');
SELECT * FROM finish();
