/* A load that is the same for every server: each connection sends one request,
 * reads the answer, and sends it again. One thread, non-blocking.
 *
 * Usage: bench_load [--echo|--http2] [--rate N] PORT FILE CONNECTIONS SECONDS
 *   FILE    the whole request, with its headers; of HTTP/2 the frames of its
 *           stream, whose number is filled in
 *   --echo  the server gives back what it is sent, and first of all is told
 *           the request's length in 8 bytes, little-endian
 *   --rate  requests a second, spread evenly over the connections; latency is
 *           then counted from when a request was due. Without it the next one
 *           leaves as soon as the answer is there.
 *
 * Prints one line of JSON. Counted are the answers between the first and the
 * last of the measured time, which begins once every connection has had one.
 * Exits with 1 when an answer was none, or not as long as the first. The
 * statuses of HTTP/2 are not read: an answer without data is a refusal. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/programs/load.h"

static void read_request(struct load *load, const char *path)
{
    struct stat st;
    FILE *file = fopen(path, "rb");

    if (!file || fstat(fileno(file), &st) != 0)
        load_die(path);
    load->request_len = (size_t)st.st_size;
    load->request = malloc(load->request_len + 1);
    if (!load->request ||
        fread(load->request, 1, load->request_len, file) != load->request_len)
        load_die(path);
    fclose(file);
}

static void join(struct load *load, struct load_connection *c)
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
        load_die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (load->http2 &&
        !load_http2_init(&c->h2, load->request, load->request_len))
        load_die("not the frames of a request");
    if (load->echo && write(c->fd, &len, sizeof(len)) != sizeof(len))
        load_die("write");
    if (fcntl(c->fd, F_SETFL, O_NONBLOCK) != 0 ||
        epoll_ctl(load->epoll, EPOLL_CTL_ADD, c->fd, &event) != 0)
        load_die("epoll_ctl");
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
    fprintf(stderr, "usage: bench_load [--echo|--http2] [--rate N] PORT FILE "
                    "CONNECTIONS SECONDS\n");
    return 2;
}

static bool read_options(struct load *load, int argc, char **argv)
{
    static const struct option known[] = {
        {"echo", no_argument, NULL, 'e'},
        {"http2", no_argument, NULL, '2'},
        {"rate", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0}};

    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == 'e')
            load->echo = true;
        else if (c == '2')
            load->http2 = true;
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
    load.scratch = malloc(LOAD_SCRATCH);
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (load.connection_count < 1 || !load.connections || !load.scratch ||
        load.epoll < 0)
        return usage();
    for (int i = 0; i < load.connection_count; i++)
        join(&load, &load.connections[i]);
    /* A tenth of the time warms up. */
    load.measure_ns = load_times_now_ns() + (uint64_t)(seconds * 1e8);
    load.end_ns = load.measure_ns + (uint64_t)(seconds * 1e9);
    load_run(&load);
    print(&load);
    return 0;
}
