/* Documents that are read while they arrive. */
#include "api/lex/simd.h"
#include "api/wire/wire.h"
#include "tests/api/ask.h"
#include "tests/api/lex/simd_tables.h"
#include "tests/edge.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

enum { ROWS = 100, NUMBERS = 3 * ROWS };

#define SHAPE "'name':'input','shape':[100,3]"
#define FP32 "'datatype':'FP32'"
#define LENS                                                                   \
    "{'name':'sequence_lens','datatype':'INT64','shape':[3],'data':[100,2,3]}"

/* A form, where % stands for the numbers with `between` between them, and ' for
 * ". */
static char *print(const char *form, const char *between)
{
    size_t len;
    char *text;
    FILE *out = open_memstream(&text, &len);

    ck_assert_ptr_nonnull(out);
    for (; *form; form++) {
        if (*form != '%') {
            fputc(*form, out);
            continue;
        }
        for (int i = 0; i < NUMBERS; i++)
            fprintf(out, "%s%d", i > 0 ? between : "", i * 7919 % 10007);
    }
    fclose(out);
    ask_quote(text);
    return text;
}

/* The first `len` bytes have arrived, and no other may be read. */
static void read_first(struct early_read *early, const char *text, size_t len)
{
    unsigned char *part = edge_new(len);

    memcpy(part, text, len);
    api_early_read(early, part, len);
    edge_free(part, len);
}

/* Returns the validated part. */
static struct validated_part arrive(const char *text, size_t from, size_t step)
{
    struct early_read early = {.done = false};
    size_t len = strlen(text), capacity = api_early_capacity(&early, len);
    unsigned char *memory = edge_new(capacity);

    api_early_lend(&early, memory, capacity);
    for (size_t now = from; now < len; now += step)
        read_first(&early, text, now);
    edge_free(memory, capacity);
    return early.validated.part;
}

static const struct {
    const char *form;
    bool validated; /* its array, nearly to the end */
} forms[] = {
    {"{'inputs':[{" FP32 "," SHAPE ",'data':[%]}," LENS "]}", true},
    {"{'inputs':[" LENS ",{" SHAPE "," FP32 ",'data' : [ %]}]}", true},
    {"{'inputs':[{" SHAPE ",'datatype':'INT32','data':[%]}," LENS "]}", true},
    {"{'id':'{[\\'data\\':[','inputs':[{" FP32 "," SHAPE
     ",'data':[\n%\n]}," LENS "]}",
     true},
    {"\xEF\xBB\xBF{'inputs':[{" FP32 "," SHAPE ",'data':[%]}," LENS "]}", true},
    /* The last datatype counts, and it comes too late. */
    {"{'inputs':[{" SHAPE ",'datatype':'INT8','data':[%]," FP32 "}," LENS "]}",
     false},
    /* The datatype comes too late, belongs to another input, or is none. */
    {"{'inputs':[{" SHAPE ",'data':[%]," FP32 "}," LENS "]}", false},
    {"{'inputs':[" LENS ",{" SHAPE ",'data':[%]," FP32 "}]}", false},
    {"{'inputs':[{" SHAPE ",'datatype':'FP31','data':[%]}," LENS "]}", false},
    {"{'inputs':[{" SHAPE ",'datatype':'BYTES','data':[%]}," LENS "]}", false},
    /* Nested lists and faults are left for later. */
    {"{'inputs':[{" FP32 "," SHAPE ",'data':[[%]]}," LENS "]}", false},
    {"{'inputs':[{" FP32 "," SHAPE ",'data':[,%]}," LENS "]}", false},
    {"[{'inputs':[{" FP32 "," SHAPE ",'data':[%]}," LENS "]}]", false},
    {"{'outputs':[{" FP32 "," SHAPE ",'data':[%]}," LENS "]}", false},
};

static const struct {
    size_t from, step;
} steps[] = {{1200, 1}, {250, 300}, {150, 150}, {900, 64}, {1300, 63}, {9, 9}};

/* What is read on the way to the array has no memory reserved for it. */
UNIT_TEST(early_read_takes_little_memory)
{
    static char text[200000];

    for (int len = 10000; len <= 100000; len += 90000) {
        int start = sprintf(
            text, "{'id':'%0*d','inputs':[{" FP32 "," SHAPE ",'data':", len, 0);
        int whole = start + sprintf(text + start, "[%0600d", 1);

        for (int i = 2; i < 600; i += 2)
            text[start + i] = ',';
        ask_quote(text);
        ck_assert_uint_eq(arrive(text, (size_t)whole - 300, 100).start,
                          len > API_HEAP_FREE ? 0 : (size_t)start);
    }
}

LOOP_TEST(early_read_reaches_the_last_numbers, COUNT(forms))
{
    static const char *const between[] = {",", ", ", ",\r\n\t "};
    const char *form = forms[_i].form;

    simd_tables_select(&json_simd_portable);
    for (int i = 0; i < COUNT(between); i++)
        for (int k = 0; k < COUNT(steps); k++) {
            char *text = print(form, between[i]);
            size_t last = (size_t)(strrchr(form, '%') + 1 - form) +
                          strlen(text) - strlen(form);
            struct validated_part part =
                arrive(text, steps[k].from, steps[k].step);
            size_t start = part.start, end = part.validated_end;

            ck_assert_uint_lt(end, strlen(text));
            if (forms[_i].validated) {
                const char *data = strstr(text, "\"shape\":[100,3]");

                data = strchr(strstr(data, "\"data\""), '[');
                ck_assert_uint_eq(start, (size_t)(data - text));
                ck_assert_uint_lt(end, last);
                ck_assert_uint_gt(end + 512, last);
                ck_assert(text[end - 1] == between[i][0] ||
                          strchr("[ \n", text[end - 1]));
            } else if (start > 0) {
                ck_assert_uint_le(end, start + 64);
            }
            free(text);
        }
}

/* ask() compares the answers with and without early reading. */
LOOP_TEST(early_read_changes_no_answer, COUNT(forms))
{
    static const char *const between[] = {",", " ,", ",,", ",+", ",0", "],["};

    for (int i = 0; i < COUNT(between); i++) {
        char *text = print(forms[_i].form, between[i]);
        struct answer answer;

        simd_tables_select(&json_simd_portable);
        answer = ask(&(struct ask){
            .path = "/v2/models/onnx.ReverseSequence/infer", .json = text});
        if (forms[_i].validated && i == 0)
            ck_assert_int_eq(answer.status, 200);
        if (strcmp(between[i], ",,") == 0)
            ck_assert_int_eq(answer.status, 400);
        answer_free(&answer);
        free(text);
    }
}

/* Documents in which no data array is open: in a long id, never; behind much
 * white space, too late. */
LOOP_TEST(early_read_searches_4_mib_at_most, 2)
{
    enum { LEN = 9 << 20, SPACE = 3 << 20, STEP = 64 << 10 };
    char head[] = "{'id':'','inputs':[{" FP32 "," SHAPE ",'data':[";
    unsigned char *body = malloc(LEN);
    struct early_read early = {.done = false};

    ck_assert_ptr_nonnull(body);
    ask_quote(head);
    memset(body, _i == 0 ? 'x' : ' ', LEN);
    if (_i == 0) {
        memcpy(body, head, strlen("{'id':'"));
    } else {
        memcpy(body + SPACE, head, sizeof(head) - 1);
        memset(body + SPACE + sizeof(head) - 1, '1', 1);
    }
    for (size_t len = STEP; len <= LEN; len += STEP) {
        api_early_read(&early, body, len);
        ck_assert_uint_lt(early.searched, 2 * len);
        ck_assert(early.done || early.searched <= 4 << 20);
    }
    ck_assert(early.done);
    ck_assert_uint_eq(early.validated.part.start, 0);
    free(body);
}

/* Reading starts with the first number, and ends at a fault. The index has a
 * bit for each byte, in whole words. */
UNIT_TEST(early_read_lasts_from_the_first_number_to_a_fault)
{
    char *text = print(forms[0].form, ",");
    size_t first = (size_t)(strstr(text, "\"data\":[") - text) + 8;
    size_t before = heap_in_use();
    struct early_read *early = api_early_new();
    uint64_t memory[100] = {[1] = 0x5A5A};

    ck_assert_ptr_nonnull(early);
    ck_assert_uint_eq(api_early_capacity(early, 6400 + 63), 800);
    api_early_lend(early, memory, 8 + 7);
    read_first(early, text, first);
    ck_assert_uint_eq(early->validated.part.start, 0);
    read_first(early, text, first + 1);
    ck_assert_uint_eq(early->validated.part.start, first - 1);
    ck_assert_uint_eq(early->validated.part.validated_end, first);
    ck_assert_int_eq(early->validated.dtype, DTYPE_FP32);
    ck_assert_ptr_eq(early->validated.commas, &early->commas);
    read_first(early, text, first + 129);
    ck_assert_uint_le(early->validated.part.validated_end, first + 64);
    ck_assert_uint_gt(early->validated.part.validated_end, first);
    ck_assert_uint_eq(memory[1], 0x5A5A);
    api_early_lend(early, memory, sizeof(memory));
    read_first(early, text, first + 129);
    ck_assert_uint_gt(early->validated.part.validated_end, first + 64);
    ck_assert_uint_gt(api_early_capacity(early, 6400), 0);
    text[first + 200] = 'x';
    read_first(early, text, first + 600);
    ck_assert_uint_le(early->validated.part.validated_end, first + 200);
    ck_assert_uint_eq(api_early_capacity(early, 6400), 0);
    api_early_free(early);
    ck_assert(!heap_is_exact() || heap_in_use() == before);
    free(text);
}

/* What was validated is not scanned again: a bracket there, which came later,
 * does not end the array. */
UNIT_TEST(early_read_spares_a_second_scan)
{
    char *text = print(forms[0].form, ",");
    struct api_request request =
        ask_post("/v2/models/onnx.ReverseSequence/infer", text);
    struct early_read *early = api_early_new();
    struct api_plan plan;
    struct api_reply reply = {0};
    uint64_t memory[100];

    ck_assert_ptr_nonnull(early);
    request.early = early;
    api_early_lend(early, memory, sizeof(memory));
    api_early_read(early, request.body, request.body_len - 200);
    ck_assert_uint_gt(early->validated.part.validated_end, 1000);
    text[early->validated.part.validated_end - 300] = ']';
    ck_assert(api_prepare(&request, &plan, &reply));
    api_plan_free(&plan);
    api_early_free(early);
    free(text);
}

/* A part that was validated past the end of the document is of no use. */
UNIT_TEST(early_read_goes_past_the_document)
{
    char *text = print(forms[0].form, ","), header[32], right[80];
    size_t len = strlen(text);

    snprintf(right, sizeof(right), "but the JSON document has %zu bytes", len);
    for (size_t end = 100; end <= len; end += len - end < 50 ? 1 : 50) {
        struct answer a;

        snprintf(header, sizeof(header), "%zu", end);
        a = ask(&(struct ask){.path = "/v2/models/onnx.ReverseSequence/infer",
                              .json = text,
                              .header = header});
        ck_assert_msg(a.status == (end == len ? 200 : 400), "%s", a.body);
        ck_assert(end == len || strstr(a.body, right));
        answer_free(&a);
    }
    free(text);
}
