-- trapped_tables.sql
--	Views of dpsens look at the tables of all roles, with the rights of who looks.  What somebody has hung on a table of their own
--	does not run meanwhile: not as a superuser, the owner of other tables, an auditor or the ledger's worker.
-- Files: glue/constraint/unique_proof.c, glue/label/annotation.c, guard/source/covered.c.
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA trapped;
CREATE SCHEMA trapped_owned;
SET search_path = trapped, public;
CREATE ROLE trapped_maker;
CREATE ROLE trapped_owner;
CREATE ROLE trapped_auditor;
GRANT USAGE, CREATE ON SCHEMA trapped TO trapped_maker;
GRANT ALL ON SCHEMA trapped_owned TO trapped_owner;
SELECT no_plan();

SET ROLE trapped_owner;
CREATE TABLE trapped_owned.people (id int PRIMARY KEY, x float8 NOT NULL);
SELECT dpsens.protect('trapped_owned.people', unit => 'id'), dpsens.set_range('trapped_owned.people', 'x', 0, 1), dpsens.grant_budget('trapped_owned.people', 'trapped_maker', epsilon => 10),
    dpsens.grant_audit('trapped_owned.people', 'trapped_auditor', rows => false) \g /dev/null
SET ROLE trapped_maker;
CREATE FUNCTION trap(anyelement) RETURNS anyelement IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
    IF CURRENT_USER <> 'trapped_maker' THEN RAISE EXCEPTION 'a trap ran as %', CURRENT_USER; END IF;
    RETURN $1;
END $$;
-- that of a unit, whose indexes are looked at, and all that is evaluated where it is constant
CREATE TABLE partial (id int NOT NULL, x float8 NOT NULL DEFAULT trap(1.0::float8), y float8 GENERATED ALWAYS AS (x + trap(2.0::float8)) STORED, CHECK (x > trap(-1.0::float8)));
CREATE UNIQUE INDEX ON partial (id) WHERE trap(true);
CREATE UNIQUE INDEX ON partial (id, (x * trap(1.0::float8)));
CREATE UNIQUE INDEX ON partial ((trap(3)));
CREATE STATISTICS partial_statistics ON id, (x + trap(1.0::float8)) FROM partial;
CREATE POLICY trapped_policy ON partial USING (trap(true));
ALTER TABLE partial ENABLE ROW LEVEL SECURITY;
CREATE TABLE parted (id int NOT NULL, x float8 NOT NULL) PARTITION BY RANGE (id, (x + trap(1.0::float8)));
CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0, 0) TO (1000, 1000);
CREATE UNIQUE INDEX ON part (id) WHERE trap(true);
CREATE TABLE refers (id int NOT NULL, whole int NOT NULL, x float8 NOT NULL);
CREATE TABLE whole (id int PRIMARY KEY, x float8 NOT NULL);
ALTER TABLE refers ADD FOREIGN KEY (whole) REFERENCES whole (id);
CREATE UNIQUE INDEX ON refers (whole) WHERE trap(true);
CREATE UNIQUE INDEX ON whole (id) WHERE trap(true);
CREATE DOMAIN trapped_number AS float8 CHECK (VALUE > trap(-1.0::float8)) DEFAULT trap(1.0::float8);
CREATE DOMAIN trapped_word AS text CHECK (VALUE <> trap('no'::text));
CREATE TABLE domains (id int NOT NULL, n trapped_number NOT NULL, w trapped_word);
CREATE UNIQUE INDEX ON domains (id) WHERE trap(true);
CREATE TABLE rolled (id int PRIMARY KEY, k text NOT NULL CHECK (k IN ('a', 'b') AND trap(true)), l text NOT NULL CHECK (l IN ('c', 'd')));
CREATE VIEW seen AS SELECT id, x + trap(0.0::float8) AS x FROM partial WHERE trap(true);
INSERT INTO partial (id, x) VALUES (1, 1);
INSERT INTO parted VALUES (1, 1);
INSERT INTO domains VALUES (1, 1, 'a');
SELECT dpsens.protect('partial', unit => 'id'), dpsens.protect('parted', unit => 'id'), dpsens.protect('whole', unit => 'id'), dpsens.protect('refers', unit => 'whole', max_rows => 1), dpsens.protect('domains', unit => 'id') \g /dev/null
SELECT dpsens.set_range(r, 'x', 0, 1), dpsens.grant_budget(r, 'trapped_maker', epsilon => 10) FROM unnest('{partial, parted, whole, refers}'::regclass[]) r \g /dev/null
SELECT dpsens.protect('rolled', unit => 'id'), dpsens.set_values('rolled', 'k', 'a', 'b'), dpsens.set_values('rolled', 'l', 'c', 'd') \g /dev/null
SELECT dpsens.set_range('domains', 'n', 0, 1), dpsens.set_values('domains', 'w', 'a', 'b'), dpsens.set_range_when('domains', 'n', 0, 0.5, "when" => $$w = 'a'$$), dpsens.set_range_when('partial', 'x', 0, 0.5, "when" => 'id = 7') \g /dev/null
SELECT dpsens.set_entity_budget('whole', epsilon => 10), dpsens.set_column_budget('whole', 'x', epsilon => 5), dpsens.register('trapped_expression', 'partial', 'x * 2') \g /dev/null
CREATE OR REPLACE FUNCTION trapped_expression(r partial) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT r.x * trapped.trap(2.0::float8) $$;
RESET ROLE;
GRANT USAGE ON SCHEMA trapped TO PUBLIC;

-- All columns of all rows, in a session of its own, which has planned nothing yet.  The question, and a trap's error.
CREATE FUNCTION looks(who name, question text) RETURNS text LANGUAGE plpgsql SET search_path = trapped, public AS $$ BEGIN
    EXECUTE format('SET LOCAL ROLE %I', who);
    EXECUTE question;
    SET LOCAL ROLE NONE;
    RETURN 'quiet';
EXCEPTION WHEN raise_exception THEN RETURN SQLERRM;
    WHEN OTHERS THEN RETURN 'quiet: ' || SQLERRM;
END $$;
SELECT is(looks('trapped_owner', 'SELECT trap(1)'), 'a trap ran as trapped_owner', 'a trap runs for who calls it');
SELECT is(looks(CURRENT_USER, 'SELECT count(*) FROM partial'), 'a trap ran as ' || CURRENT_USER, 'as it does for who asks the server about the table');
SELECT alike(looks(who, question), 'quiet%', who || ': ' || question)
FROM unnest(ARRAY[CURRENT_USER, 'trapped_owner', 'trapped_auditor', 'trapped_maker']) who,
    (SELECT format('SELECT count(v::text) FROM %s v', c.oid::regclass) FROM pg_class c WHERE c.relnamespace IN ('dpsens'::regnamespace, 'dpsens_internal'::regnamespace) AND c.relkind = 'v'
    UNION ALL SELECT unnest(ARRAY['SELECT count(s::text) FROM dpsens.check_security() s', 'SELECT count(s::text) FROM dpsens.check_security(''trapped_maker'') s',
        'SELECT count(s::text) FROM dpsens.suggest_setup(''trapped'') s', 'SELECT count(v::text) FROM dpsens.verify_ledger() v', 'SELECT count(v::text) FROM dpsens.verify_seals() v',
        'SELECT length(dpsens.report(''trapped_owned.people'', false)::text)', 'SELECT length(dpsens.report(''trapped.partial'', false)::text)', 'SELECT count(e::text) FROM dpsens.explain(''SELECT dp_sum(x) FROM trapped.whole'', 1) e',
        'SELECT count(e::text) FROM dpsens.explain(''SELECT k, l, dp_count(*) FROM trapped.rolled GROUP BY ROLLUP (k, l)'', 1) e',
        'SELECT count(s::text) FROM dpsens.privacy_spent(''trapped.whole'') s', 'SELECT dpsens.answers_left(''SELECT dp_sum(x, 1) FROM trapped.whole'')', 'SELECT dpsens.set_range_from_checks(''trapped.partial'')',
        'SELECT dpsens.jacobian_sensitivity_of(''x'', ''trapped.partial'')', 'SECURITY LABEL FOR dpsens ON TABLE trapped.whole IS ''PROTECTED''', 'SELECT dpsens.protect(''trapped.partial'', unit => ''id'')', 'ALTER TABLE trapped.refers ADD CONSTRAINT more CHECK (x > 0)'])) q (question);
SELECT * FROM finish();
DROP SCHEMA trapped, trapped_owned CASCADE;
DROP OWNED BY trapped_maker, trapped_owner, trapped_auditor;
DROP ROLE trapped_maker, trapped_owner, trapped_auditor;
