#include "api/infer/infer.h"
#include "api/infer/state.h"

void infer_describe(const struct infer *infer, struct infer_result *result)
{
    const struct attribute_value *echo = request_parameters_role(
        infer->model->op, &infer->settings, ATTRIBUTE_ECHO);

    *result = (struct infer_result){
        .model_name = infer->model->name,
        .model_version = infer->model->version,
        .id = infer->request.instance.id,
        .id_len = infer->request.instance.id_len,
        .echo = echo ? echo->text : NULL,
        .backward_context = infer->backward_context,
        .tensor = {.name = infer->target.name,
                   .dtype = infer->call.data.dtype,
                   .shape = &infer->call.data.shape,
                   .form = infer->target.form},
    };
}
