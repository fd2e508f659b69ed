/*
 * histogram_forms.c
 *		Functions of a histogram, in few dimensions: finding the forms and what
 *		holds between them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "bound/histogram/histogram_forms.h"
#include "expr/intern.h"

/* Sums of counts up to here are exact. */
#define EXACT_LIMIT 9007199254740992.0
#define MAX_FORM 1e300
#define EXACT_UNIT 0x1p20

/* The most inequalities for a pair of dimensions. */
#define MAX_PER_PAIR 128
#define MAX_PAIRED 6

/* A lattice is small up to so many points times cells. */
#define FEW_POINTS 50000

/* constant + sum of coef[i] * n_i, exactly */
typedef struct Affine
{
	double	   *coef;			/* by cell; NULL for a constant */
	double		constant;
} Affine;

typedef struct Builder
{
	DpsForms   *forms;
	DpsArena   *arena;
	int			ncells;
	uint32_t	limit;			/* ids are below this */
	const DpsNode **reachable;	/* by id, as the next three */
	Affine	  **affine;
	const DpsNode **rebuilt;
	bool	   *seen;
	int			nforms;			/* forms of the terms, at most capacity */
	int			capacity;
	const double **form;		/* by cell */
	bool		literal;		/* dimensions are cells, and nodes stay as
								 * they are */
	int		   *order;			/* cells by class */
	bool		failed;			/* out of memory */
} Builder;

static void *
allocate(Builder *b, size_t size)
{
	void	   *result = dps_arena_alloc(b->arena, size > 0 ? size : 1);

	if (result == NULL)
		b->failed = true;
	return result;
}

/*
 * Linear expressions
 */

static Affine *
new_affine(Builder *b, bool constant)
{
	Affine	   *result = allocate(b, sizeof(Affine));

	if (result != NULL && !constant)
		result->coef = allocate(b, sizeof(double) * b->ncells);
	return b->failed ? NULL : result;
}

/* x + sign * y; false if that is not a double */
static bool
exact_sum(double x, double sign, double y, double *sum)
{
	*sum = x + sign * y;
	return *sum - x == sign * y && *sum - sign * y == x;
}

static bool
exact_product(double x, double y, double *product)
{
	*product = x * y + 0.0;
	return isfinite(*product) && fma(x, y, -*product) == 0 && (*product != 0 || x == 0 || y == 0);
}

static bool
exact_quotient(double x, double y, double *quotient)
{
	*quotient = x / y + 0.0;
	return y != 0 && isfinite(*quotient) && fma(*quotient, y, -x) == 0 && (*quotient != 0 || x == 0);
}

static Affine *
affine_sum(Builder *b, const Affine *x, double sign, const Affine *y)
{
	Affine	   *result = new_affine(b, x->coef == NULL && y->coef == NULL);
	bool		exact;
	int			i;

	if (result == NULL)
		return NULL;
	exact = exact_sum(x->constant, sign, y->constant, &result->constant);
	for (i = 0; exact && result->coef != NULL && i < b->ncells; i++)
		exact = exact_sum(x->coef == NULL ? 0 : x->coef[i], sign, y->coef == NULL ? 0 : y->coef[i],
						  &result->coef[i]);
	return exact ? result : NULL;
}

static Affine *
affine_scaled(Builder *b, const Affine *x, double factor, bool (*apply) (double, double, double *))
{
	Affine	   *result = new_affine(b, x->coef == NULL);
	bool		exact;
	int			i;

	if (result == NULL)
		return NULL;
	exact = apply(x->constant, factor, &result->constant);
	for (i = 0; exact && result->coef != NULL && i < b->ncells; i++)
		exact = apply(x->coef[i], factor, &result->coef[i]);
	return exact ? result : NULL;
}

static Affine *
affine_leaf(Builder *b, const DpsNode *node)
{
	Affine	   *result;

	if (node->op == DPS_OP_CONST && (node->exact != NULL || !isfinite(node->value)))
		return NULL;
	result = new_affine(b, node->op == DPS_OP_CONST);
	if (result == NULL)
		return NULL;
	if (node->op == DPS_OP_CONST)
		result->constant = node->value;
	else
		result->coef[node->variable] = 1;
	return result;
}

/* The node as a linear expression with exact coefficients, or NULL. */
static Affine *
affine_of(Builder *b, const DpsNode *node)
{
	const Affine *x = node->nargs > 0 ? b->affine[node->arg[0]->id] : NULL;
	const Affine *y = node->nargs > 1 ? b->affine[node->arg[1]->id] : NULL;

	if (node->nargs == 0)
		return affine_leaf(b, node);
	if (node->type != DPS_FLOAT8 || x == NULL || (node->nargs == 2 && y == NULL))
		return NULL;
	switch (node->op)
	{
		case DPS_OP_ADD:
			return affine_sum(b, x, 1, y);
		case DPS_OP_SUB:
			return affine_sum(b, x, -1, y);
		case DPS_OP_NEG:
			return affine_scaled(b, x, -1, exact_product);
		case DPS_OP_MUL:
			if (y->coef == NULL)
				return affine_scaled(b, x, y->constant, exact_product);
			return x->coef == NULL ? affine_scaled(b, y, x->constant, exact_product) : NULL;
		case DPS_OP_DIV:
			return y->coef == NULL ? affine_scaled(b, x, y->constant, exact_quotient) : NULL;
		default:
			return NULL;
	}
}

/* The greatest magnitude that the expression can reach. */
static double
affine_magnitude(const Builder *b, const Affine *affine)
{
	double		magnitude = fabs(affine->constant);
	int			i;

	for (i = 0; affine->coef != NULL && i < b->ncells; i++)
		magnitude += fabs(affine->coef[i]) * b->forms->domain->upper[i];
	return magnitude;
}

static void
mark_reachable(Builder *b, const DpsNode *const *outputs, int n)
{
	uint32_t	id;
	int			k;

	for (k = 0; k < n; k++)
		b->reachable[outputs[k]->id] = outputs[k];
	for (id = b->limit; id-- > 0;)
	{
		for (k = 0; b->reachable[id] != NULL && k < b->reachable[id]->nargs; k++)
			b->reachable[b->reachable[id]->arg[k]->id] = b->reachable[id]->arg[k];
	}
}

static void
find_affine(Builder *b)
{
	uint32_t	id;

	for (id = 0; id < b->limit && !b->failed; id++)
	{
		if (b->reachable[id] == NULL)
			continue;
		b->affine[id] = affine_of(b, b->reachable[id]);
		if (b->affine[id] != NULL && !(affine_magnitude(b, b->affine[id]) < MAX_FORM))
			b->affine[id] = NULL;
	}
}

/* The node's linear expression; NULL if it has none, or a constant one. */
static const Affine *
linear_part(const Builder *b, const DpsNode *node)
{
	const Affine *affine = b->affine[node->id];

	return affine != NULL && affine->coef != NULL ? affine : NULL;
}

/*
 * Terms of the outputs
 */

static bool
is_sum(const DpsNode *node)
{
	return node->type == DPS_FLOAT8 && (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB || node->op == DPS_OP_NEG);
}

/* Counts the terms of a node and, unless term is NULL, writes them to term[n]
 * and on. */
static int
add_terms(Builder *b, const DpsNode *node, int output, bool negated, DpsTerm *term, int n)
{
	if (b->affine[node->id] != NULL && b->affine[node->id]->coef == NULL)
		return n;
	if (linear_part(b, node) == NULL && is_sum(node))
	{
		n = add_terms(b, node->arg[0], output, negated != (node->op == DPS_OP_NEG), term, n);
		return node->nargs == 1 ? n :
			add_terms(b, node->arg[1], output, negated != (node->op == DPS_OP_SUB), term, n);
	}
	if (term != NULL)
	{
		term[n].output = output;
		term[n].negated = negated;
		term[n].node = node;
		if (linear_part(b, node) != NULL)
			term[n].linear = linear_part(b, node)->coef;
	}
	return n + 1;
}

static void
collect_terms(Builder *b, const DpsNode *const *outputs)
{
	DpsForms   *forms = b->forms;
	int			n = 0;
	int			k;

	for (k = 0; k < forms->noutputs; k++)
		n = add_terms(b, outputs[k], k, false, NULL, n);
	forms->term = allocate(b, sizeof(DpsTerm) * n);
	for (k = 0; k < forms->noutputs && !b->failed; k++)
		forms->nterms = add_terms(b, outputs[k], k, false, forms->term, forms->nterms);
}

/*
 * Forms and classes
 */

/*
 * The form divided by *scale, which makes its coefficients integers without a
 * common divisor.  The form itself, with *scale 1, if a coefficient is no
 * multiple of 2^-20 or is too large.  NULL when memory ran out.
 */
static const double *
normalise(Builder *b, const double *coef, double *scale)
{
	double		divisor = 0;
	double	   *result;
	int			i;

	*scale = 1;
	for (i = 0; i < b->ncells; i++)
	{
		double		units = fabs(coef[i]) * EXACT_UNIT;

		if (units != rint(units) || units > EXACT_LIMIT)
			return coef;
		divisor = dps_common_divisor(divisor, units);
	}
	result = allocate(b, sizeof(double) * b->ncells);
	if (result == NULL || divisor == 0)
		return result;
	*scale = divisor / EXACT_UNIT;
	for (i = 0; i < b->ncells; i++)
		result[i] = coef[i] / *scale;
	return result;
}

static int
find_form(const Builder *b, const double *coef)
{
	int			k;

	for (k = 0; k < b->nforms; k++)
		if (memcmp(b->form[k], coef, sizeof(double) * b->ncells) == 0)
			return k;
	return -1;
}

static void
add_form(Builder *b, const double *coef)
{
	if (find_form(b, coef) >= 0)
		return;
	if (b->nforms == b->capacity)
	{
		int			capacity = b->capacity * 2 + 8;
		const double **form = allocate(b, sizeof(double *) * capacity);

		if (form == NULL)
			return;
		if (b->nforms > 0)
			memcpy(form, b->form, sizeof(double *) * b->nforms);
		b->form = form;
		b->capacity = capacity;
	}
	b->form[b->nforms++] = coef;
}

static void
collect_forms(Builder *b, const DpsNode *node)
{
	double		scale;
	int			k;

	if (b->seen[node->id])
		return;
	b->seen[node->id] = true;
	if (linear_part(b, node) != NULL)
	{
		const double *form = normalise(b, linear_part(b, node)->coef, &scale);

		if (form != NULL)
			add_form(b, form);
	}
	else
		for (k = 0; k < node->nargs; k++)
			collect_forms(b, node->arg[k]);
}

/*
 * Are sums of the forms exact in any order?  Then the coefficients are
 * multiples of a power of two, and small.
 */
static bool
has_exact_sums(const Builder *b)
{
	int			k;
	int			i;

	for (k = 0; k < b->nforms; k++)
	{
		double		sum = 0;

		for (i = 0; i < b->ncells; i++)
		{
			double		scaled_up = b->form[k][i] * EXACT_UNIT;

			if (scaled_up != rint(scaled_up))
				return false;
			sum += fabs(scaled_up) * b->forms->domain->upper[i];
		}
		if (!(sum < EXACT_LIMIT))
			return false;
	}
	return true;
}

/*
 * Where rounding decides on which side of a jump a value is, the order of a sum
 * matters.  If the lattice is small enough, expressions then stay as they are
 * written, over single cells instead of classes.
 */
static bool
is_literal(const Builder *b)
{
	double		points = b->ncells;
	int			i;

	for (i = 0; i < b->ncells; i++)
		points *= b->forms->domain->upper[i] + 1.0;
	return points <= FEW_POINTS && !has_exact_sums(b);
}

/* The order of classes: by forms, then by linear terms. */
static int
compare_cells(const Builder *b, int i, int j)
{
	int			k;

	if (b->literal)
		return (i > j) - (i < j);
	for (k = 0; k < b->nforms; k++)
		if (b->form[k][i] != b->form[k][j])
			return b->form[k][i] < b->form[k][j] ? -1 : 1;
	for (k = 0; k < b->forms->nterms; k++)
	{
		const double *linear = b->forms->term[k].linear;

		if (linear != NULL && linear[i] != linear[j])
			return linear[i] < linear[j] ? -1 : 1;
	}
	return 0;
}

/* Merge sort, which unlike qsort() takes a context. */
static void
sort_cells(const Builder *b, int *cells, int *scratch, int n)
{
	int			half = n / 2;
	int			i = 0;
	int			j = half;
	int			k;

	if (n < 2)
		return;
	sort_cells(b, cells, scratch, half);
	sort_cells(b, cells + half, scratch, n - half);
	for (k = 0; k < n; k++)
		scratch[k] = j == n || (i < half && compare_cells(b, cells[i], cells[j]) <= 0) ?
			cells[i++] : cells[j++];
	memcpy(cells, scratch, sizeof(int) * n);
}

static void
find_classes(Builder *b)
{
	DpsForms   *forms = b->forms;
	int		   *scratch = allocate(b, sizeof(int) * b->ncells);
	int			i;

	b->order = allocate(b, sizeof(int) * b->ncells);
	forms->class_of = allocate(b, sizeof(int) * b->ncells);
	forms->ncells = allocate(b, sizeof(int) * b->ncells);
	forms->capacity = allocate(b, sizeof(double) * b->ncells);
	if (b->failed)
		return;
	for (i = 0; i < b->ncells; i++)
		b->order[i] = i;
	sort_cells(b, b->order, scratch, b->ncells);
	for (i = 0; i < b->ncells; i++)
	{
		int			cell = b->order[i];

		if (i == 0 || compare_cells(b, b->order[i - 1], cell) != 0)
			forms->nclasses++;
		forms->class_of[cell] = forms->nclasses - 1;
		forms->ncells[forms->nclasses - 1]++;
		forms->capacity[forms->nclasses - 1] += forms->domain->upper[cell];
	}
}

/* Coefficients by cell as coefficients by class. */
static double *
by_class(Builder *b, const double *coef)
{
	double	   *result = allocate(b, sizeof(double) * b->forms->nclasses);
	int			i;

	for (i = 0; result != NULL && i < b->ncells; i++)
		result[b->forms->class_of[i]] = coef[i];
	return result;
}

/*
 * Dimensions
 */

static DpsDomain
form_domain(const DpsForms *forms, const double *coef)
{
	DpsDomain	domain = {0, 0, DPS_NEVER_NULL, true};
	int			i;

	for (i = 0; i < forms->nclasses; i++)
	{
		domain.integral = domain.integral && coef[i] == rint(coef[i]);
		if (coef[i] > 0)
			domain.hi = dps_add_up(domain.hi, dps_mul_up(coef[i], forms->capacity[i]));
		else
			domain.lo = dps_add_down(domain.lo, dps_mul_down(coef[i], forms->capacity[i]));
	}
	domain.integral = domain.integral && domain.hi < EXACT_LIMIT && domain.lo > -EXACT_LIMIT;
	domain.lo += 0.0;
	return domain;
}

static void
make_form_dimensions(Builder *b)
{
	DpsForms   *forms = b->forms;
	int			n = forms->nclasses;
	int			k;
	int			i;

	forms->ndimensions = b->nforms;
	forms->form = allocate(b, sizeof(double) * n * b->nforms);
	forms->root = allocate(b, sizeof(DpsDomain) * b->nforms);
	if (b->failed)
		return;
	for (k = 0; k < b->nforms; k++)
	{
		for (i = 0; i < b->ncells; i++)
			forms->form[(size_t) k * n + forms->class_of[i]] = b->form[k][i];
		forms->root[k] = form_domain(forms, forms->form + (size_t) k * n);
	}
}

static void
make_plain_dimensions(Builder *b)
{
	DpsForms   *forms = b->forms;
	int			k;

	forms->plain = true;
	forms->ndimensions = forms->nclasses;
	forms->root = allocate(b, sizeof(DpsDomain) * forms->nclasses);
	for (k = 0; !b->failed && k < forms->nclasses; k++)
		forms->root[k] = (DpsDomain) {0, forms->capacity[k], DPS_NEVER_NULL, true};
}

/* The number of rows becomes the last form. */
static void
add_rows(Builder *b)
{
	double	   *ones = allocate(b, sizeof(double) * b->ncells);
	int			k;

	for (k = 0; ones != NULL && k < b->ncells; k++)
		ones[k] = 1;
	if (b->failed)
		return;
	k = find_form(b, ones);
	if (k >= 0)
	{
		for (; k + 1 < b->nforms; k++)
			b->form[k] = b->form[k + 1];
		b->nforms--;
	}
	add_form(b, ones);
}

static const DpsNode *
scaled_variable(DpsGraph *graph, int k, double factor)
{
	const DpsNode *variable = dps_variable(graph, k);

	if (factor == 1)
		return variable;
	return dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, dps_constant(graph, DPS_FLOAT8, factor), variable);
}

/* A linear expression over the dimensions. */
static const DpsNode *
rebuild_linear(Builder *b, const Affine *affine)
{
	DpsForms   *forms = b->forms;
	const DpsNode *result = NULL;
	double		scale;
	int			k;

	if (!forms->plain)
	{
		const double *form = normalise(b, affine->coef, &scale);

		result = form == NULL ? NULL : scaled_variable(forms->graph, find_form(b, form), scale);
		if (result == NULL)
			return NULL;
	}
	for (k = 0; forms->plain && k < b->ncells; k++)
	{
		int			class = forms->class_of[b->order[k]];
		const DpsNode *next;

		/* one cell stands for its class */
		if (affine->coef[b->order[k]] == 0 || (k > 0 && forms->class_of[b->order[k - 1]] == class))
			continue;
		next = scaled_variable(forms->graph, class, affine->coef[b->order[k]]);
		result = result == NULL ? next : dps_apply(forms->graph, DPS_OP_ADD, DPS_FLOAT8, result, next);
	}
	if (result == NULL)
		return dps_constant(forms->graph, DPS_FLOAT8, affine->constant);
	if (affine->constant == 0)
		return result;
	return dps_apply(forms->graph, DPS_OP_ADD, DPS_FLOAT8, result,
					 dps_constant(forms->graph, DPS_FLOAT8, affine->constant));
}

/* The node over the dimensions, NULL when memory ran out. */
static const DpsNode *
rebuild(Builder *b, const DpsNode *node)
{
	DpsGraph   *graph = b->forms->graph;
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	const DpsNode *result;
	int			k;

	if (b->rebuilt[node->id] != NULL)
		return b->rebuilt[node->id];
	if (linear_part(b, node) != NULL && !b->literal)
		result = rebuild_linear(b, linear_part(b, node));
	else if (node->op == DPS_OP_VAR)
		result = dps_variable(graph, b->forms->class_of[node->variable]);
	else if (node->op == DPS_OP_CONST)
		result = dps_copy_constant(graph, node);
	else
	{
		for (k = 0; k < node->nargs; k++)
			arg[k] = rebuild(b, node->arg[k]);
		result = node->op == DPS_OP_CASE ? dps_choose(graph, arg[0], arg[1], arg[2]) :
			dps_apply(graph, node->op, node->type, arg[0], arg[1]);
	}
	if (result == NULL)
		b->failed = true;
	b->rebuilt[node->id] = result;
	return result;
}

static void
mark_dimensions(const DpsNode *node, bool *seen, bool *depends)
{
	int			k;

	if (seen[node->id])
		return;
	seen[node->id] = true;
	if (node->op == DPS_OP_VAR)
		depends[node->variable] = true;
	for (k = 0; k < node->nargs; k++)
		mark_dimensions(node->arg[k], seen, depends);
}

static DpsStatus
rebuild_terms(Builder *b)
{
	DpsForms   *forms = b->forms;
	int			k;

	DPS_TRY(dps_graph_init_wide(&forms->graph, b->arena, forms->ndimensions));
	for (k = 0; k < forms->ndimensions; k++)
		(void) dps_graph_add_variable(forms->graph, "form", DPS_FLOAT8, false);
	for (k = 0; k < forms->nterms && !b->failed; k++)
	{
		DpsTerm    *term = &forms->term[k];
		bool	   *depends;

		if (term->linear != NULL)
		{
			term->linear = by_class(b, term->linear);
			continue;
		}
		term->node = rebuild(b, term->node);
		if (term->node == NULL)
			return DPS_NOMEM;
		depends = allocate(b, forms->ndimensions);
		b->seen = allocate(b, term->node->id + 1);
		if (!b->failed)
			mark_dimensions(term->node, b->seen, depends);
		term->depends = depends;
	}
	return b->failed ? DPS_NOMEM : DPS_OK;
}

/*
 * Inequalities
 *
 * sum_k c_k L_k = sum_i (sum_k c_k a_ki) n_i for forms L_k with coefficients
 * a_ki.  As 0 <= n_i <= u_i, it lies between sum_i min(0, d_i u_i) and sum_i
 * max(0, d_i u_i) for d_i = sum_k c_k a_ki, whatever c is.
 */

static void
add_inequality(Builder *b, int n, const int *dimension, const double *coefficient)
{
	DpsForms   *forms = b->forms;
	DpsInequality *e = &forms->inequality[forms->ninequalities++];
	double	   *coef = allocate(b, sizeof(double) * n);
	int		   *dim = allocate(b, sizeof(int) * n);
	double	   *share = allocate(b, sizeof(double) * forms->nclasses);
	int			i;
	int			k;

	if (b->failed)
		return;
	memcpy(coef, coefficient, sizeof(double) * n);
	memcpy(dim, dimension, sizeof(int) * n);
	*e = (DpsInequality) {n, dim, coef, 0, 0, share};
	for (i = 0; i < forms->nclasses; i++)
	{
		DpsInterval d = dps_iv(0, 0);

		for (k = 0; k < n; k++)
		{
			double		a = forms->form[(size_t) dim[k] * forms->nclasses + i];

			d.lo = dps_add_down(d.lo, dps_mul_down(coef[k], a));
			d.hi = dps_add_up(d.hi, dps_mul_up(coef[k], a));
		}
		share[i] = d.lo > 0 ? d.lo : d.hi < 0 ? d.hi : 0;
		if (d.lo < 0)
			e->lo = dps_add_down(e->lo, dps_mul_down(d.lo, forms->capacity[i]));
		if (d.hi > 0)
			e->hi = dps_add_up(e->hi, dps_mul_up(d.hi, forms->capacity[i]));
	}
}

/* L_k - slope * rows, for slopes that are coefficients of L_k. */
static void
add_row_inequalities(Builder *b, int k)
{
	DpsForms   *forms = b->forms;
	int			n = forms->nclasses;
	int			dimension[2] = {k, forms->ndimensions - 1};
	double	   *slope = allocate(b, sizeof(double) * n);
	int			distinct = 0;
	int			count;
	int			i;

	if (slope == NULL)
		return;
	memcpy(slope, forms->form + (size_t) k * n, sizeof(double) * n);
	qsort(slope, n, sizeof(double), dps_compare_doubles);
	for (i = 0; i < n; i++)
		if (i == 0 || slope[i] != slope[i - 1])
			slope[distinct++] = slope[i];
	count = distinct < MAX_PER_PAIR ? distinct : MAX_PER_PAIR;
	for (i = 0; i < count; i++)
	{
		int			j = count == 1 ? 0 : (int) ((int64_t) i * (distinct - 1) / (count - 1));
		double		coefficient[2] = {1, -slope[j]};

		add_inequality(b, 2, dimension, coefficient);
	}
}

typedef struct Spot
{
	double		x;
	double		y;
} Spot;

static int
compare_spots(const void *a, const void *b)
{
	const Spot *p = a;
	const Spot *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

/* The lower (side 1) or upper (-1) part of the convex hull of sorted spots;
 * returns its size. */
static int
find_hull(const Spot *spot, int n, int side, Spot *hull)
{
	int			size = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		while (size >= 2)
		{
			const Spot *a = &hull[size - 2];
			const Spot *b = &hull[size - 1];

			if (side * ((b->x - a->x) * (spot[i].y - a->y) - (b->y - a->y) * (spot[i].x - a->x)) > 0)
				break;
			size--;
		}
		hull[size++] = spot[i];
	}
	return size;
}

/*
 * The edges of the convex hull of the points (a_pi, a_qi), i over the classes:
 * alpha x + beta y + gamma >= 0 for all points implies alpha L_p + beta L_q +
 * gamma * rows >= 0.
 */
static void
add_hull_inequalities(Builder *b, int p, int q)
{
	DpsForms   *forms = b->forms;
	int			n = forms->nclasses;
	int			dimension[3] = {p, q, forms->ndimensions - 1};
	Spot	   *spot = allocate(b, sizeof(Spot) * n);
	Spot	   *hull = allocate(b, sizeof(Spot) * n);
	int			side;
	int			i;

	if (b->failed)
		return;
	for (i = 0; i < n; i++)
		spot[i] = (Spot) {forms->form[(size_t) p * n + i], forms->form[(size_t) q * n + i]};
	qsort(spot, n, sizeof(Spot), compare_spots);
	for (side = 1; side >= -1; side -= 2)
	{
		int			size = find_hull(spot, n, side, hull);
		int			stride = 1 + (size - 1) / (MAX_PER_PAIR / 2);

		for (i = 0; i + 1 < size; i += stride)
		{
			double		alpha = hull[i].y - hull[i + 1].y;
			double		beta = hull[i + 1].x - hull[i].x;
			double		coefficient[3] = {alpha, beta, -(alpha * hull[i].x + beta * hull[i].y)};

			if (isfinite(coefficient[2]) && (alpha != 0 || beta != 0))
				add_inequality(b, 3, dimension, coefficient);
		}
	}
}

/* The number of rows of a plain histogram.  Its limits come from the room. */
static void
add_plain_inequality(Builder *b)
{
	DpsForms   *forms = b->forms;
	double	   *ones = allocate(b, sizeof(double) * forms->nclasses);
	int		   *dimension = allocate(b, sizeof(int) * forms->nclasses);
	int			k;

	forms->inequality = allocate(b, sizeof(DpsInequality));
	if (b->failed)
		return;
	for (k = 0; k < forms->nclasses; k++)
	{
		ones[k] = 1;
		dimension[k] = k;
	}
	forms->inequality[0] = (DpsInequality) {forms->nclasses, dimension, ones, 0, INFINITY, NULL};
	forms->ninequalities = 1;
}

static void
add_inequalities(Builder *b)
{
	DpsForms   *forms = b->forms;
	int			paired = forms->ndimensions - 1;	/* all but the rows */
	int			p;
	int			q;

	if (paired > MAX_PAIRED)
		paired = MAX_PAIRED;
	forms->inequality = allocate(b, sizeof(DpsInequality) *
								 (forms->ndimensions * MAX_PER_PAIR +
								  (size_t) paired * paired * (MAX_PER_PAIR + 4)));
	for (p = 0; p + 1 < forms->ndimensions && !b->failed; p++)
		add_row_inequalities(b, p);
	for (p = 0; p < paired; p++)
		for (q = p + 1; q < paired && !b->failed; q++)
			add_hull_inequalities(b, p, q);
}

static void
prepare_find(Builder *b)
{
	DpsForms   *forms = b->forms;
	int			n = forms->nclasses;
	int			dimensions = forms->plain ? 0 : forms->ndimensions;
	int			k;
	int			i;

	forms->room_from = allocate(b, sizeof(double) * (n + 1));
	forms->placed = allocate(b, sizeof(double) * dimensions);
	forms->least = allocate(b, sizeof(double) * n * dimensions);
	forms->greatest = allocate(b, sizeof(double) * n * dimensions);
	for (k = 0; !b->failed && k < dimensions; k++)
	{
		double		least = INFINITY;
		double		greatest = -INFINITY;

		for (i = n; i-- > 0;)
		{
			double		a = forms->form[(size_t) k * n + i];

			least = a < least ? a : least;
			greatest = a > greatest ? a : greatest;
			forms->least[(size_t) i * dimensions + k] = least;
			forms->greatest[(size_t) i * dimensions + k] = greatest;
		}
	}
}

static DpsStatus
build(Builder *b, const DpsNode *const *outputs)
{
	DpsForms   *forms = b->forms;
	int			k;

	b->reachable = allocate(b, sizeof(DpsNode *) * b->limit);
	b->affine = allocate(b, sizeof(Affine *) * b->limit);
	b->rebuilt = allocate(b, sizeof(DpsNode *) * b->limit);
	b->seen = allocate(b, b->limit);
	if (b->failed)
		return DPS_NOMEM;
	mark_reachable(b, outputs, forms->noutputs);
	find_affine(b);
	if (!b->failed)
		collect_terms(b, outputs);
	for (k = 0; !b->failed && k < forms->nterms; k++)
		if (forms->term[k].linear == NULL)
			collect_forms(b, forms->term[k].node);
	if (b->failed)
		return DPS_NOMEM;
	b->literal = is_literal(b);
	find_classes(b);
	if (!b->failed)
		add_rows(b);
	if (b->failed)
		return DPS_NOMEM;
	if (!b->literal && b->nforms < forms->nclasses)
		make_form_dimensions(b);
	else
		make_plain_dimensions(b);
	if (b->failed)
		return DPS_NOMEM;
	DPS_TRY(rebuild_terms(b));
	if (forms->plain)
		add_plain_inequality(b);
	else
		add_inequalities(b);
	prepare_find(b);
	return b->failed ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_forms_init(DpsForms *forms, const DpsNode *const *outputs, int noutputs,
			   const DpsHistogramDomain *domain)
{
	Builder		b = {.forms = forms, .arena = forms->arena, .ncells = domain->ncells};
	int			k;

	forms->domain = domain;
	forms->noutputs = noutputs;
	for (k = 0; k < noutputs; k++)
	{
		if (outputs[k] == NULL)
			return DPS_NOMEM;
		if (outputs[k]->id >= b.limit)
			b.limit = outputs[k]->id + 1;
	}
	return build(&b, outputs);
}
