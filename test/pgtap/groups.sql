-- GROUP BY of keys that are not declared: which groups are shown, what that costs,
-- and what must not be seen of the others.  It fails by chance with a probability below 1e-8.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA groups_tap;
SET search_path = groups_tap, public;
SET timezone = 'UTC';
SELECT plan(127);

CREATE TYPE size AS ENUM ('small', 'large');
CREATE TABLE sales (id int PRIMARY KEY, city text, size size NOT NULL, sold date NOT NULL, at timestamptz NOT NULL, price numeric NOT NULL,
    rate float8 NOT NULL, tag varchar(20), code char(4) NOT NULL, flat bpchar NOT NULL, span interval NOT NULL, amount float8 NOT NULL, note jsonb, words text[]);
-- cities 0 to 4 have 400 rows each, one is NULL, and 40 have one row each
INSERT INTO sales
SELECT i, CASE WHEN i <= 2000 THEN 'city ' || i % 5 WHEN i > 2040 THEN NULL ELSE 'lonely ' || i END, (ARRAY['small', 'large'])[1 + i % 2]::size,
    date '2024-01-15' + 30 * (i % 10), timestamptz '2024-01-15 12:00+00' + i % 10 * interval '30 days', (i % 3) * 1.50, i % 2 * 0.5, 'tag ' || i % 2,
    'c' || i % 3, 'f', interval '1 day', i % 10, '{}', ARRAY['w']
FROM generate_series(1, 2400) i;
-- equal values that look different: 1.5 and 1.500, 0 and -0
UPDATE sales SET price = (price::text || '0')::numeric WHERE id % 7 = 0;
UPDATE sales SET rate = '-0' WHERE rate = 0 AND id % 5 = 0;
DO $$ BEGIN
    PERFORM dpsens.protect('sales'), dpsens.set_range('sales', 'amount', 0, 10), dpsens.set_range('sales', 'rate', 0, 1), dpsens.set_values('sales', 'tag', 'tag 0', 'tag 1');
END $$;
CREATE FUNCTION keys(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(COALESCE(k::text, ''NULL''), '','') FROM (%s) q (k)', query) INTO result;
    RETURN result;
END $$;
SET dpsens.epsilon = 8;
-- so that none of the groups below of a single person is shown by chance; what it costs is asked at the delta that is set elsewhere
SET dpsens.delta = 1e-13;

-- ---- which ----

-- a group of 400 is always shown, one of a single row with a probability of 1e-13
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(*) FROM sales GROUP BY city) s'), 'city 0,city 1,city 2,city 3,city 4,NULL', 'groups of many');
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(*) FROM sales WHERE id > 2000 GROUP BY city) s'), 'NULL', 'and only those');
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(*) FROM sales WHERE id > 2000 AND city IS NOT NULL GROUP BY city) s'), NULL, 'none at all');
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(*) FROM sales WHERE false GROUP BY city) s'), NULL, 'of nothing');
SELECT is(keys(format('SELECT k::text FROM (SELECT %s AS k, dp_count(*) FROM sales WHERE id <= 2000 GROUP BY 1) s', key)), keys, 'GROUP BY ' || key)
FROM (VALUES ('upper(city)', 'CITY 0,CITY 1,CITY 2,CITY 3,CITY 4'), ('city || ''!''', 'city 0!,city 1!,city 2!,city 3!,city 4!'), ('substr(city, 6)::int', '0,1,2,3,4'),
    ('size', 'small,large'), ('date_trunc(''quarter'', sold)::date', '2024-01-01,2024-04-01,2024-07-01,2024-10-01'), ('extract(month FROM sold)', '1,2,3,4,5,6,7,8,9,10'),
    ('date_trunc(''year'', at)', '2024-01-01 00:00:00+00'), ('sold - date ''2024-01-15''', '0,30,60,90,120,150,180,210,240,270'), ('width_bucket(amount, 0, 10, 2)', '1,2'),
    ('CASE WHEN amount < 3 THEN ''low'' WHEN amount < 20 THEN ''high'' END', 'high,low'), ('amount > 4', 'false,true'), ('id % 3', '0,1,2'), ('price', '0,1.5,3'),
    ('price * 2', '0,3,6'), ('rate', '0,0.5'), ('rate::real', '0,0.5'), ('code', 'c0,c1,c2'), ('tag = ''tag 1''', 'false,true'), ('length(city)', '6'), ('1', '1'),
    ('COALESCE(city, ''none'')', 'city 0,city 1,city 2,city 3,city 4'), ('NULLIF(id % 3, 1)', '0,2,NULL'), ('lower(tag)', 'tag 0,tag 1'), ('city = ANY (ARRAY[''city 1'', ''city 2''])', 'false,true')) t (key, keys);
SELECT is(keys('SELECT (tag, city) FROM (SELECT tag, city, dp_count(*) FROM sales WHERE city <> ''city 1'' GROUP BY tag, city HAVING dp_count(*) > 100) s'),
    '("tag 0","city 0"),("tag 0","city 2"),("tag 0","city 3"),("tag 0","city 4"),("tag 1","city 0"),("tag 1","city 2"),("tag 1","city 3"),("tag 1","city 4")', 'declared keys among them');
SELECT is(keys('SELECT u FROM (SELECT u, dp_sum(amount) FROM (SELECT upper(city) AS u, amount FROM sales) s GROUP BY u) q'), 'CITY 0,CITY 1,CITY 2,CITY 3,CITY 4,NULL', 'through a subquery');
CREATE VIEW months AS SELECT date_trunc('month', sold) AS month, amount FROM sales WHERE city IS NOT NULL;
SELECT is((SELECT count(*) FROM (SELECT month, dp_avg(amount) FROM months GROUP BY month) s), 10::bigint, 'through a view');
SELECT is((SELECT count(*) FROM (SELECT dp_count(*) FROM sales GROUP BY city LIMIT 3) s), 3::bigint, 'LIMIT over answers');
SELECT is((SELECT count(*) FROM (SELECT dp_count(*) FROM sales GROUP BY 10::bigint LIMIT 10) s), 1::bigint, 'a LIMIT that a key equals');
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(*) AS n FROM sales GROUP BY city ORDER BY city DESC NULLS LAST) s'), 'city 4,city 3,city 2,city 1,city 0,NULL', 'ORDER BY');
PREPARE by_length AS SELECT left(city, $1) AS k, dp_count(*) FROM sales WHERE city LIKE 'city%' GROUP BY left(city, $1);
CREATE TEMP TABLE by_length AS EXECUTE by_length(4);
CREATE TEMP TABLE by_more AS EXECUTE by_length(6);
SELECT is((SELECT string_agg(k, ',') FROM (SELECT k FROM by_length UNION ALL SELECT k FROM by_more) s), 'city,city 0,city 1,city 2,city 3,city 4', 'a parameter in a key');
CREATE TABLE kept_keys AS SELECT city, dp_count(*) AS n, dp_sum(amount) AS s, dp_median(amount) AS m, dp_count(DISTINCT tag) AS t, dp_corr(amount, rate) AS r FROM sales GROUP BY city;
SELECT is((SELECT count(*) FROM kept_keys WHERE abs(n - 380) < 40 AND s BETWEEN 900 AND 2700 AND m BETWEEN 0 AND 10 AND t BETWEEN 0 AND 4), 6::bigint, 'values are noised as ever');

-- what data cannot decide: the order, and which of several equal values stands for them
CREATE FUNCTION all_keys() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(k, ';') FROM (SELECT keys(format('SELECT k::text FROM (SELECT %s AS k, dp_count(*) FROM sales WHERE id <= 2000 GROUP BY 1) s', key)) AS k
        FROM unnest(ARRAY['price', 'rate', 'rate::real', 'city', 'city COLLATE "C"', 'size', 'price * 1.000']) key) q;
$$;
CREATE TABLE before AS SELECT all_keys() AS k;
CREATE TABLE shuffled AS SELECT * FROM sales ORDER BY md5(id::text);
TRUNCATE sales;
INSERT INTO sales SELECT * FROM shuffled;
SELECT is(all_keys(), k, 'rows in another order') FROM before;
SET enable_hashagg = off;
SELECT is(all_keys(), k, 'sorted') FROM before;
RESET enable_hashagg;
SET enable_sort = off;
SELECT is(all_keys(), k, 'hashed') FROM before;
RESET enable_sort;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT is(all_keys(), k, 'in parallel') FROM before;
SET enable_hashagg = off;
SELECT is(all_keys(), k, 'in parallel, sorted') FROM before;
RESET enable_hashagg;
RESET max_parallel_workers_per_gather;
SELECT is(k, '0,1.5,3;0,0.5;0,0.5;city 0,city 1,city 2,city 3,city 4;city 0,city 1,city 2,city 3,city 4;small,large;0,1.5,3', 'what is shown') FROM before;

-- ---- what is refused ----

SELECT throws_ok(format('SELECT dp_count(*) FROM sales GROUP BY %s', key), '0A000', NULL, 'refused: ' || key)
FROM unnest(ARRAY['span', 'note', 'words', 'note::text', 'flat', 'random() < 0.5', 'unnest(words)', '(SELECT 1)', 'ctid', 'at - now()',
    'pg_backend_pid()', 'repeat(city, 100000)']) key;
SELECT throws_ok('SELECT dp_suppressed() FROM sales', '0A000', 'dp_suppressed() is not supported in this place', 'not without aggregates');
SELECT throws_ok('SELECT dp_suppressed(), dp_count(*) FROM sales GROUP BY city, random()', '0A000', NULL, 'volatile');
SET dpsens.epsilon TO DEFAULT;
SELECT throws_ok('SELECT city, dp_count(true, 1) FROM sales GROUP BY city', '55000', 'no epsilon is given', 'no epsilon for the selection');
SELECT throws_ok('SELECT * FROM dpsens.explain(''SELECT city, dp_count(true, 1) FROM sales GROUP BY city'')', '55000', 'no epsilon is given', 'nor in explain');
SET dpsens.selection_epsilon = 4;
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(true, 1) FROM sales GROUP BY city) s'), 'city 0,city 1,city 2,city 3,city 4,NULL', 'it can have its own');
SELECT throws_ok('SET dpsens.selection_epsilon = 65', '22023', NULL, 'too much');
SELECT throws_ok('SET dpsens.selection_epsilon = 0', '22023', NULL, 'nothing');
RESET dpsens.selection_epsilon;
SET dpsens.epsilon = 8;

-- ---- what it costs ----

RESET dpsens.delta;

SELECT results_eq($$SELECT aggregate, mechanism, epsilon, delta, cost_epsilon, cost_delta > 0 AND cost_delta <= 1e-6, cost_rho < 30 AND cost_rho > 7, note IS NULL
    FROM dpsens.explain('SELECT city, dp_count(*) FROM sales GROUP BY city, upper(tag)')$$,
    $$VALUES ('dp_count(*)', 'geometric', 8::float8, NULL::float8, 8::float8, false, true, true), ('GROUP BY city, upper((tag)::text)', 'partition', 8, 1e-6, 8, true, true, false)$$, 'explain');
SET dpsens.epsilon = 1;
CREATE TEMP TABLE spent AS SELECT release FROM dpsens.releases ORDER BY release DESC LIMIT 1;
DO $$ BEGIN PERFORM city, dp_count(*), dp_sum(amount, 0.5) FROM sales GROUP BY city; END $$;
SELECT results_eq($$SELECT expression, mechanism, epsilon, delta, charge_epsilon, charge_delta > 0 FROM dpsens.releases WHERE release > (SELECT release FROM spent) ORDER BY release$$,
    $$VALUES ('dp_count(*)', 'geometric', 1::float8, NULL::float8, 1::float8, false), ('dp_sum(amount)', 'laplace', 0.5, NULL, 0.5, false), ('GROUP BY city', 'partition', 1, 1e-6, 1, true)$$, 'recorded and charged')
WHERE EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'dpsens.releases'::regclass AND attname = 'charge_delta');
SELECT is((SELECT round(cost[1] / 2::numeric ^ 40, 6) FROM dpsens_internal.statement_cost('SELECT city, dp_count(*), dp_sum(amount, 0.5) FROM sales GROUP BY city')), 2.5, 'statement_cost');
SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges are recomputed');
-- another selection, so that together they need more than the default delta
DO $$ BEGIN PERFORM city, dp_count(*) FROM sales GROUP BY city; END $$;
SELECT cmp_ok((SELECT min(epsilon) FROM dpsens.privacy_spent('sales', 1e-3)), '<', 'Infinity'::float8, 'accountants know it');
SELECT is((SELECT count(*) FROM dpsens.privacy_spent('sales', 0) WHERE epsilon < 'Infinity'), 0::bigint, 'and that it has a delta');
SELECT cmp_ok((SELECT min(epsilon) FROM dpsens.privacy_spent('sales')), '<', 'Infinity'::float8, 'the default delta is as large as is needed');
SELECT ok((SELECT bool_and(at_delta > 1e-6) FROM dpsens.privacy_spent('sales')), 'and it is said');
CREATE TABLE priced (id int PRIMARY KEY, city text);
INSERT INTO priced SELECT i, 'city ' || i % 3 FROM generate_series(1, 300) i;
DO $$ BEGIN PERFORM dpsens.protect('priced'), dpsens.set_budget('priced', epsilon => 100); END $$;
CREATE FUNCTION refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN configuration_limit_exceeded THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN detail || ' ' || hint;
END $$;
SELECT matches(refusal('SELECT city, dp_count(true, 1) FROM priced GROUP BY city'), 'It costs delta [0-9.]+e-07, too; delta 0 is left\..*with a larger delta\.$',
    'what is missing is delta, and the refusal says so');
SELECT results_eq('SELECT spent_delta, left_delta FROM dpsens.my_budget WHERE relation = ''priced''::regclass', 'VALUES (0::float8, 0::float8)', 'no delta to spend');
DO $$ BEGIN PERFORM dpsens.set_budget('priced', epsilon => 100, delta => 1e-3); END $$;
DO $$ BEGIN PERFORM city, dp_count(true, 1) FROM priced GROUP BY city; END $$;
SELECT ok((SELECT spent_delta > 0 AND spent_delta <= 1e-6 AND left_delta BETWEEN 0.00049 AND 0.0005 FROM dpsens.my_budget WHERE relation = 'priced'::regclass),
    'what a selection cost of the half that is for them');
SELECT is(refusal('SELECT dp_count(true, 60), dp_count(true, 61) FROM priced') LIKE '%It costs delta%', false, 'of delta nothing is said where none is asked for');
CREATE ROLE groups_tap_ana;
GRANT USAGE ON SCHEMA groups_tap TO groups_tap_ana;
DO $$ BEGIN PERFORM dpsens.grant_budget('sales', 'groups_tap_ana', epsilon => 100); END $$;
SET ROLE groups_tap_ana;
SELECT throws_ok('SELECT city, dp_count(*) FROM sales GROUP BY city', '53400', NULL, 'a budget without delta does not admit it');
RESET ROLE;
DO $$ BEGIN PERFORM dpsens.grant_budget('sales', 'groups_tap_ana', epsilon => 100, delta => 1e-4); END $$;
SET ROLE groups_tap_ana;
SET dpsens.epsilon = 8;
SET dpsens.delta = 1e-13;
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(*) FROM sales GROUP BY city) s'), 'city 0,city 1,city 2,city 3,city 4,NULL', 'an analyst is answered');
SELECT is(keys('SELECT u FROM (SELECT upper(left(city, 4)) AS u, dp_suppressed(), dp_count(*) FROM sales WHERE city IS NOT NULL GROUP BY 1 HAVING NOT dp_suppressed()) s'), 'CITY,LONE', 'expressions, too');
RESET ROLE;

-- ---- the rest ----

SET dpsens.epsilon = 16;
CREATE TABLE with_rest AS SELECT city, dp_suppressed() AS rest, dp_count(*) AS n, dp_sum(amount) AS s, dp_avg(amount) AS a, dp_median(amount) AS m, dp_histogram(amount, 2) AS h,
    dp_count(DISTINCT tag) AS t, dp_variance(amount) AS v FROM sales GROUP BY city;
SELECT is((SELECT count(*) FROM with_rest), 7::bigint, 'one more row');
SELECT is((SELECT (city IS NULL AND n BETWEEN 37 AND 43 AND s BETWEEN 160 AND 200 AND a BETWEEN 3.5 AND 5.5 AND h[1] BETWEEN 17 AND 23 AND h[2] BETWEEN 17 AND 23 AND t BETWEEN 1 AND 3)
    FROM with_rest WHERE rest), true, 'answers over the 40 rows that are not shown') ;
SELECT is(keys('SELECT COALESCE(city, ''x'') || r FROM (SELECT city, dp_suppressed() AS r, dp_count(*) FROM sales WHERE city <> ''city 1'' GROUP BY city) s'),
    'city 0false,city 2false,city 3false,city 4false,xtrue', 'it comes last');
SELECT is(keys('SELECT r FROM (SELECT dp_suppressed() AS r, dp_count(*) FROM sales WHERE false GROUP BY city) s'), 'true', 'there is one of nothing');
SELECT is(keys('SELECT r FROM (SELECT dp_suppressed() AS r, dp_count(*) FROM sales GROUP BY tag) s'), 'false,false', 'none where all groups are shown');
SELECT is(keys('SELECT city FROM (SELECT city, dp_count(*) FROM sales GROUP BY city HAVING dp_suppressed()) s'), 'NULL', 'in HAVING alone');
SELECT is((SELECT count(*) FROM (SELECT size, city, dp_suppressed(), dp_sum(amount) FILTER (WHERE amount > 2) FROM sales GROUP BY size, city) s), 13::bigint, 'of two keys');

-- ---- one pass ----

-- whether the groups would be drawn again does not depend on whether there are any
CREATE FUNCTION again(condition text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT o.i, (SELECT sum(n + o.i) FROM (SELECT city, dp_count(*) AS n FROM sales WHERE %s GROUP BY city) s) FROM generate_series(1, 3) o (i)', condition);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
SELECT is(again('true'), again('false'), 'a second pass');
BEGIN;
DECLARE groups SCROLL CURSOR FOR SELECT city, dp_count(*) AS n FROM sales GROUP BY city;
CREATE FUNCTION fetch_all() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    groups refcursor := 'groups';
    r record;
BEGIN
    LOOP
        FETCH groups INTO r;
        EXIT WHEN NOT FOUND;
        RETURN NEXT r::text;
    END LOOP;
    MOVE ABSOLUTE 0 FROM groups;
END $$;
CREATE TEMP TABLE fetched AS SELECT * FROM fetch_all() WITH ORDINALITY f (r, i);
COMMIT;
SELECT is((SELECT count(*) FROM fetched), 6::bigint, 'a cursor');

-- ---- units of several rows ----

CREATE TABLE stays (person int, ward text NOT NULL, cost float8 NOT NULL);
-- ward a: 60 persons with a row each; ward b: one person with 300 rows; ward c: 60 rows without a person
INSERT INTO stays SELECT i, 'a', 5 FROM generate_series(1, 60) i;
INSERT INTO stays SELECT 1, 'b', 5 FROM generate_series(1, 300) i;
INSERT INTO stays SELECT NULL, 'c', 5 FROM generate_series(1, 60) i;
INSERT INTO stays SELECT 7, 'w' || i, 5 FROM generate_series(1, 30) i;
DO $$ BEGIN PERFORM dpsens.protect('stays', 'person', 'add_remove', 20, 5, 3), dpsens.set_range('stays', 'cost', 0, 10); END $$;
SELECT is(keys('SELECT ward FROM (SELECT ward, dp_count(*) FROM stays GROUP BY ward) s'), 'a,c', 'units count, not rows');
SELECT is(keys('SELECT r FROM (SELECT dp_suppressed() AS r, dp_count(*) FROM stays GROUP BY ward) s'), 'false,false,true', 'with the rest');
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT is((SELECT count(*) FROM (SELECT ward, dp_count(*) FROM stays WHERE person = 7 GROUP BY ward) s), 3::bigint, 'a unit is in so many groups');
SELECT is((SELECT sum(n)::bigint FROM (SELECT ward, dp_count(*) AS n FROM stays GROUP BY ward) s WHERE ward IN ('b', 'c')), 65::bigint, 'and has so many rows in each');
RESET dpsens.noise;
SELECT is((SELECT sensitivities FROM dpsens.releases WHERE expression = 'GROUP BY ward' AND mechanism = 'partition' ORDER BY release DESC LIMIT 1) IS NOT NULL, true, 'recorded');
SELECT ok((SELECT abs(cost_epsilon - 16) < 1e-9 AND noise_scale > 3.0 / 16 - 1e-9 AND noise_scale < 3.0 / 16 + 1e-9 FROM dpsens.explain('SELECT ward, dp_count(*) FROM stays GROUP BY ward') WHERE mechanism = 'partition'), 'three groups share epsilon');
SET dpsens.mechanism = 'gaussian';
SELECT ok((SELECT max(sensitivity) FROM dpsens.explain('SELECT ward, dp_suppressed(), dp_count(*) FROM stays GROUP BY ward') WHERE aggregate LIKE 'dp%') >
    (SELECT max(sensitivity) FROM dpsens.explain('SELECT ward, dp_count(*) FROM stays GROUP BY ward') WHERE aggregate LIKE 'dp%') * 1.7, 'all rows of a unit can be in the rest');
RESET dpsens.mechanism;

-- ---- replace, attribute, metric ----

CREATE TABLE staff (id int PRIMARY KEY, team text NOT NULL, room int, pay float8 NOT NULL, grade int NOT NULL);
INSERT INTO staff SELECT i, 'team ' || i % 3, i % 50, i % 100, i % 4 FROM generate_series(1, 300) i;
INSERT INTO staff VALUES (301, 'alone', NULL, 5, 9);
CREATE FUNCTION declare(adjacency text) RETURNS void LANGUAGE sql AS $$
    SELECT dpsens.protect('staff', adjacency => adjacency), dpsens.set_range('staff', 'pay', 0, 100), dpsens.set_range('staff', 'grade', 0, 10), dpsens.set_public('staff', 'team'), dpsens.set_public('staff', 'room');
$$;
SET dpsens.epsilon = 8;
SELECT declare('replace');
SELECT is(keys('SELECT team FROM (SELECT team, dp_sum(pay) FROM staff GROUP BY team) s'), 'alone,team 0,team 1,team 2', 'replace: keys of public columns are known');
SELECT is((SELECT n FROM (SELECT team, dp_count(*) AS n FROM staff GROUP BY team) s WHERE team = 'alone'), 1::bigint, 'and sizes, if nothing private selects');
SELECT is(keys('SELECT team FROM (SELECT team, dp_count(*) FROM staff WHERE pay > 1000 GROUP BY team) s'), 'alone,team 0,team 1,team 2', 'private conditions do not decide which keys there are');
SELECT isnt((SELECT string_agg(n::text, ',') FROM (SELECT team, dp_count(*) AS n, dp_count(true, 0.01) AS m FROM staff WHERE pay > 1000 GROUP BY team) s), NULL, 'empty groups are answered');
SELECT is((SELECT count(*) FROM (SELECT team, dp_count(true, 0.01) AS m FROM staff WHERE pay > 1000 GROUP BY team) s WHERE m = 0) < 4, true, 'and noised');
SELECT is(keys('SELECT team FROM (SELECT team, dp_count(*) FROM staff WHERE pay > 1000 AND room IS NOT NULL GROUP BY team) s'), 'team 0,team 1,team 2', 'public conditions do');
SELECT is(keys('SELECT team FROM (SELECT team, dp_count(*) FROM (SELECT * FROM (SELECT team, room, pay FROM staff WHERE grade > 100) a WHERE room IS NOT NULL) b GROUP BY team) s'), 'team 0,team 1,team 2', 'wherever they stand');
SELECT is(keys('SELECT k FROM (SELECT upper(team) AS k, dp_avg(pay) FROM staff WHERE team <> ''alone'' GROUP BY 1) s'), 'TEAM 0,TEAM 1,TEAM 2', 'expressions of public columns');
SELECT is(keys('SELECT team FROM (SELECT team, dp_count(*) AS n FROM staff WHERE pay < 50 GROUP BY team) s WHERE n > 20'), 'team 0,team 1,team 2', 'conditions still select');
SELECT ok((SELECT bool_and(abs(n - 50) < 20) FROM (SELECT team, dp_count(*) AS n FROM staff WHERE pay < 50 AND team <> 'alone' GROUP BY team) s), 'the right rows');
SELECT is((SELECT cost_epsilon FROM dpsens.explain('SELECT team, dp_count(*) FROM staff WHERE pay > 1 GROUP BY team') WHERE aggregate LIKE 'GROUP%'), 0::float8, 'that costs nothing');
SELECT is((SELECT array_agg(mechanism) FROM dpsens.explain('SELECT grade, dp_count(*) FROM staff GROUP BY grade')), '{geometric,partition}', 'private keys are selected');
SELECT is(keys('SELECT grade FROM (SELECT grade, dp_count(*) FROM staff GROUP BY grade) s'), '0,1,2,3', 'and only those of many');
SELECT ok((SELECT noise_scale > 0.249 AND noise_scale < 0.251 FROM dpsens.explain('SELECT grade, dp_count(*) FROM staff GROUP BY grade') WHERE mechanism = 'partition'), 'a move changes two groups');
SELECT throws_ok('SELECT team, dp_count(*) FROM staff WHERE EXISTS (SELECT 1) GROUP BY team', '0A000', NULL, 'a subquery could decide which keys there are');
SELECT declare('attribute');
SELECT is(keys('SELECT team FROM (SELECT team, dp_sum(pay) FROM staff WHERE grade > 10 GROUP BY team) s'), 'alone,team 0,team 1,team 2', 'attribute');
SELECT declare('metric');
SELECT is(keys('SELECT team FROM (SELECT team, dp_sum(pay) FROM staff GROUP BY team) s'), 'alone,team 0,team 1,team 2', 'metric');
SELECT throws_ok('SELECT grade, dp_sum(pay) FROM staff GROUP BY grade', '0A000', NULL, 'metric: not by a private key');
SELECT declare('add_remove');
SELECT is(keys('SELECT team FROM (SELECT team, dp_sum(pay) FROM staff GROUP BY team) s'), 'team 0,team 1,team 2', 'add_remove: a public column tells of a row');

-- ---- persons of whom nothing is known but a row ----

-- a hundred accounts of nobody are a hundred persons, and each of them is one, however many rows refer to it
CREATE FUNCTION payments_to(type text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS payments, accounts;
    EXECUTE format('CREATE TABLE accounts (id int PRIMARY KEY, holder %s)', type);
    CREATE TABLE payments (account int NOT NULL REFERENCES accounts, purpose text NOT NULL);
    INSERT INTO accounts SELECT i, NULL FROM generate_series(0, 100) i;
    INSERT INTO payments SELECT 0, 'of one' FROM generate_series(1, 300) UNION ALL SELECT i, 'of many' FROM generate_series(1, 100) i, generate_series(1, 2);
    PERFORM dpsens.protect('accounts', unit => 'holder', max_rows => 300), dpsens.protect('payments', unit => 'accounts.holder', max_rows => 300, max_groups => 1);
END $$;
\set purposes 'SELECT keys(''SELECT purpose FROM (SELECT purpose, dp_count(*) FROM payments GROUP BY purpose) s'')'
SELECT payments_to('int') \g /dev/null
SELECT is((:purposes), 'of many', 'accounts of nobody are as many persons');
SET dpsens.enable_group_states = off;
SELECT is((:purposes), 'of many', 'so, too');
SELECT payments_to('numeric') \g /dev/null
SELECT is((:purposes), 'of many', 'where equal units may look different, too');
RESET dpsens.enable_group_states;
SELECT is((:purposes), 'of many', 'in either way');
SELECT payments_to('float8') \g /dev/null
SELECT is((:purposes), 'of many', 'of another type');

-- ---- what is shown of a key is the same bytes, whichever row of the group it is of ----

-- one row is long, so that its keys are stored compressed; and has NaNs of another sign
CREATE TABLE stored (id int PRIMARY KEY, words text NOT NULL, short varchar(100) NOT NULL, padded char(90) NOT NULL, bytes bytea NOT NULL,
    bits bit(720) NOT NULL, more varbit NOT NULL, rate float8 NOT NULL, ratio real NOT NULL, note text);
INSERT INTO stored
SELECT i, repeat('word ', 18), repeat('x', 90), 'c', repeat('b', 90)::bytea, repeat('01', 360)::bit(720), repeat('01', 360)::varbit,
    CASE WHEN i = 1 THEN float8 'Infinity' - 'Infinity' ELSE 'NaN' END, CASE WHEN i = 1 THEN real 'Infinity' - 'Infinity' ELSE 'NaN' END,
    CASE WHEN i = 1 THEN (SELECT string_agg(md5(j::text), '') FROM generate_series(1, 61) j) END
FROM generate_series(1, 400) i;
SELECT dpsens.protect('stored') \g /dev/null
CREATE FUNCTION seen(key text, look text, those text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(%s::text, '','') FROM (SELECT %s AS k, dp_count(*) FROM stored WHERE %s GROUP BY 1) s', look, key, those) INTO result;
    RETURN result;
END $$;
SELECT ok((SELECT count(DISTINCT (pg_column_size(words), pg_column_size(short), pg_column_size(padded), pg_column_size(bytes), pg_column_size(bits), pg_column_size(more))) = 2 AND
        bool_and(id > 1 OR COALESCE(pg_column_compression(words), pg_column_compression(short), pg_column_compression(padded), pg_column_compression(bytes), pg_column_compression(more)) IS NOT NULL)
    FROM stored), 'one row is stored in another way');
SELECT is(seen(key, 'pg_column_size(k)', 'true'), seen(key, 'pg_column_size(k)', 'id > 1'), 'as long where it is stored: ' || key)
FROM unnest('{words,short,padded,bytes,bits,more,note}'::text[]) key;
SELECT is(seen(key, send || '(k)', 'true'), seen(key, send || '(k)', 'id > 1'), 'the same NaN: ' || key)
FROM (VALUES ('rate', 'float8send'), ('ratio', 'float4send')) v (key, send);

SELECT is((SELECT bool_and(valid) FROM dpsens.verify_ledger()), true, 'charges are recomputed at the end');
SELECT * FROM finish();
DROP SCHEMA groups_tap CASCADE;
DROP OWNED BY groups_tap_ana;
DROP ROLE groups_tap_ana;
