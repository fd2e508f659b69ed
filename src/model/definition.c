/*
 * definition.c
 *		Definitions of models, from JSON to layers.
 *
 * A key that is not known is an error: a misspelt one must not be passed over
 * in silence.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "glue/glue.h"
#include "glue/compat.h"
#include "model/definition.h"
#include "num/whole.h"

#define EXAMPLE "Write {\"input\": 25, \"layers\": [{\"type\": \"dense\", \"units\": 8, \"activation\": \"sigmoid\"}, " \
	"{\"type\": \"dense\", \"units\": 1, \"activation\": \"sigmoid\"}], \"loss\": \"binary_cross_entropy\"}."

/* Integers of a definition are at most this. */
#define MAX_SIZE 1000000000

/* An object of the definition, and how messages call it. */
typedef struct Object
{
	JsonbContainer *json;
	const char *name;
} Object;

/*
 * Pieces of JSON
 */

pg_noreturn static void
refuse(const Object *object, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s %s", object->name, what),
			 errhint("%s", EXAMPLE)));
	pg_unreachable();
}

static char *
string_of(const JsonbValue *value)
{
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static JsonbValue *
find_key(const Object *object, const char *key)
{
	return getKeyJsonValueFromContainer(object->json, key, strlen(key), NULL);
}

static bool
is_object(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data);
}

static bool
is_array(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data);
}

static double
number_of(const Object *object, const char *key, const JsonbValue *value)
{
	double		number = NAN;

	if (value->type == jbvNumeric)
		number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	if (!isfinite(number))
		refuse(object, psprintf("must have a number as \"%s\"", key));
	return number;
}

static int32
integer_of(const Object *object, const char *key, const JsonbValue *value, int32 least)
{
	double		number = number_of(object, key, value);

	if (number != rint(number) || number < least || number > MAX_SIZE)
		refuse(object, psprintf("must have an integer from %d to %d as \"%s\"", least, MAX_SIZE, key));
	return dps_to_int32(number);
}

static int32
get_integer(const Object *object, const char *key, int32 least, int32 otherwise)
{
	JsonbValue *value = find_key(object, key);

	return value == NULL ? otherwise : integer_of(object, key, value, least);
}

/* The elements of a number or of an array of at most `most` numbers. */
static int
get_integers(const Object *object, const char *key, int32 *numbers, int most)
{
	JsonbValue *value = find_key(object, key);
	int			n;
	int			i;

	if (value == NULL)
		refuse(object, psprintf("must have \"%s\"", key));
	if (!is_array(value))
	{
		numbers[0] = integer_of(object, key, value, 1);
		return 1;
	}
	n = (int) JsonContainerSize(value->val.binary.data);
	if (n < 1 || n > most)
		refuse(object, psprintf("must have 1 to %d numbers as \"%s\"", most, key));
	for (i = 0; i < n; i++)
		numbers[i] = integer_of(object, key, getIthJsonbValueFromContainer(value->val.binary.data, i), 1);
	return n;
}

static bool
is_among(const char *key, const char *const *keys)
{
	int			i;

	for (i = 0; keys[i] != NULL; i++)
	{
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

static void
check_keys(const Object *object, const char *const *keys)
{
	JsonbIterator *iterator = JsonbIteratorInit(object->json);
	JsonbValue	value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY && !is_among(string_of(&value), keys))
			refuse(object, psprintf("has an unrecognized key \"%s\"", string_of(&value)));
	}
}

/*
 * Names with numbers: "tanh", or {"type": "huber", "delta": 2}
 */

typedef struct Named
{
	char	   *name;
	Object		object;			/* json is NULL for a bare name */
} Named;

static Named
read_named(const Object *object, const char *key, const JsonbValue *value)
{
	Named		named = {NULL, {NULL, psprintf("\"%s\" of %s", key, object->name)}};
	JsonbValue *type = NULL;

	if (value->type == jbvString)
		named.name = string_of(value);
	else if (is_object(value))
	{
		named.object.json = value->val.binary.data;
		type = find_key(&named.object, "type");
		if (type != NULL && type->type == jbvString)
			named.name = string_of(type);
	}
	if (named.name == NULL)
		refuse(&named.object, "must be a name or an object with a \"type\"");
	return named;
}

static void
read_numbers(const Named *named, const DpsNetworkNumber *known, int n, double *numbers)
{
	const char *keys[DPS_MAX_NUMBERS + 2] = {"type"};
	int			i;

	for (i = 0; i < n; i++)
	{
		JsonbValue *value = NULL;

		keys[i + 1] = known[i].name;
		if (named->object.json != NULL)
			value = find_key(&named->object, known[i].name);
		numbers[i] = value == NULL ? known[i].value : number_of(&named->object, known[i].name, value);
		if (!(numbers[i] > known[i].above))
			refuse(&named->object, psprintf("must have \"%s\" greater than %g", known[i].name, known[i].above));
	}
	if (named->object.json != NULL)
		check_keys(&named->object, keys);
}

pg_noreturn static void
refuse_name(const char *what, const char *name, void (*list) (DpsText *text))
{
	DpsText		text;

	dps_text_init(&text, dps_server_arena());
	list(&text);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized %s \"%s\"", what, name),
			 text.failed ? 0 : errhint("Known are: %s.", text.data)));
	pg_unreachable();
}

/*
 * Layers
 */

static void
read_activation(const Object *object, DpsLayer *layer)
{
	JsonbValue *value = find_key(object, "activation");
	Named		named = {"linear", {NULL, NULL}};

	if (value != NULL)
		named = read_named(object, "activation", value);
	layer->activation = dps_find_activation(named.name);
	if (layer->activation == NULL)
		refuse_name("activation", named.name, dps_list_activations);
	read_numbers(&named, layer->activation->numbers, layer->activation->nnumbers, layer->numbers);
}

static void
read_bias(const Object *object, DpsLayer *layer)
{
	JsonbValue *value = find_key(object, "bias");

	layer->bias = DPS_BIAS_BEFORE;
	if (value == NULL)
		return;
	if (value->type == jbvBool)
		layer->bias = value->val.boolean ? DPS_BIAS_BEFORE : DPS_BIAS_NONE;
	else if (value->type == jbvString && strcmp(string_of(value), "after") == 0)
		layer->bias = DPS_BIAS_AFTER;
	else
		refuse(object, "must have true, false or \"after\" (the activation) as \"bias\"");
}

static void
read_window(const Object *object, DpsLayer *layer)
{
	int32		kernel[2];
	int			n = get_integers(object, "kernel", kernel, 2);
	bool		pools = !(layer->kind->facts & DPS_LAYER_WEIGHTS);

	layer->window.height = kernel[0];
	layer->window.width = kernel[n - 1];
	/* pools lie side by side, convolutions move by one */
	layer->window.stride = get_integer(object, "stride", 1, pools ? kernel[0] : 1);
	layer->window.padding = get_integer(object, "padding", 0, 0);
}

static void
read_layer(const Object *object, DpsLayer *layer)
{
	JsonbValue *type = find_key(object, "type");
	const char *keys[8] = {"type"};
	int			n = 1;

	if (type == NULL || type->type != jbvString)
		refuse(object, "must have a \"type\"");
	layer->kind = dps_find_layer_kind(string_of(type));
	if (layer->kind == NULL)
		refuse_name("type of layer", string_of(type), dps_list_layer_kinds);
	if (layer->kind->facts & DPS_LAYER_SIZE)
	{
		keys[n++] = layer->kind->size_name;
		layer->size = get_integer(object, layer->kind->size_name, 1, 0);
		if (layer->size == 0)
			refuse(object, psprintf("must have \"%s\"", layer->kind->size_name));
	}
	if (layer->kind->facts & DPS_LAYER_WINDOW)
	{
		keys[n++] = "kernel";
		keys[n++] = "stride";
		keys[n++] = "padding";
		read_window(object, layer);
	}
	if (layer->kind->facts & DPS_LAYER_WEIGHTS)
	{
		keys[n++] = "bias";
		keys[n++] = "activation";
		read_bias(object, layer);
		read_activation(object, layer);
	}
	keys[n] = NULL;
	check_keys(object, keys);
}

static void
read_layers(const Object *definition, DpsNetworkPlan *plan)
{
	JsonbValue *value = find_key(definition, "layers");
	JsonbContainer *array;
	int			i;

	if (value == NULL || !is_array(value))
		refuse(definition, "must have an array of \"layers\"");
	array = value->val.binary.data;
	if (JsonContainerSize(array) < 1 || JsonContainerSize(array) > DPS_MAX_LAYERS)
		refuse(definition, psprintf("must have 1 to %d layers", DPS_MAX_LAYERS));
	plan->nlayers = (int) JsonContainerSize(array);
	plan->layers = palloc0(sizeof(DpsLayer) * plan->nlayers);
	for (i = 0; i < plan->nlayers; i++)
	{
		JsonbValue *layer = getIthJsonbValueFromContainer(array, i);
		Object		object = {NULL, psprintf("layer %d", i + 1)};

		if (!is_object(layer))
			refuse(&object, "must be an object");
		object.json = layer->val.binary.data;
		read_layer(&object, &plan->layers[i]);
	}
}

/* (n), (height, width) as one channel, or (channels, height, width). */
static void
read_input(const Object *definition, DpsNetworkPlan *plan)
{
	int32		extent[3];
	int			n = get_integers(definition, "input", extent, 3);

	if (n == 1)
		plan->input = DPS_VECTOR(extent[0]);
	else if (n == 2)
		plan->input = DPS_IMAGE(1, extent[0], extent[1]);
	else
		plan->input = DPS_IMAGE(extent[0], extent[1], extent[2]);
}

static void
read_loss(const Object *definition, DpsNetworkPlan *plan)
{
	JsonbValue *value = find_key(definition, "loss");
	Named		named;

	if (value == NULL)
		refuse(definition, "must have a \"loss\"");
	named = read_named(definition, "loss", value);
	plan->loss = dps_find_loss(named.name);
	if (plan->loss == NULL)
		refuse_name("loss", named.name, dps_list_losses);
	read_numbers(&named, plan->loss->numbers, plan->loss->nnumbers, plan->numbers);
}

void
dps_read_definition(Jsonb *json, DpsDefinition *definition)
{
	static const char *const keys[] = {"input", "layers", "loss", "seed", NULL};
	Object		object = {&json->root, "model definition"};

	memset(definition, 0, sizeof(*definition));
	if (!JB_ROOT_IS_OBJECT(json))
		refuse(&object, "must be an object");
	check_keys(&object, keys);
	read_input(&object, &definition->plan);
	read_layers(&object, &definition->plan);
	read_loss(&object, &definition->plan);
	definition->seed = (uint64) get_integer(&object, "seed", 0, 0);
}

DpsNetwork *
dps_build_network(const DpsDefinition *definition, DpsArena *arena)
{
	DpsNetwork *network;
	DpsFault	fault;
	DpsStatus	status = dps_network_init(&definition->plan, arena, &network, &fault);

	if (status == DPS_DOMAIN && fault.layer >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("layer %d %s", fault.layer + 1, fault.reason)));
	if (status == DPS_DOMAIN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model %s", fault.reason)));
	dps_check_status(status);
	return network;
}
