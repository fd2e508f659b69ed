-- fill.sql
--	A database that has everything which an update keeps, and a move brings along: made
--	with a release, and dumped, it is what later versions are tested with (moved.psql looks
--	at it).  Needs the roles curator and analyst; each answer is charged, no noise is looked at.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION dpsens;
SELECT format('GRANT CREATE ON DATABASE %I TO curator', current_database()) \gexec
GRANT CREATE, USAGE ON SCHEMA public TO curator;
SET ROLE curator;
CREATE TABLE patients (patient_id int PRIMARY KEY, age float8 NOT NULL, ward text NOT NULL);
INSERT INTO patients SELECT i, 20 + i % 60, CASE WHEN i % 2 = 0 THEN 'heart' ELSE 'lung' END FROM generate_series(1, 200) i;
CREATE TABLE stays (stay_id int PRIMARY KEY, patient_id int NOT NULL REFERENCES patients, days int NOT NULL);
INSERT INTO stays SELECT i, 1 + i % 200, i % 30 FROM generate_series(1, 400) i;
CREATE TABLE visits (visit_id int PRIMARY KEY, minutes float8 NOT NULL);
INSERT INTO visits SELECT i, i % 90 FROM generate_series(1, 100) i;
CREATE TABLE wards (ward text PRIMARY KEY, city text NOT NULL);
INSERT INTO wards VALUES ('heart', 'Bonn'), ('lung', 'Ulm');

DO $$
BEGIN
	PERFORM dpsens.protect('patients', unit => 'patient_id'), dpsens.set_range('patients', 'age', 18, 100), dpsens.set_values('patients', 'ward', 'heart', 'lung'),
		dpsens.protect('stays', unit => 'patients.patient_id', max_rows => 3), dpsens.set_range('stays', 'days', 0, 60),
		dpsens.protect('visits', unit => 'visit_id'), dpsens.set_range('visits', 'minutes', 0, 120),
		dpsens.set_public('wards'), dpsens.register('decades', 'patients', 'age / 10');
	PERFORM dpsens.set_budget('patients', epsilon => 10), dpsens.grant_budget('patients', 'analyst', epsilon => 2, delta => 1e-6, refresh => '1000 years', own_tables => true),
		dpsens.grant_budget('stays', 'analyst', rho => 3), dpsens.set_budget('visits', row_epsilon => 1);
END $$;
GRANT SELECT ON wards TO analyst;
SELECT dpsens.create_model('risk', '{"input": 1, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}') \g /dev/null
SELECT dpsens.set_model_parameters('risk', '{0.25, -1.5}') \g /dev/null

-- statements that are charged, by a role without SELECT, by one with a budget by rho, and by the owner
RESET ROLE;
SET ROLE analyst;
SELECT ward, dp_avg(age, 0.25) FROM patients GROUP BY ward \g /dev/null
SELECT dp_count(true, 0.5) FROM patients WHERE age > 50 \g /dev/null
SELECT dp_sum(days, 0.125) FROM stays \g /dev/null
RESET ROLE;
SET ROLE curator;
SELECT dp_sum(decades(p), 1) FROM patients p \g /dev/null
SELECT dp_sum(minutes, 0.25) FROM visits WHERE minutes < 60 \g /dev/null
-- what was lost by a row that changes, and by one that goes, is frozen
UPDATE visits SET minutes = 119 WHERE visit_id = 1;
DELETE FROM visits WHERE visit_id = 2;
SELECT dp_sum(minutes, 0.5) FROM visits \g /dev/null
