-- neighbours.sql
--	What the privacy promise rests on, tried on generated queries: data never
--	decide whether a query fails, and no neighbouring table moves an exact answer
--	by more than the sensitivity that dpsens.explain states.
--
-- Everything is derived from one seed, so a right implementation passes always:
-- the false-alarm rate is 0.  Another seed: psql -v seed=0.25 -v trials=10000.
-- A failure prints the adjacency, the trial, the ranges and the query.
--
-- A "world" is one table with random ranges.  It exists in three schemas, so
-- that queries and messages are the same in all of them:
--
--	universe	rows at corners of the box, just inside, outside and far away,
--				NULL, NaN and infinite, each under an id of its own, which is a
--				public key.  GROUP BY id answers for every one-row table at
--				once; as sums are exact (exactness.sql) the difference of two
--				such answers is that of any two tables which differ in this row.
--	before, after	a few rows, and a neighbour of that table.

\set QUIET on
SET client_min_messages = error;
SET log_min_messages = fatal;
\if :{?seed}
\else
\set seed 0.5
\endif
\if :{?trials}
\else
\set trials 2000
\endif
\o /dev/null
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS dps_neighbours, dps_universe, dps_before, dps_after CASCADE;
CREATE SCHEMA dps_neighbours;
CREATE SCHEMA dps_universe;
CREATE SCHEMA dps_before;
CREATE SCHEMA dps_after;
SET search_path = dps_neighbours, public;

-- a and b are smooth and never NULL; d, e and n may be NULL; pub is public.
CREATE TABLE dps_universe.t
(
    id      int NOT NULL,
    pub     float8 NOT NULL,
    a       float8 NOT NULL,
    b       float8 NOT NULL,
    c       int NOT NULL,
    d       float8,
    e       int,
    n       numeric,
    s       smallint NOT NULL,
    r       real,
    flag    boolean NOT NULL,
    g       text
);
CREATE TABLE dps_before.t (LIKE dps_universe.t INCLUDING ALL);
CREATE TABLE dps_after.t (LIKE dps_universe.t INCLUDING ALL);

-- The declared ranges of this world.
CREATE TABLE bounds (name text PRIMARY KEY, lo float8, hi float8, weight float8, whole boolean, nullable boolean);

-- What each row of the universe is: the base row that it varies, the one
-- column in which it does, and where it lies after clamping.
CREATE TABLE site (id int PRIMARY KEY, base int, varied text, tame boolean, pub float8, place float8[], nulls text);
CREATE TABLE answer (id int, g text, value float8);
CREATE TABLE problem (trial int, kind text, adjacency text, detail text, query text);
CREATE TABLE tally (what text);

CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE
RETURN choices[1 + floor(random() * cardinality(choices))::int];

CREATE FUNCTION chance(probability float8) RETURNS boolean LANGUAGE sql VOLATILE
RETURN random() < probability;

-- ---- expressions ----

-- A constant of few digits, most of them near the ranges.
CREATE FUNCTION literal() RETURNS text LANGUAGE sql VOLATILE
RETURN pick('0', '1', '2', '3', '0.5', '1.5', '-1', '-2.5', '0.1', '7', '10', '100', '1e-3', '1e6', '(1/3.0)');

CREATE FUNCTION number(depth int, smooth boolean) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    kind int := floor(random() * 34)::int;
BEGIN
    IF depth <= 0 OR chance(0.12) THEN
        IF chance(0.2) THEN
            RETURN literal() || '::float8';
        END IF;
        IF smooth THEN
            RETURN pick('a', 'b', 'c', 's', 'pub', 'a', 'b', 'd', 'e', 'n::float8');
        END IF;
        RETURN pick('a', 'b', 'd', 'c', 'e', 'pub', 'n::float8', 's', 'r::float8', 'flag::int');
    END IF;
    -- those from 15 on jump, or can be NULL where their arguments are not
    IF smooth AND kind >= 15 THEN
        kind := kind % 15;
    END IF;
    CASE kind
        WHEN 0, 1 THEN RETURN format('(%s + %s)', number(depth - 1, smooth), number(depth - 1, smooth));
        WHEN 2, 3 THEN RETURN format('(%s - %s)', number(depth - 1, smooth), number(depth - 1, smooth));
        WHEN 4, 5 THEN RETURN format('(%s * %s)', number(depth - 1, smooth), number(depth - 1, smooth));
        WHEN 6 THEN RETURN format('(%s / (1 + abs(%s)))', number(depth - 1, smooth), number(depth - 1, smooth));
        WHEN 7 THEN RETURN format('(%s / %s::float8)', number(depth - 1, smooth), pick('a', '2', 'pub', '(b - 50)', '(s + 20)'));
        WHEN 8 THEN RETURN format('(%s::float8 ^ %s)', number(depth - 1, smooth), pick('2', '3', '2', '4'));
        WHEN 9 THEN RETURN format('(a ^ %s)', pick('0.5', '1.5', '-1', '-2', 'b', 'pub', '(b / 2)'));
        WHEN 10 THEN RETURN format('abs(%s)', number(depth - 1, smooth));
        WHEN 11 THEN RETURN format('%s(%s, %s)', pick('greatest', 'least'), number(depth - 1, smooth), number(depth - 1, smooth));
        WHEN 12 THEN RETURN format('%s(%s)', pick('sin', 'cos', 'atan', 'tanh', 'cbrt', 'asinh', 'degrees', '-', 'radians'), number(depth - 1, smooth));
        WHEN 13 THEN RETURN pick('exp(a)', 'exp(-b)', 'exp(b / 10)', 'ln(a)', 'sqrt(a)', 'log(a)', 'ln(1 + b ^ 2)', 'sqrt(1 + b ^ 2)', 'cosh(b / 8)', 'exp(-(b ^ 2))');
        WHEN 14 THEN RETURN format('sqrt(abs(%s) + %s)', number(depth - 1, smooth), pick('0', '1', '0.01'));
        WHEN 15, 16, 17 THEN RETURN format('CASE WHEN %s THEN %s ELSE %s END', truth(depth - 1), number(depth - 1, false), number(depth - 1, false));
        WHEN 18 THEN RETURN format('CASE WHEN %s THEN %s WHEN %s THEN %s END', truth(depth - 1), number(depth - 1, false), truth(depth - 1), number(depth - 1, false));
        WHEN 19, 20 THEN RETURN format('coalesce(%s, %s)', number(depth - 1, false), number(depth - 1, false));
        WHEN 21 THEN RETURN format('nullif(%s, %s)', number(depth - 1, false), literal());
        WHEN 22 THEN RETURN format('nullif(%s, %s)', number(depth - 1, false), number(depth - 1, false));
        WHEN 23, 24 THEN RETURN format('%s((%s)::float8)', pick('floor', 'ceil', 'round', 'trunc', 'sign'), number(depth - 1, false));
        WHEN 25, 26, 27 THEN RETURN whole(depth);
        WHEN 28 THEN RETURN format('CASE %s WHEN %s THEN %s ELSE %s END', whole(depth - 1), pick('0', '1', '2', '-1'), number(depth - 1, false), number(depth - 1, false));
        WHEN 29 THEN RETURN format('(%s::numeric %s %s)::float8', pick('n', 'c', 'e', 's'), pick('+', '-', '*'), pick('n', '2.5', 'c'));
        WHEN 30 THEN RETURN format('%s(n)::float8', pick('floor', 'round', 'abs', 'ceil', 'trunc'));
        WHEN 31 THEN RETURN format('(%s)::int', truth(depth - 1));
        WHEN 32 THEN RETURN format('atan2(%s, %s)', number(depth - 1, false), number(depth - 1, false));
        ELSE RETURN format('width_bucket(%s, -5, 5, %s)', pick('a', 'b', 'd', 'pub'), pick('2', '5', '10'));
    END CASE;
END
$$;

-- An expression of integers: / and % truncate.
CREATE FUNCTION whole(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF depth <= 0 OR chance(0.2) THEN
        RETURN pick('c', 'e', 's', 'c', '2', '-3', '1', 'flag::int');
    END IF;
    CASE floor(random() * 9)::int
        WHEN 0 THEN RETURN format('(%s + %s)', whole(depth - 1), whole(depth - 1));
        WHEN 1 THEN RETURN format('(%s - %s)', whole(depth - 1), whole(depth - 1));
        WHEN 2 THEN RETURN format('(%s * %s)', whole(depth - 1), whole(depth - 1));
        WHEN 3 THEN RETURN format('(%s / %s)', whole(depth - 1), pick('2', '3', '-2', '7', format('(abs(%s) + 1)', whole(depth - 1))));
        WHEN 4 THEN RETURN format('(%s %% %s)', whole(depth - 1), pick('2', '3', '-4', '5', format('(abs(%s) + 1)', whole(depth - 1))));
        WHEN 5 THEN RETURN format('abs(%s)', whole(depth - 1));
        WHEN 6 THEN RETURN format('%s(%s, %s)', pick('greatest', 'least', 'coalesce', 'nullif'), whole(depth - 1), whole(depth - 1));
        WHEN 7 THEN RETURN format('CASE WHEN %s THEN %s ELSE %s END', truth(depth - 1), whole(depth - 1), whole(depth - 1));
        ELSE RETURN format('%s::int', pick('a', 'b', 'd', 'n', 'r'));
    END CASE;
END
$$;

CREATE FUNCTION truth(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    CASE floor(random() * (CASE WHEN depth <= 0 THEN 5 ELSE 8 END))::int
        WHEN 0, 1 THEN RETURN format('%s %s %s', number(depth - 1, false), pick('<', '<=', '>', '>=', '=', '<>'), number(depth - 1, false));
        WHEN 2 THEN RETURN format('%s %s', pick('d', 'e', 'n', 'r', 'c', 'a'), pick('IS NULL', 'IS NOT NULL'));
        WHEN 3 THEN RETURN pick('flag', 'NOT flag', 'flag IS TRUE', 'a > b', 'c = e', 'd < a');
        WHEN 4 THEN RETURN format('%s BETWEEN %s AND %s', pick('a', 'b', 'c', 'd', 'e', 'n', 's', 'r'), literal(), literal());
        WHEN 5 THEN RETURN format('(%s AND %s)', truth(depth - 1), truth(depth - 1));
        WHEN 6 THEN RETURN format('(%s OR %s)', truth(depth - 1), truth(depth - 1));
        ELSE RETURN format('NOT (%s)', truth(depth - 1));
    END CASE;
END
$$;

-- A predicate that never raises, since the executor runs it.
CREATE FUNCTION predicate(private boolean) RETURNS text LANGUAGE sql VOLATILE
RETURN CASE WHEN private THEN
        pick('a > 1', 'b <= 0', 'c <> 2', 'd IS NOT NULL', 'd < 1', 'e = 2', 'n > 0', 'flag', 'g <> ''x''', 'g = ''y'' OR a > 1',
             's BETWEEN 0 AND 3', 'r IS NULL', 'd > 1e300', 'a = ''NaN''', 'coalesce(d, 0) = 0', 'pub > 1.5 AND b < 1')
    ELSE pick('pub > 1.5', 'pub < 5', 'id > 0', 'pub > 9') END;

-- ---- worlds ----

CREATE FUNCTION annotate(adjacency text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one regclass;
    column_bounds bounds;
    ids text[] := (SELECT array_agg(id::text ORDER BY id) FROM dps_universe.t);
BEGIN
    FOREACH one IN ARRAY ARRAY['dps_universe.t', 'dps_before.t', 'dps_after.t']::regclass[] LOOP
        PERFORM dpsens.unprotect(one);
        PERFORM dpsens.protect(one, adjacency => adjacency);
        PERFORM dpsens.set_values(one, 'id', VARIADIC ids);
        PERFORM dpsens.set_public(one, 'id');
        PERFORM dpsens.set_values(one, 'g', 'x', 'y', 'z');
        FOR column_bounds IN SELECT * FROM bounds LOOP
            PERFORM dpsens.set_range(one, column_bounds.name, column_bounds.lo, column_bounds.hi, column_bounds.weight);
        END LOOP;
        PERFORM dpsens.set_public(one, 'pub');
    END LOOP;
END
$$;

-- Values to put in the place of one: ends, just beside them, far outside, nothing.
CREATE FUNCTION wild_values(b bounds, type text) RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    width float8 := b.hi - b.lo;
    choices text[];
BEGIN
    IF b.whole THEN
        choices := ARRAY[b.lo, b.hi, b.lo + 1, b.hi - 1, 0]::text[];
        IF type = 'smallint' THEN
            choices := choices || ARRAY['32767', '-32768'];
        ELSE
            choices := choices || ARRAY['2147483647', '-2147483648'];
        END IF;
    ELSE
        choices := ARRAY[b.lo, b.hi, b.lo + width * random(), b.lo + width * 1e-9, b.hi - width * 1e-3,
                      least(greatest(0, b.lo), b.hi), b.lo - 1e-9 * width]::text[] || ARRAY['NaN', 'Infinity', '-Infinity'];
        IF type = 'double precision' THEN
            choices := choices || ARRAY['1e308', '-1.7976931348623157e308', '5e-324', '-0'];
        ELSIF type = 'numeric' THEN
            choices := choices || ARRAY['1e400', '-1e308', '1e-1000'];
        ELSE
            choices := choices || ARRAY['3.4e38', '1e-45'];
        END IF;
    END IF;
    IF b.nullable THEN
        choices := choices || NULL::text;
    END IF;
    RETURN choices;
END
$$;

-- Where a column of a base row lies: 1 and 2 are corners.
CREATE FUNCTION place(b bounds, base int) RETURNS text LANGUAGE sql VOLATILE
RETURN CASE WHEN b.nullable AND (base = 3 OR base > 3 AND random() < 0.2) THEN NULL
            WHEN base = 1 THEN b.lo::text
            WHEN base = 2 THEN b.hi::text
            WHEN b.whole THEN floor(b.lo + random() * (b.hi - b.lo + 0.999))::text
            ELSE (b.lo + random() * (b.hi - b.lo))::text END;

-- A number clamped into its range, in units of distance.
CREATE FUNCTION scaled(column_name text, value numeric) RETURNS float8 LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT weight * least(greatest(CASE WHEN abs(value) > 1e300 THEN sign(value) * 1e300
                                        WHEN abs(value) < 1e-300 THEN 0 ELSE value END::float8, lo), hi)
    FROM bounds WHERE name = column_name;
END;

CREATE FUNCTION make_world() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    b bounds;
    types jsonb := '{"c": "int", "e": "int", "s": "smallint", "n": "numeric", "r": "real"}';
    new_id int := 6;
    row_text text;
    value text;
BEGIN
    TRUNCATE bounds, site, dps_universe.t;
    INSERT INTO bounds VALUES
        ('pub', 0, 10, 1, false, false),
        ('a', pick('0.5', '1', '0.01', '1', '2')::float8, pick('3', '4', '10')::float8, pick('1', '2', '0.25')::float8, false, false),
        ('b', pick('-2', '0', '-1', '0.5', '-5')::float8, pick('2', '1', '8', '1')::float8, pick('1', '1', '3')::float8, false, false),
        ('c', pick('-3', '0', '1', '-7')::float8, pick('7', '2', '5')::float8, 1, true, false),
        ('d', pick('-1', '0', '1', '-10')::float8, pick('4', '2', '10')::float8, 1, false, true),
        ('e', pick('-2', '0', '1')::float8, pick('3', '6', '2')::float8, 1, true, true),
        ('n', pick('-1', '0', '0.5')::float8, pick('2', '3.25')::float8, 1, false, true),
        ('s', pick('0', '-4', '1')::float8, pick('4', '9')::float8, pick('1', '0.5')::float8, true, false),
        ('r', pick('-1', '0')::float8, pick('1', '2.5')::float8, 1, false, true);
    FOR base IN 1..6 LOOP
        row_text := '';
        FOR b IN SELECT * FROM bounds WHERE name <> 'pub' LOOP
            row_text := row_text || format(', %L AS %I', place(b, base), b.name);
        END LOOP;
        EXECUTE format('INSERT INTO dps_universe.t (id, pub, flag, g, a, b, c, d, e, n, s, r)
                        SELECT %s, %s, %L, %L, a::float8, b::float8, c::int, d::float8, e::int, n::numeric, s::smallint, r::real
                        FROM (SELECT 1 %s) AS one',
                       base, 1 + base % 2, chance(0.5), pick('x', 'y', 'z'), row_text);
        INSERT INTO site (id, base, tame) VALUES (base, base, true);
    END LOOP;
    FOR base IN 1..6 LOOP
        FOR b IN SELECT * FROM bounds WHERE name <> 'pub' UNION ALL VALUES ('flag', 0, 1, 1, true, false), ('g', 0, 0, 1, true, true) LOOP
            FOREACH value IN ARRAY CASE b.name WHEN 'flag' THEN ARRAY['true', 'false'] WHEN 'g' THEN ARRAY['x', 'y', 'z', 'unheard of', NULL]
                                   ELSE wild_values(b, coalesce(types ->> b.name, 'double precision')) END LOOP
                -- every value at the corners, some of them elsewhere
                CONTINUE WHEN chance(CASE WHEN base <= 2 THEN 0.3 ELSE 0.75 END);
                new_id := new_id + 1;
                INSERT INTO dps_universe.t SELECT (jsonb_populate_record(t, jsonb_build_object('id', new_id, b.name, value))).*
                FROM dps_universe.t WHERE id = base;
                INSERT INTO site (id, base, varied) VALUES (new_id, base, b.name);
            END LOOP;
        END LOOP;
    END LOOP;
    UPDATE site SET
        tame = NOT EXISTS (
            SELECT FROM bounds
            WHERE name <> 'pub' AND (to_jsonb(t) ->> name)::numeric NOT BETWEEN lo::numeric AND hi::numeric
                OR abs((to_jsonb(t) ->> name)::numeric) BETWEEN '1e-2000' AND 1e-20),
        pub = t.pub,
        place = ARRAY[scaled('a', t.a::numeric), scaled('b', t.b::numeric), scaled('c', t.c::numeric), scaled('d', t.d::numeric), scaled('e', t.e::numeric),
                      scaled('n', t.n), scaled('s', t.s::numeric), scaled('r', t.r::float8::numeric), t.flag::int],
        nulls = concat(t.d IS NULL OR t.d = 'NaN', t.e IS NULL, t.n IS NULL OR t.n = 'NaN', t.r IS NULL OR t.r = 'NaN')
    FROM dps_universe.t WHERE t.id = site.id;
END
$$;

-- ---- queries ----

-- condition is what WHERE and FILTER together ask of a row
CREATE TYPE question AS (aggregate text, expression text, query text, keyed boolean, condition text);

CREATE FUNCTION make_question(adjacency text) RETURNS question LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    smooth boolean := adjacency = 'metric' AND chance(0.7);
    private boolean := NOT smooth AND chance(0.5);
    filtered text;
    selected text;
    result question;
BEGIN
    result.keyed := NOT smooth AND chance(0.3);
    result.aggregate := pick('dp_sum', 'dp_sum', 'dp_sum', 'dp_avg', CASE WHEN smooth THEN 'dp_sum' ELSE 'dp_count' END);
    result.expression := number(1 + floor(random() * 3)::int, smooth);
    IF result.aggregate = 'dp_count' AND chance(0.2) THEN
        result.expression := CASE WHEN chance(0.5) THEN '*' ELSE pick('d', 'e', 'g', 'n', 'a') END;
    END IF;
    filtered := CASE WHEN chance(0.3) THEN predicate(private) END;
    selected := CASE WHEN chance(0.3) THEN predicate(private) END;
    result.condition := format('(%s) AND (%s)', coalesce(filtered, 'true'), coalesce(selected, 'true'));
    result.query := format('SELECT id, %s AS g, %s(%s)%s AS value FROM t%s GROUP BY id%s',
        CASE WHEN result.keyed THEN 'g' ELSE 'NULL::text' END,
        result.aggregate, result.expression,
        CASE WHEN filtered IS NULL THEN '' ELSE format(' FILTER (WHERE %s)', filtered) END,
        CASE WHEN selected IS NULL THEN '' ELSE format(' WHERE %s', selected) END,
        CASE WHEN result.keyed THEN ', g' ELSE '' END);
    RETURN result;
END
$$;

-- Runs a query in one of the schemas, its answers into table answer.  The
-- outcome is all that anybody sees apart from numbers: which rows there are,
-- which are NULL, or the error.
CREATE FUNCTION outcome(schema_name text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
BEGIN
    TRUNCATE answer;
    PERFORM set_config('search_path', schema_name || ', dps_neighbours, public', true);
    BEGIN
        EXECUTE 'INSERT INTO answer ' || query;
    EXCEPTION WHEN OTHERS THEN
        PERFORM set_config('search_path', 'dps_neighbours, public', true);
        GET STACKED DIAGNOSTICS message = PG_EXCEPTION_DETAIL;
        RETURN concat_ws(' ', 'error', SQLSTATE, SQLERRM, message);
    END;
    PERFORM set_config('search_path', 'dps_neighbours, public', true);
    RETURN (SELECT count(*) || ' rows ' || md5(string_agg(concat_ws(',', id, g, value IS NULL), ' ' ORDER BY id, g)) FROM answer);
END
$$;

-- Fills before with some tame rows and after with a neighbour of it.
CREATE FUNCTION make_neighbours(adjacency text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kind text := CASE adjacency WHEN 'add_remove' THEN pick('add', 'remove') ELSE 'change' END;
    changed int;
    wild int;
BEGIN
    DELETE FROM dps_before.t;
    DELETE FROM dps_after.t;
    INSERT INTO dps_before.t SELECT * FROM dps_universe.t WHERE id <= 6;
    changed := 1 + floor(random() * 6)::int;
    -- a metric says nothing about NULL, an attribute is one column of one row
    SELECT id INTO STRICT wild FROM site
    WHERE base = CASE adjacency WHEN 'replace' THEN base ELSE changed END AND varied IS NOT NULL AND
        pub = (SELECT pub FROM site WHERE id = changed) AND
        (adjacency <> 'metric' OR varied IN ('a', 'b', 'c', 's', 'flag'))
    ORDER BY random() LIMIT 1;
    INSERT INTO dps_after.t SELECT * FROM dps_before.t WHERE kind = 'add' OR id <> changed;
    IF kind = 'add' THEN
        INSERT INTO dps_after.t SELECT * FROM dps_universe.t WHERE id = wild;
    ELSIF kind = 'change' THEN
        INSERT INTO dps_after.t SELECT (jsonb_populate_record(t, jsonb_build_object('id', changed))).* FROM dps_universe.t WHERE id = wild;
    END IF;
END
$$;

-- PostgreSQL's own squares raise when they underflow.
CREATE FUNCTION distance(one float8[], other float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN (SELECT sqrt(sum(greatest(abs(coalesce(x, 0) - coalesce(y, 0)), 1e-100) ^ 2)) FROM unnest(one, other) AS pair (x, y));

-- The most that two tables which differ in one row differ in their answers,
-- beyond what is allowed, with the two rows.
CREATE FUNCTION worst_pair(adjacency text, sensitivity float8, grid float8, OUT excess float8, OUT detail text)
LANGUAGE sql STABLE AS $$
    WITH single AS (
        SELECT id, max(value) FILTER (WHERE g IS NULL OR g = 'x') AS x,
            coalesce(max(value) FILTER (WHERE g = 'y'), 0) AS y,
            coalesce(max(value) FILTER (WHERE g = 'z'), 0) AS z
        FROM answer GROUP BY id
    ), pair AS (
        SELECT id, NULL::int AS other, abs(x) + abs(y) + abs(z) AS moved, sensitivity AS allowed
        FROM single WHERE adjacency = 'add_remove'
        UNION ALL
        SELECT p.id, q.id, abs(p.x - q.x) + abs(p.y - q.y) + abs(p.z - q.z),
            CASE WHEN adjacency = 'metric' THEN
                sensitivity * (distance(s.place, o.place) + 2 ^ -20)
            ELSE sensitivity END
        FROM single AS p JOIN site AS s USING (id), single AS q JOIN site AS o USING (id)
        WHERE adjacency <> 'add_remove' AND p.id < q.id AND s.pub = o.pub AND
            (adjacency = 'replace' OR
             adjacency = 'attribute' AND s.base = o.base AND
                (s.varied = o.varied OR s.varied IS NULL OR o.varied IS NULL) OR
             -- what is NULL is public, and g says nothing here
             adjacency = 'metric' AND s.nulls = o.nulls AND
                (s.base = o.base OR s.varied IS NULL AND o.varied IS NULL))
    )
    SELECT moved - allowed * (1 + 1e-9) - 2 * grid,
        format('moved %s, allowed %s, rows %s and %s', moved, allowed,
               (SELECT t FROM dps_universe.t WHERE t.id = pair.id), (SELECT t FROM dps_universe.t WHERE t.id = other))
    FROM pair WHERE moved IS NOT NULL
    ORDER BY 1 DESC LIMIT 1
$$;

-- Does the expression, as PostgreSQL itself computes it on selected rows of the
-- box, stay within the bounds, and is it what was summed?
CREATE FUNCTION own_value(asked question, lower float8, upper float8, grid float8, OUT kind text, OUT detail text) LANGUAGE plpgsql AS $$
DECLARE
    one record;
    -- the squares of 1e8 that cancel are multiples of 2, and PostgreSQL's power
    -- and ours may differ by one of them
    tolerance float8 := 1e-9 * greatest(abs(lower), abs(upper)) + 1e-12 + grid + CASE WHEN asked.expression ~ '1e16' THEN 2 ELSE 0 END;
BEGIN
    FOR one IN EXECUTE format(
        'SELECT t.id, own, answer.value, t
         FROM (SELECT id, (%s)::float8 AS own FROM dps_universe.t WHERE id IN (SELECT site.id FROM dps_neighbours.site WHERE tame) AND %s) AS mine
         JOIN dps_neighbours.answer USING (id) JOIN dps_universe.t USING (id)', asked.expression, asked.condition) LOOP
        IF one.own NOT BETWEEN lower - tolerance AND upper + tolerance THEN
            kind := 'bounds do not hold';
        ELSIF asked.query !~ 'WHERE' AND NOT asked.keyed AND abs(coalesce(one.own, 0) - one.value) > tolerance THEN
            kind := 'value is not SQL''s';
        END IF;
        IF kind IS NOT NULL THEN
            detail := format('bounds [%s, %s], PostgreSQL computes %s, summed was %s, row %s', lower, upper, one.own, one.value, one.t);
            RETURN;
        END IF;
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    kind := 'SQL raises ' || SQLSTATE;
    detail := SQLERRM;
END
$$;

CREATE FUNCTION explained(query text, OUT lower float8, OUT upper float8, OUT sensitivity float8, OUT grid float8, OUT scale float8, OUT note text)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', 'dps_universe, dps_neighbours, public', true);
    SELECT e.lower, e.upper, e.sensitivity, e.grid, e.noise_scale, e.note INTO lower, upper, sensitivity, grid, scale, note FROM dpsens.explain(query) AS e;
    PERFORM set_config('search_path', 'dps_neighbours, public', true);
END
$$;

CREATE FUNCTION try(trial int, adjacency text, asked question) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    plan record;
    pair record;
    own record;
    before text;
    after text;
    universe text;
BEGIN
    PERFORM make_neighbours(adjacency);
    SET LOCAL dpsens.noise = on;
    before := outcome('dps_before', asked.query);
    after := outcome('dps_after', asked.query);
    IF before <> after THEN
        INSERT INTO problem VALUES (trial, 'outcome', adjacency, before || ' / ' || after, asked.query);
    END IF;
    SET LOCAL dpsens.noise = off;
    universe := outcome('dps_universe', asked.query);
    IF split_part(universe, ' rows ', 1) <> split_part(before, ' rows ', 1) THEN
        INSERT INTO problem VALUES (trial, 'outcome', adjacency, before || ' / ' || universe, asked.query);
    END IF;
    IF universe LIKE 'error%' THEN
        INSERT INTO tally VALUES ('refused'), ('refused: ' || adjacency || ' ' || universe);
        RETURN;
    END IF;
    INSERT INTO tally VALUES ('answered'), ('answered: ' || adjacency || ' ' || asked.aggregate);
    SELECT * INTO plan FROM explained(asked.query);
    IF asked.aggregate = 'dp_avg' AND plan.note LIKE '%sums%' OR asked.aggregate = 'dp_avg' AND plan.note LIKE '%centred%'
       OR asked.aggregate = 'dp_avg' AND adjacency = 'add_remove' THEN
        -- the mean of one row, or the middle of the range
        RETURN;
    END IF;
    -- an attribute's sensitivity is stated without the rounding error of the
    -- evaluator, which the noise (epsilon is 1) takes into account
    SELECT * INTO pair FROM worst_pair(adjacency,
        CASE adjacency WHEN 'attribute' THEN greatest(plan.sensitivity, plan.scale) ELSE plan.sensitivity END, plan.grid);
    IF pair.excess > 0 THEN
        INSERT INTO problem VALUES (trial, 'sensitivity', adjacency, pair.detail, asked.query);
    END IF;
    IF asked.aggregate = 'dp_sum' THEN
        SELECT * INTO own FROM own_value(asked, plan.lower, plan.upper, plan.grid);
        IF own.kind LIKE 'SQL raises%' THEN
            INSERT INTO tally VALUES ('SQL raises'), (own.kind || own.detail);
        ELSIF own.kind IS NOT NULL THEN
            INSERT INTO problem VALUES (trial, own.kind, adjacency, own.detail, asked.query);
        ELSE
            INSERT INTO tally VALUES ('compared with SQL');
        END IF;
    END IF;
END
$$;

CREATE FUNCTION seed_of(seed float8, step int, stride float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN seed + step * stride - floor(seed + step * stride);

CREATE PROCEDURE try_all(seed float8, trials int) LANGUAGE plpgsql AS $$
DECLARE
    adjacencies text[] := ARRAY['add_remove', 'replace', 'attribute', 'metric'];
    trial int := 0;
    start int := 0;
    world int := 0;
    expression text;
    -- where truth values, jumps and NULL are easily taken for something smooth
    delicate text[] := ARRAY[
        'CASE WHEN flag THEN 100 ELSE 0 END', 'CASE WHEN flag AND a > 0 THEN 100 ELSE 0 END + a', 'CASE WHEN NOT flag THEN 100 ELSE 0 END + b',
        '(NOT flag)::int * 100 + a + b', '(flag AND a > 0)::int * 100 + a + b', '(flag OR a < 0)::int * 100 + a + b',
        '(flag = true)::int * 100 + a', '(flag IS NOT TRUE)::int', '(flag <> (a > 0))::int * 50 + b', 'CASE flag WHEN true THEN 100 ELSE a END',
        'coalesce(nullif(flag, true)::int, 70) + a', 'flag::int * 100 + a', 'greatest(flag::int * 100, a)',
        '(c / 2) * 100 + a', '(c % 2) * 100 + b', 'floor(c / 2.0) * 100', 'CASE WHEN c > 2 THEN 100 ELSE 0 END', 'sign(c + 0.5::float8) * 100',
        'coalesce(nullif(c, 2), 50) + a', '(c = 2 OR a < 0)::int * 100', 'width_bucket(a, 0, 5, 5) * 100', 'a::int * 100', 'round(n, 0)::float8 * 100 + b',
        'CASE WHEN d IS NULL THEN 100 ELSE a END', 'coalesce(d, 100) + a', 'coalesce(e, c, 3) * 10', 'CASE WHEN a > b THEN a - b ELSE 0 END',
        'abs(a - b) * sign(a - b)', 'sqrt(abs(b))', 'cbrt(b)', 'atan2(b, a - 2)', 'atan2(c * -3, -1)', '1000000 + a', 'a * 1e-9 + pub * 1e6', '(a - 1e8) ^ 2 - 1e16'];
BEGIN
    WHILE trial < trials LOOP
        PERFORM setseed(seed_of(seed, world, 0.6180339887498949));
        PERFORM make_world();
        FOR turn IN 1..4 LOOP
            PERFORM annotate(adjacencies[turn]);
            IF world = 0 THEN
                FOREACH expression IN ARRAY delicate LOOP
                    trial := trial + 1;
                    PERFORM try(trial, adjacencies[turn], ('dp_sum', expression,
                        format('SELECT id, NULL::text AS g, dp_sum(%s) AS value FROM t GROUP BY id', expression), false, 'true')::question);
                END LOOP;
            END IF;
            FOR i IN 1..25 LOOP
                trial := trial + 1;
                -- each trial starts its own sequence, so that one can be repeated
                PERFORM setseed(seed_of(seed, trial, 0.41421356237309505));
                PERFORM try(trial, adjacencies[turn], make_question(adjacencies[turn]));
            END LOOP;
        END LOOP;
        IF EXISTS (SELECT FROM problem WHERE problem.trial > start) THEN
            INSERT INTO problem SELECT trial, 'world', NULL, string_agg(format('%s [%s, %s] weight %s', name, lo, hi, weight), ', '), NULL FROM bounds;
        END IF;
        world := world + 1;
        start := trial;
        COMMIT;
    END LOOP;
END
$$;

SET dpsens.epsilon = 1;
SET dpsens.max_boxes = 2000;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
CALL try_all(:seed, :trials);
SET search_path = dps_neighbours, public;
\o

SELECT plan(6);

CREATE FUNCTION report(VARIADIC kinds text[]) RETURNS text LANGUAGE sql STABLE
RETURN (
    SELECT string_agg(format(E'%s, adjacency %s, trial %s:\n%s\n%s', kind, adjacency, trial, query, detail) ||
                      coalesce((SELECT E'\nranges: ' || world.detail FROM problem AS world
                                WHERE world.kind = 'world' AND world.trial >= problem.trial ORDER BY world.trial LIMIT 1), ''), E'\n\n')
    FROM (SELECT * FROM problem WHERE kind = ANY (kinds) ORDER BY trial LIMIT 5) AS problem);

SELECT is(report('outcome'), NULL, 'whether a query fails, and how, and which rows it has, does not depend on the data');
SELECT is(report('sensitivity'), NULL, 'no neighbour moves an answer by more than the sensitivity');
SELECT is(report('bounds do not hold'), NULL, 'what PostgreSQL computes lies within the bounds');
SELECT is(report('value is not SQL''s'), NULL, 'what is summed is what PostgreSQL computes');
SELECT cmp_ok((SELECT count(*) FROM tally WHERE what = 'answered')::float8, '>=', :trials * 0.8::float8, 'most queries are answered');
SELECT cmp_ok((SELECT count(*) FROM tally WHERE what = 'compared with SQL')::float8, '>=', :trials * 0.4::float8, 'many are compared with PostgreSQL');
SELECT diag(format('seed %s, %s trials: %s answered, %s refused, %s compared with PostgreSQL', :'seed', :'trials',
    (SELECT count(*) FROM tally WHERE what = 'answered'), (SELECT count(*) FROM tally WHERE what = 'refused'),
    (SELECT count(*) FROM tally WHERE what = 'compared with SQL')));
SELECT * FROM finish();

\o /dev/null
DROP SCHEMA dps_neighbours, dps_universe, dps_before, dps_after CASCADE;
