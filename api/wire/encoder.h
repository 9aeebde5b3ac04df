/* An encoder writes a result as the pieces of a reply's body, around the data
 * where it lies. */
#pragma once

#include <stddef.h>

#include "api/infer/result.h"

enum { ENCODED_MAX_PIECES = 4 };

struct encoded {
    int piece_count;
    struct {
        const void *data;
        size_t len;
    } pieces[ENCODED_MAX_PIECES];
    /* Bytes of the JSON document in front of binary data; 0 when all of it is
     * JSON, or none. */
    size_t json_len;
};

struct encoder {
    /* The most bytes of the head of a result, whose data is not there yet. */
    size_t (*bound)(const struct infer_result *result);

    /* `head` has bound() bytes; in the buffer it is the headroom of the data.
     * May overwrite the result's data, headroom and tailroom, and with them the
     * request's id. */
    void (*encode)(const struct infer_result *result, char *head,
                   struct encoded *encoded);
};

/* A JSON document, with the data in it or, in binary, behind it. */
extern const struct encoder encode_json;

/* The .npy file that the request was, with its data moved. Only for requests
 * from decode_npy() whose result is not text. */
extern const struct encoder encode_npy;

/* Appends a piece, unless it is empty. */
static inline void encoded_add(struct encoded *encoded, const void *data,
                               size_t len)
{
    if (len == 0)
        return;
    encoded->pieces[encoded->piece_count].data = data;
    encoded->pieces[encoded->piece_count].len = len;
    encoded->piece_count++;
}
