/* The flag of a mover, which may be set at each test of it. */
#pragma once

#include "kernels/core/cancel.h"
#include "tests/proofs/harness.h"

static size_t untested; /* bytes since the last test of the flag */
static bool tested, cancelled;
static atomic_bool flag;

bool cancel_requested(const atomic_bool *asked)
{
    CHECK(asked == &flag);
    CHECK(!cancelled); /* the first answer is heard */
    tested = true;
    untested = 0;
    cancelled = nondet_bool();
    return cancelled;
}

/* Before anything moves. A test is due once in a MiB, give or take one. */
static void expect_tests(size_t moved)
{
    CHECK(tested && !cancelled);
    untested += moved;
    CHECK(untested <= 2 * CANCEL_STEP_BYTES);
}
