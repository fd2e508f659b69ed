/*
 * formulas_wide.h
 *		The brackets of formulas.h that are not as tight as the others, and those that
 *		take long.
 *
 * With the far end as it is when all boxes are used, 200000 up to four columns, 20000
 * with more; INFINITY is a refusal without a reason.  NAN: it is tight then, but takes
 * more than 1000, or with five columns or more 200.  Behind it the relative distance from what is attained.
 */
#ifndef DPS_TEST_FORMULAS_WIDE_H
#define DPS_TEST_FORMULAS_WIDE_H

#include <math.h>

typedef struct WideBracket
{
	const char *formula;
	const char *quantity;
	double		end;			/* the upper one, of infima the lower one */
} WideBracket;

static const WideBracket wide_brackets[] =
{
	{"CKD-EPI 2009", "slope:scr", 277.91478965207506},	/* 0.039 */
	{"CKD-EPI cystatin C", "slope:scys", 282.59748530235356},	/* 0.3 */
	{"CKD-EPI creatinine and cystatin C", "slope:scr", 165.22363169507784},	/* 0.24 */
	{"CKD-EPI creatinine and cystatin C", "slope:scys", 202.8567591660184},	/* 0.36 */
	{"fatty liver index", "attribute:tg", 68.36442151849634},	/* 0.00038 */
	{"fatty liver index", "attribute:bmi", 91.60679237513035},	/* 4.6e-05 */
	{"fatty liver index", "attribute:ggt", 67.89277719962973},	/* 0.00039 */
	{"fatty liver index", "attribute:waist", 93.81822262926401},	/* 2e-05 */
	{"fatty liver index", "slope:tg", 0.7973282975358462},	/* 0.004 */
	{"fatty liver index", "slope:ggt", 3.604104976054653},	/* 0.0039 */
	{"Lille model", "metric", 0.7434340197537661},	/* 9.9 */
	{"Lille model", "attribute:age", 0.9701301277995102},	/* 0.023 */
	{"Lille model", "attribute:alb", 0.9411888436613225},	/* 0.046 */
	{"Lille model", "attribute:bili0", 0.9762241298126937},	/* 0.015 */
	{"Lille model", "attribute:bili7", 0.9981170544156994},	/* 0.0011 */
	{"Lille model", "attribute:renal", 0.3259213957670622},	/* 5.3 */
	{"Lille model", "attribute:pt", 0.6614051895375702},	/* 4.5 */
	{"oxygen dissociation", "metric", 0.21066071690678254},	/* 0.8 */
	{"oxygen dissociation", "slope:n", 0.4180549810645606},	/* 2.7 */
	{"Matsuda index", "slope:g0", NAN},
	{"Matsuda index", "slope:i0", NAN},
	{"Matsuda index", "slope:gm", NAN},
	{"Matsuda index", "slope:im", NAN},
	{"oral dose, one compartment", "infimum", -0.043729424014264544},
	{"oral dose, one compartment", "supremum", NAN},
	{"oral dose, one compartment", "metric", NAN},
	{"oral dose, one compartment", "attribute:dose", NAN},
	{"oral dose, one compartment", "slope:dose", NAN},
	{"oral dose, one compartment", "slope:ke", NAN},
	{"oral dose, one compartment", "slope:v", NAN},
	{"sigmoid Emax", "slope:n", 263.73530589602376},	/* 4.9 */
	{"sigmoid Emax", "slope:c", NAN},
	{"sigmoid Emax", "attribute:n", NAN},
	{"SCORE2, men, of low risk", "metric", NAN},
	{"SCORE2, men, of low risk", "attribute:age", NAN},
	{"SCORE2, men, of low risk", "slope:age", NAN},
	{"SCORE2, men, of low risk", "attribute:smoker", NAN},
	{"pooled cohorts, white women", "infimum", NAN},
	{"pooled cohorts, white women", "supremum", NAN},
	{"pooled cohorts, white women", "metric", NAN},
	{"pooled cohorts, white women", "attribute:age", NAN},
	{"pooled cohorts, white women", "slope:age", NAN},
	{"pooled cohorts, white women", "attribute:tc", NAN},
	{"pooled cohorts, white women", "slope:tc", NAN},
	{"pooled cohorts, white women", "attribute:hdl", NAN},
	{"pooled cohorts, white women", "slope:hdl", NAN},
	{"pooled cohorts, white women", "attribute:sbp", NAN},
	{"pooled cohorts, white women", "slope:sbp", NAN},
	{"pooled cohorts, white women", "attribute:treated", NAN},
	{"pooled cohorts, white women", "attribute:smoker", NAN},
	{"pooled cohorts, white women", "attribute:diabetes", NAN},
	{"pooled cohorts, white men", "infimum", NAN},
	{"pooled cohorts, white men", "supremum", NAN},
	{"pooled cohorts, white men", "metric", NAN},
	{"pooled cohorts, white men", "attribute:age", NAN},
	{"pooled cohorts, white men", "slope:age", NAN},
	{"pooled cohorts, white men", "attribute:tc", NAN},
	{"pooled cohorts, white men", "slope:tc", NAN},
	{"pooled cohorts, white men", "attribute:hdl", NAN},
	{"pooled cohorts, white men", "slope:hdl", NAN},
	{"pooled cohorts, white men", "attribute:sbp", NAN},
	{"pooled cohorts, white men", "slope:sbp", NAN},
	{"pooled cohorts, white men", "attribute:treated", NAN},
	{"pooled cohorts, white men", "attribute:smoker", NAN},
	{"pooled cohorts, white men", "attribute:diabetes", NAN},
	{"pooled cohorts, black men", "metric", 0.3074135863471869},	/* 4.1e-05 */
	{"pooled cohorts, black men", "attribute:tc", 0.09977046539047853},	/* 1e-05 */
	{"pooled cohorts, black men", "attribute:hdl", 0.179940196950396},	/* 2.3e-06 */
	{"pooled cohorts, black men", "attribute:diabetes", 0.23326253350491724},	/* 7e-05 */
	{"pooled cohorts, black men", "slope:tc", 0.0008546141903639664},	/* 2.3e-06 */
	{"pooled cohorts, black men", "slope:hdl", 0.005646991934294186},	/* 7.5e-06 */
	{"pooled cohorts, black men", "slope:age", NAN},
	{"pooled cohorts, black men", "attribute:sbp", NAN},
	{"pooled cohorts, black men", "slope:sbp", NAN},
	{"pooled cohorts, black men", "attribute:smoker", NAN},
	{"pooled cohorts, black women", "metric", 0.41848584915210896},	/* 0.04 */
	{"pooled cohorts, black women", "attribute:tc", 0.3238239117929116},	/* 0.071 */
	{"pooled cohorts, black women", "attribute:smoker", 0.26167424380423127},	/* 0.05 */
	{"pooled cohorts, black women", "attribute:diabetes", 0.322455311440234},	/* 0.035 */
	{"pooled cohorts, black women", "slope:age", 0.10025252559653004},	/* 0.97 */
	{"pooled cohorts, black women", "slope:tc", 0.0027291313721737906},	/* 0.026 */
	{"pooled cohorts, black women", "slope:hdl", 0.118778952675074},	/* 1.7 */
	{"pooled cohorts, black women", "slope:sbp", 0.037061811064604155},	/* 1.7 */
	{"pooled cohorts, black women", "supremum", NAN},
	{"pooled cohorts, black women", "attribute:age", NAN},
	{"pooled cohorts, black women", "attribute:hdl", NAN},
	{"pooled cohorts, black women", "attribute:sbp", NAN},
	{"cardiovascular risk, men", "attribute:age", 0.7798298536273751},	/* 0.0024 */
	{"cardiovascular risk, men", "attribute:tc", 0.5273857737372974},	/* 0.005 */
	{"cardiovascular risk, men", "attribute:hdl", 0.6662627998540028},	/* 0.0021 */
	{"cardiovascular risk, men", "attribute:sbp", 0.5199598993993053},	/* 0.0056 */
	{"cardiovascular risk, men", "slope:age", 0.037540928191257684},	/* 7.7e-05 */
	{"cardiovascular risk, men", "slope:tc", 0.0041350478806537975},	/* 0.00029 */
	{"cardiovascular risk, men", "metric", NAN},
	{"cardiovascular risk, men", "slope:hdl", NAN},
	{"cardiovascular risk, men", "slope:sbp", NAN},
	{"cardiovascular risk, men", "attribute:smoker", NAN},
	{"cardiovascular risk, men", "attribute:diabetes", NAN},
	{"cardiovascular risk without laboratory, women", "attribute:age", NAN},
	{"cardiovascular risk without laboratory, women", "slope:age", NAN},
	{"cardiovascular risk without laboratory, women", "attribute:bmi", NAN},
	{"cardiovascular risk without laboratory, women", "slope:bmi", NAN},
	{"cardiovascular risk without laboratory, women", "slope:sbp", NAN},
	{"cardiovascular risk without laboratory, women", "attribute:smoker", NAN},
	{"cardiovascular risk without laboratory, women", "attribute:diabetes", NAN},
	{"Reynolds score, women", "metric", NAN},
	{"Reynolds score, women", "attribute:age", NAN},
	{"Reynolds score, women", "slope:age", NAN},
	{"Reynolds score, women", "attribute:sbp", NAN},
	{"Reynolds score, women", "slope:sbp", NAN},
	{"Reynolds score, women", "attribute:crp", NAN},
	{"Reynolds score, women", "slope:crp", NAN},
	{"Reynolds score, women", "attribute:tc", NAN},
	{"Reynolds score, women", "slope:tc", NAN},
	{"Reynolds score, women", "attribute:hdl", NAN},
	{"Reynolds score, women", "slope:hdl", NAN},
	{"Reynolds score, women", "attribute:smoker", NAN},
	{"Reynolds score, women", "attribute:parent", NAN},
	{"CHA2DS2-VASc", "metric", NAN},
	{"CHA2DS2-VASc", "attribute:age", NAN},
	{"CHA2DS2-VASc", "attribute:female", NAN},
	{"CHA2DS2-VASc", "attribute:chf", NAN},
	{"CHA2DS2-VASc", "attribute:hypertension", NAN},
	{"CHA2DS2-VASc", "attribute:stroke", NAN},
	{"CHA2DS2-VASc", "attribute:vascular", NAN},
	{"CHA2DS2-VASc", "attribute:diabetes", NAN},
	{"HAS-BLED", "attribute:sbp", 2},	/* 1 */
	{"HAS-BLED", "attribute:age", 2},	/* 1 */
	{"HAS-BLED", "attribute:inr", 2},	/* 1 */
	{"HAS-BLED", "attribute:stroke", 2},	/* 1 */
	{"HAS-BLED", "attribute:bleeding", 2},	/* 1 */
	{"HAS-BLED", "attribute:drugs", NAN},
	{"CURB-65", "attribute:confusion", 2},	/* 1 */
	{"CURB-65", "attribute:urea", 2},	/* 1 */
	{"CURB-65", "attribute:rr", 2},	/* 1 */
	{"CURB-65", "attribute:sbp", 2},	/* 1 */
	{"CURB-65", "attribute:dbp", 2},	/* 1 */
	{"NEWS2", "attribute:rr", 10},	/* 2.3 */
	{"NEWS2", "attribute:spo2", 10},	/* 2.3 */
	{"NEWS2", "attribute:sbp", 9},	/* 2 */
	{"NEWS2", "attribute:pulse", 7},	/* 1.3 */
	{"NEWS2", "attribute:temp", 7},	/* 1.3 */
	{"APACHE II, mean pressure and potassium", "attribute:map", 6},	/* 0.5 */
	{"TRISS", "metric", 0.7966500117340388},	/* 0.66 */
	{"TRISS", "attribute:gcs", 0.6395444367340769},	/* 3.1e-06 */
	{"TRISS", "attribute:sbp", NAN},
	{"TRISS", "attribute:rr", NAN},
	{"pulmonary embolism severity", "attribute:age", 112},	/* 0.22 */
	{"pulmonary embolism severity", "attribute:male", 30},	/* 2 */
	{"pulmonary embolism severity", "attribute:cancer", 50},	/* 0.67 */
	{"pulmonary embolism severity", "attribute:pulse", 40},	/* 1 */
	{"pulmonary embolism severity", "attribute:sbp", 50},	/* 0.67 */
	{"kidney failure risk", "metric", 0.1339156375948263},	/* 3.7e-05 */
	{"kidney failure risk", "attribute:male", 0.09053363570867486},	/* 8e-05 */
	{"kidney failure risk", "attribute:acr", NAN},
	{"nodule cancer, Brock", "metric", NAN},
	{"nodule cancer, Brock", "attribute:age", NAN},
	{"nodule cancer, Brock", "slope:age", NAN},
	{"nodule cancer, Brock", "attribute:female", NAN},
	{"nodule cancer, Brock", "attribute:family", NAN},
	{"nodule cancer, Brock", "attribute:emphysema", NAN},
	{"nodule cancer, Brock", "slope:size", NAN},
	{"nodule cancer, Brock", "attribute:n", NAN},
	{"nodule cancer, Brock", "slope:n", NAN},
	{"nodule cancer, Brock", "attribute:upper", NAN},
	{"nodule cancer, Brock", "attribute:spicules", NAN},
	{"nodule cancer, Mayo", "metric", NAN},
	{"nodule cancer, Mayo", "attribute:age", NAN},
	{"nodule cancer, Mayo", "slope:age", NAN},
	{"nodule cancer, Mayo", "attribute:smoker", NAN},
	{"nodule cancer, Mayo", "attribute:cancer", NAN},
	{"nodule cancer, Mayo", "attribute:d", NAN},
	{"nodule cancer, Mayo", "slope:d", NAN},
	{"nodule cancer, Mayo", "attribute:spicules", NAN},
	{"nodule cancer, Mayo", "attribute:upper", NAN},
	{"resting potential", "metric", NAN},
	{"resting potential", "slope:ko", NAN},
	{"resting potential", "slope:ki", NAN},
	{"resting potential", "slope:nao", NAN},
	{"resting potential", "attribute:nai", NAN},
	{"resting potential", "slope:nai", NAN},
	{"resting potential", "attribute:cli", NAN},
	{"resting potential", "slope:cli", NAN},
	{"resting potential", "attribute:clo", NAN},
	{"resting potential", "slope:clo", NAN},
	{"motor tax by displacement and emission", "metric", 7.400027026977673},	/* 0.85 */
	{"Makeham survival", "attribute:a", NAN},
	{"Makeham survival", "slope:b", NAN},
	{"call price, logistic distribution", "infimum", -12.125747658076541},
	{"call price, logistic distribution", "metric", 400.5207944295964},	/* 1.1 */
	{"call price, logistic distribution", "attribute:s", 121.742341516541},	/* 0.51 */
	{"call price, logistic distribution", "attribute:k", 82.21244414078208},	/* 1.1 */
	{"call price, logistic distribution", "attribute:r", 42.02125882895454},	/* 1.9 */
	{"call price, logistic distribution", "attribute:v", 64.81987343067435},	/* 1.4 */
	{"call price, logistic distribution", "attribute:t", 72.74442090757294},	/* 1.3 */
	{"call price, logistic distribution", "slope:s", 2.7047289397098426},	/* 1.7 */
	{"call price, logistic distribution", "slope:k", 2.812103338848258},	/* 1.8 */
	{"call price, logistic distribution", "slope:r", 259.8267371437579},	/* 0.42 */
	{"call price, logistic distribution", "slope:v", 361.99358229599073},	/* 4.3 */
	{"call price, logistic distribution", "slope:t", 119.58880132227779},	/* 2.6 */
	{"call price, logistic distribution", "supremum", NAN},
	{"yield curve", "metric", 1.6074966102090433},	/* 0.14 */
	{"yield curve", "slope:m", 0.39322684772830147},	/* 3.8 */
	{"yield curve", "infimum", NAN},
	{"yield curve", "supremum", NAN},
	{"yield curve", "attribute:b1", NAN},
	{"yield curve", "slope:b1", NAN},
	{"yield curve", "attribute:b2", NAN},
	{"yield curve", "slope:b2", NAN},
	{"yield curve", "attribute:m", NAN},
	{"yield curve", "attribute:tau", NAN},
	{"yield curve", "slope:tau", NAN},
	{"volatility of two assets", "infimum", -INFINITY},
	{"volatility of two assets", "supremum", INFINITY},
	{"volatility of two assets", "attribute:w", INFINITY},
	{"volatility of two assets", "attribute:s1", INFINITY},
	{"volatility of two assets", "attribute:s2", INFINITY},
	{"volatility of two assets", "attribute:rho", INFINITY},
	{"volatility of two assets", "slope:w", INFINITY},
	{"volatility of two assets", "slope:s1", INFINITY},
	{"volatility of two assets", "slope:s2", INFINITY},
	{"volatility of two assets", "slope:rho", INFINITY},
	{"limited expected value, Pareto", "slope:x", 1.0000094920917815},	/* 9.5e-06 */
	{"constant elasticity of substitution", "supremum", 100.00051405076645},	/* 5.1e-06 */
	{"constant elasticity of substitution", "slope:rho", 136.6113116056026},	/* 0.8 */
	{"store choice", "metric", 0.9543212522243583},	/* 0.35 */
	{"store choice", "attribute:s1", 0.8188250173020328},	/* 0.00079 */
	{"store choice", "attribute:d1", 0.9672837574496336},	/* 7.3e-05 */
	{"store choice", "attribute:s2", 0.8198833608388622},	/* 0.0021 */
	{"store choice", "attribute:d2", 0.9673610029616341},	/* 0.00015 */
	{"store choice", "slope:s1", 0.0025126776973579336},	/* 0.0051 */
	{"store choice", "slope:d1", 0.5367965348476682},	/* 0.074 */
	{"store choice", "slope:s2", 0.0025136325358210607},	/* 0.0055 */
	{"store choice", "slope:d2", 0.5444173213888202},	/* 0.089 */
	{"mode choice", "metric", NAN},
	{"mode choice", "attribute:t1", NAN},
	{"mode choice", "slope:t1", NAN},
	{"mode choice", "attribute:c1", NAN},
	{"mode choice", "slope:c1", NAN},
	{"mode choice", "attribute:t2", NAN},
	{"mode choice", "slope:t2", NAN},
	{"mode choice", "attribute:c2", NAN},
	{"mode choice", "slope:c2", NAN},
	{"mode choice", "attribute:car", NAN},
	{"airborne infection", "metric", 3.4481482916390545},	/* 1.4 */
	{"airborne infection", "attribute:i", 0.8596952399042083},	/* 0.059 */
	{"airborne infection", "attribute:q", 0.9570338462887275},	/* 0.013 */
	{"airborne infection", "attribute:p", 0.6361364963758549},	/* 0.19 */
	{"airborne infection", "attribute:t", 0.8702094543938684},	/* 0.043 */
	{"airborne infection", "attribute:v", 0.9193409398948897},	/* 0.016 */
	{"airborne infection", "slope:i", 0.4556782420466435},	/* 0.24 */
	{"airborne infection", "slope:q", 0.3755444331083701},	/* 0.021 */
	{"airborne infection", "slope:p", 1.790836423398458},	/* 0.46 */
	{"airborne infection", "slope:t", 0.8490485635539813},	/* 0.15 */
	{"airborne infection", "slope:v", 0.010304665170830653},	/* 1.8 */
	{"correlation of a confusion matrix", "infimum", NAN},
	{"correlation of a confusion matrix", "supremum", NAN},
	{"correlation of a confusion matrix", "metric", NAN},
	{"correlation of a confusion matrix", "attribute:tp", NAN},
	{"correlation of a confusion matrix", "slope:tp", NAN},
	{"correlation of a confusion matrix", "attribute:tn", NAN},
	{"correlation of a confusion matrix", "slope:tn", NAN},
	{"correlation of a confusion matrix", "attribute:fp", NAN},
	{"correlation of a confusion matrix", "slope:fp", NAN},
	{"correlation of a confusion matrix", "attribute:fn", NAN},
	{"correlation of a confusion matrix", "slope:fn", NAN},
	{"dose and response, beta-Poisson", "metric", 45.50011978722497},	/* 3.4 */
	{"dose and response, beta-Poisson", "attribute:a", 0.7990323149050172},	/* 1.5 */
	{"dose and response, beta-Poisson", "slope:a", 19.594540774262782},	/* 4.8 */
	{"dose and response, beta-Poisson", "slope:n50", 0.04360699309960662},	/* 0.74 */
	{"Gompertz growth", "attribute:b", NAN},
	{"Gompertz growth", "slope:t", NAN},
	{"growth curve, Richards", "slope:k", NAN},
	{"competitive inhibition", "attribute:km", 81.99717928141192},	/* 0.0022 */
	{"competitive inhibition", "slope:km", 255.12089399409408},	/* 0.02 */
	{"competitive inhibition", "slope:ki", 95.27126864112661},	/* 0.92 */
	{"competitive inhibition", "metric", NAN},
	{"competitive inhibition", "attribute:i", NAN},
	{"competitive inhibition", "slope:i", NAN},
	{"competitive inhibition", "attribute:ki", NAN},
	{"allosteric saturation", "attribute:a", 1.018450224000809},	/* 0.039 */
	{"allosteric saturation", "attribute:c", 0.5084132712139647},	/* 1 */
	{"allosteric saturation", "slope:c", 9.014319733621416},	/* 0.69 */
	{"electrode potential", "slope:ci", NAN},
	{"elevation of the sun", "metric", 1.4939401984689218},	/* 0.056 */
	{"elevation of the sun", "slope:lat", 1.1597756954556697},	/* 0.16 */
	{"elevation of the sun", "slope:d", 1.113759877334302},	/* 0.11 */
	{"impedance", "attribute:r", 99.02261268794756},	/* 0.00023 */
	{"equivalent stress", "infimum", -INFINITY},
	{"equivalent stress", "supremum", INFINITY},
	{"equivalent stress", "metric", INFINITY},
	{"equivalent stress", "attribute:x", INFINITY},
	{"equivalent stress", "attribute:y", INFINITY},
	{"equivalent stress", "attribute:t", INFINITY},
	{"equivalent stress", "slope:x", INFINITY},
	{"equivalent stress", "slope:y", INFINITY},
	{"equivalent stress", "slope:t", INFINITY},
	{"principal stress", "metric", 1.707106781186548},	/* 0.39 */
	{"principal stress", "attribute:t", 100.0001907346814},	/* 1.9e-06 */
	{"runoff by curve number", "metric", INFINITY},
	{"divergence of two normal laws", "infimum", -1.0913975869021526e-07},
	{"divergence of two coins", "infimum", -1.161511860396506e-07},
	{"wing loss", "metric", INFINITY},
};

#define WIDE_BRACKETS (sizeof(wide_brackets) / sizeof(wide_brackets[0]))

#endif							/* DPS_TEST_FORMULAS_WIDE_H */
