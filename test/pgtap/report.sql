-- dpsens.report: what is on the page, for whom, and that names are only names.
-- Files: plot/html.c, plot/html_style.c, audit/report/sql_report.c, audit/report/report_rows.c, audit/report/report_summary.c, audit/report/report_ledger.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(53);
-- what a page is made of
\set tags '{a,body,caption,code,div,figcaption,figure,g,h1,h2,h3,h4,head,html,li,line,main,math,meta,mfrac,mi,mn,mo,mrow,msqrt,msup,mtable,mtd,mtext,mtr,nav,ol,p,rect,section,style,svg,table,tbody,td,text,th,thead,title,tr,ul}'
\set attributes '{aria-label,aria-labelledby,charset,class,content,display,fill,font-family,font-size,height,href,http-equiv,id,lang,name,role,scope,shape-rendering,stretchy,stroke,tabindex,text-anchor,transform,viewBox,width,x,x1,x2,xmlns,y,y1,y2}'

CREATE ROLE report_tap_curator;
CREATE ROLE report_tap_analyst;
CREATE SCHEMA report_tap AUTHORIZATION report_tap_curator;
GRANT USAGE ON SCHEMA report_tap TO report_tap_analyst;
SET LOCAL ROLE report_tap_curator;
SET LOCAL search_path = report_tap, public;
CREATE TABLE "a <script>alert('&')</script>" (id int PRIMARY KEY, x float8 NOT NULL, "<b onclick=""x"">" float8 NOT NULL, note text);
CREATE TEMP TABLE this AS SELECT '"a <script>alert(''&'')</script>"'::regclass AS t;
INSERT INTO "a <script>alert('&')</script>" SELECT i, i % 7, i % 3, '</td>' FROM generate_series(1, 500) AS i;
SELECT dpsens.protect(t, unit => 'id', adjacency => 'replace'), dpsens.set_range(t, 'x', 0, 6), dpsens.set_range(t, '<b onclick="x">', 0, 2) FROM this;
SELECT dpsens.register('<img src=x>', t, 'x * "<b onclick=""x"">"') FROM this;
SELECT dpsens.register('jump', t, 'CASE WHEN x < 3 THEN 0 ELSE x END') FROM this;
SELECT dpsens.grant_budget(t, 'report_tap_analyst', epsilon => 12.5) FROM this;
CREATE TABLE bare (x float8);

CREATE FUNCTION page(relation regclass) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT dpsens.report(relation)';
CREATE TEMP TABLE pages AS SELECT page(t) AS html FROM this;

-- One page, well-formed but for what HTML leaves open, without scripts.
SELECT ok(html ~ '^<!DOCTYPE html>\n<html' AND html ~ '</html>\n$', 'a page') FROM pages;
SELECT ok((SELECT bool_and(ascii(c) < 128) FROM regexp_split_to_table(html, '') AS c), 'in ASCII, whatever its encoding') FROM pages;
SELECT unalike(html, '%<script%', 'no script') FROM pages;
SELECT unalike(html, '%<img%', 'no image') FROM pages;
SELECT unalike(html, '%<b %', 'no markup of columns') FROM pages;
SELECT unalike(html, '%</td></td>%', 'nor of values') FROM pages;
SELECT is((SELECT array_agg(DISTINCT tag[1]) FROM regexp_matches(html, '<([a-z][a-z0-9]*)', 'g') AS tag WHERE tag[1] <> ALL (:'tags')), NULL, 'these tags and no others') FROM pages;
SELECT is((SELECT array_agg(DISTINCT attribute[1]) FROM regexp_matches(html, '<[a-z][^>]*>', 'g') AS tag,
            regexp_matches(tag[1], '([a-zA-Z0-9-]+)="', 'g') AS attribute
        WHERE attribute[1] <> ALL (:'attributes')), NULL,
    'nor attributes: nothing comes from elsewhere') FROM pages;
SELECT ok(regexp_replace(regexp_replace(html, '^<!DOCTYPE html>', ''), '<meta ([^>]*)>', '<meta \1/>', 'g')::xml IS DOCUMENT, 'every tag is closed') FROM pages;
SELECT matches(html, 'Privacy report of report_tap\.&quot;a &lt;script&gt;alert\(&#39;&amp;&#39;\)&lt;/script&gt;&quot;', 'its name') FROM pages;

-- Order, names and texts in place of figures, for whoever does not see it.
CREATE FUNCTION steps(html text, OUT levels int[], OUT jumps bigint) LANGUAGE sql IMMUTABLE AS $$
    WITH h AS (SELECT (m.tag)[1]::int AS level, m.place FROM regexp_matches(html, '<h([1-6])', 'g') WITH ORDINALITY AS m (tag, place))
    SELECT array_agg(n.level ORDER BY n.place), count(*) FILTER (WHERE n.level > n.before + 1) FROM (SELECT level, place, lag(level, 1, 0) OVER (ORDER BY place) AS before FROM h) AS n
$$;
SELECT is((s.jumps, s.levels[1], cardinality(array_positions(s.levels, 1)))::text, '(0,1,1)', 'one heading of level 1, and none is left out') FROM pages, steps(html) AS s;
SELECT is((SELECT array_agg(l[1] ORDER BY l[1]) FROM regexp_matches(html, 'href="#([a-z]+)"', 'g') AS l), (SELECT array_agg(i[1] ORDER BY i[1]) FROM regexp_matches(html, ' id="([a-z]+)"', 'g') AS i),
    'the contents lead to every section') FROM pages;
SELECT is(cardinality(regexp_split_to_array(html, '<table>')), cardinality(regexp_split_to_array(html, '<table>\n<caption>[^<]+</caption>')), 'each table says what it is') FROM pages;
SELECT unalike(html, '%<th>%', 'and each heading of a table what it heads') FROM pages;
SELECT is(cardinality(regexp_split_to_array(html, '<svg')), cardinality(regexp_split_to_array(html, '<figure>\n<div class="wide" role="region" tabindex="0" aria-label="[^"]+"><svg [^>]*role="img">\n<title>[^<]+</title>')), 'each figure has a name') FROM pages;
SELECT is(cardinality(regexp_split_to_array(html, '<figure>')), cardinality(regexp_split_to_array(html, '<figcaption>[^<]+</figcaption>\n</figure>')), 'and a caption') FROM pages;
SELECT ok(html LIKE '%prefers-color-scheme: dark%' AND html LIKE '%@media print%' AND html LIKE '%<html lang="en">%' AND html LIKE '%<meta charset="utf-8">%', 'dark, on paper, in English') FROM pages;
SELECT matches(html, 'Answers hardly depend on what the rows of a person say', 'the promise in words') FROM pages;
SELECT matches(html, 'What report_tap_analyst is told costs one person at most epsilon = 12\.5\. Spent by 0 charges: epsilon = 0; left: 100 %\.', 'a budget in words') FROM pages;
SELECT matches(html, 'found no way around the guard', 'findings in words') FROM pages;

-- What is on it.
SELECT matches(html, 'holds private data', 'it says what it is') FROM pages;
SELECT matches(html, 'Neighbouring tables: replace\. Privacy unit: id\. 500 rows\.', 'adjacency, unit, size') FROM pages;
SELECT matches(html, '<th scope="row">&lt;b onclick=&quot;x&quot;&gt;</th><td>double precision</td><td>yes</td><td>private</td>', 'columns') FROM pages;
SELECT matches(html, '<h3>&lt;img src=x&gt;</h3>', 'expressions') FROM pages;
SELECT matches(html, '<code>&quot;&lt;b onclick=&quot;&quot;x&quot;&quot;&gt;&quot; \* x</code>|<code>x \* &quot;&lt;b onclick=&quot;&quot;x&quot;&quot;&gt;&quot;</code>', 'in SQL') FROM pages;
SELECT matches(html, '<math display="inline"><mrow><mi>x</mi><mo>&#x22C5;</mo><mi>&lt;b&#xA0;onclick=x&gt;</mi></mrow></math>', 'and typeset') FROM pages;
SELECT matches(html, '<tr><th scope="row">replace</th><td class="number">12</td><td><code>[^<]+</code></td><td>decides the noise</td></tr>', 'bounds with their witnesses') FROM pages;
SELECT matches(html, '<tr><th scope="row">replace</th><td>verified</td>', 'a certificate that has been checked') FROM pages;
SELECT matches(html, 'metric: jump', 'what is not bounded') FROM pages;
SELECT is((SELECT count(*) FROM regexp_matches(html, '<svg', 'g')), 2::bigint, 'a histogram for each expression') FROM pages;
SELECT matches(html, 'Set dpsens\.epsilon', 'losses need an epsilon') FROM pages;
SELECT matches(html, '<th scope="row">gradient_norm</th><td class="number">500</td>', 'quantiles') FROM pages;
SELECT matches(html, '<th scope="row">report_tap_analyst</th><td class="number">12\.5</td>', 'budgets') FROM pages;
SELECT matches(html, '<p>Nothing was asked so far\.</p>', 'releases') FROM pages;
SET LOCAL dpsens.epsilon = 0.5;
SELECT is((SELECT count(*) FROM this, regexp_matches(page(t), '<svg', 'g')), 4::bigint, 'with an epsilon there are losses too');
RESET dpsens.epsilon;

-- Names of everything that has one.
RESET ROLE;
SELECT set_config('report_tap.name', E'</code></table><script src=//x>\'";&#60;i>' || chr(13) || E'\n--', false) AS hostile \gset
SELECT :'hostile' || ' key' AS key \gset
CREATE ROLE :"hostile";
CREATE SCHEMA :"hostile";
GRANT ALL ON SCHEMA :"hostile" TO report_tap_curator;
SET LOCAL ROLE report_tap_curator;
CREATE TABLE :"hostile".:"hostile" (:"key" int PRIMARY KEY, "<x>" text NOT NULL, "<d>" date NOT NULL, v float8 NOT NULL);
INSERT INTO :"hostile".:"hostile" VALUES (1, '</td><script>', '2001-02-03', 2);
CREATE TEMP TABLE that AS SELECT format('%1$I.%1$I', :'hostile')::regclass AS t;
SELECT dpsens.protect(t, unit => :'key'), dpsens.set_values(t, '<x>', :'hostile', '<script>'), dpsens.set_range(t, '<d>', '2000-01-01', '2010-01-01'),
    dpsens.set_range(t, 'v', 0, 3), dpsens.register(:'hostile', t, 'v * 2'), dpsens.grant_budget(t, quote_ident(:'hostile')::regrole, epsilon => 1) FROM that;
SELECT dpsens.register('<script> "', t, 'CASE WHEN v > 1 THEN v ELSE 0 END') FROM that;
CREATE TEMP TABLE hostile_pages AS SELECT page(t) AS html FROM that;
SELECT unalike(html, '%<script%', 'no script in a table whose names are scripts') FROM hostile_pages;
SELECT unalike(html, '%<i>%', 'nor a tag') FROM hostile_pages;
SELECT is((SELECT array_agg(DISTINCT tag[1]) FROM regexp_matches(html, '<([a-z][a-z0-9]*)', 'g') AS tag WHERE tag[1] <> ALL (:'tags')), NULL, 'only the tags that are there anyway') FROM hostile_pages;
SELECT ok(regexp_replace(regexp_replace(html, '^<!DOCTYPE html>', ''), '<meta ([^>]*)>', '<meta \1/>', 'g')::xml IS DOCUMENT, 'every tag is closed') FROM hostile_pages;
SELECT cmp_ok((SELECT count(*) FROM regexp_matches(html, '&lt;/code&gt;&lt;/table&gt;&lt;script src=//x&gt;&#39;', 'g')), '>=', 11::bigint,
    'table, schema, key, value, expression and role are there as text') FROM hostile_pages;
SELECT matches(html, '<td>2000-01-01</td><td>2010-01-01</td>', 'ranges of dates are dates') FROM hostile_pages;

-- An empty table, one without expressions, one without anything.
DELETE FROM :"hostile".:"hostile";
SELECT matches(page(t), 'There are no rows\.', 'an empty table') FROM that;
SET LOCAL dpsens.epsilon = 1;
SELECT unalike(page(t), '%<svg%', 'has no histograms') FROM that;
RESET dpsens.epsilon;
CREATE TABLE plain (x float8 NOT NULL);
SELECT dpsens.protect('plain'), dpsens.set_range('plain', 'x', 0, 1);
SELECT matches(page('plain'), 'None\. dpsens\.register makes them\.', 'a table without expressions');
CREATE TABLE nothing ();
SELECT matches(page('nothing'), '</html>\n$', 'a table without columns');
CREATE TABLE parted (x float8 NOT NULL) PARTITION BY RANGE (x);
SELECT dpsens.protect('parted'), dpsens.set_range('parted', 'x', 0, 1), dpsens.register('double', 'parted', '2 * x');
SELECT matches(page('parted'), 'Privacy unit: none\. 0 rows', 'a partitioned table');

-- What is not declared is said, in its place.
SELECT matches(page('bare'), 'is not protected', 'a table without annotations');
SELECT dpsens.clear(t, 'x') FROM this;
SELECT matches(page(t), 'has no declared range', 'a range that is gone') FROM this;

-- For whom.
RESET ROLE;
SELECT lives_ok('SELECT report_tap.page(''report_tap.bare'')', 'a superuser reads it');
SELECT throws_ok('SELECT dpsens.report(0)', '42P01', NULL, 'no table');
CREATE VIEW report_tap.some AS SELECT 1 AS one;
SELECT throws_ok('SELECT dpsens.report(''report_tap.some'')', '42809', NULL, 'not of a view');
GRANT SELECT ON ALL TABLES IN SCHEMA report_tap TO report_tap_analyst;
SET LOCAL ROLE report_tap_analyst;
SELECT throws_ok('SELECT dpsens.report(''report_tap.bare'')', '42501', 'must be owner or auditor of table bare', 'who reads the table does not read its report');
RESET ROLE;
SELECT is(current_setting('search_path'), 'report_tap, public', 'the path is as it was');
SELECT * FROM finish();
ROLLBACK;
