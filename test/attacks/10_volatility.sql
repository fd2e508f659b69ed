-- Row 10: one draw that is shown again and again, or that nobody paid.
\ir start.sql
SELECT lab.charged() AS before \gset
SELECT attempt('a generic plan', ARRAY['SET plan_cache_mode = force_generic_plan', 'PREPARE again AS SELECT dp_sum(age * 0.5) AS a FROM people', 'CREATE TEMP TABLE draws AS EXECUTE again',
    'CREATE TEMP TABLE more AS EXECUTE again', 'SELECT count(*) FROM draws d, more m WHERE d.a = m.a', 'DROP TABLE draws, more', 'DEALLOCATE again', 'RESET plan_cache_mode'], '00000.\(0\)',
    ARRAY['SET plan_cache_mode = force_generic_plan', 'PREPARE again AS SELECT sum(age) AS a FROM people', 'CREATE TEMP TABLE draws AS EXECUTE again', 'CREATE TEMP TABLE more AS EXECUTE again',
    'SELECT count(*) FROM draws d, more m WHERE d.a = m.a', 'DROP TABLE draws, more', 'DEALLOCATE again', 'RESET plan_cache_mode'], '00000.\(1\)');
SELECT is(lab.charged() - :before, 2::bigint, 'each execution is charged');
SET ROLE dpsens_attack_ana;
CREATE FUNCTION lab.fixed() RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dp_sum(age * 0.5) FROM clinic.people); END $$;
CREATE FUNCTION lab.fixed_sql() RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT dp_sum(age * 0.5) FROM clinic.people $$;
CREATE FUNCTION lab.fixed_chance() RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN random(); END $$;
RESET ROLE;
SELECT lab.charged() AS before \gset
SELECT attempt('functions that call themselves immutable', 'SELECT fixed() <> fixed(), fixed_sql() <> fixed()', '00000.\(t,t\)', 'SELECT count(DISTINCT fixed_chance()) FROM generate_series(1, 9)', '\(1\)');
SELECT is(lab.charged() - :before, 4::bigint, 'each of their draws is charged');
SELECT lab.charged() AS before \gset
SELECT attempt('EXPLAIN', 'EXPLAIN SELECT dp_sum(age * 0.5) FROM people', '42501', 'EXPLAIN SELECT dp_sum(age * 0.5) FROM people', 'Aggregate|Scan');
SELECT is(lab.charged() - :before, 0::bigint, 'EXPLAIN draws nothing');
SELECT attempt('a view that is read twice', ARRAY['CREATE VIEW lab.answer10 AS SELECT dp_sum(age * 0.5) AS a FROM clinic.people', 'SELECT x.a = y.a FROM lab.answer10 x, lab.answer10 y', 'DROP VIEW lab.answer10'], '00000.\(f\)',
    ARRAY['SELECT x.a = y.a FROM (SELECT sum(age) AS a FROM people) x, (SELECT sum(age) AS a FROM people) y'], '\(t\)');
SELECT is(lab.charged() - :before, 2::bigint, 'is charged twice');
SELECT * FROM finish();
