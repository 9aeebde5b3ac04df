/* The line of a request in the log, as every transport writes it. */
#pragma once

#include <stdint.h>

#include "server/work/job.h"

/* What the transport knows. All texts are borrowed; the caller cuts what a
 * client has sent, so that it cannot push the other fields out of the line. */
struct job_log_request {
    const char *id, *client, *method, *path;
    const char *trace_id;    /* NULL: of no trace */
    const char *user_agent;  /* or NULL */
    int status;              /* HTTP's, METRICS_CLIENT_GONE, or 0 */
    uint64_t received, sent; /* bytes of both bodies */
    uint64_t duration_us;
};

/* True if the line is written: of each request with --access-log, else of our
 * own faults, and where debugging is wanted of each that was refused. `status`
 * is that of the line. Any thread. */
bool job_log_wants(const struct job *job, int status);

/* Writes the line, with the job's stages, its model and why it was refused. Any
 * thread. */
void job_log(const struct job *job, const struct job_log_request *request);
