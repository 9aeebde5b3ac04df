/* The scratch memory in a plan, and moves that use it. */
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
    struct api_request request;
    struct api_plan plan;
    struct api_reply reply;

    sprintf(body,
            "{'inputs':[" BYTES_INPUT("input", "FP32", "[%zu,4,%zu]",
                                      "%zu") "," INPUT("sequence_lens", "INT64",
                                                       "[4]",
                                                       "[%zu,1,1,1]") "]%s}",
            rows, width, bytes, rows, scratches[_i].axes);
    request = ask_post("/v2/models/" ONNX "/infer", body);
    request.inference_header = header;
    sprintf(header, "%zu", request.body_len);
    request.body_len += bytes;
    ck_assert(api_prepare(&request, &plan, &reply));
    ck_assert_uint_eq(plan.scratch_bytes, scratches[_i].bytes);
    api_plan_free(&plan);
    free(body);
}

/* Four columns of FP32 of which the first is reversed. */
static const struct form {
    const char *model, *data, *parameters;
    bool from_text, to_text;
    float coefficient;
} forms[] = {
    {ONNX, "input", "'binary_data_output':true", false, false, 1},
    {ONNX, "input", "'binary_data_output':true", true, false, 1},
    {ONNX, "input", "'binary_data_output':false", false, true, 1},
    {ONNX, "input", "'binary_data_output':false", true, true, 1},
    {GRAD, "dY", "'lda_coeff':3", false, true, 3},
    {GRAD, "dY", "'lda_coeff':3", true, true, 3},
};

enum { ROWS = 4097, VALUES = 4 * ROWS };

static void print_values(FILE *out, const struct form *form, bool moved)
{
    for (int i = 0; i < VALUES; i++) {
        int from = moved && i % 4 == 0 ? VALUES - 4 - i : i;
        float value = (float)from * (moved ? form->coefficient : 1);

        if (moved ? form->to_text : form->from_text)
            fprintf(out, "%s%.0f", i > 0 ? "," : "", (double)value);
        else
            fwrite(&value, sizeof(value), 1, out);
    }
}

/* The body of a request with an id of so many letters; *json_len bytes of it
 * are its document. */
static char *print_body(const struct form *form, int letters, size_t *json_len,
                        size_t *len)
{
    char *body;
    FILE *out = open_memstream(&body, len);

    fprintf(out,
            "{'id':'%.*s','parameters':{%s},'inputs':[{'name':'sequence_lens',"
            "'datatype':'INT64','shape':[4],'data':[%d,0,1,1]},{'name':'%s',"
            "'datatype':'FP32','shape':[%d,4],",
            letters, "abcdefghijk", form->parameters, ROWS, form->data, ROWS);
    if (form->from_text) {
        fputs("'data':[", out);
        print_values(out, form, false);
        fputs("]}]}", out);
    } else {
        fprintf(out, "'parameters':{'binary_data_size':%d}}]}", 4 * VALUES);
    }
    fflush(out);
    ask_quote(body);
    *json_len = *len;
    if (!form->from_text)
        print_values(out, form, false);
    fclose(out);
    return body;
}

/* Executes in memory that ends where the plan says, and compares. */
static void check_execution(const struct form *form, struct api_plan *plan)
{
    enum { BEHIND = 64 };
    size_t size = (plan->memory + BEHIND + 63) / 64 * 64, len;
    unsigned char *buffer = aligned_alloc(64, size);
    char *wanted;
    FILE *out = open_memstream(&wanted, &len);
    struct api_reply reply;
    const struct api_piece *last;

    print_values(out, form, true);
    fputs(form->to_text ? "]}]}" : "", out);
    fclose(out);
    memset(buffer, 0x5A, size);
    api_execute(plan, buffer, NULL, &reply);
    ck_assert_int_eq(reply.status, 200);
    last = &reply.pieces[reply.piece_count - 1];
    ck_assert_uint_ge(last->len, len);
    ck_assert_mem_eq((const char *)last->data + last->len - len, wanted, len);
    for (size_t i = plan->memory; i < size; i++)
        if (buffer[i] != 0x5A)
            ck_abort_msg("byte %zu of %zu was written", i, plan->memory);
    api_reply_free(&reply);
    free(buffer);
    free(wanted);
}

/* An id moves the parts of the buffer, the last of which are aligned. */
LOOP_TEST(scratch_memory_overlaps_no_other_part, COUNT(forms))
{
    const struct form *form = &forms[_i];
    char path[64];

    snprintf(path, sizeof(path), "/v2/models/%s/infer", form->model);
    for (int letters = 0; letters <= 11; letters++) {
        size_t json_len, len;
        char *body = print_body(form, letters, &json_len, &len), header[24];
        struct api_request request = {.method = "POST",
                                      .path = path,
                                      .inference_header = header,
                                      .body = (unsigned char *)body,
                                      .body_len = len};
        struct api_plan plan;
        struct api_reply reply;

        snprintf(header, sizeof(header), "%zu", json_len);
        ck_assert(api_prepare(&request, &plan, &reply));
        ck_assert_uint_gt(plan.scratch_bytes, 0);
        check_execution(form, &plan);
        api_plan_free(&plan);
        free(body);
    }
}
