-- The aggregates that people write, and the functions that the server has of them: made
-- by build-aux/aggregates.awk from the rows DPS_SQL of src/agg/aggregates.def,
-- src/agg/statistics.def and src/moment/moment_statistics.def.

@aggregates@
