-- Row 17: an arithmetic exception of the processor that is caught in a row.  Its signal
-- (SIGFPE, the last bit but seven) must not stay blocked, or the next one ends the server.
\ir start.sql
CREATE TABLE lab.slow AS SELECT 32000 AS n;
-- as whoever runs the tests, beside whom the server must run
\setenv ASK 'SET application_name = $$dpsens signals$$; SELECT dp_count(*) FROM slow WHERE factorial(n) > 0; SELECT $$blocked: $$ || substring(pg_read_file($$/proc/self/status$$) from $$SigBlk:[[:space:]]*([0-9a-f]+)$$)'
DO $$ BEGIN PERFORM dpsens.protect('slow'); END $$;
\set said `psql -XAtq -c "$ASK" 2>&1 & ask=$!; while kill -0 $ask 2>/dev/null; do pid=$(psql -XAtqc "SELECT pid FROM pg_stat_activity WHERE application_name = 'dpsens signals' AND state = 'active' AND now() - query_start > '300 ms'"); [ -z "$pid" ] || break; done; [ -z "$pid" ] || kill -FPE "$pid"; wait`
SELECT matches(:'said'::text, 'blocked: [0-9a-f]+0[0-7]$', 'its signal is not blocked');
SELECT * FROM finish();
