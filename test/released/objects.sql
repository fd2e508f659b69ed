-- objects.sql
--	Everything that the catalogs say of the extension's objects, a line each, without what
--	is another number in each database: two databases with the same objects say the same.
--
-- The objects are the extension's members and what is made with these: types of rows, indexes,
-- constraints, defaults, rules, triggers, TOAST relations.  Which columns refer to what by OID the
-- server says itself; those are replaced by names, and trees by the definition that they are.
\set ON_ERROR_STOP 1
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET search_path = pg_catalog, pg_temp;

-- TOAST relations and triggers of foreign keys are called after OIDs
CREATE FUNCTION pg_temp.name_of(catalog regclass, object oid, part int DEFAULT 0) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN object = 0 THEN '-' ELSE
		(SELECT i.type || ' ' || regexp_replace(i.identity, '(pg_toast_|RI_ConstraintTrigger_[ac]_)\d+', '\1N', 'g') FROM pg_identify_object(catalog, object, part) i) END
$$;

CREATE TEMP TABLE objects AS
WITH RECURSIVE found (classid, objid) AS (
	SELECT 'pg_extension'::regclass::oid, oid FROM pg_extension WHERE extname = 'dpsens'
	UNION
	SELECT d.classid, d.objid FROM found f JOIN pg_depend d ON d.refclassid = f.classid AND d.refobjid = f.objid
	WHERE d.deptype IN ('e', 'i') OR (d.deptype = 'a' AND d.classid <> 'pg_proc'::regclass)
)
SELECT classid, objid, pg_temp.name_of(classid, objid) AS name FROM found;

-- A row of a catalog: of which rows it speaks by which columns, and what is left out.  Numbers of
-- files, transactions and counts are no definition; what an added column is in old rows is no
-- matter of the new.
CREATE FUNCTION pg_temp.rows_of(catalog regclass, named text, condition text) RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
DECLARE
	columns text;
BEGIN
	SELECT string_agg(format('%L || %s', ' ' || attname || '=', CASE
			WHEN atttypid = 'pg_node_tree'::regtype THEN format('(c.%I IS NOT NULL)', attname)
			WHEN pktable IS NULL THEN format('COALESCE(c.%I::text, ''-'')', attname)
			WHEN is_array THEN format('COALESCE((SELECT string_agg(pg_temp.name_of(%L, x::oid), '', '' ORDER BY n) FROM unnest(c.%I::oid[]) WITH ORDINALITY u (x, n)), ''-'')', pktable, attname)
			ELSE format('pg_temp.name_of(%L, c.%I::oid)', pktable, attname) END), ' || ' ORDER BY attnum)
	INTO columns
	FROM pg_attribute LEFT JOIN pg_get_catalog_foreign_keys() ON fktable = attrelid AND fkcols = ARRAY[attname::text] AND pkcols = '{oid}'
	WHERE attrelid = catalog AND attnum > 0 AND NOT attisdropped
		AND attname !~ '^(oid|relfilenode|relpages|reltuples|relallvisible|relallfrozen|relfrozenxid|relminmxid|extversion|atthasmissing|attmissingval|refobjid|objid|objoid|objsubid|refobjsubid|classoid|classid|refclassid)$';
	RETURN QUERY EXECUTE format('SELECT %L || %s || %s FROM %s c WHERE %s', catalog::text || ' ', named, columns, catalog, condition);
END $$;

-- those of an object itself
CREATE FUNCTION pg_temp.own_rows(catalog regclass, definition text DEFAULT '''''') RETURNS SETOF text LANGUAGE sql STABLE AS $$
	SELECT pg_temp.rows_of(catalog, format('(SELECT o.name FROM objects o WHERE o.objid = c.oid AND o.classid = %s) || COALESCE(%s, '''')', catalog::oid, definition),
		format('EXISTS (SELECT FROM objects o WHERE o.objid = c.oid AND o.classid = %s)', catalog::oid))
$$;

-- those that another row is about
CREATE FUNCTION pg_temp.rows_about(catalog regclass, refers text, of regclass, part text DEFAULT '''''') RETURNS SETOF text LANGUAGE sql STABLE AS $$
	SELECT pg_temp.rows_of(catalog, format('(SELECT o.name FROM objects o WHERE o.objid = c.%1$I AND o.classid = %2$s) || '' '' || %3$s', refers, of::oid, part),
		format('EXISTS (SELECT FROM objects o WHERE o.objid = c.%1$I AND o.classid = %2$s)', refers, of::oid))
$$;

CREATE TEMP TABLE lines AS
SELECT pg_temp.own_rows('pg_extension')
UNION ALL SELECT pg_temp.own_rows('pg_proc', 'CASE WHEN c.prokind <> ''a'' THEN E''\n'' || pg_get_functiondef(c.oid) || E''\n'' END')
UNION ALL SELECT pg_temp.rows_of('pg_aggregate', 'c.aggfnoid::regprocedure::text', 'EXISTS (SELECT FROM objects o WHERE o.objid = c.aggfnoid::oid AND o.classid = ''pg_proc''::regclass)')
UNION ALL SELECT pg_temp.own_rows('pg_class', 'CASE WHEN c.relkind = ''v'' THEN E''\n'' || pg_get_viewdef(c.oid) || E''\n'' WHEN c.relkind = ''i'' AND c.relnamespace <> ''pg_toast''::regnamespace THEN '' '' || pg_get_indexdef(c.oid) END')
UNION ALL SELECT pg_temp.rows_about('pg_attribute', 'attrelid', 'pg_class', 'c.attname')
UNION ALL SELECT pg_temp.rows_about('pg_index', 'indexrelid', 'pg_class')
UNION ALL SELECT pg_temp.rows_about('pg_sequence', 'seqrelid', 'pg_class')
UNION ALL SELECT pg_temp.own_rows('pg_type')
UNION ALL SELECT pg_temp.own_rows('pg_constraint', ''' '' || pg_get_constraintdef(c.oid)')
UNION ALL SELECT pg_temp.own_rows('pg_attrdef', ''' '' || pg_get_expr(c.adbin, c.adrelid)')
UNION ALL SELECT pg_temp.own_rows('pg_rewrite', 'E''\n'' || pg_get_ruledef(c.oid)')
UNION ALL SELECT pg_temp.own_rows('pg_trigger', ''' '' || pg_get_triggerdef(c.oid)')
UNION ALL SELECT pg_temp.own_rows(catalog::regclass) FROM unnest('{pg_namespace,pg_operator,pg_opclass,pg_opfamily,pg_cast,pg_policy,pg_event_trigger,pg_language,pg_collation,pg_foreign_data_wrapper}'::text[]) catalog
-- what is said of them, and to whom they belong
UNION ALL SELECT format('comment on %s: %s', pg_temp.name_of(c.classoid, c.objoid, c.objsubid), c.description) FROM pg_description c JOIN objects o ON o.objid = c.objoid AND o.classid = c.classoid
UNION ALL SELECT format('privileges at first of %s: %s %s', pg_temp.name_of(c.classoid, c.objoid, c.objsubid), c.privtype, c.initprivs) FROM pg_init_privs c JOIN objects o ON o.objid = c.objoid AND o.classid = c.classoid
UNION ALL SELECT format('label of %s: %s %s', pg_temp.name_of(c.classoid, c.objoid, c.objsubid), c.provider, c.label) FROM pg_seclabel c JOIN objects o ON o.objid = c.objoid AND o.classid = c.classoid
UNION ALL SELECT format('%s depends on %s (%s)', pg_temp.name_of(c.classid, c.objid, c.objsubid), pg_temp.name_of(c.refclassid, c.refobjid, c.refobjsubid), c.deptype)
	FROM pg_depend c JOIN objects o ON o.objid = c.objid AND o.classid = c.classid
UNION ALL SELECT format('%s depends on %s (%s)', pg_temp.name_of(c.classid, c.objid, c.objsubid), pg_temp.name_of(c.refclassid, c.refobjid), c.deptype)
	FROM pg_shdepend c JOIN objects o ON o.objid = c.objid AND o.classid = c.classid WHERE c.dbid = (SELECT oid FROM pg_database WHERE datname = current_database());

-- a kind of object that nothing above knows
INSERT INTO lines SELECT 'not compared: ' || name FROM objects WHERE classid NOT IN (SELECT unnest('{pg_extension,pg_proc,pg_class,pg_type,pg_constraint,pg_attrdef,pg_rewrite,pg_trigger,
	pg_namespace,pg_operator,pg_opclass,pg_opfamily,pg_cast,pg_policy,pg_event_trigger,pg_language,pg_collation,pg_foreign_data_wrapper}'::regclass[]));

-- nor is a number that newer servers put into options of columns to tell when these have changed
SELECT regexp_replace(line, '(pg_toast_|RI_ConstraintTrigger_[ac]_|pg_attver=)\d+', '\1N', 'g') AS line FROM lines l (line) ORDER BY line COLLATE "C";
