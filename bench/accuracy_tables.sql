-- accuracy_tables.sql
--	The part of accuracy.sql about tables that are not the survey: prices of order lines as TPC-H
--	makes them, and two skewed ones, a lognormal and a power law.  One row each of 20,000 persons;
--	the same ones always, by hashes of their numbers.

-- in (0, 1), the same for the same row and seed
CREATE FUNCTION even(item bigint, seed bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN ((hashint8extended(item, 20260000 + seed) & 2147483647) + 0.5) / 2147483648;

-- quantity times retail price of a part (specification, clause 4.2.3)
CREATE TABLE lines AS
SELECT i AS id, ((1 + floor(50 * even(i, 1))) * (90000 + (p / 10) % 20001 + 100 * (p % 1000)) / 100)::float8 AS price
FROM generate_series(1, 20000) i, LATERAL (SELECT (1 + floor(200000 * even(i, 2)))::int AS p) part;
-- of a median of 100, and a mean three times as high
CREATE TABLE payments AS
SELECT i AS id, round(least(100000, 100 * exp(1.5 * sqrt(-2 * ln(even(i, 3))) * cos(2 * pi() * even(i, 4))))::numeric, 2)::float8 AS amount FROM generate_series(1, 20000) i;
-- half of them 1, and one in 20,000 some thousands
CREATE TABLE pages AS SELECT i AS id, floor(least(10000, even(i, 5) ^ (-1 / 1.1)))::int AS visits FROM generate_series(1, 20000) i;
INSERT INTO ranges VALUES ('price', 0, 105000), ('amount', 0, 100000), ('visits', 0, 10000);
CREATE TABLE generated (relation text, attribute text);
INSERT INTO generated VALUES ('lines', 'price'), ('payments', 'amount'), ('pages', 'visits');
SELECT format('ALTER TABLE %1$I ADD PRIMARY KEY (id), ALTER %2$I SET NOT NULL; ANALYZE %1$I; SELECT dpsens.protect(%1$L, unit => ''id''), dpsens.set_range(%1$L, %2$L, %3$s, %4$s)', relation, attribute, lo, hi)
FROM generated JOIN ranges USING (attribute) \gexec
SELECT format('INSERT INTO values_of SELECT %1$L, v, sum(count(*)) OVER (ORDER BY v), count(*), sum(count(*)) OVER () FROM (SELECT %1$I::float8 AS v FROM %2$I) c GROUP BY v', attribute, relation)
FROM generated \gexec

-- What one row more does, as for the survey.
INSERT INTO largest SELECT 'sum of ' || attribute, hi FROM generated JOIN ranges USING (attribute);
INSERT INTO largest SELECT 'mean of ' || attribute, greatest(hi - m, m - lo) / n FROM ranges JOIN (SELECT attribute, sum(v * here) / sum(here) AS m, max(n) AS n FROM values_of GROUP BY attribute) f USING (attribute) JOIN generated USING (attribute);
INSERT INTO asked (figure, private, plain, source)
SELECT CASE f WHEN 'count' THEN 'count' WHEN 'sum' THEN 'sum of ' || attribute ELSE 'mean of ' || attribute END, format('dp_%s(%I)', f, attribute), format('%s(%I)', f, attribute), relation
FROM generated, unnest('{count,sum,avg}'::text[]) f;
INSERT INTO asked (private, plain, source, loss, mechanisms) SELECT format('dp_median(%I)', attribute), 'NULL::float8', relation, format('rank_error(%L, a, 0.5)', attribute), '{laplace}' FROM generated;
INSERT INTO published SELECT id, 'laplace', smith_error(attribute, 0.5, 1), 'Smith 2011' FROM asked JOIN generated ON loss = format('rank_error(%L, a, 0.5)', attribute);
