/*
 * settings.h
 *		The dpsens.* settings.
 */
#ifndef DPS_GLUE_SETTINGS_H
#define DPS_GLUE_SETTINGS_H

#include "postgres.h"

#include "account/shares.h"
#include "bound/quantity/bound.h"
#include "noise/mechanism.h"

/* What dpsens.ledger_timeout is, if nobody sets it, in milliseconds. */
#define DPS_LEDGER_TIMEOUT 10000

extern double dps_setting_epsilon;	/* 0 is unset */
extern double dps_setting_delta;
extern double dps_setting_selection_epsilon;	/* 0 is unset */
extern bool dps_setting_enable_table_sums;
extern bool dps_setting_enable_row_sums;
extern bool dps_setting_enable_group_states;
extern bool dps_setting_share_sets;
extern bool dps_setting_noise;	/* superusers may turn it off; warned of at
								 * each use */
extern double dps_setting_tolerance;
extern int	dps_setting_max_boxes;
extern int	dps_setting_max_ms;
extern int	dps_setting_ledger_slots;
extern int	dps_setting_ledger_timeout; /* milliseconds */
extern int	dps_setting_ledger_idle_timeout;	/* milliseconds */
extern char *dps_setting_primary_conninfo;	/* "" is that of the server; it may hold a password */
extern char *dps_setting_cluster_key_file;	/* "": none */
extern int	dps_setting_clean_rooms;
extern int	dps_setting_clean_room_visits;
extern int	dps_setting_max_failures;
extern int	dps_setting_refusal_log_limit;

/* The greatest epsilon of one answer from budgets that are granted; 0: no limit. */
extern double dps_setting_answer_epsilon;
extern int	dps_setting_max_public_rows;	/* 0: no limit */
extern int	dps_setting_max_public_size;	/* in kB; 0: no limit */
extern bool dps_setting_require_fsync;
extern bool dps_setting_debug_restricted;	/* only ever takes something away */
extern int	dps_setting_bracket_cache_size; /* in kB */
extern int	dps_setting_key_cache_size; /* in kB */

/* Defines the settings; called from _PG_init, preloaded or not. */
extern void dps_settings_init(void);

/* The epsilon of a selection of groups; 0 is unset. */
extern double dps_setting_selection(void);

/* dpsens.weights. */
extern const DpsShares *dps_setting_shares(void);

/* dpsens.mechanism, as the table knows it. */
extern const DpsMechanism *dps_setting_mechanism(void);

/* dpsens.tolerance and dpsens.max_boxes: the same bounds on every machine, as
 * releases need them. */
extern DpsBoundOptions dps_setting_bound_options(void);

/* These and dpsens.max_ms. */
extern DpsBoundOptions dps_setting_whatif_options(void);

#endif							/* DPS_GLUE_SETTINGS_H */
