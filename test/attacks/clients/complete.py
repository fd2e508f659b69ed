#!/usr/bin/env python3
"""Types into psql, on a terminal, and asks it to complete each line."""
import os
import pty
import select
import time

LINES = r"""
SELECT * FROM peo|SELECT * FROM clinic.|SELECT a|SELECT dp_|UPDATE people SET |INSERT INTO people (|DELETE FROM pe
ALTER TABLE people ADD CONSTRAINT |ALTER TABLE people DROP COLUMN |ALTER TABLE people DROP CONSTRAINT |ALTER TABLE people ALTER COLUMN |ALTER TABLE pe
GRANT SELECT ON |GRANT SELECT ON people TO |SET |SET dpsens.|SET ROLE |SHOW dps|COMMENT ON TABLE |COMMENT ON COLUMN people.|CREATE INDEX ON people (
DROP TABLE |DROP INDEX |DROP VIEW |DROP FUNCTION |DROP FUNCTION dp_count (|ANALYZE |VACUUM |COPY |EXPLAIN SELECT * FROM st|LOCK TABLE |TABLE
SELECT * FROM people WHERE |SELECT * FROM people WHERE feels = |\d |\d peo|\d people |\dt cl|\df dp|\dn |\du |\dT |\dv |\di |\ds |\dx |\sf |\c |\encoding
DECLARE c CURSOR FOR SELECT * FROM |FETCH ALL FROM |EXECUTE |DEALLOCATE |REFRESH MATERIALIZED VIEW |CREATE TABLE x PARTITION OF
ALTER TABLE wards DETACH PARTITION |CREATE POLICY p ON |ALTER TYPE mood RENAME VALUE |SECURITY LABEL FOR dpsens ON TABLE |REASSIGN OWNED BY
TRUNCATE |CLUSTER |REINDEX TABLE |NOTIFY |LISTEN |CALL |CREATE EXTENSION |CREATE TRIGGER t BEFORE INSERT ON |ALTER SCHEMA
"""


def drain(terminal, seconds):
    end = time.time() + seconds
    while time.time() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            os.read(terminal, 65536)


def main():
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM='xterm', PAGER='cat')
        os.execvp('psql', ['psql', '-X'])
    drain(terminal, 1.5)
    for line in LINES.strip().replace('\n', '|').split('|'):
        # twice for a list; then the line is taken back
        for keys in (line.encode(), b'\t', b'\t', b'\x15', b'\x03'):
            os.write(terminal, keys)
            drain(terminal, 0.2)
    os.write(terminal, b'\\q\n')
    os.waitpid(process, 0)


main()
