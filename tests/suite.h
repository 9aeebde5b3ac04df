/* What every test program's main() does. */
#pragma once

#include <check.h>
#include <stdlib.h>

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
