
-- Which column's range drives the noise.

CREATE FUNCTION dpsens.advise(expression text, ranges jsonb,
    OUT column_name name, OUT side text, OUT tightened_range text, OUT quantity text,
    OUT upper float8, OUT tightened float8, OUT shrink float8, OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_advise'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 50;

COMMENT ON FUNCTION dpsens.advise(text, jsonb) IS
'How much the bounds of an expression would shrink if one column''s range were shorter by a tenth of its length: one row for each column, side of the cut (low, high, or half of it at both ends) and quantity (add_remove, replace, attribute, metric; of a vector in each norm).
tightened_range: what is left; of integers the cut is rounded up to whole numbers. upper: the certified bound over the ranges as they are; tightened: over the shorter range; shrink: the share of upper that goes, from 0 to 1, which is the share of the noise that goes. 1 for a bound that becomes finite, NULL if it stays infinite. Shares below dpsens.tolerance mean nothing.
attribute is the largest over the private columns. A range that cannot be cut has shrink 0 and a note; a note also says where a bound is missing or wide.
Ranges of columns are declared, not seen: tighten one because of what is known about the column, not because of the rows of a table.
expression, ranges: as for dpsens.sensitivity, ARRAY[...] included.
Errors: as for dpsens.sensitivity.';

CREATE FUNCTION dpsens.advise(expression regprocedure,
    OUT column_name name, OUT side text, OUT tightened_range text, OUT quantity text,
    OUT upper float8, OUT tightened float8, OUT shrink float8, OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_advise_expression'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000000 ROWS 50;

COMMENT ON FUNCTION dpsens.advise(regprocedure) IS
'The same for a registered expression, over the declared ranges of its table. Ranges of dates are cut by whole days, and tightened_range is written as in a label.
No row is read.
Errors: the function is not a registered expression; a column without a declared range.';
