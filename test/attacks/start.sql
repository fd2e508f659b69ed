-- Read first by every file here, in the database of setup.sql.  Rows that these speak of
-- are those of docs/threats.md.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
SET search_path = clinic, lab, public;
SET dpsens.epsilon = 4;
-- A group of one person is shown with this probability, and thousands are asked for here.
SET dpsens.delta = 1e-13;
\setenv PGDATABASE :DBNAME
\setenv PGOPTIONS '-c search_path=clinic,lab,public -c dpsens.epsilon=4 -c dpsens.delta=1e-13 -c client_min_messages=warning'
-- Are rows read by another process?
SELECT current_setting('dpsens.clean_rooms') <> '0' AS rooms \gset
SELECT no_plan();
