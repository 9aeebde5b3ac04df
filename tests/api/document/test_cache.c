/* The kept documents: who finds one, and how many there are. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/cache.h"
#include "tests/api/document/kept.h"
#include "tests/count.h"
#include "tests/suite.h"

enum { PLACES = 8, LARGEST = 2048 };

#define ONE(around, data) "{\"inputs\":[" KEPT_INPUT(data around) "]}"
#define TWO(data, between, more, behind)                                       \
    "{\"inputs\":[" KEPT_INPUT(data between) "," KEPT_INPUT(more) "]" behind "}"

START_TEST(what_stands_around_the_data_finds_a_document)
{
    kept_put(TWO("[1,2]", "", "[3]", ""));
    ck_assert(kept_finds(TWO("[1,2]", "", "[3]", "")));
    ck_assert(kept_finds(TWO("[100,-200]", "", "[]", "")));
    ck_assert(kept_finds(TWO("[\"]\",[[]]]", "", "[}]", "")));
    document_cache_drop();
    ck_assert(!kept_finds(TWO("[1,2]", "", "[3]", "")));
}
END_TEST

static const char *const others[] = {
    TWO("[1,2]", "", "[3]", ",\"id\":\"7\""),
    TWO("[1,2]", "", "[3]", ",\"parameters\":{}"),
    TWO("[1,2]", ",\"x\":0", "[3]", ""),
    TWO("[1,2]", " ", "[3]", ""),
    TWO("[1,2] ", "", "[3]", ""),
    TWO("[1,2]", "", "[3]", "") " ",
    " " TWO("[1,2]", "", "[3]", ""),
    TWO("", "", "[3]", ""),
    TWO("12", "", "[3]", ""),
    TWO("null", "", "[3]", ""),
    TWO("\"[]\"", "", "[3]", ""),
    TWO("[1,2]][", "", "[3]", ""),
    TWO("[1,2", "", "[3]", ""),
    TWO("[1,2]", "", "[3", ""),
    TWO("[1,2]", "", "", ""),
    TWO("[1,2]", "", "[3]]", ""),
    TWO("[1,2]", "", "[3],[4]", ""),
    ONE("", "[1,2]"),
    ("{\"inputs\":[{\"name\":\"a\",\"datatype\":\"INT8\",\"shape\":[2],"
     "\"data\":"),
    "}]}",
    "{}",
    "",
};

START_TEST(other_bytes_find_nothing)
{
    kept_put(TWO("[1,2]", "", "[3]", ""));
    ck_assert(!kept_finds(others[_i]));
    document_cache_drop();
}
END_TEST

/* No byte of a text that was cut short is read twice, or past its end. */
START_TEST(no_part_finds_the_whole)
{
    static const char whole[] = TWO("[1,2]", "", "[3]", "");
    struct document_own own = {.text = NULL};

    kept_put(whole);
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        char *text = malloc(len + 1);

        memcpy(text, whole + (sizeof(whole) - 1 - len), len);
        ck_assert(!document_cache_find(text, len, &own));
        memcpy(text, whole, len);
        ck_assert(!document_cache_find(text, len, &own));
        free(text);
    }
    document_cache_drop();
}
END_TEST

START_TEST(found_cuts_are_those_of_the_text)
{
    static const char text[] = TWO("[[10],20]", "", "[\"]\"]", "");
    struct document_own own = {.text = NULL};
    struct document *doc;

    kept_put(TWO("[1,2]", "", "[3]", ""));
    doc = document_cache_find(text, sizeof(text) - 1, &own);
    ck_assert(doc);
    ck_assert_int_eq(doc->inputs[0].cut, 0);
    ck_assert_int_eq(doc->inputs[1].cut, 1);
    ck_assert_uint_eq(own.cuts[0].start, (size_t)(strstr(text, "[[10") - text));
    ck_assert_uint_eq(own.cuts[0].len, strlen("[[10],20]"));
    ck_assert_uint_eq(own.cuts[1].start, (size_t)(strstr(text, "[\"]") - text));
    ck_assert_uint_eq(own.cuts[1].len, strlen("[\"]\"]"));
    document_drop(doc);
    document_cache_drop();
}
END_TEST

START_TEST(a_document_without_cuts_is_found)
{
    static const char text[] =
        "{\"inputs\":[{\"name\":\"a\",\"datatype\":\"INT8\",\"shape\":[2],"
        "\"parameters\":{\"binary_data_size\":2}}]} ";

    kept_put(text);
    ck_assert(kept_finds(text));
    ck_assert(!kept_finds(text + 1));
    document_cache_drop();
}
END_TEST

START_TEST(what_is_refused_is_not_kept)
{
    static const char text[] = "{\"inputs\":[{\"data\":[]}]}";
    struct document_own own = {.text = NULL};
    struct status st;

    ck_assert(!document_read(text, sizeof(text) - 1, false, &own, &st));
    ck_assert(!kept_finds(text));
}
END_TEST

START_TEST(the_oldest_gives_way)
{
    char texts[PLACES + 1][128];

    for (int i = 0; i <= PLACES; i++) {
        snprintf(texts[i], sizeof(texts[i]), "{\"x\":\"%d\",\"inputs\":[]}", i);
        kept_put(texts[i]);
    }
    ck_assert(!kept_finds(texts[0]));
    for (int i = 1; i <= PLACES; i++)
        ck_assert(kept_finds(texts[i]));
    document_cache_drop();
}
END_TEST

START_TEST(a_document_outlives_its_place)
{
    struct document *doc = kept_read("{\"inputs\":[" KEPT_INPUT("[1]") "]}");

    document_cache_drop();
    ck_assert_str_eq(doc->inputs[0].name, "a");
    document_drop(doc);
}
END_TEST

/* The data counts for nothing, however long. */
START_TEST(what_is_large_is_not_kept)
{
    static char text[2 * LARGEST];
    size_t around = strlen(ONE("", ""));

    for (int longer = 0; longer < 2; longer++) {
        int blanks = LARGEST + longer - (int)around;

        snprintf(text, sizeof(text), ONE("%*s", "[%0999d]"), 0, blanks, "");
        kept_put(text);
        ck_assert_int_eq(kept_finds(text), longer == 0);
        document_cache_drop();
    }
}
END_TEST

static void *look(void *text)
{
    ck_assert(!kept_finds(text));
    kept_put(text);
    ck_assert(kept_finds(text));
    return NULL;
}

START_TEST(each_thread_keeps_its_own)
{
    char text[] = "{\"inputs\":[]}";
    pthread_t thread;

    kept_put(text);
    ck_assert_int_eq(pthread_create(&thread, NULL, look, text), 0);
    pthread_join(thread, NULL);
    ck_assert(kept_finds(text));
    document_cache_drop();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("document_cache");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, what_stands_around_the_data_finds_a_document);
    tcase_add_loop_test(tc, other_bytes_find_nothing, 0, COUNT(others));
    tcase_add_test(tc, no_part_finds_the_whole);
    tcase_add_test(tc, found_cuts_are_those_of_the_text);
    tcase_add_test(tc, a_document_without_cuts_is_found);
    tcase_add_test(tc, what_is_refused_is_not_kept);
    tcase_add_test(tc, the_oldest_gives_way);
    tcase_add_test(tc, a_document_outlives_its_place);
    tcase_add_test(tc, what_is_large_is_not_kept);
    tcase_add_test(tc, each_thread_keeps_its_own);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
