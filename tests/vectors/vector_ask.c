#include "tests/vectors/vector_ask.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "kernels/ops/op.h"
#include "tests/api/answer.h"
#include "tests/vectors/vector_bytes.h"

static void print_tensor(FILE *out, const char *name, enum dtype dtype,
                         const struct shape *shape, struct vector_text data,
                         const struct bytes *binary)
{
    char text[256];

    fprintf(out, "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,", name,
            dtype_info(dtype)->name, shape_print(shape, text, sizeof(text)));
    if (binary)
        fprintf(out, "\"parameters\":{\"binary_data_size\":%zu}}", binary->len);
    else
        fprintf(out, "\"data\":%.*s}", (int)data.len, data.text);
}

/* The whole request; `json_len` is where its document ends. */
static struct bytes build(const struct vector *v, bool send_binary,
                          bool want_binary, size_t *json_len)
{
    const struct op *op = op_table_find(v->op, strlen(v->op));
    struct bytes body = {NULL, 0};
    struct bytes data = {NULL, 0};
    FILE *out = open_memstream((char **)&body.data, &body.len);

    ck_assert_msg(op, "kernels/ops/ lacks %s", v->op);
    if (send_binary)
        data = vector_data(v);
    fprintf(out, "{\"inputs\":[");
    print_tensor(out, op->data, v->dtype, &v->shape, v->data,
                 send_binary ? &data : NULL);
    fprintf(out, ",");
    print_tensor(out, op->control, v->control_dtype, &v->control_shape,
                 v->control, NULL);
    fprintf(out, "],\"parameters\":{\"binary_data_output\":%s%s%.*s}",
            want_binary ? "true" : "false", v->parameters.len > 2 ? "," : "",
            (int)v->parameters.len - 1, v->parameters.text + 1);
    fflush(out);
    *json_len = body.len;
    if (send_binary)
        fwrite(data.data, 1, data.len, out);
    fclose(out);
    free(data.data);
    return body;
}

static struct bytes join(const struct api_reply *reply)
{
    struct bytes all = {malloc(api_reply_bytes(reply) + 1), 0};

    for (int i = 0; i < reply->piece_count; i++) {
        memcpy(all.data + all.len, reply->pieces[i].data, reply->pieces[i].len);
        all.len += reply->pieces[i].len;
    }
    all.data[all.len] = '\0';
    return all;
}

static void compare(const struct vector *v, const struct api_reply *reply,
                    const struct bytes *body, bool binary)
{
    struct bytes want = vector_expected(v);
    struct bytes got = {NULL, 0};

    if (binary) {
        got.len = body->len - (reply->json_len ? reply->json_len : body->len);
        got.data = malloc(got.len + 1);
        memcpy(got.data, body->data + body->len - got.len, got.len);
    } else {
        const char *data = strstr((char *)body->data, "\"data\":");

        ck_assert_ptr_nonnull(data);
        got =
            vector_binary((struct vector_text){data + 7, strlen(data + 7) - 3},
                          v->dtype, &v->shape);
    }
    ck_assert_uint_eq(got.len, want.len);
    ck_assert_int_eq(memcmp(got.data, want.data, want.len), 0);
    free(got.data);
    free(want.data);
}

void vector_ask(const struct vector *v, bool send_binary, bool want_binary)
{
    struct api_request request = {.method = "POST"};
    struct api_reply reply = {0};
    struct bytes answer;
    struct bytes body;
    char header[32];
    char path[128];
    size_t json_len;

    snprintf(path, sizeof(path), "/v2/models/%s/infer", v->op);
    body = build(v, send_binary, want_binary, &json_len);
    snprintf(header, sizeof(header), "%zu", json_len);
    request.path = path;
    request.inference_header = send_binary ? header : NULL;
    request.body = body.data;
    request.body_len = body.len;
    api_answer(&request, &reply);
    answer = join(&reply);
    if (v->expect.text || *v->expect_hex) {
        ck_assert_msg(reply.status == 200, "%s: %s", v->id, answer.data);
        compare(v, &reply, &answer, want_binary);
    } else {
        ck_assert_msg(reply.status == 400, "%s: %s", v->id, answer.data);
        ck_assert_int_eq(strncmp((char *)answer.data, "{\"error\":\"", 10), 0);
        ck_assert_msg(strstr((char *)answer.data, v->refusal), "%s: %s", v->id,
                      answer.data);
    }
    api_reply_free(&reply);
    free(answer.data);
    free(body.data);
}
