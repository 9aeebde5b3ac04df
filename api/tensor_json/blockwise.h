/* When a run of elements goes on in blocks, and when byte by byte. Private to
 * the text modules. */
#pragma once

#include "api/tensor_json/parser.h"

typedef const char *(*text_ahead_fn)(struct text_scan *s, const char *text);

/* At the start of a list, s->at: goes on as far as blocks reach. Returns where
 * an element starts that is to be read byte by byte, and sets *wide_from, from
 * where on text_ahead_on() may be called. */
const char *text_ahead_start(struct text_scan *s, text_ahead_fn simd,
                             const char **wide_from);

/* The same from `text` on, where an element starts. */
const char *text_ahead_on(struct text_scan *s, text_ahead_fn simd,
                          const char *text, const char **wide_from);

/* Up to where a run needs not look at anything but elements. */
static inline const char *text_ahead_stop(const struct text_scan *s,
                                          const char *wide_from)
{
    return wide_from < s->pause ? wide_from : s->pause;
}
