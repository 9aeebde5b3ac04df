/* Inflates the body of a request. */
#pragma once

#include "server/jobs/job.h"

/* Replaces the request's body by the inflated one; nothing to do for the
 * identity. Each growth is reserved before it is allocated, and the inflated
 * body has the limit of any body, http-max-input-size. False when the reply is
 * an error: 400 for a damaged stream, 413 above a limit, 503. */
bool content_coding_read_body(struct job *job);
