/* simdjson's parse of a document, for bench_text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parses `len` bytes into a tree (DOM) with memory kept from call to call;
 * `text` has simdjson's padding of 64 bytes behind it. False when it is no
 * JSON. One thread at a time. */
bool simdjson_parse_document(const char *text, size_t len);

/* Name of the code simdjson chose for this CPU. */
const char *simdjson_parse_kernel(void);

#ifdef __cplusplus
}
#endif
