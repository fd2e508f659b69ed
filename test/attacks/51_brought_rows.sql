-- Row 15 again: rows of public relations that are brought into a clean room are those
-- that conditions on them alone leave, no more than there may be, and the answers are
-- what they are without.
\ir start.sql
SELECT current_setting('dpsens.clean_rooms')::int > 0 AS rooms \gset
CREATE TABLE clinic.places51 (k int PRIMARY KEY, city text NOT NULL, opened timestamp NOT NULL, note text);
INSERT INTO clinic.places51 SELECT i, 'C' || i % 10, '2020-01-01'::timestamp + i * interval '1 day', NULL FROM generate_series(1, 1000) i;
CREATE TABLE clinic.walled51 (k int PRIMARY KEY, whose name NOT NULL, city text NOT NULL);
INSERT INTO clinic.walled51 SELECT i, CASE WHEN i <= 200 THEN 'dpsens_attack_ana' ELSE 'dpsens_attack_reader' END, 'C' || i % 10 FROM generate_series(1, 1000) i;
ALTER TABLE clinic.walled51 ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON clinic.walled51 USING (whose = CURRENT_USER);
CREATE VIEW clinic.behind51 WITH (security_barrier) AS SELECT k, city FROM clinic.places51 WHERE k <= 200;
CREATE TABLE clinic.wide51 (k int PRIMARY KEY, note text NOT NULL);
ALTER TABLE clinic.wide51 ALTER note SET STORAGE EXTERNAL;
INSERT INTO clinic.wide51 SELECT i, repeat('x', 100000) FROM generate_series(1, 20) i;
CREATE TABLE clinic.parted51 (k int PRIMARY KEY, city text NOT NULL) PARTITION BY RANGE (k);
CREATE TABLE clinic.parted51_low PARTITION OF clinic.parted51 FOR VALUES FROM (0) TO (300);
CREATE TABLE clinic.parted51_high PARTITION OF clinic.parted51 FOR VALUES FROM (300) TO (2000);
INSERT INTO clinic.parted51 SELECT i, 'C' || i % 10 FROM generate_series(1, 1000) i;
SELECT format('ALTER TABLE clinic.%s OWNER TO dpsens_attack_owner', t) FROM unnest(ARRAY['places51', 'walled51', 'behind51', 'wide51', 'parted51', 'parted51_low', 'parted51_high']) t \gexec
GRANT SELECT ON clinic.places51, clinic.walled51, clinic.behind51, clinic.wide51, clinic.parted51 TO PUBLIC;
-- so that noise is 0 in all but one of 10^25 answers
SET dpsens.epsilon = 60;

-- how a question ends where no more may be brought than this
CREATE FUNCTION pg_temp.limited(what text, most text, question text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
BEGIN
    PERFORM set_config('dpsens.max_public_' || what, most, false);
    said = lab.try('dpsens_attack_ana', question);
    PERFORM set_config('role', 'none', false), set_config('dpsens.max_public_' || what, '0', false);
    RETURN said;
END $$;

CREATE TEMP TABLE asked51 (question text, answer text, brought int);
INSERT INTO asked51 VALUES
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE w.city = ''C1''', '(40)', 100),
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id AND w.city = ''C1''', '(40)', 100),
    ('SELECT dp_count(*) FROM people p, places51 w WHERE w.k = p.id AND p.id < 100 AND w.k <= 50 AND w.city IN (''C1'', ''C2'')', '(10)', 10),
    ('SELECT dp_count(*) FROM people p JOIN (SELECT k AS number, city FROM places51 WHERE city = ''C1'') w ON w.number = p.id WHERE w.number <= 50', '(5)', 5),
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE lower(w.city) = ''c1'' AND w.k % 20 = 1', '(20)', 50),
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE w.city LIKE ''%1''', '(40)', 100),
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE CASE WHEN w.k = 1 THEN true ELSE w.city = ''C2'' END', '(41)', 101),
    -- on the optional side of an outer join its own condition alone says what is met
    ('SELECT dp_count(*), dp_count(w.k) FROM people p LEFT JOIN places51 w ON w.k = p.id AND w.city = ''C1''', '(400,40)', 100),
    ('SELECT dp_count(*) FROM people p LEFT JOIN places51 w ON w.k = p.id WHERE w.city IS NULL OR w.city = ''C1''', '(40)', 1000),
    ('SELECT dp_count(*) FROM people p LEFT JOIN places51 w ON w.k = p.id AND w.city = ''C1'' WHERE w.city IS NULL', '(360)', 100),
    ('SELECT dp_count(*) FROM people p LEFT JOIN (places51 w JOIN parted51 v ON v.k = w.k AND v.city = ''C1'') ON w.k = p.id AND w.k <= 100 WHERE w.k IS NULL OR v.city <> ''C1''', '(390)', 200),
    -- conditions of subqueries in conditions
    ('SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM places51 w WHERE w.k = p.id AND w.city = ''C1'')', '(40)', 100),
    ('SELECT dp_count(*) FROM people p WHERE p.id NOT IN (SELECT w.k FROM places51 w WHERE w.city = ''C1'')', '(360)', 100),
    -- what others may say of it stays where it is
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE w.city = ''C1'' OR p.id = 2', '(41)', 1000),
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE w.opened <= timestamptz ''2020-01-11 12:00+00''', '(10)', 1000),
    ('SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE w.opened <= LOCALTIMESTAMP AND w.k <= 10', '(10)', 10),
    -- what is hidden is not brought
    ('SELECT dp_count(*) FROM people p JOIN walled51 w ON w.k = p.id', '(200)', 200),
    ('SELECT dp_count(*) FROM people p JOIN walled51 w ON w.k = p.id WHERE w.city = ''C1''', '(20)', 20),
    ('SELECT dp_count(*) FROM people p JOIN behind51 w ON w.k = p.id WHERE w.city = ''C1''', '(20)', 20),
    ('SELECT dp_count(*) FROM people p JOIN parted51 w ON w.k = p.id WHERE w.city = ''C1'' AND w.k < 350', '(35)', 35),
    -- the limit is that of the statement
    ('SELECT (SELECT dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE w.city = ''C1''), dp_count(*) FROM people p JOIN places51 w ON w.k = p.id WHERE w.city = ''C2''', '(40,40)', 200);
SELECT is(pg_temp.limited('rows', '0', question), '00000|' || answer, question) FROM asked51;
SELECT is(pg_temp.limited('rows', brought::text, question), '00000|' || answer, 'as many rows as are needed: ' || question) FROM asked51;
SELECT is(pg_temp.limited('rows', '1', 'WITH m AS (SELECT k FROM places51), n AS (SELECT k FROM m) SELECT dp_count(*) FROM people'), '00000|(400)', 'nothing that is not read');
SELECT lab.charged() AS charged \gset
SELECT matches(pg_temp.limited('rows', (brought - 1)::text, question), '^53400\|.*more rows', 'no fewer: ' || question) FROM asked51 WHERE :'rooms';
CREATE TEMP VIEW wide51 AS SELECT 'SELECT dp_count(*) FROM people p JOIN clinic.wide51 w ON w.k = p.id WHERE w.note <> '''''::text AS question;
SELECT matches(pg_temp.limited('size', '1MB', question), '^53400\|.*larger rows', 'rows that are too large together') FROM wide51 WHERE :'rooms';
SELECT is(lab.charged(), :charged::bigint, 'what is refused is not charged');
-- conditions anywhere in joins, inner and outer ones: the same answers as of who reads all
CREATE FUNCTION pg_temp.some_of(parts text[]) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT string_agg(part, ' AND ') FROM (SELECT part FROM unnest(parts) part WHERE random() < 0.4) picked;
$$;
CREATE FUNCTION pg_temp.joins() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    of_w text[] = ARRAY['w.city = ''C1''', 'w.k <= 200', 'w.k % 3 = 0', 'w.city <> ''C2''', 'lower(w.city) < ''c6''', 'w.note IS NULL'];
    of_v text[] = ARRAY['v.city = ''C1''', 'v.k < 300', 'v.k % 2 = 0', 'v.city IN (''C1'', ''C3'', ''C6'')'];
    of_p text[] = ARRAY['p.member', 'p.age < 50'];
    kinds text[] = ARRAY['JOIN', 'LEFT JOIN'];
    tree text;
BEGIN
    IF random() < 0.5 THEN
        tree = format('people p %s places51 w ON %s %s parted51 v ON %s', kinds[1 + floor(random() * 2)::int], concat_ws(' AND ', 'w.k = p.id', pg_temp.some_of(of_w), pg_temp.some_of(of_p)),
            kinds[1 + floor(random() * 2)::int], concat_ws(' AND ', CASE WHEN random() < 0.5 THEN 'v.k = w.k' ELSE 'v.k = p.id' END, pg_temp.some_of(of_v), pg_temp.some_of(of_w)));
    ELSE
        tree = format('people p %s (places51 w %s parted51 v ON %s) ON %s', kinds[1 + floor(random() * 2)::int], kinds[1 + floor(random() * 2)::int],
            concat_ws(' AND ', 'v.k = w.k', pg_temp.some_of(of_v), pg_temp.some_of(of_w)), concat_ws(' AND ', 'w.k = p.id', pg_temp.some_of(of_v), pg_temp.some_of(of_w)));
    END IF;
    RETURN 'SELECT dp_count(*), dp_count(w.k), dp_count(v.k) FROM ' || tree ||
        COALESCE(' WHERE ' || NULLIF(concat_ws(' AND ', pg_temp.some_of(of_p), CASE WHEN random() < 0.3 THEN pg_temp.some_of(of_w) END,
            CASE WHEN random() < 0.3 THEN pg_temp.some_of(of_v) END, CASE WHEN random() < 0.2 THEN 'v.k IS NULL' END, CASE WHEN random() < 0.2 THEN '(w.city = ''C1'') IS NOT TRUE' END), ''), '');
END $$;
SELECT setseed(0.51) \g /dev/null
CREATE TEMP TABLE joined51 AS SELECT pg_temp.joins() AS question FROM generate_series(1, 150);
CREATE TEMP TABLE told51 AS SELECT question, pg_temp.limited('rows', '0', question) AS said FROM joined51;
SELECT is(said, lab.try('dpsens_attack_reader', replace(question, 'dp_', '')), question) FROM told51 WHERE said LIKE '00000%';
RESET ROLE;
SELECT cmp_ok(count(*), '>', 100::bigint, 'most of them are answered') FROM told51 WHERE said LIKE '00000%';

SELECT is(pg_temp.limited('size', '1MB', question || ' AND w.k <= 10'), '00000|(10)', 'fewer are not') FROM wide51;
SELECT is(pg_temp.limited('size', '3MB', question), '00000|(20)', 'nor where more is allowed') FROM wide51;
SELECT matches(pg_temp.limited('rows', '1', format('SET dpsens.max_public_%s = 0', what)), '^42501', 'the limit is not theirs: ' || what) FROM unnest(ARRAY['rows', 'size']) what;
SELECT * FROM finish();
