#include <stdint.h>
#include <string.h>

#include "server/http2/output.h"
#include "tests/unit.h"

static struct output output;
static unsigned char wire[2 * OUTPUT_BYTES]; /* what was sent */
static size_t wire_len;
static int counters_sent; /* calls of on_sent() */

static void start(void)
{
    memset(&output, 0, sizeof(output));
}

static void on_sent(size_t *unsent)
{
    ck_assert_uint_eq(*unsent, 0);
    counters_sent++;
}

/* As a socket that takes `most` bytes. */
static void send_bytes(size_t most)
{
    size_t sent = 0;

    for (size_t i = output.first; i < output.count && sent < most; i++) {
        size_t len = output.parts[i].iov_len;

        len = len < most - sent ? len : most - sent;
        memcpy(wire + wire_len + sent, output.parts[i].iov_base, len);
        sent += len;
    }
    wire_len += sent;
    output_advance(&output, sent, on_sent);
}

UNIT_TEST(copies_join)
{
    ck_assert(output_is_empty(&output));
    output_copy(&output, "abc", 3);
    output_copy(&output, "defg", 4);
    ck_assert_uint_eq(output.count, 1);
    ck_assert_uint_eq(output.bytes, 7);
    send_bytes(2);
    output_copy(&output, "h", 1); /* behind a part that is half sent */
    ck_assert_uint_eq(output.count, 1);
    send_bytes(100);
    ck_assert(output_is_empty(&output));
    ck_assert_uint_eq(output.bytes, 0);
    ck_assert_uint_eq(output.copied_len, 0);
    ck_assert_mem_eq(wire, "abcdefgh", 8);
}

UNIT_TEST(borrowed_bytes_are_counted_until_they_are_sent)
{
    static const char data[] = "0123456789";
    size_t unsent = 0;

    output_copy(&output, "<", 1);
    output_borrow(&output, data, 10, &unsent);
    output_copy(&output, ">", 1);
    output_borrow(&output, data, 5, &unsent);
    ck_assert_uint_eq(output.count, 4);
    ck_assert_uint_eq(unsent, 15);
    send_bytes(4);
    ck_assert_uint_eq(unsent, 12);
    send_bytes(8);
    ck_assert_uint_eq(unsent, 5);
    ck_assert_int_eq(counters_sent, 0);
    send_bytes(100);
    ck_assert_uint_eq(unsent, 0);
    ck_assert_int_eq(counters_sent, 1);
    ck_assert_uint_eq(wire_len, 17);
    ck_assert_mem_eq(wire, "<0123456789>01234", 17);
}

/* nghttp2 keeps such a frame until it is asked for the next. */
UNIT_TEST(a_frame_that_does_not_fit_is_borrowed_and_is_the_last)
{
    static const char frame[OUTPUT_COPIED + 1];

    output_copy(&output, "abc", 3);
    output_copy(&output, frame, sizeof(frame));
    ck_assert(output.full);
    ck_assert_ptr_eq(output.parts[1].iov_base, (void *)(uintptr_t)frame);
    send_bytes(SIZE_MAX);
    ck_assert(!output.full);
    ck_assert(output_is_empty(&output));
}

UNIT_TEST(parts_and_bytes_have_limits)
{
    static char data[OUTPUT_BYTES];
    size_t unsent = 0, frames = 0;

    output_borrow(&output, data, OUTPUT_BYTES - 1, &unsent);
    ck_assert(output_fits(&output, 5, 9));
    output_borrow(&output, data, 1, &unsent);
    ck_assert(!output_fits(&output, 5, 9));
    send_bytes(SIZE_MAX);
    start();
    for (; output_fits(&output, 2, 9); frames++) {
        output_copy(&output, "123456789", 9);
        output_borrow(&output, data, 1, &unsent);
        output_borrow(&output, data, 1, &unsent);
    }
    ck_assert(output.full);
    ck_assert_uint_lt(output.count, OUTPUT_PARTS);
    ck_assert_uint_gt(frames, 15);
    send_bytes(SIZE_MAX);
    ck_assert_uint_eq(unsent, 0);
    ck_assert(output_fits(&output, 2, 9));
}

/* A part is left for a frame that is too long for a copy. */
UNIT_TEST(the_last_part_is_for_a_long_frame)
{
    static char data[OUTPUT_COPIED + 1];

    while (!output.full)
        output_borrow(&output, data, 1, NULL);
    ck_assert_uint_eq(output.count, OUTPUT_PARTS - 1);
    output_copy(&output, data, sizeof(data));
    ck_assert_uint_eq(output.count, OUTPUT_PARTS);
}

/* As many as there are, and not one more. */
UNIT_TEST(all_parts_and_copied_bytes_are_used)
{
    static char data[OUTPUT_COPIED];

    output_copy(&output, data, OUTPUT_COPIED - 100);
    ck_assert(output_fits(&output, OUTPUT_PARTS - 3, 100));
    ck_assert(!output_fits(&output, OUTPUT_PARTS - 2, 100));
    start();
    output_copy(&output, data, OUTPUT_COPIED - 100);
    ck_assert(!output_fits(&output, 1, 101));
    start();
    output_copy(&output, data, OUTPUT_COPIED);
    ck_assert_uint_eq(output.copied_len, OUTPUT_COPIED);
    ck_assert(!output.full);
}
