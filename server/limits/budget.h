/* The memory of all requests together (--max-inflight-bytes): bodies, plans,
 * replies, their inflated, deflated and copied forms, and the buffers for all
 * of them.
 *
 * Requests take bytes by a lease, and memory by a buffer. Small
 * buffers come from malloc(). A large one is mapped, and kept for a while after
 * use, since page faults cost more than moving the data: the next request uses
 * it again. Kept buffers yield to leases: they are freed as soon as leased and
 * kept bytes together would exceed the limit. One object for the process; any
 * thread. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/limits/address_limit.h"
#include "server/limits/connection_cost.h"
#include "server/limits/peer.h"

enum {
    /* Most that budget_pressure() gives: 64 KiB/s in progress.h. */
    BUDGET_PRESSURE_MAX = 6,

    /* Bytes of the smallest mapped buffer. Sizes of mapped memory are rounded
     * up to classes (at most a quarter more; pages that are not touched are not
     * resident): four for each power of two, from 128 KiB to 512 MiB. */
    BUDGET_MAPPED = 128 << 10,
    BUDGET_CLASSES = 4 * 12 + 1,
};

struct buffer {
    unsigned char *data; /* owned; NULL when empty */
    size_t capacity;     /* bytes */
    size_t unleased;     /* bytes that may be resident and are not leased yet */
};

struct kept_buffer; /* stored in the first bytes of kept memory */

struct budget {
    size_t limit, kept_limit; /* bytes */
    atomic_size_t leased;     /* never more than the limit */
    atomic_size_t sockets;    /* of them, by budget_lease_socket() */
    atomic_size_t kept;       /* in idle buffers; written with the lock */
    atomic_size_t unleased;   /* resident in buffers in use, not leased yet */
    struct address_limit addresses; /* bytes that each has leased */

    pthread_mutex_t lock;                        /* guards the next two */
    uint64_t period;                             /* since the start */
    struct kept_buffer *buffers[BUDGET_CLASSES]; /* owned; latest first */

    /* Of budget_pressure(). */
    atomic_uint refusals;     /* since the latest step */
    atomic_ullong next_ms;    /* when the next step is due */
    atomic_ullong changed_ms; /* when the pressure changed or was confirmed */
    atomic_uint pressure;
};

/* Keeps at most `kept_limit` bytes of idle buffers. No address has a limit. */
void budget_init(struct budget *budget, size_t limit, size_t kept_limit);

/* All buffers must have been put back. */
void budget_free(struct budget *budget);

/* Limits what the connections of one client address lease together; 0: no
 * limit. Once, before there are leases. Fails with NO_MEMORY. */
bool budget_limit_addresses(struct budget *budget, size_t limit,
                            size_t max_connections, struct status *st);

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

/* The scarcity of bytes: 0 normally. A step of 100 ms in which a lease was
 * refused raises it by one, up to BUDGET_PRESSURE_MAX; each whole second
 * without lowers it by one. `now_ms` is any clock that all callers share; to be
 * called about every 100 ms. */
unsigned budget_pressure(struct budget *budget, uint64_t now_ms);

/* Gives a buffer of at least `size` bytes (which may be 0) with any contents,
 * to be given back to buffer_put(). False without memory; the buffer is then
 * empty. */
bool buffer_get(struct budget *budget, size_t size, struct buffer *buffer);

/* The same for a user with a lease of `leased` bytes of `size` only, as the
 * others have not arrived: a kept buffer is wholly resident, so leases do not
 * get the rest of it until buffer_lease_more(), within the limit of kept
 * bytes. */
bool buffer_get_leasing(struct budget *budget, size_t size, size_t leased,
                        struct buffer *buffer);

/* To be called before the user leases more: `leased` bytes in all. */
void buffer_lease_more(struct budget *budget, struct buffer *buffer,
                       size_t leased);

/* Keeps or frees the memory and makes the buffer empty; it may be empty
 * already. Bytes leased for it are given back before, for kept ones count
 * beside the leases. */
void buffer_put(struct budget *budget, struct buffer *buffer);

/* Replaces the buffer by one of at least `size` bytes and copies its first
 * `used` bytes. False without memory; the buffer is then unchanged. */
bool buffer_grow(struct budget *budget, struct buffer *buffer, size_t used,
                 size_t size);

/* Ends a period, which is as long as the caller likes. Frees the memory that
 * has been kept for more than `periods` whole ones; with 0 all of it. */
void budget_trim(struct budget *budget, unsigned periods);

/* The bytes that one connection's request holds: its query, its body, its plan,
 * its reply.
 *
 * The first CONNECTION_COST_ALLOWANCE bytes are the connection's own and always
 * there, so that small requests never meet a full budget; the rest is leased
 * from the budget: at most three quarters of it by one connection, and
 * --max-inflight-bytes-per-address by one client address. Bytes are taken
 * before they are allocated, as they arrive or are produced; a lease fails at
 * once instead of waiting, so that requests never wait for each other.
 *
 * One thread at a time: the request's. */
struct lease {
    struct budget *budget;   /* borrowed */
    const struct peer *peer; /* borrowed; the client, or NULL: none */
    size_t allowance;        /* bytes that are not the budget's; set to 0 for a
                              * second lease of a connection */
    size_t held;             /* bytes, of the allowance and the budget */
};

enum lease_verdict {
    LEASE_OK,
    LEASE_BUSY,    /* does not fit beside the other leases */
    LEASE_NEVER,   /* exceeds lease_most() */
    LEASE_ADDRESS, /* does not fit beside those of the client's address */
};

void lease_init(struct lease *lease, struct budget *budget,
                const struct peer *peer);

/* Most bytes that a lease can hold. */
size_t lease_most(const struct lease *lease);

/* Takes `bytes` more; without LEASE_OK nothing changes. */
enum lease_verdict lease_take(struct lease *lease, size_t bytes);

/* Gives back `bytes`, at most those held. */
void lease_give(struct lease *lease, size_t bytes);
