-- The table of the survey; README.md in this folder explains the columns.

CREATE TABLE nhanes
(
    seqn                integer PRIMARY KEY,
    sex                 text NOT NULL,
    age                 integer NOT NULL,
    race_eth            text NOT NULL,
    education           text,
    income_ratio        double precision,
    chol_mg_dl          integer,
    hdl_mg_dl           integer,
    sys_bp              integer,
    dia_bp              integer,
    pulse               integer,
    blood_lead_ug_dl    double precision,
    blood_mercury_ug_l  double precision,
    weight_kg           double precision,
    height_cm           double precision,
    waist_cm            double precision,
    hip_cm              double precision,
    sleep_hours         double precision,
    depression_score    integer,
    drinks_per_day      integer
);
