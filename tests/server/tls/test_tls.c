#include "server/tls/tls.h"

#include <errno.h>
#include <openssl/conf.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/base/file_text.h"
#include "tests/heap_watch.h"
#include "tests/server/log_text.h"
#include "tests/server/tls/pki.h"
#include "tests/unit.h"

static struct tls tls;
static struct status st;
static struct log lines;

static int64_t never(void)
{
    return 0;
}

static void set_up(void)
{
    log_text_start(&lines, LOG_DEBUG);
    lines.now_ms = never;
    pki_set_up();
}

static void tear_down(void)
{
    tls_free(&tls);
    pki_tear_down();
}

FIXTURE(set_up, tear_down)

/* Behind an error of another connection of the thread. */
static bool start(void)
{
    ERR_raise(ERR_LIB_USER, 1);
    return tls_init(&tls, &pki_options, &lines, &st);
}

static void start_well(void)
{
    memset(&tls, 0xff, sizeof(tls));
    ck_assert_msg(start(), "%s", st.message);
}

/* The lines since the last call. '>' stands for a time, the letters of `files`
 * for the files' paths. */
static void logged(const char *expected)
{
    static const char files[] = "@*?";
    char line[1000], *end = line, *found;

    for (; *expected; expected++)
        if (*expected == '>')
            end = stpcpy(end, "1970-01-01T00:00:00.000Z ");
        else if ((found = strchr(files, *expected)))
            end = stpcpy(end, pki_paths[found - files]);
        else
            *end++ = *expected;
    *end = '\0';
    ck_assert_str_eq(log_text_take(&lines), line);
}

UNIT_TEST(a_fault_has_a_text)
{
    start_well(); /* OpenSSL loads its texts */
    ERR_clear_error();
    ck_assert_str_eq(tls_fault(), "unknown");
    ERR_raise(ERR_LIB_SYS, EACCES);
    ERR_raise(ERR_LIB_SSL, SSL_R_HTTP_REQUEST);
    ck_assert_str_eq(tls_fault(), "Permission denied"); /* the oldest */
    ERR_clear_error();
    ERR_raise(ERR_LIB_SSL, SSL_R_HTTP_REQUEST);
    ck_assert_str_eq(tls_fault(), "http request");
}

#define ONLY "--tls-cert and --tls-key go together, but only "

static const struct {
    bool cert, key, ca;
    const char *message; /* NULL: none */
} settings[] = {
    {0, 0, 0, NULL},
    {1, 1, 0, NULL},
    {1, 1, 1, NULL},
    {1, 0, 1, ONLY "--tls-cert is given"},
    {0, 1, 0, ONLY "--tls-key is given"},
    {0, 0, 1, "--tls-client-ca needs --tls-cert and --tls-key"},
};

LOOP_TEST(the_options_go_together, COUNT(settings))
{
    pki_options.tls_cert = settings[_i].cert ? pki_paths[PKI_CERT] : NULL;
    pki_options.tls_key = settings[_i].key ? pki_paths[PKI_KEY] : NULL;
    pki_options.tls_client_ca = settings[_i].ca ? pki_paths[PKI_CA] : NULL;
    if (settings[_i].message) {
        ck_assert(!start());
        ck_assert_int_eq(st.code, STATUS_INVALID);
        ck_assert_str_eq(st.message, settings[_i].message);
        return;
    }
    start_well();
    ck_assert_int_eq(tls.on, settings[_i].cert);
    ck_assert(!tls_has_changed(&tls));
    ck_assert_int_eq(tls_expiry(&tls), tls.on ? 4010000000 : 0);
}

#define MARK FILE_TEXT_MARK

static const char no_certs[] = "no certificates in PEM that can be used (",
                  no_key[] = "no private key in PEM that can be read without "
                             "a passphrase (",
                  other_key[] = "not the key of the certificate in --tls-cert",
                  no_file[] = "No such file or directory",
                  folder[] = "Is a directory", empty[] = "it is empty";

static const struct {
    int file;
    const char *parts;
    const char *why; /* behind '(' is OpenSSL's reason; NULL: a mark */
    int line;        /* with the mark; below 0: behind the first certificate */
} wrong[] = {
    {PKI_CERT, NULL, no_file, 0},
    {PKI_CERT, "", empty, 0},
    {PKI_CERT, "/", folder, 0},
    {PKI_CERT, "s", no_certs, 0},
    {PKI_CERT, " SI", NULL, 1},
    {PKI_CERT, "\tSI", NULL, 1},
    {PKI_CERT, "   SI", NULL, 1},
    {PKI_CERT, "\r SI", NULL, 1},
    {PKI_CERT, MARK MARK "SI", NULL, 1},
    {PKI_CERT, MARK " SI", NULL, 1},
    {PKI_CERT, "\n" MARK "SI", NULL, 2},
    {PKI_CERT, "S I", NULL, -1},
    {PKI_CERT, "S\n\tI", NULL, -2},
    {PKI_CERT, "S\n" MARK "I", NULL, -2},
    {PKI_KEY, NULL, no_file, 0},
    {PKI_KEY, "", empty, 0},
    {PKI_KEY, "/", folder, 0},
    {PKI_KEY, "S", no_key, 0},
    {PKI_KEY, "x", no_key, 0},
    {PKI_KEY, " s", NULL, 1},
    {PKI_KEY, "t", other_key, 0},
    {PKI_KEY, "d", other_key, 0},
    {PKI_CA, NULL, no_file, 0},
    {PKI_CA, "", empty, 0},
    {PKI_CA, "/", folder, 0},
    {PKI_CA, "a", no_certs, 0},
    {PKI_CA, "#\n A", NULL, 2},
};

/* A daemon that asked for a passphrase would read this one. */
static void type_passphrase(void)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "secret\n", 7), 7);
    dup2(ends[0], STDIN_FILENO);
}

static void expect_message(int row)
{
    static const char *const names[] = {"--tls-cert", "--tls-key",
                                        "--tls-client-ca"};
    /* BEGIN, END, and the base64 of 48 bytes a line. */
    int before = 2 + (i2d_X509(pki_certs['S'], NULL) + 47) / 48;
    int line = wrong[row].line;
    char text[STATUS_MESSAGE_SIZE], mark[100];
    size_t len;

    snprintf(mark, sizeof(mark),
             "line %d: a byte order mark or a blank stands in front of BEGIN",
             line < 0 ? before - line : line);
    len = (size_t)snprintf(text, sizeof(text), "%s %s: %s",
                           names[wrong[row].file], pki_paths[wrong[row].file],
                           wrong[row].why ? wrong[row].why : mark);
    if (text[len - 1] != '(')
        ck_assert_str_eq(st.message, text);
    ck_assert_msg(strncmp(st.message, text, len) == 0, "%s", st.message);
    ck_assert_ptr_null(strstr(st.message, "unknown"));
}

LOOP_TEST(a_wrong_file_is_named, COUNT(wrong))
{
    char line[600];
    int at = wrong[_i].file;

    type_passphrase();
    start_well();
    logged(">info TLS cert=@ client_ca=?\n");
    pki_write(at, wrong[_i].parts);
    ERR_raise(ERR_LIB_USER, 1);
    ck_assert(!tls_reload(&tls, &lines)); /* the old ones stay */
    ck_assert(!tls_has_changed(&tls));
    ck_assert_int_eq(tls_expiry(&tls), 4010000000);
    tls_free(&tls);
    ck_assert(!start());
    ck_assert_int_eq(st.code, STATUS_INVALID);
    expect_message(_i);
    snprintf(line, sizeof(line),
             ">error the TLS certificate stays as it is reason=\"%s\"\n",
             st.message);
    logged(line);
}

/* None of two certificates is skipped. */
LOOP_TEST(a_mark_at_the_start_of_a_text_is_taken, 6)
{
    static const char *const parts[] = {"SI",     "\rSI",    "#\nS\nI",
                                        " #\nSI", MARK "SI", MARK "S" MARK "I"};
    STACK_OF(X509) * chain;

    pki_write(PKI_CERT, parts[_i]);
    start_well();
    SSL_CTX_get0_chain_certs(tls.context, &chain);
    ck_assert_int_eq(sk_X509_num(chain), 1);
    ck_assert_int_eq(X509_cmp(sk_X509_value(chain, 0), pki_certs['I']), 0);
}

enum { V2 = TLS1_2_VERSION, V3 = TLS1_3_VERSION };

#define AES128 "ECDHE-ECDSA-AES128-GCM-SHA256"
#define AES256 "ECDHE-ECDSA-AES256-GCM-SHA384"
#define CHACHA "ECDHE-ECDSA-CHACHA20-POLY1305"
#define HTTP1 "\x8http/1.1"
#define HTTP2 "\x2h2"

/* A client, and what comes of it. */
static const struct visit {
    int version;                  /* the newest of the client */
    const char *ciphers, *offers; /* of the client */
    char *groups;
    int protocol;       /* enum tls_protocol of the port; -1: none is set */
    bool mutual;        /* with --tls-client-ca */
    char who;           /* the client's certificate */
    const char *chosen; /* of the client's list */
    const char *fault;  /* that keeps it out; "": any */
} visits[] = {
    {V3, .who = 'F'},
    {V2, .ciphers = NULL},
    {TLS1_VERSION, "ALL:@SECLEVEL=0", .fault = "unsupported protocol"},
    {TLS1_1_VERSION, "ALL:@SECLEVEL=0", .fault = "unsupported protocol"},
    {V2, AES128 ":" CHACHA ":" AES256, .chosen = AES256},
    {V2, CHACHA ":" AES128 ":" AES256, .chosen = CHACHA},
    {V2, AES128, .chosen = AES128},
    {V2, "ECDHE-ECDSA-AES256-SHA384", .fault = "no shared cipher"},
    {V2, "ECDHE-ECDSA-AES128-CCM", .fault = "no shared cipher"},
    {V2, "ECDHE-ECDSA-AES128-SHA", .fault = "no shared cipher"},
    {V2, "AES128-GCM-SHA256", .fault = "no shared cipher"},
    {V2, "DHE-RSA-AES128-GCM-SHA256", .fault = "no shared cipher"},
    {V3, .groups = "X25519", .chosen = "X25519"},
    {V3, .groups = "P-521:P-256", .chosen = "prime256v1"},
    {V3, .groups = "P-384", .chosen = "secp384r1"},
    {V3, .groups = "P-521", .fault = ""},
    {V3, .groups = "X448", .fault = ""},
    {V3, .groups = "ffdhe2048", .fault = ""},
    {V3, .groups = "ffdhe3072", .fault = ""},
    {V3, .groups = "ffdhe8192", .fault = ""},
    {V3, .offers = HTTP2 HTTP1, .chosen = HTTP1},
    {V2, .offers = HTTP1, .chosen = HTTP1},
    {V3, .offers = HTTP2, .fault = "no application protocol"},
    {V3, .offers = HTTP1 HTTP2, .protocol = TLS_HTTP2, .chosen = HTTP2},
    {V3, .offers = HTTP1, .protocol = TLS_HTTP2,
     .fault = "no application protocol"},
    {V3, .protocol = TLS_HTTP2},
    {V3, .offers = HTTP2 HTTP1, .protocol = -1, .chosen = HTTP1},
    {V2, .mutual = true, .fault = "peer did not return a certificate"},
    {V3, .mutual = true, .fault = "peer did not return a certificate"},
    {V2, .mutual = true, .who = 'F', .fault = "certificate verify failed"},
    {V3, .mutual = true, .who = 'F', .fault = "certificate verify failed"},
    {V3, .mutual = true, .who = 'E', .fault = "certificate verify failed"},
    {V2, .mutual = true, .who = 'C'},
    {V3, .mutual = true, .who = 'C'},
    {V3, .mutual = true, .who = 'S'}, /* the service's own */
};

static SSL *service, *client;
static const char *fault;

static void open_client(const struct visit *visit)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    const char *offers = visit->offers ? visit->offers : "";

    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, visit->version);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), pki_certs['A']);
    client = SSL_new(context);
    SSL_CTX_free(context);
    ck_assert(!visit->ciphers || SSL_set_cipher_list(client, visit->ciphers));
    ck_assert(!visit->groups || SSL_set1_groups_list(client, visit->groups));
    SSL_set_alpn_protos(client, (const unsigned char *)offers,
                        (unsigned)strlen(offers));
    if (visit->who) {
        SSL_use_certificate(client, pki_certs[(int)visit->who]);
        SSL_use_PrivateKey(client, pki_keys[(int)visit->who]);
    }
}

/* Sets fault, NULL for a client that may enter. leave() ends it. */
static void enter(const struct visit *visit)
{
    BIO *near, *far;

    open_client(visit);
    service = SSL_new(tls.context);
    BIO_new_bio_pair(&near, 0, &far, 0);
    SSL_set_bio(service, near, near);
    SSL_set_bio(client, far, far);
    if (visit->protocol >= 0)
        tls_set_protocol(service, (enum tls_protocol)visit->protocol);
    fault = NULL;
    for (int i = 0; i < 4 && !fault; i++) {
        SSL_connect(client);
        ERR_clear_error();
        if (SSL_accept(service) != 1 && !SSL_want_read(service))
            fault = tls_fault();
    }
    SSL_read(client, NULL, 0); /* tickets */
    ERR_clear_error();
}

static void leave(void)
{
    SSL_free(service);
    SSL_free(client);
}

static bool shows(char name)
{
    return X509_cmp(SSL_get0_peer_certificate(client), pki_certs[(int)name]) ==
           0;
}

static void check_choices(const struct visit *visit)
{
    const unsigned char *chosen;
    unsigned len;

    if (visit->ciphers)
        ck_assert_str_eq(SSL_get_cipher(client), visit->chosen);
    if (visit->groups)
        ck_assert_str_eq(OBJ_nid2sn((int)SSL_get_negotiated_group(client)),
                         visit->chosen);
    SSL_get0_alpn_selected(client, &chosen, &len);
    ck_assert_uint_eq(len, visit->offers ? strlen(visit->chosen) - 1 : 0);
    if (len > 0)
        ck_assert_mem_eq(chosen, visit->chosen + 1, len);
}

LOOP_TEST(a_client_gets_what_the_port_gives, COUNT(visits))
{
    const struct visit *visit = &visits[_i];

    if (!visit->mutual)
        pki_options.tls_client_ca = NULL;
    start_well();
    enter(visit);
    if (visit->fault) {
        ck_assert_ptr_nonnull(fault);
        ck_assert(!*visit->fault || strcmp(fault, visit->fault) == 0);
    } else {
        ck_assert_msg(!fault, "%s", fault);
        ck_assert(SSL_is_init_finished(service));
        ck_assert(SSL_is_init_finished(client));
        ck_assert_int_eq(SSL_version(client), visit->version);
        ck_assert(shows('S'));
        ck_assert_int_eq(SSL_get_verify_result(client), X509_V_OK);
        check_choices(visit);
        /* A resumed session would skip the check of the certificate. */
        ck_assert_int_eq(SSL_SESSION_is_resumable(SSL_get_session(client)),
                         !visit->mutual);
        ck_assert_int_eq(sk_X509_NAME_num(SSL_get_client_CA_list(client)),
                         visit->mutual ? 1 : -1);
    }
    leave();
}

static const struct {
    mode_t mode; /* of the key */
    const char *cert, *key;
    int64_t end;
    const char *warning;
} warned[] = {
    {0640, "SI", "s", 4010000000, ""},
    {0602, "SI", "s", 4010000000, ""},
    {0604, "SI", "s", 4010000000,
     ">warning every user may read the TLS key file=*\n"},
    {0600, "E", "e", 1000000000,
     ">warning the TLS certificate has expired file=@\n"},
};

/* The certificate's times are in UTC, whatever the zone is. */
LOOP_TEST(what_is_wrong_with_usable_files_is_logged, COUNT(warned))
{
    char expected[300];

    setenv("TZ", "AAA-5BBB", 1);
    tzset();
    pki_options.tls_client_ca = NULL;
    pki_write(PKI_CERT, warned[_i].cert);
    pki_write(PKI_KEY, warned[_i].key);
    ck_assert_int_eq(chmod(pki_paths[PKI_KEY], warned[_i].mode), 0);
    start_well();
    snprintf(expected, sizeof(expected), "%s>info TLS cert=@ client_ca=none\n",
             warned[_i].warning);
    logged(expected);
    ck_assert_int_eq(tls_expiry(&tls), warned[_i].end);
    ck_assert(tls_reload(&tls, &lines));
    snprintf(expected, sizeof(expected),
             "%s>info TLS certificate read file=@\n", warned[_i].warning);
    logged(expected);
}

UNIT_TEST(a_change_of_each_file_is_seen_once)
{
    static const char *const parts[] = {"SI", "s", "A"};

    start_well();
    for (int i = 0; i < TLS_FILES; i++) {
        ck_assert(!tls_has_changed(&tls));
        pki_write(i, parts[i]);
        ck_assert(tls_has_changed(&tls));
    }
    ck_assert(!tls_has_changed(&tls));
    pki_write(PKI_KEY, NULL);
    ck_assert(!tls_has_changed(&tls));
    pki_write(PKI_KEY, "s");
    ck_assert(tls_reload(&tls, &lines)); /* sees it too */
    ck_assert(!tls_has_changed(&tls));
}

UNIT_TEST(new_connections_have_the_new_certificate)
{
    char byte;

    pki_options.tls_client_ca = NULL;
    start_well();
    enter(visits);
    pki_write(PKI_CERT, "T");
    pki_write(PKI_KEY, "t");
    ck_assert(tls_reload(&tls, &lines));
    ck_assert_int_eq(tls_expiry(&tls), 4020000000);
    ck_assert_int_eq(SSL_write(client, "a", 1), 1);
    ck_assert_int_eq(SSL_read(service, &byte, 1), 1);
    leave();
    enter(visits);
    ck_assert(shows('T'));
    leave();
}

static void *try_lock(void *context)
{
    if (pthread_mutex_trylock(&tls.lock) != 0)
        return NULL;
    pthread_mutex_unlock(&tls.lock);
    return context;
}

/* Gives back the lock, which this thread holds once. */
static void unlock(void)
{
    pthread_t other;
    void *is_free;

    ck_assert_int_eq(pthread_mutex_unlock(&tls.lock), 0);
    pthread_create(&other, NULL, try_lock, &tls);
    pthread_join(other, &is_free);
    ck_assert_ptr_nonnull(is_free);
}

/* The thread holds the lock: each call takes it once more, and gives it back.
 */
UNIT_TEST(the_lock_guards_the_context)
{
    pthread_mutexattr_t kind;
    struct socket_layer stream;

    start_well();
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&tls.lock, &kind);
    pthread_mutex_lock(&tls.lock);
    ck_assert(tls_reload(&tls, &lines));
    unlock();
    pthread_mutex_lock(&tls.lock);
    stream = tls_stream_new(&tls, 0, TLS_HTTP1);
    stream.io->free(stream.self);
    unlock();
}

UNIT_TEST(all_is_freed)
{
    struct heap_watch watch = {.times = 40,
                               .room = heap_is_exact() ? 1000 : SIZE_MAX / 2};

    while (heap_goes_on(&watch)) {
        pki_write(PKI_KEY, "s");
        start_well();
        for (int j = 0; j < 4; j++) {
            struct socket_layer stream = tls_stream_new(&tls, 0, TLS_HTTP1);

            stream.io->free(stream.self);
        }
        ck_assert(tls_reload(&tls, &lines));
        pki_write(PKI_KEY, "t");
        ck_assert(!tls_reload(&tls, &lines));
        tls_free(&tls);
    }
    tls.context = NULL;
}

/* By the system's settings one version does not work. */
LOOP_TEST(each_version_is_tried_at_the_start, 2)
{
#define SYSTEM "openssl_conf=a\n[a]\nssl_conf=b\n[b]\nsystem_default=c\n[c]\n"
    static const char *const rules[] = {SYSTEM "MinProtocol=TLSv1.3\n",
                                        SYSTEM "Ciphersuites=\n"};
    static const char start_of[] = "TLS fails in a handshake with itself: ";
    BIO *in = BIO_new_mem_buf(rules[_i], -1);
    CONF *conf = NCONF_new(NULL);

    ck_assert_int_eq(NCONF_load_bio(conf, in, NULL), 1);
    ck_assert_int_eq(CONF_modules_load(conf, NULL, 0), 1);
    ck_assert(!start());
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert_msg(strncmp(st.message, start_of, strlen(start_of)) == 0, "%s",
                  st.message);
    ck_assert_ptr_null(strstr(st.message, "unknown"));
    BIO_free(in);
    NCONF_free(conf);
}

UNIT_TEST(without_algorithms_it_does_not_start)
{
    EVP_set_default_properties(NULL, "provider=none");
    ck_assert(!tls_init(&tls, &pki_options, &lines, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert_str_eq(st.message, "cannot start TLS: library has no ciphers");
}
