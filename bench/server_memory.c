/*
 * server_memory.c
 *		The server's memory outside of a server: malloc() will do.
 *
 * For programs that call objects of the aggregates, of which little else of the server
 * is called.
 */
#include "postgres.h"

#include "storage/shmem.h"
#include "utils/memutils.h"

MemoryContext CurrentMemoryContext = NULL;

void *
palloc(Size size)
{
	return malloc(size);
}

void *
palloc0(Size size)
{
	return calloc(1, size);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return malloc(size);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return calloc(1, size);
}

void *
MemoryContextAllocZeroAligned(MemoryContext context, Size size)
{
	return calloc(1, size);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size size)
{
	return malloc(size);
}

void *
MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
	return calloc(1, size);
}

void *
palloc_extended(Size size, int flags)
{
	return calloc(1, size);
}

void *
repalloc(void *pointer, Size size)
{
	return realloc(pointer, size);
}

void
pfree(void *pointer)
{
	free(pointer);
}

Size
add_size(Size a, Size b)
{
	return a + b;
}

Size
mul_size(Size a, Size b)
{
	return a * b;
}
