
#include <string.h>

#include "server/http2/flood.h"
#include "tests/unit.h"

static struct flood flood;

/* How many of a kind pass at this time. */
static int count(bool (*ask)(struct flood *, uint64_t), uint64_t now_ms)
{
    int passed = 0;

    while (passed < 1000000 && ask(&flood, now_ms))
        passed++;
    return passed;
}

UNIT_TEST(a_second_of_resets_is_free_at_once_and_comes_back)
{
    flood_init(&flood, 500, 1000);
    ck_assert_int_eq(count(flood_reset, 1000), 500);
    ck_assert_int_eq(count(flood_reset, 1001), 0); /* half of one */
    ck_assert_int_eq(count(flood_reset, 1002), 1);
    ck_assert_int_eq(count(flood_reset, 1102), 50);
    ck_assert_int_eq(count(flood_reset, 900000), 500); /* no more is saved */
}

UNIT_TEST(resets_within_the_rate_never_end)
{
    flood_init(&flood, 500, 0);
    for (uint64_t ms = 0; ms < 100000; ms += 2)
        if (!flood_reset(&flood, ms))
            ck_abort_msg("refused at %d ms", (int)ms);
}

static void greet(void)
{
    static const unsigned char preface[24];

    flood_init(&flood, 500, 0);
    flood_scan(&flood, preface, sizeof(preface));
}

static void scan_frame(size_t length)
{
    static const unsigned char zeros[4096];
    const unsigned char head[9] = {(unsigned char)(length >> 16),
                                   (unsigned char)(length >> 8),
                                   (unsigned char)length};

    flood_scan(&flood, head, sizeof(head));
    for (size_t part; length > 0; length -= part) {
        part = length < sizeof(zeros) ? length : sizeof(zeros);
        flood_scan(&flood, zeros, part);
    }
}

static bool empty_frame(struct flood *one, uint64_t now_ms)
{
    scan_frame(0);
    return flood_judge(one, now_ms);
}

UNIT_TEST(frames_have_a_bucket_of_their_own)
{
    greet();
    ck_assert_int_eq(count(empty_frame, 0), FLOOD_FRAMES_MAX);
    ck_assert_int_eq(count(flood_reset, 0), 500);
    ck_assert_int_eq(count(empty_frame, 1000), FLOOD_FRAMES);
}

UNIT_TEST(requests_earn_frames)
{
    greet();
    count(empty_frame, 0);
    flood_earn(&flood, FLOOD_EARNED);
    ck_assert_int_eq(count(empty_frame, 0), FLOOD_EARNED);
    for (int i = 0; i < 100000; i++)
        flood_earn(&flood, FLOOD_EARNED);
    ck_assert_int_eq(count(empty_frame, 0), FLOOD_FRAMES_MAX);
}

/* Three frames, the last of which has begun, cut anywhere. */
UNIT_TEST(frames_are_counted_wherever_they_are_cut)
{
    unsigned char bytes[24 + 9 + 300 + 9 + 9] = {0};
    size_t len = sizeof(bytes);

    bytes[24 + 1] = 300 >> 8;
    bytes[24 + 2] = 300 & 255;
    memset(bytes + 24 + 9, 255, 300);
    memset(bytes + len - 9, 255, 9);
    for (size_t at = 0; at <= len; at++)
        for (size_t to = at; to <= len; to += 7) {
            flood_init(&flood, 500, 0);
            flood_scan(&flood, bytes, at);
            flood_scan(&flood, bytes + at, to - at);
            flood_scan(&flood, bytes + to, len - to);
            if (flood.unjudged != 2 + (1 << 24) / FLOOD_BYTES)
                ck_abort_msg("%d at %d and %d", (int)flood.unjudged, (int)at,
                             (int)to);
        }
}

/* What makes a frame useful may come in the next turn. */
LOOP_TEST(frames_of_use_are_free, 2)
{
    size_t length = _i ? 9 : 3 * FLOOD_BYTES;

    greet();
    for (int i = 0; i < 100000; i++) {
        scan_frame(length);
        ck_assert(_i == 0 || flood_judge(&flood, 0));
        flood_begin(&flood, length);
        flood_progress(&flood);
        flood_progress(&flood);
        ck_assert(flood_judge(&flood, 0));
    }
    ck_assert_int_eq(count(empty_frame, 0), FLOOD_FRAMES_MAX);
}

/* Progress that is told twice costs nothing, and earns nothing. */
UNIT_TEST(a_frame_of_use_is_taken_back_once)
{
    greet();
    count(empty_frame, 0);
    for (int i = 0; i < 10; i++) {
        scan_frame(3 * FLOOD_BYTES);
        flood_begin(&flood, 3 * FLOOD_BYTES);
        flood_progress(&flood);
        flood_progress(&flood);
        ck_assert(flood_judge(&flood, 0));
    }
    ck_assert_int_eq(count(empty_frame, 0), 0);
}

static bool long_frame(struct flood *one, uint64_t now_ms)
{
    scan_frame(9 * FLOOD_BYTES);
    return flood_judge(one, now_ms);
}

UNIT_TEST(a_long_frame_counts_as_several)
{
    greet();
    ck_assert_int_eq(count(long_frame, 0), FLOOD_FRAMES_MAX / 10);
}
