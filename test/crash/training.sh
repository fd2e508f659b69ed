#!/usr/bin/env bash
# training.sh
#	SIGKILL of every process of the server while a model is trained: the run goes
#	on after its last checkpoint, is charged once, and no state that was committed is
#	ever replaced by another after as many steps.  Where rows have accounts, what each
#	has lost is that of the steps that were committed.
#
# ROUNDS (6) may be set.  Without noise and in full batches a run that was killed
# ends exactly where one that was not does.
. "$(dirname "$0")/cluster.sh"

rounds=${ROUNDS:-6}

make_cluster main "synchronous_commit = off" "wal_writer_delay = 10s" || bail "no cluster"
sql "$fixture
CREATE TABLE dots AS SELECT i % 7 - 3.0::float8 AS a, i % 5 - 2.0::float8 AS b, (i % 7 > i % 5)::int AS y FROM generate_series(1, 400) i;
CREATE TABLE private_dots AS SELECT * FROM dots;
DO \$\$ BEGIN PERFORM dpsens.protect('private_dots');
	PERFORM dpsens.create_model(m, '{\"input\": 2, \"layers\": [{\"type\": \"dense\", \"units\": 6, \"activation\": \"tanh\"}, {\"type\": \"dense\", \"units\": 1, \"activation\": \"sigmoid\"}], \"loss\": \"binary_cross_entropy\", \"seed\": 3}')
	FROM unnest('{straight,killed,noisy,watched}'::name[]) m; END \$\$"

# What was committed of a run: step and state.
states()
{
	sql "SELECT step, md5(parameters::text || states::text), steps FROM dpsens.training_run WHERE model = '$1'"
}

# A run is killed at any moment after it is seen, and however late that is, it is not over:
# some steps before its end it waits for a lock that another session holds.
sql "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN PERFORM pg_advisory_lock_shared(1); RETURN NEW; END \$\$;
CREATE TRIGGER hold BEFORE UPDATE ON dpsens.training_run FOR EACH ROW WHEN (NEW.step >= current_setting('crash.hold', true)::int) EXECUTE FUNCTION hold()"
hold()
{
	coproc HOLDER { exec psql -XAtq; }
	# bash forgets a coprocess that has ended, and its descriptors
	holder=$HOLDER_PID
	exec 8<&"${HOLDER[0]}" 9>&"${HOLDER[1]}"
	echo "SELECT pg_advisory_lock(1), 'locked';" >&9
	read -r _ <&8
}

# The session that holds ends, of a server that was killed, too.
let_go()
{
	printf '\\q\n' >&9
	wait "$holder"
	exec 8<&- 9>&-
}

# train_beyond MODEL STEP UNTIL STATEMENT: starts it, waits until a step beyond the one given is
# stored, and lets it come no further than to the other.
train_beyond()
{
	local model=$1 step=$2 until=$3 statement=$4
	hold
	PGOPTIONS="-c crash.hold=$until" psql -XAtq -c "$statement" >"$base/trained" 2>&1 &
	wait_for "SELECT step > $step FROM dpsens.training_run WHERE model = '$model'"
}

# All of the server, and the sessions that are left without one.
kill_run()
{
	kill_server
	let_go
	wait
	restart
}

# ---- without noise: the same end ----

steps=1500
is "$(sql "CALL dpsens.train('straight', 'dots', '{a,b}', 'y', $steps, 0.05, optimizer => 'adam')")" "" "a run that nobody kills"
train_beyond killed 0 1000 "CALL dpsens.train('killed', 'dots', '{a,b}', 'y', $steps, 0.05, optimizer => 'adam', checkpoint => 10)"
ok $? "one that is to be killed"
kill_run
stored=$(states killed)
like "$stored" "*0|*|$steps" "its last checkpoint is there: $stored"
is "$(sql "SELECT dpsens.model_parameters('killed') = (SELECT dpsens.model_parameters('watched'))")" t "the model is as it was before"
is "$(sql "CALL dpsens.resume_training('killed')")" "" "it is resumed"
is "$(sql "SELECT dpsens.model_parameters('killed') = dpsens.model_parameters('straight')")" t "and ends where the other one did"
is "$(sql "SELECT count(*) FROM dpsens.training_run")" 0 "nothing is left of it"

# ---- with noise: one charge, one chain of states ----

train="CALL dpsens.train('noisy', 'private_dots', '{a,b}', 'y', 4000, 0.1, clip => 1, expected_rows => 400, noise_multiplier => 30, delta => 1e-6, sampling_rate => 0.2, checkpoint => 5)"
train_beyond noisy 0 $((3600 / rounds)) "$train"
ok $? "a private run begins"
: >"$base/seen"
last=0
for round in $(seq "$rounds"); do
	# states that somebody has seen, up to the crash
	for i in 1 2 3 4 5 6 7 8; do
		states noisy >>"$base/seen"
	done
	kill_run
	stored=$(states noisy)
	echo "$stored" >>"$base/seen"
	now=${stored%%|*}
	seen=$(cut -d'|' -f1 "$base/seen" | sort -n | tail -1)
	ok "$((now >= seen ? 0 : 1))" "round $round: no state that was seen is lost: $seen seen, $now stored"
	ok "$((now > last ? 0 : 1))" "round $round: it went on after step $last"
	is "$(sort -u "$base/seen" | cut -d'|' -f1 | sort | uniq -d | wc -l)" 0 "round $round: no step was released twice with different noise"
	is "$(sql "SELECT count(*) FROM dpsens.releases")" 1 "round $round: one charge"
	last=$now
	[ "$round" = "$rounds" ] || train_beyond noisy "$now" $((now + 3600 / rounds)) "CALL dpsens.resume_training('noisy')"
done
# two sessions at once: one of them has to give up, before the other one is let to the end
hold
for session in one other; do
	PGOPTIONS="-c crash.hold=$((last + 100))" psql -XAtq -c "CALL dpsens.resume_training('noisy')" >"$base/$session" 2>&1 &
done
wait_for "SELECT count(*) > 0 AND bool_and(steps = 4000 AND step >= $last AND epoch = step * 0.2 AND epsilon > 0 AND loss IS NULL) FROM dpsens.training"
is $? 0 "dpsens.training shows it"
both_have_met()
{
	grep -q 'was continued' "$base/one" "$base/other" || says_yes "SELECT count(DISTINCT pid) = 2 FROM pg_locks WHERE NOT granted"
}
wait_until both_have_met
let_go
wait
is "$(cat "$base/one" "$base/other" | grep -c 'was continued, replaced or ended by another session')" 1 "of two sessions one gives up"
is "$(sql "SELECT count(*) FROM dpsens.training_run")" 0 "the other one ends it"
is "$(sql "SELECT count(*) FROM dpsens.releases")" 1 "still for one charge"
is "$(sql "SELECT dpsens.model_parameters('noisy') <> dpsens.model_parameters('watched')")" t "the model has learnt"
is "$(sql "SELECT count(*) FROM dpsens.training")" 0 "nothing goes on any more"
like "$(sql "CALL dpsens.resume_training('noisy')")" '*model "noisy" has no unfinished training*' "a run that is over is not resumed"

# ---- rows with accounts ----

# A step costs the first row 1/128, the second a quarter and the third 1/64 of that, but for
# the bound, which is 3 units above the clip of 2^39; the parameters hardly move.
sql "DO \$\$ BEGIN PERFORM dpsens.create_model('counted', '{\"input\": 1, \"layers\": [{\"type\": \"dense\", \"units\": 1}], \"loss\": \"half_squared\"}'); PERFORM dpsens.set_model_parameters('counted', '{0,0}'); END \$\$;
CREATE TABLE counted (id int PRIMARY KEY, x float8, y float8);
INSERT INTO counted VALUES (1, 0, -1), (2, 0, -0.5), (3, 0, -0.125), (4, NULL, 1);
DO \$\$ BEGIN PERFORM dpsens.protect('counted'), dpsens.set_range('counted', 'x', 0, 1), dpsens.set_range('counted', 'y', -1, 1), dpsens.set_budget('counted', row_rho => 1); END \$\$"
# whether each has lost what STEPS steps cost, the first at most 128 of them and the second 512
lost_steps()
{
	sql "SELECT count(*) = 4 AND bool_and(abs(rho - CASE unit WHEN '1' THEN least($1, 128) WHEN '2' THEN least($1, 512) / 4.0 WHEN '3' THEN $1 / 64.0 ELSE 0 END / 128) < 1e-8) FROM dpsens.row_training_loss('counted')"
}
train_beyond counted 0 1000 "CALL dpsens.train('counted', 'counted', '{x}', 'y', 4000, 1e-40, clip => 1, expected_rows => 4, noise_multiplier => 8, delta => 1e-6, checkpoint => 4)"
ok $? "a run with row accounts begins"
last=0
for round in 1 2 3; do
	kill_run
	now=$(sql "SELECT step FROM dpsens.training_run WHERE model = 'counted'")
	ok "$((now > last ? 0 : 1))" "round $round: it went on after step $last, to $now"
	is "$(lost_steps "$now")" t "round $round: each row has lost by as many steps"
	is "$(sql "SELECT count(*) = 4 AND bool_and(abs(l.rho - r.charge_rho / 2::float8 ^ 40) < 1e-8) FROM dpsens.row_loss('counted') l, dpsens.release r WHERE r.relation = 'counted'::regclass")" t "round $round: and counts as having paid for all"
	last=$now
	[ "$round" = 3 ] || train_beyond counted "$now" $((now + 1000)) "CALL dpsens.resume_training('counted')"
done
is "$(sql "CALL dpsens.resume_training('counted')")" "" "it is ended"
is "$(lost_steps 4000)" t "each row has lost what it would have lost in one part"
is "$(sql "SELECT count(*) FROM dpsens.row_loss('counted') l JOIN dpsens.row_training_loss('counted') t USING (unit) WHERE l.rho = t.rho AND t.finished")" 4 "and no more"
is "$(sql "SELECT max(rho) <= 1 FROM dpsens.row_loss('counted')")" t "nobody more than the cap"

# ---- a copy of the database does not go on ----

train_beyond watched 0 3000 "${train//noisy/watched}"
kill_run
sql "SELECT 1 FROM dpsens.training_run" >/dev/null
as_server pg_dump -U postgres -f "$base/dump.sql" postgres
sql "CREATE DATABASE restored" >/dev/null
psql -XAtq -d restored -f "$base/dump.sql" >/dev/null 2>&1
is "$(sql restored "SELECT dpsens.acknowledge_restore(); SELECT string_agg(unit || ':' || round(rho::numeric, 6), ' ' ORDER BY unit) FROM dpsens.row_loss('counted')" | tail -1)" \
	"$(sql "SELECT string_agg(unit || ':' || round(rho::numeric, 6), ' ' ORDER BY unit) FROM dpsens.row_loss('counted')")" "a restored database knows what training cost each row"
like "$(sql restored "CALL dpsens.resume_training('watched')")" '*has no unfinished training*' "a restored database has no runs"
sql "CREATE DATABASE cloned TEMPLATE postgres" >/dev/null
like "$(sql cloned "CALL dpsens.resume_training('watched')")" '*was charged in another database*' "a cloned one does not resume them"
finish
