-- What policies say beside greatest losses: the epsilon of answers that name none, from how many units on groups of
-- undeclared keys are shown, and whose tables a role may use.
-- Files: ledger/budget/default_epsilon.c, ledger/charge/answer_limits.c, ledger/budget/sql_policy.c
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT no_plan();

SET dpsens.answer_epsilon = 1;
CREATE SCHEMA default_tap;
GRANT USAGE ON SCHEMA default_tap TO PUBLIC;
SET search_path = default_tap, public;
CREATE TABLE people (person_id int PRIMARY KEY, x int NOT NULL, city int NOT NULL);
INSERT INTO people SELECT i, i % 100, i % 3 FROM generate_series(1, 3000) i;
CREATE TABLE stays (stay_id int PRIMARY KEY, person_id int NOT NULL UNIQUE REFERENCES people, y int NOT NULL);
INSERT INTO stays SELECT i, i, i % 100 FROM generate_series(1, 3000) i;
SELECT dpsens.protect('people', unit => 'person_id'), dpsens.protect('stays', unit => 'person_id'), dpsens.set_range('people', 'x', 0, 100), dpsens.set_range('stays', 'y', 0, 100) \g /dev/null
CREATE ROLE default_tap_ana;
CREATE ROLE default_tap_first;
CREATE ROLE default_tap_second;
CREATE ROLE default_tap_member IN ROLE default_tap_first, default_tap_second;
CREATE ROLE default_tap_reader;
CREATE ROLE default_tap_owner;
GRANT SELECT ON people TO default_tap_reader;
SELECT dpsens.grant_budget(t::regclass, r::regrole, epsilon => 1000, delta => 0.1) FROM unnest('{people,stays}'::text[]) t, unnest('{default_tap_ana,default_tap_first,default_tap_second}'::text[]) r \g /dev/null

CREATE FUNCTION hint_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN hint;
END $$;
GRANT EXECUTE ON FUNCTION hint_of(text) TO PUBLIC;
CREATE FUNCTION asked(query text) RETURNS float8 LANGUAGE sql AS 'SELECT max(epsilon) FROM dpsens.explain(query)';
GRANT EXECUTE ON FUNCTION asked(text) TO PUBLIC;
CREATE FUNCTION last_asked() RETURNS float8 LANGUAGE sql AS 'SELECT epsilon FROM dpsens.releases ORDER BY release DESC LIMIT 1';
GRANT EXECUTE ON FUNCTION last_asked() TO PUBLIC;
\set people 'SELECT dp_count(true) FROM default_tap.people'
\set stays 'SELECT dp_count(true) FROM default_tap.stays'
\set both 'SELECT dp_sum(p.x + s.y) FROM default_tap.people p JOIN default_tap.stays s USING (person_id)'

-- ---- nobody says anything ----
SET ROLE default_tap_ana;
SELECT throws_ok(:'people', '55000', 'no epsilon is given', 'there is no default');
SELECT throws_ok(format('SELECT * FROM dpsens.explain(%L)', :'people'), '55000', 'no epsilon is given', 'nor in explain');
SELECT is(hint_of(:'people'), 'Give epsilon as the last argument of the aggregate, or set dpsens.epsilon. The owner of relation "people" can name one for those who give none.', 'who can set one is said');
RESET ROLE;
SELECT is(hint_of(:'people'), 'Give epsilon as the last argument of the aggregate, or set dpsens.epsilon. As the owner you can name one for those who give none: dpsens.set_policy(''people'', default_epsilon => ...).', 'and how, to the owner');
RESET ROLE;

-- ---- of an entity, a relation, a role ----
SELECT dpsens.set_entity_policy('people', default_epsilon => 0.5) \g /dev/null
SET ROLE default_tap_ana;
SELECT lives_ok(:'stays', 'what is said of the entity');
SELECT is(default_tap.last_asked(), 0.5::float8, 'is charged');
SELECT is(asked(:'stays'), 0.5::float8, 'and explained');
SELECT is((SELECT dpsens.answers_left(:'stays')) > 0, true, 'and counted on');
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'stays'::regclass AND NOT entity AND column_name IS NULL), dpsens.answers_left(:'stays'), 'also where no query is named');
SET dpsens.epsilon = 0.25;
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'stays'::regclass AND NOT entity AND column_name IS NULL), dpsens.answers_left(:'stays'), 'the setting goes before it');
RESET dpsens.epsilon;
SELECT lives_ok('SELECT dp_count(true, 0.25) FROM default_tap.stays', 'an epsilon that is written');
SELECT is(default_tap.last_asked(), 0.25::float8, 'goes before it');
SET dpsens.epsilon = 0.125;
SELECT lives_ok(:'stays', 'so does the setting');
SELECT is(default_tap.last_asked(), 0.125::float8, 'as it is');
RESET dpsens.epsilon;
RESET ROLE;
SELECT dpsens.set_policy('stays', default_epsilon => 0.75) \g /dev/null
SET ROLE default_tap_ana;
SELECT is(asked(:'stays'), 0.75::float8, 'a relation goes before an entity');
SELECT is(asked(:'people'), 0.5::float8, 'of another one nothing is changed');
SELECT results_eq('SELECT relation::regclass::text COLLATE "default", answers_left FROM dpsens.my_budget ORDER BY 1',
    format($$VALUES ('people'::text, %s::bigint), ('stays', %s)$$, dpsens.answers_left('SELECT dp_count(true, 0.5) FROM people'), dpsens.answers_left('SELECT dp_count(true, 0.75) FROM stays')), 'answers left are of the epsilon of each');
SELECT is(asked(:'both'), 0.5::float8, 'of several relations the least');
SELECT lives_ok(:'both', 'of a join');
SELECT is(default_tap.last_asked(), 0.5::float8, 'is charged');
RESET ROLE;
SELECT dpsens.set_policy('stays', 'default_tap_ana', default_epsilon => 0.8), dpsens.set_policy('stays', 'default_tap_first', default_epsilon => 0.3), dpsens.set_policy('stays', 'default_tap_second', default_epsilon => 0.2) \g /dev/null
SELECT is(asked(:'stays'), 0.75::float8, 'the owner has that of all');
SET ROLE default_tap_ana;
SELECT is(asked(:'stays'), 0.8::float8, 'a role its own, be it greater');
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'stays'::regclass), dpsens.answers_left('SELECT dp_count(true, 0.8) FROM stays'), 'and that of answers left');
SELECT lives_ok(:'stays', 'which is asked with');
SELECT is(default_tap.last_asked(), 0.8::float8, 'and charged');
SET ROLE default_tap_member;
SELECT is(asked(:'stays'), 0.2::float8, 'a member the least of the groups''');
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'stays'::regclass), dpsens.answers_left('SELECT dp_count(true, 0.2) FROM stays'), 'of answers left, too');
SET ROLE default_tap_owner;
SELECT is(dpsens_internal.answer_cost('stays'::regclass, false, NULL), NULL, 'who is shown no policy is not told its epsilon');
SELECT is(dpsens_internal.answer_cost('people'::regclass, true, NULL), NULL, 'of an entity neither');
RESET ROLE;
SELECT dpsens.grant_entity_budget('people', 'default_tap_ana', epsilon => 1000, delta => 0.1) \g /dev/null
SELECT dpsens.set_entity_policy('people', role => 'default_tap_ana', default_epsilon => 0.6) \g /dev/null
SET ROLE default_tap_ana;
SELECT is(asked(:'people'), 0.6::float8, 'what is said of a role and persons goes before what is said of all');
SELECT min(answers_left) AS by_default FROM dpsens.my_budget WHERE relation = 'people'::regclass AND entity \gset
SET dpsens.epsilon = 0.6;
SELECT is((SELECT min(answers_left) FROM dpsens.my_budget WHERE relation = 'people'::regclass AND entity), :by_default::bigint, 'and is what answers left of the budget of persons are of');
RESET dpsens.epsilon;
SELECT is(asked(:'stays'), 0.8::float8, 'and behind what is said of the role and the relation');
PREPARE again AS SELECT dp_count(true) FROM default_tap.stays;
EXECUTE again \g /dev/null
RESET ROLE;
SELECT dpsens.set_policy('stays', 'default_tap_ana', default_epsilon => 0.7) \g /dev/null
SET ROLE default_tap_ana;
EXECUTE again \g /dev/null
SELECT is(default_tap.last_asked(), 0.7::float8, 'a prepared statement asks with what is said when it runs');
RESET ROLE;
SELECT results_eq($$SELECT role::text COLLATE "C", entity, default_epsilon FROM dpsens.policies WHERE relation = 'stays'::regclass AND default_epsilon IS NOT NULL ORDER BY role$$,
    $$VALUES ('default_tap_ana'::text COLLATE "C", false, 0.7::float8), ('default_tap_first', false, 0.3), ('default_tap_second', false, 0.2), (NULL, false, 0.75)$$, 'they are shown');
-- a default is no leave: limits hold as if it had been written
SELECT dpsens.set_policy('stays', 'default_tap_ana', epsilon => 0.5) \g /dev/null
SET ROLE default_tap_ana;
SELECT is((SELECT answers_left FROM dpsens.my_budget WHERE relation = 'stays'::regclass), 0::bigint, 'a default that is refused leaves no answer');
SELECT throws_ok(:'stays', '53400', 'epsilon 0.7 is more than one answer may be asked with from the budget of role "default_tap_ana" on relation "default_tap.stays"', 'limits hold for it');
RESET ROLE;
SELECT dpsens.set_policy('stays', epsilon => 1) \g /dev/null
SELECT is((SELECT default_epsilon FROM dpsens.policies WHERE relation = 'stays'::regclass AND role IS NULL), 0.75::float8, 'what is not named stays');
SELECT dpsens.grant_budget('stays', 'default_tap_first', epsilon => 900) \g /dev/null
SELECT is((SELECT default_epsilon FROM dpsens.policies WHERE relation = 'stays'::regclass AND role = 'default_tap_first'), 0.3::float8, 'and so when a budget is granted again');
SELECT dpsens.set_policy('stays', default_epsilon => 'Infinity', epsilon => 'Infinity'), dpsens.set_entity_policy('people', default_epsilon => 'Infinity') \g /dev/null
SELECT is((SELECT count(*) FROM dpsens.policies WHERE role IS NULL AND relation IN ('stays'::regclass, 'people'::regclass)), 0::bigint, 'taken away without a trace');
SELECT throws_ok(:'people', '55000', 'no epsilon is given', 'as at the beginning');

-- ---- groups of few units ----
SELECT dpsens.set_policy('people', 'default_tap_ana', epsilon => 'Infinity'), dpsens.set_entity_policy('people', role => 'default_tap_ana', epsilon => 'Infinity') \g /dev/null
\set groups 'SELECT city, dp_count(true, 0.5) FROM default_tap.people GROUP BY city'
SET dpsens.selection_epsilon = 1;
SET dpsens.delta = 1e-6;
SELECT substring(note FROM 'a group of (\d+) units')::int AS shown FROM dpsens.explain(:'groups') WHERE note LIKE '%a group of %' \gset
SELECT ok(:shown BETWEEN 5 AND 50, 'explain says from how many units on groups are shown');
SELECT dpsens.set_policy('people', min_units => :shown) \g /dev/null
SELECT lives_ok(:'groups', 'a policy of as many admits it');
SELECT dpsens.set_policy('people', min_units => :shown + 1) \g /dev/null
SELECT format('one answer about relation "default_tap.people" may show groups of undeclared keys from %s units on, not from %s', :shown + 1, :shown) AS beyond \gset
SELECT throws_ok(:'groups', '53400', :'beyond', 'one of more does not, be it the owner who asks');
SELECT ok((SELECT count(*) FROM dpsens.explain(:'groups') WHERE note LIKE '%would be refused: ' || :'beyond') > 0, 'as explain says');
SET ROLE default_tap_ana;
SELECT throws_ok(:'groups', '53400', :'beyond', 'for an analyst');
SELECT throws_ok('SELECT city, dp_count(true, 0.5) FROM default_tap.people WHERE false GROUP BY city', '53400', :'beyond', 'whatever there is');
SELECT lives_ok('SELECT dp_count(true, 0.5) FROM default_tap.people', 'an answer without groups has none to show');
SET dpsens.delta = 1e-8;
SELECT lives_ok(:'groups', 'with a smaller delta groups are shown from more units on');
RESET ROLE;
RESET dpsens.delta;
SET dpsens.delta = 1e-6;
SELECT dpsens.set_policy('people', min_units => 0), dpsens.set_policy('people', 'default_tap_ana', min_units => :shown + 1) \g /dev/null
SELECT lives_ok(:'groups', 'a role''s holds for the role');
SET ROLE default_tap_ana;
SELECT throws_ok(:'groups', '53400', format('one answer from the budget of role "default_tap_ana" on relation "default_tap.people" may show groups of undeclared keys from %s units on, not from %s', :shown + 1, :shown), 'which is refused');
RESET ROLE;
SELECT dpsens.set_policy('people', 'default_tap_ana', min_units => 0), dpsens.set_entity_policy('people', min_units => 1000) \g /dev/null
SELECT throws_ok('SELECT y, dp_count(true, 0.5) FROM default_tap.stays GROUP BY y', '53400', NULL, 'an entity''s for all its relations');
SELECT dpsens.set_entity_policy('people', min_units => 0) \g /dev/null
SELECT dpsens.set_values('people', 'city', '0', '1', '2'), dpsens.set_policy('people', min_units => 1000000) \g /dev/null
SELECT lives_ok(:'groups', 'groups that are declared are shown whether there are units or not');
RESET dpsens.selection_epsilon;
RESET dpsens.delta;

-- ---- whose tables ----
CREATE TABLE names (city int, name text);
GRANT SELECT ON names TO default_tap_first;
\set beside 'SELECT dp_count(true, 0.5) FROM default_tap.stays WHERE y IN (SELECT city FROM default_tap.names)'
SET ROLE default_tap_first;
SELECT throws_ok(:'beside', NULL, NULL, 'other tables are not for analysts');
RESET ROLE;
SELECT dpsens.set_policy('stays', 'default_tap_first', own_tables => true) \g /dev/null
SET ROLE default_tap_first;
SELECT lives_ok(:'beside', 'unless the owner says so');
SELECT is((SELECT own_tables FROM dpsens.policies WHERE relation = 'stays'::regclass AND role = 'default_tap_first'), true, 'which is shown');
RESET ROLE;
SELECT dpsens.set_policy('stays', 'default_tap_first', own_tables => false) \g /dev/null
SET ROLE default_tap_first;
SELECT throws_ok(:'beside', NULL, NULL, 'and takes it back');
RESET ROLE;

-- ---- mistakes ----
SELECT throws_ok($$SELECT dpsens.set_policy('stays', default_epsilon => 0)$$, '22023', 'default_epsilon 0 is outside the valid range', 'no epsilon');
SELECT throws_ok($$SELECT dpsens.set_policy('stays', default_epsilon => 65)$$, '22023', 'default_epsilon 65 is outside the valid range', 'too great an epsilon');
SELECT throws_ok($$SELECT dpsens.set_policy('stays', 'default_tap_ana', default_epsilon => 'NaN')$$, '22023', 'default_epsilon NaN is outside the valid range', 'NaN');
SELECT throws_ok($$SELECT dpsens.set_entity_policy('people', min_units => -1)$$, '22023', 'min_units -1 is no limit', 'less than nothing');
SELECT throws_ok($$SELECT dpsens.set_policy('stays', own_tables => true)$$, '22023', 'own_tables is said of a role', 'everybody''s tables');
SELECT throws_ok($$SELECT dpsens.set_entity_policy('people', own_tables => true)$$, '22023', 'own_tables is said of a role', 'of an entity');
SET ROLE default_tap_owner;
SELECT throws_ok($$SELECT dpsens.set_policy('default_tap.stays', default_epsilon => 1)$$, '42501', NULL, 'somebody else');
RESET ROLE;

SELECT * FROM finish();
DROP SCHEMA default_tap CASCADE;
