#include "server/limits/memory_plan.h"

#include <inttypes.h>

#include "kernels/core/require.h"
#include "server/base/bounds.h"

/* What connections and requests share. */
static int64_t left(const struct memory_plan *plan)
{
    return plan->limit - plan->base - plan->json - plan->waiting;
}

static bool fail(const struct memory_plan *plan,
                 const struct memory_plan_setup *setup, struct status *st)
{
    return status_fail(
        st, STATUS_INVALID,
        "%" PRId64 " bytes of memory are too few: base %" PRId64 " + %" PRId64
        " connections of %" PRId64 " (--max-connections) + %" PRId64
        " sockets that wait, of %d, + in flight %" PRId64
        " (--max-inflight-bytes) + JSON %" PRId64 " = %" PRId64
        ", but %d %% of the memory are %" PRId64,
        setup->memory, plan->base, plan->connection_count, plan->per_connection,
        plan->waiting_count, CONNECTION_COST_WAITING, plan->inflight,
        plan->json, plan->total, MEMORY_PLAN_PERCENT, plan->limit);
}

bool memory_plan_make(struct memory_plan *plan,
                      const struct memory_plan_setup *setup, struct status *st)
{
    int64_t bytes;

    *plan = (struct memory_plan){.own_connections = setup->own_connections};
    plan->limit = setup->memory / 100 * MEMORY_PLAN_PERCENT;
    plan->per_connection = CONNECTION_COST +
                           (setup->tls ? CONNECTION_COST_TLS : 0) +
                           setup->grpc_streams * CONNECTION_COST_CLOSED_STREAM;
    plan->base =
        MEMORY_PLAN_PROCESS + (setup->tls ? MEMORY_PLAN_TLS : 0) +
        setup->loops * (MEMORY_PLAN_LOOP +
                        (setup->grpc_streams ? MEMORY_PLAN_GRPC_LOOP : 0)) +
        setup->workers * MEMORY_PLAN_WORKER +
        setup->own_connections * CONNECTION_COST;
    plan->json = (setup->loops + setup->workers) * MEMORY_PLAN_JSON;
    plan->waiting_count = min_int64(
        min_int64(MEMORY_PLAN_WAITING, setup->files / 2),
        left(plan) / MEMORY_PLAN_WAITING_PART / CONNECTION_COST_WAITING);
    plan->waiting_count = max_int64(plan->waiting_count, 1);
    plan->waiting = plan->waiting_count * CONNECTION_COST_WAITING;
    plan->files = max_int64(setup->files - plan->waiting_count, 1);
    bytes = setup->inflight ? left(plan) - setup->inflight : left(plan) / 2;
    plan->connection_count =
        setup->connections
            ? setup->connections
            : min_int64(min_int64(MEMORY_PLAN_CONNECTIONS, plan->files),
                        max_int64(bytes / plan->per_connection,
                                  MEMORY_PLAN_LEAST_CONNECTIONS));
    plan->connections = plan->connection_count * plan->per_connection;
    bytes = min_int64(setup->memory / 2, left(plan) - plan->connections);
    plan->inflight = setup->inflight
                         ? setup->inflight
                         : max_int64(bytes, MEMORY_PLAN_LEAST_INFLIGHT);
    REQUIRE(plan->connection_count > 0 && plan->waiting_count > 0 &&
            plan->files > 0 && plan->inflight > 0);
    /* --max-inflight-bytes may be 2^50, and --max-connections 2^20: no sum of
     * these overflows. */
    plan->total = plan->base + plan->connections + plan->waiting +
                  plan->inflight + plan->json;
    return plan->total <= plan->limit || fail(plan, setup, st);
}
