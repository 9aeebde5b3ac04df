/* The server's own routes, asked without a transport. */
#pragma once

#include "server/work/job.h"
#include "server/work/workers.h"

/* What the replies are made of. */
extern struct route_case {
    struct metrics parts[2];
    struct options options;
    struct log log;
    struct workers workers;
    atomic_size_t connections;
    struct job_context context; /* of all these */
    struct job job;
} route_case;

/* A set-up: everything is zero, and the models are the built-in ones. */
void route_case_open(void);

/* The text and the status of the reply to a request; the caller frees. */
char *route_case_ask(const char *path, const char *body, const char *method,
                     int *status);

/* The text of the reply to a GET; the caller frees. */
char *route_case_get(const char *path);

/* Asks for the metrics. */
char *route_case_metrics(void);

/* Aborts the test if the text does not contain `line`. */
void route_case_has(const char *text, const char *line);
