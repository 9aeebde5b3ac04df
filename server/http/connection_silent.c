/* Sockets that are no connections yet: the engine gets them with their first
 * byte, and no more handshakes at once than their share. */
#include <unistd.h>

#include "server/http/connection.h"

/* True if the engine may get one more socket. Handshakes have half of the
 * processors, of which there are as many as workers unless options say so. */
static bool may_adopt(struct connection_list *list)
{
    const struct options *options = loop_context_options(list->loop);
    const uint64_t half_ns = HANDSHAKE_SHARE_MS * UINT64_C(1000000) / 2;
    uint64_t loops = (uint64_t)options->http_thread_count;
    uint64_t share_ns = half_ns * (uint64_t)options->worker_count / loops;

    return !list->loop->profile->tls ||
           handshake_share_take(&list->handshakes,
                                loop_context_now_ms(list->loop),
                                engine_handshake_ns(list->engine),
                                share_ns < half_ns ? share_ns : half_ns);
}

void connection_arrive(struct connection_list *list,
                       const struct arrival *arrival)
{
    uint64_t now_ms = loop_context_now_ms(list->loop);

    if (!silent_set_add(&list->silent, arrival, now_ms) &&
        (may_adopt(list) || !silent_set_hold(&list->silent, arrival, now_ms)))
        connection_adopt(list, arrival);
}

/* Handshakes are begun one at a time, clients in turn. */
static size_t take(struct connection_list *list,
                   struct arrival arrivals[SILENT_SET_BATCH])
{
    return list->loop->profile->tls
               ? silent_set_take_turn(&list->silent, arrivals)
               : silent_set_take_ready(&list->silent, arrivals);
}

bool connection_adopt_ready(struct connection_list *list)
{
    struct arrival arrivals[SILENT_SET_BATCH];
    size_t count, taken = 0;

    do {
        if (!may_adopt(list))
            return false;
        count = take(list, arrivals);
        for (size_t i = 0; i < count; i++)
            connection_adopt(list, &arrivals[i]);
        taken += count;
    } while (count > 0 && taken < SILENT_SET_BATCH);
    return true;
}

void connection_close_silent(struct connection_list *list,
                             struct silent *silent)
{
    bool is_silent = silent_set_is_silent(silent);
    struct arrival arrival = silent_set_take(&list->silent, silent);

    if (!is_silent) {
        connection_adopt(list, &arrival);
        return;
    }
    close(arrival.fd);
    connection_uncount(list->loop, &arrival.peer, false);
}
