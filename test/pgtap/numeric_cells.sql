-- Numerics become the same doubles as by the server's own cast, bit for bit.
-- Files: glue/import/numeric_cell.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA numeric_tap;
SET search_path = numeric_tap, public;
SELECT plan(3);
SELECT setseed(0.25);
CREATE TABLE n (id serial, x numeric NOT NULL);
INSERT INTO n (x) SELECT sign * m::numeric * 10::numeric ^ e FROM unnest(ARRAY[-1, 1]) sign, generate_series(-40, 40) e,
    unnest('{0,1,3,7,9999,10000,10001,123456789,4503599627370497,9007199254740991,9007199254740992,9007199254740993,9007199254740995,9999999999999999,99999999999999999999}'::numeric[]) m;
INSERT INTO n (x) SELECT (random() * 2 - 1)::numeric * 10::numeric ^ (random() * 60 - 30)::int FROM generate_series(1, 20000);
INSERT INTO n (x) SELECT ((random() * 1e9)::bigint * 1000000 + (random() * 1e6)::int) / 10::numeric ^ (random() * 25)::int FROM generate_series(1, 20000);
INSERT INTO n (x) SELECT round(((random() - 0.5) * 2e6)::numeric, s) FROM generate_series(1, 3000), generate_series(0, 6) s;
INSERT INTO n (x) SELECT x::numeric(60, 30) FROM n WHERE abs(x) < 1e25 LIMIT 5000;
INSERT INTO n (x) VALUES (0.000), (-0.0), (1e130), (-1e130), (1e-130), (4.9e-324), (1.7976931348623157e308), (0.1), (100.10), (1e22), (1e23), (-1e-22), (-1e-23);
-- a long one that is kept out of line
INSERT INTO n (x) VALUES (repeat('1234567890', 2000)::numeric / 10::numeric ^ 19990);
ALTER TABLE n ALTER x SET STORAGE EXTERNAL;
INSERT INTO n (x) VALUES (repeat('987654321', 2000)::numeric / 10::numeric ^ 17995);
CREATE TABLE wide (LIKE n, x8 float8);
INSERT INTO wide SELECT id, x, x::float8 FROM n;
DO $$ BEGIN PERFORM dpsens.protect('wide'), dpsens.set_range('wide', 'x', -1e300, 1e300), dpsens.set_range('wide', 'x8', -1e300, 1e300); END $$;
SELECT cmp_ok((SELECT count(*) FROM wide), '>', 60000::bigint, 'many numbers');
SET dpsens.noise = off;
SET dpsens.epsilon = 1;
SET client_min_messages = error;
-- the comparison is made in the program, of the doubles that it reads
SELECT is((SELECT dp_count(*) FROM wide WHERE abs(x8) <= 1e300), (SELECT dp_count(CASE WHEN x = x8 THEN 1 END) FROM wide WHERE abs(x8) <= 1e300), 'programs read the same doubles');
SELECT is((SELECT dp_count(CASE WHEN x = x8 * (1 + 1e-15) THEN 1 END) FROM wide WHERE abs(x8) BETWEEN 1e-200 AND 1e200 AND id % 7 = 0), 0::bigint, 'and tell the next one from them');
SELECT * FROM finish();
DROP SCHEMA numeric_tap CASCADE;
