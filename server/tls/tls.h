/* --tls-cert, --tls-key and --tls-client-ca: who the service is to its clients,
 * and who they must be. Read at the start, and again at SIGHUP or when the
 * files have changed. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "kernels/core/status.h"
#include "server/config/options.h"
#include "server/log/log.h"
#include "server/mhd/io_selftest.h"

struct ssl_ctx_st;

enum { TLS_FILES = 3 };

struct tls {
    bool on;
    const char *cert, *key; /* borrowed, as the next */
    const char *client_ca;  /* NULL: clients need no certificate */
    pthread_mutex_t lock;
    struct ssl_ctx_st *context;      /* owned; guarded by the lock */
    struct timespec seen[TLS_FILES]; /* when last changed; the main thread's */
};

/* Reads the files, if TLS is asked for. Fails with NOT_SUPPORTED unless `mode`
 * is IO_ADAPTER; with INVALID, naming option, file
 * and reason, never what is in a key. */
bool tls_init(struct tls *tls, const struct options *options, enum io_mode mode,
              struct log *log, struct status *st);

/* Reads the files again. Connections that are open go on with what they have,
 * as do new ones when the files cannot be used; either is logged. */
void tls_reload(struct tls *tls, struct log *log);

/* The same if a file has changed since it was last read. */
void tls_look(struct tls *tls, struct log *log);

void tls_free(struct tls *tls);

/* In tls_context.c: what the files say, for SSL_CTX_free(); NULL as tls_init()
 * fails. */
struct ssl_ctx_st *tls_context_new(const struct tls *tls, struct status *st);

/* The reason of OpenSSL's oldest error on this thread, a static text. */
const char *tls_fault(void);

/* Whether the certificate's time is over. */
bool tls_context_is_expired(const struct ssl_ctx_st *context);
