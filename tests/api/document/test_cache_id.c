/* A request's id: the kept documents leave room for it. */
#include <check.h>
#include <string.h>

#include "tests/api/document/kept.h"
#include "tests/suite.h"

/* The id before and behind the data, and without any data. */
#define WITH_ID(at, id)                                                        \
    (at) == 0   ? "{\"id\":" id ",\"inputs\":[" KEPT_INPUT("[1]") "]}"         \
    : (at) == 1 ? "{\"inputs\":[" KEPT_INPUT("[1]") "],\"id\":" id "}"         \
                : "{\"inputs\":[],\"id\":" id ",\"outputs\":[]}"

static void check_id(const char *text, const char *want)
{
    struct document_own own = {.text = NULL};
    struct document *doc = document_cache_find(text, strlen(text), &own);

    ck_assert_msg(doc != NULL, "%s", text);
    ck_assert_uint_eq(own.id_len, want ? strlen(want) : 0);
    ck_assert_msg(want ? own.id && !memcmp(own.id, want, own.id_len) : !own.id,
                  "%s", text);
    document_drop(doc);
}

START_TEST(an_id_is_a_requests_own)
{
    kept_put(WITH_ID(_i, "\"1\""));
    check_id(WITH_ID(_i, "\"1\""), "1");
    check_id(WITH_ID(_i, "\"another\""), "another");
    check_id(WITH_ID(_i, "\"~ !\""), "~ !");
    check_id(WITH_ID(_i, "\"\""), NULL);
    ck_assert(!kept_finds(WITH_ID(_i, "null")));
    ck_assert(!kept_finds(WITH_ID(_i, "7")));
    ck_assert(!kept_finds(WITH_ID(_i, "[1]")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"\\u0041\"")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"\\\"\"")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"\xC3\xA9\"")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"\xFF\"")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"\t\"")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"\x7F\"")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"1\",\"id\":\"1\"")));
    document_cache_drop();
}
END_TEST

/* What reads differently from how it is written is not looked for again. */
START_TEST(an_id_that_needs_reading_is_not_kept)
{
    kept_put(WITH_ID(_i, "\"\\u0041\""));
    ck_assert(!kept_finds(WITH_ID(_i, "\"\\u0041\"")));
    ck_assert(!kept_finds(WITH_ID(_i, "\"1\"")));
    kept_put(WITH_ID(_i, "null"));
    check_id(WITH_ID(_i, "null"), NULL);
    ck_assert(!kept_finds(WITH_ID(_i, "\"1\"")));
    document_cache_drop();
}
END_TEST

START_TEST(an_id_elsewhere_is_none)
{
    kept_put("{\"parameters\":{\"id\":\"1\"},\"inputs\":[]}");
    check_id("{\"parameters\":{\"id\":\"1\"},\"inputs\":[]}", NULL);
    ck_assert(!kept_finds("{\"parameters\":{\"id\":\"2\"},\"inputs\":[]}"));
    document_cache_drop();
}
END_TEST

START_TEST(a_long_id_is_found_but_not_kept)
{
    static char text[8192] = "{\"inputs\":[],\"id\":\"";
    size_t len = strlen(text);

    memset(text + len, 'i', 4096);
    memcpy(text + len + 4096, "\"}", 3);
    kept_put(text);
    ck_assert(!kept_finds(text));
    kept_put("{\"inputs\":[],\"id\":\"i\"}");
    ck_assert(kept_finds(text));
    document_cache_drop();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("document_cache_id");
    TCase *tc = tcase_create("all");

    tcase_add_loop_test(tc, an_id_is_a_requests_own, 0, 3);
    tcase_add_loop_test(tc, an_id_that_needs_reading_is_not_kept, 0, 3);
    tcase_add_test(tc, an_id_elsewhere_is_none);
    tcase_add_test(tc, a_long_id_is_found_but_not_kept);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
