/*
 * test_print.c
 *		Expressions as text: SQL is read again, LaTeX is well-formed.
 */
#include <ctype.h>

#include "parse.h"
#include "read.h"

/* A second, independent reader for the part that it knows. */
static bool
parses_back(const DpsGraph *graph, const DpsNode *node, int *parsed)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *fresh = gen_graph(arena);
	const char *sql = print_text(graph, node, false);
	const DpsNode *again = NULL;
	bool		good = true;

	if (sql != NULL && strstr(sql, "NOT") == NULL && strstr(sql, "OR ") == NULL && strstr(sql, "AND ") == NULL)
		again = parse_expression(fresh, sql);
	if (again != NULL)
	{
		(*parsed)++;
		good = again->link.hash == node->link.hash || has_rounded(node);
	}
	if (!good)
		diag("printed: %s, parsed: %s", sql, print_text(fresh, again, false));
	dps_arena_clear(arena);
	return good;
}

static bool
is_balanced(const char *latex)
{
	char		open[2000];
	int			depth = 0;
	int			left = 0;
	int			cases = 0;
	const char *c;

	for (c = latex; *c != '\0'; c++)
	{
		if (*c == '%')
			return false;
		if (*c == '\\' && strncmp(c, "\\left", 5) == 0 && !isalpha((unsigned char) c[5]))
			left++;
		if (*c == '\\' && strncmp(c, "\\right", 6) == 0 && !isalpha((unsigned char) c[6]))
			left--;
		cases += strncmp(c, "\\begin{cases}", 13) == 0;
		cases -= strncmp(c, "\\end{cases}", 11) == 0;
		if (left < 0 || cases < 0 || depth == 2000)
			return false;
		if (*c == '\\' && c[1] != '\0' && strchr("{}_#$%&\\", c[1]) != NULL)
			c++;
		else if (*c == '{' || *c == '(')
			open[depth++] = *c;
		else if ((*c == '}' || *c == ')') && (depth == 0 || open[--depth] != (*c == '}' ? '{' : '(')))
			return false;
	}
	return depth == 0 && left == 0 && cases == 0;
}

static void
test_random(void)
{
	static const struct
	{
		const char *name;
		uint32_t	types;
		DpsType		type;
	}			kinds[] = {
		{"double precision", GEN_T(FLOAT8), DPS_FLOAT8},
		{"any type", GEN_ALL_TYPES, DPS_FLOAT8},
		{"numeric", GEN_T(NUMERIC) | GEN_INTEGERS, DPS_NUMERIC},
		{"real", GEN_T(FLOAT4) | GEN_T(FLOAT8) | GEN_T(INT4), DPS_FLOAT4},
		{"bigint", GEN_INTEGERS | GEN_T(FLOAT8), DPS_INT8},
		{"conditions", GEN_ALL_TYPES, DPS_BOOL},
	};
	size_t		k;
	int			i;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		int			failures = 0;
		int			gradients = 0;
		int			unbalanced = 0;
		int			parsed = 0;
		int			wrong = 0;

		for (i = 0; i < 1000 && failures + gradients + unbalanced + wrong < 3; i++)
		{
			uint64_t	seed = random_state;
			DpsArena   *arena = gen_arena();
			Generator	g = gen_init(arena, kinds[k].types);
			GenPair		e = gen_expression(&g, kinds[k].type, 1 + random_below(6));
			const DpsNode *gradient[GEN_COLUMNS];
			const char *latex = print_text(g.simple, e.simple, true);
			int			before = failures + gradients + unbalanced + wrong;

			failures += !reads_back(g.simple, e.simple);
			if (latex != NULL && !is_balanced(latex))
			{
				diag("LaTeX: %s", latex);
				unbalanced++;
			}
			wrong += k == 0 && !parses_back(g.simple, e.simple, &parsed);
			if (kinds[k].type == DPS_FLOAT8 && i % 4 == 0)
			{
				if (dps_gradient(g.simple, e.simple, gradient) != DPS_OK)
					abort();
				gradients += !reads_back(g.simple, gradient[GEN_X]) || !reads_back(g.simple, gradient[GEN_Z]);
				wrong += k == 0 && !parses_back(g.simple, gradient[GEN_X], &parsed);
			}
			if (failures + gradients + unbalanced + wrong > before)
				diag("expression %d, random_state %#llx", i, (unsigned long long) seed);
			dps_arena_clear(arena);
		}
		ok(failures == 0, "SQL is read as the same graph: %s", kinds[k].name);
		ok(gradients == 0, "so are gradients: %s", kinds[k].name);
		ok(unbalanced == 0, "LaTeX is balanced: %s", kinds[k].name);
		if (k == 0)
			ok(wrong == 0 && parsed > 300, "another reader agrees (%d texts)", parsed);
	}
}

/* Written, printed as SQL, printed as LaTeX. */
static const char *const texts[][3] = {
	{"-(x ^ 2)", "-(x ^ 2)",
	"-{x}^{2}"},
	{"(-x) ^ 2", "x ^ 2",
	"{x}^{2}"},
	{"(-x) ^ 3", "-(x ^ 3)",
	"-{x}^{3}"},
	{"x - (y - z)", "x - y + z",
	"x - y + z"},
	{"x - y - z", "x - y - z",
	"x - y - z"},
	{"x / (y / z)", "x / (y / z)",
	"\\frac{x}{\\frac{y}{z}}"},
	{"x / y / z", "x / (y * z)",
	"\\frac{x}{y \\cdot z}"},
	{"(x ^ y) ^ z", "x ^ y ^ z",
	"{\\left({x}^{y}\\right)}^{z}"},
	{"x ^ (y ^ z)", "x ^ (y ^ z)",
	"{x}^{{y}^{z}}"},
	{"x ^ y ^ z", "x ^ y ^ z",
	"{\\left({x}^{y}\\right)}^{z}"},
	{"x - -3", "x + 3",
	"x + 3"},
	{"x * -3", "-3 * x",
	"-3 \\cdot x"},
	{"x ^ -3", "1 / x ^ 3",
	"\\frac{1}{{x}^{3}}"},
	{"x ^ (-y)", "x ^ -y",
	"{x}^{-y}"},
	{"(-2) ^ x", "-2 ^ x",
	"{\\left(-2\\right)}^{x}"},
	{"x + -y", "x - y",
	"x - y"},
	{"-(x + y)", "-(x + y)",
	"-\\left(x + y\\right)"},
	{"-(x - y)", "y - x",
	"y - x"},
	{"-(x * y)", "-(x * y)",
	"-x \\cdot y"},
	{"(x + y) * z", "z * (x + y)",
	"z \\cdot \\left(x + y\\right)"},
	{"(x + y) / (x - y)", "(x + y) / (x - y)",
	"\\frac{x + y}{x - y}"},
	{"x * (y / z)", "x * y / z",
	"\\frac{x \\cdot y}{z}"},
	{"sqrt(x ^ 2)", "abs(x)",
	"\\left|x\\right|"},
	{"(x + 1) ^ 2", "(x + 1) ^ 2",
	"{\\left(x + 1\\right)}^{2}"},
	{"exp(x) ^ 2", "exp(x) ^ 2",
	"{\\left(e^{x}\\right)}^{2}"},
	{"exp(-(x ^ 2))", "exp(-(x ^ 2))",
	"e^{-{x}^{2}}"},
	{"(b OR c) AND b", "(b OR c) AND b",
	"\\left(b \\lor c\\right) \\land b"},
	{"b OR c AND (x < y)", "b OR c AND x < y",
	"b \\lor c \\land x < y"},
	{"(b AND c) OR b", "b AND c OR b",
	"b \\land c \\lor b"},
	{"(x < y) = b", "(x < y) = b",
	"\\left(x < y\\right) = b"},
	{"(b OR c) IS NULL", "(b OR c) IS NULL",
	"\\left(b \\lor c\\right) \\text{ is null}"},
	{"x < y + 1", "x < y + 1",
	"x < y + 1"},
	{"i / 2", "i / 2",
	"\\operatorname{trunc}\\left(\\frac{i}{2}\\right)"},
	{"i / (j / 2)", "i / (j / 2)",
	"\\operatorname{trunc}\\left(\\frac{i}{\\operatorname{trunc}\\left(\\frac{j}{2}\\right)}\\right)"},
	{"(i / j) / 2", "i / j / 2",
	"\\operatorname{trunc}\\left(\\frac{\\operatorname{trunc}\\left(\\frac{i}{j}\\right)}{2}\\right)"},
	{"i - (j - 1)", "i - (j - 1)",
	"i - \\left(j - 1\\right)"},
	{"i * (j * 2)", "i * (j * 2)",
	"i \\cdot j \\cdot 2"},
	{"-(i + 1)", "-(i + 1)",
	"-\\left(i + 1\\right)"},
	{"i::double precision / 2", "0.5::double precision * i",
	"0.5 \\cdot i"},
	{"i / 2 * x", "x * (i / 2)",
	"x \\cdot \\operatorname{trunc}\\left(\\frac{i}{2}\\right)"},
	{"(i + 1) * x", "x * (i + 1)",
	"x \\cdot \\left(i + 1\\right)"},
	{"s + 1::smallint", "s + 1::smallint",
	"s + 1"},
	{"s + 1", "s + 1",
	"s + 1"},
	{"q + 1", "q + 1",
	"q + 1"},
	{"q + i", "q + i",
	"q + i"},
	{"q::double precision + x", "q + x",
	"q + x"},
	{"p / 3", "p / 3",
	"\\frac{p}{3}"},
	{"round(q, 2)", "round(q, 2)",
	"\\operatorname{round}\\left(q, 2\\right)"},
	{"round(x)", "round(x)",
	"\\operatorname{round}\\left(x\\right)"},
	{"floor(i::double precision)", "i::double precision",
	"i"},
	{"1e20 * x", "1e+20 * x",
	"1 \\cdot 10^{20} \\cdot x"},
	{"1e-7 * x", "1e-07 * x",
	"1 \\cdot 10^{-7} \\cdot x"},
	{"1e-7 ^ x", "1e-07 ^ x",
	"{\\left(1 \\cdot 10^{-7}\\right)}^{x}"},
	{"r = 1::real", "r = 1::real",
	"r = 1"},
	{"greatest(x, 1) + greatest(1, x)", "greatest(x, 1) + greatest(1, x)",
	"\\max\\left(x, 1\\right) + \\max\\left(1, x\\right)"},
	{"coalesce(z, 0)", "coalesce(z, 0)",
	"\\operatorname{coalesce}\\left(z, 0\\right)"},
	{"CASE WHEN b THEN 1 ELSE 0 END", "CASE WHEN b THEN 1 ELSE 0 END",
	"\\begin{cases} 1 & \\text{if } b \\\\ 0 & \\text{otherwise} \\end{cases}"},
	{"CASE WHEN b THEN x WHEN c THEN 2 ELSE NULL::double precision END", "CASE WHEN b THEN x WHEN c THEN 2::double precision ELSE NULL::double precision END",
	"\\begin{cases} x & \\text{if } b \\\\ 2 & \\text{if } c \\\\ \\text{null} & \\text{otherwise} \\end{cases}"},
	{"CASE WHEN b THEN x ELSE 0 END * 2", "2 * CASE WHEN b THEN x ELSE 0::double precision END",
	"2 \\cdot \\begin{cases} x & \\text{if } b \\\\ 0 & \\text{otherwise} \\end{cases}"},
	{"log(x) + ln(y)", "log(x) + ln(y)",
	"\\log_{10}\\left(x\\right) + \\ln\\left(y\\right)"},
	{"div(q, 2)", "div(q, 2)",
	"\\operatorname{trunc}\\left(\\frac{q}{2}\\right)"},
	{"atan2(x, y)", "atan2(x, y)",
	"\\operatorname{atan2}\\left(x, y\\right)"},
	{"-x ^ 0.5", "-x ^ 0.5",
	"{\\left(-x\\right)}^{0.5}"},
	{"NULL::double precision + x", "NULL::double precision + x",
	"\\text{null} + x"},
	{"'-0'::double precision ^ x", "'-0'::double precision ^ x",
	"{\\left(-0\\right)}^{x}"},
	{"abs(x - y) / cbrt(z)", "abs(x - y) / cbrt(z)",
	"\\frac{\\left|x - y\\right|}{\\sqrt[3]{z}}"},
	{"round(x)::integer", "round(x)::integer",
	"\\operatorname{round}\\left(x\\right)"},
	{"(x < y) <> (y < z)", "(x < y) <> (y < z)",
	"\\left(x < y\\right) \\neq \\left(y < z\\right)"},
	{"2147483647 + i", "2147483647 + i",
	"2147483647 + i"},
	{"-2147483648 + i", "-2147483648 + i",
	"-2147483648 + i"},
	{"3000000000 * k", "3000000000 * k",
	"3000000000 \\cdot k"},
	{"NOT (b AND c)", "NOT (b AND c)",
	"\\neg \\left(b \\land c\\right)"},
};

static void
test_texts(void)
{
	size_t		i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		DpsArena   *arena = gen_arena();
		DpsGraph   *graph = gen_graph(arena);
		const DpsNode *node = read_sql(graph, texts[i][0]);
		const char *sql = node == NULL ? "(cannot be read)" : print_text(graph, node, false);
		const char *latex = node == NULL ? "" : print_text(graph, node, true);

		if (!ok(strcmp(sql, texts[i][1]) == 0 && strcmp(latex, texts[i][2]) == 0, "%s", texts[i][0]))
			diag("printed %s, %s", sql, latex);
		if (node != NULL && !reads_back(graph, node))
			ok(false, "%s is read back", sql);
		dps_arena_clear(arena);
	}
}

/* Constants of every size and type, alone and beside others. */
static void
test_constants(void)
{
	static const double values[] = {0, -0.0, 1, -1, 0.1, -0.1, 1.0 / 3, 1e15, -1e15, 1e16, 123456789012, 2147483647, 2147483648,
		-2147483647, -2147483648, -2147483649, 1e-5, 0.0001, 1e-300, 5e-324, 1.7976931348623157e308, 9007199254740991,
	32767, -32768, 0.1 + 0.2, 1e22, 100000, 3.0000000000000004, 11118121133111732, -11118121133111732};
	int			failures = 0;
	size_t		i;
	DpsType		type;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
	{
		for (type = DPS_INT2; type <= DPS_FLOAT8; type++)
		{
			DpsArena   *arena = gen_arena();
			DpsGraph   *graph = gen_graph(arena);
			const DpsNode *c = dps_constant(graph, type, values[i]);
			const DpsNode *null = dps_constant(graph, type, NAN);
			const DpsNode *variable;
			const DpsNode *forms[9];
			int			n = 0;
			int			j = GEN_X;

			while (gen_columns[j].type != type)
				j++;
			variable = dps_variable(graph, j);
			if (dps_iv_contains(dps_type_range(type), values[i]) &&
				(!dps_type_is_integer(type) || values[i] == rint(values[i])))
			{
				forms[n++] = c;
				forms[n++] = null;
				forms[n++] = dps_apply(graph, DPS_OP_GREATEST, type, variable, c);
				forms[n++] = dps_apply(graph, DPS_OP_COALESCE, type, null, c);
				forms[n++] = dps_apply(graph, DPS_OP_LEAST, type, c, variable);
				forms[n++] = dps_apply(graph, DPS_OP_LT, DPS_BOOL, c, variable);
				forms[n++] = dps_intern(graph, DPS_OP_CASE, type, 3, dps_variable(graph, GEN_B), c, null);
				forms[n++] = dps_apply(graph, DPS_OP_MUL, type, variable, c);
				forms[n++] = dps_apply(graph, DPS_OP_SUB, type, variable, c);
			}
			/* what is cast stays cast */
			while (n-- > 0)
				failures += !reads_back(graph, forms[n]);
			dps_arena_clear(arena);
		}
	}
	ok(failures == 0, "constants are read as they were");
}

static void
test_casts(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *i = dps_variable(graph, GEN_I);
	const DpsNode *k = dps_variable(graph, GEN_K);
	const DpsNode *wide = dps_apply(graph, DPS_OP_CAST, DPS_INT8, i, NULL);
	const DpsNode *lowest = dps_constant(graph, DPS_INT8, INT32_MIN);
	const char *sql;

	sql = print_text(graph, dps_apply(graph, DPS_OP_MUL, DPS_INT8, wide, wide), false);
	ok(strcmp(sql, "i::bigint * i") == 0, "a product that would overflow keeps its cast: %s", sql);
	sql = print_text(graph, dps_apply(graph, DPS_OP_MUL, DPS_INT8, wide, k), false);
	ok(strcmp(sql, "i * k") == 0, "beside a bigint none is needed: %s", sql);
	ok(reads_back(graph, dps_apply(graph, DPS_OP_ADD, DPS_INT8, wide, lowest)), "the lowest integer is an integer");
	sql = print_text(graph, dps_apply(graph, DPS_OP_INT_DIV, DPS_INT8, dps_constant(graph, DPS_INT8, 7), wide), false);
	ok(strcmp(sql, "7::bigint / i") == 0, "a division in the wider type: %s", sql);
	sql = print_text(graph, dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, dps_as_float8(graph, i), dps_as_float8(graph, k)), false);
	ok(strcmp(sql, "i::double precision / k") == 0, "a quotient of integers does not truncate: %s", sql);
	sql = print_text(graph, dps_apply(graph, DPS_OP_DIV, DPS_NUMERIC, dps_constant(graph, DPS_NUMERIC, 1),
									  dps_apply(graph, DPS_OP_CAST, DPS_NUMERIC, i, NULL)), false);
	ok(strcmp(sql, "1.0 / i") == 0, "nor does one of numerics: %s", sql);
	dps_arena_clear(arena);
}

static void
test_names(void)
{
	static const char *const names[][2] = {
		{"a", "a"}, {"_", "\\mathit{\\_}"}, {"\"a\\^~\"", "\\mathit{a\\backslash{}\\char94{}\\char126{}}"}, {"age", "\\mathit{age}"}, {"\"Total $%\"", "\\mathit{Total \\$\\%}"}, {"a_b", "\\mathit{a\\_b}"},
		{"\"x{}&#\"", "\\mathit{x\\{\\}\\&\\#}"},
	};
	size_t		i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		DpsArena   *arena = gen_arena();
		DpsGraph   *graph;

		if (dps_graph_init(&graph, arena) != DPS_OK)
			abort();
		dps_graph_add_variable(graph, names[i][0], DPS_FLOAT8, false);
		ok(strcmp(print_text(graph, dps_variable(graph, 0), false), names[i][0]) == 0 &&
		   strcmp(print_text(graph, dps_variable(graph, 0), true), names[i][1]) == 0, "a column %s", names[i][0]);
		dps_arena_clear(arena);
	}
}

/* A text beyond the limit, from few nodes. */
static void
test_limit(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *shared = dps_variable(graph, GEN_X);
	const DpsNode *choice = shared;
	const DpsNode *flat = shared;
	DpsText		text;
	int			k;

	for (k = 0; k < 60; k++)
	{
		shared = dps_apply(graph, DPS_OP_ATAN2, DPS_FLOAT8, dps_apply(graph, DPS_OP_SIN, DPS_FLOAT8, shared, NULL), shared);
		choice = dps_choose(graph, dps_apply(graph, DPS_OP_GT, DPS_BOOL, choice, dps_constant(graph, DPS_FLOAT8, k)),
							dps_apply(graph, DPS_OP_SIN, DPS_FLOAT8, choice, NULL), choice);
	}
	for (k = 0; k < 2000; k++)
		flat = dps_apply(graph, DPS_OP_ATAN2, DPS_FLOAT8, flat, dps_variable(graph, GEN_Y));
	dps_text_init(&text, arena);
	ok(dps_print_sql(graph, shared, &text) == DPS_UNABLE && text.length < 300 * 1024, "2^60 paths are too long for SQL");
	dps_text_init(&text, arena);
	ok(dps_print_latex(graph, shared, &text) == DPS_UNABLE && text.length < 300 * 1024, "and for LaTeX");
	dps_text_init(&text, arena);
	ok(dps_print_sql(graph, choice, &text) == DPS_UNABLE, "so are choices");
	dps_text_init(&text, arena);
	ok(dps_print_latex(graph, choice, &text) == DPS_UNABLE, "in LaTeX, too");
	dps_text_init(&text, arena);
	ok(dps_print_sql(graph, flat, &text) == DPS_OK && text.length == 2000 * strlen("atan2(, y)") + 1, "2000 operations are not");
	ok(dps_print_sql(graph, NULL, &text) == DPS_NOMEM && dps_print_latex(graph, NULL, &text) == DPS_NOMEM, "nothing to print");
	dps_arena_clear(arena);
}

/* What is used more than once has a name. */

static const char *
parts_text(const DpsGraph *graph, const DpsNode *const *nodes, int n, bool latex)
{
	DpsText		text;

	dps_text_init(&text, graph->arena);
	return dps_print_parts(graph, nodes, n, latex, &text) == DPS_OK ? text.data : "nothing";
}

static void
parts_are(DpsGraph *graph, const DpsNode *node, const char *sql)
{
	const char *text = parts_text(graph, &node, 1, false);

	if (!ok(strcmp(text, sql) == 0, "%s", sql))
		diag("%s", text);
}

static const DpsNode *
chain(DpsGraph *graph, int length)
{
	const DpsNode *node = dps_variable(graph, GEN_X);

	while (length-- > 0)
		node = dps_apply(graph, DPS_OP_ATAN2, DPS_FLOAT8, dps_apply(graph, DPS_OP_SIN, DPS_FLOAT8, node, NULL), node);
	return node;
}

static void
test_parts(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *long_chain = chain(graph, 60);
	const DpsNode *pair[2] = {chain(graph, 2), chain(graph, 2)};
	const DpsNode *many[2001];
	const DpsNode *none = NULL;
	DpsText		text;
	int			k;

	parts_are(graph, read_sql(graph, "sin(x) + x * y"), "sin(x) + x * y");
	parts_are(graph, chain(graph, 2), "(WITH part1 AS MATERIALIZED (SELECT atan2(sin(x), x) AS s1) SELECT atan2(sin(s1), s1) FROM part1)");
	parts_are(graph, read_sql(graph, "atan2(sin(cos(x)) * cos(x), sin(cos(x)))"),
			  "(WITH part1 AS MATERIALIZED (SELECT cos(x) AS s1), part2 AS MATERIALIZED (SELECT sin(s1) AS s2 FROM part1)"
			  " SELECT atan2(s2 * s1, s2) FROM part1, part2)");
	ok(strcmp(parts_text(graph, pair, 2, false), "(WITH part1 AS MATERIALIZED (SELECT atan2(sin(x), x) AS s1), part2 AS MATERIALIZED"
			  " (SELECT atan2(sin(s1), s1) AS s2 FROM part1) SELECT ARRAY[s2, s2] FROM part2)") == 0, "an array");
	ok(strcmp(parts_text(graph, pair, 2, true), "\\begin{aligned} & \\begin{pmatrix} s_{2} \\\\ s_{2} \\end{pmatrix} \\\\ \\text{where } &"
			  " s_{1} = \\operatorname{atan2}\\left(\\sin\\left(x\\right), x\\right) \\\\ & s_{2} ="
			  " \\operatorname{atan2}\\left(\\sin\\left(s_{1}\\right), s_{1}\\right) \\end{aligned}") == 0, "and as LaTeX");
	ok(strlen(parts_text(graph, &long_chain, 1, false)) < 6000 && strlen(parts_text(graph, &long_chain, 1, true)) < 6000, "2^60 paths");
	for (k = 0; k < 2001; k++)
		many[k] = dps_apply(graph, DPS_OP_ATAN2, DPS_FLOAT8, dps_apply(graph, DPS_OP_SIN, DPS_FLOAT8, dps_constant(graph, DPS_FLOAT8, k), NULL),
							chain(graph, 1));
	ok(strstr(parts_text(graph, many, 2001, false), "part2") == NULL, "one query for a level");
	for (k = 0; k < 1001; k++)
		many[k] = many[1001 + k % 1000] = dps_apply(graph, DPS_OP_ATAN2, DPS_FLOAT8, dps_variable(graph, GEN_X), dps_constant(graph, DPS_FLOAT8, k));
	ok(strstr(parts_text(graph, many, 2001, false), ", part1 AS") == NULL && strstr(parts_text(graph, many, 2001, false), "part3") == NULL,
	   "and another where it has too many columns");
	ok(dps_graph_add_variable(graph, "s5", DPS_FLOAT8, false) >= 0 && dps_graph_add_variable(graph, "ss2", DPS_FLOAT8, false) >= 0, "columns s5 and ss2");
	parts_are(graph, chain(graph, 2), "(WITH part1 AS MATERIALIZED (SELECT atan2(sin(x), x) AS sss1) SELECT atan2(sin(sss1), sss1) FROM part1)");
	dps_text_init(&text, arena);
	ok(dps_print_parts(graph, &none, 1, false, &text) == DPS_NOMEM, "nothing to print");
	dps_arena_clear(arena);
}

/* What may be left out may have no value. */
static void
test_left_out_parts(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);

	parts_are(graph, read_sql(graph, "CASE WHEN x > 0 THEN ln(x) ^ ln(x) ELSE y END"), "CASE WHEN x > 0 THEN ln(x) ^ ln(x) ELSE y END");
	parts_are(graph, read_sql(graph, "CASE WHEN sin(x) > 0 THEN ln(sin(x)) ELSE ln(y) END"),
			  "(WITH part1 AS MATERIALIZED (SELECT sin(x) AS s1) SELECT CASE WHEN s1 > 0 THEN ln(s1) ELSE ln(y) END FROM part1)");
	parts_are(graph, read_sql(graph, "CASE WHEN sin(x) > 0 THEN ln(y) ELSE ln(x) * ln(y) END"), "CASE WHEN sin(x) > 0 THEN ln(y) ELSE ln(x) * ln(y) END");
	parts_are(graph, read_sql(graph, "coalesce(z, (1 + ln(y)) * ln(y))"), "coalesce(z, (1 + ln(y)) * ln(y))");
	dps_arena_clear(arena);
}

/* Norms of gradients. */
static void
test_norm(void)
{
	static const char *const names[] = {"a", "w", "h"};
	DpsArena   *arena = gen_arena();
	const DpsNode *gradient[3];
	const double weights[3] = {1, 2, 0.5};
	DpsGraph   *graph;
	const DpsNode *node;
	const char *sql;
	int			j;

	if (dps_graph_init(&graph, arena) != DPS_OK)
		abort();
	for (j = 0; j < 3; j++)
		dps_graph_add_variable(graph, names[j], DPS_FLOAT8, false);
	/* Ziller et al., equation (3) */
	node = read_sql(graph, "a * w / h ^ 2");
	if (dps_gradient(graph, node, gradient) != DPS_OK)
		abort();
	sql = print_text(graph, dps_norm2(graph, gradient, 7, NULL), false);
	ok(strcmp(sql, "sqrt(w ^ 2 / h ^ 4 + a ^ 2 / h ^ 4 + 4 * a ^ 2 * w ^ 2 / h ^ 6)") == 0, "norm of a w / h^2: %s", sql);
	sql = print_text(graph, dps_norm2(graph, gradient, 7, NULL), true);
	ok(strcmp(sql, "\\sqrt{\\frac{{w}^{2}}{{h}^{4}} + \\frac{{a}^{2}}{{h}^{4}} + \\frac{4 \\cdot {a}^{2} \\cdot {w}^{2}}{{h}^{6}}}") == 0,
	   "as LaTeX: %s", sql);
	sql = print_text(graph, dps_norm2(graph, gradient, 7, weights), false);
	ok(strcmp(sql, "sqrt(w ^ 2 / h ^ 4 + 0.25 * a ^ 2 / h ^ 4 + 16 * a ^ 2 * w ^ 2 / h ^ 6)") == 0, "weighted: %s", sql);
	sql = print_text(graph, dps_norm2(graph, gradient, 1, NULL), false);
	ok(strcmp(sql, "abs(w / h ^ 2)") == 0, "of one column: %s", sql);
	ok(dps_is_constant(dps_norm2(graph, gradient, 0, NULL), 0), "of none");
	node = read_sql(graph, "exp(w) * 2");
	if (dps_gradient(graph, node, gradient) != DPS_OK)
		abort();
	sql = print_text(graph, dps_norm2(graph, gradient, 7, NULL), false);
	ok(strcmp(sql, "abs(2 * exp(w))") == 0, "of one that moves: %s", sql);
	gradient[2] = NULL;
	ok(dps_norm2(graph, gradient, 7, NULL) == NULL, "of a gradient that could not be made");
	dps_arena_clear(arena);
}

int
main(void)
{
	test_texts();
	test_constants();
	test_casts();
	test_names();
	test_limit();
	test_parts();
	test_left_out_parts();
	test_norm();
	test_random();
	return done_testing();
}
