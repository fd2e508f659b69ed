-- Individual losses: certified facts, hand values, and what they never do.
-- Files: audit/loss_chords.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(34);
CREATE SCHEMA losses_tap;
SET LOCAL search_path = losses_tap, public;

-- Row expressions at points, computed elsewhere with 50 digits: alpha s^2 / 2
-- sigma^2 at alpha = 2 and sigma = 1, for s = |f| and for s = |gradient|.
CREATE TABLE facts (id text, expression text, ranges jsonb, point jsonb, by_value float8, by_gradient float8);
INSERT INTO facts VALUES
    ('s01', 'a^2 + exp(2*b - a)', '{"a": [1.0, 2.0], "b": [0.5, 3.0]}', '{"a": 1.5, "b": 1.75}', 92.911402478332164, 237.6564135721373),
    ('s01', 'a^2 + exp(2*b - a)', '{"a": [1.0, 2.0], "b": [0.5, 3.0]}', '{"a": 1.25, "b": 2.21875}', 665.13865660611816, 2820.0382436454897),
    ('s01', 'a^2 + exp(2*b - a)', '{"a": [1.0, 2.0], "b": [0.5, 3.0]}', '{"a": 1.8125, "b": 0.96875}', 19.521416449142436, 11.345425798704216),
    ('s03', 'a*w/h^2', '{"a": [18.0, 100.0], "w": [30.0, 250.0], "h": [1.2, 2.2]}', '{"a": 59.0, "w": 140.0, "h": 1.69921875}', 8183949.2591933031, 11340452.263746509),
    ('s03', 'a*w/h^2', '{"a": [18.0, 100.0], "w": [30.0, 250.0], "h": [1.2, 2.2]}', '{"a": 38.5, "w": 181.0, "h": 2.01171875}', 2964896.6121590957, 2932545.50490773),
    ('s03', 'a*w/h^2', '{"a": [18.0, 100.0], "w": [30.0, 250.0], "h": [1.2, 2.2]}', '{"a": 84.5, "w": 71.0, "h": 1.63671875}', 5015726.9351072898, 7491075.619071167),
    ('s05', 'x^3 + 2*x*y + 1/y^2 + 5 + sqrt(x + ln(y)) + exp(x*y) - 2*sqrt(exp(x))', '{"x": [1.0, 1.5], "y": [1.0, 2.0]}', '{"x": 1.25, "y": 1.5}', 231.6041252983257, 362.10182510800888),
    ('s05', 'x^3 + 2*x*y + 1/y^2 + 5 + sqrt(x + ln(y)) + exp(x*y) - 2*sqrt(exp(x))', '{"x": [1.0, 1.5], "y": [1.0, 2.0]}', '{"x": 1.125, "y": 1.6875}', 225.63214886046541, 383.09341156623259),
    ('s05', 'x^3 + 2*x*y + 1/y^2 + 5 + sqrt(x + ln(y)) + exp(x*y) - 2*sqrt(exp(x))', '{"x": [1.0, 1.5], "y": [1.0, 2.0]}', '{"x": 1.40625, "y": 1.1875}', 206.1454353285265, 257.61807787930138),
    ('s08', 'ln(3 + sqrt(exp((a - b + c)^b))/(a - b + c)) * a^(-b)', '{"a": [0.5, 1.5], "b": [1.5, 2.5], "c": [2.5, 3.5]}', '{"a": 1.0, "b": 2.0, "c": 3.0}', 3.6149055033069311, 9.5384727278756625),
    ('s08', 'ln(3 + sqrt(exp((a - b + c)^b))/(a - b + c)) * a^(-b)', '{"a": [0.5, 1.5], "b": [1.5, 2.5], "c": [2.5, 3.5]}', '{"a": 1.0, "b": 2.0, "c": 3.0}', 3.6149055033069311, 9.5384727278756625),
    ('s08', 'ln(3 + sqrt(exp((a - b + c)^b))/(a - b + c)) * a^(-b)', '{"a": [0.5, 1.5], "b": [1.5, 2.5], "c": [2.5, 3.5]}', '{"a": 0.75, "b": 2.1875, "c": 3.3125}', 13.043301845574687, 78.763926592066227),
    ('r01', 'ln(income + 1)', '{"income": [0.0, 1000000.0]}', '{"income": 499712.0}', 172.18135213999133, 4.0045959567400803e-12),
    ('r01', 'ln(income + 1)', '{"income": [0.0, 1000000.0]}', '{"income": 249856.0}', 154.47119250374874, 1.6018319716818122e-11),
    ('r01', 'ln(income + 1)', '{"income": [0.0, 1000000.0]}', '{"income": 813056.0}', 185.19280992587392, 1.5127181355599714e-12),
    ('r02', 'sqrt(h*w/3600)', '{"h": [100.0, 220.0], "w": [30.0, 200.0]}', '{"h": 160.0, "w": 115.0}', 5.1111111111111107, 0.00014653155193236714),
    ('r02', 'sqrt(h*w/3600)', '{"h": [100.0, 220.0], "w": [30.0, 200.0]}', '{"h": 130.0, "w": 147.0}', 5.3083333333333336, 0.00013993909529623816),
    ('r02', 'sqrt(h*w/3600)', '{"h": [100.0, 220.0], "w": [30.0, 200.0]}', '{"h": 197.5, "w": 62.0}', 3.401388888888889, 0.00024301443900004538),
    ('r05', 'p*(1 + r/12)^(12*t)', '{"p": [100.0, 10000.0], "r": [0.001, 0.15], "t": [0.0, 30.0]}', '{"p": 5056.0, "r": 0.07568359375, "t": 15.0}', 245802675.47350362, 54615924746.518745),
    ('r05', 'p*(1 + r/12)^(12*t)', '{"p": [100.0, 10000.0], "r": [0.001, 0.15], "t": [0.0, 30.0]}', '{"p": 2560.0, "r": 0.103515625, "t": 24.375}', 997008978.78489137, 582285050352.91028),
    ('r05', 'p*(1 + r/12)^(12*t)', '{"p": [100.0, 10000.0], "r": [0.001, 0.15], "t": [0.0, 30.0]}', '{"p": 8128.0, "r": 0.02880859375, "t": 13.125}', 140604231.69556481, 24105512906.586189),
    ('r09', '1.2*k^0.3*l^0.7', '{"k": [1.0, 100.0], "l": [1.0, 100.0]}', '{"k": 50.5, "l": 50.5}', 3672.3600000000001, 0.83520000000000005),
    ('r09', '1.2*k^0.3*l^0.7', '{"k": [1.0, 100.0], "l": [1.0, 100.0]}', '{"k": 25.75, "l": 69.0}', 3795.0504983523942, 0.90570157417009933),
    ('r09', '1.2*k^0.3*l^0.7', '{"k": [1.0, 100.0], "l": [1.0, 100.0]}', '{"k": 81.5, "l": 19.5}', 1291.5330176165571, 1.6818026910995585),
    ('r11', '13.12 + 0.6215*t - 11.37*v^0.16 + 0.3965*t*v^0.16', '{"t": [-40.0, 10.0], "v": [5.0, 100.0]}', '{"t": -15.0, "v": 52.5}', 831.71872544340715, 1.8833828813618485),
    ('r11', '13.12 + 0.6215*t - 11.37*v^0.16 + 0.3965*t*v^0.16', '{"t": [-40.0, 10.0], "v": [5.0, 100.0]}', '{"t": -27.5, "v": 70.25}', 2299.3372200646172, 1.982374628679104),
    ('r11', '13.12 + 0.6215*t - 11.37*v^0.16 + 0.3965*t*v^0.16', '{"t": [-40.0, 10.0], "v": [5.0, 100.0]}', '{"t": 0.625, "v": 22.75}', 23.306434288293136, 1.6426948859989277);

CREATE FUNCTION make_tables() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    fact record;
    name text;
    columns text;
BEGIN
    FOR fact IN SELECT DISTINCT id, expression, ranges FROM facts LOOP
        SELECT string_agg(format('%I float8 NOT NULL', key), ', ') INTO columns FROM jsonb_object_keys(fact.ranges) AS key;
        EXECUTE format('CREATE TABLE %I (by_value float8, by_gradient float8, %s)', fact.id, columns);
        PERFORM dpsens.protect(fact.id::regclass);
        FOR name IN SELECT jsonb_object_keys(fact.ranges) LOOP
            PERFORM dpsens.set_range(fact.id::regclass, name, (fact.ranges -> name ->> 0)::float8, (fact.ranges -> name ->> 1)::float8);
        END LOOP;
        PERFORM dpsens.register('f', fact.id::regclass, fact.expression);
        EXECUTE format('INSERT INTO %1$I SELECT r.* FROM facts, jsonb_populate_record(NULL::%1$I, point ||
            jsonb_build_object(''by_value'', by_value, ''by_gradient'', by_gradient)) AS r WHERE id = %1$L', fact.id);
    END LOOP;
END$$;
SELECT make_tables();
SET LOCAL dpsens.epsilon = 1;
SET LOCAL dpsens.mechanism = gaussian;

-- The scale is a whole number of grid units: one is 2^-40 of the sensitivity,
-- and a loss may be stated for two units more than |f|.
SELECT is_empty(format($$
    SELECT this, loss FROM %1$I AS this, dpsens.explain('SELECT dp_sum(this.f) FROM %1$I AS this') AS e,
        LATERAL (SELECT dpsens.individual_loss('f(%1$I)', this) * e.noise_scale ^ 2) AS l (loss)
    WHERE loss IS NULL OR sqrt(loss) - sqrt(by_value) NOT BETWEEN -1e-12 * sqrt(by_value) AND 1e-12 * sqrt(by_value) + 4e-12 * e.sensitivity$$, id),
    'individual loss of ' || expression)
FROM (SELECT DISTINCT id, expression FROM facts ORDER BY id) AS f;
SELECT is_empty(format($$
    SELECT this, loss FROM %1$I AS this, dpsens.explain('SELECT dp_sum(this.f) FROM %1$I AS this') AS e,
        LATERAL (SELECT dpsens.first_order_loss('f(%1$I)', this) * e.noise_scale ^ 2) AS l (loss)
    WHERE loss IS NULL OR abs(loss - by_gradient) > 1e-12 * by_gradient$$, id),
    'first-order loss of ' || expression)
FROM (SELECT DISTINCT id, expression FROM facts ORDER BY id) AS f;

-- As (epsilon, delta): Gaussian noise calibrated for (1, 1e-5), so sigma is
-- 3.7306316348159418 per unit of sensitivity.  epsilon of mu = x / sigma solves
-- Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) = delta, computed
-- with 40 digits.
CREATE TABLE scores (x float8 NOT NULL);
SELECT dpsens.protect('scores'), dpsens.set_range('scores', 'x', 0, 1);
SELECT dpsens.register('score', 'scores', 'x');
INSERT INTO scores VALUES (0), (0.01), (0.25), (0.5), (1);
SET LOCAL dpsens.delta = 1e-5;
SELECT is_empty($$
    SELECT * FROM scores AS s JOIN (VALUES
        (1, 1e-5, 1), (1, 1e-9, 1.5018961936184817), (0.5, 1e-5, 0.46871015835431533), (0.5, 1e-9, 0.72630648493680504),
        (0.25, 1e-5, 0.2202673188993567), (0.25, 1e-9, 0.35279866225930924), (0.01, 1e-5, 0.0061508812093990338), (0.01, 1e-9, 0.012401735912003513)
        ) AS fact (x, delta, epsilon) USING (x), LATERAL dpsens.individual_epsilon('score(scores)', s, delta) AS e
    WHERE e IS NULL OR e / epsilon NOT BETWEEN 1 - 1e-12 AND CASE delta WHEN 1e-5 THEN 1 + 1e-7 ELSE 1 + 1e-3 END$$,
    'epsilon of Gaussian noise, from above');
-- The same of rows that lie between the points from which it is read.
INSERT INTO scores VALUES (0.3), (0.123456), (0.7071), (0.9), (0.0333), (0.0012345);
SELECT is_empty($$
    SELECT x, delta, epsilon, e, e / epsilon - 1 FROM scores AS s JOIN (VALUES
        (0.3, 1e-5, 0.26867404208620894), (0.3, 1e-9, 0.42648571647835562), (0.3, 1e-14, 0.56985439085572544),
        (0.123456, 1e-5, 0.10192705061341738), (0.123456, 1e-9, 0.16946348973875244), (0.123456, 1e-14, 0.22970262949090096),
        (0.7071, 1e-5, 0.68414175427326479), (0.7071, 1e-9, 1.0435871651496801), (0.7071, 1e-14, 1.3751765714178538),
        (0.9, 1e-5, 0.89083482263323365), (0.9, 1e-9, 1.3442635204673662), (0.9, 1e-14, 1.7641768590672799),
        (0.0333, 1e-5, 0.023982213332885791), (0.0333, 1e-9, 0.043420675315076336), (0.0333, 1e-14, 0.060209069652888472),
        (0.0012345, 1e-5, 0.00049193609796118319), (0.0012345, 1e-9, 0.0013866869663205292), (0.0012345, 1e-14, 0.0020700680717591488)
        ) AS fact (x, delta, epsilon) USING (x), LATERAL dpsens.individual_epsilon('score(scores)', s, delta) AS e
    WHERE e IS NULL OR e / epsilon NOT BETWEEN 1 - 1e-12 AND 1 + 1e-8$$,
    'wherever it is');
SELECT is_empty($$
    SELECT * FROM (SELECT x, e, lag(e) OVER (ORDER BY x) AS before, lag(x) OVER (ORDER BY x) AS x_before, lead(e) OVER (ORDER BY x) AS after
                   FROM (SELECT 0.4 + i * 1e-5 FROM generate_series(0, 3000) AS i) AS v (x), LATERAL dpsens.individual_epsilon('score(scores)', ROW(x)::scores, 1e-6) AS e) AS s
    WHERE e IS NULL OR e < before OR after - e < (e - before) * (1 - 1e-6)$$, 'it rises, ever faster');
DELETE FROM scores WHERE x NOT IN (0, 0.01, 0.25, 0.5, 1);
SELECT is((SELECT max(dpsens.individual_epsilon('score(scores)', s, 1e-5)) <= 1 FROM scores AS s), true,
    'nobody loses more than what the release promises');
SELECT results_eq($$SELECT dpsens.individual_epsilon('score(scores)', s, 0) FROM scores AS s$$,
    $$VALUES (0::float8), ('Infinity'), ('Infinity'), ('Infinity'), ('Infinity')$$, 'Gaussian noise has no pure epsilon');
SELECT is_empty($$
    SELECT * FROM scores AS s, generate_series(2, 200) AS a (rdp_order), LATERAL dpsens.individual_loss('score(scores)', s, rdp_order) AS rdp,
        LATERAL (SELECT greatest(0, rdp + ln((rdp_order - 1) / rdp_order::float8) - (ln(1e-5::float8) + ln(rdp_order)) / (rdp_order - 1))) AS cks (epsilon)
    WHERE dpsens.individual_epsilon('score(scores)', s, 1e-5) > cks.epsilon * (1 + 1e-12)$$, 'and never more than any order of its Renyi loss gives');
SELECT is_empty($$
    SELECT s.x, d.delta, d.e FROM scores AS s, LATERAL (
        SELECT delta, e, lag(e) OVER (ORDER BY delta) AS before
        FROM generate_series(-60, -1) AS k, LATERAL (SELECT 10 ^ (k / 4.0::float8)) AS p (delta), LATERAL dpsens.individual_epsilon('score(scores)', s, delta) AS e) AS d
    WHERE d.e IS NULL OR d.e > d.before$$, 'a larger delta never costs more');

SET LOCAL dpsens.mechanism = laplace;
SELECT is_empty($$
    SELECT * FROM scores AS s, LATERAL dpsens.individual_epsilon('score(scores)', s, 1e-9) AS e
    WHERE e IS NULL OR e NOT BETWEEN x AND least(1, x * (1 + 1e-12) + 4e-12)$$, 'Laplace noise: the pure epsilon is |x| / t');
SELECT results_eq($$SELECT dpsens.individual_epsilon('score(scores)', s, 0) FROM scores AS s$$,
    $$SELECT dpsens.individual_epsilon('score(scores)', s, 1e-9) FROM scores AS s$$, 'which needs no delta');
SET LOCAL dpsens.epsilon = 60;
SELECT cmp_ok((SELECT dpsens.individual_epsilon('score(scores)', s, 0.5) FROM scores AS s WHERE x = 0.01), '<', 0.6::float8,
    'unless its zCDP is better at a delta as large as this');

-- Where there is none.
SET LOCAL dpsens.epsilon = 1;
SELECT dpsens.protect('scores', adjacency => 'metric');
SELECT is((SELECT count(dpsens.individual_epsilon('score(scores)', s, 1e-5)) FROM scores AS s), 0::bigint, 'none under metric');
SELECT dpsens.protect('scores', adjacency => 'attribute');
SELECT is((SELECT max(dpsens.individual_epsilon('score(scores)', s, 1e-5)) FROM scores AS s), 1::float8, 'one attribute under attribute');
SELECT dpsens.protect('scores', adjacency => 'replace');
SELECT results_eq($$SELECT round(dpsens.individual_epsilon('score(scores)', s, 1e-5)::numeric, 9) FROM scores AS s$$,
    $$SELECT round(greatest(x, 1 - x)::numeric, 9) FROM scores AS s$$, 'the furthest replacement under replace');
RESET dpsens.epsilon;
SELECT is((SELECT count(dpsens.individual_epsilon('score(scores)', s, 1e-5)) FROM scores AS s), 0::bigint, 'none without an epsilon');
SELECT throws_ok($$SELECT dpsens.individual_epsilon('score(scores)', s, 1) FROM scores AS s$$, '22023', 'delta must be at least 0 and below 1');
SELECT throws_ok($$SELECT dpsens.individual_epsilon('score(scores)', s, 'NaN') FROM scores AS s$$, '22023', 'delta must be at least 0 and below 1');

SELECT * FROM finish();
ROLLBACK;
