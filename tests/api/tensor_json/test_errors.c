/* Elements that are refused, and truncated texts. */
#include "api/lex/scan.h"
#include "tests/api/tensor_json/array_case.h"
#include "tests/unit.h"

static const struct array_refusal elements[] = {
    {DTYPE_INT8, "4", "[0,1,2,300]",
     "data[3] of 'input' is 300, but INT8 holds -128 to 127"},
    {DTYPE_INT8, "1", "[128]", "is 128, but INT8 holds -128 to 127"},
    {DTYPE_INT8, "1", "[-129]", "is -129, but INT8 holds -128 to 127"},
    {DTYPE_INT8, "1", "[-1000]", "is -1000, but INT8"},
    {DTYPE_INT16, "1", "[32768]", "but INT16 holds -32768 to 32767"},
    {DTYPE_INT32, "1", "[2147483648]",
     "data[0] of 'input' is 2147483648, but INT32 holds -2147483648 to "
     "2147483647"},
    {DTYPE_INT64, "1", "[9223372036854775808]",
     "INT64 holds -9223372036854775808 to 9223372036854775807"},
    {DTYPE_INT64, "1", "[-9223372036854775809]", "is -9223372036854775809"},
    {DTYPE_UINT8, "1", "[256]", "is 256, but UINT8 holds 0 to 255"},
    {DTYPE_UINT8, "1", "[-1]", "is -1, but UINT8 holds 0 to 255"},
    {DTYPE_UINT16, "1", "[65536]", "UINT16 holds 0 to 65535"},
    {DTYPE_UINT32, "1", "[4294967296]", "UINT32 holds 0 to 4294967295"},
    {DTYPE_UINT64, "1", "[18446744073709551616]",
     "UINT64 holds 0 to 18446744073709551615"},
    {DTYPE_UINT64, "1", "[99999999999999999999999]",
     "is 99999999999999999999999, but UINT64"},
    {DTYPE_INT4, "1", "[8]", "is 8, but INT4 holds -8 to 7"},
    {DTYPE_INT4, "1", "[-9]", "is -9, but INT4 holds -8 to 7"},
    {DTYPE_UINT4, "1", "[16]", "UINT4 holds 0 to 15"},
    {DTYPE_UINT2, "1", "[4]", "UINT2 holds 0 to 3"},
    {DTYPE_UINT1, "2", "[1,2]", "data[1] of 'input' is 2, but UINT1 holds 0"},
    {DTYPE_FP16, "1", "[65520]",
     "data[0] of 'input' is 65520, but FP16 holds -65504 to 65504"},
    {DTYPE_FP16, "1", "[-6.552e4]", "is -6.552e4, but FP16 holds"},
    {DTYPE_BF16, "1", "[3.4e38]",
     "is 3.4e38, but BF16 holds -3.3895314e+38 to 3.3895314e+38"},
    {DTYPE_FP32, "1", "[1e39]",
     "is 1e39, but FP32 holds -3.4028235e+38 to 3.4028235e+38"},
    {DTYPE_FP32, "1", "[1e99999999999999999999]", "but FP32 holds"},
    {DTYPE_FP32, "1", "[340282356779733661637539395458142568448]", "but FP32"},
    {DTYPE_FP64, "1", "[1e309]",
     "is 1e309, but FP64 holds -1.7976931348623157e+308 to "
     "1.7976931348623157e+308"},
    {DTYPE_FP32, "1", "[4000000000000000000000000000000000000000e-00001]",
     "is 4000000000000000000000000000000000000000..., but FP32 holds"},
    {DTYPE_FP64, "1", "[9e308]", "is 9e308, but FP64 holds"},
    {DTYPE_COMPLEX64, "2", "[1,2,3,1e39]",
     "data[1] of 'input' is 1e39, but COMPLEX64 holds"},
    {DTYPE_COMPLEX128, "1", "[1e309,0]",
     "data[0] of 'input' is 1e309, but COMPLEX128 holds"},
    /* Another kind of value. */
    {DTYPE_INT32, "2", "[1,1.5]",
     "data[1] of 'input' is 1.5, but INT32 takes integers"},
    {DTYPE_INT32, "1", "[1.0]", "is 1.0, but INT32 takes integers"},
    {DTYPE_INT32, "1", "[1e2]", "is 1e2, but INT32 takes integers"},
    {DTYPE_UINT8, "1", "[NaN]", "is NaN, but UINT8 takes integers"},
    {DTYPE_UINT8, "1", "[-Infinity]", "is -Infinity, but UINT8 takes integers"},
    {DTYPE_FP32, "2", "[1,true]", "data[1] of 'input' is true, but FP32 takes"},
    {DTYPE_FP32, "1", "[null]", "is null, but FP32 takes numbers"},
    {DTYPE_FP32, "1", "[\"abc\"]", "is \"abc\", but FP32 takes numbers"},
    {DTYPE_FP32, "1", "[{\"a\":1}]", "is an object, but FP32 takes numbers"},
    {DTYPE_COMPLEX64, "2", "[1,2,3,\"4\"]",
     "data[1] of 'input' is \"4\", but COMPLEX64 takes numbers"},
    {DTYPE_BOOL, "2", "[true,1]",
     "data[1] of 'input' is 1, but BOOL takes true and false"},
    {DTYPE_BOOL, "1", "[NaN]", "is NaN, but BOOL takes"},
    {DTYPE_BYTES, "1", "[1]", "is 1, but BYTES takes strings"},
    {DTYPE_BYTES, "1", "[Infinity]", "is Infinity, but BYTES takes strings"},
    {DTYPE_BYTES, "1", "[null]", "is null, but BYTES takes strings"},
    /* Quoted tokens are cut at the end of a character. */
    {DTYPE_INT8, "1", "[11111111112222222222333333333344444444445555555555]",
     "is 1111111111222222222233333333334444444444..., but INT8"},
    {DTYPE_FP32, "1",
     "[\"11111111112222222222333333333344444444\xC3\xA9 tail\"]",
     "is \"11111111112222222222333333333344444444..., but FP32"},
    {DTYPE_FP32, "1",
     "[\"1111111111222222222233333333334444444\xC3\xA9 tail\"]",
     "is \"1111111111222222222233333333334444444\xC3\xA9..., but FP32"},
};

LOOP_TEST(index_refuses_elements_by_index_value_and_range, COUNT(elements))
{
    array_case_refused(&elements[_i]);
}

UNIT_TEST(index_refuses_a_million_digits_in_bounded_time)
{
    enum { DIGITS = 1000000 };
    char *text = malloc(DIGITS + 2);
    struct status st = {0};

    ck_assert_ptr_nonnull(text);
    memset(text, '7', DIGITS + 2);
    text[0] = '[';
    text[DIGITS + 1] = ']';
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct data_array a = array_case_bytes(dtype, "1", text, DIGITS + 2);

        ck_assert(!array_case_accepted(&a, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "input"));
        array_case_free(&a);
    }
    text[2] = '.';
    for (enum dtype dtype = DTYPE_FP16; dtype <= DTYPE_FP64; dtype++) {
        struct data_array a = array_case_bytes(dtype, "1", text, DIGITS + 2);

        ck_assert(array_case_accepted(&a, &st));
        array_case_free(&a);
    }
    free(text);
}

/* The string need not be part of an array. */
UNIT_TEST(string_check_stops_at_the_end)
{
    static const char *const texts[] = {
        "\"", "\"ab", "\"\\", "\"\\u12", "\"\\ud83d", "\"\\ud83d\\ude0"};
    const char *why;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t len = strlen(texts[i]);
        char *copy = malloc(len);
        const char *at = copy;

        ck_assert_ptr_nonnull(copy);
        memcpy(copy, texts[i], len);
        ck_assert(!scan_string(&at, copy + len, &why));
        free(copy);
    }
}

/* No prefix of an array, and no value of any of its bytes, leads to a read past
 * the text. */
LOOP_TEST(index_survives_cuts_and_flipped_bytes, 4)
{
    static const struct array_refusal good[] = {
        {DTYPE_FP32, "2,2", "[[0.5, -1e10],[NaN,-Infinity]]", ""},
        {DTYPE_INT16, "4", "[ 12345 ,-1, 0,1 ]", ""},
        {DTYPE_BYTES, "2", "[\"\\u00e9\\ud83d\\ude00\",\"\xE2\x82\xAC ab\"]",
         ""},
        {DTYPE_BOOL, "2", "[true,false]", ""},
    };
    const struct array_refusal *c = &good[_i];
    size_t len = strlen(c->text);
    struct status st;

    for (size_t i = 0; i < len; i++) {
        struct data_array a = array_case_bytes(c->dtype, c->shape, c->text, i);

        ck_assert(!array_case_accepted(&a, &st));
        array_case_free(&a);
        for (int byte = 0; byte < 256; byte++) {
            char text[100];

            memcpy(text, c->text, len);
            text[i] = (char)byte;
            a = array_case_bytes(c->dtype, c->shape, text, len);
            array_case_accepted(&a, &st);
            array_case_free(&a);
        }
    }
}
