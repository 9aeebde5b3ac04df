#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/prescan/prescan.h"
#include "tests/suite.h"

/* `count` times `part`, between `head` and `tail`. */
static char *repeat(const char *head, const char *part, size_t count,
                    const char *tail)
{
    char *text = malloc(strlen(head) + strlen(part) * count + strlen(tail) + 1);
    char *at = text;

    ck_assert_ptr_nonnull(text);
    at = stpcpy(at, head);
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, part);
    strcpy(at, tail);
    return text;
}

static bool scan(const char *text, struct stripped_document *stripped,
                 struct status *st)
{
    struct document_text document = {.text = text, .len = strlen(text)};

    return prescan_document(&document, stripped, st);
}

static void assert_limit(const char *head, const char *part, size_t most,
                         const char *tail, const char *message)
{
    char *good = repeat(head, part, most, tail);
    char *bad = repeat(head, part, most + 1, tail);
    char *worse = repeat(head, part, most + 2, tail);
    struct stripped_document stripped;
    struct status st;

    ck_assert_msg(scan(good, &stripped, &st), "%s", st.message);
    prescan_free(&stripped);
    ck_assert(!scan(bad, &stripped, &st));
    ck_assert_msg(strstr(st.message, message) != NULL, "%s", st.message);
    ck_assert(st.code == STATUS_INVALID || st.code == STATUS_TOO_LARGE);
    ck_assert(!scan(worse, &stripped, &st));
    free(good);
    free(bad);
    free(worse);
}

START_TEST(prescan_bounds_values)
{
    /* The object, the array and its last 0 are three. */
    assert_limit("{\"a\":[", "0,", WALK_MAX_VALUES - 3, "0]}",
                 "more than 2000 values");
    assert_limit("{\"a\":[", "{},", WALK_MAX_VALUES - 3, "0]}",
                 "more than 2000 values");
    assert_limit("{\"a\":[", "\"\",", WALK_MAX_VALUES - 3, "0]}",
                 "more than 2000 values");
    assert_limit("{\"a\":0", ",\"b\":0", WALK_MAX_VALUES - 2, "}",
                 "more than 2000 values");
    assert_limit("{\"instances\":[", "0,", WALK_MAX_VALUES - 3, "0]}",
                 "POST /v2/models/{model}/infer takes inputs");
    assert_limit("{\"inputs\":0,\"instances\":[", "0,", WALK_MAX_VALUES - 4,
                 "0]}", "more than 2000 values");
}
END_TEST

/* jansson is slow at long numbers, and at no others. */
START_TEST(prescan_bounds_the_length_of_numbers)
{
    assert_limit("{\"id\":", "7", WALK_MAX_NUMBER, "}",
                 "the number at byte 6 has 401 characters, but the limit "
                 "outside of data arrays is 400");
    assert_limit("{\"a\":[1,-", "7", WALK_MAX_NUMBER - 1, "]}",
                 "the number at byte 8 has 401 characters");
    assert_limit("{\"a\":1.", "0", WALK_MAX_NUMBER - 4, "e5}",
                 "the number at byte 5 has 401 characters");
    assert_limit("{\"inputs\":[{\"data\":[1],\"shape\":[", "7", WALK_MAX_NUMBER,
                 "]}]}", "the number at byte 32 has 401 characters");
}
END_TEST

START_TEST(prescan_bounds_no_numbers_of_data)
{
    char *text = repeat("{\"inputs\":[{\"data\":[1.", "7", 1000000, "]}]}");
    struct stripped_document stripped;
    struct status st;

    ck_assert(scan(text, &stripped, &st));
    ck_assert_uint_eq(stripped.spans[0].len, 1000004);
    prescan_free(&stripped);
    free(text);
}
END_TEST

START_TEST(prescan_bounds_the_number_of_arrays)
{
    /* The head has one more. */
    assert_limit("{\"inputs\":[{\"data\":[0]}", ",{\"data\":[1]}",
                 WALK_MAX_SPANS - 1, "]}", "more than 64 data arrays");
}
END_TEST

START_TEST(prescan_numbers_all_arrays)
{
    char *text = repeat("{\"inputs\":[{\"data\":[0]}", ",{\"data\":[1]}",
                        WALK_MAX_SPANS - 1, "]}");
    struct stripped_document stripped;
    struct status st;
    json_t *tree;
    char mark[24];
    size_t at;

    ck_assert(scan(text, &stripped, &st));
    tree = json_loadb(stripped.text, stripped.len, 0, NULL);
    for (size_t i = 0; i < WALK_MAX_SPANS; i++) {
        json_t *input = json_array_get(json_object_get(tree, "inputs"), i);
        json_t *number = json_object_get(input, "data");

        ck_assert(json_is_integer(number));
        ck_assert_int_eq(json_integer_value(number), (int)i);
        sprintf(mark, ":%2zu }", i);
        at = (size_t)(strstr(stripped.text, mark) + 1 - stripped.text);
        ck_assert_uint_eq(prescan_origin(&stripped, at),
                          stripped.spans[i].start);
    }
    json_decref(tree);
    prescan_free(&stripped);
    free(text);
}
END_TEST

START_TEST(prescan_bounds_the_stripped_text)
{
    /* {"a":""} has 8 bytes. */
    assert_limit("{\"a\":\"", "x", PRESCAN_MAX_STRIPPED - 8, "\"}",
                 "more than 4194304 bytes");
    assert_limit("{\"a\":", " ", PRESCAN_MAX_STRIPPED - 8, "\"\"}",
                 "more than 4194304 bytes");
}
END_TEST

START_TEST(prescan_does_not_count_data)
{
    char *text = repeat("{\"inputs\":[{\"data\":[0", ",[]", 2000000, "]}]}");
    struct stripped_document stripped;
    struct status st;

    ck_assert(scan(text, &stripped, &st));
    ck_assert_str_eq(stripped.text, "{\"inputs\":[{\"data\": 0 }]}");
    prescan_free(&stripped);
    free(text);
}
END_TEST

START_TEST(prescan_bounds_depth)
{
    char *close = repeat("", "]", WALK_MAX_DEPTH - 1, "}");
    char *good = repeat("{\"a\":", "[", WALK_MAX_DEPTH - 1, close);
    char *deep = repeat("{\"a\":", "[", 10000000, "");
    struct stripped_document stripped;
    struct status st;

    ck_assert(scan(good, &stripped, &st));
    prescan_free(&stripped);
    ck_assert(!scan(deep, &stripped, &st));
    ck_assert_str_eq(st.message,
                     "the document is nested more than 100 deep, at byte 104");
    free(deep);
    deep = repeat("{\"inputs\":[{\"data\":", "[", 10000000, "}]}");
    ck_assert(!scan(deep, &stripped, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "the array is not closed"));
    free(deep);
    free(good);
    free(close);
}
END_TEST

SUITE("prescan_limits", TEST(prescan_bounds_values),
      TEST(prescan_bounds_the_length_of_numbers),
      TEST(prescan_bounds_no_numbers_of_data),
      TEST(prescan_bounds_the_number_of_arrays),
      TEST(prescan_numbers_all_arrays), TEST(prescan_bounds_the_stripped_text),
      TEST(prescan_does_not_count_data), TEST(prescan_bounds_depth))
