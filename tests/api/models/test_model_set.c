/* Requests to configured models, and their metadata. */
#include "api/server_state.h"
#include "tests/api/ask.h"
#include "tests/unit.h"

static struct model_set *set;

static void tear_down(void)
{
    api_models_unref(set);
    set = NULL;
}

static void serve(const char *text)
{
    struct status st;

    set = ask_models(text, NULL, &st);
    ck_assert_msg(set != NULL, "%s", st.message);
}

static struct answer ask_of(const char *path, const char *json)
{
    char *text = json ? strdup(json) : NULL;
    struct answer a;

    if (text)
        ask_quote(text);
    a = ask(&(struct ask){.method = json ? "POST" : "GET",
                          .path = path,
                          .json = text,
                          .models = set});
    free(text);
    return a;
}

static const char asr[] =
    "{'models': [{'name': 'asr_flip', 'op': 'onnx.ReverseSequence',\n"
    "  'datatype': 'FP32', 'shape': [-1, -1, 2],\n"
    "  'attributes': {'time_axis': 1, 'batch_axis': 0},\n"
    "  'outputs': {'Y': 'features'}}]}";

#define ASR "/v2/models/asr_flip"

#define REQUEST(members, datatype, shape, lens)                                \
    "{" members "'inputs':[{'name':'input','datatype':'" datatype              \
    "','shape':" shape ",'data':[1,2,3,4]},{'name':'sequence_lens',"           \
    "'datatype':'INT64','shape':[1],'data':[" lens "]}]}"

UNIT_TEST(a_configured_model_answers_under_its_names)
{
    serve(asr);
    assert_answer_body(
        ask_of(ASR "/infer", REQUEST("'outputs':[{'name':'features'}],", "FP32",
                                     "[1,2,2]", "2")),
        200,
        "{\"model_name\":\"asr_flip\",\"model_version\":\"1\",\"outputs\":[{"
        "\"name\":\"features\",\"datatype\":\"FP32\",\"shape\":[1,2,2],"
        "\"data\":[3,4,1,2]}]}");
}

/* 128 characters. */
#define LETTERS_32 "abcdefghijklmnopqrstuvwxyz012345"
#define LONGEST LETTERS_32 LETTERS_32 LETTERS_32 LETTERS_32

UNIT_TEST(a_model_of_the_longest_name_answers)
{
    serve("{'models': [{'name': '" LONGEST "', 'op': 'openvino.Reverse',"
          "'version': '123456789', 'attributes': {'mode': 'index'}}]}");
    assert_answer_body(
        ask_of("/v2/models/" LONGEST "/versions/123456789/infer",
               "{'inputs':[{'name':'data','datatype':'COMPLEX128','shape':"
               "[9223372036854775807,9223372036854775807,0],'data':[]},"
               "{'name':'axis','datatype':'INT8','shape':[0],'data':[]}]}"),
        200,
        "{\"model_name\":\"" LONGEST "\",\"model_version\":\"123456789\","
        "\"outputs\":[{\"name\":\"output\",\"datatype\":\"COMPLEX128\","
        "\"shape\":[9223372036854775807,9223372036854775807,0],\"data\":[]}]}");
}

UNIT_TEST(metadata_of_a_configured_model_is_strict)
{
    serve(asr);
    assert_answer_body(
        ask_of(ASR, NULL), 200,
        "{\"name\":\"asr_flip\",\"versions\":[\"1\"],\"platform\":\"flipd\","
        "\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":"
        "[-1,-1,2]},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\","
        "\"shape\":[-1]}],\"outputs\":[{\"name\":\"features\",\"datatype\":"
        "\"FP32\",\"shape\":[-1,-1,2]}],\"properties\":{\"summary\":"
        "\"Reverses the first sequence_lens[b] entries along the time axis for "
        "each entry b of the batch axis\","
        "\"op\":\"onnx.ReverseSequence\",\"datatypes\":\"FP32\","
        "\"attribute batch_axis\":\"integer, fixed to 0\","
        "\"attribute time_axis\":\"integer, fixed to 1\"}}");
    assert_answer_body(
        ask_of(ASR "/config", NULL), 200,
        "{\"name\":\"asr_flip\",\"platform\":\"flipd\",\"backend\":\"flipd\","
        "\"max_batch_size\":0,\"input\":[{\"name\":\"input\",\"data_type\":"
        "\"TYPE_FP32\",\"dims\":[-1,-1,2]},{\"name\":\"sequence_lens\","
        "\"data_type\":\"TYPE_INT64\",\"dims\":[-1]}],\"output\":[{\"name\":"
        "\"features\",\"data_type\":\"TYPE_FP32\",\"dims\":[-1,-1,2]}]}");
}

/* Each kind of attribute, fixed. */
static const struct {
    const char *op, *attributes, *property;
} fixed[] = {
    {"graiphic.ReverseSequenceGrad", "'lda_coeff': 0.5",
     "\"attribute lda_coeff\":\"number, fixed to 0.5\""},
    {"graiphic.ReverseSequenceGrad", "'time_axis': 1, 'batch_axis': 0",
     "\"attribute lda_coeff\":\"number, default 1\""},
    {"graiphic.ReverseSequence", "'training': false",
     "\"attribute training\":\"boolean, fixed to false\""},
    {"graiphic.ReverseSequence", "'name': 'n'",
     "\"attribute name\":\"string, fixed to n\""},
    {"graiphic.ReverseSequence", "'time_axis': 1, 'batch_axis': 0",
     "\"attribute training\":\"boolean, default true\""},
};

LOOP_TEST(metadata_tells_what_is_fixed, COUNT(fixed))
{
    char text[300];

    snprintf(text, sizeof(text),
             "{'models': [{'name': 'm', 'op': '%s', 'attributes': {%s}}]}",
             fixed[_i].op, fixed[_i].attributes);
    serve(text);
    assert_answer_has(ask_of("/v2/models/m", NULL), 200, fixed[_i].property);
}

static const char *const refused[][2] = {
    {REQUEST("'parameters':{'time_axis':0},", "FP32", "[1,2,2]", "2"),
     "time_axis is fixed by the model asr_flip: leave it out"},
    {REQUEST("'parameters':{'triton_x':1},", "FP32", "[1,2,2]", "2"),
     "asr_flip; known are binary_data_output, timeout"},
    {REQUEST("", "FP64", "[1,2,2]", "2"),
     "'input' is FP64, but asr_flip takes FP32"},
    {REQUEST("", "FP32", "[1,1,4]", "1"),
     "'input' has shape [1, 1, 4], but asr_flip takes [-1, -1, 2] (-1 is any)"},
    {REQUEST("", "FP32", "[2,2]", "1"),
     "'input' has shape [2, 2], but asr_flip takes [-1, -1, 2]"},
    {REQUEST("'outputs':[{'name':'Y'}],", "FP32", "[1,2,2]", "1"),
     "outputs[0] is 'Y', but the output is 'features'"},
};

LOOP_TEST(attributes_that_a_model_fixes_are_refused, COUNT(refused))
{
    serve(asr);
    assert_answer_refused(ask_of(ASR "/infer", refused[_i][0]), 400,
                          refused[_i][1], NULL);
}

UNIT_TEST(lists_name_the_configured_models_last)
{
    struct answer list;

    serve(asr);
    list = ask_of("/v2/models", NULL);
    ck_assert_ptr_nonnull(strstr(list.body, "ReverseSequenceGrad\","));
    ck_assert_str_eq(list.body + list.len - strlen(",\"asr_flip\"]}"),
                     ",\"asr_flip\"]}");
    answer_free(&list);
    assert_answer_has(ask_of("/v2/repository/index", ""), 200,
                      "{\"name\":\"asr_flip\",\"version\":\"1\",\"state\":"
                      "\"READY\",\"reason\":\"\"}]");
}

/* Data of a shape, to a model of another one. */
static const struct {
    const char *model, *data;
    bool fits;
} shapes[] = {
    {"[-1,-1]", "[0,2]", true}, {"[-1,2]", "[0,2]", true},
    {"[0,2]", "[0,2]", true},   {"[0,-1]", "[0,2]", true},
    {"[0,2]", "[1,2]", false},  {"[0,-1]", "[1,2]", false},
    {"[1,2]", "[0,2]", false},  {"[0,1]", "[0,2]", false},
    {"[-1,3]", "[0,2]", false}, {"[-1,-1,-1]", "[0,2]", false},
    {"[1,2]", "[1,2]", true},   {"[2,1]", "[1,2]", false},
};

LOOP_TEST(a_dim_of_a_model_is_any_only_where_it_is_minus_1, COUNT(shapes))
{
    char file[200], request[400];
    struct answer a;

    snprintf(file, sizeof(file),
             "{'models': [{'name':'m','op':'openvino.Reverse','shape':%s,"
             "'attributes':{'mode':'index'}}]}",
             shapes[_i].model);
    serve(file);
    snprintf(request, sizeof(request),
             "{'inputs':[{'name':'data','datatype':'INT8','shape':%s,"
             "'data':[%s]},{'name':'axis','datatype':'INT64','shape':[1],"
             "'data':[0]}]}",
             shapes[_i].data, shapes[_i].data[1] == '0' ? "" : "1,2");
    a = ask_of("/v2/models/m/infer", request);
    ck_assert_msg(a.status == (shapes[_i].fits ? 200 : 400), "%s", a.body);
    answer_free(&a);
}

FIXTURE(NULL, tear_down)
