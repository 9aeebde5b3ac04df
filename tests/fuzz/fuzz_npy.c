/* Any bytes as a request whose body is a .npy file.
 *
 * The first byte of an input chooses the model, the rest of its first line is
 * the query, and the body follows. An answer that is a file has the request's
 * header and length; sent again, unless it was scaled, it is answered with the
 * original request. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/server_state.h"
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

/* Asks with a body of `len` bytes, which becomes the answer's when that is a
 * file. Whether it is. */
static bool ask(const struct question *q, unsigned char *body, const char *type)
{
    struct api_request request = {
        .method = "POST",
        .path = q->path,
        .query = q->query,
        .content_type = "application/x-npy",
        .accept = type,
        .body = body,
        .body_len = q->len,
    };
    struct api_reply reply = {0};
    bool file;

    api_answer(&request, &reply);
    EXPECT(reply.status == 200 || reply.status == 400 || reply.status == 413);
    file = strcmp(reply.content_type, "application/x-npy") == 0;
    if (file) {
        EXPECT(reply.status == 200 && reply.json_len == 0);
        EXPECT(api_reply_bytes(&reply) == q->len);
        EXPECT(reply.piece_count == 1 && reply.pieces[0].data == body);
    }
    api_reply_free(&reply);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct question q;
    unsigned char *body;

    if (size == 0 || data[0] == '\n')
        return 0;
    read_question(data, size, &q);
    body = copy_of(q.body, q.len);
    if (ask(&q, body, NULL) && !strstr(q.query, "coeff")) {
        EXPECT(ask(&q, body, NULL));
        EXPECT(memcmp(body, q.body, q.len) == 0);
    }
    free(body);
    body = copy_of(q.body, q.len);
    EXPECT(!ask(&q, body, "application/json"));
    free(body);
    return 0;
}
