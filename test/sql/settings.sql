-- The settings of dpsens, their limits and their defaults.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;
-- loads the library where it is not preloaded
SELECT count(*) FROM dpsens.columns WHERE relation = 'pg_class'::regclass;

SELECT name, setting, vartype, context, boot_val
FROM pg_settings WHERE name LIKE 'dpsens.%'
    AND name IN ('dpsens.epsilon', 'dpsens.delta', 'dpsens.mechanism', 'dpsens.noise', 'dpsens.debug_restricted',
                 'dpsens.tolerance', 'dpsens.max_boxes', 'dpsens.max_ms', 'dpsens.ledger_slots',
                 'dpsens.ledger_timeout', 'dpsens.ledger_idle_timeout', 'dpsens.require_fsync',
                 'dpsens.max_public_rows', 'dpsens.max_public_size')
ORDER BY name COLLATE "C";

-- epsilon: unset by default, and not to be set to nothing
SHOW dpsens.epsilon;
SET dpsens.epsilon = 1;
SHOW dpsens.epsilon;
SET dpsens.epsilon = 0;
SET dpsens.epsilon = -1;
SET dpsens.epsilon = 'NaN';
SET dpsens.epsilon = 'Infinity';
SET dpsens.epsilon = '-Infinity';
SET dpsens.epsilon = 1e-30;
SET dpsens.epsilon = 1e30;
SET dpsens.epsilon = 64.001;
SET dpsens.epsilon = 'much';
SELECT set_config('dpsens.epsilon', '0', false);
SHOW dpsens.epsilon;
-- both ends are allowed
SET dpsens.epsilon = 64;
SHOW dpsens.epsilon;
SET dpsens.epsilon = 9.5367431640625e-07;
SHOW dpsens.epsilon;
-- back to unset, in each way there is
RESET dpsens.epsilon;
SHOW dpsens.epsilon;
SET dpsens.epsilon = 2;
SET dpsens.epsilon TO DEFAULT;
SHOW dpsens.epsilon;
BEGIN;
SET LOCAL dpsens.epsilon = 3;
SHOW dpsens.epsilon;
ROLLBACK;
SHOW dpsens.epsilon;
SET dpsens.epsilon = 2;
RESET ALL;
SHOW dpsens.epsilon;

SET dpsens.delta = 1e-9;
SHOW dpsens.delta;
SET dpsens.delta = 0;
SET dpsens.delta = 1;
SET dpsens.delta = -1e-6;
SET dpsens.delta = 'NaN';
RESET dpsens.delta;
SHOW dpsens.delta;

SET dpsens.mechanism = 'gaussian';
SHOW dpsens.mechanism;
SET dpsens.mechanism = 'cauchy';
RESET dpsens.mechanism;

SET dpsens.tolerance = 1e-13;
SET dpsens.tolerance = 0.2;
SET dpsens.tolerance = 1e-12;
RESET dpsens.tolerance;
SET dpsens.max_boxes = 0;
SET dpsens.max_boxes = 1;
RESET dpsens.max_boxes;
-- servers name the range in different words
\set VERBOSITY sqlstate
SET dpsens.max_ms = -1;
\set VERBOSITY default
SET dpsens.max_ms = '2s';
SHOW dpsens.max_ms;
RESET dpsens.max_ms;

-- noise: superusers only, and not silently
SET dpsens.noise = off;
RESET dpsens.noise;
CREATE ROLE regress_dpsens_settings;
SET ROLE regress_dpsens_settings;
SET dpsens.noise = off;
SET dpsens.epsilon = 1;
RESET ROLE;
DROP ROLE regress_dpsens_settings;
