/* The limit of open files, as the process finds it and as it leaves it. Each
 * test runs in a process of its own. */
#include <check.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/process/os_setup.h"
#include "tests/suite.h"

/* FILES: for clients, beside 32 of the process and 16 of its loop. */
enum { SOFT = 64, HARD = 200, FILES = HARD - 32 - 16 };

static void limit_files(void)
{
    const struct rlimit limit = {.rlim_cur = SOFT, .rlim_max = HARD};

    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* `text` gets what is logged. */
static void raise_limit(const struct options *options,
                        const struct memory_plan *memory, char text[300])
{
    struct rlimit limit;
    struct log log;
    int pipe_fds[2];

    ck_assert_int_eq(pipe(pipe_fds), 0);
    log_init(&log, pipe_fds[1], LOG_INFO, false);
    os_setup_raise_fd_limit(options, memory, &log);
    log_free(&log);
    close(pipe_fds[1]);
    memset(text, 0, 300);
    ck_assert_int_ge(read(pipe_fds[0], text, 299), 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_uint_eq(limit.rlim_cur, HARD);
    ck_assert_uint_eq(limit.rlim_max, HARD);
}

static struct options plan(int64_t connections, struct memory_plan *memory)
{
    struct options options = {.http_thread_count = 1,
                              .worker_count = 1,
                              .max_connections = connections};
    struct status st;

    ck_assert_msg(os_setup_plan_memory(&options, memory, &st), "%s",
                  st.message);
    return options;
}

START_TEST(soft_limit_is_raised_to_the_hard_one)
{
    struct memory_plan memory;
    struct options options;
    char text[300];

    limit_files();
    options = plan(10, &memory);
    raise_limit(&options, &memory, text);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(files_that_bound_the_connections_are_a_warning)
{
    struct memory_plan memory;
    struct options options;
    char text[300];

    limit_files();
    options = plan(1000, &memory);
    ck_assert_int_eq(options.max_connections, FILES - FILES / 2);
    ck_assert_int_eq(memory.waiting_count, FILES / 2);
    raise_limit(&options, &memory, text);
    ck_assert_ptr_nonnull(strstr(text, "open_files=200"));
    options = plan(options.max_connections - 1, &memory);
    raise_limit(&options, &memory, text);
    ck_assert_str_eq(text, "");
}
END_TEST

/* Workers are two for each of the option, and one: all three have a stack and a
 * cache of documents, as loops have. The admin port has a loop and connections
 * of its own. */
START_TEST(plan_counts_every_thread)
{
    struct options options = {.http_thread_count = 2,
                              .worker_count = 3,
                              .max_connections = 10,
                              .max_inflight_bytes = 1 << 20};
    struct memory_plan plan, more;
    struct status st;

    ck_assert(os_setup_plan_memory(&options, &plan, &st));
    options.worker_count++;
    ck_assert(os_setup_plan_memory(&options, &more, &st));
    ck_assert_int_eq(plan.json, (2 + 7) * MEMORY_PLAN_JSON);
    ck_assert_int_eq(more.json, (2 + 9) * MEMORY_PLAN_JSON);
    ck_assert_int_eq(more.base - plan.base, 2 * MEMORY_PLAN_WORKER);
    options.worker_count--;
    options.admin_port = 9001;
    ck_assert(os_setup_plan_memory(&options, &more, &st));
    ck_assert_int_eq(more.json, (3 + 7) * MEMORY_PLAN_JSON);
    ck_assert_int_eq(more.base - plan.base, MEMORY_PLAN_LOOP +
                                                64 * CONNECTION_COST +
                                                CONNECTION_COST_WAITING);
}
END_TEST

/* As sched_getattr(2) tells; in Linux before 6.12 the length is 0. */
START_TEST(turns_are_short_and_the_priority_stays)
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
    os_setup_prepare();
    ck_assert_int_eq(syscall(SYS_sched_getattr, 0, &is, sizeof(is), 0), 0);
    ck_assert_int_eq(is.nice, 7);
    ck_assert_int_eq((int)is.policy, before);
    ck_assert(is.runtime_ns == 0 || is.runtime_ns == 200000);
}
END_TEST

SUITE("os_setup", TEST(turns_are_short_and_the_priority_stays),
      TEST(plan_counts_every_thread),
      TEST(soft_limit_is_raised_to_the_hard_one),
      TEST(files_that_bound_the_connections_are_a_warning))
