#include "server/config/options.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/edit_distance.h"
#include "kernels/core/status.h"
#include "server/config/host_limits.h"

static_assert(sizeof(enum options_action) == sizeof(int),
              "an action is set as an int");

/* A row of the table; what follows `help` are further fields of struct option.
 */
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

static const char *const groups[] = {"Addresses and ports",
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
        "port for gRPC, at http-address, usually 8001; 0 picks a free one and "
        "logs it; -1 = none",
        .fallback = "-1", .min = -1, .max = 65535),
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
    {.name = NULL},
};

/* A name and its meaning. */
struct note {
    const char *name; /* NULL ends a list */
    const char *text;
};

static const struct note signals[] = {
    {"SIGTERM, SIGINT", "drain and stop; a second one stops at once"},
    {"SIGHUP", "read the models file and the certificates again"},
    {NULL, NULL},
};

static const struct note exit_codes[] = {
    {"0", "stopped cleanly, the check found no fault, or the probe found a "
          "ready daemon"},
    {"1", "could not start, running requests were cut off, or the probe found "
          "no ready daemon"},
    {"2", "a bad option"},
    {NULL, NULL},
};

static const struct note variables[] = {
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

static const char prefix[] = "FLIPD_";

enum { PREFIX = sizeof(prefix) - 1 };

/* The word or words `name` are in `known`, which has '-' between its words. */
static bool has_words(const char *known, const char *name, size_t len)
{
    for (const char *at = known; (at = strchr(at, name[0])) != NULL; at++)
        if ((at == known || at[-1] == '-') && strncmp(at, name, len) == 0 &&
            (at[len] == '\0' || at[len] == '-'))
            return true;
    return false;
}

static const struct option *find_part(const char *name, size_t len)
{
    const struct option *part = NULL;

    for (const struct option *o = option_table; o->name; o++) {
        if (strncmp(o->name, name, len) == 0 ||
            (len > strlen(o->name) &&
             strncmp(o->name, name, strlen(o->name)) == 0))
            return o;
        if (!part && has_words(o->name, name, len))
            part = o;
    }
    return part;
}

/* The option whose name differs least, in at most a third of the letters. */
static const struct option *find_mistyped(const char *name, size_t len)
{
    const struct option *nearest = NULL;
    int least = (int)(len / 3) + 1;

    if (len < 2 || len > EDIT_DISTANCE_LONGEST)
        return NULL;
    for (const struct option *o = option_table; o->name; o++) {
        int differs = edit_distance(name, len, o->name, strlen(o->name));

        if (differs >= least)
            continue;
        least = differs;
        nearest = o;
    }
    return nearest;
}

const struct option *options_nearest(const char *name, size_t len)
{
    const struct option *nearest = find_mistyped(name, len);

    if (nearest || len < 2 || len > EDIT_DISTANCE_LONGEST)
        return nearest;
    return find_part(name, len);
}

/* Kubernetes describes each service of a namespace to its containers, as
 * Docker's links did: a service called flipd-admin makes
 * FLIPD_ADMIN_PORT=tcp://10.0.0.1:8002, FLIPD_ADMIN_SERVICE_HOST and more. True
 * for a variable that ends with _PORT and has such an address: it counts as
 * absent. */
static bool is_link(const char *variable, const char *value)
{
    const char *end = strrchr(variable, '_');
    const char *address = strstr(value, "://");
    const char *port = strrchr(value, ':');

    return end && strcmp(end, "_PORT") == 0 && address && port > address + 3 &&
           port[1] != '\0' &&
           port[1 + strspn(port + 1, "0123456789")] == '\0' &&
           (strncmp(value, "tcp:", 4) == 0 || strncmp(value, "udp:", 4) == 0 ||
            strncmp(value, "sctp:", 5) == 0);
}

/* FLIPD_SERVICE_HOST, FLIPD_ADMIN_SERVICE_PORT_HTTP, FLIPD_PORT_8000_TCP_ADDR.
 */
static bool is_of_service(const char *variable)
{
    const char *port = strstr(variable, "_PORT_");

    return strstr(variable, "_SERVICE_HOST") ||
           strstr(variable, "_SERVICE_PORT") ||
           (port && isdigit((unsigned char)port[6]));
}

static bool is_known(const char *variable)
{
    char own[OPTION_VARIABLE_SIZE];

    for (const struct option *o = option_table; o->name; o++) {
        option_variable(o, own);
        if (o->kind != OPTION_ACTION && strcmp(variable, own) == 0)
            return true;
    }
    for (const struct note *v = variables; v->name; v++)
        if (strcmp(variable, v->name) == 0)
            return true;
    return false;
}

bool options_stray(char *const environment[], size_t *at,
                   struct option_stray *stray)
{
    while (environment[*at]) {
        const char *variable = environment[(*at)++];
        const char *value = strchr(variable, '=');
        char name[OPTION_VARIABLE_SIZE];
        const struct option *nearest;
        bool known;

        if (strncmp(variable, prefix, PREFIX) != 0 || !value || !value[1])
            continue;
        snprintf(stray->name, sizeof(stray->name), "%.*s",
                 (int)(value - variable), variable);
        known = is_known(stray->name);
        stray->is_link = is_link(stray->name, value + 1);
        if (stray->is_link ? !known : known || is_of_service(stray->name))
            continue;
        snprintf(name, sizeof(name), "%s", stray->name + PREFIX);
        for (char *c = name; *c; c++)
            *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
        nearest = options_nearest(name, strlen(name));
        stray->nearest[0] = '\0';
        if (nearest && nearest->kind != OPTION_ACTION)
            option_variable(nearest, stray->nearest);
        return true;
    }
    return false;
}

/* The option of this name, given without the dashes. */
static const struct option *find(const char *name, size_t len)
{
    for (const struct option *option = option_table; option->name; option++)
        if (strlen(option->name) == len && !memcmp(option->name, name, len))
            return option;
    return NULL;
}

/* What stands behind '=' may be a secret. */
static bool fail_unknown(const char *argument, size_t len, struct status *st)
{
    size_t dashes = strspn(argument, "-");
    const char *name = argument + dashes;
    const struct option *nearest = dashes > 0
                                       ? options_nearest(name, len - dashes)
                                       : find_mistyped(name, len);
    char shown[OPTION_SHOWN_SIZE];

    shorten(argument, len, shown, sizeof(shown));
    if (nearest)
        return status_fail(st, STATUS_INVALID,
                           "%s is not an option; did you mean --%s? --help "
                           "lists them",
                           shown, nearest->name);
    if (dashes > 0)
        return status_fail(st, STATUS_INVALID,
                           "%s is not an option; --help lists them", shown);
    if (strcmp(shown, "true") == 0 || strcmp(shown, "false") == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s stands alone: a flag's value is written behind "
                           "an equals sign, as in --access-log=%s",
                           shown, shown);
    return status_fail(st, STATUS_INVALID,
                       "%s is not an option: flipd takes options only, and "
                       "serves without any; --help lists them",
                       shown);
}

/* Reads argv[*at] and, if the value is an argument of its own, the next one,
 * which is none if it begins as an option does: an empty variable of a script
 * would let the option before it swallow that option. Marks the option's row.
 */
static bool read_argument(struct options *options, char *const argv[], int *at,
                          bool *marks, struct status *st)
{
    const char *argument = strcmp(argv[*at], "-h") == 0 ? "--help" : argv[*at];
    const char *value = strchr(argument, '=');
    size_t len = value ? (size_t)(value - argument) : strlen(argument);
    const struct option *option = NULL;
    char source[OPTION_VARIABLE_SIZE];
    struct option_given given = {source, value ? value + 1 : NULL};

    if (len > 2 && strncmp(argument, "--", 2) == 0)
        option = find(argument + 2, len - 2);
    if (!option)
        return fail_unknown(argument, len, st);
    snprintf(source, sizeof(source), "--%s", option->name);
    if (option->kind == OPTION_ACTION && value)
        return status_fail(st, STATUS_INVALID, "%s takes no value", source);
    if (option->kind == OPTION_FLAG && !value)
        given.value = "true";
    else if (option->kind != OPTION_ACTION && !value && argv[*at + 1] &&
             strncmp(argv[*at + 1], "--", 2) != 0)
        given.value = argv[++*at];
    if (option->kind != OPTION_ACTION && !given.value)
        return status_fail(st, STATUS_INVALID, "%s needs a value", source);
    marks[option - option_table] = true;
    return option_set(options, option, &given, st);
}

/* Options that the command line leaves open: sets each from the environment, or
 * to its default. An empty variable counts as absent: compose files and charts
 * pass options that way. */
static bool read_environment(struct options *options, const bool *marks,
                             struct status *st)
{
    char variable[OPTION_VARIABLE_SIZE];
    struct option_given given = {variable, NULL};
    struct status further;
    bool ok = true;

    for (int row = 0; option_table[row].name; row++) {
        const struct option *option = &option_table[row];
        struct status *failure = ok ? st : &further;

        if (marks[row] || option->kind == OPTION_ACTION)
            continue;
        option_variable(option, variable);
        given.value = getenv(variable);
        if (given.value && *given.value && !is_link(variable, given.value))
            ok = option_set(options, option, &given, failure) && ok;
        else
            ok = option_set_default(options, option, failure) && ok;
    }
    return ok;
}

/* The command line is read first: a variable that it overrides may have any
 * value. After an error the rest is read too: the error is written in the log's
 * format, which may be given behind it. */
bool options_load(struct options *options, int argc, char *const argv[],
                  struct status *st)
{
    bool marks[sizeof(option_table) / sizeof(option_table[0])] = {false};
    bool ok = true;
    struct status further;

    *options = (struct options){.action = OPTIONS_SERVE};
    for (int i = 1; i < argc; i++)
        ok = read_argument(options, argv, &i, marks, ok ? st : &further) && ok;
    if (ok &&
        (options->action == OPTIONS_HELP || options->action == OPTIONS_VERSION))
        return true;
    return read_environment(options, marks, ok ? st : &further) && ok;
}

static void print_option(FILE *out, const struct option *option)
{
    char variable[OPTION_VARIABLE_SIZE], values[OPTION_VALUES_SIZE];

    fprintf(out, "  --%s\n      %s\n", option->name, option->help);
    if (option->kind == OPTION_ACTION)
        return;
    option_variable(option, variable);
    fprintf(out, "      %s: %s%s", variable, option_values(option, "|", values),
            option_unit_texts[option->unit].hint);
    if (option->fallback)
        fprintf(out, "; default %s\n", option->fallback);
    else if (!option->compute)
        fprintf(out, "; default %s\n", option->computed);
    else
        fprintf(out, "; default %" PRId64 " (%s)\n", option_compute(option),
                option->computed);
}

static void print_notes(FILE *out, const char *title, const struct note *notes)
{
    fprintf(out, "\n%s:\n", title);
    for (; notes->name; notes++)
        fprintf(out, "  %s\n      %s\n", notes->name, notes->text);
}

void options_help(FILE *out)
{
    const struct option *option = option_table;

    fprintf(out,
            "flipd answers tensor-reversal requests over HTTP (Open Inference "
            "Protocol v2).\n\n"
            "Usage: flipd [--name value | --name=value | --flag]...\n\n"
            "Every option can be given as an environment variable; the command "
            "line wins.\n%s",
            option_number_note);
    for (int group = 0; groups[group]; group++) {
        fprintf(out, "\n%s:\n", groups[group]);
        for (; option->name && (int)option->group == group; option++)
            print_option(out, option);
    }
    print_notes(out, "Other environment variables", variables);
    print_notes(out, "Signals", signals);
    print_notes(out, "Exit codes", exit_codes);
}
