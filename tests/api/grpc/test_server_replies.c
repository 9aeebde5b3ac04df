/* Replies of the routes that only the server answers, as messages. */
#include "tests/api/grpc/call.h"
#include "tests/unit.h"

#define DURATION(name, count) "\"" name "\":{\"count\":" count ",\"ns\":300},"
#define DURATIONS                                                              \
    DURATION("success", "1")                                                   \
    DURATION("fail", "2")                                                      \
    DURATION("queue", "3")                                                     \
    DURATION("compute_input", "4")                                             \
    DURATION("compute_infer", "5")                                             \
    DURATION("compute_output", "6")                                            \
    DURATION("cache_hit", "7")

/* The JSON that the route answers with status 200. */
static const struct {
    const char *method, *json, *answer;
} cases[] = {
    /* a text, a flag of either value, a number */
    {"LogSettings",
     "{\"log_file\":\"\",\"log_info\":true,\"log_error\":false,"
     "\"log_verbose_level\":7,\"log_format\":\"text\"}",
     "0 {1={1='log_file' 2={3=''}} 1={1='log_info' 2={1=1}} 1={1='log_error' "
     "2={1=0}} 1={1='log_verbose_level' 2={2=7}} 1={1='log_format' "
     "2={3='text'}}}"},
    {"SystemSharedMemoryStatus",
     "[{\"name\":\"r\",\"key\":\"/k\",\"offset\":5,\"byte_size\":128},"
     "{\"name\":\"s\",\"key\":\"/l\",\"offset\":0,\"byte_size\":300}]",
     "0 {1={1='r' 2={1='r' 2='/k' 3=5 4=128}} "
     "1={1='s' 2={1='s' 2='/l' 3=0 4=300}}}"},
    {"SystemSharedMemoryStatus", "[]", "0 {}"},
    {"SystemSharedMemoryUnregister", "{}", "0 {}"},
    {"CudaSharedMemoryStatus", "[]", "0 {}"},
    {"ModelStatistics",
     "{\"model_stats\":[{\"name\":\"m\",\"version\":\"1\","
     "\"last_inference\":1770091506789,\"inference_count\":4,"
     "\"execution_count\":5,\"inference_stats\":{" DURATIONS
     "\"cache_miss\":{\"count\":8,\"ns\":300}},\"response_stats\":{},"
     "\"batch_stats\":[],\"memory_usage\":[]}]}",
     "0 {1={1='m' 2='1' 3=1770091506789 4=4 5=5 6={1={1=1 2=300} 2={1=2 "
     "2=300} 3={1=3 2=300} 4={1=4 2=300} 5={1=5 2=300} 6={1=6 2=300} 7={1=7 "
     "2=300} 8={1=8 2=300}}}}"},
    {"ModelStatistics", "{\"model_stats\":[]}", "0 {}"},
    {"ModelStatistics", "{", "14 out of memory"},
    /* what has another type than the message is 0, or left out */
    {"SystemSharedMemoryStatus", "[{\"key\":\"/k\"},{\"name\":7}]", "0 {}"},
    {"ModelStatistics",
     "{\"model_stats\":[{\"name\":7,\"inference_count\":\"x\"}]}",
     "0 {1={4=0}}"},
    {"ModelConfig",
     "{\"name\":\"m\",\"input\":[{\"data_type\":\"TYPE_FP32\"},"
     "{\"data_type\":\"TYPE_NONE\"},{\"data_type\":7}]}",
     "0 {1={1='m' 5={2=11} 5={2=0} 5={2=0}}}"},
};

/* What most methods ask for is the text in their first field. */
static void check(const char *method, int status, const char *json,
                  const char *error, const char *answer)
{
    const char *hex = strcmp(method, "LogSettings") == 0 ? "" : "0a016d";
    char path[80] = "/inference.GRPCInferenceService/";
    char *text = call_answer(strcat(path, method), hex, status, json, error);

    ck_assert_str_eq(text, answer);
    free(text);
}

LOOP_TEST(a_reply_of_the_server_is_a_message, COUNT(cases))
{
    check(cases[_i].method, 200, cases[_i].json, NULL, cases[_i].answer);
}

/* Not ready is an answer, and an error of the same status is none. */
static const struct {
    const char *method;
    int status;
    const char *json, *error, *answer;
} others[] = {
    {"LogSettings", 403, "", "not here", "7 not here"},
    {"ModelStatistics", 404, "", "no \"m\"", "5 no \"m\""},
    {"ModelStatistics", 503, "", "again", "14 again"},
    {"ModelStatistics", 503, "{}", NULL, "14 "},
    {"ServerReady", 503, "{\"ready\":false}", NULL, "0 {1=0}"},
    {"ServerReady", 503, "", "again", "14 again"},
    {"ServerReady", 500, "{\"ready\":false}", NULL, "13 "},
    {"ModelReady", 500, "", "broken", "13 broken"},
    {"ServerLive", 503, "{\"live\":false}", NULL, "14 "},
    {"ModelReady", 404, "", "no model", "0 {}"},
    {"ModelReady", 503, "", "again", "14 again"},
    {"ModelReady", 503, "{\"name\":\"m\",\"ready\":false}", NULL, "0 {1=0}"},
};

LOOP_TEST(another_status_is_an_answer_or_a_refusal, COUNT(others))
{
    check(others[_i].method, others[_i].status, others[_i].json,
          others[_i].error, others[_i].answer);
}
