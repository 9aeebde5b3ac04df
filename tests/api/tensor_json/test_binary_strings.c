#include "api/tensor_json/tensor_json.h"
#include "tests/edge.h"
#include "tests/unit.h"

/* `len` bytes behind which none can be read. */
static struct tensor make(const char *data, size_t len)
{
    return (struct tensor){.name = "input",
                           .dtype = DTYPE_BYTES,
                           .data = edge_copy(data, len),
                           .bytes = len};
}

static void drop(struct tensor *tensor)
{
    edge_free((void *)(uintptr_t)tensor->data, tensor->bytes);
}

#define MAKE(literal) make(literal, sizeof(literal) - 1)

UNIT_TEST(bytes_index_finds_rows)
{
    struct tensor t = MAKE("\1\0\0\0a\0\0\0\0\3\0\0\0bcd\2\0\0\0e\0");
    struct span rows[4];
    struct status st;

    ck_assert(binary_strings_index(&t, 4, 1, rows, NULL, &st));
    ck_assert_uint_eq(rows[0].start, 0);
    ck_assert_uint_eq(rows[0].len, 5);
    ck_assert_uint_eq(rows[1].start, 5);
    ck_assert_uint_eq(rows[1].len, 4);
    ck_assert_uint_eq(rows[3].start, 16);
    ck_assert_uint_eq(rows[3].len, 6);
    ck_assert(binary_strings_index(&t, 4, 2, rows, NULL, &st));
    ck_assert_uint_eq(rows[1].start, 9);
    ck_assert_uint_eq(rows[1].len, 13);
    ck_assert(binary_strings_index(&t, 4, 4, NULL, NULL, &st));
    drop(&t);
}

UNIT_TEST(bytes_index_accepts_no_elements)
{
    struct tensor t = MAKE("");
    struct status st;

    ck_assert(binary_strings_index(&t, 0, 1, NULL, NULL, &st));
    drop(&t);
}

static const struct {
    const char *data;
    size_t len;
    uint64_t count;
    const char *message;
} refusals[] = {
    {"\377\377\377\377abc", 7, 1,
     "data[0] of 'input' announces 4294967295 bytes, but 3 are left of 7"},
    {"\1\0\0\0a\4\0\0\0abc", 12, 2,
     "data[1] of 'input' announces 4 bytes, but 3 are left of 12"},
    {"\1\0\0\0a\4\0\0", 8, 2,
     "data[1] of 'input' has no room for its length: 4 bytes are needed, but 3 "
     "are left of 8"},
    {"\1\0\0\0a", 5, 2, "data[1] of 'input' has no room for its length"},
    {"", 0, 1, "data[0] of 'input' has no room for its length"},
    {"\0\0\0\0", 4, UINT64_C(1) << 62, "data[1] of 'input' has no room"},
    {"\1\0\0\0ab", 6, 1,
     "the 1 elements of 'input' take 5 bytes, but its data has 6"},
    {"a", 1, 0, "the 0 elements of 'input' take 0 bytes, but its data has 1"},
};

LOOP_TEST(bytes_index_refuses_by_element_and_both_numbers, COUNT(refusals))
{
    struct tensor t = make(refusals[_i].data, refusals[_i].len);
    struct status st = {0};

    ck_assert(
        !binary_strings_index(&t, refusals[_i].count, 1, NULL, NULL, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refusals[_i].message) != NULL, "%s",
                  st.message);
    drop(&t);
}

UNIT_TEST(bytes_index_refuses_more_than_a_span_reaches)
{
    struct tensor t = MAKE("");
    struct status st = {0};

    t.bytes = (size_t)UINT32_MAX + 1;
    ck_assert(!binary_strings_index(&t, 1, 1, NULL, NULL, &st));
    ck_assert_int_eq(st.code, STATUS_TOO_LARGE);
    t.bytes = 0;
    drop(&t);
}

UNIT_TEST(bytes_print_with_few_escapes)
{
    struct tensor t =
        MAKE("\4\0\0\0a\"\\/"
             "\7\0\0\0\b\f\n\r\t\0\37"
             "\0\0\0\0"
             "\13\0\0\0\177\303\251\342\202\254\360\237\230\200!");
    const char expected[] =
        "\"a\\\"\\\\/\",\"\\b\\f\\n\\r\\t\\u0000\\u001f\","
        "\"\",\"\177\303\251\342\202\254\360\237\230\200!\"";
    struct span rows[4];
    char out[sizeof(expected)];
    struct status st;
    size_t len;

    ck_assert(binary_strings_index(&t, 4, 1, rows, NULL, &st));
    ck_assert(binary_strings_text_length(&t, 4, &len, NULL, &st));
    ck_assert_uint_eq(len, sizeof(expected) - 1);
    ck_assert_uint_eq(binary_strings_to_text(&t, rows, 4, out, NULL), len);
    ck_assert_mem_eq(out, expected, len);
    drop(&t);
}

UNIT_TEST(bytes_print_nothing_for_no_elements)
{
    struct tensor t = MAKE("");
    struct status st;
    size_t len = 9;

    ck_assert(binary_strings_text_length(&t, 0, &len, NULL, &st));
    ck_assert_uint_eq(len, 0);
    ck_assert_uint_eq(binary_strings_to_text(&t, NULL, 0, NULL, NULL), 0);
    drop(&t);
}

UNIT_TEST(bytes_refuse_to_print_invalid_utf8)
{
    struct tensor t = MAKE("\1\0\0\0a\2\0\0\0\303(");
    struct status st = {0};
    size_t len;

    ck_assert(!binary_strings_text_length(&t, 2, &len, NULL, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(
        strstr(st.message, "data[1] of 'input' is not UTF-8"));
    ck_assert_ptr_nonnull(strstr(st.message, "binary_data"));
    drop(&t);
}

UNIT_TEST(bytes_stop_when_cancelled)
{
    struct tensor t = MAKE("\1\0\0\0a");
    struct span rows[1] = {{0, 5}};
    atomic_bool cancel = true;
    struct status st = {0};
    char out[8] = "untouch";
    size_t len;

    ck_assert(!binary_strings_index(&t, 1, 1, rows, &cancel, &st));
    ck_assert_int_eq(st.code, STATUS_CANCELLED);
    st.code = STATUS_OK;
    ck_assert(!binary_strings_text_length(&t, 1, &len, &cancel, &st));
    ck_assert_int_eq(st.code, STATUS_CANCELLED);
    binary_strings_emit(&t, rows, 1, out, &cancel);
    ck_assert_uint_eq(binary_strings_to_text(&t, rows, 1, out, &cancel), 0);
    ck_assert_str_eq(out, "untouch");
    drop(&t);
}
