/*
 * hidden_names.h
 *		Functions that show counters, by their names.
 */
#ifndef DPS_GUARD_RESTRICT_HIDDEN_NAMES_H
#define DPS_GUARD_RESTRICT_HIDDEN_NAMES_H

#include "guard/restrict/hidden.h"

/* The least DpsHidden that hides a function of the server, or of an extension, by its name;
 * DPS_HIDDEN_NOTHING if none does, and for NULL. */
extern DpsHidden dps_kind_of_builtin_name(const char *name);
extern DpsHidden dps_kind_of_extension_name(const char *name);

/* The same for members of Citus, of which everything is hidden that is not listed. */
extern DpsHidden dps_kind_of_citus_function(const char *name);
extern DpsHidden dps_kind_of_citus_relation(const char *name);

#endif							/* DPS_GUARD_RESTRICT_HIDDEN_NAMES_H */
