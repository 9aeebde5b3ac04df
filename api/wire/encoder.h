/* An encoder writes a result as the pieces of a reply's body, around the data
 * where it lies. */
#pragma once

#include "api/api.h"
#include "api/infer/infer.h"

struct encoder {
    /* The most bytes of the head of a result, whose data is not there yet. */
    size_t (*bound)(const struct infer_result *result);

    /* Adds the pieces, and json_len, to a reply without any. result->head has
     * bound() bytes. May overwrite the result's data, headroom and tailroom,
     * and with them the request's id. */
    void (*encode)(const struct infer_result *result, struct api_reply *reply);
};

/* A JSON document, with the data in it or, in binary, behind it. */
extern const struct encoder encode_json;

/* The .npy file that the request was, with its data moved. Only for requests
 * from decode_npy() whose result is not text. */
extern const struct encoder encode_npy;

/* Appends a piece, unless it is empty. */
static inline void encoder_add(struct api_reply *reply, const void *data,
                               size_t len)
{
    if (len > 0)
        reply->pieces[reply->piece_count++] = (struct api_piece){data, len};
}
