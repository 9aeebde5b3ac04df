#include "kernels/ops/op.h"

int op_attribute_role(const struct op *op, enum attribute_role role)
{
    for (int i = 0; op->attributes[i].name; i++)
        if (op->attributes[i].role == role)
            return i;
    return -1;
}
