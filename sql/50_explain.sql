CREATE FUNCTION dpsens.explain(
	query text,
	rows double precision DEFAULT NULL,
	OUT aggregate text,
	OUT expression text,
	OUT gradient text,
	OUT gradient_norm text,
	OUT lower double precision,
	OUT upper double precision,
	OUT witness jsonb,
	OUT adjacency text,
	OUT sensitivity double precision,
	OUT grid double precision,
	OUT mechanism text,
	OUT epsilon double precision,
	OUT delta double precision,
	OUT noise_scale double precision,
	OUT error_95 double precision,
	OUT error_95_times_rows double precision,
	OUT cost_epsilon double precision,
	OUT cost_rho double precision,
	OUT cost_delta double precision,
	OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'dps_explain'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dpsens.explain(text, double precision) IS
'What each dp aggregate of a query would release and cost, derived from the query and the declarations alone: no row is read, nothing is drawn or spent.  lower and upper bound the row expression (certified), witness is the row where it is furthest from 0 (under metric: steepest).  sensitivity is in the unit of the expression; noise_scale is t of discrete Laplace noise or sigma of discrete Gaussian noise, in the unit of the (first) noised number.  For an average over a public number of rows both are divided by rows where that is given, else they are those of the sum.  error_95 is the half-width of the 95 % interval of the noise; for an average over a private number of rows it is error_95_times_rows / rows, for the number of rows that you expect.  Of aggregates that are computed from second moments sensitivity and noise_scale are those of the moments of values scaled to [-1, 1], and errors are bounds that hold wherever the values lie in their ranges; what depends on how far values spread, a correlation or a regression, has none without data, and note says so: the interval of the same aggregate tells it with the answer.  A sensitivity and cost of 0 mean that the declarations leave one answer only, which is released as it is: nobody can change it.  Several aggregates can be computed from one release: the first has its cost, the others cost 0 and say in note which.  note also says, to those whom dpsens.my_budget shows it, what an answer would cost columns that have budgets of their own, and persons of entities that have, and what is left of these; that a policy (dpsens.policies) would refuse the answer, or the statement, in its first row; and, under adjacency attribute, that noise is larger for weights of columns: sensitivity is without weights, and the cost is what the noise costs the column that loses most.  Gaussian noise of a vector can be aimed at attributes there: note lists the scales of its entries, and noise_scale and error_95 are those of the largest.  A GROUP BY whose keys are not declared has a row of its own, whose aggregate is its text: what it costs to find out which groups there are.';
