#include "server/routes/server_routes.h"

static void reply_empty(struct job *job)
{
    static const char empty[] = "{}";

    job->reply = (struct api_reply){
        .status = 200,
        .content_type = "application/json",
        .piece_count = 1,
        .pieces = {{empty, sizeof(empty) - 1}},
    };
}

static bool refuse_unknown(const char *name, struct status *st)
{
    return status_fail(st, STATUS_NOT_FOUND,
                       "no shared memory region '%.64s' is registered", name);
}

static bool list_regions(struct job *job, const char *name, struct status *st)
{
    struct api_shm_part list[SHM_MAX_REGIONS];
    size_t count = shm_list(&job->context->shm, name, list);

    if (name && count == 0)
        return refuse_unknown(name, st);
    api_shm_list(list, count, &job->reply);
    return true;
}

static bool register_region(struct job *job, const struct api_route *route,
                            struct status *st)
{
    struct api_shm_part part;

    if (!api_shm_part_read(&job->request, route, &part, st) ||
        !shm_register(&job->context->shm, &part, st))
        return false;
    log_event(job->context->log, LOG_INFO, "shared memory registered",
              {"region", part.name, 0}, {"key", part.key, 0},
              {"offset", NULL, (int64_t)part.offset},
              {"bytes", NULL, (int64_t)part.bytes});
    reply_empty(job);
    return true;
}

static bool unregister(struct job *job, const char *name)
{
    shm_unregister(&job->context->shm, name);
    log_event(job->context->log, LOG_INFO, "shared memory unregistered",
              {"region", name ? name : "*", 0});
    reply_empty(job);
    return true;
}

static bool run(struct job *job, const struct api_route *route,
                struct status *st)
{
    char text[API_SHM_NAME];
    const char *name = route->region_len > 0 ? text : NULL;

    if (name && !api_shm_name(job->request.path, route, text, st))
        return false;
    switch (route->id) {
    case API_ROUTE_SHM_STATUS:
        return list_regions(job, name, st);
    case API_ROUTE_SHM_REGISTER:
        return register_region(job, route, st);
    case API_ROUTE_SHM_UNREGISTER:
        return unregister(job, name);
    case API_ROUTE_CUDA_REGISTER:
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "there is no CUDA shared memory: flipd computes "
                           "without a GPU");
    case API_ROUTE_CUDA_UNREGISTER:
        reply_empty(job);
        return true;
    default: /* API_ROUTE_CUDA_STATUS */
        if (name)
            return refuse_unknown(name, st);
        api_shm_list(NULL, 0, &job->reply);
        return true;
    }
}

void shm_routes_answer(struct job *job, const struct api_route *route,
                       bool is_cuda)
{
    bool off = !is_cuda && !job->context->shm.enabled;
    struct status st;

    if (off && route->id == API_ROUTE_SHM_STATUS) {
        api_shm_list(NULL, 0, &job->reply);
        return;
    }
    if (off)
        status_fail(&st, STATUS_NOT_SUPPORTED,
                    "shared memory is not enabled on this server: it is "
                    "started with --allow-client-shm for that");
    else if ((!is_cuda && !job_inflate(job)) || run(job, route, &st))
        return;
    api_reply_status(&job->reply, &st);
}
