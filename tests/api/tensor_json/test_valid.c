/* Arrays that are accepted. */
#include "tests/api/tensor_json/array_case.h"
#include "tests/unit.h"

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
static const struct accepted elements[] = {
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

LOOP_TEST(index_accepts_every_element_in_range, COUNT(elements))
{
    accepts(&elements[_i]);
}

static const struct accepted nestings[] = {
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

LOOP_TEST(index_accepts_nestings_of_the_shape, COUNT(nestings))
{
    accepts(&nestings[_i]);
}
