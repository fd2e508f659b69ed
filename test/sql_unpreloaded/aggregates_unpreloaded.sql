-- A server that does not preload dpsens answers no dp aggregate, and says what
-- to do.

SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;
CREATE TABLE unpreloaded_rows (x float8);

-- no rows: the final function is reached alone
SELECT dp_count(*) FROM unpreloaded_rows;
SELECT dp_count(x) FROM unpreloaded_rows;
SELECT dp_sum(x, 1.0) FROM unpreloaded_rows;
SELECT dp_avg(x) FROM unpreloaded_rows WHERE false;

INSERT INTO unpreloaded_rows VALUES (1), (2);
SELECT dp_count(*) FROM unpreloaded_rows;
SELECT dp_count(x, 0.5) FROM unpreloaded_rows;
SELECT dp_sum(x) FROM unpreloaded_rows;
SELECT dp_avg(x, 1.0) FROM unpreloaded_rows;
SELECT dp_sum(x) FROM unpreloaded_rows GROUP BY x;
SELECT dp_sum(x) OVER () FROM unpreloaded_rows;

-- counted values, with rows and without
SELECT dp_median(x), dp_quantile(x, 0.5) FROM unpreloaded_rows;
SELECT dp_quantile(x, ARRAY[0.5], 1.0) FROM unpreloaded_rows WHERE false;
SELECT dp_min(x) FROM unpreloaded_rows WHERE false;
SELECT dp_max(x, 1.0) FROM unpreloaded_rows;
SELECT dp_histogram(x, 3) FROM unpreloaded_rows;
SELECT dp_histogram(x, ARRAY[1, 2]) FROM unpreloaded_rows WHERE false;
SELECT dp_bool_and(x > 1), dp_bool_or(x > 1, 1.0) FROM unpreloaded_rows;
SELECT dp_bool_or(x > 1) FROM unpreloaded_rows WHERE false;
SELECT dp_mode(x) FROM unpreloaded_rows;
SELECT dp_mode(x, 1.0) FROM unpreloaded_rows WHERE false;
SELECT dp_count(DISTINCT x) FROM unpreloaded_rows;
SELECT dp_count(DISTINCT x) FROM unpreloaded_rows WHERE false;

-- nor anything else that could show a number
SELECT dpsens_internal.release_value(NULL, NULL);
SELECT dpsens_internal.exact_state(NULL, x) FROM unpreloaded_rows;
SELECT dpsens_internal.release_key(NULL, NULL, ARRAY[1, 2]);
SELECT dpsens_internal.exact_tally(NULL, x) FROM unpreloaded_rows;

DROP TABLE unpreloaded_rows;
