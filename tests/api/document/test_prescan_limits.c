#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/prescan.h"
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

static void assert_limit(const char *head, const char *part, size_t most,
                         const char *tail, const char *message)
{
    char *good = repeat(head, part, most, tail);
    char *bad = repeat(head, part, most + 1, tail);
    char *worse = repeat(head, part, most + 2, tail);
    struct json_skim skim;
    struct status st;

    ck_assert_msg(json_skim(good, strlen(good), &skim, &st), "%s", st.message);
    json_skim_free(&skim);
    ck_assert(!json_skim(bad, strlen(bad), &skim, &st));
    ck_assert_msg(strstr(st.message, message) != NULL, "%s", st.message);
    ck_assert(st.code == STATUS_INVALID || st.code == STATUS_TOO_LARGE);
    ck_assert(!json_skim(worse, strlen(worse), &skim, &st));
    free(good);
    free(bad);
    free(worse);
}

START_TEST(json_skim_bounds_values)
{
    /* The object, the array and its last 0 are three. */
    assert_limit("{\"a\":[", "0,", JSON_SKIM_MAX_VALUES - 3, "0]}",
                 "more than 20000 values");
    assert_limit("{\"a\":[", "{},", JSON_SKIM_MAX_VALUES - 3, "0]}",
                 "more than 20000 values");
    assert_limit("{\"a\":[", "\"\",", JSON_SKIM_MAX_VALUES - 3, "0]}",
                 "more than 20000 values");
    assert_limit("{\"a\":0", ",\"b\":0", JSON_SKIM_MAX_VALUES - 2, "}",
                 "more than 20000 values");
}
END_TEST

START_TEST(json_skim_bounds_the_number_of_cuts)
{
    /* One more stands in front. */
    assert_limit("{\"inputs\":[{\"data\":[0]}", ",{\"data\":[1]}",
                 JSON_SKIM_MAX_CUTS - 1, "]}", "more than 64 data arrays");
}
END_TEST

START_TEST(json_skim_numbers_all_cuts)
{
    char *text = repeat("{\"inputs\":[{\"data\":[0]}", ",{\"data\":[1]}",
                        JSON_SKIM_MAX_CUTS - 1, "]}");
    struct json_skim skim;
    struct status st;
    json_t *tree;

    ck_assert(json_skim(text, strlen(text), &skim, &st));
    tree = json_loadb(skim.skeleton, skim.len, 0, NULL);
    for (size_t i = 0; i < JSON_SKIM_MAX_CUTS; i++) {
        json_t *input = json_array_get(json_object_get(tree, "inputs"), i);
        json_t *number = json_object_get(input, "data");

        ck_assert(json_is_integer(number));
        ck_assert_int_eq(json_integer_value(number), (int)i);
        ck_assert_uint_eq(json_skim_origin(&skim, skim.cuts[i].place),
                          skim.cuts[i].start);
    }
    json_decref(tree);
    json_skim_free(&skim);
    free(text);
}
END_TEST

START_TEST(json_skim_bounds_the_skeleton)
{
    /* {"a":""} has 8 bytes. */
    assert_limit("{\"a\":\"", "x", JSON_SKIM_MAX_SKELETON - 8, "\"}",
                 "more than 4194304 bytes");
    assert_limit("{\"a\":", " ", JSON_SKIM_MAX_SKELETON - 8, "\"\"}",
                 "more than 4194304 bytes");
}
END_TEST

START_TEST(json_skim_does_not_count_what_it_cuts)
{
    char *text = repeat("{\"inputs\":[{\"data\":[0", ",[]", 2000000, "]}]}");
    struct json_skim skim;
    struct status st;

    ck_assert(json_skim(text, strlen(text), &skim, &st));
    ck_assert_str_eq(skim.skeleton, "{\"inputs\":[{\"data\":0 }]}");
    json_skim_free(&skim);
    free(text);
}
END_TEST

START_TEST(json_skim_bounds_depth)
{
    char *close = repeat("", "]", JSON_SKIM_MAX_DEPTH, "");
    char *good = repeat("", "[", JSON_SKIM_MAX_DEPTH, close);
    char *deep = repeat("", "[", 10000000, "");
    struct json_skim skim;
    struct status st;

    ck_assert(json_skim(good, strlen(good), &skim, &st));
    json_skim_free(&skim);
    ck_assert(!json_skim(deep, strlen(deep), &skim, &st));
    ck_assert_str_eq(st.message,
                     "the document is nested more than 100 deep, at byte 100");
    free(deep);
    deep = repeat("{\"inputs\":[{\"data\":", "[", 10000000, "}]}");
    ck_assert(!json_skim(deep, strlen(deep), &skim, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "the array is not closed"));
    free(deep);
    free(good);
    free(close);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("json_skim_limits");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, json_skim_bounds_values);
    tcase_add_test(tc, json_skim_bounds_the_number_of_cuts);
    tcase_add_test(tc, json_skim_numbers_all_cuts);
    tcase_add_test(tc, json_skim_bounds_the_skeleton);
    tcase_add_test(tc, json_skim_does_not_count_what_it_cuts);
    tcase_add_test(tc, json_skim_bounds_depth);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
