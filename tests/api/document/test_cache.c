/* The cache: which texts find a document, and how many it holds. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/cache.h"
#include "api/document/read.h"
#include "tests/api/document/cached.h"
#include "tests/count.h"
#include "tests/heap_in_use.h"
#include "tests/suite.h"

enum { SLOTS = 8, LARGEST = 2048 };

#define ONE(around, data) "{\"inputs\":[" CACHED_INPUT(data around) "]}"
#define TWO(data, between, more, behind)                                       \
    "{\"inputs\":[" CACHED_INPUT(data between) "," CACHED_INPUT(               \
        more) "]" behind "}"

static struct document_cache *cache;

static void set_up(void)
{
    cache = api_cache_new();
    ck_assert_ptr_nonnull(cache);
}

static void tear_down(void)
{
    api_cache_free(cache);
}

START_TEST(equal_bytes_around_the_data_find_a_document)
{
    cached_add(cache, TWO("[1,2]", "", "[3]", ""));
    ck_assert(cached_has(cache, TWO("[1,2]", "", "[3]", "")));
    ck_assert(cached_has(cache, TWO("[100,-200]", "", "[]", "")));
    ck_assert(cached_has(cache, TWO("[\"]\",[[]]]", "", "[}]", "")));
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
    cached_add(cache, TWO("[1,2]", "", "[3]", ""));
    ck_assert(!cached_has(cache, others[_i]));
}
END_TEST

/* Texts that are too short are not read past their ends. */
START_TEST(no_prefix_or_suffix_finds_the_whole)
{
    static const char whole[] = TWO("[1,2]", "", "[3]", "");
    struct document_instance instance;

    cached_add(cache, whole);
    for (size_t len = 0; len < sizeof(whole) - 1; len++) {
        char *text = malloc(len + 1);

        memcpy(text, whole + (sizeof(whole) - 1 - len), len);
        ck_assert(!cached_find(cache, text, len, &instance));
        memcpy(text, whole, len);
        ck_assert(!cached_find(cache, text, len, &instance));
        free(text);
    }
}
END_TEST

START_TEST(found_spans_are_those_of_the_text)
{
    static const char text[] = TWO("[[10],20]", "", "[\"]\"]", "");
    struct document_instance instance;
    struct document *doc;

    cached_add(cache, TWO("[1,2]", "", "[3]", ""));
    doc = cached_find(cache, text, sizeof(text) - 1, &instance);
    ck_assert(doc);
    ck_assert_int_eq(doc->inputs[0].span, 0);
    ck_assert_int_eq(doc->inputs[1].span, 1);
    ck_assert_uint_eq(instance.spans[0].start,
                      (size_t)(strstr(text, "[[10") - text));
    ck_assert_uint_eq(instance.spans[0].len, strlen("[[10],20]"));
    ck_assert_uint_eq(instance.spans[1].start,
                      (size_t)(strstr(text, "[\"]") - text));
    ck_assert_uint_eq(instance.spans[1].len, strlen("[\"]\"]"));
    document_unref(doc);
}
END_TEST

START_TEST(a_document_without_arrays_is_found)
{
    static const char text[] =
        "{\"inputs\":[{\"name\":\"a\",\"datatype\":\"INT8\",\"shape\":[2],"
        "\"parameters\":{\"binary_data_size\":2}}]} ";

    cached_add(cache, text);
    ck_assert(cached_has(cache, text));
    ck_assert(!cached_has(cache, text + 1));
}
END_TEST

START_TEST(no_text_finds_nothing)
{
    const struct document_text none = {0};
    struct document_instance instance;

    cached_add(cache, "{\"inputs\":[]}");
    ck_assert_ptr_null(document_cache_find(cache, &none, &instance));
}
END_TEST

START_TEST(a_refused_document_is_not_cached)
{
    static const char text[] = "{\"inputs\":[{\"data\":[]}]}";
    const struct document_text source = {.text = text, .len = sizeof(text) - 1};
    struct document_instance instance;
    struct status st;

    ck_assert(!document_read(&source, cache, NULL, &instance, &st));
    ck_assert(!cached_has(cache, text));
}
END_TEST

START_TEST(the_oldest_document_is_replaced)
{
    char texts[SLOTS + 1][128];

    for (int i = 0; i <= SLOTS; i++) {
        snprintf(texts[i], sizeof(texts[i]), "{\"x\":\"%d\",\"inputs\":[]}", i);
        cached_add(cache, texts[i]);
    }
    ck_assert(!cached_has(cache, texts[0]));
    for (int i = 1; i <= SLOTS; i++)
        ck_assert(cached_has(cache, texts[i]));
}
END_TEST

/* Twice a hundred documents take as much memory as one hundred. A block may be
 * some bytes longer than asked for, where the rest of a hole is too small for
 * another: where the holes lie depends on jansson's random seed. A hundred
 * documents that stay are tens of KiB. */
START_TEST(replaced_documents_are_freed)
{
    enum { LAYOUT = 1024 };
    size_t before = 0;
    char text[64];

    for (int i = 100; i < 300; i++) {
        snprintf(text, sizeof(text), "{\"x\":\"%d\",\"inputs\":[]}", i);
        cached_add(cache, text);
        if (i == 199)
            before = heap_in_use();
    }
    ck_assert_uint_le(heap_in_use(), before + LAYOUT);
}
END_TEST

START_TEST(a_document_outlives_the_cache)
{
    struct document *doc =
        cached_read(cache, "{\"inputs\":[" CACHED_INPUT("[1]") "]}");

    api_cache_free(cache);
    cache = NULL;
    ck_assert_str_eq(doc->inputs[0].name, "a");
    document_unref(doc);
}
END_TEST

/* Data does not count as size. */
START_TEST(a_large_document_is_not_cached)
{
    static char text[2 * LARGEST];
    size_t around = strlen(ONE("", ""));

    for (int longer = 0; longer < 2; longer++) {
        int blanks = LARGEST + longer - (int)around;

        snprintf(text, sizeof(text), ONE("%*s", "[%0999d]"), 0, blanks, "");
        cached_add(cache, text);
        ck_assert_int_eq(cached_has(cache, text), longer == 0);
    }
}
END_TEST

START_TEST(caches_share_nothing)
{
    struct document_cache *other = api_cache_new();
    char text[] = "{\"inputs\":[]}";

    cached_add(cache, text);
    ck_assert(!cached_has(other, text));
    cached_add(other, text);
    api_cache_free(other);
    ck_assert(cached_has(cache, text));
}
END_TEST

SUITE_WITH("document_cache", set_up, tear_down,
           TEST(equal_bytes_around_the_data_find_a_document),
           LOOP(other_bytes_find_nothing, COUNT(others)),
           TEST(no_prefix_or_suffix_finds_the_whole),
           TEST(found_spans_are_those_of_the_text),
           TEST(a_document_without_arrays_is_found),
           TEST(no_text_finds_nothing), TEST(a_refused_document_is_not_cached),
           TEST(the_oldest_document_is_replaced),
           TEST(replaced_documents_are_freed),
           TEST(a_document_outlives_the_cache),
           TEST(a_large_document_is_not_cached), TEST(caches_share_nothing))
