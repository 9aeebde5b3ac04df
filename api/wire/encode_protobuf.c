#include <string.h>

#include "api/wire/infer_message.h"
#include "api/wire/wire.h"

/* The numbers of ModelInferResponse's fields, and of an output's. */
enum {
    RESPONSE_MODEL_NAME = 1,
    RESPONSE_MODEL_VERSION = 2,
    RESPONSE_ID = 3,
    RESPONSE_PARAMETERS = 4,
    RESPONSE_OUTPUTS = 5,
    RESPONSE_RAW_OUTPUT_CONTENTS = 6,

    TENSOR_NAME = 1,
    TENSOR_DATATYPE = 2,
    TENSOR_SHAPE = 3,
};

enum {
    LENGTH_MAX = 10, /* bytes of a length or a dim */
    FIELDS_MAX = 300 /* of all keys, tags and lengths, and of a datatype */
};

static void write_parameter(struct protobuf_writer *w, const char *key,
                            const char *text)
{
    size_t entry, value;

    if (!text)
        return;
    entry = protobuf_write_open(w, RESPONSE_PARAMETERS);
    protobuf_write_text(w, ENTRY_KEY, key);
    value = protobuf_write_open(w, ENTRY_VALUE);
    protobuf_write_text(w, PARAMETER_STRING, text);
    protobuf_write_close(w, value);
    protobuf_write_close(w, entry);
}

/* Sets triton_final_response, which clients request by
 * triton_enable_empty_final_response. Every reply of flipd is final. */
static void write_final(struct protobuf_writer *w)
{
    static const char key[] = "triton_final_response";
    size_t entry = protobuf_write_open(w, RESPONSE_PARAMETERS), value;

    protobuf_write_text(w, ENTRY_KEY, key);
    value = protobuf_write_open(w, ENTRY_VALUE);
    protobuf_write_number(w, PARAMETER_BOOL, true);
    protobuf_write_close(w, value);
    protobuf_write_close(w, entry);
}

static void write_output(struct protobuf_writer *w,
                         const struct infer_tensor *tensor)
{
    size_t output = protobuf_write_open(w, RESPONSE_OUTPUTS), shape;

    protobuf_write_text(w, TENSOR_NAME, tensor->name);
    protobuf_write_text(w, TENSOR_DATATYPE, dtype_info(tensor->dtype)->name);
    if (tensor->shape->rank > 0) {
        shape = protobuf_write_open(w, TENSOR_SHAPE);
        for (int i = 0; i < tensor->shape->rank; i++)
            protobuf_write_varint(w, (uint64_t)tensor->shape->dims[i]);
        protobuf_write_close(w, shape);
    }
    protobuf_write_close(w, output);
}

/* All but the tensor's bytes and their length. */
static void write_head(struct protobuf_writer *w,
                       const struct infer_result *result)
{
    protobuf_write_text(w, RESPONSE_MODEL_NAME, result->model_name);
    protobuf_write_text(w, RESPONSE_MODEL_VERSION, result->model_version);
    if (result->id)
        protobuf_write_bytes(w, RESPONSE_ID, result->id, result->id_len);
    write_parameter(w, "name", result->echo);
    write_parameter(w, "backward_context", result->backward_context);
    if (result->wants_final)
        write_final(w);
    write_output(w, &result->tensor);
}

static size_t length(const char *text)
{
    return text ? strlen(text) : 0;
}

/* More than is written, for it takes less time than to write it twice. */
static size_t bound(const struct infer_result *result)
{
    return FIELDS_MAX + length(result->model_name) +
           length(result->model_version) + result->id_len +
           length(result->echo) + length(result->backward_context) +
           length(result->tensor.name) +
           LENGTH_MAX * (size_t)result->tensor.shape->rank;
}

/* The tensor is the last field: a head that fits in front of it is moved there,
 * and both are one piece. It is empty where the tensor is in shared memory, for
 * clients count these fields. */
static void encode(const struct infer_result *result, struct api_reply *reply)
{
    const struct infer_tensor *tensor = &result->tensor;
    unsigned char *head = (unsigned char *)result->head;
    struct protobuf_writer w;

    protobuf_writer_init(&w, head, SIZE_MAX);
    write_head(&w, result);
    protobuf_write_head(&w, RESPONSE_RAW_OUTPUT_CONTENTS, tensor->len);
    encoder_add_both(reply, head, w.len, tensor, tensor->len);
}

const struct encoder encode_protobuf = {"application/grpc", "application/grpc",
                                        bound, encode};
