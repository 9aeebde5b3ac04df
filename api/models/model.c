#include "api/models/model.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"

static struct model_set builtin;

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

void model_init(struct model *model, const struct op *op)
{
    *model = (struct model){
        .name = op->name,
        .version = op->version,
        .op = op,
        .output = op->output,
    };
}

static void fill_builtin(void)
{
    for (size_t i = 0; op_table[i]; i++) {
        model_init(&builtin.models[i], op_table[i]);
        builtin.models[i].slot = (unsigned)i;
        builtin.count++;
    }
}

struct model_set *api_models_builtin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, fill_builtin);
    return &builtin;
}

struct model *model_set_add(struct model_set *set)
{
    if (set->count == API_MODEL_SLOTS)
        return NULL;
    return &set->models[set->count++];
}

bool model_set_assign_slot(struct model_set *set, struct model *model,
                           struct status *st)
{
    unsigned slot = 0;

    while (slot < API_MODEL_SLOTS && set->slots[slot] &&
           strcmp(set->slots[slot], model->name) != 0)
        slot++;
    if (slot == API_MODEL_SLOTS)
        return status_fail(st, STATUS_TOO_LARGE,
                           "there have been %d names of models since the "
                           "start, which is the limit: start anew",
                           API_MODEL_SLOTS);
    if (!set->slots[slot])
        set->slots[slot] = strdup(model->name);
    model->slot = slot;
    return set->slots[slot] ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory");
}

/* The operators are added first, and so have the slots of the built-in set. */
static bool fill(struct model_set *set, const struct model_set *previous,
                 struct status *st)
{
    for (size_t i = 0; previous && i < API_MODEL_SLOTS && previous->slots[i];
         i++) {
        set->slots[i] = strdup(previous->slots[i]);
        if (!set->slots[i])
            return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; op_table[i]; i++) {
        struct model *model = model_set_add(set);

        REQUIRE(model);
        model_init(model, op_table[i]);
        if (!model_set_assign_slot(set, model, st))
            return false;
    }
    return true;
}

struct model_set *model_set_new(const struct model_set *previous,
                                struct status *st)
{
    struct model_set *set = calloc(1, sizeof(*set));

    if (!set) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    atomic_init(&set->references, 1);
    if (fill(set, previous, st))
        return set;
    api_models_unref(set);
    return NULL;
}

struct model_set *api_models_ref(struct model_set *set)
{
    if (set != &builtin)
        atomic_fetch_add_explicit(&set->references, 1, memory_order_relaxed);
    return set;
}

void api_models_unref(struct model_set *set)
{
    size_t references;

    if (!set || set == &builtin)
        return;
    references =
        atomic_fetch_sub_explicit(&set->references, 1, memory_order_acq_rel);
    REQUIRE(references > 0);
    if (references > 1)
        return;
    for (size_t i = 0; i < API_MODEL_SLOTS; i++)
        free(set->slots[i]);
    tree_free(&set->tree);
    free(set);
}

size_t api_models_count(const struct model_set *set)
{
    return set->count;
}

const struct model *api_models_at(const struct model_set *set, size_t index)
{
    return &set->models[index];
}

const struct model *model_set_find(const struct model_set *set,
                                   const char *name, size_t len)
{
    for (size_t i = 0; i < set->count; i++)
        if (strlen(set->models[i].name) == len &&
            memcmp(set->models[i].name, name, len) == 0)
            return &set->models[i];
    return NULL;
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
