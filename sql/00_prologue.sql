\echo Use "CREATE EXTENSION dpsens" to load this file. \quit

-- Names, and above all operators, are those of pg_catalog: in the schema of CREATE EXTENSION others may have made some whose
-- types fit better, and views would call them with the rights of who looks.  What is made has the name of its schema.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Administration lives here, aggregates in the schema of CREATE EXTENSION.
-- Without IF NOT EXISTS: a schema that somebody else made could hold anything.
CREATE SCHEMA dpsens;
CREATE SCHEMA dpsens_internal;

COMMENT ON SCHEMA dpsens IS 'differentially private answers: annotations, analysis, administration';
COMMENT ON SCHEMA dpsens_internal IS 'what rewritten queries and the views and functions of dpsens are made of; nothing here is for people';

