/* Open addressing with linear probing; a removal moves later entries of the
 * run back, so there are no tombstones. */
#include "server/limits/address_limit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char mapped[12] = {0, 0, 0, 0, 0,    0,
                                         0, 0, 0, 0, 0xff, 0xff};
static const unsigned char none[16];

static bool is_counted(const struct address_limit *address_limit,
                       const struct peer *peer)
{
    return address_limit->limit > 0 &&
           memcmp(peer->address, none, sizeof(none)) != 0;
}

/* FNV-1a: addresses cannot be chosen as freely as names, and a full run is
 * bounded by the connections that are open. */
static size_t home(const struct address_limit *address_limit,
                   const struct peer *peer)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < sizeof(peer->address); i++)
        hash = (hash ^ peer->address[i]) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 32) & (address_limit->slot_count - 1);
}

/* The slot of this address, or the free one where it would go. */
static size_t locate(const struct address_limit *address_limit,
                     const struct peer *peer)
{
    size_t i = home(address_limit, peer);

    while (address_limit->slots[i].count > 0 &&
           memcmp(address_limit->slots[i].peer.address, peer->address,
                  sizeof(peer->address)) != 0)
        i = (i + 1) & (address_limit->slot_count - 1);
    return i;
}

/* Closes the gap at `hole` with entries that belong at or before it. */
static void close_gap(struct address_limit *address_limit, size_t hole)
{
    size_t mask = address_limit->slot_count - 1;

    for (size_t i = (hole + 1) & mask; address_limit->slots[i].count > 0;
         i = (i + 1) & mask) {
        size_t wanted = home(address_limit, &address_limit->slots[i].peer);

        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            address_limit->slots[hole] = address_limit->slots[i];
            address_limit->slots[i].count = 0;
            hole = i;
        }
    }
}

bool address_limit_init(struct address_limit *address_limit, size_t limit,
                        size_t max_connections, struct status *st)
{
    *address_limit = (struct address_limit){.limit = limit, .slot_count = 1};
    pthread_mutex_init(&address_limit->lock, NULL);
    if (limit == 0)
        return true;
    while (address_limit->slot_count < 2 * max_connections)
        address_limit->slot_count *= 2;
    address_limit->slots =
        calloc(address_limit->slot_count, sizeof(address_limit->slots[0]));
    return address_limit->slots ||
           status_fail(st, STATUS_NO_MEMORY, "no memory to count %zu peers",
                       max_connections);
}

void address_limit_free(struct address_limit *address_limit)
{
    free(address_limit->slots);
    pthread_mutex_destroy(&address_limit->lock);
}

bool address_limit_add(struct address_limit *address_limit,
                       const struct peer *peer)
{
    struct address_limit_slot *slot;
    bool room;

    if (!is_counted(address_limit, peer))
        return true;
    pthread_mutex_lock(&address_limit->lock);
    slot = &address_limit->slots[locate(address_limit, peer)];
    room = slot->count < address_limit->limit;
    if (room) {
        slot->peer = *peer;
        slot->count++;
    }
    pthread_mutex_unlock(&address_limit->lock);
    return room;
}

void address_limit_remove(struct address_limit *address_limit,
                          const struct peer *peer)
{
    size_t i;

    if (!is_counted(address_limit, peer))
        return;
    pthread_mutex_lock(&address_limit->lock);
    i = locate(address_limit, peer);
    if (address_limit->slots[i].count > 0 &&
        --address_limit->slots[i].count == 0)
        close_gap(address_limit, i);
    pthread_mutex_unlock(&address_limit->lock);
}

void peer_from_address(struct peer *peer, const struct sockaddr *address)
{
    *peer = (struct peer){.port = 0};
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, address, sizeof(in));
        memcpy(peer->address, mapped, sizeof(mapped));
        memcpy(peer->address + sizeof(mapped), &in.sin_addr, 4);
        peer->port = ntohs(in.sin_port);
    } else if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, address, sizeof(in6));
        memcpy(peer->address, &in6.sin6_addr, sizeof(peer->address));
        peer->port = ntohs(in6.sin6_port);
    }
}

void peer_text(const struct peer *peer, char text[PEER_TEXT_SIZE])
{
    char address[INET6_ADDRSTRLEN] = "";

    if (memcmp(peer->address, none, sizeof(none)) == 0) {
        snprintf(text, PEER_TEXT_SIZE, "unix");
    } else if (memcmp(peer->address, mapped, sizeof(mapped)) == 0) {
        inet_ntop(AF_INET, peer->address + sizeof(mapped), address,
                  sizeof(address));
        snprintf(text, PEER_TEXT_SIZE, "%s:%u", address, peer->port);
    } else {
        inet_ntop(AF_INET6, peer->address, address, sizeof(address));
        snprintf(text, PEER_TEXT_SIZE, "[%s]:%u", address, peer->port);
    }
}
