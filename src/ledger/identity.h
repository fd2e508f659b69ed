/*
 * identity.h
 *		Which relation a row of the ledger is about, in SQL.
 *
 * A row knows its relation by OID, and by schema, name and owner for when that
 * OID means nothing any more: then it is about the relation that is called so
 * now.  names.c keeps the names those that the relation has, or had last.
 *
 * An owner that no role is called any more may have been renamed while nobody
 * looked (roles belong to all databases), so any owner will do then: rather is a
 * stranger charged than nobody.  Whether a role may ask at all is decided more
 * strictly (authority.c).
 */
#ifndef DPS_LEDGER_IDENTITY_H
#define DPS_LEDGER_IDENTITY_H

#define DPS_IDENTITY_TYPES OIDOID, NAMEOID, NAMEOID, NAMEOID

/* Is t about a relation that is no more, and was called as the arguments $2 to
 * $4 say: schema, name, owner? */
#define DPS_WAS_CALLED(t) \
	"(" t ".relation_schema OPERATOR(pg_catalog.=) $2 AND " t ".relation_name OPERATOR(pg_catalog.=) $3" \
	" AND (" t ".relation_owner OPERATOR(pg_catalog.=) $4 OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles o" \
	" WHERE o.rolname OPERATOR(pg_catalog.=) " t ".relation_owner))" \
	" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) " t ".relation))"

/* Is t about the relation $1? */
#define DPS_SAME_RELATION(t) \
	"(" t ".relation OPERATOR(pg_catalog.=) $1 OR " DPS_WAS_CALLED(t) ")"

/* The same, the names being looked up. */
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
