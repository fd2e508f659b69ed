/*
 * entity.c
 *		Which relations are of an entity.
 *
 * A relation's units refer to another relation by foreign keys of exactly the unit's columns.  If the unit is declared
 * by reference, it is that of the row that is referred to.  Else the unit's values are keys of the other relation,
 * and they are its units if the key is its unit, column by column in the order of both declarations.
 *
 * Whom a release is charged to does not depend on whether that is sound: all relations that can be reached so are
 * entities of a relation (dps_entities_of), also by constraints that were not validated, and through relations that
 * are not protected any more.  Whether the loss for a unit of the relation is one for a person of the entity is
 * another question (dps_why_not_of_entity), and where it is not, the ledger refuses.
 *
 * Claim: if dps_why_not_of_entity returns NULL, the rows of a person of the entity in the relation are those of one
 * unit of the relation, or none.
 * Proof, by induction over the steps to the entity.  A step by reference: the unit of a row is that of the row that it
 * refers to.  A step by value: the unit is the values of its columns, and a person the values of the entity's unit,
 * which are the key.  Values that are equal as units of the one are equal as units of the other, and the reverse,
 * since both columns have one type and collation, or are integers, whose equality does not depend on their width.
 * A value that is in no row of the entity is a person that is not there.
 *
 * Parents, children and partitions share rows.  So a relation is of all entities of those of its family that are
 * protected, but whose units its own are follows from its own label and constraints.
 */
#include "postgres.h"

#include "access/attnum.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/constraint/inheritance.h"
#include "glue/constraint/reference.h"
#include "glue/label/annotation.h"
#include "ledger/entity.h"

bool
dps_is_entity_name(const char *column)
{
	return strcmp(column, DPS_ENTITY_NAME) == 0;
}

/* ---- which there are ---- */

/* The columns of the same names in another relation; false if one is missing. */
static bool
same_names(Oid relation, const DpsUnitColumns *columns, Oid other, DpsUnitColumns *found)
{
	int			i;

	memset(found, 0, sizeof(*found));
	for (i = 0; i < columns->n; i++)
	{
		const char *name = get_attname(relation, columns->column[i], true);
		AttrNumber	column = name != NULL ? get_attnum(other, name) : InvalidAttrNumber;

		if (column == InvalidAttrNumber)
			return false;
		found->column[found->n++] = column;
	}
	return true;
}

/* The foreign keys of exactly the unit's columns, of the relation or of one that shares rows with it, such as a
 * partition, as a list of DpsReference *. */
static List *
references_of(Oid relation, DpsRelationAnnotation *annotation)
{
	List	   *references;
	ListCell   *cell;

	dps_get_relation_labels(relation, annotation);
	if (!annotation->is_protected || !dps_has_unit(annotation))
		return NIL;
	references = dps_references_from(relation, &annotation->unit);
	foreach(cell, dps_relation_family(relation))
	{
		DpsUnitColumns columns;

		if (lfirst_oid(cell) != relation && same_names(relation, &annotation->unit, lfirst_oid(cell), &columns))
			references = list_concat(references, dps_references_from(lfirst_oid(cell), &columns));
	}
	return references;
}

/* The relation, and others that share rows with it and are protected. */
static List *
protected_family(Oid relation)
{
	List	   *found = list_make1_oid(relation);
	ListCell   *cell;

	foreach(cell, dps_relation_family(relation))
	{
		DpsRelationAnnotation annotation;

		dps_get_relation_labels(lfirst_oid(cell), &annotation);
		if (annotation.is_protected)
			found = list_append_unique_oid(found, lfirst_oid(cell));
	}
	return found;
}

List *
dps_entities_of(Oid relation)
{
	List	   *found = protected_family(relation);
	int			i;

	/* the list grows while it is walked through */
	for (i = 0; i < list_length(found); i++)
	{
		DpsRelationAnnotation annotation;
		ListCell   *cell;

		foreach(cell, references_of(list_nth_oid(found, i), &annotation))
			found = list_append_unique_oid(found, ((const DpsReference *) lfirst(cell))->relation);
	}
	return found;
}

/* ---- whether their persons are its units ---- */

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool
have_same_equality(Oid relation, AttrNumber column, Oid other, AttrNumber other_column)
{
	Oid			types[2];
	Oid			collations[2];
	int32		typmod;

	get_atttypetypmodcoll(relation, column, &types[0], &typmod, &collations[0]);
	get_atttypetypmodcoll(other, other_column, &types[1], &typmod, &collations[1]);
	return (types[0] == types[1] && collations[0] == collations[1]) || (is_integer(types[0]) && is_integer(types[1]));
}

/* The same of all columns of a unit, in their order. */
static bool
are_compared_alike(Oid relation, const DpsUnitColumns *columns, Oid other, const DpsUnitColumns *other_columns)
{
	int			i;

	for (i = 0; i < columns->n; i++)
	{
		if (!have_same_equality(relation, columns->column[i], other, other_columns->column[i]))
			return false;
	}
	return true;
}

/* Are the relation's units those of the rows that it refers to?  The reference has its columns in the unit's order. */
static bool
has_units_of(Oid relation, const DpsRelationAnnotation *annotation, const DpsReference *reference)
{
	DpsRelationAnnotation other;
	DpsReference only;

	dps_get_relation_labels(reference->relation, &other);
	if (!other.is_protected || !dps_has_unit(&other))
		return false;
	if (annotation->unit_by_reference)
		return dps_find_reference(relation, &annotation->unit, InvalidOid, &only) && only.relation == reference->relation;
	return !other.unit_by_reference && dps_are_same_columns(&other.unit, &reference->keys) &&
		are_compared_alike(relation, &annotation->unit, reference->relation, &reference->keys);
}

/* The relations whose units the relation's are, itself among them, directly or through others. */
static List *
unit_holders(Oid relation)
{
	List	   *found = list_make1_oid(relation);
	int			i;

	for (i = 0; i < list_length(found); i++)
	{
		Oid			one = list_nth_oid(found, i);
		DpsRelationAnnotation annotation;
		ListCell   *cell;

		foreach(cell, references_of(one, &annotation))
		{
			const DpsReference *reference = lfirst(cell);

			if (has_units_of(one, &annotation, reference))
				found = list_append_unique_oid(found, reference->relation);
		}
	}
	return found;
}

static bool
changes_units(const DpsRelationAnnotation *annotation)
{
	return annotation->adjacency == DPS_ADD_REMOVE || annotation->adjacency == DPS_REPLACE;
}

const char *
dps_why_not_of_entity(Oid relation, Oid entity)
{
	DpsRelationAnnotation own;
	DpsRelationAnnotation whole;

	dps_get_relation_labels(relation, &own);
	dps_get_relation_labels(entity, &whole);
	if (!whole.is_protected || !dps_has_unit(&whole) || whole.unit_by_reference)
		return "The entity's relation is not protected any more by a unit that is a column of its own.";
	if (!changes_units(&whole))
		return "The entity's adjacency is about single cells or distances, and not about persons.";
	if (!list_member_oid(unit_holders(relation), entity))
		return "Its rows, or a part of them, are the entity's, but its unit is not the entity's unit by foreign keys of columns that are compared alike.";
	if (own.adjacency != whole.adjacency)
		return "It is protected with another adjacency than the entity's relation.";
	if (own.group_size != whole.group_size)
		return "It protects groups of another size than the entity's relation.";
	return NULL;
}

/* The owner; InvalidOid of a relation that is gone. */
static Oid
owner_of(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

bool
dps_entity_opens(Oid entity, Oid agreed_owner, Oid relation)
{
	return OidIsValid(agreed_owner) && owner_of(entity) == agreed_owner && owner_of(relation) == agreed_owner &&
		list_member_oid(dps_entities_of(relation), entity) && dps_why_not_of_entity(relation, entity) == NULL;
}

/* Labels without the provider's name or of other objects are passed over; a relation that is gone has none. */
List *
dps_relations_of_entity(Oid entity)
{
	Relation	labels = table_open(SecLabelRelationId, AccessShareLock);
	List	   *relations = NIL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[1], Anum_pg_seclabel_objsubid, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(0));
	scan = systable_beginscan(labels, InvalidOid, false, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Oid			relation = ((const FormData_pg_seclabel *) GETSTRUCT(tuple))->objoid;

		if ((get_rel_relkind(relation) == RELKIND_RELATION || get_rel_relkind(relation) == RELKIND_PARTITIONED_TABLE) &&
			list_member_oid(dps_entities_of(relation), entity))
			relations = list_append_unique_oid(relations, relation);
	}
	systable_endscan(scan);
	table_close(labels, AccessShareLock);
	return relations;
}

/* ---- what a statement was planned from ---- */

/* The way of references ends where the unit is a column, or comes back.  No relation has none. */
uint64
dps_unit_fingerprint(Oid relation)
{
	List	   *seen = NIL;
	uint64		fingerprint = 0;

	while (OidIsValid(relation) && !list_member_oid(seen, relation))
	{
		DpsRelationAnnotation annotation;
		DpsReference reference;

		seen = lappend_oid(seen, relation);
		dps_get_relation_labels(relation, &annotation);
		fingerprint = hash_combine64(fingerprint, annotation.labels);
		if (annotation.unit_by_reference && dps_find_reference(relation, &annotation.unit, InvalidOid, &reference))
			relation = reference.relation;
	}
	return fingerprint;
}
