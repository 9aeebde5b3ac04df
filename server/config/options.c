#include "server/config/options.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/edit_distance.h"
#include "kernels/core/shorten.h"
#include "server/config/host_limits.h"

static_assert(sizeof(enum options_action) == sizeof(int),
              "an action is set as an int");

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
#define ACTION(called, does, means)                                            \
    {                                                                          \
        ROW(ACTIONS, called, ACTION, action, means), .min = (does)             \
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
           "answers as gzip; auto: for clients that name no other coding; "
           "always: for all that accept it"),
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

/* "tcp://10.0.0.1:8000", "udp://[fd00::1]:53". */
static bool is_service_address(const char *value)
{
    const char *address = strstr(value, "://");
    const char *port = strrchr(value, ':');

    return address && port > address + 3 && port[1] != '\0' &&
           port[1 + strspn(port + 1, "0123456789")] == '\0' &&
           (strncmp(value, "tcp:", 4) == 0 || strncmp(value, "udp:", 4) == 0 ||
            strncmp(value, "sctp:", 5) == 0);
}

/* Kubernetes describes each service of a namespace to its containers, as
 * Docker's links did: a service called flipd-admin makes
 * FLIPD_ADMIN_PORT=tcp://10.0.0.1:8002, FLIPD_ADMIN_SERVICE_HOST and more. True
 * for a variable that ends with _PORT and has such an address: it counts as
 * absent. */
static bool is_link(const char *variable, const char *value)
{
    static const char end[] = "_PORT";
    size_t len = strlen(variable);

    return len >= sizeof(end) - 1 &&
           strcmp(variable + len - (sizeof(end) - 1), end) == 0 &&
           is_service_address(value);
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

/* The nearest option by its variable's name: FLIPD_HTTP_PROT. */
static void find_nearest(struct option_stray *stray)
{
    char name[OPTION_VARIABLE_SIZE];
    const struct option *nearest;

    snprintf(name, sizeof(name), "%s", stray->name + PREFIX);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    nearest = options_nearest(name, strlen(name));
    stray->nearest[0] = '\0';
    if (nearest && nearest->kind != OPTION_ACTION)
        option_variable(nearest, stray->nearest);
}

bool options_stray(char *const environment[], size_t *at,
                   struct option_stray *stray)
{
    while (environment[*at]) {
        const char *variable = environment[(*at)++];
        const char *value = strchr(variable, '=');
        bool known;

        if (strncmp(variable, prefix, PREFIX) != 0 || !value || !value[1])
            continue;
        snprintf(stray->name, sizeof(stray->name), "%.*s",
                 (int)(value - variable), variable);
        known = is_known(stray->name);
        stray->is_link = is_link(stray->name, value + 1);
        if (stray->is_link ? !known : known || is_of_service(stray->name))
            continue;
        find_nearest(stray);
        return true;
    }
    return false;
}

/* Sets an option from the environment, or to its default. An empty variable
 * counts as absent: compose files and charts pass options that way. */
static bool set_initial(struct options *options, const struct option *option,
                        struct status *st)
{
    char variable[OPTION_VARIABLE_SIZE];
    struct option_given given = {variable, NULL};

    option_variable(option, variable);
    given.value = getenv(variable);
    if (given.value && *given.value && !is_link(variable, given.value))
        return option_set(options, option, &given, st);
    return option_set_default(options, option, st);
}

/* The option of this name, given without the dashes. */
static const struct option *find(const char *name, size_t len)
{
    for (const struct option *option = option_table; option->name; option++)
        if (strlen(option->name) == len && !memcmp(option->name, name, len))
            return option;
    return NULL;
}

static bool fail_word(const char *word, struct status *st)
{
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s stands alone: a flag's value is written behind "
                           "an equals sign, as in --access-log=%s",
                           word, word);
    return status_fail(st, STATUS_INVALID,
                       "%s is not an option: flipd takes options only, and "
                       "serves without any; --help lists them",
                       word);
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
    return dashes > 0
               ? status_fail(st, STATUS_INVALID,
                             "%s is not an option; --help lists them", shown)
               : fail_word(shown, st);
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

/* Options that the command line leaves open. */
static bool read_environment(struct options *options, const bool *marks,
                             struct status *st)
{
    struct status further;
    bool ok = true;

    for (int row = 0; option_table[row].name; row++)
        if (!marks[row] && option_table[row].kind != OPTION_ACTION)
            ok = set_initial(options, &option_table[row], ok ? st : &further) &&
                 ok;
    return ok;
}

static bool needs_no_options(enum options_action action)
{
    return action == OPTIONS_HELP || action == OPTIONS_VERSION;
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
    if (ok && needs_no_options(options->action))
        return true;
    return read_environment(options, marks, ok ? st : &further) && ok;
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
    char variable[OPTION_VARIABLE_SIZE], values[OPTION_VALUES_SIZE];

    fprintf(out, "  --%s\n      %s\n", option->name, option->help);
    if (option->kind == OPTION_ACTION)
        return;
    option_variable(option, variable);
    fprintf(out, "      %s: %s%s", variable, option_values(option, "|", values),
            option_number_hint(option->unit));
    print_default(out, option);
    fputc('\n', out);
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
