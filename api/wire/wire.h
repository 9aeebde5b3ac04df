/* The wire formats of inference.
 *
 * A decoder adds to a new infer what it reads in the body: the document, and
 * the start of the binary tensors. It fails with any status. */
#pragma once

#include <string.h>

#include "api/api.h"
#include "api/infer/infer.h"

/* A JSON document, and the binary tensors behind it. */
bool decode_json(struct infer *infer, struct status *st);

/* Validates a document's large data array while it arrives, and indexes its
 * commas, so that prepare and execute need not scan those bytes again. */
struct early_read {
    struct infer_validated validated; /* so far; points to `commas` */
    struct comma_index commas;
    size_t searched;    /* bytes of all searches for the array */
    size_t next_search; /* length of the body that is worth another one */
    bool done;          /* nothing more can be validated */
};

/* A .npy file, with all else in the URL's query. */
bool decode_npy(struct infer *infer, struct status *st);

#define NPY_TYPE "application/x-npy"

/* api_timeout() for the query of a .npy file; NULL: none. */
uint64_t npy_timeout(const char *query);

/* The message ModelInferRequest of gRPC. */
bool decode_protobuf(struct infer *infer, struct status *st);

/* Reads the request's message into its head, unless that has it already. NULL
 * with MALFORMED or INVALID where a field cannot be read, the model's name or
 * version or the id is not UTF-8, or one of the first two holds a NUL; the
 * timeout that stood before that is there. */
const struct api_head *infer_head_read(const struct api_request *request,
                                       struct status *st);

/* api_timeout() and api_may_use_shm() for a message, which may be malformed. */
uint64_t protobuf_timeout(const struct api_request *request);
bool protobuf_may_use_shm(const struct api_request *request);

/* The length of the document in the body of decode_json(): as the header
 * Inference-Header-Content-Length says, or the whole body. INVALID, with the
 * whole body, when that header is no number from 1 to body_len. */
bool json_length(const struct api_request *request, size_t *len,
                 struct status *st);

/* An encoder writes a result as the pieces of a reply's body, around the data
 * where it lies: it adds the pieces, content_type and json_len to a reply
 * without any. May overwrite the result's data, headroom and tailroom, and with
 * them the request's id. */

/* A JSON document, with the data in it or, in binary, behind it. */
void encode_json(const struct infer_result *result, struct api_reply *reply);

/* A .npy file as NumPy writes it, for results from decode_npy() that are no
 * text. */
void encode_npy(const struct infer_result *result, struct api_reply *reply);

/* The message ModelInferResponse, with raw_output_contents at its end. */
void encode_protobuf(const struct infer_result *result,
                     struct api_reply *reply);

/* Appends a piece, unless it is empty. */
static inline void encoder_add(struct api_reply *reply, const void *data,
                               size_t len)
{
    if (len > 0)
        reply->pieces[reply->piece_count++] = (struct api_piece){data, len};
}

/* Appends a head, which lies in result->head, and `data_len` bytes of data. A
 * head that fits in front of the data is moved there: both are one piece. */
static inline void encoder_add_both(struct api_reply *reply,
                                    const struct infer_result *result,
                                    size_t head_len, size_t data_len)
{
    if (result->data && head_len <= result->headroom) {
        memmove(result->data - head_len, result->head, head_len);
        encoder_add(reply, result->data - head_len, head_len + data_len);
        return;
    }
    encoder_add(reply, result->head, head_len);
    encoder_add(reply, result->data, data_len);
}

/* The header of a .npy file: versions 1 to 3, as numpy.load() reads them. */
struct npy_header {
    enum dtype dtype;
    struct shape shape;
    bool big_endian;   /* elements that can be moved, but not computed here */
    bool column_major; /* Fortran order; false where it is the other one too */
    size_t size;       /* bytes of the header; the data follow it */
};

/* Reads the header of a file of `len` bytes. INVALID names the malformed part,
 * or the unsupported element type and what to do about it. */
bool npy_header_read(const unsigned char *file, size_t len,
                     struct npy_header *npy, struct status *st);

/* Writes the header as numpy.save() does, and returns its length. The datatype
 * is one that npy_header_read() knows; `size` is not read. */
size_t npy_header_write(const struct npy_header *npy, char *out);
