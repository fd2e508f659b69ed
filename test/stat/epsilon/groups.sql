-- groups.sql
--	Groups and persons: selection of keys that are not declared, grouping sets, keys
--	that a row moves between, persons with several rows, found by foreign keys too, and joins:
--	see frame.psql.
\set schema dps_epsilon_groups
\ir frame.psql
\ir tables.psql

-- ---- which keys are shown ----

-- Groups of n persons who have x = 7, and of one more.
CREATE PROCEDURE make_sizes(n int) LANGUAGE plpgsql AS $$
BEGIN
    FOR side IN 0..1 LOOP
        CALL make_table(format('size%s_%s', n, side), 'add_remove',
                        format('SELECT 7, 7, 7, 1, 20, ''u'', ''m1'', true FROM generate_series(1, %s)', n + side));
    END LOOP;
END $$;
CALL make_sizes(0);
CALL make_sizes(1);
CALL make_sizes(2);
CALL make_sizes(4);
CALL make_sizes(6);

-- What is seen of the groups of one k, which is public: g is their other key, which is not
-- declared, and c what is counted of them.
CREATE PROCEDURE show(pair text, keys text, counted text, seen text, factor_laplace float8, factor_gaussian float8, delta_factor float8 DEFAULT 1)
LANGUAGE sql AS $$
    CALL ask(pair, format('groups by %s, %s', keys, counted),
             format('SELECT n AS k, ARRAY[%s]::float8[] AS v FROM generate_series(1, 5000) AS n
                     LEFT JOIN (SELECT k, %s AS g, %s AS c FROM %%I GROUP BY 1, 2) AS q ON k = n GROUP BY n', seen, keys, counted),
             factor_laplace, factor_gaussian, 1, 1, delta_factor)
$$;
CALL show('size0', 'x', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 1, NULL, 4);
CALL show('size2', 'x', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 2, NULL);
CALL show('size6', 'x', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 0.3, NULL, 2);
CALL show('size2', 'floor(x / 2)', 'dp_count(*)', 'sum(c)', 4, 6);

-- ---- grouping sets, moves between keys ----

-- What is seen of c, the answers in the groups by k and s (of which there are u, v and w) and
-- by k alone.
CREATE PROCEDURE pivot(pair text, answer text, grouped text, seen text, factor_laplace float8, factor_gaussian float8) LANGUAGE sql AS $$
    CALL ask(pair, format('%s by %s', answer, grouped),
             format('SELECT k, ARRAY[%s]::float8[] AS v
                     FROM (SELECT k, max(c) FILTER (WHERE s = ''u'') AS u, max(c) FILTER (WHERE s = ''v'') AS v, max(c) FILTER (WHERE s = ''w'') AS w, max(c) FILTER (WHERE s IS NULL) AS every
                           FROM (SELECT k, s, %s AS c FROM %%I GROUP BY %s) AS q GROUP BY k) AS q', seen, answer, grouped),
             factor_laplace, factor_gaussian)
$$;
CALL pivot('few', 'dp_count(*)', 'GROUPING SETS ((k, s), (k))', 'u, v, every', 3, 3);
CALL pivot('swap', 'dp_count(*)', 'k, s', 'u, v', 2, 3);

-- ---- persons with several rows ----

-- u numbers persons; of one 3 rows count, in 3 groups if need be.
CREATE PROCEDURE make_visits(name text, adjacency text, body text) LANGUAGE plpgsql AS $$
BEGIN
    CALL make_table(name, adjacency, body);
    EXECUTE format('ALTER TABLE %I ADD u int', name);
    EXECUTE format('UPDATE %I SET u = 2 * k + (z IS NOT NULL)::int', name);
    EXECUTE format('ALTER TABLE %I ALTER u SET NOT NULL', name);
    PERFORM dpsens.unprotect(name::regclass);
    PERFORM dpsens.protect(name::regclass, unit => 'u', adjacency => adjacency, max_rows => 3, max_rows_per_group => 3, max_groups => 3);
    PERFORM dpsens.set_range(name::regclass, c, 0, 10) FROM unnest('{x,y,z}'::name[]) AS c;
    PERFORM dpsens.set_range(name::regclass, 'a', 0, 3), dpsens.set_values(name::regclass, 's', 'u', 'v', 'w'), dpsens.set_range(name::regclass, 'b', 0, 99);
    CALL number_copies(name);
END $$;

-- A person with one row beside one with 6; the same in as many groups; nobody and such a
-- person; a person whose 6 rows change, all in one group, which moves half of what it could
-- if other groups' rows took their places.
CALL make_visits('rows_0', 'add_remove', 'SELECT 5, 5, NULL::float8, 1, 20, ''u'', ''m1'', true');
CALL make_visits('rows_1', 'add_remove', 'SELECT 5, 5, NULL::float8, 1, 20, ''u'', ''m1'', true UNION ALL SELECT 10, 10, 10, 3, 99, ''v'', ''m2'', false FROM generate_series(1, 6)');
CALL make_visits('wide_0', 'add_remove', 'SELECT 5, 5, NULL::float8, 1, 20, ''u'', ''m1'', true');
CALL make_visits('wide_1', 'add_remove', 'SELECT 5, 5, NULL::float8, 1, 20, ''u'', ''m1'', true UNION ALL SELECT 10, 10, 10, 3, 99, s, ''m2'', false FROM unnest(ARRAY[''u'', ''v'', ''w'']) AS s');
CALL make_visits('open_0', 'add_remove', 'SELECT 10, 10, 10, 3, 99, ''u'', ''m2'', false WHERE false');
CALL make_visits('open_1', 'add_remove', 'SELECT 10, 10, 10, 3, 99, s, ''m2'', false FROM unnest(ARRAY[''u'', ''v'', ''w'']) AS s');
CALL make_visits('turns_0', 'replace', 'SELECT 5, 5, NULL::float8, 1, 20, ''u'', ''m1'', true UNION ALL SELECT 0, 0, 0, 0, 0, ''u'', ''m1'', true FROM generate_series(1, 6)');
CALL make_visits('turns_1', 'replace', 'SELECT 5, 5, NULL::float8, 1, 20, ''u'', ''m1'', true UNION ALL SELECT 10, 10, 10, 3, 99, ''v'', ''m2'', false FROM generate_series(1, 6)');
CALL add('rows', 'dp_count(*)', 'r', 2, 3);
CALL add('turns', 'dp_sum(x)', 'r', 4, 6);
CALL pivot('wide', 'dp_count(*)', 'k, s', 'u, v, w', 3, 8);
CALL show('open', 's || ''!''', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 1, NULL, 10);

-- ---- persons who are protected together ----

-- One beside whom three others are, of one group of the answer or of three; and three who become others.
CALL make_table('home_0', 'add_remove', 'SELECT 5, 5, 5, 1, 20, ''u'', ''m1'', true');
CALL make_table('home_1', 'add_remove', 'SELECT 5, 5, 5, 1, 20, ''u'', ''m1'', true UNION ALL SELECT 10, 10, 10, 3, 99, ''v'', ''m2'', false FROM generate_series(1, 3)');
CALL make_table('trip_0', 'add_remove', 'SELECT 5, 5, 5, 1, 20, ''u'', ''m1'', true WHERE false');
CALL make_table('trip_1', 'add_remove', 'SELECT 10, 10, 10, 3, 99, s, ''m2'', false FROM unnest(ARRAY[''u'', ''v'', ''w'']) AS s');
CALL make_table('kin_0', 'replace', 'SELECT 0, 0, 0, 0, 0, ''u'', ''m1'', true FROM generate_series(1, 3)');
CALL make_table('kin_1', 'replace', 'SELECT 10, 10, 10, 3, 99, ''v'', ''m2'', false FROM generate_series(1, 3)');
SELECT dpsens.protect(t::regclass, group_size => 3) FROM unnest(ARRAY['home_0', 'home_1', 'trip_0', 'trip_1', 'kin_0', 'kin_1']) t;
CALL add('home', 'dp_sum(x)', 'r', 2, 3);
CALL add('kin', 'dp_sum(x)', 'r', 2, 3);
CALL pivot('trip', 'dp_count(*)', 'k, s', 'u, v, w', 3, 8);
CALL show('home', 's || ''!''', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 1, NULL, 10);

-- ---- joins ----

-- The person of a line is the customer of its order; or of the order's first line.
CREATE PROCEDURE make_lines(side int, of_new int) LANGUAGE plpgsql AS $$
DECLARE
    orders text := format('orders_%s', side);
    lines text := format('lines_%s', side);
BEGIN
    EXECUTE format('CREATE TABLE %I (o int PRIMARY KEY, customer int NOT NULL, h float8 NOT NULL)', orders);
    EXECUTE format('CREATE TABLE %I (k int NOT NULL, x float8 NOT NULL, o int NOT NULL REFERENCES %I)', lines, orders);
    EXECUTE format('INSERT INTO %I SELECT 4 * k + i, 2 * k + (i > 0)::int, 2 * i FROM generate_series(1, copies()) AS k, generate_series(0, %s) AS i', orders, of_new);
    EXECUTE format('INSERT INTO %I SELECT o / 4, 5 * (1 + o %% 2), o FROM %I, generate_series(1, 1 + (o %% 4 > 0)::int)', lines, orders);
    EXECUTE format('ANALYZE %I, %I', orders, lines);
    PERFORM dpsens.protect(orders::regclass, unit => 'customer', max_rows => 2), dpsens.protect(lines::regclass, unit => orders || '.customer', max_rows => 3);
    PERFORM dpsens.set_range(orders::regclass, 'h', 0, 2), dpsens.set_range(lines::regclass, 'x', 0, 10);
    CALL number_copies(lines);
END $$;
CALL make_lines(0, 0);
CALL make_lines(1, 2);
CREATE TABLE place (x float8 PRIMARY KEY, w float8 NOT NULL);
INSERT INTO place SELECT i, CASE WHEN i = 10 THEN 2 ELSE 1 END FROM generate_series(0, 10) AS i;
SELECT dpsens.set_range('place', 'w', 0, 2);

CALL add('lines', 'dp_count(*)', 'r', 2, 3);
CALL ask('lines', 'lines joined with their orders', 'SELECT k, ARRAY[dp_sum(l.x * r.h)] AS v FROM %I AS l JOIN orders_%s AS r USING (o) GROUP BY k', 3, 4);
CALL those_in_check();

-- ---- more of each ----

CALL show('wide', 's || ''!''', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 1, NULL, 10);
CALL pivot('swap', 'dp_sum(x)', 'k, s', 'u, v', 3, 4);
CALL ask('few', 'a join with a public relation', 'SELECT k, ARRAY[dp_sum(w), dp_count(*)] AS v FROM %I JOIN place USING (x) GROUP BY k', 2, 3);
CALL add('rows', 'dp_median(b)', 'r', 8, NULL);
CALL add('home', 'dp_median(b)', 'r', 8, NULL);
CALL add('home', 'dp_avg(x)', 'r', 6, 8);
CALL show('trip', 's || ''!''', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 1, NULL, 10);
CALL show('size1', 'x', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 3, NULL);
CALL show('size4', 'x', 'dp_count(true, 0.01 * EPSILON)', 'count(g)', 1, NULL, 4);
CALL show('size2', 'CASE WHEN x > 5 THEN s ELSE ''none'' END', 'dp_sum(y)', 'sum(c)', 4, 6);
CALL show('swap', 'x', 'dp_count(true, 0.01 * EPSILON)', 'count(*) FILTER (WHERE g = 0) + 2 * count(*) FILTER (WHERE g = 10)', 1, NULL, 10);
CALL pivot('many', 'dp_avg(x)', 'GROUPING SETS ((k, s), (k))', 'u, v, every', 6, 6);
CALL pivot('swap', 'dp_avg(x)', 'k, s', 'u, v', 6, 8);
CALL pivot('swap', 'dp_median(b)', 'k, s', 'u, v', 8, NULL);
CALL pivot('kind', 'dp_count(*)', 'k, s', 'u, v', 2, 3);
CALL add('rows', 'dp_sum(x)', 'r', 2, 3);
CALL add('rows', 'dp_sum(ARRAY[x, y])', 'r[1], r[2]', 2, 3);
CALL add('rows', 'dp_histogram(x, 2)', 'r[1], r[2]', 2, 3);
CALL add('rows', 'dp_bool_or(NOT f)', 'r::int', 2, 4);
CALL add('rows', 'dp_max(b)', 'r', 12, NULL);
CALL add('rows', 'dp_count(DISTINCT s)', 'r', 6, 12);
CALL add('turns', 'dp_count(*) FILTER (WHERE x > 7)', 'r', 4, 6);
CALL add('turns', 'dp_avg(x)', 'r', 6, 8);
CALL pivot('wide', 'dp_sum(x)', 'k, s', 'u, v, w', 2, 6);
CALL pivot('turns', 'dp_count(*)', 'k, s', 'u, v', 2, 3);
CALL add('lines', 'dp_sum(x)', 'r', 3, 4);

-- The rest: twenty times of one table, of each the row of all groups that are not shown.  A
-- statement is but twenty runs, hence fewer of them.
CREATE TABLE rest_0 (x float8 NOT NULL);
CREATE TABLE rest_1 (LIKE rest_0 INCLUDING ALL);
INSERT INTO rest_0 VALUES (1);
INSERT INTO rest_1 VALUES (1), (2);
SELECT dpsens.protect(t), dpsens.set_range(t, 'x', 0, 10) FROM unnest(ARRAY['rest_0', 'rest_1']::regclass[]) AS t;
CALL ask('rest', 'dp_suppressed(), dp_count(*)',
    'SELECT 0 AS k, ARRAY[c]::float8[] AS v FROM (SELECT x, dp_count(*) AS c, dp_suppressed() AS rest FROM %I GROUP BY GROUPING SETS (' ||
    repeat('(x), ', 19) || '(x))) AS q WHERE rest', 4, NULL);
UPDATE experiment SET copies = 20, sets = 20, most = 100000 WHERE pair = 'rest';

\ir verdict.psql
