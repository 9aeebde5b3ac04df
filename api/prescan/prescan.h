/* The pre-scan: finds the data arrays of an infer document and strips them, so
 * that jansson only ever sees the small rest. A UTF-8 byte order mark may
 * precede the document; in the stripped text it is blank.
 *
 * Each array at inputs[i].data (and no other) is replaced by a number: its
 * index in `spans`. Text that the pre-scan does not understand stays in the
 * stripped document for jansson, which has the last word on its grammar; the
 * inside of a data array is for tensor_json_index() to judge. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/prescan/walk.h"

enum { PRESCAN_MAX_STRIPPED = 4 << 20 }; /* bytes outside of data arrays */

/* Scans a document and strips it. Fails with INVALID when the text is no JSON
 * object and, naming the byte offset, when brackets or strings do not match,
 * inputs[i].data is neither an array nor null, or a limit on depth, values,
 * arrays or a number's length is passed; TOO_LARGE past PRESCAN_MAX_STRIPPED;
 * NO_MEMORY. White space may follow the document. After a failure nothing needs
 * to be freed. */
bool prescan_document(const struct document_text *text,
                      struct stripped_document *stripped, struct status *st);

/* Frees the text; a zeroed document may be freed. */
void prescan_free(struct stripped_document *stripped);

/* Offset in the document of byte `position` of the stripped document. */
size_t prescan_origin(const struct stripped_document *stripped,
                      size_t position);

/* Finds the byte behind the document that the text begins with, whatever
 * follows it; false when it does not end in the text. */
bool prescan_end(const char *text, size_t len, size_t *end);

/* Finds the data array that the first `len` bytes of a document leave open;
 * false when there is none. */
bool prescan_open_array(const char *text, size_t len, struct open_array *open);

/* parameters.timeout of a document, when it is an integer of 0 or more or a
 * string of one; else 0, as for a malformed document. Reads the whole document.
 */
uint64_t prescan_timeout(const char *text, size_t len);
