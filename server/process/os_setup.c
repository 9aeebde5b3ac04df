#include "server/process/os_setup.h"

#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "server/config/host_limits.h"
#include "server/jobs/priority.h"

enum {
    /* Larger allocations are returned to the system when they are freed. */
    MALLOC_MAPS = 256 << 10,
    /* Descriptors beside the clients': log and listening socket, and sixteen
     * for each loop. */
    OWN_FDS = 32,
    LOOP_FDS = 16,
    ADMIN_CONNECTIONS = 64, /* open at once, of --admin-port */
};

/* Written before it is needed, for a signal handler may not format it. */
static struct {
    char line[LOG_LINE_SIZE];
    size_t len;
} last_words;

static void prepare_last_words(bool json)
{
    static const char why[] =
        "the system refuses libuv memory, a descriptor or a thread";
    const struct log_field fields[] = {{"reason", why, 0}, {NULL, NULL, 0}};
    struct timespec now;

    if (!json) {
        last_words.len =
            (size_t)snprintf(last_words.line, sizeof(last_words.line),
                             "flipd: cannot start: %s\n", why);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    last_words.len = log_format(
        last_words.line, true,
        &(struct log_entry){(int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000,
                            LOG_ERROR, "cannot start", fields});
}

/* Only calls that a signal handler may make. */
static void end_start(int signal)
{
    (void)signal;
    (void)!write(STDERR_FILENO, last_words.line, last_words.len);
    _exit(1);
}

void os_setup_guard_start(bool on, bool json)
{
    prepare_last_words(json);
    signal(SIGABRT, on ? end_start : SIG_DFL);
}

void os_setup_prepare(void)
{
    priority_shorten_turns();
    signal(SIGPIPE, SIG_IGN);
    mallopt(M_MMAP_THRESHOLD, MALLOC_MAPS);
    mallopt(M_TRIM_THRESHOLD, 2 * MALLOC_MAPS);
}

/* Descriptors for connections of both ports: connections never use the rest. */
static int64_t connection_files(const struct options *options)
{
    int64_t loops = options->http_thread_count + (options->admin_port != 0);
    int64_t own = OWN_FDS + LOOP_FDS * loops;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max > INT32_MAX)
        return INT32_MAX;
    return (int64_t)limit.rlim_max > own + 2 ? (int64_t)limit.rlim_max - own
                                             : 2;
}

int64_t os_setup_admin_connections(const struct options *options)
{
    int64_t half = connection_files(options) / 2;

    if (!options->admin_port)
        return 0;
    return half < ADMIN_CONNECTIONS ? half : ADMIN_CONNECTIONS;
}

bool os_setup_plan_memory(struct options *options, struct memory_plan *plan,
                          struct status *st)
{
    const int64_t admin = os_setup_admin_connections(options);
    const struct memory_plan_setup setup = {
        .memory = host_limits_memory(),
        .files = connection_files(options) - admin,
        .loops = options->http_thread_count + (options->admin_port != 0),
        .workers = 2 * options->worker_count + 1, /* workers.h */
        .own_connections = admin,
        .connections = options->max_connections,
        .inflight = options->max_inflight_bytes,
        .tls = options->tls_cert != NULL,
        .grpc_streams = options->grpc_port >= 0 ? options->grpc_max_streams : 0,
    };

    if (!memory_plan_make(plan, &setup, st))
        return false;
    options->max_connections = plan->connection_count < plan->files
                                   ? plan->connection_count
                                   : plan->files;
    options->max_inflight_bytes = plan->inflight;
    return true;
}

void os_setup_raise_fd_limit(const struct options *options,
                             const struct memory_plan *plan, struct log *log)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (options->max_connections == plan->files)
        log_event(log, LOG_WARNING,
                  "the limit of open files bounds the connections: raise it",
                  {"open_files", NULL, (int64_t)limit.rlim_max},
                  {"max_connections", NULL, options->max_connections});
}
