#include "api/models/model.h"

void model_init(struct model *model, const struct op *op)
{
    *model = (struct model){
        .name = op->name,
        .version = op->version,
        .op = op,
        .output = op->output,
    };
}

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
