#include "server/mhd/io_adapter.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"

static _Thread_local struct io_adapter *own; /* borrowed; of this thread */

/* As recv(); 1 when the handshake is done. */
static ssize_t shake_hands(struct io_stack *stack)
{
    ssize_t result = transport_handshake(&stack->transport,
                                         stack->send.shared->handshake_ns);

    if (result > 0)
        stack->handlers->established(stack->owner);
    return result;
}

void io_stack_report(struct io_stack *stack)
{
    stack->unreported = false;
    stack->completed_round = 0;
}

static void note_received(struct io_stack *stack)
{
    stack->handlers->received(stack->owner);
    stack->half_closed = false;
    stack->unreported = !stack->in_request;
    stack->incomplete = true;
    if (!stack->receive.drops &&
        stack->receive.received >= stack->request_from + SOCKET_BUFFERS_LARGE)
        socket_buffers_receive(&stack->transport.buffers, false);
}

/* As recv(): does the handshake first. */
static ssize_t stack_recv(struct io_stack *stack, void *data, size_t size)
{
    ssize_t result;

    stack->completed_round = 0;
    if (!stack->transport.established) {
        result = shake_hands(stack);
        if (result <= 0)
            return result;
    }
    result = body_receive_recv(&stack->receive, data, size);
    if (stack->receive.received_unreported > 0)
        stack->send.shared->has_unreported = true;
    if (result > 0)
        note_received(stack);
    else if (result == 0 || (errno != EAGAIN && errno != EINTR))
        stack->half_closed = true;
    return result;
}

/* True if the third line of a reply, behind status and date, announces the end
 * of the connection (test_assumptions.c). */
static bool says_close(const char *text, size_t len)
{
    static const char line[] = "Connection: close\r\n";
    const char *end = text + len, *at = text;

    for (int i = 0; i < 2 && at; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return at && (size_t)(end - at) >= sizeof(line) - 1 &&
           memcmp(at, line, sizeof(line) - 1) == 0;
}

/* Notes the status when these bytes begin a reply. 100 is none. */
static void note_status(struct io_stack *stack, const struct iovec *part)
{
    static const char start[] = "HTTP/1.1 ";
    const size_t at = sizeof(start) - 1;
    const char *text = part->iov_base;
    char code[4] = "";
    int status;

    if (part->iov_len < at + 3 || memcmp(text, start, at) != 0)
        return;
    memcpy(code, text + at, 3);
    status = atoi(code);
    stack->announced_close = says_close(text, part->iov_len);
    if (status < 200)
        return;
    stack->status = status;
    sliced_send_begin(&stack->send, text, part->iov_len);
}

/* The end of a text about the memory of a connection. */
#define LIMITED                                                                \
    ": a request's line and headers may take 30720 bytes, with 64 more for "   \
    "each header"

static_assert(SLOT_MEMORY == 30720, "the text says it");

/* The errors that libmicrohttpd answers by itself because it cannot read a
 * request, each with a page of HTML. */
static const struct {
    const char *part; /* of libmicrohttpd's page */
    const char *text; /* ours */
} by_page[] = {
    {"more then two whitespaces",
     "the request line has more than three words: METHOD /path HTTP/1.1"},
    {"bare CR", "the request has a CR without an LF behind it"},
    {"bare LF", "the request has an LF without a CR before it"},
    {"invalid characters in the request-target",
     "the path has a space, which is to be percent-encoded"},
    {"request path contains invalid", "the path has a NUL"},
    {"Obsolete line folding",
     "a header goes on in the next line: folded lines are not supported"},
    {"between the request line and the first header",
     "the first header begins with a space"},
    {"First HTTP footer line has whitespace",
     "the first trailer begins with a space"},
    {"whitespace before the first colon",
     "a header or trailer has no colon, or a space before it"},
    {"invalid character in field name",
     "the name of a header has a character that no name may have"},
    {"invalid character in header", "a header has a NUL"},
    {"invalid character in footer", "a trailer has a NUL"},
    {"header line has no colon", "a header has no colon"},
    {"footer line has no colon", "a trailer has no colon"},
    {"empty header name", "a header has no name"},
    {"empty footer name", "a trailer has no name"},
    {"request without <b>&quot;Host",
     "HTTP/1.1 requires the header Host, which is absent"},
    {"several <b>&quot;Host", "the header Host was given twice"},
    {"multiple <b>&quot;Content-Length",
     "the header Content-Length was given twice"},
    {"wrong value for <b>Content-Length",
     "the header Content-Length is no integer of at most 18446744073709551614"},
    {"too large value for <b>Content-Length",
     "the header Content-Length is above 18446744073709551614"},
    {"both Transfer-Encoding and Content-Length",
     "Transfer-Encoding and Content-Length exclude each other"},
    {"must not be used with HTTP/1.0",
     "HTTP/1.0 knows no Transfer-Encoding: send Content-Length"},
    {"Transfer-Encoding used in request is not supported",
     "the only Transfer-Encoding that is supported is chunked, once"},
    {"chunked encoding is syntactically",
     "the chunked body is malformed: a chunk is its size in hexadecimal "
     "digits, CR LF, as many bytes, CR LF"},
    {"chunk size used in", "the size of a chunk is above 18446744073709551615"},
    {"the chunk size line exceeds",
     "the line with the size of a chunk is too long" LIMITED},
    {"trailer section exceeds", "the trailers are too long" LIMITED},
};

/* What the page does not tell. */
static const struct {
    int status;
    const char *text;
} by_status[] = {
    {413, "the body is too long"},
    {414, "the request line is too long" LIMITED},
    {431, "the headers are too long" LIMITED},
    {501, "the method is too long" LIMITED},
    {505, "the major version must be 1: HTTP/1.1 and 1.0 are supported"},
};

/* Our text of an error. `page` is libmicrohttpd's, of `len` bytes; of one that
 * is not known the status decides. */
static const char *explain(int status, const char *page, size_t len)
{
    for (size_t i = 0; i < sizeof(by_page) / sizeof(by_page[0]); i++)
        if (memmem(page, len, by_page[i].part, strlen(by_page[i].part)))
            return by_page[i].text;
    for (size_t i = 0; i < sizeof(by_status) / sizeof(by_status[0]); i++)
        if (by_status[i].status == status)
            return by_status[i].text;
    return "the request line cannot be read: METHOD /path HTTP/1.1 comes "
           "first, without a NUL";
}

/* Has a request refused that libmicrohttpd cannot read. `page` is its text. */
static void refuse(struct io_stack *stack, int status, const char *page,
                   size_t len, bool head_only)
{
    io_stack_report(stack);
    stack->status = status;
    stack->drops = true;
    stack->handlers->unparsed(stack->owner, status, explain(status, page, len),
                              head_only);
}

/* Replaces an error of libmicrohttpd's own: its head is the first part, and its
 * page, which the answer to HEAD does not have, the second. */
static void replace(struct io_stack *stack, const struct iovec *parts,
                    size_t count)
{
    bool has_page = count > 1;

    refuse(stack, stack->status, has_page ? parts[1].iov_base : "",
           has_page ? parts[1].iov_len : 0, !has_page);
}

static ssize_t bytes_of(const struct iovec *parts, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    return (ssize_t)bytes;
}

/* As sendmsg(). An error of libmicrohttpd's own is not sent: the handler sends
 * another one in its place. */
static ssize_t stack_sendv(struct io_stack *stack, const struct iovec *parts,
                           size_t count, int flags)
{
    io_stack_report(stack);
    if (stack->status == 0 && count > 0) {
        note_status(stack, &parts[0]);
        if (stack->status > 0 && !stack->has_reply)
            replace(stack, parts, count);
    }
    if (stack->drops)
        return bytes_of(parts, count);
    return sliced_send_sendv(&stack->send, parts, count, flags);
}

/* A line that filled the memory is too long for a method that libmicrohttpd
 * does not know. */
static void answer_unreadable(struct io_stack *stack)
{
    uint64_t bytes = stack->receive.received - stack->request_from;

    refuse(stack, bytes >= SLOT_MEMORY / 2 ? 414 : 400, "", 0, false);
}

static bool has_unreadable(const struct io_stack *stack)
{
    uint64_t completed = stack->completed_round;

    return !stack->half_closed && !stack->send.shared->stopping &&
           (stack->unreported ||
            (completed > 0 && completed == stack->send.shared->rounds));
}

static bool has_unsendable(const struct io_stack *stack)
{
    return stack->has_reply && stack->status == 0 && !stack->half_closed &&
           !stack->send.shared->stopping &&
           !socket_has_ended(stack->transport.fd);
}

void io_stack_break_off(struct io_stack *stack)
{
    if (has_unsendable(stack))
        refuse(stack, 431, "", 0, false);
}

int io_stack_shutdown(struct io_stack *stack, int how)
{
    if (has_unreadable(stack))
        answer_unreadable(stack);
    return transport_shutdown(&stack->transport, how);
}

static bool grow(struct io_adapter *adapter, size_t least)
{
    size_t size = adapter->size ? adapter->size : 64;
    struct io_stack **stacks;

    while (size < least)
        size *= 2;
    stacks = realloc(adapter->stacks, size * sizeof(stacks[0]));
    if (!stacks)
        return false;
    memset(stacks + adapter->size, 0,
           (size - adapter->size) * sizeof(stacks[0]));
    adapter->stacks = stacks;
    adapter->size = size;
    return true;
}

bool io_adapter_add(struct io_adapter *adapter, struct io_stack *stack)
{
    size_t fd = (size_t)stack->transport.fd;

    if (fd >= adapter->size && !grow(adapter, fd + 1))
        return false;
    REQUIRE_WITH(!adapter->stacks[fd], "%zu", fd);
    adapter->stacks[fd] = stack;
    return true;
}

void io_adapter_remove(struct io_adapter *adapter, const struct io_stack *stack)
{
    size_t fd = (size_t)stack->transport.fd;

    if (fd < adapter->size && adapter->stacks[fd] == stack)
        adapter->stacks[fd] = NULL;
}

void io_adapter_attach(struct io_adapter *adapter)
{
    own = adapter;
}

static struct io_stack *find(int fd)
{
    return own && (size_t)fd < own->size ? own->stacks[fd] : NULL;
}

ssize_t io_adapter_recv(int fd, void *data, size_t size, int flags)
{
    struct io_stack *stack = find(fd);

    if (!stack || (flags & MSG_PEEK))
        return recv(fd, data, size, flags);
    return stack_recv(stack, data, size);
}

ssize_t io_adapter_send(int fd, const void *data, size_t size, int flags)
{
    struct io_stack *stack = find(fd);
    /* sendmsg() does not write there; its type only cannot say so. */
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};

    if (!stack)
        return send(fd, data, size, flags);
    return stack_sendv(stack, &part, 1, flags);
}

ssize_t io_adapter_sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct io_stack *stack = find(fd);

    if (!stack)
        return sendmsg(fd, message, flags);
    return stack_sendv(stack, message->msg_iov, message->msg_iovlen, flags);
}

int io_adapter_shutdown(int fd, int how)
{
    struct io_stack *stack = find(fd);

    return stack ? io_stack_shutdown(stack, how) : shutdown(fd, how);
}

int io_adapter_epoll_wait(int fd, struct epoll_event *events, int most,
                          int wait_ms)
{
    if (!own || !own->shared.has_unreported)
        return epoll_wait(fd, events, most, wait_ms);
    own->shared.has_unreported = false;
    return 0;
}

void *io_adapter_malloc(size_t size)
{
    void *state;

    if (size != SLOT_MEMORY || !own || !own->adopting)
        return malloc(size);
    state = own->adopting;
    own->adopting = NULL;
    return slots_lend(&own->slots, state);
}

void io_adapter_free(void *memory)
{
    if (!own || !slots_return(&own->slots, memory))
        free(memory);
}
