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

SUITE("io_selftest", TEST(every_call_arrives_as_it_was_built))
