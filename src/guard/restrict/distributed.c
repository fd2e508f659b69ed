/*
 * distributed.c
 *		Tables and nodes of Citus: what it may not make of protected tables, who is restricted on its
 *		workers, and what dpsens.check_security() says of it.
 *
 * However a table comes under Citus - create_distributed_table() and its like, a schema that is
 * distributed, a foreign key to a reference table, a partition that is attached -, Citus gives the
 * table that people name a trigger of its own, in the same transaction and after it has said in its
 * catalogue what the table is.  So that trigger is refused where the table is protected, and all that
 * was done before is undone with the transaction.  Of a local table that Citus manages, the new shell gets the
 * trigger, with the labels that Citus has copied.  Labels themselves are refused on workers that
 * have no key, on shards and on tables that Citus manages (glue/label/undistributed.c), which no copy can evade.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/undistributed.h"
#include "glue/version.h"
#include "guard/restrict/distributed.h"
#include "guard/restrict/hidden.h"

DPS_SQL_FUNCTION(dps_citus_relations);

static object_access_hook_type previous_object_access;

/* ---- protected tables ---- */

/* The relation that a new trigger is on, and its function. */
static bool
read_trigger(Oid trigger, Oid *relation, Oid *function)
{
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(trigger));
	/* its row is this command's */
	scan = systable_beginscan(triggers, TriggerOidIndexId, true, SnapshotSelf, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		*relation = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;
		*function = ((Form_pg_trigger) GETSTRUCT(tuple))->tgfoid;
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	return HeapTupleIsValid(tuple);
}

static void
check_trigger(Oid trigger)
{
	Oid			relation;
	Oid			function;

	if (read_trigger(trigger, &relation, &function) && dps_citus_owns(ProcedureRelationId, function))
		dps_refuse_to_distribute(relation);
}

static void
check_object_access(ObjectAccessType access, Oid class, Oid object, int column, void *arg)
{
	if (previous_object_access != NULL)
		previous_object_access(access, class, object, column, arg);
	if (access == OAT_POST_CREATE && class == TriggerRelationId && dps_citus_is_present())
		check_trigger(object);
}

void
dps_distributed_init(void)
{
	previous_object_access = object_access_hook;
	object_access_hook = check_object_access;
}

/* ---- labels ---- */

/* The relations with a label of dpsens that is not PUBLIC, or cannot be read, as a list of OIDs. */
static List *
labelled_relations(void)
{
	Relation	labels = table_open(SecLabelRelationId, AccessShareLock);
	TupleDesc	descriptor = RelationGetDescr(labels);
	SysScanDesc scan = systable_beginscan(labels, InvalidOid, false, NULL, 0, NULL);
	List	   *relations = NIL;
	HeapTuple	tuple;
	bool		isnull;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const FormData_pg_seclabel *form = (const FormData_pg_seclabel *) GETSTRUCT(tuple);

		if (form->classoid == RelationRelationId && form->objsubid == 0 && get_rel_relkind(form->objoid) != RELKIND_VIEW &&
			strcmp(TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_provider, descriptor, &isnull)), DPS_LABEL_PROVIDER) == 0 &&
			pg_strcasecmp(TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_label, descriptor, &isnull)), "PUBLIC") != 0)
			relations = lappend_oid(relations, form->objoid);
	}
	systable_endscan(scan);
	table_close(labels, AccessShareLock);
	return relations;
}

bool
dps_is_barred_from_label(Oid role)
{
	ListCell   *cell;

	foreach(cell, labelled_relations())
	{
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(lfirst_oid(cell))) && dps_check_select(lfirst_oid(cell), role) != ACLCHECK_OK)
			return true;
	}
	return false;
}

/* ---- what check_security says ---- */

static void
put_relation(ReturnSetInfo *result, Oid relation, const char *kind, bool is_protected)
{
	/* whether there are rows is a counter, too */
	bool		is_hidden = !OidIsValid(relation) || dps_hides() != DPS_HIDDEN_NOTHING;
	Datum		values[] = {
		ObjectIdGetDatum(relation), CStringGetTextDatum(kind), BoolGetDatum(is_protected),
		BoolGetDatum(!is_hidden && dps_citus_keeps_rows(relation))
	};
	bool		nulls[] = {false, false, false, is_hidden};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * citus_relations(): the node itself, as a relation 0 of kind coordinator or worker, the tables that Citus
 * manages, of kind distributed where nodes can add them up, else of kind table, and labelled shards, of kind
 * shard.  No row without Citus.
 */
Datum
dps_citus_relations(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	List	   *labelled;
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, 0);
	if (!dps_citus_is_present())
		return (Datum) 0;
	put_relation(result, InvalidOid, dps_citus_is_worker() ? "worker" : "coordinator", false);
	labelled = labelled_relations();
	foreach(cell, dps_citus_tables())
		put_relation(result, lfirst_oid(cell), dps_citus_can_add_up(lfirst_oid(cell)) ? "distributed" : "table", list_member_oid(labelled, lfirst_oid(cell)));
	foreach(cell, labelled)
	{
		if (dps_citus_kind(lfirst_oid(cell)) == DPS_CITUS_SHARD)
			put_relation(result, lfirst_oid(cell), "shard", true);
	}
	return (Datum) 0;
}
