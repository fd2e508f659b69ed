-- What is private: everything about a customer, with all orders and their lines.
-- Ranges are those of the specification's domains; of a customer at most 40 orders
-- and 150 lines count, which is nearly all that there are.
SET search_path = tpch, public;

SELECT dpsens.protect('customer', unit => 'c_custkey');
SELECT dpsens.protect('orders', unit => 'o_custkey', max_rows => 40);
SELECT dpsens.protect('lineitem', unit => 'orders.o_custkey', max_rows => 150);
SELECT dpsens.set_range('customer', 'c_acctbal', -999.99, 9999.99),
    dpsens.set_range('orders', 'o_totalprice', 0, 600000),
    dpsens.set_range('lineitem', 'l_quantity', 1, 50),
    dpsens.set_range('lineitem', 'l_extendedprice', 900, 105000),
    dpsens.set_range('lineitem', 'l_discount', 0, 0.1),
    dpsens.set_range('lineitem', 'l_tax', 0, 0.08),
    dpsens.set_values('lineitem', 'l_returnflag', 'A', 'N', 'R'),
    dpsens.set_values('lineitem', 'l_linestatus', 'F', 'O'),
    dpsens.set_values('orders', 'o_orderpriority', '1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW');
