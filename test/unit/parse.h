/*
 * parse.h
 *		Expressions as the tests write them: a small part of the server's
 *		grammar, with its precedence and its types.
 *
 * Unary minus binds tighter than ^, which is left-associative; a division of
 * integers truncates; literals with a point are numeric.
 */
#ifndef DPS_TEST_PARSE_H
#define DPS_TEST_PARSE_H

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "expr/expr.h"

typedef struct Parser
{
	DpsGraph   *graph;
	const char *at;
	bool		failed;
} Parser;

static const DpsNode *parse_disjunction(Parser *p);

static inline void
parse_space(Parser *p)
{
	while (isspace((unsigned char) *p->at))
		p->at++;
}

static inline bool
parse_symbol(Parser *p, const char *symbol)
{
	size_t		n = strlen(symbol);

	parse_space(p);
	if (strncmp(p->at, symbol, n) != 0)
		return false;
	p->at += n;
	return true;
}

static inline bool
parse_keyword(Parser *p, const char *word)
{
	size_t		n = strlen(word);

	parse_space(p);
	if (strncasecmp(p->at, word, n) != 0 || isalnum((unsigned char) p->at[n]) || p->at[n] == '_')
		return false;
	p->at += n;
	return true;
}

static inline const DpsNode *
parse_fail(Parser *p)
{
	p->failed = true;
	return NULL;
}

static inline const DpsNode *
parse_as(Parser *p, const DpsNode *node, DpsType type)
{
	if (node == NULL || node->type == type)
		return node;
	return type == DPS_FLOAT8 ? dps_as_float8(p->graph, node) :
		dps_apply(p->graph, DPS_OP_CAST, type, node, NULL);
}

static inline DpsType
parse_common(const DpsNode *x, const DpsNode *y)
{
	return x->type > y->type ? x->type : y->type;
}

static inline const DpsNode *
parse_binary(Parser *p, DpsOpcode op, const DpsNode *x, const DpsNode *y)
{
	DpsType		type;

	if (x == NULL || y == NULL)
		return parse_fail(p);
	type = parse_common(x, y);
	if (op == DPS_OP_POW && type != DPS_NUMERIC)
		type = DPS_FLOAT8;
	if (op == DPS_OP_DIV && dps_type_is_integer(type))
		op = DPS_OP_INT_DIV;
	return dps_apply(p->graph, op, type, parse_as(p, x, type), parse_as(p, y, type));
}

static inline const DpsNode *
parse_compare(Parser *p, DpsOpcode op, const DpsNode *x, const DpsNode *y)
{
	DpsType		type;

	if (x == NULL || y == NULL)
		return parse_fail(p);
	type = parse_common(x, y);
	return dps_apply(p->graph, op, DPS_BOOL, parse_as(p, x, type), parse_as(p, y, type));
}

static inline const DpsNode *
parse_number(Parser *p)
{
	char	   *end;
	double		value = strtod(p->at, &end);
	bool		integer = true;
	const char *c;

	for (c = p->at; c < end; c++)
		integer = integer && isdigit((unsigned char) *c);
	p->at = end;
	return dps_constant(p->graph, integer ? DPS_INT4 : DPS_NUMERIC, value);
}

/* CASE has been read. */
static inline const DpsNode *
parse_case(Parser *p)
{
	const DpsNode *condition;
	const DpsNode *yes;
	const DpsNode *no;
	DpsType		type;

	if (!parse_keyword(p, "when"))
		return parse_fail(p);
	condition = parse_disjunction(p);
	if (!parse_keyword(p, "then"))
		return parse_fail(p);
	yes = parse_disjunction(p);
	parse_space(p);
	if (strncasecmp(p->at, "when", 4) == 0)
		no = parse_case(p);
	else
	{
		no = parse_keyword(p, "else") ? parse_disjunction(p) :
			dps_constant(p->graph, yes == NULL ? DPS_FLOAT8 : (DpsType) yes->type, (double) NAN);
		if (!parse_keyword(p, "end"))
			return parse_fail(p);
	}
	if (condition == NULL || yes == NULL || no == NULL)
		return parse_fail(p);
	type = parse_common(yes, no);
	return dps_choose(p->graph, condition, parse_as(p, yes, type), parse_as(p, no, type));
}

static const struct
{
	const char *name;
	DpsOpcode	op;
	int			arity;
	bool		keeps_type;
}			parse_functions[] =
{
	{"exp", DPS_OP_EXP, 1, false},
	{"ln", DPS_OP_LN, 1, false},
	{"log", DPS_OP_LOG10, 1, false},
	{"sqrt", DPS_OP_SQRT, 1, false},
	{"cbrt", DPS_OP_CBRT, 1, false},
	{"abs", DPS_OP_ABS, 1, true},
	{"erf", DPS_OP_ERF, 1, false},
	{"sign", DPS_OP_SIGN, 1, false},
	{"sin", DPS_OP_SIN, 1, false},
	{"asin", DPS_OP_ASIN, 1, false},
	{"cos", DPS_OP_COS, 1, false},
	{"acos", DPS_OP_ACOS, 1, false},
	{"tan", DPS_OP_TAN, 1, false},
	{"atan", DPS_OP_ATAN, 1, false},
	{"cosh", DPS_OP_COSH, 1, false},
	{"tanh", DPS_OP_TANH, 1, false},
	{"floor", DPS_OP_FLOOR, 1, false},
	{"atan2", DPS_OP_ATAN2, 2, false},
	{"power", DPS_OP_POW, 2, false},
	{"greatest", DPS_OP_GREATEST, 2, true},
	{"least", DPS_OP_LEAST, 2, true},
	{"coalesce", DPS_OP_COALESCE, 2, true},
};

/* A function's arguments in parentheses. */
static inline const DpsNode *
parse_call(Parser *p, DpsOpcode op, int arity, bool keeps_type)
{
	const DpsNode *x;
	const DpsNode *y = NULL;

	if (!parse_symbol(p, "("))
		return parse_fail(p);
	x = parse_disjunction(p);
	if (arity == 2)
		y = parse_symbol(p, ",") ? parse_disjunction(p) : NULL;
	if (!parse_symbol(p, ")") || x == NULL || (arity == 2 && y == NULL))
		return parse_fail(p);
	if (arity == 2 && keeps_type)
		return parse_binary(p, op, x, y);
	if (keeps_type)
		return dps_apply(p->graph, op, x->type, x, NULL);
	return dps_apply(p->graph, op, DPS_FLOAT8, parse_as(p, x, DPS_FLOAT8), parse_as(p, y, DPS_FLOAT8));
}

static inline const DpsNode *
parse_name(Parser *p)
{
	size_t		i;
	int			j;

	for (j = 0; j < p->graph->nvariables; j++)
		if (parse_keyword(p, p->graph->variables[j].name))
			return dps_variable(p->graph, j);
	if (parse_keyword(p, "case"))
		return parse_case(p);
	if (parse_keyword(p, "null"))
		return dps_constant(p->graph, DPS_INT4, (double) NAN);
	if (parse_keyword(p, "pi"))
		return parse_symbol(p, "(") && parse_symbol(p, ")") ?
			dps_constant(p->graph, DPS_FLOAT8, M_PI) : parse_fail(p);
	for (i = 0; i < sizeof(parse_functions) / sizeof(parse_functions[0]); i++)
		if (parse_keyword(p, parse_functions[i].name))
			return parse_call(p, parse_functions[i].op, parse_functions[i].arity, parse_functions[i].keeps_type);
	return parse_fail(p);
}

static inline const DpsNode *
parse_unary(Parser *p)
{
	const DpsNode *x;

	if (parse_symbol(p, "-"))
	{
		x = parse_unary(p);
		return x == NULL ? NULL : dps_apply(p->graph, DPS_OP_NEG, x->type, x, NULL);
	}
	if (parse_symbol(p, "("))
	{
		x = parse_disjunction(p);
		return parse_symbol(p, ")") ? x : parse_fail(p);
	}
	return isdigit((unsigned char) *p->at) ? parse_number(p) : parse_name(p);
}

static inline const DpsNode *
parse_power(Parser *p)
{
	const DpsNode *x = parse_unary(p);

	while (!p->failed && parse_symbol(p, "^"))
		x = parse_binary(p, DPS_OP_POW, x, parse_unary(p));
	return x;
}

static inline const DpsNode *
parse_product(Parser *p)
{
	const DpsNode *x = parse_power(p);

	while (!p->failed)
	{
		if (parse_symbol(p, "*"))
			x = parse_binary(p, DPS_OP_MUL, x, parse_power(p));
		else if (parse_symbol(p, "/"))
			x = parse_binary(p, DPS_OP_DIV, x, parse_power(p));
		else
			break;
	}
	return x;
}

static inline const DpsNode *
parse_sum(Parser *p)
{
	const DpsNode *x = parse_product(p);

	while (!p->failed)
	{
		if (parse_symbol(p, "+"))
			x = parse_binary(p, DPS_OP_ADD, x, parse_product(p));
		else if (parse_symbol(p, "-"))
			x = parse_binary(p, DPS_OP_SUB, x, parse_product(p));
		else
			break;
	}
	return x;
}

static inline const DpsNode *
parse_comparison(Parser *p)
{
	static const struct
	{
		const char *symbol;
		DpsOpcode	op;
	}			comparisons[] = {{"<=", DPS_OP_LE}, {">=", DPS_OP_GE}, {"<>", DPS_OP_NE},
	{"=", DPS_OP_EQ}, {"<", DPS_OP_LT}, {">", DPS_OP_GT}};
	const DpsNode *x = parse_sum(p);
	int			i;

	for (i = 0; i < 6 && !p->failed; i++)
		if (parse_symbol(p, comparisons[i].symbol))
			return parse_compare(p, comparisons[i].op, x, parse_sum(p));
	if (!p->failed && parse_keyword(p, "is"))
		return parse_keyword(p, "null") ? dps_apply(p->graph, DPS_OP_IS_NULL, DPS_BOOL, x, NULL) : parse_fail(p);
	return x;
}

static const DpsNode *
parse_disjunction(Parser *p)
{
	const DpsNode *x = parse_comparison(p);

	while (!p->failed)
	{
		if (parse_keyword(p, "and"))
			x = parse_compare(p, DPS_OP_AND, x, parse_comparison(p));
		else if (parse_keyword(p, "or"))
			x = parse_compare(p, DPS_OP_OR, x, parse_comparison(p));
		else
			break;
	}
	return x;
}

/* The expression over the graph's variables, or NULL if it cannot be read. */
static inline const DpsNode *
parse_expression(DpsGraph *graph, const char *sql)
{
	Parser		p = {graph, sql, false};
	const DpsNode *node = parse_disjunction(&p);

	parse_space(&p);
	return p.failed || *p.at != '\0' ? NULL : node;
}

#endif							/* DPS_TEST_PARSE_H */
