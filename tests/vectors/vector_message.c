/* Asks a vector by the message of gRPC. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/grpc.h"
#include "api/protobuf/protobuf.h"
#include "kernels/ops/op.h"
#include "tests/api/answer.h"
#include "tests/vectors/vector_ask.h"
#include "tests/vectors/vector_bytes.h"

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
static void build(const struct vector *v, bool typed, struct writer *w)
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

static void compare(const struct vector *v, const struct api_reply *reply)
{
    struct bytes want = vector_expected(v), all = {malloc(1 << 16), 0};
    struct protobuf_reader reader;
    struct protobuf_field field = {0};
    size_t left = 100;

    for (int i = 0; i < reply->piece_count; i++) {
        memcpy(all.data + all.len, reply->pieces[i].data, reply->pieces[i].len);
        all.len += reply->pieces[i].len;
    }
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

void vector_ask_message(const struct vector *v, bool typed)
{
    static const char path[] = "/inference.GRPCInferenceService/ModelInfer";
    struct api_request request = {0};
    struct api_grpc_status status;
    struct api_grpc_call call;
    struct writer w;
    struct api_reply reply;

    if (is_json_only(v))
        return;
    build(v, typed, &w);
    ck_assert(api_grpc_request(api_grpc_find(path), (unsigned char *)w.data,
                               w.len, &call, &request, &reply));
    api_answer(&request, &reply);
    api_grpc_reply(&call, &request, &reply, &status);
    if (v->expect.text || *v->expect_hex) {
        ck_assert_msg(status.code == API_GRPC_OK, "%s: %s", v->id, status.text);
        compare(v, &reply);
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
