/*
 * report_summary.c
 *		The page in sentences: what is promised, who may ask, what is spent and left, what was found.
 *
 * Every sentence is made from views that the caller could read, as the caller.
 */
#include "postgres.h"

#include "audit/report/report.h"
#include "plot/html.h"

/* What neighbouring tables are, definitions, section 2. */
static void
report_promise(DpsReport *report)
{
	dps_html_list(&report->page, "What is promised",
				  psprintf("SELECT v.sentence FROM dpsens.relations r CROSS JOIN LATERAL (VALUES"
						   " (1, CASE WHEN r.unit IS NULL THEN 'Each row stands for one person.' ELSE 'The rows with the same value' || CASE WHEN pg_catalog.strpos(r.unit, ', ') OPERATOR(pg_catalog.>) 0 THEN 's of columns ' ELSE ' of column ' END || r.unit || ' are one person.' END"
						   " || CASE r.adjacency WHEN 'add_remove' THEN ' Answers hardly depend on whether a person is in the table at all'"
						   " WHEN 'replace' THEN ' Answers hardly depend on what the rows of a person say: any others that the declarations admit could be in their place'"
						   " WHEN 'attribute' THEN ' Answers hardly depend on what one private column of a row says: any other value that the declarations admit could be in its place'"
						   " ELSE ' Answers hardly depend on whether a row is moved a little: what is promised is of a distance of one between its private columns, and twice as much of twice that' END"
						   " || ' (adjacency ' || r.adjacency || '). Each answer has noise, and is at most e^epsilon times as likely as it would be otherwise; where a delta is named, but for cases of that probability.'),"
						   " (2, CASE WHEN cardinality(r.analysts) = 0 THEN 'No role has a budget of its own.' ELSE 'Who may ask: ' || array_to_string(r.analysts, ', ') || '.' END),"
						   " (3, CASE WHEN cardinality(r.readers) > 0 THEN 'Who was granted SELECT on the table or a column of it: ' || array_to_string(r.readers, ', ')"
						   " || '. Such a role reads rows without noise, whatever this page says of answers.' END),"
						   " (4, CASE WHEN cardinality(r.auditors) > 0 THEN 'Who audits it beside its owner: ' || array_to_string(r.auditors, ', ') || '.' END),"
						   " (5, CASE WHEN r.row_epsilon IS NOT NULL OR r.row_rho IS NOT NULL THEN 'No person loses more than '"
						   " || concat_ws(', ', 'epsilon = ' || r.row_epsilon, 'rho = ' || r.row_rho) || ': whoever has lost so much takes no further part.' END)"
						   ") v (place, sentence) WHERE r.relation = %u AND v.sentence IS NOT NULL ORDER BY v.place", report->relation), NULL);
}

/* One sentence a budget: what it caps, what it allows, what is spent of it and left. */
static void
report_caps(DpsReport *report)
{
	dps_html_list(&report->page, "What all answers together may cost one person",
				  psprintf("WITH b AS MATERIALIZED (SELECT * FROM dpsens.budgets WHERE relation = %u)"
						   " SELECT v.sentence FROM (SELECT CASE WHEN b.role IS NOT NULL THEN 1 WHEN b.column_name IS NOT NULL THEN 2 WHEN b.entity THEN 3 ELSE 0 END AS place, b.left_percent,"
						   " CASE WHEN b.role IS NOT NULL THEN 'What ' || b.role || ' is told' || CASE WHEN b.entity THEN ' by all relations about the same persons together' ELSE '' END || ' costs' WHEN b.column_name IS NOT NULL THEN 'What all answers together tell of column ' || b.column_name || ' costs'"
						   " WHEN b.entity THEN 'What all relations about the same persons tell together costs' ELSE 'What all answers together tell, to whomever, costs' END"
						   " || ' one person at most ' || CASE WHEN b.rho IS NOT NULL THEN 'rho = ' || b.rho ELSE 'epsilon = ' || b.epsilon END"
						   " || CASE WHEN b.delta > 0 THEN ', delta = ' || b.delta ELSE '' END"
						   " || CASE WHEN b.refresh IS NOT NULL THEN ' in each period of ' || b.refresh ELSE '' END"
						   " || '. Spent by ' || b.charges || CASE b.charges WHEN 1 THEN ' charge: ' ELSE ' charges: ' END || CASE WHEN b.rho IS NOT NULL THEN 'rho = ' || b.spent_rho"
						   " ELSE CASE WHEN b.spent_epsilon < 'Infinity' THEN 'epsilon = ' || b.spent_epsilon ELSE 'rho = ' || b.spent_rho END END"
						   " || CASE WHEN b.spent_delta > 0 THEN ', delta = ' || b.spent_delta ELSE '' END || '; left: ' || b.left_percent || ' %%.' AS sentence FROM b"
						   " UNION ALL SELECT 0, 0, 'No budget limits what all roles together are told.'"
						   " WHERE NOT EXISTS (SELECT FROM b WHERE b.role IS NULL AND b.column_name IS NULL AND NOT b.entity)"
						   ") v ORDER BY v.place, v.left_percent, v.sentence LIMIT 50", report->relation), NULL);
}

static void
report_history(DpsReport *report)
{
	dps_html_list(&report->page, "What was asked so far",
				  psprintf("SELECT CASE WHEN count(*) = 0 THEN 'Nothing was asked so far.' ELSE sum(s.answers) || ' answers to ' || sum(s.statements) || ' statements so far, from ' || min(s.day) || ' to ' || max(s.day)"
						   " || '; ' || sum(s.refusals) || ' statements were refused.' END FROM dpsens.stat s WHERE s.relation = %s", report->literal), NULL);
	dps_html_try(&report->page, dps_html_list, "What it has cost so far",
				 psprintf("SELECT 'However questions were chosen, all answers so far have cost one person at most epsilon = ' || CASE WHEN o.epsilon < 'Infinity'"
						  " THEN trim_scale(ceil(o.epsilon::numeric * 1e9) / 1e9)::text ELSE 'Infinity' END || ', delta = ' || o.at_delta || '.' FROM dpsens.odometer(%u) o", report->relation), NULL);
}

/* Roles that have a budget here, or on an entity of the relation's, are looked at, whatever the finding is about.  Takes
 * the relation twice. */
#define FINDINGS \
	"(SELECT r.rolname AS role, f.finding, f.severity, f.object, f.hint, f.place FROM pg_roles r" \
	" CROSS JOIN LATERAL dpsens.check_security(r.oid::regrole) WITH ORDINALITY f (finding, severity, object, hint, place)" \
	" WHERE r.rolname IN (SELECT b.role FROM dpsens.budgets b WHERE b.relation = %u" \
	" OR b.entity AND b.relation IN (SELECT e.entity FROM dpsens.entities e WHERE e.relation = %u)))"

static void
report_warnings(DpsReport *report)
{
	dps_html_try(&report->page, dps_html_list, "What was found",
				 psprintf("SELECT CASE WHEN count(*) = 0 THEN 'dpsens.check_security found no way around the guard for the roles that have a budget here, which is no proof.'"
						  " ELSE 'dpsens.check_security found, of the roles that have a budget here: ' || count(*) FILTER (WHERE f.severity = 'critical') || ' critical, '"
						  " || count(*) FILTER (WHERE f.severity = 'warning') || ' warnings, ' || count(*) FILTER (WHERE f.severity = 'notice') || ' notices.' END"
						  " FROM " FINDINGS " f", report->relation, report->relation), NULL);
	dps_html_list(&report->page, "What to look at",
				  psprintf("SELECT 'To look at: ' || w || '.' FROM dpsens.relations r CROSS JOIN LATERAL unnest(r.warnings) w WHERE r.relation = %u", report->relation), NULL);
}

void
dps_report_summary(DpsReport *report)
{
	if (!report->is_protected)
	{
		dps_html_paragraph(&report->page, "This table is not protected: dpsens.protect has not been called for it.");
		return;
	}
	report_promise(report);
	report_caps(report);
	report_history(report);
	report_warnings(report);
}

void
dps_report_findings(DpsReport *report)
{
	dps_html_try(&report->page, dps_html_table, "What would let roles that have a budget here around the guard, in this database",
				 psprintf("SELECT f.role, f.severity, f.finding, f.object, f.hint AS \"what to do\" FROM " FINDINGS " f"
						  " ORDER BY CASE f.severity WHEN 'critical' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END, f.role, f.place", report->relation, report->relation),
				 "Nothing was found, which is no proof.");
	dps_html_paragraph(&report->page, "Settings that only superusers see are judged only if a superuser makes this page.");
}
