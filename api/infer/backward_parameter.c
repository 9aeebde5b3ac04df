#include <string.h>

#include "api/infer/backward_context.h"
#include "api/infer/state.h"

static int64_t *axis_named(struct infer *infer, const char *name)
{
    int at = op_attribute_find(infer->model->op, name);

    return &infer->settings.values[at].integer;
}

/* A context holds lengths and axes; given twice, they could disagree. */
static bool refuse_both(struct infer *infer, struct status *st)
{
    const struct tensor *control = &infer->call.control;
    const struct op *op = infer->model->op;

    if (control->name)
        return status_fail(st, STATUS_INVALID,
                           "backward_context and '%s' are both given: the "
                           "context holds the lengths",
                           control->name);
    for (int i = 0; op->attributes[i].name; i++)
        if (op->attributes[i].role == ATTRIBUTE_PLAIN &&
            infer->settings.values[i].given)
            return status_fail(st, STATUS_INVALID,
                               "backward_context and %s are both given: the "
                               "context holds the axes",
                               op->attributes[i].name);
    return true;
}

static void use(struct infer *infer, const struct backward_context *context)
{
    *axis_named(infer, "batch_axis") = context->batch_axis;
    *axis_named(infer, "time_axis") = context->time_axis;
    infer->call.control = (struct tensor){
        .name = infer->model->op->control,
        .dtype = DTYPE_INT64,
        .shape = {.rank = 1, .dims = {context->batch}},
        .data = infer->control,
        .bytes = (size_t)context->batch * sizeof(int64_t),
    };
}

bool backward_parameter_read(struct infer *infer, struct status *st)
{
    const struct attribute_value *value =
        request_parameters_role(&infer->settings, ATTRIBUTE_CONTEXT);
    struct backward_context context;

    if (!value || !value->given)
        return true;
    if (!refuse_both(infer, st) ||
        !backward_context_decode(value->text, &context, &infer->control, st))
        return false;
    use(infer, &context);
    return backward_context_fits(&context, &infer->call.data, st);
}

bool backward_parameter_write(struct infer *infer, struct status *st)
{
    const struct shape *shape = &infer->call.data.shape;
    const struct attribute_value *training =
        request_parameters_role(&infer->settings, ATTRIBUTE_TRAINING);
    struct backward_context context = {.lens = infer->call.control.data};

    if (!training || !training->flag)
        return true;
    context.batch_axis = *axis_named(infer, "batch_axis");
    context.time_axis = *axis_named(infer, "time_axis");
    context.batch = shape->dims[context.batch_axis];
    context.time = shape->dims[context.time_axis];
    infer->backward_context = backward_context_encode(&context);
    return infer->backward_context ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}
