/* The TLS of the service: --tls-cert, --tls-key and --tls-client-ca. The files
 * are read at the start, at SIGHUP, and when they have changed. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "kernels/core/status.h"
#include "server/config/options.h"
#include "server/log/log.h"
#include "server/socket/transport.h"

struct ssl_ctx_st;
struct ssl_st;

enum { TLS_FILES = 3 }; /* that options name */

struct tls {
    bool on;
    const struct options *options; /* borrowed */
    pthread_mutex_t lock;
    struct ssl_ctx_st *context; /* owned; guarded by the lock */
    /* Times of the last change of each file. Main thread. */
    struct timespec changed[TLS_FILES];
};

/* Reads the files, if the options name them. INVALID names option, file
 * and reason. tls_free() frees. */
bool tls_init(struct tls *tls, const struct options *options, struct log *log,
              struct status *st);

/* Reads the files again. Open connections keep the old context, and new ones
 * too when the files cannot be used: then false. Logs either. Main thread. */
bool tls_reload(struct tls *tls, struct log *log);

/* True if there are files and one has changed since it was looked at last. Main
 * thread. */
bool tls_has_changed(struct tls *tls);

/* The end of the certificate in use, unix time in seconds; 0: none. Main
 * thread. */
int64_t tls_expiry(const struct tls *tls);

void tls_free(struct tls *tls);

/* The protocols that a client may offer by ALPN: the one that the port speaks
 * must be among them, if it offers any. */
enum tls_protocol { TLS_HTTP1, TLS_HTTP2 };

/* Makes the transport of a new connection over `fd`, which stays the caller's;
 * libmicrohttpd then sees plain bytes. Its slot free() frees it. One without
 * slots when there is no memory. The thread of the connection's loop. */
struct socket_layer tls_stream_new(struct tls *tls, int fd,
                                   enum tls_protocol protocol);

/* Chooses the protocol of a new session; HTTP/1.1 without a call. */
void tls_set_protocol(struct ssl_st *session, enum tls_protocol protocol);

/* The reason of OpenSSL's oldest error on this thread, a static text. */
const char *tls_fault(void);
