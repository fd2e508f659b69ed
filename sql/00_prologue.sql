\echo Use "CREATE EXTENSION dpsens" to load this file. \quit

-- Administration lives here, aggregates in the schema of CREATE EXTENSION.
-- Without IF NOT EXISTS: a schema that somebody else made could hold anything.
CREATE SCHEMA dpsens;
CREATE SCHEMA dpsens_internal;

COMMENT ON SCHEMA dpsens IS 'differentially private answers: annotations, analysis, administration';
COMMENT ON SCHEMA dpsens_internal IS 'what rewritten queries and the views and functions of dpsens are made of; nothing here is for people';

