-- For demos whose table claims says what was measured and whether it holds: ends with an error
-- if something does not, where the run is one of all rows and steps.
\if :is_whole
DO $$ BEGIN
    IF EXISTS (SELECT FROM claims WHERE NOT COALESCE(holds, false)) THEN
        RAISE EXCEPTION 'a figure is outside of its tolerance';
    END IF;
END $$;
\endif
