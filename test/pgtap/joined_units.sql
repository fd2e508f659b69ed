-- Units in several tables: joins on the unit, units reached through foreign keys.
-- Files: guard/trace/row_owner.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA joined_units_tap;
SET search_path = joined_units_tap, public;
SELECT plan(64);

CREATE TABLE nations (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO nations SELECT i, 'n' || i FROM generate_series(1, 5) i;
CREATE TABLE customers (id int PRIMARY KEY, nation int NOT NULL REFERENCES nations, balance float8 NOT NULL);
INSERT INTO customers SELECT i, i % 5 + 1, i FROM generate_series(1, 100) i;
CREATE TABLE cards (customer int UNIQUE, points float8 NOT NULL);
INSERT INTO cards SELECT i, i % 10 FROM generate_series(1, 150, 2) i;
INSERT INTO cards VALUES (NULL, 5);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, day date NOT NULL, status text NOT NULL);
INSERT INTO orders SELECT i, (i * 7 + i / 100) % 100 + 1, '2020-01-01'::date + i % 365, (ARRAY['F', 'O', 'P'])[i % 3 + 1] FROM generate_series(1, 600) i;
CREATE TABLE lines (line int, "order" int REFERENCES orders, price float8 NOT NULL, discount float8 NOT NULL, note text);
INSERT INTO lines SELECT i, CASE WHEN i % 100 > 0 THEN i % 600 + 1 END, i % 50, (i % 11) / 128.0, repeat('x', i % 17) FROM generate_series(1, 2000) i;
CREATE TABLE parcels (id int, line_order int NOT NULL REFERENCES orders, weight float8 NOT NULL);
INSERT INTO parcels SELECT i, i % 600 + 1, i % 20 FROM generate_series(1, 900) i;
CREATE TABLE stock (id int PRIMARY KEY, owner text);
INSERT INTO stock SELECT i, 'o' || i FROM generate_series(1, 50) i;

SELECT dpsens.protect('customers', unit => 'id'), dpsens.protect('cards', unit => 'customer', max_rows => 3), dpsens.protect('orders', unit => 'customer', max_rows => 200);
SELECT dpsens.set_range('customers', 'balance', 0, 100), dpsens.set_range('cards', 'points', 0, 10), dpsens.set_range('lines', 'price', 0, 50), dpsens.set_range('lines', 'discount', 0, 0.1),
    dpsens.set_range('parcels', 'weight', 0, 20), dpsens.set_values('orders', 'status', 'F', 'O', 'P');
SET dpsens.epsilon = 1;

\ir same.psql

-- ---- what is declared ----

SELECT throws_ok($$SELECT dpsens.protect('lines', unit => 'stock.owner')$$, '55000', 'column "owner" is not the privacy unit of relation "stock"', 'not protected');
SELECT throws_ok($$SELECT dpsens.protect('lines', unit => 'orders.id')$$, '55000', 'column "id" is not the privacy unit of relation "orders"', 'not its unit');
SELECT throws_ok($$SELECT dpsens.protect('lines', unit => 'cards.customer')$$, '55000', 'nothing says which row of "cards" a row of "lines" belongs to', 'no foreign key');
SELECT throws_ok($$SELECT dpsens.protect('lines', unit => 'nowhere.customer')$$, '42P01', NULL, 'no such table');
SELECT lives_ok($$SELECT dpsens.protect('lines', unit => 'orders.customer', max_rows => 500)$$, 'declared');
SELECT is(label, 'UNIT BY REFERENCE', 'the label') FROM pg_seclabels WHERE objoid = 'lines'::regclass AND objsubid = 2;
SELECT is(ROW(role, missing)::text, '(unit,)', 'in the view') FROM dpsens.columns WHERE relation = 'lines'::regclass AND column_name = 'order';
SELECT throws_like($$SECURITY LABEL FOR dpsens ON COLUMN joined_units_tap.lines.order IS 'UNIT BY'$$, 'syntax error%', 'half a label');
SELECT dpsens.protect('parcels', unit => 'joined_units_tap.orders.customer', max_rows => 90);

-- ---- what is counted ----

SELECT same(query) FROM unnest(ARRAY[
    'SELECT dp_count(*), dp_sum(price * (1 - discount)) FROM lines',
    'SELECT dp_count(*) FROM lines WHERE discount < 0.05 AND price > 7',
    'SELECT dp_count(*), dp_sum(price) FROM lines JOIN orders o ON o.id = lines."order"',
    'SELECT dp_count(*), dp_sum(price) FROM orders o, lines WHERE o.id = lines."order" AND o.status = ''F''',
    'SELECT dp_sum(balance + points) FROM customers JOIN cards ON customer = id',
    'SELECT dp_count(*), dp_sum(balance) FROM orders o JOIN customers c ON c.id = o.customer WHERE o.status <> ''F''',
    'SELECT dp_count(*), dp_sum(price + balance) FROM customers c, orders o, lines l WHERE c.id = o.customer AND l."order" = o.id AND day < ''2020-07-01''',
    'SELECT dp_count(*) FROM customers c JOIN cards ON customer = id JOIN orders o ON o.customer = c.id',
    'SELECT n.name, dp_sum(price * (1 - discount)) FROM customers c, orders o, lines l, nations n WHERE c.id = o.customer AND l."order" = o.id AND n.id = c.nation GROUP BY n.name ORDER BY 1',
    'SELECT dp_count(*), dp_sum(weight) FROM parcels p JOIN orders o ON o.id = p.line_order'
]) query;
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(price) FROM lines'), '{500,25000}', 'as many as are declared');
SELECT is(sensitivities('SELECT dp_count(*) FROM customers JOIN cards ON customer = id'), '{1}', 'one each');
SELECT is(sensitivities('SELECT dp_count(*) FROM cards JOIN customers ON customer = id WHERE points > 3'), '{3}', 'the first of FROM is counted, by its limits');
SELECT is(sensitivities('SELECT dp_count(*) FROM customers c, orders o, lines l WHERE c.id = o.customer AND l."order" = o.id'), '{500}', 'the limits of what is counted');

-- limits are those of the unit that is reached
SELECT dpsens.protect('lines', unit => 'orders.customer', max_rows => 7);
SET dpsens.noise = off;
CREATE VIEW owners AS SELECT l.*, o.customer FROM lines l LEFT JOIN orders o ON o.id = l."order";
SELECT is(dp_count(*)::int, (SELECT sum(CASE WHEN customer IS NULL THEN n ELSE LEAST(n, 7) END)::int FROM (SELECT customer, count(*) AS n FROM owners GROUP BY 1) s), 'seven of each, and those without') FROM lines;
SELECT is(dp_count(*)::int, (SELECT sum(LEAST(n, 7))::int FROM (SELECT customer, count(*) AS n FROM owners WHERE customer IS NOT NULL GROUP BY 1) s), 'seven of each that is joined') FROM lines JOIN orders o ON o.id = "order";
SELECT is(dp_count(*)::int, (SELECT sum(LEAST(n, 7))::int FROM (SELECT customer,
    count(*) AS n FROM owners o JOIN customers c ON c.id = o.customer WHERE nation = 2 GROUP BY 1) s),
    'seven of each that is selected') FROM lines JOIN orders o ON o.id = "order" JOIN customers c ON c.id = o.customer WHERE nation = 2;
SET dpsens.noise = on;
SELECT dpsens.protect('lines', unit => 'orders.customer', max_rows => 500);

-- groups are selected by their customers, however many lines they have
SET dpsens.epsilon = 20;
-- each of 100 groups of one is shown with a probability of 1e-12
SET dpsens.delta = 1e-12;
SELECT dpsens.protect('lines', unit => 'orders.customer', max_rows => 500, max_groups => 1);
SELECT results_eq('SELECT o.customer % 2 FROM lines JOIN orders o ON o.id = "order" GROUP BY o.customer % 2 HAVING dp_count(*) IS NOT NULL', 'SELECT i FROM generate_series(0, 1) i', 'groups of many customers');
SELECT is_empty('SELECT o.customer, dp_count(*) FROM lines JOIN orders o ON o.id = "order" GROUP BY o.customer', 'groups of one');
RESET dpsens.delta;
SET dpsens.epsilon = 1;
SELECT dpsens.protect('lines', unit => 'orders.customer', max_rows => 500, max_groups => 0);

-- ---- references to references ----

CREATE TABLE stamps (id int, parcel int, value float8 NOT NULL);
CREATE TABLE boxes (id int PRIMARY KEY, "order" int NOT NULL REFERENCES orders);
INSERT INTO boxes SELECT i, i FROM generate_series(1, 600) i;
INSERT INTO stamps SELECT i, i % 600 + 1, 1 FROM generate_series(1, 1200) i;
ALTER TABLE stamps ADD FOREIGN KEY (parcel) REFERENCES boxes;
SELECT dpsens.protect('boxes', unit => 'orders.customer', max_rows => 100);
SELECT dpsens.protect('stamps', unit => 'boxes.order', max_rows => 4), dpsens.set_range('stamps', 'value', 0, 1);
SET dpsens.noise = off;
SELECT is(dp_count(*)::int, (SELECT sum(LEAST(n, 4))::int FROM (SELECT customer, count(*) AS n FROM stamps s JOIN boxes b ON b.id = s.parcel JOIN orders o ON o.id = b.order GROUP BY 1) s), 'two steps') FROM stamps;
SELECT is(dp_count(*)::int, (SELECT sum(LEAST(n, 4))::int FROM (SELECT customer, count(*) AS n FROM stamps s JOIN boxes b ON b.id = s.parcel JOIN orders o ON o.id = b.order GROUP BY 1) s), 'two steps, one of them joined') FROM stamps JOIN boxes b ON b.id = parcel;
SET dpsens.noise = on;

-- ---- what is refused ----

\ir refused.psql
CREATE TABLE plain (id int PRIMARY KEY, x float8);
SELECT dpsens.protect('plain');
SELECT refused(query, message) FROM (VALUES
    ('SELECT dp_count(*) FROM orders o JOIN lines l ON l.line = o.id', '%"orders"%same unit%'),
    ('SELECT dp_count(*) FROM customers c JOIN cards k ON k.customer = c.id JOIN lines l ON l.line = c.nation', '%could multiply%'),
    ('SELECT dp_count(*) FROM lines l JOIN orders o ON o.id = l.line', '%"orders"%same unit%'),
    ('SELECT dp_count(*) FROM lines l JOIN orders o ON o.id = l."order" JOIN customers c ON c.id = o.id', '%"customers"%same unit%'),
    ('SELECT dp_count(*) FROM lines l JOIN customers c ON c.id = l.line', '%"customers"%same unit%'),
    ('SELECT dp_count(*) FROM lines l JOIN parcels p ON p.line_order = l."order"', '%could multiply%'),
    ('SELECT dp_count(*) FROM lines l LEFT JOIN orders o ON o.id = l."order"', '%optional side%'),
    ('SELECT dp_count(*) FROM customers c LEFT JOIN orders o ON o.customer = c.id', '%optional side%'),
    ('SELECT dp_count(*) FROM customers c, orders o, lines l WHERE c.id = o.customer AND l."order" = o.id AND c.id = 7 OR l.line = 4', '%could multiply%'),
    ('SELECT dp_count(*) FROM customers c JOIN plain p ON p.id = c.id', '%"plain"%same unit%'),
    ('SELECT dp_count(*) FROM plain p JOIN plain q ON p.id = q.id', '%"plain"%same unit%'),
    ('SELECT dp_count(*) FROM customers c JOIN customers d ON d.id = c.nation', '%"customers"%same unit%'),
    ('SELECT dp_count(*) FROM customers c JOIN stock s ON s.id = c.id JOIN customers d ON d.id = s.id + 1', '%"customers"%same unit%')
) AS list (query, message);
SELECT dpsens.protect('cards', unit => 'customer', adjacency => 'replace', max_rows => 3);
SELECT refused('SELECT dp_count(*) FROM customers JOIN cards ON customer = id', '%different adjacencies%');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'replace');
SELECT is(sensitivities('SELECT dp_count(*), dp_sum(balance) FROM customers JOIN cards ON customer = id'), '{1,100}', 'replace: one meets, or does not');
SELECT dpsens.set_public('customers', 'nation'), dpsens.set_values('customers', 'nation', '1', '2', '3', '4', '5');
SELECT is(sensitivities('SELECT nation, dp_count(*) FROM customers GROUP BY nation'), '{0}', 'replace: how many have a public value');
SELECT is(sensitivities('SELECT nation, dp_count(*) FROM customers JOIN cards ON customer = id GROUP BY nation'), '{2}', 'replace: a card can become that of a customer of another group');
SELECT is(sensitivities('SELECT name, dp_count(*) FROM customers JOIN cards ON customer = id JOIN nations n ON n.id = nation GROUP BY name'), '{2}', 'replace: and in a group that is met');
SELECT dpsens.clear('customers', 'nation');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'attribute'), dpsens.protect('cards', unit => 'customer', adjacency => 'attribute');
SELECT refused('SELECT dp_count(*) FROM customers JOIN cards ON customer = id', '%different adjacencies, or with one%');
SELECT dpsens.protect('customers', unit => 'id', adjacency => 'add_remove'), dpsens.protect('cards', unit => 'customer', adjacency => 'add_remove', max_rows => 3);
ALTER TABLE orders ALTER customer DROP NOT NULL;
SELECT refused('SELECT dp_count(*) FROM lines l JOIN orders o ON o.id = l."order"', '%may be NULL%');
SELECT lives_ok('SELECT dp_count(*) FROM lines', 'rows without a unit by themselves');
ALTER TABLE orders ALTER customer SET NOT NULL;
SELECT dpsens.protect('lines', unit => 'orders.customer', max_rows => 0);
SELECT throws_ok('SELECT dp_count(*) FROM lines', '55000', NULL, 'without limits');
SELECT dpsens.protect('lines', unit => 'orders.customer', adjacency => 'metric', max_rows => 5);
SELECT throws_ok('SELECT dp_sum(price) FROM lines', '0A000', NULL, 'metric');
SELECT dpsens.protect('lines', unit => 'orders.customer', adjacency => 'add_remove', max_rows => 500);
ALTER TABLE lines DROP CONSTRAINT lines_order_fkey;
SELECT throws_ok('SELECT dp_count(*) FROM lines', '55000', 'nothing says whom the rows of relation "lines" belong to', 'without the foreign key');
SELECT is(missing, 'ALTER TABLE lines ADD FOREIGN KEY ("order") REFERENCES other', 'the view says so') FROM dpsens.columns WHERE relation = 'lines'::regclass AND column_name = 'order';
ALTER TABLE lines ADD CONSTRAINT lines_order_fkey FOREIGN KEY ("order") REFERENCES orders NOT VALID;
SELECT throws_ok('SELECT dp_count(*) FROM lines', '55000', 'nothing says whom the rows of relation "lines" belong to', 'with one that is not validated');
ALTER TABLE lines VALIDATE CONSTRAINT lines_order_fkey;
SELECT dpsens.unprotect('orders');
SELECT throws_ok('SELECT dp_count(*) FROM lines', '55000', 'nothing says whom the rows of relation "lines" belong to', 'without the unit');
SELECT dpsens.protect('orders', unit => 'customer', max_rows => 200);
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''lines'')', '0A000', NULL, 'row_loss');

-- ---- who pays, who may ask ----

CREATE ROLE joined_units_analyst;
GRANT USAGE ON SCHEMA joined_units_tap TO joined_units_analyst;
GRANT SELECT ON nations TO joined_units_analyst;
SELECT dpsens.grant_budget(r::regclass, 'joined_units_analyst', epsilon => e) FROM (VALUES ('lines', 10), ('orders', 5)) b (r, e);
SET ROLE joined_units_analyst;
SELECT lives_ok('SELECT dp_count(*) FROM lines WHERE price > 7', 'the unit''s table needs no budget');
SELECT lives_ok('SELECT dp_count(*), dp_sum(price) FROM lines JOIN orders o ON o.id = "order" AND status = ''F''', 'both have one');
SELECT throws_ok('SELECT dp_count(*) FROM lines JOIN orders o ON o.id = "order" JOIN customers c ON c.id = o.customer', '42501', NULL, 'one has none');
SELECT throws_ok('SELECT customer FROM orders', '42501', NULL, 'no other way');
RESET ROLE;
SELECT is(sum(round(epsilon::numeric, 3))::text, e, r || ' pays') FROM (VALUES ('lines', '3.000'), ('orders', '2.000')) v (r, e) JOIN dpsens.releases x ON x.relation LIKE '%' || r AND x.role = 'joined_units_analyst' GROUP BY r, e;
SET ROLE joined_units_analyst;
SET dpsens.epsilon = 4;
SELECT throws_like('SELECT dp_count(*) FROM lines JOIN orders o ON o.id = "order"', '%privacy budget of role%orders%', 'the smaller budget decides');
RESET ROLE;

SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA joined_units_tap CASCADE;
DROP OWNED BY joined_units_analyst;
DROP ROLE joined_units_analyst;
