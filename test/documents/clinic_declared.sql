-- What the clinic's curator declares.
SET client_min_messages = warning;
SELECT dpsens.protect('patients', unit => 'patient_id') \g /dev/null
SELECT dpsens.set_range('patients', 'age', 18, 100), dpsens.set_range('patients', 'weight_kg', 20, 300),
    dpsens.set_range('patients', 'height_cm', 100, 230), dpsens.set_values('patients', 'sex', 'Female', 'Male') \g /dev/null
SELECT dpsens.set_range('wards', 'factor', 0, 2) \g /dev/null
SELECT dpsens.protect('visits', unit => 'patient_id', max_rows => 5, max_rows_per_group => 2) \g /dev/null
SELECT dpsens.set_range('visits', 'cost', 0, 500), dpsens.set_values('visits', 'diagnosis', 'E11', 'I10', 'J45', 'M54') \g /dev/null
SELECT dpsens.protect('treatments', unit => 'visits.patient_id', max_rows => 20) \g /dev/null
SELECT dpsens.set_range('treatments', 'minutes', 0, 60) \g /dev/null
RESET client_min_messages;
SET dpsens.epsilon = 1;
