-- Row 19: objects of the analyst's own in the place of the server's or of ours.
\ir start.sql
CREATE SCHEMA trap AUTHORIZATION dpsens_attack_ana;
GRANT USAGE ON SCHEMA trap TO PUBLIC;
SET ROLE dpsens_attack_ana;
CREATE FUNCTION trap.shout_text(a text, b text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF a = 'Zebedee' THEN RAISE EXCEPTION '%', a; END IF; RETURN false; END $$;
CREATE FUNCTION trap.shout_int(a int, b int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF a = 42 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN false; END $$;
CREATE FUNCTION trap.shout_float(a float8, b int) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF a = 62 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN a; END $$;
CREATE FUNCTION trap.lower(a text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF a = 'Zebedee' THEN RAISE EXCEPTION '%', a; END IF; RETURN a; END $$;
CREATE FUNCTION trap.sqrt(a float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF a = 62 THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN a; END $$;
CREATE OPERATOR trap.= (LEFTARG = text, RIGHTARG = text, FUNCTION = trap.shout_text, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR trap.< (LEFTARG = int, RIGHTARG = int, FUNCTION = trap.shout_int, RESTRICT = scalarltsel);
CREATE OPERATOR trap.* (LEFTARG = float8, RIGHTARG = int, FUNCTION = trap.shout_float);
CREATE OPERATOR trap.~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = trap.shout_text);
CREATE TYPE trap.box_of AS (v text);
CREATE FUNCTION trap.to_box(text) RETURNS trap.box_of IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1 = 'Zebedee' THEN RAISE EXCEPTION '%', $1; END IF; RETURN ROW($1); END $$;
CREATE CAST (text AS trap.box_of) WITH FUNCTION trap.to_box(text) AS ASSIGNMENT;
CREATE TYPE trap.float8 AS (v text);
CREATE DOMAIN trap.text AS pg_catalog.text CHECK (trap.lower(VALUE) IS NOT NULL);
CREATE FUNCTION trap.first(pg_catalog.text, pg_catalog.text) RETURNS pg_catalog.text IMMUTABLE LANGUAGE sql AS $$ SELECT coalesce($1, '') || CASE WHEN $2 ~ 'Z' THEN $2 ELSE '' END $$;
CREATE AGGREGATE trap.dp_sum(pg_catalog.text) (SFUNC = trap.first, STYPE = pg_catalog.text);
CREATE AGGREGATE trap.dp_count(pg_catalog.text) (SFUNC = trap.first, STYPE = pg_catalog.text);
CREATE FUNCTION trap.dp_avg(clinic.people) RETURNS pg_catalog.text LANGUAGE sql AS $$ SELECT $1.name $$;
RESET ROLE;
SELECT attempt('shadow: ' || what, ARRAY['SET search_path = trap, pg_catalog, clinic, lab, public', replace(question, '@', 'people'), 'SET search_path = clinic, lab, public'], '(0A000|42501|42883|55000)',
    ARRAY['SET search_path = trap, pg_catalog, clinic, lab, public', regexp_replace(replace(question, '@', 'people'), '\mdp_(sum|count)\(([^t])', '\1(\2', 'g'), 'SET search_path = clinic, lab, public'], 'Zebedee')
FROM (VALUES
    ('=', 'SELECT dp_count(*) FROM @ WHERE name = ''a''::pg_catalog.text'), ('<', 'SELECT dp_count(*) FROM @ WHERE id < 7'), ('LIKE', 'SELECT dp_count(*) FROM @ WHERE name LIKE ''a'''), ('* in a value', 'SELECT dp_sum(age * 2) FROM @'),
    ('IN', 'SELECT dp_count(*) FROM @ WHERE name IN (''a''::pg_catalog.text, ''b''::pg_catalog.text)'), ('= in CASE', 'SELECT dp_sum(CASE name WHEN ''a''::pg_catalog.text THEN 1 ELSE 0 END) FROM @'), ('lower', 'SELECT dp_count(*) FROM @ WHERE lower(name) IS NULL'),
    ('sqrt', 'SELECT dp_sum(sqrt(age)) FROM @'), ('a cast', 'SELECT dp_count(*) FROM @ WHERE name::box_of IS NULL'), ('a domain', 'SELECT dp_count(*) FROM @ WHERE name::trap.text IS NULL'), ('= in FILTER', 'SELECT dp_count(*) FILTER (WHERE name = ''a''::pg_catalog.text) FROM @ WHERE age > 0'),
    ('our aggregates', 'SELECT dp_sum(trap.to_box(name)::pg_catalog.text) FROM @'), ('OPERATOR()', 'SELECT dp_count(*) FROM @ WHERE id OPERATOR(trap.<) 7'), ('NOT IN', 'SELECT dp_count(*) FROM @ WHERE name <> ALL (ARRAY[name]) OR name = ANY (ARRAY[''b''::pg_catalog.text])')
) AS list (what, question);
SELECT attempt('an aggregate of the same name', 'SELECT trap.dp_sum(name) FROM people', '42501', 'SELECT trap.dp_sum(name) FROM people', 'Zebedee');
SELECT attempt('a function of the same name', 'SELECT trap.dp_avg(p) FROM people p WHERE id = 42', '42501', 'SELECT trap.dp_avg(p) FROM people p WHERE id = 42', 'Zebedee');
-- a table of the same name is another one, and nobody's secret
SELECT attempt('a temporary table of the same name', ARRAY['CREATE TEMP TABLE people (id int, age float8, name text)', 'SELECT dp_count(*) FROM people', 'SELECT dp_count(*) FROM clinic.people p WHERE EXISTS (SELECT FROM people)', 'DROP TABLE pg_temp.people'], '(55000|0A000)',
    ARRAY['CREATE TEMP TABLE people (id int, age float8, name text)', 'SELECT count(*) FROM people', 'DROP TABLE pg_temp.people'], '\(0\)');
-- a type whose input function is called
SELECT attempt('the cast into a type of one''s own', 'SELECT dp_count(*) FROM people WHERE (name, age)::text::trap.box_of IS NOT NULL', '0A000', 'SELECT (name::trap.box_of).v FROM people WHERE secret', 'Zebedee');
-- selectivity estimators look at the most common values with the operator
SELECT attempt('an estimator that calls an operator', ARRAY['SET search_path = trap, pg_catalog, clinic, lab, public',
    'EXPLAIN SELECT 1 FROM people WHERE note = ''x''::pg_catalog.text', 'SELECT dp_count(*) FROM people WHERE note::pg_catalog.text = ''x''::pg_catalog.text',
    'SET search_path = clinic, lab, public'], '(42501|0A000)',
    ARRAY['SET search_path = trap, pg_catalog, clinic, lab, public', 'SELECT 1 FROM people WHERE name = ''x''::pg_catalog.text', 'SET search_path = clinic, lab, public'], 'Zebedee');
DROP SCHEMA trap CASCADE;
SELECT * FROM finish();
