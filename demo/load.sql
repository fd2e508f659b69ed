-- Fills the table of schema.sql.  Start psql in the root of the source tree.

\copy nhanes FROM 'demo/nhanes_2021_2023.csv' WITH (FORMAT csv, HEADER true)

ANALYZE nhanes;
