-- NOT NULL is believed where it is true of all rows that are met: not of a table that
-- others inherit from without it, and not before it was validated.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE SCHEMA nulls_tap;
SET search_path = nulls_tap, public;
SELECT plan(CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 7 ELSE 5 END);
SELECT current_setting('server_version_num')::int >= 180000 AS can_wait \gset

CREATE FUNCTION declare(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dpsens.protect(relation, adjacency => 'replace'), dpsens.set_range(relation, 'x', 10, 20);
END $$;
CREATE FUNCTION moves(relation regclass) RETURNS float8 LANGUAGE sql AS
    $$ SELECT sensitivity FROM dpsens.explain(format('SELECT dp_sum(x, 1) FROM %s', relation)) $$;

CREATE TABLE never (x float8 NOT NULL);
CREATE TABLE maybe (x float8);
CREATE TABLE parts (x float8 NOT NULL) PARTITION BY RANGE (x);
CREATE TABLE part PARTITION OF parts DEFAULT;
CREATE TABLE heir_of_never () INHERITS (never);
\if :can_wait
CREATE TABLE parent (x float8 NOT NULL NO INHERIT);
CREATE TABLE child () INHERITS (parent);
\else
CREATE TABLE parent (x float8 NOT NULL);
CREATE TABLE child () INHERITS (parent);
ALTER TABLE child ALTER x DROP NOT NULL;
\endif
DO $$ BEGIN PERFORM declare(r) FROM unnest('{never,maybe,parts,parent}'::regclass[]) r; END $$;
SELECT is(moves('never'), 10::float8, 'NOT NULL, inherited');
SELECT is(moves('parts'), 10::float8, 'NOT NULL of partitions');
SELECT is(moves('maybe'), 20::float8, 'a row may be NULL');
SELECT is(moves('parent'), 20::float8, 'a row of a table that inherits may be NULL');
ALTER TABLE child NO INHERIT parent;
SELECT is(moves('parent'), 10::float8, 'and no longer');

\if :can_wait
CREATE TABLE later (x float8);
INSERT INTO later VALUES (NULL), (15);
ALTER TABLE later ADD CONSTRAINT there NOT NULL x NOT VALID;
DO $$ BEGIN PERFORM declare('later'); END $$;
SELECT is(moves('later'), 20::float8, 'what was not validated is not believed');
DELETE FROM later WHERE x IS NULL;
ALTER TABLE later VALIDATE CONSTRAINT there;
SELECT is(moves('later'), 10::float8, 'and is then');
\endif

SELECT * FROM finish();
DROP SCHEMA nulls_tap CASCADE;
