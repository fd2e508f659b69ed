# load.sh
#	Read by tests of updates and moves, after crash/cluster.sh: databases as earlier
#	releases left them, and what a database holds.
# shellcheck shell=bash

released=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
releases=$(cd "$released" && echo dpsens--*.sql | sed 's/dpsens--//g; s/\.sql//g')

# The name of a database with the objects of a release.
name_of()
{
	echo "v${1//./_}"
}

# Tables with an OID of a relation, and of a role, beside the names.
charged="dpsens.budget dpsens.purse dpsens.release dpsens.row_account"

# load DATABASE VERSION: the dump of that release, as if it had been filled here by its library,
# which alone may write its ledger: so where none is preloaded, without triggers meanwhile, and
# with OIDs of this cluster,
# and what the SQL of $more_to_load adds.
load()
{
	sql "CREATE DATABASE $1" &&
		{
			echo "LOAD 'dpsens'; CREATE EXTENSION dpsens VERSION '$2';"
			triggers "$1" DISABLE
			sed '/^CREATE EXTENSION/d' "$released/dump-$2.sql"
			echo "SET search_path = pg_catalog;"
			for table in $charged; do
				echo "UPDATE $table SET relation = format('%I.%I', relation_schema, relation_name)::regclass;"
			done
			for table in dpsens.budget dpsens.purse dpsens.release; do
				echo "UPDATE $table SET role = role_name::regrole WHERE role <> 0;"
			done
			cat <<-'END'
				UPDATE dpsens.release SET purse_role = purse_role_name::regrole WHERE purse_role <> 0;
				INSERT INTO dpsens.ledger_origin SELECT s.system_identifier, d.oid, c.timeline_id
					FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database();
				INSERT INTO dpsens.failure VALUES ('analyst'::regrole, 'analyst', 1, now(), now());
				INSERT INTO dpsens.brackets VALUES ('public.decades'::regproc, 1, '\x00', '\x01');
			END
			echo "${more_to_load:-}"
			triggers "$1" "ENABLE ALWAYS"
		} | psql -Xq -v ON_ERROR_STOP=1 -d "$1" >"$base/load.log" 2>&1 || bail "$2 cannot be loaded: $(tail -3 "$base/load.log")"
}

# Of the tables that a dump carries, and those that it does not.
triggers()
{
	cat <<-END
		DO \$\$
		DECLARE one record;
		BEGIN
			FOR one IN SELECT tgrelid::regclass AS relation, tgname FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
				WHERE relnamespace = 'dpsens'::regnamespace AND NOT tgisinternal LOOP
				EXECUTE format('ALTER TABLE %s $2 TRIGGER %I', one.relation, one.tgname);
			END LOOP;
		END \$\$;
	END
}

# what DATABASE: a query that shows what the extension's tables hold by the columns that they have
# now, and labels.
what()
{
	sql "$1" "SELECT string_agg(format('SELECT %L AS of, %s::text FROM %s t', c.oid::regclass, (SELECT format('(%s)', string_agg(format('t.%I', attname), ', ' ORDER BY attnum))
			FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped), c.oid::regclass), ' UNION ALL ' ORDER BY c.oid::regclass::text)
			|| ' UNION ALL SELECT ''label'', (pg_describe_object(classoid, objoid, objsubid), provider, label)::text FROM pg_seclabel'
			|| ' UNION ALL SELECT ''label'', (objoid::regrole, provider, label)::text FROM pg_shseclabel ORDER BY 1, 2'
		FROM pg_class c WHERE c.relkind IN ('r', 'S') AND c.relnamespace IN ('dpsens'::regnamespace, 'dpsens_internal'::regnamespace)"
}

# objects_of DATABASE FILE
objects_of()
{
	psql -Xq -d "$1" -f "$released/objects.sql" >"$base/$2" 2>&1 || bail "the objects of $1 cannot be described: $(tail -3 "$base/$2")"
}
