/* Every published vector, sent as JSON and as binary, answered as JSON and as
 * binary; and as gRPC's message, with the data typed and lengths or axes raw,
 * or the other way round. Bit patterns that JSON cannot hold (NaN payloads) go
 * as binary. The operator table is that of the definitions beside them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/grpc.h"
#include "api/protobuf/protobuf.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/ops/op.h"
#include "tests/api/answer.h"
#include "tests/unit.h"
#include "tests/vector_file.h"

struct bytes { /* owned memory */
    unsigned char *data;
    size_t len;
};

static struct bytes vector_binary(struct vector_text text, enum dtype dtype,
                                  const struct shape *shape)
{
    struct data_array array = {.name = "vector",
                               .text = text.text,
                               .len = text.len,
                               .dtype = dtype,
                               .shape = *shape};
    struct span *rows;
    struct bytes out;
    struct status st;

    ck_assert(shape_count(shape, "vector", &array.count, &st));
    if (dtype != DTYPE_BYTES) {
        ck_assert(tensor_bytes(dtype, array.count, "vector", &out.len, &st));
        out.data = malloc(out.len + 1);
        ck_assert_msg(tensor_json_to_binary(&array, out.data, NULL, &st), "%s",
                      st.message);
        return out;
    }
    rows = calloc(array.count + 1, sizeof(*rows));
    ck_assert_msg(tensor_json_index(&array, 1, rows, NULL, &st), "%s",
                  st.message);
    out.data = malloc(tensor_json_strings_bound(&array) + 1);
    out.len = tensor_json_strings_to_binary(&array, rows, array.count, out.data,
                                            NULL);
    free(rows);
    return out;
}

static struct bytes vector_hex(const char *hex)
{
    struct bytes out = {malloc(strlen(hex) / 2 + 1), strlen(hex) / 2};

    for (size_t i = 0; i < out.len; i++) {
        unsigned byte;

        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out.data[i] = (unsigned char)byte;
    }
    return out;
}

static struct bytes vector_data(const struct vector *v)
{
    return v->data.text ? vector_binary(v->data, v->dtype, &v->shape)
                        : vector_hex(v->data_hex);
}

static struct bytes vector_expected(const struct vector *v)
{
    return v->expect.text ? vector_binary(v->expect, v->dtype, &v->shape)
                          : vector_hex(v->expect_hex);
}

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

static void vector_ask(const struct vector *v, bool send_binary,
                       bool want_binary)
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

/* The numbers of fields, as grpc_service.proto has them. */
enum {
    MODEL_NAME = 1,
    PARAMETERS = 4,
    INPUTS = 5,
    RAW_INPUT_CONTENTS = 7,
    RAW_OUTPUT_CONTENTS = 6
};

/* A parameter as the choice of the protocol that has its type. */
static void write_parameter(struct writer *w, const char *key, json_t *value)
{
    size_t entry = protobuf_write_open(w, PARAMETERS), choice;
    double real = json_number_value(value);

    protobuf_write_text(w, 1, key);
    choice = protobuf_write_open(w, 2);
    if (json_is_string(value)) {
        protobuf_write_text(w, 3, json_string_value(value));
    } else if (json_is_boolean(value)) {
        protobuf_write_number(w, 1, json_is_true(value));
    } else if (json_is_real(value)) {
        protobuf_write_varint(w, 4 << 3 | PROTOBUF_FIXED64);
        writer_bytes(w, &real, sizeof(real));
    } else {
        protobuf_write_number(w, 2, (uint64_t)json_integer_value(value));
    }
    protobuf_write_close(w, choice);
    protobuf_write_close(w, entry);
}

static void write_parameters(struct writer *w, const struct vector *v)
{
    json_t *parameters =
        json_loadb(v->parameters.text, v->parameters.len, 0, NULL);
    const char *key;
    json_t *value;

    ck_assert_ptr_nonnull(parameters);
    json_object_foreach(parameters, key, value) write_parameter(w, key, value);
    json_decref(parameters);
}

/* The list of contents that a datatype has; 0: none. */
static uint32_t list_of(enum dtype dtype)
{
    if (dtype_info(dtype)->bits < 8 && dtype != DTYPE_BYTES)
        return 0;
    switch (dtype_info(dtype)->kind) {
    case DTYPE_KIND_BOOL:
        return 1;
    case DTYPE_KIND_INT:
        return dtype == DTYPE_INT64 ? 3 : 2;
    case DTYPE_KIND_UINT:
        return dtype == DTYPE_UINT64 ? 5 : 4;
    case DTYPE_KIND_FLOAT:
        return dtype == DTYPE_FP32 ? 6 : dtype == DTYPE_FP64 ? 7 : 0;
    case DTYPE_KIND_BYTES:
        return 8;
    default:
        return 0;
    }
}

/* A little-endian integer, its sign extended. */
static uint64_t element(const unsigned char *at, size_t size, bool has_sign)
{
    uint64_t value = has_sign && at[size - 1] >= 0x80 ? UINT64_MAX : 0;

    for (size_t i = size; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static void write_list(struct writer *w, enum dtype dtype, uint32_t list,
                       const struct bytes *data)
{
    bool has_sign = dtype_info(dtype)->kind == DTYPE_KIND_INT;
    size_t size = dtype_info(dtype)->bits / 8, mark;

    if (list == 8) {
        for (size_t at = 0; at < data->len; at += size + 4) {
            size = (size_t)element(data->data + at, 4, false);
            protobuf_write_bytes(w, list, data->data + at + 4, size);
        }
        return;
    }
    mark = protobuf_write_open(w, list);
    if (list >= 6)
        writer_bytes(w, data->data, data->len);
    for (size_t at = 0; list < 6 && at < data->len; at += size)
        protobuf_write_varint(w, element(data->data + at, size, has_sign));
    protobuf_write_close(w, mark);
}

static void write_input(struct writer *w, const char *name, enum dtype dtype,
                        const struct shape *shape, const struct bytes *data,
                        uint32_t list)
{
    size_t input = protobuf_write_open(w, INPUTS), contents;

    protobuf_write_text(w, 1, name);
    protobuf_write_text(w, 2, dtype_info(dtype)->name);
    for (int i = 0; i < shape->rank; i++)
        protobuf_write_number(w, 3, (uint64_t)shape->dims[i]);
    if (list > 0) {
        contents = protobuf_write_open(w, 5);
        write_list(w, dtype, list, data);
        protobuf_write_close(w, contents);
    }
    protobuf_write_close(w, input);
}

/* Lengths or axes are typed where the data is raw, and the other way round. */
static void build_message(const struct vector *v, bool typed, struct writer *w)
{
    const struct op *op = op_table_find(v->op, strlen(v->op));
    struct bytes data = vector_data(v);
    struct bytes control =
        vector_binary(v->control, v->control_dtype, &v->control_shape);
    uint32_t lists[2] = {typed ? list_of(v->dtype) : 0,
                         typed ? 0 : list_of(v->control_dtype)};

    ck_assert_msg(op, "kernels/ops/ lacks %s", v->op);
    *w = (struct writer){.grows = true};
    protobuf_write_text(w, MODEL_NAME, v->op);
    write_parameters(w, v);
    write_input(w, op->data, v->dtype, &v->shape, &data, lists[0]);
    write_input(w, op->control, v->control_dtype, &v->control_shape, &control,
                lists[1]);
    if (lists[0] == 0)
        protobuf_write_bytes(w, RAW_INPUT_CONTENTS, data.data, data.len);
    if (lists[1] == 0)
        protobuf_write_bytes(w, RAW_INPUT_CONTENTS, control.data, control.len);
    free(data.data);
    free(control.data);
}

static void compare_message(const struct vector *v,
                            const struct api_reply *reply)
{
    struct bytes want = vector_expected(v), all = join(reply);
    struct protobuf_reader reader;
    struct protobuf_field field = {0};
    size_t left = 100;

    reader = protobuf_read(all.data, all.len, &left);
    while (protobuf_next(&reader, &field))
        ;
    ck_assert_msg(field.number == RAW_OUTPUT_CONTENTS, "%s", v->id);
    ck_assert_uint_eq(field.len, want.len);
    ck_assert_int_eq(memcmp(field.data, want.data, want.len), 0);
    free(want.data);
    free(all.data);
}

/* Axes that are numbers and called BOOL are an error that only JSON can make.
 */
static bool is_json_only(const struct vector *v)
{
    return v->control_dtype == DTYPE_BOOL &&
           !memchr(v->control.text, 'e', v->control.len);
}

static void vector_ask_message(const struct vector *v, bool typed)
{
    static const char path[] = "/inference.GRPCInferenceService/ModelInfer";
    struct api_request request = {0};
    struct api_grpc_status status;
    struct api_grpc_call call;
    struct writer w;
    struct api_reply reply;

    if (is_json_only(v))
        return;
    build_message(v, typed, &w);
    ck_assert(api_grpc_request(api_grpc_find(path), (unsigned char *)w.data,
                               w.len, &call, &request, &reply));
    api_answer(&request, &reply);
    api_grpc_reply(&call, &request, &reply, &status);
    if (v->expect.text || *v->expect_hex) {
        ck_assert_msg(status.code == API_GRPC_OK, "%s: %s", v->id, status.text);
        compare_message(v, &reply);
    } else {
        ck_assert_msg(status.code == API_GRPC_INVALID_ARGUMENT, "%s", v->id);
        ck_assert_str_ne(status.text, "");
        ck_assert_msg(strstr(status.text, v->refusal), "%s: %s", v->id,
                      status.text);
    }
    api_reply_free(&reply);
    api_grpc_call_free(&call);
    free(w.data);
}

static struct vector_file file;

/* Read once, for the number of tests is that of its vectors. */
static const struct vector_file *read_file(void)
{
    if (!file.vectors)
        vector_file_read(&file);
    return &file;
}

static const struct vector_model *definition(const char *model)
{
    for (int i = 0; i < file.models_count; i++)
        if (strcmp(file.models[i].name, model) == 0)
            return &file.models[i];
    ck_abort_msg("no file in tests/vectors/ has a line of the model %s", model);
}

static void check_attribute(const struct op *op, const struct attribute *a,
                            const char *name, json_t *fallback)
{
    ck_assert_msg(a->name, "%s: the table lacks %s", op->name, name);
    ck_assert_str_eq(a->name, name);
    if (json_is_boolean(fallback))
        ck_assert_msg(a->kind == ATTRIBUTE_BOOL &&
                          (a->fallback != 0) == json_is_true(fallback),
                      "%s: %s", op->name, name);
    else
        ck_assert_msg(a->fallback == json_number_value(fallback), "%s: %s",
                      op->name, name);
}

LOOP_TEST(op_table_has_the_models_of_the_vectors, read_file()->models_count)
{
    const struct vector_model *m = &file.models[_i];
    const struct op *op = op_table_find(m->name, strlen(m->name));
    json_t *parameters =
        json_loadb(m->parameters.text, m->parameters.len, 0, NULL);
    const char *name;
    json_t *fallback;
    int count = 0;

    ck_assert_msg(op, "kernels/ops/ lacks %s", m->name);
    ck_assert_str_eq(op->version, m->version);
    ck_assert_str_eq(op->data, m->data);
    ck_assert_str_eq(op->control, m->control);
    ck_assert_str_eq(op->output, m->output);
    ck_assert(op->scales == m->scales);
    ck_assert(op->summary && op->describe);
    json_object_foreach(parameters, name, fallback)
        check_attribute(op, &op->attributes[count++], name, fallback);
    ck_assert_ptr_null(op->attributes[count].name);
    ck_assert_int_lt(count, OP_MAX_ATTRIBUTES + 1);
    json_decref(parameters);
}

/* Each operator has a definition, and cases of each kind: an answer, a refusal,
 * one for every datatype. */
UNIT_TEST(every_operator_has_vectors)
{
    for (int i = 0; op_table[i]; i++) {
        const char *name = op_table[i]->name;
        int answers = 0, refusals = 0, everywhere = 0;

        definition(name);
        for (int j = 0; j < file.count; j++) {
            const struct vector *v = &file.vectors[j];

            if (strcmp(v->op, name) != 0)
                continue;
            answers += v->expect.text || *v->expect_hex;
            refusals += !v->expect.text && !*v->expect_hex;
            everywhere += v->everywhere;
        }
        ck_assert_msg(answers && refusals && everywhere,
                      "%s: %d answers, %d refusals, %d for every datatype",
                      name, answers, refusals, everywhere);
    }
}

LOOP_TEST(vector_agrees_as_document, 4 * read_file()->count)
{
    const struct vector *v = &file.vectors[_i / 4];

    if (v->data.text || _i % 4 == 3)
        vector_ask(v, _i & 1, _i & 2);
}

LOOP_TEST(vector_agrees_as_message, 2 * read_file()->count)
{
    vector_ask_message(&file.vectors[_i / 2], _i % 2);
}
