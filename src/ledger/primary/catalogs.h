/*
 * catalogs.h
 *		What a statement was planned from, as a digest that a standby and its primary can compare.
 *
 * A standby's plan is made from catalogs that are as old as its replay.  Its answer may be given only if
 * nothing that it was made from has changed on the primary since: no range, unit or key, no policy or right,
 * no view or function.  What a plan can depend on is not listed: the digest covers all catalogs.
 *
 * The digest is that of the place (page and item) and the inserting transaction of every row version that is
 * committed and not deleted, of all catalogs but those below, of the extension's tables of budgets and of
 * row accounts, which plans are made from, too, and, on a coordinator of Citus, of the tables in which Citus keeps
 * which tables are distributed and how, and where their shards and its nodes are.
 *
 * Precondition: a physical standby and its primary, of one cluster and one history of the log.
 * Postcondition: if the digest that a standby has noted is the one that the primary computes later, then no
 * change of what is covered was committed between the state that the standby's is of and the primary's.  So
 * everything that the standby read of it since then is in force on the primary.
 * Proof sketch: pages of a standby are the primary's as of some place in the log, so a row version has the
 * same place and the same transaction in both.  Two row versions with the same place and transaction are the
 * same bytes, apart from updates in place: a transaction that replaces a row version of its own writes a new
 * one at another place, and the one that is replaced is never visible once it has committed; a place is used
 * again only for another transaction's row.  Updates in place change statistics, horizons and hints alone
 * (relpages, reltuples, relhasindex, relfrozenxid, datfrozenxid and their like), which no declaration, right
 * or proof is made from.  A change that is committed removes a row version or adds one, and one that is
 * removed does not come back.  So equal sets mean that there was no change; and sets are equal if the digests
 * (SHA-256) are, but for a collision.  The primary computes its own after it has accepted the invalidations
 * of every commit that has returned, so a change counts for each request that arrives after its COMMIT has
 * returned.  What a standby remembers may be older than what it reads later: then the digests differ, and the
 * statement is refused.  A plan that a session has cached is in force as far as the server's
 * invalidations say so, on a standby as on the primary: the digest is that of the session's last look.
 *
 * Not covered: statistics (they hold data, and private plans are made without them), large objects, comments,
 * dependencies other than an extension's members, subscriptions and replication origins (none of these says
 * what a statement means), and rows about temporary relations of the primary's sessions, which nobody on a
 * standby can use: so that those who use them there do not stop everybody here.
 *
 * So a standby of a coordinator asks the nodes where, by what its primary had committed when it charged, the shards are.  A node
 * keeps a shard that has left it for a while, and fills one that comes while it is not yet said to be there: neither is asked
 * by a standby that lags.  What moves after the charge is as on the primary: the standby plans by what it has replayed, each
 * shard in one place, and a transaction that reads by one snapshot is told of a move that it learns of
 * (guard/distributed/distributed_run.c).  A unit is in one shard of each table, so its rows are read once at most in any case.
 */
#ifndef DPS_LEDGER_PRIMARY_CATALOGS_H
#define DPS_LEDGER_PRIMARY_CATALOGS_H

#include "postgres.h"

#include "ledger/ledger.h"

/* In a transaction.  That of the server's catalogs is remembered until an invalidation arrives. */
extern DpsCatalogs dps_catalogs_now(void);

extern bool dps_catalogs_same(const DpsCatalogs *a, const DpsCatalogs *b);

#endif							/* DPS_LEDGER_PRIMARY_CATALOGS_H */
