/* What server/mhd assumes of libmicrohttpd beyond its manual, for a daemon with
 * MHD_USE_EPOLL and no thread of its own. libmicrohttpd is alone here, its
 * system calls renamed to the functions of this program: a version that breaks
 * an assumption fails by its name. A turn is a call of MHD_run(). */
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/mhd/io_adapter.h"
#include "tests/unit.h"

enum { MEMORY = 32 << 10, LARGE = 4 << 20, MOST = 8 };

/* The result of a call; REAL: the system's. */
enum result { REAL, FULL, SHORT, INTERRUPTED, EMPTY };

struct calls {
    enum result plan[MOST]; /* of the next calls; then REAL */
    int planned;
    int count;
    size_t asked[MOST + 1]; /* bytes of the last calls, the newest first */
    const void *data;       /* of the last call */
    size_t parts;           /* the same */
};

struct client { /* one connection */
    int near, far;
    struct calls recv;
};

static struct calls send_calls, sendmsg_calls;
static int shutdown_count;
static struct client clients[2];
static struct MHD_Daemon *mhd;
static struct MHD_Connection *connection; /* the last that was reported */
static struct MHD_Response *answer;
static int end_count;
static size_t body_bytes;
static const unsigned char *memory; /* of the last connection */
static const void *awaited;         /* by io_adapter_free(), which counts it */
static int freed_count;
static bool suspends, waits_report_nothing;

static void plan(struct calls *calls, enum result result)
{
    calls->plan[calls->planned++] = result;
}

static enum result next(struct calls *calls, const void *data, size_t size)
{
    enum result result = calls->planned > 0 ? calls->plan[0] : REAL;

    if (calls->planned > 0) {
        calls->planned--;
        memmove(calls->plan, calls->plan + 1, sizeof(calls->plan[0]) * 7);
    }
    memmove(calls->asked + 1, calls->asked, sizeof(calls->asked[0]) * MOST);
    calls->asked[0] = size;
    calls->data = data;
    calls->count++;
    return result;
}

/* The result of a planned call that is asked for `size` bytes. */
static ssize_t fake(enum result result, size_t size)
{
    if (result == FULL)
        return (ssize_t)size;
    if (result == SHORT)
        return 100;
    errno = result == INTERRUPTED ? EINTR : EAGAIN;
    return -1;
}

ssize_t io_adapter_recv(int fd, void *data, size_t size, int flags)
{
    struct client *client = fd == clients[0].near ? &clients[0] : &clients[1];
    enum result result = next(&client->recv, data, size);

    return result == REAL ? recv(fd, data, size, flags) : fake(result, size);
}

ssize_t io_adapter_send(int fd, const void *data, size_t size, int flags)
{
    enum result result = next(&send_calls, data, size);

    return result == REAL ? send(fd, data, size, flags) : fake(result, size);
}

ssize_t io_adapter_sendmsg(int fd, const struct msghdr *message, int flags)
{
    size_t size = 0;
    enum result result;

    for (size_t i = 0; i < message->msg_iovlen; i++)
        size += message->msg_iov[i].iov_len;
    result = next(&sendmsg_calls, message->msg_iov[0].iov_base, size);
    sendmsg_calls.parts = message->msg_iovlen;
    return result == REAL ? sendmsg(fd, message, flags) : fake(result, size);
}

int io_adapter_shutdown(int fd, int how)
{
    shutdown_count++;
    return shutdown(fd, how);
}

int io_adapter_epoll_wait(int fd, struct epoll_event *events, int most,
                          int wait_ms)
{
    return waits_report_nothing ? 0 : epoll_wait(fd, events, most, wait_ms);
}

void *io_adapter_malloc(size_t size)
{
    void *made = malloc(size);

    if (size == MEMORY)
        memory = made;
    return made;
}

void io_adapter_free(void *freed)
{
    freed_count += freed && freed == awaited;
    free(freed);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *of,
                                  const char *url, const char *method,
                                  const char *version, const char *data,
                                  size_t *len, void **request)
{
    static int begun;

    if (!*request) {
        *request = &begun;
        return MHD_YES;
    }
    if (*len > 0) {
        body_bytes += *len;
        *len = 0;
        return MHD_YES;
    }
    end_count++;
    if (suspends) {
        suspends = false;
        MHD_suspend_connection(of);
        return MHD_YES;
    }
    return MHD_queue_response(of, 200, answer);
}

static void on_connection(void *context, struct MHD_Connection *of,
                          void **socket_context,
                          enum MHD_ConnectionNotificationCode event)
{
    connection = event == MHD_CONNECTION_NOTIFY_STARTED ? of : NULL;
}

static void adopt(struct client *client)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    *client = (struct client){.near = pair[0], .far = pair[1]};
    ck_assert_int_eq(MHD_add_connection(mhd, client->near, NULL, 0), MHD_YES);
}

static void set_up(void)
{
    static char text[] = "answer";

    answer = MHD_create_response_from_buffer_static(sizeof(text) - 1, text);
    mhd = MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
            MHD_USE_NO_THREAD_SAFETY,
        0, NULL, NULL, on_request, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)MEMORY, MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL,
        MHD_OPTION_END);
    ck_assert_ptr_nonnull(mhd);
    adopt(&clients[0]);
}

static void turn(int count)
{
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(MHD_run(mhd), MHD_YES);
}

static void ask(const struct client *client, const char *text)
{
    ck_assert_int_eq(send(client->far, text, strlen(text), MSG_NOSIGNAL),
                     (ssize_t)strlen(text));
}

/* Has received the head of a request with a large body, and no more. */
static struct calls *begin_body(struct client *client)
{
    ask(client,
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n");
    turn(3);
    client->recv.count = 0;
    return &client->recv;
}

static void get(int turns)
{
    ask(&clients[0], "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    turn(turns);
}

static void answer_with(struct MHD_Response *response)
{
    MHD_destroy_response(answer);
    answer = response;
}

static uint64_t timeout_ms(void)
{
    uint64_t ms;

    return MHD_get_timeout64(mhd, &ms) == MHD_YES ? ms : UINT64_MAX;
}

/* TLS and sliced_send return EINTR to be called again at once: the connection
 * stays ready, and the next turn makes the same call. The loop sleeps only when
 * MHD_get_timeout64() is not 0. */
UNIT_TEST(recv_after_eintr_is_called_in_the_next_turn)
{
    struct calls *recv = begin_body(&clients[0]);

    ck_assert_uint_ne(timeout_ms(), 0);
    ask(&clients[0], "0123456789");
    plan(recv, INTERRUPTED);
    plan(recv, INTERRUPTED);
    turn(1);
    ck_assert_int_eq(recv->count, 1);
    ck_assert_uint_eq(timeout_ms(), 0);
    turn(1);
    ck_assert_int_eq(recv->count, 2);
    turn(1);
    ck_assert_int_eq(recv->count, 3);
    ck_assert_uint_ne(timeout_ms(), 0);
    ck_assert_uint_eq(body_bytes, 10);
}

/* EAGAIN, or a count below the one that was asked for, means that the
 * socket is empty or full: no call before epoll reports the socket. */
LOOP_TEST(recv_after_eagain_or_a_short_count_waits_for_the_socket, 2)
{
    struct calls *recv = begin_body(&clients[0]);

    ask(&clients[0], "0123456789");
    plan(recv, _i ? SHORT : EMPTY);
    turn(5);
    ck_assert_int_eq(recv->count, 1);
    ask(&clients[0], "0");
    turn(5);
    ck_assert_int_eq(recv->count, 2);
    ck_assert_uint_eq(body_bytes, _i ? 111 : 11);
}

/* body_receive reports bytes that it holds in full counts: the connection
 * stays ready, though the socket is empty, and also when an epoll_wait()
 * reports nothing. */
LOOP_TEST(recv_after_a_full_count_is_called_in_the_next_turn, 2)
{
    struct calls *recv = begin_body(&clients[0]);

    ask(&clients[0], "0");
    for (int i = 1; i <= 5; i++) {
        plan(recv, FULL);
        turn(1);
        ck_assert_int_eq(recv->count, i);
        ck_assert_uint_gt(recv->asked[0], 0);
        ck_assert_uint_eq(timeout_ms(), 0);
        waits_report_nothing = _i > 0;
    }
}

/* Each ready connection has one call of recv() in a turn, so others are
 * served between the calls of one. */
UNIT_TEST(ready_connections_take_turns)
{
    struct calls *first, *second;

    adopt(&clients[1]);
    first = begin_body(&clients[0]);
    second = begin_body(&clients[1]);
    ask(&clients[0], "0");
    ask(&clients[1], "0");
    for (int i = 1; i <= 5; i++) {
        plan(first, FULL);
        plan(second, FULL);
        turn(1);
        ck_assert_int_eq(first->count, i);
        ck_assert_int_eq(second->count, i);
    }
}

/* As many bytes of a body are handed on as recv() counted, whatever they
 * are, and bytes after its end are the next request's. */
UNIT_TEST(a_body_is_handed_on_as_counted)
{
    static const char rest[MEMORY];
    struct calls *recv = begin_body(&clients[0]);
    size_t counted = 0;

    ask(&clients[0], "0");
    while (LARGE - counted > MEMORY) {
        plan(recv, FULL);
        turn(1);
        counted += recv->asked[0];
        ck_assert_uint_eq(body_bytes, counted);
    }
    ck_assert_int_eq(end_count, 0);
    /* One byte of it is in the socket. */
    ck_assert_int_eq(send(clients[0].far, rest, LARGE - counted - 1, 0),
                     (ssize_t)(LARGE - counted - 1));
    get(10);
    ck_assert_uint_eq(body_bytes, LARGE);
    ck_assert_int_eq(end_count, 2); /* of both requests */
}

UNIT_TEST(send_after_eintr_is_called_with_the_same_bytes)
{
    const void *data;
    size_t size;

    plan(&sendmsg_calls, INTERRUPTED);
    plan(&sendmsg_calls, INTERRUPTED);
    get(1);
    ck_assert_int_ge(sendmsg_calls.count, 1);
    size = sendmsg_calls.asked[0];
    data = sendmsg_calls.data;
    ck_assert_uint_eq(timeout_ms(), 0);
    turn(3);
    ck_assert_int_eq(sendmsg_calls.count, 3);
    ck_assert_uint_eq(sendmsg_calls.asked[0], size);
    ck_assert_uint_eq(sendmsg_calls.asked[1], size);
    ck_assert_ptr_eq(sendmsg_calls.data, data);
}

UNIT_TEST(send_after_eagain_waits_for_the_socket)
{
    int count;

    plan(&sendmsg_calls, EMPTY);
    plan(&sendmsg_calls, EMPTY); /* a new request's turn may try twice */
    get(1);
    count = sendmsg_calls.count;
    ck_assert_int_ge(count, 1);
    turn(5);
    ck_assert_int_eq(sendmsg_calls.count, count);
}

UNIT_TEST(send_after_a_short_count_goes_on_when_the_socket_has_room)
{
    static char large[LARGE], received[LARGE + 1000];
    size_t first, count;
    ssize_t n;

    answer_with(MHD_create_response_from_buffer_static(LARGE, large));
    get(5);
    ck_assert_int_eq(sendmsg_calls.count, 1); /* the system's count was short */
    first = sendmsg_calls.asked[0];
    n = recv(clients[0].far, received, sizeof(received), MSG_DONTWAIT);
    ck_assert_int_gt(n, 0);
    for (count = (size_t)n; count<first; count += n> 0 ? (size_t)n : 0) {
        turn(1);
        n = recv(clients[0].far, received, sizeof(received), MSG_DONTWAIT);
        ck_assert(n > 0 || errno == EAGAIN);
    }
    ck_assert_uint_eq(count, first);
    ck_assert_int_gt(sendmsg_calls.count + send_calls.count, 1);
}

/* A resumed connection has its access handler called again, and counts as
 * ready: recv() is called for bytes that the transport read ahead. */
UNIT_TEST(a_resumed_connection_is_called_and_ready)
{
    int received;

    suspends = true;
    get(3);
    ck_assert_int_eq(end_count, 1);
    received = clients[0].recv.count;
    MHD_resume_connection(connection);
    ck_assert_uint_eq(timeout_ms(), 0);
    turn(1);
    ck_assert_int_eq(end_count, 2);
    turn(3);
    ck_assert_int_eq(sendmsg_calls.count, 1);
    ck_assert_int_gt(clients[0].recv.count, received);
}

static void is_sent(int by_send, int by_sendmsg)
{
    turn(5);
    ck_assert_int_eq(send_calls.count, by_send);
    ck_assert_int_eq(sendmsg_calls.count, by_sendmsg);
}

/* Both calls end in io_adapter.c, which has no other one that sends. A list of
 * pieces is sent with at most one part more. */
UNIT_TEST(a_head_alone_is_sent_by_send_and_a_body_by_sendmsg)
{
    static const struct MHD_IoVec list[4] = {
        {"one", 3}, {"two", 3}, {"three", 5}, {"four", 4}};

    get(0);
    is_sent(0, 1);
    ck_assert_uint_eq(sendmsg_calls.parts, 2);
    answer_with(MHD_create_response_empty(MHD_RF_NONE));
    get(0);
    is_sent(1, 1);
    answer_with(MHD_create_response_from_iovec(list, 4, NULL, NULL));
    get(5);
    ck_assert_int_eq(sendmsg_calls.count, 2);
    ck_assert_uint_ge(sendmsg_calls.parts, 4);
    ck_assert_uint_le(sendmsg_calls.parts, 5);
}

/* io_stack replaces an error of libmicrohttpd's own by ours: it comes whole
 * in one call, its page in the second part. */
UNIT_TEST(an_own_error_is_sent_by_one_sendmsg)
{
    static const char page[] = "<html>";
    char reply[2000] = "";

    ask(&clients[0], "GET / HTTP/1.1\r\n\r\n"); /* no Host */
    is_sent(0, 1);
    ck_assert_uint_eq(sendmsg_calls.parts, 2);
    ck_assert_int_gt(recv(clients[0].far, reply, sizeof(reply) - 1, 0), 0);
    ck_assert_pstr_eq(strstr(reply, page), strstr(reply, "\r\n\r\n") + 4);
}

/* MHD_add_connection() allocates a connection's memory by one malloc() of
 * MHD_OPTION_CONNECTION_MEMORY_LIMIT bytes, and gives it back by free(). It
 * reports the connection before it returns. */
UNIT_TEST(the_memory_is_allocated_when_a_connection_is_added)
{
    awaited = memory;
    ck_assert_ptr_nonnull(awaited);
    memory = NULL;
    connection = NULL;
    adopt(&clients[1]);
    ck_assert_ptr_nonnull(connection);
    ck_assert_ptr_nonnull(memory);
    ck_assert_ptr_ne(memory, awaited);
    ck_assert_int_eq(freed_count, 0);
    close(clients[0].far);
    turn(3);
    ck_assert_int_eq(freed_count, 1);
}

/* Between two requests the memory holds zeros. */
UNIT_TEST(the_memory_holds_zeros_between_requests)
{
    for (int i = 1; i <= 3; i++) {
        get(5);
        ck_assert_int_eq(end_count, i);
        for (size_t at = 0; at < MEMORY; at++)
            if (memory[at] != 0)
                ck_abort_msg("byte %zu is not 0", at);
    }
}

/* A reply after which the connection is closed has "Connection: close" next
 * to its date: io_stack looks there only. TLS sends close_notify in the
 * shutdown behind it. */
UNIT_TEST(the_last_reply_says_so_in_its_third_line)
{
    static const char *const asked[] = {
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n"};
    static const char close_line[] = "\nConnection: close\r\n";
    char reply[1000] = "";
    const char *second;

    for (int i = 0; i < 2; i++) {
        adopt(&clients[1]);
        ask(&clients[1], asked[i]);
        is_sent(0, i + 1);
        ck_assert_int_gt(shutdown_count, i);
        ck_assert_int_gt(recv(clients[1].far, reply, sizeof(reply) - 1, 0), 0);
        second = strchr(reply, '\n') + 1;
        ck_assert_ptr_eq(strstr(reply, close_line), strchr(second, '\n'));
    }
}

FIXTURE(set_up, NULL)
