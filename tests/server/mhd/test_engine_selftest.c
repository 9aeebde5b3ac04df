#include <check.h>

#include "server/mhd/engine.h"
#include "tests/suite.h"

START_TEST(every_call_arrives)
{
    ck_assert_ptr_null(engine_selftest());
}
END_TEST

SUITE("engine_selftest", TEST(every_call_arrives))
