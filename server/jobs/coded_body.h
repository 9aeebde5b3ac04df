/* Inflates the body of a request, deflates the body of a reply. */
#pragma once

#include "server/jobs/job.h"

/* Replaces the request's body by the inflated one; nothing to do for the
 * identity. Each growth is reserved before it is allocated, and the inflated
 * body has the limit of any body, http-max-input-size. False when the reply is
 * an error: 400 for a damaged stream, 413 above a limit, 503. */
bool coded_body_inflate(struct job *job);

/* Compresses the reply when a coding is wanted and the reply is no error. When
 * the reservation or the memory fails, the reply stays uncompressed. */
void coded_body_deflate(struct job *job);
