/* Every published vector, sent as JSON and as binary, answered as JSON and as
 * binary. Bit patterns that JSON cannot hold (NaN payloads) go as binary. The
 * operator table is that of the definitions beside them. */
#include <check.h>
#include <jansson.h>
#include <string.h>

#include "kernels/ops/op.h"
#include "tests/suite.h"
#include "tests/vectors/vector_ask.h"

static struct vector_file file;

static const struct vector *pick(int at)
{
    return &file.vectors[at];
}

static const struct vector_model *definition(const char *model)
{
    for (int i = 0; i < file.models_count; i++)
        if (strcmp(file.models[i].name, model) == 0)
            return &file.models[i];
    ck_abort_msg("no file in tests/vectors/ has a line of the model %s", model);
}

static void check_attribute(const struct op *op, const struct attribute *a,
                            const char *name, json_t *fallback)
{
    ck_assert_msg(a->name, "%s: the table lacks %s", op->name, name);
    ck_assert_str_eq(a->name, name);
    if (json_is_boolean(fallback))
        ck_assert_msg(a->kind == ATTRIBUTE_BOOL &&
                          (a->fallback != 0) == json_is_true(fallback),
                      "%s: %s", op->name, name);
    else
        ck_assert_msg(a->fallback == json_number_value(fallback), "%s: %s",
                      op->name, name);
}

START_TEST(op_table_has_the_models_of_the_vectors)
{
    const struct vector_model *m = &file.models[_i];
    const struct op *op = op_table_find(m->name, strlen(m->name));
    json_t *parameters =
        json_loadb(m->parameters.text, m->parameters.len, 0, NULL);
    const char *name;
    json_t *fallback;
    int count = 0;

    ck_assert_msg(op, "kernels/ops/ lacks %s", m->name);
    ck_assert_str_eq(op->version, m->version);
    ck_assert_str_eq(op->data, m->data);
    ck_assert_str_eq(op->control, m->control);
    ck_assert_str_eq(op->output, m->output);
    ck_assert(op->scales == m->scales);
    ck_assert(op->summary && op->describe);
    json_object_foreach(parameters, name, fallback)
        check_attribute(op, &op->attributes[count++], name, fallback);
    ck_assert_ptr_null(op->attributes[count].name);
    ck_assert_int_lt(count, OP_MAX_ATTRIBUTES + 1);
    json_decref(parameters);
}
END_TEST

/* Each operator has a definition, and cases of each kind: an answer, a refusal,
 * one for every datatype. */
START_TEST(every_operator_has_vectors)
{
    for (int i = 0; op_table[i]; i++) {
        const char *name = op_table[i]->name;
        int answers = 0, refusals = 0, everywhere = 0;

        definition(name);
        for (int j = 0; j < file.count; j++) {
            const struct vector *v = pick(j);

            if (strcmp(v->op, name) != 0)
                continue;
            answers += v->expect.text || *v->expect_hex;
            refusals += !v->expect.text && !*v->expect_hex;
            everywhere += v->everywhere;
        }
        ck_assert_msg(answers && refusals && everywhere,
                      "%s: %d answers, %d refusals, %d for every datatype",
                      name, answers, refusals, everywhere);
    }
}
END_TEST

START_TEST(vector_agrees_from_json_to_json)
{
    if (pick(_i)->data.text)
        vector_ask(pick(_i), false, false);
}
END_TEST

START_TEST(vector_agrees_from_json_to_binary)
{
    if (pick(_i)->data.text)
        vector_ask(pick(_i), false, true);
}
END_TEST

START_TEST(vector_agrees_from_binary_to_json)
{
    if (pick(_i)->data.text)
        vector_ask(pick(_i), true, false);
}
END_TEST

START_TEST(vector_agrees_from_binary_to_binary)
{
    vector_ask(pick(_i), true, true);
}
END_TEST

START_TEST(vector_agrees_as_message_with_raw_data)
{
    vector_ask_message(pick(_i), false);
}
END_TEST

START_TEST(vector_agrees_as_message_with_typed_data)
{
    vector_ask_message(pick(_i), true);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("vectors");
    TCase *tc = tcase_create("vectors");
    int count;

    vector_file_read(&file);
    count = file.count;
    tcase_add_test(tc, every_operator_has_vectors);
    tcase_add_loop_test(tc, op_table_has_the_models_of_the_vectors, 0,
                        file.models_count);
    tcase_add_loop_test(tc, vector_agrees_from_json_to_json, 0, count);
    tcase_add_loop_test(tc, vector_agrees_from_json_to_binary, 0, count);
    tcase_add_loop_test(tc, vector_agrees_from_binary_to_json, 0, count);
    tcase_add_loop_test(tc, vector_agrees_from_binary_to_binary, 0, count);
    tcase_add_loop_test(tc, vector_agrees_as_message_with_raw_data, 0, count);
    tcase_add_loop_test(tc, vector_agrees_as_message_with_typed_data, 0, count);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    int status = suite_run(suite);

    vector_file_free(&file);
    return status;
}
