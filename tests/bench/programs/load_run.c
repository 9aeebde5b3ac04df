#include "tests/bench/programs/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { LEAST_ANSWERS = 8, STALL_MS = 30000 };

__attribute__((noreturn)) void load_die(const char *what)
{
    fprintf(stderr, "bench_load: %s: %s\n", what, strerror(errno));
    exit(1);
}

__attribute__((noreturn)) static void refuse(const struct load_connection *c)
{
    fprintf(stderr, "bench_load: not the answer that was expected: %.300s\n",
            c->job.head_len ? c->job.head : "(no head)");
    exit(1);
}

/* Starts the next request if it is due. */
static bool begin(struct load *load, struct load_connection *c)
{
    uint64_t now = load_times_now_ns();
    uint64_t due = now;

    if (load->rate > 0) {
        due =
            load->begin_ns + (uint64_t)((double)load->asked * 1e9 / load->rate);
        if (due > now)
            return false;
    }
    load->asked++;
    c->busy = true;
    c->sent = 0;
    c->due_ns = due;
    load_answer_start(&c->job, load->echo ? load->request_len : 0);
    return true;
}

static void count(struct load *load, struct load_connection *c)
{
    uint64_t now = load_times_now_ns();

    c->busy = false;
    if (load->answer_bytes == 0)
        load->answer_bytes = c->job.body_bytes;
    if (c->job.body_bytes != load->answer_bytes)
        refuse(c);
    if (load->answered < load->connection_count) {
        load->answered++;
    } else if (load->first_ns == 0) {
        if (now >= load->measure_ns)
            load->first_ns = load->last_ns = now;
    } else {
        load_times_add(&load->times, now - c->due_ns);
        load->last_ns = now;
    }
}

/* False when the socket takes no more for now. */
static bool send_some(struct load *load, struct load_connection *c)
{
    while (c->sent < load->request_len) {
        ssize_t n = send(c->fd, load->request + c->sent,
                         load->request_len - c->sent, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN)
            return false;
        if (n < 0)
            load_die("send");
        c->sent += (size_t)n;
    }
    return true;
}

/* False when there is nothing more for now. */
static bool receive_some(struct load *load, struct load_connection *c)
{
    while (c->job.state != LOAD_ANSWER_WHOLE) {
        ssize_t n = recv(c->fd, load->scratch, LOAD_SCRATCH, 0);

        if (n < 0 && errno == EAGAIN)
            return false;
        if (n <= 0)
            load_die("recv");
        if (!load_answer_take(&c->job, load->scratch, (size_t)n))
            refuse(c);
        if (n < LOAD_SCRATCH && c->job.state != LOAD_ANSWER_WHOLE)
            return false; /* more will be told */
    }
    return true;
}

static void drive(struct load *load, struct load_connection *c)
{
    while (c->busy || begin(load, c)) {
        if (!send_some(load, c) || !receive_some(load, c))
            return;
        count(load, c);
        if (load->rate <= 0 && load->connection_count > 1) {
            /* One request each, then the others' turn. */
            if (begin(load, c))
                send_some(load, c);
            return;
        }
    }
}

/* Milliseconds to nanoseconds until a paced request is due. */
static struct timespec patience(const struct load *load)
{
    struct timespec ts = {.tv_sec = STALL_MS / 1000};
    uint64_t now = load_times_now_ns();
    uint64_t due;

    if (load->rate <= 0)
        return ts;
    due = load->begin_ns + (uint64_t)((double)load->asked * 1e9 / load->rate);
    ts.tv_sec = 0;
    ts.tv_nsec = due > now ? (long)((due - now) % 1000000000u) : 0;
    return ts;
}

static void drive_idle(struct load *load)
{
    for (int i = 0; i < load->connection_count; i++)
        if (!load->connections[i].busy)
            drive(load, &load->connections[i]);
}

static void wait_events(struct load *load)
{
    struct epoll_event events[64];
    struct timespec ts = patience(load);
    int n = epoll_pwait2(load->epoll, events, 64, &ts, NULL);

    if (n < 0 && errno != EINTR)
        load_die("epoll_pwait2");
    if (n == 0 && load->rate <= 0) {
        fprintf(stderr, "bench_load: no answer within %d ms\n", STALL_MS);
        exit(1);
    }
    for (int i = 0; i < n; i++)
        if (((struct load_connection *)events[i].data.ptr)->busy)
            drive(load, events[i].data.ptr);
    if (load->rate > 0)
        drive_idle(load);
}

void load_run(struct load *load)
{
    load->begin_ns = load_times_now_ns();
    drive_idle(load);
    while (load_times_now_ns() < load->end_ns ||
           load->times.count < LEAST_ANSWERS)
        wait_events(load);
}
