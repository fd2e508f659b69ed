-- Row 13: an average over the true number of rows.
\ir start.sql
SET dpsens.epsilon = 0.5;
SELECT attempt('how many there are', 'SELECT count(DISTINCT round(a)) > 3 FROM (' || string_agg('SELECT dp_sum(age) / dp_avg(age) AS a FROM people WHERE id > 3', ' UNION ALL ') || ') s', '00000.\(t\)',
    'SELECT count(DISTINCT round(a)) FROM (' || string_agg('SELECT sum(age) / avg(age) AS a FROM people WHERE id > 3', ' UNION ALL ') || ') s', '00000.\(1\)')
FROM generate_series(1, 20);
-- Two of three are an end of the range or its middle; of 80, all but one or two are less than once in 10^9 times.
CREATE FUNCTION lab.averages() RETURNS SETOF float8 LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..80 LOOP RETURN NEXT (SELECT dp_avg(pay) FROM clinic.people WHERE id = 42); END LOOP; END $$;
SELECT attempt('one person''s average', 'SELECT count(DISTINCT round(a)) > 3 FROM lab.averages() a', '00000.\(t\)',
    'SELECT count(DISTINCT round(a)) FROM (' || string_agg('SELECT avg(pay) AS a FROM people WHERE id = 42', ' UNION ALL ') || ') s', '00000.\(1\)')
FROM generate_series(1, 20);
SELECT lab.try('dpsens_attack_ana', 'SELECT dp_avg(age) FROM people WHERE id > 3') AS said, set_config('role', 'none', false) \gset
SELECT is((SELECT joined[1] FROM dpsens.releases WHERE expression = 'dp_avg(age)' ORDER BY release DESC LIMIT 1)::int, 2, 'an average has two noises, and pays for both');
SELECT * FROM finish();
