#include <ctype.h>

#include "api/document/field.h"
#include "tests/unit.h"

/* Names from other libraries and languages, and the one that is meant. */
static const struct {
    const char *name, *meant;
} rows[] = {
    {"fp32", "FP32"},
    {"Fp-32", "FP32"},
    {" FP32", "FP32"},
    {"float32", "FP32"},
    {"Float", "FP32"},
    {"FLOAT", "FP32"},
    {"single", "FP32"},
    {"f32", "FP32"},
    {"F64", "FP64"},
    {"double", "FP64"},
    {"float16", "FP16"},
    {"half", "FP16"},
    {"bfloat16", "BF16"},
    {"bfloat", "BF16"},
    {"bf16", "BF16"},
    {"int8", "INT8"},
    {"i8", "INT8"},
    {"int", "INT64"},
    {"long", "INT64"},
    {"short", "INT16"},
    {"uint8", "UINT8"},
    {"uint8_t", "UINT8"},
    {"u16", "UINT16"},
    {"UInt1", "UINT1"},
    {"bool", "BOOL"},
    {"boolean", "BOOL"},
    {"string", "BYTES"},
    {"str", "BYTES"},
    {"object", "BYTES"},
    {"bytes", "BYTES"},
    {"complex", "COMPLEX128"},
    {"c64", "COMPLEX64"},
    {"complex64", "COMPLEX64"},
    {"float8_e4m3fn", "FP8_E4M3"},
    {"f8e5m2", "FP8_E5M2"},
    {"fp8e8m0", "FP8_E8M0"},
    {"float8_e8m0fnu", "FP8_E8M0"},
    {"float4_e2m1fn", "FP4_E2M1"},
    {"nf4", "NF4"},
    /* Parts around it. */
    {"TYPE_FP32", "FP32"},
    {"TYPE_STRING", "BYTES"},
    {"DT_FLOAT", "FP32"},
    {"DT_BFLOAT16", "BF16"},
    {"tensor(float)", "FP32"},
    {"tensor(int64)", "INT64"},
    {"torch.float32", "FP32"},
    {"torch.DoubleTensor", "FP64"},
    {"np.bool_", "BOOL"},
    {"<class 'numpy.int16'>", "INT16"},
    /* NumPy's descr has bytes, not bits. */
    {"<f4", "FP32"},
    {"|u1", "UINT8"},
    {">i8", "INT64"},
    {"=c16", "COMPLEX128"},
    {"<i4", "INT32"},
    /* Nothing that could be told. */
    {"", NULL},
    {"7", NULL},
    {"FP31", NULL},
    {"float8", NULL},
    {"float8_e4m3fnuz", NULL},
    {"int128", NULL},
    {"number", NULL},
    {"byte", NULL},
    {"tensor", NULL},
    {".", NULL},
    {"<", NULL},
    {"<f", NULL},
    {"<f99999999999999999999", NULL},
    {"float32float32float32float32float32float32", NULL},
};

LOOP_TEST(refusal_names_the_datatype_that_was_meant, COUNT(rows))
{
    char wanted[100];
    struct status st;
    enum dtype dtype;
    const char *name = rows[_i].name, *meant = rows[_i].meant;

    snprintf(wanted, sizeof(wanted), "x.datatype is '%.40s'%s%s%s, but it must",
             name, meant ? " (did you mean " : "", meant ? meant : "",
             meant ? "?)" : "");
    ck_assert(!datatype_read(name, strlen(name), "x", &dtype, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strncmp(st.message, wanted, strlen(wanted)) == 0, "%s",
                  st.message);
}

/* Every name is read as it is, and meant in lower case. The list of all fits
 * into the text of an error with the longest of them. */
LOOP_TEST(every_name_is_read_and_meant_in_lower_case, DTYPE_COUNT)
{
    const char *name = dtype_info((enum dtype)_i)->name;
    enum dtype dtype = DTYPE_COUNT;
    char other[32], wanted[64];
    struct status st;

    ck_assert(datatype_read(name, strlen(name), "inputs[0]", &dtype, &st));
    ck_assert_int_eq(dtype, _i);
    for (size_t i = 0; i <= strlen(name); i++)
        other[i] = (char)tolower((unsigned char)name[i]);
    ck_assert(!datatype_read(other, strlen(other), "inputs[0]", &dtype, &st));
    snprintf(wanted, sizeof(wanted), "(did you mean %s?)", name);
    ck_assert_msg(strstr(st.message, wanted) != NULL, "%s", st.message);
    ck_assert_msg(strstr(st.message, ", NF4") != NULL, "%s", st.message);
}

UNIT_TEST(the_models_file_names_no_tensor)
{
    enum dtype dtype;
    struct status st;

    ck_assert(!datatype_read("f16", 3, "", &dtype, &st));
    ck_assert(strncmp(st.message, "datatype is 'f16' (", 19) == 0);
}
