/* A ModelInferRequest becomes a document like that of JSON. Behind the document
 * lie the places of its inputs, its texts, and the tensors that were converted
 * from typed contents; raw ones stay in the message. */
#include <stdio.h>
#include <string.h>

#include "api/wire/decoder.h"
#include "api/wire/wire.h"

static bool new_document(struct decoder *d, const struct api_heap *heap,
                         struct status *st)
{
    const struct infer_message *message = &d->message;
    size_t places = DOCUMENT_MAX_INPUTS * sizeof(*d->placed);
    size_t extra = places + message->text_bytes + message->value_bytes;

    if (extra > API_HEAP_FREE && !api_heap_take(heap, extra))
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    d->doc = document_new(extra, st);
    if (!d->doc)
        return false;
    d->placed = (struct infer_bytes *)(void *)(d->doc + 1);
    d->texts = (char *)d->placed + places;
    d->values = (unsigned char *)d->texts + message->text_bytes;
    return true;
}

/* The last one of a key counts. */
static struct document_parameter *slot(struct document *doc, const char *key,
                                       struct status *st)
{
    for (int i = 0; i < doc->parameter_count; i++)
        if (strcmp(doc->parameters[i].key, key) == 0)
            return &doc->parameters[i];
    if (doc->parameter_count < DOCUMENT_MAX_PARAMETERS)
        return &doc->parameters[doc->parameter_count++];
    status_fail(st, STATUS_INVALID, "parameters has more than %d entries",
                DOCUMENT_MAX_PARAMETERS);
    return NULL;
}

static bool read_parameter(struct decoder *d,
                           const struct protobuf_reader *reader,
                           const struct protobuf_field *field,
                           struct status *st)
{
    struct document_parameter stored, *to;
    struct parameter p;

    if (!parameter_read(reader, field, "parameters", &p, st) ||
        !parameter_store(&p, "parameters", &d->texts, &stored, st))
        return false;
    if (strcmp(stored.key, INFER_MESSAGE_FINAL) == 0)
        return true;
    to = slot(d->doc, stored.key, st);
    if (to)
        *to = stored;
    return to != NULL;
}

static bool read_output(struct decoder *d, const struct protobuf_reader *outer,
                        const struct protobuf_field *object, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, object);
    struct location location = {.key = "binary_data"};
    struct protobuf_text name = {"", 0};
    struct document_output *output;
    struct protobuf_field field;
    char where[32];

    if (d->doc->output_count == DOCUMENT_MAX_OUTPUTS)
        return status_fail(st, STATUS_INVALID,
                           "outputs has more than %d entries, but no model "
                           "takes more",
                           DOCUMENT_MAX_OUTPUTS);
    snprintf(where, sizeof(where), "outputs[%d].name", d->doc->output_count);
    while (protobuf_next(&reader, &field))
        if (field.number == OUTPUT_NAME && field.type == PROTOBUF_BYTES &&
            !protobuf_name(&field, where, &name, st))
            return false;
    snprintf(where, sizeof(where), "outputs[%d].parameters",
             d->doc->output_count);
    output = &d->doc->outputs[d->doc->output_count++];
    output->name = parameter_text(&name, &d->texts);
    if (!protobuf_end(&reader, st) ||
        !decoder_location(d, object, OUTPUT_PARAMETERS, &location, where, st))
        return false;
    output->region = location.region;
    output->has_form = location.value.key != NULL;
    return !output->has_form ||
           location_bool(&location.value, where, &output->binary, st);
}

/* The parameters and outputs; inputs were read before. */
static bool read_rest(struct decoder *d, size_t len, struct status *st)
{
    struct protobuf_reader reader = protobuf_read(d->body, len, &d->left);
    struct protobuf_field field;

    while (protobuf_next(&reader, &field)) {
        if (field.type != PROTOBUF_BYTES)
            continue;
        if (field.number == REQUEST_PARAMETERS &&
            !read_parameter(d, &reader, &field, st))
            return false;
        if (field.number == REQUEST_OUTPUTS &&
            !read_output(d, &reader, &field, st))
            return false;
    }
    return protobuf_end(&reader, st);
}

static bool read(struct decoder *d, size_t len, struct status *st)
{
    return read_rest(d, len, st) && decoder_inputs(d, st);
}

/* The form is that of gRPC: empty texts are absent ones. */
static void describe(const struct decoder *d, struct infer_request *decoded)
{
    const struct protobuf_text *id = &d->message.id;

    decoded->doc = d->doc;
    decoded->placed = d->placed;
    decoded->binary_start = decoded->body_len;
    d->doc->id = id->len > 0 ? id->text : NULL;
    d->doc->id_len = id->len;
}

bool decode_protobuf(const struct api_request *request, const struct op *op,
                     struct infer_request *decoded, struct status *st)
{
    struct decoder d;

    (void)op;
    *decoded = (struct infer_request){.body = request->body,
                                      .body_len = request->body_len};
    d.body = request->body;
    d.raw_used = 0;
    d.left = INFER_MESSAGE_FIELDS;
    if (!infer_message_read(d.body, request->body_len, &d.message, st) ||
        !new_document(&d, request->heap, st))
        return false;
    if (read(&d, request->body_len, st)) {
        describe(&d, decoded);
        return true;
    }
    document_free(d.doc);
    return false;
}
