/* The scratch memory in a plan. */
#include <stdio.h>
#include <stdlib.h>

#include "api/api.h"
#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

/* Rows of four columns, of which one is reversed as a whole: in scratch memory
 * each has an odd number of cache lines, and one more aligns them. Too few rows
 * for a panel, entries of more than 16 bytes and sequences that are rows need
 * none. */
static const struct {
    size_t rows, width; /* FP32 elements in an entry */
    const char *axes;
    size_t bytes;
} scratches[] = {
    {2, 1, "", 0},
    {4096, 1, "", 4 * (16384 + 64) + 64},
    {4097, 1, "", 4 * 16448 + 64},
    {250000, 1, "", 4 * 1000000 + 64},
    {40000, 5, "", 0},
    {4, 40000, ",'parameters':{'time_axis':1,'batch_axis':0}", 0},
};

LOOP_TEST(scratch_memory_is_what_the_columns_need, COUNT(scratches))
{
    size_t rows = scratches[_i].rows, width = scratches[_i].width;
    size_t bytes = 16 * rows * width;
    char header[24], *body = calloc(1, 512 + bytes);
    struct api_request request = {.method = "POST",
                                  .path = "/v2/models/" ONNX "/infer",
                                  .inference_header = header,
                                  .body = (unsigned char *)body};
    struct api_plan plan;
    struct api_reply reply;
    int len = sprintf(body,
                      "{'inputs':[{'name':'input','datatype':'FP32','shape':"
                      "[%zu,4,%zu],'parameters':{'binary_data_size':%zu}},"
                      "{'name':'sequence_lens','datatype':'INT64','shape':[4],"
                      "'data':[%zu,1,1,1]}]%s}",
                      rows, width, bytes, rows, scratches[_i].axes);

    ask_quote(body);
    sprintf(header, "%d", len);
    request.body_len = (size_t)len + bytes;
    ck_assert(api_prepare(&request, &plan, &reply));
    ck_assert_uint_eq(plan.scratch_bytes, scratches[_i].bytes);
    api_plan_free(&plan);
    free(body);
}
