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

#define FORWARD "graiphic.ReverseSequence"
#define BACKWARD "graiphic.ReverseSequenceGrad"

static const struct {
    const char *op;
    enum attribute_role role;
    const char *name, *alias; /* NULL: none */
    enum attribute_kind kind;
} roles[] = {
    {FORWARD, ATTRIBUTE_TRAINING, "training", "training?", ATTRIBUTE_BOOL},
    {FORWARD, ATTRIBUTE_COEFFICIENT, "lda_coeff", "lda coeff", ATTRIBUTE_FLOAT},
    {FORWARD, ATTRIBUTE_ECHO, "name", NULL, ATTRIBUTE_TEXT},
    {FORWARD, ATTRIBUTE_OUTPUT_NAME, "specified_outputs_name", NULL,
     ATTRIBUTE_TEXT},
    {BACKWARD, ATTRIBUTE_COEFFICIENT, "lda_coeff", "lda coeff",
     ATTRIBUTE_FLOAT},
    {BACKWARD, ATTRIBUTE_CONTEXT, "backward_context", NULL, ATTRIBUTE_TEXT},
};

LOOP_TEST(op_attributes_have_graiphic_roles, COUNT(roles))
{
    const struct attribute *a = with_role(roles[_i].op, roles[_i].role);

    ck_assert_ptr_nonnull(a);
    ck_assert_str_eq(a->name, roles[_i].name);
    ck_assert_int_eq(a->kind, roles[_i].kind);
    ck_assert_pstr_eq(a->alias, roles[_i].alias);
}

UNIT_TEST(op_attributes_have_no_such_role_elsewhere)
{
    const char *onnx = "onnx.ReverseSequence";

    ck_assert_ptr_null(with_role(onnx, ATTRIBUTE_TRAINING));
    ck_assert_ptr_null(with_role(onnx, ATTRIBUTE_COEFFICIENT));
    ck_assert_ptr_null(with_role(FORWARD, ATTRIBUTE_CONTEXT));
    ck_assert_str_eq(with_role(onnx, ATTRIBUTE_PLAIN)->name, "batch_axis");
}
