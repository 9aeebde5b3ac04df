/* 1,000,000 FP32 numbers as JSON, in and out. Compares api_answer() with
 * parsing and dumping the same document by jansson and parsing it by simdjson.
 * The three alternate; medians are printed.
 *
 * Usage: bench_text [ROUNDS]         default 7
 *        bench_text --document CASE  prints the document of a case, such as
 *                                    "rows of 1, blanks" */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "tests/api/answer.h"
#include "tests/bench/programs/timing.h"
#ifdef HAVE_SIMDJSON
#include "tests/bench/programs/simdjson_parse.h"
#endif

enum { COUNT = 1000000, TIME = 100, MAX_ROUNDS = 101 };

enum { SIMDJSON_PADDING = 64 };

/* The order of the axes, and the separators of a document: those of jansson's
 * JSON_COMPACT, or those of Python's json.dumps(). */
static const struct form {
    const char *name;
    int row;
    bool time_major, blanks;
} forms[] = {
    {"rows of 100", 100, false, false},
    {"rows of 1", 1, false, false},
    {"rows of 100, blanks", 100, false, true},
    {"rows of 1, blanks", 1, false, true},
    {"rows of 100, time-major", 100, true, false},
    {"rows of 1, time-major", 1, true, false},
    {"rows of 100, time-major, blanks", 100, true, true},
    {"rows of 1, time-major, blanks", 1, true, true},
};

enum { FORMS = sizeof(forms) / sizeof(*forms) };

static void print_numbers(FILE *out, const char *comma)
{
    uint32_t state = 1;

    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        fprintf(out, "%s%.9g", i ? comma : "", (double)state / 4294967296.0);
    }
}

static void print_lens(FILE *out, int batch, const char *comma)
{
    for (int i = 0; i < batch; i++)
        fprintf(out, "%s%d", i ? comma : "", i % TIME + 1);
}

/* A request of [batch, TIME, row] or [TIME, batch, row] numbers and ragged
 * sequence lengths. */
static char *build(const struct form *form, size_t *len)
{
    int batch = COUNT / TIME / form->row;
    const char *comma = form->blanks ? ", " : ",";
    char *text;
    FILE *out = open_memstream(&text, len);

    fprintf(out,
            "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\","
            "\"shape\":[%d,%d,%d],\"data\":[",
            form->time_major ? TIME : batch, form->time_major ? batch : TIME,
            form->row);
    print_numbers(out, comma);
    fprintf(out,
            "]},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\","
            "\"shape\":[%d],\"data\":[",
            batch);
    print_lens(out, batch, comma);
    fprintf(out, "]}],\"parameters\":{\"batch_axis\":%d,\"time_axis\":%d}}",
            form->time_major, !form->time_major);
    fclose(out);
    return text;
}

static double time_flipd(const char *text, size_t len)
{
    struct api_request request = {.method = "POST",
                                  .path = "/v2/models/onnx.ReverseSequence/"
                                          "infer",
                                  .body_len = len};
    struct api_reply reply;
    double start;

    request.body = malloc(len + 1);
    memcpy(request.body, text, len + 1);
    start = timing_now();
    api_answer(&request, &reply);
    start = timing_now() - start;
    if (reply.status != 200)
        fprintf(stderr, "status %d\n", reply.status);
    api_reply_free(&reply);
    free(request.body);
    return start;
}

static double time_jansson(const char *text, size_t len)
{
    double start = timing_now();
    json_t *tree = json_loadb(text, len, 0, NULL);
    char *dump = json_dumps(tree, JSON_COMPACT);

    start = timing_now() - start;
    free(dump);
    json_decref(tree);
    return start;
}

/* NaN where simdjson was not built in. */
static double time_simdjson(const char *text, size_t len)
{
#ifdef HAVE_SIMDJSON
    char *padded = calloc(1, len + SIMDJSON_PADDING);
    double start;

    memcpy(padded, text, len);
    start = timing_now();
    if (!simdjson_parse_document(padded, len))
        fprintf(stderr, "simdjson refused the document\n");
    start = timing_now() - start;
    free(padded);
    return start;
#else
    (void)text;
    (void)len;
    return (double)NAN;
#endif
}

static void measure(const struct form *form, int rounds)
{
    static double (*const timers[])(const char *text, size_t len) = {
        time_flipd, time_jansson, time_simdjson};
    double times[3][MAX_ROUNDS], ms[3];
    size_t len;
    char *text = build(form, &len);

    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 3; i++)
            times[i][round] = timers[i](text, len);
    for (int i = 0; i < 3; i++)
        ms[i] = 1e3 * timing_median(times[i], rounds);
    printf("%-31s %8zu bytes  flipd %8.3f ms  jansson %8.2f ms  "
           "simdjson %7.3f ms\n",
           form->name, len, ms[0], ms[1], ms[2]);
    fflush(stdout);
    free(text);
}

static int print_document(const char *name)
{
    size_t len;
    char *text;

    for (int i = 0; i < FORMS; i++) {
        if (strcmp(forms[i].name, name) != 0)
            continue;
        text = build(&forms[i], &len);
        fwrite(text, 1, len, stdout);
        free(text);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    fprintf(stderr, "there is no case '%s'\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    int rounds = 7;

    if (argc == 3 && strcmp(argv[1], "--document") == 0)
        return print_document(argv[2]);
    if (argc == 2)
        rounds = atoi(argv[1]);
    if (rounds < 1 || rounds > MAX_ROUNDS) {
        fprintf(stderr, "rounds are 1 to %d\n", MAX_ROUNDS);
        return 2;
    }
#ifdef HAVE_SIMDJSON
    printf("simdjson uses %s\n", simdjson_parse_kernel());
#endif
    for (int i = 0; i < FORMS; i++)
        measure(&forms[i], rounds);
    return 0;
}
