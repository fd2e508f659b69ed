# awk -f aggregates.awk TABLE.def ... PART.sql ...
#	The install script: the parts one after the other, and where one of them has the
#	line @aggregates@, the aggregates that people write, made from the rows
#	DPS_SQL(forms, name, arguments, result, text) of the tables, which come first
#	(src/agg/aggregates.def says what the columns are).
#
# dpsens replaces these aggregates before planning.  Their functions run only where it
# could not, and refuse: one for each type of result and list of arguments.

BEGIN {
	# what a state of a type is called in the names of these functions, and the type
	# of a companion's result
	stub["bigint"] = "count"
	stub["float8"] = "value"
	stub["float8[]"] = "array"
	stub["bigint[]"] = "counts"
	stub["boolean"] = "truth"
	stub["anyelement"] = "key"
	stub["anyarray"] = "modes"
	stub["dpsens.noise_interval"] = "interval"
	stub["dpsens.noise_intervals"] = "intervals"
	stub["dpsens.noise_truth"] = "doubt"
	companion["bigint"] = companion["float8"] = "dpsens.noise_interval"
	companion["float8[]"] = "dpsens.noise_intervals"

	plain[1] = ", at the epsilon of setting dpsens.epsilon"
	plain[2] = ", at the given epsilon"
	interval[1] = " with the 95 % interval of its noise" plain[1]
	interval[2] = " with the 95 % interval of its noise" plain[2]
	interval[3] = " with the interval of its noise that has at least the given probability, in (0, 1)" plain[2] "; the level is a constant or a parameter"
	more[2] = ", epsilon float8"
	more[3] = ", epsilon float8, level float8"
}

function fail(why)
{
	print FILENAME ":" FNR ": " why > "/dev/stderr"
	failed = 1
	exit 1
}

# ---- the tables ----

# The strings of a row go into field[1] and those behind it; how many there are.
function strings(row, n)
{
	for (n = 0; match(row, /"([^"\\]|\\.)*"/); row = substr(row, RSTART + RLENGTH))
	{
		field[++n] = substr(row, RSTART + 1, RLENGTH - 2)
		gsub(/\\"/, "\"", field[n])
	}
	return n
}

# Arguments without their names.
function types_of(arguments, n, i, part, types)
{
	n = split(arguments, part, /, */)
	for (i = 1; i <= n; i++)
	{
		sub(/^.* /, "", part[i])
		types = types (i > 1 ? ", " : "") part[i]
	}
	return types
}

function add_stub(state, types)
{
	signature = "stub_" stub[state] "(" state (types == "" ? "" : ", " types) ")"
	if (signature in is_made)
		return
	is_made[signature] = 1
	stubs = stubs "\nCREATE FUNCTION dpsens_internal." signature " RETURNS " state "\n" \
		"\tLANGUAGE c VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED\n" \
		"\tAS 'MODULE_PATHNAME', 'dps_stub';\n" \
		"COMMENT ON FUNCTION dpsens_internal." signature " IS 'refuses: a dp aggregate was planned without dpsens';\n"
}

# One aggregate; the text is whole.
function add_aggregate(name, arguments, state, text, types)
{
	types = types_of(arguments)
	add_stub(state, "")
	add_stub(state, types == "*" ? "" : types)
	if ((name, types) in has_row)
		fail(name "(" types ") has a row already")
	has_row[name, types] = 1
	gsub(/'/, "''", text)
	aggregates = aggregates "\nCREATE AGGREGATE @extschema@." name "(" arguments ") (\n" \
		"\tSFUNC = dpsens_internal.stub_" stub[state] ",\n" \
		"\tSTYPE = " state ",\n" \
		"\tFINALFUNC = dpsens_internal.stub_" stub[state] ",\n" \
		"\tPARALLEL = RESTRICTED\n);\n" \
		"COMMENT ON AGGREGATE @extschema@." name "(" types ") IS\n'" text "';\n"
}

# An aggregate without epsilon, with it, and with whatever else a form takes.
# A count of all rows has no arguments to which one could be added.
function add_forms(name, arguments, state, text, way, nforms, place, what, rest, i)
{
	if (!(state in stub))
		fail("no aggregate has the result " state)
	place = index(text, "@")
	what = "differentially private " substr(text, 1, place - 1)
	rest = substr(text, place + 1)
	for (i = 1; i <= (arguments == "*" ? 1 : nforms); i++)
	{
		add_aggregate(name, arguments more[i], state, what way[i] rest)
		if (rest !~ /^;/)
			rest = "; see " name "(" types_of(arguments) ")"
	}
}

function add_row(row)
{
	if (strings(row) != 5)
		fail("a row of DPS_SQL has five strings")
	if (field[5] !~ /^[^@]+@[^@]*$/)
		fail("the text has one \"@\"")
	if (field[1] !~ /^(plain|interval|both)$/ || (field[1] == "interval") != (field[2] ~ /_ci$/))
		fail("forms are \"plain\", \"interval\" of a name that ends in _ci, or \"both\"")
	if (field[1] == "both" && !(field[4] in companion))
		fail("no companion has an interval of the result " field[4])
	if (field[1] != "interval")
		add_forms(field[2], field[3], field[4], field[5], plain, 2)
	if (field[1] == "interval")
		add_forms(field[2], field[3], field[4], field[5], interval, 3)
	if (field[1] == "both")
		add_forms(field[2] "_ci", field[3], companion[field[4]], field[5], interval, 3)
}

FILENAME ~ /\.def$/ && /^DPS_SQL\(/ { row = ""; in_row = 1 }
FILENAME ~ /\.def$/ && in_row {
	row = row $0
	if (/\)$/)
	{
		add_row(row)
		in_row = 0
	}
}
FILENAME ~ /\.def$/ { next }

# ---- the parts ----

$0 == "@aggregates@" {
	if (in_row || aggregates == "")
		fail("no row of DPS_SQL, or one that does not end")
	printf "%s%s", substr(stubs, 2), aggregates
	was_put = 1
	next
}
{ print }

END {
	if (!failed && !was_put)
		fail("no part has a line @aggregates@")
	exit failed
}
