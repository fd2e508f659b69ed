/*
 * random.c
 *		Uniform words, bits and integers (num/random.c): for all states of the buffer each
 *		word is handed out once and wiped, and a source that fails yields nothing;
 *		for some n each, and all words, which of them are kept and what they become.
 *
 * For a symbolic n that would be products and remainders of 64 bits.  Two words are there,
 * after which the source fails.
 *
 * unwind: 8
 */
#include "num/random.c"

#include "prove.h"

static bool
any_bytes(void *context, void *buffer, size_t size)
{
	return nondet_int() != 0;
}

static const DpsHost host = {.random_bytes = any_bytes};

static DpsRandom
with_two_words(void)
{
	DpsRandom	random = {.host = &host, .next = DPS_RANDOM_WORDS - 2, .failed = true};

	random.words[DPS_RANDOM_WORDS - 2] = nondet_uint64();
	random.words[DPS_RANDOM_WORDS - 1] = nondet_uint64();
	return random;
}

void
prove_word(void)
{
	DpsRandom	random;
	unsigned	was = (unsigned) nondet_int();
	bool		had_failed = nondet_int() != 0;
	uint64_t	word = 7;
	DpsStatus	status;

	ASSUME(was <= DPS_RANDOM_WORDS);
	random.host = &host;
	random.next = was;
	random.failed = had_failed;
	status = dps_random_word(&random, &word);
	CLAIM(status == DPS_OK || (word == 7 && random.failed), "a source that fails yields nothing");
	CLAIM(was < DPS_RANDOM_WORDS || !had_failed || status == DPS_UNABLE, "and never does again");
	CLAIM(status != DPS_OK || random.next == (was == DPS_RANDOM_WORDS ? 1 : was + 1), "each word once");
	CLAIM(status != DPS_OK || random.words[random.next - 1] == 0, "and it is wiped");
}

void
prove_bit(void)
{
	DpsRandom	random = with_two_words();
	unsigned	was = (unsigned) nondet_int();
	uint64_t	bits = nondet_uint64();
	unsigned	bit = 7;

	ASSUME(was <= 64);
	random.bits_left = was;
	random.bits = bits;
	if (was == 0)
		bits = random.words[DPS_RANDOM_WORDS - 2];
	CLAIM(dps_random_bit(&random, &bit) == DPS_OK && bit == (bits & 1), "the lowest bit");
	CLAIM(random.bits == bits >> 1 && random.bits_left == (was == 0 ? 63 : was - 1), "each once");
}

void
prove_below(void)
{
	DpsRandom	random = with_two_words();
	uint64_t	n = nondet_uint64();
	uint64_t	value = UINT64_MAX;
	DpsStatus	status = dps_random_below(&random, n, &value);

	CLAIM((status == DPS_DOMAIN) == (n == 0), "below 0 there is nothing");
	CLAIM(status == DPS_OK || value == UINT64_MAX, "what is not drawn is not set");
}

/* Words w with the low half of w n below 2^64 mod n are dropped; of others it is the high
 * half. */
static void
check_below(uint64_t n)
{
	DpsRandom	random = with_two_words();
	uint64_t	dropped = (UINT64_MAX % n + 1) % n;
	uint64_t	word = random.words[DPS_RANDOM_WORDS - 2];
	uint64_t	next = random.words[DPS_RANDOM_WORDS - 1];
	uint64_t	value = UINT64_MAX;
	DpsStatus	status = dps_random_below(&random, n, &value);

	if ((uint64_t) (word * n) < dropped)
		word = next;
	if ((uint64_t) (word * n) < dropped)
		CLAIM(status == DPS_UNABLE, "both are dropped");
	else
		CLAIM(status == DPS_OK && value < n && value == (uint64_t) ((unsigned __int128) word * n >> 64), "the first that is kept");
}

void
prove_few(void)
{
	for (uint64_t n = 1; n <= 6; n++)
		check_below(n);
}

/* Of which nearly every second word is dropped. */
void
prove_many(void)
{
	check_below((UINT64_C(1) << 63) + 1);
}
