#include "server/net/lobby.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool lobby_init(struct lobby *lobby, size_t capacity)
{
    *lobby = (struct lobby){.capacity = capacity};
    lobby->waiting = calloc(capacity, sizeof(lobby->waiting[0]));
    return lobby->waiting != NULL;
}

void lobby_free(struct lobby *lobby)
{
    for (size_t i = 0; i < lobby->count; i++)
        close(lobby->waiting[i].fd);
    free(lobby->waiting);
    *lobby = (struct lobby){.capacity = 0};
}

static size_t hash_of(const struct peer *peer)
{
    return peer_hash(peer) % LOBBY_HASHES;
}

size_t lobby_count_of(const struct lobby *lobby, const struct peer *peer)
{
    return lobby->hashed[hash_of(peer)];
}

bool lobby_add(struct lobby *lobby, const struct arrival *arrival)
{
    if (lobby->count == lobby->capacity)
        return false;
    lobby->waiting[lobby->count++] = *arrival;
    lobby->hashed[hash_of(&arrival->peer)]++;
    return true;
}

static void take(struct lobby *lobby, size_t i, struct arrival *arrival)
{
    *arrival = lobby->waiting[i];
    lobby->hashed[hash_of(&arrival->peer)]--;
    lobby->count--;
    memmove(&lobby->waiting[i], &lobby->waiting[i + 1],
            (lobby->count - i) * sizeof(lobby->waiting[0]));
}

bool lobby_take_least(struct lobby *lobby, lobby_weigh *weigh, void *context,
                      struct arrival *arrival)
{
    size_t best = 0, least = SIZE_MAX;

    if (lobby->count == 0)
        return false;
    for (size_t i = 0; i < lobby->count && least > 0; i++) {
        size_t weight = weigh(context, &lobby->waiting[i].peer);

        if (weight < least) {
            least = weight;
            best = i;
        }
    }
    take(lobby, best, arrival);
    return true;
}

bool lobby_take_newest(struct lobby *lobby, lobby_choose *choose, void *context,
                       struct arrival *arrival)
{
    for (size_t i = lobby->count; i-- > 0;) {
        if (!choose(context, &lobby->waiting[i].peer))
            continue;
        take(lobby, i, arrival);
        return true;
    }
    return false;
}
