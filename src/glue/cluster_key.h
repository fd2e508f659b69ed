/*
 * cluster_key.h
 *		Values on their way between the servers of one cluster, under a key that all of them have.
 *
 * The key is in the file dpsens.cluster_key_file, which the server's account alone may read.  A value
 * travels as text: AES-256-GCM of its bytes, under a key of its statement that follows from the cluster's
 * key by HMAC-SHA256 (RFC 2104), with a random nonce of 96 bits (NIST SP 800-38D, 8.2.2).  What kind of
 * value it is and the statement's number are authenticated with it.
 *
 * Nodes of another version of dpsens have other keys.
 *
 * Precondition: at most 2^32 values travel for one statement, so that no nonce repeats but with
 * probability 2^-32 (SP 800-38D, 8.3).  Postcondition: who lacks the key learns the length of a value and
 * cannot make one; a value of one statement or kind is none of another.  Who can alter what is sent can put a
 * value of one node in the place of another's of the same statement and kind: connections between nodes want
 * certificates, as for plain queries.
 */
#ifndef DPS_GLUE_CLUSTER_KEY_H
#define DPS_GLUE_CLUSTER_KEY_H

#include "postgres.h"

#define DPS_STATEMENT_NUMBER 16 /* bytes */

/* Drawn for each statement that is sent to other servers. */
typedef struct DpsStatementNumber
{
	uint8		bytes[DPS_STATEMENT_NUMBER];
} DpsStatementNumber;

/* What travels. */
typedef enum DpsTravellerKind
{
	DPS_TRAVELS_PLAN = 1,		/* of a block of states */
	DPS_TRAVELS_SUMMAND,		/* the plan of a single one */
	DPS_TRAVELS_BLOCK,			/* the states of all groups */
	DPS_TRAVELS_STATE,
	DPS_TRAVELS_ATTEMPT			/* what a condition attempts */
} DpsTravellerKind;

/* Is a key named?  Whether there is one shows when it is needed. */
extern bool dps_has_cluster_key(void);

/* Raises an error, which says what to do, unless there is a key. */
extern void dps_check_cluster_key(void);

/* A number that no other statement has. */
extern DpsStatementNumber dps_draw_statement_number(void);

/* The value as text; an error if there is no key. */
extern char *dps_encrypt_value(DpsTravellerKind kind, const DpsStatementNumber *statement, const struct varlena *value);

/* Does the text look like one of dps_encrypt_value? */
extern bool dps_is_encrypted_value(const char *text);

/* The value, in CurrentMemoryContext, with the number of its statement; an error if there is no key, or
 * if nobody who has it has written the text. */
extern struct varlena *dps_decrypt_value(DpsTravellerKind kind, const char *text, DpsStatementNumber *statement);

#endif							/* DPS_GLUE_CLUSTER_KEY_H */
