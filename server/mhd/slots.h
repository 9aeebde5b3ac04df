/* The memory of an engine's connections. Each has a slot of 32 KiB: the state
 * of its two owners, and behind it what libmicrohttpd keeps its request in. A
 * request line and short headers are written to the begin of that memory and to
 * its end, so the slots lie in such a way that
 *
 *     the end of one slot's memory | the next one's state | its memory's begin
 *
 * share a page: a connection that waits, drips its headers or is idle keeps one
 * page and no more. Memory of a connection that was closed goes back to the
 * system, but for some that the next ones take. One thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLOT_BYTES = 32 << 10,
    SLOT_STATE = 2 << 10, /* of the engine and its owner */
    /* libmicrohttpd's: request line, headers, and what is read of the body at a
     * time. They are cleared for each request, so more is slower: 4 KiB POSTs
     * ran at 171 k/s with 32 KiB and 62 k/s with 256 KiB. */
    SLOT_MEMORY = SLOT_BYTES - SLOT_STATE,
};

struct slots {
    unsigned char *pages;  /* owned; reserved for all slots, used as needed */
    size_t size;           /* bytes of them */
    bool trims;            /* pages may go back to the system */
    uint32_t count;        /* slots */
    uint32_t used;         /* those from here on were never taken */
    uint32_t *free;        /* owned: free ones; the warm ones from the left, the
                            * cold ones, without memory, from the right */
    uint32_t warm, cold;   /* how many */
    unsigned char *states; /* owned: of each slot, bits of its users */
};

/* Reserves addresses for `count` slots. False without memory. */
bool slots_init(struct slots *slots, uint32_t count);

/* No slot may be taken. */
void slots_free(struct slots *slots);

/* The state of a free slot, zeroed; NULL: all are taken, or without memory. It
 * is taken until both users have given it back: the state's and, if
 * slot_lend() was called, the memory's. */
void *slots_take(struct slots *slots);
void slots_give(struct slots *slots, void *state);

/* The memory behind a state, for libmicrohttpd. */
void *slots_lend(struct slots *slots, void *state);

/* Takes the memory back, if it is a slot's. False: it is not. */
bool slots_return(struct slots *slots, void *memory);

/* Gives those pages of the memory back that hold zeros only, as all do between
 * two requests: no request can tell the difference. */
void slots_trim(struct slots *slots, void *state);
