/*
 * distributed_places.h
 *		Where the rows are that a level with joins reads: can each node compute what belongs to its shards?
 *
 * Precondition: the level was traced (guard/trace/join.h): in every row of the join, protected parts belong to
 * one unit, and a row of the counted part is in at most one row of it.
 *
 * Postcondition of dps_check_places: let S be the shards of the counted part's table.  The rows of the join,
 * and whether conditions are true of one, are those that are found with each s of S by itself, beside the
 * shards that are together with s of the other distributed tables and all rows of reference tables; and each
 * row of the join is found with one s.
 *
 * Proof sketch.  A row of the join has one row r of the counted part, which is in one shard s.  By the
 * conditions of the join, the row of another distributed part has in its distribution column the value that r
 * has in its own; the two tables have their shards together, and so that row is in the shard that is together
 * with s.  A distributed part on the optional side of an outer join is met by such an equality of that join, or below it, alone:
 * so the rows that meet a row of the other side are those at s, and it is padded there if and only if it is of the whole join.  Reference
 * tables are whole on each node that has shards, and lists of constants are written in the query.  So the join
 * at s lacks no row, and finds none that is not of the whole join.  A subquery of EXISTS is asked about a row
 * of the join: what it finds is a row of the join of the level with the subquery, in which its distributed
 * parts equal r's column by the conditions of both, or the row does not count whatever it finds (semijoin.c).
 *
 * Units.  Two rows of one unit are in one shard of each part whose unit is its distribution column.  Owners by
 * which rows are counted are values of such a column, or places of rows of the counted part, which are
 * compared within a shard alone; so the rows of one owner are found with one s, and the block of that shard
 * chooses among all of them.
 *
 * Groups.  A subquery with GROUP BY is a part whose rows are groups, by a key that is a distribution column.  So the rows of a group, of
 * the join that it groups, are found with one s, of which that key's value is; a group is then a row with its unit
 * in place of a distribution column, and all of the above is said of it.
 *
 * Unions.  Rows of UNION ALL are those of its arms, each of one table of which each row is in one shard; which rows of another
 * table are beside them does not matter, since rows of unions are counted by themselves (join_union.c).  So no distributed table is in FROM, EXISTS or IN beside
 * them, where it would: Citus sends a union whose arms have their distribution columns in one place, whatever meets it.
 *
 * Tables that are protected have their unit as distribution column even if an index says that it has one
 * row: it is one of the shell on this server.
 */
#ifndef DPS_GUARD_DISTRIBUTED_DISTRIBUTED_PLACES_H
#define DPS_GUARD_DISTRIBUTED_DISTRIBUTED_PLACES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/source/protected_source.h"

/* Raises an error, which names the table, unless the postcondition holds.  The level has parts. */
extern void dps_check_places(DpsProtectedSource *source, Oid table);

/* Are rows of one owner in one shard, or found with one?  owner: an expression over the parts, or the
 * columns of the query of exact states if the level has none. */
extern bool dps_is_in_one_place(const DpsProtectedSource *source, const Query *states, const Expr *owner);

/* The number of parts that are groups or unions, at any depth: the subqueries of (a) that group or unite. */
extern int	dps_grouped_parts(const DpsProtectedSource *source);

/* Raises the error that answers about the distributed table are not supported. */
pg_noreturn extern void dps_refuse_places(Oid table, const char *what, const char *hint);

/* The same of a unit whose rows are in several shards. */
pg_noreturn extern void dps_refuse_spread(Oid table);

/* An error if several columns of the table are a unit together: which rows of one count is not compared on nodes. */
extern void dps_check_one_column(Oid table, const DpsRelationAnnotation *annotation);

#endif							/* DPS_GUARD_DISTRIBUTED_DISTRIBUTED_PLACES_H */
