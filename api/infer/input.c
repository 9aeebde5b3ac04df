#include "api/infer/input.h"

#include <stdlib.h>

#include "api/infer/region.h"

/* Member by member, as in input_describe_text(): a shape is large and copied
 * once. */
void input_describe(const struct document_input *input,
                    const unsigned char *bytes, struct tensor *tensor)
{
    tensor->name = input->name;
    tensor->dtype = input->dtype;
    tensor->shape = input->shape;
    tensor->data = bytes;
    tensor->bytes = (size_t)input->binary_bytes;
}

void input_describe_text(const struct infer_request *request,
                         const struct document_input *input,
                         struct data_array *text)
{
    const struct document_instance *instance = &request->instance;
    const struct data_span *span = &instance->spans[input->span];
    const struct infer_validated *validated = &request->validated;

    text->name = input->name;
    text->text = instance->text + span->start;
    text->len = span->len;
    text->origin = span->start;
    text->dtype = input->dtype;
    text->shape = input->shape;
    text->count = input->count;
    text->validated = 0;
    text->lengths = (struct token_lengths){.count = 0};
    if (validated->part.start == span->start &&
        validated->dtype == text->dtype) {
        text->validated = validated->part.validated_end - span->start;
        text->lengths = validated->lengths;
    }
}

bool input_check_count(const struct data_array *text, struct status *st)
{
    if (text->count <= text->len)
        return true;
    return tensor_json_index(text, 1, NULL, NULL, st) &&
           status_fail(st, STATUS_INTERNAL, "%s: %zu bytes hold %llu elements",
                       text->name, text->len, (unsigned long long)text->count);
}

/* Lengths and axes are needed as values. A datatype without binary values is
 * left as it is: the operator refuses it by its name. */
static bool convert_control(struct infer *infer, const struct data_array *text,
                            struct status *st)
{
    struct tensor *control = &infer->call.control;

    if (text->dtype == DTYPE_BYTES ||
        dtype_info(text->dtype)->kind == DTYPE_KIND_OPAQUE)
        return true;
    if (!input_check_count(text, st) ||
        !tensor_bytes(text->dtype, text->count, text->name, &control->bytes,
                      st))
        return false;
    infer->control = malloc(control->bytes + 1);
    if (!infer->control)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    control->data = infer->control;
    return tensor_json_to_binary(text, infer->control, NULL, st);
}

/* Lengths must not change between their check and their use. */
static bool copy_control(struct infer *infer, struct status *st)
{
    struct tensor *control = &infer->call.control;

    infer->control = region_copy(control, "lengths or axes", st);
    control->data = infer->control;
    return infer->control != NULL;
}

bool input_locate_control(struct infer *infer,
                          const struct document_input *input,
                          unsigned char *bytes, struct status *st)
{
    struct data_array text;

    input_describe(input, bytes, &infer->call.control);
    if (input->form == DOCUMENT_FORM_REGION)
        return copy_control(infer, st);
    if (input->form == DOCUMENT_FORM_BINARY)
        return true;
    input_describe_text(&infer->request, input, &text);
    return convert_control(infer, &text, st);
}
