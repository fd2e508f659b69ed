/*
 * connections.h
 *		Settings by which Citus sends exact sums to the nodes.
 */
#ifndef DPS_GUARD_DISTRIBUTED_CONNECTIONS_H
#define DPS_GUARD_DISTRIBUTED_CONNECTIONS_H

#include "postgres.h"

/*
 * Sets all settings that steer or show these connections to
 * the values of a fixed list, until the transaction ends.  In a room alone, where nothing is left of them
 * then.
 */
extern void dps_set_connection_settings(void);

/*
 * In a room: what Citus asks of nodes from now on is in transactions that are read only, in which names,
 * plans and waits have settings of a fixed list.  Once in a visit, before Citus plans.
 */
extern void dps_begin_on_nodes(void);

/*
 * Sets those by which values become text to what every node reads alike, whoever asks.  Returns a level for
 * dps_give_back_settings() (guard/restrict/run_settings.h); an error gives them back with the transaction.
 */
extern int	dps_take_writing_settings(void);

#endif							/* DPS_GUARD_DISTRIBUTED_CONNECTIONS_H */
