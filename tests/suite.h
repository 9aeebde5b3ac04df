/* The list of a test program's tests, and its main(). */
#pragma once

#include <check.h>
#include <stdlib.h>

struct suite_test {
    const TTest *test;
    int count; /* it runs with _i from 0 to count - 1 */
};

#define TEST(test)                                                             \
    {                                                                          \
        test, 1                                                                \
    }
#define LOOP(test, count)                                                      \
    {                                                                          \
        test, count                                                            \
    }

/* SUITE("name", TEST(a_is_b), LOOP(c_is_d, COUNT(rows))) is a whole main(). */
#define SUITE(name, ...) SUITE_WITH(name, NULL, NULL, __VA_ARGS__)

/* The same with functions that run before and after each test, or NULL. */
#define SUITE_WITH(name, set_up, tear_down, ...)                               \
    static Suite *suite(void)                                                  \
    {                                                                          \
        const struct suite_test tests[] = {__VA_ARGS__};                       \
        Suite *s = suite_create(name);                                         \
        TCase *tc = tcase_create(name);                                        \
                                                                               \
        tcase_add_checked_fixture(tc, set_up, tear_down);                      \
        for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)          \
            tcase_add_loop_test(tc, tests[i].test, 0, tests[i].count);         \
        suite_add_tcase(s, tc);                                                \
        return s;                                                              \
    }                                                                          \
                                                                               \
    int main(void)                                                             \
    {                                                                          \
        return suite_run(suite);                                               \
    }

/* Makes the suite, runs it, and returns what main() returns. A test that hangs
 * is ended after two minutes: the limit is no judge of a busy machine. */
static inline int suite_run(Suite *(*make)(void))
{
    SRunner *runner;
    int failed;

    setenv("CK_DEFAULT_TIMEOUT", "120", 0);
    runner = srunner_create(make());
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
