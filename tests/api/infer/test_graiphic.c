/* Graiphic's node: training, the names it gives, and the coefficient. */
#include "tests/api/documents.h"
#include "tests/unit.h"

/* What the running example encodes to: worked out by hand from the format, and
 * not to change, for a replica of another version must read it. */
#define CONTEXT "AQEAAgICARyZ5gjOGx7g"
#define CONTEXT_MEMBER "\"backward_context\":\"" CONTEXT "\""

/* An answer with parameters, if any, and the output's name. */
#define ANSWER(parameters, name)                                               \
    "{\"model_name\":\"graiphic.ReverseSequence\",\"model_version\":"          \
    "\"1\"," parameters "\"outputs\":[{\"name\":\"" name                       \
    "\",\"datatype\":\"FP32\",\"shape\":[2,2],\"data\":[3,2,1,4]}]}"
#define WITH_CONTEXT ANSWER("\"parameters\":{" CONTEXT_MEMBER "},", "Y")

static const char *const replies[][2] = {
    {DOCUMENT(""), WITH_CONTEXT},
    {PARAMETERS("'training':true"), WITH_CONTEXT},
    {PARAMETERS("'training?':true,'lda coeff':'0.5'"), WITH_CONTEXT},
    {PARAMETERS("'training':null"), WITH_CONTEXT},
    {PARAMETERS("'training':false"), ANSWER("", "Y")},
    {PARAMETERS("'training?':false,'lda_coeff':-7"), ANSWER("", "Y")},
    {PARAMETERS("'name':'node \\u00e9\\n'"),
     ANSWER("\"parameters\":{\"name\":\"node \xC3\xA9\\n\"," CONTEXT_MEMBER
            "},",
            "Y")},
    {PARAMETERS("'training':false,'name':'n'"),
     ANSWER("\"parameters\":{\"name\":\"n\"},", "Y")},
    {PARAMETERS("'training':false,'name':''"),
     ANSWER("\"parameters\":{\"name\":\"\"},", "Y")},
    {PARAMETERS("'training':false,'specified_outputs_name':'out'"),
     ANSWER("", "out")},
    {PARAMETERS("'training':false,'specified_outputs_name':['\\u65e5\\u0022']"),
     ANSWER("", "\xE6\x97\xA5\\\"")},
    {PARAMETERS("'training':false,'specified_outputs_name':['out']},'outputs':"
                "[{'name':'out'}],'x':{"),
     ANSWER("", "out")},
};

LOOP_TEST(graiphic_answers_context_and_names_on_request, COUNT(replies))
{
    assert_answer_body(ask_json(GRAIPHIC, replies[_i][0]), 200, replies[_i][1]);
}

UNIT_TEST(graiphic_output_has_only_the_name_that_was_given)
{
    assert_answer_refused(
        ask_json(GRAIPHIC,
                 PARAMETERS("'specified_outputs_name':'out'},'outputs':["
                            "{'name':'Y'}],'x':{")),
        400, "outputs[0] is 'Y'", "'out'", NULL);
}

#define GRADIENT(datatype, coefficient, data)                                  \
    "{'parameters':{'lda_coeff':" coefficient                                  \
    "},'inputs':[" INPUT("dY", datatype, "[2,2]", data) "," LENS "]}"

/* Results are in memory order: entries 2, 1, 0, 3 of dY. */
static const struct {
    const char *json, *data;
} gradients[] = {
    {GRADIENT("FP32", "1", "[1.0,2.50,3e0,4]"), "[3e0,2.50,1.0,4]"},
    {GRADIENT("FP32", "'1'", "[1.0,2.50,3e0,4]"), "[3e0,2.50,1.0,4]"},
    {GRADIENT("FP32", "1.0", "[1.0,2.50,3e0,4]"), "[3e0,2.50,1.0,4]"},
    {GRADIENT("FP32", "'10e-1'", "[1.0,2.50,3e0,4]"), "[3e0,2.50,1.0,4]"},
    {GRADIENT("FP32", "-0.5", "[1,2,3,4]"), "[-1.5,-1,-0.5,-2]"},
    {GRADIENT("FP32", "'-0.5'", "[1,2,3,4]"), "[-1.5,-1,-0.5,-2]"},
    {GRADIENT("FP32", "'-.5'", "[1,2,3,4]"), "[-1.5,-1,-0.5,-2]"},
    {GRADIENT("FP32", "0", "[1,-2,NaN,Infinity]"), "[NaN,-0.0,0,NaN]"},
    {GRADIENT("FP32", "'0'", "[1,-2,3,4]"), "[0,-0.0,0,0]"},
    {GRADIENT("FP32", "-1", "[0,-0.0,NaN,-Infinity]"), "[NaN,0,-0.0,Infinity]"},
    {GRADIENT("FP32", "2", "[3e38,1,-3e38,0.1]"), "[-Infinity,2,Infinity,0.2]"},
    {GRADIENT("FP64", "0.1", "[1,2,3,10]"), "[0.30000000000000004,0.2,0.1,1]"},
    {GRADIENT("FP64", "-2", "[1e308,1,2,3]"), "[-4,-2,-Infinity,-6]"},
    {GRADIENT("FP16", "3", "[0.333251953125,1,-2,65504]"), "[-6,3,1,Infinity]"},
    {GRADIENT("FP16", "0.5", "[1,2,3,6e-8]"), "[1.5,1,0.5,0]"},
    {GRADIENT("BF16", "1.5", "[256,1,3,-2]"), "[4.5,1.5,384,-3]"},
    {GRADIENT("BF16", "'-1'", "[1,2,3,0]"), "[-3,-2,-1,-0.0]"},
    {GRADIENT("COMPLEX64", "2", "[1,2,3,4,5,6,7,8]"), "[10,12,6,8,2,4,14,16]"},
    {GRADIENT("COMPLEX128", "'-0.5'", "[[1,2],[3,4],[5,6],[7,-8]]"),
     "[-2.5,-3,-1.5,-2,-0.5,-1,-3.5,4]"},
    {GRADIENT("COMPLEX64", "0", "[1,-2,3,4,5,6,NaN,8]"),
     "[0,0,0,0,0,-0.0,NaN,0]"},
};

LOOP_TEST(gradient_is_the_coefficient_times_the_reversed_one, COUNT(gradients))
{
    assert_answer_data(ask_json(GRAD, gradients[_i].json), gradients[_i].data);
}

static void check_bits(const char *coefficient)
{
    /* Signalling and quiet NaN with payload, -0, a denormal. */
    static const uint32_t dy[4] = {0x7F800001, 0xFFC12345, 0x80000000, 1};
    static const uint32_t dx[4] = {0x80000000, 0xFFC12345, 0x7F800001, 1};
    char json[512];

    snprintf(json, sizeof(json),
             "{'parameters':{'lda_coeff':%s,'binary_data_output':true},"
             "'inputs':[" BYTES_INPUT("dY", "FP32", "[2,2]", "16") "," LENS
                                                                   "]}",
             coefficient);
    assert_answer_bytes(ask_binary(GRAD, json, dy, 16), dx, 16);
}

UNIT_TEST(gradient_with_coefficient_one_moves_bits)
{
    check_bits("1");
    check_bits("1.0");
    check_bits("'1'");
    check_bits("null");
}

UNIT_TEST(gradient_in_bytes_is_scaled_in_place)
{
    static const double dy[4] = {1, 2, 3, 4};
    static const double dx[4] = {-1.5, -1, -0.5, -2};
    const char *json =
        "{'parameters':{'lda "
        "coeff':-0.5,'binary_data_output':true},'inputs':[" BYTES_INPUT(
            "dY", "FP64", "[2,2]", "32") "," LENS "]}";

    assert_answer_bytes(ask_binary(GRAD, json, dy, 32), dx, 32);
}

UNIT_TEST(gradient_of_an_empty_tensor_is_empty)
{
    static const char json[] = "{'parameters':{'lda_coeff':3},'inputs':[" INPUT(
        "dY", "FP32", "[2,0]",
        "[]") ",{'name':'sequence_lens','datatype':'INT64','shape':[0]}]}";

    assert_answer_data(ask_json(GRAD, json), "[]");
}
