/* A load that is the same for every server: each connection sends one request,
 * reads the answer, and sends it again. One thread, non-blocking.
 *
 * Usage: bench_load [--echo] [--rate N] PORT FILE CONNECTIONS SECONDS
 *   FILE    the whole request, with its headers
 *   --echo  the server gives back what it is sent, and first of all is told
 *           the request's length in 8 bytes, little-endian
 *   --rate  requests a second, spread evenly over the connections; latency is
 *           then counted from when a request was due. Without it the next one
 *           leaves as soon as the answer is there.
 *
 * Prints one line of JSON. Counted are the answers between the first and the
 * last of the measured time, which begins once every connection has had one.
 * Exits with 1 when an answer was none, or not as long as the first. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/load_answer.h"
#include "tests/bench/load_times.h"

enum { SCRATCH = 256 << 10, LEAST_ANSWERS = 8, STALL_MS = 30000 };

struct connection {
    int fd;
    bool busy;       /* a request is under way */
    size_t sent;     /* bytes of it */
    uint64_t due_ns; /* when it was to leave */
    struct load_answer answer;
};

struct load {
    int port;
    bool echo;
    double rate; /* a second; 0 = as fast as answers come */
    char *request;
    size_t request_len;
    size_t answer_bytes; /* of the first answer's body */
    int connection_count;
    struct connection *connections;
    int epoll;
    char *scratch;
    int answered; /* connections that have had an answer */
    uint64_t asked;
    uint64_t begin_ns, measure_ns, first_ns, last_ns, end_ns;
    struct load_times times;
};

__attribute__((noreturn)) static void die(const char *what)
{
    fprintf(stderr, "bench_load: %s: %s\n", what, strerror(errno));
    exit(1);
}

__attribute__((noreturn)) static void refuse(const struct connection *c)
{
    fprintf(stderr, "bench_load: not the answer that was expected: %.300s\n",
            c->answer.head_len ? c->answer.head : "(no head)");
    exit(1);
}

static void read_request(struct load *load, const char *path)
{
    struct stat st;
    FILE *file = fopen(path, "rb");

    if (!file || fstat(fileno(file), &st) != 0)
        die(path);
    load->request_len = (size_t)st.st_size;
    load->request = malloc(load->request_len + 1);
    if (!load->request ||
        fread(load->request, 1, load->request_len, file) != load->request_len)
        die(path);
    fclose(file);
}

static void join(struct load *load, struct connection *c)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)load->port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET,
                                .data = {.ptr = c}};
    uint64_t len = htole64(load->request_len);
    int on = 1;

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 ||
        connect(c->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (load->echo && write(c->fd, &len, sizeof(len)) != sizeof(len))
        die("write");
    if (fcntl(c->fd, F_SETFL, O_NONBLOCK) != 0 ||
        epoll_ctl(load->epoll, EPOLL_CTL_ADD, c->fd, &event) != 0)
        die("epoll_ctl");
}

/* Starts the next request if it is due. */
static bool begin(struct load *load, struct connection *c)
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
    load_answer_start(&c->answer, load->echo ? load->request_len : 0);
    return true;
}

static void count(struct load *load, struct connection *c)
{
    uint64_t now = load_times_now_ns();

    c->busy = false;
    if (load->answer_bytes == 0)
        load->answer_bytes = c->answer.body_bytes;
    if (c->answer.body_bytes != load->answer_bytes)
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
static bool send_some(struct load *load, struct connection *c)
{
    while (c->sent < load->request_len) {
        ssize_t n = send(c->fd, load->request + c->sent,
                         load->request_len - c->sent, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN)
            return false;
        if (n < 0)
            die("send");
        c->sent += (size_t)n;
    }
    return true;
}

/* False when there is nothing more for now. */
static bool receive_some(struct load *load, struct connection *c)
{
    while (c->answer.state != LOAD_ANSWER_WHOLE) {
        ssize_t n = recv(c->fd, load->scratch, SCRATCH, 0);

        if (n < 0 && errno == EAGAIN)
            return false;
        if (n <= 0)
            die("recv");
        if (!load_answer_take(&c->answer, load->scratch, (size_t)n))
            refuse(c);
        if (n < SCRATCH && c->answer.state != LOAD_ANSWER_WHOLE)
            return false; /* more will be told */
    }
    return true;
}

static void drive(struct load *load, struct connection *c)
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
        die("epoll_pwait2");
    if (n == 0 && load->rate <= 0) {
        fprintf(stderr, "bench_load: no answer within %d ms\n", STALL_MS);
        exit(1);
    }
    for (int i = 0; i < n; i++)
        if (((struct connection *)events[i].data.ptr)->busy)
            drive(load, events[i].data.ptr);
    if (load->rate > 0)
        drive_idle(load);
}

static void run(struct load *load)
{
    load->begin_ns = load_times_now_ns();
    drive_idle(load);
    while (load_times_now_ns() < load->end_ns ||
           load->times.count < LEAST_ANSWERS)
        wait_events(load);
}

static void print(const struct load *load)
{
    double seconds = (double)(load->last_ns - load->first_ns) / 1e9;
    double count = (double)load->times.count;

    printf("{\"answers\": %.0f, \"all_answers\": %llu, \"seconds\": %.6f, "
           "\"rate\": %.3f, "
           "\"request_bytes\": %zu, \"answer_bytes\": %zu, "
           "\"p50_us\": %.2f, \"p90_us\": %.2f, \"p99_us\": %.2f}\n",
           count, (unsigned long long)load->asked, seconds, count / seconds,
           load->request_len, load->answer_bytes,
           load_times_us(&load->times, 0.5), load_times_us(&load->times, 0.9),
           load_times_us(&load->times, 0.99));
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_load [--echo] [--rate N] PORT FILE "
                    "CONNECTIONS SECONDS\n");
    return 2;
}

static bool read_options(struct load *load, int argc, char **argv)
{
    static const struct option known[] = {
        {"echo", no_argument, NULL, 'e'},
        {"rate", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0}};

    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == 'e')
            load->echo = true;
        else if (c == 'r')
            load->rate = strtod(optarg, NULL);
        else
            return false;
    }
    return argc - optind == 4;
}

int main(int argc, char **argv)
{
    static struct load load;
    double seconds;

    if (!read_options(&load, argc, argv))
        return usage();
    load.port = atoi(argv[optind]);
    read_request(&load, argv[optind + 1]);
    load.connection_count = atoi(argv[optind + 2]);
    seconds = strtod(argv[optind + 3], NULL);
    load.connections =
        calloc((size_t)load.connection_count, sizeof(*load.connections));
    load.scratch = malloc(SCRATCH);
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (load.connection_count < 1 || !load.connections || !load.scratch ||
        load.epoll < 0)
        return usage();
    for (int i = 0; i < load.connection_count; i++)
        join(&load, &load.connections[i]);
    /* A tenth of the time warms up. */
    load.measure_ns = load_times_now_ns() + (uint64_t)(seconds * 1e8);
    load.end_ns = load.measure_ns + (uint64_t)(seconds * 1e9);
    run(&load);
    print(&load);
    return 0;
}
