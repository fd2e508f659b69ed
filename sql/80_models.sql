-- Models: networks that are stored with their parameters, and what they say
-- about one example.  Rows of the table are read and written by the functions
-- below, for the role that owns the model; nobody is granted anything on it.

CREATE TABLE dpsens.stored_models (
    name name NOT NULL PRIMARY KEY,
    owner regrole NOT NULL,
    definition jsonb NOT NULL,
    parameters float8[] NOT NULL,
    changed timestamptz NOT NULL
);
ALTER TABLE dpsens.stored_models ALTER COLUMN parameters SET STORAGE EXTERNAL;
SELECT pg_catalog.pg_extension_config_dump('dpsens.stored_models', '');

COMMENT ON TABLE dpsens.stored_models IS
'Models, for the library; dpsens.models shows a role its own. Dumped with the database.';
COMMENT ON COLUMN dpsens.stored_models.name IS 'Of the model, unique in the database.';
COMMENT ON COLUMN dpsens.stored_models.owner IS 'The role that created it; its members can use it, too.';
COMMENT ON COLUMN dpsens.stored_models.definition IS 'As given to dpsens.create_model.';
COMMENT ON COLUMN dpsens.stored_models.parameters IS 'Layer by layer, weights before biases, each in rows.';
COMMENT ON COLUMN dpsens.stored_models.changed IS 'When the parameters were last set.';

CREATE FUNCTION dpsens.create_model(name name, definition jsonb)
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_create_model'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.create_model(name, jsonb) IS
'Creates a model and initialises its parameters. It belongs to the caller, who needs the privilege CREATE on the database.
definition: {"input": 25, "layers": [{"type": "dense", "units": 8, "activation": "sigmoid"}, {"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 1}.
input: the number of features, or the shape of an image, [height, width] or [channels, height, width]; features are its elements row by row, channel by channel.
layers: 1 to 1000 of dense (units), conv2d (filters, kernel, stride, padding), depthwise_conv2d (kernel, stride, padding), average_pool and max_pool (kernel, stride, padding); kernel is a number or [height, width]. A dense layer takes an image element by element. bias: true (default), false, or "after" the activation. activation: linear (default), sigmoid, tempered_sigmoid (scale * sigmoid(temperature * x) - offset; default 2, 2, 1), tanh, relu, softplus, gelu, softmax (over the last axis); one with numbers is an object, {"type": "tempered_sigmoid", "scale": 1.58, "temperature": 3, "offset": 0.71}.
loss, of one example: squared, half_squared, huber ({"type": "huber", "delta": 1}), binary_cross_entropy, categorical_cross_entropy, each summed over the outputs.
seed: from 0; weights are uniform with the variance of Glorot and Bengio 2010, or of He et al. 2015 before relu, softplus and gelu; biases are 0. Equal seeds make equal parameters on every machine.
Errors: the name is taken; an unknown key, name or number; shapes that do not fit; a layer or parameters of more numbers than an array can have (2^27).';

CREATE FUNCTION dpsens.drop_model(name name)
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_drop_model'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.drop_model(name) IS
'Drops a model. Errors: there is none of that name; it belongs to a role that the caller is not a member of.';

CREATE FUNCTION dpsens.model_parameters(name name)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_model_parameters'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION dpsens.model_parameters(name) IS
'All parameters of a model as one array: layer by layer, weights before biases, each in rows; dpsens.model_summary says where each layer begins. Weights of a dense layer are (inputs, units), those of a convolution (filters, channels, height, width), of a depthwise one (channels, height, width).
Errors: as dpsens.drop_model.
Parameters that were trained on private data without noise are private data.';

CREATE FUNCTION dpsens.set_model_parameters(name name, parameters float8[])
RETURNS void
AS 'MODULE_PATHNAME', 'dpsens_set_model_parameters'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dpsens.set_model_parameters(name, float8[]) IS
'Replaces all parameters of a model, in the order of dpsens.model_parameters.
Errors: as dpsens.drop_model; another number of elements; nulls, NaN, infinities.';

CREATE FUNCTION dpsens.model_summary(name name,
    OUT layer int4, OUT type text, OUT activation text, OUT shape int4[], OUT weights int4[], OUT biases int4,
    OUT parameters bigint, OUT first_parameter bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_model_summary'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION dpsens.model_summary(name) IS
'The layers of a model: the shape of what each hands on, without a dimension for examples; the shape of its weights, the number of its biases, of all its parameters, and where these begin in the array of dpsens.model_parameters.
Errors: as dpsens.drop_model.';

CREATE FUNCTION dpsens.closed_form(name name, quantity text, format text DEFAULT 'tensor', fixed boolean DEFAULT false,
    known jsonb DEFAULT '{}')
RETURNS text
AS 'MODULE_PATHNAME', 'dpsens_closed_form'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.closed_form(name, text, text, boolean, jsonb) IS
'How a quantity of one example is computed.
quantity: prediction, loss, gradient (of the loss, by all parameters), gradient_norm, feature_gradient (of the loss), feature_gradient_norm, partial_sensitivity (the gradient of the gradient norm by the features), plis (sigma 1).
format: tensor lists operations on whole tensors, t7 (1, 8) = matmul(features, layer1.weights; 0, 0); what follows a semicolon are the operation''s attributes: of matmul, which factor is transposed; of reductions and broadcasts, the first axis and how many; of windows, height, width, stride, padding. sql and latex write every entry out: an expression, or an array of them, over the features x1, x2 and so on, the target y (or y1, y2), weights w1_2_3 (of layer 1, from input 2 to unit 3; of a filter w1_2_1_3_3) and biases b1_2. Text of format sql can be given to dpsens.sensitivity.
sql_parts and latex_parts give a name, s1, s2 and so on, to each part that is used more than once, and are short where sql and latex would be too large: as SQL a sub-select over the same inputs, SELECT (WITH part1 AS MATERIALIZED (SELECT 2 * x1 AS s1) SELECT s1 / (1 + s1) FROM part1) FROM examples; as LaTeX, equations behind "where". What a CASE may leave out is written out where it is used.
fixed: writes parameters as their present values, so that only features and target are left.
known: values of some inputs, for partial evaluation: {"x3": 0.5, "y": 1} by the names above, or {"features": [0.5, null, 1], "target": 0} as arrays, null for what stays free; a number as target is a class for categorical_cross_entropy. What is known is computed, and what is left is an expression of the other inputs; quantities by the features have entries, and feature_gradient_norm has terms, for the free ones only. A network of many features can be written out for a few of them that way. Not for tensor.
Errors: as dpsens.drop_model; another quantity or format; a name that is no input, a value that is no finite number; no feature is free; too large to be written out (more than 100,000 elements, sums of more than 500 terms, 256 kB of text).';

CREATE VIEW dpsens.models WITH (security_barrier) AS
SELECT m.name, m.owner, m.definition, pg_catalog.cardinality(m.parameters) AS parameters, m.changed
FROM dpsens.stored_models m
WHERE pg_catalog.pg_has_role(m.owner, 'USAGE');

COMMENT ON VIEW dpsens.models IS
'Models that the reader may use: those of roles that the reader is a member of. parameters: how many.';

-- One example.  The target is an array, or a number: the only output, or a
-- class from 0.

CREATE FUNCTION dpsens.predict(model name, features float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_predict'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.predict(name, float8[]) IS
'What the model predicts for one example: as many numbers as its last layer has outputs. NULL where a feature is NULL or a number overflows.
features: as many as the input has, in an array of any shape, row by row.
Errors: as dpsens.drop_model; another number of features.
This and the functions below take the example as an argument, so they are for roles that may see it: a dp aggregate refuses them. What they return about private data is private data.';

CREATE FUNCTION dpsens.loss(model name, features float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.loss(name, float8[], float8[]) IS
'The loss of one example. NULL where a feature or target is NULL or a number overflows.
target: as many numbers as the last layer has outputs; for categorical_cross_entropy the probabilities of the classes.
Errors: as dpsens.predict; another number of targets.';

CREATE FUNCTION dpsens.loss(model name, features float8[], target float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.loss(name, float8[], float8) IS
'The same with a target that is one number: the only output, or for categorical_cross_entropy the number of a class, from 0 (of none: NULL).
Errors: as with an array; several outputs that are not classes.';

CREATE FUNCTION dpsens.gradient_norm(model name, features float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_gradient_norm'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_norm(name, float8[], float8[]) IS
'The Euclidean norm of the gradient of one example''s loss by all parameters: what DP-SGD clips.
Arguments, NULL and errors: as dpsens.loss.';

CREATE FUNCTION dpsens.gradient_norm(model name, features float8[], target float8)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_gradient_norm'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_norm(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.partial_sensitivity(model name, features float8[], target float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_partial_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.partial_sensitivity(name, float8[], float8[]) IS
'The gradient, by the features, of dpsens.gradient_norm: Definition 3 of Mueller et al. 2021 with the parameters'' gradient. NULL where the norm is 0.
Arguments, other NULLs and errors: as dpsens.loss. For images: dpsens.heatmap.';

CREATE FUNCTION dpsens.partial_sensitivity(model name, features float8[], target float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_partial_sensitivity'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.partial_sensitivity(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.normalized_gradient(model name, features float8[], target float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_normalized_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.normalized_gradient(name, float8[], float8[]) IS
'The gradient of the loss by the features, over the norm of its gradient by features, target and parameters together: equation (6) of Mueller et al. 2021 as the published code of its section 5.2 computes it. NULL where the norm is 0.
Arguments, other NULLs and errors: as dpsens.loss.';

CREATE FUNCTION dpsens.normalized_gradient(model name, features float8[], target float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_normalized_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.normalized_gradient(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.privacy_loss(model name, features float8[], target float8[],
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_privacy_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.privacy_loss(name, float8[], float8[], float8, float8) IS
'The squared norm of the gradient, clipped at clip, over sigma squared: the squared Mahalanobis distance of Mueller et al. 2022. sigma: standard deviation of the noise on each coordinate of the summed gradients; 1 names the gradient signal.
Arguments, NULL and errors: as dpsens.loss; sigma or clip not greater than 0.';

CREATE FUNCTION dpsens.privacy_loss(model name, features float8[], target float8,
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_privacy_loss'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.privacy_loss(name, float8[], float8, float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.plis(model name, features float8[], target float8[],
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_plis'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.plis(name, float8[], float8[], float8, float8) IS
'Privacy loss-input susceptibility (Mueller et al. 2022): the gradient of dpsens.privacy_loss by the features; signed, and 0 for an example whose gradient is clipped.
Arguments, NULL and errors: as dpsens.privacy_loss.';

CREATE FUNCTION dpsens.plis(model name, features float8[], target float8,
    sigma float8 DEFAULT 1, clip float8 DEFAULT 'Infinity')
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_plis'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.plis(name, float8[], float8, float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.fil(model name, features float8[], target float8[], sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fil'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fil(name, float8[], float8[], float8) IS
'Fisher information loss (Hannun et al. 2021) of one example in its gradient with noise of standard deviation sigma: the greatest singular value of the gradient''s Jacobian by the features, over sigma. Clipping is not counted.
Arguments, NULL and errors: as dpsens.loss; sigma not greater than 0; more than 1024 features.';

CREATE FUNCTION dpsens.fil(model name, features float8[], target float8, sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fil'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fil(name, float8[], float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.fim_trace(model name, features float8[], target float8[], sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fim_trace'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim_trace(name, float8[], float8[], float8) IS
'The trace of the Fisher information matrix whose greatest eigenvalue is the square of dpsens.fil.
Arguments, NULL and errors: as dpsens.fil.';

CREATE FUNCTION dpsens.fim_trace(model name, features float8[], target float8, sigma float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_fim_trace'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim_trace(name, float8[], float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.fim(model name, features float8[], target float8[], sigma float8 DEFAULT 1)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_fim'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim(name, float8[], float8[], float8) IS
'The Fisher information matrix itself: a two-dimensional array of as many rows and columns as there are features. The root of a diagonal entry is the information loss of that feature alone.
Arguments, NULL and errors: as dpsens.fil.';

CREATE FUNCTION dpsens.fim(model name, features float8[], target float8, sigma float8 DEFAULT 1)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_fim'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.fim(name, float8[], float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

-- The gradient itself, and what attacks on it go by.

CREATE FUNCTION dpsens.gradient(model name, features float8[], target float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_model_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient(name, float8[], float8[]) IS
'The gradient of one example''s loss by all parameters, in the order of dpsens.model_parameters: what DP-SGD clips, sums and noises. dpsens.gradient_norm is its norm.
Arguments, NULL and errors: as dpsens.loss.';

CREATE FUNCTION dpsens.gradient(model name, features float8[], target float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_model_gradient'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient(name, float8[], float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.private_gradient(model name, features float8[], target float8[], clip float8, noise_multiplier float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_private_gradient'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.private_gradient(name, float8[], float8[], float8, float8) IS
'What a step of DP-SGD releases of a batch of this one example: its gradient, clipped to the norm clip, with exact discrete Gaussian noise of standard deviation noise_multiplier * clip on every coordinate, drawn anew in every call; both on the grid that dpsens.train uses.
For experiments on examples that the caller sees anyway, such as attacks on gradients. It is no release about a table: it is charged to no budget, and how often it is called is not limited, so it protects nobody. dpsens.train does.
Arguments and NULL: as dpsens.loss. With dpsens.noise off there is no noise. Errors: as dpsens.loss; clip or noise_multiplier not greater than 0, or too extreme.';

CREATE FUNCTION dpsens.private_gradient(model name, features float8[], target float8, clip float8, noise_multiplier float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_private_gradient'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.private_gradient(name, float8[], float8, float8, float8) IS
'The same with a target that is one number, as for dpsens.loss.';

CREATE FUNCTION dpsens.gradient_matching(model name, features float8[], target float8[], gradient float8[], kind text DEFAULT 'squared',
    OUT loss float8, OUT feature_gradient float8[])
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_gradient_matching'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_matching(name, float8[], float8[], float8[], text) IS
'How far the gradient of this example''s loss by all parameters is from a gradient that is given, and the derivative of that by the features: what an attack descends that looks for the example behind a gradient.
gradient: as many numbers as the model has parameters, as from dpsens.gradient or dpsens.private_gradient.
kind: squared, the sum of the squares of the differences (Zhu, Liu and Han 2019), or cosine, one minus the cosine of the angle between the two (Geiping et al. 2020), which does not depend on their lengths. Both derivatives are symbolic: the gradient is a graph, which is differentiated again.
Of what does not exist, such as the cosine of a gradient that is 0, both are NULL. Arguments, other NULLs and errors: as dpsens.loss; another number of elements; another kind.';

CREATE FUNCTION dpsens.gradient_matching(model name, features float8[], target float8, gradient float8[], kind text DEFAULT 'squared',
    OUT loss float8, OUT feature_gradient float8[])
RETURNS record
AS 'MODULE_PATHNAME', 'dpsens_gradient_matching'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION dpsens.gradient_matching(name, float8[], float8, float8[], text) IS
'The same with a target that is one number, as for dpsens.loss.';
