-- scale.sql
--	Times of private answers over tables of several sizes, for bench/scale.pl: rows,
--	columns, operations, groups and workers of each query, and the median of its
--	milliseconds, as lines of numbers.
--
--	psql -v rows=1000000 -f bench/scale.sql
--
-- Needs a database of its own, a server that preloads dpsens, and a superuser.
\set ON_ERROR_STOP 1
\set QUIET on
SET client_min_messages = error;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dpsens_scale CASCADE;
CREATE SCHEMA dpsens_scale;
SET search_path = dpsens_scale, public;

-- Many declared keys make a long label, so those of 10,000 groups are apart.
CREATE FUNCTION make_table(name text, rows bigint, groups int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (k int NOT NULL, a1 float8 NOT NULL, a2 float8 NOT NULL, a3 float8 NOT NULL, a4 float8 NOT NULL) WITH (autovacuum_enabled = off)', name);
    EXECUTE format('INSERT INTO %I SELECT (hashint8(g) & 2147483647) %% %s, random(), random(), random(), random() FROM generate_series(1, %s) AS g', name, groups, rows);
    PERFORM dpsens.protect(name::regclass);
    PERFORM dpsens.set_range(name::regclass, 'a' || i, 0, 1) FROM generate_series(1, 4) AS i;
    IF groups > 1 THEN
        PERFORM dpsens.set_values(name::regclass, 'k', VARIADIC array_agg(k::text)) FROM generate_series(0, groups - 1) AS k;
    END IF;
END $$;

SELECT setseed(0.25);
CREATE TABLE sizes (name text, rows bigint, groups int);
INSERT INTO sizes SELECT format('t_%s_%s', rows, groups), rows, groups
FROM unnest(ARRAY[:rows / 4, :rows / 2, :rows, 2 * :rows, 4 * :rows]) AS rows, unnest(ARRAY[1, 100, 10000]) AS groups
WHERE groups = 1 OR rows BETWEEN :rows / 2 AND 2 * :rows;
SELECT make_table(name, rows, groups) FROM sizes;
SELECT format('VACUUM (FREEZE, ANALYZE) %I', name) FROM sizes \gexec

-- An expression of so many columns and operations.
CREATE FUNCTION expression(columns int, operations int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    text text := 'a1';
BEGIN
    FOR i IN 1 .. operations LOOP
        text := format(CASE i % 3 WHEN 1 THEN '(%s + a%s)' WHEN 2 THEN '(%s * a%s)' ELSE '(%s - a%s / %s)' END, text, i % columns + 1, i + 1.5);
    END LOOP;
    RETURN text;
END $$;

CREATE TABLE cells (id int GENERATED ALWAYS AS IDENTITY, name text, rows bigint, columns int, operations int, groups int, workers int);
INSERT INTO cells (name, rows, columns, operations, groups, workers)
SELECT name, rows, columns, operations, groups, workers
FROM sizes, (VALUES (0, 0), (1, 0), (1, 2), (2, 1), (2, 9), (4, 3), (4, 12)) AS e (columns, operations), generate_series(0, 2) AS workers
WHERE (groups = 1 OR (columns, operations) IN ((1, 0), (2, 9), (4, 3)))
    AND (workers = 0 OR (columns, operations) IN ((1, 0), (2, 9)))
    AND (rows <= :rows OR ((columns, operations) IN ((2, 9), (4, 3)) AND workers IN (0, 1)));

CREATE FUNCTION question(c cells) RETURNS text LANGUAGE sql AS $$
    SELECT format(CASE WHEN (c).groups = 1 THEN 'SELECT %s FROM %I' ELSE 'SELECT count(*) FROM (SELECT k, %s FROM %I GROUP BY k) AS q' END,
                  CASE WHEN (c).columns = 0 THEN 'dp_count(*)' ELSE format('dp_sum(%s)', expression((c).columns, (c).operations)) END, (c).name)
$$;
CREATE FUNCTION milliseconds(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    start timestamptz := clock_timestamp();
BEGIN
    EXECUTE query;
    RETURN extract(epoch FROM clock_timestamp() - start) * 1000;
END $$;
CREATE TABLE turns (cell int, turn int, ms float8);
CREATE PROCEDURE run() LANGUAGE plpgsql AS $$
DECLARE
    c cells;
    ms float8;
BEGIN
    FOR turn IN 0 .. 3 LOOP
        FOR c IN SELECT * FROM cells ORDER BY id LOOP
            PERFORM set_config('max_parallel_workers_per_gather', c.workers::text, false);
            ms := milliseconds(question(c));
            IF turn > 0 THEN
                INSERT INTO turns VALUES (c.id, turn, ms);
            END IF;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
SET dpsens.epsilon = 1;
SET jit = off;
SET work_mem = '256MB';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CALL run();

\o
\t on
\pset format unaligned
\pset fieldsep ' '
SELECT rows, columns, operations, groups, workers, (percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))::numeric(12, 3)
FROM cells JOIN turns ON cell = id GROUP BY id, rows, columns, operations, groups, workers ORDER BY id;
\o /dev/null
DROP SCHEMA dpsens_scale CASCADE;
