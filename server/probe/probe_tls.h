/* The request of the probe over TLS. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "kernels/core/status.h"
#include "server/config/options.h"

/* Sends `request` on a connected socket and reads the first bytes of the reply,
 * at most `size`; returns how many, or -1 with errno. The daemon's certificate
 * is not verified: the address alone says which daemon is probed. If the daemon
 * requires a client certificate, its own one is sent. */
ssize_t probe_tls_exchange(int fd, const struct options *options,
                           const char *request, char *reply, size_t size);
