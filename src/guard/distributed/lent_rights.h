/*
 * lent_rights.h
 *		Distributed tables that are read for a role that may not: with their owner's rights.
 *
 * Nodes ask for the rights of the role that connects to them.  For a role without SELECT that is the owner
 * of the tables: a clean room (room_states.h) plans level (a) as the role that asks, and sends it as the
 * owner, by connections that it opens for the visit and closes at its end.
 *
 * Precondition, which dps_check_lent looks at: (a) reads tables of one owner, each protected or public, has no parameter that is not
 * a value when it is sent, and calls functions and operators of the server, over its types and collations, that are immutable;
 * the tables have no row-level security, and their indexes, constraints and statistics compute with functions of the server alone.
 * That the role has a budget of each protected table, and may use each public one, is asked elsewhere (authorise.h).
 *
 * Postcondition: with the owner's rights nodes run nothing but (a), and what its tables' definitions compute
 * for a planner, which is the server's own code.  None of it depends on settings of the role that asks.
 *
 * Proof sketch.  What Citus sends is made of (a), which dpsens has written, of names of shards, and of what
 * begins and ends a transaction that is read only (connections.h).  What a node does with it beyond (a) is planning: it
 * computes constant parts of (a) and of index expressions, predicates, CHECK constraints and statistics'
 * expressions, and compares by operator classes, which superusers make.  The others are looked at here, as the
 * coordinator has them before the charge; only an owner could add one after that, since the room's locks do not keep
 * CREATE INDEX and CREATE STATISTICS away.  So all tables have the same, whose rights these are.  Row-level security would
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

/* The table that a message names, and whose owner lends. */
extern Oid	dps_lent_table(const Query *states);

#endif							/* DPS_GUARD_DISTRIBUTED_LENT_RIGHTS_H */
