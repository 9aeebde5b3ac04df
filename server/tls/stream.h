/* TLS on one connection, as the transport below libmicrohttpd, which sees plain
 * bytes.
 *
 * Loop thread only. */
#pragma once

#include <stdbool.h>

#include "server/mhd/socket_io.h"

struct tls;

/* Makes the layer of a new connection over `fd`, which stays the caller's. Its
 * slot free() frees it. A layer without slots when there is no memory. */
struct socket_layer tls_stream_new(struct tls *tls, int fd);
