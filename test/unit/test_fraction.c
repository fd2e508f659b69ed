/*
 * test_fraction.c
 *		Sums over one denominator, products of powers and what squares or
 *		magnitudes have in common are the expressions they were made of.
 *
 * Values are compared as exact fractions, by GMP, at small integers and
 * fractions of them, so nothing is close enough: it is equal or wrong.  Roots
 * and exponentials are compared with MPFR's many digits, joined powers and what a
 * column moves by their enclosures.
 *
 * Files: bound/rewriter.c, bound/relax/joined_powers.c, bound/quantity/column_move.c.
 */
#include <math.h>
#include <string.h>

#include "bound/quantity/column_move.h"
#include "bound/relax/factor.h"
#include "bound/relax/share.h"
#include "bound/dimension.h"
#include "expr/enclose.h"
#include "expr/intern.h"
#include "parse.h"
#include "precise.h"
#include "reference.h"
#include "scarce.h"
#include "tap.h"

#define COLUMNS 3
#define POINTS 60
#define RANDOM_SUMS 400

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
} Fixture;

static bool
set_up_on(Fixture *fixture, const DpsHost *host)
{
	static const char *const names[COLUMNS] = {"x", "y", "z"};
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	if (dps_arena_init(&fixture->arena, host) != DPS_OK || dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	for (j = 0; j < COLUMNS; j++)
		if (dps_graph_add_variable(fixture->graph, names[j], DPS_FLOAT8, false) != j)
			return false;
	return true;
}

static void
set_up(Fixture *fixture)
{
	if (!set_up_on(fixture, &tap_host))
		abort();
}

static const DpsNode *
read_sql(Fixture *fixture, const char *sql)
{
	return dps_as_float8(fixture->graph, parse_expression(fixture->graph, sql));
}

/* Nodes below this one, each as often as it is reached: what it costs to write. */
static double
count_uses(const DpsNode *node)
{
	double		uses = 1;
	int			i;

	for (i = 0; i < node->nargs; i++)
		uses += count_uses(node->arg[i]);
	return uses;
}

static bool
contains(const DpsNode *node, DpsOpcode op)
{
	int			i;

	for (i = 0; i < node->nargs; i++)
		if (contains(node->arg[i], op))
			return true;
	return node->op == op;
}

/*
 * Are they the same?
 */

typedef struct Tally
{
	int			equal;			/* points at which both have one value */
	int			undefined;		/* where the first has none */
	int			gained;			/* but the second has */
	int			skipped;		/* where neither can be told */
} Tally;

#ifdef HAVE_MPFR

/* Small integers, often 0, and fractions. */
static void
draw_fraction(mpq_t x)
{
	mpq_set_si(x, random_below(9) - 4, random_below(3) == 0 ? 1 + random_below(5) : 1);
	mpq_canonicalize(x);
}

/* Equal as fractions wherever the first is defined?  Says where not. */
static bool
same_fractions(const Fixture *fixture, const DpsNode *first, const DpsNode *second, int npoints, Tally *tally)
{
	mpq_t		x[COLUMNS];
	bool		same = true;
	int			i;
	int			j;

	for (j = 0; j < COLUMNS; j++)
		mpq_init(x[j]);
	for (i = 0; i < npoints && same; i++)
	{
		PreciseFractions f;
		char		a;
		char		b;

		for (j = 0; j < COLUMNS; j++)
			draw_fraction(x[j]);
		precise_fractions_init(&f, fixture->graph, (const mpq_t *) x);
		a = precise_fraction(&f, first);
		b = precise_fraction(&f, second);
		if (a == 3 || b == 3)
			tally->skipped++;
		else if (a == 2)
		{
			tally->undefined++;
			tally->gained += b == 1;
		}
		else
		{
			same = b == 1 && mpq_equal(f.value[first->id], f.value[second->id]);
			tally->equal += same;
		}
		if (!same)
			diag("differ at x = %.17g, y = %.17g, z = %.17g", mpq_get_d(x[0]), mpq_get_d(x[1]), mpq_get_d(x[2]));
		precise_fractions_clear(&f);
	}
	for (j = 0; j < COLUMNS; j++)
		mpq_clear(x[j]);
	return same;
}

/* The same to 1000 bits, for what no fraction is. */
static bool
same_digits(const DpsNode *first, const DpsNode *second, int npoints, Tally *tally)
{
	mpfr_t		x[COLUMNS];
	mpfr_t		a;
	mpfr_t		b;
	bool		same = true;
	int			i;
	int			j;

	mpfr_inits2(PRECISE_BITS, x[0], x[1], x[2], a, b, (mpfr_ptr) 0);
	for (i = 0; i < npoints && same; i++)
	{
		for (j = 0; j < COLUMNS; j++)
			mpfr_set_d(x[j], random_below(5) == 0 ? random_below(5) - 2 : random_between(-6, 6), MPFR_RNDN);
		precise_value(a, first, (const mpfr_t *) x);
		precise_value(b, second, (const mpfr_t *) x);
		if (!mpfr_number_p(a))
		{
			tally->undefined++;
			tally->gained += mpfr_number_p(b) != 0;
			continue;
		}
		mpfr_sub(b, b, a, MPFR_RNDN);
		mpfr_div_2ui(a, a, 900, MPFR_RNDN);
		same = mpfr_number_p(b) && (mpfr_cmpabs(b, a) <= 0 || mpfr_cmp_d(b, 0x1p-1000) <= 0);
		tally->equal += same;
		if (!same)
			diag("differ at x = %.17g, y = %.17g, z = %.17g by %g", mpfr_get_d(x[0], MPFR_RNDN),
				 mpfr_get_d(x[1], MPFR_RNDN), mpfr_get_d(x[2], MPFR_RNDN), mpfr_get_d(b, MPFR_RNDN));
	}
	mpfr_clears(x[0], x[1], x[2], a, b, (mpfr_ptr) 0);
	return same;
}

#else

/* Enclosures at a point must meet where the first is defined and the second has
 * to be. */
static bool
same_fractions(const Fixture *fixture, const DpsNode *first, const DpsNode *second, int npoints, Tally *tally)
{
	const DpsNode *outputs[2] = {first, second};
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	bool		same = true;
	int			i;
	int			j;

	if (dps_compile(fixture->graph, outputs, 2, &program) != DPS_OK ||
		(enclosures = dps_arena_alloc(fixture->arena, sizeof(DpsEnclosure) * program->ninstructions)) == NULL)
		return false;
	for (i = 0; i < npoints && same; i++)
	{
		DpsDomain	x[COLUMNS];
		const DpsEnclosure *a = &enclosures[dps_program_outputs(program)[0]];
		const DpsEnclosure *b = &enclosures[dps_program_outputs(program)[1]];

		for (j = 0; j < COLUMNS; j++)
		{
			x[j] = (DpsDomain) {random_below(9) - 4, 0, DPS_NEVER_NULL, false};
			x[j].hi = x[j].lo;
		}
		dps_enclose(program, x, enclosures);
		if (a->defined != DPS_DEFINED)
		{
			tally->undefined++;
			tally->gained += b->defined == DPS_DEFINED;
			continue;
		}
		same = b->defined != DPS_UNDEFINED && a->value.lo <= b->value.hi && b->value.lo <= a->value.hi;
		tally->equal += same;
	}
	return same;
}

#endif

/*
 * Over one denominator
 */

/* What is left is known of some. */
static const struct
{
	const char *sql;
	const char *together;		/* NULL: as it was */
}			sums[] = {
	{"1/(1 + x) - x/(1 + x)^2", "1 / (1 + x) / (1 + x)"},
	{"1/sqrt(1 + x^2) - x^2/sqrt(1 + x^2)^3", "1 / sqrt(1 + x ^ 2) / sqrt(1 + x ^ 2) / sqrt(1 + x ^ 2)"},
	{"1/sqrt(1 + x) - x/sqrt(1 + x)^2", NULL},
	{"1/(1 + abs(x)) - abs(x)/(1 + abs(x))^2", "1 / (1 + abs(x)) / (1 + abs(x))"},
	{"1/(y - x) - (y - 3*x)/(y - x)^2", "2 * x / (y - x) / (y - x)"},
	/* zero numerators */
	{"x/(1 + x)^2 + 1/(1 + x)^2 - 1/(1 + x)", "0 / (1 + x) / (1 + x)"},
	{"y/(x + y) - x*y/(x + y)^2 - y^2/(x + y)^2", "0 / (x + y) / (x + y)"},
	/* a sign beside what it is of */
	{"x*sign(x)/(1 + abs(x))^2 + 1/(1 + abs(x))^2 - 1/(1 + abs(x))", "0 / (1 + abs(x)) / (1 + abs(x))"},
	{"1/(1 + abs(x)) - x*sign(x)/(1 + abs(x))^2", "1 / (1 + abs(x)) / (1 + abs(x))"},
	/* below other operations */
	{"-(1/(1 + x) - x/(1 + x)^2)", "-1 / (1 + x) / (1 + x)"},
	{"y*(1/(1 + x) - x/(1 + x)^2)", "y / (1 + x) ^ 2"},
	{"(1/(1 + x) - x/(1 + x)^2)/y", "1 / (y * (1 + x) ^ 2)"},
	/* of one power there is nothing to multiply in */
	{"x/(1 + y) - x/(1 + y)", NULL},
	{"(x + y)/(x + y + 1) - x/(x + y + 1)", NULL},
	/* nothing cancels */
	{"1/(1 + x) + y", NULL},
	{"1/(1 + x) + 1/(1 + y)", NULL},
	{"x/y - x/y^2", NULL},
	{"x + y", NULL},
	{"x*y", NULL},
	{"x", NULL},
	{"0*x + 7", NULL},
	/* further apart than is multiplied out */
	{"1/(1 + x) - x/(1 + x)^4", NULL},
	/* too many terms: seventeen */
	{"1/(1 + x) - x/(1 + x)^2 + x^2 + x^3 + x^4 + x^5 + x^6 + x^7 + x^8 + x^9 + x^10 + x^11 + x^12 + x^13 + x^14 + x^15 + x^16", NULL},
	/* a denominator that is always 0 */
	{"1/(x - x) - x/(x - x)^2", NULL},
};

static bool
prints_as(const Fixture *fixture, const DpsNode *node, const char *sql)
{
	DpsText		text;

	dps_text_init(&text, fixture->arena);
	if (node == NULL || dps_print_sql(fixture->graph, node, &text) != DPS_OK || text.failed)
		return false;
	if (strcmp(text.data, sql) != 0)
		diag("it is %s", text.data);
	return strcmp(text.data, sql) == 0;
}

static void
test_sums(void)
{
	size_t		i;

	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
	{
		Fixture		fixture;
		Tally		tally = {0};
		const DpsNode *node;
		const DpsNode *result;

		set_up(&fixture);
		/* as derivatives come about: nothing is joined beforehand */
		node = read_sql(&fixture, sums[i].sql);
		if (!ok(node != NULL, "reads %s", sums[i].sql))
			continue;
		result = dps_together(fixture.graph, node);
		if (sums[i].together == NULL)
			ok(result == node, "%s stays", sums[i].sql);
		else
			ok(prints_as(&fixture, result, sums[i].together), "%s is %s", sums[i].sql, sums[i].together);
		ok(result != NULL && same_fractions(&fixture, node, result, POINTS, &tally), "and the same at %d points, undefined at %d",
		   tally.equal, tally.undefined);
		ok(dps_together(fixture.graph, result) == result, "once and for all");
		dps_arena_clear(fixture.arena);
	}
}

static void
test_degenerate(void)
{
	Fixture		fixture;
	const DpsNode *k;
	int			j;

	set_up(&fixture);
	ok(dps_together(fixture.graph, NULL) == NULL, "nothing of nothing");
	j = dps_graph_add_variable(fixture.graph, "k", DPS_INT4, false);
	k = dps_variable(fixture.graph, j);
	k = dps_apply(fixture.graph, DPS_OP_ADD, DPS_INT4, k, dps_constant(fixture.graph, DPS_INT4, 1));
	ok(dps_together(fixture.graph, k) == k, "integers stay");
	k = dps_constant(fixture.graph, DPS_FLOAT8, (double) NAN);
	ok(dps_together(fixture.graph, k) == k, "so does NULL");
	k = read_sql(&fixture, "x > y");
	ok(k == NULL || dps_together(fixture.graph, k) == k, "and what is no sum");
	dps_arena_clear(fixture.arena);
}

/* A random product of powers over the columns and sums of them. */
static const DpsNode *
random_term(DpsGraph *graph, const DpsNode *const *denominators, int n)
{
	const DpsNode *term = dps_constant(graph, DPS_FLOAT8, random_below(9) - 4);
	int			i;

	for (i = random_below(3); i >= 0; i--)
		term = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, term,
						 random_below(4) == 0 ?
						 dps_apply(graph, random_below(2) ? DPS_OP_SIGN : DPS_OP_ABS, DPS_FLOAT8,
								   dps_variable(graph, random_below(COLUMNS)), NULL) :
						 dps_variable(graph, random_below(COLUMNS)));
	for (i = random_below(3); i > 0; i--)
		term = dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, term, denominators[random_below(n)]);
	return random_below(4) == 0 ? dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, term, NULL) : term;
}

static const DpsNode *
random_sum(DpsGraph *graph, const DpsNode *const *denominators, int n)
{
	const DpsNode *sum = random_term(graph, denominators, n);
	int			i;

	for (i = random_below(5); i >= 0; i--)
	{
		const DpsNode *other = random_term(graph, denominators, n);

		if (random_below(6) == 0)
			other = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, other, denominators[random_below(n)]);
		sum = dps_apply(graph, random_below(2) ? DPS_OP_ADD : DPS_OP_SUB, DPS_FLOAT8, sum, other);
	}
	return sum;
}

/* Does it come apart again what makes |x| of x and its sign? */
static void
test_random_sums(void)
{
	Tally		tally = {0};
	int			changed = 0;
	bool		same = true;
	double		worst = 0;
	int			i;

	for (i = 0; i < RANDOM_SUMS && same; i++)
	{
		Fixture		fixture;
		const DpsNode *denominators[4];
		const DpsNode *node;
		const DpsNode *result;
		uint64_t	seed = random_state;

		set_up(&fixture);
		denominators[0] = read_sql(&fixture, "1 + x");
		denominators[1] = read_sql(&fixture, "x - y");
		denominators[2] = read_sql(&fixture, "1 + abs(y)");
		denominators[3] = read_sql(&fixture, "y");
		node = random_sum(fixture.graph, denominators, 4);
		result = dps_together(fixture.graph, node);
		same = result != NULL && same_fractions(&fixture, node, result, POINTS / 3, &tally);
		if (!same)
			diag("seed %llu", (unsigned long long) seed);
		else
			worst = fmax(worst, count_uses(result) / count_uses(node));
		changed += result != node;
		dps_arena_clear(fixture.arena);
	}
	ok(same, "%d random sums, %d of them changed, are the same at %d points", i, changed, tally.equal);
	ok(changed > RANDOM_SUMS / 20 && tally.equal > RANDOM_SUMS * 3, "which is enough to tell");
	ok(worst < 8, "none becomes more than eight times as long: %.1f", worst);
}

/* Derivatives, which it is for; no derivative of these becomes larger than it
 * was by more than the terms that it is limited to. */
static void
test_derivatives(void)
{
	static const char *const functions[] = {
		"x/(1 + x)", "x/(1 + abs(x))", "x*y/(1 + x)", "x/(x + y)", "(x - y)/(x + y)", "x^2/(1 + x)", "x*y/(x + y + z)",
		"x/(1 + x^2)", "1/(1 + x)/(1 + y)", "abs(x)/(1 + abs(x) + y^2)",
	};
	size_t		i;
	int			j;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
	{
		Fixture		fixture;
		const DpsNode *gradient[COLUMNS];
		const DpsNode *node;

		set_up(&fixture);
		node = read_sql(&fixture, functions[i]);
		if (!ok(node != NULL && dps_gradient(fixture.graph, node, gradient) == DPS_OK, "%s has derivatives", functions[i]))
			continue;
		for (j = 0; j < COLUMNS; j++)
		{
			Tally		tally = {0};
			const DpsNode *result = dps_together(fixture.graph, gradient[j]);

			ok(result != NULL && same_fractions(&fixture, gradient[j], result, POINTS, &tally),
			   "%s, by column %d: the same at %d points, gains %d of %d", functions[i], j, tally.equal, tally.gained,
			   tally.undefined);
		}
		dps_arena_clear(fixture.arena);
	}
}

/*
 * Products of powers
 */

static const DpsNode *
node_of_powers(DpsGraph *graph, const DpsPowers *product)
{
	const DpsNode *node = product->coefficient;
	int			i;
	int			k;

	if (product->negated)
		node = dps_intern(graph, DPS_OP_NEG, DPS_FLOAT8, 1, node, NULL, NULL);
	for (i = 0; i < product->n; i++)
		for (k = 0; k < (int) fabs(product->factor[i].power); k++)
			node = dps_intern(graph, product->factor[i].power > 0 ? DPS_OP_MUL : DPS_OP_DIV, DPS_FLOAT8, 2, node,
							  product->factor[i].base, NULL);
	return node;
}

static const struct
{
	const char *sql;
	int			power;
	bool		in_sums;
	bool		said;			/* can it be? */
	int			of_x;			/* power of x */
}			products[] = {
	{"x", 1, false, true, 1},
	{"x", -1, false, true, -1},
	{"x", 0, false, true, 0},
	{"x^3", -2, false, true, -6},
	{"x^5*y^2*3", 2, false, true, 10},
	{"-3*x/y", -3, false, true, -3},
	{"-3*x/y", 3, false, true, 3},
	{"x/(y/(x*z))", 1, false, true, 2},
	{"1/x^4", 2, false, true, -8},
	{"-(-(x^2))", 1, false, true, 2},
	{"(x*y)^2", 1, false, true, 2},
	{"(x/y)^2", -2, false, true, -4},
	{"7", -3, false, true, 0},
	{"-7", 3, false, true, 0},
	{"abs(x)", 3, false, true, 0},
	{"x + y", -2, false, true, 0},
	{"x^(-2)", 1, false, true, -2},
	/* a root is a base of its own */
	{"x^0.5", 2, false, true, 0},
	/* factors that the terms of a sum have in common */
	{"x*y + x*z", 1, true, true, 1},
	{"x*y + x*z", -2, true, true, -2},
	{"x^2*y - x^3", 2, true, true, 4},
	{"x*y + z", 1, true, true, 0},
	{"x/y + z/y", 1, true, true, 0},
	{"x*(x*y - x*z)", 1, true, true, 2},
	/* on both sides of the fraction, or too high */
	{"x*(y/(x + 1)*(x + 1))", 1, false, false, 0},
	{"x^16", 1, false, true, 16},
	{"x", 16, false, true, 16},
	{"x", 17, false, false, 0},
	{"x", -17, false, false, 0},
};

static void
test_powers(void)
{
	size_t		i;

	for (i = 0; i < sizeof(products) / sizeof(products[0]); i++)
	{
		Fixture		fixture;
		Tally		tally = {0};
		DpsPowers	product;
		const DpsNode *node;
		const DpsNode *power;
		bool		said;
		int			k;

		set_up(&fixture);
		node = read_sql(&fixture, products[i].sql);
		if (!ok(node != NULL, "reads %s", products[i].sql))
			continue;
		product = dps_powers_empty(fixture.graph, products[i].in_sums);
		ok(product.n == 0 && !product.negated && dps_is_constant(product.coefficient, 1), "the empty product is 1");
		said = dps_powers_multiply(&product, node, products[i].power);
		power = dps_constant(fixture.graph, DPS_FLOAT8, 1);
		for (k = 0; k < (int) fabs(products[i].power); k++)
			power = dps_intern(fixture.graph, products[i].power > 0 ? DPS_OP_MUL : DPS_OP_DIV, DPS_FLOAT8, 2, power, node, NULL);
		/* the parser's constructors may have cancelled it already */
		if (!products[i].said && contains(node, DPS_OP_DIV) == false && products[i].power == 1)
			said = false;
		if (!ok(said == products[i].said, "(%s)^%d can%s be said", products[i].sql, products[i].power, products[i].said ? "" : "not"))
			continue;
		if (said)
		{
			ok(dps_powers_of(&product, dps_variable(fixture.graph, 0)) == products[i].of_x, "x to the power of %d", products[i].of_x);
			ok(!dps_is_constant(product.coefficient, 0) && product.coefficient->value > 0, "times a positive coefficient");
			ok(same_fractions(&fixture, power, node_of_powers(fixture.graph, &product), POINTS, &tally) &&
			   tally.equal + tally.skipped > 0, "the same at %d points", tally.equal);
		}
		dps_arena_clear(fixture.arena);
	}
}

/* Each further factor is one more, until there is no room. */
static void
test_many_powers(void)
{
	Fixture		fixture;
	DpsPowers	product;
	bool		said = true;
	int			k;

	set_up(&fixture);
	product = dps_powers_empty(fixture.graph, false);
	for (k = 0; k < DPS_MAX_POWERS + 1 && said; k++)
		said = dps_powers_multiply(&product,
								   dps_apply(fixture.graph, DPS_OP_ADD, DPS_FLOAT8, dps_variable(fixture.graph, 0),
											 dps_constant(fixture.graph, DPS_FLOAT8, k + 1)), k % 2 == 0 ? 1 : -1);
	ok(!said && k == DPS_MAX_POWERS + 1 && product.n == DPS_MAX_POWERS, "%d factors and no more", product.n);
	product = dps_powers_empty(fixture.graph, false);
	ok(dps_powers_multiply(&product, dps_variable(fixture.graph, 0), 2) &&
	   !dps_powers_multiply(&product, dps_variable(fixture.graph, 0), -1), "nothing cancels across the line, where it may be 0");
	ok(dps_powers_of(&product, dps_variable(fixture.graph, 1)) == 0, "what is no factor has the power 0");
	dps_arena_clear(fixture.arena);
}

/*
 * Sums of squares and magnitudes
 */

static const char *const entries[][COLUMNS] = {
	{"x*z", "y*z", NULL},
	{"x/(1 + z)", "y/(1 + z)", "3*x*y/(1 + z)"},
	{"2*x*y", "-3*x*y", NULL},
	{"2*x*y", "2*x*z", "-2*x"},
	{"x^2*y", "x^3*z", NULL},
	{"y/x^2", "z/x", NULL},
	{"y/x^2", "z/x^2", "1/x^3"},
	{"x*y + x*z", "x*y", NULL},
	{"x*y - x*z", "x^2*y - x*z^2", "x"},
	{"-x/(y + z)^2", "(x + 1)*x/(y + z)", NULL},
	{"x*abs(y)", "z*abs(y)", NULL},
	{"x^3*y", "x^3*z", NULL},
	{"0.1*x*z", "0.3*y*z", NULL},
	{"y/3*x", "z/7*x", NULL},
	/* nothing in common */
	{"x", "y", NULL},
	{"x*y", "z", "x"},
	/* only one, or none of use */
	{"x*y", NULL, NULL},
	{"0", "x*y", "y*z"},
};

static const char *const rooted[][COLUMNS] = {
	{"x/sqrt(x^2 + y^2)", "y/sqrt(x^2 + y^2)", NULL},
	{"x*sqrt(y)", "z*sqrt(y)", NULL},
	{"x*sqrt(y)^3*2", "-z*sqrt(y)", "sqrt(y)"},
	{"x*exp(z)", "-y*exp(z)", NULL},
	{"exp(x)/(1 + exp(x))^2*3", "exp(x)/(1 + exp(x))^2*y", NULL},
	{"sin(x)*y", "sin(x)*cos(y)", "sin(x)^3"},
};

/* The sum as it stands. */
static const DpsNode *
plain_sum(DpsGraph *graph, const DpsNode *const *nodes, int n, DpsOpcode op)
{
	const DpsNode *sum = dps_constant(graph, DPS_FLOAT8, 0);
	int			k;

	for (k = 0; k < n; k++)
		sum = dps_intern(graph, DPS_OP_ADD, DPS_FLOAT8, 2, sum, dps_intern(graph, op, DPS_FLOAT8, 1, nodes[k], NULL, NULL), NULL);
	return sum;
}

typedef const DpsNode *(*Factored) (DpsGraph *graph, const DpsNode *const *entries, int n);

static int
check_entries(const char *const *sql, bool fractions, Factored factored, DpsOpcode op)
{
	Fixture		fixture;
	Tally		tally = {0};
	const DpsNode *nodes[COLUMNS];
	const DpsNode *plain;
	const DpsNode *result;
	bool		same = false;
	int			n;

	set_up(&fixture);
	for (n = 0; n < COLUMNS && sql[n] != NULL; n++)
		nodes[n] = read_sql(&fixture, sql[n]);
	plain = plain_sum(fixture.graph, nodes, n, op);
	result = factored(fixture.graph, nodes, n);
	if (result != NULL && fractions)
		same = same_fractions(&fixture, plain, result, POINTS, &tally);
#ifdef HAVE_MPFR
	else if (result != NULL)
		same = same_digits(plain, result, POINTS, &tally);
#else
	else if (result != NULL)
		same = same_fractions(&fixture, plain, result, POINTS, &tally);
#endif
	ok(result == NULL || (same && tally.equal > 0), "%s, %s: %s the same at %d points", sql[0], sql[1] == NULL ? "-" : sql[1],
	   result == NULL ? "nothing in common, or" : "", tally.equal);
	dps_arena_clear(fixture.arena);
	return result != NULL;
}

static void
test_factored(void)
{
	int			squares = 0;
	int			magnitudes = 0;
	size_t		i;

	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
	{
		squares += check_entries(entries[i], true, dps_factored_squares, DPS_OP_SQR);
		magnitudes += check_entries(entries[i], true, dps_factored_magnitudes, DPS_OP_ABS);
	}
	for (i = 0; i < sizeof(rooted) / sizeof(rooted[0]); i++)
	{
		squares += check_entries(rooted[i], false, dps_factored_squares, DPS_OP_SQR);
		magnitudes += check_entries(rooted[i], false, dps_factored_magnitudes, DPS_OP_ABS);
	}
	ok(squares == 20 && magnitudes == 20, "%d and %d have something in common", squares, magnitudes);
}

/* The common factor stands once, outside. */
static void
test_common(void)
{
	Fixture		fixture;
	const DpsNode *nodes[2];
	const DpsNode *result;

	set_up(&fixture);
	nodes[0] = read_sql(&fixture, "x*exp(z)");
	nodes[1] = read_sql(&fixture, "y*exp(z)");
	result = dps_factored_squares(fixture.graph, nodes, 2);
	ok(result != NULL && count_uses(result) <= 10, "what they have in common is met once: %g nodes", count_uses(result));
	result = dps_factored_magnitudes(fixture.graph, nodes, 2);
	ok(result != NULL && result->op == DPS_OP_MUL && count_uses(result) <= 10, "so it is of magnitudes");
	nodes[0] = read_sql(&fixture, "x/sqrt(x^2 + y^2)");
	nodes[1] = read_sql(&fixture, "y/sqrt(x^2 + y^2)");
	result = dps_factored_squares(fixture.graph, nodes, 2);
	ok(result != NULL && !contains(result, DPS_OP_SQRT), "the square of a root has none");
	nodes[0] = NULL;
	ok(dps_factored_squares(fixture.graph, nodes, 2) == NULL && dps_factored_magnitudes(fixture.graph, nodes, 2) == NULL,
	   "nothing of nothing");
	ok(dps_factored_squares(fixture.graph, nodes, 0) == NULL, "nor of no entries");
	dps_arena_clear(fixture.arena);
}

/*
 * The host
 */

static void
test_host(void)
{
	Scarce		scarce;
	DpsHost		host = scarce_host(&scarce);
	const DpsNode *result = NULL;
	bool		right = true;
	long		n;

	for (n = 0; n < 100 && result == NULL; n++)
	{
		Fixture		fixture;
		const DpsNode *node = NULL;

		scarce = (Scarce) {.left = n, .once = true};
		if (set_up_on(&fixture, &host))
			node = read_sql(&fixture, "1/(1 + exp(x) + y) - exp(x)/(1 + exp(x) + y)^2 + x*y/(1 + exp(x) + y)");
		if (node != NULL)
			result = dps_together(fixture.graph, node);
		if (result != NULL)
			right = right && result != node;
		dps_arena_clear(fixture.arena);
		right = right && scarce.held == 0;
	}
	ok(right && result != NULL, "each of %ld blocks may be missing, and none leaks", n - 1);
}

/*
 * Shares of sums
 */

/* The greatest relative difference of the nodes at random points of the box. */
static double
furthest(const Fixture *fixture, const DpsNode *x, const DpsNode *y, double lo, double hi)
{
	const DpsNode *outputs[] = {x, y};
	const DpsProgram *program;
	double	   *scratch;
	double		point[COLUMNS];
	const double *columns[] = {&point[0], &point[1], &point[2]};
	double		value[2];
	double	   *values[] = {&value[0], &value[1]};
	double		most = 0;
	int			i;
	int			j;

	if (dps_compile(fixture->graph, outputs, 2, &program) != DPS_OK ||
		(scratch = dps_arena_alloc(fixture->arena, sizeof(double) * dps_scratch_size(program))) == NULL)
		return INFINITY;
	for (i = 0; i < POINTS; i++)
	{
		for (j = 0; j < COLUMNS; j++)
			point[j] = random_between(lo, hi);
		dps_evaluate(program, columns, 1, scratch, values);
		most = fmax(most, fabs(value[0] - value[1]) / fmax(fabs(value[0]), 1e-300));
	}
	return most;
}

static void
test_shares(void)
{
	static const struct
	{
		const char *sql;
		double		lo;
		bool		rewritten;
	}			cases[] =
	{
		{"x^z/(y^z + x^z)", 0.1, true},
		{"(z - 1)*x^z/(3*y^z + x^z) + y", 0.1, true},
		{"exp(x)/(exp(x) + exp(y) + exp(z))", -3, true},
		{"x/(x + y)", 0.1, true},
		{"2*x*y/(x + y + 1)", 0.1, true},
		{"CASE WHEN x > 1 THEN x/(y + x) ELSE z END", 0.1, true},
		{"x/(x + y)", -1, false},
		{"x^z/(y^z + x^z)", 0, false},
		{"x/(x*x + y)", 0.1, false},
		{"x/(x - y)", 0.1, false},
		{"x + y", 0.1, false}
	};
	size_t		i;
	int			j;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpsDomain	box[COLUMNS];
		const DpsNode *result = NULL;
		const DpsNode *node;
		Fixture		fixture;

		set_up(&fixture);
		for (j = 0; j < COLUMNS; j++)
			box[j] = (DpsDomain) {cases[i].lo, 5, DPS_NEVER_NULL, false};
		node = read_sql(&fixture, cases[i].sql);
		ok(dps_shares(fixture.graph, node, box, &result) == DPS_OK && (result != node) == cases[i].rewritten &&
		   furthest(&fixture, node, result, fmax(cases[i].lo, 0.01), 5) < 1e-12, "%s from %g: %s", cases[i].sql, cases[i].lo,
		   cases[i].rewritten ? "the same, with the numerator once" : "as it is");
		dps_arena_clear(fixture.arena);
	}
}

/* Is the value at the point the same, as far as enclosures tell? */
static bool
agree_at(Fixture *fixture, const DpsNode *const *nodes, const double *x, double *width)
{
	DpsEnclosure enclosures[200];
	const DpsProgram *program;
	DpsDomain	point[COLUMNS];
	DpsInterval both;
	int			j;

	if (dps_compile_partly(fixture->graph, nodes, 2, 0, 0, &program) != DPS_OK || program->ninstructions > 200)
		return false;
	for (j = 0; j < COLUMNS; j++)
		point[j] = (DpsDomain) {x[j], x[j], DPS_NEVER_NULL, false};
	dps_enclose(program, point, enclosures);
	both = dps_iv_intersect(enclosures[dps_program_outputs(program)[0]].value, enclosures[dps_program_outputs(program)[1]].value);
	*width = (both.hi - both.lo) / fmax(fabs(both.lo), fabs(both.hi));
	return !dps_iv_is_empty(both);
}

static const struct
{
	const char *sql;
	double		lo;				/* of all columns */
	bool		joins;
}			powers[] = {
	{"z*x*(x/y)^(z - 1)/(y*y*((x/y)^z + 1)^2)", 0.5, true},
	{"(z*x*(x/y)^(z - 1))^2/(y^4*((x/y)^z + 1)^4) + (x/y)^z", 0.5, true},
	{"x^(z + 1)/(x*(2 + x^z))", 0.25, true},
	{"-((x*y)^(z - 1)*x*ln(1 + (x*y)^z))", 0.25, true},
	{"1/(1 + x^z)*(x*x*y*y*(x*y)^z*(x*y)^(z - 1)/((x*y)^(z + 1)*y)) - (x*y)^z", 0.5, true},
	/* 0 is in the box */
	{"z*x*(x/y)^(z - 1)/(y*y*((x/y)^z + 1)^2)", 0, false},
	{"x^(z - 1)*x*y/(1 + x^z)", 0, false},
	/* the power is nowhere else; there would be more factors */
	{"z*x*(x/y)^(z - 1)/(y*y)", 0.5, false},
	{"(x + 1)^(z - 1)*y/(1 + (x + 1)^z)", 0.5, false},
	/* not by 1 */
	{"x^(z - 2)*x/(x^z + 1)", 0.5, false},
};

/* Powers are joined where there are, and are what they were. */
static void
test_joined_powers(void)
{
	size_t		i;

	for (i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
	{
		Fixture		fixture;
		DpsDomain	box[COLUMNS];
		const DpsNode *nodes[2];
		double		widest = 0;
		bool		right = true;
		int			k;
		int			j;

		set_up(&fixture);
		for (j = 0; j < COLUMNS; j++)
			box[j] = (DpsDomain) {powers[i].lo, 4, DPS_NEVER_NULL, false};
		nodes[0] = read_sql(&fixture, powers[i].sql);
		if (ok(dps_join_powers(fixture.graph, nodes[0], box, &nodes[1]) == DPS_OK && nodes[1] != NULL, "%s is written", powers[i].sql))
		{
			ok((nodes[1] != nodes[0]) == powers[i].joins, "%s", powers[i].joins ? "otherwise" : "as it was");
			for (k = 0; k < POINTS && right; k++)
			{
				double		x[COLUMNS];
				double		width;

				for (j = 0; j < COLUMNS; j++)
					x[j] = 0.5 + 3.5 * ((k * (j + 1) * 37 + 11 * j) % 101) / 101;
				right = agree_at(&fixture, nodes, x, &width);
				widest = fmax(widest, width);
			}
			ok(right && widest < 1e-12, "with the same values");
		}
		dps_arena_clear(fixture.arena);
	}
}

static const char *const moved[] = {
	"z*(1 + x)*x/(x + z)",
	"x*z/(z/(1 + x))",
	"z*(x/z)/(x*z) - z*x*z/(1 + z)",
	"-(x*z*(1 - exp(-(x/z)))/(x/z)) + z",
	"z*x/(z*(1 + x/z)*z) + (z*x)*(z*x)/z",
	"(z + x)*(z*(x*(z*(1 + x))))/(3*z)",
};

/* The difference that a column makes is what it was, with factors taken out. */
static void
test_moves(void)
{
	size_t		i;

	for (i = 0; i < sizeof(moved) / sizeof(moved[0]); i++)
	{
		Fixture		fixture;
		const DpsNode *nodes[2];
		const DpsNode *node;
		const DpsNode *y;
		double		width;
		bool		right = true;
		int			k;
		int			j;

		set_up(&fixture);
		node = read_sql(&fixture, moved[i]);
		y = read_sql(&fixture, "y");
		nodes[0] = dps_apply(fixture.graph, DPS_OP_SUB, DPS_FLOAT8, node, dps_substitute(fixture.graph, node, 0, y));
		nodes[1] = dps_column_move(fixture.graph, node, 0, y);
		for (k = 0; k < POINTS && right; k++)
		{
			double		x[COLUMNS];

			for (j = 0; j < COLUMNS; j++)
				x[j] = 0.5 + 3.5 * ((k * (j + 1) * 37 + 11 * j) % 101) / 101;
			right = nodes[1] != NULL && agree_at(&fixture, nodes, x, &width);
		}
		ok(right, "%s moves as far", moved[i]);
		dps_arena_clear(fixture.arena);
	}
}

int
main(void)
{
#ifndef HAVE_MPFR
	diag("without MPFR: values are compared by enclosures at points");
#endif
	test_sums();
	test_degenerate();
	test_random_sums();
	test_derivatives();
	test_powers();
	test_many_powers();
	test_factored();
	test_common();
	test_shares();
	test_host();
#ifdef HAVE_MPFR
	mpfr_free_cache();
#endif
	test_joined_powers();
	test_moves();
	return done_testing();
}
