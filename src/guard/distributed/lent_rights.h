/*
 * lent_rights.h
 *		A distributed table that is read for a role that may not: with its owner's rights.
 *
 * Nodes ask for the rights of the role that connects to them.  For a role without SELECT that is the owner
 * of the table: a clean room (room_states.h) plans level (a) as the role that asks, and sends it as the
 * owner, by connections that it opens for the visit and closes at its end.
 *
 * Precondition, which dps_check_lent looks at: (a) reads one table, has no parameter that is not a value when
 * it is sent, and calls functions and operators of the server, over its types and collations, that are immutable;
 * the table has no row-level security, and its indexes, constraints and statistics compute with functions of the server alone.
 *
 * Postcondition: with the owner's rights nodes run nothing but (a), and what its table's definition computes
 * for a planner, which is the server's own code.  None of it depends on settings of the role that asks.
 *
 * Proof sketch.  What Citus sends is made of (a), which dpsens has written, of names of shards, and of what
 * begins and ends a transaction that is read only (connections.h).  What a node does with it beyond (a) is planning: it
 * computes constant parts of (a) and of index expressions, predicates, CHECK constraints and statistics'
 * expressions, and compares by operator classes, which superusers make.  The others are looked at here, as the
 * coordinator has them before the charge; only the owner could add one after that.  Row-level security would
 * add conditions of the owner's instead of those of the role that asks, and is refused.  Names that nodes
 * look up are those of pg_catalog, or qualified.
 */
#ifndef DPS_GUARD_DISTRIBUTED_LENT_RIGHTS_H
#define DPS_GUARD_DISTRIBUTED_LENT_RIGHTS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Raises an error unless the precondition holds of the query, which may still have parameters. */
extern void dps_check_lent(Query *states);

/* Raises an error if a part of the query depends on settings of a session: for a query whose parameters
 * and other values of the asking session have been put in (session_values.h). */
extern void dps_check_sent_alike(Query *states);

/* The table that it reads. */
extern Oid	dps_lent_table(const Query *states);

#endif							/* DPS_GUARD_DISTRIBUTED_LENT_RIGHTS_H */
