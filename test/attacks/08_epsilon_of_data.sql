-- Row 8: an epsilon that a row chooses, or chance.
\ir start.sql
CREATE FUNCTION lab.epsilon_of_data() RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT 1.0::float8';
SELECT attempt('epsilon from ' || e, format('SELECT dp_sum(age, %s) FROM people', e), '(0A000|42501|22)', format('SELECT sum(age * (%s)) IS NOT NULL FROM people', e), '\(t\)')
FROM unnest(ARRAY['age', 'CASE WHEN secret THEN 60 ELSE 0.001 END', '(SELECT 1.0)', 'random()', 'lab.epsilon_of_data()', 'extract(epoch FROM now())::float8 * 0 + 1']) e;
SELECT attempt('epsilon from a subquery''s column', 'SELECT dp_sum(age, e) FROM (SELECT age, CASE WHEN secret THEN 60 ELSE 1 END::float8 AS e FROM people) s', '22023',
    'SELECT sum(age * e) IS NOT NULL FROM (SELECT age, CASE WHEN secret THEN 60 ELSE 1 END::float8 AS e FROM people) s', '\(t\)');
SELECT * FROM finish();
