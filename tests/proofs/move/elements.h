/* Packed elements, read and compared one by one. */
#pragma once

#include "tests/proofs/harness.h"

/* Element `at`, straight from the definition in kernels/core/dtype.h. */
static inline unsigned element(const unsigned char *data, size_t at)
{
    size_t per_byte = 8 / BITS, slot = at % per_byte;
    size_t shift = (HIGH_FIRST ? per_byte - 1 - slot : slot) * BITS;

    return data[at / per_byte] >> shift & ((1u << BITS) - 1);
}

/* Where element `at` of the result comes from: from span b if it is in span a,
 * else from itself. */
static inline bool is_in(const struct spans *s, size_t at)
{
    return at >= s->a / BITS && at < (s->a + s->bits) / BITS;
}

static inline size_t partner(const struct spans *s, size_t at)
{
    size_t i = at - s->a / BITS;

    return s->b / BITS + (s->reverse ? s->bits / BITS - 1 - i : i);
}

/* Of a copy of span b of `from` over span a of what was `before` in `to`. */
static inline void check_copied(const unsigned char *from,
                                const unsigned char *before,
                                const unsigned char *to, const struct spans *s,
                                size_t at)
{
    CHECK(element(to, at) ==
          (is_in(s, at) ? element(from, partner(s, at)) : element(before, at)));
}
