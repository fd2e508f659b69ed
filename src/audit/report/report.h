/*
 * report.h
 *		The parts of the page about a table.
 *
 * Those of the first group are made as the table's owner, as whom dps_begin_audit has let look, and show what follows
 * from rows if with_rows, else what is declared and proved; those of the second are what views show to whoever asks for the page, and are made as the caller, so that
 * they show nothing else.  All run while names mean what they do in pg_catalog, connected to SPI.
 */
#ifndef DPS_AUDIT_REPORT_REPORT_H
#define DPS_AUDIT_REPORT_REPORT_H

#include "postgres.h"

#include "lib/stringinfo.h"

typedef struct DpsReport
{
	StringInfoData page;
	Oid			relation;
	char	   *name;			/* qualified */
	char	   *literal;		/* the name as an SQL string */
	bool		is_protected;
	bool		with_rows;		/* may it show what follows from rows? */
	int64		rows;			/* their number, of a page that may */
} DpsReport;

/* As the owner. */
extern void dps_report_declarations(DpsReport *report);
extern void dps_report_losses(DpsReport *report);
extern void dps_report_expressions(DpsReport *report);

/* As the caller: what views show. */
extern void dps_report_summary(DpsReport *report);
extern void dps_report_findings(DpsReport *report);
extern void dps_report_budgets(DpsReport *report);
extern void dps_report_burn_down(DpsReport *report);
extern void dps_report_answers(DpsReport *report);
extern void dps_report_limits(DpsReport *report);

#endif							/* DPS_AUDIT_REPORT_REPORT_H */
