#include "server/limits/budget.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/core/require.h"

enum {
    STEP_MS = 100,
    DECAY_MS = 1000,

    /* From this size, rounded sizes are multiples of 2 MiB and the kernel is
     * asked for huge pages: one fault instead of 512, and fewer TLB misses when
     * the socket copies. */
    HUGE = 8 << 20,
};

struct kept_buffer {
    struct kept_buffer *next;
    size_t size;
    uint64_t period; /* in which it was put */
};

void budget_init(struct budget *budget, size_t limit, size_t kept_limit)
{
    *budget = (struct budget){.limit = limit, .kept_limit = kept_limit};
    pthread_mutex_init(&budget->lock, NULL);
}

void budget_free(struct budget *budget)
{
    budget_trim(budget, 0);
    REQUIRE(atomic_load(&budget->kept) == 0);
    pthread_mutex_destroy(&budget->lock);
    if (budget->addresses.limit > 0)
        address_limit_free(&budget->addresses);
}

bool budget_limit_addresses(struct budget *budget, size_t limit,
                            size_t max_connections, struct status *st)
{
    return limit == 0 ||
           address_limit_init(&budget->addresses, limit, max_connections, st);
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

/* Kept buffers. */

/* The class of the least size that is not below `*size`, which it becomes;
 * BUDGET_CLASSES above the largest class. */
static int find_class(size_t *size)
{
    size_t octave = BUDGET_MAPPED;

    for (int i = 0; i < BUDGET_CLASSES; i++) {
        size_t class = octave + octave / 4 * (size_t)(i % 4);

        if (*size <= class) {
            *size = class;
            return i;
        }
        if (i % 4 == 3)
            octave *= 2;
    }
    return BUDGET_CLASSES;
}

/* Removes a buffer of the class; NULL if there is none. */
static struct kept_buffer *pop(struct budget *budget, int class)
{
    struct kept_buffer *first;

    pthread_mutex_lock(&budget->lock);
    first = budget->buffers[class];
    if (first) {
        budget->buffers[class] = first->next;
        take_off(&budget->kept, first->size);
    }
    pthread_mutex_unlock(&budget->lock);
    return first;
}

/* Frees kept buffers until they fit beside the leases: the largest first, so
 * that few calls free much. */
static void make_room(struct budget *budget)
{
    int class = BUDGET_CLASSES - 1;

    while (class >= 0 &&
           atomic_load(&budget->kept) > room_beside_leases(budget)) {
        struct kept_buffer *first = pop(budget, class);

        if (first)
            munmap(first, first->size);
        else
            class --;
    }
}

/* Keeps mapped memory of `size` bytes. False if that is the size of no class or
 * a limit is reached. A lease that is taken meanwhile sees these bytes, or is
 * seen here: both read the other's counter after they wrote their own. */
static bool keep(struct budget *budget, void *memory, size_t size)
{
    struct kept_buffer *first = memory;
    size_t rounded = size, kept;
    int class = find_class(&rounded);
    bool fits;

    if (class == BUDGET_CLASSES || rounded != size)
        return false;
    pthread_mutex_lock(&budget->lock);
    kept = atomic_load(&budget->kept);
    fits = size <= budget->kept_limit - kept;
    if (fits) {
        atomic_store(&budget->kept, kept + size);
        fits = kept + size <= room_beside_leases(budget);
    }
    if (fits) {
        *first =
            (struct kept_buffer){budget->buffers[class], size, budget->period};
        budget->buffers[class] = first;
    } else {
        atomic_store(&budget->kept, kept);
    }
    pthread_mutex_unlock(&budget->lock);
    return fits;
}

/* The buffers that were put before `oldest` are the end of a list, for the
 * latest is first. */
void budget_trim(struct budget *budget, unsigned periods)
{
    uint64_t now, oldest;

    pthread_mutex_lock(&budget->lock);
    now = ++budget->period;
    pthread_mutex_unlock(&budget->lock);
    oldest = now > periods ? now - periods : 0;
    for (int class = 0; class < BUDGET_CLASSES; class ++) {
        struct kept_buffer **link = &budget->buffers[class], *old, *next;

        pthread_mutex_lock(&budget->lock);
        while (*link && (*link)->period >= oldest)
            link = &(*link)->next;
        old = *link;
        *link = NULL;
        for (struct kept_buffer *each = old; each; each = each->next)
            take_off(&budget->kept, each->size);
        pthread_mutex_unlock(&budget->lock);
        for (; old; old = next) {
            next = old->next;
            munmap(old, old->size);
        }
    }
}

/* Leases. */

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

/* Buffers. */

static void *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    if (size >= HUGE)
        madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

/* Takes a kept buffer, for which `later` bytes are not leased yet. */
static void take_kept(struct budget *budget, int class, size_t size,
                      size_t later, struct buffer *buffer)
{
    if (class == BUDGET_CLASSES ||
        atomic_load(&budget->unleased) + later > budget->kept_limit)
        return;
    buffer->data = (unsigned char *)pop(budget, class);
    if (!buffer->data)
        return;
    buffer->unleased = size;
    atomic_fetch_add(&budget->unleased, size);
}

bool buffer_get(struct budget *budget, size_t size, struct buffer *buffer)
{
    return buffer_get_leasing(budget, size, SIZE_MAX, buffer);
}

bool buffer_get_leasing(struct budget *budget, size_t size, size_t leased,
                        struct buffer *buffer)
{
    size_t later = size > leased ? size - leased : 0;

    *buffer = (struct buffer){NULL, 0, 0};
    if (size < BUDGET_MAPPED) {
        size += size == 0;
        buffer->data = malloc(size);
    } else {
        int class = find_class(&size);

        take_kept(budget, class, size, later, buffer);
        if (!buffer->data)
            buffer->data = map(size);
    }
    if (!buffer->data)
        return false;
    buffer->capacity = size;
    buffer_lease_more(budget, buffer, leased);
    return true;
}

void buffer_lease_more(struct budget *budget, struct buffer *buffer,
                       size_t leased)
{
    size_t left = buffer->capacity > leased ? buffer->capacity - leased : 0;

    if (buffer->unleased > left) {
        take_off(&budget->unleased, buffer->unleased - left);
        buffer->unleased = left;
    }
}

void buffer_put(struct budget *budget, struct buffer *buffer)
{
    buffer_lease_more(budget, buffer, buffer->capacity);
    REQUIRE(buffer->data || buffer->capacity == 0);
    if (buffer->capacity < BUDGET_MAPPED)
        free(buffer->data);
    else if (!keep(budget, buffer->data, buffer->capacity))
        munmap(buffer->data, buffer->capacity);
    *buffer = (struct buffer){NULL, 0, 0};
}

bool buffer_grow(struct budget *budget, struct buffer *buffer, size_t used,
                 size_t size)
{
    struct buffer larger;

    REQUIRE_WITH(used <= buffer->capacity && used <= size, "%zu of %zu to %zu",
                 used, buffer->capacity, size);
    if (!buffer_get(budget, size, &larger))
        return false;
    if (used > 0)
        memcpy(larger.data, buffer->data, used);
    buffer_put(budget, buffer);
    *buffer = larger;
    return true;
}
