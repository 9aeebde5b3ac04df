/* The inputs of a ModelInferRequest, and where their bytes are. */
#include <stdint.h>
#include <string.h>

#include "api/document/datatype.h"
#include "api/wire/decoder.h"

bool decoder_location(struct decoder *d, const struct protobuf_field *object,
                      uint32_t number, struct location *location,
                      const char *where, struct status *st)
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
    const struct protobuf_field *raw = &d->message.raw[d->raw_used++];

    d->placed[i].data = d->body + (raw->data - d->body);
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
    const struct infer_message *message = &d->message;
    bool is_empty = d->doc->inputs[i].count == 0;
    bool has_next = d->raw_used < message->raw_count;

    if (d->doc->inputs[i].form == DOCUMENT_FORM_REGION)
        return true;
    if (!may_be_raw(d, i) ||
        (is_empty && !(has_next && message->raw[d->raw_used].len == 0)))
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
    return d->message.raw_count <= most ||
           status_fail(st, STATUS_INVALID,
                       "raw_input_contents has %zu entries, but %zu of the %d "
                       "inputs have neither contents nor "
                       "parameters.shared_memory_region",
                       d->message.raw_count, most, d->doc->input_count);
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
           decoder_location(d, &message->field, INPUT_PARAMETERS, &location,
                            names->parameters, st) &&
           set_region(d, i, &location, st);
}

bool decoder_inputs(struct decoder *d, struct status *st)
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
    return d->raw_used == d->message.raw_count ||
           status_fail(st, STATUS_INVALID,
                       "raw_input_contents has %zu entries, but only %zu of "
                       "the inputs with elements have neither contents nor "
                       "parameters.shared_memory_region",
                       d->message.raw_count, d->raw_used);
}
