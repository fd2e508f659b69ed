-- Seals: a chain of hashes over releases, refusals and changes.
--
-- Of each row those columns are digested that never change.  Not among them, since a restore, or a table
-- that was made again, gives them other values: OIDs of relations and roles, and of entities; nor arms, which
-- releases of 0.1.0 may get later.  Texts are digested in the database's encoding, numbers in floating point and times as their bytes, the rest as it
-- is printed.

CREATE TABLE dpsens.seal (
	seal bigint NOT NULL PRIMARY KEY,
	sealed_at timestamptz NOT NULL,
	format smallint NOT NULL,
	releases bigint[] NOT NULL,
	refusals bigint[] NOT NULL,
	changes bigint[] NOT NULL,
	digests bytea NOT NULL,
	hash bytea NOT NULL
);
ALTER TABLE dpsens.seal ALTER digests SET STORAGE EXTERNAL;
CREATE INDEX seal_changes ON dpsens.seal (seal) WHERE changes <> '{}';
CREATE INDEX seal_releases ON dpsens.seal (seal) WHERE releases <> '{}';
CREATE INDEX seal_refusals ON dpsens.seal (seal) WHERE refusals <> '{}';
COMMENT ON TABLE dpsens.seal IS 'the chain of hashes over dpsens.release, dpsens.refusal and dpsens.change, written by the ledger''s worker when it has a moment, at least once in a second while it works';
COMMENT ON COLUMN dpsens.seal.format IS 'what is digested: 1, the columns of dpsens_internal.release_digests, refusal_digests and change_digests';
COMMENT ON COLUMN dpsens.seal.releases IS 'the numbers of the releases that it seals';
COMMENT ON COLUMN dpsens.seal.digests IS '32 bytes for each release, refusal and change, in this order';
COMMENT ON COLUMN dpsens.seal.hash IS 'SHA-256 of the hash before and of all columns here but itself';

SELECT pg_catalog.pg_extension_config_dump('dpsens.seal', '');

CREATE TRIGGER keep_ledger BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpsens.seal
	FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.seal ENABLE ALWAYS TRIGGER keep_ledger;
CREATE TRIGGER keep_ledger_applied AFTER INSERT OR UPDATE OR DELETE ON dpsens.seal
	FOR EACH ROW EXECUTE FUNCTION dpsens_internal.keep_ledger();
ALTER TABLE dpsens.seal ENABLE REPLICA TRIGGER keep_ledger_applied;

-- No check of the encoding: a role's name that was given in a database of another one must not stop the chain.
CREATE FUNCTION dpsens_internal.bytes_of(text) RETURNS bytea
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	RETURN pg_catalog.replace($1, pg_catalog.chr(92), pg_catalog.chr(92) || pg_catalog.chr(92))::bytea;
COMMENT ON FUNCTION dpsens_internal.bytes_of(text) IS
'A text as its bytes, which may be none of the database''s encoding.';

CREATE VIEW dpsens_internal.release_digests AS
SELECT r.release AS number, pg_catalog.sha256(dpsens_internal.bytes_of(ROW(r.release, r.statement,
	pg_catalog.encode(pg_catalog.timestamptz_send(r.released_at), 'hex'), r.role_name, r.relation_schema, r.relation_name, r.relation_owner,
	r.purse_role_name, r.query, r.expression, r.adjacency, r.mechanism, pg_catalog.encode(pg_catalog.float8send(r.epsilon), 'hex'),
	pg_catalog.encode(pg_catalog.float8send(r.delta), 'hex'), pg_catalog.encode(pg_catalog.float8send(r.sensitivity), 'hex'), r.grid,
	r.sensitivities, r.scales, r.joined, r.charge_epsilon, r.charge_rho, r.charge_delta, r.contribution, r.oldest_change, r.steps,
	pg_catalog.encode(pg_catalog.float8send(r.rate), 'hex'), r.replacement, r.column_names, r.column_moves, r.group_size)::text)) AS digest
FROM dpsens.release r;
COMMENT ON VIEW dpsens_internal.release_digests IS 'SHA-256 of what of a release never changes; for seals';

CREATE VIEW dpsens_internal.refusal_digests AS
SELECT r.refusal AS number, pg_catalog.sha256(dpsens_internal.bytes_of(ROW(r.refusal,
	pg_catalog.encode(pg_catalog.timestamptz_send(r.refused_at), 'hex'), r.role_name, r.sqlstate, r.message, r.query, r.relation_names)::text)) AS digest
FROM dpsens.refusal r;
COMMENT ON VIEW dpsens_internal.refusal_digests IS 'SHA-256 of what of a refusal never changes; for seals';

CREATE VIEW dpsens_internal.change_digests AS
SELECT a.change AS number, pg_catalog.sha256(dpsens_internal.bytes_of(ROW(a.change,
	pg_catalog.encode(pg_catalog.timestamptz_send(a.changed_at), 'hex'), a.session_role, a.changed_by, a.act, a.relation_schema,
	a.relation_name, a.relation_owner, a.object, a.before, a.after)::text)) AS digest
FROM dpsens.change a;
COMMENT ON VIEW dpsens_internal.change_digests IS 'SHA-256 of what of a change never changes; for seals';

CREATE FUNCTION dpsens_internal.seal_hash(before bytea, seal bigint, sealed_at timestamptz, format smallint, releases bigint[],
	refusals bigint[], changes bigint[], digests bytea) RETURNS bytea
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	RETURN pg_catalog.sha256(before || pg_catalog.convert_to(ROW(seal, pg_catalog.encode(pg_catalog.timestamptz_send(sealed_at), 'hex'),
		format, releases, refusals, changes)::text, 'UTF8') || digests);
COMMENT ON FUNCTION dpsens_internal.seal_hash(bytea, bigint, timestamptz, smallint, bigint[], bigint[], bigint[], bytea) IS
'The hash of a seal: SHA-256 of the hash before it, empty for the first, of its number, time, format and the numbers of its rows, and of their digests.
Source: FIPS 180-4; chains of time stamps, Haber and Stornetta 1991.';

-- Who may know of the chain: it has numbers of rows, and nothing that is in them.
CREATE VIEW dpsens_internal.sees_seals AS
SELECT FROM pg_catalog.pg_roles me WHERE me.rolname = CURRENT_USER AND (me.rolsuper
	OR EXISTS (SELECT FROM dpsens_internal.audited d)
	OR EXISTS (SELECT FROM pg_catalog.pg_seclabel l JOIN pg_catalog.pg_class c ON c.oid = l.objoid
		WHERE l.provider = 'dpsens' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid = 0
			AND l.label ~* '^\s*PROTECTED' AND pg_catalog.pg_has_role(c.relowner, 'USAGE')));
COMMENT ON VIEW dpsens_internal.sees_seals IS 'a row for superusers, and for who owns or audits a protected relation; for the views built on it';

CREATE VIEW dpsens_internal.seal_heads WITH (security_barrier) AS
SELECT s.seal, s.hash, s.sealed_at FROM dpsens.seal s WHERE EXISTS (SELECT FROM dpsens_internal.sees_seals);
COMMENT ON VIEW dpsens_internal.seal_heads IS 'the hashes of the chain; what dpsens.ledger_head() returns the last of';

CREATE VIEW dpsens_internal.seal_check WITH (security_barrier) AS
WITH chain AS (
	SELECT s.*, COALESCE(pg_catalog.lag(s.seal) OVER (ORDER BY s.seal), 0) AS seal_before, COALESCE(pg_catalog.lag(s.hash) OVER (ORDER BY s.seal), '') AS hash_before
	FROM dpsens.seal s
	WHERE EXISTS (SELECT FROM dpsens_internal.sees_seals)
), sealed AS MATERIALIZED (
	SELECT s.seal, e.kind, e.number, pg_catalog.substr(s.digests, ((e.place - 1) * 32 + 1)::integer, 32) AS digest
	FROM chain s CROSS JOIN LATERAL (
		SELECT 'release' AS kind, r.number, r.place FROM pg_catalog.unnest(s.releases) WITH ORDINALITY r (number, place)
		UNION ALL
		SELECT 'refusal', f.number, f.place + pg_catalog.cardinality(s.releases) FROM pg_catalog.unnest(s.refusals) WITH ORDINALITY f (number, place)
		UNION ALL
		SELECT 'change', c.number, c.place + pg_catalog.cardinality(s.releases) + pg_catalog.cardinality(s.refusals)
		FROM pg_catalog.unnest(s.changes) WITH ORDINALITY c (number, place)
	) e
), present AS MATERIALIZED (
	SELECT d.kind, d.number, d.digest
	FROM (SELECT 'release' AS kind, r.number, r.digest FROM dpsens_internal.release_digests r
		UNION ALL SELECT 'refusal', f.number, f.digest FROM dpsens_internal.refusal_digests f
		UNION ALL SELECT 'change', c.number, c.digest FROM dpsens_internal.change_digests c) d
	WHERE EXISTS (SELECT FROM dpsens_internal.sees_seals)
)
SELECT 'seals before it are missing' AS finding, 'seal' AS kind, s.seal AS number, s.seal FROM chain s WHERE s.seal <> s.seal_before + 1
UNION ALL
SELECT 'it was made by a later version', 'seal', s.seal, s.seal FROM chain s WHERE s.format <> 1
UNION ALL
SELECT 'it was changed', 'seal', s.seal, s.seal FROM chain s
WHERE s.hash <> dpsens_internal.seal_hash(s.hash_before, s.seal, s.sealed_at, s.format, s.releases, s.refusals, s.changes, s.digests)
UNION ALL
SELECT CASE WHEN p.number IS NULL THEN 'it is missing' ELSE 'it was changed' END, s.kind, s.number, s.seal
FROM sealed s LEFT JOIN present p ON p.kind = s.kind AND p.number = s.number
WHERE p.digest IS DISTINCT FROM s.digest
UNION ALL
SELECT CASE WHEN p.number < last.number AND p.kind <> 'change' THEN 'it was inserted' ELSE 'it is not sealed yet' END, p.kind, p.number, NULL
FROM present p
LEFT JOIN (SELECT k.kind, pg_catalog.max(k.number) AS number FROM sealed k GROUP BY k.kind) last ON last.kind = p.kind
WHERE NOT EXISTS (SELECT FROM sealed s WHERE s.kind = p.kind AND s.number = p.number);
COMMENT ON VIEW dpsens_internal.seal_check IS 'what dpsens.verify_seals() returns without a head';

CREATE FUNCTION dpsens.seal_ledger() RETURNS void
AS 'MODULE_PATHNAME', 'dps_seal_ledger'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpsens.seal_ledger() IS
'Has the ledger''s worker seal all that is committed and not sealed yet: what was charged and refused in the last second, changes since the last charge, and what an earlier version has recorded. Otherwise it does so when it has a moment. Changes nothing else, and is done when it returns, whatever becomes of the transaction.
Errors: the ledger is not running; the transaction has changed budgets; during recovery.';

CREATE FUNCTION dpsens.ledger_head(OUT seal bigint, OUT hash text, OUT sealed_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT s.seal, pg_catalog.encode(s.hash, 'hex'), s.sealed_at FROM dpsens_internal.seal_heads s ORDER BY s.seal DESC LIMIT 1;
END;
COMMENT ON FUNCTION dpsens.ledger_head() IS
'The last seal of the ledger''s chain: its number and its hash (SHA-256), on which all that is sealed depends. Kept elsewhere, on paper or by a notary, and given to dpsens.verify_seals later, it shows whether the chain was written anew, which nothing in the database can show. NULL where nothing is sealed, and for who neither owns nor audits a protected relation.
Source: Haber and Stornetta 1991.';

CREATE FUNCTION dpsens.verify_seals(seal bigint DEFAULT NULL, hash text DEFAULT NULL)
RETURNS TABLE (finding text, kind text, number bigint, sealed_by bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT f.* FROM (
		SELECT c.finding, c.kind, c.number, c.seal FROM dpsens_internal.seal_check c
		UNION ALL
		SELECT 'it is not the one that was kept', 'seal', $1, $1
		WHERE $1 IS NOT NULL AND NOT EXISTS (SELECT FROM dpsens_internal.seal_heads h
			WHERE h.seal = $1 AND pg_catalog.encode(h.hash, 'hex') = pg_catalog.lower($2))
	) f ORDER BY f.seal NULLS LAST, f.kind, f.number;
END;
COMMENT ON FUNCTION dpsens.verify_seals(bigint, text) IS
'Recomputes the chain of hashes over releases, refusals and changes, and names what does not fit: the first row is the earliest. finding: it was changed, it is missing, it was inserted (its number is before one that is sealed), seals before it are missing, it was made by a later version, or it is not sealed yet: it is a second old at most, a change since the last charge, or what an earlier version recorded, of which there is none after dpsens.seal_ledger(). kind: release, refusal, change or seal. sealed_by: the seal that has its digest. No row: all is as it was sealed.
seal, hash: what dpsens.ledger_head returned once. A superuser can write rows and all hashes after them anew, and is found by this alone. What was written before it was first sealed is not proved.
For superusers and for who owns or audits a protected relation, of all rows, but by their numbers only; to others it returns nothing, or that a seal is not the one that was kept. In a database of another encoding rows with other characters than ASCII differ.
Source: SHA-256, FIPS 180-4; Haber and Stornetta 1991.';
