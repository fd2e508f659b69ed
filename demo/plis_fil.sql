-- Which features of a person a private regression is told most about: PLIS (T. T.
-- Mueller et al., "How do input attributes impact the privacy loss in
-- differential privacy?", 2022) beside Fisher information (Hannun, Guo and van der
-- Maaten 2021), feature by feature.
--
--		psql -X -q -f demo/plis_fil.sql
--
-- It ends with an error if what it claims to find is not so.
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
CREATE TABLE found AS
SELECT n AS feature, p AS weight, (ARRAY[2, -1, 0.5, 0, 0, 0])[n] AS truth
FROM unnest(dpsens.model_parameters('dpsens_plis')) WITH ORDINALITY AS u (p, n) WHERE n <= 6;
SELECT feature, round(weight::numeric, 3) AS weight, truth FROM found;
SELECT epsilon, delta, round(charge_rho::numeric, 6) AS rho, round(scale::numeric, 2) AS noise_of_all_steps FROM dpsens.releases WHERE relation = 'dpsens_plis.people' ORDER BY release DESC LIMIT 1;

-- The noise of one step is that of all steps together times the root of their number.
SELECT scale * sqrt(60) AS sigma FROM dpsens.releases WHERE relation = 'dpsens_plis.people' ORDER BY release DESC LIMIT 1 \gset

\echo 'Root mean square over all people, in one more step of the same noise.  PLIS is 0 for'
\echo 'those whose gradient is clipped; Fisher information knows no clipping.'
\echo
CREATE TABLE told AS
SELECT k AS feature, sqrt(avg(plis[k] ^ 2)) AS plis, sqrt(avg(unclipped[k] ^ 2)) AS plis_unclipped, sqrt(avg(fim[k][k])) AS fil
FROM (SELECT dpsens.plis('dpsens_plis', x, y, :sigma, 0.5) AS plis, dpsens.plis('dpsens_plis', x, y, :sigma) AS unclipped,
          dpsens.fim('dpsens_plis', x, y, :sigma) AS fim FROM people) s, generate_series(1, 6) k
GROUP BY k;
SELECT feature, round(plis::numeric, 8) AS plis, round(plis_unclipped::numeric, 8) AS plis_unclipped, round(fil::numeric, 6) AS fil FROM told ORDER BY feature;

\echo 'Share of gradients that are clipped, and Fisher information loss of a person, all features together:'
\echo
CREATE TABLE people_told AS
SELECT avg((norm > 0.5)::int) AS clipped, avg(fil) AS average_fil, max(fil) AS greatest_fil
FROM (SELECT dpsens.gradient_norm('dpsens_plis', x, y) AS norm, dpsens.fil('dpsens_plis', x, y, :sigma) AS fil FROM people) s;

SELECT round(clipped, 3) AS clipped, round(average_fil::numeric, 6) AS average_fil, round(greatest_fil::numeric, 6) AS greatest_fil FROM people_told;

-- A weight's noise has a deviation of about 0.1, so that what is claimed fails in less than one of a million runs.
CREATE VIEW claims AS
SELECT 1 AS n, 'every weight is within 0.7 of the truth' AS claim, bool_and(abs(weight - truth) <= 0.7) AS holds FROM found
UNION ALL SELECT 2, 'PLIS and Fisher information say most about the feature that matters most, and more about the first two than about those that do not matter',
    bool_and(f.plis > g.plis AND f.plis_unclipped > g.plis_unclipped AND f.fil > g.fil) FROM told f JOIN told g ON f.feature = 1 AND g.feature > 1 OR f.feature = 2 AND g.feature > 3
UNION ALL SELECT 3, 'PLIS without a clip is in proportion to the weights: of the first two features within 25 percent',
    max(plis_unclipped / abs(weight)) <= 1.25 * min(plis_unclipped / abs(weight)) FROM told JOIN found USING (feature) WHERE feature <= 2
UNION ALL SELECT 4, 'those who are clipped lower PLIS, and never raise it', bool_and(plis <= plis_unclipped) FROM told
UNION ALL SELECT 5, 'the gradients of few people are clipped: at most 40 of 100', clipped <= 0.4 FROM people_told
UNION ALL SELECT 6, 'nobody loses more than twice the Fisher information of the average', greatest_fil < 2 * average_fil FROM people_told;
\echo 'Found here, with tolerances since noise is never twice the same:'
\echo
\ir show_claims.sql
\set is_whole true
\ir fail_claims.sql

\o /dev/null
SELECT dpsens.drop_model('dpsens_plis');
\o
DROP SCHEMA dpsens_plis CASCADE;
