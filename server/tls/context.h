/* The OpenSSL context of the service, read from its files. Any thread. */
#pragma once

#include <stdbool.h>

#include "kernels/core/status.h"

struct ssl_ctx_st;

struct tls_files {
    const char *cert, *key; /* borrowed, as the next */
    const char *client_ca;  /* NULL: clients need no certificate */
};

/* Reads the files. SSL_CTX_free() frees the context. NULL when a file cannot be
 * used: INVALID names option, file and reason, never the contents of a key.
 * NO_MEMORY: OpenSSL cannot be started. */
struct ssl_ctx_st *tls_context_new(const struct tls_files *files,
                                   struct status *st);

/* True if the certificate has expired. */
bool tls_context_is_expired(const struct ssl_ctx_st *context);

/* The reason of OpenSSL's oldest error on this thread, a static text. */
const char *tls_context_fault(void);
