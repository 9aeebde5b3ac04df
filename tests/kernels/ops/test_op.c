#include "kernels/ops/op.h"
#include "tests/unit.h"

UNIT_TEST(op_table_find_finds_every_name)
{
    for (int i = 0; op_table[i]; i++) {
        char name[64];
        size_t len = strlen(op_table[i]->name);

        snprintf(name, sizeof(name), "%sx", op_table[i]->name);
        ck_assert_ptr_eq(op_table_find(name, len), op_table[i]);
        ck_assert_ptr_null(op_table_find(name, len + 1));
        ck_assert_ptr_null(op_table_find(name, len - 1));
    }
}

/* Clients have seen the list: what is new stands behind it, by name. */
UNIT_TEST(op_table_begins_as_it_always_has)
{
    static const char *const first[] = {
        "onnx.ReverseSequence", "openvino.ReverseSequence", "openvino.Reverse"};

    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(op_table[i]->name, first[i]);
    for (int i = 3; op_table[i + 1]; i++)
        ck_assert_int_lt(strcmp(op_table[i]->name, op_table[i + 1]->name), 0);
}

UNIT_TEST(op_table_find_refuses_other_names)
{
    ck_assert_ptr_null(op_table_find("", 0));
    ck_assert_ptr_null(op_table_find("ONNX.ReverseSequence", 20));
    ck_assert_ptr_null(op_table_find("ReverseSequence", 15));
}

/* The operator's first attribute with the role, or NULL. */
static const struct attribute *with_role(const char *op,
                                         enum attribute_role role)
{
    const struct attribute *a = op_table_find(op, strlen(op))->attributes;

    while (a->name && a->role != role)
        a++;
    return a->name ? a : NULL;
}

static void check_attribute(const char *op, enum attribute_role role,
                            const char *name, const char *alias,
                            enum attribute_kind kind)
{
    const struct attribute *a = with_role(op, role);

    ck_assert_ptr_nonnull(a);
    ck_assert_str_eq(a->name, name);
    ck_assert_int_eq(a->kind, kind);
    if (alias)
        ck_assert_str_eq(a->alias, alias);
    else
        ck_assert_ptr_null(a->alias);
}

UNIT_TEST(op_attributes_have_graiphic_roles)
{
    const char *forward = "graiphic.ReverseSequence";
    const char *backward = "graiphic.ReverseSequenceGrad";

    check_attribute(forward, ATTRIBUTE_TRAINING, "training", "training?",
                    ATTRIBUTE_BOOL);
    check_attribute(forward, ATTRIBUTE_COEFFICIENT, "lda_coeff", "lda coeff",
                    ATTRIBUTE_FLOAT);
    check_attribute(forward, ATTRIBUTE_ECHO, "name", NULL, ATTRIBUTE_TEXT);
    check_attribute(forward, ATTRIBUTE_OUTPUT_NAME, "specified_outputs_name",
                    NULL, ATTRIBUTE_TEXT);
    check_attribute(backward, ATTRIBUTE_COEFFICIENT, "lda_coeff", "lda coeff",
                    ATTRIBUTE_FLOAT);
    check_attribute(backward, ATTRIBUTE_CONTEXT, "backward_context", NULL,
                    ATTRIBUTE_TEXT);
}

UNIT_TEST(op_attributes_have_no_such_role_elsewhere)
{
    const char *onnx = "onnx.ReverseSequence";
    const char *forward = "graiphic.ReverseSequence";

    ck_assert_ptr_null(with_role(onnx, ATTRIBUTE_TRAINING));
    ck_assert_ptr_null(with_role(onnx, ATTRIBUTE_COEFFICIENT));
    ck_assert_ptr_null(with_role(forward, ATTRIBUTE_CONTEXT));
    ck_assert_str_eq(with_role(onnx, ATTRIBUTE_PLAIN)->name, "batch_axis");
}
