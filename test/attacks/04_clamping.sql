-- Row 4: cells beyond their range, and slips in the formula of the sensitivity.
\ir start.sql
CREATE TABLE clinic.far (id int PRIMARY KEY, x float8 NOT NULL, k int NOT NULL);
INSERT INTO clinic.far SELECT i, 1, 1 FROM generate_series(1, 100) i;
CREATE TABLE clinic.farther (LIKE clinic.far);
INSERT INTO clinic.farther SELECT * FROM clinic.far UNION ALL VALUES (142, 1e300, 2147483647);
DO $$ BEGIN
    PERFORM dpsens.protect(r), dpsens.set_range(r, 'x', -2, 3), dpsens.set_range(r, 'k', -2, 3) FROM unnest('{far, farther}'::regclass[]) r;
END $$;
CREATE FUNCTION lab.reach(aggregate text, summand text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    near float8;
    far float8;
BEGIN
    EXECUTE format('SELECT %s(%s) FROM far', aggregate, summand) INTO near;
    EXECUTE format('SELECT %s(%s) FROM farther', aggregate, summand) INTO far;
    RETURN abs(far - near);
END $$;
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT unnest(ARRAY[cmp_ok(lab.reach('dp_sum', summand), '<=', bound, 'one cell moves little: ' || summand),
    cmp_ok(lab.reach('sum', summand), '>', bound * 1000, 'one cell moves little: ' || summand || ': open to others')])
FROM (VALUES ('x', 3::float8), ('x * 2', 6), ('x - 1', 3), ('k::float8', 3), ('k::float8 * k', 9), ('x + k', 6)) list (summand, bound);
RESET dpsens.noise;
-- the largest magnitude, not the length of the range, nor one end twice
SELECT dpsens.set_range('far', 'x', -5, 3) \gset
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_sum(x, 1) FROM far')), 5::float8, 'the magnitude of the lower end');
SELECT dpsens.protect('far', adjacency => 'replace') \gset
SELECT is((SELECT sensitivity FROM dpsens.explain('SELECT dp_sum(x, 1) FROM far')), 8::float8, 'one value for another');
DROP TABLE clinic.far, clinic.farther;
SELECT * FROM finish();
