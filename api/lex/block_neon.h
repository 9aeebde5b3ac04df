/* A block of 64 bytes as four NEON registers. */
#pragma once

#include <arm_neon.h>
#include <stdint.h>

struct block {
    uint8x16_t parts[4];
};

static inline struct block block_load(const char *text)
{
    const uint8_t *from = (const uint8_t *)text;

    return (struct block){{vld1q_u8(from), vld1q_u8(from + 16),
                           vld1q_u8(from + 32), vld1q_u8(from + 48)}};
}

/* One bit for each byte: `matches` has 0 or 255 in each. Each byte keeps the
 * bit of its index in eight bytes, and three pairwise additions join eight
 * bytes. */
static inline uint64_t block_mask(struct block matches)
{
    const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128,
                             1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8(vandq_u8(matches.parts[0], bits),
                               vandq_u8(matches.parts[1], bits));
    uint8x16_t high = vpaddq_u8(vandq_u8(matches.parts[2], bits),
                                vandq_u8(matches.parts[3], bits));
    uint8x16_t sum = vpaddq_u8(low, high);

    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

static inline uint64_t block_equal(struct block b, char byte)
{
    for (int i = 0; i < 4; i++)
        b.parts[i] = vceqq_u8(b.parts[i], vdupq_n_u8((uint8_t)byte));
    return block_mask(b);
}

static inline uint64_t block_digits(struct block b)
{
    for (int i = 0; i < 4; i++)
        b.parts[i] =
            vcltq_u8(vsubq_u8(b.parts[i], vdupq_n_u8('0')), vdupq_n_u8(10));
    return block_mask(b);
}

static inline uint64_t block_spaces(struct block b)
{
    for (int i = 0; i < 4; i++) {
        uint8x16_t part = b.parts[i];
        uint8x16_t blank = vceqq_u8(part, vdupq_n_u8(' '));
        uint8x16_t tab = vceqq_u8(part, vdupq_n_u8('\t'));
        uint8x16_t feed = vceqq_u8(part, vdupq_n_u8('\n'));
        uint8x16_t end = vceqq_u8(part, vdupq_n_u8('\r'));

        b.parts[i] = vorrq_u8(vorrq_u8(blank, tab), vorrq_u8(feed, end));
    }
    return block_mask(b);
}

static inline uint64_t block_blanks(struct block b)
{
    for (int i = 0; i < 4; i++)
        b.parts[i] = vcleq_u8(b.parts[i], vdupq_n_u8(' '));
    return block_mask(b);
}
