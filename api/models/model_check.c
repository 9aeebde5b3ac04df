#include "api/models/model.h"
#include "api/models/request_parameters.h"

bool model_accepts(const struct model *model, const struct tensor *data,
                   struct status *st)
{
    const struct shape *want = &model->shape, *is = &data->shape;
    char wanted[128], shape[128];
    bool fits = !model->shaped || want->rank == is->rank;

    if (model->typed && data->dtype != model->datatype)
        return status_fail(st, STATUS_INVALID, "'%s' is %s, but %s takes %s",
                           data->name, dtype_info(data->dtype)->name,
                           model->name, dtype_info(model->datatype)->name);
    for (int i = 0; fits && model->shaped && i < is->rank; i++)
        fits = want->dims[i] < 0 || want->dims[i] == is->dims[i];
    return fits ||
           status_fail(st, STATUS_INVALID,
                       "'%s' has shape %s, but %s takes %s (-1 is any)",
                       data->name, shape_print(is, shape, sizeof(shape)),
                       model->name, shape_print(want, wanted, sizeof(wanted)));
}

/* Calls of the operator whose dims are 0, so that values do not matter. */
struct dry_run {
    const struct model *model;
    struct request_parameters settings;
    int rank; /* of the data */
};

static bool describe(const struct dry_run *run, enum dtype control,
                     int64_t entries, struct status *st)
{
    static const unsigned char nothing[SHAPE_MAX_RANK];
    const struct model *model = run->model;
    struct permutation permutation = {0};
    struct op_call call = {
        .data = {.name = model->op->data,
                 .dtype = model->typed ? model->datatype : DTYPE_FP32,
                 .shape = {.rank = run->rank}},
        .control = {.name = model->op->control,
                    .dtype = control,
                    .shape = {.rank = 1, .dims = {entries}},
                    .data = nothing},
        .attributes = run->settings.values,
    };
    bool ok = op_describe(model->op, &call, &permutation, st);

    permutation_free(&permutation);
    return ok;
}

/* Without any lengths or axes, or with a mask. */
static bool try_controls(const struct dry_run *run, struct status *st)
{
    return describe(run, DTYPE_INT64, 0, st) ||
           describe(run, DTYPE_BOOL, run->rank, st);
}

/* Tries every value of each axis that a request may set, from attribute `i` on.
 * Recursion is as deep as the list of attributes. */
static bool try_axes(struct dry_run *run, int i, struct status *st)
{
    const struct attribute *attribute = &run->model->op->attributes[i];

    if (!attribute->name)
        return try_controls(run, st);
    if (attribute->kind != ATTRIBUTE_INT || run->model->fixed[i].given)
        return try_axes(run, i + 1, st);
    for (int value = 0; value < run->rank; value++) {
        run->settings.values[i].integer = value;
        if (try_axes(run, i + 1, st))
            return true;
    }
    return false;
}

/* True if requests must give a text, whose values cannot be tried. */
static bool needs_text(const struct model *model)
{
    const struct attribute *attributes = model->op->attributes;

    for (int i = 0; attributes[i].name; i++)
        if (attributes[i].kind == ATTRIBUTE_TEXT &&
            attributes[i].role == ATTRIBUTE_PLAIN && !model->fixed[i].given)
            return true;
    return false;
}

bool model_check(const struct model *model, const char **key, struct status *st)
{
    static const struct document no_request;
    struct dry_run first = {.model = model}, run;
    int least = model->shaped ? model->shape.rank : 0;

    *key = NULL;
    first.rank = model->shaped ? least : SHAPE_MAX_RANK;
    if (needs_text(model))
        return true;
    if (!request_parameters_read(model, &no_request, &first.settings, st))
        return false;
    for (run = first; run.rank >= least; run.rank--)
        if (try_axes(&run, 0, st))
            return true;
    /* The first call gives the best reason. */
    *key = "attributes";
    return try_controls(&first, st);
}
