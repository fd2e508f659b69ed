-- Functions of a histogram: discrete derivatives.

CREATE FUNCTION dpsens.discrete_sensitivity(expressions text[], cells text[], upper int4[],
    p float8 DEFAULT 1, nonempty boolean DEFAULT false, rows int4range DEFAULT '(,)',
    OUT adjacency text, OUT lower float8, OUT upper float8, OUT witness jsonb, OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_discrete_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000 ROWS 2;

COMMENT ON FUNCTION dpsens.discrete_sensitivity(text[], text[], int4[], float8, boolean, int4range) IS
'The sensitivity of a function of a histogram: the largest l_p norm of the change that one row makes. One row for add_remove (a row more in one cell) and one for replace (a row moved from one cell to another).
expressions: one for each coordinate of the function, over the cells. cells: their names; each is a double precision variable that takes integers from 0 to the upper bound at the same place in upper, which is at least 1.
p: 1 to Infinity. nonempty: only histograms with a row at all. rows: the range that the number of rows lies in, all by default. A change counts if the histograms before and after it are of these.
lower, upper: the sensitivity lies between; they agree up to rounding when the search can finish. The bounds are those of the exact values of the expressions. witness: a histogram where lower is attained (cells without rows are left out), with the cell to "add" a row to, or the cell to "replace" a row of and the one it moves to, "by".
note: why there is no finite bound (then upper is Infinity and the witness is a histogram where the function is NULL, undefined or out of range), or why the bracket is wide.
Errors: an expression that cannot be parsed or is not supported; an unknown, repeated or unusable name; arrays of different lengths, empty ones, nulls in them; an upper bound below 1; p below 1 or NaN; a number of rows that no histogram has; more than 1000 cells.';
