/* One infer request between reading and answering; private to api/.
 *
 * infer_prepare() reads and checks, infer_size() says what memory the answer
 * takes, infer_execute() moves. Which way the data travels follows from the
 * form it came in and the form it is to leave in. */
#pragma once

#include "api/api.h"
#include "api/backward_context.h"
#include "api/document.h"
#include "api/json_write.h"
#include "api/settings.h"
#include "api/text.h"
#include "kernels/op.h"

struct infer {
    const struct op *op;
    struct document *doc; /* owned: a hold */
    struct document_own own;
    struct settings settings;
    struct movement movement; /* owned */

    /* call.data is the tensor that is moved. Its `data` is set when it came as
     * bytes, which lie in the request's body; `text` when it came as JSON. */
    struct op_call call;
    uint64_t count; /* elements of it */
    bool from_text;
    unsigned char *bytes; /* borrowed: its data, writable */
    size_t front;         /* bytes of the body before it, done with by then */
    struct text_array text;

    unsigned char *control; /* owned: call.control's data, while preparing */
    char *context;          /* owned: the backward context to answer, or NULL */
    double coefficient;     /* 1 unless the operator scales */

    const char *output_name; /* borrowed */
    bool to_text;            /* the answer's data is JSON */

    /* The buffer, from its start: the index of stretches, the reply's head, its
     * data, and scratch for values that only pass through. In bytes. */
    size_t index_size;
    size_t head_size;
    size_t data_size;
    size_t scratch_size;
};

/* Reads and checks everything but the values of JSON data. infer_free() is due
 * in any case. */
bool infer_prepare(const struct op *op, const struct api_request *request,
                   struct infer *infer, struct status *st);

/* Places the tensors' bytes and texts: infer_tensors.c. `json_len` is the
 * document's length, after which binary tensors stand. */
bool infer_tensors(struct infer *infer, const struct api_request *request,
                   size_t json_len, struct status *st);

/* The lengths and axes that a backward context holds: infer_context.c. */
bool infer_read_context(struct infer *infer, struct status *st);
bool infer_write_context(struct infer *infer, struct status *st);

/* Decides the buffer's layout; fails where the answer has no form. */
bool infer_size(struct infer *infer, struct status *st);

/* Whether the data moves as stretches of text or bytes, not as values. */
bool infer_moves_stretches(const struct infer *infer);

/* Writes the reply's JSON up to where the data begins, or, for a binary answer
 * of `binary_size` bytes, the whole of it. */
void infer_write_head(const struct infer *infer, size_t binary_size,
                      struct json_write *w);

bool infer_execute(struct infer *infer, void *buffer, const atomic_bool *cancel,
                   struct api_reply *reply, struct status *st);

/* Frees what it owns; a zeroed one may be freed. */
void infer_free(struct infer *infer);
