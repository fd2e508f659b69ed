/*
 * pattern.h
 *		Patterns that a condition matches cells against.
 */
#ifndef DPS_GUARD_CONDITION_PATTERN_H
#define DPS_GUARD_CONDITION_PATTERN_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* How a function takes its second argument; a part of plans. */
typedef enum DpsPatternKind
{
	DPS_NO_PATTERN,
	DPS_LIKE_PATTERN,			/* LIKE: never fails if its pattern is sound */
	DPS_FOLDED_PATTERN,			/* ILIKE: folds its arguments first */
	DPS_REGEX_PATTERN,
	DPS_FOLDED_REGEX_PATTERN	/* case does not matter */
} DpsPatternKind;

/* name: pg_proc.prosrc, or NULL. */
extern DpsPatternKind dps_pattern_kind(const char *name);

/*
 * Does matching the pattern take memory and stack in proportion to the pattern, and time in proportion to
 * the cell, and never fail?  Raises an error if the server refuses the regular expression.
 */
extern bool dps_is_sound_pattern(DpsPatternKind kind, struct varlena *pattern, Oid collation);

/*
 * For patterns whose value is known only when the statement runs: the call
 * dpsens_internal.exact_pattern(pattern, kind), which raises an error if the pattern is not sound.  The
 * pattern must be of type text.
 */
extern FuncExpr *dps_pattern_check(DpsPatternKind kind, Node *pattern, Oid collation);
extern Oid	dps_pattern_check_function(void);

#endif							/* DPS_GUARD_CONDITION_PATTERN_H */
