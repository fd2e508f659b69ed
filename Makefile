# dpsens
#
#	make demo, make check, make bench, make bench-all, make docs	complete on a bare Debian machine with git and make
#	make, make install, make installcheck	as for any PGXS extension
#	make deb, make dist, make packagecheck	packages for Debian, the archive for PGXN, and whether they are what they should be

# The server that setup, demo and check install and use.
PG_MAJOR ?= $(shell build-aux/major)

# These goals begin where there may be no pg_config, so they must not read PGXS:
# their scripts install what is missing and come back here for the rest.
WHOLE_GOALS = setup demo check majorcheck movecheck bench bench-all docs deb dist packagecheck
ifneq (,$(filter $(WHOLE_GOALS),$(MAKECMDGOALS)))

OTHER_GOALS = $(filter-out $(WHOLE_GOALS),$(MAKECMDGOALS))
export PG_MAJOR

setup:
	@build-aux/setup check

demo check bench docs:
	@build-aux/$@

# On other majors; PG_CONFIG=… on that server.
majorcheck:
	@build-aux/majorcheck $(MAJOR) $(PG_CONFIG)

# From one major to the next, by dump and by pg_upgrade.
movecheck:
	@build-aux/movecheck

deb dist:
	@build-aux/packages $@

# In bare chroots of three Debians; MAJOR chooses.
packagecheck:
	@build-aux/packages check $(MAJOR)

bench-all:
	@build-aux/bench all

ifneq (,$(OTHER_GOALS))
$(OTHER_GOALS):
	$(MAKE) $@
endif

.PHONY: $(MAKECMDGOALS)
.NOTPARALLEL:

else

EXTENSION  = dpsens
EXTVERSION = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" dpsens.control)
MODULE_big = dpsens

# A new file in one of these folders, or in a folder of one, is built by being there.
CORE  = base num expr bound account noise tensor moment
GLUE  = glue agg ledger room guard plot audit model
FIND_SRCS = $(foreach d,$(1),$(sort $(wildcard src/$(d)/*.c src/$(d)/*/*.c)))
CORE_SRCS = $(call FIND_SRCS,$(CORE))
CORE_OBJS = $(CORE_SRCS:.c=.o)
SRCS  = $(CORE_SRCS) $(call FIND_SRCS,$(GLUE))
OBJS  = $(SRCS:.c=.o)

SQL_PARTS  = $(sort $(wildcard sql/[0-9][0-9]_*.sql))
SQL_TABLES = src/agg/aggregates.def src/agg/statistics.def src/moment/moment_statistics.def
DATA       = $(wildcard sql/dpsens--*--*.sql)
DATA_built = sql/dpsens--$(EXTVERSION).sql

# Golden output of all of them is in expected/: pg_regress looks there before it
# looks under --inputdir.  PGXS asks whether these are defined, hence ":=".
REGRESS        := $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS    = --inputdir=test
ISOLATION      := $(patsubst test/specs/%.spec,%,$(sort $(wildcard test/specs/*.spec)))
ISOLATION_OPTS  = --inputdir=test --outputdir=.
UNPRELOADED    := $(patsubst test/sql_unpreloaded/%.sql,%,$(sort $(wildcard test/sql_unpreloaded/*.sql)))

# Contraction would round differently from what the enclosures assume.  The
# server's headers are not written for -Wextra, so they are system headers here.
WARN_FLAGS  = -Wextra -Werror -Wshadow=compatible-local
# clang is told the options of the compiler that built the server, and reads attributes
# in its headers that it lacks
WARN_FLAGS += $(if $(findstring clang,$(CC)),-Wno-unknown-warning-option -Wno-ignored-attributes -Wno-ignored-optimization-argument)
PG_CPPFLAGS = -Isrc -isystem $(includedir_server) -isystem $(includedir_internal) -I$(libpq_srcdir)
PG_CFLAGS   = -ffp-contract=off $(WARN_FLAGS) -MMD -MP
GSL_LIBS    = $(shell gsl-config --libs)
# libpq is what a standby asks its primary by, libcrypto encrypts what travels between nodes of Citus.
SHLIB_LINK  = $(GSL_LIBS) $(libpq) -lcrypto
EXTRA_CLEAN = $(OBJS:.o=.d) build

# Bitcode is compiled without PG_CFLAGS and would be contracted; PGXS's own
# dependency files are named by base name and collide between folders.
override with_llvm  = no
override autodepend =

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq (,$(if $(PGXS),$(wildcard $(PGXS))))
$(error $(PG_CONFIG) or the server's development files are missing: run "make setup", or set PG_CONFIG)
endif
include $(PGXS)

-include $(OBJS:.o=.d)

# Hooks and callbacks have the server's signatures, needed or not; and of variables that
# PG_TRY only reads, and of its own, some compilers say that it might change them.
$(filter-out $(CORE_OBJS),$(OBJS)): override CFLAGS += -Wno-unused-parameter -Wno-clobbered

# Loops over rows are turned into vector instructions.
src/expr/ops.o src/expr/program_batch.o src/agg/state/row_batch.o src/agg/state/groups.o: override CFLAGS += -O3

# Stored brackets are believed by the build whose mathematics proved them.
MATH_FILES  = $(sort $(foreach d,base num expr bound,$(wildcard src/$(d)/*.[ch] src/$(d)/*.def src/$(d)/*/*.[ch])) \
	$(wildcard src/glue/analysis/question.[ch]))
MATH_DIGEST = $(shell cat $(MATH_FILES) | { sha256sum 2>/dev/null || shasum -a 256; } | cut -c1-32)

src/glue/analysis/question.o: override CPPFLAGS += -DDPS_MATH_DIGEST='"$(MATH_DIGEST)"'
src/glue/analysis/question.o: $(MATH_FILES)

.DELETE_ON_ERROR:

# The parts, and the aggregates that the tables' rows say.
$(DATA_built): build-aux/aggregates.awk $(SQL_TABLES) $(SQL_PARTS) dpsens.control
	LC_ALL=C awk -f build-aux/aggregates.awk $(SQL_TABLES) $(SQL_PARTS) > $@

# Install scripts of the releases before, whose objects this library does not serve: for
# the test of their updates alone.
install-released:
	$(INSTALL_DATA) $(sort $(wildcard test/released/dpsens--*.sql)) '$(DESTDIR)$(datadir)/extension/'

.PHONY: install-released

# Tests that need no server.  Unit tests run the core under sanitizers, compiled
# once; statistical tests run the objects that are shipped.

TEST_CFLAGS = -std=gnu11 -Wall $(WARN_FLAGS) -Wdeclaration-after-statement \
	-Wmissing-prototypes -ffp-contract=off -Isrc -Itest/unit
UNIT_CFLAGS = $(TEST_CFLAGS) -g -O1 -fsanitize=address,undefined \
	-fno-sanitize-recover -fno-omit-frame-pointer
STAT_CFLAGS = $(TEST_CFLAGS) -g -O2
TEST_LIBS   = $(GSL_LIBS) -lm
TEST_DEPS   = -MMD -MP -MF $@.d -MT $@

# MPFR, where it is present, is what the error bounds of libm are tested against.
MPFR_CFLAGS = $(if $(wildcard /usr/include/mpfr.h /usr/local/include/mpfr.h),-DHAVE_MPFR)
MPFR_LIBS   = $(if $(MPFR_CFLAGS),-lmpfr -lgmp)

UNIT_TESTS = $(patsubst test/%.c,build/%,$(sort $(wildcard test/unit/test_*.c)))
STAT_TESTS = $(patsubst test/%.c,build/%,$(sort $(wildcard test/stat/test_*.c)))
SERVERLESS_TESTS = $(addprefix build/stat/,test_stages test_scales test_proofs test_rows)
UNIT_OBJS  = $(CORE_SRCS:src/%.c=build/unit/core/%.o)

PGTAP_FILES = $(sort $(wildcard test/pgtap/*.sql))
STAT_FILES  = $(sort $(wildcard test/stat/*.sql test/stat/epsilon/*.sql test/stat/*.sh test/fuzz/*.sql))

$(UNIT_OBJS): build/unit/core/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) $(TEST_DEPS) -c $< -o $@

# "q", not "r": files of the same name in different folders are all kept.
build/unit/libcore.a: $(UNIT_OBJS)
	@rm -f $@
	$(AR) qcs $@ $^

$(UNIT_TESTS): build/unit/%: test/unit/%.c build/unit/libcore.a
	$(CC) $(UNIT_CFLAGS) $(MPFR_CFLAGS) $(TEST_DEPS) $< build/unit/libcore.a \
	  -o $@ $(TEST_LIBS) $(MPFR_LIBS)

$(filter-out $(SERVERLESS_TESTS),$(STAT_TESTS)): build/stat/%: test/stat/%.c $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CC) $(STAT_CFLAGS) $(TEST_DEPS) $< $(CORE_OBJS) -o $@ $(TEST_LIBS)

# Fuzz targets.  The stored inputs are replayed with the unit tests; clang's
# libFuzzer looks for new ones.
FUZZ_TARGETS = $(patsubst test/fuzz/fuzz_%.c,%,$(sort $(wildcard test/fuzz/fuzz_*.c)))
FUZZ_REPLAYS = $(FUZZ_TARGETS:%=build/fuzz/replay_%)
FUZZERS      = $(FUZZ_TARGETS:%=build/fuzz/fuzz_%)
FUZZ_OBJS    = $(CORE_SRCS:src/%.c=build/fuzz/core/%.o)
FUZZ_CC     ?= clang
FUZZ_CFLAGS  = -std=gnu11 -Wall -Wextra -Werror -ffp-contract=off -Isrc -Itest/unit -g -O1 \
	-fsanitize=address,undefined -fno-sanitize-recover -fno-omit-frame-pointer
FUZZ_SECONDS ?= 30

$(FUZZ_REPLAYS): build/fuzz/replay_%: test/fuzz/fuzz_%.c test/fuzz/replay.c test/fuzz/fuzz.h build/unit/libcore.a
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -Wno-missing-prototypes -DFUZZ_CORPUS='"test/fuzz/corpus/$*"' \
	  $(filter %.c %.a,$^) -o $@ $(TEST_LIBS)

$(FUZZ_OBJS): build/fuzz/core/%.o: src/%.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link $(TEST_DEPS) -c $< -o $@

$(FUZZERS): build/fuzz/fuzz_%: test/fuzz/fuzz_%.c test/fuzz/fuzz.h $(FUZZ_OBJS)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer $(TEST_DEPS) $(filter %.c %.o,$^) -o $@ $(TEST_LIBS)

# New inputs are kept below build/fuzz; one that fails is written there, too.
fuzzcheck: $(FUZZERS)
	set -e; for target in $(FUZZ_TARGETS); do \
	  mkdir -p build/fuzz/found/$$target; \
	  build/fuzz/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -max_len=1024 -timeout=20 -verbosity=0 \
	    -print_final_stats=1 -artifact_prefix=build/fuzz/$$target- \
	    build/fuzz/found/$$target test/fuzz/corpus/$$target; \
	done

-include $(UNIT_OBJS:=.d) $(UNIT_TESTS:=.d) $(STAT_TESTS:=.d) $(FUZZ_OBJS:=.d) $(FUZZERS:=.d)

unitcheck: $(UNIT_TESTS) $(FUZZ_REPLAYS)
	$(if $^,prove $(PROVE_FLAGS) --exec '' $^)

statcheck: $(STAT_TESTS)
	$(if $^,prove $(PROVE_FLAGS) --exec '' $^)

# What test_bound and test_certificate do to a few random expressions under
# sanitizers, to many of them: values, gradients, Hessians and forms are enclosed,
# and proofs hold.  Minutes.
PROPERTY_GRAPHS ?= 100000
PROPERTY_POINTS ?= 100

build/stat/properties: test/unit/test_bound.c $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CC) $(STAT_CFLAGS) $(TEST_DEPS) $(filter %.c %.o,$^) -o $@ $(TEST_LIBS)

build/stat/proofs: test/unit/test_certificate.c $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CC) $(STAT_CFLAGS) $(TEST_DEPS) $(filter %.c %.o,$^) -o $@ $(TEST_LIBS)

-include build/stat/properties.d build/stat/proofs.d

propertycheck: build/stat/properties build/stat/proofs
	DPS_PROPERTY_GRAPHS=$(PROPERTY_GRAPHS) DPS_PROPERTY_POINTS=$(PROPERTY_POINTS) prove $(PROVE_FLAGS) --exec '' $^

# The module by another compiler, whose warnings are errors, too.
CLANG ?= clang

clangcheck:
	CLANG='$(CLANG)' SERVER_CONFIG="$$(command -v '$(PG_CONFIG)')" prove $(PROVE_FLAGS) --exec bash test/clang.sh

structcheck: all
	CC='$(CC)' prove $(PROVE_FLAGS) test/structure.sh

# Published formulas with all boxes that a search has: minutes.
formulacheck: build/stat/test_formulas
	DPS_FORMULAS_LONG=1 prove $(PROVE_FLAGS) --exec '' $^

.PHONY: formulacheck

# Which tests are about a source file; FILE=guard/trace/join.c chooses.
test-map:
	@perl test/map.pl $(FILE)

# Benchmarks: tables, and JSON in build/bench.  The first three need no server, the
# others one that preloads dpsens, and a database of their own.

PYTHON     ?= /usr/bin/python3
BENCH_ROWS ?= 5000000
AUDIT_ROWS ?= 300000
BENCH_DRAWS ?= 10000
BENCH_SECONDS ?= 60
TPCH_SCALE ?= 0.1
SCALE_ROWS ?= 1000000

build/bench/bound: bench/bound.c $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CC) $(STAT_CFLAGS) $(TEST_DEPS) $(filter %.c %.o,$^) -o $@ $(TEST_LIBS)

build/bench/model: bench/model.c $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CC) $(STAT_CFLAGS) $(TEST_DEPS) $(filter %.c %.o,$^) -o $@ $(TEST_LIBS)

build/bench/training: bench/training.c $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CC) $(STAT_CFLAGS) $(TEST_DEPS) $(filter %.c %.o,$^) -o $@ $(TEST_LIBS)

-include build/bench/bound.d build/bench/model.d build/bench/training.d

bench-bound: build/bench/bound
	$(if $(wildcard $(PYTHON)),$(PYTHON) bench/bound.py build/bench/bound build/bench/bound.json,@echo "bench-bound: skipped, there is no $(PYTHON)")

bench-model: build/bench/model
	build/bench/model build/bench/model.json

# Figures of what bench-model measured, by a running server.
bench-model-scale:
	test -f build/bench/model.json || $(MAKE) bench-model
	psql -X -v numbers=build/bench/model.json -v figures=build/bench -f bench/model_scale.sql

bench-training: build/bench/training
	$(if $(wildcard $(PYTHON)),$(PYTHON) bench/training.py build/bench/training build/bench/training.json,@echo "bench-training: skipped, there is no $(PYTHON)")

bench-plain:
	@mkdir -p build/bench
	psql -X -v rows=$(BENCH_ROWS) -v audit_rows=$(AUDIT_ROWS) -v result=build/bench/plain.json -f bench/plain.sql

bench-scale:
	@mkdir -p build/bench
	perl bench/scale.pl $(SCALE_ROWS) build/bench/scale.json

bench-accuracy:
	@mkdir -p build/bench
	psql -X -v draws=$(BENCH_DRAWS) -v seconds=$(BENCH_SECONDS) -v result=build/bench/accuracy.json -f bench/accuracy.sql

bench-tpch:
	@mkdir -p build/bench
	psql -X -v scale=$(TPCH_SCALE) -v result=build/bench/tpch.json -f bench/tpch/tpch.sql

# Starts two clusters itself.
bench-rooms:
	@bash bench/rooms.sh $(BENCH_ROWS) build/bench/rooms.json

# A primary and a standby, of the installed extension.
bench-standby:
	@BINDIR=$(bindir) bash bench/standby.sh build/bench/standby.json

# On a server that has Citus, as for make citus.
bench-citus: all
	@test -x '$(CITUS_ROOT)/pg_config' || { echo 'CITUS_ROOT= must name a folder with the pg_config of a server that has Citus' >&2; exit 1; }
	@$(MAKE) --no-print-directory -s install PG_CONFIG='$(CITUS_ROOT)/pg_config'
	@mkdir -p build/bench
	@BINDIR="$$('$(CITUS_ROOT)/pg_config' --bindir)" bash bench/citus.sh $(BENCH_ROWS) build/bench/citus.json

# Instructions of core work, beside those that are recorded: deterministic, so that
# a shared machine can tell 5 % more.  The aggregates' objects refer to a server;
# what nothing here calls is given an address.
INSTRUCTIONS = build/bench/instructions

build/bench/%.o: bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -Wall -O2 -g -ffp-contract=off $(PG_CPPFLAGS) -Itest/unit -Ibench $(TEST_DEPS) -c $< -o $@

SERVERLESS = build/bench/server_memory.o

define link_without_server
{ echo .data; LC_ALL=C $(CC) $^ -o $@ $(TEST_LIBS) 2>&1 | sed -n "s/.*undefined reference to [\`']\([A-Za-z0-9_]*\)'.*/\1/p" | sort -u | \
  sed 's/.*/.globl &\n&:/'; echo .zero 4096; echo '.section .note.GNU-stack'; } > $@_server.s
$(CC) $^ $@_server.s -o $@ $(TEST_LIBS)
endef

$(INSTRUCTIONS): $(INSTRUCTIONS).o $(INSTRUCTIONS)_sums.o $(SERVERLESS) $(OBJS)
	$(link_without_server)

# Releases, the objects that are shipped without a server, too.
$(SERVERLESS_TESTS:=.o): build/stat/%.o: test/stat/%.c
	@mkdir -p $(@D)
	$(CC) $(STAT_CFLAGS) -Wno-unused-parameter $(PG_CPPFLAGS) $(TEST_DEPS) -c $< -o $@

$(SERVERLESS_TESTS): build/stat/%: build/stat/%.o $(SERVERLESS) $(OBJS)
	$(link_without_server)

-include $(INSTRUCTIONS).o.d $(INSTRUCTIONS)_sums.o.d $(SERVERLESS).d $(SERVERLESS_TESTS:=.o.d)

instructioncheck: $(INSTRUCTIONS)
	CC='$(CC)' prove $(PROVE_FLAGS) --exec perl bench/instructions.pl

# make instruction-record REASON='what made it more, or less'
instruction-record: $(INSTRUCTIONS)
	CC='$(CC)' perl bench/instructions.pl --record '$(REASON)'

.PHONY: instructioncheck instruction-record
.PHONY: bench-bound bench-model bench-model-scale bench-training bench-plain bench-accuracy bench-tpch bench-scale bench-rooms bench-standby

# Tests against a running server that preloads dpsens, like installcheck;
# psql's environment variables say which.

tapcheck:
	$(if $(PGTAP_FILES),pg_prove $(PROVE_FLAGS) $(PGTAP_FILES))

# Without what is about the core alone, which computes the same whatever server calls it: for other majors.
PGTAP_OF_CORE = $(addprefix test/pgtap/,bars.sql closed_form_parts.sql digits.sql local_sensitivity.sql metric_steps.sql partial_evaluation.sql plis_figures.sql)

tapcheck-server: PGTAP_FILES := $(filter-out $(PGTAP_OF_CORE),$(PGTAP_FILES))
tapcheck-server: tapcheck

.PHONY: tapcheck-server

# Attacks as a role that may ask but not look, then random SQL as one; in a
# database of their own.  SMITH_SEED repeats what failed.
attackcheck:
	PROVE_FLAGS='$(PROVE_FLAGS)' test/attacks/run.sh

# What pg_stat_statements sees, in a server that preloads it beside dpsens.
watchedcheck:
	pg_prove $(PROVE_FLAGS) $(sort $(wildcard test/watched/*.sql))

# Random SQL only, and much of it.
SMITH_STATEMENTS ?= 100000

smithcheck:
	PROVE_FLAGS='--verbose $(PROVE_FLAGS)' SMITH_STATEMENTS=$(SMITH_STATEMENTS) test/attacks/run.sh smith

# Answers without noise beside plain SQL, by other plans and of neighbouring databases:
# random, and much of it; "make check" asks 1,000 queries, always the same.
# DIFFERENTIAL_SEED repeats what failed, DIFFERENTIAL_WORLD one world of it.
DIFFERENTIAL_QUERIES ?= 100000

differentialcheck:
	cd test/differential && DIFFERENTIAL_QUERIES=$(DIFFERENTIAL_QUERIES) ../in_database.sh dpsens_differential \
		prove --verbose $(PROVE_FLAGS) --exec perl differential.pl

# Certified bounds beside an evaluator of their own, which shares no code with dpsens:
# "make check" asks the same 2,000 expressions each time, this others.  REFERENCE_COUNT
# says how many, REFERENCE_SEED repeats them, and REFERENCE_FIRST with a count of 1 one.
REFERENCE_COUNT ?= 2000

referencecheck:
	cd test/reference && REFERENCE_COUNT=$(REFERENCE_COUNT) ../in_database.sh dpsens_reference \
		prove --verbose $(PROVE_FLAGS) --exec '$(PYTHON) -B' reference.py

.PHONY: referencecheck

# Two databases that differ in one person, and all that a role can see of them.  The
# second asks much; OBSERVER_SEED repeats what differed.  The third asks as much as a
# release has to, in clusters of its own that preload what else shows statements, with
# clean rooms and without, JOBS of them side by side: "make install" first.
OBSERVER_MANY ?= 5000
OBSERVER_RELEASE ?= 100000

observercheck:
	prove $(PROVE_FLAGS) --exec perl test/observer/observe.pl

observercheck-long:
	OBSERVER_STATEMENTS=$(OBSERVER_MANY) prove --verbose $(PROVE_FLAGS) --exec perl test/observer/observe.pl

observercheck-release:
	build-aux/observers $(OBSERVER_RELEASE)

.PHONY: observercheck observercheck-long observercheck-release

# The documents' SQL, each page in a database of its own, and whether docs/reference is
# up to date.  DOCUMENTS chooses pages; "make documents-write DOCUMENTS=page" puts what
# came out in the place of what is shown.
documentcheck:
	prove $(PROVE_FLAGS) --exec perl test/documents/run.pl $(if $(DOCUMENTS),:: $(DOCUMENTS))
	prove $(PROVE_FLAGS) --exec perl test/documents/reference.pl

documents-write:
	perl test/documents/run.pl --write $(DOCUMENTS)

# docs/reference, made from what the server says.
reference:
	perl test/documents/reference.pl --write

.PHONY: documentcheck documents-write reference

# Certificates checked by a program that shares no code with the server's (tools/), and
# refused once they are falsified.  Without python3-mpmath it is skipped, and says so.
verifiercheck:
	$(if $(wildcard $(PYTHON)),prove $(PROVE_FLAGS) --exec '$(PYTHON)' test/verifier/falsify.py,@echo "1..0 # SKIP there is no $(PYTHON)")

.PHONY: verifiercheck

# What tools/monitoring holds, as a role that audits and has no other privilege.
monitoringcheck:
	prove $(PROVE_FLAGS) --exec perl test/monitoring/monitoring.pl

.PHONY: monitoringcheck

# Reports in headless Chromium (build-aux/setup page); skipped without it, and says so.  PAGE_KEEP=FOLDER keeps pages and
# pictures; pictures that differ from those in test/page/pictures are in build/page without it.  page-write writes anew
# where sections are, and these pictures.
pagecheck:
	cd test/page && ../in_database.sh dpsens_page prove $(PROVE_FLAGS) --exec perl page.pl pictures.pl

page-write:
	cd test/page && ../in_database.sh dpsens_page bash -c 'perl page.pl --write && perl pictures.pl --write'

.PHONY: pagecheck page-write

statcheck-server:
	$(if $(STAT_FILES),pg_prove $(PROVE_FLAGS) $(STAT_FILES))

# Epsilon measured on neighbouring tables: all cases and a million runs of each, where
# statcheck-server has ten thousand of some; two files at a time, the longest first.
EPSILON_RUNS  ?= 1000000
EPSILON_FILES ?= $(addprefix test/stat/epsilon/,moment_ends.sql moments.sql groups.sql choices.sql sums.sql training.sql weights.sql shares.sql)

epsiloncheck:
	psql -X -q -c 'SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS pgtap; CREATE EXTENSION IF NOT EXISTS dpsens'
	pg_prove -j 2 --verbose $(PROVE_FLAGS) --set runs=$(EPSILON_RUNS) $(EPSILON_FILES)

# More random expressions than statcheck-server tries, and others each time.
FUZZ_FIRST  ?= $(shell expr $$(date +%s) % 1000000000)
FUZZ_TRIALS ?= 10000

fuzzcheck-server:
	psql -X -v first=$(FUZZ_FIRST) -v trials=$(FUZZ_TRIALS) -f test/fuzz/import.sql

# Demos that need digits of their own: DPSENS_MNIST names their directory, FIGURES one
# for the pictures.
demo-digits:
	psql -X -q $(if $(FIGURES),-v figures='$(FIGURES)') -f demo/digits.sql

# Images found again from their gradients, with the same digits; fails where a figure is
# outside of its tolerance.
demo-reconstruction:
	psql -X -q $(if $(FIGURES),-v figures='$(FIGURES)') -f demo/reconstruction.sql

# Section 5.2 of the partial sensitivity paper, which needs no digits, and figures 1 and 2 of
# the PLIS paper, which do; both fail where a figure is outside of its tolerance.
demo-bars:
	psql -X -q $(if $(FIGURES),-v figures='$(FIGURES)') -f demo/bars.sql

demo-plis:
	psql -X -q $(if $(FIGURES),-v figures='$(FIGURES)') -f demo/plis_figures.sql

.PHONY: demo-digits demo-reconstruction demo-bars demo-plis

# The same against a server that does not preload it.  pg_regress insists that
# its input be in a folder called sql.
installcheck-unpreloaded:
	@mkdir -p build/unpreloaded
	@ln -sfn ../../test/sql_unpreloaded build/unpreloaded/sql
	$(if $(UNPRELOADED),$(pg_regress_installcheck) --inputdir=build/unpreloaded \
	  --dbname=$(CONTRIB_TESTDB) $(UNPRELOADED))

# Crashes, copies, updates and load, in private clusters of the installed extension:
# "make install install-released" first.  Root runs the server as postgres.
crashcheck:
	BINDIR=$(bindir) prove $(PROVE_FLAGS) --exec bash test/crash/crash.sh test/crash/crash_rooms.sh test/crash/training.sh test/crash/spill.sh test/crash/entities.sh

restorecheck:
	BINDIR=$(bindir) PG_CONFIG='$(PG_CONFIG)' prove $(PROVE_FLAGS) --exec bash test/crash/upgrade.sh test/crash/planted.sh test/crash/restore.sh test/crash/standby.sh test/crash/replicas.sh test/crash/shown_plans.sh

# What of the ledger other majors do not do otherwise: limits, other databases, what it tells, its journal.
ledgercheck:
	BINDIR=$(bindir) prove $(PROVE_FLAGS) --exec bash test/crash/other_databases.sh test/crash/limits.sh test/crash/ledger_told.sh test/crash/journal.sh test/crash/stress.sh

# Clean rooms: what befalls them, and those that wait for them, and what is brought.
roomcheck:
	BINDIR=$(bindir) prove $(PROVE_FLAGS) --exec bash test/crash/rooms.sh test/crash/room_rights.sh test/crash/brought.sh test/crash/room_ends.sh test/crash/room_seen.sh

loadcheck:
	BINDIR=$(bindir) bash test/crash/load.sh

# dpsens beside Citus, a coordinator and two workers.  CITUS_ROOT is the folder of a server of this major
# that has Citus, with its pg_config; dpsens is installed into it.
citus: all
	@test -x '$(CITUS_ROOT)/pg_config' || { echo 'CITUS_ROOT= must name a folder with the pg_config of a server that has Citus' >&2; exit 1; }
	@test "$$('$(CITUS_ROOT)/pg_config' --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')" = '$(MAJORVERSION)' || { echo 'the server of CITUS_ROOT is not of major $(MAJORVERSION)' >&2; exit 1; }
	@$(MAKE) --no-print-directory -s install PG_CONFIG='$(CITUS_ROOT)/pg_config'
	BINDIR="$$('$(CITUS_ROOT)/pg_config' --bindir)" PG_CONFIG='$(CITUS_ROOT)/pg_config' prove $(PROVE_FLAGS) --exec bash test/citus/citus.sh test/citus/distributed.sh test/citus/joins.sh test/citus/reference.sh test/citus/travel.sh test/citus/copies.sh test/citus/rows.sh test/citus/plans.sh test/citus/analysts.sh test/citus/analyst_joins.sh test/citus/faults.sh test/citus/standby.sh test/citus/observer.sh test/citus/attacks.sh

# All attacks on a cluster of it, also those that take long, and more random SQL.
citusattackcheck: all
	@test -x '$(CITUS_ROOT)/pg_config' || { echo 'CITUS_ROOT= must name a folder with the pg_config of a server that has Citus' >&2; exit 1; }
	@$(MAKE) --no-print-directory -s install PG_CONFIG='$(CITUS_ROOT)/pg_config'
	BINDIR="$$('$(CITUS_ROOT)/pg_config' --bindir)" ATTACKS_ALL=1 SMITH_STATEMENTS=$(SMITH_STATEMENTS) prove $(PROVE_FLAGS) --exec bash test/citus/attacks.sh

# Proofs for all arguments, by a bounded model checker that CBMC= names.
CBMC ?= cbmc

provecheck:
	CBMC='$(CBMC)' prove $(PROVE_FLAGS) test/prove.sh

.PHONY: provecheck

# Wrong code that the suite should notice: test/mutations/list, each change made to a
# copy of the tree.  MUTATIONS chooses by name.  Root; half an hour.
mutationcheck: all
	perl test/mutations/mutate.pl $(MUTATIONS)

# The suites that need a server under valgrind (PG_CONFIG of a server that is built
# with --enable-cassert and -DUSE_VALGRIND, SUPPRESSIONS its valgrind.supp), and with
# the module under sanitizers.  Root; hours, and half an hour: SUITES chooses among them,
# PGTAP_FILES among the files of one.  report.sql wants a server with libxml.
SUITES ?= regress pgtap attacks

valgrindcheck:
	test/instrumented.sh valgrind $(SUITES)

sanitizercheck:
	test/instrumented.sh sanitizers $(SUITES)

.PHONY: mutationcheck valgrindcheck sanitizercheck
.PHONY: unitcheck propertycheck fuzzcheck fuzzcheck-server statcheck structcheck tapcheck attackcheck smithcheck differentialcheck statcheck-server epsiloncheck watchedcheck \
	installcheck-unpreloaded crashcheck restorecheck ledgercheck roomcheck loadcheck citus citusattackcheck

endif
