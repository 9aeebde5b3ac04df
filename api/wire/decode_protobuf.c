/* A ModelInferRequest becomes a document like that of JSON. Behind the document
 * lie the places of its inputs, its texts, and the tensors that were converted
 * from typed contents; raw ones stay in the message. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/document/datatype.h"
#include "api/infer/infer.h"
#include "api/wire/infer_message.h"
#include "api/wire/wire.h"

/* The state of decode_protobuf(). */
struct decoder {
    struct infer_message message;
    struct document *doc;
    struct infer_bytes *placed; /* in the document's memory, as the next two */
    char *texts;                /* where the next text goes */
    unsigned char *values;      /* where the next converted tensor goes */
    unsigned char *body;
    size_t raw_used; /* of message.raw */
    size_t left;     /* fields, for protobuf_read() */
};

/* Reads the parameters of an input or an output, which are its fields `number`;
 * `where` is their name for errors. Fails as location_read(). */
static bool read_location(struct decoder *d,
                          const struct protobuf_field *object, uint32_t number,
                          struct location *location, const char *where,
                          struct status *st)
{
    struct protobuf_reader reader =
        protobuf_read(object->data, object->len, &d->left);
    struct document_parameter stored;
    struct protobuf_field field;
    struct parameter p;

    reader.start = d->body;
    while (protobuf_next(&reader, &field))
        if (field.number == number && field.type == PROTOBUF_BYTES &&
            (!parameter_read(&reader, &field, where, &p, st) ||
             !parameter_store(&p, where, &d->texts, &stored, st) ||
             !location_read(location, where, &stored, st)))
            return false;
    return protobuf_end(&reader, st) && location_check(location, where, st);
}

/* Converts the contents to the document's memory. */
static bool convert(struct decoder *d, const struct input_message *message,
                    const struct tensor *tensor, struct infer_bytes *placed,
                    struct status *st)
{
    size_t left = SIZE_MAX;
    struct protobuf_reader reader =
        protobuf_read(message->field.data, message->field.len, &left);
    struct protobuf_field field;
    uint64_t index = 0;

    *placed = (struct infer_bytes){d->values, true};
    while (protobuf_next(&reader, &field)) {
        if (field.number != INPUT_CONTENTS || field.type != PROTOBUF_BYTES)
            continue;
        d->values = contents_convert(&field, tensor, &index, d->values, st);
        if (!d->values)
            return false;
    }
    return true;
}

/* Finds the bytes of an input with typed contents, or with no element. */
static bool place_contents(struct decoder *d, int i, struct status *st)
{
    const struct input_message *message = &d->message.inputs[i];
    struct document_input *input = &d->doc->inputs[i];
    const struct tensor tensor = {
        .name = input->name, .dtype = input->dtype, .shape = input->shape};
    const unsigned char *there =
        contents_in_place(&message->contents, input->dtype);

    if (!contents_check(&message->contents, &tensor, input->count, i, st))
        return false;
    if (there) {
        d->placed[i].data = d->body + (there - d->body);
        input->binary_bytes = message->contents.packed_len;
        return true;
    }
    if (!convert(d, message, &tensor, &d->placed[i], st))
        return false;
    input->binary_bytes = (uint64_t)(d->values - d->placed[i].data);
    return true;
}

static void place_raw(struct decoder *d, int i)
{
    const struct api_piece *raw = &d->message.head->raw[d->raw_used++];

    d->placed[i].data = d->body + ((const unsigned char *)raw->data - d->body);
    d->doc->inputs[i].binary_bytes = raw->len;
}

static bool has_contents(const struct decoder *d, int i)
{
    return d->message.inputs[i].contents.lists != 0;
}

/* True if the bytes of input `i` may be among the raw ones. */
static bool may_be_raw(const struct decoder *d, int i)
{
    return d->doc->inputs[i].form != DOCUMENT_FORM_REGION &&
           !has_contents(d, i);
}

static bool refuse_missing(const struct decoder *d, int i, struct status *st)
{
    return status_fail(st, STATUS_INVALID,
                       "inputs[%d] ('%.64s') has neither contents nor "
                       "raw_input_contents nor "
                       "parameters.shared_memory_region",
                       i, d->doc->inputs[i].name);
}

/* An input without contents has its bytes among the raw ones; one without
 * elements need not. */
static bool place(struct decoder *d, int i, struct status *st)
{
    const struct api_head *head = d->message.head;
    bool is_empty = d->doc->inputs[i].count == 0;
    bool has_next = d->raw_used < head->raw_count;

    if (d->doc->inputs[i].form == DOCUMENT_FORM_REGION)
        return true;
    if (!may_be_raw(d, i) ||
        (is_empty && !(has_next && head->raw[d->raw_used].len == 0)))
        return place_contents(d, i, st);
    if (!has_next)
        return refuse_missing(d, i, st);
    place_raw(d, i);
    return true;
}

static bool check_raw_count(struct decoder *d, struct status *st)
{
    size_t most = 0;

    for (int i = 0; i < d->doc->input_count; i++)
        most += may_be_raw(d, i);
    return d->message.head->raw_count <= most ||
           status_fail(st, STATUS_INVALID,
                       "raw_input_contents has %zu entries, but %zu of the %d "
                       "inputs have neither contents nor "
                       "parameters.shared_memory_region",
                       d->message.head->raw_count, most, d->doc->input_count);
}

static bool set_region(struct decoder *d, int i,
                       const struct location *location, struct status *st)
{
    struct document_input *input = &d->doc->inputs[i];

    input->is_numpy = location->is_numpy;
    input->form = DOCUMENT_FORM_BINARY;
    if (!location->region.name)
        return true;
    input->form = DOCUMENT_FORM_REGION;
    input->region = location->region;
    input->binary_bytes = location->region.bytes;
    return !has_contents(d, i) ||
           status_fail(st, STATUS_INVALID,
                       "inputs[%d] ('%.64s') has both contents and "
                       "parameters.shared_memory_region",
                       i, input->name);
}

static bool read_input(struct decoder *d, int i, struct status *st)
{
    const struct input_message *message = &d->message.inputs[i];
    struct location location = {.is_input = true, .key = "binary_data_size"};
    struct document_input *input = &d->doc->inputs[i];
    const struct input_names *names = &infer_message_names[i];

    d->doc->input_count = i + 1;
    input->name = parameter_text(&message->name, &d->texts);
    input->shape = message->shape;
    return datatype_read(message->datatype.text, message->datatype.len,
                         names->input, &input->dtype, st) &&
           shape_count(&input->shape, input->name, &input->count, st) &&
           read_location(d, &message->field, INPUT_PARAMETERS, &location,
                         names->parameters, st) &&
           set_region(d, i, &location, st);
}

/* Makes the inputs of the message those of the document, and finds or converts
 * their bytes. */
static bool read_inputs(struct decoder *d, struct status *st)
{
    int count = d->message.input_count;

    if (count == 0)
        return status_fail(st, STATUS_INVALID,
                           "inputs is missing: the request has no tensors");
    for (int i = 0; i < count; i++)
        if (!read_input(d, i, st))
            return false;
    if (!check_raw_count(d, st))
        return false;
    for (int i = 0; i < count; i++)
        if (!place(d, i, st))
            return false;
    return d->raw_used == d->message.head->raw_count ||
           status_fail(st, STATUS_INVALID,
                       "raw_input_contents has %zu entries, but only %zu of "
                       "the inputs with elements have neither contents nor "
                       "parameters.shared_memory_region",
                       d->message.head->raw_count, d->raw_used);
}

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
        !read_location(d, object, OUTPUT_PARAMETERS, &location, where, st))
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

    if (!d->message.head->has_more)
        return true;
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
    return read_rest(d, len, st) && read_inputs(d, st);
}

/* The form is that of gRPC: empty texts are absent ones. */
static void describe(const struct decoder *d, struct infer_request *decoded)
{
    const struct api_piece *id = &d->message.head->id;

    decoded->doc = d->doc;
    decoded->placed = d->placed;
    decoded->binary_start = decoded->body_len;
    d->doc->id = id->len > 0 ? id->data : NULL;
    d->doc->id_len = id->len;
    decoded->wants_final = d->message.head->wants_final;
}

bool decode_protobuf(const struct api_request *request, const struct op *op,
                     struct infer_request *decoded, struct status *st)
{
    struct api_head own;
    const struct api_head *head = infer_head_read(request, &own, st);
    struct decoder d;

    (void)op;
    *decoded = (struct infer_request){.body = request->body,
                                      .body_len = request->body_len};
    d.body = request->body;
    d.raw_used = 0;
    d.left = INFER_MESSAGE_FIELDS;
    if (!head || !infer_message_read(request, head, &d.message, st) ||
        !new_document(&d, request->heap, st))
        return false;
    if (read(&d, request->body_len, st)) {
        describe(&d, decoded);
        return true;
    }
    document_free(d.doc);
    return false;
}
