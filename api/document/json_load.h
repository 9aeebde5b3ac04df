/* jansson's parser, with an account of its memory: api_init(), of api.h. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "api/api.h"
#include "api/prescan/walk.h"
#include "kernels/core/status.h"

/* Parses any document, without duplicate keys. `has_numbers`: numbers with a
 * fraction or an exponent, or past 63 bits, are those of field.h, and a NUL
 * ends the text. NULL with error->line < 0 means that memory lacked, otherwise
 * that the text is malformed. */
json_t *json_load_text(const char *text, size_t len, bool has_numbers,
                       json_error_t *error);

/* What the malformed text probably meant to say: ": ..." or "". */
const char *json_load_hint(const char *text, size_t len,
                           const json_error_t *error);

/* Parses a request's whole body, an object of 64 KiB at most; the caller gets a
 * reference. NULL with INVALID, naming the byte, TOO_LARGE, or NO_MEMORY. */
json_t *json_load_body(const unsigned char *body, size_t len,
                       struct status *st);

/* Parses a stripped document, which must be an object; sets *bytes to the heap
 * that it holds. Numbers are those of field.h. Asks `heap` for what the text
 * and the parse take beyond API_HEAP_FREE. NULL with INVALID, naming the byte
 * in the whole document, or NO_MEMORY. */
json_t *json_load_stripped(const struct stripped_document *stripped,
                           const struct api_heap *heap, size_t *bytes,
                           struct status *st);
