/* The scratch memory that a plan announces. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/api.h"
#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/count.h"
#include "tests/suite.h"

/* Rows of two columns with unequal lengths: their scratch memory is much from
 * 32 KiB of data on, and 8 MiB at most. Entries of more than 16 bytes need
 * none, as little as sequences that are rows. */
static const struct {
    size_t rows, width; /* FP32 elements in an entry */
    const char *axes;
    size_t bytes;
} scratches[] = {
    {2, 1, "", 0},
    {4096, 1, "", 0},
    {4097, 1, "", 131104},
    {262143, 1, "", 8388576},
    {300000, 1, "", 8388608},
    {40000, 4, "", 5120000},
    {40000, 5, "", 0},
    {2, 40000, ",'parameters':{'time_axis':1,'batch_axis':0}", 0},
};

START_TEST(scratch_memory_is_announced_where_it_is_much)
{
    size_t rows = scratches[_i].rows, width = scratches[_i].width;
    size_t bytes = 8 * rows * width;
    char header[24], *body = calloc(1, 512 + bytes);
    struct api_request request = {.method = "POST",
                                  .path = "/v2/models/" ONNX "/infer",
                                  .inference_header = header,
                                  .body = (unsigned char *)body};
    struct api_plan plan;
    struct api_reply reply;
    int len = sprintf(body,
                      "{'inputs':[{'name':'input','datatype':'FP32','shape':"
                      "[%zu,2,%zu],'parameters':{'binary_data_size':%zu}},"
                      "{'name':'sequence_lens','datatype':'INT64','shape':[2],"
                      "'data':[2,1]}]%s}",
                      rows, width, bytes, scratches[_i].axes);

    ask_quote(body);
    sprintf(header, "%d", len);
    request.body_len = (size_t)len + bytes;
    ck_assert(api_prepare(&request, &plan, &reply));
    ck_assert_uint_eq(plan.scratch_bytes, scratches[_i].bytes);
    api_plan_free(&plan);
    free(body);
}
END_TEST

SUITE("scratch",
      LOOP(scratch_memory_is_announced_where_it_is_much, COUNT(scratches)))
