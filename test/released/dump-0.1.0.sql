--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: dpsens; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS dpsens WITH SCHEMA public;


--
-- Name: EXTENSION dpsens; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION dpsens IS 'differentially private answers, with noise derived from the query itself';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: patients; Type: TABLE; Schema: public; Owner: curator
--

CREATE TABLE public.patients (
    patient_id integer NOT NULL,
    age double precision NOT NULL,
    ward text NOT NULL
);


ALTER TABLE public.patients OWNER TO curator;

--
-- Name: TABLE patients; Type: SECURITY LABEL; Schema: public; Owner: curator
--

SECURITY LABEL FOR dpsens ON TABLE public.patients IS 'PROTECTED ADJACENCY add_remove';
SECURITY LABEL FOR dpsens ON COLUMN public.patients.patient_id IS 'UNIT';
SECURITY LABEL FOR dpsens ON COLUMN public.patients.age IS 'RANGE [18, 100]';
SECURITY LABEL FOR dpsens ON COLUMN public.patients.ward IS 'VALUES (''heart'', ''lung'')';


--
-- Name: decades(public.patients); Type: FUNCTION; Schema: public; Owner: curator
--

CREATE FUNCTION public.decades(r public.patients) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((r).age / (10)::double precision);


ALTER FUNCTION public.decades(r public.patients) OWNER TO curator;

--
-- Name: FUNCTION decades(r public.patients); Type: SECURITY LABEL; Schema: public; Owner: curator
--

SECURITY LABEL FOR dpsens ON FUNCTION public.decades(r public.patients) IS 'EXPRESSION';


--
-- Name: stays; Type: TABLE; Schema: public; Owner: curator
--

CREATE TABLE public.stays (
    stay_id integer NOT NULL,
    patient_id integer NOT NULL,
    days integer NOT NULL
);


ALTER TABLE public.stays OWNER TO curator;

--
-- Name: TABLE stays; Type: SECURITY LABEL; Schema: public; Owner: curator
--

SECURITY LABEL FOR dpsens ON TABLE public.stays IS 'PROTECTED ADJACENCY add_remove MAX ROWS 3';
SECURITY LABEL FOR dpsens ON COLUMN public.stays.patient_id IS 'UNIT BY REFERENCE';
SECURITY LABEL FOR dpsens ON COLUMN public.stays.days IS 'RANGE [0, 60]';


--
-- Name: visits; Type: TABLE; Schema: public; Owner: curator
--

CREATE TABLE public.visits (
    visit_id integer NOT NULL,
    minutes double precision NOT NULL
);


ALTER TABLE public.visits OWNER TO curator;

--
-- Name: TABLE visits; Type: SECURITY LABEL; Schema: public; Owner: curator
--

SECURITY LABEL FOR dpsens ON TABLE public.visits IS 'PROTECTED ADJACENCY add_remove';
SECURITY LABEL FOR dpsens ON COLUMN public.visits.visit_id IS 'UNIT';
SECURITY LABEL FOR dpsens ON COLUMN public.visits.minutes IS 'RANGE [0, 120]';


--
-- Name: wards; Type: TABLE; Schema: public; Owner: curator
--

CREATE TABLE public.wards (
    ward text NOT NULL,
    city text NOT NULL
);


ALTER TABLE public.wards OWNER TO curator;

--
-- Name: TABLE wards; Type: SECURITY LABEL; Schema: public; Owner: curator
--

SECURITY LABEL FOR dpsens ON TABLE public.wards IS 'PUBLIC';


--
-- Data for Name: budget; Type: TABLE DATA; Schema: dpsens; Owner: postgres
--

COPY dpsens.budget (relation, role, relation_schema, relation_name, relation_owner, role_name, epsilon, delta, rho, cap_epsilon, cap_rho, cap_delta, refresh, granted_by, granted_at, own_tables) FROM stdin;
16984	0	public	patients	curator		10	0	\N	10995116277760	0	0	\N	curator	2026-11-26 17:46:59.856365+00	f
16984	16385	public	patients	curator	analyst	2	1e-06	\N	2199023255552	91745138999	2305843009213	1000 years	curator	2026-11-26 17:46:59.856365+00	t
16991	16385	public	stays	curator	analyst	\N	0	3	0	3298534883328	0	\N	curator	2026-11-26 17:46:59.856365+00	f
\.


--
-- Data for Name: failure; Type: TABLE DATA; Schema: dpsens; Owner: postgres
--

COPY dpsens.failure (role, role_name, failures, first_at, last_at) FROM stdin;
\.


--
-- Data for Name: frozen_loss; Type: TABLE DATA; Schema: dpsens; Owner: postgres
--

COPY dpsens.frozen_loss (account, unit, spent_epsilon, spent_rho, release, changed_by) FROM stdin;
1	1	4581298450	9544372	5	747
1	2	9162596899	38177488	5	748
\.


--
-- Data for Name: purse; Type: TABLE DATA; Schema: dpsens; Owner: postgres
--

COPY dpsens.purse (relation, role, relation_schema, relation_name, relation_owner, role_name, period_start, spent_epsilon, spent_rho, spent_delta, charges) FROM stdin;
16984	16385	public	patients	curator	analyst	2026-11-26 17:46:59.929858+00	824633720832	162703603864	0	2
16984	0	public	patients	curator		2026-11-26 17:46:59.929858+00	1924145348608	670806791667	0	3
16991	0	public	stays	curator		2026-11-26 17:46:59.977708+00	137438953472	8578767231	0	1
16991	16385	public	stays	curator	analyst	2026-11-26 17:46:59.977708+00	137438953472	8578767231	0	1
17001	0	public	visits	curator		2026-11-26 17:47:00.002189+00	824633720832	168827351437	0	2
\.


--
-- Data for Name: release; Type: TABLE DATA; Schema: dpsens; Owner: postgres
--

COPY dpsens.release (release, statement, released_at, role, role_name, relation, relation_schema, relation_name, relation_owner, purse_role, purse_role_name, query, expression, adjacency, mechanism, epsilon, delta, sensitivity, grid, sensitivities, scales, joined, charge_epsilon, charge_rho, charge_delta, contribution, oldest_change, steps, rate) FROM stdin;
1	1	2026-11-26 17:46:59.929858+00	16385	analyst	16984	public	patients	curator	16385	analyst	SELECT ward, dp_avg(age, 0.25) FROM patients GROUP BY ward	dp_avg(age)	add_remove	laplace	0.25	\N	82	-33	{704374636544,704374636544}	{28174985462171,3130553940191}	{2,2}	274877906944	28058145277	0	{"hi": 858993459200, "lo": 154618822656, "grid": -33, "kind": "mean", "cells": [{"sql": "age", "range": [18, 100], "private": true, "integral": false, "nullable": false}], "error": 0, "moves": false, "value": "c1", "bounds": [18, 100], "centre": 506806140928, "columns": ["2 age double precision"], "version": 1, "complete": true, "conditions": []}	742	\N	\N
2	2	2026-11-26 17:46:59.96223+00	16385	analyst	16984	public	patients	curator	16385	analyst	SELECT dp_count(true, 0.5) FROM patients WHERE age > 50	dp_count(*)	add_remove	laplace	0.5	\N	1	-40	{1099511627776}	{2199023255552}	{1}	549755813888	134645458587	0	{"hi": 1099511627776, "lo": 0, "grid": -40, "kind": "count", "cells": [], "error": 0, "moves": false, "value": null, "bounds": [0, 1], "centre": 0, "columns": ["2 age double precision"], "version": 1, "complete": true, "conditions": ["(age > (50)::double precision)"]}	743	\N	\N
3	3	2026-11-26 17:46:59.977708+00	16385	analyst	16991	public	stays	curator	16385	analyst	SELECT dp_sum(days, 0.125) FROM stays	dp_sum(days::double precision)	add_remove	laplace	0.125	\N	180	-32	{773094113280}	{6184752906240}	{1}	137438953472	8578767231	0	\N	744	\N	\N
4	4	2026-11-26 17:46:59.994955+00	16384	curator	16984	public	patients	curator	\N	\N	SELECT dp_sum(decades(p), 1) FROM patients p	dp_sum(age / 10)	add_remove	laplace	1	\N	10	-36	{687194767360}	{687194767360}	{1}	1099511627776	508103187803	0	{"hi": 687194767360, "lo": 123695058124, "grid": -36, "kind": "sum", "cells": [{"sql": "age", "range": [18, 100], "private": true, "integral": false, "nullable": false}], "error": 0, "moves": false, "value": "c1 / 10", "bounds": [1.7999999999999998, 10], "centre": 0, "columns": ["2 age double precision"], "version": 1, "complete": true, "conditions": []}	745	\N	\N
5	5	2026-11-26 17:47:00.002189+00	16384	curator	17001	public	visits	curator	\N	\N	SELECT dp_sum(minutes, 0.25) FROM visits WHERE minutes < 60	dp_sum(minutes)	add_remove	laplace	0.25	\N	60	-34	{1030792151040}	{4123168604160}	{1}	274877906944	34181892850	0	{"hi": 1030792151040, "lo": 0, "grid": -34, "kind": "sum", "cells": [{"sql": "minutes", "range": [0, 60], "private": true, "integral": false, "nullable": false}], "error": 0, "moves": false, "value": "c1", "bounds": [0, 60], "centre": 0, "columns": ["2 minutes double precision"], "version": 1, "complete": true, "conditions": ["(minutes < (60)::double precision)"]}	746	\N	\N
6	6	2026-11-26 17:47:00.043647+00	16384	curator	17001	public	visits	curator	\N	\N	SELECT dp_sum(minutes, 0.5) FROM visits	dp_sum(minutes)	add_remove	laplace	0.5	\N	120	-33	{1030792151040}	{2061584302080}	{1}	549755813888	134645458587	0	{"hi": 1030792151040, "lo": 0, "grid": -33, "kind": "sum", "cells": [{"sql": "minutes", "range": [0, 120], "private": true, "integral": false, "nullable": false}], "error": 0, "moves": false, "value": "c1", "bounds": [0, 120], "centre": 0, "columns": ["2 minutes double precision"], "version": 1, "complete": true, "conditions": []}	749	\N	\N
\.


--
-- Data for Name: row_account; Type: TABLE DATA; Schema: dpsens; Owner: postgres
--

COPY dpsens.row_account (account, relation, relation_schema, relation_name, relation_owner, unit, epsilon, rho, cap_epsilon, cap_rho, full_until) FROM stdin;
1	17001	public	visits	curator	visit_id integer	1	\N	1099511627776	\N	0
\.


--
-- Data for Name: stored_models; Type: TABLE DATA; Schema: dpsens; Owner: postgres
--

COPY dpsens.stored_models (name, owner, definition, parameters, changed) FROM stdin;
risk	curator	{"loss": "binary_cross_entropy", "input": 1, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}]}	{0.25,-1.5}	2026-11-26 17:46:59.903769+00
\.


--
-- Data for Name: patients; Type: TABLE DATA; Schema: public; Owner: curator
--

COPY public.patients (patient_id, age, ward) FROM stdin;
1	21	lung
2	22	heart
3	23	lung
4	24	heart
5	25	lung
6	26	heart
7	27	lung
8	28	heart
9	29	lung
10	30	heart
11	31	lung
12	32	heart
13	33	lung
14	34	heart
15	35	lung
16	36	heart
17	37	lung
18	38	heart
19	39	lung
20	40	heart
21	41	lung
22	42	heart
23	43	lung
24	44	heart
25	45	lung
26	46	heart
27	47	lung
28	48	heart
29	49	lung
30	50	heart
31	51	lung
32	52	heart
33	53	lung
34	54	heart
35	55	lung
36	56	heart
37	57	lung
38	58	heart
39	59	lung
40	60	heart
41	61	lung
42	62	heart
43	63	lung
44	64	heart
45	65	lung
46	66	heart
47	67	lung
48	68	heart
49	69	lung
50	70	heart
51	71	lung
52	72	heart
53	73	lung
54	74	heart
55	75	lung
56	76	heart
57	77	lung
58	78	heart
59	79	lung
60	20	heart
61	21	lung
62	22	heart
63	23	lung
64	24	heart
65	25	lung
66	26	heart
67	27	lung
68	28	heart
69	29	lung
70	30	heart
71	31	lung
72	32	heart
73	33	lung
74	34	heart
75	35	lung
76	36	heart
77	37	lung
78	38	heart
79	39	lung
80	40	heart
81	41	lung
82	42	heart
83	43	lung
84	44	heart
85	45	lung
86	46	heart
87	47	lung
88	48	heart
89	49	lung
90	50	heart
91	51	lung
92	52	heart
93	53	lung
94	54	heart
95	55	lung
96	56	heart
97	57	lung
98	58	heart
99	59	lung
100	60	heart
101	61	lung
102	62	heart
103	63	lung
104	64	heart
105	65	lung
106	66	heart
107	67	lung
108	68	heart
109	69	lung
110	70	heart
111	71	lung
112	72	heart
113	73	lung
114	74	heart
115	75	lung
116	76	heart
117	77	lung
118	78	heart
119	79	lung
120	20	heart
121	21	lung
122	22	heart
123	23	lung
124	24	heart
125	25	lung
126	26	heart
127	27	lung
128	28	heart
129	29	lung
130	30	heart
131	31	lung
132	32	heart
133	33	lung
134	34	heart
135	35	lung
136	36	heart
137	37	lung
138	38	heart
139	39	lung
140	40	heart
141	41	lung
142	42	heart
143	43	lung
144	44	heart
145	45	lung
146	46	heart
147	47	lung
148	48	heart
149	49	lung
150	50	heart
151	51	lung
152	52	heart
153	53	lung
154	54	heart
155	55	lung
156	56	heart
157	57	lung
158	58	heart
159	59	lung
160	60	heart
161	61	lung
162	62	heart
163	63	lung
164	64	heart
165	65	lung
166	66	heart
167	67	lung
168	68	heart
169	69	lung
170	70	heart
171	71	lung
172	72	heart
173	73	lung
174	74	heart
175	75	lung
176	76	heart
177	77	lung
178	78	heart
179	79	lung
180	20	heart
181	21	lung
182	22	heart
183	23	lung
184	24	heart
185	25	lung
186	26	heart
187	27	lung
188	28	heart
189	29	lung
190	30	heart
191	31	lung
192	32	heart
193	33	lung
194	34	heart
195	35	lung
196	36	heart
197	37	lung
198	38	heart
199	39	lung
200	40	heart
\.


--
-- Data for Name: stays; Type: TABLE DATA; Schema: public; Owner: curator
--

COPY public.stays (stay_id, patient_id, days) FROM stdin;
1	2	1
2	3	2
3	4	3
4	5	4
5	6	5
6	7	6
7	8	7
8	9	8
9	10	9
10	11	10
11	12	11
12	13	12
13	14	13
14	15	14
15	16	15
16	17	16
17	18	17
18	19	18
19	20	19
20	21	20
21	22	21
22	23	22
23	24	23
24	25	24
25	26	25
26	27	26
27	28	27
28	29	28
29	30	29
30	31	0
31	32	1
32	33	2
33	34	3
34	35	4
35	36	5
36	37	6
37	38	7
38	39	8
39	40	9
40	41	10
41	42	11
42	43	12
43	44	13
44	45	14
45	46	15
46	47	16
47	48	17
48	49	18
49	50	19
50	51	20
51	52	21
52	53	22
53	54	23
54	55	24
55	56	25
56	57	26
57	58	27
58	59	28
59	60	29
60	61	0
61	62	1
62	63	2
63	64	3
64	65	4
65	66	5
66	67	6
67	68	7
68	69	8
69	70	9
70	71	10
71	72	11
72	73	12
73	74	13
74	75	14
75	76	15
76	77	16
77	78	17
78	79	18
79	80	19
80	81	20
81	82	21
82	83	22
83	84	23
84	85	24
85	86	25
86	87	26
87	88	27
88	89	28
89	90	29
90	91	0
91	92	1
92	93	2
93	94	3
94	95	4
95	96	5
96	97	6
97	98	7
98	99	8
99	100	9
100	101	10
101	102	11
102	103	12
103	104	13
104	105	14
105	106	15
106	107	16
107	108	17
108	109	18
109	110	19
110	111	20
111	112	21
112	113	22
113	114	23
114	115	24
115	116	25
116	117	26
117	118	27
118	119	28
119	120	29
120	121	0
121	122	1
122	123	2
123	124	3
124	125	4
125	126	5
126	127	6
127	128	7
128	129	8
129	130	9
130	131	10
131	132	11
132	133	12
133	134	13
134	135	14
135	136	15
136	137	16
137	138	17
138	139	18
139	140	19
140	141	20
141	142	21
142	143	22
143	144	23
144	145	24
145	146	25
146	147	26
147	148	27
148	149	28
149	150	29
150	151	0
151	152	1
152	153	2
153	154	3
154	155	4
155	156	5
156	157	6
157	158	7
158	159	8
159	160	9
160	161	10
161	162	11
162	163	12
163	164	13
164	165	14
165	166	15
166	167	16
167	168	17
168	169	18
169	170	19
170	171	20
171	172	21
172	173	22
173	174	23
174	175	24
175	176	25
176	177	26
177	178	27
178	179	28
179	180	29
180	181	0
181	182	1
182	183	2
183	184	3
184	185	4
185	186	5
186	187	6
187	188	7
188	189	8
189	190	9
190	191	10
191	192	11
192	193	12
193	194	13
194	195	14
195	196	15
196	197	16
197	198	17
198	199	18
199	200	19
200	1	20
201	2	21
202	3	22
203	4	23
204	5	24
205	6	25
206	7	26
207	8	27
208	9	28
209	10	29
210	11	0
211	12	1
212	13	2
213	14	3
214	15	4
215	16	5
216	17	6
217	18	7
218	19	8
219	20	9
220	21	10
221	22	11
222	23	12
223	24	13
224	25	14
225	26	15
226	27	16
227	28	17
228	29	18
229	30	19
230	31	20
231	32	21
232	33	22
233	34	23
234	35	24
235	36	25
236	37	26
237	38	27
238	39	28
239	40	29
240	41	0
241	42	1
242	43	2
243	44	3
244	45	4
245	46	5
246	47	6
247	48	7
248	49	8
249	50	9
250	51	10
251	52	11
252	53	12
253	54	13
254	55	14
255	56	15
256	57	16
257	58	17
258	59	18
259	60	19
260	61	20
261	62	21
262	63	22
263	64	23
264	65	24
265	66	25
266	67	26
267	68	27
268	69	28
269	70	29
270	71	0
271	72	1
272	73	2
273	74	3
274	75	4
275	76	5
276	77	6
277	78	7
278	79	8
279	80	9
280	81	10
281	82	11
282	83	12
283	84	13
284	85	14
285	86	15
286	87	16
287	88	17
288	89	18
289	90	19
290	91	20
291	92	21
292	93	22
293	94	23
294	95	24
295	96	25
296	97	26
297	98	27
298	99	28
299	100	29
300	101	0
301	102	1
302	103	2
303	104	3
304	105	4
305	106	5
306	107	6
307	108	7
308	109	8
309	110	9
310	111	10
311	112	11
312	113	12
313	114	13
314	115	14
315	116	15
316	117	16
317	118	17
318	119	18
319	120	19
320	121	20
321	122	21
322	123	22
323	124	23
324	125	24
325	126	25
326	127	26
327	128	27
328	129	28
329	130	29
330	131	0
331	132	1
332	133	2
333	134	3
334	135	4
335	136	5
336	137	6
337	138	7
338	139	8
339	140	9
340	141	10
341	142	11
342	143	12
343	144	13
344	145	14
345	146	15
346	147	16
347	148	17
348	149	18
349	150	19
350	151	20
351	152	21
352	153	22
353	154	23
354	155	24
355	156	25
356	157	26
357	158	27
358	159	28
359	160	29
360	161	0
361	162	1
362	163	2
363	164	3
364	165	4
365	166	5
366	167	6
367	168	7
368	169	8
369	170	9
370	171	10
371	172	11
372	173	12
373	174	13
374	175	14
375	176	15
376	177	16
377	178	17
378	179	18
379	180	19
380	181	20
381	182	21
382	183	22
383	184	23
384	185	24
385	186	25
386	187	26
387	188	27
388	189	28
389	190	29
390	191	0
391	192	1
392	193	2
393	194	3
394	195	4
395	196	5
396	197	6
397	198	7
398	199	8
399	200	9
400	1	10
\.


--
-- Data for Name: visits; Type: TABLE DATA; Schema: public; Owner: curator
--

COPY public.visits (visit_id, minutes) FROM stdin;
3	3
4	4
5	5
6	6
7	7
8	8
9	9
10	10
11	11
12	12
13	13
14	14
15	15
16	16
17	17
18	18
19	19
20	20
21	21
22	22
23	23
24	24
25	25
26	26
27	27
28	28
29	29
30	30
31	31
32	32
33	33
34	34
35	35
36	36
37	37
38	38
39	39
40	40
41	41
42	42
43	43
44	44
45	45
46	46
47	47
48	48
49	49
50	50
51	51
52	52
53	53
54	54
55	55
56	56
57	57
58	58
59	59
60	60
61	61
62	62
63	63
64	64
65	65
66	66
67	67
68	68
69	69
70	70
71	71
72	72
73	73
74	74
75	75
76	76
77	77
78	78
79	79
80	80
81	81
82	82
83	83
84	84
85	85
86	86
87	87
88	88
89	89
90	0
91	1
92	2
93	3
94	4
95	5
96	6
97	7
98	8
99	9
100	10
1	119
\.


--
-- Data for Name: wards; Type: TABLE DATA; Schema: public; Owner: curator
--

COPY public.wards (ward, city) FROM stdin;
heart	Bonn
lung	Ulm
\.


--
-- Name: row_account_account_seq; Type: SEQUENCE SET; Schema: dpsens; Owner: postgres
--

SELECT pg_catalog.setval('dpsens.row_account_account_seq', 1, true);


--
-- Name: patients patients_pkey; Type: CONSTRAINT; Schema: public; Owner: curator
--

ALTER TABLE ONLY public.patients
    ADD CONSTRAINT patients_pkey PRIMARY KEY (patient_id);


--
-- Name: stays stays_pkey; Type: CONSTRAINT; Schema: public; Owner: curator
--

ALTER TABLE ONLY public.stays
    ADD CONSTRAINT stays_pkey PRIMARY KEY (stay_id);


--
-- Name: visits visits_pkey; Type: CONSTRAINT; Schema: public; Owner: curator
--

ALTER TABLE ONLY public.visits
    ADD CONSTRAINT visits_pkey PRIMARY KEY (visit_id);


--
-- Name: wards wards_pkey; Type: CONSTRAINT; Schema: public; Owner: curator
--

ALTER TABLE ONLY public.wards
    ADD CONSTRAINT wards_pkey PRIMARY KEY (ward);


--
-- Name: visits dpsens_begin_loss; Type: TRIGGER; Schema: public; Owner: curator
--

CREATE TRIGGER dpsens_begin_loss AFTER INSERT ON public.visits FOR EACH ROW EXECUTE FUNCTION dpsens_internal.freeze_loss();

ALTER TABLE public.visits ENABLE ALWAYS TRIGGER dpsens_begin_loss;


--
-- Name: visits dpsens_freeze_loss; Type: TRIGGER; Schema: public; Owner: curator
--

CREATE TRIGGER dpsens_freeze_loss BEFORE DELETE OR UPDATE ON public.visits FOR EACH ROW EXECUTE FUNCTION dpsens_internal.freeze_loss();

ALTER TABLE public.visits ENABLE ALWAYS TRIGGER dpsens_freeze_loss;


--
-- Name: visits dpsens_keep_loss; Type: TRIGGER; Schema: public; Owner: curator
--

CREATE TRIGGER dpsens_keep_loss BEFORE TRUNCATE ON public.visits FOR EACH STATEMENT EXECUTE FUNCTION dpsens_internal.freeze_loss();

ALTER TABLE public.visits ENABLE ALWAYS TRIGGER dpsens_keep_loss;


--
-- Name: stays stays_patient_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: curator
--

ALTER TABLE ONLY public.stays
    ADD CONSTRAINT stays_patient_id_fkey FOREIGN KEY (patient_id) REFERENCES public.patients(patient_id);


--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: pg_database_owner
--

GRANT ALL ON SCHEMA public TO curator;


--
-- Name: TABLE wards; Type: ACL; Schema: public; Owner: curator
--

GRANT SELECT ON TABLE public.wards TO analyst;


--
-- PostgreSQL database dump complete
--


