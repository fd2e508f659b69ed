/*
 * test_mathml.c
 *		Printed LaTeX as MathML: what each construction becomes, that every printed expression is
 *		well-formed with as many of each element, that names stay text, and what is refused.
 *
 * Files: expr/print/mathml.c.
 */
#include "read.h"
#include "expr/print/mathml.h"

/* NULL if it is refused. */
static const char *
mathml(DpsArena *arena, const char *latex)
{
	DpsText		text;

	dps_text_init(&text, arena);
	return dps_latex_to_mathml(latex, &text) == DPS_OK ? text.data : NULL;
}

#define BEGIN "<math display=\"inline\"><mrow>"
#define END "</mrow></math>"

static void
test_constructions(void)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"x + 1.5", "<mi>x</mi><mo>+</mo><mn>1.5</mn>"},
		{"-x", "<mo>&#x2212;</mo><mi>x</mi>"},
		{"{x}^{2}", "<msup><mrow><mrow><mi>x</mi></mrow></mrow><mrow><mn>2</mn></mrow></msup>"},
		{"s_{12}", "<msub><mrow><mi>s</mi></mrow><mrow><mn>12</mn></mrow></msub>"},
		{"2 \\cdot 10^{-3}", "<mn>2</mn><mo>&#x22C5;</mo><msup><mrow><mn>10</mn></mrow><mrow><mo>&#x2212;</mo><mn>3</mn></mrow></msup>"},
		{"\\frac{1}{x}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>x</mi></mrow></mfrac>"},
		{"\\sqrt{x}", "<msqrt><mrow><mi>x</mi></mrow></msqrt>"},
		{"\\sqrt[3]{x}", "<mroot><mrow><mi>x</mi></mrow><mn>3</mn></mroot>"},
		{"\\sin\\left(x\\right)", "<mi>sin</mi><mrow><mo stretchy=\"true\">(</mo><mi>x</mi><mo stretchy=\"true\">)</mo></mrow>"},
		{"\\left\\lfloor x \\right\\rfloor", "<mrow><mo stretchy=\"true\">&#x230A;</mo><mi>x</mi><mo stretchy=\"true\">&#x230B;</mo></mrow>"},
		{"\\log_{10}", "<msub><mrow><mi>log</mi></mrow><mrow><mn>10</mn></mrow></msub>"},
		{"\\operatorname{atan2}", "<mi>atan2</mi>"},
		{"\\mathit{a\\_b}", "<mi>a_b</mi>"},
		{"\\mathit{<b>&\"'}", "<mi>&lt;b&gt;&amp;&quot;&#39;</mi>"},
		{"\\mathit{\\backslash{}\\char94{}\\char126{}\\}}", "<mi>\\^~}</mi>"},
		{"\\mathit{a\001\037\177b}", "<mi>ab</mi>"},
		{"\\mathit{\303\244\303\266}", "<mi>\303\244\303\266</mi>"},
		{"<x>", "<mo>&lt;</mo><mi>x</mi><mo>&gt;</mo>"},
		{"x \\text{ is null}", "<mi>x</mi><mtext>&#xA0;is&#xA0;null</mtext>"},
		{"\\begin{cases} 1 & \\text{if } x \\\\ 0 & \\text{otherwise} \\end{cases}",
			"<mrow><mo stretchy=\"true\">{</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mtext>if&#xA0;</mtext><mi>x</mi></mtd></mtr>"
			"<mtr><mtd><mn>0</mn></mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>"},
		{"\\begin{pmatrix} x \\\\ y \\end{pmatrix}",
			"<mrow><mo stretchy=\"true\">(</mo><mtable><mtr><mtd><mi>x</mi></mtd></mtr><mtr><mtd><mi>y</mi></mtd></mtr></mtable><mo stretchy=\"true\">)</mo></mrow>"},
		{"\\begin{aligned} & s_{1} \\end{aligned}",
			"<mrow><mtable><mtr><mtd></mtd><mtd><msub><mrow><mi>s</mi></mrow><mrow><mn>1</mn></mrow></msub></mtd></mtr></mtable></mrow>"},
	};
	DpsArena   *arena = gen_arena();
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const char *made = mathml(arena, cases[i][0]);
		char		wanted[1000];

		snprintf(wanted, sizeof(wanted), BEGIN "%s" END, cases[i][1]);
		if (!ok(made != NULL && strcmp(made, wanted) == 0, "%s", cases[i][0]))
			diag("%s", made == NULL ? "refused" : made);
	}
	dps_arena_clear(arena);
}

static void
test_refused(void)
{
	static const char *const cases[] = {
		"}", "{", "{x", "x}", "\\frac{1}", "\\frac{1}x", "\\sqrt[4]{x}", "\\left(x", "\\left(x\\right", "\\left<x\\right>", "x\\right)",
		"\\unknown", "\\sinx", "\\mathit{x", "\\mathit x", "\\mathit{\\frac}", "\\text{\\", "\\begin{table}x\\end{table}", "\\begin{cases} x \\end{pmatrix}",
		"\\end{cases}", "x & y", "x \\\\ y", "x^2", "x^", "_{1}x_", "^{2}", "x;y", "(x)", "&amp;", "x\ty", "\"", "\\", "\303\244"
	};
	char		deep[2001];
	DpsArena   *arena = gen_arena();
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(mathml(arena, cases[i]) == NULL, "refused: %s", cases[i]);
	for (i = 0; i < 1000; i++)
	{
		deep[i] = '{';
		deep[1000 + i] = '}';
	}
	deep[2000] = '\0';
	ok(mathml(arena, deep) == NULL, "a thousand braces are too deep");
	deep[1100] = '\0';
	ok(mathml(arena, deep + 900) != NULL, "a hundred are not");
	dps_arena_clear(arena);
}

/* Is every element closed in its order, and nothing between them that markup is made of? */
static bool
is_well_formed(const char *markup)
{
	const char *open[1000];
	int			depth = 0;
	const char *c;

	for (c = markup; *c != '\0'; c++)
	{
		size_t		length;

		if (*c == '>' || (*c == '&' && strchr(c, ';') == NULL))
			return false;
		if (*c != '<')
			continue;
		if (c[1] == '/')
		{
			length = strcspn(c + 2, ">");
			if (depth == 0 || strncmp(open[--depth], c + 2, length) != 0 || strchr(" >", open[depth][length]) == NULL)
				return false;
		}
		else if (depth == 1000)
			return false;
		else
			open[depth++] = c + 1;
		c += strcspn(c, ">");
		if (*c == '\0')
			return false;
	}
	return depth == 0;
}

static int
count(const char *text, const char *part)
{
	int			n = 0;

	for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
		n++;
	return n;
}

static bool
has_all_of(const char *latex, const char *made)
{
	static const char *const pairs[][2] = {
		{"\\frac", "<mfrac>"}, {"\\sqrt{", "<msqrt>"}, {"\\sqrt[", "<mroot>"}, {"\\begin{cases}", "{</mo><mtable>"}, {"^{", "<msup>"},
		{"\\cdot", "&#x22C5;"}, {"\\left(", ">(</mo>"}, {" + ", "<mo>+</mo>"}, {"-", "&#x2212;"}, {"\\operatorname{atan2}", "<mi>atan2</mi>"}
	};
	size_t		i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
	{
		if (count(latex, pairs[i][0]) != count(made, pairs[i][1]))
			return false;
	}
	return true;
}

static void
test_random(void)
{
	static const DpsType types[] = {DPS_FLOAT8, DPS_NUMERIC, DPS_INT8, DPS_BOOL};
	int			made_of = 0;
	int			failures = 0;
	int			i;

	for (i = 0; i < 4000 && failures < 3; i++)
	{
		DpsArena   *arena = gen_arena();
		Generator	g = gen_init(arena, GEN_ALL_TYPES);
		GenPair		e = gen_expression(&g, types[i % 4], 1 + random_below(6));
		const char *latex = print_text(g.simple, e.simple, true);
		const char *made = latex == NULL ? NULL : mathml(arena, latex);

		if (latex != NULL && (made == NULL || !is_well_formed(made) || !has_all_of(latex, made)))
		{
			diag("%s: %s", latex, made == NULL ? "refused" : made);
			failures++;
		}
		made_of += made != NULL;
		dps_arena_clear(arena);
	}
	ok(failures == 0 && made_of > 3900, "random expressions, of which %d are short enough", made_of);
}

static void
test_names(void)
{
	static const char *const names[] = {"\"<b onclick=x>\"", "\"a\\b\"", "\"\\}\"", "\"}</mi><script>\"", "\"^~\"", "_", "\"{\"", "\"a & b\"", "\"\\frac\""};
	static const char *const texts[] = {"&lt;b&#xA0;onclick=x&gt;", "a\\b", "\\}", "}&lt;/mi&gt;&lt;script&gt;", "^~", "_", "{", "a&#xA0;&amp;&#xA0;b", "\\frac"};
	size_t		i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		DpsArena   *arena = gen_arena();
		DpsGraph   *graph;
		char		wanted[200];
		const char *made;

		if (dps_graph_init(&graph, arena) != DPS_OK)
			abort();
		dps_graph_add_variable(graph, names[i], DPS_FLOAT8, false);
		made = mathml(arena, print_text(graph, dps_variable(graph, 0), true));
		snprintf(wanted, sizeof(wanted), BEGIN "<mi>%s</mi>" END, texts[i]);
		if (!ok(made != NULL && strcmp(made, wanted) == 0, "a column %s", names[i]))
			diag("%s", made == NULL ? "refused" : made);
		dps_arena_clear(arena);
	}
}

int
main(void)
{
	test_constructions();
	test_refused();
	test_names();
	test_random();
	return done_testing();
}
