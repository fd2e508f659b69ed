/*
 * read.h
 *		A reader of the printer's SQL by the server's rules: its precedence, its
 *		types of literals, its choice among overloaded operators and functions.
 *
 * What the server refuses for its types, it cannot read either.
 */
#ifndef DPS_TEST_READ_H
#define DPS_TEST_READ_H

#include <ctype.h>

#include "generate.h"

typedef struct Reader
{
	DpsGraph   *graph;
	const char *at;
	bool		failed;
} Reader;

static const DpsNode *read_binary(Reader *r, int level);

static inline const DpsNode *
read_fail(Reader *r)
{
	r->failed = true;
	return NULL;
}

static inline bool
read_token(Reader *r, const char *token)
{
	size_t		n = strlen(token);
	bool		word = isalpha((unsigned char) token[0]);

	while (*r->at == ' ')
		r->at++;
	if (strncmp(r->at, token, n) != 0 || (word && (isalnum((unsigned char) r->at[n]) || r->at[n] == '_')))
		return false;
	r->at += n;
	return true;
}

/* A cast as the import makes it: one that rounds says so. */
static inline const DpsNode *
read_cast(Reader *r, const DpsNode *x, DpsType type)
{
	if (x == NULL || x->type == type)
		return x;
	if (x->type == DPS_BOOL || type == DPS_BOOL)
		return read_fail(r);
	if (dps_type_is_integer(type) && x->type == DPS_FLOAT4)
		x = dps_as_float8(r->graph, x);
	if (dps_type_is_integer(type) && x != NULL && x->type >= DPS_NUMERIC)
		x = dps_apply(r->graph, x->type == DPS_NUMERIC ? DPS_OP_ROUND : DPS_OP_RINT, x->type, x, NULL);
	return dps_apply(r->graph, DPS_OP_CAST, type, x, NULL);
}

/* The type of an operator's operands; real has operators with real and double
 * precision only. */
static inline DpsType
read_operand_type(const DpsNode *x, const DpsNode *y)
{
	if (x->type != y->type && (x->type == DPS_FLOAT4 || y->type == DPS_FLOAT4))
		return DPS_FLOAT8;
	return x->type > y->type ? x->type : y->type;
}

static inline const DpsNode *
read_apply(Reader *r, DpsOpcode op, const DpsNode *x, const DpsNode *y)
{
	DpsType		type;

	if (x == NULL || y == NULL || (x->type == DPS_BOOL) != (y->type == DPS_BOOL) ||
		(x->type != DPS_BOOL ? (dps_ops[op].flags & DPS_NULL_LOGIC) != 0 : !(dps_ops[op].flags & DPS_LOGICAL)))
		return read_fail(r);
	type = read_operand_type(x, y);
	if (op == DPS_OP_MOD && type > DPS_NUMERIC)
		return read_fail(r);
	if (op == DPS_OP_POW && type != DPS_NUMERIC)
		type = DPS_FLOAT8;
	if (op == DPS_OP_DIV && dps_type_is_integer(type))
		op = DPS_OP_INT_DIV;
	return dps_apply(r->graph, op, dps_ops[op].flags & DPS_LOGICAL ? DPS_BOOL : type,
					 read_cast(r, x, type), read_cast(r, y, type));
}

/* CASE, coalesce, greatest and least take the type that the others become
 * implicitly. */
static inline DpsType
read_common_type(const DpsNode *x, const DpsNode *y)
{
	return x->type > y->type ? x->type : y->type;
}

static inline const DpsNode *
read_case(Reader *r)
{
	const DpsNode *condition = read_token(r, "WHEN") ? read_binary(r, 0) : read_fail(r);
	const DpsNode *yes = read_token(r, "THEN") ? read_binary(r, 0) : read_fail(r);
	const DpsNode *no = NULL;
	DpsType		type;

	/* what reads a token skips the space before it, found or not */
	if (!r->failed && strncmp(r->at, "WHEN", 4) == 0)
		no = read_case(r);
	else
	{
		no = read_token(r, "ELSE") ? read_binary(r, 0) : read_fail(r);
		if (!read_token(r, "END"))
			return read_fail(r);
	}
	if (condition == NULL || yes == NULL || no == NULL || condition->type != DPS_BOOL)
		return read_fail(r);
	type = read_common_type(yes, no);
	return dps_choose(r->graph, condition, read_cast(r, yes, type), read_cast(r, no, type));
}

static inline const DpsNode *
read_literal(Reader *r)
{
	char	   *end;
	double		value = strtod(r->at, &end);
	size_t		n = strcspn(r->at, ".e");
	bool		whole = r->at + n >= end;
	DpsType		type = !whole || value >= 0x1p63 ? DPS_NUMERIC : value <= INT32_MAX ? DPS_INT4 : DPS_INT8;

	/* C's hexadecimal numbers are none of SQL's; the import refuses what no
	 * double precision can hold exactly */
	if (!isfinite(value) || tolower((unsigned char) r->at[1]) == 'x' || !dps_iv_contains(dps_type_range(type), value))
		return read_fail(r);
	r->at = end;
	return dps_constant(r->graph, type, value);
}

static inline DpsType
read_type(Reader *r)
{
	DpsType		type;

	for (type = DPS_BOOL; type <= DPS_FLOAT8; type++)
	{
		if (read_token(r, dps_type_name(type)))
			return type;
	}
	r->failed = true;
	return DPS_FLOAT8;
}

/* The row whose template is this function's name and parenthesis, for
 * arguments of this type. */
static inline const DpsNode *
read_call(Reader *r, const char *name, const DpsNode *x, const DpsNode *y)
{
	DpsType		type = x->type;
	DpsOpcode	op;

	if (y != NULL && (strcmp(name, "round") == 0 || strcmp(name, "trunc") == 0))
	{
		if (type > DPS_NUMERIC || !dps_type_is_integer(y->type) || y->op != DPS_OP_CONST)
			return read_fail(r);
		return dps_apply(r->graph, strcmp(name, "round") == 0 ? DPS_OP_ROUND_TO : DPS_OP_TRUNC_TO, DPS_NUMERIC,
						 read_cast(r, x, DPS_NUMERIC), y);
	}
	if (strcmp(name, "round") == 0)
		return type == DPS_NUMERIC ? dps_apply(r->graph, DPS_OP_ROUND, type, x, NULL) :
			dps_apply(r->graph, DPS_OP_RINT, DPS_FLOAT8, read_cast(r, x, DPS_FLOAT8), NULL);
	for (op = DPS_OP_FIRST_ROW; op < DPS_OP_COUNT; op++)
	{
		size_t		n = strlen(name);

		if (strncmp(dps_ops[op].sql, name, n) == 0 && dps_ops[op].sql[n] == '(' && dps_ops[op].arity == (y == NULL ? 1 : 2))
			break;
	}
	if (op == DPS_OP_COUNT || (type == DPS_BOOL && !(dps_ops[op].flags & DPS_NULL_IF_ALL)) ||
		(op == DPS_OP_TRUNC_DIV && read_common_type(x, y) > DPS_NUMERIC))
		return read_fail(r);
	if (dps_ops[op].flags & DPS_NULL_IF_ALL)
		type = read_common_type(x, y);
	else if (op == DPS_OP_TRUNC_DIV)
		type = DPS_NUMERIC;
	else if (op != DPS_OP_ABS)
		type = type == DPS_NUMERIC && (gen_types_of(op) & GEN_T(NUMERIC)) ? DPS_NUMERIC : DPS_FLOAT8;
	return dps_apply(r->graph, op, type, read_cast(r, x, type), read_cast(r, y, type));
}

static inline const DpsNode *
read_name(Reader *r)
{
	char		name[32] = "";
	const DpsNode *x;
	const DpsNode *y = NULL;
	int			n = 0;
	int			j;

	if (read_token(r, "CASE"))
		return read_case(r);
	if (read_token(r, "NULL"))
		return dps_constant(r->graph, DPS_INT4, NAN);
	if (read_token(r, "TRUE"))
		return dps_constant(r->graph, DPS_BOOL, 1);
	if (read_token(r, "FALSE"))
		return dps_constant(r->graph, DPS_BOOL, 0);
	for (j = 0; j < r->graph->nvariables; j++)
	{
		if (read_token(r, r->graph->variables[j].name))
			return dps_variable(r->graph, j);
	}
	while (n < 31 && isalnum((unsigned char) *r->at))
		name[n++] = *r->at++;
	if (n == 0 || !read_token(r, "("))
		return read_fail(r);
	x = read_binary(r, 0);
	if (read_token(r, ","))
		y = read_binary(r, 0);
	if (!read_token(r, ")") || r->failed)
		return read_fail(r);
	return read_call(r, name, x, y);
}

static inline const DpsNode *
read_atom(Reader *r)
{
	const DpsNode *x;
	bool		literal = false;

	while (*r->at == ' ')
		r->at++;
	if (read_token(r, "("))
	{
		x = read_binary(r, 0);
		if (!read_token(r, ")"))
			return read_fail(r);
	}
	else if (*r->at == '\'')
	{
		char	   *end;
		double		value = strtod(r->at + 1, &end);

		DpsType		type;

		if (strncmp(end, "'::", 3) != 0)
			return read_fail(r);
		r->at = end + 3;
		type = read_type(r);
		if (!dps_iv_contains(dps_type_range(type), value) || (type <= DPS_INT8 && value != rint(value)))
			return read_fail(r);
		x = dps_constant(r->graph, type, value);
	}
	else
	{
		literal = isdigit((unsigned char) *r->at);
		x = literal ? read_literal(r) : read_name(r);
	}
	while (!r->failed && read_token(r, "::"))
	{
		DpsType		type = read_type(r);

		/* a constant's new type is no operation */
		x = x == NULL ? read_fail(r) : x->op == DPS_OP_CONST && x->value != x->value ?
			dps_constant(r->graph, type, NAN) : read_cast(r, x, type);
	}
	return x;
}

static inline const DpsNode *
read_sign(Reader *r)
{
	const DpsNode *x;

	if (!read_token(r, "-"))
		return read_atom(r);
	x = read_sign(r);
	if (x == NULL || x->type == DPS_BOOL)
		return read_fail(r);
	/* a sign is part of a literal: this one is an integer again */
	if (x->op == DPS_OP_CONST && x->type == DPS_INT8 && x->value == -(double) INT32_MIN)
		x = dps_constant(r->graph, DPS_INT4, x->value);
	return dps_apply(r->graph, DPS_OP_NEG, x->type, x, NULL);
}

typedef struct Operator
{
	const char *token;
	DpsOpcode	op;
	int			level;
} Operator;

enum
{
	LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_IS, LEVEL_COMPARE, LEVEL_ADD, LEVEL_MUL, LEVEL_POW, LEVEL_SIGN
};

static inline const Operator *
read_operator(Reader *r, int level)
{
	static const Operator operators[] = {
		{"OR", DPS_OP_OR, LEVEL_OR}, {"AND", DPS_OP_AND, LEVEL_AND}, {"IS NULL", DPS_OP_IS_NULL, LEVEL_IS},
		{"<=", DPS_OP_LE, LEVEL_COMPARE}, {">=", DPS_OP_GE, LEVEL_COMPARE}, {"<>", DPS_OP_NE, LEVEL_COMPARE},
		{"=", DPS_OP_EQ, LEVEL_COMPARE}, {"<", DPS_OP_LT, LEVEL_COMPARE}, {">", DPS_OP_GT, LEVEL_COMPARE},
		{"+", DPS_OP_ADD, LEVEL_ADD}, {"-", DPS_OP_SUB, LEVEL_ADD}, {"*", DPS_OP_MUL, LEVEL_MUL},
		{"/", DPS_OP_DIV, LEVEL_MUL}, {"%", DPS_OP_MOD, LEVEL_MUL}, {"^", DPS_OP_POW, LEVEL_POW},
	};
	size_t		i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
	{
		if (operators[i].level == level && read_token(r, operators[i].token))
			return &operators[i];
	}
	return NULL;
}

static inline const DpsNode *
read_binary(Reader *r, int level)
{
	const DpsNode *x;
	const Operator *operator;

	if (level == LEVEL_NOT)
	{
		if (!read_token(r, "NOT"))
			return read_binary(r, level + 1);
		x = read_binary(r, level);
		return r->failed || x->type != DPS_BOOL ? read_fail(r) : dps_apply(r->graph, DPS_OP_NOT, DPS_BOOL, x, NULL);
	}
	if (level == LEVEL_SIGN)
		return read_sign(r);
	x = read_binary(r, level + 1);
	while (!r->failed && (operator = read_operator(r, level)) != NULL)
	{
		if (operator->op == DPS_OP_IS_NULL)
			x = dps_apply(r->graph, DPS_OP_IS_NULL, DPS_BOOL, x, NULL);
		else
			x = read_apply(r, operator->op, x, read_binary(r, level + 1));
		/* comparisons do not associate */
		if (level == LEVEL_COMPARE)
			break;
	}
	return x;
}

static inline const DpsNode *
read_sql(DpsGraph *graph, const char *sql)
{
	Reader		r = {graph, sql, false};
	const DpsNode *node = read_binary(&r, 0);

	while (*r.at == ' ')
		r.at++;
	return r.failed || *r.at != '\0' ? NULL : node;
}

/* The text in the arena, or NULL if it is too long. */
static inline const char *
print_text(const DpsGraph *graph, const DpsNode *node, bool latex)
{
	DpsText		text;
	DpsStatus	status;

	dps_text_init(&text, graph->arena);
	status = latex ? dps_print_latex(graph, node, &text) : dps_print_sql(graph, node, &text);
	if (status == DPS_NOMEM)
		abort();
	return status == DPS_OK ? text.data : NULL;
}

/* What is printed is read as what it was, but for constants that texts have
 * rounded. */

static inline bool
reads_back(const DpsGraph *graph, const DpsNode *node)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *fresh = gen_graph(arena);
	const char *sql = print_text(graph, node, false);
	const DpsNode *again = sql == NULL ? NULL : read_sql(fresh, sql);
	bool		good = sql == NULL || (again != NULL && again->type == node->type && (again->link.hash == node->link.hash || has_rounded(node)));

	if (!good)
	{
		diag("printed: %s", sql);
		diag("read: %s", again == NULL ? "(cannot be read)" : print_text(fresh, again, false));
	}
	dps_arena_clear(arena);
	return good;
}

#endif							/* DPS_TEST_READ_H */
