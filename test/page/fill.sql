-- fill.sql
--	Two tables whose reports are looked at in a browser, that of the first with rows and without: one with a history and
--	everything that a report can have, one with nothing.  Names are long, and markup.  Needs the superuser; roles go with page.pl.
\set ON_ERROR_STOP 1
\o /dev/null
SET client_min_messages = warning;
CREATE ROLE page_owner;
CREATE ROLE "page_<b onmouseover=x>";
CREATE ROLE page_an_analyst_whose_name_takes_all_of_the_sixty_three_bytes_x;
CREATE ROLE page_auditor;
GRANT CREATE ON DATABASE :"DBNAME" TO page_owner;
CREATE SCHEMA page AUTHORIZATION page_owner;
SET search_path = page, public;
SET ROLE page_owner;
CREATE TABLE bare (x float8);
CREATE TABLE "a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name" (id int PRIMARY KEY, weight_kg float8 NOT NULL, height_m float8 NOT NULL, age float8 NOT NULL,
    "<img src=x onerror=""y"">" float8 NOT NULL, smoker boolean NOT NULL, ward text NOT NULL);
CREATE TEMP TABLE this AS SELECT 'a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name'::regclass AS t;
INSERT INTO "a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name"
    SELECT i, 50 + i % 60, 1.5 + i % 40 / 100.0, 20 + i % 70, i % 3, i % 3 = 0, (ARRAY['north', '</script>'])[1 + i % 2] FROM generate_series(1, 300) i;
SELECT dpsens.protect(t, unit => 'id', adjacency => 'replace'), dpsens.set_range(t, 'weight_kg', 30, 300), dpsens.set_range(t, 'height_m', 0.5, 2.5),
    dpsens.set_range(t, 'age', 0, 120), dpsens.set_range(t, '<img src=x onerror="y">', 0, 2), dpsens.set_values(t, 'smoker', 'true', 'false'),
    dpsens.set_values(t, 'ward', 'north', '</script>'), dpsens.set_budget(t, epsilon => 30, delta => 1e-6), dpsens.set_entity_budget(t, epsilon => 60, delta => 1e-6),
    dpsens.set_column_budget(t, 'weight_kg', epsilon => 12), dpsens.grant_budget(t, '"page_<b onmouseover=x>"', epsilon => 9.8),
    dpsens.grant_budget(t, 'page_an_analyst_whose_name_takes_all_of_the_sixty_three_bytes_x', epsilon => 2, refresh => '30 days'),
    dpsens.set_policy(t, epsilon => 1, mechanisms => '{laplace,geometric,gaussian}'), dpsens.grant_audit(t, 'page_auditor'),
    dpsens.register('bmi', t, 'weight_kg / height_m^2'),
    dpsens.register('every construction of a formula', t, 'CASE WHEN smoker THEN 1.7 WHEN age > 50 THEN 1.2 ELSE 1 END * exp(0.03 * age) / (1 + exp(0.03 * age)) + sqrt(abs(weight_kg - 70)) + cbrt(age) * "<img src=x onerror=""y"">" + floor(age / 10) * 1e-7'),
    dpsens.register('long', t, (SELECT string_agg(format('sin(weight_kg * %s) * cos(age / %s + height_m)', i, i), ' + ') FROM generate_series(1, 9) i)) FROM this;
GRANT SELECT (ward) ON "a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name" TO "page_<b onmouseover=x>";
GRANT USAGE ON SCHEMA page TO PUBLIC;
SET ROLE "page_<b onmouseover=x>";
SELECT format('SELECT dp_count(true, 0.0625) AS "</code><script>%s" FROM page.a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name WHERE age > %s', i, i) FROM generate_series(1, 20) i \gexec
SELECT ward, dp_avg(weight_kg, 0.5), dp_sum(ARRAY[age, height_m, weight_kg * weight_kg], 0.25) FROM page.a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name GROUP BY ward;
SET ROLE page_an_analyst_whose_name_takes_all_of_the_sixty_three_bytes_x;
SELECT dp_avg(page.bmi(t), 0.25) FROM page.a_table_whose_name_takes_all_of_the_sixty_three_bytes_of_a_name t;
RESET ROLE;
ALTER TABLE dpsens.release DISABLE TRIGGER ALL;
UPDATE dpsens.release SET released_at = released_at - release % 23 * interval '1 day' WHERE role_name LIKE 'page_<%';
ALTER TABLE dpsens.release ENABLE TRIGGER ALL;
