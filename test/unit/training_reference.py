"""The epsilon of training on samples, between two bounds: writes test/unit/training_reference.h.

usage: training_reference.py > training_reference.h      (Debian: python3-scipy)

Nothing here is of dpsens.  A step is N(0, 1) against (1 - q) N(0, 1) + q N(1/sigma, 1), in either direction; its loss
l(z) = ln(1 - q + q exp(z/sigma - 1/(2 sigma^2))) or -l(z) is monotone, so what lies between two losses is an interval
of z.  On a grid of step h:
above: all outcomes between two grid points become the two of them, with their masses under both laws (Doroshenko et al.
  2022): the pair is harder to tell apart.
below: all outcomes around a grid point become one, which is a post-processing; its loss is ln of the quotient of its
  masses, at least the grid point less a shift, or the outcome is left out, which only lessens delta.
T steps are the T-th power of the Fourier transform, whose error, like the mass beyond the window, is below ROUNDING;
delta is widened by that.  Doubles are not rounded outward here: a thousandth of what the test asks for is far above them.
The last column is what dp_accounting (github.com/google/differential-privacy, August 2026) says: its
privacy_loss_distribution.from_gaussian_mechanism(sigma, sampling_prob=q, value_discretization_interval=1e-4),
self_compose(T), get_epsilon_for_delta(delta); 0 where it was not asked.
"""

import numpy as np
from scipy.special import ndtr

# q, sigma, T, delta, h, half the window, dp_accounting
CASES = [
    (0.01, 0.6, 100, 1e-5, 1e-4, 32, 3.8155992147),
    (0.01, 0.4, 10, 1e-5, 1e-4, 48, 7.5412204973),
    (0.01, 1, 1000, 1e-5, 5e-5, 16, 1.8282436456),
    (0.01, 1, 10000, 1e-5, 5e-5, 24, 6.1877449760),
    (0.05, 1, 300, 1e-6, 1e-4, 32, 6.6085019337),
    (0.1, 2, 1000, 1e-6, 1e-4, 32, 9.1819939358),
    (0.02, 0.8, 500, 1e-9, 1e-4, 32, 7.6355984139),
    (0.5, 5, 100, 1e-6, 1e-4, 20, 5.0221186963),
    (0.9, 3, 50, 1e-5, 2e-4, 50, 10.8748255334),
    (0.3, 10, 2000, 1e-5, 5e-5, 20, 6.2060217545),
    (0.01, 4, 10000, 1e-5, 2e-5, 6, 0.9469993047),
    (0.004, 1.1, 14400, 1e-5, 2e-5, 10, 2.2447516540),
    (0.001, 0.7, 100000, 1e-6, 1e-5, 16, 4.1357394254),
    (0.01, 2, 1, 1e-6, 2e-5, 12, 0.0436668141),
    (0.01, 2, 100, 1e-5, 2e-5, 8, 0),
    (0.001, 2, 1000, 1e-5, 5e-6, 3, 0),
    (0.01, 8, 10, 1e-5, 5e-6, 1, 0),
    (0.001, 0.7, 1000, 1e-5, 1e-5, 12, 0),
]
ROUNDING = 2e-13
LEFT_OUT = 1e-6


def point(loss, q, sigma):
    """z with l(z) = loss; -inf where there is none."""
    part = np.expm1(loss) + q
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(part > 0, (np.log(np.maximum(part, 1e-320) / q) + 0.5 / sigma**2) * sigma, -np.inf)


def masses(cuts, q, sigma):
    """Of N(0, 1) and of the mixture, between cuts, the smaller tails subtracted."""
    def between(z):
        return np.where(z[:-1] > 0, ndtr(-z[:-1]) - ndtr(-z[1:]), ndtr(z[1:]) - ndtr(z[:-1]))
    without = between(cuts)
    return without, (1 - q) * without + q * between(cuts - 1 / sigma)


def one_step(q, sigma, h, half, removed, above):
    """Masses by index, and the shift of the loss."""
    n = int(half / h)
    k = np.arange(-n, n + 1)
    grid = k * h
    edges = np.concatenate([grid, [np.inf]]) if above else np.concatenate([grid - h / 2, [np.inf]])
    if removed:
        cuts = point(edges, q, sigma)
        cuts[-1] = np.inf
        cuts[0] = -np.inf
        without, with_ = masses(cuts, q, sigma)
        p, other = with_, without
    else:
        cuts = point(-edges[::-1], q, sigma)
        cuts[0] = -np.inf
        cuts[-1] = np.inf
        without, with_ = masses(cuts, q, sigma)
        p, other = without[::-1], with_[::-1]
    if above:
        # of what lies between grid points a and a + h the upper one gets (p - e^a other) / (1 - e^-h); the last is beyond
        upper = np.clip((p - np.exp(np.minimum(grid, 700)) * other) / -np.expm1(-h), 0, p)
        out = p - upper
        out[1:] += upper[:-1]
        return out, 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        slack = np.where((p > 0) & (other > 0), grid - np.log(p / other), np.inf)
    order = np.argsort(slack)
    kept = np.cumsum(p[order])
    last = np.searchsorted(kept, kept[-1] * (1 - LEFT_OUT), side="left")
    shift = max(float(slack[order[min(last, len(order) - 1)]]), 0.0)
    return np.where(slack <= shift, p, 0.0), shift


def epsilon(q, sigma, steps, delta, h, half, above):
    answer = 0.0
    for removed in (True, False):
        p, shift = one_step(q, sigma, h, half, removed, above)
        n = (len(p) - 1) // 2
        size = 1 << int(np.ceil(np.log2(2 * n + 2)))
        circle = np.zeros(size)
        circle[np.arange(-n, n + 1) % size] = p
        total = np.fft.irfft(np.fft.rfft(circle) ** steps, size)
        total = np.maximum(np.concatenate([total[size // 2:], total[:size // 2]]), 0)
        losses = (np.arange(size) - size // 2) * h - steps * shift
        # delta at each loss, from the top
        mass = np.cumsum(total[::-1])[::-1]
        scaled = np.cumsum((total * np.exp(-np.clip(losses, -600, 600)))[::-1])[::-1]
        deltas = mass - np.exp(np.clip(losses, -600, 600)) * scaled
        wanted = delta - ROUNDING if above else delta + ROUNDING
        i = np.nonzero((deltas > wanted) & (losses < half / 2))[0][-1]
        # between grid points delta is mass - e^epsilon scaled of those above
        answer = max(answer, float(np.log((mass[i + 1] - wanted) / scaled[i + 1])))
    return answer


print("/* Made by training_reference.py, which says of what. */")
for q, sigma, steps, delta, h, half, google in CASES:
    low = epsilon(q, sigma, steps, delta, h, half, False)
    high = epsilon(q, sigma, steps, delta, h, half, True)
    print("{%r, %r, %d, %r, %.9f, %.9f, %r}," % (q, sigma, steps, delta, low, high, google), flush=True)
