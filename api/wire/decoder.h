/* The state of decode_protobuf(). Private to api/wire. */
#pragma once

#include "api/infer/infer.h"
#include "api/wire/infer_message.h"
#include "api/wire/parameter.h"

struct decoder {
    struct infer_message message;
    struct document *doc;
    struct infer_bytes *placed; /* in the document's memory, as the next two */
    char *texts;                /* where the next text goes */
    unsigned char *values;      /* where the next converted tensor goes */
    unsigned char *body;
    size_t raw_used; /* of message.raw */
    size_t left;     /* fields, for protobuf_read() */
};

/* Reads the parameters of an input or an output, which are its fields `number`;
 * `where` is their name for errors. Fails as location_read(). */
bool decoder_location(struct decoder *d, const struct protobuf_field *object,
                      uint32_t number, struct location *location,
                      const char *where, struct status *st);

/* Makes the inputs of the message those of the document, and finds or converts
 * their bytes. Fails with INVALID, naming input and fault. */
bool decoder_inputs(struct decoder *d, struct status *st);
