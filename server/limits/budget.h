/* The memory of all requests together (--max-inflight-bytes): bodies, plans,
 * replies, their inflated, deflated and copied forms, and the free buffers that
 * are kept for the next request.
 *
 * Requests take bytes by a lease (lease.h). Kept buffers never stand in their
 * way: they are freed as soon as leased and kept bytes together would exceed
 * the limit. One object for the process; any thread. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/limits/address_limit.h"

/* Most that budget_pressure() gives. */
enum { BUDGET_PRESSURE_MAX = 6 }; /* 64 KiB/s in progress.h */

/* Frees at least `bytes` of kept buffers, or all, after budget_unkeep(). */
typedef void budget_reclaim(void *context, size_t bytes);

struct budget {
    size_t limit;           /* bytes */
    atomic_size_t leased;   /* never more than the limit */
    atomic_size_t sockets;  /* of them, by budget_lease_socket() */
    atomic_size_t kept;     /* in free buffers */
    atomic_size_t unleased; /* resident in buffers in use, not leased yet */
    budget_reclaim *reclaim;
    void *reclaim_context;          /* borrowed */
    struct address_limit addresses; /* bytes that each has leased */

    /* Of budget_pressure(). */
    atomic_uint refusals;     /* since the latest step */
    atomic_ullong next_ms;    /* when the next step is due */
    atomic_ullong changed_ms; /* when the pressure changed or was confirmed */
    atomic_uint pressure;
};

/* No address has a limit. */
void budget_init(struct budget *budget, size_t limit);
void budget_free(struct budget *budget);

/* Limits what the connections of one client address lease together; 0: no
 * limit. Once, before there are leases. Fails with NO_MEMORY. */
bool budget_limit_addresses(struct budget *budget, size_t limit,
                            size_t max_connections, struct status *st);

/* Who keeps buffers, if anybody does; before there are leases. */
void budget_set_reclaim(struct budget *budget, budget_reclaim *reclaim,
                        void *context);

/* Takes `bytes`, and frees kept buffers for them if need be. False if they do
 * not fit beside the other leases: that raises the pressure. */
bool budget_lease(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);

/* The same for the kernel's buffers of a wide socket, which can do without:
 * they are a quarter of the limit at most, and that they do not fit raises no
 * pressure. `budget` is a struct budget: callbacks of socket_buffers.h. */
bool budget_lease_socket(void *budget, size_t bytes);
void budget_give_socket(void *budget, size_t bytes);

/* What requests have leased: all but what sockets have. */
size_t budget_requests(const struct budget *budget);

/* Counts a free buffer; false if there is no space for it. */
bool budget_keep(struct budget *budget, size_t bytes);
void budget_unkeep(struct budget *budget, size_t bytes);

/* Counts bytes of a buffer that was kept and is in use again, as far as its
 * user has not leased them yet. No lease is granted in their place. */
void budget_add_unleased(struct budget *budget, size_t bytes);
void budget_drop_unleased(struct budget *budget, size_t bytes);

/* How scarce the bytes are: 0 normally. A step of 100 ms in which a lease was
 * refused raises it by one, up to BUDGET_PRESSURE_MAX; each whole second
 * without lowers it by one. `now_ms` is any clock that all callers share; to be
 * called about every 100 ms. */
unsigned budget_pressure(struct budget *budget, uint64_t now_ms);
