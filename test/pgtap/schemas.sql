-- Two schemas: dpsens holds what people call and look at, dpsens_internal what only the
-- library, rewritten queries and the extension's own views and functions name.
-- src/glue/own_objects.c looks there by name, sql/90_privileges.sql says who may.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(16);
SET LOCAL search_path = public, pg_catalog;

CREATE TEMP TABLE member AS
SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
WHERE d.deptype = 'e' AND e.extname = 'dpsens';
CREATE TEMP TABLE routine AS
SELECT p.oid, p.proname, p.pronamespace::regnamespace::text AS schema, p.proargtypes::oid[] || p.prorettype AS types, has_function_privilege('public', p.oid, 'EXECUTE') AS is_public
FROM member m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass;
-- a view is what its rule depends on
CREATE TEMP TABLE reads AS
SELECT r.ev_class AS view, d.refclassid, d.refobjid FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refobjid <> r.ev_class
WHERE r.ev_class IN (SELECT objid FROM member WHERE classid = 'pg_class'::regclass);

-- ---- what people see ----

SELECT set_eq('SELECT DISTINCT nspname FROM member m JOIN pg_namespace n ON n.oid = m.objid AND m.classid = ''pg_namespace''::regclass', ARRAY['dpsens', 'dpsens_internal'], 'the extension has two schemas');
SELECT is_empty($$SELECT oid::regprocedure FROM routine WHERE schema = 'dpsens' AND types && ARRAY['cstring', 'internal', 'trigger']::regtype[]::oid[]$$,
    'nobody but the server can call a function of these types, and dpsens has none');
SELECT is_empty($$SELECT r.oid::regprocedure FROM routine r, pg_type t WHERE schema <> 'dpsens_internal' AND t.oid = ANY (types) AND t.typnamespace = 'dpsens_internal'::regnamespace$$,
    'no function that people call has a type of the internal schema');
SELECT set_eq($$SELECT oid::regprocedure::text FROM routine WHERE schema = 'dpsens' AND NOT is_public$$, ARRAY['dpsens.bracket_cache()', 'dpsens.charge_for_standby(text,bigint,oid,integer,pg_lsn,bytea)', 'dpsens.forgive_failures(regrole)'],
    'what nobody may call is no user''s, but for what is a superuser''s');
SELECT is_empty($$SELECT view::regclass, refobjid::regclass FROM reads JOIN pg_class c ON refclassid = 'pg_class'::regclass AND c.oid = refobjid AND c.relkind = 'v' WHERE c.relnamespace = 'dpsens'::regnamespace$$,
    'no view of dpsens is there for other views');
SELECT isnt_empty($$SELECT 1 FROM reads JOIN pg_class c ON refclassid = 'pg_class'::regclass AND c.oid = refobjid AND c.relkind = 'v' WHERE c.relnamespace = 'dpsens_internal'::regnamespace$$, 'those are internal');
SELECT is_empty($$SELECT c.oid::regclass FROM pg_class c WHERE c.relnamespace = 'dpsens_internal'::regnamespace AND c.relkind NOT IN ('v', 'c')$$, 'and no data are: what a dump carries is in dpsens');

-- ---- who may ----

SELECT is_empty($$SELECT view::regclass FROM (SELECT DISTINCT view FROM reads WHERE refclassid = 'pg_class'::regclass AND refobjid IN (SELECT objid FROM member WHERE classid = 'pg_class'::regclass)) v
    JOIN pg_class c ON c.oid = view WHERE has_table_privilege('public', view, 'SELECT') AND NOT 'security_barrier=true' = ANY (COALESCE(reloptions, '{}'))$$,
    'a view of the extension''s tables, which nobody may read, calls no function of the reader''s for rows that it leaves out');

SELECT is_empty($$SELECT proname FROM routine WHERE schema = 'dpsens_internal' AND is_public AND proname ~ '^(stub|refuse|keep|tell|freeze)_|_(in|out|transition|combine|serialize|deserialize|final|support)$'$$,
    'functions of types, aggregates and triggers are called by their owner''s right');
SELECT set_eq($$SELECT p.oid::regprocedure::text FROM routine r JOIN pg_proc p USING (oid) WHERE r.schema = 'dpsens_internal' AND r.is_public AND r.proname !~ '^((exact|release|finish)_|sum$)'$$,
    ARRAY['dpsens_internal.unit_order("any")', 'dpsens_internal.describe_column(regclass,smallint)', 'dpsens_internal.describe_relation(regclass)', 'dpsens_internal.key_ranges(regclass,smallint)', 'dpsens_internal.describe_expression(regprocedure)',
        'dpsens_internal.loss_of_amount(bigint,integer)', 'dpsens_internal.left_of_amount(bigint,bigint,integer)', 'dpsens_internal.charge_of_release(text,bigint[],bigint[],bigint[],bigint,double precision,bigint,integer)',
        'dpsens_internal.former_rho(text,bigint[],bigint[])', 'dpsens_internal.charge_of_person(bigint[],integer)', 'dpsens_internal.has_paid(oid[],oid[],oid,oid)', 'dpsens_internal.entities_of(oid)', 'dpsens_internal.sees_entity(oid)', 'dpsens_internal.is_served(oid)', 'dpsens_internal.entity_opens(oid,oid,oid)', 'dpsens_internal.entity_history(oid,oid,interval)', 'dpsens_internal.period_end(timestamp with time zone,interval)', 'dpsens_internal.why_not_of_entity(oid,oid)', 'dpsens_internal.answers_left(bigint[],bigint[],bigint[])', 'dpsens_internal.charge_of_column(name,text,text,smallint,name[],bigint[],bigint[],bigint[],bigint[],integer,double precision,bigint)', 'dpsens_internal.answer_cost(oid,boolean,double precision)', 'dpsens_internal.left_percent(bigint[],bigint[])', 'dpsens_internal.times_left(bigint[],bigint[],bigint[])', 'dpsens_internal.answer_refused(oid)', 'dpsens_internal.bytes_of(text)', 'dpsens_internal.seal_hash(bytea,bigint,timestamp with time zone,smallint,bigint[],bigint[],bigint[],bytea)', 'dpsens_internal.spent_at_order(double precision,bigint,bigint,double precision,bigint)', 'dpsens_internal.rho_at_order(double precision,text,bigint[],bigint[],bigint[],bigint,double precision,integer,bigint)', 'dpsens_internal.statement_cost(text)', 'dpsens_internal.statement_charges(text,double precision[])',
        'dpsens_internal.cells_number(integer,regprocedure,double precision,integer,smallint[],"any")', 'dpsens_internal.cells_array(integer,regprocedure,double precision,integer,smallint[],"any")',
        'dpsens_internal.training_progress()', 'dpsens_internal.attempt(dpsens_internal.shard_attempt,anyelement,"any")', 'dpsens_internal.citus_relations()'],
    'beside what answers are made with, which refuses, these may be called: views and functions of dpsens do so as their caller');
SELECT set_eq($$SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = 'dpsens_internal'::regnamespace AND c.relkind = 'v' AND has_table_privilege('public', c.oid, 'SELECT')$$,
    ARRAY['dpsens_internal.my_purses', 'dpsens_internal.ledger_check', 'dpsens_internal.audited', 'dpsens_internal.readers', 'dpsens_internal.seal_heads', 'dpsens_internal.seal_check'], 'and these views be read, which show the reader''s own');
SELECT is_empty($$SELECT nspname FROM pg_namespace WHERE nspname IN ('dpsens', 'dpsens_internal') AND has_schema_privilege('public', oid, 'CREATE')$$, 'nobody may create in either');

-- ---- whose schema it is ----

-- of somebody else's, who could have filled it, the extension makes no use
DROP EXTENSION dpsens CASCADE;
CREATE SCHEMA dpsens_internal;
SELECT throws_ok('CREATE EXTENSION dpsens', '42P06', 'schema "dpsens_internal" already exists', 'a schema that is there is not taken');
DROP SCHEMA dpsens_internal;
SELECT lives_ok('CREATE EXTENSION dpsens', 'once it is gone, one is made');

-- with all that the library looks for, but not the extension's any more; to be
-- another's is what makes the library look again
CREATE ROLE schemas_tap_other;
SET LOCAL dpsens.epsilon = 1;
CREATE TABLE schemas_tap_t (id int PRIMARY KEY);
DO $$ BEGIN PERFORM dpsens.protect('schemas_tap_t'); END $$;
SELECT lives_ok('SELECT dpsens.explain(''SELECT dp_count(*) FROM schemas_tap_t'', 1)', 'its functions are found');
SAVEPOINT whole;
ALTER EXTENSION dpsens DROP SCHEMA dpsens_internal;
ALTER SCHEMA dpsens_internal OWNER TO schemas_tap_other;
\set ON_ERROR_STOP 0
SELECT dp_count(*) FROM schemas_tap_t;
\set ON_ERROR_STOP 1
ROLLBACK TO whole;
SELECT is(:'LAST_ERROR_MESSAGE'::text, 'extension "dpsens" is not of the version that this library expects', 'and not those of a schema that only has its name');
SELECT * FROM finish();
ROLLBACK;
