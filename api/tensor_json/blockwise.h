/* When a list of numbers is read in blocks, and when byte by byte. Private to
 * api/tensor_json. */
#pragma once

#include "api/tensor_json/parser.h"

/* At the start of a list: reads as far as blocks can, from the index of the
 * array's commas if there is one. Returns the start of an element that is to be
 * read byte by byte. From *retry on, at the start of an element,
 * blockwise_resume() is to be called. */
const char *blockwise_start(struct parser *p, const char **retry);

/* The same within a list: an element starts at `text`. */
const char *blockwise_resume(struct parser *p, const char *text,
                             const char **retry);

/* Before this byte, the byte-by-byte code checks nothing but elements. */
static inline const char *blockwise_stop(const struct token_stream *s,
                                         const char *retry)
{
    return retry < s->next_cancel_check ? retry : s->next_cancel_check;
}
