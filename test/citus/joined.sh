#!/usr/bin/env bash
# joined.sh
#	Tables of one server and tables that are distributed, with the same rows, that are joined, and questions about
#	joins of them; read by other scripts behind answers.sh.
# people, and more of them, each a unit by the key of the table; patients, a unit by its number, with stays that are of them; sexes and habits are public
for t in local spread; do
	as c owner "CREATE TABLE ${t}_people (id int PRIMARY KEY, age float8 NOT NULL, sex text NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_more (id int PRIMARY KEY, age float8 NOT NULL, sex text NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_patients (id int PRIMARY KEY, age float8 NOT NULL, sex text NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_stays (id int, patient int NOT NULL, cost float8, ward text)" >/dev/null
	as c owner "CREATE TABLE ${t}_habits (id int PRIMARY KEY, town text NOT NULL, drinks boolean)" >/dev/null
	as c owner "CREATE TABLE ${t}_sexes (sex text PRIMARY KEY, name text NOT NULL, is_rare boolean NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_notes (patient text NOT NULL, cost float8 NOT NULL, ward text NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_names (patient text PRIMARY KEY, age float8 NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_codes (patient varchar(9) NOT NULL, cost float8 NOT NULL)" >/dev/null
	as c owner "CREATE TABLE ${t}_bills (id int, patient int NOT NULL REFERENCES ${t}_patients (id), amount float8 NOT NULL)" >/dev/null
done
as c owner "SELECT create_reference_table('spread_sexes'); SELECT create_distributed_table('spread_people', 'id'); SELECT create_distributed_table('spread_more', 'id', colocate_with => 'spread_people'); SELECT create_distributed_table('spread_habits', 'id', colocate_with => 'spread_people'); SELECT create_distributed_table('spread_patients', 'id', colocate_with => 'spread_people'); SELECT create_distributed_table('spread_stays', 'patient', colocate_with => 'spread_people'); SELECT create_distributed_table('spread_bills', 'patient', colocate_with => 'spread_people')" >/dev/null
as c owner "SELECT create_distributed_table('spread_notes', 'patient'), create_distributed_table('spread_names', 'patient'), create_distributed_table('spread_codes', 'patient')" >/dev/null
for t in local spread; do
	# of every sixtieth the name is too long to be a key
	as c owner "INSERT INTO ${t}_notes SELECT CASE WHEN i % 60 = 5 THEN repeat('long', 2999) ELSE '' END || 'P' || i % 97, i % 50, CASE WHEN i % 4 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 2000) i" >/dev/null
	as c owner "INSERT INTO ${t}_names SELECT 'P' || i, i FROM generate_series(1, 90) i" >/dev/null
	as c owner "INSERT INTO ${t}_codes SELECT 'P' || i % 97, i % 50 FROM generate_series(1, 2000) i" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_notes', unit => 'patient', max_rows => 3), dpsens.set_range('${t}_notes', 'cost', 0, 50), dpsens.set_values('${t}_notes', 'ward', 'a', 'b')" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_names', unit => 'patient'), dpsens.set_range('${t}_names', 'age', 0, 99)" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_codes', unit => 'patient', max_rows => 3), dpsens.set_range('${t}_codes', 'cost', 0, 50)" >/dev/null
	as c owner "INSERT INTO ${t}_people SELECT i, i % 100, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END FROM generate_series(1, 1000) i" >/dev/null
	as c owner "INSERT INTO ${t}_more SELECT i, i % 90, CASE WHEN i % 5 = 0 THEN 'X' ELSE 'F' END FROM generate_series(1, 500) i" >/dev/null
	as c owner "INSERT INTO ${t}_patients SELECT i, i % 90, CASE WHEN i % 5 = 0 THEN 'X' ELSE 'F' END FROM generate_series(1, 700) i" >/dev/null
	as c owner "INSERT INTO ${t}_stays SELECT i, 1 + i % 997, i % 50, CASE WHEN i % 4 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 4000) i" >/dev/null
	as c owner "INSERT INTO ${t}_bills SELECT i, 1 + i % 650, i % 20 FROM generate_series(1, 3000) i" >/dev/null
	as c owner "INSERT INTO ${t}_habits SELECT i, CASE WHEN i % 3 = 1 THEN 'here' ELSE 'there' END, i % 5 = 0 FROM generate_series(1, 1100) i" >/dev/null
	as c owner "INSERT INTO ${t}_sexes VALUES ('F', 'female', false), ('M', 'male', false), ('X', 'other', true)" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_people'), dpsens.set_range('${t}_people', 'age', 0, 99), dpsens.set_values('${t}_people', 'sex', 'F', 'M', 'X')" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_more'), dpsens.set_range('${t}_more', 'age', 0, 99), dpsens.set_values('${t}_more', 'sex', 'F', 'M', 'X')" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_patients', unit => 'id'), dpsens.set_range('${t}_patients', 'age', 0, 99), dpsens.set_values('${t}_patients', 'sex', 'F', 'M', 'X')" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_stays', unit => 'patient', max_rows => 3), dpsens.set_range('${t}_stays', 'cost', 0, 50), dpsens.set_values('${t}_stays', 'ward', 'a', 'b')" >/dev/null
	as c owner "SELECT dpsens.protect('${t}_bills', unit => '${t}_patients.id', max_rows => 4), dpsens.set_range('${t}_bills', 'amount', 0, 20)" >/dev/null
done

joins()
{
	same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @_people JOIN @_sexes USING (sex) WHERE NOT is_rare"
	same "SELECT name, dp_count(true, 1), dp_sum(age, 1) FROM @_people JOIN @_sexes USING (sex) GROUP BY name"
	same "SELECT dp_sum(cost, 1), dp_count(true, 1), dp_sum(age, 1) FROM @_stays v JOIN @_patients p ON v.patient = p.id"
	same "SELECT sex, dp_count(true, 1) FROM @_patients p WHERE EXISTS (SELECT FROM @_stays v WHERE v.patient = p.id AND v.cost > 30) GROUP BY sex"
}

# all_joins: each kind of join, EXISTS, IN and WITH
all_joins()
{
	joins
	same "SELECT dp_var_pop(age, 1), dp_avg(age, 1), dp_count(name, 1) FROM @_people JOIN @_sexes USING (sex)"
	same "SELECT name, is_rare, dp_sum(age, 1) FROM @_people JOIN @_sexes USING (sex) GROUP BY ROLLUP (name, is_rare)"
	same "SELECT dp_count(true, 1) FILTER (WHERE is_rare), dp_count(true, 1) FILTER (WHERE age > 50) FROM @_patients JOIN @_sexes USING (sex)"
	same "SELECT name, dp_avg(age, 1) FROM @_people p LEFT JOIN @_sexes s ON s.sex = p.sex AND s.is_rare = false WHERE age > 10 GROUP BY name"
	same "SELECT dp_count(s.name, 1) FROM @_people p LEFT JOIN (SELECT * FROM @_sexes WHERE name <> 'male') s ON s.sex = p.sex"
	same "SELECT dp_count(s.name, 1), dp_count(h.town, 1) FROM (@_people p JOIN @_habits h USING (id)) LEFT JOIN (@_sexes s JOIN @_sexes t ON s.name = t.name AND t.is_rare = s.is_rare) ON s.sex = p.sex AND t.sex = p.sex WHERE p.age > 20 AND s.name IS NOT NULL"
	same "SELECT p.sex, dp_count(t.name, 1) FROM @_sexes s RIGHT JOIN (SELECT * FROM @_people WHERE age > 5) p ON s.sex = p.sex LEFT JOIN (@_sexes t LEFT JOIN @_sexes u ON u.sex = t.sex) ON t.sex = s.sex GROUP BY p.sex"
	same "SELECT town, dp_sum(age, 1) FROM @_people JOIN @_habits USING (id) GROUP BY town"
	same "SELECT dp_sum(age, 1), dp_count(true, 1) FROM @_people p, @_habits h, @_sexes s WHERE p.id = h.id AND h.drinks AND s.sex = p.sex AND s.name = 'female'"
	same "SELECT dp_sum(age, 1) FROM @_people p JOIN @_habits h USING (id) WHERE p.id = 77 OR p.id = 78"
	same "SELECT dp_sum(age, 1) FROM @_people p JOIN @_habits h USING (id) WHERE p.id = 77"
	same "SELECT dp_sum(age, 1), dp_count(true, 1) FROM @_people p JOIN @_habits h USING (id) WHERE p.id < 0"
	same "SELECT ward, sex, dp_sum(cost, 1) FROM @_stays v JOIN @_patients p ON v.patient = p.id WHERE age > 30 GROUP BY ward, sex"
	same "SELECT name, dp_sum(cost * age, 1) FROM @_stays v JOIN @_patients p ON v.patient = p.id JOIN @_sexes s ON s.sex = p.sex GROUP BY name"
	same "SELECT dp_sum(cost, 1) FROM @_stays v JOIN (VALUES ('a', 2), ('b', 3)) w (ward, f) USING (ward) WHERE f > 1"
	same "SELECT dp_sum(a + b, 1) FROM (SELECT patient, cost AS a FROM @_stays WHERE ward = 'a') v JOIN (SELECT id, age AS b FROM @_patients) p ON p.id = v.patient"
	same "SELECT dp_count(true, 1) FROM @_patients a JOIN @_patients b ON a.id = b.id WHERE a.age < 30 AND b.sex = 'X'"
	same "SELECT dp_count(true, 1), dp_sum(amount, 1) FROM @_bills"
	same "SELECT sex, dp_sum(amount, 1) FROM @_bills b JOIN @_patients p ON p.id = b.patient WHERE age > 3 GROUP BY sex"
	same "SELECT (SELECT dp_count(true, 1) FROM @_people JOIN @_sexes USING (sex)) + (SELECT dp_sum(age, 1) FROM @_people)"
	same "CREATE TABLE kept AS SELECT name, dp_count(true, 1) AS n FROM @_people JOIN @_sexes USING (sex) GROUP BY name; SELECT * FROM kept ORDER BY 1; DROP TABLE kept"
	same "PREPARE q (float8, text) AS SELECT dp_sum(age, 1) FROM @_people JOIN @_sexes USING (sex) WHERE age < \$1 AND name = \$2; EXECUTE q (50, 'female'); EXECUTE q (80, 'male')"
	same "SET plan_cache_mode = force_generic_plan; PREPARE q (float8) AS SELECT dp_sum(cost, 1) FROM @_stays v JOIN @_patients p ON p.id = v.patient WHERE age < \$1; EXECUTE q (50); EXECUTE q (20)"
	same "SET citus.enable_repartition_joins = on; SELECT dp_sum(cost, 1) FROM @_stays v JOIN @_patients p ON p.id = v.patient"
	same "SELECT dp_count(true, 1) FROM @_people p WHERE EXISTS (SELECT FROM @_sexes s WHERE s.sex = p.sex AND s.name < 'n')"
	same "SELECT dp_count(true, 1) FROM @_people p WHERE sex IN (SELECT sex FROM @_sexes s WHERE s.name < 'g')"
	same "SELECT dp_count(true, 1) FROM @_people p WHERE sex NOT IN (SELECT sex FROM @_sexes s WHERE s.name < 'g')"
	same "SELECT dp_median(age, 1) FROM @_people p WHERE EXISTS (SELECT FROM @_sexes s WHERE s.sex = p.sex AND s.name < 'g')"
	same "SELECT dp_count(true, 1) FROM @_people p WHERE EXISTS (SELECT FROM @_habits h WHERE h.id = p.id AND h.drinks) AND age > 7"
	same "SELECT dp_count(true, 1), dp_sum(age, 1) FROM @_patients p WHERE NOT EXISTS (SELECT FROM @_stays v WHERE v.patient = p.id AND v.cost > 30)"
	same "SELECT sex, dp_count(true, 1) FROM @_patients p WHERE id IN (SELECT patient FROM @_stays v WHERE v.ward = 'a') OR age < 5 GROUP BY sex"
	same "SELECT dp_sum(cost, 1) FROM @_stays v WHERE EXISTS (SELECT FROM @_patients p WHERE v.patient = p.id AND age < 50)"
	same "SELECT dp_sum(cost, 1) FROM @_stays v WHERE patient NOT IN (SELECT id FROM @_patients p WHERE age < 50)"
	same "SELECT dp_sum(cost, 1) FROM @_stays v JOIN @_habits h ON h.id = v.patient WHERE EXISTS (SELECT FROM @_patients p JOIN @_sexes USING (sex) WHERE h.id = p.id AND is_rare)"
	same "SELECT dp_median(age, 1) FROM @_patients p WHERE EXISTS (SELECT FROM @_stays v WHERE v.patient = p.id AND v.cost > 30)"
	same "WITH s AS (SELECT * FROM @_people WHERE age > 3) SELECT dp_count(true, 1) FROM s"
	same "WITH s AS (SELECT * FROM @_people WHERE age > 3), x AS (SELECT sex AS k, is_rare FROM @_sexes) SELECT sex, dp_count(true, 1) FROM s JOIN x ON k = sex WHERE NOT is_rare GROUP BY sex"
	same "WITH unread AS (SELECT * FROM @_stays) SELECT dp_count(true, 1) FROM @_people"
}

# all_groups: groups by unit in FROM, distributed tables on the optional side, unions, and what is attempted
all_groups()
{
	same "SELECT dp_sum(least(n, 3), 1) FROM (SELECT patient, count(*) AS n FROM @_stays GROUP BY patient) t"
	same "SELECT dp_avg(s, 1), dp_count(true, 1) FROM (SELECT patient, sum(cost) AS s FROM @_stays WHERE ward = 'a' GROUP BY patient) t"
	same "SELECT dp_median(s, 1), dp_quantile(s, 0.9, 1) FROM (SELECT patient, sum(cost) AS s FROM @_stays GROUP BY patient) t"
	same "SELECT dp_var_pop(m, 1), dp_corr(m, n, 1) FROM (SELECT patient, avg(cost) AS m, count(DISTINCT ward) AS n FROM @_stays GROUP BY patient) t WHERE n > 0"
	same "SELECT dp_count(true, 1) FROM (SELECT patient FROM @_stays GROUP BY patient HAVING count(*) > 4 AND bool_or(ward = 'a')) t"
	same "SELECT dp_count(true, 1) FROM (SELECT DISTINCT patient FROM @_stays WHERE cost > 45) t"
	same "SELECT ward, dp_sum(s, 1), dp_count(true, 1) FROM (SELECT patient, ward, sum(cost) AS s FROM @_stays GROUP BY patient, ward) t GROUP BY ward"
	same "SELECT ward, dp_sum(s, 1) FROM (SELECT patient, ward, max(cost) AS s FROM @_stays GROUP BY ward, patient) t GROUP BY ROLLUP (ward)"
	same "SELECT dp_sum(n, 1) FROM (SELECT patient % 5 AS k, patient, count(*) FILTER (WHERE cost > 10) AS n FROM @_stays GROUP BY 1, 2) t WHERE k = 3"
	same "SELECT dp_sum(n, 1), dp_count(n, 1) FROM (SELECT p.id, count(v.id) AS n FROM @_patients p LEFT JOIN @_stays v ON v.patient = p.id AND cost > 20 GROUP BY p.id) t WHERE n < 5"
	same "SELECT dp_sum(n, 1) FROM (SELECT p.id, count(v.id) AS n FROM @_patients p LEFT JOIN (@_stays v JOIN @_habits h ON h.id = v.patient AND drinks) ON v.patient = p.id GROUP BY p.id) t"
	same "SELECT sex, dp_sum(n, 1) FROM (SELECT patient, max(cost) AS n FROM @_stays GROUP BY patient) t JOIN @_patients p ON p.id = t.patient GROUP BY sex"
	same "SELECT dp_count(true, 1) FROM @_patients p JOIN @_habits h USING (id) JOIN (SELECT patient, min(cost) AS n FROM @_stays GROUP BY patient) t ON t.patient = h.id WHERE n < 3"
	same "SELECT dp_sum(n, 1) FROM (SELECT patient, count(*) AS n FROM @_stays v WHERE EXISTS (SELECT FROM @_patients p WHERE p.id = v.patient AND age > 40) GROUP BY patient) t"
	same "SELECT dp_sum(n, 1) FROM (SELECT v.patient, count(*) AS n FROM @_stays v JOIN @_patients p ON p.id = v.patient JOIN @_sexes s USING (sex) WHERE is_rare GROUP BY v.patient) t"
	same "SELECT dp_sum(s, 1), dp_count(true, 1) FROM (SELECT patient, sum(cost) AS s FROM @_notes GROUP BY patient) t"
	same "SELECT ward, dp_sum(n, 1) FROM (SELECT ward, patient, count(*) AS n FROM @_notes GROUP BY ward, patient HAVING count(*) > 3) t WHERE patient LIKE 'P1%' GROUP BY ward"
	same "SELECT dp_count(true, 1) FROM (SELECT DISTINCT patient FROM @_notes WHERE cost > 3) t"
	same "SELECT dp_median(n, 1) FROM (SELECT patient, count(*) AS n FROM @_codes GROUP BY patient) t"
	same "SELECT dp_sum(n, 1), dp_sum(age, 1) FROM (SELECT patient, count(*) AS n FROM @_notes GROUP BY patient) t JOIN @_names USING (patient)"
	same "SELECT dp_sum(n, 1), dp_sum(m, 1) FROM (SELECT patient, count(*) AS n, max(age) AS m FROM @_notes JOIN @_names USING (patient) GROUP BY patient) t"
	same "SELECT dp_count(h.town, 1), dp_count(true, 1) FROM @_people LEFT JOIN @_habits h USING (id)"
	same "SELECT dp_count(true, 1) FROM @_people p LEFT JOIN (SELECT id, town FROM @_habits WHERE drinks) h ON p.id = h.id WHERE h.town IS NULL"
	same "SELECT dp_sum(age, 1), dp_count(g.town, 1) FROM @_people p LEFT JOIN (@_habits h LEFT JOIN @_habits g ON g.id = h.id AND g.drinks) ON h.id = p.id AND h.town = 'here'"
	same "SELECT dp_sum(age, 1), dp_count(true, 1) FROM (SELECT age, sex FROM @_people UNION ALL SELECT age, sex FROM @_more) u"
	same "SELECT sex, dp_sum(age, 1) FROM (SELECT age, sex FROM @_people WHERE id % 4 <> 1 UNION ALL SELECT age, sex FROM @_more m WHERE id > 100) u WHERE age < 70 GROUP BY sex"
	same "SET dpsens.selection_epsilon = 1; SET dpsens.delta = 0.001; SELECT sex, dp_sum(age, 1) FROM (SELECT age, sex FROM @_people UNION ALL SELECT age, 'X' FROM @_more) u GROUP BY sex"
	same "SELECT dp_median(age, 1), dp_mode(sex, 1) FROM (SELECT age, sex FROM @_people UNION ALL SELECT age, sex FROM @_more) u"
	same "SELECT dp_count(true, 1) FROM @_people WHERE 10 / (id % 7) > 2"
	same "SELECT dp_count(true, 1) FROM @_people WHERE sex LIKE 'F%' AND sex || 'a' ~ '^F' AND substr(upper(sex), 1, 1) = 'F'"
	same "SELECT dp_count(true, 1) FROM @_people WHERE sex COLLATE \"C\" LIKE 'F%' AND ln(age - 3) > 2 AND id::text LIKE '%3' AND (id::text || '0')::int2 < 9000"
	same "SELECT name, dp_count(true, 1) FROM @_people JOIN @_sexes USING (sex) WHERE name LIKE 'f%' OR id % 10 = 0 GROUP BY name"
	same "PREPARE q (text) AS SELECT dp_count(true, 1) FROM @_people WHERE sex LIKE \$1; EXECUTE q ('F%'); EXECUTE q ('M%')"
	same "SET dpsens.selection_epsilon = 1; SET dpsens.delta = 0.001; SELECT id % 3, dp_count(true, 1) FROM @_people GROUP BY 1"
	same "SET dpsens.selection_epsilon = 1; SET dpsens.delta = 0.001; SELECT lower(sex), dp_count(true, 1) FROM @_people GROUP BY 1"
}
