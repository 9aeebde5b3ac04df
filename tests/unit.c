#include "tests/unit.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST = 64 };

static struct {
    const TTest *test;
    int count;
} tests[MOST];
static int tests_count;
static SFun before, after;

void unit_add(const TTest *test, int count)
{
    if (tests_count == MOST)
        abort();
    tests[tests_count].test = test;
    tests[tests_count++].count = count;
}

void unit_fixture(SFun set_up, SFun tear_down)
{
    before = set_up;
    after = tear_down;
}

/* A test that hangs is ended after two minutes: the limit is no judge of a busy
 * machine. */
int main(void)
{
    Suite *suite = suite_create(program_invocation_short_name);
    SRunner *runner = srunner_create(suite);
    TCase *all;
    int failed;

    setenv("CK_DEFAULT_TIMEOUT", "120", 0); /* before the case is made */
    all = tcase_create("all");
    tcase_add_checked_fixture(all, before, after);
    for (int i = 0; i < tests_count; i++)
        tcase_add_loop_test(all, tests[i].test, 0, tests[i].count);
    suite_add_tcase(suite, all);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
