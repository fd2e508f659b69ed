/*
 * private_question.c
 *		One private answer that a suggestion is computed from.
 *
 * It is a statement that the caller could send as well, and is sent with the caller's rights: looked at, charged and
 * noised like any other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "glue/setup/private_question.h"

static void
check_epsilon(const char *name, double epsilon)
{
	if (!(epsilon >= 0x1p-20 && epsilon <= 64))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 2^-20, and at most 64", name),
				 errhint("epsilon is spent; answer_epsilon is that of the answers which the suggestion is for, of which nothing is spent.")));
}

void
dps_prepare_question(Oid relation, double epsilon, double answer_epsilon, DpsRelationAnnotation *annotation)
{
	check_epsilon("epsilon", epsilon);
	check_epsilon("answer_epsilon", answer_epsilon);
	if (get_rel_name(relation) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	dps_get_protected_annotation(relation, annotation);
}

char *
dps_aggregate_schema(void)
{
	if (SPI_execute("SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace WHERE e.extname OPERATOR(pg_catalog.=) 'dpsens'::pg_catalog.name",
					true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not find the extension's schema");
	return pstrdup(quote_identifier(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1)));
}

int
dps_question_settings(void)
{
	int			nest_level = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("dpsens.mechanism", "laplace", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return nest_level;
}

double
dps_question_noise_scale(const char *statement)
{
	char	   *query = psprintf("SELECT noise_scale FROM dpsens.explain(%s)", quote_literal_cstr(statement));
	bool		isnull;
	Datum		scale;

	if (SPI_execute(query, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not execute: %s", query);
	scale = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	return isnull ? 0 : DatumGetFloat8(scale);
}

void
dps_ask_question(const char *statement, void (*take) (void *arg, int32 number, double count), void *arg)
{
	uint64		row;

	if (SPI_execute(statement, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not execute: %s", statement);
	for (row = 0; row < SPI_processed; row++)
	{
		bool		no_number;
		bool		no_count;
		int32		number = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &no_number));
		Datum		count = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2, &no_count);

		if (!no_number && !no_count)
			take(arg, number, (double) DatumGetInt64(count));
	}
}
