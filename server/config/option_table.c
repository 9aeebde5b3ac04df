#include "server/config/options.h"

#include <assert.h>

#include "server/config/host_limits.h"

static_assert(sizeof(enum options_action) == sizeof(int),
              "an action is set as an int");

/* A row of the table; behind `help` are further fields of struct option. */
#define ROW(in, called, what, member, means, ...)                              \
    {                                                                          \
        .group = OPTION_##in, .name = (called), .kind = OPTION_##what,         \
        .offset = offsetof(struct options, member), .help = (means),           \
        __VA_ARGS__                                                            \
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
                                     "Other actions than serving"};

/* One row for each option; `help` goes on from its name. */
const struct option option_table[OPTION_ROWS] = {
    ROW(LISTENING, "http-address", TEXT, http_address,
        "IPv4 or IPv6 address to listen on, localhost (127.0.0.1), or "
        "unix:PATH; 0.0.0.0 in the image",
        .fallback = "127.0.0.1", .stands_for = "ADDRESS"),
    ROW(LISTENING, "http-port", NUMBER, http_port,
        "port to listen on; 0 picks a free one and logs it", .fallback = "8000",
        .max = 65535),
    ROW(LISTENING, "admin-port", NUMBER, admin_port,
        "second port for health and metrics only; 0 = none", .fallback = "0",
        .max = 65535),
    ROW(LISTENING, "grpc-port", NUMBER, grpc_port,
        "port for gRPC, usually 8001; 0 picks a free one and logs it; -1 = "
        "none",
        .fallback = "-1", .min = -1, .max = 65535),
    ROW(LISTENING, "grpc-address", TEXT, grpc_address,
        "IPv4 or IPv6 address of the port for gRPC, localhost, or unix:PATH; "
        "without grpc-port its port is 8001",
        .computed = "that of http-address; 127.0.0.1 beside a unix socket",
        .stands_for = "ADDRESS"),
    ROW(LISTENING, "admin-address", TEXT, admin_address,
        "IPv4 or IPv6 address of the admin port, or localhost",
        .computed = "that of http-address; 127.0.0.1 beside a unix socket",
        .stands_for = "ADDRESS"),
    ROW(THREADS, "http-thread-count", NUMBER, http_thread_count, "event loops",
        .compute = default_loops,
        .computed = "4 a core up to 16, then 1 a core", .min = 1, .max = 256),
    ROW(THREADS, "worker-count", NUMBER, worker_count,
        "threads that execute large requests", .compute = host_limits_cores,
        .computed = "cores available", .min = 1, .max = 1024),
    ROW(THREADS, "inline-limit", NUMBER, inline_limit,
        "largest body that an event loop handles without a worker",
        .fallback = "256KiB", .max = INT64_C(1) << 30, .unit = OPTION_BYTES),
    ROW(LIMITS, "http-max-input-size", NUMBER, http_max_input_size,
        "largest request body; past it 413", .fallback = "256MiB", .min = 1,
        .max = INT64_C(1) << 40, .unit = OPTION_BYTES),
    ROW(LIMITS, "max-inflight-bytes", NUMBER, max_inflight_bytes,
        "bodies and answers held at once, beside 64 KiB of each "
        "connection; past it 503",
        .computed = "half of the memory, less where connections need it",
        .min = 1 << 20, .max = INT64_C(1) << 50, .unit = OPTION_BYTES),
    ROW(LIMITS, "max-inflight-bytes-per-address", NUMBER,
        max_inflight_bytes_per_address,
        "of them, held by one client address; past it 503; 0 = no limit",
        .fallback = "0", .max = INT64_C(1) << 50, .unit = OPTION_BYTES,
        .zero_is_none = true),
    ROW(LIMITS, "max-queue-size", NUMBER, max_queue_size,
        "requests waiting for a worker; past it 503", .fallback = "1024",
        .min = 1, .max = 1 << 20),
    ROW(LIMITS, "max-queue-delay", NUMBER, max_queue_delay,
        "time that a request may wait for a worker, or as long as it runs; "
        "past it 503; 0 = no limit",
        .fallback = "100ms", .max = 3600000, .unit = OPTION_MILLISECONDS,
        .zero_is_none = true),
    ROW(LIMITS, "max-connections", NUMBER, max_connections,
        "connections open at once; more wait to be accepted",
        .computed = "4000, less where memory or files are few", .min = 1,
        .max = 1 << 20),
    ROW(LIMITS, "max-connections-per-address", NUMBER,
        max_connections_per_address,
        "connections from one client address; more are closed; 0 = no "
        "limit",
        .fallback = "0", .max = 1 << 20, .zero_is_none = true),
    ROW(LIMITS, "grpc-max-message", NUMBER, grpc_max_message,
        "largest gRPC message; past it RESOURCE_EXHAUSTED; 0 = "
        "http-max-input-size",
        .fallback = "0", .max = INT64_C(4) << 30, .unit = OPTION_BYTES,
        .zero_is_none = true),
    ROW(LIMITS, "grpc-max-streams", NUMBER, grpc_max_streams,
        "calls of one gRPC connection at once; more wait", .fallback = "128",
        .min = 1, .max = 1 << 20),
    ROW(LIMITS, "grpc-max-resets", NUMBER, grpc_max_resets,
        "calls that a gRPC connection may cancel in a second; past it it is "
        "closed",
        .fallback = "500", .min = 1, .max = 1 << 20),
    ROW(TIMES, "header-timeout", NUMBER, header_timeout,
        "from a request's first byte to the end of its headers",
        .fallback = "10s", .min = 1, .max = 86400, .unit = OPTION_SECONDS),
    ROW(TIMES, "body-timeout", NUMBER, body_timeout,
        "a body or an answer that moves less than 1 KiB/s, averaged over "
        "this time, is cut",
        .fallback = "10s", .min = 1, .max = 86400, .unit = OPTION_SECONDS),
    ROW(TIMES, "idle-timeout", NUMBER, idle_timeout,
        "a connection without a request is closed after this time",
        .fallback = "75s", .min = 1, .max = 86400, .unit = OPTION_SECONDS),
    ROW(TIMES, "max-connection-age", NUMBER, max_connection_age,
        "a connection ends with its next reply after this time, so that "
        "clients spread anew; a tenth more or less; 0 = no limit",
        .fallback = "0", .max = 86400, .unit = OPTION_SECONDS,
        .zero_is_none = true),
    ROW(MODELS, "models", TEXT, models,
        "file of configured models; read again at SIGHUP", .computed = "none",
        .stands_for = "FILE"),
    ROW(MODELS, "allow-client-shm", FLAG, allow_client_shm,
        "clients may register shared memory that holds tensors",
        .fallback = "false"),
    ROW(MODELS, "shm-prefix", TEXT, shm_prefix,
        "keys of shared memory objects must start with this", .fallback = "/",
        .stands_for = "PREFIX"),
    ROW(MODELS, "http-response-compression", CHOICE, http_response_compression,
        "answers as gzip; auto: for clients that name no other coding; "
        "always: for all that accept it",
        .fallback = "auto", .choices = policies),
    ROW(TLS, "tls-cert", TEXT, tls_cert,
        "PEM file: the server's certificate, then those of its issuers; only "
        "https is served",
        .computed = "none", .stands_for = "FILE"),
    ROW(TLS, "tls-key", TEXT, tls_key,
        "PEM file: the certificate's private key", .computed = "none",
        .stands_for = "FILE"),
    ROW(TLS, "tls-client-ca", TEXT, tls_client_ca,
        "PEM file: the authorities, one of which must have signed each "
        "client's certificate",
        .computed = "none", .stands_for = "FILE"),
    ROW(ACCESS, "http-restricted-api", TEXTS, http_restricted_api,
        "API,API:HEADER=VALUE or API,API:HEADER=@FILE: these APIs (health, "
        "metadata, inference, shared-memory, model-config, "
        "model-repository, statistics, logging, metrics) require that "
        "header; a secret has at most 4096 bytes; may be given more than "
        "once",
        .computed = "none", .stands_for = "RULE"),
    ROW(ACCESS, "allow-log-changes", FLAG, allow_log_changes,
        "whoever reaches the port may change the log's settings with POST "
        "/v2/logging, even where no restricted API asks for a header",
        .fallback = "false"),
    ROW(ACCESS, "cors-allow-origin", TEXT, cors_allow_origin,
        "origins whose pages may send requests and read the answers, "
        "separated by commas, or *",
        .computed = "none", .stands_for = "ORIGINS"),
    ROW(LOG, "log-format", CHOICE, log_format,
        "one line for each event, on standard error", .fallback = "text",
        .choices = formats),
    ROW(LOG, "log-level", CHOICE, log_level,
        "lowest level of events that are logged; of each kind of line 20 a "
        "second, the others are counted",
        .fallback = "info", .choices = levels),
    ROW(LOG, "access-log", FLAG, access_log,
        "log every request, as fast as the log is read", .fallback = "false"),
    ROW(LOG, "server-timing", FLAG, server_timing,
        "replies to inferences say in the header Server-Timing how long they "
        "waited, were read, moved and written",
        .fallback = "true"),
    ROW(STOPPING, "drain-delay", NUMBER, drain_delay,
        "after SIGTERM: keep serving, but report not ready", .fallback = "0",
        .max = 3600, .unit = OPTION_SECONDS),
    ROW(STOPPING, "exit-timeout-secs", NUMBER, exit_timeout_secs,
        "then: time for running requests to end; past it exit code 1",
        .fallback = "30s", .max = 3600, .unit = OPTION_SECONDS),
    ROW(ACTIONS, "check", ACTION, action,
        "read the options and every file that they name, plan the memory, "
        "and exit: code 0, or the error and the code of a start; nothing "
        "is started, no port is opened",
        .min = OPTIONS_CHECK),
    ROW(ACTIONS, "probe", ACTION, action,
        "check that the daemon at http-address and http-port, or at "
        "admin-port, is ready; exit code 0 or 1",
        .min = OPTIONS_PROBE),
    ROW(ACTIONS, "version", ACTION, action, "print the version",
        .min = OPTIONS_VERSION),
    ROW(ACTIONS, "help", ACTION, action, "print all options; -h is the same",
        .min = OPTIONS_HELP),
};

const struct option_note option_notes[] = {
    {"Other environment variables", "FLIPD_SIMD",
     "instruction set of the movers and of JSON: generic, avx2, avx512 or "
     "neon; "
     "the best of the processor if unset"},
    {NULL, "NOTIFY_SOCKET",
     "socket of a service manager, which is told when the daemon is ready, "
     "reads files again and stops; set by systemd"},
    {NULL, "WATCHDOG_USEC",
     "microseconds after which a service manager ends a daemon that has given "
     "no sign of life: twice in this time it gives one, unless a loop or a "
     "worker hangs; set by systemd"},
    {NULL, "LISTEN_FDS",
     "number of listening sockets that a service manager has opened, from "
     "descriptor 3 on; LISTEN_FDNAMES calls each http or admin. They are the "
     "ports then, whatever the options say, and stay open while the daemon is "
     "restarted; set by systemd"},
    {"Signals", "SIGTERM, SIGINT",
     "drain and stop; a second one stops at once"},
    {NULL, "SIGHUP", "read the models file and the certificates again"},
    {"Exit codes", "0",
     "stopped cleanly, the check found no fault, or the probe found a ready "
     "daemon"},
    {NULL, "1",
     "could not start, running requests were cut off, or the probe found no "
     "ready daemon"},
    {NULL, "2", "a bad option"},
    {NULL, NULL, NULL},
};
