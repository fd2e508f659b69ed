-- Annotations: what is private and in which range it lies.
-- Setters need ownership of the table, which the library checks.

CREATE FUNCTION dpsens.protect(relation regclass, unit text DEFAULT NULL, adjacency text DEFAULT NULL,
    max_rows int DEFAULT NULL, max_rows_per_group int DEFAULT NULL, max_groups int DEFAULT NULL,
    group_size int DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_protect'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.protect(regclass, text, text, int, int, int, int) IS
'Protects a table: answers about its rows are private, also to roles that have a budget and no privilege on it. Privileges are not taken away: whoever was granted SELECT still reads the rows, and a WARNING names them.
What is not named (NULL) stays as it was declared before, which a NOTICE says.
unit: the column that says whom a row belongs to, several that say it together as in ''hospital, patient'', or ''table.column'' (''table.hospital, table.patient'') for the unit of a protected table that a foreign key of this one refers to; without one, each row stands for itself. A row in which one of them is NULL stands for itself, too. A unit declared before moves here. A WARNING tells of a foreign key that sets it to null.
adjacency: what neighbouring tables differ in, one of add_remove (unless declared otherwise), replace, attribute, metric.
max_rows, max_rows_per_group, max_groups: where a unit may have several rows, how many of those that a query selects count in its answer: in all, in each group, and in how many groups. Noise grows with them. Between 1 and 1000000, or 0: not limited. Not needed where a unique index proves that a unit has one row.
group_size: how many units are protected together, such as the persons of a household, whoever they are: noise and costs are for any so many of them at once, and so are budgets. Noise grows with it, in proportion. 1 (unless declared otherwise) to 1024, under add_remove and replace. Once something was released it can only be made smaller, which refunds nothing.
Errors: the caller does not own the table; not a table; unknown column or adjacency; the unit is a public column; more than 8 columns, or several of which one is of a type whose equal values can have different bytes; groups of units under adjacency attribute or metric, or larger ones than those that what was released has been charged for.
Source: of group_size, group privacy, Dwork and Roth 2014, Theorem 2.2, and Vadhan 2017, Lemma 2.2; here by sensitivities of groups (src/guard/source/group_size.c).';

CREATE FUNCTION dpsens.unprotect(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_unprotect'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.unprotect(regclass) IS
'Removes the annotations of a table and of all its columns: afterwards it is neither protected nor declared to be public.
Errors: the caller does not own the table; not a table.';

CREATE FUNCTION dpsens.set_range(relation regclass, column_name name, lo float8, hi float8, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_range'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range(regclass, name, float8, float8, float8) IS
'Declares that a numeric column lies in [lo, hi], in the unit of the column; other values count as the nearest end.
weight: positive; the column''s factor in distances under adjacency metric; under adjacency attribute an answer at epsilon tells at most weight times epsilon of the column, and more than 1 counts as 1. 1 unless declared; NULL leaves it.
Integer columns hold the integers of the range; bigint ranges end within 2^53.
Errors: the caller does not own the table; unknown or system column; a type without ranges; lo > hi; ends or weight NaN or infinite; no integer in the range.';

CREATE FUNCTION dpsens.set_range(relation regclass, column_name name, lo text, hi text, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_range_text'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range(regclass, name, text, text, float8) IS
'Declares the range of a date or timestamp column (years 1 to 9999), or of a numeric one.
Dates and times are read as the session writes them and stored in ISO 8601, timestamps with time zone in UTC.
weight: positive; the column''s factor in distances under adjacency metric, per second for dates and timestamps; under adjacency attribute an answer at epsilon tells at most weight times epsilon of the column, and more than 1 counts as 1. 1 unless declared; NULL leaves it.
Errors: as for numbers; text that the type does not accept.';

CREATE FUNCTION dpsens.set_range_when(relation regclass, column_name name, lo float8, hi float8, "when" text, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_keyed_range'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range_when(regclass, name, float8, float8, text, float8) IS
'Declares that a numeric column lies in [lo, hi] in the rows in which another column has a value; NULL for both ends takes such a range away. Other values count as the nearest end.
when: a comparison of the other column with a constant, such as $$test = ''hba1c''$$. The range counts where WHERE or FILTER of a query says so, too, by the same value written as a constant; with IN or OR, the least range that holds those of all values. Where nothing says it, the range for all rows counts, if there is one. The other column may be of type smallint, integer, bigint, text, varchar, char, uuid or an enum, the same for all ranges of a column; once it, or the label of an enum, is renamed they have to be declared again. dpsens.key_ranges shows them; a column can have 10,000.
weight: as for dpsens.set_range; a column has one.
Errors: as for dpsens.set_range; another condition; ranges that depend on several columns, or on the column itself.';

CREATE FUNCTION dpsens.set_range_when(relation regclass, column_name name, lo text, hi text, "when" text, weight float8 DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_keyed_range_text'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_range_when(regclass, name, text, text, text, float8) IS
'The same for a date or timestamp column, or a numeric one: what dpsens.set_range with text is to that with numbers.
Errors: as for numbers; text that the type does not accept.';

CREATE FUNCTION dpsens.set_range_from_checks(relation regclass, OUT column_name name, OUT lo float8, OUT hi float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_set_range_from_checks'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 10;

COMMENT ON FUNCTION dpsens.set_range_from_checks(regclass) IS
'Declares the ranges that the table''s own validated CHECK constraints and domains imply, and returns the columns set.
Understood are comparisons of a column with constants (<, <=, =, >=, >, BETWEEN, IN), joined by AND or in several constraints; both ends must be bounded. Existing ranges are replaced, weights and values kept.
lo, hi: as in dpsens.columns.
Errors: the caller does not own the table; not a table.';

CREATE FUNCTION dpsens.set_values(relation regclass, column_name name, VARIADIC "values" text[])
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_values'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_values(regclass, name, text[]) IS
'Declares the public values of a column, which are the groups of GROUP BY. Enums and booleans have theirs without.
Errors: the caller does not own the table; unknown or system column; no values, NULL, duplicates; a value that the column''s type does not accept; a type without order or whose spelling depends on the session.';

CREATE FUNCTION dpsens.set_weight(relation regclass, column_name name, weight float8)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_weight'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_weight(regclass, name, float8) IS
'Declares the weight of a column that has a range, or values, and leaves all else that is declared of it: what dpsens.set_range has as an argument.
weight: positive; the column''s factor in distances under adjacency metric, per second for dates and timestamps; under adjacency attribute an answer at epsilon tells at most weight times epsilon of the column, and more than 1 counts as 1.
Errors: the caller does not own the table; unknown or system column; a weight other than 1 of a column with neither range nor values; a weight that is not positive, NaN or infinite.';

CREATE FUNCTION dpsens.set_public(relation regclass, column_name name)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_public'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_public(regclass, name) IS
'Declares that the values of a column are no secret.
Errors: the caller does not own the table; unknown or system column; the column is the privacy unit.';

CREATE FUNCTION dpsens.set_public(relation regclass)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_set_public_relation'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_public(regclass) IS
'Declares that all rows of a table are public knowledge: roles that may ask about a protected relation and not read it may use the table beside it, if they may read it and whoever owns the table owns the protected relation, too.
dpsens.unprotect takes it back. No privilege is given.
Errors: the caller does not own the table; not a table; it is protected.';

CREATE FUNCTION dpsens.clear(relation regclass, column_name name)
RETURNS void
AS 'MODULE_PATHNAME', 'dps_clear'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.clear(regclass, name) IS
'Removes all annotations of a column.
Errors: the caller does not own the table; unknown or system column.';

CREATE FUNCTION dpsens_internal.describe_column(relation regclass, column_number int2, OUT role text, OUT lo float8, OUT hi float8,
    OUT weight float8, OUT "values" text[], OUT missing text)
RETURNS record
AS 'MODULE_PATHNAME', 'dps_describe_column'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION dpsens_internal.describe_column(regclass, int2) IS
'The annotation of a column by number, as dpsens.columns shows it; NULL if there is no such column.';

CREATE FUNCTION dpsens_internal.key_ranges(relation regclass, column_number int2, OUT key_column name, OUT key text,
    OUT lo float8, OUT hi float8, OUT counts boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_key_ranges'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION dpsens_internal.key_ranges(regclass, int2) IS
'The ranges of a column that hold where another column has a value, as dpsens.key_ranges shows them.';

CREATE FUNCTION dpsens_internal.describe_relation(relation regclass, OUT adjacency text, OUT unit text, OUT one_row boolean,
	OUT max_rows int4, OUT max_rows_per_group int4, OUT max_groups int4, OUT group_size int4)
RETURNS record
AS 'MODULE_PATHNAME', 'dps_describe_relation'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens_internal.describe_relation(regclass) IS
'What is declared of a protected relation, as dpsens.relations shows it; NULL of others.';

CREATE VIEW dpsens_internal.readers AS
SELECT DISTINCT c.oid AS relation, g.grantee
FROM pg_catalog.pg_class AS c
CROSS JOIN LATERAL (
    SELECT t.grantee, t.privilege_type FROM pg_catalog.aclexplode(c.relacl) AS t
    UNION ALL
    SELECT x.grantee, x.privilege_type FROM pg_catalog.pg_attribute AS a CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) AS x
    WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped
) AS g
WHERE g.privilege_type OPERATOR(pg_catalog.=) 'SELECT' AND g.grantee OPERATOR(pg_catalog.<>) c.relowner;

COMMENT ON VIEW dpsens_internal.readers IS
'Roles, other than the owner, that have been granted SELECT on a relation or a column of it; 0 is PUBLIC.';

CREATE VIEW dpsens.columns AS
SELECT label.objoid::pg_catalog.regclass AS relation,
       attribute.attname AS column_name,
       attribute.atttypid::pg_catalog.regtype AS type,
       attribute.attnotnull AS not_null,
       description.role,
       description.lo,
       description.hi,
       description.weight,
       description."values",
       description.missing
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid OPERATOR(pg_catalog.=) label.objoid
CROSS JOIN LATERAL dpsens_internal.describe_column(label.objoid, attribute.attnum) AS description
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND label.objsubid OPERATOR(pg_catalog.=) 0
  AND label.label OPERATOR(pg_catalog.!~*) '^\s*public\s*$'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS class
                  WHERE class.oid OPERATOR(pg_catalog.=) label.objoid AND class.relkind OPERATOR(pg_catalog.=) 'v')
  AND attribute.attnum OPERATOR(pg_catalog.>) 0
  AND NOT attribute.attisdropped
ORDER BY label.objoid, attribute.attnum;

COMMENT ON VIEW dpsens.columns IS
'Every column of every protected table: its role (private, public, unit, unannotated), range, weight and values, and in missing the statement that adds what queries will want, once its words are replaced, or takes away what does not fit the column; null if nothing is missing, or nothing can be added, or should be: a column whose name looks as if it told persons apart, or held what people write, is safe as it is. Ranges of dates and timestamps are in seconds since 1970, UTC.';

CREATE VIEW dpsens.key_ranges AS
SELECT label.objoid::pg_catalog.regclass AS relation,
       attribute.attname AS column_name,
       range.key_column,
       range.key,
       range.lo,
       range.hi,
       range.counts
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid OPERATOR(pg_catalog.=) label.objoid
    AND attribute.attnum OPERATOR(pg_catalog.=) label.objsubid
CROSS JOIN LATERAL dpsens_internal.key_ranges(label.objoid, attribute.attnum) AS range
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND label.objsubid OPERATOR(pg_catalog.>) 0
  AND NOT attribute.attisdropped
ORDER BY label.objoid, attribute.attnum;

COMMENT ON VIEW dpsens.key_ranges IS
'Ranges of columns that hold where another column of the row has a value (dpsens.set_range_when): a query that says so in WHERE or FILTER, by a constant, has the range of that value. Those of dates and timestamps are in seconds since 1970, UTC.';
COMMENT ON COLUMN dpsens.key_ranges.counts IS 'false once key_column is the name of no column any more, or of one of another type: declare the range anew, after dpsens.clear';

CREATE VIEW dpsens.public_relations AS
SELECT label.objoid::pg_catalog.regclass AS relation,
       class.relowner::pg_catalog.regrole AS owner
FROM pg_catalog.pg_seclabel AS label
JOIN pg_catalog.pg_class AS class ON class.oid OPERATOR(pg_catalog.=) label.objoid
WHERE label.provider OPERATOR(pg_catalog.=) 'dpsens'
  AND label.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND label.objsubid OPERATOR(pg_catalog.=) 0
  AND label.label OPERATOR(pg_catalog.~*) '^\s*public\s*$'
ORDER BY label.objoid;

COMMENT ON VIEW dpsens.public_relations IS
'Every table that is declared to be public as a whole, and its owner: beside relations that this role owns, too, it can be used by roles that may ask about them and not read them.';
