/* Calls that move bytes. read() and write() do so for OpenSSL's sockets, for
 * files and for the log. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/torture/control.h"
#include "tests/torture/sockets.h"

#define REAL(type, name, params)                                               \
    static type(*real) params;                                                 \
    if (!real)                                                                 \
    real = (type(*) params)torture_next(name)

static const int receive_errors[] = {ECONNRESET, EAGAIN, EINTR, ETIMEDOUT, 0};
static const int send_errors[] = {ECONNRESET, EPIPE, EAGAIN, EINTR, ENOBUFS, 0};
static const int file_errors[] = {EIO, EINTR, 0};
static const int log_errors[] = {EAGAIN, EPIPE, ENOSPC, EINTR, 0};

/* Whether a call on a connection fails. A refused one is reported again, as if
 * what it waits for came now. */
static bool refuses(enum torture_class class, const char *name, int fd)
{
    if (!torture_fails(class, name,
                       class == TORTURE_SEND ? send_errors : receive_errors))
        return false;
    torture_rearm(fd);
    return true;
}

/* The length that a call on a connection is given; 0: it fails. */
static size_t cut(enum torture_class class, const char *name, int fd,
                  size_t size)
{
    if (refuses(class, name, fd))
        return 0;
    return torture_share(fd, class == TORTURE_RECEIVE, size);
}

static ssize_t done(int fd, ssize_t result, size_t share, size_t size)
{
    if (share < size)
        torture_rearm(fd);
    return result;
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    size_t share;

    REAL(ssize_t, "recv", (int, void *, size_t, int));
    if ((flags & MSG_PEEK) || size == 0)
        return real(fd, data, size, flags);
    share = cut(TORTURE_RECEIVE, "recv", fd, size);
    return done(fd, share ? real(fd, data, share, flags) : -1, share, size);
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    size_t share;

    REAL(ssize_t, "send", (int, const void *, size_t, int));
    share = cut(TORTURE_SEND, "send", fd, size);
    return done(fd, share ? real(fd, data, share, flags) : -1, share, size);
}

static size_t sum(const struct iovec *parts, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    return bytes;
}

/* Sends the first `share` bytes of the parts, all of which are `size`. */
static ssize_t send_part(ssize_t (*real)(int, const struct msghdr *, int),
                         int fd, const struct msghdr *message, int flags,
                         size_t share)
{
    struct msghdr part = *message;
    struct iovec first;

    while (part.msg_iovlen > 0 && part.msg_iov->iov_len == 0) {
        part.msg_iov++;
        part.msg_iovlen--;
    }
    if (part.msg_iovlen == 0)
        return real(fd, message, flags);
    first = *part.msg_iov;
    first.iov_len = first.iov_len < share ? first.iov_len : share;
    part.msg_iov = &first;
    part.msg_iovlen = 1;
    return real(fd, &part, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    size_t size = sum(message->msg_iov, message->msg_iovlen), share;

    REAL(ssize_t, "sendmsg", (int, const struct msghdr *, int));
    share = cut(TORTURE_SEND, "sendmsg", fd, size);
    if (share == size)
        return real(fd, message, flags);
    return done(fd, share ? send_part(real, fd, message, flags, share) : -1,
                share, size);
}

/* The parts that take the first `share` bytes; returns their count. */
static size_t shorten(struct iovec *to, const struct iovec *parts, size_t share)
{
    size_t count = 0;

    while (share > 0) {
        to[count] = parts[count];
        if (to[count].iov_len > share)
            to[count].iov_len = share;
        share -= to[count++].iov_len;
    }
    return count;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    size_t size = sum(message->msg_iov, message->msg_iovlen), share;
    struct msghdr part = *message;
    struct iovec parts[64];

    REAL(ssize_t, "recvmsg", (int, struct msghdr *, int));
    share = cut(TORTURE_RECEIVE, "recvmsg", fd, size);
    if (share == size || message->msg_iovlen > 64)
        return real(fd, message, flags);
    part.msg_iovlen = shorten(parts, message->msg_iov, share);
    part.msg_iov = parts;
    return done(fd, share ? real(fd, &part, flags) : -1, share, size);
}

ssize_t read(int fd, void *data, size_t size)
{
    enum torture_kind kind = torture_kind_of(fd);
    size_t share = size;

    REAL(ssize_t, "read", (int, void *, size_t));
    if (kind == TORTURE_STREAM)
        share = cut(TORTURE_RECEIVE, "read", fd, size);
    else if (kind == TORTURE_DATA &&
             torture_fails(TORTURE_FILE, "read", file_errors))
        return -1;
    return done(fd, share || !size ? real(fd, data, share) : -1, share, size);
}

ssize_t write(int fd, const void *data, size_t size)
{
    enum torture_kind kind = torture_kind_of(fd);
    size_t share = size;

    REAL(ssize_t, "write", (int, const void *, size_t));
    if (kind == TORTURE_STREAM)
        share = cut(TORTURE_SEND, "write", fd, size);
    else if (fd == STDERR_FILENO &&
             torture_fails(TORTURE_LOG, "write", log_errors))
        return -1;
    return done(fd, share || !size ? real(fd, data, share) : -1, share, size);
}
