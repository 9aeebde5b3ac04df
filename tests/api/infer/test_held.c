/* What a plan says that it holds, against what it took from the heap. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "tests/api/documents.h"
#include "tests/api/infer/heap.h"
#include "tests/count.h"
#include "tests/suite.h"

/* What a thread keeps from request to request is no plan's. */
static void make_cache(void)
{
    unsigned char json[] =
        "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"INT8\","
        "\"shape\":[0,0],\"data\":[]},{\"name\":\"sequence_lens\","
        "\"datatype\":\"INT64\",\"shape\":[0],\"data\":[]}]}";
    struct api_request request = {.method = "POST",
                                  .path = "/v2/models/onnx.ReverseSequence/"
                                          "infer",
                                  .body = json,
                                  .body_len = sizeof(json) - 1};
    struct api_reply reply;

    api_answer(&request, &reply);
    api_reply_free(&reply);
}

/* One that has many lengths or a large document beside its data. */
static void check_held(const char *path, char *json)
{
    struct api_request request = {.method = "POST", .path = path};
    struct api_reply reply;
    struct api_plan plan;

    request.body = (unsigned char *)json;
    request.body_len = strlen(json);
    for (char *at = json; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    make_cache();
    heap_on(-1);
    ck_assert(api_prepare(&request, &plan, &reply));
    heap_off();
    ck_assert_msg(heap.live <= plan.held + 4096,
                  "%zu bytes are held, %zu announced", heap.live, plan.held);
    ck_assert_msg(plan.held <= heap.live + 4096,
                  "%zu bytes are announced, %zu held", plan.held, heap.live);
    api_plan_free(&plan);
}

static char *many(const char *before, const char *piece, size_t count,
                  const char *behind)
{
    size_t len;
    char *text;
    FILE *out = open_memstream(&text, &len);

    fputs(before, out);
    for (size_t i = 0; i < count; i++)
        fputs(piece, out);
    fputs(behind, out);
    fclose(out);
    return text;
}

static const struct {
    const char *path, *before, *piece, *behind;
    size_t count;
} holders[] = {
    {"/v2/models/onnx.ReverseSequence/infer", DOCUMENT(""), "", "", 0},
    {"/v2/models/openvino.ReverseSequence/infer",
     "{'inputs':[" BYTES_INPUT("data", "INT8", "[100000,0]",
                               "0") ",{'name':'seq_lengths','datatype':'INT64',"
                                    "'shape':[100000],'data':[0",
     ",0", "]}]}", 99999},
    {"/v2/models/openvino.ReverseSequence/infer",
     "{'inputs':[{'name':'data','datatype':'INT8','shape':[1,100000],'data':[1",
     ",1",
     "]},{'name':'seq_lengths','datatype':'FP64','shape':[1],'data':[3]}]}",
     99999},
    {"/v2/models/graiphic.ReverseSequence/infer",
     "{'inputs':[" BYTES_INPUT("input", "INT8", "[0,100000]",
                               "0") ",{'name':'sequence_lens','datatype':"
                                    "'INT64','shape':[100000],'data':[0",
     ",0", "]}]}", 99999},
    {"/v2/models/onnx.ReverseSequence/infer", "{'x':[1", ",1", "]," INPUTS "}",
     19000},
    {"/v2/models/onnx.ReverseSequence/infer", "{'x':[{}", ",{'a':[]}",
     "]," INPUTS "}", 9000},
    {"/v2/models/onnx.ReverseSequence/infer", "{'id':'", "0123456789",
     "'," INPUTS "}", 400000},
};

START_TEST(plan_tells_what_it_holds)
{
    char *json = many(holders[_i].before, holders[_i].piece, holders[_i].count,
                      holders[_i].behind);

    check_held(holders[_i].path, json);
    free(json);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("held");
    TCase *tc = tcase_create("held");

    tcase_add_loop_test(tc, plan_tells_what_it_holds, 0, COUNT(holders));
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_run(suite);
}
