#include "kernels/ops/op.h"

#include <string.h>

int op_attribute_find(const struct op *op, const char *name)
{
    for (int i = 0; op->attributes[i].name; i++) {
        const struct attribute *a = &op->attributes[i];

        if (strcmp(a->name, name) == 0 || (a->alias && !strcmp(a->alias, name)))
            return i;
    }
    return -1;
}

int op_attribute_role(const struct op *op, enum attribute_role role)
{
    for (int i = 0; op->attributes[i].name; i++)
        if (op->attributes[i].role == role)
            return i;
    return -1;
}

bool op_describe(const struct op *op, const struct op_call *call,
                 struct permutation *p, struct status *st)
{
    permutation_init(p, &call->data.shape, call->column_major);
    if (!op->describe(op, call, p, st))
        return false;
    permutation_collapse(p);
    return true;
}
