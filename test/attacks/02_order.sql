-- Row 2: the order of a floating-point sum.  Whoever chooses the order, or the
-- plan, must not choose the rounding; noise is off, so that it would be seen.
\ir start.sql
CREATE TABLE clinic.forwards (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO clinic.forwards SELECT i, CASE i % 3 WHEN 0 THEN 1e15 WHEN 1 THEN 0.1 ELSE -1e15 END FROM generate_series(1, 3000) i;
CREATE TABLE clinic.backwards (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO clinic.backwards SELECT * FROM clinic.forwards ORDER BY x, id DESC;
DO $$ BEGIN
    PERFORM dpsens.protect(r), dpsens.set_range(r, 'x', -1e15, 1e15) FROM unnest('{forwards, backwards}'::regclass[]) r;
END $$;
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT is((SELECT dp_sum(x) FROM forwards), (SELECT dp_sum(x) FROM backwards), 'the order of rows');
SELECT isnt((SELECT sum(x) FROM forwards), (SELECT sum(x) FROM backwards), 'the order of rows: seen in a plain sum');
SELECT is((SELECT dp_sum(x) FROM forwards), (SELECT dp_sum(x) FROM (SELECT * FROM forwards ORDER BY x) s), 'ORDER BY below');
SELECT isnt((SELECT sum(x) FROM forwards), (SELECT sum(x) FROM (SELECT * FROM forwards ORDER BY x) s), 'ORDER BY below: seen in a plain sum');
SET max_parallel_workers_per_gather = 0;
SELECT dp_sum(x) AS serial FROM forwards \gset
RESET max_parallel_workers_per_gather;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT is((SELECT dp_sum(x) FROM forwards), :'serial'::float8, 'a parallel plan');
DROP TABLE clinic.forwards, clinic.backwards;
SELECT * FROM finish();
