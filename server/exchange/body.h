/* Collects a request's body in one writable buffer, and scans a large JSON body
 * while it arrives. Loop thread only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "server/limits/budget.h"
#include "server/work/context.h"

struct body {
    struct job_context *context; /* borrowed, as the lease */
    struct lease *lease;         /* of the connection */
    struct buffer buffer;        /* owned */
    size_t limit;                /* most bytes of it; set by the owner */
    size_t announced;            /* bytes of the whole body; 0: unknown */
    size_t len;                  /* bytes received and stored */
    size_t reserved;             /* bytes leased for the buffer */

    /* The scan, a part of api_prepare() done early. */
    struct early_read *early; /* owned; NULL: bytes are not scanned */
    struct buffer index;      /* owned; memory lent to `early` */
    size_t index_reserved;    /* bytes leased for it */
};

enum body_verdict {
    BODY_OK = LEASE_OK,
    BODY_BUSY = LEASE_BUSY,       /* max-inflight-bytes is used up now */
    BODY_NEVER = LEASE_NEVER,     /* more than one request may ever hold */
    BODY_ADDRESS = LEASE_ADDRESS, /* the share of the client's address is */
    BODY_TOO_LARGE,               /* more than the limit */
    BODY_NO_MEMORY,
};

/* Starts with an empty body, without a limit. */
void body_init(struct body *body, struct job_context *context,
               struct lease *lease);

/* Sets the length of the body, 0 if it is unknown. Refuses a body that is too
 * large or can never fit, and leases nothing: leases follow the bytes that
 * arrive, so that a client that only announces them takes none from others. */
enum body_verdict body_announce(struct body *body, uint64_t len);

/* Scans the bytes that body_received() reports, if the announced body is long
 * enough to gain by it. */
void body_scan(struct body *body);

/* Appends a copy of `data`. The lease grows by doubling, at most to the
 * announced length, and always before the memory does. */
enum body_verdict body_append(struct body *body, const char *data, size_t len);

/* Memory for the next *size bytes, to be filled by the caller and reported to
 * body_received(). May lower *size: to the unused part of the lease or, below
 * 16 KiB, to the amount by which the lease doubles. NULL if body_append() would
 * refuse them. An announced body has space for one byte after its end. */
unsigned char *body_reserve(struct body *body, size_t *size);
void body_received(struct body *body, size_t size);

/* Frees the body, gives back what it leased and initialises it again. */
void body_free(struct body *body);
