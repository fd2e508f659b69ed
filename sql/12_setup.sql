-- A first setup for a schema, from its definitions.

CREATE FUNCTION dpsens.suggest_setup(schema regnamespace, entity regclass DEFAULT NULL, adjacency text DEFAULT NULL)
RETURNS SETOF text
AS 'MODULE_PATHNAME', 'dpsens_suggest_setup'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL UNSAFE COST 10000 ROWS 100;

COMMENT ON FUNCTION dpsens.suggest_setup(regnamespace, regclass, text) IS
'A script that protects the tables of a schema, line by line, to be reviewed and run: psql -XAtc "SELECT dpsens.suggest_setup(''clinic'')" > setup.sql. Statements are what keys, constraints and types say; what only an owner can decide is a comment. No row is read, so nothing in it tells of any: labels can be read by everybody.
entity: the table that has one row for each person; unless it is named, the only table of the schema, or the only one that is called like persons. Tables whose foreign keys lead there, directly or by other tables, are protected for the same person; where a person may have several rows 10 of them count, a number to be chosen. Tables that no key connects with persons are left to the owner.
Ranges come from CHECK constraints and domains (as for dpsens.set_range_from_checks), values from column IN (list). Columns without either, and those that look like identifiers or free text, stay private without a range or values, which is always safe. What is declared already is left out, and of tables of other owners only the names are given.
adjacency: add_remove or replace; NULL leaves the default, add_remove.
Errors: no such schema; no table that is known to have one row for each person; another adjacency.';
