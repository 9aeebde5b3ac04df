#include "api/wire/early_read.h"

#include "api/lex/scan.h"
#include "api/prescan/prescan.h"
#include "api/tensor_json/tensor_json.h"

enum {
    /* Bytes that all searches for the array may scan: each starts at byte 0, on
     * the thread that receives. */
    MOST_PRESCANNED = 4 << 20,
    /* Bytes of text that one token length stands for, most often more. */
    BYTES_PER_TOKEN = 8,
};

/* A search is due each time the document has doubled, so that all of them scan
 * less than twice its length. */
static bool is_search_due(struct early_read *early, size_t len)
{
    if (len < early->next_search)
        return false;
    early->next_search = 2 * len;
    early->done = len > MOST_PRESCANNED - early->prescanned;
    early->prescanned += len;
    return !early->done;
}

/* Finds the array that the document leaves open, and the datatype before it. */
static bool find_array(struct early_read *early, const char *text, size_t len)
{
    struct infer_validated *validated = &early->validated;
    struct open_array open;
    size_t at;

    if (!is_search_due(early, len) || !prescan_open_array(text, len, &open))
        return false;
    for (at = open.start + 1; at < len && scan_is_space(text[at]); at++)
        ;
    if (at == len) {
        early->next_search = len; /* the first element is still to come */
        return false;
    }
    early->done = !dtype_parse(text + open.datatype, open.datatype_len,
                               &validated->dtype);
    if (early->done)
        return false;
    validated->part = (struct validated_part){open.start, at};
    return true;
}

void early_read_continue(struct early_read *early, const unsigned char *body,
                         size_t len)
{
    struct infer_validated *validated = &early->validated;
    struct validated_part *part = &validated->part;
    const char *text = (const char *)body;
    size_t at;

    if (early->done || (part->start == 0 && !find_array(early, text, len)))
        return;
    at = part->validated_end - part->start;
    early->done =
        !tensor_json_read_early(validated->dtype, text + part->start,
                                len - part->start, &at, &validated->lengths);
    part->validated_end = part->start + at;
}

size_t early_read_capacity(size_t len)
{
    return len / BYTES_PER_TOKEN;
}

bool early_read_wants_memory(const struct early_read *early)
{
    return !early->done && !early->validated.lengths.done;
}

void early_read_lend(struct early_read *early, unsigned char *memory,
                     size_t capacity)
{
    early->validated.lengths.lens = memory;
    early->validated.lengths.capacity = capacity;
}
