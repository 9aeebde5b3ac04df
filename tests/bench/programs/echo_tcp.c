/* What a socket alone costs: one thread, non-blocking, that receives a message
 * into a kept buffer, whole, and sends it back. Nothing is parsed; the message
 * length comes first, once a connection, in 8 bytes, little-endian.
 *
 * Usage: bench_echo_tcp    logs "listening on 127.0.0.1:PORT" and serves until
 * it is killed. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, EVENTS = 64 };

struct connection {
    int fd;
    uint64_t len; /* of a message; 0 until it is known */
    uint64_t received, sent;
    char *message; /* owned */
};

static int listen_loopback(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        listen(fd, BACKLOG) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return -1;
    fprintf(stderr, "listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    return fd;
}

static void watch(int epoll, int fd, uint32_t events, void *data)
{
    struct epoll_event event = {.events = events, .data = {.ptr = data}};

    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void accept_all(int epoll, int listener)
{
    int on = 1;
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        struct connection *c = calloc(1, sizeof(*c));

        if (!c) {
            close(fd);
            return;
        }
        c->fd = fd;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        watch(epoll, fd, EPOLLIN | EPOLLOUT | EPOLLET, c);
    }
}

static bool read_length(struct connection *c)
{
    if (recv(c->fd, &c->len, sizeof(c->len), 0) != sizeof(c->len))
        return false;
    c->len = le64toh(c->len);
    c->message = malloc(c->len);
    return c->message != NULL;
}

/* True when the message is whole; else errno tells why not. */
static bool receive(struct connection *c)
{
    while (c->received < c->len) {
        ssize_t n =
            recv(c->fd, c->message + c->received, c->len - c->received, 0);

        if (n == 0)
            errno = ECONNRESET;
        if (n <= 0)
            return false;
        c->received += (uint64_t)n;
    }
    return true;
}

static bool send_back(struct connection *c)
{
    while (c->sent < c->len) {
        ssize_t n =
            send(c->fd, c->message + c->sent, c->len - c->sent, MSG_NOSIGNAL);

        if (n < 0)
            return false;
        c->sent += (uint64_t)n;
    }
    return true;
}

static void drive(struct connection *c)
{
    errno = 0;
    if (c->len > 0 || read_length(c)) {
        while (receive(c) && send_back(c))
            c->received = c->sent = 0;
    }
    if (errno == EAGAIN)
        return;
    close(c->fd);
    free(c->message);
    free(c);
}

int main(void)
{
    struct epoll_event events[EVENTS];
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int listener = listen_loopback();

    if (epoll < 0 || listener < 0)
        return 1;
    watch(epoll, listener, EPOLLIN, NULL);
    for (;;) {
        int n = epoll_wait(epoll, events, EVENTS, -1);

        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr)
                drive(events[i].data.ptr);
            else
                accept_all(epoll, listener);
        }
    }
}
