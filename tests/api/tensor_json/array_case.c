#include "tests/api/tensor_json/array_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/edge.h"

static struct shape read_shape(const char *text)
{
    struct shape shape = {0};
    char *end;

    for (; *text; text = *end ? end + 1 : end)
        shape.dims[shape.rank++] = strtoll(text, &end, 10);
    return shape;
}

struct data_array array_case_bytes(enum dtype dtype, const char *shape,
                                   const char *text, size_t len)
{
    struct data_array a = {.name = "input", .origin = 100, .dtype = dtype};
    struct status st;

    a.text = edge_copy(text, len);
    a.len = len;
    a.shape = read_shape(shape);
    ck_assert(shape_count(&a.shape, a.name, &a.count, &st));
    return a;
}

struct data_array array_case(enum dtype dtype, const char *shape,
                             const char *text)
{
    return array_case_bytes(dtype, shape, text, strlen(text));
}

void array_case_free(struct data_array *a)
{
    edge_free((void *)(uintptr_t)a->text, a->len);
    a->text = NULL;
}

/* For a count that the text cannot hold no memory is allocated, so no row may
 * be written. */
static bool index_rows(const struct data_array *a, struct status *st)
{
    uint64_t count = a->count <= a->len ? a->count : 0;
    struct span *rows = malloc((size_t)count * sizeof(*rows) + 1);
    bool accepted;

    ck_assert_ptr_nonnull(rows);
    accepted = tensor_json_index(a, 1, count ? rows : NULL, NULL, st);
    for (uint64_t i = 0; accepted && i < count; i++)
        ck_assert_uint_le((uint64_t)rows[i].start + rows[i].len, a->len - 1);
    free(rows);
    return accepted;
}

static void check_binary(const struct data_array *a, bool expected,
                         const struct status *refusal)
{
    struct status st = {0};
    size_t bytes = 0;
    unsigned char *out;

    if (a->dtype == DTYPE_BYTES || a->count > a->len ||
        !tensor_bytes(a->dtype, a->count, a->name, &bytes, &st))
        return;
    out = malloc(bytes ? bytes : 1);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(tensor_json_to_binary(a, out, NULL, &st), expected);
    if (!expected)
        ck_assert_str_eq(st.message, refusal->message);
    free(out);
}

bool array_case_accepted(const struct data_array *a, struct status *st)
{
    struct status other = {0};
    bool accepted = tensor_json_index(a, 1, NULL, NULL, st);

    ck_assert_int_eq(index_rows(a, &other), accepted);
    if (!accepted)
        ck_assert_str_eq(st->message, other.message);
    if (dtype_info(a->dtype)->kind != DTYPE_KIND_OPAQUE)
        check_binary(a, accepted, st);
    return accepted;
}

void array_case_refused(const struct array_refusal *c)
{
    struct data_array a = array_case(c->dtype, c->shape, c->text);
    struct status st = {0};

    ck_assert_msg(!array_case_accepted(&a, &st), "%s", c->text);
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, c->message) != NULL, "%s: %s", c->text,
                  st.message);
    array_case_free(&a);
}
