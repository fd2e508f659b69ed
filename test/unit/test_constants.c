/*
 * test_constants.c
 *		Constants of derivatives that no double is do not lower a bound.
 *
 * The suprema here have closed forms in the coefficients.  They are compared with
 * the certified bounds exactly (num/dyadic.h) or, where they are not algebraic,
 * with 300 bits of MPFR.  With constants rounded to the nearest many would be too
 * low.
 *
 * Files: expr/number.c.
 */
#include <math.h>
#include <string.h>

#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#include "bound/proof/certificate.h"
#include "bound/vector/joint.h"
#include "expr/intern.h"
#include "parse.h"
#include "splitmix.h"
#include "tap.h"

#define ROUNDS 200
#define MAX_TEXT 200

/* What a bound may be above the true one. */
#define TIGHT 1e-6

#define WEIGHT_X 0.3
#define WEIGHT_Y 0.7

typedef enum Quantity
{
	METRIC,
	WEIGHTED,					/* with the weights above */
	WEIGHTED_1,					/* L1 */
	SLOPE,						/* by x */
	ATTRIBUTE,					/* x */
	JOINT,						/* of entries separated by a semicolon */
	JOINT_1,
	CERTIFICATE,				/* what a proof of the metric states */
	REWRITTEN					/* the same of another form */
} Quantity;

/* The coefficients of a round. */
typedef struct Numbers
{
	double		c;
	double		d;
	double		e;
} Numbers;

static Numbers
numbers(int i)
{
	return (Numbers) {(i + 1) / 700.0, (37 * i % 101 + 1) / 330.0, (53 * i % 89 + 1) / 130.0};
}

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	DpsDomain	box[2];
	DpsPolicy	policy;
} Fixture;

static bool
set_up(Fixture *fixture, Quantity quantity, double lo, double hi)
{
	static const char *const names[] = {"x", "y"};
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	if (dps_arena_init(&fixture->arena, &tap_host) != DPS_OK || dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	fixture->policy.private_variables = UINT64_MAX;
	for (j = 0; j < 2; j++)
	{
		(void) dps_graph_add_variable(fixture->graph, names[j], DPS_FLOAT8, false);
		fixture->box[j] = (DpsDomain) {lo, hi, DPS_NEVER_NULL, false};
		fixture->policy.weights[j] = 1;
	}
	if (quantity == WEIGHTED || quantity == WEIGHTED_1)
	{
		fixture->policy.weights[0] = WEIGHT_X;
		fixture->policy.weights[1] = WEIGHT_Y;
	}
	return true;
}

/* The bound that a proof states once it has been checked. */
static double
stated(Fixture *fixture, const DpsNode *node, DpsClaimForm form)
{
	DpsProofOptions options = {.upper = -INFINITY, .loose = 0, .max_boxes = 2000};
	DpsClaim	claim = {.kind = DPS_CLAIM_STEEPNESS, .form = form};
	DpsCertificateVerdict	verdict;
	DpsProof	proof;

	if (dps_claim_init(&claim, fixture->graph, dps_as_float8(fixture->graph, node), fixture->box, 2, &fixture->policy) != DPS_OK ||
		dps_make_proof(&claim, &options, &proof) != DPS_OK ||
		dps_check_proof(&claim, &proof, &verdict) != DPS_OK || verdict.flaw != DPS_FLAW_NONE)
		return NAN;
	return claim.squared ? dps_sqrt_up(proof.upper) : proof.upper;
}

static double
joint_bound(Fixture *fixture, char *sql, DpsGradientNorm norm)
{
	char	   *second = strchr(sql, ';');
	DpsBoundOptions options = {.tolerance = TIGHT / 4, .max_boxes = 2000};
	const DpsNode *entries[2];
	DpsJointBracket result;
	DpsJoint	joint;

	*second = '\0';
	entries[0] = parse_expression(fixture->graph, sql);
	entries[1] = parse_expression(fixture->graph, second + 1);
	if (dps_joint_init(&joint, fixture->graph, entries, 2, fixture->box, &fixture->policy, &options) != DPS_OK ||
		dps_joint_lipschitz(&joint, norm, &result) != DPS_OK || result.bracket.status != DPS_OK)
		return NAN;
	return result.bracket.upper;
}

static double
certified(Fixture *fixture, Quantity quantity, char *sql)
{
	DpsBoundOptions options = {.tolerance = TIGHT / 4, .max_boxes = 2000};
	DpsBracket	bracket = {.status = DPS_UNABLE};
	DpsStatus	status = DPS_UNABLE;
	const DpsNode *node;

	if (quantity == JOINT || quantity == JOINT_1)
		return joint_bound(fixture, sql, quantity == JOINT ? DPS_NORM_2 : DPS_NORM_1);
	node = parse_expression(fixture->graph, sql);
	if (node == NULL)
		return NAN;
	switch (quantity)
	{
		case METRIC:
		case WEIGHTED:
			status = dps_lipschitz(fixture->graph, node, fixture->box, &fixture->policy, DPS_NORM_2, &options, &bracket);
			break;
		case WEIGHTED_1:
			status = dps_lipschitz(fixture->graph, node, fixture->box, &fixture->policy, DPS_NORM_1, &options, &bracket);
			break;
		case SLOPE:
			status = dps_slope(fixture->graph, node, fixture->box, 0, &options, &bracket);
			break;
		case ATTRIBUTE:
			status = dps_attribute(fixture->graph, node, fixture->box, 0, &options, &bracket);
			break;
		default:
			return stated(fixture, node, quantity == CERTIFICATE ? DPS_FORM_PLAIN : DPS_FORM_REWRITTEN);
	}
	return status == DPS_OK && bracket.status == DPS_OK ? bracket.upper : NAN;
}

/*
 * Exact comparisons: whether the bound k is at least the true one.  A few doubles
 * always fit.
 */

static DpsDyadic
number(double x)
{
	DpsDyadic	result;

	dps_dyadic_set(&result, x);
	return result;
}

static DpsDyadic
times(DpsDyadic x, double y)
{
	DpsDyadic	other = number(y);

	(void) dps_dyadic_multiply(&x, &x, &other);
	return x;
}

static DpsDyadic
product(double x, double y)
{
	return times(number(x), y);
}

static DpsDyadic
plus(DpsDyadic x, DpsDyadic y)
{
	(void) dps_dyadic_add(&x, &x, &y);
	return x;
}

static bool
at_least(DpsDyadic x, DpsDyadic y)
{
	return dps_dyadic_compare(&x, &y) >= 0;
}

/* 3 c */
static bool
is_cubic(double k, Numbers n)
{
	return at_least(number(k), product(3, n.c));
}

/* 3 c + 5 d */
static bool
is_two_powers(double k, Numbers n)
{
	return at_least(number(k), plus(product(3, n.c), product(5, n.d)));
}

/* 3 c + 3 d */
static bool
is_two_cubes(double k, Numbers n)
{
	return at_least(number(k), plus(product(3, n.c), product(3, n.d)));
}

/* sqrt((3 c)^2 + (3 d)^2) */
static bool
is_root_of_cubes(double k, Numbers n)
{
	return at_least(product(k, k), plus(times(times(product(3, n.c), 3), n.c), times(times(product(3, n.d), 3), n.d)));
}

/* 3 c d */
static bool
is_cubic_product(double k, Numbers n)
{
	return at_least(number(k), times(product(n.c, n.d), 3));
}

/* c + d */
static bool
is_collected_sum(double k, Numbers n)
{
	return at_least(number(k), plus(number(n.c), number(n.d)));
}

/* c d e */
static bool
is_collected_product(double k, Numbers n)
{
	return at_least(number(k), times(product(n.c, n.d), n.e));
}

/* 1 / c */
static bool
is_inverse(double k, Numbers n)
{
	return at_least(product(k, n.c), number(1));
}

/* 3 c / d */
static bool
is_quotient(double k, Numbers n)
{
	return at_least(product(k, n.d), product(3, n.c));
}

/* c / d */
static bool
is_plain_quotient(double k, Numbers n)
{
	return at_least(product(k, n.d), number(n.c));
}

static bool
is_third(double k, Numbers n)
{
	(void) n;
	return at_least(product(k, 3), number(1));
}

/* c / (2 sqrt(d)) */
static bool
is_root(double k, Numbers n)
{
	return at_least(times(times(product(k, k), 4), n.d), product(n.c, n.c));
}

/* sqrt(2) * 2 c */
static bool
is_two_columns(double k, Numbers n)
{
	return at_least(product(k, k), times(product(n.c, n.c), 8));
}

/* sqrt((c / w_x)^2 + (d / w_y)^2) */
static bool
is_weighted(double k, Numbers n)
{
	DpsDyadic	sum = plus(times(times(product(n.c, n.c), WEIGHT_Y), WEIGHT_Y),
						   times(times(product(n.d, n.d), WEIGHT_X), WEIGHT_X));

	return at_least(times(times(times(times(product(k, k), WEIGHT_X), WEIGHT_X), WEIGHT_Y), WEIGHT_Y), sum);
}

/* c / w_x + d / w_y */
static bool
is_weighted_1(double k, Numbers n)
{
	return at_least(times(product(k, WEIGHT_X), WEIGHT_Y), plus(product(n.c, WEIGHT_Y), product(n.d, WEIGHT_X)));
}

typedef struct Case
{
	const char *sql;			/* of c, d and e, in this order */
	Quantity	quantity;
	double		lo;
	double		hi;
	bool		(*holds) (double k, Numbers n);
	double		(*about) (Numbers n);	/* the bound, rounded somehow */
} Case;

#define ABOUT(name, value) \
static double \
about_##name(Numbers n) \
{ \
	(void) n; \
	return value; \
}

ABOUT(cubic, 3 * n.c)
ABOUT(two_powers, 3 * n.c + 5 * n.d)
ABOUT(two_cubes, 3 * n.c + 3 * n.d)
ABOUT(root_of_cubes, 3 * hypot(n.c, n.d))
ABOUT(cubic_product, 3 * n.c * n.d)
ABOUT(sum, n.c + n.d)
ABOUT(product, n.c * n.d * n.e)
ABOUT(inverse, 1 / n.c)
ABOUT(quotient, 3 * n.c / n.d)
ABOUT(plain_quotient, n.c / n.d)
ABOUT(third, 1.0 / 3)
ABOUT(root, n.c / (2 * sqrt(n.d)))
ABOUT(two_columns, 2 * sqrt(2) * n.c)
ABOUT(weighted, hypot(n.c / WEIGHT_X, n.d / WEIGHT_Y))
ABOUT(weighted_1, n.c / WEIGHT_X + n.d / WEIGHT_Y)

static const Case cases[] = {
	{"%1$.17g*x^3", METRIC, 0, 1, is_cubic, about_cubic},
	{"%1$.17g*x^3", SLOPE, 0, 1, is_cubic, about_cubic},
	{"%1$.17g*x^3", CERTIFICATE, 0, 1, is_cubic, about_cubic},
	{"%1$.17g*x^3 + %2$.17g*x^5", METRIC, 0, 1, is_two_powers, about_two_powers},
	{"%1$.17g*x^3*%2$.17g", METRIC, 0, 1, is_cubic_product, about_cubic_product},
	{"%1$.17g*x + %2$.17g*x", METRIC, 0, 1, is_collected_sum, about_sum},
	{"%1$.17g*%2$.17g*x*%3$.17g", METRIC, 0, 1, is_collected_product, about_product},
	{"x/%1$.17g", METRIC, 0, 1, is_inverse, about_inverse},
	{"%1$.17g*x^3/%2$.17g", METRIC, 0, 1, is_quotient, about_quotient},
	{"%1$.17g*x/%2$.17g", ATTRIBUTE, 0, 1, is_plain_quotient, about_plain_quotient},
	{"x/3", METRIC, 0, 1, is_third, about_third},
	{"sqrt(%1$.17g*x + %2$.17g)", METRIC, 0, 1, is_root, about_root},
	{"%1$.17g*(x^2 + y^2)", METRIC, 0, 1, is_two_columns, about_two_columns},
	{"%1$.17g*(x^2 + y^2)", REWRITTEN, 0, 1, is_two_columns, about_two_columns},
	{"%1$.17g*x + %2$.17g*y", WEIGHTED, 0, 1, is_weighted, about_weighted},
	{"%1$.17g*x + %2$.17g*y", WEIGHTED_1, 0, 1, is_weighted_1, about_weighted_1},
	{"%1$.17g*x^3; %2$.17g*x^3", JOINT, 0, 1, is_root_of_cubes, about_root_of_cubes},
	{"%1$.17g*x^3; %2$.17g*x^3", JOINT_1, 0, 1, is_two_cubes, about_two_cubes},
};

#ifdef HAVE_MPFR

#define PRECISION 300

/* Is k at least the value, whose error is far below its distance from a double? */
static bool
is_at_least(double k, mpfr_t value)
{
	bool		result = mpfr_cmp_d(value, k) <= 0;

	mpfr_clear(value);
	mpfr_free_cache();
	return result;
}

/* a * hi^(a - 1), or of any end where it is greatest */
static bool
is_power(double k, double a, double x)
{
	mpfr_t		value;
	mpfr_t		exponent;

	mpfr_inits2(PRECISION, value, exponent, (mpfr_ptr) 0);
	mpfr_set_d(exponent, a, MPFR_RNDN);
	mpfr_sub_ui(exponent, exponent, 1, MPFR_RNDN);
	mpfr_set_d(value, x, MPFR_RNDN);
	mpfr_pow(value, value, exponent, MPFR_RNDN);
	mpfr_mul_d(value, value, a, MPFR_RNDN);
	mpfr_clear(exponent);
	return is_at_least(k, value);
}

static bool
is_root_power(double k, Numbers n)
{
	return is_power(k, n.c, 0.25);
}

/* c d e^c */
static bool
is_exponential(double k, Numbers n)
{
	mpfr_t		value;

	mpfr_init2(value, PRECISION);
	mpfr_set_d(value, n.c, MPFR_RNDN);
	mpfr_exp(value, value, MPFR_RNDN);
	mpfr_mul_d(value, value, n.c, MPFR_RNDN);
	mpfr_mul_d(value, value, n.d, MPFR_RNDN);
	return is_at_least(k, value);
}

/* d |ln c| */
static bool
is_base(double k, Numbers n)
{
	mpfr_t		value;

	mpfr_init2(value, PRECISION);
	mpfr_set_d(value, n.c, MPFR_RNDN);
	mpfr_log(value, value, MPFR_RNDN);
	mpfr_mul_d(value, value, -n.d, MPFR_RNDN);
	return is_at_least(k, value);
}

/* c / ln 10 */
static bool
is_logarithm(double k, Numbers n)
{
	mpfr_t		value;

	mpfr_init2(value, PRECISION);
	mpfr_set_ui(value, 10, MPFR_RNDN);
	mpfr_log(value, value, MPFR_RNDN);
	mpfr_d_div(value, n.c, value, MPFR_RNDN);
	return is_at_least(k, value);
}

/* 2 c / sqrt(pi) */
static bool
is_error_function(double k, Numbers n)
{
	mpfr_t		value;

	mpfr_init2(value, PRECISION);
	mpfr_const_pi(value, MPFR_RNDN);
	mpfr_rec_sqrt(value, value, MPFR_RNDN);
	mpfr_mul_d(value, value, 2 * n.c, MPFR_RNDN);
	return is_at_least(k, value);
}

ABOUT(root_power, n.c * pow(0.25, n.c - 1))
ABOUT(exponential, n.c * n.d * exp(n.c))
ABOUT(base, -n.d * log(n.c))
ABOUT(logarithm, n.c / log(10))
ABOUT(error_function, n.c * 1.1283791670955126)

static const Case transcendental[] = {
	{"power(x, %1$.17g)", METRIC, 0.25, 1, is_root_power, about_root_power},
	{"exp(%1$.17g*x)*%2$.17g", METRIC, 0, 1, is_exponential, about_exponential},
	{"%2$.17g*power(%1$.17g, x)", METRIC, 0, 1, is_base, about_base},
	{"%2$.17g*power(%1$.17g, x)", CERTIFICATE, 0, 1, is_base, about_base},
	{"%1$.17g*log(x)", METRIC, 1, 10, is_logarithm, about_logarithm},
	{"%1$.17g*erf(x)", METRIC, 0, 1, is_error_function, about_error_function},
};

#endif

static void
check_case(const Case *what)
{
	long		low = 0;
	long		loose = 0;
	int			i;

	for (i = 0; i < ROUNDS; i++)
	{
		Numbers		n = numbers(i);
		Fixture		fixture;
		char		sql[MAX_TEXT];
		double		k;

		snprintf(sql, sizeof(sql), what->sql, n.c, n.d, n.e);
		if (!set_up(&fixture, what->quantity, what->lo, what->hi))
			break;
		k = certified(&fixture, what->quantity, sql);
		if (!(k <= what->about(n) * (1 + TIGHT)))
			loose++;
		else if (!what->holds(k, n))
			low++;
		dps_arena_clear(fixture.arena);
	}
	ok(i == ROUNDS && low == 0 && loose == 0, "%s, quantity %d: %ld of %d bounds too low, %ld too high", what->sql,
	   what->quantity, low, i, loose);
}

/*
 * Random polynomials with positive coefficients, whose slopes are greatest at
 * (1, 1): there they are known exactly by the rules of differentiation.
 */

#define POLYNOMIALS 600

static uint64_t random_state = UINT64_C(0x6470735f706f6c79);

static int
random_below(int n)
{
	return (int) (splitmix64(&random_state) % (uint64_t) n);
}

/* A number that may be 0, or unknown for want of digits. */
typedef struct Exact
{
	bool		known;
	bool		zero;
	DpsDyadic	number;
} Exact;

/* A polynomial, its value at (1, 1) and its derivatives there. */
typedef struct Polynomial
{
	const DpsNode *node;
	Exact		value;
	Exact		slope[2];
} Polynomial;

static Exact
exact(double x)
{
	Exact		result = {.known = true, .zero = x == 0};

	if (x != 0)
		result.number = number(x);
	return result;
}

static Exact
exact_sum(Exact x, Exact y)
{
	if (x.zero || y.zero)
		return x.zero ? y : x;
	x.known = x.known && y.known && dps_dyadic_add(&x.number, &x.number, &y.number);
	return x;
}

static Exact
exact_product(Exact x, Exact y)
{
	if (x.zero || y.zero)
		return exact(0);
	x.known = x.known && y.known && dps_dyadic_multiply(&x.number, &x.number, &y.number);
	return x;
}

static Polynomial
combine(DpsGraph *graph, DpsOpcode op, Polynomial x, Polynomial y)
{
	Polynomial	result = {.node = dps_apply(graph, op, DPS_FLOAT8, x.node, op == DPS_OP_SQR ? NULL : y.node)};
	int			j;

	result.value = op == DPS_OP_ADD ? exact_sum(x.value, y.value) : exact_product(x.value, y.value);
	for (j = 0; j < 2; j++)
		result.slope[j] = op == DPS_OP_ADD ? exact_sum(x.slope[j], y.slope[j]) :
			exact_sum(exact_product(x.slope[j], y.value), exact_product(x.value, y.slope[j]));
	return result;
}

static Polynomial
random_polynomial(DpsGraph *graph, int depth)
{
	static const double constants[] = {0.1, 0.3, 0.7, 1.0 / 3, 3, 1.1, 0x1p-20, 1e5};
	Polynomial	x;
	Polynomial	y;
	int			which = random_below(depth == 0 ? 5 : 8);

	if (which < 2)
	{
		x = (Polynomial) {dps_variable(graph, which), exact(1), {exact(which == 0), exact(which == 1)}};
		return x;
	}
	if (which < 5)
	{
		double		c = constants[random_below(sizeof(constants) / sizeof(constants[0]))];

		x = (Polynomial) {dps_constant(graph, DPS_FLOAT8, c), exact(c), {exact(0), exact(0)}};
		return which == 2 ? x : combine(graph, DPS_OP_MUL, x, random_polynomial(graph, 0));
	}
	x = random_polynomial(graph, depth - 1);
	if (which == 5)
		return combine(graph, DPS_OP_SQR, x, x);
	y = random_polynomial(graph, depth - 1);
	return combine(graph, which == 6 ? DPS_OP_MUL : DPS_OP_ADD, x, y);
}

/* sqrt(dx^2 + dy^2), where that has not too many digits */
static bool
is_steep_enough(double k, const Polynomial *p, bool *known)
{
	Exact		square = exact_sum(exact_product(p->slope[0], p->slope[0]), exact_product(p->slope[1], p->slope[1]));

	*known = square.known && !square.zero && isfinite(k);
	return !*known || at_least(product(k, k), square.number);
}

static void
test_polynomials(void)
{
	long		low = 0;
	long		looked = 0;
	int			i;

	for (i = 0; i < POLYNOMIALS; i++)
	{
		DpsBoundOptions options = {.tolerance = TIGHT, .max_boxes = 2000};
		Fixture		fixture;
		DpsBracket	slope;
		DpsBracket	metric;
		Polynomial	p;
		bool		known;

		if (!set_up(&fixture, METRIC, 0, 1))
			break;
		p = random_polynomial(fixture.graph, 4);
		if (p.node == NULL || dps_slope(fixture.graph, p.node, fixture.box, 0, &options, &slope) != DPS_OK ||
			dps_lipschitz(fixture.graph, p.node, fixture.box, &fixture.policy, DPS_NORM_2, &options, &metric) != DPS_OK)
			break;
		if (slope.status == DPS_OK && p.slope[0].known && !p.slope[0].zero)
		{
			looked++;
			low += !at_least(number(slope.upper), p.slope[0].number);
		}
		if (metric.status == DPS_OK)
		{
			low += !is_steep_enough(metric.upper, &p, &known);
			looked += known;
		}
		dps_arena_clear(fixture.arena);
	}
	ok(i == POLYNOMIALS && low == 0 && looked > POLYNOMIALS, "slopes of %d random polynomials: %ld of %ld too low", i, low, looked);
}

/*
 * Graphs
 */

static const DpsNode *
derivative(Fixture *fixture, const DpsNode *node)
{
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];

	if (node == NULL || dps_gradient(fixture->graph, dps_as_float8(fixture->graph, node), gradient) != DPS_OK)
		return NULL;
	return gradient[0];
}

static const char *
text_of(Fixture *fixture, const DpsNode *node)
{
	DpsText		text;

	dps_text_init(&text, fixture->arena);
	return dps_print_sql(fixture->graph, node, &text) == DPS_OK ? text.data : "nothing";
}

/* The second derivatives are the same node, written either way. */
static void
check_same(const char *left, const char *right)
{
	const DpsNode *x;
	const DpsNode *y;
	Fixture		fixture;

	if (!set_up(&fixture, METRIC, 0, 1))
		return;
	x = derivative(&fixture, derivative(&fixture, parse_expression(fixture.graph, left)));
	y = derivative(&fixture, derivative(&fixture, parse_expression(fixture.graph, right)));
	ok(x != NULL && x == y, "%s and %s have the same second derivative, %s", left, right, text_of(&fixture, x));
	dps_arena_clear(fixture.arena);
}

static void
test_canonical(void)
{
	check_same("0.1*x^3*0.3", "0.3*x^3*0.1");
	check_same("0.1*x^3 + 0.2*x^3", "x^3*(0.1 + 0.2)");
	check_same("(0.1*x)^3*0.7", "0.7*0.1*x^2*x*(0.1*0.1)");
	check_same("x^3/7/0.3", "x^3/(0.3*7)");
	check_same("x^3/3 + x^3/7", "x^3*10/21");
	check_same("power(x, 0.3)^2*0.7/3", "power(x, 0.3)*0.7/3*power(x, 0.3)");
	check_same("x*power(x, 0.3)*x*power(x, 0.1)", "power(x, 0.1)*x^2*power(x, 0.3)");
	check_same("power(0.7, x)/3", "power(0.7, x)*(1.0/3)");
}

/* Does the node's enclosure hold these, and is its evaluation the nearest? */
static bool
encloses(Fixture *fixture, const DpsNode *node, double lo, double hi, double nearest)
{
	DpsEnclosure e;
	const DpsProgram *program;
	double		scratch[1024];
	double		value;
	double	   *outputs[] = {&value};
	const double *columns[] = {NULL, NULL};

	if (node == NULL || dps_compile(fixture->graph, &node, 1, &program) != DPS_OK || program->ninstructions != 1 ||
		dps_scratch_size(program) > sizeof(scratch) / sizeof(scratch[0]))
		return false;
	dps_enclose(program, fixture->box, &e);
	dps_evaluate(program, columns, 1, scratch, outputs);
	return e.value.lo == lo && e.value.hi == hi && value == nearest && e.defined == DPS_DEFINED;
}

static void
test_enclosures(void)
{
	Fixture		fixture;
	Fixture		other;
	const DpsNode *tenth;
	const DpsNode *node;
	const DpsNode *again;
	const DpsProgram *program;
	double		square = 0.1 * 0.1;
	int			i;

	if (!set_up(&fixture, METRIC, 0, 1) || !set_up(&other, METRIC, 0, 1))
		return;
	tenth = dps_constant(fixture.graph, DPS_FLOAT8, 0.1);
	node = dps_apply(fixture.graph, DPS_OP_MUL, DPS_FLOAT8, tenth, tenth);
	ok(node != NULL && node->op == DPS_OP_CONST && fma(0.1, 0.1, -square) < 0 &&
	   encloses(&fixture, node, dps_round_down(square), square, square), "0.1 * 0.1 is below the nearest double");
	ok(!dps_is_constant(node, square) && node != dps_constant(fixture.graph, DPS_FLOAT8, square),
	   "and is not that double");
	again = dps_apply(fixture.graph, DPS_OP_DIV, DPS_FLOAT8, node, tenth);
	ok(again == tenth, "divided by 0.1 it is 0.1 again");
	again = dps_copy_constant(other.graph, node);
	ok(again != NULL && again != node && dps_compare_nodes(node, again) == 0 && again == dps_copy_constant(other.graph, node) &&
	   again->link.hash == node->link.hash, "a copy in another graph is the same number");
	ok(dps_compare_nodes(node, dps_constant(fixture.graph, DPS_FLOAT8, square)) != 0, "unlike the nearest one");
	node = dps_apply(fixture.graph, DPS_OP_DIV, DPS_FLOAT8, dps_constant(fixture.graph, DPS_FLOAT8, 1),
					 dps_constant(fixture.graph, DPS_FLOAT8, 3));
	ok(encloses(&fixture, node, 1.0 / 3, dps_round_up(1.0 / 3), 1.0 / 3), "1 / 3 is above the nearest double");
	ok(dps_compile(fixture.graph, &node, 1, &program) == DPS_OK &&
	   dps_decompile(other.graph, program, program->size, &again, 1) == DPS_OK && dps_is_constant(again, 1.0 / 3),
	   "a program read again has the nearest");
	node = dps_apply(fixture.graph, DPS_OP_LN, DPS_FLOAT8, dps_constant(fixture.graph, DPS_FLOAT8, 2), NULL);
	ok(node != NULL && node->op == DPS_OP_LN && node->total && node->range.lo < node->range.hi &&
	   encloses(&fixture, node, node->range.lo, node->range.hi, log(2)), "ln(2) is compiled to its enclosure");
	/* sqrt(2) > 1 and 1 / 3 < 0.4 */
	node = dps_apply(fixture.graph, DPS_OP_SQRT, DPS_FLOAT8, dps_constant(fixture.graph, DPS_FLOAT8, 2), NULL);
	node = dps_apply(fixture.graph, DPS_OP_GT, DPS_BOOL, node, dps_constant(fixture.graph, DPS_FLOAT8, 1));
	ok(node == dps_constant(fixture.graph, DPS_BOOL, 1), "a condition on constants is decided where it can be");
	/* numbers that cannot be written down stay operations */
	for (i = 0, node = tenth; i < 40; i++)
		node = dps_apply(fixture.graph, DPS_OP_MUL, DPS_FLOAT8, node, tenth);
	ok(node != NULL && node->op == DPS_OP_MUL && node->range.lo < 1e-41 * (1 + 3e-15) && node->range.hi > 1e-41 &&
	   node->range.hi - node->range.lo < 1e-55, "0.1^41 has too many digits, but an enclosure");
	node = dps_constant(fixture.graph, DPS_FLOAT8, 1e-200);
	node = dps_apply(fixture.graph, DPS_OP_MUL, DPS_FLOAT8, node, node);
	ok(node != NULL && node->op != DPS_OP_CONST && node->range.lo == 0 && node->range.hi > 0, "so has 1e-200 * 1e-200");
	node = dps_apply(fixture.graph, DPS_OP_MUL, DPS_FLOAT8, tenth, dps_constant(fixture.graph, DPS_FLOAT8, 1e301));
	node = dps_apply(fixture.graph, DPS_OP_DIV, DPS_FLOAT8, node, dps_constant(fixture.graph, DPS_FLOAT8, 0x1p-100));
	ok(node != NULL && node->op == DPS_OP_DIV && dps_iv_is_empty(node->range), "what no double is near to has none");
	dps_arena_clear(fixture.arena);
	dps_arena_clear(other.arena);
}

int
main(void)
{
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
#ifdef HAVE_MPFR
	for (i = 0; i < sizeof(transcendental) / sizeof(transcendental[0]); i++)
		check_case(&transcendental[i]);
#else
	diag("MPFR is not installed: bounds that are not algebraic are not compared");
#endif
	test_polynomials();
	test_canonical();
	test_enclosures();
	return done_testing();
}
