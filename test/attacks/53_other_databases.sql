-- Row 21 again: counters of the server, and of this database, as another database of the
-- server tells them, one that knows nothing of dpsens; and what it keeps telling.
\ir start.sql
CREATE ROLE dpsens_attack_other_group;
CREATE ROLE dpsens_attack_other_member IN ROLE dpsens_attack_other_group;
SELECT dpsens.grant_budget('people', 'dpsens_attack_other_group', 1) \g /dev/null
\setenv COUNTERS 'SELECT COALESCE(string_agg(name, $$ $$ ORDER BY name), $$nothing$$) FROM (VALUES ($$ages$$, (SELECT nullif(max(datfrozenxid::text::bigint + datminmxid::text::bigint), 0)::text FROM pg_database)), ($$rows$$, (SELECT max(tup_returned + tup_fetched + tup_inserted)::text FROM pg_stat_database)), ($$pages$$, (SELECT max(blks_read + blks_hit)::text FROM pg_stat_database)), ($$files$$, (SELECT max(temp_bytes)::text FROM pg_stat_database)), ($$buffers$$, (SELECT buffers_alloc::text FROM pg_stat_bgwriter)), ($$log$$, (SELECT wal_records::text FROM pg_stat_wal)), ($$slru$$, (SELECT max(blks_hit)::text FROM pg_stat_slru)), ($$size$$, pg_database_size($$dpsens_attacks$$)::text), ($$position$$, pg_current_wal_insert_lsn()::text), ($$checkpoint$$, (SELECT checkpoint_lsn::text FROM pg_control_checkpoint()))) counter (name, value) WHERE value IS NOT NULL'
\setenv RELATIONS 'CREATE TEMP TABLE mine AS SELECT generate_series(1, 1000) AS i; ANALYZE mine; SELECT pg_relation_size($$mine$$) > 0, (SELECT reltuples FROM pg_class WHERE oid = $$mine$$::regclass), (SELECT count(seq_scan) FROM pg_stat_user_tables WHERE relname = $$mine$$)'
-- what the planner hook does not see
\setenv STORED 'CREATE FUNCTION pg_temp.allocated() RETURNS boolean LANGUAGE sql STABLE AS $$SELECT pg_stat_get_buf_alloc() >= 0$$; SELECT pg_temp.allocated()'
\setenv HIDDEN 'CREATE TEMP TABLE kept (i bigint DEFAULT pg_stat_get_buf_alloc()); INSERT INTO kept DEFAULT VALUES; SELECT i >= 0 FROM kept'
-- those of extensions are known by their names
\setenv NAMED 'CREATE FUNCTION pg_temp.pg_wait_sampling_get_profile() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RETURN 7; END$$; SELECT pg_temp.pg_wait_sampling_get_profile()'
\setenv AS_ANA 'SET SESSION AUTHORIZATION dpsens_attack_ana'
\setenv AS_MEMBER 'SET SESSION AUTHORIZATION dpsens_attack_other_member'
\setenv AS_NOBODY 'SET SESSION AUTHORIZATION dpsens_attack_nobody'

\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$COUNTERS" 2>&1`
SELECT is(:'said'::text, 'nothing', 'counters from another database');
\set said `psql -XAtq -d postgres -c "$AS_MEMBER" -c "$COUNTERS" 2>&1`
SELECT is(:'said'::text, 'nothing', 'counters from another database, for a member of a group with a budget');
\set said `psql -XAtq -d postgres -c "$AS_NOBODY" -c "$COUNTERS" 2>&1`
SELECT is(:'said'::text, 'ages buffers checkpoint files log pages position rows size slru', 'counters from another database: open to others');
\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$RELATIONS" 2>&1`
SELECT is(:'said'::text, 't|1000|1', 'what tells of that database''s relations alone is shown');

\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$STORED" 2>&1`
SELECT matches(:'said'::text, 'permission denied for function pg_stat_get_buf_alloc', 'a counter in a function');
\set said `psql -XAtq -d postgres -c "$AS_NOBODY" -c "$STORED" 2>&1`
SELECT is(:'said'::text, 't', 'a counter in a function: open to others');
\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$HIDDEN" 2>&1`
SELECT is(:'said'::text, '', 'a counter in a default');
\set said `psql -XAtq -d postgres -c "$AS_NOBODY" -c "$HIDDEN" 2>&1`
SELECT is(:'said'::text, 't', 'a counter in a default: open to others');
\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$NAMED" 2>&1`
SELECT matches(:'said'::text, 'permission denied for function .*has, or had, a privacy budget', 'a counter of an extension');
\set said `psql -XAtq -d postgres -c "$AS_NOBODY" -c "$NAMED" 2>&1`
SELECT is(:'said'::text, '7', 'a counter of an extension: open to others');
\setenv WHOLE 'SELECT count(d::text) > 0 FROM pg_database AS d'
\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$WHOLE" 2>&1`
SELECT matches(:'said'::text, 'permission denied for columns of table pg_database', 'ages in rows');
\set said `psql -XAtq -d postgres -c "$AS_NOBODY" -c "$WHOLE" 2>&1`
SELECT is(:'said'::text, 't', 'ages in rows: open to others');
\set said `psql -XAtq -d postgres -c "$AS_ANA" -c 'SELECT count(datname) > 0 FROM (SELECT * FROM pg_database) AS d' 2>&1`
SELECT is(:'said'::text, 't', 'the names of databases are shown');

GRANT pg_read_all_stats TO dpsens_attack_ana;
\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$COUNTERS" 2>&1`
SELECT is(:'said'::text, 'ages buffers checkpoint files log pages position rows size slru', 'an administrator may show them');
REVOKE pg_read_all_stats FROM dpsens_attack_ana;
\setenv TAKE 'SECURITY LABEL FOR dpsens ON ROLE dpsens_attack_ana IS NULL'
\set said `psql -XAtq -d postgres -c "$AS_ANA" -c "$TAKE" 2>&1`
SELECT matches(:'said'::text, 'ERROR', 'nobody takes the label off');
SELECT * FROM finish();
