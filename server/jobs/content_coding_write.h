/* Deflates the body of a reply. */
#pragma once

#include "server/jobs/job.h"

/* Compresses the reply when a coding is wanted and the reply is no error. When
 * the reservation or the memory fails, the reply stays uncompressed. */
void content_coding_write_reply(struct job *job);
