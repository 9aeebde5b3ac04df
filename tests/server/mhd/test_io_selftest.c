#include <check.h>

#include "server/mhd/io_selftest.h"
#include "tests/suite.h"

START_TEST(every_call_arrives_as_it_was_built)
{
    const char *missing = NULL;
    enum io_mode mode = io_selftest_run(&missing);

    ck_assert_ptr_null(missing);
    ck_assert_int_eq(mode, FLIPD_EXPECTED_IO_MODE);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("io_selftest");
    TCase *tc = tcase_create("io_selftest");

    tcase_add_test(tc, every_call_arrives_as_it_was_built);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
