#include "api/wire/infer_message.h"

#define NAMES(input)                                                           \
    {                                                                          \
        input, input ".name", input ".datatype", input ".parameters"           \
    }

const struct input_names infer_message_names[DOCUMENT_MAX_INPUTS] = {
    NAMES("inputs[0]"), NAMES("inputs[1]"), NAMES("inputs[2]"),
    NAMES("inputs[3]")};

static bool add_dim(struct shape *shape, size_t *rank, uint64_t value,
                    const char *where, struct status *st)
{
    if ((int64_t)value < 0)
        return status_fail(st, STATUS_INVALID,
                           "%s.shape[%zu] is %lld, but a dim is 0 or more",
                           where, *rank, (long long)value);
    if (*rank < SHAPE_MAX_RANK)
        shape->dims[*rank] = (int64_t)value;
    ++*rank;
    return true;
}

/* The dims of one field: one number, or a packed list. */
static bool add_dims(const struct protobuf_field *field, struct shape *shape,
                     size_t *rank, const char *where, struct status *st)
{
    const unsigned char *at = field->data, *end = at + field->len;
    uint64_t value;

    if (field->type != PROTOBUF_VARINT && field->type != PROTOBUF_BYTES)
        return true;
    while (at < end) {
        if (!protobuf_number(&at, end, &value))
            return status_fail(st, STATUS_MALFORMED,
                               "%s.shape has a number that does not end",
                               where);
        if (!add_dim(shape, rank, value, where, st))
            return false;
    }
    return true;
}

static bool set_rank(struct shape *shape, size_t rank, const char *where,
                     struct status *st)
{
    shape->rank = (int)rank;
    return rank <= SHAPE_MAX_RANK ||
           status_fail(st, STATUS_INVALID,
                       "%s.shape has rank %zu, but the limit is %d", where,
                       rank, SHAPE_MAX_RANK);
}

static bool read_input_field(const struct protobuf_field *field,
                             struct input_message *input, size_t *rank,
                             const struct input_names *names, struct status *st)
{
    if (field->number == INPUT_SHAPE)
        return add_dims(field, &input->shape, rank, names->input, st);
    if (field->type != PROTOBUF_BYTES)
        return true;
    if (field->number == INPUT_CONTENTS)
        return contents_add(&input->contents, field, names->input, st);
    if (field->number == INPUT_NAME)
        return protobuf_name(field, names->name, &input->name, st);
    return field->number != INPUT_DATATYPE ||
           protobuf_name(field, names->datatype, &input->datatype, st);
}

static bool read_input(const struct protobuf_reader *outer,
                       const struct protobuf_field *field,
                       struct infer_message *message, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, field);
    struct input_message *input = &message->inputs[message->input_count];
    const struct input_names *names =
        &infer_message_names[message->input_count];
    struct protobuf_field part;
    size_t rank = 0;

    input->field = *field;
    input->name = input->datatype = (struct protobuf_text){"", 0};
    input->contents = (struct contents){.lists = 0};
    while (protobuf_next(&reader, &part)) {
        if (!read_input_field(&part, input, &rank, names, st))
            return false;
        if (part.number != INPUT_CONTENTS)
            message->text_bytes += part.len + 1;
    }
    message->text_bytes++; /* of a name that is missing */
    message->value_bytes += input->contents.bytes;
    message->input_count++;
    return protobuf_end(&reader, st) &&
           set_rank(&input->shape, rank, names->input, st);
}

static bool read_field(const struct protobuf_reader *reader,
                       const struct protobuf_field *field,
                       struct infer_message *message, struct status *st)
{
    if (field->type != PROTOBUF_BYTES)
        return true;
    switch (field->number) {
    case REQUEST_MODEL_NAME:
        return protobuf_text(field, "model_name", &message->model_name, st);
    case REQUEST_MODEL_VERSION:
        return protobuf_text(field, "model_version", &message->model_version,
                             st);
    case REQUEST_ID:
        return protobuf_text(field, "id", &message->id, st);
    case REQUEST_INPUTS:
        return message->input_count < DOCUMENT_MAX_INPUTS
                   ? read_input(reader, field, message, st)
                   : status_fail(
                         st, STATUS_INVALID,
                         "inputs has more than %d entries, but no model "
                         "takes more",
                         DOCUMENT_MAX_INPUTS);
    case REQUEST_RAW_INPUT_CONTENTS:
        if (message->raw_count < DOCUMENT_MAX_INPUTS)
            message->raw[message->raw_count] = *field;
        message->raw_count++;
        return true;
    default: /* parameters and outputs among them */
        message->text_bytes += field->len + 1;
        return true;
    }
}

/* Not all of it: inputs are written before they are read. */
static void start(struct infer_message *message)
{
    const struct protobuf_text none = {"", 0};

    message->model_name = message->model_version = message->id = none;
    message->input_count = 0;
    message->raw_count = 0;
    message->text_bytes = 0;
    message->value_bytes = 0;
}

bool infer_message_read(const unsigned char *body, size_t len,
                        struct infer_message *message, struct status *st)
{
    size_t left = INFER_MESSAGE_FIELDS;
    struct protobuf_reader reader = protobuf_read(body, len, &left);
    struct protobuf_field field;

    start(message);
    while (protobuf_next(&reader, &field))
        if (!read_field(&reader, &field, message, st))
            return false;
    return protobuf_end(&reader, st);
}
