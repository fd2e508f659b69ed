-- What each unit loses by a release, against computation by hand, and that what
-- cannot be computed again is paid in full.
--
-- Charges are made by another process, so one transaction sees what it caused.
-- The schema's name differs from run to run: a table that is made again under
-- its old name keeps its history.
-- Files: guard/release/describe.c, ledger/rows/contribution.c, ledger/rows/meter.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(104);

SELECT format('row_loss_tap_%s_%s', pg_backend_pid(), floor(random() * 1e9)) AS schema \gset
CREATE SCHEMA :schema;
SET search_path = :schema, public;
CREATE FUNCTION make(name text, adjacency text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id int PRIMARY KEY, x float8 NOT NULL, y float8, k text, ps int NOT NULL)', name);
    -- beyond the range, NULL, NaN, and keys that are not declared
    EXECUTE format($q$INSERT INTO %I VALUES (1, 2, 1, 'u', 1), (2, 10, -4, 'v', 1), (3, 0, NULL, 'u', 1),
        (4, 12, 3, NULL, 2), (5, 5, 'NaN', 'z', 2)$q$, name);
    PERFORM dpsens.protect(name::regclass, adjacency => adjacency), dpsens.set_range(name::regclass, 'x', 0, 10),
        dpsens.set_range(name::regclass, 'y', -4, 4), dpsens.set_values(name::regclass, 'k', 'u', 'v'),
        dpsens.set_public(name::regclass, 'ps');
END $$;
SELECT make(a || m, a) FROM unnest('{add_remove,replace,attribute,metric}'::text[]) a, unnest(ARRAY['', '_gauss']) m;

-- what the five units lose by a query on the table
CREATE FUNCTION lost(name text, query text, OUT epsilon float8[], OUT rho float8[]) LANGUAGE plpgsql AS $$
DECLARE
    epsilon_before float8[]; rho_before float8[]; n int := 0; answer record;
BEGIN
    SELECT array_agg(l.epsilon ORDER BY unit), array_agg(l.rho ORDER BY unit) INTO epsilon_before, rho_before FROM dpsens.row_loss(name::regclass) l;
    FOR answer IN EXECUTE format(query, name) LOOP n := n + 1; END LOOP;
    SELECT array_agg(l.epsilon - epsilon_before[unit::int] ORDER BY unit), array_agg(l.rho - rho_before[unit::int] ORDER BY unit)
        INTO epsilon, rho FROM dpsens.row_loss(name::regclass) l;
END $$;
-- a loss is rounded up, by little
CREATE FUNCTION about(have float8[], want float8[], description text, missing float8 DEFAULT 1e-12) RETURNS text LANGUAGE sql AS $$
    SELECT ok((SELECT bool_and(h IS NOT NULL AND h BETWEEN w - missing AND w + 1e-9) AND count(*) = 5 FROM unnest(have, want) AS t (h, w)), description)
        || CASE WHEN (SELECT bool_and(h BETWEEN w - missing AND w + 1e-9) FROM unnest(have, want) AS t (h, w)) THEN ''
            ELSE E'\n' || diag(format('have %s, want %s', have, want)) END
$$;
CREATE FUNCTION loses(name text, query text, want float8[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    have record; charged float8[];
BEGIN
    have := lost(name, query);
    RETURN NEXT about(have.epsilon, want, format('%s: epsilon of %s', name, query));
    -- at most what was charged, which is a little less than epsilon^2 / 2
    SELECT array_agg(r.charge_rho / 2::float8 ^ 40) INTO charged FROM dpsens.release r
        WHERE statement = (SELECT max(statement) FROM dpsens.release WHERE relation = name::regclass);
    IF cardinality(charged) = 1 THEN
        RETURN NEXT about(have.rho, (SELECT array_agg(least(w * w / 2, charged[1]) ORDER BY i) FROM unnest(want) WITH ORDINALITY t (w, i)), 'and its rho');
    END IF;
END $$;
SET dpsens.epsilon = 1;

SELECT loses('add_remove', query, want) FROM (VALUES
    ('SELECT dp_sum(x) FROM %I',                        '{0.2,1,0,1,0.5}'::float8[]),
    ('SELECT dp_sum(x, 0.5) FROM %I',                   '{0.1,0.5,0,0.5,0.25}'),
    ('SELECT dp_sum(y) FROM %I',                        '{0.25,1,0,0.75,0}'),
    ('SELECT dp_sum(x * y, 0.25) FROM %I',              '{0.0125,0.25,0,0.1875,0}'),
    ('SELECT dp_sum(CASE WHEN k = ''u'' THEN x ELSE 10 END) FROM %I', '{0.2,1,0,1,1}'),
    ('SELECT dp_count(*) FROM %I',                      '{1,1,1,1,1}'),
    ('SELECT dp_count(y, 0.5) FROM %I',                 '{0.5,0.5,0,0.5,0}'),
    ('SELECT dp_count(y + 1, 0.5) FROM %I',             '{0.5,0.5,0,0.5,0}'),
    ('SELECT dp_count(*) FILTER (WHERE x > 4) FROM %I', '{0,1,0,1,1}'),
    ('SELECT dp_count(*) FROM %I WHERE y IS NULL OR NOT y > 0', '{0,1,1,0,0}'),
    ('SELECT dp_count(*) FROM %I WHERE k IN (''u'', ''w'') AND x < 1', '{0,0,1,0,0}'),
    ('SELECT dp_count(*) FROM (SELECT x AS z, k AS l FROM %I WHERE k = ''u'') s WHERE z > 1', '{1,0,0,0,0}'),
    ('SELECT dp_avg(y, 0.5) FROM %I',                   '{0.5,0.5,0,0.5,0}'),
    ('SELECT k, dp_sum(x) FROM %I GROUP BY k',          '{0.2,1,0,1,0.5}'),
    ('SELECT dp_sum(x, 0.5), dp_sum(x, 0.5), dp_count(true, 0.25) FROM %I', '{0.35,0.75,0.25,0.75,0.5}'),
    -- conditions that cannot be kept may have selected any row, as one of [6, 10] here, the clamp image of what they admit
    ('SELECT dp_sum(x) FROM %I WHERE x / 2 > 3',        '{0.6,1,0.6,1,0.6}'),
    ('SELECT dp_sum(x) FROM %I WHERE k = ''u'' AND length(k) > 0', '{0.2,0,0,0,0}'),
    -- an answer that no data can change
    ('SELECT dp_sum(0 * x) FROM %I',                    '{0,0,0,0,0}')
) AS c (query, want);

SELECT loses('replace', query, want) FROM (VALUES
    ('SELECT dp_sum(x) FROM %I',                        '{0.8,1,1,1,0.5}'::float8[]),
    ('SELECT dp_sum(y) FROM %I',                        '{0.625,1,0.5,0.875,0.5}'),
    ('SELECT dp_count(*) FROM %I',                      '{0,0,0,0,0}'),
    ('SELECT dp_count(*) FROM %I WHERE ps = 1',         '{0,0,0,0,0}'),
    ('SELECT dp_count(*) FROM %I WHERE k = ''u''',      '{1,1,1,1,1}'),
    ('SELECT k, dp_sum(x) FROM %I GROUP BY k',          '{0.6,1,0.5,1,0.75}'),
    ('SELECT k, dp_count(*) FROM %I GROUP BY k',        '{1,1,1,1,1}'),
    ('SELECT dp_avg(x) FROM %I',                        '{0.8,1,1,1,0.5}'),
    ('SELECT dp_avg(y, 0.5) FROM %I',                   '{0.3125,0.5,0.25,0.4375,0.25}'),
    ('SELECT k, dp_avg(y, 0.5) FROM %I GROUP BY k',     '{0.5,0.5,0.25,0.5,0.25}')
) AS c (query, want);

-- x y on [0, 10] x [-4, 4]: D is 80, by y; the own ranges are those of one column with the other as it is
SELECT loses('attribute', query, want) FROM (VALUES
    ('SELECT dp_sum(x * y) FROM %I',                    '{0.125,1,0,0.875,0.25}'::float8[]),
    ('SELECT dp_sum(x) FROM %I',                        '{0.8,1,1,1,0.5}'),
    ('SELECT dp_count(*) FROM %I WHERE k = ''u''',      '{1,1,1,1,1}')
) AS c (query, want);

SELECT loses('metric', 'SELECT dp_sum(x) FROM %I', '{1,1,1,1,1}');

-- Gaussian noise: s^2 / 2 N^2, by the noise that was recorded
CREATE FUNCTION loses_rho(name text, query text, want float8[], want_count float8[] DEFAULT NULL) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    have float8[] := (lost(name, query)).rho;
    r dpsens.release := (SELECT r FROM dpsens.release r WHERE r.relation = name::regclass ORDER BY release DESC LIMIT 1);
    unit float8 := CASE WHEN query ~ 'dp_count' THEN 2 ^ -40 ELSE 2::float8 ^ r.grid END;
    full_rho float8 := r.charge_rho / 2::float8 ^ 40;
BEGIN
    RETURN NEXT about((SELECT array_agg(h / full_rho ORDER BY i) FROM unnest(have) WITH ORDINALITY t (h, i)),
        (SELECT array_agg(((w / (r.scales[1] * unit)) ^ 2 / 2 + coalesce((n / (r.scales[2] * 2::float8 ^ -40)) ^ 2 / 2, 0)) / full_rho ORDER BY i)
         FROM unnest(want, want_count) WITH ORDINALITY t (w, n, i)), format('%s: rho of %s', name, query),
        -- differences of sums that were rounded to 2^-40, in units of the charge
        1e-9);
    RETURN NEXT ok((SELECT bool_and(h <= full_rho * (1 + 1e-9)) FROM unnest(have) h), 'never more than what it was charged');
END $$;
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
SELECT loses_rho('add_remove_gauss', query, want, want_count) FROM (VALUES
    ('SELECT dp_sum(x) FROM %I',                        '{2,10,0,10,5}'::float8[], NULL::float8[]),
    ('SELECT dp_sum(y, 0.5) FROM %I WHERE x > 1',       '{1,4,0,3,0}', NULL),
    ('SELECT dp_count(*) FROM %I WHERE k = ''u''',      '{1,0,1,0,0}', NULL),
    -- the centre of [-4, 4] is 0
    ('SELECT dp_avg(y) FROM %I',                        '{1,4,0,3,0}', '{1,1,0,1,0}')
) AS c (query, want, want_count);
SELECT loses_rho('replace_gauss', query, want, want_count) FROM (VALUES
    ('SELECT dp_sum(y) FROM %I',                        '{5,8,4,7,4}'::float8[], NULL::float8[]),
    -- sqrt(q^2 + 10^2) <= sqrt(200), and at least the way to the other end
    ('SELECT k, dp_sum(x) FROM %I GROUP BY k',          ARRAY[sqrt(104), sqrt(200), 10, sqrt(200), sqrt(125)], NULL),
    ('SELECT dp_avg(y) FROM %I',                        '{5,8,4,7,4}', '{1,1,1,1,1}'),
    ('SELECT k, dp_count(*) FROM %I GROUP BY k',        ARRAY[sqrt(2), sqrt(2), sqrt(2), sqrt(2), sqrt(2)], NULL)
) AS c (query, want, want_count);
SELECT is((SELECT array_agg(epsilon = 'Infinity' ORDER BY unit) FROM dpsens.row_loss('add_remove_gauss')), '{t,t,t,t,t}'::bool[],
    'whoever took part in a Gaussian release has no pure epsilon');
RESET dpsens.mechanism;
RESET dpsens.delta;

-- the sum over a history is the sum of its releases
SELECT make('many', 'add_remove');
SET dpsens.epsilon = 0.125;
SELECT dp_sum(x) IS NULL, dp_sum(x, 0.25) IS NULL, dp_count(*) IS NULL FROM many;
SELECT dp_sum(x) IS NULL FROM many;
PREPARE again(float8) AS SELECT dp_sum(x, $1) FROM many WHERE x > 1;
SELECT is((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('many')) IS NOT NULL, true, 'before a prepared statement');
EXECUTE again(0.5);
BEGIN;
EXECUTE again(0.5);
ROLLBACK;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('many')), '{0.425,1.625,0.125,1.625,0.875}', 'every release counts, rolled back or not');
SELECT is((SELECT array_agg(releases ORDER BY unit) FROM dpsens.row_loss('many')), '{6,6,1,6,6}'::bigint[], 'the releases that units took part in');

-- a row is measured as it is now
UPDATE many SET x = 5 WHERE id = 2;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('many')), '{0.425,0.875,0.125,1.625,0.875}', 'without row accounting a change is not seen');

-- what is not as it was is paid in full
ALTER TABLE many RENAME COLUMN x TO renamed;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('many')), '{1.625,1.625,1.625,1.625,1.625}', 'a renamed column');
ALTER TABLE many RENAME COLUMN renamed TO x;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('many')), '{0.425,0.875,0.125,1.625,0.875}', 'and back');
ALTER TABLE many ALTER COLUMN x TYPE numeric;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('many')), '{1.625,1.625,1.625,1.625,1.625}', 'a column of another type');
ALTER TABLE many DROP COLUMN x;
SELECT about((SELECT array_agg(epsilon ORDER BY unit) FROM dpsens.row_loss('many')), '{1.625,1.625,1.625,1.625,1.625}', 'a column that is gone');

-- types that are read by the server, dates, and a type's value that is renamed
CREATE TYPE colour AS ENUM ('red', 'green');
CREATE TABLE types (id uuid PRIMARY KEY, n numeric(8,2) NOT NULL, d date NOT NULL, c colour, b boolean NOT NULL, i bigint NOT NULL);
INSERT INTO types VALUES ('00000000-0000-0000-0000-000000000001', 2.5, '1970-01-02', 'red', true, 3),
                         ('00000000-0000-0000-0000-000000000002', 10, '1970-01-11', 'green', false, 8);
DO $$ BEGIN PERFORM dpsens.protect('types'), dpsens.set_range('types', 'n', 0, 10), dpsens.set_range('types', 'd', '1970-01-01', '1970-01-11'),
    dpsens.set_range('types', 'i', 0, 8); END $$;
SET dpsens.epsilon = 1;
SELECT dp_sum(n) IS NULL, dp_sum(extract(epoch FROM d)::float8) IS NULL, dp_sum(i::float8) FILTER (WHERE b) IS NULL, dp_count(*) FILTER (WHERE c = 'red') IS NULL,
    dp_count(*) FILTER (WHERE n > 3 AND i <> 4 AND d < '1970-02-01') IS NULL FROM types;
CREATE VIEW type_losses AS SELECT array_agg(round(epsilon::numeric, 6) ORDER BY unit) AS losses FROM dpsens.row_loss('types');
SELECT is((SELECT losses FROM type_losses), ARRAY[0.25 + 0.1 + 0.375 + 1, 1 + 1 + 1 + 1]::numeric(20,6)[], 'types; labels of an enum are no text that lasts, so every row counts');
ALTER TYPE colour RENAME VALUE 'red' TO 'rouge';
SELECT is((SELECT losses FROM type_losses), ARRAY[0.25 + 0.1 + 0.375 + 1, 1 + 1 + 1 + 1]::numeric(20,6)[], 'a condition that means nothing any more counts every row');

-- names that others give: by renaming them nobody takes back what rows have lost
CREATE TABLE lasting (id int PRIMARY KEY, o oid NOT NULL, k text NOT NULL);
INSERT INTO lasting SELECT i, 0, 'k' FROM generate_series(1, 3) i;
DO $$ BEGIN PERFORM dpsens.protect('lasting'); END $$;
CREATE TABLE one ();
CREATE TABLE other ();
SELECT dp_count(*) FILTER (WHERE 'red'::text = k OR 'rouge'::colour < 'green') IS NULL, dp_count(*) FILTER (WHERE 'one'::regclass::oid < 'other'::regclass::oid) IS NULL,
    dp_count(*) FILTER (WHERE o <> 'one'::regclass) IS NULL, dp_count(*) FILTER (WHERE 'rouge'::colour = ANY ('{rouge}'::colour[])) IS NULL,
    dp_count(*) FILTER (WHERE 'name'::regtype <> 'text'::regtype) IS NULL FROM lasting;
CREATE VIEW lasting_losses AS SELECT array_agg(DISTINCT round(epsilon::numeric, 6)) AS losses FROM dpsens.row_loss('lasting');
SELECT is((SELECT losses FROM lasting_losses), '{5.000000}'::numeric[], 'conditions on labels and names count every row');
ALTER TYPE colour RENAME VALUE 'rouge' TO 'third';
ALTER TYPE colour RENAME VALUE 'green' TO 'rouge';
ALTER TYPE colour RENAME VALUE 'third' TO 'green';
ALTER TABLE one RENAME TO third;
ALTER TABLE other RENAME TO one;
ALTER TABLE third RENAME TO other;
SELECT is((SELECT losses FROM lasting_losses), '{5.000000}'::numeric[], 'also when others have the labels and names');

-- settings do not change what is recorded
CREATE TABLE settings (id int PRIMARY KEY, x float8 NOT NULL, d date, t timestamptz, b bytea);
INSERT INTO settings VALUES (1, 5, '2020-02-01', '2020-02-01 12:00+00', '\x41'), (2, 4, '2020-01-02', '2020-01-02 12:00+00', '\x42');
DO $$ BEGIN PERFORM dpsens.protect('settings'), dpsens.set_range('settings', 'x', 0, 10); END $$;
SET extra_float_digits = -15;
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'Asia/Tokyo';
SET bytea_output = escape;
SET quote_all_identifiers = on;
SELECT dp_count(true, 0.5) IS NULL, dp_sum(CASE WHEN x > 4.999999999 THEN x ELSE 0 END) IS NULL FROM settings
WHERE x > 4.999999999 AND d = '01/02/2020' AND t > '01/02/2020 20:59:59' AND t < '01/02/2020 21:00:01' AND b = 'A';
RESET extra_float_digits;
RESET DateStyle;
RESET TimeZone;
RESET bytea_output;
RESET quote_all_identifiers;
SELECT is((SELECT array_agg(round(epsilon::numeric, 6) ORDER BY unit) FROM dpsens.row_loss('settings')), '{1.000000,0.000000}'::numeric[], 'conditions mean what they meant');

-- without a key there are no names, and without rows no losses
-- columns named as whole rows are in the reading of the table
CREATE TABLE named (id int PRIMARY KEY, "row" int, row_ float8, "dpsens row" int);
INSERT INTO named VALUES (1, 1, 1, 1), (2, 2, 2, 2);
DO $$ BEGIN PERFORM dpsens.protect('named'); END $$;
SELECT results_eq('SELECT unit, epsilon FROM dpsens.row_loss(''named'') ORDER BY unit', 'VALUES (''1'', 0::float8), (''2'', 0)', 'columns may have any name');
CREATE TABLE nameless (x float8 NOT NULL);
INSERT INTO nameless VALUES (1), (10);
DO $$ BEGIN PERFORM dpsens.protect('nameless'), dpsens.set_range('nameless', 'x', 0, 10); END $$;
SELECT results_eq('SELECT unit, epsilon FROM dpsens.row_loss(''nameless'')', 'VALUES (NULL, 0::float8), (NULL, 0)', 'nothing was released');
SELECT dp_sum(x) IS NULL FROM nameless;
SELECT results_eq('SELECT unit, round(epsilon::numeric, 9), present FROM dpsens.row_loss(''nameless'') ORDER BY epsilon',
    'VALUES (NULL, 0.100000000, true), (NULL, 1.000000000, true)', 'rows without a key');
CREATE TABLE pairs (a text, b int, "odd name" float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO pairs VALUES ('x,y', 1, 2), ('\', 2, 4);
DO $$ BEGIN PERFORM dpsens.protect('pairs'), dpsens.set_range('pairs', 'odd name', 0, 10); END $$;
SELECT dp_sum("odd name") IS NULL FROM pairs WHERE "odd name" > 3;
SELECT results_eq('SELECT unit, round(epsilon::numeric, 9) FROM dpsens.row_loss(''pairs'') ORDER BY epsilon',
    $$VALUES ('x\,y,1', 0.000000000), ('\\,2', 0.400000000)$$, 'a key of two columns');

-- whose business it is
CREATE ROLE row_loss_tap_analyst;
SELECT format('GRANT USAGE ON SCHEMA %I TO row_loss_tap_analyst; GRANT SELECT ON ALL TABLES IN SCHEMA %1$I TO row_loss_tap_analyst', :'schema') \gexec
SELECT throws_ok(format('SET ROLE row_loss_tap_analyst; %s', statement), '42501', NULL, statement)
FROM unnest(ARRAY['SELECT * FROM dpsens.row_loss(''nameless'')', 'SELECT * FROM dpsens.frozen_loss', 'SELECT * FROM dpsens.row_account',
    'SELECT dpsens_internal.exact_includes(NULL, nameless) FROM nameless', 'SELECT dpsens_internal.freeze_loss()']) AS statement;
RESET ROLE;
SELECT throws_ok('SELECT dpsens_internal.exact_includes(NULL, nameless) FROM nameless', '42501', NULL, 'not even an owner calls the filter');
CREATE TABLE plain (x int);
SELECT throws_ok('SELECT * FROM dpsens.row_loss(''plain'')', '55000', 'relation "plain" is not protected', 'a table without releases');
SELECT * FROM finish();
SET client_min_messages = error;
DROP SCHEMA :schema CASCADE;
DROP OWNED BY row_loss_tap_analyst;
DROP ROLE row_loss_tap_analyst;
