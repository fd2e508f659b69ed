-- Each update script begins by replacing it: that tells sessions to look again, and a
-- server that still runs an older library refuses the update here.

CREATE FUNCTION dpsens.version()
RETURNS text
AS 'MODULE_PATHNAME', 'dps_version'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dpsens.version() IS
'The version of the library, which is that of the extension''s objects in this database: where the two differ, this and all else of dpsens is refused, with what helps.
Errors: the versions differ. Where the library is the newer one, after its package was upgraded, ALTER EXTENSION dpsens UPDATE helps; where it is the older one, restarting the server.';

