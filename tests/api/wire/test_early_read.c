/* Documents that are read while they arrive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/lex/simd.h"
#include "api/wire/wire.h"
#include "tests/api/ask.h"
#include "tests/api/lex/simd_tables.h"
#include "tests/unit.h"

enum { ROWS = 100, NUMBERS = 3 * ROWS };

#define SHAPE "\"name\":\"input\",\"shape\":[100,3]"
#define FP32 "\"datatype\":\"FP32\""
#define LENS                                                                   \
    "{\"name\":\"sequence_lens\",\"datatype\":\"INT64\",\"shape\":[3],"        \
    "\"data\":[100,2,3]}"

/* A form, where % stands for the numbers with `between` between them. */
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
    return text;
}

/* Returns the validated part. */
static struct validated_part arrive(const char *text, size_t from, size_t step)
{
    struct early_read early = {.done = false};
    size_t len = strlen(text), capacity = api_early_capacity(&early, len);
    unsigned char *memory = malloc(capacity);

    ck_assert_ptr_nonnull(memory);
    api_early_lend(&early, memory, capacity);
    for (size_t now = from; now < len; now += step) {
        unsigned char *part = malloc(now + 1);

        ck_assert_ptr_nonnull(part);
        memcpy(part, text, now);
        api_early_read(&early, part, now);
        free(part);
    }
    free(memory);
    return early.validated.part;
}

static const struct {
    const char *form;
    bool validated; /* its array, nearly to the end */
} forms[] = {
    {"{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[%]}," LENS "]}", true},
    {"{\"inputs\":[" LENS ",{" SHAPE "," FP32 ",\"data\" : [ %]}]}", true},
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"INT32\",\"data\":[%]}," LENS "]}",
     true},
    {"{\"id\":\"{[\\\"data\\\":[\",\"inputs\":[{" FP32 "," SHAPE
     ",\"data\":[\n%\n]}," LENS "]}",
     true},
    {"\xEF\xBB\xBF{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[%]}," LENS "]}",
     true},
    /* The last datatype counts, and it comes too late. */
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"INT8\",\"data\":[%]," FP32
     "}," LENS "]}",
     false},
    /* The datatype comes too late, belongs to another input, or is none. */
    {"{\"inputs\":[{" SHAPE ",\"data\":[%]," FP32 "}," LENS "]}", false},
    {"{\"inputs\":[" LENS ",{" SHAPE ",\"data\":[%]," FP32 "}]}", false},
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"FP31\",\"data\":[%]}," LENS "]}",
     false},
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"BYTES\",\"data\":[%]}," LENS "]}",
     false},
    /* Nested lists and faults are left for later. */
    {"{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[[%]]}," LENS "]}", false},
    {"{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[,%]}," LENS "]}", false},
    {"[{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[%]}," LENS "]}]", false},
    {"{\"outputs\":[{" FP32 "," SHAPE ",\"data\":[%]}," LENS "]}", false},
};

static const struct {
    size_t from, step;
} steps[] = {{1200, 1}, {250, 300}, {150, 150}, {900, 64}, {1300, 63}};

/* What is read on the way to the array has no memory reserved for it. */
UNIT_TEST(early_read_takes_little_memory)
{
    static char text[200000];

    for (int len = 10000; len <= 100000; len += 90000) {
        int start = sprintf(
            text,
            "{\"id\":\"%0*d\",\"inputs\":[{" FP32 "," SHAPE ",\"data\":", len,
            0);
        int whole = start + sprintf(text + start, "[%0600d", 1);

        for (int i = 2; i < 600; i += 2)
            text[start + i] = ',';
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

/* A document in which no data array is ever open: a long id. */
UNIT_TEST(early_read_searches_4_mib_at_most)
{
    enum { LEN = 6 << 20, STEP = 64 << 10 };
    static const char head[] = "{\"id\":\"";
    unsigned char *body = malloc(LEN);
    struct early_read early = {.done = false};

    ck_assert_ptr_nonnull(body);
    memset(body, 'x', LEN);
    memcpy(body, head, sizeof(head) - 1);
    for (size_t len = STEP; len <= LEN; len += STEP) {
        api_early_read(&early, body, len);
        ck_assert_uint_lt(early.searched, 2 * len);
        ck_assert(early.done || early.searched <= 4 << 20);
    }
    ck_assert(early.done);
    free(body);
}
