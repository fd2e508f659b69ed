/*
 * mathml.c
 *		Printed LaTeX as MathML.
 *
 * It reads the LaTeX that the templates of the operation table and the printers make, so that an operation needs no
 * cell for MathML: a template may use what is in `symbols` and `functions`, \operatorname, \frac, \sqrt, fences by \left
 * and \right, {...}, and scripts.  Anything else is refused, and nothing is guessed.
 *
 *		sequence := { item [ ^ group ] [ _ group ] }
 *		item := number | letter | mark | { sequence } | \command ...
 *
 * Nothing that is appended can close an element that it did not open: text comes out by append_escaped or from the
 * tables here, and each element is closed by the function that opens it.  The reader goes down for a brace, a fence, a
 * cell of a table and an argument, and gives up at MAX_DEPTH.
 */
#include <string.h>

#include "expr/print/mathml.h"

#define MAX_DEPTH 200
#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

typedef struct Reader
{
	const char *c;
	DpsText    *text;
	int			depth;
	bool		failed;
} Reader;

typedef struct Word
{
	const char *name;
	const char *markup;
} Word;

/* Operators, which take no argument. */
static const Word symbols[] = {
	{"cdot", "&#x22C5;"}, {"bmod", "mod"}, {"neq", "&#x2260;"}, {"leq", "&#x2264;"}, {"geq", "&#x2265;"},
	{"neg", "&#xAC;"}, {"land", "&#x2227;"}, {"lor", "&#x2228;"}
};

/* Names of functions, whose argument is in a fence. */
static const Word functions[] = {
	{"ln", "ln"}, {"log", "log"}, {"sin", "sin"}, {"cos", "cos"}, {"tan", "tan"}, {"cot", "cot"}, {"arcsin", "arcsin"},
	{"arccos", "arccos"}, {"arctan", "arctan"}, {"sinh", "sinh"}, {"cosh", "cosh"}, {"tanh", "tanh"}, {"max", "max"}, {"min", "min"}
};

/* What stands behind \left and \right. */
static const Word fences[] = {
	{"(", "("}, {")", ")"}, {"|", "|"}, {"\\lfloor", "&#x230A;"}, {"\\rfloor", "&#x230B;"}, {"\\lceil", "&#x2308;"}, {"\\rceil", "&#x2309;"}
};

static void read_sequence(Reader *r);

/* Those of ASCII, whatever the locale. */
static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void
append(Reader *r, const char *markup)
{
	dps_text_append(r->text, markup);
}

/* Control characters, which XML has not, are left out. */
static void
append_escaped(Reader *r, char c)
{
	const char *reference = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : c == '\'' ? "&#39;" : NULL;

	if (reference != NULL)
		append(r, reference);
	else if ((unsigned char) c >= ' ' && c != 0x7F)
		dps_text_append_n(r->text, &c, 1);
}

/* Steps over the string if it comes next. */
static bool
accept_text(Reader *r, const char *string)
{
	size_t		length = strlen(string);

	if (strncmp(r->c, string, length) != 0)
		return false;
	r->c += length;
	return true;
}

static void
expect(Reader *r, const char *string)
{
	if (!r->failed && !accept_text(r, string))
		r->failed = true;
}

static void
read_group(Reader *r)
{
	expect(r, "{");
	if (r->failed)
		return;
	append(r, "<mrow>");
	read_sequence(r);
	append(r, "</mrow>");
	expect(r, "}");
}

static void
read_number(Reader *r)
{
	append(r, "<mn>");
	while (is_digit(*r->c) || *r->c == '.')
		append_escaped(r, *r->c++);
	append(r, "</mn>");
}

/* A character of a name or a text: a backslash stands before what is special in LaTeX.  Blanks at the ends of an element
 * would be left out, so they are those that are not. */
static void
read_character(Reader *r)
{
	if (accept_text(r, "\\backslash{}"))
		append_escaped(r, '\\');
	else if (accept_text(r, "\\char94{}"))
		append_escaped(r, '^');
	else if (accept_text(r, "\\char126{}"))
		append_escaped(r, '~');
	else if (accept_text(r, " "))
		append(r, "&#xA0;");
	else if (*r->c != '\\')
		append_escaped(r, *r->c++);
	else if (r->c[1] != '\0' && strchr("_#$%&{}", r->c[1]) != NULL)
	{
		append_escaped(r, r->c[1]);
		r->c += 2;
	}
	else
		r->failed = true;
}

static void
read_text(Reader *r, const char *open, const char *close)
{
	expect(r, "{");
	append(r, open);
	while (!r->failed && *r->c != '}' && *r->c != '\0')
		read_character(r);
	append(r, close);
	expect(r, "}");
}

/* The fence that comes next, as an operator that grows with what is in it. */
static void
read_fence(Reader *r)
{
	size_t		i;

	for (i = 0; i < COUNT(fences); i++)
	{
		if (!accept_text(r, fences[i].name))
			continue;
		append(r, "<mo stretchy=\"true\">");
		append(r, fences[i].markup);
		append(r, "</mo>");
		return;
	}
	r->failed = true;
}

static void
read_fenced(Reader *r)
{
	append(r, "<mrow>");
	read_fence(r);
	read_sequence(r);
	expect(r, "\\right");
	if (!r->failed)
		read_fence(r);
	append(r, "</mrow>");
}

static void
read_root(Reader *r)
{
	bool		is_cube = accept_text(r, "[3]");

	append(r, is_cube ? "<mroot>" : "<msqrt>");
	read_group(r);
	append(r, is_cube ? "<mn>3</mn></mroot>" : "</msqrt>");
}

static void
read_fraction(Reader *r)
{
	append(r, "<mfrac>");
	read_group(r);
	read_group(r);
	append(r, "</mfrac>");
}

/* Rows of cells, up to the end of the environment. */
static void
read_table(Reader *r, const char *end)
{
	append(r, "<mtable><mtr><mtd>");
	while (!r->failed)
	{
		read_sequence(r);
		if (accept_text(r, "\\\\"))
			append(r, "</mtd></mtr><mtr><mtd>");
		else if (accept_text(r, "&"))
			append(r, "</mtd><mtd>");
		else
			break;
	}
	append(r, "</mtd></mtr></mtable>");
	expect(r, end);
}

static void
read_environment(Reader *r)
{
	append(r, "<mrow>");
	if (accept_text(r, "{cases}"))
	{
		append(r, "<mo stretchy=\"true\">{</mo>");
		read_table(r, "\\end{cases}");
	}
	else if (accept_text(r, "{pmatrix}"))
	{
		append(r, "<mo stretchy=\"true\">(</mo>");
		read_table(r, "\\end{pmatrix}");
		append(r, "<mo stretchy=\"true\">)</mo>");
	}
	else
	{
		expect(r, "{aligned}");
		read_table(r, "\\end{aligned}");
	}
	append(r, "</mrow>");
}

/* A word of a table, in its element. */
static bool
append_word(Reader *r, const char *name, size_t length, const Word *words, size_t n, const char *open, const char *close)
{
	size_t		i;

	for (i = 0; i < n; i++)
	{
		if (strlen(words[i].name) != length || strncmp(words[i].name, name, length) != 0)
			continue;
		append(r, open);
		append(r, words[i].markup);
		append(r, close);
		return true;
	}
	return false;
}

static bool
is_word(const char *name, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(name, word, length) == 0;
}

/* The reader is behind the backslash. */
static void
read_command(Reader *r)
{
	const char *name = r->c;
	size_t		length;

	while (is_letter(*r->c))
		r->c++;
	length = (size_t) (r->c - name);
	if (is_word(name, length, "frac"))
		read_fraction(r);
	else if (is_word(name, length, "sqrt"))
		read_root(r);
	else if (is_word(name, length, "left"))
		read_fenced(r);
	else if (is_word(name, length, "mathit"))
		read_text(r, "<mi>", "</mi>");
	else if (is_word(name, length, "operatorname"))
		read_text(r, "<mi>", "</mi>");
	else if (is_word(name, length, "text"))
		read_text(r, "<mtext>", "</mtext>");
	else if (is_word(name, length, "begin"))
		read_environment(r);
	else if (!append_word(r, name, length, symbols, COUNT(symbols), "<mo>", "</mo>") &&
			 !append_word(r, name, length, functions, COUNT(functions), "<mi>", "</mi>"))
		r->failed = true;
}

static void
read_mark(Reader *r)
{
	append(r, "<mo>");
	if (*r->c == '-')
		append(r, "&#x2212;");
	else
		append_escaped(r, *r->c);
	r->c++;
	append(r, "</mo>");
}

static void
read_item(Reader *r)
{
	if (is_digit(*r->c) || *r->c == '.')
		read_number(r);
	else if (is_letter(*r->c))
	{
		append(r, "<mi>");
		append_escaped(r, *r->c++);
		append(r, "</mi>");
	}
	else if (*r->c == '{')
		read_group(r);
	else if (accept_text(r, "\\"))
		read_command(r);
	else if (*r->c != '\0' && strchr("+-=<>,", *r->c) != NULL)
		read_mark(r);
	else
		r->failed = true;
}

/* Puts markup before what was appended since a place. */
static void
insert(Reader *r, size_t place, const char *markup)
{
	size_t		length = strlen(markup);

	append(r, markup);
	if (r->text->failed)
		return;
	memmove(r->text->data + place + length, r->text->data + place, r->text->length - length - place);
	memcpy(r->text->data + place, markup, length);
}

/* An item with its scripts. */
static void
read_scripted(Reader *r)
{
	size_t		place = r->text->length;

	read_item(r);
	while (!r->failed && (*r->c == '^' || *r->c == '_'))
	{
		bool		is_power = *r->c++ == '^';

		insert(r, place, is_power ? "<msup><mrow>" : "<msub><mrow>");
		append(r, "</mrow>");
		read_group(r);
		append(r, is_power ? "</msup>" : "</msub>");
	}
}

/* Does the sequence end here, before what its reader has to read? */
static bool
is_end(const Reader *r)
{
	return *r->c == '\0' || *r->c == '}' || *r->c == '&' || strncmp(r->c, "\\\\", 2) == 0 ||
		strncmp(r->c, "\\end{", 5) == 0 || (strncmp(r->c, "\\right", 6) == 0 && !is_letter(r->c[6]));
}

static void
skip_blanks(Reader *r)
{
	while (*r->c == ' ')
		r->c++;
}

static void
read_sequence(Reader *r)
{
	if (++r->depth > MAX_DEPTH)
		r->failed = true;
	skip_blanks(r);
	while (!r->failed && !r->text->failed && !is_end(r))
	{
		read_scripted(r);
		skip_blanks(r);
	}
	r->depth--;
}

DpsStatus
dps_latex_to_mathml(const char *latex, DpsText *text)
{
	Reader		r = {latex, text, 0, false};

	append(&r, "<math display=\"inline\"><mrow>");
	read_sequence(&r);
	append(&r, "</mrow></math>");
	if (text->failed)
		return DPS_NOMEM;
	return r.failed || *r.c != '\0' ? DPS_UNABLE : DPS_OK;
}
