
-- Auditing: what each row and each attribute contributes to privacy loss.
-- Arrays have an entry per private column of the expression, in the order of
-- the table's columns.  Rows are clamped into the declared ranges first.

CREATE FUNCTION dpsens.expression_columns(expression regprocedure)
RETURNS name[]
AS 'MODULE_PATHNAME', 'dpsens_expression_columns'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.expression_columns(regprocedure) IS
'The private columns that a registered expression uses, in the order of the table: what the entries of gradient_of, contribution_of, partial_sensitivity_of and plis_of belong to.
Errors: the function is not a registered expression; a column without a range.';

CREATE FUNCTION dpsens.gradient_of(expression regprocedure, "row" record)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_gradient_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION dpsens.gradient_of(regprocedure, record) IS
'The gradient of a registered expression at a row of its table, by private column: SELECT dpsens.gradient_of(''bmi(patients)'', p) FROM patients p.
NULL where the expression is NULL; an entry that does not exist is NULL. Never an error because of what the row holds.
Errors: the function is not a registered expression; the row is not of its table; a column without a range.';

CREATE FUNCTION dpsens.contribution_of(expression regprocedure, "row" record)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_contribution_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION dpsens.contribution_of(regprocedure, record) IS
'The normalized gradient at a row: each private column''s signed, weighted share of the gradient norm; the squares sum to 1. NULL where the gradient is 0.
Otherwise as dpsens.gradient_of.';

CREATE FUNCTION dpsens.partial_sensitivity_of(expression regprocedure, "row" record)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_partial_sensitivity_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION dpsens.partial_sensitivity_of(regprocedure, record) IS
'The partial sensitivity at a row: the derivative of the weighted gradient norm by each private column. NULL where the gradient is 0.
Otherwise as dpsens.gradient_of.';

CREATE FUNCTION dpsens.plis_of(expression regprocedure, "row" record, sigma float8 DEFAULT 1)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_plis_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION dpsens.plis_of(regprocedure, record, float8) IS
'The privacy loss input susceptibility at a row: the derivative, by each private column, of the privacy loss f^2 / sigma^2 of the released value; in a table of adjacency metric, of the squared weighted gradient norm / sigma^2. sigma is the absolute scale of the noise.
Otherwise as dpsens.gradient_of. Errors, in addition: sigma is not a positive number.';

CREATE TYPE dpsens.row_numbers AS (
    value float8,
    gradient float8[],
    gradient_norm float8,
    contribution float8[],
    partial float8[],
    plis float8[]);

COMMENT ON TYPE dpsens.row_numbers IS
'What a row contributes: see dpsens.gradient_of, contribution_of, partial_sensitivity_of and plis_of (at sigma = 1).';

CREATE FUNCTION dpsens.audit_row(expression regprocedure, "row" record)
RETURNS dpsens.row_numbers
AS 'MODULE_PATHNAME', 'dpsens_audit_row'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION dpsens.audit_row(regprocedure, record) IS
'Value, gradient, gradient norm, contribution, partial sensitivity and PLIS (at sigma = 1) of a registered expression at a row of its table, at once. Audit views are made of it.
Errors: as dpsens.gradient_of.';
