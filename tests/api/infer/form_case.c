#include "tests/api/infer/form_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/core/require.h"
#include "kernels/ops/op.h"
#include "tests/vector_file.h"

enum { CASES_MOST = 64 };
struct form_case form_cases[CASES_MOST];

/* Reads a list of numbers or booleans; returns their count. */
static int read_list(struct vector_text list, int most, int64_t *values)
{
    const char *at = list.text + 1, *end = list.text + list.len - 1;
    int count = 0;

    for (; at < end; at += strspn(at, ", ")) {
        size_t len = strcspn(at, ",]");

        REQUIRE(count < most);
        values[count++] = *at == 't'   ? 1
                          : *at == 'f' ? 0
                                       : (int64_t)strtod(at, NULL);
        at += len;
    }
    return count;
}

static void read_case(const struct vector *v, struct form_case *c)
{
    const struct op *op = op_table_find(v->op, strlen(v->op));
    int64_t data[FORM_MOST], moved[FORM_MOST];
    int len = (int)v->parameters.len - 2;

    REQUIRE(op);
    c->model = op->name;
    c->data = op->data;
    c->control = op->control;
    c->output = op->output;
    snprintf(c->parameters, sizeof(c->parameters), "%.*s%s", len,
             v->parameters.text + 1, len > 0 ? "," : "");
    c->control_datatype = dtype_info(v->control_dtype)->name;
    c->control_bytes = dtype_info(v->control_dtype)->bits / 8;
    snprintf(c->control_data, sizeof(c->control_data), "%.*s",
             (int)v->control.len, v->control.text);
    c->control_count =
        read_list(v->control, FORM_CONTROL_MOST, c->control_values);
    c->shape = v->shape;
    c->count = read_list(v->data, FORM_MOST, data);
    REQUIRE(read_list(v->expect, FORM_MOST, moved) == c->count);
    for (int i = 0; i < c->count; i++) {
        REQUIRE(data[i] == i);
        c->order[i] = (uint64_t)moved[i];
    }
}

int form_cases_read(void)
{
    struct vector_file file;
    int count = 0;

    vector_file_read(&file);
    for (int i = 0; i < file.count; i++) {
        if (!file.vectors[i].everywhere)
            continue;
        REQUIRE(count < CASES_MOST);
        read_case(&file.vectors[i], &form_cases[count++]);
    }
    vector_file_free(&file);
    REQUIRE(count > 0);
    return count;
}

uint64_t form_case_order(const struct form_case *c, bool moved, uint64_t *order)
{
    for (int i = 0; i < c->count; i++)
        order[i] = moved ? c->order[i] : (uint64_t)i;
    return (uint64_t)c->count;
}

size_t form_case_control(const struct form_case *c, unsigned char *out)
{
    for (int i = 0; i < c->control_count; i++)
        memcpy(out + (size_t)i * c->control_bytes, &c->control_values[i],
               c->control_bytes);
    return (size_t)c->control_count * c->control_bytes;
}
