/* The fields of an infer answer; wire/test_json.c has whole ones. */
#include <jansson.h>

#include "tests/api/documents.h"
#include "tests/unit.h"

#define HEAD "{\"model_name\":\"onnx.ReverseSequence\",\"model_version\":\"10\""
#define OUTPUT                                                                 \
    ",\"outputs\":[{\"name\":\"Y\",\"datatype\":\"FP32\",\"shape\":[2,2]"

static const float result[4] = {3, 2, 1, 4};

UNIT_TEST(reply_has_the_version_of_the_model)
{
    assert_answer_body(
        ask_json(REVERSE "/versions/1",
                 "{'inputs':[" INPUT("axis", "INT8", "[0]", "[]") "," INPUT(
                     "data", "UINT1", "[]",
                     "[1]") "],'parameters':{'mode':'index'}}"),
        200,
        "{\"model_name\":\"openvino.Reverse\",\"model_version\":\"1\","
        "\"outputs\":[{\"name\":\"output\",\"datatype\":\"UINT1\",\"shape\":[],"
        "\"data\":[1]}]}");
}

/* Documents that all mean the running example. */
static const char *const same[] = {
    ASK(LENS, DATA),
    " \t\r\n{ 'inputs' : [ " DATA " , " LENS " ] } \t\r\n",
    DOCUMENT("'outputs':[],"),
    DOCUMENT("'parameters':{},'outputs':[{'name':'Y'}],"),
    DOCUMENT("'outputs':[{'name':'Y','parameters':{}}],"),
    DOCUMENT("'outputs':[{'parameters':{'binary_data':false},'name':'Y'}],"),
    DOCUMENT("'outputs':[{'parameters':{'binary_data':null},'name':'Y'}],"),
    /* Unknown keys, at each level. */
    DOCUMENT("'model_name':'m','x':{'inputs':[{'data':[9]}],'data':[8]},"),
    DOCUMENT("'outputs':[{'name':'Y','shape':[1],'x':{}}],"),
    "{'inputs':[{'x':[{'data':[7]}],'name':'input','shape':[2,2],'datatype':"
    "'FP32','data':[1,2,3,4],'y':{'data':[6]}}," LENS "]}",
    /* An empty object, or null, for an optional field. */
    "{'inputs':[{'parameters':{},'data':[1,2,3,4],'datatype':'FP32','shape':"
    "[2,2],'name':'input'},{'data':[2,1],'parameters':null,'shape':[2],"
    "'datatype':'INT64','name':'sequence_lens'}]}",
    "{'inputs':[{'parameters':{'binary_data_size':null,'shared_memory_region':"
    "null,'x':null},'data':[1,2,3,4],'datatype':'FP32','shape':[2,2],'name':"
    "'input'}," LENS "]}",
    /* Escapes in keys and values. */
    "{'\\u0069nputs':[{'n\\u0061me':'\\u0069nput','datatype':'FP\\u00332',"
    "'sh\\u0061pe':[2,2],'d\\u0061t\\u0061':[1,2,3,4]}," LENS "]}",
    /* Nested data. */
    "{'inputs':[{'name':'input','datatype':'FP32','shape':[2,2],'data':"
    "[[1,2],[3,4]]}," LENS "]}",
    /* null parameters mean absent, also for those that are unknown. */
    DOCUMENT("'parameters':{'time_axis':null,'batch_axis':null,'timeout':null,"
             "'nonsense':null,'binary_data_output':null},"),
    DOCUMENT("'parameters':{'sequence_id':7,'sequence_start':true,'priority':"
             "'high','sequence_end':{'x':[1]}},"),
    DOCUMENT("'parameters':{'time_axis':'0','batch_axis':'1','timeout':'5'},"),
    DOCUMENT("'parameters':{'binary_data_output':false},"),
    DOCUMENT("'parameters':{'binary_data_output':true},'outputs':[{'name':'Y'"
             ",'parameters':{'binary_data':false}}],"),
    DOCUMENT("'parameters':{'binary_data_output':false},'outputs':[{'name':'Y'"
             "}],"),
    DOCUMENT("'id':'',"),
    /* The byte order mark of UTF-8, and numbers with an empty fraction. */
    "\xEF\xBB\xBF" DOCUMENT(""),
    "\xEF\xBB\xBF\r\n" DOCUMENT("'id':'',"),
    "{'inputs':[{'name':'input','datatype':'FP32','shape':[2.0,20e-1],'data':"
    "[1,2,3,4]}," LENS "]}",
};

LOOP_TEST(reply_is_the_same_however_the_document_is_written, COUNT(same))
{
    assert_answer_body(ask_json(ONNX, same[_i]), 200,
                       HEAD OUTPUT ",\"data\":[3,2,1,4]}]}");
}

static const char *const same_in_bytes[] = {
    DOCUMENT("'outputs':[{'name':'Y','parameters':{'binary_data':true}}],"),
    DOCUMENT("'outputs':[{'name':'Y','parameters':{'binary_data':true}}],"
             "'parameters':{'binary_data_output':false},"),
    DOCUMENT("'parameters':{'binary_data_output':true},'outputs':[],"),
    DOCUMENT("'parameters':{'binary_data_output':true},'outputs':[{'name':'Y'"
             "}],"),
    DOCUMENT("'parameters':{'binary_data_output':true},'outputs':[{'name':'Y'"
             ",'parameters':{'binary_data':null,'x':1}}],"),
    DOCUMENT("'parameters':{'binary_data_output':true},'outputs':[{'name':'Y'"
             ",'parameters':{'binary_data':true}}],"),
    DOCUMENT("'parameters':{'binary_data_output':true},'outputs':null,"),
};

LOOP_TEST(reply_is_in_bytes_when_the_output_or_the_request_says_so,
          COUNT(same_in_bytes))
{
    assert_answer_bytes(ask_json(ONNX, same_in_bytes[_i]), result,
                        sizeof(result));
}

/* Ids as JSON texts, in the request and in the answer. */
static const char *const ids[][2] = {
    {"\"42\"", "\"42\""},
    {"\" \"", "\" \""},
    {"\"\\u0000\"", "\"\\u0000\""},
    {"\"a\\u0000b\\n\\u001b[31m\"", "\"a\\u0000b\\n\\u001b[31m\""},
    {"\"\\ud83d\\ude00 \\u65e5\"", "\"\xF0\x9F\x98\x80 \xE6\x97\xA5\""},
    {"\"q\\\"\\\\\\/\"", "\"q\\\"\\\\/\""},
    {"\"x\\r\\n2026-01-01 ERROR\"", "\"x\\r\\n2026-01-01 ERROR\""},
};

static struct answer ask_id(const char *id)
{
    return ask_jsonf(
        REVERSE,
        "{'id':%s,'inputs':[" INPUT("data", "INT8", "[2]", "[1,2]") "," INPUT(
            "axis", "INT8", "[1]", "[0]") "],'parameters':{'mode':'index'}}",
        id);
}

LOOP_TEST(reply_echoes_the_id_as_it_came, COUNT(ids))
{
    char want[256];

    snprintf(want, sizeof(want),
             "{\"model_name\":\"openvino.Reverse\",\"model_version\":\"1\","
             "\"id\":%s,\"outputs\":[{\"name\":\"output\",\"datatype\":"
             "\"INT8\",\"shape\":[2],\"data\":[2,1]}]}",
             ids[_i][1]);
    assert_answer_body(ask_id(ids[_i][0]), 200, want);
}

/* Requests that are alike but for the id, one after the other. */
UNIT_TEST(reply_echoes_no_other_requests_id)
{
    char want[64];

    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < COUNT(ids); i++) {
            snprintf(want, sizeof(want), "\"id\":%s,\"outputs\"", ids[i][1]);
            assert_answer_has(ask_id(ids[i][0]), 200, want);
        }
}

/* Of plain letters, and of those that take the most room. */
LOOP_TEST(reply_echoes_an_id_of_a_mebibyte, 2)
{
    const char *letter = _i == 0 ? "i" : "\\u0001";
    size_t size = strlen(letter), len = (1 << 20) / size * size;
    char *id = malloc(len + 3);
    struct answer a;
    const char *at;

    for (size_t i = 1; i <= len; i += size)
        memcpy(id + i, letter, size);
    id[0] = id[len + 1] = '"';
    id[len + 2] = '\0';
    a = ask_id(id);
    ck_assert_int_eq(a.status, 200);
    at = strstr(a.body, "\"id\":");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(strncmp(at + 5, id, len + 2), 0);
    assert_answer_data(a, "[2,1]");
    free(id);
}

/* What may make the head of a reply long, each in the characters that take most
 * room; the last stands for all at once. */
enum { ID, NAME, OUTPUT_NAME, LENGTHS, DIMS, ALL };

#define LARGEST "9223372036854775807"

static void repeat(FILE *out, const char *piece, int count)
{
    for (int i = 0; i < count; i++)
        fputs(piece, out);
}

/* Asks for a reply without data, with `count` letters or lengths, or 32 dims,
 * of the parts that are long. */
static struct answer ask_long(int part, int count)
{
    int all = part == ALL ? count : 0, batch = part == LENGTHS ? count : all;
    char *json;
    size_t len;
    FILE *out = open_memstream(&json, &len);
    struct answer a;

    fputs("{'id':'", out);
    repeat(out, "\\u0001", part == ID ? count : all);
    fputs("','parameters':{'name':'", out);
    repeat(out, "\\u0002", part == NAME ? count : all);
    fputs("','specified_outputs_name':'Y", out);
    repeat(out, "\\u0003", part == OUTPUT_NAME ? count : all);
    fprintf(out,
            "'},'inputs':[{'name':'sequence_lens','datatype':"
            "'INT64','shape':[%d],'data':[",
            batch);
    repeat(out, LARGEST ",", batch - 1);
    repeat(out, LARGEST, batch > 0);
    fprintf(out,
            "]},{'name':'input','datatype':'COMPLEX128','shape':[" LARGEST
            ",%d,",
            batch);
    repeat(out, LARGEST ",", part == DIMS || part == ALL ? 29 : 0);
    fputs("0],'data':[]}]}", out);
    fclose(out);
    a = ask_json(GRAIPHIC, json);
    free(json);
    return a;
}

/* Checks a text that is `before` and then `count` times `letter`. */
static void check_letters(const char *text, const char *before, char letter,
                          int count)
{
    size_t start = strlen(before);

    ck_assert_uint_eq(strlen(text), start + (size_t)count);
    ck_assert_int_eq(strncmp(text, before, start), 0);
    for (text += start; *text; text++)
        if (*text != letter)
            ck_abort_msg("%d in place of %d", *text, letter);
}

/* Bytes of a context: version, axes and checksum, the batch's size, the time's
 * and each length. Four digits are three bytes. */
static size_t context_length(int batch)
{
    return ((size_t)(3 + 8 + (batch > 127 ? 2 : 1) + 9 + 9 * batch) * 4 + 2) /
           3;
}

LOOP_TEST(reply_has_room_for_the_longest_parts, ALL + 1)
{
    static const int counts[] = {0, 1, 30, 60, 127, 250, 1000};

    for (int i = 0; i < COUNT(counts); i++) {
        int all = _i == ALL ? counts[i] : 0;
        struct answer a = ask_long(_i, counts[i]);
        json_t *root = json_loadb(a.body, a.len, JSON_ALLOW_NUL, NULL), *shape;
        const char *id = "", *name, *context, *output;

        ck_assert_msg(a.status == 200, "%s", a.body);
        ck_assert_int_eq(json_unpack(root, "{s?s,s:{s:s,s:s},s:[{s:s,s:o}]}",
                                     "id", &id, "parameters", "name", &name,
                                     "backward_context", &context, "outputs",
                                     "name", &output, "shape", &shape),
                         0);
        check_letters(id, "", 1, _i == ID ? counts[i] : all);
        check_letters(name, "", 2, _i == NAME ? counts[i] : all);
        check_letters(output, "Y", 3, _i == OUTPUT_NAME ? counts[i] : all);
        ck_assert_uint_eq(strlen(context),
                          context_length(_i == LENGTHS ? counts[i] : all));
        ck_assert_uint_eq(json_array_size(shape),
                          _i == DIMS || _i == ALL ? 32 : 3);
        json_decref(root);
        answer_free(&a);
    }
}

/* Shapes without elements, and the lengths they take. */
static const struct {
    const char *shape, *lens_shape, *lens;
} empty[] = {
    {"[0,2]", "[2]", "[0,0]"},
    {"[2,0]", "[0]", "[]"},
    {"[0,0]", "[0]", "[]"},
    {"[3,2,0]", "[2]", "[3,1]"},
    {"[3,2,4,0,5]", "[2]", "[3,1]"},
    {"[9223372036854775807,1,0]", "[1]", "[9223372036854775807]"},
    {"[0,1,9223372036854775807,9223372036854775807]", "[1]", "[0]"},
};

static void ask_empty(int i, const char *form, const char *datatype)
{
    char shape[128];
    struct answer a = ask_jsonf(
        ONNX,
        "{'parameters':{'binary_data_output':%s},'inputs':[" INPUT(
            "input", "%s", "%s", "[]") "," INPUT("sequence_lens", "INT64", "%s",
                                                 "%s") "]}",
        form, datatype, empty[i].shape, empty[i].lens_shape, empty[i].lens);

    snprintf(shape, sizeof(shape), "\"shape\":%s,", empty[i].shape);
    ck_assert_msg(strstr(a.body, shape), "%s", a.body);
    if (strcmp(form, "true") == 0)
        assert_answer_bytes(a, "", 0);
    else
        assert_answer_data(a, "[]");
}

LOOP_TEST(reply_without_elements_is_json_with_no_header, COUNT(empty))
{
    ask_empty(_i, "true", "FP32");
    ask_empty(_i, "false", "FP32");
    ask_empty(_i, "true", "BYTES");
    ask_empty(_i, "false", "BYTES");
    ask_empty(_i, "true", "UINT1");
    ask_empty(_i, "false", "COMPLEX128");
}
