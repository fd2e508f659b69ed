-- What `make demo` runs, in a database of its own.

\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION dpsens;
\ir schema.sql
\ir load.sql
\o /dev/null
\ir annotate.sql
\o

\echo
\echo '1. The curator has declared what is private and in which range it lies.'
\echo
SELECT column_name, type, role, lo, hi, values FROM dpsens.columns WHERE role <> 'unannotated';

\echo '2. Without any data: what is the sensitivity of age * weight / height^2?'
\echo '   Certified brackets, each attained at the witness that is named.'
\echo
SELECT quantity, lower, upper, witness, note
FROM dpsens.sensitivity('age * weight / (height / 100) ^ 2',
                        '{"age": [18, 80], "weight": [20, 300], "height": [100, 230]}');

\echo '   ... and its derivatives, in closed form:'
\echo
SELECT name, sql FROM dpsens.gradient('age * weight / (height / 100) ^ 2',
                                      '{"age": [18, 80], "weight": [20, 300], "height": [100, 230]}')
WHERE name IN ('age', 'weight', 'height', 'norm');

\echo '3. A name for the expression: it becomes a function of the row.'
\echo
SELECT dpsens.register('bmi_age', 'nhanes', 'age * weight_kg / (height_cm / 100) ^ 2');
SELECT name, norm, infimum, supremum, add_remove FROM dpsens.expressions;

\echo '4. What a query would answer and cost, before anything is spent:'
\echo
\x on
SELECT aggregate, gradient_norm, lower, upper, witness, adjacency, sensitivity, mechanism,
       epsilon, noise_scale, error_95, error_95_times_rows, cost_epsilon, cost_rho, note
FROM dpsens.explain($$ SELECT sex, dp_count(true, 0.1), dp_avg(bmi_age(n), 1.0) FROM nhanes n GROUP BY sex $$, rows => 3000);
\x off

\echo '5. The private answers, beside the exact ones that only the curator sees:'
\echo
SELECT sex, dp_count(true, 0.1) AS private_count, round(dp_avg(bmi_age(n), 1.0)::numeric, 1) AS private_average
FROM nhanes n GROUP BY sex ORDER BY sex;
SELECT sex, count(*) AS exact_count, round(avg(age * weight_kg / (height_cm / 100) ^ 2)::numeric, 1) AS exact_average
FROM nhanes GROUP BY sex ORDER BY sex;

\echo '6. WHERE, FILTER, HAVING, ORDER BY: ordinary SQL.'
\echo
SET dpsens.epsilon = 0.5;
SELECT education,
       dp_count(*) AS respondents,
       round(dp_avg(sys_bp)::numeric, 1) AS systolic,
       dp_count(*) FILTER (WHERE blood_lead_ug_dl > 1) AS lead_above_1
FROM nhanes
WHERE age >= 40
GROUP BY education
HAVING dp_count(*) > 100
ORDER BY systolic DESC;

\echo '7. A column that nobody annotated is refused, with the statement that would help:'
\echo
\set ON_ERROR_STOP off
ALTER TABLE nhanes ADD COLUMN grip_kg double precision;
SELECT dp_avg(grip_kg) FROM nhanes;
\set ON_ERROR_STOP on
