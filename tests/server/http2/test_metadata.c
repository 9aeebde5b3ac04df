#include <stdio.h>
#include <string.h>

#include "server/http2/metadata.h"
#include "tests/unit.h"

static struct metadata metadata;

static void add(const char *name, const char *value)
{
    metadata_add(&metadata, name, strlen(name), value, strlen(value));
}

UNIT_TEST(fields_are_found_by_name)
{
    ck_assert_ptr_null(metadata_find(&metadata, "a"));
    add(":path", "/x");
    add("empty", "");
    add("authorization", "Bearer 1");
    add("empty", "not the first");
    ck_assert_str_eq(metadata_find(&metadata, ":path"), "/x");
    ck_assert_str_eq(metadata_find(&metadata, "empty"), "");
    ck_assert_str_eq(metadata_find(&metadata, "Authorization"), "Bearer 1");
    ck_assert_ptr_null(metadata_find(&metadata, "Bearer 1"));
    ck_assert_ptr_null(metadata_find(&metadata, "auth"));
    metadata.verdict = METADATA_NO_MEMORY; /* for good */
    add("late", "1");
    ck_assert_ptr_null(metadata_find(&metadata, "late"));
}

UNIT_TEST(blanks_around_a_value_are_stripped)
{
    static const char *const values[][2] = {
        {"a ", "a"},  {" a", "a"}, {"\t \ta b \t", "a b"},
        {" \t ", ""}, {" ", ""},   {"a  b", "a  b"}};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        metadata = (struct metadata){.text = NULL};
        add("k", values[i][0]);
        add("next", "1");
        ck_assert_str_eq(metadata_find(&metadata, "k"), values[i][1]);
        ck_assert_str_eq(metadata_find(&metadata, "next"), "1");
        ck_assert_uint_eq(metadata.list_size, 1 + strlen(values[i][0]) + 4 + 1 +
                                                  2 * METADATA_OVERHEAD);
        metadata_free(&metadata);
    }
}

UNIT_TEST(a_list_grows_to_its_limit)
{
    char name[32];
    size_t size = 0;

    for (int i = 0; size + 9 + 1 + METADATA_OVERHEAD <= METADATA_MAX; i++) {
        snprintf(name, sizeof(name), "name-%04d", i);
        add(name, "v");
        size += 9 + 1 + METADATA_OVERHEAD;
    }
    ck_assert_uint_eq(metadata.list_size, size);
    ck_assert_int_eq(metadata.verdict, METADATA_OK);
    ck_assert_str_eq(metadata_find(&metadata, "name-0000"), "v");
    ck_assert_str_eq(metadata_find(&metadata, name), "v");
    add("one-more-", "v");
    ck_assert_int_eq(metadata.verdict, METADATA_TOO_LARGE);
    ck_assert_ptr_null(metadata_find(&metadata, "one-more-"));
    ck_assert_str_eq(metadata_find(&metadata, "name-0000"), "v");
}

/* One field, which is counted whole all the same. */
UNIT_TEST(a_field_may_be_too_large_alone)
{
    static char value[2 * METADATA_MAX];

    metadata_add(&metadata, "k", 1, value, sizeof(value));
    ck_assert_int_eq(metadata.verdict, METADATA_TOO_LARGE);
    ck_assert_uint_eq(metadata.list_size,
                      sizeof(value) + 1 + METADATA_OVERHEAD);
    add("k", "1");
    ck_assert_ptr_null(metadata_find(&metadata, "k"));
}
