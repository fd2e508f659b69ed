-- Which features of a person a private regression is told most about: PLIS (T. T.
-- Mueller et al., "How do input attributes impact the privacy loss in
-- differential privacy?", 2022) beside Fisher information (Hannun, Guo and van der
-- Maaten 2021), feature by feature.
--
--		psql -X -q -f demo/plis_fil.sql
--
-- The database must be on a server that preloads dpsens.  Everything is made in
-- the schema dpsens_plis, committed (a charge needs that), and dropped at the end.
--
-- 1,000 people with six features, uniform in [-1, 1], of which only the first three
-- matter: y = 2 x1 - x2 + x3 / 2 + noise of deviation 0.1.  Made from a hash, so they are
-- the same everywhere.  Linear regression at (0.2, 1e-3).

\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
\pset pager off
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dpsens_plis CASCADE;
CREATE SCHEMA dpsens_plis;
SET search_path = dpsens_plis, public;

CREATE FUNCTION uniform(i bigint, k bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN ((hashint8extended(i, k) & 9007199254740991)::float8 + 0.5) / 9007199254740992;
CREATE TABLE people (id int PRIMARY KEY, x float8[] NOT NULL, y float8 NOT NULL);
INSERT INTO people
SELECT i, x, 2 * x[1] - x[2] + x[3] / 2 + 0.1 * sqrt(-2 * ln(uniform(i, 7))) * cos(2 * pi() * uniform(i, 8))
FROM (SELECT i, array_agg(2 * uniform(i, k) - 1 ORDER BY k) AS x FROM generate_series(1, 1000) i, generate_series(1, 6) k GROUP BY i) s;

\o /dev/null
SELECT dpsens.protect('people', unit => 'id');
SELECT dpsens.drop_model(name) FROM dpsens.models WHERE name = 'dpsens_plis';
SELECT dpsens.create_model('dpsens_plis', '{"input": 6, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared", "seed": 1}');
\o
CALL dpsens.train('dpsens_plis', 'people', '{x}', 'y', 60, 1, clip => 0.5, expected_rows => 1000, epsilon => 0.2, delta => 1e-3);

\echo 'What was found, and what it cost:'
\echo
SELECT n AS feature, round(p::numeric, 3) AS weight, (ARRAY[2, -1, 0.5, 0, 0, 0])[n] AS truth
FROM unnest(dpsens.model_parameters('dpsens_plis')) WITH ORDINALITY AS u (p, n) WHERE n <= 6;
SELECT epsilon, delta, round(charge_rho::numeric, 6) AS rho, round(scale::numeric, 2) AS noise_of_all_steps FROM dpsens.releases WHERE relation = 'dpsens_plis.people' ORDER BY release DESC LIMIT 1;

-- The noise of one step is that of all steps together times the root of their number.
SELECT scale * sqrt(60) AS sigma FROM dpsens.releases WHERE relation = 'dpsens_plis.people' ORDER BY release DESC LIMIT 1 \gset

\echo 'Root mean square over all people, in one more step of the same noise.  PLIS is 0 for'
\echo 'those whose gradient is clipped; Fisher information knows no clipping.'
\echo
SELECT k AS feature, round(sqrt(avg(plis[k] ^ 2))::numeric, 8) AS plis, round(sqrt(avg(unclipped[k] ^ 2))::numeric, 8) AS plis_unclipped,
    round(sqrt(avg(fim[k][k]))::numeric, 6) AS fil
FROM (SELECT dpsens.plis('dpsens_plis', x, y, :sigma, 0.5) AS plis, dpsens.plis('dpsens_plis', x, y, :sigma) AS unclipped,
          dpsens.fim('dpsens_plis', x, y, :sigma) AS fim FROM people) s, generate_series(1, 6) k
GROUP BY k ORDER BY k;

\echo 'Share of gradients that are clipped, and Fisher information loss of a person, all features together:'
\echo
SELECT round(avg((norm > 0.5)::int), 3) AS clipped, round(avg(fil)::numeric, 6) AS average_fil, round(max(fil)::numeric, 6) AS greatest_fil
FROM (SELECT dpsens.gradient_norm('dpsens_plis', x, y) AS norm, dpsens.fil('dpsens_plis', x, y, :sigma) AS fil FROM people) s;

\o /dev/null
SELECT dpsens.drop_model('dpsens_plis');
\o
DROP SCHEMA dpsens_plis CASCADE;
