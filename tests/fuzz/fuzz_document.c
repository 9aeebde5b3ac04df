/* The tree of a document, and the tensor JSON modules on its data arrays,
 * against jansson on the whole document.
 *
 * Known differences, each with its reason:
 * - NaN, Infinity and -Infinity are no JSON, but elements of float tensors.
 * - jansson refuses integers past 64 bits signed, and reals past double; an
 *   element has the range of its datatype, and the tree has a number's text.
 * - The tree has limits on depth, values, arrays and bytes, and refuses
 *   inputs[i].data of other kinds than arrays and null, and a document that is
 *   an array.
 * - jansson refuses a byte order mark.
 * - A data array is homogeneous, rectangular and fits its shape.
 * - jansson 2.14 loses a NUL byte behind a number. No document has one.
 * - jansson stops 2048 levels deep; a data array starts anew at level 1. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/models/model.h"
#include "api/tensor_json/tensor_json.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_nul(const char *text, size_t len)
{
    return memchr(text, '\0', len) != NULL;
}

/* The tensor's datatype and shape, or those of its data. */
static bool describe(const json_t *input, const json_t *tree,
                     struct data_array *a)
{
    const json_t *datatype = json_object_get(input, "datatype");
    const json_t *shape = json_object_get(input, "shape");
    struct status st;

    a->dtype = DTYPE_FP32;
    if (json_is_string(datatype))
        dtype_parse(json_string_value(datatype), json_string_length(datatype),
                    &a->dtype);
    a->shape = judge_shape(tree, a->dtype);
    if (json_is_array(shape) && json_array_size(shape) <= SHAPE_MAX_RANK) {
        a->shape.rank = (int)json_array_size(shape);
        for (int i = 0; i < a->shape.rank; i++) {
            const json_t *dim = json_array_get(shape, (size_t)i);

            a->shape.dims[i] = json_integer_value(dim);
            if (a->shape.dims[i] < 0)
                a->shape.dims[i] = 1;
        }
    }
    return shape_count(&a->shape, "x", &a->count, &st);
}

/* One array: tensor_json_index() and the judge agree. Returns whether jansson
 * takes the array. */
static bool check_array(const char *text, size_t len, const json_t *input)
{
    json_t *tree = judge_load(text, len, 0);
    struct data_array a = {.name = "x", .text = text, .len = len};
    bool takes = tree != NULL, accepted;
    struct status st;

    if (describe(input, tree, &a)) {
        accepted = tensor_json_index(&a, 1, NULL, NULL, &st);
        EXPECT(!accepted || !has_nul(text, len));
        if (accepted)
            accepted_check(&a);
        else
            EXPECT(st.code == STATUS_INVALID);
        if (tree && accepted)
            EXPECT(judge_array(tree, a.dtype, &a.shape) != JUDGE_REFUSE);
        if (tree && !accepted && !has_nul(text, len))
            EXPECT(judge_array(tree, a.dtype, &a.shape) != JUDGE_ACCEPT);
    }
    json_decref(tree);
    return takes;
}

/* Writes 0 and blanks over the values that jansson would not read as the tree
 * does: data arrays, and numbers past its range. Returns whether there was such
 * a number. */
static bool blank(const struct tree_value *v, char *text)
{
    char *at = text + v->start;
    bool any = false;
    double real;

    for (const struct tree_value *w = tree_first(v); w; w = w->next)
        any |= blank(w, text);
    if (v->kind == TREE_DATA) {
        EXPECT(text[v->at] == '[' && text[v->at + v->bytes - 1] == ']');
        memset(text + v->at, ' ', v->bytes);
        text[v->at] = '0';
    }
    if (v->kind != TREE_NUMBER)
        return any;
    real = strtod(v->text, NULL);
    if (strpbrk(v->text, ".eE") && real - real == 0)
        return any;
    if (v->key) {
        for (at++; *at != '"'; at++)
            at += *at == '\\';
        at = strchr(at, ':') + 1;
        at += strspn(at, " \t\r\n");
    }
    EXPECT(memcmp(at, v->text, v->len) == 0);
    memset(at, ' ', v->len);
    *at = '0';
    return true;
}

static void compare(const struct tree_value *v, json_t *json)
{
    const struct tree_value *member = tree_first(v);
    json_t *inner;
    const char *key;
    size_t i;

    switch (v->kind) {
    case TREE_NULL:
        EXPECT(json_is_null(json));
        break;
    case TREE_BOOL:
        EXPECT(json_is_boolean(json) && json_is_true(json) == v->flag);
        break;
    case TREE_INTEGER:
        EXPECT(json_is_integer(json) && json_integer_value(json) == v->integer);
        break;
    case TREE_NUMBER:
        EXPECT(json_integer_value(json) == 0 &&
               (json_is_integer(json) ||
                json_real_value(json) == strtod(v->text, NULL)));
        break;
    case TREE_UNSIGNED:
    case TREE_REAL:
        EXPECT(false); /* of messages */
        break;
    case TREE_STRING:
        EXPECT(json_string_length(json) == v->len);
        EXPECT(memcmp(json_string_value(json), v->text, v->len + 1) == 0);
        break;
    case TREE_DATA:
        EXPECT(json_is_integer(json) && json_integer_value(json) == 0);
        break;
    case TREE_ARRAY:
        EXPECT(json_array_size(json) == v->count && json_is_array(json));
        json_array_foreach(json, i, inner)
        {
            compare(member, inner);
            member = member->next;
        }
        EXPECT(!member);
        break;
    case TREE_OBJECT:
        EXPECT(json_object_size(json) == v->count && json_is_object(json));
        json_object_foreach(json, key, inner)
        {
            EXPECT(strcmp(member->key, key) == 0 &&
                   member->key_len == strlen(key));
            compare(member, inner);
            member = member->next;
        }
        EXPECT(!member);
        break;
    }
}

/* Returns whether jansson takes each of the data arrays. */
static bool check_arrays(const char *text, const struct tree_value *root,
                         const json_t *rest)
{
    const struct tree_value *v = tree_get(root, "inputs");
    const json_t *inputs = json_object_get(rest, "inputs");
    bool takes = true;
    size_t i = 0;

    for (v = v ? tree_first(v) : NULL; v; v = v->next) {
        const json_t *input = json_array_get(inputs, i++);
        const struct tree_value *data = tree_get(v, "data");

        if (data && data->kind == TREE_DATA)
            takes = check_array(text + data->at, data->bytes, input) && takes;
    }
    return takes;
}

/* A tree that was read equals jansson's of the text without data. */
static void check_tree(const char *text, size_t len, size_t mark,
                       const struct tree *tree, const json_t *whole)
{
    char *copy = malloc(len + 1);
    bool blanked, takes;
    json_t *rest;

    memcpy(copy, text, len);
    copy[len] = '\0';
    blanked = blank(tree->root, copy);
    EXPECT(!has_nul(copy, len));
    rest = judge_load(copy + mark, len - mark, 0);
    EXPECT(rest);
    compare(tree->root, rest);
    takes = check_arrays(text, tree->root, rest);
    EXPECT(blanked || has_nul(text, len) || takes == (whole != NULL));
    json_decref(rest);
    free(copy);
}

/* A whole number that jansson finds there is found; nothing else is. */
static void check_timeout(const char *text, size_t len, const json_t *whole)
{
    const json_t *parameters = json_object_get(whole, "parameters");
    const json_t *timeout = json_object_get(parameters, "timeout");

    if (json_is_integer(timeout) && json_integer_value(timeout) >= 0)
        EXPECT(request_parameters_timeout(text, len) ==
               (uint64_t)json_integer_value(timeout));
    else if (json_is_real(timeout) && request_parameters_timeout(text, len) > 0)
        EXPECT((double)request_parameters_timeout(text, len) ==
               json_real_value(timeout));
    else if (whole && !json_is_string(timeout) && !json_is_real(timeout))
        EXPECT(request_parameters_timeout(text, len) == 0);
}

static bool is_limit(const struct status *st)
{
    return strstr(st->message, "more than") ||
           strstr(st->message, "the limit outside of data arrays") ||
           strstr(st->message, "must be an array");
}

static size_t deepest(const char *text, size_t len)
{
    size_t opened = 0;

    for (size_t i = 0; i < len; i++)
        opened += text[i] == '[' || text[i] == '{';
    return opened;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size_t mark = foreign_mark(text, size);
    json_t *whole = judge_load(text + mark, size - mark, 0);
    const struct tree_text source = tree_infer(text, size);
    struct status st = {0};
    struct document doc;
    struct tree tree;

    tree_init(&tree, NULL, 0);
    if (!tree_read(&tree, &source, &st)) {
        EXPECT(st.code != STATUS_OK && st.code != STATUS_NO_MEMORY);
        EXPECT(tree.fault <= size);
        EXPECT(!whole || has_nul(text, size) || json_is_array(whole) ||
               is_limit(&st));
    } else {
        EXPECT(tree.end <= size);
        /* Deeper than that, jansson's own limit decides. */
        if (deepest(text, size) <= 2000)
            check_tree(text, size, mark, &tree, whole);
        if (!has_nul(text, size))
            check_timeout(text, size, whole);
    }
    tree_free(&tree);
    document_init(&doc);
    document_read(&doc, &source, op_table[0], &st);
    tree_free(&doc.tree);
    json_decref(whole);
    return 0;
}
