/* What the operator chose: one table read from command line and environment.
 *
 * The table in options_table.c is also the text of --help. Every option has an
 * environment variable: --http-port is FLIPD_HTTP_PORT. The command line wins.
 * Constant after start. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/core/status.h"

enum options_action {
    OPTIONS_SERVE,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_PROBE,
};

/* In the order of the choices in the table. */
enum options_log_format { OPTIONS_LOG_TEXT, OPTIONS_LOG_JSON };

enum { OPTIONS_MOST_TEXTS = 16 };

/* An option that may be given more than once. */
struct option_texts {
    int count;
    const char *all[OPTIONS_MOST_TEXTS]; /* borrowed as the others */
    bool from_environment;               /* the command line replaces them */
};

struct options {
    enum options_action action;
    const char *http_address; /* borrowed from argv, environment or table */
    struct option_texts http_restricted_api;
    const char *cors_allow_origin; /* NULL: nobody */
    const char *models;            /* the file, or NULL */
    const char *shm_prefix;        /* of every key */
    const char *tls_cert;          /* PEM file or NULL, as the next */
    const char *tls_key;
    const char *tls_client_ca;
    int64_t http_port;  /* 0: the kernel picks one */
    int64_t admin_port; /* 0: none */
    int64_t http_thread_count;
    int64_t worker_count;
    int64_t inline_limit;        /* bytes of body */
    int64_t http_max_input_size; /* bytes of body */
    int64_t max_inflight_bytes;
    int64_t max_queue_size;              /* requests waiting for a worker */
    int64_t max_connections;             /* open at once */
    int64_t max_connections_per_address; /* 0: no limit */
    int64_t header_timeout;              /* seconds, as all below */
    int64_t body_timeout;
    int64_t idle_timeout;
    int64_t drain_delay;
    int64_t exit_timeout_secs;
    int64_t http_response_compression; /* enum content_coding_policy */
    int64_t log_format;                /* enum options_log_format */
    int64_t log_level;                 /* enum log_level */
    bool access_log;
    bool allow_client_shm;
};

/* Reads environment and command line. INVALID names the option (or its
 * variable), the value and what would be accepted. The texts in `options` are
 * borrowed from argv and the environment. */
bool options_load(struct options *options, int argc, char *const argv[],
                  struct status *st);

/* Writes the manual: every option, its default and its meaning. */
void options_help(FILE *out);

/* The body's deadline grows with what is announced: option plus 1 s a MiB. */
uint64_t options_transfer_ms(const struct options *options, uint64_t bytes);
