/* One infer request: prepare reads and checks, execute moves the data.
 *
 * A decoder describes the request (request.h); an encoder writes the result
 * (result.h). A new one of them, or a new transport, changes nothing here. */
#pragma once

#include <stdatomic.h>

#include "api/infer/request.h"
#include "api/infer/result.h"
#include "api/models/model.h"
#include "kernels/core/status.h"

struct infer;

/* Reads and checks everything but the values of JSON data that is only moved or
 * converted. Takes over request->doc, also when it fails. NULL with any status.
 */
struct infer *infer_prepare(const struct model *model,
                            const struct infer_request *request,
                            struct status *st);

/* The result without its data. */
void infer_describe(const struct infer *infer, struct infer_result *result);

/* Bytes of the buffer that infer_execute() needs for a result with `headroom`
 * bytes in front of its data. Saturates at SIZE_MAX. */
size_t infer_memory(const struct infer *infer, size_t headroom);

/* Heap memory of the request itself, until infer_free(). */
size_t infer_heap_bytes(const struct infer *infer);

/* In microseconds from the request's arrival; 0: none. */
uint64_t infer_timeout_us(const struct infer *infer);

struct infer_buffer {
    unsigned char *memory; /* infer_memory() bytes, aligned as by malloc() */
    size_t headroom;
};

/* Moves the data and describes the result. `cancel` may be NULL; it is read
 * about once a MiB. Fails with INVALID, CANCELLED or NO_MEMORY. */
bool infer_execute(struct infer *infer, const struct infer_buffer *buffer,
                   const atomic_bool *cancel, struct infer_result *result,
                   struct status *st);

/* The encoder's part of the buffer: `headroom` bytes. */
char *infer_head(const struct infer *infer, const struct infer_buffer *buffer);

/* NULL is allowed. */
void infer_free(struct infer *infer);
