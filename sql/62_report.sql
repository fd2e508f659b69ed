
-- What a table's owner and its auditors see of it.

CREATE FUNCTION dpsens.report(relation regclass)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_report'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000;

COMMENT ON FUNCTION dpsens.report(regclass) IS
'One page about a table, as HTML without scripts that needs nothing else, for screens of any width, light and dark, and for paper: psql -At -c "SELECT dpsens.report(''patients'')" -o report.html. A summary in sentences; budgets with what is spent of them, as a figure day by day, and until when they last; answers by who asked what, with counts and sums (the 200 dearest questions); limits and policies; what dpsens.check_security finds of roles with budgets on it; declarations; registered expressions with closed forms (typeset, and as SQL), certified bounds, where they are attained and whether their certificate could be verified, and how the rows are distributed (of large tables a sample of about 100000).
Individual losses are at the settings of the session, if dpsens.epsilon is set. It holds private data, and is for the owner of the table and its auditors. All that does not follow from rows is what views show to who asks: an auditor of the table alone is not shown the budget of an entity that is another''s.
Errors: the caller neither owns the table nor may see what follows from its rows (dpsens.grant_audit); it is no table.';

CREATE FUNCTION dpsens.report(relation regclass, rows boolean)
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_report_of'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000;

COMMENT ON FUNCTION dpsens.report(regclass, boolean) IS
'The same page; without rows, none that follows from them: neither their number nor distributions of gradient norms and losses. No row is read for it. So it can be handed to whoever answers for a table without seeing its rows, and auditors who may not see what follows from rows can make it. It tells who asked what, as dpsens.releases does.
Errors: the caller neither owns nor audits the table, or, with rows, may not see what follows from its rows; it is no table.';
