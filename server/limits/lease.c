#include "server/limits/lease.h"

void lease_init(struct lease *lease, struct budget *budget)
{
    *lease = (struct lease){.budget = budget};
}

size_t lease_most(const struct lease *lease)
{
    return CONNECTION_COST_ALLOWANCE + lease->budget->limit / 2;
}

/* The part of `held` bytes that is the budget's. */
static size_t leased(size_t held)
{
    return held > CONNECTION_COST_ALLOWANCE ? held - CONNECTION_COST_ALLOWANCE
                                            : 0;
}

enum lease_verdict lease_take(struct lease *lease, size_t bytes)
{
    size_t more;

    if (bytes > lease_most(lease) - lease->held)
        return LEASE_NEVER;
    more = leased(lease->held + bytes) - leased(lease->held);
    if (more > 0 && !budget_lease(lease->budget, more))
        return LEASE_BUSY;
    lease->held += bytes;
    return LEASE_OK;
}

void lease_give(struct lease *lease, size_t bytes)
{
    size_t less = leased(lease->held) - leased(lease->held - bytes);

    if (less > 0)
        budget_give(lease->budget, less);
    lease->held -= bytes;
}
