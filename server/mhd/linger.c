#include "server/mhd/linger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"

enum {
    MOST_MS = 2000,
    MOST_BYTES = 4 << 20,
    PERIOD_MS = 10,
    STEP = 16 << 10,
    STEPS = 16, /* of one socket in one check */
};

static void close_at(struct linger_list *list, int i)
{
    close(list->sockets[i].fd);
    list->count--;
    for (; i < list->count; i++)
        list->sockets[i] = list->sockets[i + 1];
}

void linger_keep(struct linger_list *list, int fd)
{
    int kept;

    if (list->count == LINGER_SOCKETS)
        close_at(list, 0);
    kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (kept < 0)
        return; /* it is reset */
    shutdown(kept, SHUT_WR);
    list->sockets[list->count++] = (struct linger_socket){
        .fd = kept, .until_ms = clock_now_ms() + MOST_MS};
}

/* True when the client has ended, or has sent more than it may. */
static bool is_over(struct linger_socket *socket)
{
    char input[STEP];
    ssize_t got = 1;

    for (int i = 0; i < STEPS && got > 0; i++) {
        got = recv(socket->fd, input, sizeof(input), MSG_DONTWAIT);
        socket->dropped += got > 0 ? (size_t)got : 0;
    }
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
           socket->dropped > MOST_BYTES;
}

void linger_check(struct linger_list *list)
{
    uint64_t now = list->count > 0 ? clock_now_ms() : 0;

    if (now < list->next_ms)
        return;
    list->next_ms = list->count > 0 ? now + PERIOD_MS : 0;
    for (int i = list->count - 1; i >= 0; i--)
        if (now >= list->sockets[i].until_ms || is_over(&list->sockets[i]))
            close_at(list, i);
}

void linger_close(struct linger_list *list)
{
    while (list->count > 0)
        close_at(list, list->count - 1);
}
