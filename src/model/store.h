/*
 * store.h
 *		Models in the table dpsens.stored_models.
 */
#ifndef DPS_MODEL_STORE_H
#define DPS_MODEL_STORE_H

#include "postgres.h"

#include "storage/itemptr.h"
#include "utils/array.h"
#include "utils/jsonb.h"

/* Which version of which row. */
typedef struct DpsModelVersion
{
	TransactionId xmin;
	CommandId	cmin;
	ItemPointerData place;
} DpsModelVersion;

typedef struct DpsStoredModel
{
	DpsModelVersion version;
	Oid			owner;
	Jsonb	   *definition;
	ArrayType  *parameters;		/* float8, without NULLs */
} DpsStoredModel;

/*
 * Reads a model as the running statement sees it.  An error if there is none,
 * or if it belongs to a role that the current user is not a member of.  With a
 * version that is still current, only that is checked: false is returned and
 * the model left alone.
 */
extern bool dps_read_model(Name name, const DpsModelVersion *version, DpsStoredModel *model);

/* Errors: the name is taken; the current user may not create anything in this
 * database. */
extern void dps_insert_model(Name name, Jsonb *definition, ArrayType *parameters);

/* As dps_read_model as to errors. */
extern void dps_delete_model(Name name);
extern void dps_update_model(Name name, ArrayType *parameters);

#endif							/* DPS_MODEL_STORE_H */
