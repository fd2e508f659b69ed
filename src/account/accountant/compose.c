/*
 * compose.c
 *		The accountants that add up one number: epsilon, rho, or Renyi loss at
 *		one order; and the table of all accountants.
 *
 * Precondition: the history has each release's losses, as its mechanism states them for
 * what was drawn; which release comes next may depend on the outcomes so far, what it costs
 * may not (filter.c is about costs that do).
 * Postcondition: all releases together are (epsilon, delta)-DP for the figures returned,
 * which are rounded up, or there is no answer.
 *
 * Proof.  Sums bound what is spent together: of epsilon and of delta (Dwork and Roth 2014,
 * Theorem 3.16), of rho (Bun and Steinke 2016, Lemma 2.3; with deltas of their
 * own section 8), of the Renyi loss at one order (Mironov 2017, Proposition 1).  The
 * conversions are those of zcdp.c and rdp.c, valid at any order; so the order may be
 * looked for in any way.
 *
 * Theorem 3.16 is about releases that do not depend on each other, Theorem B.1 about two
 * that do, of the same epsilon and delta.  The proof of that holds for different ones.  Let P
 * and Q be the laws of the first, m the part of P above e^e1 Q, whose mass is at most d1,
 * and P_s and Q_s the laws of the second given the outcome s.  With S_s what an event S
 * is given s,
 *		P(S) = integral of P_s(S_s) dP <= integral of min(1, e^e2 Q_s(S_s)) dP + d2
 *			 <= integral of e^e2 Q_s(S_s) e^e1 dQ + mass of m + d2 <= e^(e1 + e2) Q(S) + d1 + d2.
 *
 * Of rho, one after the other, with deltas.  A release is d-approximately rho-zCDP where the
 * laws of neighbours are P = (1 - d) P' + d P'' and Q = (1 - d) Q' + d Q'', and of every
 * order a > 1 the Renyi divergences of P' and Q' are at most rho a, either way round; given
 * events of at least 1 - d, P' and Q' are the laws under these, of which less may be taken.
 * The law of two releases is then a mixture in which a part of (1 - d1)(1 - d2) >= 1 - d1 - d2
 * draws s by P' and the second by P'_s.  For that part
 *		integral of P'(s)^a Q'(s)^(1-a) (integral of P'_s^a Q'_s^(1-a)) ds
 *			 <= integral of P'(s)^a Q'(s)^(1-a) ds e^((a-1) rho2 a) <= e^((a-1) (rho1 + rho2) a):
 * both together are (d1 + d2)-approximately (rho1 + rho2)-zCDP.  What is computed of the
 * outcome alone is a release of rho = 0.
 */
#include <math.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/elementary.h"
#include "account/order.h"
#include "num/interval.h"

const DpsAccountant dps_accountants[] = {
#define DPS_ACCOUNTANT(name, label) {#name, label, dps_accountant_##name},
#include "account/accountant/accountants.def"
#undef DPS_ACCOUNTANT
	{NULL, NULL, NULL}
};

/* Basic composition.  Where one of the sums is no bound there is no answer. */
DpsStatus
dps_accountant_basic(const DpsHost *host, const DpsHistory *history, double delta,
					 double *epsilon)
{
	double		sum;

	(void) host;
	if (!(delta >= 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	DPS_TRY(dps_history_check(history));
	sum = dps_history_epsilon(history);
	if (!(sum < INFINITY && dps_history_delta(history) <= delta))
		return DPS_UNABLE;
	*epsilon = sum;
	return DPS_OK;
}

DpsStatus
dps_accountant_zcdp(const DpsHost *host, const DpsHistory *history, double delta,
					double *epsilon)
{
	double		rho;
	double		rest;

	(void) host;
	DPS_TRY(dps_history_delta_left(history, delta, &rest));
	rest = dps_sub_down(rest, dps_history_rho_delta(history));
	rho = dps_history_rho(history);
	if (!(rho < INFINITY && rest > 0.0))
		return DPS_UNABLE;
	return dps_zcdp_epsilon(rho, rest, epsilon);
}

typedef struct RenyiProblem
{
	const DpsHost *host;
	const DpsHistory *history;	/* grouped */
	double		log_delta;
} RenyiProblem;

static double
sum_rdp(const DpsHistory *history, double alpha)
{
	double		sum = 0.0;

	for (size_t i = 0; i < history->nreleases; i++)
	{
		const DpsPastRelease *release = &history->releases[i];
		double		loss = dps_past_release_rdp(release, alpha);

		sum = dps_add_up(sum, dps_mul_up(loss, dps_count_up(release->count)));
	}
	return sum;
}

/* Stops looking, at any order, when the host asks: then the caller gives up. */
static double
renyi_epsilon(double beta, const void *context)
{
	const RenyiProblem *problem = context;

	if (problem->host->should_stop(problem->host->context))
		return INFINITY;
	return sum_rdp(problem->history, 1.0 + beta) +
		dps_order_conversion(beta, problem->log_delta);
}

static DpsStatus
best_renyi(DpsArena *arena, const DpsHistory *history, double delta, double *epsilon)
{
	const DpsHost *host = dps_arena_host(arena);
	DpsHistory	grouped;
	RenyiProblem problem = {host, &grouped, log(delta)};
	double		alpha;
	double		loss;

	DPS_TRY(dps_history_group(arena, history, &grouped));
	alpha = 1.0 + dps_order_best(renyi_epsilon, &problem);
	if (host->should_stop(host->context))
		return DPS_CANCELLED;
	loss = sum_rdp(&grouped, alpha);
	if (loss == 0.0)
	{
		/* the distributions are equal but for the deltas */
		*epsilon = 0.0;
		return DPS_OK;
	}
	if (!(loss < INFINITY))
		return DPS_UNABLE;
	return dps_rdp_epsilon(alpha, loss, delta, epsilon);
}

DpsStatus
dps_accountant_rdp(const DpsHost *host, const DpsHistory *history, double delta,
				   double *epsilon)
{
	DpsArena   *arena;
	DpsStatus	status;
	double		rest;

	DPS_TRY(dps_history_delta_left(history, delta, &rest));
	DPS_TRY(dps_arena_init(&arena, host));
	status = best_renyi(arena, history, rest, epsilon);
	dps_arena_clear(arena);
	return status;
}
