#include "server/work/context.h"

#include <time.h>

#include "server/shm/request_regions.h"

enum {
    /* Bytes of buffers kept for reuse: an eighth of max-inflight-bytes, within
     * these limits, and a quarter at most. They are freed when requests need
     * the bytes. */
    KEPT_MIN = 64 << 20,
    KEPT_MAX = 512 << 20,
    KEPT_SHARE = 8,
    KEPT_MOST = 4,
};

static size_t kept_limit(const struct options *options)
{
    int64_t share = options->max_inflight_bytes / KEPT_SHARE;

    if (share > KEPT_MAX)
        return KEPT_MAX;
    if (share < KEPT_MIN)
        share = KEPT_MIN;
    if (share > options->max_inflight_bytes / KEPT_MOST)
        share = options->max_inflight_bytes / KEPT_MOST;
    return (size_t)share;
}

bool job_context_init(struct job_context *context,
                      const struct options *options, struct log *log,
                      struct status *st)
{
    size_t bytes_limit = (size_t)options->max_inflight_bytes;

    *context = (struct job_context){
        .options = options, .log = log, .started = time(NULL)};
    if (!api_simd(&context->simd, st) ||
        !shm_init(&context->shm, options->allow_client_shm, options->shm_prefix,
                  bytes_limit, st))
        return false;
    if (!served_models_init(&context->models, options->models, st)) {
        shm_free(&context->shm);
        return false;
    }
    if (options->allow_client_shm)
        request_regions_install_handler();
    budget_init(&context->budget, bytes_limit);
    buffer_pool_init(&context->buffer_pool, kept_limit(options),
                     &context->budget);
    if (budget_limit_addresses(&context->budget,
                               (size_t)options->max_inflight_bytes_per_address,
                               (size_t)options->max_connections, st))
        return true;
    job_context_free(context);
    return false;
}

void job_context_free(struct job_context *context)
{
    buffer_pool_free(&context->buffer_pool);
    budget_free(&context->budget);
    served_models_free(&context->models);
    shm_free(&context->shm);
}
