/* Follows the structure of an infer document, token by token, without recursion
 * and without building values; the inside of the pre-scan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/prescan/keys.h"
#include "api/prescan/stripped.h"
#include "api/prescan/value.h"

enum {
    WALK_MAX_DEPTH = 100,
    /* Values outside of the data arrays: jansson needs up to 80 bytes of heap
     * for each byte of a hostile document, so their number is bounded. */
    WALK_MAX_VALUES = 20000,
};

/* The data array that the end of the text leaves open. All are offsets in the
 * text. */
struct open_array {
    size_t start; /* of its '['; 0: none is open */
    /* The datatype of its input, without the quotes; 0, 0 when no datatype
     * precedes the array. */
    size_t datatype, datatype_len;
};

struct walk {
    const char *text; /* borrowed */
    const char *end;
    const char *at;
    const struct validated_part *validated; /* borrowed */
    struct stripped_document *stripped; /* borrowed; its spans are filled in */
    struct open_array open;
    struct status *st; /* borrowed */
    int depth;
    bool objects[WALK_MAX_DEPTH + 1]; /* per level: an object, not an array */
    bool wants_key; /* the next string of the innermost object is a key */
    enum document_key key; /* the key before the next value */
    bool in_inputs;        /* inside the top-level array "inputs" */
    size_t input;          /* index in that array */
    int values;
    size_t span_bytes; /* of all data arrays passed */
};

/* Passes the token at w->at, or a whole data array. w->at < w->end. Fails with
 * INVALID, naming the byte; a string or data array that the text leaves open is
 * such a failure, and w->at then stays in front of it. */
bool walk_step(struct walk *w);

/* Passes white space. */
void walk_skip_space(struct walk *w);

/* Fails with INVALID: "malformed JSON at byte N: <reason>". */
bool walk_fail(struct walk *w, const char *reason);
