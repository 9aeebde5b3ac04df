#include "tests/fuzz/machine.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/expect.h"

enum { CALL_NS = 1000, SIGNAL_SET_BYTES = 8, MAX_THREADS = 16 };

struct thread {
    const uv_thread_t *id; /* NULL: the entry is free */
    uv_thread_cb function;
    void *context;
};

/* Any time but 0, which some code takes for "none". */
static uint64_t now_ns = UINT64_C(1000000000000);
static uint64_t event_count;
static unsigned reset_count;
static struct thread threads[MAX_THREADS];

void machine_advance_ms(uint64_t ms)
{
    now_ns += ms * 1000000;
}

uint64_t machine_event_count(void)
{
    return event_count;
}

unsigned machine_reset_count(void)
{
    return reset_count;
}

static struct thread *find_thread(const uv_thread_t *id)
{
    int at = 0;

    while (at < MAX_THREADS && threads[at].id != id)
        at++;
    EXPECT(at < MAX_THREADS);
    return &threads[at];
}

void machine_run_thread(const uv_thread_t *id)
{
    const struct thread *thread = find_thread(id);

    thread->function(thread->context);
}

static bool is_monotonic(clockid_t clock)
{
    return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!is_monotonic(clock))
        return (int)syscall(SYS_clock_gettime, clock, now);
    now_ns += CALL_NS;
    now->tv_sec = (time_t)(now_ns / 1000000000);
    now->tv_nsec = (long)(now_ns % 1000000000);
    return 0;
}

int epoll_pwait(int fd, struct epoll_event *events, int most, int wait_ms,
                const sigset_t *mask)
{
    int ready = (int)syscall(SYS_epoll_pwait, fd, events, most, 0, mask,
                             SIGNAL_SET_BYTES);

    if (ready > 0)
        event_count += (uint64_t)ready;
    if (ready != 0)
        return ready;
    EXPECT(wait_ms >= 0); /* else it would wait for ever */
    machine_advance_ms((uint64_t)wait_ms);
    return 0;
}

int epoll_wait(int fd, struct epoll_event *events, int most, int wait_ms)
{
    return epoll_pwait(fd, events, most, wait_ms, NULL);
}

int uv_thread_create(uv_thread_t *id, uv_thread_cb function, void *context)
{
    *find_thread(NULL) = (struct thread){id, function, context};
    *id = 0;
    return 0;
}

int uv_thread_join(uv_thread_t *id)
{
    *find_thread(id) = (struct thread){.id = NULL};
    return 0;
}

/* The priority of a worker, of which there is no thread here. */
int setpriority(__priority_which_t which, id_t who, int value)
{
    (void)which;
    (void)who;
    (void)value;
    return 0;
}

/* A socketpair plays the part of TCP. */
int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    if (level == IPPROTO_TCP)
        return 0;
    reset_count += level == SOL_SOCKET && option == SO_LINGER;
    return (int)syscall(SYS_setsockopt, fd, level, option, value, size);
}
