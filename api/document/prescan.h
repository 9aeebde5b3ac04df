/* The skimmer: cuts the data arrays out of an infer document, so that jansson
 * only ever sees the small rest.
 *
 * It follows the document's structure without recursion and without building
 * values. Each array at inputs[i].data (and nothing else) is replaced by a
 * number: its place in `cuts`. What the skimmer does not understand it leaves
 * to jansson, which reads the skeleton and has the last word on its grammar;
 * what is inside a cut array is for tensor_json_index() to judge. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "api/document/keys.h"
#include "kernels/core/status.h"

enum {
    JSON_SKIM_MAX_CUTS = 64,
    JSON_SKIM_MAX_DEPTH = 100,
    /* Values in the skeleton: jansson needs up to 80 bytes of heap for each
     * byte of a hostile document, so their number is bounded. */
    JSON_SKIM_MAX_VALUES = 20000,
    JSON_SKIM_MAX_SKELETON = 4 << 20, /* bytes */
};

struct json_cut {
    size_t start; /* of the array's '[' in the document */
    size_t len;   /* to behind its ']' */
    size_t place; /* of the number that stands for it in the skeleton */
};

struct json_skim {
    char *skeleton; /* owned; NUL-terminated */
    size_t len;
    size_t end;    /* behind the document's last bracket, in the text */
    bool trailing; /* the skim failed because bytes follow the document */
    int cut_count;
    struct json_cut cuts[JSON_SKIM_MAX_CUTS];
    struct json_cut id; /* the request's id and its quotes, which are not cut
                         * out; `len` 0 when there is no such string */
};

/* Skims `len` bytes of `text`. Fails with INVALID, naming the byte offset in
 * `text`, when brackets or strings do not match, inputs[i].data is neither an
 * array nor null, or a limit on depth, values or cuts is passed; TOO_LARGE
 * past JSON_SKIM_MAX_SKELETON. White space may follow the document; when other
 * bytes do, the skim fails with `trailing` and `end` set. A failed skim needs
 * no free. */
bool json_skim(const char *text, size_t len, struct json_skim *skim,
               struct status *st);

/* The same, and spares the look at what is known. */
bool json_skim_known(const char *text, size_t len,
                     const struct json_known *known, struct json_skim *skim,
                     struct status *st);

/* What the first bytes of a document end in. */
struct json_open {
    size_t start;                  /* of a data array's '[' */
    size_t datatype, datatype_len; /* of that input, without the quotes; 0, 0
                                    * when it does not stand in front */
};

/* Finds the data array that is not closed in the first `len` bytes of a
 * document; false when there is none. */
bool json_skim_open(const char *text, size_t len, struct json_open *open);

/* Where byte `position` of the skeleton stands in the document. */
size_t json_skim_origin(const struct json_skim *skim, size_t position);

/* Frees the skeleton; a zeroed skim may be freed. */
void json_skim_free(struct json_skim *skim);
