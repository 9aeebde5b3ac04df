/* Reads and checks a request: finds its inputs and the region of its output,
 * and describes the permutation. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/misplaced.h"
#include "api/infer/infer.h"
#include "kernels/core/size.h"

/* Bytes that are copied before they are read as values. Data that is only moved
 * has no such limit. */
enum { MOST_COPIED = 64 << 20 };

/* Finds the bytes of the tensor `name`, which found->data is. Fails with
 * NOT_SUPPORTED where shared memory is off, NOT_FOUND for an unknown region,
 * INVALID past its end. */
static bool find_region(const struct api_regions *regions,
                        const struct document_region *region, const char *name,
                        struct api_region *found, struct status *st)
{
    if (!regions)
        return status_fail(st, STATUS_NOT_SUPPORTED,
                           "'%.64s' is in shared memory, which is not enabled "
                           "on this server (--allow-client-shm)",
                           name);
    if (!regions->find(regions->context, region->name, found))
        return status_fail(st, STATUS_NOT_FOUND,
                           "'%.64s' is in the shared memory region '%.64s', "
                           "which is not registered",
                           name, region->name);
    if (!found->data)
        return status_fail(st, STATUS_INVALID,
                           "'%.64s' is in the shared memory region '%.64s', "
                           "which was cut short: register it again",
                           name, region->name);
    if (region->offset > found->size ||
        region->bytes > found->size - region->offset)
        return status_fail(st, STATUS_INVALID,
                           "'%.64s' is in bytes %llu to %llu of the shared "
                           "memory region '%.64s', which has %zu",
                           name, (unsigned long long)region->offset,
                           (unsigned long long)region->offset +
                               (unsigned long long)region->bytes,
                           region->name, found->size);
    found->data += region->offset;
    return true;
}

/* A copy for the caller to free; NULL with TOO_LARGE past 64 MiB, or NO_MEMORY.
 * `as` names the use in the error: "JSON". */
static unsigned char *copy_region(const struct infer *infer,
                                  const struct tensor *tensor, const char *as,
                                  struct status *st)
{
    unsigned char *copy = NULL;

    if (tensor->bytes > MOST_COPIED) {
        status_fail(st, STATUS_TOO_LARGE,
                    "'%.64s' has %zu bytes in shared memory, but as %s at most "
                    "%d are read from there",
                    tensor->name, tensor->bytes, as, MOST_COPIED);
        return NULL;
    }
    if (api_heap_take(infer->request->heap, tensor->bytes))
        copy = malloc(tensor->bytes + 1);
    if (copy)
        memcpy(copy, tensor->data, tensor->bytes);
    else
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
    return copy;
}

/* Copies shared source data that is to be read as values or lengths, for its
 * client may write to it at any time. */
static bool copy_source(struct infer *infer, struct status *st)
{
    struct infer_source *source = &infer->source;
    bool text = infer->target.form == DOCUMENT_FORM_JSON;

    if (!source->is_read_only ||
        (infer->call.data.dtype != DTYPE_BYTES && !text))
        return true;
    source->copy =
        copy_region(infer, &infer->call.data, text ? "JSON" : "BYTES", st);
    if (!source->copy)
        return false;
    source->bytes = source->copy;
    infer->call.data.data = source->copy;
    source->is_read_only = false;
    return true;
}

bool infer_region_holds(const struct infer_target *target, size_t bytes,
                        struct status *st)
{
    return bytes <= target->region_size ||
           status_fail(st, STATUS_INVALID,
                       "'%.64s' takes %zu bytes, but shared_memory_byte_size "
                       "is %zu",
                       target->name, bytes, target->region_size);
}

/* Finds the region that the document names for its output, if any. */
static bool find_target(struct infer *infer, struct status *st)
{
    const struct document *doc = &infer->doc;
    const struct document_region *region = &doc->outputs[0].region;
    struct infer_target *target = &infer->target;
    enum dtype dtype = infer->call.data.dtype;
    size_t bytes = infer->call.data.bytes;
    struct api_region found;

    if (doc->output_count == 0 || !region->name)
        return true;
    target->form = DOCUMENT_FORM_REGION;
    target->region_size = (size_t)region->bytes;
    if (!find_region(infer->request->regions, region, target->name, &found, st))
        return false;
    target->region = found.data;
    target->is_aliased = found.is_aliased;
    /* The size of BYTES read from JSON is only known once they are written:
     * execute checks it. */
    if (dtype == DTYPE_BYTES && infer->source.is_text)
        return true;
    return (dtype == DTYPE_BYTES || tensor_bytes(dtype, infer->source.count,
                                                 target->name, &bytes, st)) &&
           infer_region_holds(target, bytes, st);
}

static bool check_bytes(const struct document_input *input, const char *verb,
                        struct status *st)
{
    size_t bytes;

    if (input->dtype == DTYPE_BYTES)
        return true;
    if (!tensor_bytes(input->dtype, input->count, input->name, &bytes, st))
        return false;
    if (bytes != input->binary_bytes) {
        char shape[128];

        return status_fail(
            st, STATUS_INVALID,
            "'%s' %s %llu bytes, but %s of shape %s takes %zu", input->name,
            verb, (unsigned long long)input->binary_bytes,
            dtype_info(input->dtype)->name,
            shape_print(&input->shape, shape, sizeof(shape)), bytes);
    }
    return true;
}

/* Without a declared size, `all` bytes behind the document are a tensor only
 * where datatype and shape say where it ends. */
static bool check_derived(const struct document_input *input, int i, size_t all,
                          struct status *st)
{
    if (!input->is_derived || input->count == 0)
        return true;
    if (all == 0)
        return status_fail(st, STATUS_INVALID,
                           "inputs[%d] ('%.64s') has neither data nor "
                           "parameters.binary_data_size nor "
                           "parameters.shared_memory_region, and no bytes "
                           "follow the document",
                           i, input->name);
    return input->dtype != DTYPE_BYTES ||
           status_fail(st, STATUS_INVALID,
                       "inputs[%d] ('%.64s') is BYTES, whose size does not "
                       "follow from its shape: it needs "
                       "parameters.binary_data_size",
                       i, input->name);
}

/* Finds the bytes of each input that is not JSON: in shared memory, where its
 * decoder has placed them, or behind the document, in the order of the inputs.
 * Fails with INVALID when they are not as long as datatype and shape say, or as
 * find_region(). */
static bool find_bytes(struct infer *infer, struct status *st)
{
    const struct api_request *request = infer->request;
    size_t all = request->body_len - infer->binary_start, left = all;

    for (int i = 0; i < infer->doc.input_count; i++) {
        struct document_input *input = &infer->doc.inputs[i];
        bool placed = input->bytes != NULL;
        struct api_region found;

        if (input->form == DOCUMENT_FORM_JSON)
            continue;
        if (input->form == DOCUMENT_FORM_REGION) {
            if (!find_region(request->regions, &input->region, input->name,
                             &found, st))
                return false;
            input->bytes = found.data;
        } else if (!placed && !check_derived(input, i, all, st)) {
            return false;
        }
        if (!check_bytes(input, placed ? "has" : "declares", st))
            return false;
        if (input->bytes)
            continue;
        if (input->binary_bytes > left)
            return status_fail(
                st, STATUS_INVALID,
                "inputs[%d] ('%.64s') %s %llu bytes, but %zu are left of the "
                "%zu behind the document",
                i, input->name, input->is_derived ? "takes" : "declares",
                (unsigned long long)input->binary_bytes, left, all);
        input->bytes = request->body + (request->body_len - left);
        left -= (size_t)input->binary_bytes;
    }
    return left == 0 ||
           status_fail(st, STATUS_INVALID,
                       "%zu bytes follow the document, but the inputs "
                       "take %zu",
                       all, all - left);
}

/* Member by member, as in describe_text(): a shape is large and copied
 * once. */
static void fill_tensor(const struct document_input *input,
                        struct tensor *tensor)
{
    tensor->name = input->name;
    tensor->dtype = input->dtype;
    tensor->shape = input->shape;
    tensor->data = input->bytes;
    tensor->bytes = (size_t)input->binary_bytes;
}

static void describe_text(const struct infer *infer,
                          const struct document_input *input,
                          struct data_array *text)
{
    const struct data_span *span = &input->data;
    const struct infer_validated *validated = &infer->validated;

    text->name = input->name;
    text->text = infer->doc.text + span->start;
    text->len = span->len;
    text->origin = span->start;
    text->dtype = input->dtype;
    text->shape = input->shape;
    text->count = input->count;
    text->commas = NULL;
    if (validated->part.start == span->start && validated->dtype == text->dtype)
        text->commas = validated->commas;
}

static bool check_count(const struct data_array *text, struct status *st)
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
    if (!check_count(text, st) ||
        !tensor_bytes(text->dtype, text->count, text->name, &control->bytes,
                      st))
        return false;
    if (api_heap_take(infer->request->heap, control->bytes))
        infer->control = malloc(control->bytes + 1);
    if (!infer->control)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    control->data = infer->control;
    return tensor_json_to_binary(text, infer->control, NULL, st);
}

static bool locate_control(struct infer *infer,
                           const struct document_input *input,
                           struct status *st)
{
    struct tensor *control = &infer->call.control;
    struct data_array text;

    fill_tensor(input, control);
    /* NumPy's codec writes every 1-D array as [N, 1]. */
    if (input->is_numpy && control->shape.rank == 2 &&
        control->shape.dims[1] == 1)
        control->shape.rank = 1;
    if (input->form == DOCUMENT_FORM_BINARY)
        return true;
    if (input->form == DOCUMENT_FORM_REGION) {
        /* Lengths must not change between their check and their use. */
        infer->control = copy_region(infer, control, "lengths or axes", st);
        control->data = infer->control;
        return infer->control != NULL;
    }
    describe_text(infer, input, &text);
    return convert_control(infer, &text, st);
}

static bool locate_data(struct infer *infer, const struct document_input *input,
                        struct status *st)
{
    struct infer_source *source = &infer->source;

    fill_tensor(input, &infer->call.data);
    if (!model_accepts(infer->model, &infer->call.data, st))
        return false;
    source->count = input->count;
    source->is_text = input->form == DOCUMENT_FORM_JSON;
    /* BYTES never move where they are. */
    source->is_read_only = input->form == DOCUMENT_FORM_REGION ||
                           (input->is_constant && input->dtype != DTYPE_BYTES);
    source->bytes = input->bytes;
    if (!source->is_text)
        return true;
    describe_text(infer, input, &source->text);
    source->bytes = infer->request->body + source->text.origin;
    return tensor_json_supports(input->dtype, input->count, input->name, st) &&
           check_count(&source->text, st);
}

/* Finds the inputs by name; *control is NULL where a context gives it. */
static bool find_inputs(struct infer *infer, struct document_input **data,
                        struct document_input **control, struct status *st)
{
    const struct attribute_value *context =
        request_parameters_role(&infer->settings, ATTRIBUTE_CONTEXT);
    struct document *doc = &infer->doc;
    const struct op *op = infer->model->op;

    *data = *control = NULL;
    for (int i = 0; i < doc->input_count; i++) {
        struct document_input *input = &doc->inputs[i];
        bool is_data = strcmp(input->name, op->data) == 0;
        struct document_input **at = is_data ? data : control;

        if (!is_data && strcmp(input->name, op->control) != 0)
            return misplaced_pass(input->name, MISPLACED_MEMBER, "inputs",
                                  st) &&
                   status_fail(st, STATUS_INVALID,
                               "inputs[%d] is '%.64s', but %s takes '%s' and "
                               "'%s'",
                               i, input->name, op->name, op->data, op->control);
        if (*at)
            return status_fail(st, STATUS_INVALID,
                               "inputs[%d] repeats '%s' of inputs[%d]", i,
                               input->name, (int)(*at - doc->inputs));
        *at = input;
    }
    if (*data && (*control || (context && context->given)))
        return true;
    return status_fail(
        st, STATUS_INVALID, "input '%s' is missing: %s takes '%s' and '%s'%s",
        *data ? op->control : op->data, op->name, op->data, op->control,
        context ? " (or the parameter backward_context)" : "");
}

/* Checks the inputs' names and sizes, and finds the bytes or the text of the
 * data (infer->source) and of lengths or axes (infer->call.control), which are
 * converted to binary. Fails with INVALID, or as find_region(). */
static bool locate_inputs(struct infer *infer, struct status *st)
{
    struct document_input *data, *control;

    return find_inputs(infer, &data, &control, st) && find_bytes(infer, st) &&
           locate_data(infer, data, st) &&
           (!control || locate_control(infer, control, st));
}

static bool read_outputs(struct infer *infer, struct status *st)
{
    const struct attribute_value *name =
        request_parameters_role(&infer->settings, ATTRIBUTE_OUTPUT_NAME);
    const struct document *doc = &infer->doc;
    struct infer_target *target = &infer->target;
    bool binary = infer->settings.binary_output;

    target->name = name && name->text ? name->text : infer->model->output;
    for (int i = 0; i < doc->output_count; i++) {
        if (strcmp(doc->outputs[i].name, target->name) != 0)
            return status_fail(st, STATUS_INVALID,
                               "outputs[%d] is '%.64s', but the output is "
                               "'%.64s'",
                               i, doc->outputs[i].name, target->name);
        if (i > 0)
            return status_fail(st, STATUS_INVALID,
                               "outputs[%d] repeats '%.64s'", i, target->name);
        if (doc->outputs[i].has_form)
            binary = doc->outputs[i].binary;
    }
    if (target->form == DOCUMENT_FORM_ASKED)
        target->form = binary ? DOCUMENT_FORM_BINARY : DOCUMENT_FORM_JSON;
    return true;
}

static bool describe(struct infer *infer, struct status *st)
{
    const struct attribute_value *coefficient =
        request_parameters_role(&infer->settings, ATTRIBUTE_COEFFICIENT);

    infer->coefficient =
        infer->model->op->scales && coefficient ? coefficient->number : 1.0;
    infer->call.attributes = infer->settings.values;
    infer->call.column_major = infer->column_major;
    if (op_describe(infer->model->op, &infer->call, &infer->permutation, st))
        return true;
    /* JSON data is otherwise read once, when it moves. Faults of a tensor are
     * reported before an operator's, so here it is read for them. */
    if (infer->source.is_text)
        tensor_json_index(&infer->source.text, 1, NULL, NULL, st);
    return false;
}

/* Data in another order than JSON's can be moved, but not be read. */
static bool check_order(const struct infer *infer, struct status *st)
{
    bool text = infer->target.form == DOCUMENT_FORM_JSON;

    if (text && infer->column_major)
        return status_fail(st, STATUS_INVALID,
                           "the array is in Fortran order, column by column as "
                           "MATLAB, R and Julia keep it: it can be moved, but "
                           "not be answered in JSON; take the answer as .npy, "
                           "or send numpy.ascontiguousarray(x), which is the "
                           "array row by row with the same shape");
    if (!infer->big_endian || !(text || infer->coefficient != 1.0))
        return true;
    return status_fail(st, STATUS_INVALID,
                       "the array is big-endian: it can be moved, but not be "
                       "%s; send x.astype(x.dtype.newbyteorder('<'))",
                       text ? "answered in JSON" : "scaled");
}

/* The permutation keeps a length of 8 bytes for each entry of the control
 * input, which has a byte at least: all else will be refused. */
static bool ask_for_lens(const struct infer *infer, struct status *st)
{
    const struct tensor *control = &infer->call.control;
    size_t lens = control->shape.rank > 0 ? (size_t)control->shape.dims[0] : 0;
    size_t bytes = size_min(lens, control->bytes) * sizeof(int64_t);

    return bytes <= API_HEAP_FREE ||
           api_heap_take(infer->request->heap, bytes) ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}

static bool prepare_operation(struct infer *infer, struct status *st)
{
    bool ok = locate_inputs(infer, st) && read_outputs(infer, st) &&
              find_target(infer, st) && copy_source(infer, st) &&
              infer_read_context(infer, st) && ask_for_lens(infer, st) &&
              describe(infer, st) && infer_write_context(infer, st);

    /* The permutation has its own copy of the lengths. */
    free(infer->control);
    infer->control = NULL;
    infer->call.control.data = NULL;
    return ok;
}

struct infer *infer_new(const struct model *model,
                        const struct api_request *request,
                        enum document_form form, struct status *st)
{
    struct infer *infer = malloc(sizeof(*infer));

    if (!infer) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    /* Zeros only what infer.h says: the rest is 7 KiB. */
    memset(infer, 0, offsetof(struct infer, source.text));
    infer->model = model;
    infer->request = request;
    infer->target.form = form;
    infer->call.control.name = NULL; /* none is given */
    infer->call.control.data = NULL;
    infer->permutation.lens = NULL;
    document_init(&infer->doc);
    return infer;
}

bool infer_prepare(struct infer *infer, struct api_plan *plan,
                   struct status *st)
{
    return request_parameters_read(infer->model, &infer->doc, &infer->settings,
                                   st) &&
           prepare_operation(infer, st) && check_order(infer, st) &&
           infer_plan(infer, plan, st);
}

void infer_free(struct infer *infer)
{
    if (!infer)
        return;
    tree_free(&infer->doc.tree);
    permutation_free(&infer->permutation);
    free(infer->backward_context);
    free(infer->source.copy);
    free(infer);
}
