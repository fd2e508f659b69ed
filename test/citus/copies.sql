-- copies.sql
--	Copies of the tables that a question reads, for copies.pl: of each table of schema S one in the schema
--	"local S", and one in "spread S", which is distributed by its unit, or a reference table if it is not
--	protected.  Both have the same rows, constraints and labels; rows without a unit, which no shard has, are left out
--	of both.
CREATE SCHEMA copies;
CREATE TABLE copies.made (relation oid PRIMARY KEY, state text NOT NULL, refused text);

-- All that decides what is answered about it, but what it refers to.
CREATE FUNCTION copies.state_of(relation oid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rows text;
BEGIN
    IF (SELECT relkind NOT IN ('r', 'm') FROM pg_class WHERE oid = relation) THEN
        RETURN 'not read';
    END IF;
    EXECUTE format('SELECT count(*) || '' '' || COALESCE(sum(hashtextextended(t::text, 0)), 0) FROM %s t', relation::regclass) INTO rows;
    RETURN md5(concat_ws('|', rows, relation::regclass,
        (SELECT string_agg(concat_ws(' ', attnum, attname, atttypid, atttypmod, attnotnull, attcollation), '|' ORDER BY attnum) FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped),
        (SELECT string_agg(conname || pg_get_constraintdef(oid), '|' ORDER BY oid) FROM pg_constraint WHERE conrelid = relation),
        (SELECT string_agg(pg_get_indexdef(indexrelid), '|' ORDER BY indexrelid) FROM pg_index WHERE indrelid = relation),
        (SELECT string_agg(objsubid || label, '|' ORDER BY objsubid) FROM pg_seclabel WHERE objoid = relation AND classoid = 'pg_class'::regclass AND provider = 'dpsens')));
END $$;

-- These and what they refer to, what is referred to first.
CREATE FUNCTION copies.with_referenced(relations oid[]) RETURNS TABLE (relation oid) LANGUAGE sql AS $$
    WITH RECURSIVE reached(relation, depth) AS (
        SELECT r, 0 FROM unnest(relations) r
        UNION SELECT confrelid, depth + 1 FROM reached JOIN pg_constraint ON conrelid = relation AND contype = 'f' AND confrelid <> conrelid AND depth < 5)
    SELECT relation FROM reached JOIN pg_class ON oid = relation JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname NOT IN ('dpsens', 'dpsens_internal', 'copies') AND pg_class.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = relation AND d.deptype = 'e')
    GROUP BY relation ORDER BY max(depth) DESC, relation
$$;

CREATE FUNCTION copies.name_of(relation oid, kind text) RETURNS text LANGUAGE sql AS $$
    SELECT format('%I.%I', kind || ' ' || nspname, relname) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE pg_class.oid = relation
$$;

CREATE FUNCTION copies.label_of(one oid, number int DEFAULT 0) RETURNS text LANGUAGE sql AS $$
    SELECT label FROM pg_seclabel WHERE objoid = one AND classoid = 'pg_class'::regclass AND objsubid = number AND provider = 'dpsens'
$$;

-- Columns by which it could be distributed, the best first: its unit, or else whichever are never NULL.
CREATE FUNCTION copies.columns_of(relation oid) RETURNS SETOF name LANGUAGE sql AS $$
    SELECT attname FROM pg_attribute a
    WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      AND CASE WHEN EXISTS (SELECT FROM pg_seclabel s WHERE s.objoid = relation AND s.objsubid > 0 AND s.label ~ '\mUNIT\M') THEN copies.label_of(relation, attnum) ~ '\mUNIT\M' ELSE true END
      AND EXISTS (SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod AND m.amname = 'hash' WHERE c.opcintype = a.atttypid AND c.opcdefault)
    ORDER BY EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisprimary AND attnum = ANY (indkey)) DESC, attnotnull DESC, attnum
$$;

CREATE PROCEDURE copies.fill(relation oid, kind text) LANGUAGE plpgsql AS $$
DECLARE
    copy text := copies.name_of(relation, kind);
    columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
BEGIN
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', kind || ' ' || (SELECT nspname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE pg_class.oid = relation));
    EXECUTE format('DROP TABLE IF EXISTS %s CASCADE', copy);
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING GENERATED)', copy, relation::regclass);
    IF columns IS NOT NULL THEN
        EXECUTE format('INSERT INTO %s (%s) SELECT %s FROM ONLY %s', copy, columns, columns, relation::regclass);
    ELSE
        EXECUTE format('INSERT INTO %s SELECT FROM ONLY %s', copy, relation::regclass);
    END IF;
END $$;

-- What no distributed table has: uniqueness that a node cannot see.
CREATE PROCEDURE copies.drop_unseen(copy regclass, spread_column name) LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT i.indexrelid::regclass AS index, c.conname FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = copy
        WHERE indrelid = copy AND (indisunique OR indisexclusion) AND NOT (SELECT attnum FROM pg_attribute WHERE attrelid = copy AND attname = drop_unseen.spread_column) = ANY (indkey)
    LOOP
        IF one.conname IS NULL THEN
            EXECUTE format('DROP INDEX %s', one.index);
        ELSE
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', copy, one.conname);
        END IF;
    END LOOP;
END $$;

CREATE PROCEDURE copies.declare(relation oid, kind text) LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT objsubid, label, attname FROM pg_seclabel s LEFT JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid
        WHERE objoid = relation AND classoid = 'pg_class'::regclass AND provider = 'dpsens' ORDER BY objsubid = 0 DESC, objsubid
    LOOP
        IF one.objsubid = 0 THEN
            EXECUTE format('SECURITY LABEL FOR dpsens ON TABLE %s IS %L', copies.name_of(relation, kind), one.label);
        ELSE
            EXECUTE format('SECURITY LABEL FOR dpsens ON COLUMN %s.%I IS %L', copies.name_of(relation, kind), one.attname, one.label);
        END IF;
    END LOOP;
END $$;

-- Foreign keys that both can have.
CREATE PROCEDURE copies.refer(relation oid) LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.oid, conname, confrelid, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY o) FROM unnest(conkey) WITH ORDINALITY k(n, o) JOIN pg_attribute ON attrelid = conrelid AND attnum = n) AS own,
            (SELECT string_agg(quote_ident(attname), ', ' ORDER BY o) FROM unnest(confkey) WITH ORDINALITY k(n, o) JOIN pg_attribute ON attrelid = confrelid AND attnum = n) AS referenced
        FROM pg_constraint c WHERE conrelid = relation AND contype = 'f' AND to_regclass(copies.name_of(confrelid, 'spread')) IS NOT NULL
    LOOP
        BEGIN
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I FOREIGN KEY (%s) REFERENCES %s (%s)', copies.name_of(relation, 'spread'), one.conname, one.own, copies.name_of(one.confrelid, 'spread'), one.referenced);
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I FOREIGN KEY (%s) REFERENCES %s (%s)', copies.name_of(relation, 'local'), one.conname, one.own, copies.name_of(one.confrelid, 'local'), one.referenced);
        EXCEPTION WHEN OTHERS THEN
            RAISE DEBUG 'no foreign key %: %', one.conname, SQLERRM;
        END;
    END LOOP;
END $$;

CREATE PROCEDURE copies.distribute(relation oid, spread_column name) LANGUAGE plpgsql AS $$
DECLARE
    copy regclass;
BEGIN
    CALL copies.fill(relation, 'local');
    CALL copies.fill(relation, 'spread');
    copy := copies.name_of(relation, 'spread')::regclass;
    IF spread_column IS NULL THEN
        PERFORM create_reference_table(copy);
    ELSE
        EXECUTE format('DELETE FROM %s WHERE %I IS NULL', copy, spread_column);
        EXECUTE format('DELETE FROM %s WHERE %I IS NULL', copies.name_of(relation, 'local'), spread_column);
        CALL copies.drop_unseen(copy, spread_column);
        CALL copies.drop_unseen(copies.name_of(relation, 'local')::regclass, spread_column);
        PERFORM create_distributed_table(copy, spread_column::text);
    END IF;
    PERFORM truncate_local_data_after_distributing_table(copy);
END $$;

-- NULL, or why there is no distributed copy.
CREATE FUNCTION copies.make(relation oid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    is_protected boolean := COALESCE(copies.label_of(relation) ~ 'PROTECTED', false);
    spread_column name;
    why text := 'it has no column by which it could be distributed';
BEGIN
    IF (SELECT relpersistence = 't' OR relkind NOT IN ('r', 'm') FROM pg_class WHERE oid = relation) OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = relation OR inhparent = relation) THEN
        RETURN 'it is temporary or foreign, or has partitions or children';
    END IF;
    FOR spread_column IN SELECT copies.columns_of(relation) WHERE is_protected UNION ALL SELECT NULL WHERE NOT is_protected LOOP
        BEGIN
            CALL copies.distribute(relation, spread_column);
            why := NULL;
            EXIT;
        EXCEPTION WHEN OTHERS THEN
            why := SQLERRM;
        END;
    END LOOP;
    IF why IS NOT NULL THEN
        RETURN why;
    END IF;
    CALL copies.refer(relation);
    IF EXISTS (SELECT FROM pg_seclabel s WHERE s.objoid = relation AND s.objsubid > 0 AND s.label ~ '\mUNIT BY REFERENCE\M' AND NOT EXISTS
        (SELECT FROM pg_constraint c WHERE c.conrelid = copies.name_of(relation, 'spread')::regclass AND c.contype = 'f' AND EXISTS
            (SELECT FROM pg_attribute a JOIN pg_attribute b ON b.attname = a.attname AND b.attrelid = c.conrelid WHERE a.attrelid = relation AND a.attnum = s.objsubid AND b.attnum = ANY (c.conkey))))
    THEN
        RETURN 'Citus has no foreign key to a table that is distributed by another column';
    END IF;
    CALL copies.declare(relation, 'local');
    CALL copies.declare(relation, 'spread');
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;

-- The tables of a question, copied as they are now: NULL, or why they cannot be.
CREATE FUNCTION copies.refresh(relations oid[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    one oid;
    now_is text;
    why text;
BEGIN
    FOR one IN SELECT relation FROM copies.with_referenced(relations) LOOP
        now_is := copies.state_of(one);
        IF NOT EXISTS (SELECT FROM copies.made m WHERE m.relation = one AND state = now_is) THEN
            DELETE FROM copies.made m WHERE m.relation = one;
            -- what refers to it goes with it
            DELETE FROM copies.made m WHERE EXISTS (SELECT FROM pg_constraint WHERE confrelid = one AND conrelid = m.relation);
            INSERT INTO copies.made VALUES (one, now_is, copies.make(one));
        END IF;
        IF one = ANY (relations) THEN
            why := COALESCE(why, (SELECT format('%s: %s', one::regclass, refused) FROM copies.made m WHERE m.relation = one AND refused IS NOT NULL));
        END IF;
    END LOOP;
    RETURN why;
END $$;

-- As what they are copied; after refresh, in the same statement, too.
CREATE FUNCTION copies.states(relations oid[]) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT md5(string_agg(state, ' ' ORDER BY relation)) FROM copies.made WHERE relation IN (SELECT copies.with_referenced(relations)));
END $$;
