/*
 * cluster_key.c
 *		Values on their way between the servers of one cluster, under a key that all of them have.
 *
 * The key is read anew for each statement, so that one that was replaced or taken away counts at once.
 */
#include "postgres.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mb/pg_wchar.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#include "glue/cluster_key.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "glue/version.h"

#define KEY 32					/* bytes */
#define KEY_DIGITS (2 * KEY)
#define NONCE 12
#define TAG 16
#define PREFIX "dpsens1:"
#define PURPOSE "dpsens " DPS_VERSION ": values of a statement"

typedef struct Key
{
	uint8		bytes[KEY];
} Key;

/* What is authenticated beside the bytes, and sent before them. */
typedef struct Head
{
	uint8		kind;
	uint8		encoding;		/* of the database that has written it */
	DpsStatementNumber statement;
	uint8		nonce[NONCE];
} Head;

/* ---- the key ---- */

bool
dps_has_cluster_key(void)
{
	return dps_setting_cluster_key_file != NULL && dps_setting_cluster_key_file[0] != '\0';
}

static void
refuse_key(const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIG_FILE_ERROR),
			 errmsg("the key of the cluster cannot be used"),
			 errdetail_internal("%s", why),
			 errhint("The file that dpsens.cluster_key_file names holds %d hexadecimal digits, the same on all nodes, and nobody but the server's account may read it.",
					 KEY_DIGITS)));
}

static void
refuse_no_key(void)
{
	if (!dps_has_cluster_key())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no key of the cluster"),
				 errdetail("Exact sums travel between its servers, encrypted."),
				 errhint("Set dpsens.cluster_key_file on all nodes, to a file with the same key.")));
}

/* So many bytes of the file, at most; -1 if it cannot be read. */
static ssize_t
read_file(char *text, size_t size)
{
	int			file = OpenTransientFile(dps_setting_cluster_key_file, O_RDONLY | PG_BINARY);
	struct stat about;
	ssize_t		n;

	if (file < 0)
		return -1;
	if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || (about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
	{
		CloseTransientFile(file);
		refuse_key("Its file is none of the server's account alone.");
	}
	n = read(file, text, size);
	CloseTransientFile(file);
	return n;
}

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static Key
read_key(void)
{
	char		text[KEY_DIGITS + 2];
	Key			key;
	ssize_t		n;
	int			i;

	refuse_no_key();
	n = read_file(text, sizeof(text));
	if (n < 0)
		refuse_key("Its file cannot be read.");
	if (n != KEY_DIGITS && !(n == KEY_DIGITS + 1 && text[KEY_DIGITS] == '\n'))
		refuse_key("Its file has another length.");
	for (i = 0; i < KEY; i++)
	{
		if (digit(text[2 * i]) < 0 || digit(text[2 * i + 1]) < 0)
			refuse_key("Its file holds something else than hexadecimal digits.");
		key.bytes[i] = (uint8) (digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
	}
	explicit_bzero(text, sizeof(text));
	return key;
}

void
dps_check_cluster_key(void)
{
	Key			key = read_key();

	explicit_bzero(&key, sizeof(key));
}

static Key
derive_key(const DpsStatementNumber *statement)
{
	uint8		about[sizeof(PURPOSE) + sizeof(DpsStatementNumber)];
	Key			key = read_key();
	Key			derived;
	unsigned int n = 0;
	bool		is_done;

	memcpy(about, PURPOSE, sizeof(PURPOSE));
	memcpy(about + sizeof(PURPOSE), statement, sizeof(DpsStatementNumber));
	is_done = HMAC(EVP_sha256(), key.bytes, KEY, about, sizeof(about), derived.bytes, &n) != NULL && n == KEY;
	explicit_bzero(&key, sizeof(key));
	if (!is_done)
		elog(ERROR, "could not compute a key");
	return derived;
}

/* That of the statement before is kept, since a statement has many values. */
static Key
key_of_statement(const DpsStatementNumber *statement)
{
	static DpsStatementNumber kept_for;
	static Key	kept;
	static bool is_kept = false;

	if (!is_kept || memcmp(&kept_for, statement, sizeof(kept_for)) != 0)
	{
		is_kept = false;
		kept = derive_key(statement);
		kept_for = *statement;
		is_kept = true;
	}
	return kept;
}

DpsStatementNumber
dps_draw_statement_number(void)
{
	DpsStatementNumber number;

	if (!pg_strong_random(&number, sizeof(number)))
		elog(ERROR, "could not draw the number of a statement");
	return number;
}

/* ---- the cipher ---- */

static void
note_failure(bool *ok, int result)
{
	*ok = *ok && result == 1;
}

/* Encrypts n bytes and sets the tag, or decrypts them and compares it.  False if that fails. */
static bool
run_cipher(bool encrypts, const Head *head, const uint8 *from, int n, uint8 *into, uint8 *tag)
{
	Key			key = key_of_statement(&head->statement);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	bool		ok = context != NULL;
	int			length = 0;

	if (ok)
	{
		note_failure(&ok, EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, key.bytes, head->nonce, encrypts));
		note_failure(&ok, EVP_CipherUpdate(context, NULL, &length, (const uint8 *) head, sizeof(Head)));
		note_failure(&ok, EVP_CipherUpdate(context, into, &length, from, n));
		if (!encrypts)
			note_failure(&ok, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, TAG, tag));
		/* has no bytes in this mode, but compares the tag */
		note_failure(&ok, EVP_CipherFinal_ex(context, into + n, &length));
		if (encrypts)
			note_failure(&ok, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG, tag));
	}
	EVP_CIPHER_CTX_free(context);
	explicit_bzero(&key, sizeof(key));
	return ok;
}

/* ---- texts ---- */

/* PREFIX, and in base64: the head, the tag, the bytes. */
#define BYTES_AT (sizeof(Head) + TAG)

char *
dps_encrypt_value(DpsTravellerKind kind, const DpsStatementNumber *statement, const struct varlena *value)
{
	int			n = VARSIZE_ANY_EXHDR(value);
	uint8	   *message = palloc(BYTES_AT + n);
	Head		head = {.kind = (uint8) kind, .encoding = (uint8) GetDatabaseEncoding(), .statement = *statement};
	char	   *text;

	StaticAssertStmt(sizeof(Head) == 2 + DPS_STATEMENT_NUMBER + NONCE, "a head has no gaps");
	if ((Size) n > MaxAllocSize / 2)
		elog(ERROR, "a value of %d bytes is too large to be sent", n);
	if (!pg_strong_random(head.nonce, NONCE))
		elog(ERROR, "could not draw a nonce");
	memcpy(message, &head, sizeof(Head));
	if (!run_cipher(true, &head, (const uint8 *) VARDATA_ANY(value), n, message + BYTES_AT, message + sizeof(Head)))
		elog(ERROR, "could not encrypt a value");
	text = palloc(strlen(PREFIX) + 4 * ((BYTES_AT + n + 2) / 3) + 1);
	memcpy(text, PREFIX, strlen(PREFIX));
	EVP_EncodeBlock((uint8 *) text + strlen(PREFIX), message, (int) BYTES_AT + n);
	pfree(message);
	return text;
}

bool
dps_is_encrypted_value(const char *text)
{
	return strncmp(text, PREFIX, strlen(PREFIX)) == 0;
}

static void
refuse_value(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a value that was sent is none of this cluster"),
			 errhint("The file that dpsens.cluster_key_file names must hold the same key on all nodes, which must have the same version of dpsens, and databases the same encoding.")));
}

/* The bytes of base64, of which there are *n; NULL if it is none. */
static uint8 *
decode(const char *text, int *n)
{
	size_t		length = strlen(text);
	uint8	   *message;

	if (length == 0 || length % 4 != 0 || length > MaxAllocSize)
		return NULL;
	message = palloc(length / 4 * 3);
	*n = EVP_DecodeBlock(message, (const uint8 *) text, (int) length);
	if (*n < 0)
		return NULL;
	*n -= text[length - 1] == '=' ? (text[length - 2] == '=' ? 2 : 1) : 0;
	return message;
}

struct varlena *
dps_decrypt_value(DpsTravellerKind kind, const char *text, DpsStatementNumber *statement)
{
	Head		head;
	struct varlena *value;
	int			n = 0;
	uint8	   *message = dps_is_encrypted_value(text) ? decode(text + strlen(PREFIX), &n) : NULL;

	if (message == NULL || n < (int) BYTES_AT)
		refuse_value();
	memcpy(&head, message, sizeof(Head));
	n -= (int) BYTES_AT;
	value = palloc(VARHDRSZ + n);
	SET_VARSIZE(value, VARHDRSZ + n);
	if (head.kind != (uint8) kind || head.encoding != GetDatabaseEncoding() ||
		!run_cipher(false, &head, message + BYTES_AT, n, (uint8 *) VARDATA(value), message + sizeof(Head)))
		refuse_value();
	pfree(message);
	*statement = head.statement;
	return value;
}
