-- Row 5: where there is no bound there is no noise that would do.
\ir start.sql
SELECT attempt('no bound: ' || summand, format('SELECT dp_sum(%s) FROM people', summand), '(55000|0A000|22003)', format('SELECT sum(%s) FROM people WHERE id <> 400', summand), '^00000.\(')
FROM unnest(ARRAY['id / (age - 20.5)', '1 / age', 'ln(age)', 'age ^ -1', 'spare', '1 / (id - 400)', 'length(name)', 'extract(epoch FROM born)::float8', '(age - 30.5) ^ -2', 'coalesce(spare, 1)']) summand;
SELECT attempt('no declared values', 'SELECT note, dp_count(*) FROM people GROUP BY note', '00000', 'SELECT note, count(*) FROM people GROUP BY note', 'Zebedee');
SELECT attempt('an unprotected relation', 'SELECT dp_count(*) FROM open_people', '55000', 'SELECT count(*) FROM open_people', '\(400\)');
SELECT * FROM finish();
