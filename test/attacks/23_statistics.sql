-- Row 23: statistics of columns, and operators that the planner calls on them.
\ir start.sql
CREATE STATISTICS clinic.both_kinds (mcv) ON name, note FROM clinic.people;
ANALYZE clinic.people;
SELECT attempt('statistics: ' || question, question, '(00000$|42501|00000\|\(0\))', twin, loot)
FROM (VALUES
    ('SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename = ''people'' AND schemaname = ''clinic''', 'SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename = ''people'' AND schemaname = ''clinic''', 'Zebedee'),
    ('SELECT n_distinct, null_frac, correlation FROM pg_stats WHERE schemaname = ''clinic'' AND tablename <> ''none''', 'SELECT n_distinct, null_frac, correlation FROM pg_stats WHERE tablename = ''people''', '\('),
    ('SELECT * FROM pg_statistic', 'SELECT name FROM people WHERE secret', 'Zebedee'), ('SELECT * FROM pg_statistic_ext_data', 'SELECT name FROM people WHERE secret', 'Zebedee')
) AS list (question, twin, loot);
SELECT attempt('statistics of several columns', ARRAY['SELECT most_common_vals FROM pg_stats_ext WHERE tablename = ''people'''], '00000$', 'dpsens_attack_owner', ARRAY['SELECT most_common_vals FROM pg_stats_ext WHERE tablename = ''people'''], 'seen');
-- of operators that are not leakproof none may look at the statistics
SET ROLE dpsens_attack_ana;
CREATE FUNCTION lab.peek(text, text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF 'seen' IN ($1, $2) THEN RAISE EXCEPTION 'Zebedee'; END IF; RETURN $1 < $2; END $$;
CREATE OPERATOR lab.<<<< (LEFTARG = text, RIGHTARG = text, FUNCTION = lab.peek, RESTRICT = scalarltsel);
CREATE OPERATOR lab.==== (LEFTARG = text, RIGHTARG = text, FUNCTION = lab.peek, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR lab.~~~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = lab.peek, RESTRICT = likesel);
CREATE OPERATOR lab.@@@@ (LEFTARG = text, RIGHTARG = text, FUNCTION = lab.peek, RESTRICT = matchingsel);
RESET ROLE;
SELECT attempt('estimating ' || op, format('SELECT dp_count(*) FROM people WHERE note OPERATOR(lab.%s) ''%%q''', op), '0A000', format('EXPLAIN SELECT count(*) FROM people WHERE note OPERATOR(lab.%s) ''%%q''', op), 'Zebedee')
FROM unnest('{<<<<,====,~~~~,@@@@}'::text[]) op;
SELECT attempt('estimating ' || op || ' in FILTER, of an answer''s subquery',
    format('SELECT dp_count(*) FILTER (WHERE note OPERATOR(lab.%s) ''%%q'') FROM (SELECT * FROM people WHERE note OPERATOR(lab.%s) ''r'') s WHERE age > 0', op, op),
    '0A000', format('EXPLAIN SELECT count(*) FROM people WHERE note OPERATOR(lab.%s) ''%%q''', op), 'Zebedee')
FROM unnest('{<<<<,====}'::text[]) op;
SELECT attempt('estimating without an answer', 'SELECT 1 FROM people WHERE note OPERATOR(lab.====) ''%%q''', '42501', 'SELECT 1 FROM people WHERE note OPERATOR(lab.====) ''%%q''', 'Zebedee');
SELECT attempt('making statistics: ' || statement, statement, '42', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['CREATE STATISTICS lab.mine (mcv) ON name, note FROM clinic.people', 'CREATE INDEX ON clinic.people ((lower(name)))',
    'ALTER TABLE clinic.people ALTER name SET STATISTICS 10000', 'CLUSTER clinic.people USING people_pkey', 'REINDEX TABLE clinic.people',
    'ALTER STATISTICS clinic.both_kinds OWNER TO dpsens_attack_ana', 'COMMENT ON TABLE clinic.people IS ''x''']) statement;
DROP STATISTICS clinic.both_kinds;
SELECT * FROM finish();
