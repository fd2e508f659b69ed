/*
 * background.c
 *		Processes of the extension that belong to a database.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "glue/background.h"

/* The ledger and clean rooms. */
#define MAX_OWNERS 2

static bool (*owners[MAX_OWNERS]) (void);
static int	nowners = 0;

bool
dps_start_process(const char *type, const char *function, Oid database, BgWorkerStartTime when,
				  const void *extra, Size length, BackgroundWorkerHandle **handle)
{
	BackgroundWorker worker;

	Assert(length <= sizeof(worker.bgw_extra));
	memset(&worker, 0, sizeof(worker));
	snprintf(worker.bgw_name, BGW_MAXLEN, "%s for database %u", type, database);
	strlcpy(worker.bgw_type, type, BGW_MAXLEN);
	strcpy(worker.bgw_library_name, "dpsens");
	strlcpy(worker.bgw_function_name, function, BGW_MAXLEN);
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = when;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_main_arg = ObjectIdGetDatum(database);
	memcpy(worker.bgw_extra, extra, length);
	worker.bgw_notify_pid = MyProcPid;
	return RegisterDynamicBackgroundWorker(&worker, handle);
}

void
dps_lets_processes_go(bool (*let_go) (void))
{
	Assert(nowners < MAX_OWNERS);
	owners[nowners++] = let_go;
}

bool
dps_let_process_go(void)
{
	int			i;

	for (i = 0; i < nowners; i++)
	{
		if (owners[i] ())
			return true;
	}
	return false;
}
