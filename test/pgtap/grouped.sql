-- Subqueries with GROUP BY below dp aggregates: one row for a unit, or several.
-- Files: guard/source/grouped_part.c, guard/trace/grouped_units.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA grouped_tap;
SET search_path = grouped_tap, public;
SELECT plan(145);

CREATE TABLE nations (id int PRIMARY KEY, name text NOT NULL UNIQUE);
INSERT INTO nations SELECT i, 'n' || i FROM generate_series(1, 5) i;
CREATE TABLE customers (id int PRIMARY KEY, nation int NOT NULL REFERENCES nations, balance float8 NOT NULL, nick text NOT NULL);
INSERT INTO customers SELECT i, i % 5 + 1, i, 'nick' || i % 40 FROM generate_series(1, 100) i;
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, day date NOT NULL, status text NOT NULL, total numeric NOT NULL, note text);
INSERT INTO orders SELECT i, (i * 7 + i / 100) % 90 + 1, '2020-01-01'::date + i % 365, (ARRAY['F', 'O', 'P'])[i % 3 + 1], (i % 50) / 8.0, CASE WHEN i % 4 = 0 THEN 'special requests' END FROM generate_series(1, 600) i;
CREATE TABLE lines (line int NOT NULL, "order" int NOT NULL REFERENCES orders, price float8 NOT NULL, gain float8 NOT NULL, pieces int, late boolean NOT NULL);
INSERT INTO lines SELECT i, i * 13 % 500 + 1, i % 50, (i % 21 - 10) / 4.0, nullif(i % 6, 0), i % 4 = 0 FROM generate_series(1, 1500) i;
CREATE TABLE strangers (id int PRIMARY KEY, customer int NOT NULL);
INSERT INTO strangers SELECT i, i FROM generate_series(1, 100) i;

SELECT dpsens.protect('customers', unit => 'id'), dpsens.protect('orders', unit => 'customer', max_rows => 20), dpsens.protect('lines', unit => 'orders.customer', max_rows => 60), dpsens.protect('strangers', unit => 'id');
SELECT dpsens.set_range('customers', 'balance', 0, 100), dpsens.set_range('lines', 'price', 0, 50), dpsens.set_range('lines', 'gain', -2.5, 2.5), dpsens.set_range('lines', 'line', 0, 2000), dpsens.set_range('lines', 'pieces', 0, 5),
    dpsens.set_range('orders', 'total', 0, 10), dpsens.set_values('orders', 'status', 'F', 'O', 'P');
SET dpsens.epsilon = 1;

\ir same.psql
CREATE FUNCTION bounds(query text) RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(format('[%s, %s]', lower, upper)) FROM dpsens.explain(query) $$;

-- ---- what is counted is what SQL says ----

SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*), dp_sum(n) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s',
    'SELECT dp_count(*) FROM (SELECT customer FROM orders GROUP BY customer) s',
    'SELECT dp_count(*), dp_sum(n) FROM (SELECT customer AS c, count(DISTINCT status) AS n FROM orders GROUP BY c) s WHERE n > 1',
    'SELECT dp_count(*), dp_sum(n) FROM (SELECT customer, count(*) AS n FROM orders WHERE day < ''2020-06-01'' GROUP BY customer HAVING count(*) > 2 AND min(day) < ''2020-02-01'') s WHERE n < 6',
    'SELECT dp_count(*) FILTER (WHERE n > 3), dp_sum(CASE WHEN n > 3 THEN n - 3 ELSE 0 END) FROM (SELECT customer, count(*) FILTER (WHERE status = ''F'') AS n FROM orders GROUP BY customer) s',
    'SELECT dp_count(*), dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id AND o.note NOT LIKE ''%special%requests%'' GROUP BY c.id) s',
    'SELECT dp_count(*) FROM (SELECT c.id FROM customers c LEFT JOIN (orders o JOIN lines l ON l."order" = o.id) ON o.customer = c.id GROUP BY c.id HAVING count(l.line) = 0) s',
    'SELECT dp_count(*), dp_sum(n) FROM (SELECT o.customer, count(*) AS n FROM orders o JOIN lines l ON l."order" = o.id WHERE late GROUP BY o.customer) s',
    'SELECT dp_sum(t::float8) FROM (SELECT customer, sum(total) AS t FROM orders GROUP BY customer) s',
    'SELECT dp_sum(t::float8) FROM (SELECT customer, min(total) + max(total) AS t FROM orders GROUP BY customer) s',
    'SELECT dp_sum(p), dp_sum(g), dp_sum(least(greatest(g, -1), 1)) FROM (SELECT customer, sum(pieces) AS p, sum(gain) AS g FROM orders JOIN lines ON "order" = orders.id GROUP BY customer) s',
    'SELECT dp_sum(p) FROM (SELECT customer, max(price) - min(price) AS p FROM orders JOIN lines ON "order" = orders.id GROUP BY customer) s',
    'SELECT dp_count(*) FROM (SELECT customer FROM orders JOIN lines ON "order" = orders.id GROUP BY customer HAVING bool_and(late) OR every(price < 30) OR bool_or(pieces > 4) AND avg(price) > 20) s',
    'SELECT name, dp_count(*), dp_sum(n) FROM (SELECT c.id, c.nation, count(*) AS n FROM orders JOIN customers c ON c.id = customer GROUP BY c.id, c.nation) s JOIN nations n ON n.id = nation GROUP BY name ORDER BY name',
    'SELECT dp_count(*), dp_sum(balance * n) FROM customers c JOIN (SELECT customer, count(*) AS n FROM orders GROUP BY customer) o ON o.customer = c.id WHERE n > 3',
    'SELECT status, dp_count(*), dp_sum(n) FROM (SELECT customer, status, count(*) AS n FROM orders GROUP BY customer, status) s GROUP BY status ORDER BY status',
    'SELECT dp_count(*) FROM customers c JOIN (SELECT customer, status FROM orders GROUP BY customer, status) s ON s.customer = c.id',
    'SELECT dp_count(*) FROM (SELECT DISTINCT customer FROM orders) s',
    'SELECT nation, dp_count(*), dp_sum(n), dp_sum(balance * n) FROM (SELECT c.id, c.nation, balance + 1 AS balance, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id HAVING balance < 70) s JOIN nations n ON n.id = nation GROUP BY nation ORDER BY nation',
    'SELECT dp_count(*) FROM (SELECT DISTINCT customer, status FROM orders WHERE day < ''2020-03-01'') s WHERE status <> ''P''',
    'WITH w AS (SELECT customer, count(*) AS n FROM orders GROUP BY customer) SELECT dp_sum(n) FROM w WHERE n < 9',
    'SELECT dp_sum(m) FROM (SELECT n + 1 AS m FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s WHERE n > 2) t WHERE m < 8',
    'SELECT dp_count(*) FROM (SELECT customer, count(*) AS n FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id AND late) GROUP BY customer) s WHERE n > 1'
]) AS list (query);
-- keys of the data's own
SET dpsens.noise = off;
SELECT results_eq('SELECT n, dp_count(*)::int FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s GROUP BY n ORDER BY n',
    'SELECT n, count(*)::int FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s GROUP BY n ORDER BY n', 'how many have how many');
RESET dpsens.noise;
-- 90 groups of one, each of which is shown with a probability of 1e-12
SET dpsens.delta = 1e-12;
SELECT is_empty('SELECT customer, dp_count(*) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s GROUP BY customer', 'each has one');
RESET dpsens.delta;

-- ---- how much that is ----

SELECT is(sensitivities('SELECT dp_count(*), dp_sum(n) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s'), '{1,20}', 'one row to a unit');
SELECT is(bounds('SELECT dp_sum(n), dp_sum(d), dp_sum(f) FROM (SELECT customer, count(*) AS n, count(note) AS d, count(*) FILTER (WHERE id > 7) AS f FROM orders GROUP BY customer) s'), '{"[1, 20]","[0, 20]","[0, 20]"}', 'counts');
SELECT is(bounds('SELECT dp_sum(a), dp_sum(b), dp_sum(c), dp_sum(d) FROM (SELECT customer, sum(gain) AS a, sum(price) AS b, avg(gain) AS c, max(price * 2 + 1) AS d FROM orders JOIN lines ON "order" = orders.id GROUP BY customer) s'),
    '{"[-150, 150]","[0, 3000]","[-2.5, 2.5]","[1, 101]"}', 'sums, means, extremes');
SELECT is(bounds('SELECT dp_sum(b) FROM (SELECT customer, sum(price) AS b FROM orders JOIN lines ON "order" = orders.id WHERE price < 10 GROUP BY customer) s'), '{"[0, 600]"}', 'WHERE narrows what is below it');
SELECT is(bounds('SELECT dp_sum(n) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer HAVING count(*) < 5) s WHERE n > 1'), '{"[2, 4]"}', 'so do HAVING and what is above');
SELECT is(bounds('SELECT dp_sum(least(n, 3)) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s'), '{"[1, 3]"}', 'a clamp of one''s own');
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s'), '{1,20}', 'a count that can become 0');
SELECT is(sensitivities('SELECT dp_sum(g) FROM (SELECT c.id, sum(gain) AS g FROM customers c LEFT JOIN (orders o JOIN lines l ON l."order" = o.id) ON o.customer = c.id GROUP BY c.id) s'), '{300}', 'a sum in the place of another');
SELECT is(sensitivities('SELECT dp_sum(g) FROM (SELECT c.id, avg(gain) AS g FROM orders o JOIN lines l ON l."order" = o.id JOIN customers c ON c.id = o.customer WHERE NOT EXISTS (SELECT FROM lines m WHERE m."order" = o.id AND m.late) GROUP BY c.id) s'), '{5}', 'a mean in the place of another');
SELECT is(sensitivities('SELECT status, dp_count(*), dp_sum(n) FROM (SELECT customer, status, count(*) AS n FROM orders GROUP BY customer, status) s GROUP BY status'), '{20,400}', 'several rows to a unit, as many as are declared');
SELECT is(sensitivities('SELECT name, dp_count(*) FROM (SELECT c.id, c.nation, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id, c.nation) s JOIN nations n ON n.id = nation GROUP BY name'), '{2}', 'a row that others could replace, in groups');
SELECT is(sensitivities('SELECT name, dp_count(*) FROM (SELECT c.id, c.nation FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.id, c.nation) s JOIN nations n ON n.id = nation GROUP BY name'), '{1}', 'a row that comes or goes');
SELECT is(array_agg(adjacency), '{replace}', 'explain says so') FROM dpsens.explain('SELECT dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s');
-- limits of groups hold
SELECT dpsens.protect('orders', unit => 'customer', max_rows => 2);
SET dpsens.noise = off;
SELECT is(dp_count(*)::int, (SELECT sum(least(n, 2))::int FROM (SELECT customer, count(DISTINCT status) AS n FROM orders GROUP BY customer) s), 'two groups of each') FROM (SELECT customer, status FROM orders GROUP BY customer, status) s;
SELECT is(dp_sum(n)::int, (SELECT sum(least(n, 2))::int FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s), 'a count is clamped') FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s;
RESET dpsens.noise;

-- without a unit's rows in any of the tables, or in several, answers move by no more
CREATE TABLE asked (number serial, query text, most float8);
INSERT INTO asked (query) VALUES
    ('SELECT dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s'),
    ('SELECT k, dp_count(*) FROM (SELECT c.id, CASE WHEN count(l.line) > 9 THEN 1 WHEN count(l.line) > 0 THEN 2 ELSE 3 END AS k FROM customers c LEFT JOIN (orders o JOIN lines l ON l."order" = o.id) ON o.customer = c.id GROUP BY c.id) s GROUP BY k'),
    ('SELECT dp_sum(g) FROM (SELECT o.customer, sum(CASE WHEN line > 700 THEN gain ELSE 1 END) AS g FROM orders o JOIN lines l ON l."order" = o.id GROUP BY o.customer) s'),
    ('SELECT dp_sum(g) FROM (SELECT o.customer, avg(CASE WHEN line > 900 THEN gain END) AS g FROM orders o JOIN lines l ON l."order" = o.id WHERE NOT EXISTS (SELECT FROM lines m WHERE m."order" = o.id AND m.late) GROUP BY o.customer) s'),
    ('SELECT dp_sum(CASE WHEN n > 1 THEN balance ELSE 0 END) FROM customers c JOIN (SELECT customer, count(*) AS n FROM orders GROUP BY customer) o ON o.customer = c.id'),
    ('SELECT dp_count(*) FROM (SELECT c.id FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id HAVING count(o.id) = 0) s'),
    ('SELECT status, dp_count(*) FROM (SELECT customer, status FROM orders o JOIN lines l ON l."order" = o.id GROUP BY customer, status) s GROUP BY status');
UPDATE asked SET most = (SELECT max(sensitivity) * CASE WHEN query LIKE 'SELECT k%' THEN 2 ELSE 1 END FROM dpsens.explain(query) WHERE aggregate LIKE 'dp_%');
\ir moved.psql
SELECT cmp_ok(max(by), '>', 0::float8, format('something moves: %s', query)) FROM moved JOIN asked USING (number) GROUP BY number, query ORDER BY number;
SELECT cmp_ok(max(by), '=', 2::float8, 'from one group to another') FROM moved WHERE number = 2;
SELECT dpsens.protect('orders', unit => 'customer', max_rows => 20);

-- sums do not depend on the order of rows, nor do they fail
CREATE TABLE sums (customer int NOT NULL, x float8 NOT NULL, n numeric NOT NULL, i int8 NOT NULL, r float4 NOT NULL);
INSERT INTO sums VALUES (1, 1e16, 1, 1, 1), (1, 1, 1, 1, 1), (1, -1e16, 1, 1, 1), (2, -1e16, 1, 1, 1), (2, 1e16, 1, 1, 1), (2, 1, 1, 1, 1),
    (3, 1e308, 9e100000, 9223372036854775807, 3e38), (3, 1e308, 9e100000, 9223372036854775807, 3e38), (4, 'NaN', 'NaN', 1, 'NaN'), (5, 'Infinity', 'Infinity', -1, '-Infinity'), (5, '-Infinity', '-Infinity', -1, 'Infinity'), (6, 0, 9e131071, 1, 1), (6, 0, 9e131071, 1, 1);
SELECT dpsens.protect('sums', unit => 'customer', max_rows => 10), dpsens.set_range('sums', 'x', -10, 10), dpsens.set_range('sums', 'n', -10, 10), dpsens.set_range('sums', 'i', -10, 10), dpsens.set_range('sums', 'r', -10, 10);
SELECT throws_ok('SELECT sum(x) FROM sums WHERE customer = 3', '22003', NULL, 'a plain sum fails');
SELECT throws_ok('SELECT sum(n) FROM sums WHERE customer = 6', '22003', NULL, 'a plain sum of numeric fails, too');
SELECT isnt((SELECT sum(x) FROM (SELECT x FROM sums WHERE customer = 1 ORDER BY x DESC) s), (SELECT sum(x) FROM (SELECT x FROM sums WHERE customer = 1 ORDER BY x = 1) s), 'and depends on the order');
SET dpsens.noise = off;
SELECT is(dp_sum(s), 2::float8, 'sums in any order') FROM (SELECT customer, sum(x) AS s FROM sums WHERE customer < 3 GROUP BY customer) t;
SELECT lives_ok(format('SELECT dp_count(*), dp_count(s), dp_sum(s) FROM (SELECT customer, %s AS s FROM sums GROUP BY customer) t WHERE s > 0 OR s IS NULL', f), f)
FROM unnest(ARRAY['sum(x)', 'avg(x)', 'sum(n)', 'avg(n)', 'sum(i)', 'avg(i)', 'sum(r)', 'avg(r)', 'min(x)', 'max(n)', 'sum(x * x)', 'sum(n * n)', 'sum(i * i)', 'sum(i) / count(*)']) f;
RESET dpsens.noise;
INSERT INTO sums VALUES (7, 0, 1.0, 1, 1), (7, 0, 1.00, 1, 1), (8, 0, 1.00, 1, 1), (8, 0, 1.0, 1, 1);
SET dpsens.noise = off;
SELECT is(dp_count(*), 2::bigint, 'equal values that look different become one') FROM (SELECT customer, max(n) AS m, min(n) AS l FROM sums WHERE customer > 6 GROUP BY customer) s WHERE m::text = '1' AND l::text = '1';
RESET dpsens.noise;

-- ---- what is refused ----

\ir refused.psql
CREATE FUNCTION looks(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE AGGREGATE own_sum(int) (SFUNC = int4pl, STYPE = int, INITCOND = 0);
SELECT refused(query, message, '{0A000,55000}') FROM (VALUES
    -- groups of several units
    ('SELECT dp_count(*) FROM (SELECT status, count(*) AS n FROM orders GROUP BY status) s', '%privacy unit%None of its keys%'),
    ('SELECT dp_sum(n) FROM (SELECT id, count(*) AS n FROM orders GROUP BY id) s', '%privacy unit%'),
    ('SELECT dp_sum(n) FROM (SELECT nation, count(*) AS n FROM customers c JOIN orders o ON o.customer = c.id GROUP BY nation) s', '%privacy unit%'),
    ('SELECT dp_sum(n) FROM (SELECT customer / 2, count(*) AS n FROM orders GROUP BY 1) s', '%privacy unit%'),
    ('SELECT dp_sum(n) FROM (SELECT -customer, count(*) AS n FROM orders GROUP BY 1) s', '%privacy unit%'),
    ('SELECT dp_sum(n) FROM (SELECT "order", count(*) AS n FROM lines GROUP BY "order") s', '%privacy unit%Nothing in its FROM%'),
    ('SELECT dp_sum(n) FROM (SELECT o.customer, count(*) AS n FROM orders o JOIN lines l ON l.line = o.id GROUP BY o.customer) s', '%same unit%'),
    ('SELECT dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.id = c.id GROUP BY c.id) s', '%same unit%'),
    ('SELECT dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer >= c.id GROUP BY c.id) s', '%same unit%'),
    ('SELECT dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id OR o.status = ''F'' GROUP BY c.id) s', '%same unit%'),
    ('SELECT dp_sum(n) FROM (SELECT c.id, count(l.line) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id LEFT JOIN lines l ON l.line = o.id GROUP BY c.id) s', '%same unit%'),
    ('SELECT dp_sum(n) FROM (SELECT c.id, count(*) AS n FROM customers c, orders o GROUP BY c.id) s', '%same unit%'),
    ('SELECT dp_sum(n) FROM (SELECT c.id, count(*) AS n FROM customers c JOIN strangers t ON t.customer = c.id GROUP BY c.id) s', '%same unit%'),
    ('SELECT dp_sum(n) FROM (SELECT o.customer, count(*) AS n FROM nations x LEFT JOIN orders o ON o.id = x.id GROUP BY o.customer) s', '%that all of its rows have%'),
    ('SELECT dp_sum(n) FROM (SELECT o.customer, count(*) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY o.customer) s', '%privacy unit%'),
    ('SELECT dp_count(*) FROM (SELECT DISTINCT status FROM orders) s', '%privacy unit%'),
    ('SELECT dp_count(*) FROM (SELECT DISTINCT ON (customer) customer, status FROM orders) s', 'DISTINCT%'),
    ('SELECT dp_count(*) FROM (SELECT count(*) AS n FROM orders) s', '%without GROUP BY%'),
    ('SELECT dp_count(*) FROM (SELECT 1 AS n FROM orders HAVING count(*) > 3) s', '%without GROUP BY%'),
    ('SELECT dp_count(*) FROM (SELECT customer FROM orders GROUP BY ROLLUP (customer)) s', 'GROUPING SETS%'),
    ('SELECT dp_count(*) FROM (SELECT customer, status FROM orders GROUP BY GROUPING SETS ((customer), (customer, status))) s', 'GROUPING SETS%'),
    ('SELECT dp_count(*) FROM (SELECT id, count(*) FROM nations GROUP BY id) s', '%protected relation%'),
    -- what stands in it
    ('SELECT dp_count(*) FROM (SELECT customer FROM orders GROUP BY customer LIMIT 3) s', 'LIMIT%'),
    ('SELECT dp_count(*) FROM (SELECT DISTINCT customer, count(*) FROM orders GROUP BY customer) s', 'DISTINCT%'),
    ('SELECT dp_count(*) FROM (SELECT customer, rank() OVER (ORDER BY count(*)) AS r FROM orders GROUP BY customer) s WHERE r < 3', 'a window function%'),
    ('SELECT dp_count(*) FROM (SELECT customer, generate_series(1, count(*)) FROM orders GROUP BY customer) s', 'a set-returning function%'),
    ('SELECT dp_count(*) FROM (SELECT customer FROM orders GROUP BY customer HAVING count(*) > (SELECT count(*) FROM lines)) s', '%subquery in HAVING%'),
    ('SELECT dp_count(*) FROM (SELECT customer, (SELECT max(id) FROM lines) FROM orders GROUP BY customer) s', '%subquery in the select list%'),
    ('SELECT dp_count(*) FROM (SELECT n FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s GROUP BY n) t', '%'),
    ('SELECT dp_count(*) FROM nations n LEFT JOIN (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s ON s.customer = n.id', '%optional side%'),
    ('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM (SELECT customer FROM orders GROUP BY customer HAVING count(*) > 3) s WHERE s.customer = c.id)', '%GROUP BY in a subquery in a condition%'),
    ('SELECT dp_count(*) FROM customers c JOIN (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s ON s.n = c.id', '%same unit%'),
    ('SELECT dp_count(*) FROM customers c JOIN (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s ON s.customer = c.nation', '%same unit%'),
    -- aggregates that could fail, see the order, or tell somebody
    ('SELECT dp_count(*) FROM (SELECT customer, string_agg(status, '','') AS a FROM orders GROUP BY customer) s WHERE a LIKE ''F%''', 'aggregate function string_agg%'),
    ('SELECT dp_count(*) FROM (SELECT customer, array_agg(status) AS a FROM orders GROUP BY customer) s', 'aggregate function array_agg%'),
    ('SELECT dp_sum(a) FROM (SELECT customer, stddev(total) AS a FROM orders GROUP BY customer) s', 'aggregate function stddev%'),
    ('SELECT dp_sum(a) FROM (SELECT customer, grouped_tap.own_sum(id) AS a FROM orders GROUP BY customer) s', 'aggregate function own_sum%'),
    ('SELECT dp_sum(a) FROM (SELECT customer, percentile_disc(0.5) WITHIN GROUP (ORDER BY id) AS a FROM orders GROUP BY customer) s', 'aggregate function percentile_disc%'),
    ('SELECT dp_sum(a) FROM (SELECT customer, sum(DISTINCT total) AS a FROM orders GROUP BY customer) s', '%DISTINCT in an aggregate%'),
    ('SELECT dp_sum(a) FROM (SELECT customer, sum(total ORDER BY id) AS a FROM orders GROUP BY customer) s', 'ORDER BY%'),
    ('SELECT dp_count(*) FROM (SELECT customer, min(status) AS a FROM orders GROUP BY customer) s WHERE a = ''F''', 'aggregate function min%'),
    ('SELECT dp_sum(a) FROM (SELECT customer, max(grouped_tap.looks(id)) AS a FROM orders GROUP BY customer) s', 'function%looks%'),
    ('SELECT dp_count(*) FROM (SELECT customer, max(random()) AS a FROM orders GROUP BY customer) s', 'function%random%'),
    ('SELECT dp_count(*) FROM (SELECT customer, count(*) FILTER (WHERE grouped_tap.looks(id) > 3) AS a FROM orders GROUP BY customer) s', 'function%looks%'),
    ('SELECT dp_count(*) FROM (SELECT customer, grouped_tap.looks(id) AS a FROM orders GROUP BY 1, 2) s', '%looks%'),
    ('SELECT dp_sum(a) FROM (SELECT customer, max((SELECT price FROM lines l WHERE l.line = orders.id)) AS a FROM orders GROUP BY customer) s', '%subquery%'),
    -- ranges
    ('SELECT dp_sum(n) FROM (SELECT c.id, sum(length(nick)) AS n FROM customers c GROUP BY c.id) s', '%'),
    ('SELECT dp_sum(id) FROM (SELECT id, count(*) FROM customers GROUP BY id) s', '%nothing says how large "id"%'),
    ('SELECT dp_sum(n) FROM (SELECT customer, max(id) AS n FROM orders GROUP BY customer) s', '%"id"%'),
    ('SELECT dp_count(*) FROM (SELECT c.id, o.status FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.id, o.status) s', '%')
) AS list (query, message);

ALTER TABLE orders ALTER customer DROP NOT NULL;
SELECT refused('SELECT dp_count(*) FROM (SELECT customer, count(*) FROM orders GROUP BY customer) s', '%without nulls%');
SELECT same('SELECT dp_count(*), dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s');
ALTER TABLE orders ALTER customer SET NOT NULL;
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'replace'), dpsens.protect('orders', unit => 'customer', adjacency => 'replace', max_rows => 20);
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(n) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s'), '{1,20}', 'replace');
SELECT refused('SELECT dp_count(*) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s', '%outer join%replace%');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'attribute'), dpsens.protect('orders', unit => 'customer', adjacency => 'attribute');
SELECT refused('SELECT dp_count(*) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s', '%single columns%');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'metric'), dpsens.protect('orders', unit => 'customer', adjacency => 'metric');
SELECT refused('SELECT dp_count(*) FROM (SELECT id, count(*) AS n FROM customers GROUP BY id) s', '%single columns%');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'add_remove'), dpsens.protect('orders', unit => 'customer', adjacency => 'add_remove', max_rows => 20);
CREATE TABLE nobodys (id int PRIMARY KEY);
SELECT dpsens.protect('nobodys');
SELECT refused('SELECT dp_count(*) FROM (SELECT id, count(*) AS n FROM nobodys GROUP BY id) s', '%privacy unit%');

-- ---- views, who may read what, who pays ----

CREATE ROLE grouped_tap_ana;
GRANT USAGE ON SCHEMA grouped_tap TO grouped_tap_ana;
CREATE VIEW activity AS SELECT customer, count(*) AS n FROM orders GROUP BY customer;
SELECT same('SELECT dp_count(*), dp_sum(n) FROM activity WHERE n > 4');
SELECT dpsens.grant_budget('customers', 'grouped_tap_ana', epsilon => 100), dpsens.grant_budget('orders', 'grouped_tap_ana', epsilon => 100);
SET ROLE grouped_tap_ana;
SET dpsens.epsilon = 1;
SELECT lives_ok('SELECT dp_sum(n) FROM (SELECT c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) s', 'an analyst asks');
SELECT throws_like('SELECT dp_sum(n) FROM (SELECT o.customer, count(*) AS n FROM orders o JOIN lines l ON l."order" = o.id GROUP BY o.customer) s', 'permission denied for table lines', 'without a budget');
SELECT throws_like('SELECT customer, count(*) AS n FROM orders GROUP BY customer', 'permission denied%', 'the subquery alone');
SELECT throws_like('SELECT dp_count(*) FROM (SELECT customer, max(length(repeat(status, id))) AS n FROM orders GROUP BY customer) s', '%is not supported for a role%', 'an argument that is not known to be total');
SELECT lives_ok('SELECT dp_count(*) FROM (SELECT customer, total FROM orders GROUP BY customer, total) s', 'numeric values in one form');
SELECT lives_ok('SELECT dp_count(*) FROM (SELECT customer, max(1 / (id - 42)) AS n FROM orders GROUP BY customer HAVING 1 / (count(*) - 5) >= 0) s', 'what could fail is attempted');
RESET ROLE;
SELECT is(sum(epsilon), 1::float8, 'customers pay') FROM dpsens.releases WHERE role = 'grouped_tap_ana' AND relation LIKE '%customers';
SELECT is(sum(epsilon), 3::float8, 'orders pay') FROM dpsens.releases WHERE role = 'grouped_tap_ana' AND relation LIKE '%orders';
SELECT refused('SELECT dp_count(*) FROM (SELECT customer FROM orders UNION ALL SELECT customer FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s) u', '%');

-- persons whose names are too long to be keys are in no group, and do not meet in one
CREATE TABLE named (name text NOT NULL, number numeric NOT NULL, kind int NOT NULL, gain float8 NOT NULL);
INSERT INTO named VALUES (repeat('a', 9000), 10::numeric ^ 20000 + 1, 1, -1000), (repeat('b', 9000), 10::numeric ^ 20000 + 2, 2, 40), ('c', 3, 1, 5);
CREATE FUNCTION of_named(keys text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE result float8;
BEGIN
    EXECUTE format('SELECT dp_sum(g.gain) FROM (SELECT %s, sum(gain) AS gain FROM named GROUP BY %1$s) g', keys) INTO result;
    RETURN result;
END $$;
SET dpsens.noise = off;
SELECT dpsens.set_range('named', 'gain', -100, 100), dpsens.protect('named', unit => 'name', max_rows => 1) \g /dev/null
SELECT is(of_named(keys), 5::float8, 'long names: by ' || keys) FROM unnest('{name,"name, kind"}'::text[]) keys;
SELECT dpsens.clear('named', 'name'), dpsens.protect('named', unit => 'number', max_rows => 1) \g /dev/null
SELECT is(of_named(keys), 5::float8, 'long numbers: by ' || keys) FROM unnest('{number,"number, kind"}'::text[]) keys;
RESET dpsens.noise;

SELECT * FROM finish();
DROP SCHEMA grouped_tap CASCADE;
DROP OWNED BY grouped_tap_ana;
DROP ROLE grouped_tap_ana;
