/*
 * test_expr.c
 *		Graphs: interning, simplification, substitution, derivatives.
 *
 * Most tests are properties of random expressions built in two forms, see
 * generate.h.
 */
#include "generate.h"

#define VAR(j) dps_variable(graph, GEN_##j)
#define NUM(v) dps_constant(graph, DPS_FLOAT8, v)
#define F8(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT8, a, b)
#define F4(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT4, a, b)
#define I4(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_INT4, a, b)
#define IS(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_BOOL, a, b)
#define INT(v) dps_constant(graph, DPS_INT4, v)

/* Simplification keeps values. */

/* Both enclosures hold the exact value, so the evaluated values differ by no
 * more than both are wide: what cancels badly is wide. */
static bool
same_number(const GenOutcome *plain, const GenOutcome *simple)
{
	DpsInterval a = plain->enclosure.value;
	DpsInterval b = simple->enclosure.value;
	double		slack = 1e-9 * (fabs(plain->value) + fabs(simple->value)) + 1e-300;

	if (dps_iv_is_empty(dps_iv_intersect(a, b)))
		return false;
	return fabs(plain->value - simple->value) <= slack + (a.hi - a.lo) + (b.hi - b.lo);
}

/* Is the plain form's outcome certain: a finite value, or NULL? */
static bool
is_certain(const GenOutcome *o)
{
	DpsInterval v = o->enclosure.value;

	if (o->enclosure.defined != DPS_DEFINED || o->enclosure.nullness == DPS_MAYBE_NULL)
		return false;
	return o->enclosure.nullness == DPS_ALWAYS_NULL ||
		(fabs(v.lo) < 1e100 && fabs(v.hi) < 1e100 && o->value == o->value);
}

static bool
agrees(const GenOutcome *plain, const GenOutcome *simple)
{
	if (plain->enclosure.nullness == DPS_ALWAYS_NULL)
		return isnan(simple->value);
	if (simple->enclosure.defined == DPS_UNDEFINED || simple->enclosure.nullness == DPS_ALWAYS_NULL)
		return false;
	/* rearranged, it may overflow */
	if (!isfinite(simple->enclosure.value.lo) || !isfinite(simple->enclosure.value.hi))
		return true;
	return !isnan(simple->value) && same_number(plain, simple);
}

typedef struct Tally
{
	int			numbers;
	int			nulls;
	int			undefined;
	int			tight;
} Tally;

static bool
check_row(const Generator *g, GenPair e, const DpsProgram *const *programs, bool generic, Tally *tally)
{
	double		row[GEN_COLUMNS];
	GenOutcome	plain;
	GenOutcome	simple;
	bool		good = true;

	gen_row(row, generic);
	plain = gen_outcome(programs[0], row);
	simple = gen_outcome(programs[1], row);
	if (is_certain(&plain))
	{
		good = agrees(&plain, &simple);
		tally->nulls += plain.enclosure.nullness == DPS_ALWAYS_NULL;
		tally->numbers += plain.enclosure.nullness != DPS_ALWAYS_NULL;
		tally->tight += plain.enclosure.value.hi - plain.enclosure.value.lo <= 1e-9 * (1 + fabs(plain.value));
	}
	else if (generic && plain.enclosure.defined == DPS_UNDEFINED)
	{
		good = simple.enclosure.defined != DPS_DEFINED;
		tally->undefined++;
	}
	if (!good)
	{
		diag("plain %.17g in [%.17g, %.17g], null %d, defined %d", plain.value, plain.enclosure.value.lo,
			 plain.enclosure.value.hi, plain.enclosure.nullness, plain.enclosure.defined);
		diag("simple %.17g in [%.17g, %.17g], null %d, defined %d", simple.value, simple.enclosure.value.lo,
			 simple.enclosure.value.hi, simple.enclosure.nullness, simple.enclosure.defined);
		gen_describe(g->plain, "plain", e.plain);
		gen_describe(g->simple, "simple", e.simple);
		gen_describe_row(row);
	}
	return good;
}

static bool
check_value(const Generator *g, GenPair e, bool generic, Tally *tally)
{
	const DpsProgram *programs[2];
	bool		good = true;
	int			i;

	programs[0] = gen_compile(g->plain, &e.plain, 1);
	programs[1] = gen_compile(g->simple, &e.simple, 1);
	for (i = 0; i < 6 && good; i++)
		good = check_row(g, e, programs, generic, tally);
	return good;
}

static void
test_value(void)
{
	static const struct
	{
		const char *name;
		uint32_t	types;
		DpsType		type;
		bool		generic;
	}			kinds[] = {
		{"any type", GEN_ALL_TYPES, DPS_FLOAT8, false},
		{"numeric", GEN_T(NUMERIC) | GEN_T(INT4), DPS_NUMERIC, false},
		{"integers", GEN_INTEGERS, DPS_INT8, false},
		{"real", GEN_T(FLOAT4) | GEN_T(INT2), DPS_FLOAT4, false},
		{"conditions", GEN_ALL_TYPES, DPS_BOOL, false},
		{"double precision", GEN_T(FLOAT8), DPS_FLOAT8, false},
		/* where nothing is at a boundary, nothing may become defined either */
		{"double precision, generic rows", GEN_T(FLOAT8), DPS_FLOAT8, true},
	};
	size_t		k;
	int			i;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		Tally		tally = {0};
		int			failures = 0;

		for (i = 0; i < 1500 && failures < 3; i++)
		{
			uint64_t	seed = random_state;
			DpsArena   *arena = gen_arena();
			Generator	g = gen_init(arena, kinds[k].types);
			GenPair		e = gen_expression(&g, kinds[k].type, 1 + random_below(6));

			if (!check_value(&g, e, kinds[k].generic, &tally))
			{
				diag("expression %d, random_state %#llx", i, (unsigned long long) seed);
				failures++;
			}
			dps_arena_clear(arena);
		}
		ok(failures == 0, "simplified and plain expressions have one value: %s (%d numbers, %d tight, %d NULL, %d undefined)",
		   kinds[k].name, tally.numbers, tally.tight, tally.nulls, tally.undefined);
		ok(tally.tight > 1000 && (kinds[k].generic ? tally.undefined : tally.nulls) > 100,
		   "enough of them say something: %s", kinds[k].name);
	}
}

int
main(void)
{
	test_value();
	return done_testing();
}
