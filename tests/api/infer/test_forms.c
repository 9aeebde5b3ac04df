/* Every operator, every datatype, every mix of forms: against the formula, with
 * elements whose both forms are written down by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/ask.h"
#include "tests/api/infer/elements.h"
#include "tests/api/infer/form_case.h"
#include "tests/unit.h"

/* One question: which tensors travel as bytes. */
struct mix {
    const struct form_case *c;
    enum dtype dtype;
    bool binary_data, binary_control, binary_answer;
};

static void print_data(FILE *out, const struct mix *m, size_t bytes)
{
    uint64_t order[FORM_MOST];
    uint64_t count = form_case_order(m->c, false, order);
    char shape[256];

    fprintf(out, "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s",
            m->c->data, dtype_info(m->dtype)->name,
            shape_print(&m->c->shape, shape, sizeof(shape)));
    if (m->binary_data) {
        fprintf(out, ",\"parameters\":{\"binary_data_size\":%zu}}", bytes);
        return;
    }
    fputs(",\"data\" : [", out);
    elements_print(out, m->dtype, order, count, false);
    fputs("]}", out);
}

static void print_control(FILE *out, const struct mix *m, size_t bytes)
{
    fprintf(out, "{\"shape\":[%d],\"datatype\":\"%s\",\"name\":\"%s\"",
            m->c->control_count, m->c->control_datatype, m->c->control);
    if (m->binary_control)
        fprintf(out, ",\"parameters\":{\"binary_data_size\":%zu}}", bytes);
    else
        fprintf(out, ",\"data\":%s,\"parameters\":{}}", m->c->control_data);
}

/* Builds the request, the tensors in one order or the other, and asks. */
static struct answer ask_mix(const struct mix *m, bool control_first)
{
    unsigned char tail[2 * FORM_MOST * 24];
    unsigned char data[FORM_MOST * 24];
    unsigned char control[FORM_CONTROL_MOST * 8];
    uint64_t order[FORM_MOST];
    uint64_t count = form_case_order(m->c, false, order);
    size_t data_size = elements_pack(m->dtype, order, count, data);
    size_t control_size = form_case_control(m->c, control);
    size_t size = 0, len = 0;
    struct answer a;
    char *json;
    FILE *out = open_memstream(&json, &len);

    fprintf(out, "{\"parameters\":{%s\"binary_data_output\":%s},\"inputs\":[",
            m->c->parameters, m->binary_answer ? "true" : "false");
    for (int i = 0; i < 2; i++) {
        bool is_control = (i == 0) == control_first;

        fputs(i ? "," : "", out);
        if (is_control)
            print_control(out, m, control_size);
        else
            print_data(out, m, data_size);
        if (is_control ? m->binary_control : m->binary_data) {
            memcpy(tail + size, is_control ? control : data,
                   is_control ? control_size : data_size);
            size += is_control ? control_size : data_size;
        }
    }
    fputs("]}", out);
    fclose(out);
    a = ask_binary(m->c->model, json, tail, size);
    free(json);
    return a;
}

/* JSON to JSON keeps the tokens; binary to JSON prints the values. */
static void expect_data(const struct mix *m, struct answer a)
{
    unsigned char bytes[FORM_MOST * 24];
    uint64_t order[FORM_MOST];
    uint64_t count = form_case_order(m->c, true, order);
    size_t size = elements_pack(m->dtype, order, count, bytes);
    char *text;

    if (m->binary_answer) {
        assert_answer_bytes(a, bytes, size);
        return;
    }
    text = elements_text(m->dtype, order, count, m->binary_data);
    assert_answer_data(a, text);
    free(text);
}

static void expect_head(const struct mix *m, const struct answer *a)
{
    char want[256], shape[128];
    size_t len = 0;

    snprintf(want, sizeof(want),
             "\"outputs\":[{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":",
             m->c->output, dtype_info(m->dtype)->name);
    ck_assert_msg(strstr(a->body, want), "no %s in: %s", want, a->body);
    shape_print(&m->c->shape, shape, sizeof(shape));
    for (const char *at = shape; *at; at++)
        if (*at != ' ')
            want[len++] = *at;
    want[len] = '\0';
    ck_assert_msg(strstr(a->body, want), "no %s in: %s", want, a->body);
}

static bool takes(const struct mix *m)
{
    enum dtype_kind kind = dtype_info(m->dtype)->kind;

    return strcmp(m->c->data, "dY") != 0 || kind == DTYPE_KIND_FLOAT ||
           kind == DTYPE_KIND_COMPLEX;
}

static void check_mix(const struct mix *m, bool control_first)
{
    bool text = elements_have_text(m->dtype);
    struct answer a;

    if (!text && !m->binary_data)
        return;
    a = ask_mix(m, control_first);
    if (!takes(m)) {
        assert_answer_refused(a, 400, "dY is ", dtype_info(m->dtype)->name,
                              "must be FP16, BF16, FP32", NULL);
        return;
    }
    if (!text && !m->binary_answer) {
        assert_answer_refused(a, 400, dtype_info(m->dtype)->name, "binary",
                              m->c->data, NULL);
        return;
    }
    expect_head(m, &a);
    expect_data(m, a);
}

static void check_dtype(const struct form_case *c, enum dtype dtype)
{
    for (int bits = 0; bits < 16; bits++) {
        struct mix m = {.c = c,
                        .dtype = dtype,
                        .binary_data = bits & 1,
                        .binary_control = bits & 2,
                        .binary_answer = bits & 4};

        check_mix(&m, bits & 8);
    }
}

LOOP_TEST(forms_agree_for_this_operator_with_every_datatype, form_cases_read())
{
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
        check_dtype(&form_cases[_i], (enum dtype)dtype);
}
