-- A first setup for a schema, from its definitions.

CREATE FUNCTION dpsens.suggest_setup(schema regnamespace, entity regclass DEFAULT NULL, adjacency text DEFAULT NULL)
RETURNS SETOF text
AS 'MODULE_PATHNAME', 'dpsens_suggest_setup'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL UNSAFE COST 10000 ROWS 100;

COMMENT ON FUNCTION dpsens.suggest_setup(regnamespace, regclass, text) IS
'A script that protects the tables of a schema, line by line, to be reviewed and run: psql -XAtc "SELECT dpsens.suggest_setup(''clinic'')" > setup.sql. Statements are what keys, constraints and types say; what only an owner can decide is a comment. No row is read, so nothing in it tells of any: labels can be read by everybody.
entity: the table that has one row for each person; unless it is named, the only table of the schema, or the only one that is called like persons. Tables whose foreign keys lead there, directly or by other tables, are protected for the same person; where a person may have several rows 10 of them count, a number to be chosen. Tables that no key connects with persons are left to the owner. Group sizes, budgets and policies, of persons or of a lone table, come last, in comments with small numbers that no data decide.
Ranges come from CHECK constraints and domains (as for dpsens.set_range_from_checks), values from column IN (list). Columns without either, and those that look like identifiers or free text, stay private without a range or values, which is always safe. Of a column that refers to a table which no key connects with persons, the keys of that are suggested as its values, in a comment, since they would be public. What is declared already is left out, and of tables of other owners only the names are given.
adjacency: add_remove or replace; NULL leaves the default, add_remove.
Errors: no such schema; no table that is known to have one row for each person; another adjacency.';

CREATE FUNCTION dpsens.suggest_limits(relation regclass, epsilon float8, answer_epsilon float8 DEFAULT 1,
	OUT max_rows int4, OUT persons float8, OUT "rows" float8, OUT rows_left_out float8, OUT noise float8, OUT error float8,
	OUT best boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_suggest_limits'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 10000 ROWS 32;

COMMENT ON FUNCTION dpsens.suggest_limits(regclass, float8, float8) IS
'Which max_rows would do for a relation in which a person may have several rows: for each of a ladder of limits, up to the one that is declared, the share of persons all of whose rows would count, the share of rows that would, how many rows would be left out, the noise (root of its mean square) of a count of all rows at answer_epsilon, and the error that both make together, the root of the sum of their squares. best is the limit whose error is least.
A private answer with Laplace noise: it costs epsilon, once, like any statement of the caller, whose right to ask it takes; so the shares are noised. Where the unit is by reference, the relations that are referred to, one after the other, are asked about, too, and charged. The ladder is taken to end at the last rung that has more persons than noise may have made, ln(20 n) times its scale with n rungs (64 persons at epsilon 0.1, 6 at 1); if there is none, all but the noise is NULL. What a few persons have beyond is not seen. Rows of persons who have more than the limit that is declared are counted up to it: a NOTICE says so; raise it, or set it to 0, to see beyond. answer_epsilon costs nothing.
Bias against variance: Amin et al. 2019, "Bounding user contributions: a bias-variance trade-off in differential privacy".
Errors: the relation is not protected, or has one row to a person; epsilon or answer_epsilon is not in [2^-20, 64]; what any statement is refused for, a budget that is spent, a policy without Laplace noise and a unit that may be NULL among them.';

CREATE FUNCTION dpsens.suggest_range(relation regclass, column_name name, epsilon float8, answer_epsilon float8 DEFAULT 1,
	OUT lo float8, OUT hi float8, OUT share_clamped float8, OUT clamped float8, OUT noise float8, OUT error float8,
	OUT best boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_suggest_range'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 10000 ROWS 50;

COMMENT ON FUNCTION dpsens.suggest_range(regclass, name, float8, float8) IS
'Which range would do for a column of numbers of a protected relation: for each range with ends 0 and 1, 2 and 5 times powers of ten between which values lie, from 0.001 (of integers 1) to 10^9 of both signs, the share of the rows with a value that would be clamped, by how much all of these would be changed together, the noise (root of its mean square) of a sum of the column over all rows by Laplace noise at answer_epsilon, and the error that both make together, the root of the sum of their squares. best is the range whose error is least.
A private answer with Laplace noise, of how many rows have values between neighbouring ends: it costs epsilon, once, like any statement of the caller, whose right to ask it takes; so what it says is noised, and the range that is declared by it tells of rows no more than that answer. Values are taken to lie within steps of the ladder where they do on average if a number is as frequent as one over it, and beyond the last ends at twice those. The ladder is taken to end at the first and the last step that has more rows than noise may have made, ln(20 n) times its scale with n steps; there is no row if there is none, and a few values that lie far out are not seen. NaN is not counted. A range that the column has does not matter. answer_epsilon costs nothing.
Bias against variance: Amin et al. 2019, "Bounding user contributions: a bias-variance trade-off in differential privacy", of limits of rows; clipping of values, Andrew et al. 2021, "Differentially private learning with adaptive clipping", and Huang, Liang and Yi 2021, "Instance-optimal mean estimation under differential privacy".
Errors: the relation is not protected, or its adjacency is metric; no such column, or one that is not of numbers; epsilon or answer_epsilon is not in [2^-20, 64]; what any statement is refused for, a budget that is spent and a policy without Laplace noise among them.';
