/* Documents that are looked at while they arrive. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/lex/simd.h"
#include "tests/api/ask.h"
#include "tests/api/lex/simd_emulated.h"
#include "tests/count.h"
#include "tests/suite.h"

enum { ROWS = 100, NUMBERS = 3 * ROWS };

#define SHAPE "\"name\":\"input\",\"shape\":[100,3]"
#define FP32 "\"datatype\":\"FP32\""
#define LENS                                                                   \
    "{\"name\":\"sequence_lens\",\"datatype\":\"INT64\",\"shape\":[3],"        \
    "\"data\":[100,2,3]}"

/* D stands for the numbers and what parts of them. */
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

static struct api_early arrive(const char *text, size_t from, size_t step)
{
    struct api_early early = {.start = 0};
    size_t len = strlen(text);

    for (size_t now = from; now < len; now += step) {
        unsigned char *part = malloc(now + 1);

        ck_assert_ptr_nonnull(part);
        memcpy(part, text, now);
        api_read_early(&early, part, now);
        free(part);
    }
    return early;
}

static const struct {
    const char *form;
    bool seen; /* its array, nearly to the end */
} forms[] = {
    {"{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[%]}," LENS "]}", true},
    {"{\"inputs\":[" LENS ",{" SHAPE "," FP32 ",\"data\" : [ %]}]}", true},
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"INT32\",\"data\":[%]}," LENS "]}",
     true},
    {"{\"id\":\"{[\\\"data\\\":[\",\"inputs\":[{" FP32 "," SHAPE
     ",\"data\":[\n%\n]}," LENS "]}",
     true},
    /* The last word counts, and it has not been heard. */
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"INT8\",\"data\":[%]," FP32
     "}," LENS "]}",
     false},
    /* Its datatype is not told in time, or is another's, or none. */
    {"{\"inputs\":[{" SHAPE ",\"data\":[%]," FP32 "}," LENS "]}", false},
    {"{\"inputs\":[" LENS ",{" SHAPE ",\"data\":[%]," FP32 "}]}", false},
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"FP31\",\"data\":[%]}," LENS "]}",
     false},
    {"{\"inputs\":[{" SHAPE ",\"datatype\":\"BYTES\",\"data\":[%]}," LENS "]}",
     false},
    /* Lists in lists are left for later, and so is what is wrong. */
    {"{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[[%]]}," LENS "]}", false},
    {"{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[,%]}," LENS "]}", false},
    {"[{\"inputs\":[{" FP32 "," SHAPE ",\"data\":[%]}," LENS "]}]", false},
    {"{\"outputs\":[{" FP32 "," SHAPE ",\"data\":[%]}," LENS "]}", false},
};

static const struct {
    size_t from, step;
} steps[] = {{1200, 1}, {250, 300}, {150, 150}, {900, 64}, {1300, 63}};

START_TEST(early_reads_up_to_the_last_numbers)
{
    static const char *const between[] = {",", ", ", ",\r\n\t "};
    const char *form = forms[_i].form;

    json_simd_select(&json_simd_emulated);
    for (int i = 0; i < COUNT(between); i++)
        for (int k = 0; k < COUNT(steps); k++) {
            char *text = print(form, between[i]);
            size_t behind = (size_t)(strrchr(form, '%') + 1 - form) +
                            strlen(text) - strlen(form);
            struct api_early early = arrive(text, steps[k].from, steps[k].step);

            ck_assert_uint_lt(early.behind, strlen(text));
            if (forms[_i].seen) {
                const char *data = strstr(text, "\"shape\":[100,3]");

                data = strchr(strstr(data, "\"data\""), '[');
                ck_assert_uint_eq(early.start, (size_t)(data - text));
                ck_assert_uint_lt(early.behind, behind);
                ck_assert_uint_gt(early.behind + 512, behind);
                ck_assert(text[early.behind - 1] == between[i][0] ||
                          strchr(" \n", text[early.behind - 1]));
            } else if (early.start > 0) {
                ck_assert_uint_le(early.behind, early.start + 64);
            }
            free(text);
        }
}
END_TEST

/* Both ways that ask() goes must give one answer. */
START_TEST(early_looks_change_no_answer)
{
    static const char *const between[] = {",", " ,", ",,", ",+", ",0", "],["};

    for (int i = 0; i < COUNT(between); i++) {
        char *text = print(forms[_i].form, between[i]);
        struct answer answer;

        json_simd_select(&json_simd_emulated);
        answer = ask(&(struct ask){
            .path = "/v2/models/onnx.ReverseSequence/infer", .json = text});
        if (forms[_i].seen && i == 0)
            ck_assert_int_eq(answer.status, 200);
        if (strcmp(between[i], ",,") == 0)
            ck_assert_int_eq(answer.status, 400);
        answer_free(&answer);
        free(text);
    }
}
END_TEST

static Suite *make(void)
{
    Suite *suite = suite_create("early");
    TCase *looks = tcase_create("looks");

    tcase_add_loop_test(looks, early_reads_up_to_the_last_numbers, 0,
                        COUNT(forms));
    tcase_add_loop_test(looks, early_looks_change_no_answer, 0, COUNT(forms));
    suite_add_tcase(suite, looks);
    return suite;
}

int main(void)
{
    return suite_run(make);
}
