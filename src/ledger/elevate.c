/*
 * elevate.c
 *		Acting as the owner of the ledger's tables.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"

#include "ledger/elevate.h"

DpsElevation
dps_elevate(void)
{
	DpsElevation saved;

	GetUserIdAndSecContext(&saved.user, &saved.context);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID,
						   saved.context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
	return saved;
}

void
dps_descend(DpsElevation saved)
{
	SetUserIdAndSecContext(saved.user, saved.context);
}
