-- Training, with noise on a protected table.

CREATE PROCEDURE dpsens.train(model name, relation regclass, features name[], target name, steps int4, learning_rate float8,
    clip float8 DEFAULT NULL, expected_rows bigint DEFAULT NULL,
    epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, noise_multiplier float8 DEFAULT NULL,
    optimizer text DEFAULT 'sgd', momentum float8 DEFAULT 0.9)
AS 'MODULE_PATHNAME', 'dpsens_train'
LANGUAGE C;

COMMENT ON PROCEDURE dpsens.train(name, regclass, name[], name, int4, float8, float8, bigint, float8, float8, float8, text, float8) IS
'Trains a model on the rows of a table, which the caller must be allowed to read: gradient descent in full batches, parameters = parameters - learning_rate * sum of gradients / expected_rows.
features: columns of numbers, booleans, or arrays of numbers, as many numbers together as the model has features. target: a column of numbers or arrays; a number is the class, from 0, for categorical_cross_entropy. Rows in which something is NULL, not finite, of another length or no class are left out.
On a protected table each example''s gradient is clipped to the Euclidean norm clip and the sum of all gets discrete Gaussian noise on every coordinate, exact and on a grid. Needed then: clip, expected_rows (a public number; the number of rows is none), and either epsilon, for the whole run with delta (dpsens.delta by default), or noise_multiplier, the standard deviation of the noise of a step over clip. The run is charged to the table''s and the caller''s budgets before it begins and appears in dpsens.releases as one release of rho = steps * D^2 / 2N^2 with D = clip (add_remove) or 2 clip (replace, attribute) and N the scale of the noise. Nothing is refunded.
On another table there is no noise; clip is optional, and expected_rows is the number of rows by default.
optimizer: sgd, momentum (velocity = momentum * velocity + gradient), adam (Kingma and Ba 2015, beta 1 = momentum, beta 2 = 0.999).
A run is one transaction: if it fails or is cancelled the model stays as it was, and what was charged stays charged.
Errors: as dpsens.set_model_parameters; a column that is not there or not of numbers; metric adjacency; several rows per unit; row accounting; budgets that do not suffice; parameters that are not finite any more.
Source: Abadi et al. 2016, with the noise of Canonne, Kamath and Steinke 2020.';
