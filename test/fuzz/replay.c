/*
 * replay.c
 *		Runs a fuzz target on stored inputs, one test each: the files of the
 *		folder that it is compiled for, or those that are named.
 *
 * An input that ends the process is the one after the last that is ok.
 */
#include <dirent.h>

#include "fuzz.h"

#define MAX_BYTES 65536

static bool
replay(const char *path)
{
	static uint8_t data[MAX_BYTES];
	FILE	   *file = fopen(path, "rb");
	size_t		size;

	if (file == NULL)
		return false;
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	return LLVMFuzzerTestOneInput(data, size) == 0;
}

static int
is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void
replay_folder(const char *folder)
{
	struct dirent **entries;
	int			n = scandir(folder, &entries, is_input, alphasort);
	int			i;

	ok(n > 0, "there are inputs in %s", folder);
	for (i = 0; i < n; i++)
	{
		char		path[1024];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		ok(replay(path), "%s", entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

int
main(int argc, char **argv)
{
	int			i;

	if (argc < 2)
		replay_folder(FUZZ_CORPUS);
	for (i = 1; i < argc; i++)
		ok(replay(argv[i]), "%s", argv[i]);
	return done_testing();
}
