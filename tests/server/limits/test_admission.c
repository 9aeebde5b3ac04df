#include <check.h>

#include "server/limits/admission.h"
#include "tests/suite.h"

START_TEST(admission_queue_has_a_limit)
{
    struct admission a;

    admission_init(&a, 2);
    ck_assert(admission_enqueue(&a));
    ck_assert(admission_enqueue(&a));
    ck_assert(!admission_enqueue(&a));
    ck_assert_uint_eq(atomic_load(&a.queued), 2);
    admission_dequeue(&a);
    ck_assert(admission_enqueue(&a));
}
END_TEST

SUITE("admission", TEST(admission_queue_has_a_limit))
