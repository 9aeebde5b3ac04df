/* The JSON of an infer reply, around the data. */
#include "api/infer/infer.h"

static const char *echo(const struct infer *infer)
{
    const struct attribute_value *value =
        settings_role(infer->op, &infer->settings, ATTRIBUTE_ECHO);

    return value ? value->text : NULL;
}

static void write_parameters(const struct infer *infer, struct json_writer *w)
{
    const char *name = echo(infer);

    if (!name && !infer->context)
        return;
    json_writer_raw(w, ",\"parameters\":{");
    if (name) {
        json_writer_raw(w, "\"name\":");
        json_writer_string(w, name);
    }
    if (infer->context) {
        json_writer_raw(w, name ? ",\"backward_context\":"
                                : "\"backward_context\":");
        json_writer_string(w, infer->context);
    }
    json_writer_raw(w, "}");
}

static void write_output(const struct infer *infer, struct json_writer *w)
{
    json_writer_raw(w, ",\"outputs\":[{\"name\":");
    json_writer_string(w, infer->output_name);
    json_writer_raw(w, ",\"datatype\":\"");
    json_writer_raw(w, dtype_info(infer->call.data.dtype)->name);
    json_writer_raw(w, "\",\"shape\":");
    json_writer_shape(w, &infer->call.data.shape);
}

void infer_write_head(const struct infer *infer, size_t binary_size,
                      struct json_writer *w)
{
    json_writer_raw(w, "{\"model_name\":\"");
    json_writer_raw(w, infer->model->name);
    json_writer_raw(w, "\",\"model_version\":\"");
    json_writer_raw(w, infer->model->version);
    json_writer_raw(w, "\"");
    if (infer->instance.id) {
        json_writer_raw(w, ",\"id\":");
        json_writer_string_bytes(w, infer->instance.id, infer->instance.id_len);
    }
    write_parameters(infer, w);
    write_output(infer, w);
    if (infer->to_text) {
        json_writer_raw(w, ",\"data\":[");
        return;
    }
    if (infer->target) {
        json_writer_raw(w, "}]}");
        return;
    }
    json_writer_raw(w, ",\"parameters\":{\"binary_data_size\":");
    json_writer_uint(w, binary_size);
    json_writer_raw(w, "}}]}");
}
