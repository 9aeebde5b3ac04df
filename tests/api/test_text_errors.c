#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "api/text_string.h"
#include "tests/api/text_case.h"

struct refused {
    enum dtype dtype;
    const char *shape;
    const char *text;
    const char *message;
};

/* The array starts at byte 100 of its document. */
static const struct refused elements[] = {
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
    {DTYPE_FP32, "1", "[4000000000000000000000000000000000000000e-1]",
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
    /* Quoted tokens are cut, at a whole character. */
    {DTYPE_INT8, "1", "[11111111112222222222333333333344444444445555555555]",
     "is 1111111111222222222233333333334444444444..., but INT8"},
    {DTYPE_FP32, "1",
     "[\"11111111112222222222333333333344444444\xC3\xA9 tail\"]",
     "is \"11111111112222222222333333333344444444..., but FP32"},
    {DTYPE_FP32, "1",
     "[\"1111111111222222222233333333334444444\xC3\xA9 tail\"]",
     "is \"1111111111222222222233333333334444444\xC3\xA9..., but FP32"},
};

static const struct refused grammar[] = {
    {DTYPE_FP32, "1", "", "malformed JSON at byte 100: '[' is expected"},
    {DTYPE_FP32, "1", "1", "malformed JSON at byte 100: '[' is expected"},
    {DTYPE_FP32, "1", "[", "malformed JSON at byte 101: the array is not"},
    {DTYPE_FP32, "1", "[1", "malformed JSON at byte 102: the array is not"},
    {DTYPE_FP32, "2,1", "[[1]", "malformed JSON at byte 104: the array is not"},
    {DTYPE_FP32, "1", "[1]]", "malformed JSON at byte 103: bytes follow the"},
    {DTYPE_FP32, "1", "[1],[2]", "malformed JSON at byte 103: bytes follow"},
    {DTYPE_FP32, "1", "[,1]",
     "malformed JSON at byte 101: a value is expected"},
    {DTYPE_FP32, "1", "[1,]",
     "malformed JSON at byte 103: a value is expected"},
    {DTYPE_FP32, "1", "[1,,2]", "malformed JSON at byte 103: a value is"},
    {DTYPE_FP32, "2,1", "[[1],]", "malformed JSON at byte 105: a value is"},
    {DTYPE_FP32, "2,1", "[[1] [2]]",
     "malformed JSON at byte 105: ',' or ']' is expected"},
    {DTYPE_FP32, "1", "[1 2]", "malformed JSON at byte 103: ',' or ']'"},
    {DTYPE_FP32, "1", "[1;2]", "malformed JSON at byte 102: ',' or ']'"},
    {DTYPE_FP32, "1", "[1}]", "malformed JSON at byte 102: ',' or ']'"},
    {DTYPE_FP32, "1", "[01]",
     "malformed JSON at byte 101: a number has a lead"},
    {DTYPE_INT32, "1", "[-01]", "malformed JSON at byte 102: a number has a"},
    {DTYPE_INT32, "1", "[00]", "malformed JSON at byte 101: a number has a"},
    {DTYPE_FP32, "1", "[-]", "malformed JSON at byte 102: a digit is expected"},
    {DTYPE_INT32, "1", "[-a]", "malformed JSON at byte 102: a digit is"},
    {DTYPE_FP32, "1", "[+1]", "malformed JSON at byte 101: a value is"},
    {DTYPE_FP32, "1", "[.5]", "malformed JSON at byte 101: a value is"},
    {DTYPE_FP32, "1", "[1.]", "malformed JSON at byte 103: a digit is"},
    {DTYPE_INT32, "1", "[1.]", "malformed JSON at byte 103: a digit is"},
    {DTYPE_FP32, "1", "[1.e1]", "malformed JSON at byte 103: a digit is"},
    {DTYPE_FP32, "1", "[1e]", "malformed JSON at byte 103: a digit is"},
    {DTYPE_FP32, "1", "[1e+]", "malformed JSON at byte 104: a digit is"},
    {DTYPE_INT32, "1", "[1e-]", "malformed JSON at byte 104: a digit is"},
    {DTYPE_FP32, "1", "[0x10]", "malformed JSON at byte 102: ',' or ']'"},
    {DTYPE_FP32, "1", "[1_0]", "malformed JSON at byte 102: ',' or ']'"},
    {DTYPE_FP32, "1", "[nan]", "malformed JSON at byte 101: a value is"},
    {DTYPE_FP32, "1", "[inf]", "malformed JSON at byte 101: a value is"},
    {DTYPE_FP32, "1", "[-NaN]", "malformed JSON at byte 102: a digit is"},
    {DTYPE_FP32, "1", "[Infinit]", "malformed JSON at byte 101: a value is"},
    {DTYPE_FP32, "1", "[Infinityx]", "malformed JSON at byte 109: ',' or ']'"},
    {DTYPE_BOOL, "1", "[tru]", "malformed JSON at byte 101: a value is"},
    {DTYPE_BOOL, "1", "[True]", "malformed JSON at byte 101: a value is"},
    {DTYPE_BOOL, "1", "[truex]", "malformed JSON at byte 105: ',' or ']'"},
    {DTYPE_FP32, "1", "[1,/**/2]", "malformed JSON at byte 103: a value is"},
    {DTYPE_FP32, "1", "[1,\v2]", "malformed JSON at byte 103: a value is"},
    {DTYPE_FP32, "1", "[1\xC2\xA0]", "malformed JSON at byte 102: ',' or ']'"},
    {DTYPE_BYTES, "1", "[\"a]",
     "malformed JSON at byte 104: a string is not closed"},
    {DTYPE_BYTES, "1", "[\"a\\\"]", "byte 106: a string is not closed"},
    {DTYPE_BYTES, "1", "[\"a\nb\"]",
     "malformed JSON at byte 103: a control character in a string"},
    {DTYPE_BYTES, "1", "[\"12345678\x01\"]", "byte 110: a control character"},
    {DTYPE_BYTES, "1", "[\"a\\x\"]", "byte 103: an escape is not valid"},
    {DTYPE_BYTES, "1", "[\"\\u12g4\"]", "byte 102: an escape is not valid"},
    {DTYPE_BYTES, "1", "[\"\\u12\"]", "byte 102: an escape is not valid"},
    {DTYPE_BYTES, "1", "[\"\\U0041\"]", "byte 102: an escape is not valid"},
    {DTYPE_BYTES, "1", "[\"\\ud800\"]", "byte 102: a surrogate has no partner"},
    {DTYPE_BYTES, "1", "[\"\\ud800\\u0041\"]", "byte 102: a surrogate has no"},
    {DTYPE_BYTES, "1", "[\"\\ud800\\n12345\"]", "byte 102: a surrogate has no"},
    {DTYPE_BYTES, "1", "[\"\\udc00\"]", "byte 102: a surrogate has no partner"},
    {DTYPE_BYTES, "1", "[\"\xFF\"]", "byte 102: a string is not UTF-8"},
    {DTYPE_BYTES, "1", "[\"\xC0\x80\"]", "byte 102: a string is not UTF-8"},
    {DTYPE_BYTES, "1", "[\"\xED\xA0\x80\"]", "byte 102: a string is not UTF-8"},
    {DTYPE_BYTES, "1", "[\"\xC3\"]", "byte 102: a string is not UTF-8"},
    {DTYPE_BYTES, "1", "[\"\xF4\x90\x80\x80\"]", "byte 102: a string is not"},
    {DTYPE_BYTES, "1", "[\"a\"\"b\"]", "byte 104: ',' or ']' is expected"},
    {DTYPE_BYTES, "1", "['a']", "byte 101: a value is expected"},
    /* Wrong, and of another kind: the grammar comes first. */
    {DTYPE_FP32, "1", "[\"\xFF\"]", "byte 102: a string is not UTF-8"},
    {DTYPE_INT8, "1", "[1.5.5]", "is 1.5, but INT8 takes integers"},
};

static const struct refused nestings[] = {
    {DTYPE_FP32, "2,4", "[1,2,3,4,5,6,7]",
     "data of 'input' has 7 elements, but shape [2, 4] has 8"},
    {DTYPE_FP32, "2,4", "[1,2,3,4,5,6,7,8,9]",
     "data of 'input' has 9 elements, but shape [2, 4] has 8"},
    {DTYPE_FP32, "2,4", "[]", "has 0 elements, but shape [2, 4] has 8"},
    {DTYPE_FP32, "0", "[1]", "has 1 elements, but shape [0] has 0"},
    {DTYPE_FP32, "", "[1,2]", "has 2 elements, but shape [] has 1"},
    {DTYPE_FP32, "1000000,1000000", "[1,2]",
     "has 2 elements, but shape [1000000, 1000000] has 1000000000000"},
    {DTYPE_FP32, "2,4", "[[1,2,3],[4,5,6]]",
     "has 6 elements, but shape [2, 4] has 8"},
    {DTYPE_COMPLEX64, "2", "[1,2,3]",
     "has 3 numbers, but shape [2] has 4, two for each element"},
    {DTYPE_COMPLEX64, "2", "[1,2]", "has 1 elements, but shape [2] has 2"},
    {DTYPE_FP32, "3,2", "[[1,2,3],[4,5,6]]",
     "data of 'input' is nested as [2, 3], but its shape is [3, 2]"},
    {DTYPE_FP32, "2,3", "[[1],[2],[3],[4],[5],[6]]",
     "nested as [6, 1], but its shape is [2, 3]"},
    {DTYPE_FP32, "2,3", "[[1,2,3,4,5,6]]", "nested as [1, 6], but its shape"},
    {DTYPE_FP32, "2,1,3", "[[[1],[2],[3]],[[4],[5],[6]]]",
     "nested as [2, 3, 1], but its shape is [2, 1, 3]"},
    {DTYPE_FP32, "0,3", "[[]]", "nested as [1, 0], but its shape is [0, 3]"},
    {DTYPE_FP32, "2,3,0", "[[],[]]",
     "nested as [2, 0], but its shape is [2, 3"},
    {DTYPE_FP32, "2,0,3", "[[[],[]]]",
     "nested as [1, 2, 0], but its shape is [2, 0, 3]"},
    {DTYPE_COMPLEX64, "2,3", "[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]",
     "nested as [4, 3], but its shape is [2, 3]"},
    {DTYPE_COMPLEX64, "3,2", "[[1,2,3,4,5,6],[7,8,9,10,11,12]]",
     "nested as [2, 6], but its shape is [3, 2]"},
    {DTYPE_FP32, "2,2", "[[1,2],[3]]",
     "ragged: the list that ends at byte 109 has length 1, but the first one "
     "of its level has 2"},
    {DTYPE_FP32, "2,2", "[[1],[2,3,4]]",
     "has length 3, but the first one of its"},
    {DTYPE_FP32, "2,2", "[[],[1]]", "has length 1, but the first one of its"},
    {DTYPE_FP32, "2,2,2", "[[[1,2]],[[3,4],[5,6]]]", "has length 2, but the"},
    {DTYPE_FP32, "2,2,2", "[[[]],[]]", "has length 0, but the first one"},
    {DTYPE_FP32, "2,2,2", "[[],[[]]]", "has length 1, but the first one"},
    {DTYPE_FP32, "2,2", "[1,[2]]", "mixes lists and elements, at byte 103"},
    {DTYPE_FP32, "2,2", "[[1],2]", "mixes lists and elements, at byte 105"},
    {DTYPE_FP32, "2,2,2", "[[1],[[2]]]",
     "mixes lists and elements, at byte 106"},
    {DTYPE_FP32, "2,2,2", "[[[1]],[2]]",
     "mixes lists and elements, at byte 108"},
    {DTYPE_FP32, "2,2", "[[1],null]", "mixes lists and elements, at byte 105"},
    {DTYPE_FP32, "2,2", "[[1],{}]", "mixes lists and elements, at byte 105"},
    {DTYPE_FP32, "2,2", "[[[1,2],[3,4]]]",
     "is nested more than 2 deep, but its shape is [2, 2]"},
    {DTYPE_FP32, "", "[[1]]",
     "is nested more than 1 deep, but its shape is []"},
    {DTYPE_COMPLEX64, "2", "[[[1,2],[3,4]]]", "is nested more than 2 deep"},
};

static void assert_refused(const struct refused *c)
{
    struct text_array a = text_case(c->dtype, c->shape, c->text);
    struct status st = {0};

    ck_assert_msg(!text_case_accepted(&a, &st), "%s", c->text);
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, c->message) != NULL, "%s: %s", c->text,
                  st.message);
    text_case_free(&a);
}

START_TEST(text_refuses_elements_by_index_value_and_range)
{
    assert_refused(&elements[_i]);
}
END_TEST

START_TEST(text_refuses_what_is_not_json_by_byte)
{
    assert_refused(&grammar[_i]);
}
END_TEST

START_TEST(text_refuses_nestings_by_both_shapes)
{
    assert_refused(&nestings[_i]);
}
END_TEST

START_TEST(text_refuses_a_million_brackets)
{
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH);
    struct text_array a;
    struct status st = {0};

    ck_assert_ptr_nonnull(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    a = text_case_bytes(DTYPE_FP32, "2,2", text, 2 * DEPTH);
    ck_assert(!text_case_accepted(&a, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "nested more than 2 deep"));
    text_case_free(&a);
    free(text);
}
END_TEST

START_TEST(text_refuses_a_million_digits_in_bounded_time)
{
    enum { DIGITS = 1000000 };
    char *text = malloc(DIGITS + 2);
    struct status st = {0};

    ck_assert_ptr_nonnull(text);
    memset(text, '7', DIGITS + 2);
    text[0] = '[';
    text[DIGITS + 1] = ']';
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct text_array a = text_case_bytes(dtype, "1", text, DIGITS + 2);

        ck_assert(!text_case_accepted(&a, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "input"));
        text_case_free(&a);
    }
    text[2] = '.';
    for (enum dtype dtype = DTYPE_FP16; dtype <= DTYPE_FP64; dtype++) {
        struct text_array a = text_case_bytes(dtype, "1", text, DIGITS + 2);

        ck_assert(text_case_accepted(&a, &st));
        text_case_free(&a);
    }
    free(text);
}
END_TEST

/* Also where no array stands around it. */
START_TEST(text_string_check_stops_at_the_end)
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
        ck_assert(!text_string_check(&at, copy + len, &why));
        free(copy);
    }
}
END_TEST

/* Every prefix of a good array, and every byte of it made bad, is judged
 * without reading past the text. */
START_TEST(text_survives_cuts_and_flipped_bytes)
{
    static const struct refused good[] = {
        {DTYPE_FP32, "2,2", "[[0.5, -1e10],[NaN,-Infinity]]", ""},
        {DTYPE_INT16, "4", "[ 12345 ,-1, 0,1 ]", ""},
        {DTYPE_BYTES, "2", "[\"\\u00e9\\ud83d\\ude00\",\"\xE2\x82\xAC ab\"]",
         ""},
        {DTYPE_BOOL, "2", "[true,false]", ""},
    };
    const struct refused *c = &good[_i];
    size_t len = strlen(c->text);
    struct status st;

    for (size_t i = 0; i < len; i++) {
        struct text_array a = text_case_bytes(c->dtype, c->shape, c->text, i);

        ck_assert(!text_case_accepted(&a, &st));
        text_case_free(&a);
        for (int byte = 0; byte < 256; byte++) {
            char text[100];

            memcpy(text, c->text, len);
            text[i] = (char)byte;
            a = text_case_bytes(c->dtype, c->shape, text, len);
            text_case_accepted(&a, &st);
            text_case_free(&a);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("text_errors");
    TCase *tc = tcase_create("all");

    tcase_add_loop_test(tc, text_refuses_elements_by_index_value_and_range, 0,
                        (int)(sizeof(elements) / sizeof(elements[0])));
    tcase_add_loop_test(tc, text_refuses_what_is_not_json_by_byte, 0,
                        (int)(sizeof(grammar) / sizeof(grammar[0])));
    tcase_add_loop_test(tc, text_refuses_nestings_by_both_shapes, 0,
                        (int)(sizeof(nestings) / sizeof(nestings[0])));
    tcase_add_test(tc, text_refuses_a_million_brackets);
    tcase_add_test(tc, text_refuses_a_million_digits_in_bounded_time);
    tcase_add_test(tc, text_string_check_stops_at_the_end);
    tcase_add_loop_test(tc, text_survives_cuts_and_flipped_bytes, 0, 4);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
