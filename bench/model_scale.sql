-- Figures of build/bench/model.json, as bench-model writes it: what deriving and
-- evaluating cost from a thousand to ten million parameters.  psql's variables:
-- numbers, the file; figures, the directory.

\set QUIET on
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;

\setenv DPSENS_NUMBERS :numbers
\set json `cat "$DPSENS_NUMBERS"`
CREATE TEMP TABLE measured AS
SELECT row_number() OVER () AS n, m.* FROM jsonb_to_recordset(:'json'::jsonb) AS m (network text, parameters bigint, layers int, nodes int,
    derive_ms float8, evaluate_ms float8, peak_mb float8);
CREATE TEMP VIEW labelled AS
SELECT *, network || ', ' || CASE WHEN parameters < 1e6 THEN to_char(parameters / 1e3, 'FM990.9') || ' k' ELSE to_char(parameters / 1e6, 'FM990.9') || ' M' END AS label FROM measured;

\set file :figures '/scale_nodes.svg'
\o :file
SELECT dpsens.bar_chart(array_agg(label ORDER BY n), array_agg(nodes ORDER BY n), 'nodes of the graph, by parameters') FROM labelled;
\set file :figures '/scale_derive.svg'
\o :file
SELECT dpsens.bar_chart(array_agg(label ORDER BY n), array_agg(derive_ms ORDER BY n), 'milliseconds to derive and plan, by parameters') FROM labelled;
\set file :figures '/scale_evaluate.svg'
\o :file
SELECT dpsens.bar_chart(array_agg(label ORDER BY n), array_agg(log(evaluate_ms * 1000) ORDER BY n), 'decimal logarithm of microseconds to evaluate, by parameters') FROM labelled;
\set file :figures '/scale_memory.svg'
\o :file
SELECT dpsens.bar_chart(array_agg(label ORDER BY n), array_agg(peak_mb ORDER BY n), 'peak MB of the process, by parameters') FROM labelled;
\o
SELECT dpsens.bar_chart(array_agg(label ORDER BY n), array_agg(log(evaluate_ms * 1000) ORDER BY n), 'decimal logarithm of microseconds to evaluate, by parameters', 'text') FROM labelled;
