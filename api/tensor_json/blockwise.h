/* When a list of elements is read in blocks, and when byte by byte. Private to
 * api/tensor_json. */
#pragma once

#include "api/tensor_json/parser.h"

/* json_simd.integers() or floats(). */
typedef const char *(*blockwise_fn)(struct token_stream *s, const char *text);

/* At the start of a list: reads as far as blocks can. Returns the start of an
 * element that is to be read byte by byte. From *retry on, at the start of an
 * element, blockwise_resume() is to be called. */
const char *blockwise_start(struct parser *p, blockwise_fn simd,
                            const char **retry);

/* The same within a list: an element starts at `text`. */
const char *blockwise_resume(struct parser *p, blockwise_fn simd,
                             const char *text, const char **retry);

/* Before this byte, the byte-by-byte code checks nothing but elements. */
static inline const char *blockwise_stop(const struct token_stream *s,
                                         const char *retry)
{
    return retry < s->next_cancel_check ? retry : s->next_cancel_check;
}
