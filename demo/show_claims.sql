-- For demos whose table claims says what was measured and whether it holds: says it, claim by claim.
\pset format unaligned
\pset tuples_only on
SELECT CASE WHEN holds THEN 'so:     ' ELSE 'NOT SO: ' END || claim FROM claims ORDER BY n;
\pset tuples_only off
\pset format aligned
