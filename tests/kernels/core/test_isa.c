/* FLIPD_SIMD: the instruction sets that it may name, and the one in use. */
#include "kernels/core/isa.h"
#include "tests/unit.h"

static enum isa find_best(void)
{
    enum isa best = ISA_GENERIC;

    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (isa_is_supported((enum isa)isa))
            best = (enum isa)isa;
    return best;
}

UNIT_TEST(isa_is_the_best_without_a_limit)
{
    struct status st;

    unsetenv("FLIPD_SIMD");
    ck_assert(isa_check_environment(&st));
    setenv("FLIPD_SIMD", "", 1);
    ck_assert(isa_check_environment(&st));
    ck_assert_int_eq(isa_active(), find_best());
}

LOOP_TEST(isa_is_the_named_one_if_the_processor_has_it, ISA_COUNT)
{
    const char *name = isa_name((enum isa)_i);
    struct status st;

    setenv("FLIPD_SIMD", name, 1);
    if (isa_is_supported((enum isa)_i)) {
        ck_assert(isa_check_environment(&st));
        ck_assert_int_eq(isa_active(), _i);
        return;
    }
    ck_assert(!isa_check_environment(&st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, name));
    ck_assert_ptr_nonnull(strstr(st.message, "which this processor lacks"));
    ck_assert_int_eq(isa_active(), find_best());
}

UNIT_TEST(isa_is_resolved_once)
{
    setenv("FLIPD_SIMD", "generic", 1);
    ck_assert_int_eq(isa_active(), ISA_GENERIC);
    unsetenv("FLIPD_SIMD");
    ck_assert_int_eq(isa_active(), ISA_GENERIC);
}

UNIT_TEST(isa_refuses_an_unknown_name)
{
    struct status st;

    setenv("FLIPD_SIMD", "AVX2", 1);
    ck_assert(!isa_check_environment(&st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "FLIPD_SIMD is \"AVX2\""));
    ck_assert_int_eq(isa_active(), find_best());
}

UNIT_TEST(isa_belongs_to_one_architecture)
{
    ck_assert(isa_is_supported(ISA_GENERIC));
    ck_assert(!isa_is_supported(ISA_AVX512) || isa_is_supported(ISA_AVX2));
    ck_assert(!isa_is_supported(ISA_AVX2) || !isa_is_supported(ISA_NEON));
}
