/*
 * mathml.h
 *		Printed LaTeX as MathML, which browsers typeset without a script.
 */
#ifndef DPS_EXPR_PRINT_MATHML_H
#define DPS_EXPR_PRINT_MATHML_H

#include "expr/expr.h"

/*
 * Appends an element math of what dps_print_latex or dps_print_parts made.  Names are
 * escaped; bytes beyond ASCII are left as they are, all else is ASCII.  DPS_UNABLE, and
 * a text that is not to be used, for what these do not print.
 */
extern DPS_MUST_USE DpsStatus dps_latex_to_mathml(const char *latex, DpsText *text);

#endif							/* DPS_EXPR_PRINT_MATHML_H */
