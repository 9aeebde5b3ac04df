/* Fields out of bytes. */
#include <stdlib.h>
#include <string.h>

#include "api/protobuf/protobuf.h"
#include "tests/unit.h"

enum { FIELDS = 20 };

/* In a block of just its size, so that a sanitizer sees a byte behind it. */
static struct protobuf_reader read(const char *bytes, size_t len, size_t *left,
                                   unsigned char **block)
{
    *block = malloc(len > 0 ? len : 1);
    ck_assert_ptr_nonnull(*block);
    memcpy(*block, bytes, len);
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
        read(fields[_i].bytes, fields[_i].len, &left, &block);
    struct protobuf_field field;
    struct status st;

    ck_assert(protobuf_next(&reader, &field));
    ck_assert_uint_eq(field.number, fields[_i].field.number);
    ck_assert_uint_eq(field.type, fields[_i].field.type);
    ck_assert_uint_eq(field.value, fields[_i].field.value);
    ck_assert_ptr_eq(field.data + field.len, block + fields[_i].len);
    ck_assert(!protobuf_next(&reader, &field));
    ck_assert(protobuf_end(&reader, &st));
    free(block);
}

static const struct {
    const char *bytes;
    size_t len;
    const char *text;
} faults[] = {
    {"\x80", 1, "at byte 0: a tag does not end"},
    {"\x08", 1, "at byte 1: a number does not end"},
    {"\x08\x80", 2, "a number does not end"},
    {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 12,
     "a number does not end"},
    {"\x15\x01\x02\x03", 4, "a number of fixed size does not end"},
    {"\x11\x01\x02\x03\x04\x05\x06\x07", 8, "a number of fixed size does not"},
    {"\x1A", 1, "a length does not end"},
    {"\x1A\x01", 2, "at byte 2: a field is longer than what holds it"},
    {"\x1A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11, "a field is longer"},
    {"\x00\x01", 2, "a field has a number that no field can have"},
    {"\x80\x80\x80\x80\x10\x01", 6, "a number that no field can have"},
    {"\x0E", 1, "a field has a type that does not exist"},
    {"\x0F", 1, "a field has a type that does not exist"},
    {"\x0C", 1, "a group ends that did not begin"},
    {"\x0B\x14", 2, "a group ends that did not begin"},
    {"\x0B\x10\x01", 3, "a group does not end"},
    {"\x0B\x0E", 2, "a field has a type that does not exist"},
};

LOOP_TEST(a_malformed_field_is_refused, COUNT(faults))
{
    size_t left = FIELDS;
    unsigned char *block;
    struct protobuf_reader reader =
        read(faults[_i].bytes, faults[_i].len, &left, &block);
    struct protobuf_field field;
    struct status st;

    ck_assert(!protobuf_next(&reader, &field));
    ck_assert(!protobuf_end(&reader, &st));
    ck_assert_int_eq(st.code, STATUS_MALFORMED);
    ck_assert_msg(strstr(st.message, faults[_i].text) != NULL, "%s",
                  st.message);
    free(block);
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
    reader = read(bytes, sizeof(bytes), &left, &block);
    while (protobuf_next(&reader, &field))
        count++;
    ck_assert_int_eq(count, FIELDS);
    ck_assert(!protobuf_end(&reader, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "too many fields"));
    free(block);
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
    reader = read(bytes, 2 * (size_t)depth, &left, &block);
    ck_assert(!protobuf_next(&reader, &field));
    ck_assert_int_eq(protobuf_end(&reader, &st), _i == 0);
    free(block);
}
