#include "server/work/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/server_state.h"
#include "kernels/core/isa.h"
#include "kernels/core/require.h"
#include "kernels/core/size.h"
#include "server/base/file_text.h"
#include "server/shm/shm.h"

enum {
    /* Bytes of buffers kept for reuse: a quarter of max-inflight-bytes, and no
     * more than this. They are freed when requests need the bytes. */
    KEPT_MAX = 512 << 20,

    MODELS_FILE_MAX = 1 << 20, /* bytes */
};

static bool fail(const char *path, const char *what, struct status *st)
{
    return status_fail(st, STATUS_INVALID, "models file %.128s: %s", path,
                       what);
}

static struct model_set *read_set(const struct served_models *models,
                                  struct status *st)
{
    char *text = malloc(FILE_TEXT_ROOM(MODELS_FILE_MAX));
    struct model_set *set = NULL;
    struct status cause;
    ssize_t len;

    if (!text) {
        fail(models->path, strerror(ENOMEM), st);
        return NULL;
    }
    len = file_text_load(models->path, text, MODELS_FILE_MAX, &cause);
    if (len > 0)
        set = api_models_read(text, (size_t)len, models->set, &cause);
    if (!set)
        fail(models->path, cause.message, st);
    free(text);
    return set;
}

static bool init_models(struct served_models *models, const char *path,
                        struct status *st)
{
    *models = (struct served_models){.path = path};
    pthread_mutex_init(&models->lock, NULL);
    models->set = api_models_builtin();
    if (!models->path)
        return true;
    models->set = read_set(models, st);
    reload_note(&models->reload, models->set != NULL);
    return models->set != NULL;
}

void served_models_reload(struct served_models *models, struct log *log)
{
    struct model_set *set, *old;
    struct status st;

    if (!models->path) {
        log_message(log, LOG_INFO, "SIGHUP: there is no models file to read");
        return;
    }
    set = read_set(models, &st);
    reload_note(&models->reload, set != NULL);
    if (!set) {
        log_event(log, LOG_ERROR, "the models stay as they are",
                  {"reason", st.message, 0});
        return;
    }
    pthread_mutex_lock(&models->lock);
    old = models->set;
    models->set = set;
    pthread_mutex_unlock(&models->lock);
    api_models_unref(old);
    log_event(log, LOG_INFO, "models read", {"file", models->path, 0},
              {"models", NULL, (int64_t)api_models_count(set)});
}

struct model_set *served_models_ref(struct served_models *models)
{
    struct model_set *set;

    if (!models->path)
        return models->set;
    pthread_mutex_lock(&models->lock);
    REQUIRE(models->set);
    set = api_models_ref(models->set);
    pthread_mutex_unlock(&models->lock);
    return set;
}

bool job_context_init(struct job_context *context,
                      const struct options *options, struct log *log,
                      struct status *st)
{
    size_t bytes_limit = (size_t)options->max_inflight_bytes;

    *context = (struct job_context){
        .options = options, .log = log, .started = time(NULL)};
    if (!isa_check_environment(st) ||
        !shm_init(&context->shm, options->allow_client_shm, options->shm_prefix,
                  bytes_limit, st))
        return false;
    if (!init_models(&context->models, options->models, st)) {
        shm_free(&context->shm);
        return false;
    }
    budget_init(&context->budget, bytes_limit,
                size_min(bytes_limit / 4, KEPT_MAX));
    if (budget_limit_addresses(&context->budget,
                               (size_t)options->max_inflight_bytes_per_address,
                               (size_t)options->max_connections, st))
        return true;
    job_context_free(context);
    return false;
}

void job_context_free(struct job_context *context)
{
    budget_free(&context->budget);
    api_models_unref(context->models.set);
    pthread_mutex_destroy(&context->models.lock);
    shm_free(&context->shm);
}
