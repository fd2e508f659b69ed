-- Handwritten digits into the tables digits, test_digits and open_digits, for
-- demos that set the variable schema and include this file.  Sets found to false, and makes
-- nothing, where there are none.
--
-- The directory DPSENS_MNIST holds the 10,000 test images of the MNIST database (LeCun,
-- Cortes and Burges; CC BY-SA 3.0), as they are distributed: t10k-images-idx3-ubyte.gz
-- and t10k-labels-idx1-ubyte.gz.  Needs gunzip and GNU od.

\set images_file `ls "${DPSENS_MNIST:-.}"/t10k-images-idx3-ubyte.gz "${DPSENS_MNIST:-.}"/mnist_t10k_images.idx3.gz 2>/dev/null | head -n 1`
\set labels_file `ls "${DPSENS_MNIST:-.}"/t10k-labels-idx1-ubyte.gz "${DPSENS_MNIST:-.}"/mnist_t10k_labels.idx1.gz 2>/dev/null | head -n 1`
SELECT :'images_file' <> '' AND :'labels_file' <> '' AS found \gset
\if :found
\else
\echo 'There are no digits here.  Put t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz'
\echo 'of the MNIST database (https://ossci-datasets.s3.amazonaws.com/mnist/) into a directory'
\echo 'and say which in the environment variable DPSENS_MNIST.'
\quit
\endif

CREATE EXTENSION IF NOT EXISTS dpsens;
DROP SCHEMA IF EXISTS :schema CASCADE;
CREATE SCHEMA :schema;
SET search_path = :schema, public;

-- IDX files: a header of 16 or 8 bytes, then one byte a pixel or label.
\setenv DPSENS_IMAGES :images_file
\setenv DPSENS_LABELS :labels_file
CREATE TABLE lines (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, line text);
CREATE TABLE labels (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, label int);
\copy lines (line) FROM PROGRAM 'gunzip -c "$DPSENS_IMAGES" | tail -c +17 | od -An -v -t u1 -w784'
\copy labels (label) FROM PROGRAM 'gunzip -c "$DPSENS_LABELS" | tail -c +9 | od -An -v -t u1 -w1'
CREATE TABLE digits (id int PRIMARY KEY, label int NOT NULL, pixels float8[] NOT NULL);
INSERT INTO digits SELECT id, label, ARRAY(SELECT v::float8 / 255 FROM regexp_split_to_table(btrim(line), ' +') v) FROM lines JOIN labels USING (id);
DROP TABLE lines, labels;

-- Of every five, four to train on and one to test.  The number of rows to train
-- on is taken as public, as it is in the paper.
CREATE TABLE test_digits AS SELECT * FROM digits WHERE id % 5 = 0;
DELETE FROM digits WHERE id % 5 = 0;
CREATE TABLE open_digits AS SELECT * FROM digits;
