/* A request's id: the cache compares documents without it. */
#include <check.h>
#include <string.h>

#include "tests/api/document/cached.h"
#include "tests/suite.h"

/* The id before and behind the data, and without any data. */
#define WITH_ID(at, id)                                                        \
    (at) == 0   ? "{\"id\":" id ",\"inputs\":[" CACHED_INPUT("[1]") "]}"       \
    : (at) == 1 ? "{\"inputs\":[" CACHED_INPUT("[1]") "],\"id\":" id "}"       \
                : "{\"inputs\":[],\"id\":" id ",\"outputs\":[]}"

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

static void check_id(const char *text, const char *want)
{
    struct document_instance instance;
    struct document *doc = cached_find(cache, text, strlen(text), &instance);

    ck_assert_msg(doc != NULL, "%s", text);
    ck_assert_uint_eq(instance.id_len, want ? strlen(want) : 0);
    ck_assert_msg(want ? instance.id &&
                             !memcmp(instance.id, want, instance.id_len)
                       : !instance.id,
                  "%s", text);
    document_unref(doc);
}

START_TEST(an_id_is_no_part_of_the_key)
{
    cached_add(cache, WITH_ID(_i, "\"1\""));
    check_id(WITH_ID(_i, "\"1\""), "1");
    check_id(WITH_ID(_i, "\"another\""), "another");
    check_id(WITH_ID(_i, "\"~ !\""), "~ !");
    check_id(WITH_ID(_i, "\"\""), NULL);
    ck_assert(!cached_has(cache, WITH_ID(_i, "null")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "7")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "[1]")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"\\u0041\"")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"\\\"\"")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"\xC3\xA9\"")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"\xFF\"")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"\t\"")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"\x7F\"")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"1\",\"id\":\"1\"")));
}
END_TEST

/* A document whose id has escapes, or is no string, is not cached as one with a
 * gap for the id. */
START_TEST(an_id_with_escapes_is_part_of_the_key)
{
    cached_add(cache, WITH_ID(_i, "\"\\u0041\""));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"\\u0041\"")));
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"1\"")));
    cached_add(cache, WITH_ID(_i, "null"));
    check_id(WITH_ID(_i, "null"), NULL);
    ck_assert(!cached_has(cache, WITH_ID(_i, "\"1\"")));
}
END_TEST

START_TEST(an_id_elsewhere_is_part_of_the_key)
{
    cached_add(cache, "{\"parameters\":{\"id\":\"1\"},\"inputs\":[]}");
    check_id("{\"parameters\":{\"id\":\"1\"},\"inputs\":[]}", NULL);
    ck_assert(
        !cached_has(cache, "{\"parameters\":{\"id\":\"2\"},\"inputs\":[]}"));
}
END_TEST

START_TEST(a_long_id_is_found_but_not_cached)
{
    static char text[8192] = "{\"inputs\":[],\"id\":\"";
    size_t len = strlen(text);

    memset(text + len, 'i', 4096);
    memcpy(text + len + 4096, "\"}", 3);
    cached_add(cache, text);
    ck_assert(!cached_has(cache, text));
    cached_add(cache, "{\"inputs\":[],\"id\":\"i\"}");
    ck_assert(cached_has(cache, text));
}
END_TEST

SUITE_WITH("document_cache_id", set_up, tear_down,
           LOOP(an_id_is_no_part_of_the_key, 3),
           LOOP(an_id_with_escapes_is_part_of_the_key, 3),
           TEST(an_id_elsewhere_is_part_of_the_key),
           TEST(a_long_id_is_found_but_not_cached))
