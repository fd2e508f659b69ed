/*
 * network.h
 *		Networks: layers, activations and losses as graphs of tensors over one
 *		example.
 *
 * There is a table for each of these; a row is found by the name that a model's
 * definition uses.
 */
#ifndef DPS_TENSOR_NETWORK_NETWORK_H
#define DPS_TENSOR_NETWORK_NETWORK_H

#include "tensor/tensor.h"

#define DPS_MAX_LAYERS 1000

/* The most numeric arguments of an activation or a loss. */
#define DPS_MAX_NUMBERS 3

typedef struct DpsNetworkNumber
{
	const char *name;
	double		value;			/* the default */
	double		above;			/* the exclusive lower limit */
} DpsNetworkNumber;

typedef struct DpsActivation
{
	const char *name;
	int			nnumbers;
	DpsNetworkNumber	numbers[DPS_MAX_NUMBERS];
	bool		rectifies;		/* is about 0 for half of all arguments */
	const DpsTensor *(*build) (DpsTensorGraph *g, const DpsTensor *x, const double *numbers);
} DpsActivation;

typedef struct DpsNetworkLoss
{
	const char *name;
	int			nnumbers;
	DpsNetworkNumber	numbers[DPS_MAX_NUMBERS];
	bool		distribution;	/* targets are the probabilities of classes */
	const DpsTensor *(*build) (DpsTensorGraph *g, const DpsTensor *prediction, const DpsTensor *target,
							   const double *numbers);
	/* If the last layer has this activation, the loss from the activation's argument. */
	const char *activation;
	const DpsTensor *(*build_inner) (DpsTensorGraph *g, const DpsTensor *inner, const DpsTensor *target);
} DpsNetworkLoss;

/* The arguments of a layer's definition. */
#define DPS_LAYER_SIZE		1	/* units or filters */
#define DPS_LAYER_WINDOW	2	/* kernel, stride, padding */
#define DPS_LAYER_WEIGHTS	4	/* bias, activation */

typedef struct DpsLayer DpsLayer;
typedef struct DpsBuilder DpsBuilder;

typedef struct DpsLayerKind
{
	const char *name;
	const char *size_name;		/* of DPS_LAYER_SIZE */
	unsigned	facts;
	/* Returns NULL with the builder's fault set, or if memory ran out. */
	const DpsTensor *(*build) (DpsBuilder *builder, const DpsLayer *layer, const DpsTensor *x);
} DpsLayerKind;

/* NULL if the table has no such name. */
extern const DpsActivation *dps_find_activation(const char *name);
extern const DpsNetworkLoss *dps_find_loss(const char *name);
extern const DpsLayerKind *dps_find_layer_kind(const char *name);

/* The names, separated by ", ". */
extern void dps_list_activations(DpsText *text);
extern void dps_list_losses(DpsText *text);
extern void dps_list_layer_kinds(DpsText *text);

typedef enum DpsBias
{
	DPS_BIAS_BEFORE,			/* the activation */
	DPS_BIAS_AFTER,
	DPS_BIAS_NONE
} DpsBias;

struct DpsLayer
{
	const DpsLayerKind *kind;
	int32_t		size;
	DpsWindow	window;
	DpsBias		bias;
	const DpsActivation *activation;
	double		numbers[DPS_MAX_NUMBERS];
};

typedef struct DpsNetworkPlan
{
	DpsShape	input;			/* (n) or (channels, height, width) */
	int			nlayers;
	DpsLayer   *layers;
	const DpsNetworkLoss *loss;
	double		numbers[DPS_MAX_NUMBERS];
} DpsNetworkPlan;

/* Weights or biases of a layer; the parameters of a network are one array. */
typedef struct DpsNetworkParameter
{
	const char *name;			/* layer1.weights */
	int			layer;
	const DpsTensor *tensor;
	int64_t		offset;
	double		spread;			/* initial values are uniform in -spread ...
								 * spread */
} DpsNetworkParameter;

typedef struct DpsNetwork
{
	DpsTensorGraph *graph;
	const DpsTensor *features;
	const DpsTensor *target;	/* a matrix of one row */
	const DpsTensor *prediction;	/* a matrix of one row */
	const DpsTensor *loss;
	int			nlayers;
	DpsShape   *shapes;			/* after each layer */
	const DpsNetworkLoss *loss_kind;
	int			nparameters;
	DpsNetworkParameter *parameters;
	const DpsTensor **tensors;	/* of the parameters */
	int64_t		size;			/* of all parameters together */
} DpsNetwork;

/* The reason why a network is impossible. */
typedef struct DpsFault
{
	int			layer;			/* from 0; -1 for the network as a whole */
	const char *reason;			/* a predicate, such as "is too large"; NULL if there
								 * is no fault */
} DpsFault;

/* Builds the network, in the arena; DPS_DOMAIN with the fault set if shapes do not fit or
 * are too large. */
extern DPS_MUST_USE DpsStatus dps_network_init(const DpsNetworkPlan *plan, DpsArena *arena, DpsNetwork **network,
											   DpsFault *fault);

/* Sets initial values, which depend on the network and the seed only, not on the machine. */
extern void dps_network_initialise(const DpsNetwork *network, uint64_t seed, double *parameters);

#endif							/* DPS_TENSOR_NETWORK_NETWORK_H */
