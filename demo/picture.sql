-- Pictures of many images of 28 by 28 pixels, for demos that have included mnist.sql and
-- include this file: what a figure shows is written into the table tiles, and picture(figure)
-- makes SVG of it.  Greys go from black at 0 to white at 1; what is signed from blue through
-- white at 0 to red, each tile by its own greatest magnitude.  Of each colour a path of
-- horizontal runs.
CREATE TABLE tiles (figure text, across int, down int, signed boolean, pixels float8[]);
CREATE FUNCTION picture(of_figure text, title text) RETURNS text LANGUAGE sql STABLE AS $$
    WITH tile AS (
        SELECT *, (SELECT max(abs(v)) FROM unnest(pixels) v) AS greatest FROM tiles WHERE figure = of_figure),
    cell AS (
        SELECT across, 30 * across + (k - 1) % 28 AS x, 30 * down + (k - 1) / 28 AS y,
            CASE WHEN NOT signed THEN repeat(to_hex(round(15 * least(greatest(v, 0), 1))::int), 3)
                 WHEN l >= 0 THEN 'f' || repeat(to_hex(15 - 2 * l), 2) ELSE repeat(to_hex(15 + 2 * l), 2) || 'f' END AS colour
        FROM tile, unnest(pixels) WITH ORDINALITY u (v, k), LATERAL (SELECT COALESCE(round(7 * v / NULLIF(tile.greatest, 0))::int, 0) AS l) level),
    run AS (
        SELECT colour, y, min(x) AS x, count(*) AS n
        FROM (SELECT *, x - row_number() OVER (PARTITION BY across, y, colour ORDER BY x) AS island FROM cell) c GROUP BY colour, across, y, island)
    SELECT format('<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 %1$s %2$s" width="%3$s" height="%4$s" shape-rendering="crispEdges"><title>%5$s</title><rect x="-2" y="-2" width="%1$s" height="%2$s" fill="#fff"/>',
            30 * (1 + max(across)) + 2, 30 * (1 + max(down)) + 2, 3 * (30 * (1 + max(across)) + 2), 3 * (30 * (1 + max(down)) + 2), title)
        || (SELECT string_agg(path, '' ORDER BY path) FROM (SELECT format('<path stroke="#%s" d="%s"/>', colour, string_agg(format('M%s %s.5h%s', x, y, n), '' ORDER BY y, x)) AS path FROM run GROUP BY colour) p)
        || '</svg>'
    FROM tile $$;
