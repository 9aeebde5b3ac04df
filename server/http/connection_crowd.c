/* Near the limit of connections: who waits for a request makes room.
 *
 * First go the connections of addresses that hold more than their fair share.
 * Then those of addresses with more than half of it, which may be all: those
 * that have sent nothing before those between two requests, the oldest first.
 * Near the limit there is always such an address, and one with few connections
 * keeps them. */
#include <stdint.h>

#include "server/http/connection.h"

enum {
    /* A client that has just connected is about to send its request. */
    SILENT_MS = 50,
    WAIT_MS = 100,     /* the least for other stages */
    HEADERS_MS = 1000, /* the least, where the address has its share only */
    LINGER_MS = 500,
};

struct relief {
    struct connection_list *list;
    enum address_share share; /* only of addresses that hold more */
    size_t wanted;            /* connections to close */
};

static bool chooses(const struct relief *relief, const struct peer *peer)
{
    const struct loop_context *loop = relief->list->loop;

    if (!loop->profile->counted || peer_is_unix(peer))
        return relief->share == ADDRESS_SHARE_HALF;
    return address_limit_exceeds(&loop->service->address_limit, peer,
                                 relief->share);
}

static void close_silent(struct relief *relief, uint64_t age_ms)
{
    struct connection_list *list = relief->list;
    uint64_t now_ms = loop_context_now_ms(list->loop);
    struct silent *each = silent_set_oldest(&list->silent, now_ms, age_ms);
    struct silent *next;

    for (; each && relief->wanted > 0; each = next) {
        if (now_ms < each->entry.since_ms + age_ms)
            return;
        next = silent_set_next(each);
        if (!chooses(relief, &each->arrival.peer))
            continue;
        connection_close_silent(list, each);
        metrics_count_rejection(&list->loop->metrics, METRICS_CROWD);
        relief->wanted--;
    }
}

/* Its address may have other connections from now on. */
static void leave_share(struct connection_state *state)
{
    struct loop_context *loop = state->loop;

    if (!loop->profile->counted || state->left_share)
        return;
    state->left_share = true;
    address_limit_remove(&loop->service->address_limit, &state->peer);
}

/* A request that has just arrived is served. */
static bool close_waiting(struct connection *connection)
{
    struct connection_state *state = &connection->state;

    if (state->stage == CONNECTION_HEADERS) {
        connection_refuse(connection, METRICS_CROWD,
                          "the port is full (max-connections) and the headers "
                          "have not arrived yet");
    } else if (engine_has_unread(state->engine)) {
        return false;
    } else {
        metrics_count_rejection(&state->loop->metrics, METRICS_CROWD);
        if (engine_has_unsent(state->engine)) /* it would go on to count */
            engine_reset(state->engine);
        connection_hang_up(connection);
    }
    leave_share(state);
    return true;
}

static void close_stage(struct relief *relief, enum connection_stage stage,
                        uint64_t age_ms)
{
    struct stage_queue *queue = &relief->list->queues[stage];
    uint64_t now_ms = loop_context_now_ms(relief->list->loop);
    struct stage_entry *each = TAILQ_FIRST(&queue->entries), *next;

    for (; each && relief->wanted > 0; each = next) {
        struct connection *connection = connection_of(each);

        if (now_ms < each->since_ms + age_ms)
            return;
        next = TAILQ_NEXT(each, link);
        if (chooses(relief, &connection->state.peer) &&
            close_waiting(connection))
            relief->wanted--;
    }
}

/* This loop's part of the connections that are to be closed; rounded down for
 * kept ones, so that a loop with a single one keeps it. */
struct quota {
    size_t all, kept;
};

static struct quota find_quota(struct connection_list *list)
{
    const struct listener_profile *profile = list->loop->profile;
    size_t own = atomic_load(&list->loop->open);
    size_t open =
        profile->counted ? atomic_load(&list->loop->service->connections) : own;
    size_t excess;

    crowd_update(&list->crowd, open, profile->limit);
    excess = crowd_excess(&list->crowd, open, profile->limit);
    if (excess == 0)
        return (struct quota){0, 0};
    return (struct quota){(excess * own + open - 1) / open,
                          excess * own / open};
}

/* How long connections may wait, by stage, before they are closed. */
struct patience {
    uint64_t silent, linger, headers, idle; /* ms */
};

static struct patience find_patience(const struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    const struct crowd *crowd = &list->crowd;
    uint64_t idle_ms = (uint64_t)options->idle_timeout * 1000;
    uint64_t header_ms = (uint64_t)options->header_timeout * 1000;

    return (struct patience){
        .silent = crowd_age_ms(crowd, idle_ms, 2, SILENT_MS),
        .linger = crowd_age_ms(crowd, CONNECTION_LINGER_MS, 1, LINGER_MS),
        .headers = crowd_age_ms(crowd, header_ms, 1, HEADERS_MS),
        .idle = crowd_age_ms(crowd, idle_ms, 1, WAIT_MS),
    };
}

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Kept connections are spared as long as younger silent ones will make room in
 * one of the next ticks. Returns the rest of the quota. */
static struct quota close_waiting_of(struct connection_list *list,
                                     enum address_share share,
                                     const struct patience *patience,
                                     struct quota quota)
{
    struct relief relief = {list, share, quota.all};
    size_t waiting, kept;

    close_silent(&relief, patience->silent);
    close_stage(&relief, CONNECTION_LINGER, patience->linger);
    close_stage(&relief, CONNECTION_HEADERS, patience->headers);
    waiting = list->silent.queue.count + list->queues[CONNECTION_HEADERS].count;
    quota.all = relief.wanted;
    relief.wanted = min(quota.kept, quota.all - min(quota.all, waiting));
    kept = relief.wanted;
    close_stage(&relief, CONNECTION_IDLE, patience->idle);
    kept -= relief.wanted;
    return (struct quota){quota.all - kept, quota.kept - kept};
}

void connection_relieve(struct connection_list *list)
{
    static const struct patience least = {SILENT_MS, LINGER_MS, WAIT_MS,
                                          WAIT_MS};
    struct quota quota = find_quota(list);
    struct patience patience;

    if (quota.all == 0)
        return;
    patience = find_patience(list);
    quota = close_waiting_of(list, ADDRESS_SHARE_WHOLE, &least, quota);
    close_waiting_of(list, ADDRESS_SHARE_HALF, &patience, quota);
}
