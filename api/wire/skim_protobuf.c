/* What is asked about a ModelInferRequest before it is decoded. It is read
 * field by field: the tensors are passed over. */
#include <string.h>

#include "api/base/digits.h"
#include "api/wire/infer_message.h"
#include "api/wire/parameter.h"
#include "api/wire/wire.h"

bool protobuf_model(const struct api_request *request, struct api_piece *name,
                    struct api_piece *version, struct status *st)
{
    size_t left = INFER_MESSAGE_FIELDS;
    struct protobuf_reader reader =
        protobuf_read(request->body, request->body_len, &left);
    struct protobuf_text texts[2] = {{"", 0}, {"", 0}};
    struct protobuf_field field;

    while (protobuf_next(&reader, &field)) {
        bool is_name = field.number == REQUEST_MODEL_NAME;

        if (field.type == PROTOBUF_BYTES &&
            (is_name || field.number == REQUEST_MODEL_VERSION) &&
            !protobuf_text(&field, is_name ? "model_name" : "model_version",
                           &texts[!is_name], st))
            return false;
    }
    *name = (struct api_piece){texts[0].text, texts[0].len};
    *version = (struct api_piece){texts[1].text, texts[1].len};
    return protobuf_end(&reader, st);
}

struct api_piece protobuf_id(const struct api_request *request)
{
    size_t left = INFER_MESSAGE_FIELDS;
    struct protobuf_reader reader =
        protobuf_read(request->body, request->body_len, &left);
    struct protobuf_text id = {"", 0};
    struct protobuf_field field;
    struct status st;

    while (protobuf_next(&reader, &field))
        if (field.number == REQUEST_ID && field.type == PROTOBUF_BYTES &&
            !protobuf_text(&field, "id", &id, &st))
            id.len = 0;
    return (struct api_piece){id.text, reader.fault ? 0 : id.len};
}

/* Finds the last parameter of a key; false when there is none. */
static bool find_parameter(const struct api_request *request, const char *key,
                           struct parameter *found)
{
    size_t left = INFER_MESSAGE_FIELDS;
    struct protobuf_reader reader =
        protobuf_read(request->body, request->body_len, &left);
    struct protobuf_field field;
    struct parameter p;
    struct status st;

    found->has_value = false;
    while (protobuf_next(&reader, &field))
        if (field.number == REQUEST_PARAMETERS &&
            field.type == PROTOBUF_BYTES &&
            parameter_read(&reader, &field, "parameters", &p, &st) &&
            protobuf_text_is(&p.key, key))
            *found = p;
    return found->has_value;
}

uint64_t protobuf_timeout(const struct api_request *request)
{
    struct parameter p;
    uint64_t number;

    if (!find_parameter(request, "timeout", &p))
        return 0;
    if (p.value.kind == DOCUMENT_INT && p.value.integer > 0)
        return (uint64_t)p.value.integer;
    return p.value.kind == DOCUMENT_TEXT &&
                   digits_read(p.text.text, p.text.len, &number)
               ? number
               : 0;
}

bool protobuf_wants_final(const struct api_request *request)
{
    struct parameter p;

    return find_parameter(request, INFER_MESSAGE_FINAL, &p) &&
           p.value.kind == DOCUMENT_BOOL && p.value.flag;
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
