-- Ways to an answer with too little noise, or to a value without any, that a
-- careless build leaves open.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA dpsens_attacks;
SET search_path = dpsens_attacks, public;
SET dpsens.epsilon = 1;
\set SHOW_CONTEXT never

CREATE TABLE t (id int PRIMARY KEY, w float8 NOT NULL, flag boolean NOT NULL, secret boolean NOT NULL);
INSERT INTO t SELECT i, i % 50, i % 2 = 0, i = 42 FROM generate_series(1, 1000) AS i;
SELECT dpsens.protect('t', adjacency => 'replace');
SELECT dpsens.set_range('t', 'w', 0, 50);

-- A function that reads the table again, whatever it says of itself.
CREATE FUNCTION leak() RETURNS boolean STABLE LANGUAGE sql
    AS $$ SELECT EXISTS (SELECT FROM dpsens_attacks.t WHERE id = 42 AND secret) $$;
CREATE FUNCTION leak_immutable(boolean) RETURNS boolean IMMUTABLE LANGUAGE plpgsql
    AS $$ BEGIN RETURN (SELECT secret FROM dpsens_attacks.t WHERE id = 42); END $$;
CREATE OPERATOR !? (RIGHTARG = boolean, FUNCTION = leak_immutable);
SELECT dp_count(*) FROM t WHERE leak();
SELECT dp_count(*) FROM t WHERE leak_immutable(flag);
SELECT dp_count(*) FROM t WHERE !? flag;
SELECT dp_count(*) FILTER (WHERE leak()) FROM t;
SELECT dp_count(*) FROM (SELECT w, leak() AS e FROM t) AS s WHERE e;
SELECT dp_count(*) FROM t WHERE table_to_xml('t', true, false, '')::text LIKE '%<id>42</id>%';
SELECT dp_count(*) FROM t WHERE pg_relation_size('t') > 0;
SELECT dp_sum(w, (SELECT 1.0)) FROM t;
CREATE FUNCTION epsilon_of_data() RETURNS float8 IMMUTABLE LANGUAGE plpgsql
    AS $$ BEGIN RETURN (SELECT CASE WHEN secret THEN 60 ELSE 0.001 END FROM dpsens_attacks.t WHERE id = 42); END $$;
SELECT dp_sum(w, epsilon_of_data()) FROM t;
CREATE FUNCTION check_value(int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN $1 > 0; END $$;
CREATE DOMAIN watched AS int CHECK (check_value(value));
SELECT dp_count(*) FROM t WHERE id::watched > 3;
-- what looks at the clock or at settings may decide
SELECT dp_count(*) > 900 AS answered FROM t
    WHERE now() > '2020-01-01' AND current_date > '2020-01-01'::date AND current_user = session_user;

-- What the select list of a subquery computes decides as much as a WHERE.
SELECT dp_count(*) FROM (SELECT w, EXISTS (SELECT FROM t WHERE id = 42 AND secret) AS e FROM t) AS s WHERE e;
SELECT dp_count(*) FILTER (WHERE e) FROM (SELECT EXISTS (SELECT FROM t WHERE secret) AS e FROM t) AS s;
SELECT dp_count(*) FROM (SELECT w, random() AS r FROM t) AS s WHERE r < 0.1;

-- A part of a protected table is protected.
CREATE TABLE par (id int, w float8 NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE par1 PARTITION OF par FOR VALUES FROM (0) TO (100);
CREATE TABLE base (id int, w float8 NOT NULL);
CREATE TABLE child () INHERITS (base);
SELECT dpsens.protect('par'), dpsens.protect('base');
SELECT dp_count(*) FROM par WHERE EXISTS (SELECT FROM par1 WHERE id = 42);
SELECT dp_count(*) FROM par WHERE EXISTS (SELECT FROM child WHERE id = 42);
SELECT dp_count(*) FROM t WHERE EXISTS (SELECT FROM par WHERE id = 42);

-- Declared keys that have become equal: one row would count in several groups.
CREATE TABLE keyed (n numeric NOT NULL, s text NOT NULL);
SELECT dpsens.protect('keyed'), dpsens.set_values('keyed', 'n', '1.04', '1.0', '2'), dpsens.set_values('keyed', 's', 'a', 'a ');
ALTER TABLE keyed ALTER n TYPE numeric(5, 1), ALTER s TYPE char(3);
SELECT n, dp_count(*) FROM keyed GROUP BY n;
SELECT s, dp_count(*) FROM keyed GROUP BY s;

-- A boolean column under every logical operation: its two values are two rows.
CREATE FUNCTION stated(expression text, adjacency text, OUT lower float8, OUT upper float8, OUT sensitivity float8, OUT refused text)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect('t', adjacency => stated.adjacency);
    SELECT e.lower, e.upper, e.sensitivity INTO lower, upper, sensitivity
        FROM dpsens.explain(format('SELECT dp_sum(%s, 1) FROM t', expression)) AS e;
EXCEPTION WHEN OTHERS THEN
    refused = SQLERRM;
END $$;
SET extra_float_digits = -3;
SELECT expression, adjacency, (stated(expression, adjacency)).*
FROM unnest(ARRAY['flag::int * 100', '(NOT flag)::int * 100', '(flag AND w > 3)::int * 100', '(flag OR w > 3)::int * 100',
                  '(flag = secret)::int * 100', '(flag <> secret)::int * 100', '(flag IS TRUE)::int * 100',
                  'CASE WHEN flag THEN 100 ELSE 0 END', 'CASE WHEN NOT flag THEN 100 ELSE 0 END',
                  'CASE WHEN flag AND secret THEN 100 ELSE 0 END', 'coalesce(nullif(flag, true)::int, 7) * 100']) AS expression,
     unnest(ARRAY['add_remove', 'replace', 'attribute', 'metric']) AS adjacency;

-- A condition on a column jumps, however short the distance.
CREATE TABLE m (id int PRIMARY KEY, d date NOT NULL, s text NOT NULL, n numeric NOT NULL);
SELECT dpsens.protect('m', adjacency => 'metric'), dpsens.set_range('m', 'd', '2020-01-01', '2021-01-01', 1e-7);
SELECT dp_sum((d > '2020-03-01')::int * 10) FROM m;
SELECT dp_sum((s = 'A')::int * 10) FROM m;
-- numeric cells are rounded to double precision: 1e12 + 0.0001 cannot be told from its neighbours
SELECT dpsens.set_range('m', 'n', 1e12, 1e12 + 0.001);
SELECT dp_sum(n) FROM m;

-- A generated column moves with its sources, and shows them.
CREATE TABLE gen (a float8 NOT NULL, b float8 NOT NULL GENERATED ALWAYS AS (a * 2) STORED);
SELECT dpsens.protect('gen', adjacency => 'attribute'), dpsens.set_range('gen', 'a', 0, 1), dpsens.set_range('gen', 'b', 0, 2);
SELECT dp_sum(a + b) FROM gen;
SELECT dpsens.set_public('gen', 'b'), dpsens.protect('gen', adjacency => 'replace');
SELECT sensitivity FROM dpsens.explain('SELECT dp_sum(b) FROM gen');

-- Expressions that would take the stack or the time of everybody.
SELECT count(*) FROM dpsens.sensitivity(
    (SELECT 'CASE WHEN a IN (' || string_agg(i::text, ',') || ') THEN 1 ELSE 0 END' FROM generate_series(1, 100000) AS i),
    '{"a": [0, 10]}');
SELECT count(*) FROM dpsens.gradient(
    (SELECT 'greatest(' || string_agg('a + ' || i, ',') || ')' FROM generate_series(1, 4000) AS i), '{"a": [0, 1]}');
-- one that has no end, so that it is the timeout that ends it
SET dpsens.max_boxes = 2000000000;
SET dpsens.tolerance = 1e-12;
SET statement_timeout = '1s'; -- clock: nothing else can end it
SELECT count(*) FROM dpsens.sensitivity(
    'sin(a*b*c)*cos(b*c*d)*sin(c*d*e)*cos(d*e*f) + sin(a*f)*cos(b*e)*sin(c*d)',
    '{"a": [0, 50], "b": [0, 50], "c": [0, 50], "d": [0, 50], "e": [0, 50], "f": [0, 50]}');
RESET statement_timeout;
RESET dpsens.max_boxes;
RESET dpsens.tolerance;

-- A WITH query that only the surroundings of the answers refer to.
WITH c AS (SELECT 1 AS n) SELECT dp_count(*) FROM t LIMIT (SELECT n FROM c);

SET client_min_messages = warning;
DROP SCHEMA dpsens_attacks CASCADE;
