#include "tests/torture/sockets.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/torture/control.h"

enum {
    DESCRIPTORS = 1 << 16,
    SINGLE_BYTES = 2 << 10, /* moved one at a time by TORTURE_IO=one */
    FAILURES = 4,           /* one call in so many fails in TORTURE_IO=few */
    SHORT_MESSAGE = 1024,   /* always fits an empty socket: no EAGAIN */
    EXIT_UNKNOWN_MODE = 99, /* short_io.sh looks whether it is preloaded */
};

static struct descriptor {
    atomic_int kind;
    atomic_int set; /* epoll descriptor, or 0 */
    struct epoll_event event;
    atomic_uint moves;
} descriptors[DESCRIPTORS];

static enum { WHOLE, ONE, FEW } mode;
static atomic_ullong random_state;

__attribute__((constructor)) static void read_mode(void)
{
    const char *text = getenv("TORTURE_IO"), *seed = getenv("TORTURE_SEED");

    if (text && strcmp(text, "one") != 0 && strcmp(text, "few") != 0)
        _exit(EXIT_UNKNOWN_MODE);
    mode = !text ? WHOLE : strcmp(text, "one") == 0 ? ONE : FEW;
    random_state = seed ? strtoull(seed, NULL, 10) : 1;
}

/* SplitMix64 (Steele, Lea, Flood 2014): one atomic addition for any thread. */
static uint64_t random_number(void)
{
    uint64_t x = atomic_fetch_add(&random_state, 0x9e3779b97f4a7c15) + 1;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static struct descriptor *find(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS ? &descriptors[fd] : NULL;
}

void torture_note(int fd, enum torture_kind kind)
{
    struct descriptor *d = find(fd);

    if (!d)
        return;
    d->set = 0;
    d->moves = 0;
    d->kind = (int)kind;
}

enum torture_kind torture_kind_of(int fd)
{
    struct descriptor *d = find(fd);

    return d ? (enum torture_kind)d->kind : TORTURE_OTHER;
}

void torture_note_epoll(int set, int fd, const struct epoll_event *event)
{
    struct descriptor *d = find(fd);

    if (!d || !event || !(event->events & EPOLLET))
        return;
    d->event = *event;
    d->set = set;
}

void torture_rearm(int fd)
{
    static int (*real)(int, int, int, struct epoll_event *);
    struct descriptor *d = find(fd);
    int error = errno;

    if (!d || !d->set)
        return;
    if (!real)
        real = (int (*)(int, int, int, struct epoll_event *))torture_next(
            "epoll_ctl");
    real(d->set, EPOLL_CTL_MOD, fd, &d->event);
    errno = error;
}

/* Between 1 and `size`, each power of two as likely as any other. */
static size_t part_of(size_t size)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(size);
    size_t limit = (size_t)1 << random_number() % (bits + 1);

    return 1 + random_number() % (limit < size ? limit : size);
}

/* The kernel counts 768 bytes for each write to a unix socket: of single ones,
 * fewer would fit than TLS says unasked while the client sends. */
static bool is_unix(int fd)
{
    static int (*real)(int, int, int, void *, socklen_t *);
    int domain = AF_INET;
    socklen_t len = sizeof(domain);

    if (!real)
        real = (int (*)(int, int, int, void *, socklen_t *))torture_next(
            "getsockopt");
    real(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
    return domain == AF_UNIX;
}

size_t torture_share(int fd, bool receives, size_t size)
{
    struct descriptor *d = find(fd);
    size_t share = size;

    if (mode == WHOLE || size == 0 || !d || d->kind != TORTURE_STREAM)
        return size;
    if (mode == FEW && (receives || size > SHORT_MESSAGE) &&
        random_number() % FAILURES == 0) {
        errno = random_number() % 2 ? EAGAIN : EINTR;
        share = 0;
    } else if (mode == ONE && (receives || !is_unix(fd)) &&
               atomic_fetch_add(&d->moves, 1) < SINGLE_BYTES) {
        share = 1;
    } else {
        share = part_of(size);
    }
    return share;
}

const void *torture_option(int level, int name, const void *value)
{
    static const int one = 1;
    bool short_lowat =
        mode != WHOLE && level == SOL_SOCKET && name == SO_RCVLOWAT;

    return short_lowat ? &one : value;
}
