#include "api/infer/infer.h"
#include "api/infer/npy.h"

#include <stdlib.h>
#include <string.h>

/* Reads the Inference-Header-Content-Length: digits and nothing else. */
static bool read_header(const char *text, size_t body_len, size_t *json_len,
                        struct status *st)
{
    size_t digits = strspn(text, "0123456789");
    uint64_t value = 0;

    if (digits == 0 || text[digits] != '\0')
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is '%.40s', but it "
                           "must be a number of bytes",
                           text);
    for (size_t i = 0; i < digits && value <= body_len; i++)
        value = value * 10 + (uint64_t)(text[i] - '0');
    if (value > body_len)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is %.40s, but the "
                           "body has %zu bytes",
                           text, body_len);
    if (value == 0)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is 0, which asks "
                           "for a raw binary request: no model here takes one, "
                           "for each has two inputs");
    *json_len = (size_t)value;
    return true;
}

static bool read_outputs(struct infer *infer, struct status *st)
{
    const struct attribute_value *name =
        settings_role(infer->op, &infer->settings, ATTRIBUTE_OUTPUT_NAME);
    const struct document *doc = infer->doc;

    infer->output_name = name && name->text ? name->text : infer->model->output;
    infer->to_text = !infer->settings.binary_output;
    for (int i = 0; i < doc->output_count; i++) {
        if (strcmp(doc->outputs[i].name, infer->output_name) != 0)
            return status_fail(st, STATUS_INVALID,
                               "outputs[%d] is '%.64s', but the output is "
                               "'%.64s'",
                               i, doc->outputs[i].name, infer->output_name);
        if (i > 0)
            return status_fail(st, STATUS_INVALID,
                               "outputs[%d] repeats '%.64s'", i,
                               infer->output_name);
        infer->to_text = !doc->outputs[i].binary;
    }
    return true;
}

static double coefficient(const struct infer *infer)
{
    const struct attribute_value *value =
        settings_role(infer->op, &infer->settings, ATTRIBUTE_COEFFICIENT);

    return infer->op->scales && value ? value->number : 1.0;
}

static bool describe(struct infer *infer, struct status *st)
{
    infer->coefficient = coefficient(infer);
    infer->call.attributes = infer->settings.values;
    if (infer->op->describe(&infer->call, &infer->permutation, st))
        return true;
    /* JSON data is otherwise read once, when it moves. Faults of a tensor come
     * before an operator's, so here it is read for them. */
    if (infer->from_text)
        tensor_json_index(&infer->text, 1, NULL, NULL, st);
    return false;
}

static bool describe_all(struct infer *infer, const struct api_request *request,
                         size_t json_len, struct status *st)
{
    bool ok = infer_tensors(infer, request, json_len, st) &&
              read_outputs(infer, st) && infer_target(infer, request, st) &&
              infer_copy_region(infer, st) && infer_read_context(infer, st) &&
              describe(infer, st) && infer_write_context(infer, st);

    /* The permutation has its own copy of the lengths. */
    free(infer->control);
    infer->control = NULL;
    infer->call.control.data = NULL;
    return ok;
}

static bool prepare_npy(struct infer *infer, const struct api_request *request,
                        struct status *st)
{
    struct npy npy;

    return infer_read_npy(infer, request, &npy, st) &&
           settings_read(infer->model, infer->doc, &infer->settings, st) &&
           describe_all(infer, request, npy.size, st) &&
           infer_reply_npy(infer, request, &npy, st) && infer_size(infer, st);
}

/* Nothing when it goes past the document, which will be refused. */
static void take_early(struct infer *infer, const struct api_request *request,
                       size_t json_len)
{
    const struct api_early *early = request->early;

    if (!early || early->start == 0 || early->behind > json_len)
        return;
    infer->validated.start = early->start;
    infer->validated.validated_end = early->behind;
    infer->early_dtype = early->dtype;
    infer->early_lengths = early->lengths;
}

bool infer_prepare(const struct model *model, const struct api_request *request,
                   struct infer *infer, struct status *st)
{
    const char *header = request->inference_header;
    const char *text = (const char *)request->body;
    size_t json_len = request->body_len;
    struct document_source source;

    infer->model = model;
    infer->op = model->op;
    if (infer_is_npy(request))
        return prepare_npy(infer, request, st);
    if (header && !read_header(header, request->body_len, &json_len, st))
        return false;
    take_early(infer, request, json_len);
    source = (struct document_source){
        .text = {text, json_len, infer->validated},
        .has_header = header != NULL,
        .cache = request->cache,
    };
    infer->doc = document_read(&source, &infer->instance, st);
    return infer->doc &&
           settings_read(model, infer->doc, &infer->settings, st) &&
           describe_all(infer, request, json_len, st) && infer_size(infer, st);
}

void infer_free(struct infer *infer)
{
    document_unref(infer->doc);
    permutation_free(&infer->permutation);
    free(infer->context);
    free(infer->copy);
}
