/*
 * row_losses.c
 *		The individual filter of a run of training: a unit whose own loss would exceed
 *		its cap takes no further part.
 *
 * Precondition: adjacency add_remove, one row per unit, full batches, Gaussian noise of
 * scale N_t on every coordinate in step t.  B is what the unit lost by all releases with
 * numbers below that of the run, or more (row_history.c).  s_t is the Euclidean norm,
 * rounded up, of the integers that its row adds to the sum of step t: those of its clipped
 * gradient at the parameters of that step, which earlier steps have released.
 *
 * Rule: l_t = s_t^2 / 2 N_t^2, rounded up.  The unit takes part in step t if it took part
 * in all steps before it and B + l_1 + ... + l_t <= cap; else neither in this nor in a later
 * step.  It has lost the sum of the l_t of the steps that it took part in.
 *
 * Claim: with the loss of every other release of the history that it took part in, that
 * sum is at most the cap, however the steps and the other releases were chosen.  So for
 * the presence of the unit all of them together are cap-zCDP.
 *
 * Proof.  Given the results of all earlier steps, whether a unit takes part and what it
 * adds depend on its own row and account, and on nothing of other rows: the gradient of
 * an example does not depend on its batch (example_batch.h).  So without the unit the sum
 * of the step is the same but for the vector of norm s_t, or for nothing if the unit is
 * left out: the step's Renyi loss of order a is at most a l_t (Canonne, Kamath and Steinke
 * 2020, Proposition 5, coordinate by coordinate), for all a > 1, and l_t is known before
 * the step's noise is drawn.  A unit that is left out adds 0, as one that does not exist.
 * This is the individual filter of Feldman and Zrnic 2021, Theorem 4.5, if the losses that
 * are summed are never less than those that were suffered.  Releases below the run's
 * number are in B.  For one with a higher number, the unit counts if its losses including
 * that release fit the cap, where the run counts as the whole charge until it is finished
 * (row_history.c).  The whole charge is at least what all steps can cost a unit, so for
 * one that took part there the losses by the run, by that release and by all before are
 * within the cap.  Once the run is finished, its sum is what was suffered, and no step
 * comes any more.
 *
 * Under replace and attribute a step would have to be paid by the distance to any other
 * gradient, nearly 2 clips for every row: refused.  On secret samples a row's loss by a
 * step would depend on the rate in a way for which no filter is proved here, and paid as if
 * the sample was known it would only lose: refused.  The accounts of Yu, Kamath, Kulkarni,
 * Liu, Yin and Zhang 2022 state what each example has lost for the parameters that were
 * released, after the fact: no bound that is set beforehand, and leaving out examples by
 * them would not be a filter.
 *
 * Postcondition: which units are left out shows in the noisy sums alone.  A row that is
 * left out causes no error or message.
 */
#include "postgres.h"

#include "account/account.h"
#include "account/filter.h"
#include "model/train/row_losses.h"

bool
dps_row_is_out(const DpsRowLosses *losses, int64 example)
{
	return losses->losses[losses->units[example]].left_out;
}

bool
dps_row_pays(DpsRowLosses *losses, int64 example, uint64 scale, uint64 norm)
{
	int64		unit = losses->units[example];
	DpsTrainingLoss *lost = &losses->losses[unit];
	DpsAmount	spent = dps_amount_add(losses->before[unit], lost->rho);
	DpsAmount	loss = norm == 0 ? 0 : dps_amount_of_loss(dps_gaussian_rho(scale, norm), DPS_LOSS_BITS);

	lost->left_out = lost->left_out || !dps_filter_include(losses->cap, false, loss, &spent);
	if (!lost->left_out)
		lost->rho = dps_amount_add(lost->rho, loss);
	return !lost->left_out;
}
