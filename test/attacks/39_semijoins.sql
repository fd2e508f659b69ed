-- Row 15 again: subqueries in conditions.  The analyst owns what some of them read.
\ir start.sql
CREATE TABLE clinic.guests39 (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO clinic.guests39 SELECT i, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END FROM generate_series(1, 100) i;
CREATE TABLE clinic.stays39 (id int PRIMARY KEY, guest int NOT NULL REFERENCES clinic.guests39, room int NOT NULL);
INSERT INTO clinic.stays39 SELECT i, i % 100 + 1, i % 7 FROM generate_series(1, 300) i;
-- the person alone has the soup, and has a thousand
CREATE TABLE clinic.meals39 (id int, stay int NOT NULL REFERENCES clinic.stays39, dish text NOT NULL);
INSERT INTO clinic.meals39 SELECT i, i, 'bread' FROM generate_series(1, 300) i;
INSERT INTO clinic.meals39 SELECT 300 + i, 41, 'Zebedee''s soup' FROM generate_series(1, 1000) i;
SELECT format('ALTER TABLE clinic.%s OWNER TO dpsens_attack_owner', t) FROM unnest(ARRAY['guests39', 'stays39', 'meals39']) t \gexec
GRANT SELECT ON clinic.guests39, clinic.stays39, clinic.meals39 TO dpsens_attack_reader;
SET ROLE dpsens_attack_owner;
DO $$
DECLARE
    r text;
BEGIN
    PERFORM dpsens.protect('guests39', unit => 'id'), dpsens.protect('stays39', unit => 'guest', max_rows => 3);
    PERFORM dpsens.protect('meals39', unit => 'stays39.guest', max_rows => 5);
    FOREACH r IN ARRAY '{stays39, meals39}'::text[] LOOP
        PERFORM dpsens.grant_budget(r::regclass, 'dpsens_attack_ana', epsilon => 100000, delta => 0.01, own_tables => true);
    END LOOP;
END $$;
RESET ROLE;
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.one39 (k int PRIMARY KEY, name text UNIQUE, city text);
INSERT INTO lab.one39 SELECT i, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END, 'c' || i % 3 FROM generate_series(1, 400) i;
CREATE FUNCTION lab.spy39(anyelement) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1::text IN ('Zebedee', '42') THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN true; END $$;
CREATE FUNCTION lab.spy39(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1 = 42 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN $1 = $2; END $$;
CREATE OPERATOR lab.==== (LEFTARG = int, RIGHTARG = int, FUNCTION = lab.spy39, COMMUTATOR = OPERATOR(lab.====));
CREATE TABLE lab.policed39 (k int PRIMARY KEY);
INSERT INTO lab.policed39 SELECT i FROM generate_series(1, 400) i;
ALTER TABLE lab.policed39 ENABLE ROW LEVEL SECURITY;
ALTER TABLE lab.policed39 FORCE ROW LEVEL SECURITY;
CREATE POLICY looks ON lab.policed39 USING (lab.spy39(k));
CREATE TABLE lab.walled39 (k int PRIMARY KEY);
INSERT INTO lab.walled39 SELECT i FROM generate_series(1, 400) i;
ALTER TABLE lab.walled39 ENABLE ROW LEVEL SECURITY;
ALTER TABLE lab.walled39 FORCE ROW LEVEL SECURITY;
CREATE POLICY looks ON lab.walled39 USING (EXISTS (SELECT FROM lab.one39 o WHERE o.k = walled39.k AND lab.spy39(o.name)));
RESET ROLE;
GRANT ALL ON lab.one39, lab.policed39, lab.walled39 TO PUBLIC;

-- one person has a say in whether the others count
SELECT attempt('others'' rows decide: ' || question, question, '(0A000|42501|55000)', regexp_replace(question, 'dp_', '', 'g'), '00000.\([1-9]..')
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM meals39 WHERE dish LIKE ''Zebedee%'')', 'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m WHERE m.dish LIKE ''Zebedee%'' AND m.stay <> s.id)',
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m WHERE m.stay = s.id OR m.dish LIKE ''Zebedee%'')', 'SELECT dp_count(*) FROM stays39 s WHERE s.id IN (SELECT generate_series(1, 300) FROM meals39 WHERE dish LIKE ''Zebedee%'')',
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM stays39 t JOIN meals39 m ON m.stay = t.id WHERE m.dish LIKE ''Zebedee%'' AND t.room = 6 AND s.room >= 0)', 'SELECT dp_count(*) FROM stays39 s WHERE 41 IN (SELECT stay FROM meals39 WHERE dish LIKE ''Zebedee%'')',
    'SELECT dp_count(*) FROM stays39 s WHERE s.guest NOT IN (SELECT stay FROM meals39 WHERE dish NOT LIKE ''Zebedee%'' AND stay > 200)', 'SELECT dp_count(*) FROM stays39 s WHERE NOT EXISTS (SELECT FROM meals39 m WHERE dish LIKE ''Zebedee%'' AND m.id < s.id)',
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM lab.one39 o, meals39 m WHERE o.k = s.id AND m.stay = 41 AND m.dish LIKE ''Zebedee%'')', 'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM guests39 g WHERE g.name = ''Zebedee'')',
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m, stays39 t WHERE m.stay = s.id AND t.guest = 42)', 'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m JOIN stays39 t ON t.id = m.stay WHERE (t.guest = s.guest) IS NOT NULL AND m.dish LIKE ''Zebedee%'')',
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m LEFT JOIN stays39 t ON t.id = m.stay AND t.guest = s.guest WHERE m.dish LIKE ''Zebedee%'')', 'SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.name = ''Zebedee'')',
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT 1 FROM meals39 m WHERE m.dish LIKE ''Zebedee%'' HAVING count(*) > 500)', 'SELECT dp_count(*) FROM stays39 s WHERE (SELECT count(*) FROM meals39 WHERE dish LIKE ''Zebedee%'') > 500',
    'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM (SELECT stay FROM meals39 WHERE dish LIKE ''Zebedee%'' LIMIT 1) m WHERE m.stay <> s.id)'
]) question;
-- a thousand rows count as one
SET dpsens.noise = off;
SELECT cmp_ok(dp_count(*), '<=', 3::bigint, 'stays, however many meals there were') FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m WHERE m.stay = s.id AND m.dish LIKE 'Zebedee%');
SELECT cmp_ok(dp_count(*), '<=', 5::bigint, 'meals, however many there are of this stay') FROM meals39 m WHERE EXISTS (SELECT FROM meals39 n WHERE n.stay = m.stay AND n.dish = m.dish AND n.id <> m.id);
RESET dpsens.noise;
-- without the person, 5 meals of others' dishes would not take the places of these
SELECT is(max(sensitivity), 10::float8, 'rows that take each other''s places cost more') FROM dpsens.explain('SELECT room, dp_count(*) FROM meals39 m JOIN stays39 s ON s.id = m.stay WHERE NOT EXISTS (SELECT FROM meals39 n WHERE n.stay = m.stay AND n.id <> m.id) GROUP BY room');

SELECT attempt('another function sees the cells: ' || question, question, '0A000', regexp_replace(question, 'dp_', '', 'g'), 'Zebedee')
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM lab.one39 o WHERE lab.spy39(p.name))', 'SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM lab.one39 o WHERE o.k = p.id AND lab.spy39(o.name))',
    'SELECT dp_count(*) FROM people p WHERE NOT EXISTS (SELECT FROM lab.one39 o WHERE p.id OPERATOR(lab.====) o.k)',
    'SELECT dp_count(*) FROM people p WHERE p.id OPERATOR(lab.====) ANY (SELECT k FROM lab.one39)',
    'SELECT dp_count(*) FROM people p WHERE lab.spy39(p.name) IN (SELECT true FROM lab.one39)',
    'SELECT dp_count(*) FROM people p WHERE p.secret IN (SELECT lab.spy39(o.name) FROM lab.one39 o WHERE o.name = p.name)', 'SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM (SELECT k, lab.spy39(k) AS s FROM lab.one39) o WHERE o.k = p.id AND s)',
    'SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM lab.one39 o JOIN lab.one39 q ON q.k = o.k AND lab.spy39(q.name) WHERE o.k = p.id)', 'SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM lab.one39 o LEFT JOIN lab.one39 q ON lab.spy39(p.name) WHERE o.k = p.id)'
]) question;
SELECT attempt('row-level security that calls another function', 'SELECT dp_count(*) FROM people p WHERE p.id IN (SELECT k FROM lab.policed39)', '0A000', 'SELECT count(*) FROM lab.policed39', 'Zebedee');
SELECT attempt('row-level security that asks a subquery', 'SELECT dp_count(*) FROM people p WHERE p.id IN (SELECT k FROM lab.walled39)', '0A000', 'SELECT count(*) FROM lab.walled39', 'Zebedee');
-- what does not matter is not computed
SELECT attempt('the select list: ' || question, question, '00000', twin, 'Zebedee')
FROM (VALUES ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT lab.spy39(p.name) FROM lab.one39 o WHERE o.k = p.id)', 'SELECT lab.spy39(p.name) FROM people p'),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM lab.one39 o WHERE o.k = p.id ORDER BY lab.spy39(p.name))', 'SELECT FROM people p ORDER BY lab.spy39(p.name)'),
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT DISTINCT lab.spy39(p.name) FROM lab.one39 o WHERE o.k = p.id)', 'SELECT DISTINCT lab.spy39(p.name) FROM people p')) list (question, twin);

SELECT oracle('a condition of a subquery that fails: ' || question, question)
FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM %s p WHERE EXISTS (SELECT FROM lab.one39 o WHERE o.k = 100 / CASE WHEN secret THEN 0 ELSE 1 END)',
    'SELECT dp_count(*) FROM %s p WHERE name::int IN (SELECT k FROM lab.one39)',
    'SELECT dp_count(*) FROM %s p WHERE id NOT IN (SELECT k FROM lab.one39 o WHERE o.k = p.name::int)',
    'SELECT dp_count(*) FROM %s p WHERE NOT EXISTS (SELECT FROM lab.one39 o WHERE o.k = p.id AND 1 / p.pay > 0)',
    'SELECT dp_count(*) FROM %s p WHERE EXISTS (SELECT FROM lab.one39 o WHERE o.name = p.name AND p.name::int + o.k > 0)',
    'SELECT dp_count(*) FROM %s p WHERE id IN (SELECT k FROM lab.one39) AND 1 / p.pay > 0',
    'SELECT dp_count(*) FROM %s p WHERE EXISTS (SELECT FROM (SELECT k, k - 42 AS far FROM lab.one39) o WHERE o.k = p.id AND 1 / (far + p.pay) < 5)', 'SELECT dp_count(*) FROM %s p WHERE 1 / p.pay > 0 OR EXISTS (SELECT FROM lab.one39 o WHERE o.k = p.id)',
    'SELECT dp_count(*) FROM %s p WHERE (id, 1 / pay) IN (SELECT k, k FROM lab.one39)'
]) question;
SELECT attempt('a subquery that returns too many rows', 'SELECT dp_count(*) FROM people p WHERE id = (SELECT k FROM lab.one39 o WHERE o.k = p.id OR p.secret)', '0A000', 'SELECT count(*) FROM people p WHERE id = (SELECT k FROM lab.one39 o WHERE o.k = p.id OR p.secret)', '21000');

-- how often a subquery is asked tells how many rows asked it
CREATE FUNCTION lab.counters39() RETURNS bigint LANGUAGE sql AS $$
    SELECT (SELECT sum(seq_scan + seq_tup_read + coalesce(idx_scan, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables WHERE relname = 'one39')::bigint
        + (SELECT sum(pg_stat_get_xact_numscans(indexrelid) + pg_stat_get_xact_tuples_returned(indexrelid) + pg_stat_get_xact_tuples_fetched(indexrelid)) FROM pg_index WHERE indrelid = 'lab.one39'::regclass)::bigint
$$;
CREATE FUNCTION lab.counted39(question text) RETURNS bigint LANGUAGE plpgsql SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    before bigint = lab.counters39();
BEGIN
    EXECUTE question;
    RETURN lab.counters39() - before;
END $$;
GRANT pg_read_all_stats TO dpsens_attack_ana;
SELECT attempt('counters: ' || condition, format('SELECT lab.counted39(%L)', 'SELECT dp_count(*) FROM people p WHERE ' || condition), '00000.\(0\)', format('SELECT lab.counted39(%L)', 'SELECT count(*) FROM people p WHERE ' || condition), '00000.\([1-9]')
FROM unnest(ARRAY['p.secret AND EXISTS (SELECT FROM lab.one39 o WHERE o.k = p.id)', 'p.secret AND EXISTS (SELECT FROM lab.one39)', 'NOT p.secret OR id IN (SELECT k FROM lab.one39 WHERE k > p.id - 1)']) condition;
REVOKE pg_read_all_stats FROM dpsens_attack_ana;
SELECT attempt('the plan', 'EXPLAIN SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM lab.one39 o WHERE o.k = p.id)', '42501', 'EXPLAIN SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM lab.one39 o WHERE o.k = p.id)', 'Scan');

-- what the subquery reads is paid for, and needs a budget when it runs
SELECT attempt('a relation without a budget', 'SELECT dp_count(*) FROM stays39 s WHERE EXISTS (SELECT FROM guests39 g WHERE g.id = s.guest AND g.name = ''Zebedee'')', '42501', 'SELECT max(g.name) FROM stays39 s JOIN guests39 g ON g.id = s.guest', 'Zebedee');
SELECT COALESCE(sum(epsilon), 0) AS before FROM dpsens.releases WHERE role = 'dpsens_attack_ana' AND relation LIKE '%meals39' \gset
SET ROLE dpsens_attack_ana;
SELECT lives_ok('SELECT dp_count(true, 7.0) FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m WHERE m.stay = s.id)', 'a subquery of the same person');
PREPARE p39 AS SELECT dp_count(true, 1.0) > -1000 FROM stays39 s WHERE EXISTS (SELECT FROM meals39 m WHERE m.stay = s.id);
SELECT lives_ok('EXECUTE p39', 'prepared');
RESET ROLE;
SELECT is(sum(epsilon) - :before, 8::float8, 'both pay') FROM dpsens.releases WHERE role = 'dpsens_attack_ana' AND relation LIKE '%meals39';
SET ROLE dpsens_attack_owner;
SELECT dpsens.revoke_budget('meals39', 'dpsens_attack_ana');
SET ROLE dpsens_attack_ana;
SELECT throws_ok('EXECUTE p39', '42501', NULL, 'a plan that outlives the budget of what the subquery reads');
RESET ROLE;
SELECT * FROM finish();
