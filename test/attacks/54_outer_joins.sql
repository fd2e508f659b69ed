-- Row 15 again: whether the optional side of an outer join is met can be private where all that is
-- compared with it is public.  What is computed of its columns is then no constant, under the
-- adjacencies that know public columns.
-- Files: guard/query/nulling.c, guard/query/outer_join.c.
\ir start.sql
-- the ward is public, the secret is the person's
CREATE TABLE clinic.guests54 (id int PRIMARY KEY, ward int NOT NULL, secret boolean NOT NULL, name text NOT NULL);
INSERT INTO clinic.guests54 SELECT i, i % 10, i = 42, CASE WHEN i = 42 THEN 'Zebedee' ELSE i::text END FROM generate_series(1, 100) i;
CREATE TABLE clinic.columns54 (LIKE clinic.guests54 INCLUDING ALL);
CREATE TABLE clinic.moves54 (LIKE clinic.guests54 INCLUDING ALL);
INSERT INTO clinic.columns54 SELECT * FROM clinic.guests54;
INSERT INTO clinic.moves54 SELECT * FROM clinic.guests54;
SELECT format('ALTER TABLE clinic.%s OWNER TO dpsens_attack_owner', t) FROM unnest(ARRAY['guests54', 'columns54', 'moves54']) t \gexec
GRANT SELECT ON clinic.guests54, clinic.columns54, clinic.moves54 TO dpsens_attack_reader;
SET ROLE dpsens_attack_owner;
DO $$
DECLARE
    r text;
BEGIN
    PERFORM dpsens.protect('guests54', adjacency => 'replace'), dpsens.protect('columns54', adjacency => 'attribute'), dpsens.protect('moves54', adjacency => 'metric');
    FOREACH r IN ARRAY '{guests54, columns54, moves54}'::text[] LOOP
        PERFORM dpsens.set_public(r::regclass, 'ward');
        PERFORM dpsens.grant_budget(r::regclass, 'dpsens_attack_ana', epsilon => 1000000, delta => 0.01, own_tables => true);
    END LOOP;
END $$;
RESET ROLE;
SET ROLE dpsens_attack_ana;
CREATE TABLE lab.mark54 (k int PRIMARY KEY, w float8 NOT NULL, city text NOT NULL, next int NOT NULL);
INSERT INTO lab.mark54 SELECT i, 1, 'c' || i % 2, i FROM generate_series(0, 9) i;
SELECT dpsens.set_range('lab.mark54', 'w', 0, 1);
RESET ROLE;
GRANT SELECT ON lab.mark54 TO PUBLIC;

-- all that says whether the side is met, by the person's secret alone
CREATE TEMP TABLE sides54 (side text);
INSERT INTO sides54 VALUES
    ('%s p LEFT JOIN lab.mark54 o ON o.k = p.ward AND p.secret'),
    ('lab.mark54 o RIGHT JOIN %s p ON o.k = p.ward AND p.name = ''Zebedee'''),
    ('%s p LEFT JOIN (SELECT k, w, city FROM lab.mark54) o ON o.k = p.ward AND (p.secret OR p.name = ''Zebedee'')'),
    ('%s p LEFT JOIN (lab.mark54 o JOIN lab.mark54 q ON q.k = o.next) ON o.k = p.ward AND p.secret'),
    ('%s p LEFT JOIN lab.mark54 q ON q.k = p.ward AND p.secret LEFT JOIN lab.mark54 o ON o.k = p.ward AND q.w > 0'),
    ('%s p LEFT JOIN (VALUES (0, 1::float8, ''c0''), (1, 1, ''c1''), (2, 1, ''c0'')) o (k, w, city) ON o.k = p.ward AND p.secret');
CREATE TEMP TABLE asked54 AS
SELECT what, side, replace(side, '%s', 'guests54') AS rows FROM sides54, unnest(ARRAY['dp_sum(coalesce(o.w, 0))', 'dp_sum(CASE WHEN o.w IS NULL THEN 0 ELSE 1.5 END)', 'dp_sum(1) FILTER (WHERE o.w IS NOT NULL)', 'dp_sum(CASE o.city WHEN ''c0'' THEN 1.5 ELSE 0 END)']) what;
CREATE FUNCTION lab.differs54(answers text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT bool_and(a.s <> b.s) FROM (%1$s) a JOIN (%1$s) b ON a.c = b.c', answers);
$$;
-- noise of what is no whole number is finer than 2^-30: two answers are equal in one of 10^8 questions if there is any
SELECT attempt(format('%s is noised: %s', what, rows), lab.differs54(format('SELECT 1 AS c, %s AS s FROM %s', what, rows)), '00000.\(t\)$',
    format('SELECT %s, max(p.name) FILTER (WHERE o.w IS NOT NULL) FROM %s', replace(what, 'dp_', ''), rows), '00000.\(1(\.5)?,Zebedee\)')
FROM asked54;
SELECT attempt(format('groups are noised: %s', rows), lab.differs54(format('SELECT o.city AS c, dp_sum(1) AS s FROM %s GROUP BY o.city', rows)), '00000.\(t\)$',
    format('SELECT o.city, sum(1), max(p.name) FROM %s GROUP BY o.city HAVING o.city IS NOT NULL', rows), '00000.\(c0,1,Zebedee\)')
FROM (SELECT DISTINCT rows FROM asked54 WHERE side NOT LIKE '%(SELECT %') q;
-- counts are rounded, but cost something
SELECT attempt(format('counts cost: %s', rows), format('SELECT min(cost_epsilon) > 0 AND min(sensitivity) >= 1 FROM dpsens.explain(%L)',
        format('SELECT dp_count(*) FILTER (WHERE o.w IS NULL), dp_count(coalesce(o.w, NULL)), dp_bool_or(coalesce(o.w, 0) = 1) FROM %s', rows)), '00000.\(t\)$',
    format('SELECT count(*) FILTER (WHERE o.w IS NOT NULL), max(p.name) FILTER (WHERE o.w IS NOT NULL) FROM %s', rows), '00000.\(1,Zebedee\)')
FROM (SELECT DISTINCT rows FROM asked54) q;
-- of single columns all of the side would change
SELECT attempt(format('refused under %s: %s', r, replace(side, '%s', r)), format('SELECT dp_sum(coalesce(o.w, 0)) FROM %s', replace(side, '%s', r)), '0A000.*(A change of one private column|metric)',
    format('SELECT sum(coalesce(o.w, 0)), max(p.name) FILTER (WHERE o.w IS NOT NULL) FROM %s', replace(side, '%s', r)), '00000.\(1,Zebedee\)')
FROM sides54, unnest(ARRAY['columns54', 'moves54']) r;
-- where public columns alone decide it, it is as public as they are
SELECT attempt(format('nothing private: %s', r), format('SELECT max(cost_epsilon) = 0 AND max(sensitivity) = 0 FROM dpsens.explain(%L)',
        format('SELECT dp_sum(coalesce(o.w, 0)), dp_count(*) FILTER (WHERE o.w IS NULL) FROM %s p LEFT JOIN lab.mark54 o ON o.k = p.ward AND p.ward < 5', r)), '00000.\(t\)$',
    format('SELECT max(name) FROM %s', r), 'Zebedee')
FROM unnest(ARRAY['guests54', 'columns54', 'moves54']) r;
SELECT * FROM finish();
