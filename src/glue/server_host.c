/*
 * server_host.c
 *		The server as the core's host.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "glue/glue.h"

static void *
host_allocate(void *context, size_t size)
{
	/* beyond this limit the server raises an error whatever the flags say */
	if (!AllocHugeSizeIsValid(size))
		return NULL;
	return MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
host_release(void *context, void *block)
{
	pfree(block);
}

static bool
host_random_bytes(void *context, void *buffer, size_t size)
{
	return pg_strong_random(buffer, size);
}

/* Only what CHECK_FOR_INTERRUPTS would turn into an error: the core must not
 * give up for a catch-up interrupt. */
static bool
host_should_stop(void *context)
{
	return InterruptPending && (QueryCancelPending || ProcDiePending);
}

static double
host_milliseconds(void *context)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	return INSTR_TIME_GET_MILLISEC(now);
}

DpsHost
dps_server_host(void)
{
	DpsHost		host = {
		.allocate = host_allocate,
		.release = host_release,
		.random_bytes = host_random_bytes,
		.should_stop = host_should_stop,
		.milliseconds = host_milliseconds,
		.context = CurrentMemoryContext
	};

	return host;
}

DpsArena *
dps_server_arena(void)
{
	DpsHost		host = dps_server_host();
	DpsArena   *arena;

	dps_check_status(dps_arena_init(&arena, &host));
	return arena;
}

void
dps_check_status(DpsStatus status)
{
	switch (status)
	{
		case DPS_OK:
			return;
		case DPS_NOMEM:
			/* once asked to stop, the core finds no memory, either */
			CHECK_FOR_INTERRUPTS();
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("out of memory")));
			break;
		case DPS_CANCELLED:
			CHECK_FOR_INTERRUPTS();
			/* interrupts are held off here, but the answer is incomplete */
			ereport(ERROR,
					(errcode(ERRCODE_QUERY_CANCELED),
					 errmsg("canceling statement due to user request")));
			break;
		case DPS_DOMAIN:
		case DPS_UNABLE:
			break;
	}
	elog(ERROR, "unexpected status \"%s\"", dps_status_name(status));
}

void
dps_refuse_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}
