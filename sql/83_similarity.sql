-- How alike two images look to people: what reconstructed images are judged by.

CREATE FUNCTION dpsens.ssim(x float8[], y float8[], columns int4 DEFAULT NULL, data_range float8 DEFAULT 1, window_size int4 DEFAULT 11)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_ssim'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.ssim(float8[], float8[], int4, float8, int4) IS
'The mean structural similarity of two grey images (Wang, Bovik, Sheikh and Simoncelli 2004): 1 if they are equal, about 0 if they have nothing in common, less than 0 where one is a negative of the other. The mean over all square windows of window_size that lie within the images, each with Gaussian weights of deviation 1.5, and K1 = 0.01, K2 = 0.03 as there.
x, y: pixels row by row, in arrays of one or two dimensions. columns: how many a row has; if not given, those of a two-dimensional array, else as in a square. data_range: how far white is from black.
NULL where a pixel is NULL, or a number overflows. Errors: images of unlike sizes, or of more than 1048576 pixels; columns that do not divide them; a data_range that is not greater than 0; windows larger than the image or than 101.';

CREATE FUNCTION dpsens.haarpsi(x float8[], y float8[], columns int4 DEFAULT NULL, data_range float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_haarpsi'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION dpsens.haarpsi(float8[], float8[], int4, float8) IS
'The Haar wavelet-based perceptual similarity index of two grey images (Reisenhofer, Bosse, Kutyniok and Wiegand 2018), between 0 and 1, with C = 30 and alpha = 4.2 on images scaled to 0 to 255 and halved, as there.
Arguments, NULL and errors: as dpsens.ssim; NULL also of two images that have no contrast, as two black ones. Black is 0: beyond its border an image is taken to be black.';
