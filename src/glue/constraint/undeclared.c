/*
 * undeclared.c
 *		Columns of which nothing is declared, and whether anything should be.
 *
 * A column without a range or values is private, which is always safe.  Labels can be read by everybody, so
 * nobody may be led to declare the values of a column that names persons: what advises owners asks here.
 * Names alone are looked at, never rows.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "fmgr.h"
#include "regex/regex.h"
#include "utils/builtins.h"

#include "glue/constraint/undeclared.h"

#define IDENTIFYING \
	"(^|_)(id|no|nr|number|code|key|uuid|guid|ssn|iban|name|firstname|lastname|surname|email|mail|phone|mobile|fax|address|street|zip|postcode|login|username|url|ip|token|note|notes|comment|comments|text|remark|remarks|description)$"

/* The name in words that "_" divides: "patientId" and "patient-id" are patient_id.  Letters beyond ASCII stay. */
static char *
divide_words(const char *name)
{
	char	   *words = palloc(2 * strlen(name) + 1);
	char	   *end = words;
	const char *c;

	for (c = name; *c != '\0'; c++)
	{
		bool		ends_word = c > name && *c >= 'A' && *c <= 'Z' && ((c[-1] >= 'a' && c[-1] <= 'z') || (c[-1] >= '0' && c[-1] <= '9'));

		if (ends_word)
			*end++ = '_';
		*end++ = *c == ' ' || *c == '-' || *c == '.' ? '_' : *c;
	}
	*end = '\0';
	return words;
}

bool
dps_looks_identifying(const char *name)
{
	return DatumGetBool(DirectFunctionCall2Coll(texticregexeq, C_COLLATION_OID, CStringGetTextDatum(divide_words(name)),
												CStringGetTextDatum(IDENTIFYING)));
}

/* The alias keeps ORDER BY to the key, whose cast would otherwise go by the same name. */
char *
dps_spell_referenced_values(const char *arguments, const char *referenced, const char *key)
{
	return psprintf("SELECT dpsens.set_values(%s, VARIADIC ARRAY(SELECT k.%s::text FROM %s k ORDER BY k.%s))",
					arguments, quote_identifier(key), referenced, quote_identifier(key));
}
