-- Row 1: digits of floating-point noise.  Every answer is a multiple of one
-- public power of two, so that none of its digits tells which sum is below.
\ir start.sql

-- how many of 20 answers are multiples of the grid of their release
CREATE FUNCTION lab.on_grid(question text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    answer float8;
    found bigint = 0;
    grid float8;
BEGIN
    FOR i IN 1..20 LOOP
        EXECUTE question INTO answer;
        SELECT r.grid INTO grid FROM dpsens.releases r ORDER BY release DESC LIMIT 1;
        found := found + (answer / grid = floor(answer / grid))::int;
    END LOOP;
    RETURN found;
END $$;
SELECT attempt(what, format('SELECT lab.on_grid(%L)', question), '00000.\(20\)',
    format('SELECT count(*) FILTER (WHERE value / 2.0 ^ -30 = floor(value / 2.0 ^ -30)) FROM (SELECT (%s) - ln(random()) * 30 AS value FROM generate_series(1, 20)) s',
        replace(replace(question, 'dp_', ''), ', 4', '')), '00000.\([0-9]\)')
FROM (VALUES
    ('a sum', 'SELECT dp_sum(age, 4) FROM people'),
    ('a sum of fractions', 'SELECT dp_sum(age / 7, 4) FROM people'),
    ('a sum of roots', 'SELECT dp_sum(sqrt(age + 1), 4) FROM people'),
    ('a sum over few rows', 'SELECT dp_sum(age / 3, 4) FROM people WHERE id < 3')
) AS list (what, question);
SELECT attempt('normal noise', ARRAY['SET dpsens.mechanism = gaussian', 'SET dpsens.epsilon = 0.5', 'SELECT lab.on_grid(''SELECT dp_sum(age / 7) FROM people'')', 'RESET dpsens.mechanism', 'SET dpsens.epsilon = 4'], '00000.\(20\)',
    -- one such number in 2048 is on this grid: nobody has ten of 20
    ARRAY['SELECT count(*) FILTER (WHERE value / 2.0 ^ -30 = floor(value / 2.0 ^ -30)) FROM (SELECT (SELECT sum(age / 7) FROM people) + sqrt(-2 * ln(random())) AS value FROM generate_series(1, 20)) s'], '00000.\([0-9]\)');
SELECT * FROM finish();
