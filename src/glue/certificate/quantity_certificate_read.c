/*
 * quantity_certificate_read.c
 *		Certificates from JSON.
 *
 * The format is checked here, and a malformed document is an error.  dps_check_proof
 * decides whether the proofs hold.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "glue/certificate/quantity_certificate.h"
#include "glue/compat.h"

pg_noreturn pg_attribute_printf(1, 2)
static void
refuse(const char *format,...)
{
	char		detail[512];
	va_list		args;

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("malformed certificate"),
			 errdetail("%s", detail),
			 errhint("A certificate is what dpsens.certificate returns, unchanged.")));
	pg_unreachable();
}

/*
 * Reading JSON
 */

static bool
is_null(const JsonbValue *value)
{
	return value == NULL || value->type == jbvNull;
}

static JsonbValue *
find(JsonbContainer *object, const char *key)
{
	return getKeyJsonValueFromContainer(object, key, strlen(key), NULL);
}

static JsonbContainer *
as_object(const JsonbValue *value, const char *what)
{
	if (value == NULL || value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		refuse("\"%s\" must be an object.", what);
	return value->val.binary.data;
}

static JsonbContainer *
as_array(const JsonbValue *value, const char *what)
{
	if (value == NULL || value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerIsScalar(value->val.binary.data))
		refuse("\"%s\" must be an array.", what);
	return value->val.binary.data;
}

static JsonbContainer *
as_array_of(const JsonbValue *value, const char *what, int n)
{
	JsonbContainer *array = as_array(value, what);

	if (JsonContainerSize(array) != (uint32) n)
		refuse("\"%s\" must have %d entries.", what, n);
	return array;
}

static char *
as_string(const JsonbValue *value, const char *what)
{
	if (value == NULL || value->type != jbvString)
		refuse("\"%s\" must be a string.", what);
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* missing: the result for null, and for a key that is not there. */
static double
as_number(const JsonbValue *value, const char *what, double missing)
{
	if (is_null(value))
		return missing;
	if (value->type != jbvNumeric)
		refuse("\"%s\" must be a number or null.", what);
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
}

static double *
as_numbers(const JsonbValue *value, const char *what, int n)
{
	JsonbContainer *array = as_array_of(value, what, n);
	double	   *numbers = palloc(sizeof(double) * n);
	int			k;

	for (k = 0; k < n; k++)
		numbers[k] = as_number(getIthJsonbValueFromContainer(array, k), what, NAN);
	return numbers;
}

/*
 * Proofs
 */

/* The context in which one part is read. */
typedef struct Reader
{
	const DpsGraph *graph;		/* of the part's claim */
	const char *part;
	int			n;				/* dimensions */
} Reader;

static int
dimension(const Reader *reader, const char *name)
{
	int			k;

	for (k = 0; k < reader->n; k++)
	{
		if (strcmp(dps_dimension_name(reader->graph, k), name) == 0)
			return k;
	}
	refuse("Part \"%s\" has no column \"%s\".", reader->part, name);
	return -1;					/* keep the compiler quiet */
}

/* [lo, hi], [lo, hi, null] if it may be NULL, or null */
static DpsDomain
read_domain(const JsonbValue *value, const DpsDomain *root)
{
	DpsDomain	domain = {.nullness = DPS_ALWAYS_NULL, .integral = root->integral};
	JsonbContainer *array;
	bool		nullable;

	if (is_null(value))
		return domain;
	array = as_array(value, "box");
	nullable = JsonContainerSize(array) == 3 && is_null(getIthJsonbValueFromContainer(array, 2));
	if (JsonContainerSize(array) != 2 && !nullable)
		refuse("A column's range in a \"box\" must be [lo, hi], [lo, hi, null] or null.");
	domain.nullness = nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
	domain.lo = as_number(getIthJsonbValueFromContainer(array, 0), "box", NAN);
	domain.hi = as_number(getIthJsonbValueFromContainer(array, 1), "box", NAN);
	return domain;
}

static DpsDomain *
read_domains(const Reader *reader, const DpsClaim *claim, const JsonbValue *value)
{
	JsonbContainer *array = as_array_of(value, "box", reader->n);
	DpsDomain  *domains = palloc(sizeof(DpsDomain) * reader->n);
	int			k;

	for (k = 0; k < reader->n; k++)
		domains[k] = read_domain(getIthJsonbValueFromContainer(array, k), &claim->root[k]);
	return domains;
}

/* The box, in which faces have moved columns to an end: {"a": 2}; NULL if they have
 * not. */
static DpsDomain *
read_region(const Reader *reader, const DpsDomain *covered, const JsonbValue *face)
{
	size_t		size = sizeof(DpsDomain) * reader->n;
	DpsDomain  *region = memcpy(palloc(size), covered, size);
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	value;
	int			k = 0;

	if (face == NULL)
		return region;
	iterator = JsonbIteratorInit(as_object(face, "face"));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			k = dimension(reader, as_string(&value, "face"));
		else if (token == WJB_VALUE)
			region[k].lo = region[k].hi = as_number(&value, "face", NAN);
	}
	return region;
}

static DpsBoxMethod
read_method(const JsonbValue *value)
{
	char	   *name = as_string(value, "by");
	int			method;

	for (method = DPS_BY_INTERVAL; method < DPS_BOX_METHODS; method++)
	{
		if (strcmp(name, dps_method_name(method)) == 0)
			return method;
	}
	refuse("A box is bounded by an unknown method, \"%s\".", name);
	return DPS_BY_INTERVAL;		/* keep the compiler quiet */
}

static void
read_box(const Reader *reader, const DpsClaim *claim, const JsonbValue *value, DpsStep *step)
{
	JsonbContainer *box = as_object(value, "boxes");
	JsonbValue *centre = find(box, "centre");

	step->kind = DPS_STEP_BOX;
	step->covered = read_domains(reader, claim, find(box, "box"));
	step->region = read_region(reader, step->covered, find(box, "face"));
	step->method = read_method(find(box, "by"));
	step->upper = as_number(find(box, "upper"), "upper", -INFINITY);
	if (centre != NULL)
		step->centre = as_numbers(centre, "centre", reader->n);
}

static void
read_face(const Reader *reader, JsonbContainer *face, DpsStep *step)
{
	JsonbIterator *iterator = JsonbIteratorInit(face);
	JsonbIteratorToken token;
	JsonbValue	value;
	uint64_t	bit = 0;

	step->kind = DPS_STEP_FACE;
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			bit = UINT64_C(1) << dimension(reader, as_string(&value, "face"));
		else if (token == WJB_VALUE)
		{
			char	   *end = as_string(&value, "face");

			if (strcmp(end, "hi") != 0 && strcmp(end, "lo") != 0)
				refuse("An end of a \"face\" must be \"lo\" or \"hi\".");
			if (end[0] == 'h')
				step->to_hi |= bit;
			else
				step->to_lo |= bit;
		}
	}
}

/* A cut, a turn or a face. */
static void
read_branch(const Reader *reader, const JsonbValue *value, DpsStep *step)
{
	JsonbContainer *object;
	JsonbValue *name;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		refuse("An entry of \"tree\" must be null, a cut, a turn or a face.");
	object = value->val.binary.data;
	if ((name = find(object, "cut")) != NULL)
	{
		step->kind = DPS_STEP_CUT;
		step->variable = dimension(reader, as_string(name, "cut"));
		step->at = as_number(find(object, "at"), "at", NAN);
	}
	else if ((name = find(object, "null")) != NULL)
	{
		step->kind = DPS_STEP_CUT_NULL;
		step->variable = dimension(reader, as_string(name, "null"));
	}
	else if ((name = find(object, "face")) != NULL)
		read_face(reader, as_object(name, "face"), step);
	else if ((name = find(object, "turn")) != NULL)
	{
		double	   *to = as_numbers(find(object, "to"), "to", 2);

		step->kind = DPS_STEP_TURN;
		step->variable = dimension(reader, as_string(name, "turn"));
		step->lo = to[0];
		step->hi = to[1];
	}
	else
		refuse("An entry of \"tree\" must be null, a cut, a turn or a face.");
}

/*
 * Merges the tree with the boxes that its nulls stand for.  If there are too few boxes,
 * the steps end there; superfluous boxes are appended.  dps_check_proof finds both
 * flaws.
 */
static void
read_proof(const Reader *reader, JsonbContainer *part, const DpsClaim *claim, DpsProof *proof)
{
	JsonbContainer *tree = as_array(find(part, "tree"), "tree");
	JsonbContainer *boxes = as_array(find(part, "boxes"), "boxes");
	uint32		ntree = JsonContainerSize(tree);
	uint32		nboxes = JsonContainerSize(boxes);
	DpsStep    *steps = palloc0(sizeof(DpsStep) * ((size_t) ntree + nboxes + 1));
	uint32		box = 0;
	uint32		i;

	for (i = 0; i < ntree; i++)
	{
		JsonbValue *branch = getIthJsonbValueFromContainer(tree, i);

		CHECK_FOR_INTERRUPTS();
		if (!is_null(branch))
			read_branch(reader, branch, &steps[proof->nsteps++]);
		else if (box < nboxes)
			read_box(reader, claim, getIthJsonbValueFromContainer(boxes, box++), &steps[proof->nsteps++]);
		else
			break;
	}
	for (; box < nboxes; box++)
		read_box(reader, claim, getIthJsonbValueFromContainer(boxes, box), &steps[proof->nsteps++]);
	proof->steps = steps;
	proof->upper = as_number(find(part, "upper"), "upper", -INFINITY);
}

/*
 * Parts
 */

static DpsClaimForm
read_form(const JsonbValue *value)
{
	char	   *name = as_string(value, "form");
	int			form;

	for (form = DPS_FORM_PLAIN; form < DPS_CLAIM_FORMS; form++)
	{
		if (strcmp(name, dps_form_name(form)) == 0)
			return form;
	}
	refuse("A part has an unknown form, \"%s\".", name);
	return DPS_FORM_PLAIN;		/* keep the compiler quiet */
}

static void
check_columns(const Reader *reader, const JsonbValue *value)
{
	JsonbContainer *columns = as_array_of(value, "columns", reader->n);
	int			k;

	for (k = 0; k < reader->n; k++)
	{
		char	   *name = as_string(getIthJsonbValueFromContainer(columns, k), "columns");

		if (strcmp(name, dps_dimension_name(reader->graph, k)) != 0)
			refuse("Column %d of part \"%s\" must be \"%s\".", k + 1, reader->part,
				   dps_dimension_name(reader->graph, k));
	}
}

static void
read_part(DpsCertificate *certificate, const char *name, const JsonbValue *value)
{
	JsonbContainer *object = as_object(value, name);
	DpsCertificatePart    *part = dps_add_part(certificate);
	JsonbValue *expression = find(object, "expression");
	JsonbValue *score = find(object, "score");
	JsonbValue *witness = find(object, "witness");
	Reader		reader = {.part = name};

	if (!dps_parse_claim_name(certificate, name, &part->claim.kind, &part->claim.variable))
		refuse("\"%s\" is not a part.", name);
	part->claim.form = read_form(find(object, "form"));
	if (!dps_state_claim(certificate, part))
		refuse("Part \"%s\" has no such form.", name);
	part->expression = is_null(expression) ? NULL : as_string(expression, "expression");
	part->score = is_null(score) ? NULL : as_string(score, "score");
	reader.graph = part->claim.graph;
	reader.n = part->claim.ndimensions;
	check_columns(&reader, find(object, "columns"));
	part->lower = as_number(find(object, "lower"), "lower", -INFINITY);
	if (part->lower > -INFINITY)
		memcpy(part->witness, as_numbers(witness, "witness", part->claim.nwitness),
			   sizeof(double) * part->claim.nwitness);
	read_proof(&reader, object, &part->claim, &part->proof);
}

/* Calls `read` for each member of an object. */
static void
read_members(DpsCertificate *certificate, JsonbContainer *object,
			 void (*read) (DpsCertificate *certificate, const char *name, const JsonbValue *value))
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbIteratorToken token;
	JsonbValue	value;
	char	   *name = NULL;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			name = pnstrdup(value.val.string.val, value.val.string.len);
		else if (token == WJB_VALUE)
			read(certificate, name, &value);
	}
}

/*
 * The document
 */

static void
read_quantity(DpsCertificate *certificate, const char *name, const JsonbValue *value)
{
	JsonbContainer *object = as_object(value, name);
	DpsCertified *quantity = dps_add_quantity(certificate);
	DpsClaimName claims[DPS_MAX_QUANTITY_CLAIMS];
	int			n;

	if (!dps_parse_quantity_name(certificate, name, &quantity->kind, &quantity->variable))
		refuse("\"%s\" is not a quantity.", name);
	quantity->lower = as_number(find(object, "lower"), "lower", -INFINITY);
	quantity->upper = as_number(find(object, "upper"), "upper", INFINITY);
	n = dps_quantity_claims(certificate, quantity->kind, quantity->variable, claims);
	while (n-- > 0)
	{
		if (dps_find_part(certificate, claims[n].kind, claims[n].variable) == NULL)
			refuse("Part \"%s\" is missing, on which \"%s\" rests.",
				   dps_claim_name(certificate, claims[n].kind, claims[n].variable), name);
	}
}

static int
column(const DpsCertificate *certificate, const char *name)
{
	int			k;

	for (k = 0; k < certificate->ncolumns; k++)
		if (strcmp(dps_dimension_name(certificate->analysis.graph, k), name) == 0)
			return k;
	refuse("There is no column \"%s\".", name);
	return -1;					/* keep the compiler quiet */
}

/* The columns that move by steps, if there are any. */
static void
read_steps(DpsCertificate *certificate, const JsonbValue *value)
{
	JsonbContainer *names;
	uint64_t	steps = 0;
	char	   *why;
	uint32		i;

	if (value == NULL)
		return;
	names = as_array(value, "steps");
	for (i = 0; i < JsonContainerSize(names); i++)
		steps |= UINT64_C(1) << column(certificate, as_string(getIthJsonbValueFromContainer(names, i), "steps"));
	why = dps_set_steps(certificate, steps);
	if (why != NULL)
		refuse("No steps: %s.", why);
}

static void
check_format(JsonbContainer *document)
{
	char	   *format = as_string(find(document, "format"), "format");
	double		version = as_number(find(document, "version"), "version", 0);

	if (strcmp(format, DPS_CERTIFICATE_FORMAT) != 0)
		refuse("\"format\" must be \"%s\".", DPS_CERTIFICATE_FORMAT);
	if (version != DPS_CERTIFICATE_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("certificates of version %g are not supported", version),
				 errdetail("This version of dpsens reads version %d.", DPS_CERTIFICATE_VERSION)));
}

void
dps_certificate_from_jsonb(DpsCertificate *certificate, Jsonb *document)
{
	JsonbContainer *root = &document->root;
	JsonbValue *ranges;
	char	   *expression;

	if (!JB_ROOT_IS_OBJECT(document))
		refuse("It must be an object.");
	check_format(root);
	expression = as_string(find(root, "expression"), "expression");
	ranges = find(root, "ranges");
	(void) as_object(ranges, "ranges");
	dps_certificate_init(certificate, expression, JsonbValueToJsonb(ranges));
	read_steps(certificate, find(root, "steps"));
	read_members(certificate, as_object(find(root, "parts"), "parts"), read_part);
	read_members(certificate, as_object(find(root, "quantities"), "quantities"), read_quantity);
	if (certificate->nquantities == 0)
		refuse("It certifies no quantity.");
}
