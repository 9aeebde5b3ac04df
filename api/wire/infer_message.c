#include "api/wire/infer_message.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/base/digits.h"
#include "api/document/misplaced.h"
#include "api/wire/wire.h"

static void set_int(struct document_parameter *value, uint64_t number,
                    bool has_sign)
{
    bool fits = has_sign || number <= INT64_MAX;

    value->kind = fits ? DOCUMENT_INT : DOCUMENT_REAL; /* as in JSON */
    value->integer = (int64_t)number;
    value->real = fits ? (double)value->integer : (double)number;
    value->is_unsigned = !fits;
}

/* A whole number is an integer, as in JSON. */
static void set_real(struct document_parameter *value, uint64_t bits)
{
    double real;

    memcpy(&real, &bits, sizeof(real));
    value->kind = DOCUMENT_REAL;
    value->real = real;
    if (!(fabs(real) < 0x1p63) || trunc(real) != real)
        return;
    value->kind = DOCUMENT_INT;
    value->integer = (int64_t)real;
}

/* The last of the choices counts. */
static bool read_choice(const struct protobuf_field *field, const char *where,
                        struct parameter *p, struct status *st)
{
    struct document_parameter *value = &p->value;
    bool varint = field->type == PROTOBUF_VARINT;

    if (field->number == PARAMETER_BOOL && varint) {
        value->kind = DOCUMENT_BOOL;
        value->flag = field->value != 0;
    } else if (field->number == PARAMETER_INT64 && varint) {
        set_int(value, field->value, true);
    } else if (field->number == PARAMETER_UINT64 && varint) {
        set_int(value, field->value, false);
    } else if (field->number == PARAMETER_DOUBLE &&
               field->type == PROTOBUF_FIXED64) {
        set_real(value, field->value);
    } else if (field->number == PARAMETER_STRING &&
               field->type == PROTOBUF_BYTES) {
        value->kind = DOCUMENT_TEXT;
        p->has_value = true;
        return protobuf_text(field, where, &p->text, st);
    } else {
        return true;
    }
    p->has_value = true;
    return true;
}

static bool read_value(const struct protobuf_reader *outer,
                       const struct protobuf_field *field, const char *where,
                       struct parameter *p, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, field);
    struct protobuf_field choice;

    while (protobuf_next(&reader, &choice))
        if (!read_choice(&choice, where, p, st))
            return false;
    return protobuf_end(&reader, st);
}

bool parameter_read(const struct protobuf_reader *outer,
                    const struct protobuf_field *entry, const char *where,
                    struct parameter *p, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, entry);
    struct protobuf_field field;

    *p = (struct parameter){.key = {"", 0}};
    while (protobuf_next(&reader, &field)) {
        if (field.type != PROTOBUF_BYTES)
            continue;
        if (field.number == ENTRY_KEY &&
            !protobuf_name(&field, where, &p->key, st))
            return false;
        if (field.number == ENTRY_VALUE &&
            !read_value(&reader, &field, where, p, st))
            return false;
    }
    return protobuf_end(&reader, st);
}

char *parameter_text(const struct protobuf_text *text, char **at)
{
    char *copy = *at;

    if (text->len > 0)
        memcpy(copy, text->text, text->len);
    copy[text->len] = '\0';
    *at += text->len + 1;
    return copy;
}

bool parameter_store(const struct parameter *p, const char *where, char **at,
                     struct document_parameter *stored, struct status *st)
{
    *stored = p->value;
    stored->key = parameter_text(&p->key, at);
    if (!p->has_value)
        return status_fail(st, STATUS_INVALID, "%s.%.40s has no value", where,
                           stored->key);
    if (stored->kind != DOCUMENT_TEXT)
        return true;
    stored->text = parameter_text(&p->text, at);
    if (strlen(stored->text) != p->text.len) /* as in JSON */
        stored->kind = DOCUMENT_OTHER;
    return misplaced_pass_text(stored->key, stored->text, where, st);
}

static_assert((int)API_HEAD_INPUTS == (int)DOCUMENT_MAX_INPUTS,
              "a head has the inputs of a document");

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
                       const struct api_piece *piece,
                       struct infer_message *message, struct status *st)
{
    struct input_message *input = &message->inputs[message->input_count];
    const struct input_names *names =
        &infer_message_names[message->input_count];
    struct protobuf_reader reader;
    struct protobuf_field part;
    size_t rank = 0;

    *input = (struct input_message){
        .field = {.data = piece->data, .len = piece->len},
        .name = {"", 0},
        .datatype = {"", 0},
    };
    reader = protobuf_enter(outer, &input->field);
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

bool infer_message_read(const struct api_request *request,
                        const struct api_head *head,
                        struct infer_message *message, struct status *st)
{
    const struct protobuf_field id = {.data = head->id.data,
                                      .len = head->id.len};
    size_t left = head->fields_left;
    struct protobuf_reader outer =
        protobuf_read(request->body, request->body_len, &left);
    struct protobuf_text text;

    message->head = head;
    message->input_count = 0;
    message->text_bytes = head->other_bytes;
    message->value_bytes = 0;
    if (!protobuf_text(&id, "id", &text, st))
        return false;
    for (size_t i = 0; i < head->input_count && i < API_HEAD_INPUTS; i++)
        if (!read_input(&outer, &head->inputs[i], message, st))
            return false;
    return head->input_count <= API_HEAD_INPUTS ||
           status_fail(st, STATUS_INVALID,
                       "inputs has more than %d entries, but no model takes "
                       "more",
                       DOCUMENT_MAX_INPUTS);
}

/* The parameters that are asked for before the message is decoded; the last one
 * of a key counts. `left`: fields of all parameters that may still be read, so
 * that the loop, which asks, is not kept by a message full of them. */
static void note_parameter(const struct protobuf_reader *outer,
                           const struct protobuf_field *field, size_t *left,
                           struct api_head *head)
{
    struct protobuf_reader reader = *outer;
    struct parameter p;
    struct status st;
    uint64_t number;

    reader.left = left;
    if (!parameter_read(&reader, field, "parameters", &p, &st))
        return;
    if (protobuf_text_is(&p.key, INFER_MESSAGE_FINAL)) {
        head->wants_final =
            p.has_value && p.value.kind == DOCUMENT_BOOL && p.value.flag;
    } else if (protobuf_text_is(&p.key, "timeout")) {
        head->timeout_us = 0;
        if (p.value.kind == DOCUMENT_INT && p.value.integer > 0)
            head->timeout_us = (uint64_t)p.value.integer;
        else if (p.has_value && p.value.kind == DOCUMENT_TEXT &&
                 digits_read(p.text.text, p.text.len, &number))
            head->timeout_us = number;
    }
}

static void note_piece(const struct protobuf_field *field,
                       struct api_piece pieces[API_HEAD_INPUTS], size_t *count)
{
    if (*count < API_HEAD_INPUTS)
        pieces[*count] = (struct api_piece){field->data, field->len};
    ++*count;
}

static bool note_name(const struct protobuf_field *field, const char *where,
                      struct api_piece *name, struct status *st)
{
    struct protobuf_text text;

    *name = (struct api_piece){field->data, field->len};
    return protobuf_text(field, where, &text, st);
}

static bool read_field(const struct protobuf_reader *reader,
                       const struct protobuf_field *field, size_t *left,
                       struct api_head *head, struct status *st)
{
    if (field->type != PROTOBUF_BYTES)
        return true;
    switch (field->number) {
    case REQUEST_MODEL_NAME:
        return note_name(field, "model_name", &head->model, st);
    case REQUEST_MODEL_VERSION:
        return note_name(field, "model_version", &head->version, st);
    case REQUEST_ID:
        head->id = (struct api_piece){field->data, field->len};
        return true;
    case REQUEST_INPUTS:
        note_piece(field, head->inputs, &head->input_count);
        return true;
    case REQUEST_RAW_INPUT_CONTENTS:
        note_piece(field, head->raw, &head->raw_count);
        return true;
    case REQUEST_PARAMETERS:
        note_parameter(reader, field, left, head);
        break;
    default: /* outputs among them */
        break;
    }
    head->has_more |= field->number <= REQUEST_OUTPUTS;
    head->other_bytes += field->len + 1;
    return true;
}

const struct api_head *infer_head_read(const struct api_request *request,
                                       struct api_head *own, struct status *st)
{
    struct api_head *head = request->head ? request->head : own;
    const struct api_piece none = {"", 0};
    size_t left = INFER_MESSAGE_FIELDS;
    struct protobuf_reader reader;
    struct protobuf_field field;

    if (request->head && head->body && head->body == request->body)
        return head;
    *head = (struct api_head){.model = none,
                              .version = none,
                              .id = none,
                              .fields_left = INFER_MESSAGE_FIELDS};
    reader =
        protobuf_read(request->body, request->body_len, &head->fields_left);
    while (protobuf_next(&reader, &field))
        if (!read_field(&reader, &field, &left, head, st))
            return NULL;
    if (!protobuf_end(&reader, st))
        return NULL;
    head->body = request->body;
    return head;
}

uint64_t protobuf_timeout(const struct api_request *request)
{
    struct api_head own;
    struct status st;

    infer_head_read(request, &own, &st);
    return request->head ? request->head->timeout_us : own.timeout_us;
}

static bool names_region(const struct protobuf_field *field)
{
    static const char key[] = "shared_memory_region";

    return memmem(field->data, field->len, key, sizeof(key) - 1) != NULL;
}

static bool input_names_region(const struct protobuf_reader *outer,
                               const struct protobuf_field *input)
{
    struct protobuf_reader reader = protobuf_enter(outer, input);
    struct protobuf_field field;

    while (protobuf_next(&reader, &field))
        if (field.number == INPUT_PARAMETERS && names_region(&field))
            return true;
    return false;
}

bool protobuf_may_use_shm(const struct api_request *request)
{
    size_t left = INFER_MESSAGE_FIELDS;
    struct protobuf_reader reader =
        protobuf_read(request->body, request->body_len, &left);
    struct protobuf_field field;

    while (protobuf_next(&reader, &field)) {
        if (field.number == REQUEST_OUTPUTS && names_region(&field))
            return true;
        if (field.number == REQUEST_INPUTS && field.type == PROTOBUF_BYTES &&
            input_names_region(&reader, &field))
            return true;
    }
    return false;
}
