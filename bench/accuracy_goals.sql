-- accuracy_goals.sql
--	The part of accuracy.sql about questions for which there is a goal: counts at two
--	epsilons, vectors of eight.

-- The variance of counts beside that of the geometric mechanism (Ghosh, Roughgarden and Sundararajan 2009).
INSERT INTO asked (private, plain, source, loss, mechanisms, goal)
SELECT format('dp_count(true, %s) /* variance */', epsilon), 'count(*)', 'people', '(a - e) ^ 2', '{laplace}', 1 FROM unnest('{1,3}'::int[]) epsilon;
INSERT INTO published SELECT id, 'laplace', 2 * exp(-epsilon) / (1 - exp(-epsilon)) ^ 2, 'geometric (Ghosh et al. 2009)'
FROM asked, LATERAL (SELECT substring(private, 'true, (\d)')::float8 AS epsilon) e WHERE private ~ 'true, \d';

-- The root of the mean square of a whole vector, beside K-norm noise of the box of the ranges (Hardt and Talwar 2010): squares of
-- 10 * 9 / 3 c^2; of means the box of influences, whose means it is told for nothing.
CREATE VIEW whole AS SELECT * FROM nhanes WHERE num_nulls(weight_kg, height_cm, waist_cm, hip_cm, sys_bp, dia_bp, pulse) = 0;
CREATE TABLE eight (i int PRIMARY KEY, attribute text, lo float8, hi float8, size float8, influence float8);
INSERT INTO eight VALUES (1, 'age', 18, 80), (2, 'weight_kg', 20, 300), (3, 'height_cm', 100, 230), (4, 'waist_cm', 30, 250), (5, 'hip_cm', 40, 250), (6, 'sys_bp', 60, 260), (7, 'dia_bp', 20, 160), (8, 'pulse', 30, 200);
SELECT format('UPDATE eight SET size = greatest(abs(lo), abs(hi)), influence = (SELECT greatest(hi - avg(%1$I), avg(%1$I) - lo) / count(*) FROM whole) WHERE attribute = %1$L', attribute) FROM eight \gexec
INSERT INTO asked (private, plain, source, loss, squared, mechanisms, goal)
SELECT format('dp_%s(ARRAY[%s])', f, string_agg(attribute, ', ' ORDER BY i)), format('ARRAY[%s]::float8[]', string_agg(format('%s(%s)', f, attribute), ', ' ORDER BY i)), 'whole', '(SELECT sum((u - v) ^ 2) FROM unnest(a, e) w (u, v))',
    true, '{laplace}', 1.05
FROM eight, unnest('{sum,avg}'::text[]) f GROUP BY f;
INSERT INTO published SELECT id, 'laplace', (SELECT sqrt(30 * sum(CASE WHEN private ~ 'sum' THEN size ELSE influence END ^ 2)) FROM eight), 'Hardt and Talwar 2010, of a box' FROM asked WHERE source = 'whole';
