#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/infer/state.h"

static bool read_outputs(struct infer *infer, struct status *st)
{
    const struct attribute_value *name =
        request_parameters_role(&infer->settings, ATTRIBUTE_OUTPUT_NAME);
    const struct document *doc = infer->request.doc;
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
    target->form = infer->request.form;
    if (target->form == DOCUMENT_FORM_ASKED)
        target->form = binary ? DOCUMENT_FORM_BINARY : DOCUMENT_FORM_JSON;
    return true;
}

static double coefficient(const struct infer *infer)
{
    const struct attribute_value *value =
        request_parameters_role(&infer->settings, ATTRIBUTE_COEFFICIENT);

    return infer->model->op->scales && value ? value->number : 1.0;
}

static bool describe(struct infer *infer, struct status *st)
{
    infer->coefficient = coefficient(infer);
    infer->call.attributes = infer->settings.values;
    infer->call.column_major = infer->request.column_major;
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

    if (text && infer->request.column_major)
        return status_fail(st, STATUS_INVALID,
                           "the array is in Fortran order, column by column as "
                           "MATLAB, R and Julia keep it: it can be moved, but "
                           "not be answered in JSON; take the answer as .npy, "
                           "or send numpy.ascontiguousarray(x), which is the "
                           "array row by row with the same shape");
    if (!infer->request.big_endian || !(text || infer->coefficient != 1.0))
        return true;
    return status_fail(st, STATUS_INVALID,
                       "the array is big-endian: it can be moved, but not be "
                       "%s; send x.astype(x.dtype.newbyteorder('<'))",
                       text ? "answered in JSON" : "scaled");
}

/* The permutation keeps a length of 8 bytes for each of the control input's
 * elements, a list or a column. */
static bool ask_for_lens(const struct infer *infer, struct status *st)
{
    const struct shape *shape = &infer->call.control.shape;
    size_t bytes = infer->call.control.data && shape->rank >= 1
                       ? (size_t)shape->dims[0] * sizeof(int64_t)
                       : 0;

    return bytes <= API_HEAP_FREE ||
           api_heap_take(infer->request.heap, bytes) ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}

static bool prepare_operation(struct infer *infer, struct status *st)
{
    bool ok = locate_inputs(infer, st) && read_outputs(infer, st) &&
              region_find_target(infer, st) && region_copy_source(infer, st) &&
              backward_parameter_read(infer, st) && ask_for_lens(infer, st) &&
              describe(infer, st) && backward_parameter_write(infer, st);

    /* The permutation has its own copy of the lengths. */
    free(infer->control);
    infer->control = NULL;
    infer->call.control.data = NULL;
    return ok;
}

/* Zeros only what state.h says: all 2.7 KiB would be a sixth of the
 * instructions of a small request. */
static struct infer *new_infer(const struct model *model,
                               const struct infer_request *request)
{
    struct infer *infer = malloc(sizeof(*infer));

    if (!infer)
        return NULL;
    memset(infer, 0, offsetof(struct infer, source.text));
    infer->model = model;
    infer->request = *request;
    infer->call.control = (struct tensor){.name = NULL};
    infer->permutation.lens = NULL;
    return infer;
}

struct infer *infer_prepare(const struct model *model,
                            const struct infer_request *request,
                            struct status *st)
{
    struct infer *infer = new_infer(model, request);

    if (!infer) {
        document_free(request->doc);
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    if (request_parameters_read(model, request->doc, &infer->settings, st) &&
        prepare_operation(infer, st) && check_order(infer, st) &&
        layout_decide(infer, st))
        return infer;
    infer_free(infer);
    return NULL;
}

void infer_free(struct infer *infer)
{
    if (!infer)
        return;
    document_free(infer->request.doc);
    permutation_free(&infer->permutation);
    free(infer->backward_context);
    free(infer->source.copy);
    free(infer);
}

void infer_describe(const struct infer *infer, struct infer_result *result)
{
    const struct attribute_value *echo =
        request_parameters_role(&infer->settings, ATTRIBUTE_ECHO);

    *result = (struct infer_result){
        .model_name = infer->model->name,
        .model_version = infer->model->version,
        .id = infer->request.doc->id,
        .id_len = infer->request.doc->id_len,
        .echo = echo ? echo->text : NULL,
        .backward_context = infer->backward_context,
        .tensor = {.name = infer->target.name,
                   .dtype = infer->call.data.dtype,
                   .shape = &infer->call.data.shape,
                   .form = infer->target.form,
                   .big_endian = infer->request.big_endian,
                   .column_major = infer->request.column_major},
    };
}
