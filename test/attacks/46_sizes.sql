-- Row 21: how large a table is, by the plan that is made for it.  The plan cache
-- compares the costs of plans, and shows whose turn it was; and how many workers
-- there are is seen as well.
\ir start.sql
CREATE TABLE clinic.full45 (id int PRIMARY KEY, x int NOT NULL);
CREATE TABLE clinic.less45 (LIKE clinic.full45 INCLUDING ALL);
INSERT INTO clinic.full45 SELECT i, i FROM generate_series(1, 1000) AS i;
INSERT INTO clinic.less45 SELECT i, i FROM generate_series(1, 1000) AS i WHERE i <> 42;
SELECT format('ALTER TABLE clinic.%I OWNER TO dpsens_attack_owner', t), format('GRANT SELECT ON clinic.%I TO dpsens_attack_reader', t) FROM unnest('{full45, less45}'::text[]) t \gexec
DO $$ BEGIN
    PERFORM dpsens.protect(r), dpsens.grant_budget(r, 'dpsens_attack_ana', epsilon => 1000000, own_tables => true), dpsens.grant_budget(r, 'dpsens_attack_reader', epsilon => 1000000) FROM unnest('{full45, less45}'::regclass[]) r;
END $$;
VACUUM ANALYZE clinic.full45, clinic.less45;

-- how often a plan for all values was used, with that many conditions that a
-- plan for one value is without
CREATE FUNCTION lab.turns45(tab text, conditions int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    turns text;
BEGIN
    EXECUTE format('PREPARE s45(bool) AS SELECT dp_count(*) > -1e9 FROM %s WHERE ($1 OR %s)', tab, (SELECT string_agg('x > ' || i, ' OR ' ORDER BY i) FROM generate_series(1, conditions) i));
    FOR i IN 1 .. 7 LOOP
        EXECUTE 'EXECUTE s45(true)';
    END LOOP;
    SELECT generic_plans || ' ' || custom_plans INTO turns FROM pg_prepared_statements WHERE name = 's45';
    DEALLOCATE s45;
    RETURN turns;
END $$;
CREATE FUNCTION lab.told45() RETURNS boolean LANGUAGE sql AS $$ SELECT bool_or(lab.turns45('full45', k) <> lab.turns45('less45', k)) FROM generate_series(1, 12) k $$;
SELECT attempt('one row, by the choice of the plan cache', 'SELECT lab.told45()', '00000.\(f\)', '00000.\(t\)');
DROP TABLE clinic.full45, clinic.less45;
SELECT * FROM finish();
