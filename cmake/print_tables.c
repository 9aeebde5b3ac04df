/* Prints the tables of operators and datatypes as JSON, for cmake/operators.py.
 * Their texts need no escapes. */
#include <stdio.h>

#include "kernels/core/dtype.h"
#include "kernels/ops/op.h"

static const char *const attribute_kinds[] = {
    [ATTRIBUTE_INT] = "integer",
    [ATTRIBUTE_FLOAT] = "number",
    [ATTRIBUTE_BOOL] = "boolean",
    [ATTRIBUTE_TEXT] = "string",
};

static const char *const roles[] = {
    [ATTRIBUTE_PLAIN] = "plain",       [ATTRIBUTE_COEFFICIENT] = "coefficient",
    [ATTRIBUTE_TRAINING] = "training", [ATTRIBUTE_CONTEXT] = "context",
    [ATTRIBUTE_ECHO] = "echo",         [ATTRIBUTE_OUTPUT_NAME] = "output name",
};

static const char *const dtype_kinds[] = {
    [DTYPE_KIND_BOOL] = "bool",       [DTYPE_KIND_INT] = "int",
    [DTYPE_KIND_UINT] = "uint",       [DTYPE_KIND_FLOAT] = "float",
    [DTYPE_KIND_COMPLEX] = "complex", [DTYPE_KIND_BYTES] = "bytes",
    [DTYPE_KIND_OPAQUE] = "opaque",
};

static void print_op(const struct op *op)
{
    printf("{\"name\": \"%s\", \"version\": \"%s\", \"summary\": \"%s\", "
           "\"data\": \"%s\", \"control\": \"%s\", \"takes\": \"%s\", "
           "\"output\": \"%s\", "
           "\"scales\": %s, \"attributes\": [",
           op->name, op->version, op->summary, op->data, op->control, op->takes,
           op->output, op->scales ? "true" : "false");
    for (const struct attribute *a = op->attributes; a->name; a++)
        printf("%s\n  {\"name\": \"%s\", \"alias\": \"%s\", \"kind\": \"%s\", "
               "\"role\": \"%s\", \"fallback\": %g}",
               a == op->attributes ? "" : ",", a->name,
               a->alias ? a->alias : "", attribute_kinds[a->kind],
               roles[a->role], a->fallback);
    printf("]}");
}

int main(void)
{
    printf("{\"operators\": [");
    for (int i = 0; op_table[i]; i++) {
        printf(i ? ",\n" : "\n");
        print_op(op_table[i]);
    }
    printf("\n], \"datatypes\": [");
    for (int i = 0; i < DTYPE_COUNT; i++) {
        const struct dtype_traits *info = dtype_info((enum dtype)i);

        printf("%s\n{\"name\": \"%s\", \"kind\": \"%s\", \"bits\": %u}",
               i ? "," : "", info->name, dtype_kinds[info->kind], info->bits);
    }
    printf("\n]}\n");
    return fflush(stdout) != 0;
}
