/* A request's parameters: attributes, the protocol's own, and strangers. */
#include "api/server_state.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct refusal strangers[] = {
    {ONNX, PARAMETERS("'lda_coeff':1"),
     "parameter 'lda_coeff' is unknown to onnx.ReverseSequence|batch_axis, "
     "time_axis, binary_data_output, timeout"},
    {ONNX, PARAMETERS("'triton_enable_empty_final_response':true"),
     "'triton_enable_empty_final_response' is unknown|timeout"},
    {REVERSE, REVERSE_PARAMETERS("'mode':'index','modes':0"),
     "'modes' is unknown to openvino.Reverse|mode, binary_data_output, "
     "timeout"},
    {GRAIPHIC, PARAMETERS("'mode':'index'"),
     "'mode' is unknown to graiphic.ReverseSequence|batch_axis, time_axis, "
     "training, lda_coeff, name, "
     "specified_outputs_name, binary_data_output, timeout"},
    {GRAD, GRAD_PARAMETERS("'training':false"),
     "'training' is unknown to graiphic.ReverseSequenceGrad|batch_axis, "
     "time_axis, lda_coeff, backward_context, "},
};

REFUSES(parameter_that_is_unknown_is_refused_with_the_known, strangers)

/* To ONNX's model, with the value 1. */
static const char *const unknown[] = {
    "backward_context", "triton_y",           "time_axes",   "tme_axi",
    "timeouts",         "binary_dataoutput_", "sequence-id", "sequence-start",
    "sequence-end",     "lda coeff",          "priority_x",  "Time_axis"};

LOOP_TEST(parameter_that_is_near_a_known_one_is_refused, COUNT(unknown))
{
    char error[80];

    snprintf(error, sizeof(error), "'%s' is unknown", unknown[_i]);
    assert_answer_refused(
        ask_jsonf(ONNX, PARAMETERS("'triton_x':null,'%s':1"), unknown[_i]), 400,
        error, "timeout", NULL);
}

static const struct refusal twice[] = {
    {GRAIPHIC, PARAMETERS("'training':true,'training?':true"),
     "training is given twice|'training?'"},
    {GRAIPHIC, PARAMETERS("'training?':true,'training':false"),
     "training is given twice|'training?'"},
    {GRAIPHIC, PARAMETERS("'lda_coeff':1,'lda coeff':1"),
     "lda_coeff is given twice|'lda coeff'"},
    {GRAD, GRAD_PARAMETERS("'lda coeff':1,'lda_coeff':2"),
     "lda_coeff is given twice|'lda coeff'"},
};

REFUSES(parameter_given_twice_by_its_other_name_is_refused, twice)

UNIT_TEST(parameter_that_is_long_is_shortened_in_the_error)
{
    char key[1001];

    memset(key, 'k', 1000);
    memcpy(key, "triton_", 7);
    key[1000] = '\0';
    assert_answer_refused(ask_jsonf(ONNX, PARAMETERS("'%s':1"), key), 400,
                          "parameter 'triton_kkkkkkkkkkkkk", "' is unknown",
                          "known are batch_axis", "timeout", NULL);
    assert_answer_refused(ask_jsonf(ONNX, PARAMETERS("'time_axis':'%s'"), key),
                          400, "time_axis is 'triton_kkkk",
                          "', but it must be an integer", NULL);
    /* Cut inside a character of three bytes: still valid JSON. */
    for (int i = 0; i < 999; i += 3)
        memcpy(key + i, "\xE6\x97\xA5", 3);
    assert_answer_refused(
        ask_jsonf(ONNX, PARAMETERS("'time_axis':'%.999s'"), key), 400,
        "time_axis is '\xE6\x97", "an integer", NULL);
}

static const char *const ignored[] = {
    "'sequence_id':7",
    "'sequence_id':'a','sequence_start':true,'sequence_end':false",
    "'sequence_id':18446744073709551615",
    "'sequence_id':-9223372036854775809,'sequence_start':true",
    "'priority':18446744073709551615",
    "'priority':9223372036854775808,'batch_axis':1",
    "'priority':-1e300,'sequence_id':123.5e+99",
    /* Keys of the client's own. */
    "'':1",
    "'headers':{}",
    "'content_type':'np'",
    "'sequence':1",
    "'tme_ax':1", /* three letters from time_axis */
    "'axis':0,'mod':1,'nam':[1,2]",
    "'axis_of_time':0,'Triton_x':{}",
};

LOOP_TEST(parameter_of_no_meaning_is_ignored, COUNT(ignored))
{
    assert_answer_data(ask_jsonf(ONNX, PARAMETERS("%s"), ignored[_i]), RESULT);
}

/* Parameters of which an answer shows the effect, and a part of it. More are in
 * infer/test_graiphic.c and test_reply.c. */
static const struct {
    const char *model, *json, *part;
} effects[] = {
    {GRAIPHIC, PARAMETERS("'lda_coeff':2"), "\"data\":[3,2,1,4]"},
    {GRAD, GRAD_PARAMETERS("'lda coeff':2"), "\"data\":[6,4,2,8]"},
    {GRAD, GRAD_PARAMETERS("'lda_coeff':'-.5e1'"), "\"data\":[-15,-10,-5,-20]"},
    {GRAD, GRAD_PARAMETERS("'batch_axis':0,'time_axis':'1'"),
     "\"data\":[2,1,3,4]"},
    {ONNX, PARAMETERS("'batch_axis':0,'time_axis':1"), "\"data\":[2,1,3,4]"},
};

LOOP_TEST(parameter_has_its_effect, COUNT(effects))
{
    assert_answer_has(ask_json(effects[_i].model, effects[_i].json), 200,
                      effects[_i].part);
}

/* Timeouts and the microseconds that the plan has of them. */
static const struct {
    const char *json;
    uint64_t us;
} timeouts[] = {
    {DOCUMENT(""), 0},
    {PARAMETERS("'timeout':null"), 0},
    {PARAMETERS("'timeout':0"), 0},
    {PARAMETERS("'timeout':1500"), 1500},
    {PARAMETERS("'timeout':'1500'"), 1500},
    {PARAMETERS("'timeout':9223372036854775807"), INT64_MAX},
};

LOOP_TEST(timeout_is_handed_to_the_transport, COUNT(timeouts))
{
    char *json = strdup(timeouts[_i].json);
    const struct api_request request =
        ask_post("/v2/models/" ONNX "/infer", json);
    struct api_reply reply = {0};
    struct api_plan plan;

    ck_assert(api_prepare(&request, &plan, &reply));
    ck_assert_uint_eq(plan.timeout_us, timeouts[_i].us);
    ck_assert_str_eq(api_model_name(plan.model), ONNX);
    api_plan_free(&plan);
    free(json);
}

/* Keys in a URL, where none is the client's own; the data is [1, 2, 3]. */
static const struct {
    const char *query;
    int status;
    const char *part;
} queries[] = {
    {"", 200, "\3\2\1"},
    {"&priority=1&sequence_id=7&sequence_end=1&timeout=0", 200, "\3\2\1"},
    {"&priorities=1", 400,
     "parameter 'priorities' is unknown to onnx.ReverseSequence; known are "
     "batch_axis, time_axis, binary_data_output, timeout"},
    {"&headers=1", 400, "parameter 'headers' is unknown"},
};

LOOP_TEST(parameter_in_a_query_is_never_the_clients_own, COUNT(queries))
{
    static const char file[] =
        "\x93NUMPY\1\0\x3A\0{'descr': '|u1', 'fortran_order': False, "
        "'shape': (3, 1)}\n\1\2\3";
    char query[100];

    snprintf(query, sizeof(query), "sequence_lens=3%s", queries[_i].query);
    assert_answer_has(ask(&(struct ask){.path = "/v2/models/" ONNX "/infer",
                                        .query = query,
                                        .content_type = "application/x-npy",
                                        .accept = "application/x-npy",
                                        .json = file,
                                        .json_len = sizeof(file) - 1}),
                      queries[_i].status, queries[_i].part);
}
