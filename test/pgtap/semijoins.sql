-- EXISTS and IN in conditions: over public relations, and over protected ones of
-- the same unit.
-- Files: guard/query/correlated.c, glue/constraint/not_null.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA semijoins_tap;
SET search_path = semijoins_tap, public;
SELECT plan(134);

CREATE TABLE nations (id int PRIMARY KEY, name text NOT NULL UNIQUE, far boolean);
INSERT INTO nations SELECT i, 'n' || i, CASE WHEN i < 5 THEN i % 2 = 0 END FROM generate_series(1, 5) i;
CREATE TABLE customers (id int PRIMARY KEY, nation int NOT NULL REFERENCES nations, balance float8 NOT NULL);
INSERT INTO customers SELECT i, i % 5 + 1, i FROM generate_series(1, 100) i;
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, day date NOT NULL, status text NOT NULL, shop int);
INSERT INTO orders SELECT i, (i * 7 + i / 100) % 90 + 1, '2020-01-01'::date + i % 365, (ARRAY['F', 'O', 'P'])[i % 3 + 1], CASE WHEN i % 10 > 0 THEN i % 5 + 1 END FROM generate_series(1, 600) i;
CREATE TABLE lines (line int NOT NULL, "order" int NOT NULL REFERENCES orders, seller int NOT NULL, price float8 NOT NULL, late boolean NOT NULL, gain float8 NOT NULL);
INSERT INTO lines SELECT i, i * 13 % 500 + 1, i % 7 + 1, i % 50, i % 4 = 0, i % 21 - 10 FROM generate_series(1, 1500) i;
CREATE TABLE strangers (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO strangers SELECT i, i FROM generate_series(1, 100) i;

SELECT dpsens.protect('customers', unit => 'id'), dpsens.protect('orders', unit => 'customer', max_rows => 200), dpsens.protect('lines', unit => 'orders.customer', max_rows => 500), dpsens.protect('strangers', unit => 'id');
SELECT dpsens.set_range('customers', 'balance', 0, 100), dpsens.set_range('lines', 'price', 0, 50), dpsens.set_range('lines', 'gain', -10, 10), dpsens.set_values('orders', 'status', 'F', 'O', 'P');
SET dpsens.epsilon = 1;

\ir same.psql

-- ---- what is counted is what SQL says ----

SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id)',
    'SELECT dp_count(*) FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id AND status = ''F'')',
    'SELECT dp_count(*), dp_sum(balance) FROM customers WHERE id IN (SELECT customer FROM orders WHERE status = ''P'')',
    'SELECT dp_count(*) FROM customers WHERE id NOT IN (SELECT customer FROM orders WHERE status = ''P'')',
    'SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o JOIN lines l ON l."order" = o.id WHERE o.customer = c.id AND late)',
    'SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT * FROM orders o, lines l WHERE l."order" = o.id AND o.customer = c.id AND price > balance)',
    'SELECT status, dp_count(*) FROM orders WHERE day < ''2020-07-01'' AND EXISTS (SELECT * FROM lines WHERE "order" = orders.id AND late) GROUP BY status ORDER BY status',
    'SELECT status, dp_count(*) FROM orders o WHERE NOT EXISTS (SELECT * FROM lines WHERE "order" = o.id AND late) GROUP BY status ORDER BY status',
    'SELECT dp_count(*) FROM orders o WHERE day > ''2020-12-01'' OR EXISTS (SELECT * FROM lines WHERE "order" = o.id AND late)',
    'SELECT dp_count(*) FROM orders o WHERE NOT (day > ''2020-12-01'' OR EXISTS (SELECT * FROM lines WHERE "order" = o.id AND late))',
    'SELECT dp_count(*) FROM orders o WHERE NOT (day > ''2020-12-01'' AND o.id IN (SELECT "order" FROM lines WHERE late))',
    'SELECT dp_count(*), dp_sum(price) FROM lines l WHERE EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND m.seller <> l.seller) AND NOT EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND m.seller <> l.seller AND m.late)',
    'SELECT dp_sum(price) FROM lines l JOIN orders o ON o.id = l."order" AND EXISTS (SELECT FROM lines m WHERE m."order" = o.id AND m.line > l.line)',
    'SELECT dp_count(*) FROM lines l, orders o WHERE o.id = l."order" AND EXISTS (SELECT FROM orders p WHERE p.customer = o.customer AND p.id <> o.id)',
    'SELECT name, dp_count(*) FROM orders o JOIN customers c ON c.id = o.customer JOIN nations n ON n.id = c.nation WHERE EXISTS (SELECT FROM lines WHERE "order" = o.id AND late) GROUP BY name ORDER BY name',
    -- public relations, any condition
    'SELECT dp_count(*) FROM customers WHERE nation IN (SELECT id FROM nations WHERE far)',
    'SELECT dp_count(*) FROM orders JOIN customers c ON c.id = customer WHERE nation IN (SELECT id FROM nations WHERE far) AND EXISTS (SELECT FROM nations n WHERE n.id > c.nation)',
    'SELECT dp_count(*) FROM orders JOIN customers c ON c.id = customer WHERE nation NOT IN (SELECT id FROM nations WHERE far) OR balance > 50',
    'SELECT dp_count(*) FROM orders o JOIN customers c ON c.id = customer WHERE shop NOT IN (SELECT id FROM nations WHERE far)',
    'SELECT dp_count(*) FROM orders o JOIN customers c ON c.id = customer WHERE NOT (shop IN (SELECT id FROM nations WHERE far IS NULL) AND balance > 50)',
    'SELECT dp_count(*) FROM orders o JOIN customers c ON c.id = customer WHERE (shop, nation) IN (SELECT DISTINCT n.id, m.id FROM nations n, nations m WHERE n.far)',
    'SELECT dp_count(*) FROM orders o JOIN customers c ON c.id = customer WHERE shop < ANY (SELECT id FROM nations WHERE far)',
    'SELECT dp_count(*) FROM (SELECT o.*, c.balance FROM orders o JOIN customers c ON c.id = customer WHERE EXISTS (SELECT FROM nations n WHERE n.id = c.nation AND n.far)) s WHERE balance > 20'
]) AS list (query);
-- NULL on either side of NOT IN
SELECT same('SELECT dp_count(*) FROM orders o JOIN customers c ON c.id = customer WHERE shop NOT IN (SELECT CASE WHEN far THEN id END FROM nations)');
SELECT same('SELECT dp_count(*) FROM orders o JOIN customers c ON c.id = customer WHERE shop NOT IN (SELECT id FROM nations WHERE id > 9)');

-- a call in it that fails for one row is NULL there, as anywhere in a condition
CREATE FUNCTION unfailing(query text) RETURNS bigint LANGUAGE plpgsql SET dpsens.noise = off AS $$
DECLARE answer bigint;
BEGIN
    EXECUTE query INTO answer;
    RETURN answer;
END $$;
SELECT is(unfailing(query), answer::bigint, query) FROM (VALUES
    ('SELECT dp_count(*) FROM strangers s WHERE EXISTS (SELECT FROM nations n WHERE n.id = 1 AND 1 / (s.id - 1) >= 0)', 99),
    ('SELECT dp_count(*) FROM strangers s WHERE NOT EXISTS (SELECT FROM nations n WHERE 1 / (s.id - n.id) >= 0)', 0),
    ('SELECT dp_count(*) FROM strangers s WHERE s.id IN (SELECT n.id FROM nations n WHERE n.id / (s.id - 3) < 9)', 4),
    ('SELECT dp_count(*) FROM strangers s WHERE 5 > (SELECT sum(10 / (s.id - n.id)) FROM nations n)', 92),
    ('SELECT dp_count(*) FROM strangers s WHERE 0 <> ALL (SELECT 10 / (s.id - n.id) FROM nations n)', 6)
) list (query, answer);

-- ---- how much that is ----

SELECT is(sensitivities('SELECT dp_count(*) FROM customers c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer = c.id)'), '{1}', 'a unit of one row comes or goes');
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(gain) FROM lines l WHERE EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND m.late)'), '{500,5000}', 'rows come or go together');
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(gain), dp_sum(price) FROM lines l WHERE NOT EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND m.late)'), '{500,10000,25000}', 'a gain can take the place of a loss');
SELECT is(sensitivities('SELECT dp_sum(gain) FROM lines l WHERE price > 3 OR EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND m.late)'), '{10000}', 'beside OR, too');
SELECT is(sensitivities('SELECT status, dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines WHERE "order" = o.id AND late) GROUP BY status'), '{200}', 'groups, together');
SELECT is(sensitivities('SELECT status, dp_count(*) FROM orders o WHERE NOT EXISTS (SELECT FROM lines WHERE "order" = o.id AND late) GROUP BY status'), '{400}', 'and from group to group');
SELECT is(sensitivities('SELECT name, dp_count(*) FROM orders o JOIN customers c ON c.id = customer JOIN nations n ON n.id = nation WHERE NOT EXISTS (SELECT FROM lines WHERE "order" = o.id AND late) GROUP BY name'), '{400}', 'and of a public relation');
SELECT is(sensitivities('SELECT dp_sum(gain) FROM lines l JOIN orders o ON o.id = l."order" WHERE NOT EXISTS (SELECT FROM nations n WHERE n.id = o.shop)'), '{5000}', 'what is public does not change');
SELECT is(adjacency, 'replace', 'explain says so') FROM dpsens.explain('SELECT dp_count(*) FROM orders o WHERE NOT EXISTS (SELECT FROM lines WHERE "order" = o.id)');
SELECT is(sensitivities('SELECT dp_sum(price) FROM lines l WHERE EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND m.price < 1 AND l.line > 0)'), '{25000}', 'a condition inside narrows nothing');
SELECT is(sensitivities('SELECT dp_sum(price) FROM lines l WHERE NOT EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND l.price > 1)'), '{25000}', 'nor under NOT');
SELECT is(sensitivities('SELECT dp_sum(price) FROM lines l WHERE price < 7 AND EXISTS (SELECT FROM lines m WHERE m."order" = l."order")'), '{3500}', 'one beside it does');

-- without a unit's rows in any of the tables, or in several, answers move by no more
CREATE TABLE asked (number serial, query text, most float8);
INSERT INTO asked (query) VALUES
    ('SELECT dp_count(*) FROM customers c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND status = ''F'')'),
    ('SELECT dp_sum(gain) FROM lines l WHERE EXISTS (SELECT FROM lines m WHERE m."order" = l."order" AND m.line <> l.line)'),
    ('SELECT dp_sum(gain) FROM lines l JOIN orders o ON o.id = l."order" WHERE NOT EXISTS (SELECT FROM orders p WHERE p.customer = o.customer AND p.day > o.day AND p.status = ''F'')'),
    ('SELECT status, dp_count(*) FROM orders o WHERE NOT EXISTS (SELECT FROM lines WHERE "order" = o.id AND late) GROUP BY status'),
    ('SELECT status, dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines WHERE "order" = o.id AND late) GROUP BY status'),
    ('SELECT status, dp_count(*) FROM orders o WHERE NOT EXISTS (SELECT FROM lines WHERE "order" = o.id AND status = ''F'') GROUP BY status'),
    ('SELECT status, dp_count(*) FROM orders o WHERE NOT EXISTS (SELECT FROM lines WHERE "order" = o.id AND status = ''O'') GROUP BY status'),
    ('SELECT status, dp_count(*) FROM orders o WHERE NOT EXISTS (SELECT FROM lines WHERE "order" = o.id AND status = ''P'') GROUP BY status'),
    ('SELECT status, dp_count(*) FROM orders o WHERE customer % 2 = 0 OR id NOT IN (SELECT "order" FROM lines WHERE late) GROUP BY status');
SELECT dpsens.protect('orders', unit => 'customer', max_rows => 1), dpsens.protect('lines', unit => 'orders.customer', max_rows => 3);
UPDATE asked SET most = (SELECT max(sensitivity) FROM dpsens.explain(query));
\ir moved.psql
SELECT cmp_ok(max(by), '>', 0::float8, 'something moves') FROM moved WHERE number < 6 GROUP BY number ORDER BY number;
-- with the noise of rows that only come or go this would be too little
SELECT cmp_ok(max(by), '>', 1::float8, 'rows go from group to group') FROM moved WHERE number BETWEEN 6 AND 8;
SELECT dpsens.protect('orders', unit => 'customer', max_rows => 200), dpsens.protect('lines', unit => 'orders.customer', max_rows => 500);

-- ---- what is refused ----

\ir refused.psql
CREATE FUNCTION looks() RETURNS boolean STABLE LANGUAGE sql AS 'SELECT EXISTS (SELECT FROM semijoins_tap.lines)';
SELECT refused(query, message) FROM (VALUES
    -- other units have a say
    ('SELECT dp_count(*) FROM lines l WHERE EXISTS (SELECT FROM lines m WHERE m.seller = l.seller AND m.line <> l.line)', '%subquery of relation "lines"%same unit%'),
    ('SELECT dp_count(*) FROM lines l WHERE NOT EXISTS (SELECT FROM lines m WHERE m.seller = l.seller AND m.line < l.line)', '%subquery of relation "lines"%same unit%'),
    ('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer > c.id)', '%subquery of relation "orders"%same unit%'),
    ('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id OR status = ''F'')', '%same unit%'),
    ('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders WHERE status = ''F'')', '%same unit%'),
    ('SELECT dp_count(*) FROM customers c WHERE nation IN (SELECT customer FROM orders)', '%same unit%'),
    ('SELECT dp_count(*) FROM customers c WHERE id NOT IN (SELECT nation FROM customers)', '%same unit%'),
    ('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM lines l WHERE l."order" = c.id)', '%same unit%'),
    ('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM strangers s WHERE s.x = c.id)', '%same unit%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l.line = o.id)', '%same unit%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l, orders p WHERE l."order" = p.id AND p.status = o.status)', '%same unit%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l, lines m WHERE l."order" = o.id AND m.seller = l.seller)', '%same unit%'),
    -- an equality that holds for some rows only
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE (l."order" = o.id) = late)', '%same unit%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE NOT l."order" = o.id)', '%same unit%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" + 0 = o.id)', '%same unit%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM nations n LEFT JOIN lines l ON l."order" = o.id)', '%optional side%'),
    ('SELECT dp_count(*) FROM orders o WHERE id NOT IN (SELECT CASE WHEN late THEN "order" END FROM lines)', '%same unit%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id) OR o.id IN (SELECT seller FROM lines)', '%same unit%'),
    -- what a subquery must be
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id LIMIT 1)', 'LIMIT%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id OFFSET 3)', 'LIMIT%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (SELECT "order" FROM lines GROUP BY "order" HAVING count(*) > 3)', '%GROUP BY%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT count(*) FROM lines l WHERE l."order" = o.id)', '%aggregates%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (SELECT "order" FROM lines UNION SELECT 3)', 'UNION%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (SELECT "order" FROM lines EXCEPT SELECT id FROM nations)', 'UNION%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (SELECT u.id FROM (SELECT id FROM customers UNION ALL SELECT id FROM strangers) u)', 'UNION ALL in a subquery%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (WITH w AS (SELECT "order" FROM lines) SELECT * FROM w)', 'WITH%'),
    ('WITH w AS (SELECT "order" FROM lines) SELECT dp_count(*) FROM orders o WHERE id IN (SELECT "order" FROM w)', '%WITH%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (SELECT DISTINCT ON (seller) "order" FROM lines)', 'DISTINCT%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (SELECT first_value("order") OVER (PARTITION BY seller) FROM lines)', 'a window function%'),
    ('SELECT dp_count(*) FROM orders o WHERE id IN (SELECT generate_series(1, "order") FROM lines)', 'a set-returning function%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l TABLESAMPLE system (50) WHERE l."order" = o.id)', 'TABLESAMPLE%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l, LATERAL (SELECT FROM nations n WHERE n.id = o.id) x WHERE l."order" = o.id)', '%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l, generate_series(1, l.seller) g WHERE l."order" = o.id AND g = 3)', '%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM (SELECT FROM lines l WHERE l."order" = o.id) x)', '%more than one level%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id AND EXISTS (SELECT FROM lines m WHERE m."order" = o.id))', '%inside of a subquery%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT WHERE o.id IN (SELECT "order" FROM lines))', '%without FROM%'),
    ('SELECT dp_count(*) FROM orders o WHERE 3 < (SELECT count(*) FROM lines l WHERE l."order" = o.id)', '%other than EXISTS and IN%'),
    ('SELECT dp_count(*) FROM orders o WHERE id = (SELECT "order" FROM lines l WHERE l."order" = o.id AND line = 1)', '%other than EXISTS and IN%'),
    ('SELECT dp_count(*) FROM orders o WHERE 3 < ALL (SELECT seller FROM lines l WHERE l."order" = o.id)', '%other than EXISTS and IN%'),
    ('SELECT dp_count(*) FROM orders o WHERE (id IN (SELECT "order" FROM lines)) IS NULL', '%other than EXISTS and IN%'),
    ('SELECT dp_count(*) FROM orders o WHERE CASE WHEN EXISTS (SELECT FROM lines l WHERE l."order" = o.id) THEN 1 / (id - 3) > 0 END', '%other than EXISTS and IN%'),
    ('SELECT dp_count(*) FROM orders o LEFT JOIN nations n ON n.id = o.shop AND EXISTS (SELECT FROM lines l WHERE l."order" = o.id)', '%optional side%'),
    ('SELECT dp_count(*) FILTER (WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id)) FROM orders o', '%FILTER%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id AND semijoins_tap.looks())', 'function%looks%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id AND random() < 0.5)', 'function%random%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id AND l.ctid > ''(0,1)'')', 'a system column%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l JOIN pg_class p ON p.reltuples > 1000 WHERE l."order" = o.id)', '%"pg_class"%'),
    ('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l JOIN dpsens.releases r ON r.epsilon > 3 WHERE l."order" = o.id)', '%')
) AS list (query, message);

-- another server would be asked
CREATE FOREIGN DATA WRAPPER semijoins_tap_fdw;
CREATE SERVER semijoins_tap_server FOREIGN DATA WRAPPER semijoins_tap_fdw;
CREATE TABLE places (id int) PARTITION BY RANGE (id);
CREATE TABLE near PARTITION OF places FOR VALUES FROM (0) TO (10);
CREATE FOREIGN TABLE away PARTITION OF places FOR VALUES FROM (10) TO (20) SERVER semijoins_tap_server;
SELECT refused('SELECT dp_count(*) FROM orders o JOIN customers c ON c.id = customer WHERE shop IN (SELECT id FROM places)', '%"places"%stored elsewhere%');
DROP TABLE places;
DROP FOREIGN DATA WRAPPER semijoins_tap_fdw CASCADE;

-- the foreign key names one row of this key; the counted relation has another
CREATE TABLE old_orders () INHERITS (orders);
INSERT INTO old_orders SELECT id, 90, day, status, shop FROM orders WHERE id = 1;
SELECT refused('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id)', '%"orders"%unique index%');
DROP TABLE old_orders;
ALTER TABLE orders ALTER customer DROP NOT NULL;
SELECT refused('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id)', '%may be NULL%');
ALTER TABLE orders ALTER customer SET NOT NULL;

-- adjacencies
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'replace'), dpsens.protect('orders', unit => 'customer', adjacency => 'replace', max_rows => 200);
SELECT is(sensitivities('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id)'), '{1}', 'replace: who is found');
SELECT refused('SELECT dp_count(*) FROM customers c WHERE NOT EXISTS (SELECT FROM orders o WHERE o.customer = c.id)', '%under NOT%replace%');
SELECT refused('SELECT dp_count(*) FROM customers c WHERE balance > 3 OR EXISTS (SELECT FROM orders o WHERE o.customer = c.id)', '%beside OR%replace%');
SELECT dpsens.set_public('customers', 'nation'), dpsens.set_values('customers', 'nation', '1', '2', '3', '4', '5');
SELECT is(sensitivities('SELECT nation, dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id) GROUP BY nation'), '{2}', 'replace: an order can become that of a customer of another group');
SELECT refused('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM lines l JOIN orders o ON o.id = l."order" WHERE o.customer = c.id)', '%different adjacencies%');
SELECT dpsens.clear('customers', 'nation');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'attribute'), dpsens.protect('orders', unit => 'customer', adjacency => 'attribute');
SELECT refused('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id)', '%about single columns%');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'metric'), dpsens.protect('orders', unit => 'customer', adjacency => 'metric');
SELECT refused('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id)', '%about single columns%');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'add_remove'), dpsens.protect('orders', unit => 'customer', adjacency => 'add_remove', max_rows => 200);
CREATE TABLE nobodys (id int PRIMARY KEY);
SELECT dpsens.protect('nobodys');
SELECT refused('SELECT dp_count(*) FROM nobodys s WHERE EXISTS (SELECT FROM orders o WHERE o.customer = s.id)', '%same unit%');

-- ---- views, who may read what, who pays ----

CREATE ROLE semijoins_tap_owner;
CREATE ROLE semijoins_tap_ana;
GRANT USAGE ON SCHEMA semijoins_tap TO semijoins_tap_owner, semijoins_tap_ana;
GRANT SELECT ON customers, orders, lines TO semijoins_tap_owner;
GRANT SELECT ON nations TO semijoins_tap_ana;
CREATE VIEW buyers AS SELECT * FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND status = 'F');
CREATE VIEW late_lines WITH (security_barrier) AS SELECT * FROM lines WHERE late;
SELECT same('SELECT dp_count(*) FROM buyers');
SELECT same('SELECT dp_count(*) FROM buyers JOIN nations n ON n.id = nation');
SELECT same('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM late_lines l WHERE l."order" = o.id)');
SELECT dpsens.set_public('nations');
SELECT dpsens.grant_budget('customers', 'semijoins_tap_ana', epsilon => 100), dpsens.grant_budget('orders', 'semijoins_tap_ana', epsilon => 100);
SET ROLE semijoins_tap_ana;
SET dpsens.epsilon = 1;
SELECT lives_ok('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND o.day > ''2020-03-01'')', 'an analyst asks');
SELECT lives_ok('SELECT dp_count(*) FROM customers c WHERE nation IN (SELECT id FROM nations WHERE far)', 'an analyst asks of a public relation');
SELECT throws_like('SELECT dp_count(*) FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id)', 'permission denied for table lines', 'without a budget on what the subquery reads');
SELECT throws_like('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND o.status = ANY (string_to_array(o.status, '','')))', '%in a condition is not supported for a role%', 'a condition inside that is not known to be total');
SELECT throws_like('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM nations n WHERE n.id = c.nation AND n.name ~ repeat(n.name, c.id))', '%in a condition is not supported for a role%', 'of a public relation, too');
SELECT lives_ok('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND 1 / (o.id - 5) > 0 AND 1 / (c.id - 7) >= 0)', 'what could fail is attempted');
RESET ROLE;
SELECT is(sum(epsilon), 2::float8, 'the relation of the subquery pays') FROM dpsens.releases WHERE role = 'semijoins_tap_ana' AND relation LIKE '%orders';
SELECT is(sum(epsilon), 3::float8, 'and that which is counted') FROM dpsens.releases WHERE role = 'semijoins_tap_ana' AND relation LIKE '%customers';
SELECT same('SELECT dp_count(*) FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND 1 / (o.id + 5) > -1 AND 1 / c.id >= 0)');
-- row-level security of what a subquery reads
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON orders USING (status <> 'F');
SET dpsens.noise = off;
SET ROLE semijoins_tap_owner;
SELECT dp_count(*)::int AS seen FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND o.day < '2020-02-01') \gset
SELECT is(:seen, (SELECT count(*)::int FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND o.day < '2020-02-01')), 'row-level security');
RESET ROLE;
RESET dpsens.noise;
SELECT isnt(:seen, (SELECT count(*)::int FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND o.day < '2020-02-01')), 'which hides some');
ALTER TABLE orders DISABLE ROW LEVEL SECURITY;
-- a plan that was made before
PREPARE late AS SELECT dp_count(*) > -1000 FROM orders o WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id);
SELECT lives_ok('EXECUTE late', 'prepared');
ALTER TABLE lines DROP CONSTRAINT lines_order_fkey;
SELECT throws_like('EXECUTE late', 'nothing says whom the rows%', 'the foreign key is gone');
DEALLOCATE late;
-- arms of a union must not share what they read
CREATE TABLE visits (id int PRIMARY KEY REFERENCES customers);
INSERT INTO visits SELECT i FROM generate_series(1, 30) i;
SELECT dpsens.protect('visits', unit => 'id');
SELECT same('SELECT dp_count(*) FROM (SELECT id FROM customers c WHERE EXISTS (SELECT FROM orders o WHERE o.customer = c.id) UNION ALL SELECT id FROM visits) s');
SELECT refused('SELECT dp_count(*) FROM (SELECT id FROM customers c WHERE EXISTS (SELECT FROM visits v WHERE v.id = c.id) UNION ALL SELECT id FROM visits) s', '%reads a protected relation twice%');

SELECT * FROM finish();
DROP SCHEMA semijoins_tap CASCADE;
DROP OWNED BY semijoins_tap_owner, semijoins_tap_ana;
DROP ROLE semijoins_tap_owner, semijoins_tap_ana;
