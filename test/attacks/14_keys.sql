-- Row 14: keys of groups that only the data know, and the order of groups.
-- Files: guard/release/public_keys.c.
\ir start.sql
-- a key that one person holds is not shown, whatever it is computed by and however it is asked for
SET dpsens.epsilon = 1;
SELECT attempt('keys: ' || question, question, '(00000|0A000|42803|42501|42704)', replace(question, 'dp_', ''), 'Zebedee|ZEBEDEE')
FROM unnest(ARRAY['SELECT name, dp_count(*) FROM people GROUP BY name', 'SELECT note, dp_count(*) FROM people GROUP BY note', 'SELECT name || ''!'', dp_count(*) FROM people GROUP BY name || ''!''',
    'SELECT k, dp_count(*) FROM (SELECT name AS k FROM people) s GROUP BY k', 'SELECT max(name), dp_count(*) FROM people WHERE secret', 'SELECT DISTINCT name, dp_count(*) FROM people GROUP BY name',
    'SELECT tags, dp_count(*) FROM people GROUP BY tags', 'SELECT feels, name, dp_count(*) FROM people GROUP BY feels, name', 'SELECT CASE WHEN secret THEN name ELSE '''' END, dp_count(*) FROM people GROUP BY 1',
    'SELECT p, dp_count(*) FROM people p GROUP BY p', 'SELECT unnest(tags), dp_count(*) FROM people GROUP BY 1', 'SELECT array_agg(name), dp_count(*) FROM people GROUP BY feels',
    'SELECT string_agg(name, '','') FILTER (WHERE secret), dp_count(*) FROM people', 'SELECT upper(name), dp_count(*) FROM people WHERE id = 42 GROUP BY 1',
    'SELECT name, dp_count(*) FROM people WHERE secret GROUP BY name HAVING dp_count(*) > -100', 'SELECT name, dp_sum(age) FROM people GROUP BY name ORDER BY 1 DESC LIMIT 1',
    'SELECT left(note, 7), dp_sum(age) FROM people WHERE secret GROUP BY 1', 'SELECT COALESCE(note, name), dp_count(*) FROM people GROUP BY 1 ORDER BY 1 DESC']) question;
-- nor can groups of one be counted
SELECT attempt('groups that are not shown are not counted: ' || question, question, '00000.\((0|f)\)', replace(question, 'dp_', ''), '^00000.\(([1-9][0-9]*|t)\)')
FROM unnest(ARRAY['SELECT count(*) FROM (SELECT name, dp_count(*) FROM people GROUP BY name) s', 'SELECT count(*) > 0 FROM (SELECT id, dp_count(*) FROM people GROUP BY id) s',
    'SELECT count(*) FROM (SELECT row_number() OVER (), name, dp_count(*) FROM people GROUP BY name) s']) question;
-- no key makes a question fail, or succeed, because of what a row holds
SELECT oracle('the outcome of keys: ' || question, question)
FROM unnest(ARRAY['SELECT 1 / (1 - count(*)) FROM (SELECT name, dp_count(*) FROM %s WHERE secret GROUP BY name) s', 'SELECT name::int AS n, dp_count(*) FROM %s GROUP BY 1',
    'SELECT 1 / pay AS n, dp_count(*) FROM %s WHERE pay < 0.2 GROUP BY 1', 'SELECT date_trunc(CASE WHEN secret THEN name ELSE ''day'' END, seen) AS n, dp_count(*) FROM %s GROUP BY 1',
    'SELECT width_bucket(pay, 0, pay * 2, 3), dp_count(*) FROM %s WHERE pay < 0.2 GROUP BY 1', 'SELECT CASE WHEN secret THEN (1 / (age - age))::text ELSE name END, dp_count(*) FROM %s GROUP BY 1',
    'SELECT split_part(name, ''e'', (NOT secret)::int), dp_count(*) FROM %s GROUP BY 1', 'SELECT born + CASE WHEN secret THEN 2147483647 ELSE 0 END, dp_count(*) FROM %s GROUP BY 1']) question;
-- groups come in the order of their keys, not in that of the rows
SELECT attempt('the order of groups', 'SELECT string_agg(k, '','') FROM (SELECT CASE WHEN id % 2 = 0 THEN ''even'' ELSE ''odd'' END AS k, dp_count(*) FROM people GROUP BY 1) s', '00000.\("even,odd"\)',
    'SELECT string_agg(k, '','') FROM (SELECT CASE WHEN id % 2 = 0 THEN ''even'' ELSE ''odd'' END AS k FROM people) s', '^00000.\("odd,even');
-- nor does it matter to the outcome how many there are
SELECT attempt('groups that spill', ARRAY['SET work_mem = ''64kB''', 'SELECT count(*) FROM (SELECT name || name || name, dp_count(*), dp_suppressed() FROM people GROUP BY 1) s', 'RESET work_mem'], '00000.\(1\)',
    ARRAY['SELECT count(*) FROM (SELECT name FROM people GROUP BY name) s'], '^00000.\(400');
SELECT attempt('EXPLAIN of groups', 'EXPLAIN SELECT name, dp_count(*) FROM people GROUP BY name', '42501', 'EXPLAIN SELECT name, count(*) FROM people GROUP BY name', '^00000.*rows=');
-- the parts of a selection are not to be called
SELECT attempt('by hand: ' || call, call, '(42501|42883|0A000|42804)', 'SELECT name FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['SELECT dpsens_internal.release_group(NULL, 1, 1)', 'SELECT name, dpsens_internal.release_group(NULL, count(*), 1) FROM people GROUP BY name', 'SELECT dpsens_internal.exact_merge(NULL)',
    'SELECT dpsens_internal.release_group(NULL, dp_count(*), 1) FROM people', 'SELECT dpsens_internal.exact_merge(NULL::dpsens_internal.state) OVER ()']) call;
SET dpsens.epsilon = 4;
SELECT attempt('a key that only data know: ' || call, format('SELECT %s FROM people', call), '(0A000|55000)', 'SELECT max(name) FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['dp_mode(name)', 'dp_mode(note)', 'dp_mode(tags)', 'dp_mode(lower(name))', 'dp_mode_ci(name)', 'dp_mode(people)', 'dp_count(DISTINCT name)', 'dp_count(DISTINCT lower(name))', 'dp_count(DISTINCT tags)']) call;
-- groups come as they are declared, all of them
SELECT attempt('empty groups stay: ' || question, question, '00000.\(sad\) \(calm\) \(happy\)', replace(question, 'dp_', ''), '^00000.\((sad|happy)\)($|\|)')
FROM unnest(ARRAY['SELECT feels FROM (SELECT feels, dp_count(*) FROM people WHERE id = 3 GROUP BY feels) s', 'SELECT feels FROM (SELECT feels, dp_count(*) FROM people WHERE secret GROUP BY feels) s',
    'SELECT feels FROM (SELECT feels, dp_sum(age) FROM people WHERE name = ''17'' GROUP BY feels) s']) question;
SELECT attempt('HAVING over a key', 'SELECT feels FROM (SELECT feels, dp_count(*) FROM people WHERE id = 4 GROUP BY feels HAVING feels > ''sad'') s', '00000.\(calm\) \(happy\)',
    'SELECT count(*) FROM (SELECT feels, count(*) FROM people WHERE id = 4 GROUP BY feels HAVING feels > ''sad'') s', '^00000.\(0\)');
SELECT * FROM finish();
