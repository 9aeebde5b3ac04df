/* A request's parameters: attributes, the protocol's own, and strangers. */
#include "api/api.h"
#include "api/models/model.h"
#include "api/server_state.h"
#include "tests/api/documents.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

static const struct refusal strangers[] = {
    {ONNX, PARAMETERS("'lda_coeff':1"),
     "parameter 'lda_coeff' is unknown to onnx.ReverseSequence|batch_axis, "
     "time_axis, binary_data_output, timeout"},
    {ONNX, PARAMETERS("'seq_axis':1"), "'seq_axis' is unknown"},
    {ONNX, PARAMETERS("'Time_axis':1"), "'Time_axis' is unknown"},
    {ONNX, PARAMETERS("'training':true"), "'training' is unknown"},
    {ONNX, PARAMETERS("'backward_context':'x'"), "is unknown"},
    {ONNX, PARAMETERS("'triton_enable_empty_final_response':true"),
     "'triton_enable_empty_final_response' is unknown|timeout"},
    {ONNX, PARAMETERS("'triton_x':null,'triton_y':1"), "'triton_y'"},
    {ONNX, PARAMETERS("'time_axes':1"), "'time_axes' is unknown"},
    {ONNX, PARAMETERS("'tme_axi':1"), "'tme_axi' is unknown"},
    {ONNX, PARAMETERS("'timeouts':1"), "'timeouts' is unknown"},
    {ONNX, PARAMETERS("'binary_dataoutput_':1"), "is unknown"},
    {ONNX, PARAMETERS("'sequence-id':1"), "'sequence-id' is unknown"},
    {ONNX, PARAMETERS("'sequence-start':1"), "'sequence-start' is unknown"},
    {ONNX, PARAMETERS("'sequence-end':1"), "'sequence-end' is unknown"},
    {ONNX, PARAMETERS("'lda coeff':1"), "'lda coeff' is unknown"},
    {ONNX, PARAMETERS("'priority_x':1"), "'priority_x' is unknown"},
    {ONNX, PARAMETERS("'sequence_lens':[2,1]"), "'sequence_lens' is unknown"},
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
    char json[2000];
    char key[1001];

    memset(key, 'k', 1000);
    memcpy(key, "triton_", 7);
    key[1000] = '\0';
    snprintf(json, sizeof(json), "{'parameters':{'%s':1}," INPUTS "}", key);
    assert_answer_refused(ask_json(ONNX, json), 400,
                          "parameter 'triton_kkkkkkkkkkkkk", "' is unknown",
                          "known are batch_axis", "timeout", NULL);
    snprintf(json, sizeof(json), "{'parameters':{'time_axis':'%s'}," INPUTS "}",
             key);
    assert_answer_refused(ask_json(ONNX, json), 400,
                          "time_axis is 'triton_kkkk",
                          "', but it must be an integer", NULL);
    /* Cut inside a character of three bytes: still valid JSON. */
    for (int i = 0; i < 999; i += 3)
        memcpy(key + i, "\xE6\x97\xA5", 3);
    snprintf(json, sizeof(json),
             "{'parameters':{'time_axis':'%.999s'}," INPUTS "}", key);
    assert_answer_refused(ask_json(ONNX, json), 400, "time_axis is '\xE6\x97",
                          "an integer", NULL);
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
    char json[1000];

    snprintf(json, sizeof(json), "{'parameters':{%s}," INPUTS "}", ignored[_i]);
    assert_answer_data(ask_json(ONNX, json), "[3,2,1,4]");
}

/* Parameters of which an answer shows the effect, and a part of it. */
static const struct {
    const char *model, *json, *part;
} effects[] = {
    {GRAIPHIC, PARAMETERS("'name':'n'"), "\"parameters\":{\"name\":\"n\",\""},
    {GRAIPHIC, PARAMETERS("'name':'n','training':false"),
     "\"1\",\"parameters\":{\"name\":\"n\"},\"outputs\""},
    {GRAIPHIC, PARAMETERS("'training?':false"),
     "\"1\",\"outputs\":[{\"name\":\"Y\""},
    {GRAIPHIC, PARAMETERS("'training':true"),
     "{\"backward_context\":\"AQEAAgIC"},
    {GRAIPHIC, PARAMETERS("'specified_outputs_name':'y'"),
     "\"outputs\":[{\"name\":\"y\""},
    {GRAIPHIC, PARAMETERS("'specified_outputs_name':['y']"),
     "\"outputs\":[{\"name\":\"y\""},
    {ONNX, PARAMETERS("'binary_data_output':true"),
     "\"parameters\":{\"binary_data_size\":16}}]}"},
    {ONNX, PARAMETERS("'binary_data_output':false"), "\"data\":[3,2,1,4]"},
    {GRAIPHIC, PARAMETERS("'lda_coeff':2"), "\"data\":[3,2,1,4]"},
    {GRAD, GRAD_PARAMETERS("'lda coeff':2"), "\"data\":[6,4,2,8]"},
    {GRAD, GRAD_PARAMETERS("'lda_coeff':'-.5e1'"), "\"data\":[-15,-10,-5,-20]"},
    {GRAD, GRAD_PARAMETERS("'batch_axis':0,'time_axis':'1'"),
     "\"data\":[2,1,3,4]"},
    {ONNX, PARAMETERS("'batch_axis':0,'time_axis':1"), "\"data\":[2,1,3,4]"},
};

LOOP_TEST(parameter_has_its_effect, COUNT(effects))
{
    struct answer a = ask_json(effects[_i].model, effects[_i].json);

    ck_assert_int_eq(a.status, 200);
    ck_assert_msg(strstr(a.body, effects[_i].part) != NULL, "%s", a.body);
    answer_free(&a);
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
    struct api_request request = {
        .method = "POST", .path = "/v2/models/onnx.ReverseSequence/infer"};
    struct api_reply reply = {0};
    struct api_plan plan;
    char *json = strdup(timeouts[_i].json);

    ask_quote(json);
    request.body = (unsigned char *)json;
    request.body_len = strlen(json);
    ck_assert(api_prepare(&request, &plan, &reply));
    ck_assert_uint_eq(plan.timeout_us, timeouts[_i].us);
    ck_assert_str_eq(api_model_name(plan.model), ONNX);
    api_plan_free(&plan);
    free(json);
}

/* A document's, as it is seen before anything else is read. */
static const struct {
    const char *json;
    uint64_t us;
} early[] = {
    {"", 0},
    {"{", 0},
    {"[]", 0},
    {"{'timeout':7}", 0},
    {"{'parameters':7}", 0},
    {"{'parameters':{'timeout':null}}", 0},
    {"{'parameters':{'timeout':0}}", 0},
    {"{'parameters':{'timeout':1}}", 1},
    {"{'parameters':{'timeout':'0017'}}", 17},
    {"{'parameters':{'timeout':1.5e3},'x':[{},[],'']}", 1500},
    {"{'parameters':{'timeout':9223372036854775807}}", INT64_MAX},
    {"{'parameters':{'timeout':9223372036854775808}}", 0},
    {"{'parameters':{'timeout':'9223372036854775808'}}", 0},
    {"{'parameters':{'timeout':-1}}", 0},
    {"{'parameters':{'timeout':'-1'}}", 0},
    {"{'parameters':{'timeout':1.5}}", 0},
    {"{'parameters':{'timeout':true}}", 0},
    {"{'parameters':{'timeout':[7]}}", 0},
    {"{'parameters':{'timeout':7}", 0},
};

LOOP_TEST(timeout_is_seen_before_the_rest_is_read, COUNT(early))
{
    char *json = strdup(early[_i].json);
    size_t len = strlen(json), before;

    ask_quote(json);
    before = heap_in_use();
    ck_assert_uint_eq(request_parameters_timeout(json, len), early[_i].us);
    ck_assert(!heap_is_exact() || heap_in_use() <= before);
    free(json);
}

/* Keys in a URL, where none is the client's own; the data is [1, 2, 3]. */
static const struct {
    const char *query;
    int status;
    const char *part;
} queries[] = {
    {"sequence_lens=3", 200, "\3\2\1"},
    {"sequence_lens=3&priority=1&sequence_id=7&sequence_end=1&timeout=0", 200,
     "\3\2\1"},
    {"sequence_lens=3&priorities=1", 400,
     "parameter 'priorities' is unknown to onnx.ReverseSequence; known are "
     "batch_axis, time_axis, binary_data_output, timeout"},
    {"sequence_lens=3&headers=1", 400, "parameter 'headers' is unknown"},
};

LOOP_TEST(parameter_in_a_query_is_never_the_clients_own, COUNT(queries))
{
    static const char file[] =
        "\x93NUMPY\1\0\x3A\0{'descr': '|u1', 'fortran_order': False, "
        "'shape': (3, 1)}\n\1\2\3";
    struct answer a = ask(&(struct ask){.path = "/v2/models/" ONNX "/infer",
                                        .query = queries[_i].query,
                                        .content_type = "application/x-npy",
                                        .accept = "application/x-npy",
                                        .json = file,
                                        .json_len = sizeof(file) - 1});
    size_t len = strlen(queries[_i].part);

    ck_assert_msg(a.status == queries[_i].status, "%s", a.body);
    if (a.status == 200)
        ck_assert_mem_eq(a.body + a.len - len, queries[_i].part, len);
    else
        ck_assert_msg(strstr(a.body, queries[_i].part) != NULL, "%s", a.body);
    answer_free(&a);
}
