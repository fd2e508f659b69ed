-- The tables of TPC-H, in the schema "tpch", with the keys that its specification
-- gives them: they prove that joins do not multiply rows.
DROP SCHEMA IF EXISTS tpch CASCADE;
CREATE SCHEMA tpch;
SET search_path = tpch, public;

CREATE TABLE region (r_regionkey int PRIMARY KEY, r_name text NOT NULL UNIQUE);
CREATE TABLE nation (n_nationkey int PRIMARY KEY, n_name text NOT NULL UNIQUE, n_regionkey int NOT NULL);
CREATE TABLE supplier (s_suppkey int PRIMARY KEY, s_name text NOT NULL, s_nationkey int NOT NULL, s_acctbal numeric(12, 2) NOT NULL, s_comment text NOT NULL);
CREATE TABLE part (p_partkey int PRIMARY KEY, p_name text NOT NULL, p_brand text NOT NULL, p_type text NOT NULL, p_size int NOT NULL, p_container text NOT NULL,
    p_retailprice numeric(12, 2) NOT NULL);
CREATE TABLE partsupp (ps_partkey int, ps_suppkey int, ps_availqty int NOT NULL, ps_supplycost numeric(12, 2) NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE customer (c_custkey int PRIMARY KEY, c_nationkey int NOT NULL, c_acctbal numeric(12, 2) NOT NULL, c_mktsegment text NOT NULL);
CREATE TABLE orders (o_orderkey int PRIMARY KEY, o_custkey int NOT NULL, o_orderstatus text NOT NULL, o_totalprice numeric(12, 2) NOT NULL, o_orderdate date NOT NULL,
    o_orderpriority text NOT NULL, o_comment text NOT NULL);
CREATE TABLE lineitem (l_orderkey int NOT NULL, l_linenumber int NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL, l_quantity numeric(12, 2) NOT NULL,
    l_extendedprice numeric(12, 2) NOT NULL, l_discount numeric(12, 2) NOT NULL, l_tax numeric(12, 2) NOT NULL, l_returnflag text NOT NULL, l_linestatus text NOT NULL,
    l_shipdate date NOT NULL, l_commitdate date NOT NULL, l_receiptdate date NOT NULL, l_shipinstruct text NOT NULL, l_shipmode text NOT NULL, PRIMARY KEY (l_orderkey, l_linenumber));
