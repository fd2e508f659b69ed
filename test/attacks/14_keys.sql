-- Row 14: keys of groups that only the data know, and the order of groups.
\ir start.sql
SELECT attempt('keys: ' || question, question, '(55000|0A000|42803|42501)', replace(question, 'dp_', ''), 'Zebedee')
FROM unnest(ARRAY['SELECT name, dp_count(*) FROM people GROUP BY name', 'SELECT note, dp_count(*) FROM people GROUP BY note', 'SELECT name || ''!'', dp_count(*) FROM people GROUP BY name || ''!''',
    'SELECT k, dp_count(*) FROM (SELECT name AS k FROM people) s GROUP BY k', 'SELECT max(name), dp_count(*) FROM people WHERE secret', 'SELECT DISTINCT name, dp_count(*) FROM people GROUP BY name',
    'SELECT tags, dp_count(*) FROM people GROUP BY tags', 'SELECT feels, name, dp_count(*) FROM people GROUP BY feels, name', 'SELECT CASE WHEN secret THEN name ELSE '''' END, dp_count(*) FROM people GROUP BY 1',
    'SELECT p, dp_count(*) FROM people p GROUP BY p', 'SELECT unnest(tags), dp_count(*) FROM people GROUP BY 1', 'SELECT array_agg(name), dp_count(*) FROM people GROUP BY feels',
    'SELECT string_agg(name, '','') FILTER (WHERE secret), dp_count(*) FROM people']) question;
SELECT attempt('a key that only data know: ' || call, format('SELECT %s FROM people', call), '(0A000|55000)', 'SELECT max(name) FROM people WHERE secret', 'Zebedee')
FROM unnest(ARRAY['dp_mode(name)', 'dp_mode(note)', 'dp_mode(tags)', 'dp_mode(lower(name))', 'dp_mode(people)', 'dp_count(DISTINCT name)', 'dp_count(DISTINCT lower(name))', 'dp_count(DISTINCT tags)']) call;
-- groups come as they are declared, all of them
SELECT attempt('empty groups stay: ' || question, question, '00000.\(sad\) \(calm\) \(happy\)', replace(question, 'dp_', ''), '^00000.\((sad|happy)\)($|\|)')
FROM unnest(ARRAY['SELECT feels FROM (SELECT feels, dp_count(*) FROM people WHERE id = 3 GROUP BY feels) s', 'SELECT feels FROM (SELECT feels, dp_count(*) FROM people WHERE secret GROUP BY feels) s',
    'SELECT feels FROM (SELECT feels, dp_sum(age) FROM people WHERE name = ''17'' GROUP BY feels) s']) question;
SELECT attempt('HAVING over a key', 'SELECT feels FROM (SELECT feels, dp_count(*) FROM people WHERE id = 4 GROUP BY feels HAVING feels > ''sad'') s', '00000.\(calm\) \(happy\)',
    'SELECT count(*) FROM (SELECT feels, count(*) FROM people WHERE id = 4 GROUP BY feels HAVING feels > ''sad'') s', '^00000.\(0\)');
SELECT * FROM finish();
