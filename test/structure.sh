#!/usr/bin/env bash
# structure.sh
#	What holds of the tree rather than of the program: the border between core
#	and server, which way includes point, that no test is forgotten.  TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

bound=(bound bound/relax bound/search bound/score bound/quantity bound/vector bound/histogram bound/proof)
account=(account account/accountant)
tensor=(tensor tensor/network)
expr=(expr expr/boundary expr/print)
noise=(noise noise/quantile)
moment=(moment moment/crossed)
core=(base num "${expr[@]}" "${bound[@]}" "${account[@]}" "${noise[@]}" "${tensor[@]}" "${moment[@]}")
CC=${CC:-gcc}
NM=${NM:-nm}
PG_CONFIG=${PG_CONFIG:-pg_config}
tests=0
failures=0

# check NAME OFFENDERS: a test that passes if there are no offenders.
check()
{
	tests=$((tests + 1))
	if [ -z "$2" ]; then
		echo "ok $tests - $1"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $1"
		echo "# ${2//$'\n'/$'\n'# }"
	fi
}

# The folders of a folder, each above those to its left.  Of guard the files that are
# in none of these lie above them, of the others below.
glue=(glue glue/import glue/constraint glue/label glue/setup glue/analysis glue/certificate)
agg=(agg agg/unit agg/state agg/families agg/scan)
ledger=(ledger ledger/journal ledger/primary ledger/charge ledger/rows ledger/budget)
audit=(audit audit/local audit/report)
model=(model model/train)
guard=(guard/query guard/condition guard/restrict guard/public guard/source guard/trace guard/release guard/distributed guard/rewrite guard/room guard/run guard)

# up_to FOLDER LIST...: the list as far as the folder.
up_to()
{
	local folder last=$1
	shift
	for folder in "$@"; do
		echo "$folder"
		[ "$folder" != "$last" ] || return 0
	done
}

# Folders that the files of a folder may include, itself among them.
may_include()
{
	case $1 in
		base) echo base ;;
		num) echo base num ;;
		expr | expr/*) echo base num "$(up_to "$1" "${expr[@]}")" ;;
		bound | bound/*) echo base num "${expr[@]}" "$(up_to "$1" "${bound[@]}")" ;;
		account | account/*) echo base num "$(up_to "$1" "${account[@]}")" ;;
		noise | noise/*) echo base num account "$(up_to "$1" "${noise[@]}")" ;;
		tensor | tensor/*) echo base num "${expr[@]}" "$(up_to "$1" "${tensor[@]}")" ;;
		moment | moment/*) echo base num "${expr[@]}" "${bound[@]}" account "${noise[@]}" "$(up_to "$1" "${moment[@]}")" ;;
		glue | glue/*) echo "${core[@]}" "$(up_to "$1" "${glue[@]}")" ;;
		agg | agg/*) echo "${core[@]}" "${glue[@]}" "$(up_to "$1" "${agg[@]}")" ;;
		room | plot) echo "${core[@]}" "${glue[@]}" "$1" ;;
		ledger | ledger/*) echo "${core[@]}" "${glue[@]}" "$(up_to "$1" "${ledger[@]}")" ;;
		guard | guard/*) echo "${core[@]}" "${glue[@]}" "${agg[@]}" "${ledger[@]}" room "$(up_to "$1" "${guard[@]}")" ;;
		audit | audit/*) echo "${core[@]}" "${glue[@]}" "${agg[@]}" "${ledger[@]}" "${guard[@]}" plot "$(up_to "$1" "${audit[@]}")" ;;
		model | model/*) echo "${core[@]}" "${glue[@]}" "${agg[@]}" "${ledger[@]}" "${guard[@]}" "$(up_to "$1" "${model[@]}")" ;;
	esac
}

wrong_includes()
{
	local allowed
	allowed=$(may_include "$1" | xargs | tr ' ' '|')
	grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^"]*/' src/"$1"/*.[ch] src/"$1"/*.def 2>/dev/null |
		grep -vE '^src/glue/dpsens\.c:' |
		grep -E "\"($all_folders)/[^/\"]+\"" |
		grep -vE "\"($allowed)/[^/\"]+\""
}

# A folder that is in no list.
folders_without_order()
{
	local folder
	for folder in $(tr '|' ' ' <<<"$all_folders"); do
		[[ " $(may_include "$folder" | xargs) " == *" $folder "* ]] || echo "$folder"
	done
}

does_not_compile_alone()
{
	local file
	for file in src/"$1"/*.c; do
		[ -e "$file" ] || continue
		"$CC" -std=gnu11 -O1 -fsyntax-only -Wall -Wextra -Werror -Isrc "$file" 2>&1
	done
}

core_objects()
{
	local folder file
	for folder in "${core[@]}"; do
		for file in src/"$folder"/*.c; do
			[ ! -e "$file" ] || echo "${file%.c}.o"
		done
	done
}

# The core prints nothing, ends nothing, and has memory from its host only.
forbidden_calls()
{
	core_objects | xargs -r "$NM" -A -u |
		grep -E ' U (_?_?v?f?printf(_chk)?|puts|putchar|fputs|fputc|fwrite|perror|abort|_?exit|raise|malloc|calloc|realloc|free|strdup|_?setjmp|longjmp|rand|random|drand48)(@.*)?$'
}

mutable_statics()
{
	core_objects | while read -r object; do
		size -A "$object" |
			awk -v object="$object" '$1 ~ /^\.t?(data|bss)/ && $1 !~ /rel\.ro/ && $2 > 0 {
				print object ": " $2 " bytes in " $1 }'
	done
}

foreign_symbols()
{
	"$NM" -D --defined-only dpsens.so | awk '{ print $3 }' |
		grep -vE '^(dps_|dpsens_|Dps|pg_finfo_dps|_PG_init$|Pg_magic_func$|_init$|_fini$|_edata$|_end$|__bss_start$)'
}

tests_without_expected()
{
	local file name
	for file in test/sql/*.sql test/sql_unpreloaded/*.sql test/specs/*.spec; do
		[ -e "$file" ] || continue
		name=$(basename "${file%.*}")
		[ -e "expected/$name.out" ] || echo "$file"
	done
}

# What the map of tests says of two files of which a test names one, and another file.
unseen_missing()
{
	local map folder found
	map=$(realpath test/map.pl)
	folder=$(mktemp -d)
	mkdir -p "$folder"/{src/expr,test/unit,test/mutations,docs,sql}
	touch "$folder/test/mutations/list" "$folder/docs/attack-surface.md" "$folder/src/expr/named.c" "$folder/src/expr/lonely.c"
	echo '/* Files: expr/named.c, expr/gone.c. */' >"$folder/test/unit/test_x.c"
	found=$(cd "$folder" && perl "$map" --missing 2>&1 | xargs)
	rm -rf "$folder"
	[ "$found" = 'test/unit/test_x.c: expr/gone.c src/expr/lonely.c' ] || echo "found: $found"
}

# PostgreSQL accepts x_1.out to x_9.out beside x.out.
expected_without_test()
{
	local file name
	for file in expected/*.out; do
		[ -e "$file" ] || continue
		name=$(basename "$file" .out)
		has_test "$name" || has_test "${name%_[0-9]}" || echo "$file"
	done
}

has_test()
{
	[ -e "test/sql/$1.sql" ] || [ -e "test/sql_unpreloaded/$1.sql" ] || [ -e "test/specs/$1.spec" ]
}

# Their output would be written to the same file.
# All but those that are made to be included more than once, without a guard at all.
headers_without_guard()
{
	local file guard
	find src -name '*.h' | while read -r file; do
		guard=$(tr 'a-z/.' 'A-Z__' <<<"dps${file#src}")
		! grep -q '^#ifndef DPS_' "$file" || { grep -qx "#ifndef $guard" "$file" && grep -qx "#define $guard" "$file"; } || echo "$file: $guard"
	done
}

same_name_twice()
{
	for file in test/sql/*.sql test/sql_unpreloaded/*.sql test/specs/*.spec; do
		[ ! -e "$file" ] || basename "${file%.*}"
	done | sort | uniq -d
}

# A double of 2^53 and more does not grow by one: a loop that counts in doubles need not
# end.  In a function's body, a name declared as a floating-point number may not be
# stepped by ++ or --, nor changed in the head of a "for".
counting_doubles()
{
	perl -0777 -ne '
		s{/\*.*?\*/}{ $& =~ s/[^\n]/ /gr }gse;
		# a function: its head, and from a { in the first column to its }
		while (/^(\w[^;{}]*\))\n(\{\n.*?^\})/gms) {
			my ($head, $body, $start) = ($1, $2, $-[2]);
			my $text = "$head;$body";
			my %floating;
			$floating{$1} = 1 while $text =~ /\b(?:double|float)\s+(\w+)\s*(?=[;,=)])/g;
			my $names = join("|", sort keys %floating) or next;
			while ($body =~ /(?<![.\w>])(?:(?:$names)\s*(?:\+\+|--)|(?:\+\+|--)\s*(?:$names)\b)|
				\bfor\s*\([^;]*;[^;]*;[^;{)]*?(?<![.\w>])(?:$names)\s*[-+*\/]?=(?!=)/gx) {
				my $line = 1 + (substr($_, 0, $start + $-[0]) =~ tr/\n//);
				print "$ARGV:$line: ", $& =~ s/\s+/ /gr, "\n";
			}
		}' $(find src -name '*.[ch]' | sort)
}

# A C file in a test folder that no rule picks up.
tests_not_run()
{
	local file
	for file in test/unit/*.c test/stat/*.c; do
		case $file in
			*/test_*.c | *'*.c') ;;
			*) echo "$file" ;;
		esac
	done
}

# pg_regress would run sql/x.sql in place of test/sql/x.sql.
unnumbered_parts()
{
	local file
	for file in sql/*.sql; do
		case $file in
			sql/[0-9][0-9]_*.sql | sql/dpsens--*.sql | 'sql/*.sql') ;;
			*) echo "$file" ;;
		esac
	done
}

# ---- the aggregates of the install script ----

sql_tables=(src/agg/aggregates.def src/agg/statistics.def src/moment/moment_statistics.def)

# made_aggregates TABLE...: what build-aux/aggregates.awk makes of the tables.
made_aggregates()
{
	echo @aggregates@ | awk -f build-aux/aggregates.awk "$@" - 2>&1
}

# Rows of statistics and families that people cannot write, and what they can write
# without any.
aggregates_without_row()
{
	local made said
	made=$(made_aggregates "${sql_tables[@]}" | sed -n 's/^CREATE AGGREGATE @extschema@\.\([a-z_0-9]*\)(.*/\1/p' | sort -u)
	said=$({
		sed -nE 's/^DPS_(MOMENT_)?STATISTIC\("([a-z_0-9]*)".*/\2/p' "${sql_tables[@]}"
		sed -nE 's/^\t\.name = "(dp_[a-z_0-9]*)",$/\1/p' src/agg/families/*.c
	} | sort -u)
	comm -13 <(echo "$made") <(echo "$said") | sed 's/$/: no row of DPS_SQL/'
	comm -23 <(echo "$made") <({ echo "$said"; sed 's/$/_ci/' <<<"$said"; } | sort -u) | sed 's/$/: no statistic or family/'
}

# DPS_SQL stands behind the row that it belongs to, and has its name and type.
sql_that_disagrees()
{
	perl -ne '
		BEGIN { %types = ("INT8OID bigint" => 1, "FLOAT8OID float8" => 1, "FLOAT8ARRAYOID float8[]" => 1, "FLOAT8OID dpsens.noise_interval" => 1,
			"FLOAT8ARRAYOID dpsens.noise_intervals" => 1, "BOOLOID dpsens.noise_truth" => 1, "ANYARRAYOID anyarray" => 1) }
		($name, $type) = ($1, $2) if /^DPS_(?:MOMENT_)?STATISTIC\("(\w+)".* (\w+OID),/;
		next unless /^DPS_SQL\("\w+", "(\w+)", "(?:[^"\\]|\\.)*", "([^"]+)"/ && $ARGV !~ /aggregates/;
		print "$ARGV: $1 yields $2\n" if $1 ne $name || !$types{"$type $2"};' "${sql_tables[@]}"
}

# Rows that must be refused, one a line, and those that must not.
unseen_rows()
{
	local folder row number=0 refused=
	folder=$(mktemp -d)
	while read -r row; do
		number=$((number + 1))
		printf '%b\n' "$row" >"$folder/rows.def"
		made_aggregates "$folder/rows.def" >/dev/null || refused+=" $number"
	done <<-'END'
		DPS_SQL("plain", "dp_x", "float8", "float8", "x@")
		DPS_SQL("plain", "dp_x", "float8", "float8")
		DPS_SQL("plain", "dp_x", "float8", "float8", "x")
		DPS_SQL("plain", "dp_x", "float8", "float8", "@x@")
		DPS_SQL("plan", "dp_x", "float8", "float8", "x@")
		DPS_SQL("interval", "dp_x", "float8", "dpsens.noise_interval", "x@")
		DPS_SQL("plain", "dp_x_ci", "float8", "float8", "x@")
		DPS_SQL("plain", "dp_x", "float8", "real", "x@")
		DPS_SQL("both", "dp_x", "float8", "boolean", "x@")
		DPS_SQL("both", "dp_x", "y float8, x float8[]", "float8[]", "x@; \\"y\\" (1)")
		DPS_SQL("plain", "dp_x", "a float8", "float8", "x@")\nDPS_SQL("plain", "dp_x", "b float8", "float8", "x@")
		DPS_SQL("plain", "dp_x", "float8", "float8",\n\t"x@"
		DPS_AGGREGATE(x)
	END
	rm -rf "$folder"
	[ "$refused" = ' 2 3 4 5 6 7 8 9 11 12 13' ] || echo "refused:$refused"
}

# What the search for such links finds, and what not.
unseen_links()
{
	local folder found
	folder=$(mktemp -d)
	cat >"$folder/page.md" <<-'END'
		# A page, with `code`
		[here](#a-page-with-code) and [there](other.md), [its heading](other.md#two-words) and [elsewhere](https://example.org/#x)
		[no file](missing.md)
		[no heading](other.md#three-words)
		`[code](missing.md)` and <!-- [comment](missing.md) -->
		[none here](#another-page)
		```sql
		SELECT '[code](missing.md)';
		```
	END
	printf '# Two words\n' >"$folder/other.md"
	found=$(perl test/documents/links.pl "$folder/page.md" | sed 's/.*page\.md:\([0-9]*\): .*/\1/' | xargs)
	rm -rf "$folder"
	[ "$found" = '3 4 6' ] || echo "found in the lines: $found"
}

# Where the search for arguments that happen twice finds them, and where not.
unseen_twice()
{
	local probe found
	probe=$(mktemp --suffix=.c)
	cat >"$probe" <<-'END'
		#include "postgres.h"
		#include "executor/executor.h"
		#include "base/once.h"
		#define LARGER(a, b) Max(a, b)
		#define ONCE(a) ((void) (a), sizeof(a))
		while (!TupIsNull(slot = ExecProcNode(rows)))
		x = Max(f(1), 2);
		x = Min(1, i++);
		x = LARGER(2, f(1));
		x = LARGER((x -= 1), 2);
		x = VARSIZE_ANY(place->read(1));
		x = dps_max(f(1), g(2)) + ONCE(f(2));
		x = Max(a[i] == 1 ? sizeof(f(1)) : b->f, "f(1)"[0]); /* Max(f(1), 2) */
		PG_RETURN_BOOL(f(1));
	END
	found=$(arguments_that_happen_twice "$probe" | sed 's/.*\.c:\([0-9]*\): .*/\1/' | xargs)
	rm -f "$probe"
	[ "$found" = '6 7 8 9 10 11' ] || echo "found in the lines: $found"
}

arguments_that_happen_twice()
{
	CC="$CC" TWICE_FLAGS="-Isrc -I$(${PG_CONFIG:-pg_config} --includedir-server)" perl test/twice.pl "$@" 2>&1
}

# Debuggers, profilers and people name files without their folders.
base_names_twice()
{
	find src -type f -name '*.*' | perl -ne '
		m{^(.*)/([^/]+)\.[^./]+$} and $folders{$2}{$1} = 1;
		END { print map { "$_: " . join(", ", sort keys %{ $folders{$_} }) . "\n" } grep { keys %{ $folders{$_} } > 1 } sort keys %folders }'
}

# tsort says which of its pairs are in a circle.
headers_in_a_circle()
{
	(cd src && grep -rnoE '^#[[:space:]]*include[[:space:]]+"[^"]*/[^"]*"' --include='*.h' . |
		sed -E 's,^\./([^:]*):.*"(.*)",\1 \2,' | tsort 2>&1 >/dev/null)
}

# A type that two headers define is one that a debugger and a reader take for the other.
types_twice()
{
	grep -rhoE '^\} *Dps[A-Za-z0-9]+;|^typedef (struct|enum|union) Dps[A-Za-z0-9]+ Dps[A-Za-z0-9]+;|\(\*Dps[A-Za-z0-9]+\)' --include='*.h' src |
		grep -oE 'Dps[A-Za-z0-9]+(;|\))$' | sort | uniq -d
}

# A folder of which the listing says nothing.
crowded_folders()
{
	find src -type d | while read -r folder; do
		find "$folder" -maxdepth 1 \( -name '*.[ch]' -o -name '*.def' \) |
			awk -v folder="$folder" 'END { if (NR > 25) print folder ": " NR " files" }'
	done
}

# A script that was released is in databases: what it says is no more to be changed.  Nor do
# sessions, or an older library, notice an update that does not begin with dpsens.version().
scripts_of_releases()
{
	local script update
	for script in test/released/dpsens--*.sql; do
		grep -q " $(basename "$script")$" test/released/checksums || echo "$script: not in test/released/checksums"
		[ -e "${script/dpsens--/dump-}" ] || echo "${script/dpsens--/dump-} is missing"
		compgen -G "sql/dpsens--$(sed 's/.*dpsens--\(.*\)\.sql/\1/' <<<"$script")--*.sql" >/dev/null || echo "$script: there is no update of it"
	done
	(cd test/released && sha256sum --quiet -c checksums 2>&1)
	for update in sql/dpsens--*--*.sql; do
		sed '/^--/d; /^\\echo/d; /^$/d' "$update" | head -1 | grep -qE '^CREATE (OR REPLACE )?FUNCTION dpsens\.version\(\)$' || echo "$update does not begin with dpsens.version()"
	done
}

# A function that SQL calls asks first whether its objects are of this version (glue/version.h).
unversioned_functions()
{
	grep -rn 'PG_FUNCTION_INFO_V1(' src --include='*.[ch]'
}

disagreeing_versions()
{
	perl -MJSON::PP -e '
		local $/;
		sub slurp { open my $file, "<", $_[0] or die "$_[0]: $!\n"; <$file> }
		my $meta = eval { decode_json(slurp("META.json")) } or die "META.json: $@";
		my ($version) = slurp("dpsens.control") =~ /^default_version *= *\x27(.*)\x27/m;
		my %said = ("META.json version", $meta->{version},
			"META.json provides", $meta->{provides}{dpsens}{version},
			"src/glue/version.h", slurp("src/glue/version.h") =~ /^#define DPS_VERSION "(.*)"/m);
		print "$_ is $said{$_}, dpsens.control says $version\n"
			for grep { $said{$_} ne $version } sort keys %said;
		print "CHANGELOG.md does not mention $version\n"
			if slurp("CHANGELOG.md") !~ /\Q$version\E/;' 2>&1
}

# Changes of META.json, one a line, of which each must be refused, but for the last.
unseen_metas()
{
	local probe change number=0 refused=
	probe=$(mktemp)
	while read -r change; do
		number=$((number + 1))
		perl -MJSON::PP -0777 -ne 'BEGIN { $change = shift } $meta = decode_json($_); eval $change; die $@ if $@; print encode_json($meta)' "$change" META.json >"$probe"
		perl test/meta.pl "$probe" >/dev/null || refused+=" $number"
	done <<-'END'
		delete $meta->{abstract}
		delete $meta->{provides}{dpsens}{file}
		$meta->{version} = '0.1'
		$meta->{version} = '0.1.00'
		$meta->{license} = 'PostgreSQL'
		$meta->{release_status} = 'beta'
		$meta->{name} = 'dp sens'
		$meta->{homepage} = 'https://example.org/'
		$meta->{resources} = { homepage => 'example.org' }
		$meta->{provides}{dpsens}{docfile} = 'README.rst'
		$meta->{prereqs}{install} = {}
		$meta->{prereqs}{runtime}{needs} = {}
		$meta->{prereqs}{runtime}{requires}{PostgreSQL} = '15+'
		$meta->{tags} = []
		$meta->{'meta-spec'}{version} = '2.0.0'
		$meta->{maintainer} = {}
		$meta->{x_other} = { of => 1 }; $meta->{resources} = { x_more => 1 }; $meta->{prereqs}{test} = { requires => { PostgreSQL => '>= 15.0.0, != 15.3.0' } }
	END
	rm -f "$probe"
	[ "$refused" = "$(printf ' %s' {1..16})" ] || echo "refused:$refused"
}

# What packages say of themselves; debian/control is that of Debian 12's server.
disagreeing_packages()
{
	local version
	version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" dpsens.control)
	head -1 debian/changelog | grep -qF "dpsens ($version-" || echo "debian/changelog does not begin with $version"
	diff <(sed 's/PGVERSION/15/g' debian/control.in) debian/control
}

# ---- nodes that a condition is made of ----

nodes_listed()
{
	grep -v '^#' test/surface/nodes.txt | awk -v how="$1" '{ for (i = 2; i <= NF; i++) if ($i == how) print $1 }' | sort
}

# Cases of a function that says which nodes it knows.
nodes_of()
{
	sed -n "/^$2(/,/^}/p" "$1" | grep -o 'case T_[A-Za-z]*' | sed 's/case T_//' | sort -u
}

# Of the server whose headers these are; DistinctExpr and NullIfExpr are OpExpr.
nodes_not_listed()
{
	local file
	file=$("${PG_CONFIG:-pg_config}" --includedir-server)/nodes/primnodes.h
	comm -23 <(awk '/^typedef struct/ { name = $3 } /^[[:space:]]+(pg_node_attr\([^)]*\)[[:space:]]*)?Expr[[:space:]]+xpr;/ { print name }' "$file" | sort -u) \
		<(grep -v '^#' test/surface/nodes.txt | cut -d' ' -f1 | sort -u)
}

# What a page links to, and what it names as code.
broken_links()
{
	local target file
	grep -rhoE 'definitions, sections? [0-9]' src test --include='*.[ch]' | grep -oE '[0-9]' | sort -u | while read -r target; do
		grep -q "^## $target\\. " docs/definitions.md || echo "docs/definitions.md has no section $target"
	done
	for file in test/attacks/[0-9]*.sql; do
		grep -q "($(printf '../%s' "$file"))" docs/threats.md || echo "docs/threats.md does not name $file"
	done
	perl test/documents/links.pl ./*.md docs/*.md docs/reference/*.md bench/*.md demo/*.md 2>&1
	for file in CONTRIBUTING.md docs/*.md; do
		grep -oE '\b(base|num|expr|bound|account|noise|tensor|moment|glue|agg|ledger|room|guard|plot|audit|model)(/[a-z_]+)+\.([ch]|def)\b' "$file" | sort -u | while read -r target; do
			[ -e "src/$target" ] || echo "$file: $target"
		done
		grep -oE '`dps_[a-z_]+`' "$file" | tr -d '`' | sort -u | while read -r target; do
			grep -q "^$target(" -r src --include='*.c' || echo "$file: $target"
		done
	done
}

# A function of the C library that another table knew besides expr/ops.def would be weaker
# without a row there, and nothing would say so.  What undoes a function is narrow.c's.
functions_told_apart()
{
	local names
	names=$(awk '/^DPS_OP\(/ { id = $1; gsub(/DPS_OP\(|,/, "", id) } /[\t ]LIBM\(/ && id != "POW" { print id }' src/expr/ops.def | paste -sd'|')
	[ -n "$names" ] || echo "no row of ops.def is a function of the C library"
	grep -rnE "case DPS_OP_($names):" src --include='*.[ch]' | grep -v '^src/bound/quantity/narrow\.c:'
}

# GSL's own error handler ends the process, and with it the server: who computes by it turns
# that off and puts back what there was.  Its sort of arrays has no errors.
gsl_with_its_handler()
{
	local file
	grep -lE '^#include <gsl/' "$@" | while read -r file; do
		grep '^#include <gsl/' "$file" | grep -qvE 'gsl_(errno|heapsort)\.h' || continue
		grep -q 'handler = gsl_set_error_handler_off()' "$file" && grep -q 'gsl_set_error_handler(handler)' "$file" || echo "$file"
	done
}

# What the search above finds, and what not.
unseen_gsl()
{
	local probe
	probe=$(mktemp -d)
	printf '#include <gsl/gsl_heapsort.h>\n' >"$probe/sorts.c"
	printf '#include <gsl/gsl_sf_gamma.h>\n' >"$probe/aborts.c"
	printf '#include <gsl/gsl_sf_gamma.h>\nhandler = gsl_set_error_handler_off();\n' >"$probe/keeps.c"
	printf '#include <gsl/gsl_sf_gamma.h>\nhandler = gsl_set_error_handler_off();\ngsl_set_error_handler(handler);\n' >"$probe/quiet.c"
	[ "$(gsl_with_its_handler "$probe"/*.c | xargs -n 1 basename | xargs)" = "aborts.c keeps.c" ] || echo "found: $(gsl_with_its_handler "$probe"/*.c)"
	rm -r "$probe"
}

# A test that must pass does not depend on how fast the machine is: it counts rows, boxes
# or steps.  A timeout may end what nothing else can, or what takes a hundred times as
# long; the line that sets it says so after the word "clock:".
clocks_in_tests()
{
	grep -rnE '(statement_timeout|dpsens\.max_ms) *= *[^-]?[1-9]' test --include='*.sql' --include='*.psql' --include='*.spec' --include='*.pl' |
		grep -vE 'clock:|60s|synchronous_commit|max_ms = .2s'
	grep -rnE '(clock_timestamp|timeofday)\(\).*[<>]|[<>].*(clock_timestamp|timeofday)\(\)' test --include='*.sql' --include='*.psql' --include='*.spec' |
		grep -vE "'<t>'"
	# who sleeps for long is cancelled; where a row would make the server sleep, that is refused
	grep -rnE 'pg_sleep(_for|_until)?\(' test --include='*.sql' --include='*.psql' --include='*.spec' |
		grep -vE "clock:|pg_sleep\(3600|pg_sleep\(0\)|'(NOT )?secret (AND|OR) pg_sleep|WHEN secret THEN pg_sleep|'pg_sleep\("
	grep -rnE 'ok\(.*\b(ms|seconds|nanoseconds|elapsed)\b *(\(.*\) *)?[<>]' test --include='*.c'
	clocks_in_shell $(find test -name '*.sh' ! -path test/poll.sh ! -path test/structure.sh | sort)
}

# Shell tests wait by wait_until (test/poll.sh), which alone sleeps and has a limit that only
# what hangs can reach.  Other times are said to be no condition of passing, after "clock:"; a
# limit in the caller's own variable is one.
clocks_in_shell()
{
	grep -nHE '\b(sleep|usleep|pg_sleep|pg_sleep_for|pg_sleep_until|date|SECONDS|EPOCHSECONDS|EPOCHREALTIME)\b|\btime (-p )?[a-z"$]|read .*-t|wait -t|\btimeout +(-|"?\$|[0-9])|_timeout *(=|TO) *' "$@" |
		grep -vE '^[^:]*:[0-9]*:[[:space:]]*#|clock:|_timeout *= *(0|-1)\b|_timeout *= *.\$\{?HUNG|pg_ctl .*-w -t'
}

# What the search above finds in shell, and what not.
unseen_clocks()
{
	local probe found
	probe=$(mktemp --suffix=.sh)
	cat >"$probe" <<-'END'
		sleep 0.5
		sql "SELECT pg_sleep(6)"
		timeout 3 psql
		sql "SET dpsens.ledger_timeout = '3s'; $ask"
		sql "SET statement_timeout TO 100"
		read -r -t 2 line
		began=$SECONDS; [ $(date +%s) -lt 5 ]
		wait_until has_ended
		sql "SET statement_timeout = '5ms'" # clock: it is held
		sql "SET statement_timeout = 0; SET dpsens.ledger_timeout = '$HUNG s'"
		# no sleep is needed here
	END
	found=$(clocks_in_shell "$probe" | cut -d: -f2 | xargs)
	rm -f "$probe"
	[ "$found" = '1 2 3 4 5 6 7' ] || echo "found in the lines: $found"
}

# Who owns no table is told whom to ask, not which setter to call (glue/owner_hint.h).
# A session's search path may lead a bare operator to anybody's, with the rights of whoever plans or declares.
bare_operators()
{
	grep -rnE '"[^"]*[a-z0-9_)] (=|<>|<|>|<=|>=) (ANY|ALL|\$[0-9%])|"%s(%s)? (=|<>|<|>|<=|>=) (ANY|\$)' src --include='*.c' |
		grep -vE 'err(msg|detail|hint)|"UPDATE dpsens\.|" (role_name|charges|relation_owner) = \$[0-9]+[,"]|" (role_name|charges|relation_owner) = \$[0-9]+ '
}

# A server of another major includes less by itself: arrays come with their own header.
arrays_without_header()
{
	grep -rlE '\<(construct_(md_)?array|construct_empty_array|deconstruct_array|PG_GETARG_ARRAYTYPE_P|ARR_(DATA_PTR|DIMS|NDIM))\>' src --include='*.[ch]' |
		xargs grep -L '"utils/array\.h"'
}

# A script that does not say how many tests it has passes when it breaks off, or fails with no test that did.
scripts_without_plan()
{
	local script
	for script in $(grep -oE 'test/[a-z_/]+\.sh' Makefile | sort -u); do
		# or leaves that to what it calls last
		grep -qE '^(finish$|echo "?1\.\.|.*exec bash |exit \$(\?|status)$)' "$script" || echo "$script"
	done
}

# What the tester of distributed copies counts as refused is what the page says is.
refusals_without_page()
{
	local line
	grep -P '^\t\[qr/.*/ => '"'" test/citus/copies.pl | sed -E "s/.*\/ => '(.*)'\],\$/\1/" | sort -u | while read -r line; do
		grep -qF -- "$line" docs/scale.md || echo "$line"
	done
	[ "$(grep -cP '^\t\[qr/.*/ => '"'" test/citus/copies.pl)" -gt 10 ] || echo "test/citus/copies.pl: no list of refusals"
}

hints_for_owners()
{
	grep -rnE 'errhint\(.*(SELECT dpsens\.|dpsens\.(protect|set_range|set_values|set_public)\(\))' src/guard src/glue src/agg --include='*.c' |
		grep -vE '^src/glue/label/repeats\.c:'
}

all_folders=$(cd src && find . -mindepth 1 -type d | cut -c3- | sort | paste -sd '|')

for folder in "${core[@]}"; do
	check "src/$folder compiles without the server's headers" "$(does_not_compile_alone "$folder")"
done
check "the core includes no postgres.h" \
	"$(cd src && grep -nE '#[[:space:]]*include[[:space:]]*["<](postgres|c|fmgr|server/)' -r "${core[@]}")"
for folder in $(tr '|' ' ' <<<"$all_folders"); do
	check "src/$folder includes only what lies to its left" "$(wrong_includes "$folder")"
done
check "every folder has its place among the others" "$(folders_without_order)"
check "the core neither prints, aborts nor allocates by itself" "$(forbidden_calls)"
check "the core has no mutable statics" "$(mutable_statics)"
check "no loop counts in doubles" "$(counting_doubles)"
check "GSL's own error handler is seen" "$(unseen_gsl)"
check "GSL's own error handler, which ends the server, is turned off" "$(gsl_with_its_handler $(find src -name '*.c'))"
check "only glue/compat.h asks for the server's version" \
	"$(grep -rnE '#[[:space:]]*(el)?if.*PG_VERSION_NUM' src --include='*.[ch]' --include='*.def' | grep -v '^src/glue/compat\.h:')"
check "only glue/import/comparison.c asks what a comparison proves" \
	"$(grep -rnE 'get_op_opfamily_strategy|get_op_btree_interpretation|dps_orderings_of' src --include='*.[ch]' | grep -vE '^src/glue/(import/comparison\.c|compat\.h):')"
check "functions of the C library are told apart in expr/ops.def alone" "$(functions_told_apart)"
check "each mutation of the list applies to one place" "$(perl test/mutations/mutate.pl --list 2>&1)"
check "docs/scale.md says how long answers take by its own constants" "$(perl bench/citus_model.pl docs/scale.md 2>&1)"
# What a release costs and what it is drawn by are one plan (src/noise/plan.h), which a family's
# `plan` makes; training charges the one scale that all of its steps draw by.
check "scales are made by plans of noise alone" \
	"$(grep -rnE '(->|\.)calibrate\(|\<dps_(exponential_(init|release|of_units)|partition_init)\(' src --include='*.c' |
		grep -vE '^src/(noise/|model/train/sql_train\.c:)'
	grep -nE '(->|\.)calibrate\(' src/noise/*.c | grep -vE '^src/noise/(plan|tree)\.c:')"
check "noise is drawn by plans of noise alone" \
	"$(grep -rnE '(->|\.)draw\(|\<dps_sample_[a-z_]+\(' src --include='*.c' | grep -vE '^src/(noise/|agg/family\.c:|model/noised\.c:|model/train/train\.c:.*dps_sample_row)')"
check "no two folders have a file of the same name" "$(base_names_twice)"
check "headers are guarded by their path" "$(headers_without_guard)"
check "headers do not include each other in a circle" "$(headers_in_a_circle)"
check "no two headers define a type of the same name" "$(types_twice)"
check "no folder has more than 25 files" "$(crowded_folders)"
check "exported symbols carry the prefix" "$(foreign_symbols)"
check "every regression test has expected output" "$(tests_without_expected)"
check "every expected output has a test" "$(expected_without_test)"
check "no two regression tests share a name" "$(same_name_twice)"
check "every test program is run" "$(tests_not_run)"
check "a file that no test names is seen" "$(unseen_missing)"
check "every source file has a test" "$(perl test/map.pl --missing 2>&1)"
check "what depends on the clock is seen in shell" "$(unseen_clocks)"
check "no test depends on the clock" "$(clocks_in_tests)"
check "integers of 128 bits that are allocated are of the type for that" \
	"$(grep -nE 'sizeof\((unsigned )?__int128|^[[:space:]]+(unsigned )?__int128[[:space:]]+\*[a-z_]+;' -r src --include='*.[ch]')"
# The server has ten of them, and a library beside this one takes some, too.
check "nothing computes what somebody has written into an index" \
	"$(grep -rnE 'RelationGet(IndexPredicate|IndexExpressions|DummyIndexExpressions|PartitionKey|PartitionQual)\(' src --include='*.c')"
check "few places for invalidations are taken" \
	"$(grep -rn "CacheRegisterRelcacheCallback(" src --include="*.c" | grep -vE "^src/(glue/label/annotation_cache|audit/evaluator|ledger/charge/accounts)[.]c:")"
check "what makes arrays includes their header" "$(arrays_without_header)"
check "every script of tests says how many they are" "$(scripts_without_plan)"
check "docs/scale.md says what copies are refused" "$(refusals_without_page)"
check "hints for owners are for owners" "$(hints_for_owners)"
check "operators of SQL in strings are named with their schema" "$(bare_operators)"
check "every SQL part is numbered" "$(unnumbered_parts)"
check "rows of which no aggregate can be made are seen" "$(unseen_rows)"
check "every statistic and family has its aggregates, and no other is made" "$(aggregates_without_row)"
check "aggregates yield what their statistics do" "$(sql_that_disagrees)"
check "a call or assignment in an argument that a macro evaluates twice is seen" "$(unseen_twice)"
check "no argument of a macro that evaluates it twice is a call or an assignment" "$(arguments_that_happen_twice $(find src -name '*.[ch]' -o -name '*.def'))"
check "every node of an expression is on a list" "$(nodes_not_listed)"
check "nodes that cannot fail are those of the list" \
	"$(diff <(nodes_listed total) <(nodes_of src/guard/condition/safe.c dps_never_fails))"
check "nodes that are attempted are those of the list" \
	"$(diff <(nodes_listed attempted) <(nodes_of src/guard/condition/attempt.c dps_can_attempt))"
check "a link that leads nowhere is seen" "$(unseen_links)"
check "what the documents refer to exists" "$(broken_links)"
check "META.json, dpsens.control, the library and CHANGELOG.md agree on the version" "$(disagreeing_versions)"
check "scripts of releases are as they were, and each can be updated" "$(scripts_of_releases)"
check "functions of SQL ask which version their objects are of" "$(unversioned_functions)"
check "a META.json that PGXN does not specify is seen" "$(unseen_metas)"
check "META.json is as PGXN specifies" "$(perl test/meta.pl META.json)"
check "Debian's packages are of this version, and debian/control is made of control.in" "$(disagreeing_packages)"
check "the Containerfile says what build-aux/containerfile.pl tests" "$(perl build-aux/containerfile.pl --check Containerfile)"

echo "1..$tests"
[ $failures -eq 0 ]
