/* Models as other layers see them: declared in registry.h. */
#include "api/registry.h"

#include "api/models/model_set.h"
#include "api/models/models_file.h"
#include "api/routes/models.h"

_Static_assert((int)API_MODEL_SLOTS == (int)MODEL_SLOTS, "one limit");
_Static_assert((int)API_MODEL_NAME_MAX == (int)MODEL_NAME_MAX, "one limit");

const char *api_model_name(const struct model *model)
{
    return model->name;
}

const char *api_model_version(const struct model *model)
{
    return model->version;
}

unsigned api_model_slot(const struct model *model)
{
    return model->slot;
}

const struct model *api_model_find(const struct api_request *request,
                                   const struct api_route *route,
                                   struct status *st)
{
    return models_find(models_of(request), request->path, route, st);
}

struct model_set *api_models_builtin(void)
{
    return model_set_builtin();
}

struct model_set *api_models_read(const char *text, size_t len,
                                  const struct model_set *previous,
                                  struct status *st)
{
    return models_file_read(text, len, previous, st);
}

struct model_set *api_models_ref(struct model_set *set)
{
    return model_set_ref(set);
}

void api_models_unref(struct model_set *set)
{
    model_set_unref(set);
}

size_t api_models_count(const struct model_set *set)
{
    return model_set_count(set);
}

const struct model *api_models_at(const struct model_set *set, size_t index)
{
    return model_set_at(set, index);
}
