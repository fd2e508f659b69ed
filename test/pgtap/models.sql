-- Models: per-example quantities against reference values of 50-digit arithmetic,
-- storage, ownership, and what is refused.
\set ON_ERROR_STOP 1
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS dpsens;
SELECT plan(200);

SELECT dpsens.create_model('models_tap_linear', '{"input": 5, "layers": [{"type": "dense", "units": 1}], "loss": "half_squared"}');
SELECT dpsens.set_model_parameters('models_tap_linear', '{0.2705078125,-0.4951171875,0.1416015625,0.376953125,-0.455078125,0.2998046875}');
SELECT dpsens.create_model('models_tap_logistic', '{"input": 5, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy"}');
SELECT dpsens.set_model_parameters('models_tap_logistic', '{-0.2080078125,-0.3271484375,0.48046875,-0.072265625,-0.419921875,-0.2001953125}');
SELECT dpsens.create_model('models_tap_bars', '{"input": [5, 5], "layers": [{"type": "dense", "units": 8, "activation": "sigmoid", "bias": "after"}, {"type": "dense", "units": 1, "activation": "sigmoid", "bias": false}], "loss": "binary_cross_entropy"}');
SELECT dpsens.set_model_parameters('models_tap_bars', '{0.630859375,0.7421875,0.4873046875,-0.0068359375,-0.498046875,-0.744140625,-0.6240234375,-0.197265625,-0.5673828125,-0.75,
    -0.5634765625,-0.099609375,0.4130859375,0.72265625,0.6767578125,0.296875,0.4931640625,0.7431640625,0.6279296875,0.203125,
    -0.3212890625,-0.6875,-0.71484375,-0.3916015625,-0.408203125,-0.720703125,-0.6787109375,-0.302734375,0.22265625,0.6376953125,
    0.740234375,0.4775390625,0.3154296875,0.6845703125,0.716796875,0.396484375,-0.119140625,-0.576171875,-0.75,-0.5546875,
    -0.2158203125,-0.634765625,-0.7412109375,-0.482421875,0.013671875,0.5029296875,0.7451171875,0.6201171875,0.1123046875,
    0.572265625,0.75,0.55859375,0.0927734375,-0.4189453125,-0.724609375,-0.673828125,-0.0068359375,-0.498046875,-0.744140625,
    -0.6240234375,-0.197265625,0.3271484375,0.6904296875,0.712890625,-0.099609375,0.4130859375,0.72265625,0.6767578125,0.296875,
    -0.228515625,-0.6416015625,-0.7392578125,0.203125,-0.3212890625,-0.6875,-0.71484375,-0.3916015625,0.1259765625,0.580078125,
    0.75,-0.302734375,0.22265625,0.6376953125,0.740234375,0.4775390625,-0.01953125,-0.5078125,-0.7451171875,0.396484375,
    -0.119140625,-0.576171875,-0.75,-0.5546875,-0.0859375,0.4248046875,0.7265625,-0.482421875,0.013671875,0.5029296875,
    0.7451171875,0.6201171875,0.1904296875,-0.3330078125,-0.6923828125,0.55859375,0.0927734375,-0.4189453125,-0.724609375,
    -0.673828125,-0.291015625,0.2353515625,0.6455078125,-0.6240234375,-0.197265625,0.3271484375,0.6904296875,0.712890625,
    0.3857421875,-0.1318359375,-0.5849609375,0.6767578125,0.296875,-0.228515625,-0.6416015625,-0.7392578125,-0.47265625,
    0.0263671875,0.5126953125,-0.71484375,-0.3916015625,0.1259765625,0.580078125,0.75,0.5498046875,0.0791015625,-0.4296875,
    0.740234375,0.4775390625,-0.01953125,-0.5078125,-0.7451171875,-0.6162109375,-0.18359375,0.3388671875,-0.75,-0.5546875,
    -0.0859375,0.4248046875,0.7265625,0.6708984375,0.28515625,-0.2412109375,0.7451171875,0.6201171875,0.1904296875,-0.3330078125,
    -0.6923828125,-0.7109375,-0.3798828125,0.138671875,-0.724609375,-0.673828125,-0.291015625,0.2353515625,0.6455078125,
    0.7373046875,0.466796875,-0.033203125,0.6904296875,0.712890625,0.3857421875,-0.1318359375,-0.5849609375,-0.7490234375,
    -0.544921875,-0.0732421875,-0.6416015625,-0.7392578125,-0.47265625,0.0263671875,0.5126953125,0.74609375,0.6123046875,
    0.177734375,0.580078125,0.75,0.5498046875,0.0791015625,-0.4296875,-0.7275390625,-0.66796875,-0.2783203125,-0.5078125,
    -0.7451171875,-0.6162109375,-0.18359375,0.3388671875,0.6953125,0.708984375,0.3740234375,-0.4951171875,0.1416015625,
    0.376953125,-0.455078125,0.001953125,0.4541015625,-0.3798828125,-0.1376953125,0.681640625,-0.71875,0.7421875,-0.75,
    0.7431640625,-0.720703125,0.6845703125,-0.634765625}');
CREATE TEMP TABLE reference (model name, x float8[], y float8, prediction float8, loss float8, norm_squared float8,
    plis float8[], partial float8[], normalized float8[], trace float8, fil float8);
-- PLIS at sigma = 2, all else at sigma = 1.
INSERT INTO reference VALUES
    ('models_tap_linear', '{0.599609375,0.8916015625,1.0,0.873046875,0.5703125}', 1.0, 0.23171901702880859375, 0.2951278343975900497753, 2.503836180784206618712,
    '{-0.26383255302325947,1.069932620456571115,0.064387308924782171,-0.35658675840196885,0.909867402505416755}',
    '{-0.33346896400712851,1.352332448792361372,0.081381804316092687,-0.45070487148142642,1.150019346060717116}',
    '{-0.111088851060878396,0.2033286912919326600,-0.058151203623925514,-0.154802514474725851,0.1868859371637882042}',
    5.972476837074282229878, 1.9992170125927007),
    ('models_tap_linear', '{0.9990234375,0.904296875,0.619140625,0.2783203125,0.0419921875}', 0.0, 0.29579067230224609375, 0.04374606091050736722536, 0.2868307880261042426204,
    '{0.174860229617539886,-0.20050029570632377,0.095741096970307193,0.194942779564488244,-0.21880961548530519}',
    '{0.652992445561736148,-0.74874188782370658,0.357532488594725844,0.727988077396695766,-0.81711562566677802}',
    '{0.1213892025774437738,-0.222181681251855571,0.0635430843816943942,0.1691560729057519736,-0.204214326357721294}',
    2.68914386328833643347, 1.5487030741188574),
    ('models_tap_linear', '{0.66796875,0.32421875,0.064453125,0.0087890625,0.1845703125}', 1.0, 0.2484149932861328125, 0.2824400111585418926552, 0.8979319853958393979343,
    '{0.027070851948037599,0.387335005752460048,-0.06638281223720632,-0.22269392110614383,0.323975009183667950}',
    '{0.057136048091204178,0.817513669631062108,-0.14010831870732263,-0.47002032334862779,0.683785340062348051}',
    '{-0.149427795500577933,0.2735014163133321747,-0.078220326164562456,-0.208227902755317987,0.2513839447771455491}',
    3.994585420621660887264, 1.3801615493957478),
    ('models_tap_logistic', '{0.599609375,0.8916015625,1.0,0.873046875,0.5703125}', 1.0, 0.3920474334037996508522, 0.9363724429308957582407, 1.567852260768876347472,
    '{0.174738044596784124,0.265315354230825539,0.037137708609074254,0.183551667296361894,0.234452757972112561}',
    '{0.279103253333131678,0.423779370405169864,0.059318823888917657,0.293180959048445413,0.374483574277940801}',
    '{0.0901371277050110461,0.1417649661088201899,-0.208204069628476219,0.0313152462449334150,0.1819669714232617363}',
    2.052755809350077148684, 0.8307304164304077),
    ('models_tap_logistic', '{0.9990234375,0.904296875,0.619140625,0.2783203125,0.0419921875}', 0.0, 0.3907625493689719491323, 0.4955471847504694737786, 0.5005905947918119583111,
    '{0.044554167456921622,0.019154346901146477,0.120536281817094984,0.010229379224208847,-0.06082757340635589}',
    '{0.125943855922057639,0.054144706187845823,0.340726916853080231,0.028915981079244771,-0.17194483879842611}',
    '{-0.091813258016756994,-0.144401133500533301,0.2120756945739175647,-0.031897563818028251,-0.185350708672326326}',
    0.822647713506303552237, 0.537875950009854),
    ('models_tap_logistic', '{0.66796875,0.32421875,0.064453125,0.0087890625,0.1845703125}', 1.0, 0.3793334765482718768047, 0.9693395754202670635139, 0.6123558479858418645834,
    '{0.152818539494903015,0.100445073838697935,-0.04338879988717625,0.010086077040960372,0.084321939287865499}',
    '{0.390574697949741714,0.256718226105003695,-0.11089339988686957,0.025778066632434427,0.215510605432745813}',
    '{0.1247181982863937333,0.1961530348635769984,-0.288081472098148905,0.0433293271041931280,0.2517785223622033113}',
    2.061109658578993934043, 0.7428259860962723),
    ('models_tap_bars', '{0.599609375,0.8916015625,1.0,0.873046875,0.5703125,0.2353515625,0.0244140625,0.037109375,0.267578125,0.607421875,0.896484375,
    0.9990234375,0.8671875,0.5625,0.2275390625,0.021484375,0.0400390625,0.275390625,0.6162109375,0.90234375,0.9990234375,
    0.861328125,0.5537109375,0.220703125,0.01953125}', 1.0, 0.4265544063064655987079, 0.8520153555753715168285, 2.966182716946995347287,
    '{-0.01198478131444572,0.069748380737551147,0.012139835368530189,0.059945381801418968,0.004662484462742756,0.022771361404999457,
    -0.00617366888768520,0.002569907082637774,0.016024316515121993,0.014259940139681554,0.053898332434823165,0.018979887046429899,
    0.063008990047724134,-0.00845393267235760,0.044864326070004569,-0.03771195036186119,0.042412856271304220,-0.03124605735928000,
    0.068465637266407859,-0.00575566775082730,0.082953809604694162,-0.00458097506036716,0.060040077446865534,-0.02460210433983355,
    0.030672713572406533}',
    '{-0.01391749774227347,0.080996299054038523,0.014097556467671309,0.069612427126673391,0.005414376389612789,0.026443567273153061,
    -0.00716926079429899,0.002984341147497857,0.018608465442074702,0.016559558284118051,0.062590205051951656,0.022040663754031151,
    0.073170085771622514,-0.00981724954288917,0.052099336684207739,-0.04379353867602933,0.049252532517031191,-0.03628492847245905,
    0.079506694955711394,-0.00668385102954379,0.096331291126250204,-0.00531972243692288,0.069722393791656853,-0.02856954354203378,
    0.035619124846176778}',
    '{-0.010433819585562214,0.0106599054134070117,-0.010792596061218098,0.0104609275134827461,-0.010109734691596359,
    0.0094693069364744805,-0.008699400775020922,0.0077032122287234942,-0.006574300270317526,0.0054500483588501908,
    -0.003859170993710085,0.0025418368816857080,-0.000986542519215385,-0.000475461141636821,0.0020176752190558074,
    -0.003467259534283676,0.0047795279633626580,-0.006256549188433737,0.0073217059075540827,-0.008384112457043907,
    0.0092242545272856976,-0.009958519287646825,0.0103781394446856463,-0.010601032561473909,0.0107861451060959684}',
    3.254906877451513465366, 0.9008678081767219),
    ('models_tap_bars', '{0.9990234375,0.904296875,0.619140625,0.2783203125,0.0419921875,0.0205078125,0.224609375,0.55859375,0.8642578125,0.9990234375,
    0.8994140625,0.611328125,0.271484375,0.0390625,0.0234375,0.2314453125,0.56640625,0.8701171875,1.0,0.89453125,0.603515625,
    0.263671875,0.03515625,0.025390625,0.2392578125}', 0.0, 0.4270088282445805822047, 0.5568849694446922898513, 1.593175675335692594575,
    '{0.027481099142261082,0.012932116526497380,0.024329856387373084,-0.00614109948278420,0.015586321034354374,-0.01595410280175641,
    0.023058252848832611,-0.00640675089780957,0.039391600638950026,0.002314623619500641,0.040381417033290748,-0.00583911814613244,
    0.024942867801742907,-0.01673671757719594,0.016521941728038287,-0.00888272268295568,0.024909222683730327,0.010351675510845087,
    0.029629080987623805,0.016151243223425882,0.015014968147568765,0.007577447754600712,-0.00355077192244256,0.007607107363270716,
    -0.00435547417102406}',
    '{0.043544395018958360,0.020491217892919740,0.038551182825765731,-0.00973070474163991,0.024696862250626301,-0.02527962040297024,
    0.036536299559886439,-0.01015163514523577,0.062416841836347412,0.003667571107181501,0.063985227287318396,-0.00925220879271712,
    0.039522512649229760,-0.02651969041447155,0.026179373443602263,-0.01407486590504179,0.039469201233204690,0.016402453381463576,
    0.046947918636548639,0.025591993658164335,0.023791541263695509,0.012006629594899984,-0.00562627478663300,0.012053625885308480,
    -0.00690134287628560}',
    '{0.0103815404599459422,-0.010625470252209324,0.0107771576142019959,-0.010464218217118670,0.0101319228973585815,
    -0.009510111921513865,0.0087579868684596921,-0.007777901195882771,0.0066642550318041102,-0.005553253613489532,
    0.0039731495339431264,-0.002664790936493276,0.0011159517587424332,0.0003422846688884089,-0.001883099782890525,
    0.0033343008540804181,-0.004651052398263693,0.0061348800054315787,-0.007209011117447711,0.0082828950099792491,
    -0.009136993217531505,0.0098863935980926910,-0.010322718492299904,0.0105632374191272792,-0.010766859248260246}',
    1.794048993737121921025, 0.6666705871274053);

CREATE FUNCTION pg_temp.near(a float8, b float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT abs(a - b) <= 1e-9 * abs(b)';
-- Relative to the greatest entry.
CREATE FUNCTION pg_temp.near(a float8[], b float8[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS
'SELECT cardinality(a) = cardinality(b) AND bool_and(abs(x - y) <= 1e-9 * (SELECT max(abs(z)) FROM unnest(b) z)) FROM unnest(a, b) AS u (x, y)';

SELECT ok(pg_temp.near((dpsens.predict(model, x))[1], prediction), model || ': prediction') FROM reference;
SELECT ok(pg_temp.near(dpsens.loss(model, x, y), loss), model || ': loss') FROM reference;
SELECT ok(pg_temp.near(dpsens.gradient_norm(model, x, y), sqrt(norm_squared)), model || ': gradient norm') FROM reference;
SELECT ok(pg_temp.near(dpsens.partial_sensitivity(model, x, y), partial), model || ': partial sensitivity') FROM reference;
SELECT ok(pg_temp.near(dpsens.normalized_gradient(model, x, y), normalized), model || ': normalised gradient') FROM reference;
SELECT ok(pg_temp.near(dpsens.privacy_loss(model, x, y, 2), norm_squared / 4), model || ': privacy loss') FROM reference;
SELECT ok(pg_temp.near(dpsens.plis(model, x, y, 2), plis), model || ': PLIS') FROM reference;
SELECT ok(pg_temp.near(dpsens.fil(model, x, y), fil), model || ': Fisher information loss') FROM reference;
SELECT ok(pg_temp.near(dpsens.fim_trace(model, x, y, 2), trace / 4), model || ': trace of the Fisher information') FROM reference;
SELECT ok(pg_temp.near((SELECT sum((m)[k][k]) FROM dpsens.fim(model, x, y) m, generate_series(1, cardinality(x)) k), trace) AND
    (SELECT bool_and(abs(m[j][k] - m[k][j]) < 1e-12) AND max(j) = cardinality(x) FROM dpsens.fim(model, x, y) m, generate_subscripts(m, 1) j, generate_subscripts(m, 2) k),
    model || ': Fisher information matrix') FROM reference;
SELECT ok(dpsens.loss(model, x, y) = dpsens.loss(model, x, ARRAY[y]), model || ': a target is a number or an array') FROM reference;

-- What is written out is the same, with the parameters' names and with their
-- values.
CREATE FUNCTION pg_temp.written(model name, quantity text, x float8[], y float8, fixed boolean) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    columns text := (SELECT string_agg(format('%L::float8 AS x%s', v, i), ', ' ORDER BY i) FROM unnest(x) WITH ORDINALITY u (v, i)) || format(', %L::float8 AS y', y);
    result float8[];
BEGIN
    IF NOT fixed THEN
        SELECT columns || ', ' || string_agg(format('%L::float8 AS %s', p, CASE WHEN i <= cardinality(x) THEN format('w1_%s_1', i) ELSE 'b1_1' END), ', ') INTO columns
        FROM unnest(dpsens.model_parameters(model)) WITH ORDINALITY u (p, i);
    END IF;
    EXECUTE format('SELECT ARRAY[%s]::float8[] FROM (SELECT %s) s', dpsens.closed_form(model, quantity, 'sql', fixed), columns) INTO result;
    RETURN result;
END$$;
SELECT ok(bool_and(pg_temp.near(pg_temp.written(model, 'prediction', x, y, fixed), dpsens.predict(model, x))
        AND pg_temp.near(pg_temp.written(model, 'loss', x, y, fixed), ARRAY[dpsens.loss(model, x, y)])
        AND pg_temp.near(pg_temp.written(model, 'gradient_norm', x, y, fixed), ARRAY[dpsens.gradient_norm(model, x, y)])
        AND pg_temp.near(ARRAY(SELECT unnest(pg_temp.written(model, 'partial_sensitivity', x, y, fixed))), dpsens.partial_sensitivity(model, x, y))
        AND pg_temp.near(ARRAY(SELECT unnest(pg_temp.written(model, 'plis', x, y, fixed))), dpsens.plis(model, x, y))),
    model || ' written out, parameters ' || CASE WHEN fixed THEN 'fixed' ELSE 'named' END)
FROM reference, unnest('{t,f}'::boolean[]) fixed WHERE model <> 'models_tap_bars' GROUP BY model, fixed ORDER BY model, fixed;
SELECT ok(bool_and(pg_temp.near((SELECT sqrt(sum(g ^ 2)) FROM unnest(pg_temp.written(model, 'gradient', x, y, true)) g), dpsens.gradient_norm(model, x, y))),
    model || ': and the gradient') FROM reference WHERE model <> 'models_tap_bars' GROUP BY model ORDER BY model;
-- So the gradient norm of every example in a box is bounded, with proof.
SELECT dpsens.create_model('models_tap_small', '{"input": 1, "layers": [{"type": "dense", "units": 1, "activation": "sigmoid"}], "loss": "binary_cross_entropy", "seed": 5}');
SELECT ok(upper BETWEEN greatest AND greatest + 1e-6, 'the gradient norm is bounded by ' || upper)
FROM dpsens.sensitivity(dpsens.closed_form('models_tap_small', 'gradient_norm', 'sql', true), '{"x1": [-1, 2], "y": [0, 1]}'),
    (SELECT max(dpsens.gradient_norm('models_tap_small', ARRAY[x / 10.0], y)) FROM generate_series(-10, 20) x, generate_series(0, 1) y) g (greatest)
WHERE quantity = 'supremum';
SELECT throws_ok($$SELECT dpsens.closed_form('models_tap_bars', 'plis', 'sql')$$, '54000', 'plis of this model is too large to be written out', 'not what is too large');
SELECT throws_ok($$SELECT dpsens.closed_form('models_tap_bars', 'plis', 'SQL')$$, '22023', 'unrecognized format "SQL"', 'not in another format');

-- Clipping.
SELECT ok(pg_temp.near(dpsens.privacy_loss(model, x, y, 1, 0.1), 0.01), model || ': a clipped privacy loss') FROM reference WHERE norm_squared > 0.01;
SELECT is(dpsens.plis(model, x, y, clip => 0.1), array_fill(0::float8, ARRAY[cardinality(x)]), model || ': PLIS of a clipped example is 0')
FROM reference WHERE norm_squared > 0.01;
SELECT ok(pg_temp.near(dpsens.plis(model, x, y, 2, 100), plis), model || ': and as it is of another') FROM reference;

-- PLIS is what differences of the privacy loss say, also through convolutions.
SELECT dpsens.create_model('models_tap_images', '{"input": [2, 6, 6], "seed": 3, "loss": "categorical_cross_entropy", "layers": [
    {"type": "conv2d", "filters": 4, "kernel": 3, "padding": 1, "activation": "gelu"}, {"type": "max_pool", "kernel": 2},
    {"type": "depthwise_conv2d", "kernel": 2, "activation": {"type": "tempered_sigmoid", "scale": 1.5, "temperature": 3, "offset": 0.5}},
    {"type": "average_pool", "kernel": 2}, {"type": "dense", "units": 3, "activation": "softmax"}]}');
CREATE TEMP TABLE image AS SELECT array_agg(0.5 + 0.5 * sin(1.3 * i)) AS x FROM generate_series(1, 72) i;
SELECT ok(bool_and(abs((dpsens.plis('models_tap_images', x, 1))[k] - (dpsens.privacy_loss('models_tap_images', x[:k-1] || x[k] + 1e-5 || x[k+1:], 1) -
    dpsens.privacy_loss('models_tap_images', x[:k-1] || x[k] - 1e-5 || x[k+1:], 1)) / 2e-5) < 1e-6), 'PLIS by differences')
FROM image, generate_series(1, 72) k;
SELECT ok(abs((SELECT sum(p) FROM unnest(dpsens.predict('models_tap_images', x)) p) - 1) < 1e-12, 'probabilities add up to 1') FROM image;
SELECT ok(abs(dpsens.loss('models_tap_images', x, 2) + ln((dpsens.predict('models_tap_images', x))[3])) < 1e-12, 'classes count from 0') FROM image;
SELECT ok(abs(dpsens.loss('models_tap_images', x, '{0.5,0,0.5}'::float8[]) -
    (dpsens.loss('models_tap_images', x, 0) + dpsens.loss('models_tap_images', x, 2)) / 2) < 1e-12, 'or are probabilities') FROM image;
SELECT is(dpsens.loss('models_tap_images', x, c), NULL, 'class ' || c || ' is none') FROM image, unnest('{3,-1,0.5,NaN,Infinity}'::float8[]) c;

-- As heat maps, a cell for every feature, or for every two of them.
CREATE FUNCTION pg_temp.boxes(figure text) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT count(*)::int FROM regexp_matches(figure, '<rect ', 'g') $$;
SELECT is(pg_temp.boxes(dpsens.heatmap(numbers, columns, what)) - pg_temp.boxes(dpsens.heatmap('{1}')), cells - 1, 'a heat map of ' || what)
FROM reference, LATERAL (VALUES ('partial sensitivity', dpsens.partial_sensitivity(model, x, y), 5, 25), ('the normalised gradient', dpsens.normalized_gradient(model, x, y), 5, 25),
    ('PLIS', dpsens.plis(model, x, y), 5, 25), ('Fisher information', dpsens.fim(model, x, y), NULL, 625),
    ('Fisher information loss by pixel', (SELECT array_agg(sqrt((m)[k][k]) ORDER BY k) FROM dpsens.fim(model, x, y) m, generate_series(1, 25) k), 5, 25)) t (what, numbers, columns, cells)
WHERE model = 'models_tap_bars';

-- Numbers never raise an error.
SELECT dpsens.set_model_parameters('models_tap_linear', '{9,-9,9,9,-9,0}');
SELECT is(dpsens.predict('models_tap_linear', t::float8[]), NULL, 'no prediction of ' || t)
FROM unnest(ARRAY['{1,2,NULL,4,5}', '{1,2,NaN,4,5}', '{1,2,Infinity,4,5}', '{-1e308,1e308,-1e308,-1e308,1e308}']) AS t;
SELECT is(dpsens.loss('models_tap_linear', '{1,2,3,4,5}', 1e200), NULL, 'nor a loss that overflows');
SELECT is(dpsens.loss('models_tap_linear', NULL, 1), NULL, 'NULL of NULL');
SELECT dpsens.set_model_parameters('models_tap_linear', '{0,0,0,0,0,0}');
SELECT is(dpsens.gradient_norm('models_tap_linear', '{1,2,3,4,5}', 0), 0::float8, 'no gradient');
SELECT is(dpsens.partial_sensitivity('models_tap_linear', '{1,2,3,4,5}', 0), NULL, 'and then no partial sensitivity');
SELECT is(dpsens.normalized_gradient('models_tap_linear', '{1,2,3,4,5}', 0), NULL, 'and no normalised gradient');

-- Storage.
SELECT is(dpsens.model_parameters('models_tap_linear'), '{0,0,0,0,0,0}', 'parameters come back');
SELECT is(dpsens.predict('models_tap_linear', '{1,2,3,4,5}'), '{0}', 'and count at once');
SELECT dpsens.create_model('models_tap_again', definition) FROM dpsens.models WHERE name = 'models_tap_images';
SELECT is(dpsens.model_parameters('models_tap_again'), dpsens.model_parameters('models_tap_images'), 'a seed makes the same parameters');
SELECT results_eq($$SELECT parameters::bigint FROM dpsens.models WHERE name = 'models_tap_images'$$,
    $$SELECT sum(parameters)::bigint FROM dpsens.model_summary('models_tap_images')$$, 'the summary counts them');
SELECT throws_ok($$SELECT dpsens.create_model('models_tap_again', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "squared"}')$$,
    '42710', 'model "models_tap_again" already exists', 'a name is taken once');
SELECT dpsens.drop_model('models_tap_again');
SELECT throws_ok($$SELECT dpsens.predict('models_tap_again', '{1}')$$, '42704', 'model "models_tap_again" does not exist', 'a model is dropped');
SELECT throws_ok($$SELECT dpsens.set_model_parameters('models_tap_linear', '{0,0,0,0,0,NaN}')$$, '22023', 'parameters must be finite numbers', 'NaN is no parameter');
SELECT throws_ok($$SELECT dpsens.set_model_parameters('models_tap_linear', '{0,0,0,0,0,NULL}')$$, '22023', 'parameters must be finite numbers', 'nor is NULL');
SELECT throws_ok($$SELECT dpsens.set_model_parameters('models_tap_linear', '{0}')$$, '2202E', 'parameters must have 6 elements, not 1', 'and they are counted');

-- A function's call site sees changes that its own transaction makes, and that
-- it takes back.
CREATE FUNCTION pg_temp.read_again(OUT before float8, OUT after float8, OUT undone float8) LANGUAGE plpgsql AS $$
DECLARE
    value float8;
BEGIN
    FOR i IN 1 .. 3 LOOP
        value := (dpsens.predict('models_tap_linear', '{1,0,0,0,0}'))[1];
        IF i = 1 THEN
            before := value;
            PERFORM dpsens.set_model_parameters('models_tap_linear', '{7,0,0,0,0,0}');
        ELSIF i = 2 THEN
            after := value;
            BEGIN
                PERFORM dpsens.set_model_parameters('models_tap_linear', '{9,0,0,0,0,0}');
                RAISE EXCEPTION 'undo';
            EXCEPTION WHEN raise_exception THEN NULL;
            END;
        ELSE
            undone := value;
        END IF;
    END LOOP;
END$$;
SELECT is(pg_temp.read_again()::text, '(0,7,7)', 'parameters are read again when they have changed');

-- Ownership.
CREATE ROLE models_tap_ana;
CREATE ROLE models_tap_group;
CREATE ROLE models_tap_member IN ROLE models_tap_group;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO models_tap_group', current_database()); END $$;
CREATE FUNCTION models_tap_look(name, jsonb) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE EXCEPTION 'seen: % %', $1, $2; END $$;
SET LOCAL ROLE models_tap_ana;
SELECT throws_ok($$SELECT dpsens.create_model('models_tap_ana', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "squared"}')$$,
    '42501', 'permission denied to create a model', 'creating needs the privilege');
SELECT throws_ok('SELECT * FROM dpsens.stored_models', '42501', 'permission denied for table stored_models', 'the table is nobody''s');
SELECT is_empty('SELECT * FROM dpsens.models', 'others'' models are not shown');
SELECT is_empty('SELECT * FROM dpsens.models WHERE models_tap_look(name, definition)', 'to a function that would be called first, either');
SELECT throws_ok(format('SELECT dpsens.%s', call), '42501', 'permission denied for model "models_tap_linear"', call)
FROM unnest(ARRAY[$$predict('models_tap_linear', '{1,2,3,4,5}')$$, $$loss('models_tap_linear', '{1,2,3,4,5}', 1)$$,
    $$gradient_norm('models_tap_linear', '{1,2,3,4,5}', 1)$$, $$partial_sensitivity('models_tap_linear', '{1,2,3,4,5}', 1)$$,
    $$normalized_gradient('models_tap_linear', '{1,2,3,4,5}', 1)$$, $$privacy_loss('models_tap_linear', '{1,2,3,4,5}', 1)$$,
    $$plis('models_tap_linear', '{1,2,3,4,5}', 1)$$, $$fil('models_tap_linear', '{1,2,3,4,5}', 1)$$, $$fim('models_tap_linear', '{1,2,3,4,5}', 1)$$, $$fim_trace('models_tap_linear', '{1,2,3,4,5}', 1)$$,
    $$model_parameters('models_tap_linear')$$, $$model_summary('models_tap_linear')$$,
    $$closed_form('models_tap_linear', 'loss')$$, $$drop_model('models_tap_linear')$$, $$set_model_parameters('models_tap_linear', '{1}')$$]) call;
RESET ROLE;
SET LOCAL ROLE models_tap_group;
SELECT lives_ok($$SELECT dpsens.create_model('models_tap_shared', '{"input": 1, "layers": [{"type": "dense", "units": 1}], "loss": "squared"}')$$, 'a group creates');
RESET ROLE;
SET LOCAL ROLE models_tap_member;
SELECT is(cardinality(dpsens.predict('models_tap_shared', '{1}')), 1, 'and its members use it');
SELECT results_eq('SELECT name FROM dpsens.models', $$SELECT 'models_tap_shared'::name$$, 'and see it');
RESET ROLE;

SELECT is(provolatile::text || proparallel::text || proisstrict::text, 'sstrue', oid::regprocedure || ' is stable, parallel safe and strict')
FROM pg_proc WHERE pronamespace = 'dpsens'::regnamespace
    AND proname IN ('predict', 'loss', 'gradient_norm', 'partial_sensitivity', 'normalized_gradient', 'privacy_loss', 'plis', 'fil', 'fim', 'fim_trace');
SELECT * FROM finish();
ROLLBACK;
