/* FLIPD_SIMD: what it excludes, and what it may be. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/isa.h"
#include "tests/suite.h"

START_TEST(isa_allows_all_without_a_limit)
{
    struct status st;

    unsetenv("FLIPD_SIMD");
    ck_assert(isa_check_environment(&st));
    for (int isa = 0; isa < ISA_COUNT; isa++)
        ck_assert(isa_is_allowed((enum isa)isa));
    setenv("FLIPD_SIMD", "", 1);
    ck_assert(isa_check_environment(&st));
    ck_assert(isa_is_allowed(ISA_AVX512));
}
END_TEST

START_TEST(isa_limit_excludes_the_sets_above_it)
{
    struct status st;

    setenv("FLIPD_SIMD", isa_name((enum isa)_i), 1);
    ck_assert(isa_check_environment(&st));
    for (int isa = 0; isa < ISA_COUNT; isa++)
        ck_assert_int_eq(isa_is_allowed((enum isa)isa), isa <= _i);
}
END_TEST

START_TEST(isa_refuses_an_unknown_name)
{
    struct status st;

    setenv("FLIPD_SIMD", "AVX2", 1);
    ck_assert(!isa_check_environment(&st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "FLIPD_SIMD is \"AVX2\""));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("isa");
    TCase *tc = tcase_create("isa");

    tcase_add_test(tc, isa_allows_all_without_a_limit);
    tcase_add_loop_test(tc, isa_limit_excludes_the_sets_above_it, 0, ISA_COUNT);
    tcase_add_test(tc, isa_refuses_an_unknown_name);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
