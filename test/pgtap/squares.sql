-- Roots of sums that are never negative: no row is left out, and none raises an error, where
-- the sum is negative by rounding.  Files: bound/relax/squares.c
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS squares CASCADE;
CREATE SCHEMA squares;
SET search_path = squares, public;
-- squares that cancel but for their last bits
CREATE TABLE measured AS
SELECT i AS id, i * 0.1::float8 AS x, i * 0.1::float8 * (1 + (i % 5 - 2) * 2.3e-16) AS y, -1::float8 AS rho FROM generate_series(1, 1000) AS i;
ALTER TABLE measured ADD PRIMARY KEY (id), ALTER x SET NOT NULL, ALTER y SET NOT NULL, ALTER rho SET NOT NULL;
\o /dev/null
SELECT dpsens.protect('measured', unit => 'id'), dpsens.set_range('measured', 'x', -200, 200), dpsens.set_range('measured', 'y', -200, 200),
	dpsens.set_range('measured', 'rho', -1, 1);
\o
SET dpsens.noise = off;
SELECT plan(9);

SELECT throws_ok('SELECT sum(sqrt(x ^ 2 - 2 * x * y + y ^ 2)) FROM measured', '2201F', NULL, 'SQL takes a root of what is negative by rounding');
SELECT ok(dp_sum(sqrt(x ^ 2 - 2 * x * y + y ^ 2), 1) BETWEEN 0 AND 1e-6, 'a sum of such roots is answered') FROM measured;
SELECT ok(dp_sum(1 + sqrt(x ^ 2 + y ^ 2 + 2 * rho * x * y), 1) BETWEEN 1000 AND 1000 + 1e-4, 'and no row is left out') FROM measured;
SELECT ok(abs(dp_sum(sqrt(x ^ 2 - x * y + y ^ 2), 1) - (SELECT sum(abs(x)) FROM measured)) < 1e-4, 'values are those of SQL') FROM measured;
SELECT throws_ok('SELECT dp_sum(sqrt(x ^ 2 + y ^ 2 + 2.0001 * rho * x * y), 1) FROM measured', '22003', NULL, 'what may be negative is refused');

\o /dev/null
SELECT dpsens.protect('measured', unit => 'id', adjacency => 'metric');
\o
SELECT ok(abs(dp_sum(sqrt(x ^ 2 - x * y + y ^ 2), 1) - (SELECT sum(abs(x)) FROM measured)) < 1e-4, 'the same under metric adjacency') FROM measured;
SELECT is((SELECT round(upper::numeric, 12) FROM dpsens.sensitivity('sqrt(x^2 - x*y + y^2 + 3*t^2)', '{"x": [-200, 200], "y": [-200, 200], "t": [-100, 100]}')
		   WHERE quantity = 'metric'), round(sqrt(3::numeric), 12), 'equivalent stress has a metric constant');
SELECT is((SELECT round(upper::numeric, 12) FROM dpsens.sensitivity('sqrt(x^2 - x*y + y^2)', '{"x": [0, 200], "y": [0, 200]}') WHERE quantity = 'supremum'),
		  200::numeric, 'and a supremum');
SELECT is((SELECT count(*) FROM jsonb_each(dpsens.certificate('sqrt(a^2 + b^2 - 2*a*b*cos(g))', '{"a": [1, 2], "b": [1, 2], "g": [0, 3]}') -> 'quantities')) > 0, true,
		  'the law of cosines has a certificate');
SELECT * FROM finish();
DROP SCHEMA squares CASCADE;
