/* 1,000,000 FP32 numbers as JSON, in and out: api_answer() beside a jansson
 * parse and dump of the same document, in turn, medians of a few rounds. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/api.h"

enum { COUNT = 1000000, TIME = 100, ROUNDS = 7 };

static double now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void print_numbers(FILE *out)
{
    uint32_t state = 1;

    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        fprintf(out, "%s%.9g", i ? "," : "", (double)state / 4294967296.0);
    }
}

/* [batch, TIME, row] numbers, the sequences reversed whole or in part. */
static char *build(int batch, int row, size_t *len)
{
    char *text;
    FILE *out = open_memstream(&text, len);

    fprintf(out,
            "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\","
            "\"shape\":[%d,%d,%d],\"data\":[",
            batch, TIME, row);
    print_numbers(out);
    fprintf(out,
            "]},{\"name\":\"sequence_lens\",\"datatype\":\"INT64\","
            "\"shape\":[%d],\"data\":[",
            batch);
    for (int i = 0; i < batch; i++)
        fprintf(out, "%s%d", i ? "," : "", i % TIME + 1);
    fprintf(out, "]}],\"parameters\":{\"batch_axis\":0,\"time_axis\":1}}");
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
    start = now_ms();
    api_answer(&request, &reply);
    start = now_ms() - start;
    if (reply.status != 200)
        fprintf(stderr, "status %d\n", reply.status);
    api_reply_free(&reply);
    free(request.body);
    return start;
}

static double time_jansson(const char *text, size_t len)
{
    double start = now_ms();
    json_t *tree = json_loadb(text, len, 0, NULL);
    char *dump = json_dumps(tree, JSON_COMPACT);

    start = now_ms() - start;
    free(dump);
    json_decref(tree);
    return start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, ROUNDS, sizeof(*times), compare);
    return times[ROUNDS / 2];
}

static void measure(int row)
{
    double ours[ROUNDS], theirs[ROUNDS];
    size_t len;
    char *text = build(COUNT / TIME / row, row, &len);
    double a, b;

    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = time_flipd(text, len);
        theirs[i] = time_jansson(text, len);
    }
    a = median(ours);
    b = median(theirs);
    printf("rows of %-4d %5.1f MB  flipd %7.2f ms  jansson %7.1f ms  ratio "
           "%5.1f\n",
           row, (double)len / 1e6, a, b, b / a);
    free(text);
}

int main(void)
{
    measure(100);
    measure(1);
    return 0;
}
