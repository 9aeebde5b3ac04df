/* Any bytes as a request to the api.
 *
 * The first line of an input is METHOD PATH HEADER, the rest is the body.
 * HEADER is "-" for none, "=" for the offset of the first byte 0x1E of the
 * body, which is then removed, or the header's value itself. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/tensor_json/tensor_json.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_MAX = 512 };

struct question {
    char line[LINE_MAX]; /* split into its three words */
    char length[24];     /* the header that "=" stands for */
    struct api_request request;
};

static const char *next_word(char **line)
{
    char *word = *line;
    char *end = word + strcspn(word, " ");

    *line = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* Copies the body to a block of its size; takes the separator out. */
static void take_body(const uint8_t *data, size_t size, struct question *q)
{
    const uint8_t *mark = size ? memchr(data, 0x1E, size) : NULL;
    const char *header = q->request.inference_header;
    size_t json_len = size;

    if (strcmp(header, "-") == 0)
        q->request.inference_header = NULL;
    if (strcmp(header, "=") != 0)
        mark = NULL;
    else
        q->request.inference_header = q->length;
    if (mark)
        json_len = (size_t)(mark - data);
    q->request.body_len = size - (mark ? 1 : 0);
    q->request.body = malloc(q->request.body_len ? q->request.body_len : 1);
    if (json_len > 0)
        memcpy(q->request.body, data, json_len);
    if (mark && size - json_len > 1)
        memcpy(q->request.body + json_len, mark + 1, size - json_len - 1);
    snprintf(q->length, sizeof(q->length), "%zu", json_len);
}

static void read_question(const uint8_t *data, size_t size, struct question *q)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t len = end ? (size_t)(end - data) : size;
    char *line = q->line;

    *q = (struct question){0};
    snprintf(q->line, sizeof(q->line), "%.*s", (int)(len < 4096 ? len : 4096),
             size ? (const char *)data : "");
    q->request.method = next_word(&line);
    q->request.path = next_word(&line);
    q->request.inference_header = next_word(&line);
    q->request.ready = size & 1;
    len = end ? len + 1 : len;
    take_body(data + len, size - len, q);
}

static void check_error(const struct api_reply *reply)
{
    const struct api_piece *text = &reply->pieces[0];
    json_t *error = json_loadb(text->data, text->len,
                               JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);

    EXPECT(reply->piece_count == 1);
    EXPECT(reply->json_len == 0);
    EXPECT(strcmp(reply->content_type, "application/json") == 0);
    EXPECT(json_object_size(error) == 1);
    EXPECT(json_string_length(json_object_get(error, "error")) > 0);
    EXPECT((reply->status == 405) == (reply->allow != NULL));
    json_decref(error);
}

/* The reply of a model's ready route while the service is not. */
static bool is_not_ready(const struct api_reply *reply)
{
    static const char end[] = "\"ready\":false}";
    const struct api_piece *text = &reply->pieces[0];
    size_t len = sizeof(end) - 1;

    return reply->status == 503 && text->len >= len &&
           memcmp((const char *)text->data + text->len - len, end, len) == 0;
}

static bool is_known(const struct api_reply *reply, const struct question *q)
{
    if (strcmp(q->request.path, "/v2/health/ready") == 0)
        return reply->status == (q->request.ready ? 200 : 503) ||
               reply->status == 405;
    return reply->status == 200 || reply->status == 400 ||
           reply->status == 404 || reply->status == 405 ||
           reply->status == 413 || reply->status == 501 ||
           (!q->request.ready && is_not_ready(reply));
}

/* The answer's data must be valid as a request's. */
static void check_data(json_t *output, const char *text, size_t len)
{
    const char *datatype =
        json_string_value(json_object_get(output, "datatype"));
    json_t *dims = json_object_get(output, "shape");
    struct data_array a = {.name = "answer", .text = text, .len = len};
    struct status st;

    EXPECT(dtype_parse(datatype, strlen(datatype), &a.dtype));
    a.shape.rank = (int)json_array_size(dims);
    for (int i = 0; i < a.shape.rank; i++)
        a.shape.dims[i] = json_integer_value(json_array_get(dims, (size_t)i));
    EXPECT(shape_count(&a.shape, a.name, &a.count, &st));
    EXPECT(tensor_json_index(&a, 1, NULL, NULL, &st));
}

static void check_output(json_t *root, const struct api_reply *reply,
                         const char *data, size_t len)
{
    json_t *outputs = json_object_get(root, "outputs");
    json_t *output = json_array_get(outputs, 0);
    json_t *parameters = json_object_get(output, "parameters");
    json_t *size = json_object_get(parameters, "binary_data_size");

    EXPECT(json_array_size(outputs) == 1);
    EXPECT(json_is_string(json_object_get(root, "model_name")));
    EXPECT(json_is_string(json_object_get(root, "model_version")));
    if (data) {
        EXPECT(!parameters && reply->json_len == 0);
        check_data(output, data, len);
        return;
    }
    EXPECT(json_is_integer(size));
    EXPECT((reply->json_len != 0) == (json_integer_value(size) != 0));
    EXPECT((size_t)json_integer_value(size) ==
           api_reply_bytes(reply) -
               (reply->json_len ? reply->json_len : reply->pieces[0].len));
}

/* The head goes through jansson with empty data: NaN is no JSON of its. */
static void check_infer(const struct api_reply *reply)
{
    static const char key[] = ",\"data\":";
    const char *text = reply->pieces[0].data;
    size_t len = reply->json_len ? reply->json_len : reply->pieces[0].len;
    const char *data = memmem(text, len, key, strlen(key));
    size_t head = data ? (size_t)(data - text) : len;
    char *json = malloc(len + 8);
    json_t *root;

    EXPECT(len <= reply->pieces[0].len);
    EXPECT(len == reply->pieces[0].len || reply->piece_count == 1);
    memcpy(json, text, head);
    if (data) {
        EXPECT(len >= 4 && memcmp(text + len - 4, "]}]}", 4) == 0);
        memcpy(json + head, "}]}", 3);
    }
    root = json_loadb(json, head + (data ? 3 : 0),
                      JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    EXPECT(root);
    if (data)
        data += strlen(key);
    check_output(root, reply, data, data ? len - (size_t)(data - text) - 3 : 0);
    json_decref(root);
    free(json);
}

/* Offset of the answer's binary data in the body; 0 when it is elsewhere, or
 * when there is none: the head alone may lie there as well, and then nothing of
 * the body is kept behind it. */
static size_t place_in_body(const struct api_reply *reply,
                            const struct api_request *request)
{
    bool one = reply->piece_count == 1;
    const struct api_piece *last = &reply->pieces[reply->piece_count - 1];
    const unsigned char *at = last->data;

    if (reply->json_len == 0 || at < request->body ||
        at >= request->body + request->body_len)
        return 0;
    return (size_t)(at - request->body) + (one ? reply->json_len : 0);
}

/* Answers and checks. True if the body was reversed in place; the bytes before
 * the data, which the reply's head may have overwritten, are restored. */
static bool job(const struct question *q)
{
    const struct api_request *request = &q->request;
    struct api_reply reply = {0};
    struct api_plan plan;
    unsigned char *before = malloc(request->body_len + 1);
    void *buffer = NULL;
    size_t place = 0;

    memcpy(before, request->body, request->body_len);
    if (api_prepare(request, &plan, &reply)) {
        EXPECT(plan.memory <= 4096 + 32 * request->body_len);
        buffer = malloc(plan.memory);
        api_execute(&plan, buffer, NULL, &reply);
        api_plan_free(&plan);
        if (reply.status == 200)
            check_infer(&reply);
        place = place_in_body(&reply, request);
    }
    EXPECT(is_known(&reply, q));
    EXPECT(reply.piece_count >= 1 && reply.piece_count <= API_MAX_PIECES);
    if (reply.status >= 400 && reply.status != 503)
        check_error(&reply);
    memcpy(request->body, before, place);
    free(before);
    api_reply_free(&reply);
    free(buffer);
    return place > 0;
}

/* The body arrives in some parts. Returns the memory for token lengths. */
static unsigned char *arrive(const struct api_request *request,
                             struct early_read *early, size_t parts)
{
    size_t capacity = request->body_len / parts + 1;
    unsigned char *lengths = malloc(capacity);

    api_early_lend(early, lengths, capacity);
    for (size_t i = 1; i < parts; i++) {
        size_t len = request->body_len * i / parts;
        unsigned char *part = malloc(len + 1);

        memcpy(part, request->body, len);
        api_early_read(early, part, len);
        free(part);
    }
    return lengths;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct question q;
    struct early_read *early = api_early_new();
    unsigned char *once, *lengths;

    read_question(data, size, &q);
    lengths = arrive(&q.request, early, size % 7 + 2);
    q.request.early = early;
    if (job(&q) && !strstr(q.request.path, "Grad")) {
        /* Twice more is where it was: only the padding went with the first. */
        once = malloc(q.request.body_len);
        memcpy(once, q.request.body, q.request.body_len);
        q.request.early = NULL;
        EXPECT(job(&q));
        EXPECT(job(&q));
        EXPECT(memcmp(once, q.request.body, q.request.body_len) == 0);
        free(once);
    }
    api_early_free(early);
    free(lengths);
    free(q.request.body);
    return 0;
}
