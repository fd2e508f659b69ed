/*
 * identity.h
 *		Which relation a row of the ledger is about, in SQL.
 *
 * A row has the relation's OID, and its schema, name and owner.  If no
 * relation has the OID any more, the row is about the relation with those
 * names now.  names.c keeps the names up to date, or as they were last.
 *
 * If no role has the recorded owner's name, the owner may have been renamed
 * from another database (roles belong to all), so any owner matches: it is
 * safer to charge the wrong relation than none.  Whether a role may ask at all
 * is decided more strictly (authority.c).
 */
#ifndef DPS_LEDGER_IDENTITY_H
#define DPS_LEDGER_IDENTITY_H

#define DPS_IDENTITY_TYPES OIDOID, NAMEOID, NAMEOID, NAMEOID

/* Is t about a dropped relation with the schema $2, the name $3 and the owner $4? */
#define DPS_WAS_CALLED(t) \
	"(" t ".relation_schema OPERATOR(pg_catalog.=) $2 AND " t ".relation_name OPERATOR(pg_catalog.=) $3" \
	" AND (" t ".relation_owner OPERATOR(pg_catalog.=) $4 OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles o" \
	" WHERE o.rolname OPERATOR(pg_catalog.=) " t ".relation_owner))" \
	" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) " t ".relation))"

/* Is t about the relation $1? */
#define DPS_SAME_RELATION(t) \
	"(" t ".relation OPERATOR(pg_catalog.=) $1 OR " DPS_WAS_CALLED(t) ")"

/* The same for the names of relation $1, which are looked up. */
#define DPS_IS_CALLED(t) \
	"(NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class old WHERE old.oid OPERATOR(pg_catalog.=) " t ".relation)" \
	" AND EXISTS (SELECT 1 FROM pg_catalog.pg_class c" \
	" JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace" \
	" JOIN pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) c.relowner" \
	" WHERE c.oid OPERATOR(pg_catalog.=) $1 AND c.relname OPERATOR(pg_catalog.=) " t ".relation_name" \
	" AND n.nspname OPERATOR(pg_catalog.=) " t ".relation_schema" \
	" AND (o.rolname OPERATOR(pg_catalog.=) " t ".relation_owner OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles g" \
	" WHERE g.rolname OPERATOR(pg_catalog.=) " t ".relation_owner))))"
#define DPS_NOW_RELATION(t) \
	"(" t ".relation OPERATOR(pg_catalog.=) $1 OR " DPS_IS_CALLED(t) ")"

#endif							/* DPS_LEDGER_IDENTITY_H */
