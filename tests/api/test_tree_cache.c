/* The kept trees: who finds one, and how many there are. */
#include <check.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_skim.h"
#include "api/tree_cache.h"

enum { PLACES = 4, LARGEST = 2048 };

static struct json_skim skim_of(char *text)
{
    return (struct json_skim){.skeleton = text, .len = strlen(text)};
}

static void put(char *text)
{
    struct json_skim skim = skim_of(text);
    json_t *tree = json_string(text);

    tree_cache_put(&skim, tree, skim.len);
    json_decref(tree);
}

static bool finds(char *text)
{
    struct json_skim skim = skim_of(text);
    size_t bytes = 0;
    json_t *tree = tree_cache_find(&skim, &bytes);

    if (!tree)
        return false;
    ck_assert_str_eq(json_string_value(tree), text);
    ck_assert_uint_eq(bytes, strlen(text));
    json_decref(tree);
    return true;
}

START_TEST(only_the_same_bytes_find_a_tree)
{
    char one[] = "{\"id\":\"1\"}", two[] = "{\"id\":\"2\"}", more[] = "{} ";

    ck_assert(!finds(one));
    put(one);
    ck_assert(finds(one));
    ck_assert(finds(one));
    ck_assert(!finds(two));
    ck_assert(!finds(more));
    tree_cache_drop();
    ck_assert(!finds(one));
}
END_TEST

START_TEST(the_oldest_gives_way)
{
    char names[PLACES + 1][8];

    for (int i = 0; i <= PLACES; i++) {
        snprintf(names[i], sizeof(names[i]), "tree %d", i);
        put(names[i]);
    }
    ck_assert(!finds(names[0]));
    for (int i = 1; i <= PLACES; i++)
        ck_assert(finds(names[i]));
    tree_cache_drop();
}
END_TEST

START_TEST(what_is_large_is_not_kept)
{
    static char text[LARGEST + 2];

    memset(text, 'a', LARGEST + 1);
    put(text);
    ck_assert(!finds(text));
    text[LARGEST] = '\0';
    put(text);
    ck_assert(finds(text));
    tree_cache_drop();
}
END_TEST

static void *look(void *context)
{
    char *text = context;

    ck_assert(!finds(text));
    put(text);
    ck_assert(finds(text));
    return NULL;
}

START_TEST(each_thread_keeps_its_own)
{
    char text[] = "{\"inputs\":[]}";
    pthread_t thread;

    put(text);
    ck_assert_int_eq(pthread_create(&thread, NULL, look, text), 0);
    pthread_join(thread, NULL);
    ck_assert(finds(text));
    tree_cache_drop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tree_cache");
    TCase *tcase = tcase_create("all");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, only_the_same_bytes_find_a_tree);
    tcase_add_test(tcase, the_oldest_gives_way);
    tcase_add_test(tcase, what_is_large_is_not_kept);
    tcase_add_test(tcase, each_thread_keeps_its_own);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
