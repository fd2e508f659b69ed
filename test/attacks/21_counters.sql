-- Row 21: counters of rows that were read, which everybody may look at.
\ir start.sql
-- whoever switches off scans has costs beyond all measure
SET jit = off;
CREATE INDEX ON clinic.people (name);
-- those of the server are hidden from whoever has a budget, as the reader has
GRANT pg_read_all_stats TO dpsens_attack_reader;
-- for an analyst they are NULL; here it may see whether something is counted
SELECT attempt('counters of tables: ' || question, question, '00000(\|\(\))?$', question, '00000.\([1-9]')
FROM unnest(ARRAY['SELECT sum(seq_scan + 1) FROM pg_stat_user_tables', 'SELECT sum(heap_blks_read + heap_blks_hit + 1) FROM pg_statio_user_tables',
    'SELECT sum(idx_scan + 1) FROM pg_stat_xact_user_tables', 'SELECT max(idx_tup_read + 1) FROM pg_stat_user_indexes', 'SELECT pg_relation_size(''people'')',
    'SELECT pg_total_relation_size(oid) FROM pg_class WHERE relname = ''people''', 'SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()', 'SELECT pg_current_wal_insert_lsn() - ''0/0''']) question;
-- those of extensions are known by their names alone
CREATE FUNCTION lab.pg_stat_of_an_extension() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN 7; END $$;
SELECT attempt('counters of extensions', 'SELECT lab.pg_stat_of_an_extension()', '42501', 'SELECT lab.pg_stat_of_an_extension()', '00000.\(7\)');
VACUUM (FREEZE, ANALYZE) clinic.people;
SELECT attempt('size in the catalogue: ' || c, format('SELECT %s FROM pg_class WHERE oid = ''people''::regclass', c), format('00000.\(%s\)', hidden), format('SELECT %s FROM pg_class WHERE oid = ''people''::regclass', c), CASE WHEN c LIKE '%age(%' THEN '00000.\(\d{1,9}\)' ELSE '00000.\([1-9]' END)
FROM (VALUES ('relpages', 0), ('relallvisible', 0), ('relallfrozen', 0), ('relfrozenxid', 0), ('relminmxid', 0), ('age(relfrozenxid)', 2147483647), ('mxid_age(relminmxid)', 2147483647)) v (c, hidden)
WHERE c <> 'relallfrozen' OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'pg_class'::regclass AND attname = c);
SELECT attempt('size in the catalogue', 'SELECT reltuples FROM pg_class WHERE oid = ''people''::regclass', '00000.\(-1\)', 'SELECT reltuples + 2 FROM pg_class WHERE oid = ''people''::regclass', '00000.\([1-9]');
-- the greatest age of its tables is that of the database
SELECT attempt('age in the catalogue: ' || c, format('SELECT %s FROM pg_database WHERE datname = current_database()', c), format('00000.\(%s\)', hidden),
    format('SELECT %s FROM pg_database WHERE datname = current_database()', c), CASE WHEN c LIKE '%age(%' THEN '00000.\(\d{1,9}\)' ELSE '00000.\([1-9]' END)
FROM (VALUES ('datfrozenxid', 0), ('datminmxid', 0), ('age(datfrozenxid)', 2147483647), ('mxid_age(datminmxid)', 2147483647)) v (c, hidden);
SELECT attempt('size in the catalogue''s rows', 'SELECT c::text FROM pg_class c WHERE oid = ''people''::regclass', '42501', 'SELECT c::text FROM pg_class c WHERE oid = ''people''::regclass', 'people');
GRANT pg_read_all_stats TO dpsens_attack_ana;
CREATE FUNCTION lab.counters() RETURNS bigint LANGUAGE sql AS $$
    SELECT (SELECT sum(seq_scan + seq_tup_read + coalesce(idx_scan, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables WHERE schemaname = 'clinic')::bigint
        + (SELECT sum(pg_stat_get_xact_numscans(indexrelid) + pg_stat_get_xact_tuples_returned(indexrelid) + pg_stat_get_xact_tuples_fetched(indexrelid) + pg_stat_get_xact_blocks_fetched(indexrelid)
            + pg_stat_get_xact_blocks_hit(indexrelid)) FROM pg_index i JOIN pg_class c ON c.oid = indrelid WHERE relnamespace = 'clinic'::regnamespace AND relname NOT LIKE 'pg_%')::bigint
        + (SELECT sum(pg_stat_get_xact_blocks_fetched(oid)) FROM pg_class WHERE relnamespace = 'clinic'::regnamespace AND relkind = 'r')::bigint
$$;
-- in one function, so that it is one transaction, as a client's block would be
CREATE FUNCTION lab.counted(question text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint = lab.counters();
BEGIN
    BEGIN
        EXECUTE question;
    EXCEPTION WHEN division_by_zero THEN
        NULL;
    END;
    RETURN lab.counters() - before;
END $$;
SELECT attempt('counters: ' || question, ARRAY['SET enable_seqscan = off', format('SELECT lab.counted(%L)', question), 'RESET enable_seqscan'], '00000.\(0?\)', ARRAY['SET enable_seqscan = off', format('SELECT lab.counted(%L)', replace(question, 'dp_', '')), 'RESET enable_seqscan'], '00000.\([1-9]')
FROM unnest(ARRAY['SELECT dp_count(*) FROM people', 'SELECT dp_count(*) FROM people WHERE id = 42', 'SELECT dp_count(*) FROM people WHERE name = ''Zebedee''', 'SELECT dp_sum(age) FROM people WHERE name LIKE ''Zeb%''', 'SELECT dp_count(*) FROM people WHERE id IN (1, 42, 99)',
    'SELECT dp_count(*) FROM wards WHERE id < 50', 'SELECT dp_count(*) FROM staff', 'SELECT dp_count(*) FROM walled WHERE x > 0', 'SELECT 1 / (SELECT dp_count(*) * 0 FROM people WHERE id = 42)', 'SELECT feels, dp_avg(age) FROM people WHERE id > 390 GROUP BY feels']) question;
REVOKE pg_read_all_stats FROM dpsens_attack_ana, dpsens_attack_reader;
\setenv ASK 'SET SESSION AUTHORIZATION dpsens_attack_ana; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(*) FROM people WHERE id = 42; SELECT count(*) FROM pg_locks WHERE mode = $$SIReadLock$$ AND locktype <> $$relation$$; COMMIT'
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT matches(:'said'::text, 'serializable transaction', 'no row is locked under SERIALIZABLE');
\setenv ASK 'SET enable_seqscan = off; SET enable_bitmapscan = off; SET SESSION AUTHORIZATION dpsens_attack_reader; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT 1 FROM people WHERE id = 42; SELECT count(*) > 0 FROM pg_locks WHERE mode = $$SIReadLock$$ AND locktype <> $$relation$$; COMMIT'
\set said `psql -XAtq -c "$ASK" 2>&1`
SELECT matches(:'said'::text, '\mt\M', 'rows are locked: open to others');
SELECT * FROM finish();
