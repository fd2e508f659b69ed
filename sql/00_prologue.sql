\echo Use "CREATE EXTENSION dpsens" to load this file. \quit

-- Administration lives here, aggregates in the schema of CREATE EXTENSION.
-- Without IF NOT EXISTS: a schema that somebody else made could hold anything.
CREATE SCHEMA dpsens;

COMMENT ON SCHEMA dpsens IS 'differentially private answers: annotations, analysis, administration';

