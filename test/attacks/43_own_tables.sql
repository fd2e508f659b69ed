-- Row 21 again: what is read, and when, of tables that the analyst owns, and what
-- the session remembers.  Questions ask about one person; what the role sees after
-- is the same whether or not there is one.
\ir start.sql
CREATE FUNCTION lab.ask43(question text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE question; END $$;
CREATE FUNCTION lab.cast43(what text) RETURNS mood LANGUAGE plpgsql AS $$ BEGIN RETURN what::mood; EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$;
CREATE TEMP TABLE seen43 (n serial, question text, buffers text);
CREATE TEMP TABLE met43 (n int, role text, tab text, question text, buffers text);
-- keeps what was read since the last time
CREATE FUNCTION pg_temp.met(who text, tab text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO met43 SELECT row_number() OVER (ORDER BY n), who, tab, question, buffers FROM seen43;
    DELETE FROM seen43;
$$;

-- ---- the role's own tables: which of their pages were read ----
\setenv BEFORE 'DROP TABLE IF EXISTS lab.own43; CREATE TABLE lab.own43 (k int PRIMARY KEY, v text NOT NULL) WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off); ALTER TABLE lab.own43 OWNER TO %r; ALTER TABLE lab.own43 ALTER COLUMN v SET STORAGE EXTERNAL; INSERT INTO lab.own43 SELECT i, repeat($$x$$, CASE WHEN i % 20 = 2 THEN 3000 ELSE 50 END) FROM generate_series(1, 400) AS i'
\setenv LOOK 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*), sum(length(v)) FROM lab.own43'
\copy seen43 (question, buffers) FROM PROGRAM 'bash seen.sh dpsens_attack_ana people < own_tables.txt'
SELECT pg_temp.met('ana', 'people') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'bash seen.sh dpsens_attack_ana others < own_tables.txt'
SELECT pg_temp.met('ana', 'others') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'sed s/dp_count/count/ own_tables.txt | bash seen.sh dpsens_attack_reader people'
SELECT pg_temp.met('reader', 'people') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'sed s/dp_count/count/ own_tables.txt | bash seen.sh dpsens_attack_reader others'
SELECT pg_temp.met('reader', 'others') \g /dev/null
SELECT is(a.buffers, b.buffers, 'pages of an own table: ' || a.question)
FROM met43 a JOIN met43 b USING (role, n) WHERE role = 'ana' AND a.tab = 'people' AND b.tab = 'others' ORDER BY n;
SELECT unalike(buffers, '%dirtied%', 'it was read to its end: ' || question) FROM met43 WHERE role = 'ana' AND tab = 'people' ORDER BY n;
SELECT matches(buffers, '^Buffers: shared hit', 'it was answered: ' || question) FROM met43 WHERE role = 'ana' ORDER BY tab, n;
SELECT cmp_ok(count(*), '>=', 10::bigint, 'pages of an own table: open to others')
FROM met43 a JOIN met43 b USING (role, n) WHERE role = 'reader' AND a.tab = 'people' AND b.tab = 'others' AND a.buffers <> b.buffers;
DELETE FROM met43;

-- the same of one in parts
\setenv BEFORE 'DROP TABLE IF EXISTS lab.own43; CREATE TABLE lab.own43 (k int PRIMARY KEY, v text NOT NULL) PARTITION BY RANGE (k); CREATE TABLE lab.low43 PARTITION OF lab.own43 FOR VALUES FROM (0) TO (42) WITH (autovacuum_enabled = off); CREATE TABLE lab.high43 PARTITION OF lab.own43 FOR VALUES FROM (42) TO (1000) WITH (autovacuum_enabled = off); ALTER TABLE lab.own43 OWNER TO %r; INSERT INTO lab.own43 SELECT i, repeat($$x$$, 50) FROM generate_series(1, 400) AS i'
\copy seen43 (question, buffers) FROM PROGRAM 'grep -E "enable_nestloop|EXISTS| IN " own_tables.txt | bash seen.sh dpsens_attack_ana people'
SELECT pg_temp.met('ana', 'people') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'grep -E "enable_nestloop|EXISTS| IN " own_tables.txt | bash seen.sh dpsens_attack_ana others'
SELECT pg_temp.met('ana', 'others') \g /dev/null
SELECT is(a.buffers, b.buffers, 'pages of an own table in parts: ' || a.question)
FROM met43 a JOIN met43 b USING (role, n) WHERE a.tab = 'people' AND b.tab = 'others' ORDER BY n;
SELECT ok(buffers ~ '^Buffers: shared hit' AND buffers !~ 'dirtied', 'its parts were read to their ends: ' || question) FROM met43 WHERE tab = 'people' ORDER BY n;
DELETE FROM met43;

-- ---- protected tables are read to their end ----
SET ROLE dpsens_attack_owner;
CREATE TABLE clinic.ended43 (id int PRIMARY KEY, name text NOT NULL);
SELECT dpsens.protect('clinic.ended43') \g /dev/null
SELECT dpsens.grant_budget('clinic.ended43', 'dpsens_attack_ana', epsilon => 1000, own_tables => true) \g /dev/null
GRANT SELECT ON clinic.ended43 TO dpsens_attack_reader;
RESET ROLE;
CREATE TABLE lab.none43 (k int PRIMARY KEY);
CREATE TABLE lab.first43 (k int PRIMARY KEY);
INSERT INTO lab.first43 VALUES (1);
GRANT ALL ON lab.none43, lab.first43 TO PUBLIC;
-- A row's page is marked by who reads it first, unless a commit among the next 32 is not
-- flushed yet, as that of the charge may be when a clean room reads: hence the others.
CREATE TABLE lab.between43 (k int);
\setenv BEFORE 'TRUNCATE clinic.ended43; INSERT INTO clinic.ended43 SELECT i, i::text FROM generate_series(1, 4000) AS i; ANALYZE lab.none43, lab.first43; DO $d$ BEGIN FOR i IN 1..64 LOOP BEGIN INSERT INTO lab.between43 VALUES (i); EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $d$'
\setenv LOOK 'RESET SESSION AUTHORIZATION; EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(name) FROM clinic.ended43'
\copy seen43 (question, buffers) FROM PROGRAM 'bash seen.sh dpsens_attack_ana ended43 < ended_tables.txt'
SELECT pg_temp.met('ana', 'ended43') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'sed s/dp_count/count/ ended_tables.txt | bash seen.sh dpsens_attack_reader ended43'
SELECT pg_temp.met('reader', 'ended43') \g /dev/null
SELECT is(buffers ~ '^Buffers: shared hit' AND buffers !~ 'dirtied', true, 'a protected table is read to its end: ' || question || ' ' || buffers) FROM met43 WHERE role = 'ana' ORDER BY n;
SELECT cmp_ok(count(*), '>=', 3::bigint, 'protected tables: open to others') FROM met43 WHERE role = 'reader' AND buffers ~ 'dirtied';
DELETE FROM met43;

-- ---- catalogs that casts have asked ----
\setenv BEFORE 'SELECT 1'
\setenv LOOK 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT lab.cast43($$Zebedee$$)'
\copy seen43 (question, buffers) FROM PROGRAM 'echo "SELECT lab.cast43(\$\$x\$\$); SELECT dp_count(*) FROM %s WHERE secret AND name::mood = \$\$sad\$\$" | bash seen.sh dpsens_attack_ana people'
SELECT pg_temp.met('ana', 'people') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'echo "SELECT lab.cast43(\$\$x\$\$); SELECT dp_count(*) FROM %s WHERE secret AND name::mood = \$\$sad\$\$" | bash seen.sh dpsens_attack_ana others'
SELECT pg_temp.met('ana', 'others') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'echo "SELECT lab.cast43(\$\$x\$\$); SELECT count(lab.cast43(name)) FROM %s WHERE secret" | bash seen.sh dpsens_attack_reader people'
SELECT pg_temp.met('reader', 'people') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'echo "SELECT lab.cast43(\$\$x\$\$); SELECT count(lab.cast43(name)) FROM %s WHERE secret" | bash seen.sh dpsens_attack_reader others'
SELECT pg_temp.met('reader', 'others') \g /dev/null
SELECT ok((a.buffers IS DISTINCT FROM b.buffers) = (role = 'reader') AND a.buffers !~ 'ERROR' AND b.buffers !~ 'ERROR', CASE role WHEN 'ana' THEN 'labels that were asked for' ELSE 'labels: open to others' END || ' ' || a.buffers || ', ' || b.buffers)
FROM met43 a JOIN met43 b USING (role, n) WHERE a.tab = 'people' AND b.tab = 'others' ORDER BY role;
DELETE FROM met43;

-- ---- catalogs that casts have asked before the statement was cancelled ----
-- The person is the last row; joined by merging, all rows have been cast when the
-- first is padded, which takes long enough.  Whenever the cancel comes, nothing is seen.
CREATE TABLE lab.cancelled43 (k int PRIMARY KEY, v text NOT NULL);
INSERT INTO lab.cancelled43 SELECT i, 'a' FROM generate_series(1, 400) AS i;
GRANT ALL ON lab.cancelled43 TO PUBLIC;
\copy seen43 (question, buffers) FROM PROGRAM 'bash cancelled.sh dpsens_attack_ana people'
SELECT pg_temp.met('ana', 'people') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'bash cancelled.sh dpsens_attack_ana others'
SELECT pg_temp.met('ana', 'others') \g /dev/null
SELECT ok(a.buffers = b.buffers AND a.buffers LIKE 'Buffers: shared hit%', 'labels that were asked for before a cancel: ' || a.buffers || ', ' || b.buffers)
FROM met43 a JOIN met43 b USING (role, n) WHERE a.tab = 'people' AND b.tab = 'others';
DELETE FROM met43;

-- ---- collations and the order of labels ----
CREATE TYPE lab.grade43 AS ENUM ('good', 'best');
ALTER TYPE lab.grade43 ADD VALUE 'bad' BEFORE 'good';
ALTER TYPE lab.grade43 ADD VALUE 'fair' BEFORE 'good';
CREATE TABLE clinic.graded43 (id int PRIMARY KEY, grade lab.grade43 NOT NULL, name text COLLATE "ucs_basic" NOT NULL, secret boolean NOT NULL);
INSERT INTO clinic.graded43 SELECT i, CASE WHEN i % 2 = 0 THEN 'good' ELSE 'fair' END::lab.grade43, 'Zebedee', i = 42 FROM generate_series(1, 400) AS i;
ALTER TABLE clinic.graded43 OWNER TO dpsens_attack_owner;
GRANT SELECT ON clinic.graded43 TO dpsens_attack_reader;
SET ROLE dpsens_attack_owner;
SELECT dpsens.protect('clinic.graded43') \g /dev/null
SELECT dpsens.grant_budget('clinic.graded43', 'dpsens_attack_ana', epsilon => 1000, own_tables => true) \g /dev/null
RESET ROLE;
CREATE FUNCTION lab.ordered43() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN 'bad'::lab.grade43 < 'fair'::lab.grade43 AND 'a' < 'b' COLLATE "ucs_basic"; END $$;
\setenv LOOK 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT lab.ordered43()'
\copy seen43 (question, buffers) FROM PROGRAM 'for i in 42 1042; do echo "SELECT dp_count(*) FROM graded43 WHERE id = $i AND grade < \$\$good\$\$ AND name > \$\$a\$\$"; done | bash seen.sh dpsens_attack_ana graded43'
SELECT pg_temp.met('ana', 'graded43') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'for i in 42 1042; do echo "SELECT count(*) FROM graded43 WHERE id = $i AND grade > \$\$bad\$\$ AND name > \$\$a\$\$"; done | bash seen.sh dpsens_attack_reader graded43'
SELECT pg_temp.met('reader', 'graded43') \g /dev/null
SELECT ok((a.buffers IS DISTINCT FROM b.buffers) = (a.role = 'reader') AND a.buffers !~ 'ERROR' AND b.buffers !~ 'ERROR',
    CASE a.role WHEN 'ana' THEN 'the order of labels' ELSE 'the order of labels: open to others' END || ' ' || a.buffers || ', ' || b.buffers)
FROM met43 a JOIN met43 b ON a.role = b.role AND a.n = 1 AND b.n = 2 ORDER BY a.role;
DELETE FROM met43;

-- ---- the relation of long cells that a row has opened ----
SET ROLE dpsens_attack_owner;
CREATE TABLE clinic.long43 (id int PRIMARY KEY, v text NOT NULL);
ALTER TABLE clinic.long43 ALTER COLUMN v SET STORAGE EXTERNAL;
INSERT INTO clinic.long43 SELECT i, repeat('x', CASE WHEN i = 42 THEN 30000 ELSE 30 END) FROM generate_series(1, 400) AS i;
SELECT dpsens.protect('clinic.long43') \g /dev/null
SELECT dpsens.grant_budget('clinic.long43', 'dpsens_attack_ana', epsilon => 1000, own_tables => true) \g /dev/null
GRANT SELECT ON clinic.long43 TO dpsens_attack_reader;
RESET ROLE;
SELECT reltoastrelid AS long43 FROM pg_class WHERE oid = 'clinic.long43'::regclass \gset
\set look 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT pg_get_replica_identity_index(' :long43 ')'
\setenv LOOK :look
\copy seen43 (question, buffers) FROM PROGRAM 'for i in 42 41; do echo "SELECT dp_count(*) FROM long43 WHERE id = $i AND length(v) > 10"; done | bash seen.sh dpsens_attack_ana long43'
SELECT pg_temp.met('ana', 'long43') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'for i in 42 41; do echo "SELECT count(*) FROM long43 WHERE id = $i AND length(v) > 10"; done | bash seen.sh dpsens_attack_reader long43'
SELECT pg_temp.met('reader', 'long43') \g /dev/null
SELECT ok((a.buffers IS DISTINCT FROM b.buffers) = (a.role = 'reader') AND a.buffers !~ 'ERROR' AND b.buffers !~ 'ERROR',
    CASE a.role WHEN 'ana' THEN 'a long cell' ELSE 'a long cell: open to others' END || ' ' || a.buffers || ', ' || b.buffers)
FROM met43 a JOIN met43 b ON a.role = b.role AND a.n = 1 AND b.n = 2 ORDER BY a.role;
DELETE FROM met43;

-- ---- statistics, at which a hash join looks when it has a first row ----
-- The first question of three finds new definitions.
SET ROLE dpsens_attack_owner;
CREATE TABLE clinic.guest43 (id int PRIMARY KEY);
CREATE TABLE clinic.stay43 (id int PRIMARY KEY, guest int NOT NULL REFERENCES clinic.guest43 ON DELETE CASCADE, item text NOT NULL);
INSERT INTO clinic.guest43 SELECT generate_series(1, 100);
INSERT INTO clinic.stay43 SELECT i, i / 2 + 1, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END FROM generate_series(1, 100) AS i;
SELECT dpsens.protect('clinic.guest43', unit => 'id'), dpsens.protect('clinic.stay43', unit => 'guest43.id', max_rows => 4) \g /dev/null
SELECT dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000, own_tables => true) FROM unnest('{clinic.guest43, clinic.stay43}'::regclass[]) r \g /dev/null
RESET ROLE;
CREATE FUNCTION lab.planned43() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT FROM lab.first43 WHERE k = 1'; RETURN 0; END $$;
\setenv LOOK 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT lab.planned43()'
\copy seen43 (question, buffers) FROM PROGRAM 'for i in N Z N; do echo "SELECT dp_count(*) FROM stay43 WHERE item LIKE \$\$$i%\$\$"; done | bash seen.sh dpsens_attack_ana stay43'
SELECT pg_temp.met('ana', 'stay43') \g /dev/null
\copy seen43 (question, buffers) FROM PROGRAM 'for i in "IS NOT NULL" "= 1" "IS NOT NULL"; do echo "SELECT count(*) FROM lab.first43 WHERE k $i"; done | bash seen.sh dpsens_attack_reader stay43'
SELECT pg_temp.met('reader', 'stay43') \g /dev/null
SELECT ok((a.buffers IS DISTINCT FROM b.buffers) = (a.role = 'reader') AND a.buffers !~ 'ERROR' AND b.buffers !~ 'ERROR',
    CASE a.role WHEN 'ana' THEN 'statistics' ELSE 'statistics: open to others' END || ' ' || a.buffers || ', ' || b.buffers)
FROM met43 a JOIN met43 b ON a.role = b.role AND a.n = 2 AND b.n = 3 ORDER BY a.role;
SELECT * FROM finish();
