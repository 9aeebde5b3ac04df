/* gRPC's messages as a request and as a reply: a ModelInferRequest becomes a
 * document like that of JSON. The memory of its tree has the texts, and the
 * tensors that were converted from typed contents; raw ones stay in the
 * message. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/document/field.h"
#include "api/document/misplaced.h"
#include "api/infer/infer.h"
#include "api/wire/message.h"
#include "api/wire/wire.h"
#include "kernels/core/require.h"

static_assert((int)API_HEAD_INPUTS == (int)DOCUMENT_MAX_INPUTS,
              "a head has the inputs of a document");

/* What errors call an input, its texts and its parameters. */
static const struct input_names {
    const char *input, *name, *datatype, *parameters;
} names[DOCUMENT_MAX_INPUTS] = {
#define NAMES(input)                                                           \
    {                                                                          \
        input, input ".name", input ".datatype", input ".parameters"           \
    }
    NAMES("inputs[0]"), NAMES("inputs[1]"), NAMES("inputs[2]"),
    NAMES("inputs[3]")};

/* An input as it lies in the message. */
struct input {
    struct protobuf_field field; /* all of it */
    struct protobuf_field name, datatype;
    struct shape shape;
    struct contents contents;
};

struct decoder {
    const struct api_head *head; /* borrowed */
    int input_count;
    struct input inputs[DOCUMENT_MAX_INPUTS];
    size_t text_bytes;  /* most that names, keys and texts take, with NULs */
    size_t value_bytes; /* most that contents take as tensors */

    struct document *doc;
    char *texts;           /* in its memory, where the next text goes */
    unsigned char *values; /* there, where the next converted tensor goes */
    unsigned char *body;
    bool wants_final; /* a parameter about the response, and none of a model */
    size_t raw_used;  /* of head->raw */
    size_t left;      /* fields, for protobuf_read() */
};

/* Adds the dims of one field: one number, or a packed list. */
static bool add_dims(const struct protobuf_field *field, struct shape *shape,
                     size_t *rank, const char *where, struct status *st)
{
    const unsigned char *at = field->data, *end = at + field->len;
    uint64_t value;

    if (field->type != PROTOBUF_VARINT && field->type != PROTOBUF_BYTES)
        return true;
    for (; at < end; ++*rank) {
        if (!protobuf_number(&at, end, &value))
            return status_fail(st, STATUS_MALFORMED,
                               "%s.shape has a number that does not end",
                               where);
        if (value > INT64_MAX)
            return status_fail(st, STATUS_INVALID,
                               "%s.shape[%zu] is %lld, but a dim is 0 or more",
                               where, *rank, (long long)value);
        if (*rank < SHAPE_MAX_RANK)
            shape->dims[*rank] = (int64_t)value;
    }
    return true;
}

static bool read_input_field(const struct protobuf_field *field,
                             struct input *input, size_t *rank,
                             const struct input_names *where, struct status *st)
{
    if (field->number == INPUT_SHAPE)
        return add_dims(field, &input->shape, rank, where->input, st);
    if (field->type != PROTOBUF_BYTES)
        return true;
    if (field->number == INPUT_CONTENTS)
        return contents_add(&input->contents, field, where->input, st);
    if (field->number == INPUT_NAME) {
        input->name = *field;
        return protobuf_is_name(field, where->name, st);
    }
    if (field->number != INPUT_DATATYPE)
        return true;
    input->datatype = *field;
    return protobuf_is_name(field, where->datatype, st);
}

/* Reads all of an input but its parameters. */
static bool scan_input(struct decoder *d, const struct protobuf_reader *outer,
                       const struct api_piece *piece, struct status *st)
{
    struct input *input = &d->inputs[d->input_count];
    const struct input_names *where = &names[d->input_count++];
    struct protobuf_reader reader;
    struct protobuf_field part;
    size_t rank = 0;

    *input = (struct input){
        .field = {.data = piece->data, .len = piece->len},
        .datatype = {.data = (const unsigned char *)""},
    };
    reader = protobuf_enter(outer, &input->field);
    while (protobuf_next(&reader, &part)) {
        if (!read_input_field(&part, input, &rank, where, st))
            return false;
        if (part.number != INPUT_CONTENTS)
            d->text_bytes += part.len + 1;
    }
    d->text_bytes++; /* of a name that is missing */
    d->value_bytes += input->contents.bytes;
    input->shape.rank = (int)rank;
    return protobuf_end(&reader, st) &&
           (rank <= SHAPE_MAX_RANK ||
            status_fail(st, STATUS_INVALID,
                        "%s.shape has rank %zu, but the limit is %d",
                        where->input, rank, SHAPE_MAX_RANK));
}

/* Reads the inputs but for their parameters, and how much memory the document
 * takes. */
static bool scan(struct decoder *d, size_t len, struct status *st)
{
    const struct api_head *head = d->head;
    size_t left = head->fields_left;
    struct protobuf_reader outer = protobuf_read(d->body, len, &left);

    d->text_bytes = head->other_bytes;
    for (size_t i = 0; i < head->input_count && i < API_HEAD_INPUTS; i++)
        if (!scan_input(d, &outer, &head->inputs[i], st))
            return false;
    return head->input_count <= API_HEAD_INPUTS ||
           status_fail(st, STATUS_INVALID,
                       "inputs has more than %d entries, but no model takes "
                       "more",
                       DOCUMENT_MAX_INPUTS);
}

/* Copies a text and a NUL to the document's memory. */
static char *copy_text(struct decoder *d, const char *text, size_t len)
{
    char *copy = d->texts;

    if (len > 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    d->texts += len + 1;
    return copy;
}

/* Reads an entry as the parameter of a document. Fails with INVALID without a
 * value, and for a text that gives an attribute under a key like params. */
static bool read_entry(struct decoder *d, const struct protobuf_reader *reader,
                       const struct protobuf_field *entry, const char *where,
                       struct tree_value *stored, struct status *st)
{
    if (!parameter_read(reader, entry, where, stored, st))
        return false;
    stored->key = copy_text(d, stored->key, stored->key_len);
    if (stored->kind == TREE_NULL)
        return status_fail(st, STATUS_INVALID, "%s.%.40s has no value", where,
                           stored->key);
    if (stored->kind != TREE_STRING)
        return true;
    stored->text = copy_text(d, stored->text, stored->len);
    return misplaced_pass_text(stored->key, stored->text, where, st);
}

/* The last one of a key counts. */
static bool read_parameter(struct decoder *d,
                           const struct protobuf_reader *reader,
                           const struct protobuf_field *field,
                           struct status *st)
{
    struct document *doc = d->doc;
    struct tree_value stored;
    int at = 0;

    if (!read_entry(d, reader, field, "parameters", &stored, st))
        return false;
    if (strcmp(stored.key, "triton_enable_empty_final_response") == 0) {
        d->wants_final = stored.kind == TREE_BOOL && stored.flag;
        return true;
    }
    while (at < doc->parameter_count &&
           strcmp(doc->parameters[at].key, stored.key) != 0)
        at++;
    if (at == DOCUMENT_MAX_PARAMETERS)
        return status_fail(st, STATUS_INVALID,
                           "parameters has more than %d entries",
                           DOCUMENT_MAX_PARAMETERS);
    doc->parameter_count += at == doc->parameter_count;
    doc->parameters[at] = stored;
    return true;
}

/* Reads the parameters of an input or an output, which are its fields `number`;
 * `where` is their name for errors. Fails as location_read(). */
static bool read_location(struct decoder *d,
                          const struct protobuf_field *object, uint32_t number,
                          struct location *location, const char *where,
                          struct status *st)
{
    struct protobuf_reader reader =
        protobuf_read(object->data, object->len, &d->left);
    struct tree_value stored;
    struct protobuf_field field;

    reader.start = d->body;
    while (protobuf_next(&reader, &field))
        if (field.number == number && field.type == PROTOBUF_BYTES &&
            (!read_entry(d, &reader, &field, where, &stored, st) ||
             !location_read(location, where, &stored, st)))
            return false;
    return protobuf_end(&reader, st) && location_check(location, where, st);
}

static bool read_output(struct decoder *d, const struct protobuf_reader *outer,
                        const struct protobuf_field *object, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, object);
    struct location location = {.key = "binary_data"};
    struct protobuf_field name = {.len = 0};
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
        if (field.number == OUTPUT_NAME && field.type == PROTOBUF_BYTES) {
            name = field;
            if (!protobuf_is_name(&field, where, st))
                return false;
        }
    snprintf(where, sizeof(where), "outputs[%d].parameters",
             d->doc->output_count);
    output = &d->doc->outputs[d->doc->output_count++];
    *output = (struct document_output){
        .name = copy_text(d, (const char *)name.data, name.len)};
    if (!protobuf_end(&reader, st) ||
        !read_location(d, object, OUTPUT_PARAMETERS, &location, where, st))
        return false;
    output->region = location.region;
    output->has_form = location.value.key != NULL;
    return !output->has_form || field_bool(&location.value, where, location.key,
                                           &output->binary, st);
}

/* Reads the parameters and outputs of the request. */
static bool read_rest(struct decoder *d, size_t len, struct status *st)
{
    struct protobuf_reader reader = protobuf_read(d->body, len, &d->left);
    struct protobuf_field field;

    if (!d->head->has_more)
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

static bool has_contents(const struct decoder *d, int i)
{
    return d->inputs[i].contents.lists != 0;
}

static bool read_input(struct decoder *d, int i, struct status *st)
{
    const struct input *message = &d->inputs[i];
    struct location location = {.is_input = true, .key = "binary_data_size"};
    struct document_input *input = &d->doc->inputs[i];

    d->doc->input_count = i + 1;
    memset(input, 0, offsetof(struct document_input, shape));
    input->name =
        copy_text(d, (const char *)message->name.data, message->name.len);
    input->shape = message->shape;
    if (!datatype_read((const char *)message->datatype.data,
                       message->datatype.len, names[i].input, &input->dtype,
                       st) ||
        !shape_count(&input->shape, input->name, &input->count, st) ||
        !read_location(d, &message->field, INPUT_PARAMETERS, &location,
                       names[i].parameters, st))
        return false;
    input->is_numpy = location.is_numpy;
    input->form = DOCUMENT_FORM_BINARY;
    if (!location.region.name)
        return true;
    input->form = DOCUMENT_FORM_REGION;
    input->region = location.region;
    input->binary_bytes = location.region.bytes;
    return !has_contents(d, i) ||
           status_fail(st, STATUS_INVALID,
                       "inputs[%d] ('%.64s') has both contents and "
                       "parameters.shared_memory_region",
                       i, input->name);
}

/* An input has its bytes in shared memory, in its contents, or else in the next
 * entry of raw_input_contents; one without elements needs none. */
static bool place(struct decoder *d, int i, struct status *st)
{
    const struct api_head *head = d->head;
    const struct api_piece *raw = &head->raw[d->raw_used];
    struct document_input *input = &d->doc->inputs[i];
    bool has_next = d->raw_used < head->raw_count;

    if (input->form == DOCUMENT_FORM_REGION)
        return true;
    if (has_contents(d, i) ||
        (input->count == 0 && !(has_next && raw->len == 0)))
        return contents_place(&d->inputs[i].contents, &d->inputs[i].field, i,
                              d->body, input, &d->values, st);
    if (!has_next)
        return status_fail(st, STATUS_INVALID,
                           "inputs[%d] ('%.64s') has neither contents nor "
                           "raw_input_contents nor "
                           "parameters.shared_memory_region",
                           i, input->name);
    REQUIRE(d->raw_used < API_HEAD_INPUTS);
    d->raw_used++;
    input->bytes = d->body + ((const unsigned char *)raw->data - d->body);
    input->binary_bytes = raw->len;
    return true;
}

/* Makes the inputs of the message those of the document, and finds or converts
 * their bytes. */
static bool read_inputs(struct decoder *d, struct status *st)
{
    size_t most = 0; /* entries of raw_input_contents */

    if (d->input_count == 0)
        return status_fail(st, STATUS_INVALID,
                           "inputs is missing: the request has no tensors");
    for (int i = 0; i < d->input_count; i++) {
        if (!read_input(d, i, st))
            return false;
        most += d->doc->inputs[i].form != DOCUMENT_FORM_REGION &&
                !has_contents(d, i);
    }
    if (d->head->raw_count > most)
        return status_fail(st, STATUS_INVALID,
                           "raw_input_contents has %zu entries, but %zu of the "
                           "%d inputs have neither contents nor "
                           "parameters.shared_memory_region",
                           d->head->raw_count, most, d->input_count);
    for (int i = 0; i < d->input_count; i++)
        if (!place(d, i, st))
            return false;
    return d->raw_used == d->head->raw_count ||
           status_fail(st, STATUS_INVALID,
                       "raw_input_contents has %zu entries, but only %zu of "
                       "the inputs with elements have neither contents nor "
                       "parameters.shared_memory_region",
                       d->head->raw_count, d->raw_used);
}

bool decode_protobuf(struct infer *infer, struct status *st)
{
    const struct api_request *request = infer->request;
    size_t len = request->body_len;
    const char *texts, *values;
    struct decoder d;

    d.doc = &infer->doc;
    d.head = infer_head_read(request, st);
    d.body = request->body;
    d.input_count = 0;
    d.value_bytes = 0;
    d.wants_final = false;
    d.raw_used = 0;
    d.left = MESSAGE_FIELDS;
    if (!d.head || !scan(&d, len, st))
        return false;
    d.texts = tree_take(&d.doc->tree, d.text_bytes + d.value_bytes,
                        request->heap, st);
    if (!d.texts)
        return false;
    d.values = (unsigned char *)d.texts + d.text_bytes;
    infer->binary_start = len;
    texts = d.texts;
    values = (const char *)d.values;
    if (!read_rest(&d, len, st) || !read_inputs(&d, st))
        return false;
    REQUIRE(d.texts <= texts + d.text_bytes);
    REQUIRE((const char *)d.values <= values + d.value_bytes);
    infer->wants_final = d.wants_final;
    d.doc->id = d.head->id.len > 0 ? d.head->id.data : NULL; /* "": absent */
    d.doc->id_len = d.head->id.len;
    return true;
}

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

/* Writes a parameter; without a text it is true. */
static void write_parameter(struct writer *w, const char *key, const char *text)
{
    size_t entry = protobuf_write_open(w, RESPONSE_PARAMETERS), value;

    protobuf_write_text(w, ENTRY_KEY, key);
    value = protobuf_write_open(w, ENTRY_VALUE);
    if (text)
        protobuf_write_text(w, PARAMETER_STRING, text);
    else
        protobuf_write_number(w, PARAMETER_BOOL, true);
    protobuf_write_close(w, value);
    protobuf_write_close(w, entry);
}

static void write_output(struct writer *w, const struct infer *infer)
{
    const struct tensor *tensor = &infer->call.data;
    size_t output = protobuf_write_open(w, RESPONSE_OUTPUTS), shape;

    protobuf_write_text(w, TENSOR_NAME, infer->target.name);
    protobuf_write_text(w, TENSOR_DATATYPE, dtype_info(tensor->dtype)->name);
    if (tensor->shape.rank > 0) {
        shape = protobuf_write_open(w, TENSOR_SHAPE);
        for (int i = 0; i < tensor->shape.rank; i++)
            protobuf_write_varint(w, (uint64_t)tensor->shape.dims[i]);
        protobuf_write_close(w, shape);
    }
    protobuf_write_close(w, output);
}

/* All but the tensor's bytes and their length. triton_final_response is what
 * clients request by triton_enable_empty_final_response: every reply of flipd
 * is final. */
static void write_head(struct writer *w, const struct infer *infer)
{
    const char *echo = infer_echo(infer);

    protobuf_write_text(w, RESPONSE_MODEL_NAME, infer->model->name);
    protobuf_write_text(w, RESPONSE_MODEL_VERSION, infer->model->version);
    if (infer->doc.id)
        protobuf_write_bytes(w, RESPONSE_ID, infer->doc.id, infer->doc.id_len);
    if (echo)
        write_parameter(w, "name", echo);
    if (infer->backward_context)
        write_parameter(w, "backward_context", infer->backward_context);
    if (infer->wants_final)
        write_parameter(w, "triton_final_response", NULL);
    write_output(w, infer);
}

/* The tensor is the last field: a head that fits in front of it is moved there,
 * and both are one piece. It is empty where the tensor is in shared memory, for
 * clients count these fields. */
void encode_protobuf(const struct infer_result *result, struct api_reply *reply)
{
    struct writer w = {.data = result->head, .size = result->head_size};

    write_head(&w, result->infer);
    protobuf_write_head(&w, RESPONSE_RAW_OUTPUT_CONTENTS, result->len);
    REQUIRE(!w.failed);
    reply->content_type = "application/grpc";
    encoder_add_both(reply, result, w.len, result->len);
}
