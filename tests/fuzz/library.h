/* ModelInferRequest as libprotobuf reads it, by the descriptors that reflection
 * serves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* False when the library does not take the message. Otherwise *out is the same
 * message as the library writes it, without unknown fields; to be freed. */
bool library_rewrite(const uint8_t *message, size_t len, uint8_t **out,
                     size_t *out_len);

#ifdef __cplusplus
}
#endif
