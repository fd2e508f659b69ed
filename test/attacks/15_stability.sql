-- Row 15: what lets one row count often, or decides by others whether it counts.
\ir start.sql
SELECT attempt(question, question, '(0A000|42501|55000|42803)', regexp_replace(question, 'dp_', '', 'g'), '00000.\(')
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM people a, people b', 'SELECT dp_count(*) FROM people a JOIN people b USING (id)', 'SELECT dp_count(*) FROM people, shops',
    'SELECT dp_count(*) FROM shops LEFT JOIN people USING (id)', 'SELECT dp_count(*) FROM people FULL JOIN shops USING (id)', 'SELECT dp_count(*) FROM people, generate_series(1, 100)',
    'SELECT dp_count(*) FROM people, LATERAL (SELECT shops.id FROM shops WHERE shops.id < people.id) l', 'SELECT dp_count(*) FROM people, LATERAL (SELECT generate_series(1, people.id)) l', 'SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT id FROM people) s',
    'SELECT dp_count(*) FROM (SELECT id FROM people UNION SELECT 1) s', 'SELECT dp_count(*) FROM (SELECT id FROM people EXCEPT SELECT 1) s', 'SELECT dp_count(*) FROM (SELECT id FROM people INTERSECT SELECT id FROM others) s',
    'SELECT dp_count(*) FROM (SELECT DISTINCT feels FROM people) s', 'SELECT dp_count(*) FROM (SELECT DISTINCT ON (feels) name FROM people) s', 'SELECT dp_count(*) FROM (SELECT * FROM people LIMIT 5) s',
    'SELECT dp_count(*) FROM (SELECT * FROM people ORDER BY age OFFSET 5) s', 'SELECT dp_count(*) FROM (SELECT * FROM people ORDER BY age FETCH FIRST 3 ROWS WITH TIES) s', 'SELECT dp_count(*) FROM people TABLESAMPLE BERNOULLI (50)',
    'SELECT dp_count(*) FROM people TABLESAMPLE SYSTEM (100) REPEATABLE (1)',
    'SELECT dp_sum(c) FROM (SELECT count(*) AS c FROM people GROUP BY feels) s', 'SELECT dp_sum(r) FROM (SELECT row_number() OVER (ORDER BY age) AS r FROM people) s',
    'SELECT dp_count(*) FROM (SELECT generate_series(1, 9), id FROM people) s', 'SELECT dp_count(*) FROM (SELECT unnest(tags) FROM people) s', 'SELECT dp_count(DISTINCT name) FROM people', 'SELECT dp_sum(DISTINCT age) FROM people',
    'SELECT dp_count(*) FROM (SELECT lag(secret) OVER (ORDER BY id) AS e FROM people) s WHERE e', 'SELECT dp_count(*) FROM people WHERE age > (SELECT avg(age) FROM people)', 'SELECT dp_count(*) FROM (VALUES (1), (1)) v, people',
    'SELECT dp_count(*) FROM people JOIN (VALUES (1, 1), (1, 2), (2, 1)) v(a, b) ON a = id % 3', 'SELECT dp_count(*) FROM people JOIN (VALUES (1), (4), (2)) v(a) ON a % 3 = id % 3', 'SELECT dp_count(*) FROM people JOIN (VALUES (1.0), (1.00)) v(a) ON a = id',
    'SELECT dp_count(*) FROM people JOIN (VALUES (0, 50), (40, 99)) v(a, b) ON age >= a AND age < b', 'SELECT dp_count(*) FROM people JOIN (VALUES (0, 50), (50, 99)) v(a, b) ON age BETWEEN a AND b', 'SELECT dp_count(*) FROM people JOIN (VALUES (0, 50), (50, 99)) v(a, b) ON age >= a AND id < b',
    'SELECT dp_count(*) FROM people JOIN generate_series(1, 9) g ON g <= id', 'SELECT dp_count(*) FROM people JOIN generate_series(1, 9) g ON g + id = 9 OR g = id', 'SELECT dp_count(*) FROM people, LATERAL (VALUES (age), (id)) v',
    'SELECT dp_count(people.id), dp_count(*) FROM shops LEFT JOIN people USING (id)', 'SELECT dp_count(*) FROM people LEFT JOIN others ON others.id = people.id + 1 WHERE others.id IS NULL', 'SELECT dp_sum(COALESCE(people.age, 9)) FROM shops LEFT JOIN people USING (id)',
    'SELECT dp_count(*) FROM (people JOIN others ON people.id = others.id)', 'SELECT dp_sum(p.age) FROM people p JOIN walled w ON w.id = p.id'
]) question;
-- each grouping set counts every row again, and pays again
CREATE FUNCTION paid_for(question text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint = lab.charged();
BEGIN
    PERFORM lab.try('dpsens_attack_ana', question), set_config('role', 'none', false);
    RETURN lab.charged() - before;
END $$;
SELECT is(paid_for(question), n, 'charged for: ' || question)
FROM (VALUES ('SELECT dp_count(*) FROM people GROUP BY CUBE (feels, member)', 4::bigint), ('SELECT dp_count(*) FROM people GROUP BY ROLLUP (feels)', 2), ('SELECT dp_count(*) FROM people GROUP BY GROUPING SETS ((), (feels), (feels))', 3),
    ('SELECT dp_count(*), dp_sum(age) FROM people GROUP BY ROLLUP (feels, member)', 6), ('SELECT dp_count(*) FROM people GROUP BY ROLLUP (name)', 3), ('SELECT dp_count(*) FROM people GROUP BY CUBE (name, member)', 6)) t (question, n);
DROP FUNCTION paid_for;
SELECT * FROM finish();
