/* The JSON of an infer reply, around the data. */
#include "api/infer.h"

static const char *echo(const struct infer *infer)
{
    const struct attribute_value *value =
        settings_role(infer->op, &infer->settings, ATTRIBUTE_ECHO);

    return value ? value->text : NULL;
}

static void write_parameters(const struct infer *infer, struct json_write *w)
{
    const char *name = echo(infer);

    if (!name && !infer->context)
        return;
    json_write_raw(w, ",\"parameters\":{");
    if (name) {
        json_write_raw(w, "\"name\":");
        json_write_string(w, name);
    }
    if (infer->context) {
        json_write_raw(w, name ? ",\"backward_context\":"
                               : "\"backward_context\":");
        json_write_string(w, infer->context);
    }
    json_write_raw(w, "}");
}

static void write_output(const struct infer *infer, struct json_write *w)
{
    json_write_raw(w, ",\"outputs\":[{\"name\":");
    json_write_string(w, infer->output_name);
    json_write_raw(w, ",\"datatype\":\"");
    json_write_raw(w, dtype_info(infer->call.data.dtype)->name);
    json_write_raw(w, "\",\"shape\":");
    json_write_shape(w, &infer->call.data.shape);
}

void infer_write_head(const struct infer *infer, size_t binary_size,
                      struct json_write *w)
{
    json_write_raw(w, "{\"model_name\":\"");
    json_write_raw(w, infer->model->name);
    json_write_raw(w, "\",\"model_version\":\"");
    json_write_raw(w, infer->model->version);
    json_write_raw(w, "\"");
    if (infer->own.id) {
        json_write_raw(w, ",\"id\":");
        json_write_string_bytes(w, infer->own.id, infer->own.id_len);
    }
    write_parameters(infer, w);
    write_output(infer, w);
    if (infer->to_text) {
        json_write_raw(w, ",\"data\":[");
        return;
    }
    if (infer->target) {
        json_write_raw(w, "}]}");
        return;
    }
    json_write_raw(w, ",\"parameters\":{\"binary_data_size\":");
    json_write_uint(w, binary_size);
    json_write_raw(w, "}}]}");
}
