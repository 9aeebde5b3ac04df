/* A hash table with open addressing and linear probing. A removal moves later
 * entries of the run back, so there are no tombstones. */
#include "server/limits/address_limit.h"

#include <stdlib.h>
#include <string.h>

static bool is_counted(const struct address_limit *limits,
                       const struct peer *peer)
{
    return limits->limit > 0 && !peer_is_unix(peer);
}

/* The first slot to try. A client cannot choose its address freely, and a run
 * is no longer than the number of open connections. */
static size_t first_slot(const struct address_limit *limits,
                         const struct peer *peer)
{
    return peer_hash(peer) & (limits->slot_count - 1);
}

/* The slot of the address, or the free slot for it. */
static size_t find_slot(const struct address_limit *limits,
                        const struct peer *peer)
{
    size_t i = first_slot(limits, peer);
    size_t len = peer_network_bytes(peer);

    while (limits->slots[i].count > 0 &&
           memcmp(limits->slots[i].peer.address, peer->address, len) != 0)
        i = (i + 1) & (limits->slot_count - 1);
    return i;
}

/* Fills the free slot `hole` with later entries whose first slot is at or
 * before it. */
static void close_gap(struct address_limit *limits, size_t hole)
{
    size_t mask = limits->slot_count - 1;

    for (size_t i = (hole + 1) & mask; limits->slots[i].count > 0;
         i = (i + 1) & mask) {
        size_t wanted = first_slot(limits, &limits->slots[i].peer);

        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            limits->slots[hole] = limits->slots[i];
            limits->slots[i].count = 0;
            hole = i;
        }
    }
}

bool address_limit_init(struct address_limit *limits, size_t limit,
                        size_t max_connections, struct status *st)
{
    *limits = (struct address_limit){
        .limit = limit, .max_connections = max_connections, .slot_count = 1};
    pthread_mutex_init(&limits->lock, NULL);
    if (limit == 0)
        return true;
    while (limits->slot_count < 2 * max_connections)
        limits->slot_count *= 2;
    limits->slots = calloc(limits->slot_count, sizeof(limits->slots[0]));
    return limits->slots ||
           status_fail(st, STATUS_NO_MEMORY,
                       "no memory to count the addresses of %zu connections",
                       max_connections);
}

void address_limit_free(struct address_limit *limits)
{
    free(limits->slots);
    pthread_mutex_destroy(&limits->lock);
}

bool address_limit_take(struct address_limit *limits, const struct peer *peer,
                        size_t amount)
{
    struct address_limit_slot *slot;
    bool fits;

    if (amount == 0 || !is_counted(limits, peer))
        return true;
    pthread_mutex_lock(&limits->lock);
    slot = &limits->slots[find_slot(limits, peer)];
    fits = amount <= limits->limit - slot->count;
    if (fits) {
        limits->addresses += slot->count == 0;
        slot->peer = *peer;
        slot->count += amount;
    }
    pthread_mutex_unlock(&limits->lock);
    return fits;
}

void address_limit_give(struct address_limit *limits, const struct peer *peer,
                        size_t amount)
{
    struct address_limit_slot *slot;
    size_t i;

    if (!is_counted(limits, peer))
        return;
    pthread_mutex_lock(&limits->lock);
    i = find_slot(limits, peer);
    slot = &limits->slots[i];
    if (slot->count > 0) {
        slot->count -= amount < slot->count ? amount : slot->count;
        if (slot->count == 0) {
            limits->addresses--;
            close_gap(limits, i);
        }
    }
    pthread_mutex_unlock(&limits->lock);
}

/* True if the address with `more` connections has more than a part of its even
 * share, of which `parts` are the whole. */
static bool exceeds(struct address_limit *limits, const struct peer *peer,
                    size_t more, size_t parts)
{
    size_t count, addresses;

    if (!is_counted(limits, peer))
        return false;
    pthread_mutex_lock(&limits->lock);
    count = limits->slots[find_slot(limits, peer)].count;
    addresses = limits->addresses + (more > 0 && count == 0);
    pthread_mutex_unlock(&limits->lock);
    return (count + more) * addresses * parts > limits->max_connections;
}

bool address_limit_has_half(struct address_limit *limits,
                            const struct peer *peer)
{
    return exceeds(limits, peer, 0, 2);
}

bool address_limit_has_share(struct address_limit *limits,
                             const struct peer *peer)
{
    return exceeds(limits, peer, 1, 1);
}
