/* The memory of all requests together (--max-inflight-bytes): bodies, plans,
 * replies, their inflated, deflated and copied forms, and the idle buffers kept
 * for the next request.
 *
 * Requests take bytes by a lease (lease.h). Kept buffers yield to leases: they
 * are freed as soon as leased and kept bytes together would exceed the limit.
 * One object for the process; any thread. */
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
    atomic_size_t kept;     /* in idle buffers */
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

/* Sets the owner of kept buffers, if there is one; before there are leases. */
void budget_set_reclaim(struct budget *budget, budget_reclaim *reclaim,
                        void *context);

/* Takes `bytes`, and frees kept buffers for them if need be. False if they do
 * not fit beside the other leases: that raises the pressure. */
bool budget_lease(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);

/* The same for the kernel's buffers of a wide socket, which are optional: they
 * take a quarter of the limit at most, and a refusal raises no pressure.
 * `budget` is a struct budget: callbacks of socket_buffers.h. */
bool budget_lease_socket(void *budget, size_t bytes);
void budget_give_socket(void *budget, size_t bytes);

/* Bytes leased by requests: all but those of sockets. */
size_t budget_requests(const struct budget *budget);

/* Counts an idle buffer; false if it does not fit. */
bool budget_keep(struct budget *budget, size_t bytes);
void budget_unkeep(struct budget *budget, size_t bytes);

/* Counts the bytes of a kept buffer in use again that its user has not leased
 * yet. Leases do not get these bytes. */
void budget_add_unleased(struct budget *budget, size_t bytes);
void budget_drop_unleased(struct budget *budget, size_t bytes);

/* The scarcity of bytes: 0 normally. A step of 100 ms in which a lease was
 * refused raises it by one, up to BUDGET_PRESSURE_MAX; each whole second
 * without lowers it by one. `now_ms` is any clock that all callers share; to be
 * called about every 100 ms. */
unsigned budget_pressure(struct budget *budget, uint64_t now_ms);
