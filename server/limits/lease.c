#include "server/limits/lease.h"

#include "kernels/core/require.h"

void lease_init(struct lease *lease, struct budget *budget,
                const struct peer *peer)
{
    *lease = (struct lease){
        .budget = budget, .peer = peer, .allowance = CONNECTION_COST_ALLOWANCE};
}

size_t lease_most(const struct lease *lease)
{
    size_t limit = lease->budget->limit, most = limit - limit / 4;
    size_t of_address = lease->budget->addresses.limit;

    if (lease->peer && of_address > 0 && of_address < most)
        most = of_address;
    return lease->allowance + most;
}

/* The part of `held` bytes that is the budget's. */
static size_t leased(const struct lease *lease, size_t held)
{
    return held > lease->allowance ? held - lease->allowance : 0;
}

enum lease_verdict lease_take(struct lease *lease, size_t bytes)
{
    struct budget *budget = lease->budget;
    size_t more;

    REQUIRE_WITH(lease->held <= lease_most(lease), "%zu", lease->held);
    if (bytes > lease_most(lease) - lease->held)
        return LEASE_NEVER;
    more = leased(lease, lease->held + bytes) - leased(lease, lease->held);
    if (more > 0 && lease->peer &&
        !address_limit_take(&budget->addresses, lease->peer, more))
        return LEASE_ADDRESS;
    if (more > 0 && !budget_lease(budget, more)) {
        if (lease->peer)
            address_limit_give(&budget->addresses, lease->peer, more);
        return LEASE_BUSY;
    }
    lease->held += bytes;
    return LEASE_OK;
}

void lease_give(struct lease *lease, size_t bytes)
{
    size_t less;

    REQUIRE_WITH(bytes <= lease->held, "%zu of %zu", bytes, lease->held);
    less = leased(lease, lease->held) - leased(lease, lease->held - bytes);

    if (less > 0) {
        budget_give(lease->budget, less);
        if (lease->peer)
            address_limit_give(&lease->budget->addresses, lease->peer, less);
    }
    lease->held -= bytes;
}
