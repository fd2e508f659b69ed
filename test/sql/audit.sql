-- What each row contributes to privacy loss.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpsens;
RESET client_min_messages;
SET extra_float_digits = -3;

CREATE SCHEMA ward;
SET search_path = ward, public;
CREATE TABLE patients
(
    id          int PRIMARY KEY,
    note        text,
    age         int NOT NULL,
    weight_kg   numeric NOT NULL,
    height_cm   real,
    born        date,
    smoker      boolean NOT NULL DEFAULT false
);
INSERT INTO patients VALUES
    (1, 'as usual', 30, 80, 180, '1990-01-01'),
    (2, repeat('long', 10000), 50, 60.5, 165, '1970-06-01'),
    (3, 'outside every range', -5, 'NaN', 1e30, 'infinity'),
    (4, 'height unknown', 40, 70, NULL, NULL),
    (5, 'division by zero', 40, 70, 0, '-infinity');
SELECT dpsens.protect('patients', unit => 'id');
SELECT dpsens.set_range('patients', 'age', 18, 100);
SELECT dpsens.set_range('patients', 'weight_kg', 20, 300, weight => 0.5);
SELECT dpsens.set_range('patients', 'height_cm', 100, 230);
SELECT dpsens.set_range('patients', 'born', '1920-01-01', '2010-01-01');
SELECT dpsens.register('bmi', 'patients', 'weight_kg / (height_cm / 100) ^ 2');
SELECT dpsens.register('excess', 'patients', 'greatest(weight_kg - 100, 0) * CASE WHEN smoker THEN 2 ELSE 1 END');
SELECT dpsens.register('years', 'patients', 'extract(epoch FROM born) / 31556952');
SELECT dpsens.register('constant', 'patients', '42');

SELECT dpsens.expression_columns(f) FROM unnest('{bmi(patients),excess(patients),constant(patients)}'::regprocedure[]) AS f;
SELECT id, dpsens.gradient_of('bmi(patients)', p) FROM patients AS p;
SELECT id, dpsens.contribution_of('bmi(patients)', p) FROM patients AS p;
SELECT id, dpsens.partial_sensitivity_of('bmi(patients)', p) FROM patients AS p;
SELECT id, dpsens.plis_of('bmi(patients)', p), dpsens.plis_of('bmi(patients)', p, 10) FROM patients AS p;
SELECT id, n.value, n.gradient_norm FROM patients AS p, dpsens.audit_row('years(patients)', p) AS n;

-- Where the gradient is 0 there is a gradient and nothing made of its direction.
SELECT id, (dpsens.audit_row('excess(patients)', p)).* FROM patients AS p WHERE id IN (1, 3);
SELECT (dpsens.audit_row('constant(patients)', p)).* FROM patients AS p WHERE id = 1;

-- Beside anything else a query does, aggregates included.
SELECT smoker, count(*), avg((dpsens.contribution_of('bmi(patients)', p))[1] ^ 2)
FROM patients AS p WHERE height_cm > 100 GROUP BY smoker;
SELECT dpsens.gradient_of('bmi(patients)', NULL), dpsens.gradient_of(NULL, p) FROM patients AS p WHERE id = 1;
SELECT dpsens.gradient_of('bmi(patients)', ROW(0, '', 30, 80, 200, NULL, NULL)::patients);

-- What is no registered expression, and what is no row of its table.
SELECT dpsens.gradient_of('now()', p) FROM patients AS p;
SELECT dpsens.gradient_of('bmi(patients)', ROW(30, 80, 180));
SELECT dpsens.gradient_of('bmi(patients)', p) FROM (SELECT * FROM patients) AS p;
SELECT dpsens.plis_of('bmi(patients)', p, 0) FROM patients AS p;
SELECT dpsens.plis_of('bmi(patients)', p, 'NaN') FROM patients AS p;
SELECT dpsens.plis_of('bmi(patients)', p, NULL) FROM patients AS p WHERE id = 1;
SELECT dpsens.expression_columns('now()');

-- All rows.
SELECT key, value, gradient, gradient_norm FROM dpsens.row_sensitivity('bmi(patients)');
SELECT * FROM dpsens.row_sensitivity('now()');
SELECT * FROM dpsens.row_sensitivity(NULL);

-- What the table makes of the bounds.
SELECT quantity, rows, min, median, max, bound, realised, rows_above FROM dpsens.sensitivity_summary('bmi(patients)');
SELECT quantity, rows, min, median, max, bound, realised, rows_above FROM dpsens.sensitivity_summary('constant(patients)', '{}');
SELECT dpsens.sensitivity_summary('bmi(patients)', '{0.5, 2}');
SELECT dpsens.sensitivity_summary('bmi(patients)', '{0.5, NULL}');

-- The audit view: a column for each number, and losses at the reader's settings.
SELECT dpsens.create_audit_view('bmi(patients)');
\d bmi_audit
\x
SELECT * FROM bmi_audit WHERE id = 1;
\x
SELECT id, individual_loss, first_order_loss FROM bmi_audit;
SET dpsens.epsilon = 1;
SELECT id, individual_loss, individual_epsilon, first_order_loss FROM bmi_audit;
SET dpsens.mechanism = gaussian;
SELECT id, individual_loss, individual_epsilon, first_order_loss FROM bmi_audit;
RESET dpsens.epsilon;
RESET dpsens.mechanism;
SELECT dpsens.create_audit_view('constant(patients)', 'nothing_private');
SELECT * FROM nothing_private WHERE id = 1;

SELECT dpsens.create_audit_view('bmi(patients)');
SELECT dpsens.create_audit_view('bmi(patients)', 'other', 1);
SELECT dpsens.create_audit_view('bmi(patients)', 'other', delta => 1);
SELECT dpsens.create_audit_view('bmi(patients)', 'other', delta => NULL);
SELECT dpsens.create_audit_view('now()');
SELECT dpsens.create_audit_view(NULL);
SELECT dpsens.individual_loss('bmi(patients)', p, 'Infinity') FROM patients AS p;

-- Without a key there are numbers only.
CREATE TABLE keyless (r float8 NOT NULL, "r1" float8 NOT NULL);
SELECT dpsens.set_range('keyless', 'r', 0, 1), dpsens.set_range('keyless', 'r1', 0, 1);
SELECT dpsens.register('product', 'keyless', 'r * r1');
INSERT INTO keyless VALUES (0.5, 0.25);
SELECT * FROM dpsens.row_sensitivity('product(keyless)');
SELECT dpsens.create_audit_view('product(keyless)');
SELECT value, slope_r, slope_r1, partial_r FROM product_audit;

-- Its label says that it goes when the expression does.
SELECT label FROM pg_seclabels WHERE objtype = 'view' AND objname ~ 'product_audit';
SECURITY LABEL FOR dpsens ON VIEW product_audit IS NULL;
SELECT dpsens.unregister('product', 'keyless');
SECURITY LABEL FOR dpsens ON VIEW product_audit IS ' audit ';
SECURITY LABEL FOR dpsens ON VIEW product_audit IS 'AUDIT';
SELECT count(*) FROM dpsens.columns WHERE relation = 'product_audit'::regclass;
CREATE VIEW plain AS SELECT * FROM keyless;
SECURITY LABEL FOR dpsens ON VIEW plain IS 'AUDIT';
SECURITY LABEL FOR dpsens ON VIEW plain IS 'PROTECTED';
SECURITY LABEL FOR dpsens ON TABLE keyless IS 'AUDIT';
SELECT dpsens.unregister('product', 'keyless');
SELECT FROM product_audit;

-- Not beside a dp aggregate.
SELECT dp_sum(p.bmi, 1.0), max((dpsens.gradient_of('bmi(patients)', p))[1]) FROM patients AS p;
SELECT dp_sum((dpsens.gradient_of('bmi(patients)', p))[1], 1.0) FROM patients AS p;

SET client_min_messages = warning;
DROP SCHEMA ward CASCADE;
