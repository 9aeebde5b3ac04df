/* Requests with a .npy file, and the query beside it. */
#include "kernels/core/tensor.h"
#include "tests/api/ask.h"
#include "tests/api/wire/npy_file.h"
#include "tests/edge.h"
#include "tests/unit.h"

#define ONNX "onnx.ReverseSequence"
#define LENS "sequence_lens=2,1,0"
#define BYTES "{'descr': '|i1', " NPY_REST

static const struct {
    const char *descr, *query, *accept;
    int status;
    const char *part; /* of the error, or of the JSON */
} asked[] = {
    {"|i1", LENS, NULL, 200, NULL},
    {"|i1", "&&sequence_lens=[2,%201,+0]&id=", NULL, 200, NULL},
    {"|i1", "sequence_lens=[2,1,0]", NULL, 200, NULL},
    {"|i1", "sequence_lens=2+,+1%20,0+", NULL, 200, NULL},
    {"|i1", LENS "&id=a%20b", "application/json", 200, "\"id\":\"a b\""},
    {"|i1", "id=&id=%2B&" LENS, "application/json", 200, "\"id\":\"+\""},
    {"|i1", LENS "&id=", "application/json", 200,
     "\"model_version\":\"10\",\"outputs\":[{\"name\":\"Y\",\"datatype\":"
     "\"INT8\",\"shape\":[2,3],\"data\":[4,2,3,1,5,6]}]}"},
    {">i2", LENS, NULL, 200, NULL},
    {">i2", LENS, "application/json", 400, "the array is big-endian"},
    {"|i1", LENS "&binary_data_output=true", NULL, 200, NULL},
    {"|i1", LENS "&binary_data_output=false", NULL, 200, NULL},
    {"|i1",
     LENS "&sequence_1=&sequence_2=&sequence_3=&sequence_4=&sequence_5="
          "&sequence_6=&sequence_7=&sequence_8=&sequence_9=&sequence_10="
          "&sequence_11=&sequence_12=&sequence_13=&sequence_14=&sequence_15="
          "&sequence_16=&sequence_17=&sequence_18=&sequence_19=&sequence_20="
          "&sequence_21=&sequence_22=&sequence_23=&sequence_24=&sequence_25="
          "&sequence_26=&sequence_27=&sequence_28=&sequence_29=&sequence_30="
          "&sequence_31=&sequence_32=",
     NULL, 200, NULL},
};

/* Asks with a file of this header and `size` bytes of data: zeros, or those at
 * `data`. Nothing can be read behind the query. */
static struct answer ask_npy(const char *model, const char *header,
                             const void *data, size_t size, const char *query,
                             const char *accept)
{
    size_t len;
    unsigned char *file = npy_file(1, header, size, &len);
    size_t query_size = query ? strlen(query) + 1 : 0;
    char *copy = query ? edge_copy(query, query_size) : NULL;
    struct ask question = {.path = NULL,
                           .json = (char *)file,
                           .json_len = len,
                           .query = copy,
                           .content_type = "application/x-npy",
                           .accept = accept};
    char path[100];
    struct answer a;

    if (data)
        memcpy(file + len - size, data, size);
    snprintf(path, sizeof(path), "/v2/models/%s/infer", model);
    question.path = path;
    a = ask(&question);
    free(file);
    if (copy)
        edge_free(copy, query_size);
    return a;
}

/* A row of 1 2 3 and one of 4 5 6, whose first column is reversed. */
LOOP_TEST(the_rest_of_a_request_is_in_the_query, COUNT(asked))
{
    static const unsigned char sent[] = {1, 2, 3, 4, 5, 6};
    static const unsigned char turned[] = {4, 2, 3, 1, 5, 6};
    size_t width = asked[_i].descr[2] == '2' ? 2 : 1;
    unsigned char data[12] = {0}, want[12] = {0};
    char header[128];
    struct answer a;

    for (size_t i = 0; i < 6; i++) {
        data[i * width] = sent[i];
        want[i * width] = turned[i];
    }
    snprintf(header, sizeof(header), "{'descr': '%s', " NPY_REST,
             asked[_i].descr);
    a = ask_npy(ONNX, header, data, 6 * width, asked[_i].query,
                asked[_i].accept);
    ck_assert_msg(a.status == asked[_i].status, "%s", a.body);
    if (!asked[_i].part) {
        ck_assert_str_eq(a.content_type, "application/x-npy");
        ck_assert_uint_eq(a.len, 128 + 6 * width);
        ck_assert_mem_eq(a.body + 10, header, strlen(header));
        ck_assert_mem_eq(a.body + 128, want, 6 * width);
    } else
        ck_assert_msg(strstr(a.body, asked[_i].part), "no \"%s\" in: %s",
                      asked[_i].part, a.body);
    answer_free(&a);
}

#define SIXTY "012345678901234567890123456789012345678901234567890123456789"

/* Queries, and parts of their refusals. */
static const char *const wrong[][2] = {
    {LENS "&" LENS, "'sequence_lens' twice"},
    {LENS "&id=1&id=2", "'id' twice"},
    {LENS "&time_axis=0&time_axis=0", "'time_axis' twice"},
    {LENS "&time_axis", "'time_axis' has no value"},
    {LENS "&time_axis=%0",
     "{\"error\":\"the query's 'time_axis' has a broken % escape, or a NUL: "
     "%00\"}"},
    {LENS "&%zz=1", "the query's '%zz' has a broken % escape"},
    {LENS "&id=%00", "the query's 'id' has a broken % escape, or a NUL: %00"},
    {LENS "&" SIXTY "12345=%", "the query's '" SIXTY "1234' has"},
    {LENS "&axes=1", "axes"},
    {LENS "&own=1", "parameter 'own' is unknown"},
    {"sequence_lens=2,x,0", "sequence_lens[1] in the query"},
    {"sequence_lens=2,,0", "sequence_lens[1] in the query is ''"},
    {LENS ",", "sequence_lens[3] in the query is ''"},
    {"sequence_lens=2,1,-1", "sequence_lens[2] is -1"},
    {"sequence_lens=2,1,00",
     "at byte 18: a number has a leading zero; data[2] of 'sequence_lens'"},
    {"sequence_lens=2 1,0", "expected behind entry 0"},
    {"sequence_lens=", "sequence_lens has 0 entries"},
    {"sequence_lens=true,true,true", "is BOOL"},
    {"sequence_lens=false,true,true", "is BOOL"},
    {"sequence_lens=falsy,true,true",
     "sequence_lens[0] in the query is 'falsy'"},
    {"sequence_lens=trux,1,1", "sequence_lens[0] in the query is 'trux'"},
    {"sequence_lens=truex,1,1", "sequence_lens[0] in the query is 'truex'"},
    {"sequence_lens=falsely,1,1", "sequence_lens[0] in the query is 'falsely'"},
    {"sequence_lens=--1,1,1", "sequence_lens[0] in the query is '--1'"},
    {"sequence_lens=-,1,1", "sequence_lens[0] in the query is '-'"},
    {"sequence_lens=[2,1,0", "sequence_lens[0] in the query is '[2'"},
    {"sequence_lens=2,1,0]", "expected behind entry 2"},
    {"sequence_lens=0,1,x123456789012345678901234567890123456789012",
     "sequence_lens[2] in the query is "
     "'x123456789012345678901234567890123456789', but"},
    {LENS "&binary_data_output=1",
     "binary_data_output is '1', but it must be a boolean"},
    {LENS "&"
          "k123456789012345678901234567890123456789012345678901234567890123456",
     "'k123456789012345678901234567890123456789012345678901234567890123' has"},
    {NULL, "'sequence_lens' is missing"},
    {LENS "&1=&2=&3=&4=&5=&6=&7=&8=&9=&10=&11=&12=&13=&14=&15=&16=&17=&18=&19="
          "&20=&21=&22=&23=&24=&25=&26=&27=&28=&29=&30=&31=&32=&33=",
     "more than 32 entries"},
};

LOOP_TEST(the_rest_of_a_request_is_refused_by_its_key, COUNT(wrong))
{
    assert_answer_has(ask_npy(ONNX, BYTES, NULL, 6, wrong[_i][0], NULL), 400,
                      wrong[_i][1]);
}

/* The types of each width, in both orders of bytes. */
static const char *const widths[] = {
    "|b1", "|i1", "|u1", "<i2", ">i2", "<i4", ">i4", "<i8",  ">i8",
    "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "<f2", ">f2",  "<f4",
    ">f4", "<f8", ">f8", "<c8", ">c8", "|f4", "=f4", "<c16", ">c16",
};

LOOP_TEST(elements_of_each_width_are_moved_whole, COUNT(widths))
{
    static const size_t order[] = {3, 1, 2, 0, 4, 5};
    size_t width = (size_t)atoi(widths[_i] + 2);
    char data[96], want[96], header[128];
    struct answer a;

    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)(i + 1);
    for (size_t i = 0; i < 6; i++)
        memcpy(want + i * width, data + order[i] * width, width);
    snprintf(header, sizeof(header), "{'descr': '%s', " NPY_REST, widths[_i]);
    a = ask_npy("onnx.ReverseSequence", header, data, 6 * width, LENS, NULL);
    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_uint_eq(a.len, 128 + 6 * width);
    ck_assert_mem_eq(a.body + 128, want, 6 * width);
    answer_free(&a);
}

static const struct {
    const char *shape, *fortran, *query, *sent, *want;
} axes[] = {
    {"(0, 3)", "False", "axis=0", "", ""},
    {"(3,)", "False", "axis=0", "abc", "cba"},
    {"(3,)", "True", "axis=0", "abc", "cba"},
    {"(3,)", "False", "axis=", "abc", "abc"},
    {"(3,)", "False", "axis=%5B-1%5D", "abc", "cba"},
    {"()", "False", "axis=", "a", "a"},
    {"(2, 2)", "False", "axis=0,1", "abcd", "dcba"},
    {"(2, 2)", "False", "axis=0%2C+1", "abcd", "dcba"},
    /* Fortran's order of one long axis is the order of C. */
    {"(2, 1)", "True", "axis=0", "ab", "ba"},
    {"(1, 2)", "True", "axis=1", "ab", "ba"},
    {"(1, 2, 1)", "True", "axis=1", "ab", "ba"},
};

LOOP_TEST(axes_of_the_query_are_turned, COUNT(axes))
{
    size_t size = strlen(axes[_i].sent);
    char header[128], query[64];
    struct answer a;

    snprintf(header, sizeof(header),
             "{'descr': '|u1', 'fortran_order': %s, 'shape': %s}",
             axes[_i].fortran, axes[_i].shape);
    snprintf(query, sizeof(query), "mode=index&%s", axes[_i].query);
    a = ask_npy("openvino.Reverse", header, axes[_i].sent, size, query, NULL);
    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_uint_eq(a.len, 128 + size);
    ck_assert_mem_eq(a.body + 128, axes[_i].want, size);
    answer_free(&a);
}

/* true and false are booleans for an attribute that is one, else text. */
static const struct {
    const char *query;
    int status;
    const char *part;
} flags[] = {
    {LENS "&training=true", 200, "\"parameters\":{\"backward_context\":"},
    {LENS "&training=false", 200, "\"model_version\":\"1\",\"outputs\":"},
    {LENS "&training?=false", 200, "\"model_version\":\"1\",\"outputs\":"},
    {LENS "&training=0", 400, "training is '0', but it must be a boolean"},
    {LENS "&training=false&name=true", 200,
     "\"parameters\":{\"name\":\"true\"},"},
    {LENS "&n%61me=%41=%2B+%26", 200, "\"name\":\"A=+ &\","},
    {LENS "&specified_outputs_name=false", 200,
     "\"outputs\":[{\"name\":\"false\","},
};

LOOP_TEST(text_of_the_query_is_a_boolean_where_one_is_wanted, COUNT(flags))
{
    assert_answer_has(ask_npy("graiphic.ReverseSequence", BYTES, NULL, 6,
                              flags[_i].query, "application/json"),
                      flags[_i].status, flags[_i].part);
}

/* Its memory is a block of its own, which ends with it at one of 16 lengths:
 * free() would find a byte that is written behind. */
LOOP_TEST(long_query_is_decoded_in_memory_of_its_length, 16)
{
    char query[8192] = LENS "&id=";

    memset(query + strlen(query), 'a', sizeof(query) - strlen(query));
    query[sizeof(query) - 1 - (size_t)_i] = '\0';
    assert_answer_has(ask_npy(ONNX, BYTES, NULL, 6, query, NULL), 200, "");
}

/* The array takes 24 bytes. */
LOOP_TEST(data_of_another_size_is_refused, 3)
{
    static const char *const parts[] = {"declares 23 bytes, but INT32", "",
                                        "declares 25 bytes, but INT32"};

    assert_answer_has(ask_npy(ONNX, "{'descr': '<i4', " NPY_REST, NULL,
                              23 + (size_t)_i, LENS, NULL),
                      *parts[_i] ? 400 : 200, parts[_i]);
}

/* Big-endian numbers can be moved; to scale them they must be read. */
static const struct {
    const char *query;
    int status;
} gradients[] = {
    {LENS, 200},
    {LENS "&lda_coeff=1", 200},
    {LENS "&lda_coeff=2", 400},
    {LENS "&lda_coeff=1.0000000001", 400},
    {LENS "&lda+coeff=2", 400},
};

LOOP_TEST(big_endian_numbers_are_not_scaled, COUNT(gradients))
{
    int status = gradients[_i].status;

    assert_answer_has(ask_npy("graiphic.ReverseSequenceGrad",
                              "{'descr': '>f4', " NPY_REST, NULL, 24,
                              gradients[_i].query, NULL),
                      status, status == 400 ? "not be scaled" : "");
}

/* Arrays of INT16 to turn in both orders, which must agree. */
static const struct {
    const char *model, *query;
    struct shape shape;
} orders[] = {
    {ONNX, "sequence_lens=2,1,0", {2, {2, 3}}},
    {ONNX, "sequence_lens=4,0,2", {3, {4, 3, 5}}},
    {ONNX, "sequence_lens=3,1,2,0&time_axis=1&batch_axis=0", {4, {4, 3, 2, 5}}},
    {ONNX, "sequence_lens=4", {3, {4, 1, 5}}},
    {"openvino.ReverseSequence", "seq_lengths=2,3", {2, {2, 3}}},
    {"openvino.ReverseSequence",
     "seq_lengths=5,1,0,2&seq_axis=-1&batch_axis=1",
     {3, {3, 4, 5}}},
    {"openvino.ReverseSequence",
     "seq_lengths=2,0,1&seq_axis=0&batch_axis=2",
     {4, {2, 4, 3, 2}}},
    {"openvino.Reverse", "axis=0&mode=index", {2, {2, 3}}},
    {"openvino.Reverse", "axis=-1,0&mode=index", {3, {2, 3, 4}}},
    {"openvino.Reverse", "axis=1&mode=index", {3, {2, 3, 4}}},
    {"openvino.Reverse", "axis=false,true,false&mode=mask", {3, {2, 3, 4}}},
    {"graiphic.ReverseSequence", "sequence_lens=1,2,0", {2, {2, 3}}},
    {"graiphic.ReverseSequenceGrad", "sequence_lens=1,2,0", {2, {2, 3}}},
    {"graiphic.ReverseSequenceGrad",
     "sequence_lens=1,2,0&lda_coeff=2",
     {2, {2, 3}}},
};

/* Where row-major element `index` is in column-major order. */
static size_t in_columns(const struct shape *shape, size_t index)
{
    size_t at[SHAPE_MAX_RANK], place = 0;

    for (int i = shape->rank - 1; i >= 0; i--) {
        at[i] = index % (size_t)shape->dims[i];
        index /= (size_t)shape->dims[i];
    }
    for (int i = shape->rank - 1; i >= 0; i--)
        place = place * (size_t)shape->dims[i] + at[i];
    return place;
}

/* Sends the numbers 1 to `count` as FP16 or, to be moved only, as INT16, and
 * returns those of the answer, by their row-major index. */
static uint16_t *turn(size_t row, size_t count, bool fortran)
{
    const struct shape *shape = &orders[row].shape;
    const char *descr = strstr(orders[row].model, "Grad") ? "<f2" : "<i2";
    uint16_t *all = calloc(count, sizeof(*all));
    char head[300], text[100];
    struct answer a;

    shape_print(shape, text, sizeof(text));
    text[0] = '(';
    text[strlen(text) - 1] = ')';
    snprintf(head, sizeof(head),
             "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }%*s", descr,
             fortran ? "True" : "False", text, 64, "\n");
    for (size_t i = 0; i < count; i++)
        all[fortran ? in_columns(shape, i) : i] = (uint16_t)(i + 1);
    a = ask_npy(orders[row].model, head, all, 2 * count, orders[row].query,
                NULL);
    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_int_eq(a.pieces, 1);
    ck_assert_uint_eq(a.len, 128 + 2 * count);
    ck_assert_msg(!strncmp(a.body + 10, head, strcspn(head, "}") + 1), "%.118s",
                  a.body + 10);
    for (size_t i = 0; i < count; i++)
        memcpy(&all[i], a.body + 128 + 2 * (fortran ? in_columns(shape, i) : i),
               2);
    answer_free(&a);
    return all;
}

LOOP_TEST(columns_are_turned_as_rows_are, COUNT(orders))
{
    size_t count = 1;
    uint16_t *rows, *columns;

    for (int i = 0; i < orders[_i].shape.rank; i++)
        count *= (size_t)orders[_i].shape.dims[i];
    rows = turn((size_t)_i, count, false);
    columns = turn((size_t)_i, count, true);
    ck_assert_mem_eq(rows, columns, 2 * count);
    free(rows);
    free(columns);
}

/* A JSON answer has its elements row by row. */
static const struct {
    const char *shape, *accept;
    int status;
} fortran[] = {
    {"(2, 3)", "application/json", 400},    {"(2, 3)", NULL, 200},
    {"(1, 6)", "application/json", 200},    {"(6, 1)", "application/json", 200},
    {"(1, 6, 1)", "application/json", 200}, {"(6,)", "application/json", 200},
    {"(2, 3, 1)", "application/json", 400},
};

LOOP_TEST(columns_have_no_answer_in_json, COUNT(fortran))
{
    int status = fortran[_i].status;
    char header[128];

    snprintf(header, sizeof(header),
             "{'descr': '|i1', 'fortran_order': True, 'shape': %s}",
             fortran[_i].shape);
    assert_answer_has(
        ask_npy("openvino.Reverse", header, NULL, 6, "axis=0&mode=index",
                fortran[_i].accept),
        status,
        status == 400 ? "MATLAB, R and Julia|numpy.ascontiguousarray" : "");
}
