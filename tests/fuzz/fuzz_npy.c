/* Any bytes as a request whose body is a .npy file.
 *
 * The first byte of an input chooses the model, the rest of its first line is
 * the query, and the body follows. An answer that is a file has a header as
 * NumPy writes it; sent again, unless it was scaled, it is answered with the
 * original data under the same header. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/server_state.h"
#include "tests/api/answer.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { QUERY_MAX = 1024, PATH_MAX_LEN = 200 };

struct question {
    char path[PATH_MAX_LEN], query[QUERY_MAX];
    const uint8_t *body;
    size_t len;
};

static void read_question(const uint8_t *data, size_t size, struct question *q)
{
    const struct model_set *models = api_models_builtin();
    const uint8_t *end = memchr(data, '\n', size);
    size_t line = end ? (size_t)(end - data) : size;
    size_t query = line - 1 < QUERY_MAX - 1 ? line - 1 : QUERY_MAX - 1;

    snprintf(q->path, sizeof(q->path), "/v2/models/%s/infer",
             api_model_name(
                 api_models_at(models, data[0] % api_models_count(models))));
    memcpy(q->query, data + 1, query);
    q->query[query] = '\0';
    q->body = data + (end ? line + 1 : size);
    q->len = size - (size_t)(q->body - data);
}

/* A file: its bytes, and those of its data. */
struct file {
    uint8_t *bytes; /* owned; NULL: none */
    size_t len, data;
};

static struct file file_of(const struct api_reply *reply)
{
    struct file file = {.len = api_reply_bytes(reply)};
    size_t at = 0, head;

    EXPECT(reply->status == 200 && reply->json_len == 0);
    file.bytes = malloc(file.len);
    EXPECT(file.bytes != NULL);
    for (int i = 0; i < reply->piece_count; i++) {
        memcpy(file.bytes + at, reply->pieces[i].data, reply->pieces[i].len);
        at += reply->pieces[i].len;
    }
    EXPECT(file.len >= 128 && memcmp(file.bytes, "\x93NUMPY\1", 8) == 0);
    head = 10 + file.bytes[8] + 256 * (size_t)file.bytes[9];
    EXPECT(head % 64 == 0 && head <= file.len && file.bytes[head - 1] == '\n');
    file.data = file.len - head;
    return file;
}

/* The answer, if it is a file. */
static struct file ask(const struct question *q, const uint8_t *body,
                       size_t len, const char *type)
{
    struct api_request request = {
        .method = "POST",
        .path = q->path,
        .query = q->query,
        .content_type = "application/x-npy",
        .accept = type,
        .body = copy_of(body, len),
        .body_len = len,
    };
    struct api_reply reply = {0};
    struct file file = {NULL, 0, 0};

    api_answer(&request, &reply);
    EXPECT(reply.status == 200 || reply.status == 400 || reply.status == 413);
    if (strcmp(reply.content_type, "application/x-npy") == 0)
        file = file_of(&reply);
    api_reply_free(&reply);
    free(request.body);
    return file;
}

/* The answer's answer is the request, with the answer's header. */
static void ask_back(const struct question *q, const struct file *file)
{
    struct file back = ask(q, file->bytes, file->len, NULL);

    EXPECT(back.bytes && back.len == file->len && back.data == file->data);
    EXPECT(memcmp(back.bytes, file->bytes, file->len - file->data) == 0);
    EXPECT(memcmp(back.bytes + back.len - back.data,
                  q->body + q->len - back.data, back.data) == 0);
    free(back.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct question q;
    struct file file;

    if (size == 0 || data[0] == '\n')
        return 0;
    read_question(data, size, &q);
    file = ask(&q, q.body, q.len, NULL);
    if (file.bytes && !strstr(q.query, "coeff"))
        ask_back(&q, &file);
    free(file.bytes);
    file = ask(&q, q.body, q.len, "application/json");
    EXPECT(!file.bytes);
    return 0;
}
