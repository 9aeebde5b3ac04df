/* Fields into bytes. */
#include "api/protobuf/protobuf.h"
#include "tests/unit.h"

static void write_all(struct writer *w)
{
    size_t outer, inner;

    protobuf_write_number(w, 1, 150);
    protobuf_write_number(w, 16, UINT64_MAX);
    protobuf_write_text(w, 3, "ab");
    outer = protobuf_write_open(w, 4);
    inner = protobuf_write_open(w, 5);
    for (int i = 0; i < 130; i++)
        protobuf_write_varint(w, 7);
    protobuf_write_close(w, inner);
    protobuf_write_bytes(w, 6, "", 0);
    protobuf_write_close(w, outer);
}

static const unsigned char head[] = {0x08, 0x96, 0x01, 0x80, 0x01, 0xFF, 0xFF,
                                     0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                     0x01, 0x1A, 0x02, 'a',  'b',  0x22, 0x87,
                                     0x01, 0x2A, 0x82, 0x01};

static void check(const struct writer *w)
{
    const size_t len = sizeof(head) + 130 + 2;

    ck_assert(!w->failed);
    ck_assert_uint_eq(w->len, len);
    ck_assert_int_eq(memcmp(w->data, head, sizeof(head)), 0);
    ck_assert_int_eq(w->data[sizeof(head)], 7);
    ck_assert_int_eq(w->data[len - 3], 7);
    ck_assert_int_eq(w->data[len - 2], 0x32);
    ck_assert_int_eq(w->data[len - 1], 0);
}

UNIT_TEST(fields_are_written)
{
    struct writer w = {.grows = true};

    write_all(&w);
    check(&w);
    free(w.data);
}

UNIT_TEST(a_buffer_of_the_right_length_is_enough)
{
    struct writer grown = {.grows = true}, w;

    write_all(&grown);
    w = (struct writer){.data = malloc(grown.len), .size = grown.len};
    free(grown.data);
    write_all(&w);
    check(&w);
    free(w.data);
}

UNIT_TEST(a_buffer_that_is_too_small_fails)
{
    char block[3];
    struct writer w = {.data = block, .size = sizeof(block)};

    protobuf_write_number(&w, 1, 150);
    ck_assert(!w.failed);
    protobuf_write_number(&w, 1, 1);
    ck_assert(w.failed);
    ck_assert_uint_le(w.len, sizeof(block));
}
