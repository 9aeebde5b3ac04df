#include "server/net/entry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/limits/connection_cost.h"

/* The loop whose requests hold the fewest bytes or, among equals, that has the
 * fewest connections: a loop that moves a large tensor gets no more until it is
 * done. */
static struct loop *least_loaded(struct entry *entry)
{
    struct loop *best = &entry->loops[0];
    size_t best_bytes = atomic_load(&best->context.bytes);
    size_t best_open = atomic_load(&best->context.open);

    for (int i = 1; i < entry->loop_count; i++) {
        struct loop *each = &entry->loops[i];
        size_t bytes = atomic_load(&each->context.bytes);
        size_t open = atomic_load(&each->context.open);

        if (bytes < best_bytes || (bytes == best_bytes && open < best_open)) {
            best = each;
            best_bytes = bytes;
            best_open = open;
        }
    }
    return best;
}

static size_t open_connections(const struct entry *entry)
{
    return atomic_load(entry->profile->counted ? &entry->service->connections
                                               : &entry->loops[0].context.open);
}

/* True if one connection more is more than its address's fair share. */
static bool is_over_share(struct entry *entry, const struct peer *peer)
{
    return entry->profile->counted &&
           address_limit_has_share(&entry->service->address_limit, peer);
}

/* The room that is left near the limit is for addresses below their share: so
 * there is always some for a client that has few connections. */
static bool may_enter(struct entry *entry, const struct peer *peer)
{
    size_t limit = entry->profile->limit;
    size_t open = open_connections(entry);

    return open < limit && (!listener_profile_is_near(entry->profile, open) ||
                            !is_over_share(entry, peer));
}

static void enter(struct entry *entry, const struct arrival *arrival)
{
    struct service *service = entry->service;

    if (!entry->profile->counted) {
        loop_hand_over(&entry->loops[0], arrival);
    } else if (address_limit_take(&service->address_limit, &arrival->peer, 1)) {
        atomic_fetch_add(&service->connections, 1);
        loop_hand_over(least_loaded(entry), arrival);
    } else {
        metrics_count_rejection(entry->metrics, METRICS_ADDRESS_CONNECTIONS);
        close(arrival->fd);
    }
}

static size_t hash_of(const struct peer *peer)
{
    return peer_hash(peer) % LOBBY_HASHES;
}

static bool keep(struct lobby *lobby, const struct arrival *arrival)
{
    if (lobby->count == lobby->capacity)
        return false;
    lobby->waiting[lobby->count++] = *arrival;
    lobby->hashed[hash_of(&arrival->peer)]++;
    return true;
}

static struct arrival take(struct lobby *lobby, size_t i)
{
    struct arrival arrival = lobby->waiting[i];

    lobby->hashed[hash_of(&arrival.peer)]--;
    lobby->count--;
    memmove(&lobby->waiting[i], &lobby->waiting[i + 1],
            (lobby->count - i) * sizeof(lobby->waiting[0]));
    return arrival;
}

/* An address's connections and those that wait for room: a crowd whose
 * connections are just being closed has none of the first. */
static size_t weigh(const struct entry *entry, const struct peer *peer)
{
    size_t waiting = entry->lobby.hashed[hash_of(peer)];

    return entry->profile->counted
               ? waiting +
                     address_limit_count(&entry->service->address_limit, peer)
               : waiting;
}

/* The oldest socket of the address that has least of all. */
static struct arrival take_least(struct entry *entry)
{
    struct lobby *lobby = &entry->lobby;
    size_t best = 0, least = SIZE_MAX;

    for (size_t i = 0; i < lobby->count && least > 0; i++) {
        size_t weight = weigh(entry, &lobby->waiting[i].peer);

        if (weight < least) {
            least = weight;
            best = i;
        }
    }
    return take(lobby, best);
}

/* Who has least enters first. If even that one has its share, all have. */
static void admit(struct entry *entry)
{
    while (open_connections(entry) < entry->profile->limit &&
           entry->lobby.count > 0) {
        struct arrival least = take_least(entry);

        if (may_enter(entry, &least.peer)) {
            enter(entry, &least);
            continue;
        }
        keep(&entry->lobby, &least);
        return;
    }
}

/* entry_is_waited_for() loads `is_waiting` after the connection has been taken
 * off the count; here the count is loaded after `is_waiting` has been stored.
 * All four accesses are sequentially consistent, so at least one thread sees
 * the other's store: no close goes unnoticed, and no timer is needed. */
void entry_admit(struct entry *entry)
{
    admit(entry);
    atomic_store(&entry->is_waiting, entry->lobby.count > 0);
    if (entry->lobby.count > 0)
        admit(entry);
}

/* Makes room in the lobby, in the order in which sockets enter: the newest of
 * an address that has more goes. A share is no measure here: an address may be
 * below its own while connections that nobody counts for it any more still fill
 * the port. */
static bool replace(struct entry *entry, const struct arrival *arrival)
{
    struct lobby *lobby = &entry->lobby;
    size_t weight = weigh(entry, &arrival->peer);

    for (size_t i = lobby->count; i-- > 0;) {
        if (weigh(entry, &lobby->waiting[i].peer) <= weight)
            continue;
        metrics_count_rejection(entry->metrics, METRICS_CROWD);
        close(take(lobby, i).fd);
        return keep(lobby, arrival);
    }
    return false;
}

/* Nobody counts what the kernel holds of a request that waits. */
static void narrow(int fd)
{
    int size = CONNECTION_COST_RCVBUF;

    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

void entry_add(struct entry *entry, const struct arrival *arrival)
{
    if (may_enter(entry, &arrival->peer)) {
        enter(entry, arrival);
        return;
    }
    if (keep(&entry->lobby, arrival) || replace(entry, arrival)) {
        metrics_count_rejection(entry->metrics, METRICS_CONNECTIONS);
        narrow(arrival->fd);
        entry_admit(entry);
    } else {
        metrics_count_rejection(entry->metrics, METRICS_CROWD);
        close(arrival->fd);
    }
}

bool entry_init(struct entry *entry, struct service *service,
                const struct listener_profile *profile, struct metrics *metrics)
{
    *entry = (struct entry){
        .service = service, .profile = profile, .metrics = metrics};
    entry->lobby.capacity = profile->waiting;
    entry->lobby.waiting =
        calloc(profile->waiting, sizeof(entry->lobby.waiting[0]));
    return entry->lobby.waiting != NULL;
}

bool entry_is_waited_for(struct entry *entry)
{
    return atomic_load(&entry->is_waiting);
}

void entry_abort(struct entry *entry)
{
    for (size_t i = 0; i < entry->lobby.count; i++)
        close(entry->lobby.waiting[i].fd);
    free(entry->lobby.waiting);
    entry->lobby = (struct lobby){.capacity = 0};
}

bool entry_is_closed(struct entry *entry)
{
    return entry->lobby.count == entry->lobby.capacity &&
           (!entry->profile->counted ||
            address_limit_addresses(&entry->service->address_limit) <= 1);
}
