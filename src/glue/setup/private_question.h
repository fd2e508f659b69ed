/*
 * private_question.h
 *		One private answer that a suggestion is computed from.
 */
#ifndef DPS_GLUE_SETUP_PRIVATE_QUESTION_H
#define DPS_GLUE_SETUP_PRIVATE_QUESTION_H

#include "postgres.h"

#include "glue/label/annotation.h"

/* What both suggestions begin with: an error unless the relation is there and protected, and both epsilons are those of
 * answers; what is declared of it. */
extern void dps_prepare_question(Oid relation, double epsilon, double answer_epsilon, DpsRelationAnnotation *annotation);

/* The schema of the aggregates, quoted.  Within SPI. */
extern char *dps_aggregate_schema(void);

/* Sets what a question is asked by, search_path and Laplace noise; AtEOXact_GUC of what it returns ends that. */
extern int	dps_question_settings(void);

/* The scale of the noise of the answers of a statement, 0 if it has none.  Within SPI. */
extern double dps_question_noise_scale(const char *statement);

/* Asks, and hands on each row: an integer and a count that are not NULL.  Within SPI. */
extern void dps_ask_question(const char *statement, void (*take) (void *arg, int32 number, double count), void *arg);

#endif							/* DPS_GLUE_SETUP_PRIVATE_QUESTION_H */
