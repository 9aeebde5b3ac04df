/* How old a connection may become (--max-connection-age), so that clients that
 * keep theirs spread over replicas that came later. */
#pragma once

#include <stdint.h>

#include "server/limits/peer.h"

/* When a connection that begins now is to end, in milliseconds of the same
 * clock; 0: never, as for `seconds` 0. It is a tenth sooner or later, for those
 * that begin together are not to end together. */
uint64_t age_end_ms(int64_t seconds, const struct peer *peer, uint64_t now_ms);
