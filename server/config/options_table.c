#include "server/config/options_table.h"

#include <assert.h>

#include "server/config/host_limits.h"
#include "server/config/options.h"

/* Rows of the table. NUMBER has a constant default, HOST_NUMBER one that
 * depends on the host; a TEXT may have none. */
#define ROW(in, called, what, member, means)                                   \
    .group = OPTION_##in, .name = (called), .kind = OPTION_##what,             \
    .offset = offsetof(struct options, member), .help = (means)
#define NUMBER(in, name, member, default, least, most, counts, help)           \
    {                                                                          \
        ROW(in, name, NUMBER, member, help), .fallback = (default),            \
                                             .min = (least), .max = (most),    \
                                             .unit = OPTION_##counts           \
    }
#define HOST_NUMBER(in, name, member, find, found, least, most, help)          \
    {                                                                          \
        ROW(in, name, NUMBER, member, help), .min = (least), .max = (most),    \
                                             .compute = (find),                \
                                             .computed = (found)               \
    }
/* 0 unless it is set: the memory plan then derives it. */
#define PLANNED_NUMBER(in, name, member, found, least, most, counts, help)     \
    {                                                                          \
        ROW(in, name, NUMBER, member, help), .min = (least), .max = (most),    \
                                             .unit = OPTION_##counts,          \
                                             .computed = (found)               \
    }
/* A text without a default; `found` says what is taken instead. */
#define FOUND_TEXT(in, name, member, found, value, help)                       \
    {                                                                          \
        ROW(in, name, TEXT, member, help), .computed = (found),                \
                                           .stands_for = (value)               \
    }
#define TEXT(in, name, member, default, value, help)                           \
    {                                                                          \
        ROW(in, name, TEXT, member, help),                                     \
            .fallback = (default), .computed = "none", .stands_for = (value)   \
    }
#define TEXTS(in, name, member, value, help)                                   \
    {                                                                          \
        ROW(in, name, TEXTS, member, help), .computed = "none",                \
                                            .stands_for = (value)              \
    }
#define FLAG(in, name, member, default, help)                                  \
    {                                                                          \
        ROW(in, name, FLAG, member, help), .fallback = (default)               \
    }
#define CHOICE(in, name, member, default, values, help)                        \
    {                                                                          \
        ROW(in, name, CHOICE, member, help), .fallback = (default),            \
                                             .choices = (values)               \
    }
#define ACTION(called, action, means)                                          \
    {                                                                          \
        .group = OPTION_ACTIONS, .name = (called), .kind = OPTION_ACTION,      \
        .min = (action), .help = (means)                                       \
    }

static const char *const formats[] = {"text", "json", NULL};
static const char *const policies[] = {"auto", "always", "never", NULL};
static const char *const levels[] = {"error", "warning", "info", "debug", NULL};

/* A small request waits while its loop serves large ones. With several loops
 * for each core it seldom meets one: p99 of 4 KiB beside four streams of 64 MiB
 * is 5.5 ms with 8 loops on two cores, 8.7 ms with 2. Many cores have enough.
 */
static int64_t default_loops(void)
{
    int64_t cores = host_limits_cores();

    if (cores > 16)
        return cores;
    return cores < 4 ? 4 * cores : 16;
}

const char *const option_groups[] = {"Addresses and ports",
                                     "Threads",
                                     "Limits",
                                     "Timeouts",
                                     "Models and data",
                                     "TLS",
                                     "Access",
                                     "Log and timing",
                                     "Stopping",
                                     "Other actions than serving",
                                     NULL};

/* One row for each option; `help` goes on from its name. */
const struct option option_table[] = {
    TEXT(LISTENING, "http-address", http_address, "127.0.0.1", "ADDRESS",
         "IPv4 or IPv6 address to listen on, localhost (127.0.0.1), or "
         "unix:PATH; 0.0.0.0 in the image"),
    NUMBER(LISTENING, "http-port", http_port, "8000", 0, 65535, PLAIN,
           "port to listen on; 0 picks a free one and logs it"),
    NUMBER(LISTENING, "admin-port", admin_port, "0", 0, 65535, PLAIN,
           "second port for health and metrics only; 0 = none"),
    NUMBER(
        LISTENING, "grpc-port", grpc_port, "-1", -1, 65535, PLAIN,
        "port for gRPC, at http-address, usually 8001; 0 picks a free one and "
        "logs it; -1 = none"),
    FOUND_TEXT(LISTENING, "admin-address", admin_address,
               "that of http-address; 127.0.0.1 beside a unix socket",
               "ADDRESS",
               "IPv4 or IPv6 address of the admin port, or localhost"),
    HOST_NUMBER(THREADS, "http-thread-count", http_thread_count, default_loops,
                "4 a core up to 16, then 1 a core", 1, 256, "event loops"),
    HOST_NUMBER(THREADS, "worker-count", worker_count, host_limits_cores,
                "cores available", 1, 1024,
                "threads that execute large requests"),
    NUMBER(THREADS, "inline-limit", inline_limit, "256KiB", 0, INT64_C(1) << 30,
           BYTES, "largest body that an event loop handles without a worker"),
    NUMBER(LIMITS, "http-max-input-size", http_max_input_size, "256MiB", 1,
           INT64_C(1) << 40, BYTES, "largest request body; past it 413"),
    PLANNED_NUMBER(LIMITS, "max-inflight-bytes", max_inflight_bytes,
                   "half of the memory, less where connections need it",
                   1 << 20, INT64_C(1) << 50, BYTES,
                   "bodies and answers held at once, beside 64 KiB of each "
                   "connection; past it 503"),
    NUMBER(LIMITS, "max-inflight-bytes-per-address",
           max_inflight_bytes_per_address, "0", 0, INT64_C(1) << 50, BYTES,
           "of them, held by one client address; past it 503; 0 = no limit"),
    NUMBER(LIMITS, "max-queue-size", max_queue_size, "1024", 1, 1 << 20, PLAIN,
           "requests waiting for a worker; past it 503"),
    NUMBER(LIMITS, "max-queue-delay", max_queue_delay, "100ms", 0, 3600000,
           MILLISECONDS,
           "time that a request may wait for a worker, or as long as it runs; "
           "past it 503; 0 = no limit"),
    PLANNED_NUMBER(LIMITS, "max-connections", max_connections,
                   "4000, less where memory or files are few", 1, 1 << 20,
                   PLAIN, "connections open at once; more wait to be accepted"),
    NUMBER(LIMITS, "max-connections-per-address", max_connections_per_address,
           "0", 0, 1 << 20, PLAIN,
           "connections from one client address; more are closed; 0 = no "
           "limit"),
    NUMBER(LIMITS, "grpc-max-message", grpc_max_message, "0", 0,
           INT64_C(4) << 30, BYTES,
           "largest gRPC message; past it RESOURCE_EXHAUSTED; 0 = "
           "http-max-input-size"),
    NUMBER(LIMITS, "grpc-max-streams", grpc_max_streams, "128", 1, 1 << 20,
           PLAIN, "calls of one gRPC connection at once; more wait"),
    NUMBER(LIMITS, "grpc-max-resets", grpc_max_resets, "500", 1, 1 << 20, PLAIN,
           "calls that a gRPC connection may cancel in a second; past it it is "
           "closed"),
    NUMBER(TIMES, "header-timeout", header_timeout, "10s", 1, 86400, SECONDS,
           "from a request's first byte to the end of its headers"),
    NUMBER(TIMES, "body-timeout", body_timeout, "10s", 1, 86400, SECONDS,
           "a body or an answer that moves less than 1 KiB/s, averaged over "
           "this time, is cut"),
    NUMBER(TIMES, "idle-timeout", idle_timeout, "75s", 1, 86400, SECONDS,
           "a connection without a request is closed after this time"),
    NUMBER(TIMES, "max-connection-age", max_connection_age, "0", 0, 86400,
           SECONDS,
           "a connection ends with its next reply after this time, so that "
           "clients spread anew; a tenth more or less; 0 = no limit"),
    TEXT(MODELS, "models", models, NULL, "FILE",
         "file of configured models; read again at SIGHUP"),
    FLAG(MODELS, "allow-client-shm", allow_client_shm, "false",
         "clients may register shared memory that holds tensors"),
    TEXT(MODELS, "shm-prefix", shm_prefix, "/", "PREFIX",
         "keys of shared memory objects must start with this"),
    CHOICE(MODELS, "http-response-compression", http_response_compression,
           "auto", policies,
           "auto: for clients that name exactly one coding; always: for all "
           "that accept one"),
    TEXT(TLS, "tls-cert", tls_cert, NULL, "FILE",
         "PEM file: the server's certificate, then those of its issuers; only "
         "https is served"),
    TEXT(TLS, "tls-key", tls_key, NULL, "FILE",
         "PEM file: the certificate's private key"),
    TEXT(TLS, "tls-client-ca", tls_client_ca, NULL, "FILE",
         "PEM file: the authorities, one of which must have signed each "
         "client's certificate"),
    TEXTS(ACCESS, "http-restricted-api", http_restricted_api, "RULE",
          "API,API:HEADER=VALUE or API,API:HEADER=@FILE: these APIs (health, "
          "metadata, inference, shared-memory, model-config, "
          "model-repository, statistics, logging, metrics) require that "
          "header; a secret has at most 4096 bytes; may be given more than "
          "once"),
    FLAG(ACCESS, "allow-log-changes", allow_log_changes, "false",
         "whoever reaches the port may change the log's settings with POST "
         "/v2/logging, even where no restricted API asks for a header"),
    TEXT(ACCESS, "cors-allow-origin", cors_allow_origin, NULL, "ORIGINS",
         "origins whose pages may send requests and read the answers, "
         "separated by commas, or *"),
    CHOICE(LOG, "log-format", log_format, "text", formats,
           "one line for each event, on standard error"),
    CHOICE(LOG, "log-level", log_level, "info", levels,
           "lowest level of events that are logged; of each kind of line 20 a "
           "second, the others are counted"),
    FLAG(LOG, "access-log", access_log, "false",
         "log every request, as fast as the log is read"),
    FLAG(LOG, "server-timing", server_timing, "true",
         "replies to inferences say in the header Server-Timing how long they "
         "waited, were read, moved and written"),
    NUMBER(STOPPING, "drain-delay", drain_delay, "0", 0, 3600, SECONDS,
           "after SIGTERM: keep serving, but report not ready"),
    NUMBER(STOPPING, "exit-timeout-secs", exit_timeout_secs, "30s", 0, 3600,
           SECONDS,
           "then: time for running requests to end; past it exit code 1"),
    ACTION("check", OPTIONS_CHECK,
           "read the options and every file that they name, plan the memory, "
           "and exit: code 0, or the error and the code of a start; nothing "
           "is started, no port is opened"),
    ACTION("probe", OPTIONS_PROBE,
           "check that the daemon at http-address and http-port, or at "
           "admin-port, is ready; exit code 0 or 1"),
    ACTION("version", OPTIONS_VERSION, "print the version"),
    ACTION("help", OPTIONS_HELP, "print all options; -h is the same"),
    {.name = NULL},
};

const struct option_note option_signals[] = {
    {"SIGTERM, SIGINT", "drain and stop; a second one stops at once"},
    {"SIGHUP", "read the models file and the certificates again"},
    {NULL, NULL},
};

const struct option_note option_exit_codes[] = {
    {"0", "stopped cleanly, the check found no fault, or the probe found a "
          "ready daemon"},
    {"1", "could not start, running requests were cut off, or the probe found "
          "no ready daemon"},
    {"2", "a bad option"},
    {NULL, NULL},
};

const struct option_note option_variables[] = {
    {"FLIPD_SIMD", "instruction set of the movers and of JSON: generic, avx2, "
                   "avx512 or neon; the best of the processor if unset"},
    {"NOTIFY_SOCKET",
     "socket of a service manager, which is told when the daemon is ready, "
     "reads files again and stops; set by systemd"},
    {"WATCHDOG_USEC",
     "microseconds after which a service manager ends a daemon that has given "
     "no sign of life: twice in this time it gives one, unless a loop or a "
     "worker hangs; set by systemd"},
    {"LISTEN_FDS",
     "number of listening sockets that a service manager has opened, from "
     "descriptor 3 on; LISTEN_FDNAMES calls each http or admin. They are the "
     "ports then, whatever the options say, and stay open while the daemon is "
     "restarted; set by systemd"},
    {NULL, NULL},
};

static_assert(sizeof(option_table) / sizeof(option_table[0]) <=
                  OPTIONS_TABLE_ROWS,
              "options_load() has a mark for each row");

void options_table_write(FILE *out, const struct options_table_form *form)
{
    const struct option *option = option_table;

    for (int group = 0; option_groups[group]; group++) {
        form->group(out, (enum option_group)group);
        for (; option->name && (int)option->group == group; option++)
            form->option(out, option);
    }
}
