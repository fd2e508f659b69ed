-- Questions that people who know PostgreSQL ask of such tables, as they come: which are
-- answered, and that those which are not say what to do instead.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA questions_tap;
SET search_path = questions_tap, public;
SET timezone = 'UTC';
SELECT plan(369);

CREATE TYPE sex AS ENUM ('female', 'male', 'other');
CREATE DOMAIN positive AS numeric(10, 2) CHECK (VALUE >= 0);
CREATE TABLE wards (id int PRIMARY KEY, name text NOT NULL UNIQUE, floor int NOT NULL, region text NOT NULL, bed_cost float8 NOT NULL);
INSERT INTO wards SELECT i, 'ward '||i, i%3,CASE i%2 WHEN 0 THEN 'north' ELSE 'south' END, 100*i FROM generate_series(1, 6) i;
CREATE TABLE patients (id int PRIMARY KEY, name text NOT NULL, sex sex NOT NULL, born date NOT NULL, died date, weight float8, height float8 NOT NULL, smoker boolean NOT NULL, ward int REFERENCES wards, city text NOT NULL, income positive, diagnosis text NOT NULL, updated timestamptz NOT NULL);
INSERT INTO patients SELECT i, 'p'||i, (ARRAY['female', 'male', 'other'])[1+i%3]::sex, date '1940-01-01'+i*13%20000, CASE WHEN i%10=0 THEN date '2020-01-01'+i%100 END,
    50+i%60, 1.5+i%40/100.0, i%4=0, 1+i%6, 'city '||i%5, 1000+i%5000, (ARRAY['E11', 'I10', 'J45'])[1+i%3],
    timestamptz '2024-01-01+00'+i*interval '1 hour' FROM generate_series(1, 2000) i;
CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward int NOT NULL REFERENCES wards, admitted timestamp NOT NULL, discharged timestamp, stay interval, cost numeric NOT NULL, kind text NOT NULL);
INSERT INTO visits SELECT i, 1+i%2000, 1+i%6, timestamp '2023-01-01'+i*interval '1 hour', timestamp '2023-01-01'+i*interval '1 hour'+ (i%20)*interval '6 hour', (i%20)*interval '6 hour', 100+i%900, (ARRAY['planned', 'emergency'])[1+i%2] FROM generate_series(1, 6000) i;
CREATE INDEX ON visits(patient);
CREATE TABLE calendar (day date PRIMARY KEY, holiday boolean NOT NULL, month int NOT NULL);
INSERT INTO calendar SELECT d::date, extract(dow from d)=0, extract(month from d) FROM generate_series('2023-01-01'::date, '2023-12-31', '1 day') d;
CREATE TABLE bands (lo int NOT NULL, hi int NOT NULL, label text NOT NULL);
INSERT INTO bands VALUES (0, 30, 'young'), (30, 60, 'mid'), (60, 120, 'old');
DO $$ BEGIN
PERFORM dpsens.protect('patients', unit=>'id'), dpsens.protect('visits', unit=>'patient', max_rows=>6, max_rows_per_group=>3, max_groups=>4);
PERFORM dpsens.set_range('patients', 'weight', 20, 300), dpsens.set_range('patients', 'height', 1, 2.5), dpsens.set_range('patients', 'income', 0, 20000),
    dpsens.set_range('patients', 'born', '1920-01-01', '2010-01-01'), dpsens.set_range('patients', 'died', '2000-01-01', '2025-01-01'), dpsens.set_range('patients',
    'updated', '2020-01-01', '2026-01-01'),
dpsens.set_values('patients', 'diagnosis', 'E11', 'I10', 'J45'), dpsens.set_range('visits', 'cost', 0, 1000), dpsens.set_range('visits', 'admitted', '2023-01-01',
    '2024-01-01'), dpsens.set_range('visits', 'discharged', '2023-01-01', '2024-02-01'), dpsens.set_range('visits', 'stay', 0, 864000), dpsens.set_values('visits',
    'kind', 'planned', 'emergency'), dpsens.set_range('wards', 'bed_cost', 0, 1000);
END $$;
CREATE TABLE staff (id int PRIMARY KEY, sex sex NOT NULL, weight float8 NOT NULL, height float8 NOT NULL, born date NOT NULL, ward int REFERENCES wards);
INSERT INTO staff SELECT i, (ARRAY['female', 'male', 'other'])[1+i%3]::sex, 60+i%40, 1.6+i%20/100.0, date '1960-01-01'+i*17%12000, 1+i%6 FROM generate_series(1, 500) i;
SELECT dpsens.protect('staff', unit=>'id'), dpsens.set_range('staff', 'weight', 20, 300), dpsens.set_range('staff', 'height', 1, 2.5), dpsens.set_range('staff', 'born', '1920-01-01', '2010-01-01');
CREATE VIEW everyone AS SELECT 'patient'::text AS kind, sex, weight, height FROM patients UNION ALL SELECT 'staff', sex, weight, height FROM staff;
CREATE VIEW bmi AS SELECT id, sex, ward, weight / height^2 AS bmi, extract(year FROM born)::int AS year FROM patients;
CREATE VIEW heavy AS SELECT * FROM bmi WHERE bmi > 25;

-- 00000: answered; same: rows of the exact query are among those of the answer
CREATE TABLE questions (number int GENERATED ALWAYS AS IDENTITY, state text NOT NULL, same boolean NOT NULL, query text NOT NULL);
INSERT INTO questions (state, same, query) VALUES
    ('00000', true, $$SELECT dp_count(*) FROM patients$$),
    ('00000', true, $$SELECT sex, dp_avg(weight / (height * height)) AS bmi FROM patients GROUP BY sex ORDER BY bmi DESC$$),
    ('00000', true, $$SELECT dp_avg(weight / power(height, 2)) FROM patients$$),
    ('00000', true, $$SELECT sex, smoker, dp_count(*) FROM patients GROUP BY 1, 2 ORDER BY 1, 2$$),
    ('00000', false, $$SELECT extract(year FROM age(born)) AS a, dp_count(*) FROM patients GROUP BY 1$$),
    ('0A000', false, $$SELECT dp_avg(extract(year FROM age(born))) FROM patients$$),
    ('0A000', false, $$SELECT dp_avg(extract(year FROM age(died, born))) FROM patients$$),
    ('0A000', false, $$SELECT dp_avg(CURRENT_DATE - born) FROM patients$$),
    ('0A000', false, $$SELECT dp_avg(date_part('year', now()) - date_part('year', born)) FROM patients$$),
    ('00000', true, $$SELECT dp_avg((died - born) / 365.25) FROM patients WHERE died IS NOT NULL$$),
    ('00000', true, $$SELECT CASE WHEN weight < 60 THEN 'light' WHEN weight < 90 THEN 'medium' ELSE 'heavy' END AS class, dp_count(*) FROM patients GROUP BY class ORDER BY class$$),
    ('00000', false, $$SELECT w.name, dp_count(*) FROM patients p JOIN wards w ON w.id = p.ward GROUP BY w.name ORDER BY 2 DESC LIMIT 3$$),
    ('00000', true, $$SELECT w.region, dp_avg(p.weight) FROM patients p JOIN wards w ON p.ward = w.id WHERE w.floor > 0 GROUP BY w.region$$),
    ('00000', true, $$SELECT w.name, dp_count(p.id) FROM wards w LEFT JOIN patients p ON p.ward = w.id GROUP BY w.name$$),
    ('00000', true, $$SELECT date_trunc('month', admitted) AS m, dp_count(*), dp_sum(cost) FROM visits GROUP BY 1 ORDER BY 1$$),
    ('00000', true, $$SELECT to_char(admitted, 'YYYY-MM') AS m, dp_count(*) FROM visits GROUP BY 1 ORDER BY 1$$),
    ('42883', false, $$SELECT dp_avg(discharged - admitted) FROM visits$$),
    ('00000', true, $$SELECT dp_avg(extract(epoch FROM discharged - admitted) / 3600) FROM visits$$),
    ('00000', true, $$SELECT dp_avg(extract(epoch FROM stay)/3600) FROM visits$$),
    ('00000', false, $$SELECT kind, dp_median(cost) FROM visits GROUP BY kind$$),
    ('0A000', false, $$SELECT dp_count(DISTINCT patient) FROM visits$$),
    ('00000', true, $$SELECT dp_count(DISTINCT diagnosis) FROM patients$$),
    ('00000', true, $$SELECT p.sex, dp_sum(v.cost) FROM visits v JOIN patients p ON p.id = v.patient GROUP BY p.sex$$),
    ('00000', true, $$SELECT dp_avg(n) FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) s$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients WHERE id IN (SELECT patient FROM visits WHERE kind = 'emergency')$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.patient = p.id)$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p LEFT JOIN visits v ON v.patient = p.id WHERE v.id IS NULL$$),
    ('00000', true, $$SELECT dp_count(*) FILTER (WHERE smoker)::float / dp_count(*) FROM patients$$),
    ('00000', true, $$SELECT 100.0 * dp_avg(smoker::int) FROM patients$$),
    ('00000', true, $$SELECT dp_avg(CASE WHEN smoker THEN 1 ELSE 0 END) FROM patients$$),
    ('00000', true, $$SELECT dp_sum(CASE WHEN diagnosis = 'E11' THEN 1 ELSE 0 END) FROM patients$$),
    ('00000', true, $$SELECT dp_avg(income) FROM patients WHERE income > 0$$),
    ('00000', true, $$SELECT dp_avg(ln(income)) FROM patients WHERE income >= 100$$),
    ('00000', true, $$SELECT dp_avg(COALESCE(income, 0)) FROM patients$$),
    ('00000', true, $$SELECT width_bucket(weight, 40, 120, 8) b, dp_count(*) FROM patients GROUP BY b ORDER BY b$$),
    ('00000', true, $$SELECT floor(weight / 10) * 10 AS b, dp_count(*) FROM patients GROUP BY b ORDER BY b$$),
    ('00000', true, $$SELECT round(weight) AS b, dp_count(*) FROM patients GROUP BY 1$$),
    ('00000', true, $$SELECT extract(dow FROM admitted) d, dp_count(*) FROM visits GROUP BY 1$$),
    ('00000', true, $$SELECT c.holiday, dp_count(*) FROM visits v JOIN calendar c ON c.day = v.admitted::date GROUP BY c.holiday$$),
    ('0A000', false, $$SELECT b.label, dp_count(*) FROM patients p JOIN bands b ON p.weight >= b.lo AND p.weight < b.hi GROUP BY b.label$$),
    ('00000', true, $$WITH adults AS (SELECT * FROM patients WHERE born < '2000-01-01') SELECT sex, dp_count(*) FROM adults GROUP BY sex$$),
    ('00000', true, $$WITH a AS MATERIALIZED (SELECT * FROM patients WHERE smoker) SELECT dp_count(*) FROM a$$),
    ('00000', true, $$WITH s AS (SELECT sex, dp_count(*) AS n FROM patients GROUP BY sex) SELECT sex, n / sum(n) OVER () FROM s$$),
    ('00000', true, $$SELECT sex, dp_count(*), dp_count(*) * 100.0 / sum(dp_count(*)) OVER () FROM patients GROUP BY sex$$),
    ('00000', true, $$SELECT sex, dp_count(*), rank() OVER (ORDER BY dp_count(*) DESC) FROM patients GROUP BY sex$$),
    ('00000', true, $$SELECT sex, diagnosis, dp_count(*) FROM patients GROUP BY ROLLUP (sex, diagnosis)$$),
    ('00000', true, $$SELECT sex, dp_count(*) FROM patients GROUP BY sex HAVING dp_count(*) > 100$$),
    ('00000', true, $$SELECT diagnosis, dp_avg(weight) FROM patients WHERE diagnosis LIKE 'E%' GROUP BY diagnosis$$),
    ('00000', true, $$SELECT left(diagnosis, 1) AS chapter, dp_count(*) FROM patients GROUP BY 1$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients WHERE born BETWEEN '1950-01-01' AND '1959-12-31'$$),
    ('00000', false, $$SELECT dp_count(*) FROM patients WHERE age(born) > interval '65 years'$$),
    ('00000', false, $$SELECT dp_count(*) FROM patients WHERE born < CURRENT_DATE - interval '65 years'$$),
    ('00000', false, $$SELECT dp_sum(cost) FROM visits WHERE admitted >= now() - interval '3 years'$$),
    ('00000', true, $$SELECT dp_corr(weight, height), dp_regr_slope(weight, height) FROM patients$$),
    ('00000', true, $$SELECT dp_stddev(weight) FROM patients GROUP BY sex$$),
    ('00000', false, $$SELECT dp_quantile(weight, ARRAY[0.25,0.5,0.75]) FROM patients$$),
    ('00000', true, $$SELECT dp_avg(weight) FROM (SELECT *, weight / height^2 AS bmi FROM patients) s WHERE bmi > 25$$),
    ('00000', true, $$SELECT dp_avg(bmi) FROM (SELECT weight / height^2 AS bmi FROM patients) s WHERE bmi BETWEEN 15 AND 50$$),
    ('00000', true, $$SELECT sex, dp_avg(bmi) FROM patients, LATERAL (SELECT weight / height^2 AS bmi) l GROUP BY sex$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients WHERE weight > (SELECT avg(weight) FROM patients)$$),
    ('00000', true, $$SELECT DISTINCT sex, dp_count(*) FROM patients GROUP BY sex$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p JOIN visits v ON v.patient = p.id JOIN wards w ON w.id = v.ward WHERE w.region = 'north' AND p.smoker$$),
    ('00000', true, $$SELECT w.region, dp_sum(v.cost) FROM visits v JOIN wards w ON w.id = v.ward GROUP BY w.region$$),
    ('00000', true, $$SELECT w.region, kind, dp_count(*) FROM visits v JOIN wards w ON w.id = v.ward GROUP BY GROUPING SETS ((w.region), (kind), ())$$),
    ('00000', false, $$SELECT dp_max(cost) - dp_min(cost) FROM visits$$),
    ('00000', true, $$SELECT dp_sum(v.cost - w.bed_cost) FROM visits v JOIN wards w ON w.id = v.ward$$),
    ('00000', true, $$SELECT city, dp_count(*) FROM patients GROUP BY city ORDER BY 2 DESC$$),
    ('00000', true, $$SELECT dp_avg(total) FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) s$$),
    ('00000', true, $$SELECT dp_avg(total) FROM (SELECT p.id, p.sex, sum(v.cost) AS total FROM patients p JOIN visits v ON v.patient = p.id GROUP BY p.id) s$$),
    ('00000', true, $$SELECT sex, dp_avg(total) FROM (SELECT p.id, p.sex, sum(v.cost) AS total FROM patients p JOIN visits v ON v.patient = p.id GROUP BY p.id, p.sex) s GROUP BY sex$$),
    ('00000', true, $$SELECT dp_count(*) FROM (SELECT patient FROM visits GROUP BY patient HAVING count(*) > 2) s$$),
    ('00000', true, $$SELECT dp_count(*) FROM (SELECT DISTINCT patient FROM visits) s$$),
    ('00000', true, $$SELECT n, dp_count(*) FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) s GROUP BY n ORDER BY n$$),
    ('42883', false, $$SELECT dp_avg(f) FROM (SELECT patient, max(admitted) - min(admitted) AS f FROM visits GROUP BY patient) s$$),
    ('0A000', false, $$SELECT dp_count(*) FROM (SELECT DISTINCT ON (patient) * FROM visits ORDER BY patient, admitted) s$$),
    ('0A000', false, $$SELECT kind, dp_count(*) FROM (SELECT DISTINCT ON (patient) patient, kind FROM visits ORDER BY patient, admitted) s GROUP BY kind$$),
    ('0A000', false, $$SELECT dp_count(*) FROM (SELECT *, row_number() OVER (PARTITION BY patient ORDER BY admitted) AS rn FROM visits) s WHERE rn = 1$$),
    ('00000', true, $$SELECT dp_sum(cost) FROM visits WHERE admitted::date = '2023-03-01'$$),
    ('00000', true, $$SELECT admitted::date AS d, dp_count(*) FROM visits WHERE admitted < '2023-02-01' GROUP BY 1 ORDER BY 1$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients WHERE EXTRACT(YEAR FROM updated) = 2024$$),
    ('0A000', false, $$SELECT dp_avg(x) FROM (VALUES (1),(2)) v(x)$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p WHERE ward = ANY (ARRAY(SELECT id FROM wards WHERE region = 'north'))$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p WHERE (SELECT region FROM wards w WHERE w.id = p.ward) = 'north'$$),
    ('0A000', false, $$SELECT (SELECT region FROM wards w WHERE w.id = p.ward) AS region, dp_count(*) FROM patients p GROUP BY 1$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p, patients q WHERE p.id = q.id$$),
    ('00000', false, $$SELECT string_agg(sex::text, ',') FROM (SELECT sex, dp_count(*) FROM patients GROUP BY sex) s$$),
    ('0A000', false, $$SELECT d.d, dp_count(*) FROM generate_series(1,6) d(d) LEFT JOIN patients p ON p.ward = d.d GROUP BY d.d$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p JOIN (VALUES ('E11','diabetes'),('I10','hypertension')) AS m(code,label) ON m.code = p.diagnosis$$),
    ('00000', true, $$SELECT m.label, dp_count(*) FROM patients p JOIN (VALUES ('E11','diabetes'),('I10','hypertension')) AS m(code,label) ON m.code = p.diagnosis GROUP BY m.label$$),
    ('00000', true, $$SELECT dp_avg(weight::numeric) FROM patients$$),
    ('00000', true, $$SELECT dp_avg(round(weight::numeric, 1)) FROM patients$$),
    ('00000', true, $$SELECT round(dp_avg(weight)::numeric, 2) FROM patients$$),
    ('00000', true, $$SELECT dp_sum(income * 0.2) FROM patients$$),
    ('00000', true, $$SELECT dp_sum(NULLIF(income, 0)) FROM patients$$),
    ('00000', true, $$SELECT dp_avg(greatest(weight, 50)) FROM patients$$),
    ('00000', true, $$SELECT dp_avg(least(cost, 500)) FROM visits$$),
    ('00000', true, $$SELECT dp_sum(cost) FROM visits WHERE cost < 500$$),
    ('0A000', false, $$SELECT dp_count(*) FROM visits TABLESAMPLE SYSTEM (10)$$),
    ('00000', true, $$SELECT dp_avg(weight) FROM patients ORDER BY 1$$),
    ('00000', false, $$SELECT sex, dp_mode(diagnosis) FROM patients GROUP BY sex$$),
    ('00000', false, $$SELECT dp_histogram(weight, 10) FROM patients$$),
    ('00000', true, $$SELECT sex, dp_count(*) FROM patients GROUP BY sex UNION ALL SELECT NULL, dp_count(*) FROM patients$$),
    ('00000', true, $$SELECT date_trunc('year', born)::date AS y, dp_count(*) FROM patients GROUP BY 1 HAVING dp_count(*) > 20$$),
    ('00000', true, $$SELECT extract(decade FROM born) AS d, dp_count(*) FROM patients GROUP BY d$$),
    ('00000', true, $$SELECT (extract(year FROM born)::int / 10) * 10 AS d, dp_count(*) FROM patients GROUP BY d$$),
    ('0A000', false, $$SELECT dp_avg(extract(hour FROM updated)) FROM patients$$),
    ('00000', true, $$SELECT date_bin('7 days', admitted, '2023-01-01') AS w, dp_count(*) FROM visits GROUP BY 1$$),
    ('00000', true, $$SELECT coalesce(w.name, 'none') AS ward, dp_count(*) FROM patients p LEFT JOIN wards w ON w.id = p.ward GROUP BY 1$$),
    ('00000', true, $$SELECT upper(w.region), dp_count(*) FROM patients p JOIN wards w ON w.id = p.ward GROUP BY 1$$),
    ('00000', true, $$SELECT w.region || '-' || p.sex, dp_count(*) FROM patients p JOIN wards w ON w.id = p.ward GROUP BY 1$$),
    ('00000', true, $$SELECT p.ward, dp_count(*) FROM patients p WHERE p.ward IS NOT NULL GROUP BY p.ward$$),
    ('00000', true, $$SELECT kind, dp_count(*), dp_avg(weight) FROM everyone GROUP BY kind$$),
    ('00000', true, $$SELECT sex, dp_avg(weight) FROM everyone GROUP BY sex$$),
    ('00000', true, $$SELECT dp_avg(weight / height ^ 2) FROM everyone$$),
    ('0A000', false, $$SELECT dp_avg(b) FROM (SELECT weight / height ^ 2 AS b FROM patients UNION ALL SELECT weight / height ^ 2 FROM staff) s$$),
    ('00000', true, $$SELECT dp_count(*) FROM everyone WHERE kind = 'staff'$$),
    ('0A000', false, $$SELECT dp_count(*) FROM (SELECT sex FROM patients UNION SELECT sex FROM staff) s$$),
    ('00000', true, $$SELECT sex, dp_avg(bmi) FROM heavy GROUP BY sex$$),
    ('00000', false, $$SELECT dp_corr(bmi, year) FROM bmi$$),
    ('00000', true, $$SELECT (year / 10) * 10 AS decade, dp_avg(bmi) FROM bmi GROUP BY 1 ORDER BY 1$$),
    ('00000', true, $$SELECT w.name, dp_avg(b.bmi) FROM bmi b JOIN wards w ON w.id = b.ward GROUP BY w.name$$),
    ('00000', true, $$SELECT w.region, sex, dp_count(*) FROM patients p JOIN wards w ON w.id = p.ward GROUP BY CUBE (w.region, sex)$$),
    ('00000', true, $$SELECT sex, dp_count(*) FILTER (WHERE weight > 80) AS heavy, dp_count(*) AS n, round(100.0 * dp_count(*) FILTER (WHERE weight > 80) / nullif(dp_count(*), 0), 1) AS pct FROM patients GROUP BY sex$$),
    ('00000', true, $$WITH t AS (SELECT diagnosis, dp_count(*) AS n FROM patients GROUP BY diagnosis) SELECT *, n * 100.0 / (SELECT sum(n) FROM t) FROM t ORDER BY n DESC$$),
    ('00000', false, $$SELECT diagnosis, dp_count(*) AS n FROM patients GROUP BY diagnosis HAVING dp_count(*) > 500 ORDER BY n DESC LIMIT 2$$),
    ('00000', true, $$SELECT a.sex, a.n - b.n FROM (SELECT sex, dp_count(*) n FROM patients GROUP BY sex) a JOIN (SELECT sex, dp_count(*) n FROM staff GROUP BY sex) b USING (sex)$$),
    ('00000', true, $$SELECT dp_sum(cost) FROM visits v WHERE EXISTS (SELECT 1 FROM patients p WHERE p.id = v.patient AND p.smoker)$$),
    ('00000', true, $$SELECT dp_sum(cost) FROM visits WHERE patient IN (SELECT id FROM patients WHERE smoker)$$),
    ('00000', true, $$SELECT dp_avg(cost) FROM visits WHERE ward IN (SELECT id FROM wards WHERE region = 'north')$$),
    ('00000', true, $$SELECT p.diagnosis, dp_avg(v.cost) FROM patients p JOIN visits v ON p.id = v.patient WHERE v.admitted BETWEEN '2023-03-01' AND '2023-06-30' GROUP BY p.diagnosis$$),
    ('00000', true, $$SELECT p.sex, w.region, dp_sum(v.cost) FROM visits v JOIN patients p ON v.patient = p.id JOIN wards w ON w.id = v.ward GROUP BY 1, 2$$),
    ('00000', true, $$SELECT dp_avg(n) FROM (SELECT p.id, count(*) AS n FROM patients p JOIN visits v ON v.patient = p.id GROUP BY p.id HAVING count(*) > 1) s$$),
    ('00000', true, $$SELECT sex, dp_avg(n) FROM (SELECT p.id, p.sex, count(v.id) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.id) s GROUP BY sex$$),
    ('00000', false, $$SELECT dp_max(total) FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) s$$),
    ('00000', true, $$SELECT CASE WHEN n > 2 THEN 'many' ELSE 'few' END, dp_count(*) FROM (SELECT patient, count(*) n FROM visits GROUP BY patient) s GROUP BY 1$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN LATERAL (SELECT count(*) AS n FROM visits v WHERE v.patient = p.id) l ON true WHERE n > 2$$),
    ('0A000', false, $$SELECT dp_avg((SELECT count(*) FROM visits v WHERE v.patient = p.id)) FROM patients p$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p WHERE (SELECT count(*) FROM visits v WHERE v.patient = p.id) > 2$$),
    ('0A000', false, $$SELECT dp_avg(extract(epoch FROM (SELECT max(admitted) FROM visits v WHERE v.patient = p.id))) FROM patients p$$),
    ('0A000', false, $$SELECT dp_avg(p.weight - w.avg_weight) FROM patients p JOIN (SELECT ward, avg(bed) AS avg_weight FROM (VALUES (1, 60), (1, 70), (2, 80)) v(ward, bed) GROUP BY ward) w ON w.ward = p.ward$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (SELECT DISTINCT region, min(id) AS id FROM wards GROUP BY region) r ON r.id = p.ward$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (SELECT region, max(id) AS id FROM wards GROUP BY region) r ON r.id = p.ward$$),
    ('0A000', false, $$SELECT r.n, dp_count(*) FROM patients p JOIN wards w ON w.id = p.ward JOIN (SELECT region, count(*) AS n FROM wards GROUP BY region) r ON r.region = w.region GROUP BY r.n$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients WHERE name ILIKE 'p1%' AND length(name) = 3$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients WHERE died IS NULL AND born < date '2024-06-01' - interval '50 years'$$),
    ('00000', false, $$SELECT date '2024-01-01' - born AS age_days, dp_count(*) FROM patients GROUP BY 1 LIMIT 3$$),
    ('00000', true, $$SELECT (date '2024-01-01' - born) / 3650 AS dec, dp_count(*), dp_avg(weight) FROM patients GROUP BY 1 ORDER BY 1$$),
    ('00000', true, $$SELECT dp_avg((date '2024-01-01' - born) / 365.25) AS mean_age FROM patients$$),
    ('00000', false, $$SELECT dp_median((date '2024-01-01' - born) / 365.25) FROM patients GROUP BY sex$$),
    ('00000', false, $$SELECT date_part('month', admitted) AS m, kind, dp_count(*) FROM visits GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 4$$),
    ('00000', true, $$SELECT to_char(date_trunc('quarter', admitted), 'YYYY"Q"Q') AS q, dp_sum(cost) FROM visits GROUP BY q ORDER BY q$$),
    ('00000', true, $$SELECT extract(isodow FROM admitted) IN (6, 7) AS weekend, dp_avg(cost) FROM visits GROUP BY 1$$),
    ('00000', true, $$SELECT admitted::date = discharged::date AS same_day, dp_count(*) FROM visits GROUP BY 1$$),
    ('0A000', false, $$SELECT dp_avg(extract(epoch FROM age(discharged, admitted)) / 86400) FROM visits$$),
    ('00000', true, $$SELECT dp_avg(extract(day FROM discharged - admitted)) FROM visits$$),
    ('00000', true, $$SELECT dp_avg(discharged::date - admitted::date) FROM visits$$),
    ('00000', true, $$SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY n) FROM (SELECT diagnosis, dp_count(*) n FROM patients GROUP BY 1) s$$),
    ('00000', true, $$SELECT dp_sum(cost::int) FROM visits$$),
    ('00000', true, $$SELECT dp_sum(cost * CASE kind WHEN 'planned' THEN 1 ELSE 2 END) FROM visits$$),
    ('00000', true, $$SELECT dp_avg(NULLIF(weight, 0)) FROM patients$$),
    ('00000', true, $$SELECT dp_avg(weight) FROM patients WHERE sex::text = 'male' AND ward IS DISTINCT FROM 3$$),
    ('00000', false, $$SELECT sex, ward, dp_count(*) FROM patients GROUP BY sex, ward HAVING sex = 'male' ORDER BY ward LIMIT 3$$),
    ('00000', false, $$SELECT DISTINCT ON (sex) sex, ward, dp_count(*) FROM patients GROUP BY sex, ward ORDER BY sex, dp_count(*) DESC$$),
    ('00000', true, $$SELECT grouping(sex), sex, dp_count(*) FROM patients GROUP BY GROUPING SETS ((sex), ())$$),
    ('0A000', false, $$SELECT dp_count(*) OVER () FROM patients$$),
    ('00000', true, $$SELECT sum(n) FROM (SELECT ward, dp_count(*) n FROM patients GROUP BY ward) s$$),
    ('00000', true, $$SELECT dp_count(*) AS total, (SELECT dp_count(*) FROM patients WHERE smoker) AS smokers FROM patients$$),
    ('0A000', false, $$SELECT w.name, (SELECT dp_count(*) FROM patients p WHERE p.ward = w.id) FROM wards w$$),
    ('00000', true, $$SELECT dp_avg(weight)::int, dp_stddev(weight)::numeric(6,2) FROM patients$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients NATURAL JOIN (SELECT id AS ward, region FROM wards) w WHERE region = 'north'$$),
    ('00000', true, $$SELECT dp_count(*) FROM ONLY patients$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p, visits v WHERE p.id = v.patient AND v.cost > p.income / 10$$),
    ('00000', true, $$SELECT dp_regr_slope(cost, extract(epoch FROM discharged - admitted)) FROM visits$$),
    ('00000', true, $$SELECT d.d, dp_count(*) FROM generate_series(1,6) d(d) JOIN patients p ON p.ward = d.d GROUP BY d.d$$),
    ('00000', true, $$SELECT m.label, dp_count(*) FROM patients p JOIN (VALUES ('E11','diabetes'),('I10','hypertension'), ('X',NULL), ('Y','none')) AS m(code,label) ON m.code = p.diagnosis GROUP BY m.label$$),
    ('00000', false, $$SELECT m.label, dp_count(*) FROM patients p LEFT JOIN (VALUES ('E11','diabetes'),('I10','hypertension')) AS m(code,label) ON m.code = p.diagnosis GROUP BY m.label$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (VALUES ('E11','diabetes'),('E11','hypertension')) AS m(code,label) ON m.code = p.diagnosis$$),
    ('00000', true, $$SELECT dp_sum(p.weight * m.f) FROM patients p JOIN (VALUES ('E11',1),('I10',2.5)) AS m(code,f) ON m.code = p.diagnosis$$),
    ('00000', true, $$WITH m(code, f) AS (VALUES ('E11',1),('I10',2.5)) SELECT dp_sum(f) FROM patients p JOIN m ON m.code = p.diagnosis WHERE f > 1$$),
    ('00000', true, $$SELECT dp_avg(b.bmi) FROM patients p CROSS JOIN LATERAL (VALUES (weight / height^2)) AS b(bmi)$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p CROSS JOIN LATERAL (VALUES (weight), (height)) AS b(v)$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p WHERE diagnosis IN (VALUES ('E11'), ('E11'))$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v JOIN (VALUES ('planned')) k(k) ON k.k = v.kind WHERE v.patient = p.id)$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (1, now())) v(i, t) ON v.i = p.ward$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p, generate_series(1, 3) g$$),
    ('00000', true, $$SELECT m, dp_count(*) FROM generate_series('2023-01-01'::timestamp, '2023-12-01', '1 month') m JOIN visits v ON date_trunc('month', v.admitted) = m GROUP BY m ORDER BY m$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (1,2),(1,3),(2,2)) v(a,b) ON v.a = p.ward AND v.b = p.height::int$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN unnest(ARRAY[1,2]) u ON u = p.ward$$),
    ('00000', true, $$SELECT l, dp_count(*) FROM visits v JOIN (VALUES ('planned', 'a'), ('emergency', 'b')) x(k, l) ON x.k = v.kind JOIN patients p ON p.id = v.patient GROUP BY l$$),
    ('00000', true, $$SELECT dp_avg(t) FROM (SELECT v.patient, sum(v.cost * x.w) AS t FROM visits v JOIN (VALUES ('planned', 1), ('emergency', 2)) x(k, w) ON x.k = v.kind GROUP BY v.patient) s$$),
    ('0A000', false, $$SELECT w.name, dp_count(*) FROM wards w LEFT JOIN patients p ON p.ward = w.id GROUP BY w.name$$),
    ('00000', true, $$SELECT w.name, dp_count(*) FILTER (WHERE p.smoker), dp_avg(p.weight) FROM patients p RIGHT JOIN wards w ON p.ward = w.id GROUP BY w.name$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p LEFT JOIN visits v ON v.patient = p.id AND v.kind = 'planned' WHERE v.id IS NULL AND p.smoker$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p LEFT JOIN visits v ON v.patient = p.id AND v.kind = 'planned' WHERE v.stay IS NULL$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p LEFT JOIN wards w ON w.id = p.ward WHERE w.id IS NULL$$),
    ('00000', true, $$SELECT dp_sum(v.cost) FROM patients p LEFT JOIN visits v ON v.patient = p.id$$),
    ('00000', true, $$SELECT p.sex, dp_sum(v.cost) FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.sex$$),
    ('0A000', false, $$SELECT p.sex, dp_sum(COALESCE(v.cost, 0)) FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.sex$$),
    ('00000', true, $$SELECT d.d, dp_count(p.id) FROM generate_series(0,7) d(d) LEFT JOIN patients p ON p.ward = d.d GROUP BY d.d$$),
    ('00000', true, $$SELECT w.name, dp_count(p.id) FROM wards w FULL JOIN patients p ON p.ward = w.id GROUP BY w.name$$),
    ('0A000', false, $$SELECT dp_count(p.id) FROM patients p FULL JOIN visits v ON v.patient = p.id$$),
    ('00000', true, $$SELECT dp_count(p.id) FROM wards w LEFT JOIN patients p USING (id)$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients LEFT JOIN (SELECT patient FROM visits WHERE cost > 500) v ON v.patient = patients.id WHERE v.patient IS NULL$$),
    ('00000', true, $$SELECT dp_avg(n) FROM (SELECT p.id, count(v.id) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.id) s$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p WHERE p.id NOT IN (SELECT patient FROM visits)$$),
    ('00000', true, $$SELECT b.label, dp_count(*) FROM patients p JOIN (VALUES (0,60,'light'),(60,90,'mid'),(90,1000,'heavy')) b(lo,hi,label) ON p.weight >= b.lo AND p.weight < b.hi GROUP BY b.label$$),
    ('0A000', false, $$SELECT b.label, dp_count(*) FROM patients p JOIN (VALUES (0,60,'light'),(60,90,'mid'),(90,1000,'heavy')) b(lo,hi,label) ON p.weight BETWEEN b.lo AND b.hi GROUP BY b.label$$),
    ('00000', true, $$SELECT b.label, dp_count(*) FROM patients p JOIN (VALUES (0,59.9,'light'),(60,89.9,'mid'),(90,1000,'heavy')) b(lo,hi,label) ON p.weight BETWEEN b.lo AND b.hi GROUP BY b.label$$),
    ('00000', true, $$SELECT b.label, dp_count(*) FROM patients p JOIN (VALUES (0,60,'light'),(60,90,'mid'),(90,NULL,'heavy')) b(lo,hi,label) ON p.weight >= b.lo AND p.weight < COALESCE(b.hi, 1e9) GROUP BY b.label$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (0,60,'light'),(50,90,'mid'),(90,1000,'heavy')) b(lo,hi,label) ON p.weight >= b.lo AND p.weight < b.hi$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (0,60,'light'),(60,90,'mid'),(90,1000,'heavy')) b(lo,hi,label) ON p.weight >= b.lo AND p.height < b.hi$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (100,60,'light'),(0,90,'mid'),(90,1000,'heavy')) b(lo,hi,label) ON p.weight >= b.lo AND p.weight < b.hi$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (1), (2)) v(w) ON v.w = p.weight$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (1), (2)) v(w) ON v.w % 2 = p.ward$$),
    ('0A000', false, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (1), (3)) v(w) ON v.w % 2 = p.ward$$),
    ('00000', true, $$SELECT dp_count(*) FROM patients p JOIN (VALUES (date '1940-01-01', date '1960-01-01'), ('1960-01-01', '2000-01-01')) v(a, b) ON p.born >= a AND b > p.born$$);
CREATE FUNCTION state_of(query text, OUT state text, OUT message text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    state = '00000';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
END $$;
-- a row as text, with as many digits as any sum of these has; second moments have fewer
-- where units have several rows, since their integers have fewer bits then
CREATE FUNCTION digits(line jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(CASE jsonb_typeof(v) WHEN 'number' THEN to_char((v #>> '{}')::float8, CASE WHEN k ~ 'slope' THEN '9.999EEEE' ELSE '9.999999EEEE' END) ELSE v #>> '{}' END, ' ' ORDER BY replace(k, 'dp_', '')) FROM jsonb_each(line) f (k, v)
$$;
CREATE FUNCTION lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT digits(to_jsonb(every_line)) FROM (%s) every_line', query);
END $$;
SET dpsens.epsilon = 1;
CREATE TEMP TABLE outcome AS SELECT q.*, s.state AS got, s.message, s.hint FROM questions q, LATERAL state_of(q.query) s ORDER BY number;
SELECT is(got, state, query || COALESCE(': ' || message, '')) FROM outcome ORDER BY number;
SELECT is(count(*) FILTER (WHERE hint = ''), 0::bigint, 'every refusal says what to do') FROM outcome WHERE state <> '00000';
SET dpsens.noise = off;
SELECT is((SELECT count(*) FROM (SELECT lines(regexp_replace(query, 'dp_(count|sum|avg|stddev|corr|regr_slope)', '\1', 'g')) EXCEPT SELECT lines(query)) d), 0::bigint, 'rightly: ' || query)
FROM questions WHERE same ORDER BY number;

SELECT * FROM finish();
DROP SCHEMA questions_tap CASCADE;
