/*
 * arc.h
 *		Angles on a sphere: arcs of which an expression is the sine or cosine.
 */
#ifndef DPS_BOUND_QUANTITY_ARC_H
#define DPS_BOUND_QUANTITY_ARC_H

#include "expr/expr.h"

#define DPS_MAX_ANGLES 6

/*
 * root = asin(u) or acos(u), for u made of sines and cosines of the angles as in arc.c, and with
 * angle_k as functions of the columns
 *
 *		d root = sum_k v_k d angle_k	with |v_k| <= least_k, and v_a^2 + (v_h / greatest_h)^2 <= 1
 *										for each latitude a and each longitude h
 */
typedef struct DpsArc
{
	const DpsNode *root;		/* NULL if there is none */
	int			nangles;
	const DpsNode *angle[DPS_MAX_ANGLES];
	bool		longitude[DPS_MAX_ANGLES];
	const DpsNode *least[DPS_MAX_ANGLES];	/* 1 for latitudes */
	const DpsNode *greatest[DPS_MAX_ANGLES];
} DpsArc;

/* The first one below the node. */
extern DPS_MUST_USE DpsStatus dps_find_arc(DpsGraph *graph, const DpsNode *node, DpsArc *arc);

#endif							/* DPS_BOUND_QUANTITY_ARC_H */
