-- Section 5.1 of T. T. Mueller et al., "Partial sensitivity analysis in
-- differential privacy" (2021): which of five people, and which of their two
-- attributes, an average gives away most.
--
--		psql -X -q -f demo/partial_sensitivity.sql
--		psql -X -q -v svg=figure.svg -v scatter=scatter.svg -v circle=circle.svg -f demo/partial_sensitivity.sql
--
-- The second writes figures to files, too: the norm over the box (figure 1), and the partial sensitivities and
-- the normalized gradients of rows all over the box, as scatter plots.
-- Nothing of it stays in the database.  Function, box and number of people are
-- the paper's; the five rows are made up, one near each corner of the box and one
-- in the middle.

\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
SET client_min_messages = warning;
BEGIN;
CREATE EXTENSION IF NOT EXISTS dpsens;
CREATE TABLE people
(
    name    text PRIMARY KEY,
    a       double precision NOT NULL,
    b       double precision NOT NULL
);
INSERT INTO people VALUES
    ('Ann',  1.05, 2.90),
    ('Ben',  1.90, 2.80),
    ('Cleo', 1.50, 1.75),
    ('Dan',  1.10, 0.60),
    ('Eve',  1.95, 0.55);

\o /dev/null
SELECT dpsens.protect('people', adjacency => 'metric');
SELECT dpsens.set_range('people', 'a', 1, 2);
SELECT dpsens.set_range('people', 'b', 0.5, 3);
SELECT dpsens.register('f', 'people', 'a^2 + exp(2*b - a)');
SELECT dpsens.register('fifth', 'people', '(a^2 + exp(2*b - a)) / 5');
\o

\echo 'The gradient, its norm, what equation (6) normalizes, and Definition 3:'
\echo
SELECT name, sql FROM dpsens.gradient('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}');

\echo 'The supremum of the norm, K, certified.  The paper reports 66.19: that is K / 5,'
\echo 'because its query is the average of five people.'
\echo
SELECT expression, round(metric::numeric, 9) AS k, witness -> 'metric' AS attained_at
FROM dpsens.expressions WHERE relation = 'people'::regclass ORDER BY metric DESC;

\echo 'The paper''s figure 1: the norm over the two attributes, with K where it is attained.'
\echo
\pset tuples_only on
\pset format unaligned
SELECT dpsens.contour('(a^2 + exp(2*b - a)) / 5', '{"a": [1, 2], "b": [0.5, 3]}', 'a', 'b', 'ascii');
\if :{?svg}
\o :svg
SELECT dpsens.contour('(a^2 + exp(2*b - a)) / 5', '{"a": [1, 2], "b": [0.5, 3]}', 'a', 'b');
\o
\endif
\pset tuples_only off
\pset format aligned

\echo 'Partial sensitivities (Definition 3) of a and b against each other, for 41 by 51 rows all over'
\echo 'the box.  The shade is the norm: where it is large the one falls and the other rises, by'
\echo 'twice as much, since exp(2*b - a) is what moves.'
\echo
CREATE TEMP TABLE rows_of_the_box ON COMMIT DROP AS
SELECT n.gradient_norm AS norm, n.partial, n.contribution
FROM generate_series(0, 40) i, generate_series(0, 50) j, LATERAL (SELECT ROW('', 1 + i / 40.0, 0.5 + j / 20.0)::people AS p) r,
    LATERAL dpsens.audit_row('fifth(people)', p) AS n;
\pset tuples_only on
\pset format unaligned
SELECT dpsens.scatter(array_agg(partial[1]), array_agg(partial[2]), array_agg(norm), NULL, 'of a', 'of b', 'ascii') FROM rows_of_the_box;
\if :{?scatter}
\o :scatter
SELECT dpsens.scatter(array_agg(partial[1]), array_agg(partial[2]), array_agg(norm), 'partial sensitivities, coloured by the gradient norm', 'of a', 'of b') FROM rows_of_the_box;
\o
\endif
\if :{?circle}
\o :circle
SELECT dpsens.scatter(array_agg(contribution[1] ORDER BY norm), array_agg(contribution[2] ORDER BY norm), array_agg(log10(norm) ORDER BY norm),
    'normalized gradients, coloured by the decimal logarithm of the norm', 'of a', 'of b') FROM rows_of_the_box;
\o
\endif
\pset tuples_only off
\pset format aligned

\echo 'How far they reach, and how many of them are near the origin: more than half of the box, where'
\echo 'a row can move nearly at will, is one corner of the figure.  They lie on a line nearly.'
\echo
SELECT round(min(partial[1])::numeric, 2) AS least_a, round(max(partial[1])::numeric, 2) AS greatest_a, round(min(partial[2])::numeric, 2) AS least_b, round(max(partial[2])::numeric, 2) AS greatest_b,
       round(avg((dpsens.l2_norm(partial) < 10)::int), 3) AS shorter_than_10, round(corr(partial[1], partial[2])::numeric, 4) AS correlation
FROM rows_of_the_box;

\echo 'Each person, by the gradient of the average.  share_a and share_b are the normalized'
\echo 'gradient, which is what the paper''s equation (6) and its code compute; the squares sum'
\echo 'to 1.  partial_a and partial_b are its Definition 3, the gradient of the norm.  The'
\echo 'paper takes the one for the other: equation (5) differentiates by the components of the'
\echo 'gradient, not by the attributes.'
\echo
SELECT name, a, b,
       round(n.gradient_norm::numeric, 4) AS norm,
       round((n.gradient_norm / k.upper)::numeric, 4) AS of_k,
       round(n.contribution[1]::numeric, 4) AS share_a,
       round(n.contribution[2]::numeric, 4) AS share_b,
       round(n.partial[1]::numeric, 4) AS partial_a,
       round(n.partial[2]::numeric, 4) AS partial_b
FROM people AS p,
     dpsens.audit_row('fifth(people)', p) AS n,
     dpsens.sensitivity('(a^2 + exp(2*b - a)) / 5', '{"a": [1, 2], "b": [0.5, 3]}') AS k
WHERE k.quantity = 'metric'
ORDER BY norm DESC;

\echo 'The same as a view for the auditor, with the paper''s individual loss at order 2, which'
\echo 'is first-order and no guarantee: Gaussian noise at epsilon 1, delta 1e-5.'
\echo
SET dpsens.epsilon = 1;
SET dpsens.delta = 1e-5;
SET dpsens.mechanism = gaussian;
\o /dev/null
SELECT dpsens.create_audit_view('fifth(people)');
\o
SELECT name, round(value::numeric, 3) AS value, round(slope_a::numeric, 3) AS slope_a, round(slope_b::numeric, 3) AS slope_b,
       round(plis_a::numeric, 1) AS plis_a, round(plis_b::numeric, 1) AS plis_b,
       to_char(first_order_loss, '9.99EEEE') AS first_order_loss
FROM fifth_audit ORDER BY gradient_norm DESC;

\echo 'How much of the global bounds these five people realise:'
\echo
SELECT quantity, round(min::numeric, 4) AS min, round(median::numeric, 4) AS median, round(max::numeric, 4) AS max,
       round(bound::numeric, 4) AS bound, round(realised::numeric, 4) AS realised
FROM dpsens.sensitivity_summary('fifth(people)')
WHERE bound IS NOT NULL;

ROLLBACK;
