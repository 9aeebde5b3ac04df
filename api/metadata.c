/* Model metadata. The protocol wants one datatype and shape for each tensor,
 * and the built-in models take many: they report FP32 [-1,-1] and say what they
 * really take in `properties`. */
#include <stdio.h>

#include "api/json_write.h"
#include "api/models.h"
#include "api/reply.h"

static void write_tensor(struct json_write *w, const char *name,
                         const char *datatype, const char *shape)
{
    json_write_raw(w, "{\"name\":");
    json_write_string(w, name);
    json_write_raw(w, ",\"datatype\":");
    json_write_string(w, datatype);
    json_write_raw(w, ",\"shape\":");
    json_write_raw(w, shape);
    json_write_raw(w, "}");
}

static void write_property(struct json_write *w, const char *name,
                           const char *value)
{
    json_write_raw(w, ",");
    json_write_string(w, name);
    json_write_raw(w, ":");
    json_write_string(w, value);
}

static const char *kind_name(enum attribute_kind kind)
{
    switch (kind) {
    case ATTRIBUTE_INT:
        return "integer";
    case ATTRIBUTE_FLOAT:
        return "number";
    case ATTRIBUTE_BOOL:
        return "boolean";
    case ATTRIBUTE_TEXT:
        return "string";
    }
    return "";
}

static void write_attribute(struct json_write *w, const struct attribute *a)
{
    char name[80];
    char value[80];

    snprintf(name, sizeof(name), "attribute %s", a->name);
    if (a->kind == ATTRIBUTE_TEXT)
        snprintf(value, sizeof(value), "%s", kind_name(a->kind));
    else if (a->kind == ATTRIBUTE_BOOL)
        snprintf(value, sizeof(value), "%s, default %s", kind_name(a->kind),
                 a->fallback > 0 ? "true" : "false");
    else
        snprintf(value, sizeof(value), "%s, default %g", kind_name(a->kind),
                 a->fallback);
    write_property(w, name, value);
}

static void write_properties(struct json_write *w, const struct op *op)
{
    json_write_raw(w, "{\"summary\":");
    json_write_string(w, op->summary);
    write_property(w, "datatypes", op->takes);
    for (const struct attribute *a = op->attributes; a->name; a++)
        write_attribute(w, a);
    json_write_raw(w, "}");
}

void models_metadata(const struct op *op, struct api_reply *reply)
{
    struct json_write w;

    json_write_grow(&w);
    json_write_raw(&w, "{\"name\":");
    json_write_string(&w, op->name);
    json_write_raw(&w, ",\"versions\":[");
    json_write_string(&w, op->version);
    json_write_raw(&w, "],\"platform\":\"flipd\",\"inputs\":[");
    write_tensor(&w, op->data, "FP32", "[-1,-1]");
    json_write_raw(&w, ",");
    write_tensor(&w, op->control, op->control_datatype, "[-1]");
    json_write_raw(&w, "],\"outputs\":[");
    write_tensor(&w, op->output, "FP32", "[-1,-1]");
    json_write_raw(&w, "],\"properties\":");
    write_properties(&w, op);
    json_write_raw(&w, "}");
    reply_text(reply, 200, &w);
}
