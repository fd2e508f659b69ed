-- What the curator declares: who is protected, in which range each answer can
-- lie, and which values are public group keys.  All of it is public knowledge
-- about people and the questionnaire, none of it was read off the data.

SELECT dpsens.protect('nhanes', unit => 'seqn', adjacency => 'add_remove');

SELECT dpsens.set_range('nhanes', 'age', 18, 80);
SELECT dpsens.set_range('nhanes', 'weight_kg', 20, 300);
SELECT dpsens.set_range('nhanes', 'height_cm', 100, 230);
SELECT dpsens.set_range('nhanes', 'waist_cm', 30, 250);
SELECT dpsens.set_range('nhanes', 'hip_cm', 40, 250);
SELECT dpsens.set_range('nhanes', 'sys_bp', 60, 260);
SELECT dpsens.set_range('nhanes', 'dia_bp', 20, 160);
SELECT dpsens.set_range('nhanes', 'pulse', 30, 200);
SELECT dpsens.set_range('nhanes', 'chol_mg_dl', 50, 600);
SELECT dpsens.set_range('nhanes', 'hdl_mg_dl', 5, 200);
SELECT dpsens.set_range('nhanes', 'blood_lead_ug_dl', 0, 100);
SELECT dpsens.set_range('nhanes', 'blood_mercury_ug_l', 0, 100);
SELECT dpsens.set_range('nhanes', 'income_ratio', 0, 5);
SELECT dpsens.set_range('nhanes', 'sleep_hours', 0, 24);
SELECT dpsens.set_range('nhanes', 'depression_score', 0, 27);
SELECT dpsens.set_range('nhanes', 'drinks_per_day', 0, 40);

SELECT dpsens.set_values('nhanes', 'sex', 'Female', 'Male');
SELECT dpsens.set_values('nhanes', 'education', 'ltHS', 'SomeHS', 'HSGrad', 'SomeCollege', 'CollegeGrad');
