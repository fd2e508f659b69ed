\echo Use "CREATE EXTENSION dpsens" to load this file. \quit

-- Administration lives here, aggregates in the schema of CREATE EXTENSION.
-- Without IF NOT EXISTS: a schema that somebody else made could hold anything.
CREATE SCHEMA dpsens;
CREATE SCHEMA dpsens_internal;

COMMENT ON SCHEMA dpsens IS 'differentially private answers: annotations, analysis, administration';
COMMENT ON SCHEMA dpsens_internal IS 'what rewritten queries and the views and functions of dpsens are made of; nothing here is for people';

-- Annotations: what is private and in which range it lies.
-- Setters need ownership of the table, which the library checks.

CREATE FUNCTION dpsens.protect(relation regclass, unit text DEFAULT NULL, adjacency text DEFAULT NULL,
    max_rows int DEFAULT NULL, max_rows_per_group int DEFAULT NULL, max_groups int DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_protect'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.protect(regclass, text, text, int, int, int) IS
'Protects a table: answers about its rows are private, also to roles that have a budget and no privilege on it. Privileges are not taken away: whoever was granted SELECT still reads the rows, and a WARNING names them.
What is not named (NULL) stays as it was declared before, which a NOTICE says.
unit: the column that says whom a row belongs to, or ''table.column'' for the unit of a protected table that a foreign key of this one refers to; without one, each row stands for itself. A unit declared before moves here. A WARNING tells of a foreign key that sets it to null.
adjacency: what neighbouring tables differ in, one of add_remove (unless declared otherwise), replace, attribute, metric.
max_rows, max_rows_per_group, max_groups: where a unit may have several rows, how many of those that a query selects count in its answer: in all, in each group, and in how many groups. Noise grows with them. Between 1 and 1000000, or 0: not limited. Not needed where a unique index proves that a unit has one row.
Errors: the caller does not own the table; not a table; unknown column or adjacency; the unit is a public column.';

CREATE FUNCTION dpsens.unprotect(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_unprotect'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.unprotect(regclass) IS
'Removes the annotations of a table and of all its columns: afterwards it is neither protected nor declared to be public.
Errors: the caller does not own the table; not a table.';

CREATE FUNCTION dpsens.set_range(relation regclass, column_name name, lo float8, hi float8, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_range'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range(regclass, name, float8, float8, float8) IS
'Declares that a numeric column lies in [lo, hi], in the unit of the column; other values count as the nearest end.
weight: positive; the column''s factor in distances under adjacency metric, 1 unless declared; NULL leaves it.
Integer columns hold the integers of the range; bigint ranges end within 2^53.
Errors: the caller does not own the table; unknown or system column; a type without ranges; lo > hi; ends or weight NaN or infinite; no integer in the range.';

CREATE FUNCTION dpsens.set_range(relation regclass, column_name name, lo text, hi text, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_range_text'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range(regclass, name, text, text, float8) IS
'Declares the range of a date or timestamp column (years 1 to 9999), or of a numeric one.
Dates and times are read as the session writes them and stored in ISO 8601, timestamps with time zone in UTC.
weight: positive; the column''s factor in distances under adjacency metric, per second for dates and timestamps, 1 unless declared; NULL leaves it.
Errors: as for numbers; text that the type does not accept.';

CREATE FUNCTION dpsens.set_range_from_checks(relation regclass, OUT column_name name, OUT lo float8, OUT hi float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_set_range_from_checks'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 10;

COMMENT ON FUNCTION dpsens.set_range_from_checks(regclass) IS
'Declares the ranges that the table''s own validated CHECK constraints and domains imply, and returns the columns set.
Understood are comparisons of a column with a constant (<, <=, =, >=, >, BETWEEN), joined by AND or in several constraints; both ends must be bounded. Existing ranges are replaced, weights and values kept.
lo, hi: as in dpsens.columns.
Errors: the caller does not own the table; not a table.';

CREATE FUNCTION dpsens.set_values(relation regclass, column_name name, VARIADIC "values" text[])
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_values'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_values(regclass, name, text[]) IS
'Declares the public values of a column, which are the groups of GROUP BY. Enums and booleans have theirs without.
Errors: the caller does not own the table; unknown or system column; no values, NULL, duplicates; a value that the column''s type does not accept; a type without order or whose spelling depends on the session.';

CREATE FUNCTION dpsens.set_public(relation regclass, column_name name)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_public'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_public(regclass, name) IS
'Declares that the values of a column are no secret.
Errors: the caller does not own the table; unknown or system column; the column is the privacy unit.';

CREATE FUNCTION dpsens.set_public(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_public_relation'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_public(regclass) IS
'Declares that all rows of a table are public knowledge: roles that may ask about a protected relation and not read it may use the table beside it, if they may read it and whoever owns the table owns the protected relation, too.
dpsens.unprotect takes it back. No privilege is given.
Errors: the caller does not own the table; not a table; it is protected.';

CREATE FUNCTION dpsens.clear(relation regclass, column_name name)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_clear'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.clear(regclass, name) IS
'Removes all annotations of a column.
Errors: the caller does not own the table; unknown or system column.';

CREATE FUNCTION dpsens_internal.describe_column(relation regclass, column_number int2, OUT role text, OUT lo float8, OUT hi float8,
    OUT weight float8, OUT "values" text[], OUT missing text)
RETURNS record
AS 'MODULE_PATHNAME', 'dps_describe_column'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION dpsens_internal.describe_column(regclass, int2) IS
'The annotation of a column by number, as dpsens.columns shows it; NULL if there is no such column.';

CREATE VIEW dpsens.columns AS
SELECT label.objoid::pg_catalog.regclass AS relation,
       attribute.attname AS column_name,
       attribute.atttypid::pg_catalog.regtype AS type,
       attribute.attnotnull AS not_null,
       description.role,
       description.lo,
       description.hi,
       description.weight,
       description."values",
       description.missing
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid OPERATOR(pg_catalog.=) label.objoid
CROSS JOIN LATERAL dpsens_internal.describe_column(label.objoid, attribute.attnum) AS description
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND label.objsubid OPERATOR(pg_catalog.=) 0
  AND label.label OPERATOR(pg_catalog.!~*) '^\s*public\s*$'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS class
                  WHERE class.oid OPERATOR(pg_catalog.=) label.objoid AND class.relkind OPERATOR(pg_catalog.=) 'v')
  AND attribute.attnum OPERATOR(pg_catalog.>) 0
  AND NOT attribute.attisdropped
ORDER BY label.objoid, attribute.attnum;

COMMENT ON VIEW dpsens.columns IS
'Every column of every protected table: its role (private, public, unit, unannotated), range, weight and values, and in missing the statement that adds what queries will want, once its words are replaced, or takes away what does not fit the column; null if nothing is missing, or nothing can be added. Ranges of dates and timestamps are in seconds since 1970, UTC.';

CREATE VIEW dpsens.public_relations AS
SELECT label.objoid::pg_catalog.regclass AS relation,
       class.relowner::pg_catalog.regrole AS owner
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_class AS class ON class.oid OPERATOR(pg_catalog.=) label.objoid
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND label.objsubid OPERATOR(pg_catalog.=) 0
  AND label.label OPERATOR(pg_catalog.~*) '^\s*public\s*$'
ORDER BY label.objoid;

COMMENT ON VIEW dpsens.public_relations IS
'Every table that is declared to be public as a whole, and its owner: beside relations that this role owns, too, it can be used by roles that may ask about them and not read them.';

-- What-if analysis: sensitivities and derivatives without a table.
-- Names in an expression are the keys of a JSON object.

CREATE FUNCTION dpsens.sensitivity(expression text, ranges jsonb,
    OUT quantity text, OUT lower float8, OUT upper float8, OUT witness jsonb, OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000 ROWS 15;

COMMENT ON FUNCTION dpsens.sensitivity(text, jsonb) IS
'Certified brackets of what privacy asks of an expression, one row a quantity: infimum, supremum, add_remove (largest magnitude), replace (length of the range), metric (K, the supremum of the weighted 2-norm of the gradient), metric_l1, metric_linf, then attribute:<column> (the furthest that one column moves the value) and slope:<column> for each private column.
ranges: {"a": [lo, hi]} or {"a": {"range": [lo, hi], "type": "integer", "weight": 2, "public": true, "nullable": true}}; the type is double precision by default, a boolean has no range.
lower, upper: the quantity lies between; of suprema the lower end is attained at the witness, of the infimum the upper one.
note: why there is no finite bound (then upper is Infinity), or the value that an attribute moves from.
A vector, ARRAY[e1, e2, ...] of 1 to 16 numbers, has joint sensitivities instead, in the 1-, 2- and maximum norm: add_remove_l1, _l2, _linf, the norm of the vector; replace_l1, _l2, _linf, the furthest that two rows'' vectors are apart; metric_l1, _l2, _linf, the norm of the Jacobian as an operator from the weighted Euclidean distance of rows to the norm of vectors; attribute_l1:<column> and so on. note then names the other row. A row adds its vector where all entries have a value, else nothing.
Errors: an expression that cannot be parsed or is not supported; a name without a range; a malformed range, type, weight or option; an array that is empty, nested or longer than 16.';

CREATE FUNCTION dpsens.gradient(expression text, ranges jsonb,
    OUT name text, OUT sql text, OUT latex text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

COMMENT ON FUNCTION dpsens.gradient(text, jsonb) IS
'Closed forms, as SQL and LaTeX: the partial derivative by each private column, then norm, the weighted 2-norm of the gradient; normalized:<column>, the column''s weighted share, whose squares sum to 1; and partial:<column>, the derivative of the norm. Of a vector ARRAY[e1, e2, ...]: <column>[i], the derivative of entry i, then norm[i], that of its gradient.
ranges: as for dpsens.sensitivity; types, weights and public columns matter here, the ends of ranges do not.
Errors: as for dpsens.sensitivity.';

CREATE FUNCTION dpsens.evaluate(expression text, point jsonb,
    OUT value float8, OUT gradient float8[], OUT gradient_norm float8, OUT normalized_gradient float8[],
    OUT partial_sensitivity float8[], OUT hessian float8[])
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_evaluate'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.evaluate(text, jsonb) IS
'The value of an expression at a point and its derivatives there: gradient, its weighted norm, normalized gradient, partial sensitivity (the gradient of that norm) and Hessian, over the private columns in the order of the keys in jsonb (shorter names first).
point: {"a": 1.5, "b": null} or {"k": {"value": 3, "type": "integer", "weight": 2, "public": true}}.
Where the gradient is 0 there is no normalized gradient and no partial sensitivity: NULL. An entry that does not exist at the point is NULL.
Errors: as for dpsens.sensitivity; division by zero and values out of range, with the sub-expression.';

CREATE FUNCTION dpsens.operations(
    OUT name text, OUT arity int4, OUT sql text, OUT latex text, OUT builtins text[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_operations'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 60;

COMMENT ON FUNCTION dpsens.operations() IS
'The operations that can be differentiated and bounded: name, number of arguments, how each is printed, and the server''s internal functions that it stands for.
Besides these: CASE, BETWEEN, IN over a list, NULLIF, IS DISTINCT FROM, pi(), degrees, radians, log(b, x), width_bucket and extract(epoch from a date or timestamp), which are made of them.';

-- Certificates: bounds that a third party can check without a search.

CREATE FUNCTION dpsens.certificate(expression text, ranges jsonb, quantities text[] DEFAULT NULL, max_boxes int4 DEFAULT 20000)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'dpsens_certificate'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000000;

COMMENT ON FUNCTION dpsens.certificate(text, jsonb, text[], int4) IS
'A document that says what it takes to check bounds of an expression: boxes that cover the ranges, each bounded by one enclosure. dpsens.verify_certificate checks it; its comment describes the document.
ranges: as for dpsens.sensitivity. quantities: infimum, supremum, add_remove, replace, metric, metric_l1, metric_linf, attribute:<column>, slope:<column>; by default the first five, where those without a bound are listed as "refused". max_boxes: of one proof.
The ends proved are those of dpsens.sensitivity, which noise is computed from, unless the proof would need more than max_boxes; then a NOTICE says how much wider they are. Settings dpsens.tolerance and dpsens.max_boxes apply to the search that comes first.
Errors: as for dpsens.sensitivity; an expression without a finite bound; a quantity that was asked for and has none; an unknown quantity.';

CREATE FUNCTION dpsens.certificate_of(expression regprocedure, quantities text[] DEFAULT NULL, max_boxes int4 DEFAULT 20000)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'dpsens_certificate_of'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000000;

COMMENT ON FUNCTION dpsens.certificate_of(regprocedure, text[], int4) IS
'The certificate of a registered expression over the ranges declared for its table''s columns, as dpsens.certificate makes it. It contains annotations, which are public, and no data.
Errors: as for dpsens.certificate; a function that is not a row expression; a column without a range.';

CREATE FUNCTION dpsens.verify_certificate(certificate jsonb,
    OUT quantity text, OUT valid boolean, OUT boxes int8, OUT lower float8, OUT upper float8, OUT reason text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_verify_certificate'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000 ROWS 5;

COMMENT ON FUNCTION dpsens.verify_certificate(jsonb) IS
'Checks a certificate in one pass, one enclosure a box, without a search: one row a quantity. It is a certificate of the expression and ranges that it states; compare these with the ones that were meant.
valid: the quantity lies between lower and upper, the ends that the document states. reason: what is wrong with it. boxes: how many were checked.
The document: "format", "version"; "expression" and "ranges" (with types, weights, public columns), all that the claims are made of; "quantities": {"<name>": {"lower", "upper"}}, and "parts", from which they follow: value (the expression f), negated_value (-f), steepness (the sum of the squares of f''s derivatives by the private columns, each divided by its weight, or the magnitude of the only one), steepness_sum (the sum of their magnitudes), steepest (the greatest of them), continuity (no jump as private columns move), move:<column> (f less f with another value of the column), slope:<column>, negated_slope:<column>.
infimum = -negated_value, supremum = value, add_remove = max(value, negated_value), replace = value + negated_value, metric = sqrt(steepness), metric_l1 = steepness_sum and metric_linf = steepest if continuous, attribute:<c> = move:<c>, slope:<c> = max(slope:<c>, negated_slope:<c>); none below 0 but the first two, and where a column may make the row NULL, max(value, negated_value) counts for replace and attribute.
A part states that its "expression" is defined and at most "upper" on the ranges (in steepness and the like, and in continuity, with integers relaxed to reals), and at least "lower" at the "witness". "form" is plain as derived; or rewritten: common factors taken out, conditions outermost, moves without what does not move, derivatives over one denominator as well, and one period of a column in place of its range if the expression knows it only by sines, cosines and tangents of multiples of it; or scored: that, with "score", a sum of terms of one column each or linear, as a column of its own, the last of "columns"; or affine, scored affine: these, with enclosures cut by affine forms.
"boxes" cover the ranges, and on each the expression is at most its "upper": "box" has [lo, hi] a column in the order of "columns" ([lo, hi, null] if it may be NULL as well, null if it is). "face" {c: x}: the expression is monotone in c, and so greatest at x, one of the ends. "by" says how the rest is bounded: interval, the upper end of the enclosure; mean value, f(c) + sum of slope * (x - c) for c the "centre"; null, there being no value; quadratic, what a quadratic form rises to; cover, of roots sqrt(a^2 + ...) that have no derivative at 0, for which any unit vector may stand; continuity.
"tree" lists depth first how the boxes come about: {"cut": c, "at": x} into c <= x and c >= x (integers: > x), {"null": c} into not NULL and NULL, {"face": {c: "lo" or "hi"}} where one enclosure shows the expression monotone in c, and null for the next one of "boxes".
Bounds are of exact values; the rounding error of evaluating a row is not part of a certificate.
Errors: a document that is malformed or of another version; an expression or ranges that dpsens.sensitivity would refuse.';
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

-- Registered row expressions: a name for an expression over a table.

-- Not dumped: what is missing is found again.
CREATE TABLE dpsens.brackets (
    function oid NOT NULL,
    hash bigint NOT NULL,
    question bytea NOT NULL,
    answer bytea NOT NULL
);
CREATE INDEX brackets_function ON dpsens.brackets (function);
CREATE INDEX brackets_hash ON dpsens.brackets (hash);

CREATE FUNCTION dpsens_internal.refuse_write()
RETURNS trigger
AS 'MODULE_PATHNAME', 'dpsens_refuse_write'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens_internal.refuse_write() IS
'Trigger of dpsens.brackets. Errors: always; rows that replication brings are left out.';

CREATE TRIGGER refuse_write BEFORE INSERT OR UPDATE ON dpsens.brackets
FOR EACH ROW EXECUTE FUNCTION dpsens_internal.refuse_write();
ALTER TABLE dpsens.brackets ENABLE ALWAYS TRIGGER refuse_write;

COMMENT ON TABLE dpsens.brackets IS
'Certified bounds of registered expressions, for sessions to come. Written by the library only, and believed by it: whoever may write here decides how much noise is added, so nobody may. Rows can be deleted at any time.';
COMMENT ON COLUMN dpsens.brackets.function IS
'The registered expression, by the oid of its function.';
COMMENT ON COLUMN dpsens.brackets.hash IS
'Of the question, to find it by.';
COMMENT ON COLUMN dpsens.brackets.question IS
'Everything that the bounds follow from: expression, ranges, types, weights, quantity, settings of the search, build of the library.';
COMMENT ON COLUMN dpsens.brackets.answer IS
'The bounds, the point where they are attained, and what is to blame where there are none.';

CREATE FUNCTION dpsens.bracket_cache(
    OUT entries bigint, OUT bytes bigint, OUT hits bigint, OUT reads bigint, OUT searches bigint)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_bracket_cache'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dpsens.bracket_cache() IS
'What this session remembers of certified bounds (entries, and the bytes that they occupy), and how often, since it began, it needed one and remembered it (hits), read it from dpsens.brackets (reads) or searched for it (searches). For superusers, and whom they grant it to.';

CREATE FUNCTION dpsens.register(name name, relation regclass, expression text)
RETURNS regprocedure
AS 'MODULE_PATHNAME', 'dpsens_register'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.register(name, regclass, text) IS
'Gives an expression over the columns of a table a name, under which it is used like a column: name(row) or row.name.
Creates a function of the table''s row type, in the table''s schema, with the expression as its body; the caller needs the right to create functions there.
Every column used must have a declared range, over which the expression must be defined and bounded.
Errors: the caller does not own the table; the name is taken; an expression that cannot be parsed or is not supported; a column without a range; no finite bound, with the sub-expression and a witness.';

CREATE FUNCTION dpsens.unregister(name name, relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_unregister'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.unregister(name, regclass) IS
'Drops a registered expression.
Errors: the caller does not own the table; no such expression; other objects depend on its function.';

-- Not parallel safe: an expression that fails is rolled back by itself.
CREATE FUNCTION dpsens_internal.describe_expression(function regprocedure,
    OUT relation regclass, OUT expression text, OUT expression_latex text,
    OUT gradient jsonb, OUT gradient_latex jsonb, OUT norm text, OUT norm_latex text,
    OUT adjacency text, OUT infimum float8, OUT supremum float8, OUT add_remove float8,
    OUT replace float8, OUT attribute float8, OUT metric float8, OUT witness jsonb, OUT note text)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_describe_expression'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION dpsens_internal.describe_expression(regprocedure) IS
'One row of dpsens.expressions.';

CREATE VIEW dpsens.expressions AS
SELECT procedure.proname AS name,
       description.relation,
       label.objoid::pg_catalog.regprocedure AS function,
       description.expression,
       description.expression_latex,
       description.gradient,
       description.gradient_latex,
       description.norm,
       description.norm_latex,
       description.adjacency,
       description.infimum,
       description.supremum,
       description.add_remove,
       description.replace,
       description.attribute,
       description.metric,
       description.witness,
       description.note
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_proc AS procedure ON procedure.oid OPERATOR(pg_catalog.=) label.objoid
CROSS JOIN LATERAL dpsens_internal.describe_expression(label.objoid) AS description
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
  AND label.label OPERATOR(pg_catalog.=) 'EXPRESSION'
ORDER BY description.relation, procedure.proname;

COMMENT ON VIEW dpsens.expressions IS
'Every registered expression: simplified, its gradient by private column and the gradient''s weighted norm, as SQL and LaTeX, the adjacency of its table, and certified bounds of a row''s contribution to a sum per adjacency (attribute: of the column that moves it furthest). Bounds are upper ends, infimum the lower one.
witness: per quantity, the point where it is attained up to the tolerance. note: what is not bounded and why.';
-- Opaque types.  No send, receive, cast or operator: what they hold is for the
-- release functions alone.

CREATE TYPE dpsens_internal.plan;
CREATE TYPE dpsens_internal.state;

CREATE FUNCTION dpsens_internal.plan_in(cstring) RETURNS dpsens_internal.plan
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_plan_in';
COMMENT ON FUNCTION dpsens_internal.plan_in(cstring) IS 'refuses: a plan cannot be typed in';

CREATE FUNCTION dpsens_internal.plan_out(dpsens_internal.plan) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_plan_out';
COMMENT ON FUNCTION dpsens_internal.plan_out(dpsens_internal.plan) IS 'a short description, for EXPLAIN VERBOSE';

CREATE FUNCTION dpsens_internal.state_in(cstring) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_state_in';
COMMENT ON FUNCTION dpsens_internal.state_in(cstring) IS 'refuses: a state has no text form';

CREATE FUNCTION dpsens_internal.state_out(dpsens_internal.state) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_state_out';
COMMENT ON FUNCTION dpsens_internal.state_out(dpsens_internal.state) IS 'refuses: a state holds exact values';

CREATE TYPE dpsens_internal.answer;

CREATE FUNCTION dpsens_internal.answer_in(cstring) RETURNS dpsens_internal.answer
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_answer_in';
COMMENT ON FUNCTION dpsens_internal.answer_in(cstring) IS 'refuses: an answer cannot be typed in';

CREATE FUNCTION dpsens_internal.answer_out(dpsens_internal.answer) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_answer_out';
COMMENT ON FUNCTION dpsens_internal.answer_out(dpsens_internal.answer) IS 'refuses: an answer has no text form';

-- plain: a value is read in place, in a plan and in a tuple alike.
CREATE TYPE dpsens_internal.plan (
	INPUT = dpsens_internal.plan_in,
	OUTPUT = dpsens_internal.plan_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.plan IS 'how an exact sum or a release is made; a constant of a rewritten query';

CREATE TYPE dpsens_internal.state (
	INPUT = dpsens_internal.state_in,
	OUTPUT = dpsens_internal.state_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.state IS 'exact result of one group, before noise';

CREATE TYPE dpsens_internal.answer (
	INPUT = dpsens_internal.answer_in,
	OUTPUT = dpsens_internal.answer_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.answer IS 'what a release yields for one group: noised integers, from which statistics are computed';

-- Which rows of a unit count.
CREATE FUNCTION dpsens_internal.unit_order(VARIADIC "any") RETURNS bytea
	LANGUAGE C IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_unit_order';
COMMENT ON FUNCTION dpsens_internal.unit_order(VARIADIC "any") IS 'an order of rows by a hash of their values, and then by the values; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_rows(dpsens_internal.plan, VARIADIC "any") RETURNS boolean
	LANGUAGE C VOLATILE PARALLEL RESTRICTED CALLED ON NULL INPUT
	AS 'MODULE_PATHNAME', 'dps_exact_rows';
COMMENT ON FUNCTION dpsens_internal.exact_rows(dpsens_internal.plan, VARIADIC "any") IS 'stands for the choice of rows of units, which a node of the plan makes; only dpsens writes it into queries';

-- The exact stage.

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan) IS 'transition function of exact_state';

CREATE FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_transition';
COMMENT ON FUNCTION dpsens_internal.exact_transition(internal, dpsens_internal.plan, VARIADIC "any") IS 'transition function of exact_state';

CREATE FUNCTION dpsens_internal.exact_combine(internal, internal) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_combine';
COMMENT ON FUNCTION dpsens_internal.exact_combine(internal, internal) IS 'combine function of exact_state';

CREATE FUNCTION dpsens_internal.exact_serialize(internal) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_serialize';
COMMENT ON FUNCTION dpsens_internal.exact_serialize(internal) IS 'serialization function of exact_state';

CREATE FUNCTION dpsens_internal.exact_deserialize(bytea, internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_deserialize';
COMMENT ON FUNCTION dpsens_internal.exact_deserialize(bytea, internal) IS 'deserialization function of exact_state';

CREATE FUNCTION dpsens_internal.exact_final(internal) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_final';
COMMENT ON FUNCTION dpsens_internal.exact_final(internal) IS 'final function of exact_state';

-- SSPACE is the state and its allocation's header.
CREATE AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan) IS 'exact count, or sum of a constant, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_state(dpsens_internal.plan, VARIADIC "any") IS 'exact count and sum of an expression of the given columns, before noise; only dpsens writes it into queries';

-- SSPACE is that of six sums, enough for two variables.
CREATE AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan) IS 'exact count, and sums of several constants and of their products, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 136,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_vector(dpsens_internal.plan, VARIADIC "any") IS 'exact count, and sums of several expressions of the given columns and of their products, before noise; only dpsens writes it into queries';

-- Conditions: a call of one of the server's functions, NULL where that raises.
-- The second argument is NULL, of the type of the result.

CREATE FUNCTION dpsens_internal.exact_attempt(dpsens_internal.plan, anyelement, VARIADIC "any") RETURNS anyelement
	LANGUAGE c STABLE LEAKPROOF CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_attempt';
COMMENT ON FUNCTION dpsens_internal.exact_attempt(dpsens_internal.plan, anyelement, VARIADIC "any") IS 'a function of the server in a condition, NULL where it would raise an error; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_parameter("any") RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_parameter';
COMMENT ON FUNCTION dpsens_internal.exact_parameter("any") IS 'true: shows that a parameter selects rows; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_epsilon(number int4, epsilon float8) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_parameter';
COMMENT ON FUNCTION dpsens_internal.exact_epsilon(int4, float8) IS 'true: shows the epsilon of a release, where it is no constant; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_pattern(pattern text, kind int4) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_exact_pattern';
COMMENT ON FUNCTION dpsens_internal.exact_pattern(text, int4) IS 'true, or an error if a parameter is no pattern that cells may be matched with; only dpsens writes it into queries';

-- The release stage: every call draws noise of its own, in the leader.

CREATE FUNCTION dpsens_internal.release_count(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_count';
COMMENT ON FUNCTION dpsens_internal.release_count(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to a count; only dpsens writes it into queries';

-- What stands in the asker's plan in place of a query that a clean room answers.
CREATE FUNCTION dpsens_internal.release_room(query dpsens_internal.plan) RETURNS SETOF record
	LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_room';
COMMENT ON FUNCTION dpsens_internal.release_room(dpsens_internal.plan) IS 'what a clean room has answered to a query; only dpsens writes it into queries';

-- What stands in a query for a clean room in place of a public relation.  It is never called:
-- a node scans the rows, in parallel workers, too.
CREATE FUNCTION dpsens_internal.exact_brought_support(internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_brought_support';
COMMENT ON FUNCTION dpsens_internal.exact_brought_support(internal) IS 'planner support function of exact_brought';

CREATE FUNCTION dpsens_internal.exact_brought(number int4) RETURNS SETOF record
	LANGUAGE c STABLE STRICT PARALLEL SAFE SUPPORT dpsens_internal.exact_brought_support
	AS 'MODULE_PATHNAME', 'dps_exact_brought';
COMMENT ON FUNCTION dpsens_internal.exact_brought(int4) IS 'rows of a public relation that were brought into a clean room; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_value(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_value';
COMMENT ON FUNCTION dpsens_internal.release_value(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to a sum or mean; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_answer(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS dpsens_internal.answer
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_answer';
COMMENT ON FUNCTION dpsens_internal.release_answer(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to integers that statistics are computed from; only dpsens writes it into queries';
-- The last stage: statistics of answers, which are public.

CREATE TYPE dpsens.noise_interval AS (estimate float8, lower float8, upper float8);
COMMENT ON TYPE dpsens.noise_interval IS 'an estimate and an interval that holds what it would be without noise with the asked probability, at least; it says nothing about sampling. All are null where the estimate is';

CREATE FUNCTION dpsens_internal.finish_count(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer) RETURNS bigint
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens_internal.finish_count(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer) IS 'a whole number computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_value(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer) RETURNS float8
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens_internal.finish_value(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer) IS 'a number computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_interval(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8) RETURNS dpsens.noise_interval
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_interval';
COMMENT ON FUNCTION dpsens_internal.finish_interval(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) IS 'a number computed from an answer, and the interval of its noise; only dpsens writes it into queries';

CREATE TYPE dpsens.noise_intervals AS (estimate float8[], lower float8[], upper float8[]);
COMMENT ON TYPE dpsens.noise_intervals IS 'estimates, and intervals that all at once hold what the estimates would be without noise with the asked probability, at least; they say nothing about sampling. All are null where an estimate is';

CREATE FUNCTION dpsens_internal.finish_array(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer) RETURNS float8[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_value';
COMMENT ON FUNCTION dpsens_internal.finish_array(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer) IS 'numbers computed from an answer; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_intervals(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8) RETURNS dpsens.noise_intervals
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_intervals';
COMMENT ON FUNCTION dpsens_internal.finish_intervals(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) IS 'numbers computed from an answer, and the intervals of their noise; only dpsens writes it into queries';

CREATE TYPE dpsens.noise_truth AS (estimate boolean, lower boolean, upper boolean);
COMMENT ON TYPE dpsens.noise_truth IS 'a truth value, false being less than true, and an interval that holds what it would be without noise with the asked probability, at least: lower and upper are equal where the noise leaves no doubt, else false and true. All are null where the estimate is';

CREATE FUNCTION dpsens_internal.finish_truth(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8) RETURNS dpsens.noise_truth
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_truth';
COMMENT ON FUNCTION dpsens_internal.finish_truth(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) IS 'a truth value computed from an answer, and the interval of its noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.finish_mode(release dpsens_internal.plan, statistic dpsens_internal.plan, answer dpsens_internal.answer, level float8, keys anyarray) RETURNS anyarray
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_finish_mode';
COMMENT ON FUNCTION dpsens_internal.finish_mode(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8, anyarray) IS 'a most frequent value computed from an answer, and the interval of its noise; only dpsens writes it into queries';
-- The exact states of all groups of a query in one block.

CREATE TYPE dpsens_internal.states;

CREATE FUNCTION dpsens_internal.states_in(cstring) RETURNS dpsens_internal.states
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_block_in';
COMMENT ON FUNCTION dpsens_internal.states_in(cstring) IS 'refuses: states cannot be typed in';

CREATE FUNCTION dpsens_internal.states_out(dpsens_internal.states) RETURNS cstring
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_block_out';
COMMENT ON FUNCTION dpsens_internal.states_out(dpsens_internal.states) IS 'refuses: states have no text form';

CREATE TYPE dpsens_internal.states (
	INPUT = dpsens_internal.states_in,
	OUTPUT = dpsens_internal.states_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE dpsens_internal.states IS 'exact results of all groups of a query, before noise';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan) IS 'transition function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan, VARIADIC "any") RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_transition';
COMMENT ON FUNCTION dpsens_internal.exact_groups_transition(internal, dpsens_internal.plan, VARIADIC "any") IS 'transition function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_combine(internal, internal) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_combine';
COMMENT ON FUNCTION dpsens_internal.exact_groups_combine(internal, internal) IS 'combine function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_serialize(internal) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_serialize';
COMMENT ON FUNCTION dpsens_internal.exact_groups_serialize(internal) IS 'serialization function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_deserialize(bytea, internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_deserialize';
COMMENT ON FUNCTION dpsens_internal.exact_groups_deserialize(bytea, internal) IS 'deserialization function of exact_groups';

CREATE FUNCTION dpsens_internal.exact_groups_final(internal) RETURNS dpsens_internal.states
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_groups_final';
COMMENT ON FUNCTION dpsens_internal.exact_groups_final(internal) IS 'final function of exact_groups';

CREATE AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_groups_combine,
	SERIALFUNC = dpsens_internal.exact_groups_serialize,
	DESERIALFUNC = dpsens_internal.exact_groups_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan) IS 'exact count of rows, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_groups_combine,
	SERIALFUNC = dpsens_internal.exact_groups_serialize,
	DESERIALFUNC = dpsens_internal.exact_groups_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_groups(dpsens_internal.plan, VARIADIC "any") IS 'exact counts and sums of several expressions of the given columns for all groups of the given keys, before noise; only dpsens writes it into queries';

-- Without a combine function: which rows of a unit count is known where all of
-- them are.
CREATE AGGREGATE dpsens_internal.exact_units(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_units(dpsens_internal.plan, VARIADIC "any") IS 'as exact_groups, of the rows that count of each unit, which is the first argument after the plan; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_parts(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_groups_transition,
	STYPE = internal,
	FINALFUNC = dpsens_internal.exact_groups_final,
	FINALFUNC_MODIFY = READ_WRITE,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dpsens_internal.exact_parts(dpsens_internal.plan, VARIADIC "any") IS 'as exact_groups, of more groups than work_mem holds: a reference to states in memory and temporary files; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_group(dpsens_internal.states, int4, int4) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_group';
COMMENT ON FUNCTION dpsens_internal.exact_group(dpsens_internal.states, int4, int4) IS 'one state of the group of this number; null if there were no rows; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_key(anyarray, int4, int4) RETURNS anyelement
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_key';
COMMENT ON FUNCTION dpsens_internal.exact_key(anyarray, int4, int4) IS 'the declared value of the group of this number, where so many groups in a row have the same; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_key(anyelement, int4, int4, int4) RETURNS anyelement
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_key_of_range';
COMMENT ON FUNCTION dpsens_internal.exact_key(anyelement, int4, int4, int4) IS 'the same where the declared values are so many integers or dates in a row from the first argument on: the group, how many groups in a row have the same value, and how many values there are; only dpsens writes it into queries';

-- not strict: the second argument only says which type
CREATE FUNCTION dpsens_internal.exact_listed_key(dpsens_internal.plan, anyelement, int4, int4) RETURNS anyelement
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_listed_key';
COMMENT ON FUNCTION dpsens_internal.exact_listed_key(dpsens_internal.plan, anyelement, int4, int4) IS 'the same of many declared values, which the first argument refers to; the second one is null, of their type; only dpsens writes it into queries';
-- The exact and release stages of aggregates that count their values one by one.

-- What is tallied takes memory for the points that were met: 16 bytes each, and
-- a megabyte at most.
CREATE AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan) (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan) IS 'how often a constant was met, before noise; only dpsens writes it into queries';

CREATE AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan, VARIADIC "any") (
	SFUNC = dpsens_internal.exact_transition,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dpsens_internal.exact_final,
	FINALFUNC_MODIFY = SHAREABLE,
	COMBINEFUNC = dpsens_internal.exact_combine,
	SERIALFUNC = dpsens_internal.exact_serialize,
	DESERIALFUNC = dpsens_internal.exact_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_tally(dpsens_internal.plan, VARIADIC "any") IS 'how often an expression of the given columns had each of its points, before noise; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_values(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_values';
COMMENT ON FUNCTION dpsens_internal.release_values(dpsens_internal.plan, dpsens_internal.state) IS 'draws several quantiles; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_counts(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_counts';
COMMENT ON FUNCTION dpsens_internal.release_counts(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to several counts; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_truth(plan dpsens_internal.plan, state dpsens_internal.state) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_truth';
COMMENT ON FUNCTION dpsens_internal.release_truth(dpsens_internal.plan, dpsens_internal.state) IS 'adds noise to a count and says whether there is anything; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.release_key(plan dpsens_internal.plan, state dpsens_internal.state, keys anyarray) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_key';
COMMENT ON FUNCTION dpsens_internal.release_key(dpsens_internal.plan, dpsens_internal.state, anyarray) IS 'draws one of the keys by their counts; only dpsens writes it into queries';
-- Groups whose keys are not declared.  As the aggregates (49), dpsens replaces what is
-- called by hand before planning.

CREATE FUNCTION @extschema@.dp_suppressed() RETURNS boolean
	LANGUAGE c VOLATILE PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_suppressed_stub';
COMMENT ON FUNCTION @extschema@.dp_suppressed() IS
'In a query with dp aggregates and GROUP BY of keys that are not declared: asks for one more row, whose keys are null, with noised answers over the rows of all groups that are not shown; true for that row, false for the others. It costs nothing, since it is one more group. False everywhere where all groups are shown.
Errors: called anywhere else.';

CREATE FUNCTION dpsens_internal.release_group(dpsens_internal.plan, bigint, bigint) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_release_group';
COMMENT ON FUNCTION dpsens_internal.release_group(dpsens_internal.plan, bigint, bigint) IS 'draws whether a group of so many units is shown; only dpsens writes it into queries';

CREATE FUNCTION dpsens_internal.exact_merge_transition(internal, dpsens_internal.state) RETURNS internal
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_merge';
COMMENT ON FUNCTION dpsens_internal.exact_merge_transition(internal, dpsens_internal.state) IS 'transition function of exact_merge';

CREATE FUNCTION dpsens_internal.exact_merge_final(internal) RETURNS dpsens_internal.state
	LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
	AS 'MODULE_PATHNAME', 'dps_exact_merged';
COMMENT ON FUNCTION dpsens_internal.exact_merge_final(internal) IS 'final function of exact_merge';

CREATE AGGREGATE dpsens_internal.exact_merge(dpsens_internal.state) (
	SFUNC = dpsens_internal.exact_merge_transition,
	STYPE = internal,
	SSPACE = 48,
	FINALFUNC = dpsens_internal.exact_merge_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpsens_internal.exact_merge(dpsens_internal.state) IS 'the exact state of several groups together, before noise; only dpsens writes it into queries';
-- The aggregates that people write, and the functions that the server has of them: made
-- by build-aux/aggregates.awk from the rows DPS_SQL of src/agg/aggregates.def,
-- src/agg/statistics.def and src/moment/moment_statistics.def.

CREATE FUNCTION dpsens_internal.stub_value(float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_value(float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_value(float8, float8, float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_value(float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_value(float8, float8, float8, float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_value(float8, float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8, float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8, float8[], float8) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_value(float8, float8) RETURNS float8
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_value(float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_counts(bigint[]) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_counts(bigint[], float8, int) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[], float8, int) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_counts(bigint[], float8, int, float8) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[], float8, int, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_counts(bigint[], float8, float8[]) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[], float8, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_counts(bigint[], float8, float8[], float8) RETURNS bigint[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_counts(bigint[], float8, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_truth(boolean) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_truth(boolean) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_truth(boolean, boolean) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_truth(boolean, boolean) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_truth(boolean, boolean, float8) RETURNS boolean
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_truth(boolean, boolean, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_key(anyelement) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_key(anyelement) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_key(anyelement, anyelement) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_key(anyelement, anyelement) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_key(anyelement, anyelement, float8) RETURNS anyelement
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_key(anyelement, anyelement, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_count(bigint) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_count(bigint) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_count(bigint, "any") RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_count(bigint, "any") IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_count(bigint, "any", float8) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_count(bigint, "any", float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any") RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any") IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, "any", float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8[]) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_array(float8[], float8[], float8) RETURNS float8[]
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_array(float8[], float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[]) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8[], float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8, float8) RETURNS dpsens.noise_interval
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_interval(dpsens.noise_interval, float8, float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[]) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[]) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, float8[], float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, int) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, int) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, int, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, int, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, int, float8, float8) RETURNS dpsens.noise_intervals
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_intervals(dpsens.noise_intervals, float8, int, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8, float8) RETURNS dpsens.noise_truth
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_doubt(dpsens.noise_truth, boolean, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8, float8) RETURNS anyarray
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_modes(anyarray, anyelement, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_count(bigint, float8, float8) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_count(bigint, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE FUNCTION dpsens_internal.stub_count(bigint, float8, float8, float8) RETURNS bigint
	LANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'dps_stub';
COMMENT ON FUNCTION dpsens_internal.stub_count(bigint, float8, float8, float8) IS 'refuses: a dp aggregate was planned without dpsens';

CREATE AGGREGATE @extschema@.dp_quantile(float8, level float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8) IS
'differentially private quantile, at the epsilon of setting dpsens.epsilon: a value with about the given part of all values, between 0 and 1, a constant or a parameter, below it. Drawn by the exponential mechanism (McSherry and Talwar 2007) from a public lattice over the certified range of the expression, of at most 65,536 points; integers stay integers. Over no rows, any of them. 0 and 1 are dp_min and dp_max. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_quantile(float8, level float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8, float8) IS
'differentially private quantile, at the given epsilon; see dp_quantile(float8, float8)';

CREATE AGGREGATE @extschema@.dp_quantile(float8, levels float8[]) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8[]) IS
'differentially private quantiles, at the epsilon of setting dpsens.epsilon, once for all of them, which are 1 to 128 in the order of the levels: as many draws of the exponential mechanism at equal shares of it, or one tree of noisy counts (Hay et al. 2010) under dpsens.mechanism, whichever errs less by public figures; dpsens.explain says which. Values lie on the lattice of dp_quantile(float8, float8).';

CREATE AGGREGATE @extschema@.dp_quantile(float8, levels float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8[], float8) IS
'differentially private quantiles, at the given epsilon; see dp_quantile(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_median(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8) IS
'differentially private median, at the epsilon of setting dpsens.epsilon; dp_quantile at 0.5';

CREATE AGGREGATE @extschema@.dp_median(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8, float8) IS
'differentially private median, at the given epsilon; dp_quantile at 0.5';

CREATE AGGREGATE @extschema@.dp_min(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min(float8) IS
'differentially private minimum, at the epsilon of setting dpsens.epsilon: not the smallest value, which one row alone can be, but one near the k-th smallest, k = ceil(r ln(points) / epsilon) for the sensitivity r in ranks, all of which dpsens.explain shows: the first rank that noise does not take for the empty end of the range. Drawn by the exponential mechanism from the lattice of dp_quantile.';

CREATE AGGREGATE @extschema@.dp_min(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min(float8, float8) IS
'differentially private minimum, at the given epsilon; see dp_min(float8)';

CREATE AGGREGATE @extschema@.dp_max(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max(float8) IS
'differentially private maximum, at the epsilon of setting dpsens.epsilon: a value near the k-th largest, as dp_min(float8) has it.';

CREATE AGGREGATE @extschema@.dp_max(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max(float8, float8) IS
'differentially private maximum, at the given epsilon; see dp_max(float8)';

CREATE AGGREGATE @extschema@.dp_histogram(float8, buckets int) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, int) IS
'differentially private numbers of values in 1 to 10,000 buckets of equal width, at the epsilon of setting dpsens.epsilon, once for all of them: element i counts the values in [lower + (i - 1) w, lower + i w), the last one its upper end too, over the certified range of the expression (lower and upper of dpsens.explain). Empty buckets are noised like all others; counts may come out negative. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_histogram(float8, buckets int, epsilon float8) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, int, float8) IS
'differentially private numbers of values in 1 to 10,000 buckets of equal width, at the given epsilon; see dp_histogram(float8, int)';

CREATE AGGREGATE @extschema@.dp_histogram(float8, edges float8[]) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, float8[]) IS
'differentially private numbers of values between the given edges, at the epsilon of setting dpsens.epsilon: these are a constant or a parameter, finite and ascending. Element i counts the values in [edge i, edge i + 1), the last one its upper end too; what lies outside is not counted. See dp_histogram(float8, int).';

CREATE AGGREGATE @extschema@.dp_histogram(float8, edges float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_counts,
	STYPE = bigint[],
	FINALFUNC = dpsens_internal.stub_counts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, float8[], float8) IS
'differentially private numbers of values between the given edges, at the given epsilon; see dp_histogram(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_bool_and(boolean) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and(boolean) IS
'differentially private answer to whether every value is true, at the epsilon of setting dpsens.epsilon: true unless the noised number of rows that are false is above one half. A single exception is missed with probability near 1/2 at epsilon 1, as it must be. Over no rows most likely true.';

CREATE AGGREGATE @extschema@.dp_bool_and(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and(boolean, float8) IS
'differentially private answer to whether every value is true, at the given epsilon; see dp_bool_and(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_or(boolean) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or(boolean) IS
'differentially private answer to whether any value is true, at the epsilon of setting dpsens.epsilon: true if the noised number of rows that are true is above one half. Over no rows most likely false.';

CREATE AGGREGATE @extschema@.dp_bool_or(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_truth,
	STYPE = boolean,
	FINALFUNC = dpsens_internal.stub_truth,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or(boolean, float8) IS
'differentially private answer to whether any value is true, at the given epsilon; see dp_bool_or(boolean)';

CREATE AGGREGATE @extschema@.dp_mode(anyelement) (
	SFUNC = dpsens_internal.stub_key,
	STYPE = anyelement,
	FINALFUNC = dpsens_internal.stub_key,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode(anyelement) IS
'differentially private most frequent value, at the epsilon of setting dpsens.epsilon: a draw among the declared values of a column (dpsens.set_values; enums and booleans have theirs) by how often each occurs, by permute-and-flip (McKenna and Sheldon 2020) or, where dpsens.mechanism is gaussian, by the exponential mechanism (McSherry and Talwar 2007), whose rho is smaller. Rows with other values do not count. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_mode(anyelement, epsilon float8) (
	SFUNC = dpsens_internal.stub_key,
	STYPE = anyelement,
	FINALFUNC = dpsens_internal.stub_key,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode(anyelement, float8) IS
'differentially private most frequent value, at the given epsilon; see dp_mode(anyelement)';

CREATE AGGREGATE @extschema@.dp_count(*) (
	SFUNC = dpsens_internal.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens_internal.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count(*) IS
'differentially private number of rows, at the epsilon of setting dpsens.epsilon; with true as its argument it takes an epsilon of its own';

CREATE AGGREGATE @extschema@.dp_count_ci(*) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci(*) IS
'differentially private number of rows with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; with true as its argument it takes an epsilon of its own';

CREATE AGGREGATE @extschema@.dp_count("any") (
	SFUNC = dpsens_internal.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens_internal.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count("any") IS
'differentially private number of rows whose expression is not null, at the epsilon of setting dpsens.epsilon. With DISTINCT it is the number of a column''s declared values that occur, or of integers of a range of at most 65,536.';

CREATE AGGREGATE @extschema@.dp_count("any", epsilon float8) (
	SFUNC = dpsens_internal.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens_internal.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count("any", float8) IS
'differentially private number of rows whose expression is not null, at the given epsilon; see dp_count("any")';

CREATE AGGREGATE @extschema@.dp_count_ci("any") (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci("any") IS
'differentially private number of rows whose expression is not null with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. With DISTINCT it is the number of a column''s declared values that occur, or of integers of a range of at most 65,536.';

CREATE AGGREGATE @extschema@.dp_count_ci("any", epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci("any", float8) IS
'differentially private number of rows whose expression is not null with the 95 % interval of its noise, at the given epsilon; see dp_count_ci("any")';

CREATE AGGREGATE @extschema@.dp_count_ci("any", epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count_ci("any", float8, float8) IS
'differentially private number of rows whose expression is not null with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_count_ci("any")';

CREATE AGGREGATE @extschema@.dp_sum(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8) IS
'differentially private sum, at the epsilon of setting dpsens.epsilon; 0 plus noise over no rows';

CREATE AGGREGATE @extschema@.dp_sum(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8, float8) IS
'differentially private sum, at the given epsilon; 0 plus noise over no rows';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8) IS
'differentially private sum with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; 0 plus noise over no rows';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8, float8) IS
'differentially private sum with the 95 % interval of its noise, at the given epsilon; 0 plus noise over no rows';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8, float8, float8) IS
'differentially private sum with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; 0 plus noise over no rows';

CREATE AGGREGATE @extschema@.dp_avg(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8) IS
'differentially private mean, at the epsilon of setting dpsens.epsilon; within the bounds of its expression; null only over a public number of rows that is 0';

CREATE AGGREGATE @extschema@.dp_avg(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8, float8) IS
'differentially private mean, at the given epsilon; within the bounds of its expression; null only over a public number of rows that is 0';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8) IS
'differentially private mean with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; within the bounds of its expression; null only over a public number of rows that is 0';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8, float8) IS
'differentially private mean with the 95 % interval of its noise, at the given epsilon; within the bounds of its expression; null only over a public number of rows that is 0';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8, float8, float8) IS
'differentially private mean with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; within the bounds of its expression; null only over a public number of rows that is 0';

CREATE AGGREGATE @extschema@.dp_sum(float8[]) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8[]) IS
'differentially private sum of vectors of up to 16 entries, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8[], float8) IS
'differentially private sum of vectors of up to 16 entries, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8[]) IS
'differentially private sum of vectors of up to 16 entries with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8[], float8) IS
'differentially private sum of vectors of up to 16 entries with the 95 % interval of its noise, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_sum_ci(float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_ci(float8[], float8, float8) IS
'differentially private sum of vectors of up to 16 entries with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; the argument is written as ARRAY[...]; only rows where all entries are numbers count; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg(float8[]) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8[]) IS
'differentially private mean of vectors of up to 16 entries, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8[], float8) IS
'differentially private mean of vectors of up to 16 entries, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8[]) IS
'differentially private mean of vectors of up to 16 entries with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8[], float8) IS
'differentially private mean of vectors of up to 16 entries with the 95 % interval of its noise, at the given epsilon; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_avg_ci(float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg_ci(float8[], float8, float8) IS
'differentially private mean of vectors of up to 16 entries with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; the argument is written as ARRAY[...]; only rows where all entries are numbers count; entries are within their ranges; null only over a public number of rows that is 0; noise is that of the joint sensitivity, which is smallest for dpsens.mechanism = gaussian';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantile float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8) IS
'differentially private quantile with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. The quantile and both ends are draws of the exponential mechanism, each at a third of epsilon; the ends are drawn so far to either side that they miss the quantile with the remaining probability (Drechsler et al. 2022). An end is that of the range where there are too few values. Of a quantile 0 or 1 as dp_min_ci and dp_max_ci have it.';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantile float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8, float8) IS
'differentially private quantile with the 95 % interval of its noise, at the given epsilon; see dp_quantile_ci(float8, float8)';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantile float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8, float8, float8) IS
'differentially private quantile with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_quantile_ci(float8, float8)';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantiles float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8[]) IS
'differentially private quantiles with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. Of several there are three draws each, which share epsilon equally; all intervals hold at once.';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantiles float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8[], float8) IS
'differentially private quantiles with the 95 % interval of its noise, at the given epsilon; see dp_quantile_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_quantile_ci(float8, quantiles float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile_ci(float8, float8[], float8, float8) IS
'differentially private quantiles with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_quantile_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_median_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_ci(float8) IS
'differentially private median with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. See dp_quantile_ci(float8, float8).';

CREATE AGGREGATE @extschema@.dp_median_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_ci(float8, float8) IS
'differentially private median with the 95 % interval of its noise, at the given epsilon; see dp_median_ci(float8)';

CREATE AGGREGATE @extschema@.dp_median_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_ci(float8, float8, float8) IS
'differentially private median with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_median_ci(float8)';

CREATE AGGREGATE @extschema@.dp_min_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min_ci(float8) IS
'differentially private minimum with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. The estimate is near the minimum as that of dp_min is. lower is always the lower end of the range: a minimum has no other lower bound that does not tell whether a row is present. upper is a draw of its own, at half of epsilon, of a larger rank.';

CREATE AGGREGATE @extschema@.dp_min_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min_ci(float8, float8) IS
'differentially private minimum with the 95 % interval of its noise, at the given epsilon; see dp_min_ci(float8)';

CREATE AGGREGATE @extschema@.dp_min_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_min_ci(float8, float8, float8) IS
'differentially private minimum with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_min_ci(float8)';

CREATE AGGREGATE @extschema@.dp_max_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max_ci(float8) IS
'differentially private maximum with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. See dp_min_ci(float8): upper is always the upper end of the range.';

CREATE AGGREGATE @extschema@.dp_max_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max_ci(float8, float8) IS
'differentially private maximum with the 95 % interval of its noise, at the given epsilon; see dp_max_ci(float8)';

CREATE AGGREGATE @extschema@.dp_max_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_max_ci(float8, float8, float8) IS
'differentially private maximum with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_max_ci(float8)';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, buckets int) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, int) IS
'differentially private numbers of values in buckets with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. Buckets are those of dp_histogram(float8, int); all intervals hold at once.';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, buckets int, epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, int, float8) IS
'differentially private numbers of values in buckets with the 95 % interval of its noise, at the given epsilon; see dp_histogram_ci(float8, int)';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, buckets int, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, int, float8, float8) IS
'differentially private numbers of values in buckets with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_histogram_ci(float8, int)';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, edges float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, float8[]) IS
'differentially private numbers of values between edges with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. Buckets are those of dp_histogram(float8, float8[]); all intervals hold at once.';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, edges float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, float8[], float8) IS
'differentially private numbers of values between edges with the 95 % interval of its noise, at the given epsilon; see dp_histogram_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_histogram_ci(float8, edges float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram_ci(float8, float8[], float8, float8) IS
'differentially private numbers of values between edges with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_histogram_ci(float8, float8[])';

CREATE AGGREGATE @extschema@.dp_bool_and_ci(boolean) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and_ci(boolean) IS
'differentially private answer to whether every value is true with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. lower and upper are equal where the noised number of rows that are false leaves no doubt.';

CREATE AGGREGATE @extschema@.dp_bool_and_ci(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and_ci(boolean, float8) IS
'differentially private answer to whether every value is true with the 95 % interval of its noise, at the given epsilon; see dp_bool_and_ci(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_and_ci(boolean, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_and_ci(boolean, float8, float8) IS
'differentially private answer to whether every value is true with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_bool_and_ci(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_or_ci(boolean) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or_ci(boolean) IS
'differentially private answer to whether any value is true with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon. lower and upper are equal where the noised number of rows that are true leaves no doubt.';

CREATE AGGREGATE @extschema@.dp_bool_or_ci(boolean, epsilon float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or_ci(boolean, float8) IS
'differentially private answer to whether any value is true with the 95 % interval of its noise, at the given epsilon; see dp_bool_or_ci(boolean)';

CREATE AGGREGATE @extschema@.dp_bool_or_ci(boolean, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_doubt,
	STYPE = dpsens.noise_truth,
	FINALFUNC = dpsens_internal.stub_doubt,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bool_or_ci(boolean, float8, float8) IS
'differentially private answer to whether any value is true with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_bool_or_ci(boolean)';

CREATE AGGREGATE @extschema@.dp_mode_ci(anyelement) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode_ci(anyelement) IS
'differentially private most frequent value with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon: an array of three values, estimate, lower and upper, of a column whose values are declared. All declared values are counted with noise, for one epsilon together; the estimate has the largest noised count (it is not the draw of dp_mode), lower and upper are the least and the greatest value, in the order of the column''s type, of those that can be the most frequent one for all that the noise says. NULL only where there surely are no rows. Under metric adjacency refused.';

CREATE AGGREGATE @extschema@.dp_mode_ci(anyelement, epsilon float8) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode_ci(anyelement, float8) IS
'differentially private most frequent value with the 95 % interval of its noise, at the given epsilon; see dp_mode_ci(anyelement)';

CREATE AGGREGATE @extschema@.dp_mode_ci(anyelement, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_modes,
	STYPE = anyarray,
	FINALFUNC = dpsens_internal.stub_modes,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode_ci(anyelement, float8, float8) IS
'differentially private most frequent value with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; see dp_mode_ci(anyelement)';

CREATE AGGREGATE @extschema@.dp_variance(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8) IS
'differentially private sample variance, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8, float8) IS
'differentially private sample variance, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance_ci(float8) IS
'differentially private sample variance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance_ci(float8, float8) IS
'differentially private sample variance with the 95 % interval of its noise, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_variance_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance_ci(float8, float8, float8) IS
'differentially private sample variance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp(float8) IS
'differentially private sample variance, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp(float8, float8) IS
'differentially private sample variance, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp_ci(float8) IS
'differentially private sample variance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp_ci(float8, float8) IS
'differentially private sample variance with the 95 % interval of its noise, at the given epsilon; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_samp_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_samp_ci(float8, float8, float8) IS
'differentially private sample variance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; null where the noised number of rows is 1 or less; between 0 and twice the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop(float8) IS
'differentially private population variance, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop(float8, float8) IS
'differentially private population variance, at the given epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop_ci(float8) IS
'differentially private population variance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop_ci(float8, float8) IS
'differentially private population variance with the 95 % interval of its noise, at the given epsilon; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_var_pop_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_var_pop_ci(float8, float8, float8) IS
'differentially private population variance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; null where the noised number of rows is not positive; between 0 and the square of half the range';

CREATE AGGREGATE @extschema@.dp_stddev(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8) IS
'differentially private sample standard deviation, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8, float8) IS
'differentially private sample standard deviation, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_ci(float8) IS
'differentially private sample standard deviation with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_ci(float8, float8) IS
'differentially private sample standard deviation with the 95 % interval of its noise, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_ci(float8, float8, float8) IS
'differentially private sample standard deviation with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp(float8) IS
'differentially private sample standard deviation, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp(float8, float8) IS
'differentially private sample standard deviation, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp_ci(float8) IS
'differentially private sample standard deviation with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp_ci(float8, float8) IS
'differentially private sample standard deviation with the 95 % interval of its noise, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_samp_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_samp_ci(float8, float8, float8) IS
'differentially private sample standard deviation with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop(float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop(float8) IS
'differentially private population standard deviation, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop(float8, float8) IS
'differentially private population standard deviation, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop_ci(float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop_ci(float8) IS
'differentially private population standard deviation with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop_ci(float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop_ci(float8, float8) IS
'differentially private population standard deviation with the 95 % interval of its noise, at the given epsilon; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_stddev_pop_ci(float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev_pop_ci(float8, float8, float8) IS
'differentially private population standard deviation with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; the square root of the clamped variance; null where that is';

CREATE AGGREGATE @extschema@.dp_covar_samp(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp(float8, float8) IS
'differentially private sample covariance, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp(float8, float8, float8) IS
'differentially private sample covariance, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp_ci(float8, float8) IS
'differentially private sample covariance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp_ci(float8, float8, float8) IS
'differentially private sample covariance with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_samp_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp_ci(float8, float8, float8, float8) IS
'differentially private sample covariance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; null where the noised number of rows is 1 or less';

CREATE AGGREGATE @extschema@.dp_covar_pop(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop(float8, float8) IS
'differentially private population covariance, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop(float8, float8, float8) IS
'differentially private population covariance, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop_ci(float8, float8) IS
'differentially private population covariance with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop_ci(float8, float8, float8) IS
'differentially private population covariance with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_covar_pop_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop_ci(float8, float8, float8, float8) IS
'differentially private population covariance with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_corr(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr(float8, float8) IS
'differentially private correlation coefficient, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr(float8, float8, float8) IS
'differentially private correlation coefficient, at the given epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr_ci(float8, float8) IS
'differentially private correlation coefficient with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr_ci(float8, float8, float8) IS
'differentially private correlation coefficient with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_corr_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_corr_ci(float8, float8, float8, float8) IS
'differentially private correlation coefficient with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; between -1 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope(float8, float8) IS
'differentially private slope of the least-squares line of y over x, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope(float8, float8, float8) IS
'differentially private slope of the least-squares line of y over x, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope_ci(float8, float8) IS
'differentially private slope of the least-squares line of y over x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope_ci(float8, float8, float8) IS
'differentially private slope of the least-squares line of y over x with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_slope_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope_ci(float8, float8, float8, float8) IS
'differentially private slope of the least-squares line of y over x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept(float8, float8) IS
'differentially private intercept of the least-squares line of y over x, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept(float8, float8, float8) IS
'differentially private intercept of the least-squares line of y over x, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept_ci(float8, float8) IS
'differentially private intercept of the least-squares line of y over x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept_ci(float8, float8, float8) IS
'differentially private intercept of the least-squares line of y over x with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_intercept_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept_ci(float8, float8, float8, float8) IS
'differentially private intercept of the least-squares line of y over x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; null where the noised number of rows or variance of x is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2(float8, float8) IS
'differentially private squared correlation coefficient, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2(float8, float8, float8) IS
'differentially private squared correlation coefficient, at the given epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2_ci(float8, float8) IS
'differentially private squared correlation coefficient with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2_ci(float8, float8, float8) IS
'differentially private squared correlation coefficient with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_r2_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_r2_ci(float8, float8, float8, float8) IS
'differentially private squared correlation coefficient with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; between 0 and 1; null where the noised number of rows or a noised variance is not positive';

CREATE AGGREGATE @extschema@.dp_regr_count(y float8, x float8) (
	SFUNC = dpsens_internal.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens_internal.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count(float8, float8) IS
'differentially private number of rows where both y and x are numbers, at the epsilon of setting dpsens.epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_count,
	STYPE = bigint,
	FINALFUNC = dpsens_internal.stub_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count(float8, float8, float8) IS
'differentially private number of rows where both y and x are numbers, at the given epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count_ci(float8, float8) IS
'differentially private number of rows where both y and x are numbers with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count_ci(float8, float8, float8) IS
'differentially private number of rows where both y and x are numbers with the 95 % interval of its noise, at the given epsilon; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_count_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_count_ci(float8, float8, float8, float8) IS
'differentially private number of rows where both y and x are numbers with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; from the moments of the other dp_regr_* aggregates; dp_count is more accurate';

CREATE AGGREGATE @extschema@.dp_regr_avgx(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx(float8, float8) IS
'differentially private mean of x, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx(float8, float8, float8) IS
'differentially private mean of x, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx_ci(float8, float8) IS
'differentially private mean of x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx_ci(float8, float8, float8) IS
'differentially private mean of x with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgx_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgx_ci(float8, float8, float8, float8) IS
'differentially private mean of x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy(float8, float8) IS
'differentially private mean of y, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy(float8, float8, float8) IS
'differentially private mean of y, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy_ci(float8, float8) IS
'differentially private mean of y with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy_ci(float8, float8, float8) IS
'differentially private mean of y with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_avgy_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_avgy_ci(float8, float8, float8, float8) IS
'differentially private mean of y with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; within its range; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx(float8, float8) IS
'differentially private sum of squared differences of x from its mean, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx(float8, float8, float8) IS
'differentially private sum of squared differences of x from its mean, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx_ci(float8, float8) IS
'differentially private sum of squared differences of x from its mean with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx_ci(float8, float8, float8) IS
'differentially private sum of squared differences of x from its mean with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxx_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxx_ci(float8, float8, float8, float8) IS
'differentially private sum of squared differences of x from its mean with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy(float8, float8) IS
'differentially private sum of squared differences of y from its mean, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy(float8, float8, float8) IS
'differentially private sum of squared differences of y from its mean, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy_ci(float8, float8) IS
'differentially private sum of squared differences of y from its mean with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy_ci(float8, float8, float8) IS
'differentially private sum of squared differences of y from its mean with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_syy_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_syy_ci(float8, float8, float8, float8) IS
'differentially private sum of squared differences of y from its mean with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy(y float8, x float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy(float8, float8) IS
'differentially private sum of products of the differences of x and y from their means, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_value,
	STYPE = float8,
	FINALFUNC = dpsens_internal.stub_value,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy(float8, float8, float8) IS
'differentially private sum of products of the differences of x and y from their means, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy_ci(y float8, x float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy_ci(float8, float8) IS
'differentially private sum of products of the differences of x and y from their means with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy_ci(y float8, x float8, epsilon float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy_ci(float8, float8, float8) IS
'differentially private sum of products of the differences of x and y from their means with the 95 % interval of its noise, at the given epsilon; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_regr_sxy_ci(y float8, x float8, epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_interval,
	STYPE = dpsens.noise_interval,
	FINALFUNC = dpsens_internal.stub_interval,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_regr_sxy_ci(float8, float8, float8, float8) IS
'differentially private sum of products of the differences of x and y from their means with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; only rows where both y and x are numbers count; null where the noised number of rows is not positive';

CREATE AGGREGATE @extschema@.dp_linregr(y float8, x float8[]) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr(float8, float8[]) IS
'differentially private least-squares coefficients of y over up to 15 values x, at the epsilon of setting dpsens.epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr(y float8, x float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_array,
	STYPE = float8[],
	FINALFUNC = dpsens_internal.stub_array,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr(float8, float8[], float8) IS
'differentially private least-squares coefficients of y over up to 15 values x, at the given epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr_ci(y float8, x float8[]) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr_ci(float8, float8[]) IS
'differentially private least-squares coefficients of y over up to 15 values x with the 95 % interval of its noise, at the epsilon of setting dpsens.epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr_ci(y float8, x float8[], epsilon float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr_ci(float8, float8[], float8) IS
'differentially private least-squares coefficients of y over up to 15 values x with the 95 % interval of its noise, at the given epsilon; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';

CREATE AGGREGATE @extschema@.dp_linregr_ci(y float8, x float8[], epsilon float8, level float8) (
	SFUNC = dpsens_internal.stub_intervals,
	STYPE = dpsens.noise_intervals,
	FINALFUNC = dpsens_internal.stub_intervals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_linregr_ci(float8, float8[], float8, float8) IS
'differentially private least-squares coefficients of y over up to 15 values x with the interval of its noise that has at least the given probability, in (0, 1), at the given epsilon; the level is a constant or a parameter; x is written as ARRAY[...]; the first entry is the intercept, the others belong to the entries of x; only rows where all are numbers count; null where the noised moments have no solution';
CREATE FUNCTION dpsens.explain(
	query text,
	rows double precision DEFAULT NULL,
	OUT aggregate text,
	OUT expression text,
	OUT gradient text,
	OUT gradient_norm text,
	OUT lower double precision,
	OUT upper double precision,
	OUT witness jsonb,
	OUT adjacency text,
	OUT sensitivity double precision,
	OUT grid double precision,
	OUT mechanism text,
	OUT epsilon double precision,
	OUT delta double precision,
	OUT noise_scale double precision,
	OUT error_95 double precision,
	OUT error_95_times_rows double precision,
	OUT cost_epsilon double precision,
	OUT cost_rho double precision,
	OUT cost_delta double precision,
	OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_explain'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dpsens.explain(text, double precision) IS
'What each dp aggregate of a query would release and cost, derived from the query and the declarations alone: no row is read, nothing is drawn or spent.  lower and upper bound the row expression (certified), witness is the row where it is furthest from 0 (under metric: steepest).  sensitivity is in the unit of the expression; noise_scale is t of discrete Laplace noise or sigma of discrete Gaussian noise, in the unit of the (first) noised number.  For an average over a public number of rows both are divided by rows where that is given, else they are those of the sum.  error_95 is the half-width of the 95 % interval of the noise; for an average over a private number of rows it is error_95_times_rows / rows, for the number of rows that you expect.  Of aggregates that are computed from second moments sensitivity and noise_scale are those of the moments of values scaled to [-1, 1], and errors are bounds that hold wherever the values lie in their ranges; what depends on how far values spread, a correlation or a regression, has none without data, and note says so: the interval of the same aggregate tells it with the answer.  A sensitivity and cost of 0 mean that the declarations leave one answer only, which is released as it is: nobody can change it.  Several aggregates can be computed from one release: the first has its cost, the others cost 0 and say in note which.  A GROUP BY whose keys are not declared has a row of its own, whose aggregate is its text: what it costs to find out which groups there are.';

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
Exact statistics of private data, for the owner of the table alone.
Errors: the caller does not own the table; a fraction that is not between 0 and 1; as dpsens.row_sensitivity.';

-- Figures as self-contained SVG text: psql -At -c 'SELECT dpsens....' -o figure.svg
-- and as lines of text.  What the client can show decides the characters, so
-- they are not immutable.

CREATE FUNCTION dpsens.contour(expression text, ranges jsonb, x text, y text, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_contour'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.contour(text, jsonb, text, text, text) IS
'The weighted gradient norm of an expression over the ranges of two columns, as SVG (format ''svg'') or as at most 80 columns of text (''text'', ''ascii''): colours and contour lines (by logarithm where the norm spans orders of magnitude), with the certified supremum K marked where it is attained. Other columns stay where K is attained, or in the middle of their ranges where there is no K. Reads no data.
ranges: as for dpsens.sensitivity.
Errors: as dpsens.sensitivity; x or y is not among the ranges, or they are the same; another format.';

CREATE FUNCTION dpsens.histogram(numbers float8[], title text DEFAULT NULL, mark float8 DEFAULT NULL, bins int4 DEFAULT NULL,
    format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_histogram'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.histogram(float8[], text, float8, int4, text) IS
'A histogram as SVG (format ''svg''), or as text of at most 80 columns: ''text'' in block characters if the client''s encoding is UTF-8 and the database''s too, else as ''ascii''. Of a column of an audit view for instance: SELECT dpsens.histogram(array_agg(gradient_norm)) FROM bmi_audit. mark: where to draw a line, such as a bound. bins: between 1 and 200, by the square-root rule if not given. NULL and infinite numbers are left out.
Errors: another number of bins; another format.
A histogram of private data is private data.';

CREATE FUNCTION dpsens.bar_chart(labels text[], numbers float8[], title text DEFAULT NULL, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_bar_chart'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.bar_chart(text[], float8[], text, text) IS
'Horizontal bars as SVG or text (format as for dpsens.histogram), of the contributions of columns for instance.
Errors: not as many labels as numbers; more than 100 of them; another format.';

CREATE FUNCTION dpsens.heatmap(numbers float8[], columns int4 DEFAULT NULL, title text DEFAULT NULL, format text DEFAULT 'svg')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_heatmap'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.heatmap(float8[], int4, text, text) IS
'The numbers row by row as coloured cells, SVG or text (format as for dpsens.histogram): partial sensitivities of the pixels of an image for instance. Red above 0, blue below, white at 0. columns: how many cells a row has; if not given, that of a two-dimensional array, else as in a square. Numbers that are NULL or not finite are struck out.
Errors: fewer than 1 or more than 200 columns (78 as text); more than 10000 numbers; another format.';

-- What a table's owner shows an auditor.

CREATE FUNCTION dpsens.report(relation regclass)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_report'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000;

COMMENT ON FUNCTION dpsens.report(regclass) IS
'One page about a table, as HTML without scripts that needs nothing else: psql -At -c "SELECT dpsens.report(''patients'')" -o report.html. Annotations; registered expressions with closed forms (SQL, LaTeX), certified bounds, where they are attained and whether their certificate could be verified, and how the rows are distributed (of large tables a sample of about 100000); budgets; the last 100 releases and their number.
Individual losses are at the settings of the session, if dpsens.epsilon is set. It holds private data, and is for the owner of the table alone.
Errors: the caller does not own the table; it is no table.';
-- The ledger: budgets, what was spent of them, and the history of releases.
--
-- Curators write budgets through functions; the ledger's worker alone writes
-- purses and releases.  Losses are whole numbers of fixed units, rounded up:
-- epsilon and rho in 2^-40, delta in 2^-62, and the largest bigint where there
-- is no bound; caps are rounded down.  Relations and roles are known by OID, and
-- by name where an OID means nothing any more: after a restore, or when a table
-- was dropped and made again.  Names follow renames; in a release they are those
-- at its time.

-- Where this ledger is the one that was charged.  Not dumped: a restored or
-- cloned database has to be acknowledged.
CREATE TABLE dpsens.ledger_origin (
	system_identifier bigint NOT NULL,
	database oid NOT NULL,
	timeline integer NOT NULL
);
CREATE UNIQUE INDEX ledger_origin_one_row ON dpsens.ledger_origin ((true));
COMMENT ON TABLE dpsens.ledger_origin IS 'the cluster, database and timeline in which the ledger is charged';

CREATE TABLE dpsens.budget (
	relation oid NOT NULL,
	role oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	role_name name NOT NULL,
	epsilon float8,
	delta float8,
	rho float8,
	cap_epsilon bigint NOT NULL,
	cap_rho bigint NOT NULL,
	cap_delta bigint NOT NULL,
	refresh interval,
	granted_by name NOT NULL,
	granted_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
	own_tables boolean NOT NULL DEFAULT false,
	PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name),
	CHECK (cap_epsilon >= 0 AND cap_rho >= 0 AND cap_delta >= 0)
);
COMMENT ON TABLE dpsens.budget IS 'what may be spent: by a role on a relation, or (role 0) by everybody together';
COMMENT ON COLUMN dpsens.budget.cap_epsilon IS 'in units of 2^-40, rounded down';
COMMENT ON COLUMN dpsens.budget.cap_rho IS 'in units of 2^-40, rounded down: the zCDP that (epsilon, delta) admits';
COMMENT ON COLUMN dpsens.budget.own_tables IS 'may the role use tables beside the relation that are not declared to be public?';
COMMENT ON COLUMN dpsens.budget.cap_delta IS 'in units of 2^-62, rounded down: what releases with a delta of their own may use of it';

CREATE TABLE dpsens.purse (
	relation oid NOT NULL,
	role oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	role_name name NOT NULL,
	period_start timestamptz NOT NULL,
	spent_epsilon bigint NOT NULL,
	spent_rho bigint NOT NULL,
	spent_delta bigint NOT NULL,
	charges bigint NOT NULL,
	PRIMARY KEY (relation, role, relation_schema, relation_name, relation_owner, role_name),
	CHECK (spent_epsilon >= 0 AND spent_rho >= 0 AND spent_delta >= 0 AND charges >= 0)
) WITH (fillfactor = 20);
COMMENT ON TABLE dpsens.purse IS 'what was spent: by a role on a relation in its current period, or (role 0) on a relation by everybody, ever';
COMMENT ON COLUMN dpsens.purse.spent_epsilon IS 'in units of 2^-40, rounded up; 9223372036854775807 once a release had no pure epsilon';

CREATE TABLE dpsens.release (
	release bigint NOT NULL PRIMARY KEY,
	statement bigint NOT NULL,
	released_at timestamptz NOT NULL,
	role oid NOT NULL,
	role_name name NOT NULL,
	relation oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	purse_role oid,
	purse_role_name name,
	query text NOT NULL,
	expression text NOT NULL,
	adjacency text NOT NULL,
	mechanism text NOT NULL,
	epsilon float8 NOT NULL,
	delta float8,
	sensitivity float8 NOT NULL,
	grid integer NOT NULL,
	sensitivities bigint[] NOT NULL,
	scales bigint[] NOT NULL,
	joined bigint[] NOT NULL,
	charge_epsilon bigint NOT NULL,
	charge_rho bigint NOT NULL,
	charge_delta bigint NOT NULL,
	contribution jsonb,
	oldest_change bigint NOT NULL,
	steps bigint,
	rate float8,
	CHECK (charge_epsilon >= 0 AND charge_rho >= 0 AND charge_delta >= 0)
);
CREATE INDEX release_relation ON dpsens.release (relation, released_at);
COMMENT ON TABLE dpsens.release IS 'every release: public quantities only, enough to recompute its charge';
COMMENT ON COLUMN dpsens.release.purse_role IS 'the role whose budget paid, beside that of the relation; null if none did';
COMMENT ON COLUMN dpsens.release.grid IS 'sensitivities and scales are in units of 2^grid; those of a count beside a sum in 2^-40, coarser where a unit may have several rows; of a draw of the exponential mechanism or of permute-and-flip (permute_flip), the quotient is epsilon; of a selection of groups (partition) the first is that of each of scale / 2^40 groups, the second delta';

COMMENT ON COLUMN dpsens.release.joined IS 'for each scale, how many integers got noise of it, of which the sensitivity is the joint norm; of the exponential mechanism and of permute-and-flip how many draws, each of this sensitivity';
COMMENT ON COLUMN dpsens.release.contribution IS 'what one row added to it, so that it can be computed again; null if that cannot be said';
COMMENT ON COLUMN dpsens.release.steps IS 'of mechanism subsampled: how many steps, each with noise of this scale; else null';
COMMENT ON COLUMN dpsens.release.rate IS 'of mechanism subsampled: the probability with which a row took part in a step; else null';
COMMENT ON COLUMN dpsens.release.oldest_change IS 'changes by transactions from this 64-bit number on may not have been seen by the release';

CREATE TABLE dpsens.failure (
	role oid NOT NULL,
	role_name name NOT NULL,
	failures bigint NOT NULL CHECK (failures > 0),
	first_at timestamptz NOT NULL,
	last_at timestamptz NOT NULL
);
COMMENT ON TABLE dpsens.failure IS 'statements of roles that failed while clean rooms read private rows for them; the reasons are in the server''s log';
COMMENT ON COLUMN dpsens.failure.failures IS 'at dpsens.max_failures of them, in all rows that are the role''s, it gets no private answers';
COMMENT ON COLUMN dpsens.failure.role_name IS 'as it is called, or was called last; once no role has the OID, a role of this name has the count';

-- A dump carries them.
SELECT pg_catalog.pg_extension_config_dump('dpsens.budget', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.purse', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.release', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.failure', '');

-- The worker writes; a restore inserts, and from then on the ledger is not the
-- one that was charged.  Nobody changes or removes what is written.
CREATE FUNCTION dpsens_internal.keep_ledger() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_keep_ledger';
COMMENT ON FUNCTION dpsens_internal.keep_ledger() IS
'Trigger: refuses changes of the ledger by anybody but its worker; after an INSERT, which is a restore, the ledger has to be acknowledged.';

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.purse
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.release
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.failure
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER keep_ledger;
ALTER TABLE dpsens.failure ENABLE ALWAYS TRIGGER keep_ledger;
ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger;

-- Roles that may write all tables are not curators.
CREATE FUNCTION dpsens_internal.keep_budgets() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_keep_budgets';
COMMENT ON FUNCTION dpsens_internal.keep_budgets() IS
'Trigger: refuses changes of budgets, and of where the ledger is charged, other than by superusers and by functions of dpsens; after an INSERT by the former, which is a restore, the ledger has to be acknowledged.';

CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.budget
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.ledger_origin
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.budget ENABLE ALWAYS TRIGGER keep_budgets;
ALTER TABLE dpsens.ledger_origin ENABLE ALWAYS TRIGGER keep_budgets;

-- The worker remembers what may be spent until it is told that this has changed.
CREATE FUNCTION dpsens_internal.tell_ledger() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_tell_ledger';
COMMENT ON FUNCTION dpsens_internal.tell_ledger() IS
'Trigger: makes the ledger''s worker read budgets anew once a change of them, or of which relations have spent something, is committed.';

CREATE TRIGGER tell_ledger AFTER INSERT OR UPDATE OR DELETE ON dpsens.budget
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.tell_ledger();
CREATE TRIGGER tell_ledger AFTER INSERT OR DELETE ON dpsens.purse
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.tell_ledger();
CREATE TRIGGER tell_ledger_names AFTER UPDATE ON dpsens.purse
	FOR EACH ROW WHEN ((OLD.relation, OLD.relation_schema, OLD.relation_name, OLD.relation_owner)
		OPERATOR(pg_catalog.<>) (NEW.relation, NEW.relation_schema, NEW.relation_name, NEW.relation_owner))
	EXECUTE FUNCTION dpsens_internal.tell_ledger();
ALTER TABLE dpsens.budget ENABLE ALWAYS TRIGGER tell_ledger;
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER tell_ledger;
ALTER TABLE dpsens.purse ENABLE ALWAYS TRIGGER tell_ledger_names;

-- ---- curators ----

CREATE FUNCTION dpsens.grant_budget(relation regclass, role regrole, epsilon float8 DEFAULT NULL,
	delta float8 DEFAULT NULL, refresh interval DEFAULT NULL, rho float8 DEFAULT NULL,
	own_tables boolean DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_grant_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean) IS
'Sets what a role, and everybody who is a member of it and has no budget of their own, may spend on a protected relation: one shared purse.
epsilon, delta: an (epsilon, delta) promise over all releases; delta 0 or NULL admits pure releases only. rho: a zCDP promise instead.
refresh: a new period begins with the first charge after this long; NULL: never. Losses of different periods add up all the same.
own_tables: whether a role that may not read the relation may use any table beside it that it may read, its own and temporary ones among them; otherwise those only that are declared by dpsens.set_public(relation). A role''s own budget says so, else that of any group; false unless it was granted.
A later grant changes what it names: epsilon or rho take each other''s place, a delta, a refresh and own_tables that are not named (NULL) stay as they were; a NOTICE says what is given up and what stays; to be rid of a refresh revoke the budget first. What was spent stays spent; a WARNING says if it is more than the new cap, or that a former role of the same name has spent something. Takes effect when committed. The role gets the label ANALYST, by which all databases of the server hide their counters from it.
Errors: the caller does not own the relation; it is not protected; epsilon not positive; delta outside [0, 1); both or neither of epsilon and rho; refresh not positive.
Source: pure epsilon by basic composition, else zCDP (Bun and Steinke 2016) with the filter of Whitehouse et al. 2023.';

CREATE FUNCTION dpsens.set_budget(relation regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
	rho float8 DEFAULT NULL, row_epsilon float8 DEFAULT NULL, row_rho float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.set_budget(regclass, float8, float8, float8, float8, float8) IS
'Caps what everybody together, the owner included, may spend on a protected relation, ever, and what each of its units may lose.
epsilon, delta, rho: as for grant_budget. row_epsilon, row_rho: switches row accounting on. What is not named (NULL) stays as it was, but epsilon and rho take each other''s place, as row_epsilon and row_rho do; a NOTICE says what stays and what is given up. ''Infinity'' for epsilon or rho removes the cap of the relation and its delta, for row_epsilon or row_rho it switches row accounting off. With row accounting a unit whose own loss by all releases so far, this one included, would pass the cap (pure epsilon, or rho of zero-concentrated DP) is silently left out of a release, and stays out.
While it is on, triggers on the relation freeze what a unit has lost when its row is updated or deleted, and TRUNCATE is refused; under adjacency replace and attribute every answer takes it into account that a row may be left out. Answers are biased by the rows that are left out; nothing says how many. Under replace and attribute a cap that is raised promises the sum of the old and the new one.
Effect and errors as for grant_budget; a delta for a cap that is removed; and for rows: both row_epsilon and row_rho; adjacency metric; no primary key or unique unit, or one of a type whose text depends on settings; a partitioned relation, or one with parents or children.
Source: Feldman and Zrnic 2021, individual privacy filters.';

CREATE FUNCTION dpsens.revoke_budget(relation regclass, role regrole)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_revoke_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.revoke_budget(regclass, regrole) IS
'Removes a role''s budget on a relation. What was spent stays recorded, and counts if a budget is granted again. The role''s label ANALYST stays, since other databases may have granted budgets.
Errors: the caller does not own the relation; the role has no budget.';

CREATE FUNCTION dpsens.revoke_budget(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_revoke_relation_budget'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.revoke_budget(regclass) IS
'Removes the cap of a relation; the budgets of roles stay.
Errors: the caller does not own the relation; it has no cap.';

CREATE FUNCTION dpsens.forgive_failures(role regrole)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_forgive_failures'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.forgive_failures(regrole) IS
'Lets a role have private answers again whose statements have failed dpsens.max_failures times while clean rooms read rows for them: table dpsens.failure counts them, and the server''s log has the reasons. What a role of the same name had when it was dropped counts, too. It is done when the function returns, whatever becomes of the transaction.
Errors: the caller is not a superuser; the ledger is not running.';

CREATE FUNCTION dpsens.acknowledge_restore()
RETURNS void
AS 'MODULE_PATHNAME', 'dps_acknowledge_restore'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.acknowledge_restore() IS
'Lets a restored, cloned, upgraded or promoted database answer again, with the budgets as they were when it was copied: whoever calls it states that the original answers no more, or that its spending is bounded elsewhere. Relations are found again by schema and name, roles by name; a warning says what was not found. Roles with budgets get the label ANALYST.
Errors: the caller is not a superuser.';
-- What was granted and spent, as curators, analysts and auditors may see it.

CREATE FUNCTION dpsens_internal.loss_of_amount(amount bigint, bits integer) RETURNS float8
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CASE WHEN amount = 9223372036854775807 THEN 'Infinity'::float8
		ELSE amount::float8 / pg_catalog.power(2::float8, bits) END;
COMMENT ON FUNCTION dpsens_internal.loss_of_amount(bigint, integer) IS
'A loss of the ledger, in units of 2^-bits, as a number; Infinity where there is no bound.';

CREATE FUNCTION dpsens_internal.left_of_amount(cap bigint, spent bigint, bits integer) RETURNS float8
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CASE WHEN spent >= cap THEN 0 ELSE (cap - spent)::float8 / pg_catalog.power(2::float8, bits) END;
COMMENT ON FUNCTION dpsens_internal.left_of_amount(bigint, bigint, integer) IS
'What is left of a cap of the ledger, both in units of 2^-bits, as a number; never negative.';

CREATE FUNCTION dpsens_internal.charge_of_release(mechanism text, sensitivities bigint[], scales bigint[], joined bigint[],
	steps bigint DEFAULT NULL, rate float8 DEFAULT NULL, delta bigint DEFAULT NULL,
	OUT charge_epsilon bigint, OUT charge_rho bigint, OUT charge_delta bigint)
AS 'MODULE_PATHNAME', 'dps_charge_of_release'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint) IS
'What a release costs in units of the ledger (epsilon and rho 2^-40, delta 2^-62), recomputed from its public quantities: the mechanism, and for each released integer its sensitivity and its scale in grid units and how many integers share it. For mechanism subsampled also steps, rate (of the samples) and delta, in units of the ledger: the cost is a rho that holds up to delta. NULL if one of the first four is.
Errors: an unknown mechanism; arrays of different lengths; sampled steps without steps, rate and delta.
Source: discrete Laplace and Gaussian, Canonne, Kamath and Steinke 2020; samples, Mironov, Talwar and Zhang 2019.';

CREATE FUNCTION dpsens_internal.answers_left(caps bigint[], spent bigint[], cost bigint[]) RETURNS bigint
AS 'MODULE_PATHNAME', 'dps_answers_left'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.answers_left(bigint[], bigint[], bigint[]) IS
'How many answers of this cost a budget admits one after the other; each array holds epsilon, rho and delta in units of the ledger. The largest bigint where there is no end.
Errors: arrays that do not have three elements.';

CREATE FUNCTION dpsens_internal.answer_cost() RETURNS bigint[]
AS 'MODULE_PATHNAME', 'dps_answer_cost'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.answer_cost() IS
'What one sum or count costs at the present dpsens.epsilon, dpsens.mechanism and dpsens.delta: epsilon, rho and delta in units of the ledger. NULL while dpsens.epsilon is unset.';

-- Budgets and purses by the relation that they mean now.
CREATE VIEW dpsens_internal.budget_state AS
SELECT live.oid AS relation, b.role, b.role_name, b.epsilon, b.delta, b.rho, b.refresh,
	b.cap_epsilon, b.cap_rho, b.cap_delta, b.granted_by, b.granted_at, b.own_tables,
	p.charges, p.period_start,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_epsilon END AS spent_epsilon,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_rho END AS spent_rho,
	CASE WHEN expired.yes THEN 0 ELSE p.spent_delta END AS spent_delta
FROM dpsens.budget b
CROSS JOIN LATERAL (
	SELECT c.oid, c.relname, n.nspname, o.rolname
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
	WHERE c.oid = b.relation
		OR c.relname = b.relation_name AND n.nspname = b.relation_schema
			AND (o.rolname = b.relation_owner OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles gone WHERE gone.rolname = b.relation_owner))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_class old WHERE old.oid = b.relation)
	LIMIT 1
) live
-- a former relation of the name counts before the next charge says so, too
CROSS JOIN LATERAL (
	SELECT COALESCE(pg_catalog.sum(q.charges), 0)::bigint AS charges, pg_catalog.min(q.period_start) AS period_start,
		LEAST(COALESCE(pg_catalog.sum(q.spent_epsilon), 0), 9223372036854775807)::bigint AS spent_epsilon,
		LEAST(COALESCE(pg_catalog.sum(q.spent_rho), 0), 9223372036854775807)::bigint AS spent_rho,
		LEAST(COALESCE(pg_catalog.sum(q.spent_delta), 0), 9223372036854775807)::bigint AS spent_delta
	FROM dpsens.purse q
	WHERE q.role = b.role AND (q.relation = live.oid OR q.relation = b.relation
		OR q.relation_name = live.relname AND q.relation_schema = live.nspname
			AND (q.relation_owner = live.rolname OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles gone WHERE gone.rolname = q.relation_owner))
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_class old WHERE old.oid = q.relation))
) p
CROSS JOIN LATERAL (
	SELECT COALESCE(pg_catalog.now() >= p.period_start + b.refresh, false) AS yes
) expired
WHERE b.role = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = b.role);
COMMENT ON VIEW dpsens_internal.budget_state IS 'budgets with what was spent of them, in units of the ledger; for the views built on it';

CREATE VIEW dpsens.budgets WITH (security_barrier) AS
SELECT s.relation::pg_catalog.regclass AS relation,
	CASE WHEN s.role <> 0 THEN s.role_name END AS role,
	s.epsilon, s.delta, s.rho, s.refresh,
	dpsens_internal.loss_of_amount(s.spent_epsilon, 40) AS spent_epsilon,
	dpsens_internal.loss_of_amount(s.spent_rho, 40) AS spent_rho,
	dpsens_internal.loss_of_amount(s.spent_delta, 62) AS spent_delta,
	dpsens_internal.left_of_amount(s.cap_epsilon, s.spent_epsilon, 40) AS left_epsilon,
	dpsens_internal.left_of_amount(s.cap_rho, s.spent_rho, 40) AS left_rho,
	s.charges, s.period_start, s.granted_by, s.granted_at, s.own_tables
FROM dpsens_internal.budget_state s
JOIN pg_catalog.pg_class c ON c.oid = s.relation
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE');
COMMENT ON VIEW dpsens.budgets IS 'the budgets on the relations that the reader owns, and what was spent of them; role is null for the cap of a relation';
COMMENT ON COLUMN dpsens.budgets.own_tables IS 'may the role use tables beside the relation that are not in dpsens.public_relations?';
COMMENT ON COLUMN dpsens.budgets.spent_epsilon IS 'sum of pure epsilons; Infinity once a release had none';
COMMENT ON COLUMN dpsens.budgets.left_epsilon IS 'what pure releases may still cost; a release is admitted within this or within left_rho';
COMMENT ON COLUMN dpsens.budgets.left_rho IS 'what releases may still cost in zCDP; 0 where delta is 0';

-- The purses that a statement of the reader's would be charged to.
CREATE VIEW dpsens_internal.my_purses WITH (security_barrier) AS
SELECT s.relation, s.role, s.role_name, s.epsilon, s.delta, s.rho, s.refresh,
	ARRAY[s.cap_epsilon, s.cap_rho, s.cap_delta] AS caps,
	ARRAY[s.spent_epsilon, s.spent_rho, s.spent_delta] AS spent
FROM dpsens_internal.budget_state s
JOIN pg_catalog.pg_class c ON c.oid = s.relation
JOIN pg_catalog.pg_roles me ON me.rolname = CURRENT_USER
WHERE s.role = me.oid
	OR s.role = 0 AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
		OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
		OR EXISTS (SELECT FROM dpsens_internal.budget_state other WHERE other.relation = s.relation
			AND other.role <> 0 AND pg_catalog.pg_has_role(other.role, 'MEMBER')))
	OR s.role <> 0 AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE') AND pg_catalog.pg_has_role(s.role, 'MEMBER')
		AND s.role = (
			SELECT g.role FROM dpsens_internal.budget_state g
			WHERE g.relation = s.relation AND g.role <> 0 AND pg_catalog.pg_has_role(g.role, 'MEMBER')
			ORDER BY g.role = me.oid DESC,
				dpsens_internal.answers_left(ARRAY[g.cap_epsilon, g.cap_rho, g.cap_delta],
					ARRAY[g.spent_epsilon, g.spent_rho, g.spent_delta], dpsens_internal.answer_cost()) > 0 DESC NULLS LAST, g.role_name
			LIMIT 1);
COMMENT ON VIEW dpsens_internal.my_purses IS 'the budgets that a statement of the reader is charged to, in units of the ledger; role 0 is the cap of the relation';

CREATE VIEW dpsens.my_budget WITH (security_barrier) AS
SELECT m.relation::pg_catalog.regclass AS relation, NULLIF(m.role_name, '') AS budget_of,
	m.epsilon, m.delta, m.rho, m.refresh,
	dpsens_internal.loss_of_amount(m.spent[1], 40) AS spent_epsilon,
	dpsens_internal.loss_of_amount(m.spent[2], 40) AS spent_rho,
	dpsens_internal.left_of_amount(m.caps[1], m.spent[1], 40) AS left_epsilon,
	dpsens_internal.left_of_amount(m.caps[2], m.spent[2], 40) AS left_rho,
	dpsens_internal.loss_of_amount(m.spent[3], 62) AS spent_delta,
	dpsens_internal.left_of_amount(m.caps[3], m.spent[3], 62) AS left_delta,
	(SELECT pg_catalog.min(dpsens_internal.answers_left(a.caps, a.spent, dpsens_internal.answer_cost()))
		FROM dpsens_internal.my_purses a WHERE a.relation = m.relation) AS answers_left,
	(SELECT COALESCE(pg_catalog.bool_or(g.own_tables) FILTER (WHERE r.rolname = CURRENT_USER), pg_catalog.bool_or(g.own_tables), false)
		FROM dpsens_internal.budget_state g JOIN pg_catalog.pg_roles r ON r.oid = g.role
		WHERE g.relation = m.relation AND pg_catalog.pg_has_role(g.role, 'MEMBER')) AS own_tables
FROM dpsens_internal.my_purses m
WHERE m.role <> 0 OR NOT EXISTS (SELECT FROM dpsens_internal.my_purses own WHERE own.relation = m.relation AND own.role <> 0);
COMMENT ON VIEW dpsens.my_budget IS
'for each relation on which the reader has a budget (of their own, of a group, or that of the relation): what was spent and is left of it';
COMMENT ON COLUMN dpsens.my_budget.budget_of IS 'the role whose budget is spent, shared by its members; null where only the relation has one';
COMMENT ON COLUMN dpsens.my_budget.own_tables IS 'may the reader use tables beside the relation that are not in dpsens.public_relations? Whoever may read the relation needs no leave';
COMMENT ON COLUMN dpsens.my_budget.spent_delta IS 'what selections of groups and training have cost; answers of Gaussian noise cost rho instead, and are converted at the other half of delta';
COMMENT ON COLUMN dpsens.my_budget.left_delta IS 'what selections of groups and training may still cost';
COMMENT ON COLUMN dpsens.my_budget.answers_left IS 'how many more sums or counts at the present dpsens.epsilon and dpsens.mechanism; the cap of the relation counts too; null while dpsens.epsilon is unset; dpsens.answers_left(query) says it of a query';

CREATE VIEW dpsens.releases WITH (security_barrier) AS
SELECT r.release, r.statement, r.released_at, r.role_name AS role,
	COALESCE(live.name, pg_catalog.format('%I.%I', r.relation_schema, r.relation_name)) AS relation,
	r.purse_role_name AS budget_of, r.query, r.expression, r.adjacency, r.mechanism, r.epsilon, r.delta, r.sensitivity,
	pg_catalog.power(2::float8, r.grid) AS grid, r.sensitivities, r.scales, r.joined,
	CASE WHEN r.mechanism NOT IN ('exponential', 'permute_flip', 'partition') THEN r.scales[1]::float8 * pg_catalog.power(2::float8, r.grid) END AS scale,
	dpsens_internal.loss_of_amount(r.charge_epsilon, 40) AS charge_epsilon,
	dpsens_internal.loss_of_amount(r.charge_rho, 40) AS charge_rho,
	dpsens_internal.loss_of_amount(r.charge_delta, 62) AS charge_delta,
	r.steps, r.rate
FROM dpsens.release r
LEFT JOIN LATERAL (
	SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, c.relowner
	FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.oid = r.relation
) live ON true
WHERE r.role = (SELECT me.oid FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER) OR pg_catalog.pg_has_role(live.relowner, 'USAGE')
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
COMMENT ON VIEW dpsens.releases IS
'every release on relations that the reader owns, and the reader''s own: who, when, what, and the public quantities that its cost follows from';
COMMENT ON COLUMN dpsens.releases.statement IS 'releases of one statement were charged together';
COMMENT ON COLUMN dpsens.releases.grid IS 'the unit of sensitivities and scales; that of a count beside a sum is 2^-40, coarser where a person may have many rows';
COMMENT ON COLUMN dpsens.releases.steps IS 'of mechanism subsampled: how many steps of training, each with noise of this scale';
COMMENT ON COLUMN dpsens.releases.rate IS 'of mechanism subsampled: the probability with which a row took part in a step';
COMMENT ON COLUMN dpsens.releases.scale IS 'of the (first) noise, in the unit of the value: t of discrete Laplace, the standard deviation parameter of discrete Gaussian; null of a draw of the exponential mechanism or of permute-and-flip (permute_flip) and of a selection of groups (partition), which add nothing to an answer';

CREATE VIEW dpsens_internal.ledger_check WITH (security_barrier) AS
SELECT pg_catalog.format('%I.%I', p.relation_schema, p.relation_name) AS relation,
	CASE WHEN p.role <> 0 THEN p.role_name END AS role, f.releases,
	dpsens_internal.loss_of_amount(p.spent_epsilon, 40) AS recorded_epsilon,
	dpsens_internal.loss_of_amount(f.epsilon, 40) AS recomputed_epsilon,
	dpsens_internal.loss_of_amount(p.spent_rho, 40) AS recorded_rho,
	dpsens_internal.loss_of_amount(f.rho, 40) AS recomputed_rho,
	f.same AND (p.spent_epsilon, p.spent_rho, p.spent_delta) = (f.epsilon, f.rho, f.delta) AS valid
FROM dpsens.purse p
LEFT JOIN pg_catalog.pg_class t ON t.oid = p.relation
CROSS JOIN LATERAL (
	SELECT pg_catalog.count(*) AS releases,
		COALESCE(pg_catalog.bool_and((c.charge_epsilon, c.charge_rho, c.charge_delta)
			= (r.charge_epsilon, r.charge_rho, r.charge_delta)), true) AS same,
		LEAST(COALESCE(pg_catalog.sum(c.charge_epsilon), 0), 9223372036854775807)::bigint AS epsilon,
		LEAST(COALESCE(pg_catalog.sum(c.charge_rho), 0), 9223372036854775807)::bigint AS rho,
		LEAST(COALESCE(pg_catalog.sum(c.charge_delta), 0), 9223372036854775807)::bigint AS delta
	FROM dpsens.release r
	CROSS JOIN LATERAL dpsens_internal.charge_of_release(r.mechanism, r.sensitivities, r.scales, r.joined, r.steps, r.rate, r.charge_delta) c
	WHERE r.relation = p.relation AND (p.role = 0 OR r.purse_role = p.role AND r.released_at >= p.period_start)
) f
WHERE pg_catalog.pg_has_role(t.relowner, 'USAGE')
	OR (SELECT me.rolsuper FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER);
COMMENT ON VIEW dpsens_internal.ledger_check IS 'what dpsens.verify_ledger() returns';

CREATE FUNCTION dpsens.verify_ledger()
RETURNS TABLE (relation text, role name, releases bigint, recorded_epsilon float8, recomputed_epsilon float8,
	recorded_rho float8, recomputed_rho float8, valid boolean)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT * FROM dpsens_internal.ledger_check c ORDER BY c.relation, c.role NULLS FIRST;
END;
COMMENT ON FUNCTION dpsens.verify_ledger() IS
'Recomputes every charge on the relations that the caller owns (a superuser: on all) from the public quantities recorded with it, and the sum of each purse in its present period. valid: both agree with what is recorded, to the unit.
role is null for the purse of a relation.';

CREATE FUNCTION dpsens_internal.statement_cost(query text, OUT relation oid, OUT cost bigint[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_statement_cost'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens_internal.statement_cost(text) IS
'What a query would be charged at the present settings, for each relation: epsilon, rho and delta in units of the ledger. Nothing is read or spent.
Errors: as for dpsens.explain.';

CREATE FUNCTION dpsens.answers_left(query text) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT pg_catalog.min(dpsens_internal.answers_left(m.caps, m.spent, c.cost))
	FROM dpsens_internal.statement_cost(query) c
	JOIN dpsens_internal.my_purses m ON m.relation = c.relation;
END;
COMMENT ON FUNCTION dpsens.answers_left(text) IS
'How many times the caller may still run this query, by the budgets that apply: those of dpsens.my_budget and the caps of the relations. NULL where no budget applies.
Errors: as for dpsens.explain.';

CREATE FUNCTION dpsens.privacy_spent(relation regclass, delta float8 DEFAULT NULL,
	OUT accountant text, OUT epsilon float8, OUT note text, OUT at_delta float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_privacy_spent'
LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.privacy_spent(regclass, float8) IS
'What all releases on a relation together have cost by each accountant: an epsilon such that the history is (epsilon, delta)-DP, rounded up; Infinity where the accountant has none. note: under which assumption the figure holds.
delta: between 0 and 1; NULL: 1e-6, or that much more than what selections of groups and training may fail with by themselves, since with less than that there is no epsilon. at_delta: the delta of the figure. A figure is not a guarantee for queries that were chosen by looking at earlier answers: that is the cap set beforehand.
Errors: the caller does not own the relation; delta outside [0, 1).
Sources: basic composition; zCDP, Bun and Steinke 2016 with the conversion of Canonne, Kamath and Steinke 2020; Renyi DP, Mironov 2017; Gaussian DP, Dong, Roth and Su 2022; privacy loss distributions, Koskela et al. 2020.';
-- Individual accounting: what each unit has lost.
--
-- Losses are recomputed from the history and the rows.  Only what is no longer
-- in a row is stored: the sum that a unit had reached when its row was changed
-- or removed.

CREATE TABLE dpsens.row_account (
	account bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	relation oid NOT NULL,
	relation_schema name NOT NULL,
	relation_name name NOT NULL,
	relation_owner name NOT NULL,
	unit text NOT NULL,
	epsilon float8,
	rho float8,
	cap_epsilon bigint,
	cap_rho bigint,
	full_until bigint NOT NULL DEFAULT 0,
	CHECK (cap_epsilon >= 0 AND cap_rho >= 0)
);
CREATE INDEX row_account_relation ON dpsens.row_account (relation);
COMMENT ON TABLE dpsens.row_account IS 'relations whose rows have, or had, accounts of their own; without a cap: row accounting is off';
COMMENT ON COLUMN dpsens.row_account.unit IS 'the columns that name a unit';
COMMENT ON COLUMN dpsens.row_account.full_until IS 'releases up to this one may have read rows of a table that was dropped: a unit of which nothing is frozen pays for them in full';
COMMENT ON COLUMN dpsens.row_account.cap_rho IS 'in units of 2^-40, rounded down, as cap_epsilon; at most one of them is not null';

CREATE TABLE dpsens.frozen_loss (
	account bigint NOT NULL,
	unit text COLLATE pg_catalog."C" NOT NULL,
	spent_epsilon bigint NOT NULL,
	spent_rho bigint NOT NULL,
	release bigint NOT NULL,
	changed_by bigint NOT NULL,
	PRIMARY KEY (account, unit),
	CHECK (spent_epsilon >= 0 AND spent_rho >= 0 AND release >= 0)
);
COMMENT ON TABLE dpsens.frozen_loss IS 'what units lost by rows that they have no more; private data';
COMMENT ON COLUMN dpsens.frozen_loss.spent_epsilon IS 'by releases up to this one, in units of 2^-40, rounded up; 9223372036854775807 without bound';
COMMENT ON COLUMN dpsens.frozen_loss.changed_by IS '64-bit number of the transaction that changed the row: a later release that may not have seen the change is paid in full';

SELECT pg_catalog.pg_extension_config_dump('dpsens.row_account', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.frozen_loss', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.row_account_account_seq', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.frozen_loss
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.frozen_loss ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_budgets BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.row_account
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_budgets();
ALTER TABLE dpsens.row_account ENABLE ALWAYS TRIGGER keep_budgets;

CREATE FUNCTION dpsens.row_loss(relation regclass)
RETURNS TABLE (unit text, epsilon float8, rho float8, releases bigint, present boolean)
AS 'MODULE_PATHNAME', 'dps_row_loss'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.row_loss(regclass) IS
'What each unit of a protected relation has lost by all releases so far, recomputed from the history and the rows: its own, usually smaller than what the releases cost.
unit: the declared unit, else the primary key (columns joined by commas), as text; NULL if there is neither, and then each row is a unit. epsilon: pure; Infinity if a release that the unit took part in had none. rho: zero-concentrated DP. releases: how many it took part in, or may have. present: false for a unit that has only a frozen loss, its row being gone.
A row is measured as it is now. Rows that were changed or removed before row accounting was switched on, and rows that were inserted later, are not told apart: a row counts in every release of the history.
A table that was dropped and made again does not tell what its former rows were: where they had accounts, units pay in full for the releases until their accounts were set up again.
What cannot be recomputed (a column that was renamed or has another type, adjacency metric) is charged in full: a loss is overstated at worst.
These numbers are private data: for the owner, not for analysts, and no epsilon may be chosen by them. Summed up over a history that was chosen adaptively they are not a guarantee; a cap is.
Errors: the caller does not own the relation; it is not protected.
Source: Feldman and Zrnic 2021, individual privacy accounting. Laplace |c|/t, rho epsilon tanh(epsilon/2); Gaussian s^2/2N^2.';

CREATE FUNCTION dpsens_internal.freeze_loss() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE
	AS 'MODULE_PATHNAME', 'dps_freeze_loss';
COMMENT ON FUNCTION dpsens_internal.freeze_loss() IS
'Trigger of relations whose rows have accounts of their own: freezes what a unit has lost before its row is changed or removed, enters units that begin later, and refuses TRUNCATE.';

CREATE FUNCTION dpsens_internal.exact_includes(plan dpsens_internal.plan, "row" record) RETURNS boolean
AS 'MODULE_PATHNAME', 'dps_exact_includes'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION dpsens_internal.exact_includes(dpsens_internal.plan, record) IS
'Internal: whether the unit of this row has lost so little that the running answer may count it.';

CREATE VIEW dpsens.row_budgets WITH (security_barrier) AS
SELECT a.relation::pg_catalog.regclass AS relation, a.unit, a.epsilon AS row_epsilon, a.rho AS row_rho
FROM dpsens.row_account a
JOIN pg_catalog.pg_class c ON c.oid = a.relation
WHERE (a.cap_epsilon IS NOT NULL OR a.cap_rho IS NOT NULL) AND pg_catalog.pg_has_role(c.relowner, 'USAGE');
COMMENT ON VIEW dpsens.row_budgets IS
'what each unit of the relations that the reader owns may lose, where row accounting is on, and the columns that name a unit';
-- What would let a role around the guard: a self-test for administrators.

CREATE FUNCTION dpsens.check_security(role pg_catalog.regrole)
RETURNS TABLE (finding text, severity text, object text, hint text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $function$
WITH RECURSIVE
-- the role and what it can become
able (oid) AS (
	SELECT r.oid FROM pg_roles r WHERE r.oid = role
	UNION
	SELECT m.roleid FROM able a JOIN pg_auth_members m ON m.member = a.oid
),
members AS (
	SELECT r.*, CASE WHEN r.oid = role THEN '' ELSE format(', as a member of %I', r.rolname) END AS how
	FROM able a JOIN pg_roles r ON r.oid = a.oid
),
-- protected tables, and those whose rows are theirs
declared (oid, protected) AS (
	SELECT l.objoid, l.objoid FROM pg_seclabel l JOIN pg_class c ON c.oid = l.objoid
	WHERE l.provider = 'dpsens' AND l.classoid = 'pg_class'::regclass AND l.objsubid = 0 AND c.relkind IN ('r', 'p')
		AND l.label ~* '^\s*protected'
),
below (oid, protected) AS (
	SELECT d.oid, d.protected FROM declared d
	UNION
	SELECT i.inhrelid, b.protected FROM below b JOIN pg_inherits i ON i.inhparent = b.oid
),
above (oid, protected) AS (
	SELECT d.oid, d.protected FROM declared d
	UNION
	SELECT i.inhparent, a.protected FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid
),
family AS (
	SELECT f.oid, f.protected, c.relname, c.relowner, c.relnamespace, c.relrowsecurity
	FROM (SELECT * FROM below UNION SELECT * FROM above) f JOIN pg_class c ON c.oid = f.oid
),
-- whoever may read one of them
readers AS (
	SELECT r.oid, r.rolname FROM pg_roles r
	WHERE r.rolsuper OR EXISTS (SELECT FROM family f WHERE has_table_privilege(r.oid, f.oid, 'SELECT') OR has_any_column_privilege(r.oid, f.oid, 'SELECT'))
),
-- views over them, at any distance
derived (oid, protected) AS (
	SELECT f.oid, f.protected FROM family f
	UNION
	SELECT w.ev_class, d.protected
	FROM derived d
	JOIN pg_depend p ON p.refclassid = 'pg_class'::regclass AND p.refobjid = d.oid AND p.classid = 'pg_rewrite'::regclass
	JOIN pg_rewrite w ON w.oid = p.objid AND w.ev_class <> d.oid
),
views AS (
	SELECT d.oid, d.protected, c.relkind, c.relowner,
		-- read with the rights of whoever asks, from version 15 on
		EXISTS (SELECT FROM unnest(c.reloptions) o WHERE split_part(o, '=', 1) = 'security_invoker' AND split_part(o, '=', 2)::boolean) AS invoked,
		EXISTS (SELECT FROM pg_rewrite w JOIN pg_depend p ON p.classid = 'pg_rewrite'::regclass AND p.objid = w.oid AND p.refclassid = 'pg_proc'::regclass
				JOIN pg_proc f ON f.oid = p.refobjid JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = f.oid AND e.deptype = 'e'
				JOIN pg_extension x ON x.oid = e.refobjid AND x.extname = 'dpsens'
				WHERE w.ev_class = d.oid AND f.prokind = 'a') AS answers
	FROM derived d JOIN pg_class c ON c.oid = d.oid
	WHERE c.relkind IN ('v', 'm')
),
-- tables with their columns
columns AS (
	SELECT d.oid AS protected, count(*) AS n, count(l.label) AS annotated, array_agg((a.attname, a.atttypid)::text) AS all_columns,
		array_agg((a.attname, a.atttypid)::text) FILTER (WHERE l.label IS NOT NULL AND l.label !~* '\mpublic\M') AS private_columns
	FROM declared d
	JOIN pg_attribute a ON a.attrelid = d.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_seclabel l ON l.provider = 'dpsens' AND l.classoid = 'pg_class'::regclass AND l.objoid = d.oid AND l.objsubid = a.attnum
	GROUP BY d.oid
),
others AS (
	SELECT c.oid, array_agg((a.attname, a.atttypid)::text) AS all_columns
	FROM pg_class c
	JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relkind IN ('r', 'p', 'f', 'm') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
		AND c.oid NOT IN (SELECT f.oid FROM family f) AND c.oid NOT IN (SELECT v.oid FROM views v)
		AND (has_table_privilege(role, c.oid, 'SELECT') OR has_any_column_privilege(role, c.oid, 'SELECT'))
	GROUP BY c.oid
),
definers AS (
	SELECT p.oid, p.proowner, p.proconfig,
		p.prosrc ~* ('\m(' || (SELECT coalesce(string_agg(regexp_replace(f.relname, '([^[:alnum:]_])', '\\\1', 'g'), '|'), '') FROM family f) || ')\M')
			AND EXISTS (SELECT FROM family)
			OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_class'::regclass
					   AND d.refobjid IN (SELECT f.oid FROM derived f)) AS refers,
		EXISTS (SELECT FROM pg_seclabel l WHERE l.provider = 'dpsens' AND l.classoid = 'pg_proc'::regclass AND l.objoid = p.oid AND l.label ~* 'trusted') AS trusted
	FROM pg_proc p
	WHERE p.prosecdef AND p.proowner IN (SELECT r.oid FROM readers r) AND p.proowner NOT IN (SELECT a.oid FROM able a)
		AND has_function_privilege(role, p.oid, 'EXECUTE')
		AND NOT EXISTS (SELECT FROM pg_depend e JOIN pg_extension x ON x.oid = e.refobjid AND e.refclassid = 'pg_extension'::regclass
						WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e' AND x.extname = 'dpsens')
),
settings (name, value) AS (
	SELECT s.name, s.setting FROM pg_settings s
	UNION ALL
	SELECT split_part(c, '=', 1), substr(c, strpos(c, '=') + 1)
	FROM pg_db_role_setting d, unnest(d.setconfig) c
	WHERE (d.setrole = 0 OR d.setrole = role) AND (d.setdatabase = 0 OR d.setdatabase = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database()))
),
findings (rank, finding, object, hint) AS (
	-- ways to all rows
	SELECT 1, 'superuser' || m.how, m.rolname::text, 'A superuser is bound by nothing: ALTER ROLE or REVOKE.' FROM members m WHERE m.rolsuper
	UNION ALL
	SELECT 1, 'may read all tables' || m.how, m.rolname, format('REVOKE %I FROM the role.', m.rolname) FROM members m WHERE m.rolname = 'pg_read_all_data'
	UNION ALL
	SELECT 1, 'may read or run what the server''s account can' || m.how, m.rolname, format('The files of the server hold all rows: REVOKE %I.', m.rolname)
	FROM members m WHERE m.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
	UNION ALL
	SELECT 1, 'may copy the cluster or stream its changes' || m.how, m.rolname, format('ALTER ROLE %I NOREPLICATION.', m.rolname) FROM members m WHERE m.rolreplication
	UNION ALL
	SELECT 1, 'may make itself a member of other roles' || m.how, m.rolname, format('ALTER ROLE %I NOCREATEROLE.', m.rolname) FROM members m WHERE m.rolcreaterole AND NOT m.rolsuper
	UNION ALL
	SELECT CASE WHEN EXISTS (SELECT FROM family f WHERE f.relrowsecurity) THEN 1 ELSE 3 END, 'is not subject to row-level security' || m.how, m.rolname,
		format('ALTER ROLE %I NOBYPASSRLS.', m.rolname) FROM members m WHERE m.rolbypassrls AND NOT m.rolsuper
	UNION ALL
	SELECT 1, 'owns the table' || m.how, f.oid::regclass::text, 'An owner reads and changes what it likes: ALTER TABLE ... OWNER TO.' FROM family f JOIN members m ON m.oid = f.relowner
	UNION ALL
	SELECT 1, 'may read the table', f.oid::regclass::text, format('REVOKE SELECT ON %s, from whoever in this list it comes from: the role, its groups, or PUBLIC.', f.oid::regclass)
	FROM family f WHERE EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, f.oid, 'SELECT'))
		AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.oid = f.relowner OR m.rolname = 'pg_read_all_data')
	UNION ALL
	SELECT 1, 'may read a column', format('%s.%I', f.oid::regclass, c.attname), format('REVOKE SELECT (%I) ON %s.', c.attname, f.oid::regclass)
	FROM family f JOIN pg_attribute c ON c.attrelid = f.oid AND c.attnum > 0 AND NOT c.attisdropped
	WHERE EXISTS (SELECT FROM able a WHERE has_column_privilege(a.oid, f.oid, c.attnum, 'SELECT'))
		AND NOT EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, f.oid, 'SELECT'))
	UNION ALL
	SELECT 1, 'may read a view of its rows', v.oid::regclass::text,
		format('REVOKE SELECT ON %s: a view is read with the rights of its owner, %s.', v.oid::regclass, v.relowner::regrole)
	FROM views v
	WHERE NOT v.answers AND NOT v.invoked AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, v.oid, 'SELECT') OR has_any_column_privilege(a.oid, v.oid, 'SELECT'))
		AND (v.relkind = 'm' OR v.relowner IN (SELECT r.oid FROM readers r)) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 3, 'may read a view that has answers in it', v.oid::regclass::text, 'See to it that it shows nothing beside the answers.'
	FROM views v
	WHERE v.answers AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, v.oid, 'SELECT'))
		AND v.relowner IN (SELECT r.oid FROM readers r) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may call a SECURITY DEFINER function that refers to the table', d.oid::regprocedure::text,
		CASE WHEN d.trusted THEN 'Its owner trusts it; look at what it returns.' ELSE 'dpsens refuses such a call while the role has a budget; better: REVOKE EXECUTE.' END
	FROM definers d WHERE d.refers AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 2, 'may call a SECURITY DEFINER function whose search_path it chooses', d.oid::regprocedure::text, 'ALTER FUNCTION ... SET search_path = pg_catalog, pg_temp, or REVOKE EXECUTE.'
	FROM definers d WHERE NOT EXISTS (SELECT FROM unnest(d.proconfig) c WHERE c LIKE 'search_path=%')
	UNION ALL
	SELECT 3, 'may call a SECURITY DEFINER function of somebody who may read the table', d.oid::regprocedure::text, 'See what it does, or REVOKE EXECUTE.'
	FROM definers d WHERE NOT d.refers AND NOT d.trusted
	UNION ALL
	SELECT 1, 'may write functions that run outside of the database''s rules', l.lanname, format('REVOKE USAGE ON LANGUAGE %I.', l.lanname)
	FROM pg_language l WHERE NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'c') AND EXISTS (SELECT FROM able a WHERE has_language_privilege(a.oid, l.oid, 'USAGE'))
	UNION ALL
	SELECT 1, 'may call a function that reads files or other servers', p.oid::regprocedure::text, 'REVOKE EXECUTE.'
	FROM pg_proc p
	WHERE (p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN ('pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', 'lo_export', 'pg_current_logfile')
		   OR p.proname IN ('dblink_connect_u', 'pg_file_read', 'pg_file_write'))
		AND EXISTS (SELECT FROM able a WHERE has_function_privilege(a.oid, p.oid, 'EXECUTE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may look at pages, or count what is in them', p.oid::regprocedure::text, format('REVOKE EXECUTE: extension %s.', x.extname)
	FROM pg_extension x
	JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
	JOIN pg_proc p ON p.oid = d.objid
	WHERE x.extname IN ('pageinspect', 'pg_walinspect', 'pgrowlocks', 'pgstattuple', 'pg_buffercache', 'pg_visibility', 'pg_freespacemap', 'pg_surgery', 'amcheck')
		AND EXISTS (SELECT FROM able a WHERE has_function_privilege(a.oid, p.oid, 'EXECUTE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may read the statistics of columns', c.oid::regclass::text, format('REVOKE SELECT ON %s.', c.oid::regclass)
	FROM pg_class c WHERE c.oid IN ('pg_statistic'::regclass, 'pg_statistic_ext_data'::regclass)
		AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, c.oid, 'SELECT')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.rolname = 'pg_read_all_data')
	-- copies
	UNION ALL
	SELECT 2, 'may read a table with the same columns that is not protected', format('%s, like %s', o.oid::regclass, c.protected::regclass),
		'If it is a copy, protect it or REVOKE SELECT.'
	FROM columns c JOIN others o ON (cardinality(c.private_columns) >= 2 AND o.all_columns @> c.private_columns OR c.n >= 2 AND o.all_columns @> c.all_columns)
	WHERE NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.rolname = 'pg_read_all_data')
	UNION ALL
	SELECT 3, 'may read a foreign table', c.oid::regclass::text, 'See that the table behind it is none that is protected.'
	FROM pg_class c WHERE c.relkind = 'f' AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, c.oid, 'SELECT'))
	UNION ALL
	SELECT 2, 'may reach a server as somebody else', s.srvname, 'See as whom: a user mapping for PUBLIC may lead back to this database.'
	FROM pg_foreign_server s JOIN pg_user_mappings u ON u.srvid = s.oid AND (u.umuser = 0 OR u.umuser IN (SELECT a.oid FROM able a))
	WHERE EXISTS (SELECT FROM able a WHERE has_server_privilege(a.oid, s.oid, 'USAGE'))
	UNION ALL
	SELECT 2, 'is in a publication', format('%s: %s', p.pubname, p.tablename), 'Whoever may connect for replication reads its rows; see who subscribes.'
	FROM pg_publication_tables p JOIN family f ON f.relname = p.tablename AND f.relnamespace::regnamespace::text = quote_ident(p.schemaname)
	WHERE EXISTS (SELECT FROM members m WHERE m.rolreplication)
		OR EXISTS (SELECT FROM pg_publication b JOIN able a ON a.oid = b.pubowner WHERE b.pubname = p.pubname)
	-- ways to learn something of single rows
	UNION ALL
	SELECT 2, format('has the privilege %s', p.privilege), f.oid::regclass::text,
		format('REVOKE %s ON %s: %s.', p.privilege, f.oid::regclass, p.why)
	FROM family f
	CROSS JOIN (VALUES ('INSERT', 'a unique index tells which keys exist'), ('UPDATE', 'the number of rows is told, and constraints fail by their values'),
				('DELETE', 'the number of rows is told'), ('TRUNCATE', 'it empties the table'),
				('REFERENCES', 'a foreign key tells which keys exist'), ('TRIGGER', 'a trigger sees the rows that others write'),
				('MAINTAIN', 'VACUUM VERBOSE tells the number of rows')) p (privilege, why)
	-- MAINTAIN is new in 17
	WHERE EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, f.oid, CASE WHEN p.privilege <> 'MAINTAIN' OR current_setting('server_version_num')::int >= 170000 THEN p.privilege END)
				  OR p.privilege IN ('INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege(a.oid, f.oid, p.privilege))
		AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.oid = f.relowner)
	UNION ALL
	SELECT 2, 'may read a sequence of the table', d.objid::regclass::text, format('Its values count rows: REVOKE ALL ON SEQUENCE %s.', d.objid::regclass)
	FROM family f JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = f.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
	JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S'
	WHERE EXISTS (SELECT FROM able a WHERE has_sequence_privilege(a.oid, d.objid, 'USAGE, SELECT, UPDATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper OR m.oid = f.relowner)
	UNION ALL
	SELECT 2, 'may read statistics of the server' || m.how, m.rolname, format('They count rows and pages, also those that an answer touched: REVOKE %I.', m.rolname)
	FROM members m WHERE m.rolname IN ('pg_read_all_stats', 'pg_monitor', 'pg_stat_scan_tables')
	UNION ALL
	SELECT 2, 'may change all tables' || m.how, m.rolname, format('REVOKE %I.', m.rolname) FROM members m WHERE m.rolname = 'pg_write_all_data'
	UNION ALL
	SELECT 2, 'may set a parameter that is an administrator''s', p.parname, format('REVOKE SET, ALTER SYSTEM ON PARAMETER %s.', p.parname)
	FROM pg_parameter_acl p
	WHERE EXISTS (SELECT FROM able a WHERE has_parameter_privilege(a.oid, p.parname, 'SET, ALTER SYSTEM')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	-- what dpsens itself rests on
	UNION ALL
	SELECT 1, 'may create in a schema of dpsens', n.nspname, format('REVOKE CREATE ON SCHEMA %I: objects there are taken for dpsens'' own.', n.nspname)
	FROM pg_namespace n WHERE n.nspname IN ('dpsens', 'dpsens_internal') AND EXISTS (SELECT FROM able a WHERE has_schema_privilege(a.oid, n.oid, 'CREATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 3, 'may create in the schema of the dp aggregates', n.nspname,
		format('Functions there can be called by others by mistake: REVOKE CREATE ON SCHEMA %I FROM PUBLIC.', n.nspname)
	FROM pg_namespace n WHERE n.oid IN (SELECT x.extnamespace FROM pg_extension x WHERE x.extname = 'dpsens') AND n.nspname <> 'dpsens'
		AND EXISTS (SELECT FROM able a WHERE has_schema_privilege(a.oid, n.oid, 'CREATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 1, 'may change the ledger', c.oid::regclass::text, 'REVOKE ALL.'
	FROM pg_class c WHERE c.relnamespace = to_regnamespace('dpsens') AND c.relkind = 'r'
		AND EXISTS (SELECT FROM able a WHERE has_table_privilege(a.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) AND NOT EXISTS (SELECT FROM members m WHERE m.rolsuper)
	UNION ALL
	SELECT 2, 'may copy the database, and budgets with it' || m.how, current_database(), 'ALTER DATABASE ... IS_TEMPLATE false, or ALTER ROLE ... NOCREATEDB.'
	FROM members m JOIN pg_database b ON b.datname = current_database() WHERE m.rolcreatedb AND NOT m.rolsuper AND (b.datistemplate OR b.datdba = m.oid)
	UNION ALL
	SELECT 1, 'dpsens is not preloaded', 'shared_preload_libraries', 'shared_preload_libraries = ''dpsens'', and restart: without it a session is not guarded, and nothing is answered.'
	WHERE NOT EXISTS (SELECT FROM pg_settings s WHERE s.name = 'dpsens.ledger_slots' AND s.context = 'postmaster')
	UNION ALL
	SELECT DISTINCT 1, 'answers have no noise', s.name, 'RESET it, also for roles and databases.' FROM settings s WHERE s.name = 'dpsens.noise' AND s.value::boolean IS FALSE
	UNION ALL
	SELECT DISTINCT 2, 'a crash can lose charges', s.name, format('Set %s to on.', s.name) FROM settings s
	WHERE s.name IN ('fsync', 'full_page_writes', 'dpsens.require_fsync') AND s.value = 'off'
	UNION ALL
	SELECT DISTINCT 2, 'an error tells that many rows were read', s.name, 'A limit on temporary files ends a statement by the size of its data: set it to -1 for the role.'
	FROM settings s WHERE s.name = 'temp_file_limit' AND s.value <> '-1'
	UNION ALL
	SELECT DISTINCT 3, 'the server''s log counts rows and pages', s.name, 'Keep the log from the role.'
	FROM settings s
	WHERE s.name IN ('log_executor_stats', 'log_statement_stats', 'log_temp_files', 'debug_print_plan', 'trace_sort', 'auto_explain.log_analyze')
		AND s.value NOT IN ('off', '-1', 'false')
	UNION ALL
	SELECT DISTINCT 3, 'plans are written to the server''s log', s.name, 'Keep the log from the role.'
	FROM settings s WHERE s.name IN ('shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries') AND s.value ~ 'auto_explain'
	UNION ALL
	SELECT 2, 'will be able to read tables that are made', format('%s in %s', d.defaclrole::regrole, CASE WHEN d.defaclnamespace = 0 THEN 'all schemas' ELSE d.defaclnamespace::regnamespace::text END),
		'ALTER DEFAULT PRIVILEGES ... REVOKE SELECT ON TABLES.'
	FROM pg_default_acl d, aclexplode(d.defaclacl) e
	WHERE d.defaclobjtype = 'r' AND e.privilege_type = 'SELECT' AND (e.grantee = 0 OR e.grantee IN (SELECT a.oid FROM able a)) AND d.defaclrole NOT IN (SELECT a.oid FROM able a)
)
SELECT f.finding, CASE f.rank WHEN 1 THEN 'critical' WHEN 2 THEN 'warning' ELSE 'notice' END, f.object, f.hint
FROM (SELECT DISTINCT * FROM findings) f
ORDER BY f.rank, f.finding, f.object
$function$;

COMMENT ON FUNCTION dpsens.check_security(pg_catalog.regrole) IS
'What would let the role around the guard, in this database: privileges, memberships, views, copies, functions and settings, with what to do about each. severity: critical (it reads rows, or nothing is guarded), warning (it learns something of single rows or of how many there are, or a charge can be lost), notice (to be looked at). No row: nothing was found, which is not a proof. Settings that only superusers see are judged only when a superuser asks.';
-- Models: networks that are stored with their parameters, and what they say
-- about one example.  Rows of the table are read and written by the functions
-- below, for the role that owns the model; nobody is granted anything on it.

CREATE TABLE dpsens.stored_models (
    name name NOT NULL PRIMARY KEY,
    owner regrole NOT NULL,
    definition jsonb NOT NULL,
    parameters float8[] NOT NULL,
    changed timestamptz NOT NULL
);
ALTER TABLE dpsens.stored_models ALTER COLUMN parameters SET STORAGE EXTERNAL;
SELECT pg_catalog.pg_extension_config_dump('dpsens.stored_models', '');

COMMENT ON TABLE dpsens.stored_models IS
'Models, for the library; dpsens.models shows a role its own. Dumped with the database.';
COMMENT ON COLUMN dpsens.stored_models.name IS 'Of the model, unique in the database.';
COMMENT ON COLUMN dpsens.stored_models.owner IS 'The role that created it; its members can use it, too.';
COMMENT ON COLUMN dpsens.stored_models.definition IS 'As given to dpsens.create_model.';
COMMENT ON COLUMN dpsens.stored_models.parameters IS 'Layer by layer, weights before biases, each in rows.';
COMMENT ON COLUMN dpsens.stored_models.changed IS 'When the parameters were last set.';

CREATE FUNCTION dpsens.create_model(name name, definition jsonb)
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_create_model'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.create_model(name, jsonb) IS
'Creates a model and initialises its parameters. It belongs to the caller, who needs the privilege CREATE on the database.
definition: {"input": 25, "layers": [{"type": "dense", "units": 8, "activation": "sigmoid"}, {"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 1}.
input: the number of features, or the shape of an image, [height, width] or [channels, height, width]; features are its elements row by row, channel by channel.
layers: 1 to 1000 of dense (units), conv2d (filters, kernel, stride, padding), depthwise_conv2d (kernel, stride, padding), average_pool and max_pool (kernel, stride, padding); kernel is a number or [height, width]. A dense layer takes an image element by element. bias: true (default), false, or "after" the activation. activation: linear (default), sigmoid, tempered_sigmoid (scale * sigmoid(temperature * x) - offset; default 2, 2, 1), tanh, relu, softplus, gelu, softmax (over the last axis); one with numbers is an object, {"type": "tempered_sigmoid", "scale": 1.58, "temperature": 3, "offset": 0.71}.
loss, of one example: squared, half_squared, huber ({"type": "huber", "delta": 1}), binary_cross_entropy, categorical_cross_entropy, each summed over the outputs.
seed: from 0; weights are uniform with the variance of Glorot and Bengio 2010, or of He et al. 2015 before relu, softplus and gelu; biases are 0. Equal seeds make equal parameters on every machine.
Errors: the name is taken; an unknown key, name or number; shapes that do not fit; a layer or parameters of more numbers than an array can have (2^27).';

CREATE FUNCTION dpsens.drop_model(name name)
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_drop_model'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.drop_model(name) IS
'Drops a model. Errors: there is none of that name; it belongs to a role that the caller is not a member of.';

CREATE FUNCTION dpsens.model_parameters(name name)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_model_parameters'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION dpsens.model_parameters(name) IS
'All parameters of a model as one array: layer by layer, weights before biases, each in rows; dpsens.model_summary says where each layer begins. Weights of a dense layer are (inputs, units), those of a convolution (filters, channels, height, width), of a depthwise one (channels, height, width).
Errors: as dpsens.drop_model.
Parameters that were trained on private data without noise are private data.';

CREATE FUNCTION dpsens.set_model_parameters(name name, parameters float8[])
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_set_model_parameters'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_model_parameters(name, float8[]) IS
'Replaces all parameters of a model, in the order of dpsens.model_parameters.
Errors: as dpsens.drop_model; another number of elements; nulls, NaN, infinities.';

CREATE FUNCTION dpsens.model_summary(name name,
    OUT layer int4, OUT type text, OUT activation text, OUT shape int4[], OUT weights int4[], OUT biases int4,
    OUT parameters bigint, OUT first_parameter bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_model_summary'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION dpsens.model_summary(name) IS
'The layers of a model: the shape of what each hands on, without a dimension for examples; the shape of its weights, the number of its biases, of all its parameters, and where these begin in the array of dpsens.model_parameters.
Errors: as dpsens.drop_model.';

CREATE FUNCTION dpsens.closed_form(name name, quantity text, format text DEFAULT 'tensor', fixed boolean DEFAULT false,
    known jsonb DEFAULT '{}')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_closed_form'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.closed_form(name, text, text, boolean, jsonb) IS
'How a quantity of one example is computed.
quantity: prediction, loss, gradient (of the loss, by all parameters), gradient_norm, feature_gradient (of the loss), feature_gradient_norm, partial_sensitivity (the gradient of the gradient norm by the features), plis (sigma 1).
format: tensor lists operations on whole tensors, t7 (1, 8) = matmul(features, layer1.weights; 0, 0); what follows a semicolon are the operation''s attributes: of matmul, which factor is transposed; of reductions and broadcasts, the first axis and how many; of windows, height, width, stride, padding. sql and latex write every entry out: an expression, or an array of them, over the features x1, x2 and so on, the target y (or y1, y2), weights w1_2_3 (of layer 1, from input 2 to unit 3; of a filter w1_2_1_3_3) and biases b1_2. SQL text can be given to dpsens.sensitivity.
fixed: writes parameters as their present values, so that only features and target are left.
known: values of some inputs, for partial evaluation: {"x3": 0.5, "y": 1} by the names above, or {"features": [0.5, null, 1], "target": 0} as arrays, null for what stays free; a number as target is a class for categorical_cross_entropy. What is known is computed, and what is left is an expression of the other inputs; quantities by the features have entries, and feature_gradient_norm has terms, for the free ones only. A network of many features can be written out for a few of them that way. For sql and latex.
Errors: as dpsens.drop_model; another quantity or format; a name that is no input, a value that is no finite number; no feature is free; too large to be written out (more than 100,000 elements, sums of more than 500 terms, 256 kB for an entry).';

CREATE VIEW dpsens.models AS
SELECT m.name, m.owner, m.definition, pg_catalog.cardinality(m.parameters) AS parameters, m.changed
FROM dpsens.stored_models m
WHERE pg_catalog.pg_has_role(m.owner, 'USAGE');

COMMENT ON VIEW dpsens.models IS
'Models that the reader may use: those of roles that the reader is a member of. parameters: how many.';

-- One example.  The target is an array, or a number: the only output, or a
-- class from 0.

CREATE FUNCTION dpsens.predict(model name, features float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_predict'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.predict(name, float8[]) IS
'What the model predicts for one example: as many numbers as its last layer has outputs. NULL where a feature is NULL or a number overflows.
features: as many as the input has, in an array of any shape, row by row.
Errors: as dpsens.drop_model; another number of features.
This and the functions below take the example as an argument, so they are for roles that may see it: a dp aggregate refuses them. What they return about private data is private data.';

CREATE FUNCTION dpsens.loss(model name, features float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.loss(name, float8[], float8[]) IS
'The loss of one example. NULL where a feature or target is NULL or a number overflows.
target: as many numbers as the last layer has outputs; for categorical_cross_entropy the probabilities of the classes.
Errors: as dpsens.predict; another number of targets.';

CREATE FUNCTION dpsens.loss(model name, features float8[], target float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.loss(name, float8[], float8) IS
'The same with a target that is one number: the only output, or for categorical_cross_entropy the number of a class, from 0 (of none: NULL).
Errors: as with an array; several outputs that are not classes.';

CREATE FUNCTION dpsens.gradient_norm(model name, features float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_gradient_norm'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_norm(name, float8[], float8[]) IS
'The Euclidean norm of the gradient of one example''s loss by all parameters: what DP-SGD clips.
Arguments, NULL and errors: as dpsens.loss.';

CREATE FUNCTION dpsens.gradient_norm(model name, features float8[], target float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_gradient_norm'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_norm(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.partial_sensitivity(model name, features float8[], target float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_partial_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.partial_sensitivity(name, float8[], float8[]) IS
'The gradient, by the features, of dpsens.gradient_norm: Definition 3 of Mueller et al. 2021 with the parameters'' gradient. NULL where the norm is 0.
Arguments, other NULLs and errors: as dpsens.loss. For images: dpsens.heatmap.';

CREATE FUNCTION dpsens.partial_sensitivity(model name, features float8[], target float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_partial_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.partial_sensitivity(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.normalized_gradient(model name, features float8[], target float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_normalized_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.normalized_gradient(name, float8[], float8[]) IS
'The gradient of the loss by the features, over the norm of its gradient by features, target and parameters together: equation (6) of Mueller et al. 2021 as the published code of its section 5.2 computes it. NULL where the norm is 0.
Arguments, other NULLs and errors: as dpsens.loss.';

CREATE FUNCTION dpsens.normalized_gradient(model name, features float8[], target float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_normalized_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.normalized_gradient(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.privacy_loss(model name, features float8[], target float8[],
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_privacy_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.privacy_loss(name, float8[], float8[], float8, float8) IS
'The squared norm of the gradient, clipped at clip, over sigma squared: the squared Mahalanobis distance of Mueller et al. 2022. sigma: standard deviation of the noise on each coordinate of the summed gradients; 1 names the gradient signal.
Arguments, NULL and errors: as dpsens.loss; sigma or clip not greater than 0.';

CREATE FUNCTION dpsens.privacy_loss(model name, features float8[], target float8,
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_privacy_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.privacy_loss(name, float8[], float8, float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.plis(model name, features float8[], target float8[],
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_plis'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.plis(name, float8[], float8[], float8, float8) IS
'Privacy loss-input susceptibility (Mueller et al. 2022): the gradient of dpsens.privacy_loss by the features; signed, and 0 for an example whose gradient is clipped.
Arguments, NULL and errors: as dpsens.privacy_loss.';

CREATE FUNCTION dpsens.plis(model name, features float8[], target float8,
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_plis'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.plis(name, float8[], float8, float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.fil(model name, features float8[], target float8[], sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fil'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fil(name, float8[], float8[], float8) IS
'Fisher information loss (Hannun et al. 2021) of one example in its gradient with noise of standard deviation sigma: the greatest singular value of the gradient''s Jacobian by the features, over sigma. Clipping is not counted.
Arguments, NULL and errors: as dpsens.loss; sigma not greater than 0; more than 1024 features.';

CREATE FUNCTION dpsens.fil(model name, features float8[], target float8, sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fil'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fil(name, float8[], float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.fim_trace(model name, features float8[], target float8[], sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fim_trace'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim_trace(name, float8[], float8[], float8) IS
'The trace of the Fisher information matrix whose greatest eigenvalue is the square of dpsens.fil.
Arguments, NULL and errors: as dpsens.fil.';

CREATE FUNCTION dpsens.fim_trace(model name, features float8[], target float8, sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fim_trace'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim_trace(name, float8[], float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.fim(model name, features float8[], target float8[], sigma float8 DEFAULT 1)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_fim'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim(name, float8[], float8[], float8) IS
'The Fisher information matrix itself: a two-dimensional array of as many rows and columns as there are features. The root of a diagonal entry is the information loss of that feature alone.
Arguments, NULL and errors: as dpsens.fil.';

CREATE FUNCTION dpsens.fim(model name, features float8[], target float8, sigma float8 DEFAULT 1)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_fim'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim(name, float8[], float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';
-- Training, with noise on a protected table.

CREATE PROCEDURE dpsens.train(model name, relation regclass, features name[], target name, steps int4, learning_rate float8,
    clip float8 DEFAULT NULL, expected_rows bigint DEFAULT NULL,
    epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, noise_multiplier float8 DEFAULT NULL,
    optimizer text DEFAULT 'sgd', momentum float8 DEFAULT 0.9, parameter_bound float8 DEFAULT NULL, sampling_rate float8 DEFAULT NULL,
    bound text DEFAULT NULL, feature_range float8[] DEFAULT NULL, target_range float8[] DEFAULT NULL, bound_boxes int4 DEFAULT 100,
    checkpoint int4 DEFAULT NULL, test_relation regclass DEFAULT NULL, query text DEFAULT NULL)
AS 'MODULE_PATHNAME', 'dpsens_train'
LANGUAGE C;

COMMENT ON PROCEDURE dpsens.train(name, regclass, name[], name, int4, float8, float8, bigint, float8, float8, float8, text, float8, float8, float8, text, float8[], float8[], int4, int4, regclass, text) IS
'Trains a model on the rows of a table, which the caller must be allowed to read: gradient descent in full batches, parameters = parameters - learning_rate * sum of gradients / expected_rows, or on samples.
sampling_rate: in every step each row takes part with this probability, by a draw of its own from the strong random source, and the sum is divided by sampling_rate * expected_rows; who took part, and how many, is never shown. NULL or 1: all rows in every step. 1 / sampling_rate steps are an epoch.
features: columns of numbers, booleans, or arrays of numbers, as many numbers together as the model has features. target: a column of numbers or arrays; a number is the class, from 0, for categorical_cross_entropy. Rows in which something is NULL, not finite, of another length or no class are left out.
query: SELECT expressions FROM relation WHERE conditions, whose columns are then features and target. Over a protected table it reads nothing else, once, by immutable functions, so that each row makes one example at most; features then need feature_range and target_range for bound. Over others any SELECT.
On a protected table each example''s gradient is clipped to the Euclidean norm clip and the sum of all gets discrete Gaussian noise on every coordinate, exact and on a grid. Needed then: clip or bound, expected_rows (a public number; the number of rows is none), and either epsilon, for the whole run with delta (dpsens.delta by default), or noise_multiplier, the standard deviation of the noise of a step over clip. The run is charged to the table''s and the caller''s budgets before it begins and appears in dpsens.releases as one release of rho = steps * D^2 / 2N^2 with D = clip (add_remove) or 2 clip (replace, attribute) and N the scale of the noise. With sampling_rate, which needs adjacency add_remove, it is one of mechanism subsampled, with the noise''s scale, steps and rate; the epsilon is that of the Renyi losses of Poisson-sampled Gaussian noise, and the charge is a rho that holds up to an eighth of delta. Nothing is refunded.
On another table there is no noise; clip is optional, and expected_rows is the number of rows by default.
optimizer: sgd, momentum (velocity = momentum * velocity + gradient), adam (Kingma and Ba 2015, beta 1 = momentum, beta 2 = 0.999).
parameter_bound: brings every parameter into [-parameter_bound, parameter_bound] before the first and after every step.
bound: instead of clip, what is proved to bound the gradient of every example within the features'' and the target''s ranges, into which examples are brought. weights: over all parameters within parameter_bound, by a search of at most bound_boxes boxes. iteration: at the parameters of each step, by such a search; noise is in proportion. lipschitz: known in advance from the ranges of activations and slopes, without a search; of a single layer with sigmoid or softmax even without parameter_bound. Gradients are clipped to it all the same, so that privacy does not rest on the proof; nothing is ever clipped.
feature_range: {low, high} of all features, or such a pair for each; else the declared ranges of columns of numbers. target_range: {low, high}; else the declared range; a class needs none.
A run is one transaction: if it fails or is cancelled the model stays as it was, and what was charged stays charged. With checkpoint, CALL must not be part of a transaction, and the state is committed after every so many steps: after a crash or cancellation dpsens.resume_training goes on from there, without another charge. The model changes at the end in either case; training it anew forgets the run.
test_relation: a table that is not protected, with the same columns; the mean loss on its rows is shown on the way, in dpsens.training and, with checkpoint, in a NOTICE.
Errors: as dpsens.set_model_parameters; a column that is not there or not of numbers; metric adjacency; samples under another one than add_remove; several rows per unit; row accounting; row-level security that applies to the caller; a query that is not as above; both clip and bound; ranges that are missing; a model whose gradients have no bound; budgets that do not suffice; a test_relation that is protected; a relation or test_relation that is not protected but shows rows of one that is (a view, a partition); checkpoint in a transaction; parameters that are not finite any more.
Source: Abadi et al. 2016; Mironov, Talwar and Zhang 2019; with the noise of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION dpsens.gradient_bound(model name, feature_range float8[], target_range float8[] DEFAULT NULL, parameter_bound float8 DEFAULT NULL,
    max_boxes int4 DEFAULT 1000, OUT lower float8, OUT upper float8, OUT boxes int4)
AS 'MODULE_PATHNAME', 'dpsens_gradient_bound'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.gradient_bound(name, float8[], float8[], float8, int4) IS
'A proved bound on dpsens.gradient_norm of every example there can be: none has more than upper; some has lower. By interval arithmetic on tensors, rounded outward, and a search of at most max_boxes boxes (1: none).
feature_range: {low, high} of all features, or such a pair for each, in an array of any shape. target_range: {low, high} of every number of the target; may be NULL for categorical_cross_entropy: one class. parameter_bound: over all parameters of at most this magnitude, which may be Infinity; NULL: at the model''s parameters.
Errors: as dpsens.drop_model; ranges that are none; a model whose gradients have no bound; one of more than 2^24 numbers in all its tensors.';

-- Runs with checkpoints that are not over.  Not dumped: a restored database
-- does not take steps again that the original took.
CREATE TABLE dpsens.training_run (
    model name NOT NULL PRIMARY KEY,
    role oid NOT NULL,
    relation oid NOT NULL,
    features name[] NOT NULL,
    target name NOT NULL,
    test_relation oid NOT NULL,
    adjacency text NOT NULL,
    release bigint NOT NULL,
    epsilon float8 NOT NULL,
    delta float8 NOT NULL,
    step int4 NOT NULL,
    steps int4 NOT NULL,
    checkpoint int4 NOT NULL,
    learning_rate float8 NOT NULL,
    optimizer text NOT NULL,
    momentum float8 NOT NULL,
    parameter_bound float8 NOT NULL,
    sampling_rate float8 NOT NULL,
    divisor float8 NOT NULL,
    clip float8 NOT NULL,
    scale bigint NOT NULL,
    bound text NOT NULL,
    feature_low float8[],
    feature_high float8[],
    target_range float8[],
    bound_boxes int4 NOT NULL,
    parameters float8[] NOT NULL,
    states float8[] NOT NULL,
    query text,
    changed timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);
ALTER TABLE dpsens.training_run ALTER COLUMN parameters SET STORAGE EXTERNAL, ALTER COLUMN states SET STORAGE EXTERNAL;
COMMENT ON TABLE dpsens.training_run IS 'runs of dpsens.train with checkpoints that are not over, for dpsens.resume_training; dpsens.training_runs shows a role its own';
COMMENT ON COLUMN dpsens.training_run.release IS 'what was charged for all steps; 0 where nothing was';
COMMENT ON COLUMN dpsens.training_run.step IS 'steps after which the parameters and the optimizer''s states are those stored here; each commit replaces the state that it went on from, so no step is released twice';

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.training_run
    FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_run ENABLE ALWAYS TRIGGER keep_ledger;

CREATE VIEW dpsens.training_runs WITH (security_barrier) AS
SELECT r.model, r.relation::pg_catalog.regclass AS relation, r.step, r.steps, r.checkpoint,
    NULLIF(r.release, 0) AS release, CASE WHEN r.release <> 0 THEN r.epsilon END AS epsilon, CASE WHEN r.release <> 0 THEN r.delta END AS delta, r.changed
FROM dpsens.training_run r
WHERE pg_catalog.pg_has_role(r.role, 'USAGE');
COMMENT ON VIEW dpsens.training_runs IS 'runs of dpsens.train with checkpoints that are not over, of roles that the reader is a member of: dpsens.resume_training goes on after step';
COMMENT ON COLUMN dpsens.training_runs.epsilon IS 'of all steps, charged when the run began; null where nothing was';

CREATE PROCEDURE dpsens.resume_training(model name)
AS 'MODULE_PATHNAME', 'dpsens_resume_training'
LANGUAGE C;

COMMENT ON PROCEDURE dpsens.resume_training(name) IS
'Goes on with a run of dpsens.train that had checkpoints and was interrupted, after the last of them, on the rows as they are now. Nothing is charged: the run was charged when it began, and steps after the checkpoint, if there were any, were seen by nobody. Not part of a transaction.
Errors: as dpsens.drop_model; there is no unfinished run of that model, or it is another role''s; another session goes on with it at the same time (the one that reaches its next checkpoint second fails); the table is protected otherwise than when the run began; fsync is off; the ledger was charged in another database.';

CREATE FUNCTION dpsens_internal.training_progress(OUT pid int4, OUT model name, OUT relation regclass, OUT step int4, OUT steps int4, OUT epoch float8, OUT epochs float8,
    OUT epsilon float8, OUT delta float8, OUT loss float8, OUT loss_step int4, OUT started timestamptz, OUT seconds_left float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_training_progress'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION dpsens_internal.training_progress() IS 'What dpsens.training shows.';

CREATE VIEW dpsens.training AS SELECT * FROM dpsens_internal.training_progress();
COMMENT ON VIEW dpsens.training IS 'runs of dpsens.train that go on at this moment in this database, of roles that the reader is a member of; empty if the library is not preloaded';
COMMENT ON COLUMN dpsens.training.epoch IS 'steps times the sampling rate: how often each row took part, on average';
COMMENT ON COLUMN dpsens.training.epsilon IS 'of the steps taken so far, at delta; all steps were charged when the run began; null where nothing is';
COMMENT ON COLUMN dpsens.training.loss IS 'mean loss on the rows of test_relation after loss_step steps; losses on protected rows are not shown';
COMMENT ON COLUMN dpsens.training.seconds_left IS 'by the steps of this session; null before the first';

CREATE FUNCTION dpsens.training_epsilon(noise_multiplier float8, steps bigint, delta float8, sampling_rate float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_training_epsilon'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.training_epsilon(float8, bigint, float8, float8) IS
'The epsilon at delta of a run of dpsens.train, under add_remove, before anything is spent: of zero-concentrated DP for full batches, of Renyi losses for samples. Infinity where there is none.
noise_multiplier: between 2^-40 and 2^22. sampling_rate: greater than 0, at most 1.
Errors: arguments outside of these ranges; steps negative; delta not between 0 and 1.
Source: Canonne, Kamath and Steinke 2020; Mironov, Talwar and Zhang 2019.';
-- Operations on tensors as functions of arrays: what models are made of, for row
-- expressions of one's own.  An array of n dimensions is a tensor of that rank.
-- In row expressions they are written out element by element: arrays are
-- ARRAY[...] of columns, constants, or what such a function returns.

CREATE FUNCTION dpsens.sigmoid(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.sigmoid(float8[]) IS
'1 / (1 + exp(-x)) of every element, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.tempered_sigmoid(x float8[], scale float8, temperature float8, shift float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.tempered_sigmoid(float8[], float8, float8, float8) IS
'scale * sigmoid(temperature * x) - shift of every element (Papernot et al. 2021). NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.tanh(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.tanh(float8[]) IS
'The hyperbolic tangent of every element. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.relu(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.relu(float8[]) IS
'Every element, or 0 if it is less. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.softplus(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.softplus(float8[]) IS
'ln(1 + exp(x)) of every element, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.gelu(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.gelu(float8[]) IS
'x times the standard normal distribution function at x, of every element. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.softmax(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.softmax(float8[]) IS
'exp(x) over its sum along the last dimension, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.log_sum_exp(x float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.log_sum_exp(float8[]) IS
'The logarithm of the sum of the exponentials of all elements, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.l2_norm(x float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.l2_norm(float8[]) IS
'The Euclidean norm of all elements. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.dot(x float8[], y float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.dot(float8[], float8[]) IS
'The sum of the products of elements at equal places; both have the same dimensions. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.outer_product(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.outer_product(float8[], float8[]) IS
'The products of every element of x with every one of y, both of one dimension. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.matmul(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.matmul(float8[], float8[]) IS
'The product of two matrices, (m, k) and (k, n). NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.transpose(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.transpose(float8[]) IS
'A matrix with rows and columns exchanged. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.sum_over(x float8[], axis int4)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.sum_over(float8[], int4) IS
'The sums along a dimension, counted from 1, which goes; of a vector an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.max_over(x float8[], axis int4)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.max_over(float8[], int4) IS
'The greatest elements along a dimension, counted from 1, which goes; of a vector an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.mean_over(x float8[], axis int4)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.mean_over(float8[], int4) IS
'The averages along a dimension, counted from 1, which goes; of a vector an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.conv2d(image float8[], filters float8[], stride int4 DEFAULT 1, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.conv2d(float8[], float8[], int4, int4) IS
'The correlation of an image, (channels, height, width) or (height, width), with filters, (number, channels, height, width): an image of as many channels as there are filters. padding: rows of zeros around the image, fewer than the filters have. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.average_pool(image float8[], size int4, stride int4, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.average_pool(float8[], int4, int4, int4) IS
'The averages of square windows onto an image, (channels, height, width) or (height, width); padding counts as zeros. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.max_pool(image float8[], size int4, stride int4, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.max_pool(float8[], int4, int4, int4) IS
'The greatest elements of square windows onto an image, (channels, height, width) or (height, width); padding does not count. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.squared_loss(prediction float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.squared_loss(float8[], float8[]) IS
'The sum of the squares of the differences; both have the same dimensions, as in the other losses. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.huber_loss(prediction float8[], target float8[], delta float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.huber_loss(float8[], float8[], float8) IS
'The sum over differences e of e^2 / 2 up to |e| = delta and delta (|e| - delta / 2) from there on; delta is greater than 0. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.binary_cross_entropy(probability float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.binary_cross_entropy(float8[], float8[]) IS
'The sum of -y ln p - (1 - y) ln(1 - p). NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.categorical_cross_entropy(probability float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.categorical_cross_entropy(float8[], float8[]) IS
'The sum of -y ln p. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.add(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.add(float8[], float8[]) IS
'The sums of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.subtract(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.subtract(float8[], float8[]) IS
'The differences of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.multiply(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.multiply(float8[], float8[]) IS
'The products of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.divide(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.divide(float8[], float8[]) IS
'The quotients of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.reshape(x float8[], shape int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.reshape(float8[], int4[]) IS
'The same elements, row by row, in another shape of 1 to 4 dimensions and as many elements. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.broadcast_to(x float8[], shape int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.broadcast_to(float8[], int4[]) IS
'The array repeated to this shape: counted from the last one, its dimensions are those of the shape, or 1, or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.transpose(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.transpose(float8[], int4[]) IS
'The dimensions in another order: the first one of the result is the one of x that is named first, counted from 1. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.sum_over(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.sum_over(float8[], int4[]) IS
'The sums along several dimensions, counted from 1, which go; of all, an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.max_over(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.max_over(float8[], int4[]) IS
'The greatest elements along several dimensions, counted from 1, which go; of all, an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.mean_over(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.mean_over(float8[], int4[]) IS
'The averages along several dimensions, counted from 1, which go; of all, an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.depthwise_conv2d(image float8[], filters float8[], stride int4 DEFAULT 1, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.depthwise_conv2d(float8[], float8[], int4, int4) IS
'The correlation of every channel of an image, (channels, height, width) or (height, width), with a filter of its own, (channels, height, width). padding: as for dpsens.conv2d. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';
-- Who may use what.  Functions are nobody's until they are granted here, so
-- that a new one is not PUBLIC's by accident.

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpsens, dpsens_internal FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA dpsens, dpsens_internal FROM PUBLIC;
-- Of the internal schema, too: functions that run as the caller look there by name.
GRANT USAGE ON SCHEMA dpsens, dpsens_internal TO PUBLIC;

-- Setters check that the caller owns the table.
GRANT EXECUTE ON FUNCTION
    dpsens.protect(regclass, text, text, int, int, int),
    dpsens.unprotect(regclass),
    dpsens.set_range(regclass, name, float8, float8, float8),
    dpsens.set_range(regclass, name, text, text, float8),
    dpsens.set_range_from_checks(regclass),
    dpsens.set_values(regclass, name, text[]),
    dpsens.set_public(regclass, name),
    dpsens.set_public(regclass),
    dpsens.clear(regclass, name)
TO PUBLIC;

-- So do budget functions; the ledger itself is written by its worker.
GRANT EXECUTE ON FUNCTION
    dpsens.grant_budget(regclass, regrole, float8, float8, interval, float8, boolean),
    dpsens.set_budget(regclass, float8, float8, float8, float8, float8),
    dpsens.revoke_budget(regclass, regrole),
    dpsens.revoke_budget(regclass),
    dpsens.acknowledge_restore()
TO PUBLIC;

-- Views show relations that the reader owns, or the reader's own.
GRANT EXECUTE ON FUNCTION
    dpsens_internal.loss_of_amount(bigint, integer),
    dpsens_internal.left_of_amount(bigint, bigint, integer),
    dpsens_internal.charge_of_release(text, bigint[], bigint[], bigint[], bigint, float8, bigint),
    dpsens_internal.answers_left(bigint[], bigint[], bigint[]),
    dpsens.answers_left(text),
    dpsens_internal.answer_cost(),
    dpsens_internal.statement_cost(text),
    dpsens.verify_ledger(),
    dpsens.privacy_spent(regclass, float8)
TO PUBLIC;
GRANT SELECT ON dpsens.budgets, dpsens.row_budgets, dpsens_internal.my_purses, dpsens.my_budget, dpsens.releases, dpsens_internal.ledger_check TO PUBLIC;

-- Annotations are public by definition.
GRANT EXECUTE ON FUNCTION dpsens_internal.describe_column(regclass, int2) TO PUBLIC;
GRANT SELECT ON dpsens.columns, dpsens.public_relations TO PUBLIC;

-- Analysis without data, and of registered expressions, whose certificates are
-- public by definition.
GRANT EXECUTE ON FUNCTION
    dpsens.sensitivity(text, jsonb),
    dpsens.gradient(text, jsonb),
    dpsens.evaluate(text, jsonb),
    dpsens.operations(),
    dpsens.discrete_sensitivity(text[], text[], int4[], float8, boolean, int4range),
    dpsens.certificate(text, jsonb, text[], int4),
    dpsens.certificate_of(regprocedure, text[], int4),
    dpsens.verify_certificate(jsonb),
    dpsens.advise(text, jsonb),
    dpsens.advise(regprocedure),
    dpsens.register(name, regclass, text),
    dpsens.unregister(name, regclass),
    dpsens_internal.describe_expression(regprocedure),
    dpsens.explain(text, float8),
    dpsens.check_security(pg_catalog.regrole)
TO PUBLIC;
GRANT SELECT ON dpsens.expressions TO PUBLIC;

-- What a rewritten query calls, it calls as the caller.  Written by hand these
-- are refused: the guard does not let them stand beside a dp aggregate, and
-- elsewhere there is no receipt to release under.
GRANT EXECUTE ON FUNCTION
    dpsens_internal.exact_state(dpsens_internal.plan),
    dpsens_internal.exact_state(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_vector(dpsens_internal.plan),
    dpsens_internal.exact_vector(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.release_answer(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.finish_count(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer),
    dpsens_internal.finish_value(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer),
    dpsens_internal.finish_array(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer),
    dpsens_internal.finish_interval(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8),
    dpsens_internal.finish_intervals(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8),
    dpsens_internal.finish_truth(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8),
    dpsens_internal.finish_mode(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8, anyarray),
    dpsens_internal.release_room(dpsens_internal.plan),
    dpsens_internal.exact_brought(int4),
    dpsens_internal.release_count(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_value(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.unit_order(VARIADIC "any"),
    dpsens_internal.exact_rows(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_includes(dpsens_internal.plan, record),
    dpsens_internal.exact_attempt(dpsens_internal.plan, anyelement, VARIADIC "any"),
    dpsens_internal.exact_parameter("any"),
    dpsens_internal.exact_epsilon(int4, float8),
    dpsens_internal.exact_pattern(text, int4)
TO PUBLIC;

GRANT EXECUTE ON FUNCTION
    dpsens_internal.exact_groups(dpsens_internal.plan),
    dpsens_internal.exact_groups(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_parts(dpsens_internal.plan, VARIADIC "any"), dpsens_internal.exact_units(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_group(dpsens_internal.states, int4, int4),
    dpsens_internal.exact_key(anyarray, int4, int4), dpsens_internal.exact_key(anyelement, int4, int4, int4),
    dpsens_internal.exact_listed_key(dpsens_internal.plan, anyelement, int4, int4)
TO PUBLIC;

GRANT EXECUTE ON FUNCTION
    dpsens_internal.exact_tally(dpsens_internal.plan),
    dpsens_internal.exact_tally(dpsens_internal.plan, VARIADIC "any"),
    dpsens_internal.exact_merge(dpsens_internal.state),
    dpsens_internal.release_group(dpsens_internal.plan, bigint, bigint),
    dpsens_internal.release_values(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_counts(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_truth(dpsens_internal.plan, dpsens_internal.state),
    dpsens_internal.release_key(dpsens_internal.plan, dpsens_internal.state, anyarray)
TO PUBLIC;

-- Auditing functions see the row they are given and nothing else.
GRANT EXECUTE ON FUNCTION
    dpsens.expression_columns(regprocedure),
    dpsens_internal.cells_number(int4, regprocedure, float8, int4, int2[], "any"),
    dpsens_internal.cells_array(int4, regprocedure, float8, int4, int2[], "any"),
    dpsens.value_of(regprocedure, record),
    dpsens.slope_of(regprocedure, record, int4),
    dpsens.gradient_of(regprocedure, record),
    dpsens.gradient_norm_of(regprocedure, record),
    dpsens.contribution_of(regprocedure, record),
    dpsens.contribution_of(regprocedure, record, int4),
    dpsens.partial_sensitivity_of(regprocedure, record),
    dpsens.partial_sensitivity_of(regprocedure, record, int4),
    dpsens.plis_of(regprocedure, record, float8),
    dpsens.plis_of(regprocedure, record, float8, int4),
    dpsens.audit_row(regprocedure, record),
    dpsens.individual_loss(regprocedure, record, float8),
    dpsens.individual_epsilon(regprocedure, record, float8),
    dpsens.first_order_loss(regprocedure, record, float8)
TO PUBLIC;

-- They read a table as the caller, or check that the caller owns it.
GRANT EXECUTE ON FUNCTION
    dpsens.row_sensitivity(regprocedure),
    dpsens.row_loss(regclass),
    dpsens.sensitivity_summary(regprocedure, float8[]),
    dpsens.report(regclass),
    dpsens.create_audit_view(regprocedure, name, float8, float8)
TO PUBLIC;

-- Figures show what they are given.
GRANT EXECUTE ON FUNCTION
    dpsens.contour(text, jsonb, text, text, text),
    dpsens.histogram(float8[], text, float8, int4, text),
    dpsens.bar_chart(text[], float8[], text, text),
    dpsens.heatmap(float8[], int4, text, text)
TO PUBLIC;

-- Models belong to roles, which is checked; examples are arguments.
GRANT EXECUTE ON FUNCTION
    dpsens.create_model(name, jsonb),
    dpsens.drop_model(name),
    dpsens.model_parameters(name),
    dpsens.set_model_parameters(name, float8[]),
    dpsens.model_summary(name),
    dpsens.closed_form(name, text, text, boolean, jsonb),
    dpsens.predict(name, float8[]),
    dpsens.loss(name, float8[], float8[]),
    dpsens.loss(name, float8[], float8),
    dpsens.gradient_norm(name, float8[], float8[]),
    dpsens.gradient_norm(name, float8[], float8),
    dpsens.partial_sensitivity(name, float8[], float8[]),
    dpsens.partial_sensitivity(name, float8[], float8),
    dpsens.normalized_gradient(name, float8[], float8[]),
    dpsens.normalized_gradient(name, float8[], float8),
    dpsens.privacy_loss(name, float8[], float8[], float8, float8),
    dpsens.privacy_loss(name, float8[], float8, float8, float8),
    dpsens.plis(name, float8[], float8[], float8, float8),
    dpsens.plis(name, float8[], float8, float8, float8),
    dpsens.fil(name, float8[], float8[], float8),
    dpsens.fil(name, float8[], float8, float8),
    dpsens.fim(name, float8[], float8[], float8),
    dpsens.fim(name, float8[], float8, float8),
    dpsens.fim_trace(name, float8[], float8[], float8),
    dpsens.fim_trace(name, float8[], float8, float8),
    dpsens.gradient_bound(name, float8[], float8[], float8, int4),
    dpsens_internal.training_progress(),
    dpsens.training_epsilon(float8, bigint, float8, float8)
TO PUBLIC;
GRANT SELECT ON dpsens.models, dpsens.training, dpsens.training_runs TO PUBLIC;
GRANT EXECUTE ON PROCEDURE
    dpsens.train(name, regclass, name[], name, int4, float8, float8, bigint, float8, float8, float8, text, float8, float8, float8, text, float8[], float8[], int4, int4, regclass, text),
    dpsens.resume_training(name)
TO PUBLIC;

-- Functions of their arguments.
GRANT EXECUTE ON FUNCTION
    dpsens.sigmoid(float8[]),
    dpsens.tempered_sigmoid(float8[], float8, float8, float8),
    dpsens.tanh(float8[]),
    dpsens.relu(float8[]),
    dpsens.softplus(float8[]),
    dpsens.gelu(float8[]),
    dpsens.softmax(float8[]),
    dpsens.log_sum_exp(float8[]),
    dpsens.l2_norm(float8[]),
    dpsens.dot(float8[], float8[]),
    dpsens.outer_product(float8[], float8[]),
    dpsens.matmul(float8[], float8[]),
    dpsens.transpose(float8[]),
    dpsens.transpose(float8[], int4[]),
    dpsens.add(float8[], float8[]),
    dpsens.subtract(float8[], float8[]),
    dpsens.multiply(float8[], float8[]),
    dpsens.divide(float8[], float8[]),
    dpsens.reshape(float8[], int4[]),
    dpsens.broadcast_to(float8[], int4[]),
    dpsens.sum_over(float8[], int4[]),
    dpsens.max_over(float8[], int4[]),
    dpsens.mean_over(float8[], int4[]),
    dpsens.depthwise_conv2d(float8[], float8[], int4, int4),
    dpsens.sum_over(float8[], int4),
    dpsens.max_over(float8[], int4),
    dpsens.mean_over(float8[], int4),
    dpsens.conv2d(float8[], float8[], int4, int4),
    dpsens.average_pool(float8[], int4, int4, int4),
    dpsens.max_pool(float8[], int4, int4, int4),
    dpsens.squared_loss(float8[], float8[]),
    dpsens.huber_loss(float8[], float8[], float8),
    dpsens.binary_cross_entropy(float8[], float8[]),
    dpsens.categorical_cross_entropy(float8[], float8[])
TO PUBLIC;
