/* Content codings: bodies that come compressed, answers that leave so.
 *
 * "deflate" is a zlib stream; a raw one, which some clients send, is read too.
 * Everything is counted in the answer's reservation before it is allocated, and
 * what a compressed body becomes has the limit that any body has. */
#pragma once

#include <stdbool.h>

#include "server/jobs/job.h"

enum content_coding_policy { CODING_AUTO, CODING_ALWAYS, CODING_NEVER };

/* What a Content-Encoding names; NULL is the identity. False for a list, and
 * for what cannot be read. */
bool content_coding_parse(const char *text, enum coding *coding);

/* What an Accept-Encoding (or NULL) gets. Under CODING_AUTO a client that names
 * one coding gets it, and one that lists what it could read gets the identity;
 * under CODING_ALWAYS the best of what it accepts. */
enum coding content_coding_choose(const char *accept,
                                  enum content_coding_policy policy);

/* "gzip", "deflate", or NULL for the identity. */
const char *content_coding_name(enum coding coding);

/* Makes the request's body what its coding stands for. On failure the reply is
 * the answer: 400 for a damaged stream, 413 past a limit, 503. Loop or worker,
 * as job_run(). */
bool content_coding_read_body(struct job *job);

/* Compresses an answer that is not an error. Without room or memory for that it
 * stays as it is. */
void content_coding_write_reply(struct job *job);
