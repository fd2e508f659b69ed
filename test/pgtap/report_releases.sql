-- What dpsens.report says of a history that is longer than the page shows.  A
-- name that is used again has its history, so the table's is a new one.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS report_releases CASCADE;
CREATE SCHEMA report_releases;
SET search_path = report_releases, public;
SELECT '<t>' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS t \gset
CREATE TABLE :"t" (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO :"t" VALUES (1, 1);
\o /dev/null
SELECT dpsens.protect(quote_ident(:'t')::regclass, unit => 'id'), dpsens.set_range(quote_ident(:'t')::regclass, 'x', 0, 9);
SELECT format('SELECT dp_count(true, 0.0625) AS "<script> %s" FROM %I', i, :'t') FROM generate_series(1, 103) AS i \gexec
\o
CREATE TEMP TABLE page AS SELECT dpsens.report(quote_ident(:'t')::regclass) AS html;
SELECT plan(5);
SELECT matches(html, '<p>103 so far; the last 100 of them:</p>', 'how many there are') FROM page;
SELECT is((SELECT count(*) FROM regexp_matches(html, '<tr><td class="number">[0-9]+</td><td>[0-9-]+ [0-9:]+</td>', 'g')), 100::bigint, 'the last of them') FROM page;
SELECT matches(html, '&lt;script&gt; 103&quot;.*&lt;script&gt; 4&quot;', 'the last one first') FROM page;
SELECT unalike(html, '%&lt;script&gt; 3&quot;%', 'and not the first ones') FROM page;
SELECT unalike(html, '%<script%', 'queries are text') FROM page;
SELECT * FROM finish();
DROP SCHEMA report_releases CASCADE;
