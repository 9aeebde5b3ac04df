#include "server/limits/handshake_share.h"

static void refill(struct handshake_share *share, uint64_t now_ms,
                   uint64_t share_ns)
{
    uint64_t passed = now_ms - share->refilled_ms;

    if (passed > HANDSHAKE_SHARE_MS)
        passed = HANDSHAKE_SHARE_MS;
    share->refilled_ms = now_ms;
    share->left_ns += (int64_t)(share_ns * passed / HANDSHAKE_SHARE_MS);
    if (share->left_ns > (int64_t)share_ns)
        share->left_ns = (int64_t)share_ns;
}

bool handshake_share_take(struct handshake_share *share, uint64_t now_ms,
                          uint64_t taken_ns, uint64_t share_ns)
{
    share->left_ns -= (int64_t)(taken_ns - share->counted_ns);
    share->counted_ns = taken_ns;
    refill(share, now_ms, share_ns);
    if (share->left_ns <= 0)
        return false;
    share->left_ns -= HANDSHAKE_SHARE_START_NS;
    return true;
}
