-- Row 6: NaN, infinities, numbers near the limits, NULL.
\ir start.sql
CREATE TABLE clinic.odd (id serial PRIMARY KEY, x float8, n numeric, r float4);
INSERT INTO clinic.odd (x, n, r) SELECT 1, 1, 1 FROM generate_series(1, 10);
DO $$ BEGIN
    PERFORM dpsens.protect('odd'), dpsens.set_range('odd', 'x', 0, 2), dpsens.set_range('odd', 'n', 0, 2), dpsens.set_range('odd', 'r', 0, 2);
END $$;
INSERT INTO clinic.odd (x, n, r) SELECT cell::float8, cell::numeric, cell::float4 FROM unnest('{NaN,Infinity,-Infinity}'::text[]) cell;
INSERT INTO clinic.odd (x, n, r) VALUES (1e300, 1e100, 1e30), (-1e300, -1e100, -1e30), (1e-320, 1e-300, 1e-40), (NULL, NULL, NULL);
SET client_min_messages = error;
SET dpsens.noise = off;
SELECT unnest(ARRAY[is((SELECT dp_sum(x) FROM odd), 14::float8, 'float8: NaN counts for nothing, what is too large for the bound'),
    is((SELECT dp_sum(n) FROM odd), 14::float8, 'numeric'), is((SELECT dp_sum(r) FROM odd), 14::float8, 'real'),
    is((SELECT dp_count(x) FROM odd), 15::bigint, 'dp_count counts neither NaN nor NULL')]);
SELECT unnest(ARRAY[is((SELECT sum(x) FROM odd), 'NaN'::float8, 'float8: open to others'), is((SELECT sum(n) FROM odd), 'NaN'::numeric, 'numeric: open to others'),
    is((SELECT sum(r) FROM odd), 'NaN'::float4, 'real: open to others'), is((SELECT count(x) FROM odd), 16::bigint, 'count: open to others')]);
CREATE FUNCTION lab.sum_of(summand text) RETURNS float8 LANGUAGE plpgsql AS $$
    DECLARE v float8; BEGIN EXECUTE format('SELECT dp_sum(%s) FROM clinic.odd', summand) INTO v; RETURN v; END $$;
SELECT ok(lab.sum_of(summand) BETWEEN -1000 AND 1000, 'finite: ' || summand)
FROM unnest('{x * x,abs(x),x - x,x + n,n * x,sqrt(abs(x)),x ^ 2,r * x,exp(x)}'::text[]) summand;
-- statistics of the same odd cells, and of one column twice
SELECT lives_ok(format('SELECT %I(%s) FROM clinic.odd', proname, arguments), format('%s of %s', proname, arguments))
FROM (SELECT DISTINCT proname, pronargs FROM pg_proc WHERE proname ~ '^dp_(var|std|covar|corr|regr)' AND proname !~ '_ci$' AND proargtypes[0] = 'float8'::regtype) a,
    unnest(CASE WHEN proname ~ '^dp_(var|std)' THEN '{x,n,r}'::text[] ELSE ARRAY['x, x', 'n, n', 'x, n', 'r, x'] END) arguments WHERE pronargs = CASE WHEN proname ~ '^dp_(var|std)' THEN 1 ELSE 2 END;
DROP TABLE clinic.odd;
SELECT * FROM finish();
