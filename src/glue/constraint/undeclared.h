/*
 * undeclared.h
 *		Columns of which nothing is declared, and whether anything should be.
 */
#ifndef DPS_GLUE_CONSTRAINT_UNDECLARED_H
#define DPS_GLUE_CONSTRAINT_UNDECLARED_H

#include "postgres.h"

/* Does the name look like that of a column which tells persons apart, or holds what people write? */
extern bool dps_looks_identifying(const char *name);

/* The statement that declares the keys of a relation to be the values of a column which refers to it, without a
 * semicolon; `arguments` are the column's for dpsens.set_values, `referenced` is the relation's quoted name. */
extern char *dps_spell_referenced_values(const char *arguments, const char *referenced, const char *key);

#endif							/* DPS_GLUE_CONSTRAINT_UNDECLARED_H */
