-- bench/tpch on 300 customers: what is refused is what its README says, what is
-- answered is right but for the noise.
\set ON_ERROR_STOP 1
\set QUIET 1
\set scale 0.002
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
\ir ../../bench/tpch/schema.sql
\o /dev/null
\ir ../../bench/tpch/generate.sql
\ir ../../bench/tpch/declare.sql
\o
\ir ../../bench/tpch/queries.sql
\ir ../../bench/tpch/functions.sql
SET search_path = tpch, public;
SELECT plan(26);

SELECT ok(count(*) BETWEEN 11500 AND 12500 AND count(DISTINCT l_orderkey) = 3000, 'as many lines as there should be') FROM lineitem;
SELECT cmp_ok(max(n), '<=', 150::bigint, 'limits leave out nothing here') FROM (SELECT count(*) AS n FROM lineitem JOIN orders ON o_orderkey = l_orderkey GROUP BY o_custkey) s;

SET dpsens.epsilon = 1;
CREATE TEMP TABLE noisy AS SELECT q.number, q.sqlstate, p.* FROM tpch_query q, LATERAL pg_temp.run(q.private) p;
SELECT is(state, sqlstate, format('query %s: %s', number, COALESCE(message, 'answered'))) FROM noisy ORDER BY number;

SET dpsens.noise = off;
CREATE TEMP TABLE exactly AS SELECT q.number, e.answer AS exact, p.answer AS private FROM tpch_query q, LATERAL pg_temp.run(q.exact) e, LATERAL pg_temp.run(q.private) p WHERE q.sqlstate = '00000';
RESET dpsens.noise;
-- a group that is missing in the exact answer has 0 in the other, and no mean
CREATE TEMP TABLE compared AS
SELECT number, keys, field, COALESCE(e.value, 0) AS exact, COALESCE(p.value, 0) AS private
FROM (SELECT number, n.* FROM exactly, LATERAL pg_temp.numbers(exact) n) e FULL JOIN (SELECT number, n.* FROM exactly, LATERAL pg_temp.numbers(private) n) p USING (number, keys, field);
SELECT is(count(*) FILTER (WHERE abs(exact - private) > 1e-9 * abs(exact) AND NOT (exact = 0 AND field LIKE 'avg%')), 0::bigint, format('query %s: %s numbers are those of the exact query', number, count(*))) FROM compared GROUP BY number ORDER BY number;
SELECT cmp_ok(count(*), '>=', 30::bigint, 'there are some') FROM compared WHERE exact > 0;

-- without one customer, every answer moves by at most its sensitivity
SELECT o_custkey AS victim FROM orders JOIN lineitem ON l_orderkey = o_orderkey GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1 \gset
CREATE TEMP TABLE sensitivity AS
SELECT number, split_part(aggregate, '(', 1) AS kind, max(sensitivity) AS most FROM tpch_query, LATERAL dpsens.explain(private) WHERE sqlstate = '00000' AND number IN (4, 5, 6, 13, 19, 21) GROUP BY 1, 2;
DELETE FROM lineitem USING orders WHERE o_orderkey = l_orderkey AND o_custkey = :victim;
DELETE FROM orders WHERE o_custkey = :victim;
DELETE FROM customer WHERE c_custkey = :victim;
SET dpsens.noise = off;
SELECT cmp_ok(sum(abs(c.private - COALESCE(n.value, 0))), '<=', max(most), format('query %s: one customer less', number))
FROM compared c JOIN sensitivity USING (number) JOIN tpch_query USING (number), LATERAL pg_temp.run(tpch_query.private) r
LEFT JOIN LATERAL pg_temp.numbers(r.answer) n ON true
WHERE n.keys = c.keys AND n.field = c.field GROUP BY number ORDER BY number;
RESET dpsens.noise;

SELECT * FROM finish();
DROP SCHEMA tpch CASCADE;
