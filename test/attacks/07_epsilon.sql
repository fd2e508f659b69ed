-- Row 7: an epsilon that switches the noise off, or pays the budget back.
\ir start.sql
SELECT attempt('epsilon ' || e, format('SELECT dp_sum(age, %s) FROM people', e), '(22|42)', 'SELECT dp_sum(age, 1) IS NOT NULL FROM people', '\(t\)')
FROM unnest(ARRAY['''NaN''', '''Infinity''', '''-Infinity''', '-1', '0', '1e-300', '1e300', '65', '4.9e-324', '-0.0']) e;
SELECT attempt('epsilon ' || e || ' by a parameter', ARRAY['PREPARE e(float8) AS SELECT dp_count(true, $1) FROM people', format('EXECUTE e(%s)', e), 'DEALLOCATE e'], '(22|42)',
    ARRAY['PREPARE e(float8) AS SELECT dp_count(true, $1) FROM people', 'EXECUTE e(1)', 'DEALLOCATE e'], '00000.\([0-9]+\)')
FROM unnest(ARRAY['''NaN''', '-1', '0', '1e300', 'NULL']) e;
SELECT attempt('setting ' || e, ARRAY[format('SET dpsens.epsilon = %L', e)], '22', ARRAY['SET dpsens.epsilon = 2', 'SELECT current_setting(''dpsens.epsilon'')', 'SET dpsens.epsilon = 4'], '\(2\)')
FROM unnest('{NaN,-1,1e300,Infinity}'::text[]) e;
SELECT attempt('noise off', 'SET dpsens.noise = off', '42501', 'SELECT current_setting(''dpsens.noise'')', '\(on\)');
-- nothing was paid back
SELECT ok(bool_and(charge_epsilon > 0), 'every charge is a charge') FROM dpsens.releases WHERE mechanism <> 'none';
SELECT * FROM finish();
