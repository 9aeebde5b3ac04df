/* OpenSSL, loaded when the first of --tls-cert and --probe wants it: a daemon
 * without TLS neither holds it nor needs it installed. */
#pragma once

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdbool.h>

#include "kernels/core/status.h"

/* What is called of it; its macros end in SSL_ctrl() and SSL_CTX_ctrl(). */
#define TLS_FUNCTIONS(X)                                                       \
    X(ERR_clear_error)                                                         \
    X(ERR_peek_error)                                                          \
    X(ERR_reason_error_string)                                                 \
    X(SSL_CTX_check_private_key)                                               \
    X(SSL_CTX_ctrl)                                                            \
    X(SSL_CTX_free)                                                            \
    X(SSL_CTX_get0_certificate)                                                \
    X(SSL_CTX_load_verify_file)                                                \
    X(SSL_CTX_new)                                                             \
    X(SSL_CTX_set_alpn_select_cb)                                              \
    X(SSL_CTX_set_cert_verify_callback)                                        \
    X(SSL_CTX_set_cipher_list)                                                 \
    X(SSL_CTX_set_client_CA_list)                                              \
    X(SSL_CTX_set_default_passwd_cb)                                           \
    X(SSL_CTX_set_default_read_buffer_len)                                     \
    X(SSL_CTX_set_num_tickets)                                                 \
    X(SSL_CTX_set_options)                                                     \
    X(SSL_CTX_set_verify)                                                      \
    X(SSL_CTX_use_PrivateKey_file)                                             \
    X(SSL_CTX_use_certificate_chain_file)                                      \
    X(SSL_accept)                                                              \
    X(SSL_connect)                                                             \
    X(SSL_free)                                                                \
    X(SSL_get_error)                                                           \
    X(SSL_get_shutdown)                                                        \
    X(SSL_has_pending)                                                         \
    X(SSL_load_client_CA_file)                                                 \
    X(SSL_new)                                                                 \
    X(SSL_peek)                                                                \
    X(SSL_read_ex)                                                             \
    X(SSL_set_fd)                                                              \
    X(SSL_shutdown)                                                            \
    X(SSL_write_ex)                                                            \
    X(TLS_client_method)                                                       \
    X(TLS_server_method)                                                       \
    X(X509_STORE_CTX_get0_cert)                                                \
    X(X509_cmp)                                                                \
    X(X509_cmp_current_time)                                                   \
    X(X509_get0_notAfter)                                                      \
    X(X509_verify_cert)

struct tls_library {
#define FIELD(name) __typeof__(name) *(name);
    TLS_FUNCTIONS(FIELD)
#undef FIELD
};

/* Constant once loaded. */
extern struct tls_library openssl;

/* Again does nothing. NOT_SUPPORTED says what is not installed. */
bool tls_library_load(struct status *st);

/* What OpenSSL said last, on this thread, was wrong. */
const char *tls_library_fault(void);
