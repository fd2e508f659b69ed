/*
 * group_size.c
 *		Groups of units that are protected together.
 *
 * A relation that is protected with group_size k promises its epsilon to any k units together, such as the
 * persons of a household.  Who is whose is not declared, and need not be: the promise is to every k of them.
 *
 * Precondition of dps_group_factors: the facts are true of neighbours that differ in one unit.
 * Postcondition: they are true of databases that differ in at most k units; and noise that is planned by them, and what is
 * charged for it, is for these.
 *
 * Proof.  Such databases are at most k steps apart, each of which changes one unit: units come or go one by one under add_remove,
 * and are replaced one by one, their number being public, under replace.  So what changes is at most the sum of k changes by one
 * unit:
 *
 * - 1-norm and 2-norm: by the triangle inequality at most k times those of one unit.  All k can be in the same group, where their
 *	 changes add up, so there is no root of k;
 * - groups: at most k times as many as one unit changes;
 * - rows: one unit changes as many rows as the facts say, one after the other (unit_rows.c), and so k units k times as many.
 *	 What the families prove of a unit of several rows they prove of that many changes by one row, one after the other
 *	 (agg/families/tallied.c and the others), whosesoever these are.
 *
 * That an epsilon-DP mechanism is k epsilon-DP for k units (Dwork and Roth 2014, Theorem 2.2) is not needed, and with a delta would
 * give more noise.  Nothing is assumed of the law of a mechanism: noise is calibrated to what k units move, at the epsilon and delta that were asked
 * for, and its loss, of every kind, is that for what they move (for zCDP so k^2 times that of one unit: Bun and Steinke 2016,
 * Proposition 1.9; with the sensitivity k times as large it is the same).  A selection of groups has no norm: it knows of k by
 * itself (noise/partition.c).  A family that has not shown what several rows do (sums_rows) refuses (agg/aggregate.c), and training
 * and row accounts, whose losses are by one unit, refuse, too.
 *
 * Of several relations the greatest k is taken, which holds for each of them, and of relations that share rows (partitions, parents
 * and children), too.  The rows of a unit that count are chosen among its own rows, by the limits of one unit: what another of the
 * group does is nothing to it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "base/once.h"
#include "glue/owner_hint.h"
#include "guard/source/group_size.h"
#include "guard/source/grouped_part.h"
#include "ledger/journal/group_history.h"
#include "num/interval.h"

static int
part_size(const DpsPart *part)
{
	int			size = part->annotation.is_protected ? dps_declared_group_size(part->relation) : 1;
	ListCell   *cell;

	if (part->grouping != NULL)
		size = dps_max(size, dps_group_size(part->grouping->source));
	foreach(cell, part->arms)
		size = dps_max(size, dps_group_size(((const DpsArm *) lfirst(cell))->source));
	return size;
}

int
dps_group_size(const DpsProtectedSource *source)
{
	int			size = OidIsValid(source->relation) ? dps_declared_group_size(source->relation) : 1;
	ListCell   *cell;

	check_stack_depth();
	foreach(cell, source->parts)
		size = dps_max(size, part_size(lfirst(cell)));
	foreach(cell, source->semijoins)
		size = dps_max(size, dps_group_size(((const DpsSemiJoin *) lfirst(cell))->source));
	return size;
}

static void
refuse_accounts(const DpsProtectedSource *source)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("budgets of rows are not supported for groups of units"),
			 errdetail("Relation \"%s\" protects up to %d units together, and the account of a row is that of one.",
					   get_rel_name(source->relation), dps_group_size(source)),
			 dps_hint_owner(source->relation, "Set the budget of the relation without row_epsilon and row_rho, or protect it with group_size => 1."),
			 errposition(dps_query_position(source, source->location))));
}

static void
refuse_rows(const DpsProtectedSource *source, int size, double rows)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a group of units may have too many rows in this answer"),
			 errdetail("A group has up to %d units, each of which may have %.0f rows that count; %d rows of all together are supported.",
					   size, rows, DPS_MAX_UNIT_ROWS),
			 dps_hint_owner(source->relation, "Give dpsens.protect(%s, ...) a smaller max_rows or group_size.",
							quote_literal_cstr(get_rel_name(source->relation))),
			 errposition(dps_query_position(source, source->location))));
}

void
dps_group_factors(const DpsProtectedSource *source, DpsFacts *facts)
{
	int			size = dps_group_size(source);

	facts->group_size = size;
	if (size == 1)
		return;
	if (source->is_individual)
		refuse_accounts(source);
	if (!(facts->unit_l1 * size <= DPS_MAX_UNIT_ROWS))
		refuse_rows(source, size, facts->unit_l1);
	/* whole numbers below 2^20, exact in doubles; without GROUP BY there is one group whosesoever the rows are */
	facts->unit_l1 *= size;
	facts->unit_l2 = dps_mul_up(facts->unit_l2, size);
	if (source->query->groupClause != NIL)
		facts->unit_groups *= size;
}
