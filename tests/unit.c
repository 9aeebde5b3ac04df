#include "tests/unit.h"

#include <errno.h>

#include "tests/suite.h"

enum { MOST = 64 };

static struct suite_test tests[MOST];
static int tests_count;
static SFun before, after;

void unit_add(const TTest *test, int count)
{
    if (tests_count == MOST)
        abort();
    tests[tests_count++] = (struct suite_test){test, count};
}

void unit_fixture(SFun set_up, SFun tear_down)
{
    before = set_up;
    after = tear_down;
}

static Suite *suite(void)
{
    Suite *s = suite_create(program_invocation_short_name);
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, before, after);
    for (int i = 0; i < tests_count; i++)
        tcase_add_loop_test(tc, tests[i].test, 0, tests[i].count);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
