#include "kernels/ops/op.h"

#include <string.h>

const struct op *op_table_find(const char *name, size_t len)
{
    for (int i = 0; op_table[i]; i++)
        if (strlen(op_table[i]->name) == len &&
            memcmp(op_table[i]->name, name, len) == 0)
            return op_table[i];
    return NULL;
}

/* Most names differ in the first byte. */
static bool is_same(const char *known, const char *name)
{
    return known && *known == *name && strcmp(known, name) == 0;
}

int op_attribute_find(const struct op *op, const char *name)
{
    for (int i = 0; op->attributes[i].name; i++)
        if (is_same(op->attributes[i].name, name) ||
            is_same(op->attributes[i].alias, name))
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
