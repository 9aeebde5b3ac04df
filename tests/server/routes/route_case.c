#include "tests/server/routes/route_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "server/routes/server_routes.h"

struct route_case route_case;

void route_case_open(void)
{
    static struct metrics *parts[] = {&route_case.parts[0],
                                      &route_case.parts[1]};

    memset(&route_case, 0, sizeof(route_case));
    route_case.context = (struct job_context){
        .options = &route_case.options,
        .log = &route_case.log,
        .started = 1234567890,
        .workers = &route_case.workers,
        .metrics = parts,
        .metrics_count = 2,
        .connections = &route_case.connections,
    };
    job_init(&route_case.job, &route_case.context);
    route_case.job.request.models = api_models_builtin();
}

char *route_case_ask(const char *path, const char *body, const char *method,
                     int *status)
{
    struct job *job = &route_case.job;
    struct api_reply reply = {.status = 0};
    struct api_route route;
    char *text;

    ck_assert(api_route(method, path, &route, &reply));
    job->request.method = method;
    job->request.path = path;
    job->request.body = (unsigned char *)(uintptr_t)body;
    job->request.body_len = strlen(body);
    ck_assert(server_routes_answer(job, &route));
    *status = job->reply.status;
    text = strndup(job->reply.pieces[0].data, job->reply.pieces[0].len);
    ck_assert_uint_eq(strlen(text), api_reply_bytes(&job->reply));
    api_reply_free(&job->reply);
    return text;
}

char *route_case_get(const char *path)
{
    int status;

    return route_case_ask(path, "", "GET", &status);
}

char *route_case_metrics(void)
{
    return route_case_get("/metrics");
}

void route_case_has(const char *text, const char *line)
{
    ck_assert_msg(strstr(text, line) != NULL, "no %s in\n%.3000s", line, text);
}
