/* From a whole request to its answer: prepare, reserve, execute.
 *
 * Runs on a loop or on a worker, one thread at a time; knows neither sockets
 * nor loops. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "server/jobs/context.h"

/* How bytes are compressed on the wire. */
enum coding { CODING_IDENTITY, CODING_GZIP, CODING_DEFLATE };

struct job {
    struct job_context *context; /* borrowed */
    struct api_request request;  /* set by the caller */
    size_t body_reserved;        /* bytes the caller holds for the body */
    struct model_set *models;    /* held; those of the request */
    struct model_times times;    /* by clock_now_ns() */
    enum coding body_coding;     /* of the request's body */
    enum coding reply_coding;    /* wanted for the answer's */
    atomic_bool cancel;          /* set by the loop when the client has gone */

    const struct model *model; /* for metrics; NULL when none was reached */
    struct api_reply reply;    /* owned; status 0: none yet */
    struct buffer result;      /* owned; what the reply points into */
    size_t reserved;           /* bytes reserved for it */
    struct buffer inflated, deflated; /* owned */
    size_t coded_reserved;            /* bytes reserved for them */
    bool coded;                       /* the reply is compressed */
    int rejection;                    /* enum metrics_rejection, or -1 */
};

/* What a 504 says. */
extern const char job_late[];

void job_init(struct job *job, struct job_context *context);

/* Fills in the reply: an error is one too. */
void job_run(struct job *job);

/* Makes the reply an error. `rejection` is an enum metrics_rejection, or -1. */
void job_fail(struct job *job, int status, int rejection, const char *text);

/* Makes the reply a text from malloc, which it takes over; without one (NULL) a
 * 503 that says memory lacked for `what`. `type` is static. */
void job_text(struct job *job, char *text, size_t len, const char *type,
              const char *what);

/* Says that `bytes` more do not fit: 413 when they never will, 503 when they
 * do not now. `what` is what needs them: "the answer". */
void job_refuse_bytes(struct job *job, enum admission_verdict verdict,
                      size_t bytes, const char *what);

/* Frees everything the answer owns and gives its reservation back. */
void job_clear(struct job *job, uint64_t now_ms);
