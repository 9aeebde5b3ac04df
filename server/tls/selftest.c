#include <openssl/err.h>
#include <openssl/ssl.h>

#include "server/tls/tls.h"

enum { ROUNDS = 16 }; /* turns of each side; a handshake needs two or three */

/* Both sides take turns until both are done. */
static bool shake_hands(SSL *server, SSL *client)
{
    bool served = false, asked = false;

    for (int i = 0; i < ROUNDS && !(served && asked); i++) {
        asked = asked || SSL_do_handshake(client) == 1;
        served = served || SSL_do_handshake(server) == 1;
    }
    return served && asked;
}

static bool connect_over_memory(SSL *server, SSL *client)
{
    BIO *near, *far;

    if (!server || !client || BIO_new_bio_pair(&near, 0, &far, 0) != 1)
        return false;
    SSL_set_bio(server, near, near);
    SSL_set_bio(client, far, far);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    SSL_set_verify(server, SSL_VERIFY_NONE, NULL); /* no client certificate */
    return true;
}

static bool test(SSL_CTX *context, SSL_CTX *client_context, long version)
{
    SSL *server = SSL_new(context), *client = SSL_new(client_context);
    bool works;

    works = connect_over_memory(server, client) &&
            SSL_ctrl(client, SSL_CTRL_SET_MAX_PROTO_VERSION, version, NULL) &&
            shake_hands(server, client);
    SSL_free(server);
    SSL_free(client);
    return works;
}

bool tls_selftest(struct ssl_ctx_st *context)
{
    SSL_CTX *client = SSL_CTX_new(TLS_client_method());
    bool works;

    ERR_clear_error();
    works = client && test(context, client, TLS1_3_VERSION) &&
            test(context, client, TLS1_2_VERSION);
    SSL_CTX_free(client);
    return works;
}
