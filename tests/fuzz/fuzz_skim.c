/* The skimmer, jansson on what it leaves, and the text modules on what it
 * cuts, against jansson on the whole document.
 *
 * Known differences, each with its reason:
 * - NaN, Infinity and -Infinity are no JSON, but elements of float tensors.
 * - jansson refuses integers past 64 bits signed, and reals past double; an
 *   element has the range of its datatype.
 * - The skimmer has limits on depth, values, cuts and the skeleton's size, and
 *   refuses inputs[i].data of other kinds than arrays and null.
 * - A data array is homogeneous, rectangular and fits its shape.
 * - jansson 2.14 loses a NUL byte behind a number. No document has one.
 * - jansson stops 2048 levels deep; a cut array starts anew at level 1. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/cache.h"
#include "api/document/prescan.h"
#include "api/tensor_json/tensor_json.h"
#include "tests/fuzz/accepted.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_nul(const char *text, size_t len)
{
    return memchr(text, '\0', len) != NULL;
}

static json_t *load(const char *text, size_t len, size_t flags)
{
    return json_loadb(text, len,
                      JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | flags, NULL);
}

/* The tensor's datatype and shape, or what its data looks like. */
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
    if (json_is_array(shape) && json_array_size(shape) <= TENSOR_MAX_RANK) {
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

/* One cut: tensor_json_index() and the judge agree. Returns whether jansson
 * takes the array. */
static bool check_cut(const char *text, size_t len, const json_t *input)
{
    json_t *tree = load(text, len, 0);
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
                            const struct json_skim *skim)
{
    size_t last = 0;

    EXPECT(skim->end <= len && skim->skeleton[skim->len] == '\0');
    for (size_t i = 0; i <= skim->len; i++) {
        size_t origin = json_skim_origin(skim, i);

        EXPECT(origin >= last && origin <= len);
        last = origin;
    }
    for (int i = 0; i < skim->cut_count; i++) {
        const struct json_cut *cut = &skim->cuts[i];

        EXPECT(cut->start + cut->len <= skim->end);
        EXPECT(text[cut->start] == '[');
        EXPECT(text[cut->start + cut->len - 1] == ']');
        EXPECT(atoi(skim->skeleton + cut->place) == i);
    }
}

/* The skeleton is a document: its numbers stand for all cuts, in order.
 * Returns whether jansson takes each of them. */
static bool check_cuts(const char *text, const struct json_skim *skim,
                       const json_t *skeleton)
{
    const json_t *inputs = json_object_get(skeleton, "inputs");
    bool takes = true;
    int cut = 0;

    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const json_t *data = json_object_get(input, "data");

        if (!json_is_integer(data))
            continue;
        EXPECT(json_integer_value(data) == cut && cut < skim->cut_count);
        takes = check_cut(text + skim->cuts[cut].start, skim->cuts[cut].len,
                          input) &&
                takes;
        cut++;
    }
    EXPECT(cut == skim->cut_count);
    return takes;
}

/* What an earlier input has left is found only where the skimmer would cut the
 * same. */
static void check_kept(const char *text, size_t len,
                       const struct json_skim *skim)
{
    struct document_own own = {.text = NULL};
    struct document *doc = document_cache_find(text, len, &own);
    struct status st;

    EXPECT(!doc || skim);
    for (int i = 0; doc && i < skim->cut_count; i++) {
        EXPECT(own.cuts[i].start == skim->cuts[i].start);
        EXPECT(own.cuts[i].len == skim->cuts[i].len);
    }
    if (doc && own.id) {
        EXPECT(own.id == text + skim->id.start + 1);
        EXPECT(own.id_len + 2 == skim->id.len);
    }
    document_drop(doc);
    document_drop(document_read(text, len, true, &own, &st));
}

static bool is_limit(const struct status *st)
{
    return strstr(st->message, "more than") ||
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
    json_t *whole = load(text, size, 0);
    json_t *skeleton = NULL;
    bool nul = has_nul(text, size);
    struct json_skim skim;
    struct status st = {0};

    if (!json_skim(text, size, &skim, &st)) {
        EXPECT(!whole || nul || is_limit(&st));
        check_kept(text, size, NULL);
    } else {
        skeleton = load(skim.skeleton, skim.len, 0);
        EXPECT(!skeleton || !has_nul(skim.skeleton, skim.len));
        EXPECT(!whole || nul || skeleton);
        check_positions(text, size, &skim);
        check_kept(text, size, &skim);
        if (skeleton && !is_deep(text, size)) {
            bool takes = check_cuts(text, &skim, skeleton);

            EXPECT(nul || takes == (whole != NULL));
        }
        json_skim_free(&skim);
    }
    json_decref(skeleton);
    json_decref(whole);
    return 0;
}
