-- Operations on tensors as functions of arrays: what models are made of, for row
-- expressions of one's own.  An array of n dimensions is a tensor of that rank.
-- In row expressions they are written out element by element: arrays are
-- ARRAY[...] of columns, constants, or what such a function returns.

CREATE FUNCTION dpsens.sigmoid(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.sigmoid(float8[]) IS
'1 / (1 + exp(-x)) of every element, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.tempered_sigmoid(x float8[], scale float8, temperature float8, shift float8)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.tempered_sigmoid(float8[], float8, float8, float8) IS
'scale * sigmoid(temperature * x) - shift of every element (Papernot et al. 2021). NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.tanh(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.tanh(float8[]) IS
'The hyperbolic tangent of every element. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.relu(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.relu(float8[]) IS
'Every element, or 0 if it is less. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.softplus(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.softplus(float8[]) IS
'ln(1 + exp(x)) of every element, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.gelu(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.gelu(float8[]) IS
'x times the standard normal distribution function at x, of every element. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.softmax(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.softmax(float8[]) IS
'exp(x) over its sum along the last dimension, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.log_sum_exp(x float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.log_sum_exp(float8[]) IS
'The logarithm of the sum of the exponentials of all elements, without overflow. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.l2_norm(x float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.l2_norm(float8[]) IS
'The Euclidean norm of all elements. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.dot(x float8[], y float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.dot(float8[], float8[]) IS
'The sum of the products of elements at equal places; both have the same dimensions. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.outer_product(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.outer_product(float8[], float8[]) IS
'The products of every element of x with every one of y, both of one dimension. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.matmul(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.matmul(float8[], float8[]) IS
'The product of two matrices, (m, k) and (k, n). NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.transpose(x float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.transpose(float8[]) IS
'A matrix with rows and columns exchanged. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.sum_over(x float8[], axis int4)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.sum_over(float8[], int4) IS
'The sums along a dimension, counted from 1, which goes; of a vector an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.max_over(x float8[], axis int4)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.max_over(float8[], int4) IS
'The greatest elements along a dimension, counted from 1, which goes; of a vector an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.mean_over(x float8[], axis int4)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.mean_over(float8[], int4) IS
'The averages along a dimension, counted from 1, which goes; of a vector an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.conv2d(image float8[], filters float8[], stride int4 DEFAULT 1, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.conv2d(float8[], float8[], int4, int4) IS
'The correlation of an image, (channels, height, width) or (height, width), with filters, (number, channels, height, width): an image of as many channels as there are filters. padding: rows of zeros around the image, fewer than the filters have. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.average_pool(image float8[], size int4, stride int4, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.average_pool(float8[], int4, int4, int4) IS
'The averages of square windows onto an image, (channels, height, width) or (height, width); padding counts as zeros. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.max_pool(image float8[], size int4, stride int4, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.max_pool(float8[], int4, int4, int4) IS
'The greatest elements of square windows onto an image, (channels, height, width) or (height, width); padding does not count. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.squared_loss(prediction float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.squared_loss(float8[], float8[]) IS
'The sum of the squares of the differences; both have the same dimensions, as in the other losses. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.huber_loss(prediction float8[], target float8[], delta float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.huber_loss(float8[], float8[], float8) IS
'The sum over differences e of e^2 / 2 up to |e| = delta and delta (|e| - delta / 2) from there on; delta is greater than 0. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.binary_cross_entropy(probability float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.binary_cross_entropy(float8[], float8[]) IS
'The sum of -y ln p - (1 - y) ln(1 - p). NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.categorical_cross_entropy(probability float8[], target float8[])
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_tensor_number'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.categorical_cross_entropy(float8[], float8[]) IS
'The sum of -y ln p. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.add(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.add(float8[], float8[]) IS
'The sums of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.subtract(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.subtract(float8[], float8[]) IS
'The differences of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.multiply(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.multiply(float8[], float8[]) IS
'The products of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.divide(x float8[], y float8[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.divide(float8[], float8[]) IS
'The quotients of elements at equal places. Arrays of unlike dimensions are repeated: counted from the last one, dimensions are equal, or one of them is 1 or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.reshape(x float8[], shape int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.reshape(float8[], int4[]) IS
'The same elements, row by row, in another shape of 1 to 4 dimensions and as many elements. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.broadcast_to(x float8[], shape int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.broadcast_to(float8[], int4[]) IS
'The array repeated to this shape: counted from the last one, its dimensions are those of the shape, or 1, or not there. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.transpose(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.transpose(float8[], int4[]) IS
'The dimensions in another order: the first one of the result is the one of x that is named first, counted from 1. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.sum_over(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.sum_over(float8[], int4[]) IS
'The sums along several dimensions, counted from 1, which go; of all, an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.max_over(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.max_over(float8[], int4[]) IS
'The greatest elements along several dimensions, counted from 1, which go; of all, an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.mean_over(x float8[], axes int4[])
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.mean_over(float8[], int4[]) IS
'The averages along several dimensions, counted from 1, which go; of all, an array of one number. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';

CREATE FUNCTION dpsens.depthwise_conv2d(image float8[], filters float8[], stride int4 DEFAULT 1, padding int4 DEFAULT 0)
RETURNS float8[]
AS 'MODULE_PATHNAME', 'dpsens_tensor_array'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION dpsens.depthwise_conv2d(float8[], float8[], int4, int4) IS
'The correlation of every channel of an image, (channels, height, width) or (height, width), with a filter of its own, (channels, height, width). padding: as for dpsens.conv2d. NULL if an element is NULL or a result does not exist or overflows. Errors: dimensions that do not fit; more than 4 of them.';
