
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
The document: "format", "version"; "expression" and "ranges" (with types, weights, public columns), all that the claims are made of; "steps", the integers and booleans that move by whole steps in metrics; "quantities": {"<name>": {"lower", "upper"}}, and "parts", from which they follow: value (the expression f), negated_value (-f), steepness (the sum of the squares of f''s derivatives by the private columns, each divided by its weight, or the magnitude of the only one), steepness_sum (the sum of their magnitudes), steepest (the greatest of them), continuity (no jump as private columns move; these four without the columns in "steps"), move:<column> (f less f with another value of the column), step_down:<column> (f less f with the integer column 1 higher), step_up:<column> (the negative), slope:<column>, negated_slope:<column>.
infimum = -negated_value, supremum = value, add_remove = max(value, negated_value), replace = value + negated_value, metric = sqrt(steepness), metric_l1 = steepness_sum and metric_linf = steepest if continuous (with "steps", the norm of that and of the greatest step of each such column divided by its weight: move:<c> of a boolean, else max(step_down:<c>, step_up:<c>); the 2-norm, the sum and the greatest; f must not be null where no column is), attribute:<c> = move:<c>, slope:<c> = max(slope:<c>, negated_slope:<c>); none below 0 but the first two, and where a column may make the row NULL, max(value, negated_value) counts for replace and attribute.
A part states that its "expression" is defined and at most "upper" on the ranges (in steepness and the like, and in continuity, with private integers relaxed to reals), and at least "lower" at the "witness". "form" is plain as derived; or rewritten: common factors taken out, conditions outermost, shares of a sum with the numerator once, moves without what does not move, derivatives over one denominator as well, and one period of a column in place of its range if the expression knows it only by sines, cosines and tangents of multiples of it; or scored: that, with "score", a sum of terms of one column each or linear, as a column of its own, the last of "columns"; or affine, scored affine: these, with enclosures cut by affine forms; or turning: plain, and columns that go through many periods of sines have "phases", {"<name>": {"of": c, "range": [0, p]}}, columns of their own that stand for c in these sines.
"boxes" cover the ranges, and on each the expression is at most its "upper": "box" has [lo, hi] a column in the order of "columns" ([lo, hi, null] if it may be NULL as well, null if it is). "face" {c: x}: the expression is monotone in c, and so greatest at x, one of the ends. "by" says how the rest is bounded: interval, the upper end of the enclosure; mean value, f(c) + sum of slope * (x - c) for c the "centre"; null, there being no value; quadratic, what a quadratic form rises to; cover, of roots sqrt(a^2 + ...) that have no derivative at 0, for which any unit vector may stand, or of arcs on a sphere (asin, acos), which move no further than their angles; phase, no value of a column having its phase; continuity.
"tree" lists depth first how the boxes come about: {"cut": c, "at": x} into c <= x and c >= x (integers: > x), {"null": c} into not NULL and NULL, {"face": {c: "lo" or "hi"}} where one enclosure shows the expression monotone in c, {"turn": c, "to": [lo, hi]} which leaves those c in [lo, hi], the others not having the phase, and ends the phase (null in "box"), and null for the next one of "boxes". "jump" of continuity: by how much branches of a CASE are apart that meet but for the rounding of constants.
Bounds are of exact values; the rounding error of evaluating a row is not part of a certificate.
Errors: a document that is malformed or of another version; an expression or ranges that dpsens.sensitivity would refuse.';
