/* A request's body on its way into one writable buffer. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/jobs/context.h"

struct body {
    struct buffer buffer; /* owned */
    size_t announced;     /* bytes that are to come; 0: unknown, or none */
    size_t len;           /* bytes received and kept */
    size_t reserved;      /* bytes of admission taken for it */
    struct buffer notes;  /* owned; what is remembered of it */
    size_t noted;         /* bytes of admission taken for them */
};

enum body_verdict {
    BODY_OK,
    BODY_TOO_LARGE, /* over http-max-input-size */
    BODY_NEVER,     /* over max-inflight-bytes */
    BODY_BUSY,      /* no room now */
    BODY_NO_MEMORY,
};

/* Refuses what is too large or would not fit now, but reserves little: the
 * account follows the bytes that come, so that a client that lies about its
 * length takes no room from others. */
enum body_verdict body_announce(struct body *body, struct job_context *context,
                                uint64_t len);

/* Appends. The reservation grows by doubling, at most to what was announced,
 * and each step is taken before the memory is. */
enum body_verdict body_append(struct body *body, struct job_context *context,
                              const char *data, size_t len, uint64_t now_ms);

/* The place of the next `size` bytes, for who receives them there and adds them
 * to `len`; NULL when body_append() would refuse them. Behind them an announced
 * body has room for a byte more. */
unsigned char *body_place(struct body *body, struct job_context *context,
                          size_t size, uint64_t now_ms);

/* Makes room for notes on as much of an announced body as may have come by now:
 * an eighth of that. Less, when there is no more. */
void body_note(struct body *body, struct job_context *context,
               struct token_lengths *lengths);

/* Frees the body and gives its reservations back; a zeroed one may be freed. */
void body_free(struct body *body, struct job_context *context, uint64_t now_ms);
