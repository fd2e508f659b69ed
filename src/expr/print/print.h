/*
 * print.h
 *		What the two ways of printing share: print.c, which writes out every use of
 *		a node, and print_parts.c, which gives a name to what is used often.
 */
#ifndef DPS_EXPR_PRINT_PRINT_H
#define DPS_EXPR_PRINT_PRINT_H

#include "expr/expr.h"

/* Texts that are longer are given up. */
#define DPS_MAX_TEXT ((size_t) 256 * 1024)

/* Names of nodes: s1, s2 and so on. */
typedef struct DpsNames
{
	const char *prefix;			/* in SQL: "s", or longer where a variable has such a
								 * name */
	uint32_t   *number;			/* of each node, by id; 0 without a name */
	uint32_t   *group;			/* of each number, from 1: what names are defined
								 * together */
	bool	   *used;			/* by group: set when a name of it is printed */
} DpsNames;

/* Appends the node: what it is made of, by names where it has parts that have
 * one, and its own name only if own_name. */
extern DPS_MUST_USE DpsStatus dps_print_named(const DpsGraph *graph, const DpsNode *node, const DpsNames *names,
											  bool own_name, bool latex, DpsText *text);

#endif							/* DPS_EXPR_PRINT_PRINT_H */
