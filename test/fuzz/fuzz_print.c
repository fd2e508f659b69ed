/*
 * fuzz_print.c
 *		Text that can be read is printed as text that is read as the same, and
 *		printed as itself.
 */
#include "fuzz.h"

static void
check_again(const DpsGraph *graph, const DpsNode *node)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *fresh = gen_graph(arena);
	const char *sql = print_text(graph, node, false);
	const DpsNode *again;

	if (sql != NULL)
	{
		again = read_sql(fresh, sql);
		fuzz_require(again != NULL, "what is printed can be read", graph, node);
		fuzz_require(again->type == node->type && (again->link.hash == node->link.hash || has_rounded(node)),
					 "it is read as the same", graph, node);
		if (!has_rounded(node))
			fuzz_require(strcmp(print_text(fresh, again, false), sql) == 0, "the same is printed the same", fresh, again);
	}
	(void) print_text(graph, node, true);
	dps_arena_clear(arena);
}

/* Reads, prints and differentiates one expression. */
static void
check_text(const char *sql)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *node = read_sql(graph, sql);
	const DpsNode *gradient[GEN_COLUMNS];
	int			j;

	if (node != NULL && node->depth <= DPS_MAX_DEPTH)
	{
		check_again(graph, node);
		fuzz_require(is_stable(graph, node), "what is simplified stays as it is", graph, node);
		if (node->type != DPS_BOOL)
		{
			fuzz_require(dps_gradient(graph, dps_as_float8(graph, node), gradient) == DPS_OK,
						 "there is a gradient", graph, node);
			for (j = 0; j < GEN_COLUMNS; j++)
				check_again(graph, gradient[j]);
		}
	}
	dps_arena_clear(arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *sql = malloc(size + 1);

	if (sql == NULL)
		return -1;
	memcpy(sql, data, size);
	sql[size] = '\0';
	check_text(sql);
	free(sql);
	return 0;
}
