-- The demo of section 5.1, from the top of the source tree.
\set ECHO none
\i demo/partial_sensitivity.sql
