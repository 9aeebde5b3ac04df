/* Whether a model of the file can be asked at all. Its operator is shown calls
 * that fit what the file fixes; dims are 0 in them, so values do not matter. */
#include "api/models/file.h"
#include "api/models/settings.h"

struct trial {
    const struct model *model;
    struct settings settings;
    int rank; /* of the data */
};

static bool ask(const struct trial *trial, enum dtype control, int64_t entries,
                struct status *st)
{
    static const unsigned char nothing[TENSOR_MAX_RANK];
    const struct model *model = trial->model;
    struct permutation permutation = {0};
    struct op_call call = {
        .data = {.name = model->op->data,
                 .dtype = model->typed ? model->datatype : DTYPE_FP32,
                 .shape = {.rank = trial->rank}},
        .control = {.name = model->op->control,
                    .dtype = control,
                    .shape = {.rank = 1, .dims = {entries}},
                    .data = nothing},
        .attributes = trial->settings.values,
    };
    bool ok = model->op->describe(&call, &permutation, st);

    permutation_free(&permutation);
    return ok;
}

/* With no lengths or axes, or with a mask. */
static bool ask_both(const struct trial *trial, struct status *st)
{
    return ask(trial, DTYPE_INT64, 0, st) ||
           ask(trial, DTYPE_BOOL, trial->rank, st);
}

/* Gives the axes that a request may set, from attribute `i` on, each of their
 * values. As deep as there are attributes. */
static bool ask_all(struct trial *trial, int i, struct status *st)
{
    const struct attribute *attribute = &trial->model->op->attributes[i];

    if (!attribute->name)
        return ask_both(trial, st);
    if (attribute->kind != ATTRIBUTE_INT || trial->model->fixed[i].given)
        return ask_all(trial, i + 1, st);
    for (int value = 0; value < trial->rank; value++) {
        trial->settings.values[i].integer = value;
        if (ask_all(trial, i + 1, st))
            return true;
    }
    return false;
}

/* A text that requests must give leaves nothing to find out. */
static bool wants_text(const struct model *model)
{
    const struct attribute *attributes = model->op->attributes;

    for (int i = 0; attributes[i].name; i++)
        if (attributes[i].kind == ATTRIBUTE_TEXT &&
            attributes[i].role == ATTRIBUTE_PLAIN && !model->fixed[i].given)
            return true;
    return false;
}

bool models_file_trial(const struct models_file *file, struct status *st)
{
    static const struct document no_request;
    struct trial first = {.model = file->model}, trial;
    int least = file->model->shaped ? file->model->shape.rank : 0;

    first.rank = file->model->shaped ? least : TENSOR_MAX_RANK;
    if (wants_text(file->model))
        return true;
    if (!settings_read(file->model, &no_request, &first.settings, st))
        return models_file_fail(file, NULL, st);
    for (trial = first; trial.rank >= least; trial.rank--)
        if (ask_all(&trial, 0, st))
            return true;
    /* The first call says best why. */
    return ask_both(&first, st) || models_file_fail(file, "attributes", st);
}
