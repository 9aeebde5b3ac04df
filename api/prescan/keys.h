/* Keys that the pre-scan recognises, and the level at which each counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* inputs[i].data: the top-level object, the array, its objects. */
enum { KEYS_TOP_LEVEL = 1, KEYS_INPUTS_LEVEL = 2, KEYS_INPUT_LEVEL = 3 };

enum document_key {
    DOCUMENT_KEY_OTHER,
    DOCUMENT_KEY_INPUTS,   /* at the top level */
    DOCUMENT_KEY_DATA,     /* of an input */
    DOCUMENT_KEY_DATATYPE, /* of an input */
    DOCUMENT_KEY_ID,       /* at the top level */
};

/* Identifies a key of `len` bytes between its quotes, escapes included, in an
 * object at `level`; `in_inputs` tells whether that object lies inside the
 * top-level array "inputs". */
enum document_key keys_identify(const char *key, size_t len, int level,
                                bool in_inputs);
