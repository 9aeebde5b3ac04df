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
    if (load->http2)
        load_http2_start(&c->h2);
    return true;
}

static void count(struct load *load, struct load_connection *c)
{
    uint64_t now = load_times_now_ns();
    size_t bytes = load->http2 ? c->h2.data_bytes : c->job.body_bytes;

    c->busy = false;
    if (load->answer_bytes == 0)
        load->answer_bytes = bytes;
    /* A refusal of gRPC has no data. */
    if (bytes != load->answer_bytes || (load->http2 && bytes == 0))
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

/* What can be sent now; NULL: nothing. */
static const void *next_part(struct load *load, struct load_connection *c,
                             size_t *len)
{
    if (load->http2)
        return load_http2_next(&c->h2, c->sent, len);
    *len = load->request_len - c->sent;
    return *len > 0 ? load->request + c->sent : NULL;
}

/* False when the socket takes no more for now. */
static bool send_some(struct load *load, struct load_connection *c)
{
    const void *part;
    size_t len;

    while ((part = next_part(load, c, &len))) {
        ssize_t n = send(c->fd, part, len, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN)
            return false;
        if (n < 0)
            load_die("send");
        if (load->http2)
            load_http2_sent(&c->h2, (size_t)n, &c->sent);
        else
            c->sent += (size_t)n;
    }
    return true;
}

static bool is_whole(const struct load *load, const struct load_connection *c)
{
    return load->http2 ? c->h2.whole : c->job.state == LOAD_ANSWER_WHOLE;
}

static bool take(struct load *load, struct load_connection *c, size_t len)
{
    return load->http2 ? load_http2_take(&c->h2, load->scratch, len)
                       : load_answer_take(&c->job, load->scratch, len);
}

/* False when there is nothing more for now. */
static bool receive_some(struct load *load, struct load_connection *c)
{
    while (!is_whole(load, c)) {
        ssize_t n = recv(c->fd, load->scratch, LOAD_SCRATCH, 0);

        if (n < 0 && errno == EAGAIN)
            return false;
        if (n <= 0)
            load_die("recv");
        if (!take(load, c, (size_t)n))
            refuse(c);
        if (n < LOAD_SCRATCH && !is_whole(load, c))
            return false; /* more will be told */
    }
    return true;
}

/* What is received in HTTP/2 can let more of the request be sent. False when
 * the answer is not whole. */
static bool exchange(struct load *load, struct load_connection *c)
{
    bool has_sent, whole;
    size_t len;

    do {
        has_sent = send_some(load, c);
        whole = (has_sent || load->http2) && receive_some(load, c);
    } while (!whole && has_sent && next_part(load, c, &len));
    return whole;
}

static void drive(struct load *load, struct load_connection *c)
{
    while (c->busy || begin(load, c)) {
        if (!exchange(load, c))
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
