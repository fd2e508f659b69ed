-- pictures.sql
--	A table whose report is photographed: all that a report has, once, and nothing in it that time or noise decides the
--	length of.  Charges follow from declarations, distributions from rows, and days are counted back from today.  Needs the
--	superuser; roles go with pictures.pl.
\set ON_ERROR_STOP 1
\o /dev/null
SET client_min_messages = warning;
CREATE ROLE picture_owner;
CREATE ROLE picture_alice;
CREATE ROLE picture_bob;
CREATE ROLE picture_auditor;
GRANT CREATE ON DATABASE :"DBNAME" TO picture_owner;
CREATE SCHEMA picture AUTHORIZATION picture_owner;
SET search_path = picture, public;
SET ROLE picture_owner;
CREATE TABLE patients (id int PRIMARY KEY, weight_kg float8 NOT NULL, height_m float8 NOT NULL, age float8 NOT NULL, ward text NOT NULL);
INSERT INTO patients SELECT i, 50 + i % 60, 1.5 + i % 40 / 100.0, 20 + i % 70, (ARRAY['north', 'south'])[1 + i % 2] FROM generate_series(1, 300) i;
SELECT dpsens.protect('patients', unit => 'id', adjacency => 'replace'), dpsens.set_range('patients', 'weight_kg', 30, 300), dpsens.set_range('patients', 'height_m', 0.5, 2.5),
    dpsens.set_range('patients', 'age', 0, 120), dpsens.set_values('patients', 'ward', 'north', 'south'), dpsens.set_budget('patients', epsilon => 30, delta => 1e-6),
    dpsens.set_column_budget('patients', 'weight_kg', epsilon => 12), dpsens.grant_budget('patients', 'picture_alice', epsilon => 9.8),
    dpsens.grant_budget('patients', 'picture_bob', epsilon => 2, refresh => '30 days'),
    dpsens.set_policy('patients', epsilon => 1, mechanisms => '{laplace,geometric,gaussian}'), dpsens.grant_audit('patients', 'picture_auditor'),
    dpsens.register('bmi', 'patients', 'weight_kg / height_m^2');
GRANT SELECT (ward) ON patients TO picture_alice;
GRANT USAGE ON SCHEMA picture TO PUBLIC;
SET ROLE picture_alice;
SELECT format('SELECT dp_count(true, 0.0625) FROM picture.patients WHERE age > %s', i) FROM generate_series(1, 5) i \gexec
SELECT ward, dp_avg(weight_kg, 0.5), dp_sum(ARRAY[age, height_m], 0.25) FROM picture.patients GROUP BY ward;
SET ROLE picture_bob;
SELECT dp_avg(picture.bmi(t), 0.25) FROM picture.patients t;
RESET ROLE;
ALTER TABLE dpsens.release DISABLE TRIGGER ALL;
UPDATE dpsens.release r SET released_at = r.released_at - o.place % 5 * interval '4 days'
    FROM (SELECT release, row_number() OVER (ORDER BY release) AS place FROM dpsens.release WHERE relation = 'picture.patients'::regclass) o WHERE o.release = r.release;
ALTER TABLE dpsens.release ENABLE TRIGGER ALL;
