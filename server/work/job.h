/* One request from its whole body to its whole reply, without the connection
 * that carries them.
 *
 * One thread at a time uses a job: a loop or a worker. Only `cancel` may be set
 * from another thread. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "api/api.h"
#include "kernels/core/cancel.h"
#include "server/limits/budget.h"
#include "server/shm/shm.h"
#include "server/work/content_coding.h"
#include "server/work/context.h"

enum job_step {
    JOB_INFLATE, /* one slice of a coded body; nothing of others */
    JOB_PREPARE, /* the document is read */
    JOB_EXECUTE, /* the data moves */
    JOB_DEFLATE, /* the reply is coded */
    JOB_DONE,    /* the reply is complete */
};

struct job {
    struct job_context *context;     /* borrowed */
    struct api_request request;      /* set by the caller */
    struct lease *lease;             /* borrowed; of the connection; set by
                                      * the caller, who leased the body */
    struct model_set *models;        /* one reference; set by the caller */
    struct model_times times;        /* by clock_now_ns() */
    enum content_coding body_coding; /* of the request's body */
    size_t body_limit; /* of the body, inflated too; 0: http-max-input-size */
    const char *limit_name; /* of body_limit; NULL: it is the route's */
    uint64_t timeout_us;    /* of the transport, from the arrival; 0: none. The
                             * request itself may name a shorter one */
    enum content_coding reply_coding; /* wanted for the reply's body */
    atomic_bool cancel;               /* set when the client has closed */

    /* Between two steps, another thread may go on with the job. */
    enum job_step step;        /* the next */
    struct inflater *inflater; /* owned; NULL: not begun */
    size_t inflated_len;       /* bytes of `inflated` that it has written */
    size_t inflated_size;      /* bytes that are leased for it */
    struct api_plan plan;      /* owned, from PREPARE to EXECUTE */
    struct shm_use regions;    /* in use from PREPARE to EXECUTE */

    const struct model *model; /* for metrics; NULL if none was found */
    struct api_reply reply;    /* owned; status 0: none yet */
    struct buffer result;      /* owned; the reply points into it */
    struct buffer inflated;    /* owned; the body without its coding */
    struct buffer deflated;    /* owned; the reply with its coding */
    size_t reserved;           /* bytes leased for those and for the plan */
    bool coded;                /* the reply is compressed */
    int rejection;             /* enum metrics_rejection, or -1 */
};

void job_init(struct job *job, struct job_context *context);

/* Leases `bytes` more for the job; job_clear() gives them back. */
enum lease_verdict job_reserve(struct job *job, size_t bytes);

/* The shorter of the transport's timeout and the request's, `of_request`. */
static inline uint64_t job_timeout_us(const struct job *job,
                                      uint64_t of_request)
{
    if (of_request == 0 || job->timeout_us == 0)
        return of_request | job->timeout_us;
    return of_request < job->timeout_us ? of_request : job->timeout_us;
}

/* Bytes that the body may have, inflated too; `name` of the limit for texts. */
size_t job_body_limit(const struct job *job, const char **name);

/* Makes the reply, which may be an error: inflate the body, prepare, reserve,
 * execute, deflate. Goes as far as to a step after which the rest costs more
 * than `limit_ns`: then false, and the job is to be run on later, by any
 * thread. Blocks for as long as the data moves; a large job belongs to a
 * worker. */
bool job_run(struct job *job, uint64_t limit_ns);

/* Step by step, for a request that needs no others. job_inflate() replaces the
 * request's body by the inflated one; nothing to do for the identity. Each
 * growth is reserved before it is allocated, and the inflated body has the
 * limit of any body. False when the reply is an error: 400 for a damaged
 * stream, 413 above a limit, 503. */
bool job_inflate(struct job *job);

/* Compresses the reply when a coding is wanted and the reply is no error. When
 * the reservation or the memory fails, the reply stays uncompressed. */
void job_deflate(struct job *job);

/* Estimated nanoseconds for the rest of the job on a free core: by the lengths
 * of body and reply, the codings and, once prepared, the plan. */
uint64_t job_cost_ns(const struct job *job);

/* Ends a job that stands between two steps, with the reply that it has. */
void job_stop(struct job *job);

/* Frees everything that the job owns, gives back what it leased and initialises
 * it again, with the same lease. */
void job_clear(struct job *job);

/* Replaces the reply by an error. `rejection` is an enum metrics_rejection or
 * -1. Returns false, as the next two. */
bool job_fail(struct job *job, int status, int rejection, const char *format,
              ...) __attribute__((format(printf, 4, 5)));

/* Replaces the reply by the 503 of memory that the system refuses; `what` names
 * its purpose: "the answer". */
bool job_fail_memory(struct job *job, const char *what);

/* Replaces the reply by the 504 of a request whose timeout has passed. */
void job_fail_late(struct job *job);

/* Replaces the reply by the error of a failed lease of `bytes`: 413 when they
 * can never fit, 503 when they do not fit now. */
bool job_fail_reservation(struct job *job, enum lease_verdict verdict,
                          size_t bytes, const char *what);

/* Makes the reply the text that `print` prints, with a static content type.
 * Without memory it is a 503; `what` names the text. */
typedef void job_print(FILE *out, const struct job *job, const void *context);
void job_reply_text(struct job *job, job_print *print, const void *context,
                    const char *type, const char *what);
