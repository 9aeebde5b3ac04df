/* Arrays that are accepted, and those that are not JSON or do not fit their
 * shape. */
#include "tests/api/tensor_json/array_case.h"
#include "tests/unit.h"

/* The array starts at byte 100 of its document. */
static const struct array_refusal grammar[] = {
    {DTYPE_FP32, "1", "", "malformed JSON at byte 100: '[' is expected"},
    {DTYPE_FP32, "1", "1", "malformed JSON at byte 100: '[' is expected"},
    {DTYPE_FP32, "1", "[", "malformed JSON at byte 101: the array is not"},
    {DTYPE_FP32, "1", "[1", "malformed JSON at byte 102: the array is not"},
    {DTYPE_FP32, "2,1", "[[1]", "malformed JSON at byte 104: the array is not"},
    {DTYPE_FP32, "1", "[1]]",
     "malformed JSON at byte 103: bytes follow the array, behind data[0] of "
     "'input'"},
    {DTYPE_FP32, "1", "[1],[2]", "malformed JSON at byte 103: bytes follow"},
    {DTYPE_FP32, "1", "[,1]",
     "malformed JSON at byte 101: a value is expected; data[0] of 'input' is "
     ",1"},
    {DTYPE_FP32, "1", "[1,]",
     "malformed JSON at byte 103: a value is expected; data[1] of 'input' is "
     "]"},
    {DTYPE_FP32, "1", "[1,,2]", "malformed JSON at byte 103: a value is"},
    {DTYPE_FP32, "2,1", "[[1],]", "malformed JSON at byte 105: a value is"},
    {DTYPE_FP32, "2,1", "[[1] [2]]",
     "malformed JSON at byte 105: ',' or ']' is expected, behind data[0] of "
     "'input'"},
    {DTYPE_FP32, "2,2", "[[] 1]",
     "malformed JSON at byte 104: ',' or ']' is expected, in data of 'input'"},
    {DTYPE_FP32, "1", "[1 2]",
     "malformed JSON at byte 103: ',' or ']' is expected; data[0] of 'input' "
     "is 1 2"},
    {DTYPE_FP32, "1", "[1;2]", "malformed JSON at byte 102: ',' or ']'"},
    {DTYPE_FP32, "1", "[1}]", "malformed JSON at byte 102: ',' or ']'"},
    {DTYPE_COMPLEX64, "2", "[1,2,3,01]",
     "malformed JSON at byte 107: a number has a leading zero; data[1] of "
     "'input' is 01"},
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
     "malformed JSON at byte 103: a control character in a string; data[0] of "
     "'input' is \"a?b\""},
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
    /* Malformed and of another kind: the grammar is checked first. */
    {DTYPE_FP32, "1", "[\"\xFF\"]", "byte 102: a string is not UTF-8"},
    {DTYPE_INT8, "1", "[1.5.5]", "is 1.5, but INT8 takes integers"},
};

static const struct array_refusal nestings[] = {
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
    {DTYPE_COMPLEX64, "2,3", "[[[1,2],[3,4]],[[5,6],[7,8]],[[9,0],[1,2]]]",
     "nested as [3, 2, 2], but its shape is [2, 3]"},
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
     "data of 'input' is ragged: its list [1] has length 1, but the first one "
     "of that level has 2"},
    {DTYPE_FP32, "2,2", "[[1],[2,3,4]]", "its list [1] has length 3, but the"},
    {DTYPE_FP32, "2,2", "[[],[1]]", "has length 1, but the first one of that"},
    {DTYPE_FP32, "2,2,2", "[[[1,2]],[[3,4],[5,6]]]",
     "its list [1] has length 2, but the first one of that level has 1"},
    {DTYPE_FP32, "2,2,2", "[[[1,2],[3,4]],[[5,6],[7]]]",
     "its list [1][1] has length 1, but the first one of that level has 2"},
    {DTYPE_FP32, "2,2,2", "[[[]],[]]", "has length 0, but the first one"},
    {DTYPE_FP32, "2,2,2", "[[],[[]]]", "has length 1, but the first one"},
    {DTYPE_FP32, "2,2", "[1,[2]]",
     "data[1] of 'input' is a list, but those before it are not"},
    {DTYPE_FP32, "2,2", "[[1],2]",
     "data[1] of 'input' is 2, but a list is expected, as before it"},
    {DTYPE_FP32, "2,2,2", "[[1],[[2]]]", "data[1] of 'input' is a list, but"},
    {DTYPE_FP32, "2,2,2", "[[[1]],[2]]", "data[1] of 'input' is 2, but a list"},
    {DTYPE_COMPLEX64, "3", "[[1,2],[3,4],5,6]", "data[2] of 'input' is 5, but"},
    {DTYPE_COMPLEX64, "3", "[1,2,3,4,[5,6]]", "data[2] of 'input' is a list"},
    {DTYPE_FP32, "2,2", "[[1],null]", "data[1] of 'input' is null, but a list"},
    {DTYPE_FP32, "2,2", "[[1],{}]", "data[1] of 'input' is an object, but a"},
    {DTYPE_FP32, "2,2", "[[[1,2],[3,4]]]",
     "data[0] of 'input' is nested more than 2 deep, but its shape is [2, 2]"},
    {DTYPE_FP32, "", "[[1]]",
     "is nested more than 1 deep, but its shape is []"},
    {DTYPE_COMPLEX64, "2", "[[[1,2],[3,4]]]", "is nested more than 2 deep"},
};

LOOP_TEST(index_refuses_malformed_json_by_byte, COUNT(grammar))
{
    array_case_refused(&grammar[_i]);
}

LOOP_TEST(index_refuses_nestings_by_both_shapes, COUNT(nestings))
{
    array_case_refused(&nestings[_i]);
}

UNIT_TEST(index_refuses_a_million_brackets)
{
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH);
    struct data_array a;
    struct status st = {0};

    ck_assert_ptr_nonnull(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    a = array_case_bytes(DTYPE_FP32, "2,2", text, 2 * DEPTH);
    ck_assert(!array_case_accepted(&a, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "nested more than 2 deep"));
    array_case_free(&a);
    free(text);
}

struct accepted {
    enum dtype dtype;
    const char *shape;
    const char *text;
};

static void accepts(const struct accepted *c)
{
    struct data_array a = array_case(c->dtype, c->shape, c->text);
    struct status st = {0};

    ck_assert_msg(array_case_accepted(&a, &st), "%s: %s", c->text, st.message);
    array_case_free(&a);
}

/* The grammar, and the range of every datatype up to its limits. */
static const struct accepted in_range[] = {
    {DTYPE_BOOL, "2", "[true,false]"},
    {DTYPE_INT8, "4", "[-128,127,0,-0]"},
    {DTYPE_INT16, "3", "[-32768,32767,1]"},
    {DTYPE_INT32, "2", "[-2147483648,2147483647]"},
    {DTYPE_INT64, "2", "[-9223372036854775808,9223372036854775807]"},
    {DTYPE_UINT8, "3", "[255,0,-0]"},
    {DTYPE_UINT16, "2", "[65535,0]"},
    {DTYPE_UINT32, "2", "[4294967295,10]"},
    {DTYPE_UINT64, "2", "[18446744073709551615,-0]"},
    {DTYPE_INT4, "2", "[-8,7]"},
    {DTYPE_UINT4, "2", "[15,0]"},
    {DTYPE_UINT2, "2", "[3,-0]"},
    {DTYPE_UINT1, "3", "[1,0,-0]"},
    {DTYPE_FP16, "4", "[65504,-65504,65519.9,1e-400]"},
    {DTYPE_FP16, "3", "[NaN,Infinity,-Infinity]"},
    {DTYPE_FP16, "3", "[12345,6.5e4,0.0000065e10]"},
    {DTYPE_BF16, "3", "[3.3895e38,NaN,-Infinity]"},
    {DTYPE_FP32, "3", "[3.4028235e38,-3.4028235e38,1e-400]"},
    {DTYPE_FP32, "2", "[340282350000000000000000000000000000000,1E+38]"},
    {DTYPE_FP32, "6", "[0,-0,0.0,-0.0e0,1e0,1E-0]"},
    {DTYPE_FP32, "3", "[0.00000000000000000000000000000000000000000001,1,2]"},
    {DTYPE_FP32, "2", "[0e99999999999,0.001e41]"},
    {DTYPE_FP32, "1", "[123456789.123456789123456789e-30]"},
    {DTYPE_FP64, "3", "[1.7976931348623157e308,1e-999,NaN]"},
    {DTYPE_FP64, "2", "[123456789012345678901234567890,1e308]"},
    {DTYPE_COMPLEX64, "2", "[1,2,NaN,-Infinity]"},
    {DTYPE_COMPLEX128, "1", "[1e308,-1e308]"},
    {DTYPE_BYTES, "3", "[\"\",\"a b,]\",\"[[\"]"},
    {DTYPE_BYTES, "2", "[\"\\u0000\\n\\\"\\\\\\/\\b\\f\\r\\t\",\"\\u00e9\"]"},
    {DTYPE_BYTES, "2", "[\"\\ud83d\\ude00\",\"\\uDBFF\\uDFFF\"]"},
    {DTYPE_BYTES, "2", "[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\",\"\x7F\"]"},
    {DTYPE_BYTES, "1", "[\"longer than one block of eight bytes \xC3\xA9\"]"},
};

LOOP_TEST(index_accepts_every_element_in_range, COUNT(in_range))
{
    accepts(&in_range[_i]);
}

static const struct accepted of_the_shape[] = {
    {DTYPE_FP32, "", "[1]"},
    {DTYPE_FP32, "1", "[1]"},
    {DTYPE_FP32, "1,1,1", "[1]"},
    {DTYPE_FP32, "1,1,1", "[[1]]"},
    {DTYPE_FP32, "1,1,1", "[[[1]]]"},
    {DTYPE_FP32, "2,3", "[1,2,3,4,5,6]"},
    {DTYPE_FP32, "2,3", "[[1,2,3],[4,5,6]]"},
    {DTYPE_FP32, "2,3", "[ [ 1 , 2 , 3 ] ,\t[\r4,5,6\n] ]"},
    {DTYPE_FP32, "2,1,3", "[[1,2,3],[4,5,6]]"},
    {DTYPE_FP32, "2,1,3", "[[[1,2,3]],[[4,5,6]]]"},
    {DTYPE_FP32, "1,2,1,3,1", "[[1,2,3],[4,5,6]]"},
    {DTYPE_FP32, "1,2,1,3,1", "[[[1,2,3],[4,5,6]]]"},
    {DTYPE_FP32, "1,2,1,3,1", "[[[1],[2],[3]],[[4],[5],[6]]]"},
    {DTYPE_FP32, "2,2,1", "[[[1],[2]],[[3],[4]]]"},
    {DTYPE_FP32, "0", "[]"},
    {DTYPE_FP32, "0", "[ ]"},
    {DTYPE_FP32, "2,0,3", "[]"},
    {DTYPE_FP32, "2,0,3", "[[],[]]"},
    {DTYPE_FP32, "2,3,0", "[[[],[],[]],[[],[],[]]]"},
    {DTYPE_FP32, "1,0", "[[]]"},
    {DTYPE_FP32, "1,2,0", "[[],[]]"},
    {DTYPE_FP32, "0,9223372036854775807", "[]"},
    {DTYPE_COMPLEX64, "", "[1,2]"},
    {DTYPE_COMPLEX64, "", "[[1,2]]"},
    {DTYPE_COMPLEX64, "1", "[[1,2]]"},
    {DTYPE_COMPLEX64, "2,2", "[1,2,3,4,5,6,7,8]"},
    {DTYPE_COMPLEX64, "2,2", "[[1,2],[3,4],[5,6],[7,8]]"},
    {DTYPE_COMPLEX64, "2,2", "[[[1,2],[3,4]],[[5,6],[7,8]]]"},
    {DTYPE_COMPLEX64, "2,2", "[[1,2,3,4],[5,6,7,8]]"},
    {DTYPE_COMPLEX64, "2,1", "[[1,2],[3,4]]"},
    {DTYPE_COMPLEX64, "2,1", "[[[1,2]],[[3,4]]]"},
    {DTYPE_COMPLEX64, "2,2,1", "[[[1,2],[3,4]],[[5,6],[7,8]]]"},
    {DTYPE_COMPLEX64, "2,2,1", "[[1,2,3,4],[5,6,7,8]]"},
    {DTYPE_COMPLEX64, "2,0", "[[],[]]"},
    {DTYPE_COMPLEX64, "0", "[]"},
    {DTYPE_BYTES, "2,1", "[[\"]\"],[\"[,\"]]"},
    {DTYPE_UINT1, "2,2", "[[1,0],[0,1]]"},
};

LOOP_TEST(index_accepts_nestings_of_the_shape, COUNT(of_the_shape))
{
    accepts(&of_the_shape[_i]);
}
