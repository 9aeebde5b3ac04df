#include "tests/api/tensor_json/random_array.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernels/naive.h"

enum { MAX_LEVELS = SHAPE_MAX_RANK + 1 };

/* The length of the lists of each level, outermost first. */
struct nesting {
    int levels;
    uint64_t extents[MAX_LEVELS];
    uint64_t token_count;
};

static void write_integer(const struct dtype_traits *info, uint64_t *state,
                          char *out)
{
    uint64_t any = naive_random(state) >> naive_below(state, 64);
    int64_t value = (int64_t)(any << (64 - info->bits)) >> (64 - info->bits);

    if (naive_below(state, 16) == 0)
        strcpy(out, "-0");
    else if (info->kind == DTYPE_KIND_UINT)
        sprintf(out, "%" PRIu64, any << (64 - info->bits) >> (64 - info->bits));
    else
        sprintf(out, "%" PRId64, value);
}

static void write_float(uint64_t *state, char *out)
{
    static const char *const fixed[] = {
        "NaN",    "Infinity", "-Infinity", "0",     "-0",     "0.1",
        "1e2",    "1E+4",     "-2.5e-3",   "0e0",   "1e-999", "65504",
        "1.0000", "-0.0e-0",  "12345.678", "6.5E4",
    };
    const char *const formats[] = {"%.0f", "%.1f", "%.8f", "%.3e", "%.17g"};
    double value = (double)(int64_t)naive_random(state) / 0x1p+48;

    if (naive_below(state, 4) == 0)
        strcpy(out, fixed[naive_below(state, sizeof(fixed) / sizeof(*fixed))]);
    else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        sprintf(out, formats[naive_below(state, 5)], value);
#pragma GCC diagnostic pop
}

static void write_string(uint64_t *state, char *out)
{
    static const char *const parts[] = {"a",
                                        "plain text",
                                        "[",
                                        "]",
                                        ",",
                                        " ",
                                        "\\\"",
                                        "\\\\",
                                        "\\n\\t",
                                        "\\u0000",
                                        "\\u00e9",
                                        "\\ud83d\\ude00",
                                        "\\/",
                                        "\xC3\xA9",
                                        "\xE2\x82\xAC",
                                        "\xF0\x9F\x98\x80",
                                        "1e5",
                                        "\\b\\f\\r",
                                        "_Y!",
                                        "\x7F"};
    uint64_t count = naive_below(state, 6);

    strcpy(out, "\"");
    for (uint64_t i = 0; i < count; i++)
        strcat(out, parts[naive_below(state, sizeof(parts) / sizeof(*parts))]);
    strcat(out, "\"");
}

static void write_token(const struct dtype_traits *info, uint64_t *state,
                        char *out)
{
    switch (info->kind) {
    case DTYPE_KIND_BOOL:
        strcpy(out, naive_below(state, 2) ? "true" : "false");
        break;
    case DTYPE_KIND_INT:
    case DTYPE_KIND_UINT:
        write_integer(info, state, out);
        break;
    case DTYPE_KIND_BYTES:
        write_string(state, out);
        break;
    default:
        write_float(state, out);
    }
}

/* The dims up to a dim of 0; some dims of 1 are left out. */
static void nest_as_shape(const struct shape *shape, uint64_t *state,
                          struct nesting *n)
{
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 1 && naive_below(state, 2))
            continue;
        n->extents[n->levels++] = (uint64_t)shape->dims[i];
        if (shape->dims[i] == 0)
            break;
    }
}

static void choose_nesting(const struct data_array *a, uint64_t *state,
                           struct nesting *n)
{
    bool pairs = dtype_info(a->dtype)->kind == DTYPE_KIND_COMPLEX;
    bool as_shape = naive_below(state, 3) > 0;

    *n = (struct nesting){.token_count = a->count * (pairs ? 2 : 1)};
    if (as_shape)
        nest_as_shape(&a->shape, state, n);
    if (n->levels == 0)
        n->extents[n->levels++] = a->count;
    if (!pairs || a->count == 0)
        return;
    if (naive_below(state, 2))
        n->extents[n->levels - 1] *= 2;
    else
        n->extents[n->levels++] = 2;
}

static void write_space(FILE *out, bool spaced, uint64_t *state)
{
    while (spaced && naive_below(state, 2))
        fputc(" \t\r\n"[naive_below(state, 4)], out);
}

/* The number of lists that start at unit `at`. */
static int lists_at(const uint64_t *extents, int levels, uint64_t at)
{
    int lists = 0;

    for (uint64_t size = 1; lists < levels; lists++) {
        size *= extents[levels - 1 - lists];
        if (at % size != 0)
            break;
    }
    return lists;
}

static void write_brackets(FILE *out, char bracket, int count, bool spaced,
                           uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        write_space(out, spaced, state);
        fputc(bracket, out);
    }
    write_space(out, spaced, state);
}

/* Writes the lists. A unit is a token, or an empty list when a dim is 0. */
static void write_text(FILE *out, const struct random_array *source,
                       const struct nesting *n, uint64_t *state)
{
    bool spaced = naive_below(state, 2);
    bool empty = source->array.count == 0;
    int levels = n->levels - empty;
    uint64_t units = empty ? 1 : n->token_count;
    const char *token = source->elements[0];

    for (int i = 0; empty && i < levels; i++)
        units *= n->extents[i];
    for (uint64_t i = 0; i < units; i++) {
        size_t len =
            strcspn(token, source->array.dtype == DTYPE_BYTES ? "" : ",");

        if (i > 0)
            fputc(',', out);
        write_brackets(out, '[', lists_at(n->extents, levels, i), spaced,
                       state);
        if (empty)
            fputs(spaced ? "[ ]" : "[]", out);
        else
            fwrite(token, 1, len, out);
        write_brackets(out, ']', lists_at(n->extents, levels, i + 1), spaced,
                       state);
        /* The imaginary part follows the real one. */
        if (!empty && token[len] == ',')
            token += len + 1;
        else if (!empty)
            token = source->elements[(i + 1) * source->array.count / units];
    }
}

/* Makes the elements, and one more that write_text() steps to but never writes.
 */
static void write_elements(struct random_array *source, uint64_t *state)
{
    const struct dtype_traits *info = dtype_info(source->array.dtype);
    uint64_t count = source->array.count + 1;

    source->elements = calloc(count, sizeof(*source->elements));
    ck_assert_ptr_nonnull(source->elements);
    for (uint64_t i = 0; i < count; i++) {
        char *out = source->elements[i];

        write_token(info, state, out);
        if (info->kind == DTYPE_KIND_COMPLEX) {
            strcat(out, ",");
            write_token(info, state, out + strlen(out));
        }
    }
}

void random_array_init(struct random_array *source, enum dtype dtype,
                       const struct shape *shape, uint64_t *state)
{
    struct data_array *a = &source->array;
    char *text = NULL;
    struct nesting nesting;
    struct status st;
    size_t lead, len;
    FILE *out;

    *a = (struct data_array){.name = "input", .dtype = dtype, .shape = *shape};
    ck_assert(shape_count(shape, a->name, &a->count, &st));
    write_elements(source, state);
    choose_nesting(a, state, &nesting);
    out = open_memstream(&text, &a->len);
    ck_assert_ptr_nonnull(out);
    write_text(out, source, &nesting, state);
    fclose(out);
    /* Cuts the white space around the array. */
    lead = strspn(text, " \t\r\n");
    for (len = a->len; strchr(" \t\r\n", text[len - 1]); len--)
        ;
    a->len = len - lead;
    memmove(text, text + lead, a->len);
    a->text = realloc(text, a->len);
    ck_assert_ptr_nonnull(a->text);
}

void random_array_free(struct random_array *source)
{
    free((void *)(uintptr_t)source->array.text);
    free(source->elements);
}
