/* An echo server on libmicrohttpd alone, to compare with: one thread with
 * external epoll. It receives a POST body into a buffer of the connection and
 * sends it back.
 *
 * Usage: bench_echo_mhd [MEMORY]
 *   MEMORY  libmicrohttpd's bytes for a connection, default 32768 as flipd's
 * Logs "listening on 127.0.0.1:PORT" and serves until it is killed. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { BACKLOG = 1024, DEFAULT_MEMORY = 32 << 10 };

struct kept {   /* a connection keeps it for its next request */
    char *body; /* owned */
    size_t capacity, len;
    bool open; /* the headers of a request are in */
};

static bool make_room(struct kept *kept, size_t size)
{
    char *body;

    if (size <= kept->capacity)
        return true;
    body = realloc(kept->body, size);
    if (!body)
        return false;
    kept->body = body;
    kept->capacity = size;
    return true;
}

static enum MHD_Result start(struct kept *kept, struct MHD_Connection *mhd)
{
    const char *length = MHD_lookup_connection_value(
        mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

    kept->open = true;
    kept->len = 0;
    return make_room(kept, length ? strtoul(length, NULL, 10) : 0) ? MHD_YES
                                                                   : MHD_NO;
}

static enum MHD_Result reply(struct kept *kept, struct MHD_Connection *mhd)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer_static(kept->len, kept->body);
    enum MHD_Result result = MHD_queue_response(mhd, MHD_HTTP_OK, response);

    MHD_destroy_response(response);
    kept->open = false;
    return result;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *mhd,
                                  const char *url, const char *method,
                                  const char *version, const char *data,
                                  size_t *len, void **request_context)
{
    struct kept *kept =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
            ->socket_context;

    (void)context;
    (void)url;
    (void)method;
    (void)version;
    *request_context = kept;
    if (!kept->open)
        return start(kept, mhd);
    if (*len == 0)
        return reply(kept, mhd);
    if (!make_room(kept, kept->len + *len))
        return MHD_NO;
    memcpy(kept->body + kept->len, data, *len);
    kept->len += *len;
    *len = 0;
    return MHD_YES;
}

static void on_connection(void *context, struct MHD_Connection *mhd,
                          void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct kept *kept = *socket_context;

    (void)context;
    (void)mhd;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = calloc(1, sizeof(struct kept));
    } else if (kept) {
        free(kept->body);
        free(kept);
    }
}

static struct MHD_Daemon *start_daemon(size_t memory)
{
    static struct sockaddr_in address = {.sin_family = AF_INET};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_THREAD_SAFETY | MHD_USE_ERROR_LOG, 0, NULL,
        NULL, on_request, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, (unsigned int)BACKLOG,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL, MHD_OPTION_END);
}

int main(int argc, char **argv)
{
    size_t memory = argc > 1 ? strtoul(argv[1], NULL, 10) : DEFAULT_MEMORY;
    struct MHD_Daemon *daemon = start_daemon(memory);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};

    if (!daemon || epoll < 0)
        return 1;
    epoll_ctl(epoll, EPOLL_CTL_ADD,
              MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
              &event);
    fprintf(stderr, "listening on 127.0.0.1:%d\n",
            MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    for (;;) {
        epoll_wait(epoll, &event, 1, MHD_get_timeout_i(daemon));
        MHD_run(daemon);
    }
}
