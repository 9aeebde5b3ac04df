#include <stdio.h>
#include <string.h>

#include "api/routes/routes.h"

static const char *datatype_of(const struct model *model)
{
    return model->typed ? dtype_info(model->datatype)->name : "FP32";
}

/* With the shape that the model fixes, or one that most clients can build. */
static void write_data(struct json_writer *w, const char *name,
                       const struct model *model)
{
    json_writer_print(w, "{\"name\":%s,\"datatype\":%s,\"shape\":", name,
                      datatype_of(model));
    if (model->shaped)
        json_writer_shape(w, &model->shape);
    else
        json_writer_raw(w, "[-1,-1]");
    json_writer_raw(w, "}");
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

/* "integer, default 1", or "integer, fixed to 1". */
static void describe(const struct attribute *a,
                     const struct attribute_value *fixed, char *text,
                     size_t size)
{
    const char *how = fixed->given ? "fixed to" : "default";
    bool flag = fixed->given ? fixed->flag : a->fallback > 0;
    double number = fixed->given ? fixed->number : a->fallback;

    if (a->kind == ATTRIBUTE_INT && fixed->given)
        number = (double)fixed->integer;
    if (a->kind == ATTRIBUTE_TEXT && fixed->given)
        snprintf(text, size, "string, fixed to %s", fixed->text);
    else if (a->kind == ATTRIBUTE_TEXT)
        snprintf(text, size, "string");
    else if (a->kind == ATTRIBUTE_BOOL)
        snprintf(text, size, "boolean, %s %s", how, flag ? "true" : "false");
    else
        snprintf(text, size, "%s, %s %g", kind_name(a->kind), how, number);
}

static void write_attribute(struct json_writer *w, const struct attribute *a,
                            const struct attribute_value *fixed)
{
    char name[80];
    char value[80];

    snprintf(name, sizeof(name), "attribute %s", a->name);
    describe(a, fixed, value, sizeof(value));
    json_writer_print(w, ",%s:%s", name, value);
}

static void write_properties(struct json_writer *w, const struct model *model)
{
    const struct op *op = model->op;

    json_writer_print(w, "{\"summary\":%s", op->summary);
    if (strcmp(op->name, model->name) != 0)
        json_writer_print(w, ",\"op\":%s", op->name);
    json_writer_print(w, ",\"datatypes\":%s",
                      model->typed ? datatype_of(model) : op->takes);
    for (int i = 0; op->attributes[i].name; i++)
        write_attribute(w, &op->attributes[i], &model->fixed[i]);
    json_writer_raw(w, "}");
}

void metadata_answer(const struct model *model, struct api_reply *reply)
{
    const struct op *op = model->op;
    struct json_writer w;

    json_writer_grow(&w);
    json_writer_print(&w,
                      "{\"name\":%s,\"versions\":[%s],"
                      "\"platform\":\"flipd\",\"inputs\":[",
                      model->name, model->version);
    write_data(&w, op->data, model);
    json_writer_print(&w,
                      ",{\"name\":%s,\"datatype\":%s,\"shape\":[-1]}],"
                      "\"outputs\":[",
                      op->control, op->control_datatype);
    write_data(&w, model->output, model);
    json_writer_raw(&w, "],\"properties\":");
    write_properties(&w, model);
    json_writer_raw(&w, "}");
    reply_text(reply, 200, &w);
}
