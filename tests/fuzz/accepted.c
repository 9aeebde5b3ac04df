#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/tensor_json/tensor_json.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/judge.h"

/* The array with a 0 for each word that is no JSON. */
static json_t *load_words(const char *text, size_t len)
{
    static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
    char *tame = copy_of(text, len);
    bool in_string = false;
    json_t *tree;

    for (size_t i = 0; i < len; i++) {
        if (tame[i] == '"')
            in_string = !in_string;
        if (in_string && tame[i] == '\\')
            i++;
        for (size_t w = 0; !in_string && w < 3; w++) {
            size_t size = strlen(words[w]);

            if (len - i < size || memcmp(tame + i, words[w], size) != 0)
                continue;
            memset(tame + i, ' ', size);
            tame[i] = '0';
        }
    }
    tree = judge_load(tame, len, JSON_DECODE_INT_AS_REAL);
    free(tame);
    return tree;
}

/* True if a token of the array has the value that jansson reads. */
static bool same_value(const char *token, size_t len, const json_t *leaf)
{
    char copy[400];
    json_t *string;
    bool same;

    if (json_is_boolean(leaf))
        return *token == (json_is_true(leaf) ? 't' : 'f');
    if (json_is_real(leaf)) {
        bool word = strchr("NI", token[*token == '-']) != NULL;

        if (len >= sizeof(copy))
            return true; /* too long to bother */
        memcpy(copy, token, len);
        copy[len] = '\0';
        return json_real_value(leaf) == (word ? 0 : strtod(copy, NULL));
    }
    string = judge_load(token, len, JSON_DECODE_ANY);
    same = json_is_string(leaf) && json_equal(string, leaf);
    json_decref(string);
    return same;
}

/* The tokens of the flat array, joined in the order of the rows. */
static void check_emit(const struct data_array *a, const struct span *tokens,
                       const struct span *rows, uint64_t row_count)
{
    uint64_t per_row = row_count ? a->count / row_count : 0;
    bool complex = dtype_info(a->dtype)->kind == DTYPE_KIND_COMPLEX;
    char *out = allocate(a->len), *end = out;
    size_t len = tensor_json_emit(
        &(struct tensor_json_job){
            .array = a,
            .permutation = &(struct permutation){.row_count = row_count}},
        rows, row_count, out, a->len);

    EXPECT(len <= a->len);
    for (uint64_t i = 0; !complex && i < a->count; i++) {
        /* Rows are in reverse order, their tokens are not. */
        uint64_t row = row_count - 1 - i / per_row;
        const struct span *token = &tokens[row * per_row + i % per_row];

        if (i > 0)
            EXPECT(*end++ == ',');
        EXPECT(memcmp(end, a->text + token->start, token->len) == 0);
        end += token->len;
    }
    EXPECT(complex || (size_t)(end - out) == len);
    free(out);
}

static void check_rows(const struct data_array *a, uint64_t row,
                       const struct span *tokens)
{
    uint64_t count = a->count / row;
    struct span *rows = allocate((size_t)count * sizeof(*rows));
    struct status st;

    EXPECT(tensor_json_index(a, row, rows, NULL, &st));
    for (uint64_t i = 0; i < count / 2; i++) {
        struct span other = rows[i];

        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = other;
    }
    check_emit(a, tokens, rows, count);
    free(rows);
}

/* What is printed from the binary form reads as the same bytes. */
static void check_binary(const struct data_array *a)
{
    struct tensor tensor = {.name = "x", .dtype = a->dtype, .shape = a->shape};
    size_t bound = tensor_json_print_bound(a->dtype, a->count), len;
    struct data_array printed = *a;
    unsigned char *data, *again;
    struct status st;
    char *text, *end;

    EXPECT(tensor_bytes(a->dtype, a->count, "x", &tensor.bytes, &st));
    data = allocate(tensor.bytes);
    again = allocate(tensor.bytes);
    text = allocate(bound + 2);
    EXPECT(tensor_json_to_binary(a, data, NULL, &st));
    tensor.data = data;
    end = text + 1;
    EXPECT(tensor_json_print(&tensor, a->count, &end, NULL, &st));
    len = (size_t)(end - text) - 1;
    EXPECT(len <= bound);
    text[0] = '[';
    text[len + 1] = ']';
    printed.text = text;
    printed.len = len + 2;
    EXPECT(tensor_json_to_binary(&printed, again, NULL, &st));
    EXPECT(memcmp(data, again, tensor.bytes) == 0);
    free(text);
    free(again);
    free(data);
}

/* The same through strings. */
static void check_strings(const struct data_array *a, const struct span *tokens,
                          const json_t **leaves)
{
    struct tensor tensor = {.name = "x", .dtype = DTYPE_BYTES};
    unsigned char *data = allocate(tensor_json_strings_bound(a));
    struct status st;
    size_t at = 0, len;
    char *text;

    tensor.data = data;
    tensor.bytes =
        tensor_json_strings_to_binary(a, tokens, a->count, data, NULL);
    EXPECT(tensor.bytes <= tensor_json_strings_bound(a));
    EXPECT(binary_strings_index(&tensor, a->count, 1, NULL, NULL, &st));
    for (uint64_t i = 0; i < a->count; i++) {
        uint32_t size = (uint32_t)json_string_length(leaves[i]);

        EXPECT(memcmp(data + at, &size, sizeof(size)) == 0);
        EXPECT(memcmp(data + at + sizeof(size), json_string_value(leaves[i]),
                      size) == 0);
        at += sizeof(size) + size;
    }
    EXPECT(at == tensor.bytes);
    EXPECT(binary_strings_text_length(&tensor, a->count, &len, NULL, &st));
    text = allocate(len);
    if (a->count > 0) {
        struct span all = {0, (uint32_t)tensor.bytes};

        EXPECT(binary_strings_to_text(&tensor, &all, 1, text, NULL) == len);
    }
    free(text);
    free(data);
}

void accepted_check(const struct data_array *a)
{
    bool complex = dtype_info(a->dtype)->kind == DTYPE_KIND_COMPLEX;
    uint64_t tokens = a->count * (complex ? 2 : 1);
    struct span *rows = allocate((size_t)a->count * sizeof(*rows));
    const json_t **leaves = allocate(((size_t)tokens + 1) * sizeof(*leaves));
    json_t *tree = load_words(a->text, a->len);
    struct status st;

    EXPECT(tree != NULL);
    EXPECT(judge_leaves(tree, leaves, (size_t)tokens + 1) == tokens);
    EXPECT(tensor_json_index(a, 1, rows, NULL, &st));
    for (uint64_t i = 0; !complex && i < a->count; i++)
        EXPECT(same_value(a->text + rows[i].start, rows[i].len, leaves[i]));
    for (uint64_t row = 1; row <= a->count && row <= 6; row++)
        if (a->count % row == 0)
            check_rows(a, row, rows);
    if (a->dtype == DTYPE_BYTES)
        check_strings(a, rows, leaves);
    else
        check_binary(a);
    json_decref(tree);
    free(leaves);
    free(rows);
}
