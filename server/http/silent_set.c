#include "server/http/silent_set.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct silent *silent_of(struct stage_entry *entry)
{
    return (struct silent *)entry; /* its first member */
}

bool silent_set_init(struct silent_set *set)
{
    stage_queue_init(&set->queue);
    set->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    return set->epoll_fd >= 0;
}

void silent_set_free(struct silent_set *set)
{
    close(set->epoll_fd);
}

/* False if recv() would give bytes, the end, or an error. */
static bool is_silent(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

bool silent_set_hold(struct silent_set *set, const struct arrival *arrival,
                     uint64_t now_ms)
{
    struct silent *silent = malloc(sizeof(*silent));
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP};

    if (!silent)
        return false;
    silent->arrival = *arrival;
    event.data.ptr = silent;
    if (epoll_ctl(set->epoll_fd, EPOLL_CTL_ADD, arrival->fd, &event) != 0) {
        free(silent);
        return false;
    }
    stage_queue_add(&set->queue, &silent->entry, now_ms);
    return true;
}

bool silent_set_add(struct silent_set *set, const struct arrival *arrival,
                    uint64_t now_ms)
{
    return is_silent(arrival->fd) && silent_set_hold(set, arrival, now_ms);
}

bool silent_set_is_silent(const struct silent *silent)
{
    return is_silent(silent->arrival.fd);
}

struct arrival silent_set_take(struct silent_set *set, struct silent *silent)
{
    struct arrival arrival = silent->arrival;

    epoll_ctl(set->epoll_fd, EPOLL_CTL_DEL, arrival.fd, NULL);
    stage_queue_remove(&set->queue, &silent->entry);
    free(silent);
    return arrival;
}

size_t silent_set_take_ready(struct silent_set *set,
                             struct arrival arrivals[SILENT_SET_BATCH])
{
    struct epoll_event events[SILENT_SET_BATCH];
    int count = epoll_wait(set->epoll_fd, events, SILENT_SET_BATCH, 0);

    for (int i = 0; i < count; i++)
        arrivals[i] = silent_set_take(set, events[i].data.ptr);
    return count > 0 ? (size_t)count : 0;
}

static uint32_t hash_of(const struct epoll_event *event)
{
    const struct silent *silent = event->data.ptr;

    return peer_hash(&silent->arrival.peer);
}

/* epoll names first those that it has not named for longest. */
bool silent_set_take_turn(struct silent_set *set, struct arrival *arrival)
{
    struct epoll_event events[SILENT_SET_BATCH];
    int count = epoll_wait(set->epoll_fd, events, SILENT_SET_BATCH, 0);
    int chosen = 0;

    if (count <= 0)
        return false;
    while (chosen < count && hash_of(&events[chosen]) == set->last_hash)
        chosen++;
    if (chosen == count)
        chosen = 0;
    set->last_hash = hash_of(&events[chosen]);
    *arrival = silent_set_take(set, events[chosen].data.ptr);
    return true;
}

struct silent *silent_set_oldest(const struct silent_set *set, uint64_t now_ms,
                                 uint64_t age_ms)
{
    return silent_of(stage_queue_oldest(&set->queue, now_ms, age_ms));
}

struct silent *silent_set_next(const struct silent *silent)
{
    return silent_of(TAILQ_NEXT(&silent->entry, link));
}
