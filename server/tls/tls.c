#include "server/tls/tls.h"

#include <openssl/ssl.h>
#include <string.h>

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

static void warn(const struct tls *tls, const struct ssl_ctx_st *context,
                 struct log *log)
{
    struct stat info;

    if (stat(tls->options->tls_key, &info) == 0 && (info.st_mode & S_IROTH))
        log_event(log, LOG_WARNING, "every user may read the TLS key",
                  {"file", tls->options->tls_key, 0});
    if (tls_context_is_expired(context))
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
    tls->context = tls_context_new(tls->options, st);
    if (!tls->context)
        return false;
    warn(tls, tls->context, log);
    log_event(log, LOG_INFO, "TLS", {"cert", tls->options->tls_cert, 0},
              {"client_ca",
               options->tls_client_ca ? options->tls_client_ca : "none", 0});
    return true;
}

static void replace(struct tls *tls, struct ssl_ctx_st *context)
{
    struct ssl_ctx_st *old;

    pthread_mutex_lock(&tls->lock);
    old = tls->context;
    tls->context = context;
    pthread_mutex_unlock(&tls->lock);
    SSL_CTX_free(old); /* its open connections hold references */
}

bool tls_reload(struct tls *tls, struct log *log)
{
    struct ssl_ctx_st *context;
    struct status st;

    record_changes(tls);
    context = tls_context_new(tls->options, &st);
    if (!context) {
        log_event(log, LOG_ERROR, "the TLS certificate stays as it is",
                  {"reason", st.message, 0});
        return false;
    }
    warn(tls, context, log);
    replace(tls, context);
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
    return tls->on ? tls_context_expiry(tls->context) : 0;
}

void tls_free(struct tls *tls)
{
    if (tls->context)
        SSL_CTX_free(tls->context);
    pthread_mutex_destroy(&tls->lock);
}
