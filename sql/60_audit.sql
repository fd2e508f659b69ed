
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

CREATE FUNCTION dpsens_internal.audit_support(request internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'dpsens_audit_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION dpsens_internal.audit_support(internal) IS
'For the planner: a call with the row of a table becomes one with the cells that the expression uses.';

CREATE FUNCTION dpsens_internal.cells_number(question int4, expression regprocedure, parameter float8, place int4, columns int2[], VARIADIC cells "any")
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_cells'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION dpsens_internal.cells_number(int4, regprocedure, float8, int4, int2[], "any") IS
'What the planner makes of dpsens.value_of and the other functions of a row that return a number. Not to be called.
Errors: the cells are not those of the columns that the expression uses.';

CREATE FUNCTION dpsens_internal.cells_array(question int4, expression regprocedure, parameter float8, place int4, columns int2[], VARIADIC cells "any")
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_cells'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION dpsens_internal.cells_array(int4, regprocedure, float8, int4, int2[], "any") IS
'The same of those that return an array.';

CREATE FUNCTION dpsens.value_of(expression regprocedure, "row" record)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_value_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.value_of(regprocedure, record) IS
'The value of a registered expression at a row of its table: that of its function, but of the clamped row, and NULL where the function would raise an error.
Errors: as dpsens.gradient_of.';

CREATE FUNCTION dpsens.slope_of(expression regprocedure, "row" record, place int4)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_slope_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.slope_of(regprocedure, record, int4) IS
'One entry of dpsens.gradient_of, counted from 1, without the others; NULL if there is no such entry.
Errors: as dpsens.gradient_of.';

CREATE FUNCTION dpsens.gradient_of(expression regprocedure, "row" record)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_gradient_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.gradient_of(regprocedure, record) IS
'The gradient of a registered expression at a row of its table, by private column: SELECT dpsens.gradient_of(''bmi(patients)'', p) FROM patients p.
NULL where the expression is NULL; an entry that does not exist is NULL. Never an error because of what the row holds.
Errors: the function is not a registered expression; the row is not of its table; a column without a range.';

CREATE FUNCTION dpsens.gradient_norm_of(expression regprocedure, "row" record)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_gradient_norm_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.gradient_norm_of(regprocedure, record) IS
'The weighted 2-norm of the gradient at a row. Otherwise as dpsens.gradient_of.';

CREATE FUNCTION dpsens.contribution_of(expression regprocedure, "row" record)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_contribution_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.contribution_of(regprocedure, record) IS
'The normalized gradient at a row: each private column''s signed, weighted share of the gradient norm; the squares sum to 1. NULL where the gradient is 0.
Otherwise as dpsens.gradient_of.';

CREATE FUNCTION dpsens.contribution_of(expression regprocedure, "row" record, place int4)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_contribution_entry'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.contribution_of(regprocedure, record, int4) IS
'One entry of dpsens.contribution_of, counted from 1; NULL if there is no such entry.
Errors: as dpsens.gradient_of.';

CREATE FUNCTION dpsens.partial_sensitivity_of(expression regprocedure, "row" record)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_partial_sensitivity_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.partial_sensitivity_of(regprocedure, record) IS
'The partial sensitivity at a row: the derivative of the weighted gradient norm by each private column. NULL where the gradient is 0.
Otherwise as dpsens.gradient_of.';

CREATE FUNCTION dpsens.partial_sensitivity_of(expression regprocedure, "row" record, place int4)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_partial_sensitivity_entry'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.partial_sensitivity_of(regprocedure, record, int4) IS
'One entry of dpsens.partial_sensitivity_of, counted from 1; NULL if there is no such entry.
Errors: as dpsens.gradient_of.';

CREATE FUNCTION dpsens.plis_of(expression regprocedure, "row" record, sigma float8 DEFAULT 1)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_plis_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.plis_of(regprocedure, record, float8) IS
'The privacy loss input susceptibility at a row: the derivative, by each private column, of the privacy loss f^2 / sigma^2 of the released value; in a table of adjacency metric, of the squared weighted gradient norm / sigma^2. sigma is the absolute scale of the noise.
Otherwise as dpsens.gradient_of. Errors, in addition: sigma is not a positive number.';

CREATE FUNCTION dpsens.plis_of(expression regprocedure, "row" record, sigma float8, place int4)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_plis_entry'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.plis_of(regprocedure, record, float8, int4) IS
'One entry of dpsens.plis_of, counted from 1, without the others; NULL if there is no such entry.
Errors: as dpsens.plis_of.';

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
'Value, gradient, gradient norm, contribution, partial sensitivity and PLIS (at sigma = 1) of a registered expression at a row of its table, at once. dpsens.row_sensitivity is this of every row.
Errors: as dpsens.gradient_of.';

CREATE FUNCTION dpsens.individual_loss(expression regprocedure, "row" record, rdp_order float8 DEFAULT 2)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_individual_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.individual_loss(regprocedure, record, float8) IS
'An upper bound of what the row''s unit loses by one release of dp_sum(expression) over the whole table, at the settings dpsens.epsilon, dpsens.delta and dpsens.mechanism, as Renyi DP of the order given: of its presence under add_remove, of its values under replace, of one attribute under attribute. The noise is that of dpsens.explain.
NULL if dpsens.epsilon is not set, the table is not protected, its units may have several rows, the sum cannot be released, or the adjacency is metric, which has no loss of this kind.
Errors: as dpsens.gradient_of; an order that is not above 1.';

CREATE FUNCTION dpsens.individual_epsilon(expression regprocedure, "row" record, delta float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_individual_epsilon'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 200 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.individual_epsilon(regprocedure, record, float8) IS
'The loss of dpsens.individual_loss as the epsilon of (epsilon, delta)-DP for this delta, an upper bound, rounded up. Laplace noise: the pure epsilon, or that of its zCDP if it is smaller. Gaussian noise: from the profile of discrete Gaussian noise, too large by less than one part in a million, or from its zCDP (Canonne, Kamath and Steinke 2020, Proposition 12) where a delta is too small for that. At delta = 0 the pure epsilon, Infinity where there is none.
delta belongs to this statement and need not be the setting dpsens.delta, which the noise is calibrated for. NULL where dpsens.individual_loss is.
Errors: as dpsens.gradient_of; a delta below 0 or not below 1.';

CREATE FUNCTION dpsens.first_order_loss(expression regprocedure, "row" record, rdp_order float8 DEFAULT 2)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_first_order_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT dpsens_internal.audit_support;

COMMENT ON FUNCTION dpsens.first_order_loss(regprocedure, record, float8) IS
'The formula of Mueller et al. (2021) for individual loss, order * |gradient|^2 / (2 sigma^2), sigma that of one release of dp_sum(expression) with Gaussian noise: first-order, a diagnostic and no privacy guarantee.
NULL under any other mechanism, where dpsens.individual_loss has no release to refer to, and where it is too large for a number.';

CREATE FUNCTION dpsens.row_sensitivity(expression regprocedure,
    OUT key jsonb, OUT value float8, OUT gradient float8[], OUT gradient_norm float8,
    OUT contribution float8[], OUT partial float8[], OUT plis float8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_row_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000;

COMMENT ON FUNCTION dpsens.row_sensitivity(regprocedure) IS
'What each row of an expression''s table contributes, as dpsens.audit_row says it. key: the row''s primary key, else its privacy unit.
Needs the right to read the columns. Errors: the function is not a registered expression; a column without a range.';

CREATE FUNCTION dpsens.create_audit_view(expression regprocedure, view_name name DEFAULT NULL, rdp_order float8 DEFAULT 2,
    delta float8 DEFAULT 1e-6)
RETURNS regclass
AS 'MODULE_PATHNAME', 'dpsens_create_audit_view'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.create_audit_view(regprocedure, name, float8, float8) IS
'Makes a view, <expression>_audit by default, in the schema of an expression''s table, that belongs to the table''s owner and that nobody else may read until it is granted: key columns, value, gradient, gradient_norm, and for each private column slope_, contribution_, partial_ and plis_<column>, then individual_loss (of rdp_order), individual_epsilon (at delta) and first_order_loss at the settings of whoever reads it. Only the columns that a query asks for are computed.
It follows renames, and it is dropped with the expression, after a restore too: its label AUDIT stands for that.
Errors: the caller does not own the table, or may not create in its schema; the name is taken; as dpsens.expression_columns.';

CREATE FUNCTION dpsens.sensitivity_summary(expression regprocedure, fractions float8[] DEFAULT '{0.5, 0.9}',
    OUT quantity text, OUT rows int8, OUT min float8, OUT q1 float8, OUT median float8, OUT q3 float8,
    OUT max float8, OUT mean float8, OUT bound float8, OUT realised float8, OUT rows_above int8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_sensitivity_summary'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 15;

COMMENT ON FUNCTION dpsens.sensitivity_summary(regprocedure, float8[]) IS
'How an expression''s table is distributed, one row a quantity: value, gradient_norm, then slope:, contribution:, partial: and plis:<column> for each private column. rows: where it exists; quartiles as by percentile_cont.
bound: the certified bound of its magnitude over the declared ranges (of gradient_norm: K); realised: the largest magnitude in the table as a share of it; rows_above: how many rows lie above each of the fractions of it. NULL where there is no bound.
Exact statistics of private data, for the owner of the table and its auditors.
Errors: the caller neither owns the table nor may see what follows from its rows (dpsens.grant_audit); a fraction that is not between 0 and 1; as dpsens.row_sensitivity.';

CREATE FUNCTION dpsens.local_sensitivity(expression regprocedure, statistic text, beta float8,
    OUT rows int8, OUT local_sensitivity float8, OUT smooth_sensitivity float8, OUT global_sensitivity float8)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_local_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000;

COMMENT ON FUNCTION dpsens.local_sensitivity(regprocedure, text, float8) IS
'How far one unit can move a statistic of an expression over its table as the table is, by the adjacency of the table; how far in a table that differs in k units, times exp(-beta k), at the k and the table where that is most (the smooth sensitivity); and how far in any table of as many rows.
statistic: sum, mean or median (the value with number ceil(n/2) of n), without noise, of all rows of the clamped table that have a value. Under replace; sum under add_remove, too, where all three figures are the same, since any row may be added.
rows: those that count. Under replace a row whose value can vanish counts in a sum as 0. Of no rows the figures of a mean and a median are NULL. The ends of what the expression can be are certified, and the figures are exact if it takes all values between them by private columns alone; else they are upper bounds. They are computed in double precision, without a proof of their rounding.
These numbers are private data: for the owner, not for analysts, and no noise may be calibrated by them. A local sensitivity must not be: it tells rows by itself. By a smooth one noise can be calibrated, of another law and with other constants (Nissim, Raskhodnikova and Smith 2007, section 2), but then it must not be shown; dpsens does not.
Errors: the caller does not own the table; it is not protected; units of several rows; another adjacency or statistic; beta is not a positive number; for mean and median, private columns can decide whether a row has a value; as dpsens.row_sensitivity.
Source: Nissim, Raskhodnikova and Smith 2007, Definitions 1.2 and 2.2, section 3.1.';
