/* The server's own routes, asked without a transport. */
#pragma once

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "server/routes/server_routes.h"
#include "server/work/job.h"
#include "server/work/workers.h"

/* What the replies are made of. */
static struct route_case {
    struct metrics parts[2];
    struct options options;
    struct log log;
    struct workers workers;
    atomic_size_t connections;
    struct job_context context; /* of all these */
    struct job job;
} route_case;

/* A set-up: everything is zero, and the models are the built-in ones. */
static inline void route_case_open(void)
{
    static struct metrics *parts[] = {&route_case.parts[0],
                                      &route_case.parts[1]};

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

/* The text and the status of the reply to a request; the text ends with the
 * next one. */
static inline const char *route_case_ask(const char *path, const char *body,
                                         const char *method, int *status)
{
    static char *text;
    struct job *job = &route_case.job;
    struct api_reply reply = {.status = 0};
    struct api_route route;

    ck_assert(api_route(method, path, &route, &reply));
    job->request.method = method;
    job->request.path = path;
    job->request.body = (unsigned char *)(uintptr_t)body;
    job->request.body_len = strlen(body);
    ck_assert(server_routes_answer(job, &route));
    *status = job->reply.status;
    free(text);
    text = strndup(job->reply.pieces[0].data, job->reply.pieces[0].len);
    ck_assert_uint_eq(strlen(text), api_reply_bytes(&job->reply));
    api_reply_free(&job->reply);
    return text;
}

static inline const char *route_case_get(const char *path)
{
    int status;

    return route_case_ask(path, "", "GET", &status);
}
