/* Empty tensors need no data: every datatype, form, wire and input. */
#include "kernels/core/dtype.h"
#include "tests/api/documents.h"
#include "tests/api/message.h"
#include "tests/unit.h"

/* How an input of no element says so, behind its shape. */
static const char *const forms[] = {
    "",
    ",'data':null",
    ",'data':[]",
    ",'data':null,'parameters':null",
    ",'parameters':{'binary_data_size':null}",
    ",'parameters':{'binary_data_size':0}",
    (",'data':null,'parameters':{'shared_memory_region':'r',"
     "'shared_memory_byte_size':0,'shared_memory_offset':8}"),
};

enum { FORMS = COUNT(forms) };

/* Asks for an empty tensor, without a header and then with one; the region
 * has 8 bytes. */
static void asks_empty(const char *model, const char *json, const char *data)
{
    unsigned char bytes[8] = {0};
    char header[32];

    snprintf(header, sizeof(header), "%zu", strlen(json));
    for (int i = 0; i < 2; i++) {
        struct ask_region regions[] = {{.name = "r", .data = bytes, .size = 8},
                                       {.name = NULL}};
        struct answer a = ask_infer(
            model, json,
            (struct ask){.header = i ? header : NULL, .regions = regions});

        ck_assert_uint_eq(a.json_len, 0);
        assert_answer_has(a, 200, data);
    }
}

static bool scales(enum dtype dtype)
{
    enum dtype_kind kind = dtype_info(dtype)->kind;

    return kind == DTYPE_KIND_FLOAT || kind == DTYPE_KIND_COMPLEX;
}

/* Every datatype as the data of each model; the lengths are given. */
LOOP_TEST(data_that_is_empty_needs_no_bytes, DTYPE_COUNT)
{
    static const struct {
        const char *model, *data, *rest;
    } models[] = {
        {ONNX, "input", INPUT("sequence_lens", "INT64", "[3]", "[0,0,0]")},
        {SEQUENCE, "data", INPUT("seq_lengths", "INT8", "[0]", "[]")},
        {REVERSE, "data", INPUT("axis", "INT64", "[1]", "[0]")},
        {GRAIPHIC, "input", INPUT("sequence_lens", "INT64", "[3]", "[0,0,0]")},
        {GRAD, "dY", INPUT("sequence_lens", "INT64", "[3]", "[0,0,0]")},
    };
    enum dtype dtype = (enum dtype)_i;
    char json[600];

    for (int m = 0; m < COUNT(models); m++)
        for (int f = 0; f < FORMS; f++)
            for (int binary = 0; binary < 2; binary++) {
                if (m == 4 && !scales(dtype))
                    continue;
                snprintf(json, sizeof(json),
                         "{'parameters':{%s'binary_data_output':%s},'inputs':[{"
                         "'name':'%s','datatype':'%s','shape':[0,3]%s},%s]}",
                         m == 2 ? "'mode':'index'," : "",
                         binary ? "true" : "false", models[m].data,
                         dtype_info(dtype)->name, forms[f], models[m].rest);
                asks_empty(models[m].model, json,
                           binary ? "\"shape\":[0,3],\"parameters\":{"
                                    "\"binary_data_size\":0}"
                                  : "\"shape\":[0,3],\"data\":[]");
            }
}

/* The documents end in front of the form of their last input. */
static const struct {
    const char *model, *json, *data;
} controls[] = {
    {ONNX,
     "{'inputs':[" INPUT("input", "FP32", "[3,0]", "[]") ",{'name':"
                                                         "'sequence_lens',"
                                                         "'datatype':'INT64',"
                                                         "'shape':[0]",
     "\"shape\":[3,0],\"data\":[]"},
    {ONNX,
     "{'inputs':[{'name':'input','datatype':'BYTES','shape':[3,0]},"
     "{'name':'sequence_lens','datatype':'INT64','shape':[0,1]",
     "\"shape\":[3,0],\"data\":[]"},
    {SEQUENCE,
     "{'inputs':[{'name':'data','datatype':'INT4','shape':[0,3],'data':null},"
     "{'name':'seq_lengths','datatype':'FP16','shape':[0]",
     "\"shape\":[0,3],\"data\":[]"},
    {GRAD,
     "{'inputs':[{'name':'dY','datatype':'FP16','shape':[3,0],'data':null},"
     "{'name':'sequence_lens','datatype':'INT64','shape':[0]",
     "\"shape\":[3,0],\"data\":[]"},
    {REVERSE,
     "{'parameters':{'mode':'index'},'inputs':[" INPUT(
         "data", "INT8", "[2]", "[1,2]") ",{'name':'axis','datatype':'INT32',"
                                         "'shape':[0]",
     "\"data\":[1,2]"},
    {REVERSE,
     "{'parameters':{'mode':'mask'},'inputs':[" INPUT(
         "data", "INT8", "[]", "[1]") ",{'name':'axis','datatype':'BOOL',"
                                      "'shape':[0]",
     "\"data\":[1]"},
};

LOOP_TEST(lengths_and_axes_that_are_empty_need_no_data, COUNT(controls))
{
    char json[600];

    for (int f = 0; f < FORMS; f++) {
        snprintf(json, sizeof(json), "%s%s}]}", controls[_i].json, forms[f]);
        asks_empty(controls[_i].model, json, controls[_i].data);
    }
}

/* gRPC: no contents, empty ones, raw ones, in shared memory. */
LOOP_TEST(message_that_is_empty_needs_no_contents, DTYPE_COUNT)
{
    /* behind the shape, and behind the inputs */
    static const char *const ends[][2] = {
        {"", ""},
        {", 'contents': {}", ""},
        {"", ", 'raw_input_contents': ['']"},
        {", 'parameters': {'shared_memory_region': 'r', "
         "'shared_memory_byte_size': 0}",
         ""},
    };
    unsigned char bytes[8] = {0};

    for (int i = 0; i < COUNT(ends); i++) {
        struct ask_region regions[] = {{.name = "r", .data = bytes, .size = 8},
                                       {.name = NULL}};
        char json[600];

        snprintf(json, sizeof(json),
                 "{'model_name': 'openvino.ReverseSequence', 'inputs': "
                 "[{'name': 'data', 'datatype': '%s', 'shape': [0, 2]%s}, "
                 "{'name': 'seq_lengths', 'datatype': 'INT64', 'shape': [0]}]"
                 "%s}",
                 dtype_info((enum dtype)_i)->name, ends[i][0], ends[i][1]);
        assert_answer_has(ask_message(json, (struct ask){.regions = regions}),
                          200, "");
    }
}

static const char *const refused[][2] = {
    {DATA_OF("FP32", "[0,2]", "[1]"), "'input'|1"},
    {DATA_OF("FP8_E4M3", "[0,2]", "[1]"), "'input'|no JSON form"},
    {DATA_OF("FP32", "[0,2]", "7"), "inputs[0].data|an array"},
    {DATA_OF("FP32", "[1,2]", "null"), "neither data nor"},
    {DATA_OF("FP8_E4M3", "[1,2]", "[]"), "no JSON form"},
    {WITH(BYTES_INPUT("input", "FP32", "[0,2]", "4")),
     "'input' declares 4 bytes|takes 0"},
    {WITH("{'name':'input','datatype':'INT8','shape':[0,2],'data':[],"
          "'parameters':{'binary_data_size':0}}"),
     "both data and"},
};

MODEL_REFUSES(data_that_is_no_empty_tensor_is_refused, ONNX, refused)
