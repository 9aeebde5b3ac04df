/* The share of a loop's time that TLS handshakes may take. A handshake costs as
 * much as dozens of requests and takes a client next to nothing to provoke, so
 * new ones wait when the share is used up. No clock of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    HANDSHAKE_SHARE_MS = 100, /* the time of which it is a share */
    /* Charged for each one beforehand: its connection's memory and session. */
    HANDSHAKE_SHARE_START_NS = 100000,
};

/* Zeroed: to be given its whole share at the first call. */
struct handshake_share {
    int64_t left_ns; /* below 0: taken in advance */
    uint64_t refilled_ms;
    uint64_t counted_ns; /* of the time that all handshakes took */
};

/* True if another handshake may begin at `now_ms`, which it is charged for.
 * `taken_ns`: time that all of them took so far; `share_ns`: what they may take
 * in HANDSHAKE_SHARE_MS, and at most at once. */
bool handshake_share_take(struct handshake_share *share, uint64_t now_ms,
                          uint64_t taken_ns, uint64_t share_ns);
