/* Open addressing with linear probing; a removal moves later entries of the
 * run back, so there are no tombstones. */
#include "server/peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char mapped[12] = {0, 0, 0, 0, 0,    0,
                                         0, 0, 0, 0, 0xff, 0xff};
static const unsigned char none[16];

static bool is_counted(const struct peers *peers, const struct peer *peer)
{
    return peers->limit > 0 && memcmp(peer->address, none, sizeof(none)) != 0;
}

/* FNV-1a: addresses cannot be chosen as freely as names, and a full run is
 * bounded by the connections that are open. */
static size_t home(const struct peers *peers, const struct peer *peer)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < sizeof(peer->address); i++)
        hash = (hash ^ peer->address[i]) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 32) & (peers->slot_count - 1);
}

/* The slot of this address, or the free one where it would go. */
static size_t locate(const struct peers *peers, const struct peer *peer)
{
    size_t i = home(peers, peer);

    while (peers->slots[i].count > 0 &&
           memcmp(peers->slots[i].peer.address, peer->address,
                  sizeof(peer->address)) != 0)
        i = (i + 1) & (peers->slot_count - 1);
    return i;
}

/* Closes the gap at `hole` with entries that belong at or before it. */
static void close_gap(struct peers *peers, size_t hole)
{
    size_t mask = peers->slot_count - 1;

    for (size_t i = (hole + 1) & mask; peers->slots[i].count > 0;
         i = (i + 1) & mask) {
        size_t wanted = home(peers, &peers->slots[i].peer);

        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            peers->slots[hole] = peers->slots[i];
            peers->slots[i].count = 0;
            hole = i;
        }
    }
}

bool peers_init(struct peers *peers, size_t limit, size_t max_connections,
                struct status *st)
{
    *peers = (struct peers){.limit = limit, .slot_count = 1};
    pthread_mutex_init(&peers->lock, NULL);
    if (limit == 0)
        return true;
    while (peers->slot_count < 2 * max_connections)
        peers->slot_count *= 2;
    peers->slots = calloc(peers->slot_count, sizeof(peers->slots[0]));
    return peers->slots ||
           status_fail(st, STATUS_NO_MEMORY, "no memory to count %zu peers",
                       max_connections);
}

void peers_free(struct peers *peers)
{
    free(peers->slots);
    pthread_mutex_destroy(&peers->lock);
}

bool peers_add(struct peers *peers, const struct peer *peer)
{
    struct peers_slot *slot;
    bool room;

    if (!is_counted(peers, peer))
        return true;
    pthread_mutex_lock(&peers->lock);
    slot = &peers->slots[locate(peers, peer)];
    room = slot->count < peers->limit;
    if (room) {
        slot->peer = *peer;
        slot->count++;
    }
    pthread_mutex_unlock(&peers->lock);
    return room;
}

void peers_remove(struct peers *peers, const struct peer *peer)
{
    size_t i;

    if (!is_counted(peers, peer))
        return;
    pthread_mutex_lock(&peers->lock);
    i = locate(peers, peer);
    if (peers->slots[i].count > 0 && --peers->slots[i].count == 0)
        close_gap(peers, i);
    pthread_mutex_unlock(&peers->lock);
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
