-- A month of questions about the hospital of demo/hospital.sql, each asked once a week: those of the role that runs this.
-- Roles ada, bob and cleo are those of docs/cookbook.md.
SET search_path = hospital, public;
SET dpsens.epsilon = 0.1;
SELECT question
FROM generate_series(1, 30) AS day,
    (VALUES
        (0, 'ada', 'SELECT ward, dp_count(*), dp_avg(days) FROM visits GROUP BY ward'),
        (1, 'ada', 'SELECT ward, urgent, dp_count(*) FROM visits GROUP BY ROLLUP (ward, urgent)'),
        (2, 'ada', 'SELECT dp_histogram(days, ARRAY[0, 2, 5, 10, 20, 60]) FROM visits'),
        (3, 'ada', 'SELECT ward, dp_quantile(days, ARRAY[0.25, 0.5, 0.75]) FROM visits GROUP BY ward'),
        (4, 'ada', 'SELECT w.ward, w.beds, dp_sum(days) / 366.0 AS beds_in_use FROM visits JOIN wards w USING (ward) GROUP BY w.ward, w.beds'),
        (5, 'ada', 'SELECT dp_count(*) FILTER (WHERE urgent) AS urgent, dp_count(*) AS visits FROM visits WHERE admitted >= ''2024-07-01'''),
        (6, 'ada', 'SELECT doctor_id, dp_count(*) FROM visits GROUP BY doctor_id'),
        (0, 'bob', 'SELECT test, dp_count(*), dp_median(value) FROM labs GROUP BY test'),
        (1, 'bob', 'SELECT dp_avg(value) FROM labs WHERE test = ''hba1c'''),
        (2, 'bob', 'SELECT p.sex, dp_avg(l.value) FROM labs l JOIN visits v USING (visit_id) JOIN patients p USING (patient_id) WHERE l.test = ''hba1c'' GROUP BY p.sex'),
        (3, 'bob', 'SELECT dp_stddev(value) FROM labs WHERE test = ''sodium'''),
        (4, 'bob', 'SELECT dp_regr_slope(l.value, p.weight_kg), dp_corr(l.value, p.weight_kg) FROM labs l JOIN visits v USING (visit_id) JOIN patients p USING (patient_id) WHERE l.test = ''glucose'''),
        (5, 'bob', 'SELECT v.ward, dp_count(*) FROM labs l JOIN visits v USING (visit_id) WHERE l.test = ''sodium'' AND l.value > 145 GROUP BY v.ward'),
        (6, 'bob', 'SELECT dp_max(value) FROM labs WHERE test = ''glucose'''),
        (0, 'cleo', 'SELECT district, sex, dp_count(*) FROM patients GROUP BY district, sex'),
        (1, 'cleo', 'SELECT insurance, dp_avg(weight_kg) FROM patients GROUP BY insurance'),
        (2, 'cleo', 'SELECT dp_count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id AND v.ward = ''heart'')'),
        (3, 'cleo', 'SELECT dp_avg(n) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) s'),
        (4, 'cleo', 'SELECT dp_mode(district), dp_median(weight_kg) FROM patients'),
        (5, 'cleo', 'SELECT born < ''1960-01-01'' AS old, dp_count(*) FROM patients GROUP BY 1'),
        (6, 'cleo', 'SELECT date_trunc(''month'', admitted) AS month, dp_count(*) FROM visits GROUP BY 1')
    ) AS asked (weekday, role, question)
WHERE asked.role = CURRENT_USER AND day % 7 = weekday
ORDER BY day \gexec
