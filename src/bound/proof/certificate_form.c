/*
 * certificate_form.c
 *		Enclosures cut by affine forms, and bounds by quadratic ones.
 *
 * What a form says of a region must not depend on earlier regions: maker and
 * checker of a proof visit the regions in different orders.  So each compound has
 * one profile, over all values that its argument has on the claim's box, and
 * products are tried on every region.
 */
#include <math.h>
#include <string.h>

#include "bound/proof/certificate_form.h"
#include "bound/relax/quadratic.h"

typedef struct DpsProverForms
{
	DpsAffine	affine;
	DpsQuadratics quadratics;
	int			n;
	bool		curved;			/* there are quadratic forms */
	bool		made;			/* a region has been enclosed */
} DpsProverForms;

/* The arguments' enclosures over the claim's box contain those over its
 * regions. */
static DpsStatus
settle_compounds(const DpsProver *prover, DpsProverForms *forms, DpsArena *arena)
{
	DpsEnclosure *root = dps_arena_alloc(arena, sizeof(DpsEnclosure) * prover->on_boxes->ninstructions);
	int			i;

	if (root == NULL)
		return DPS_NOMEM;
	dps_enclose(prover->on_boxes, prover->claim->root, root);
	for (i = 0; i < forms->affine.compounds.n; i++)
	{
		DpsCompound *c = &forms->affine.compounds.compound[i];

		dps_compound_settle(c, root[c->argument].value);
	}
	return DPS_OK;
}

DpsStatus
dps_prover_forms_init(DpsProver *prover, DpsGraph *graph, DpsArena *arena, const DpsNode *const *outputs)
{
	DpsProverForms *forms = dps_arena_alloc(arena, sizeof(DpsProverForms));
	int			variable[DPS_MAX_AFFINE];
	int			k;

	if (forms == NULL)
		return DPS_NOMEM;
	for (k = 0; k < prover->claim->ndimensions; k++)
	{
		if (!(prover->claim->node->variables & (UINT64_C(1) << k)))
			continue;
		if (forms->n == DPS_MAX_AFFINE)
			return DPS_UNABLE;
		variable[forms->n++] = k;
	}
	DPS_TRY(dps_affine_init(&forms->affine, graph, arena, prover->on_boxes, outputs, forms->n, variable));
	DPS_TRY(settle_compounds(prover, forms, arena));
	forms->curved = forms->n > 0 && forms->n <= DPS_MAX_CURVED;
	if (forms->curved)
		DPS_TRY(dps_quadratics_init(&forms->quadratics, arena, &forms->affine, dps_program_outputs(prover->on_boxes)[0]));
	prover->forms = forms;
	return DPS_OK;
}

void
dps_prover_tighten(DpsProver *prover, const DpsDomain *region)
{
	DpsProverForms *forms = prover->forms;
	const uint32_t *outputs = dps_program_outputs(prover->on_boxes);
	uint32_t	k;
	int			i;

	memset(forms->affine.tried, 0, sizeof(uint16_t) * forms->affine.compounds.nproducts);
	memset(forms->affine.helped, 0, sizeof(uint16_t) * forms->affine.compounds.nproducts);
	dps_affine_enclose(&forms->affine, region, prover->box);
	for (k = 0; k < prover->on_boxes->noutputs; k++)
		if (!dps_iv_is_empty(forms->affine.range[outputs[k]]))
			prover->box[outputs[k]].value = forms->affine.range[outputs[k]];
	for (i = 0; i < forms->affine.compounds.n; i++)
		prover->failed = prover->failed || forms->affine.compounds.compound[i].failed;
	forms->made = true;
}

/* The forms are of the region that was enclosed last if that is smooth. */
double
dps_prover_quadratic(DpsProver *prover)
{
	DpsProverForms *forms = prover->forms;
	const DpsQuadratic *form;
	double		top[DPS_MAX_CURVED];

	if (forms == NULL || !forms->curved || !forms->made || !dps_prover_smooth(prover) || !dps_prover_defined(prover))
		return INFINITY;
	form = dps_quadratics_make(&forms->quadratics, prover->box);
	return form == NULL ? (double) INFINITY : dps_crest(form, forms->n, top);
}
