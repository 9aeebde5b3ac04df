/* Sends one request at a constant rate, whether or not answers come (an open
 * loop), and prints what came of it: answers 200 and 503 with their latencies,
 * from the time when a request was due, not when it could leave.
 *
 * Usage: open_loop [ADDRESS:]PORT FILE RATE SECONDS CONNECTIONS [ANSWER]
 *   ADDRESS      IPv4, default 127.0.0.1
 *   FILE         the request, as it is sent
 *   RATE         requests a second; 0: each connection sends the next request
 *                when it has the answer (a closed loop)
 *   CONNECTIONS  most that are open at once; requests wait for a free one
 *   ANSWER       the body of the right answer; another one has failed
 *
 * At the end it waits for answers for PATIENCE_S; a request without one by then
 * is unanswered. Rates are of the answers that came before the end. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    HEAD = 4096,
    SCRATCH = 1 << 18,
    SAMPLES = 1 << 24,
    EVENTS = 256,
    PATIENCE_S = 15
};

struct connection {
    int fd;    /* -1: closed */
    bool busy; /* a request is under way */
    bool wants_out;
    size_t sent;
    uint64_t due_ns;
    char head[HEAD];
    size_t head_len; /* bytes in it; the whole head has come if status > 0 */
    int status;      /* 0: the head has not come */
    size_t left;     /* bytes of the body to come */
    size_t come;     /* bytes of the body before them */
    bool wrong;      /* the body is not the right one */
    bool close;      /* the answer says so */
};

struct samples {
    uint32_t *us; /* owned */
    size_t count;
    size_t in_time; /* of them, before the end */
};

struct load {
    struct sockaddr_in to;
    char *request; /* owned */
    size_t request_len;
    char *answer; /* owned; NULL: any */
    size_t answer_len;
    double rate;
    int count;
    struct connection *connections; /* owned */
    int *free_list, free_count;     /* owned */
    int epoll;
    char scratch[SCRATCH];
    struct samples good, refused;
    size_t failed, issued;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static void add(struct samples *samples, uint64_t ns)
{
    if (samples->count < SAMPLES)
        samples->us[samples->count++] = (uint32_t)(ns / 1000);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static double percentile_ms(const struct samples *samples, double part)
{
    size_t i = (size_t)(part * (double)samples->count);

    if (samples->count == 0)
        return 0;
    return samples->us[i < samples->count ? i : samples->count - 1] / 1e3;
}

static bool open_connection(struct load *load, struct connection *c)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    int on = 1;

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0)
        die("socket");
    if (connect(c->fd, (struct sockaddr *)&load->to, sizeof(load->to)) != 0 &&
        errno != EINPROGRESS) {
        close(c->fd);
        c->fd = -1;
        return false;
    }
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    c->wants_out = false;
    epoll_ctl(load->epoll, EPOLL_CTL_ADD, c->fd, &event);
    return true;
}

static void close_connection(struct connection *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

/* The request has ended: with its answer, or without one. */
static void end(struct load *load, struct connection *c)
{
    uint64_t took_ns = now_ns() - c->due_ns;

    if (c->status == 200 && !c->wrong)
        add(&load->good, took_ns);
    else if (c->status == 503)
        add(&load->refused, took_ns);
    else
        load->failed++;
    if (c->status == 0 || c->close || c->sent < load->request_len)
        close_connection(c);
    c->busy = false;
    load->free_list[load->free_count++] = (int)(c - load->connections);
}

static void send_more(struct load *load, struct connection *c)
{
    struct epoll_event event = {.data.ptr = c};
    ssize_t n = 0;

    while (c->sent < load->request_len &&
           (n = send(c->fd, load->request + c->sent,
                     load->request_len - c->sent, MSG_NOSIGNAL)) > 0)
        c->sent += (size_t)n;
    /* After an error the answer may still be there to be read. */
    event.events = EPOLLIN;
    if (c->sent < load->request_len && n < 0 && errno == EAGAIN)
        event.events |= EPOLLOUT;
    if (c->wants_out != ((event.events & EPOLLOUT) != 0)) {
        c->wants_out = !c->wants_out;
        epoll_ctl(load->epoll, EPOLL_CTL_MOD, c->fd, &event);
    }
}

/* Takes the next bytes of the body. */
static void take(struct load *load, struct connection *c, const char *bytes,
                 size_t size)
{
    c->left -= size;
    if (!load->answer)
        return;
    c->wrong |= c->come + size + c->left != load->answer_len ||
                memcmp(load->answer + c->come, bytes, size) != 0;
    c->come += size;
}

static void read_head(struct load *load, struct connection *c)
{
    const char *end_of_head, *length;

    c->head[c->head_len] = 0;
    end_of_head = strstr(c->head, "\r\n\r\n");
    if (!end_of_head)
        return;
    c->status = atoi(c->head + 9);
    length = strcasestr(c->head, "\r\nContent-Length: ");
    c->left = length ? strtoul(length + 18, NULL, 10) : 0;
    take(load, c, end_of_head + 4,
         c->head_len - (size_t)(end_of_head + 4 - c->head));
    c->close = strcasestr(c->head, "\r\nConnection: close") != NULL;
}

/* False when the connection has ended. */
static bool receive(struct load *load, struct connection *c)
{
    size_t space = c->status ? SCRATCH : HEAD - 1 - c->head_len;
    char *to = c->status ? load->scratch : c->head + c->head_len;
    ssize_t n = recv(c->fd, to, space, 0);

    if (n <= 0)
        return n < 0 && errno == EAGAIN;
    if (c->status) {
        take(load, c, to, (size_t)n);
    } else {
        c->head_len += (size_t)n;
        read_head(load, c);
    }
    return true;
}

static void handle(struct load *load, struct connection *c, uint32_t events)
{
    if (!c->busy) { /* closed by the server between two requests */
        close_connection(c);
        return;
    }
    if (events & EPOLLOUT)
        send_more(load, c);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    if (!receive(load, c)) {
        c->status = 0;
        end(load, c);
    } else if (c->status && c->left == 0) {
        end(load, c);
    }
}

/* Sends a request that was due then; a connection is free. */
static void issue(struct load *load, uint64_t due_ns)
{
    struct connection *c =
        &load->connections[load->free_list[--load->free_count]];

    c->busy = true;
    c->due_ns = due_ns;
    c->sent = c->head_len = c->left = c->come = 0;
    c->status = 0;
    c->close = c->wrong = false;
    load->issued++;
    if (c->fd < 0 && !open_connection(load, c)) {
        end(load, c);
        return;
    }
    send_more(load, c);
}

static void issue_due(struct load *load, uint64_t start_ns, uint64_t now)
{
    if (load->rate == 0) {
        while (load->free_count > 0)
            issue(load, now_ns());
        return;
    }
    while (load->free_count > 0) {
        uint64_t due_ns =
            start_ns + (uint64_t)((double)load->issued * 1e9 / load->rate);

        if (due_ns > now)
            return;
        issue(load, due_ns);
    }
}

static void wait_and_handle(struct load *load, int ms)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(load->epoll, events, EVENTS, ms);

    for (int i = 0; i < n; i++)
        handle(load, events[i].data.ptr, events[i].events);
}

static void run(struct load *load, double seconds)
{
    uint64_t start_ns = now_ns(), now = start_ns;
    uint64_t end_ns = start_ns + (uint64_t)(seconds * 1e9);

    while (now < end_ns) {
        issue_due(load, start_ns, now);
        wait_and_handle(load, load->rate > 0 ? 1 : 100);
        now = now_ns();
    }
    load->good.in_time = load->good.count;
    load->refused.in_time = load->refused.count;
    end_ns += PATIENCE_S * 1000000000ull;
    while (load->free_count < load->count && now_ns() < end_ns)
        wait_and_handle(load, 100);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes;
    long len = 0;

    if (!file || fseek(file, 0, SEEK_END) != 0 || (len = ftell(file)) <= 0)
        die(path);
    rewind(file);
    *size = (size_t)len;
    bytes = malloc(*size);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        die(path);
    fclose(file);
    return bytes;
}

static void print(struct load *load, double seconds)
{
    size_t unsent = 0;
    double due = load->rate * seconds;

    if (due > (double)load->issued)
        unsent = (size_t)due - load->issued;
    qsort(load->good.us, load->good.count, sizeof(uint32_t), compare);
    qsort(load->refused.us, load->refused.count, sizeof(uint32_t), compare);
    printf("good %.1f refused %.1f failed %zu unsent %zu unanswered %d "
           "answered %zu refused_all %zu good_p50 %.2f good_p99 %.2f good_max "
           "%.2f "
           "refused_p50 %.2f refused_p99 %.2f\n",
           (double)load->good.in_time / seconds,
           (double)load->refused.in_time / seconds, load->failed, unsent,
           load->count - load->free_count, load->good.count,
           load->refused.count, percentile_ms(&load->good, 0.5),
           percentile_ms(&load->good, 0.99), percentile_ms(&load->good, 1),
           percentile_ms(&load->refused, 0.5),
           percentile_ms(&load->refused, 0.99));
}

/* "PORT" of this machine, or "ADDRESS:PORT". */
static void read_address(struct load *load, char *text)
{
    char *colon = strchr(text, ':');

    load->to.sin_family = AF_INET;
    load->to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (colon) {
        *colon = 0;
        if (inet_pton(AF_INET, text, &load->to.sin_addr) != 1)
            die(text);
    }
    load->to.sin_port = htons((uint16_t)atoi(colon ? colon + 1 : text));
}

int main(int argc, char **argv)
{
    struct load *load = calloc(1, sizeof(*load));
    double seconds;

    if (argc < 6 || argc > 7 || !load) {
        fputs("usage: open_loop [ADDRESS:]PORT FILE RATE SECONDS CONNECTIONS "
              "[ANSWER]\n",
              stderr);
        return 2;
    }
    read_address(load, argv[1]);
    load->request = read_file(argv[2], &load->request_len);
    if (argc == 7)
        load->answer = read_file(argv[6], &load->answer_len);
    load->rate = atof(argv[3]);
    seconds = atof(argv[4]);
    load->count = atoi(argv[5]);
    load->connections =
        calloc((size_t)load->count, sizeof(load->connections[0]));
    load->free_list = calloc((size_t)load->count, sizeof(int));
    load->good.us = malloc(SAMPLES * sizeof(uint32_t));
    load->refused.us = malloc(SAMPLES * sizeof(uint32_t));
    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < load->count; i++) {
        load->connections[i].fd = -1;
        load->free_list[load->free_count++] = i;
    }
    run(load, seconds);
    print(load, seconds);
    return 0;
}
