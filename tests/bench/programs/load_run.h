/* The requests of bench_load, on the way. One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bench/programs/load_answer.h"
#include "tests/bench/programs/load_times.h"

enum { LOAD_SCRATCH = 256 << 10 }; /* bytes received at once */

struct load_connection {
    int fd;
    bool busy;       /* a request is under way */
    size_t sent;     /* bytes of it */
    uint64_t due_ns; /* when it was to leave */
    struct load_answer job;
};

struct load {
    int port;
    bool echo;
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

/* Ends the process, with errno's text. */
__attribute__((noreturn)) void load_die(const char *what);

/* Sends requests over the connections, which are joined, until the time is
 * over and there have been a few answers. Ends the process when an answer is
 * none, or there is none for long. */
void load_run(struct load *load);
