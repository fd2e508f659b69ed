-- Whose spending it is after tables, schemas and roles were renamed, given away,
-- dropped and made again: nothing is lost, and nobody else pays.
--
-- Everything is committed as it goes: another process records the charges.
-- Files: ledger/charge/names.c, ledger/former.c.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(75);

CREATE ROLE names_tap_owner;
CREATE ROLE names_tap_heir;
CREATE ROLE names_tap_analyst;
SELECT 'names_tap_' || pg_backend_pid() || '_' || floor(random() * 1e9) AS schema \gset
SELECT :'schema' || '_later' AS later \gset
CREATE SCHEMA :schema;
GRANT ALL ON SCHEMA :schema TO names_tap_owner, names_tap_heir;
GRANT USAGE ON SCHEMA :schema TO names_tap_analyst;
SET search_path = :schema, public;
CREATE TABLE asked (answer bigint);
CREATE FUNCTION make(name text, owner text DEFAULT 'names_tap_owner') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %1$I (id int PRIMARY KEY, x float8 NOT NULL); INSERT INTO %1$I SELECT i, i FROM generate_series(1, 5) i;
        ALTER TABLE %1$I OWNER TO %2$I; GRANT SELECT ON %1$I TO PUBLIC', name, owner);
    PERFORM dpsens.protect(name::regclass), dpsens.set_range(name::regclass, 'x', 0, 10);
END $$;
CREATE FUNCTION ask(name text, times int DEFAULT 1) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. times LOOP
        EXECUTE format('SELECT dp_count(true, 0.25) FROM %I', name);
    END LOOP;
    RETURN 'answered';
EXCEPTION WHEN configuration_limit_exceeded THEN
    RETURN 'refused';
END $$;
-- what the relation has spent, and by how many purses of the relation that is known
CREATE FUNCTION spent(name text, role text DEFAULT NULL) RETURNS float8 LANGUAGE sql AS $$
    SELECT sum(p.spent_epsilon) / 2.0 ^ 40 FROM dpsens.purse p
    WHERE p.relation = name::regclass AND p.role = COALESCE((SELECT r.oid FROM pg_roles r WHERE r.rolname = spent.role), 0)
$$;
-- what purse, budget and row account of a relation know it by
CREATE FUNCTION called(name text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT format('%s %s', replace(n.relation_schema, current_schema, 'S') || '.' || n.relation_name, n.relation_owner), ', ')
    FROM (SELECT relation, relation_schema, relation_name, relation_owner FROM dpsens.purse
        UNION ALL SELECT relation, relation_schema, relation_name, relation_owner FROM dpsens.budget
        UNION ALL SELECT relation, relation_schema, relation_name, relation_owner FROM dpsens.row_account) n
    WHERE n.relation = name::regclass
$$;

-- ---- names follow at once ----

SELECT make('t');
DO $$ BEGIN PERFORM dpsens.set_budget('t', epsilon => 1, row_epsilon => 100), dpsens.grant_budget('t', 'names_tap_analyst', epsilon => 0.5); END $$;
SELECT is(ask('t', 2), 'answered', 'spent: a half');
SELECT is(called('t'), 'S.t names_tap_owner', 'as it was called');
SET ROLE names_tap_owner;
ALTER TABLE t RENAME TO u;
RESET ROLE;
SELECT is(called('u'), 'S.u names_tap_owner', 'renamed by its owner, who may not write the ledger');
ALTER TABLE u OWNER TO names_tap_heir;
SELECT is(called('u'), 'S.u names_tap_heir', 'given away');
REASSIGN OWNED BY names_tap_heir TO names_tap_owner;
SELECT is(called('u'), 'S.u names_tap_owner', 'reassigned');
ALTER ROLE names_tap_owner RENAME TO names_tap_boss;
SELECT is(called('u'), 'S.u names_tap_boss', 'an owner with another name');
ALTER ROLE names_tap_boss RENAME TO names_tap_owner;
ALTER SCHEMA :schema RENAME TO :later;
SET search_path = :later, public;
SELECT is(called('u'), 'S.u names_tap_owner', 'a schema with another name');
ALTER SCHEMA :later RENAME TO :schema;
SET search_path = :schema, public;
CREATE SCHEMA :later;
ALTER TABLE u SET SCHEMA :later;
SELECT is(called(format('%I.u', :'later')), format('%s.u names_tap_owner', 'S_later'), 'another schema');
ALTER TABLE :later.u SET SCHEMA :schema;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM dpsens.purse \g /dev/null
\! psql -XAtqc "SELECT dp_count(true, 0.125) FROM $(psql -XAtqc "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname LIKE 'names_tap_%' AND c.relname = 'u'")" >/dev/null
ALTER TABLE u RENAME TO v;
COMMIT;
SELECT is(called('v'), 'S.v names_tap_owner', 'in a transaction whose snapshot is older than a charge');
BEGIN;
ALTER TABLE v RENAME TO w;
ROLLBACK;
SELECT is(called('v'), 'S.v names_tap_owner', 'not if it is rolled back');
BEGIN;
SAVEPOINT s;
ALTER TABLE v RENAME TO w;
ROLLBACK TO s;
COMMIT;
SELECT is(called('v'), 'S.v names_tap_owner', 'nor in a subtransaction');
DO $$ BEGIN ALTER TABLE v RENAME TO w; ALTER TABLE w RENAME TO t; END $$;
SELECT is(called('t'), 'S.t names_tap_owner', 'in a function');
BEGIN;
ALTER TABLE t RENAME TO v;
SET TRANSACTION READ ONLY;
COMMIT;
SELECT is(called('v'), 'S.v names_tap_owner', 'in a transaction that is declared read-only afterwards');
ALTER TABLE v RENAME TO t;
ALTER ROLE names_tap_analyst RENAME TO names_tap_guest;
SELECT is((SELECT role_name FROM dpsens.budget WHERE relation = 't'::regclass AND role <> 0), 'names_tap_guest', 'and roles that have budgets');
ALTER ROLE names_tap_guest RENAME TO names_tap_analyst;
SELECT is(spent('t'), 0.625::float8, 'what was spent is what it was');

-- ---- a name that somebody else gets ----

ALTER TABLE t RENAME TO old;
SELECT make('t');
SELECT is(ask('t', 5), 'answered', 'another table of the old name is another table');
SELECT is(array[spent('t'), spent('old')], array[1.25, 0.625::float8], 'each has its own');
DO $$ BEGIN PERFORM dpsens.set_budget('old', epsilon => 1, row_epsilon => 'Infinity'); END $$;
DROP TABLE old;
SELECT make('old');
SELECT is(ask('old', 2), 'refused', 'the renamed one is remembered by its new name');
SELECT is(array[spent('t'), spent('old')], array[1.25, 0.875::float8], 'and not by the old one');

-- a rebuilt table takes the place of the first after it was asked itself
SELECT make('rebuilt');
DO $$ BEGIN PERFORM dpsens.grant_budget('rebuilt', 'names_tap_analyst', epsilon => 0.5, refresh => '1 day'); END $$;
SET ROLE names_tap_analyst;
SELECT dp_count(true, 0.25) IS NOT NULL AS asked FROM rebuilt;
RESET ROLE;
SELECT make('first');
DO $$ BEGIN PERFORM dpsens.grant_budget('first', 'names_tap_analyst', epsilon => 2, refresh => '1 day'), dpsens.set_budget('first', epsilon => 4); END $$;
SET ROLE names_tap_analyst;
SELECT dp_count(true, 1) IS NOT NULL AS asked FROM first;
RESET ROLE;
SELECT dp_count(true, 1) IS NOT NULL AS asked FROM first;
DROP TABLE first;
ALTER TABLE rebuilt RENAME TO first;
SELECT is(ask('first'), 'answered', 'a table that was asked before it took the place');
SELECT is(spent('first'), 2.5::float8, 'pays for both');
SELECT is(spent('first', 'names_tap_analyst'), 1.25::float8, 'so does the role');
SELECT is((SELECT count(*)::int FROM dpsens.release WHERE relation = 'first'::regclass), 4, 'their histories are one');
-- what was set for a table that was made again is the new one's as soon as it is asked, and follows it
SELECT make('kept');
DO $$ BEGIN PERFORM dpsens.set_budget('kept', epsilon => 1), dpsens.set_policy('kept', epsilon => 0.5), dpsens.set_entity_policy('kept', epsilon => 0.75); END $$;
DROP TABLE kept;
SELECT make('kept');
SELECT is(ask('kept'), 'answered', 'a table that was made again');
ALTER TABLE kept RENAME TO moved;
SELECT results_eq($$SELECT epsilon FROM dpsens.policies WHERE relation = 'moved'::regclass ORDER BY 1$$, 'VALUES (0.5::float8), (0.75)', 'has the policies of the first, by whatever name');
SELECT throws_ok('SELECT dp_count(true, 0.625) FROM moved', '53400', NULL, 'which hold');
SELECT is(ask('moved', 4), 'refused', 'and so does its cap');
DO $$ BEGIN PERFORM dpsens.set_policy('moved', epsilon => 'Infinity'), dpsens.set_entity_policy('moved', epsilon => 'Infinity'); END $$;
SELECT is_empty('SELECT * FROM dpsens.verify_ledger() WHERE NOT valid', 'which says the same');
SET ROLE names_tap_analyst;
SELECT throws_ok('SELECT dp_count(true, 0.25) FROM first', '53400', NULL, 'its own budget holds');
RESET ROLE;
SELECT is(ask('first', 6), 'answered', 'the cap of the former holds, too:');
SELECT is(ask('first'), 'refused', 'it was 4');

-- nor does it matter what it is called by the time it is asked
CREATE PROCEDURE spend(name text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM make(name), dpsens.set_budget(name::regclass, epsilon => 1), dpsens.set_policy(name::regclass, epsilon => 0.5);
    COMMIT;
    PERFORM ask(name, 2);
END $$;
CREATE FUNCTION goes_on(name text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEXT is(called(name), format('%s %s', replace(c.relnamespace::regnamespace::text, current_schema, 'S') || '.' || c.relname, c.relowner::regrole),
        what || ' is known by its names') FROM pg_class c WHERE c.oid = name::regclass;
    RETURN NEXT is(spent(name), 0.5::float8, 'has spent what the former one has');
    RETURN NEXT results_eq(format('SELECT epsilon FROM dpsens.policies WHERE relation = %L::regclass', name), 'VALUES (0.5::float8)', 'has its policy');
END $$;
CALL spend('n1');
DROP TABLE n1;
SELECT make('n1');
ALTER TABLE n1 RENAME TO n2;
SELECT goes_on('n2', 'a table that was made again and renamed at once');
SELECT is(ask('n2', 2), 'answered', 'and its cap');
SELECT is(ask('n2'), 'refused', 'of which a half was left');
DROP TABLE n2;
CALL spend('n1');
BEGIN;
DROP TABLE n1;
SELECT make('n1');
ALTER TABLE n1 RENAME TO n3;
ALTER TABLE n3 RENAME TO n4;
COMMIT;
SELECT goes_on('n4', 'one that was renamed in the same transaction');
DROP TABLE n4;
CALL spend('n1');
DROP TABLE n1;
BEGIN;
SELECT make('n0');
SAVEPOINT s;
ALTER TABLE n0 RENAME TO n1;
ALTER TABLE n1 RENAME TO n5;
ROLLBACK TO s;
ALTER TABLE n0 RENAME TO n6;
COMMIT;
SELECT is(spent('n6'), NULL, 'one that had its name in a subtransaction that was rolled back has nothing of it');
DROP TABLE n6;
BEGIN;
SELECT make('n0');
SAVEPOINT s;
ALTER TABLE n0 RENAME TO n1;
ALTER TABLE n1 RENAME TO n5;
RELEASE s;
SAVEPOINT s;
ALTER TABLE n5 RENAME TO n6;
ROLLBACK TO s;
COMMIT;
SELECT goes_on('n5', 'one that had its name in another');
DROP TABLE n5;
CALL spend('n1');
DROP TABLE n1;
SELECT make('n1');
ALTER TABLE n1 OWNER TO names_tap_heir;
SELECT goes_on('n1', 'one that was given away');
DROP TABLE n1;
CALL spend('n1');
DROP TABLE n1;
SELECT make('n1');
ALTER TABLE n1 SET SCHEMA :later;
SELECT goes_on(format('%I.n1', :'later'), 'one that was moved');
DROP TABLE :later.n1;
CALL spend('n1');
DROP TABLE n1;
CREATE TABLE n1 AS SELECT 1 AS x;
ALTER TABLE n1 OWNER TO names_tap_owner;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM dpsens.purse \g /dev/null
ALTER TABLE n1 RENAME TO n7;
COMMIT;
SELECT goes_on('n7', 'one that CREATE TABLE AS made and REPEATABLE READ renamed');
DROP TABLE n7;
-- two former ones: what was set last is in force, as it was by the name
CALL spend('n11');
DROP TABLE n11;
SELECT make('n11', 'names_tap_heir');
DO $$ BEGIN PERFORM dpsens.set_budget('n11', epsilon => 2); END $$;
ALTER TABLE n11 RENAME TO n8;
ALTER TABLE n8 OWNER TO names_tap_owner;
ALTER TABLE n8 RENAME TO n11;
SELECT goes_on('n11', 'one that took the name later');
SELECT is((SELECT max(epsilon) FROM dpsens.budgets WHERE relation = 'n11'::regclass AND role IS NULL), 2::float8, 'and keeps the cap that was set for it');
DROP TABLE n11;
-- its owner need not be allowed to write the ledger
CALL spend('n10');
SET ROLE names_tap_owner;
DROP TABLE n10;
CREATE TABLE n10 (id int);
ALTER TABLE n10 RENAME TO n9;
RESET ROLE;
SELECT goes_on('n9', 'one that its owner made');
DROP TABLE n9;

-- frozen losses of units that both have
SELECT make('f');
SELECT make('g');
DO $$ BEGIN PERFORM dpsens.set_budget('f', row_epsilon => 100), dpsens.set_budget('g', row_epsilon => 100); END $$;
SELECT dp_sum(x, 10) IS NOT NULL AS asked FROM f;
UPDATE f SET x = 0 WHERE id = 5;
DELETE FROM f WHERE id = 4;
SELECT dp_sum(x, 1) IS NOT NULL AS asked FROM g;
UPDATE g SET x = 0 WHERE id IN (3, 5);
DROP TABLE f;
ALTER TABLE g RENAME TO f;
UPDATE f SET x = 0 WHERE id = 2;
SELECT dp_count(true, 1) IS NOT NULL AS asked FROM f;
SELECT results_eq($$SELECT unit, round(epsilon::numeric, 3)::float8 FROM dpsens.row_loss('f') ORDER BY 1$$,
    $$VALUES ('1', 11.1::float8), ('2', 11.2), ('3', 11.3), ('4', 9.4), ('5', 6.5)$$,
    'are added: 4, and 5 + 0.5; the others pay 10 in full, since their former rows are not known, x/10 and 1 for the count; so do those that were changed');
SELECT is((SELECT count(*)::int FROM dpsens.row_account WHERE relation_name = 'f' AND relation_schema = current_schema), 1, 'in one account');

-- ---- owners ----

SELECT make('h');
DO $$ BEGIN PERFORM dpsens.set_budget('h', epsilon => 0.5); END $$;
SELECT is(ask('h', 2), 'answered', 'spent');
DROP TABLE h;
SELECT make('h', 'names_tap_heir');
SELECT is(ask('h', 5), 'answered', 'a table of somebody else''s');
SELECT is(spent('h'), 1.25::float8, 'is another one');
DROP TABLE h;
SELECT make('h');
SELECT is(ask('h'), 'refused', 'whose owner comes back');
-- a role that is renamed while nobody looks: the ledger's names are stale
SELECT make('i');
DO $$ BEGIN PERFORM dpsens.set_budget('i', epsilon => 0.5); END $$;
SELECT is(ask('i', 2), 'answered', 'spent');
DROP TABLE i;
\! psql -XAtqd template1 -c 'ALTER ROLE names_tap_owner RENAME TO names_tap_boss'
SELECT make('i', 'names_tap_boss');
SELECT is(ask('i'), 'refused', 'an owner who was renamed elsewhere is charged all the same');
-- the next worker sets the names right, even of relations that nobody asks about
SELECT is((SELECT role_name FROM dpsens.budget WHERE relation = 'first'::regclass AND role <> 0), 'names_tap_analyst', 'as it was called');
\! psql -XAtqd template1 -c 'ALTER ROLE names_tap_analyst RENAME TO names_tap_guest'
SELECT pg_terminate_backend(pid, 5000) AS worker FROM pg_stat_activity WHERE backend_type = 'dpsens ledger' AND datname = current_database() \g /dev/null
SELECT make('g', 'names_tap_boss');
SELECT is(ask('g'), 'answered', 'a worker that has just begun');
SELECT is((SELECT role_name FROM dpsens.budget WHERE relation = 'first'::regclass AND role <> 0), 'names_tap_guest', 'knows who was renamed elsewhere');
SELECT is(called('t'), 'S.t names_tap_boss', 'and whose owner was');
-- a role that gets the name of another
CREATE ROLE names_tap_analyst;
SET ROLE names_tap_analyst;
SELECT is_empty('SELECT FROM dpsens.releases', 'does not see what the other asked');
SELECT is_empty('SELECT FROM dpsens.my_budget WHERE budget_of IS NOT NULL', 'nor what it may ask');
SET ROLE names_tap_guest;
SELECT isnt_empty('SELECT FROM dpsens.releases', 'which sees it under its new name');
SELECT isnt_empty('SELECT FROM dpsens.my_budget WHERE budget_of IS NOT NULL', 'and its budget');
RESET ROLE;
DROP ROLE names_tap_analyst;
ALTER ROLE names_tap_boss RENAME TO names_tap_owner;
ALTER ROLE names_tap_guest RENAME TO names_tap_analyst;

SELECT * FROM finish();
DROP SCHEMA :schema CASCADE;
DELETE FROM dpsens.policy WHERE relation_schema IN (:'schema', :'later');
DROP SCHEMA :later CASCADE;
DROP OWNED BY names_tap_owner, names_tap_heir, names_tap_analyst;
DROP ROLE names_tap_owner, names_tap_heir, names_tap_analyst;
