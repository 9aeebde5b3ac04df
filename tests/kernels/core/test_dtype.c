#include "kernels/core/dtype.h"
#include "tests/unit.h"

/* The protocol's list, in the order of enum dtype. */
static const struct dtype_traits expected[] = {
    {"BOOL", DTYPE_KIND_BOOL, 8, false},
    {"INT8", DTYPE_KIND_INT, 8, false},
    {"INT16", DTYPE_KIND_INT, 16, false},
    {"INT32", DTYPE_KIND_INT, 32, false},
    {"INT64", DTYPE_KIND_INT, 64, false},
    {"UINT8", DTYPE_KIND_UINT, 8, false},
    {"UINT16", DTYPE_KIND_UINT, 16, false},
    {"UINT32", DTYPE_KIND_UINT, 32, false},
    {"UINT64", DTYPE_KIND_UINT, 64, false},
    {"FP16", DTYPE_KIND_FLOAT, 16, false},
    {"BF16", DTYPE_KIND_FLOAT, 16, false},
    {"FP32", DTYPE_KIND_FLOAT, 32, false},
    {"FP64", DTYPE_KIND_FLOAT, 64, false},
    {"COMPLEX64", DTYPE_KIND_COMPLEX, 64, false},
    {"COMPLEX128", DTYPE_KIND_COMPLEX, 128, false},
    {"BYTES", DTYPE_KIND_BYTES, 0, false},
    {"INT4", DTYPE_KIND_INT, 4, false},
    {"UINT4", DTYPE_KIND_UINT, 4, false},
    {"UINT2", DTYPE_KIND_UINT, 2, true},
    {"UINT1", DTYPE_KIND_UINT, 1, true},
    {"FP8_E4M3", DTYPE_KIND_OPAQUE, 8, false},
    {"FP8_E5M2", DTYPE_KIND_OPAQUE, 8, false},
    {"FP8_E8M0", DTYPE_KIND_OPAQUE, 8, false},
    {"FP4_E2M1", DTYPE_KIND_OPAQUE, 4, false},
    {"NF4", DTYPE_KIND_OPAQUE, 4, false},
};

LOOP_TEST(dtype_info_matches_the_protocol, DTYPE_COUNT)
{
    const struct dtype_traits *info = dtype_info((enum dtype)_i);

    ck_assert_str_eq(info->name, expected[_i].name);
    ck_assert_int_eq(info->kind, expected[_i].kind);
    ck_assert_uint_eq(info->bits, expected[_i].bits);
    ck_assert(info->high_first == expected[_i].high_first);
}

LOOP_TEST(dtype_parse_finds_every_name, DTYPE_COUNT)
{
    char text[32] = {0};
    enum dtype dtype = DTYPE_COUNT;
    size_t len = strlen(expected[_i].name);

    memcpy(text, expected[_i].name, len);
    text[len] = 'x'; /* the length rules, not a terminator */
    ck_assert(dtype_parse(text, len, &dtype));
    ck_assert_int_eq(dtype, _i);
}

UNIT_TEST(dtype_parse_refuses_other_names)
{
    static const char *const names[] = {"",     "fp32",  "FP3",    "FP322",
                                        "INT",  "INT4 ", "STRING", "FLOAT",
                                        "NF44", "BOO",   "UINT"};
    enum dtype dtype;

    for (int i = 0; i < COUNT(names); i++)
        ck_assert_msg(!dtype_parse(names[i], strlen(names[i]), &dtype),
                      "'%s' was taken", names[i]);
    ck_assert(!dtype_parse("FP32\0", 5, &dtype));
}

UNIT_TEST(dtype_all_names_lists_the_table)
{
    char names[512] = "";

    for (int i = 0; i < DTYPE_COUNT; i++) {
        strcat(names, i ? ", " : "");
        strcat(names, dtype_info((enum dtype)i)->name);
    }
    ck_assert_str_eq(DTYPE_ALL_NAMES, names);
}
