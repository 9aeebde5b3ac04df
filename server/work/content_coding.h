/* Content codings (Content-Encoding, Accept-Encoding): which one a request has,
 * which one its reply gets, and the streams of both. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/api.h"

/* "deflate" is a zlib stream. A raw stream, which some clients send under this
 * name, is read as well. */
enum content_coding { CODING_IDENTITY, CODING_GZIP, CODING_DEFLATE };

/* Values of --http-response-compression, in the order of its choices. */
enum content_coding_policy { CODING_AUTO, CODING_ALWAYS, CODING_NEVER };

/* The coding of a Content-Encoding; NULL is the identity. False for a list of
 * codings and for a coding that cannot be read. */
bool content_coding_parse(const char *text, enum content_coding *coding);

/* The coding of the reply to an Accept-Encoding (NULL: none): gzip or the
 * identity. With CODING_AUTO a client that names gzip alone gets it, one that
 * lists several the identity; with CODING_ALWAYS each that takes it gets it. */
enum content_coding content_coding_choose(const char *accept,
                                          enum content_coding_policy policy);

/* "gzip", "deflate", or NULL for the identity. */
const char *content_coding_name(enum content_coding coding);

/* A body that is being inflated. */
struct inflater;

enum {
    /* Bytes that zlib allocates itself, for a stream of either direction. */
    INFLATER_STATE = 44 << 10,
    DEFLATER_STATE = 300 << 10,
};

enum inflate_result {
    INFLATE_MORE,
    INFLATE_WHOLE,
    INFLATE_DAMAGED,
    INFLATE_NO_MEMORY,
};

/* Borrows the body, of less than 4 GiB; the coding is not the identity. NULL
 * without memory. */
struct inflater *inflater_new(enum content_coding coding,
                              const unsigned char *body, size_t len);

/* Ends the inflation; NULL is none. */
void inflater_free(struct inflater *inflater);

/* Inflates about 128 KiB at most, into the `room` bytes at `to`, and sets how
 * many it has written. `why` is the reason of INFLATE_DAMAGED: "is cut off". */
enum inflate_result inflater_next(struct inflater *inflater, unsigned char *to,
                                  size_t room, size_t *written, char why[120]);

/* Bytes of the body that have been read. */
size_t inflater_read(const struct inflater *inflater);

/* Bytes that `len` bytes can have at most as gzip. */
size_t content_coding_bound(size_t len);

/* Compresses the pieces with gzip into the `room` bytes at `to`. Returns how
 * many that are; 0 without memory, without room, or when the flag was set
 * meanwhile. */
size_t content_coding_gzip(const struct api_piece *pieces, int count,
                           unsigned char *to, size_t room,
                           const atomic_bool *cancel);
