#include "server/shm_answer.h"

#include "server/coding.h"

static void answer_done(struct answer *answer)
{
    static const char nothing[] = "{}";

    answer->reply = (struct api_reply){
        .status = 200,
        .content_type = "application/json",
        .piece_count = 1,
        .pieces = {{nothing, sizeof(nothing) - 1}},
    };
}

static bool refuse_unknown(const char *name, struct status *st)
{
    return status_fail(st, STATUS_NOT_FOUND,
                       "no shared memory region '%.64s' is registered", name);
}

static bool tell(struct answer *answer, const char *name, struct status *st)
{
    struct api_registration list[SHM_MOST];
    size_t count = shm_list(&answer->service->shm, name, list);

    if (name && count == 0)
        return refuse_unknown(name, st);
    api_registrations(list, count, &answer->reply);
    return true;
}

static bool add(struct answer *answer, const struct api_route *route,
                struct status *st)
{
    struct api_registration part;

    if (!api_registration(&answer->request, route, &part, st) ||
        !shm_register(&answer->service->shm, &part, st))
        return false;
    log_event(answer->service->log, LOG_INFO, "shared memory registered",
              {"region", part.name, 0}, {"key", part.key, 0},
              {"offset", NULL, (int64_t)part.offset},
              {"bytes", NULL, (int64_t)part.bytes});
    answer_done(answer);
    return true;
}

static bool take_away(struct answer *answer, const char *name)
{
    if (name)
        shm_unregister(&answer->service->shm, name);
    else
        shm_unregister_all(&answer->service->shm);
    log_event(answer->service->log, LOG_INFO, "shared memory unregistered",
              {"region", name ? name : "*", 0});
    answer_done(answer);
    return true;
}

static bool run(struct answer *answer, const struct api_route *route,
                struct status *st)
{
    char text[API_REGION_NAME];
    const char *name = route->region_len > 0 ? text : NULL;

    if (name && !api_region_name(answer->request.path, route, text, st))
        return false;
    if (route->id == API_ROUTE_SHM_STATUS)
        return tell(answer, name, st);
    if (route->id == API_ROUTE_SHM_UNREGISTER)
        return take_away(answer, name);
    return add(answer, route, st);
}

void shm_answer(struct answer *answer, const struct api_route *route)
{
    struct status st;

    if (!answer->service->shm.enabled)
        status_fail(&st, STATUS_NOT_SUPPORTED,
                    "shared memory is not enabled on this server: it is "
                    "started with --allow-client-shm for that");
    else if (!coding_read_body(answer) || run(answer, route, &st))
        return;
    api_reply_status(&answer->reply, &st);
}

static bool run_cuda(struct answer *answer, const struct api_route *route,
                     struct status *st)
{
    char name[API_REGION_NAME];

    if (route->region_len > 0 &&
        !api_region_name(answer->request.path, route, name, st))
        return false;
    if (route->id == API_ROUTE_CUDA_REGISTER)
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "there is no CUDA shared memory: flipd computes "
                           "without a GPU");
    if (route->id == API_ROUTE_CUDA_UNREGISTER)
        answer_done(answer);
    else if (route->region_len > 0)
        return refuse_unknown(name, st);
    else
        api_registrations(NULL, 0, &answer->reply);
    return true;
}

void shm_answer_cuda(struct answer *answer, const struct api_route *route)
{
    struct status st;

    if (!run_cuda(answer, route, &st))
        api_reply_status(&answer->reply, &st);
}
