/* A JSON object as a tree of values: the body of a request, or the models file.
 * One pass checks the grammar, the limits and that no object has a key twice.
 *
 * Each array at inputs[i].data of an infer document (and no other) stays text:
 * only its end is found. tensor_json_index() judges its inside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/api.h"
#include "kernels/core/status.h"

enum {
    TREE_MAX_DEPTH = 100,
    /* Values outside of the data arrays, each of which is one: a value takes 48
     * bytes and its text. */
    TREE_MAX_VALUES = 2000,
    TREE_MAX_NUMBER = 400,    /* characters of a number outside of them */
    TREE_MAX_BYTES = 4 << 20, /* of the text outside of them */
};

/* The error for a member `instances`. */
#define TREE_INSTANCES                                                         \
    "instances is of version 1 of the protocol, but flipd speaks version 2: "  \
    "POST /v2/models/{model}/infer takes inputs, each with name, datatype, "   \
    "shape and data"

/* The part of one data array that was validated while the body arrived: from
 * behind the '[' at offset `start` up to offset `validated_end` it has no
 * bracket and no quote. `start` 0: no such part. */
struct validated_part {
    size_t start, validated_end;
};

/* The text that is read. A UTF-8 byte order mark may precede the object, and
 * white space may be on either side. */
struct tree_text {
    const char *text; /* borrowed; not NULL */
    size_t len;
    const char *name; /* what errors call it: "body"; NULL: flipd has written
                       * it, and it may be an array */
    bool is_infer;    /* an infer document */
    struct validated_part scanned; /* a part that needs no second scan */
    /* Errors about bytes behind the object name the header that says where a
     * document ends: the request has none. */
    bool lacks_header;
    int most_values;
    const struct api_heap *heap; /* asked for memory past API_HEAP_FREE */
};

/* Grants none: for readers without reserved memory. */
extern const struct api_heap tree_no_heap;

/* The whole of an infer document. */
static inline struct tree_text tree_infer(const char *text, size_t len)
{
    return (struct tree_text){.text = text,
                              .len = len,
                              .name = "body",
                              .is_infer = true,
                              .most_values = TREE_MAX_VALUES};
}

enum tree_kind {
    TREE_NULL,
    TREE_BOOL,
    TREE_INTEGER, /* digits and a sign, in the range of int64_t */
    TREE_NUMBER,  /* any other number */
    /* Numbers of a message, which has no text of them: one past the range of
     * int64_t, whose 64 bits are `integer`, and one with a fraction or not. */
    TREE_UNSIGNED,
    TREE_REAL,
    TREE_STRING,
    TREE_DATA, /* a data array */
    TREE_ARRAY,
    TREE_OBJECT,
};

struct tree_value {
    struct tree_value *next; /* of the same array or object, in its order */
    const char *key;         /* of an object's member, without a NUL inside */
    uint32_t key_len;
    enum tree_kind kind;
    size_t start; /* offset of its first byte, for a member that of its key */
    union {
        struct {
            struct tree_value *first;
            size_t count;
        }; /* ARRAY, OBJECT */
        struct {
            const char *text; /* with a NUL behind it */
            size_t len;
        }; /* STRING: decoded. NUMBER: as it was sent */
        struct {
            size_t at, bytes;
        }; /* DATA: its text, brackets included */
        int64_t integer;
        double real;
        bool flag;
    };
};

struct tree {
    const struct tree_value *root; /* an object */
    size_t bytes;                  /* of heap, which tree_free() frees */
    size_t end;   /* offset behind the object; 0: it does not end */
    size_t fault; /* offset of the byte that was refused */
    /* Offset of the '[' of the data array that the text leaves open, and the
     * input with its members before that; 0: none is open. */
    size_t open;
    const struct tree_value *open_input;

    /* Memory: the unused part of the last block. */
    struct tree_block *blocks;
    char *free, *free_end;
    size_t granted; /* bytes that need not be asked for */
};

/* An empty tree that first uses `room`, of `size` bytes, aligned as by malloc()
 * and borrowed; NULL: none. */
void tree_init(struct tree *tree, void *room, size_t size);

/* Memory of `size` bytes, aligned to 8, until tree_free(); NULL with NO_MEMORY.
 * `heap` is asked as that of a text. */
void *tree_take(struct tree *tree, size_t size, const struct api_heap *heap,
                struct status *st);

/* Reads the whole text. Fails with INVALID when it is no JSON object, where it
 * is malformed, naming the byte, or past a limit, with TOO_LARGE past
 * TREE_MAX_BYTES, and with NO_MEMORY. What was read stays until tree_free(). */
bool tree_read(struct tree *tree, const struct tree_text *text,
               struct status *st);

/* Reads JSON that flipd has written. */
bool tree_read_own(struct tree *tree, const void *text, size_t len,
                   struct status *st);

/* Reads a request's whole body, of 64 KiB at most, that is no infer document.
 * Fails as tree_read(), or with TOO_LARGE. To be freed in any case. */
bool tree_read_body(struct tree *tree, const struct api_request *request,
                    struct status *st);

void tree_free(struct tree *tree);

/* Texts that are no JSON object; foreign.c. The bytes of the UTF-8 byte order
 * mark that a text begins with, or 0; and true if a text begins with '{',
 * behind a mark and white space, and is none of UTF-16. */
size_t foreign_mark(const char *text, size_t len);
bool foreign_is_object(const char *text, size_t len);

/* Fails with INVALID for any other text, and says what it looks like and what
 * its sender should do. `name` is what errors call it: "body". */
bool foreign_refuse(const char *name, const char *text, size_t len,
                    struct status *st);

/* The same for a body that should be an .npy file, but begins as none. */
bool foreign_refuse_npy(const char *text, size_t len, struct status *st);

/* The first entry of an array or object; NULL for all else. */
static inline const struct tree_value *tree_first(const struct tree_value *v)
{
    return v->kind >= TREE_ARRAY ? v->first : NULL;
}

/* True if the member has the key of `len` bytes. */
static inline bool tree_is(const struct tree_value *member, const char *key,
                           size_t len)
{
    return member->key_len == len && memcmp(member->key, key, len) == 0;
}

/* The member of an object; NULL when it is absent or null, or `object` is NULL
 * or of another kind. */
static inline const struct tree_value *tree_get(const struct tree_value *object,
                                                const char *key)
{
    const struct tree_value *v =
        object && object->kind == TREE_OBJECT ? object->first : NULL;
    size_t len = strlen(key);

    while (v && !tree_is(v, key, len))
        v = v->next;
    return v && v->kind != TREE_NULL ? v : NULL;
}
