
-- What-if analysis: sensitivities and derivatives without a table.
-- Names in an expression are the keys of a JSON object.

CREATE FUNCTION dpsens.sensitivity(expression text, ranges jsonb,
    OUT quantity text, OUT lower float8, OUT upper float8, OUT witness jsonb, OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000 ROWS 15;

COMMENT ON FUNCTION dpsens.sensitivity(text, jsonb) IS
'Certified brackets of what privacy asks of an expression, one row a quantity: infimum, supremum, add_remove (largest magnitude), replace (length of the range), metric (K, the supremum of the weighted 2-norm of the gradient, or where integers and truth values have to move by whole steps, of their steps and that of the others together), metric_l1, metric_linf, then attribute:<column> (the furthest that one column moves the value) and slope:<column> for each private column.
ranges: {"a": [lo, hi]} or {"a": {"range": [lo, hi], "type": "integer", "weight": 2, "public": true, "nullable": true}}; the type is double precision by default, a boolean has no range.
lower, upper: the quantity lies between; of suprema the lower end is attained at the witness, of the infimum the upper one.
note: why there is no finite bound (then upper is Infinity), or the value that an attribute moves from. Where some rows have no value, the infimum or supremum is that of the others, if they have one, and the note says so.
A vector, ARRAY[e1, e2, ...] of 1 to 16 numbers, has joint sensitivities instead, in the 1-, 2- and maximum norm: add_remove_l1, _l2, _linf, the norm of the vector; replace_l1, _l2, _linf, the furthest that two rows'' vectors are apart; metric_l1, _l2, _linf, the norm of the Jacobian as an operator from the weighted Euclidean distance of rows to the norm of vectors; attribute_l1:<column> and so on. note then names the other row. A row adds its vector where all entries have a value, else nothing.
Errors: an expression that cannot be parsed or is not supported; a name without a range; a malformed range, type, weight or option; an array that is empty, nested or longer than 16.';

CREATE FUNCTION dpsens.jacobian_sensitivity(expression text, ranges jsonb, p float8 DEFAULT 2,
    OUT lower float8, OUT upper float8, OUT witness jsonb, OUT note text)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_jacobian_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.jacobian_sensitivity(text, jsonb, float8) IS
'The Jacobian sensitivity (JacSens) of a query: a certified bracket of the supremum, over the ranges, of the norm of its Jacobian by the private columns. What dpsens.sensitivity calls metric of a number, and metric_l1, metric_l2 and metric_linf of a vector, without the other quantities. It scales noise under metric adjacency only: neighbours that add, remove or replace a row are further apart than a slope says.
expression: a number, whose Jacobian is its gradient, or a vector ARRAY[e1, e2, ...] of 1 to 16 numbers. ranges: as for dpsens.sensitivity.
p: the norm of vectors that the operator norm goes to from the weighted Euclidean distance of rows: 2 (the greatest singular value), 1 or Infinity. Of one number it makes no difference.
lower, upper, witness, note: as for dpsens.sensitivity; where integers have to move by whole steps, the steps are in it.
Errors: as for dpsens.sensitivity; another p.';

CREATE FUNCTION dpsens.jacobian_sensitivity_of(expression text, relation regclass, p float8 DEFAULT 2,
    OUT lower float8, OUT upper float8, OUT witness jsonb, OUT note text)
RETURNS record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT j.lower, j.upper, j.witness, j.note
    FROM (SELECT COALESCE(pg_catalog.jsonb_object_agg(c.column_name, pg_catalog.jsonb_build_object('type', c.type::pg_catalog.text, 'public', c.role = 'public', 'nullable', NOT c.not_null)
                      || CASE WHEN c.type = 'boolean'::pg_catalog.regtype THEN '{}'
                         ELSE pg_catalog.jsonb_build_object('range', pg_catalog.jsonb_build_array(c.lo, c.hi), 'weight', COALESCE(c.weight, 1)) END), '{}') AS ranges
          FROM dpsens.columns c
          WHERE c.relation = jacobian_sensitivity_of.relation AND c.role IN ('private', 'public')
            AND pg_catalog.strpos(pg_catalog.lower(expression), pg_catalog.lower(c.column_name::pg_catalog.text)) > 0
            AND CASE WHEN c.type = 'boolean'::pg_catalog.regtype THEN true
                ELSE c.lo IS NOT NULL AND c.type IN ('float8'::pg_catalog.regtype, 'float4'::pg_catalog.regtype, 'int2'::pg_catalog.regtype, 'int4'::pg_catalog.regtype,
                                                     'int8'::pg_catalog.regtype, 'numeric'::pg_catalog.regtype) END) d,
        LATERAL dpsens.jacobian_sensitivity(expression, d.ranges, p) j;
END;

COMMENT ON FUNCTION dpsens.jacobian_sensitivity_of(text, regclass, float8) IS
'The same over the declared ranges and weights of a protected table: columns of numbers that have a range, and truth values. Declarations are public, and no row is read.
Errors: as for dpsens.jacobian_sensitivity, a name without a declared range among them.';

CREATE FUNCTION dpsens.gradient(expression text, ranges jsonb,
    OUT name text, OUT sql text, OUT latex text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

COMMENT ON FUNCTION dpsens.gradient(text, jsonb) IS
'Closed forms, as SQL and LaTeX: the partial derivative by each private column, then norm, the weighted 2-norm of the gradient; normalized:<column>, the column''s weighted share, whose squares sum to 1; and partial:<column>, the derivative of the norm. Of a vector ARRAY[e1, e2, ...]: <column>[i], the derivative of entry i, then norm[i], that of its gradient.
What would be longer than 256 kB has a name, s1, s2 and so on, for each part that is used more than once, as by dpsens.closed_form in the formats sql_parts and latex_parts.
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
