/*
 * question.h
 *		Questions to the search and their answers, as bytes.
 *
 * The question holds everything that its answer follows from.  So an answer that is
 * kept with the whole question holds wherever the bytes are equal, and no change in the
 * database makes it wrong.
 */
#ifndef DPS_GLUE_ANALYSIS_QUESTION_H
#define DPS_GLUE_ANALYSIS_QUESTION_H

#include "postgres.h"

#include "bound/quantity/bound.h"
#include "lib/stringinfo.h"

typedef enum DpsQuestionKind
{
	DPS_ASK_INFIMUM,
	DPS_ASK_SUPREMUM,
	DPS_ASK_ATTRIBUTE,
	DPS_ASK_SLOPE,
	DPS_ASK_LIPSCHITZ_1,
	DPS_ASK_LIPSCHITZ_2,
	DPS_ASK_LIPSCHITZ_INFINITY,
	DPS_ASK_EVALUATION_ERROR,	/* dps_evaluation_error, as the upper end */
	DPS_ASK_PARTIAL_INFIMUM,
	DPS_ASK_PARTIAL_SUPREMUM
} DpsQuestionKind;

/* The functions of bound.h define the quantities. */
typedef struct DpsQuestion
{
	DpsQuestionKind kind;
	DpsGraph   *graph;
	const DpsNode *node;
	const DpsDomain *box;		/* an entry per column of the graph */
	const DpsPolicy *policy;	/* of a Lipschitz constant, else NULL */
	int			variable;		/* of attribute and slope, else unused */
	DpsBoundOptions options;	/* unused for the evaluation error */
} DpsQuestion;

/* Searches.  Raises an error if memory ran out or the query was cancelled. */
extern void dps_search_answer(const DpsQuestion *question, DpsBracket *bracket);

/* Appends the question. */
extern void dps_pack_question(const DpsQuestion *question, StringInfo bytes);

/* Appends the bracket; false, and nothing appended, if it may not be kept. */
extern bool dps_pack_bracket(const DpsQuestion *question, const DpsBracket *bracket, StringInfo bytes);

/*
 * The bracket that was packed for an equal question; its culprit becomes a node
 * of this question's graph.  False if the bytes are not such a bracket.
 */
extern bool dps_unpack_bracket(const DpsQuestion *question, const char *bytes, size_t length,
							   DpsBracket *bracket);

#endif							/* DPS_GLUE_ANALYSIS_QUESTION_H */
