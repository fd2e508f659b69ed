-- Training on a query: no cell of a protected relation causes an error, or is in a message.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(51);

DROP SCHEMA IF EXISTS cells_tap CASCADE;
CREATE SCHEMA cells_tap;
SET search_path = cells_tap, public;
\ir new_model.psql
CREATE TABLE odd AS SELECT i AS id, (20 + i % 50)::numeric AS age, ARRAY[i / 400.0, 1] AS x, i % 2 AS y, '{1,2}'::float8[] AS z, '<a/>'::text AS word, '{a,b}'::text[] AS words, box '(1,1),(0,0)' AS ends FROM generate_series(1, 400) i;
ALTER TABLE odd ADD PRIMARY KEY (id);
UPDATE odd SET age = 1e400, x = '{1,-1e400}', z = '{{1,2},{3,4}}', word = '[', words = '{(}', ends = '(1e200,1e200),(0,0)' WHERE id = 7;
CREATE TABLE open_odd AS TABLE odd;
SELECT dpsens.protect('odd', unit => 'id') \g /dev/null
CREATE FUNCTION train_on(relation text, features text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM cells_tap.new_model('cells_tap', '{"input": 2, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 1}');
    EXECUTE format('CALL dpsens.train(''cells_tap'', %L, %L, ''y'', 2, 1, clip => 1, expected_rows => 300, query => %L%s)', relation, features, query, CASE WHEN relation <> 'open_odd' THEN ', epsilon => 1, delta => 1e-6' END);
    RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;

-- What has no value is NULL, and the row no example.
SELECT is(train_on('odd', '{id,a}', 'SELECT id, y, ' || q || ' AS a FROM odd'), 'trained', q)
FROM (VALUES ('1 / (id - 7)'), ('age'), ('x[2]::float8'), ('age::int'), ('ln(id - 7)'), ('(''0'' || word)::float8'), ('word::numeric'), ('z[2]'), ('(z[1:2])[1]'),
    ('cardinality(ARRAY[[1, id], [y, 2]])'), ('cardinality(z || id::float8)'), ('(ARRAY[1, id] || z::int[])[1]'), ('coalesce(nullif(id, 7), 1 / (id - 7))'),
    ('CASE WHEN y = ANY (ARRAY[1, id]) THEN 1 ELSE 2 END'), ('greatest(id, age)'), ('length(repeat(''x'', CASE id WHEN 7 THEN 300000000 ELSE 10 END))'), ('length(lpad(''x'', CASE id WHEN 7 THEN 200000000 ELSE 10 END))'), ('area(ends)'),
    ('age::numeric(3)'), ('position(word IN ''a'')'), ('substring(''abc'' FROM id FOR 1 - id)::int'), ('date ''2020-01-01'' + id * 1000000 - date ''2020-01-01'''), ('id::bit(8)::int')) v (q);
SELECT is(train_on('odd', '{a}', 'SELECT y, ARRAY[id, nullif(id, 7)] AS a FROM odd'), 'trained', 'a NULL in an array');
SELECT is(train_on('odd', '{a}', 'SELECT y, z AS a FROM odd'), 'trained', 'an array of another size');

-- A cell of 268 MB has more elements than an array of numbers of 8 bytes may have: it is not even fetched.
CREATE TABLE long (id int PRIMARY KEY, x int2[], y int);
INSERT INTO long SELECT i, CASE i WHEN 7 THEN array_fill(1::int2, ARRAY[134217727]) ELSE '{1,2}' END, i % 2 FROM generate_series(1, 10) i;
SELECT dpsens.protect('long', unit => 'id') \g /dev/null
SELECT is(train_on('long', '{x}', NULL), 'trained', 'a long array of the table');

-- A row that has no value is left out, and the others are what they are.
SET dpsens.noise = off;
SELECT is(train_on('odd', '{id,a}', 'SELECT id, y, 1.0 / (id - 7) AS a FROM odd ORDER BY sqrt(id - 8)'), 'trained', 'without noise');
CREATE TABLE parameters AS SELECT dpsens.model_parameters('cells_tap') AS all_rows, NULL::float8[] AS others;
SELECT is(train_on('odd', '{id,a}', 'SELECT id, y, 1.0 / (id - 7) AS a FROM odd WHERE id <> 7'), 'trained', 'and without that row');
UPDATE parameters SET others = dpsens.model_parameters('cells_tap');
SELECT is(all_rows, others, 'the same parameters') FROM parameters;
RESET dpsens.noise;

-- What could fail otherwise, or look at more than the row, is refused, whatever the rows are.
CREATE FUNCTION inverse(x int) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT 1.0 / (x - 7)';
CREATE FUNCTION telling(x int) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF x = 7 THEN RAISE EXCEPTION 'secret %', x; END IF; RETURN x; END $$;
CREATE FUNCTION lying() RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT avg(id) FROM cells_tap.odd); END $$;
CREATE OPERATOR ~~~> (LEFTARG = int, RIGHTARG = int, FUNCTION = int4gt);
CREATE FUNCTION later(x int, y int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'secret %', x; END $$;
CREATE OPERATOR ~~~< (LEFTARG = int, RIGHTARG = int, FUNCTION = later);
CREATE DOMAIN few AS int CHECK (VALUE <> 7);
CREATE DOMAIN given AS float8 NOT NULL;
SELECT is(train_on('odd', '{id,a}', 'SELECT id, y, ' || q), 'models cannot be trained on a query of a protected relation with ' || what, q)
FROM (VALUES
    ('inverse(id) AS a FROM odd', 'function inverse(integer)'),
    ('telling(id) AS a FROM odd', 'function telling(integer)'),
    ('1 AS a FROM odd WHERE telling(id) > 0', 'function telling(integer)'),
    ('1 AS a FROM odd WHERE id ~~~< 3', 'function later(integer,integer)'),
    ('1 AS a FROM odd ORDER BY telling(id)', 'function telling(integer)'),
    ('age * lying() AS a FROM odd', 'function lying()'),
    ('id::few AS a FROM odd', 'a cast to domain few'),
    ('(x[3])::given AS a FROM odd', 'a cast to domain given'),
    ('1 AS a FROM odd WHERE ''a'' ~ ANY (words)', 'operator ~(text,text) over this list'),
    ('1 AS a FROM odd WHERE ''a'' ~ ALL (words || word)', 'operator ~(text,text) over this list'),
    ('cardinality(ARRAY[z, x::float8[]]) AS a FROM odd', 'an expression of type double precision[]'),
    ('cardinality(ARRAY[[1, id], [1]]) AS a FROM odd', 'an expression of type integer[]'),
    ('cardinality(ARRAY[word, word]) AS a FROM odd', 'an expression of type text[]'),
    ('1 AS a FROM odd WHERE XMLPARSE(DOCUMENT word) IS DOCUMENT', 'an expression of type boolean'),
    ('1 AS a FROM odd WHERE nullif(ends, ''(2,2),(0,0)'') IS NULL', 'operator =(box,box)'),
    ('cardinality(array_fill(1, ARRAY[id])) AS a FROM odd', 'function array_fill(anyelement,integer[])'),
    ('length(regexp_replace(word, ''.'', word, ''g'')) AS a FROM odd', 'function regexp_replace(text,text,text,text)'),
    ('num_nulls(VARIADIC words) AS a FROM odd', 'function num_nulls("any")'),
    ('1 AS a FROM odd WHERE ctid < ''(1,0)''', 'a system column or a whole row'),
    ('1 AS a FROM odd WHERE odd IS NOT NULL', 'a null test of a row')) v (q, what);

-- Where nothing is protected it is SQL.
SELECT is(train_on('open_odd', '{id,a}', 'SELECT id, y, 1 / (id - 7) AS a FROM open_odd'), 'division by zero', 'an error');
SELECT is(train_on('open_odd', '{id,a}', 'SELECT id, y, telling(id) AS a FROM open_odd'), 'secret 7', 'an error of a function');

SELECT dpsens.drop_model('cells_tap') \g /dev/null
SELECT * FROM finish();
DROP SCHEMA cells_tap CASCADE;
