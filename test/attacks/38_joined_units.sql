-- Row 16 again: people whose rows stand in several tables.
\ir start.sql
CREATE TABLE clinic.guests38 (id int PRIMARY KEY, name text NOT NULL, weight float8 NOT NULL);
INSERT INTO clinic.guests38 SELECT i, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END, i % 10 FROM generate_series(1, 100) i;
CREATE TABLE clinic.stays38 (id int PRIMARY KEY, guest int NOT NULL REFERENCES clinic.guests38, nights float8 NOT NULL);
INSERT INTO clinic.stays38 SELECT i, i % 100 + 1, 1 FROM generate_series(1, 300) i;
-- the person has 1000 meals, everybody else 3
CREATE TABLE clinic.meals38 (stay int REFERENCES clinic.stays38, price float8 NOT NULL, dish text NOT NULL);
INSERT INTO clinic.meals38 SELECT i, 10, 'soup' FROM generate_series(1, 300) i;
INSERT INTO clinic.meals38 SELECT 41, 10, 'Zebedee''s soup' FROM generate_series(1, 997);
SELECT format('ALTER TABLE clinic.%s OWNER TO dpsens_attack_owner', t) FROM unnest(ARRAY['guests38', 'stays38', 'meals38']) t \gexec
GRANT SELECT ON clinic.guests38, clinic.stays38, clinic.meals38 TO dpsens_attack_reader;
SET ROLE dpsens_attack_owner;
DO $$
DECLARE
    r text;
BEGIN
    PERFORM dpsens.protect('guests38', unit => 'id'), dpsens.protect('stays38', unit => 'guest', max_rows => 3);
    PERFORM dpsens.protect('meals38', unit => 'stays38.guest', max_rows => 5);
    PERFORM dpsens.set_range('guests38', 'weight', 0, 10), dpsens.set_range('stays38', 'nights', 0, 1), dpsens.set_range('meals38', 'price', 0, 10);
    FOREACH r IN ARRAY '{meals38, stays38}'::text[] LOOP
        PERFORM dpsens.grant_budget(r::regclass, 'dpsens_attack_ana', epsilon => 100000, delta => 0.01, own_tables => true);
    END LOOP;
END $$;
RESET ROLE;
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.pairs38 (stay int PRIMARY KEY, other int NOT NULL);
INSERT INTO lab.pairs38 SELECT i, 41 FROM generate_series(1, 300) i;
CREATE TABLE lab.menu38 (dish text PRIMARY KEY, spice float8 NOT NULL);
INSERT INTO lab.menu38 VALUES ('soup', 1), ('Zebedee''s soup', 1e9);
SELECT dpsens.set_range('lab.menu38', 'spice', 0, 2);
RESET ROLE;
GRANT ALL ON lab.pairs38, lab.menu38 TO PUBLIC;

-- a thousand rows of one person count for five, wherever they are joined
SET dpsens.noise = off;
SELECT cmp_ok(dp_count(*), '=', 302::bigint, 'rows beyond the limit of a unit that is reached') FROM meals38;
SELECT cmp_ok(dp_count(*), '=', 302::bigint, 'the same through a join') FROM meals38 m JOIN stays38 s ON s.id = m.stay;
SELECT cmp_ok(dp_count(*), '<=', 5::bigint, 'the same of a selection') FROM meals38 m JOIN stays38 s ON s.id = m.stay WHERE guest = 42;
SELECT cmp_ok(dp_sum(spice), '<=', 5 * 2::float8, 'the same with a weight of somebody''s own') FROM meals38 m JOIN menu38 o ON o.dish = m.dish WHERE o.dish <> 'soup';
RESET dpsens.noise;
SELECT attempt('rows of one person: ' || question, question, '(0A000|42501|55000)', regexp_replace(question, 'dp_', '', 'g'), '00000.\([1-9]..')
FROM unnest(ARRAY[
    -- rows of others are hung on the person's, whose removal would take them along
    'SELECT dp_count(*) FROM meals38 m JOIN pairs38 p ON p.stay = m.stay JOIN stays38 s ON s.id = p.other', 'SELECT dp_count(*) FROM stays38 s JOIN stays38 t ON t.id = 41', 'SELECT dp_count(*) FROM meals38 m JOIN stays38 s ON s.id = 41',
    'SELECT dp_count(*) FROM stays38 s LEFT JOIN meals38 m ON m.stay = s.id', 'SELECT dp_count(*) FROM meals38 m LEFT JOIN stays38 s ON s.id = 41', 'SELECT dp_count(*) FROM stays38 s JOIN stays38 t ON t.guest = s.guest', 'SELECT dp_count(*) FROM meals38 m JOIN meals38 n ON n.stay = m.stay',
    'SELECT dp_count(*) FROM (SELECT s.id FROM stays38 s JOIN pairs38 p ON p.stay = s.id) a JOIN stays38 t ON t.id = 41', 'SELECT dp_count(*) FROM meals38 m JOIN stays38 s ON s.id = m.stay OR s.id = 41', 'SELECT dp_count(*) FROM meals38 m, stays38 s WHERE s.id >= m.stay AND s.id <= m.stay',
    'SELECT dp_count(*) FROM stays38 s JOIN meals38 m ON m.stay = s.id AND m.dish = ''soup'' JOIN stays38 t ON t.id = s.id + 0', 'SELECT dp_count(*) FROM stays38 s JOIN people p ON p.id = s.id'
]) question;
-- who is the unit is not for whoever asks to see, and no table without a budget is asked
SELECT attempt('the table of units: ' || question, question, '(42501|0A000|00000$)', twin, 'Zebedee')
FROM (VALUES ('SELECT dp_count(*) FROM guests38', 'SELECT max(name) FROM guests38'), ('SELECT dp_count(*) FROM stays38 s JOIN guests38 g ON g.id = s.guest WHERE name = ''Zebedee''', 'SELECT count(*), max(name) FROM stays38 s JOIN guests38 g ON g.id = s.guest'),
    ('SELECT guest, dp_count(*) FROM meals38 m JOIN stays38 s ON s.id = m.stay GROUP BY guest', 'SELECT g.name, count(*) FROM meals38 m JOIN stays38 s ON s.id = m.stay JOIN guests38 g ON g.id = guest GROUP BY g.name'),
    ('SELECT dish FROM meals38', 'SELECT dish FROM meals38'), ('SELECT guest FROM stays38', 'SELECT name FROM guests38 JOIN stays38 s ON s.guest = guests38.id')) list (question, twin);
-- both budgets pay
SELECT COALESCE(sum(epsilon), 0) AS before FROM dpsens.releases WHERE role = 'dpsens_attack_ana' AND relation LIKE '%stays38' \gset
SET ROLE dpsens_attack_ana;
SELECT lives_ok('SELECT dp_count(true, 7.0) FROM meals38 m JOIN stays38 s ON s.id = m.stay', 'a join of two');
RESET ROLE;
SELECT is(sum(epsilon) - :before, 7::float8, 'the other one pays, too') FROM dpsens.releases WHERE role = 'dpsens_attack_ana' AND relation LIKE '%stays38';
SELECT * FROM finish();
