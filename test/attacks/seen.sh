#!/usr/bin/env bash
# seen.sh ROLE TABLE
#	What a role sees after each of the questions on standard input, one a line, in a
#	session of its own: QUESTION <tab> BUFFERS.  %s in a question stands for TABLE.
#	BEFORE is run by a superuser first, and then all pages are written: who reads a
#	new row first leaves a mark at it, which is seen to make its page dirty, and who
#	reads it next does not.  LOOK is an EXPLAIN, as the role or as whom it says; of
#	that the first line about buffers is shown.
set -euo pipefail

while IFS= read -r question; do
	buffers=$(psql -XAtq -v ON_ERROR_STOP=1 2>&1 <<-SQL | grep -m1 -E 'Buffers|ERROR' | sed 's/^ *//' || true
		${BEFORE//%r/$1};
		CHECKPOINT;
		SET SESSION AUTHORIZATION $1;
		\o /dev/null
		${question//%s/$2};
		\o
		$LOOK;
	SQL
	)
	printf '%s\t%s\n' "$question" "$buffers"
done
