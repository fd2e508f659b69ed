-- What `make demo` runs, in a database of its own.

\ir schema.sql
\ir load.sql

\echo
\echo 'The survey, as its curator sees it:'
SELECT count(*) AS respondents,
       count(*) FILTER (WHERE sex = 'Female') AS women,
       count(weight_kg) AS weights,
       count(blood_lead_ug_dl) AS lead_levels,
       count(drinks_per_day) AS drinkers
FROM nhanes;
