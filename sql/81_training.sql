-- Training, with noise on a protected table.

CREATE PROCEDURE dpsens.train(model name, relation regclass, features name[], target name, steps int4, learning_rate float8,
    clip float8 DEFAULT NULL, expected_rows bigint DEFAULT NULL,
    epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, noise_multiplier float8 DEFAULT NULL,
    optimizer text DEFAULT 'sgd', momentum float8 DEFAULT 0.9, parameter_bound float8 DEFAULT NULL, sampling_rate float8 DEFAULT NULL)
AS 'MODULE_PATHNAME', 'dpsens_train'
LANGUAGE C;

COMMENT ON PROCEDURE dpsens.train(name, regclass, name[], name, int4, float8, float8, bigint, float8, float8, float8, text, float8, float8, float8) IS
'Trains a model on the rows of a table, which the caller must be allowed to read: gradient descent in full batches, parameters = parameters - learning_rate * sum of gradients / expected_rows, or on samples.
sampling_rate: in every step each row takes part with this probability, by a draw of its own from the strong random source, and the sum is divided by sampling_rate * expected_rows; who took part, and how many, is never shown. NULL or 1: all rows in every step. 1 / sampling_rate steps are an epoch.
features: columns of numbers, booleans, or arrays of numbers, as many numbers together as the model has features. target: a column of numbers or arrays; a number is the class, from 0, for categorical_cross_entropy. Rows in which something is NULL, not finite, of another length or no class are left out.
On a protected table each example''s gradient is clipped to the Euclidean norm clip and the sum of all gets discrete Gaussian noise on every coordinate, exact and on a grid. Needed then: clip, expected_rows (a public number; the number of rows is none), and either epsilon, for the whole run with delta (dpsens.delta by default), or noise_multiplier, the standard deviation of the noise of a step over clip. The run is charged to the table''s and the caller''s budgets before it begins and appears in dpsens.releases as one release of rho = steps * D^2 / 2N^2 with D = clip (add_remove) or 2 clip (replace, attribute) and N the scale of the noise. With sampling_rate, which needs adjacency add_remove, it is one of mechanism subsampled, with the noise''s scale, steps and rate; the epsilon is that of the Renyi losses of Poisson-sampled Gaussian noise, and the charge is a rho that holds up to an eighth of delta. Nothing is refunded.
On another table there is no noise; clip is optional, and expected_rows is the number of rows by default.
optimizer: sgd, momentum (velocity = momentum * velocity + gradient), adam (Kingma and Ba 2015, beta 1 = momentum, beta 2 = 0.999).
parameter_bound: brings every parameter into [-parameter_bound, parameter_bound] before the first and after every step. Over that box and the features'' ranges dpsens.sensitivity of dpsens.closed_form(model, ''gradient_norm'', ''sql'') proves a bound on every gradient that can occur; with it as clip nothing is ever clipped.
A run is one transaction: if it fails or is cancelled the model stays as it was, and what was charged stays charged.
Errors: as dpsens.set_model_parameters; a column that is not there or not of numbers; metric adjacency; samples under another one than add_remove; several rows per unit; row accounting; budgets that do not suffice; parameters that are not finite any more.
Source: Abadi et al. 2016; Mironov, Talwar and Zhang 2019; with the noise of Canonne, Kamath and Steinke 2020.';
