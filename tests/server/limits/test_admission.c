#include <check.h>
#include <stdint.h>

#include "server/limits/admission.h"
#include "tests/suite.h"

START_TEST(admission_tells_busy_from_never)
{
    struct admission a;

    admission_init(&a, 100, 1);
    ck_assert_int_eq(admission_reserve(&a, 0, 101), ADMISSION_NEVER);
    ck_assert_int_eq(admission_reserve(&a, 0, 60), ADMISSION_OK);
    ck_assert_int_eq(admission_reserve(&a, 0, 41), ADMISSION_BUSY);
    ck_assert_int_eq(admission_reserve(&a, 60, 41), ADMISSION_NEVER);
    ck_assert_int_eq(admission_reserve(&a, 60, 40), ADMISSION_OK);
    ck_assert_uint_eq(atomic_load(&a.bytes), 100);
    admission_release(&a, 100);
    ck_assert_int_eq(admission_reserve(&a, 0, 100), ADMISSION_OK);
}
END_TEST

START_TEST(admission_does_not_wrap_around)
{
    struct admission a;

    admission_init(&a, 100, 1);
    ck_assert_int_eq(admission_reserve(&a, 50, SIZE_MAX - 10), ADMISSION_NEVER);
    ck_assert_int_eq(admission_reserve(&a, SIZE_MAX, 1), ADMISSION_NEVER);
    ck_assert_uint_eq(atomic_load(&a.bytes), 0);
}
END_TEST

START_TEST(admission_refusal_reserves_nothing)
{
    struct admission a;

    admission_init(&a, 100, 1);
    ck_assert_int_eq(admission_reserve(&a, 0, 90), ADMISSION_OK);
    ck_assert_int_eq(admission_reserve(&a, 0, 20), ADMISSION_BUSY);
    ck_assert_uint_eq(atomic_load(&a.bytes), 90);
}
END_TEST

START_TEST(admission_queue_has_a_limit)
{
    struct admission a;

    admission_init(&a, 100, 2);
    ck_assert(admission_enqueue(&a));
    ck_assert(admission_enqueue(&a));
    ck_assert(!admission_enqueue(&a));
    admission_dequeue(&a);
    ck_assert(admission_enqueue(&a));
}
END_TEST

SUITE("admission", TEST(admission_tells_busy_from_never),
      TEST(admission_does_not_wrap_around),
      TEST(admission_refusal_reserves_nothing),
      TEST(admission_queue_has_a_limit))
