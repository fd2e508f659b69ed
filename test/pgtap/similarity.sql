-- dpsens.ssim and dpsens.haarpsi: values by hand, properties, and values that a program
-- of another language computed from the papers' definitions.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(63);

CREATE FUNCTION pg_temp.near(a float8, b float8, tolerance float8 DEFAULT 1e-12) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT abs(a - b) <= tolerance';
CREATE FUNCTION pg_temp.image(height int, width int) RETURNS float8[] LANGUAGE sql IMMUTABLE AS
'SELECT array_agg(0.5 + 0.5 * sin(0.3 * i + 0.11 * i * j) ORDER BY i, j) FROM generate_series(0, height - 1) i, generate_series(0, width - 1) j';
-- The same, with waves on it, and clipped.
CREATE FUNCTION pg_temp.other(height int, width int) RETURNS float8[] LANGUAGE sql IMMUTABLE AS
'SELECT array_agg(least(greatest(0.5 + 0.5 * sin(0.3 * i + 0.11 * i * j) + 0.2 * cos(1.7 * i - 0.9 * j), 0), 1) ORDER BY i, j) FROM generate_series(0, height - 1) i, generate_series(0, width - 1) j';
CREATE FUNCTION pg_temp.plain(grey float8, n int) RETURNS float8[] LANGUAGE sql IMMUTABLE AS 'SELECT array_fill(grey, ARRAY[n])';
CREATE FUNCTION pg_temp.negative(image float8[]) RETURNS float8[] LANGUAGE sql IMMUTABLE AS
'SELECT array_agg(1 - v ORDER BY k) FROM unnest(image) WITH ORDINALITY u (v, k)';

-- By another program.
CREATE TEMP TABLE reference (height int, width int, ssim float8, ssim_7 float8, haarpsi float8, negative_ssim float8, negative_haarpsi float8);
INSERT INTO reference VALUES
    (16, 20, 0.931990418438781, 0.932808787433152, 0.816506611945971, -0.977550289104728, 0.833772361935479),
    (13, 15, 0.930822762810911, 0.929113476166196, 0.877929901173386, -0.947473724328768, 0.762532749745855),
    (28, 28, 0.934118845634694, 0.934526449503627, 0.721496690647195, -0.98985426067266, 0.889138769890282);
CREATE TEMP VIEW pair AS SELECT *, height || ' x ' || width AS size, pg_temp.image(height, width) AS x, pg_temp.other(height, width) AS y FROM reference;
SELECT ok(pg_temp.near(dpsens.ssim(x, y, width), ssim), size || ': SSIM') FROM pair;
SELECT ok(pg_temp.near(dpsens.ssim(x, y, width, window_size => 7), ssim_7), size || ': SSIM with windows of 7') FROM pair;
SELECT ok(pg_temp.near(dpsens.haarpsi(x, y, width), haarpsi, 1e-11), size || ': HaarPSI') FROM pair;
SELECT ok(pg_temp.near(dpsens.ssim(x, pg_temp.negative(x), width), negative_ssim), size || ': SSIM of a negative') FROM pair;
SELECT ok(pg_temp.near(dpsens.haarpsi(x, pg_temp.negative(x), width), negative_haarpsi, 1e-11), size || ': HaarPSI of a negative') FROM pair;

-- Properties.
SELECT ok(pg_temp.near(dpsens.ssim(x, x, width), 1), size || ': an image has the SSIM 1 with itself') FROM pair;
SELECT ok(pg_temp.near(dpsens.haarpsi(x, x, width), 1, 1e-9) AND dpsens.haarpsi(x, x, width) <= 1, size || ': and the HaarPSI 1') FROM pair;
SELECT is(dpsens.ssim(x, y, width), dpsens.ssim(y, x, width), size || ': SSIM is symmetric') FROM pair;
SELECT is(dpsens.haarpsi(x, y, width), dpsens.haarpsi(y, x, width), size || ': so is HaarPSI') FROM pair;
SELECT ok(pg_temp.near(dpsens.ssim(dpsens.multiply(x, '{255}'), dpsens.multiply(y, '{255}'), width, 255), ssim), size || ': SSIM goes by the range') FROM pair;
SELECT ok(pg_temp.near(dpsens.haarpsi(dpsens.multiply(x, '{255}'), dpsens.multiply(y, '{255}'), width, 255), haarpsi, 1e-11), size || ': so does HaarPSI') FROM pair;
SELECT is(dpsens.ssim(dpsens.reshape(x, ARRAY[height, width]), dpsens.reshape(y, ARRAY[height, width])), dpsens.ssim(x, y, width), size || ': two dimensions say how many columns there are') FROM pair;
SELECT is(dpsens.haarpsi(dpsens.reshape(x, ARRAY[height, width]), y), dpsens.haarpsi(x, y, width), size || ': of one of the two are enough') FROM pair;
SELECT is(dpsens.ssim(x, y), dpsens.ssim(x, y, 28), 'what is a square needs none') FROM pair WHERE height = 28;

-- By hand.  Of one pixel there is no variance: (2 x y + C1) / (x^2 + y^2 + C1).
SELECT ok(pg_temp.near(dpsens.ssim('{0.25}', '{0.75}', window_size => 1), (2 * 0.25 * 0.75 + 0.0001) / (0.25 ^ 2 + 0.75 ^ 2 + 0.0001)), 'SSIM of one pixel');
SELECT ok(pg_temp.near(dpsens.ssim('{0,1,0.25,0.5}', '{0,0,0.75,0.5}', 2, window_size => 1),
    (1 + 0.0001 / 1.0001 + (2 * 0.25 * 0.75 + 0.0001) / (0.25 ^ 2 + 0.75 ^ 2 + 0.0001) + 1) / 4), 'and of four, each by itself');
SELECT ok(pg_temp.near(dpsens.ssim(pg_temp.plain(0.25, 256), pg_temp.plain(0.75, 256)), (2 * 0.25 * 0.75 + 0.0001) / (0.25 ^ 2 + 0.75 ^ 2 + 0.0001)), 'as of grey ones');
-- The four pixels of a window of 2 weigh the same: means 1/2 and 1/2, variances 1/4, covariance -1/4.
SELECT ok(pg_temp.near(dpsens.ssim('{0,1,0,1}', '{1,0,1,0}', window_size => 2), (-0.5 + 0.0009) / (0.5 + 0.0009)), 'SSIM of stripes and their negative');
-- Halved, a square of 2 is one pixel p, and every Haar coefficient of it and the zeros around it is p over
-- 2, 4 and 8: 255 x / 2 and 255 x / 4 are compared in both directions.
SELECT ok(pg_temp.near(dpsens.haarpsi(pg_temp.plain(0.2, 4), pg_temp.plain(0.6, 4)),
    (ln(l / (1 - l)) / 4.2) ^ 2, 1e-11), 'HaarPSI of one pixel, halved')
FROM (SELECT 1 / (1 + exp(-4.2 * ((2 * 25.5 * 76.5 + 30) / (25.5 ^ 2 + 76.5 ^ 2 + 30) + (2 * 12.75 * 38.25 + 30) / (12.75 ^ 2 + 38.25 ^ 2 + 30)) / 2)) AS l) s;
SELECT ok(pg_temp.near(dpsens.haarpsi(pg_temp.plain(0, 4), pg_temp.plain(1, 4)), (ln(l / (1 - l)) / 4.2) ^ 2, 1e-11), 'and of black and white')
FROM (SELECT 1 / (1 + exp(-4.2 * (30 / (127.5 ^ 2 + 30) + 30 / (63.75 ^ 2 + 30)) / 2)) AS l) s;

-- What does not exist is NULL.
SELECT is(dpsens.haarpsi(pg_temp.plain(0, 256), pg_temp.plain(0, 256)), NULL, 'no HaarPSI of two black images');
SELECT is(dpsens.ssim(NULL, '{1}'), NULL, 'NULL of NULL');
SELECT is(dpsens.ssim('{NULL}', '{1}', window_size => 1), NULL, 'and of a pixel that is');
SELECT is(dpsens.ssim('{NaN}', '{1}', window_size => 1), NULL, 'or is no number');
SELECT is(dpsens.haarpsi('{Infinity}', '{1}'), NULL, 'or infinite');
SELECT is(dpsens.haarpsi('{1e300}', '{1}', 1, 1e-10), NULL, 'or overflows');

-- Errors.
SELECT throws_ok($$SELECT dpsens.ssim('{1,2}', '{1}')$$, '2202E', 'images that are compared must have the same size', 'images of one size');
SELECT throws_ok($$SELECT dpsens.ssim('{{1,2}}', '{{1},{2}}')$$, '2202E', 'images that are compared must have the same size', 'and of one shape');
SELECT throws_ok($$SELECT dpsens.haarpsi('{1,2}', '{1,2}')$$, '22023', 'an image of 2 pixels is no square', 'columns are needed');
SELECT throws_ok($$SELECT dpsens.haarpsi('{1,2,3}', '{1,2,3}', 2)$$, '22023', 'an image of 3 pixels does not have 2 columns', 'that divide the image');
SELECT throws_ok($$SELECT dpsens.haarpsi('{1,2}', '{1,2}', 0)$$, '22023', 'an image of 2 pixels does not have 0 columns', 'and are some');
SELECT throws_ok($$SELECT dpsens.haarpsi('{}', '{}')$$, '54000', 'images must have between 1 and 1048576 pixels', 'of something');
SELECT throws_ok($$SELECT dpsens.haarpsi('{1}', '{1}', data_range => 0)$$, '22023', 'data_range must be greater than 0 and finite', 'white is not black');
SELECT throws_ok($$SELECT dpsens.ssim('{1}', '{1}')$$, '22023', 'windows of 11 by 11 pixels do not fit into an image of 1 by 1', 'windows fit');
SELECT throws_ok($$SELECT dpsens.ssim('{1}', '{1}', window_size => 0)$$, '22023', 'window_size must be between 1 and 101', 'and are some');

SELECT is(provolatile::text || proparallel::text, 'is', oid::regprocedure || ' is immutable and parallel safe')
FROM pg_proc WHERE pronamespace = 'dpsens'::regnamespace AND proname IN ('ssim', 'haarpsi');
SELECT * FROM finish();
ROLLBACK;
