-- Figures in block characters, where both server and client have them.
-- Files: plot/svg.c, plot/text_frame.c.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(15);

-- Blocks by name, so that this file is ASCII: F full, R right half, G to M
-- seven eighths to one from the left, a b c the shades.
CREATE FUNCTION pg_temp.blocks(figure text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    names text := 'FRGHIJKLMabc';
    codes int[] := ARRAY[9608, 9616, 9609, 9610, 9611, 9612, 9613, 9614, 9615, 9617, 9618, 9619];
BEGIN
    FOR i IN 1 .. length(names) LOOP
        figure := replace(figure, substr(names, i, 1), chr(codes[i]));
    END LOOP;
    RETURN figure;
END$$;
CREATE FUNCTION pg_temp.shows(figure text, wanted text, name text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN current_setting('server_encoding') = 'UTF8' THEN is(figure, pg_temp.blocks(wanted), name)
                ELSE skip('the server has no block characters', 1) END;
END$$;

SET LOCAL client_encoding = UTF8;
SELECT pg_temp.shows(dpsens.bar_chart('{w,x,y,z}', '{1,-1,0.015625,1e-9}', format => 'text'),
    concat_ws(E'\n', 'w ' || repeat(' ', 32) || repeat('F', 32) || 'J 1', 'x ' || repeat('F', 32) || repeat(' ', 33) || ' -1',
              'y ' || repeat(' ', 32) || 'J' || repeat(' ', 32) || ' 0.01562', 'z ' || repeat(' ', 32) || 'M' || repeat(' ', 32) || ' 1e-09', ''),
    'bars of both signs');
SELECT pg_temp.shows(dpsens.bar_chart('{x,y}', '{-64,-0.5}', format => 'text'),
    concat_ws(E'\n', 'x ' || repeat('F', 65) || ' -64', 'y ' || repeat(' ', 64) || 'R -0.5', ''), 'half a block to the left');
SELECT pg_temp.shows(dpsens.histogram('{0,0,0,0,0,0,0,0,1}', bins => 2, format => 'text'),
    concat_ws(E'\n', lpad('0 to 0.5', 25) || ' ' || repeat('F', 41) || ' 8', lpad('0.5 to 1', 25) || ' FFFFFM' || repeat(' ', 35) || ' 1', lpad('9 rows', 25), ''),
    'eighths of blocks');
SELECT pg_temp.shows(dpsens.heatmap('{1,-0.6,0.1,0}', 4, format => 'text'),
    concat_ws(E'\n', '|+FFF-ccc+aaa    |', '', '+aaa to 0.25  +bbb to 0.5  +ccc to 0.75  +FFF to 1',
              '-aaa to -0.25  -bbb to -0.5  -ccc to -0.75  -FFF to -1', ''), 'shades');
SELECT pg_temp.shows(regexp_replace(dpsens.contour('x * y', '{"x": [0, 1], "y": [0, 1]}', 'x', 'y', 'text'), '^.*\n(from[^\n]*\n)K = [^\n]*\n$', '\1'),
    E'from [ ] 0 [a] 0.2828 [b] 0.5657 [c] 0.8485 [F] 1.131\n', 'and what they stand for');
SELECT pg_temp.shows((SELECT string_agg(regexp_replace(line, ' +', ' ', 'g'), E'\n') FROM regexp_split_to_table(dpsens.scatter('{-1,0,1}', '{-1,0,1}', '{0,1,4}', x_title => 'x', y_title => 'y', format => 'text'), '\n') line WHERE line !~ '^ *[|] *[|]$'),
    E' y\n 1.08 | F |\n | b |\n -1.08 | a |\n -1.08 x 1.08\n\nfrom [a] 0 [b] 1 [c] 2 [F] 3\n', 'points');
SELECT is(dpsens.heatmap('{1}', format => 'text') ~ '#', current_setting('server_encoding') <> 'UTF8', 'blocks where they can be shown');

-- Where not, it is ASCII.
SET LOCAL client_encoding = LATIN1;
SELECT is(dpsens.heatmap('{1}', format => 'text'), dpsens.heatmap('{1}', format => 'ascii'), 'else ASCII');
SELECT is(dpsens.bar_chart('{a}', '{1}', format => 'text'), dpsens.bar_chart('{a}', '{1}', format => 'ascii'), 'in every figure');
SELECT is(dpsens.bar_chart('{a}', '{1}'), dpsens.bar_chart('{a}', '{1}', format => 'svg'), 'and SVG if nothing else is asked for');
-- A mark that is far away leaves the numbers their room: twenty of them in five bins over the whole frame.
SELECT dpsens.histogram(array_agg(i), 'far', 1000, 5) AS far, dpsens.histogram(array_agg(i), 'far', -1000, 5) AS left, dpsens.histogram(array_agg(i), 'near', 25, 5) AS near,
    dpsens.histogram('{3,3,3}', 'same', 8) AS same FROM generate_series(1, 20) i \gset
SELECT is((SELECT array_agg(r[1]) FROM regexp_matches(:'far'::text, '<rect x="([0-9.]+)" [^>]* fill="#3b6ea5"', 'g') r), '{84.0,172.0,260.0,348.0,436.0}'::text[], 'a mark far away does not squeeze the numbers');
SELECT matches(:'far'::text, 'text-anchor="end"[^>]*>1000 is further right</text>', 'and is named at the edge');
SELECT matches(:'left'::text, 'text-anchor="start"[^>]*>-1000 is further left</text>', 'at either one');
SELECT matches(:'near'::text, '<line x1="524.0" y1="44.0" [^>]*stroke="#c0392b"/>\n<text x="524.0"[^>]*>25</text>', 'a mark that is near is in its place');
SELECT is((SELECT array_agg(r[1]) FROM regexp_matches(:'same'::text, '<rect x="([0-9.]+)" [^>]* fill="#3b6ea5"', 'g') r), '{260.0}'::text[], 'numbers that are the same are in theirs, too');
SELECT * FROM finish();
ROLLBACK;
