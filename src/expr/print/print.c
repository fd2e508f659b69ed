/*
 * print.c
 *		Expressions as SQL and LaTeX, from the templates of the operation table.
 *
 * SQL text must parse to the same graph again, so types that the server would
 * not infer are written out: a cast or a typed constant is written without its
 * type only beside an operand of the type that the server would choose.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/print/print.h"

typedef struct Printer
{
	const DpsGraph *graph;
	DpsText    *text;
	bool		latex;
	const DpsNames *names;		/* or NULL */
	const DpsNode *defined;		/* has a name, and is written out */
} Printer;

static void print_node(Printer *p, const DpsNode *node, DpsBinding needed, bool plain);

/* The shortest digits that read back as the same double; digits beyond the
 * range of bigint are not an integer. */
static void
format_double(double value, char *buffer, size_t size)
{
	int			digits;

	for (digits = 15; digits <= 17; digits++)
	{
		snprintf(buffer, size, "%.*g", digits, value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	if (strpbrk(buffer, ".e") == NULL && !dps_iv_contains(dps_type_range(DPS_INT8), value))
		snprintf(buffer, size, "%.1f", value);
}

/* The type that the server gives to the constant without a written type:
 * digits alone are an integer. */
static DpsType
natural_type(const DpsNode *constant)
{
	double		value = constant->value;
	char		digits[64];

	if (constant->type == DPS_BOOL)
		return DPS_BOOL;
	format_double(value, digits, sizeof(digits));
	if (strpbrk(digits, ".e") != NULL)
		return DPS_NUMERIC;
	return value >= -2147483648.0 && value <= 2147483647.0 ? DPS_INT4 : DPS_INT8;
}

/* Does the node have this type if it is printed without a cast? */
static bool
is_solid(const DpsNode *node, DpsType type)
{
	if (node->type != type)
		return false;
	if (node->op == DPS_OP_CONST)
		return node->value == node->value && natural_type(node) == type;
	return node->op != DPS_OP_CAST;
}

/* Does the server cast from one type to the other by itself, in an
 * operator? */
static bool
is_implicit(DpsType from, DpsType to)
{
	if (from == DPS_BOOL || to == DPS_BOOL)
		return from == to;
	return from <= to && to != DPS_FLOAT4;
}

/* May the node's cast or type be left out where the context requires its
 * type? */
static bool
is_plain_possible(const DpsNode *node)
{
	/* a literal cannot be -0 */
	if (node->op == DPS_OP_CONST)
		return node->value == node->value && !(node->value == 0 && signbit(node->value)) &&
			is_implicit(natural_type(node), node->type);
	return node->op == DPS_OP_CAST && is_implicit(node->arg[0]->type, node->type);
}

/*
 * Functions of one argument that the server resolves to double precision if
 * the argument is an integer.
 */
static bool
prefers_float8(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && !(dps_ops[node->op].flags & DPS_OF_INTEGERS);
}

/* Which arguments may be written without their types? */
static void
choose_plain(const DpsNode *node, bool *plain_x, bool *plain_y)
{
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];
	bool		same = node->nargs == 2 && x->type == y->type;

	*plain_x = *plain_y = false;
	if (node->nargs == 1)
		*plain_x = prefers_float8(node) && x->op == DPS_OP_CAST && dps_type_is_integer(x->arg[0]->type);
	else if (node->op == DPS_OP_ROUND_TO || node->op == DPS_OP_TRUNC_TO)
		*plain_y = true;
	else if (same && x->type != DPS_FLOAT4)
	{
		*plain_x = is_solid(x, x->type) || is_solid(y, x->type);
		*plain_y = true;
		/* of two constants, the second may be plain only beside a typed
		 * first */
		if (*plain_x && !is_solid(x, x->type) && !is_solid(y, y->type))
			*plain_x = false;
	}
}

static void
print_constant(Printer *p, const DpsNode *node, DpsBinding needed, bool plain)
{
	char		digits[64];
	const char *exponent;
	bool		typed;

	if (node->type == DPS_BOOL && node->value == node->value)
	{
		if (p->latex)
			dps_text_append(p->text, node->value == 1 ? "\\text{true}" : "\\text{false}");
		else
			dps_text_append(p->text, node->value == 1 ? "TRUE" : "FALSE");
		return;
	}
	if (node->value != node->value)
	{
		if (p->latex)
			dps_text_append(p->text, "\\text{null}");
		else
			dps_text_printf(p->text, "NULL::%s", dps_type_name(node->type));
		return;
	}
	format_double(node->value, digits, sizeof(digits));
	if (p->latex)
	{
		exponent = strchr(digits, 'e');
		if (exponent == NULL)
			dps_text_append(p->text, digits);
		else
			dps_text_printf(p->text, "%.*s \\cdot 10^{%d}", (int) (exponent - digits), digits,
							atoi(exponent + 1));
		return;
	}
	typed = !plain && natural_type(node) != node->type;
	if (typed && node->type == DPS_NUMERIC)
	{
		/* 2.0 is numeric by itself */
		typed = false;
		strcat(digits, ".0");
	}
	/* the grammar folds a sign into a constant, but :: binds before it does */
	if (signbit(node->value) && (needed >= DPS_BIND_NEG || typed))
		dps_text_printf(p->text, typed ? "'%s'::%s" : "(%s)", digits, dps_type_name(node->type));
	else if (typed)
		dps_text_printf(p->text, "%s::%s", digits, dps_type_name(node->type));
	else
		dps_text_append(p->text, digits);
}

/* A character of a name; what is special in LaTeX stands for itself. */
static void
append_latex(Printer *p, char c)
{
	if (c == '\\')
		dps_text_append(p->text, "\\backslash{}");
	else if (c == '^' || c == '~')
		dps_text_printf(p->text, "\\char%d{}", c);
	else
	{
		if (strchr("_#$%&{}", c) != NULL)
			dps_text_append(p->text, "\\");
		dps_text_append_n(p->text, &c, 1);
	}
}

static void
print_variable(Printer *p, const DpsNode *node)
{
	const char *name = p->graph->variables[node->variable].name;
	const char *c;

	if (!p->latex)
	{
		dps_text_append(p->text, name);
		return;
	}
	if (name[0] != '\0' && name[1] == '\0' && name[0] != '_')
	{
		dps_text_append(p->text, name);
		return;
	}
	dps_text_append(p->text, "\\mathit{");
	for (c = name; *c != '\0'; c++)
	{
		if (*c == '"')
			continue;
		append_latex(p, *c);
	}
	dps_text_append(p->text, "}");
}

/* 0 for a node that is to be written out. */
static uint32_t
name_of(const Printer *p, const DpsNode *node)
{
	return p->names == NULL || node == p->defined ? 0 : p->names->number[node->id];
}

static void
print_name(Printer *p, uint32_t number)
{
	p->names->used[p->names->group[number]] = true;
	if (p->latex)
		dps_text_printf(p->text, "s_{%u}", (unsigned) number);
	else
		dps_text_printf(p->text, "%s%u", p->names->prefix, (unsigned) number);
}

static void
print_case(Printer *p, const DpsNode *node)
{
	const char *yes = p->latex ? " & \\text{if } " : " THEN ";

	dps_text_append(p->text, p->latex ? "\\begin{cases} " : "CASE");
	for (; node->op == DPS_OP_CASE && name_of(p, node) == 0; node = node->arg[2])
	{
		if (p->latex)
		{
			print_node(p, node->arg[1], 0, true);
			dps_text_append(p->text, yes);
			print_node(p, node->arg[0], 0, false);
			dps_text_append(p->text, " \\\\ ");
		}
		else
		{
			dps_text_append(p->text, " WHEN ");
			print_node(p, node->arg[0], 0, false);
			dps_text_append(p->text, yes);
			print_node(p, node->arg[1], 0, false);
		}
	}
	dps_text_append(p->text, p->latex ? "" : " ELSE ");
	print_node(p, node, 0, p->latex);
	dps_text_append(p->text, p->latex ? " & \\text{otherwise} \\end{cases}" : " END");
}

/* Expands a row's template. */
static void
print_template(Printer *p, const DpsNode *node, const char *format, DpsBinding own)
{
	bool		plain[2];
	const char *c;

	choose_plain(node, &plain[0], &plain[1]);
	for (c = format; *c != '\0'; c++)
	{
		DpsBinding	needed;
		int			which;
		bool		delimited = false;
		char		mark = 0;

		if (*c != '%')
		{
			dps_text_append_n(p->text, c, 1);
			continue;
		}
		c++;
		if (*c == '%' || *c == 't')
		{
			dps_text_append(p->text, *c == '%' ? "%" : dps_type_name(node->type));
			continue;
		}
		if (*c == '>' || *c == '=' || *c == '(')
		{
			mark = *c;
			delimited = mark == '(';
			c++;
		}
		which = *c == 'y';
		if (delimited)
			c++;				/* the closing parenthesis */
		needed = own;
		if (delimited)
			needed = 0;
		else if (mark == '>' || (which == 1 && mark != '='))
			needed = own + 1;
		print_node(p, node->arg[which], needed, plain[which] || p->latex);
	}
}

static DpsBinding
constant_binding(const Printer *p, const DpsNode *node)
{
	double		magnitude = fabs(node->value);

	/* in LaTeX, a sign before a product needs no parentheses, nor does c *
	 * 10^n */
	if (p->latex && (signbit(node->value) || magnitude >= 1e15 || (magnitude > 0 && magnitude < 1e-4)))
		return DPS_BIND_MUL;
	return DPS_BIND_ATOM;
}

static void
print_node(Printer *p, const DpsNode *node, DpsBinding needed, bool plain)
{
	const DpsOp *row = &dps_ops[node->op];
	DpsBinding	own = DPS_BIND_ATOM;
	bool		parenthesis;

	if (p->text->failed || p->text->length > DPS_MAX_TEXT)
		return;
	if (name_of(p, node) > 0)
	{
		print_name(p, name_of(p, node));
		return;
	}
	/* a cast that the context does anyway */
	if (plain && node->op == DPS_OP_CAST && (p->latex || is_plain_possible(node)))
	{
		print_node(p, node->arg[0], needed, p->latex);
		return;
	}
	if (node->nargs > 0 && node->op != DPS_OP_CASE)
		own = p->latex ? row->latex_binding : row->sql_binding;
	else if (node->op == DPS_OP_CONST)
		own = constant_binding(p, node);
	parenthesis = own < needed;
	if (parenthesis)
		dps_text_append(p->text, p->latex ? "\\left(" : "(");
	if (node->op == DPS_OP_CONST)
		print_constant(p, node, needed, plain && is_plain_possible(node));
	else if (node->op == DPS_OP_VAR)
		print_variable(p, node);
	else if (node->op == DPS_OP_CASE)
		print_case(p, node);
	else
		print_template(p, node, p->latex ? row->latex : row->sql, own);
	if (parenthesis)
		dps_text_append(p->text, p->latex ? "\\right)" : ")");
}

DpsStatus
dps_print_named(const DpsGraph *graph, const DpsNode *node, const DpsNames *names, bool own_name, bool latex,
				DpsText *text)
{
	Printer		p = {graph, text, latex, names, own_name ? NULL : node};

	if (node == NULL)
		return DPS_NOMEM;
	print_node(&p, node, 0, latex);
	if (text->length > DPS_MAX_TEXT)
		return DPS_UNABLE;
	return text->failed ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_print_sql(const DpsGraph *graph, const DpsNode *node, DpsText *text)
{
	return dps_print_named(graph, node, NULL, true, false, text);
}

DpsStatus
dps_print_latex(const DpsGraph *graph, const DpsNode *node, DpsText *text)
{
	return dps_print_named(graph, node, NULL, true, true, text);
}
