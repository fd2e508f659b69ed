/*
 * report_ledger.c
 *		Budgets, answers and limits, as views show them to whoever asks for the page.
 */
#include "postgres.h"

#include "audit/report/report.h"
#include "plot/html.h"

#define MAX_QUESTIONS 200

/* A budget of an entity is shown of the table that has it, and of those that share it to who may see it there. */
void
dps_report_budgets(DpsReport *report)
{
	dps_report_burn_down(report);
	dps_html_table(&report->page, "Budgets, what is spent of them, and until when they last at the rate of the last four weeks",
				   psprintf("SELECT CASE WHEN b.entity THEN concat(b.role || ': ', 'a person of ', b.relation, ', by all relations') ELSE COALESCE(b.role::text, 'column ' || b.column_name, 'everybody together') END AS \"budget of\","
							" b.epsilon AS \"exact: epsilon\", b.delta AS \"exact: delta\", b.rho AS \"exact: rho\", b.refresh AS \"anew each\", b.spent_epsilon AS \"exact: spent epsilon\","
							" b.spent_rho AS \"exact: spent rho\", b.spent_delta AS \"exact: spent delta\", b.left_percent AS \"exact: left, %%\", b.charges, f.until::date AS \"lasts until\","
							" b.granted_by AS \"granted by\", b.granted_at::date AS \"on\""
							" FROM dpsens.budgets b LEFT JOIN dpsens.forecast f ON (f.relation, f.entity) = (b.relation, b.entity)"
							" AND f.role IS NOT DISTINCT FROM b.role AND f.column_name IS NOT DISTINCT FROM b.column_name"
							" WHERE b.relation = %u OR b.entity AND b.relation IN (SELECT e.entity FROM dpsens.entities e WHERE e.relation = %u)"
							" ORDER BY b.role IS NOT NULL, b.column_name IS NOT NULL, b.entity, 1", report->relation, report->relation),
				   "No budgets: answers are recorded, and not limited.");
	dps_html_list(&report->page, "Relations about the same persons",
				  psprintf("SELECT 'The budget of a person of ' || e.entity || ' is charged for answers about this table, too'"
						   " || CASE WHEN EXISTS (SELECT FROM dpsens.budgets b WHERE b.relation = e.entity AND b.entity) THEN '.' ELSE ', and is shown to owner and auditors of that relation.' END"
						   " || COALESCE(' There are no answers: ' || e.refused || '.', '')"
						   " FROM dpsens.entities e WHERE e.relation = %u AND e.entity <> %u ORDER BY e.entity::text", report->relation, report->relation), NULL);
	dps_html_paragraph(&report->page, "Left is the share of all that a budget counts that no answer has taken, rounded down: of a budget of epsilon alone, or of rho, that; of one of epsilon and delta the larger of what is left in the two ways in which it admits answers.");
}

static void
report_analysts(DpsReport *report)
{
	dps_html_table(&report->page, "Answers by who asked",
				   psprintf("SELECT s.role, sum(s.statements)::bigint AS statements, sum(s.answers)::bigint AS answers, sum(s.refusals)::bigint AS refused,"
							" trim_scale(sum(s.epsilon::numeric)) AS \"charged epsilon\", trim_scale(sum(s.rho::numeric)) AS \"charged rho\", trim_scale(sum(s.delta::numeric)) AS \"charged delta\","
							" min(s.day) AS \"first day\", max(s.day) AS \"last day\""
							" FROM dpsens.stat s WHERE s.relation = %s GROUP BY s.role ORDER BY s.role", report->literal), "Nothing was asked so far.");
}

/* A question is what was computed, whatever rows were asked about. */
static void
report_questions(DpsReport *report)
{
	dps_html_table(&report->page, psprintf("Answers by who asked what, the dearest %d", MAX_QUESTIONS),
				   psprintf("SELECT r.role, r.expression AS \"code: question\", count(*) AS answers, count(DISTINCT r.query) AS \"different statements\","
							" string_agg(DISTINCT r.mechanism, ', ' ORDER BY r.mechanism) AS mechanisms,"
							" CASE WHEN min(r.epsilon) = max(r.epsilon) THEN min(r.epsilon)::text ELSE min(r.epsilon) || ' to ' || max(r.epsilon) END AS \"epsilon of one\","
							" trim_scale(sum(r.charge_epsilon::numeric)) AS \"charged epsilon\", trim_scale(sum(r.charge_rho::numeric)) AS \"charged rho\","
							" (min(r.released_at) AT TIME ZONE 'UTC')::date AS \"first day\", (max(r.released_at) AT TIME ZONE 'UTC')::date AS \"last day\","
							" substr((array_agg(r.query ORDER BY r.release DESC))[1], 1, 400) AS \"code: last statement\""
							" FROM dpsens.releases r WHERE r.relation = %s GROUP BY r.role, r.expression"
							" ORDER BY sum(r.charge_rho) DESC, r.role, r.expression LIMIT %d", report->literal, MAX_QUESTIONS), NULL);
}

void
dps_report_answers(DpsReport *report)
{
	report_analysts(report);
	report_questions(report);
	dps_html_paragraph(&report->page,
					   "What was charged is an (epsilon, delta) guarantee only for budgets that were set beforehand, or if these queries had been fixed in advance. Days are those of UTC. Each answer by itself is in view dpsens.releases.");
}

void
dps_report_limits(DpsReport *report)
{
	dps_html_list(&report->page, "Limits of rows",
				  psprintf("SELECT v.sentence FROM dpsens.relations r CROSS JOIN LATERAL (VALUES"
						   " (1, CASE WHEN r.one_row THEN 'A person has at most one row, by declared keys.' END),"
						   " (2, 'At most ' || r.max_rows || ' rows of a person count in an answer.'),"
						   " (3, 'At most ' || r.max_rows_per_group || ' rows of a person count in a group of an answer.'),"
						   " (4, 'A person counts in at most ' || r.max_groups || ' groups of an answer.'),"
						   " (5, CASE WHEN r.group_size > 1 THEN 'What is promised, and what is charged, is for any ' || r.group_size || ' persons together.' END)) v (place, sentence)"
						   " WHERE r.relation = %u AND v.sentence IS NOT NULL ORDER BY v.place", report->relation), NULL);
	dps_html_table(&report->page, "What one answer, and one statement, may be asked with",
				   psprintf("SELECT COALESCE(p.role::text, 'everybody') || CASE WHEN p.entity THEN ', about persons of ' || p.relation ELSE '' END AS \"who asks\","
							" COALESCE(NULLIF(p.epsilon, 'Infinity')::text, 'no limit') AS \"epsilon of an answer\", COALESCE(NULLIF(p.delta, 'Infinity')::text, 'no limit') AS \"delta of an answer\","
							" COALESCE(NULLIF(p.statement_epsilon, 'Infinity')::text, 'no limit') AS \"epsilon of a statement\", COALESCE(NULLIF(p.statement_delta, 'Infinity')::text, 'no limit') AS \"delta of a statement\","
							" COALESCE(array_to_string(p.mechanisms, ', '), 'all') AS mechanisms, COALESCE('from ' || p.min_units || ' units on', 'no limit') AS \"undeclared groups\","
							" COALESCE(p.default_epsilon::text, '-') AS \"epsilon of who names none\", p.overrides AS \"in place of the table's\""
							" FROM dpsens.policies p WHERE (p.relation = %u OR p.entity AND p.relation IN (SELECT e.entity FROM dpsens.entities e WHERE e.relation = %u))"
							" AND (LEAST(p.epsilon, p.delta, p.statement_epsilon, p.statement_delta) < 'Infinity' OR p.overrides"
							" OR COALESCE(p.mechanisms::text, p.min_units::text, p.default_epsilon::text) IS NOT NULL)"
							" ORDER BY p.role NULLS FIRST, p.entity", report->relation, report->relation), "No policies: an answer may be asked with whatever its budget allows.");
}
