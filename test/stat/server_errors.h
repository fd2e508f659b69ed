/*
 * server_errors.h
 *		Errors of the server outside of a server: what is raised jumps to `raised`, with
 *		the message as it was written, before arguments are put in.
 *
 * For a program of one file that calls objects of the aggregates; of the server's header
 * files only postgres.h comes before.
 */
#ifndef TEST_SERVER_ERRORS_H
#define TEST_SERVER_ERRORS_H

#include <setjmp.h>

static jmp_buf raised;
static char raised_with[256];

bool
errstart(int elevel, const char *domain)
{
	return elevel >= ERROR;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return elevel >= ERROR;
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	longjmp(raised, 1);
}

int
errcode(int sqlerrcode)
{
	return 0;
}

int
errmsg(const char *fmt,...)
{
	strlcpy(raised_with, fmt, sizeof(raised_with));
	return 0;
}

int
errmsg_internal(const char *fmt,...)
{
	strlcpy(raised_with, fmt, sizeof(raised_with));
	return 0;
}

int
errhint(const char *fmt,...)
{
	return 0;
}

int
errdetail(const char *fmt,...)
{
	return 0;
}

char *
psprintf(const char *fmt,...)
{
	return raised_with;
}

/* of its own, as the server's may not be linked */
size_t
strlcpy(char *dst, const char *src, size_t size)
{
	size_t		length = strlen(src);

	if (size > 0)
	{
		memcpy(dst, src, Min(length, size - 1));
		dst[Min(length, size - 1)] = '\0';
	}
	return length;
}

#endif							/* TEST_SERVER_ERRORS_H */
