#include "kernels/core/cancel.h"
#include "tests/api/message.h"
#include "tests/api/tensor_json/array_case.h"
#include "tests/unit.h"

struct conversion {
    enum dtype dtype;
    const char *shape;
    const char *text;
    const char *bytes; /* hexadecimal, with blanks for readability */
    const char *shown; /* the text printed from the bytes */
};

static const struct conversion conversions[] = {
    {DTYPE_BOOL, "3", "[true,false, true]", "01 00 01", "true,false,true"},
    {DTYPE_INT8, "4", "[-128,127,-0,-1]", "80 7f 00 ff", "-128,127,0,-1"},
    {DTYPE_INT16, "2", "[-32768,258]", "0080 0201", "-32768,258"},
    {DTYPE_INT32, "2", "[-2147483648,67305985]", "00000080 01020304",
     "-2147483648,67305985"},
    {DTYPE_INT64, "2", "[-9223372036854775808,9223372036854775807]",
     "0000000000000080 ffffffffffffff7f",
     "-9223372036854775808,9223372036854775807"},
    {DTYPE_UINT8, "2", "[255,7]", "ff 07", "255,7"},
    {DTYPE_UINT16, "2", "[65535,258]", "ffff 0201", "65535,258"},
    {DTYPE_UINT32, "1", "[4294967295]", "ffffffff", "4294967295"},
    {DTYPE_UINT64, "1", "[18446744073709551615]", "ffffffffffffffff",
     "18446744073709551615"},
    {DTYPE_FP16, "6", "[1,-0,NaN,Infinity,-Infinity,0.1]",
     "003c 0080 007e 007c 00fc 662e", "1,-0.0,NaN,Infinity,-Infinity,0.1"},
    {DTYPE_FP16, "2", "[2049.0000000000000000000000001,2049]", "0168 0068",
     "2050,2048"},
    {DTYPE_BF16, "4", "[1,NaN,-Infinity,3.3895e38]", "803f c07f 80ff 7f7f",
     "1,NaN,-Infinity,3.39e+38"},
    {DTYPE_FP32, "5", "[1,NaN,Infinity,-Infinity,1e-400]",
     "0000803f 0000c07f 0000807f 000080ff 00000000",
     "1,NaN,Infinity,-Infinity,0"},
    {DTYPE_FP32, "1", "[0.1]", "cdcccc3d", "0.1"},
    {DTYPE_FP64, "4", "[-1.0,NaN,Infinity,-Infinity]",
     "000000000000f0bf 000000000000f87f 000000000000f07f 000000000000f0ff",
     "-1,NaN,Infinity,-Infinity"},
    {DTYPE_COMPLEX64, "2", "[[1,-1],[NaN,0]]",
     "0000803f 000080bf 0000c07f 00000000", "1,-1,NaN,0"},
    {DTYPE_COMPLEX128, "1", "[1,0.5]", "000000000000f03f 000000000000e03f",
     "1,0.5"},
    {DTYPE_INT4, "3", "[-8,7,-1]", "78 0f", "-8,7,-1"},
    {DTYPE_INT4, "2", "[1,-2]", "e1", "1,-2"},
    {DTYPE_UINT4, "3", "[1,15,9]", "f1 09", "1,15,9"},
    {DTYPE_UINT2, "5", "[3,0,1,2,1]", "c6 40", "3,0,1,2,1"},
    {DTYPE_UINT1, "9", "[1,0,0,0,0,0,1,1,1]", "83 80", "1,0,0,0,0,0,1,1,1"},
    {DTYPE_FP32, "2,0", "[[],[]]", "", ""},
};

LOOP_TEST(to_binary_converts_each_datatype, COUNT(conversions))
{
    const struct conversion *c = &conversions[_i];
    struct data_array a = array_case(c->dtype, c->shape, c->text);
    size_t bytes;
    unsigned char *expected = message_unhex(c->bytes, &bytes);
    unsigned char *out = malloc(bytes + 1);
    struct status st = {0};

    memset(out, 0xAA, bytes + 1);
    ck_assert_msg(tensor_json_to_binary(&a, out, NULL, &st), "%s: %s", c->text,
                  st.message);
    ck_assert_msg(memcmp(out, expected, bytes) == 0 && out[bytes] == 0xAA, "%s",
                  c->text);
    free(expected);
    free(out);
    array_case_free(&a);
}

LOOP_TEST(print_prints_each_datatype, COUNT(conversions))
{
    const struct conversion *c = &conversions[_i];
    struct data_array a = array_case(c->dtype, c->shape, c->text);
    struct tensor tensor = {.name = "input", .dtype = c->dtype};
    unsigned char *bytes = message_unhex(c->bytes, &tensor.bytes);
    size_t bound = tensor_json_print_bound(c->dtype, a.count);
    char *out = malloc(bound ? bound : 1), *end = out;
    struct status st;
    size_t len;

    ck_assert_ptr_nonnull(out);
    tensor.data = bytes;
    ck_assert(tensor_json_print(&tensor, a.count, &end, NULL, &st));
    len = (size_t)(end - out);
    ck_assert_uint_eq(len, strlen(c->shown));
    ck_assert_mem_eq(out, c->shown, len);
    free(bytes);
    free(out);
    array_case_free(&a);
}

UNIT_TEST(print_bound_saturates)
{
    ck_assert_uint_eq(tensor_json_print_bound(DTYPE_FP64, UINT64_MAX / 8),
                      SIZE_MAX);
    ck_assert_uint_eq(
        tensor_json_print_bound(DTYPE_COMPLEX128, UINT64_MAX / 26), SIZE_MAX);
    ck_assert_uint_eq(tensor_json_print_bound(DTYPE_UINT1, 0), 0);
}

UNIT_TEST(print_refuses_opaque_datatypes)
{
    const unsigned char data[] = {0};
    struct tensor tensor = {
        .name = "input", .dtype = DTYPE_FP8_E4M3, .data = data};
    struct status st = {0};
    char out[32], *end = out;

    ck_assert(!tensor_json_print(&tensor, 1, &end, NULL, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "binary"));
}

/* Escapes of characters that have one to four bytes in UTF-8. */
UNIT_TEST(strings_become_utf8)
{
    struct data_array a =
        array_case(DTYPE_BYTES, "1",
                   "[\"\\u0041\\u00e9\\u07ff\\u0800\\u20AC\\ud83d\\ude00\"]");
    const char expected[] = "\17\0\0\0A\303\251\337\277\340\240\200"
                            "\342\202\254\360\237\230\200";
    struct span row;
    struct status st;
    char out[100];

    ck_assert(tensor_json_index(&a, 1, &row, NULL, &st));
    ck_assert_uint_le(sizeof(expected) - 1, tensor_json_strings_bound(&a));
    ck_assert_uint_eq(tensor_json_strings_to_binary(&a, &row, 1, out, NULL),
                      sizeof(expected) - 1);
    ck_assert_mem_eq(out, expected, sizeof(expected) - 1);
    array_case_free(&a);
}

UNIT_TEST(conversions_stop_when_cancelled)
{
    const unsigned char data[4] = {0};
    struct tensor tensor = {.name = "input", .dtype = DTYPE_FP32, .data = data};
    struct data_array a = array_case(DTYPE_FP32, "1", "[1]");
    struct data_array s = array_case(DTYPE_BYTES, "1", "[\"a\"]");
    struct span row = {1, 1};
    atomic_bool cancel = true;
    const struct permutation one = {.row_count = 1};
    const struct tensor_json_job job = {
        .array = &a, .permutation = &one, .cancel = &cancel};
    struct status st = {0};
    char out[32], *end = out;

    ck_assert(!tensor_json_print(&tensor, 1, &end, &cancel, &st));
    ck_assert_int_eq(st.code, STATUS_CANCELLED);
    st.code = STATUS_OK;
    ck_assert(!tensor_json_to_binary(&a, out, &cancel, &st));
    ck_assert_int_eq(st.code, STATUS_CANCELLED);
    ck_assert_uint_eq(tensor_json_emit(&job, &row, 1, out, a.len), 0);
    ck_assert_uint_eq(tensor_json_strings_to_binary(&s, &row, 1, out, &cancel),
                      0);
    array_case_free(&a);
    array_case_free(&s);
}

static int pauses;

static void count_pause(void)
{
    pauses++;
}

/* Printing takes milliseconds for a MiB: its thread may pause more often. */
UNIT_TEST(print_tests_the_flag_every_128_kib)
{
    enum { COUNT = 1 << 20 }; /* elements, of two bytes of text each */
    struct tensor tensor = {.name = "input", .dtype = DTYPE_UINT1};
    unsigned char *data = calloc(1, COUNT / 8);
    char *out = malloc(2 * COUNT), *end = out;
    struct status st;

    tensor.data = data;
    cancel_pause = count_pause;
    pauses = 0;
    ck_assert(tensor_json_print(&tensor, COUNT, &end, NULL, &st));
    cancel_pause = NULL;
    ck_assert_int_ge(pauses, 8);
    ck_assert_int_le(pauses, 17);
    free(data);
    free(out);
}
