-- Training, with noise on a protected table.

CREATE PROCEDURE dpsens.train(model name, relation regclass, features name[], target name, steps int4, learning_rate float8,
    clip float8 DEFAULT NULL, expected_rows bigint DEFAULT NULL,
    epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, noise_multiplier float8 DEFAULT NULL,
    optimizer text DEFAULT 'sgd', momentum float8 DEFAULT 0.9, parameter_bound float8 DEFAULT NULL, sampling_rate float8 DEFAULT NULL,
    bound text DEFAULT NULL, feature_range float8[] DEFAULT NULL, target_range float8[] DEFAULT NULL, bound_boxes int4 DEFAULT 100,
    checkpoint int4 DEFAULT NULL, test_relation regclass DEFAULT NULL, query text DEFAULT NULL)
AS 'MODULE_PATHNAME', 'dpsens_train'
LANGUAGE C;

COMMENT ON PROCEDURE dpsens.train(name, regclass, name[], name, int4, float8, float8, bigint, float8, float8, float8, text, float8, float8, float8, text, float8[], float8[], int4, int4, regclass, text) IS
'Trains a model on the rows of a table, which the caller must be allowed to read: gradient descent in full batches, parameters = parameters - learning_rate * sum of gradients / expected_rows, or on samples.
sampling_rate: in every step each row takes part with this probability, by a draw of its own from the strong random source, and the sum is divided by sampling_rate * expected_rows; who took part, and how many, is never shown. NULL or 1: all rows in every step. 1 / sampling_rate steps are an epoch.
features: columns of numbers, booleans, or arrays of numbers, as many numbers together as the model has features. target: a column of numbers or arrays; a number is the class, from 0, for categorical_cross_entropy. Rows in which something is NULL, not finite, of another length or no class are left out.
query: SELECT expressions FROM relation WHERE conditions, whose columns are then features and target. Over a protected table it reads nothing else, once, by immutable functions, so that each row makes one example at most; features then need feature_range and target_range for bound. Over others any SELECT.
On a protected table each example''s gradient is clipped to the Euclidean norm clip and the sum of all gets discrete Gaussian noise on every coordinate, exact and on a grid. Needed then: clip or bound, expected_rows (a public number; the number of rows is none), and either epsilon, for the whole run with delta (dpsens.delta by default), or noise_multiplier, the standard deviation of the noise of a step over clip. The run is charged to the table''s and the caller''s budgets before it begins and appears in dpsens.releases as one release of rho = steps * D^2 / 2N^2 with D = clip (add_remove) or 2 clip (replace, attribute) and N the scale of the noise. With sampling_rate, which needs adjacency add_remove, it is one of mechanism subsampled, with the noise''s scale, steps and rate; the charge is a rho that holds up to an eighth of delta. The epsilon, asked for or shown, is what all steps cost at delta by the distribution of the privacy loss, or by Renyi losses if that is less; the charge, which adds up with other answers, is worth more. Nothing is refunded.
On another table there is no noise; clip is optional, and expected_rows is the number of rows by default.
optimizer: sgd, momentum (velocity = momentum * velocity + gradient), adam (Kingma and Ba 2015, beta 1 = momentum, beta 2 = 0.999).
parameter_bound: brings every parameter into [-parameter_bound, parameter_bound] before the first and after every step.
bound: instead of clip, what is proved to bound the gradient of every example within the features'' and the target''s ranges, into which examples are brought. weights: over all parameters within parameter_bound, by a search of at most bound_boxes boxes. iteration: at the parameters of each step, by such a search; noise is in proportion. lipschitz: known in advance from the ranges of activations and slopes, without a search; of a single layer with sigmoid or softmax even without parameter_bound. Gradients are clipped to it all the same, so that privacy does not rest on the proof; nothing is ever clipped.
feature_range: {low, high} of all features, or such a pair for each; else the declared ranges of columns of numbers. target_range: {low, high}; else the declared range; a class needs none.
Where rows have accounts of their own (dpsens.set_budget with row_rho), each loses s^2/2N^2 by a step, s the norm of its clipped gradient; one whose account would pass its cap takes no further part, silently. Until the run is finished, and for good if it fails, all rows count as having paid the whole charge. The caller needs SELECT on the whole table.
A run is one transaction: if it fails or is cancelled the model stays as it was, and what was charged stays charged. With checkpoint, CALL must not be part of a transaction, and the state is committed after every so many steps: after a crash or cancellation dpsens.resume_training goes on from there, without another charge. The model changes at the end in either case; training it anew forgets the run.
test_relation: a table that is not protected, with the same columns; the mean loss on its rows is shown on the way, in dpsens.training and, with checkpoint, in a NOTICE.
Errors: as dpsens.set_model_parameters; a column that is not there or not of numbers; metric adjacency; samples under another one than add_remove; several rows per unit; row accounting with samples, a query, row_epsilon or another adjacency than add_remove; row-level security that applies to the caller; a query that is not as above; both clip and bound; ranges that are missing; a model whose gradients have no bound; budgets that do not suffice; a test_relation that is protected; a relation or test_relation that is not protected but shows rows of one that is (a view, a partition); checkpoint in a transaction; parameters that are not finite any more.
Source: Abadi et al. 2016; Mironov, Talwar and Zhang 2019; with the noise of Canonne, Kamath and Steinke 2020; row accounts: Feldman and Zrnic 2021, Theorem 4.5.';

CREATE FUNCTION dpsens.gradient_bound(model name, feature_range float8[], target_range float8[] DEFAULT NULL, parameter_bound float8 DEFAULT NULL,
    max_boxes int4 DEFAULT 1000, OUT lower float8, OUT upper float8, OUT boxes int4)
AS 'MODULE_PATHNAME', 'dpsens_gradient_bound'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.gradient_bound(name, float8[], float8[], float8, int4) IS
'A proved bound on dpsens.gradient_norm of every example there can be: none has more than upper; some has lower. By interval arithmetic on tensors, rounded outward, and a search of at most max_boxes boxes (1: none).
feature_range: {low, high} of all features, or such a pair for each, in an array of any shape. target_range: {low, high} of every number of the target; may be NULL for categorical_cross_entropy: one class. parameter_bound: over all parameters of at most this magnitude, which may be Infinity; NULL: at the model''s parameters.
Errors: as dpsens.drop_model; ranges that are none; a model whose gradients have no bound; one of more than 2^24 numbers in all its tensors.';

-- Runs with checkpoints that are not over.  Not dumped: a restored database
-- does not take steps again that the original took.
CREATE TABLE dpsens.training_run (
    model name NOT NULL PRIMARY KEY,
    role oid NOT NULL,
    relation oid NOT NULL,
    features name[] NOT NULL,
    target name NOT NULL,
    test_relation oid NOT NULL,
    adjacency text NOT NULL,
    release bigint NOT NULL,
    epsilon float8 NOT NULL,
    delta float8 NOT NULL,
    step int4 NOT NULL,
    steps int4 NOT NULL,
    checkpoint int4 NOT NULL,
    learning_rate float8 NOT NULL,
    optimizer text NOT NULL,
    momentum float8 NOT NULL,
    parameter_bound float8 NOT NULL,
    sampling_rate float8 NOT NULL,
    divisor float8 NOT NULL,
    clip float8 NOT NULL,
    scale bigint NOT NULL,
    bound text NOT NULL,
    feature_low float8[],
    feature_high float8[],
    target_range float8[],
    bound_boxes int4 NOT NULL,
    parameters float8[] NOT NULL,
    states float8[] NOT NULL,
    query text,
    changed timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);
ALTER TABLE dpsens.training_run ALTER COLUMN parameters SET STORAGE EXTERNAL, ALTER COLUMN states SET STORAGE EXTERNAL;
COMMENT ON TABLE dpsens.training_run IS 'runs of dpsens.train with checkpoints that are not over, for dpsens.resume_training; dpsens.training_runs shows a role its own';
COMMENT ON COLUMN dpsens.training_run.release IS 'what was charged for all steps; 0 where nothing was';
COMMENT ON COLUMN dpsens.training_run.step IS 'steps after which the parameters and the optimizer''s states are those stored here; each commit replaces the state that it went on from, so no step is released twice';

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.training_run
    FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_run ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.training_run
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_run ENABLE REPLICA TRIGGER keep_ledger_applied;

CREATE VIEW dpsens.training_runs WITH (security_barrier) AS
SELECT r.model, r.relation::pg_catalog.regclass AS relation, r.step, r.steps, r.checkpoint,
    NULLIF(r.release, 0) AS release, CASE WHEN r.release <> 0 THEN r.epsilon END AS epsilon, CASE WHEN r.release <> 0 THEN r.delta END AS delta, r.changed
FROM dpsens.training_run r
WHERE pg_catalog.pg_has_role(r.role, 'USAGE');
COMMENT ON VIEW dpsens.training_runs IS 'runs of dpsens.train with checkpoints that are not over, of roles that the reader is a member of: dpsens.resume_training goes on after step';
COMMENT ON COLUMN dpsens.training_runs.epsilon IS 'of all steps, charged when the run began; null where nothing was';

CREATE PROCEDURE dpsens.resume_training(model name)
AS 'MODULE_PATHNAME', 'dpsens_resume_training'
LANGUAGE C;

COMMENT ON PROCEDURE dpsens.resume_training(name) IS
'Goes on with a run of dpsens.train that had checkpoints and was interrupted, after the last of them, on the rows as they are now. Nothing is charged: the run was charged when it began, and steps after the checkpoint, if there were any, were seen by nobody. Where rows have accounts they go on with what was stored with the checkpoint; rows that were inserted since the run began take no part. Not part of a transaction.
Errors: as dpsens.drop_model; there is no unfinished run of that model, or it is another role''s; another session goes on with it at the same time (the one that reaches its next checkpoint second fails); the table is protected otherwise than when the run began, row accounting was switched on or off, or other columns name its units; fsync is off; the ledger was charged in another database.';

-- What units lost by training, which cannot be computed again.

CREATE TABLE dpsens.training_account (
	release bigint NOT NULL PRIMARY KEY,
	unit text NOT NULL,
	finished boolean NOT NULL
);
COMMENT ON TABLE dpsens.training_account IS 'runs of training on relations whose rows have accounts of their own';
COMMENT ON COLUMN dpsens.training_account.unit IS 'number, name and type of the columns that named a unit: where they are others now, what is stored is not used';
COMMENT ON COLUMN dpsens.training_account.finished IS 'no step of the run comes any more: units lost by it what dpsens.training_loss says; until then, and by a run that ended without its model, all that it was charged';

CREATE TABLE dpsens.training_loss (
	release bigint NOT NULL,
	unit text COLLATE pg_catalog."C" NOT NULL,
	spent_rho bigint NOT NULL,
	left_out boolean NOT NULL,
	PRIMARY KEY (release, unit),
	CHECK (spent_rho >= 0)
);
COMMENT ON TABLE dpsens.training_loss IS 'what each unit that had a row when a run of training began has lost by its steps; private data';
COMMENT ON COLUMN dpsens.training_loss.spent_rho IS 'by the steps that were committed, in units of 2^-40, each step rounded up';
COMMENT ON COLUMN dpsens.training_loss.left_out IS 'a step would have passed the cap: the unit takes no further part in the run';

SELECT pg_catalog.pg_extension_config_dump('dpsens.training_account', '');
SELECT pg_catalog.pg_extension_config_dump('dpsens.training_loss', '');
-- of the ledger (70_ledger.sql), which an update adds behind these
SELECT pg_catalog.pg_extension_config_dump('dpsens.policy', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.training_account
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_account ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.training_account
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_account ENABLE REPLICA TRIGGER keep_ledger_applied;
CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.training_loss
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_loss ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.training_loss
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.training_loss ENABLE REPLICA TRIGGER keep_ledger_applied;

CREATE FUNCTION dpsens_internal.training_progress(OUT pid int4, OUT model name, OUT relation regclass, OUT step int4, OUT steps int4, OUT epoch float8, OUT epochs float8,
    OUT epsilon float8, OUT delta float8, OUT loss float8, OUT loss_step int4, OUT started timestamptz, OUT seconds_left float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dpsens_training_progress'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION dpsens_internal.training_progress() IS 'What dpsens.training shows.';

CREATE VIEW dpsens.training AS SELECT * FROM dpsens_internal.training_progress();
COMMENT ON VIEW dpsens.training IS 'runs of dpsens.train that go on at this moment in this database, of roles that the reader is a member of; empty if the library is not preloaded';
COMMENT ON COLUMN dpsens.training.epoch IS 'steps times the sampling rate: how often each row took part, on average';
COMMENT ON COLUMN dpsens.training.epsilon IS 'of the steps taken so far, at delta; all steps were charged when the run began; null where nothing is';
COMMENT ON COLUMN dpsens.training.loss IS 'mean loss on the rows of test_relation after loss_step steps; losses on protected rows are not shown';
COMMENT ON COLUMN dpsens.training.seconds_left IS 'by the steps of this session; null before the first';

CREATE FUNCTION dpsens.training_epsilon(noise_multiplier float8, steps bigint, delta float8, sampling_rate float8 DEFAULT 1)
RETURNS float8
AS 'MODULE_PATHNAME', 'dpsens_training_epsilon'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION dpsens.training_epsilon(float8, bigint, float8, float8) IS
'The epsilon at delta of a run of dpsens.train, under add_remove, before anything is spent: by the distribution of the privacy loss, or by Renyi losses if that is less. Infinity where there is none. A budget is charged a rho, which is worth more.
noise_multiplier: between 2^-40 and 2^22. sampling_rate: greater than 0, at most 1.
Errors: arguments outside of these ranges; steps negative; delta not between 0 and 1.
Source: Zhu, Dong and Wang 2022; Doroshenko et al. 2022; Canonne, Kamath and Steinke 2020; Mironov, Talwar and Zhang 2019.';
