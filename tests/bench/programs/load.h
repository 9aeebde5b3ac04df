/* A load of one request over several connections. One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bench/programs/load_http2.h"

enum {
    LOAD_SCRATCH = 256 << 10, /* bytes received at once */
    LOAD_ANSWER_HEAD = 4096,
    LOAD_TIMES_STEPS = 128, /* buckets from a power of two to the next */
    LOAD_TIMES_BUCKETS = 57 * LOAD_TIMES_STEPS,
};

/* Latencies: a histogram whose buckets are 1/128 of a power of two wide, so a
 * percentile is off by at most 0.8 %. */
struct load_times {
    uint64_t count;
    uint64_t buckets[LOAD_TIMES_BUCKETS];
};

/* An answer: HTTP/1.1 with a Content-Length or in chunks or, of an echo, as
 * many bytes as were sent. The body is counted and dropped. */
enum load_answer_state {
    LOAD_ANSWER_IN_HEAD,
    LOAD_ANSWER_IN_BODY,
    LOAD_ANSWER_IN_SIZE,  /* the line before a chunk */
    LOAD_ANSWER_IN_CHUNK, /* or in the line end behind it */
    LOAD_ANSWER_IN_END,   /* the empty line behind the last chunk */
    LOAD_ANSWER_WHOLE,
};

struct load_answer {
    enum load_answer_state state;
    size_t left;       /* bytes to come of the body or chunk */
    size_t body_bytes; /* so far or, of a body with a length, in all */
    size_t head_len;   /* 0 of an echo */
    char head[LOAD_ANSWER_HEAD];
};

struct load_connection {
    int fd;
    bool busy;       /* a request is under way */
    size_t sent;     /* bytes of it */
    uint64_t due_ns; /* when it was to leave */
    struct load_answer job;
    struct load_http2 h2; /* of load->http2 */
};

struct load {
    int port;
    bool echo, http2;
    double rate;   /* a second; 0 = as fast as answers come */
    char *request; /* owned, as the pointers below */
    size_t request_len;
    size_t answer_bytes; /* of the first answer's body */
    int connection_count;
    struct load_connection *connections;
    int epoll;
    char *scratch; /* LOAD_SCRATCH bytes */
    int answered;  /* connections that have had an answer */
    uint64_t asked;
    uint64_t begin_ns, measure_ns, first_ns, last_ns, end_ns;
    struct load_times times;
};

/* Starts an answer of HTTP, or with `echo_bytes` > 0 one of an echo. */
void load_answer_start(struct load_answer *job, size_t echo_bytes);

/* Takes what was received. False when it is no answer with status 200 whose end
 * can be told, or more than one; `answer->head` then tells what came. */
bool load_answer_take(struct load_answer *job, const char *data, size_t len);

/* Monotonic. */
uint64_t load_times_now_ns(void);

void load_times_add(struct load_times *times, uint64_t ns);

/* The latency that `share` (0 to 1) of all were below, in microseconds; 0 when
 * there were none. */
double load_times_us(const struct load_times *times, double share);

/* Ends the process, with errno's text. */
__attribute__((noreturn)) void load_die(const char *what);

/* Sends requests over the connections, which are joined, until the time is
 * over and there have been a few answers. Ends the process when an answer is
 * none, or there is none for long. */
void load_run(struct load *load);
