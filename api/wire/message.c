/* The head of a ModelInferRequest, read once before it is decoded. */
#include "api/wire/message.h"

#include <string.h>

#include "api/base/text.h"
#include "api/document/field.h"
#include "api/wire/wire.h"
#include "kernels/core/require.h"

/* The last of the choices counts. */
static bool read_choice(const struct protobuf_field *field, const char *where,
                        struct tree_value *p, struct status *st)
{
    static const enum protobuf_type types[] = {
        [PARAMETER_BOOL] = PROTOBUF_VARINT,
        [PARAMETER_INT64] = PROTOBUF_VARINT,
        [PARAMETER_STRING] = PROTOBUF_BYTES,
        [PARAMETER_DOUBLE] = PROTOBUF_FIXED64,
        [PARAMETER_UINT64] = PROTOBUF_VARINT,
    };

    if (field->number > PARAMETER_UINT64 || field->type != types[field->number])
        return true;
    switch (field->number) {
    case PARAMETER_BOOL:
        p->kind = TREE_BOOL;
        p->flag = field->value != 0;
        return true;
    case PARAMETER_STRING:
        p->kind = TREE_STRING;
        p->text = (const char *)field->data;
        p->len = field->len;
        return protobuf_is_text(field, where, st);
    case PARAMETER_DOUBLE:
        p->kind = TREE_REAL;
        memcpy(&p->real, &field->value, sizeof(p->real));
        return true;
    default:
        p->kind = field->number == PARAMETER_INT64 || field->value <= INT64_MAX
                      ? TREE_INTEGER
                      : TREE_UNSIGNED;
        p->integer = (int64_t)field->value;
        return true;
    }
}

static bool read_value(const struct protobuf_reader *outer,
                       const struct protobuf_field *field, const char *where,
                       struct tree_value *p, struct status *st)
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
                    struct tree_value *p, struct status *st)
{
    struct protobuf_reader reader = protobuf_enter(outer, entry);
    struct protobuf_field field;

    *p = (struct tree_value){.kind = TREE_NULL, .key = ""};
    while (protobuf_next(&reader, &field)) {
        if (field.type != PROTOBUF_BYTES)
            continue;
        if (field.number == ENTRY_KEY) {
            p->key = (const char *)field.data;
            p->key_len = (uint32_t)field.len;
            if (!protobuf_is_name(&field, where, st))
                return false;
        } else if (field.number == ENTRY_VALUE &&
                   !read_value(&reader, &field, where, p, st)) {
            return false;
        }
    }
    return protobuf_end(&reader, st);
}

/* The timeout is asked for before the message is decoded; the last one counts.
 * `left`: fields of all parameters that may still be read, so
 * that the loop, which asks, is not kept by a message full of them. */
static void note_timeout(const struct protobuf_reader *outer,
                         const struct protobuf_field *field, size_t *left,
                         struct api_head *head)
{
    struct protobuf_reader reader = *outer;
    struct tree_value p;
    struct status st;
    uint64_t number;
    int64_t integer;

    reader.left = left;
    if (!parameter_read(&reader, field, "parameters", &p, &st))
        return;
    if (!tree_is(&p, "timeout", strlen("timeout")))
        return;
    head->timeout_us = 0;
    if (field_integer(&p, &integer) && integer > 0)
        head->timeout_us = (uint64_t)integer;
    else if (p.kind == TREE_STRING && digits_read(p.text, p.len, &number))
        head->timeout_us = number;
}

static void note_piece(const struct api_piece *piece,
                       struct api_piece pieces[API_HEAD_INPUTS], size_t *count)
{
    if (*count < API_HEAD_INPUTS)
        pieces[*count] = *piece;
    ++*count;
}

static bool read_field(const struct protobuf_reader *reader,
                       const struct protobuf_field *field, size_t *left,
                       struct api_head *head, struct status *st)
{
    const struct api_piece piece = {field->data, field->len};

    if (field->type != PROTOBUF_BYTES)
        return true;
    switch (field->number) {
    case REQUEST_MODEL_NAME:
        head->model = piece;
        return protobuf_is_text(field, "model_name", st);
    case REQUEST_MODEL_VERSION:
        head->version = piece;
        return protobuf_is_text(field, "model_version", st);
    case REQUEST_ID:
        head->id = piece;
        return protobuf_is_text(field, "id", st);
    case REQUEST_INPUTS:
        note_piece(&piece, head->inputs, &head->input_count);
        return true;
    case REQUEST_RAW_INPUT_CONTENTS:
        note_piece(&piece, head->raw, &head->raw_count);
        return true;
    case REQUEST_PARAMETERS:
        note_timeout(reader, field, left, head);
        break;
    default: /* outputs among them */
        break;
    }
    head->has_more |= field->number <= REQUEST_OUTPUTS;
    head->other_bytes += field->len + 1;
    return true;
}

const struct api_head *infer_head_read(const struct api_request *request,
                                       struct status *st)
{
    struct api_head *head = request->head;
    const struct api_piece none = {"", 0};
    size_t left = MESSAGE_FIELDS;
    struct protobuf_reader reader;
    struct protobuf_field field;
    bool in_name;

    REQUIRE(head);
    if (head->body && head->body == request->body)
        return head;
    *head = (struct api_head){.model = none,
                              .version = none,
                              .id = none,
                              .fields_left = MESSAGE_FIELDS};
    reader =
        protobuf_read(request->body, request->body_len, &head->fields_left);
    while (protobuf_next(&reader, &field))
        if (!read_field(&reader, &field, &left, head, st))
            return NULL;
    /* Of a field that stands twice the last one counts. */
    in_name = memchr(head->model.data, '\0', head->model.len);
    if (!protobuf_end(&reader, st) ||
        ((in_name || memchr(head->version.data, '\0', head->version.len)) &&
         !status_fail(st, STATUS_INVALID, "model_%s holds a NUL character",
                      in_name ? "name" : "version")))
        return NULL;
    head->body = request->body;
    return head;
}

uint64_t protobuf_timeout(const struct api_request *request)
{
    struct status st;

    infer_head_read(request, &st);
    return request->head->timeout_us;
}

bool protobuf_may_use_shm(const struct api_request *request)
{
    static const char key[] = "shared_memory_region";
    size_t left = MESSAGE_FIELDS;
    struct protobuf_reader reader =
        protobuf_read(request->body, request->body_len, &left);
    struct protobuf_field field;

    while (protobuf_next(&reader, &field))
        if ((field.number == REQUEST_INPUTS ||
             field.number == REQUEST_OUTPUTS) &&
            memmem(field.data, field.len, key, sizeof(key) - 1))
            return true;
    return false;
}
