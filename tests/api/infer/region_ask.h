/* Pieces of documents with tensors in shared memory (documents.h), and two
 * regions to ask them with. */
#pragma once

#include "tests/api/ask.h"

#define PLACE(name, offset, size)                                              \
    "'parameters':{'shared_memory_region':'" name                              \
    "','shared_memory_offset':" offset ",'shared_memory_byte_size':" size "}"
#define AT(name, datatype, shape, place)                                       \
    "{'name':'" name "','datatype':'" datatype "','shape':" shape "," place "}"
#define OUT(place) "'outputs':[{'name':'Y'," place "}]"
#define ASK(data, lens) "{'inputs':[" data "," lens "]}"
#define ASK_OUT(data, lens, out) "{'inputs':[" data "," lens "]," out "}"

enum { REGION_SIZE = 64 };

extern unsigned char
    region_memory[REGION_SIZE]; /* region "r"; "lost" is lost */

/* As ask_binary(). */
struct answer region_ask(const char *model, const char *json, const void *tail,
                         size_t len);

/* As ask_json(). */
struct answer region_ask_json(const char *model, const char *json);

/* The same to a server that has no shared memory. */
struct answer region_ask_off(const char *model, const char *json);

/* GET of a path. */
struct answer region_get(const char *path);
