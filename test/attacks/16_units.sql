-- Row 16: several rows of one person.
\ir start.sql
CREATE TABLE clinic.visits (id serial PRIMARY KEY, who int NOT NULL, cost float8 NOT NULL);
INSERT INTO clinic.visits (who, cost) SELECT i % 10, 5 FROM generate_series(1, 100) i;
ALTER TABLE clinic.visits OWNER TO dpsens_attack_owner;
GRANT SELECT ON clinic.visits TO dpsens_attack_reader;
DO $$ BEGIN
    PERFORM dpsens.protect('visits', unit => 'who'), dpsens.set_range('visits', 'cost', 0, 5), dpsens.grant_budget('visits', 'dpsens_attack_ana', epsilon => 1000, own_tables => true);
END $$;
SELECT attempt('a unit with many rows: ' || question, question, '55000', replace(question, 'dp_', ''), '00000.\([0-9.]+\)')
FROM unnest(ARRAY['SELECT dp_count(*) FROM visits', 'SELECT dp_sum(cost) FROM visits', 'SELECT dp_avg(cost) FROM visits WHERE who = 3', 'SELECT dp_count(*) FROM (SELECT who FROM visits) s']) question;
-- an index that holds for some rows, or over several columns, proves nothing
CREATE UNIQUE INDEX few ON clinic.visits (who) WHERE id < 10;
CREATE UNIQUE INDEX two ON clinic.visits (who, id);
SELECT attempt('indexes that prove nothing', 'SELECT dp_sum(cost) FROM visits', '55000', 'SELECT sum(cost) FROM visits', '00000.\(500\)');
DROP TABLE clinic.visits;
SELECT * FROM finish();
