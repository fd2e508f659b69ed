/*
 * formulas_wide.h
 *		The brackets of formulas.h that are not as tight as the others, and those that
 *		take long.
 *
 * With the far end as it is when all boxes are used, 200000 up to four columns, 3000
 * with more; INFINITY is a refusal without a reason.  NAN: it is tight then, but takes
 * more than 1000 boxes, or with five columns or more 200.  Behind an end is its relative
 * distance from what is attained.
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
	{"Lille model", "metric", NAN},
	{"Lille model", "attribute:renal", NAN},
	{"Lille model", "attribute:pt", NAN},
	{"oxygen dissociation", "slope:n", 0.4180549810645606},	/* 2.7 */
	{"Matsuda index", "slope:g0", NAN},
	{"Matsuda index", "slope:i0", NAN},
	{"Matsuda index", "slope:gm", NAN},
	{"Matsuda index", "slope:im", NAN},
	{"Matsuda index", "metric", NAN},
	{"oral dose, one compartment", "infimum", -0.9343910452382326},
	{"oral dose, one compartment", "attribute:ka", 95.81506341204918},	/* 1.2 */
	{"oral dose, one compartment", "attribute:ke", 80.86163941601134},	/* 0.16 */
	{"oral dose, one compartment", "attribute:t", 95.45992244364268},	/* 0.023 */
	{"oral dose, one compartment", "slope:ka", 110.28308395747312},	/* 1.5 */
	{"oral dose, one compartment", "supremum", NAN},
	{"oral dose, one compartment", "metric", NAN},
	{"oral dose, one compartment", "attribute:dose", NAN},
	{"oral dose, one compartment", "slope:dose", NAN},
	{"oral dose, one compartment", "slope:ke", NAN},
	{"oral dose, one compartment", "slope:v", NAN},
	{"oral dose, one compartment", "attribute:v", NAN},
	{"blood alcohol", "attribute:t", NAN},
	{"sigmoid Emax", "metric", 967.001939170731},	/* 1.3 */
	{"sigmoid Emax", "slope:ec50", NAN},
	{"sigmoid Emax", "slope:n", 928.0618249034202},	/* 20 */
	{"sigmoid Emax", "slope:c", 418.97251013167414},	/* 0.014 */
	{"sigmoid Emax", "attribute:n", NAN},
	{"SCORE2, men, of low risk", "metric", NAN},
	{"SCORE2, men, of low risk", "attribute:age", NAN},
	{"SCORE2, men, of low risk", "slope:age", NAN},
	{"SCORE2, men, of low risk", "attribute:smoker", NAN},
	{"pooled cohorts, white women", "metric", 20260.164573005168},	/* 3.6e+04 */
	{"pooled cohorts, white women", "attribute:age", 0.994608004316953},	/* 0.086 */
	{"pooled cohorts, white women", "attribute:tc", 0.994608004316953},	/* 0.67 */
	{"pooled cohorts, white women", "attribute:hdl", 0.994608004316953},	/* 0.2 */
	{"pooled cohorts, white women", "attribute:sbp", 0.6280048193674838},	/* 0.17 */
	{"pooled cohorts, white women", "attribute:treated", 0.994608004316953},	/* 7.3 */
	{"pooled cohorts, white women", "attribute:smoker", 0.994608004316953},	/* 1 */
	{"pooled cohorts, white women", "attribute:diabetes", 0.994608004316953},	/* 3.2 */
	{"pooled cohorts, white women", "slope:age", 316775.1860317374},
	{"pooled cohorts, white women", "slope:tc", 26327.32976187551},
	{"pooled cohorts, white women", "slope:hdl", 109844.85580992243},
	{"pooled cohorts, white women", "slope:sbp", 174.3730124272607},	/* 2.4e+04 */
	{"pooled cohorts, white women", "infimum", NAN},
	{"pooled cohorts, white women", "supremum", NAN},
	{"pooled cohorts, white men", "metric", 59.972329303639405},	/* 1.2e+02 */
	{"pooled cohorts, white men", "attribute:age", 0.9839919802181011},	/* 0.21 */
	{"pooled cohorts, white men", "attribute:tc", 0.9839919802181011},	/* 0.68 */
	{"pooled cohorts, white men", "attribute:hdl", 0.9839919802181011},	/* 0.44 */
	{"pooled cohorts, white men", "attribute:sbp", 0.5859924378113712},	/* 0.2 */
	{"pooled cohorts, white men", "attribute:treated", 0.9839919802181011},	/* 14 */
	{"pooled cohorts, white men", "attribute:smoker", 0.9839919802181011},	/* 1.3 */
	{"pooled cohorts, white men", "attribute:diabetes", 0.9839919802181011},	/* 3.1 */
	{"pooled cohorts, white men", "slope:age", 231.1401692107334},	/* 6.2e+03 */
	{"pooled cohorts, white men", "slope:tc", 50.39701391235321},	/* 1.4e+04 */
	{"pooled cohorts, white men", "slope:hdl", 160.47046754489},	/* 6e+03 */
	{"pooled cohorts, white men", "slope:sbp", 2.777092642916303},	/* 4.1e+02 */
	{"pooled cohorts, white men", "infimum", NAN},
	{"pooled cohorts, white men", "supremum", NAN},
	{"pooled cohorts, black men", "metric", NAN},
	{"pooled cohorts, black men", "attribute:diabetes", NAN},
	{"pooled cohorts, black men", "slope:tc", NAN},
	{"pooled cohorts, black men", "slope:hdl", NAN},
	{"pooled cohorts, black men", "slope:age", NAN},
	{"pooled cohorts, black men", "slope:sbp", NAN},
	{"pooled cohorts, black men", "attribute:smoker", NAN},
	{"pooled cohorts, black women", "metric", 0.88747711935761364},	/* 1.2 */
	{"pooled cohorts, black women", "attribute:tc", 0.4402565378219451},	/* 0.46 */
	{"pooled cohorts, black women", "attribute:hdl", 0.9308027091752952},	/* 0.031 */
	{"pooled cohorts, black women", "attribute:sbp", 0.9289196812128431},	/* 3.3e-06 */
	{"pooled cohorts, black women", "attribute:smoker", 0.68187080720025284},	/* 1.7 */
	{"pooled cohorts, black women", "attribute:diabetes", 0.56546098565712566},	/* 0.81 */
	{"pooled cohorts, black women", "slope:age", 0.19717686868655063},	/* 2.9 */
	{"pooled cohorts, black women", "slope:hdl", 0.2177047003127116},	/* 3.9 */
	{"pooled cohorts, black women", "slope:sbp", 0.07214261727470893},	/* 4.3 */
	{"pooled cohorts, black women", "supremum", NAN},
	{"pooled cohorts, black women", "attribute:age", NAN},
	{"cardiovascular risk, men", "attribute:age", NAN},
	{"cardiovascular risk, men", "slope:age", NAN},
	{"cardiovascular risk, men", "slope:tc", NAN},
	{"cardiovascular risk, men", "slope:hdl", NAN},
	{"cardiovascular risk, men", "metric", NAN},
	{"cardiovascular risk, men", "slope:sbp", NAN},
	{"cardiovascular risk, men", "attribute:smoker", NAN},
	{"cardiovascular risk, men", "attribute:diabetes", NAN},
	{"cardiovascular risk without laboratory, women", "attribute:age", NAN},
	{"cardiovascular risk without laboratory, women", "slope:age", NAN},
	{"cardiovascular risk without laboratory, women", "slope:bmi", NAN},
	{"cardiovascular risk without laboratory, women", "attribute:smoker", NAN},
	{"cardiovascular risk without laboratory, women", "attribute:diabetes", NAN},
	{"cardiovascular risk without laboratory, women", "metric", NAN},
	{"Reynolds score, women", "metric", NAN},
	{"Reynolds score, women", "attribute:smoker", NAN},
	{"Reynolds score, women", "attribute:parent", NAN},
	{"Reynolds score, women", "slope:crp", NAN},
	{"Reynolds score, women", "slope:sbp", NAN},
	{"Reynolds score, women", "slope:tc", NAN},
	{"Reynolds score, women", "slope:hdl", NAN},
	{"TRISS", "metric", 1.4947613083304823},	/* 2.1 */
	{"TRISS", "slope:gcs", NAN},
	{"TRISS", "slope:sbp", NAN},
	{"TRISS", "slope:rr", NAN},
	{"TRISS", "slope:iss", NAN},
	{"TRISS", "attribute:sbp", NAN},
	{"TRISS", "attribute:rr", NAN},
	{"TRISS", "attribute:gcs", NAN},
	{"TRISS", "attribute:old", NAN},
	{"kidney failure risk", "metric", NAN},
	{"kidney failure risk", "attribute:male", NAN},
	{"nodule cancer, Brock", "metric", NAN},
	{"nodule cancer, Brock", "attribute:age", NAN},
	{"nodule cancer, Brock", "attribute:female", NAN},
	{"nodule cancer, Brock", "attribute:family", NAN},
	{"nodule cancer, Brock", "attribute:emphysema", NAN},
	{"nodule cancer, Brock", "attribute:n", NAN},
	{"nodule cancer, Brock", "attribute:upper", NAN},
	{"nodule cancer, Brock", "attribute:spicules", NAN},
	{"nodule cancer, Brock", "slope:size", NAN},
	{"nodule cancer, Mayo", "metric", NAN},
	{"nodule cancer, Mayo", "attribute:smoker", NAN},
	{"nodule cancer, Mayo", "attribute:cancer", NAN},
	{"nodule cancer, Mayo", "attribute:spicules", NAN},
	{"nodule cancer, Mayo", "attribute:upper", NAN},
	{"nodule cancer, Mayo", "attribute:age", NAN},
	{"nodule cancer, Mayo", "attribute:d", NAN},
	{"resting potential", "metric", NAN},
	{"resting potential", "slope:ko", NAN},
	{"resting potential", "slope:ki", NAN},
	{"resting potential", "slope:nao", NAN},
	{"resting potential", "attribute:nai", 0.11362059417428082},	/* 3e-05 */
	{"resting potential", "slope:nai", NAN},
	{"resting potential", "attribute:cli", NAN},
	{"resting potential", "slope:cli", NAN},
	{"resting potential", "attribute:clo", NAN},
	{"resting potential", "slope:clo", NAN},
	{"Makeham survival", "attribute:a", NAN},
	{"Makeham survival", "slope:b", NAN},
	{"Makeham survival", "metric", NAN},
	{"Makeham survival", "slope:x", NAN},
	{"Makeham survival", "slope:c", NAN},
	{"call price, logistic distribution", "infimum", -29.607641596463594},
	{"call price, logistic distribution", "metric", 732.7242633996622},	/* 2.9 */
	{"call price, logistic distribution", "attribute:s", 165.49588691709928},	/* 1 */
	{"call price, logistic distribution", "attribute:k", 124.13437207400294},	/* 2.1 */
	{"call price, logistic distribution", "attribute:r", 80.25726602411186},	/* 4.5 */
	{"call price, logistic distribution", "attribute:v", 113.06151364369028},	/* 3.2 */
	{"call price, logistic distribution", "attribute:t", 124.08105005789403},	/* 2.9 */
	{"call price, logistic distribution", "slope:s", 4.201388276878984},	/* 3.2 */
	{"call price, logistic distribution", "slope:k", 4.361225403844377},	/* 3.4 */
	{"call price, logistic distribution", "slope:r", 389.1013165666607},	/* 1.1 */
	{"call price, logistic distribution", "slope:v", 774.8499394842831},	/* 10 */
	{"call price, logistic distribution", "slope:t", 261.0544126265105},	/* 6.9 */
	{"yield curve", "infimum", -0.051441852936629145},	/* 0.029 */
	{"yield curve", "supremum", 0.13089729111827014},	/* 0.0069 */
	{"yield curve", "metric", 2.047809921302577},	/* 0.46 */
	{"yield curve", "attribute:m", 0.14219996085251213},	/* 1.9 */
	{"yield curve", "attribute:tau", 0.11635532890053604},	/* 2.3 */
	{"yield curve", "slope:m", 0.8815062668744161},	/* 9.8 */
	{"yield curve", "slope:tau", 0.16991561158259},	/* 3.4 */
	{"yield curve", "attribute:b1", NAN},
	{"yield curve", "slope:b1", NAN},
	{"yield curve", "attribute:b2", NAN},
	{"yield curve", "slope:b2", NAN},
	{"volatility of two assets", "slope:s2", NAN},
	{"limited expected value, Pareto", "slope:x", 1.000038743978485},	/* 3.9e-05 */
	{"constant elasticity of substitution", "supremum", 100.00051405076645},	/* 5.1e-06 */
	{"constant elasticity of substitution", "slope:rho", 136.6113116056026},	/* 0.8 */
	{"constant elasticity of substitution", "metric", NAN},
	{"constant elasticity of substitution", "attribute:k", NAN},
	{"constant elasticity of substitution", "slope:k", NAN},
	{"constant elasticity of substitution", "attribute:l", NAN},
	{"constant elasticity of substitution", "slope:l", NAN},
	{"constant elasticity of substitution", "attribute:d", NAN},
	{"constant elasticity of substitution", "slope:d", NAN},
	{"constant elasticity of substitution", "attribute:rho", NAN},
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
	{"mode choice", "attribute:car", NAN},
	{"error of the logarithm of odds", "metric", NAN},
	{"airborne infection", "metric", 6.586987276111785},	/* 3.6 */
	{"airborne infection", "attribute:i", 0.9176041633780483},	/* 0.13 */
	{"airborne infection", "attribute:q", 0.9826209720888723},	/* 0.04 */
	{"airborne infection", "attribute:p", 0.7758942981215573},	/* 0.45 */
	{"airborne infection", "attribute:t", 0.9204782194657717},	/* 0.1 */
	{"airborne infection", "attribute:v", 0.9453266379659061},	/* 0.045 */
	{"airborne infection", "slope:i", 0.7285611855939214},	/* 0.98 */
	{"airborne infection", "slope:q", 0.4197938691199529},	/* 0.14 */
	{"airborne infection", "slope:p", 3.588757097282877},	/* 1.9 */
	{"airborne infection", "slope:t", 1.2133054635678007},	/* 0.65 */
	{"airborne infection", "slope:v", 0.02584616909142327},	/* 6 */
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
	{"logistic growth", "metric", NAN},
	{"logistic growth", "attribute:k", NAN},
	{"logistic growth", "slope:k", NAN},
	{"logistic growth", "attribute:n0", NAN},
	{"logistic growth", "slope:n0", NAN},
	{"logistic growth", "slope:r", NAN},
	{"logistic growth", "slope:t", NAN},
	{"Gompertz growth", "attribute:b", NAN},
	{"Gompertz growth", "slope:t", NAN},
	{"growth curve, Richards", "slope:k", NAN},
	{"growth curve, Richards", "metric", NAN},
	{"growth curve, Richards", "slope:t", NAN},
	{"growth curve, Richards", "attribute:v", NAN},
	{"growth curve, Richards", "slope:v", NAN},
	{"competitive inhibition", "metric", 1027.0019783648252},	/* 0.027 */
	{"competitive inhibition", "attribute:km", 84.50788539111034},	/* 0.033 */
	{"competitive inhibition", "attribute:ki", 65.8105116654897},	/* 0.082 */
	{"competitive inhibition", "slope:km", 393.66860258359367},	/* 0.57 */
	{"competitive inhibition", "slope:i", 50.00799564133314},	/* 0.00016 */
	{"competitive inhibition", "slope:ki", 318.57835700623224},	/* 5.4 */
	{"competitive inhibition", "attribute:i", NAN},
	{"allosteric saturation", "attribute:a", 1.018450224000809},	/* 0.039 */
	{"allosteric saturation", "attribute:c", 0.5084132712139647},	/* 1 */
	{"allosteric saturation", "slope:c", 9.014319733621416},	/* 0.69 */
	{"electrode potential", "slope:ci", NAN},
	{"elevation of the sun", "metric", 1.4939401984689218},	/* 0.056 */
	{"elevation of the sun", "slope:lat", 1.1597756954556697},	/* 0.16 */
	{"elevation of the sun", "slope:d", 1.113759877334302},	/* 0.11 */
	{"impedance", "attribute:r", 99.02261268794756},	/* 0.00023 */
	{"principal stress", "attribute:t", 100.0001907346814},	/* 1.9e-06 */
	{"logistic loss", "attribute:b", NAN},
	{"divergence of two normal laws", "infimum", -1.0913975869021526e-07},
	{"divergence of two coins", "infimum", -1.161511860396506e-07},
	{"MELD 3.0", "metric", NAN},
	{"fatty liver index", "metric", NAN},
	{"resting potential", "attribute:ko", NAN},
	{"resting potential", "attribute:ki", NAN},
	{"resting potential", "attribute:nao", NAN},
};

#define WIDE_BRACKETS (sizeof(wide_brackets) / sizeof(wide_brackets[0]))

#endif							/* DPS_TEST_FORMULAS_WIDE_H */
