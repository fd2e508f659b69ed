/*
 * authorise.c
 *		The role and the annotations that a release is planned for, and their check when
 *		it runs: a plan may be kept, and run by another role or after the annotations
 *		have changed.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "guard/restrict/analyst.h"
#include "guard/rewrite/authorise.h"
#include "guard/rewrite/beside.h"

/* A fingerprint of the annotations of all relations of the release. */
static uint64
fingerprint(const DpsRelease *release)
{
	uint64		result = dps_annotation_fingerprint(release->relation);
	int			i;

	for (i = 0; i < release->njoined; i++)
		result = hash_combine64(result, dps_annotation_fingerprint(release->joined[i].relation));
	return result;
}

void
dps_mark_release(DpsRelease *release, bool is_restricted)
{
	release->role = GetUserId();
	release->is_restricted = is_restricted;
	release->annotations = fingerprint(release);
}

static void
check_all_served(const DpsRelease *release, Oid role)
{
	int			i;

	if (release->needs_budget)
		dps_check_served(release->relation, role);
	for (i = 0; i < release->njoined; i++)
	{
		if (release->joined[i].needs_budget)
			dps_check_served(release->joined[i].relation, role);
	}
}

static void
authorise_release(const DpsRelease *release, Oid role)
{
	if (release->role != role)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a private answer that was planned for role \"%s\" cannot be given to role \"%s\"",
						GetUserNameFromId(release->role, true) ? GetUserNameFromId(release->role, true) : "?",
						GetUserNameFromId(role, false)),
				 errhint("Run the statement again.")));
	check_all_served(release, role);
	dps_check_beside(release, role, 0);
	if (release->annotations != fingerprint(release))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the annotations of the relation have changed since the statement was planned"),
				 errhint("Run the statement again.")));
}

void
dps_authorise(const List *releases, Oid role)
{
	ListCell   *cell;

	foreach(cell, releases)
		authorise_release(lfirst(cell), role);
}

bool
dps_any_restricted(const List *releases)
{
	ListCell   *cell;

	foreach(cell, releases)
	{
		if (((const DpsRelease *) lfirst(cell))->is_restricted)
			return true;
	}
	return false;
}
