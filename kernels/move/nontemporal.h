/* Copies past the caches: for results so large that they would only drive
 * everything else out. */
#pragma once

#include <stddef.h>

/* Results of so many bytes are streamed. From about a third of a third level
 * cache on: more, and the result drives its source out. Measured, at a quarter
 * regular stores still win. */
enum { MOVE_STREAM_BYTES = 12 << 20 };

/* Copies; the two do not overlap. Whole lines are streamed, what is left at
 * both ends of `to` is copied as usual. */
void move_stream(unsigned char *to, const unsigned char *from, size_t bytes);

/* To be called before another thread may look at what was streamed. */
void move_stream_end(void);
