/*
 * refused.h
 *		Statements that are refused before they run, for the ledger's log of them.
 */
#ifndef DPS_GUARD_RUN_REFUSED_H
#define DPS_GUARD_RUN_REFUSED_H

#include "postgres.h"

#include "executor/execdesc.h"
#include "nodes/parsenodes.h"

/* A statement that may be refused. */
typedef struct DpsRefusable
{
	bool		is_logged;		/* is it a role's that has, or had, a budget? */
	Oid			role;
	const char *text;			/* of all statements of the message */
	int			location;		/* of this one */
	int			length;
	const Query *query;			/* as it was asked; or NULL, */
	const List *relations;		/* and the relations of its plan */
	MemoryContext context;
} DpsRefusable;

extern DpsRefusable dps_refusable_query(const Query *query, const char *text);
extern DpsRefusable dps_refusable_run(const QueryDesc *query);

/* To be called where an error was caught that the guard has raised.  Logs it if it is a refusal, and raises it again. */
pg_noreturn extern void dps_refuse_again(const DpsRefusable *statement);

#endif							/* DPS_GUARD_RUN_REFUSED_H */
