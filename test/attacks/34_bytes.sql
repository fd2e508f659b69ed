-- Row 34: the bytes of a state.  No value of our own types leaves an answer.
\ir start.sql
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc p, pg_type t WHERE t.typname IN ('plan', 'state', 'states', 'answer') AND t.typnamespace = 'dpsens_internal'::regnamespace AND p.oid IN (t.typsend, t.typreceive)$$, 'none of the types can be sent or received');
SELECT is_empty($$SELECT c.oid FROM pg_cast c JOIN pg_type t ON t.oid IN (castsource, casttarget) WHERE t.typname IN ('plan', 'state', 'states', 'answer') AND t.typnamespace = 'dpsens_internal'::regnamespace$$, 'nor cast');
SELECT is_empty($$SELECT o.oid::regoperator FROM pg_operator o JOIN pg_type t ON t.oid IN (oprleft, oprright) WHERE t.typname IN ('plan', 'state', 'states', 'answer') AND t.typnamespace = 'dpsens_internal'::regnamespace$$, 'nor compared');
SELECT attempt('bytes: ' || statement, statement, '(42|0A000)', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['SELECT dpsens_internal.exact_state(NULL, age)::text FROM people', 'SELECT dpsens_internal.exact_groups(NULL::dpsens_internal.plan, age) FROM people',
    'SELECT dpsens_internal.exact_group(dpsens_internal.exact_groups(NULL::dpsens_internal.plan, age), 0, 0) FROM people',
    'SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, age) FROM people', 'SELECT encode(dpsens_internal.exact_serialize(NULL), ''hex'')',
    'SELECT dpsens_internal.state_out(dpsens_internal.exact_state(NULL::dpsens_internal.plan, age)) FROM people',
    'CREATE TABLE lab.kept34 AS SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, age) AS s FROM people',
    'SELECT array_agg(s) FROM (SELECT dpsens_internal.exact_state(NULL::dpsens_internal.plan, age) AS s FROM people) q',
    'SELECT to_json(dpsens_internal.exact_state(NULL::dpsens_internal.plan, age)) FROM people', 'SELECT "dpsens release"."release 1" FROM people',
    'SELECT "state 1" FROM (SELECT dp_count(*) FROM people) s', 'SELECT (SELECT "dpsens states"."state 1") FROM (SELECT dp_count(*) FROM people) s',
    'WITH "dpsens release" AS (SELECT * FROM people) SELECT dp_count(*), (SELECT name FROM "dpsens release" LIMIT 1) FROM people',
    'WITH "dpsens release" AS (SELECT name FROM people) SELECT name FROM "dpsens release"',
    'WITH "release" AS MATERIALIZED (SELECT name AS "release 1" FROM people) SELECT dp_count(*) FROM "release" UNION ALL SELECT length("release 1") FROM "release"']) statement;
SELECT * FROM finish();
