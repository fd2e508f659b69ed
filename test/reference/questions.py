"""What questions of all kinds share: how they are put into SQL, and how failures are told."""
import json
import os
import subprocess

from mpmath import mp, mpf

PREPARE = '''
SET client_min_messages = error;
DROP SCHEMA IF EXISTS {schema} CASCADE;
CREATE SCHEMA {schema};
SET search_path = {schema}, public;
SET dpsens.max_boxes = 1000;
SET dpsens.max_ms = 0;
CREATE FUNCTION pg_temp.ask(expression text, ranges jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE answer jsonb;
BEGIN
    SELECT jsonb_object_agg(quantity, jsonb_build_object('lower', lower::text, 'upper', upper::text, 'witness', witness, 'note', note))
    INTO answer FROM dpsens.sensitivity(expression, ranges);
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    RETURN jsonb_build_object('error', sqlerrm);
END $$;
CREATE FUNCTION pg_temp.ask_histogram(expressions text[], cells text[], upper int[], p float8, rows int4range) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE answer jsonb;
BEGIN
    SELECT jsonb_object_agg(adjacency, jsonb_build_object('lower', s.lower::text, 'upper', s.upper::text, 'witness', witness, 'note', note))
    INTO answer FROM dpsens.discrete_sensitivity(expressions, cells, ask_histogram.upper, p, rows => ask_histogram.rows) AS s;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    RETURN jsonb_build_object('error', sqlerrm);
END $$;
-- Is a row of these cells selected?  Where that is an error, no.
CREATE FUNCTION pg_temp.selects(condition text, cells jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE answer boolean;
BEGIN
    EXECUTE format('SELECT coalesce(%s, false) FROM jsonb_populate_record(NULL::w, $1)', '(' || condition || ')') INTO answer USING cells;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END $$;
CREATE FUNCTION pg_temp.explain(columns text, declarations text[], query text, condition text, rows jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    answer jsonb;
    declaration text;
BEGIN
    EXECUTE 'CREATE TABLE w (' || columns || ')';
    BEGIN
        FOREACH declaration IN ARRAY declarations LOOP
            EXECUTE declaration;
        END LOOP;
        SELECT jsonb_build_object('explained', jsonb_build_object('lower', lower::text, 'upper', upper::text, 'sensitivity', sensitivity::text,
                                  'witness', witness, 'note', note))
        INTO answer FROM dpsens.explain(query);
        answer := answer || jsonb_build_object('selected',
            (SELECT jsonb_agg(pg_temp.selects(condition, r.cells) ORDER BY r.place) FROM jsonb_array_elements(rows) WITH ORDINALITY AS r (cells, place)));
    EXCEPTION WHEN OTHERS THEN
        answer := jsonb_build_object('error', sqlerrm);
    END;
    DROP TABLE w;
    RETURN answer;
END $$;
'''
TIDY = 'DROP SCHEMA {schema} CASCADE;'


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def psql(script):
    """One answer in JSON for each line."""
    output = subprocess.run(['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1'], input=script, text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in output.splitlines()]


def ask(statements):
    """The answers of pg_temp's functions, in a schema of the process's own, since several ask at once."""
    schema = 'reference_%d' % os.getpid()
    return psql(PREPARE.replace('{schema}', schema) + ''.join(statements) + TIDY.replace('{schema}', schema))


def numbers(answers):
    """Ends as floats, in place."""
    for answer in answers.values():
        answer['lower'] = None if answer['lower'] is None else float(answer['lower'])
        answer['upper'] = float(answer['upper'])


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if isinstance(value, mpf):
        return mp.nstr(value, 25)
    return value if value is None or isinstance(value, (bool, str)) else repr(value)


def described(question, failure, answer):
    return {'number': question.number, 'expression': question.sql, 'ranges': question.ranges, 'quantity': failure.quantity,
            'claimed': shown(failure.claimed), 'found': shown(failure.found),
            'rows': [{name: shown(value) for name, value in row.items()} for row in failure.rows], 'answer': answer}
