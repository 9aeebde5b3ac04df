/* Calls that make descriptors, maps and threads, or ask about them. Each has
 * the errors that the daemon can meet: none that only a mistake of its own
 * gives. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/torture/control.h"
#include "tests/torture/sockets.h"

/* A function of `name`, one of whose errors may be returned as -1. `note` sees
 * `result`. */
#define CALL(class, type, name, params, arguments, failed, note, ...)          \
    type name params                                                           \
    {                                                                          \
        static const int errors[] = {__VA_ARGS__, 0};                          \
        static type(*real) params;                                             \
        type result;                                                           \
                                                                               \
        if (!real)                                                             \
            real = (type(*) params)torture_next(#name);                        \
        if (torture_fails(class, #name, errors))                               \
            return failed;                                                     \
        result = real arguments;                                               \
        note;                                                                  \
        return result;                                                         \
    }
#define NOTHING (void)result

CALL(TORTURE_SOCKET, int, socket, (int domain, int type, int protocol),
     (domain, type, protocol), -1, NOTHING, EMFILE, ENFILE, ENOBUFS)
CALL(TORTURE_SOCKET, int, accept4,
     (int fd, struct sockaddr *address, socklen_t *len, int flags),
     (fd, address, len, flags), -1, torture_note(result, TORTURE_STREAM),
     EMFILE, ENFILE, ENOBUFS, ENOMEM, ECONNABORTED, EINTR)
CALL(TORTURE_SOCKET, int, bind,
     (int fd, const struct sockaddr *address, socklen_t len),
     (fd, address, len), -1, NOTHING, EADDRINUSE, EACCES)
CALL(TORTURE_SOCKET, int, listen, (int fd, int backlog), (fd, backlog), -1,
     NOTHING, EADDRINUSE)
CALL(TORTURE_SOCKET, int, connect,
     (int fd, const struct sockaddr *address, socklen_t len),
     (fd, address, len), -1, NOTHING, ECONNREFUSED, ETIMEDOUT, EADDRNOTAVAIL)
CALL(TORTURE_SOCKET, int, shutdown, (int fd, int how), (fd, how), -1, NOTHING,
     ENOTCONN)
CALL(TORTURE_SOCKET, int, getsockname,
     (int fd, struct sockaddr *address, socklen_t *len), (fd, address, len), -1,
     NOTHING, ENOBUFS)
CALL(TORTURE_SOCKET, int, setsockopt,
     (int fd, int level, int name, const void *value, socklen_t len),
     (fd, level, name, torture_option(level, name, value), len), -1, NOTHING,
     ENOMEM, ENOPROTOOPT)
CALL(TORTURE_SOCKET, int, getsockopt,
     (int fd, int level, int name, void *value, socklen_t *len),
     (fd, level, name, value, len), -1, NOTHING, ENOMEM, ENOPROTOOPT)

CALL(TORTURE_EVENT, int, epoll_create1, (int flags), (flags), -1, NOTHING,
     EMFILE, ENOMEM)
CALL(TORTURE_EVENT, int, eventfd, (unsigned value, int flags), (value, flags),
     -1, torture_note(result, TORTURE_OTHER), EMFILE, ENOMEM)
CALL(TORTURE_EVENT, int, pipe2, (int ends[2], int flags), (ends, flags), -1,
     NOTHING, EMFILE, ENFILE)
CALL(TORTURE_EVENT, int, socketpair,
     (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends), -1, NOTHING, EMFILE, ENOMEM)
CALL(TORTURE_EVENT, int, epoll_wait,
     (int set, struct epoll_event *events, int most, int wait_ms),
     (set, events, most, wait_ms), -1, NOTHING, EINTR)
CALL(TORTURE_EVENT, int, epoll_pwait,
     (int set, struct epoll_event *events, int most, int wait_ms,
      const sigset_t *signals),
     (set, events, most, wait_ms, signals), -1, NOTHING, EINTR)
CALL(TORTURE_EVENT, int, poll, (struct pollfd * fds, nfds_t count, int wait_ms),
     (fds, count, wait_ms), -1, NOTHING, EINTR, ENOMEM)
CALL(TORTURE_EVENT, int, __poll_chk,
     (struct pollfd * fds, nfds_t count, int wait_ms, size_t size),
     (fds, count, wait_ms, size), -1, NOTHING, EINTR, ENOMEM)

CALL(TORTURE_FILE, int, shm_open, (const char *name, int flags, mode_t mode),
     (name, flags, mode), -1, torture_note(result, TORTURE_DATA), EMFILE,
     ENOMEM)
CALL(TORTURE_FILE, int, fstat, (int fd, struct stat *info), (fd, info), -1,
     NOTHING, ENOMEM)
CALL(TORTURE_FILE, ssize_t, pread64,
     (int fd, void *data, size_t size, off64_t offset),
     (fd, data, size, offset), -1, NOTHING, EIO, EINTR)
CALL(TORTURE_MAP, void *, mmap,
     (void *place, size_t size, int access, int flags, int fd, off_t offset),
     (place, size, access, flags, fd, offset), MAP_FAILED, NOTHING, ENOMEM,
     EAGAIN)

/* It returns the error. */
CALL(TORTURE_THREAD, int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes,
      void *(*run)(void *), void *context),
     (thread, attributes, run, context), errno, NOTHING, EAGAIN)

static const int open_errors[] = {EMFILE, ENFILE, EACCES, EINTR, 0};

/* open() and open64(); the third argument is needed with O_CREAT only. */
#define OPEN(name)                                                             \
    int name(const char *path, int flags, ...)                                 \
    {                                                                          \
        static int (*real)(const char *, int, ...);                            \
        va_list arguments;                                                     \
        int fd;                                                                \
                                                                               \
        if (!real)                                                             \
            real = (int (*)(const char *, int, ...))torture_next(#name);       \
        if (torture_fails(TORTURE_FILE, #name, open_errors))                   \
            return -1;                                                         \
        va_start(arguments, flags);                                            \
        fd = real(path, flags, va_arg(arguments, int));                        \
        va_end(arguments);                                                     \
        torture_note(fd, TORTURE_DATA);                                        \
        return fd;                                                             \
    }
OPEN(open)
OPEN(open64)

/* libuv ends the process when its epoll takes no descriptor, which the kernel
 * refuses only without memory: its calls do not fail. */
static bool is_of_libuv(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) && info.dli_fname &&
           strstr(info.dli_fname, "libuv");
}

int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
    static const int errors[] = {ENOMEM, ENOSPC, 0};
    static int (*real)(int, int, int, struct epoll_event *);

    if (!real)
        real = (int (*)(int, int, int, struct epoll_event *))torture_next(
            "epoll_ctl");
    if (operation == EPOLL_CTL_ADD &&
        !is_of_libuv(__builtin_return_address(0)) &&
        torture_fails(TORTURE_EVENT, "epoll_ctl", errors))
        return -1;
    torture_note_epoll(set, fd, event);
    return real(set, operation, fd, event);
}

/* Only forgets what the descriptor was. */
int close(int fd)
{
    static int (*real)(int);

    if (!real)
        real = (int (*)(int))torture_next("close");
    torture_note(fd, TORTURE_OTHER);
    return real(fd);
}
