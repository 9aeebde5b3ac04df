#include "api/wire/wire.h"

#include <stdint.h>
#include <string.h>

#include "api/base/json_writer.h"

/* Closes the data array and the objects around it. */
static const char tail[INFER_RESULT_TAILROOM] = {']', '}', ']', '}'};

static void write_parameters(const struct infer_result *result,
                             struct json_writer *w)
{
    if (!result->echo && !result->backward_context)
        return;
    json_writer_raw(w, ",\"parameters\":{");
    if (result->echo) {
        json_writer_raw(w, "\"name\":");
        json_writer_string(w, result->echo);
    }
    if (result->backward_context) {
        json_writer_raw(w, result->echo ? ",\"backward_context\":"
                                        : "\"backward_context\":");
        json_writer_string(w, result->backward_context);
    }
    json_writer_raw(w, "}");
}

/* Up to the data array, or the whole document when the data is not in it. */
static void write_output(const struct infer_tensor *tensor, size_t binary_size,
                         struct json_writer *w)
{
    json_writer_raw(w, ",\"outputs\":[{\"name\":");
    json_writer_string(w, tensor->name);
    json_writer_raw(w, ",\"datatype\":\"");
    json_writer_raw(w, dtype_info(tensor->dtype)->name);
    json_writer_raw(w, "\",\"shape\":");
    json_writer_shape(w, tensor->shape);
    if (tensor->form == DOCUMENT_FORM_JSON) {
        json_writer_raw(w, ",\"data\":[");
        return;
    }
    if (tensor->form == DOCUMENT_FORM_REGION) {
        json_writer_raw(w, "}]}");
        return;
    }
    json_writer_raw(w, ",\"parameters\":{\"binary_data_size\":");
    json_writer_uint(w, binary_size);
    json_writer_raw(w, "}}]}");
}

static void write_head(const struct infer_result *result, size_t binary_size,
                       struct json_writer *w)
{
    json_writer_raw(w, "{\"model_name\":\"");
    json_writer_raw(w, result->model_name);
    json_writer_raw(w, "\",\"model_version\":\"");
    json_writer_raw(w, result->model_version);
    json_writer_raw(w, "\"");
    if (result->id) {
        json_writer_raw(w, ",\"id\":");
        json_writer_string_bytes(w, result->id, result->id_len);
    }
    write_parameters(result, w);
    write_output(&result->tensor, binary_size, w);
}

static size_t bound(const struct infer_result *result)
{
    struct json_writer w;

    json_writer_init(&w, NULL, 0);
    write_head(result, SIZE_MAX, &w);
    return w.len;
}

static void encode(const struct infer_result *result, struct api_reply *reply)
{
    const struct infer_tensor *tensor = &result->tensor;
    size_t data_len = tensor->len;
    struct json_writer w;

    json_writer_init(&w, result->head, SIZE_MAX);
    write_head(result, tensor->len, &w);
    if (tensor->form == DOCUMENT_FORM_JSON) {
        memcpy(tensor->data + tensor->len, tail, sizeof(tail));
        data_len += sizeof(tail);
    } else if (tensor->len > 0) {
        reply->json_len = w.len;
    }
    encoder_add_both(reply, w.data, w.len, tensor, data_len);
}

const struct encoder encode_json = {"application/json",
                                    "application/octet-stream", bound, encode};
