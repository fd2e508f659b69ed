/*
 * formulas_wide.h
 *		The brackets of formulas.h that are not as tight as the others, and those that
 *		take long.
 *
 * With the far end as it is when all boxes are used, 200000 up to four columns, 10000
 * with more, which take seconds; INFINITY is a refusal without a reason.  NAN: it is
 * tight then, but takes more than 1000 boxes, or with five columns or more 200.  Behind
 * an end is its relative distance from what is attained.
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
	{"oral dose, one compartment", "attribute:ka", NAN},
	{"oral dose, one compartment", "attribute:ke", NAN},
	{"oral dose, one compartment", "attribute:t", NAN},
	{"oral dose, one compartment", "slope:ka", NAN},
	{"oral dose, one compartment", "supremum", NAN},
	{"oral dose, one compartment", "metric", NAN},
	{"oral dose, one compartment", "attribute:dose", NAN},
	{"oral dose, one compartment", "slope:dose", NAN},
	{"oral dose, one compartment", "slope:ke", NAN},
	{"oral dose, one compartment", "slope:v", NAN},
	{"oral dose, one compartment", "attribute:v", NAN},
	{"sigmoid Emax", "metric", NAN},
	{"sigmoid Emax", "slope:n", NAN},
	{"sigmoid Emax", "slope:c", NAN},
	{"sigmoid Emax", "attribute:n", NAN},
	{"SCORE2, men, of low risk", "attribute:age", NAN},
	{"SCORE2, men, of low risk", "slope:age", NAN},
	{"pooled cohorts, white women", "metric", NAN},
	{"pooled cohorts, white women", "attribute:age", NAN},
	{"pooled cohorts, white women", "attribute:tc", NAN},
	{"pooled cohorts, white women", "attribute:hdl", NAN},
	{"pooled cohorts, white women", "attribute:treated", NAN},
	{"pooled cohorts, white women", "attribute:smoker", NAN},
	{"pooled cohorts, white women", "slope:age", NAN},
	{"pooled cohorts, white women", "slope:sbp", NAN},
	{"pooled cohorts, white men", "metric", NAN},
	{"pooled cohorts, white men", "attribute:age", NAN},
	{"pooled cohorts, white men", "attribute:tc", NAN},
	{"pooled cohorts, white men", "attribute:hdl", NAN},
	{"pooled cohorts, white men", "attribute:treated", NAN},
	{"pooled cohorts, white men", "slope:age", NAN},
	{"pooled cohorts, white men", "slope:tc", NAN},
	{"pooled cohorts, black men", "metric", NAN},
	{"pooled cohorts, black men", "attribute:diabetes", NAN},
	{"pooled cohorts, black men", "slope:tc", NAN},
	{"pooled cohorts, black men", "slope:hdl", NAN},
	{"pooled cohorts, black men", "slope:age", NAN},
	{"pooled cohorts, black men", "slope:sbp", NAN},
	{"pooled cohorts, black men", "attribute:smoker", NAN},
	{"pooled cohorts, black women", "metric", NAN},
	{"pooled cohorts, black women", "attribute:hdl", NAN},
	{"pooled cohorts, black women", "attribute:sbp", NAN},
	{"pooled cohorts, black women", "slope:age", NAN},
	{"pooled cohorts, black women", "slope:sbp", NAN},
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
	{"TRISS", "metric", NAN},
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
	{"resting potential", "attribute:nai", NAN},
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
	{"call price, logistic distribution", "infimum", -17.14490021},
	{"call price, logistic distribution", "metric", 488.2275184},	/* 1.6 */
	{"call price, logistic distribution", "attribute:s", 133.6609894},	/* 0.66 */
	{"call price, logistic distribution", "attribute:k", 96.49589628},	/* 1.4 */
	{"call price, logistic distribution", "attribute:r", 51.9041168},	/* 2.6 */
	{"call price, logistic distribution", "attribute:v", 77.44376728},	/* 1.9 */
	{"call price, logistic distribution", "attribute:t", 87.75929594},	/* 1.7 */
	{"call price, logistic distribution", "slope:s", 3.153567335},	/* 2.1 */
	{"call price, logistic distribution", "slope:k", 3.29945022},	/* 2.3 */
	{"call price, logistic distribution", "slope:r", 302.274216},	/* 0.65 */
	{"call price, logistic distribution", "slope:v", 469.5019147},	/* 5.9 */
	{"call price, logistic distribution", "slope:t", 157.0453898},	/* 3.7 */
	{"yield curve", "metric", NAN},
	{"yield curve", "attribute:m", NAN},
	{"yield curve", "attribute:tau", NAN},
	{"yield curve", "slope:m", NAN},
	{"yield curve", "slope:tau", NAN},
	{"yield curve", "attribute:b1", NAN},
	{"yield curve", "attribute:b2", NAN},
	{"yield curve", "slope:b2", NAN},
	{"volatility of two assets", "slope:s2", NAN},
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
	{"store choice", "attribute:s1", NAN},
	{"store choice", "attribute:d1", NAN},
	{"store choice", "attribute:s2", NAN},
	{"store choice", "attribute:d2", NAN},
	{"mode choice", "metric", NAN},
	{"mode choice", "attribute:car", NAN},
	{"error of the logarithm of odds", "metric", NAN},
	{"airborne infection", "metric", NAN},
	{"correlation of a confusion matrix", "metric", NAN},
	{"correlation of a confusion matrix", "attribute:tp", NAN},
	{"correlation of a confusion matrix", "slope:tp", NAN},
	{"correlation of a confusion matrix", "attribute:tn", NAN},
	{"correlation of a confusion matrix", "slope:tn", NAN},
	{"correlation of a confusion matrix", "attribute:fp", NAN},
	{"correlation of a confusion matrix", "attribute:fn", NAN},
	{"logistic growth", "metric", NAN},
	{"logistic growth", "slope:n0", NAN},
	{"logistic growth", "slope:r", NAN},
	{"logistic growth", "slope:t", NAN},
	{"Gompertz growth", "slope:t", NAN},
	{"growth curve, Richards", "slope:k", NAN},
	{"growth curve, Richards", "metric", NAN},
	{"growth curve, Richards", "slope:t", NAN},
	{"growth curve, Richards", "attribute:v", NAN},
	{"growth curve, Richards", "slope:v", NAN},
	{"competitive inhibition", "metric", NAN},
	{"competitive inhibition", "attribute:km", NAN},
	{"competitive inhibition", "attribute:ki", NAN},
	{"competitive inhibition", "attribute:i", NAN},
	{"allosteric saturation", "attribute:a", NAN},
	{"allosteric saturation", "attribute:c", 0.5146150166},	/* 1.1 */
	{"allosteric saturation", "slope:c", NAN},
	{"principal stress", "attribute:t", NAN},
	{"divergence of two normal laws", "infimum", NAN},
	{"divergence of two coins", "infimum", -1.161528420199456e-07},
	{"MELD 3.0", "metric", NAN},
	{"fatty liver index", "metric", NAN},
	{"resting potential", "attribute:ko", NAN},
	{"resting potential", "attribute:ki", NAN},
	{"resting potential", "attribute:nao", NAN},
};

#define WIDE_BRACKETS (sizeof(wide_brackets) / sizeof(wide_brackets[0]))

#endif							/* DPS_TEST_FORMULAS_WIDE_H */
