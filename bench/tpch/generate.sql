-- Rows for the tables of schema.sql, :scale times those of scale factor 1, always
-- the same ones.  Written from the column definitions of the TPC-H specification
-- (clause 4.2.3): keys, domains and the dependencies between dates, prices and
-- flags are its; names and comments are shorter, and two thirds of the
-- customers have orders.
SET search_path = tpch, public;

-- an integer of 0 ... n - 1, the same for the same row and column
CREATE FUNCTION pick(item bigint, field int, n int) RETURNS int IMMUTABLE PARALLEL SAFE LANGUAGE sql
RETURN (hashint8extended(item, 19920101 + field) & 2147483647) % n;

CREATE FUNCTION word(item bigint, field int, VARIADIC words text[]) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql
RETURN words[pick(item, field, cardinality(words)) + 1];

INSERT INTO region SELECT i - 1, r FROM unnest(ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST']) WITH ORDINALITY AS list (r, i);
INSERT INTO nation SELECT i - 1, n, r FROM unnest(
    ARRAY['ALGERIA', 'ARGENTINA', 'BRAZIL', 'CANADA', 'EGYPT', 'ETHIOPIA', 'FRANCE', 'GERMANY', 'INDIA', 'INDONESIA', 'IRAN', 'IRAQ', 'JAPAN', 'JORDAN', 'KENYA', 'MOROCCO',
        'MOZAMBIQUE', 'PERU', 'CHINA', 'ROMANIA', 'SAUDI ARABIA', 'VIETNAM', 'RUSSIA', 'UNITED KINGDOM', 'UNITED STATES'],
    ARRAY[0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1]) WITH ORDINALITY AS list (n, r, i);

SELECT GREATEST(1, 10000 * :scale)::int AS suppliers, GREATEST(1, 200000 * :scale)::int AS parts, GREATEST(3, 150000 * :scale)::int AS customers \gset

INSERT INTO supplier SELECT i, 'Supplier#' || i, pick(i, 1, 25), (pick(i, 2, 1099999) - 99999) / 100.0,
    CASE WHEN pick(i, 3, 2000) = 0 THEN 'Customer slow Complaints' ELSE 'quick deposits' END
FROM generate_series(1, :suppliers) i;

INSERT INTO part SELECT i, word(i, 10, 'almond', 'azure', 'forest', 'lemon', 'navy') || ' ' || word(i, 11, 'antique', 'green', 'linen', 'pale'),
    'Brand#' || pick(i, 12, 5) + 1 || pick(i, 13, 5) + 1,
    word(i, 14, 'STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY', 'PROMO') || ' ' || word(i, 15, 'ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED', 'BRUSHED') || ' ' || word(i, 16, 'TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'),
    pick(i, 17, 50) + 1, word(i, 18, 'SM', 'LG', 'MED', 'JUMBO', 'WRAP') || ' ' || word(i, 19, 'CASE', 'BOX', 'BAG', 'JAR', 'PKG', 'PACK', 'CAN', 'DRUM'),
    (90000 + (i / 10) % 20001 + 100 * (i % 1000)) / 100.0
FROM generate_series(1, :parts) i;

INSERT INTO partsupp SELECT p, (p + j * (:suppliers / 4 + (p - 1) / :suppliers)) % :suppliers + 1, pick(p * 4 + j, 20, 9999) + 1, (pick(p * 4 + j, 21, 99901) + 100) / 100.0
FROM generate_series(1, :parts) p, generate_series(0, 3) j ON CONFLICT DO NOTHING;

INSERT INTO customer SELECT i, pick(i, 30, 25), (pick(i, 31, 1099999) - 99999) / 100.0, word(i, 32, 'AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD')
FROM generate_series(1, :customers) i;

-- ten orders for each customer on average, of those whose number is no multiple of 3
CREATE TEMP TABLE draft AS SELECT i AS o, (pick(i, 40, (:customers - 1) / 3 + 1) * 3 + pick(i, 41, 2)) % :customers + 1 AS c,
    date '1992-01-01' + pick(i, 42, 2406) AS day, pick(i, 43, 7) + 1 AS n
FROM generate_series(1, :customers * 10) i;
UPDATE draft SET c = c % :customers + 1 WHERE c % 3 = 0;

INSERT INTO lineitem
SELECT o, j, p, pick(o * 8 + j, 52, :suppliers) + 1, q, q * (90000 + (p / 10) % 20001 + 100 * (p % 1000)) / 100.0, pick(o * 8 + j, 53, 11) / 100.0, pick(o * 8 + j, 54, 9) / 100.0,
    CASE WHEN received <= '1995-06-17' THEN word(o * 8 + j, 55, 'R', 'A') ELSE 'N' END, CASE WHEN shipped > '1995-06-17' THEN 'O' ELSE 'F' END,
    shipped, day + 30 + pick(o * 8 + j, 57, 61), received, word(o * 8 + j, 59, 'DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'),
    word(o * 8 + j, 60, 'REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB')
FROM draft, generate_series(1, n) j,
    LATERAL (SELECT pick(o * 8 + j, 50, :parts) + 1 AS p, pick(o * 8 + j, 51, 50) + 1 AS q, day + 1 + pick(o * 8 + j, 56, 121) AS shipped) l,
    LATERAL (SELECT shipped + 1 + pick(o * 8 + j, 58, 30) AS received) r;

INSERT INTO orders
SELECT o, c, CASE WHEN bool_and(l_linestatus = 'F') THEN 'F' WHEN bool_and(l_linestatus = 'O') THEN 'O' ELSE 'P' END, sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)), day,
    word(o, 44, '1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'), CASE WHEN pick(o, 45, 80) = 0 THEN 'special packages requests' ELSE 'regular accounts' END
FROM draft JOIN lineitem ON l_orderkey = o GROUP BY o, c, day;
DROP TABLE draft;

ALTER TABLE orders ADD FOREIGN KEY (o_custkey) REFERENCES customer;
ALTER TABLE lineitem ADD FOREIGN KEY (l_orderkey) REFERENCES orders;
CREATE INDEX ON orders (o_custkey);
ANALYZE region, nation, supplier, part, partsupp, customer, orders, lineitem;
