/* The requests of one lane that wait: turns among client addresses, the oldest
 * request first inside an address.
 *
 * Addresses are hashed into LANE_TURNS turns; two that meet in one share it.
 * Nothing is allocated: entries are linked through themselves. The caller
 * locks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

enum { LANE_TURNS = 256 };

/* A request that waits. Costs are nanoseconds of an unloaded core, as far as
 * they could be foreseen; times are nanoseconds of any monotonic clock. */
struct schedule_entry {
    uint64_t cost;      /* set by the caller */
    uint32_t address;   /* set by the caller: a hash of the client's address */
    int lane;           /* enum schedule_lane; -1: neither waits nor runs */
    bool promised;      /* is to come to that lane soon */
    bool waits;         /* in that lane; false: it runs */
    uint64_t queued_ns; /* when it began to wait in this lane */
    uint64_t patience_ns;             /* how long it may wait; 0: no limit */
    TAILQ_ENTRY(schedule_entry) turn; /* of its address */
    TAILQ_ENTRY(schedule_entry) age;  /* of the lane */
};

TAILQ_HEAD(lane_entries, schedule_entry);

/* The waiting requests of one address, or of several with the same hash. */
struct lane_turn {
    struct lane_entries entries;
    size_t count;
    size_t promised;   /* entries that are to come */
    uint64_t calm_ns;  /* when a new request found none waiting, at last */
    uint64_t alert_ns; /* until when a refusal is remembered */
    TAILQ_ENTRY(lane_turn) next; /* of the lane, while entries wait */
};

struct lane {
    struct lane_turn turns[LANE_TURNS];
    TAILQ_HEAD(, lane_turn) order; /* the first is served next */
    struct lane_entries ages;      /* the first waits longest */
    struct lane_entries promises;  /* the first was made first */
    size_t count, promised;        /* entries */
    size_t addresses;              /* turns with any of both */
    uint64_t cost, promised_cost;  /* sums of the entries' */
};

void lane_init(struct lane *lane);

/* The turn of an address. */
struct lane_turn *lane_turn_of(struct lane *lane, uint32_t address);

/* Appends the entry to those of its address. */
void lane_push(struct lane *lane, struct schedule_entry *entry);

/* The entry whose turn it is; NULL if none waits. */
struct schedule_entry *lane_first(const struct lane *lane);

/* Removes any waiting entry. If it was the first of the address whose turn it
 * is, the turn passes on. */
void lane_remove(struct lane *lane, struct schedule_entry *entry);

/* The newest entry of the address that has the most; the lane is not empty. */
struct schedule_entry *lane_newest(const struct lane *lane);

/* Counts an entry that will be pushed soon; and ends that. */
void lane_promise(struct lane *lane, struct schedule_entry *entry);
void lane_forget(struct lane *lane, struct schedule_entry *entry);

/* How many entries, promised ones too, would be served before one that
 * `address` added now. */
size_t lane_ahead(const struct lane *lane, uint32_t address);
