-- Certificates: made by a search, checked without one.
-- Files: glue/certificate/quantity_certificate_write.c.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
SET client_min_messages = notice;
SET extra_float_digits = -3;
\set SHOW_CONTEXT never

-- The whole document of a small example.  Its boxes cover the ranges.
SELECT jsonb_pretty(dpsens.certificate('x * (1 - x) + k', '{"x": [0, 1], "k": {"range": [0, 3], "type": "integer"}}', '{supremum}'));

-- Every quantity, and the very ends that dpsens.sensitivity has.
SELECT v.quantity, v.valid, v.boxes, v.lower, v.upper, v.lower = s.lower AND v.upper = s.upper AS same, v.reason
FROM dpsens.verify_certificate(dpsens.certificate('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}',
        '{infimum, supremum, add_remove, replace, metric, metric_l1, metric_linf, attribute:a, attribute:b, slope:a, slope:b}')) AS v
JOIN dpsens.sensitivity('a^2 + exp(2*b - a)', '{"a": [1, 2], "b": [0.5, 3]}') AS s USING (quantity);

-- By default the first five, where they have a bound.
SELECT * FROM dpsens.verify_certificate(dpsens.certificate('a*w/h^2', '{"a": [18, 100], "w": [30, 250], "h": [1.2, 2.2]}'));
SELECT c -> 'refused' AS refused, (SELECT array_agg(quantity) FROM dpsens.verify_certificate(c) WHERE valid) AS valid
FROM dpsens.certificate('CASE WHEN x >= 1 THEN 1 ELSE 0 END', '{"x": [0, 4]}') AS c;

-- Types, weights, public columns, NULL, and a column whose name the moved one
-- would have.
SELECT v.quantity, v.valid, v.boxes, v.lower, v.upper
FROM dpsens.verify_certificate(dpsens.certificate(
        'price * other + CASE WHEN smoker THEN 2 ELSE 1 END * coalesce(n, 0)',
        '{"price": {"range": [0, 4], "weight": 0.5}, "other": {"range": [0, 3], "public": true}, "smoker": {"type": "boolean", "public": true},
          "n": {"range": [1.5, 7.5], "type": "smallint", "nullable": true}}',
        '{infimum, supremum, add_remove, replace, attribute:n, slope:price}')) AS v;
SELECT v.* FROM dpsens.verify_certificate(dpsens.certificate('price * other + qty^2', '{"price": {"range": [0, 4], "weight": 0.5}, "other": {"range": [0, 3], "public": true},
          "qty": {"range": [0, 7], "type": "integer", "weight": 2}}', '{metric, attribute:qty}')) AS v;
SELECT * FROM dpsens.verify_certificate(dpsens.certificate('"A b" / "say ""x"""', '{"A b": {"range": [5, 7], "nullable": true}, "say \"x\"": [3, 4]}',
        '{replace, attribute:A b}'));
-- A CASE whose branches meet, and conditions that only together are tight.
SELECT v.*, c #>> '{parts,steepness,form}' AS form
FROM dpsens.certificate('greatest(0, kwh - 100)*0.30 + least(kwh, 100)*0.10', '{"kwh": [0, 400]}', '{metric}') AS c, dpsens.verify_certificate(c) AS v;
SELECT v.* FROM dpsens.verify_certificate(dpsens.certificate('CASE WHEN x < 1 THEN x ELSE 2*x - 1 END', '{"x": [0, 4]}', '{metric}')) AS v;

-- A score counts as one column.
CREATE TEMPORARY TABLE score AS
SELECT dpsens.certificate('1 / (1 + exp(5 - 0.04*age - 0.02*(sbp - 120)))', '{"age": [18, 90], "sbp": [80, 220]}', '{metric}') AS document;
SELECT document #> '{parts,steepness,columns}' AS columns, document #>> '{parts,steepness,score}' AS score, v.valid, v.lower, v.upper
FROM score, dpsens.verify_certificate(document) AS v;
SELECT v.valid, v.reason FROM score, dpsens.verify_certificate(jsonb_set(document, '{parts,steepness,score}', '"age"')) AS v;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,steepness,form}', '"plain"')) FROM score;

-- What enclosures alone cannot prove: affine forms, the tip of a distance, and
-- how far one column moves a score of terms that are not linear.
CREATE TEMPORARY TABLE forms AS
SELECT q.name, q.part, dpsens.certificate(q.expression, q.ranges, ARRAY[q.name]) AS document
FROM (VALUES
    ('metric', 'steepness', '1 / (1 + exp(z - x*y))', '{"x": [0, 10], "y": [0, 10], "z": [0, 50]}'::jsonb),
    ('metric_l1', 'steepness_sum', 'x * y / (1 + x * y)', '{"x": [0, 1000], "y": [0, 1000]}'),
    ('metric_linf', 'steepest', 'sqrt(x^2 + y^2) * exp(x)', '{"x": [-1, 1], "y": [-1, 1]}'),
    ('attribute:age', 'move:age', '1 - 0.95^exp(2.3*ln(age/50) + 0.02*(sbp - 120) + 1.2*ln(chol/200) - 0.7*ln(hdl/50))',
     '{"age": [30, 74], "sbp": [90, 200], "chol": [100, 405], "hdl": [10, 100]}')
) AS q (name, part, expression, ranges);
SELECT f.name, document #>> ARRAY['parts', part, 'form'] AS form, v.valid, v.boxes < 20000 AS few, v.reason,
       (SELECT array_agg(DISTINCT b ->> 'by' ORDER BY b ->> 'by') FROM jsonb_array_elements(document #> ARRAY['parts', part, 'boxes']) AS b) AS methods,
       v.upper <= s.upper * 1.000001 AS tight
FROM forms AS f, dpsens.verify_certificate(document) AS v, dpsens.sensitivity(document ->> 'expression', document -> 'ranges') AS s
WHERE s.quantity = f.name;
-- Without it the same boxes prove nothing.
SELECT f.name, v.valid, v.reason IS NOT NULL AS why
FROM forms AS f, dpsens.verify_certificate(jsonb_set(jsonb_set(document, ARRAY['parts', part, 'form'], '"rewritten"'),
    ARRAY['parts', part, 'boxes', '0', 'by'], '"interval"')) AS v
WHERE document #>> ARRAY['parts', part, 'form'] IN ('affine', 'rewritten');

-- One period is enough where the form says so.
SELECT c #>> '{parts,move:t,form}' AS form, v.valid, v.upper <= s.upper * 1.000001 AS tight, v.reason
FROM dpsens.certificate('y * (1 + 0.3 * sin(2 * pi() * t / 365.25))', '{"t": [0, 36525], "y": [0, 10]}', '{attribute:t}') AS c,
     dpsens.verify_certificate(c) AS v,
     dpsens.sensitivity(c ->> 'expression', c -> 'ranges') AS s
WHERE s.quantity = 'attribute:t';

-- What a part states does not depend on which quantities were asked for beside it.
SET client_min_messages = warning;
SELECT q.expression, v.quantity, v.reason
FROM (VALUES
    ('(1.5 - x) / (2 + abs(x + x))', '{"x": [0, 0.5]}'::jsonb),
    ('sqrt(1 + abs(x - 0.3 * 0.1)) * -x', '{"x": {"range": [0.5, 4.5], "type": "numeric"}}'),
    ('2 + -y / (1 + (3 / (1 + y^2))^2) + x', '{"x": {"range": [0, 1], "type": "smallint"}, "y": {"range": [0, 1], "nullable": true}}'),
    ('atan2(-x, 1 + abs(-x))', '{"x": [0, 2]}'),
    ('atan2(greatest(x * x * (z * x), sqrt(1 + abs(x + y))), 1 + abs(cos(z) - (y + z)^2))', '{"x": {"range": [1, 5], "nullable": true}, "y": {"range": [2, 2.5], "public": true}, "z": [2, 4]}')
) AS q (expression, ranges),
    dpsens.verify_certificate(dpsens.certificate(q.expression, q.ranges, (SELECT array_agg(quantity) FROM dpsens.sensitivity(q.expression, q.ranges)), 500)) AS v
WHERE NOT v.valid;
SET client_min_messages = notice;

-- A proof that would need more boxes is wider, and says so.
SELECT v.valid, v.boxes, round(v.upper::numeric, 4) AS upper FROM dpsens.verify_certificate(
    dpsens.certificate('sin(50*x) * sin(51*y) + x*y', '{"x": [1, 2], "y": [1, 2]}', '{supremum}', 40)) AS v;

-- Tampering.
CREATE TEMPORARY TABLE original AS
SELECT dpsens.certificate('x * (1 - x) + y^2', '{"x": [0, 1], "y": [-3, 1]}', '{supremum, replace}') AS document;
SELECT jsonb_path_query_array(document, '$.parts.value.tree[*]') AS tree, document #> '{parts,value,boxes}' AS boxes FROM original;
CREATE TEMPORARY TABLE forgery AS
SELECT * FROM original, LATERAL (VALUES
    ('as it is', document),
    ('upper end lowered', jsonb_set(document, '{quantities,supremum,upper}', '9.2499999999999982')),
    ('and that of the part', jsonb_set(jsonb_set(document, '{quantities,supremum,upper}', '9'), '{parts,value,upper}', '9')),
    ('and those of its boxes', jsonb_set(jsonb_set(jsonb_set(jsonb_set(document, '{quantities,supremum,upper}', '9'), '{parts,value,upper}', '9'),
        '{parts,value,boxes,0,upper}', '9'), '{parts,value,boxes,1,upper}', '9')),
    ('upper end raised', jsonb_set(document, '{quantities,supremum,upper}', '10')),
    ('lower end raised', jsonb_set(document, '{quantities,supremum,lower}', '9.3')),
    ('and that of the part', jsonb_set(jsonb_set(document, '{quantities,supremum,lower}', '9.3'), '{parts,value,lower}', '9.3')),
    ('box removed', document #- '{parts,value,boxes,1}'),
    ('box and step removed', document #- '{parts,value,boxes,1}' #- '{parts,value,tree,-1}'),
    ('box repeated', jsonb_insert(document, '{parts,value,boxes,0}', document #> '{parts,value,boxes,0}')),
    ('box shrunk by one ulp', jsonb_set(document, '{parts,value,boxes,0,box,1,1}', '0.99999999999999989')),
    ('face moved', jsonb_set(document, '{parts,value,boxes,0,face,y}', '1')),
    ('enclosure changed', jsonb_set(document, '{parts,value,boxes,0,upper}', '9.2499')),
    ('method changed', jsonb_set(document, '{parts,value,boxes,0,by}', '"null"')),
    ('to a quadratic form', jsonb_set(document, '{parts,value,boxes,0,by}', '"quadratic"')),
    ('to a cover', jsonb_set(document, '{parts,value,boxes,0,by}', '"cover"')),
    ('expression changed', jsonb_set(document, '{expression}', '"x * (2 - x) + y^2"')),
    ('and that of the part', jsonb_set(jsonb_set(document, '{expression}', '"x * (2 - x) + y ^ 2"'), '{parts,value,expression}', '"x * (2 - x) + y ^ 2"')),
    ('range widened', jsonb_set(document, '{ranges,y,range}', '[-4, 1]')),
    ('cut moved', jsonb_set(document, '{parts,value,tree,0,at}', '0.25')),
    ('cut outside', jsonb_set(document, '{parts,value,tree,0,at}', '7')),
    ('other column cut', jsonb_set(document, '{parts,value,tree,0,cut}', '"x"')),
    ('wrong face', jsonb_set(document, '{parts,value,tree,1}', '{"face": {"x": "lo"}}')),
    ('witness outside', jsonb_set(document, '{parts,value,witness}', '[0.5, -4]')),
    ('witness elsewhere', jsonb_set(document, '{parts,value,witness}', '[0.5, 1]'))
) AS f (change, forged);
SELECT change, valid, upper, reason FROM forgery, dpsens.verify_certificate(forged) WHERE quantity = 'supremum';

-- Documents that are none.
\set VERBOSITY default
SELECT * FROM dpsens.verify_certificate('[]');
SELECT * FROM dpsens.verify_certificate('{}');
SELECT dpsens.verify_certificate(jsonb_set(document, '{format}', '"x"')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{version}', '2')) FROM original;
SELECT dpsens.verify_certificate(document - 'expression') FROM original;
SELECT dpsens.verify_certificate(document - 'ranges') FROM original;
SELECT dpsens.verify_certificate(document #- '{ranges,y}') FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{quantities}', '{}')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{quantities}', '{"mean": {}}')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{quantities}', '{"metric": {}}')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,sum}', '{}')) FROM original;
SELECT dpsens.verify_certificate(document #- '{parts,value}') FROM original;
SELECT dpsens.verify_certificate(document #- '{parts,value,tree}') FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,tree,0}', '{"cut": "z"}')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,tree,0}', '{"face": {"x": "up"}}')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,tree,0}', '7')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,boxes,0,box}', '[[0, 1]]')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,boxes,0,box,0}', '[0, 1, 2]')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,boxes,0,by}', '"faith"')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,boxes,0,upper}', '"much"')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,columns}', '["y", "x"]')) FROM original;
SELECT dpsens.verify_certificate(jsonb_set(document, '{parts,value,form}', '"other"')) FROM original;
SELECT dpsens.verify_certificate(document #- '{parts,value,witness}') FROM original;

-- What cannot be certified.
SELECT dpsens.certificate('1/x', '{"x": [-1, 1]}');
SELECT dpsens.certificate('x', '{"y": [0, 1]}');
SELECT dpsens.certificate('floor(x)', '{"x": [0, 9]}', '{supremum, metric}');
SELECT dpsens.certificate('x', '{"x": [0, 1]}', '{evaluation_error}');
SELECT dpsens.certificate('x', '{"x": [0, 1]}', '{attribute:y}');
SELECT dpsens.certificate('x', '{"x": [0, 1]}', '{NULL}');
SELECT dpsens.certificate('x', '{"x": [0, 1]}', '{}');
SELECT dpsens.certificate('x', '{"x": [0, 1]}', max_boxes => 0);
SELECT dpsens.certificate(NULL, '{"x": [0, 1]}');
SELECT dpsens.certificate('x + NULL', '{"x": [0, 1]}');
SELECT dpsens.certificate('ln(x*x - x + 0.3)', '{"x": [-1, 1]}', '{supremum}', 1);

-- Registered expressions.
CREATE TABLE patients (id int PRIMARY KEY, age int NOT NULL, "Weight" numeric, born date NOT NULL);
SELECT dpsens.protect('patients', unit => 'id');
SELECT dpsens.set_range('patients', 'age', 18, 100), dpsens.set_range('patients', 'Weight', 20, 300, 0.1),
       dpsens.set_range('patients', 'born', '1920-01-01', '2020-01-01');
SELECT dpsens.register('load', 'patients', 'age * "Weight" + extract(epoch FROM born) / 86400');
SELECT v.* FROM dpsens.certificate_of('load(patients)') AS c, dpsens.verify_certificate(c) AS v;
SELECT c ->> 'expression' AS expression, c -> 'ranges' AS ranges FROM dpsens.certificate_of('load(patients)', '{supremum}') AS c;
SELECT e.name, v.quantity, v.upper = CASE v.quantity WHEN 'add_remove' THEN e.add_remove WHEN 'replace' THEN e.replace WHEN 'metric' THEN e.metric END AS same
FROM dpsens.expressions AS e, dpsens.verify_certificate(dpsens.certificate_of(e.function, '{add_remove, replace, metric}')) AS v;
SELECT dpsens.certificate_of('lower(text)');
DROP TABLE patients CASCADE;
