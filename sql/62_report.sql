
-- What a table's owner and its auditors see of it.

CREATE FUNCTION dpsens.report(relation regclass)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_report'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000;

COMMENT ON FUNCTION dpsens.report(regclass) IS
'One page about a table, as HTML without scripts that needs nothing else: psql -At -c "SELECT dpsens.report(''patients'')" -o report.html. Annotations; registered expressions with closed forms (SQL, LaTeX), certified bounds, where they are attained and whether their certificate could be verified, and how the rows are distributed (of large tables a sample of about 100000); budgets; the last 100 releases and their number.
Individual losses are at the settings of the session, if dpsens.epsilon is set. It holds private data, and is for the owner of the table and its auditors.
Errors: the caller neither owns the table nor may see what follows from its rows (dpsens.grant_audit); it is no table.';
