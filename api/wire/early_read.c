#include "api/wire/early_read.h"

#include <stdlib.h>

#include "api/api.h"
#include "api/lex/scan.h"
#include "api/tensor_json/tensor_json.h"

/* Bytes that all searches for the array may scan: each starts at byte 0, on the
 * thread that receives. */
enum { MOST_SEARCHED = 4 << 20 };

/* A search is due each time the document has doubled, so that all of them scan
 * less than twice its length. */
static bool is_search_due(struct early_read *early, size_t len)
{
    if (len < early->next_search)
        return false;
    early->next_search = 2 * len;
    early->done = len > MOST_SEARCHED - early->searched;
    early->searched += len;
    return !early->done;
}

/* Finds the data array that the text leaves open, and whether a datatype
 * precedes it. */
static bool find_open(const char *text, size_t len, size_t *start,
                      enum dtype *dtype, bool *is_typed)
{
    struct tree_text source = tree_infer(text, len);
    const struct tree_value *datatype;
    struct tree tree;
    struct status st;

    source.heap = &tree_no_heap;
    tree_init(&tree, NULL, 0);
    tree_read(&tree, &source, &st);
    *start = tree.open;
    datatype = tree_get(tree.open_input, "datatype");
    *is_typed = datatype && datatype->kind == TREE_STRING &&
                dtype_parse(datatype->text, datatype->len, dtype);
    tree_free(&tree);
    return *start > 0;
}

/* Finds the array that the document leaves open, and the datatype before it. */
static bool find_array(struct early_read *early, const char *text, size_t len)
{
    struct infer_validated *validated = &early->validated;
    size_t start, at;
    bool is_typed;

    if (!is_search_due(early, len) ||
        !find_open(text, len, &start, &validated->dtype, &is_typed))
        return false;
    for (at = start + 1; at < len && scan_is_space(text[at]); at++)
        ;
    if (at == len) {
        early->next_search = len; /* the first element is still to come */
        return false;
    }
    early->done =
        !is_typed || !tensor_json_range(validated->dtype, &early->range);
    if (early->done)
        return false;
    validated->part = (struct validated_part){start, at};
    validated->commas = &early->commas;
    comma_index_start(&early->commas, &early->range, at - start);
    return true;
}

struct early_read *api_early_new(void)
{
    return calloc(1, sizeof(struct early_read));
}

void api_early_free(struct early_read *early)
{
    free(early);
}

void api_early_read(struct early_read *early, const unsigned char *body,
                    size_t len)
{
    struct infer_validated *validated = &early->validated;
    struct validated_part *part = &validated->part;
    const char *text = (const char *)body;

    if (early->done || (part->start == 0 && !find_array(early, text, len)))
        return;
    comma_index_append(&early->commas, text + part->start, len - part->start);
    part->validated_end = part->start + early->commas.end;
    early->done = early->commas.stopped;
}

/* A bit for each byte, in whole words. */
size_t api_early_capacity(const struct early_read *early, size_t len)
{
    return early->done ? 0 : len / 64 * sizeof(uint64_t);
}

void api_early_lend(struct early_read *early, void *memory, size_t capacity)
{
    early->commas.words = memory;
    early->commas.capacity = capacity / sizeof(uint64_t);
}
