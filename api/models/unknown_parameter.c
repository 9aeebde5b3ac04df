#include "api/models/unknown_parameter.h"

#include <string.h>

#include "api/document/misplaced.h"

static bool is_mistyped(const struct model *model, const char *key)
{
    static const char *const own[] = {"binary_data_output", "timeout",
                                      "priority",           "sequence_id",
                                      "sequence_start",     "sequence_end"};
    const struct attribute *attributes = model->op->attributes;

    for (int i = 0; attributes[i].name; i++)
        if (near_name(key, attributes[i].name))
            return true;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (near_name(key, own[i]))
            return true;
    return false;
}

bool unknown_parameter_pass(const struct model *model,
                            const struct document_parameter *p,
                            struct status *st)
{
    const struct attribute *attributes = model->op->attributes;
    const char *key = p->key;
    char known[200] = "", advice[80];

    if (misplaced_is_free(key, model->op, advice, sizeof(advice)) &&
        !p->is_typed && strncmp(key, "triton_", 7) != 0 &&
        !is_mistyped(model, key))
        return true;
    for (int i = 0; attributes[i].name; i++) {
        if (model->fixed[i].given)
            continue;
        strncat(known, attributes[i].name, sizeof(known) - strlen(known) - 1);
        strncat(known, ", ", sizeof(known) - strlen(known) - 1);
    }
    return status_fail(st, STATUS_INVALID,
                       "parameter '%.40s' is unknown to %s; known are "
                       "%sbinary_data_output, timeout%s",
                       key, model->name, known, advice);
}
