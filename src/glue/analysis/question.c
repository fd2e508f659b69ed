/*
 * question.c
 *		Questions to the search and their answers, as bytes.
 *
 * A bracket is a theorem: for this function over this box, the quantity lies
 * between lower and upper.  It follows from
 *
 * - the function: the program that the node compiles to (constants by their
 *	 bits), the columns' types and whether they can be NULL;
 * - the box: for each column its ends, its NULLs, whether it holds integers
 *	 only; conditions have narrowed it already;
 * - the quantity, its column, and for Lipschitz constants which columns are
 *	 private and their weights;
 * - how long to search: tolerance and number of boxes;
 * - the mathematics that proved it: a digest of the sources, so that a build with
 *	 other sources does not use the brackets of this one.
 *
 * All of these are in the question.  Names are not: columns are identified by their
 * position, so equal expressions over different tables are one question.
 *
 * Structures are copied by positional initializers and then written field by field.
 * When a field is added, the compiler warns of the missing initializer, and it must be
 * decided here whether the answer follows from that field.
 */
#include "postgres.h"

#include "bound/dimension.h"
#include "glue/analysis/question.h"
#include "glue/glue.h"

/* Bracket's flags. */
#define BRACKET_EMPTY 0x1
#define BRACKET_EXHAUSTED 0x2
#define BRACKET_FULL 0x4

StaticAssertDecl(sizeof(DPS_MATH_DIGEST) > 32, "the digest of the mathematics is missing");
StaticAssertDecl(sizeof(DpsInstruction) == 48, "instructions are compared as bytes, so they must have no padding");

/*
 * The search
 */

static DpsStatus
search_lipschitz(const DpsQuestion *q, DpsGradientNorm norm, DpsBracket *bracket)
{
	return dps_lipschitz(q->graph, q->node, q->box, q->policy, norm, &q->options, bracket);
}

static DpsStatus
search(const DpsQuestion *q, DpsBracket *bracket)
{
	switch (q->kind)
	{
		case DPS_ASK_INFIMUM:
			return dps_infimum(q->graph, q->node, q->box, &q->options, bracket);
		case DPS_ASK_SUPREMUM:
			return dps_supremum(q->graph, q->node, q->box, &q->options, bracket);
		case DPS_ASK_PARTIAL_INFIMUM:
			return dps_partial_infimum(q->graph, q->node, q->box, &q->options, bracket);
		case DPS_ASK_PARTIAL_SUPREMUM:
			return dps_partial_supremum(q->graph, q->node, q->box, &q->options, bracket);
		case DPS_ASK_ATTRIBUTE:
			return dps_attribute(q->graph, q->node, q->box, q->variable, &q->options, bracket);
		case DPS_ASK_SLOPE:
			return dps_slope(q->graph, q->node, q->box, q->variable, &q->options, bracket);
		case DPS_ASK_LIPSCHITZ_1:
			return search_lipschitz(q, DPS_NORM_1, bracket);
		case DPS_ASK_LIPSCHITZ_2:
			return search_lipschitz(q, DPS_NORM_2, bracket);
		case DPS_ASK_LIPSCHITZ_INFINITY:
			return search_lipschitz(q, DPS_NORM_INFINITY, bracket);
		case DPS_ASK_EVALUATION_ERROR:
			return dps_evaluation_error(q->graph, q->node, q->box, &bracket->upper);
	}
	return DPS_UNABLE;
}

void
dps_search_answer(const DpsQuestion *question, DpsBracket *bracket)
{
	memset(bracket, 0, sizeof(*bracket));
	dps_check_status(search(question, bracket));
}

/*
 * Questions
 */

static void
put(StringInfo bytes, const void *data, size_t length)
{
	appendBinaryStringInfo(bytes, data, length);
}

static void
put_byte(StringInfo bytes, unsigned value)
{
	appendStringInfoCharMacro(bytes, (char) value);
}

static void
put_double(StringInfo bytes, double value)
{
	put(bytes, &value, sizeof(value));
}

static void
put_uint64(StringInfo bytes, uint64 value)
{
	put(bytes, &value, sizeof(value));
}

static void
put_column(StringInfo bytes, const DpsVariable *variable, const DpsDomain *domain)
{
	const DpsVariable v = {"", variable->type, variable->nullable};
	const DpsDomain d = {domain->lo, domain->hi, domain->nullness, domain->integral};

	put_byte(bytes, v.type);
	put_byte(bytes, v.nullable);
	put_double(bytes, d.lo);
	put_double(bytes, d.hi);
	put_byte(bytes, d.nullness);
	put_byte(bytes, d.integral);
}

static void
put_options(StringInfo bytes, const DpsBoundOptions *options)
{
	/* the time limit is no part of the question: a bracket that it ended is not kept
	 * (dps_pack_bracket) */
	const DpsBoundOptions o = {options->tolerance, options->max_boxes, 0, 0, 0};

	put_double(bytes, o.tolerance);
	put_uint64(bytes, o.max_boxes);
}

static void
put_policy(StringInfo bytes, const DpsPolicy *policy, int ncolumns)
{
	int			j;

	put_uint64(bytes, policy->private_variables);
	for (j = 0; j < ncolumns; j++)
		put_double(bytes, policy->weights[j]);
}

/* A program has the nearest double and the interval of a constant that no double
 * equals. */
static void
put_constants(StringInfo bytes, const DpsGraph *graph, const DpsProgram *program)
{
	DpsText		text;
	uint32		i;

	dps_text_init(&text, graph->arena);
	for (i = 0; i < program->ninstructions; i++)
		if (program->code[i].op == DPS_OP_CONST && program->code[i].range.lo < program->code[i].range.hi)
			dps_text_constant(&text, dps_node_of(graph, program->code[i].node));
	dps_check_status(text.failed ? DPS_NOMEM : DPS_OK);
	put(bytes, text.data, text.length);
}

/* The node's program, without the fields that depend on the graph's other nodes. */
static void
put_node(StringInfo bytes, const DpsGraph *graph, const DpsNode *node, int ncolumns)
{
	const DpsProgram *program;
	DpsProgram *canonical;
	uint32		i;

	dps_check_status(dps_compile(graph, &node, 1, &program));
	canonical = palloc(program->size);
	memcpy(canonical, program, program->size);
	canonical->nvariables = ncolumns;
	for (i = 0; i < canonical->ninstructions; i++)
		canonical->code[i].node = 0;
	put(bytes, canonical, canonical->size);
	put_constants(bytes, graph, program);
	pfree(canonical);
}

static bool
names_column(DpsQuestionKind kind)
{
	return kind == DPS_ASK_ATTRIBUTE || kind == DPS_ASK_SLOPE;
}

void
dps_pack_question(const DpsQuestion *q, StringInfo bytes)
{
	int			ncolumns = dps_columns(q->graph);
	int			j;

	put(bytes, DPS_MATH_DIGEST, sizeof(DPS_MATH_DIGEST) - 1);
	put_byte(bytes, q->kind);
	put_byte(bytes, names_column(q->kind) ? q->variable : 0);
	put_byte(bytes, ncolumns);
	put_byte(bytes, q->policy != NULL);
	if (q->kind != DPS_ASK_EVALUATION_ERROR)
		put_options(bytes, &q->options);
	for (j = 0; j < ncolumns; j++)
		put_column(bytes, &q->graph->variables[j], &q->box[j]);
	if (q->policy != NULL)
		put_policy(bytes, q->policy, ncolumns);
	put_node(bytes, q->graph, q->node, ncolumns);
}

/*
 * Answers
 */

/* The culprit as a program, none if there is none. */
static void
put_culprit(StringInfo bytes, const DpsGraph *graph, const DpsNode *culprit)
{
	const DpsProgram *program;

	if (culprit == NULL)
		return;
	dps_check_status(dps_compile(graph, &culprit, 1, &program));
	put(bytes, program, program->size);
}

/* Does the culprit use the columns only?  A variable that the search has added does not
 * exist in another graph. */
static bool
is_of_columns(const DpsGraph *graph, const DpsNode *culprit)
{
	int			ncolumns = dps_columns(graph);

	return culprit == NULL || ncolumns > DPS_MAX_VARIABLES ||
		(culprit->variables >> ncolumns) == 0;
}

bool
dps_pack_bracket(const DpsQuestion *q, const DpsBracket *bracket, StringInfo bytes)
{
	const DpsBracket b = {bracket->status, bracket->lower, bracket->upper, bracket->witness, bracket->empty,
	bracket->exhausted, bracket->late, bracket->full, bracket->boxes, bracket->steps, bracket->culprit};

	/* max_boxes and memory end a search always at the same box, a time limit does not */
	if (b.late || !is_of_columns(q->graph, b.culprit))
		return false;
	put_byte(bytes, b.status);
	put_byte(bytes, (b.empty ? BRACKET_EMPTY : 0) | (b.exhausted ? BRACKET_EXHAUSTED : 0) | (b.full ? BRACKET_FULL : 0));
	put_double(bytes, b.lower);
	put_double(bytes, b.upper);
	put_uint64(bytes, b.boxes);
	put_uint64(bytes, b.steps);
	put(bytes, b.witness.x, sizeof(double) * dps_columns(q->graph));
	/* the moved column's value in the other row of an attribute's pair */
	put_double(bytes, b.witness.x[DPS_MAX_VARIABLES]);
	put_culprit(bytes, q->graph, b.culprit);
	return true;
}

typedef struct Reader
{
	const char *next;
	size_t		left;
} Reader;

static bool
get(Reader *reader, void *data, size_t length)
{
	if (reader->left < length)
		return false;
	memcpy(data, reader->next, length);
	reader->next += length;
	reader->left -= length;
	return true;
}

/* The rest of the bytes is the culprit's program; none if there is no culprit. */
static bool
get_culprit(Reader *reader, DpsGraph *graph, const DpsNode **culprit)
{
	DpsProgram *program;
	DpsStatus	status;

	if (reader->left == 0)
		return true;
	/* a copy, because the bytes may not be aligned */
	program = palloc(reader->left);
	memcpy(program, reader->next, reader->left);
	status = dps_decompile(graph, program, reader->left, culprit, 1);
	pfree(program);
	if (status != DPS_UNABLE)
		dps_check_status(status);
	return status == DPS_OK;
}

bool
dps_unpack_bracket(const DpsQuestion *q, const char *bytes, size_t length, DpsBracket *bracket)
{
	Reader		reader = {.next = bytes, .left = length};
	uint8		status;
	uint8		flags;

	memset(bracket, 0, sizeof(*bracket));
	if (!get(&reader, &status, 1) || !get(&reader, &flags, 1) ||
		!get(&reader, &bracket->lower, sizeof(double)) || !get(&reader, &bracket->upper, sizeof(double)) ||
		!get(&reader, &bracket->boxes, sizeof(uint64)) || !get(&reader, &bracket->steps, sizeof(uint64)) ||
		!get(&reader, bracket->witness.x, sizeof(double) * dps_columns(q->graph)) ||
		!get(&reader, &bracket->witness.x[DPS_MAX_VARIABLES], sizeof(double)) || status > DPS_UNABLE)
		return false;
	bracket->status = status;
	bracket->empty = (flags & BRACKET_EMPTY) != 0;
	bracket->exhausted = (flags & BRACKET_EXHAUSTED) != 0;
	bracket->full = (flags & BRACKET_FULL) != 0;
	return get_culprit(&reader, q->graph, &bracket->culprit);
}
