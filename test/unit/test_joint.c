/*
 * test_joint.c
 *		Joint norms of vectors: known values, random vectors sampled, refusals.
 *
 * Files: bound/quantity/column_move.c, bound/quantity/vector_space.c, bound/vector/matrix.c.
 */
#include <math.h>

#include "bound/vector/joint.h"
#include "expr/enclose.h"
#include "parse.h"
#include "reference.h"
#include "scarce.h"
#include "tap.h"

#define MAX_COLUMNS 5
#define MAX_TEXT 200

typedef struct Column
{
	const char *name;
	double		lo;
	double		hi;
	DpsType		type;
	bool		nullable;
	double		weight;			/* 0 stands for 1 */
} Column;

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	DpsPolicy	policy;
	const DpsNode *entry[DPS_MAX_ENTRIES + 1];
	int			n;
	DpsJoint	joint;
} Fixture;

#define F8(name, lo, hi) {name, lo, hi, DPS_FLOAT8, false, 0}
#define I4(name, lo, hi) {name, lo, hi, DPS_INT4, false, 0}

/* Entries are separated by semicolons. */
static bool
read_entries(Fixture *f, const char *sql)
{
	char		text[MAX_TEXT * DPS_MAX_ENTRIES];
	char	   *next = text;

	snprintf(text, sizeof(text), "%s", sql);
	f->n = 0;
	while (next != NULL && f->n < DPS_MAX_ENTRIES)
	{
		char	   *end = strchr(next, ';');

		if (end != NULL)
			*end++ = '\0';
		f->entry[f->n] = dps_as_float8(f->graph, parse_expression(f->graph, next));
		if (f->entry[f->n++] == NULL)
			return false;
		next = end;
	}
	return true;
}

static bool
set_up_on(Fixture *f, const DpsHost *host, const Column *columns, const char *sql)
{
	int			j;

	memset(f, 0, sizeof(*f));
	if (dps_arena_init(&f->arena, host) != DPS_OK || dps_graph_init(&f->graph, f->arena) != DPS_OK)
		return false;
	for (j = 0; j < MAX_COLUMNS && columns[j].name != NULL; j++)
	{
		(void) dps_graph_add_variable(f->graph, columns[j].name, columns[j].type, columns[j].nullable);
		f->box[j].lo = columns[j].lo;
		f->box[j].hi = columns[j].hi;
		f->box[j].nullness = columns[j].nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
		f->box[j].integral = dps_type_is_integer(columns[j].type);
		f->policy.private_variables |= columns[j].name[0] != 'p' ? UINT64_C(1) << j : 0;
		f->policy.weights[j] = columns[j].weight > 0 ? columns[j].weight : 1;
	}
	return read_entries(f, sql) &&
		dps_joint_init(&f->joint, f->graph, f->entry, f->n, f->box, &f->policy, NULL) == DPS_OK;
}

static bool
set_up(Fixture *f, const Column *columns, const char *sql)
{
	return ok(set_up_on(f, &tap_host, columns, sql), "reads %s", sql);
}

typedef enum Quantity
{
	MAGNITUDE,
	DIAMETER,
	LIPSCHITZ,
	ATTRIBUTE					/* of column 0; + 1 of column 1 */
} Quantity;

static const char *const quantity_names[] = {"magnitude", "diameter", "lipschitz", "attribute 0", "attribute 1", "attribute 2"};
static const char *const norm_names[] = {[DPS_NORM_1] = "1", [DPS_NORM_2] = "2", [DPS_NORM_INFINITY] = "inf"};

static DpsStatus
bound(Fixture *f, int quantity, DpsGradientNorm norm, DpsJointBracket *result)
{
	switch (quantity)
	{
		case MAGNITUDE:
			return dps_joint_magnitude(&f->joint, norm, result);
		case DIAMETER:
			return dps_joint_diameter(&f->joint, norm, result);
		case LIPSCHITZ:
			return dps_joint_lipschitz(&f->joint, norm, result);
		default:
			return dps_joint_attribute(&f->joint, quantity - ATTRIBUTE, norm, result);
	}
}

static void
show(const DpsJointBracket *r)
{
	diag("%s [%.17g, %.17g] at (%.17g, %.17g, %.17g) and (%.17g, %.17g, %.17g); %llu boxes%s%s",
		 dps_status_name(r->bracket.status), r->bracket.lower, r->bracket.upper,
		 r->bracket.witness.x[0], r->bracket.witness.x[1], r->bracket.witness.x[2],
		 r->other.x[0], r->other.x[1], r->other.x[2], (unsigned long long) r->bracket.boxes,
		 r->bracket.exhausted ? ", exhausted" : "", r->loose ? ", loose" : "");
}

/*
 * Known values
 */

typedef struct Known
{
	const char *sql;
	Column		columns[MAX_COLUMNS];
	int			quantity;
	double		norms[3];		/* 1, 2, maximum */
} Known;

#define TURN 6.283185307179586	/* rounded down */
#define UNIT F8("a", 0, 1), F8("b", 0, 1)
#define CUBE F8("a", 0, 1), F8("b", 0, 1), F8("c", 0, 1)
#define SQRT2 1.4142135623730950
#define SQRT3 1.7320508075688773

static const Known known[] = {
	/* the unit circle */
	{"cos(t); sin(t)", {F8("t", 0, TURN)}, MAGNITUDE, {SQRT2, 1, 1}},
	{"cos(t); sin(t)", {F8("t", 0, TURN)}, DIAMETER, {2 * SQRT2, 2, 2}},
	{"cos(t); sin(t)", {F8("t", 0, TURN)}, ATTRIBUTE, {2 * SQRT2, 2, 2}},
	{"cos(t); sin(t)", {F8("t", 0, TURN)}, LIPSCHITZ, {SQRT2, 1, 1}},
	/* a quarter of it, where nothing is further apart than the ends */
	{"cos(t); sin(t)", {F8("t", 0, 1.5)}, DIAMETER, {1.9267577849363515, 1.3632775200466682, 0.99749498660405445}},
	/* a parabola: x + x^2 moves by 9/4 */
	{"x; x^2", {F8("x", -1, 1)}, MAGNITUDE, {2, SQRT2, 1}},
	{"x; x^2", {F8("x", -1, 1)}, DIAMETER, {2.25, 2, 2}},
	{"x; x^2", {F8("x", -1, 1)}, LIPSCHITZ, {3, 2.2360679774997897, 2}},
	/* what moves together, against each other, in turn */
	{"a; a", {UNIT}, DIAMETER, {2, SQRT2, 1}},
	{"a; a", {UNIT}, LIPSCHITZ, {2, SQRT2, 1}},
	{"a; -a", {UNIT}, MAGNITUDE, {2, SQRT2, 1}},
	{"a; -a", {UNIT}, DIAMETER, {2, SQRT2, 1}},
	{"a; -a", {UNIT}, LIPSCHITZ, {2, SQRT2, 1}},
	{"a; 1 - a", {UNIT}, MAGNITUDE, {1, 1, 1}},
	{"a; 1 - a", {UNIT}, DIAMETER, {2, SQRT2, 1}},
	{"a; b", {UNIT}, ATTRIBUTE, {1, 1, 1}},
	{"a; b", {UNIT}, ATTRIBUTE + 1, {1, 1, 1}},
	{"a; b", {UNIT}, ATTRIBUTE + 1, {1, 1, 1}},
	/* linear maps: operator norms */
	{"a + 2*b; 3*a + 4*b", {UNIT}, DIAMETER, {10, 7.6157731058639087, 7}},
	{"a + 2*b; 3*a + 4*b", {UNIT}, LIPSCHITZ, {7.2111025509279782, 5.4649857042190430, 5}},
	{"a + 2*b; 3*a + 4*b", {UNIT}, ATTRIBUTE, {4, 3.1622776601683795, 3}},
	{"a + b; a - b", {UNIT}, DIAMETER, {2, 2, 2}},
	{"a + b; a - b", {UNIT}, LIPSCHITZ, {2, SQRT2, SQRT2}},
	{"a; b; c", {CUBE}, MAGNITUDE, {3, SQRT3, 1}},
	{"a; b; c", {CUBE}, DIAMETER, {3, SQRT3, 1}},
	{"a; b; c", {CUBE}, LIPSCHITZ, {SQRT3, 1, 1}},
	{"2*a; 3*b; 5*c", {CUBE}, LIPSCHITZ, {6.164414002968976, 5, 5}},
	{"2*a; 3*b; 5*c", {{"a", 0, 1, DPS_FLOAT8, false, 0.25}, F8("b", 0, 1), F8("c", 0, 1)}, LIPSCHITZ,
	{9.899494936611665, 8, 8}},
	/* the smallest map whose signs cannot all agree: sum |G_ik| = 6, not 4 */
	{"a; 0.8660254037844386*b - a/2; 0 - 0.8660254037844386*b - a/2", {UNIT}, LIPSCHITZ, {2, 1.2247448713915890, 1}},
	/* Hadamard's matrix of order 4; more rows than columns */
	{"a + b + c + d; a - b + c - d; a + b - c - d; a - b - c + d", {CUBE, F8("d", 0, 1)}, LIPSCHITZ, {4, 2, 2}},
	{"a; b; c; d; a + b + c + d", {CUBE, F8("d", 0, 1)}, LIPSCHITZ, {4, 2.2360679774997897, 2}},
	/* more rows and columns than angles, greatest at one corner; sqrt(20) */
	{"a*b; b*c; c*d; d*e; e*a", {CUBE, F8("d", 0, 1), F8("e", 0, 1)}, LIPSCHITZ, {4.4721359549995794, 2, SQRT2}},
	{"a^2 + c; b^2; exp(c); d^3; a + b + c + d + e", {F8("a", 0, 1), F8("b", 0, 1), F8("c", -1, 1), F8("d", 0, 1), F8("e", 0, 1)},
	LIPSCHITZ, {7.567178034959058, 3.5469140599900646, 3}},
	/* conformal: every direction is as steep as any other */
	{"x^2 - y^2; 2*x*y", {F8("x", 0, 1), F8("y", 0, 1)}, LIPSCHITZ, {4, 2 * SQRT2, 2 * SQRT2}},
	{"x^2 - y^2; 2*x*y", {F8("x", 0, 1), F8("y", 0, 1)}, DIAMETER, {3, 2.2360679774997897, 2}},
	{"x*y; y*z; z*x", {F8("x", 0, 1), F8("y", 0, 1), F8("z", 0, 1)}, LIPSCHITZ, {2 * SQRT3, 2, SQRT2}},
	{"x*y; y*z; z*x", {F8("x", 0, 1), F8("y", 0, 1), F8("z", 0, 1)}, DIAMETER, {3, SQRT3, 1}},
	/* a sphere in its own coordinates */
	{"cos(a)*cos(b); cos(a)*sin(b); sin(a)", {F8("a", -1.5, 1.5), F8("b", 0, TURN)}, DIAMETER, {2 * SQRT3, 2, 2}},
	/* one entry alone */
	{"x*y", {F8("x", -1, 2), F8("y", 0, 3)}, MAGNITUDE, {6, 6, 6}},
	{"x*y", {F8("x", -1, 2), F8("y", 0, 3)}, DIAMETER, {9, 9, 9}},
	{"x*y", {F8("x", -1, 2), F8("y", 0, 3)}, ATTRIBUTE, {9, 9, 9}},
	{"x*y", {F8("x", -1, 2), F8("y", 0, 3)}, LIPSCHITZ, {3.6055512754639893, 3.6055512754639893, 3.6055512754639893}},
	/* constants */
	{"3; 4", {UNIT}, MAGNITUDE, {7, 5, 4}},
	{"3; 4", {UNIT}, DIAMETER, {0, 0, 0}},
	{"3; 4", {UNIT}, LIPSCHITZ, {0, 0, 0}},
	{"3; 4", {UNIT}, ATTRIBUTE, {0, 0, 0}},
	/* the lattice: 3 and 4 for the second entry's greatest value, 12 */
	{"k; k*(7 - k)", {I4("k", 0, 7)}, DIAMETER, {16, 12.649110640673518, 12}},
	{"k; k*(7 - k)", {I4("k", 0, 7)}, LIPSCHITZ, {8, 7.0710678118654755, 7}},
	/* scales at which squares overflow or vanish */
	{"1e200*a; 1e200*b", {UNIT}, DIAMETER, {2e200, SQRT2 * 1e200, 1e200}},
	{"1e200*a; 1e200*b", {UNIT}, LIPSCHITZ, {SQRT2 * 1e200, 1e200, 1e200}},
	{"1e-200*a; 1e-200*b", {UNIT}, MAGNITUDE, {2e-200, SQRT2 * 1e-200, 1e-200}},
	{"1e-200*a; 1e-200*b", {UNIT}, LIPSCHITZ, {SQRT2 * 1e-200, 1e-200, 1e-200}},
	/* a row counts where all entries have a value */
	{"x; y", {{"x", 0, 1, DPS_FLOAT8, true, 0}, F8("y", 0, 1)}, DIAMETER, {2, SQRT2, 1}},
	{"CASE WHEN x > 1 THEN NULL ELSE x END; CASE WHEN x < -1 THEN NULL ELSE x END", {F8("x", -4, 3)}, MAGNITUDE, {2, SQRT2, 1}},
	{"CASE WHEN x > 1 THEN NULL ELSE x END; CASE WHEN x < -1 THEN NULL ELSE x END", {F8("x", -4, 3)}, DIAMETER, {4, 2 * SQRT2, 2}},
	/* a public column moves nothing, but it does say how steep */
	{"p*a; p*b", {F8("p", 1, 3), F8("a", 0, 1), F8("b", 0, 1)}, LIPSCHITZ, {3 * SQRT2, 3, 3}},
	/* kinks */
	{"abs(x); x", {F8("x", -1, 1)}, LIPSCHITZ, {2, SQRT2, 1}},
	{"abs(x); x", {F8("x", -1, 1)}, DIAMETER, {2, 2, 2}},
};

static void
test_known(void)
{
	size_t		i;
	int			norm;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		Fixture		f;

		if (set_up(&f, known[i].columns, known[i].sql))
			for (norm = DPS_NORM_1; norm <= DPS_NORM_INFINITY; norm++)
			{
				double		figure = known[i].norms[norm];
				DpsJointBracket r = {.loose = true};
				bool		done = bound(&f, known[i].quantity, norm, &r) == DPS_OK && r.bracket.status == DPS_OK;

				if (!ok(done && r.bracket.lower <= figure * (1 + 1e-13) && r.bracket.upper >= figure * (1 - 1e-13) &&
						r.bracket.upper - r.bracket.lower <= 1.001e-6 * figure && !r.loose,
						"%s of %s in norm %s is %.10g", quantity_names[known[i].quantity], known[i].sql, norm_names[norm], figure))
					show(&r);
			}
		dps_arena_clear(f.arena);
	}
}

/*
 * Random vectors
 */

#define SAMPLES 400

/* Numbers in a vector's place. */
typedef struct Sampler
{
	const DpsProgram *program;
	double	   *scratch;
	int			n;
} Sampler;

static void
evaluate_vector(const Sampler *s, const DpsPoint *point, double *v)
{
	const double *columns[DPS_MAX_VARIABLES + 1];
	double	   *outputs[DPS_MAX_ENTRIES];
	int			i;

	for (i = 0; i <= DPS_MAX_VARIABLES; i++)
		columns[i] = &point->x[i];
	for (i = 0; i < s->n; i++)
		outputs[i] = &v[i];
	dps_evaluate(s->program, columns, 1, s->scratch, outputs);
}

static double
norm_of(const double *v, int n, int norm)
{
	double		result = 0.0;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (norm == DPS_NORM_1)
			result += fabs(v[i]);
		else if (norm == DPS_NORM_2)
			result = hypot(result, v[i]);
		else
			result = fmax(result, fabs(v[i]));
	}
	return result;
}

static double
distance(const Sampler *s, const DpsPoint *x, const DpsPoint *y, int norm)
{
	double		v[DPS_MAX_ENTRIES];
	double		w[DPS_MAX_ENTRIES];
	int			i;

	evaluate_vector(s, x, v);
	evaluate_vector(s, y, w);
	for (i = 0; i < s->n; i++)
		v[i] -= w[i];
	return norm_of(v, s->n, norm);
}

/* Ends of ranges as often as what is between them. */
static double
random_value(double lo, double hi)
{
	int			kind = random_below(4);

	return kind == 0 ? lo : kind == 1 ? hi : lo + (hi - lo) * (random_below(1000001) / 1e6);
}

static void
random_point(const Fixture *f, DpsPoint *point)
{
	int			j;

	memset(point, 0, sizeof(*point));
	for (j = 0; j < f->graph->nvariables && j < MAX_COLUMNS; j++)
		point->x[j] = random_value(f->box[j].lo, f->box[j].hi);
}

static void
append_term(char *text, const char *const *terms, int nterms, bool first)
{
	size_t		at = strlen(text);

	snprintf(text + at, MAX_TEXT * DPS_MAX_ENTRIES - at, "%s%d*%s", first ? "" : random_below(2) ? " + " : " - ",
			 1 + (int) random_below(3), terms[random_below(nterms)]);
}

static void
random_vector(char *text)
{
	static const char *const terms[] = {
		"x", "y", "z", "x*y", "y*z", "x^2", "y^2", "sin(x)", "cos(y)", "exp(z/2)", "x/(2 + y)",
		"sqrt(3 + z)", "abs(x - y)", "x*y*z", "1", "CASE WHEN x < y THEN x ELSE y END"
	};
	int			n = 2 + random_below(3);
	int			i;
	int			k;

	text[0] = '\0';
	for (i = 0; i < n; i++)
	{
		int			nterms = 1 + random_below(3);

		if (i > 0)
			strcat(text, "; ");
		for (k = 0; k < nterms; k++)
			append_term(text, terms, sizeof(terms) / sizeof(terms[0]), k == 0);
	}
}

/* The largest ratio of a sampled distance to its bound. */
static double
sample_vector(const Fixture *f, const Sampler *s, int norm, const DpsJointBracket *r)
{
	double		worst = 0.0;
	int			i;

	for (i = 0; i < SAMPLES; i++)
	{
		DpsPoint	x;
		DpsPoint	y;
		DpsPoint	zero = {{0}};
		double		v[DPS_MAX_ENTRIES];
		double		moved;
		int			j;

		random_point(f, &x);
		random_point(f, &y);
		evaluate_vector(s, &x, v);
		worst = fmax(worst, norm_of(v, s->n, norm) / r[MAGNITUDE].bracket.upper);
		worst = fmax(worst, distance(s, &x, &y, norm) / r[DIAMETER].bracket.upper);
		moved = 0.0;
		for (j = 0; j < f->graph->nvariables; j++)
			moved = hypot(moved, f->policy.weights[j] * (x.x[j] - y.x[j]));
		if (moved > 1e-3)
			worst = fmax(worst, distance(s, &x, &y, norm) / moved / r[LIPSCHITZ].bracket.upper);
		for (j = 0; j < f->graph->nvariables; j++)
		{
			zero = x;
			zero.x[j] = y.x[j];
			if (r[ATTRIBUTE + j].bracket.upper > 0)
				worst = fmax(worst, distance(s, &x, &zero, norm) / r[ATTRIBUTE + j].bracket.upper);
		}
	}
	return worst;
}

/* The steepest that steps of a thousandth are, as a share of the constant. */
static double
sample_steps(const Fixture *f, const Sampler *s, int norm, double constant)
{
	double		worst = 0.0;
	int			i;

	for (i = 0; i < SAMPLES; i++)
	{
		DpsPoint	x;
		DpsPoint	y;
		double		moved = 0.0;
		int			j;

		random_point(f, &x);
		y = x;
		for (j = 0; j < f->graph->nvariables; j++)
		{
			y.x[j] += random_between(-1e-3, 1e-3);
			y.x[j] = fmax(f->box[j].lo, fmin(f->box[j].hi, y.x[j]));
			moved = hypot(moved, f->policy.weights[j] * (x.x[j] - y.x[j]));
		}
		if (moved > 1e-5)
			worst = fmax(worst, distance(s, &x, &y, norm) / moved / constant);
	}
	return worst;
}

/* What the witnesses attain, against the lower ends. */
static bool
check_witnesses(const Sampler *s, int norm, const DpsJointBracket *r, int nvariables)
{
	double		v[DPS_MAX_ENTRIES];
	bool		right;
	int			j;

	evaluate_vector(s, &r[MAGNITUDE].bracket.witness, v);
	right = norm_of(v, s->n, norm) >= r[MAGNITUDE].bracket.lower * (1 - 1e-9) - 1e-12;
	right = right && distance(s, &r[DIAMETER].bracket.witness, &r[DIAMETER].other, norm) >=
		r[DIAMETER].bracket.lower * (1 - 1e-9) - 1e-12;
	for (j = 0; j < nvariables; j++)
		right = right && distance(s, &r[ATTRIBUTE + j].bracket.witness, &r[ATTRIBUTE + j].other, norm) >=
			r[ATTRIBUTE + j].bracket.lower * (1 - 1e-9) - 1e-12;
	return right;
}

static void
test_random(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", -1, 2), F8("y", 0, 1.5), {"z", -1, 1, DPS_FLOAT8, false, 2}};
	int			round;

	for (round = 0; round < 24; round++)
	{
		char		text[MAX_TEXT * DPS_MAX_ENTRIES];
		Fixture		f;
		Sampler		s;
		int			norm;
		int			quantity;

		random_vector(text);
		if (!set_up(&f, columns, text) || dps_compile(f.graph, f.entry, f.n, &s.program) != DPS_OK)
			continue;
		f.joint.options.max_boxes = 800;
		f.joint.options.tolerance = 1e-3;
		s.n = f.n;
		s.scratch = dps_arena_alloc(f.arena, sizeof(double) * dps_scratch_size(s.program));
		for (norm = DPS_NORM_1; norm <= DPS_NORM_INFINITY; norm++)
		{
			DpsJointBracket r[ATTRIBUTE + 3];
			bool		done = true;
			double		worst;

			for (quantity = MAGNITUDE; quantity < ATTRIBUTE + 3; quantity++)
			{
				done = done && bound(&f, quantity, norm, &r[quantity]) == DPS_OK &&
					r[quantity].bracket.status == DPS_OK && r[quantity].bracket.lower <= r[quantity].bracket.upper;
				if (!done)
					break;
				if (r[quantity].bracket.upper > r[quantity].bracket.lower * 1.002)
				{
					diag("%s in norm %s of %s", quantity_names[quantity], norm_names[norm], text);
					show(&r[quantity]);
				}
			}
			if (!ok(done, "%s has bounds in norm %s", text, norm_names[norm]))
				continue;
			worst = sample_vector(&f, &s, norm, r);
			ok(worst <= 1 + 1e-12, "%s stays within them: %g", text, worst);
			worst = sample_steps(&f, &s, norm, r[LIPSCHITZ].bracket.upper);
			ok(worst <= 1 + 1e-9 && worst > 0.3, "... in small steps, too: %g", worst);
			ok(check_witnesses(&s, norm, r, 3), "... and its witnesses attain the lower ends");
		}
		dps_arena_clear(f.arena);
	}
}

/*
 * Refusals
 */

static void
test_refused(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", -1, 1), F8("y", 0, 1)};
	DpsJointBracket r;
	Fixture		f;

	if (set_up(&f, columns, "y; 1/x"))
	{
		ok(dps_joint_magnitude(&f.joint, DPS_NORM_2, &r) == DPS_OK && r.bracket.status == DPS_DOMAIN &&
		   r.bracket.upper == INFINITY && r.bracket.culprit->op == DPS_OP_DIV, "a pole has no magnitude");
		ok(dps_joint_diameter(&f.joint, DPS_NORM_1, &r) == DPS_OK && r.bracket.status == DPS_DOMAIN, "... no diameter");
		ok(dps_joint_attribute(&f.joint, 1, DPS_NORM_1, &r) == DPS_OK && r.bracket.status == DPS_DOMAIN,
		   "... nor does it let other columns have an attribute's");
		ok(dps_joint_lipschitz(&f.joint, DPS_NORM_INFINITY, &r) == DPS_OK && r.bracket.status == DPS_DOMAIN &&
		   r.bracket.upper == INFINITY, "... and no constant");
	}
	dps_arena_clear(f.arena);
	if (set_up(&f, columns, "y; floor(3*y)"))
	{
		ok(dps_joint_lipschitz(&f.joint, DPS_NORM_2, &r) == DPS_OK && r.bracket.status == DPS_DOMAIN &&
		   r.bracket.culprit->op == DPS_OP_FLOOR, "a jump has no constant");
		ok(dps_joint_diameter(&f.joint, DPS_NORM_1, &r) == DPS_OK && r.bracket.status == DPS_OK &&
		   fabs(r.bracket.upper - 4) < 1e-5, "... but a diameter");
	}
	dps_arena_clear(f.arena);
	if (set_up(&f, columns, "1.7e308*y; 1.7e308*x"))
		ok(dps_joint_magnitude(&f.joint, DPS_NORM_1, &r) == DPS_OK && r.bracket.status == DPS_UNABLE &&
		   r.bracket.upper == INFINITY, "a norm beyond every double");
	dps_arena_clear(f.arena);
	if (set_up(&f, columns, "y"))
		ok(dps_joint_init(&f.joint, f.graph, f.entry, 0, f.box, &f.policy, NULL) == DPS_UNABLE &&
		   dps_joint_init(&f.joint, f.graph, f.entry, DPS_MAX_ENTRIES + 1, f.box, &f.policy, NULL) == DPS_UNABLE,
		   "no entries, too many");
	dps_arena_clear(f.arena);
}

/* More columns than two rows have room for. */
static void
test_many_columns(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	static char names[40][3];
	const DpsNode *sum = NULL;
	const DpsNode *first;
	DpsJointBracket r;
	Fixture		f;
	int			j;

	memset(&f, 0, sizeof(f));
	if (dps_arena_init(&f.arena, &tap_host) != DPS_OK || dps_graph_init(&f.graph, f.arena) != DPS_OK)
		abort();
	for (j = 0; j < 40; j++)
	{
		snprintf(names[j], sizeof(names[j]), "%c%c", letters[j % 26], letters[j / 26]);
		(void) dps_graph_add_variable(f.graph, names[j], DPS_FLOAT8, false);
		f.box[j] = (DpsDomain) {0, 1, DPS_NEVER_NULL, false};
		f.policy.weights[j] = 1;
		f.policy.private_variables |= UINT64_C(1) << j;
		first = dps_variable(f.graph, j);
		sum = sum == NULL ? first : dps_apply(f.graph, DPS_OP_ADD, DPS_FLOAT8, sum, first);
	}
	f.entry[0] = sum;
	f.entry[1] = dps_variable(f.graph, 0);
	ok(dps_joint_init(&f.joint, f.graph, f.entry, 2, f.box, &f.policy, NULL) == DPS_OK, "forty columns");
	ok(dps_joint_diameter(&f.joint, DPS_NORM_2, &r) == DPS_OK && r.bracket.status == DPS_OK && r.loose &&
	   r.bracket.lower <= sqrt(1601) && sqrt(1601) <= r.bracket.upper && r.bracket.upper < 40.1,
	   "a wider bracket says that it is wider");
	ok(dps_joint_diameter(&f.joint, DPS_NORM_1, &r) == DPS_OK && fabs(r.bracket.upper - 41) < 1e-4 && !r.loose &&
	   fabs(r.bracket.lower - 41) < 1e-4, "signs need no second row");
	ok(dps_joint_lipschitz(&f.joint, DPS_NORM_2, &r) == DPS_OK && r.bracket.status == DPS_OK && !r.loose &&
	   fabs(r.bracket.upper - sqrt((41 + sqrt(39 * 39 + 4)) / 2)) < 1e-4, "steepness needs none, either");
	dps_arena_clear(f.arena);
}

/*
 * Memory
 */

/* Every allocation fails in turn; nothing crashes, leaks or succeeds wrongly. */
static void
test_memory(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", -1, 1), F8("y", 0, 1), F8("z", 0, 1)};
	int			quantity;

	for (quantity = MAGNITUDE; quantity <= ATTRIBUTE; quantity++)
	{
		bool		done = false;
		bool		clean = true;
		int			allowed;

		for (allowed = 0; !done && allowed < 5000; allowed += 1 + allowed / 16)
		{
			Scarce		scarce = {.left = allowed};
			DpsHost		host = scarce_host(&scarce);
			DpsJointBracket r;
			Fixture		f;
			DpsStatus	status = DPS_NOMEM;

			if (set_up_on(&f, &host, columns, "x*y + z; x - y*z; sin(x)"))
			{
				f.joint.options.max_boxes = 200;
				status = bound(&f, quantity, DPS_NORM_2, &r);
			}
			dps_arena_clear(f.arena);
			clean = clean && scarce.held == 0 && (status == DPS_OK || status == DPS_NOMEM);
			done = status == DPS_OK;
		}
		ok(clean && done, "%s without memory", quantity_names[quantity]);
	}
}

int
main(void)
{
	test_known();
	test_random();
	test_refused();
	test_many_columns();
	test_memory();
	return done_testing();
}
