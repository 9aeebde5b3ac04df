#include "server/process/os_setup.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/base/bounds.h"
#include "server/config/host_limits.h"

enum {
    /* Larger allocations are returned to the system when they are freed. */
    MALLOC_MAPS = 256 << 10,
    /* Descriptors beside the clients': those of the main thread, which are 14,
     * and files that are read; of a loop, which are 7, and one more while it
     * ends a connection. */
    OWN_FDS = 24,
    LOOP_FDS = 8,
    /* Open at once, of --admin-port; half of all where descriptors are few. */
    ADMIN_CONNECTIONS = 64,

    SLICE_NS = 200000, /* of a thread, on a processor that others want, too */
    KEEP_POLICY = 8,   /* SCHED_FLAG_KEEP_POLICY */
};

/* What sched_setattr(2) takes; the C library has no name for it. */
struct sched_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

/* Many short slices of a processor instead of few long ones, for all threads: a
 * loop with one small request waits less behind another that sends a large
 * answer, and a worker that gives way loses no more than a short slice. Linux
 * before 6.12 has slices of its own length. */
static void shorten_slices(void)
{
    struct sched_attributes attributes = {
        .size = sizeof(attributes),
        .flags = KEEP_POLICY,
        .nice = getpriority(PRIO_PROCESS, 0),
        .runtime_ns = SLICE_NS,
    };

    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void os_setup_prepare(void)
{
    shorten_slices();
    signal(SIGPIPE, SIG_IGN);
    mallopt(M_MMAP_THRESHOLD, MALLOC_MAPS);
    mallopt(M_TRIM_THRESHOLD, 2 * MALLOC_MAPS);
}

static int64_t count_loops(const struct options *options)
{
    return options->http_thread_count + (options->admin_port != 0);
}

static int64_t count_workers(const struct options *options)
{
    return 2 * options->worker_count + 1; /* workers.h */
}

/* Raises the limit of open files to the hard one, and returns it. */
static int64_t file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return INT32_MAX;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max > INT32_MAX ? INT32_MAX : (int64_t)limit.rlim_max;
}

/* Descriptors for connections of both ports: connections never use the rest. */
static int64_t connection_files(const struct options *options)
{
    return file_limit() - OWN_FDS - LOOP_FDS * count_loops(options);
}

/* A client of each port, and one that waits for room. */
static int64_t least_connections(const struct options *options)
{
    return options->admin_port ? 4 : 2;
}

/* The least that suffice, and all threads. */
static int64_t count_files(const struct options *options)
{
    return OWN_FDS + LOOP_FDS * count_loops(options) +
           least_connections(options);
}

static int64_t count_threads(const struct options *options)
{
    return 1 + count_loops(options) + count_workers(options);
}

static bool check_files(const struct options *options, struct status *st)
{
    int64_t limit = file_limit(), needed = count_files(options);

    return limit >= needed ||
           status_fail(st, STATUS_INVALID,
                       "the limit of open files (ulimit -n) is %" PRId64
                       ", but %" PRId64 " are needed: %d for each of %" PRId64
                       " loops (--http-thread-count%s), %" PRId64
                       " for clients, %d for the rest",
                       limit, needed, LOOP_FDS, count_loops(options),
                       options->admin_port ? ", --admin-port" : "",
                       least_connections(options), OWN_FDS);
}

static bool check_threads(const struct options *options, struct status *st)
{
    int64_t limit = host_limits_threads(), needed = count_threads(options);

    return limit >= needed ||
           status_fail(st, STATUS_INVALID,
                       "the limit of threads (ulimit -u, pids.max) is %" PRId64
                       ", but %" PRId64 " are needed: %" PRId64
                       " loops (--http-thread-count%s), %" PRId64
                       " workers (two for each of --worker-count, and one), "
                       "and one",
                       limit, needed, count_loops(options),
                       options->admin_port ? ", --admin-port" : "",
                       count_workers(options));
}

void os_setup_explain(const struct options *options, struct status *st)
{
    const struct status cause = *st;
    int64_t threads = host_limits_threads();
    int64_t space = host_limits_address_space();
    char limits[160];
    int len = snprintf(limits, sizeof(limits), "%" PRId64 " files (ulimit -n)",
                       file_limit());

    if (threads < INT64_MAX)
        len += snprintf(limits + len, sizeof(limits) - (size_t)len,
                        ", %" PRId64 " threads (ulimit -u, pids.max)", threads);
    if (space < INT64_MAX)
        snprintf(limits + len, sizeof(limits) - (size_t)len,
                 ", %" PRId64 " bytes of addresses (ulimit -v)", space);
    status_fail(st, cause.code,
                "%s; %" PRId64 " threads and %" PRId64
                " files are needed, the limits are %s",
                cause.message, count_threads(options), count_files(options),
                limits);
}

bool os_setup_plan(struct options *options, struct memory_plan *plan,
                   struct log *log, struct status *st)
{
    const int64_t admin =
        options->admin_port
            ? min_int64(connection_files(options) / 2, ADMIN_CONNECTIONS)
            : 0;
    const struct memory_plan_setup setup = {
        .memory = host_limits_memory(),
        .files = connection_files(options) - admin,
        .loops = count_loops(options),
        .workers = count_workers(options),
        .own_connections = admin,
        .connections = options->max_connections,
        .inflight = options->max_inflight_bytes,
        .tls = options->tls_cert != NULL,
        .grpc_streams = options->grpc_port >= 0 ? options->grpc_max_streams : 0,
    };

    if (!check_files(options, st) || !check_threads(options, st) ||
        !memory_plan_make(plan, &setup, st))
        return false;
    options->max_connections = min_int64(plan->connection_count, plan->files);
    options->max_inflight_bytes = plan->inflight;
    if (options->max_connections == plan->files)
        log_event(log, LOG_WARNING,
                  "the limit of open files bounds the connections: raise it",
                  {"open_files", NULL, file_limit()},
                  {"max_connections", NULL, options->max_connections});
    return true;
}
