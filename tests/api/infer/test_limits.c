/* Documents that are deep, long, or declare more than they contain. */
#include "tests/api/documents.h"
#include "tests/unit.h"

/* Asks a document of `count` times `piece` between two texts. */
static struct answer ask_many(const char *before, const char *piece,
                              size_t count, const char *behind)
{
    size_t len = strlen(piece);
    size_t start = strlen(before);
    char *json = malloc(start + count * len + strlen(behind) + 1);
    struct answer a;

    strcpy(json, before);
    for (size_t i = 0; i < count; i++)
        memcpy(json + start + i * len, piece, len);
    strcpy(json + start + count * len, behind);
    a = ask_json(ONNX, json);
    free(json);
    return a;
}

/* A member whose value is `depth` levels deep inside the document's one. */
static struct answer ask_depth(int depth, const char *open, const char *close)
{
    size_t len = strlen(open) + strlen(close);
    char *text = malloc((size_t)depth * len + 32);
    char *at = stpcpy(text, "{'x':");
    struct answer a;

    for (int i = 0; i < depth; i++)
        at = stpcpy(at, open);
    at = stpcpy(at, "1");
    for (int i = 0; i < depth; i++)
        at = stpcpy(at, close);
    a = ask_many(text, "", 0, "," INPUTS "}");
    free(text);
    return a;
}

UNIT_TEST(document_may_be_a_hundred_levels_deep)
{
    assert_answer_data(ask_depth(99, "[", "]"), RESULT);
    assert_answer_data(ask_depth(99, "{'a':", "}"), RESULT);
}

LOOP_TEST(document_past_a_hundred_levels_is_refused_with_the_limit, 2)
{
    int depth = _i ? 250000 : 100;

    assert_answer_refused(ask_depth(depth, "[", "]"), 400, "more than 100 deep",
                          "at byte 104", NULL);
    assert_answer_refused(ask_depth(depth, "{'a':", "}"), 400,
                          "more than 100 deep", NULL);
}

UNIT_TEST(document_of_open_brackets_alone_is_refused)
{
    assert_answer_refused(ask_many("{'x':", "[", 4000000, ""), 400,
                          "more than 100 deep", NULL);
    assert_answer_refused(ask_many("", "[", 4000000, ""), 400, "an array",
                          NULL);
    assert_answer_refused(ask_many("{'inputs':[{'data':", "[", 4000000, ""),
                          400, "malformed JSON at byte", "not closed", NULL);
}

UNIT_TEST(document_of_megabytes_beside_its_data_is_413)
{
    assert_answer_refused(
        ask_many("{'id':'", "0123456789", 500000, "'," INPUTS "}"), 413,
        "more than 4194304 bytes", NULL);
    assert_answer_data(
        ask_many("{'id':'", "0123456789", 400000, "'," INPUTS "}"), RESULT);
}

/* The byte that an error names, from a document whose data array has `count`
 * numbers in front of the fault. */
static long fault_at(size_t count)
{
    struct answer a =
        ask_many("{'inputs':[{'data':[0", ",1", count, "]}],'x':!}");
    const char *at = strstr(a.body, "malformed JSON at byte ");
    long byte;

    ck_assert_msg(a.status == 400 && at, "%s", a.body);
    byte = strtol(at + strlen("malformed JSON at byte "), NULL, 10);
    answer_free(&a);
    return byte;
}

UNIT_TEST(error_after_a_data_array_has_the_documents_offset)
{
    long first = fault_at(0);
    long last = (long)strlen("{'inputs':[{'data':[0]}],'x':!}");

    ck_assert_int_ge(first, last - 3);
    ck_assert_int_le(first, last);
    for (size_t count = 1; count < 100000; count = count * 3 + 1)
        ck_assert_int_eq(fault_at(count), first + 2 * (long)count);
}

/* A claim of 10^15 elements in `form` by a body that has none of them. */
static const struct {
    const char *datatype, *form;
    const char *part;
} claims[] = {
    {"FP32", "'data':[1,2,3]", "1000000000000000"},
    {"UINT1", "'data':[]", "1000000000000000"},
    {"BYTES", "'data':['']", "1000000000000000"},
    {"COMPLEX128", "'data':[[1,2]]", "1000000000000000"},
    {"FP32", "'parameters':{'binary_data_size':4000000000000000}",
     "4000000000000000"},
    {"UINT1", "'parameters':{'binary_data_size':125000000000000}",
     "125000000000000"},
    {"UINT1", "'parameters':{'binary_data_size':0}", "125000000000000"},
    {"BYTES", "'parameters':{'binary_data_size':0}", "data[0] of 'data'"},
};

LOOP_TEST(claim_of_petabytes_is_refused_with_small_memory, COUNT(claims))
{
    struct api_request request;
    struct api_reply reply = {0};
    struct api_plan plan;
    char json[512], header[16];

    snprintf(
        json, sizeof(json),
        "{'parameters':{'mode':'index'},'inputs':[{'name':'data','datatype':"
        "'%s','shape':[1000000000000000],%s}," INPUT("axis", "INT8", "[0]",
                                                     "[]") "]}",
        claims[_i].datatype, claims[_i].form);
    request = ask_post("/v2/models/openvino.Reverse/infer", json);
    snprintf(header, sizeof(header), "%zu", strlen(json));
    request.inference_header = header;
    if (api_prepare(&request, &plan, &reply)) {
        ck_assert_uint_lt(plan.memory, 10000);
        ck_assert_uint_lt(plan.heap_bytes, 10000);
    }
    api_plan_free(&plan);
    api_reply_free(&reply);
    assert_answer_refused(ask_header(REVERSE, header, json, NULL, 0), 400,
                          claims[_i].part, NULL);
}
