-- psql -v scale=0.1 -v result=FILE -f tpch.sql: generates, declares, asks each query
-- exactly and privately at epsilon = 1 per aggregate, prints a table, writes JSON.
\set ON_ERROR_STOP 1
\set QUIET 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
\ir schema.sql
\o /dev/null
\ir generate.sql
\ir declare.sql
\o
\ir queries.sql
\ir functions.sql
SET search_path = tpch, public;
SET dpsens.epsilon = 1;

CREATE TEMP TABLE outcome AS
SELECT q.number, q.note, e.answer AS exact, e.ms AS exact_ms, p.answer AS private, p.ms AS private_ms, p.state, p.message, p.state = q.sqlstate AS as_expected
FROM tpch_query q, LATERAL pg_temp.run(q.exact) e, LATERAL pg_temp.run(q.private) p ORDER BY q.number;

CREATE TEMP TABLE report AS
SELECT number, CASE state WHEN '00000' THEN 'answered' ELSE 'refused' END AS outcome, round(exact_ms) AS exact_ms, CASE state WHEN '00000' THEN round(private_ms) END AS private_ms,
    (SELECT round((percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(p.value - e.value) / abs(e.value)))::numeric, 5)
        FROM pg_temp.numbers(exact) e JOIN pg_temp.numbers(private) p USING (keys, field) WHERE e.value <> 0) AS median_relative_error,
    COALESCE(message, note) AS remark, as_expected
FROM outcome;
\pset title 'TPC-H, each dp aggregate at epsilon = 1, unit = customer'
TABLE report ORDER BY number;
\pset title
\t on
\pset format unaligned
\o :result
SELECT jsonb_pretty(jsonb_build_object('scale', :scale, 'queries', jsonb_agg(to_jsonb(r) ORDER BY number))) FROM report r;
\o
SELECT 'not as expected: ' || string_agg(number::text, ', ') FROM report HAVING NOT bool_and(as_expected);
SELECT 1 / bool_and(as_expected)::int FROM report \g /dev/null
