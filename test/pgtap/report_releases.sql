-- What dpsens.report says of a history: answers by who asked what, budgets day by day, findings; to an auditor nothing that
-- views do not show.  A name that is used again has its history, so the tables' are new ones.
-- Files: audit/report/report_ledger.c, audit/report/report_burn_down.c, audit/report/report_summary.c, plot/steps.c.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS report_releases CASCADE;
DROP ROLE IF EXISTS report_rel_owner, "<i>ana", report_rel_auditor, report_rel_blind;
CREATE ROLE report_rel_owner;
CREATE ROLE "<i>ana";
CREATE ROLE report_rel_auditor;
CREATE ROLE report_rel_blind;
CREATE SCHEMA report_releases AUTHORIZATION report_rel_owner;
GRANT USAGE ON SCHEMA report_releases TO PUBLIC;
SET search_path = report_releases, public;
SELECT '<t>' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS t \gset
SELECT quote_ident(:'t') AS q, quote_ident('people ' || :'t') AS p, 'people ' || :'t' AS people \gset
\o /dev/null
SET ROLE report_rel_owner;
CREATE TABLE :p (id int PRIMARY KEY);
CREATE TABLE :q (id int PRIMARY KEY, person int NOT NULL UNIQUE REFERENCES :p, x float8 NOT NULL);
INSERT INTO :p SELECT generate_series(1, 50);
INSERT INTO :q SELECT i, i, i % 9 FROM generate_series(1, 50) i;
SELECT dpsens.protect(:'p', unit => 'id'), dpsens.protect(:'q', unit => 'person'), dpsens.set_range(:'q', 'x', 0, 9);
SELECT dpsens.set_entity_budget(:'p', epsilon => 77.25), dpsens.set_budget(:'q', epsilon => 20), dpsens.grant_budget(:'q', '"<i>ana"', epsilon => 9.8);
SELECT dpsens.set_policy(:'q', epsilon => 0.75, min_units => 12, default_epsilon => 0.375), dpsens.register('twice', :'q', '2 * x');
SELECT dpsens.grant_audit(:'q', 'report_rel_auditor'), dpsens.grant_audit(:'q', 'report_rel_blind', rows => false);
GRANT DELETE ON :q TO "<i>ana";
SELECT format('SELECT dp_count(true, 0.0625) AS "<script> %s" FROM %s', i, :'q') FROM generate_series(1, 103) AS i \gexec
SET ROLE "<i>ana";
SELECT dp_sum(x, 0.1) FROM :q;
SELECT dp_sum(x, 0.2) FROM :q WHERE x > 3;
SELECT dp_sum(x, 0.2) FROM :q WHERE x > 3;
\set ON_ERROR_STOP 0
SELECT dp_sum(x, 5) FROM :q;
\set ON_ERROR_STOP 1
RESET ROLE;
-- ana's first answer was three days before the others, everybody's first two weeks; all in one transaction, whose time is one
BEGIN;
CREATE TEMP TABLE told ON COMMIT PRESERVE ROWS AS SELECT release, released_at FROM dpsens.release WHERE relation = :'q'::regclass;
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
UPDATE dpsens.release SET released_at = now() - CASE WHEN role_name <> '<i>ana' THEN 14 WHEN epsilon = 0.1 THEN 3 ELSE 0 END * interval '24 hours' WHERE relation = :'q'::regclass;
ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger;
SET LOCAL ROLE report_rel_owner;
CREATE TABLE owners AS SELECT dpsens.report(:'q') AS html;
SET LOCAL ROLE report_rel_auditor;
SELECT dpsens.report(:'q') AS html \gset auditors_
COMMIT;
RESET ROLE;
-- and back, since others look at the whole ledger
BEGIN;
ALTER TABLE dpsens.release DISABLE TRIGGER keep_ledger;
UPDATE dpsens.release r SET released_at = t.released_at FROM told t WHERE t.release = r.release;
ALTER TABLE dpsens.release ENABLE ALWAYS TRIGGER keep_ledger;
COMMIT;
\o
SELECT plan(35);
-- By who asked what, with counts and sums.
SELECT matches(html, '<tr><th scope="row">report_rel_owner</th><td><code>dp_count\(\*\)</code></td><td class="number">103</td><td class="number">103</td><td>geometric</td><td>0\.0625</td><td class="number">6\.4375</td>', 'a question that was asked often is one row') FROM owners;
SELECT matches(html, '<tr><th scope="row">&lt;i&gt;ana</th><td><code>dp_sum\(x\)</code></td><td class="number">3</td><td class="number">2</td><td>laplace</td><td>0\.1 to 0\.2</td><td class="number">0\.5</td>', 'and so is what was asked of several rows') FROM owners;
SELECT is((SELECT count(*) FROM regexp_matches(html, '<tr><th scope="row">[^<]*</th><td><code>dp_', 'g')), 2::bigint, 'there are no others') FROM owners;
SELECT matches(html, '<tr><th scope="row">&lt;i&gt;ana</th><td class="number">3</td><td class="number">3</td><td class="number">1</td><td class="number">0\.5</td>', 'who asked, how often, how often refused, at what cost') FROM owners;
SELECT matches(html, '<code>SELECT dp_count\(true, 0\.0625\) AS &quot;&lt;script&gt; 103&quot; FROM', 'the last statement of a question is there') FROM owners;
SELECT unalike(html, '%&lt;script&gt; 102&quot;%', 'and no other') FROM owners;
SELECT unalike(html, '%<script%', 'statements are text') FROM owners;
SELECT unalike(html, '%<i>%', 'and so are roles') FROM owners;
SELECT matches(html, '<li>106 answers to 106 statements so far, from [0-9-]+ to [0-9-]+; 1 statements were refused\.</li>', 'all of it in words') FROM owners;
-- What is left, as dpsens.budgets says it, and as people write it.
SELECT matches(o.html, 'What &lt;i&gt;ana is told costs one person at most epsilon = 9\.8\. Spent by 3 charges: epsilon = 0\.5; left: ' || b.left_percent || ' %\.', 'a role''s budget in words')
    FROM owners o, dpsens.budgets b WHERE b.relation = :'q'::regclass AND b.role = '<i>ana';
SELECT matches(o.html, 'What all answers together tell, to whomever, costs one person at most epsilon = 20\. Spent by 106 charges: epsilon = 6\.9375; left: ' || b.left_percent || ' %\.', 'that of all')
    FROM owners o, dpsens.budgets b WHERE b.relation = :'q'::regclass AND b.role IS NULL;
SELECT matches(html, 'all answers so far have cost one person at most epsilon = [0-9.]+, delta = 1e-06', 'what it has cost, whatever was asked') FROM owners;
SELECT matches(html, '<th scope="row">everybody</th><td>0\.75</td><td>no limit</td>', 'the policy') FROM owners;
SELECT matches(html, '<td>from 12 units on</td><td>0\.375</td>', 'from how many units on it shows groups, and with which epsilon who names none asks') FROM owners;
SELECT matches(html, '<tr><th scope="row">&lt;i&gt;ana</th><td>warning</td><td>has the privilege DELETE</td>', 'a finding') FROM owners;
SELECT matches(html, 'of the roles that have a budget here: 0 critical, 1 warnings, 0 notices\.', 'counted in the summary') FROM owners;
-- Day by day: from left to right over 15 days, and up to four fifths of the height, which the greatest share has.
SELECT is((SELECT array_agg(p[1]) FROM regexp_matches(html, 'points="([^"]*)"', 'g') p),
    ARRAY['84.0,304.0 84.0,304.0 113.3,111.0 406.7,111.0 436.0,108.0 494.7,108.0 524.0,96.0 524.0,96.0',
        '84.0,304.0 406.7,304.0 436.0,297.9 494.7,297.9 524.0,273.4 524.0,273.4'], 'each budget rises on the days on which it was charged') FROM owners;
SELECT matches(html, 'where nothing is left, is further up</text>', 'where all is spent is said, since it is far away') FROM owners;
SELECT matches(html, '>everybody</text>\n<text[^>]*>&lt;i&gt;ana</text>', 'lines have names') FROM owners;
-- An auditor of the one relation is not shown the budget of persons, which is another's.
SELECT matches(html, '<th scope="row">a person of report_releases\.&quot;people [^<]*, by all relations</th><td class="number">77\.25</td>', 'the owner sees the budget of persons') FROM owners;
SELECT is((SELECT count(*) FROM regexp_matches(:'auditors_html'::text, '77\.25', 'g')), 0::bigint, 'an auditor of the relation alone does not');
SELECT matches(:'auditors_html'::text, 'The budget of a person of report_releases\.&quot;people [^<]* is charged for answers about this table, too, and is shown to owner and auditors of that relation\.', 'but that there is one');
SELECT matches(:'auditors_html'::text, 'left: 65\.31 %', 'and all of its own');
SET ROLE report_rel_blind;
SELECT throws_ok(format('SELECT dpsens.report(%L)', :'q'), '42501', NULL, 'an auditor without rows has no page of rows');
SELECT throws_ok(format('SELECT dpsens.report(%L, true)', :'q'), '42501', NULL, 'whatever the call');
SELECT dpsens.report(:'q', rows => false) AS html \gset blind_
SELECT matches(:'blind_html'::text, 'This page holds nothing that follows from rows\.', 'but one without them');
SELECT doesnt_match(:'blind_html'::text, '[0-9]+ rows|private data|distributed|<figcaption>gradient norm|Quantiles', 'on which nothing is that follows from them');
SELECT is((SELECT count(*) FROM regexp_matches(:'blind_html'::text, '<svg', 'g')), 1::bigint, 'but the figure of budgets');
SELECT matches(:'blind_html'::text, 'Neighbouring tables: add_remove\. Privacy unit: person\.</p>', 'declarations');
SELECT matches(:'blind_html'::text, '<h3>twice</h3>.*<mn>2</mn><mo>&#x22C5;</mo><mi>x</mi>.*<th scope="row">add_remove</th><td class="number">18</td>', 'and what is proved of expressions');
RESET ROLE;
SELECT is(dpsens.report(:'q', NULL), NULL, 'of NULL there is none');
SET ROLE "<i>ana";
SELECT throws_ok(format('SELECT dpsens.report(%L)', :'q'), '42501', NULL, 'and an analyst none');
SELECT throws_ok(format('SELECT dpsens.report(%L, false)', :'q'), '42501', 'must be owner or auditor of table ' || :'t', 'with or without rows');
RESET ROLE;
-- Nothing is read: rows that fail to be read are no matter.
SET ROLE report_rel_owner;
ALTER TABLE :q ENABLE ROW LEVEL SECURITY;
ALTER TABLE :q FORCE ROW LEVEL SECURITY;
CREATE POLICY trap ON :q USING (1 / (x - x)::int = 1);
SELECT throws_ok(format('SELECT dpsens.report(%L)', :'q'), '22012', NULL, 'a policy fails for each row that is read');
SELECT lives_ok(format('SELECT dpsens.report(%L, false)', :'q'), 'none is read for a page without rows');
RESET ROLE;
SELECT * FROM finish();
DROP SCHEMA report_releases CASCADE;
DROP ROLE report_rel_owner, "<i>ana", report_rel_auditor, report_rel_blind;
