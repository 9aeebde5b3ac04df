#include "tests/vectors/vector_bytes.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tensor_json/tensor_json.h"

struct bytes vector_binary(struct vector_text text, enum dtype dtype,
                           const struct shape *shape)
{
    struct data_array array = {.name = "vector",
                               .text = text.text,
                               .len = text.len,
                               .dtype = dtype,
                               .shape = *shape};
    struct span *rows;
    struct bytes out;
    struct status st;

    ck_assert(shape_count(shape, "vector", &array.count, &st));
    if (dtype != DTYPE_BYTES) {
        ck_assert(tensor_bytes(dtype, array.count, "vector", &out.len, &st));
        out.data = malloc(out.len + 1);
        ck_assert_msg(tensor_json_to_binary(&array, out.data, NULL, &st), "%s",
                      st.message);
        return out;
    }
    rows = calloc(array.count + 1, sizeof(*rows));
    ck_assert_msg(tensor_json_index(&array, 1, rows, NULL, &st), "%s",
                  st.message);
    out.data = malloc(tensor_json_strings_bound(&array) + 1);
    out.len = tensor_json_strings_to_binary(&array, rows, array.count, out.data,
                                            NULL);
    free(rows);
    return out;
}

static struct bytes vector_hex(const char *hex)
{
    struct bytes out = {malloc(strlen(hex) / 2 + 1), strlen(hex) / 2};

    for (size_t i = 0; i < out.len; i++) {
        unsigned byte;

        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out.data[i] = (unsigned char)byte;
    }
    return out;
}

struct bytes vector_data(const struct vector *v)
{
    return v->data.text ? vector_binary(v->data, v->dtype, &v->shape)
                        : vector_hex(v->data_hex);
}

struct bytes vector_expected(const struct vector *v)
{
    return v->expect.text ? vector_binary(v->expect, v->dtype, &v->shape)
                          : vector_hex(v->expect_hex);
}
