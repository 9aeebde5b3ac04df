#include "server/tls/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/core/require.h"
#include "server/base/file_text.h"

/* Bytes that OpenSSL reads ahead at most: two records in one system call. */
enum { READ_AHEAD = 36 << 10 };

/* Of TLS 1.2 only ciphers with forward secrecy and authenticated encryption;
 * those of TLS 1.3 all have both. */
static const char ciphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

const char *tls_fault(void)
{
    unsigned long error = ERR_peek_error();
    const char *text = ERR_reason_error_string(error);

    return ERR_SYSTEM_ERROR(error) ? strerrordesc_np(ERR_GET_REASON(error))
           : text                  ? text
                                   : "unknown";
}

static bool fail(const char *option, const char *path, const char *why,
                 struct status *st)
{
    return status_fail(st, STATUS_INVALID, "%s %.128s: %s", option, path, why);
}

/* fail() with OpenSSL's reason. */
static bool refuse(const char *option, const char *path, const char *what,
                   struct status *st)
{
    char why[160];

    snprintf(why, sizeof(why), "%s (%s)", what, tls_fault());
    return fail(option, path, why, st);
}

/* OpenSSL skips a line where anything stands in front of BEGIN, and so a
 * certificate without a word, where another follows. It takes a byte order mark
 * in the first line and behind END. */
static bool check_marks(const char *option, const char *path, FILE *file,
                        struct status *st)
{
    char *line = NULL, why[120];
    size_t size = 0, before = 0;
    bool takes_mark = true, skipped = false;
    int number = 0;

    while (!skipped && getline(&line, &size, file) >= 0) {
        before = strspn(line, FILE_TEXT_MARK " \t");
        skipped = before > 0 &&
                  strncmp(line + before, "-----BEGIN ", 11) == 0 &&
                  !(takes_mark &&
                    strncmp(line, FILE_TEXT_MARK "-----BEGIN ", 14) == 0);
        takes_mark = strncmp(line, "-----END ", 9) == 0;
        number++;
    }
    free(line);
    if (!skipped)
        return true;
    snprintf(why, sizeof(why),
             "line %d: a byte order mark or a blank stands in front of BEGIN",
             number);
    return fail(option, path, why, st);
}

/* Before OpenSSL reads a file, whose errors are the next ones then. Fails also
 * where OpenSSL would not say what is wrong, and with the system's reason for a
 * file that cannot be read: OpenSSL's texts name its own functions. */
static bool check_file(const char *option, const char *path, struct status *st)
{
    FILE *file = fopen(path, "re");
    bool ok;
    int first;

    ERR_clear_error();
    if (!file)
        return fail(option, path, strerror(errno), st);
    first = getc(file);
    if (first == EOF) {
        ok = fail(option, path, ferror(file) ? strerror(errno) : "it is empty",
                  st);
    } else {
        ungetc(first, file);
        ok = check_marks(option, path, file, st);
    }
    fclose(file);
    return ok;
}

/* Refuses a key with a passphrase: a daemon cannot ask for it. */
static int no_passphrase(char *text, int size, int writing, void *context)
{
    (void)text;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

static bool read_cert(const struct options *options, SSL_CTX *context,
                      struct status *st)
{
    static const char option[] = "--tls-cert";

    return check_file(option, options->tls_cert, st) &&
           (SSL_CTX_use_certificate_chain_file(context, options->tls_cert) ==
                1 ||
            refuse(option, options->tls_cert,
                   "no certificates in PEM that can be used", st));
}

static bool read_key(const struct options *options, SSL_CTX *context,
                     struct status *st)
{
    static const char option[] = "--tls-key";
    bool read;

    if (!check_file(option, options->tls_key, st))
        return false;
    read = SSL_CTX_use_PrivateKey_file(context, options->tls_key,
                                       SSL_FILETYPE_PEM) == 1;
    if (read && SSL_CTX_check_private_key(context) == 1)
        return true;
    if (read || ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH)
        return fail(option, options->tls_key,
                    "not the key of the certificate in --tls-cert", st);
    return refuse(option, options->tls_key,
                  "no private key in PEM that can be read without a passphrase",
                  st);
}

/* Accepts the service's own certificate, which the probe presents. Any other
 * must be signed by the authority. */
static int verify(X509_STORE_CTX *chain, void *context)
{
    const X509 *own = SSL_CTX_get0_certificate(context);

    if (X509_cmp(X509_STORE_CTX_get0_cert(chain), own) == 0)
        return 1;
    return X509_verify_cert(chain);
}

static bool read_client_ca(const struct options *options, SSL_CTX *context,
                           struct status *st)
{
    static const char option[] = "--tls-client-ca";
    STACK_OF(X509_NAME) *names = NULL;

    if (!options->tls_client_ca)
        return true;
    if (!check_file(option, options->tls_client_ca, st))
        return false;
    if (SSL_CTX_load_verify_file(context, options->tls_client_ca) == 1)
        names = SSL_load_client_CA_file(options->tls_client_ca);
    if (!names)
        return refuse(option, options->tls_client_ca,
                      "no certificates in PEM that can be used", st);
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(context,
                       SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_cert_verify_callback(context, verify, context);
    /* A resumed session would skip the check of the certificate. */
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
    return true;
}

/* By enum tls_protocol, each as ALPN has it: behind its length. The session's
 * application data is that of another one than HTTP/1.1. */
static unsigned char protocols[][10] = {"\x08http/1.1", "\x02h2"};

void tls_set_protocol(SSL *session, enum tls_protocol protocol)
{
    SSL_set_app_data(session, protocols[protocol]);
}

/* ALPN: chooses the port's protocol, and refuses a client that does not offer
 * it. */
static int choose_protocol(SSL *session, const unsigned char **chosen,
                           unsigned char *chosen_len,
                           const unsigned char *offered, unsigned len,
                           void *context)
{
    const unsigned char *set = SSL_get_app_data(session);
    const unsigned char *own = set ? set : protocols[TLS_HTTP1];
    unsigned char *found;

    (void)context;
    if (SSL_select_next_proto(&found, chosen_len, own, own[0] + 1u, offered,
                              len) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

/* SSL_OP_IGNORE_UNEXPECTED_EOF: clients often close without close_notify, and
 * the end of the connection never marks the end of a request. */
static bool set_rules(SSL_CTX *context)
{
    /* Without the finite-field groups that OpenSSL adds by default: one hello
     * that names ffdhe8192 costs 198 ms of a loop, one that names P-384 0.5. */
    char groups[] = "X25519:P-256:P-384";

    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_NO_COMPRESSION |
                                     SSL_OP_IGNORE_UNEXPECTED_EOF |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
    SSL_CTX_ctrl(context, SSL_CTRL_MODE,
                 SSL_MODE_ENABLE_PARTIAL_WRITE |
                     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                     SSL_MODE_RELEASE_BUFFERS,
                 NULL);
    SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF,
                 NULL);
    SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    SSL_CTX_set_default_read_buffer_len(context, READ_AHEAD);
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    return SSL_CTX_set_cipher_list(context, ciphers) == 1 &&
           SSL_CTX_set1_groups_list(context, groups) == 1;
}

enum { ROUNDS = 16 }; /* of both sides; a handshake needs two or three */

/* A handshake in memory, of the version at most. */
static bool test(SSL_CTX *context, SSL_CTX *client_context, long version)
{
    SSL *server = SSL_new(context), *client = SSL_new(client_context);
    BIO *near, *far;
    bool served = false, asked = false;

    if (server && client && BIO_new_bio_pair(&near, 0, &far, 0) == 1) {
        SSL_set_bio(server, near, near);
        SSL_set_bio(client, far, far);
        SSL_set_accept_state(server);
        SSL_set_connect_state(client);
        SSL_set_verify(server, SSL_VERIFY_NONE, NULL); /* no certificate */
        SSL_ctrl(client, SSL_CTRL_SET_MAX_PROTO_VERSION, version, NULL);
        for (int i = 0; i < ROUNDS && !(served && asked); i++) {
            asked = asked || SSL_do_handshake(client) == 1;
            served = served || SSL_do_handshake(server) == 1;
        }
    }
    SSL_free(server);
    SSL_free(client);
    return served && asked;
}

/* Makes a handshake of TLS 1.3 and one of 1.2 with the context. Fails when one
 * does: OpenSSL that once lacked memory while it loaded its algorithms lacks
 * some of them for as long as the process runs, and says so to nobody but the
 * clients. */
static bool check_handshakes(SSL_CTX *context, struct status *st)
{
    SSL_CTX *client = SSL_CTX_new(TLS_client_method());
    bool works;

    ERR_clear_error();
    works = client && test(context, client, TLS1_3_VERSION) &&
            test(context, client, TLS1_2_VERSION);
    SSL_CTX_free(client);
    return works ||
           status_fail(st, STATUS_NO_MEMORY,
                       "TLS fails in a handshake with itself: %s", tls_fault());
}

/* SSL_CTX_free() frees. NULL when a file cannot be used: INVALID names option,
 * file and reason, never the contents of a key. NO_MEMORY: OpenSSL cannot be
 * started, or fails its self-test. */
static SSL_CTX *read_context(const struct options *options, struct status *st)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());

    if (!context || !set_rules(context))
        status_fail(st, STATUS_NO_MEMORY, "cannot start TLS: %s", tls_fault());
    else if (read_cert(options, context, st) &&
             read_key(options, context, st) &&
             read_client_ca(options, context, st) &&
             check_handshakes(context, st))
        return context;
    SSL_CTX_free(context);
    return NULL;
}

/* The end of the certificate, unix time in seconds. */
static int64_t find_expiry(const SSL_CTX *context)
{
    const X509 *cert = SSL_CTX_get0_certificate(context);
    struct tm end;

    return ASN1_TIME_to_tm(X509_get0_notAfter(cert), &end) ? timegm(&end) : 0;
}

/* Records the times of the files' last changes. True if one has changed since
 * the last call. */
static bool record_changes(struct tls *tls)
{
    const char *const files[TLS_FILES] = {tls->options->tls_cert,
                                          tls->options->tls_key,
                                          tls->options->tls_client_ca};
    struct stat info;
    bool changed = false;

    for (int i = 0; i < TLS_FILES; i++) {
        if (!files[i] || stat(files[i], &info) != 0 ||
            memcmp(&info.st_mtim, &tls->changed[i], sizeof(info.st_mtim)) == 0)
            continue;
        tls->changed[i] = info.st_mtim;
        changed = true;
    }
    return changed;
}

static void warn(const struct tls *tls, const SSL_CTX *context, struct log *log)
{
    struct stat info;

    if (stat(tls->options->tls_key, &info) == 0 && (info.st_mode & S_IROTH))
        log_event(log, LOG_WARNING, "every user may read the TLS key",
                  {"file", tls->options->tls_key, 0});
    if (find_expiry(context) < (int64_t)time(NULL))
        log_event(log, LOG_WARNING, "the TLS certificate has expired",
                  {"file", tls->options->tls_cert, 0});
}

static bool check_options(const struct options *options, struct status *st)
{
    if (!options->tls_cert != !options->tls_key)
        return status_fail(st, STATUS_INVALID,
                           "--tls-cert and --tls-key go together, but only "
                           "%s is given",
                           options->tls_cert ? "--tls-cert" : "--tls-key");
    if (options->tls_client_ca && !options->tls_cert)
        return status_fail(st, STATUS_INVALID,
                           "--tls-client-ca needs --tls-cert and --tls-key");
    return true;
}

bool tls_init(struct tls *tls, const struct options *options, struct log *log,
              struct status *st)
{
    if (!check_options(options, st))
        return false;
    *tls = (struct tls){.on = options->tls_cert != NULL, .options = options};
    pthread_mutex_init(&tls->lock, NULL);
    if (!tls->on)
        return true;
    record_changes(tls);
    tls->context = read_context(tls->options, st);
    if (!tls->context)
        return false;
    warn(tls, tls->context, log);
    log_event(log, LOG_INFO, "TLS", {"cert", tls->options->tls_cert, 0},
              {"client_ca",
               options->tls_client_ca ? options->tls_client_ca : "none", 0});
    return true;
}

bool tls_reload(struct tls *tls, struct log *log)
{
    SSL_CTX *context, *old;
    struct status st;

    REQUIRE(tls->on);
    record_changes(tls);
    context = read_context(tls->options, &st);
    if (!context) {
        log_event(log, LOG_ERROR, "the TLS certificate stays as it is",
                  {"reason", st.message, 0});
        return false;
    }
    warn(tls, context, log);
    pthread_mutex_lock(&tls->lock);
    old = tls->context;
    tls->context = context;
    pthread_mutex_unlock(&tls->lock);
    SSL_CTX_free(old); /* its open connections hold references */
    log_event(log, LOG_INFO, "TLS certificate read",
              {"file", tls->options->tls_cert, 0});
    return true;
}

bool tls_has_changed(struct tls *tls)
{
    return tls->on && record_changes(tls);
}

int64_t tls_expiry(const struct tls *tls)
{
    return tls->on ? find_expiry(tls->context) : 0;
}

void tls_free(struct tls *tls)
{
    SSL_CTX_free(tls->context);
    pthread_mutex_destroy(&tls->lock);
}
