-- plain.sql
--	What dpsens costs beside plain PostgreSQL, on the same rows in the same
--	session: the two take turns, after one turn of each that is not counted.  One
--	table; the same as JSON in a file.
--
--	psql -v rows=5000000 -v result=build/bench/plain.json -f bench/plain.sql
--
-- Needs a database of its own, a server that preloads dpsens, and a superuser
-- (who owns the tables, so that no budget ends the run).
\set ON_ERROR_STOP 1
\set QUIET on
\if :{?rows}
\else
\set rows 5000000
\endif
\if :{?audit_rows}
\else
\set audit_rows 300000
\endif
\if :{?repeats}
\else
\set repeats 5
\endif
\if :{?result}
\else
\set result plain.json
\endif
\set processors `nproc`
SET client_min_messages = error;
-- without noise every answer is warned of
SET log_min_messages = fatal;
\o /dev/null
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dpsens_bench CASCADE;
CREATE SCHEMA dpsens_bench;
SET search_path = dpsens_bench, public;

-- Many declared keys make a long label, so they have tables of their own.
CREATE TABLE t (k10 int NOT NULL, k1000 int NOT NULL, a float8 NOT NULL, b float8 NOT NULL, i int NOT NULL,
                n numeric(8, 2) NOT NULL, r real NOT NULL, z float8) WITH (autovacuum_enabled = off);
CREATE TABLE t5 (k int NOT NULL, s text NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE t6 (k int NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE t7 (k int NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
-- ten rows a unit, of which two count, or five of four groups
CREATE TABLE u (unit int NOT NULL, k1000 int NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
-- a tenth of the rows is of one unit; units of other types; and reached by a reference to one of rows/5 orders
CREATE TABLE us (unit int NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE ub (unit bigint NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE ut (unit text NOT NULL, k1000 int NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE ui (unit uuid NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE ur (o int NOT NULL, k1000 int NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
-- a fifth of the rows, in partitions; with an index in their order and one in another; and what rows are joined with
CREATE TABLE p (LIKE t) PARTITION BY RANGE (k10);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (3) WITH (autovacuum_enabled = off);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (3) TO (7) WITH (autovacuum_enabled = off);
CREATE TABLE p3 PARTITION OF p FOR VALUES FROM (7) TO (10) WITH (autovacuum_enabled = off);
CREATE TABLE x (id int PRIMARY KEY, k int NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE sites (id int PRIMARY KEY, w float8 NOT NULL) WITH (autovacuum_enabled = off);
CREATE TABLE none (k int NOT NULL, s text NOT NULL, a float8 NOT NULL) WITH (autovacuum_enabled = off);
-- so few rows that all there is to two workers is their start
CREATE TABLE few (a float8 NOT NULL) WITH (autovacuum_enabled = off, parallel_workers = 2);

SELECT setseed(0.25);
INSERT INTO t
SELECT g % 10, g % 1000, 1 + random(), 3 * random(), (100 * random())::int, (1000 * random())::numeric(8, 2), random()::real,
       CASE WHEN g % 10 <> 0 THEN random() END
FROM generate_series(1, :rows) AS g;
INSERT INTO t5 SELECT k, 'key ' || k, random() FROM generate_series(1, :rows) AS g, LATERAL (SELECT (hashint4(g) & 2147483647) % 100000) AS h (k);
INSERT INTO t6 SELECT (hashint4(g) & 2147483647) % 1000000, random() FROM generate_series(1, :rows) AS g;
INSERT INTO t7 SELECT g, random() FROM generate_series(0, 999999) AS g ORDER BY hashint4(g);
INSERT INTO u SELECT (hashint4(g) & 2147483647) % (:rows / 10), (hashint4(g + 1) & 2147483647) % 1000, random() FROM generate_series(1, :rows) AS g;
INSERT INTO us SELECT CASE WHEN hashint4(k1000 + 5) % 10 = 0 THEN 1 ELSE unit END, a FROM u;
INSERT INTO ub SELECT unit * 4000000000, a FROM u;
INSERT INTO ut SELECT 'person ' || unit, k1000, a FROM u;
INSERT INTO ui SELECT md5(unit::text)::uuid, a FROM u;
INSERT INTO orders SELECT i, (hashint4(i) & 2147483647) % (:rows / 10) FROM generate_series(0, :rows / 5 - 1) AS i;
INSERT INTO ur SELECT (hashint4(g + 2) & 2147483647) % (:rows / 5), (hashint4(g + 1) & 2147483647) % 1000, random() FROM generate_series(1, :rows) AS g;
INSERT INTO p SELECT * FROM t WHERE k1000 % 5 = 0;
INSERT INTO x SELECT g, (hashint4(g) & 2147483647) % 1000, random() FROM generate_series(1, :rows / 2) AS g;
INSERT INTO sites SELECT i, i / 1000.0 FROM generate_series(0, 999) AS i;
CREATE INDEX ON x (k);
ALTER TABLE ur ADD FOREIGN KEY (o) REFERENCES orders;
INSERT INTO few SELECT random() FROM generate_series(1, 100);
VACUUM (FREEZE, ANALYZE) t, t5, t6, t7, u, us, ub, ut, ui, orders, ur, p, x, sites, none, few;

SELECT dpsens.protect(name::regclass) FROM unnest(ARRAY['t', 't5', 't6', 't7', 'p', 'x', 'none', 'few']) AS name;
SELECT dpsens.protect(name::regclass, 'unit', max_rows => 5, max_rows_per_group => 2, max_groups => 4) FROM unnest(ARRAY['u', 'us', 'ub', 'ut', 'ui']) AS name;
SELECT dpsens.protect('orders', 'customer', max_rows => 5), dpsens.protect('ur', 'orders.customer', max_rows => 5, max_rows_per_group => 2, max_groups => 4);
SELECT dpsens.set_range(name::regclass, 'a', 0, 1) FROM unnest(ARRAY['u', 'us', 'ub', 'ut', 'ui', 'ur']) AS name;
SELECT dpsens.set_range('t', 'a', 1, 2), dpsens.set_range('t', 'b', 0, 3), dpsens.set_range('t', 'i', 0, 100),
       dpsens.set_range('t', 'n', 0, 1000), dpsens.set_range('t', 'r', 0, 1), dpsens.set_range('t', 'z', 0, 1),
       dpsens.set_range('t5', 'a', 0, 1), dpsens.set_range('t6', 'a', 0, 1), dpsens.set_range('t7', 'a', 0, 1), dpsens.set_range('none', 'a', 0, 1), dpsens.set_range('few', 'a', 0, 1),
       dpsens.set_range('p', 'a', 1, 2), dpsens.set_range('p', 'b', 0, 3), dpsens.set_range('p', 'i', 0, 100), dpsens.set_range('x', 'a', 0, 1), dpsens.set_range('sites', 'w', 0, 1);
CREATE FUNCTION keys(n int) RETURNS text[] LANGUAGE sql AS 'SELECT array_agg(k::text) FROM generate_series(0, n - 1) AS k';
SELECT dpsens.set_values('t', 'k10', VARIADIC keys(10)), dpsens.set_values('t', 'k1000', VARIADIC keys(1000)),
       dpsens.set_values('t5', 'k', VARIADIC keys(100000)), dpsens.set_values('t6', 'k', VARIADIC keys(1000000)), dpsens.set_values('t7', 'k', VARIADIC keys(1000000)),
       dpsens.set_values('t5', 's', VARIADIC ARRAY(SELECT 'key ' || k FROM generate_series(0, 99999) AS k)),
       dpsens.set_values('u', 'k1000', VARIADIC keys(1000)), dpsens.set_values('ut', 'k1000', VARIADIC keys(1000)), dpsens.set_values('ur', 'k1000', VARIADIC keys(1000)),
       dpsens.set_values('none', 'k', VARIADIC keys(10000)),
       dpsens.set_values('none', 's', VARIADIC ARRAY(SELECT 'key ' || k FROM generate_series(0, 999999) AS k));

SET dpsens.epsilon = 1;
SET work_mem = '256MB';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;

-- A pair of queries; {} is "dp_" or nothing.  Of what is done `times` times
-- in a turn one execution is reported.
CREATE TABLE pairs
(
    id      int GENERATED ALWAYS AS IDENTITY,
    name    text,
    query   text,
    other   text,                   -- the plain query, if it is another
    target  float8,                 -- the ratio that it should not exceed
    more    float8,                 -- or so many milliseconds above the plain query
    kind    text NOT NULL DEFAULT 'run', -- run: every setting; both: without JIT; serial: the first one; rows: the first one, of the executor's time
    times   int NOT NULL DEFAULT 1,
    settings jsonb NOT NULL DEFAULT '{}'
);
-- whole tables, which dpsens scans itself
INSERT INTO pairs (name, query, target) VALUES
    ('count(*)', 'SELECT {}count(*) FROM t', 1.15),
    ('sum(float8)', 'SELECT {}sum(a) FROM t', 1.05),
    ('sum(float8), nullable', 'SELECT {}sum(z) FROM t', 1.05),
    ('sum(int)', 'SELECT {}sum(i) FROM t', 1.05),
    ('sum(numeric)', 'SELECT {}sum(n) FROM t', 1.05),
    ('sum(real)', 'SELECT {}sum(r) FROM t', 1.05),
    ('sum(a * b / (i + 1))', 'SELECT {}sum(a * b / (i + 1)) FROM t', 0.6),
    ('sum of 9 operations', 'SELECT {}sum((a - b) * (a + 2 * b) / (1 + a * a + b * b)) FROM t', 0.6),
    ('sum(exp, ln, power)', 'SELECT {}sum(exp(a) * ln(b + 1) + power(a, 1.5)) FROM t', 0.6),
    ('sum(CASE)', 'SELECT {}sum(CASE WHEN b > 1 THEN a * b ELSE 0 END) FROM t', 0.6),
    ('sum, WHERE b > 1', 'SELECT {}sum(a) FROM t WHERE b > 1', 1.05),
    ('avg(float8)', 'SELECT {}avg(a) FROM t', 1.1),
    ('avg(numeric)', 'SELECT {}avg(n) FROM t', 1.1),
    ('variance(float8)', 'SELECT {}variance(a) FROM t', 1.1),
    ('variance(int)', 'SELECT {}variance(i) FROM t', 1.1),
    ('stddev(real)', 'SELECT {}stddev(r) FROM t', 1.1),
    ('sum, avg, variance of the same', 'SELECT {}sum(a * b), {}avg(a * b), {}variance(a * b) FROM t', 1.1);
-- the same as in any other plan, and such plans
INSERT INTO pairs (name, query, target, settings) SELECT name || ', any plan', query, new.target, '{"dpsens.enable_table_sums": "off"}'
FROM pairs JOIN (VALUES ('count(*)', 1.15), ('sum(float8)', 1.05), ('sum(a * b / (i + 1))', 0.85), ('sum(exp, ln, power)', 0.6), ('variance(float8)', 1.1)) AS new (name, target) USING (name) ORDER BY id;
INSERT INTO pairs (name, query, target, kind) VALUES
    ('partitions: count(*)', 'SELECT {}count(*) FROM p', 1.15, 'both'),
    ('partitions: sum(float8)', 'SELECT {}sum(a) FROM p', 1.05, 'both'),
    ('partitions: sum(a * b / (i + 1))', 'SELECT {}sum(a * b / (i + 1)) FROM p', 0.85, 'both'),
    ('join: count(*)', 'SELECT {}count(*) FROM p JOIN sites ON id = k1000', 1.2, 'both'),
    ('join: sum(a * w)', 'SELECT {}sum(a * w) FROM p JOIN sites ON id = k1000', 1.2, 'both'),
    -- the planner does not know that a row is in it once: rows are counted
    ('join, counted: count(*)', 'SELECT {}count(*) FROM p JOIN generate_series(0, 999) AS s ON s = k1000', 1.5, 'both'),
    ('join, counted: sum(float8)', 'SELECT {}sum(a) FROM p JOIN generate_series(0, 999) AS s ON s = k1000', 1.5, 'both');
INSERT INTO pairs (name, query, target, kind) SELECT format('%s: %s(float8)', scan, name), format('SELECT {}%s(a) FROM x WHERE %s', name, condition), new.target, 'both'
FROM (VALUES ('index scan', format('id <= %s', :rows / 8)), ('bitmap scan', 'k < 100')) AS s (scan, condition), (VALUES ('sum', 1.05), ('variance', 1.1)) AS new (name, target);
INSERT INTO pairs (name, query, target) VALUES
    ('10 groups: count(*)', 'SELECT k10, {}count(*) FROM t GROUP BY k10', 1.2),
    ('10 groups: sum', 'SELECT k10, {}sum(a) FROM t GROUP BY k10', 1.2),
    ('1,000 groups: sum', 'SELECT k1000, {}sum(a) FROM t GROUP BY k1000', 1.2),
    ('1,000 groups: sum(int)', 'SELECT k1000, {}sum(i) FROM t GROUP BY k1000', 1.2),
    ('1,000 groups: sum(numeric)', 'SELECT k1000, {}sum(n) FROM t GROUP BY k1000', 1.2),
    ('1,000 groups: 2 aggregates', 'SELECT k1000, {}sum(a), {}count(*) FROM t GROUP BY k1000', 1.2),
    ('1,000 groups: 5 aggregates', 'SELECT k1000, {}sum(a), {}count(*), {}avg(b), {}sum(a * b), {}sum(i) FROM t GROUP BY k1000', 1.2),
    -- what nothing reads, the planner leaves out of the plain query
    ('100,000 groups: sum', 'SELECT count(k), sum(s) FROM (SELECT k, {}sum(a) AS s FROM t5 GROUP BY k) AS q', 1.2),
    ('1,000,000 groups: sum', 'SELECT count(k), sum(s) FROM (SELECT k, {}sum(a) AS s FROM t6 GROUP BY k) AS q', 1.2),
    ('1,000,000 groups of one row: sum', 'SELECT count(k), sum(s) FROM (SELECT k, {}sum(a) AS s FROM t7 GROUP BY k) AS q', 1.2);
INSERT INTO pairs (name, query, target, kind) VALUES
    ('100,000 groups by strings: sum', 'SELECT count(s), sum(n) FROM (SELECT s, {}sum(a) AS n FROM t5 GROUP BY s) AS q', 1.2, 'serial');
INSERT INTO pairs (name, query, target, kind, settings)
SELECT format('%s, work_mem %s', name, memory), query, target, 'serial', jsonb_build_object('work_mem', memory)
FROM pairs, unnest(ARRAY['64MB', '4MB']) AS memory WHERE query ~ 't[567]' AND kind = 'run' ORDER BY id, memory DESC;
INSERT INTO pairs (name, query, target) VALUES
    ('units of 10 rows: count(*)', 'SELECT {}count(*) FROM u', 3),
    ('units of 10 rows: sum', 'SELECT {}sum(a) FROM u', 3),
    ('units of 10 rows, 1,000 groups: sum', 'SELECT k1000, {}sum(a) FROM u GROUP BY k1000', 5);
INSERT INTO pairs (name, query, kind, target) VALUES
    ('units, a tenth of the rows in one: sum', 'SELECT {}sum(a) FROM us', 'both', 3),
    ('units of bigint: sum', 'SELECT {}sum(a) FROM ub', 'both', 3),
    ('units of text: sum', 'SELECT {}sum(a) FROM ut', 'both', 3),
    ('units of text, 1,000 groups: sum', 'SELECT k1000, {}sum(a) FROM ut GROUP BY k1000', 'both', 5),
    ('units of uuid: sum', 'SELECT {}sum(a) FROM ui', 'both', 3),
    ('units by reference: sum', 'SELECT {}sum(a) FROM ur', 'both', 3),
    ('units by reference, 1,000 groups: sum', 'SELECT k1000, {}sum(a) FROM ur GROUP BY k1000', 'both', 5);
INSERT INTO pairs (name, query, times, kind) VALUES
    ('100 rows: sum', 'SELECT {}sum(a) FROM few', 20, 'both');
INSERT INTO pairs (name, query, times, kind, more) VALUES
    ('planning: count(*)', 'EXPLAIN SELECT {}count(*) FROM t', 200, 'serial', 0.3),
    ('planning: sum(float8)', 'EXPLAIN SELECT {}sum(a) FROM t', 200, 'serial', 0.3),
    ('planning: sum(exp, ln, power)', 'EXPLAIN SELECT {}sum(exp(a) * ln(b + 1) + power(a, 1.5)) FROM t', 200, 'serial', 0.3),
    ('planning: 1,000 groups, 5 aggregates',
     'EXPLAIN SELECT k1000, {}sum(a), {}count(*), {}avg(b), {}sum(a * b), {}sum(i) FROM t GROUP BY k1000', 100, 'serial', 0.3),
    ('planning: 100,000 groups', 'EXPLAIN SELECT k, {}sum(a) FROM t5 GROUP BY k', 50, 'serial', 0.3),
    ('planning: 1,000,000 groups', 'EXPLAIN SELECT k, {}sum(a) FROM t6 GROUP BY k', 50, 'serial', 0.3),
    ('planning: 100,000 strings', 'EXPLAIN SELECT s, {}sum(a) FROM t5 GROUP BY s', 50, 'serial', 0.3),
    ('planning: 1,000,000 strings', 'EXPLAIN SELECT s, {}sum(a) FROM none GROUP BY s', 50, 'serial', 0.3);
-- the same with nothing remembered, as in the first statement of a session that needs them
INSERT INTO pairs (name, query, other, times, kind, more, settings)
SELECT format('planning: %s, no memory', name), 'EXPLAIN ' || query, 'EXPLAIN ' || replace(query, 'dp_', ''), times, 'serial', 5,
       '{"dpsens.bracket_cache_size": "0", "dpsens.key_cache_size": "0"}'
FROM (VALUES ('sum(a * b / (i + 1))', 20, 'SELECT dp_sum(a * b / (i + 1)) FROM t'), ('sum(exp, ln, power)', 20, 'SELECT dp_sum(exp(a) * ln(b + 1) + power(a, 1.5)) FROM t'),
             ('1,000 groups', 20, 'SELECT k1000, dp_sum(a * b / (i + 1)) FROM t GROUP BY k1000'), ('100,000 groups', 5, 'SELECT k, dp_sum(a) FROM t5 GROUP BY k'),
             ('100,000 strings', 3, 'SELECT s, dp_sum(a) FROM t5 GROUP BY s')) AS q (name, times, query);
-- noise alone: the same answers with and without, per group of an empty table
INSERT INTO pairs (name, query, other, kind, more)
SELECT format('10,000 %s draws, against none', mechanism), format('%s SET dpsens.noise = on; %s', setting, query),
       format('%s SET dpsens.noise = off; %s', setting, query), 'serial', 10
FROM (VALUES ('Laplace', 'SET dpsens.mechanism = laplace;'), ('Gaussian', 'SET dpsens.mechanism = gaussian;')) AS m (mechanism, setting),
     (VALUES ('SELECT count(*) FROM (SELECT k, dp_sum(a) FROM none GROUP BY k) AS q')) AS q (query);
\o
\ir plain_audit.sql
\o /dev/null

-- Settings take turns, too, until there are enough of them, or more if they are short;
-- fewer with JIT, so that the whole takes less than ten minutes.
CREATE TABLE settings (id int, name text, workers int, jit bool, least int, most int);
INSERT INTO settings VALUES (1, 'serial', 0, false, least(3, :repeats), :repeats), (2, '2 workers', 2, false, least(3, :repeats), :repeats),
                            (3, 'serial, JIT', 0, true, least(2, :repeats), least(3, :repeats)),
                            (4, '2 workers, JIT', 2, true, least(2, :repeats), least(3, :repeats));
CREATE TABLE turns (pair int, setting int, turn int, plain float8, private float8);

CREATE FUNCTION milliseconds(query text, pair pairs) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    start timestamptz := clock_timestamp();
    plan json;
BEGIN
    IF pair.kind = 'rows' THEN
        EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
        RETURN plan -> 0 ->> 'Execution Time';
    END IF;
    FOR k IN 1 .. pair.times LOOP
        EXECUTE query;
    END LOOP;
    RETURN extract(epoch FROM clock_timestamp() - start) * 1000 / pair.times;
END $$;

CREATE PROCEDURE take_turn(p pairs, s settings, turn int) LANGUAGE plpgsql AS $$
DECLARE
    plain float8;
    private float8;
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', s.workers::text, true), set_config('jit', s.jit::text, true);
    plain := milliseconds(coalesce(p.other, replace(p.query, '{}', '')), p);
    private := milliseconds(replace(p.query, '{}', 'dp_'), p);
    INSERT INTO turns VALUES (p.id, s.id, turn, plain, private);
END $$;

CREATE PROCEDURE run() LANGUAGE plpgsql AS $$
DECLARE
    p pairs;
    s settings;
    start timestamptz;
    is_short bool;
BEGIN
    FOR p IN SELECT * FROM pairs ORDER BY id LOOP
        start := clock_timestamp();
        -- until the end of the transaction
        PERFORM set_config(key, value, true) FROM jsonb_each_text(p.settings);
        -- in turn 0, which does not count, what is read becomes warm
        FOR turn IN 0 .. (SELECT max(most) FROM settings) LOOP
            is_short := clock_timestamp() < start + interval '2 seconds';
            FOR s IN SELECT * FROM settings WHERE id <= CASE p.kind WHEN 'run' THEN 4 WHEN 'both' THEN 2 ELSE 1 END ORDER BY id LOOP
                CONTINUE WHEN turn > CASE WHEN is_short THEN s.most ELSE s.least END OR (turn = 0 AND s.id > 1);
                CALL take_turn(p, s, turn);
            END LOOP;
        END LOOP;
        COMMIT;
    END LOOP;
    DELETE FROM turns WHERE turn = 0;
END $$;
CALL run();
RESET dpsens.noise;
RESET dpsens.mechanism;

CREATE VIEW medians AS
SELECT p.id, p.name, p.query, p.target, p.more, s.id AS setting_id, s.name AS setting, count(*) AS turns,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY plain) AS plain,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY private) AS private,
       min(private / plain) AS least, max(private / plain) AS most
FROM turns JOIN pairs p ON p.id = pair JOIN settings s ON s.id = setting
GROUP BY p.id, p.name, p.query, p.target, p.more, s.id, s.name;

CREATE VIEW judged AS
SELECT *, CASE WHEN target IS NOT NULL THEN format('%s', target) WHEN more IS NOT NULL THEN format('+%s ms', more) END AS wanted,
       CASE WHEN target IS NOT NULL THEN private / plain <= target WHEN more IS NOT NULL THEN private - plain <= more END AS met
FROM medians;

CREATE FUNCTION cell(pair_id int, place int) RETURNS text LANGUAGE sql AS $$
    SELECT format('%s (%s-%s)%s', round((private / plain)::numeric, 2), round(least::numeric, 2), round(most::numeric, 2), CASE WHEN NOT met THEN ' !' END)
    FROM judged WHERE id = pair_id AND setting_id = place
$$;

-- As many processors work as there are processes, or as there are.  What a query
-- takes with workers above its share of the time without them is what it pays for
-- them: their start, what each of them has to map and to plan, states to be merged.
CREATE VIEW shares AS
SELECT id, w.plain - s.plain / p.n AS plain, w.private - s.private / p.n AS private,
       CASE WHEN name NOT LIKE 'units%' THEN w.private - s.private / p.n <= w.plain - s.plain / p.n + w.plain / 10 END AS met
FROM medians AS s JOIN medians AS w USING (id, name), (SELECT least(3, :processors)::float8) AS p (n)
WHERE s.setting_id = 1 AND w.setting_id = 2;

CREATE FUNCTION share(pair_id int) RETURNS text LANGUAGE sql AS $$
    SELECT format('%s, %s%s', round(plain::numeric, 1), round(private::numeric, 1), CASE WHEN NOT met THEN ' !' END) FROM shares WHERE id = pair_id
$$;

\o
\pset footer off
\echo :rows rows; milliseconds: medians with no workers and no JIT; ratios: of the medians and, in parentheses, the least and greatest of single turns; workers cost: milliseconds with two of them above a share of the time without, on :processors processors, plain, dpsens; "!": misses the target
SELECT m.name AS "query", round(plain::numeric, 3) AS plain, round(private::numeric, 3) AS dpsens, cell(m.id, 1) AS "ratio", wanted AS "at most",
       cell(m.id, 2) AS "2 workers", cell(m.id, 3) AS "JIT", cell(m.id, 4) AS "2 workers, JIT", share(m.id) AS "workers cost"
FROM judged AS m WHERE setting_id = 1 ORDER BY m.id;
SELECT count(*) FILTER (WHERE met IS NOT NULL) AS "figures with a target", count(*) FILTER (WHERE NOT met) AS "that miss it",
       (SELECT count(met) FROM shares) AS "costs of workers", (SELECT count(*) FROM shares WHERE NOT met) AS "above plain's"
FROM judged;

\t on
\pset format unaligned
\o :result
SELECT jsonb_pretty(jsonb_build_object('rows', :rows, 'audit_rows', :audit_rows, 'version', version(),
       'workers_cost_ms', (SELECT jsonb_agg(jsonb_build_object('name', name, 'plain', s.plain, 'dpsens', private, 'met', met) ORDER BY id) FROM shares AS s JOIN pairs USING (id)), 'results',
       jsonb_agg(jsonb_build_object('name', name, 'query', query, 'setting', setting, 'turns', turns, 'plain_ms', plain,
                                    'dpsens_ms', private, 'target', wanted, 'met', met, 'ratio', private / plain, 'ratio_least', least, 'ratio_most', most)
                 ORDER BY id, setting_id)))
FROM judged;
\o
DROP SCHEMA dpsens_bench CASCADE;
