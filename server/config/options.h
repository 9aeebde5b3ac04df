/* The values of all options; constant after the start.
 *
 * options.c has a row for each option, which is also the text of --help,
 * of docs/configuration.md and flipd(8) (cmake/manual.py). Each option has an
 * environment variable as well: --http-port is FLIPD_HTTP_PORT. The command
 * line overrides the environment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/core/status.h"
#include "server/config/option.h"

enum options_action {
    OPTIONS_SERVE,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_PROBE,
    OPTIONS_CHECK,
};

/* In the order of the choices in options.c. */
enum options_log_format { OPTIONS_LOG_TEXT, OPTIONS_LOG_JSON };

struct options {
    enum options_action action;
    const char *http_address; /* borrowed from argv, environment or table */
    struct option_texts http_restricted_api;
    const char *cors_allow_origin; /* NULL: none */
    const char *models;            /* path of the models file, or NULL */
    const char *shm_prefix;        /* that each key must start with */
    const char *tls_cert; /* path of a PEM file or NULL, as the next two */
    const char *tls_key;
    const char *tls_client_ca;
    int64_t http_port;         /* 0: the kernel picks one */
    int64_t admin_port;        /* 0: none */
    int64_t grpc_port;         /* 0: the kernel picks one; -1: none */
    const char *admin_address; /* NULL: as http_address */
    int64_t http_thread_count;
    int64_t worker_count;
    int64_t inline_limit; /* bytes of a body that a loop handles itself */
    int64_t http_max_input_size;            /* bytes of a body */
    int64_t max_inflight_bytes;             /* 0: derived (memory_plan.h) */
    int64_t max_inflight_bytes_per_address; /* 0: no limit */
    int64_t max_queue_size;                 /* requests waiting for a worker */
    int64_t max_queue_delay; /* ms that they may wait; 0: no limit */
    int64_t max_connections; /* open at once; 0: derived */
    int64_t max_connections_per_address; /* 0: no limit */
    int64_t grpc_max_message; /* bytes of one; 0: as http_max_input_size */
    int64_t grpc_max_streams; /* of one connection at once */
    int64_t grpc_max_resets;  /* of one connection a second */
    int64_t header_timeout;   /* seconds, as all below */
    int64_t body_timeout;
    int64_t idle_timeout;
    int64_t max_connection_age; /* 0: no limit */
    int64_t drain_delay;
    int64_t exit_timeout_secs;
    int64_t http_response_compression; /* enum content_coding_policy */
    int64_t log_format;                /* enum options_log_format */
    int64_t log_level;                 /* enum log_level */
    bool access_log;
    bool server_timing;
    bool allow_client_shm;
    bool allow_log_changes;
};

/* Reads the options from the command line, and from the environment those that
 * are not given there; --help and --version need none. The text of an INVALID
 * names the option (or its variable), the value and the values that are
 * accepted. `options` borrows texts from both; after a failure it has the
 * values that could be read. */
bool options_load(struct options *options, int argc, char *const argv[],
                  struct status *st);

/* Writes the text of --help: each option with its default and its meaning. */
void options_help(FILE *out);

/* The table, a row for each; the last has no name. */
extern const struct option option_table[];

/* The option whose name differs least from `name` of `len` bytes, in at most a
 * third of the letters, or else the first option whose name begins with `name`,
 * or contains it as words; NULL when there is none. */
const struct option *options_nearest(const char *name, size_t len);

/* A variable of the environment that begins with FLIPD_ and sets no option. */
struct option_stray {
    char name[OPTION_VARIABLE_SIZE];    /* cut if it is longer */
    char nearest[OPTION_VARIABLE_SIZE]; /* variable that was meant, or "" */
    bool is_link; /* an option's, but its value describes a service */
};

/* Finds the next one in `environment`, from *at on, and advances *at; false
 * when there is no more. An empty variable counts as absent, and those of a
 * service that are no option's are left out. */
bool options_stray(char *const environment[], size_t *at,
                   struct option_stray *stray);
