#include <check.h>

#include "server/mhd/io_selftest.h"
#include "tests/suite.h"

START_TEST(every_call_arrives)
{
    ck_assert_ptr_null(io_selftest_run());
}
END_TEST

SUITE("io_selftest", TEST(every_call_arrives))
