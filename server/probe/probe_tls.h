/* The probe's question over TLS. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

/* Sends `question` on a connected socket and reads the beginning of the answer,
 * at most `size` bytes. The daemon may be anyone: the address says who it is.
 * Where it wants a certificate, its own is shown. -1 with errno on failure. */
ssize_t probe_tls_ask(int fd, const struct options *options,
                      const char *question, char *answer, size_t size);
