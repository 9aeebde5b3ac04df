#include <check.h>
#include <stdio.h>
#include <string.h>

#include "kernels/ops/op.h"
#include "tests/suite.h"

/* The documented table of models, and of attributes with their fallbacks. */
static const struct {
    const char *name, *version, *data, *control, *output;
    bool scales;
    const char *attributes[OP_MAX_ATTRIBUTES];
    double fallbacks[OP_MAX_ATTRIBUTES];
} models[] = {
    {"onnx.ReverseSequence",
     "10",
     "input",
     "sequence_lens",
     "Y",
     false,
     {"batch_axis", "time_axis"},
     {1, 0}},
    {"openvino.ReverseSequence",
     "1",
     "data",
     "seq_lengths",
     "output",
     false,
     {"batch_axis", "seq_axis"},
     {0, 1}},
    {"openvino.Reverse", "1", "data", "axis", "output", false, {"mode"}, {0}},
    {"graiphic.ReverseSequence",
     "1",
     "input",
     "sequence_lens",
     "Y",
     false,
     {"batch_axis", "time_axis", "training", "lda_coeff", "name",
      "specified_outputs_name"},
     {1, 0, 1, 1}},
    {"graiphic.ReverseSequenceGrad",
     "1",
     "dY",
     "sequence_lens",
     "dX",
     true,
     {"batch_axis", "time_axis", "lda_coeff", "backward_context"},
     {1, 0, 1}},
};

enum { MODELS = sizeof(models) / sizeof(*models) };

START_TEST(op_table_is_the_documented_one)
{
    const struct op *op = op_table[_i];

    ck_assert_str_eq(op->name, models[_i].name);
    ck_assert_str_eq(op->version, models[_i].version);
    ck_assert_str_eq(op->data, models[_i].data);
    ck_assert_str_eq(op->control, models[_i].control);
    ck_assert_str_eq(op->output, models[_i].output);
    ck_assert(op->scales == models[_i].scales);
    ck_assert(op->summary && op->describe);
    ck_assert_ptr_null(op_table[MODELS]);
}
END_TEST

START_TEST(op_attributes_are_the_documented_ones)
{
    const struct attribute *attributes = op_table[_i]->attributes;
    int count = 0;

    for (; attributes[count].name; count++) {
        ck_assert_int_lt(count, OP_MAX_ATTRIBUTES);
        ck_assert_ptr_nonnull(models[_i].attributes[count]);
        ck_assert_str_eq(attributes[count].name, models[_i].attributes[count]);
        ck_assert(attributes[count].fallback == models[_i].fallbacks[count]);
    }
    ck_assert(count == OP_MAX_ATTRIBUTES || !models[_i].attributes[count]);
}
END_TEST

START_TEST(op_table_find_finds_every_name)
{
    char name[64];
    size_t len = strlen(models[_i].name);

    snprintf(name, sizeof(name), "%sx", models[_i].name);
    ck_assert_ptr_eq(op_table_find(name, len), op_table[_i]);
    ck_assert_ptr_null(op_table_find(name, len + 1));
    ck_assert_ptr_null(op_table_find(name, len - 1));
}
END_TEST

START_TEST(op_table_find_refuses_other_names)
{
    ck_assert_ptr_null(op_table_find("", 0));
    ck_assert_ptr_null(op_table_find("ONNX.ReverseSequence", 20));
    ck_assert_ptr_null(op_table_find("ReverseSequence", 15));
}
END_TEST

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

START_TEST(op_attributes_have_graiphic_roles)
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
END_TEST

START_TEST(op_attributes_have_no_such_role_elsewhere)
{
    const char *onnx = "onnx.ReverseSequence";
    const char *forward = "graiphic.ReverseSequence";

    ck_assert_ptr_null(with_role(onnx, ATTRIBUTE_TRAINING));
    ck_assert_ptr_null(with_role(onnx, ATTRIBUTE_COEFFICIENT));
    ck_assert_ptr_null(with_role(forward, ATTRIBUTE_CONTEXT));
    ck_assert_str_eq(with_role(onnx, ATTRIBUTE_PLAIN)->name, "batch_axis");
}
END_TEST

SUITE("op", LOOP(op_table_is_the_documented_one, MODELS),
      LOOP(op_attributes_are_the_documented_ones, MODELS),
      LOOP(op_table_find_finds_every_name, MODELS),
      TEST(op_table_find_refuses_other_names),
      TEST(op_attributes_have_graiphic_roles),
      TEST(op_attributes_have_no_such_role_elsewhere))
