/* One infer request between reading and answering; private to api/.
 *
 * infer_prepare() reads and checks, infer_size() says what memory the answer
 * takes, infer_execute() moves. Which way the data travels follows from the
 * form it came in and the form it is to leave in. */
#pragma once

#include "api/api.h"
#include "api/base/json_writer.h"
#include "api/document/read.h"
#include "api/infer/backward_context.h"
#include "api/models/model.h"
#include "api/models/settings.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/ops/op.h"

struct infer {
    const struct model *model;
    const struct op *op;  /* the model's */
    struct document *doc; /* owned: a reference */
    struct document_instance instance;
    struct validated_part validated;
    enum dtype early_dtype; /* of `validated` */
    struct token_lengths early_lengths;
    struct settings settings;
    struct permutation permutation; /* owned */

    /* call.data is the tensor that is moved. Its `data` is set when it came as
     * bytes, `text` when it came as JSON; both lie in the request's body. */
    struct op_call call;
    uint64_t count; /* elements of it */
    bool from_text;
    unsigned char *bytes; /* borrowed: its data or text, writable */
    size_t front;         /* bytes of the body before it, done with by then */
    struct data_array text;
    bool borrowed;       /* `bytes` lie in shared memory: not to be written */
    unsigned char *copy; /* owned: `bytes` taken from there, or NULL */

    unsigned char *control; /* owned: call.control's data, while preparing */
    char *context;          /* owned: the backward context to answer, or NULL */
    double coefficient;     /* 1 unless the operator scales */

    const char *output_name; /* borrowed */
    unsigned char *target;   /* shared memory that gets the data, or NULL */
    size_t target_size;      /* bytes of it */
    size_t npy_head; /* bytes of a .npy file's header before `bytes`, when it
                      * is to be answered by one; else 0 */
    bool to_text;    /* the answer's data is JSON */

    /* The buffer, from its start: the index of spans, the reply's head, its
     * data, and scratch for values that only pass through. In bytes. */
    size_t index_size;
    size_t head_size;
    size_t data_size;
    size_t scratch_size;
};

/* Reads and checks everything but the values of JSON data. infer_free() is due
 * in any case. */
bool infer_prepare(const struct model *model, const struct api_request *request,
                   struct infer *infer, struct status *st);

struct npy;

/* Requests whose body is a .npy file: infer_npy.c. The form of the answer is
 * decided last, when the coefficient is known. */
bool infer_is_npy(const struct api_request *request);
bool infer_read_npy(struct infer *infer, const struct api_request *request,
                    struct npy *npy, struct status *st);
bool infer_reply_npy(struct infer *infer, const struct api_request *request,
                     const struct npy *npy, struct status *st);

/* Places in shared memory: infer_region.c. Fails with NOT_SUPPORTED where there
 * is none, NOT_FOUND for an unknown region, INVALID past its end. */
bool infer_find_region(const struct api_request *request,
                       const struct document_region *region, const char *name,
                       unsigned char **place, struct status *st);

/* Takes a copy of borrowed data that is to be read as values or lengths, which
 * must not change meanwhile. */
bool infer_copy_region(struct infer *infer, struct status *st);

/* A copy for the caller to free, or NULL with TOO_LARGE or NO_MEMORY; `as` says
 * what the tensor is to be read as. */
unsigned char *infer_copy_tensor(const struct tensor *tensor, const char *as,
                                 struct status *st);

/* Whether the data goes to a place in shared memory that shares bytes with the
 * one where it is, and is not the same. */
bool infer_overlaps(const struct infer *infer);

/* The place that the document gives its output, if any. */
bool infer_target(struct infer *infer, const struct api_request *request,
                  struct status *st);

/* Places the tensors' bytes and texts: infer_tensors.c. `json_len` is the
 * document's length, after which binary tensors stand. */
bool infer_tensors(struct infer *infer, const struct api_request *request,
                   size_t json_len, struct status *st);

/* The lengths and axes that a backward context holds: infer_context.c. */
bool infer_read_context(struct infer *infer, struct status *st);
bool infer_write_context(struct infer *infer, struct status *st);

/* Decides the buffer's layout; fails where the answer has no form. */
bool infer_size(struct infer *infer, struct status *st);

/* Whether the data moves as spans of text or bytes, not as values. */
bool infer_moves_stretches(const struct infer *infer);

/* Writes the reply's JSON up to where the data begins, or, for a binary answer
 * of `binary_size` bytes, the whole of it. */
void infer_write_head(const struct infer *infer, size_t binary_size,
                      struct json_writer *w);

/* The reply whose `len` bytes of data have been moved to `data`: in the body,
 * in the buffer, or behind `head` there, which is written for answers in text.
 */
void infer_reply(const struct infer *infer, struct json_writer *head,
                 unsigned char *data, size_t len, struct api_reply *reply);

bool infer_execute(struct infer *infer, void *buffer, const atomic_bool *cancel,
                   struct api_reply *reply, struct status *st);

/* Frees what it owns; a zeroed one may be freed. */
void infer_free(struct infer *infer);
