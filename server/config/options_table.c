#include "server/config/options_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/config/host_limits.h"
#include "server/config/options.h"

/* Rows of the table. NUMBER has a constant default, HOST_NUMBER one that
 * depends on the host; a TEXT may have none; a FLAG is off, a FLAG_ON on. */
#define FIELD(member) offsetof(struct options, member)
#define NUMBER(name, field, fallback, min, max, unit, help)                    \
    {                                                                          \
        name, OPTION_NUMBER, FIELD(field), help, fallback, min, max, unit,     \
            NULL, NULL, NULL                                                   \
    }
#define HOST_NUMBER(name, field, compute, computed, min, max, unit, help)      \
    {                                                                          \
        name, OPTION_NUMBER, FIELD(field), help, NULL, min, max, unit,         \
            compute, computed, NULL                                            \
    }
/* 0 unless it is set: the memory plan then derives it. */
#define PLANNED_NUMBER(name, field, computed, min, max, unit, help)            \
    {                                                                          \
        name, OPTION_NUMBER, FIELD(field), help, NULL, min, max, unit, NULL,   \
            computed, NULL                                                     \
    }
#define TEXT(name, field, fallback, help)                                      \
    {                                                                          \
        name, OPTION_TEXT, FIELD(field), help, fallback, 0, 0, NULL, NULL,     \
            "none", NULL                                                       \
    }
#define TEXTS(name, field, help)                                               \
    {                                                                          \
        name, OPTION_TEXTS, FIELD(field), help, NULL, 0, 0, NULL, NULL,        \
            "none", NULL                                                       \
    }
#define FLAG(name, field, help)                                                \
    {                                                                          \
        name, OPTION_FLAG, FIELD(field), help, "false", 0, 0, NULL, NULL,      \
            NULL, NULL                                                         \
    }
#define FLAG_ON(name, field, help)                                             \
    {                                                                          \
        name, OPTION_FLAG, FIELD(field), help, "true", 0, 0, NULL, NULL, NULL, \
            NULL                                                               \
    }
#define CHOICE(name, field, fallback, choices, help)                           \
    {                                                                          \
        name, OPTION_CHOICE, FIELD(field), help, fallback, 0, 0, NULL, NULL,   \
            NULL, choices                                                      \
    }
#define ACTION(name, action, help)                                             \
    {                                                                          \
        name, OPTION_ACTION, 0, help, NULL, action, 0, NULL, NULL, NULL, NULL  \
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

/* One row for each option. The README has a table of the same names. */
const struct option option_table[] = {
    TEXT("http-address", http_address, "127.0.0.1",
         "IPv4 or IPv6 address to listen on, or unix:PATH"),
    NUMBER("http-port", http_port, "8000", 0, 65535, NULL,
           "port to listen on; 0 picks a free one and logs it"),
    NUMBER("admin-port", admin_port, "0", 0, 65535, NULL,
           "second port for health and metrics only; 0 = none"),
    HOST_NUMBER("http-thread-count", http_thread_count, default_loops,
                "4 a core up to 16, then 1 a core", 1, 256, NULL,
                "event loops"),
    HOST_NUMBER("worker-count", worker_count, host_limits_cores,
                "cores available", 1, 1024, NULL, "threads for large requests"),
    NUMBER("inline-limit", inline_limit, "262144", 0, INT64_C(1) << 30, "bytes",
           "largest body that an event loop handles without a worker"),
    NUMBER("http-max-input-size", http_max_input_size, "268435456", 1,
           INT64_C(1) << 40, "bytes", "largest request body; past it 413"),
    PLANNED_NUMBER("max-inflight-bytes", max_inflight_bytes,
                   "half of the memory, less where connections need it",
                   1 << 20, INT64_C(1) << 50, "bytes",
                   "bodies and answers held at once, beside 64 KiB of each "
                   "connection; past it 503"),
    NUMBER("max-inflight-bytes-per-address", max_inflight_bytes_per_address,
           "0", 0, INT64_C(1) << 50, "bytes",
           "of them, held by one client address; past it 503; 0 = no limit"),
    NUMBER("max-queue-size", max_queue_size, "1024", 1, 1 << 20, NULL,
           "requests waiting for a worker; past it 503"),
    NUMBER("max-queue-delay", max_queue_delay, "100", 0, 3600000, "ms",
           "time that a request may wait for a worker, or as long as it runs; "
           "past it 503; 0 = no limit"),
    PLANNED_NUMBER("max-connections", max_connections,
                   "4000, less where memory or files are few", 1, 1 << 20, NULL,
                   "connections open at once; more wait to be accepted"),
    NUMBER(
        "max-connections-per-address", max_connections_per_address, "0", 0,
        1 << 20, NULL,
        "connections from one client address; more are closed; 0 = no limit"),
    NUMBER("header-timeout", header_timeout, "10", 1, 86400, "seconds",
           "from a request's first byte to the end of its headers"),
    NUMBER("body-timeout", body_timeout, "10", 1, 86400, "seconds",
           "a body or an answer that moves less than 1 KiB/s, averaged over "
           "this time, is cut"),
    NUMBER("idle-timeout", idle_timeout, "75", 1, 86400, "seconds",
           "a connection without a request is closed after this time"),
    TEXT("models", models, NULL,
         "file of configured models; read again at SIGHUP"),
    FLAG("allow-client-shm", allow_client_shm,
         "clients may register shared memory that holds tensors"),
    TEXT("shm-prefix", shm_prefix, "/",
         "keys of shared memory objects must start with this"),
    CHOICE("http-response-compression", http_response_compression, "auto",
           policies,
           "auto: for clients that name exactly one coding; always: for all "
           "that accept one"),
    FLAG("allow-log-changes", allow_log_changes,
         "whoever reaches the port may change the log's settings with POST "
         "/v2/logging, even where no restricted API asks for a header"),
    TEXTS("http-restricted-api", http_restricted_api,
          "API,API:HEADER=VALUE or =@FILE: these APIs require that header; may "
          "be given more than once"),
    TEXT("tls-cert", tls_cert, NULL,
         "PEM file: the server's certificate, then those of its issuers; only "
         "https is served"),
    TEXT("tls-key", tls_key, NULL, "PEM file: the certificate's private key"),
    TEXT("tls-client-ca", tls_client_ca, NULL,
         "PEM file: the authorities, one of which must have signed each "
         "client's certificate"),
    TEXT("cors-allow-origin", cors_allow_origin, NULL,
         "origins whose pages may send requests, separated by commas, or *"),
    NUMBER("drain-delay", drain_delay, "0", 0, 3600, "seconds",
           "after SIGTERM: keep serving, but report not ready"),
    NUMBER("exit-timeout-secs", exit_timeout_secs, "30", 0, 3600, "seconds",
           "then: time for running requests to end; past it exit code 1"),
    CHOICE("log-format", log_format, "text", formats,
           "one line for each event, on standard error"),
    CHOICE("log-level", log_level, "info", levels,
           "lowest level of events that are logged"),
    FLAG("access-log", access_log, "log every request"),
    FLAG_ON("server-timing", server_timing,
            "replies to inferences say in the header Server-Timing how long "
            "they waited, were read, moved and written"),
    ACTION("probe", OPTIONS_PROBE,
           "check that the daemon at http-address and http-port, or at "
           "admin-port, is ready; exit code 0 or 1"),
    ACTION("version", OPTIONS_VERSION, "print the version"),
    ACTION("help", OPTIONS_HELP, "print this"),
    {.name = NULL},
};

int64_t option_compute(const struct option *option)
{
    int64_t value = option->compute();

    if (value < option->min)
        return option->min;
    return value > option->max ? option->max : value;
}

void option_variable(const struct option *option,
                     char text[OPTION_VARIABLE_SIZE])
{
    snprintf(text, OPTION_VARIABLE_SIZE, "FLIPD_%s", option->name);
    for (char *c = text; *c; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static void print_values(FILE *out, const struct option *option)
{
    switch (option->kind) {
    case OPTION_NUMBER:
        fprintf(out, "%" PRId64 "..%" PRId64 "%s%s", option->min, option->max,
                option->unit ? " " : "", option->unit ? option->unit : "");
        break;
    case OPTION_CHOICE:
        for (int i = 0; option->choices[i]; i++)
            fprintf(out, "%s%s", i ? "|" : "", option->choices[i]);
        break;
    case OPTION_FLAG:
        fputs("true|false", out);
        break;
    case OPTION_TEXT:
    case OPTION_TEXTS:
        fputs("text", out);
        break;
    case OPTION_ACTION:
        break;
    }
}

static void print_default(FILE *out, const struct option *option)
{
    if (option->fallback)
        fprintf(out, "; default %s", option->fallback);
    else if (!option->compute)
        fprintf(out, "; default %s", option->computed);
    else
        fprintf(out, "; default %" PRId64 " (%s)", option_compute(option),
                option->computed);
}

static void print_option(FILE *out, const struct option *option)
{
    char variable[OPTION_VARIABLE_SIZE];

    fprintf(out, "  --%s\n      %s\n", option->name, option->help);
    if (option->kind == OPTION_ACTION)
        return;
    option_variable(option, variable);
    fprintf(out, "      %s: ", variable);
    print_values(out, option);
    print_default(out, option);
    fputc('\n', out);
}

static const char ending[] =
    "\n"
    "Signals: SIGTERM and SIGINT drain and stop; a second one stops at once.\n"
    "         SIGHUP reads the models file and the certificates again.\n"
    "\n"
    "Exit codes: 0 stopped cleanly, or the probe found a ready daemon;\n"
    "            1 could not start, or running requests were cut off, or\n"
    "              the probe found no ready daemon;\n"
    "            2 a bad option.\n";

void options_help(FILE *out)
{
    fputs("flipd answers tensor-reversal requests over HTTP (Open Inference "
          "Protocol v2).\n\n"
          "Usage: flipd [--name value | --name=value | --flag]...\n\n"
          "Every option can be given as an environment variable; the command "
          "line wins.\n\nOptions:\n",
          out);
    for (const struct option *option = option_table; option->name; option++)
        print_option(out, option);
    fputs(ending, out);
}
