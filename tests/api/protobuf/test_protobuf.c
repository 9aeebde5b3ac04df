/* Fields out of bytes, and into bytes. */
#include "api/protobuf/protobuf.h"
#include "tests/edge.h"
#include "tests/unit.h"

enum { FIELDS = 20 };

static struct protobuf_reader begin(const char *bytes, size_t len, size_t *left,
                                    unsigned char **block)
{
    *block = edge_copy(bytes, len);
    return protobuf_read(*block, len, left);
}

static const struct {
    const char *bytes;
    size_t len;
    struct protobuf_field field; /* without data */
} fields[] = {
    {"\x08\x96\x01", 3, {.number = 1, .type = PROTOBUF_VARINT, .value = 150}},
    {"\x08\x80\x00", 3, {.number = 1, .type = PROTOBUF_VARINT, .value = 0}},
    {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
     11,
     {.number = 1, .type = PROTOBUF_VARINT, .value = UINT64_MAX}},
    /* bits past the 64th */
    {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F",
     11,
     {.number = 1, .type = PROTOBUF_VARINT, .value = UINT64_MAX}},
    {"\x15\x01\x02\x03\x84",
     5,
     {.number = 2, .type = PROTOBUF_FIXED32, .value = 0x84030201}},
    {"\x15\x00\x00\x00\x00", 5, {.number = 2, .type = PROTOBUF_FIXED32}},
    {"\x11\x01\x02\x03\x04\x05\x06\x07\x88",
     9,
     {.number = 2, .type = PROTOBUF_FIXED64, .value = 0x8807060504030201}},
    {"\x1A\x02\x61\x62", 4, {.number = 3, .type = PROTOBUF_BYTES, .value = 2}},
    {"\x1A\x00", 2, {.number = 3, .type = PROTOBUF_BYTES, .value = 0}},
    /* the largest number, and a tag that is longer than it need be */
    {"\xF8\xFF\xFF\xFF\x0F\x05",
     6,
     {.number = (1 << 29) - 1, .type = PROTOBUF_VARINT, .value = 5}},
    {"\x88\x00\x05", 3, {.number = 1, .type = PROTOBUF_VARINT, .value = 5}},
    /* behind groups, one in the other */
    {"\x0B\x10\x01\x1B\x1C\x0C\x08\x07",
     8,
     {.number = 1, .type = PROTOBUF_VARINT, .value = 7}},
};

LOOP_TEST(a_field_is_read, COUNT(fields))
{
    size_t left = FIELDS;
    unsigned char *block;
    struct protobuf_reader reader =
        begin(fields[_i].bytes, fields[_i].len, &left, &block);
    struct protobuf_field field;
    struct status st;

    ck_assert(protobuf_next(&reader, &field));
    ck_assert_uint_eq(field.number, fields[_i].field.number);
    ck_assert_uint_eq(field.type, fields[_i].field.type);
    ck_assert_uint_eq(field.value, fields[_i].field.value);
    ck_assert_ptr_eq(field.data + field.len, block + fields[_i].len);
    ck_assert(!protobuf_next(&reader, &field));
    ck_assert(protobuf_end(&reader, &st));
    edge_free(block, fields[_i].len);
}

static const struct {
    const char *bytes;
    size_t len;
    const char *text;
} faults[] = {
    {"\x80", 1, "at byte 0: a tag does not end"},
    {"\x08", 1, "at byte 1: a number does not end"},
    {"\x08\x80", 2, "at byte 1: a number does not end"},
    {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 12,
     "at byte 1: a number does not end"},
    {"\x15\x01\x02\x03", 4, "at byte 1: a number of fixed size does not end"},
    {"\x11\x01\x02\x03\x04\x05\x06\x07", 8,
     "at byte 1: a number of fixed size does not end"},
    {"\x1A", 1, "at byte 1: a length does not end"},
    {"\x1A\x01", 2, "at byte 2: a field is longer than what holds it"},
    {"\x1A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11,
     "at byte 11: a field is longer than what holds it"},
    {"\x00\x01", 2, "at byte 1: a field has a number that no field can have"},
    {"\x80\x80\x80\x80\x10\x01", 6,
     "at byte 5: a field has a number that no field can have"},
    {"\x0E", 1, "at byte 1: a field has a type that does not exist"},
    {"\x0F", 1, "at byte 1: a field has a type that does not exist"},
    {"\x0C", 1, "at byte 1: a group ends that did not begin"},
    {"\x0B\x14\x08\x01", 4, "at byte 2: a group ends that did not begin"},
    {"\x0B\x10\x01", 3, "at byte 3: a group does not end"},
    {"\x0B\x0E", 2, "at byte 2: a field has a type that does not exist"},
};

LOOP_TEST(a_malformed_field_is_refused, COUNT(faults))
{
    size_t left = FIELDS;
    unsigned char *block;
    struct protobuf_reader reader =
        begin(faults[_i].bytes, faults[_i].len, &left, &block);
    struct protobuf_field field;
    struct status st;

    ck_assert(!protobuf_next(&reader, &field));
    ck_assert(!protobuf_end(&reader, &st));
    ck_assert_int_eq(st.code, STATUS_MALFORMED);
    ck_assert_str_eq(strstr(st.message, "at byte"), faults[_i].text);
    edge_free(block, faults[_i].len);
}

UNIT_TEST(fields_are_counted)
{
    char bytes[2 * FIELDS + 2];
    size_t left = FIELDS;
    unsigned char *block;
    struct protobuf_reader reader;
    struct protobuf_field field;
    struct status st;
    int count = 0;

    memset(bytes, 0x08, sizeof(bytes));
    reader = begin(bytes, sizeof(bytes), &left, &block);
    while (protobuf_next(&reader, &field))
        count++;
    ck_assert_int_eq(count, FIELDS);
    ck_assert(!protobuf_end(&reader, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_str_eq(
        st.message,
        "malformed message at byte 40: the message has more than 2000 fields");
    edge_free(block, sizeof(bytes));
}

/* A message in a message, and a group. */
UNIT_TEST(fields_are_counted_and_faults_found_in_the_whole_message)
{
    static const char bytes[] = "\x12\x07\x0B\x08\x02\x0C\x08\x01\x08\x10";
    size_t left = FIELDS;
    unsigned char *block;
    struct protobuf_reader reader =
                               begin(bytes, sizeof(bytes) - 1, &left, &block),
                           inner;
    struct protobuf_field field;
    struct status st;

    ck_assert(protobuf_next(&reader, &field));
    inner = protobuf_enter(&reader, &field);
    ck_assert(protobuf_next(&inner, &field));
    ck_assert_uint_eq(field.value, 1);
    ck_assert_uint_eq(left, FIELDS - 5);
    ck_assert(!protobuf_next(&inner, &field));
    ck_assert(!protobuf_end(&inner, &st));
    ck_assert_str_eq(st.message,
                     "malformed message at byte 9: a number does not end");
    ck_assert(protobuf_end(&reader, &st));
    edge_free(block, sizeof(bytes) - 1);
}

LOOP_TEST(groups_are_nested_to_a_limit, 2)
{
    int depth = PROTOBUF_MAX_GROUPS + _i;
    char bytes[2 * (PROTOBUF_MAX_GROUPS + 1)];
    size_t left = 2 * sizeof(bytes);
    unsigned char *block;
    struct protobuf_reader reader;
    struct protobuf_field field;
    struct status st;

    memset(bytes, 0x0B, (size_t)depth);
    memset(bytes + depth, 0x0C, (size_t)depth);
    if (_i > 0)
        memcpy(bytes + depth, "\x08\x01", 2);
    reader = begin(bytes, 2 * (size_t)depth, &left, &block);
    ck_assert(!protobuf_next(&reader, &field));
    ck_assert_int_eq(protobuf_end(&reader, &st), _i == 0);
    ck_assert(_i == 0 ||
              strstr(st.message,
                     "at byte 101: groups are nested more than 100 deep"));
    edge_free(block, 2 * (size_t)depth);
}

/* Texts, and why one is none, and none that may be a name. */
static const struct {
    const char *bytes;
    size_t len;
    const char *text, *name;
} texts[] = {
    {"", 0, NULL, NULL},
    {"ab", 2, NULL, NULL},
    {"\x7F\xC2\x80\xE2\x82\xAC", 6, NULL, NULL},
    {"a\0b", 3, NULL, "x holds a NUL character"},
    {"\x80", 1, "x is not UTF-8: see its byte 0", NULL},
    {"\0\xFF", 2, "x is not UTF-8: see its byte 1", NULL},
    {"\xC3\xA9\xC3", 3, "x is not UTF-8: see its byte 2", NULL},
    {"ab\xE2\x82", 4, "x is not UTF-8: see its byte 2", NULL},
};

LOOP_TEST(a_text_is_utf_8_and_a_name_has_no_nul, COUNT(texts))
{
    size_t len = texts[_i].len;
    unsigned char *copy = edge_copy(texts[_i].bytes, len);
    const struct protobuf_field field = {.data = copy, .len = len};
    const char *text = texts[_i].text, *name = text ? text : texts[_i].name;
    struct status st;

    ck_assert_int_eq(protobuf_is_text(&field, "x", &st), text == NULL);
    if (text)
        ck_assert_str_eq(st.message, text);
    ck_assert_int_eq(protobuf_is_name(&field, "x", &st), name == NULL);
    if (name) {
        ck_assert_str_eq(st.message, name);
        ck_assert_int_eq(st.code, text ? STATUS_MALFORMED : STATUS_INVALID);
    }
    ck_assert(protobuf_text_is(&field, "ab") == (_i == 1));
    ck_assert(!protobuf_text_is(&field, "abc"));
    ck_assert(!protobuf_text_is(&field, "ac"));
    edge_free(copy, len);
}

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
