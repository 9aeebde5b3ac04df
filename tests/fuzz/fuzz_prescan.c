/* The pre-scan, jansson on the stripped document, and the tensor JSON modules
 * on the data arrays, against jansson on the whole document.
 *
 * Known differences, each with its reason:
 * - NaN, Infinity and -Infinity are no JSON, but elements of float tensors.
 * - jansson refuses integers past 64 bits signed, and reals past double; an
 *   element has the range of its datatype.
 * - The pre-scan has limits on depth, values, arrays and the stripped size, and
 *   refuses inputs[i].data of other kinds than arrays and null, and a document
 *   that is an array.
 * - jansson refuses a byte order mark.
 * - A data array is homogeneous, rectangular and fits its shape.
 * - jansson 2.14 loses a NUL byte behind a number. No document has one.
 * - jansson stops 2048 levels deep; a data array starts anew at level 1. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/cache.h"
#include "api/document/read.h"
#include "api/prescan/foreign.h"
#include "api/prescan/prescan.h"
#include "api/tensor_json/tensor_json.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct document_cache *cache; /* of all inputs */

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

static void check_positions(const char *text, size_t len,
                            const struct stripped_document *stripped)
{
    size_t last = 0;
    int next = 0;

    EXPECT(stripped->text[stripped->len] == '\0');
    for (size_t i = 0; i <= stripped->len; i++) {
        size_t origin = prescan_origin(stripped, i);

        EXPECT(origin >= last && origin <= len);
        last = origin;
        if (next < stripped->span_count &&
            origin == stripped->spans[next].start)
            EXPECT(atoi(stripped->text + i) == next++);
    }
    EXPECT(next == stripped->span_count);
    for (int i = 0; i < stripped->span_count; i++) {
        const struct data_span *span = &stripped->spans[i];

        EXPECT(span->start + span->len <= len);
        EXPECT(text[span->start] == '[');
        EXPECT(text[span->start + span->len - 1] == ']');
    }
}

/* The stripped document has the numbers of all arrays, in order.
 * Returns whether jansson takes each of them. */
static bool check_arrays(const char *text,
                         const struct stripped_document *stripped,
                         const json_t *rest)
{
    const json_t *inputs = json_object_get(rest, "inputs");
    bool takes = true;
    int span = 0;

    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const json_t *data = json_object_get(input, "data");

        if (!json_is_integer(data))
            continue;
        EXPECT(json_integer_value(data) == span && span < stripped->span_count);
        takes = check_array(text + stripped->spans[span].start,
                            stripped->spans[span].len, input) &&
                takes;
        span++;
    }
    EXPECT(span == stripped->span_count);
    return takes;
}

/* A document that an earlier input has left in the cache is found only where
 * the pre-scan would find the same spans. */
static void check_cache(const char *text, size_t len,
                        const struct stripped_document *stripped)
{
    const struct document_text source = {
        .text = text, .len = len, .has_header = true};
    struct document_instance instance;
    struct document *doc = document_cache_find(cache, &source, &instance);
    struct status st;

    EXPECT(!doc || stripped);
    for (int i = 0; doc && i < stripped->span_count; i++) {
        EXPECT(instance.spans[i].start == stripped->spans[i].start);
        EXPECT(instance.spans[i].len == stripped->spans[i].len);
    }
    if (doc && instance.id) {
        EXPECT(instance.id == text + stripped->id.start + 1);
        EXPECT(instance.id_len + 2 == stripped->id.len);
    }
    document_unref(doc);
    document_unref(document_read(&source, cache, NULL, &instance, &st));
}

/* A whole number that jansson finds there is found; nothing else is. */
static void check_timeout(const char *text, size_t len, const json_t *whole)
{
    const json_t *parameters = json_object_get(whole, "parameters");
    const json_t *timeout = json_object_get(parameters, "timeout");

    if (json_is_integer(timeout) && json_integer_value(timeout) >= 0)
        EXPECT(prescan_timeout(text, len) ==
               (uint64_t)json_integer_value(timeout));
    else if (json_is_real(timeout) && prescan_timeout(text, len) > 0)
        EXPECT((double)prescan_timeout(text, len) == json_real_value(timeout));
    else if (whole && !json_is_string(timeout) && !json_is_real(timeout))
        EXPECT(prescan_timeout(text, len) == 0);
}

static bool is_limit(const struct status *st)
{
    return strstr(st->message, "more than") ||
           strstr(st->message, "the limit outside of data arrays") ||
           strstr(st->message, "must be an array");
}

/* Deeper than that, jansson's own limit decides. */
static bool is_deep(const char *text, size_t len)
{
    size_t opened = 0;

    for (size_t i = 0; i < len; i++)
        opened += text[i] == '[' || text[i] == '{';
    return opened > 2000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size_t mark = foreign_mark(text, size);
    json_t *whole = judge_load(text + mark, size - mark, 0);
    json_t *rest = NULL;
    bool nul = has_nul(text, size);
    const struct document_text document = {.text = text, .len = size};
    struct stripped_document stripped;
    struct status st = {0};

    if (!cache)
        cache = api_cache_new();
    if (!prescan_document(&document, &stripped, &st)) {
        EXPECT(!whole || nul || json_is_array(whole) || is_limit(&st));
        check_cache(text, size, NULL);
    } else {
        rest = judge_load(stripped.text, stripped.len, 0);
        EXPECT(!rest || !has_nul(stripped.text, stripped.len));
        EXPECT(!whole || nul || rest);
        check_positions(text, size, &stripped);
        check_cache(text, size, &stripped);
        if (!nul)
            check_timeout(text, size, whole);
        if (rest && !is_deep(text, size)) {
            bool takes = check_arrays(text, &stripped, rest);

            EXPECT(nul || takes == (whole != NULL));
        }
        prescan_free(&stripped);
    }
    json_decref(rest);
    json_decref(whole);
    return 0;
}
