-- What single answers may be asked with (dpsens.set_policy, dpsens.set_entity_policy): who is limited, by which of
-- the policies of a role, a relation and an entity, and that a refusal costs nothing.
-- Files: ledger/charge/answer_limits.c, ledger/budget/sql_policy.c, guard/policy_notes.c
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

SET dpsens.answer_epsilon = 1;
CREATE SCHEMA limit_tap;
GRANT USAGE ON SCHEMA limit_tap TO PUBLIC;
SET search_path = limit_tap, public;
CREATE TABLE t (id int PRIMARY KEY, x int, kind text);
INSERT INTO t SELECT i, i % 100, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 1000) i;
CREATE TABLE other (id int PRIMARY KEY, y int);
INSERT INTO other SELECT i, i FROM generate_series(1, 50) i;
SELECT dpsens.protect('t', unit => 'id'), dpsens.set_range('t', 'x', 0, 100), dpsens.set_values('t', 'kind', 'a', 'b'), dpsens.protect('other', unit => 'id'), dpsens.set_range('other', 'y', 0, 50);
CREATE ROLE limit_tap_ana;
CREATE ROLE limit_tap_reader;
CREATE ROLE limit_tap_first;
CREATE ROLE limit_tap_second;
CREATE ROLE limit_tap_member IN ROLE limit_tap_first, limit_tap_second;
CREATE ROLE limit_tap_stranger;
GRANT SELECT ON t TO limit_tap_reader;
SELECT dpsens.grant_budget('t', r::regrole, epsilon => 1000, delta => 1e-3) FROM unnest('{limit_tap_ana,limit_tap_reader,limit_tap_first,limit_tap_second}'::text[]) r;
SELECT dpsens.grant_budget('other', 'limit_tap_ana', epsilon => 1000, delta => 1e-3);

CREATE FUNCTION spent() RETURNS float8 LANGUAGE sql AS
    'SELECT spent_epsilon FROM dpsens.my_budget WHERE relation = ''limit_tap.t''::regclass';
CREATE FUNCTION refused(query text, message text, name text) RETURNS text LANGUAGE sql AS 'SELECT throws_ok(query, ''53400'', message, name)';

-- ---- without a word of the owner ----
SET ROLE limit_tap_ana;
SELECT results_eq('SELECT * FROM dpsens.policies WHERE relation = ''t''::regclass',
    $$VALUES ('t'::regclass, 'limit_tap_ana'::name, 1::float8, 'Infinity'::float8, 'Infinity'::float8, 'Infinity'::float8, NULL::text[], false, false, NULL::float8, NULL::bigint, false)$$, 'one answer may have epsilon 1');
SELECT refused('SELECT dp_count(true, 30) FROM limit_tap.t', 'epsilon 30 is more than one answer may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'an answer that is as good as exact');
SELECT refused('SELECT dp_count(true, 1.0000001) FROM limit_tap.t', 'epsilon 1.0000001 is more than one answer may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'a little more');
SELECT refused('SELECT dp_count(true, 0.5), dp_sum(x, 2) FROM limit_tap.t', NULL, 'the second answer');
SELECT refused('SELECT kind, dp_count(true, 2) FROM limit_tap.t GROUP BY kind', NULL, 'of groups');
SELECT is(limit_tap.spent(), 0::float8, 'refusals cost nothing');
SELECT lives_ok('SELECT dp_count(true, 1) FROM limit_tap.t', 'as much as the limit');
SELECT lives_ok('SELECT dp_count(true, 1), dp_sum(x, 1), dp_avg(x, 1) FROM limit_tap.t', 'several answers');
SELECT is(limit_tap.spent(), 4::float8, 'which cost what they cost');
SELECT lives_ok('SELECT dp_sum(x * 0, 60) FROM limit_tap.t', 'what is known costs nothing and has no limit');
SELECT is(limit_tap.spent(), 4::float8, 'indeed');
PREPARE later(float8) AS SELECT dp_count(true, $1) FROM limit_tap.t;
SELECT lives_ok('EXECUTE later(0.5)', 'a parameter');
SELECT refused('EXECUTE later(5)', NULL, 'and a greater one');
SELECT throws_ok('SELECT dpsens.set_policy(''limit_tap.t'', ''limit_tap_ana'', epsilon => 1000)', '42501', NULL, 'analysts set no limits');
SELECT throws_ok('SET dpsens.answer_epsilon = 0', '42501', NULL, 'nor the setting');
RESET ROLE;
SET ROLE limit_tap_reader;
SELECT lives_ok('SELECT dp_count(true, 30) FROM limit_tap.t', 'who may read the rows is not limited');
RESET ROLE;
SELECT lives_ok('SELECT dp_count(true, 30) FROM limit_tap.t', 'nor is the owner');

-- ---- what the owner says ----
SELECT dpsens.set_policy('t', 'limit_tap_ana', epsilon => 0.5, statement_epsilon => 1, delta => 1e-6, statement_delta => 1.5e-6);
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.t', NULL, 'a smaller limit');
SELECT refused('SELECT dp_count(true, 0.5), dp_sum(x, 0.5), dp_sum(x + 1, 0.1) FROM limit_tap.t',
    'epsilon 1.1 is more than one statement may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'of all answers together');
SELECT refused('SELECT (SELECT dp_count(true, 0.5) FROM limit_tap.t), (SELECT dp_count(true, 0.5) FROM limit_tap.t WHERE x > 3), dp_count(true, 0.5) FROM limit_tap.t', NULL, 'in subqueries, too');
SELECT lives_ok('SELECT dp_count(true, 0.1), dp_count(x, 0.1), dp_sum(x, 0.1), dp_sum(x + 1, 0.1), dp_sum(x + 2, 0.1), dp_sum(x + 3, 0.1), dp_sum(x + 4, 0.1), dp_sum(x + 5, 0.1), dp_sum(x + 6, 0.1), dp_sum(x + 7, 0.1) FROM limit_tap.t', 'ten tenths are one');
SELECT lives_ok('SELECT (SELECT dp_count(true, 0.5) FROM limit_tap.other), (SELECT dp_sum(y, 1) FROM limit_tap.other), dp_count(true, 0.5) FROM limit_tap.t', 'each relation by itself');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-5;
SELECT refused('SELECT dp_count(true, 0.5) FROM limit_tap.t', 'delta 1e-05 is more than one answer may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'of delta');
SET dpsens.delta = 1e-6;
SELECT lives_ok('SELECT dp_count(true, 0.5) FROM limit_tap.t', 'as much as that');
SELECT refused('SELECT dp_count(true, 0.4), dp_sum(x, 0.4) FROM limit_tap.t', 'delta 2e-06 is more than one statement may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'of delta together');
RESET dpsens.mechanism;
RESET dpsens.delta;
RESET ROLE;
SELECT dpsens.set_policy('t', 'limit_tap_ana', mechanisms => '{gaussian,partition}', statement_delta => 'Infinity');
SELECT results_eq('SELECT epsilon, delta, statement_epsilon, statement_delta, mechanisms FROM dpsens.policies WHERE relation = ''t''::regclass AND role = ''limit_tap_ana''',
    $$VALUES (0.5::float8, 1e-6::float8, 1::float8, 'Infinity'::float8, '{gaussian,partition}'::text[])$$, 'what is not named stays');
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.1) FROM limit_tap.t', 'mechanism geometric may not answer from the budget of role "limit_tap_ana" on relation "limit_tap.t"', 'a mechanism that is not let through');
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 1e-6;
SELECT lives_ok('SELECT dp_count(true, 0.1) FROM limit_tap.t', 'one that is');
RESET dpsens.mechanism;
RESET dpsens.delta;
RESET ROLE;
SELECT dpsens.set_policy('t', 'limit_tap_ana', mechanisms => '{laplace}');
SET ROLE limit_tap_ana;
SELECT lives_ok('SELECT dp_count(true, 0.1), dp_sum(x * 0.5, 0.1) FROM limit_tap.t', 'laplace is geometric for whole numbers');
RESET ROLE;
SELECT dpsens.set_policy('t', 'limit_tap_ana', mechanisms => '{}');
SELECT dpsens.grant_budget('t', 'limit_tap_ana', epsilon => 2000);
SELECT results_eq('SELECT epsilon, delta, statement_epsilon, statement_delta, mechanisms FROM dpsens.policies WHERE relation = ''t''::regclass AND role = ''limit_tap_ana''',
    $$VALUES (0.5::float8, 1e-6::float8, 1::float8, 'Infinity'::float8, NULL::text[])$$, 'limits stay when a budget is granted again');
SELECT dpsens.revoke_budget('t', 'limit_tap_ana');
SELECT dpsens.grant_budget('t', 'limit_tap_ana', epsilon => 2000, delta => 1e-3);
SELECT is((SELECT epsilon FROM dpsens.policies WHERE relation = 't'::regclass AND role = 'limit_tap_ana'), 1::float8, 'and go when it was revoked');
SELECT dpsens.set_policy('t', 'limit_tap_ana', epsilon => 'Infinity');
SET ROLE limit_tap_ana;
SELECT lives_ok('SELECT dp_count(true, 30) FROM limit_tap.t', 'no limit, if the owner says so');
RESET ROLE;
SET dpsens.answer_epsilon = 0;
SELECT dpsens.grant_budget('other', 'limit_tap_stranger', epsilon => 100);
SELECT is((SELECT epsilon FROM dpsens.policies WHERE relation = 'other'::regclass AND role = 'limit_tap_stranger'), 'Infinity'::float8, 'or the site');
SET dpsens.answer_epsilon = 0.25;
SELECT dpsens.grant_budget('other', 'limit_tap_first', epsilon => 100);
SELECT is((SELECT epsilon FROM dpsens.policies WHERE relation = 'other'::regclass AND role = 'limit_tap_first'), 0.25::float8, 'which may be stricter');

-- ---- groups ----
SELECT dpsens.set_policy('t', 'limit_tap_second', epsilon => 5);
SET ROLE limit_tap_member;
SELECT lives_ok('SELECT dp_count(true, 3) FROM limit_tap.t', 'a group whose limits admit it pays');
SELECT refused('SELECT dp_count(true, 6) FROM limit_tap.t', 'epsilon 6 is more than one answer may be asked with from the budget of role "limit_tap_first" on relation "limit_tap.t"', 'none admits it');
SELECT results_eq('SELECT role FROM dpsens.policies WHERE relation = ''t''::regclass ORDER BY role', $$VALUES ('limit_tap_first'::name), ('limit_tap_second')$$, 'a member sees the groups'' limits');
RESET ROLE;
SET ROLE limit_tap_reader;
SELECT results_eq('SELECT role FROM dpsens.policies', $$VALUES ('limit_tap_reader'::name)$$, 'a role its own');
RESET ROLE;

-- ---- mistakes ----
SELECT results_eq($$SELECT round(spent_epsilon) FROM dpsens.budgets WHERE role IN ('limit_tap_first', 'limit_tap_second') AND relation = 't'::regclass ORDER BY role$$,
    $$VALUES (0::float8), (3)$$, 'that group has paid');
SELECT throws_ok($$SELECT dpsens.set_policy('t', 'limit_tap_member', epsilon => 1)$$, '42704', 'role "limit_tap_member" has no budget on relation "t"', 'no budget');
SELECT throws_ok($$SELECT dpsens.set_policy('t', 'limit_tap_ana', epsilon => 0)$$, '22023', 'epsilon 0 is no limit', 'nothing');
SELECT throws_ok($$SELECT dpsens.set_policy('t', 'limit_tap_ana', statement_delta => 'NaN')$$, '22023', 'statement_delta NaN is no limit', 'NaN');
SELECT throws_ok($$SELECT dpsens.set_policy('t', 'limit_tap_ana', mechanisms => '{laplace,lapalce}')$$, '22023', 'unknown mechanism "lapalce"', 'no mechanism');
SELECT throws_ok($$SELECT dpsens.set_policy('t', NULL)$$, '22004', NULL, 'no role');

-- ---- of a relation, whoever asks ----
SET dpsens.answer_epsilon = 1;
CREATE ROLE limit_tap_owner;
CREATE ROLE limit_tap_auditor;
CREATE ROLE limit_tap_other_owner;
GRANT ALL ON SCHEMA limit_tap TO limit_tap_owner, limit_tap_other_owner;
CREATE TABLE people (person_id int PRIMARY KEY, x int NOT NULL);
CREATE TABLE stays (stay_id int PRIMARY KEY, person_id int NOT NULL REFERENCES people, y int NOT NULL);
CREATE TABLE calls (call_id int PRIMARY KEY, person_id int NOT NULL REFERENCES people, x int NOT NULL);
INSERT INTO people SELECT i, i % 100 FROM generate_series(1, 100) i;
INSERT INTO stays SELECT i, i, i % 100 FROM generate_series(1, 100) i;
INSERT INTO calls SELECT i, i, i % 100 FROM generate_series(1, 100) i;
CREATE UNIQUE INDEX ON stays (person_id);
CREATE UNIQUE INDEX ON calls (person_id);
ALTER TABLE people OWNER TO limit_tap_owner;
ALTER TABLE calls OWNER TO limit_tap_owner;
ALTER TABLE stays OWNER TO limit_tap_other_owner;
GRANT REFERENCES ON people TO limit_tap_other_owner;
SELECT dpsens.protect('people', unit => 'person_id'), dpsens.protect('stays', unit => 'person_id'), dpsens.protect('calls', unit => 'person_id'),
    dpsens.set_range('people', 'x', 0, 100), dpsens.set_range('stays', 'y', 0, 100), dpsens.set_range('calls', 'x', 0, 100);
GRANT SELECT ON people, stays TO limit_tap_reader;
SET ROLE limit_tap_owner;
SELECT dpsens.grant_budget('people', r::regrole, epsilon => 1000, delta => 0.9) FROM unnest('{limit_tap_ana,limit_tap_reader,limit_tap_first,limit_tap_second}'::text[]) r;
SELECT dpsens.grant_budget('calls', 'limit_tap_ana', epsilon => 1000);
SELECT dpsens.grant_audit('people', 'limit_tap_auditor');
SELECT lives_ok($$SELECT dpsens.set_policy('people', epsilon => 0.5, statement_epsilon => 0.8)$$, 'the owner sets a policy');
RESET ROLE;
SET ROLE limit_tap_other_owner;
SELECT dpsens.grant_budget('stays', 'limit_tap_ana', epsilon => 1000);
SELECT throws_ok($$SELECT dpsens.set_policy('people', epsilon => 9)$$, '42501', NULL, 'another owner does not');
SELECT throws_ok($$SELECT dpsens.set_entity_policy('people', epsilon => 9)$$, '42501', NULL, 'nor as an entity');
RESET ROLE;

\set beyond_people 'epsilon 0.6 is more than one answer may be asked with about relation "limit_tap.people"'
CREATE FUNCTION spent_on(rel text) RETURNS float8 LANGUAGE sql SECURITY DEFINER AS
    'SELECT COALESCE((SELECT round(spent_epsilon / 2.0 ^ 40, 6) FROM dpsens.purse WHERE relation = (''limit_tap.'' || rel)::regclass AND role = 0 AND column_name = ''''), 0)';
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'it holds for a superuser');
SET ROLE limit_tap_owner;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'for the owner');
SET ROLE limit_tap_reader;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'for who may read the rows');
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'for an analyst whose own limit is 1');
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people WHERE false', :'beyond_people', 'whatever there is to count');
SELECT throws_ok('SELECT dp_count(true, 1.5) FROM limit_tap.people', '53400', 'epsilon 1.5 is more than one answer may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.people"', 'the own limit is named first');
SELECT lives_ok('SELECT dp_count(true, 0.5) FROM limit_tap.people', 'as much as the limit');
SELECT refused('SELECT dp_count(true, 0.5), dp_sum(x, 0.5) FROM limit_tap.people', 'epsilon 1 is more than one statement may be asked with about relation "limit_tap.people"', 'of a statement');
SELECT refused('SELECT dp_sum(p.x + s.y, 0.6) FROM limit_tap.people p JOIN limit_tap.stays s USING (person_id)', :'beyond_people', 'in a join');
SELECT lives_ok('SELECT dp_sum(y, 0.6) FROM limit_tap.stays', 'another relation has its own');
SELECT refused('SELECT dp_median(x, 0.6) FROM limit_tap.people', :'beyond_people', 'of quantiles');
SET dpsens.selection_epsilon = 0.6;
SET dpsens.delta = 1e-6;
SELECT refused('SELECT x, dp_count(true, 0.1) FROM limit_tap.people GROUP BY x', :'beyond_people', 'of finding out which groups there are');
RESET dpsens.selection_epsilon;
RESET dpsens.delta;
RESET ROLE;
SELECT is(spent_on('people'), 0.5::float8, 'refusals have cost nothing');

-- with a large delta Gaussian noise is next to nothing: rho is limited by epsilon, too
SET ROLE limit_tap_ana;
SET dpsens.mechanism = gaussian;
SET dpsens.delta = 0.5;
SELECT throws_matching('SELECT dp_count(true, 0.5) FROM limit_tap.people', 'rho .* is more than one answer may be asked with from the budget of role "limit_tap_ana" on relation "limit_tap.people"', 'next to no noise by a large delta');
SET dpsens.delta = 1e-6;
SELECT lives_ok('SELECT dp_count(true, 0.5) FROM limit_tap.people', 'as usual it is far below');
RESET dpsens.mechanism;
RESET dpsens.delta;
RESET ROLE;

-- training, whose epsilon can follow from its noise
SELECT dpsens.create_model('limit_tap_line', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "squared"}') \g /dev/null
\set train 'CALL dpsens.train(''limit_tap_line'', ''limit_tap.people'', ''{x}'', ''x'', 2, 1, clip => 1, expected_rows => 100, delta => 1e-6, '
SELECT refused(:'train' || 'epsilon => 0.6)', :'beyond_people', 'training');
SELECT throws_matching(:'train' || 'noise_multiplier => 3)', 'epsilon .* is more than one answer may be asked with about relation "limit_tap.people"', 'by its noise');
SELECT lives_ok(:'train' || 'epsilon => 0.5)', 'within the policy');
SET dpsens.noise = off;
SELECT throws_matching('SELECT dp_count(true, 0.1) FROM limit_tap.people', 'is more than one answer may be asked with about relation "limit_tap.people"', 'an exact answer is beyond every limit');
RESET dpsens.noise;

-- ---- a role's narrows it, and takes its place if the owner says so ----
SET ROLE limit_tap_owner;
SELECT dpsens.set_policy('people', 'limit_tap_ana', epsilon => 0.25);
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.4) FROM limit_tap.people', NULL, 'narrower');
SET ROLE limit_tap_owner;
SELECT dpsens.set_policy('people', 'limit_tap_ana', epsilon => 2);
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'not wider');
SET ROLE limit_tap_owner;
SELECT dpsens.set_policy('people', 'limit_tap_ana', overrides => true), dpsens.set_policy('people', 'limit_tap_reader', epsilon => 0.7, overrides => true);
SET ROLE limit_tap_ana;
SELECT lives_ok('SELECT dp_count(true, 2) FROM limit_tap.people', 'unless the owner says so');
SELECT refused('SELECT dp_count(true, 2.1) FROM limit_tap.people', NULL, 'up to its own limit');
SET ROLE limit_tap_reader;
SELECT lives_ok('SELECT dp_count(true, 0.7) FROM limit_tap.people', 'for who may read the rows, too');
SELECT refused('SELECT dp_count(true, 0.71) FROM limit_tap.people', NULL, 'who then has a limit of the own');
SET ROLE limit_tap_owner;
SELECT dpsens.set_policy('people', 'limit_tap_ana', overrides => false);
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'and takes it back');
SET ROLE limit_tap_member;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'a member of groups');
SET ROLE limit_tap_owner;
SELECT dpsens.set_policy('people', 'limit_tap_second', overrides => true);
SET ROLE limit_tap_member;
SELECT lives_ok('SELECT dp_count(true, 0.6) FROM limit_tap.people', 'is answered from the group that may');
SET ROLE limit_tap_owner;
SELECT dpsens.revoke_budget('people', 'limit_tap_second');
SELECT dpsens.grant_budget('people', 'limit_tap_second', epsilon => 1000);
SET ROLE limit_tap_member;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'which is over with its budget');
RESET ROLE;

-- ---- of an entity, in all relations that are of it ----
SET ROLE limit_tap_owner;
SELECT lives_ok($$SELECT dpsens.set_entity_policy('people', epsilon => 0.4, statement_epsilon => 0.75)$$, 'a policy of an entity');
SET ROLE limit_tap_other_owner;
SELECT dpsens.set_policy('stays', 'limit_tap_ana', epsilon => 'Infinity', overrides => true);
SELECT refused('SELECT dp_count(true, 0.45) FROM limit_tap.stays', 'epsilon 0.45 is more than one answer may be asked with about persons of entity "limit_tap.people"', 'it holds for another owner');
SET ROLE limit_tap_ana;
SELECT refused('SELECT dp_count(true, 0.45) FROM limit_tap.stays', NULL, 'and whatever that one lets a role ask');
SELECT refused('SELECT dp_count(true, 0.45) FROM limit_tap.people', NULL, 'of the entity itself');
SELECT refused('SELECT (SELECT dp_count(true, 0.4) FROM limit_tap.stays), dp_count(true, 0.4) FROM limit_tap.people',
    'epsilon 0.8 is more than one statement may be asked with about persons of entity "limit_tap.people"', 'of all relations together');
SELECT lives_ok('SELECT dp_sum(p.x + s.y, 0.4) FROM limit_tap.people p JOIN limit_tap.stays s USING (person_id)', 'a join is one answer');
SELECT refused('SELECT dp_count(true, 0.3) FROM (SELECT x FROM limit_tap.people UNION ALL SELECT x FROM limit_tap.calls) u',
    'epsilon 0.6 is more than one answer may be asked with about persons of entity "limit_tap.people"', 'a person in two arms is told twice as much');
SELECT lives_ok('SELECT dp_count(true, 0.2) FROM (SELECT x FROM limit_tap.people UNION ALL SELECT x FROM limit_tap.calls) u', 'which may be as much as that');
SELECT lives_ok('SELECT dp_count(true, 1) FROM limit_tap.t', 'no other relation is concerned');
RESET ROLE;

-- ---- what explain says, which is what the ledger does ----
CREATE FUNCTION noted(query text) RETURNS text LANGUAGE sql AS
    $$SELECT COALESCE(string_agg(substring(e.note FROM 'would be refused: .*'), '; '), 'admitted') FROM dpsens.explain(query) e$$;
CREATE FUNCTION told(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'admitted';
EXCEPTION WHEN configuration_limit_exceeded THEN
    RETURN 'would be refused: ' || SQLERRM;
END $$;
GRANT EXECUTE ON FUNCTION noted(text), told(text) TO PUBLIC;
CREATE TABLE asked (query text, refused boolean);
GRANT SELECT ON asked TO PUBLIC;
INSERT INTO asked VALUES ('SELECT dp_count(true, 0.3) FROM limit_tap.people', false), ('SELECT dp_count(true, 0.45) FROM limit_tap.people', true), ('SELECT dp_count(true, 0.6) FROM limit_tap.people', true),
    ('SELECT dp_count(true, 5) FROM limit_tap.people', true), ('SELECT dp_count(true, 0.4), dp_sum(x, 0.4) FROM limit_tap.people', true), ('SELECT dp_count(true, 0.4), dp_sum(x, 0.3) FROM limit_tap.people', false),
    ('SELECT (SELECT dp_count(true, 0.4) FROM limit_tap.stays), dp_count(true, 0.4) FROM limit_tap.people', true), ('SELECT dp_sum(p.x + s.y, 0.4) FROM limit_tap.people p JOIN limit_tap.stays s USING (person_id)', false),
    ('SELECT dp_sum(p.x + s.y, 0.45) FROM limit_tap.people p JOIN limit_tap.stays s USING (person_id)', true), ('SELECT dp_count(true, 0.3) FROM (SELECT x FROM limit_tap.people UNION ALL SELECT x FROM limit_tap.calls) u', true),
    ('SELECT dp_count(true, 0.2) FROM (SELECT x FROM limit_tap.people UNION ALL SELECT x FROM limit_tap.calls) u', false), ('SELECT dp_sum(x * 0, 60) FROM limit_tap.people', false);
SET ROLE limit_tap_ana;
SELECT is(noted(query), told(query), 'an analyst: ' || query) FROM asked;
SELECT is(noted(query) <> 'admitted', refused, 'as it should be: ' || query) FROM asked;
SELECT is(noted('SELECT dp_count(true, 0.45), dp_sum(x, 0.45), dp_sum(x + 1, 0.2) FROM limit_tap.people'),
    'would be refused: epsilon 0.45 is more than one answer may be asked with about persons of entity "limit_tap.people"; would be refused: epsilon 0.45 is more than one answer may be asked with about persons of entity "limit_tap.people"',
    'each answer that is refused by itself');
SET ROLE limit_tap_reader;
SELECT is(noted(query), told(query), 'a reader: ' || query) FROM asked WHERE query NOT LIKE '%calls%';
SET ROLE limit_tap_owner;
SELECT is(noted(query), told(query), 'the owner: ' || query) FROM asked WHERE query NOT LIKE '%stays%';
SELECT dpsens.grant_budget('people', 'limit_tap_second', epsilon => 1000), dpsens.set_policy('people', 'limit_tap_second', epsilon => 0.3);
SET ROLE limit_tap_member;
SELECT is(noted(query), told(query), 'a member: ' || query) FROM asked WHERE query NOT LIKE '%stays%' AND query NOT LIKE '%calls%';
RESET ROLE;
SELECT is(noted(query), told(query), 'a superuser: ' || query) FROM asked;
SELECT dpsens.set_policy('people', 'limit_tap_second', epsilon => 1);

-- ---- who sees them ----
SET client_min_messages = warning;
CREATE FUNCTION seen() RETURNS text LANGUAGE sql AS
    'SELECT string_agg(concat_ws('' '', COALESCE(role, CASE WHEN entity THEN ''entity'' ELSE ''all'' END), epsilon), '', '' ORDER BY role, entity) FROM dpsens.policies WHERE relation = ''limit_tap.people''::regclass';
GRANT EXECUTE ON FUNCTION seen() TO PUBLIC;
\set everything 'limit_tap_ana 2, limit_tap_first 1, limit_tap_reader 0.7, limit_tap_second 1, all 0.5, entity 0.4'
SET ROLE limit_tap_owner;
SELECT is(seen(), :'everything', 'the owner');
SELECT is((SELECT concat_ws(' ', answer_epsilon, statement_epsilon) FROM dpsens.relations WHERE relation = 'people'::regclass), '0.4 0.75', 'among what else is said of the relation');
SET ROLE limit_tap_auditor;
SELECT is(seen(), :'everything', 'an auditor');
SET ROLE limit_tap_ana;
SELECT is(seen(), 'limit_tap_ana 2, all 0.5, entity 0.4', 'an analyst, what may be asked');
SET ROLE limit_tap_member;
SELECT is(seen(), 'limit_tap_first 1, limit_tap_second 1, all 0.5, entity 0.4', 'a member of groups');
SET ROLE limit_tap_other_owner;
SELECT is(seen(), 'entity 0.4', 'the owner of another relation of the entity');
SELECT is((SELECT concat_ws(' ', answer_epsilon, statement_epsilon) FROM dpsens.relations WHERE relation = 'stays'::regclass), '0.4 0.75', 'by which it is limited');
SET ROLE limit_tap_stranger;
SELECT is(seen(), NULL, 'a stranger nothing');
SELECT throws_ok('TABLE dpsens.policy', '42501', NULL, 'the table is nobody''s');
RESET ROLE;

-- ---- changing, renaming, dropping ----
SELECT throws_ok($$UPDATE dpsens.policy SET epsilon = 99 WHERE relation = 'people'::regclass AND false; SET LOCAL ROLE limit_tap_owner; INSERT INTO dpsens.policy SELECT * FROM dpsens.policy$$, '42501', NULL, 'it is changed by the functions alone');
ALTER TABLE people RENAME TO persons;
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.persons', NULL, 'it follows a new name');
ALTER TABLE persons RENAME TO people;
SET ROLE limit_tap_owner;
SELECT dpsens.set_policy('people', statement_epsilon => 3);
SELECT results_eq('SELECT epsilon, statement_epsilon FROM dpsens.policies WHERE relation = ''people''::regclass AND role IS NULL AND NOT entity', 'VALUES (0.5::float8, 3::float8)', 'what is not named stays');
SELECT dpsens.set_policy('people', epsilon => 'Infinity', statement_epsilon => 'Infinity'), dpsens.set_entity_policy('people', epsilon => 'Infinity', statement_epsilon => 'Infinity', mechanisms => '{gaussian}');
SELECT refused('SELECT dp_count(true, 0.1) FROM limit_tap.calls', 'mechanism geometric may not answer about persons of entity "limit_tap.people"', 'mechanisms of an entity');
SELECT dpsens.set_entity_policy('people', mechanisms => '{}');
SELECT lives_ok('SELECT dp_count(true, 5) FROM limit_tap.people', 'and is taken away');
SELECT is((SELECT count(*) FROM dpsens.policies WHERE role IS NULL), 0::bigint, 'without a trace');
SELECT dpsens.set_policy('people', epsilon => 0.5);
SELECT throws_ok($$SELECT dpsens.set_policy('people', overrides => true)$$, '22023', 'the policy of a relation overrides nothing', 'a relation overrides nothing');
SELECT throws_ok($$SELECT dpsens.set_policy('people', epsilon => -1)$$, '22023', 'epsilon -1 is no limit', 'no limit');
SELECT throws_ok($$SELECT dpsens.set_entity_policy('people', mechanisms => '{noise}')$$, '22023', 'unknown mechanism "noise"', 'no mechanism');
SELECT throws_ok($$SELECT dpsens.set_policy(NULL, epsilon => 1)$$, '22004', NULL, 'no relation');
RESET ROLE;
CREATE TABLE bare (id int PRIMARY KEY);
SELECT throws_ok($$SELECT dpsens.set_policy('bare', epsilon => 1)$$, '55000', NULL, 'not protected');
DROP TABLE people CASCADE;
CREATE TABLE people (person_id int PRIMARY KEY, x int NOT NULL);
ALTER TABLE people OWNER TO limit_tap_owner;
SELECT dpsens.protect('people', unit => 'person_id');
SELECT refused('SELECT dp_count(true, 0.6) FROM limit_tap.people', :'beyond_people', 'a table of the same name and owner has the policy of the former one');
SET ROLE limit_tap_owner;
SELECT dpsens.set_policy('people', epsilon => 0.7);
SELECT lives_ok('SELECT dp_count(true, 0.6) FROM limit_tap.people', 'until it is set anew');
RESET ROLE;
SELECT is((SELECT count(*) FROM dpsens.policy WHERE relation_schema = 'limit_tap'), 1::bigint, 'once');

SELECT * FROM finish();
SELECT dpsens.drop_model('limit_tap_line') \g /dev/null
-- what is left would be taken for a hole in the surface
DROP SCHEMA limit_tap CASCADE;
