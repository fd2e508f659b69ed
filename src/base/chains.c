/*
 * chains.c
 *		Finds earlier entries by their hashes: the table behind hash-consing.
 */
#include "base/chains.h"

#define INITIAL_CHAINS 256

DpsStatus
dps_chains_init(DpsChains *chains, DpsArena *arena)
{
	chains->arena = arena;
	chains->nlinks = 0;
	chains->nchains = INITIAL_CHAINS;
	chains->first = dps_arena_alloc(arena, sizeof(DpsLink *) * INITIAL_CHAINS);
	return chains->first == NULL ? DPS_NOMEM : DPS_OK;
}

/* Doubles the chains; a failure only leaves them longer. */
static void
grow(DpsChains *chains)
{
	uint32_t	n = chains->nchains * 2;
	const DpsLink **first = dps_arena_alloc(chains->arena, sizeof(DpsLink *) * n);
	uint32_t	i;

	if (first == NULL)
		return;
	for (i = 0; i < chains->nchains; i++)
	{
		DpsLink    *link = (DpsLink *) chains->first[i];

		while (link != NULL)
		{
			DpsLink    *next = (DpsLink *) link->next;

			link->next = first[link->hash % n];
			first[link->hash % n] = link;
			link = next;
		}
	}
	chains->first = first;
	chains->nchains = n;
}

void
dps_chains_add(DpsChains *chains, DpsLink *link)
{
	if (chains->nlinks >= chains->nchains)
		grow(chains);
	link->next = chains->first[link->hash % chains->nchains];
	chains->first[link->hash % chains->nchains] = link;
	chains->nlinks++;
}
