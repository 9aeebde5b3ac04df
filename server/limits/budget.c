#include "server/limits/budget.h"

#include "kernels/core/require.h"

enum { STEP_MS = 100, DECAY_MS = 1000 };

void budget_init(struct budget *budget, size_t limit)
{
    *budget = (struct budget){.limit = limit};
}

void budget_free(struct budget *budget)
{
    REQUIRE(atomic_load(&budget->kept) == 0);
    if (budget->addresses.limit > 0)
        address_limit_free(&budget->addresses);
}

bool budget_limit_addresses(struct budget *budget, size_t limit,
                            size_t max_connections, struct status *st)
{
    return limit == 0 ||
           address_limit_init(&budget->addresses, limit, max_connections, st);
}

void budget_set_reclaim(struct budget *budget, budget_reclaim *reclaim,
                        void *context)
{
    budget->reclaim = reclaim;
    budget->reclaim_context = context;
}

/* Adds, unless the sum exceeds the limit. The counter never exceeds it, not
 * even for a moment: otherwise a large request that is refused could cause a
 * smaller one, which fits, to be refused too. */
static bool add_below(atomic_size_t *counter, size_t amount, size_t limit)
{
    size_t now = atomic_load_explicit(counter, memory_order_relaxed);

    do {
        if (amount > limit || now > limit - amount)
            return false;
    } while (!atomic_compare_exchange_weak(counter, &now, now + amount));
    return true;
}

static void take_off(atomic_size_t *counter, size_t amount)
{
    size_t before = atomic_fetch_sub(counter, amount);

    REQUIRE_WITH(amount <= before, "%zu of %zu", amount, before);
}

/* What is left for leases and kept buffers together. */
static size_t room(const struct budget *budget)
{
    size_t unleased = atomic_load(&budget->unleased);

    return budget->limit > unleased ? budget->limit - unleased : 0;
}

static size_t room_beside_leases(const struct budget *budget)
{
    size_t all = room(budget), leased = atomic_load(&budget->leased);

    return all > leased ? all - leased : 0;
}

/* Frees kept buffers until they fit beside the leases. */
static void make_room(struct budget *budget)
{
    size_t free = room_beside_leases(budget);
    size_t kept = atomic_load(&budget->kept);

    if (kept > free)
        budget->reclaim(budget->reclaim_context, kept - free);
}

bool budget_lease(struct budget *budget, size_t bytes)
{
    if (!add_below(&budget->leased, bytes, room(budget))) {
        atomic_fetch_add_explicit(&budget->refusals, 1, memory_order_relaxed);
        return false;
    }
    make_room(budget);
    return true;
}

void budget_give(struct budget *budget, size_t bytes)
{
    take_off(&budget->leased, bytes);
}

bool budget_lease_socket(void *of, size_t bytes)
{
    struct budget *budget = of;

    if (!add_below(&budget->sockets, bytes, budget->limit / 4))
        return false;
    if (!add_below(&budget->leased, bytes, room(budget))) {
        take_off(&budget->sockets, bytes);
        return false;
    }
    make_room(budget);
    return true;
}

void budget_give_socket(void *of, size_t bytes)
{
    struct budget *budget = of;

    budget_give(budget, bytes);
    take_off(&budget->sockets, bytes);
}

/* The two are not read at one moment. */
size_t budget_requests(const struct budget *budget)
{
    size_t sockets = atomic_load(&budget->sockets);
    size_t leased = atomic_load(&budget->leased);

    return leased > sockets ? leased - sockets : 0;
}

/* A lease that is taken meanwhile sees these bytes, or is seen here: both read
 * the other's counter after they wrote their own. */
bool budget_keep(struct budget *budget, size_t bytes)
{
    size_t kept = atomic_fetch_add(&budget->kept, bytes) + bytes;
    size_t free = room_beside_leases(budget);

    if (kept <= free)
        return true;
    budget_unkeep(budget, bytes);
    return false;
}

void budget_unkeep(struct budget *budget, size_t bytes)
{
    take_off(&budget->kept, bytes);
}

void budget_add_unleased(struct budget *budget, size_t bytes)
{
    atomic_fetch_add(&budget->unleased, bytes);
}

void budget_drop_unleased(struct budget *budget, size_t bytes)
{
    take_off(&budget->unleased, bytes);
}

/* One caller takes each step. */
unsigned budget_pressure(struct budget *budget, uint64_t now_ms)
{
    unsigned long long due = atomic_load(&budget->next_ms);
    uint64_t since = atomic_load(&budget->changed_ms);
    unsigned pressure = atomic_load(&budget->pressure);

    if (now_ms < due || !atomic_compare_exchange_strong(&budget->next_ms, &due,
                                                        now_ms + STEP_MS))
        return pressure;
    if (atomic_exchange(&budget->refusals, 0) > 0) {
        pressure += pressure < BUDGET_PRESSURE_MAX;
        since = now_ms;
    } else if (now_ms > since) {
        uint64_t seconds = (now_ms - since) / DECAY_MS;

        pressure = seconds < pressure ? pressure - (unsigned)seconds : 0;
        since += seconds * DECAY_MS;
    }
    atomic_store(&budget->pressure, pressure);
    atomic_store(&budget->changed_ms, since);
    return pressure;
}
