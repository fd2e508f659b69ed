/*
 * column_changes.h
 *		What a change of one private column does to a release.
 */
#ifndef DPS_GUARD_REWRITE_COLUMN_CHANGES_H
#define DPS_GUARD_REWRITE_COLUMN_CHANGES_H

#include "postgres.h"

#include "guard/release/release_plan.h"
#include "guard/source/protected_source.h"

/* The columns that a level reads of its relations, as the parser noted them for privileges. */
typedef struct DpsColumnReading
{
	Oid			relation;
	Bitmapset  *columns;		/* numbers of columns */
	bool		whole;			/* any of them may matter */
} DpsColumnReading;

/* That of the relation, NULL if there is none. */
extern DpsColumnReading *dps_find_reading(const List *readings, Oid relation);

/* Adds the columns in an expanded expression of one relation; sets `whole` if there may be others. */
extern void dps_read_columns(Node *expanded, DpsColumnReading *reading);

/* Do all rows of the counted relation count that the level's conditions select, each by itself? */
extern bool dps_counts_all_rows(const DpsProtectedSource *source);

/* Those of the query and of all that it holds, as a list of DpsColumnReading *.  To be called before the
 * query is rewritten. */
extern List *dps_column_readings(Query *query);

/* Sets changes of a plan's release: of the counted relation's columns with a budget those whose effect on the
 * aggregate is known. */
extern void dps_note_value_changes(const DpsReleasePlan *plan, DpsProtectedSource *source);

/* Sets replacement, and completes the changes of any release of the level: columns that are not read change nothing, and of columns of keys
 * nothing is known. */
extern void dps_note_level_changes(DpsProtectedSource *source, const List *readings, const List *keys, DpsRelease *release);

#endif							/* DPS_GUARD_REWRITE_COLUMN_CHANGES_H */
