
-- Registered row expressions: a name for an expression over a table.

-- Not dumped: what is missing is found again.
CREATE TABLE dpsens.brackets (
    function oid NOT NULL,
    hash bigint NOT NULL,
    question bytea NOT NULL,
    answer bytea NOT NULL
);
CREATE INDEX brackets_function ON dpsens.brackets (function);
CREATE INDEX brackets_hash ON dpsens.brackets (hash);

CREATE FUNCTION dpsens_internal.refuse_write()
RETURNS trigger
AS 'MODULE_PATHNAME', 'dpsens_refuse_write'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens_internal.refuse_write() IS
'Trigger of dpsens.brackets. Errors: always; rows that replication brings are left out.';

CREATE TRIGGER refuse_write BEFORE INSERT OR UPDATE ON dpsens.brackets
FOR EACH ROW EXECUTE FUNCTION dpsens_internal.refuse_write();
ALTER TABLE dpsens.brackets ENABLE ALWAYS TRIGGER refuse_write;

COMMENT ON TABLE dpsens.brackets IS
'Certified bounds of registered expressions, for sessions to come. Written by the library only, and believed by it: whoever may write here decides how much noise is added, so nobody may. Rows can be deleted at any time.';
COMMENT ON COLUMN dpsens.brackets.function IS
'The registered expression, by the oid of its function.';
COMMENT ON COLUMN dpsens.brackets.hash IS
'Of the question, to find it by.';
COMMENT ON COLUMN dpsens.brackets.question IS
'Everything that the bounds follow from: expression, ranges, types, weights, quantity, settings of the search, build of the library.';
COMMENT ON COLUMN dpsens.brackets.answer IS
'The bounds, the point where they are attained, and what is to blame where there are none.';

CREATE FUNCTION dpsens.bracket_cache(
    OUT entries bigint, OUT bytes bigint, OUT hits bigint, OUT reads bigint, OUT searches bigint)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_bracket_cache'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dpsens.bracket_cache() IS
'What this session remembers of certified bounds (entries, and the bytes that they occupy), and how often, since it began, it needed one and remembered it (hits), read it from dpsens.brackets (reads) or searched for it (searches). For superusers, and whom they grant it to.';

CREATE FUNCTION dpsens.register(name name, relation regclass, expression text)
RETURNS regprocedure
AS 'MODULE_PATHNAME', 'dpsens_register'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.register(name, regclass, text) IS
'Gives an expression over the columns of a table a name, under which it is used like a column: name(row) or row.name.
Creates a function of the table''s row type, in the table''s schema, with the expression as its body; the caller needs the right to create functions there.
Every column used must have a declared range, over which the expression must be defined and bounded.
Errors: the caller does not own the table; the name is taken; an expression that cannot be parsed or is not supported; a column without a range; no finite bound, with the sub-expression and a witness.';

CREATE FUNCTION dpsens.unregister(name name, relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_unregister'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.unregister(name, regclass) IS
'Drops a registered expression.
Errors: the caller does not own the table; no such expression; other objects depend on its function.';

-- Not parallel safe: an expression that fails is rolled back by itself.
CREATE FUNCTION dpsens_internal.describe_expression(function regprocedure,
    OUT relation regclass, OUT expression text, OUT expression_latex text,
    OUT gradient jsonb, OUT gradient_latex jsonb, OUT norm text, OUT norm_latex text,
    OUT adjacency text, OUT infimum float8, OUT supremum float8, OUT add_remove float8,
    OUT replace float8, OUT attribute float8, OUT metric float8, OUT witness jsonb, OUT note text)
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_describe_expression'
LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION dpsens_internal.describe_expression(regprocedure) IS
'One row of dpsens.expressions.';

CREATE VIEW dpsens.expressions AS
SELECT procedure.proname AS name,
       description.relation,
       label.objoid::pg_catalog.regprocedure AS function,
       description.expression,
       description.expression_latex,
       description.gradient,
       description.gradient_latex,
       description.norm,
       description.norm_latex,
       description.adjacency,
       description.infimum,
       description.supremum,
       description.add_remove,
       description.replace,
       description.attribute,
       description.metric,
       description.witness,
       description.note
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_proc AS procedure ON procedure.oid OPERATOR(pg_catalog.=) label.objoid
CROSS JOIN LATERAL dpsens_internal.describe_expression(label.objoid) AS description
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
  AND label.label OPERATOR(pg_catalog.=) 'EXPRESSION'
ORDER BY description.relation, procedure.proname;

COMMENT ON VIEW dpsens.expressions IS
'Every registered expression: simplified, its gradient by private column and the gradient''s weighted norm, as SQL and LaTeX, the adjacency of its table, and certified bounds of a row''s contribution to a sum per adjacency (attribute: of the column that moves it furthest). Bounds are upper ends, infimum the lower one.
witness: per quantity, the point where it is attained up to the tolerance. note: what is not bounded and why.';
