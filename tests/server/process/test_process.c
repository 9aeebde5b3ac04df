/* The limit of open files, as the process finds it and as it leaves it. Each
 * test runs in a process of its own. */
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/process/process.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

/* FILES: for clients, beside 24 of the process and 8 of its loop. */
enum { SOFT = 64, HARD = 200, FILES = HARD - 24 - 8 };

static void limit_files(rlim_t soft, rlim_t hard)
{
    const struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};

    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static struct log log_;
static struct memory_plan memory;
static struct status st;

static void set_up(void)
{
    log_text_start(&log_, LOG_INFO);
}

static bool plans(struct options *options)
{
    return process_plan(options, &memory, &log_, &st);
}

static struct options plan(int64_t connections)
{
    struct options options = {.http_thread_count = 1,
                              .worker_count = 1,
                              .max_connections = connections};

    ck_assert_msg(plans(&options), "%s", st.message);
    return options;
}

UNIT_TEST(soft_limit_is_raised_to_the_hard_one_which_may_bound_the_connections)
{
    struct rlimit limit;
    struct options options;

    limit_files(SOFT, HARD);
    plan(10);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_uint_eq(limit.rlim_cur, HARD);
    ck_assert_uint_eq(limit.rlim_max, HARD);
    ck_assert_str_eq(log_text_take(&log_), "");
    limit_files(SOFT, HARD);
    options = plan(1000);
    ck_assert_int_eq(options.max_connections, FILES - FILES / 2);
    ck_assert_int_eq(memory.waiting_count, FILES / 2);
    ck_assert_ptr_nonnull(strstr(log_text_take(&log_), "open_files=200"));
    options = plan(options.max_connections - 1);
    ck_assert_str_eq(log_text_take(&log_), "");
}

static const struct {
    struct options options;
    rlim_t needed;
    const char *text;
} few_files[] = {
    {{.http_thread_count = 1, .worker_count = 1},
     24 + 8 + 2,
     "(ulimit -n) is 33, but 34 are needed: 8 for each of 1 loops "
     "(--http-thread-count), 2 for clients, 24 for the rest"},
    {{.http_thread_count = 256, .worker_count = 1},
     24 + 256 * 8 + 2,
     "is 2073, but 2074 are needed: 8 for each of 256 loops"},
    {{.http_thread_count = 2, .worker_count = 1, .admin_port = 1},
     24 + 3 * 8 + 4,
     "is 51, but 52 are needed: 8 for each of 3 loops (--http-thread-count, "
     "--admin-port), 4 for clients"},
};

LOOP_TEST(fewer_files_than_the_loops_need_are_refused, COUNT(few_files))
{
    struct options options = few_files[_i].options;
    rlim_t needed = few_files[_i].needed;

    limit_files(20, needed);
    ck_assert_msg(plans(&options), "%s", st.message);
    ck_assert_int_eq(options.max_connections, 1);
    ck_assert_int_eq(memory.waiting_count, 1);
    ck_assert_int_eq(memory.own_connections, options.admin_port ? 2 : 0);
    limit_files(20, needed - 1);
    ck_assert(!plans(&options));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, few_files[_i].text), "%s", st.message);
}

/* Whoever is not root cannot go back, but each test has its own process. */
UNIT_TEST(fewer_threads_than_the_loops_and_workers_need_are_refused)
{
    struct options options = {
        .http_thread_count = 3, .worker_count = 4, .admin_port = 1};
    const struct rlimit limit = {.rlim_cur = 13, .rlim_max = 13};

    if (getuid() == 0)
        ck_assert_int_eq(setuid(65534), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &limit), 0);
    ck_assert(!plans(&options));
    ck_assert_msg(strstr(st.message, "pids.max) is 13, but 14 are needed: 4 "
                                     "loops (--http-thread-count, "
                                     "--admin-port), 9 workers"),
                  "%s", st.message);
    options.admin_port = 0;
    ck_assert_msg(plans(&options), "%s", st.message);
    status_fail(&st, STATUS_NO_MEMORY, "cannot start");
    process_explain(&options, &st);
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert_msg(strstr(st.message, "cannot start; 13 threads and 50 files "
                                     "are needed, the limits are "),
                  "%s", st.message);
    ck_assert_ptr_nonnull(strstr(st.message, " 13 threads (ulimit -u, pids"));
}

/* Workers are two for each of the option, and one: all three have a stack and a
 * cache of documents, as loops have. The admin port has a loop and connections
 * of its own. */
UNIT_TEST(plan_counts_every_thread)
{
    struct options options = {.http_thread_count = 2,
                              .worker_count = 3,
                              .max_connections = 10,
                              .max_inflight_bytes = 1 << 20};
    struct memory_plan first;

    ck_assert(plans(&options));
    ck_assert_int_eq(memory.json, (2 + 7) * MEMORY_PLAN_JSON);
    first = memory;
    options.worker_count++;
    ck_assert(plans(&options));
    ck_assert_int_eq(memory.json, (2 + 9) * MEMORY_PLAN_JSON);
    ck_assert_int_eq(memory.base - first.base, 2 * MEMORY_PLAN_WORKER);
    options.worker_count--;
    options.admin_port = 9001;
    ck_assert(plans(&options));
    ck_assert_int_eq(memory.json, (3 + 7) * MEMORY_PLAN_JSON);
    ck_assert_int_eq(memory.base - first.base,
                     MEMORY_PLAN_LOOP + 64 * CONNECTION_COST);
}

/* As sched_getattr(2) tells; in Linux before 6.12 the length is 0. */
UNIT_TEST(turns_are_short_and_the_priority_stays)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } is = {.size = 0};
    int before = sched_getscheduler(0);

    ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 7), 0);
    process_prepare();
    ck_assert_int_eq(syscall(SYS_sched_getattr, 0, &is, sizeof(is), 0), 0);
    ck_assert_int_eq(is.nice, 7);
    ck_assert_int_eq((int)is.policy, before);
    ck_assert(is.runtime_ns == 0 || is.runtime_ns == 200000);
}

FIXTURE(set_up, NULL)
