-- Row 8: an epsilon that a row chooses, or chance.
\ir start.sql
CREATE FUNCTION lab.epsilon_of_data() RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT 1.0::float8';
SELECT attempt('epsilon from ' || e, format('SELECT dp_sum(age, %s) FROM people', e), '(0A000|42501|22)', format('SELECT sum(age * (%s)) IS NOT NULL FROM people', e), '\(t\)')
FROM unnest(ARRAY['age', 'CASE WHEN secret THEN 60 ELSE 0.001 END', '(SELECT 1.0)', 'random()', 'lab.epsilon_of_data()', 'extract(epoch FROM now())::float8 * 0 + 1']) e;
SELECT attempt('another parameter: ' || call, format('SELECT %s FROM people', call), '(0A000|42501|22)', 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) IS NOT NULL FROM people', '\(t\)')
FROM unnest(ARRAY['dp_quantile(age, age)', 'dp_quantile(age, random())', 'dp_quantile(age, ''NaN'')', 'dp_quantile(age, 0.5, age)', 'dp_median(age, age)',
    'dp_histogram(age, id)', 'dp_histogram(age, 1000000000)', 'dp_histogram(age, ARRAY[age, age + 1])', 'dp_histogram(age, 4, age)', 'dp_count_ci(true, 1, age)',
    'dp_count_ci(true, age, 0.9)',
    'dp_count_ci(true, 1, ''NaN'')', 'dp_mode(feels, age)', 'dp_bool_or(secret, age)', 'dp_corr(age, pay, age)', 'dp_linregr(age, ARRAY[pay], age)', 'dp_variance(age, pay::float8)']) call;
SELECT attempt('epsilon from a subquery''s column', 'SELECT dp_sum(age, e) FROM (SELECT age, CASE WHEN secret THEN 60 ELSE 1 END::float8 AS e FROM people) s', '22023',
    'SELECT sum(age * e) IS NOT NULL FROM (SELECT age, CASE WHEN secret THEN 60 ELSE 1 END::float8 AS e FROM people) s', '\(t\)');
SELECT * FROM finish();
