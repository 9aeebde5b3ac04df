/* The values of all options, constant after the start, and the table that they
 * are read by.
 *
 * option_table.c has a row for each option, which is also the text of --help,
 * of docs/configuration.md and flipd(8) (cmake/manual.py). Each option has an
 * environment variable as well: --http-port is FLIPD_HTTP_PORT. The command
 * line overrides the environment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/core/status.h"
#include "server/log/log.h"

enum options_action {
    OPTIONS_SERVE,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_PROBE,
    OPTIONS_CHECK,
};

/* In the order of the choices in option_table.c. */
enum options_log_format { OPTIONS_LOG_TEXT, OPTIONS_LOG_JSON };

enum { OPTION_MAX_TEXTS = 16 };

/* The values of an option that may be given more than once. */
struct option_texts {
    int count;
    const char *all[OPTION_MAX_TEXTS]; /* borrowed, as all texts of options */
};

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
    const char *grpc_address;  /* likewise */
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

/* The unit of a number without a suffix. */
enum option_unit {
    OPTION_PLAIN, /* things: no suffix */
    OPTION_BYTES,
    OPTION_MILLISECONDS,
    OPTION_SECONDS,
};

enum option_kind {
    OPTION_NUMBER,
    OPTION_FLAG,   /* a bool; its value, if any, follows a '=' */
    OPTION_TEXT,   /* any text but the empty one */
    OPTION_TEXTS,  /* a text that may be given several times */
    OPTION_CHOICE, /* one of `choices`; the int64_t is its index */
    OPTION_ACTION, /* such as --help; `min` is the enum options_action */
};

/* In the order of their titles in option_table.c. */
enum option_group {
    OPTION_LISTENING,
    OPTION_THREADS,
    OPTION_LIMITS,
    OPTION_TIMES,
    OPTION_MODELS,
    OPTION_TLS,
    OPTION_ACCESS,
    OPTION_LOG,
    OPTION_STOPPING,
    OPTION_ACTIONS,
};

struct option {
    enum option_group group; /* rows of a group stand together */
    const char *name;        /* without the dashes; NULL ends the table */
    enum option_kind kind;
    size_t offset; /* in struct options */
    const char *help;
    const char *fallback; /* default as typed; NULL: from compute(), or none;
                           * a number without a default is 0 */
    int64_t min, max;
    bool zero_is_none;          /* 0: there is no limit of its own */
    enum option_unit unit;      /* of numbers */
    int64_t (*compute)(void);   /* default that depends on the host */
    const char *computed;       /* describes the default in --help */
    const char *const *choices; /* ends with NULL */
    const char *stands_for;     /* a text: "FILE" */
};

enum { OPTION_ROWS = 65, OPTION_VARIABLE_SIZE = 64, OPTION_NUMBER_SIZE = 32 };

/* The table, a row for each; those behind the last have no name. */
extern const struct option option_table[OPTION_ROWS];

/* By enum option_group. */
extern const char *const option_groups[];

/* What --help tells behind the options: lists of names with their meaning. */
extern const struct option_note {
    const char *title;       /* of the list that begins here, or NULL */
    const char *name, *text; /* NULL ends all */
} option_notes[];

/* The default that depends on the host, in the option's range; for options with
 * compute() only. */
int64_t option_compute(const struct option *option);

/* Writes the name of the option's environment variable to `text`. */
void option_variable(const struct option *option,
                     char text[OPTION_VARIABLE_SIZE]);

/* Reads digits, and behind them a suffix of the unit: KiB, MiB, GiB, TiB, PiB;
 * ms, s, m, h. False for any other text, a blank included, and for what is no
 * whole number of the unit ("100ms" of seconds) or past 64 bits. */
bool option_number_parse(const char *text, enum option_unit unit,
                         int64_t *value);

/* Writes the shortest text that is read as `value`: "0", "64KiB", "24h".
 * Returns `text`. */
const char *option_number_print(int64_t value, enum option_unit unit,
                                char text[OPTION_NUMBER_SIZE]);

/* The option whose name differs least from `name` of `len` bytes, in at most a
 * third of the letters, or else the first option whose name begins with `name`,
 * or contains it as words; NULL when there is none. */
const struct option *options_nearest(const char *name, size_t len);

/* Warns about each variable of the environment that begins with FLIPD_ and sets
 * no option, with the one that was meant; those of a service are left out, but
 * noted where they have an option's name. An empty one counts as absent. */
void options_report_strays(char *const environment[], struct log *log);
