/* Requests with a .npy file: its header, and the query beside it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/wire/npy_header.h"
#include "tests/count.h"
#include "tests/suite.h"

/* A file of version 1 to 3 in a block of just its size. */
static unsigned char *make(int version, const char *header, size_t data,
                           size_t *len)
{
    size_t size = strlen(header), start = version == 1 ? 10 : 12;
    unsigned char *file = calloc(1, start + size + data);

    ck_assert_ptr_nonnull(file);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[8] = (unsigned char)size;
    file[9] = (unsigned char)(size >> 8);
    memcpy(file + start, header, size);
    *len = start + size + data;
    return file;
}

#define REST "'fortran_order': False, 'shape': (2, 3), }"

START_TEST(header_of_every_version_is_read)
{
    size_t len;
    unsigned char *file =
        make(_i + 1, "{'descr': '>i2', " REST "  \n", 0, &len);
    struct npy_header npy;
    struct status st;

    ck_assert_msg(npy_header_read(file, len, &npy, &st), "%s", st.message);
    ck_assert_uint_eq(npy.size, len);
    ck_assert_int_eq(npy.dtype, DTYPE_INT16);
    ck_assert(npy.big_endian);
    ck_assert_int_eq(npy.shape.rank, 2);
    ck_assert_int_eq(npy.shape.dims[0], 2);
    ck_assert_int_eq(npy.shape.dims[1], 3);
    for (size_t cut = 0; cut < len; cut++) {
        unsigned char *part = malloc(cut + 1);

        memcpy(part, file, cut);
        ck_assert(!npy_header_read(part, cut, &npy, &st));
        /* The bytes behind it would make it whole. */
        ck_assert(!npy_header_read(file, cut, &npy, &st));
        free(part);
    }
    free(file);
}
END_TEST

#define TEN "1,1,1,1,1,1,1,1,1,1,"
#define TEN_DIMS "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "

static const struct {
    const char *header, *shape;
} taken[] = {
    {"{'shape':(),'fortran_order':True,\"descr\":\"|b1\"}", "[]"},
    {"{'descr':'<c16','fortran_order':True,'shape':(7L,)}", "[7]"},
    {"{'descr':'=f8','fortran_order':False,'shape':(0,3,)}", "[0, 3]"},
    {"{'descr':'<u8','fortran_order':False,'shape':(9223372036854775806,)}",
     "[9223372036854775806]"},
    {"{'descr':'<c8','fortran_order':False,'shape':(" TEN TEN TEN "1,1)}",
     "[" TEN_DIMS TEN_DIMS TEN_DIMS "1, 1]"},
};

START_TEST(header_is_read_in_any_order)
{
    char shape[128];
    size_t len;
    unsigned char *file = make(1, taken[_i].header, 0, &len);
    struct npy_header npy;
    struct status st;

    ck_assert_msg(npy_header_read(file, len, &npy, &st), "%s", st.message);
    ck_assert_str_eq(shape_print(&npy.shape, shape, sizeof(shape)),
                     taken[_i].shape);
    free(file);
}
END_TEST

/* A header that says it ends at each byte: none is read past its end. */
START_TEST(header_that_is_cut_is_malformed)
{
    size_t start = _i == 0 ? 10 : 12, len;
    const char *header = "{'descr': '<f4', " REST;
    unsigned char *file = make(_i + 1, header, 0, &len);
    struct npy_header npy;
    struct status st;

    for (size_t size = 0; size < strlen(header); size++) {
        unsigned char *part = malloc(start + size + 1);

        memcpy(part, file, start + size);
        part[8] = (unsigned char)size;
        ck_assert(!npy_header_read(part, start + size, &npy, &st));
        ck_assert_int_eq(st.code, STATUS_INVALID);
        free(part);
    }
    free(file);
}
END_TEST

/* At the bounds of a dim, of the header's length and of its version. */
START_TEST(header_at_its_bounds)
{
    static char header[(64 << 10) + 2];
    struct npy_header npy;
    struct status st;
    unsigned char *file;
    size_t len;

    for (int longer = 0; longer < 2; longer++) {
        memset(header, ' ', sizeof(header) - 1);
        memcpy(header, "{'descr': '<f4', " REST,
               strlen("{'descr': '<f4', " REST));
        header[(64 << 10) + longer] = '\0';
        file = make(2, header, 0, &len);
        file[10] = 1; /* 65536 */
        ck_assert_int_eq(npy_header_read(file, len, &npy, &st), !longer);
        if (!longer)
            ck_assert_uint_eq(npy.size, len);
        file[6] = 0;
        ck_assert(!npy_header_read(file, len, &npy, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "version 0.0"));
        file[6] = 2;
        file[7] = 1;
        ck_assert(!npy_header_read(file, len, &npy, &st));
        ck_assert_ptr_nonnull(strstr(st.message, "version 2.1"));
        free(file);
    }
}
END_TEST

#define WITH_SHAPE(shape)                                                      \
    "{'descr': '<f4', 'fortran_order': False, 'shape': " shape "}"
static const struct {
    const char *header, *part;
} refused[] = {
    {"", "no dictionary"},
    {"[]", "no dictionary"},
    {"{1: 2}", "no dictionary"},
    {"{'descr' '<f4'}", "no dictionary"},
    {"{'descr: 1}", "no dictionary"},
    {"{'descr': '<f4' 'shape': (2,)}", "no dictionary"},
    {"{'descr': '<f4', " REST "}", "goes on behind"},
    {"{" REST, "lacks descr"},
    {"{'descr': '<f4', 'descr': '<f4', " REST, "or twice"},
    {"{'order': 'C', " REST, "none of descr"},
    {"{'shape': (2,), 'fortran_order': False}", "lacks descr"},
    {"{'descr': '<f4', 'shape': (2,)}", "lacks descr"},
    {"{'descr': '<f4', 'fortran_order': False}", "lacks descr"},
    {"{'descr': '<', " REST, "dtype is '<'"},
    {"{'descr': '<f', " REST, "dtype is '<f'"},
    {"{'descr': '<f04', " REST, "dtype is '<f04'"},
    {"{'descr': '<f4x', " REST, "dtype is '<f4x'"},
    {"{'descr': '<f0123456789012345678901234567890123456789', " REST,
     "dtype is '<f01234567890123456789012345678901234567', but"},
    {"{'descr': '<f4', 'fortran_order': Fals", "neither True nor False"},
    {"{'descr': '<f4', 'fortran_order': Falsy}", "neither True nor False"},
    {"{'descr': 4, " REST, "descr is no text"},
    {"{'descr': '<f4, "
     "}",
     "descr is no text"},
    {"{'descr': [('a', '<f4')], " REST, "structured elements"},
    {"{'descr': '', " REST, "dtype is ''"},
    {"{'descr': '<f16', " REST, "dtype is '<f16'"},
    {"{'descr': '<f3', " REST, "dtype is '<f3'"},
    {"{'descr': '|O', " REST, "dtype is '|O'"},
    {"{'descr': 'xf4', " REST, "dtype is 'xf4'"},
    {"{'fortran_order': 1}", "neither True nor False"},
    {"{'fortran_order': True, 'shape': (2, 3), 'descr': '<f4'}",
     "numpy.ascontiguousarray"},
    {WITH_SHAPE("2"), "shape is no tuple"},
    {WITH_SHAPE("(2 3)"), "shape is no tuple"},
    {WITH_SHAPE("(-2,)"), "what is no dim"},
    {WITH_SHAPE("(L,)"), "what is no dim"},
    {WITH_SHAPE("(99999999999999999999,)"), "what is no dim"},
    {WITH_SHAPE("(9223372036854775807,)"), "what is no dim"},
    {WITH_SHAPE("(" TEN TEN TEN "1,1,1)"), "above the limit of 32"},
};

START_TEST(malformed_header_is_named)
{
    size_t len;
    unsigned char *file = make(1, refused[_i].header, 2, &len);
    struct npy_header npy;
    struct status st = {0};

    if (len < 14) /* less is no file at all */
        file[8] = 2;
    else
        len -= 2;
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].part), "no \"%s\" in: %s",
                  refused[_i].part, st.message);
    free(file);
}
END_TEST

START_TEST(malformed_preamble_is_named)
{
    size_t len;
    unsigned char *file = make(1, "{'descr': '<f4', " REST, 0, &len);
    struct npy_header npy;
    struct status st;

    file[6] = 4;
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "version 4.0"));
    file[6] = 2; /* the length is now of four bytes, and too long */
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "longer than the file"));
    file[1] = 'X';
    ck_assert(!npy_header_read(file, len, &npy, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "does not start with"));
    free(file);
}
END_TEST

#define LENS "sequence_lens=2,1,0"

static const struct {
    const char *descr, *query, *accept;
    int status;
    const char *part; /* of the error, or of the JSON */
} asked[] = {
    {"|i1", LENS, NULL, 200, NULL},
    {"|i1", "&&sequence_lens=[2,%201,+0]&id=", NULL, 200, NULL},
    {"|i1", LENS "&id=a%20b", "application/json", 200, "\"id\":\"a b\""},
    {">i2", LENS, NULL, 200, NULL},
    {">i2", LENS, "application/json", 400, "the array is big-endian"},
    {"|i1", LENS "&" LENS, NULL, 400, "'sequence_lens' twice"},
    {"|i1", LENS "&id=1&id=2", NULL, 400, "'id' twice"},
    {"|i1", LENS "&time_axis=0&time_axis=0", NULL, 400, "'time_axis' twice"},
    {"|i1", LENS "&time_axis", NULL, 400, "'time_axis' has no value"},
    {"|i1", LENS "&time_axis=%0", NULL, 400, "a broken % escape"},
    {"|i1", LENS "&%zz=1", NULL, 400, "a broken % escape"},
    {"|i1", LENS "&axes=1", NULL, 400, "axes"},
    {"|i1", "sequence_lens=2,x,0", NULL, 400, "sequence_lens[1] in the query"},
    {"|i1", "sequence_lens=2,,0", NULL, 400, "sequence_lens[1] in the query"},
    {"|i1", "sequence_lens=2 1,0", NULL, 400, "expected behind entry 0"},
    {"|i1", "sequence_lens=", NULL, 400, "sequence_lens has 0 entries"},
    {"|i1", "sequence_lens=true,true,true", NULL, 400, "is BOOL"},
    {"|i1", "sequence_lens=false,true,true", NULL, 400, "is BOOL"},
    {"|i1", "sequence_lens=falsy,true,true", NULL, 400,
     "sequence_lens[0] in the query is 'falsy'"},
    {"|i1", "sequence_lens=trux,1,1", NULL, 400,
     "sequence_lens[0] in the query is 'trux'"},
    {"|i1", "sequence_lens=-,1,1", NULL, 400,
     "sequence_lens[0] in the query is '-'"},
    {"|i1", "sequence_lens=[2,1,0", NULL, 400,
     "sequence_lens[0] in the query is '[2'"},
    {"|i1", "sequence_lens=2,1,0]", NULL, 400, "expected behind entry 2"},
    {"|i1", "sequence_lens=0,1,x123456789012345678901234567890123456789012",
     NULL, 400,
     "sequence_lens[2] in the query is "
     "'x123456789012345678901234567890123456789', but"},
    {"|i1", LENS "&binary_data_output=true", NULL, 200, NULL},
    {"|i1", LENS "&binary_data_output=1", NULL, 400,
     "binary_data_output is '1', but it must be a boolean"},
    {"|i1",
     LENS "&"
          "k123456789012345678901234567890123456789012345678901234567890123456",
     NULL, 400,
     "'k123456789012345678901234567890123456789012345678901234567890123' has"},
    {"|i1", NULL, NULL, 400, "'sequence_lens' is missing"},
    {"|i1",
     LENS "&1=&2=&3=&4=&5=&6=&7=&8=&9=&10=&11=&12=&13=&14=&15=&16=&17=&18=&19="
          "&20=&21=&22=&23=&24=&25=&26=&27=&28=&29=&30=&31=&32=&33=",
     NULL, 400, "more than 32 entries"},
};

START_TEST(the_rest_of_a_request_is_in_the_query)
{
    char header[128];
    struct api_request request = {
        .method = "POST",
        .path = "/v2/models/onnx.ReverseSequence/infer",
        .content_type = "application/x-npy",
        .query = asked[_i].query,
        .accept = asked[_i].accept,
    };
    struct api_reply reply;
    char *text;

    snprintf(header, sizeof(header), "{'descr': '%s', " REST, asked[_i].descr);
    request.body =
        make(1, header, asked[_i].descr[2] == '2' ? 12 : 6, &request.body_len);
    api_answer(&request, &reply);
    text = strndup(reply.pieces[0].data, reply.pieces[0].len);
    ck_assert_msg(reply.status == asked[_i].status, "%s", text);
    if (asked[_i].part)
        ck_assert_msg(strstr(text, asked[_i].part), "no \"%s\" in: %s",
                      asked[_i].part, text);
    else
        ck_assert_uint_eq(api_reply_bytes(&reply), request.body_len);
    free(text);
    api_reply_free(&reply);
    free(request.body);
}
END_TEST

SUITE("npy", LOOP(header_of_every_version_is_read, 3),
      LOOP(header_is_read_in_any_order, COUNT(taken)),
      LOOP(header_that_is_cut_is_malformed, 3), TEST(header_at_its_bounds),
      LOOP(malformed_header_is_named, COUNT(refused)),
      TEST(malformed_preamble_is_named),
      LOOP(the_rest_of_a_request_is_in_the_query, COUNT(asked)))
